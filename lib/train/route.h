/*
 * route.h - the algorithm that solves one problem, and why
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/rounds.h"

enum route {
	ROUTE_BUDGET,	 /* a working set of limited size: budget_solve() */
	ROUTE_PUBLISHED, /* the published algorithms: paper_solve() */
	ROUTE_WEIGHTS,	 /* the linear engine: exact_solve_linear() */
	ROUTE_STEPWISE,	 /* LIBSVM's steps: exact_solve() */
	ROUTE_AT_ONCE,	 /* all examples from the start: exact_solve() */
	/* working sets, on kernel values kept for several problems: exact_solve() */
	ROUTE_KEPT,
	ROUTE_DISTINCT /* working sets, with equal examples made one: exact_solve() */
};

/* struct plan_line - one decision of a training in words; the strings are constants */
struct plan_line {
	const char *subject, *choice, *reason;
};

/*
 * route_choose() - the way to solve a problem
 *
 * Of the problem only the machine, the kernel, the source of kernel values (in the precision that
 * was chosen) and n are looked at.  The route does not depend on memory or threads, as the result
 * must not.
 */
enum route route_choose(const struct randsvm_options *options, const struct solver *solver,
			const struct problem_view *p);

/* route_explain() - the route in words */
struct plan_line route_explain(enum route route);
