/*
 * solve.c - training on random working sets: which way
 *
 * route.c chooses the algorithm; where it says so equal examples become one before.  After: once
 * more in doubles where floats were too coarse all the same; and whether a solution that claims to
 * be the optimum is far from it because doubles are too coarse.
 *
 * The steps, each of which may be left out:
 *
 *     route_choose()        the solver, by mode, kernel and size                        (1)
 *     equal_examples        the problem of distinct examples, if a tenth are equal      (2)
 *     solver                multipliers, decision values, certificate                   (3)
 *     budget_compete()      another solution, where that ended early
 *     floats_failed()       once more in double precision, if D is below 0              (4)
 *     certificate_excess()  how far a claimed optimum may be off, by rounding alone     (5)
 *
 * task->p is a copy during the solution, because (4) changes the precision of its source; the
 * caller's pointer is put back at the end, also after a failure.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/solve.h"

#include "problem/decision.h"
#include "problem/equal_examples.h"
#include "train/exact.h"

/*
 * Equal examples are made one where at most this share of all is left: a tenth less examples are a
 * fifth less kernel values, and save more than what the smaller problem is made with.
 */
#define MOST_DISTINCT 0.9

/*
 * Mode exact by kernel values: by the monomials of a polynomial kernel where that pays, else by
 * working sets.
 */
static int solve_kernel(struct randsvm_task *task, struct error *err)
{
	bool solved;

	if (exact_solve_monomials(task, &solved, err) < 0 ||
	    (!solved && exact_solve(task, INFINITY, err) < 0))
		return -1;
	return exact_finish(task, err);
}

/* Solve the problem of the merged examples, and divide each multiplier among the equal examples. */
static int solve_merged(struct randsvm_task *task, const struct equal_examples *e,
			struct error *err)
{
	struct randsvm_task small = *task;
	double *start = NULL;
	int ret = -1;

	small.p = &e->merged;
	iterate_init(&small.x, e->merged.n, err);
	small.x.asks_sizes = task->x.asks_sizes;
	if (task->start)
		small.start = start = equal_examples_gather(e, task->start, err);
	if (err->code == ERR_NONE && solve_kernel(&small, err) == 0) {
		task->result = small.result;
		task->x.n_iterations = small.x.n_iterations;
		if (small.x.knows_sizes)
			task->x.sizes = mem_array(task->p->n, sizeof(double), err);
		equal_examples_spread(e, &small.x, &task->x);
		ret = certificate_make(task->p, &task->x, task->options->eps,
				       &task->result.certificate, err);
		/*
		 * the same problem: a bound of its optimum, also where the multipliers are
		 * infeasible
		 */
		task->result.certificate.dual = small.result.certificate.dual;
	}
	mem_free_all(start, small.x.beta, small.x.f, small.x.sizes);
	return ret;
}

/* Solve with equal examples merged, where there are enough of them. */
static int solve_distinct(struct randsvm_task *task, struct error *err)
{
	struct equal_examples e;
	int ret = equal_examples_init(&e, task->p, MOST_DISTINCT, err);

	if (ret == 0)
		ret = solve_merged(task, &e, err);
	equal_examples_free(&e);
	return ret > 0 ? solve_kernel(task, err) : ret;
}

/* The route that route_choose() names; but a linear kernel's values may be too coarse for any. */
static enum route choose(const struct randsvm_task *task)
{
	enum route route = route_choose(task->options, task->solver, task->p);

	if (route != ROUTE_BUDGET && route != ROUTE_PUBLISHED &&
	    task->p->kernel.type == KERNEL_LINEAR && certificate_excess(task->p) > 0)
		route = ROUTE_WEIGHTS;
	return route;
}

static int solve_by_route(struct randsvm_task *task, struct error *err)
{
	switch (choose(task)) {
	case ROUTE_BUDGET:
		return budget_solve(task, err);
	case ROUTE_PUBLISHED:
		return paper_solve(task, err);
	case ROUTE_WEIGHTS:
		return exact_solve_linear(task, err) < 0 ? -1 : exact_finish(task, err);
	case ROUTE_DISTINCT:
		return solve_distinct(task, err);
	default:
		return solve_kernel(task, err);
	}
}

/* Does the result claim to be the optimum?  A result that was to end early does not. */
static bool claims_optimum(const struct randsvm_task *task)
{
	return task->options->mode == WORKING_SET_EXACT &&
	       task->result.reason != STOP_INTERRUPTED && task->result.reason != STOP_MAX_ROUNDS;
}

/*
 * Is the result worth less than multipliers of 0, where these are feasible?  With large multipliers
 * that nearly cancel, rounding of float kernel values does that to D, though each f_i is within
 * eps.  Of nu-SVC, whose margin is r: is r within the tolerance, and the gap too wide to prove it?  (P
 * and D are of sums in doubles where float errors would matter to |w|^2, see decision.c.)
 */
static bool floats_failed(const struct randsvm_task *task)
{
	const struct problem_view *p = task->p;
	const struct certificate *c = &task->result.certificate;

	if (task->w || !task->solver->warm_start || !problem_source(p)->x_float ||
	    problem_is_stepwise(p) || p->type == MACHINE_ONE_CLASS ||
	    task->result.reason == STOP_MAX_ITERATIONS)
		return false;
	if (p->type == MACHINE_NU_SVC)
		return -task->x.epsilon <= task->options->eps &&
		       !(certificate_relative_gap(c) <= CERTIFICATE_WIDE_GAP);
	return c->dual < 0;
}

/*
 * The least work: the decision values of a proof, and a system of the kernel matrix of the multipliers
 * between their bounds; of weights the entries of all rows, for a proof, and those of support vectors,
 * whose sum the weights are.
 */
static void count_floor(const struct randsvm_task *task)
{
	const bool by_weights = choose(task) == ROUTE_WEIGHTS;
	const struct problem_view *p = task->p;
	const struct certificate *c = &task->result.certificate;
	int64_t n_free = c->n_sv - c->n_bounded_sv, entries = 0;

	for (int64_t i = 0; by_weights && i < p->n; i++)
		entries += csr_row_of(p->x, p->row[i]).n * (task->x.beta[i] != 0 ? 2 : 1);
	work_count(WORK_LEAST_ENTRIES, entries);
	if (!by_weights)
		work_count(WORK_LEAST_VALUES, p->n * c->n_sv + n_free * n_free / 2);
}

int randsvm_solve(struct randsvm_task *task, struct error *err)
{
	const struct problem_view *given = task->p;
	struct problem_view p = *given;
	int ret;

	task->p = &p;
	ret = solve_by_route(task, err);
	/* a solver without a start, such as LIBSVM's, would not end in time either */
	if (ret == 0 && task->options->mode == WORKING_SET_EXACT && task->solver->warm_start &&
	    randsvm_is_early(&p, task->result.reason, &task->result.certificate))
		budget_compete(task, err);
	if (ret == 0 && claims_optimum(task) && floats_failed(task)) {
		decision_use_doubles(&p);
		ret = exact_compete(task, exact_solve, INFINITY, err) < 0 ? -1 : 0;
	}
	if (ret == 0 && claims_optimum(task))
		task->result.certificate.excess = certificate_excess(&p);
	if (ret == 0)
		count_floor(task);
	task->p = given;
	return ret;
}
