/*
 * metrics.c - how good predictions are
 *
 * How this works.  Predictions come one by one and are not kept, so that every measure is made of
 * sums.  Error and squared correlation are computed as svm-predict does it, from plain sums in the
 * order of the rows, so that both print the same digits; where targets are far from 0 compared with
 * their spread the sums of the correlation cancel.  The variance of the targets, for the
 * coefficient of determination, which svm-predict does not have, is summed about a mean that
 * follows the targets.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/metrics.h"

#include <float.h>
#include <math.h>

/*
 * mean += w (t - mean) / W, squares += w (t - mean before) (t - mean after), with W the sum of all
 * weights w so far: no difference of large sums, however far the targets are from 0 (Welford 1962,
 * Technometrics 4; with weights West 1979, Communications of the ACM 22)
 */
static void add_target(struct metrics *m, double target, double weight)
{
	double from_mean = target - m->mean_t;

	m->mean_t += from_mean * weight / m->weight;
	m->squares_t += weight * from_mean * (target - m->mean_t);
}

void metrics_add(struct metrics *m, double predicted, double target)
{
	metrics_add_weighted(m, predicted, target, 1);
}

void metrics_add_weighted(struct metrics *m, double predicted, double target, double weight)
{
	double error = fabs(predicted - target);

	/* a NaN prediction is equal to nothing, and so never correct */
	m->n++;
	m->weight += weight;
	m->n_correct += predicted == target ? weight : 0;
	m->squared_error += weight * ((predicted - target) * (predicted - target));
	m->sum_p += weight * predicted;
	m->sum_t += weight * target;
	m->sum_pp += weight * (predicted * predicted);
	m->sum_tt += weight * (target * target);
	m->sum_pt += weight * (predicted * target);
	m->absolute_error += weight * error;
	/* a prediction that is no number stays the largest error: no later one is greater */
	m->max_error = error > m->max_error || isnan(error) ? error : m->max_error;
	add_target(m, target, weight);
}

double metrics_accuracy(const struct metrics *m)
{
	return m->n_correct / m->weight * 100;
}

double metrics_mse(const struct metrics *m)
{
	return m->squared_error / m->weight;
}

double metrics_squared_correlation(const struct metrics *m)
{
	/* n^2 times the covariance, and below n^2 times the variances: the factors cancel */
	double n = m->weight, covariance = n * m->sum_pt - m->sum_p * m->sum_t;

	return covariance * covariance /
	       ((n * m->sum_pp - m->sum_p * m->sum_p) * (n * m->sum_tt - m->sum_t * m->sum_t));
}

double metrics_mae(const struct metrics *m)
{
	return m->absolute_error / m->weight;
}

double metrics_determination(const struct metrics *m)
{
	/* equal targets leave nothing to be explained */
	return m->squares_t == 0 ? NAN : 1 - m->squared_error / m->squares_t;
}

/* Log loss, bounded: one wrong certainty of probability 0 would make any mean infinite. */
double metrics_log_loss(double probability)
{
	return -log(fmax(probability, DBL_EPSILON));
}

double metrics_brier(const double *probability, int n, int truth)
{
	double sum = 0;

	/* a class without a probability counts as 0 */
	for (int c = 0; c < n; c++) {
		double d = (isnan(probability[c]) ? 0 : probability[c]) - (c == truth);

		sum += d * d;
	}
	/* two classes have the same error twice, and count it once */
	return n == 2 ? sum / 2 : sum;
}
