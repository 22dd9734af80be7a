/*
 * randsvm.c - training on random working sets: which way
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/randsvm.h"

#include <stdlib.h>

#include "base/mem.h"
#include "problem/decision.h"
#include "train/budget.h"
#include "train/exact.h"
#include "train/paper.h"

/* K(x, x) of all examples, or NULL: for rbf all are 1. */
static double *make_diagonal(const struct problem_view *p, struct error *err)
{
	double *diagonal;

	if (p->kernel.type == KERNEL_RBF)
		return NULL;
	diagonal = mem_array(p->n, sizeof(*diagonal), err);
	for (int64_t i = 0; diagonal && i < p->n; i++)
		diagonal[i] = problem_diagonal(p, i);
	return diagonal;
}

int randsvm_solve(const struct problem_view *p, const struct solver *solver,
		  const struct randsvm_options *options, const struct randsvm_observer *observer,
		  double *beta, double *f, struct randsvm_result *result, struct error *err)
{
	bool exact = options->mode == WORKING_SET_EXACT && solver->warm_start;
	struct problem_view whole = *p;
	double *diagonal = make_diagonal(p, err);
	int ret = -1;

	whole.diagonal = diagonal;
	if (err->code != ERR_NONE)
		return -1;
	if (solver->warm_start) /* the native one; LIBSVM's has its own kernel values */
		decision_choose_precision(&whole, options->eps);
	if (exact && p->kernel.type == KERNEL_LINEAR)
		ret = exact_solve_linear(&whole, solver, options, observer, beta, f, result, err);
	else if (exact)
		ret = exact_solve(&whole, solver, options, observer, beta, f, result, err);
	else if (options->mode == WORKING_SET_BUDGET)
		ret = budget_solve(&whole, solver, options, observer, beta, f, result, err);
	else
		ret = paper_solve(&whole, solver, options, observer, beta, f, result, err);
	if (ret == 0 && options->mode == WORKING_SET_EXACT && result->reason != STOP_INTERRUPTED &&
	    result->reason != STOP_MAX_ROUNDS)
		ret = certificate_check(&whole, &result->certificate, err);
	free(diagonal);
	return ret;
}
