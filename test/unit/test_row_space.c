/*
 * test_row_space.c - bases of row spaces against plain singular value decompositions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csr_check.h"
#include "failing.h"
#include "full.h"
#include "geometry/row_space.h"
#include "matrix/blas.h"
#include "unit.h"

/* ---- The matrix transposed, and its columns ---- */

static void test_transpose(void)
{
	struct csr a = { 0 }, t = { 0 }, back = { 0 }, none = { 0 };
	struct error err = { 0 };
	double *full, *expected, *is;

	random_rows(&a, 30, 20, 0.2);
	a.val[3] = 0;
	CHECK(csr_transpose(&t, &a, &err) == 0, "%s", err.text);
	CHECK(csr_check(&t, &err) == 0, "%s", err.text);
	CHECK(t.n_rows == a.n_cols && t.n_cols == a.n_rows, "another shape");
	CHECK(csr_n_entries(&t) == csr_n_entries(&a) - 1, "the zero was kept");
	full = full_of_rows(&a);
	expected = full_transposed(full, a.n_rows, a.n_cols);
	is = full_of_rows(&t);
	CHECK(!memcmp(is, expected, (size_t)(a.n_rows * a.n_cols) * sizeof(*is)), "not transposed");
	CHECK(csr_transpose(&back, &t, &err) == 0 && back.n_rows == a.n_rows, "%s", err.text);
	csr_free(&t);
	CHECK(csr_transpose(&t, &none, &err) == 0 && t.n_rows == 0, "nothing: %s", err.text);
	csr_free(&a);
	csr_free(&t);
	csr_free(&back);
	free(full);
	free(expected);
	free(is);
}

static void test_columns(void)
{
	const int64_t start[] = { 0, 4, 4, 7 };
	const int32_t col[] = { 0, 7, 70000, INT32_MAX - 1, 2, 7, 70000 };
	const double val[] = { 1, 0, 2, 3, 4, 0, 5 };
	const int32_t expected[] = { 0, 2, 70000, INT32_MAX - 1 };
	struct csr a = { 0 };
	struct columns c;
	struct error err = { 0 };

	CHECK(csr_append(&a, 3, start, col, val, &err) == 0, "%s", err.text);
	CHECK(columns_init(&c, &a, NULL, &err) == 0, "%s", err.text);
	CHECK(c.n == 4 && c.n_rows == 3 && csr_n_entries(&c.by_column) == 5, "%" PRId64 " columns",
	      c.n);
	for (int32_t j = 0; j < 4; j++)
		CHECK(c.feature[j] == expected[j] && column_map_find(&c.map, expected[j]) == j,
		      "column %d is feature %d", j, c.feature[j]);
	CHECK(column_map_find(&c.map, 7) == -1 && column_map_find(&c.map, 3) == -1,
	      "columns without entries");
	CHECK(csr_check(&c.by_column, &err) == 0, "%s", err.text);
	CHECK(c.by_column.row_start[3] - c.by_column.row_start[2] == 2 && c.by_column.col[3] == 2 &&
		      c.by_column.val[3] == 5,
	      "column of feature 70000");
	columns_free(&c);
	csr_free(&a);
}

/* ---- Bases ---- */

static struct row_space_options plain = { .n_threads = 2 };

/* V as d x rank */
static double *all_vectors(const struct row_space *s)
{
	double *v = full_zeros(s->columns.n, s->rank);

	for (int64_t j = 0; j < s->columns.n; j++)
		row_space_vector(s, j, v + j * s->rank);
	return v;
}

/* X (n x d) of the columns that occur */
static double *occurring(const struct csr *x, const struct columns *c)
{
	double *a = full_zeros(x->n_rows, c->n);

	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			if (x->val[k] != 0)
				a[i * c->n + column_map_find(&c->map, x->col[k])] = x->val[k];
	return a;
}

/* What must hold of any basis, and V V' = P, the projection on the right singular vectors. */
static void check_basis(const struct row_space *s, const struct csr *x, int64_t rank,
			double accuracy, const char *what)
{
	int64_t n = x->n_rows, d = s->columns.n, m = n < d ? n : d;
	double *v = all_vectors(s), *vt = full_transposed(v, d, s->rank);
	double *a = occurring(x, &s->columns), *left = full_zeros(n, m), *right = full_zeros(m, d);
	double *value = full_zeros(m, 1), *score = full_zeros(d, 1), sum = 0, *rt, *is, *be;
	struct error err = { 0 };

	CHECK(s->rank == rank, "%s: rank %" PRId64 ", not %" PRId64, what, s->rank, rank);
	CHECK(full_crookedness(v, d, s->rank) <= accuracy, "%s: V'V - I is %g", what,
	      full_crookedness(v, d, s->rank));
	CHECK(blas_svd(a, n, d, left, value, right, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < s->rank && k < m; k++)
		CHECK(fabs(s->singular_value[k] - value[k]) <=
			      accuracy * fmax(value[k], s->by_qr ? value[0] : 0),
		      "%s: singular value %g, not %g", what, s->singular_value[k], value[k]);
	rt = full_transposed(right, rank, d);
	be = full_product(rt, right, d, rank, d);
	is = full_product(v, vt, d, s->rank, d);
	/* either side may turn its space by rounding over the smallest singular value */
	accuracy += rank > 0 ? 100 * DBL_EPSILON * value[0] / value[rank - 1] : 0;
	CHECK(full_difference(is, be, d * d) <= accuracy, "%s: V V' is off by %g", what,
	      full_difference(is, be, d * d));
	CHECK(row_space_leverage(s, score, 2, &err) == 0, "%s", err.text);
	for (int64_t j = 0; j < d; j++) {
		CHECK(fabs(score[j] - be[j * d + j]) <= accuracy, "%s: score %g, not %g", what,
		      score[j], be[j * d + j]);
		sum += score[j];
	}
	CHECK(fabs(sum - (double)rank) <= 1e-8, "%s: scores add up to %.12g", what, sum);
	free(v);
	free(vt);
	free(a);
	free(left);
	free(right);
	free(value);
	free(score);
	free(rt);
	free(is);
	free(be);
}

/* By the rules and by QR. */
static void check_both(const struct csr *x, int64_t rank, const char *what)
{
	struct row_space_options qr = { .qr = true, .n_threads = 1 };
	struct row_space s;
	struct error err = { 0 };

	if (CHECK(row_space_init(&s, x, &plain, &err) == 0, "%s: %s", what, err.text)) {
		CHECK(!s.by_qr, "%s: not by products of pairs", what);
		check_basis(&s, x, rank, 1e-9, what);
		row_space_free(&s);
	}
	if (CHECK(row_space_init(&s, x, &qr, &err) == 0, "%s: %s", what, err.text)) {
		check_basis(&s, x, rank, 1e-12, what);
		row_space_free(&s);
	}
}

static void test_random(void)
{
	const struct {
		int64_t n;
		int32_t n_cols;
		double density;
	} shape[] = { { 30, 81, 0.3 }, { 81, 31, 0.3 },	   { 40, 41, 1 },   { 1, 20, 0.5 },
		      { 20, 2, 1 },    { 150, 301, 0.05 }, { 600, 21, 0.5 } };

	for (int t = 0; t < 7; t++) {
		struct csr x = { 0 };
		char what[40];
		int64_t d = shape[t].n_cols - 1;

		random_rows(&x, shape[t].n, shape[t].n_cols, shape[t].density);
		snprintf(what, sizeof(what), "%" PRId64 " x %" PRId64, shape[t].n, d);
		check_both(&x, shape[t].n < d ? shape[t].n : d, what);
		csr_free(&x);
	}
}

/* Repeated rows, sums of rows, empty rows and columns, columns twice. */
/* Columns 3 and 4 are equal, 5 is their negative. */
static void check_twins(const struct row_space *s)
{
	double *v = all_vectors(s), *third = v + 3 * s->rank;

	CHECK(full_difference(third, third + s->rank, s->rank) == 0, "equal columns differ");
	for (int64_t k = 0; k < s->rank; k++)
		CHECK(third[k] == -third[2 * s->rank + k], "a negative column differs");
	free(v);
}

static void test_deficient(void)
{
	const int64_t row[] = { 0, 1, 2, 3, 4, 5, 0, 3, 3, 6, 7, 8, 9 };

	for (int many = 0; many < 2; many++) {
		int64_t n = 10, d = many ? 12 : 60;
		double *b = full_normal(n, d);
		struct csr x = { 0 }, few = { 0 };
		struct error err = { 0 };
		struct row_space s;

		for (int64_t j = 0; j < d; j++) {
			b[9 * d + j] = b[j] - 3 * b[d + j];
			b[8 * d + j] = 0;
		}
		for (int64_t i = 0; i < n; i++) {
			b[i * d + 2] = 0;
			b[i * d + 5] = b[i * d + 4];
			b[i * d + 6] = -b[i * d + 4];
		}
		full_rows(&few, b, n, d, 3, 5000);
		CHECK(csr_gather(&x, &few, row, 13, &err) == 0, "%s", err.text);
		check_both(&x, 8, many ? "n > d" : "n < d");
		for (int qr = 0; qr < 2; qr++) {
			const struct row_space_options o = { .qr = qr, .n_threads = 2 };

			if (CHECK(row_space_init(&s, &x, &o, &err) == 0, "%s", err.text)) {
				check_twins(&s);
				row_space_free(&s);
			}
		}
		csr_free(&x);
		csr_free(&few);
		free(b);
	}
}

static void test_nothing(void)
{
	const int64_t start[] = { 0, 0, 1, 1 };
	const int32_t col[] = { 4 };
	const double val[] = { 0 };
	struct csr x = { 0 }, none = { 0 };
	struct error err = { 0 };
	struct row_space s;

	CHECK(csr_append(&x, 3, start, col, val, &err) == 0, "%s", err.text);
	CHECK(row_space_init(&s, &x, &plain, &err) == 0 && s.rank == 0 && s.columns.n == 0,
	      "zeros: rank %" PRId64 " '%s'", s.rank, err.text);
	CHECK(row_space_leverage(&s, NULL, 1, &err) == 0, "%s", err.text);
	row_space_free(&s);
	CHECK(row_space_init(&s, &none, &plain, &err) == 0 && s.rank == 0, "no rows: '%s'",
	      err.text);
	row_space_free(&s);
	csr_free(&x);
}

/* Rows with singular values from 1 down to 1 / kappa. */
static void conditioned(struct csr *x, int64_t n, int64_t d, int64_t rank, double kappa)
{
	double *left = full_orthonormal(n, rank), *right = full_orthonormal(d, rank), *rt, *a;

	for (int64_t i = 0; i < n * rank; i++)
		left[i] *= pow(kappa, -(double)(i % rank) / (double)(rank - 1));
	rt = full_transposed(right, d, rank);
	a = full_product(left, rt, n, rank, d);
	full_rows(x, a, n, d, 1, 1);
	free(left);
	free(right);
	free(rt);
	free(a);
}

/*
 * Rounding of the entries alone makes singular values of some 1e-16 of the largest, times the root
 * of the size: for kappa = 1e14 only small matrices have a rank to speak of.
 */
static void test_conditions(void)
{
	const double kappa[] = { 1e3, 1e6, 1e10, 1e12, 1e14 };

	for (int t = 0; t < 5; t++)
		for (int many = 0; many < 2; many++) {
			int64_t rank = kappa[t] > 1e13 ? 6 : 30, more = kappa[t] > 1e13 ? 12 : 170;
			struct csr x = { 0 };
			struct error err = { 0 };
			struct row_space s;
			char what[40];

			conditioned(&x, many ? more : rank, many ? rank : more, rank, kappa[t]);
			snprintf(what, sizeof(what), "kappa %g, %s", kappa[t],
				 many ? "n > d" : "n < d");
			if (CHECK(row_space_init(&s, &x, &plain, &err) == 0, "%s", err.text)) {
				CHECK(s.by_qr == (kappa[t] > 1e4), "%s: which way", what);
				check_basis(&s, &x, rank, s.by_qr ? 1e-12 : 1e-9, what);
				row_space_free(&s);
			}
			csr_free(&x);
		}
}

/* One direction 10^8 times longer than the others: their eigenvalues are below rounding. */
static void test_hidden(void)
{
	for (int many = 0; many < 2; many++) {
		int64_t n = many ? 50 : 6, d = many ? 6 : 50;
		double *a = full_normal(n, d);
		struct csr x = { 0 };
		struct error err = { 0 };
		struct row_space s;

		for (int64_t i = 0; i < n; i++)
			for (int64_t j = 0; j < d; j++)
				a[i * d + j] *= many ? (j == 2 ? 1e8 : 1) : (i == 2 ? 1e8 : 1);
		full_rows(&x, a, n, d, 1, 1);
		if (CHECK(row_space_init(&s, &x, &plain, &err) == 0, "%s", err.text)) {
			check_basis(&s, &x, 6, 1e-12, many ? "long column" : "long row");
			row_space_free(&s);
		}
		csr_free(&x);
		free(a);
	}
}

/* Columns as they are, and where a hash could mistake one for another. */
static void test_twins(void)
{
	const double a[] = { 1, 1, -1, 1, 2, 0, 1, 2, 2, -2, -2, 1, 1, 2, 0, 0, 0, 0, 0, 2, 1 };
	const int32_t expected[] = { 0, 0, 0, 3, 4, 5, 6 };
	struct csr x = { 0 };
	struct columns c;
	struct error err = { 0 };
	int32_t *twin = NULL;

	full_rows(&x, a, 3, 7, 1, 1);
	if (columns_init(&c, &x, NULL, &err) == 0)
		twin = columns_twins(&c, &err);
	if (CHECK(twin, "%s", err.text))
		CHECK(!memcmp(twin, expected, sizeof(expected)), "twins %d %d %d %d %d %d %d",
		      twin[0], twin[1], twin[2], twin[3], twin[4], twin[5], twin[6]);
	mem_free(twin);
	columns_free(&c);
	csr_free(&x);
}

/* Values of any size have the vectors that values near 1 have. */
static void test_scale(void)
{
	const double factor[] = { 0x1p-900, 0x1p-300, 0x1p500, 0x1p1015 };
	struct csr x = { 0 };
	struct error err = { 0 };
	struct row_space s, scaled;

	random_rows(&x, 20, 60, 0.4);
	CHECK(row_space_init(&s, &x, &plain, &err) == 0, "%s", err.text);
	for (int t = 0; t < 4; t++) {
		double *v = all_vectors(&s), *w;
		int64_t n = csr_n_entries(&x);

		for (int64_t k = 0; k < n; k++)
			x.val[k] *= factor[t];
		if (CHECK(row_space_init(&scaled, &x, &plain, &err) == 0, "%s", err.text)) {
			w = all_vectors(&scaled);
			CHECK(scaled.rank == s.rank &&
				      full_difference(v, w, s.columns.n * s.rank) <= 1e-12,
			      "times %g: other vectors", factor[t]);
			CHECK(fabs(scaled.singular_value[0] / factor[t] / s.singular_value[0] -
				   1) <= 1e-13,
			      "singular value %g of %g", scaled.singular_value[0],
			      s.singular_value[0]);
			row_space_free(&scaled);
			free(w);
		}
		for (int64_t k = 0; k < n; k++)
			x.val[k] /= factor[t];
		free(v);
	}
	row_space_free(&s);
	csr_free(&x);
}

static void test_rank_tol(void)
{
	const double tol[] = { 0.3, 2e-2, 2e-4, 2e-7 };

	for (int many = 0; many < 2; many++) {
		struct csr x = { 0 };

		conditioned(&x, many ? 90 : 12, many ? 12 : 90, 12, 1e11); /* a tenth each */
		for (int t = 0; t < 4; t++) {
			struct row_space_options o = { .rank_tol = tol[t], .n_threads = 1 };
			int64_t expected = 1 + (int64_t)floor(-log10(tol[t]));
			struct error err = { 0 };
			struct row_space s;

			if (!CHECK(row_space_init(&s, &x, &o, &err) == 0, "%s", err.text))
				continue;
			CHECK(s.rank == expected && s.by_qr == (tol[t] < 1e-4),
			      "tolerance %g: rank %" PRId64 ", by QR: %d", tol[t], s.rank, s.by_qr);
			row_space_free(&s);
		}
		csr_free(&x);
	}
}

static void test_errors(void)
{
	struct row_space_options o = { .n_threads = 1, .max_bytes = 100000 };
	struct csr x = { 0 }, wide = { 0 };
	struct error err = { 0 };
	struct row_space s;

	conditioned(&x, 20, 1000, 20, 1e8);
	CHECK(row_space_init(&s, &x, &o, &err) < 0 && err.code == ERR_ARGUMENT &&
		      strstr(err.text, "20 rows and 1000 features") &&
		      err.remedy == REMEDY_RANK_TOLERANCE,
	      "QR beyond its memory: %d '%s'", err.code, err.text);
	CHECK(!s.columns.feature && !s.coefficient && !s.basis, "something is left");
	o.rank_tol = 1e-4;
	err = (struct error){ 0 };
	CHECK(row_space_init(&s, &x, &o, &err) == 0 && s.rank == 10, "the remedy: '%s'", err.text);
	row_space_free(&s);
	random_rows(&wide, 100, 200, 0.1);
	CHECK(row_space_init(&s, &wide, &o, &err) < 0 && err.code == ERR_ARGUMENT &&
		      err.remedy != REMEDY_RANK_TOLERANCE,
	      "products beyond their memory: '%s'", err.text);
	x.val[7] = INFINITY;
	err = (struct error){ 0 };
	CHECK(row_space_init(&s, &x, &plain, &err) < 0 && err.code == ERR_NUMERIC,
	      "an infinite value: '%s'", err.text);
	csr_free(&x);
	csr_free(&wide);
}

static void test_threads(void)
{
	/* more rows than a band of products has; text-like, and full */
	const double density[] = { 0.02, 0.5 };

	for (int t = 0; t < 2; t++) {
		struct csr x = { 0 };
		double *v[3], *score[3];
		struct row_space s = { 0 };

		random_rows(&x, 300, 700, density[t]);
		for (int i = 0; i < 3; i++) {
			struct row_space_options o = { .n_threads = i + 1 };
			struct error err = { 0 };

			row_space_free(&s);
			CHECK(row_space_init(&s, &x, &o, &err) == 0, "%s", err.text);
			v[i] = all_vectors(&s);
			score[i] = full_zeros(s.columns.n, 1);
			CHECK(row_space_leverage(&s, score[i], i + 1, &err) == 0, "%s", err.text);
			CHECK(!memcmp(v[i], v[0], (size_t)(s.columns.n * s.rank) * sizeof(double)),
			      "%d threads: other vectors", i + 1);
			CHECK(!memcmp(score[i], score[0], (size_t)s.columns.n * sizeof(double)),
			      "%d threads: other scores", i + 1);
		}
		for (int i = 0; i < 3; i++) {
			free(v[i]);
			free(score[i]);
		}
		row_space_free(&s);
		csr_free(&x);
	}
}

struct failing {
	const struct csr *x;
	struct row_space_options options;
};

static int run_space(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct row_space s;
	double *score;
	int ret;

	if (row_space_init(&s, f->x, &f->options, err) < 0)
		return -1;
	score = full_zeros(s.columns.n, 1);
	ret = row_space_leverage(&s, score, 1, err);
	free(score);
	row_space_free(&s);
	return ret;
}

static int run_transpose(void *arg, struct error *err)
{
	struct csr t = { 0 };

	if (csr_transpose(&t, arg, err) < 0)
		return -1;
	csr_free(&t);
	return 0;
}

static void test_memory(void)
{
	for (int many = 0; many < 2; many++) {
		struct csr x = { 0 };
		struct failing f = { &x, { .n_threads = 1 } };

		random_rows(&x, many ? 40 : 10, many ? 11 : 41, 0.7);
		fail_each_allocation("transpose", run_transpose, &x);
		fail_each_allocation("products", run_space, &f);
		f.options.qr = true;
		fail_each_allocation("QR", run_space, &f);
		csr_free(&x);
	}
}

int main(void)
{
	test_transpose();
	test_columns();
	test_random();
	test_deficient();
	test_nothing();
	test_conditions();
	test_hidden();
	test_twins();
	test_scale();
	test_rank_tol();
	test_errors();
	test_threads();
	test_memory();
	return unit_report("row_space");
}
