/*
 * metrics.c - how good predictions are
 *
 * How this works.  Predictions come one by one and are not kept, so that every measure is made of
 * sums.  The error is computed as svm-predict does it, in the order of the rows, so that both print
 * the same digits; variances and the correlation are of sums about means (moments.h), as differences
 * of plain sums cancel where targets are far from 0 compared with their spread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/metrics.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

void metrics_add(struct metrics *m, double predicted, double target, double weight)
{
	double error = fabs(predicted - target), off = moments_add(&m->p, predicted, weight);

	/* a NaN prediction is equal to nothing, and so never correct */
	m->n++;
	m->weight += weight;
	m->n_correct += predicted == target ? weight : 0;
	m->squared_error += weight * ((predicted - target) * (predicted - target));
	moments_add(&m->t, target, weight);
	m->products += weight * off * moments_off(&m->t, target);
	m->absolute_error += weight * error;
	/* a prediction that is no number stays the largest error: no later one is greater */
	m->max_error = error > m->max_error || isnan(error) ? error : m->max_error;
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
	/* two quotients, as a product of two squares might overflow; 0 / 0 is no number */
	double r2 = m->products / m->p.squares * (m->products / m->t.squares);

	/* more than 1 by rounding alone */
	return r2 > 1 ? 1 : r2;
}

const char *metrics_uncorrelated(const struct metrics *m)
{
	if (m->t.squares == 0)
		return "all targets are equal";
	return m->p.squares == 0 ? "all predictions are equal" : NULL;
}

double metrics_mae(const struct metrics *m)
{
	return m->absolute_error / m->weight;
}

double metrics_determination(const struct metrics *m)
{
	/* equal targets leave nothing to be explained */
	return m->t.squares == 0 ? NAN : 1 - m->squared_error / m->t.squares;
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
