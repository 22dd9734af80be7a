/*
 * float_tile.h - kernel values of a tile of rows with many vectors, in single precision
 *
 * A tile holds up to SINGLE_TILE_LANES rows transposed and dense: element [column][lane].  A
 * vector meets SINGLE_GROUP lanes with one operation for each of its entries, so sparse
 * and dense vectors share one loop.  Products, exponentials and weighted sums stay
 * in registers.  What is summed over vectors is summed in double precision, at the
 * latest after SINGLE_FLUSH of them.
 *
 * Rows and vectors come scaled by single_vectors so that kernels need no factor:
 *
 *     linear      x.z
 *     polynomial  (x.z + coef0)^degree
 *     rbf         2^(x.z - |x|^2/2 - |z|^2/2)  or  2^-|x - z|^2
 *     sigmoid     tanh(x.z + coef0)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FLOAT_TILE_H
#define RANDSVM_FLOAT_TILE_H

#include <stdint.h>

#include "kernel/float_vectors.h"

#define SINGLE_TILE_LANES 64
#define SINGLE_GROUP 16
#define SINGLE_FLUSH 16

/* A tile and the half squared norms of its lanes; both aligned to 64 bytes. */
struct single_tile {
	float *element;		/* [n_cols][SINGLE_TILE_LANES] */
	float *half_norm2;	/* [SINGLE_TILE_LANES], used by rbf alone */
	int n_groups;		/* lanes in use, in groups */
};

/*
 * single_tile_values() - out[v - first][lane] = K(vector v, row of that lane)
 *
 * For vectors first <= v < last; out[.] has room for n_groups SINGLE_GROUP floats, aligned to 64
 * bytes.
 */
void single_tile_values(const struct single_vectors *vectors, int64_t first, int64_t last,
			const struct single_tile *tile, float *const *out);

/*
 * single_tile_transpose() - element[k][lane] = row[lane][k] for k < n_cols and one group of lanes
 *
 * 'element' points to the group's first lane.
 */
void single_tile_transpose(const float *const row[SINGLE_GROUP], int64_t n_cols, float *element);

/*
 * single_tile_sums() - sum[lane] = sum over all vectors v of coef[v] K(vector v, row of that lane)
 *
 * 'sum' has SINGLE_TILE_LANES doubles, aligned to 64 bytes.
 */
void single_tile_sums(const struct single_vectors *vectors, const float *coef,
		      const struct single_tile *tile, double *sum);

#endif
