/*
 * solver.h - what solves a problem
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SOLVER_H
#define RANDSVM_SOLVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "problem/problem.h"

/* solver_max_iterations() - LIBSVM's limit for n examples: max(1e7, 100 n) */
static inline int64_t solver_max_iterations(int64_t n)
{
	return n > 100000 ? 100 * n : 10000000;
}

/*
 * What may end training before the optimum: asked now and then, on the thread that trains.  Once
 * it returns true it keeps returning true.
 */
struct interruption {
	bool (*requested)(void *arg);
	void *arg;
};

static inline bool interruption_requested(const struct interruption *i)
{
	return i && i->requested(i->arg);
}

/*
 * struct solver - solves to within 'eps' of the KKT conditions
 *
 * On entry x->beta is a feasible start and x->f its decision values; a solver may use them or
 * begin at zero.  On success x->beta is the solution, x->rho its constant, and x->f is undefined.
 * solve() returns 0; or 1 if it gave up at its limit of iterations, '*x' being as far as it
 * came; or -1 with 'err' set and x->beta undefined.
 */
struct solver {
	int (*solve)(const struct solver *solver, const struct problem_view *p, double eps,
		     struct iterate *x, struct error *err);
	double cache_mb;
	bool shrinking;
	bool warm_start; /* begins at x->beta and x->f, and x->f comes back for the solution */
	int n_threads;
	const struct interruption *interruption; /* or NULL */
};

#endif
