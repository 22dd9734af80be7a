/*
 * test_scaling.c - ranges found in parts, their files, scaled rows, and rows of length 1
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "project/scaling.h"
#include "random.h"
#include "unit.h"

enum { N = 50, D = 40 };

/* Sparse rows: feature j * j is in about half of them, features 0 and 25 have the same value. */
static struct row_batch make_rows(void)
{
	struct row_batch rows = { 0 };
	struct error err = { 0 };

	CHECK(row_batch_reserve(&rows, N, N * D, false, &err) == 0, "%s", err.text);
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < D; j++) {
			bool constant = j == 0 || j == 5;

			if (!constant && random_unit() < 0.5)
				continue;
			rows.index[rows.n_entries] = j * j;
			rows.value[rows.n_entries++] = constant	  ? 0.3 :
						       j % 3 == 0 ? i :
								    random_between(-5, 20);
		}
		rows.label[rows.n_rows++] = random_between(100, 200);
		rows.row_start[rows.n_rows] = rows.n_entries;
	}
	return rows;
}

/* Rows first .. last - 1 of a batch as one of its own; borrowed. */
static struct row_batch part_of(struct row_batch *rows, int64_t *start, int first, int last)
{
	struct row_batch part = { .n_rows = last - first,
				  .n_entries = rows->row_start[last] - rows->row_start[first],
				  .label = rows->label + first,
				  .row_start = start,
				  .index = rows->index + rows->row_start[first],
				  .value = rows->value + rows->row_start[first] };

	for (int i = first; i <= last; i++)
		start[i - first] = rows->row_start[i] - rows->row_start[first];
	return part;
}

/* The scaling of rows that n_parts threads have seen, ten rows at a time, in steps of 'step' */
static int scaling_of_parts(struct scaling *s, struct row_batch *rows, int n_parts, int step,
			    struct error *err)
{
	const struct scaling_options options = { -1, 1, true, 0, 3 };
	struct scaling_ranges ranges[3] = { 0 };
	int64_t start[N + 1];
	int ret = 0;

	*s = (struct scaling){ 0 };
	for (int t = 0; t < N / 10 && ret == 0; t++) {
		int turn = t * step % (N / 10);
		struct row_batch part = part_of(rows, start, turn * 10, turn * 10 + 10);

		ret = scaling_ranges_add(&ranges[t % n_parts], &part, true, err);
	}
	if (ret == 0)
		ret = scaling_init(s, &options, ranges, n_parts, err);
	for (int i = 0; i < 3; i++)
		scaling_ranges_free(&ranges[i]);
	return ret;
}

static void check_equal(const struct scaling *a, const struct scaling *b)
{
	CHECK(a->n == b->n && a->n_filled == b->n_filled, "another number of features");
	for (int64_t p = 0; p < a->n && p < b->n; p++)
		CHECK(a->range[p].feature == b->range[p].feature &&
			      a->range[p].least == b->range[p].least &&
			      a->range[p].most == b->range[p].most,
		      "another range of feature %d", a->range[p].feature);
	CHECK(a->target_least == b->target_least && a->target_most == b->target_most,
	      "other targets");
	CHECK(a->options.low == b->options.low && a->options.high == b->options.high &&
		      a->options.targets == b->options.targets &&
		      a->options.target_low == b->options.target_low &&
		      a->options.target_high == b->options.target_high,
	      "other options");
}

/* Ranges do not depend on who has seen which rows. */
static void test_parts(struct row_batch *rows)
{
	struct scaling whole, parts;
	struct error err = { 0 };

	CHECK(scaling_of_parts(&whole, rows, 1, 1, &err) == 0, "%s", err.text);
	CHECK(whole.n == D - 2, "%d features", (int)whole.n);
	for (int n = 2; n <= 3; n++)
		for (int step = 1; step < N / 10; step++) {
			CHECK(scaling_of_parts(&parts, rows, n, step, &err) == 0, "%s", err.text);
			check_equal(&whole, &parts);
			scaling_free(&parts);
		}
	scaling_free(&whole);
}

/* The value of a feature in a row; 0 if it is not there */
static double value_of(const struct row_batch *rows, int64_t i, int32_t feature)
{
	for (int64_t k = rows->row_start[i]; k < rows->row_start[i + 1]; k++)
		if (rows->index[k] == feature)
			return rows->value[k];
	return 0;
}

/* Every value, of zeros too, is that of the formula; indices ascend; constants are not there. */
static void test_values(struct row_batch *rows)
{
	struct scaling s;
	struct row_batch out = { 0 };
	struct scaling_unknown unknown = { 0 };
	struct error err = { 0 };

	CHECK(scaling_of_parts(&s, rows, 2, 1, &err) == 0, "%s", err.text);
	CHECK(scaling_apply(&s, (struct row_range){ rows, 0, N }, &out, &unknown, &err) == 0, "%s",
	      err.text);
	CHECK(unknown.n == 2 * N && unknown.first == 0, "%d unknown, the first is %d",
	      (int)unknown.n, unknown.first);
	for (int64_t i = 0; i < N; i++) {
		double y = 3 * (rows->label[i] - s.target_least) / (s.target_most - s.target_least);

		CHECK(fabs(out.label[i] - y) < 1e-14, "label %g, not %g", out.label[i], y);
		for (int64_t k = out.row_start[i] + 1; k < out.row_start[i + 1]; k++)
			CHECK(out.index[k] > out.index[k - 1], "indices do not ascend");
		for (int64_t p = 0; p < s.n; p++) {
			double x = value_of(rows, i, s.range[p].feature);
			double is = value_of(&out, i, s.range[p].feature);
			double wanted = -1 + 2 * (x - s.range[p].least) /
						     (s.range[p].most - s.range[p].least);

			CHECK(fabs(is - wanted) < 1e-15 && fabs(is) <= 1, "%.17g, not %.17g", is,
			      wanted);
		}
		CHECK(value_of(&out, i, 0) == 0 && value_of(&out, i, 25) == 0, "a constant");
	}
	row_batch_free(&out);
	scaling_free(&s);
}

/* A file has all bits of the ranges. */
static void test_file(struct row_batch *rows)
{
	struct scaling s, again;
	struct output *output;
	struct error err = { 0 };

	CHECK(scaling_of_parts(&s, rows, 1, 1, &err) == 0, "%s", err.text);
	CHECK(output_open(&output, "range", false, &err) == 0 &&
		      scaling_save(&s, output, &err) == 0 && output_commit(output, &err) == 0,
	      "%s", err.text);
	CHECK(input_load(scaling_read, &again, "range", &err) == 0, "%s", err.text);
	check_equal(&s, &again);
	scaling_free(&again);
	scaling_free(&s);
	CHECK(input_load(scaling_read, &again, "nosuch", &err) < 0 && err.code == ERR_IO, "%s",
	      err.text);
}

static int find_again(void *arg, struct error *err)
{
	struct row_batch *rows = arg, out = { 0 };
	struct scaling_unknown unknown = { 0 };
	struct scaling s;
	int ret = scaling_of_parts(&s, rows, 3, 1, err);

	if (ret == 0)
		ret = scaling_apply(&s, (struct row_range){ rows, 0, N }, &out, &unknown, err);
	row_batch_free(&out);
	scaling_free(&s);
	return ret;
}

static int load_again(void *arg, struct error *err)
{
	struct scaling s;
	int ret = input_load(scaling_read, &s, arg, err);

	scaling_free(&s);
	return ret;
}

static int normalise_again(void *arg, struct error *err)
{
	struct row_batch *rows = arg, out = { 0 };
	int ret = normalise_rows((struct row_range){ rows, 0, N }, &out, err);

	row_batch_free(&out);
	return ret;
}

/* Length 1, the same direction, and the same labels, also of a part of the rows */
static void test_normalise(struct row_batch *rows)
{
	struct row_batch out = { 0 };
	struct error err = { 0 };

	CHECK(normalise_rows((struct row_range){ rows, 7, N - 9 }, &out, &err) == 0, "%s",
	      err.text);
	CHECK(out.n_rows == N - 9, "%d rows", (int)out.n_rows);
	for (int64_t i = 0; i < out.n_rows; i++) {
		long double in_squares = 0, squares = 0;

		CHECK(out.label[i] == rows->label[i + 7], "another label");
		for (int j = 0; j < D; j++) {
			long double x = value_of(rows, i + 7, j * j);

			in_squares += x * x;
		}
		for (int j = 0; j < D; j++) {
			double x = value_of(&out, i, j * j);
			long double wanted = value_of(rows, i + 7, j * j) / sqrtl(in_squares);

			squares += x * x;
			CHECK(fabsl(x - wanted) < 1e-15L, "%.17g, not %.17Lg", x, wanted);
		}
		CHECK(fabsl(squares - 1) < 1e-14L, "length^2 %.17Lg", squares);
	}
	row_batch_free(&out);
}

int main(void)
{
	struct row_batch rows = make_rows();

	test_parts(&rows);
	test_values(&rows);
	test_file(&rows);
	test_normalise(&rows);
	fail_each_allocation("scaling_init, scaling_apply", find_again, &rows);
	fail_each_allocation("scaling_load", load_again, "range");
	fail_each_allocation("normalise_rows", normalise_again, &rows);
	row_batch_free(&rows);
	return unit_report("scaling");
}
