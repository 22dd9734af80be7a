/*
 * solver.h - the interface of the solvers: smo_solver() and libsvm_solver() fill it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/* solver_max_iterations() - LIBSVM's limit of iterations for n examples: max(1e7, 100 n) */
static inline int64_t solver_max_iterations(int64_t n)
{
	return n > 100000 ? 100 * n : 10000000;
}

/*
 * struct solver - solves a problem until the KKT conditions hold to within 'eps'
 *
 * On entry to solve() x->beta is feasible and x->f holds its decision values; a solver starts from
 * them, or from all multipliers 0.  On return x->beta is the solution and x->rho its constant; x->f
 * is undefined unless warm_start is set.
 *
 * Returns 0 at the optimum; 1 if solve() stopped earlier, at its limit of iterations or by
 * interruption, '*x' then holding the multipliers reached; or -1 with 'err' set and x->beta
 * undefined.
 */
struct solver {
	int (*solve)(const struct solver *solver, const struct problem_view *p, double eps,
		     struct iterate *x, struct error *err);
	/*
	 * megabytes for kernel values; ways are chosen by cache_mb alone, so that results do not
	 * depend on rows_mb
	 */
	double cache_mb;
	/* megabytes of cache_mb for kernel rows, fewer than all where memory is bounded */
	double rows_mb;
	bool shrinking;
	/* warm start: the solver starts from x->beta and x->f, and updates both; else from 0 */
	bool warm_start;
	int n_threads;
	const struct interruption *interruption; /* interruption to end at; or NULL */
};

/* solver_rows_mb() - size, in units of 2^20 bytes, that rows of kernel values may take */
static inline double solver_rows_mb(const struct solver *s)
{
	return fmin(s->cache_mb, s->rows_mb);
}
