/*
 * exact_subsets.c - nested random subsets, and what the solution of one says of the next
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "solve/exact_run.h"
#include "solve/gap.h"
#include "solve/working_set.h"

/* Measured on the rows of bench/train: they change how soon the optimum is found, not which. */
#define SUBSET_GROWTH 4
#define FIRST_NOISE 1.0		/* how far predictions are off, before it is known */
#define NOISE_OUTSIDE 0.3	/* working set: so many times that outside the margin */
#define NOISE_INSIDE 2.0	/* and inside */
#define OUTSIDE_ROOM 2000	/* as many outside as there are others, and so many */

/* ---- drawing ---- */

static void size_subsets(struct exact_run *s)
{
	int64_t n = s->p->n;
	double size = (double)randsvm_sample_size(s->o, n);

	while (size * 2 < (double)n && s->n_levels < EXACT_MOST_LEVELS - 1) {
		s->subset_size[s->n_levels++] = (int64_t)size;
		size *= SUBSET_GROWTH;
	}
	s->subset_size[s->n_levels++] = n;
}

int exact_draw_subsets(struct exact_run *s, struct error *err)
{
	size_subsets(s);
	for (int64_t i = 0; i < s->p->n; i++)
		s->list[i] = i;
	for (int l = s->n_levels - 1; l > 0; l--) {
		if (rng_subset(s->o->seed, RNG_FIRST_SAMPLE, 0, s->list, s->subset_size[l],
			       s->subset_size[l - 1], err) < 0)
			return -1;
		for (int64_t k = s->subset_size[l - 1]; k < s->subset_size[l]; k++)
			s->first_level[s->list[k]] = (uint8_t)l;
	}
	for (int64_t i = 0; i < s->p->n; i++)
		s->is_working[i] = s->first_level[i] == 0;
	if (working_set_add_missing_classes(s->p, s->is_working, s->o->seed, s->subset_size[0],
					    s->list, err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i])
			s->first_level[i] = 0;
	return 0;
}

/* ---- multipliers ---- */

/* An example and what it is sorted by, the largest first. */
struct ranked {
	double key;
	int64_t i;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* The sign beta_i would have. */
static bool is_positive(const struct exact_run *s, int64_t i)
{
	return s->p->target[i] > (s->p->type == MACHINE_C_SVC ? 0 : s->f[i] - s->result->rho);
}

/* Multipliers of the subset before, scaled; returns the sum of those of one sign at their bound. */
static double scale_multipliers(struct exact_run *s, double scale_before)
{
	double shrinks = s->scale / scale_before, sum = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = exact_bound(s, i);

		if (s->first_level[i] >= s->level)
			continue;
		s->beta[i] = fabs(s->beta[i]) >= c / shrinks * (1 - DBL_EPSILON) ?
				     copysign(c, s->beta[i]) : s->beta[i] * shrinks;
		if (s->beta[i] >= c)
			sum += s->beta[i];
	}
	return sum;
}

/*
 * Where multipliers start in a larger subset: new examples are to have as much, of each
 * sign, as there were before for their number; those furthest beyond the margin have it.
 */
static int guess_multipliers(struct exact_run *s, double scale_before, struct error *err)
{
	double before = (double)s->subset_size[s->level - 1];
	double wanted = scale_multipliers(s, scale_before) *
			((double)s->subset_size[s->level] - before) / before;
	struct ranked *list = mem_array(s->p->n, sizeof(*list), err);

	if (!list)
		return -1;
	for (int positive = 0; positive <= 1; positive++) {
		double sum = 0;
		int64_t n = 0;

		for (int64_t i = 0; i < s->p->n; i++)
			if (s->first_level[i] == s->level && is_positive(s, i) == positive &&
			    exact_slack(s, i) < FIRST_NOISE)
				list[n++] = (struct ranked){ -exact_slack(s, i), i };
		qsort(list, (size_t)n, sizeof(*list), compare_ranked);
		for (int64_t k = 0; k < n && sum < wanted; k++) {
			double c = exact_bound(s, list[k].i);

			s->beta[list[k].i] = positive ? c : -c;
			sum += c;
		}
	}
	free(list);
	return 0;
}

/* Make sum beta = 0: take from those of the surplus sign, the least certain first. */
static int balance(struct exact_run *s, struct error *err)
{
	struct ranked *list = mem_array(s->p->n, sizeof(*list), err);
	double sum = 0;
	int64_t n = 0;

	if (!list)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		sum += s->beta[i];
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->beta[i] * sum > 0) {
			double key = s->first_level[i] < s->level ? -DBL_MAX : exact_slack(s, i);

			list[n++] = (struct ranked){ key, i };
		}
	qsort(list, (size_t)n, sizeof(*list), compare_ranked);
	for (int64_t k = 0; k < n && sum != 0; k++) {
		double *beta = &s->beta[list[k].i];
		double taken = fabs(*beta) <= fabs(sum) ? *beta : sum;

		*beta -= taken;
		sum -= taken;
	}
	free(list);
	return 0;
}

/* ---- the working set ---- */

/*
 * The working set: whoever is free, and who is predicted near the margin; of those with
 * multiplier 0 as many as there are others, the nearest.
 */
static int choose_working_set(struct exact_run *s, double noise, struct error *err)
{
	struct ranked *outside = mem_array(s->p->n, sizeof(*outside), err);
	int64_t n = 0, n_outside = 0, room;

	if (!outside)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++) {
		double distance = exact_slack(s, i);

		s->is_working[i] = exact_in_subset(s, i) && s->beta[i] != 0 &&
				   (exact_is_free(s, i) || !s->predicts ||
				    distance > -NOISE_INSIDE * noise);
		n += exact_in_subset(s, i) && s->beta[i] != 0;
		if (exact_in_subset(s, i) && s->beta[i] == 0 && distance < NOISE_OUTSIDE * noise)
			outside[n_outside++] = (struct ranked){ -distance, i };
	}
	room = n + OUTSIDE_ROOM;
	if (n_outside > room)
		qsort(outside, (size_t)n_outside, sizeof(*outside), compare_ranked);
	for (int64_t k = 0; k < n_outside && k < room; k++)
		s->is_working[outside[k].i] = true;
	free(outside);
	return 0;
}

/* List the examples new in this subset; their number. */
static int64_t list_new(struct exact_run *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->first_level[i] == s->level)
			s->list[n++] = i;
	return n;
}

static int64_t list_working(struct exact_run *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i])
			s->list[n++] = i;
	return n;
}

/* ---- from subset to subset ---- */

/* Once more without the multipliers guessed: what is left of the subset before is feasible. */
static int take_back_guess(struct exact_run *s, double noise, struct error *err)
{
	for (int64_t i = 0; i < s->p->n; i++) {
		if (s->first_level[i] == s->level)
			s->beta[i] = 0;
		s->f[i] = s->before[i] + s->result->rho;
	}
	if (balance(s, err) < 0 || choose_working_set(s, noise, err) < 0)
		return -1;
	return exact_evaluate(s, list_working(s), err);
}

int exact_enter_subset(struct exact_run *s, struct error *err)
{
	double scale_before = s->scale, noise = s->level > 1 ? s->noise : FIRST_NOISE;

	s->scale = s->predicts ? (double)s->p->n / (double)s->subset_size[s->level] : 1;
	s->noise = -1;	/* yet unknown */
	if (s->level == 0) {
		for (int64_t i = 0; i < s->p->n; i++)
			s->is_working[i] = exact_in_subset(s, i);
		return 0;
	}
	if (exact_evaluate(s, list_new(s), err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		s->before[i] = s->f[i] - s->result->rho;
	if (s->predicts &&
	    (guess_multipliers(s, scale_before, err) < 0 || balance(s, err) < 0))
		return -1;
	if (choose_working_set(s, noise, err) < 0 || exact_evaluate(s, list_working(s), err) < 0)
		return -1;
	/* worse than all multipliers 0: with a large C few of them are at their bound in the end */
	if (s->predicts && gap_dual(s->p, s->beta, s->f) < 0)
		return take_back_guess(s, noise, err);
	return 0;
}
