/*
 * test_rfe.c - recursive elimination: its bookkeeping, its machine, the published table
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csr_check.h"
#include "failing.h"
#include "full.h"
#include "matrix/gram.h"
#include "matrix/synthetic.h"
#include "select/rfe.h"
#include "select/rfe_machine.h"
#include "select/rrqr.h"
#include "smo/smo.h"
#include "train/exact.h"
#include "unit.h"

/* ---- A trainer that knows its multipliers, and looks at what it is given ---- */

struct watcher {
	int64_t n;
	int n_machines;
	const double *beta; /* what it answers */
	int64_t seen[200];  /* features left in each step */
	int n_steps;
	bool wants_gram;
	double worst; /* relative error of products */
};

static void look_at_gram(struct watcher *t, const struct rfe_step *step)
{
	double *full = full_of_rows(step->x);
	double *ft = full_transposed(full, t->n, step->x->n_cols);
	double *g = full_product(full, ft, t->n, step->x->n_cols, t->n), size = 0;

	for (int64_t i = 0; i < t->n; i++)
		size = fmax(size, g[i * t->n + i]);
	CHECK((step->gram != NULL) == t->wants_gram, "products or not");
	if (step->gram)
		t->worst = fmax(t->worst, full_difference(g, step->gram, t->n * t->n) / size);
	free(full);
	free(ft);
	free(g);
}

/* sum_m w_mj^2 of the known multipliers */
static void score_columns(const struct watcher *t, const struct csr *rows, double *score)
{
	double *x = full_of_rows(rows);
	int64_t d = rows->n_cols;

	memset(score, 0, (size_t)d * sizeof(*score));
	for (int m = 0; m < t->n_machines; m++) {
		double *w = full_product(t->beta + m * t->n, x, 1, t->n, d);

		for (int64_t j = 0; j < d; j++)
			score[j] += w[j] * w[j];
		free(w);
	}
	free(x);
}

static int watch(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	struct watcher *t = arg;
	char *used = calloc((size_t)step->x->n_cols + 1, 1);
	int64_t n_used = 0;

	for (int64_t k = 0; k < csr_n_entries(step->x); k++)
		if (!used[step->x->col[k]]++)
			n_used++;
	free(used);
	CHECK(csr_check(step->x, err) == 0, "%s", err->text);
	CHECK(n_used == step->n_features, "%" PRId64 " features, not %" PRId64, n_used,
	      step->n_features);
	look_at_gram(t, step);
	t->seen[t->n_steps++] = step->n_features;
	score_columns(t, step->x, score);
	return 0;
}

static struct selection run_watched(struct watcher *t, const struct csr *x,
				    const struct rfe_options *o)
{
	struct rfe_trainer trainer = { watch, t, true };
	struct selection s = { 0 };
	struct error err = { 0 };

	t->wants_gram = o->max_gram_bytes >= 0;
	CHECK(rfe_select(&s, x, o, &trainer, &err) == 0, "%s", err.text);
	return s;
}

/* The rule in words: sort by score, larger indices of equals first, drop the first m. */
static int64_t plain_rfe(const double *score, int64_t d, int64_t r, double fraction, bool *left,
			 int64_t *seen)
{
	int64_t n_left = d, n_steps = 0;

	for (int64_t j = 0; j < d; j++)
		left[j] = true;
	while (n_left > r) {
		int64_t m = (int64_t)floor(fraction * (double)n_left);

		m = m < 1 ? 1 : m;
		m = m < n_left - r ? m : n_left - r;
		seen[n_steps++] = n_left;
		for (; m > 0; m--, n_left--) {
			int64_t worst = -1;

			for (int64_t j = 0; j < d; j++)
				if (left[j] && (worst < 0 || score[j] <= score[worst]))
					worst = j;
			left[worst] = false;
		}
	}
	return n_steps;
}

static void check_rule(const struct csr *x, int64_t d, struct watcher *t, struct rfe_options o,
		       const char *what)
{
	double *full = full_of_rows(x), *score = full_zeros(d, 1);
	bool *left = calloc((size_t)d, sizeof(*left));
	int64_t seen[200], n_steps, n_left = 0;
	struct selection s;

	for (int m = 0; m < t->n_machines; m++)
		for (int64_t j = 0; j < d; j++) {
			double w = 0;

			for (int64_t i = 0; i < t->n; i++)
				w += t->beta[m * t->n + i] * full[i * x->n_cols + j + 1];
			score[j] += w * w;
		}
	n_steps = plain_rfe(score, d, o.n_features, o.fraction, left, seen);
	t->n_steps = 0;
	t->worst = 0;
	s = run_watched(t, x, &o);
	CHECK(t->n_steps == n_steps && !memcmp(t->seen, seen, (size_t)n_steps * sizeof(*seen)),
	      "%s: %d steps, not %" PRId64, what, t->n_steps, n_steps);
	CHECK(t->worst <= 1e-12, "%s: products are off by %g", what, t->worst);
	for (int64_t j = 0; j < d; j++)
		n_left += left[j];
	CHECK(s.n == n_left, "%s: %" PRId64 " features, not %" PRId64, what, s.n, n_left);
	for (int64_t k = 0; k < s.n; k++) {
		CHECK(left[s.feature[k] - 1], "%s: feature %d", what, s.feature[k]);
		CHECK(s.score[k] == sqrt(score[s.feature[k] - 1]), "%s: score %.17g, not %.17g",
		      what, s.score[k], sqrt(score[s.feature[k] - 1]));
		CHECK(k == 0 || s.score[k] < s.score[k - 1] ||
			      (s.score[k] == s.score[k - 1] && s.feature[k] > s.feature[k - 1]),
		      "%s: order", what);
	}
	selection_free(&s);
	free(full);
	free(score);
	free(left);
}

/* Whole numbers, so that there are ties and sums are exact; text-like and full columns. */
static void test_rule(void)
{
	const double fraction[] = { 0, 0.1, 0.5, 1 };

	for (int t = 0; t < 8; t++) {
		int64_t n = 30, d = 70;
		double *a = full_normal(n, d), *beta = full_zeros(2 * n, 1);
		struct watcher watcher = { .n = n, .n_machines = 1 + t % 2, .beta = beta };
		struct rfe_options o = { .n_features = 9,
					 .fraction = fraction[t / 2],
					 .n_threads = 1 + t % 2 };
		struct csr x = { 0 };
		char what[40];

		for (int64_t k = 0; k < n * d; k++)
			a[k] = random_unit() < (k % d < 20 ? 0.9 : 0.1) ? rint(2 * a[k]) : 0;
		for (int64_t j = 0; j < d; j++)
			a[j] = 1;
		for (int64_t i = 0; i < 2 * n; i++)
			beta[i] = i % 3 ? (double)random_below(5) - 2 : 0;
		full_rows(&x, a, n, d, 1, 1);
		snprintf(what, sizeof(what), "fraction %g", o.fraction);
		check_rule(&x, d, &watcher, o, what);
		o.max_gram_bytes = -1;
		check_rule(&x, d, &watcher, o, what);
		csr_free(&x);
		free(a);
		free(beta);
	}
}

/* Large columns of little weight go first; the products left must not have lost their digits. */
static void test_digits(void)
{
	int64_t n = 20, d = 60;
	double *a = full_normal(n, d), *beta = full_zeros(n, 1);
	struct watcher watcher = { .n = n, .n_machines = 1, .beta = beta };
	struct rfe_options o = { .n_features = 5, .fraction = 0.1, .n_threads = 1 };
	struct csr x = { 0 };
	struct selection s;

	beta[0] = 1;
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < d; j++)
			a[i * d + j] *= i == 0 ? pow(10, (double)j / -30) : pow(10, (double)j / 8);
	full_rows(&x, a, n, d, 1, 1);
	s = run_watched(&watcher, &x, &o);
	CHECK(watcher.worst <= 1e-10, "products are off by %g", watcher.worst);
	CHECK(s.n == 5, "%" PRId64 " features", s.n);
	selection_free(&s);
	csr_free(&x);
	free(a);
	free(beta);
}

/* ---- The machine ---- */

struct task {
	struct dataset data; /* of classes 1 and -1 */
	struct training training;
	int n_threads;
};

static struct training linear_training(double c)
{
	return (struct training){
		.type = MACHINE_C_SVC, .kernel = { .type = KERNEL_LINEAR }, .C = c, .eps = 1e-3
	};
}

static struct task make_task(int64_t n, int64_t d, double density, double c)
{
	struct task t = { .data = { .y = full_zeros(n, 1) },
			  .training = linear_training(c),
			  .n_threads = 1 };
	double *a = full_normal(n, d);

	for (int64_t i = 0; i < n; i++) {
		t.data.y[i] = i % 2 ? 1 : -1;
		for (int64_t j = 0; j < d; j++) {
			a[i * d + j] += j < 8 ? t.data.y[i] * (1 + (double)j / 8) / 2 : 0;
			if (random_unit() > density)
				a[i * d + j] = 0;
		}
	}
	full_rows(&t.data.x, a, n, d, 1, 1);
	free(a);
	return t;
}

static void free_task(struct task *t)
{
	csr_free(&t->data.x);
	free(t->data.y);
}

static int run_task(struct task *t, const struct rfe_options *o, struct selection *s,
		    struct error *err)
{
	struct rfe_machines all = { 0 };
	struct rfe_trainer trainer = { rfe_machines_score, &all, true };
	int ret = rfe_machines_init(&all, &t->data, &t->training, err);

	*s = (struct selection){ 0 };
	all.n_threads = t->n_threads;
	if (ret == 0)
		ret = rfe_select(s, &t->data.x, o, &trainer, err);
	rfe_machines_free(&all);
	return ret;
}

/* Trains, and proves that the KKT conditions hold to within eps on the rows as they are. */
struct proving {
	struct rfe_machines all;
	const struct csr *x; /* of the step */
	bool with_gram;
};

/* Of the machine just trained, whose multipliers are the only ones. */
static int prove_machine(void *arg, const struct problem_view *p, const double *w, double *score,
			 struct error *err)
{
	struct proving *t = arg;
	const double *beta = t->all.beta, eps = t->all.training.eps;
	double up = -INFINITY, down = INFINITY, sum = 0, *x = full_of_rows(t->x);
	double *plain = full_zeros(t->x->n_cols, 1);

	(void)score, (void)err;
	for (int64_t i = 0; i < p->n; i++)
		for (int64_t j = 0; j < t->x->n_cols; j++)
			plain[j] += beta[i] * x[p->row[i] * t->x->n_cols + j];
	CHECK(full_difference(plain, w, t->x->n_cols) <= 1e-12, "weights are not those of beta");
	for (int64_t i = 0; i < p->n; i++) {
		double slope = p->target[i] - csr_row_dot(t->x, p->row[i], plain);

		CHECK(beta[i] <= problem_upper(p, i) && beta[i] >= problem_lower(p, i), "beta %g",
		      beta[i]);
		up = fmax(up, beta[i] < problem_upper(p, i) ? slope : -INFINITY);
		down = fmin(down, beta[i] > problem_lower(p, i) ? slope : INFINITY);
		sum += beta[i];
	}
	CHECK(up - down <= 1.01 * eps, "violation %g", up - down);
	CHECK(fabs(sum) <= 1e-12, "sum of beta %g", sum);
	free(x);
	free(plain);
	return 0;
}

static int prove(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	struct proving *t = arg;
	const struct rfe_visitor visitor = { prove_machine, t, NULL };

	CHECK((step->gram != NULL) == t->with_gram, "products or not");
	t->x = step->x;
	/* the first trains, the second has nothing left to do */
	if (rfe_machines_score(&t->all, step, score, err) < 0)
		return -1;
	return rfe_machines_train(&t->all, step, &visitor, err);
}

static void test_machine(void)
{
	const double c[] = { 0.02, 1, 50 };

	for (int t = 0; t < 6; t++) {
		struct task task = make_task(60, 200, t % 2 ? 1 : 0.2, c[t / 2]);
		struct selection by[2];

		task.training.eps = 1e-4;
		for (int with_gram = 0; with_gram < 2; with_gram++) {
			struct proving proving = { .with_gram = with_gram };
			struct rfe_trainer trainer = { prove, &proving, true };
			struct rfe_options o = { .n_features = 20,
						 .fraction = 0.1,
						 .max_gram_bytes = with_gram ? 0 : -1,
						 .n_threads = 1 };
			struct error err = { 0 };

			CHECK(rfe_machines_init(&proving.all, &task.data, &task.training, &err) ==
					      0 &&
				      rfe_select(&by[with_gram], &task.data.x, &o, &trainer,
						 &err) == 0,
			      "%s", err.text);
			CHECK(proving.all.n_iterations > 0, "no iterations");
			rfe_machines_free(&proving.all);
		}
		for (int64_t k = 0; k < 10; k++)
			CHECK(by[0].feature[k] == by[1].feature[k] &&
				      fabs(by[0].score[k] - by[1].score[k]) <=
					      1e-2 * by[0].score[0],
			      "C %g: %d of weight %g, %d of weight %g", c[t / 2], by[0].feature[k],
			      by[0].score[k], by[1].feature[k], by[1].score[k]);
		selection_free(&by[0]);
		selection_free(&by[1]);
		free_task(&task);
	}
}

/* Three classes, one machine for each pair: the informative features stay. */
static void test_pairs(void)
{
	int64_t n = 90, d = 300;
	double *a = full_normal(n, d);
	struct task t = { .data = { .y = full_zeros(n, 1) },
			  .training = linear_training(1),
			  .n_threads = 1 };
	struct rfe_options o = { .n_features = 6, .fraction = 0.1, .n_threads = 1 };
	struct selection s;
	struct error err = { 0 };

	for (int64_t i = 0; i < n; i++) {
		t.data.y[i] = (double)(i % 3);
		for (int64_t j = 0; j < 6; j++)
			a[i * d + j] += j / 2 == i % 3 ? 4 : 0;
	}
	full_rows(&t.data.x, a, n, d, 1, 1);
	CHECK(run_task(&t, &o, &s, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < s.n; k++)
		CHECK(s.feature[k] <= 6, "feature %d", s.feature[k]);
	selection_free(&s);
	free_task(&t);
	free(a);
}

/* ---- Table 1 of Paul, Magdon-Ismail, Drineas 2015, for RFE and RRQR ---- */

#define TABLE_N 200
#define TABLE_D 1000

/* Rows with beta != 0 of the machine trained on the rows of a list. */
static int64_t support_vectors(const struct csr *x, const double *y, const int64_t *list, int64_t n,
			       int64_t *sv)
{
	struct solver solver = smo_solver(100, 1);
	struct randsvm_options o = { .mode = WORKING_SET_EXACT, .eps = 1e-3, .n_threads = 1 };
	double target[TABLE_N], beta[TABLE_N], f[TABLE_N];
	struct problem_view p = { .type = MACHINE_C_SVC,
				  .kernel = { .type = KERNEL_LINEAR },
				  .x = x,
				  .row = list,
				  .target = target,
				  .n = n,
				  .c_plus = 1,
				  .c_minus = 1 };
	struct randsvm_task task = {
		.p = &p, .solver = &solver, .options = &o, .x = { .beta = beta, .f = f }
	};
	struct error err = { 0 };
	int64_t n_sv = 0;

	for (int64_t i = 0; i < n; i++)
		target[i] = y[list[i]];
	CHECK(exact_solve_linear(&task, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < n; i++)
		if (beta[i] != 0)
			sv[n_sv++] = list[i];
	return n_sv;
}

static void count_features(const struct csr *x, const double *y, const int64_t *sv, int64_t n,
			   int64_t r, int count[2][TABLE_D + 1])
{
	double target[TABLE_N];
	struct task t = { .data = { .y = target }, .training = linear_training(1), .n_threads = 1 };
	struct rfe_options rfe = { .n_features = r, .fraction = 0.1, .n_threads = 1 };
	struct rrqr_options rrqr = { .n_features = r, .beyond = RRQR_LAPACK, .n_threads = 1 };
	struct csr *part = &t.data.x;
	struct selection s[2] = { { 0 } };
	struct error err = { 0 };

	for (int64_t i = 0; i < n; i++)
		target[i] = y[sv[i]];
	CHECK(csr_gather(part, x, sv, n, &err) == 0, "%s", err.text);
	CHECK(run_task(&t, &rfe, &s[0], &err) == 0, "%s", err.text);
	CHECK(rrqr_select(&s[1], part, &rrqr, NULL, &err) == 0, "%s", err.text);
	for (int m = 0; m < 2; m++) {
		CHECK(s[m].n == r, "%" PRId64 " features", s[m].n);
		for (int64_t k = 0; k < s[m].n; k++)
			count[m][s[m].feature[k]]++;
		selection_free(&s[m]);
	}
	csr_free(part);
}

/* The five most frequent; of equal counts the larger index. */
static void check_most_frequent(const int *count, const int *expected, const char *what)
{
	for (int place = 0; place < 5; place++) {
		int n_before = 0;

		for (int j = 1; j <= TABLE_D; j++)
			n_before += count[j] > count[expected[place]] ||
				    (count[j] == count[expected[place]] && j > expected[place]);
		CHECK(n_before == place, "%s: feature %d (%d times) is at place %d, not %d", what,
		      expected[place], count[expected[place]], n_before, place);
	}
}

static void cross_validate(const struct csr *x, const double *y, int64_t r,
			   int count[2][TABLE_D + 1])
{
	int64_t order[TABLE_N], list[TABLE_N], sv[TABLE_N];

	memset(count, 0, 2 * sizeof(*count));
	for (int repeat = 0; repeat < 10; repeat++) {
		for (int64_t i = 0; i < TABLE_N; i++) {
			int64_t k = random_below(i + 1);

			order[i] = order[k];
			order[k] = i;
		}
		for (int fold = 0; fold < 10; fold++) {
			int64_t n = 0, n_sv;

			for (int64_t i = 0; i < TABLE_N; i++)
				if (i % 10 != fold)
					list[n++] = order[i];
			n_sv = support_vectors(x, y, list, n, sv);
			CHECK(n_sv >= 5 && n_sv <= 30, "%" PRId64 " support vectors", n_sv);
			count_features(x, y, sv, n_sv, r, count);
		}
	}
}

/* The code of the tests before, 800 times. */
static void test_table(void)
{
	static const int expected[2][2][2][5] = {
		/* by k, r, method */
		{ { { 40, 39, 38, 37, 36 }, { 40, 30, 29, 28, 27 } },
		  { { 40, 39, 38, 37, 36 }, { 40, 39, 38, 37, 36 } } },
		{ { { 50, 49, 48, 47, 46 }, { 50, 30, 29, 28, 27 } },
		  { { 50, 49, 48, 47, 46 }, { 50, 40, 39, 38, 37 } } }
	};
	static int count[2][TABLE_D + 1];

	for (int k = 0; k < 2; k++) {
		struct synthetic_options o = { .kind = SYNTHETIC_RELEVANT,
					       .seed = 1,
					       .n_features = TABLE_D,
					       .n_relevant = k ? 50 : 40 };
		double *a = full_zeros(TABLE_N, TABLE_D), y[TABLE_N];
		struct synthetic_data g;
		struct csr x = { 0 };
		struct error err = { 0 };

		CHECK(synthetic_init(&g, &o, &err) == 0, "%s", err.text);
		for (int64_t i = 0; i < TABLE_N; i++)
			y[i] = synthetic_row(&g, i, a + i * TABLE_D);
		full_rows(&x, a, TABLE_N, TABLE_D, 1, 1);
		for (int r = 0; r < 2; r++) {
			cross_validate(&x, y, r ? 40 : 30, count);
			check_most_frequent(count[0], expected[k][r][0], "RFE");
			check_most_frequent(count[1], expected[k][r][1], "RRQR");
		}
		synthetic_free(&g);
		csr_free(&x);
		free(a);
	}
}

/* ---- Odd inputs, threads, memory ---- */

static int give_nan(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	(void)arg, (void)err;
	for (int64_t j = 0; j < step->x->n_cols; j++)
		score[j] = NAN;
	return 0;
}

static int refuse(void *arg, const struct rfe_step *step, double *score, struct error *err)
{
	(void)arg, (void)step, (void)score;
	return error_set(err, ERR_INTERRUPTED, "not now");
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void test_odd(void)
{
	struct interruption now = { .requested = always };
	struct rfe_options o = { .n_features = 7, .fraction = 0.1, .n_threads = 1 };
	struct rfe_trainer nan = { give_nan, NULL, true };
	struct rfe_trainer no = { refuse, NULL, true };
	struct task t = make_task(20, 50, 0.5, 1), one = make_task(1, 50, 1, 1);
	struct csr none = { 0 };
	struct selection s;
	struct error err = { 0 };

	interruption_scope(&now);
	CHECK(run_task(&t, &o, &s, &err) < 0 && err.code == ERR_INTERRUPTED && !s.feature,
	      "interrupted: '%s'", err.text);
	interruption_scope(NULL);
	err = (struct error){ 0 };
	CHECK(rfe_select(&s, &t.data.x, &o, &nan, &err) < 0 && err.code == ERR_NUMERIC &&
		      !s.feature,
	      "no number: '%s'", err.text);
	err = (struct error){ 0 };
	CHECK(rfe_select(&s, &t.data.x, &o, &no, &err) < 0 && err.code == ERR_INTERRUPTED, "'%s'",
	      err.text);
	err = (struct error){ 0 };
	CHECK(rfe_select(&s, &none, &o, &no, &err) == 0 && s.n == 0, "no rows: '%s'", err.text);
	selection_free(&s);
	o.n_features = 50;
	CHECK(rfe_select(&s, &t.data.x, &o, &no, &err) == 0 && s.n == 50 && s.feature[49] == 50 &&
		      s.score[0] == 0,
	      "all wanted: %" PRId64 " '%s'", s.n, err.text);
	selection_free(&s);
	o.n_features = 0;
	CHECK(run_task(&t, &o, &s, &err) == 0 && s.n == 0, "none wanted: '%s'", err.text);
	selection_free(&s);
	o.n_features = 7;
	for (int64_t i = 0; i < t.data.x.n_rows; i++)
		t.data.y[i] = 1;
	for (int k = 0; k < 2; k++) {
		CHECK(run_task(k ? &one : &t, &o, &s, &err) == 0 && s.n == 7, "one class: '%s'",
		      err.text);
		for (int32_t j = 0; j < s.n; j++)
			CHECK(s.feature[j] == j + 1 && s.score[j] == 0, "feature %d", s.feature[j]);
		selection_free(&s);
	}
	free_task(&t);
	free_task(&one);
}

static void test_threads(void)
{
	struct task t = make_task(300, 900, 0.1, 1);
	struct selection one = { 0 };

	for (int n_threads = 1; n_threads <= 3; n_threads++) {
		struct rfe_options o = { .n_features = 50,
					 .fraction = 0.1,
					 .n_threads = n_threads };
		struct error err = { 0 };
		struct selection s;

		t.n_threads = n_threads;
		CHECK(run_task(&t, &o, &s, &err) == 0, "%s", err.text);
		if (n_threads == 1) {
			one = s;
			continue;
		}
		CHECK(!memcmp(s.feature, one.feature, 50 * sizeof(*s.feature)) &&
			      !memcmp(s.score, one.score, 50 * sizeof(*s.score)),
		      "%d threads: otherwise", n_threads);
		selection_free(&s);
	}
	selection_free(&one);
	free_task(&t);
}

struct failing {
	struct task task;
	struct rfe_options options;
};

static int run_failing(void *arg, struct error *err)
{
	struct failing *f = arg;
	struct selection s;

	if (run_task(&f->task, &f->options, &s, err) < 0)
		return -1;
	selection_free(&s);
	return 0;
}

static void test_memory(void)
{
	for (int t = 0; t < 2; t++) {
		struct failing f = { make_task(12, 40, 0.6, 1),
				     { .n_features = 8,
				       .fraction = 0.5,
				       .max_gram_bytes = t ? -1 : 0,
				       .n_threads = 1 } };

		fail_each_allocation("rfe", run_failing, &f);
		free_task(&f.task);
	}
}

int main(void)
{
	test_rule();
	test_digits();
	test_machine();
	test_pairs();
	if (!UNIT_IS_SANITIZED)
		test_table();
	test_odd();
	test_threads();
	test_memory();
	return unit_report("rfe");
}
