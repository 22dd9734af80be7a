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
#include "select/rfe_machine.h"
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

/* What is known of the machines: by row of the data and column of x */
struct trained {
	int n;
	double beta[PAIRS][N], w[PAIRS][D + 1];
	int64_t row[PAIRS][N], n_rows[PAIRS];
	const double *next; /* multipliers of the next machine */
};

static int keep(void *arg, const struct problem_view *p, const double *w, double *score,
		struct error *err)
{
	struct trained *t = arg;

	(void)score;
	(void)err;
	memcpy(t->w[t->n], w, sizeof(t->w[t->n]));
	for (int64_t i = 0; i < p->n; i++) {
		t->beta[t->n][p->row[i]] = *t->next++;
		t->row[t->n][i] = p->row[i];
	}
	t->n_rows[t->n++] = p->n;
	return 0;
}

static void train(struct rfe_machines *all, const struct csr *x, struct trained *t)
{
	const struct rfe_step step = { .x = x, .n_features = D };
	const struct rfe_visitor visitor = { keep, t, NULL };
	struct error err = { 0 };

	*t = (struct trained){ .next = all->beta };
	CHECK(rfe_machines_train(all, &step, &visitor, &err) == 0 && t->n == PAIRS, "%s", err.text);
}

/* u of the ball around the rows of a pair, by row of the data */
static void find_centre(const int64_t *row, int64_t n, const struct csr *x, double *u)
{
	const struct ball_options options = { 1e-6, 1 };
	struct ball_centre centre = { 0 };
	struct csr rows = { 0 };
	struct ball ball;
	struct error err = { 0 };
	double sum = 0;

	memset(u, 0, N * sizeof(*u));
	CHECK(csr_gather(&rows, x, row, n, &err) == 0 &&
		      ball_enclose(&ball, &centre, &rows, &options, &err) == 0,
	      "%s", err.text);
	CHECK(centre.n == ball.n_core, "%" PRId64 " rows, not %" PRId64, centre.n, ball.n_core);
	for (int64_t k = 0; k < centre.n; k++) {
		CHECK(centre.weight[k] > 0 && u[row[centre.row[k]]] == 0, "row %" PRId64,
		      centre.row[k]);
		u[row[centre.row[k]]] = centre.weight[k];
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
	double score[D + 1], plain[D] = { 0 }, u[N], total = 0;
	struct trained known;
	struct error err = { 0 };

	init_machines(&all, t);
	CHECK(radius_margin_scores(&bound, &step, score, &err) == 0, "%s", err.text);
	train(&all, &t->data.x, &known);
	CHECK(bound.norm2 > 0, "no weights");
	for (int m = 0; m < PAIRS; m++) {
		find_centre(known.row[m], known.n_rows[m], &t->data.x, u);
		total += plain_bound(t, u, known.beta[m], -1, 1);
		/* a central difference of a parabola is its derivative */
		for (int j = 0; j < D; j++)
			plain[j] += fabs(plain_bound(t, u, known.beta[m], j, 1.5) -
					 plain_bound(t, u, known.beta[m], j, 0.5));
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
	const struct ball_options options = { 1e-8, 1 };
	struct task scaled = *t;
	struct rfe_machines all = { 0 };
	double norm2 = 0, *a = malloc(N * D * sizeof(*a));
	struct trained known;
	struct csr rows = { 0 };
	struct ball ball;
	struct error err = { 0 };

	for (int k = 0; k < N * D; k++)
		a[k] = t->a[k] * (k % D == j ? sqrt(s) : 1);
	scaled.data.x = (struct csr){ 0 };
	full_rows(&scaled.data.x, a, N, D, 1, 1);
	init_machines(&all, &scaled);
	train(&all, &scaled.data.x, &known);
	for (int l = 0; l <= D; l++)
		norm2 += known.w[0][l] * known.w[0][l];
	CHECK(csr_gather(&rows, &scaled.data.x, known.row[0], known.n_rows[0], &err) == 0 &&
		      ball_enclose(&ball, NULL, &rows, &options, &err) == 0,
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
	double score[D + 1], B, h = 1e-3;
	struct error err = { 0 };

	init_machines(&all, &t);
	all.n = 1; /* the first pair alone */
	CHECK(radius_margin_scores(&bound, &step, score, &err) == 0, "%s", err.text);
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
			 by_bound ? &(struct rfe_trainer){ radius_margin_scores, &bound, false } :
				    &(struct rfe_trainer){ rfe_machines_score, &all, true },
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

/* All rows, with the weights 1 to 5. */
struct one_machine {
	struct problem_view problem;
	int64_t row[N];
	double w[D + 1];
};

static struct one_machine all_rows(const struct csr *x)
{
	struct one_machine m = { .problem = { .x = x, .n = N } };

	for (int i = 0; i < N; i++)
		m.row[i] = i;
	for (int l = 0; l <= D; l++)
		m.w[l] = 1 + l % 5;
	return m;
}

/* Values far from 0 lose no more digits than they have. */
static void test_far(void)
{
	struct task t = make_task(2, 10);
	struct radius_margin bound = { .n_threads = 1 };
	double score[2][D + 1] = { { 0 } }, most = 0;
	struct error err = { 0 };

	for (int shifted = 0; shifted < 2; shifted++) {
		struct csr x = { 0 };
		struct one_machine m = all_rows(&x);

		m.problem.row = m.row;
		for (int k = 0; k < N * D; k++)
			t.a[k] += shifted ? 1 << 20 : 10; /* no zeros */
		full_rows(&x, t.a, N, D, 1, 1);
		CHECK(radius_margin_add(&bound, &m.problem, m.w, score[shifted], &err) == 0, "%s",
		      err.text);
		csr_free(&x);
	}
	for (int j = 1; j <= D; j++)
		most = fmax(most, score[0][j]);
	for (int j = 1; j <= D; j++)
		CHECK(fabs(score[0][j] - score[1][j]) <= 1e-6 * most, "%g, not %g", score[1][j],
		      score[0][j]);
	free_task(&t);
}

static int add_once(void *arg, struct error *err)
{
	const struct one_machine *m = arg;
	struct radius_margin bound = { .n_threads = 1 };
	double score[D + 1] = { 0 };

	return radius_margin_add(&bound, &m->problem, m->w, score, err);
}

static int score_once(void *arg, struct error *err)
{
	const struct task *t = arg;
	const struct training training = {
		.type = MACHINE_C_SVC, .kernel = { .type = KERNEL_LINEAR }, .C = 1, .eps = 1e-3
	};
	const struct rfe_step step = { .x = &t->data.x, .n_features = D };
	struct rfe_machines all;
	struct radius_margin bound = { .machines = &all, .n_threads = 1 };
	double score[D + 1];
	int ret = rfe_machines_init(&all, &t->data, &training, err);

	if (ret == 0)
		ret = radius_margin_scores(&bound, &step, score, err);
	rfe_machines_free(&all);
	return ret;
}

static void test_memory(void)
{
	struct task t = make_task(2, 1);
	struct one_machine m = all_rows(&t.data.x);

	m.problem.row = m.row;
	fail_each_allocation("one machine", add_once, &m);
	CHECK(fail_each_allocation("scores", score_once, &t) > 0, "no allocation");
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
