/*
 * test_start.c - training that begins with the multipliers of a model: feasible, and the optimum
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evaluate/cross_validation.h"
#include "failing.h"
#include "plain_problem.h"
#include "problem/classes.h"
#include "random.h"
#include "small_training.h"
#include "smo/smo.h"
#include "train/start.h"
#include "train/trainer.h"
#include "unit.h"

enum { MAX_N = 600, MAX_PAIRS = SMALL_MOST_PAIRS };

static void train(struct setting *s, struct solution *solution, struct pair_result *pairs)
{
	struct error err = { 0 };

	CHECK(trainer_run(&s->trainer, classes_of(s), solution, pairs, &err) == 0, "%s", err.text);
}

/* A model of the settings; n_class 0: a regression.  The first sample of n rows is 'sample'. */
static void setting_init(struct setting *s, int n_class, int64_t n, int64_t sample)
{
	small_setting(s, n_class, n, 0.7, 1e-4);
	s->options.sample = sample;
	s->solver = smo_solver(10, 2);
	train(s, &s->solution, s->pairs);
}

/* ---- Multipliers ---- */

static void make_pair(const struct setting *s, struct problem *p, int a, int b)
{
	small_problem(p, &s->d, &s->training, classes_of(s), a, b);
}

/* Within the bounds, sum 0; what the caller expects of each beside. */
static void expect_feasible(const struct problem_view *p, const double *beta)
{
	CHECK(plain_excess(p, beta) <= 0, "beyond a bound by %g", plain_excess(p, beta));
	CHECK(fabs(plain_sum(beta, p->n)) <= 1e-12 * plain_size(beta, p->n), "sum %g of %g",
	      plain_sum(beta, p->n), plain_size(beta, p->n));
}

static int64_t n_bounded(const struct problem_view *p, const double *beta)
{
	int64_t n = 0;

	for (int64_t i = 0; i < p->n; i++)
		n += beta[i] != 0 && fabs(beta[i]) == problem_bound(p, i);
	return n;
}

/* The start of pair (a, b) from 's->solution', with C multiplied by 'factor'. */
static void take(struct setting *s, int a, int b, double factor, struct problem *p, double *beta)
{
	struct start start;
	struct error err = { 0 };

	s->training.C *= factor;
	make_pair(s, p, a, b);
	s->training.C /= factor;
	CHECK(start_init(&start, &s->solution, s->d.x.n_rows, &err) == 0, "%s", err.text);
	start_coefficients(&start, s->classes.n ? start_class(&start, s->classes.label[a]) : 0,
			   s->classes.n ? start_class(&start, s->classes.label[b]) : 0, &p->view,
			   beta);
	start_make_feasible(&p->view, beta);
	start_free(&start);
	expect_feasible(&p->view, beta);
}

/* The same C: the multipliers themselves, whatever the order of the labels in the model. */
static void test_same_c(void)
{
	static struct setting s;
	double beta[MAX_N], swapped[MAX_N];
	struct problem p;
	int64_t n_sv;

	for (int n_class = 0; n_class <= 3; n_class += 3) {
		setting_init(&s, n_class, 300, 1000);
		for (int b = 1; b < (n_class ? n_class : 2); b++) {
			take(&s, 0, b, 1, &p, beta);
			n_sv = 0;
			for (int64_t i = 0; i < p.view.n; i++)
				n_sv += beta[i] != 0;
			CHECK(n_sv == s.pairs[b - 1].solved.certificate.n_sv &&
				      n_bounded(&p.view, beta) ==
					      s.pairs[b - 1].solved.certificate.n_bounded_sv,
			      "%" PRId64 " vectors", n_sv);
			problem_free(&p);
		}
		if (n_class) { /* a problem with the classes the other way round than the model */
			take(&s, 0, 1, 1, &p, beta);
			problem_free(&p);
			take(&s, 1, 0, 1, &p, swapped);
			for (int64_t i = 0; i < p.view.n; i++)
				CHECK(swapped[i] == -beta[i], "%g and %g", swapped[i], beta[i]);
			problem_free(&p);
		}
		setting_free(&s);
	}
}

/* A smaller C: bounded multipliers stay bounded.  A larger: all are as they were. */
static void test_other_c(void)
{
	static struct setting s;
	double before[MAX_N], beta[MAX_N];
	struct problem p, q;

	for (int n_class = 0; n_class <= 3; n_class += 3) {
		setting_init(&s, n_class, 300, 1000);
		take(&s, 0, 1, 1, &p, before);
		take(&s, 0, 1, 0.1, &q, beta);
		for (int64_t i = 0; i < p.view.n; i++)
			CHECK(fabs(before[i]) < problem_bound(&p.view, i) ||
				      fabs(beta[i]) == problem_bound(&q.view, i),
			      "bounded %g became %g", before[i], beta[i]);
		problem_free(&q);
		take(&s, 0, 1, 10, &q, beta);
		for (int64_t i = 0; i < p.view.n; i++)
			CHECK(fabs(beta[i] - before[i]) <= 1e-12 * s.training.C, "%g became %g",
			      before[i], beta[i]);
		problem_free(&q);
		problem_free(&p);
		setting_free(&s);
	}
}

/* Vectors that are no rows, and labels that the model lacks. */
static void test_missing(void)
{
	static struct setting s;
	double beta[MAX_N];
	struct problem p;

	setting_init(&s, 3, 300, 1000);
	for (int64_t j = 0; j < s.solution.n_sv; j += 3)
		s.solution.sv_row[j] = -1;
	take(&s, 0, 1, 1, &p, beta);
	CHECK(n_bounded(&p.view, beta) > 0, "none is bounded any more");
	problem_free(&p);
	for (int64_t j = s.solution.n_sv_of_class[0]; j < s.solution.n_sv; j++)
		s.solution.sv_row[j] = -1;
	take(&s, 0, 1, 1, &p, beta); /* of one class alone: nothing is feasible but 0 */
	problem_free(&p);
	s.solution.label[1] = 1000;
	take(&s, 0, 1, 1, &p, beta);
	for (int64_t i = 0; i < p.view.n; i++)
		CHECK(beta[i] == 0, "%g of a label that the model lacks", beta[i]);
	problem_free(&p);
	setting_free(&s);
}

/* ---- Training ---- */

/* The optimum from 'start' is the one from 0, by the certificates; returns the steps it takes. */
static int64_t expect_optimum(struct setting *s, const struct solution *start)
{
	struct pair_result cold[MAX_PAIRS], warm[MAX_PAIRS];
	struct solution solution = { 0 };
	int64_t n_steps = 0;

	s->trainer.start = NULL;
	train(s, &solution, cold);
	solution_free(&solution);
	s->trainer.start = start;
	train(s, &solution, warm);
	solution_free(&solution);
	s->trainer.start = NULL;
	for (int64_t q = 0; q < n_pairs_of(s); q++) {
		const struct certificate *c = &warm[q].solved.certificate;

		CHECK(c->n_violators == 0 && certificate_relative_gap(c) < 1e-3,
		      "pair %" PRId64 ": %" PRId64 " violators, gap %g", q, c->n_violators,
		      certificate_relative_gap(c));
		CHECK(fabs(c->dual - cold[q].solved.certificate.dual) <= 1e-4 * c->dual,
		      "pair %" PRId64 ": dual %.9g, and %.9g from 0", q, c->dual,
		      cold[q].solved.certificate.dual);
		n_steps += warm[q].n_iterations;
	}
	return n_steps;
}

/* Multipliers that nothing was trained for: as far as they can be from any solution. */
static void spoil(struct solution *s)
{
	for (int64_t k = 0; k < (s->n_class - 1) * s->n_sv; k++)
		s->coef[k] *= random_unit() < 0.5 ? 0 : 100 * random_unit();
}

/* The subproblem is the whole set, or nested subsets; all kernels; equal examples are merged. */
static void test_optimum(void)
{
	static const int64_t samples[] = { 1000, 30 };
	static const struct kernel kernels[] = {
		{ .type = KERNEL_RBF, .gamma = 0.3 },
		{ .type = KERNEL_LINEAR },
		{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.5, .coef0 = 1 },
	};
	static struct setting s;
	int64_t n_cold = 0, n_steps;

	for (int k = 0; k < 12; k += UNIT_IS_SANITIZED ? 5 : 1) {
		setting_init(&s, k % 2 ? 3 : 0, 400, samples[k / 2 % 2]);
		s.training.kernel = kernels[k / 4];
		solution_free(&s.solution);
		train(&s, &s.solution, s.pairs);
		for (int64_t q = n_cold = 0; q < n_pairs_of(&s); q++)
			n_cold += s.pairs[q].n_iterations;
		n_steps = expect_optimum(&s, &s.solution);
		CHECK(10 * n_steps <= n_cold + 100, "%d: %" PRId64 " steps, %" PRId64 " from 0", k,
		      n_steps, n_cold);
		s.training.C *= 10;
		expect_optimum(&s, &s.solution);
		s.training.C /= 100;
		expect_optimum(&s, &s.solution);
		s.training.C *= 10;
		spoil(&s.solution);
		expect_optimum(&s, &s.solution);
		setting_free(&s);
	}
}

/* Each row three times: examples are merged, and their multipliers added up. */
static void test_equal_examples(void)
{
	static struct setting s;
	struct error err = { 0 };
	int64_t n = 120;

	setting_init(&s, 2, n, 30);
	for (int k = 0; k < 2; k++) {
		for (int64_t i = 0; i < n; i++) {
			int64_t start = s.d.x.row_start[i], end = s.d.x.row_start[i + 1];
			int64_t span[2] = { 0, end - start };
			int32_t col[8];
			double val[8];

			memcpy(col, s.d.x.col + start, (size_t)span[1] * sizeof(*col));
			memcpy(val, s.d.x.val + start, (size_t)span[1] * sizeof(*val));
			s.y[s.d.x.n_rows] = s.y[i];
			CHECK(csr_append(&s.d.x, 1, span, col, val, &err) == 0, "%s", err.text);
		}
	}
	classes_free(&s.classes);
	CHECK(classes_init(&s.classes, &s.d, &err) == 0, "%s", err.text);
	expect_optimum(&s, &s.solution);
	solution_free(&s.solution);
	train(&s, &s.solution, s.pairs);
	CHECK(10 * expect_optimum(&s, &s.solution) <= s.pairs[0].n_iterations + 100,
	      "%" PRId64 " steps from 0", s.pairs[0].n_iterations);
	setting_free(&s);
}

/* The bits do not depend on the number of threads. */
static void test_threads(void)
{
	static struct setting s;
	struct solution one = { 0 }, three = { 0 };

	setting_init(&s, 3, 500, 30);
	s.training.C *= 4;
	s.trainer.start = &s.solution;
	s.options.n_threads = s.solver.n_threads = 1;
	train(&s, &one, NULL);
	s.options.n_threads = s.solver.n_threads = 3;
	train(&s, &three, NULL);
	if (CHECK(one.n_sv == three.n_sv, "%" PRId64 " vectors and %" PRId64, one.n_sv, three.n_sv))
		CHECK(memcmp(one.coef, three.coef, (size_t)one.n_sv * 2 * sizeof(double)) == 0 &&
			      memcmp(one.rho, three.rho, 3 * sizeof(double)) == 0,
		      "other multipliers");
	solution_free(&one);
	solution_free(&three);
	setting_free(&s);
}

/* A start for other sums is none: the bits are those without it. */
static void test_machines_of_nu(void)
{
	static struct setting s;
	struct solution cold = { 0 }, warm = { 0 };

	setting_init(&s, 2, 200, 1000);
	s.training.type = MACHINE_NU_SVC;
	s.training.nu = 0.3;
	s.trainer.start = NULL;
	train(&s, &cold, NULL);
	s.trainer.start = &s.solution;
	train(&s, &warm, NULL);
	if (CHECK(cold.n_sv == warm.n_sv, "%" PRId64 " vectors and %" PRId64, cold.n_sv, warm.n_sv))
		CHECK(memcmp(cold.coef, warm.coef, (size_t)cold.n_sv * sizeof(double)) == 0,
		      "other multipliers");
	solution_free(&cold);
	solution_free(&warm);
	setting_free(&s);
}

/* Vectors of rows beyond the data are left out. */
static void test_rows_beyond(void)
{
	int64_t row[] = { 7, 0, 3, -1, 4 };
	struct solution model = { .n_sv = 5, .sv_row = row };
	struct start start;
	struct error err = { 0 };

	CHECK(start_init(&start, &model, 4, &err) == 0, "%s", err.text);
	CHECK(start.vector_of_row[0] == 1 && start.vector_of_row[1] == -1 &&
		      start.vector_of_row[2] == -1 && start.vector_of_row[3] == 2,
	      "other vectors");
	start_free(&start);
}

/* Steps of the trainings of all folds. */
static void count_steps(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	int64_t *n = arg;

	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++)
		*n += pairs[q].n_iterations;
}

/* A start for all rows is none for a fold, whether its rows are copied or parts of a matrix. */
static void test_folds(void)
{
	static struct setting s;
	static double predicted[MAX_N];
	struct error err = { 0 };

	for (int k = 0; k < 4; k++) {
		int64_t n_cold = 0, n_warm = 0;
		struct validation_observer observer = { .fold_trained = count_steps,
							.arg = &n_cold };

		setting_init(&s, k % 2 ? 3 : 0, 200, k < 2 ? 1000 : 20);
		srand(1); /* the same folds */
		CHECK(cross_validate(&s.trainer, false, 4, &observer, NULL, predicted, &err) == 0,
		      "%s", err.text);
		s.trainer.start = &s.solution;
		observer.arg = &n_warm;
		srand(1);
		CHECK(cross_validate(&s.trainer, false, 4, &observer, NULL, predicted, &err) == 0,
		      "%s", err.text);
		CHECK(n_cold == n_warm && n_cold > 0, "%" PRId64 " steps, %" PRId64 " with a start",
		      n_cold, n_warm);
		setting_free(&s);
	}
}

/* Folds that begin with their solutions for a smaller C save steps, and predict the same. */
static void test_growing_folds(void)
{
	static struct setting s;
	static double cold[MAX_N], warm[MAX_N];
	struct error err = { 0 };

	for (int k = 0; k < 4; k++) {
		struct fold_start start[4] = { { .c = 0 } };
		int64_t n_cold = 0, n_warm = 0;
		struct validation_observer observer = { .fold_trained = count_steps,
							.arg = &n_cold };

		setting_init(&s, k % 2 ? 3 : 0, 200, k < 2 ? 1000 : 20);
		srand(1);
		CHECK(cross_validate(&s.trainer, false, 4, NULL, start, warm, &err) == 0, "%s",
		      err.text);
		for (int f = 0; f < 4; f++)
			CHECK(start[f].c == s.training.C && start[f].solution.n_sv > 0 &&
				      start[f].growth[0] >= 1,
			      "fold %d: C %g", f, start[f].c);
		s.training.C *= 1.7;
		srand(1);
		CHECK(cross_validate(&s.trainer, false, 4, &observer, NULL, cold, &err) == 0, "%s",
		      err.text);
		observer.arg = &n_warm;
		srand(1);
		CHECK(cross_validate(&s.trainer, false, 4, &observer, start, warm, &err) == 0, "%s",
		      err.text);
		CHECK(n_warm < n_cold, "%" PRId64 " steps, %" PRId64 " with starts", n_cold,
		      n_warm);
		for (int64_t i = 0; i < 200; i++)
			CHECK(fabs(cold[i] - warm[i]) <= (k % 2 ? 0 : 0.02),
			      "row %" PRId64 ": %g, %g", i, cold[i], warm[i]);
		for (int f = 0; f < 4; f++)
			fold_start_free(&start[f]);
		setting_free(&s);
	}
}

static int train_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	struct solution solution = { 0 };
	int ret = trainer_run(&s->trainer, classes_of(s), &solution, NULL, err);

	solution_free(&solution);
	return ret;
}

static void test_memory(void)
{
	static struct setting s;

	for (int n_class = 0; n_class <= 3; n_class += 3) {
		setting_init(&s, n_class, 100, n_class ? 20 : 1000);
		s.training.C *= 2;
		s.trainer.start = &s.solution;
		s.options.n_threads = s.solver.n_threads = 1;
		fail_each_allocation("trainer_run", train_once, &s);
		setting_free(&s);
	}
}

int main(void)
{
	test_same_c();
	test_other_c();
	test_missing();
	test_optimum();
	test_equal_examples();
	test_threads();
	test_machines_of_nu();
	test_rows_beyond();
	test_folds();
	test_growing_folds();
	test_memory();
	return unit_report("start");
}
