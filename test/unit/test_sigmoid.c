/*
 * test_sigmoid.c - the fit of a sigmoid, by its properties
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/probability.h"
#include "random.h"
#include "unit.h"

enum { MAX_N = 20000 };

static double f[MAX_N], target[MAX_N];

/* Labels drawn with the probabilities of the sigmoid (a, b). */
static void draw(int64_t n, double a, double b)
{
	for (int64_t i = 0; i < n; i++) {
		f[i] = random_between(-3, 3);
		target[i] = random_unit() < 1 / (1 + exp(a * f[i] + b)) ? 1 : -1;
	}
}

/* The two derivatives of F, from the plain formulas. */
static void derivatives(int64_t n, struct sigmoid s, double *a, double *b)
{
	double n_plus = 0;

	*a = *b = 0;
	for (int64_t i = 0; i < n; i++)
		n_plus += target[i] > 0;
	for (int64_t i = 0; i < n; i++) {
		double t =
			target[i] > 0 ? (n_plus + 1) / (n_plus + 2) : 1 / ((double)n - n_plus + 2);
		double miss = t - 1 / (1 + exp(s.a * f[i] + s.b));

		*a += f[i] * miss;
		*b += miss;
	}
}

/* F is convex: where both derivatives are 0 is its minimum. */
static void expect_minimum(int64_t n, struct sigmoid s)
{
	double a, b;

	derivatives(n, s, &a, &b);
	CHECK(fabs(a) < 1.1e-5 && fabs(b) < 1.1e-5, "derivatives %g and %g at %g, %g", a, b, s.a,
	      s.b);
}

static void test_minimum(void)
{
	struct sigmoid s;

	for (int trial = 0; trial < 50; trial++) {
		int64_t n = 10 + random_below(500);

		draw(n, random_between(-4, 1), random_between(-2, 2));
		CHECK(sigmoid_fit(f, target, NULL, n, &s) == SIGMOID_CONVERGED, "%g, %g", s.a, s.b);
		expect_minimum(n, s);
	}
}

static void test_recovery(void)
{
	struct sigmoid s;

	draw(MAX_N, -1.5, 0.4);
	CHECK(sigmoid_fit(f, target, NULL, MAX_N, &s) == SIGMOID_CONVERGED, "%g, %g", s.a, s.b);
	CHECK(fabs(s.a + 1.5) < 0.1 && fabs(s.b - 0.4) < 0.1, "%g, %g", s.a, s.b);
}

/* Other labels: P(-1) takes the place of P(+1). */
static void test_symmetry(void)
{
	struct sigmoid s, turned;

	draw(300, -2, 0.5);
	sigmoid_fit(f, target, NULL, 300, &s);
	for (int64_t i = 0; i < 300; i++)
		target[i] = -7 * target[i];
	sigmoid_fit(f, target, NULL, 300, &turned);
	CHECK(fabs(s.a + turned.a) < 1e-6 && fabs(s.b + turned.b) < 1e-6, "%g, %g and %g, %g", s.a,
	      s.b, turned.a, turned.b);
}

/* Values that say nothing: A is 0, and P is the share of the class. */
static void test_constant(void)
{
	struct sigmoid s;

	for (int64_t i = 0; i < 100; i++) {
		f[i] = 0;
		target[i] = i % 4 ? -1 : 1;
	}
	CHECK(sigmoid_fit(f, target, NULL, 100, &s) == SIGMOID_CONVERGED && s.a == 0, "A %g", s.a);
	CHECK(fabs(1 / (1 + exp(s.b)) - 0.25) < 0.02, "B %g", s.b);
}

/* Separated classes: the targets keep A finite. */
static void test_separated(void)
{
	struct sigmoid s;

	for (int64_t i = 0; i < 100; i++) {
		target[i] = i % 2 ? -1 : 1;
		f[i] = target[i] * (1 + random_unit());
	}
	CHECK(sigmoid_fit(f, target, NULL, 100, &s) == SIGMOID_CONVERGED, "%g, %g", s.a, s.b);
	CHECK(s.a < -1 && s.a > -20, "A %g", s.a);
	expect_minimum(100, s);
}

/* Examples of weight 2, beside as many of weight 0, are two each; and the unit of weights is free. */
static void test_weights(void)
{
	double weight[300];
	struct sigmoid weighted, scaled, copied;

	draw(300, -1, 0.3);
	for (int64_t i = 0; i < 300; i++)
		weight[i] = i < 150 ? 2 : 0;
	sigmoid_fit(f, target, weight, 300, &weighted);
	for (int64_t i = 0; i < 300; i++)
		weight[i] *= 1e-3;
	sigmoid_fit(f, target, weight, 300, &scaled);
	for (int64_t i = 0; i < 150; i++) {
		f[150 + i] = f[i];
		target[150 + i] = target[i];
	}
	sigmoid_fit(f, target, NULL, 300, &copied);
	CHECK(fabs(weighted.a - copied.a) < 1e-9 && fabs(weighted.b - copied.b) < 1e-9,
	      "%.17g, %.17g and %.17g, %.17g", weighted.a, weighted.b, copied.a, copied.b);
	CHECK(fabs(weighted.a - scaled.a) < 1e-9 && fabs(weighted.b - scaled.b) < 1e-9,
	      "%.17g, %.17g and %.17g, %.17g", weighted.a, weighted.b, scaled.a, scaled.b);
}

static void test_one_class(void)
{
	struct sigmoid s;

	f[0] = 1;
	target[0] = 1;
	CHECK(sigmoid_fit(f, target, NULL, 1, &s) == SIGMOID_CONVERGED && isfinite(s.a) &&
		      isfinite(s.b),
	      "%g, %g", s.a, s.b);
	expect_minimum(1, s);
}

/* What no number can be fitted to ends all the same. */
static void test_no_end(void)
{
	struct sigmoid s;

	draw(100, -1, 0);
	f[50] = NAN;
	CHECK(sigmoid_fit(f, target, NULL, 100, &s) == SIGMOID_NO_STEP, "%g, %g", s.a, s.b);
	CHECK(s.a == 0, "A %g", s.a);
}

int main(void)
{
	test_minimum();
	test_recovery();
	test_symmetry();
	test_constant();
	test_separated();
	test_one_class();
	test_weights();
	test_no_end();
	return unit_report("sigmoid");
}
