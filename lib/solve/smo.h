/*
 * smo.h - sequential minimal optimisation from a warm start: the native subproblem solver
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SMO_H
#define RANDSVM_SMO_H

#include "solve/solver.h"

/*
 * smo_solver() - C-SVC and epsilon-SVR subproblems on 'n_threads' threads
 *
 * Starts from the given beta and decision values.  Each step raises one multiplier and
 * lowers another, the first being the worst violator, the second chosen by second-order gain, to the
 * optimum of the two or the first bound (or zero, where |beta| has its kink).  Ends
 * when max up - min down <= eps, as LIBSVM does, or at the limit of iterations.
 * Kernel rows are single precision, computed KERNEL_TILE_ROWS at a time for the worst violators and kept in a
 * cache of cache_mb; all sums are doubles.  A kernel that is not positive definite gets the
 * curvature SMO_MIN_CURVATURE.  Deterministic for any n_threads.
 *
 * Source: Platt 1998; Fan, Chen, Lin 2005, J. Mach. Learn. Res. 6 (working set selection 2).
 */
struct solver smo_solver(double cache_mb, int n_threads);

#endif
