/*
 * metrics.c - how good predictions are
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/metrics.h"

#include <float.h>
#include <math.h>

/* Welford's update of mean and squares: what targets have in common does not cancel them. */
static void add_target(struct metrics *m, double target)
{
	double from_mean = target - m->mean_t;

	m->mean_t += from_mean / (double)m->n;
	m->squares_t += from_mean * (target - m->mean_t);
}

void metrics_add(struct metrics *m, double predicted, double target)
{
	double error = fabs(predicted - target);

	m->n++;
	m->n_correct += predicted == target;
	m->squared_error += (predicted - target) * (predicted - target);
	m->sum_p += predicted;
	m->sum_t += target;
	m->sum_pp += predicted * predicted;
	m->sum_tt += target * target;
	m->sum_pt += predicted * target;
	m->absolute_error += error;
	m->max_error = error > m->max_error || isnan(error) ? error : m->max_error;
	add_target(m, target);
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

double metrics_mae(const struct metrics *m)
{
	return m->absolute_error / (double)m->n;
}

double metrics_determination(const struct metrics *m)
{
	return m->squares_t == 0 ? NAN : 1 - m->squared_error / m->squares_t;
}

double metrics_log_loss(double probability)
{
	return -log(fmax(probability, DBL_EPSILON));
}

double metrics_brier(const double *probability, int n, int truth)
{
	double sum = 0;

	for (int c = 0; c < n; c++)
		sum += (probability[c] - (c == truth)) * (probability[c] - (c == truth));
	return n == 2 ? sum / 2 : sum;
}
