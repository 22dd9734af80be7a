/*
 * kernel_dispatch.c - the best copies of the tiles for this machine
 *
 * How this works.  Each HOT_LOOP() defines the function of the header, which calls the copy
 * compiled for the newest instruction set that this machine has (base/instruction_set.h).  Copies
 * of kernel_tile.c, node_tile.c and long_polynomial.c give the same bits; those of float_tile.c may
 * differ in the last one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "kernel/float_tile.h"
#include "kernel/kernel_tile.h"
#include "kernel/long_polynomial.h"
#include "kernel/node_tile.h"

HOT_LOOP(void, kernel_tile_values,
	 (const struct kernel *kernel, const struct kernel_vectors *vectors, int64_t first,
	  int64_t last, const double *tile, const double *row_norm2, double *values),
	 (kernel, vectors, first, last, tile, row_norm2, values))

HOT_LOOP(void, kernel_tile_of_dots,
	 (const struct kernel *kernel, const double *norm2, int64_t n, const double *row_norm2,
	  double *values),
	 (kernel, norm2, n, row_norm2, values))

HOT_LOOP(void, kernel_tile_accumulate,
	 (const double *coef, int64_t n, const double *values, double *sum), (coef, n, values, sum))

HOT_LOOP(void, kernel_sum_rows,
	 (const double *const *row, const double *coef, int64_t n_rows, int64_t n, double *sum),
	 (row, coef, n_rows, n, sum))

HOT_LOOP(void, kernel_round_row, (const double *row, const int64_t *column, int64_t n, float *out),
	 (row, column, n, out))

HOT_LOOP(void, long_polynomial_sums,
	 (const struct kernel *kernel, const struct csr *x, const int64_t *row, const double *beta,
	  int64_t n, double *f),
	 (kernel, x, row, beta, n, f))

HOT_LOOP(int, node_tile_dots,
	 (struct svm_node *const *sv, int n_sv, struct node_span span, const double *x,
	  double *norm2, double *dot),
	 (sv, n_sv, span, x, norm2, dot))

HOT_LOOP(void, float_tile_values,
	 (const struct float_vectors *vectors, int64_t first, int64_t last,
	  const struct float_tile *tile, float *const *out),
	 (vectors, first, last, tile, out))

HOT_LOOP(void, float_tile_sums,
	 (const struct float_vectors *vectors, int64_t first, int64_t last, const float *coef,
	  const struct float_tile *tile, double *sum),
	 (vectors, first, last, coef, tile, sum))

HOT_LOOP(void, float_tile_exact_sums,
	 (const struct float_vectors *vectors, int64_t first, int64_t last, const double *coef,
	  const struct float_tile *tile, double *sum),
	 (vectors, first, last, coef, tile, sum))

HOT_LOOP(void, float_tile_transpose,
	 (const float *const row[FLOAT_GROUP], int64_t n_cols, float *element),
	 (row, n_cols, element))

const char *kernel_tile_instruction_set(void)
{
	return instruction_set_name(instruction_set_best());
}
