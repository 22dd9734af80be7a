/*
 * test_permutation.c - labels that are exchanged, and how often chance looks like more
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/order.h"
#include "evaluate/permutation_test.h"
#include "failing.h"
#include "random.h"
#include "small_training.h"
#include "unit.h"

enum { N = 24 };

/* ---- labels ---- */

static void permute(double *y, const int64_t *group, int64_t n, unsigned seed)
{
	struct glibc_rand draws;
	struct error err = { 0 };

	glibc_rand_seed(&draws, seed);
	CHECK(labels_permute(y, group, n, &draws, &err) == 0, "%s", err.text);
}

/* All orders of four labels are as likely. */
static void test_orders(void)
{
	enum { N_RUNS = 4800 };
	int64_t count[256] = { 0 }, n_orders = 0;
	double squares = 0;

	for (unsigned run = 0; run < N_RUNS; run++) {
		double y[4] = { 0, 1, 2, 3 };

		permute(y, NULL, 4, run + 1);
		count[(int)(64 * y[0] + 16 * y[1] + 4 * y[2] + y[3])]++;
	}
	for (int k = 0; k < 256; k++) {
		n_orders += count[k] > 0;
		if (count[k] > 0)
			squares += pow((double)count[k] - N_RUNS / 24., 2) / (N_RUNS / 24.);
	}
	/* chi squared of 23 degrees of freedom: 53 is one of 3000 */
	CHECK(n_orders == 24 && squares < 53, "%d orders, chi squared %g", (int)n_orders, squares);
}

/* Within groups, each of which has the labels that it had; where a group has several. */
static void test_within_groups(void)
{
	int64_t group[N], n_moved = 0;
	double before[N], y[N];

	for (int i = 0; i < N; i++) {
		group[i] = i * 7 % 5;
		before[i] = y[i] = 100 * (double)group[i] + i % 2;
	}
	permute(y, group, N, 3);
	for (int64_t g = 0; g < 5; g++) {
		double sum = 0;

		for (int i = 0; i < N; i++)
			sum += group[i] == g ? y[i] - before[i] : 0;
		CHECK(sum == 0, "group %d has other labels", (int)g);
	}
	for (int i = 0; i < N; i++) {
		CHECK(floor(y[i] / 100) == (double)group[i], "row %d has another group's label", i);
		n_moved += y[i] != before[i];
	}
	CHECK(n_moved > 0, "no label has moved");
}

/* Groups of one label each exchange these: each group has one label, and labels as many groups. */
static void test_whole_groups(void)
{
	int64_t group[N];
	double y[N], of_group[6], sorted[6];
	bool moved = false;

	for (int i = 0; i < N; i++) {
		group[i] = i % 6;
		y[i] = (double)group[i];
	}
	permute(y, group, N, 5);
	for (int i = 0; i < N; i++) {
		if (i < 6)
			of_group[i] = sorted[i] = y[i];
		CHECK(y[i] == of_group[i % 6], "row %d differs from its group", i);
		moved |= y[i] != (double)group[i];
	}
	qsort(sorted, 6, sizeof(*sorted), order_doubles);
	for (int g = 0; g < 6; g++)
		CHECK(sorted[g] == g, "label %d is gone", g);
	CHECK(moved, "no group has another label");
}

/* Of groups of which one has two labels, that one exchanges its own, and the others theirs. */
static void test_one_mixed_group(void)
{
	int64_t group[N], n_others = 0, n_within = 0;

	for (unsigned seed = 1; seed <= 40; seed++) {
		double y[N], sum = 0;

		for (int i = 0; i < N; i++) {
			group[i] = i % 6;
			y[i] = i % 6 == 0 ? i / 6 == 0 : 10 * (i % 6);
		}
		permute(y, group, N, seed);
		for (int i = 0; i < N; i++) {
			CHECK(y[i] == y[i % 6] || i % 6 == 0, "row %d differs from its group", i);
			sum += i % 6 == 0 ? y[i] : 0;
		}
		CHECK(sum == 1, "the mixed group has other labels");
		n_within += y[0] == 0;
		n_others += y[1] != 10;
	}
	CHECK(n_within > 15 && n_others > 15, "too few labels have moved");
}

/* ---- validations ---- */

/* Where targets are noise, each of the ranks that p can have is as likely. */
static void test_chance(void)
{
	enum { N_RUNS = 300, N_DRAWS = 9 };
	int64_t count[N_DRAWS + 1] = { 0 };
	double squares = 0, y[N];

	for (int run = 0; run < N_RUNS; run++) {
		struct dataset data = { 0 };
		struct machine_given given = { .training = small_training(false, 1e-3),
					       .options = { .seed = 1, .n_threads = 1 },
					       .cache_mb = 10 };
		struct machine m;
		struct metrics found = { 0 };
		double predicted[N];
		struct cv_predictions c = { .predicted = predicted };
		struct error err = { 0 };
		int64_t n_as_good = 0;

		small_dataset(&data, y, 0, N, 1);
		for (int i = 0; i < N; i++)
			y[i] = random_normal();
		given.options.seed = (uint64_t)run + 1;
		CHECK(machine_init(&m, &data, &given, &err) == 0 &&
			      machine_validate(&m, 3, NULL, NULL, &c, &err) == 0,
		      "%s", err.text);
		for (int i = 0; i < N; i++)
			metrics_add(&found, predicted[i], y[i], 1);
		for (int64_t draw = 0; draw < N_DRAWS; draw++) {
			struct metrics drawn = { 0 };

			CHECK(validation_permuted(&m, 3, draw, &drawn, &err) == 0, "%s", err.text);
			CHECK(drawn.n == N && fabs(drawn.t.squares - found.t.squares) < 1e-9,
			      "draw %d has other targets", (int)draw);
			n_as_good += metrics_mse(&drawn) <= metrics_mse(&found);
		}
		count[n_as_good]++;
		machine_free(&m);
		data.y = NULL;
		dataset_free(&data);
	}
	for (int k = 0; k <= N_DRAWS; k++)
		squares += pow((double)count[k] - N_RUNS / 10., 2) / (N_RUNS / 10.);
	/* chi squared of 9 degrees of freedom: 29 is one of 1500 */
	CHECK(squares < 29, "chi squared %g", squares);
}

/* One draw of a validation by classes; all its memory is given back where some is missing. */
static int run_draw(void *data, struct error *err)
{
	struct machine_given given = { .training = small_training(true, 1e-3),
				       .options = { .seed = 1, .n_threads = 1 },
				       .cache_mb = 10 };
	struct machine m;
	struct metrics sums = { 0 };
	int ret = machine_init(&m, data, &given, err);

	if (ret == 0)
		ret = validation_permuted(&m, 3, 1, &sums, err);
	machine_free(&m);
	return ret;
}

static void test_memory(void)
{
	struct dataset data = { 0 };
	double y[N], before[N];

	small_dataset(&data, y, 2, N, 1);
	memcpy(before, y, sizeof(y));
	CHECK(fail_each_allocation("permutation", run_draw, &data) > 5, "too few allocations");
	CHECK(memcmp(before, y, sizeof(y)) == 0, "the caller's labels have moved");
	data.y = NULL;
	dataset_free(&data);
}

int main(void)
{
	test_orders();
	test_within_groups();
	test_whole_groups();
	test_one_mixed_group();
	test_chance();
	test_memory();
	return unit_report("permutation");
}
