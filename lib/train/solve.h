/*
 * solve.h - training on random working sets
 *
 * Solve the problem of a small subset T.  Find the examples outside T that violate the KKT
 * conditions, add some of them to T, and repeat.  When no example violates, the solution of T is
 * the solution of the whole problem: an example with multiplier 0 whose condition holds contributes
 * nothing to it.
 *
 * Sources: Krishnan, Bhattacharyya, Hariharan, NIPS 2007; Jethava, Suresh, Bhattacharyya,
 * Hariharan, arXiv 0909.3609 (Algorithms 1 and 2; the sizes of samples follow from equation 7, see
 * randsvm_default_k() in rounds.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/rounds.h"

/*
 * randsvm_solve() - solve the task's problem by random working sets
 *
 * task->x becomes the solution: multipliers, decision values and constant.  What its arrays hold
 * before does not matter.  task->result.certificate holds the bounds of the optimum that the
 * solution proves.
 *
 * Modes paper and reweight are paper_solve(), mode budget is budget_solve().  Mode exact is
 * exact_solve(), or exact_solve_linear() for a linear kernel, or exact_solve_monomials() for a
 * polynomial one of few columns; with a solver that has no warm start it is paper_solve().
 *
 * Working sets are solved to within eps / 2 or less, and an example outside the working set
 * violates if its condition fails by more than eps / 2.  So with STOP_OPTIMAL the solution
 * satisfies svm-train's stopping rule m(beta) - M(beta) <= eps on all examples, up to the rounding
 * of kernel values.  Where doubles cannot hold such a solution the best one found is the result,
 * and the certificate has an 'excess'.
 *
 * The result depends on the problem, the options and the seed, but not on n_threads.
 */
int randsvm_solve(struct randsvm_task *task, struct error *err);

/*
 * paper_solve() - randsvm_solve() in modes paper and reweight: the published algorithms
 *
 * Also mode exact with a solver that has no warm start: the working set then grows by violators
 * until no example violates.
 */
int paper_solve(struct randsvm_task *task, struct error *err);

/* ---- budget.c: an approximate solution of a large problem, from few examples at a time ---- */

/* Rounds for each model if options->max_rounds is 0. */
#define BUDGET_DEFAULT_ROUNDS 7

/* Largest number of models that are averaged. */
#define BUDGET_MAX_MODELS 1000

/*
 * budget_solve() - randsvm_solve() in mode budget
 *
 * The first round solves a uniform subset of m = options->budget examples.  Every later round
 * solves a working set of at most m examples: the support vectors of the best solution so far, and
 * a uniform choice from its candidates.  The candidates are its violators,
 *
 *     C-SVC: y (f + b) < 1 - eps / 2       epsilon-SVR: |y - f - b| > epsilon + eps / 2
 *
 * until a round is rejected.  From then on they are all examples near or inside the margin, a
 * smaller share of which has a wrong label:
 *
 *     C-SVC: y (f + b) < 2                 epsilon-SVR: |y - f - b| > epsilon / 2
 *
 * A round is accepted if its primal, over all examples and with the best b, is below the best
 * primal so far by more than 1e-4 of it; or if it is no higher and no example violates.  Otherwise
 * the round is rejected.  The result is the last accepted solution; its primal is never higher than
 * that of the first, uniform subset.
 *
 * Rounds end when no example violates (the optimum, as in mode exact); when the gap asked for is
 * reached; after two rejected rounds in a row; when the support vectors leave room for fewer than
 * m / 20 other examples; after max_rounds rounds (0: BUDGET_DEFAULT_ROUNDS); when the solver
 * reaches its limit of iterations; or on interruption, with the best solution so far, whose primal is
 * then not above that of all multipliers 0.  The first round is run in any case; where the time left
 * is known and the problem has all rows of its data, the first three, as one sample may be an unlucky
 * one.
 *
 * One-class and nu-SVR have another uniform sample of m in each round, solved with bounds n / m
 * times larger and the sums of the whole problem: its f estimates the problem's own.  rho and
 * epsilon become those of certificate_thresholds(), over all examples.  Such multipliers are beyond
 * the problem's bounds: they have no dual but, as nu-SVR's sums are limits, that of its best feasible
 * multiple.  Rounds end by two rejected ones, their limit, the gap or interruption alone.  Of nu-SVR
 * the first sample has the problem's bounds and m / n of the sums instead, the second larger bounds,
 * and later ones what the best had.
 *
 * options->n_models (0: 1) such solutions, each from its own independent samples, are averaged:
 * beta, f and rho.  The average is feasible, and its primal is at most the mean of their primals.
 *
 * certificate.dual is the greatest dual of all rounds, a lower bound of the optimum.
 * round.n_violators counts all examples that violate by more than eps at the round's own b.
 *
 * No subproblem has more than m examples.  A run keeps 42 bytes for each of the n examples.  A
 * round costs n n_sv kernel values and the solution of a problem of m examples.
 *
 * m >= 2.  If m >= n the whole problem is solved, once, and has a dual.
 */
int budget_solve(struct randsvm_task *task, struct error *err);

/*
 * budget_compete() - mode budget against the certified solution that the task has, which ended early
 *
 * With at most budget_for_early() examples at a time, until the task's interruption ends it, but
 * with the rounds that budget_solve() runs in any case.  The result becomes the solution of smaller
 * primal, and its dual the greater; the reason stays.  A solution that this has no memory for is
 * none.
 */
void budget_compete(struct randsvm_task *task, struct error *err);

/*
 * budget_for_early() - the problem's share of 3000 rows of its data, but at most half of its examples
 * and 1.5 times the first sample; 0 for squared losses and nu-SVC, of which there is no mode budget
 */
int64_t budget_for_early(const struct randsvm_task *task);

/* ---- route.c: the algorithm that solves one problem, and why ---- */

enum route {
	ROUTE_BUDGET,	 /* a working set of limited size: budget_solve() */
	ROUTE_PUBLISHED, /* the published algorithms: paper_solve() */
	ROUTE_WEIGHTS,	 /* the linear engine: exact_solve_linear() */
	ROUTE_STEPWISE,	 /* LIBSVM's steps: exact_solve() */
	ROUTE_AT_ONCE,	 /* all examples from the start: exact_solve() */
	/* working sets, on kernel values kept for several problems: exact_solve() */
	ROUTE_KEPT,
	ROUTE_DISTINCT /* working sets, with equal examples made one: exact_solve() */
};

/* struct plan_line - one decision of a training in words; the strings are constants */
struct plan_line {
	const char *subject, *choice, *reason;
};

/*
 * route_choose() - the way to solve a problem
 *
 * Of the problem only the machine, the kernel, the source of kernel values (in the precision that
 * was chosen) and n are looked at.  The route does not depend on memory or threads, as the result
 * must not.
 */
enum route route_choose(const struct randsvm_options *options, const struct solver *solver,
			const struct problem_view *p);

/* route_explain() - the route in words */
struct plan_line route_explain(enum route route);
