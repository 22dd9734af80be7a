/*
 * test_row_sketch.c - the space of random combinations of rows against the combinations themselves
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "failing.h"
#include "full.h"
#include "geometry/row_space.h"
#include "matrix/blas.h"
#include "select/bss.h"
#include "unit.h"

static struct row_space sketched_space(const struct csr *x, const struct row_sketch_options *o,
				       bool expected)
{
	struct row_space s = { 0 };
	struct error err = { 0 };
	bool sketched;

	CHECK(row_sketch_space(&s, x, o, &sketched, &err) == 0, "%s", err.text);
	CHECK(sketched == expected, "sketched: %d", sketched);
	return s;
}

/* V V', d x d */
static double *projection(const struct row_space *s)
{
	double *v = full_zeros(s->columns.n, s->rank), *vt, *p;

	for (int64_t j = 0; j < s->columns.n; j++)
		row_space_vector(s, j, v + j * s->rank);
	CHECK(full_crookedness(v, s->columns.n, s->rank) < 1e-9, "V'V - I is %g",
	      full_crookedness(v, s->columns.n, s->rank));
	vt = full_transposed(v, s->columns.n, s->rank);
	p = full_product(v, vt, s->columns.n, s->rank, s->columns.n);
	free(v);
	free(vt);
	return p;
}

/* G X as rows, by the definition of G */
static void combine_plainly(struct csr *y, const struct csr *x, int64_t t, uint64_t seed)
{
	double *a = full_of_rows(x), *g = full_zeros(t, x->n_rows), *gx;

	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t c = 0; c < t; c++) {
			double z[2];

			rng_normals(rng_draw(seed, RNG_SKETCH_ROWS, (uint64_t)i, (uint32_t)(c / 2)),
				    z);
			g[c * x->n_rows + i] = z[c % 2];
		}
	gx = full_product(g, a, t, x->n_rows, x->n_cols);
	full_rows(y, gx, t, x->n_cols, 0, 1);
	free(a);
	free(g);
	free(gx);
}

static void check_combined(const struct csr *x, int64_t t, bool qr, double accuracy)
{
	struct row_sketch_options o = { .n_rows = t,
					.seed = 7,
					.space = { .n_threads = 2, .qr = qr } };
	struct row_space s = sketched_space(x, &o, true), plain;
	struct csr y = { 0 };
	struct error err = { 0 };
	double *is, *be;

	combine_plainly(&y, x, t, 7);
	CHECK(row_space_init(&plain, &y, &o.space, &err) == 0, "%s", err.text);
	CHECK(s.rank == plain.rank && s.columns.n == plain.columns.n && s.n_rows == x->n_rows,
	      "rank %" PRId64 ", not %" PRId64, s.rank, plain.rank);
	is = projection(&s);
	be = projection(&plain);
	CHECK(full_difference(is, be, s.columns.n * s.columns.n) < accuracy, "off by %g",
	      full_difference(is, be, s.columns.n * s.columns.n));
	for (int64_t k = 0; k < s.rank; k++)
		CHECK(fabs(s.singular_value[k] - plain.singular_value[k]) <
			      accuracy * plain.singular_value[0],
		      "singular value %g, not %g", s.singular_value[k], plain.singular_value[k]);
	free(is);
	free(be);
	csr_free(&y);
	row_space_free(&s);
	row_space_free(&plain);
}

static void test_combined(void)
{
	for (int qr = 0; qr < 2; qr++) {
		struct csr few = { 0 }, many = { 0 };

		random_rows(&few, 50, 121, 0.2);
		random_rows(&many, 5000, 61, 0.1);
		check_combined(&few, 9, qr, 1e-10);
		check_combined(&few, 40, qr, 1e-10);
		check_combined(&many, 8, qr, 1e-10);
		check_combined(&many, 59, qr, 1e-10);
		csr_free(&few);
		csr_free(&many);
	}
}

/* Few directions: all of them, as in X; sizes over five decades, or one that hides the rest: by QR. */
static void test_deficient(void)
{
	enum { N = 40, D = 90, RANK = 6 };
	double *left = full_normal(N, RANK), *right = full_normal(RANK, D), *a, *is, *be;
	struct row_sketch_options o = { .n_rows = 20, .seed = 3, .space = { .n_threads = 1 } };

	for (int graded = 0; graded < 3; graded++) {
		struct csr x = { 0 };
		struct row_space s, exact;
		struct error err = { 0 };

		for (int64_t k = 0; k < RANK * D && graded == 1; k++)
			right[k] *= pow(10, -(double)(k / D));
		for (int64_t k = 0; k < RANK * D && graded == 2; k++)
			right[k] *= k < D ? 1e8 : pow(10, (double)(k / D));
		a = full_product(left, right, N, RANK, D);
		full_rows(&x, a, N, D, 1, 1);
		s = sketched_space(&x, &o, true);
		CHECK(row_space_init(&exact, &x, &o.space, &err) == 0, "%s", err.text);
		CHECK(s.rank == RANK && s.by_qr == (graded > 0), "rank %" PRId64 ", QR %d", s.rank,
		      s.by_qr);
		is = projection(&s);
		be = projection(&exact);
		CHECK(full_difference(is, be, D * D) < 1e-8, "off by %g",
		      full_difference(is, be, D * D));
		free(a);
		free(is);
		free(be);
		row_space_free(&s);
		row_space_free(&exact);
		csr_free(&x);
	}
	free(left);
	free(right);
}

static void test_not_needed(void)
{
	struct row_sketch_options o = { .n_rows = 30, .seed = 1, .space = { .n_threads = 1 } };
	struct csr few = { 0 }, narrow = { 0 }, zeros = { 0 };
	const int64_t start[41] = { 0 };
	struct row_space s;
	struct error err = { 0 };

	random_rows(&few, 30, 91, 0.3);
	random_rows(&narrow, 90, 31, 0.3);
	CHECK(csr_append(&zeros, 40, start, NULL, NULL, &err) == 0, "%s", err.text);
	s = sketched_space(&few, &o, false);
	CHECK(s.rank == 30, "rank %" PRId64, s.rank);
	row_space_free(&s);
	s = sketched_space(&narrow, &o, false);
	CHECK(s.rank == 30, "rank %" PRId64, s.rank);
	row_space_free(&s);
	s = sketched_space(&zeros, &o, false);
	CHECK(s.rank == 0, "rank %" PRId64, s.rank);
	row_space_free(&s);
	csr_free(&few);
	csr_free(&narrow);
	csr_free(&zeros);
}

/* Rows near a few directions: what is chosen in the sketch is good for the rows themselves. */
static void test_approximate_bss(void)
{
	enum { N = 300, D = 400, NEAR = 8, T = 24, R = 120 };
	double *left = full_normal(N, NEAR), *right = full_normal(NEAR, D);
	double *a = full_product(left, right, N, NEAR, D), *m = full_zeros(NEAR, NEAR);
	double value[NEAR], *left_of = full_zeros(N, N), *right_of = full_zeros(N, D);
	double *values = full_zeros(N, 1);
	struct row_sketch_options o = { .n_rows = T, .seed = 5, .space = { .n_threads = 1 } };
	const struct bss_options b = { .n_features = R, .n_threads = 1 };
	struct csr x = { 0 };
	struct selection chosen;
	struct bss_report report;
	struct error err = { 0 };
	struct row_space s;

	for (int64_t k = 0; k < N * D; k++)
		a[k] += 0.01 * random_normal();
	full_rows(&x, a, N, D, 1, 1);
	s = sketched_space(&x, &o, true);
	CHECK(bss_select(&chosen, &s, &b, &report, &err) == 0, "%s", err.text);
	CHECK(report.dimension == T && report.least >= report.low && report.largest <= report.high,
	      "[%g, %g]", report.least, report.largest);
	CHECK(blas_svd(a, N, D, left_of, values, right_of, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < chosen.n; k++)
		for (int64_t i = 0; i < NEAR; i++)
			for (int64_t j = 0; j < NEAR; j++)
				m[i * NEAR + j] += chosen.weight[k] * chosen.weight[k] *
						   right_of[i * D + chosen.feature[k] - 1] *
						   right_of[j * D + chosen.feature[k] - 1];
	CHECK(blas_symmetric_eigen(m, NEAR, value, false, &err) == 0, "%s", err.text);
	CHECK(value[0] >= 0.95 * report.low && value[NEAR - 1] <= 1.05 * report.high,
	      "[%g, %g] in the large directions of X", value[0], value[NEAR - 1]);
	selection_free(&chosen);
	row_space_free(&s);
	csr_free(&x);
	free(left);
	free(right);
	free(a);
	free(m);
	free(left_of);
	free(right_of);
	free(values);
}

static void test_threads(void)
{
	struct csr x[2] = { { 0 }, { 0 } };

	random_rows(&x[0], 300, 3001, 0.02);
	random_rows(&x[1], 5000, 301, 0.02);
	for (int k = 0; k < 2; k++) {
		struct row_sketch_options o = { .n_rows = 33,
						.seed = 2,
						.space = { .n_threads = 1 } };
		struct row_space one = sketched_space(&x[k], &o, true), more;
		double *u = full_zeros(33, 1), *v = full_zeros(33, 1);

		for (o.space.n_threads = 2; o.space.n_threads < 4; o.space.n_threads++) {
			more = sketched_space(&x[k], &o, true);
			for (int64_t j = 0; j < one.columns.n; j++) {
				row_space_vector(&one, j, u);
				row_space_vector(&more, j, v);
				CHECK(!memcmp(u, v, 33 * sizeof(*u)), "other bits, %d threads",
				      o.space.n_threads);
			}
			row_space_free(&more);
		}
		row_space_free(&one);
		free(u);
		free(v);
		csr_free(&x[k]);
	}
}

struct failing {
	const struct csr *x;
	struct row_sketch_options options;
};

static int run_sketch(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct row_space s;
	bool sketched;

	if (row_sketch_space(&s, f->x, &f->options, &sketched, err) < 0)
		return -1;
	row_space_free(&s);
	return 0;
}

static void test_memory(void)
{
	for (int many = 0; many < 2; many++)
		for (int qr = 0; qr < 2; qr++) {
			struct csr x = { 0 };
			struct failing f = {
				&x, { .n_rows = 7, .space = { .n_threads = 1, .qr = qr } }
			};
			struct error err = { 0 };
			struct row_space s;
			bool sketched;

			random_rows(&x, many ? 50 : 20, many ? 21 : 51, 0.5);
			fail_each_allocation("sketch", run_sketch, &f);
			f.options.space.max_bytes = 100;
			CHECK(row_sketch_space(&s, &x, &f.options, &sketched, &err) < 0 &&
				      err.code == ERR_ARGUMENT,
			      "100 bytes: '%s'", err.text);
			csr_free(&x);
		}
}

/* More rows than features, of less rank than there are combinations: eigenvalues and QR agree. */
static void test_tall_deficient(void)
{
	struct row_sketch_options o = { .n_rows = 30, .seed = 5, .space = { .n_threads = 1 } };
	double *left = full_normal(200, 7), *right = full_normal(7, 80);
	double *a = full_product(left, right, 200, 7, 80), *of_gram, *of_qr;
	struct row_space s, qr;
	struct csr x = { 0 };

	full_rows(&x, a, 200, 80, 1, 1);
	o.space.rank_tol = 1e-4;
	s = sketched_space(&x, &o, true);
	o.space.qr = true;
	qr = sketched_space(&x, &o, true);
	CHECK(s.rank == 7 && qr.rank == 7, "rank %" PRId64 " and %" PRId64, s.rank, qr.rank);
	of_gram = projection(&s);
	of_qr = projection(&qr);
	CHECK(full_difference(of_gram, of_qr, 80 * 80) < 1e-9, "projections differ by %g",
	      full_difference(of_gram, of_qr, 80 * 80));
	row_space_free(&s);
	row_space_free(&qr);
	csr_free(&x);
	free(of_gram);
	free(of_qr);
	free(left);
	free(right);
	free(a);
}

int main(void)
{
	test_combined();
	test_deficient();
	test_tall_deficient();
	test_not_needed();
	test_approximate_bss();
	test_threads();
	test_memory();
	return unit_report("row_sketch");
}
