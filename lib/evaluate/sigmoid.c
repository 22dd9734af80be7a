/*
 * sigmoid.c - fit 1 / (1 + exp(A f + B)) to decision values
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/sigmoid.h"

#include <math.h>

#include "model/probability.h"

enum { MAX_ITERATIONS = 100 };
static const double tolerance = 1e-5;
static const double least_step = 1e-10;
static const double ridge = 1e-12;     /* keeps the Hessian positive definite */
static const double sufficient = 1e-4; /* of the decrease that the slope promises */

struct fit {
	const double *f, *target;
	int64_t n;
	double t_plus, t_minus; /* what to hit in each class, instead of 1 and 0 */
};

static double wanted(const struct fit *fit, int64_t i)
{
	return fit->target[i] > 0 ? fit->t_plus : fit->t_minus;
}

/* F(A, B) = sum_i t_i z_i + log(1 + exp(-z_i)), z_i = A f_i + B; never exp of what is positive */
static double objective(const struct fit *fit, struct sigmoid s)
{
	double sum = 0;

	for (int64_t i = 0; i < fit->n; i++) {
		double z = s.a * fit->f[i] + s.b, t = wanted(fit, i);

		sum += z >= 0 ? t * z + log1p(exp(-z)) : (t - 1) * z + log1p(exp(z));
	}
	return sum;
}

/* First and second derivatives. */
struct derivatives {
	double a, b;
	double aa, ab, bb;
};

static struct derivatives differentiate(const struct fit *fit, struct sigmoid s)
{
	struct derivatives d = { .aa = ridge, .bb = ridge };

	for (int64_t i = 0; i < fit->n; i++) {
		double f = fit->f[i], p = probability_sigmoid(f, s.a, s.b);
		/* 1 - p where p is near 1 would be all rounding */
		double weight = p * probability_sigmoid(f, -s.a, -s.b);
		double miss = wanted(fit, i) - p;

		d.a += f * miss;
		d.b += miss;
		d.aa += f * f * weight;
		d.ab += f * weight;
		d.bb += weight;
	}
	return d;
}

/*
 * Go along the Newton direction -H^-1 g, half as far each time until the decrease is
 * sufficient; '*value' is F.  Returns 0, or -1 if that never comes.
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

enum sigmoid_end sigmoid_fit(const double *f, const double *target, int64_t n, struct sigmoid *s)
{
	struct fit fit = { .f = f, .target = target, .n = n };
	double n_plus = 0, n_minus, value;

	for (int64_t i = 0; i < n; i++)
		n_plus += target[i] > 0;
	n_minus = (double)n - n_plus;
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
