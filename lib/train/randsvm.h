/*
 * randsvm.h - training on random working sets
 *
 * Solve a small subset T, find the examples outside T that violate the optimality
 * conditions, put (some of) them into T, repeat.  When none is left the solution of T is
 * the solution of all: an example with multiplier 0 that does not violate its
 * condition changes nothing.
 *
 * Sources: Krishnan, Bhattacharyya, Hariharan, NIPS 2007; Jethava, Suresh, Bhattacharyya,
 * Hariharan, arXiv 0909.3609 (Algorithms 1 and 2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RANDSVM_H
#define RANDSVM_RANDSVM_H

#include "base/error.h"
#include "train/rounds.h"

/*
 * randsvm_solve() - solve the task's problem by random working sets
 *
 * task->x, whatever its arrays hold at first, becomes the solution: multipliers of the last working
 * set, 0 elsewhere, the decision values and the constant; task->result.certificate says what they
 * prove.  In mode exact with a
 * solver that starts warm this is exact_solve(); with another, T grows by violators until
 * there are none.  Mode budget is budget_solve().
 *
 * Subproblems, and violators, get half of eps each, so that in mode exact (and whenever it stops
 * with STOP_OPTIMAL) the solution keeps svm-train's stopping rule m(beta) - M(beta) <= eps on all
 * examples, up to the rounding of kernel values; where doubles cannot hold a solution that proves
 * anything it fails with ERR_NUMERIC, see certificate_check().  The result depends on the problem,
 * options and seed alone, not on n_threads.
 */
int randsvm_solve(struct randsvm_task *task, struct error *err);

#endif
