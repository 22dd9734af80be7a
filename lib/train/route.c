/*
 * route.c - the algorithm that solves one problem, and why
 *
 * The first line that holds is taken:
 *
 *     mode budget                                      ROUTE_BUDGET
 *     a published mode, or a solver without a start    ROUTE_PUBLISHED
 *     linear kernel, not asked for by its values       ROUTE_WEIGHTS
 *     kernel that may be indefinite, few examples      ROUTE_STEPWISE
 *     first sample of half of the examples or more     ROUTE_AT_ONCE
 *     kernel values are kept already, or precomputed   ROUTE_KEPT
 *     else                                             ROUTE_DISTINCT
 *
 * Nothing here depends on threads or memory, as the route decides about the solution's last bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/solve.h"

enum route route_choose(const struct randsvm_options *options, const struct solver *solver,
			const struct problem_view *p)
{
	const struct kernel_source *source = problem_source(p);

	if (options->mode == WORKING_SET_BUDGET)
		return ROUTE_BUDGET;
	if (options->mode != WORKING_SET_EXACT || !solver->warm_start)
		return ROUTE_PUBLISHED;
	if (p->kernel.type == KERNEL_LINEAR &&
	    (source->type == plain_source.type || source->elsewhere))
		return ROUTE_WEIGHTS;
	/*
	 * May equal examples be one?  Not where all examples are optimised at once, as their kernel
	 * values, or tiles of them, may be there already: whether they are depends on memory and
	 * threads, of which the result must not.  Nor where steps must be LIBSVM's; and in a
	 * precomputed kernel equal rows need not be equal examples.
	 */
	if (problem_is_stepwise(p))
		return ROUTE_STEPWISE;
	if (randsvm_takes_all(options, p->n))
		return ROUTE_AT_ONCE;
	if (p->kernel.type == KERNEL_PRECOMPUTED || source->has_matrix || source->for_subset)
		return ROUTE_KEPT;
	return ROUTE_DISTINCT;
}

struct plan_line route_explain(enum route route)
{
	static const char *const text[][2] = {
		[ROUTE_BUDGET] = { "a working set of limited size", "mode budget" },
		[ROUTE_PUBLISHED] = { "random working sets as published",
				      "the mode, or a solver without warm starts" },
		[ROUTE_WEIGHTS] = { "weights of the columns, no working sets",
				    "the kernel is linear" },
		[ROUTE_STEPWISE] = { "all examples at once, by LIBSVM's steps",
				     "the kernel may be indefinite" },
		[ROUTE_AT_ONCE] = { "all examples at once",
				    "a first sample would have half of them or more" },
		[ROUTE_KEPT] = { "random working sets that grow by violators",
				 "there are many examples" },
		[ROUTE_DISTINCT] = { "random working sets that grow by violators, of examples no "
				     "two of which are equal if a tenth are",
				     "there are many examples" },
	};

	return (struct plan_line){ "solver", text[route][0], text[route][1] };
}
