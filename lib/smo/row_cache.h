/*
 * row_cache.h - rows of the kernel matrix of a changing working set, cached
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ROW_CACHE_H
#define RANDSVM_ROW_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/float_tile.h"
#include "kernel/kernel_tile.h"
#include "matrix/column_map.h"
#include "problem/problem.h"

/* Rows are padded to a multiple of this many values and aligned to 64 bytes. */
#define ROW_CACHE_LANES 16

/* Rows computed in one go. */
#define ROW_CACHE_AT_ONCE 32

/* What a thread computes with. */
struct row_cache_scratch {
	struct float_tile floats;
	double *tile, *norm2;
};

/*
 * Members are numbered 0 .. n-1; member i is the problem's example[i], its matrix's row[i].  Cached
 * rows stay cached when members join and leave: they are extended and compacted.  Their values
 * are floats where the problem has rows in single precision, else doubles.  Slots
 * are given up by a second-chance clock.  Memory is opened no sooner than it is known to
 * pay: a row that is computed anew because it was given up opens more slots.  (Memory the
 * system has to clear first costs more than computing a row.)
 */
struct row_cache {
	const struct problem_view *p;
	int n_threads;
	double cache_mb;
	bool wide;	     /* values are doubles */
	int64_t n, capacity; /* members; room for them, and values in a row's slot */
	int64_t *example, *row;
	int64_t n_slots, n_open, n_used, hand; /* slots there could be, may be, are */
	int64_t last;		   /* slot of the row given out last: not given up yet */
	int64_t n_vacant, *vacant; /* slots in use before, whose members left; a stack */
	int64_t n_values;
	void *value;			   /* [n_slots][capacity], n_values at most */
	int64_t *slot_of, *owner_of;	   /* by member, or -1; by slot, or -1 */
	bool *recent;			   /* by slot */
	bool *was_cached;		   /* by member */
	struct row_cache_scratch *scratch; /* one per thread */
	bool in_place;			   /* member i is example i */
	float *room;			   /* for class_pair_rows(), where the problem has tiles */
	/* where the problem has no rows in single precision: all of them, in double */
	struct column_map columns;
	struct kernel_vectors vectors;
};

/*
 * row_cache_init() - without members, for a cache of cache_mb or what the system has
 *
 * At least twice ROW_CACHE_AT_ONCE rows of the members are kept, whatever cache_mb says.
 * 'p' is borrowed; all its examples may become members.
 */
int row_cache_init(struct row_cache *r, const struct problem_view *p, double cache_mb,
		   int n_threads, struct error *err);

void row_cache_free(struct row_cache *r);

/*
 * row_cache_keep() - members kept[0] < kept[1] < ... become 0, 1, ...; the others leave
 *
 * O(rows cached times members).
 */
void row_cache_keep(struct row_cache *r, const int64_t *kept, int64_t n);

/*
 * row_cache_add() - n further members, examples of the problem
 *
 * O(n times rows cached) kernel values; all rows are forgotten where the room for members must
 * grow.
 */
int row_cache_add(struct row_cache *r, const int64_t *example, int64_t n, struct error *err);

/* row_cache_cached() - is the row of member i at hand? */
static inline bool row_cache_cached(const struct row_cache *r, int64_t i)
{
	return r->slot_of[i] >= 0;
}

/* row_cache_at_once() - how many rows are best fetched at once */
int row_cache_at_once(const struct row_cache *r);

/* row_cache_get() - the row of a cached member; stays valid during the next fetch */
const void *row_cache_get(struct row_cache *r, int64_t i);

/*
 * row_cache_fetch() - compute the rows of up to ROW_CACHE_AT_ONCE members, none cached
 *
 * row[j] = K(x_i, x_j) for all members j: the products where the problem has them, rounded, else
 * by float_tile_values() where it has rows in single precision, else by kernel_tile_values().
 * What pads a row is finite.  Fails, with none of the rows cached, for want of memory alone.
 */
int row_cache_fetch(struct row_cache *r, const int64_t *member, int n, struct error *err);

#endif
