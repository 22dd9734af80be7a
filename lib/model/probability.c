/*
 * probability.c - decision values turned into probabilities, as svm-predict -b 1 does
 *
 * How this works.  k (k - 1) / 2 pairwise estimates r_ij = P(i | i or j) in general fit no single
 * p: there is none with r_ij p_j = r_ji p_i for all pairs.  Wu, Lin, Weng 2004 minimise
 *
 *     p'Qp = 1/2 sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2   subject to sum_i p_i = 1
 *     Q_tt = sum_{j != t} r_jt^2,   Q_tj = -r_jt r_tj                           (1)
 *
 * whose condition Qp = lambda 1 says, after multiplying by p', that all (Qp)_t equal p'Qp (2).  A
 * round takes each t in turn, gives p_t the value that makes (Qp)_t equal to the p'Qp of before,
 *
 *     p_t += s,  s = (p'Qp - (Qp)_t) / Q_tt                                     (3)
 *
 * and divides all of p by the new sum 1 + s; p stays positive, since Q_tj <= 0 for j != t.  Qp and
 * p'Qp follow in O(k),
 *
 *     Qp <- (Qp + s Q_t) / (1 + s),   p'Qp <- (p'Qp + s (s Q_tt + 2 (Qp)_t)) / (1 + s)^2  (4)
 *
 * and are computed afresh at each round, so that rounding does not add up.  A direct solve of (1)
 * would be exact and give other digits than svm-predict prints: the iteration stops early, at a
 * residual of (2) of 0.005 / k.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/probability.h"

#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/order.h"

double probability_sigmoid(double decision_value, double a, double b)
{
	double t = decision_value * a + b;

	/* the argument of exp() is never positive: no overflow, and underflow is right */
	return t >= 0 ? exp(-t) / (1 + exp(-t)) : 1 / (1 + exp(t));
}

double probability_clip(double p)
{
	const double least = 1e-7; /* LIBSVM's; with r_jt = 0 for all j, (3) would divide by 0 */

	return p < least ? least : p > 1 - least ? 1 - least : p;
}

/* (1): the matrix Q, [k][k], from the pairwise estimates */
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

/* Compute Qp; returns p'Qp. */
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

/* One round of Algorithm 2: (3) and (4) for each t, and p divided by its sum */
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
	int64_t k = n_class, n_rounds = int64_max(k, 100); /* LIBSVM's limit, and its tolerance */
	double *q = work, *qp = work + k * k;

	if (k == 2) { /* r_01 p_1 = r_10 p_0 has the solution p_0 = r_01 */
		p[0] = pairwise[1];
		p[1] = pairwise[2];
		return;
	}
	fill_q(k, pairwise, q);
	for (int64_t t = 0; t < k; t++)
		p[t] = 1.0 / (double)k;
	for (int64_t round = 0; round < n_rounds; round++) {
		double p_qp = multiply(k, q, p, qp), worst = 0;

		/* how far (2) is from true */
		for (int64_t t = 0; t < k; t++)
			worst = fmax(worst, fabs(qp[t] - p_qp));
		if (worst < 0.005 / (double)k)
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

/* The k-th of the cuts of one side into n_marks / 2 parts, 0 being the cut in the middle. */
static double cut_at(const double *values, int64_t n_below, int64_t n_above, int half, int k)
{
	if (k == half)
		return 0;
	if (k < half)
		return values[k * n_below / half];
	return values[n_below - 1 + (k - half) * n_above / half];
}

bool probability_fit_density(double *values, int64_t n, int n_marks, double *marks)
{
	int64_t n_below = 0, n_above;
	int half = n_marks / 2;

	qsort(values, (size_t)n, sizeof(*values), order_doubles);
	while (n_below < n && values[n_below] < 0)
		n_below++;
	n_above = n - n_below;
	if (n_below < half || n_above < half)
		return false;
	for (int k = 0; k < n_marks; k++)
		marks[k] = (cut_at(values, n_below, n_above, half, k) +
			    cut_at(values, n_below, n_above, half, k + 1)) /
			   2;
	return true;
}
