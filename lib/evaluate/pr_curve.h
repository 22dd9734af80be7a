/*
 * pr_curve.h - precision and recall at any threshold of the scores of two classes
 *
 *     precision = true positives / called positive,   recall = true positives / positives
 *
 * of the classifier that calls an example positive if its score is at least the threshold.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PR_CURVE_H
#define RANDSVM_PR_CURVE_H

#include "evaluate/roc.h"

struct pr_point {
	double threshold;
	double precision;
	double recall; /* recall, the share of positives found; NAN if there are no positives */
};

/*
 * pr_step() - the next point of the curve of sorted examples; false at its end
 *
 * One point for each different score, by descending score: recall rises to 1.  A zeroed walk is at
 * the beginning.
 */
bool pr_step(const struct roc *r, struct roc_walk *walk, struct pr_point *point);

/*
 * pr_average_precision() - sum over the points of (recall - recall of the point before) precision
 *
 * The area under the curve as steps, without interpolation; NAN if there are no positives.  O(n).
 */
double pr_average_precision(const struct roc *r);

#endif
