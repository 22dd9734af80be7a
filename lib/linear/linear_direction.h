/*
 * linear_direction.h - the Newton direction of the linear engine
 *
 * With J the rows whose proximal point is strictly inside its bounds, and z_i = (x_i, 1), the
 * step s solves
 *
 *     (diag(1, .., 1, 1/tau) + sigma sum_J z_i z_i') s = -(g_w, g_b)
 *
 * in one of three ways, whichever takes the least work:
 *
 *     primal      Cholesky of the matrix as it stands, (d + 1)^2; the sum over J is kept up
 *                 to date by the rows that enter and leave J
 *     dual        Cholesky of X_J X_J' + 1/sigma, |J|^2, which has the step by
 *                 the Woodbury identity
 *     conjugate   gradients, on the rows of J
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_DIRECTION_H
#define RANDSVM_LINEAR_DIRECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "linear/linear_rows.h"

/* The largest matrix, for the primal way and for the dual one. */
#define LINEAR_MAX_PRIMAL 1200
#define LINEAR_MAX_DUAL 1000

/* Owns its arrays; a zeroed struct is empty, they come when first wanted. */
struct linear_direction {
	int64_t size;  /* d + 1, column d being the ones */
	double *outer; /* sum over J of z z', lower triangle */
	bool outer_is_current;
	int64_t n_outer, most_outer; /* rows in it now, and at most since it was begun */
	double *factor;
	double *rhs;
	double *dense; /* rows made dense */
	int64_t factor_capacity;

	/* the dual way: X_J X_J' of rows that are in J or were */
	int64_t max_slots;
	double *gram; /* max_slots^2: a row per slot, the lower triangle */
	int64_t *slot_row;
	int32_t *row_slot; /* -1: none */
	int64_t n_slots;
	double *expanded;	       /* d: one row made dense */
	int32_t *slot;		       /* of the rows of J */
	int64_t *factored, n_factored; /* whose matrix, with what sigma, 'factor' is of; 0: none */
	double factored_sigma;

	int64_t n_primal, n_dual, n_conjugate; /* how often each was taken */
};

struct linear_step {
	double sigma, tau;	  /* tau keeps the matrix regular when J is empty */
	const double *gradient_w; /* d */
	double gradient_b;
	double *w, b; /* the step: d, 1 */
};

void linear_direction_free(struct linear_direction *m);

/*
 * linear_direction_change() - row 'i' enters (sign 1) or leaves (-1) J
 *
 * For all n of a list of rows, whose signs are in 'sign'.
 */
void linear_direction_change(struct linear_direction *m, const struct linear_rows *x,
			     const int64_t *row, const double *sign, int64_t n);

/* linear_direction_forget() - begin the kept sum anew at the next step */
void linear_direction_forget(struct linear_direction *m);

/*
 * linear_direction_find() - the step; 'inside' are the n_inside rows of J, ascending
 *
 * Returns 0, or -1 with ERR_MEMORY.
 */
int linear_direction_find(struct linear_direction *m, const struct linear_rows *x,
			  const int64_t *inside, int64_t n_inside, struct linear_step *step,
			  struct error *err);

#endif
