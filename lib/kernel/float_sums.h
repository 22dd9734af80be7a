/*
 * float_sums.h - tiles filled with rows, and sums of kernel values, in single precision
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_tile.h"

/*
 * float_vectors_keep_tiles() - keep tiles that are given back, for many problems on these rows
 *
 * A new tile has something for each column cleared, which can be far more work than solving a pair
 * of small classes.  float_vectors_drop_tiles() frees the tiles; it is called before
 * float_vectors_free().  Returns 0, or -1 with ERR_MEMORY.
 */
int float_vectors_keep_tiles(struct float_vectors *v, struct error *err);
void float_vectors_drop_tiles(struct float_vectors *v);

/*
 * float_tile_init() - an empty tile for rows of 'v'
 *
 * Takes one that was given back, if 'v' keeps tiles.  float_tile_free() frees it;
 * float_tile_give_back() returns it to 'v', where it must be empty again (a zeroed struct is fine),
 * or frees it if 'v' keeps none.  Threads may share 'v'.  [n_cols][FLOAT_TILE_LANES] elements; of
 * sparse rows with many columns at most 64 times the longest row in place of n_cols, and 4 bytes a
 * column.
 */
int float_tile_init(struct float_tile *tile, const struct float_vectors *v, struct error *err);
void float_tile_free(struct float_tile *tile);
void float_tile_give_back(struct float_tile *tile, const struct float_vectors *v);

/*
 * float_tile_fill() - n <= FLOAT_TILE_LANES rows of 'v' into an empty tile: row[0..n-1], or
 * first .. first + n-1 where 'row' is NULL; float_tile_clear() empties it again
 */
void float_tile_fill(struct float_tile *tile, const struct float_vectors *v, const int64_t *row,
		     int64_t first, int n);
void float_tile_clear(struct float_tile *tile, const struct float_vectors *v, const int64_t *row,
		      int64_t first, int n);

/* Rows row[0 .. n-1] of the matrix 'all', or its first n rows where 'row' is NULL. */
struct float_rows {
	const struct float_vectors *all;
	const int64_t *row;
	int64_t n;
};

/*
 * float_vectors_sums() - out[i] = sum_j coef[j] K(vectors[j], rows[i]) for i < rows.n
 *
 * 'vectors' are rows of rows.all, gathered.  Where rows.all->near is set, kernel values below 2^-40
 * may be left out.  The bytes of 'out' do not depend on n_threads.  O(rows.n vectors->n entries per
 * vector).  Fails with ERR_MEMORY.
 */
int float_vectors_sums(struct float_rows rows, const struct float_vectors *vectors,
		       const double *coef, double *out, int n_threads, struct error *err);

/*
 * float_vectors_add_sums() - the same added to out[]: sums over more vectors than are at hand at once
 *
 * Without rows.all->near, vectors in blocks, all but the last a multiple of FLOAT_FLUSH, give the
 * bytes of all at once.
 */
int float_vectors_add_sums(struct float_rows rows, const struct float_vectors *vectors,
			   const double *coef, double *out, int n_threads, struct error *err);
