/*
 * test_float.c - kernel values in single precision against plain loops in double
 *
 * On 1 to 4 threads where it says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "kernel/float_sums.h"
#include "kernel/float_tile.h"
#include "kernel/float_form.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define ALIGNED __attribute__((aligned(64)))

/* Errors at most: a sample of the values has none above FLOAT_TOLERANCE. */
#define LARGEST (2 * FLOAT_TOLERANCE)

enum { MAX_ROWS = 200, MAX_COLUMNS = 90, LANES = FLOAT_TILE_LANES };

/* Rows as a sparse matrix with columns numbered wildly, and dense. */
struct rows {
	struct csr x;
	int64_t n;
	int n_cols;
	double dense[MAX_ROWS][MAX_COLUMNS];
};

struct shape {
	int64_t n;
	int n_cols;
	double density;	      /* 1: dense; one row in seven is empty below that */
	double scale, offset; /* values are offset + scale normal */
};

/* Ascending feature numbers: small ones, some 65536 apart, some near the largest. */
static int32_t column_number(int c)
{
	return c < 5 ? 3 * c : c < 30 ? c * 65536 : 2000000000 + c * 1000000;
}

static void rows_init(struct rows *r, struct shape s)
{
	struct error err = { 0 };

	memset(r, 0, sizeof(*r));
	r->n = s.n;
	r->n_cols = s.n_cols;
	for (int64_t i = 0; i < s.n; i++) {
		int64_t start[2] = { 0, 0 };
		int32_t col[MAX_COLUMNS];
		double val[MAX_COLUMNS];

		for (int c = 0; c < s.n_cols; c++) {
			if (random_unit() > s.density || (s.density < 1 && i % 7 == 3))
				continue;
			r->dense[i][c] = s.offset + s.scale * random_normal();
			col[start[1]] = column_number(c);
			val[start[1]++] = r->dense[i][c];
		}
		CHECK(csr_append(&r->x, 1, start, col, val, &err) == 0, "%s", err.text);
	}
}

/* Round all values to multiples of 'unit', of at most 724 units: 32 products are below 2^24. */
static void round_values(struct rows *r, double unit)
{
	for (int64_t i = 0; i < r->n; i++) {
		double *next = r->x.val + r->x.row_start[i];

		for (int c = 0; c < r->n_cols; c++)
			if (r->dense[i][c] != 0) {
				double units = rint(r->dense[i][c] / unit);

				*next++ = r->dense[i][c] = unit * fmax(fmin(units, 724), -724);
			}
	}
}

static void rows_free(struct rows *r)
{
	csr_free(&r->x);
}

static double plain_dot(const struct rows *r, int64_t i, int64_t j)
{
	double sum = 0;

	for (int c = 0; c < r->n_cols; c++)
		sum += r->dense[i][c] * r->dense[j][c];
	return sum;
}

/* By differences, so that no common offset costs digits. */
static double plain_distance2(const struct rows *r, int64_t i, int64_t j)
{
	double sum = 0;

	for (int c = 0; c < r->n_cols; c++)
		sum += (r->dense[i][c] - r->dense[j][c]) * (r->dense[i][c] - r->dense[j][c]);
	return sum;
}

static double of_dot(const struct kernel *k, double dot, double coef0)
{
	switch (k->type) {
	case KERNEL_POLYNOMIAL:
		return pow(k->gamma * dot + coef0, k->degree);
	case KERNEL_SIGMOID:
		return tanh(k->gamma * dot + coef0);
	default:
		return dot;
	}
}

static double plain_kernel(const struct kernel *k, const struct rows *r, int64_t i, int64_t j)
{
	if (k->type == KERNEL_RBF)
		return exp(-k->gamma * plain_distance2(r, i, j));
	return of_dot(k, plain_dot(r, i, j), k->coef0);
}

/*
 * sqrt(K(x, x)).  With a negative coef0 K(x, x) can be anything, 0 too: what is added up has
 * the size it would have with a positive one.
 */
static double plain_size(const struct kernel *k, const struct rows *r, int64_t i)
{
	return k->type == KERNEL_RBF ? 1 : sqrt(of_dot(k, plain_dot(r, i, i), fabs(k->coef0)));
}

/* gamma max |x|^2, what the choice of form depends on; centred for dense rows of an rbf kernel */
static double largest_norm2(const struct rows *r, bool centred)
{
	double mean[MAX_COLUMNS] = { 0 }, most = 0;

	for (int64_t i = 0; centred && i < r->n; i++)
		for (int c = 0; c < r->n_cols; c++)
			mean[c] += r->dense[i][c] / (double)r->n;
	for (int64_t i = 0; i < r->n; i++) {
		double sum = 0;

		for (int c = 0; c < r->n_cols; c++)
			sum += (r->dense[i][c] - mean[c]) * (r->dense[i][c] - mean[c]);
		most = fmax(most, sum);
	}
	return most;
}

/* ---- What this machine can run ---- */

typedef void values_code(const struct float_vectors *, int64_t, int64_t, const struct float_tile *,
			 float *const *);
typedef void sums_code(const struct float_vectors *, int64_t, int64_t, const float *,
		       const struct float_tile *, double *);

values_code float_tile_values_base, float_tile_values_v3, float_tile_values_v4;
sums_code float_tile_sums_base, float_tile_sums_v3, float_tile_sums_v4;

typedef void exact_code(const struct float_vectors *, int64_t, int64_t, const double *,
			const struct float_tile *, double *);

exact_code float_tile_exact_sums_base, float_tile_exact_sums_v3, float_tile_exact_sums_v4;

struct variant {
	const char *name;
	bool supported;
	values_code *values;
	sums_code *sums;
	exact_code *exact_sums;
};

static const struct variant *variants(int *n)
{
	static struct variant list[4];
	struct variant all[] = {
		{ "chosen", true, float_tile_values, float_tile_sums, float_tile_exact_sums },
		{ "baseline", true, float_tile_values_base, float_tile_sums_base,
		  float_tile_exact_sums_base },
#ifdef HAVE_ISA_VARIANTS
		{ "x86-64-v3",
		  __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			  __builtin_cpu_supports("bmi2"),
		  float_tile_values_v3, float_tile_sums_v3, float_tile_exact_sums_v3 },
		{ "x86-64-v4",
		  __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"),
		  float_tile_values_v4, float_tile_sums_v4, float_tile_exact_sums_v4 },
#endif
	};

	*n = 0;
	for (int i = 0; i < LENGTH(all); i++)
		if (all[i].supported)
			list[(*n)++] = all[i];
	return list;
}

/* ---- Values ---- */

static float value[MAX_ROWS][(MAX_ROWS + LANES - 1) / LANES * LANES] ALIGNED;

/* value[v][i] = K(v, row i) for first <= v < last, and nothing else is written but padding */
static void fill_values(const struct variant *code, const struct float_vectors *v, int64_t first,
			int64_t last)
{
	struct float_tile tile;
	struct error err = { 0 };

	if (!CHECK(float_tile_init(&tile, v, &err) == 0, "%s", err.text))
		return;
	for (int64_t start = 0; start < v->n; start += LANES) {
		int n = v->n - start < LANES ? (int)(v->n - start) : LANES;
		int padded = (n + FLOAT_GROUP - 1) / FLOAT_GROUP * FLOAT_GROUP;
		float *out[MAX_ROWS];

		for (int64_t u = first; u < last; u++) {
			out[u - first] = value[u] + start;
			for (int lane = 0; lane < LANES; lane++)
				value[u][start + lane] = -12345;
		}
		float_tile_fill(&tile, v, NULL, start, n);
		code->values(v, first, last, &tile, out);
		float_tile_clear(&tile, v, NULL, start, n);
		for (int64_t u = first; u < last; u++)
			for (int lane = padded; lane < LANES; lane++)
				CHECK(value[u][start + lane] == -12345, "%s: wrote beyond %d lanes",
				      code->name, n);
	}
	float_tile_free(&tile);
}

/* Relative error of an rbf kernel's value 'exact' at most, as the form of the rows has it. */
static double error_of_exponent(const struct float_exponent *e, double exact)
{
	double t = -log(exact);

	return FLOAT_VALUE_STEPS * FLT_EPSILON / 2 + e->absolute + e->of_root * sqrt(t) +
	       e->relative * t;
}

static void compare_values(const char *what, const struct rows *r, const struct float_vectors *f,
			   int64_t first, int64_t last, double most)
{
	const struct kernel *k = &f->kernel;
	double size[MAX_ROWS];

	for (int64_t i = 0; i < r->n; i++)
		size[i] = plain_size(k, r, i);
	for (int64_t v = first; v < last; v++)
		for (int64_t i = 0; i < r->n; i++) {
			double exact = plain_kernel(k, r, v, i), s = size[v] * size[i];
			double error = fabs(value[v][i] - exact);

			CHECK(error <= most * s,
			      "%s: K(%" PRId64 ", %" PRId64 ") = %.9g, not %.9g: off by %g of %g",
			      what, v, i, (double)value[v][i], exact, error, s);
			CHECK(k->type != KERNEL_RBF || exact < FLT_MIN ||
				      error <= exact * 1.01 *
						       error_of_exponent(&f->exponent,
									 fmin(exact, 1)),
			      "%s: K = %.9g, not %.9g: not within the error of its exponent", what,
			      (double)value[v][i], exact);
			CHECK(k->coef0 < 0 || fabs(exact) < 0.25 * s ||
				      error <= 1.5 * most * fabs(exact),
			      "%s: K = %.9g, not %.9g: a relative error of %g", what,
			      (double)value[v][i], exact, error / fabs(exact));
		}
}

enum form { SPARSE, DENSE, DIFFERENCES, CHUNKS, WIDE_SPARSE, WIDE_DENSE, WIDE_DIFFERENCES, ANY };

static const char *const form_names[] = { "sparse",	 "dense",      "differences",	   "chunks",
					  "wide sparse", "wide dense", "wide differences", "any" };

static enum form form_of(const struct float_vectors *v)
{
	if (v->in_doubles)
		return v->difference ? WIDE_DIFFERENCES : v->dense ? WIDE_DENSE : WIDE_SPARSE;
	return v->wide_sums ? CHUNKS : v->difference ? DIFFERENCES : v->dense ? DENSE : SPARSE;
}

static void expect_values(const struct rows *r, const struct kernel *k, enum form form, double most)
{
	struct float_vectors v;
	struct error err = { 0 };
	int n_variants;
	const struct variant *code = variants(&n_variants);
	char what[100];

	if (!CHECK(float_vectors_init(&v, &r->x, k, &err) == 0,
		   "kernel %d, gamma %g, %s: refused: %s", k->type, k->gamma, form_names[form],
		   err.text))
		return;
	CHECK(form == ANY || form_of(&v) == form, "kernel %d, gamma %g: %s, not %s", k->type,
	      k->gamma, form_names[form_of(&v)], form_names[form]);
	CHECK(v.n == r->n && v.n_cols <= r->n_cols &&
		      !v.half_norm2 == (k->type != KERNEL_RBF || v.difference) && v.val &&
		      !v.start == v.dense && !v.col == v.dense,
	      "%" PRId64 " rows of %" PRId64, v.n, v.n_cols);
	for (int c = 0; c < n_variants; c++) {
		int64_t first = c > 0 ? 0 : random_below(r->n);
		int64_t last = c > 0 ? r->n : first + random_below(r->n - first + 1);

		snprintf(what, sizeof(what), "%s, kernel %d (%d, %g, %g), %s", code[c].name,
			 k->type, k->degree, k->gamma, k->coef0, form_names[form]);
		fill_values(&code[c], &v, first, last);
		compare_values(what, r, &v, first, last, most);
	}
	float_vectors_free(&v);
	CHECK(!v.val && !v.start && !v.col && !v.half_norm2 && v.n == 0, "not emptied");
}

static const struct kernel products[] = {
	{ .type = KERNEL_LINEAR },
	{ .type = KERNEL_POLYNOMIAL, .degree = 0, .gamma = 1, .coef0 = 0 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 1, .gamma = 3, .coef0 = 0 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.5, .coef0 = 1 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.3, .coef0 = 0 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 2, .coef0 = -1 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.1, .coef0 = 100 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 10, .coef0 = 0.01 },
};

static struct shape random_shape(bool dense)
{
	static const int64_t n_rows[] = { 1, 2, 15, 16, 17, 63, 64, 65, 80, 128, MAX_ROWS };
	double density = dense ? random_below(2) ? 1 : 0.97 : random_between(0.05, 0.5);

	return (struct shape){ n_rows[random_below(LENGTH(n_rows))],
			       dense ? 1 + (int)random_below(MAX_COLUMNS) : MAX_COLUMNS, density,
			       pow(10, random_between(-2, 2)), 0 };
}

static void test_products(void)
{
	static struct rows r;

	for (int trial = 0; trial < 60; trial++) {
		struct shape shape = random_shape(trial % 2);

		/* few rows of little density: some columns occur in them all */
		shape.n = trial % 2 ? shape.n : shape.n + 20 < MAX_ROWS ? shape.n + 20 : MAX_ROWS;
		/* where rows are nearly dense, empty ones are too many */
		if (trial % 2 && shape.n < 20)
			shape.density = 1;
		rows_init(&r, shape);
		for (int c = 0; c < LENGTH(products); c++) {
			struct kernel k = products[c];
			enum form form;

			k.gamma /= shape.scale * shape.scale;
			/* powers of sums may be more exact in doubles */
			form = k.degree > 1 ? ANY : trial % 2 ? DENSE : SPARSE;
			expect_values(&r, &k, form, LARGEST);
		}
		rows_free(&r);
	}
}

/* Up to a gamma |x|^2 that they are surely used for. */
static void test_sigmoid(void)
{
	static const double reach[] = { 1e-6, 0.1, 0.5, 1 };
	static const double coef0[] = { 0, 0.5, -0.5, 3, -4, 20, -900 };
	static struct rows r;

	for (int trial = 0; trial < 16; trial++) {
		struct shape shape = random_shape(trial % 2);

		shape.n = 40 + random_below(60);
		rows_init(&r, shape);
		for (int c = 0; c < LENGTH(coef0); c++) {
			struct kernel k = { .type = KERNEL_SIGMOID, .coef0 = coef0[c] };

			k.gamma = reach[trial / 2 % 4] / largest_norm2(&r, false);
			expect_values(&r, &k, trial % 2 ? DENSE : SPARSE, LARGEST);
		}
		rows_free(&r);
	}
}

static void test_rbf_sparse(void)
{
	static const double reach[] = { 0, 1e-9, 0.01, 0.5, 1 };
	static struct rows r;

	for (int trial = 0; trial < 25; trial++) {
		struct kernel k = { .type = KERNEL_RBF };
		struct shape shape = random_shape(false);

		shape.n = 20 + random_below(180);
		rows_init(&r, shape);
		k.gamma = reach[trial % 5] / largest_norm2(&r, false);
		expect_values(&r, &k, SPARSE, LARGEST);
		rows_free(&r);
	}
}

/* A common offset of a thousand is as good as none. */
static void test_rbf_dense(void)
{
	static const double reach[] = { 0, 1e-9, 0.01, 0.5, 1 };
	static struct rows r;

	for (int trial = 0; trial < 30; trial++) {
		struct kernel k = { .type = KERNEL_RBF };
		struct shape shape = random_shape(true);

		shape.n = 20 + random_below(180);
		shape.density = 1;
		shape.offset = trial % 2 ? 1000 * shape.scale : 0;
		rows_init(&r, shape);
		k.gamma = reach[trial % 5] / largest_norm2(&r, true);
		expect_values(&r, &k, DENSE, LARGEST);
		rows_free(&r);
	}
}

/* Large distances: K is 1 only for what is equal, and must be right for what is near. */
static void make_twins(struct rows *r, double gamma)
{
	for (int64_t i = 0; i + 1 < r->n; i += 2)
		for (int c = 0; c < r->n_cols; c++) {
			double step = i % 4 ? sqrt(random_unit() / gamma / r->n_cols) : 0;

			r->dense[i + 1][c] = r->dense[i][c] + (random_below(2) ? step : -step);
			r->x.val[r->x.row_start[i + 1] + c] = r->dense[i + 1][c];
		}
}

static void test_rbf_differences(void)
{
	static const double reach[] = { 6, 20, 50, 90 };
	static struct rows r;

	for (int trial = 0; trial < 40; trial++) {
		struct kernel k = { .type = KERNEL_RBF };
		struct shape shape = random_shape(true);

		shape.n = 20 + random_below(180);
		shape.density = 1;
		shape.offset = trial % 2 ? 100 * shape.scale : 0;
		rows_init(&r, shape);
		make_twins(&r, reach[trial % 4] / largest_norm2(&r, true));
		k.gamma = reach[trial % 4] / largest_norm2(&r, true);
		expect_values(&r, &k, DIFFERENCES, LARGEST);
		rows_free(&r);
	}
}

/* Where products of floats are too coarse, for a polynomial perhaps, they are summed in doubles. */
static void test_wide(void)
{
	static const double reach[] = { 30, 100, 1000, 1e5 };
	static const struct kernel kernels[] = {
		{ .type = KERNEL_RBF },
		{ .type = KERNEL_SIGMOID, .coef0 = -4 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 3, .coef0 = 0 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 5, .coef0 = 1 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 3, .coef0 = -2 },
	};
	static struct rows r;

	for (int trial = 0; trial < 40; trial++) {
		bool dense = trial % 2;
		struct shape shape = random_shape(dense);
		struct kernel k = kernels[trial / 8];
		enum form form;

		shape.n = 40 + random_below(MAX_ROWS - 40);
		shape.density = dense ? 1 : shape.density;
		rows_init(&r, shape);
		/* dense rows of an rbf kernel have differences up to 90 */
		k.gamma = reach[trial / 2 % 4] * (dense && k.type == KERNEL_RBF ? 100 : 1) /
			  largest_norm2(&r, dense && k.type == KERNEL_RBF);
		form = k.type == KERNEL_POLYNOMIAL ? ANY : dense ? WIDE_DENSE : WIDE_SPARSE;
		expect_values(&r, &k, form, LARGEST);
		rows_free(&r);
	}
}

/*
 * Numbers of few digits, whose products in chunks are exact: the error of an exponent, which
 * compare_values() looks at, is that of the last steps alone, however large the norms are.
 */
static void test_chunks(void)
{
	static const double reach[] = { 6, 20, 70, 1e5 };
	static struct rows r;

	for (int trial = 0; trial < 24; trial++) {
		struct kernel k = { .type = KERNEL_RBF };
		struct shape shape = random_shape(false);

		shape.n = 20 + random_below(180);
		shape.density = 0.5;
		rows_init(&r, shape);
		round_values(&r, shape.scale / 512);
		k.gamma = reach[trial % 4] / largest_norm2(&r, false);
		/* a unit that no power of two is makes values that are no floats */
		expect_values(&r, &k, WIDE_SPARSE, LARGEST);
		rows_free(&r);
		shape.scale = ldexp(1, (int)random_below(20));
		rows_init(&r, shape);
		round_values(&r, shape.scale / 512);
		k.gamma = reach[trial % 4] / largest_norm2(&r, false);
		expect_values(&r, &k, CHUNKS, LARGEST);
		rows_free(&r);
	}
}

/* Distances that products of doubles are too coarse for. */
static void test_wide_differences(void)
{
	static const double reach[] = { 1e10, 1e12, 1e15 };
	static struct rows r;

	for (int trial = 0; trial < 30; trial++) {
		struct kernel k = { .type = KERNEL_RBF };
		struct shape shape = random_shape(true);

		shape.n = 20 + random_below(180);
		shape.density = 1;
		rows_init(&r, shape);
		make_twins(&r, reach[trial % 3] / largest_norm2(&r, true));
		k.gamma = reach[trial % 3] / largest_norm2(&r, true);
		expect_values(&r, &k, WIDE_DIFFERENCES, LARGEST);
		rows_free(&r);
	}
}

/* No columns at all: dense, of width 0. */
static void test_nothing(void)
{
	static struct rows r;

	for (int64_t n = 1; n <= 70; n += 23) {
		struct kernel rbf = { .type = KERNEL_RBF, .gamma = 2 };

		rows_init(&r, (struct shape){ n, 5, 0, 1, 0 });
		expect_values(&r, &rbf, DENSE, 0);
		for (int c = 0; c < LENGTH(products); c++)
			expect_values(&r, &products[c], DENSE, LARGEST);
		rows_free(&r);
	}
}

/* ---- Functions of one number ---- */

/* x = (t), z = (): K = exp(-gamma t^2) */
static void test_exponential(void)
{
	static struct rows r;
	int n_variants;
	const struct variant *code = variants(&n_variants);

	for (int trial = 0; trial < 50; trial++) {
		struct kernel k = { .type = KERNEL_RBF, .gamma = random_between(0.5, 2) };
		double most = trial % 2 ? 8.5 : 1.4;
		struct float_vectors v;
		struct error err = { 0 };

		rows_init(&r, (struct shape){ MAX_ROWS, 1, 1, 1, 0 });
		for (int64_t i = 0; i < r.n; i++) {
			r.dense[i][0] = i == 0 ? 0 : random_between(-most, most) / sqrt(k.gamma);
			r.x.val[i] = r.dense[i][0];
		}
		if (!CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "refused: %s", err.text))
			return;
		for (int c = 0; c < n_variants; c++) {
			fill_values(&code[c], &v, 0, 1);
			for (int64_t i = 0; i < r.n; i++) {
				double exact = plain_kernel(&k, &r, 0, i);

				CHECK(value[0][i] > 0 &&
					      fabs(value[0][i] - exact) <= 1e-6 * exact + 2e-7,
				      "%s: exp(%g) = %.9g, not %.9g", code[c].name, log(exact),
				      (double)value[0][i], exact);
			}
		}
		float_vectors_free(&v);
		rows_free(&r);
	}
}

/* Empty rows: K = tanh(coef0), odd, and never beyond 1. */
static void test_tanh(void)
{
	static struct rows r;
	int n_variants;
	const struct variant *code = variants(&n_variants);

	rows_init(&r, (struct shape){ 1, 1, 1, 0, 0 });
	for (int trial = 0; trial < 4000; trial++) {
		double size = pow(10, random_between(-9, trial % 4 ? 1 : 5));
		double x = (float)(random_below(2) ? size : -size);
		struct kernel k = { .type = KERNEL_SIGMOID, .gamma = 1, .coef0 = x };
		struct float_vectors v;
		struct error err = { 0 };

		if (!CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "refused: %s", err.text))
			return;
		for (int c = 0; c < n_variants; c++) {
			fill_values(&code[c], &v, 0, 1);
			CHECK(fabs(value[0][0] - tanh(x)) <= 3e-7 * fabs(tanh(x)) &&
				      fabs(value[0][0]) <= 1,
			      "%s: tanh(%.9g) = %.9g, not %.9g", code[c].name, x,
			      (double)value[0][0], tanh(x));
		}
		float_vectors_free(&v);
	}
	rows_free(&r);
}

/* ---- Refusals ---- */

static void expect_refusal(const struct rows *r, struct kernel k, const char *why)
{
	static const struct float_vectors empty;
	struct float_vectors v = { .n = 5 };
	struct error err = { 0 };
	int ret = float_vectors_init(&v, &r->x, &k, &err);

	CHECK(ret == 1 && err.code == ERR_NONE, "%s: %d, '%s'", why, ret, err.text);
	CHECK(v.n == empty.n && !v.start && !v.col && !v.val && !v.half_norm2, "%s: not empty",
	      why);
	float_vectors_free(&v);
}

static void test_refusals(void)
{
	static const struct csr none;
	static struct rows r;

	for (int dense = 0; dense <= 1; dense++) {
		rows_init(&r, (struct shape){ 50, 60, dense ? 1 : 0.3, 1, 0 });
		expect_refusal(&r, (struct kernel){ KERNEL_PRECOMPUTED, 0, 0, 0 }, "precomputed");
		expect_refusal(&r, (struct kernel){ KERNEL_RBF, 0, dense ? 1e21 : 1e9, 0 },
			       "gamma too large");
		expect_refusal(&r, (struct kernel){ KERNEL_RBF, 0, -0.01, 0 }, "gamma < 0");
		expect_refusal(&r, (struct kernel){ KERNEL_RBF, 0, NAN, 0 }, "gamma nan");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 3, -1, 0 }, "gamma < 0");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 9, 0.1, 0 }, "degree 9");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, -1, 0.1, 1 }, "degree < 0");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 3, 1e10, 0 }, "overflow");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 3, 1, 1e11 }, "large coef0");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 2, 1, INFINITY },
			       "coef0 inf");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 2, 1, NAN }, "coef0 nan");
		expect_refusal(&r, (struct kernel){ KERNEL_SIGMOID, 0, 1e9, 0 }, "a steep sigmoid");
		expect_refusal(&r, (struct kernel){ KERNEL_SIGMOID, 0, -0.01, 0 }, "gamma < 0");
		expect_refusal(&r, (struct kernel){ KERNEL_SIGMOID, 0, 0.01, 1e9 }, "large coef0");
		r.x.val[7] = NAN;
		expect_refusal(&r, (struct kernel){ KERNEL_SIGMOID, 0, 0.01, 0 }, "a value nan");
		rows_free(&r);
		rows_init(&r, (struct shape){ 50, 60, dense ? 1 : 0.3, 1e10, 0 });
		expect_refusal(&r, (struct kernel){ KERNEL_RBF, 0, dense ? 1e3 : 1, 0 },
			       "values of 1e10");
		expect_refusal(&r, (struct kernel){ KERNEL_SIGMOID, 0, 1, 0 }, "values of 1e10");
		expect_refusal(&r, (struct kernel){ KERNEL_POLYNOMIAL, 3, 1, 0 }, "values of 1e10");
		rows_free(&r);
		rows_init(&r, (struct shape){ 50, 60, dense ? 1 : 0.3, 1e19, 0 });
		expect_refusal(&r, (struct kernel){ KERNEL_LINEAR, 0, 0, 0 }, "values of 1e19");
		rows_free(&r);
		rows_init(&r, (struct shape){ 50, 60, dense ? 1 : 0.3, 1e200, 0 });
		expect_refusal(&r, (struct kernel){ KERNEL_LINEAR, 0, 0, 0 }, "values of 1e200");
		rows_free(&r);
	}
	memset(&r, 0, sizeof(r));
	r.x = none;
	expect_refusal(&r, (struct kernel){ KERNEL_LINEAR, 0, 0, 0 }, "no rows");
}

/* Rows whose entries are all equal, where the roundings of a sum all go the same way. */
static void test_equal_entries(void)
{
	enum { N = 20000, ROWS = 4 };
	static int32_t col[N];
	static double val[N];

	for (int steep = 0; steep <= 1; steep++) {
		struct kernel k = { .type = KERNEL_RBF, .gamma = steep ? 1 : 0.01 };
		int64_t start[2] = { 0, N }, row = 1;
		struct float_vectors v, one;
		struct error err = { 0 };
		double coef = 1, value[ROWS];
		struct csr x = { 0 };
		int fits;

		for (int i = 0; i < ROWS; i++) {
			for (int j = 0; j < N; j++) {
				col[j] = 1 + j + i * N / 4;
				val[j] = 1 / sqrt(N);
			}
			CHECK(csr_append(&x, 1, start, col, val, &err) == 0, "%s", err.text);
		}
		fits = float_vectors_init(&v, &x, &k, &err);
		CHECK(fits == 0 && v.in_doubles == steep, "gamma %g: %d, %d", k.gamma, fits,
		      v.in_doubles);
		if (fits == 0 &&
		    CHECK(float_vectors_gather(&one, &v, &row, 1, &err) == 0, "%s", err.text)) {
			CHECK(float_vectors_sums((struct float_rows){ &v, NULL, ROWS }, &one, &coef,
						 value, 1, &err) == 0,
			      "%s", err.text);
			CHECK(fabs(value[1] - 1) <= FLOAT_TOLERANCE, "K = %.9g", value[1]);
			float_vectors_free(&one);
		}
		float_vectors_free(&v);
		csr_free(&x);
	}
}

/* ---- Measured errors ---- */

/* Kinds of rows that a sample may misjudge. */
enum kind { BINARY, SCALED, FAR, OUTLIERS, TWINS, NARROW, KINDS };

static void make_kind(struct rows *r, struct kernel *k, enum kind kind)
{
	bool dense = kind != BINARY && kind != OUTLIERS;

	rows_init(r, (struct shape){ MAX_ROWS, dense ? 8 : 60, dense ? 1 : 0.2, 1,
				     kind == FAR ? 1000 : 0 });
	k->gamma = 1 / largest_norm2(r, dense);
	for (int64_t i = 0; i < r->n; i++)
		for (int64_t e = r->x.row_start[i], c = 0; c < r->n_cols; c++) {
			if (r->dense[i][c] == 0)
				continue;
			if (kind == BINARY)
				r->dense[i][c] = 1;
			/* a few rows far out, and near each other */
			if (kind == OUTLIERS && i % 60 == 17)
				r->dense[i][c] = 400 + r->dense[i][c];
			r->x.val[e++] = r->dense[i][c];
		}
	k->gamma *= kind == NARROW ? 20 : 1;
	if (kind == TWINS || kind == NARROW)
		make_twins(r, k->gamma);
}

/*
 * The error measured on a sample, of twelve of 200 rows, is that of most values of all rows: not
 * below half their root mean square, and not far above it, but for rounding of the largest values.
 * The values of a row with itself have errors of the other measure.  Both are the same each time.
 */
static void test_measured(void)
{
	static struct rows r;

	for (int trial = 0; trial < 8 * KINDS; trial++) {
		struct kernel k = { .type = KERNEL_RBF };
		double squares = 0, of_same = 0, n;
		struct float_vectors v, again;
		struct error err = { 0 };

		make_kind(&r, &k, trial % KINDS);
		if (!CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0 &&
				   float_vectors_init(&again, &r.x, &k, &err) == 0,
			   "kind %d: %s", trial % KINDS, err.text))
			return;
		fill_values(variants(&(int){ 0 }), &v, 0, v.n);
		n = (double)v.n;
		for (int64_t i = 0; i < v.n; i++)
			for (int64_t j = 0; j < v.n; j++) {
				double error = value[i][j] - plain_kernel(&k, &r, i, j);

				squares += error * error / n / n;
				of_same += i == j ? error * error / n : 0;
			}
		CHECK(v.error <= FLOAT_ERROR && sqrt(squares) <= 2 * v.error &&
			      v.error <= fmax(6e-8, 3 * sqrt(squares)),
		      "kind %d: %g, not %g", trial % KINDS, v.error, sqrt(squares));
		CHECK(v.error_of_same <= FLOAT_ERROR && v.error_of_same >= v.error &&
			      fmin(sqrt(of_same), FLOAT_ERROR) <= 4 * v.error_of_same,
		      "kind %d: %g of the same, not %g", trial % KINDS, v.error_of_same,
		      sqrt(of_same));
		CHECK(again.error == v.error && again.error_of_same == v.error_of_same,
		      "kind %d: %g, then %g", trial % KINDS, v.error, again.error);
		float_vectors_free(&v);
		float_vectors_free(&again);
		rows_free(&r);
	}
}

/* ---- Sums ---- */

/* A kernel and rows for each form it is computed in. */
static void make_case(struct rows *r, struct kernel *k, int number)
{
	static const enum kernel_type types[] = { KERNEL_LINEAR,     KERNEL_POLYNOMIAL, KERNEL_RBF,
						  KERNEL_SIGMOID,    KERNEL_RBF,	KERNEL_RBF,
						  KERNEL_POLYNOMIAL, KERNEL_RBF };
	static const double reach[] = { 1.8, 1.8, 1.8, 1.8, 90, 500, 3, 90 };
	bool dense = number % 2 || number / 2 == 4;

	rows_init(r, (struct shape){ 150 + number, dense ? 7 : 60, dense ? 1 : 0.2, 1, 0 });
	if (number / 2 == 7)
		round_values(r, 0x1p-10);
	*k = (struct kernel){ types[number / 2], number / 2 == 6 ? 4 : 2, 0, 0.5 };
	k->gamma = reach[number / 2] / largest_norm2(r, dense && k->type == KERNEL_RBF);
}

enum { CASES = 16 };

/*
 * Errors of kernel values are independent, as decision.c has it: so f is off by u sqrt(K_ii)
 * |(c_j sqrt(K_jj))_j|, seldom by six times that, by eight of one polynomial compiled with -O1; u is
 * FLOAT_ERROR, or what was measured.
 */
static void expect_sums(const struct rows *r, const struct kernel *k, const double *coef,
			const double *sum, double u, const char *what)
{
	for (int64_t i = 0; i < r->n; i++) {
		double exact = 0, size2 = 0, error;

		for (int64_t j = 0; j < r->n; j++) {
			double s = coef[j] * plain_size(k, r, j);

			exact += coef[j] * plain_kernel(k, r, j, i);
			size2 += s * s;
		}
		error = u * plain_size(k, r, i) * sqrt(size2);
		CHECK(fabs(sum[i] - exact) <= 10 * error,
		      "%s, kernel %d: %.9g, not %.9g: %g times "
		      "what is expected",
		      what, k->type, sum[i], exact, fabs(sum[i] - exact) / error);
	}
}

static void sum_by(const struct variant *code, const struct float_vectors *v, const double *coef,
		   double *sum)
{
	float narrow[MAX_ROWS];
	double of_tile[LANES] ALIGNED;
	struct float_tile tile;
	struct error err = { 0 };

	if (!CHECK(float_tile_init(&tile, v, &err) == 0, "%s", err.text))
		return;
	for (int64_t j = 0; j < v->n; j++)
		narrow[j] = (float)coef[j];
	for (int64_t start = 0; start < v->n; start += LANES) {
		int n = v->n - start < LANES ? (int)(v->n - start) : LANES;

		float_tile_fill(&tile, v, NULL, start, n);
		memset(of_tile, 0, sizeof(of_tile));
		if (v->exact_sums)
			code->exact_sums(v, 0, v->n, coef, &tile, of_tile);
		else
			code->sums(v, 0, v->n, narrow, &tile, of_tile);
		float_tile_clear(&tile, v, NULL, start, n);
		memcpy(sum + start, of_tile, (size_t)n * sizeof(double));
	}
	float_tile_free(&tile);
}

static void test_sums(void)
{
	static struct rows r;
	int n_variants;
	const struct variant *code = variants(&n_variants);

	for (int number = 0; number < 3 * CASES; number++) {
		double coef[MAX_ROWS], sum[MAX_ROWS];
		struct float_vectors v;
		struct error err = { 0 };
		struct kernel k;

		make_case(&r, &k, number % CASES);
		for (int64_t j = 0; j < r.n; j++)
			coef[j] = random_normal() *
				  (number < CASES ? 1 : pow(10, random_between(-6, 6)));
		if (!CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "case %d: %s", number,
			   err.text))
			return;
		for (int exact = 0; exact <= 1; exact++) {
			double u = exact ? v.error : FLOAT_ERROR;

			v.exact_sums = exact;
			CHECK(float_vectors_sums((struct float_rows){ &v, NULL, v.n }, &v, coef,
						 sum, 2, &err) == 0,
			      "%s", err.text);
			expect_sums(&r, &k, coef, sum, u, "all");
			for (int c = 0; c < n_variants; c++) {
				sum_by(&code[c], &v, coef, sum);
				/* measured with the chosen copy: others may do without fused steps */
				expect_sums(&r, &k, coef, sum, exact ? 2 * u : u, code[c].name);
			}
		}
		float_vectors_free(&v);
		rows_free(&r);
	}
}

/* No vectors: nothing to sum.  No rows: nothing to do. */
static void test_no_vectors(void)
{
	static struct rows r;

	for (int number = 0; number < CASES; number++) {
		struct float_vectors v, none;
		struct error err = { 0 };
		double sum[MAX_ROWS], coef = 1;
		struct kernel k;

		make_case(&r, &k, number);
		CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "%s", err.text);
		CHECK(float_vectors_gather(&none, &v, NULL, 0, &err) == 0, "%s", err.text);
		CHECK(float_vectors_sums((struct float_rows){ &v, NULL, v.n }, &none, &coef, sum, 2,
					 &err) == 0,
		      "%s", err.text);
		for (int64_t i = 0; i < v.n; i++)
			CHECK(sum[i] == 0, "%g", sum[i]);
		sum[0] = 5;
		CHECK(float_vectors_sums((struct float_rows){ &v, NULL, 0 }, &v, sum, sum, 2,
					 &err) == 0 &&
			      sum[0] == 5,
		      "%s", err.text);
		float_vectors_free(&none);
		float_vectors_free(&v);
		rows_free(&r);
	}
}

static void shuffle(int64_t *list, int64_t n)
{
	for (int64_t i = n - 1; i > 0; i--) {
		int64_t j = random_below(i + 1), kept = list[i];

		list[i] = list[j];
		list[j] = kept;
	}
}

/* Whatever the threads, the order of the rows asked for, their number and their company. */
static void test_same_bits(void)
{
	static struct rows r;

	for (int number = 0; number < CASES; number++) {
		double coef[MAX_ROWS], all[MAX_ROWS], sum[MAX_ROWS];
		int64_t row[MAX_ROWS];
		struct float_vectors v;
		struct error err = { 0 };
		struct kernel k;

		make_case(&r, &k, number);
		CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "%s", err.text);
		for (int64_t j = 0; j < v.n; j++) {
			coef[j] = random_normal();
			row[j] = j;
		}
		CHECK(float_vectors_sums((struct float_rows){ &v, NULL, v.n }, &v, coef, all, 1,
					 &err) == 0,
		      "%s", err.text);
		for (int n_threads = 1; n_threads <= 4; n_threads++) {
			int64_t n = n_threads % 2 ? v.n : 1 + random_below(v.n);

			shuffle(row, v.n);
			CHECK(float_vectors_sums((struct float_rows){ &v, row, n }, &v, coef, sum,
						 n_threads, &err) == 0,
			      "%s", err.text);
			for (int64_t i = 0; i < n; i++)
				CHECK(memcmp(&sum[i], &all[row[i]], sizeof(double)) == 0,
				      "case %d: %.17g, not %.17g", number, sum[i], all[row[i]]);
		}
		float_vectors_free(&v);
		rows_free(&r);
	}
}

/* A value's bits do not depend on the vectors and rows computed along with it. */
static void test_values_alone(void)
{
	static float together[MAX_ROWS][MAX_ROWS];
	static struct rows r;
	int n_variants;
	const struct variant *code = variants(&n_variants);

	for (int number = 0; number < CASES * n_variants; number++) {
		const struct variant *c = &code[number / CASES];
		struct float_vectors v;
		struct float_tile tile;
		struct error err = { 0 };
		struct kernel k;

		make_case(&r, &k, number % CASES);
		CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "%s", err.text);
		fill_values(c, &v, 0, v.n);
		for (int64_t u = 0; u < v.n; u++)
			memcpy(together[u], value[u], (size_t)v.n * sizeof(float));
		CHECK(float_tile_init(&tile, &v, &err) == 0, "%s", err.text);
		for (int trial = 0; trial < 200; trial++) {
			int64_t u = random_below(v.n), row[LANES], n = 1 + random_below(LANES);
			float alone[LANES] ALIGNED, *out = alone;

			for (int64_t lane = 0; lane < n; lane++)
				row[lane] = random_below(v.n);
			float_tile_fill(&tile, &v, row, 0, (int)n);
			c->values(&v, u, u + 1, &tile, &out);
			float_tile_clear(&tile, &v, row, 0, (int)n);
			for (int64_t lane = 0; lane < n; lane++)
				CHECK(memcmp(&alone[lane], &together[u][row[lane]],
					     sizeof(float)) == 0,
				      "%s, case %d: %.9g, not %.9g", c->name, number % CASES,
				      (double)alone[lane], (double)together[u][row[lane]]);
		}
		float_tile_free(&tile);
		float_vectors_free(&v);
		rows_free(&r);
	}
}

/* Columns between two of the rows' own, so that there are more than a tile has elements for. */
enum { SPREAD = 100 };

/*
 * A tile that has the columns of its rows alone gives the bits of one of all columns: of sparse
 * rows whose columns are numbered anew, far apart, in tiles that are filled again and again.
 */
static void test_places(void)
{
	static float value_by_column[MAX_ROWS][MAX_ROWS];
	static struct rows r;
	int n_variants, n_forms = 0;
	const struct variant *code = variants(&n_variants);

	for (int number = 0; number < CASES * n_variants; number++) {
		const struct variant *c = &code[number / CASES];
		double coef[MAX_ROWS], sum[MAX_ROWS], sum_by_column[MAX_ROWS];
		struct float_vectors v;
		struct float_tile tile = { 0 };
		struct error err = { 0 };
		struct kernel k;

		make_case(&r, &k, number % CASES);
		CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "%s", err.text);
		for (int64_t j = 0; j < v.n; j++)
			coef[j] = random_normal();
		if (!v.dense) {
			fill_values(c, &v, 0, v.n);
			for (int64_t u = 0; u < v.n; u++)
				memcpy(value_by_column[u], value[u], (size_t)v.n * sizeof(float));
			sum_by(c, &v, coef, sum_by_column);
			for (int64_t e = 0; e < v.start[v.n]; e++)
				v.col[e] = v.col[e] * SPREAD + 1;
			v.n_cols *= SPREAD;
			CHECK(float_tile_init(&tile, &v, &err) == 0 && tile.place, "no places");
			float_tile_free(&tile);
			fill_values(c, &v, 0, v.n);
			sum_by(c, &v, coef, sum);
			for (int64_t u = 0; u < v.n; u++)
				CHECK(memcmp(value[u], value_by_column[u],
					     (size_t)v.n * sizeof(float)) == 0,
				      "%s, case %d, row %" PRId64 ": other values", c->name,
				      number % CASES, u);
			CHECK(memcmp(sum, sum_by_column, (size_t)v.n * sizeof(double)) == 0,
			      "%s, case %d: other sums", c->name, number % CASES);
			n_forms |= v.in_doubles ? 2 : v.wide_sums ? 4 : 1;
		}
		float_vectors_free(&v);
		rows_free(&r);
	}
	CHECK(n_forms == 7, "sparse rows in floats, doubles and chunks: %d", n_forms);
}

/* Rows that share no column and are equally long need all the places that a tile has room for. */
static void test_all_places(void)
{
	enum { LENGTH_OF_ROW = 71, COLUMNS = LANES * LENGTH_OF_ROW };
	static double val[COLUMNS];
	static int32_t col[COLUMNS];
	int64_t start[LANES + 1];
	float own[LANES][LANES] ALIGNED, *out[LANES];
	struct csr x = {
		.n_rows = LANES, .n_cols = COLUMNS, .row_start = start, .col = col, .val = val
	};
	struct kernel linear = { .type = KERNEL_LINEAR };
	struct float_vectors v;
	struct float_tile tile;
	struct error err = { 0 };

	for (int i = 0; i <= LANES; i++)
		start[i] = i * LENGTH_OF_ROW;
	/* column k is of row k % LANES */
	for (int k = 0; k < COLUMNS; k++) {
		col[k % LANES * LENGTH_OF_ROW + k / LANES] = k;
		val[k] = k / LENGTH_OF_ROW + 1;
	}
	CHECK(float_vectors_init(&v, &x, &linear, &err) == 0, "%s", err.text);
	CHECK(float_tile_init(&tile, &v, &err) == 0 && tile.place, "no places");
	for (int time = 0; time < 2; time++) {
		float_tile_fill(&tile, &v, NULL, 0, LANES);
		CHECK(tile.n_places == COLUMNS, "%d places", (int)tile.n_places);
		for (int i = 0; i < LANES; i++)
			out[i] = own[i];
		float_tile_values(&v, 0, LANES, &tile, out);
		for (int i = 0; i < LANES; i++)
			for (int j = 0; j < LANES; j++)
				CHECK(own[i][j] ==
					      (i == j ? (i + 1.0) * (i + 1) * LENGTH_OF_ROW : 0),
				      "K(%d, %d) = %g", i, j, (double)own[i][j]);
		float_tile_clear(&tile, &v, NULL, 0, LANES);
	}
	float_tile_free(&tile);
	float_vectors_free(&v);
}

/* ---- Gathering ---- */

static void expect_same_row(const struct float_vectors *a, int64_t i, const struct float_vectors *b,
			    int64_t j)
{
	int64_t n = a->dense ? a->n_cols : a->start[i + 1] - a->start[i];
	int64_t x = a->dense ? i * n : a->start[i], z = b->dense ? j * n : b->start[j];
	int64_t size = a->in_doubles ? sizeof(double) : sizeof(float);
	int64_t norm = a->wide_sums ? sizeof(double) : sizeof(float);

	CHECK(b->dense || b->start[j + 1] - b->start[j] == n, "another length");
	CHECK(memcmp((const char *)a->val + x * size, (const char *)b->val + z * size,
		     (size_t)(n * size)) == 0,
	      "other values");
	CHECK(a->dense || memcmp(a->col + a->start[i], b->col + b->start[j],
				 (size_t)n * sizeof(int32_t)) == 0,
	      "other columns");
	CHECK(!a->half_norm2 || memcmp((const char *)a->half_norm2 + i * norm,
				       (const char *)b->half_norm2 + j * norm, (size_t)norm) == 0,
	      "another norm");
}

static void test_gather(void)
{
	static struct rows r;

	for (int number = 0; number < CASES; number++) {
		struct float_vectors v, some;
		struct error err = { 0 };
		int64_t row[MAX_ROWS];
		struct kernel k;

		make_case(&r, &k, number);
		CHECK(float_vectors_init(&v, &r.x, &k, &err) == 0, "%s", err.text);
		for (int64_t j = 0; j < MAX_ROWS; j++) /* more than there are: some repeat */
			row[j] = random_below(v.n);
		CHECK(float_vectors_gather(&some, &v, row, MAX_ROWS, &err) == 0, "%s", err.text);
		CHECK(some.n == MAX_ROWS && some.n_cols == v.n_cols && some.dense == v.dense &&
			      some.difference == v.difference && some.in_doubles == v.in_doubles &&
			      some.wide_sums == v.wide_sums && some.kernel.type == k.type &&
			      some.kernel.gamma == k.gamma && !some.half_norm2 == !v.half_norm2,
		      "%" PRId64 " rows of %" PRId64, some.n, some.n_cols);
		for (int64_t j = 0; j < MAX_ROWS; j++)
			expect_same_row(&v, row[j], &some, j);
		float_vectors_free(&some);
		float_vectors_free(&v);
		rows_free(&r);
	}
}

/* ---- Memory ---- */

static int use_once(void *arg, struct error *err)
{
	const struct rows *r = arg;
	double coef[MAX_ROWS] = { 1, -1 }, sum[MAX_ROWS];
	struct kernel k = { .type = KERNEL_RBF, .gamma = 1 / largest_norm2(r, true) };
	struct float_vectors v, some;
	int64_t row[2] = { 3, 1 };
	int ret = -1;

	if (float_vectors_init(&v, &r->x, &k, err) != 0)
		return -1;
	if (float_vectors_gather(&some, &v, row, 2, err) == 0) {
		ret = float_vectors_sums((struct float_rows){ &v, NULL, v.n }, &some, coef, sum, 3,
					 err);
		float_vectors_free(&some);
	}
	CHECK(ret == 0 || (!some.val && !some.start && !some.col) || some.n == 0, "not emptied");
	float_vectors_free(&v);
	return ret;
}

static void test_memory(void)
{
	static struct rows r;

	for (int dense = 0; dense <= 1; dense++) {
		rows_init(&r, (struct shape){ 30, 40, dense ? 1 : 0.2, 1, 0 });
		CHECK(fail_each_allocation("float_vectors", use_once, &r) > 10, "few allocations");
		rows_free(&r);
	}
}

int main(void)
{
	if (!UNIT_FINDS_RACES) {
		test_products();
		test_sigmoid();
		test_rbf_sparse();
		test_rbf_dense();
		test_rbf_differences();
		test_wide();
		test_chunks();
		test_wide_differences();
		test_measured();
	}
	test_nothing();
	test_exponential();
	test_tanh();
	test_refusals();
	test_equal_entries();
	test_sums();
	test_no_vectors();
	test_same_bits();
	test_values_alone();
	test_places();
	test_all_places();
	test_gather();
	test_memory();
	return unit_report("float");
}
