/*
 * exact_subsets.c - nested random subsets, and what the solution of one says of the next
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "train/exact_run.h"
#include "train/working_set.h"

/* Measured on the rows of bench/train: they change how soon the optimum is found, not which. */
#define SUBSET_GROWTH 4
#define FIRST_NOISE 1.0	  /* how far predictions are off, before it is known */
#define NOISE_OUTSIDE 0.2 /* working set: so many times that outside the margin */
#define NOISE_INSIDE 1.2  /* and inside */
#define FREE_SHARE 0.5	  /* of the bound: what a free multiplier starts from */
#define MOST_NORM2 20	  /* times what a solution has at most: beyond it a guess is wild */
#define OUTSIDE_ROOM 2000 /* as many outside as there are others, and so many */

/* ---- drawing ---- */

static void size_subsets(struct exact_run *s)
{
	int64_t n = s->p->n;
	double size = (double)randsvm_sample_size(s->o, n);

	while (size * 2 < (double)n && s->subsets.n_levels < EXACT_MOST_LEVELS - 1) {
		s->subsets.size[s->subsets.n_levels++] = (int64_t)size;
		size *= SUBSET_GROWTH;
	}
	s->subsets.size[s->subsets.n_levels++] = n;
}

int exact_draw_subsets(struct exact_run *s, struct error *err)
{
	int64_t *list = s->list_room;

	size_subsets(s);
	for (int64_t i = 0; i < s->p->n; i++)
		list[i] = i;
	for (int l = s->subsets.n_levels - 1; l > 0; l--) {
		if (rng_subset(s->o->seed, RNG_FIRST_SAMPLE, 0, list, s->subsets.size[l],
			       s->subsets.size[l - 1], err) < 0)
			return -1;
		for (int64_t k = s->subsets.size[l - 1]; k < s->subsets.size[l]; k++)
			s->subsets.first_level[list[k]] = (uint8_t)l;
	}
	for (int64_t i = 0; i < s->p->n; i++)
		s->is_working[i] = s->subsets.first_level[i] == 0;
	if (working_set_add_missing_classes(s->p, s->is_working, s->o->seed, s->subsets.size[0],
					    list, err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i])
			s->subsets.first_level[i] = 0;
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
	return s->p->target[i] > (s->p->type == MACHINE_C_SVC ? 0 : s->x->f[i] - s->x->rho);
}

/* What new examples are to have, by sign ([0] is negative): at their bound, and below it. */
struct shares {
	double bounded[2], free[2];
};

/*
 * Multipliers of the subset before: what was at its bound is there still; what was free
 * stays as it is, or as much of it as is allowed.  Returns what is left to the new ones.
 */
static struct shares scale_multipliers(struct exact_run *s, double scale_before)
{
	double growth = scale_before / s->subsets.scale;
	struct shares left = { { 0 }, { 0 } };

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = exact_bound(s, i), size = fabs(s->x->beta[i]);
		bool positive = s->x->beta[i] > 0;

		if (s->subsets.first_level[i] >= s->subsets.level)
			continue;
		if (size >= c * growth * (1 - DBL_EPSILON))
			left.bounded[positive] += c * (growth - 1);
		else if (size > c)
			left.free[positive] += size - c;
		s->x->beta[i] = copysign(fmin(size, c), s->x->beta[i]);
	}
	return left;
}

/*
 * Where multipliers start in a larger subset: new examples are to have as much, of each
 * sign, as there were before for their number; those furthest beyond the margin what was at its
 * bound, the next what was free.
 */
static int guess_multipliers(struct exact_run *s, double scale_before, struct error *err)
{
	struct shares left = scale_multipliers(s, scale_before);
	struct ranked *list = mem_array(s->p->n, sizeof(*list), err);

	if (!list)
		return -1;
	for (int positive = 0; positive <= 1; positive++) {
		double bounded = left.bounded[positive];
		double all = bounded + left.free[positive], sum = 0;
		int64_t n = 0;

		for (int64_t i = 0; i < s->p->n; i++)
			if (s->subsets.first_level[i] == s->subsets.level &&
			    is_positive(s, i) == positive && exact_slack(s, i) < FIRST_NOISE)
				list[n++] = (struct ranked){ -exact_slack(s, i), i };
		qsort(list, (size_t)n, sizeof(*list), compare_ranked);
		for (int64_t k = 0; k < n && sum < all; k++) {
			double c = exact_bound(s, list[k].i) * (sum < bounded ? 1 : FREE_SHARE);

			s->x->beta[list[k].i] = positive ? c : -c;
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
		sum += s->x->beta[i];
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->x->beta[i] * sum > 0) {
			double key = s->subsets.first_level[i] < s->subsets.level ?
					     -DBL_MAX :
					     exact_slack(s, i);

			list[n++] = (struct ranked){ key, i };
		}
	qsort(list, (size_t)n, sizeof(*list), compare_ranked);
	for (int64_t k = 0; k < n && sum != 0; k++) {
		double *beta = &s->x->beta[list[k].i];
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

		s->is_working[i] = exact_in_subset(s, i) && s->x->beta[i] != 0 &&
				   (exact_is_free(s, i) || !s->subsets.predicts ||
				    distance > -NOISE_INSIDE * noise);
		n += exact_in_subset(s, i) && s->x->beta[i] != 0;
		if (exact_in_subset(s, i) && s->x->beta[i] == 0 && distance < NOISE_OUTSIDE * noise)
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
static int64_t list_new(const struct exact_run *s, int64_t *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->subsets.first_level[i] == s->subsets.level)
			list[n++] = i;
	return n;
}

static int64_t list_working(const struct exact_run *s, int64_t *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i])
			list[n++] = i;
	return n;
}

/* ---- from subset to subset ---- */

/*
 * A solution has |w|^2 <= sum y beta - epsilon |beta|, or another scale of w had a larger dual.  A
 * guess of multipliers may be above that by a few times: a sum of many that hardly differ,
 * which few steps put right.  But with a C out of all proportion hardly any multiplier is at its
 * bound in the end, and a guess with some there is worse than none.
 */
static bool guess_is_wild(const struct exact_run *s)
{
	double norm2 = 0, linear = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		norm2 += s->x->beta[i] * s->x->f[i];
		linear += s->p->target[i] * s->x->beta[i] - s->p->epsilon * fabs(s->x->beta[i]);
	}
	return norm2 > MOST_NORM2 * linear;
}

/* Once more without the multipliers guessed: what is left of the subset before is feasible. */
static int take_back_guess(struct exact_run *s, double noise, struct error *err)
{
	for (int64_t i = 0; i < s->p->n; i++) {
		if (s->subsets.first_level[i] == s->subsets.level)
			s->x->beta[i] = 0;
		s->x->f[i] = s->movement.before[i] + s->x->rho;
	}
	if (balance(s, err) < 0 || choose_working_set(s, noise, err) < 0)
		return -1;
	return exact_evaluate(s, s->list_room, list_working(s, s->list_room), err);
}

int exact_enter_subset(struct exact_run *s, struct error *err)
{
	int64_t *list = s->list_room;
	double scale_before = s->subsets.scale,
	       noise = s->subsets.level > 1 ? s->subsets.noise : FIRST_NOISE;

	s->subsets.scale = s->subsets.predicts ?
				   (double)s->p->n / (double)s->subsets.size[s->subsets.level] :
				   1;
	s->subsets.noise = -1; /* yet unknown */
	if (s->subsets.level == 0) {
		for (int64_t i = 0; i < s->p->n; i++)
			s->is_working[i] = exact_in_subset(s, i);
		return 0;
	}
	if (exact_evaluate(s, list, list_new(s, list), err) < 0)
		return -1;
	for (int64_t i = 0; i < s->p->n; i++)
		s->movement.before[i] = s->x->f[i] - s->x->rho;
	if (s->subsets.predicts &&
	    (guess_multipliers(s, scale_before, err) < 0 || balance(s, err) < 0))
		return -1;
	if (choose_working_set(s, noise, err) < 0 ||
	    exact_evaluate(s, list, list_working(s, list), err) < 0)
		return -1;
	if (s->subsets.predicts && guess_is_wild(s))
		return take_back_guess(s, noise, err);
	return 0;
}
