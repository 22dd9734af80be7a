/*
 * class_cross.h - all kernel values between two classes of sparse rows, computed at once
 *
 * Where rows are very sparse, as those of texts are, a tile with an element for each column of the
 * data is nearly all zeros.  Here a tile has the columns of its own 64 rows alone, is filled, meets
 * all rows of the other class, and is used again for the next 64.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CLASS_CROSS_H
#define RANDSVM_CLASS_CROSS_H

#include "base/error.h"
#include "kernel/float_tile.h"
#include "problem/classes.h"

/*
 * struct class_cross - the values between two classes, and the room of one thread to compute them
 *
 * Borrows the rows, which are in the order of the classes, and owns its arrays.
 */
struct class_cross {
	const struct float_vectors *rows;
	const struct classes *classes;
	/* values of pairs, [n_a][stride of b], and their transpose, [n_b][stride of a] */
	float *ab, *ba;
	int64_t n_values; /* number of floats allocated for 'ab', and as many for 'ba' */
	int64_t in_tile;  /* first row in the tile; -1: the tile is empty */
	/* elements of the tile, [1 + n_used][FLOAT_TILE_LANES]; the first column is all 0 */
	struct float_tile tile;
	int64_t n_columns; /* columns that the tile has room for, the first included */
	int32_t *place;	   /* place in the tile of each column of the rows; 0: no place */
	int64_t n_used;
	int32_t *used; /* columns that have a place */
	int32_t *col;  /* places of the entries of class b */
	int64_t n_entries;
	int64_t *start; /* beginnings of class b's rows in 'col' */
	int64_t n_starts;
};

/* class_cross_stride() - floats from one row of n values to the next: whole groups of lanes */
int64_t class_cross_stride(int64_t n);

/*
 * class_cross_init() - room for one thread, without values
 *
 * 'rows' are sparse, and row classes->start[k] + i is the i-th of class k.  4 bytes for each column
 * of the rows, O(columns); everything else grows with the classes met.  Returns 0, or -1 with
 * ERR_MEMORY.
 */
int class_cross_init(struct class_cross *x, const struct float_vectors *rows,
		     const struct classes *classes, struct error *err);

void class_cross_free(struct class_cross *x);

/*
 * class_cross_compute() - the kernel values of all rows of class a with all of class b
 *
 * Stored in x->ab and x->ba; a differs from b.  The bits of a value depend on its two rows, and on
 * which of their classes is a.  O(n_a / 64 times the entries of b, and the entries of a), whatever
 * the number of columns.  Returns 0, or -1 with ERR_MEMORY.
 */
int class_cross_compute(struct class_cross *x, int a, int b, struct error *err);

/* class_cross_own() - kernel values within class k: value[stride * i + j], aligned to 64 bytes */
int class_cross_own(struct class_cross *x, int k, float *value, struct error *err);

#endif
