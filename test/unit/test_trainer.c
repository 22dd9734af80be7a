/*
 * test_trainer.c - classes, their pairs, and the solution put together from them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "kernel/expansion.h"
#include "problem/classes.h"
#include "random.h"
#include "small_training.h"
#include "smo/smo.h"
#include "tiny_solver.h"
#include "train/libsvm_adapter.h"
#include "train/trainer.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { MAX_N = 400, MAX_CLASSES = 5, MAX_PAIRS = 10 };

/* ---- Classes ---- */

/* Rows without features, with these labels. */
static void label_rows(struct dataset *d, double *label, int64_t n)
{
	*d = (struct dataset){ .y = label };
	random_rows(&d->x, n, 1, 0);
}

static void expect_order(const double *label, int64_t n, const int *order, int n_class)
{
	struct dataset d;
	struct classes c;
	struct error err = { 0 };

	label_rows(&d, (double *)label, n);
	CHECK(classes_init(&c, &d, &err) == 0, "%s", err.text);
	if (CHECK(c.n == n_class, "%d classes, not %d", c.n, n_class))
		for (int k = 0; k < n_class; k++)
			CHECK(c.label[k] == order[k], "class %d is %d, not %d", k, c.label[k],
			      order[k]);
	classes_free(&c);
	CHECK(!c.label && !c.start && !c.row && c.n == 0, "not emptied");
	csr_free(&d.x);
}

static void test_order(void)
{
	expect_order((double[]){ 3, 1, 3, 2, 1 }, 5, (int[]){ 3, 1, 2 }, 3);
	expect_order((double[]){ 1, -1, 1 }, 3, (int[]){ 1, -1 }, 2);
	expect_order((double[]){ -1, -1, 1 }, 3, (int[]){ 1, -1 }, 2);
	expect_order((double[]){ -1, 1, 2 }, 3, (int[]){ -1, 1, 2 }, 3);
	expect_order((double[]){ -1, 2 }, 2, (int[]){ -1, 2 }, 2);
	expect_order((double[]){ 0, 1, 0 }, 3, (int[]){ 0, 1 }, 2);
	expect_order((double[]){ 7, 7 }, 2, (int[]){ 7 }, 1);
	expect_order((double[]){ -0.0, 0 }, 2, (int[]){ 0 }, 1);
	expect_order((double[]){ INT_MAX, INT_MIN }, 2, (int[]){ INT_MAX, INT_MIN }, 2);
}

/* Each class has its rows, ascending; together they are all rows. */
static void test_rows_of_classes(void)
{
	double label[MAX_N];
	struct dataset d;
	struct classes c;
	struct error err = { 0 };

	for (int64_t i = 0; i < MAX_N; i++)
		label[i] = (double)random_below(90) - 45;
	label_rows(&d, label, MAX_N);
	CHECK(classes_init(&c, &d, &err) == 0 && c.start[0] == 0 && c.start[c.n] == MAX_N, "%s",
	      err.text);
	for (int k = 0; k < c.n; k++) {
		CHECK(k == 0 || c.row[c.start[k]] > c.row[c.start[k - 1]], "class %d comes later",
		      k);
		for (int64_t i = c.start[k]; i < c.start[k + 1]; i++)
			CHECK(label[c.row[i]] == c.label[k] &&
				      (i == c.start[k] || c.row[i] > c.row[i - 1]),
			      "row %" PRId64 " in class %d", c.row[i], k);
	}
	classes_free(&c);
	csr_free(&d.x);
}

static void test_bad_labels(void)
{
	static const double bad[] = { 1.5,	 -1e-9,	       NAN,	     INFINITY,
				      -INFINITY, 2147483648.0, -2147483649.0 };

	for (int i = 0; i < LENGTH(bad); i++) {
		double label[] = { 1, 2, bad[i], 0.5 };
		struct error err = { 0 };
		struct dataset d;
		struct classes c;

		label_rows(&d, label, 4);
		CHECK(classes_init(&c, &d, &err) == -1 && err.code == ERR_FORMAT &&
			      strstr(err.text, "example 3"),
		      "%g: %s", bad[i], err.text);
		CHECK(!c.label && !c.start && !c.row, "not empty");
		csr_free(&d.x);
	}
}

/* ---- Problems ---- */

static void test_pair_problem(void)
{
	static const struct class_weight weight[] = { { 2, 3 }, { 9, 100 }, { 2, 0.5 }, { 1, 7 } };
	struct training t = { .type = MACHINE_C_SVC,
			      .C = 10,
			      .n_weights = 4,
			      .weight = weight,
			      .kernel = { .type = KERNEL_RBF, .gamma = 0.25 } };
	double label[] = { 3, 1, 3, 2, 1, 2, 3 };
	static const int64_t row[2][5] = { { 0, 2, 3, 5, 6 }, { 0, 2, 6, 3, 5 } };
	static const double target[2][5] = { { 1, 1, -1, -1, 1 }, { 1, 1, 1, -1, -1 } };
	struct error err = { 0 };
	struct problem p = { 0 };
	struct dataset d;
	struct classes c;

	label_rows(&d, label, 7);
	CHECK(classes_init(&c, &d, &err) == 0, "%s", err.text);
	for (int by_class = 1; by_class >= 0; by_class--) {
		problem_free(&p);
		CHECK(classes_pair_problem(&p, &c, (struct class_choice){ 0, 2, by_class }, &d, &t,
					   &err) == 0,
		      "%s", err.text);
		CHECK(p.view.n == 5 && !memcmp(p.view.row, row[by_class], sizeof(row[0])) &&
			      !memcmp(p.view.target, target[by_class], sizeof(target[0])),
		      "%" PRId64 " other rows", p.view.n);
	}
	CHECK(p.view.c_plus == 10 && p.view.c_minus == 15, "C %g and %g", p.view.c_plus,
	      p.view.c_minus);
	CHECK(p.view.type == MACHINE_C_SVC && p.view.epsilon == 0 && p.view.x == &d.x &&
		      p.view.kernel.gamma == 0.25,
	      "another problem");
	problem_free(&p);
	CHECK(!p.row && !p.target, "not emptied");
	classes_free(&c);
	csr_free(&d.x);
}

static void test_regression_problem(void)
{
	static const struct class_weight weight[] = { { 1, 3 } };
	struct training t = {
		.type = MACHINE_EPSILON_SVR, .C = 10, .p = 0.5, .n_weights = 1, .weight = weight
	};
	double target[] = { 1, 1.5, -2 };
	struct error err = { 0 };
	struct problem p;
	struct dataset d;

	label_rows(&d, target, 3);
	CHECK(classes_pair_problem(&p, NULL, (struct class_choice){ 0 }, &d, &t, &err) == 0, "%s",
	      err.text);
	CHECK(p.view.n == 3 && p.view.type == MACHINE_EPSILON_SVR && p.view.c_plus == 10 &&
		      p.view.c_minus == 10 && p.view.epsilon == 0.5,
	      "C %g", p.view.c_plus);
	for (int64_t i = 0; i < 3; i++)
		CHECK(p.view.row[i] == i && p.view.target[i] == target[i], "row %" PRId64, i);
	problem_free(&p);
	csr_free(&d.x);
}

/* ---- A training set and all that trains on it ---- */

static const struct tiny_solver tiny = { .solver.solve = tiny_solve };

/* Its own solver is LIBSVM's; solver NULL: the trainer's is the tiny one. */
static void setting_init(struct setting *s, int n_class, int64_t n, const struct solver *solver)
{
	small_setting(s, n_class, n, 1.5, 1e-4);
	s->solver = libsvm_solver(10, true);
	s->trainer.solver = solver ? solver : &tiny.solver;
}

static void train(struct setting *s)
{
	struct error err = { 0 };

	CHECK(trainer_run(&s->trainer, classes_of(s), &s->solution, s->pairs, &err) == 0, "%s",
	      err.text);
}

/* out[i][p] = f_p(x_i) - rho_p from a solution alone */
static double *decide(const struct setting *s, const struct solution *solution)
{
	int64_t n_pairs = solution_n_pairs(solution->n_class), n = s->d.x.n_rows;
	double *out = calloc((size_t)(n * n_pairs) + 1, sizeof(*out));
	struct expansion e = { 0 };
	struct csr sv = { 0 };
	struct error err = { 0 };

	CHECK(csr_gather(&sv, &s->d.x, solution->sv_row, solution->n_sv, &err) == 0 &&
		      expansion_init(&e, &s->training.kernel,
				     (struct support_vectors){ &sv, solution->n_class,
							       solution->n_sv_of_class,
							       solution->coef },
				     &err) == 0 &&
		      expansion_evaluate_rows(&e, csr_view(&s->d.x, NULL, n), out, 1, &err) == 0,
	      "%s", err.text);
	for (int64_t i = 0; i < n * n_pairs; i++)
		out[i] -= solution->rho[i % n_pairs];
	expansion_free(&e);
	csr_free(&sv);
	return out;
}

/* Rows by class and ascending within one; none without a coefficient. */
static void expect_vectors(const struct setting *s)
{
	const struct solution *solution = &s->solution;
	int64_t j = 0;

	for (int c = 0; c < solution->n_class; c++)
		for (int64_t i = 0; i < solution->n_sv_of_class[c]; i++, j++) {
			int64_t row = solution->sv_row[j];
			double size = 0;

			for (int r = 0; r < solution->n_class - 1; r++)
				size += fabs(solution->coef[r * solution->n_sv + j]);
			CHECK(size > 0, "row %" PRId64 " without a coefficient", row);
			CHECK(i == 0 || row > solution->sv_row[j - 1], "rows do not ascend");
			CHECK(!classes_of(s) || s->y[row] == solution->label[c],
			      "row %" PRId64 " in class %d", row, c);
		}
	CHECK(j == solution->n_sv, "%" PRId64 " of %" PRId64 " vectors", j, solution->n_sv);
}

/* ---- Pairs with the kernel matrix of all rows, and each with rows of its own ---- */

/* A kernel whose values, times C, floats are too coarse for. */
static void make_large_values(struct setting *s, enum kernel_type type, const struct solver *solver)
{
	setting_init(s, 5, 200, solver);
	s->training.kernel = (struct kernel){ .type = type, .degree = 3, .gamma = 2, .coef0 = 1 };
	s->training.C = 1e5;
	s->options.sample = 100;
}

/*
 * The cache of the second training has no room for the matrix of all rows, 320,000 bytes.  A linear
 * kernel is then solved by the linear engine, all others by the same values.
 */
static void test_matrix_of_all(void)
{
	static const enum kernel_type types[] = { KERNEL_LINEAR, KERNEL_POLYNOMIAL, KERNEL_RBF };
	static struct setting s;

	for (int k = 0; k < LENGTH(types); k++) {
		struct solver large = smo_solver(10, 2), small = smo_solver(0.5, 2);
		struct pair_result with[MAX_PAIRS];
		bool linear = types[k] == KERNEL_LINEAR;

		make_large_values(&s, types[k], &large);
		train(&s);
		memcpy(with, s.pairs, sizeof(with));
		solution_free(&s.solution);
		s.trainer.solver = &small;
		train(&s);
		for (int64_t q = 0; q < n_pairs_of(&s); q++) {
			const struct certificate *a = &with[q].solved.certificate;
			const struct certificate *b = &s.pairs[q].solved.certificate;

			CHECK(a->n_violators == 0, "kernel %d: violators", types[k]);
			CHECK(linear ? fabs(a->dual - b->dual) <= 1e-3 * b->dual :
				       a->dual == b->dual && with[q].rho == s.pairs[q].rho,
			      "kernel %d: dual %.17g, not %.17g", types[k], a->dual, b->dual);
		}
		setting_free(&s);
	}
}

/* ---- The solution against runs of each pair by itself ---- */

static void make_pair(const struct setting *s, struct problem *p, int a, int b)
{
	small_problem(p, &s->d, &s->training, classes_of(s), a, b);
}

static double plain_value(const struct problem *p, const double *beta, int64_t row)
{
	double f = 0;

	for (int64_t i = 0; i < p->view.n; i++)
		if (beta[i] != 0)
			f += beta[i] * plain_row_kernel(&p->view.kernel, p->view.x, p->row[i], row);
	return f;
}

/* A pair of classes, solved without the trainer. */
struct solved_pair {
	struct problem p;
	struct randsvm_options options;
	double beta[MAX_N], f[MAX_N];
	struct randsvm_task run;
};

static void solve_pair(struct solved_pair *o, const struct setting *s, int a, int b, int64_t q)
{
	struct error err = { 0 };

	o->options = s->options;
	o->options.seed += (uint64_t)q;
	make_pair(s, &o->p, a, b);
	o->run = (struct randsvm_task){ .p = &o->p.view,
					.solver = s->trainer.solver,
					.options = &o->options,
					.x = { .beta = o->beta, .f = o->f } };
	CHECK(randsvm_solve(&o->run, &err) == 0, "%s", err.text);
}

static bool has_c(const struct pair_result *pair, const struct problem_view *p)
{
	return p->c_plus == p->c_minus ? pair->c == p->c_plus : isnan(pair->c);
}

static void expect_pair(const struct setting *s, int a, int b, int64_t q, const double *values)
{
	const struct pair_result *pair = &s->pairs[q];
	struct solved_pair own;
	const struct randsvm_task *run = &own.run;
	const struct problem_view *p = &own.p.view;

	solve_pair(&own, s, a, b, q);
	CHECK(run->x.rho == s->solution.rho[q] && run->x.rho == pair->rho, "rho %g, %g, %g",
	      run->x.rho, s->solution.rho[q], pair->rho);
	CHECK(run->result.rounds == pair->solved.rounds &&
		      run->result.reason == pair->solved.reason &&
		      run->x.n_iterations == pair->n_iterations,
	      "%d rounds, not %d", pair->solved.rounds, run->result.rounds);
	CHECK(pair->n == p->n && has_c(pair, p), "%" PRId64 " examples, C %g", pair->n, pair->c);
	CHECK(!classes_of(s) || (pair->label_a == s->classes.label[a] &&
				 pair->label_b == s->classes.label[b]),
	      "labels %d and %d", pair->label_a, pair->label_b);
	for (int64_t i = 0; i < s->d.x.n_rows; i++) {
		double f = plain_value(&own.p, own.beta, i) - run->x.rho;

		CHECK(fabs(values[i * n_pairs_of(s) + q] - f) <= 1e-11,
		      "pair %" PRId64 ", row %" PRId64 ": %.17g, not %.17g", q, i,
		      values[i * n_pairs_of(s) + q], f);
	}
	problem_free(&own.p);
}

static void expect_pairs(const struct setting *s)
{
	double *values = decide(s, &s->solution);
	int64_t q = 0;

	for (int a = 0; a < s->solution.n_class; a++)
		for (int b = a + 1; b < s->solution.n_class; b++)
			expect_pair(s, a, b, q++, values);
	CHECK(q == n_pairs_of(s), "%" PRId64 " pairs", q);
	free(values);
}

static void test_assembly(void)
{
	static const int n_class[] = { 0, 2, 3, 5 };
	static struct setting s;

	for (int i = 0; i < LENGTH(n_class); i++) {
		setting_init(&s, n_class[i], 200, NULL);
		train(&s);
		CHECK(s.solution.n_class == (n_class[i] ? n_class[i] : 2), "%d classes",
		      s.solution.n_class);
		CHECK(!n_class[i] == !s.solution.label, "labels of no classes");
		expect_vectors(&s);
		expect_pairs(&s);
		setting_free(&s);
	}
}

/* ---- The solution against LIBSVM's ---- */

static void expect_near(double dual, double other)
{
	CHECK(fabs(dual - other) <= 1e-3 * other, "dual %g and %g", dual, other);
}

/*
 * |w - w*|^2 / 2 <= P - D, so two solutions' f differ by no more than the roots of twice their
 * gaps; and so does rho, give or take eps, for it is set by vectors that are free.
 */
static void expect_like_libsvm(struct setting *s, const struct solution *direct,
			       const struct pair_result *direct_pairs)
{
	double *ours = decide(s, &s->solution), *theirs = decide(s, direct);
	int64_t n_pairs = n_pairs_of(s);

	for (int64_t i = 0; i < s->d.x.n_rows * n_pairs; i++) {
		const struct certificate *a = &s->pairs[i % n_pairs].solved.certificate;
		const struct certificate *b = &direct_pairs[i % n_pairs].solved.certificate;
		double bound = 2 * (sqrt(2 * fmax(0, a->primal - a->dual)) +
				    sqrt(2 * fmax(0, b->primal - b->dual)) + s->options.eps);

		CHECK(bound < 0.2, "the gaps %g and %g prove nothing", a->primal - a->dual,
		      b->primal - b->dual);
		CHECK(fabs(ours[i] - theirs[i]) <= bound, "%g and %g", ours[i], theirs[i]);
	}
	for (int64_t q = 0; q < n_pairs; q++)
		expect_near(s->pairs[q].solved.certificate.dual,
			    direct_pairs[q].solved.certificate.dual);
	free(ours);
	free(theirs);
}

static void certify(const struct setting *s, const struct solution *solution,
		    struct pair_result *pairs)
{
	struct error err = { 0 };

	CHECK(trainer_certify(&s->trainer, classes_of(s), solution, pairs, &err) == 0, "%s",
	      err.text);
}

static void test_against_libsvm(void)
{
	static struct setting s;

	for (int trial = 0; trial < 6; trial++) {
		struct pair_result direct_pairs[MAX_PAIRS] = { 0 };
		struct solution direct = { 0 };
		struct error err = { 0 };

		setting_init(&s, trial % 3 ? trial % 3 + 1 : 0, 300, NULL);
		s.trainer.solver = trial < 3 ? &s.solver : &tiny.solver;
		s.training.eps = s.options.eps = 1e-5;
		train(&s);
		certify(&s, &s.solution, s.pairs);
		CHECK(libsvm_train(&s.d, &s.training, NULL, &direct, &err) == 0, "%s", err.text);
		certify(&s, &direct, direct_pairs);
		CHECK(direct.n_class == s.solution.n_class, "%d classes", direct.n_class);
		for (int c = 0; s.solution.label && c < direct.n_class; c++)
			CHECK(direct.label[c] == s.solution.label[c], "%d is class %d",
			      direct.label[c], c);
		expect_like_libsvm(&s, &direct, direct_pairs);
		solution_free(&direct);
		setting_free(&s);
	}
}

/* ---- Certificates ---- */

/* From the pair's own multipliers. */
static void expect_certificate(const struct setting *s, const struct pair_result *pair, int a,
			       int b, int64_t q)
{
	struct solved_pair own;
	const struct randsvm_task *run = &own.run;
	const struct problem_view *p = &own.p.view;
	struct error err = { 0 };
	struct certificate c;

	solve_pair(&own, s, a, b, q);
	for (int64_t i = 0; i < p->n; i++)
		own.f[i] = plain_value(&own.p, own.beta, own.p.row[i]);
	CHECK(certificate_make(p, &run->x, s->training.eps, &c, &err) == 0, "%s", err.text);
	CHECK(fabs(pair->solved.certificate.primal - c.primal) <= 1e-11 * c.primal &&
		      fabs(pair->solved.certificate.dual - c.dual) <= 1e-11 * c.primal &&
		      pair->solved.certificate.n_sv == c.n_sv &&
		      pair->solved.certificate.n_bounded_sv == c.n_bounded_sv &&
		      pair->solved.certificate.n_violators == 0,
	      "%g..%g and %g..%g, %" PRId64 " violators", pair->solved.certificate.dual,
	      pair->solved.certificate.primal, c.dual, c.primal,
	      pair->solved.certificate.n_violators);
	CHECK(pair->rho == run->x.rho && pair->n == p->n && has_c(pair, p), "rho %g of %g",
	      pair->rho, run->x.rho);
	problem_free(&own.p);
}

/* On one thread, and several pairs at once. */
static void test_certify(void)
{
	static const int n_class[] = { 0, 2, 4, 4, 4 }, n_threads[] = { 2, 1, 1, 2, 4 };
	static struct setting s;

	for (int i = 0; i < LENGTH(n_class); i++) {
		struct pair_result pairs[MAX_PAIRS] = { 0 };
		int64_t q = 0;

		setting_init(&s, n_class[i], 160, NULL);
		train(&s);
		s.options.n_threads = n_threads[i];
		certify(&s, &s.solution, pairs);
		for (int a = 0; a < s.solution.n_class; a++)
			for (int b = a + 1; b < s.solution.n_class; b++, q++)
				expect_certificate(&s, &pairs[q], a, b, q);
		setting_free(&s);
	}
}

/* ---- Which way a training goes ---- */

static void expect_reason(const struct setting *s, const char *part)
{
	const char *reason = direct_reason(&s->trainer, classes_of(s));

	CHECK(part ? reason && strstr(reason, part) : !reason, "'%s', not '%s'",
	      reason ? reason : "none", part ? part : "none");
}

/* Rows of features are no rows of a kernel matrix: training says so, by their number from 1. */
static void expect_no_kernel_rows(struct setting *s)
{
	struct solution solution = { 0 };
	struct error err = { 0 };

	CHECK(trainer_run(&s->trainer, classes_of(s), &solution, NULL, &err) < 0 &&
		      strcmp(err.text, "row 1 is no row of a kernel matrix") == 0,
	      "'%s'", err.text);
	solution_free(&solution);
}

static void test_direct_reasons(void)
{
	struct solver native = smo_solver(10, 1);
	static struct setting s;

	setting_init(&s, 3, 100, NULL);
	expect_reason(&s, NULL);
	s.training.probability = 1;
	expect_reason(&s, NULL);
	s.training.probability = 0;
	s.training.kernel.type = KERNEL_PRECOMPUTED;
	expect_reason(&s, NULL);
	expect_no_kernel_rows(&s);
	s.training.kernel.type = KERNEL_LINEAR;
	s.options.sample = 100;
	expect_reason(&s, "whole set");
	s.options.sample = 50; /* some pair is larger */
	expect_reason(&s, NULL);
	setting_free(&s);
	setting_init(&s, 1, 100, NULL);
	expect_reason(&s, "one class");
	setting_free(&s);
	setting_init(&s, 0, 3, &native); /* so few that LIBSVM would have them */
	s.training.kernel.type = KERNEL_PRECOMPUTED;
	expect_reason(&s, NULL);
	expect_no_kernel_rows(&s);
	setting_free(&s);
	setting_init(&s, 0, 100, NULL);
	expect_reason(&s, NULL);
	s.options.sample = 0;
	expect_reason(&s, "whole set");
	setting_free(&s);
}

/*
 * Several classes with a linear kernel are trained by kernel values, which may be floats; what is
 * certified are decision values in doubles.
 */
static void test_linear_certificate(void)
{
	static struct setting s;

	for (int trial = 0; trial < 3; trial++) {
		struct pair_result again[MAX_PAIRS] = { 0 };

		setting_init(&s, 3, 60, NULL);
		s.training.kernel.type = KERNEL_LINEAR;
		s.training.C = 0.01;
		s.training.n_weights = 0;
		s.options.sample = 60;
		s.trainer.certifies = true;
		s.solver = smo_solver(0.01, 1); /* too little for a matrix of doubles */
		s.trainer.solver = &s.solver;
		train(&s);
		certify(&s, &s.solution, again);
		for (int64_t q = 0; q < n_pairs_of(&s); q++) {
			const struct certificate *a = &s.pairs[q].solved.certificate;
			const struct certificate *b = &again[q].solved.certificate;
			double room = a->rounding + b->rounding + 1e-15 * fabs(a->primal);

			CHECK(fabs(a->dual - b->dual) <= room, "dual %.17g, %.17g", a->dual,
			      b->dual);
			CHECK(fabs(a->primal - b->primal) <= room, "primal %.17g, %.17g", a->primal,
			      b->primal);
		}
		setting_free(&s);
	}
}

/* The machines of nu need the native solver, mode exact (or budget, but nu-SVC), and LIBSVM's steps where these matter. */
static void test_reasons_of_nu(void)
{
	static const enum machine_type types[] = { MACHINE_NU_SVC, MACHINE_ONE_CLASS,
						   MACHINE_NU_SVR };
	struct solver native = smo_solver(10, 1);

	for (size_t k = 0; k < sizeof(types) / sizeof(*types); k++) {
		static struct setting s;

		setting_init(&s, 3, 100, &native);
		s.training.type = types[k];
		expect_reason(&s, NULL);
		s.training.kernel.type = KERNEL_SIGMOID;
		expect_reason(&s, NULL);
		s.training.kernel.type = KERNEL_RBF;
		s.trainer.solver = &s.solver;
		expect_reason(&s, "native");
		s.trainer.solver = &native;
		s.options.mode = WORKING_SET_BUDGET;
		s.options.budget = 50;
		expect_reason(&s, types[k] == MACHINE_NU_SVC ? "mode" : NULL);
		s.options.mode = WORKING_SET_PAPER;
		expect_reason(&s, "mode");
		setting_free(&s);
	}
}

/* ---- Observers ---- */

struct watch {
	int started, finished;
	const struct setting *s;
};

static void pair_started(void *arg, const struct pair_result *pair)
{
	struct watch *w = arg;

	CHECK(pair == &w->s->pairs[w->started] && w->finished == w->started, "pair %d starts",
	      w->started);
	CHECK(pair->n > 0 && (pair->c > 0 || isnan(pair->c)), "a pair of %" PRId64, pair->n);
	w->started++;
}

static void pair_finished(void *arg, const struct pair_result *pair)
{
	struct watch *w = arg;

	CHECK(pair == &w->s->pairs[w->finished] && w->finished + 1 == w->started, "pair %d ends",
	      w->finished);
	CHECK(pair->solved.rounds > 0, "after %d rounds", pair->solved.rounds);
	w->finished++;
}

static void test_observer(void)
{
	static struct setting s;
	struct watch w = { .s = &s };
	struct trainer_observer observer = { NULL, pair_started, pair_finished, &w };

	setting_init(&s, 4, 120, NULL);
	s.trainer.pairs = &observer;
	train(&s);
	CHECK(w.started == 6 && w.finished == 6, "%d pairs started, %d finished", w.started,
	      w.finished);
	setting_free(&s);
}

/* ---- Memory ---- */

static int make_classes_once(void *arg, struct error *err)
{
	const struct setting *s = arg;
	struct classes c;
	int ret = classes_init(&c, &s->d, err);

	CHECK(ret == 0 || (!c.label && !c.start && !c.row), "not empty after a failure");
	classes_free(&c);
	return ret;
}

static int make_pair_once(void *arg, struct error *err)
{
	const struct setting *s = arg;
	struct problem p;
	int ret = classes_pair_problem(&p, &s->classes, (struct class_choice){ 0, 1, false }, &s->d,
				       &s->training, err);

	problem_free(&p);
	return ret;
}

static bool solution_is_empty(const struct solution *s)
{
	static const struct solution empty;

	return !memcmp(s, &empty, sizeof(empty));
}

static int train_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	int ret = trainer_run(&s->trainer, classes_of(s), &s->solution, s->pairs, err);

	CHECK((ret == 0) != solution_is_empty(&s->solution), "%" PRId64 " vectors after %d",
	      s->solution.n_sv, ret);
	solution_free(&s->solution);
	return ret;
}

static int certify_once(void *arg, struct error *err)
{
	struct setting *s = arg;

	return trainer_certify(&s->trainer, classes_of(s), &s->solution, s->pairs, err);
}

static void test_memory(void)
{
	static struct setting s;

	for (int n_class = 0; n_class <= 3; n_class += 3) {
		setting_init(&s, n_class, 70, NULL);
		s.options.sample = 15;
		CHECK(fail_each_allocation("trainer_run", train_once, &s) > 30, "few allocations");
		train(&s);
		CHECK(fail_each_allocation("trainer_certify", certify_once, &s) > 5,
		      "few allocations");
		if (n_class > 0) {
			fail_each_allocation("classes_init", make_classes_once, &s);
			fail_each_allocation("classes_pair_problem", make_pair_once, &s);
		}
		setting_free(&s);
	}
}

static int libsvm_train_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	struct solution direct = { 0 };
	int ret = libsvm_train(&s->d, &s->training, NULL, &direct, err);

	CHECK((ret == 0) != solution_is_empty(&direct), "%" PRId64 " vectors after %d", direct.n_sv,
	      ret);
	solution_free(&direct);
	return ret;
}

static int cross_validate_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	double predicted[MAX_N];

	return libsvm_cross_validate(&s->d, &s->training, 3, NULL, predicted, err);
}

static int libsvm_solve_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	double beta[MAX_N], f[MAX_N];
	struct iterate x = { .beta = beta, .f = f };
	struct problem p;
	int ret = classes_pair_problem(&p, &s->classes, (struct class_choice){ 0, 1, false }, &s->d,
				       &s->training, err);

	if (ret == 0)
		ret = s->solver.solve(&s->solver, &p.view, 1e-3, &x, err);
	problem_free(&p);
	return ret;
}

static void test_libsvm_memory(void)
{
	static struct setting s;

	setting_init(&s, 3, 70, NULL);
	CHECK(!training_fault(&s.training), "%s", training_fault(&s.training));
	fail_each_allocation("libsvm_train", libsvm_train_once, &s);
	fail_each_allocation("libsvm_cross_validate", cross_validate_once, &s);
	fail_each_allocation("libsvm_solver", libsvm_solve_once, &s);
	setting_free(&s);
}

int main(void)
{
	test_order();
	test_rows_of_classes();
	test_bad_labels();
	test_pair_problem();
	test_regression_problem();
	test_assembly();
	test_matrix_of_all();
	test_against_libsvm();
	test_linear_certificate();
	test_certify();
	test_direct_reasons();
	test_reasons_of_nu();
	test_observer();
	test_memory();
	test_libsvm_memory();
	return unit_report("trainer");
}
