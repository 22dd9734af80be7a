/*
 * test_leverage.c - leverage scores and choosing by them; selections and their index
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
#include "matrix/blas.h"
#include "matrix/synthetic.h"
#include "select/leverage.h"
#include "unit.h"

static const struct row_space_options plain_space = { .n_threads = 1 };

static struct row_space space_of(const struct csr *x)
{
	struct row_space s;
	struct error err = { 0 };

	CHECK(row_space_init(&s, x, &plain_space, &err) == 0, "%s", err.text);
	return s;
}

static struct leverage scores_of(const struct csr *x)
{
	struct row_space s = space_of(x);
	struct leverage l;
	struct error err = { 0 };

	CHECK(leverage_exact(&l, &s, 1, &err) == 0, "%s", err.text);
	row_space_free(&s);
	return l;
}

static struct leverage approximate_scores(const struct csr *x, const struct leverage_options *o)
{
	struct leverage l;
	struct error err = { 0 };

	CHECK(leverage_approximate(&l, x, o, &err) == 0, "%s", err.text);
	return l;
}

static struct selection chosen(const struct leverage *l, int64_t r, enum leverage_rule rule,
			       uint64_t seed)
{
	struct selection s;
	struct error err = { 0 };

	CHECK(leverage_select(&s, l, r, rule, seed, &err) == 0, "%s", err.text);
	return s;
}

static double sum_of(const struct leverage *l)
{
	double sum = 0;

	for (int64_t j = 0; j < l->n; j++)
		sum += l->score[j];
	return sum;
}

/* Rows of words, word j about as often as 1 / (j + 10), most rows long enough to differ. */
static void random_text(struct csr *x, int64_t n_rows, int32_t n_words, int length)
{
	double *a = full_zeros(n_rows, n_words);

	for (int64_t i = 0; i < n_rows; i++)
		for (int k = 0; k < length; k++) {
			double u = random_unit() * log((n_words + 10) / 10.0);

			a[i * n_words + (int64_t)(10 * exp(u) - 10) % n_words] += 1;
		}
	full_rows(x, a, n_rows, n_words, 1, 1);
	free(a);
}

/* ---- Selections ---- */

static void test_index(void)
{
	struct selection s;
	struct selection_index index;
	struct error err = { 0 };

	CHECK(selection_init(&s, 500, &err) == 0 && s.n == 0, "%s", err.text);
	for (int k = 0; k < 500; k++)
		selection_add(&s, (k * 7919) % 500 * 4194301 % INT32_MAX, k, -k);
	CHECK(selection_index_init(&index, &s, &err) == 0 && index.map.n == 500, "%s", err.text);
	for (int64_t k = 0; k < 500; k++) {
		int64_t number = selection_find(&index, s.feature[k]);

		CHECK(number >= 0 && index.place[number] == k &&
			      index.map.list[number] == s.feature[k],
		      "feature %" PRId32 " is number %" PRId64, s.feature[k], number);
		CHECK(k == 0 || index.map.list[k] > index.map.list[k - 1], "not ascending");
		CHECK(selection_find(&index, s.feature[k] + 1) == -1, "%" PRId32 " is there",
		      s.feature[k] + 1);
	}
	selection_index_free(&index);
	s.feature[17] = s.feature[400];
	CHECK(selection_index_init(&index, &s, &err) < 0 && err.code == ERR_ARGUMENT, "'%s'",
	      err.text);
	s.n = 0;
	CHECK(selection_index_init(&index, &s, &(struct error){ 0 }) == 0 &&
		      selection_find(&index, 3) == -1,
	      "nothing selected");
	selection_index_free(&index);
	selection_free(&s);
}

static int run_index(void *arg, struct error *err)
{
	struct selection_index index;

	if (selection_index_init(&index, arg, err) < 0)
		return -1;
	selection_index_free(&index);
	return 0;
}

/* ---- Scores ---- */

/* They add up to the rank and are the diagonal of the projection on the right singular vectors. */
static void test_exact(void)
{
	for (int round = 0; round < 3; round++) {
		int64_t n = round == 1 ? 60 : 12;
		struct csr x = { 0 };
		struct leverage l;
		double *a, *left, *right, *value;
		int64_t k;
		struct error err = { 0 };

		random_rows(&x, n, 41, round == 2 ? 0.1 : 0.6);
		l = scores_of(&x);
		a = full_of_rows(&x);
		k = n < x.n_cols ? n : x.n_cols;
		left = full_zeros(n, k);
		right = full_zeros(k, x.n_cols);
		value = full_zeros(k, 1);
		CHECK(blas_svd(a, n, x.n_cols, left, value, right, &err) == 0, "%s", err.text);
		CHECK(fabs(sum_of(&l) - (double)l.rank) < 1e-8, "sum %g, rank %" PRId64, sum_of(&l),
		      l.rank);
		for (int64_t j = 0; j < l.n; j++) {
			double score = 0;

			for (int64_t i = 0; i < l.rank; i++)
				score += pow(right[i * x.n_cols + l.feature[j]], 2);
			CHECK(fabs(score - l.score[j]) < 1e-9, "score %g, not %g", l.score[j],
			      score);
		}
		leverage_free(&l);
		csr_free(&x);
		free(a);
		free(left);
		free(right);
		free(value);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How many of the first 'count' of one order are among those of the other. */
static int64_t overlap(const struct leverage *a, const struct leverage *b, int64_t count)
{
	struct selection one = chosen(a, count, LEVERAGE_TOP, 1);
	struct selection other = chosen(b, count, LEVERAGE_TOP, 1);
	struct selection_index index;
	struct error err = { 0 };
	int64_t n = 0;

	CHECK(selection_index_init(&index, &one, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < other.n; k++)
		n += selection_find(&index, other.feature[k]) >= 0;
	selection_index_free(&index);
	selection_free(&one);
	selection_free(&other);
	return n;
}

/* Ratios to the exact scores: median within a tenth of 1, nearly none above 1.6; the same top. */
static void test_approximate(void)
{
	for (int round = 0; round < 2; round++) {
		/* so many turns that hashing saves nothing: only the directions are random */
		const struct leverage_options o = { .seed = 4,
						    .turns = round == 0 ? 0 : 1000,
						    .n_threads = 2 };
		struct csr x = { 0 };
		struct leverage exact, near;
		double *ratio;

		random_text(&x, 400, 12000, 150);
		exact = scores_of(&x);
		near = approximate_scores(&x, &o);
		ratio = full_zeros(exact.n, 1);
		CHECK(near.sketched == (round == 0), "sketched: %d", near.sketched);
		CHECK(near.n == exact.n && near.rank == exact.rank,
		      "rank %" PRId64 ", not %" PRId64, near.rank, exact.rank);
		for (int64_t j = 0; j < exact.n; j++) {
			CHECK(near.feature[j] == exact.feature[j], "feature %" PRId32,
			      near.feature[j]);
			ratio[j] = near.score[j] / exact.score[j];
		}
		qsort(ratio, (size_t)exact.n, sizeof(*ratio), ascending);
		CHECK(fabs(ratio[exact.n / 2] - 1) <= 0.1, "median ratio %g", ratio[exact.n / 2]);
		CHECK(ratio[exact.n * 99 / 100] <= 1.6, "99 in 100 up to %g",
		      ratio[exact.n * 99 / 100]);
		CHECK(overlap(&exact, &near, 500) >= 465, "%" PRId64 " of the first 500",
		      overlap(&exact, &near, 500));
		free(ratio);
		leverage_free(&exact);
		leverage_free(&near);
		csr_free(&x);
	}
}

/* Rows that depend on others do not count; more rows than columns, or nothing at all, is exact. */
static void test_approximate_edges(void)
{
	const struct leverage_options o = { .seed = 4, .n_threads = 1 };
	const int64_t start[3] = { 0 };
	double *left = full_normal(30, 7), *right = full_normal(7, 90);
	double *a = full_product(left, right, 30, 7, 90);
	struct csr x = { 0 }, tall = { 0 }, none = { 0 };
	struct leverage l, exact;
	struct error err = { 0 };

	full_rows(&x, a, 30, 90, 1, 1);
	l = approximate_scores(&x, &o);
	CHECK(l.rank == 7, "rank %" PRId64, l.rank);
	CHECK(fabs(sum_of(&l) - 7) < 1.5, "sum %g", sum_of(&l));
	leverage_free(&l);
	random_rows(&tall, 50, 21, 0.5);
	l = approximate_scores(&tall, &o);
	exact = scores_of(&tall);
	CHECK(!memcmp(l.score, exact.score, (size_t)l.n * sizeof(double)), "not exact");
	leverage_free(&l);
	leverage_free(&exact);
	CHECK(csr_append(&none, 2, start, NULL, NULL, &err) == 0, "%s", err.text);
	l = approximate_scores(&none, &o);
	CHECK(l.n == 0 && l.rank == 0, "%" PRId64 " features", l.n);
	leverage_free(&l);
	csr_free(&x);
	csr_free(&tall);
	csr_free(&none);
	free(left);
	free(right);
	free(a);
}

/* ---- Rules ---- */

/* The trials one by one, along the scores. */
static void test_iid(void)
{
	enum { R = 300 };
	struct csr x = { 0 };
	struct leverage l;
	struct selection s;
	double sum, *count;
	int64_t n = 0;

	random_rows(&x, 15, 101, 0.4);
	l = scores_of(&x);
	sum = sum_of(&l);
	count = full_zeros(l.n, 1);
	s = chosen(&l, R, LEVERAGE_IID, 9);
	for (int64_t k = 0; k < R; k++) {
		double left = rng_unit(rng_first64(rng_draw(9, 0x61, (uint64_t)k, 0))) * sum;
		int64_t j = 0;

		while (j < l.n - 1 && left >= l.score[j])
			left -= l.score[j++];
		if (count[j]++ == 0) {
			CHECK(n < s.n && s.feature[n] == l.feature[j], "trial %" PRId64, k);
			n++;
		}
	}
	CHECK(n == s.n, "%" PRId64 " features, not %" PRId64, s.n, n);
	for (int64_t k = 0; k < s.n; k++) {
		int64_t j = 0;

		while (l.feature[j] != s.feature[k])
			j++;
		CHECK(fabs(s.weight[k] / sqrt(count[j] * sum / (R * l.score[j])) - 1) < 1e-12 &&
			      s.score[k] == l.score[j],
		      "weight %g", s.weight[k]);
	}
	selection_free(&s);
	leverage_free(&l);
	csr_free(&x);
	free(count);
}

/* Features with a chance of less than 1 have weights that tell it: all chances add up to r. */
static void test_bernoulli(void)
{
	enum { R = 60, SEEDS = 3000 };
	struct csr x = { 0 };
	struct leverage l;
	double *chance, sum = 0, square = 0, expected = 0, spread = 0;

	random_text(&x, 40, 500, 60);
	l = scores_of(&x);
	chance = full_zeros(l.n, 1);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct selection s = chosen(&l, R, LEVERAGE_BERNOULLI, seed);

		for (int64_t k = 0, j = 0; k < s.n; k++, j++) {
			while (l.feature[j] != s.feature[k])
				j++;
			chance[j] = 1 / (s.weight[k] * s.weight[k]);
			CHECK(chance[j] <= 1, "chance %g", chance[j]);
		}
		sum += (double)s.n;
		square += (double)(s.n * s.n);
		selection_free(&s);
	}
	/* all but the rarest are seen in so many draws */
	for (int64_t j = 0; j < l.n; j++) {
		expected += chance[j];
		spread += chance[j] * (1 - chance[j]);
	}
	CHECK(fabs(expected - R) < 0.05, "the chances add up to %g", expected);
	sum /= SEEDS;
	CHECK(fabs(sum - R) < 4.5 * sqrt(spread / SEEDS), "%g features on average", sum);
	CHECK(square / SEEDS - sum * sum < 1.3 * spread, "variance %g, not %g",
	      square / SEEDS - sum * sum, spread);
	leverage_free(&l);
	csr_free(&x);
	free(chance);
}

/* The mean of sum w^2 v v' is the identity, within what its variance allows. */
static void test_unbiased(void)
{
	enum { N = 8, D = 120, R = 30, SEEDS = 300 };
	struct csr x = { 0 };
	struct row_space s;
	struct leverage l;
	struct error err = { 0 };

	random_rows(&x, N, D + 1, 0.5);
	s = space_of(&x);
	CHECK(leverage_exact(&l, &s, 1, &err) == 0, "%s", err.text);
	for (int rule = LEVERAGE_IID; rule <= LEVERAGE_BERNOULLI; rule++) {
		double mean[N * N] = { 0 }, square[N * N] = { 0 };

		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			struct selection c = chosen(&l, R, (enum leverage_rule)rule, seed);
			double m[N * N] = { 0 }, v[N];

			for (int64_t k = 0; k < c.n; k++) {
				row_space_vector(&s, column_map_find(&s.columns.map, c.feature[k]),
						 v);
				for (int e = 0; e < N * N; e++)
					m[e] += c.weight[k] * c.weight[k] * v[e / N] * v[e % N];
			}
			for (int e = 0; e < N * N; e++) {
				mean[e] += m[e] / SEEDS;
				square[e] += m[e] * m[e] / SEEDS;
			}
			selection_free(&c);
		}
		for (int e = 0; e < N * N; e++) {
			double error = sqrt((square[e] - mean[e] * mean[e]) / SEEDS);

			CHECK(fabs(mean[e] - (e / N == e % N)) < 5 * error, "rule %d: mean %g",
			      rule, mean[e]);
		}
	}
	leverage_free(&l);
	row_space_free(&s);
	csr_free(&x);
}

static void test_top(void)
{
	int32_t feature[] = { 3, 4, 8, 9, 12 };
	double score[] = { 0.5, 0.25, 0.5, 0, 0.75 };
	struct leverage l = { .n = 5, .feature = feature, .score = score, .rank = 2 };
	struct selection s = chosen(&l, 3, LEVERAGE_TOP, 1);

	CHECK(s.n == 3 && s.feature[0] == 12 && s.feature[1] == 3 && s.feature[2] == 8,
	      "%" PRId32 ", %" PRId32 ", %" PRId32, s.feature[0], s.feature[1], s.feature[2]);
	CHECK(s.weight[0] == 1 && s.score[0] == 0.75 && s.score[2] == 0.5, "score %g", s.score[2]);
	selection_free(&s);
	for (int rule = LEVERAGE_IID; rule <= LEVERAGE_TOP; rule++) {
		s = chosen(&l, 100, (enum leverage_rule)rule, 1);
		CHECK(s.n == 4, "rule %d: %" PRId64 " features", rule, s.n);
		for (int64_t k = 0; k < s.n; k++)
			CHECK(s.feature[k] != 9 && (rule == LEVERAGE_IID || s.weight[k] == 1),
			      "rule %d: feature %" PRId32 ", weight %g", rule, s.feature[k],
			      s.weight[k]);
		selection_free(&s);
	}
}

/* ---- The paper's table 1 ---- */

struct near {
	double margin;
	int64_t row;
};

static int by_margin(const void *a, const void *b)
{
	return ascending(&((const struct near *)a)->margin, &((const struct near *)b)->margin);
}

/* The rows nearest to the other class, some of which are the support vectors. */
static void nearest_rows(struct csr *near_rows, int64_t n_relevant, uint64_t seed)
{
	enum { N = 200, D = 1000, KEEP = 14 };
	const struct synthetic_options o = {
		.kind = SYNTHETIC_RELEVANT, .seed = seed, .n_features = D, .n_relevant = n_relevant
	};
	double *a = full_zeros(N, D), *w = full_zeros(D, 1), y[N];
	struct near order[N];
	struct synthetic_data g;
	struct error err = { 0 };

	CHECK(synthetic_init(&g, &o, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < N; i++) {
		y[i] = synthetic_row(&g, i, a + i * D);
		for (int64_t j = 0; j < D; j++)
			w[j] += y[i] * a[i * D + j];
	}
	for (int64_t i = 0; i < N; i++) {
		order[i] = (struct near){ 0, i };
		for (int64_t j = 0; j < D; j++)
			order[i].margin += y[i] * w[j] * a[i * D + j];
	}
	qsort(order, N, sizeof(*order), by_margin);
	for (int64_t i = 0; i < KEEP; i++)
		full_rows(near_rows, a + order[i].row * D, 1, D, 1, 1);
	synthetic_free(&g);
	free(a);
	free(w);
}

/* The informative features nearest to the last one, the largest, come first. */
static void test_relevant(void)
{
	for (int64_t k = 40; k <= 50; k += 10) {
		double score[1001] = { 0 };
		int order[5] = { 0 };

		for (uint64_t seed = 1; seed <= 20; seed++) {
			struct csr x = { 0 };
			struct leverage l;
			struct selection s;

			nearest_rows(&x, k, seed);
			l = scores_of(&x);
			s = chosen(&l, 30, LEVERAGE_TOP, 1);
			for (int64_t i = 0; i < s.n; i++)
				score[s.feature[i]] += 1;
			selection_free(&s);
			leverage_free(&l);
			csr_free(&x);
		}
		for (int c = 0; c < 5; c++) {
			for (int j = 1; j <= 1000; j++)
				order[c] = score[j] >= score[order[c]] ? j : order[c];
			CHECK(order[c] <= k && order[c] > k - 10,
			      "k %" PRId64 ": feature %d, %g of 20 times", k, order[c],
			      score[order[c]]);
			score[order[c]] = -1;
		}
	}
}

/* ---- Threads and memory ---- */

static void test_threads(void)
{
	struct leverage_options o = { .seed = 4, .n_threads = 1 };
	struct csr x = { 0 };
	struct leverage one, more;

	random_text(&x, 60, 3000, 80);
	one = approximate_scores(&x, &o);
	CHECK(one.sketched, "not sketched");
	for (o.n_threads = 2; o.n_threads < 4; o.n_threads++) {
		more = approximate_scores(&x, &o);
		CHECK(!memcmp(one.score, more.score, (size_t)one.n * sizeof(double)),
		      "other bits with %d threads", o.n_threads);
		leverage_free(&more);
	}
	leverage_free(&one);
	csr_free(&x);
}

static int run_approximate(void *arg, struct error *err)
{
	const struct leverage_options o = { .turns = 2, .n_threads = 1 };
	struct leverage l;

	if (leverage_approximate(&l, arg, &o, err) < 0) {
		CHECK(l.n == 0 && !l.score, "something is left");
		return -1;
	}
	leverage_free(&l);
	return 0;
}

struct failing {
	const struct leverage *l;
	enum leverage_rule rule;
};

static int run_select(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct selection s;

	if (leverage_select(&s, f->l, 9, f->rule, 1, err) < 0) {
		CHECK(s.n == 0 && !s.feature, "something is left");
		return -1;
	}
	selection_free(&s);
	return 0;
}

static void test_memory(void)
{
	const struct leverage_options little = { .n_threads = 1, .max_bytes = 1000 };
	struct csr x[2] = { { 0 }, { 0 } };
	struct leverage l;
	struct selection s;
	struct error err = { 0 };

	random_rows(&x[0], 10, 81, 0.5);
	random_rows(&x[1], 20, 11, 0.5);
	fail_each_allocation("approximate, hashed", run_approximate, &x[0]);
	fail_each_allocation("approximate, tall", run_approximate, &x[1]);
	CHECK(leverage_approximate(&l, &x[0], &little, &err) < 0 && err.code == ERR_ARGUMENT,
	      "1000 bytes: '%s'", err.text);
	l = scores_of(&x[0]);
	for (int rule = LEVERAGE_IID; rule <= LEVERAGE_TOP; rule++) {
		struct failing f = { &l, (enum leverage_rule)rule };

		fail_each_allocation("leverage_select", run_select, &f);
	}
	s = chosen(&l, 10, LEVERAGE_TOP, 1);
	fail_each_allocation("selection_index", run_index, &s);
	selection_free(&s);
	leverage_free(&l);
	csr_free(&x[0]);
	csr_free(&x[1]);
}

int main(void)
{
	test_index();
	test_exact();
	test_approximate();
	test_approximate_edges();
	test_iid();
	test_bernoulli();
	test_unbiased();
	test_top();
	test_relevant();
	test_threads();
	test_memory();
	return unit_report("leverage");
}
