/*
 * interior.h - the optimum of a small problem by an interior point method
 *
 * Where the kernel matrix is nearly singular, steps of pairs and Newton steps on a face take very
 * many faces; an interior point method takes some 30 factors of the whole matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/* interior_bytes() - memory that a problem of n examples takes: 16 n^2 bytes and some vectors */
double interior_bytes(int64_t n);

/*
 * interior_work() - work of interior_solve() in members met by steps of pairs, see
 * smo_newton_work()
 */
double interior_work(int64_t n);

/*
 * interior_solve() - multipliers of all examples, near the optimum, in double precision
 *
 * From nothing: what at->beta holds before does not matter.  On return at->beta is in the problem's
 * box and has its sums, but for rounding; a multiplier is at a bound exactly where that is what it
 * tends to.  at->f and at->rho are not changed.  at->n_iterations grows by the number of factors.
 *
 * Not for squared losses, kernels that are not positive semidefinite or problems with infinite
 * kernel values, whose multipliers are then worth nothing.  Ends by interruption, or where rounding
 * lets no step rise further.  O(n^3 / 3) for each of some 20 to 60 steps.  Deterministic for any
 * number of threads.  Returns 0; or 1 where the source of kernel values has none in double
 * precision, *at being as it was; or -1 with ERR_MEMORY.
 *
 * Sources: Mehrotra 1992, SIAM J. Optim. 2 (predictor and corrector); Fine, Scheinberg 2001,
 * J. Mach. Learn. Res. 2 (interior points for support vector machines).
 */
int interior_solve(const struct problem_view *p, int n_threads,
		   const struct interruption *interruption, struct iterate *at, struct error *err);
