/*
 * exact_nu.c - nested subsets for the machines of nu, whose multipliers have fixed sums
 *
 * Bounds grow by the scale of the subset, as for the other machines, but the sums of either sign of
 * multipliers are those of the whole problem on every subset.  Then f, and with it both thresholds,
 * hardly change from one subset to the next: they are predictions of the whole problem's as they
 * are.
 *
 * A solution on S_{l-1} becomes a feasible start on S_l, for each sign of its own:
 *
 *     (1)  Old multipliers come under the new bound: what was bounded stays so, what was free is
 *          cut there.
 *     (2)  New examples beyond the threshold, or within EXACT_FIRST_NOISE of it, get what the sum
 *          then lacks, those farthest beyond it first: their bound, until the part that bounded
 *          ones have lost is given out, then EXACT_FREE_SHARE of it.
 *     (3)  What is still lacking goes to any example that has room, in the order of (2).
 *     (4)  nu-SVR's sums are limits: where the subset before had slack (smo_sets.h) the next one
 *          begins with as much; and with as much more as a sign has no room for, which is taken from
 *          the last examples of the other.
 *
 * No guess is taken back: w is a sum of examples with weights that add up to what they must, so
 * that a guess cannot be far larger than a solution as it can where C is large.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <stdlib.h>

#include "base/mem.h"
#include "problem/fixed_sums.h"
#include "train/exact_run.h"

/* ---- multipliers ---- */

int exact_compare_ranked(const void *a, const void *b)
{
	const struct exact_ranked *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* List examples that may have multipliers of this sign, farthest beyond the threshold first. */
static int64_t rank_side(const struct exact_run *s, bool positive, struct exact_ranked *list)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double beta = s->x->beta[i];
		bool fits =
			beta != 0 ? (beta > 0) == positive : exact_is_positive(s, i) == positive;

		if (exact_in_subset(s, i) && fits)
			list[n++] = (struct exact_ranked){ -exact_slack(s, i), i };
	}
	qsort(list, (size_t)n, sizeof(*list), exact_compare_ranked);
	return n;
}

/* Raise |beta_i| by at most 'size', as far as its bound and the undistributed sum '*left' allow. */
static void give(struct exact_run *s, int64_t i, bool positive, double size, double *left)
{
	double *beta = &s->x->beta[i], room = exact_bound(s, i) - fabs(*beta);

	size = fmin(fmin(size, room), *left);
	if (!(size > 0))
		return;
	/* a multiplier raised to its bound becomes exactly the bound, without rounding */
	*beta = size == room ? exact_bound(s, i) : fabs(*beta) + size;
	*beta = positive ? *beta : -*beta;
	*left -= size;
}

/* Step (1), cut one sign at the new bound; returns the loss of its bounded multipliers. */
static double cut_side(struct exact_run *s, bool positive, double scale_before, double *left)
{
	double growth = scale_before / s->subsets.scale, lost = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		double *beta = &s->x->beta[i], c = exact_bound(s, i), size = fabs(*beta);

		if (*beta == 0 || (*beta > 0) != positive)
			continue;
		if (size >= c * growth * (1 - DBL_EPSILON))
			lost += size - c;
		size = fmin(size, c);
		*beta = positive ? size : -size;
		*left -= size;
	}
	return lost;
}

/* Guess multipliers of one sign that sum to 'left'; returns the part that found no room. */
static double guess_side(struct exact_run *s, bool positive, double scale_before, double left,
			 struct exact_ranked *list)
{
	double bounded = cut_side(s, positive, scale_before, &left), all = left;
	int64_t n = rank_side(s, positive, list);

	/* step (2): new examples near or beyond the threshold get the missing part of the sum */
	for (int64_t k = 0; k < n && left > 0; k++) {
		int64_t i = list[k].i;
		double share = all - left < bounded ? 1 : EXACT_FREE_SHARE;

		if (s->subsets.first_level[i] == s->subsets.level &&
		    list[k].key > -EXACT_FIRST_NOISE * s->unit)
			give(s, i, positive, share * exact_bound(s, i), &left);
	}
	/* step (3): what is still missing goes to any example that has room */
	for (int64_t k = 0; k < n && left > 0; k++)
		give(s, list[k].i, positive, exact_bound(s, list[k].i), &left);
	return left;
}

/* Step (4): take 'much' off one sign, from the multipliers least beyond their threshold first. */
static void take_from_side(struct exact_run *s, bool positive, double much,
			   struct exact_ranked *list)
{
	for (int64_t k = rank_side(s, positive, list) - 1; k >= 0 && much > 0; k--) {
		double *beta = &s->x->beta[list[k].i], part = fmin(fabs(*beta), much);

		*beta -= positive ? part : -part;
		much -= part;
	}
}

/* Step (4): slack that the sums had before multipliers came under the new bound. */
static double slack_before(const struct exact_run *s)
{
	double slack = s->p->sum_plus;

	if (s->p->type != MACHINE_NU_SVR)
		return 0;
	for (int64_t i = 0; i < s->p->n; i++)
		slack -= fmax(s->x->beta[i], 0);
	return fmax(slack, 0);
}

int exact_guess_sums(struct exact_run *s, double scale_before, struct error *err)
{
	double slack = slack_before(s), lacking[2];
	struct exact_ranked *list = mem_array(s->p->n, sizeof(*list), err);

	if (!list)
		return -1;
	lacking[0] = guess_side(s, true, scale_before, s->p->sum_plus - slack, list);
	lacking[1] = guess_side(s, false, scale_before, s->p->sum_minus - slack, list);
	if (s->p->type == MACHINE_NU_SVR && lacking[0] != lacking[1])
		take_from_side(s, lacking[1] > lacking[0], fabs(lacking[0] - lacking[1]), list);
	mem_free(list);
	return 0;
}

int exact_start_sums(struct exact_run *s, struct error *err)
{
	const struct interruption *interruption = s->own->interruption;
	int ret;

	fixed_sums_start(s->p, s->is_working, s->subsets.scale, s->x->beta);
	/* no interruption here: without these decision values there is no start, and no model */
	s->own->interruption = NULL;
	ret = exact_evaluate(s, s->list_room, exact_list_working(s), false, err);
	s->own->interruption = interruption;
	if (ret == 0)
		exact_measure_unit(s);
	return ret;
}

/* Standard deviation of the decision values in the subset. */
static double spread_of_values(const struct exact_run *s)
{
	double sum = 0, squares = 0;
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_in_subset(s, i)) {
			sum += s->x->f[i];
			n++;
		}
	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_in_subset(s, i)) {
			double off = s->x->f[i] - sum / (double)n;

			squares += off * off;
		}
	return sqrt(squares / (double)n);
}

void exact_measure_unit(struct exact_run *s)
{
	if (!problem_fixes_sums(s->p) || s->p->type == MACHINE_NU_SVR)
		return;
	s->unit = spread_of_values(s);
	if (s->p->type == MACHINE_NU_SVC && -s->x->epsilon > 0)
		s->unit = fmin(s->unit, -s->x->epsilon);
}
