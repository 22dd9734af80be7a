/*
 * test_rrqr.c - features by pivoted QR and at random: against LAPACK, by permutations and counts
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "failing.h"
#include "full.h"
#include "select/rrqr.h"
#include "select/selection.h"
#include "unit.h"

extern void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
		    double *work, const int *lwork, int *info);

/* LAPACK's permutation of the columns of a (n x d by rows), from 0, and |R_kk|. */
static void lapack_pivots(const double *a, int64_t n, int64_t d, int *pivot, double *distance)
{
	double *t = full_transposed(a, n, d), *work = full_zeros(100 * d + 100, 1);
	double *tau = full_zeros(d, 1);
	int rows = (int)n, columns = (int)d, size = (int)(100 * d + 100), info;

	memset(pivot, 0, (size_t)d * sizeof(*pivot));
	dgeqp3_(&rows, &columns, t, &rows, pivot, tau, work, &size, &info);
	for (int64_t j = 0; j < d; j++)
		pivot[j]--;
	for (int64_t k = 0; k < (n < d ? n : d); k++)
		distance[k] = fabs(t[k * n + k]);
	free(t);
	free(work);
	free(tau);
}

static struct selection select_with(const struct csr *x, int64_t r, enum rrqr_beyond beyond,
				    int n_threads, int64_t *rank)
{
	struct rrqr_options o = { .n_features = r, .beyond = beyond, .n_threads = n_threads };
	struct selection s = { 0 };
	struct error err = { 0 };

	CHECK(rrqr_select(&s, x, &o, rank, &err) == 0, "%s", err.text);
	return s;
}

/* All different, weights 1; returns how many are among the features 1 .. d. */
static void check_selection(const struct selection *s, int64_t n, const char *what)
{
	CHECK(s->n == n, "%s: %" PRId64 " features, not %" PRId64, what, s->n, n);
	for (int64_t k = 0; k < s->n; k++) {
		CHECK(s->weight[k] == 1, "%s: weight %g", what, s->weight[k]);
		for (int64_t l = 0; l < k; l++)
			CHECK(s->feature[k] != s->feature[l], "%s: feature %d twice", what,
			      s->feature[k]);
	}
}

/* ---- Against LAPACK ---- */

static void compare_with_lapack(const double *a, int64_t n, int64_t d, int64_t r, const char *what)
{
	int *pivot = malloc((size_t)d * sizeof(*pivot));
	double *distance = full_zeros(n + d, 1);
	struct csr x = { 0 };
	struct selection s;
	int64_t rank;

	full_rows(&x, a, n, d, 1, 1);
	lapack_pivots(a, n, d, pivot, distance);
	s = select_with(&x, r, RRQR_NONE, 2, &rank);
	check_selection(&s, r, what);
	CHECK(rank == r, "%s: rank %" PRId64, what, rank);
	for (int64_t k = 0; k < s.n; k++) {
		CHECK(s.feature[k] == pivot[k] + 1, "%s: pivot %" PRId64 " is %d, not %d", what, k,
		      s.feature[k], pivot[k] + 1);
		CHECK(fabs(s.score[k] - distance[k]) <= 1e-9 * distance[0], "%s: R_kk %g, not %g",
		      what, s.score[k], distance[k]);
	}
	selection_free(&s);
	csr_free(&x);
	free(pivot);
	free(distance);
}

static void test_lapack(void)
{
	const struct {
		int64_t n, d, r;
		double density;
	} shape[] = { { 30, 80, 30, 1 },    { 80, 30, 30, 1 },	  { 200, 60, 20, 1 },
		      { 60, 300, 60, 0.1 }, { 40, 40, 40, 0.5 },  { 1, 30, 1, 1 },
		      { 30, 1, 1, 1 },	    { 2500, 40, 40, 0.3 } };

	for (size_t t = 0; t < sizeof(shape) / sizeof(*shape); t++) {
		double *a = full_normal(shape[t].n, shape[t].d);
		char what[60];

		for (int64_t k = 0; k < shape[t].n * shape[t].d; k++)
			if (shape[t].density < 1 && random_unit() > shape[t].density)
				a[k] = 0;
		snprintf(what, sizeof(what), "%" PRId64 " x %" PRId64, shape[t].n, shape[t].d);
		compare_with_lapack(a, shape[t].n, shape[t].d, shape[t].r, what);
		free(a);
	}
}

/* Columns nearly in the span of few others: distances lose all their digits again and again. */
static void test_graded(void)
{
	int64_t n = 50, d = 90;
	double *left = full_orthonormal(n, 30), *right = full_normal(30, d), *a;

	for (int64_t k = 0; k < 30; k++)
		for (int64_t i = 0; i < n; i++)
			left[i * 30 + k] *= pow(10, -(double)k / 3);
	a = full_product(left, right, n, 30, d);
	compare_with_lapack(a, n, d, 26, "graded");
	free(left);
	free(right);
	free(a);
}

/* ---- Beyond the rank ---- */

/* Of rank 6: sums of six rows; with a column of zeros, and each column from 40 on twice. */
static void deficient(struct csr *x, int64_t *d)
{
	double *left = full_normal(20, 6), *right = full_normal(6, 50), *a;

	*d = 50;
	for (int64_t k = 0; k < 6; k++) {
		right[k * 50 + 7] = 0;
		for (int64_t j = 45; j < 50; j++)
			right[k * 50 + j] = right[k * 50 + j - 5];
	}
	a = full_product(left, right, 20, 6, 50);
	full_rows(x, a, 20, 50, 1, 1);
	x->n_cols = 51;
	free(left);
	free(right);
	free(a);
}

static bool contains(const struct selection *s, int64_t from, int64_t to, int32_t feature)
{
	for (int64_t k = from; k < to; k++)
		if (s->feature[k] == feature)
			return true;
	return false;
}

/* The rows without the features of 's'. */
static void without(struct csr *rest, const struct csr *x, const struct selection *s)
{
	double *a = full_of_rows(x);
	int64_t n_cols = x->n_cols;

	for (int64_t k = 0; k < s->n; k++)
		for (int64_t i = 0; i < x->n_rows; i++)
			a[i * n_cols + s->feature[k]] = 0;
	full_rows(rest, a, x->n_rows, n_cols, 0, 1);
	free(a);
}

static double column_norm(const struct csr *x, int32_t column)
{
	double sum = 0;

	for (int64_t k = 0; k < csr_n_entries(x); k++)
		sum += x->col[k] == column ? x->val[k] * x->val[k] : 0;
	return sqrt(sum);
}

static void test_beyond(void)
{
	struct csr x = { 0 }, rest = { 0 };
	struct selection none, restart, norm, again;
	int64_t rank, d;

	deficient(&x, &d);
	none = select_with(&x, 30, RRQR_NONE, 1, &rank);
	check_selection(&none, 6, "none");
	CHECK(rank == 6, "rank %" PRId64, rank);

	restart = select_with(&x, 30, RRQR_RESTART, 1, &rank);
	check_selection(&restart, 30, "restart");
	without(&rest, &x, &none);
	again = select_with(&rest, 6, RRQR_NONE, 1, NULL);
	for (int64_t k = 0; k < 6; k++)
		CHECK(restart.feature[k] == none.feature[k] &&
			      restart.feature[6 + k] == again.feature[k],
		      "%" PRId64 ": %d %d", k, restart.feature[k], restart.feature[6 + k]);

	norm = select_with(&x, 30, RRQR_NORM, 1, &rank);
	check_selection(&norm, 30, "norm");
	for (int64_t k = 7; k < 30; k++)
		CHECK(norm.score[k] < norm.score[k - 1] || (norm.score[k] == norm.score[k - 1] &&
							    norm.feature[k] > norm.feature[k - 1]),
		      "norms %g, %g", norm.score[k - 1], norm.score[k]);
	for (int32_t j = 1; j <= d; j++)
		CHECK(contains(&norm, 0, 30, j) || column_norm(&x, j) <= norm.score[29],
		      "feature %d of norm %g was passed over", j, column_norm(&x, j));
	selection_free(&none);
	selection_free(&restart);
	selection_free(&norm);
	selection_free(&again);
	csr_free(&x);
	csr_free(&rest);
}

/* Wanting more than there are gives all of them; zeros only where LAPACK's order is wanted. */
static void test_all(void)
{
	struct csr x = { 0 };
	int64_t d;

	deficient(&x, &d);
	for (int beyond = RRQR_RESTART; beyond <= RRQR_LAPACK; beyond++) {
		struct selection s = select_with(&x, 500, beyond, 2, NULL);

		check_selection(&s,
				beyond == RRQR_NONE   ? 6 :
				beyond == RRQR_LAPACK ? 50 :
							49,
				rrqr_beyond_names[beyond]);
		CHECK(contains(&s, 0, s.n, 8) == (beyond == RRQR_LAPACK), "feature of zeros");
		selection_free(&s);
	}
	csr_free(&x);
}

/* With full rank LAPACK's own permutation is the whole of it, what is left in exchanged order. */
static void test_leftovers(void)
{
	int64_t n = 15, d = 60;
	double *a = full_normal(n, d), distance[60];
	int pivot[60];
	struct csr x = { 0 };
	struct selection s;

	for (int64_t j = 0; j < d; j++)
		for (int64_t i = 0; i < n; i++)
			a[i * d + j] *= 1 + (double)(j % 17);
	full_rows(&x, a, n, d, 1, 1);
	lapack_pivots(a, n, d, pivot, distance);
	s = select_with(&x, d, RRQR_LAPACK, 1, NULL);
	check_selection(&s, d, "lapack");
	for (int64_t k = 0; k < s.n; k++)
		CHECK(s.feature[k] == pivot[k] + 1, "place %" PRId64 ": %d, not %d", k,
		      s.feature[k], pivot[k] + 1);
	selection_free(&s);
	csr_free(&x);
	free(a);
}

/* ---- Odd inputs ---- */

static void test_odd(void)
{
	const int64_t start[] = { 0, 0, 3 };
	const int32_t col[] = { 0, 5, 9 };
	const double val[] = { 2, 0, 1e200 };
	struct rrqr_options o = { .n_features = 4, .n_threads = 1 };
	struct csr x = { 0 }, none = { 0 };
	struct error err = { 0 };
	struct selection s;
	int64_t rank;

	s = select_with(&none, 4, RRQR_RESTART, 1, &rank);
	CHECK(s.n == 0 && rank == 0, "no rows: %" PRId64, s.n);
	selection_free(&s);
	CHECK(csr_append(&x, 1, start, col, val, &err) == 0, "%s", err.text);
	s = select_with(&x, 4, RRQR_LAPACK, 1, &rank);
	CHECK(s.n == 0 && rank == 0, "an empty row: %" PRId64, s.n);
	selection_free(&s);
	CHECK(csr_append(&x, 2, start, col, val, &err) == 0, "%s", err.text);
	s = select_with(&x, 4, RRQR_NORM, 1, &rank);
	CHECK(rank == 1 && s.n == 2 && s.feature[0] == 9 && s.feature[1] == 0 &&
		      s.score[0] == 1e200,
	      "1e200: %" PRId64 " of rank %" PRId64 ", %g", s.n, rank, s.score[0]);
	selection_free(&s);
	s = select_with(&x, 0, RRQR_RESTART, 1, NULL);
	CHECK(s.n == 0, "none wanted: %" PRId64, s.n);
	selection_free(&s);
	x.val[2] = NAN;
	CHECK(rrqr_select(&s, &x, &o, NULL, &err) < 0 && err.code == ERR_NUMERIC && !s.feature,
	      "no number: '%s'", err.text);
	csr_free(&x);
}

/* Powers of two change nothing but the scores. */
static void test_scale(void)
{
	struct csr x = { 0 };
	struct selection s, scaled;

	random_rows(&x, 20, 60, 0.5);
	s = select_with(&x, 30, RRQR_RESTART, 1, NULL);
	for (int64_t k = 0; k < csr_n_entries(&x); k++)
		x.val[k] *= 0x1p900;
	scaled = select_with(&x, 30, RRQR_RESTART, 1, NULL);
	for (int64_t k = 0; k < s.n && k < scaled.n; k++)
		CHECK(s.feature[k] == scaled.feature[k] &&
			      scaled.score[k] == ldexp(s.score[k], 900),
		      "%d, %g", scaled.feature[k], scaled.score[k]);
	selection_free(&s);
	selection_free(&scaled);
	csr_free(&x);
}

static void test_threads(void)
{
	struct csr x = { 0 };
	struct selection one, more;

	random_rows(&x, 2500, 400, 0.05);
	one = select_with(&x, 120, RRQR_RESTART, 1, NULL);
	for (int n = 2; n <= 4; n++) {
		more = select_with(&x, 120, RRQR_RESTART, n, NULL);
		CHECK(!memcmp(one.feature, more.feature, 120 * sizeof(*one.feature)) &&
			      !memcmp(one.score, more.score, 120 * sizeof(*one.score)),
		      "%d threads: others", n);
		selection_free(&more);
	}
	selection_free(&one);
	csr_free(&x);
}

/* ---- Uniform ---- */

static struct selection draw(const struct csr *x, int64_t r, bool all, uint64_t seed)
{
	struct selection s = { 0 };
	struct error err = { 0 };

	CHECK(uniform_select(&s, x, r, all, seed, &err) == 0, "%s", err.text);
	return s;
}

static void test_uniform(void)
{
	struct csr x = { 0 };
	struct selection s, fewer, all;
	int64_t d;

	deficient(&x, &d);
	s = draw(&x, 20, false, 7);
	fewer = draw(&x, 5, false, 7);
	all = draw(&x, 100, true, 7);
	check_selection(&s, 20, "uniform");
	check_selection(&all, d, "uniform, all");
	CHECK(!memcmp(s.feature, fewer.feature, 5 * sizeof(*s.feature)),
	      "a smaller r begins otherwise");
	for (int64_t k = 0; k < s.n; k++) {
		uint64_t key = rng_first64(rng_draw(7, 0x70, (uint64_t)s.feature[k] - 1, 0));

		CHECK(s.score[k] == rng_unit(key), "score %g", s.score[k]);
		CHECK(k == 0 || s.score[k] >= s.score[k - 1], "not in the order of keys");
	}
	/* whoever was not chosen has a larger key */
	for (int32_t j = 1; j <= d; j++)
		CHECK(j == 8 || contains(&s, 0, s.n, j) ||
			      rng_unit(rng_first64(rng_draw(7, 0x70, (uint64_t)j - 1, 0))) >=
				      s.score[s.n - 1],
		      "feature %d was passed over", j);
	selection_free(&s);
	selection_free(&fewer);
	selection_free(&all);
	csr_free(&x);
}

/* Each of 49 features in 10 of 49 draws: over 2000 seeds within 5 standard deviations. */
static void test_uniform_counts(void)
{
	int64_t count[51] = { 0 }, d;
	double p = 10.0 / 49, deviation = sqrt(2000 * p * (1 - p));
	struct csr x = { 0 };

	deficient(&x, &d);
	for (uint64_t seed = 0; seed < 2000; seed++) {
		struct selection s = draw(&x, 10, false, seed);

		for (int64_t k = 0; k < s.n; k++)
			count[s.feature[k]]++;
		selection_free(&s);
	}
	CHECK(count[8] == 0, "zeros were chosen");
	for (int64_t j = 1; j <= d; j++)
		CHECK(j == 8 || fabs((double)count[j] - 2000 * p) < 5 * deviation,
		      "feature %" PRId64 ": %" PRId64 " times", j, count[j]);
	csr_free(&x);
}

/* ---- Memory ---- */

static int run_rrqr(void *arg, struct error *err)
{
	struct rrqr_options o = { .n_features = 12, .beyond = RRQR_LAPACK, .n_threads = 2 };
	struct selection s;
	int64_t rank;

	if (rrqr_select(&s, arg, &o, &rank, err) < 0)
		return -1;
	selection_free(&s);
	return 0;
}

static int run_uniform(void *arg, struct error *err)
{
	struct selection s;

	if (uniform_select(&s, arg, 12, false, 1, err) < 0)
		return -1;
	selection_free(&s);
	return 0;
}

static void test_memory(void)
{
	struct csr x = { 0 };
	int64_t d;

	deficient(&x, &d);
	fail_each_allocation("rrqr", run_rrqr, &x);
	fail_each_allocation("uniform", run_uniform, &x);
	csr_free(&x);
}

int main(void)
{
	test_lapack();
	test_graded();
	test_beyond();
	test_all();
	test_leftovers();
	test_odd();
	test_scale();
	test_threads();
	test_uniform();
	test_uniform_counts();
	test_memory();
	return unit_report("rrqr");
}
