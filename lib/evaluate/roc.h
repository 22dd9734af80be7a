/*
 * roc.h - how well scores tell two classes apart, at any threshold
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* An example; its weight, 1 without weights, has the sign of its class. */
struct scored_example {
	double score, weight;
};

/* 16 bytes an example.  Owns its array; a zeroed struct is empty. */
struct roc {
	int64_t n, capacity;
	struct scored_example *example;
	double n_positive, n_negative; /* numbers of both labels, or sums of weights */
};

void roc_free(struct roc *r);

/*
 * roc_add() - one more example; the size of 'weight' is how many it counts as, its sign the class
 *
 * A score that is no number ranks as -infinity.  Fails with ERR_MEMORY.
 */
int roc_add(struct roc *r, double score, double weight, struct error *err);

/* roc_sort() - order the examples by descending score, as the functions below need; O(n log n) */
void roc_sort(struct roc *r);

/*
 * roc_auc() - the share of pairs (positive, negative) in which the positive has the higher score
 *
 * A pair of equal scores counts half.  That is the area under the curve, and the statistic of Mann
 * and Whitney by ranks with ties averaged; a pair counts as often as the product of its weights.  NAN
 * without a pair.  O(n); without weights exact but for the rounding of one division, up to 2^52
 * pairs.
 *
 * Source: Hanley and McNeil 1982, Radiology 143.
 */
double roc_auc(const struct roc *r);

/* The classifier that calls an example positive if its score is at least 'threshold'. */
struct roc_point {
	/* least score called positive; infinite at the first point, where no example is positive */
	double threshold;
	/*
	 * called positive: share of the negatives, and of the positives, which is the recall; NAN if
	 * there are none
	 */
	double false_positive_rate, true_positive_rate;
	double precision; /* share of positives among those called positive; NAN at the first point */
};

/* A walk along the curve; a zeroed struct is at the beginning. */
struct roc_walk {
	bool begun;
	int64_t next;		       /* number of the first example not passed yet */
	double n_positive, n_negative; /* examples of the two labels passed so far, by weight */
};

/*
 * roc_step() - the next point of the curve; false at its end
 *
 * Points go from (0, 0) to (1, 1), one for each different score after the first point.
 */
bool roc_step(const struct roc *r, struct roc_walk *walk, struct roc_point *point);

/*
 * pr_step() - the next point of the curve of precision and recall; false at its end
 *
 * The same points but the first one, which has no precision.
 */
bool pr_step(const struct roc *r, struct roc_walk *walk, struct roc_point *point);

/*
 * pr_average_precision() - sum over the points of (recall - recall of the point before) precision
 *
 * The area under the curve as steps, without interpolation; NAN if there are no positives.  O(n).
 */
double pr_average_precision(const struct roc *r);

/* The class of an example, by its number, and the weight of the example. */
struct curve_example {
	int class_number;
	double weight;
};

/*
 * Curves of each class against the rest, where there are more than two classes
 *
 * Scores of all examples while they are added, and the curves in the end: as few large arrays,
 * since small ones are always in memory, and classes may be many.  Some 24 bytes for each example
 * and class.
 */
struct class_curves {
	int n;		  /* number of curves, or 0 */
	const int *label; /* labels of the classes, n; borrowed */
	int64_t n_examples, examples_capacity, scores_capacity;
	struct curve_example *example;
	double *score; /* scores of the classes, [n_examples][n], until the end; NAN: not known */
	struct scored_example *sorted; /* examples of all curves, class after class */
	/* curves in the model's order of classes, n; their arrays are in 'sorted' */
	struct roc *roc;
};

/*
 * class_curves_add() - an example counts if its label is a class whose score is known; ERR_MEMORY
 */
int class_curves_add(struct class_curves *c, const double *score, double target, double weight,
		     struct error *err);

/* class_curves_finish() - make the sorted curves of all that was added; ERR_MEMORY */
int class_curves_finish(struct class_curves *c, struct error *err);

void class_curves_free(struct class_curves *c);
