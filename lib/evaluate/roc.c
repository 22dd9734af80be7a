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
 * After n examples with p positives among them precision is p / n, and recall p / all positives.  No
 * line is drawn between two points of these, which would be too optimistic where precision falls:
 * the average precision is the sum of precision over the steps, each weighted by the recall that it
 * adds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/roc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "problem/classes.h"

void roc_free(struct roc *r)
{
	mem_free(r->example);
	*r = (struct roc){ 0 };
}

int roc_add(struct roc *r, double score, double weight, struct error *err)
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
				     w->n_positive / r->n_positive,
				     w->n_positive / (w->n_positive + w->n_negative) };
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

bool pr_step(const struct roc *r, struct roc_walk *walk, struct roc_point *point)
{
	return (walk->begun || roc_step(r, walk, point)) && roc_step(r, walk, point);
}

double pr_average_precision(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	double sum = 0, before = 0;

	while (pr_step(r, &walk, &point)) {
		/* the recall that this step adds, times all positives */
		sum += (walk.n_positive - before) * point.precision;
		before = walk.n_positive;
	}
	/* without positives there is no recall, and no average */
	return r->n_positive > 0 ? sum / r->n_positive : NAN;
}

/* ---- each class against the rest ---- */

/* Examples whose scores are dealt to the curves at once: 64 of a curve are a few cache lines. */
#define EXAMPLES_AT_ONCE 64

int class_curves_add(struct class_curves *c, const double *score, double target, double weight,
		     struct error *err)
{
	const int k = label_find(c->label, c->n, target);

	if (k < 0 || isnan(score[k]))
		return 0;
	if (mem_grow(&c->example, &c->examples_capacity, c->n_examples + 1, sizeof(*c->example),
		     err) < 0 ||
	    mem_grow(&c->score, &c->scores_capacity, (c->n_examples + 1) * c->n, sizeof(*c->score),
		     err) < 0)
		return -1;
	memcpy(c->score + c->n_examples * c->n, score, (size_t)c->n * sizeof(*score));
	c->example[c->n_examples++] = (struct curve_example){ k, weight };
	return 0;
}

/* Deal the scores of class k of the examples from 'first' on to its curve. */
static int deal_block(struct class_curves *c, int64_t first, int k, struct error *err)
{
	int64_t end = int64_min(first + EXAMPLES_AT_ONCE, c->n_examples);

	for (int64_t i = first; i < end; i++) {
		const struct curve_example *e = &c->example[i];
		double score = c->score[i * c->n + k];

		if (!isnan(score) &&
		    roc_add(&c->roc[k], score, e->class_number == k ? e->weight : -e->weight, err) <
			    0)
			return -1;
	}
	return 0;
}

int class_curves_finish(struct class_curves *c, struct error *err)
{
	c->roc = mem_zeroed(c->n, sizeof(*c->roc), err);
	c->sorted = mem_array(c->n * c->n_examples, sizeof(*c->sorted), err);
	if (!c->roc || !c->sorted)
		return -1;
	/* each curve has room for all examples: roc_add() allocates nothing */
	for (int k = 0; k < c->n; k++)
		c->roc[k] = (struct roc){ .capacity = c->n_examples,
					  .example = c->sorted + k * c->n_examples };
	for (int64_t first = 0; first < c->n_examples; first += EXAMPLES_AT_ONCE)
		for (int k = 0; k < c->n; k++)
			if (deal_block(c, first, k, err) < 0)
				return -1;
	mem_free(c->score);
	c->score = NULL;
	for (int k = 0; k < c->n; k++)
		roc_sort(&c->roc[k]);
	return 0;
}

void class_curves_free(struct class_curves *c)
{
	mem_free_all(c->example, c->score, c->sorted, c->roc);
	*c = (struct class_curves){ 0 };
}
