/*
 * project_loops.h - the loops of projections and maps, vectorised: sums over columns, circles, transforms
 *
 * The bits are the same on every machine: products are rounded before they are added, never fused.
 * Sums are aligned to 64 bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "base/rng.h"

/* columns done at a time: the signs of one draw */
#define PROJECTION_TILE 128

/* one entry of a block of rows */
struct dense_entry {
	uint32_t index; /* feature number of the file */
	uint32_t row;	/* row within the block */
	double value;
};

/*
 * sign_add() - sum[t] += x[e] with the sign of bit t of word[e * stride], for e = 0 .. n-1, t < 64
 */
HOT_LOOP(void, sign_add,
	 (const uint64_t *word, int64_t stride, const double *x, int64_t n, double *sum),
	 (word, stride, x, n, sum))
HOT_LOOP(void, sign_add_single,
	 (const uint64_t *word, int64_t stride, const float *x, int64_t n, float *sum),
	 (word, stride, x, n, sum))

/* sign_flip() - x[t] becomes -x[t] where bit t of the words is set; t < n, a multiple of 64 */
HOT_LOOP(void, sign_flip, (const uint64_t *word, int64_t n, double *x), (word, n, x))
HOT_LOOP(void, sign_flip_single, (const uint64_t *word, int64_t n, float *x), (word, n, x))

/* tile_add() - sum[row * stride + t] += value * tile[t] for each entry, t < PROJECTION_TILE */
HOT_LOOP(void, tile_add,
	 (const double *tile, const struct dense_entry *entry, int64_t n, double *sum,
	  int64_t stride),
	 (tile, entry, n, sum, stride))
HOT_LOOP(void, tile_add_single,
	 (const float *tile, const struct dense_entry *entry, int64_t n, float *sum,
	  int64_t stride),
	 (tile, entry, n, sum, stride))

/*
 * scale_sums() - value[t] = scale * sum[t] for t < n; returns how many are not zero
 *
 * In single precision scale is rounded first, and the product then.
 */
HOT_LOOP(int64_t, scale_sums, (const double *sum, int64_t n, double scale, double *value),
	 (sum, n, scale, value))
HOT_LOOP(int64_t, scale_sums_single, (const float *sum, int64_t n, double scale, double *value),
	 (sum, n, scale, value))

/* round_values() - to[t] = from[t] in single precision, t < n */
HOT_LOOP(void, round_values, (const double *from, int64_t n, float *to), (from, n, to))

/* number_columns() - index[t] = t + 1 for t < n */
HOT_LOOP(void, number_columns, (int64_t n, int32_t *index), (n, index))

/* plane_signs() - word[e][c] = exclusive or of plane[b * stride + c] over the set bits b of j[e] */
HOT_LOOP(void, plane_signs,
	 (const uint64_t *plane, int64_t stride, const uint32_t *j, int64_t n, uint64_t (*word)[8]),
	 (plane, stride, j, n, word))

/* uniform_entries() - x[2e], x[2e + 1] = 2 u - 1, u the units of the halves of block[e] */
HOT_LOOP(void, uniform_entries, (const struct rng_block *block, int64_t n, double *x),
	 (block, n, x))

/*
 * ternary_entries() - x[4e + k] of word w = block[e].w[k]
 *
 * +1 if w < plus, else -1 if w < minus, else 0.
 */
HOT_LOOP(void, ternary_entries,
	 (const struct rng_block *block, int64_t n, uint32_t plus, uint32_t minus, double *x),
	 (block, n, plus, minus, x))

/* sparse_entries() - x[4e + k] of word w = block[e].w[k]: 1 - 2 (w & 1) if w < threshold, else 0 */
HOT_LOOP(void, sparse_entries,
	 (const struct rng_block *block, int64_t n, uint64_t threshold, double *x),
	 (block, n, threshold, x))

/* ---- Cosines, sines and products with a matrix ---- */

/* The bits are the same on every machine: products are rounded before they are added, never fused. */

/* columns of a panel: two registers where these are widest */
#define PANEL_COLUMNS 16

/* cauchy_entries() - x[2e], x[2e + 1] = tan(2 pi u), u the units of the halves of block[e] */
HOT_LOOP(void, cauchy_entries, (const struct rng_block *block, int64_t n, double *x), (block, n, x))

/*
 * circle_pairs() - pair[2i], pair[2i + 1] = cos, sin of turn[i] turns, for i < n
 *
 * elementary_circle() of the part of turn[i] after its floor, with an absolute error below 2^-50; 0
 * from 2^50 turns on, where doubles have no digits of an angle left, and nan where turn[i] is not
 * finite.  Both arrays are aligned to 64 bytes, with room for n rounded up to a multiple of 16.
 */
HOT_LOOP(void, circle_pairs, (const double *turn, int64_t n, double *pair), (turn, n, pair))

/* multiply_each() - product[i] = x[i] y[i] for i < n */
HOT_LOOP(void, multiply_each, (const double *x, const double *y, int64_t n, double *product),
	 (x, y, n, product))

/*
 * multiply_panels() - out = a m, m being n_inner x n_columns
 *
 * a has n_rows rows a_stride apart, out rows out_stride apart.  m is cut into panels of
 * PANEL_COLUMNS columns, one behind the other: entry (j, t) is
 * panel[(t / PANEL_COLUMNS * n_inner + j) * PANEL_COLUMNS + t % PANEL_COLUMNS].  The last panel and
 * the rows of out have room for whole panels.  Each sum is added up by ascending j, whatever rows
 * are beside it.
 */
HOT_LOOP(void, multiply_panels,
	 (const double *a, int64_t a_stride, int64_t n_rows, const double *panel, int64_t n_inner,
	  int64_t n_columns, double *out, int64_t out_stride),
	 (a, a_stride, n_rows, panel, n_inner, n_columns, out, out_stride))

/* ---- The fast Walsh-Hadamard transform ---- */

/*
 *     (H x)_i = sum_j (-1)^popcount(i & j) x_j        n = 2^log2_n entries, H H = n I
 *
 * In place, by n log2_n additions and subtractions.  They are those of the recursion
 * H [a; b] = [H (a + b); H (a - b)], so the results have the same bits on every machine.  The
 * halves are transformed one after the other, so that a half that fits a cache stays in it.
 */

#define HADAMARD_GROUP 128

/*
 * hadamard_trimmed() - x becomes H x, or only some entries of it; 0 <= log2_n <= 30
 *
 * Entries i of the groups g = i / HADAMARD_GROUP with wanted[g] < wanted[g + 1] become those of
 * H x; all other entries are undefined.  wanted[g] is the number of wanted groups before g, for
 * g = 0 .. n / HADAMARD_GROUP (at least 1); NULL: all are wanted.  Fastest where x is aligned to
 * 64 bytes.
 *
 * Source: the recursion above, omitted for a half of which nothing is wanted; Ailon and Liberty
 * 2009, Fast dimension reduction using Rademacher series on dual BCH codes.
 */
HOT_LOOP(void, hadamard_trimmed, (double *x, int log2_n, const int32_t *wanted),
	 (x, log2_n, wanted))
HOT_LOOP(void, hadamard_trimmed_single, (float *x, int log2_n, const int32_t *wanted),
	 (x, log2_n, wanted))
