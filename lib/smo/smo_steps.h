/*
 * smo_steps.h - other ways to the optimum than those of smo.c: Newton steps, and all of LIBSVM's
 *
 * Where the kernel matrix is badly conditioned, steps of pairs approach the optimum of the free
 * multipliers by very many very short steps; a Newton step on all of them takes one factor.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "smo/smo_sets.h"

/* Most free members that Newton steps are tried for: their matrix then takes 32 MB. */
#define NEWTON_MOST_FREE 2048

/*
 * smo_newton_work() - the work of one Newton step on m free members of a set of n
 *
 * In units of a member met by a step of a pair, for comparison.
 */
double smo_newton_work(int64_t m, int64_t n);

/*
 * smo_newton() - go to the optimum of the free members of the core, or until 'budget' is spent
 *
 * Solves K_FF d = u - nu 1, sum d = 0 for the free members F, u being their slopes with offsets, by
 * Cholesky's method, with the least ridge on the diagonal for which it succeeds.  Goes from beta to
 * the point of the box that is nearest to beta + s d, for the first s = 1, 1/4, 1/16, ... for which
 * the dual rises by at least a quarter of what its slope promises, but s is never shorter than to
 * the first bound.  Repeats that with the members that are still free (neither at a bound nor at
 * zero, where |beta| has its kink), until a step meets no bound.  So the dual never falls but by
 * rounding, and sum beta stays.  A matrix that is not positive definite with any ridge ends it.
 *
 * s->core is changed; its extremes have to be found again.  '*spent' is the work that was done, in
 * the unit of 'budget', '*gained' by how much the dual rose.  O(|F|^3 / 3 + |F| n) for each step.
 * Returns 0, or -1 with ERR_MEMORY.
 *
 * Source: the projected Newton method, Bertsekas 1982, SIAM J. Control Optim. 20.
 */
int smo_newton(struct smo *s, double budget, double *spent, double *gained, struct error *err);

/*
 * smo_stepwise() - optimise all examples from beta = 0 by the steps that LIBSVM takes
 *
 * For a problem_is_stepwise() whose examples are all members, each in its place.  What at->beta and
 * at->f hold before does not matter; both become those of the solution.  '*n_steps' becomes the
 * number of steps, at most 'limit'.  s->all is not used.
 *
 * The steps, the examples that are left aside meanwhile and the rounding of each number are those
 * of LIBSVM with -h 1, so that the optimum is its optimum.  Only its tanh may differ, in the last
 * bit.  An interruption ends it, after 1024 steps at the earliest, or fewer where these are long.
 * Deterministic for any number of threads.  Returns 0, or -1 with ERR_MEMORY.
 *
 * Sources: Fan, Chen, Lin 2005, J. Mach. Learn. Res. 6; Chang, Lin 2011, ACM Trans. Intell. Syst.
 * Technol. 2:27, sections 4 and 5 (shrinking, and what the gradient is rebuilt from).
 */
int smo_stepwise(struct smo *s, double eps, int64_t limit, struct iterate *at, int64_t *n_steps,
		 struct error *err);
