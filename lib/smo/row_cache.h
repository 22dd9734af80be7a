/*
 * row_cache.h - rows of the kernel matrix of a changing working set, cached
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/*
 * Cached rows stay cached when members join and leave: they are extended and compacted.  Each
 * cached row is in a slot of the memory; slots are given up by a second-chance clock.  Memory is
 * opened no sooner than it is known to be needed: each row that is computed again, as its
 * slot was given up, opens more slots.
 */
struct row_cache {
	const struct kernel_rows *source;
	double cache_mb;
	struct row_members members;
	bool is_kept;	  /* rows are kept by the source, so that no slots are needed */
	int64_t capacity; /* number of members that the arrays have room for */
	/* number of values in a slot; number of slots that the memory has */
	int64_t stride, n_slots;
	/* number of slots that may be used; number of slots that have been used */
	int64_t n_open, n_used;
	/* position of the clock's hand: the slot that is looked at next */
	int64_t hand;
	int64_t last; /* slot of the row given out last, which is not given up yet */
	/* number of used slots whose members have left; a stack of these slots */
	int64_t n_vacant, *vacant;
	int64_t n_values; /* number of floats or doubles that the memory has */
	/* rows in their slots, [n_slots][stride], or NULL while no row is cached */
	void *value;
	int64_t *slot_of;  /* slot of each member, or -1 */
	int64_t *owner_of; /* member that owns each slot, or a negative number */
	/* reference bit of each slot: given out since the clock's hand was there */
	bool *recent;
	bool *was_cached; /* rows computed before, by member */
};

/*
 * row_cache_init() - a kernel cache without members, of cache_mb, or less where the system has not
 * that much; where the source itself keeps rows these are given out, and the cache takes no memory
 *
 * Whatever cache_mb says there is room for 2 KERNEL_ROWS_AT_ONCE rows.  'source' is borrowed; all
 * examples of its problem may become members.
 */
void row_cache_init(struct row_cache *r, const struct kernel_rows *source, double cache_mb);

void row_cache_free(struct row_cache *r);

/* row_cache_forget() - release all cached rows and their memory; the members stay */
void row_cache_forget(struct row_cache *r);

/*
 * row_cache_keep() - members kept[0] < kept[1] < ... become 0, 1, ...; all other members leave
 *
 * O(rows cached times members).
 */
void row_cache_keep(struct row_cache *r, const int64_t *kept, int64_t n);

/*
 * row_cache_add() - n further members, examples of the problem
 *
 * O(n times rows cached) kernel values.
 */
int row_cache_add(struct row_cache *r, const int64_t *example, int64_t n, struct error *err);

/* row_cache_kept() - the row of member i where the source keeps rows; NULL if not yet computed */
static inline const float *row_cache_kept(const struct row_cache *r, int64_t i)
{
	return r->source->source->type->kept_row(r->source->source, i);
}

/* row_cache_cached() - is the row of member i in the cache? */
static inline bool row_cache_cached(const struct row_cache *r, int64_t i)
{
	return r->is_kept ? row_cache_kept(r, i) != NULL : r->slot_of[i] >= 0;
}

/* row_cache_get() - the row of a cached member; stays valid during the next fetch */
const void *row_cache_get(struct row_cache *r, int64_t i);

/*
 * row_cache_fetch() - compute the rows of up to KERNEL_ROWS_AT_ONCE members, none of them cached
 *
 * By kernel_rows_fetch().  Returns 0, or -1 with ERR_MEMORY, none of these rows being cached then.
 */
int row_cache_fetch(struct row_cache *r, const int64_t *member, int n, struct error *err);
