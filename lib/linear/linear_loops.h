/*
 * linear_loops.h - the loops of the linear engine, vectorised
 *
 * Arrays are aligned to 64 bytes and padded to a multiple of LINEAR_LANES; the padding has
 * lower = upper = 0 and all else 0.  Ranges [first, last) are of whole groups of lanes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "linear/linear_rows.h"

#define LINEAR_LANES 8

/* Target, bounds and weight of each row, padded. */
struct linear_terms {
	double *target, *lower, *upper;
	double *weight; /* C_i / c_max, with squared losses and several C; NULL: 1 for all */
};

/* Arrays that the proximal points prox_i(beta_i + sigma (residual_i - t product_i)) depend on. */
struct linear_arrays {
	int64_t n;		 /* number of rows, padded to a multiple of LINEAR_LANES */
	const double *beta;	 /* multipliers, the centres of the proximal terms */
	const double *residual;	 /* residuals target - f - b */
	const double *product;	 /* change of f + b by a step of length 1 */
	struct linear_terms row; /* its weight is that of sigma and of the threshold */
	double *prox;
	double sigma, threshold; /* weight sigma of the proximal terms; threshold = sigma epsilon */
};

/* Sums over a range of rows, of the function that a line search minimises. */
struct linear_slope {
	double slope;	  /* slope: sum of product times prox */
	double curvature; /* curvature: sum of weight product^2 where prox is strictly inside */
};

/* Sums over a range of rows, after prox was computed for them. */
struct linear_change {
	int64_t n;	/* number of rows whose prox changed */
	double sum;	/* sum of prox */
	double norm2;	/* squared norm |prox - beta|^2 */
	double largest; /* largest |prox - beta| */
};

/*
 * linear_is_inside() - does prox follow the residual here, as it does between its bounds and off 0?
 */
static inline int linear_is_inside(double prox, double lower, double upper)
{
	return prox > lower && prox < upper && prox != 0;
}

/*
 * linear_slope_at() - the sums of linear_slope over rows first .. last - 1, at a step of length t
 */
HOT_LOOP(void, linear_slope_at,
	 (const struct linear_arrays *a, int64_t first, int64_t last, double t,
	  struct linear_slope *slope),
	 (a, first, last, t, slope))

/*
 * linear_update_prox() - compute the prox of rows first .. last - 1 at t = 0
 *
 * The rows whose prox changed are listed in changed[0 .. change->n - 1], and their prox before in
 * 'old'. Both have room for last - first numbers.
 */
HOT_LOOP(void, linear_update_prox,
	 (const struct linear_arrays *a, int64_t first, int64_t last, int64_t *changed, double *old,
	  struct linear_change *change),
	 (a, first, last, changed, old, change))

/* Measures of how far multipliers are from the solution. */
struct linear_state {
	/*
	 * largest gain by raising a beta and least loss by lowering one; -inf and inf where no beta
	 * may move
	 */
	double up, down;
	double linear; /* linear part of the dual: sum of target beta - epsilon |beta| */
	/* loss: sum of C_i max(0, |residual - b| - epsilon), one side only for C-SVC */
	double loss;
};

/*
 * linear_measure() - the state of 'beta' with the bias b, where 'residual' is target - f
 *
 * A constant may be missing from both 'residual' and b: the state is the same, up and down apart,
 * whose difference is.  Of 'a' the target, the bounds and n are read.
 */
HOT_LOOP(void, linear_measure,
	 (const struct linear_arrays *a, const double *beta, const double *residual, double b,
	  double epsilon, struct linear_state *state),
	 (a, beta, residual, b, epsilon, state))

/*
 * linear_list_free() - list the rows that linear_is_inside() by their prox, of n with the padding
 *
 * 'list' has room for n numbers; returns how many are listed.
 */
HOT_LOOP(int64_t, linear_list_free,
	 (const struct linear_terms *row, const double *prox, int64_t n, int64_t *list),
	 (row, prox, n, list))

/* linear_multiply() - out[k] = x_list[k].w + b for first <= k < last; 'list' NULL: x_k */
HOT_LOOP(void, linear_multiply,
	 (const struct linear_rows *x, const int64_t *list, int64_t first, int64_t last,
	  const double *w, double b, double *out),
	 (x, list, first, last, w, b, out))

/* linear_accumulate() - w += sum_k c[k] x_list[k] for first <= k < last; 'list' NULL: x_k */
HOT_LOOP(void, linear_accumulate,
	 (const struct linear_rows *x, const int64_t *list, int64_t first, int64_t last,
	  const double *c, double *w),
	 (x, list, first, last, c, w))
