/*
 * metrics.h - how good predictions are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_METRICS_H
#define RANDSVM_METRICS_H

#include <stdint.h>

/* Sums over predictions; a zeroed struct is none. */
struct metrics {
	int64_t n, n_correct;
	double squared_error;
	double sum_p, sum_t, sum_pp, sum_tt, sum_pt;
};

/* metrics_add() - one more prediction and the truth */
void metrics_add(struct metrics *m, double predicted, double target);

/* metrics_accuracy() - percentage of predictions equal to the truth */
double metrics_accuracy(const struct metrics *m);

/* metrics_mse() - mean squared error */
double metrics_mse(const struct metrics *m);

/*
 * metrics_squared_correlation() - (n S_pt - S_p S_t)^2 / ((n S_pp - S_p^2)(n S_tt - S_t^2))
 */
double metrics_squared_correlation(const struct metrics *m);

#endif
