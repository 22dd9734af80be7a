/*
 * class_tiles.h - float tiles and kernel values of each class, shared by all its one-vs-one pairs
 *
 * Training a pair of classes needs kernel rows: the kernel values between one example and all
 * examples of both classes.  With k classes each class occurs in k - 1 pairs, so two things are
 * kept for all of them: the tiles of each class (float_tile.h), filled once; and the kernel values
 * between examples of the same class.  A row of those is computed when a pair first needs it.  A
 * thread that needs a row while another thread computes it does not wait: it computes its own copy.
 *
 * Tiles of very sparse rows would be nearly all zeros.  Then ('whole') no tiles are kept, all
 * values within classes are computed at the beginning, and those between the two classes of a pair
 * by the thread that trains it (struct class_cross).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdatomic.h>

#include "kernel/float_tile.h"
#include "problem/classes.h"
#include "problem/kernel_source.h"

/*
 * One class; state[i] tells whether the values of row i are unknown, being computed or known.  Rows
 * take their places in the order in which they are first wanted, as long as there are places.
 */
struct class_block {
	/* number of examples of the class; floats from one row of 'value' to the next */
	int64_t n, stride;
	struct float_tile *tile; /* tiles of the rows of the class; NULL if 'whole' */
	int64_t n_places;	 /* rows that 'value' has places for */
	atomic_llong n_taken;	 /* places taken, or asked for when none was left */
	float *value;		 /* values within the class: K(x_i, x_j), [n_places][stride] */
	int64_t *place;		 /* place of each row of the class that is known, n numbers */
	atomic_uchar *state;
};

struct class_tiles {
	const struct float_vectors *x_float;
	const struct classes *classes;
	struct class_block *block;
	bool whole;
	struct float_vectors by_class; /* rows in the order of the classes, if 'whole' */
};

/*
 * struct class_cross - the values between two classes, and the room of one thread to compute them
 *
 * A tile is filled with 64 rows of one class, meets all rows of the other, and is used again for the
 * next 64.  Borrows the rows, which are in the order of the classes, and owns its arrays.
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

/* A pair of classes. */
struct class_pair {
	const struct class_tiles *tiles;
	int a, b;
	/* values between a and b, if the tiles are 'whole'; else NULL */
	const struct class_cross *cross;
};

/*
 * class_tiles_bytes() - memory that class_tiles_init() will take, in bytes
 *
 * 4 bytes for each example and column, and 4 times 'share' for each ordered pair of examples of one
 * class.
 */
double class_tiles_bytes(const struct float_vectors *x_float, const struct classes *classes,
			 double share);

/* class_tiles_share() - the largest 'share' for these bytes, at most 1; below 0: not the tiles */
double class_tiles_share(const struct float_vectors *x_float, const struct classes *classes,
			 double bytes);

/* class_tiles_fill() - share of the tiles' elements that are entries of rows; 1: rows are dense */
double class_tiles_fill(const struct float_vectors *x_float, const struct classes *classes);

/*
 * class_tiles_init() - fill the tiles of all classes; all kernel values are unknown
 *
 * The values of a share of each class's rows will be kept, 0 < share <= 1; those of further rows are
 * computed each time.  Borrows 'x_float' and 'classes'.  O(rows times columns).  Fails with
 * ERR_MEMORY; '*t' is then empty.
 */
int class_tiles_init(struct class_tiles *t, const struct float_vectors *x_float,
		     const struct classes *classes, double share, struct error *err);

/*
 * class_tiles_init_whole() - compute all values within classes, on n_threads threads; no tiles
 *
 * The rows are sparse.  class_pair_rows() then needs a pair with 'cross', and class_pair_sums() is
 * not to be called.  class_tiles_whole_bytes() is what this takes, and one struct class_cross for
 * the largest pair.  Fails with ERR_MEMORY; '*t' is then empty.
 */
double class_tiles_whole_bytes(const struct float_vectors *x_float, const struct classes *classes);
int class_tiles_init_whole(struct class_tiles *t, const struct float_vectors *x_float,
			   const struct classes *classes, int n_threads, struct error *err);

void class_tiles_free(struct class_tiles *t);

#define MAX_CLASS_ROWS 8

/* class_pair_room() - length of the array 'room' of class_pair_rows(), in floats */
int64_t class_pair_room(const struct class_pair *pair);

/*
 * class_pair_rows() - out[v][j] = K(x_example[v], x_j) for v < n and all examples j of the pair
 *
 * The examples of the pair are those of class a and then those of class b, which is the order of
 * classes_pair_problem() with 'by_class'; n <= MAX_CLASS_ROWS.  'room' has class_pair_room() floats
 * and is aligned to 64 bytes.  The values equal those of float_tile_values() bit for bit, or those
 * of pair->cross if there are no tiles.  Threads may call this at the same time, each with a 'room'
 * of its own.  Fails with ERR_MEMORY only.
 */
int class_pair_rows(const struct class_pair *pair, const int64_t *example, int n, float *room,
		    float *const *out, struct error *err);

/*
 * class_pair_sums() - out[j] = sum_v coef[v] K(vector v, x_j) for all examples j of the pair
 *
 * Equals float_vectors_sums(), but uses tiles that are filled already.
 */
int class_pair_sums(const struct class_pair *pair, const struct float_vectors *vectors,
		    const double *coef, double *out, struct error *err);

/*
 * struct class_source - source of a problem whose examples are all of class a, then all of class b
 */
struct class_source {
	struct kernel_source base;
	struct class_pair pair;
};

/* class_source_make() - 'floats' is the float_source of the rows that the tiles are made of */
struct class_source class_source_make(struct class_pair pair, const struct kernel_source *floats);
