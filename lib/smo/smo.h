/*
 * smo.h - sequential minimal optimisation on a working set that changes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/solver.h"
#include "smo/smo_sets.h"

/*
 * smo_run() - optimise the members' multipliers
 *
 * at->beta and at->f (by example) hold the start and its decision values, f_i = sum_j beta_j
 * K(x_j, x_i) over all examples; both are brought up to date for members.  at->rho becomes that of
 * the solution, NAN where the kernel overflows; where all members are at bounds that leave it open
 * to one side it stays as near as possible to the one before.  The steps taken are added to
 * at->n_iterations.  The box is the problem's with both C times 'scale'.
 *
 * Each step raises one multiplier and lowers another, the first being the worst violator, the
 * second chosen by second-order gain, to the optimum of the two or the first bound (or zero, where
 * |beta| has its kink); so sum beta stays.  For the machines of nu so do the sums of either sign,
 * or in nu-SVR their limits, and at->epsilon becomes that of the solution; the start must have
 * these sums.  Else at->epsilon becomes 0.  Where the members that are free or can violate, the
 * core, are few, steps are taken among them alone, until their violation has fallen, and then
 * applied to all; of many the worst are optimised so, a block at a time; where pairs take long,
 * Newton steps on the free members are tried, see smo_sets.h.
 *
 * Ends when max up - min down <= eps, as LIBSVM does, and returns 0; and so where the pair that
 * violates most has a step that rounding undoes: no further one would do more.  Returns 1 if it
 * ends before that, at max_iterations steps or by interruption, which is asked about after 1024
 * steps at the earliest, so that the multipliers are worth a model; -1 with ERR_MEMORY, or with
 * ERR_NUMERIC where the kernel overflows in what a block adds up to.
 *
 * Kernel rows are single precision where the problem has rows in single precision; all sums are
 * doubles.  A kernel that is not positive definite gets the curvature SMO_MIN_CURVATURE.
 * Deterministic for any number of threads.
 *
 * Source: Platt 1998; Fan, Chen, Lin 2005, J. Mach. Learn. Res. 6 (working set selection 2).
 */
int smo_run(struct smo *s, double scale, double eps, int64_t max_iterations, struct iterate *at,
	    struct error *err);

/*
 * smo_sums() - f[i] = sum_j coef[j] K(x_j, x_i) over all members j, for all members i
 *
 * f is by example, as 'coef' is.  With 'of_sizes' the sizes |coef[j]| count, which for kernels of 0
 * to 1 are those of the terms.  Sums are doubles, of the kernel rows that smo_run() works with;
 * rows that are not cached are computed.  The bits do not depend on which rows are cached.  The
 * working set must have been run and s->whole_rows be set; its slopes are lost.  Returns 0, or -1
 * with ERR_MEMORY.
 */
int smo_sums(struct smo *s, const double *coef, bool of_sizes, double *f, struct error *err);

/*
 * smo_solver() - subproblems of all machines, from a warm start, as one run
 *
 * Its interruption is that of the thread's scope.
 */
struct solver smo_solver(double cache_mb, int n_threads);
