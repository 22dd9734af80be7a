/*
 * pair_rows.h - the plan of a training, and what is made of the rows once for all of its pairs
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"
#include "kernel/kernel_matrix.h"
#include "ranks/rank_source.h"
#include "source/class_tiles.h"
#include "source/matrix_source.h"
#include "train/trainer.h"

/*
 * struct plan - what follows from the options, the kernel and the sizes of the classes
 *
 * A regression or one class is a training of one pair, the largest.
 */
struct plan {
	const struct trainer *t; /* trainer to plan for; borrowed */
	/* classes of the data, borrowed; NULL for regression and one-class */
	const struct classes *classes;
	int64_t n_largest; /* number of examples of the largest pair */
	/* mode exact of our own solvers, where pairs are not sampled but whole from the start */
	bool is_unsampled;
	bool shares;  /* kernel values within a class serve all pairs of the class */
	bool is_dear; /* they do though pairs are large, as a value takes long to compute */
};

/* Kernel values that are kept for all pairs. */
enum kept_values {
	KEPT_NONE,   /* no values are kept: each pair computes the values that it needs */
	KEPT_MATRIX, /* kernel matrix of the only pair, in single precision */
	KEPT_SHARED, /* kernel matrix of all rows, in double precision */
	KEPT_TILES   /* values within each class, and the rows of each class in tiles */
};

/* Order of the examples of a pair. */
struct pair_order {
	bool by_class;	/* examples by class; else in the order of the data, or by 'place' */
	int64_t *place; /* position of each row, neighbours in space close together; or NULL */
};

/* The rows in single precision. */
struct pair_floats {
	struct float_vectors x;
	bool hold_rows; /* single precision can hold the values of all rows */
	/* kernel values of pairs are computed from the rows in single precision, x */
	bool serve_pairs;
};

/* KEPT_TILES: kernel values within each class. */
struct pair_tiles {
	struct class_tiles tiles;
	double bytes; /* bytes of memory of the tiles */
	/* room of each thread for values between two classes, if tiles are 'whole'; else NULL */
	struct class_cross *cross;
	int n_crosses; /* number of structs in 'cross' */
};

/* Kernel matrices in memory. */
struct pair_matrices {
	struct kernel_matrix only; /* KEPT_MATRIX: matrix of the only pair, in floats */
	/* KEPT_SHARED: matrix that is used, the caller's or 'own'; and the one made here */
	struct kernel_matrix *shared, own;
};

/* Sources that pairs have their kernel values from. */
struct pair_sources {
	struct kernel_source doubles, floats;
	struct rank_source of_ranks;
	struct matrix_source of_matrix, of_shared, of_shared_rounded;
};

/* Owns its arrays, and the sources. */
struct pair_rows {
	struct plan plan;
	struct pair_order order;
	double *diagonal; /* K(x, x) by row; NULL for RBF, where it is 1 */
	struct pair_floats floats;
	bool on_ranks; /* kernel values are of rows that other processes have, floats.x has none */
	enum kept_values kept;
	const char *why_kept; /* reason for the choice 'kept', in words */
	struct pair_tiles tiles;
	struct pair_matrices matrix;
	struct pair_sources source;
};

/*
 * pair_rows_init() - as the plan and the rows call for
 *
 *     double precision    computed; or the kernel matrix of all rows, where floats are too coarse
 *                         for some pair, tiles would be mostly padding, or the kernel is precomputed
 *     single precision    computed; tiles of classes, for many pairs; the matrix of the only pair
 *
 * What there is no memory for is left out where pairs can do without.  Fails with ERR_MEMORY or
 * ERR_NUMERIC; '*rows' can then only be freed.
 */
int pair_rows_init(struct pair_rows *rows, const struct trainer *t, const struct classes *classes,
		   struct error *err);

void pair_rows_free(struct pair_rows *rows);

/* pair_rows_bytes() - memory for values that pairs share, to be taken off the kernel cache */
double pair_rows_bytes(const struct pair_rows *rows);

/* Lines of pair_rows_explain(): solver, kernel values, precision, order of examples. */
#define PLAN_LINES 4

/* pair_rows_explain() - the plan in words, of the largest pair and the kernel values of all */
void pair_rows_explain(const struct pair_rows *rows, struct plan_line line[PLAN_LINES]);

/* pair_rows_for_threads() - room for pair_rows_lend() on n_threads; -1 with ERR_MEMORY */
int pair_rows_for_threads(struct pair_rows *rows, int n_threads, struct error *err);

/*
 * pair_rows_lend() - p->source, for the problem of a pair
 *
 * 'own' becomes a source where tiles are shared, and must last as the problem does; the values are
 * those of the last pair that 'thread' was lent.  Returns 0, or -1 with ERR_MEMORY.
 */
int pair_rows_lend(struct pair_rows *rows, struct problem_view *p, struct class_choice pair,
		   int thread, struct class_source *own, struct error *err);
