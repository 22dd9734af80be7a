/*
 * test_intervals.c - intervals of measures against their definitions, and how often they are right
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "evaluate/metric_intervals.h"
#include "random.h"
#include "unit.h"

static bool close_to(double x, double y)
{
	return fabs(x - y) <= 1e-11 * fmax(1, fabs(y));
}

/* Check that n_covered of n intervals of the level are within four standard deviations. */
static void check_coverage(const char *what, int64_t n_covered, int64_t n, double level)
{
	const double share = (double)n_covered / (double)n;

	CHECK(fabs(share - level) < 4 * sqrt(level * (1 - level) / (double)n),
	      "%s: %g of %lld intervals of level %g are right", what, share, (long long)n, level);
}

/* ---- shares ---- */

static void test_wilson(void)
{
	int64_t n_covered = 0;

	CHECK(close_to(normal_bound(0.95), 1.959963984540054), "95 %%");
	CHECK(close_to(normal_bound(0.99), 2.5758293035489004), "99 %%");
	for (int n = 1; n < 40; n += 7)
		for (int right = 0; right <= n; right++) {
			const double z = 1.7, share = (double)right / n;
			const struct interval i = wilson_interval(share, n, z);

			/* the ends are where the test of p just rejects, or of no row and of all */
			CHECK(close_to(share - i.from, z * sqrt(i.from * (1 - i.from) / n)),
			      "from, %d of %d", right, n);
			CHECK(close_to(i.to - share, z * sqrt(i.to * (1 - i.to) / n)),
			      "to, %d of %d", right, n);
		}
	CHECK(isnan(wilson_interval(NAN, 0, 2).from) && isnan(wilson_interval(NAN, 0, 2).to),
	      "no case");
	for (int run = 0; run < 4000; run++) {
		const double p = random_between(0.1, 0.95);
		struct interval i;
		int right = 0;

		for (int k = 0; k < 100; k++)
			right += random_unit() < p;
		i = wilson_interval(right / 100., 100, normal_bound(0.9));
		n_covered += i.from <= p && p <= i.to;
	}
	check_coverage("Wilson", n_covered, 4000, 0.9);
}

/* ---- AUC ---- */

/* So many examples of normal scores, the positives 'shift' higher; rounded to multiples of 'grid'. */
static void draw_roc(struct roc *r, int n_positive, int n_negative, double shift, double grid)
{
	struct error err = { 0 };

	for (int i = 0; i < n_positive + n_negative; i++) {
		const bool positive = i < n_positive;
		double score = random_normal() + (positive ? shift : 0);

		if (grid > 0)
			score = grid * floor(score / grid);
		CHECK(roc_add(r, score, positive ? 1 : -1, &err) == 0, "%s", err.text);
	}
	roc_sort(r);
}

/* Share of the examples of the other class that example k is on the right side of. */
static double placement(const struct roc *r, int64_t k)
{
	const double sign = r->example[k].weight;
	double sum = 0, n = 0;

	for (int64_t i = 0; i < r->n; i++) {
		const double off = sign * (r->example[k].score - r->example[i].score);

		if (r->example[i].weight == sign)
			continue;
		sum += off > 0 ? 1 : off == 0 ? 0.5 : 0;
		n++;
	}
	return sum / n;
}

/* The variance by its definition, in O(n^2). */
static double plain_variance(const struct roc *r)
{
	double variance = 0;

	for (int sign = -1; sign <= 1; sign += 2) {
		double n = 0, sum = 0, squares = 0;

		for (int64_t k = 0; k < r->n; k++)
			if (r->example[k].weight == sign) {
				sum += placement(r, k);
				n++;
			}
		for (int64_t k = 0; k < r->n; k++)
			if (r->example[k].weight == sign)
				squares += pow(placement(r, k) - sum / n, 2);
		variance += squares / (n - 1) / n;
	}
	return variance;
}

static void test_auc(void)
{
	int64_t n_covered = 0;
	struct interval i;

	for (int run = 0; run < 40; run++) {
		struct roc r = { 0 };

		draw_roc(&r, 2 + run, 40 - run / 2, 0.7, run % 4 * 0.4);
		CHECK(close_to(roc_auc_variance(&r), plain_variance(&r)), "run %d: %g, not %g", run,
		      roc_auc_variance(&r), plain_variance(&r));
		i = roc_auc_interval(&r, 2);
		CHECK(i.from >= 0 && i.from <= roc_auc(&r) && roc_auc(&r) <= i.to && i.to <= 1,
		      "run %d: %g to %g", run, i.from, i.to);
		roc_free(&r);
	}
	for (int run = 0; run < 3000; run++) {
		struct roc r = { 0 };
		const double shift = random_between(0, 2), truth = erfc(-shift / 2) / 2;

		draw_roc(&r, 60, 90, shift, 0);
		i = roc_auc_interval(&r, normal_bound(0.9));
		n_covered += i.from <= truth && truth <= i.to;
		roc_free(&r);
	}
	check_coverage("DeLong", n_covered, 3000, 0.9);
}

/* Where all pairs are in order there is no variance, and an interval all the same. */
static void test_perfect(void)
{
	struct roc r = { 0 };
	struct interval i;

	draw_roc(&r, 20, 30, 100, 0);
	i = roc_auc_interval(&r, normal_bound(0.95));
	CHECK(roc_auc(&r) == 1 && roc_auc_variance(&r) == 0, "AUC %g", roc_auc(&r));
	CHECK(i.to == 1 && close_to(i.from, wilson_interval(1, 20, normal_bound(0.95)).from),
	      "%g to %g", i.from, i.to);
	roc_free(&r);
	draw_roc(&r, 0, 30, 0, 0);
	i = roc_auc_interval(&r, 2);
	CHECK(isnan(i.from) && isnan(i.to), "no positives: %g to %g", i.from, i.to);
	roc_free(&r);
}

/* ---- draws ---- */

enum { N_UNITS = 101, N_DRAWS = 400 };

static void test_counts(void)
{
	int32_t count[N_UNITS], again[N_UNITS];
	double sum[N_UNITS] = { 0 }, squares = 0;

	for (int draw = 0; draw < N_DRAWS; draw++) {
		int64_t n = 0;

		bootstrap_counts(7, draw, N_UNITS, count);
		bootstrap_counts(7, draw, N_UNITS, again);
		CHECK(memcmp(count, again, sizeof(count)) == 0, "draw %d differs from itself",
		      draw);
		for (int k = 0; k < N_UNITS; k++) {
			n += count[k];
			sum[k] += count[k];
		}
		CHECK(n == N_UNITS, "draw %d has %lld units", draw, (long long)n);
	}
	for (int k = 0; k < N_UNITS; k++)
		squares += pow(sum[k] - N_DRAWS, 2) / N_DRAWS;
	/* chi squared: mean N_UNITS - 1, standard deviation sqrt(2 (N_UNITS - 1)) */
	CHECK(fabs(squares - N_UNITS + 1) < 4 * sqrt(2. * (N_UNITS - 1)), "chi squared %g",
	      squares);
	bootstrap_counts(8, 0, N_UNITS, again);
	bootstrap_counts(7, 0, N_UNITS, count);
	CHECK(memcmp(count, again, sizeof(count)) != 0, "seeds draw the same");
}

static void test_percentiles(void)
{
	double value[1000];
	struct interval i;
	int64_t n_covered = 0;

	for (int k = 0; k < 1000; k++)
		value[k] = 1000 - k;
	i = bootstrap_interval(value, 999, 0.95);
	CHECK(i.from == 26 && i.to == 976, "%g to %g", i.from, i.to);
	value[0] = value[500] = NAN;
	i = bootstrap_interval(value, 21, 0.9);
	CHECK(i.from == 3 && i.to == 22, "without one: %g to %g", i.from, i.to);
	i = bootstrap_interval(value, 18, 0.9);
	CHECK(isnan(i.from) && isnan(i.to), "18 draws tell %g to %g", i.from, i.to);
	for (int run = 0; run < 600; run++) {
		double x[N_UNITS];
		int32_t count[N_UNITS];

		for (int k = 0; k < N_UNITS; k++)
			x[k] = random_normal();
		for (int draw = 0; draw < N_DRAWS; draw++) {
			bootstrap_counts((uint64_t)run, draw, N_UNITS, count);
			value[draw] = 0;
			for (int k = 0; k < N_UNITS; k++)
				value[draw] += count[k] * x[k];
		}
		i = bootstrap_interval(value, N_DRAWS, 0.9);
		n_covered += i.from <= 0 && 0 <= i.to;
	}
	check_coverage("bootstrap of a mean", n_covered, 600, 0.9);
}

/* ---- two machines ---- */

static void test_signs(void)
{
	CHECK(sign_test(0, 0) == 1 && sign_test(4, 4) == 1, "equal numbers");
	for (int n = 1; n <= 50; n++) {
		/* binomials by Pascal's triangle; whole numbers below 2^53 */
		double choose[64] = { 1 }, sum = 0;

		for (int row = 1; row <= n; row++)
			for (int k = row; k > 0; k--)
				choose[k] += choose[k - 1];
		for (int a = 0; 2 * a < n; a++) {
			const double p = fmin(1, ldexp(sum += choose[a], 1 - n));

			CHECK(close_to(sign_test(a, n - a) / p, 1) &&
				      sign_test(a, n - a) == sign_test(n - a, a),
			      "%d and %d: %g, not %g", a, n - a, sign_test(a, n - a), p);
		}
	}
	/* many: as the normal distribution says with the correction of continuity */
	CHECK(fabs(sign_test(49500, 50500) / erfc(999 / sqrt(2e5)) - 1) < 1e-3, "many: %g",
	      sign_test(49500, 50500));
	CHECK(sign_test(0, 1e6) == 0, "all on a side: %g", sign_test(0, 1e6));
}

int main(void)
{
	test_wilson();
	test_auc();
	test_perfect();
	test_counts();
	test_percentiles();
	test_signs();
	return unit_report("intervals");
}
