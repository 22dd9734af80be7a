/*
 * test_selector.c - the whole way from a data set to features: rows, spaces, sizes, methods
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "random.h"
#include "select/selector.h"
#include "unit.h"

enum { N = 60, D = 12 };

/* Dense rows; the label is the sign of feature 1 + feature 2, and 3 in every fifth row if 'three'. */
static struct dataset make_data(bool three)
{
	struct dataset d = { .max_index = D };

	d.x.n_rows = N;
	d.x.n_cols = D + 1;
	d.x.row_start = malloc((N + 1) * sizeof(*d.x.row_start));
	d.x.col = malloc(N * D * sizeof(*d.x.col));
	d.x.val = malloc(N * D * sizeof(*d.x.val));
	d.y = malloc(N * sizeof(*d.y));
	for (int64_t i = 0; i <= N; i++)
		d.x.row_start[i] = i * D;
	for (int64_t k = 0; k < N * D; k++) {
		d.x.col[k] = (int32_t)(k % D) + 1;
		d.x.val[k] = random_between(-1, 1);
	}
	for (int64_t i = 0; i < N; i++) {
		double sum = d.x.val[i * D] + d.x.val[i * D + 1];

		d.y[i] = three && i % 5 == 0 ? 3 : sum + random_between(-0.3, 0.3) > 0 ? 1 : -1;
	}
	return d;
}

static struct selector_options some_options(enum select_method method)
{
	return (struct selector_options){ .method = method,
					  .n_features = 4,
					  .C = 1,
					  .eps = 0.001,
					  .p = 0.1,
					  .fraction = 0.1,
					  .sketch_rows = method == SELECT_APPROX_BSS ? 3 : 0,
					  .seed = 1,
					  .n_threads = 1 };
}

/* ---- what an observer is told, in order ---- */

struct told {
	int n;
	enum selector_event event[20];
};

static void note_event(void *arg, enum selector_event event, const struct selector_result *so_far)
{
	struct told *told = arg;

	CHECK(told->n < 20, "%d events", told->n);
	CHECK(event < SELECTOR_CHOSEN || so_far->chosen.n > 0, "nothing chosen");
	told->event[told->n++] = event;
}

static bool was_told(const struct told *told, enum selector_event event)
{
	for (int i = 0; i < told->n; i++)
		if (told->event[i] == event)
			return true;
	return false;
}

static void test_methods(const struct dataset *d, bool unsupervised)
{
	for (int m = 0; select_method_names[m]; m++) {
		struct selector_options o = some_options(m);
		struct told told = { 0 };
		const struct selector_observer observer = { note_event, NULL, NULL, &told };
		struct selector_result r;
		struct error err = { 0 };
		bool all_rows = unsupervised || m == SELECT_T || m == SELECT_F;
		int ret;

		o.unsupervised = unsupervised;
		ret = selector_run(&r, d, &o, &observer, &err);
		if (!CHECK(ret == 0, "%s: %s", select_method_names[m], err.text))
			continue;
		CHECK(r.chosen.n > 0 && r.chosen.n <= (m == SELECT_LPSVM ? D : 4),
		      "%s: %" PRId64 " features", select_method_names[m], r.chosen.n);
		CHECK(all_rows ? !r.row && r.n_rows == N : r.row && r.n_rows < N,
		      "%" PRId64 " rows", r.n_rows);
		for (int64_t i = 1; r.row && i < r.n_rows; i++)
			CHECK(r.row[i] > r.row[i - 1], "rows do not ascend");
		CHECK(was_told(&told, SELECTOR_TRAINED) == !all_rows, "%d", all_rows);
		CHECK(was_told(&told, SELECTOR_ROWS) && told.event[told.n - 1] == SELECTOR_CHOSEN,
		      "the last is %d", told.event[told.n - 1]);
		selector_result_free(&r);
		CHECK(!r.row && !r.chosen.feature && r.n_rows == 0, "not empty");
	}
}

/* ---- the row space, and what it decides ---- */

static void test_spaces(const struct dataset *d)
{
	struct selector_options o = some_options(SELECT_TOP);
	struct selector_result r;
	struct error err = { 0 };

	o.unsupervised = o.whole_space = true;
	o.rank_tol = 0.7;
	CHECK(selector_run(&r, d, &o, NULL, &err) == 0, "%s", err.text);
	CHECK(r.space.rank == D, "the whole space has rank %" PRId64, r.space.rank);
	CHECK(r.rank < D, "rank_tol leaves %" PRId64, r.rank);
	selector_result_free(&r);

	o.n_features = 0;
	o.rank_tol = 0;
	o.epsilon = 8; /* (sqrt(1 + 8) - 1)^2 = 4 */
	CHECK(selector_run(&r, d, &o, NULL, &err) == 0, "%s", err.text);
	CHECK(r.n_wanted == D + 1 && r.chosen.n == D, "%" PRId64 " of %" PRId64, r.chosen.n,
	      r.n_wanted);
	selector_result_free(&r);
}

/* ---- troubles ---- */

static void expect_trouble(const struct dataset *d, const struct selector_options *o,
			   enum selector_trouble trouble, enum error_code code)
{
	struct selector_result r;
	struct error err = { 0 };

	CHECK(selector_run(&r, d, o, NULL, &err) == -1, "done");
	CHECK(r.trouble == trouble && err.code == code, "trouble %d, not %d; code %d: %s",
	      r.trouble, trouble, err.code, err.text);
	CHECK(!r.row && !r.chosen.feature && !r.space.basis, "not empty");
}

static void test_troubles(struct dataset *d)
{
	struct selector_options o = some_options(SELECT_BSS);
	double kept = d->y[7];

	d->y[7] = 0.5;
	expect_trouble(d, &o, SELECTOR_LABELS_NO_CLASSES, ERR_FORMAT);
	d->y[7] = kept;

	o.max_bytes = 1;
	expect_trouble(d, &o, SELECTOR_SPACE_TOO_LARGE, ERR_ARGUMENT);
	o.max_bytes = 0;

	o.method = SELECT_APPROX_BSS;
	o.sketch_rows = 4;
	expect_trouble(d, &o, SELECTOR_SKETCH_TOO_LARGE, ERR_ARGUMENT);

	o.regression = true;
	o.p = 1e5;
	expect_trouble(d, &o, SELECTOR_NO_SUPPORT_VECTORS, ERR_ARGUMENT);
	o.regression = false;

	kept = d->x.val[3];
	d->x.val[3] = NAN;
	expect_trouble(d, &o, SELECTOR_OTHER_TROUBLE, ERR_NUMERIC);
	d->x.val[3] = kept;

	for (int64_t i = 0; i < N; i++)
		d->y[i] = 7;
	expect_trouble(d, &o, SELECTOR_ONE_CLASS, ERR_ARGUMENT);
}

/* Methods refuse parameters that they do not have, and one class if they tell classes apart. */
static void test_refusals(const struct dataset *d)
{
	struct dataset one = *d;

	one.y = (double[N]){ 0 };
	for (int m = 0; select_method_names[m]; m++) {
		const bool regresses = selector_methods[m].takes & SELECTOR_REGRESSION;
		struct selector_options o = some_options(m);

		o.regression = true;
		if (!regresses)
			expect_trouble(d, &o, SELECTOR_OTHER_TROUBLE, ERR_ARGUMENT);
		if (!regresses || m == SELECT_F) {
			o = some_options(m);
			o.unsupervised = true;
			expect_trouble(&one, &o, SELECTOR_OTHER_TROUBLE, ERR_ARGUMENT);
		}
		o = some_options(m);
		o.fraction = 1.5;
		expect_trouble(d, &o, SELECTOR_OTHER_TROUBLE, ERR_ARGUMENT);
		o = some_options(m);
		o.nu = 1;
		expect_trouble(d, &o, SELECTOR_OTHER_TROUBLE, ERR_ARGUMENT);
	}
}

/* ---- memory ---- */

struct task {
	const struct dataset *data;
	struct selector_options options;
};

static int run_task(void *arg, struct error *err)
{
	const struct task *task = arg;
	struct selector_result r;

	if (selector_run(&r, task->data, &task->options, NULL, err) < 0)
		return -1;
	selector_result_free(&r);
	return 0;
}

/* Of few rows: lpsvm's linear programs allocate at each step. */
static void test_memory(const struct dataset *d)
{
	struct dataset few = *d;

	few.x.n_rows = 20;
	for (int m = 0; select_method_names[m]; m++) {
		struct task task = { &few, some_options(m) };
		int64_t n;

		task.options.unsupervised = true;
		n = fail_each_allocation(select_method_names[m], run_task, &task);
		CHECK(n > 0, "%s: %" PRId64 " allocations", select_method_names[m], n);
	}
}

int main(void)
{
	struct dataset two = make_data(false), three = make_data(true);
	struct selector_options o = some_options(SELECT_RFE);
	struct selector_result r;
	struct error err = { 0 };

	test_methods(&two, true);
	test_methods(&two, false);
	CHECK(selector_run(&r, &three, &o, NULL, &err) == 0, "%s", err.text);
	CHECK(r.n_classes == 3 && r.chosen.n == 4, "%d classes", r.n_classes);
	selector_result_free(&r);
	test_spaces(&two);
	test_memory(&two);
	test_refusals(&two);
	test_troubles(&two);
	dataset_free(&two);
	dataset_free(&three);
	return unit_report("selector");
}
