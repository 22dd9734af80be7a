/*
 * test_bss.c - spectral sparsification against the plain algorithm, and what it promises
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
#include "geometry/row_space.h"
#include "matrix/blas.h"
#include "plain_bss.h"
#include "select/barrier.h"
#include "select/bss.h"
#include "unit.h"

static const struct row_space_options plain_space = { .n_threads = 1 };

static struct row_space space_of(const struct csr *x)
{
	struct row_space s;
	struct error err = { 0 };

	CHECK(row_space_init(&s, x, &plain_space, &err) == 0, "%s", err.text);
	return s;
}

/* V as d x l, the first l columns */
static double *vectors_of(const struct row_space *s, int64_t l)
{
	double *v = full_zeros(s->columns.n, l), *whole = full_zeros(s->rank, 1);

	for (int64_t j = 0; j < s->columns.n; j++) {
		row_space_vector(s, j, whole);
		memcpy(v + j * l, whole, (size_t)l * sizeof(*v));
	}
	free(whole);
	return v;
}

static struct selection chosen(const struct row_space *s, int64_t r, struct bss_report *report)
{
	const struct bss_options o = { .n_features = r, .n_threads = 1 };
	struct selection selection;
	struct error err = { 0 };

	CHECK(bss_select(&selection, s, &o, report, &err) == 0, "%s", err.text);
	return selection;
}

/* ---- The barriers ---- */

/* lower - upper and their parts by the eigenvalues of A, z holding the eigenvectors as rows. */
static struct barrier_verdict judge_plainly(const struct barrier *b, const double *z,
					    const double *value, const double *v)
{
	double start = sqrt((double)b->l * (double)b->r), low = (double)b->step - start;
	double high = b->delta * ((double)b->step + start), p = 0, q = 0;
	struct barrier_verdict d = { 0 };

	for (int64_t k = 0; k < b->l; k++) {
		double up = 1 / (high + b->delta - value[k]), down = 1 / (value[k] - low - 1);
		double y = 0;

		for (int64_t i = 0; i < b->l; i++)
			y += z[k * b->l + i] * v[i];
		p += down - 1 / (value[k] - low);
		q += 1 / (high - value[k]) - up;
		d.upper.form += y * y * up;
		d.upper.square += y * y * up * up;
		d.lower.form += y * y * down;
		d.lower.square += y * y * down * down;
	}
	d.upper.of = d.upper.square / q + d.upper.form;
	d.lower.of = d.lower.square / p - d.lower.form;
	return d;
}

static double apart(double a, double b)
{
	return fabs(a - b) / (fabs(a) + fabs(b) + DBL_MIN);
}

/* The bound that rejects many vectors at once is one, and with all directions it is exact. */
static void check_screen(const struct barrier *b, const double *v, int64_t n,
			 const struct barrier_verdict *d)
{
	struct barrier_screen screen;
	struct error err = { 0 };

	if (!CHECK(barrier_screen_init(&screen, b, &err) == 0, "%s", err.text))
		return;
	for (int64_t j = 0; j < n; j++) {
		double bound = 0, reached = 0, size = 0, gain = d[j].lower.of - d[j].upper.of;

		for (int64_t i = 0; i < b->l; i++)
			size += v[j * b->l + i] * v[j * b->l + i];
		for (int64_t c = 0; c < screen.k; c++) {
			double y = 0;

			for (int64_t i = 0; i < b->l; i++)
				y += v[j * b->l + i] * screen.direction[i * screen.k + c];
			bound += screen.gain[c] * y * y;
			reached += y * y;
		}
		bound += screen.rest * (size - reached);
		CHECK(bound >= gain - screen.rounding * size, "bound %g, gain %g", bound, gain);
		CHECK(bound <= size * fmax(screen.gain[screen.k - 1], screen.rest) * (1 + 1e-9),
		      "bound %g above the largest gain", bound);
	}
	barrier_screen_free(&screen);
}

/* Random vectors, of which the admitted are added. */
static void test_barrier(void)
{
	enum { L = 23, R = 70, N = 40 };
	struct barrier b;
	struct barrier_verdict d[N];
	struct error err = { 0 };
	double *a = full_zeros(L, L), *z = full_zeros(L, L), value[L], *v = full_orthonormal(N, L);
	double *y = full_zeros(N, L), *work = full_zeros(N, 2 * L + 600), least, largest;

	if (!CHECK(barrier_init(&b, L, R, &err) == 0, "%s", err.text))
		return;
	for (int64_t step = 0; step < R; step++) {
		int64_t best = 0;
		double t;

		CHECK(barrier_raise(&b, &err) == 0, "step %" PRId64 ": %s", step, err.text);
		memcpy(z, a, L * L * sizeof(*z));
		CHECK(blas_symmetric_eigen(z, L, value, true, &err) == 0, "%s", err.text);
		CHECK(barrier_turn(&b, v, N, y, &err) == 0, "%s", err.text);
		CHECK(barrier_judge(&b, y, N, d, work, &err) == 0, "%s", err.text);
		for (int64_t j = 0; j < N; j++) {
			struct barrier_verdict e = judge_plainly(&b, z, value, v + j * L), alone;

			CHECK(apart(d[j].upper.of, e.upper.of) < 1e-9 &&
				      apart(d[j].upper.form, e.upper.form) < 1e-10 &&
				      apart(d[j].upper.square, e.upper.square) < 1e-10,
			      "step %" PRId64 ": upper %g, not %g", step, d[j].upper.of,
			      e.upper.of);
			CHECK(fabs(d[j].lower.of - e.lower.of) <
					      1e-9 * (e.upper.of + fabs(e.lower.of)) &&
				      apart(d[j].lower.form, e.lower.form) < 1e-10 &&
				      apart(d[j].lower.square, e.lower.square) < 1e-10,
			      "step %" PRId64 ": lower %g, not %g", step, d[j].lower.of,
			      e.lower.of);
			barrier_turn(&b, v + j * L, 1, y + j * L, &err);
			barrier_judge(&b, y + j * L, 1, &alone, work, &err);
			CHECK(apart(alone.upper.of, e.upper.of) < 1e-9, "alone %g, not %g",
			      alone.upper.of, e.upper.of);
			best = d[j].lower.of - d[j].upper.of > d[best].lower.of - d[best].upper.of ?
				       j :
				       best;
		}
		check_screen(&b, v, N, d);
		t = barrier_add(&b, v + best * L, y + best * L, &d[best]);
		CHECK(apart(t, 2 / (d[best].upper.of + d[best].lower.of)) < 1e-15, "t is %g", t);
		for (int64_t i = 0; i < L; i++)
			for (int64_t k = 0; k < L; k++)
				a[i * L + k] += t * v[best * L + i] * v[best * L + k];
	}
	CHECK(b.n_turns > 1 && b.n_turns < R, "%" PRId64 " decompositions", b.n_turns);
	CHECK(barrier_extremes(&b, &least, &largest, &err) == 0, "%s", err.text);
	CHECK(blas_symmetric_eigen(a, L, value, false, &err) == 0, "%s", err.text);
	CHECK(apart(least, value[0]) < 1e-10 && apart(largest, value[L - 1]) < 1e-10,
	      "eigenvalues %g and %g, not %g and %g", least, largest, value[0], value[L - 1]);
	barrier_free(&b);
	free(a);
	free(z);
	free(v);
	free(y);
	free(work);
}

/* ---- The choice ---- */

/* The same features, in the same order, with the same weights; and within the bounds. */
static int64_t check_plain(const struct csr *x, int64_t r, const char *what)
{
	struct row_space s = space_of(x);
	struct bss_report report;
	struct selection is = chosen(&s, r, &report);
	double *v = vectors_of(&s, report.dimension), *value = full_zeros(report.dimension, 1);
	int64_t l = report.dimension, n_again;
	struct plain_bss be = plain_bss(v, s.columns.n, l, r);
	double share = sqrt((double)l / (double)r);
	struct error err = { 0 };

	CHECK(is.n == be.n, "%s: %" PRId64 " features, not %" PRId64, what, is.n, be.n);
	for (int64_t k = 0; k < is.n && k < be.n; k++) {
		CHECK(is.feature[k] == s.columns.feature[be.column[k]],
		      "%s, step %" PRId64 ": %" PRId32 ", not %" PRId32, what, k, is.feature[k],
		      s.columns.feature[be.column[k]]);
		CHECK(apart(is.weight[k], be.weight[k]) < 1e-8, "%s: weight %g, not %g", what,
		      is.weight[k], be.weight[k]);
	}
	CHECK(blas_symmetric_eigen(be.m, l, value, false, &err) == 0, "%s", err.text);
	CHECK(apart(report.least, value[0]) < 1e-8 && apart(report.largest, value[l - 1]) < 1e-8,
	      "%s: eigenvalues %g and %g, not %g and %g", what, report.least, report.largest,
	      value[0], value[l - 1]);
	CHECK(report.low == (1 - share) * (1 - share) && report.high == (1 + share) * (1 + share),
	      "%s: bounds %g and %g", what, report.low, report.high);
	CHECK(report.least >= report.low && report.largest <= report.high,
	      "%s: [%g, %g] is not within [%g, %g]", what, report.least, report.largest, report.low,
	      report.high);
	CHECK(report.n_again == be.n_again && report.n_forced == 0,
	      "%s: %" PRId64 " chosen again, not %" PRId64 ", %" PRId64 " forced", what,
	      report.n_again, be.n_again, report.n_forced);
	CHECK(report.n_visited >= r && report.max_visited <= s.columns.n, "%s: %" PRId64 " visited",
	      what, report.n_visited);
	n_again = report.n_again;
	plain_bss_free(&be);
	free(v);
	free(value);
	selection_free(&is);
	row_space_free(&s);
	return n_again;
}

static void test_random(void)
{
	const struct {
		int64_t n;
		int32_t d;
		double density;
		int64_t r;
	} cases[] = { { 10, 61, 1, 11 },      { 10, 61, 1, 40 },	{ 10, 61, 0.3, 50 },
		      { 30, 401, 0.1, 60 },   { 30, 401, 1, 200 },	{ 60, 41, 1, 80 },
		      { 60, 200, 0.05, 150 }, { 3, 50, 1, 30 },		{ 1, 30, 1, 12 },
		      { 40, 300, 1, 42 },     { 100, 1500, 0.02, 250 }, { 2, 20, 1, 3 } };

	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		char what[100];
		struct csr x = { 0 };

		random_rows(&x, cases[c].n, cases[c].d, cases[c].density);
		snprintf(what, sizeof(what), "%" PRId64 " x %d, %g full, r %" PRId64, cases[c].n,
			 cases[c].d - 1, cases[c].density, cases[c].r);
		if (cases[c].r < cases[c].d - 1)
			check_plain(&x, cases[c].r, what);
		csr_free(&x);
	}
}

/* Rows that depend on others, columns that hold nothing, columns twice, sizes over six decades. */
static void test_deficient(void)
{
	enum { N = 24, D = 120, RANK = 9 };
	double *left = full_normal(N, RANK), *right = full_normal(RANK, D), *a;
	struct csr x = { 0 };

	a = full_product(left, right, N, RANK, D);
	for (int64_t i = 0; i < N; i++)
		for (int64_t j = 0; j < D; j++) {
			if (j % 7 == 3)
				a[i * D + j] = 0;
			if (j % 7 == 4)
				a[i * D + j] = a[i * D + j - 3];
			a[i * D + j] *= j % 7 < 3 ? pow(10, -(double)(j % 4)) : 1;
		}
	full_rows(&x, a, N, D, 2, 3);
	for (int64_t r = RANK + 1; r < 100; r += 15)
		check_plain(&x, r, "rank 9");
	free(left);
	free(right);
	free(a);
	csr_free(&x);
}

/* Sizes that fall off: nearly all features are needed, and some are taken again. */
static void test_again(void)
{
	enum { N = 12, D = 80 };
	int64_t n_again = 0;

	for (int round = 0; round < 6; round++) {
		double *a = full_normal(N, D);
		struct csr x = { 0 };

		for (int64_t j = 0; j < D; j++)
			for (int64_t i = 0; i < N; i++)
				a[i * D + j] *= exp(-(double)j / 10) * (i == j % N ? 3 : 0.2);
		full_rows(&x, a, N, D, 1, 1);
		n_again += check_plain(&x, 60 + 3 * round, "falling sizes");
		free(a);
		csr_free(&x);
	}
	CHECK(n_again > 0, "no feature was taken again");
}

/*
 * So many features that most are rejected by the bound: the long vectors all lie in ten directions,
 * and the barriers want the other two.  Their bounds are taken in single precision, where
 * 'scale' may be beyond it.
 */
static void test_many(double scale)
{
	enum { N = 12, D = 17000, LONG = 13000, R = 60 };
	double *a = full_normal(N, D);
	struct csr x = { 0 };
	struct row_space s;
	struct bss_report report;
	struct selection selection;

	for (int64_t j = 0; j < D; j++) {
		double size = 0;

		for (int64_t i = 0; i < N; i++) {
			a[i * D + j] *= (i < 10) == (j < LONG) ? 1 : 0.01;
			size += a[i * D + j] * a[i * D + j];
		}
		for (int64_t i = 0; i < N; i++)
			a[i * D + j] *= scale / sqrt(size);
	}
	full_rows(&x, a, N, D, 1, 1);
	s = space_of(&x);
	selection = chosen(&s, R, &report);
	CHECK(report.max_visited > LONG / 2, "%" PRId64 " visited", report.max_visited);
	check_plain(&x, R, "many features");
	selection_free(&selection);
	row_space_free(&s);
	free(a);
	csr_free(&x);
}

/* Q X for an orthogonal Q has the same rows' space, by another basis. */
static void test_rotation(void)
{
	enum { N = 25, D = 200, R = 70 };
	double *a = full_normal(N, D), *q = full_orthonormal(N, N), *b;
	struct csr x[2] = { { 0 }, { 0 } };
	struct selection chosen_of[2];
	struct bss_report report;

	b = full_product(q, a, N, N, D);
	full_rows(&x[0], a, N, D, 1, 1);
	full_rows(&x[1], b, N, D, 1, 1);
	for (int k = 0; k < 2; k++) {
		struct row_space s = space_of(&x[k]);

		chosen_of[k] = chosen(&s, R, &report);
		row_space_free(&s);
	}
	for (int64_t k = 0; k < R; k++) {
		CHECK(chosen_of[0].feature[k] == chosen_of[1].feature[k], "step %" PRId64, k);
		CHECK(apart(chosen_of[0].weight[k], chosen_of[1].weight[k]) < 1e-8,
		      "weights %g and %g", chosen_of[0].weight[k], chosen_of[1].weight[k]);
	}
	for (int k = 0; k < 2; k++) {
		selection_free(&chosen_of[k]);
		csr_free(&x[k]);
	}
	free(a);
	free(q);
	free(b);
}

/* ---- Where it is not defined ---- */

static void test_all(void)
{
	struct csr x = { 0 };
	struct row_space s;
	struct bss_report report;
	struct selection all;

	random_rows(&x, 8, 21, 1);
	s = space_of(&x);
	for (int64_t r = 20; r < 40; r += 19) {
		all = chosen(&s, r, &report);
		CHECK(report.all && all.n == 20, "%" PRId64 " features", all.n);
		for (int64_t k = 0; k < all.n; k++)
			CHECK(all.weight[k] == 1 && (k == 0 || all.score[k] <= all.score[k - 1]),
			      "weight %g, score %g", all.weight[k], all.score[k]);
		CHECK(report.least == 1 && report.largest == 1, "not exact");
		selection_free(&all);
	}
	row_space_free(&s);
	csr_free(&x);
}

/* r <= rank: the plain algorithm in the r / 2 largest directions. */
static void test_truncated(void)
{
	struct csr x = { 0 };
	struct row_space s;
	struct bss_report report;

	random_rows(&x, 20, 101, 0.5);
	s = space_of(&x);
	for (int64_t r = 2; r <= 20; r += 6) {
		struct selection is = chosen(&s, r, &report);
		double *v = vectors_of(&s, r / 2);
		struct plain_bss be = plain_bss(v, s.columns.n, r / 2, r);

		CHECK(report.truncated && report.dimension == r / 2, "dimension %" PRId64,
		      report.dimension);
		CHECK(is.n == be.n, "%" PRId64 " features, not %" PRId64, is.n, be.n);
		for (int64_t k = 0; k < is.n && k < be.n; k++)
			CHECK(is.feature[k] == s.columns.feature[be.column[k]] &&
				      apart(is.weight[k], be.weight[k]) < 1e-8,
			      "r %" PRId64 ", step %" PRId64, r, k);
		plain_bss_free(&be);
		selection_free(&is);
		free(v);
	}
	row_space_free(&s);
	csr_free(&x);
}

/* Features that no large direction reaches are as if they held nothing. */
static void test_blocks(void)
{
	enum { N = 12, D = 60 };
	double *a = full_normal(N, D);
	struct csr x = { 0 };
	struct row_space s;
	struct bss_report report;
	struct selection is;

	/* two blocks, of sizes 100 and 1 */
	for (int64_t i = 0; i < N; i++)
		for (int64_t j = 0; j < D; j++)
			a[i * D + j] *= (i < N / 2) != (j < D / 2) ? 0 : i < N / 2 ? 100 : 1;
	full_rows(&x, a, N, D, 1, 1);
	s = space_of(&x);
	is = chosen(&s, 12, &report);
	CHECK(report.dimension == 6, "dimension %" PRId64, report.dimension);
	for (int64_t k = 0; k < is.n; k++)
		CHECK(is.feature[k] <= D / 2, "feature %" PRId32, is.feature[k]);
	selection_free(&is);
	row_space_free(&s);
	free(a);
	csr_free(&x);
}

/* One direction: by length, whatever the barriers; r = 1 keeps it exactly. */
static void test_one(void)
{
	struct csr x = { 0 };
	struct row_space s;
	struct bss_report report;
	struct selection is;

	random_rows(&x, 1, 41, 1);
	s = space_of(&x);
	is = chosen(&s, 20, &report);
	for (int64_t k = 1; k < is.n; k++)
		CHECK(is.score[k] <= is.score[k - 1], "%g after %g", is.score[k], is.score[k - 1]);
	CHECK(is.n == 20, "%" PRId64 " features", is.n);
	selection_free(&is);
	is = chosen(&s, 1, &report);
	CHECK(is.n == 1 && apart(is.weight[0] * is.weight[0] * is.score[0], 1) < 1e-14,
	      "weight %g of score %g", is.weight[0], is.score[0]);
	selection_free(&is);
	row_space_free(&s);
	csr_free(&x);
}

/* Equal columns are equally good: the first is taken first. */
static void test_duplicates(void)
{
	enum { N = 6, D = 30 };
	double *a = full_normal(N, D), *twice = full_zeros(N, 2 * D);
	struct csr x = { 0 };
	struct row_space s;
	struct bss_report report;
	struct selection is;

	for (int64_t i = 0; i < N; i++)
		for (int64_t j = 0; j < 2 * D; j++)
			twice[i * 2 * D + j] = a[i * D + j % D];
	full_rows(&x, twice, N, 2 * D, 1, 1);
	s = space_of(&x);
	is = chosen(&s, 25, &report);
	for (int64_t k = 0; k < is.n; k++) {
		bool first = is.feature[k] <= D;

		for (int64_t i = 0; i < k; i++)
			first = first || is.feature[i] == is.feature[k] - D;
		CHECK(first, "feature %" PRId32 " before its twin", is.feature[k]);
	}
	check_plain(&x, 25, "duplicates");
	selection_free(&is);
	row_space_free(&s);
	free(a);
	free(twice);
	csr_free(&x);
}

/* ---- Threads, memory, progress ---- */

static void count_steps(void *arg, int64_t done, int64_t total)
{
	int64_t *count = arg;

	CHECK(done == ++*count && total == 50, "step %" PRId64 " of %" PRId64, done, total);
}

static void test_threads(void)
{
	int64_t count = 0;
	struct bss_options o = { .n_features = 50,
				 .n_threads = 1,
				 .progress = { count_steps, &count } };
	struct csr x = { 0 };
	struct row_space s;
	struct selection one, more;
	struct bss_report report;
	struct error err = { 0 };

	random_rows(&x, 20, 14001, 0.05);
	s = space_of(&x);
	CHECK(bss_select(&one, &s, &o, &report, &err) == 0 && count == 50, "%s", err.text);
	o.progress = (struct progress_observer){ 0 };
	for (o.n_threads = 2; o.n_threads < 5; o.n_threads++) {
		CHECK(bss_select(&more, &s, &o, &report, &err) == 0, "%s", err.text);
		CHECK(more.n == one.n &&
			      !memcmp(one.feature, more.feature, (size_t)one.n * sizeof(int32_t)) &&
			      !memcmp(one.weight, more.weight, (size_t)one.n * sizeof(double)) &&
			      !memcmp(one.score, more.score, (size_t)one.n * sizeof(double)),
		      "other bits with %d threads", o.n_threads);
		selection_free(&more);
	}
	selection_free(&one);
	row_space_free(&s);
	csr_free(&x);
}

static int run_select(void *arg, struct error *err)
{
	const struct bss_options o = { .n_features = 40, .n_threads = 1 };
	struct selection selection;
	struct bss_report report;

	if (bss_select(&selection, arg, &o, &report, err) < 0) {
		CHECK(selection.n == 0 && !selection.feature, "something is left");
		return -1;
	}
	selection_free(&selection);
	return 0;
}

static int run_screen(void *arg, struct error *err)
{
	struct barrier_screen screen;

	if (barrier_screen_init(&screen, arg, err) < 0)
		return -1;
	barrier_screen_free(&screen);
	return 0;
}

static void test_memory(void)
{
	struct csr x = { 0 };
	struct row_space s;
	struct barrier b;
	struct error err = { 0 };

	random_rows(&x, 20, 101, 1);
	s = space_of(&x);
	fail_each_allocation("bss_select", run_select, &s);
	CHECK(barrier_init(&b, 9, 20, &err) == 0 && barrier_raise(&b, &err) == 0, "%s", err.text);
	fail_each_allocation("screen", run_screen, &b);
	barrier_free(&b);
	row_space_free(&s);
	csr_free(&x);
}

int main(void)
{
	if (!UNIT_FINDS_RACES) {
		test_barrier();
		test_random();
		test_deficient();
		test_again();
		test_many(1);
		test_many(1e-60);
		test_many(1e60);
	}
	test_rotation();
	test_all();
	test_truncated();
	test_blocks();
	test_one();
	test_duplicates();
	test_threads();
	test_memory();
	return unit_report("bss");
}
