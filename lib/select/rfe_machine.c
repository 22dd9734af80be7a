/*
 * rfe_machine.c - the linear machine that recursive elimination trains: C-SVC or epsilon-SVR
 *
 * How this works.  A step of the elimination drops features of small weight, so that the machine
 * changes little: the multipliers beta of the step before are feasible, and nearly optimal.  With
 * the products X X' at hand, which the elimination keeps up to date, SMO goes on from there on a
 * working set:
 *
 *  (1) Members are the examples whose multipliers may have to move: the free ones, and those that
 *      are less than REACH from violating their condition.  Members stay members.
 *  (2) SMO optimises the members; then f += (X X') (beta' - beta) for all rows, one row of products
 *      for each multiplier that changed.
 *  (3) Non-members that violate now are counted.  If there are any, (1) again, which takes them in.
 *  (4) The whole solution is to be within eps of its conditions.  Members get 1 - OUTSIDE_SHARE of
 *      eps, non-members the rest: their f has moved with a constant rho that is itself uncertain by
 *      the members' share.
 *
 * Working on all examples instead would have SMO scan multipliers that stay at their bounds: most.
 *
 * Without products (more rows than features, or too many of them), and where pair steps come to no
 * end, the machine is trained by exact_solve_linear(), whose Newton method works on the sparse
 * rows; beta is all that it returns, and the elimination makes f of it for the next step.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/rfe_machine.h"

#include "base/mem.h"
#include "matrix/blas.h"
#include "problem/solution.h"
#include "smo/smo.h"
#include "source/matrix_source.h"
#include "train/exact.h"

/* Pair steps for each example before the Newton method is tried.  It only ends what has no end. */
#define STEPS_PER_EXAMPLE 100

/*
 * How far from violating its condition an example is optimised all the same.  Decision values are
 * in units of the margin, 1: more of it makes the set larger, less of it makes more rounds of (3).
 */
#define REACH 0.5

/* The part of eps that examples outside the working set may violate by, see (4). */
#define OUTSIDE_SHARE 0.25

/* For kernel rows, in 2^20 bytes.  They are copies of rows of X X': all of them may be kept. */
#define CACHE_MB 1024

/* Can any multiplier leave 0?  Not where all could only grow, or only fall: their sum is 0. */
static bool has_both_sides(const struct problem_view *p)
{
	bool positive = false, negative = false;

	for (int64_t i = 0; i < p->n; i++) {
		positive = positive || problem_upper(p, i) > 0;
		negative = negative || problem_lower(p, i) < 0;
	}
	return positive && negative;
}

/* Values of the problem's examples from those of all rows. */
static void gather(const struct problem_view *p, const double *all, double *own)
{
	for (int64_t i = 0; i < p->n; i++)
		own[i] = all[p->row[i]];
}

/* A problem with products, optimised on a working set that grows. */
struct pair_training {
	const struct problem_view *p;
	struct smo smo;
	bool *is_member;  /* n */
	double *beta, *f; /* of the n examples; f for SMO, which leaves it undefined */
	double *all;	  /* decision values of all rows, the caller's */
	const double *products;
	double rho;
};

static void pair_training_free(struct pair_training *t)
{
	smo_free(&t->smo);
	mem_free(t->is_member);
	mem_free(t->beta);
	mem_free(t->f);
}

static int pair_training_init(struct pair_training *t, const struct rfe_machine *m,
			      const double *beta, struct error *err)
{
	t->is_member = mem_zeroed(t->p->n, sizeof(*t->is_member), err);
	t->beta = mem_array(t->p->n, sizeof(*t->beta), err);
	t->f = mem_array(t->p->n, sizeof(*t->f), err);
	if (!t->is_member || !t->beta || !t->f || blas_load(err) < 0)
		return -1;
	gather(t->p, beta, t->beta);
	return smo_init(&t->smo, t->p, CACHE_MB, m->n_threads, m->interruption, err);
}

/* (3): the number of non-members that violate their condition by more than the tolerance */
static int64_t count_violators(const struct pair_training *t, double tolerance)
{
	int64_t n = 0;

	for (int64_t i = 0; i < t->p->n; i++)
		n += !t->is_member[i] &&
		     certificate_row_violates(t->p, i, t->beta[i], t->all[t->p->row[i]] - t->rho,
					      tolerance);
	return n;
}

/* (1): a violation of more than -REACH; at the optimum that of a free multiplier is 0 */
static void add_members(struct pair_training *t)
{
	for (int64_t i = 0; i < t->p->n; i++)
		t->is_member[i] = t->is_member[i] ||
				  certificate_row_violates(t->p, i, t->beta[i],
							   t->all[t->p->row[i]] - t->rho, -REACH);
}

/* (2): f += (X X')(beta' - beta), a row of products for each multiplier that has changed. */
static void update_values(struct pair_training *t, double *beta)
{
	int64_t n_rows = t->p->x->n_rows;

	for (int64_t i = 0; i < t->p->n; i++) {
		int64_t row = t->p->row[i];

		if (t->beta[i] != beta[row])
			blas_add_scaled(t->all, n_rows, t->beta[i] - beta[row],
					t->products + row * n_rows);
		beta[row] = t->beta[i];
	}
}

/* (1) to (3) until no non-member violates its condition.  1 if the pair steps come to no end. */
static int optimise(struct pair_training *t, struct rfe_machine *m, double *beta, struct error *err)
{
	struct iterate x = {
		.beta = t->beta, .f = t->f, .rho = t->rho, .n_iterations = m->n_iterations
	};
	int64_t limit = m->n_iterations + STEPS_PER_EXAMPLE * t->p->n;
	int ret;

	do {
		add_members(t);
		gather(t->p, t->all, t->f);
		if (smo_set_members(&t->smo, t->is_member, err) < 0)
			return -1;
		/* (4): each set to its share of eps */
		ret = smo_run(&t->smo, 1, (1 - OUTSIDE_SHARE) * m->eps, limit - m->n_iterations, &x,
			      err);
		t->rho = x.rho;
		m->n_iterations = x.n_iterations;
		if (ret < 0)
			return -1;
		update_values(t, beta);
	} while (ret == 0 && count_violators(t, OUTSIDE_SHARE * m->eps) > 0);
	return ret;
}

/* Train by pair steps from 'beta' and 'f', which both change.  1 if the steps come to no end. */
static int train_by_pairs(struct rfe_machine *m, struct problem_view *p, const double *products,
			  double *beta, double *f, struct error *err)
{
	struct kernel_matrix matrix = { .n = p->x->n_rows,
					.stride = p->x->n_rows,
					.wide_value = products };
	struct matrix_source source = matrix_source_of_doubles(&matrix, NULL, true);
	struct pair_training t = { .p = p, .all = f, .products = products, .rho = m->rho };
	int ret = -1;

	p->source = &source.base;

	if (pair_training_init(&t, m, beta, err) == 0)
		ret = optimise(&t, m, beta, err);
	m->rho = t.rho;
	pair_training_free(&t);
	p->source = NULL;
	return ret;
}

/* Train by the sparse rows; 'beta' is an output only. */
static int train_by_rows(struct rfe_machine *m, const struct problem_view *p, double *beta,
			 struct error *err)
{
	struct solver solver = smo_solver(CACHE_MB, m->n_threads);
	struct randsvm_options options = {
		.mode = WORKING_SET_EXACT, .seed = m->seed, .eps = m->eps, .n_threads = m->n_threads
	};
	struct randsvm_task task = { .p = p,
				     .solver = &solver,
				     .options = &options,
				     .x = { .beta = mem_array(p->n, sizeof(double), err),
					    .f = mem_array(p->n, sizeof(double), err) } };
	int ret = -1;

	solver.interruption = m->interruption;
	if (task.x.beta && task.x.f)
		ret = exact_solve_linear(&task, err);
	for (int64_t i = 0; ret == 0 && i < p->n; i++)
		beta[p->row[i]] = task.x.beta[i];
	if (ret == 0) {
		m->n_iterations += task.x.n_iterations;
		m->rho = task.x.rho;
	}
	mem_free(task.x.beta);
	mem_free(task.x.f);
	return ret;
}

int rfe_machine_train(struct rfe_machine *m, const struct rfe_step *step, double *beta, double *f,
		      struct error *err)
{
	struct problem_view p = m->problem;
	int ret;

	p.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	p.x = step->x;
	if (!has_both_sides(&p)) /* beta = 0, as it was */
		return 0;
	ret = step->gram ? train_by_pairs(m, &p, step->gram, beta, f, err) : 1;
	if (ret == 1 && !interruption_requested(m->interruption))
		ret = train_by_rows(m, &p, beta, err);
	if (ret >= 0 && interruption_requested(m->interruption))
		return error_set(err, ERR_INTERRUPTED, "interrupted");
	return ret;
}

/* ---- the machines of a data set ---- */

/* One for each pair of classes, in the order of the pairs. */
static int make_pairs(struct rfe_machines *all, const struct classes *classes,
		      const struct dataset *d, const struct training *t, struct error *err)
{
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++)
			if (classes_pair_problem(&all->problem[all->n++], classes,
						 (struct class_choice){ a, b, false }, d, t,
						 err) < 0)
				return -1;
	return 0;
}

/* The problems: of each pair of classes, or of the regression. */
static int make_machines(struct rfe_machines *all, const struct classes *classes,
			 const struct dataset *d, const struct training *t, struct error *err)
{
	int64_t n = t->type == MACHINE_EPSILON_SVR ? 1 : solution_n_pairs(classes->n);

	all->problem = mem_zeroed(n, sizeof(*all->problem), err);
	all->machine = mem_zeroed(n, sizeof(*all->machine), err);
	if (!all->problem || !all->machine)
		return -1;
	if (t->type != MACHINE_EPSILON_SVR)
		return make_pairs(all, classes, d, t, err);
	all->n = 1;
	return single_problem(all->problem, d, t, err);
}

int rfe_machines_init(struct rfe_machines *all, const struct dataset *d, const struct training *t,
		      struct error *err)
{
	struct classes classes = { 0 };
	int ret = 0;

	if (t->type != MACHINE_EPSILON_SVR)
		ret = classes_init(&classes, d, err);
	if (ret == 0)
		ret = make_machines(all, &classes, d, t, err);
	for (int q = 0; q < all->n; q++)
		all->machine[q] = (struct rfe_machine){ .problem = all->problem[q].view,
							.eps = t->eps,
							.n_threads = 1 };
	classes_free(&classes);
	return ret;
}

void rfe_machines_free(struct rfe_machines *all)
{
	for (int q = 0; q < all->n; q++)
		problem_free(&all->problem[q]);
	mem_free(all->problem);
	mem_free(all->machine);
	*all = (struct rfe_machines){ 0 };
}

int rfe_machines_train(void *arg, const struct rfe_step *step, double *beta, double *f,
		       struct error *err)
{
	struct rfe_machines *all = arg;
	int64_t n = step->x->n_rows;

	for (int k = 0; k < all->n; k++)
		if (rfe_machine_train(&all->machine[k], step, beta + k * n, f + k * n, err) < 0)
			return -1;
	return 0;
}
