/*
 * linear_judge.c - how good multipliers are, and the best so far
 *
 * An outer step ends with w, b and proximal points 'prox' that agree only as far as its Newton
 * method went: sum prox is not 0, and w is not sum prox_i x_i.  What the caller gets must be
 * feasible, with f from the multipliers alone.  So a copy, the trial, is
 *
 *     1. repaired: inside its bounds, sum 0 (linear_repair.c)
 *     2. measured: w = sum trial_i x_i, f = X w, rho, then
 *
 *            violation = max up - min down,   gap = (P(w, -rho) - D(trial)) / P
 *
 *     3. where the violation is above eps: polished, so that its w is that of the Newton method
 *        (linear_polish.c), repaired and measured again
 *
 * and the best trial so far is copied to the caller's beta and f, in the order of its examples.
 * A trial within eps is better than one that is not; between two of a kind the gap decides.
 *
 * rho is the mean over free multipliers, as in LIBSVM, and not the one that minimises P: where the
 * violation is small the two are nearly the same.  Columns were centred (linear_rows.h): with the
 * centre c the caller's f is f + w.c, and its rho is rho + w.c.
 *
 * Cost: two passes over the entries for each measure, more where it polishes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "linear/linear_products.h"
#include "linear/linear_work.h"

/*
 * rho = -b: the mean of -(r_i -+ epsilon) over free multipliers; where none is free the middle of
 * the interval down..up that the bounded ones leave to b, or its only finite end.
 */
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
 * The violation of 'trial', whose residuals and w are at hand; keeps it if it is the best so far.
 */
static double judge_trial(struct linear_work *s)
{
	struct linear_arrays a = linear_arrays_of(s);
	struct linear_state state;
	double rho, dual, primal, violation, gap, norm2, offset = 0;

	linear_measure(&a, s->trial, s->trial_residual, 0, s->p->epsilon, &state);
	rho = find_rho(s, state.up, state.down);
	/* again, for the loss at that rho; residuals are target - f and have no b */
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

/* w = 0, so that residuals are the targets: no pass over the entries. */
double linear_judge_zero(struct linear_work *s)
{
	memset(s->trial, 0, (size_t)s->n * sizeof(*s->trial));
	memcpy(s->trial_residual, s->target, (size_t)s->n * sizeof(*s->target));
	memset(s->trial_w, 0, (size_t)s->d * sizeof(*s->trial_w));
	return judge_trial(s);
}

/* w and residuals of 'trial' from its multipliers, and its violation. */
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
	n_free = linear_repair(s);
	if (measure_trial(s, violation, err) < 0)
		return -1;
	if (*violation <= s->o->eps)
		return 0;
	if (linear_polish(s, n_free, err) < 0)
		return -1;
	/* polished multipliers may have met their bounds, which leaves a sum */
	linear_repair(s);
	return measure_trial(s, violation, err);
}
