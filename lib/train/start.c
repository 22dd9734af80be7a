/*
 * start.c - the multipliers of a model as those that training begins with
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/start.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"

/* Halvings of an interval of factors: to the last bit of a double. */
#define HALVINGS 60

int start_init(struct start *start, const struct solution *s, int64_t n_rows, struct error *err)
{
	*start = (struct start){ s, mem_array(n_rows, sizeof(*start->vector_of_row), err) };
	if (!start->vector_of_row)
		return -1;
	for (int64_t i = 0; i < n_rows; i++)
		start->vector_of_row[i] = -1;
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

/* The number of the model's class with the label, or -1. */
static int class_of(const struct solution *s, int label)
{
	for (int c = 0; c < s->n_class; c++)
		if (s->label[c] == label)
			return c;
	return -1;
}

/* The row of coefficients of the vectors of class 'own' against class 'other'; see expansion.h. */
static int coefficient_row(int own, int other)
{
	return other < own ? other : other - 1;
}

/*
 * Coefficients of a classification have the sign of the class in the model's own order, which may
 * not be that of the problem.  The target tells.
 */
static void take_coefficients(const struct start *start, struct start_pair pair,
			      const struct problem_view *p, double *beta)
{
	const struct solution *s = start->s;
	int a = s->label ? class_of(s, pair.label_a) : 0,
	    b = s->label ? class_of(s, pair.label_b) : 0;
	bool known = a >= 0 && b >= 0;

	for (int64_t i = 0; i < p->n; i++) {
		int64_t j = start->vector_of_row[p->row[i]];
		bool of_a = p->target[i] > 0;

		beta[i] = 0;
		if (j < 0 || !known)
			continue;
		if (s->label)
			j += s->n_sv * (of_a ? coefficient_row(a, b) : coefficient_row(b, a));
		beta[i] = s->label ? copysign(s->coef[j], p->target[i]) : s->coef[j];
	}
}

/* Sums of the multipliers of one sign, before they are cut at their bounds. */
struct start_side {
	double sign, largest, bound;
};

static struct start_side side_of(const struct problem_view *p, const double *beta, double sign)
{
	struct start_side side = { .sign = sign };

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] * sign > 0) {
			side.largest = fmax(side.largest, fabs(beta[i]));
			side.bound = fmax(side.bound, problem_bound(p, i));
		}
	return side;
}

/* The sum of the side's multipliers if they are multiplied by 'factor' and then cut. */
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
	double high = 1, low = side->largest > side->bound ? side->bound / side->largest : 1;

	if (cut_sum(p, beta, side, low) >= wanted)
		return low;
	for (int k = 0; k < HALVINGS; k++) {
		double middle = low + (high - low) / 2;

		if (cut_sum(p, beta, side, middle) < wanted)
			low = middle;
		else
			high = middle;
	}
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
	int larger = sum[0] < sum[1];
	double factor = find_factor(p, beta, &side[larger], sum[!larger]);

	for (int64_t i = 0; i < p->n; i++) {
		double size = fabs(beta[i]) * (beta[i] * side[larger].sign > 0 ? factor : 1);

		beta[i] = copysign(fmin(size, problem_bound(p, i)), beta[i]);
	}
}

static bool is_free(const struct problem_view *p, const double *beta, int64_t i)
{
	return fabs(beta[i]) < problem_bound(p, i);
}

/* Sums of all multipliers and of the free ones with the sign of 'side', or of all for 0. */
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
	double factor = fabs(sum) > fabs(excess) ? 1 - excess / sum : 0;

	for (int64_t i = 0; i < p->n; i++)
		if (beta[i] * excess > 0 && is_free(p, beta, i))
			beta[i] *= factor;
}

/* A sum that is at most this share of the sum of all sizes is rounding. */
#define ROUNDING 1e-14

/* The last multipliers of the sign of 'excess' lose it, unless it is rounding. */
static void take_away(const struct problem_view *p, double excess, double *beta)
{
	double all = sum_of(p, beta, 1, false) - sum_of(p, beta, -1, false);

	if (fabs(excess) <= ROUNDING * all)
		return;
	for (int64_t i = p->n; i-- > 0 && excess != 0;) {
		double taken = fabs(beta[i]) <= fabs(excess) ? beta[i] : excess;

		if (beta[i] * excess <= 0)
			continue;
		beta[i] -= taken;
		excess -= taken;
	}
}

int64_t start_multipliers(const struct start *start, struct start_pair pair,
			  const struct problem_view *p, double *beta)
{
	int64_t n = 0;

	take_coefficients(start, pair, p, beta);
	cut(p, beta);
	shrink_free(p, sum_of(p, beta, 0, false), beta);
	take_away(p, sum_of(p, beta, 0, false), beta);
	for (int64_t i = 0; i < p->n; i++)
		n += beta[i] != 0;
	return n;
}
