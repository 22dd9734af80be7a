/*
 * roc.c - how well scores tell two classes apart, at any threshold
 *
 * How this works.  With the examples by descending score, lowering the threshold to the next score
 * passes the examples that have it, one or several; each positive passed is a step up and each
 * negative a step right.  Examples of one score are passed together: their order among themselves
 * means nothing, and steps one by one would make a curve, and an area, that depends on it.
 *
 *     up        ____x           a score with both kinds: a slope,
 *     |     ___/                whose area is a rectangle and a triangle
 *     |    x
 *     |____|______ right
 *
 * The area is counted in pairs: a step of p positives and m negatives, after P positives, adds
 * m P pairs that are in order and m p that are tied.  Twice the area, m (2 P + p) summed, is a
 * whole number without weights, and has no rounding error up to 2^53.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/roc.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void roc_free(struct roc *r)
{
	mem_free(r->example);
	*r = (struct roc){ 0 };
}

int roc_add(struct roc *r, double score, bool positive, struct error *err)
{
	return roc_add_weighted(r, score, positive ? 1 : -1, err);
}

int roc_add_weighted(struct roc *r, double score, double weight, struct error *err)
{
	if (mem_grow(&r->example, &r->capacity, r->n + 1, sizeof(*r->example), err) < 0)
		return -1;
	r->example[r->n++] = (struct scored_example){ isnan(score) ? -INFINITY : score, weight };
	*(weight > 0 ? &r->n_positive : &r->n_negative) += fabs(weight);
	return 0;
}

/* Sort scores descending; equal scores are passed in one step, so their order does not matter. */
static int compare_scores(const void *a, const void *b)
{
	double x = ((const struct scored_example *)a)->score;
	double y = ((const struct scored_example *)b)->score;

	return (x < y) - (x > y);
}

void roc_sort(struct roc *r)
{
	if (r->n > 0)
		qsort(r->example, (size_t)r->n, sizeof(*r->example), compare_scores);
}

bool roc_step(const struct roc *r, struct roc_walk *w, struct roc_point *point)
{
	/* the first point is before all examples, at the threshold infinity */
	double threshold = INFINITY;

	if (w->begun && w->next == r->n)
		return false;
	if (w->begun) {
		threshold = r->example[w->next].score;
		/* examples of the same score are passed in one step */
		for (; w->next < r->n && r->example[w->next].score == threshold; w->next++) {
			double weight = r->example[w->next].weight;

			*(weight > 0 ? &w->n_positive : &w->n_negative) += fabs(weight);
		}
	}
	w->begun = true;
	*point = (struct roc_point){ threshold, w->n_negative / r->n_negative,
				     w->n_positive / r->n_positive };
	return true;
}

double roc_auc(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	double twice = 0, positives_before = 0, negatives_before = 0;

	while (roc_step(r, &walk, &point)) {
		/* twice the area: a step of width m between heights P and P + p adds m (2 P + p) */
		twice +=
			(walk.n_negative - negatives_before) * (walk.n_positive + positives_before);
		positives_before = walk.n_positive;
		negatives_before = walk.n_negative;
	}
	/* a class without examples makes 0 / 0, which is no number */
	return twice / (2 * r->n_positive * r->n_negative);
}
