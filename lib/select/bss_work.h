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
	BSS_MAX_BATCH = 64, /* largest number of features judged at a time */
	BSS_CHUNK = 4096    /* features screened at a time: the most screened in vain */
};

/* The places not chosen, as a ring; what became of the others. */
struct bss_order {
	int32_t *next;	 /* n + 1: the next place not chosen, n at the end; next[n] is the first */
	int32_t *before; /* n + 1: the place not chosen that is before; the inverse of 'next' */
	int32_t *chosen; /* n: number of the feature in the selection; -1: not chosen */
	double *sum;	 /* n: sum of t of (1) over the steps that took the feature */
};

/* Vectors that were judged and not taken, in slots, for the next steps. */
struct bss_kept {
	int32_t *slot;	    /* n: slot that has the place's vector; -1: not kept */
	int32_t *free_slot; /* n_free slots that are free */
	int64_t n_slots, n_free;
	double *vector, *turned; /* n_slots x l: v, and Z v of barrier.h */
	int64_t n_turns;	 /* value of barrier.n_turns for which 'turned' holds */
};

/* The features with v != 0, by descending |v|; a place is one of 0 .. n - 1. */
struct bss_field {
	const struct row_space *s;
	int64_t l, n;
	int32_t *column; /* n: column of s->columns */
	double *size;	 /* n: |v|^2 */
	struct bss_order order;
	struct bss_kept kept;
};

/* A batch of places, and scratch memory to judge it. */
struct bss_batch {
	int64_t n;
	int32_t place[BSS_MAX_BATCH];
	struct barrier_verdict verdict[BSS_MAX_BATCH];
	double *y;		/* BSS_MAX_BATCH x l: turned vectors */
	double *fresh, *turned; /* BSS_MAX_BATCH x l: vectors that no slot had, and Z times them */
	double *full;		/* rank: a vector before it is cut */
	double *work;
};

/* The places of one scan, in order; once there is a screen, those that it does not reject. */
struct bss_supply {
	int32_t place; /* next place to supply; n at the end */
	bool chosen;   /* whether places chosen before are supplied, or those not chosen */
	int64_t n_passed, n_left;
	struct barrier_screen screen; /* directions times sqrt(gain - rest) */
	double *reach;		      /* k for each thread: u_i'v where v is stored */
	float *image;	     /* n_rows x k: T U, where v is made of coefficients; else NULL */
	double *length;	     /* n_rows: norms of the image's rows */
	float *reach_single; /* k for each thread: u_i'v by the image */
	int64_t n, used;     /* places of the chunk that stay; those supplied already */
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

/* bss_field_open() - memory of the steps: places not chosen, sums of t, slots; ERR_MEMORY */
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

/* bss_supply_screen() - pass over places that cannot be admitted from now on; O(l^3) */
int bss_supply_screen(struct bss_supply *u, const struct bss_field *f, const struct barrier *b,
		      int n_threads, struct error *err);

/* bss_supply_batch() - up to 'size' places for the batch; none at the end */
void bss_supply_batch(struct bss_supply *u, const struct bss_field *f, struct bss_batch *t,
		      int64_t size, int n_threads);

void bss_supply_free(struct bss_supply *u);

#endif
