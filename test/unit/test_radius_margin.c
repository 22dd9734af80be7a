/*
 * test_radius_margin.c - the radius-margin bound, and features eliminated by its change
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "geometry/ball.h"
#include "problem/training.h"
#include "select/radius_margin.h"
#include "select/rfe.h"
#include "unit.h"

enum { N = 45, D = 12, CLASSES = 3, PAIRS = 3 };

/* Three classes that overlap or not, as rows and as full numbers; columns 1 .. D of the rows. */
struct task {
	struct dataset data;
	double *a; /* N x D */
	double C;
};

static struct task make_task(double apart, double C)
{
	struct task t = { .a = full_normal(N, D), .C = C };

	t.data.y = malloc(N * sizeof(*t.data.y));
	for (int i = 0; i < N; i++) {
		t.data.y[i] = i % CLASSES;
		for (int j = 0; j < D; j++) {
			t.a[i * D + j] *= 1 + j / 4.0;
			t.a[i * D + j] += j % CLASSES == i % CLASSES ? apart : 0;
			if (random_unit() < 0.3)
				t.a[i * D + j] = 0;
		}
	}
	full_rows(&t.data.x, t.a, N, D, 1, 1);
	t.data.max_index = D;
	return t;
}

static void free_task(struct task *t)
{
	csr_free(&t->data.x);
	free(t->data.y);
	free(t->a);
}

static void init_machines(struct rfe_machines *all, const struct task *t)
{
	const struct training training = { .type = MACHINE_C_SVC,
					   .kernel = { .type = KERNEL_LINEAR },
					   .C = t->C,
					   .eps = 1e-7,
					   .shrinking = 1 };
	struct error err = { 0 };

	CHECK(rfe_machines_init(all, &t->data, &training, &err) == 0, "%s", err.text);
}

/* Multipliers of the three pairs, and their weights by columns of x: [PAIRS][D + 1] */
static void train(struct rfe_machines *all, const struct csr *x, double *beta, double *w)
{
	const struct rfe_step step = { .x = x, .n_features = D };
	double f[PAIRS * N] = { 0 };
	struct error err = { 0 };

	memset(beta, 0, PAIRS * N * sizeof(*beta));
	memset(w, 0, PAIRS * (D + 1) * sizeof(*w));
	CHECK(rfe_machines_train(all, &step, beta, f, &err) == 0, "%s", err.text);
	for (int m = 0; m < PAIRS; m++)
		for (int64_t i = 0; i < N; i++)
			for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
				w[m * (D + 1) + x->col[k]] += beta[m * N + i] * x->val[k];
}

/* u of the ball around the rows of a pair, by row of the data */
static void find_centre(const struct problem_view *p, const struct csr *x, double *u)
{
	const struct ball_options options = { 1e-6, BALL_MAX_PASSES, 1 };
	struct ball_centre centre = { 0 };
	struct csr rows = { 0 };
	struct ball ball;
	struct error err = { 0 };
	double sum = 0;

	memset(u, 0, N * sizeof(*u));
	CHECK(csr_gather(&rows, x, p->row, p->n, &err) == 0 &&
		      ball_enclose_centre(&ball, &centre, &rows, &options, &err) == 0,
	      "%s", err.text);
	CHECK(centre.n == ball.n_core, "%" PRId64 " rows, not %" PRId64, centre.n, ball.n_core);
	for (int64_t k = 0; k < centre.n; k++) {
		CHECK(centre.weight[k] > 0 && u[p->row[centre.row[k]]] == 0, "row %" PRId64,
		      centre.row[k]);
		u[p->row[centre.row[k]]] = centre.weight[k];
		sum += centre.weight[k];
	}
	CHECK(fabs(sum - 1) < 1e-12, "weights sum to %.17g", sum);
	ball_centre_free(&centre);
	csr_free(&rows);
}

/*
 * R^2 |w|^2 with the multipliers held, values of feature j times sqrt(s): R^2 by u, and |w|^2 as
 * 2 |w|^2 - |w(s)|^2, in which the rows keep their slack
 */
static double plain_bound(const struct task *t, const double *u, const double *beta, int j,
			  double s)
{
	double mean2 = 0, radius2 = 0, norm2 = 0;

	for (int l = 0; l < D; l++) {
		double scale2 = l == j ? s : 1, centre = 0, w = 0;

		for (int i = 0; i < N; i++) {
			mean2 += u[i] * scale2 * t->a[i * D + l] * t->a[i * D + l];
			centre += u[i] * t->a[i * D + l];
			w += beta[i] * t->a[i * D + l];
		}
		radius2 -= scale2 * centre * centre;
		norm2 += (2 - scale2) * w * w;
	}
	return (radius2 + mean2) * norm2;
}

static void check_scores(const struct task *t, int n_threads)
{
	struct rfe_machines all = { 0 };
	const struct rfe_step step = { .x = &t->data.x, .n_features = D };
	struct radius_margin bound = { .machines = &all, .n_threads = n_threads };
	double beta[PAIRS * N], w[PAIRS * (D + 1)], score[D + 1], plain[D] = { 0 }, u[N];
	double total = 0;
	struct error err = { 0 };

	init_machines(&all, t);
	train(&all, &t->data.x, beta, w);
	CHECK(radius_margin_scores(&bound, &step, w, score, &err) == 0, "%s", err.text);
	CHECK(bound.norm2 > 0, "no weights");
	for (int m = 0; m < PAIRS; m++) {
		find_centre(&all.machine[m].problem, &t->data.x, u);
		total += plain_bound(t, u, beta + m * N, -1, 1);
		/* a central difference of a parabola is its derivative */
		for (int j = 0; j < D; j++)
			plain[j] += fabs(plain_bound(t, u, beta + m * N, j, 1.5) -
					 plain_bound(t, u, beta + m * N, j, 0.5));
	}
	for (int j = 0; j < D; j++)
		CHECK(fabs(plain[j] - score[j + 1]) <= 1e-12 * total, "feature %d: %g, not %g",
		      j + 1, score[j + 1], plain[j]);
	CHECK(score[0] == 0, "a column without values has %g", score[0]);
	rfe_machines_free(&all);
}

static void test_scores(void)
{
	for (int t = 0; t < 6; t++) {
		struct task task = make_task(t % 3 * 2.0, t < 3 ? 100 : 0.01);

		check_scores(&task, 1 + t % 2);
		free_task(&task);
	}
}

/* R^2 |w|^2 of the first pair, with the machine and the ball of the rows so scaled. */
static double solved_bound(const struct task *t, int j, double s)
{
	const struct ball_options options = { 1e-8, 10 * BALL_MAX_PASSES, 1 };
	struct task scaled = *t;
	struct rfe_machines all = { 0 };
	double beta[PAIRS * N], w[PAIRS * (D + 1)], norm2 = 0, *a = malloc(N * D * sizeof(*a));
	struct csr rows = { 0 };
	struct ball ball;
	struct error err = { 0 };

	for (int k = 0; k < N * D; k++)
		a[k] = t->a[k] * (k % D == j ? sqrt(s) : 1);
	scaled.data.x = (struct csr){ 0 };
	full_rows(&scaled.data.x, a, N, D, 1, 1);
	init_machines(&all, &scaled);
	train(&all, &scaled.data.x, beta, w);
	for (int l = 0; l <= D; l++)
		norm2 += w[l] * w[l];
	CHECK(csr_gather(&rows, &scaled.data.x, all.machine[0].problem.row,
			 all.machine[0].problem.n, &err) == 0 &&
		      ball_enclose(&ball, &rows, &options, &err) == 0,
	      "%s", err.text);
	csr_free(&rows);
	csr_free(&scaled.data.x);
	rfe_machines_free(&all);
	free(a);
	return ball.radius_low * ball.radius_high * norm2;
}

/* Where no row has slack the score is the derivative of the bound itself, everything solved anew. */
static void test_derivative(void)
{
	struct task t = make_task(4, 1e4);
	struct rfe_machines all = { 0 };
	const struct rfe_step step = { .x = &t.data.x, .n_features = D };
	struct radius_margin bound = { .machines = &all, .n_threads = 1 };
	double beta[PAIRS * N], w[PAIRS * (D + 1)], score[D + 1], B, h = 1e-3;
	struct error err = { 0 };

	init_machines(&all, &t);
	train(&all, &t.data.x, beta, w);
	all.n = 1; /* the first pair alone */
	CHECK(radius_margin_scores(&bound, &step, w, score, &err) == 0, "%s", err.text);
	all.n = PAIRS;
	B = solved_bound(&t, -1, 1);
	for (int j = 0; j < D; j++) {
		double slope = (solved_bound(&t, j, 1 + h) - solved_bound(&t, j, 1 - h)) / (2 * h);

		CHECK(fabs(fabs(slope) - score[j + 1]) <= 2e-3 * B, "feature %d: %g, not %g of %g",
		      j + 1, score[j + 1], fabs(slope), B);
	}
	rfe_machines_free(&all);
	free_task(&t);
}

static struct selection select_by(const struct task *t, bool by_bound, int64_t n, int n_threads)
{
	struct rfe_machines all = { 0 };
	struct radius_margin bound = { .machines = &all, .n_threads = n_threads };
	const struct rfe_options o = { .n_features = n, .n_threads = n_threads };
	struct selection s = { 0 };
	struct error err = { 0 };

	init_machines(&all, t);
	CHECK(rfe_select(&s, &t->data.x, &o,
			 &(struct rfe_trainer){ all.n, rfe_machines_train, &all,
						by_bound ? radius_margin_scores : NULL, &bound },
			 &err) == 0,
	      "%s", err.text);
	rfe_machines_free(&all);
	return s;
}

/*
 * Feature 1 tells far rows apart, which are no support vectors, and is 0 in the near ones: its
 * weight is small, so rfe drops it first.  But it makes most of the ball, so it changes the bound
 * most, and rmb keeps it.
 */
static void test_planted(void)
{
	struct task t = make_task(0, 100);
	struct selection by_weight, by_bound;

	for (int i = 0; i < N; i++) {
		double y = i % 2 ? 1 : -1;

		t.data.y[i] = y;
		for (int j = 0; j < D; j++)
			t.a[i * D + j] = 0.01 * (double)((i * (j + 3) + j) % 7 - 3);
		t.a[i * D] = i < 30 ? 20 * y : 0;
		t.a[i * D + 1] = i < 30 ? 4 * y : y;
	}
	csr_free(&t.data.x);
	full_rows(&t.data.x, t.a, N, D, 1, 1);
	by_weight = select_by(&t, false, 2, 1);
	by_bound = select_by(&t, true, 2, 1);
	CHECK(by_weight.feature[0] == 2 && by_weight.feature[1] != 1, "rfe: %d and %d",
	      by_weight.feature[0], by_weight.feature[1]);
	CHECK(by_bound.feature[0] + by_bound.feature[1] == 3, "rmb: %d and %d", by_bound.feature[0],
	      by_bound.feature[1]);
	selection_free(&by_weight);
	selection_free(&by_bound);
	free_task(&t);
}

static void test_threads(void)
{
	struct task t = make_task(1, 1);
	struct selection one = select_by(&t, true, 4, 1), three = select_by(&t, true, 4, 3);

	CHECK(one.n == 4 && three.n == 4 &&
		      !memcmp(one.feature, three.feature, 4 * sizeof(*one.feature)) &&
		      !memcmp(one.score, three.score, 4 * sizeof(*one.score)),
	      "otherwise with three threads");
	for (int k = 1; k < 4; k++)
		CHECK(one.score[k] <= one.score[k - 1], "order");
	selection_free(&one);
	selection_free(&three);
	free_task(&t);
}

/* Values far from 0 lose no more digits than they have. */
static void test_far(void)
{
	struct task t = make_task(2, 10);
	struct rfe_machines all = { 0 };
	struct radius_margin bound = { .machines = &all, .n_threads = 1 };
	double w[PAIRS * (D + 1)], near[D + 1], far[D + 1], most = 0;
	struct error err = { 0 };

	for (int l = 0; l < PAIRS * (D + 1); l++)
		w[l] = 1 + l % 5;
	init_machines(&all, &t);
	for (int shifted = 0; shifted < 2; shifted++) {
		struct csr x = { 0 };
		const struct rfe_step step = { .x = &x, .n_features = D };

		for (int k = 0; k < N * D; k++)
			t.a[k] += shifted ? 1 << 20 : 10; /* no zeros */
		full_rows(&x, t.a, N, D, 1, 1);
		CHECK(radius_margin_scores(&bound, &step, w, shifted ? far : near, &err) == 0, "%s",
		      err.text);
		csr_free(&x);
	}
	for (int j = 1; j <= D; j++)
		most = fmax(most, near[j]);
	for (int j = 1; j <= D; j++)
		CHECK(fabs(near[j] - far[j]) <= 1e-6 * most, "%g, not %g", far[j], near[j]);
	rfe_machines_free(&all);
	free_task(&t);
}

struct failing {
	const struct task *t;
	struct rfe_machines all;
	double w[PAIRS * (D + 1)];
};

static int score_once(void *arg, struct error *err)
{
	struct failing *f = arg;
	struct radius_margin bound = { .machines = &f->all, .n_threads = 1 };
	const struct rfe_step step = { .x = &f->t->data.x, .n_features = D };
	double score[D + 1];

	return radius_margin_scores(&bound, &step, f->w, score, err);
}

static void test_memory(void)
{
	struct task t = make_task(2, 1);
	struct failing f = { .t = &t };
	double beta[PAIRS * N];

	init_machines(&f.all, &t);
	train(&f.all, &t.data.x, beta, f.w);
	fail_each_allocation("scores", score_once, &f);
	memset(f.w, 0, sizeof(f.w));
	CHECK(fail_each_allocation("no weights", score_once, &f) > 0, "no allocation");
	rfe_machines_free(&f.all);
	free_task(&t);
}

int main(void)
{
	test_scores();
	test_derivative();
	test_planted();
	test_threads();
	test_far();
	test_memory();
	return unit_report("radius_margin");
}
