/*
 * test_kernel_matrix.c - the kernel matrix of some thousand rows, by rows or as a whole
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "kernel/float_form.h"
#include "kernel/kernel_matrix.h"
#include "kernel/kernel_tile.h"
#include "kernel/precomputed.h"
#include "plain_problem.h"
#include "random.h"
#include "unit.h"

#define LENGTH(a) ((int)(sizeof(a) / sizeof(*(a))))

enum { MAX_COLUMNS = 600 };

struct shape {
	int64_t n;
	int32_t n_cols;
	double density;
	struct kernel kernel;
};

/* Numbers of rows that end a tile, a group, or neither; fewer columns than rows, and more. */
static const struct shape shapes[] = {
	{ 130, 20, 1, { .type = KERNEL_RBF, .gamma = 0.01 } },
	{ 70, 9, 1, { .type = KERNEL_RBF, .gamma = 300 } },
	{ 257, 100, 0.2, { .type = KERNEL_RBF, .gamma = 0.02 } },
	{ 200, 100, 0.2, { .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.02, .coef0 = 1 } },
	{ 1, 1, 1, { .type = KERNEL_RBF, .gamma = 1 } },
	{ 65, 300, 1, { .type = KERNEL_RBF, .gamma = 0.001 } },
	{ 129, 600, 0.05, { .type = KERNEL_RBF, .gamma = 0.01 } },
	{ 64, 200, 0.3, { .type = KERNEL_RBF, .gamma = 3 } },
	{ 81, 500, 0.1, { .type = KERNEL_SIGMOID, .gamma = 0.001, .coef0 = 0.5 } },
	{ 17, 500, 1, { .type = KERNEL_POLYNOMIAL, .degree = 4, .gamma = 0.002, .coef0 = 1 } },
};

/* Fetch all rows that are not known, 'at_once' at a time, the last row first. */
static void fetch_unknown(struct kernel_matrix *m, int at_once)
{
	struct error err = { 0 };
	int64_t row[32];
	int n = 0;

	for (int64_t i = m->n - 1; i >= 0; i--) {
		if (!m->row[i])
			row[n++] = i;
		if (n == at_once || (i == 0 && n > 0)) {
			CHECK(kernel_matrix_fetch(m, row, n, &err) == 0, "%s", err.text);
			n = 0;
		}
	}
}

static void compare_values(const struct kernel_matrix *m, const struct csr *x, const char *what)
{
	const struct kernel *k = &m->x->kernel;

	for (int64_t i = 0; i < m->n; i++) {
		const float *row = m->row[i];

		if (!CHECK(row, "%s: row %" PRId64 " is not known", what, i))
			return;
		for (int64_t j = 0; j < m->stride; j++) {
			double exact, size;

			if (j >= m->n) {
				CHECK(isfinite(row[j]) && (k->type != KERNEL_RBF ||
							   (row[j] >= 0 && row[j] < 1.01)),
				      "%s: padding of row %" PRId64 ": %g", what, i,
				      (double)row[j]);
				continue;
			}
			exact = plain_row_kernel(k, x, i, j);
			size = sqrt(plain_row_kernel(k, x, i, i) * plain_row_kernel(k, x, j, j));
			CHECK(fabs(row[j] - exact) <= FLOAT_TOLERANCE * size,
			      "%s: K(%" PRId64 ", %" PRId64 ") = %.9g, not %.9g", what, i, j,
			      (double)row[j], exact);
		}
	}
}

static void test_values(void)
{
	for (int s = 0; s < LENGTH(shapes); s++) {
		const struct shape *shape = &shapes[s];
		struct kernel_matrix alone, m;
		struct float_vectors v;
		struct error err = { 0 };
		struct csr x = { 0 };
		char what[50];

		snprintf(what, sizeof(what), "shape %d", s);
		random_rows(&x, shape->n, shape->n_cols, shape->density);
		CHECK(float_vectors_init(&v, &x, &shape->kernel, &err) == 0, "%s", err.text);
		CHECK(kernel_matrix_init(&alone, &v, 1, &err) == 0, "%s", err.text);
		fetch_unknown(&alone, 1);
		compare_values(&alone, &x, what);
		for (int threads = 1; threads <= 3; threads++) {
			CHECK(kernel_matrix_init(&m, &v, threads, &err) == 0, "%s", err.text);
			fetch_unknown(&m, threads == 1 ? 5 : 32);
			for (int64_t i = 0; i < m.n; i++)
				CHECK(memcmp(m.row[i], alone.row[i], (size_t)m.n * sizeof(float)) ==
					      0,
				      "%s: row %" PRId64 " on %d threads", what, i, threads);
			kernel_matrix_free(&m);
		}
		kernel_matrix_free(&alone);
		float_vectors_free(&v);
		csr_free(&x);
	}
}

/* Rows not asked for stay unknown where tiles are kept; elsewhere all rows come at once. */
static void test_demand(void)
{
	for (int s = 0; s < LENGTH(shapes); s++) {
		const struct shape *shape = &shapes[s];
		int64_t row = shape->n / 2, n_known = 0;
		struct error err = { 0 };
		struct float_vectors v;
		struct kernel_matrix m;
		struct csr x = { 0 };

		random_rows(&x, shape->n, shape->n_cols, shape->density);
		CHECK(float_vectors_init(&v, &x, &shape->kernel, &err) == 0, "%s", err.text);
		CHECK(kernel_matrix_init(&m, &v, 1, &err) == 0 &&
			      kernel_matrix_fetch(&m, &row, 1, &err) == 0,
		      "%s", err.text);
		for (int64_t i = 0; i < m.n; i++)
			n_known += m.row[i] != NULL;
		CHECK(m.row[row] && n_known == (v.n_cols > v.n ? v.n : 1),
		      "shape %d: %" PRId64 " rows known", s, n_known);
		kernel_matrix_free(&m);
		float_vectors_free(&v);
		csr_free(&x);
	}
}

/* ---- In double precision ---- */

static void compare_wide(const struct kernel_matrix *m, const struct csr *x, const struct kernel *k,
			 int s)
{
	for (int64_t i = 0; i < m->n; i++)
		for (int64_t j = 0; j < m->n; j++) {
			double value = m->double_value[i * m->stride + j];
			double exact = plain_row_kernel(k, x, i, j);
			double size =
				sqrt(plain_row_kernel(k, x, i, i) * plain_row_kernel(k, x, j, j));

			CHECK(fabs(value - exact) <= 1e-12 * (1 + k->gamma) * size,
			      "shape %d: K(%" PRId64 ", %" PRId64 ") = %.17g, not %.17g", s, i, j,
			      value, exact);
			CHECK(value == m->double_value[j * m->stride + i],
			      "shape %d: not symmetric", s);
		}
}

/* The matrix of a third of the rows, in another order: the same bits. */
static void compare_part(const struct kernel_matrix *m, const struct csr *x, const struct kernel *k,
			 int s)
{
	struct kernel_matrix part;
	struct error err = { 0 };
	struct csr some = { 0 };
	int64_t *row = calloc((size_t)m->n, sizeof(*row)), n = 0;

	for (int64_t i = m->n - 1; i >= 0; i -= 3)
		row[n++] = i;
	CHECK(csr_gather(&some, x, row, n, &err) == 0 &&
		      kernel_matrix_init_doubles(&part, &some, k, 1, &err) == 0,
	      "%s", err.text);
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			CHECK(part.double_value[i * part.stride + j] ==
				      m->double_value[row[i] * m->stride + row[j]],
			      "shape %d: K(%" PRId64 ", %" PRId64 ") of a part", s, row[i], row[j]);
	kernel_matrix_free(&part);
	csr_free(&some);
	free(row);
}

static void test_wide(void)
{
	for (int s = 0; s < LENGTH(shapes); s++) {
		const struct shape *shape = &shapes[s];
		const struct kernel *k = &shape->kernel;
		struct kernel_matrix m, again;
		struct error err = { 0 };
		struct csr x = { 0 };

		random_rows(&x, shape->n, shape->n_cols, shape->density);
		CHECK(kernel_matrix_init_doubles(&m, &x, k, 1, &err) == 0 &&
			      kernel_matrix_init_doubles(&again, &x, k, 3, &err) == 0,
		      "%s", err.text);
		compare_wide(&m, &x, k, s);
		compare_part(&m, &x, k, s);
		CHECK(memcmp(m.double_value, again.double_value,
			     (size_t)(m.n * m.stride) * sizeof(double)) == 0,
		      "shape %d: other bits on three threads", s);
		kernel_matrix_free(&m);
		kernel_matrix_free(&again);
		csr_free(&x);
	}
}

/* A matrix in the memory of that of another kernel has the bits of a new one. */
static void test_refilled(void)
{
	const struct kernel linear = { .type = KERNEL_LINEAR };

	for (int s = 0; s < LENGTH(shapes); s++) {
		const struct shape *shape = &shapes[s];
		struct kernel_matrix direct, refilled;
		struct error err = { 0 };
		struct csr x = { 0 };
		const double *memory;

		random_rows(&x, shape->n, shape->n_cols, shape->density);
		CHECK(kernel_matrix_init_doubles(&direct, &x, &shape->kernel, 1, &err) == 0 &&
			      kernel_matrix_init_doubles(&refilled, &x, &linear, 1, &err) == 0,
		      "%s", err.text);
		memory = refilled.double_value;
		CHECK(kernel_matrix_refill_doubles(&refilled, &x, &shape->kernel, 3, &err) == 0,
		      "%s", err.text);
		CHECK(refilled.double_value == memory, "shape %d: other memory", s);
		CHECK(memcmp(refilled.double_value, direct.double_value,
			     (size_t)(direct.n * direct.stride) * sizeof(double)) == 0,
		      "shape %d: other bits", s);
		kernel_matrix_free(&refilled);
		kernel_matrix_free(&direct);
		csr_free(&x);
	}
}

/* Rounded rows are those of a plain loop, whatever their columns. */
static void test_round_row(void)
{
	enum { N = 75 };
	double row[N];
	int64_t column[N];
	float rounded[N];

	for (int64_t i = 0; i < N; i++) {
		row[i] = random_normal();
		column[i] = random_below(N);
	}
	for (int64_t n = 0; n <= N; n++) {
		memset(rounded, 0, sizeof(rounded));
		kernel_round_row(row, column, n, rounded);
		for (int64_t i = 0; i < N; i++)
			CHECK(rounded[i] == (i < n ? (float)row[column[i]] : 0), "%d of %d", (int)i,
			      (int)n);
	}
}

/* Sums over rows, from any place on, are those of a plain loop to the bit. */
static void test_sum_rows(void)
{
	enum { ROWS = 11, N = 75 };
	static double value[ROWS][N], plain[N + 1], sum[N + 1];
	const double *row[ROWS];
	double coef[ROWS];

	for (int r = 0; r < ROWS; r++) {
		coef[r] = random_normal();
		for (int k = 0; k < N; k++)
			value[r][k] = random_normal();
	}
	for (int n_rows = 0; n_rows <= ROWS; n_rows++)
		for (int first = 0; first < 9; first++) {
			int n = N - first - n_rows;

			for (int k = 0; k < n; k++) {
				plain[k] = sum[k] = k;
				for (int r = 0; r < n_rows; r++) {
					double product = coef[r] * value[r][first + k];

					plain[k] += product;
				}
			}
			for (int r = 0; r < n_rows; r++)
				row[r] = value[r] + first;
			sum[n] = 17;
			kernel_sum_rows(row, coef, n_rows, n, sum);
			CHECK(memcmp(sum, plain, (size_t)n * sizeof(*sum)) == 0 && sum[n] == 17,
			      "%d rows, %d sums", n_rows, n);
		}
}

/* ---- Precomputed ---- */

/* Rows number[0 .. n-1], from 1, of a kernel matrix of m rows, as the data of one. */
static void given_rows(struct csr *x, const double *k, int32_t m, const int64_t *number, int64_t n)
{
	int64_t start[2] = { 0, m + 1 };
	int32_t *col = calloc((size_t)m + 1, sizeof(*col));
	double *val = calloc((size_t)m + 1, sizeof(*val));
	struct error err = { 0 };

	*x = (struct csr){ 0 };
	for (int64_t i = 0; i < n; i++) {
		val[0] = (double)number[i];
		for (int32_t j = 0; j <= m; j++)
			col[j] = j;
		memcpy(val + 1, k + (number[i] - 1) * m, (size_t)m * sizeof(*val));
		CHECK(csr_append(x, 1, start, col, val, &err) == 0, "%s", err.text);
	}
	free(col);
	free(val);
}

/* A matrix of m rows, its values rounded to six digits; the caller frees it. */
static double *given_kernel(const struct kernel *kernel, int32_t m)
{
	double *k = calloc((size_t)m * (size_t)m, sizeof(*k));
	struct csr x = { 0 };

	random_rows(&x, m, 20, 1);
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < m; j++) {
			char text[32];

			snprintf(text, sizeof(text), "%.6g", plain_row_kernel(kernel, &x, i, j));
			k[i * m + j] = strtod(text, NULL);
		}
	csr_free(&x);
	return k;
}

static void expect_given(const double *k, int32_t m, const int64_t *number, int64_t n,
			 bool indefinite)
{
	struct kernel_matrix matrix;
	struct error err = { 0 };
	struct csr x;

	given_rows(&x, k, m, number, n);
	CHECK(precomputed_matrix_init(&matrix, &(struct dataset){ .x = x }, NULL, &err) == 0, "%s",
	      err.text);
	CHECK(matrix.indefinite == indefinite, "%d rows, K = %g: indefinite is %d", (int)n, k[0],
	      matrix.indefinite);
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++) {
			double expected = k[(number[i] - 1) * m + number[j] - 1];

			CHECK(precomputed_value(&x, i, j) == expected &&
				      matrix.double_value[i * matrix.stride + j] == expected,
			      "K(%d, %d)", (int)i, (int)j);
		}
	kernel_matrix_free(&matrix);
	csr_free(&x);
}

/* All rows in order, some of them, and in another order with one twice. */
static void test_given(void)
{
	static const struct {
		struct kernel kernel;
		bool indefinite;
	} given[] = { { { .type = KERNEL_RBF, .gamma = 0.01 }, false },
		      { { .type = KERNEL_POLYNOMIAL, .degree = 1, .gamma = 1 }, false },
		      { { .type = KERNEL_SIGMOID, .gamma = 1, .coef0 = -1 }, true } };
	enum { M = 700 };
	int64_t number[M];

	for (int g = 0; g < LENGTH(given); g++) {
		double *k = given_kernel(&given[g].kernel, M);

		for (int64_t i = 0; i < M; i++)
			number[i] = i + 1;
		expect_given(k, M, number, M, given[g].indefinite);
		expect_given(k, M, number, M / 2, given[g].indefinite);
		for (int64_t i = 0; i < M; i++)
			number[i] = i > 0 ? M - i : 7;
		expect_given(k, M, number, M, given[g].indefinite);
		free(k);
	}
}

/* What a definite matrix is not: a value that is too large, one that differs from its mirror. */
static void test_given_indefinite(void)
{
	double fine[4] = { 1, 1, 1, 1 }, large[4] = { 1, 1.1, 1.1, 1 }, skew[4] = { 2, 1, 1.1, 2 };
	double negative[4] = { 1, 0, 0, -1 };
	const int64_t number[2] = { 1, 2 };

	expect_given(fine, 2, number, 2, false);
	expect_given(large, 2, number, 2, true);
	expect_given(skew, 2, number, 2, true);
	expect_given(negative, 2, number, 2, true);
}

static void expect_refused(double serial, int32_t first, int32_t n)
{
	const int64_t start[2] = { 0, n };
	const int32_t col[3] = { first, 1, 2 };
	const double val[3] = { serial, 1, 1 };
	struct kernel_matrix matrix;
	struct error err = { 0 };
	struct csr x = { 0 };

	CHECK(csr_append(&x, 1, start, col, val, &err) == 0, "%s", err.text);
	x.n_cols = 3;
	CHECK(precomputed_matrix_init(&matrix, &(struct dataset){ .x = x }, NULL, &err) < 0 &&
		      err.code == ERR_ARGUMENT,
	      "number %g: '%s'", serial, err.text);
	csr_free(&x);
}

static void test_given_refused(void)
{
	expect_refused(0, 0, 3);
	expect_refused(3, 0, 3);
	expect_refused(NAN, 0, 3);
	expect_refused(1, 0, 2);
}

static int use_given_once(void *arg, struct error *err)
{
	struct kernel_matrix m;

	if (precomputed_matrix_init(&m, &(struct dataset){ .x = *(struct csr *)arg }, NULL, err) <
	    0)
		return -1;
	kernel_matrix_free(&m);
	return 0;
}

static void test_given_memory(void)
{
	const double k[9] = { 2, 1, 1, 1, 2, 1, 1, 1, 2 };
	const int64_t turned[3] = { 3, 1, 2 };
	struct csr x;

	given_rows(&x, k, 3, turned, 3);
	CHECK(fail_each_allocation("a precomputed matrix", use_given_once, &x) >= 3,
	      "few allocations");
	csr_free(&x);
}

struct rows_and_vectors {
	struct csr x;
	struct float_vectors v;
};

static int use_once(void *arg, struct error *err)
{
	const struct rows_and_vectors *r = arg;
	int64_t row[2] = { 1, 0 };
	struct kernel_matrix m;
	int ret = -1;

	if (kernel_matrix_init(&m, &r->v, 2, err) < 0)
		return -1;
	ret = kernel_matrix_fetch(&m, row, 2, err);
	kernel_matrix_free(&m);
	return ret;
}

static int use_wide_once(void *arg, struct error *err)
{
	const struct rows_and_vectors *r = arg;
	struct kernel_matrix m;

	if (kernel_matrix_init_doubles(&m, &r->x, &r->v.kernel, 2, err) < 0)
		return -1;
	kernel_matrix_free(&m);
	return 0;
}

static void test_memory(void)
{
	for (int s = 2; s < LENGTH(shapes); s += 4) {
		struct rows_and_vectors r = { 0 };
		struct error err = { 0 };

		random_rows(&r.x, shapes[s].n, shapes[s].n_cols, shapes[s].density);
		CHECK(float_vectors_init(&r.v, &r.x, &shapes[s].kernel, &err) == 0, "%s", err.text);
		CHECK(kernel_matrix_bytes(&r.v) >= (double)(r.v.n * r.v.n) * sizeof(float),
		      "too few bytes");
		fail_each_allocation("a matrix", use_once, &r);
		fail_each_allocation("a matrix of doubles", use_wide_once, &r);
		float_vectors_free(&r.v);
		csr_free(&r.x);
	}
}

int main(void)
{
	test_values();
	test_demand();
	test_wide();
	test_refilled();
	test_round_row();
	test_sum_rows();
	if (!UNIT_FINDS_RACES)
		test_given();
	test_given_indefinite();
	test_given_refused();
	test_given_memory();
	test_memory();
	return unit_report("kernel_matrix");
}
