/*
 * randsvm.c - training on random working sets: which way
 *
 * Before: the choice between float and double kernel values.  After: whether a solution that claims to
 * be the optimum is far from it because doubles are too coarse.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/randsvm.h"

#include "problem/decision.h"
#include "train/budget.h"
#include "train/exact.h"
#include "train/paper.h"

static int solve_by_mode(struct randsvm_task *task, struct error *err)
{
	enum working_set_mode mode = task->options->mode;
	bool solved;

	if (mode == WORKING_SET_BUDGET)
		return budget_solve(task, err);
	if (mode != WORKING_SET_EXACT || !task->solver->warm_start)
		return paper_solve(task, err);
	if (task->p->kernel.type == KERNEL_LINEAR && !task->p->x_float && !task->p->matrix)
		return exact_solve_linear(task, err);
	if (exact_solve_monomials(task, &solved, err) < 0)
		return -1;
	return solved ? 0 : exact_solve(task, err);
}

/* Does the result claim to be the optimum?  One that was asked to end early does not. */
static bool claims_optimum(const struct randsvm_task *task)
{
	return task->options->mode == WORKING_SET_EXACT &&
	       task->result.reason != STOP_INTERRUPTED && task->result.reason != STOP_MAX_ROUNDS;
}

int randsvm_solve(struct randsvm_task *task, struct error *err)
{
	const struct problem_view *given = task->p;
	struct problem_view p = *given;
	int ret;

	if (task->solver->warm_start) /* the native one; LIBSVM's has its own kernel values */
		decision_choose_precision(&p, task->options->eps);
	task->p = &p;
	ret = solve_by_mode(task, err);
	if (ret == 0 && claims_optimum(task))
		task->result.certificate.excess = certificate_excess(&p, &task->result.certificate);
	task->p = given;
	return ret;
}
