/*
 * probability.c - decision values turned into probabilities, and the sigmoids that do it fitted
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

#include "base/order.h"

/* ---- probabilities ---- */

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

/* ---- the fit of a sigmoid ---- */

/*
 * How this works.  With z_i = A f_i + B, p_i = 1 / (1 + exp(z_i)) and targets t_i, which stop
 * short of 0 and 1 so that separable data have a finite solution,
 *
 *     F(A, B) = sum_i t_i z_i + log(1 + exp(-z_i))                              (5)
 *     dF/dz_i = t_i - p_i,    d^2F/dz_i^2 = p_i (1 - p_i) >= 0                   (6)
 *
 * is convex in two unknowns.  A step solves the 2 x 2 system H step = -gradient, H the Hessian of
 * (6) with a small ridge (7), and is halved until F falls by a share of what the slope promises
 * (8): full Newton steps alone may overshoot where all p_i are near 0 or 1 and H is nearly 0.
 *
 * What must not be simplified: exp() is only ever taken of what is not positive, since f_i is
 * unbounded; log(1 + x) is log1p(x), which keeps small x; and 1 - p_i is computed as the sigmoid of
 * -z_i, since near p_i = 1 the difference has no correct digit.  Section 3 of Lin, Lin, Weng 2007
 * shows how Platt's pseudo code fails where it does otherwise.
 */

/* Constants of the paper's appendix, the same in LIBSVM, so that probA and probB agree with it. */
enum { MAX_ITERATIONS = 100 };
static const double tolerance = 1e-5;	/* tolerance of both derivatives */
static const double least_step = 1e-10; /* length of a Newton step below which no step helps */
/* addition to the diagonal of the Hessian H, which makes it positive definite */
static const double ridge = 1e-12;
static const double sufficient = 1e-4; /* a step must bring this share of what the slope promises */

struct fit {
	const double *f, *target;
	const double *weight; /* weight of each example; NULL: 1 each */
	double scale;	      /* factor of the weights: 1 over their mean */
	int64_t n;
	double t_plus, t_minus; /* target of each class, instead of 1 and 0 */
};

static double wanted(const struct fit *fit, int64_t i)
{
	return fit->target[i] > 0 ? fit->t_plus : fit->t_minus;
}

/* How many examples example i counts as. */
static double count_of(const struct fit *fit, int64_t i)
{
	return fit->weight ? fit->weight[i] * fit->scale : 1;
}

/* Objective F by equation (5); z < 0 has the form (t - 1) z + log(1 + exp(z)), without overflow. */
static double objective(const struct fit *fit, struct sigmoid s)
{
	double sum = 0;

	for (int64_t i = 0; i < fit->n; i++) {
		double z = s.a * fit->f[i] + s.b, t = wanted(fit, i);

		sum += count_of(fit, i) *
		       (z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z)));
	}
	return sum;
}

/* First and second derivatives of the objective F by A and B. */
struct derivatives {
	double a, b;
	double aa, ab, bb;
};

/* Sum up the derivatives (6) with dz/dA = f and dz/dB = 1, and the second derivatives (7). */
static struct derivatives differentiate(const struct fit *fit, struct sigmoid s)
{
	struct derivatives d = { .aa = ridge, .bb = ridge };

	for (int64_t i = 0; i < fit->n; i++) {
		double f = fit->f[i], p = probability_sigmoid(f, s.a, s.b);
		/* second derivative p (1 - p) of an example's loss by z */
		double weight = count_of(fit, i) * (p * probability_sigmoid(f, -s.a, -s.b));
		double miss = count_of(fit, i) * (wanted(fit, i) - p);

		d.a += f * miss;
		d.b += miss;
		d.aa += f * f * weight;
		d.ab += f * weight;
		d.bb += weight;
	}
	return d;
}

/*
 * (8): go along the Newton direction -H^-1 g, half as far each time until the decrease of F, which
 * '*value' is, is sufficient.  Returns 0, or -1 if no step is.
 */
static int newton_step(const struct fit *fit, const struct derivatives *d, struct sigmoid *s,
		       double *value)
{
	double determinant = d->aa * d->bb - d->ab * d->ab;
	double to_a = (d->ab * d->b - d->bb * d->a) / determinant;
	double to_b = (d->ab * d->a - d->aa * d->b) / determinant;
	double slope = d->a * to_a + d->b * to_b, step = 1;

	while (step >= least_step) {
		struct sigmoid next = { s->a + step * to_a, s->b + step * to_b };
		double next_value = objective(fit, next);

		if (next_value < *value + sufficient * step * slope) {
			*s = next;
			*value = next_value;
			return 0;
		}
		step /= 2;
	}
	return -1;
}

enum sigmoid_end sigmoid_fit(const double *f, const double *target, const double *weight, int64_t n,
			     struct sigmoid *s)
{
	struct fit fit = { .f = f, .target = target, .weight = weight, .n = n };
	double n_plus = 0, n_minus, value;

	fit.scale = weight ? (double)n / sum_of_sizes(weight, n) : 1;
	for (int64_t i = 0; i < n; i++)
		n_plus += target[i] > 0 ? count_of(&fit, i) : 0;
	n_minus = (double)n - n_plus;
	/* Platt's targets: the mean of a rate with a uniform prior after n_plus hits, no miss */
	fit.t_plus = (n_plus + 1) / (n_plus + 2);
	fit.t_minus = 1 / (n_minus + 2);
	*s = (struct sigmoid){ 0, log((n_minus + 1) / (n_plus + 1)) };
	value = objective(&fit, *s);
	for (int i = 0; i < MAX_ITERATIONS; i++) {
		struct derivatives d = differentiate(&fit, *s);

		if (fabs(d.a) < tolerance && fabs(d.b) < tolerance)
			return SIGMOID_CONVERGED;
		if (newton_step(&fit, &d, s, &value) < 0)
			return SIGMOID_NO_STEP;
	}
	return SIGMOID_MAX_ITERATIONS;
}
