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
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "geometry/row_space.h"
#include "select/barrier.h"

enum {
	BSS_MAX_BATCH = 64, /* largest number of features judged at a time */
	/* number of features screened at a time: at most so many are screened in vain */
	BSS_CHUNK = 4096
};

/* The places not chosen, as a ring; and what became of the chosen places. */
struct bss_order {
	/* next place not chosen, for each of n + 1 places; n at the end; next[n] is the first */
	int32_t *next;
	int32_t *before; /* previous place not chosen, n + 1; the inverse of 'next' */
	/* number of the feature in the selection, for each of n places; -1: not chosen */
	int32_t *chosen;
	double *sum; /* sum of the weights t (1) over the steps that took the feature, n */
};

/* Vectors that were judged and not taken, kept in slots for the next steps. */
struct bss_kept {
	int32_t *slot;	    /* slot that has the place's vector, for each of n places; -1: none */
	int32_t *free_slot; /* numbers of the n_free free slots */
	int64_t n_slots, n_free;
	double *vector, *turned; /* vectors v, and turned vectors Z v of barrier.h, n_slots x l */
	int64_t n_turns;	 /* value of barrier.n_turns for which 'turned' holds */
};

/* The features with v != 0, by descending |v|; a place is one of 0 .. n - 1. */
struct bss_field {
	const struct row_space *s;
	int64_t l, n;
	int32_t *column; /* column of s->columns at each of n places */
	double *size;	 /* squared length |v|^2 at each of n places */
	struct bss_order order;
	struct bss_kept kept;
};

/* A batch of places, and scratch memory to judge it. */
struct bss_batch {
	int64_t n;
	int32_t place[BSS_MAX_BATCH];
	struct barrier_verdict verdict[BSS_MAX_BATCH];
	double *y; /* turned vectors of the batch, BSS_MAX_BATCH x l */
	/* vectors that no slot had, and the turned ones, BSS_MAX_BATCH x l */
	double *fresh, *turned;
	double *full; /* one vector before it is cut, rank numbers */
	double *work;
};

/* Places of one scan, in order; once there is a screen, without the places it rejects. */
struct bss_supply {
	int32_t place; /* next place to supply; n at the end */
	/* choice between places chosen before, which are supplied if true, and all others */
	bool chosen;
	int64_t n_passed;
	/* screen, whose directions are multiplied by sqrt(gain - rest) */
	struct barrier_screen screen;
	/* products u_i'v where v is stored, k numbers for each thread */
	double *reach;
	float *image;	     /* image T U, n_rows x k, where v is made of coefficients; else NULL */
	double *length;	     /* norms of the image's rows, n_rows */
	float *reach_single; /* products u_i'v by the image, k numbers for each thread */
	/* number of places of the chunk that stay; number of those supplied already */
	int64_t n, used;
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

/* bss_field_open() - allocate the state of the steps: ring of places, sums, slots; ERR_MEMORY */
int bss_field_open(struct bss_field *f, struct error *err);

void bss_field_free(struct bss_field *f);

/* bss_make_vector() - vector v of a place, cut to the l directions; 'full' has room for all */
void bss_make_vector(const struct bss_field *f, int32_t place, double *full, double *v);

/* bss_turn_kept() - turn all kept vectors, if the barrier has new eigenvectors */
int bss_turn_kept(struct bss_field *f, const struct barrier *b, struct error *err);

/* bss_collect_vectors() - collect the batch's turned vectors, kept ones or made now */
int bss_collect_vectors(struct bss_field *f, const struct barrier *b, struct bss_batch *t,
			struct error *err);

/* bss_next_place() - the next place after p (n: the first) not chosen, or 'chosen'; n at the end */
int32_t bss_next_place(const struct bss_field *f, int32_t p, bool chosen);

/* ---- bss_supply.c ---- */

/* bss_supply_screen() - skip from now on places that cannot be admitted; O(l^3) */
int bss_supply_screen(struct bss_supply *u, const struct bss_field *f, const struct barrier *b,
		      int n_threads, struct error *err);

/* bss_supply_batch() - up to 'size' places for the batch; none at the end */
void bss_supply_batch(struct bss_supply *u, const struct bss_field *f, struct bss_batch *t,
		      int64_t size, int n_threads);

void bss_supply_free(struct bss_supply *u);
