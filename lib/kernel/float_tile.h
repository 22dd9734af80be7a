/*
 * float_tile.h - kernel values of a tile of rows with many vectors, in single precision
 *
 * A tile holds up to FLOAT_TILE_LANES rows transposed and dense: element [column][lane].  A vector
 * meets FLOAT_GROUP lanes with one operation for each of its entries (two, of doubles, where rows
 * are in doubles), so sparse and dense vectors share one loop.  Where sums are wide, those of
 * FLOAT_CHUNK products of floats are added in doubles.  Products, exponentials and weighted sums
 * stay in registers.  Sums over vectors are in double precision, to which at most FLOAT_FLUSH terms
 * are added in single precision first.
 *
 * With the factor c of the vectors kernel values are
 *
 *     linear      x.z
 *     polynomial  (c x.z + coef0)^degree
 *     rbf         2^(c (x.z - |x|^2/2 - |z|^2/2))  or  2^(-c |x - z|^2)
 *     sigmoid     tanh(c x.z + coef0)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "kernel/float_vectors.h"

/* Rows of a tile; and lanes of a group, as many as one AVX-512 register has floats. */
#define FLOAT_TILE_LANES 64
#define FLOAT_GROUP 16

/*
 * Terms that are summed in single precision before the sum goes to doubles: 16 roundings at most.
 */
#define FLOAT_FLUSH 16

/* A tile of rows and half the squared norm of each lane; the arrays are aligned to 64 bytes. */
struct float_tile {
	/* elements of the rows by column, or by place, [][FLOAT_TILE_LANES]; doubles as the rows are */
	void *element;
	/*
	 * half the squared norm of each of the FLOAT_TILE_LANES lanes, for rbf kernels alone; of
	 * float_vectors_norm_size()
	 */
	void *half_norm2;
	/*
	 * sparse rows of many columns: place of each column in the tile, [n_cols], 0 where none of
	 * the rows has it; else NULL, and the place is the column
	 */
	int32_t *place;
	int32_t n_places; /* places taken, from 1 on */
	int64_t n_clear;  /* places whose elements have been cleared once, from 0 on */
	int n_groups;	  /* number of groups that have lanes in use */
};

/*
 * float_tile_values() - out[v - first][lane] = K(vector v, row of that lane)
 *
 * For vectors first <= v < last; each row of 'out' has room for n_groups FLOAT_GROUP floats,
 * aligned to 64 bytes.
 */
HOT_LOOP(void, float_tile_values,
	 (const struct float_vectors *vectors, int64_t first, int64_t last,
	  const struct float_tile *tile, float *const *out),
	 (vectors, first, last, tile, out))

/*
 * float_tile_transpose() - element[k][lane] = row[lane][k] for k < n_cols and one group of lanes
 *
 * 'element' points to the group's first lane.
 */
HOT_LOOP(void, float_tile_transpose,
	 (const float *const row[FLOAT_GROUP], int64_t n_cols, float *element),
	 (row, n_cols, element))

/*
 * float_tile_sums() - sum[lane] += coef[v] K(vector v, row of that lane), over vectors first <= v <
 * last
 *
 * 'sum' has FLOAT_TILE_LANES doubles, aligned to 64 bytes.
 */
HOT_LOOP(void, float_tile_sums,
	 (const struct float_vectors *vectors, int64_t first, int64_t last, const float *coef,
	  const struct float_tile *tile, double *sum),
	 (vectors, first, last, coef, tile, sum))

/* float_tile_exact_sums() - the same with all sums in doubles, a tenth slower */
HOT_LOOP(void, float_tile_exact_sums,
	 (const struct float_vectors *vectors, int64_t first, int64_t last, const double *coef,
	  const struct float_tile *tile, double *sum),
	 (vectors, first, last, coef, tile, sum))
