/*
 * linear_loops.h - the loops of the linear engine, vectorised
 *
 * Arrays are aligned to 64 bytes and padded to a multiple of LINEAR_LANES; the padding has
 * lower = upper = 0 and all else 0.  Ranges [first, last) are of whole groups of lanes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_LOOPS_H
#define RANDSVM_LINEAR_LOOPS_H

#include <stdint.h>

#include "linear/linear_rows.h"

#define LINEAR_LANES 8

/* The proximal points of the multipliers, prox(beta + sigma (residual - t product)). */
struct linear_arrays {
	int64_t n;		/* padded */
	const double *beta;	/* the centres */
	const double *residual; /* y - f - b */
	const double *product;	/* step of f + b */
	const double *target, *lower, *upper;
	double *prox;
	double sigma, threshold; /* threshold = sigma epsilon */
};

struct linear_slope {
	double slope;	  /* sum of product * prox */
	double curvature; /* sum of product^2 where prox is strictly inside */
};

struct linear_change {
	int64_t n;	/* rows whose prox changed */
	double sum;	/* of prox */
	double norm2;	/* of prox - beta */
	double largest; /* |prox - beta| */
};

/* linear_is_inside() - is the derivative of prox 1 there, not 0? */
static inline int linear_is_inside(double prox, double lower, double upper)
{
	return prox > lower && prox < upper && prox != 0;
}

/* linear_slope_at() - of the function of t that a line search minimises, the part of the rows */
void linear_slope_at(const struct linear_arrays *a, int64_t first, int64_t last, double t,
		     struct linear_slope *slope);

/*
 * linear_update_prox() - prox at t = 0
 *
 * The rows that changed are noted: changed[0 .. n - 1], and what they were before in 'old'.
 */
void linear_update_prox(const struct linear_arrays *a, int64_t first, int64_t last,
			int64_t *changed, double *old, struct linear_change *change);

/* Sums over multipliers that solve the problem, more or less. */
struct linear_state {
	double up, down; /* largest gain by raising a beta, least loss by lowering one;
				 * -inf and inf where no beta may move */
	double linear;	 /* sum of target beta - epsilon |beta| */
	double loss;	 /* sum of C_i max(0, |residual - b| - epsilon), one side only for C-SVC */
};

/*
 * linear_measure() - of 'beta', whose residuals are target - f, b being the bias
 *
 * 'residual' may have any constant added that b has as well.
 */
void linear_measure(const struct linear_arrays *a, const double *beta, const double *residual,
		    double b, double epsilon, struct linear_state *state);

/*
 * linear_list_free() - the rows in [first, last) that linear_is_inside() by their prox
 *
 * Into 'list', which has room for all; returns how many.
 */
int64_t linear_list_free(const double *prox, const double *lower, const double *upper,
			 int64_t first, int64_t last, int64_t *list);

/* linear_multiply() - out[k] = x_list[k].w + b for first <= k < last; 'list' NULL: x_k */
void linear_multiply(const struct linear_rows *x, const int64_t *list, int64_t first, int64_t last,
		     const double *w, double b, double *out);

/* linear_accumulate() - w += sum_k c[k] x_list[k] for first <= k < last; likewise */
void linear_accumulate(const struct linear_rows *x, const int64_t *list, int64_t first,
		       int64_t last, const double *c, double *w);

#endif
