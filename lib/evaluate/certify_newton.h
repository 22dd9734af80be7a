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

/* Room for the steps of any point.  Owns its arrays; a zeroed struct is empty. */
struct newton {
	double *h;		   /* [n_features + 1]^2: H, and its Cholesky factor */
	double *g;		   /* n_features + 1: -g */
	double *in_norm, *unbound; /* n_features + 1: d with the constant in |w|, and free */
};

/* A point and the sums of the rows there; all pointers are borrowed. */
struct newton_point {
	int64_t n_features;
	double bias; /* value of the constant in all rows; not above 0: none */
	/* [n_features + 1]^2, below the diagonal: sum of 2 C_i x_i x_i' */
	const double *matrix;
	const double *above, *below; /* n_features: sums of beta_i x_i of beta_i > 0, and of < 0 */
	double balance;		     /* sum of beta_i */
	double *w; /* n_features + 1: the weights, and the constant in decision values or 0 */
};

/* newton_init() - room for so many features; ERR_MEMORY, free '*t' then too */
int newton_init(struct newton *t, int64_t n_features, struct error *err);

void newton_free(struct newton *t);

/*
 * newton_take_step() - p->w += d of the problem, with the constant in |w| or free, by which P
 * loses less: w is nearer to its optimum
 *
 * Nothing where H is singular.  O(n_features^3).
 */
void newton_take_step(struct newton *t, const struct newton_point *p);

#endif
