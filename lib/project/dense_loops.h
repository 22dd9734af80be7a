/*
 * dense_loops.h - signed and weighted sums over the columns of a projection, vectorised
 *
 * The bits are the same on every machine: products are rounded before they are added, never fused.
 * Sums are aligned to 64 bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_DENSE_LOOPS_H
#define RANDSVM_DENSE_LOOPS_H

#include <stdint.h>

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
void sign_add(const uint64_t *word, int64_t stride, const double *x, int64_t n, double *sum);
void sign_add_single(const uint64_t *word, int64_t stride, const float *x, int64_t n, float *sum);

/* sign_flip() - x[t] becomes -x[t] where bit t of the words is set; t < n, a multiple of 64 */
void sign_flip(const uint64_t *word, int64_t n, double *x);
void sign_flip_single(const uint64_t *word, int64_t n, float *x);

/* tile_add() - sum[row * stride + t] += value * tile[t] for each entry, t < PROJECTION_TILE */
void tile_add(const double *tile, const struct dense_entry *entry, int64_t n, double *sum,
	      int64_t stride);
void tile_add_single(const float *tile, const struct dense_entry *entry, int64_t n, float *sum,
		     int64_t stride);

/*
 * scale_sums() - value[t] = scale * sum[t] for t < n; returns how many are not zero
 *
 * In single precision scale is rounded first, and the product then.
 */
int64_t scale_sums(const double *sum, int64_t n, double scale, double *value);
int64_t scale_sums_single(const float *sum, int64_t n, double scale, double *value);

/* round_values() - to[t] = from[t] in single precision, t < n */
void round_values(const double *from, int64_t n, float *to);

/* number_columns() - index[t] = t + 1 for t < n */
void number_columns(int64_t n, int32_t *index);

/* plane_signs() - word[e][c] = exclusive or of plane[b * stride + c] over the set bits b of j[e] */
void plane_signs(const uint64_t *plane, int64_t stride, const uint32_t *j, int64_t n,
		 uint64_t (*word)[8]);

/* uniform_entries() - x[2e], x[2e + 1] = 2 u - 1, u the units of the halves of block[e] */
void uniform_entries(const struct rng_block *block, int64_t n, double *x);

/*
 * ternary_entries() - x[4e + k] of word w = block[e].w[k]
 *
 * +1 if w < plus, else -1 if w < minus, else 0.
 */
void ternary_entries(const struct rng_block *block, int64_t n, uint32_t plus, uint32_t minus,
		     double *x);

/* sparse_entries() - x[4e + k] of word w = block[e].w[k]: 1 - 2 (w & 1) if w < threshold, else 0 */
void sparse_entries(const struct rng_block *block, int64_t n, uint64_t threshold, double *x);

#endif
