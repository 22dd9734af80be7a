/*
 * test_univariate.c - t and F scores against plain formulas in long double on dense rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "matrix/dataset.h"
#include "random.h"
#include "select/univariate.h"
#include "unit.h"

enum { N = 40, D = 700 };

/* Rows with and without zeros, as a dense matrix and as a data set. */
struct sample {
	double x[N][D + 1];
	struct dataset data;
	struct classes classes;
};

static void free_sample(struct sample *s)
{
	dataset_free(&s->data);
	classes_free(&s->classes);
	free(s);
}

/* The data set of the matrix s->x: its zeros have no entry. */
static void fill_rows(struct sample *s)
{
	struct csr *x = &s->data.x;

	x->n_rows = N;
	x->n_cols = D + 1;
	x->row_start = calloc(N + 1, sizeof(*x->row_start));
	x->col = malloc(N * D * sizeof(*x->col));
	x->val = malloc(N * D * sizeof(*x->val));
	s->data.y = malloc(N * sizeof(*s->data.y));
	for (int i = 0; i < N; i++) {
		x->row_start[i + 1] = x->row_start[i];
		for (int j = 1; j <= D; j++)
			if (s->x[i][j] != 0) {
				x->col[x->row_start[i + 1]] = j;
				x->val[x->row_start[i + 1]++] = s->x[i][j];
			}
	}
}

/*
 * Feature j is 0 in j % 4 of four rows, depends on the label by a random factor, and has a mean
 * that may be 10^4 times its deviation.
 */
static struct sample *make_sample(int n_classes)
{
	struct sample *s = calloc(1, sizeof(*s));
	struct error err = { 0 };

	for (int j = 1; j <= D; j++) {
		double factor = random_between(-1, 1), mean = j % 7 ? 0 : random_between(0, 1e4);

		for (int i = 0; i < N; i++)
			if (random_between(0, 4) >= j % 4)
				s->x[i][j] =
					mean + factor * (i % n_classes) + random_between(-1, 1);
	}
	fill_rows(s);
	for (int i = 0; i < N; i++)
		s->data.y[i] = i % n_classes;
	CHECK(classes_init(&s->classes, &s->data, &err) == 0, "%s", err.text);
	return s;
}

/* ---- the definitions ---- */

/* Number, mean and sum of squares of column j in class c of K; c < 0: of all rows */
static long double mean_of(const struct sample *s, int j, int c, int K, int *n)
{
	long double sum = 0;

	*n = 0;
	for (int i = 0; i < N; i++)
		if (c < 0 || i % K == c) {
			sum += s->x[i][j];
			++*n;
		}
	return sum / *n;
}

static long double squares_of(const struct sample *s, int j, int c, int K)
{
	int n;
	long double mean = mean_of(s, j, c, K, &n), sum = 0;

	for (int i = 0; i < N; i++)
		if (i % K == c)
			sum += (s->x[i][j] - mean) * (s->x[i][j] - mean);
	return sum;
}

static long double plain_t(const struct sample *s, int j, int K)
{
	int n_0, n_1;
	long double m_0 = mean_of(s, j, 0, K, &n_0), m_1 = mean_of(s, j, 1, K, &n_1);

	return fabsl(m_0 - m_1) / sqrtl(squares_of(s, j, 0, K) / (n_0 - 1) / n_0 +
					squares_of(s, j, 1, K) / (n_1 - 1) / n_1);
}

static long double plain_f(const struct sample *s, int j, int K)
{
	int n;
	long double mean = mean_of(s, j, -1, K, &n), between = 0, within = 0;

	for (int c = 0; c < K; c++) {
		long double m = mean_of(s, j, c, K, &n);

		between += n * (m - mean) * (m - mean);
		within += squares_of(s, j, c, K);
	}
	return between / (K - 1) / (within / (N - K));
}

/* r^2 / (1 - r^2) (n - 2) */
static long double plain_correlation(const struct sample *s, int j, int K)
{
	int n;
	long double m_x = mean_of(s, j, -1, K, &n), m_y = 0, xx = 0, yy = 0, xy = 0, r2;

	for (int i = 0; i < N; i++)
		m_y += s->data.y[i] / N;
	for (int i = 0; i < N; i++) {
		xx += (s->x[i][j] - m_x) * (s->x[i][j] - m_x);
		yy += (s->data.y[i] - m_y) * (s->data.y[i] - m_y);
		xy += (s->x[i][j] - m_x) * (s->data.y[i] - m_y);
	}
	r2 = xy * xy / xx / yy;
	return r2 / (1 - r2) * (N - 2);
}

static struct univariate_options options_of(const struct sample *s, enum univariate_test test)
{
	return (struct univariate_options){
		.test = test,
		.n_features = D,
		.classes = &s->classes,
		.target = s->data.y,
		.n_threads = 1,
	};
}

/* All scores are those of the plain formula, and descend; equal ones by ascending feature. */
static void test_scores(enum univariate_test test, int n_classes,
			long double (*plain)(const struct sample *s, int j, int K))
{
	struct sample *s = make_sample(n_classes);
	struct univariate_options o = options_of(s, test);
	struct selection chosen;
	struct error err = { 0 };

	if (test == UNIVARIATE_CORRELATION)
		for (int i = 0; i < N; i++)
			s->data.y[i] = 1e3 + i % n_classes + random_between(-0.5, 0.5);
	CHECK(univariate_select(&chosen, &s->data.x, &o, &err) == 0, "%s", err.text);
	CHECK(chosen.n == D, "%d features", (int)chosen.n);
	for (int64_t k = 0; k < chosen.n; k++) {
		long double expected = plain(s, chosen.feature[k], n_classes);

		/* means of 10^4 beside deviations of 1 cost 8 of 16 digits in a square */
		CHECK(fabsl(chosen.score[k] - expected) <= 1e-9L * (1 + expected),
		      "feature %d: %.17g, not %.17Lg", chosen.feature[k], chosen.score[k],
		      expected);
		CHECK(k == 0 || chosen.score[k] <= chosen.score[k - 1], "score %d", (int)k);
		CHECK(chosen.weight[k] == 1, "weight %g", chosen.weight[k]);
	}
	selection_free(&chosen);
	free_sample(s);
}

/* ---- properties ---- */

static void check_equal(const struct selection *a, const struct selection *b)
{
	size_t n = (size_t)a->n;

	CHECK(a->n == b->n && !memcmp(a->feature, b->feature, n * sizeof(*a->feature)) &&
		      !memcmp(a->score, b->score, n * sizeof(*a->score)),
	      "another choice");
}

/* No bit depends on threads or on the size of values and targets; fewer are a beginning. */
static void test_invariance(enum univariate_test test, int n_classes)
{
	struct sample *s = make_sample(n_classes);
	struct univariate_options o = options_of(s, test);
	struct selection one, other;
	struct error err = { 0 };

	CHECK(univariate_select(&one, &s->data.x, &o, &err) == 0, "%s", err.text);
	o.n_threads = 3;
	CHECK(univariate_select(&other, &s->data.x, &o, &err) == 0, "%s", err.text);
	check_equal(&one, &other);
	selection_free(&other);
	for (int64_t k = 0; k < csr_n_entries(&s->data.x); k++)
		s->data.x.val[k] *= s->data.x.col[k] % 2 ? 0x1p1000 : 0x1p-900;
	for (int i = 0; i < N && test == UNIVARIATE_CORRELATION; i++)
		s->data.y[i] *= 0x1p1001;
	CHECK(univariate_select(&other, &s->data.x, &o, &err) == 0, "%s", err.text);
	check_equal(&one, &other);
	selection_free(&other);
	o.n_features = one.n = 5;
	CHECK(univariate_select(&other, &s->data.x, &o, &err) == 0, "%s", err.text);
	check_equal(&one, &other);
	selection_free(&other);
	selection_free(&one);
	free_sample(s);
}

/* With two classes of the same size F is t^2. */
static void test_square(void)
{
	struct sample *s = make_sample(2);
	struct univariate_options t = options_of(s, UNIVARIATE_T);
	struct univariate_options f = options_of(s, UNIVARIATE_F);
	struct selection a, b;
	struct error err = { 0 };

	CHECK(univariate_select(&a, &s->data.x, &t, &err) == 0, "%s", err.text);
	CHECK(univariate_select(&b, &s->data.x, &f, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < a.n; k++)
		CHECK(fabs(a.score[k] * a.score[k] - b.score[k]) <= 1e-9 * (1 + b.score[k]),
		      "t = %g, F = %g", a.score[k], b.score[k]);
	selection_free(&a);
	selection_free(&b);
	free_sample(s);
}

/* ---- weights ---- */

/* Rows of weight k score as k copies of them do; some of weight 1 have most values 0. */
static void test_copies(enum univariate_test test, int n_classes)
{
	struct sample *s = make_sample(n_classes);
	struct univariate_options o = options_of(s, test);
	struct selection weighed, copied;
	struct dataset copies = { 0 };
	struct classes classes = { 0 };
	struct error err = { 0 };
	double weight[N];
	int64_t row[4 * N], n = 0;

	for (int i = 0; i < N; i++) {
		weight[i] = (int)random_below(4) + 1;
		for (int k = 0; k < weight[i]; k++)
			row[n++] = i;
	}
	o.weight = weight;
	CHECK(univariate_select(&weighed, &s->data.x, &o, &err) == 0, "%s", err.text);
	CHECK(dataset_gather(&copies, &s->data, row, n, &err) == 0, "%s", err.text);
	if (test != UNIVARIATE_CORRELATION)
		CHECK(classes_init(&classes, &copies, &err) == 0, "%s", err.text);
	o.weight = NULL;
	o.classes = &classes;
	o.target = copies.y;
	CHECK(univariate_select(&copied, &copies.x, &o, &err) == 0, "%s", err.text);
	CHECK(weighed.n == D && copied.n == D, "%" PRId64 " features", copied.n);
	for (int64_t k = 0; k < D; k++)
		CHECK(weighed.feature[k] == copied.feature[k] &&
			      fabs(weighed.score[k] - copied.score[k]) <=
				      1e-9 * (1 + copied.score[k]),
		      "feature %d: %.17g, not %.17g", weighed.feature[k], weighed.score[k],
		      copied.score[k]);
	selection_free(&weighed);
	selection_free(&copied);
	classes_free(&classes);
	dataset_free(&copies);
	free_sample(s);
}

/* ---- special cases ---- */

/* The scores of a small dense matrix, by ascending feature from 1 on; -1 if the choice fails. */
static int score_weighed(double *score, int n, int d, const double *x, const double *y,
			 const double *weight, enum univariate_test test)
{
	struct dataset data = { .y = malloc((size_t)n * sizeof(double)) };
	struct classes classes = { 0 };
	struct selection chosen = { 0 };
	struct error err = { 0 };
	int ret;

	data.x = (struct csr){ .n_rows = n,
			       .n_cols = d + 1,
			       .row_start = calloc((size_t)n + 1, sizeof(int64_t)),
			       .col = malloc((size_t)(n * d) * sizeof(int32_t)),
			       .val = malloc((size_t)(n * d) * sizeof(double)) };
	for (int i = 0; i < n; i++) {
		data.x.row_start[i + 1] = (int64_t)(i + 1) * d;
		data.y[i] = y[i];
	}
	for (int k = 0; k < n * d; k++) {
		data.x.col[k] = k % d + 1;
		data.x.val[k] = x[k];
	}
	if (test != UNIVARIATE_CORRELATION)
		CHECK(classes_init(&classes, &data, &err) == 0, "%s", err.text);
	ret = univariate_select(
		&chosen, &data.x,
		&(struct univariate_options){ test, d, &classes, data.y, weight, 1 }, &err);
	for (int j = 0; j < d; j++)
		score[j] = -1; /* a feature without values is not chosen */
	for (int64_t k = 0; k < chosen.n; k++)
		score[chosen.feature[k] - 1] = chosen.score[k];
	selection_free(&chosen);
	classes_free(&classes);
	dataset_free(&data);
	return ret;
}

static int score_small(double *score, int n, int d, const double *x, const double *y,
		       enum univariate_test test)
{
	return score_weighed(score, n, d, x, y, NULL, test);
}

/* Features that are constant, constant in each class, a line through the targets, or not there. */
static void test_special(void)
{
	const double x[] = { 0.1, 3, 0, 1, 0.1, 3, 0, 2, 0.1, 0, 0, 5, 0.1, 0, 0, 5 };
	const double y[] = { 1, 1, 2, 2 }, line[] = { 0.3, 0.6, 1.5, 1.5 };
	const double uneven[] = { 0.1, 0.7, 3, 2.2 };
	double score[4];

	for (int t = 0; t < 6; t++) {
		int test = t % 3;

		CHECK(score_weighed(score, 4, 4, x, test == UNIVARIATE_CORRELATION ? line : y,
				    t < 3 ? NULL : uneven, (enum univariate_test)test) == 0,
		      "test %d failed", test);
		CHECK(score[0] == 0, "a constant: %g", score[0]);
		CHECK(test == UNIVARIATE_CORRELATION || score[1] == DBL_MAX, "classes: %g",
		      score[1]);
		CHECK(score[2] == -1, "no values: %g", score[2]);
		CHECK(test != UNIVARIATE_CORRELATION || score[3] == DBL_MAX, "a line: %g",
		      score[3]);
	}
}

/* A class of one row takes the variance of the other; rows too few, targets the same: errors. */
static void test_few_rows(void)
{
	const double x[] = { 4, 1, 2, 3 }, y[] = { 1, 2, 2, 2 }, same[] = { 7, 7, 7, 7 };
	double score;

	/* means 4 and 2, variance 1: t = 2 / sqrt(1 + 1/3) */
	CHECK(score_small(&score, 4, 1, x, y, UNIVARIATE_T) == 0 && fabs(score - sqrt(3)) < 1e-15,
	      "t = %.17g", score);
	CHECK(score_small(&score, 4, 1, x, y, UNIVARIATE_F) == 0 && fabs(score - 3) < 1e-14,
	      "F = %.17g", score);
	CHECK(score_small(&score, 2, 1, x, y, UNIVARIATE_T) < 0, "t of two rows");
	CHECK(score_small(&score, 2, 1, x, y, UNIVARIATE_F) < 0, "F of two rows");
	CHECK(score_small(&score, 2, 1, x, y, UNIVARIATE_CORRELATION) < 0, "r of two rows");
	CHECK(score_small(&score, 4, 1, x, same, UNIVARIATE_CORRELATION) < 0, "equal targets");
}

/*
 * A class of weight 1 or less takes the variance of the other; weights up to the number of classes, or
 * up to 2 in all for a correlation, are errors.
 */
static void test_little_weight(void)
{
	const double x[] = { 4, 4, 1, 2, 3 }, y[] = { 1, 1, 2, 2, 2 };
	const double half[] = { 0.5, 0.5, 1, 1, 1 }, less[] = { 0.2, 0.8, 0.3, 0.3, 0.4 };
	double score;

	CHECK(score_weighed(&score, 5, 1, x, y, half, UNIVARIATE_T) == 0 &&
		      fabs(score - sqrt(3)) < 1e-15,
	      "t = %.17g", score);
	for (int test = UNIVARIATE_T; test <= UNIVARIATE_CORRELATION; test++)
		CHECK(score_weighed(&score, 5, 1, x, y, less, (enum univariate_test)test) < 0,
		      "test %d of little weight", test);
}

static int select_again(void *arg, struct error *err)
{
	const struct sample *s = arg;
	struct univariate_options o = options_of(s, UNIVARIATE_F);
	struct selection chosen;
	int ret = univariate_select(&chosen, &s->data.x, &o, err);

	selection_free(&chosen);
	return ret;
}

static void test_memory(void)
{
	struct sample *s = make_sample(3);

	fail_each_allocation("univariate_select", select_again, s);
	free_sample(s);
}

int main(void)
{
	test_scores(UNIVARIATE_T, 2, plain_t);
	test_scores(UNIVARIATE_F, 2, plain_f);
	test_scores(UNIVARIATE_F, 5, plain_f);
	test_scores(UNIVARIATE_CORRELATION, 5, plain_correlation);
	test_invariance(UNIVARIATE_T, 2);
	test_invariance(UNIVARIATE_F, 3);
	test_invariance(UNIVARIATE_CORRELATION, 3);
	test_square();
	test_copies(UNIVARIATE_T, 2);
	test_copies(UNIVARIATE_F, 5);
	test_copies(UNIVARIATE_CORRELATION, 5);
	test_special();
	test_few_rows();
	test_little_weight();
	test_memory();
	return unit_report("univariate");
}
