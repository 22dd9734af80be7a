/*
 * unfinished.c - multipliers that were not optimised to the end, made as good as they can be at
 * once
 *
 * How this works.  An engine that ends early, or one that trained on a sample, leaves beta and its
 * decision values f = K beta (offsets aside).  Everything here needs these two arrays alone and
 * computes no kernel value: f is linear in beta, so t beta has the values t f.  The numbers are
 * those of the header:
 *
 *  (1) choose_constant() for beta as it is
 *  (2) halve()          beta, beta / 2, beta / 4, ... while the primal falls; the primal is convex
 *                       in the factor, so the first that is no better ends the search, and is
 *                       taken back
 *  (3) feasible_dual()  D(t beta) = t linear - t^2 square / 2 is a parabola with its top at
 *                       t = linear / square; the bounds cut t to at most 'limit', up to which D
 *                       rises, so the best feasible t is the smaller of the two
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/unfinished.h"

/* Most halvings of w: 2^-60 of it is below the rounding of doubles. */
#define MOST_HALVINGS 60

/* Constant of least primal for the present beta and f, (1) */
static int choose_constant(const struct problem_view *p, struct iterate *x, struct error *err)
{
	double b;

	if (problem_fixes_sums(p))
		return certificate_thresholds(p, x, err);
	if (certificate_bias(p, x->f, &b, err) < 0)
		return -1;
	x->rho = -b;
	return 0;
}

/* Multiply beta and f by the factor */
static void multiply(const struct problem_view *p, struct iterate *x, double factor)
{
	for (int64_t i = 0; i < p->n; i++) {
		x->beta[i] *= factor;
		x->f[i] *= factor;
	}
}

/*
 * Primal of beta as it is.  That of its certificate may be of another multiple, one that separates
 * the classes, and is then the same for all halves.
 */
static double own_primal(const struct problem_view *p, const struct iterate *x)
{
	const struct problem_view at = problem_at(p, x);

	return certificate_primal(&at, x->beta, x->f, -x->rho);
}

/* Halve beta and f while that makes the primal less, (2); multiplying back by 2 is exact. */
static int halve(const struct problem_view *p, struct iterate *x, struct error *err)
{
	double before, primal = own_primal(p, x);
	int k = 0;

	do {
		before = primal;
		multiply(p, x, 0.5);
		if (choose_constant(p, x, err) < 0)
			return -1;
		primal = own_primal(p, x);
	} while (primal < before && ++k < MOST_HALVINGS);
	multiply(p, x, 2);
	return choose_constant(p, x, err);
}

/*
 * Largest multiple of beta_i within its bounds; INFINITY if all are; 0 if beta_i has the wrong
 * sign.
 */
static double largest_multiple(const struct problem_view *p, int64_t i, double beta)
{
	if (beta == 0)
		return INFINITY;
	return (beta > 0 ? problem_upper(p, i) : problem_lower(p, i)) / beta;
}

/*
 * Largest difference of the sums of multipliers from those of the problem, as a share of the
 * latter.
 */
#define SUMS_ERROR 1e-9

/* Do the multipliers have the sums of a machine of nu, which are limits of nu-SVR, within rounding? */
static bool has_sums(const struct problem_view *p, const double *beta)
{
	double sum[2] = { 0, 0 };

	for (int64_t i = 0; i < p->n; i++)
		sum[beta[i] < 0] += fabs(beta[i]);
	if (p->type == MACHINE_NU_SVR)
		return fmax(sum[0], sum[1]) <= (1 + SUMS_ERROR) * p->sum_plus &&
		       fabs(sum[0] - sum[1]) <= SUMS_ERROR * p->sum_plus;
	return fabs(sum[0] - p->sum_plus) <= SUMS_ERROR * p->sum_plus &&
	       fabs(sum[1] - p->sum_minus) <= SUMS_ERROR * p->sum_plus;
}

/*
 * Dual D of the best feasible multiple of beta, (3); 0, which is D at t = 0, where no other is
 * feasible.
 */
static double feasible_dual(const struct problem_view *p, const struct iterate *x)
{
	double square = 0, linear = 0, sum = 0, limit = INFINITY;

	for (int64_t i = 0; i < p->n; i++) {
		double beta = x->beta[i];

		square += beta * x->f[i] + problem_softness(p, i) * beta * beta;
		linear += p->target[i] * beta - problem_cost(p) * fabs(beta);
		sum += fabs(beta);
		limit = fmin(limit, largest_multiple(p, i, beta));
	}
	/* nu-SVR's sums are limits */
	if (p->type == MACHINE_NU_SVR && sum > 0)
		limit = fmin(limit, (p->sum_plus + p->sum_minus) / sum);
	if (square > 0)
		limit = fmin(limit, linear / square);
	return linear > 0 && isfinite(limit) ? limit * linear - limit * limit * square / 2 : 0;
}

bool unfinished_is_feasible(const struct problem_view *p, const double *beta)
{
	/* is every multiplier within its bounds, to within rounding? */
	for (int64_t i = 0; i < p->n; i++)
		if (largest_multiple(p, i, beta[i]) < 1 - 4 * DBL_EPSILON)
			return false;
	return !problem_fixes_sums(p) || has_sums(p, beta);
}

double unfinished_dual(const struct problem_view *p, const struct iterate *x)
{
	if (!problem_fixes_sums(p) || p->type == MACHINE_NU_SVR)
		return feasible_dual(p, x);
	return unfinished_is_feasible(p, x->beta) ? certificate_dual(p, x->beta, x->f) : -INFINITY;
}

int unfinished_certify(const struct problem_view *p, struct iterate *x, double tolerance,
		       struct certificate *c, struct error *err)
{
	/* the primals of nu-SVC and one-class are over all multiples: a smaller w has no lower one */
	bool can_be_halved = p->type != MACHINE_NU_SVC && p->type != MACHINE_ONE_CLASS &&
			     kernel_is_definite(&p->kernel);

	if (choose_constant(p, x, err) < 0 || (can_be_halved && halve(p, x, err) < 0) ||
	    certificate_make(p, x, tolerance, c, err) < 0)
		return -1;
	c->dual = unfinished_dual(p, x);
	return 0;
}
