/*
 * pr_curve.c - precision and recall at any threshold of the scores of two classes
 *
 * How this works.  The walk is that of roc.c: examples by descending score, those of one score
 * together.  After n examples with p positives among them
 *
 *     precision = p / n,   recall = p / all positives                                           (1)
 *
 * and the average precision is the sum of precision over the steps, each weighted by the recall
 * that it adds.  No line is drawn between two points, which would be too optimistic where precision
 * falls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/pr_curve.h"

#include <math.h>

bool pr_step(const struct roc *r, struct roc_walk *walk, struct pr_point *point)
{
	struct roc_point at;

	/* the first point of the other curve calls nothing positive and has no precision */
	if (!walk->begun && !roc_step(r, walk, &at))
		return false;
	if (!roc_step(r, walk, &at))
		return false;
	/* precision (1): the examples passed are those called positive */
	*point = (struct pr_point){ at.threshold,
				    walk->n_positive / (walk->n_positive + walk->n_negative),
				    at.true_positive_rate };
	return true;
}

double pr_average_precision(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct pr_point point;
	double sum = 0, before = 0;

	while (pr_step(r, &walk, &point)) {
		/* the recall that this step adds, times all positives */
		sum += (walk.n_positive - before) * point.precision;
		before = walk.n_positive;
	}
	/* without positives there is no recall, and no average */
	return r->n_positive > 0 ? sum / r->n_positive : NAN;
}
