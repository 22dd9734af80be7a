/*
 * test_randsvm.c - random working sets: what they hold, when they stop, what they find
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "problem/decision.h"
#include "proof/certificate.h"
#include "random.h"
#include "smo/smo.h"
#include "source/float_source.h"
#include "train/libsvm_adapter.h"
#include "train/solve.h"
#include "unit.h"
#include "watched_run.h"
#include "world.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { MAX_N = 1200 };

/* ---- Sizes ---- */

static void test_default_k(void)
{
	static const struct {
		int64_t n;
		double delta;
		int64_t k[2]; /* separable, not */
	} table[] = {
		{ 10000, 0.9, { 4281, 8562 } },	   { 10000, 0.1, { 5160, 10320 } },
		{ 100000, 0.9, { 5202, 10404 } },  { 100000, 0.1, { 6081, 12162 } },
		{ 1000000, 0.9, { 6123, 12246 } }, { 1000000, 0.1, { 7002, 14004 } },
	};

	for (int i = 0; i < LENGTH(table); i++)
		for (int noisy = 0; noisy < 2; noisy++) {
			int64_t k = randsvm_default_k(table[i].n, 0.2, table[i].delta, !noisy);

			CHECK(k == table[i].k[noisy], "%" PRId64 " not %" PRId64, k,
			      table[i].k[noisy]);
		}
}

static void test_sample_size(void)
{
	static const struct {
		struct randsvm_options o;
		int64_t n, r;
	} table[] = {
		{ { .mode = WORKING_SET_EXACT }, 1000, 1000 },
		{ { .mode = WORKING_SET_EXACT }, 2000, 2000 },
		{ { .mode = WORKING_SET_EXACT }, 40000, 2000 },
		{ { .mode = WORKING_SET_EXACT }, 100001, 2000 },
		{ { .mode = WORKING_SET_EXACT }, 10000000, 2000 },
		{ { .mode = WORKING_SET_EXACT, .sample = 7 }, 10000000, 7 },
		{ { .mode = WORKING_SET_EXACT, .sample = 70 }, 60, 60 },
		{ { .mode = WORKING_SET_PAPER, .sample_factor = 2 }, 10000, 10000 },
		{ { .mode = WORKING_SET_PAPER, .sample_factor = 2, .separable = true },
		  10000,
		  8562 },
		{ { .mode = WORKING_SET_PAPER, .sample_factor = 1.5, .k = 7 }, 10000, 11 },
		{ { .mode = WORKING_SET_PAPER, .sample_factor = 2, .k = 7, .sample = 8 },
		  10000,
		  8 },
		{ { .mode = WORKING_SET_REWEIGHT, .k = 3 }, 10000, 54 },
		{ { .mode = WORKING_SET_REWEIGHT, .k = 3000000000 }, 10000, 10000 },
		{ { .mode = WORKING_SET_REWEIGHT }, 10000, 10000 },
	};

	for (int i = 0; i < LENGTH(table); i++) {
		struct randsvm_options o = table[i].o;
		int64_t r;

		o.epsilon = 0.2;
		o.delta = 0.9;
		r = randsvm_sample_size(&o, table[i].n);
		CHECK(r == table[i].r, "case %d: %" PRId64 ", not %" PRId64, i, r, table[i].r);
	}
}

static void test_reasons(void)
{
	for (int reason = STOP_OPTIMAL; reason <= STOP_INTERRUPTED; reason++)
		CHECK(strlen(stop_reason_text((enum stop_reason)reason)) > 5, "reason %d", reason);
}

/* ---- A problem, and a solver that watches the working sets ---- */

struct working_set {
	int64_t n, n_sv, n_violators;
	bool holds[MAX_N];
	bool is_sv[MAX_N], violates[MAX_N]; /* after solving; violators are outside */
};

static struct world w;
static int64_t position[2 * MAX_N]; /* position[w.row[i]] == i */
static struct randsvm_options options;
static struct working_set set, set_before;
static struct watched_run run;

/* What the next working set must hold, and what it may. */
static void check_step(void)
{
	bool paper = options.mode == WORKING_SET_PAPER;
	int64_t r = randsvm_sample_size(&options, w.p.n), n_new = 0, most, wanted;

	for (int64_t i = 0; i < w.p.n; i++) {
		bool stays = paper ? set_before.is_sv[i] : set_before.holds[i];

		CHECK(!stays || set.holds[i], "row %" PRId64 " is lost", i);
		CHECK(stays || !set.holds[i] || set_before.violates[i],
		      "row %" PRId64 " comes in, and is no violator", i);
		n_new += !stays && set.holds[i];
	}
	most = paper ? r - set_before.n_sv : set_before.n_sv > r ? set_before.n_sv : r;
	wanted = most < set_before.n_violators ? most : set_before.n_violators;
	CHECK(n_new == wanted, "%" PRId64 " violators come in, not %" PRId64, n_new, wanted);
}

static void before_solving(void *arg, const struct problem_view *p, double eps, const double *beta)
{
	bool whole = p->n == w.p.n;

	(void)arg, (void)beta;
	set_before = set;
	memset(&set, 0, sizeof(set));
	set.n = p->n;
	for (int64_t i = 0; i < p->n; i++) {
		int64_t at = position[p->row[i]];

		CHECK(p->target[i] == w.target[at], "target of another row");
		CHECK(i == 0 || p->row[i] > p->row[i - 1], "rows do not ascend");
		set.holds[at] = true;
	}
	CHECK(eps == (whole ? options.eps : options.eps / 2), "eps %g for %" PRId64 " rows", eps,
	      p->n);
	if (run.n_solved++ > 0 && options.mode != WORKING_SET_REWEIGHT)
		check_step();
}

static void after_solving(void *arg, const struct problem_view *p, const double *beta, double rho)
{
	double all[MAX_N] = { 0 }, f[MAX_N];

	(void)arg;
	for (int64_t i = 0; i < p->n; i++) {
		int64_t at = position[p->row[i]];

		all[at] = beta[i];
		set.is_sv[at] = beta[i] != 0;
		set.n_sv += beta[i] != 0;
	}
	plain_values(&w.p, all, f);
	for (int64_t i = 0; i < w.p.n; i++) {
		set.violates[i] =
			!set.holds[i] && certificate_violates(&w.p, i, f[i] - rho, options.eps / 2);
		set.n_violators += set.violates[i];
	}
}

static void note_round(void *arg, const struct randsvm_round *round)
{
	(void)arg;
	if (CHECK(run.n_rounds < WATCHED_MOST_ROUNDS, "%d rounds", run.n_rounds))
		run.round[run.n_rounds++] = *round;
	CHECK(round->number == run.n_rounds &&
		      round->sample == randsvm_sample_size(&options, w.p.n),
	      "round %d, sample %" PRId64, round->number, round->sample);
	CHECK(round->working_set == set.n && round->n_sv == set.n_sv &&
		      round->n_violators == set.n_violators,
	      "%" PRId64 " rows, %" PRId64 " vectors, %" PRId64 " violators; not %" PRId64
	      ", %" PRId64 ", %" PRId64,
	      round->working_set, round->n_sv, round->n_violators, set.n, set.n_sv,
	      set.n_violators);
}

/* Examples of two classes, or with targets; the problem has two thirds of the rows. */
static void make_world(enum machine_type type, int64_t n, double distance)
{
	world_init(&w, (struct problem_view){ .type = type,
					      .kernel = { .type = KERNEL_RBF, .gamma = 0.5 },
					      .n = n,
					      .c_plus = 2,
					      .c_minus = 0.7,
					      .epsilon = 0.2 });
	random_rows(&w.x, n + n / 2 + 2, 4, 0.9);
	for (int64_t i = 0; i < n; i++) {
		bool plus = random_below(2);
		int64_t row = w.row[i] = i + i / 2, start = w.x.row_start[row];

		position[row] = i;
		if (w.x.row_start[row + 1] > start)
			w.x.val[start] += plus ? distance : -distance;
		w.target[i] = type == MACHINE_C_SVC ?
				      plus ? 1 : -1 :
				      sin(2 * csr_row_norm2(&w.x, row)) + 0.1 * random_normal();
	}
	options = (struct randsvm_options){ .mode = WORKING_SET_EXACT,
					    .seed = 5,
					    .eps = 1e-3,
					    .epsilon = 0.2,
					    .delta = 0.9,
					    .sample_factor = 2,
					    .sample = 40,
					    .n_threads = 2 };
	watched_init(&run, (struct watcher){ before_solving, after_solving, note_round, NULL },
		     (struct randsvm_task){
			     .p = &w.p, .options = &options, .x = { .beta = w.beta, .f = w.f } });
}

/* ---- Precision ---- */

static const struct float_vectors *seen_single;

static void note_single(void *arg, const struct problem_view *p, double eps, const double *beta)
{
	(void)arg;
	(void)eps;
	(void)beta;
	seen_single = problem_source(p)->x_float;
}

/* The precision that was chosen, double for a large C, is what the solvers of all modes are given. */
static void test_precision(void)
{
	static const enum working_set_mode modes[] = { WORKING_SET_PAPER, WORKING_SET_REWEIGHT,
						       WORKING_SET_BUDGET };

	for (int k = 0; k < 2 * LENGTH(modes); k++) {
		bool large = k % 2;
		struct tiny_solver
			watching; /* another than the world's, so that rounds are not told */
		struct error err = { 0 };

		make_world(MACHINE_C_SVC, 60, 1);
		options.mode = modes[k / 2];
		options.sample = options.budget = 20;
		options.k = 10;
		options.max_rounds = 1;
		w.p.c_plus = large ? 1e6 : 1;
		run.tiny.solver.warm_start = true;
		run.tiny.before = note_single;
		run.tiny.after = NULL;
		if (!world_use_single(&w))
			continue;
		decision_choose_precision(&w.p, options.eps);
		watching = run.tiny;
		CHECK(watched_try(&run, &watching.solver, &err) == 0, "%s", err.text);
		CHECK((seen_single == NULL) == large, "mode %d, C = %g", (int)options.mode,
		      w.p.c_plus);
		world_free(&w);
	}
}

/* ---- Mode exact ---- */

/* Bounds and sum are kept, and the conditions on all examples to within eps. */
static void expect_optimal(double eps)
{
	double f[MAX_N], sum = plain_sum(w.beta, w.p.n), most = -INFINITY, least = INFINITY;

	CHECK(plain_excess(&w.p, w.beta) <= 0, "beyond a bound by %g", plain_excess(&w.p, w.beta));
	CHECK(fabs(sum) <= 1e-9 * plain_size(w.beta, w.p.n), "sum %g", sum);
	plain_values(&w.p, w.beta, f);
	for (int64_t i = 0; i < w.p.n; i++) {
		double up, down;

		tiny_slopes(&w.p, i, w.beta[i], f[i], &up, &down);
		most = fmax(most, up);
		least = fmin(least, down);
	}
	CHECK(most - least <= eps, "violation %g, not within %g", most - least, eps);
	CHECK(most + run.task.x.rho <= eps && least + run.task.x.rho >= -eps,
	      "rho %g, between %g and %g", -run.task.x.rho, most, least);
}

/* The dual rises, for each round begins with the last one's multipliers; sets grow. */
static void expect_progress(void)
{
	double best_primal = DBL_MAX, best_dual = -INFINITY;

	for (int t = 0; t < run.n_rounds; t++) {
		const struct randsvm_round *now = &run.round[t], *last = now - 1;

		best_primal = fmin(best_primal, now->primal);
		best_dual = fmax(best_dual, now->dual);
		CHECK(now->best_primal == best_primal && now->best_dual == best_dual,
		      "best %g and %g, not %g and %g", now->best_primal, now->best_dual,
		      best_primal, best_dual);
		CHECK(now->dual <= now->primal * (1 + 1e-12), "dual %g above %g", now->dual,
		      now->primal);
		if (t == 0)
			continue;
		CHECK(now->dual >= last->dual - 1e-9 * fabs(last->dual), "dual falls from %g to %g",
		      last->dual, now->dual);
		CHECK(now->working_set > last->working_set, "%" PRId64 " rows after %" PRId64,
		      now->working_set, last->working_set);
	}
}

static void test_exact(void)
{
	for (int trial = 0; trial < 6; trial++) {
		bool svc = trial % 2;

		make_world(svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, 400 + 40 * trial, 1);
		options.seed = (uint64_t)trial;
		options.sample = trial < 4 ? 40 : 7;
		options.eps = trial < 2 ? 1e-3 : 1e-5;
		watched_solve(&run);
		expect_optimal(options.eps + 1e-9);
		expect_progress();
		CHECK(run.task.result.reason == (set.n == w.p.n ? STOP_WHOLE_SET : STOP_OPTIMAL),
		      "stopped by %d", run.task.result.reason);
		CHECK(run.n_rounds > 2, "%d rounds", run.n_rounds);
		world_free(&w);
	}
}

/* With LIBSVM, which starts anew each time and rounds kernel values to floats. */
static void test_exact_with_libsvm(void)
{
	struct solver solver = libsvm_solver(10, true);

	for (int trial = 0; trial < 4; trial++) {
		struct error err = { 0 };
		double size = 0;

		make_world(trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, 600, 1);
		if (trial >= 2)
			w.p.kernel.type = KERNEL_LINEAR;
		CHECK(watched_try(&run, &solver, &err) == 0, "%s", err.text);
		for (int64_t i = 0; i < w.p.n; i++)
			size += fabs(w.beta[i]);
		expect_optimal(options.eps + 10 * size * FLT_EPSILON);
		CHECK(run.task.result.reason == STOP_OPTIMAL && run.task.x.n_iterations > 0,
		      "stopped by %d after %" PRId64, run.task.result.reason,
		      run.task.x.n_iterations);
		world_free(&w);
	}
}

/* A sample of everything is everything, with all of eps. */
static void test_whole_set(void)
{
	make_world(MACHINE_C_SVC, 200, 1);
	options.sample = 0;
	for (int mode = WORKING_SET_EXACT; mode <= WORKING_SET_REWEIGHT; mode++) {
		options.mode = (enum working_set_mode)mode;
		watched_solve(&run);
		expect_optimal(options.eps + 1e-9);
		CHECK(run.task.result.reason == STOP_WHOLE_SET && run.n_rounds == 1, "mode %d: %d",
		      mode, run.task.result.reason);
	}
	world_free(&w);
}

static void test_round_limit(void)
{
	make_world(MACHINE_C_SVC, 500, 1);
	options.sample = 20;
	options.max_rounds = 2;
	watched_solve(&run);
	CHECK(run.task.result.reason == STOP_MAX_ROUNDS && run.n_rounds == 2,
	      "%d rounds, stopped by %d", run.n_rounds, run.task.result.reason);
	options.mode = WORKING_SET_PAPER;
	options.k = 1000;
	options.sample = 200;
	watched_solve(&run);
	CHECK(run.task.result.reason == STOP_MAX_ROUNDS && run.n_rounds == 2,
	      "%d rounds, stopped by %d", run.n_rounds, run.task.result.reason);
	world_free(&w);
}

/* ---- Other ends ---- */

/* Bounds and sum are kept, and the certificate is that of the multipliers. */
static void expect_honest(void)
{
	const struct certificate *c = &run.task.result.certificate;
	double f[MAX_N], sum = plain_sum(w.beta, w.p.n), dual;

	CHECK(c->primal >= c->dual - 1e-6 * fabs(c->dual), "mode %d, type %d: primal %g below %g",
	      options.mode, w.p.type, c->primal, c->dual);
	CHECK(isfinite(run.task.x.rho) && isfinite(c->primal), "rho %g", run.task.x.rho);
	/* its multipliers may be those of a sample, and its dual that of another solution */
	if (run.task.result.reason == STOP_INTERRUPTED)
		return;
	CHECK(plain_excess(&w.p, w.beta) <= 0, "beyond a bound by %g", plain_excess(&w.p, w.beta));
	CHECK(fabs(sum) <= 1e-9 * plain_size(w.beta, w.p.n), "sum %g", sum);
	plain_values(&w.p, w.beta, f);
	dual = certificate_dual(&w.p, w.beta, f);
	CHECK(fabs(c->dual - dual) <= 1e-4 * (1 + fabs(dual)), "dual %g, not %g", c->dual, dual);
}

/* The first gap small enough is the last, whatever solves. */
static void test_gap(void)
{
	static const double gaps[] = { 0.5, 0.1, 0.02, 0.004, 0.0008, 0.00016 };
	struct solver native = smo_solver(10, 1);
	struct error err = { 0 };
	int n_rounds;

	make_world(MACHINE_C_SVC, 900, 1);
	watched_solve(&run);
	n_rounds = run.n_rounds;
	for (int k = 0; k < LENGTH(gaps); k += UNIT_IS_SANITIZED ? 2 : 1) {
		double gap = options.gap = gaps[k];

		watched_solve(&run);
		CHECK(run.task.result.reason == STOP_GAP, "gap %g: stopped by %d", gap,
		      run.task.result.reason);
		CHECK(run.n_rounds <= n_rounds, "%d rounds", run.n_rounds);
		for (int t = 0; t < run.n_rounds; t++) {
			const struct randsvm_round *r = &run.round[t];

			CHECK((r->primal - r->dual <= gap * r->primal) == (t == run.n_rounds - 1),
			      "gap %g of %d: %g", gap, t, r->primal - r->dual);
		}
		expect_honest();
		CHECK(watched_try(&run, &native, &err) == 0, "%s", err.text);
		CHECK(run.task.result.reason == STOP_GAP &&
			      certificate_relative_gap(&run.task.result.certificate) <= gap,
		      "gap %g: stopped by %d", gap, run.task.result.reason);
		expect_honest();
	}
	world_free(&w);
}

/* No, n times; then yes. */
static bool after_some(void *arg)
{
	int *left = arg;

	return *left <= 0 || (*left)-- <= 0;
}

static void test_interruption(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };
	int n_interrupted = 0;

	for (int trial = 0; trial < 60; trial++) {
		int left = trial / 6;
		struct interruption interruption = { .requested = after_some, .arg = &left };
		struct solver solver = smo_solver(10, 1);
		struct error err = { 0 };

		make_world(types[trial % 2], 900, 0.3);
		options.mode = (enum working_set_mode)(trial / 2 % 3);
		options.k = options.mode == WORKING_SET_PAPER ? 500 : 10;
		options.sample = options.mode == WORKING_SET_EXACT ? 40 : 500;
		w.p.c_plus = w.p.c_minus = 1e4;
		solver.interruption = &interruption;
		CHECK(watched_try(&run, &solver, &err) == 0, "%s", err.text);
		if (left > 0)
			CHECK(run.task.result.reason != STOP_INTERRUPTED, "interrupted by nobody");
		else
			n_interrupted += run.task.result.reason == STOP_INTERRUPTED;
		if (trial < 6)
			CHECK(run.task.result.reason == STOP_INTERRUPTED, "mode %d: stopped by %d",
			      options.mode, run.task.result.reason);
		CHECK(run.task.result.certificate.n_sv > 10, "no model to speak of");
		expect_honest();
		world_free(&w);
	}
	CHECK(n_interrupted > 20, "%d interrupted", n_interrupted);
}

/* The least primal of w = 0. */
static double zero_primal(const struct problem_view *p)
{
	static double zero[MAX_N];
	struct iterate x = { .beta = zero, .f = zero };
	struct certificate c;
	struct error err = { 0 };

	CHECK(certificate_make(p, &x, 1e-3, &c, &err) == 0, "%s", err.text);
	return c.primal;
}

/* The optimum, by LIBSVM's way: all examples at once. */
static double optimum_of(void)
{
	enum working_set_mode mode = options.mode;
	struct solver solver = smo_solver(10, 1);
	struct error err = { 0 };

	options.mode = WORKING_SET_EXACT;
	CHECK(watched_try(&run, &solver, &err) == 0, "%s", err.text);
	options.mode = mode;
	return run.task.result.certificate.primal;
}

/* One problem, ended at its first look at whether to end, its second, and so on. */
static void expect_worth(bool linear)
{
	double zero = zero_primal(&w.p), first = INFINITY, optimum = optimum_of();

	for (int looks = 0; looks < 400; looks += 1 + looks / 6) {
		int left = looks;
		struct interruption interruption = { .requested = after_some, .arg = &left };
		struct solver solver = smo_solver(10, 1);
		const struct certificate *c = &run.task.result.certificate;
		struct error err = { 0 };

		solver.interruption = &interruption;
		CHECK(watched_try(&run, &solver, &err) == 0, "%s", err.text);
		if (run.task.result.reason != STOP_INTERRUPTED)
			return;
		expect_honest();
		CHECK(c->primal <= zero * (1 + 1e-9), "mode %d, %d looks: primal %g, of w = 0 %g",
		      options.mode, looks, c->primal, zero);
		CHECK(c->dual <= optimum * (1 + 1e-4), "mode %d, %d looks: dual %g, optimum %g",
		      options.mode, looks, c->dual, optimum);
		/* of the linear kernel there is no sample; of other modes the first may be half solved */
		if (linear || (options.mode != WORKING_SET_EXACT && run.task.result.rounds < 2))
			continue;
		CHECK(c->primal <= 1.05 * first, "mode %d, %d looks: primal %g, at first %g",
		      options.mode, looks, c->primal, first);
		first = fmin(first, c->primal);
	}
}

/* More time is never worse, and any better than no model, in every mode. */
static void test_more_time(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };

	for (int trial = 0; trial < 24; trial += UNIT_IS_SANITIZED ? 9 : 1) {
		bool linear = trial / 2 % 6 == 4, merges = trial / 2 % 6 == 5;

		make_world(types[trial % 2], 900, 0.3);
		options.mode = linear || merges ? WORKING_SET_EXACT :
						  (enum working_set_mode)(trial / 2 % 6);
		for (int64_t i = 300; merges && i < 900; i++) {
			w.row[i] = w.row[i % 300];
			w.target[i] = w.target[i % 300];
		}
		options.sample = options.mode == WORKING_SET_EXACT ? 60 : 300;
		options.k = options.mode == WORKING_SET_REWEIGHT ? 7 : 300;
		options.budget = 200;
		w.p.kernel.type = linear ? KERNEL_LINEAR : KERNEL_RBF;
		w.p.c_plus = w.p.c_minus = trial < 12 ? 10 : 1000;
		expect_worth(linear);
		world_free(&w);
	}
}

/* ---- What the result depends on ---- */

static void test_threads_and_seeds(void)
{
	static double beta[MAX_N];
	static bool first[MAX_N];
	const size_t size = 700 * sizeof(*beta);
	struct iterate x;

	make_world(MACHINE_C_SVC, 700, 1);
	for (int mode = WORKING_SET_EXACT; mode <= WORKING_SET_REWEIGHT; mode++) {
		options.mode = (enum working_set_mode)mode;
		options.k = 5;
		options.sample = 60;
		options.max_rounds = 5;
		options.n_threads = 1;
		watched_solve(&run);
		memcpy(beta, w.beta, size);
		x = run.task.x;
		options.n_threads = 4;
		watched_solve(&run);
		CHECK(!memcmp(beta, w.beta, size) && x.rho == run.task.x.rho &&
			      x.n_iterations == run.task.x.n_iterations,
		      "mode %d: threads matter", mode);
		options.max_rounds = 1;
		watched_solve(&run);
		memcpy(first, set.holds, sizeof(first));
		options.seed++;
		watched_solve(&run);
		CHECK(memcmp(first, set.holds, sizeof(first)) != 0, "mode %d: one sample", mode);
	}
	world_free(&w);
}

/* ---- Mode paper ---- */

static void expect_stop(enum stop_reason reason)
{
	const struct randsvm_round *last;

	options.mode = WORKING_SET_PAPER;
	watched_solve(&run);
	last = &run.round[run.n_rounds - 1];
	CHECK(run.task.result.reason == reason, "stopped by %d, not %d", run.task.result.reason,
	      reason);
	for (int t = 0; t < run.n_rounds; t++) {
		CHECK(run.round[t].working_set <= options.sample, "%" PRId64 " rows of %" PRId64,
		      run.round[t].working_set, options.sample);
		CHECK(t == run.n_rounds - 1 ||
			      (run.round[t].n_sv < options.k && run.round[t].n_violators),
		      "went on after %" PRId64 " vectors, %" PRId64 " violators", run.round[t].n_sv,
		      run.round[t].n_violators);
	}
	CHECK(last->k == options.k, "k %" PRId64, last->k);
	CHECK(reason != STOP_OPTIMAL || last->n_violators == 0, "%" PRId64 " violators",
	      last->n_violators);
	CHECK(reason != STOP_ENOUGH_VECTORS || last->n_sv >= options.k, "%" PRId64 " vectors",
	      last->n_sv);
}

static void test_paper_stops(void)
{
	make_world(MACHINE_C_SVC, 500, 4);
	w.p.kernel.gamma = 0.05;
	options.k = 200;
	options.sample = 100;
	expect_stop(STOP_OPTIMAL);
	expect_optimal(options.eps + 1e-9);
	world_free(&w);
	make_world(MACHINE_C_SVC, 500, 0.5);
	options.k = 30;
	options.sample = 100;
	expect_stop(STOP_ENOUGH_VECTORS);
	w.p.kernel.gamma = 1e6; /* nothing is like anything: all are support vectors */
	options.k = 200;
	expect_stop(STOP_NO_ROOM);
	CHECK(run.n_rounds == 1 && set.n_sv == 100, "%" PRId64 " vectors", set.n_sv);
	world_free(&w);
	make_world(MACHINE_EPSILON_SVR, 500, 0);
	w.p.epsilon = 1;
	options.k = options.sample = 300;
	expect_stop(STOP_OPTIMAL);
	expect_optimal(options.eps + 1e-9);
	world_free(&w);
}

/* It is k support vectors that stop it, not one less. */
static void test_paper_threshold(void)
{
	int64_t n_sv;

	make_world(MACHINE_C_SVC, 500, 0.5);
	options.mode = WORKING_SET_PAPER;
	options.sample = 100;
	options.k = 1000;
	options.max_rounds = 1;
	watched_solve(&run);
	n_sv = set.n_sv;
	CHECK(n_sv > 10 && n_sv < 100 && set.n_violators > 0, "%" PRId64 " vectors", n_sv);
	options.max_rounds = 0;
	options.k = n_sv + 1;
	watched_solve(&run);
	CHECK(run.n_rounds > 1, "stopped by %d", run.task.result.reason);
	options.k = n_sv;
	expect_stop(STOP_ENOUGH_VECTORS);
	CHECK(run.n_rounds == 1, "%d rounds", run.n_rounds);
	world_free(&w);
}

/* ---- Mode reweight ---- */

static void test_reweight(void)
{
	make_world(MACHINE_C_SVC, 800, 4);
	w.p.kernel.type = KERNEL_LINEAR;
	options.mode = WORKING_SET_REWEIGHT;
	options.k = 3;
	options.sample = 0;
	watched_solve(&run);
	CHECK(run.task.result.reason == STOP_OPTIMAL, "stopped by %d after %d rounds",
	      run.task.result.reason, run.n_rounds);
	expect_optimal(options.eps + 1e-9);
	for (int t = 0; t < run.n_rounds; t++)
		CHECK(run.round[t].working_set <= 54, "%" PRId64 " rows", run.round[t].working_set);
	CHECK(run.n_rounds > 1, "%d rounds", run.n_rounds);
	world_free(&w);
}

/* ---- Samples without one of the classes ---- */

static void test_missing_class(void)
{
	for (int mode = WORKING_SET_EXACT; mode <= WORKING_SET_REWEIGHT; mode++)
		for (int plus = 0; plus <= 1; plus++) {
			int64_t n_rare = 0;

			make_world(MACHINE_C_SVC, 500, 0);
			for (int64_t i = 0; i < w.p.n; i++)
				w.target[i] = (i % 100 == 50) == plus ? 1 : -1;
			options.mode = (enum working_set_mode)mode;
			options.k = 1000;
			options.sample = 15;
			options.max_rounds = 1;
			watched_solve(&run);
			for (int64_t i = 50; i < w.p.n; i += 100)
				n_rare += set.holds[i];
			CHECK(n_rare >= 1 && set.n <= 17, "mode %d: %" PRId64 " of %" PRId64, mode,
			      n_rare, set.n);
			world_free(&w);
		}
}

/* ---- Decision values ---- */

static void test_decision_values(void)
{
	static double f[MAX_N], expected[MAX_N];

	for (int linear = 0; linear <= 1; linear++) {
		struct error err = { 0 };

		make_world(MACHINE_EPSILON_SVR, 600, 1);
		w.p.kernel.type = linear ? KERNEL_LINEAR : KERNEL_RBF;
		for (int64_t i = 0; i < w.p.n; i++)
			w.beta[i] = random_below(3) ? random_normal() : 0;
		plain_values(&w.p, w.beta, expected);
		CHECK(decision_values(&w.p, w.beta, 1e-3, f, 3, &err) == 0, "%s", err.text);
		for (int64_t i = 0; i < w.p.n; i++)
			CHECK(fabs(f[i] - expected[i]) <= 1e-10, "%g not %g", f[i], expected[i]);
		world_start_cold(&w);
		CHECK(decision_values(&w.p, w.beta, 1e-3, f, 3, &err) == 0, "%s", err.text);
		for (int64_t i = 0; i < w.p.n; i++)
			CHECK(f[i] == 0, "%g not 0", f[i]);
		world_free(&w);
	}
}

/* ---- Failures ---- */

static int solve_once(void *arg, struct error *err)
{
	struct tiny_solver silent = { .solver.solve = tiny_solve };

	(void)arg;
	return watched_try(&run, &silent.solver, err);
}

static void test_memory(void)
{
	for (int mode = WORKING_SET_EXACT; mode <= WORKING_SET_REWEIGHT; mode++) {
		make_world(MACHINE_C_SVC, 120, 1);
		options.mode = (enum working_set_mode)mode;
		options.k = 30;
		options.sample = 20;
		options.max_rounds = 3;
		CHECK(fail_each_allocation("randsvm_solve", solve_once, NULL) > 20,
		      "few allocations");
		world_free(&w);
	}
}

static int fail_to_solve(const struct solver *solver, const struct problem_view *p, double eps,
			 struct iterate *x, struct error *err)
{
	(void)solver, (void)p, (void)eps, (void)x;
	return error_set(err, ERR_NUMERIC, "no solution");
}

/* exact tries the whole set once more, then ends. */
static void test_giving_up(void)
{
	struct solver giving_up = { .solve = watched_give_up };
	struct error err = { 0 };

	make_world(MACHINE_C_SVC, 120, 1);
	options.sample = 20;
	CHECK(watched_try(&run, &giving_up, &err) == 0, "%s", err.text);
	CHECK(run.task.result.rounds == 2 && run.task.result.reason == STOP_MAX_ITERATIONS,
	      "%d rounds, reason %d", run.task.result.rounds, run.task.result.reason);
	world_free(&w);
}

static void test_solver_failure(void)
{
	struct solver failing = { .solve = fail_to_solve };
	struct error err = { 0 };

	make_world(MACHINE_C_SVC, 120, 1);
	CHECK(watched_try(&run, &failing, &err) == -1 && err.code == ERR_NUMERIC, "%s", err.text);
	world_free(&w);
}

int main(void)
{
	test_default_k();
	test_sample_size();
	test_reasons();
	test_precision();
	test_exact();
	test_exact_with_libsvm();
	test_whole_set();
	test_round_limit();
	test_gap();
	test_interruption();
	if (!UNIT_FINDS_RACES) /* one thread */
		test_more_time();
	test_threads_and_seeds();
	test_paper_stops();
	test_paper_threshold();
	test_reweight();
	test_missing_class();
	test_decision_values();
	test_memory();
	test_giving_up();
	test_solver_failure();
	return unit_report("randsvm");
}
