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
 *     primal      a Cholesky factor of the matrix itself, of order d + 1 or 2; the sum over J is
 *                 kept and changed by the rows that enter and leave J
 *     dual        a Cholesky factor of X_J X_J' + 1/(sigma c), of order |J|; rows of X_J are x_i
 *     conjugate   conjugate gradients, which take products with the rows of J alone
 *
 * The weights c_i are 1 but for squared losses with two C.  linear_direction.c has the equations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/interruption.h"
#include "linear/linear_rows.h"

/*
 * Largest orders of the matrix of the primal way and of the dual one: the factor of order 1200
 * takes some 6e8 multiplications, 50 ms, and 12 MB.
 */
#define LINEAR_MAX_PRIMAL 1200
#define LINEAR_MAX_DUAL 1000

/* A Newton step, which linear_direction_find() computes. */
struct linear_step {
	/* weights of the proximal terms, given; tau keeps the matrix regular when J is empty */
	double sigma, tau;
	const double *gradient_w; /* gradient by w, given: d numbers */
	double gradient_b[2];	  /* gradient by the constants, given */
	/*
	 * reduction of r'M^-1 r that ends conjugate gradients, given; M is the diagonal of the
	 * matrix
	 */
	double reduction;
	double *w, b[2]; /* step, found: d numbers of w and one number for each side */
	/* interruption that ends conjugate gradients early; or NULL */
	const struct interruption *interruption;
};

/* The primal way: the sum over J of c z z', a matrix of order size = d + n_sides. */
struct linear_outer {
	/* order of the matrix; its last columns are those of the constant of each side */
	int64_t size;
	double *sum;	 /* sum over J: lower triangle of size^2 numbers */
	bool is_current; /* the sum is that of the present J */
	int64_t n, most; /* number of rows in the sum; most rows in it since it was computed anew */
	double *dense;	 /* rows made dense, size numbers each */
	bool by_entries; /* rows are added by their entries, and not made dense */
};

/*
 * Cholesky factor for the primal and the dual way, and the rows of the dual way's factored matrix.
 */
struct linear_factor {
	double *matrix;	  /* Cholesky factor of the matrix factored last */
	int64_t capacity; /* number of doubles that 'matrix' has room for */
	double *rhs;	  /* right-hand sides of the equations, and their solutions */
	/*
	 * rows of the dual way whose matrix was factored, with this sigma; n_rows = 0: no factor is
	 * known
	 */
	int64_t *row, n_rows;
	double sigma;
};

/* Inner products for the dual way: rows that are in J, or were before, each have a slot. */
struct linear_slots {
	int64_t n, max;	   /* number of slots taken; number of slots there are */
	double *gram;	   /* inner products of rows by slot, max^2 numbers, the lower triangle */
	int64_t *slot_row; /* row that has each of the 'max' slots */
	struct csr x;	   /* rows of the slots */
	int32_t *row_slot; /* slot of each of the n rows, or -1 */
	double *expanded;  /* row made dense, d numbers; all zero between two calls */
	int32_t *inside;   /* slots of the rows of J */
};

/*
 * Ways to find a Newton step.  Owns its arrays, which are allocated when a step first needs them; a
 * zeroed struct is empty.
 */
struct linear_direction {
	const double *weight; /* weight c of each row, borrowed; NULL: 1 for all */
	/*
	 * lower bound of each row, borrowed: < 0 on the second side; NULL: there is one side only
	 */
	const double *lower;
	struct linear_outer outer;
	struct linear_factor factor;
	struct linear_slots slots;
	struct linear_pack pack;	       /* pack of the rows of J, for conjugate gradients */
	int64_t n_primal, n_dual, n_conjugate; /* number of steps found by each way so far */
};

/* linear_direction_sides() - number of sides, each of which has a constant of its own */
static inline int linear_direction_sides(const struct linear_direction *m)
{
	return m->lower ? 2 : 1;
}

/* linear_direction_side() - side of row i */
static inline int linear_direction_side(const struct linear_direction *m, int64_t i)
{
	return m->lower && m->lower[i] < 0;
}

void linear_direction_free(struct linear_direction *m);

/*
 * linear_direction_room() - room for the sum of a problem of d columns, once; ERR_MEMORY
 *
 * linear_direction_add() - add c z z' of the n rows of the list to m->outer.sum, times their signs, NULL: 1
 *
 * Of shared rows list by list, those that are here: the sum goes on from one process to the next, and
 * back to the first.  O(entries^2), or O(d^2) each.
 */
int linear_direction_room(struct linear_direction *m, const struct linear_rows *x,
			  struct error *err);
void linear_direction_add(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *row, const double *sign, int64_t n);

/*
 * linear_direction_change() - the n rows row[k] enter J (sign[k] is 1) or leave it (-1)
 *
 * O(entries^2) for each row where the primal way was taken before, else O(n).
 */
void linear_direction_change(struct linear_direction *m, const struct linear_rows *x,
			     const int64_t *row, const double *sign, int64_t n);

/*
 * linear_direction_forget() - drop sums over J and inner products, which the next step computes
 * anew, so that it does not depend on the steps before
 */
void linear_direction_forget(struct linear_direction *m);

/*
 * linear_direction_find() - the step; 'inside' are the n_inside rows of J, ascending
 *
 * Where no way comes to its end (a matrix without a Cholesky factor, conjugate gradients that do
 * not converge) the step is the last one of conjugate gradients, a direction of descent.  Returns
 * 0, or -1 with ERR_MEMORY.
 */
int linear_direction_find(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *inside, int64_t n_inside, struct linear_step *step,
			  struct error *err);
