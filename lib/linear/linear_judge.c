/*
 * linear_judge.c - multipliers made feasible, and judged
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

/* Make 'trial' feasible; returns how many of it are free, and these are in s->list. */
static int64_t repair(struct linear_work *s)
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

/* rho = -b: the mean over free multipliers, or the middle of what the others allow. */
static double find_rho(const struct linear_work *s, double up, double down)
{
	double sum = 0;
	int64_t n_free = 0;

	for (int64_t i = 0; i < s->n; i++) {
		double beta = s->trial[i], epsilon = s->p->epsilon;

		if (!linear_is_inside(beta, s->lower[i], s->upper[i]))
			continue;
		sum += s->trial_residual[i] - (beta > 0 ? epsilon : -epsilon);
		n_free++;
	}
	if (n_free > 0)
		return -sum / (double)n_free;
	if (isinf(up) || isinf(down))
		return isinf(up) && isinf(down) ? 0 : isinf(up) ? -down : -up;
	return -(up + down) / 2;
}

/*
 * Of 'trial' with its residuals and w.  What satisfies the tolerance is better
 * than what does not, and then the gap counts.
 */
static double judge_trial(struct linear_work *s)
{
	struct linear_arrays a = linear_arrays_of(s);
	struct linear_state state;
	double rho, dual, primal, violation, gap, norm2, offset = 0;

	linear_measure(&a, s->trial, s->trial_residual, 0, s->p->epsilon, &state);
	rho = find_rho(s, state.up, state.down);
	linear_measure(&a, s->trial, s->trial_residual, -rho, s->p->epsilon, &state);
	norm2 = linear_norm2(s->trial_w, s->d);
	for (int64_t j = 0; j < s->d; j++)
		offset += s->x.centre[j] * s->trial_w[j];
	dual = state.linear - norm2 / 2;
	primal = state.loss + norm2 / 2;
	violation = state.up - state.down;
	if (!isfinite(dual))
		return INFINITY;
	gap = primal > 0 ? (primal - dual) / primal : 0;
	if ((violation <= s->o->eps && s->best_violation > s->o->eps) ||
	    ((violation <= s->o->eps || s->best_violation > s->o->eps) && gap < s->best_gap)) {
		s->best_gap = gap;
		s->best_violation = violation;
		s->best_rho = rho + offset;
		for (int64_t i = 0; i < s->n; i++) {
			s->best_beta[s->x.order[i]] = s->trial[i];
			s->best_f[s->x.order[i]] = s->target[i] - s->trial_residual[i] + offset;
		}
	}
	return violation;
}

double linear_judge_zero(struct linear_work *s)
{
	memset(s->trial, 0, (size_t)s->n * sizeof(*s->trial));
	memcpy(s->trial_residual, s->target, (size_t)s->n * sizeof(*s->target));
	memset(s->trial_w, 0, (size_t)s->d * sizeof(*s->trial_w));
	return judge_trial(s);
}

static int measure_trial(struct linear_work *s, double *violation, struct error *err)
{
	if (linear_rows_sum(&s->x, s->trial, LINEAR_SUM_ERROR * s->o->eps, s->trial_w, err) < 0)
		return -1;
	linear_rows_times(&s->x, NULL, s->n, s->trial_w, 0, s->trial_residual);
	for (int64_t i = 0; i < s->n; i++)
		s->trial_residual[i] = s->target[i] - s->trial_residual[i];
	*violation = judge_trial(s);
	return 0;
}

int linear_judge(struct linear_work *s, double *violation, struct error *err)
{
	int64_t n_free;

	memcpy(s->trial, s->prox, (size_t)s->n * sizeof(*s->trial));
	n_free = repair(s);
	if (measure_trial(s, violation, err) < 0)
		return -1;
	if (*violation <= s->o->eps)
		return 0;
	if (linear_polish(s, n_free, err) < 0)
		return -1;
	repair(s);
	return measure_trial(s, violation, err);
}
