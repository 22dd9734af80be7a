/*
 * sigmoid.c - fit 1 / (1 + exp(A f + B)) to decision values
 *
 * How this works.  With z_i = A f_i + B, p_i = 1 / (1 + exp(z_i)) and targets t_i, which stop
 * short of 0 and 1 so that separable data have a finite solution,
 *
 *     F(A, B) = sum_i t_i z_i + log(1 + exp(-z_i))                              (1)
 *     dF/dz_i = t_i - p_i,    d^2F/dz_i^2 = p_i (1 - p_i) >= 0                   (2)
 *
 * is convex in two unknowns.  A step solves the 2 x 2 system H step = -gradient, H the Hessian of
 * (2) with a small ridge (3), and is halved until F falls by a share of what the slope promises
 * (4): full Newton steps alone may overshoot where all p_i are near 0 or 1 and H is nearly 0.
 *
 * What must not be simplified: exp() is only ever taken of what is not positive, since f_i is
 * unbounded; log(1 + x) is log1p(x), which keeps small x; and 1 - p_i is computed as the sigmoid of
 * -z_i, since near p_i = 1 the difference has no correct digit.  Section 3 of Lin, Lin, Weng 2007
 * shows how Platt's pseudo code fails where it does otherwise.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sigmoid.h"

#include <math.h>

#include "model/probability.h"

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

/* Objective F by equation (1); z < 0 has the form (t - 1) z + log(1 + exp(z)), without overflow. */
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

/* Sum up the derivatives (2) with dz/dA = f and dz/dB = 1, and the second derivatives (3). */
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
 * (4): go along the Newton direction -H^-1 g, half as far each time until the decrease of F, which
 * '*value' is, is sufficient.  Returns 0, or -1 if no step is.
 */
static int improve(const struct fit *fit, const struct derivatives *d, struct sigmoid *s,
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

/* 1 over the mean weight. */
static double scale_of(const double *weight, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += weight[i];
	return (double)n / sum;
}

enum sigmoid_end sigmoid_fit(const double *f, const double *target, const double *weight, int64_t n,
			     struct sigmoid *s)
{
	struct fit fit = { .f = f, .target = target, .weight = weight, .n = n };
	double n_plus = 0, n_minus, value;

	fit.scale = weight ? scale_of(weight, n) : 1;
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
		if (improve(&fit, &d, s, &value) < 0)
			return SIGMOID_NO_STEP;
	}
	return SIGMOID_MAX_ITERATIONS;
}
