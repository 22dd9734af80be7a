/*
 * smo_newton.h - Newton steps on the free multipliers of a working set
 *
 * Where the kernel matrix is badly conditioned pairs of multipliers come to the optimum of
 * the free ones by very many very short steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SMO_NEWTON_H
#define RANDSVM_SMO_NEWTON_H

#include "base/error.h"
#include "smo/smo_core.h"

/* More free members than that are left to pairs of them: their matrix has as many squared. */
#define NEWTON_MOST_FREE 2048

/*
 * smo_newton_work() - what one Newton step on m free ones of n members takes
 *
 * In members met by a step of a pair, for comparison.
 */
double smo_newton_work(int64_t m, int64_t n);

/*
 * smo_newton() - go to the optimum of the free members of the core, or until 'budget' is spent
 *
 * Solves K_FF d = u - nu 1, sum d = 0 for the free members F, u being their slopes with
 * offsets, by Cholesky's method, with as little on the diagonal as makes it work; goes from beta
 * to the point of the box next to beta + s d, s = 1, 1/4, ... being the first for which the
 * dual rises by at least a quarter of what its slope promises, or the one that meets the first
 * bound; and again without those at their bounds (or at zero, where |beta| has its kink), until
 * none was met.  So the dual never falls; sum beta stays.  A matrix that is not positive
 * definite ends it.
 *
 * 's->core' is changed; extremes are to be found again.  '*spent' is what was spent, '*gained' how
 * much the dual rose.  O(|F|^3 / 3 + |F| n) for each step.
 *
 * Source: the projected Newton method, Bertsekas 1982, SIAM J. Control Optim. 20.
 */
int smo_newton(struct smo *s, double budget, double *spent, double *gained, struct error *err);

#endif
