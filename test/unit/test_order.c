/*
 * test_order.c - partly sorting against qsort(), searching against a walk
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "unit.h"

enum { MOST = 300 };

/* Keys repeat; the place makes the order strict. */
struct item {
	int key, place;
};

static bool precedes(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->key != y->key ? x->key < y->key : x->place < y->place;
}

static int compare(const void *a, const void *b)
{
	return precedes(b, a) - precedes(a, b);
}

static void expect_selected(const struct item *given, int64_t n, int64_t m)
{
	struct item sorted[MOST], selected[MOST];

	memcpy(sorted, given, (size_t)n * sizeof(*given));
	memcpy(selected, given, (size_t)n * sizeof(*given));
	qsort(sorted, (size_t)n, sizeof(*sorted), compare);
	order_select(selected, n, sizeof(*selected), m, precedes);
	/* sorting both parts must give what sorting everything gives */
	qsort(selected, (size_t)m, sizeof(*selected), compare);
	qsort(selected + m, (size_t)(n - m), sizeof(*selected), compare);
	CHECK(!memcmp(sorted, selected, (size_t)n * sizeof(*sorted)),
	      "the first %" PRId64 " of %" PRId64, m, n);
}

static void test_select(void)
{
	struct item item[MOST];

	for (int trial = 0; trial < 500; trial++) {
		int64_t n = trial < 20 ? trial / 4 : random_below(MOST + 1);
		int64_t n_keys = 1 + random_below(trial % 2 ? 4 : 1000);

		for (int64_t i = 0; i < n; i++)
			item[i] = (struct item){ (int)random_below(n_keys), (int)i };
		if (trial % 5 == 0) /* sorted before */
			qsort(item, (size_t)n, sizeof(*item), compare);
		expect_selected(item, n, random_below(n + 1));
		expect_selected(item, n, 0);
		expect_selected(item, n, n);
	}
}

/* The r least of keys that repeat are the first r of all of them, sorted. */
static void test_keep_least(void)
{
	struct order_key all[MOST], heap[MOST];

	for (int trial = 0; trial < 500; trial++) {
		int64_t n = random_below(MOST + 1), r = 1 + random_below(MOST), kept = 0;

		for (int64_t i = 0; i < n; i++) {
			all[i] = (struct order_key){ (uint64_t)random_below(trial % 2 ? 4 : 1000),
						     (uint32_t)random_below(50) };
			order_keep_least(heap, &kept, r, all[i]);
		}
		qsort(all, (size_t)n, sizeof(*all), order_keys);
		qsort(heap, (size_t)kept, sizeof(*heap), order_keys);
		CHECK(kept == (n < r ? n : r), "%" PRId64 " of %" PRId64, kept, n);
		for (int64_t i = 0; i < kept; i++)
			CHECK(heap[i].key == all[i].key && heap[i].id == all[i].id,
			      "%" PRId64 " of %" PRId64, i, kept);
	}
}

static void test_find_above(void)
{
	double sum[MOST];

	for (int trial = 0; trial < 500; trial++) {
		int64_t n = 1 + random_below(trial < 20 ? 3 : MOST), wanted = 0;
		double x, total = 0;

		for (int64_t i = 0; i < n; i++) /* every other step is flat */
			sum[i] = total += random_below(2) ? random_unit() : 0;
		x = trial % 3 ? random_unit() * total : sum[random_below(n)];
		while (wanted < n - 1 && sum[wanted] <= x)
			wanted++;
		CHECK(order_find_above(sum, n, x) == wanted, "%" PRId64 ", not %" PRId64,
		      order_find_above(sum, n, x), wanted);
	}
}

int main(void)
{
	test_select();
	test_keep_least();
	test_find_above();
	return unit_report("order");
}
