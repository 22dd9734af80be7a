/*
 * test_probability.c - sigmoid, coupling and density marks, by their properties
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/probability.h"
#include "random.h"
#include "unit.h"

enum { MAX_CLASSES = 12 };

static void test_sigmoid(void)
{
	CHECK(probability_sigmoid(0, -1, 0) == 0.5, "%g", probability_sigmoid(0, -1, 0));
	CHECK(probability_sigmoid(1e9, -1e9, 0) == 1, "%g", probability_sigmoid(1e9, -1e9, 0));
	CHECK(probability_sigmoid(1e9, 1e9, 0) == 0, "%g", probability_sigmoid(1e9, 1e9, 0));
	for (int i = 0; i < 1000; i++) {
		double f = 20 * random_unit() - 10, a = -2 * random_unit(), b = random_unit() - 0.5;
		double p = probability_sigmoid(f, a, b), q = probability_sigmoid(-f, a, -b);

		CHECK(fabs(p - 1 / (1 + exp(a * f + b))) <= 4 * DBL_EPSILON, "%g at %g", p, f);
		CHECK(fabs(p + q - 1) <= 4 * DBL_EPSILON, "%g + %g", p, q);
		CHECK(probability_sigmoid(f + 0.1, a, b) >= p, "falls at %g", f);
	}
}

static void test_clip(void)
{
	CHECK(probability_clip(0.25) == 0.25, "%g", probability_clip(0.25));
	CHECK(probability_clip(0) == 1e-7, "%g", probability_clip(0));
	CHECK(probability_clip(1) == 1 - 1e-7, "%g", probability_clip(1));
}

/* ---- Coupling ---- */

struct problem {
	int k;
	double r[MAX_CLASSES * MAX_CLASSES]; /* the estimates; k to a row */
	double q[MAX_CLASSES][MAX_CLASSES];
};

static void set_pair(struct problem *p, int i, int j, double r)
{
	p->r[i * p->k + j] = probability_clip(r);
	p->r[j * p->k + i] = 1 - p->r[i * p->k + j];
}

static void set_q(struct problem *p)
{
	for (int t = 0; t < p->k; t++) {
		p->q[t][t] = 0;
		for (int j = 0; j < p->k; j++)
			if (j != t) {
				p->q[t][t] += p->r[j * p->k + t] * p->r[j * p->k + t];
				p->q[t][j] = -p->r[j * p->k + t] * p->r[t * p->k + j];
			}
	}
}

static void random_problem(struct problem *p, int k, double spread)
{
	p->k = k;
	for (int i = 0; i < k; i++)
		for (int j = i + 1; j < k; j++)
			set_pair(p, i, j, 0.5 + spread * (random_unit() - 0.5));
	set_q(p);
}

/* The minimiser by elimination with pivoting on [Q -1; 1' 0] [p; m] = [0; 1]. */
static void solve_exactly(const struct problem *problem, double *p)
{
	enum { N = MAX_CLASSES + 1 };
	double a[N][N + 1] = { 0 };
	int k = problem->k, n = k + 1;

	for (int t = 0; t < k; t++) {
		for (int j = 0; j < k; j++)
			a[t][j] = problem->q[t][j];
		a[t][k] = -1;
		a[k][t] = 1;
	}
	a[k][n] = 1;
	for (int c = 0; c < n; c++) {
		int best = c;

		for (int i = c + 1; i < n; i++)
			if (fabs(a[i][c]) > fabs(a[best][c]))
				best = i;
		for (int j = 0; j <= n; j++) {
			double swap = a[c][j];

			a[c][j] = a[best][j];
			a[best][j] = swap;
		}
		for (int i = 0; i < n; i++)
			for (int j = n; i != c && j >= c; j--)
				a[i][j] -= a[i][c] / a[c][c] * a[c][j];
	}
	for (int t = 0; t < k; t++)
		p[t] = a[t][n] / a[t][t];
}

static double objective(const struct problem *problem, const double *p)
{
	double sum = 0;

	for (int i = 0; i < problem->k; i++)
		for (int j = 0; j < problem->k; j++)
			sum += p[i] * problem->q[i][j] * p[j];
	return sum;
}

/* How far from (Qp)_t = p'Qp for all t. */
static double violation(const struct problem *problem, const double *p)
{
	double worst = 0, middle = objective(problem, p);

	for (int t = 0; t < problem->k; t++) {
		double sum = 0;

		for (int j = 0; j < problem->k; j++)
			sum += problem->q[t][j] * p[j];
		worst = fmax(worst, fabs(sum - middle));
	}
	return worst;
}

static void couple(const struct problem *problem, double *p)
{
	double work[MAX_CLASSES * (MAX_CLASSES + 1)];

	memset(work, 0xff, sizeof(work)); /* NaNs: to be overwritten */
	probability_couple(problem->k, problem->r, p, work);
}

/* With the residual v of p, p'Qp is within 2 v sum |p - p*| <= 4 v of the minimum, being convex. */
static void test_minimiser(void)
{
	double p[MAX_CLASSES], exact[MAX_CLASSES];
	struct problem problem;

	for (int round = 0; round < 2000; round++) {
		double sum = 0, v;
		int k = 3 + round % (MAX_CLASSES - 2);

		random_problem(&problem, k, (round / 16 % 5 + 1) / 5.0);
		couple(&problem, p);
		solve_exactly(&problem, exact);
		v = violation(&problem, p);
		CHECK(v < 0.005 / k, "%g for %d classes", v, k);
		CHECK(objective(&problem, p) <= objective(&problem, exact) + 4 * v,
		      "%g, at best %g", objective(&problem, p), objective(&problem, exact));
		for (int t = 0; t < k; t++) {
			CHECK(p[t] > 0, "p[%d] %g of %d", t, p[t], k);
			sum += p[t];
		}
		CHECK(fabs(sum - 1) <= 100 * k * DBL_EPSILON, "sum %.17g", sum);
	}
}

/* Where a p fits all pairs, r_ij = p_i / (p_i + p_j), it is the minimiser: objective 0. */
static void test_consistent(void)
{
	double truth[MAX_CLASSES], p[MAX_CLASSES], exact[MAX_CLASSES], sum;
	struct problem problem;

	for (int round = 0; round < 500; round++) {
		int k = problem.k = 2 + round % (MAX_CLASSES - 1);

		sum = 0;
		for (int t = 0; t < k; t++)
			sum += truth[t] = 0.05 + random_unit();
		for (int i = 0; i < k; i++)
			for (int j = i + 1; j < k; j++)
				set_pair(&problem, i, j, truth[i] / (truth[i] + truth[j]));
		set_q(&problem);
		couple(&problem, p);
		solve_exactly(&problem, exact);
		for (int t = 0; t < k; t++) {
			CHECK(fabs(exact[t] - truth[t] / sum) < 1e-12, "%g, not %g", exact[t],
			      truth[t] / sum);
			CHECK(fabs(p[t] - truth[t] / sum) < (k == 2 ? 4 * DBL_EPSILON : 0.02),
			      "%g, not %g, of %d", p[t], truth[t] / sum, k);
		}
	}
}

/* All alike: uniform at once.  One class: certain. */
static void test_uniform(void)
{
	struct problem problem;
	double p[MAX_CLASSES];

	for (int k = 1; k <= MAX_CLASSES; k++) {
		random_problem(&problem, k, 0);
		couple(&problem, p);
		for (int t = 0; t < k; t++)
			CHECK(p[t] == 1.0 / k, "%.17g for %d classes", p[t], k);
	}
}

/* Another order of the classes gives the same, as far as it is the minimiser at all. */
static void test_permutation(void)
{
	double p[MAX_CLASSES], turned[MAX_CLASSES];
	struct problem a, b;

	for (int round = 0; round < 500; round++) {
		int k = 2 + round % (MAX_CLASSES - 1);

		random_problem(&a, k, 0.9);
		b.k = k;
		for (int i = 0; i < k; i++)
			for (int j = 0; j < k; j++)
				b.r[(i + 1) % k * k + (j + 1) % k] = a.r[i * k + j];
		couple(&a, p);
		couple(&b, turned);
		for (int t = 0; t < k; t++)
			CHECK(fabs(p[t] - turned[(t + 1) % k]) < 0.02, "%g and %g of %d", p[t],
			      turned[(t + 1) % k], k);
	}
}

/* Opinions that cannot be stronger end the iteration too. */
static void test_extremes(void)
{
	struct problem problem;
	double p[MAX_CLASSES];

	for (int k = 2; k <= MAX_CLASSES; k++) {
		random_problem(&problem, k, 0);
		for (int i = 0; i < k; i++)
			for (int j = i + 1; j < k; j++)
				set_pair(&problem, i, j, 1);
		couple(&problem, p);
		for (int t = 0; t < k; t++)
			CHECK(t == 0 ? p[t] > 0.9 : p[t] >= 0 && p[t] < 0.1, "p[%d] = %g of %d", t,
			      p[t], k);
	}
}

static void test_density(void)
{
	static const double marks[] = { -4, -3, -2, -1, 0, 1, 2, 3, 4, 5 };
	static const struct {
		double value, probability;
	} cases[] = { { -INFINITY, 0.001 }, { -4.5, 0.001 }, { -4, 0.1 },  { -3.5, 0.1 },
		      { -3, 0.2 },	    { -0.5, 0.4 },   { 0, 0.5 },   { 0.5, 0.5 },
		      { 4, 0.9 },	    { 4.5, 0.9 },    { 5, 0.999 }, { 5.5, 0.999 },
		      { INFINITY, 0.999 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double p = probability_density(marks, 10, cases[i].value);

		CHECK(p == cases[i].probability, "%g for %g", p, cases[i].value);
	}
}

/* How many of the values have P(normal) = k / 10, k = 0 and 10 standing for .001 and .999. */
static void count_shares(const double *values, int64_t n, const double *marks, int64_t count[11])
{
	memset(count, 0, 11 * sizeof(*count));
	for (int64_t i = 0; i < n; i++)
		count[lround(10 * probability_density(marks, 10, values[i]))]++;
}

/* Marks ascend; below 0.5 are the values below 0; all parts but the outer two are alike. */
static void test_fit_density(void)
{
	enum { N = 2000 };
	double values[N], marks[10];
	int64_t count[11], n_below = 0, sum = 0;

	for (int i = 0; i < N; i++) {
		values[i] = random_normal() + 0.5;
		n_below += values[i] < 0;
	}
	CHECK(probability_fit_density(values, N, 10, marks), "too few of %d", N);
	for (int k = 0; k < 9; k++)
		CHECK(marks[k] < marks[k + 1], "mark %d", k);
	CHECK(marks[4] < 0 && marks[5] > 0, "0 is not between %g and %g", marks[4], marks[5]);
	count_shares(values, N, marks, count);
	for (int k = 0; k < 5; k++)
		sum += count[k];
	CHECK(sum <= n_below && sum > n_below * 8 / 10, "%d of %d below", (int)sum, (int)n_below);
	for (int k = 1; k <= 9; k++)
		CHECK(count[k] > (k < 5 ? n_below :
				  k > 5 ? N - n_below :
					  N / 2) /
					 5 * 6 / 10,
		      "%d in part %d", (int)count[k], k);
}

/* Five of a side are enough, and are the cuts themselves; four are not. */
static void test_few_densities(void)
{
	double values[] = { 5, -1, 4, -2, 3, -3, 2, -4, 1, -5 }, marks[10];
	const double expected[] = { -4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5 };

	CHECK(!probability_fit_density(values, 9, 10, marks), "four below 0");
	CHECK(probability_fit_density(values, 10, 10, marks), "five of each side");
	for (int k = 0; k < 10; k++)
		CHECK(marks[k] == expected[k], "mark %d is %g", k, marks[k]);
	for (int k = 0; k < 10; k++)
		values[k] = k + 1;
	CHECK(!probability_fit_density(values, 10, 10, marks), "none below 0");
}

int main(void)
{
	test_fit_density();
	test_few_densities();
	test_sigmoid();
	test_clip();
	test_minimiser();
	test_consistent();
	test_uniform();
	test_permutation();
	test_extremes();
	test_density();
	return unit_report("probability");
}
