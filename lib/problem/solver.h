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
 * it has said yes it says nothing else.
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
 * On entry 'beta' (p->n values) is a feasible start and 'f' its decision values,
 * f_i = sum_j beta_j K(x_j, x_i); a solver may use them or begin at zero.  On success beta
 * is the solution; '*rho' and '*n_iterations' are outputs, and f is undefined.
 * solve() returns 0; or 1 if it gave up at its limit of iterations, the outputs being as
 * far as it came; or -1 with 'err' set and beta undefined.
 */
struct solver {
	int (*solve)(const struct solver *solver, const struct problem_view *p, double eps,
		     double *beta, double *f, double *rho, int64_t *n_iterations,
		     struct error *err);
	double cache_mb;
	bool shrinking;
	bool warm_start; /* beta and f are a start, and f comes back for the solution */
	int n_threads;
	const struct interruption *interruption; /* or NULL */
};

#endif
