/*
 * exact.h - the optimum of a whole problem, by nested random subsets and working sets
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_EXACT_H
#define RANDSVM_EXACT_H

#include "base/error.h"
#include "problem/solver.h"
#include "train/rounds.h"

/*
 * exact_solve() - randsvm_solve() in mode exact, with the native solver
 *
 * RandSVM's observation, that a random subset and the violators of its solution are all
 * it takes, used on every scale.  Random subsets of growing size are nested; C grows with
 * what an example of the subset stands for, so that each subset's solution predicts the
 * decision values of the next.  There the examples predicted beyond the margin start at
 * their bound (unless that is worse than none of them), those predicted well within it at
 * 0, and the working set is what lies between, for which multipliers are optimised.  All others
 * are constants until an evaluation finds them to violate.
 *
 * Where C is so large that the errors of kernel values times multipliers of its size are beyond the
 * tolerance, multipliers are not predicted: subsets are solved at the C of the problem, in
 * double precision, and each starts from the one before.
 *
 * An example is evaluated again when its last decision value is within reach of
 * violating, seeing how far decision values have moved since.  When nobody is, all are
 * evaluated; if violators turn up, they join, and all are evaluated again in the end, whether
 * anew or by the multipliers that changed.  So the end is that of svm-train on all data,
 * whatever the predictions were worth.
 *
 * Ended before the optimum, the result is what had the least gap when all were evaluated.  Where
 * that is worse than nothing (dual < 0), or before the whole set is predicted, it is the
 * solution of the smallest subset, at the C of the problem.
 *
 * 'f' (p->n values) gets the decision values of the result.
 * Costs about n_sv kernel values an example, and a quarter of that for the predictions.
 */
int exact_solve(struct randsvm_task *task, struct error *err);

/*
 * exact_improve() - the same from a feasible task->x, without subsets
 *
 * Working set at first: examples that are free, or within 'reach' of violating.  Adds to
 * x.n_iterations and result.rounds.  Ends with STOP_MAX_ITERATIONS after 1e6 + n steps, or
 * 5e10 / members if that is less: it is meant for what little is left.
 */
int exact_improve(struct randsvm_task *task, double reach, struct error *err);

/*
 * exact_solve_linear() - the same for a linear kernel, by linear_solve()
 *
 * Where that falls short, for reasons of rounding or scale, goes on by exact_improve().
 */
int exact_solve_linear(struct randsvm_task *task, struct error *err);

#endif
