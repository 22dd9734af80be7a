/*
 * test_drawn_folds.c - folds drawn row by row: fair shares, from the seed and the rows so far
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "evaluate/folds.h"
#include "failing.h"
#include "random.h"
#include "unit.h"

enum { ROWS = 40000, MANY_CLASSES = 700 };

static int64_t next(struct drawn_folds *f, double label)
{
	struct error err = { 0 };
	int64_t fold = drawn_folds_next(f, label, &err);

	CHECK(fold >= 0 && fold < f->n_folds, "fold %" PRId64 " of %" PRId64 ": %s", fold,
	      f->n_folds, err.text);
	return fold;
}

/* Each fold has its share of ROWS, and each pair of folds its share of neighbours: chi^2. */
static void expect_even(const int64_t *count, int64_t n, const char *what)
{
	double expected = 0, chi = 0;

	for (int64_t i = 0; i < n; i++)
		expected += (double)count[i] / (double)n;
	for (int64_t i = 0; i < n; i++)
		chi += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
	CHECK(fabs(chi - (double)n) < 6 * sqrt(2 * (double)n), "%s: chi^2 %g for %" PRId64, what,
	      chi, n);
}

static void test_plain(void)
{
	for (int64_t n = 2; n <= 13; n++) {
		struct drawn_folds f = { .seed = (uint64_t)n, .n_folds = n };
		int64_t count[13] = { 0 }, pair[13 * 13] = { 0 }, last = 0;

		for (int64_t i = 0; i < ROWS; i++) {
			int64_t fold = next(&f, (double)(i % 3));

			count[fold]++;
			pair[last * n + fold]++;
			last = fold;
		}
		expect_even(count, n, "plain");
		expect_even(pair, n * n, "neighbours");
		CHECK(!f.n_of_class && !f.labels.slot && !f.order, "memory without need");
		drawn_folds_free(&f);
	}
}

/* After every row the folds' numbers of rows of its class differ by one at most. */
static void test_shares(void)
{
	static int64_t count[MANY_CLASSES][11];
	struct drawn_folds f = { .seed = 5, .n_folds = 11, .stratified = true };

	memset(count, 0, sizeof(count));
	for (int64_t i = 0; i < ROWS; i++) {
		int64_t k = (int64_t)(random_unit() * random_unit() * MANY_CLASSES);
		int64_t low = INT64_MAX, high = 0;

		/* labels of all kinds, one of them 0 */
		count[k][next(&f, k % 2 ? -1e300 / (double)k : (double)k / 7)]++;
		for (int j = 0; j < 11; j++) {
			low = count[k][j] < low ? count[k][j] : low;
			high = count[k][j] > high ? count[k][j] : high;
		}
		CHECK(high - low <= 1, "class %" PRId64 ": %" PRId64 " to %" PRId64, k, low, high);
	}
	CHECK(f.n_rows == ROWS, "%" PRId64 " rows", f.n_rows);
	drawn_folds_free(&f);
	CHECK(!f.n_of_class && f.n_rows == 0, "not emptied");
}

/* All orders of four folds, about as often. */
static void test_orders(void)
{
	struct drawn_folds f = { .seed = 2, .n_folds = 4, .stratified = true };
	int64_t count[256] = { 0 }, present[24], n = 0;

	for (int64_t i = 0; i < ROWS / 4; i++) {
		int64_t order = 0;

		for (int j = 0; j < 4; j++)
			order = 4 * order + next(&f, 1);
		count[order]++;
	}
	for (int i = 0; i < 256; i++)
		if (count[i] && n < 24)
			present[n++] = count[i];
	CHECK(n == 24, "%" PRId64 " orders", n);
	expect_even(present, 24, "orders");
	drawn_folds_free(&f);
}

/* The same label is the same class: 0 and -0, and nothing else. */
static void test_labels(void)
{
	struct drawn_folds f = { .seed = 1, .n_folds = 2, .stratified = true };
	const double label[] = { 0, -0.0, 1, -1, 1.5, 0x1p-1074, NAN, INFINITY, 1, NAN };

	for (size_t i = 0; i < sizeof(label) / sizeof(label[0]); i++)
		next(&f, label[i]);
	CHECK(f.labels.n == 7, "%" PRId64 " classes", f.labels.n);
	drawn_folds_free(&f);
}

/* A row's fold is the same in a longer stream, and different seeds differ. */
static void test_seeds(void)
{
	for (int stratified = 0; stratified < 2; stratified++) {
		struct drawn_folds a = { .seed = 9, .n_folds = 5, .stratified = stratified };
		struct drawn_folds b = a, c = a;
		int64_t differ = 0;

		c.seed = UINT64_C(9) << 32;
		for (int64_t i = 0; i < 1000; i++) {
			int64_t fold = next(&a, (double)(i % 3));

			CHECK(next(&b, (double)(i % 3)) == fold, "row %" PRId64, i);
			differ += next(&c, (double)(i % 3)) != fold;
		}
		CHECK(differ > 700 && differ < 900, "%" PRId64 " of 1000 differ", differ);
		drawn_folds_free(&a);
		drawn_folds_free(&b);
		drawn_folds_free(&c);
	}
}

static int draw_some(void *arg, struct error *err)
{
	struct drawn_folds f = { .seed = 1, .n_folds = 3, .stratified = true };
	int ret = 0;

	(void)arg;
	for (int64_t i = 0; i < 100 && ret == 0; i++)
		ret = drawn_folds_next(&f, (double)(i % 40), err) < 0 ? -1 : 0;
	drawn_folds_free(&f);
	return ret;
}

int main(void)
{
	test_plain();
	test_shares();
	test_orders();
	test_labels();
	test_seeds();
	CHECK(fail_each_allocation("folds", draw_some, NULL) > 3, "hardly any allocation");
	return unit_report("drawn_folds");
}
