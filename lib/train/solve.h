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
