/*
 * linear_repair.c - multipliers made feasible
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linear/linear_work.h"

/* Nearer than this, relative to C to a bound, relative to the largest one to 0, is there. */
#define SNAP 1e-12

#define MAX_BISECTIONS 200

static double snapped(const struct linear_work *s, int64_t i, double beta, double largest)
{
	double near = SNAP * s->c_max;

	if (fabs(beta) <= SNAP * largest)
		return 0;
	return s->upper[i] > 0 && beta >= s->upper[i] - near ? s->upper[i] :
	       s->lower[i] < 0 && beta <= s->lower[i] + near ? s->lower[i] :
							       beta;
}

static double largest_trial(const struct linear_work *s)
{
	double largest = 0;

	for (int64_t i = 0; i < s->n; i++)
		largest = fmax(largest, fabs(s->trial[i]));
	return largest;
}

static double clipped(const struct linear_work *s, int64_t i, double beta)
{
	return fmin(fmax(beta, s->lower[i]), s->upper[i]);
}

/* Neumaier's: the error of each addition is summed as well. */
double linear_exact_sum(const double *x, int64_t n)
{
	double sum = 0, error = 0;

	for (int64_t i = 0; i < n; i++) {
		double next = sum + x[i];

		error += fabs(sum) >= fabs(x[i]) ? (sum - next) + x[i] : (x[i] - next) + sum;
		sum = next;
	}
	return sum + error;
}

/* The sum if the n_free multipliers in s->list were all lower by 'shift', within their bounds. */
static double shifted_sum(struct linear_work *s, int64_t n_free, double shift)
{
	for (int64_t k = 0; k < n_free; k++)
		s->coef[k] =
			clipped(s, s->list[k], s->trial[s->list[k]] - shift) - s->trial[s->list[k]];
	return linear_exact_sum(s->coef, n_free);
}

/* Lower all free multipliers alike, so that 'sum' less is the sum; as far as bounds let them. */
static void shift_free(struct linear_work *s, int64_t n_free, double sum)
{
	double low = -s->c_max * 2, high = s->c_max * 2, shift = sum / (double)n_free;

	for (int k = 0; k < MAX_BISECTIONS; k++) {
		double change = shifted_sum(s, n_free, shift) + sum;

		if (change == 0)
			break;
		if (change > 0)
			low = shift;
		else
			high = shift;
		if (k == 0 && fabs(change) <= 1e-12 * fabs(sum))
			break;
		shift = (low + high) / 2;
		if (!(shift > low && shift < high))
			break;
	}
	shifted_sum(s, n_free, shift);
	for (int64_t k = 0; k < n_free; k++)
		s->trial[s->list[k]] = clipped(s, s->list[k], s->trial[s->list[k]] + s->coef[k]);
}

/* Make the larger of the two sides smaller, in proportion: always possible. */
static void shrink_side(struct linear_work *s, double sum)
{
	double side = 0;

	for (int64_t i = 0; i < s->n; i++)
		if (s->trial[i] * sum > 0)
			side += fabs(s->trial[i]);
	for (int64_t i = 0; i < s->n; i++)
		if (s->trial[i] * sum > 0)
			s->trial[i] = clipped(s, i, s->trial[i] * (1 - fabs(sum) / side));
}

/* What rounding has left of the sum goes to the multiplier with most room. */
static void settle_rest(struct linear_work *s)
{
	int64_t best = -1;
	double room = 0, sum = linear_exact_sum(s->trial, s->n);

	for (int64_t i = 0; i < s->n; i++) {
		double beta = s->trial[i], to_bound;

		if (!linear_is_inside(beta, s->lower[i], s->upper[i]))
			continue;
		to_bound = fmin(fmin(beta - s->lower[i], s->upper[i] - beta), fabs(beta));
		if (to_bound > room) {
			room = to_bound;
			best = i;
		}
	}
	if (best >= 0 && fabs(sum) < room)
		s->trial[best] -= sum;
}

int64_t linear_repair(struct linear_work *s)
{
	double sum, largest;
	int64_t n_free;

	for (int64_t i = 0; i < s->n; i++)
		s->trial[i] = clipped(s, i, s->trial[i]);
	largest = largest_trial(s);
	for (int64_t i = 0; i < s->n; i++)
		s->trial[i] = snapped(s, i, s->trial[i], largest);
	sum = linear_exact_sum(s->trial, s->n);
	n_free = linear_list_inside(s, s->trial);
	if (sum != 0 && n_free > 0) {
		shift_free(s, n_free, sum);
		sum = linear_exact_sum(s->trial, s->n);
	}
	if (fabs(sum) > 1e-10 * largest)
		shrink_side(s, sum);
	settle_rest(s);
	return linear_list_inside(s, s->trial);
}
