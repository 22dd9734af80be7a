/*
 * linear_repair.c - multipliers made feasible
 *
 * In this order, each step leaving less to the next one:
 *
 *     1. clip     trial_i <- the nearest value in [lower_i, upper_i]
 *     2. snap     what is within SNAP of a bound or of 0 is there: support vectors and bounded
 *                 ones are counted by exact comparison
 *     3. shift    all free multipliers by the same s, clipped, where
 *
 *                     sum_i trial_i + sum_free (clip(trial_i - s) - trial_i) = 0                (1)
 *
 *                 a decreasing function of s, whose zero is found by bisection.  b enters the
 *                 proximal points of all free rows alike: a shift of them is a change of b.
 *                 Multipliers at 0 or at a bound stay there, or none would be exact any more
 *     4. shrink   where the free ones do not suffice: the side (positive or negative multipliers)
 *                 with the larger sum is multiplied by a factor that makes both equal.  Always
 *                 possible; it costs some of the dual objective
 *     5. settle   the sum that rounding has left goes to the free multiplier with most room
 *
 * The sum is a compensated one: a plain sum of 30,000 multipliers near C = 1000 would be off by
 * some 1e-9, which is 1e-12 C, as much as step 2 calls nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linear/linear_work.h"

/*
 * How near is at a bound, relative to C, and at 0, relative to the largest multiplier: well above
 * the rounding of a proximal point (1e-16) and below multipliers that matter (sums to 1e-10).
 */
#define SNAP 1e-12

/* The shift from its first guess is accepted where it leaves this part of the sum for step 5. */
#define SHIFTED 1e-12

/* A sum of multipliers that is this small beside the largest of them is left to step 5. */
#define SETTLED 1e-10

/*
 * Some 55 halvings of the interval 4 C make its ends neighbours where the shift is of the size of
 * C, and more where it is smaller; only a shift below 1e-40 C meets this limit.
 */
#define MAX_BISECTIONS 200

/* Step 2 for one multiplier; a bound of 0 is left to the test of 0. */
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

/* By Neumaier: the error of each addition is exact in doubles, and summed as well. */
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

/*
 * The second sum of (1): by how much the sum of the n_free multipliers in s->list changes if all
 * are lower by 'shift', within their bounds.  s->coef gets the change of each.
 */
static double shifted_sum(struct linear_work *s, int64_t n_free, double shift)
{
	for (int64_t k = 0; k < n_free; k++)
		s->coef[k] =
			clipped(s, s->list[k], s->trial[s->list[k]] - shift) - s->trial[s->list[k]];
	return linear_exact_sum(s->coef, n_free);
}

/*
 * Step 3: lower all free multipliers alike, so that the sum of all falls by 'sum', as far as their
 * bounds let them.  No shift is larger than the widest box, 2 C.  The first guess is the answer
 * where no bound is in the way, which is mostly so.
 */
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
		if (k == 0 && fabs(change) <= SHIFTED * fabs(sum))
			break;
		shift = (low + high) / 2;
		if (!(shift > low && shift < high))
			break;
	}
	shifted_sum(s, n_free, shift);
	for (int64_t k = 0; k < n_free; k++)
		s->trial[s->list[k]] = clipped(s, s->list[k], s->trial[s->list[k]] + s->coef[k]);
}

/* Step 4: the side that has the sign of 'sum' becomes smaller by |sum|, in proportion. */
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

/*
 * Step 5: what rounding has left of the sum goes to the free multiplier that is furthest from its
 * bounds and from 0, the kink of |beta|, if it stays free.
 */
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
	if (fabs(sum) > SETTLED * largest)
		shrink_side(s, sum);
	settle_rest(s);
	return linear_list_inside(s, s->trial);
}
