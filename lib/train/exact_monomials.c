/*
 * exact_monomials.c - the optimum for a polynomial kernel of few columns, by its monomials
 *
 * Where features are not scaled or C is large the dual is flat in all but a few directions, and
 * more so with fewer monomials than examples, as the kernel matrix then is singular: pairs of
 * multipliers take millions of steps and do not end.  In the monomials the problem is one with a
 * linear kernel, which the linear engine solves by Newton's method.  The multipliers are those of
 * the same dual.
 *
 * What it wins in bench/landscape (CPU seconds of one thread, with it and without):
 * checkerboard@10000 -c 10 .015 and .22; svmguide1 -g .1 .016 and more than 2; skin_nonskin -c .1
 * -g 1 .21 and more than 2.4; mpg, housing, cadata (-t 1) .03 to .8 and more than 2 to 3.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "kernel/monomials.h"
#include "linear/linear_direction.h"
#include "problem/problem.h"
#include "proof/unfinished.h"
#include "train/exact.h"

/*
 * The linear engine factors a matrix of the order of the monomials up to this many.  Their values,
 * 12 bytes each and as much again for the engine's copy, may take 800 MB; the limit must not depend
 * on the cache, of which each of several threads has a part, as the result would.
 */
#define MOST_MONOMIALS (LINEAR_MAX_PRIMAL - 1)
#define MOST_VALUES (1 << 25)

/*
 * Up to FEW_MONOMIALS a pass over them takes no longer than one over a kernel row of as many
 * support vectors, and the linear engine is tried at once.  Else SMO is tried first, for less work
 * than the linear engine takes: WORK_A_VALUE members met by steps of pairs for each value of a
 * monomial.  On letter.scale, satimage, cpusmall, cadata and friedman, scaled, the engine takes 30
 * to 120 ns a value, and SMO that gives up about half of that.  With 25, friedman (C = 10, gamma =
 * .5) takes .96 s instead of .58, with 50 1.76 s; with 10 SMO still ends where it is the faster
 * one.
 * A large C alone does not make pairs slow: letter.scale (C = 100, gamma = 1) takes 2.4 s by pairs
 * and more than 25 s by monomials.
 */
#define FEW_MONOMIALS 64
#define WORK_A_VALUE 10

/* Count the monomials of the problem's columns; 0 where there are too many, -1 without memory. */
static int64_t count_monomials(const struct randsvm_task *task, struct error *err)
{
	const struct problem_view *p = task->p;
	int64_t most = int64_min(MOST_MONOMIALS, MOST_VALUES / p->n), n;

	if (p->kernel.degree > MOST_MONOMIALS || monomials_count(&p->kernel, 1, most) > most)
		/* one column and coef0 = 0 have a single monomial whatever the degree is */
		return 0;
	n = monomials_of_rows(&p->kernel, p->x, p->row, p->n, most, err);
	return n > most ? 0 : n;
}

/*
 * There is no monomial of degree 0: f is without the constant coef0^degree times sum beta, which is
 * 0 but for one-class.
 */
static int add_constant(struct randsvm_task *task, struct error *err)
{
	const struct problem_view *p = task->p;
	double sum = p->sum_plus - p->sum_minus;
	double constant = sum * pow(p->kernel.coef0, p->kernel.degree);

	if (sum == 0)
		return 0;
	for (int64_t i = 0; i < p->n; i++)
		task->x.f[i] += constant;
	task->x.rho += constant;
	return task->result.reason == STOP_INTERRUPTED ?
		       unfinished_certify(p, &task->x, task->options->eps,
					  &task->result.certificate, err) :
		       certificate_make(p, &task->x, task->options->eps, &task->result.certificate,
					err);
}

/* Solve by the linear engine; '*solved' stays false where a monomial overflows. */
static int solve_linear(struct randsvm_task *task, bool *solved, struct error *err)
{
	const struct problem_view *p = task->p;
	/* the problem with the linear kernel on the rows of phi, each at the position of its example */
	struct problem_view view = *p;
	struct csr phi;
	int64_t *row = mem_array(p->n, sizeof(*row), err);
	int ret = -1;

	if (row && monomials_make(&phi, &p->kernel, p->x, p->row, p->n, err) == 0) {
		*solved = phi.n_rows > 0;
		count_up(row, p->n);
		view.kernel = (struct kernel){ .type = KERNEL_LINEAR };
		view.source = NULL;
		view.x = &phi;
		view.row = row;
		task->p = &view;
		ret = *solved ? exact_solve_linear(task, err) : 0;
		task->p = p;
		if (*solved && ret == 0) {
			/* products of rows of monomials with w */
			task->result.in_doubles = true;
			ret = add_constant(task, err);
		}
		csr_free(&phi);
	}
	mem_free(row);
	return ret;
}

/*
 * Has the linear engine, with all repairs, left violators though kernel values in doubles, times C,
 * are exact enough to do without?
 */
static bool is_unfinished(const struct randsvm_task *task)
{
	const struct problem_view *p = task->p;

	if (task->result.certificate.n_violators == 0 || task->result.reason == STOP_INTERRUPTED)
		return false;
	return DBL_EPSILON * problem_largest_diagonal(p) * problem_largest_c(p) <=
	       task->options->eps;
}

int exact_solve_monomials(struct randsvm_task *task, bool *solved, struct error *err)
{
	const struct problem_view *p = task->p;
	int64_t n = count_monomials(task, err), n_iterations = 0;
	int ret = 1, rounds;

	*solved = false;
	if (n <= 0)
		return n < 0 ? -1 : 0;
	if (n > FEW_MONOMIALS) {
		ret = exact_solve(task, WORK_A_VALUE * (double)n * (double)p->n, err);
		n_iterations = task->x.n_iterations;
	}
	if (ret <= 0) {
		*solved = ret == 0;
		return ret;
	}
	ret = solve_linear(task, solved, err);
	task->x.n_iterations += n_iterations;
	if (ret < 0 || !*solved || !is_unfinished(task))
		return ret;
	/* exact_solve() counts its steps from 0: those of the linear engine are added below */
	n_iterations = task->x.n_iterations;
	rounds = task->result.rounds;
	ret = exact_compete(task, exact_solve, INFINITY, err);
	task->x.n_iterations += n_iterations;
	task->result.rounds += rounds;
	return ret;
}
