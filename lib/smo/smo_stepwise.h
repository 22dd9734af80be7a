/*
 * smo_stepwise.h - LIBSVM's steps, for problems with many local optima
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SMO_STEPWISE_H
#define RANDSVM_SMO_STEPWISE_H

#include "smo/smo_sets.h"

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

#endif
