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
#include "problem/certificate.h"
#include "problem/decision.h"
#include "random.h"
#include "smo/smo.h"
#include "train/budget.h"
#include "train/randsvm.h"
#include "unit.h"
#include "watched_run.h"

enum { MAX_N = 700 };

/* ---- A problem, and a solver that watches what it is given ---- */

struct world {
	struct csr x;
	struct problem_view p;
	int64_t row[MAX_N];
	double target[MAX_N], beta[MAX_N], f[MAX_N];
	struct randsvm_options o;
	bool holds[MAX_N], first[MAX_N]; /* the last working set, and the very first */
	bool is_sv[MAX_N], best[MAX_N];	 /* vectors of the last solution, of the best one */
	struct watched_run run;
};

static void before_solving(void *arg, const struct problem_view *p, double eps, const double *beta)
{
	struct world *w = arg;

	(void)beta;
	CHECK(p->n <= w->o.budget, "%" PRId64 " examples of %" PRId64, p->n, w->o.budget);
	CHECK(eps == (p->n < w->p.n ? w->o.eps / 2 : w->o.eps), "eps %g", eps);
	memset(w->holds, 0, sizeof(w->holds));
	for (int64_t i = 0; i < p->n; i++) {
		int64_t at = p->row[i] / 2;

		CHECK(w->row[at] == p->row[i] && p->target[i] == w->target[at], "another row");
		CHECK(i == 0 || p->row[i] > p->row[i - 1], "rows do not ascend");
		w->holds[at] = true;
	}
	if (w->run.n_solved++ == 0)
		memcpy(w->first, w->holds, sizeof(w->first));
}

static void after_solving(void *arg, const struct problem_view *p, const double *beta, double rho)
{
	struct world *w = arg;

	(void)rho;
	memset(w->is_sv, 0, sizeof(w->is_sv));
	for (int64_t i = 0; i < p->n; i++)
		w->is_sv[p->row[i] / 2] = beta[i] != 0;
}

/* The best solution's vectors stay; what is kept is better, and only that is. */
static void note_round(void *arg, const struct randsvm_round *r)
{
	struct world *w = arg;
	static double best;

	if (!CHECK(w->run.n_rounds < WATCHED_MOST_ROUNDS, "%d rounds", w->run.n_rounds))
		return;
	w->run.round[w->run.n_rounds++] = *r;
	CHECK(r->number <= (w->o.max_rounds ? w->o.max_rounds : BUDGET_DEFAULT_ROUNDS) &&
		      r->sample == w->o.budget,
	      "round %d", r->number);
	for (int64_t i = 0; i < w->p.n; i++)
		CHECK(r->number == 1 || w->holds[i] || !w->best[i], "vector %" PRId64 " lost", i);
	CHECK(r->kept == (r->number == 1 || r->primal < best - 1e-4 * fabs(best) ||
			  (r->n_violators == 0 && r->primal <= best)),
	      "primal %g after %g: %d", r->primal, best, r->kept);
	if (!r->kept)
		return;
	best = r->primal;
	memcpy(w->best, w->is_sv, sizeof(w->best));
}

/* Examples of two classes, some of them wrongly labelled, or with targets. */
static void world_init(struct world *w, enum machine_type type, int64_t n, double distance)
{
	memset(w, 0, sizeof(*w));
	random_rows(&w->x, 2 * n, 3, 0.9);
	for (int64_t i = 0; i < n; i++) {
		bool plus = random_below(2);
		int64_t row = w->row[i] = 2 * i, start = w->x.row_start[row];

		if (w->x.row_start[row + 1] > start)
			w->x.val[start] += plus ? distance : -distance;
		w->target[i] = type == MACHINE_C_SVC ?
				       plus != (distance < 2 && random_below(20) == 0) ? 1 : -1 :
				       sin(csr_row_norm2(&w->x, row)) + 0.1 * random_normal();
	}
	w->p = (struct problem_view){ .type = type,
				      .kernel = { .type = KERNEL_RBF, .gamma = 0.5 },
				      .x = &w->x,
				      .row = w->row,
				      .target = w->target,
				      .n = n,
				      .c_plus = 5,
				      .c_minus = type == MACHINE_C_SVC ? 2 : 5,
				      .epsilon = type == MACHINE_C_SVC ? 0 : 0.2 };
	w->o = (struct randsvm_options){
		.mode = WORKING_SET_BUDGET, .seed = 5, .eps = 1e-3, .budget = 150, .n_threads = 2
	};
	watched_init(&w->run, (struct watcher){ before_solving, after_solving, note_round, w },
		     (struct randsvm_task){
			     .p = &w->p, .options = &w->o, .x = { .beta = w->beta, .f = w->f } });
}

static void world_free(struct world *w)
{
	csr_free(&w->x);
}

/* The optimum of everything, by the trusted solver. */
static double optimum(struct world *w)
{
	static double beta[MAX_N], f[MAX_N];
	struct tiny_solver silent = { .solver.solve = tiny_solve };
	struct error err = { 0 };
	struct iterate x = { .beta = beta, .f = f };

	memset(beta, 0, sizeof(beta));
	memset(f, 0, sizeof(f));
	CHECK(tiny_solve(&silent.solver, &w->p, 1e-5, &x, &err) == 0, "%s", err.text);
	CHECK(decision_values(&w->p, beta, 1e-5, f, 1, &err) == 0, "%s", err.text);
	return certificate_dual(&w->p, beta, f);
}

/* Bounds and sum are kept; the certificate is true, and encloses the optimum. */
static void expect_sound(struct world *w)
{
	const struct certificate *c = &w->run.task.result.certificate;
	struct certificate own = { 0 };
	struct error err = { 0 };
	double f[MAX_N], sum = plain_sum(w->beta, w->p.n), best = optimum(w);

	CHECK(plain_excess(&w->p, w->beta) <= 0, "beyond a bound by %g",
	      plain_excess(&w->p, w->beta));
	CHECK(fabs(sum) <= 1e-9 * plain_size(w->beta, w->p.n), "sum %g", sum);
	CHECK(decision_values(&w->p, w->beta, 1e-3, f, 1, &err) == 0 &&
		      certificate_make(&w->p,
				       &(struct iterate){
					       .beta = w->beta, .f = f, .rho = w->run.task.x.rho },
				       w->o.eps, &own, &err) == 0,
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
	static struct world w;
	int n_kept = 0, n_given_up = 0;

	for (int trial = 0; trial < 12; trial++) {
		double least = INFINITY;

		world_init(&w, types[trial % 2], 500 + 10 * trial, 0.2 * trial);
		w.o.seed = (uint64_t)trial;
		w.o.budget = 60 + 20 * trial;
		watched_solve(&w.run);
		for (int t = 0; t < w.run.n_rounds; t++) {
			least = w.run.round[t].kept ? w.run.round[t].primal : least;
			n_kept += t > 0 && w.run.round[t].kept;
			n_given_up += !w.run.round[t].kept;
			CHECK(w.run.round[t].dual <= w.run.task.result.certificate.dual,
			      "dual %g of a round", w.run.round[t].dual);
		}
		CHECK(w.run.task.result.certificate.primal <= w.run.round[0].primal,
		      "worse than the first");
		CHECK(w.run.task.result.certificate.primal == least, "%g, not the best", least);
		expect_sound(&w);
		world_free(&w);
	}
	CHECK(n_kept > 5 && n_given_up > 5, "%d kept, %d given up", n_kept, n_given_up);
}

/* Few support vectors: given the rounds, it ends at the optimum, though it never sees all. */
static void test_optimum(void)
{
	static struct world w;
	int n_optimal = 0;

	for (int trial = 0; trial < 8; trial++) {
		world_init(&w, MACHINE_C_SVC, 600, 3);
		w.o.budget = 300;
		w.o.max_rounds = 30;
		watched_solve(&w.run);
		expect_sound(&w);
		if (w.run.task.result.reason == STOP_OPTIMAL) {
			n_optimal++;
			CHECK(certificate_relative_gap(&w.run.task.result.certificate) < 1e-3,
			      "gap %g", certificate_relative_gap(&w.run.task.result.certificate));
		}
		world_free(&w);
	}
	CHECK(n_optimal > 3, "%d optima", n_optimal);
}

/* Of the models' best, at most the mean primal; never more examples than the budget. */
static void test_bag(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };
	static struct world w;

	for (int trial = 0; trial < 4; trial++) {
		double sum = 0, dual = -INFINITY;
		int n_models = 0;

		world_init(&w, types[trial % 2], 500, 0.5);
		w.o.n_models = 2 + trial;
		w.o.max_rounds = trial < 2 ? 0 : 1;
		w.o.budget = 100;
		watched_solve(&w.run);
		for (int t = 0; t < w.run.n_rounds; t++) {
			const struct randsvm_round *r = &w.run.round[t];
			double best = r->primal;

			dual = fmax(dual, r->dual);
			if (r->number > 1)
				continue;
			CHECK(r->model == ++n_models, "model %d after %d", r->model, n_models - 1);
			for (int u = t + 1; u < w.run.n_rounds && w.run.round[u].number > 1; u++)
				best = w.run.round[u].kept ? w.run.round[u].primal : best;
			sum += best;
		}
		CHECK(n_models == w.o.n_models, "%d models", n_models);
		CHECK(w.run.task.result.certificate.primal <= sum / n_models * (1 + 1e-12),
		      "%g, mean %g", w.run.task.result.certificate.primal, sum / n_models);
		CHECK(w.run.task.result.certificate.dual >= dual, "%g below %g",
		      w.run.task.result.certificate.dual, dual);
		expect_sound(&w);
		world_free(&w);
	}
}

static void test_threads_and_seeds(void)
{
	static struct world w;
	static double beta[MAX_N];
	static bool first[MAX_N];
	double rho;

	world_init(&w, MACHINE_C_SVC, 600, 0.5);
	w.o.n_models = 2;
	w.o.n_threads = 1;
	watched_solve(&w.run);
	memcpy(beta, w.beta, sizeof(beta));
	rho = w.run.task.x.rho;
	w.o.n_threads = 4;
	watched_solve(&w.run);
	CHECK(!memcmp(beta, w.beta, sizeof(beta)) && rho == w.run.task.x.rho, "threads matter");
	memcpy(first, w.first, sizeof(first));
	w.o.seed++;
	watched_solve(&w.run);
	CHECK(memcmp(first, w.first, sizeof(first)) != 0, "one sample for two seeds");
	world_free(&w);
}

/* A class of three examples is in every first sample, however small. */
static void test_rare_class(void)
{
	static struct world w;

	for (int trial = 0; trial < 8; trial++) {
		int64_t n_rare = 0;

		world_init(&w, MACHINE_C_SVC, 600, 0);
		for (int64_t i = 0; i < w.p.n; i++)
			w.target[i] = (i % 200 == 50) == trial % 2 ? 1 : -1;
		w.o.budget = trial < 4 ? 2 : 25;
		w.o.max_rounds = 1;
		w.o.seed = (uint64_t)trial;
		watched_solve(&w.run);
		for (int64_t i = 50; i < w.p.n; i += 200)
			n_rare += w.first[i];
		CHECK(n_rare >= 1 && w.run.round[0].working_set == w.o.budget,
		      "%" PRId64 " of %" PRId64, n_rare, w.run.round[0].working_set);
		expect_sound(&w);
		world_free(&w);
	}
}

/* ---- One-class and nu-SVR ---- */

/* The native solver, and what it is given: samples with larger bounds and the sums of all. */
struct nu_solver {
	struct solver solver, native; /* 'solver' first */
	struct world *w;
};

static int solve_sample(const struct solver *solver, const struct problem_view *p, double eps,
			struct iterate *x, struct error *err)
{
	const struct nu_solver *own = (const struct nu_solver *)solver;
	struct world *w = own->w;
	double growth = (double)w->p.n / (double)p->n, sum = 0, f[MAX_N];
	int64_t n_same = 0, m = w->o.budget < w->p.n ? w->o.budget : w->p.n;

	CHECK(p->n == m, "%" PRId64 " examples", p->n);
	CHECK(p->c_plus == growth * w->p.c_plus && p->sum_plus == w->p.sum_plus &&
		      p->sum_minus == w->p.sum_minus,
	      "bound %g, sums %g and %g", p->c_plus, p->sum_plus, p->sum_minus);
	for (int64_t i = 0; i < p->n; i++) {
		sum += x->beta[i];
		n_same += w->run.n_solved > 0 && w->holds[p->row[i] / 2];
	}
	CHECK(fabs(sum - (p->type == MACHINE_ONE_CLASS ? p->sum_plus : 0)) <= 1e-9 * p->sum_plus,
	      "the start adds up to %g", sum);
	CHECK(decision_values(p, x->beta, eps, f, 1, err) == 0, "%s", err->text);
	for (int64_t i = 0; i < p->n; i++)
		CHECK(fabs(f[i] - x->f[i]) <= 1e-9 * (1 + fabs(f[i])), "f %g", x->f[i]);
	CHECK(n_same < p->n || m == w->p.n, "the sample before");
	memset(w->holds, 0, sizeof(w->holds));
	for (int64_t i = 0; i < p->n; i++)
		w->holds[p->row[i] / 2] = true;
	w->run.n_solved++;
	return own->native.solve(&own->native, p, eps, x, err);
}

/* A world of that machine; its nu is .2. */
static void nu_world_init(struct world *w, enum machine_type type, int64_t n)
{
	world_init(w, type, n, 0);
	for (int64_t i = 0; type == MACHINE_ONE_CLASS && i < n; i++)
		w->target[i] = 1;
	w->p.c_plus = w->p.c_minus = 1;
	w->p.epsilon = 0;
	w->p.sum_plus = 0.2 * (double)n / (type == MACHINE_ONE_CLASS ? 1 : 2);
	w->p.sum_minus = type == MACHINE_ONE_CLASS ? 0 : w->p.sum_plus;
}

static void solve_nu(struct world *w)
{
	struct nu_solver solver = { .native = smo_solver(10, 1), .w = w };
	struct error err = { 0 };

	solver.solver = solver.native;
	solver.solver.solve = solve_sample;
	CHECK(watched_try(&w->run, &solver.solver, &err) == 0, "%s", err.text);
}

/* At most nu n examples are beyond a threshold, with the multipliers and constants of the result. */
static void expect_share(const struct world *w)
{
	const struct problem_view at = problem_at(&w->p, &w->run.task.x);
	int64_t n_beyond = 0;
	double f[MAX_N];
	struct error err = { 0 };

	CHECK(decision_values(&w->p, w->beta, 1e-3, f, 1, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < at.n; i++)
		n_beyond += certificate_violates(&at, i, f[i] - w->run.task.x.rho, 1e-6);
	CHECK((double)n_beyond <= 0.2 * (double)at.n && n_beyond > 0,
	      "%" PRId64 " of %" PRId64 " beyond", n_beyond, at.n);
}

static void test_nu(void)
{
	static const enum machine_type types[] = { MACHINE_ONE_CLASS, MACHINE_NU_SVR };
	static struct world w;

	for (int trial = 0; trial < 12; trial++) {
		const struct certificate *c = &w.run.task.result.certificate;
		double primal, best;

		nu_world_init(&w, types[trial % 2], 500 + 10 * trial);
		w.o.budget = 100 + 20 * trial;
		w.o.seed = (uint64_t)trial;
		w.o.n_models = trial % 3;
		solve_nu(&w);
		primal = c->primal;
		CHECK(isinf(c->dual) && c->dual < 0, "dual %g", c->dual);
		CHECK(w.run.n_solved == w.run.task.result.rounds && w.run.n_solved > 2, "%d rounds",
		      w.run.n_solved);
		CHECK(w.run.task.result.reason == STOP_NO_PROGRESS ||
			      w.run.task.result.reason == STOP_MAX_ROUNDS,
		      "stopped by %d", w.run.task.result.reason);
		expect_share(&w);
		w.o.max_rounds = 1;
		w.o.n_models = 1;
		solve_nu(&w);
		CHECK(trial % 3 > 1 || primal <= c->primal, "%g, worse than a sample, %g", primal,
		      c->primal);
		w.o.budget = w.p.n;
		solve_nu(&w);
		best = c->dual;
		CHECK(certificate_relative_gap(c) <= 1e-3 && c->n_violators == 0 &&
			      w.run.task.result.reason == STOP_WHOLE_SET,
		      "gap %g", certificate_relative_gap(c));
		CHECK(primal >= best && primal <= best + 0.25 * fabs(best), "%g for %g", primal,
		      best);
		world_free(&w);
	}
}

/* ---- When it stops ---- */

static void expect_stop(struct world *w, enum stop_reason reason, int n_rounds)
{
	watched_solve(&w->run);
	CHECK(w->run.task.result.reason == reason && (n_rounds == 0 || w->run.n_rounds == n_rounds),
	      "stopped by %d, not %d, after %d rounds", w->run.task.result.reason, reason,
	      w->run.n_rounds);
}

static void test_stops(void)
{
	static struct world w;

	world_init(&w, MACHINE_C_SVC, 600, 0.5);
	w.o.max_rounds = 1;
	expect_stop(&w, STOP_MAX_ROUNDS, 1);
	w.o.max_rounds = 0;
	w.o.gap = 1;
	expect_stop(&w, STOP_GAP, 1);
	w.o.gap = 0;
	w.p.kernel.gamma = 1e6; /* nothing is like anything: all are support vectors */
	expect_stop(&w, STOP_BUDGET_FULL, 1);
	world_free(&w);
	world_init(&w, MACHINE_C_SVC, 200, 0.5);
	w.o.budget = 200;
	w.o.n_models = 3;
	expect_stop(&w, STOP_WHOLE_SET, 1);
	expect_sound(&w);
	world_free(&w);
}

static void test_no_progress(void)
{
	static struct world w;
	int n_seen = 0;

	for (int trial = 0; trial < 10; trial++) {
		world_init(&w, MACHINE_C_SVC, 600, 1);
		w.o.budget = 150 + 20 * trial;
		watched_solve(&w.run);
		if (w.run.task.result.reason == STOP_NO_PROGRESS) {
			n_seen++;
			CHECK(!w.run.round[w.run.n_rounds - 1].kept &&
				      !w.run.round[w.run.n_rounds - 2].kept,
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

/* The native solver, too; an interrupted bag has one model. */
static void test_interruption(void)
{
	static const struct interruption interruption = { .requested = always };
	struct solver native = smo_solver(10, 2);
	struct error err = { 0 };
	static struct world w;

	world_init(&w, MACHINE_C_SVC, 600, 0.5);
	w.o.n_models = 3;
	w.run.tiny.solver.interruption = native.interruption = &interruption;
	expect_stop(&w, STOP_INTERRUPTED, 1);
	expect_sound(&w);
	CHECK(watched_try(&w.run, &native, &err) == 0 &&
		      w.run.task.result.reason == STOP_INTERRUPTED,
	      "stopped by %d: %s", w.run.task.result.reason, err.text);
	expect_sound(&w);
	native.interruption = NULL;
	CHECK(watched_try(&w.run, &native, &err) == 0 &&
		      w.run.task.result.reason != STOP_INTERRUPTED,
	      "stopped by %d: %s", w.run.task.result.reason, err.text);
	expect_sound(&w);
	world_free(&w);
}

static void test_giving_up(void)
{
	struct solver giving_up = { .solve = watched_give_up };
	struct error err = { 0 };
	static struct world w;

	world_init(&w, MACHINE_C_SVC, 300, 1);
	CHECK(watched_try(&w.run, &giving_up, &err) == 0 && w.run.task.result.rounds == 1 &&
		      w.run.task.result.reason == STOP_MAX_ITERATIONS,
	      "%d rounds, reason %d: %s", w.run.task.result.rounds, w.run.task.result.reason,
	      err.text);
	world_free(&w);
}

/* ---- Failures ---- */

static int solve_once(void *arg, struct error *err)
{
	struct tiny_solver silent = { .solver.solve = tiny_solve };

	return watched_try(&((struct world *)arg)->run, &silent.solver, err);
}

static int solve_nu_once(void *arg, struct error *err)
{
	struct solver native = smo_solver(10, 1);

	return watched_try(&((struct world *)arg)->run, &native, err);
}

static void test_memory(void)
{
	static struct world w;

	world_init(&w, MACHINE_C_SVC, 120, 0.5);
	w.o.budget = 40;
	w.o.n_models = 2;
	w.o.n_threads = 1;
	CHECK(fail_each_allocation("budget_solve", solve_once, &w) > 30, "few allocations");
	world_free(&w);
	nu_world_init(&w, MACHINE_ONE_CLASS, 120);
	w.o.budget = 40;
	w.o.n_threads = w.o.max_rounds = 1;
	CHECK(fail_each_allocation("samples", solve_nu_once, &w) > 20, "few allocations");
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
