/*
 * linear_finish.c - active-set steps on the free multipliers, where rounding ends the Newton method
 *
 * The proximal points carry an error of sigma times that of f, which grows with the scale of
 * the features.  Here the multipliers themselves are moved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "solve/linear_work.h"

#define MAX_STEPS 400

/* All steps together: so many multiplications in factorisations. */
#define MAX_WORK 2e9

/* prox = the multipliers being moved; from them w and residual, without b */
static int refresh_values(struct linear_work *s, struct error *err)
{
	if (linear_rows_sum(&s->x, s->prox, s->w, err) < 0)
		return -1;
	linear_rows_times(&s->x, NULL, s->n, s->w, 0, s->residual);
	for (int64_t i = 0; i < s->n; i++)
		s->residual[i] = s->target[i] - s->residual[i];
	return 0;
}

/*
 * Move the n multipliers s->list[k] by s->coef[k], or as far as the first bound or 0, where that one
 * stays.  Returns its k, or -1 if none was in the way.
 */
static int64_t move_free(struct linear_work *s, int64_t n)
{
	int64_t blocking = -1;
	double t = 1, goal = 0;

	for (int64_t k = 0; k < n; k++) {
		int64_t i = s->list[k];
		double step = s->coef[k], side = s->sign[i];
		double end = side * step < 0 ? 0 : side > 0 ? s->upper[i] : s->lower[i];

		if (step != 0 && t * fabs(step) >= fabs(end - s->prox[i])) {
			t = fabs(end - s->prox[i]) / fabs(step);
			blocking = k;
			goal = end;
		}
	}
	for (int64_t k = 0; k < n; k++)
		s->prox[s->list[k]] += t * s->coef[k];
	if (blocking >= 0)
		s->prox[s->list[blocking]] = goal;
	return blocking;
}

/* Solve for the free multipliers again and again, until no bound is in the way. */
static int move_until_free(struct linear_work *s, int64_t *n_free, int *n_steps, double *work,
			   struct error *err)
{
	int64_t blocking;

	do {
		double sum = 0;
		int ret;

		for (int64_t i = 0; i < s->n; i++)
			sum += s->prox[i];
		for (int64_t k = 0; k < *n_free; k++)
			s->coef[k] = s->residual[s->list[k]] -
				     s->sign[s->list[k]] * s->p->epsilon;
		ret = linear_direction_balance(&s->direction, &s->x, s->list, *n_free, sum, s->coef, err);
		if (ret != 0)
			return ret;
		blocking = move_free(s, *n_free);
		if (refresh_values(s, err) < 0)
			return -1;
		if (blocking >= 0)
			s->list[blocking] = s->list[--*n_free];
		++*n_steps;
		*work += (double)*n_free * (double)*n_free * (double)*n_free / 3;
	} while (blocking >= 0 && *n_free > 0 && *n_steps < MAX_STEPS && *work < MAX_WORK);
	return 0;
}

/*
 * The multiplier that is not free and would gain most by moving, or -1
 *
 * s->sign is the side of 0 that it will be on.
 */
static int64_t worst_violator(struct linear_work *s, double b)
{
	double worst = s->o->eps / 4;
	int64_t found = -1;

	for (int64_t i = 0; i < s->n; i++) {
		double r = s->residual[i] - b, beta = s->prox[i], epsilon = s->p->epsilon;
		double rise = beta < s->upper[i] ? r - (beta < 0 ? -epsilon : epsilon) : 0;
		double fall = beta > s->lower[i] ? -r - (beta > 0 ? -epsilon : epsilon) : 0;

		if (linear_is_inside(beta, s->lower[i], s->upper[i]) || fmax(rise, fall) <= worst)
			continue;
		worst = fmax(rise, fall);
		s->sign[i] = beta > 0 || (beta == 0 && rise > fall) ? 1 : -1;
		found = i;
	}
	return found;
}

/* b from the free multipliers, of which there are some */
static double free_bias(const struct linear_work *s, int64_t n_free)
{
	double sum = 0;

	for (int64_t k = 0; k < n_free; k++)
		sum += s->residual[s->list[k]] - s->sign[s->list[k]] * s->p->epsilon;
	return sum / (double)n_free;
}

int linear_finish(struct linear_work *s, struct error *err)
{
	int64_t n_free;
	int n_steps = 0;
	double work = 0, violation;

	memcpy(s->prox, s->best_beta, (size_t)s->n * sizeof(*s->prox));
	for (int64_t i = 0; i < s->n; i++)
		s->sign[i] = s->prox[i] > 0 ? 1 : -1;
	n_free = linear_list_inside(s, s->prox);
	if (refresh_values(s, err) < 0)
		return -1;
	while (n_free > 0 && n_free < LINEAR_MAX_DUAL && n_steps < MAX_STEPS && work < MAX_WORK &&
	       !linear_asked_to_stop(s)) {
		int64_t violator;
		int ret = move_until_free(s, &n_free, &n_steps, &work, err);

		if (ret < 0)
			return -1;
		if (ret > 0 || n_free == 0)
			break;
		violator = worst_violator(s, free_bias(s, n_free));
		if (violator < 0)
			break;
		s->list[n_free++] = violator;
	}
	s->n_iterations += n_steps;
	return n_steps > 0 ? linear_test(s, s->prox, &violation, err) : 0;
}
