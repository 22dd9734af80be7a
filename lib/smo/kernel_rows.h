/*
 * kernel_rows.h - rows of the kernel matrix of a problem, over some of its examples
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_KERNEL_ROWS_H
#define RANDSVM_KERNEL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arithmetic.h"
#include "base/error.h"
#include "kernel/float_tile.h"
#include "kernel/kernel_lanes.h"
#include "matrix/column_map.h"
#include "problem/problem.h"

/* Rows are padded to a multiple of this many values and aligned to 64 bytes. */
#define KERNEL_ROWS_LANES 16

/* Rows computed in one go. */
#define KERNEL_ROWS_AT_ONCE 32

/* What a thread computes with: a tile of members in single or in double precision. */
struct kernel_rows_scratch {
	struct float_tile floats;
	struct kernel_lanes doubles;
};

/*
 * struct kernel_rows - what it takes to compute rows
 *
 * Their values are computed in double precision where the problem has neither rows in single
 * precision nor a Gram matrix, or has a kernel matrix in double precision, or is a
 * problem_is_stepwise(); they are doubles then, unless p->rounds_matrix is set or it is one; else
 * they are floats.
 */
struct kernel_rows {
	const struct problem_view *p;
	const struct float_vectors *x_float; /* the problem's, if rows are computed from it */
	int n_threads;
	bool from_doubles;		     /* values are computed in double precision */
	bool wide;			     /* and kept so */
	struct kernel_rows_scratch *scratch; /* one per thread */
	float *room;			     /* for class_pair_rows(), if the problem has tiles */
	/* for values from doubles: all rows of the problem, and the numbers of their columns */
	struct column_map columns;
	struct kernel_vectors vectors;
	double *kept; /* all examples of a problem_is_stepwise() in tiles; NULL: filled each time */
};

/* The examples that rows go over: member j is example[j] of the problem and row[j] of its matrix. */
struct row_members {
	int64_t n;
	int64_t *example, *row;
	bool in_place; /* member j is example j, for all members */
};

/* kernel_rows_init() - 'p' is borrowed; returns 0, or -1 with ERR_MEMORY and '*r' empty */
int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, int n_threads,
		     struct error *err);

void kernel_rows_free(struct kernel_rows *r);

/* kernel_rows_padded() - values in a row over n members, with padding */
static inline int64_t kernel_rows_padded(int64_t n)
{
	return int64_round_up(n, KERNEL_ROWS_LANES);
}

/* kernel_rows_at_once() - how many rows are best fetched at once, at most KERNEL_ROWS_AT_ONCE */
int kernel_rows_at_once(const struct kernel_rows *r, const struct row_members *over);

/*
 * kernel_rows_fetch() - out[v][j] = K(x_i, x_j) for the n examples i = wanted[v], over all members
 * j from 'first' on
 *
 * Where the problem has a kernel matrix they are its values, which it then has all (in double
 * precision); else those of its near_matrix, and 0; else the entries of the problem's Gram matrix,
 * rounded, where it has one; else by float_tile_values() where r->x_float is set; else by
 * kernel_lanes_values().  The padding is finite.
 * Values from the last multiple of KERNEL_ROWS_LANES before 'first' on are written.  out[v] is
 * aligned to 64 bytes.  Returns 0, or -1 with ERR_MEMORY.
 */
int kernel_rows_fetch(const struct kernel_rows *r, const struct row_members *over, int64_t first,
		      const int64_t *wanted, int64_t n, void *const *out, struct error *err);

#endif
