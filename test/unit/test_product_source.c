/*
 * test_product_source.c - products of sparse rows, over working sets that change
 *
 * Against plain loops in long double over dense copies of the rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/product_source.h"

#include <math.h>
#include <string.h>

#include "failing.h"
#include "problem/problem.h"
#include "random.h"
#include "unit.h"

enum { N = 150, COLUMNS = 400, EXAMPLES = 90, MOST_WANTED = 4 };

/* Rows, and a problem of some of them in another order. */
static struct {
	struct csr x;
	long double dense[N][COLUMNS];
	struct product_rows rows;
	int64_t row[EXAMPLES];
	struct problem_view view;
} t;

static long double plain_product(int64_t i, int64_t j)
{
	long double sum = 0;

	for (int c = 0; c < COLUMNS; c++)
		sum += t.dense[i][c] * t.dense[j][c];
	return sum;
}

/* Bound on the rounding of a product: one of 2^-53 for each of its terms, and for each sum. */
static double rounding(int64_t i, int64_t j)
{
	return COLUMNS * 0x1p-52 * sqrt(t.rows.norm2[i] * t.rows.norm2[j]);
}

/* Rows of which some are equal, and some empty; examples are every seventh row, from the last on. */
static void set_up(void)
{
	struct error err = { 0 };

	random_rows(&t.x, N / 3, COLUMNS, .03);
	random_rows(&t.x, N / 3, 4, .3);
	random_rows(&t.x, N / 3, COLUMNS, .03);
	for (int64_t i = 0; i < N; i++) {
		const struct csr_row row = csr_row_of(&t.x, i);

		for (int64_t k = 0; k < row.n; k++)
			t.dense[i][row.col[k]] = row.val[k];
	}
	for (int64_t k = 0; k < EXAMPLES; k++)
		t.row[k] = (N - 1 + k * 7) % N;
	CHECK(product_rows_init(&t.rows, &t.x, &err) == 0, "%s", err.text);
	t.view = (struct problem_view){ .n = EXAMPLES, .row = t.row, .x = &t.x };
}

/* A working set: each example with this chance. */
static void choose_members(struct row_members *over, double chance)
{
	over->n = 0;
	for (int64_t k = 0; k < EXAMPLES; k++)
		if (random_unit() < chance) {
			over->example[over->n] = k;
			over->row[over->n++] = t.row[k];
		}
	over->in_place = over->n == EXAMPLES;
}

static double value_of(const struct kernel_rows *r, const void *row, int64_t j)
{
	return r->in_doubles ? ((const double *)row)[j] : (double)((const float *)row)[j];
}

/* Rows over the members from 'first' on are right, and what was before them is as it was. */
static void check_rows(const struct kernel_rows *r, const struct row_members *over, int64_t first)
{
	static _Alignas(64) double memory[MOST_WANTED][EXAMPLES + KERNEL_ROWS_LANES];
	void *out[MOST_WANTED];
	int64_t wanted[MOST_WANTED];
	struct error err = { 0 };

	for (int v = 0; v < MOST_WANTED; v++) {
		wanted[v] = random_below(EXAMPLES);
		out[v] = memory[v];
		memset(memory[v], 0xff, sizeof(memory[v]));
	}
	CHECK(kernel_rows_fetch(r, (struct row_request){ over, first, wanted, MOST_WANTED, out },
				&err) == 0,
	      "%s", err.text);
	for (int v = 0; v < MOST_WANTED; v++) {
		const int64_t i = t.row[wanted[v]];

		CHECK(first == 0 || isnan(value_of(r, out[v], first - 1)), "written before %d",
		      (int)first);
		for (int64_t j = first; j < over->n; j++) {
			const int64_t k = over->row[j];
			const double product = (double)plain_product(i, k);
			const double got = value_of(r, out[v], j);
			const double most =
				rounding(i, k) + (r->in_doubles ? 0 : fabs(product) * 0x1p-24);

			CHECK(fabs(got - product) <= most, "%.17g, not %.17g", got, product);
		}
		for (int64_t j = over->n; j < kernel_rows_padded(over->n); j++)
			CHECK(isfinite(value_of(r, out[v], j)), "padding %d", (int)j);
	}
}

/* Working sets of all sizes, one after the other, with rows over all members and over the last. */
static void test_rows(void)
{
	int64_t example[EXAMPLES], row[EXAMPLES];
	struct row_members over = { .example = example, .row = row };

	for (int rounds = 0; rounds < 2; rounds++) {
		struct product_source source = product_source_of(&t.rows, rounds);
		struct kernel_rows r;
		struct error err = { 0 };

		t.view.source = &source.base;
		CHECK(kernel_rows_init(&r, &t.view, 1, &err) == 0, "%s", err.text);
		CHECK(r.in_doubles == !rounds, "rows are %s", r.in_doubles ? "doubles" : "floats");
		for (int k = 0; k < 20; k++) {
			choose_members(&over, k == 0 ? 1 : random_unit());
			if (over.n > KERNEL_ROWS_LANES)
				check_rows(&r, &over, KERNEL_ROWS_LANES);
			check_rows(&r, &over, 0);
			if (over.n > KERNEL_ROWS_LANES)
				check_rows(&r, &over, KERNEL_ROWS_LANES);
		}
		kernel_rows_free(&r);
	}
}

/* K(i, j) and K(j, i) have the same bits, and equal rows have equal products. */
static void test_symmetry(void)
{
	static _Alignas(64) double memory[EXAMPLES][EXAMPLES + KERNEL_ROWS_LANES];
	const struct product_source source = product_source_of(&t.rows, false);
	int64_t example[EXAMPLES], row[EXAMPLES];
	struct row_members over = { .example = example, .row = row };
	struct kernel_rows r;
	struct error err = { 0 };

	t.view.source = &source.base;
	choose_members(&over, 1);
	CHECK(kernel_rows_init(&r, &t.view, 1, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < EXAMPLES; k++) {
		void *out = memory[k];

		CHECK(kernel_rows_fetch(&r, (struct row_request){ &over, 0, &k, 1, &out }, &err) ==
			      0,
		      "%s", err.text);
		CHECK(memory[k][k] == problem_diagonal(&t.view, k), "diagonal %d", (int)k);
	}
	for (int64_t i = 0; i < EXAMPLES; i++)
		for (int64_t j = 0; j < i; j++)
			CHECK(memory[i][j] == memory[j][i], "%d, %d", (int)i, (int)j);
	kernel_rows_free(&r);
}

/* Sums for rows by number, and for rows one after the other. */
static void test_sums(void)
{
	int64_t vector[40], row[30];
	double coef[40], by_number[30], in_order[30];
	struct product_sums q = { .vector = vector, .coef = coef, .n_vectors = 40, .n = 30 };
	struct error err = { 0 };

	for (int j = 0; j < 40; j++) {
		vector[j] = random_below(N);
		coef[j] = random_between(-2, 2);
	}
	for (int k = 0; k < 30; k++)
		row[k] = 20 + k;
	q.row = row;
	q.value = by_number;
	CHECK(product_rows_sums(&t.rows, &q, &err) == 0, "%s", err.text);
	q.row = NULL;
	q.first = 20;
	q.value = in_order;
	CHECK(product_rows_sums(&t.rows, &q, &err) == 0, "%s", err.text);
	CHECK(memcmp(by_number, in_order, sizeof(in_order)) == 0, "the two differ");
	for (int k = 0; k < 30; k++) {
		long double sum = 0;
		double most = 0;

		for (int j = 0; j < 40; j++) {
			sum += coef[j] * plain_product(vector[j], row[k]);
			most += 40 * fabs(coef[j]) * rounding(vector[j], row[k]);
		}
		CHECK(fabs(by_number[k] - (double)sum) <= most, "%g, not %g", by_number[k],
		      (double)sum);
	}
}

/* Text suits; dense rows do not, nor do rows with fewer columns than there are rows. */
static void test_suits(void)
{
	static const struct {
		int64_t n_rows;
		int32_t n_cols;
		double density;
		bool suits;
	} cases[] = { { 100, 400, .05, true },
		      { 100, 400, .3, false },
		      { 100, 90, .05, false },
		      { 400, 100, .05, false } };

	for (int k = 0; k < 4; k++) {
		struct csr x = { 0 };

		random_rows(&x, cases[k].n_rows, cases[k].n_cols, cases[k].density);
		CHECK(product_rows_suit(&x) == cases[k].suits, "case %d", k);
		csr_free(&x);
	}
}

static int fetch_once(void *arg, struct error *err)
{
	static _Alignas(64) double memory[EXAMPLES + KERNEL_ROWS_LANES];
	const int64_t wanted = 0;
	void *out = memory;
	struct product_rows rows;
	struct product_source source;
	struct problem_view view = t.view;
	struct kernel_rows r;
	int ret;

	if (product_rows_init(&rows, &t.x, err) < 0)
		return -1;
	source = product_source_of(&rows, false);
	view.source = &source.base;
	ret = kernel_rows_init(&r, &view, 1, err);
	if (ret == 0) {
		ret = kernel_rows_fetch(&r, (struct row_request){ arg, 0, &wanted, 1, &out }, err);
		kernel_rows_free(&r);
	}
	product_rows_free(&rows);
	return ret;
}

static void test_memory(void)
{
	int64_t example[EXAMPLES], row[EXAMPLES];
	struct row_members over = { .example = example, .row = row };
	int64_t n;

	choose_members(&over, .5);
	n = fail_each_allocation("product rows", fetch_once, &over);
	CHECK(n >= 6, "%d allocations", (int)n);
}

int main(void)
{
	set_up();
	test_rows();
	test_symmetry();
	test_sums();
	test_suits();
	test_memory();
	product_rows_free(&t.rows);
	csr_free(&t.x);
	return unit_report("product_source");
}
