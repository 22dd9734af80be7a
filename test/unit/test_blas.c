/*
 * test_blas.c - products and decompositions against plain loops and their definitions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "matrix/blas.h"
#include "matrix/tall_qr.h"
#include "unit.h"

/* What n additions of numbers of size 1 may lose, and some more. */
static double allowed(int64_t n)
{
	return 1e-14 * (double)(n + 10);
}

static void test_multiply(void)
{
	const int64_t m = 7, n = 5, inner = 9, stride = 6;

	for (int shapes = 0; shapes < 4; shapes++) {
		double *a = full_normal(m, inner), *b = full_normal(inner, n);
		double *expected = full_product(a, b, m, inner, n), *c = full_zeros(m, stride);
		double *at = full_transposed(a, m, inner), *bt = full_transposed(b, inner, n);
		struct blas_factor left = { a, inner, BLAS_PLAIN }, right = { b, n, BLAS_PLAIN };
		struct error err = { 0 };

		if (shapes & 1)
			left = (struct blas_factor){ at, m, BLAS_TRANSPOSED };
		if (shapes & 2)
			right = (struct blas_factor){ bt, inner, BLAS_TRANSPOSED };
		for (int64_t k = 0; k < m * stride; k++)
			c[k] = NAN;
		CHECK(blas_multiply(left, right, m, n, inner, 0, c, stride, &err) == 0, "%s",
		      err.text);
		CHECK(blas_multiply(left, right, m, n, inner, 2, c, stride, &err) == 0, "%s",
		      err.text);
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < stride; j++) {
				double is = c[i * stride + j], be = 3 * expected[i * n + j];

				CHECK(j < n ? fabs(is - be) <= 1e-13 : isnan(is), "%g, not %g", is,
				      be);
			}
		CHECK(blas_multiply(left, right, (int64_t)1 << 31, n, inner, 0, c, stride, &err) <
				      0 &&
			      err.code == ERR_ARGUMENT,
		      "a product of 2^31 rows: '%s'", err.text);
		free(a);
		free(b);
		free(c);
		free(at);
		free(bt);
		free(expected);
	}
}

static void test_symmetric_eigen(void)
{
	for (int64_t n = 0; n <= 60; n += n < 4 ? 1 : 14) {
		double *b = full_normal(n, n), *bt = full_transposed(b, n, n);
		double *a = full_product(b, bt, n, n, n), *z = full_zeros(n, n);
		double *value = full_zeros(n, 1), *alone = full_zeros(n, 1), *az, *zt;
		struct error err = { 0 };

		memcpy(z, a, (size_t)(n * n) * sizeof(*z));
		memcpy(bt, a, (size_t)(n * n) * sizeof(*z));
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = i + 1; j < n; j++)
				z[i * n + j] = bt[i * n + j] = NAN; /* not looked at */
		CHECK(blas_symmetric_eigen(z, n, value, true, &err) == 0, "%s", err.text);
		CHECK(blas_symmetric_eigen(bt, n, alone, false, &err) == 0, "%s", err.text);
		zt = full_transposed(z, n, n);
		az = full_product(a, zt, n, n, n);
		CHECK(full_crookedness(z, n, n) <= allowed(n), "vectors of order %" PRId64, n);
		for (int64_t k = 0; k < n; k++) {
			CHECK(k == 0 || value[k] >= value[k - 1], "values descend");
			CHECK(fabs(value[k] - alone[k]) <= allowed(n) * value[n - 1], "%g and %g",
			      value[k], alone[k]);
			for (int64_t i = 0; i < n; i++)
				CHECK(fabs(az[i * n + k] - value[k] * zt[i * n + k]) <=
					      allowed(n) * value[n - 1],
				      "vector %" PRId64, k);
		}
		free(a);
		free(b);
		free(bt);
		free(z);
		free(zt);
		free(az);
		free(value);
		free(alone);
	}
}

static void test_qr(void)
{
	const int64_t shape[][2] = { { 1, 1 }, { 5, 1 }, { 8, 8 }, { 300, 70 }, { 90, 80 } };

	for (int s = 0; s < 5; s++) {
		int64_t m = shape[s][0], n = shape[s][1];
		double *a = full_normal(m, n), *q = full_zeros(m, n), *r = full_zeros(n, n);
		double *again = full_zeros(n, n), *product;
		struct error err = { 0 };

		for (int64_t i = 0; i < m && n > 2; i++)
			a[i * n + 2] = a[i * n] - a[i * n + 1]; /* not of full rank */
		memcpy(q, a, (size_t)(m * n) * sizeof(*q));
		CHECK(blas_qr(q, m, n, r, true, &err) == 0, "%s", err.text);
		product = full_product(q, r, m, n, n);
		CHECK(full_difference(product, a, m * n) <= 10 * allowed(n),
		      "Q R is not the matrix");
		CHECK(full_crookedness(q, m, n) <= allowed(n), "Q is not orthonormal");
		memcpy(q, a, (size_t)(m * n) * sizeof(*q));
		CHECK(blas_qr(q, m, n, again, false, &err) == 0, "%s", err.text);
		CHECK(!memcmp(r, again, (size_t)(n * n) * sizeof(*r)), "R alone is another");
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < i; j++)
				CHECK(r[i * n + j] == 0, "R is not triangular");
		free(a);
		free(q);
		free(r);
		free(again);
		free(product);
	}
}

/* Of full rank, and with a row of zeros and one that is there twice; and not square. */
static void test_svd(void)
{
	const int64_t shape[][2] = { { 1, 1 }, { 2, 2 }, { 40, 40 }, { 61, 61 },
				     { 4, 1 }, { 1, 6 }, { 60, 25 }, { 25, 60 } };
	char version[200];
	const bool is_there = blas_version(version, sizeof(version), &(struct error){ 0 }) == 0;

	for (int c = 0; c < (is_there ? 16 : 8); c++) {
		int64_t m = shape[c / 2][0], n = shape[c / 2][1], k = m < n ? m : n;
		double *a = full_normal(m, n), *work = full_zeros(m, n), *left = full_zeros(m, k);
		double *right = full_zeros(k, n), *s = full_zeros(k, 1);
		double *rt, *scaled, *product;
		struct error err = { 0 };

		for (int64_t j = 0; j < n && c % 2; j++) {
			a[j] = 0;
			a[(m - 1) * n + j] = a[m / 2 * n + j];
		}
		memcpy(work, a, (size_t)(m * n) * sizeof(*a));
		CHECK(blas_svd(work, m, n, left, s, right, &err) == 0, "%s", err.text);
		rt = full_transposed(right, k, n);
		CHECK(full_crookedness(left, m, k) <= allowed(m), "left vectors");
		CHECK(full_crookedness(rt, n, k) <= allowed(n), "right vectors");
		scaled = full_zeros(m, k);
		for (int64_t i = 0; i < m * k; i++)
			scaled[i] = left[i] * s[i % k];
		product = full_product(scaled, right, m, k, n);
		CHECK(full_difference(product, a, m * n) <= 10 * allowed(k), "not the matrix");
		for (int64_t i = 0; i < k; i++)
			CHECK(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]), "value %g", s[i]);
		free(a);
		free(work);
		free(left);
		free(right);
		free(s);
		free(rt);
		free(scaled);
		free(product);
	}
}

/* ---- Of long matrices, some rows at a time ---- */

/* One block; some; so many that their triangles are again some. */
static void test_tall_qr(void)
{
	const int64_t shape[][2] = { { 70, 70 },    { 1023, 3 },   { 1024, 3 },
				     { 2000, 200 }, { 12000, 50 }, { 3000, 1 } };

	for (int s = 0; s < 6; s++) {
		int64_t m = shape[s][0], n = shape[s][1];
		double *a = full_normal(m, n), *q[2], *r[2], *product;

		/* no block of full rank, if there are three columns */
		for (int64_t i = 0; i < m && n > 2; i++)
			a[i * n + 2] = i < m / 2 ? 0 : a[i * n];
		for (int t = 0; t < 2; t++) {
			struct error err = { 0 };

			q[t] = full_zeros(m, n);
			r[t] = full_zeros(n, n);
			memcpy(q[t], a, (size_t)(m * n) * sizeof(*a));
			CHECK(tall_qr(q[t], m, n, r[t], t + 1, &err) == 0, "%s", err.text);
		}
		CHECK(!memcmp(q[0], q[1], (size_t)(m * n) * sizeof(*a)) &&
			      !memcmp(r[0], r[1], (size_t)(n * n) * sizeof(*a)),
		      "2 threads: other bits");
		product = full_product(q[0], r[0], m, n, n);
		CHECK(full_difference(product, a, m * n) <= 10 * allowed(n),
		      "Q R is not the matrix");
		CHECK(full_crookedness(q[0], m, n) <= allowed(n), "Q is not orthonormal");
		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < i; j++)
				CHECK(r[0][i * n + j] == 0, "R is not triangular");
		for (int t = 0; t < 2; t++) {
			free(q[t]);
			free(r[t]);
		}
		free(a);
		free(product);
	}
}

/*
 * How far rounding may move an entry of R'R: each of n reflections changes a column by some units
 * of its length, and an entry is a product of two columns.  The diagonal of A'A has their squares.
 */
static double triangle_error(const double *a_a, int64_t n)
{
	double most = 0;

	for (int64_t j = 0; j < n; j++)
		most = fmax(most, a_a[j * n + j]);
	return 4 * (double)n * DBL_EPSILON * most;
}

/* R'R = (X - 1 shift')'(X - 1 shift'), with fewer rows than columns, and with many */
static void test_triangle(void)
{
	const int64_t n_rows[] = { 1, 7, 12, 36, 37, 200 };

	for (int s = 0; s < 12; s++) {
		int64_t n = 12;
		struct csr x = { 0 };
		struct error err = { 0 };
		double *shift = full_normal(n, 1), *r = full_normal(n, n), *a, *at, *rt, *is, *be;

		random_rows(&x, n_rows[s / 2], (int32_t)n, 0.4);
		x.n_cols = n; /* whatever the last one holds */
		a = full_of_rows(&x);
		for (int64_t k = 0; k < x.n_rows * n && s % 2; k++)
			a[k] -= shift[k % n];
		CHECK(tall_qr_triangle(&x, s % 2 ? shift : NULL, r, &err) == 0, "%s", err.text);
		at = full_transposed(a, x.n_rows, n);
		rt = full_transposed(r, n, n);
		be = full_product(at, a, n, x.n_rows, n);
		is = full_product(rt, r, n, n, n);
		CHECK(full_difference(is, be, n * n) <= triangle_error(be, n),
		      "%" PRId64 " rows: off by %g", x.n_rows, full_difference(is, be, n * n));
		free(shift);
		free(r);
		free(a);
		free(at);
		free(rt);
		free(is);
		free(be);
		csr_free(&x);
	}
}

static int run_tall(void *arg, struct error *err)
{
	double *a = full_normal(1600, 2), r[4];
	int ret = tall_qr(a, 1600, 2, r, 1, err);

	(void)arg;
	free(a);
	return ret;
}

static int run_all(void *arg, struct error *err)
{
	double a[4] = { 2, 0, 1, 2 }, value[2], r[4], right[4];

	(void)arg;
	if (blas_symmetric_eigen(a, 2, value, true, err) < 0 || blas_qr(a, 2, 2, r, true, err) < 0)
		return -1;
	return blas_svd(a, 2, 2, r, value, right, err);
}

/* The symmetric matrix a, of which the lower triangle is there, times x. */
static void multiply_symmetric(const double *a, int64_t n, int64_t stride, const double *x,
			       double *y)
{
	for (int64_t i = 0; i < n; i++) {
		y[i] = 0;
		for (int64_t j = 0; j < n; j++)
			y[i] += a[j <= i ? i * stride + j : j * stride + i] * x[j];
	}
}

/* a = sum of 2 z z', the solution of a system with it, and a matrix that has no factor. */
static void check_cholesky(int64_t n, int64_t n_vectors)
{
	int64_t stride = n + 2;
	double *a = calloc((size_t)(n * stride), sizeof(*a)), *z = full_normal(n_vectors, n);
	double *x = full_normal(n, 1), *b = malloc((size_t)n * sizeof(*b));
	struct error err = { 0 };

	CHECK(blas_reserve(n, n_vectors, &err) == 0, "%s", err.text);
	blas_add_outer(a, n, stride, 2, z, n_vectors);
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++) {
			double sum = 0;

			for (int64_t k = 0; k < n_vectors && j <= i; k++)
				sum += 2 * z[k * n + i] * z[k * n + j];
			CHECK(fabs(a[i * stride + j] - sum) <= allowed(n_vectors) * (1 + fabs(sum)),
			      "%" PRId64 ", %" PRId64 ": %g, not %g", i, j, a[i * stride + j], sum);
		}
	multiply_symmetric(a, n, stride, x, b);
	CHECK(blas_cholesky(a, n, stride) == 0, "not positive definite");
	blas_cholesky_solve(a, n, stride, b);
	for (int64_t i = 0; i < n; i++)
		CHECK(fabs(b[i] - x[i]) < 1e-9, "%g, not %g", b[i], x[i]);
	memset(a, 0, (size_t)(n * stride) * sizeof(*a));
	CHECK(blas_cholesky(a, n, stride) == -1, "zero is positive definite");
	free(a);
	free(z);
	free(x);
	free(b);
}

/* On both sides of the sizes that do without the library. */
static void test_cholesky(void)
{
	check_cholesky(1, 4);
	check_cholesky(7, 21);
	check_cholesky(32, 600);
	check_cholesky(33, 255);
	check_cholesky(33, 256);
	check_cholesky(128, 255);
	check_cholesky(129, 300);
}

int main(void)
{
	test_multiply();
	test_cholesky();
	test_symmetric_eigen();
	test_qr();
	test_svd();
	test_tall_qr();
	test_triangle();
	fail_each_allocation("tall QR", run_tall, NULL);
	fail_each_allocation("decompositions", run_all, NULL);
	return unit_report("blas");
}
