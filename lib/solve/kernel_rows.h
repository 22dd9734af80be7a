/*
 * kernel_rows.h - rows of the kernel matrix of a subproblem, cached
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_KERNEL_ROWS_H
#define RANDSVM_KERNEL_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/column_map.h"
#include "solve/kernel_tile.h"
#include "solve/solver.h"

/* Slots are given up by a second-chance clock. */
struct kernel_rows {
	const struct kernel *kernel;
	struct column_map columns;
	struct kernel_vectors vectors;	/* the subproblem's examples, columns renumbered */
	int64_t n, n_padded;		/* examples; floats in a row */
	int n_threads;
	int64_t n_slots, n_used, hand;
	int64_t last;			/* slot of the row given out last: not given up yet */
	float *row;			/* [n_slots][n_padded] */
	int64_t *slot_of, *owner_of;	/* by example, or -1; by slot */
	bool *recent;			/* by slot */
	double *tile, *norm2;		/* KERNEL_TILE_ROWS examples, transposed */
};

/*
 * kernel_rows_init() - for the examples of 'p', with room for at least 2 tiles of rows
 *
 * Takes less than cache_mb where the system has no more.
 * Padded to a multiple of 'lanes' floats; the padding is 0.
 */
int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, double cache_mb,
		     int lanes, int n_threads, struct error *err);

void kernel_rows_free(struct kernel_rows *r);

/* kernel_rows_cached() - is the row of example i at hand? */
static inline bool kernel_rows_cached(const struct kernel_rows *r, int64_t i)
{
	return r->slot_of[i] >= 0;
}

/* kernel_rows_get() - the row of a cached example; stays valid during the next fetch */
const float *kernel_rows_get(struct kernel_rows *r, int64_t i);

/*
 * kernel_rows_fetch() - compute the rows of up to KERNEL_TILE_ROWS examples, none cached
 *
 * row[j] = (float)K(x_i, x_j) for all j; 2e-7 relative of the double value.
 */
void kernel_rows_fetch(struct kernel_rows *r, const int64_t *example, int n);

/* kernel_rows_diagonal() - K(x_i, x_i) for all examples */
void kernel_rows_diagonal(const struct kernel_rows *r, double *diagonal);

#endif
