/*
 * linear_direction.h - the Newton direction of the linear engine
 *
 * With J the rows whose proximal point is strictly inside its bounds, and z_i = (x_i, 1), the
 * step s solves
 *
 *     (diag(1, .., 1, 1/tau) + sigma sum_J c_i z_i z_i') s = -(g_w, g_b)
 *
 * Where there are two sides, each of a constant of its own, z_i is (x_i, 1, 0) on the first and
 * (x_i, 0, 1) on the second, and g_b has two numbers.  Either is done
 *
 * in the one of three ways that is expected to take the least work:
 *
 *     primal      a Cholesky factor of the matrix itself, of order d + 1 or 2; the sum over J is kept
 *                 and changed by the rows that enter and leave J
 *     dual        a Cholesky factor of X_J X_J' + 1/(sigma c), of order |J|; the rows of X_J are x_i
 *     conjugate   conjugate gradients, which take products with the rows of J alone
 *
 * The weights c_i are 1 but for squared losses with two C.  linear_direction.c has the equations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_DIRECTION_H
#define RANDSVM_LINEAR_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/helpers.h"
#include "linear/linear_gradients.h"
#include "linear/linear_pack.h"
#include "linear/linear_rows.h"

/*
 * Largest orders of the matrix of the primal way and of the dual one: the factor of order 1200
 * takes some 6e8 multiplications, 50 ms, and 12 MB.
 */
#define LINEAR_MAX_PRIMAL 1200
#define LINEAR_MAX_DUAL 1000

/* The primal way: the sum over J of c z z', a matrix of order size = d + n_sides. */
struct linear_outer {
	int64_t size;	 /* order; the last columns are those of the constant of each side */
	double *sum;	 /* size^2: the sum, lower triangle */
	bool is_current; /* the sum is that of the present J */
	int64_t n, most; /* rows in the sum; most of them since it was computed anew */
	double *dense;	 /* room for rows made dense, size numbers each */
};

/* The primal and the dual way: a Cholesky factor, and of the dual way the matrix that it is of. */
struct linear_factor {
	double *matrix;	  /* Cholesky factor of the matrix that was factored last */
	int64_t capacity; /* numbers that 'matrix' has room for */
	double *rhs;	  /* right sides and solutions */
	/* dual: the n_rows rows and the sigma whose matrix was factored; 0 rows: none is known */
	int64_t *row, n_rows;
	double sigma;
};

/* The dual way: inner products of rows that are in J or were, each of which has a slot. */
struct linear_slots {
	int64_t n, max;	   /* slots taken; slots there are */
	double *gram;	   /* max^2: inner products, a row per slot, the lower triangle */
	int64_t *slot_row; /* max: the row that has the slot */
	int32_t *row_slot; /* n: the slot of a row, or -1 */
	double *expanded;  /* d: one row made dense; zeros between two calls */
	int32_t *inside;   /* slots of the rows of J */
};

/* Owns its arrays, which are allocated when a step first needs them; a zeroed struct is empty. */
struct linear_direction {
	const double *weight; /* borrowed: c by row, or NULL: 1 for all */
	const double *lower;  /* borrowed: by row, < 0 on the second side; NULL: one side only */
	struct linear_outer outer;
	struct linear_factor factor;
	struct linear_slots slots;
	struct linear_pack pack; /* conjugate gradients: the rows of J */
	struct helpers
		*helpers; /* conjugate gradients: processes that share the products; or NULL */
	int64_t n_primal, n_dual, n_conjugate; /* steps found by each way so far */
};

void linear_direction_free(struct linear_direction *m);

/*
 * linear_direction_change() - the n rows row[k] enter J (sign[k] is 1) or leave it (-1)
 *
 * O(entries^2) for each row where the primal way was taken before, else O(n).
 */
void linear_direction_change(struct linear_direction *m, const struct linear_rows *x,
			     const int64_t *row, const double *sign, int64_t n);

/*
 * linear_direction_forget() - sums over J and inner products anew at the next step, so that it does
 * not depend on the steps before
 */
void linear_direction_forget(struct linear_direction *m);

/*
 * linear_direction_find() - the step; 'inside' are the n_inside rows of J, ascending
 *
 * Where no way comes to its end (a matrix without a Cholesky factor, conjugate gradients that do
 * not converge) the step is what conjugate gradients have reached, a direction of descent.  Returns
 * 0, or -1 with ERR_MEMORY.
 */
int linear_direction_find(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *inside, int64_t n_inside, struct linear_step *step,
			  struct error *err);

#endif
