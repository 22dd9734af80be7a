/*
 * bss_work.h - what the parts of the selection by spectral sparsification (bss.c) share
 *
 *     bss_field.c     features by descending length, those not chosen, vectors that were judged
 *     bss_supply.c    features for a scan to judge, one after the other or screened
 *     bss.c           steps
 *
 * Numbers in brackets are those of the equations at the head of bss.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BSS_WORK_H
#define RANDSVM_BSS_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "geometry/row_space.h"
#include "select/barrier.h"

enum {
	BSS_MAX_BATCH = 64, /* features judged at a time, at most */
	BSS_CHUNK = 4096    /* features screened at a time: no more are in vain than these */
};

/* The features with v != 0, by descending |v|; a place is one of 0 .. n - 1. */
struct bss_field {
	const struct row_space *s;
	int64_t l, n;
	int32_t *column; /* n: which of s->columns */
	double *size;	 /* n: |v|^2 */
	int32_t *next;	 /* n + 1: the next place not chosen, n at the end; [n]: the first */
	int32_t *before; /* n + 1: the place not chosen before it; the inverse of 'next' */
	int32_t *chosen; /* n: the number in the selection, or -1 */
	double *sum;	 /* n: the sum of the t of the place */

	/* vectors that were judged and may be again are kept in slots */
	int32_t *slot;	    /* n: the slot of the place's vector, or -1 */
	int32_t *free_slot; /* n_free slots that are free */
	int64_t n_slots, n_free;
	double *vector, *turned; /* n_slots x l */
	int64_t n_turns;	 /* turns of the barrier when the vectors were turned */
};

/* Room for judging BSS_MAX_BATCH places. */
struct bss_batch {
	int64_t n;
	int32_t place[BSS_MAX_BATCH];
	struct barrier_verdict verdict[BSS_MAX_BATCH];
	double *y;		/* BSS_MAX_BATCH x l: turned vectors */
	double *fresh, *turned; /* BSS_MAX_BATCH x l: vectors made now, and the same turned */
	double *full;		/* rank: a vector before it is cut */
	double *work;
};

/* The places of one scan: in order, and from some point on only those that a bound leaves. */
struct bss_supply {
	int32_t place; /* the next one; n at the end */
	bool chosen;   /* supplies places that were chosen before; else those that were not */
	int64_t n_passed, n_left;
	struct barrier_screen screen; /* directions times sqrt(gain - rest) */
	double *reach;		      /* k for each thread */
	float *image;		      /* coefficients, if there are any, times these: n_rows x k */
	double *length;		      /* n_rows: of its rows */
	float *reach_single;	      /* k for each thread */
	int64_t n, used;	      /* vectors of a chunk; vectors of it that were supplied */
	int32_t chunk[BSS_CHUNK];
	bool stays[BSS_CHUNK];
};

/* ---- bss_field.c ---- */

/*
 * bss_field_init() - the features of 's' with v != 0, of l components, into '*f'
 *
 * O(columns rank + n log n) and one row_space_vector() a column.  Fails with ERR_MEMORY only; '*f'
 * is then freed.
 */
int bss_field_init(struct bss_field *f, const struct row_space *s, int64_t l, int n_threads,
		   struct error *err);

/* bss_field_open() - what the steps need beyond the order: list of places not chosen, sums, slots */
int bss_field_open(struct bss_field *f, struct error *err);

void bss_field_free(struct bss_field *f);

/* bss_make_vector() - v of a place, cut to the l directions that count; 'full' has room for all */
void bss_make_vector(const struct bss_field *f, int32_t place, double *full, double *v);

/* bss_turn_kept() - turn all kept vectors, if there are new eigenvectors */
int bss_turn_kept(struct bss_field *f, const struct barrier *b, struct error *err);

/* bss_collect_vectors() - the turned vectors of the batch's places, kept ones or new */
int bss_collect_vectors(struct bss_field *f, const struct barrier *b, struct bss_batch *t,
			struct error *err);

/* bss_next_place() - the next place after p (n: the first) not chosen, or 'chosen'; n at the end */
int32_t bss_next_place(const struct bss_field *f, int32_t p, bool chosen);

/* ---- bss_supply.c ---- */

/* bss_supply_screen() - from now on pass over places that cannot be admitted; O(l^3), at most once */
int bss_supply_screen(struct bss_supply *u, const struct bss_field *f, const struct barrier *b,
		      int n_threads, struct error *err);

/* bss_supply_batch() - up to 'size' places for the batch; none at the end */
void bss_supply_batch(struct bss_supply *u, const struct bss_field *f, struct bss_batch *t,
		      int64_t size, int n_threads);

void bss_supply_free(struct bss_supply *u);

#endif
