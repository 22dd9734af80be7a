/*
 * test_budget.c - mode budget: what it may look at, what it promises, when it stops
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "problem/decision.h"
#include "proof/certificate.h"
#include "random.h"
#include "smo/smo.h"
#include "train/solve.h"
#include "unit.h"
#include "watched_run.h"
#include "world.h"

enum { MAX_N = 700 };

/* ---- A problem, and a solver that watches what it is given ---- */

static struct world w;
static struct randsvm_options options;
static bool holds[MAX_N], first_set[MAX_N]; /* the last working set, and the very first */
static bool is_sv[MAX_N], best_sv[MAX_N];   /* vectors of the last solution, of the best one */
static struct watched_run run;

static void before_solving(void *arg, const struct problem_view *p, double eps, const double *beta)
{
	(void)arg, (void)beta;
	CHECK(p->n <= options.budget, "%" PRId64 " examples of %" PRId64, p->n, options.budget);
	CHECK(eps == (p->n < w.p.n ? options.eps / 2 : options.eps), "eps %g", eps);
	memset(holds, 0, sizeof(holds));
	for (int64_t i = 0; i < p->n; i++) {
		int64_t at = p->row[i] / 2;

		CHECK(w.row[at] == p->row[i] && p->target[i] == w.target[at], "another row");
		CHECK(i == 0 || p->row[i] > p->row[i - 1], "rows do not ascend");
		holds[at] = true;
	}
	if (run.n_solved++ == 0)
		memcpy(first_set, holds, sizeof(first_set));
}

static void after_solving(void *arg, const struct problem_view *p, const double *beta, double rho)
{
	(void)arg, (void)rho;
	memset(is_sv, 0, sizeof(is_sv));
	for (int64_t i = 0; i < p->n; i++)
		is_sv[p->row[i] / 2] = beta[i] != 0;
}

/* The best solution's vectors stay; what is kept is better, and only that is. */
static void note_round(void *arg, const struct randsvm_round *r)
{
	static double best;

	(void)arg;
	if (!CHECK(run.n_rounds < WATCHED_MOST_ROUNDS, "%d rounds", run.n_rounds))
		return;
	run.round[run.n_rounds++] = *r;
	CHECK(r->number <= (options.max_rounds ? options.max_rounds : BUDGET_DEFAULT_ROUNDS) &&
		      r->sample == options.budget,
	      "round %d", r->number);
	for (int64_t i = 0; i < w.p.n; i++)
		CHECK(r->number == 1 || holds[i] || !best_sv[i], "vector %" PRId64 " lost", i);
	CHECK(r->kept == (r->number == 1 || r->primal < best - 1e-4 * fabs(best) ||
			  (r->n_violators == 0 && r->primal <= best)),
	      "primal %g after %g: %d", r->primal, best, r->kept);
	if (!r->kept)
		return;
	best = r->primal;
	memcpy(best_sv, is_sv, sizeof(best_sv));
}

/* Examples of two classes, some of them wrongly labelled, or with targets. */
static void make_world(enum machine_type type, int64_t n, double distance)
{
	world_init(&w, (struct problem_view){ .type = type,
					      .kernel = { .type = KERNEL_RBF, .gamma = 0.5 },
					      .n = n,
					      .c_plus = 5,
					      .c_minus = 2,
					      .epsilon = 0.2 });
	random_rows(&w.x, 2 * n, 3, 0.9);
	for (int64_t i = 0; i < n; i++) {
		bool plus = random_below(2);
		int64_t row = w.row[i] = 2 * i, start = w.x.row_start[row];

		if (w.x.row_start[row + 1] > start)
			w.x.val[start] += plus ? distance : -distance;
		w.target[i] = type == MACHINE_C_SVC ?
				      plus != (distance < 2 && random_below(20) == 0) ? 1 : -1 :
				      sin(csr_row_norm2(&w.x, row)) + 0.1 * random_normal();
	}
	options = (struct randsvm_options){
		.mode = WORKING_SET_BUDGET, .seed = 5, .eps = 1e-3, .budget = 150, .n_threads = 2
	};
	watched_init(&run, (struct watcher){ before_solving, after_solving, note_round, NULL },
		     (struct randsvm_task){
			     .p = &w.p, .options = &options, .x = { .beta = w.beta, .f = w.f } });
}

/* The optimum of everything, by the trusted solver. */
static double optimum(void)
{
	static double beta[MAX_N], f[MAX_N];
	struct tiny_solver silent = { .solver.solve = tiny_solve };
	struct error err = { 0 };
	struct iterate x = { .beta = beta, .f = f };

	memset(beta, 0, sizeof(beta));
	memset(f, 0, sizeof(f));
	CHECK(tiny_solve(&silent.solver, &w.p, 1e-5, &x, &err) == 0, "%s", err.text);
	CHECK(decision_values(&w.p, beta, 1e-5, f, 1, &err) == 0, "%s", err.text);
	return certificate_dual(&w.p, beta, f);
}

/* Bounds and sum are kept; the certificate is true, and encloses the optimum. */
static void expect_sound(void)
{
	const struct certificate *c = &run.task.result.certificate;
	struct certificate own = { 0 };
	struct error err = { 0 };
	double f[MAX_N], sum = plain_sum(w.beta, w.p.n), best = optimum();

	CHECK(plain_excess(&w.p, w.beta) <= 0, "beyond a bound by %g", plain_excess(&w.p, w.beta));
	CHECK(fabs(sum) <= 1e-9 * plain_size(w.beta, w.p.n), "sum %g", sum);
	CHECK(decision_values(&w.p, w.beta, 1e-3, f, 1, &err) == 0 &&
		      certificate_make(
			      &w.p,
			      &(struct iterate){ .beta = w.beta, .f = f, .rho = run.task.x.rho },
			      options.eps, &own, &err) == 0,
	      "%s", err.text);
	CHECK(fabs(own.primal - c->primal) <= 1e-9 * own.primal, "primal %g, not %g", c->primal,
	      own.primal);
	CHECK(c->dual >= own.dual - 1e-9 * fabs(own.dual), "dual %g below %g", c->dual, own.dual);
	CHECK(c->dual <= best * (1 + 1e-4) && best * (1 - 1e-4) <= c->primal,
	      "%g is not between %g and %g", best, c->dual, c->primal);
	CHECK(c->n_sv == own.n_sv && c->n_violators == own.n_violators, "%" PRId64 " vectors",
	      c->n_sv);
}

/* ---- What it promises ---- */

static void test_promises(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };
	int n_kept = 0, n_given_up = 0;

	for (int trial = 0; trial < 12; trial++) {
		double least = INFINITY;

		make_world(types[trial % 2], 500 + 10 * trial, 0.2 * trial);
		options.seed = (uint64_t)trial;
		options.budget = 60 + 20 * trial;
		watched_solve(&run);
		for (int t = 0; t < run.n_rounds; t++) {
			least = run.round[t].kept ? run.round[t].primal : least;
			n_kept += t > 0 && run.round[t].kept;
			n_given_up += !run.round[t].kept;
			CHECK(run.round[t].dual <= run.task.result.certificate.dual,
			      "dual %g of a round", run.round[t].dual);
		}
		CHECK(run.task.result.certificate.primal <= run.round[0].primal,
		      "worse than the first");
		CHECK(run.task.result.certificate.primal == least, "%g, not the best", least);
		expect_sound();
		world_free(&w);
	}
	CHECK(n_kept > 5 && n_given_up > 5, "%d kept, %d given up", n_kept, n_given_up);
}

/* Few support vectors: given the rounds, it ends at the optimum, though it never sees all. */
static void test_optimum(void)
{
	int n_optimal = 0;

	for (int trial = 0; trial < 8; trial++) {
		make_world(MACHINE_C_SVC, 600, 3);
		options.budget = 300;
		options.max_rounds = 30;
		watched_solve(&run);
		expect_sound();
		if (run.task.result.reason == STOP_OPTIMAL) {
			n_optimal++;
			CHECK(certificate_relative_gap(&run.task.result.certificate) < 1e-3,
			      "gap %g", certificate_relative_gap(&run.task.result.certificate));
		}
		world_free(&w);
	}
	CHECK(n_optimal > 3, "%d optima", n_optimal);
}

/* Of the models' best, at most the mean primal; never more examples than the budget. */
static void test_bag(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };

	for (int trial = 0; trial < 4; trial++) {
		double sum = 0, dual = -INFINITY;
		int n_models = 0;

		make_world(types[trial % 2], 500, 0.5);
		options.n_models = 2 + trial;
		options.max_rounds = trial < 2 ? 0 : 1;
		options.budget = 100;
		watched_solve(&run);
		for (int t = 0; t < run.n_rounds; t++) {
			const struct randsvm_round *r = &run.round[t];
			double best = r->primal;

			dual = fmax(dual, r->dual);
			if (r->number > 1)
				continue;
			CHECK(r->model == ++n_models, "model %d after %d", r->model, n_models - 1);
			for (int u = t + 1; u < run.n_rounds && run.round[u].number > 1; u++)
				best = run.round[u].kept ? run.round[u].primal : best;
			sum += best;
		}
		CHECK(n_models == options.n_models, "%d models", n_models);
		CHECK(run.task.result.certificate.primal <= sum / n_models * (1 + 1e-12),
		      "%g, mean %g", run.task.result.certificate.primal, sum / n_models);
		CHECK(run.task.result.certificate.dual >= dual, "%g below %g",
		      run.task.result.certificate.dual, dual);
		expect_sound();
		world_free(&w);
	}
}

static void test_threads_and_seeds(void)
{
	static double beta[MAX_N];
	const size_t size = 600 * sizeof(*beta);
	static bool first[MAX_N];
	double rho;

	make_world(MACHINE_C_SVC, 600, 0.5);
	options.n_models = 2;
	options.n_threads = 1;
	watched_solve(&run);
	memcpy(beta, w.beta, size);
	rho = run.task.x.rho;
	options.n_threads = 4;
	watched_solve(&run);
	CHECK(!memcmp(beta, w.beta, size) && rho == run.task.x.rho, "threads matter");
	memcpy(first, first_set, sizeof(first));
	options.seed++;
	watched_solve(&run);
	CHECK(memcmp(first, first_set, sizeof(first)) != 0, "one sample for two seeds");
	world_free(&w);
}

/* A class of three examples is in every first sample, however small. */
static void test_rare_class(void)
{
	for (int trial = 0; trial < 8; trial++) {
		int64_t n_rare = 0;

		make_world(MACHINE_C_SVC, 600, 0);
		for (int64_t i = 0; i < w.p.n; i++)
			w.target[i] = (i % 200 == 50) == trial % 2 ? 1 : -1;
		options.budget = trial < 4 ? 2 : 25;
		options.max_rounds = 1;
		options.seed = (uint64_t)trial;
		watched_solve(&run);
		for (int64_t i = 50; i < w.p.n; i += 200)
			n_rare += first_set[i];
		CHECK(n_rare >= 1 && run.round[0].working_set == options.budget,
		      "%" PRId64 " of %" PRId64, n_rare, run.round[0].working_set);
		expect_sound();
		world_free(&w);
	}
}

/* ---- One-class and nu-SVR ---- */

/*
 * The native solver, and what it is given: samples with larger bounds and the sums of all, or of
 * nu-SVR with the bounds of all and their share of the sums.
 */
struct nu_solver {
	struct solver solver, native; /* 'solver' first */
	int n_sharing;
};

static int solve_sample(const struct solver *solver, const struct problem_view *p, double eps,
			struct iterate *x, struct error *err)
{
	struct nu_solver *own = (struct nu_solver *)solver;
	double growth = (double)w.p.n / (double)p->n, sum = 0, f[MAX_N];
	int64_t n_same = 0, m = options.budget < w.p.n ? options.budget : w.p.n;
	bool shares = p->type == MACHINE_NU_SVR && p->c_plus == w.p.c_plus;
	double part = shares ? 1 / growth : 1;

	CHECK(p->n == m, "%" PRId64 " examples", p->n);
	CHECK((shares || p->c_plus == growth * w.p.c_plus) &&
		      fabs(p->sum_plus - part * w.p.sum_plus) <= 1e-12 * w.p.sum_plus &&
		      fabs(p->sum_minus - part * w.p.sum_minus) <= 1e-12 * w.p.sum_plus,
	      "bound %g, sums %g and %g", p->c_plus, p->sum_plus, p->sum_minus);
	CHECK(shares || run.n_solved > 0 || p->type != MACHINE_NU_SVR, "the first sample");
	own->n_sharing += shares;
	for (int64_t i = 0; i < p->n; i++) {
		sum += x->beta[i];
		n_same += run.n_solved > 0 && holds[p->row[i] / 2];
	}
	CHECK(fabs(sum - (p->type == MACHINE_ONE_CLASS ? p->sum_plus : 0)) <= 1e-9 * p->sum_plus,
	      "the start adds up to %g", sum);
	CHECK(decision_values(p, x->beta, eps, f, 1, err) == 0, "%s", err->text);
	for (int64_t i = 0; i < p->n; i++)
		CHECK(fabs(f[i] - x->f[i]) <= 1e-9 * (1 + fabs(f[i])), "f %g", x->f[i]);
	CHECK(n_same < p->n || m == w.p.n, "the sample before");
	memset(holds, 0, sizeof(holds));
	for (int64_t i = 0; i < p->n; i++)
		holds[p->row[i] / 2] = true;
	run.n_solved++;
	return own->native.solve(&own->native, p, eps, x, err);
}

/* A world of that machine; its nu is .2. */
static void make_nu_world(enum machine_type type, int64_t n)
{
	make_world(type, n, 0);
	for (int64_t i = 0; type == MACHINE_ONE_CLASS && i < n; i++)
		w.target[i] = 1;
	w.p.c_plus = w.p.c_minus = 1;
	w.p.epsilon = 0;
	w.p.sum_plus = 0.2 * (double)n / (type == MACHINE_ONE_CLASS ? 1 : 2);
	w.p.sum_minus = type == MACHINE_ONE_CLASS ? 0 : w.p.sum_plus;
}

/* Returns how many samples had their share of the sums. */
static int solve_nu(void)
{
	struct nu_solver solver = { .native = smo_solver(10, 1) };
	struct error err = { 0 };

	solver.solver = solver.native;
	solver.solver.solve = solve_sample;
	CHECK(watched_try(&run, &solver.solver, &err) == 0, "%s", err.text);
	return solver.n_sharing;
}

/* At most nu n examples are beyond a threshold, with the multipliers and constants of the result. */
static void expect_share(void)
{
	const struct problem_view at = problem_at(&w.p, &run.task.x);
	int64_t n_beyond = 0;
	double f[MAX_N];
	struct error err = { 0 };

	CHECK(decision_values(&w.p, w.beta, 1e-3, f, 1, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < at.n; i++)
		n_beyond += certificate_violates(&at, i, f[i] - run.task.x.rho, 1e-6);
	CHECK((double)n_beyond <= 0.2 * (double)at.n && n_beyond > 0,
	      "%" PRId64 " of %" PRId64 " beyond", n_beyond, at.n);
}

static void test_nu(void)
{
	static const enum machine_type types[] = { MACHINE_ONE_CLASS, MACHINE_NU_SVR };
	int n_sharing = 0, n_others = 0;

	for (int trial = 0; trial < 12; trial++) {
		const struct certificate *c = &run.task.result.certificate;
		double primal, dual, best;

		make_nu_world(types[trial % 2], 500 + 10 * trial);
		options.budget = 100 + 20 * trial;
		options.seed = (uint64_t)trial;
		options.n_models = trial % 3;
		n_sharing += solve_nu();
		n_others += types[trial % 2] == MACHINE_NU_SVR ? run.n_solved : 0;
		primal = c->primal;
		dual = c->dual;
		CHECK(types[trial % 2] == MACHINE_NU_SVR ? dual > 0 : dual == -INFINITY, "dual %g",
		      dual);
		CHECK(run.n_solved == run.task.result.rounds && run.n_solved > 2, "%d rounds",
		      run.n_solved);
		CHECK(run.task.result.reason == STOP_NO_PROGRESS ||
			      run.task.result.reason == STOP_MAX_ROUNDS,
		      "stopped by %d", run.task.result.reason);
		expect_share();
		options.max_rounds = 1;
		options.n_models = 1;
		solve_nu();
		CHECK(trial % 3 > 1 || primal <= c->primal, "%g, worse than a sample, %g", primal,
		      c->primal);
		options.budget = w.p.n;
		solve_nu();
		best = c->dual;
		CHECK(certificate_relative_gap(c) <= 1e-3 && c->n_violators == 0 &&
			      run.task.result.reason == STOP_WHOLE_SET,
		      "gap %g", certificate_relative_gap(c));
		CHECK(primal >= best && primal <= best + 0.25 * fabs(best) &&
			      dual <= best + 1e-3 * fabs(best),
		      "%g and %g for %g", primal, dual, best);
		world_free(&w);
	}
	CHECK(n_sharing >= 12 && n_sharing < n_others, "%d of %d have a share of the sums",
	      n_sharing, n_others);
}

/* ---- When it stops ---- */

static void expect_stop(enum stop_reason reason, int n_rounds)
{
	watched_solve(&run);
	CHECK(run.task.result.reason == reason && (n_rounds == 0 || run.n_rounds == n_rounds),
	      "stopped by %d, not %d, after %d rounds", run.task.result.reason, reason,
	      run.n_rounds);
}

static void test_stops(void)
{
	make_world(MACHINE_C_SVC, 600, 0.5);
	options.max_rounds = 1;
	expect_stop(STOP_MAX_ROUNDS, 1);
	options.max_rounds = 0;
	options.gap = 1;
	expect_stop(STOP_GAP, 1);
	options.gap = 0;
	w.p.kernel.gamma = 1e6; /* nothing is like anything: all are support vectors */
	expect_stop(STOP_BUDGET_FULL, 1);
	world_free(&w);
	make_world(MACHINE_C_SVC, 200, 0.5);
	options.budget = 200;
	options.n_models = 3;
	expect_stop(STOP_WHOLE_SET, 1);
	expect_sound();
	world_free(&w);
}

static void test_no_progress(void)
{
	int n_seen = 0;

	for (int trial = 0; trial < 10; trial++) {
		make_world(MACHINE_C_SVC, 600, 1);
		options.budget = 150 + 20 * trial;
		watched_solve(&run);
		if (run.task.result.reason == STOP_NO_PROGRESS) {
			n_seen++;
			CHECK(!run.round[run.n_rounds - 1].kept &&
				      !run.round[run.n_rounds - 2].kept,
			      "there was progress");
		}
		world_free(&w);
	}
	CHECK(n_seen > 0, "never");
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

/* The native solver, too; an interrupted bag has one model, not above that of its first sample. */
static void test_interruption(void)
{
	static const struct interruption interruption = { .requested = always };
	struct solver native = smo_solver(10, 2);
	struct error err = { 0 };
	double primal;

	make_world(MACHINE_C_SVC, 600, 0.5);
	options.n_models = 3;
	run.tiny.solver.interruption = native.interruption = &interruption;
	expect_stop(STOP_INTERRUPTED, 1);
	expect_sound();
	CHECK(watched_try(&run, &native, &err) == 0 && run.task.result.reason == STOP_INTERRUPTED,
	      "stopped by %d: %s", run.task.result.reason, err.text);
	expect_sound();
	primal = run.task.result.certificate.primal;
	native.interruption = NULL;
	options.n_models = options.max_rounds = 1;
	CHECK(watched_try(&run, &native, &err) == 0 && primal <= run.task.result.certificate.primal,
	      "primal %g, that of a sample is %g", primal, run.task.result.certificate.primal);
	options.n_models = 3;
	options.max_rounds = 0;
	CHECK(watched_try(&run, &native, &err) == 0 && run.task.result.reason != STOP_INTERRUPTED,
	      "stopped by %d: %s", run.task.result.reason, err.text);
	expect_sound();
	world_free(&w);
}

static void test_giving_up(void)
{
	struct solver giving_up = { .solve = watched_give_up };
	struct error err = { 0 };

	make_world(MACHINE_C_SVC, 300, 1);
	CHECK(watched_try(&run, &giving_up, &err) == 0 && run.task.result.rounds == 1 &&
		      run.task.result.reason == STOP_MAX_ITERATIONS,
	      "%d rounds, reason %d: %s", run.task.result.rounds, run.task.result.reason, err.text);
	world_free(&w);
}

/* ---- Failures ---- */

static int solve_once(void *arg, struct error *err)
{
	struct tiny_solver silent = { .solver.solve = tiny_solve };

	(void)arg;
	return watched_try(&run, &silent.solver, err);
}

static int solve_nu_once(void *arg, struct error *err)
{
	struct solver native = smo_solver(10, 1);

	(void)arg;
	return watched_try(&run, &native, err);
}

static void test_memory(void)
{
	make_world(MACHINE_C_SVC, 120, 0.5);
	options.budget = 40;
	options.n_models = 2;
	options.n_threads = 1;
	CHECK(fail_each_allocation("budget_solve", solve_once, NULL) > 30, "few allocations");
	world_free(&w);
	make_nu_world(MACHINE_ONE_CLASS, 120);
	options.budget = 40;
	options.n_threads = options.max_rounds = 1;
	CHECK(fail_each_allocation("samples", solve_nu_once, NULL) > 20, "few allocations");
	world_free(&w);
}

int main(void)
{
	test_promises();
	test_optimum();
	test_bag();
	test_threads_and_seeds();
	test_rare_class();
	test_nu();
	test_stops();
	test_no_progress();
	test_interruption();
	test_giving_up();
	test_memory();
	return unit_report("budget");
}
