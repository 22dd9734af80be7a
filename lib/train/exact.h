/*
 * exact.h - the optimum of a problem by nested random subsets and working sets
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/rounds.h"

/*
 * exact_solve() - randsvm_solve() in mode exact, with the native solver
 *
 * RandSVM's observation is that the optimum can be found from a random subset and the violators of
 * its solution.  Here this is done on nested random subsets of growing size.  A subset of m
 * examples is solved with C n / m, because each of its examples stands for n / m examples.  Its
 * solution then predicts the decision values of the next larger subset:
 *
 *     predicted inside the margin or misclassified    the multiplier starts at its bound
 *     predicted correct and outside the margin        the multiplier starts at 0
 *     near the margin                                 the example is in the working set
 *
 * Only multipliers of the working set are optimised.  The other multipliers are constants until an
 * evaluation finds that their examples violate the KKT conditions; these then join the working set.
 * If the predicted multipliers are implausible (|w|^2 far too large), those of new examples start
 * at 0 instead.
 *
 * If C is so large that rounding errors of float kernel values, times C, exceed the tolerance, then
 * multipliers are not predicted.  Subsets are solved with the problem's own C in double precision,
 * each starting from the solution of the subset before.
 *
 * An example outside the working set is evaluated again when decision values have moved, since its
 * last evaluation, about as far as it was from violating.  When no such example is left, all
 * examples are evaluated.  Violators found then join the working set, and the optimisation goes on.
 * Every run ends with an evaluation of all examples, from all multipliers or by those that changed.
 * So the result satisfies svm-train's stopping rule on all data, whatever the predictions were.
 *
 * With a task->start there are no subsets: its multipliers, made feasible, are evaluated on all
 * examples, and the working set is chosen by them; but where their relative gap is above 0.95 they
 * are dropped, unless they seem to be what is left of the solution by some rows less (exact_solve.c).
 *
 * If training ends before the optimum, whenever that is, the result is the solution of least primal
 * that is known: one that was proved, or that of a subset or the start, whose multipliers may be
 * beyond the problem's bounds.  It is not above the primal of all multipliers 0; the dual is the
 * largest known. Where the interruption says how many seconds are left, the time for the decision values of
 * all examples, by each subset's solution, is kept back, and that for budget_compete().  After
 * max(1e7, 100 n) steps of SMO the run ends unless they halved the gap.
 *
 * task->x.f gets the decision values of the result; those of examples without a multiplier that are
 * far from having a loss may be of other multipliers, with which they are as far.
 * Costs about n_sv kernel values for each example, and a quarter of that for the predictions.
 *
 * It gives up where SMO has done 'most_work' (INFINITY: never) before the end; the unit is a member
 * met by a step.  Returns 1 then, and the task's x and result are worth nothing.
 */
int exact_solve(struct randsvm_task *task, double most_work, struct error *err);

/*
 * exact_improve() - bring a feasible task->x to the optimum, without subsets
 *
 * The first working set is the examples with free multipliers and those within 'reach' of
 * violating.  Adds to x.n_iterations and result.rounds.  Meant for a start near the optimum: ends
 * with STOP_MAX_ITERATIONS after 1e6 + n steps, or 5e10 / members if that is less.
 */
int exact_improve(struct randsvm_task *task, double reach, struct error *err);

/*
 * exact_solve_linear() - the optimum for a linear kernel, by linear_solve()
 *
 * If linear_solve() leaves violators, because of rounding or of the scale of the features,
 * exact_improve() continues from its multipliers, unless rounding of these is all that violates
 * (STOP_PRECISION then).  The solution of smaller gap is the result.
 */
int exact_solve_linear(struct randsvm_task *task, struct error *err);

/*
 * exact_compete() - solve(task, argument) against the certified solution that the task has
 *
 * 'solve' is exact_improve() or exact_solve().  The result becomes the solution of smaller gap; if
 * that is the one before, with STOP_PRECISION unless interrupted.
 */
typedef int exact_solver(struct randsvm_task *task, double argument, struct error *err);
int exact_compete(struct randsvm_task *task, exact_solver *solve, double argument,
		  struct error *err);

/*
 * exact_solve_monomials() - the optimum for a polynomial kernel of few columns
 *
 * The kernel is then a linear one of the monomials of the columns (kernel/monomials.h), which
 * exact_solve_linear() solves; by exact_solve() before, where that may take less.  Where violators
 * are left that exact_solve() may do without, that is tried too, and the solution of smaller gap is
 * the result.  x.n_iterations has the steps of all of these.  '*solved' stays false, and the task's
 * x and result are worth nothing, where there are no monomials or more than serve.
 *
 * Takes 24 bytes for each monomial of each example, 800 MB at most.
 */
int exact_solve_monomials(struct randsvm_task *task, bool *solved, struct error *err);

/*
 * exact_finish() - the task's solution to a smaller relative gap, where doubles hold that
 *
 * For options->finishes and at most 2,000 examples: to options->gap, where that is given; else to
 * 1e-9, where the gap is above 1e-3 or where it takes no more than a tenth of the training's work.
 * Not where the training was ended early, nor for squared losses, rows shared with others, or a kernel
 * that may be indefinite.  SMO in double precision goes on from x.beta, and where that does not do,
 * an interior point method begins anew.  The result is the solution whose computed gap is least.
 * x.n_iterations grows by the steps.
 *
 * An interruption ends it with the best solution so far, and the reason stays; and so does memory
 * that it does not get.  Deterministic, so that a run from a checkpoint, which is before it, has the
 * same bits.  Returns 0, or -1 with ERR_NUMERIC.
 */
int exact_finish(struct randsvm_task *task, struct error *err);
