/*
 * probability.c - decision values turned into probabilities, as svm-predict -b 1 does
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/probability.h"

#include <math.h>
#include <stdint.h>

#include "base/arithmetic.h"

double probability_sigmoid(double decision_value, double a, double b)
{
	double t = decision_value * a + b;

	return t >= 0 ? exp(-t) / (1 + exp(-t)) : 1 / (1 + exp(t));
}

double probability_clip(double p)
{
	const double least = 1e-7;

	return p < least ? least : p > 1 - least ? 1 - least : p;
}

/* Q_tt = sum_{j != t} r_jt^2, Q_tj = -r_jt r_tj: the objective is p'Qp. */
static void fill_q(int64_t k, const double *r, double *q)
{
	for (int64_t t = 0; t < k; t++) {
		double sum = 0;

		for (int64_t j = 0; j < k; j++) {
			double r_jt = r[j * k + t];

			if (j == t)
				continue;
			sum += r_jt * r_jt;
			q[t * k + j] = -r_jt * r[t * k + j];
		}
		q[t * k + t] = sum;
	}
}

/* Qp afresh; returns p'Qp. */
static double multiply(int64_t k, const double *q, const double *p, double *qp)
{
	double p_qp = 0;

	for (int64_t t = 0; t < k; t++) {
		qp[t] = 0;
		for (int64_t j = 0; j < k; j++)
			qp[t] += q[t * k + j] * p[j];
		p_qp += p[t] * qp[t];
	}
	return p_qp;
}

/* Optimal where all (Qp)_t are equal, and then equal to p'Qp. */
static double residual(int64_t k, const double *qp, double p_qp)
{
	double worst = 0;

	for (int64_t t = 0; t < k; t++)
		worst = fmax(worst, fabs(qp[t] - p_qp));
	return worst;
}

/*
 * One round of Algorithm 2: for each t, p_t becomes what makes (Qp)_t = p'Qp for the old
 * right-hand side, and p is scaled back to sum 1; Qp and p'Qp are kept up.
 */
static void improve(int64_t k, const double *q, double *p, double *qp, double p_qp)
{
	for (int64_t t = 0; t < k; t++) {
		double q_tt = q[t * k + t], step = (p_qp - qp[t]) / q_tt, sum = 1 + step;

		p_qp = (p_qp + step * (step * q_tt + 2 * qp[t])) / sum / sum;
		p[t] += step;
		for (int64_t j = 0; j < k; j++) {
			qp[j] = (qp[j] + step * q[t * k + j]) / sum;
			p[j] /= sum;
		}
	}
}

void probability_couple(int n_class, const double *pairwise, double *p, double *work)
{
	int64_t k = n_class, n_rounds = int64_max(k, 100);
	double *q = work, *qp = work + k * k;
	double p_qp;

	if (k == 2) {
		p[0] = pairwise[1];
		p[1] = pairwise[2];
		return;
	}
	fill_q(k, pairwise, q);
	for (int64_t t = 0; t < k; t++)
		p[t] = 1.0 / (double)k;
	for (int64_t round = 0; round < n_rounds; round++) {
		p_qp = multiply(k, q, p, qp);
		if (residual(k, qp, p_qp) < 0.005 / (double)k)
			break;
		improve(k, q, p, qp, p_qp);
	}
}

double probability_density(const double *marks, int n_marks, double decision_value)
{
	int i = 0;

	while (i < n_marks && decision_value >= marks[i])
		i++;
	return i == 0 ? 0.001 : i == n_marks ? 0.999 : (double)i / n_marks;
}
