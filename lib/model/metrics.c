/*
 * metrics.c - how good predictions are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/metrics.h"

void metrics_add(struct metrics *m, double predicted, double target)
{
	m->n++;
	m->n_correct += predicted == target;
	m->squared_error += (predicted - target) * (predicted - target);
	m->sum_p += predicted;
	m->sum_t += target;
	m->sum_pp += predicted * predicted;
	m->sum_tt += target * target;
	m->sum_pt += predicted * target;
}

double metrics_accuracy(const struct metrics *m)
{
	return (double)m->n_correct / (double)m->n * 100;
}

double metrics_mse(const struct metrics *m)
{
	return m->squared_error / (double)m->n;
}

double metrics_squared_correlation(const struct metrics *m)
{
	double n = (double)m->n, covariance = n * m->sum_pt - m->sum_p * m->sum_t;

	return covariance * covariance /
	       ((n * m->sum_pp - m->sum_p * m->sum_p) * (n * m->sum_tt - m->sum_t * m->sum_t));
}
