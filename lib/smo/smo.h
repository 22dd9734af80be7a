/*
 * smo.h - sequential minimal optimisation on a working set that changes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SMO_H
#define RANDSVM_SMO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "problem/solver.h"
#include "smo/smo_core.h"

/*
 * smo_run() - optimise the members' multipliers
 *
 * at->beta and at->f (by example) hold the start and its decision values, f_i = sum_j beta_j
 * K(x_j, x_i) over all examples; both are brought up to date for members.  at->rho is the one
 * before, and the one after, NAN where the kernel overflows.  The box is the problem's with both C times
 * 'scale'.  Each step raises one multiplier and lowers another, the first being the worst
 * violator, the second chosen by second-order gain, to the optimum of the two or the first bound
 * (or zero, where |beta| has its kink); so sum beta stays.  Ends when max up - min down <= eps,
 * as LIBSVM does; returns 1 if at max_iterations steps or by interruption before that.  Where
 * the free members and those that can violate are few, the core, steps are taken among them
 * alone, until their violation has fallen, and then applied to all; where they are many, Newton
 * steps on those free are tried, see smo_newton.h.  (Some steps are taken in any case: who wants
 * an end still wants a model.)  Adds the steps taken to at->n_iterations.  Kernel rows are single
 * precision where the problem has rows that are, computed ROW_CACHE_AT_ONCE at a time for the
 * worst violators; all sums are doubles.  A kernel that is not positive definite gets the
 * curvature SMO_MIN_CURVATURE.  Deterministic for any number of threads.
 *
 * Source: Platt 1998; Fan, Chen, Lin 2005, J. Mach. Learn. Res. 6 (working set selection 2).
 */
int smo_run(struct smo *s, double scale, double eps, int64_t max_iterations, struct iterate *at,
	    struct error *err);

/*
 * smo_sums() - f[i] = sum_j coef[j] K(x_j, x_i) over all members j, for all members i
 *
 * By example, like 'coef'.  Sums are doubles, of the kernel rows that smo_run() works with:
 * those not cached are computed.  The bits do not depend on which are.  The working set must
 * have been run.
 */
int smo_sums(struct smo *s, const double *coef, double *f, struct error *err);

/*
 * smo_solver() - C-SVC and epsilon-SVR subproblems, from a warm start, as one run
 */
struct solver smo_solver(double cache_mb, int n_threads);

#endif
