/*
 * metrics.h - how good predictions are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_METRICS_H
#define RANDSVM_METRICS_H

#include <stdint.h>

/*
 * Sums over predictions p and targets t, each times its weight; a zeroed struct has no predictions
 * yet.
 */
struct metrics {
	int64_t n;	  /* number of predictions */
	double weight;	  /* sum of their weights, n without weights */
	double n_correct; /* number of predictions that are right, or the sum of their weights */
	double squared_error; /* sum of squared errors (p - t)^2 */
	double sum_p, sum_t, sum_pp, sum_tt,
		sum_pt; /* sums of p, t, p^2, t^2, p t over predictions p and targets t */
	double absolute_error, max_error; /* sum of the errors |p - t|; the largest error */
	double mean_t, squares_t;	  /* mean of the targets, and sum of squares about it */
};

/* metrics_add() - count one more prediction with its target, the true label or value */
void metrics_add(struct metrics *m, double predicted, double target);

/* metrics_add_weighted() - count it as 'weight' > 0 equal ones */
void metrics_add_weighted(struct metrics *m, double predicted, double target, double weight);

/* metrics_accuracy() - percentage of predictions equal to their targets; NAN without predictions */
double metrics_accuracy(const struct metrics *m);

/* metrics_mse() - mean squared error */
double metrics_mse(const struct metrics *m);

/*
 * metrics_squared_correlation() - (n S_pt - S_p S_t)^2 / ((n S_pp - S_p^2)(n S_tt - S_t^2))
 */
double metrics_squared_correlation(const struct metrics *m);

/* metrics_mae() - mean absolute error */
double metrics_mae(const struct metrics *m);

/*
 * metrics_determination() - 1 - sum (p - t)^2 / sum (t - mean t)^2
 *
 * The coefficient of determination: the share of the targets' variance that the predictions
 * explain, 1 for perfect ones, 0 for the mean of the targets, below 0 for worse ones.  The squared
 * correlation is not smaller: it forgives predictions that are off by a constant or a factor.  NAN
 * where all targets are equal, that is squares_t is 0, and where squares overflow.
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
