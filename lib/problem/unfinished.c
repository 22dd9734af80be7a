/*
 * unfinished.c - multipliers that were not optimised to the end, made as good as they can be at
 * once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/unfinished.h"

#include <math.h>

/* Most halvings of w: 2^-60 of it is below the rounding of doubles. */
#define MOST_HALVINGS 60

/* (1) */
static int judge(const struct problem_view *p, struct iterate *x, double tolerance,
		 struct certificate *c, struct error *err)
{
	double b;

	if (problem_fixes_sums(p)) {
		if (certificate_thresholds(p, x, err) < 0)
			return -1;
	} else {
		if (certificate_bias(p, x->f, &b, err) < 0)
			return -1;
		x->rho = -b;
	}
	return certificate_make(p, x, tolerance, c, err);
}

static void multiply(const struct problem_view *p, struct iterate *x, double factor)
{
	for (int64_t i = 0; i < p->n; i++) {
		x->beta[i] *= factor;
		x->f[i] *= factor;
	}
}

/* (2) */
static int halve(const struct problem_view *p, struct iterate *x, double tolerance,
		 struct certificate *c, struct error *err)
{
	double primal;
	int k = 0;

	do {
		primal = c->primal;
		multiply(p, x, 0.5);
		if (judge(p, x, tolerance, c, err) < 0)
			return -1;
	} while (c->primal < primal && ++k < MOST_HALVINGS);
	multiply(p, x, 2);
	return judge(p, x, tolerance, c, err);
}

static bool can_be_halved(const struct problem_view *p)
{
	return p->type != MACHINE_NU_SVC && p->type != MACHINE_ONE_CLASS &&
	       kernel_is_definite(&p->kernel);
}

/* The largest multiple of beta_i within its bounds; INFINITY: any.  0 if it has the wrong sign. */
static double largest_multiple(const struct problem_view *p, int64_t i, double beta)
{
	if (beta == 0)
		return INFINITY;
	return (beta > 0 ? problem_upper(p, i) : problem_lower(p, i)) / beta;
}

static bool is_within_bounds(const struct problem_view *p, const double *beta)
{
	for (int64_t i = 0; i < p->n; i++)
		if (largest_multiple(p, i, beta[i]) < 1)
			return false;
	return true;
}

/* Difference of the sums of multipliers from those of the problem, as a share of the latter. */
#define SUMS_ERROR 1e-9

static bool has_sums(const struct problem_view *p, const double *beta)
{
	double sum[2] = { 0, 0 };

	for (int64_t i = 0; i < p->n; i++)
		sum[beta[i] < 0] += fabs(beta[i]);
	return fabs(sum[0] - p->sum_plus) <= SUMS_ERROR * p->sum_plus &&
	       fabs(sum[1] - p->sum_minus) <= SUMS_ERROR * p->sum_plus;
}

/* (3) */
static double feasible_dual(const struct problem_view *p, const struct iterate *x)
{
	double square = 0, linear = 0, limit = INFINITY;

	for (int64_t i = 0; i < p->n; i++) {
		double beta = x->beta[i];

		square += beta * x->f[i] + problem_softness(p, i) * beta * beta;
		linear += p->target[i] * beta - p->epsilon * fabs(beta);
		limit = fmin(limit, largest_multiple(p, i, beta));
	}
	if (square > 0)
		limit = fmin(limit, linear / square);
	return linear > 0 && isfinite(limit) ? limit * linear - limit * limit * square / 2 : 0;
}

int unfinished_certify(const struct problem_view *p, struct iterate *x, double tolerance,
		       struct certificate *c, struct error *err)
{
	if (judge(p, x, tolerance, c, err) < 0 ||
	    (can_be_halved(p) && halve(p, x, tolerance, c, err) < 0))
		return -1;
	if (!problem_fixes_sums(p))
		c->dual = feasible_dual(p, x);
	else if (!is_within_bounds(p, x->beta) || !has_sums(p, x->beta))
		c->dual = -INFINITY;
	return 0;
}
