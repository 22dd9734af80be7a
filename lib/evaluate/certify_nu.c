/*
 * certify_nu.c - what a model of nu-SVC, nu-SVR or one-class leaves out, for certify.h
 *
 * How this works.  The machines of nu fix sums of multipliers (problem.h), so the sums of a model
 * say which nu it was trained with, for n rows, or rows whose weights have the sum n:
 *
 *     one-class   sum beta = nu n                                               (1)
 *     nu-SVR      sum |beta| = C nu n, or less where no tube is best            (2)
 *     nu-SVC      The file has beta / r, for an r that it does not tell.  The sum over one class is
 *                 nu n / 2, which gives r; then no beta may be above 1 (or its weight), and where several are
 *                 bounded they are exactly 1.  With a wrong nu they are nu / (true nu).     (3)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify_nu.h"

#include <math.h>

/* Largest violation of training's own problem, in eps, that is no doubt: see certify_model.c. */
#define BEYOND 10

bool certify_nu_feasible(const struct problem_view *p, double nu)
{
	return p->sum_plus >= nu * problem_weight(p) / 2 * (1 - CERTIFY_ROUNDING);
}

/* Sum up the multipliers above 0, and the sizes of those below 0. */
static void sum_sides(const struct problem_view *p, const double *beta, double *plus, double *minus)
{
	*plus = *minus = 0;
	for (int64_t i = 0; i < p->n; i++)
		*(beta[i] > 0 ? plus : minus) += fabs(beta[i]);
}

/* Does nu-SVR's solution use up less than the sums that nu allows, by more than rounding? */
static bool leaves_slack(const struct problem_view *p, const double *beta)
{
	double plus, minus;

	sum_sides(p, beta, &plus, &minus);
	return plus + minus < (p->sum_plus + p->sum_minus) * (1 - CERTIFY_ROUNDING);
}

/* Middle of two bounds on a threshold; the finite one if the other is infinite, or NAN. */
static double middle(double low, double high)
{
	if (isinf(low) || isinf(high))
		return isinf(low) && isinf(high) ? NAN : isinf(low) ? high : low;
	return (low + high) / 2;
}

void certify_nu_thresholds(const struct problem_view *p, struct iterate *x)
{
	double low[2] = { -INFINITY, -INFINITY }, high[2] = { INFINITY, INFINITY }, half;

	/*
	 * beta < U: u <= th_plus; beta > 0: u >= th_plus.  beta > -L: u >= th_minus; beta < 0: <=
	 */
	for (int64_t i = 0; i < p->n; i++) {
		double u = problem_linear(p, i) - x->f[i], beta = x->beta[i];

		if (beta >= 0 && beta < problem_upper(p, i))
			low[1] = fmax(low[1], u);
		if (beta > 0)
			high[1] = fmin(high[1], u);
		if (beta <= 0 && beta > problem_lower(p, i))
			high[0] = fmin(high[0], u);
		if (beta < 0)
			low[0] = fmax(low[0], u);
	}
	half = (middle(low[1], high[1]) - middle(low[0], high[0])) / 2;
	x->epsilon = half > 0 && !leaves_slack(p, x->beta) ? half : 0;
}

/* Steps (1) and (2): share of the sums asked for that the multipliers have. */
static double share_of_sums(const struct problem_view *p, const double *beta)
{
	double plus, minus;

	sum_sides(p, beta, &plus, &minus);
	return (plus + minus) / (p->sum_plus + p->sum_minus);
}

void certify_nu_examine(const struct problem_view *p, const struct iterate *x, double nu,
			double eps, struct pair_certificate *c)
{
	double share = share_of_sums(p, x->beta);
	bool violates = !(c->kkt_violation <= BEYOND * eps);

	if (p->type == MACHINE_NU_SVC) {
		bool several = c->largest_share < 1 - CERTIFY_ROUNDING && c->n_at_largest > 1;

		/* step (3): an infeasible solution, or one that violates, shows no nu of its own */
		if (c->excess > CERTIFY_ROUNDING || (several && violates))
			c->shown_nu = nu / c->largest_share;
		return;
	}
	c->sum_excess = p->type == MACHINE_ONE_CLASS ? fabs(share - 1) : fmax(share - 1, 0);
	if (c->sum_excess > CERTIFY_ROUNDING || (violates && share < 1 - CERTIFY_ROUNDING))
		c->shown_nu = nu * share;
}
