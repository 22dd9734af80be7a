/*
 * near_matrix.h - the kernel matrix of a narrow rbf kernel, without the values that are nothing
 *
 *     start  [0, 2, 4, 5]           row 0 has values with rows 0 and 1, row 1 with the same two,
 *     col    [0, 1, 0, 1, 2]        and row 2 with itself alone
 *     val    [1, .3, .3, 1, 1]
 *
 * Where an rbf kernel is narrow nearly all rows become support vectors, and most of their kernel
 * values are below 2^-40.  The others are few enough to be computed once and kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/interruption.h"
#include "kernel/float_sums.h"

/*
 * Kernel values of at least 2^-40: sparse and symmetric, with the diagonal.  Owns its arrays; a
 * zeroed struct is empty.
 */
struct near_matrix {
	int64_t n;
	int64_t *start; /* position of each row's first value, n + 1 numbers */
	int32_t *col;	/* columns of the values, start[n] of them, ascending within a row */
	float *val;	/* kernel values, start[n] of them, each at least 2^-40 */
};

/* Rows that near_matrix_serves() wants: as many, evenly spaced, or all where they are fewer. */
#define NEAR_MATRIX_ROWS 4096

/*
 * near_matrix_serves() - are kernel values of at least 2^-40, of n rows, few enough to be kept?
 *
 * Counts the values of 64 rows with 'some' of the n.  They may be a hundredth of all values, or more
 * where rows are long, and 2^25 in number, 256 MB.  Returns 0, or -1 with ERR_MEMORY.
 */
int near_matrix_serves(const struct float_vectors *some, int64_t n, bool *serves,
		       struct error *err);

/*
 * near_matrix_init() - the kernel values of the rows with each other, into the empty '*m'
 *
 * As float_tile_values() has them.  n (n + 1) / 2 kernel values, less those of tiles that are far
 * apart where rows are in near_rows_order(); 20 bytes for each value kept, 8 of them afterwards.
 * The result does not depend on n_threads.  Returns 0, or -1 with ERR_MEMORY, or ERR_INTERRUPTED
 * where 'interruption', which may be NULL, ends it.
 */
int near_matrix_init(struct near_matrix *m, struct float_rows rows, int n_threads,
		     const struct interruption *interruption, struct error *err);

void near_matrix_free(struct near_matrix *m);

/* near_matrix_add() - out[j] += coef K_ij for all rows j whose K_ij is kept */
static inline void near_matrix_add(const struct near_matrix *m, int64_t i, double coef, double *out)
{
	for (int64_t k = m->start[i]; k < m->start[i + 1]; k++)
		out[m->col[k]] += coef * m->val[k];
}
