/*
 * kernel_tile.h - kernel values of a few rows with many vectors, vectorised over the rows
 *
 * A tile holds KERNEL_TILE_ROWS rows transposed and dense: element [column][lane].  A
 * sparse vector meets all its lanes at once, so sparse and dense data share one loop and
 * no two lanes ever mix: the value of a row depends neither on its
 * neighbours nor on the width of the machine's vectors.  Sums run in the order of the
 * sparse vector's entries, without fused multiply-add, so values are the same bits on
 * every instruction set (exp and tanh are our own).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "kernel/kernel.h"
#include "matrix/column_map.h"

/* ---- Sparse vectors made ready to meet tiles of rows ---- */

/* Vectors in doubles, made ready for tiles.  Owns its arrays; a zeroed struct is empty. */
struct kernel_vectors {
	/* vectors, with columns numbered by a column_map, in the order of the data */
	struct csr x;
	/* column of the data that each number stands for, borrowed; NULL: numbers are columns */
	const int32_t *column;
	double *norm2; /* squared norms of the vectors, for rbf; or NULL */
	/*
	 * number of vectors from each one on that have the same columns, itself included: on dense
	 * data such vectors are taken several at a time
	 */
	int32_t *run;
	bool has_far; /* far vectors occur, for rbf: kernel_is_far() of at least one */
};

/*
 * kernel_vectors_number_columns() - fill the empty '*columns' from v->x, and renumber by it
 *
 * So a tile needs no more columns than occur.  v->x then is no longer in ascending columns, but in
 * the order of the data; v->column borrows the list of '*columns'.  Where a tile of all columns has
 * no more elements than v->x has entries, each column is its own number.  O(entries).
 */
int kernel_vectors_number_columns(struct kernel_vectors *v, struct column_map *columns,
				  struct error *err);

/* kernel_vectors_prepare() - fill norm2 and has_far (for rbf) and run from v->x; O(entries) */
int kernel_vectors_prepare(struct kernel_vectors *v, const struct kernel *kernel,
			   struct error *err);

void kernel_vectors_free(struct kernel_vectors *v);

/* ---- Tiles ---- */

#define KERNEL_TILE_ROWS 16
#define KERNEL_TILE_ALIGNMENT 64

/*
 * kernel_tile_values() - values[v - first][lane] = K(vector v, row of that lane)
 *
 * For vectors first <= v < last.  'tile' ([n_cols]
 * [KERNEL_TILE_ROWS]) and 'values' ([last - first][KERNEL_TILE_ROWS]) are aligned to
 * KERNEL_TILE_ALIGNMENT.  'row_norm2', the squared norms of the lanes, is needed by rbf
 * alone: |x - z|^2 is taken as |x|^2 + |z|^2 - 2 x.z, as svm-train takes it, which is right where
 * no row kernel_is_far() (kernel_lanes.h).  Not for precomputed kernels.
 * Relative error of exp: 4e-16, of tanh: 1e-15; values below exp(-708) are 0.
 */
HOT_LOOP(void, kernel_tile_values,
	 (const struct kernel *kernel, const struct kernel_vectors *vectors, int64_t first,
	  int64_t last, const double *tile, const double *row_norm2, double *values),
	 (kernel, vectors, first, last, tile, row_norm2, values))

/*
 * kernel_tile_of_dots() - the same where values[v][lane] has the dot products, for n vectors
 *
 * 'norm2' has the squared norms of the vectors, for rbf.  The bits are those of
 * kernel_tile_values().
 */
HOT_LOOP(void, kernel_tile_of_dots,
	 (const struct kernel *kernel, const double *norm2, int64_t n, const double *row_norm2,
	  double *values),
	 (kernel, norm2, n, row_norm2, values))

/* kernel_tile_accumulate() - sum[lane] += coef[v] values[v][lane] for v = 0 .. n-1, in order */
HOT_LOOP(void, kernel_tile_accumulate,
	 (const double *coef, int64_t n, const double *values, double *sum), (coef, n, values, sum))

/*
 * kernel_sum_rows() - sum[k] += sum_r coef[r] row[r][k] for k = 0 .. n-1, rows in their order
 *
 * Without fused multiply-add: the same bits on every instruction set, and whatever part of the rows
 * a call is for.
 */
HOT_LOOP(void, kernel_sum_rows,
	 (const double *const *row, const double *coef, int64_t n_rows, int64_t n, double *sum),
	 (row, coef, n_rows, n, sum))

/* kernel_round_row() - out[k] = row[column[k]] as a float, for k = 0 .. n-1 */
HOT_LOOP(void, kernel_round_row, (const double *row, const int64_t *column, int64_t n, float *out),
	 (row, column, n, out))

/*
 * long_polynomial_sums() - f[i] = sum_j beta[j] K(x_j, x_i), for i and j in 0 .. n - 1
 *
 * x_i is row row[i] of 'x'.  All is in twice the digits but the results.
 * O(n n_sv (entries of two rows)), some 20 operations for each entry.
 */
HOT_LOOP(void, long_polynomial_sums,
	 (const struct kernel *kernel, const struct csr *x, const int64_t *row, const double *beta,
	  int64_t n, double *f),
	 (kernel, x, row, beta, n, f))
