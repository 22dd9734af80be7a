/*
 * test_l1.c - features by LIBLINEAR's machines with the 1-norm: how many, at which C
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "random.h"
#include "select/l1.h"
#include "unit.h"

enum { N = 80, D = 25 };

/* N sparse rows, and the class of each by its first features: one of 'n_classes'. */
struct task {
	struct csr x;
	double y[N];
	struct l1_options options;
};

static void make_task(struct task *t, int n_classes)
{
	*t = (struct task){ .options = { .eps = 1e-3, .seed = 1 } };
	random_rows(&t->x, N, D + 1, 0.5);
	for (int64_t i = 0; i < N; i++) {
		double best = -1;

		for (int64_t k = t->x.row_start[i]; k < t->x.row_start[i + 1]; k++)
			if (t->x.col[k] <= n_classes && t->x.val[k] > best) {
				best = t->x.val[k];
				t->y[i] = t->x.col[k];
			}
		if (best < 0)
			t->y[i] = 1 + (double)random_below(n_classes);
	}
}

static int run_l1(void *arg, struct error *err)
{
	struct task *t = arg;
	struct l1_result r;
	struct selection s;

	if (l1_select(&s, &t->x, t->y, &t->options, &r, err) < 0)
		return -1;
	selection_free(&s);
	return 0;
}

/* As many as wanted, the largest first; the same ones, and as many weights, at the C found. */
static void test_sizes(struct task *t)
{
	for (int64_t k = 1; k <= D; k += 3) {
		struct l1_options at = t->options;
		struct selection s, same;
		struct l1_result r, r_same;
		struct error err = { 0 };

		t->options.n_features = k;
		CHECK(l1_select(&s, &t->x, t->y, &t->options, &r, &err) == 0, "%s", err.text);
		CHECK(s.n == k, "%" PRId64 " features, not %" PRId64, s.n, k);
		CHECK(r.n_weights >= s.n && r.n_trainings <= 25,
		      "%" PRId64 " weights, %d trainings", r.n_weights, r.n_trainings);
		for (int64_t i = 1; i < s.n; i++)
			CHECK(s.score[i] <= s.score[i - 1] && s.score[i] > 0 && s.weight[i] == 1,
			      "%g after %g", s.score[i], s.score[i - 1]);
		at.C = r.C;
		CHECK(l1_select(&same, &t->x, t->y, &at, &r_same, &err) == 0, "%s", err.text);
		CHECK(same.n == r.n_weights && r_same.n_trainings == 1, "%" PRId64 ", not %" PRId64,
		      same.n, r.n_weights);
		CHECK(!memcmp(same.feature, s.feature, (size_t)s.n * sizeof(*s.feature)), "others");
		selection_free(&s);
		selection_free(&same);
	}
}

/* w = 0 is optimal up to C_0 = 1 / (|loss'(0)| max_j |sum_i y_i x_ij|), and not beyond. */
static void test_first_cost(struct task *t)
{
	double sum[D + 1] = { 0 }, largest = 0;

	/* as many rows of one class as of the other, so that the constant does not come first */
	for (int64_t i = 0; i < N; i++) {
		double sign = i % 2 ? 1 : -1;

		t->y[i] = sign;

		for (int64_t k = t->x.row_start[i]; k < t->x.row_start[i + 1]; k++)
			sum[t->x.col[k]] += sign * t->x.val[k];
	}
	for (int j = 1; j <= D; j++)
		largest = fmax(largest, fabs(sum[j]));
	for (int loss = 0; l1_loss_names[loss]; loss++)
		for (int above = 0; above < 2; above++) {
			struct l1_options at = t->options;
			struct selection s;
			struct l1_result r;
			struct error err = { 0 };

			at.loss = loss;
			at.eps = 1e-6;
			at.C = (above ? 1.01 : 0.99) / (largest * (loss ? 0.5 : 2));
			CHECK(l1_select(&s, &t->x, t->y, &at, &r, &err) == 0, "%s", err.text);
			CHECK(above ? s.n > 0 : s.n == 0, "%s: %" PRId64 " features at C = %g",
			      l1_loss_names[loss], s.n, at.C);
			selection_free(&s);
		}
}

/* Two rows with features of their own: all four weights come at the same C. */
static void test_together(void)
{
	int64_t start[] = { 0, 2, 4 };
	int32_t col[] = { 1, 5, 2, 9 };
	double val[] = { 1, 1, 1, 1 }, y[] = { 3, -3 };
	const struct csr x = {
		.n_rows = 2, .n_cols = 10, .row_start = start, .col = col, .val = val
	};
	const struct l1_options o = { .n_features = 3, .eps = 1e-3, .seed = 1 };
	struct selection s;
	struct l1_result r;
	struct error err = { 0 };

	CHECK(l1_select(&s, &x, y, &o, &r, &err) == 0, "%s", err.text);
	CHECK(s.n == 3 || (s.n < 3 && r.n_weights == s.n), "%" PRId64 " of %" PRId64, s.n,
	      r.n_weights);
	selection_free(&s);
	val[0] = val[1] = val[2] = val[3] = 0;
	CHECK(l1_select(&s, &x, y, &o, &r, &err) < 0 && err.code == ERR_ARGUMENT && !s.feature,
	      "zeros: %s", err.text);
}

int main(void)
{
	for (int n_classes = 2; n_classes <= 4; n_classes++) {
		struct task t;

		make_task(&t, n_classes);
		test_sizes(&t);
		t.options.loss = LIBLINEAR_LOGISTIC;
		test_sizes(&t);
		t.options.n_features = 5;
		fail_each_allocation("l1", run_l1, &t);
		if (n_classes == 2)
			test_first_cost(&t);
		csr_free(&t.x);
	}
	test_together();
	return unit_report("l1");
}
