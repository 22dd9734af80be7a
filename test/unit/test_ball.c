/*
 * test_ball.c - the smallest enclosing ball where it is known, and by brute force
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "geometry/ball.h"
#include "random.h"
#include "unit.h"

static struct ball enclose(const struct csr *x, double tolerance, int n_threads)
{
	struct ball_options options = { tolerance, n_threads };
	struct error err = { 0 };
	struct ball b;

	CHECK(ball_enclose(&b, NULL, x, &options, &err) == 0, "%s", err.text);
	return b;
}

/* The bounds enclose 'radius' and are as near as promised. */
static void check_radius(const struct csr *x, double tolerance, double radius, double rounding,
			 const char *what)
{
	struct ball b = enclose(x, tolerance, 1);

	CHECK(b.radius_low <= radius * (1 + rounding) && radius <= b.radius_high * (1 + rounding),
	      "%s: %.17g to %.17g, not %.17g", what, b.radius_low, b.radius_high, radius);
	CHECK(b.radius_high <= b.radius_low * (1 + tolerance) * (1 + rounding),
	      "%s: %.17g to %.17g", what, b.radius_low, b.radius_high);
}

/* k unit vectors: sqrt((k - 1) / k). */
static void test_simplices(void)
{
	for (int32_t k = 1; k <= 300; k += k < 10 ? 1 : 97) {
		double *a = full_zeros(k, k);
		struct csr x = { 0 };

		for (int32_t i = 0; i < k; i++)
			a[i * k + i] = 1;
		full_rows(&x, a, k, k, 1, 7);
		check_radius(&x, 1e-6, sqrt((k - 1.0) / k), 1e-12, "simplex");
		csr_free(&x);
		free(a);
	}
}

static void test_few_points(void)
{
	struct csr x = { 0 };
	double two[4] = { 3, 0, 0, 4 }, none[9] = { 0 };

	CHECK(enclose(&x, 1e-4, 1).radius_high == 0, "no rows");
	full_rows(&x, none, 1, 3, 1, 1);
	CHECK(enclose(&x, 1e-4, 1).radius_high == 0, "the origin");
	full_rows(&x, none, 3, 3, 1, 1);
	CHECK(enclose(&x, 1e-4, 1).radius_high == 0, "three times the origin");
	csr_free(&x);
	for (int k = 0; k < 5; k++)
		full_rows(&x, two, 1, 2, 1, 1);
	CHECK(enclose(&x, 1e-4, 1).radius_high == 0, "equal points");
	for (int k = 0; k < 3; k++)
		full_rows(&x, two, 2, 2, 1, 1);
	check_radius(&x, 1e-9, 2.5, 1e-15, "two points, repeated");
	csr_free(&x);
}

/* ---- Brute force: balls through 2 to d + 1 of the points ---- */

enum { MOST = 5 };

/* Solve the n equations a z = rhs by elimination with pivots; false if they are singular. */
static bool solve(double a[MOST][MOST + 1], int n)
{
	for (int c = 0; c < n; c++) {
		int pivot = c;

		for (int r = c + 1; r < n; r++)
			pivot = fabs(a[r][c]) > fabs(a[pivot][c]) ? r : pivot;
		if (fabs(a[pivot][c]) < 1e-10)
			return false;
		for (int k = 0; k <= n; k++) {
			double old = a[c][k];

			a[c][k] = a[pivot][k];
			a[pivot][k] = old;
		}
		for (int r = 0; r < n; r++)
			for (int k = n; r != c && k >= c; k--)
				a[r][k] -= a[r][c] / a[c][c] * a[c][k];
	}
	for (int c = 0; c < n; c++)
		a[c][n] /= a[c][c];
	return true;
}

/* The centre equidistant from the chosen points, in their plane: p0 + sum z_k (p_k - p0). */
static bool circumscribe(const double *a, int d, const int *chosen, int n, double *centre)
{
	double system[MOST][MOST + 1] = { { 0 } };
	const double *p0 = a + chosen[0] * d;

	for (int r = 1; r < n; r++)
		for (int j = 0; j < d; j++) {
			double e = a[chosen[r] * d + j] - p0[j];

			for (int c = 1; c < n; c++)
				system[r - 1][c - 1] += 2 * e * (a[chosen[c] * d + j] - p0[j]);
			system[r - 1][n - 1] += e * e;
		}
	if (!solve(system, n - 1))
		return false;
	for (int j = 0; j < d; j++) {
		centre[j] = p0[j];
		for (int c = 1; c < n; c++)
			centre[j] += system[c - 1][n - 1] * (a[chosen[c] * d + j] - p0[j]);
	}
	return true;
}

static double farthest_from(const double *a, int n, int d, const double *centre)
{
	double most = 0;

	for (int i = 0; i < n; i++) {
		double sum = 0;

		for (int j = 0; j < d; j++)
			sum += (a[i * d + j] - centre[j]) * (a[i * d + j] - centre[j]);
		most = fmax(most, sqrt(sum));
	}
	return most;
}

/* Any centre gives a ball that holds all; the smallest ball is among these. */
static double plain_radius(const double *a, int n, int d)
{
	double best = INFINITY;

	for (int set = 1; set < 1 << n; set++) {
		int chosen[MOST], size = 0;
		double centre[MOST];

		if (__builtin_popcount((unsigned)set) < 2 ||
		    __builtin_popcount((unsigned)set) > d + 1)
			continue;
		for (int i = 0; i < n; i++)
			if (set >> i & 1)
				chosen[size++] = i;
		if (circumscribe(a, d, chosen, size, centre))
			best = fmin(best, farthest_from(a, n, d, centre));
	}
	return best;
}

static void test_brute_force(void)
{
	for (int k = 0; k < 60; k++) {
		int n = 3 + (int)random_below(9), d = 1 + (int)random_below(3);
		double *a = full_normal(n, d);
		struct csr x = { 0 };
		double radius;

		for (int i = 0; i < n * d; i++)
			a[i] = random_below(3) ? a[i] : 0;
		radius = plain_radius(a, n, d);
		full_rows(&x, a, n, d, 2, 5);
		check_radius(&x, 1e-7, radius, 1e-10, "brute force");
		csr_free(&x);
		free(a);
	}
}

/* ---- Far from 0 ---- */

static void test_offset(void)
{
	static const double offset[] = { 1, 1e3, 1e6 };
	int n = 2000, d = 20;
	double *a = full_normal(n, d), *moved = full_zeros(n, d);

	for (int k = 0; k < 3; k++) {
		struct csr x = { 0 }, y = { 0 };
		struct ball plain, far;

		/* whole multiples of 2^-30: moving them rounds nothing */
		for (int i = 0; i < n * d; i++) {
			a[i] = round(a[i] * 0x1p30) * 0x1p-30;
			moved[i] = a[i] + offset[k];
		}
		full_rows(&x, a, n, d, 1, 1);
		full_rows(&y, moved, n, d, 1, 1);
		plain = enclose(&x, 1e-4, 1);
		far = enclose(&y, 1e-4, 1);
		CHECK(far.radius_low <= plain.radius_high && plain.radius_low <= far.radius_high,
		      "moved by %g: %.17g to %.17g and %.17g to %.17g", offset[k], plain.radius_low,
		      plain.radius_high, far.radius_low, far.radius_high);
		CHECK(far.radius_high <= far.radius_low * 1.0001, "moved by %g: %.17g to %.17g",
		      offset[k], far.radius_low, far.radius_high);
		csr_free(&x);
		csr_free(&y);
	}
	free(a);
	free(moved);
}

/* Some columns in nearly all rows, others in few: both ways of adding up, in one matrix. */
static void test_mixed_columns(void)
{
	for (int k = 0; k < 20; k++) {
		struct csr x = { 0 }, y = { 0 };
		double *a = full_normal(300, 12), *b = full_zeros(300, 12);
		struct ball by_rows, turned;

		for (int i = 0; i < 300 * 12; i++)
			a[i] = random_unit() < (i % 3 ? 0.2 : 0.9) ? a[i] + 3 : 0;
		/* reflected in the mean of all columns: the same distances, and no zeros left */
		for (int i = 0; i < 300; i++) {
			double sum = 0;

			for (int j = 0; j < 12; j++)
				sum += a[i * 12 + j];
			for (int j = 0; j < 12; j++)
				b[i * 12 + j] = a[i * 12 + j] - sum / 6;
		}
		full_rows(&x, a, 300, 12, 1, 3);
		full_rows(&y, b, 300, 12, 1, 3);
		by_rows = enclose(&x, 1e-6, 1);
		turned = enclose(&y, 1e-6, 1);
		CHECK(turned.radius_low <= by_rows.radius_high * (1 + 1e-12) &&
			      by_rows.radius_low <= turned.radius_high * (1 + 1e-12),
		      "%.17g to %.17g, turned %.17g to %.17g", by_rows.radius_low,
		      by_rows.radius_high, turned.radius_low, turned.radius_high);
		csr_free(&x);
		csr_free(&y);
		free(a);
		free(b);
	}
}

static void test_threads(void)
{
	struct csr x = { 0 };
	struct ball one, more;

	random_rows(&x, 20000, 40, 0.3);
	one = enclose(&x, 1e-5, 1);
	CHECK(one.radius_high <= one.radius_low * (1 + 1e-5), "%g to %g", one.radius_low,
	      one.radius_high);
	for (int n = 2; n < 6; n++) {
		more = enclose(&x, 1e-5, n);
		CHECK(memcmp(&one, &more, sizeof(one)) == 0, "%d threads: %.17g, not %.17g", n,
		      more.radius_high, one.radius_high);
	}
	csr_free(&x);
}

/* Radii whose squares are no doubles, and those of equal rows, which are 0. */
static void test_bad_rows(void)
{
	static const double pairs[3][2] = { { 1e200, -1e200 }, { 1e-162, -1e-162 }, { 0, 5e-324 } };
	static const double equal[2] = { 1e-162, 1e-162 };
	struct ball_options options = { 1e-4, 1 };
	struct error err = { 0 };
	struct csr x = { 0 };
	struct ball b;

	for (int k = 0; k < 3; k++) {
		err.code = ERR_NONE;
		full_rows(&x, pairs[k], 2, 1, 1, 1);
		CHECK(ball_enclose(&b, NULL, &x, &options, &err) < 0 && err.code == ERR_NUMERIC,
		      "%g and %g: code %d", pairs[k][0], pairs[k][1], err.code);
		csr_free(&x);
	}
	full_rows(&x, equal, 2, 1, 1, 1);
	CHECK(ball_enclose(&b, NULL, &x, &options, &err) == 0 && b.radius_high == 0, "radius %g",
	      b.radius_high);
	csr_free(&x);
}

static int run_ball(void *arg, struct error *err)
{
	struct ball_options options = { 1e-6, 1 };
	struct ball b;

	return ball_enclose(&b, NULL, arg, &options, err);
}

static void test_memory(void)
{
	struct csr x = { 0 };

	random_rows(&x, 300, 40, 0.3);
	CHECK(fail_each_allocation("ball", run_ball, &x) >= 8, "too few allocations");
	csr_free(&x);
}

int main(void)
{
	test_simplices();
	test_few_points();
	test_brute_force();
	test_offset();
	test_mixed_columns();
	test_threads();
	test_bad_rows();
	test_memory();
	return unit_report("ball");
}
