/*
 * budget.h - a good solution of a problem too large to solve, from few examples at a time
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BUDGET_H
#define RANDSVM_BUDGET_H

#include "base/error.h"
#include "problem/solver.h"
#include "train/rounds.h"

/* Rounds for each model unless options->max_rounds says another number. */
#define BUDGET_DEFAULT_ROUNDS 7

/* At most so many models are averaged. */
#define BUDGET_MAX_MODELS 1000

/*
 * budget_solve() - randsvm_solve() in mode budget
 *
 * The first round solves a uniform subset of m = options->budget examples.  Each further one
 * solves the support vectors of the best solution so far and, up to m examples, a random choice
 * of those that violate its conditions,
 *
 *     y (f + b) < 1 - eps / 2       |y - f - b| > epsilon + eps / 2
 *
 * and once that has failed, for good, of those near the margin or beyond, of which wrongly labelled
 * examples are fewer:
 *
 *     y (f + b) < 2                 |y - f - b| > epsilon / 2
 *
 * A solution is kept where its primal over all examples, with the best b, is less by more than
 * 1e-4 of the best one before, or where it has no violators at all.  So the result, the
 * solution of least primal, is never worse than the first.  It ends where there are no violators
 * (the optimum, as in mode exact), after two rounds in a row that were not kept, where the support
 * vectors leave less than m / 20 of room, or after max_rounds rounds (0: BUDGET_DEFAULT_ROUNDS).
 *
 * options->n_models (0: 1) such solutions, from samples independent of each other, are averaged:
 * beta, and so f, and rho.  The average is feasible, and its primal at most the mean of theirs.
 *
 * certificate.dual is the greatest dual of all rounds: the optimum is known to be no less.
 * round.n_violators is over all examples, to within eps, at the round's own b.
 *
 * No subproblem has more than m examples.  Besides, 42 n bytes are taken.  A round costs n n_sv
 * kernel values, and the solution of m examples.
 *
 * m >= 2.  Where m >= n the whole problem is solved, once.
 */
int budget_solve(struct randsvm_task *task, struct error *err);

#endif
