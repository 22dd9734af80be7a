/*
 * class_tiles.h - the rows of each class in tiles, for all the pairs it is in
 *
 * A pair of classes wants kernel values between a row and all rows of both.  The tiles of a
 * class are filled once; and kernel values within a class, which serve as many pairs as there
 * are other classes, are computed once, by whoever wants them first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CLASS_TILES_H
#define RANDSVM_CLASS_TILES_H

#include <stdatomic.h>

#include "base/error.h"
#include "kernel/float_tile.h"
#include "problem/classes.h"

/* One class; row i of the values is computed when state[i] says so. */
struct class_block {
	int64_t n, stride; /* rows; floats from one row of values to the next */
	struct float_tile *tile;
	float *value; /* [n][stride] */
	atomic_uchar *state;
};

struct class_tiles {
	const struct float_vectors *x_float;
	const struct classes *classes;
	struct class_block *block;
};

/*
 * class_tiles_bytes() - what class_tiles_init() will take at most
 *
 * 4 bytes for each row and column, and 4 for each pair of rows of the same class.
 */
double class_tiles_bytes(const struct float_vectors *x_float, const struct classes *classes);

/* class_tiles_fill() - the share of their elements that are entries of rows */
double class_tiles_fill(const struct float_vectors *x_float, const struct classes *classes);

/*
 * class_tiles_init() - tiles of all rows; no values yet.  'x_float' and 'classes' are borrowed
 *
 * O(rows times columns).
 */
int class_tiles_init(struct class_tiles *t, const struct float_vectors *x_float,
		     const struct classes *classes, struct error *err);

void class_tiles_free(struct class_tiles *t);

/* class_pair_at_once() - how many rows class_pair_rows() is best asked for, at most MAX_CLASS_ROWS */
int class_pair_at_once(const struct class_pair *pair);

#define MAX_CLASS_ROWS 8

/* class_pair_room() - floats that class_pair_rows() needs, aligned to 64 bytes */
int64_t class_pair_room(const struct class_pair *pair);

/*
 * class_pair_rows() - out[v][j] = K(x_example[v], x_j) for all examples j of the pair
 *
 * Examples are class a's rows and then class b's, as in classes_pair_problem(); n <=
 * MAX_CLASS_ROWS.  Bit by bit what float_tile_values() gives.  Any number of threads may call
 * this at once.
 */
int class_pair_rows(const struct class_pair *pair, const int64_t *example, int n, float *room,
		    float *const *out, struct error *err);

/*
 * class_pair_sums() - as float_vectors_sums(), for all examples of the pair
 */
int class_pair_sums(const struct class_pair *pair, const struct float_vectors *vectors,
		    const double *coef, double *out, struct error *err);

#endif
