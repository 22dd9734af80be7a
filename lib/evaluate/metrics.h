/*
 * metrics.h - how good predictions are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_METRICS_H
#define RANDSVM_METRICS_H

#include <stdint.h>

#include "base/moments.h"

/*
 * Sums over predictions p and targets t, each times its weight; a zeroed struct has no predictions
 * yet.
 */
struct metrics {
	int64_t n;	  /* number of predictions */
	double weight;	  /* sum of their weights, n without weights */
	double n_correct; /* number of predictions that are right, or the sum of their weights */
	double squared_error;		  /* sum of squared errors (p - t)^2 */
	struct moments p, t;		  /* moments of the predictions and of the targets */
	double products;		  /* sum of (p - mean p) (t - mean t) */
	double absolute_error, max_error; /* sum of the errors |p - t|; the largest error */
};

/*
 * metrics_add() - count one more prediction with its target, the true label or value, as 'weight' > 0
 * equal ones
 */
void metrics_add(struct metrics *m, double predicted, double target, double weight);

/* metrics_accuracy() - percentage of predictions equal to their targets; NAN without predictions */
double metrics_accuracy(const struct metrics *m);

/* metrics_mse() - mean squared error */
double metrics_mse(const struct metrics *m);

/*
 * metrics_squared_correlation() - S_pt^2 / (S_pp S_tt), of sums of products about the means
 *
 * svm-predict has it from sums of p t, p p and t t, of which far from 0 no digit is left.  No number
 * where metrics_uncorrelated() says why.
 */
double metrics_squared_correlation(const struct metrics *m);

/* metrics_uncorrelated() - why predictions and targets have no correlation, in words; or NULL */
const char *metrics_uncorrelated(const struct metrics *m);

/* metrics_mae() - mean absolute error */
double metrics_mae(const struct metrics *m);

/*
 * metrics_determination() - 1 - sum (p - t)^2 / sum (t - mean t)^2
 *
 * The coefficient of determination: the share of the targets' variance that the predictions
 * explain, 1 for perfect ones, 0 for the mean of the targets, below 0 for worse ones.  The squared
 * correlation is not smaller: it forgives predictions that are off by a constant or a factor.  NAN
 * where all targets are equal, that is t.squares is 0, and where squares overflow.
 */
double metrics_determination(const struct metrics *m);

/* metrics_log_loss() - -ln(probability of the true class), at most -ln(DBL_EPSILON) = 36.04 */
double metrics_log_loss(double probability);

/*
 * metrics_brier() - the squared distance of n probabilities from certainty of class 'truth'
 *
 * sum_c (probability[c] - [c == truth])^2; for two classes half of that, which is
 * (probability[0] - [0 == truth])^2, the score of a single event.  NAN, of a class that the model
 * does not know, counts as 0.
 *
 * Source: Brier 1950, Monthly Weather Review 78.
 */
double metrics_brier(const double *probability, int n, int truth);

#endif
