/*
 * exact_linear.c - the optimum of a whole problem with a linear kernel
 *
 * The linear engine works on w, and gives multipliers that satisfy the conditions up to the
 * rounding of w and the scale of the data.  Where violators are left, exact_improve() goes on from
 * its multipliers with kernel values of single pairs, whose rounding errors are others.  Neither
 * is always the better one, so both solutions are certified and the one of smaller gap is kept.
 * But where rounding a multiplier moves decision values by more than violates, its end is the
 * result; and so it is with squared losses, whose multipliers pairs of kernel values do not move.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear.h"
#include "problem/decision.h"
#include "proof/unfinished.h"
#include "proof/rounding.h"
#include "train/exact.h"
#include "train/start.h"
#include "train/working_set.h"

/*
 * Members when improving: examples within this many times the violation that is left.  Those beyond
 * it would have to move by more than all movements of the repair together.
 */
#define REACH_OF_REPAIR 10

/*
 * Most epochs of coordinate descent, in those over all rows, where problems share their rows, each
 * class against the rest: as many as LIBLINEAR makes, and more than the Newton method's limit of
 * steps.  Such problems have more free multipliers than the Newton steps have room for, which
 * then take conjugate gradients.  On 20news (11,314 rows, 20 classes) at C = 0.1 the 20 machines
 * take 2.4 s of CPU time by descent to a relative gap of 1e-3, and many times that by Newton steps
 * after 60 epochs; from C = 0.01 to 10 they come to that gap after 26 to 520 epochs, most of these
 * over a part of the rows.
 */
#define SHARED_EPOCHS 1000

int exact_compete(struct randsvm_task *task, exact_solver *solve, double argument,
		  struct error *err)
{
	struct iterate *x = &task->x;
	struct randsvm_result *result = &task->result;
	struct certificate certificate = result->certificate;
	bool in_doubles = result->in_doubles;
	struct iterate first;
	int ret = -1;

	if (iterate_init(&first, task->p->n, err) == 0) {
		iterate_copy(&first, x, task->p->n);
		result->in_doubles = false;
		ret = solve(task, argument, err);
	}
	if (ret == 0 && certificate_relative_gap(&result->certificate) >
				certificate_relative_gap(&certificate)) {
		iterate_copy(x, &first, task->p->n);
		result->certificate = certificate;
		result->in_doubles = in_doubles;
		if (result->reason != STOP_INTERRUPTED)
			result->reason = STOP_PRECISION;
	}
	iterate_free(&first);
	return ret;
}

/* linear_solve() from the task's start made feasible. */
static int solve_linear(const struct randsvm_task *task, struct linear_options *o,
			struct linear_result *found, struct error *err)
{
	const struct problem_view *p = task->p;
	double *start = NULL;
	int ret;

	if (task->start) {
		o->start = start = mem_copy(task->start, p->n, sizeof(*start), err);
		if (!start)
			return -1;
		start_make_feasible(p, start);
	}
	ret = linear_solve(p, o, task->x.beta, task->x.f, found, err);
	mem_free(start);
	return ret;
}

/*
 * The start as it is, of which a solution that ended early has begun with less: the solution, if its
 * primal is lower.
 */
static int offer_start(struct randsvm_task *task, struct error *err)
{
	struct problem_view p = *task->p;
	struct iterate start;
	struct certificate *c = &task->result.certificate, certificate;
	int ret = -1;

	p.interruption = NULL;
	if (iterate_init(&start, p.n, err) == 0) {
		memcpy(start.beta, task->start, (size_t)p.n * sizeof(double));
		ret = decision_values(&p, start.beta, task->options->eps, start.f,
				      task->options->n_threads, err);
	}
	if (ret == 0)
		ret = unfinished_certify(&p, &start, task->options->eps, &certificate, err);
	if (ret == 0 && certificate.primal < c->primal) {
		certificate.dual = fmax(certificate.dual, c->dual);
		*c = certificate;
		iterate_copy(&task->x, &start, p.n);
	}
	iterate_free(&start);
	return ret;
}

/* x.f of the multipliers and of the rows as they are, also after an interruption. */
static int evaluate(const struct randsvm_task *task, struct error *err)
{
	struct problem_view whole = *task->p;

	whole.interruption = NULL;
	return decision_values(&whole, task->x.beta, 0, task->x.f, task->options->n_threads, err);
}

/* The weights of the last Newton step become the solution, if their P is below the multipliers'. */
static int offer_weights(struct randsvm_task *task, const struct linear_result *found,
			 struct error *err)
{
	struct certificate *c = &task->result.certificate, own = *c;

	if (weights_certify(task->p, found->w, &task->x, task->options->eps, &own, err) < 0)
		return -1;
	if (own.primal + own.rounding < c->primal) {
		*c = own;
		task->w = found->w;
		return 0;
	}
	task->x.rho = found->rho;
	return evaluate(task, err);
}

/* The certificate of what linear_solve() found, 'solved' being what it returned. */
static int certify(struct randsvm_task *task, const struct linear_result *found, int solved,
		   struct error *err)
{
	const struct problem_view *p = task->p;
	struct iterate *x = &task->x;
	struct certificate *c = &task->result.certificate;

	if (!found->evaluated && evaluate(task, err) < 0)
		return -1;
	if (solved == 0 || !found->interrupted) {
		if (certificate_make(p, x, task->options->eps, c, err) < 0)
			return -1;
		return found->w ? offer_weights(task, found, err) : 0;
	}
	if (unfinished_certify(p, x, task->options->eps, c, err) < 0)
		return -1;
	c->dual = fmax(c->dual, found->dual);
	return task->start ? offer_start(task, err) : 0;
}

int exact_solve_linear(struct randsvm_task *task, struct error *err)
{
	const struct problem_view *p = task->p;
	double eps = task->options->eps;
	struct linear_options o = { .eps = eps,
				    .n_threads = task->options->n_threads,
				    .seed = task->options->seed,
				    .gap = task->options->gap,
				    .weights = task->takes_weights,
				    .helpers = task->helpers,
				    .checkpoint = task->checkpoint,
				    .epochs = p->linear_rows ? SHARED_EPOCHS : 0,
				    .interruption = randsvm_interruption(task) };
	struct iterate *x = &task->x;
	struct randsvm_result *result = &task->result;
	struct linear_result found;
	int solved = solve_linear(task, &o, &found, err), ret;

	if (solved < 0)
		return -1;
	if (!isfinite(found.rho)) {
		mem_free(found.w);
		return error_no_finite_solution(p, err);
	}
	x->rho = found.rho;
	x->epsilon = found.epsilon;
	x->n_iterations = found.n_iterations;
	/* this round counts after those of another solver that has given up */
	*result = (struct randsvm_result){ .rounds = result->rounds + 1, .reason = STOP_OPTIMAL };
	ret = certify(task, &found, solved, err);
	if (found.w != task->w)
		mem_free(found.w);
	if (ret < 0)
		return -1;
	randsvm_observe_whole(task);
	if (solved > 0 && found.interrupted)
		result->reason = STOP_INTERRUPTED;
	else if (solved == 0 && found.violation > eps)
		result->reason = STOP_GAP;
	else if (task->w)
		result->reason = result->certificate.n_violators ? STOP_PRECISION : STOP_OPTIMAL;
	else if (solved > 0 &&
		 (p->squared_loss || decision_far_error(p, x->beta) > found.violation))
		result->reason = STOP_PRECISION;
	else if (solved > 0)
		return exact_compete(task, exact_improve,
				     REACH_OF_REPAIR * fmax(eps, found.violation), err);
	return 0;
}
