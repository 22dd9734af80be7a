/*
 * test_kernel.c - kernel values and decision values against plain loops and the C library
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/instruction_set.h"
#include "failing.h"
#include "full.h"
#include "kernel/expansion.h"
#include "kernel/kernel_tile.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define ALIGNED __attribute__((aligned(KERNEL_TILE_ALIGNMENT)))

enum { LANES = KERNEL_TILE_ROWS };

/* below this a value of the rbf kernel is 0 */
static const double underflow = 1e-307;

static const struct kernel kernels[] = {
	{ .type = KERNEL_LINEAR },
	{ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.5, .coef0 = 1 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 1, .gamma = -2, .coef0 = 0.1 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 12, .gamma = 0.1, .coef0 = -1 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 0, .gamma = 1, .coef0 = 0 },
	{ .type = KERNEL_RBF, .gamma = 0.07 },
	{ .type = KERNEL_RBF, .gamma = 0 },
	{ .type = KERNEL_RBF, .gamma = 30 },
	{ .type = KERNEL_SIGMOID, .gamma = 0.2, .coef0 = -0.5 },
};

static const char *kernel_name(const struct kernel *k)
{
	static const char *const names[] = { "linear", "polynomial", "rbf", "sigmoid",
					     "precomputed" };

	return names[k->type];
}

/* x.z in the order of the columns; '*size' is the sum of the terms' sizes. */
static double plain_dot(const struct csr *x, int64_t i, const struct csr *z, int64_t j,
			double *size)
{
	int64_t p = x->row_start[i], q = z->row_start[j];
	double sum = 0;

	*size = 0;
	while (p < x->row_start[i + 1] && q < z->row_start[j + 1]) {
		if (x->col[p] == z->col[q]) {
			sum += x->val[p] * z->val[q];
			*size += fabs(x->val[p] * z->val[q]);
		}
		if (x->col[p] < z->col[q])
			p++;
		else if (x->col[p] > z->col[q])
			q++;
		else
			p++, q++;
	}
	return sum;
}

static double plain_kernel(const struct kernel *k, const struct csr *x, int64_t i,
			   const struct csr *z, int64_t j)
{
	double size, dot = plain_dot(x, i, z, j, &size);

	switch (k->type) {
	case KERNEL_POLYNOMIAL:
		return pow(k->gamma * dot + k->coef0, k->degree);
	case KERNEL_RBF:
		return exp(-k->gamma * (csr_row_norm2(x, i) + csr_row_norm2(z, j) - 2 * dot));
	case KERNEL_SIGMOID:
		return tanh(k->gamma * dot + k->coef0);
	default:
		return dot;
	}
}

/* ---- Tiles ---- */

enum { VECTORS = 40, COLUMNS = 30 };

struct tile {
	struct kernel_vectors vectors;
	struct csr rows; /* LANES of them */
	double row_norm2[LANES] ALIGNED;
	double dense[COLUMNS * LANES] ALIGNED;
	double values[VECTORS * LANES] ALIGNED;
};

/* Vectors of unlike columns, then some of the same (none), unlike ones, some of the same (all). */
static void tile_init(struct tile *t)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 1 };
	struct error err = { 0 };

	memset(t, 0, sizeof(*t));
	random_rows(&t->vectors.x, 7, COLUMNS, 0.3);
	random_rows(&t->vectors.x, 9, COLUMNS, 0);
	random_rows(&t->vectors.x, VECTORS - 27, 4, 0.5);
	random_rows(&t->vectors.x, 11, COLUMNS, 1);
	CHECK(kernel_vectors_prepare(&t->vectors, &rbf, &err) == 0, "%s", err.text);
	random_rows(&t->rows, LANES - 2, COLUMNS, 0.6);
	random_rows(&t->rows, 2, COLUMNS, 0);
	for (int64_t lane = 0; lane < LANES; lane++) {
		t->row_norm2[lane] = csr_row_norm2(&t->rows, lane);
		for (int64_t k = t->rows.row_start[lane]; k < t->rows.row_start[lane + 1]; k++)
			t->dense[t->rows.col[k] * LANES + lane] = t->rows.val[k];
	}
}

static void tile_free(struct tile *t)
{
	kernel_vectors_free(&t->vectors);
	csr_free(&t->rows);
}

static void tile_values(struct tile *t, const struct kernel *k, int64_t first, int64_t last)
{
	kernel_tile_values(k, &t->vectors, first, last, t->dense, t->row_norm2, t->values);
}

static int64_t plain_run(const struct csr *x, int64_t first)
{
	int64_t start = x->row_start[first], n = x->row_start[first + 1] - start, v = first + 1;

	for (; v < x->n_rows && x->row_start[v + 1] - x->row_start[v] == n; v++)
		for (int64_t k = 0; k < n; k++)
			if (x->col[start + k] != x->col[x->row_start[v] + k])
				return v - first;
	return v - first;
}

static void test_prepare(void)
{
	static struct tile t;

	tile_init(&t);
	for (int64_t v = 0; v < VECTORS; v++) {
		double norm2 = csr_row_norm2(&t.vectors.x, v);

		CHECK(t.vectors.run[v] == plain_run(&t.vectors.x, v), "run %d at %" PRId64,
		      t.vectors.run[v], v);
		CHECK(t.vectors.norm2[v] == norm2, "%g not %g", t.vectors.norm2[v], norm2);
	}
	tile_free(&t);
	CHECK(!t.vectors.run && !t.vectors.norm2 && !t.vectors.x.col, "not emptied");
}

static void test_values(void)
{
	static struct tile t;

	for (int trial = 0; trial < 50; trial++) {
		tile_init(&t);
		for (int c = 0; c < LENGTH(kernels); c++) {
			int64_t first = random_below(VECTORS), last = random_below(VECTORS) + 1;

			tile_values(&t, &kernels[c], first, last);
			for (int64_t v = first; v < last; v++)
				for (int64_t lane = 0; lane < LANES; lane++) {
					double k = plain_kernel(&kernels[c], &t.rows, lane,
								&t.vectors.x, v);
					double got = t.values[(v - first) * LANES + lane];

					CHECK(fabs(got - k) <= 1e-13 * fabs(k) + underflow,
					      "%s: %.17g not %.17g", kernel_name(&kernels[c]), got,
					      k);
				}
		}
		tile_free(&t);
	}
}

/* exp(-gamma |x - z|^2) by differences: what rounding of the norms allows, and no more */
static void test_rbf_by_differences(void)
{
	static struct tile t;
	const struct csr *x = &t.vectors.x;
	struct kernel k = { .type = KERNEL_RBF, .gamma = 0.3 };

	tile_init(&t);
	tile_values(&t, &k, 0, VECTORS);
	for (int v = 0; v < VECTORS; v++)
		for (int lane = 0; lane < LANES; lane++) {
			double d2 = 0, z[COLUMNS] = { 0 }, error, exact;

			for (int64_t i = x->row_start[v]; i < x->row_start[v + 1]; i++)
				z[x->col[i]] = x->val[i];
			for (int c = 0; c < COLUMNS; c++)
				d2 += pow(t.dense[c * LANES + lane] - z[c], 2);
			exact = exp(-k.gamma * d2);
			error = 2 * COLUMNS * DBL_EPSILON * k.gamma *
					(t.row_norm2[lane] + t.vectors.norm2[v]) +
				1e-15;
			CHECK(fabs(t.values[v * LANES + lane] / exact - 1) <= error,
			      "%.17g not %.17g", t.values[v * LANES + lane], exact);
		}
	tile_free(&t);
}

/* The value of an example with itself is 1, to the last bit. */
static void test_rbf_of_itself(void)
{
	struct kernel k = { .type = KERNEL_RBF, .gamma = 7 };
	struct error err = { 0 };
	static struct tile t;

	tile_init(&t);
	kernel_vectors_free(&t.vectors);
	t.vectors.x = t.rows;
	t.rows = (struct csr){ 0 };
	CHECK(kernel_vectors_prepare(&t.vectors, &k, &err) == 0, "%s", err.text);
	tile_values(&t, &k, 0, LANES);
	for (int i = 0; i < LANES; i++)
		CHECK(t.values[i * LANES + i] == 1, "%.17g", t.values[i * LANES + i]);
	tile_free(&t);
}

/* svm-train's power of a negative degree is that of degree 0. */
static void test_negative_degree(void)
{
	struct kernel k = { .type = KERNEL_POLYNOMIAL, .degree = -2, .gamma = 1, .coef0 = 0.5 };
	static struct tile t;

	tile_init(&t);
	tile_values(&t, &k, 0, VECTORS);
	for (int i = 0; i < VECTORS * LANES; i++)
		CHECK(t.values[i] == 1, "%g", t.values[i]);
	tile_free(&t);
}

/* ---- The exponential, through an rbf kernel of an empty vector ---- */

static void exponentials(const double *minus_x, double *out)
{
	static const struct kernel k = { .type = KERNEL_RBF, .gamma = 1 };
	static const double tile[LANES] ALIGNED;
	int64_t start[] = { 0, 0 };
	double norm2 = 0, no_val = 0;
	int32_t run = 1, no_col = 0;
	struct kernel_vectors empty = {
		.x = { .n_rows = 1, .row_start = start, .col = &no_col, .val = &no_val },
		.norm2 = &norm2,
		.run = &run
	};

	kernel_tile_values(&k, &empty, 0, 1, tile, minus_x, out);
}

static int64_t ulps(double a, double b)
{
	int64_t x, y;

	memcpy(&x, &a, 8);
	memcpy(&y, &b, 8);
	return x > y ? x - y : y - x;
}

static void sweep(double low, double high, int n)
{
	double minus_x[LANES] ALIGNED, out[LANES] ALIGNED;

	for (int i = 0; i < n; i++) {
		for (int lane = 0; lane < LANES; lane++)
			minus_x[lane] = random_between(low, high);
		exponentials(minus_x, out);
		for (int lane = 0; lane < LANES; lane++)
			CHECK(ulps(out[lane], exp(-minus_x[lane])) <= 4,
			      "exp(%.17g) = %.17g, not %.17g", -minus_x[lane], out[lane],
			      exp(-minus_x[lane]));
	}
}

static void test_exponential(void)
{
	sweep(0, 708, 20000);
	sweep(0, 20, 20000);
	sweep(0, 1, 20000);
	sweep(0, 1e-7, 1000);
	sweep(-1e-9, 1e-9, 1000);
	sweep(707.99, 708, 1000);
	sweep(-709, 0, 20000);
}

/* Where the integer part of x / ln 2 changes, and at its halves. */
static void test_exponential_turns(void)
{
	double minus_x[LANES] ALIGNED, out[LANES] ALIGNED;

	for (int k = 1; k <= 2042; k++) {
		for (int lane = 0; lane < LANES; lane++)
			minus_x[lane] = k * 0x1.62e42fefa39efp-2 * (1 + (lane - 8) * DBL_EPSILON);
		exponentials(minus_x, out);
		for (int lane = 0; lane < LANES; lane++)
			CHECK(minus_x[lane] > 708 || ulps(out[lane], exp(-minus_x[lane])) <= 4,
			      "exp(%.17g) = %.17g", -minus_x[lane], out[lane]);
	}
}

static void test_exponential_ends(void)
{
	double minus_x[LANES] ALIGNED = { 0,   -0.0, 708,   708.0000001, 709,
					  746, 1e10, 1e300, INFINITY,	 NAN };
	double out[LANES] ALIGNED;

	exponentials(minus_x, out);
	CHECK(out[0] == 1 && out[1] == 1, "exp(0) = %.17g, %.17g", out[0], out[1]);
	CHECK(ulps(out[2], exp(-708)) <= 4, "exp(-708) = %g", out[2]);
	for (int lane = 3; lane < 9; lane++)
		CHECK(out[lane] == 0 && !signbit(out[lane]), "exp(%g) = %g", -minus_x[lane],
		      out[lane]);
	CHECK(isnan(out[9]), "exp(nan) = %g", out[9]);
	CHECK(out[10] == 1, "exp(0) = %g", out[10]);
}

/* ---- The hyperbolic tangent, through a sigmoid kernel of the vector (1) ---- */

static void tangents(const double *x, double *out)
{
	static const struct kernel k = { .type = KERNEL_SIGMOID, .gamma = 1 };
	int64_t start[] = { 0, 1 };
	double val = 1;
	int32_t run = 1, col = 0;
	struct kernel_vectors one = {
		.x = { .n_rows = 1, .n_cols = 1, .row_start = start, .col = &col, .val = &val },
		.run = &run
	};

	kernel_tile_values(&k, &one, 0, 1, x, NULL, out);
}

static void test_tangent(void)
{
	static const double most[] = { 1e-300, 1e-8, 0.1, 0.25, 0.3, 1, 5, 20, 1000 };
	double x[LANES] ALIGNED, out[LANES] ALIGNED;

	for (int i = 0; i < 9 * 5000; i++) {
		for (int lane = 0; lane < LANES; lane++)
			x[lane] = random_between(-most[i % 9], most[i % 9]);
		tangents(x, out);
		for (int lane = 0; lane < LANES; lane++)
			CHECK(fabs(out[lane] - tanh(x[lane])) <= 1e-15 * fabs(tanh(x[lane])) &&
				      fabs(out[lane]) <= 1,
			      "tanh(%.17g) = %.17g, not %.17g", x[lane], out[lane], tanh(x[lane]));
	}
}

static void test_tangent_ends(void)
{
	static const double x[LANES] ALIGNED = { 0.25,	   -0.25,     1e300, -1e300,
						 INFINITY, -INFINITY, NAN };
	double out[LANES] ALIGNED;

	tangents(x, out);
	CHECK(out[0] == -out[1] && ulps(out[0], tanh(0.25)) <= 4, "%.17g", out[0]);
	for (int lane = 2; lane < 6; lane++)
		CHECK(out[lane] == (lane % 2 == 0 ? 1 : -1), "tanh(%g) = %g", x[lane], out[lane]);
	CHECK(isnan(out[6]), "tanh(nan) = %g", out[6]);
	CHECK(out[7] == 0, "tanh(0) = %g", out[7]);
}

/* ---- The same bits on every instruction set ---- */

typedef void tile_values_code(const struct kernel *, const struct kernel_vectors *, int64_t,
			      int64_t, const double *, const double *, double *);
typedef void accumulate_code(const double *, int64_t, const double *, double *);

tile_values_code kernel_tile_values_base, kernel_tile_values_v3, kernel_tile_values_v4;
accumulate_code kernel_tile_accumulate_base, kernel_tile_accumulate_v3, kernel_tile_accumulate_v4;
__typeof__(long_polynomial_sums) long_polynomial_sums_base, long_polynomial_sums_v3,
	long_polynomial_sums_v4;

struct variant {
	const char *name;
	bool supported;
	tile_values_code *values;
	accumulate_code *accumulate;
	__typeof__(long_polynomial_sums) *long_sums;
};

/* Sets the variants this machine can run, returns how many; the last is the best. */
static int list_variants(struct variant *list)
{
	struct variant all[] = {
		{ "baseline", true, kernel_tile_values_base, kernel_tile_accumulate_base,
		  long_polynomial_sums_base },
#ifdef HAVE_ISA_VARIANTS
		{ "x86-64-v3",
		  __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			  __builtin_cpu_supports("bmi2"),
		  kernel_tile_values_v3, kernel_tile_accumulate_v3, long_polynomial_sums_v3 },
		{ "x86-64-v4",
		  __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
		  kernel_tile_values_v4, kernel_tile_accumulate_v4, long_polynomial_sums_v4 },
#endif
	};
	int n = 0;

	for (int i = 0; i < LENGTH(all); i++)
		if (all[i].supported)
			list[n++] = all[i];
	return n;
}

static void compare_variant(const struct variant *variant, struct tile *t, const double *coef)
{
	static double values[VECTORS * LANES] ALIGNED;
	double sum[LANES] ALIGNED = { 1, -1, 0.5 }, expected[LANES] ALIGNED = { 1, -1, 0.5 };

	for (int c = 0; c < LENGTH(kernels); c++) {
		tile_values(t, &kernels[c], 0, VECTORS);
		variant->values(&kernels[c], &t->vectors, 0, VECTORS, t->dense, t->row_norm2,
				values);
		CHECK(!memcmp(values, t->values, sizeof(values)), "%s: other bits of %s",
		      variant->name, kernel_name(&kernels[c]));
		variant->accumulate(coef, VECTORS, values, sum);
		for (int lane = 0; lane < LANES; lane++)
			for (int v = 0; v < VECTORS; v++)
				expected[lane] += coef[v] * values[v * LANES + lane];
		CHECK(!memcmp(sum, expected, sizeof(sum)), "%s: other sums", variant->name);
	}
}

static void test_instruction_sets(void)
{
	struct variant variant[3];
	int n = list_variants(variant);
	static struct tile t;
	double coef[VECTORS];

	CHECK(!strcmp(instruction_set_name(instruction_set_best()), variant[n - 1].name),
	      "%s, not %s", instruction_set_name(instruction_set_best()), variant[n - 1].name);
	for (int trial = 0; trial < 50; trial++) {
		tile_init(&t);
		for (int v = 0; v < VECTORS; v++)
			coef[v] = random_normal();
		for (int i = 0; i < n; i++)
			compare_variant(&variant[i], &t, coef);
		tile_free(&t);
	}
}

/* ---- Twice the digits ---- */

#ifdef __SIZEOF_INT128__
enum { LONG_ROWS = 21 };

/* A row of integers up to 300 in size, and a multiplier of up to 1000, 0 in every third row. */
static void integer_row(struct csr *x, int64_t i, double *beta)
{
	int32_t col[8];
	double val[8];
	struct csr_row row = { 0, col, val };
	struct error err = { 0 };

	for (int32_t c = 0; c < 8; c++) {
		col[row.n] = c;
		val[row.n] = (double)(random_below(601) - 300);
		row.n += i % 2 == 0 || random_below(2) == 0;
	}
	*beta = i % 3 == 1 ? 0 : (double)(random_below(2001) - 1000);
	CHECK(csr_append_row(x, row, &err) == 0, "%s", err.text);
}

/* f[i] by integers: |(2 x_i.x_j + 1)^3| < 2^63, so no sum of these times 'beta' overflows. */
static double integer_sum(const struct csr *x, const int64_t *row, const double *beta, int i)
{
	__int128 sum = 0;
	double size;

	for (int j = 0; j < LONG_ROWS; j++) {
		__int128 k = 2 * (__int128)plain_dot(x, row[i], x, row[j], &size) + 1;

		sum += (__int128)beta[j] * k * k * k;
	}
	return (double)sum;
}

/*
 * Sums of up to 21 terms of up to 2^73, which have the 106 digits that they need: the doubles next
 * to them, the same of all instruction sets.  n is no multiple of the lanes.
 */
static void test_long_polynomial(void)
{
	const struct kernel kernel = {
		.type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 2, .coef0 = 1
	};
	struct variant variant[3];
	const int n_variants = list_variants(variant);
	double beta[LONG_ROWS], f[LONG_ROWS];
	int64_t row[LONG_ROWS];
	struct csr x = { 0 };

	for (int64_t i = 0; i < LONG_ROWS; i++) {
		integer_row(&x, i, &beta[i]);
		row[i] = LONG_ROWS - 1 - i;
	}
	for (int v = 0; v < n_variants; v++) {
		variant[v].long_sums(&kernel, &x, row, beta, LONG_ROWS, f);
		for (int i = 0; i < LONG_ROWS; i++)
			CHECK(f[i] == integer_sum(&x, row, beta, i), "%s, %d: %.17g",
			      variant[v].name, i, f[i]);
	}
	csr_free(&x);
}
#else
static void test_long_polynomial(void)
{
}
#endif

/* ---- Expansions ---- */

enum { MAX_CLASSES = 100, MAX_PAIRS = MAX_CLASSES * (MAX_CLASSES - 1) / 2 };

struct machine {
	struct kernel kernel;
	int n_class;
	int64_t n_sv_of_class[MAX_CLASSES];
	struct csr sv;
	double *coef;
};

/* One class in four is without vectors, if there are enough. */
static void machine_init(struct machine *m, const struct kernel *kernel, int n_class, int64_t n_sv,
			 int32_t n_cols, double density)
{
	*m = (struct machine){ .kernel = *kernel, .n_class = n_class };
	random_rows(&m->sv, n_sv, n_cols, density);
	for (int64_t j = 0; j < n_sv; j++) {
		int64_t c = random_below(n_class);

		m->n_sv_of_class[n_class > 3 && c % 4 == 3 ? c - 1 : c]++;
	}
	m->coef = malloc((size_t)(n_class - 1) * (size_t)n_sv * sizeof(double) + 1);
	for (int64_t i = 0; i < (n_class - 1) * n_sv; i++)
		m->coef[i] = random_below(4) ? random_normal() : 0;
}

static void machine_free(struct machine *m)
{
	csr_free(&m->sv);
	free(m->coef);
}

static int machine_expand(const struct machine *m, struct expansion *e, struct error *err)
{
	return expansion_init(
		e, &m->kernel,
		(struct support_vectors){ &m->sv, m->n_class, m->n_sv_of_class, m->coef }, err);
}

/* coef K(s, x) summed over the vectors of one class; 'size' grows by the terms' sizes */
static double class_sum(const struct machine *m, int own, const double *coef, const struct csr *x,
			int64_t row, double *size)
{
	int64_t first = 0;
	double sum = 0;

	for (int c = 0; c < own; c++)
		first += m->n_sv_of_class[c];
	for (int64_t j = first; j < first + m->n_sv_of_class[own]; j++) {
		double dot_size = 0, k = plain_kernel(&m->kernel, x, row, &m->sv, j);

		plain_dot(x, row, &m->sv, j, &dot_size);
		sum += coef[j] * k;
		*size += fabs(coef[j]) *
			 (m->kernel.type == KERNEL_LINEAR ? dot_size : fabs(k) + 1e13 * underflow);
	}
	return sum;
}

static void expect_row(const struct machine *m, const struct csr *x, int64_t row, const double *got)
{
	int64_t n_sv = m->sv.n_rows;

	for (int a = 0; a < m->n_class; a++)
		for (int b = a + 1; b < m->n_class; b++, got++) {
			double size = 0, f;

			f = class_sum(m, a, m->coef + (b - 1) * n_sv, x, row, &size);
			f += class_sum(m, b, m->coef + a * n_sv, x, row, &size);
			CHECK(fabs(*got - f) <= 1e-13 * size, "%s, (%d,%d): %.17g not %.17g",
			      kernel_name(&m->kernel), a, b, *got, f);
		}
}

static void expect_machine(const struct machine *m, const struct csr *x)
{
	struct expansion e;
	struct error err = { 0 };
	int64_t n_pairs = (int64_t)m->n_class * (m->n_class - 1) / 2;
	double *out = malloc((size_t)(x->n_rows * n_pairs) * sizeof(double) + 1);

	CHECK(machine_expand(m, &e, &err) == 0, "%s", err.text);
	CHECK(e.n_functions == n_pairs, "%" PRId64 " functions", e.n_functions);
	CHECK(expansion_evaluate_rows(&e, csr_view(x, NULL, x->n_rows), out, 1, &err) == 0, "%s",
	      err.text);
	for (int64_t i = 0; i < x->n_rows; i++)
		expect_row(m, x, i, out + i * n_pairs);
	expansion_free(&e);
	free(out);
}

/* Rows with columns the vectors do not have, and rows without any. */
static void make_rows(struct csr *x, int64_t n, int32_t n_cols)
{
	*x = (struct csr){ 0 };
	random_rows(x, n - n / 5 - n / 10, n_cols, 0.4);
	random_rows(x, n / 5, 3 * n_cols, 0.2);
	random_rows(x, n / 10, n_cols, 0);
}

static void test_expansions(void)
{
	static const int classes[] = { 1, 2, 4, 7 };
	static const int64_t vectors[] = { 0, 1, 64, 130 };
	struct machine m;
	struct csr x;

	make_rows(&x, 40, COLUMNS);
	for (int c = 0; c < LENGTH(kernels); c++)
		for (int k = 0; k < LENGTH(classes); k++)
			for (int v = 0; v < LENGTH(vectors); v++) {
				machine_init(&m, &kernels[c], classes[k], vectors[v], COLUMNS, 0.3);
				expect_machine(&m, &x);
				machine_free(&m);
			}
	csr_free(&x);
}

/* Vectors without a single entry. */
static void test_empty_vectors(void)
{
	struct machine m;
	struct csr x;

	make_rows(&x, 40, COLUMNS);
	for (int c = 0; c < LENGTH(kernels); c++) {
		machine_init(&m, &kernels[c], 2, 5, COLUMNS, 0);
		expect_machine(&m, &x);
		machine_free(&m);
	}
	csr_free(&x);
}

/* Short rows: the exponent of an RBF kernel is then as exact as expect_row() takes it to be. */
static void shorten(struct csr *x)
{
	for (int64_t k = 0; k < csr_n_entries(x); k++)
		x->val[k] /= 16;
}

/*
 * Replace the last vector by one of so many entries, most of them 0, that vectors are merged with
 * rows.
 */
static void lengthen(struct machine *m)
{
	enum { LONG = 1 << 19 };
	int32_t *col = malloc(LONG * sizeof(*col));
	double *val = malloc(LONG * sizeof(*val));
	const int64_t row_start[] = { 0, LONG };
	struct csr sv = { 0 };
	struct error err = { 0 };

	for (int32_t k = 0; k < LONG; k++) {
		col[k] = 2 * k;
		val[k] = k % 65536 == 0 ? random_normal() : 0;
	}
	CHECK(csr_append(&sv, m->sv.n_rows - 1, m->sv.row_start, m->sv.col, m->sv.val, &err) == 0 &&
		      csr_append(&sv, 1, row_start, col, val, &err) == 0,
	      "%s", err.text);
	csr_free(&m->sv);
	shorten(&sv);
	m->sv = sv;
	free(col);
	free(val);
}

static void test_merged_vectors(void)
{
	struct expansion_scratch scratch;
	struct error err = { 0 };
	struct expansion e;
	struct machine m;
	struct csr x;
	double value[10 * 7];
	struct row_view rows;

	x = (struct csr){ 0 };
	random_rows(&x, 10, COLUMNS, 0.4);
	shorten(&x);
	rows = csr_view(&x, NULL, x.n_rows);
	for (int c = 0; c < LENGTH(kernels); c++) {
		machine_init(&m, &kernels[c], 3, 6, COLUMNS, 0.3);
		lengthen(&m);
		expect_machine(&m, &x);
		CHECK(machine_expand(&m, &e, &err) == 0 && e.merged &&
			      expansion_scratch_init(&scratch, &e, &err) == 0,
		      "%s: not merged", kernel_name(&kernels[c]));
		expansion_values(&e, &rows, value, 7, &scratch);
		for (int64_t i = 0; i < x.n_rows; i++)
			for (int64_t v = 0; v < 6; v++) {
				double k = plain_kernel(&kernels[c], &x, i, &m.sv, v);

				CHECK(fabs(value[7 * i + v] - k) <= 1e-12 * fmax(fabs(k), 1),
				      "%s: %.17g not %.17g", kernel_name(&kernels[c]),
				      value[7 * i + v], k);
			}
		expansion_scratch_free(&scratch);
		expansion_free(&e);
		machine_free(&m);
	}
	csr_free(&x);
}

/* Two classes are folded into a weight vector; a hundred of few short vectors each are not. */
static void test_folding(void)
{
	static const struct kernel linear = { .type = KERNEL_LINEAR };
	struct error err = { 0 };
	struct expansion e;
	struct machine m;
	struct csr x;

	make_rows(&x, 20, 300);
	machine_init(&m, &linear, 2, 200, 300, 0.3);
	CHECK(machine_expand(&m, &e, &err) == 0 && e.weight, "not folded");
	expansion_free(&e);
	expect_machine(&m, &x);
	machine_free(&m);
	machine_init(&m, &linear, MAX_CLASSES, 600, 300, 0.1);
	CHECK(machine_expand(&m, &e, &err) == 0 && !e.weight, "folded");
	expansion_free(&e);
	expect_machine(&m, &x);
	machine_free(&m);
	csr_free(&x);
}

/* ---- A row's value is its own ---- */

enum { MANY_ROWS = 900 };

/* A linear kernel that is not folded, so that it takes the way of the others. */
static void prevent_folding(struct expansion *e)
{
	if (e->kernel.type == KERNEL_LINEAR) {
		free(e->weight);
		e->weight = NULL;
	}
}

static void evaluate_alone(const struct expansion *e, const struct csr *x, double *out)
{
	struct expansion_scratch scratch;
	struct error err = { 0 };

	for (int64_t i = 0; i < x->n_rows; i++) {
		struct row_view one = csr_view(x, &i, 1);

		CHECK(expansion_scratch_init(&scratch, e, &err) == 0, "%s", err.text);
		expansion_evaluate(e, &one, out + i * e->n_functions, &scratch);
		expansion_scratch_free(&scratch);
	}
}

static void expect_bits(const char *what, const struct expansion *e, const int64_t *row, int64_t n,
			const double *alone, const double *got)
{
	size_t size = (size_t)e->n_functions * sizeof(double);

	for (int64_t i = 0; i < n; i++) {
		int64_t from = row ? row[i] : i;

		CHECK(!memcmp(got + i * e->n_functions, alone + from * e->n_functions, size),
		      "%s, %s: row %" PRId64 " of %" PRId64 ": %.17g alone, %.17g here",
		      kernel_name(&e->kernel), what, i, n, alone[from * e->n_functions],
		      got[i * e->n_functions]);
	}
}

static void expect_independence(const struct expansion *e, const struct csr *x)
{
	static const int threads[] = { 1, 2, 7 };
	size_t size = (size_t)(MANY_ROWS * e->n_functions) * sizeof(double);
	double *alone = malloc(size), *got = malloc(size);
	int64_t row[MANY_ROWS];
	struct error err = { 0 };

	evaluate_alone(e, x, alone);
	for (int64_t i = 0; i < MANY_ROWS; i++)
		row[i] = random_below(x->n_rows);
	for (int t = 0; t < LENGTH(threads); t++) {
		CHECK(expansion_evaluate_rows(e, csr_view(x, NULL, x->n_rows), got, threads[t],
					      &err) == 0,
		      "%s", err.text);
		expect_bits("all rows", e, NULL, x->n_rows, alone, got);
		CHECK(expansion_evaluate_rows(e, csr_view(x, row, MANY_ROWS), got, threads[t],
					      &err) == 0,
		      "%s", err.text);
		expect_bits("listed rows", e, row, MANY_ROWS, alone, got);
	}
	free(alone);
	free(got);
}

static void test_independence(void)
{
	struct error err = { 0 };
	struct expansion e;
	struct machine m;
	struct csr x;

	make_rows(&x, MANY_ROWS, COLUMNS);
	for (int c = 0; c < LENGTH(kernels); c++) {
		machine_init(&m, &kernels[c], 3, 100, COLUMNS, 0.3);
		CHECK(machine_expand(&m, &e, &err) == 0, "%s", err.text);
		expect_independence(&e, &x);
		prevent_folding(&e);
		expect_independence(&e, &x);
		expansion_free(&e);
		machine_free(&m);
	}
	csr_free(&x);
}

/* A view that begins within a matrix, as a batch of rows does. */
static void test_partial_views(void)
{
	static const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.1 };
	double alone[200], got[200];
	struct expansion_scratch scratch;
	struct error err = { 0 };
	struct expansion e;
	struct machine m;
	struct csr x;

	make_rows(&x, 200, COLUMNS);
	machine_init(&m, &rbf, 2, 30, COLUMNS, 0.3);
	CHECK(machine_expand(&m, &e, &err) == 0 && expansion_scratch_init(&scratch, &e, &err) == 0,
	      "%s", err.text);
	evaluate_alone(&e, &x, alone);
	for (int64_t first = 0; first < 200; first += 17) {
		struct row_view part = csr_view(&x, NULL, 200 - first);

		part.row_start += first;
		expansion_evaluate(&e, &part, got, &scratch);
		expect_bits("part", &e, NULL, part.n_rows, alone + first, got);
	}
	expansion_scratch_free(&scratch);
	expansion_free(&e);
	machine_free(&m);
	csr_free(&x);
}

/* What a row with an infinity or a nan is worth is its own affair. */
static void test_nonfinite_rows(void)
{
	struct error err = { 0 };
	struct expansion e;
	struct machine m;
	struct csr x;

	make_rows(&x, 300, COLUMNS);
	for (int64_t k = 0; k < csr_n_entries(&x); k += 97)
		x.val[k] = k % 2 ? NAN : INFINITY;
	for (int c = 0; c < LENGTH(kernels); c++) {
		machine_init(&m, &kernels[c], 2, 30, COLUMNS, 0.3);
		CHECK(machine_expand(&m, &e, &err) == 0, "%s", err.text);
		prevent_folding(&e);
		expect_independence(&e, &x);
		expansion_free(&e);
		machine_free(&m);
	}
	csr_free(&x);
}

/* ---- Precomputed kernels ---- */

enum { SERIALS = 12 };

/* Row i holds its serial number, i + 1, and K(i, j) as column j + 1. */
static void make_precomputed(struct csr *x)
{
	double full[SERIALS][SERIALS + 1];

	*x = (struct csr){ 0 };
	for (int i = 0; i < SERIALS; i++) {
		full[i][0] = i + 1;
		for (int j = 1; j <= SERIALS; j++)
			full[i][j] = random_normal();
	}
	full_rows(x, full[0], SERIALS, SERIALS + 1, 0, 1);
}

static void test_precomputed(void)
{
	static const struct kernel precomputed = { .type = KERNEL_PRECOMPUTED };
	static const int64_t of_class[] = { 3, 1 }, row[] = { 7, 0, 11, 4 };
	static const double coef[] = { 0.5, 2, -1, -1.5 };
	struct csr x, sv = { 0 };
	struct error err = { 0 };
	struct expansion e;
	double out[SERIALS];

	make_precomputed(&x);
	CHECK(csr_gather(&sv, &x, row, 4, &err) == 0, "%s", err.text);
	CHECK(expansion_init(&e, &precomputed, (struct support_vectors){ &sv, 2, of_class, coef },
			     &err) == 0,
	      "%s", err.text);
	CHECK(expansion_evaluate_rows(&e, csr_view(&x, NULL, SERIALS), out, 2, &err) == 0, "%s",
	      err.text);
	for (int i = 0; i < SERIALS; i++) {
		double f = 0;

		for (int j = 0; j < 4; j++)
			f += coef[j] * x.val[x.row_start[i] + 1 + row[j]];
		CHECK(fabs(out[i] - f) <= 1e-14, "%g not %g", out[i], f);
	}
	expansion_free(&e);
	csr_free(&sv);
	csr_free(&x);
}

static void test_no_serial_number(void)
{
	static const struct kernel precomputed = { .type = KERNEL_PRECOMPUTED };
	static const struct {
		int64_t n;
		int32_t col;
		double val;
	} cases[] = { { 0, 0, 1 },  { 1, 1, 1 }, { 1, 0, 0 }, { 1, 0, -1 }, { 1, 0, 2147483648.0 },
		      { 1, 0, NAN } };

	for (int i = 0; i < LENGTH(cases); i++) {
		int64_t start[2] = { 0, cases[i].n }, of_class[2] = { 1, 0 };
		struct error err = { 0 };
		struct csr sv = { 0 };
		struct expansion e;
		double coef = 1;

		CHECK(csr_append(&sv, 1, start, &cases[i].col, &cases[i].val, &err) == 0, "%s",
		      err.text);
		CHECK(expansion_init(&e, &precomputed,
				     (struct support_vectors){ &sv, 2, of_class, &coef },
				     &err) == -1 &&
			      err.code == ERR_FORMAT,
		      "case %d: %s", i, err.text);
		expansion_free(&e);
		csr_free(&sv);
	}
}

/* ---- Memory ---- */

struct trial {
	struct machine m;
	struct csr x;
	double out[300 * 3];
};

static int init_once(void *arg, struct error *err)
{
	struct trial *t = arg;
	struct expansion e;
	int ret = machine_expand(&t->m, &e, err);

	CHECK(ret == 0 || (!e.coef && !e.weight && !e.sv.x.val && !e.sv.run),
	      "not empty after a failure");
	expansion_free(&e);
	return ret;
}

static int evaluate_once(void *arg, struct error *err)
{
	struct trial *t = arg;
	struct expansion e;
	int ret = machine_expand(&t->m, &e, err);

	prevent_folding(&e);
	if (ret == 0)
		ret = expansion_evaluate_rows(&e, csr_view(&t->x, NULL, t->x.n_rows), t->out, 3,
					      err);
	expansion_free(&e);
	return ret;
}

static void test_memory(void)
{
	static struct trial t;

	make_rows(&t.x, 300, COLUMNS);
	for (int c = 0; c < LENGTH(kernels); c++) {
		machine_init(&t.m, &kernels[c], 3, 20, 2000, 0.05);
		fail_each_allocation(kernel_name(&kernels[c]), init_once, &t);
		fail_each_allocation(kernel_name(&kernels[c]), evaluate_once, &t);
		machine_free(&t.m);
	}
	csr_free(&t.x);
	make_precomputed(&t.x);
	t.m = (struct machine){ .kernel.type = KERNEL_PRECOMPUTED,
				.n_class = 2,
				.sv = t.x,
				.n_sv_of_class = { SERIALS },
				.coef = t.out };
	fail_each_allocation("precomputed", init_once, &t);
	csr_free(&t.x);
}

int main(void)
{
	test_prepare();
	test_values();
	test_rbf_by_differences();
	test_rbf_of_itself();
	test_negative_degree();
	test_exponential();
	test_exponential_turns();
	test_exponential_ends();
	test_tangent();
	test_tangent_ends();
	test_instruction_sets();
	test_long_polynomial();
	test_expansions();
	test_empty_vectors();
	test_merged_vectors();
	if (!UNIT_FINDS_RACES)
		test_folding();
	test_independence();
	test_partial_views();
	test_nonfinite_rows();
	test_precomputed();
	test_no_serial_number();
	test_memory();
	return unit_report("kernel");
}
