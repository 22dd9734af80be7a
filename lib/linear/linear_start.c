/*
 * linear_start.c - where the linear engine begins
 *
 * C-SVC and epsilon-SVR begin at beta = 0 and w = 0.  The machines of nu cannot, as their
 * multipliers have sums: all multipliers of a side are the same part of their bounds,
 *
 *     beta_i = share bound_i,   share = S / sum of the bounds of the side                       (1)
 *
 * and w is sum beta x, which is right but for how much further some rows are out than others.  At
 * the solution the rows above the threshold b (on the second side below it) are at their bounds.
 * So b is where that share of the rows is above it.  (2)
 *
 * How far rows are from b at this start is the unit of their decision values, which C-SVC has in
 * its margin and a regression in its targets.  Where it is below 1 eps is that much less; and again
 * less where multipliers within it still leave a gap (linear_tighten()).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/order.h"
#include "linear/linear_work.h"

/* The median of x, the upper of two where n is even; sorts x. */
static double median(double *x, int64_t n)
{
	qsort(x, (size_t)n, sizeof(*x), order_doubles);
	return x[n / 2];
}

/*
 * Where b starts and how large residuals are at w = 0.  For C-SVC 0 and 1; for regression the
 * median of the targets and their median distance from it.  (Coordinate descent, where it comes
 * first, begins at b = 0 and sets b itself.)
 */
static int find_start(const struct linear_task *t, double *b, double *residual, struct error *err)
{
	double *number;

	if (t->p->type == MACHINE_C_SVC)
		return 0;
	/* median() sorts, so it gets a copy */
	number = mem_copy(t->row.target, t->n, sizeof(*number), err);
	if (!number)
		return -1;
	*b = median(number, t->n);
	for (int64_t i = 0; i < t->n; i++)
		number[i] = fabs(t->row.target[i] - *b);
	*residual = median(number, t->n);
	/* a median distance of 0 is no unit: half of the targets are equal, and 1 is taken */
	if (!(*residual > 0))
		*residual = 1;
	mem_free(number);
	return 0;
}

/*
 * Set shares of the bounds, (1), so that the sums are those wanted; 'share' has one of each side.
 */
static void set_shares(struct linear_run *s, double *share)
{
	const struct linear_task *t = &s->task;
	double bounds[2] = { 0, 0 };

	/* a row of a machine of nu has one bound of 0, so that the sum is its other bound */
	for (int64_t i = 0; i < t->n; i++)
		bounds[linear_side(t, i)] += t->row.upper[i] + t->row.lower[i];
	/* a share of 1 puts all multipliers of the side at their bounds */
	for (int side = 0; side < 2; side++)
		share[side] = bounds[side] != 0 ? fmin(t->sides.sum[side] / bounds[side], 1) : 0;
	for (int64_t i = 0; i < t->n; i++)
		s->at.beta[i] = s->at.prox[i] =
			share[linear_side(t, i)] * (t->row.upper[i] + t->row.lower[i]);
}

/*
 * Quantile (2) of the residuals of a side without b.  'number' is scratch memory for as many
 * numbers as rows.
 */
static double quantile(const struct linear_run *s, int side, double share, double *number)
{
	const struct linear_task *t = &s->task;
	int64_t n = 0, place;

	for (int64_t i = 0; i < t->n; i++)
		if (linear_side(t, i) == side)
			number[n++] = s->at.residual[i];
	if (n == 0)
		return 0;
	qsort(number, (size_t)n, sizeof(*number), order_doubles);
	place = int64_min((int64_t)(share * (double)n), n - 1);
	/* the first side counts from its largest residual, the second from its smallest */
	return number[side == 0 ? n - 1 - place : place];
}

/* Start a machine of nu; 'residual' becomes how far the median row is from its b. */
static int start_evenly(struct linear_run *s, double *residual, struct error *err)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;
	double *number = mem_array(t->n, sizeof(*number), err), share[2];
	const double none[2] = { 0, 0 };

	if (!number)
		return -1;
	set_shares(s, share);
	/* weights w by (1), with the offset of centred columns */
	linear_plain_sum(t, at->beta, at->w);
	linear_residuals(t, at->w, none, at->residual);
	/* constant b by (2) for each side, from the residuals without b */
	for (int side = 0; side < t->sides.n; side++)
		at->b[side] = at->centre_b[side] = quantile(s, side, share[side], number);
	for (int64_t i = 0; i < t->n; i++)
		number[i] = fabs(at->residual[i] - at->b[linear_side(t, i)]);
	*residual = median(number, t->n);
	if (!(*residual > 0)) /* half of the rows are equal: their median distance is no unit */
		for (int64_t i = 0; i < t->n; i++)
			*residual += number[i] / (double)t->n;
	if (!(*residual > 0))
		*residual = 1;
	mem_free(number);
	return 0;
}

double linear_scale(const struct linear_run *s, double residual)
{
	if (!s->task.sides.fixes_sums)
		return residual;
	return fmin(sum_of_sizes(s->at.residual, s->task.n) / (double)s->task.n, residual);
}

/* Relative gap below which multipliers are good enough: that of the models of all machines. */
#define SURE_GAP 1e-3

/*
 * Factor by which linear_tighten() lowers eps, and least share of the first eps: doubles have six
 * digits more.
 */
#define NARROWER 0.1
#define NARROWEST 1e-7

bool linear_tighten(struct linear_run *s)
{
	struct linear_task *t = &s->task;

	if (!t->sides.fixes_sums || s->best.gap <= SURE_GAP ||
	    t->eps <= NARROWEST * t->o->eps * fmin(1, s->at.scale))
		return false;
	t->eps *= NARROWER;
	return true;
}

int linear_start(struct linear_run *s, double *residual, double *violation, struct error *err)
{
	*residual = s->at.scale = 1;
	if (s->task.sides.fixes_sums) {
		if (start_evenly(s, residual, err) < 0)
			return -1;
		s->at.scale = *residual;
		s->task.eps *= fmin(1, s->at.scale);
		return linear_judge_plain(s, violation, err);
	}
	if (find_start(&s->task, s->at.b, residual, err) < 0)
		return -1;
	*violation = linear_judge_zero(s);
	return 0;
}
