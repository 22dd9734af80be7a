/*
 * class_cross.h - all kernel values between two classes of sparse rows, computed at once
 *
 * A tile is filled with 64 rows of one class, meets all rows of the other, and is used again for
 * the next 64.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

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
	struct float_tile tile;
	int64_t in_tile; /* first row in the tile */
	int n_in_tile;	 /* rows in the tile; 0: it is empty */
};

/* class_cross_stride() - floats from one row of n values to the next: whole groups of lanes */
int64_t class_cross_stride(int64_t n);

/*
 * class_cross_init() - room for one thread, without values
 *
 * 'rows' are sparse, and row classes->start[k] + i is the i-th of class k.  The memory of one tile;
 * the values grow with the classes met.  Returns 0, or -1 with ERR_MEMORY.
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

/*
 * class_cross_meet() - the kernel value of row j of class b with row i of class a at
 * value[j * (stride of a) + i], aligned to 64 bytes; b may be a
 */
void class_cross_meet(struct class_cross *x, int a, int b, float *value);
