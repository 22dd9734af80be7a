/*
 * project_dispatch.c - the best copies of the hot loops of this folder for this machine
 *
 * Each HOT_LOOP() defines a function of project_loops.h, which calls
 * the copy compiled for the newest instruction set that this machine has.  All copies give the same
 * bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "project/project_loops.h"

HOT_LOOP(void, sign_add,
	 (const uint64_t *word, int64_t stride, const double *x, int64_t n, double *sum),
	 (word, stride, x, n, sum))

HOT_LOOP(void, sign_add_single,
	 (const uint64_t *word, int64_t stride, const float *x, int64_t n, float *sum),
	 (word, stride, x, n, sum))

HOT_LOOP(void, sign_flip, (const uint64_t *word, int64_t n, double *x), (word, n, x))

HOT_LOOP(void, sign_flip_single, (const uint64_t *word, int64_t n, float *x), (word, n, x))

HOT_LOOP(void, tile_add,
	 (const double *tile, const struct dense_entry *entry, int64_t n, double *sum,
	  int64_t stride),
	 (tile, entry, n, sum, stride))

HOT_LOOP(void, tile_add_single,
	 (const float *tile, const struct dense_entry *entry, int64_t n, float *sum,
	  int64_t stride),
	 (tile, entry, n, sum, stride))

HOT_LOOP(int64_t, scale_sums, (const double *sum, int64_t n, double scale, double *value),
	 (sum, n, scale, value))

HOT_LOOP(int64_t, scale_sums_single, (const float *sum, int64_t n, double scale, double *value),
	 (sum, n, scale, value))

HOT_LOOP(void, round_values, (const double *from, int64_t n, float *to), (from, n, to))

HOT_LOOP(void, number_columns, (int64_t n, int32_t *index), (n, index))

HOT_LOOP(void, plane_signs,
	 (const uint64_t *plane, int64_t stride, const uint32_t *j, int64_t n, uint64_t (*word)[8]),
	 (plane, stride, j, n, word))

HOT_LOOP(void, uniform_entries, (const struct rng_block *block, int64_t n, double *x),
	 (block, n, x))

HOT_LOOP(void, ternary_entries,
	 (const struct rng_block *block, int64_t n, uint32_t plus, uint32_t minus, double *x),
	 (block, n, plus, minus, x))

HOT_LOOP(void, sparse_entries,
	 (const struct rng_block *block, int64_t n, uint64_t threshold, double *x),
	 (block, n, threshold, x))

HOT_LOOP(void, hadamard_trimmed, (double *x, int log2_n, const int32_t *wanted),
	 (x, log2_n, wanted))

HOT_LOOP(void, hadamard_trimmed_single, (float *x, int log2_n, const int32_t *wanted),
	 (x, log2_n, wanted))

HOT_LOOP(void, cauchy_entries, (const struct rng_block *block, int64_t n, double *x), (block, n, x))

HOT_LOOP(void, circle_pairs, (const double *turn, int64_t n, double *pair), (turn, n, pair))

HOT_LOOP(void, multiply_each, (const double *x, const double *y, int64_t n, double *product),
	 (x, y, n, product))

HOT_LOOP(void, multiply_panels,
	 (const double *a, int64_t a_stride, int64_t n_rows, const double *panel, int64_t n_inner,
	  int64_t n_columns, double *out, int64_t out_stride),
	 (a, a_stride, n_rows, panel, n_inner, n_columns, out, out_stride))
