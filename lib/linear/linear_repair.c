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
 *                     sum_i trial_i + sum_free (clip(trial_i - s) - trial_i) = S                (1)
 *
 *                 a decreasing function of s, whose zero is found by bisection.  b enters the
 *                 proximal points of all free rows alike: a shift of them is a change of b.
 *                 Multipliers at 0 or at a bound stay there, or none would be exact any more
 *     4. shrink   where the free ones do not suffice: the side (positive or negative multipliers)
 *                 with the larger sum is multiplied by a factor that makes both equal.  Always
 *                 possible; it costs some of the dual objective.  Where S is given: if the side's
 *                 sum is too large its multipliers are shrunk in proportion, if too small each
 *                 grows by the same share of its way to the bound
 *     5. settle   the sum that rounding has left goes to the free multiplier with most room
 *
 * S is 0, or the sum that the problem gives; where it gives one for each of two sides, steps 3 to 5
 * are for one side after the other.
 *
 * Invariant: after step 1 every multiplier is within its bounds, and each later step clips what it
 * changes.  Steps 3 and 4 leave a sum of at most 1e-10 of the largest multiplier to step 5, which
 * subtracts it from one number: the sum is then 0, or S, to the rounding of that number.
 *
 * The sum is a compensated one: a plain sum of 30,000 multipliers near C = 1000 would be off by
 * some 1e-9, which is 1e-12 C, as much as step 2 calls nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear_work.h"

/*
 * Distance below which a multiplier counts as at a bound, relative to C, or as 0, relative to the
 * largest multiplier: well above the rounding of a proximal point (1e-16) and below multipliers
 * that matter (sums to 1e-10).
 */
#define SNAP 1e-12

/* Share of the sum that the first guess of the shift may leave to step 5. */
#define SHIFTED 1e-12

/* Sum of multipliers, relative to the largest of them, that is left to step 5. */
#define SETTLED 1e-10

/*
 * Limit of halvings: some 55 of the interval 4 C make its ends neighbours where the shift is of the
 * size of C, and more where it is smaller; only a shift below 1e-40 C meets this limit.
 */
#define MAX_BISECTIONS 200

/* The multiplier snapped to a bound or to 0, step 2; a bound of 0 is left to the test of 0. */
static double snapped(const struct linear_task *t, int64_t i, double beta, double largest)
{
	double near = SNAP * t->c_max;

	if (fabs(beta) <= SNAP * largest)
		return 0;
	return t->row.upper[i] > 0 && beta >= t->row.upper[i] - near ? t->row.upper[i] :
	       t->row.lower[i] < 0 && beta <= t->row.lower[i] + near ? t->row.lower[i] :
								       beta;
}

static double clipped(const struct linear_task *t, int64_t i, double beta)
{
	return fmin(fmax(beta, t->row.lower[i]), t->row.upper[i]);
}

/* A sum after Neumaier: the error of each addition is exact in doubles, and summed as well. */
struct exact_sum {
	double sum, error;
};

static inline void exact_sum_add(struct exact_sum *s, double x)
{
	double next = s->sum + x;

	s->error += fabs(s->sum) >= fabs(x) ? (s->sum - next) + x : (x - next) + s->sum;
	s->sum = next;
}

double linear_sum_error(const struct linear_task *t, const double *beta, int side)
{
	struct exact_sum s = { -t->sides.sum[side], 0 };

	for (int64_t i = 0; i < t->n; i++)
		if (linear_side(t, i) == side)
			exact_sum_add(&s, beta[i]);
	return s.sum + s.error;
}

/*
 * Change of the sum of the free multipliers, the second sum of (1), if all are lowered by 'shift'
 * within their bounds. trial->change gets the change of each.
 */
static double shifted_sum(const struct linear_task *t, const struct linear_trial *trial,
			  double shift)
{
	struct exact_sum s = { 0, 0 };

	for (int64_t k = 0; k < trial->n_free; k++) {
		int64_t i = trial->free[k];

		trial->change[k] = clipped(t, i, trial->beta[i] - shift) - trial->beta[i];
		exact_sum_add(&s, trial->change[k]);
	}
	return s.sum + s.error;
}

/*
 * Shift all free multipliers alike, step 3, so that their sum falls by 'sum', as far as their
 * bounds let them.  No shift is larger than the widest box, 2 C.  The first guess is the answer
 * where no bound is in the way, which is mostly so.
 */
static void shift_free(const struct linear_task *t, struct linear_trial *trial, double sum)
{
	double low = -t->c_max * 2, high = t->c_max * 2, shift = sum / (double)trial->n_free;

	/*
	 * 'change' falls with the shift: it was positive at each 'low' and negative at each 'high'
	 * but the first ones.  Where the free multipliers do not suffice the shift goes to an end.
	 */
	for (int k = 0; k < MAX_BISECTIONS; k++) {
		double change = shifted_sum(t, trial, shift) + sum;

		if (change == 0)
			break;
		if (change > 0)
			low = shift;
		else
			high = shift;
		if (k == 0 && fabs(change) <= SHIFTED * fabs(sum))
			break;
		shift = (low + high) / 2;
		/* the ends are neighbours: no double is between them */
		if (!(shift > low && shift < high))
			break;
	}
	shifted_sum(t, trial, shift);
	for (int64_t k = 0; k < trial->n_free; k++) {
		int64_t i = trial->free[k];

		/*
		 * beta + (clip(beta - s) - beta) may round to beyond the bound by a digit, so it is
		 * clipped again
		 */
		trial->beta[i] = clipped(t, i, trial->beta[i] + trial->change[k]);
	}
}

/*
 * Shrink a side, step 4: the multipliers whose sign is that of 'sum' become smaller by |sum|, in
 * proportion.
 */
static void shrink_side(const struct linear_task *t, double *beta, double sum)
{
	double side = 0;

	/* side - |sum| is the sum of the other sign, or the one given: the factor is in [0, 1] */
	for (int64_t i = 0; i < t->n; i++)
		if (beta[i] * sum > 0)
			side += fabs(beta[i]);
	for (int64_t i = 0; i < t->n; i++)
		if (beta[i] * sum > 0)
			beta[i] = clipped(t, i, beta[i] * (1 - fabs(sum) / side));
}

/*
 * Grow a side whose multipliers are too small, step 4: each goes the same share of its way to the
 * bound.
 */
static void grow_side(const struct linear_task *t, double *beta, int side, double missing)
{
	const double *bound = side == 0 ? t->row.upper : t->row.lower;
	double room = 0;

	/* |missing| <= room where the problem is feasible: each goes |missing| / room of its way */
	for (int64_t i = 0; i < t->n; i++)
		if (linear_side(t, i) == side)
			room += fabs(bound[i] - beta[i]);
	for (int64_t i = 0; i < t->n && room > 0; i++)
		if (linear_side(t, i) == side)
			beta[i] = clipped(t, i,
					  beta[i] + (bound[i] - beta[i]) * (fabs(missing) / room));
}

/*
 * Step 5: the rest of the sum goes to the free multiplier that is furthest from its bounds and from
 * 0, the kink of |beta|, if it stays free.
 */
static void settle_rest(const struct linear_task *t, double *beta, int side)
{
	int64_t best = -1;
	double room = 0, sum = linear_sum_error(t, beta, side);

	for (int64_t i = 0; i < t->n; i++) {
		/* 0, unless the multiplier is free */
		double to_bound = fmin(fmin(beta[i] - t->row.lower[i], t->row.upper[i] - beta[i]),
				       fabs(beta[i]));

		if (linear_side(t, i) == side && to_bound > room) {
			room = to_bound;
			best = i;
		}
	}
	/*
	 * strictly less than the room, so that the multiplier stays free, and support vectors are
	 * still those listed
	 */
	if (best >= 0 && fabs(sum) < room)
		beta[best] -= sum;
}

/* List the free multipliers of one side. */
static void list_free_of_side(const struct linear_task *t, struct linear_trial *trial, int side)
{
	int64_t n = 0, n_free = linear_list_free(&t->row, trial->beta, t->n_padded, trial->free);

	for (int64_t k = 0; k < n_free; k++)
		if (linear_side(t, trial->free[k]) == side)
			trial->free[n++] = trial->free[k];
	trial->n_free = n;
}

/* Repair the sum of one side, steps 3 to 5 */
static void repair_side(const struct linear_task *t, struct linear_trial *trial, int side,
			double largest)
{
	double *beta = trial->beta, sum = linear_sum_error(t, beta, side);
	/* step 4 grows a side only where S is given: a sum of 0 is always reached by shrinking */
	bool too_small = t->sides.fixes_sums && (side == 0 ? sum < 0 : sum > 0);

	/* shift the free multipliers, step 3; what their bounds leave over is 'sum' again */
	list_free_of_side(t, trial, side);
	if (sum != 0 && trial->n_free > 0) {
		shift_free(t, trial, sum);
		sum = linear_sum_error(t, beta, side);
	}
	/* step 4: the side grows, or else shrinks */
	if (fabs(sum) > SETTLED * largest && too_small)
		grow_side(t, beta, side, sum);
	else if (fabs(sum) > SETTLED * largest)
		shrink_side(t, beta, sum);
	settle_rest(t, beta, side);
}

void linear_repair(const struct linear_task *t, struct linear_trial *trial)
{
	double *beta = trial->beta, largest = 0;

	/* step 1: clip all multipliers to their bounds */
	for (int64_t i = 0; i < t->n; i++) {
		beta[i] = clipped(t, i, beta[i]);
		largest = fmax(largest, fabs(beta[i]));
	}
	/*
	 * step 2: snap, by the largest after clipping, as a proximal point may be far beyond its
	 * bound
	 */
	for (int64_t i = 0; i < t->n; i++)
		beta[i] = snapped(t, i, beta[i], largest);
	/* steps 3 to 5: repair the sum of each side */
	for (int side = 0; side < t->sides.n; side++)
		repair_side(t, trial, side, largest);
	trial->n_free = linear_list_free(&t->row, beta, t->n_padded, trial->free);
}
