/*
 * start.c - the multipliers of a model as those of the problems of data: to begin with, or to certify
 *
 * How this works.  The steps, each of which leaves multipliers inside their bounds from (2) on:
 *
 *     (1)  beta_i = the model's coefficient of row i in the decision function of both labels
 *     (2)  the side with the larger sum is multiplied by a factor t and cut at its bounds C_i,
 *
 *              sum_i min(t |beta_i|, C_i) = sum of the other side, cut
 *
 *          whose left side grows with t: bisection finds t in 60 halvings, O(n) each
 *     (3)  what is left of the sum is taken off the free multipliers of its sign by a factor
 *     (4)  and what is left then off single multipliers, the last examples first
 *
 * The sum of all multipliers is 0 afterwards, but for rounding.  (2) comes before (3) since a model
 * of a larger C has most multipliers at its C: they go to the new C together, and the free ones
 * keep their proportions, which (3) alone would not do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/start.h"

#include "problem/classes.h"

/* Halvings of an interval of factors, which reach the last bit of a double. */
#define HALVINGS 60

int start_init(struct start *start, const struct solution *s, int64_t n_rows, struct error *err)
{
	*start = (struct start){ s, mem_array(n_rows, sizeof(*start->vector_of_row), err) };
	if (!start->vector_of_row)
		return -1;
	/* -1: the row is no support vector of the model */
	for (int64_t i = 0; i < n_rows; i++)
		start->vector_of_row[i] = -1;
	/* vectors of rows that the data do not have are left out */
	for (int64_t j = 0; j < s->n_sv; j++)
		if (s->sv_row[j] >= 0 && s->sv_row[j] < n_rows)
			start->vector_of_row[s->sv_row[j]] = j;
	return 0;
}

void start_free(struct start *start)
{
	mem_free(start->vector_of_row);
	*start = (struct start){ 0 };
}

int start_class(const struct start *start, int label)
{
	const struct solution *s = start->s;

	return s->label ? label_find(s->label, s->n_class, label) : 0;
}

/*
 * Coefficients of a classification have the sign of the class in the model's own order, which may
 * not be that of the problem.  The target tells.
 */
void start_coefficients(const struct start *start, int a, int b, const struct problem_view *p,
			double *beta)
{
	const struct solution *s = start->s;

	for (int64_t i = 0; i < p->n; i++) {
		int64_t j = start->vector_of_row[p->row[i]];
		bool of_a = p->target[i] > 0;

		beta[i] = 0;
		/*
		 * rows that are no support vectors, or whose class the model lacks, have multiplier
		 * 0
		 */
		if (j < 0 || a < 0 || b < 0)
			continue;
		/* each row of coefficients has n_sv numbers; a regression has a single one */
		if (s->label)
			j += s->n_sv * (of_a ? solution_slot(a, b) : solution_slot(b, a));
		beta[i] = s->label ? copysign(s->coef[j], p->target[i]) : s->coef[j];
	}
}

/* The multipliers of one sign: the largest of them, and the largest of their bounds. */
struct start_side {
	double sign, largest, bound;
};

/* Find the largest multiplier of one sign, and the largest bound that one of them may have. */
static struct start_side side_of(const struct problem_view *p, const double *beta, double sign)
{
	struct start_side side = { .sign = sign };

	for (int64_t i = 0; i < p->n; i++)
		/* the largest multiplier of the side, and the largest bound */
		if (beta[i] * sign > 0) {
			side.largest = fmax(side.largest, fabs(beta[i]));
			side.bound = fmax(side.bound, problem_bound(p, i));
		}
	return side;
}

/* Sum of one side's multipliers after multiplying by 'factor' and cutting at the bounds. */
static double cut_sum(const struct problem_view *p, const double *beta,
		      const struct start_side *side, double factor)
{
	double sum = 0;

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] * side->sign > 0)
			sum += fmin(factor * fabs(beta[i]), problem_bound(p, i));
	return sum;
}

/*
 * The factor for which the side's sum is 'wanted', but none so small that multipliers at the bound
 * of a larger C would be below the new one.
 */
static double find_factor(const struct problem_view *p, const double *beta,
			  const struct start_side *side, double wanted)
{
	/* t between the factor at which the largest multiplier meets the largest bound, and 1 */
	double high = 1, low = side->largest > side->bound ? side->bound / side->largest : 1;

	/* smaller factors would lower multipliers that were at their bound */
	if (cut_sum(p, beta, side, low) >= wanted)
		return low;
	for (int k = 0; k < HALVINGS; k++) {
		double middle = low + (high - low) / 2;

		if (cut_sum(p, beta, side, middle) < wanted)
			low = middle;
		else
			high = middle;
	}
	/* 'high' is the end whose sum is at least the one wanted */
	return high;
}

/*
 * Cut at the bounds, so that no sign weighs more than it must.  A side that was cut less weighs
 * more than the other; made smaller before, and then cut, it loses its least multipliers' size
 * first, while those at the bound of a larger C come to the new one.
 */
static void cut(const struct problem_view *p, double *beta)
{
	struct start_side side[2] = { side_of(p, beta, 1), side_of(p, beta, -1) };
	double sum[2] = { cut_sum(p, beta, &side[0], 1), cut_sum(p, beta, &side[1], 1) };
	/* the side whose sum, cut at the new bounds, is the larger one */
	int larger = sum[0] < sum[1];
	double factor = find_factor(p, beta, &side[larger], sum[!larger]);

	for (int64_t i = 0; i < p->n; i++) {
		/* multipliers of the other side are cut, not multiplied */
		double size = fabs(beta[i]) * (beta[i] * side[larger].sign > 0 ? factor : 1);
		double bound = problem_bound(p, i);

		/* one that is below its bound by rounding is at it, and not free */
		beta[i] = copysign(size >= bound * (1 - 4 * DBL_EPSILON) ? bound : size, beta[i]);
	}
}

static bool is_free(const struct problem_view *p, const double *beta, int64_t i)
{
	return fabs(beta[i]) < problem_bound(p, i);
}

/* Sum of the multipliers, or of the free ones alone, with the sign of 'side'; 0: of both signs. */
static double sum_of(const struct problem_view *p, const double *beta, double side, bool free_alone)
{
	double sum = 0;

	for (int64_t i = 0; i < p->n; i++)
		if ((side == 0 || beta[i] * side > 0) && (!free_alone || is_free(p, beta, i)))
			sum += beta[i];
	return sum;
}

/*
 * Free multipliers of the sign of 'excess' become smaller by a factor, together by 'excess' at
 * most.
 */
static void shrink_free(const struct problem_view *p, double excess, double *beta)
{
	double sum = sum_of(p, beta, excess, true);
	/* factor 0 where the free multipliers are not enough */
	double factor = fabs(sum) > fabs(excess) ? 1 - excess / sum : 0;

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] * excess > 0 && is_free(p, beta, i))
			beta[i] *= factor;
}

/* Share of the sum of all sizes up to which a sum is rounding. */
#define ROUNDED_SUM 1e-14

/* Step (4): take 'excess' off the last multipliers of its sign, unless it is rounding. */
static void take_away(const struct problem_view *p, double excess, double *beta)
{
	double all = sum_of(p, beta, 1, false) - sum_of(p, beta, -1, false);

	/* what rounding has left is not worth a multiplier of an example */
	if (fabs(excess) <= ROUNDED_SUM * all)
		return;
	for (int64_t i = p->n; i-- > 0 && excess != 0;) {
		/* the multiplier loses all of its size, or as much as makes the sum 0 */
		double taken = fabs(beta[i]) <= fabs(excess) ? beta[i] : excess;

		if (beta[i] * excess <= 0)
			continue;
		beta[i] -= taken;
		excess -= taken;
	}
}

/* each sum is computed anew, as the step before has changed multipliers */
void start_make_feasible(const struct problem_view *p, double *beta)
{
	cut(p, beta);
	shrink_free(p, sum_of(p, beta, 0, false), beta);
	take_away(p, sum_of(p, beta, 0, false), beta);
}
