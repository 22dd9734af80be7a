/*
 * exact_linear.c - the optimum of a whole problem with a linear kernel
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "linear/linear.h"
#include "train/exact.h"
#include "train/working_set.h"

/* What falls short is improved by members within this many times the violation left. */
#define REACH 10

static void observe(const struct problem_view *p, const struct randsvm_observer *observer,
		    const struct randsvm_result *result)
{
	const struct certificate *c = &result->certificate;
	struct randsvm_round round = { .number = result->rounds,
				       .sample = p->n,
				       .subset = p->n,
				       .working_set = p->n,
				       .n_sv = c->n_sv,
				       .n_violators = c->n_violators,
				       .primal = c->primal,
				       .dual = c->dual,
				       .best_primal = c->primal,
				       .best_dual = c->dual };

	if (observer && observer->round)
		observer->round(observer->arg, &round);
}

/* Go on by the other way, and keep what has the smaller gap: that way has rounding of its own. */
static int improve(const struct problem_view *p, const struct solver *solver,
		   const struct randsvm_options *options, const struct randsvm_observer *observer,
		   double *beta, double *f, double reach, struct randsvm_result *result,
		   struct error *err)
{
	size_t size = (size_t)p->n * sizeof(double);
	double *first_beta = mem_array(p->n, sizeof(double), err);
	double *first_f = mem_array(p->n, sizeof(double), err);
	struct randsvm_result first = *result;
	int ret = -1;

	if (!first_beta || !first_f)
		goto out;
	memcpy(first_beta, beta, size);
	memcpy(first_f, f, size);
	ret = exact_improve(p, solver, options, observer, beta, f, reach, result, err);
	if (ret == 0 && certificate_relative_gap(&result->certificate) >
				certificate_relative_gap(&first.certificate)) {
		memcpy(beta, first_beta, size);
		memcpy(f, first_f, size);
		result->rho = first.rho;
		result->certificate = first.certificate;
		if (result->reason != STOP_INTERRUPTED)
			result->reason = STOP_PRECISION;
	}
out:
	free(first_beta);
	free(first_f);
	return ret;
}

int exact_solve_linear(const struct problem_view *p, const struct solver *solver,
		       const struct randsvm_options *options,
		       const struct randsvm_observer *observer, double *beta, double *f,
		       struct randsvm_result *result, struct error *err)
{
	const struct interruption *interruption = solver->interruption;
	struct linear_options o = { .eps = options->eps,
				    .n_threads = options->n_threads,
				    .seed = options->seed,
				    .interrupted = interruption ? interruption->requested : NULL,
				    .arg = interruption ? interruption->arg : NULL };
	struct linear_result found;
	int solved = linear_solve(p, &o, beta, f, &found, err);

	if (solved < 0)
		return -1;
	if (!isfinite(found.rho))
		return error_no_finite_solution(p, err);
	*result = (struct randsvm_result){ .rho = found.rho,
					   .rounds = 1,
					   .reason = STOP_OPTIMAL,
					   .n_iterations = found.n_iterations };
	if (certificate_make(p, beta, f, found.rho, options->eps, &result->certificate, err) < 0)
		return -1;
	observe(p, observer, result);
	if (solved > 0 && found.interrupted)
		result->reason = STOP_INTERRUPTED;
	else if (solved > 0)
		return improve(p, solver, options, observer, beta, f,
			       REACH * fmax(options->eps, found.violation), result, err);
	return 0;
}
