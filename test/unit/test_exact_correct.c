/*
 * test_exact_correct.c - proofs that correct some decision values decide as if all were computed
 *
 * Random problems are solved, a few multipliers are changed, and exact_correct() is called, as it is
 * before a second proof.  All decision values are then recomputed in double by plain loops.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "proof/certificate.h"
#include "random.h"
#include "tiny_solver.h"
#include "train/exact_run.h"
#include "unit.h"
#include "world.h"

enum { N = 400, D = 2 };

#define EPS 1e-3

static struct world w;
static double best[N], rho; /* its optimum */

/* The proof: by w.f, and what those should be. */
static int64_t list[N];
static double seen[N], truth[N];
static bool is_working[N];
static struct randsvm_options options;
static struct exact_run run;

/* Over all trials: corrections that succeeded, values kept, and kept ones that have changed. */
static int64_t n_done, n_kept, n_moved;

/*
 * Two classes on both sides of a line, or a wave along it, with noise.  The line is long: a multiplier
 * that changes much moves the values of its neighbours, and not the best b.
 */
static void draw_problem(enum machine_type type, double gamma, double C)
{
	world_free(&w);
	world_init(&w, (struct problem_view){ .type = type,
					      .kernel = { .type = KERNEL_RBF, .gamma = gamma },
					      .n = N,
					      .c_plus = C,
					      .epsilon = 0.3 });
	random_rows(&w.x, N, D, 1);
	for (int64_t i = 0; i < N; i++) {
		double *x = w.x.val + w.x.row_start[i];
		double side = i % 2 ? 1 : -1;

		x[0] = random_between(0, 30);
		x[1] = 0.7 * random_normal() + (type == MACHINE_C_SVC ? side : 0);
		w.target[i] = type == MACHINE_C_SVC ? side : sin(2 * x[0]) + 0.1 * random_normal();
	}
}

static void solve(void)
{
	const struct tiny_solver tiny = { .solver.solve = tiny_solve };
	struct error err = { 0 };

	CHECK(tiny_solve(&tiny.solver, &w.p, 1e-5, &w.at, &err) == 0, "%s", err.text);
	memcpy(best, w.beta, sizeof(best));
	rho = w.at.rho;
}

/* The optimum, and a first proof, after which the history knows all values. */
static void prove(void)
{
	struct error err = { 0 };

	memcpy(w.beta, best, sizeof(best));
	memset(is_working, 0, sizeof(is_working));
	w.at.rho = rho;
	options = (struct randsvm_options){ .eps = EPS, .n_threads = 1 };
	run = (struct exact_run){ .p = &w.p,
				  .o = &options,
				  .x = &w.at,
				  .list_room = list,
				  .is_working = is_working,
				  .movement = { .seen = seen, .total = 1 } };
	CHECK(decision_history_init(&run.proofs.history, N, &err) == 0 &&
		      decision_update(&run.proofs.history, &w.p, &w.at, list, EPS, 1, &err) == 0,
	      "%s", err.text);
}

/* A few multipliers, zero or not, move by up to 'most'; the examples are members, or may be. */
static void change(int n_changes, double most)
{
	for (int k = 0; k < n_changes; k++) {
		int64_t i = random_below(N);

		w.beta[i] =
			fmin(fmax(w.beta[i] + random_between(-most, most), problem_lower(&w.p, i)),
			     problem_upper(&w.p, i));
		is_working[i] = random_below(2);
	}
	for (int64_t i = 0; i < N; i++)
		seen[i] = 0;
	is_working[random_below(N)] = true;
}

/* Kept values: no loss and no violation with the true one either, so a margin cannot have been met. */
static void check_kept(int64_t i)
{
	double kept = exact_slack(&run, i), true_slack, f = w.f[i];

	w.f[i] = truth[i];
	true_slack = exact_slack(&run, i);
	w.f[i] = f;
	CHECK(w.beta[i] == 0 && !is_working[i], "%" PRId64 " may not be kept", i);
	CHECK(kept > 0 && true_slack > 0, "%" PRId64 ": slack %g, kept with %g", i, true_slack,
	      kept);
	n_kept++;
	n_moved += fabs(f - truth[i]) > EPS;
}

/* Corrected ones: the true values, to within what two evaluations may be off. */
static void check_corrected(int64_t i)
{
	CHECK(fabs(w.f[i] - truth[i]) <= EPS, "%" PRId64 ": %.9g, not %.9g", i, w.f[i], truth[i]);
}

/* The proof by these values and by the true ones. */
static void check_proof(void)
{
	struct iterate plain = w.at;
	struct certificate by_these, by_truth;
	struct error err = { 0 };

	for (int64_t i = 0; i < N; i++) {
		double b = -w.at.rho, room = fabs(w.f[i] - truth[i]);
		bool kept = seen[i] == run.proofs.seen;

		/* a corrected value may be off by rounding, which decides where it meets the limit */
		CHECK(certificate_row_violates(&w.p, i, w.beta[i], w.f[i] + b, EPS) ==
				      certificate_row_violates(&w.p, i, w.beta[i], truth[i] + b,
							       EPS) ||
			      (!kept && fabs(fabs(exact_slack(&run, i)) - EPS) <= room),
		      "%" PRId64 " violates by one value alone", i);
	}
	plain.f = truth;
	CHECK(certificate_make(&w.p, &w.at, EPS, &by_these, &err) == 0 &&
		      certificate_make(&w.p, &plain, EPS, &by_truth, &err) == 0,
	      "%s", err.text);
	CHECK(fabs(by_these.primal - by_truth.primal) <= 1e-6 * by_truth.primal &&
		      fabs(by_these.dual - by_truth.dual) <= 1e-6 * by_truth.primal,
	      "primal %.9g, dual %.9g, not %.9g, %.9g", by_these.primal, by_these.dual,
	      by_truth.primal, by_truth.dual);
}

static void trial(int n_changes, double most)
{
	struct error err = { 0 };
	int ret;

	prove();
	change(n_changes, most);
	ret = exact_correct(&run, &err);
	CHECK(ret >= 0, "%s", err.text);
	plain_values(&w.p, w.beta, truth);
	/* kept: computed when the history's were; corrected: now */
	for (int64_t i = 0; ret == 0 && i < N; i++) {
		if (seen[i] == run.movement.total)
			check_corrected(i);
		else
			check_kept(i);
	}
	if (ret == 0) {
		check_proof();
		n_done++;
	}
	decision_history_free(&run.proofs.history);
}

static void test_random(enum machine_type type)
{
	static const double gammas[] = { 0.2, 1, 5 }, costs[] = { 0.3, 3 };
	static const double sizes[] = { 1e-3, 0.1, 1, 3 };

	n_done = n_kept = n_moved = 0;
	for (int g = 0; g < 3; g++)
		for (int c = 0; c < 2; c++) {
			draw_problem(type, gammas[g], costs[c]);
			solve();
			for (int k = 0; k < 4; k++)
				for (int changes = 1; changes <= 4; changes += 3)
					trial(changes, sizes[k]);
		}
	CHECK(n_done >= 20, "corrected %" PRId64 " times only", n_done);
	CHECK(n_kept >= 200 && n_moved >= 5, "%" PRId64 " values kept, %" PRId64 " of them moved",
	      n_kept, n_moved);
}

/* Far from the optimum the best b may be anywhere: all are evaluated. */
static void test_far(void)
{
	struct error err = { 0 };

	draw_problem(MACHINE_C_SVC, 0.5, 3);
	solve();
	prove();
	w.at.rho += 1;
	change(1, 0.1);
	CHECK(exact_correct(&run, &err) == 1, "b is not near");
	decision_history_free(&run.proofs.history);
	prove();
	change(N, 3);
	CHECK(exact_correct(&run, &err) == 1, "most multipliers changed");
	decision_history_free(&run.proofs.history);
}

static int correct_once(void *arg, struct error *err)
{
	(void)arg;
	return exact_correct(&run, err) < 0 ? -1 : 0;
}

static void test_memory(void)
{
	draw_problem(MACHINE_C_SVC, 0.5, 3);
	solve();
	prove();
	change(2, 0.1);
	fail_each_allocation("exact_correct", correct_once, NULL);
	decision_history_free(&run.proofs.history);
	world_free(&w);
}

int main(void)
{
	test_random(MACHINE_C_SVC);
	test_random(MACHINE_EPSILON_SVR);
	test_far();
	test_memory();
	return unit_report("exact_correct");
}
