/*
 * certify_newton.h - Newton steps of a linear machine with squared losses, for certify_linear.c
 *
 *     H d = -g,    H = I + sum_i 2 C_i x_i x_i'  (rows with a loss),    g = w - sum_i beta_i x_i
 *
 * with a constant as the last of x_i: its part of I is 1 / bias^2 where |w| has the constant's
 * weight, and 0 where the constant is free.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CERTIFY_NEWTON_H
#define RANDSVM_CERTIFY_NEWTON_H

#include <stdint.h>

#include "base/error.h"

/* Memory for Newton steps from any point.  Owns its arrays; a zeroed struct is empty. */
struct certify_newton {
	double *h; /* Hessian H, [n_features + 1]^2, and then its Cholesky factor */
	double *g; /* negative gradient -g, n_features + 1 */
	/* step d with the constant in |w|, and with the constant free; n_features + 1 each */
	double *in_norm, *unbound;
};

/* A point and the sums of the rows there; all pointers are borrowed. */
struct certify_newton_point {
	int64_t n_features;
	double bias; /* value of the constant feature in all rows; not above 0: no constant */
	/* sum of 2 C_i x_i x_i', [n_features + 1]^2, below the diagonal only */
	const double *matrix;
	/* sums of beta_i x_i over beta_i > 0, and over beta_i < 0; n_features each */
	const double *above, *below;
	double balance; /* sum of all beta_i */
	double *w; /* weights, then the constant as decision values have it or 0; n_features + 1 */
};

/* certify_newton_init() - memory for n_features features; ERR_MEMORY: free '*t' even then */
int certify_newton_init(struct certify_newton *t, int64_t n_features, struct error *err);

void certify_newton_free(struct certify_newton *t);

/*
 * certify_newton_step() - p->w += d of the problem, with the constant in |w| or free, by which P
 * loses less: w is nearer to its optimum
 *
 * Nothing where H is singular.  O(n_features^3).
 */
void certify_newton_step(struct certify_newton *t, const struct certify_newton_point *p);

#endif
