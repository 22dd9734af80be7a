/*
 * problem.h - the quadratic problem of one pair of classes, of one regression or of one class
 *
 * With signed multipliers beta_i, C-SVC (targets y_i = +1 or -1) and epsilon-SVR (real targets)
 * have the same dual problem:
 *
 *     maximise    D(beta) = sum_i (y_i beta_i - epsilon |beta_i|)
 *                           - 1/2 sum_ij beta_i beta_j K(x_i, x_j)
 *     subject to  sum_i beta_i = 0,  lower_i <= beta_i <= upper_i
 *
 *     C-SVC (beta_i = y_i alpha_i)  y_i = +1: [0, C_plus]   y_i = -1: [-C_minus, 0]   epsilon = 0
 *     epsilon-SVR                   [-C, C]                                          epsilon = p
 *
 * The decision function is f(x) = sum_i beta_i K(x_i, x) - rho.
 *
 * The machines of nu have no cost of |beta|, but fixed sums of either sign of multipliers instead:
 *
 *     maximise    D(beta) = sum_i t_i beta_i - 1/2 sum_ij beta_i beta_j K(x_i, x_j)
 *     subject to  sum of beta_i > 0: S_plus,  sum of -beta_i > 0: S_minus,  the same kind of box
 *
 *     nu-SVC     t_i = 0    y_i = +1: [0, 1]   y_i = -1: [-1, 0]    S_plus = S_minus = nu n / 2
 *     nu-SVR     t_i = y_i  [-C, C]                                 S_plus = S_minus = C nu n / 2
 *     one-class  t_i = 0    [0, 1]; all y_i = +1                    S_plus = nu n, S_minus = 0
 *
 * Example i may have a weight w_i > 0, which multiplies its bounds and its loss: C_i = C w_i, or w_i
 * in place of 1 for nu-SVC and one-class; and in the sums w(S) = sum of all w_i stands for n:
 *
 *     nu-SVC  S_plus = S_minus = nu w(S) / 2     nu-SVR  C nu w(S) / 2     one-class  nu w(S)
 *
 * So a weight of k is k equal examples, and nu is a share of the weight: at least nu w(S) of it
 * belongs to support vectors and at most nu w(S) to examples with a loss.  nu-SVC allows nu up to
 * 2 min(w(S+), w(S-)) / w(S).  All weights times t are C times t; and with nu-SVC and one-class the
 * same function f, in a beta t times as large.  This is the formulation of LIBSVM's extension for
 * weights of instances.
 *
 * This is LIBSVM's scaling.  (S_plus and S_minus of nu-SVR are upper limits: where no tube of width
 * above 0 is best, both sums are less by the same amount.)
 *
 * All machines have two thresholds for u_i = t_i - f_i, those of the constraints' multipliers.
 * With t_i = y_i for C-SVC and epsilon-SVR,
 *
 *     th_plus = b + epsilon, th_minus = b - epsilon
 *     beta_i > 0 only if u_i >= th_plus,  beta_i < 0 only if u_i <= th_minus,  b = -rho
 *
 * where epsilon is that of the problem, or for the machines of nu part of the solution: r =
 * -epsilon is half of nu-SVC's margin, in the scaling of beta; nu-SVR's epsilon is its tube;
 * one-class has th_plus = b alone, and epsilon = 0.  nu-SVC's final coefficients and rho are those
 * here over r.
 *
 * With squared losses (L2-SVM; linear kernel only) no multiplier has an upper bound, and D is less
 * by sum_i beta_i^2 / (4 C_i):
 *
 *     y_i = +1: [0, inf)   y_i = -1: (-inf, 0]   epsilon-SVR: (-inf, inf)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/precomputed.h"
#include "problem/kernel_source.h"
#include "problem/training.h"

struct linear_rows;

/* One problem; all its pointers are borrowed. */
struct problem_view {
	enum machine_type type;
	struct kernel kernel;
	const struct csr *x;
	const struct kernel_source *source; /* source of kernel values; NULL: plain_source */
	/*
	 * Rows of all of x made ready for the linear engine, shared by several problems; or NULL.
	 * Example i must then be row i of x.
	 */
	const struct linear_rows *linear_rows;
	/* interruption of long evaluations, and of solvers in place of their own; NULL: none */
	const struct interruption *interruption;
	const int64_t *row; /* row of x that each of the n examples is */
	/*
	 * target of each of the n examples: +1 or -1, or the regression target; one-class: all +1
	 */
	const double *target;
	/*
	 * weight of each of the n examples, above 0, which its C is multiplied by; NULL: 1 each.
	 * A whole number k counts as k equal examples, which equal_examples.h makes of them.
	 */
	const double *weight;
	int64_t n;
	/* C of an example of either sign; equal for regressions; 1 where C is not used */
	double c_plus, c_minus;
	/* epsilon: 0 for C-SVC; machines of nu: that of the present solution, see problem_at() */
	double epsilon;
	/* sums of beta_i > 0 and of -beta_i > 0, for the machines of nu */
	double sum_plus, sum_minus;
	bool squared_loss;
	double square; /* |w|^2 of decision values that are of no multipliers; else 0 */
};

/*
 * struct iterate - the current multipliers and decision values of a problem of n examples
 *
 * The caller owns the arrays.
 */
struct iterate {
	double *beta; /* multipliers of the n examples, feasible */
	/* decision values of the n examples, without the constant: sum_j beta_j K(x_j, x_i) */
	double *f;
	/*
	 * sums of the terms' sizes, sum_j |beta_j| K(x_j, x_i), or more, where knows_sizes is set;
	 * NULL until they are; whoever asks for them frees them
	 */
	double *sizes;
	bool asks_sizes;
	bool knows_sizes;
	bool sums_in_doubles; /* all terms of f have been summed in doubles, if not made in doubles */
	/*
	 * sum of the sizes of all coefficients in the sums that made f, of multipliers and of
	 * corrections since (decision.h); 0: not known
	 */
	double summed;
	double rho; /* rho, minus the constant b of the decision function */
	/* half the distance of the thresholds, for the machines of nu; else not used */
	double epsilon;
	int64_t n_iterations; /* number of steps of all solvers so far; each solver adds its own */
};

/*
 * iterate_init() - arrays for n examples, whose contents are undefined
 *
 * Returns 0, or -1 with ERR_MEMORY; iterate_free() follows in either case.
 */
static inline int iterate_init(struct iterate *x, int64_t n, struct error *err)
{
	*x = (struct iterate){ .beta = mem_array(n, sizeof(*x->beta), err),
			       .f = mem_array(n, sizeof(*x->f), err) };
	return x->beta && x->f ? 0 : -1;
}

static inline void iterate_free(struct iterate *x)
{
	mem_free_all(x->beta, x->f);
}

/*
 * iterate_copy() - copy all of n examples but the number of steps and the sizes; both own their
 * arrays
 */
static inline void iterate_copy(struct iterate *to, const struct iterate *from, int64_t n)
{
	memcpy(to->beta, from->beta, (size_t)n * sizeof(*to->beta));
	memcpy(to->f, from->f, (size_t)n * sizeof(*to->f));
	to->rho = from->rho;
	to->epsilon = from->epsilon;
	to->knows_sizes = false;
	to->sums_in_doubles = from->sums_in_doubles;
	to->summed = from->summed;
}

/* multipliers_count() - number of support vectors: multipliers other than 0 of n examples */
static inline int64_t multipliers_count(const double *beta, int64_t n)
{
	int64_t n_vectors = 0;

	for (int64_t i = 0; i < n; i++)
		n_vectors += beta[i] != 0;
	return n_vectors;
}

/* problem_source() - the source of the problem's kernel values */
static inline const struct kernel_source *problem_source(const struct problem_view *p)
{
	return p->source ? p->source : &plain_source;
}

/* problem_fixes_sums() - is the machine one of nu, whose sums of multipliers are fixed? */
static inline bool problem_fixes_sums(const struct problem_view *p)
{
	return machine_fixes_sums(p->type);
}

/* problem_linear() - t_i, the coefficient of beta_i in D */
static inline double problem_linear(const struct problem_view *p, int64_t i)
{
	return p->type == MACHINE_NU_SVC || p->type == MACHINE_ONE_CLASS ? 0 : p->target[i];
}

/* problem_cost() - the coefficient of -|beta_i| in D: epsilon, or 0 where sums are fixed */
static inline double problem_cost(const struct problem_view *p)
{
	return problem_fixes_sums(p) ? 0 : p->epsilon;
}

/*
 * problem_at() - the problem with the thresholds of 'x', to judge single examples by
 *
 * A copy whose epsilon is x->epsilon for the machines of nu.  All else is borrowed.
 */
static inline struct problem_view problem_at(const struct problem_view *p, const struct iterate *x)
{
	struct problem_view at = *p;

	if (problem_fixes_sums(p))
		at.epsilon = x->epsilon;
	return at;
}

/* problem_c() - C of example i, which weights its loss */
static inline double problem_c(const struct problem_view *p, int64_t i)
{
	double c = machine_is_regression(p->type) || p->target[i] > 0 ? p->c_plus : p->c_minus;

	return p->weight ? p->weight[i] * c : c;
}

/* problem_largest_c() - the largest C of an example; O(n) with weights */
static inline double problem_largest_c(const struct problem_view *p)
{
	double most = p->weight ? 0 : fmax(p->c_plus, p->c_minus);

	for (int64_t i = 0; p->weight && i < p->n; i++)
		most = fmax(most, problem_c(p, i));
	return most;
}

/* problem_weight() - sum of the weights of all examples, without weights their number */
static inline double problem_weight(const struct problem_view *p)
{
	double sum = p->weight ? 0 : (double)p->n;

	for (int64_t i = 0; p->weight && i < p->n; i++)
		sum += p->weight[i];
	return sum;
}

/* problem_has_one_c() - do all examples have the same C? */
static inline bool problem_has_one_c(const struct problem_view *p)
{
	return !p->weight && p->c_plus == p->c_minus;
}

/*
 * Most examples of a problem whose steps are LIBSVM's, see problem_is_stepwise().  They take a half
 * to a seventh of the time that LIBSVM takes, and 4 to 15 times that of the subsets and blocks that
 * larger problems are solved by.  But of 46 trainings (9,000 to 12,000 examples of seven sets, -g
 * .004 to .25, -r -1 to .5, -c .1 to 100) these end in a worse maximum in 8, by up to 45 %.
 */
#define PROBLEM_MOST_STEPWISE 32768

/* problem_is_definite() - is the kernel positive semidefinite, as far as is known? */
static inline bool problem_is_definite(const struct problem_view *p)
{
	return kernel_is_definite(&p->kernel) && !problem_source(p)->indefinite;
}

/*
 * problem_is_stepwise() - must SMO take each step as LIBSVM does, by smo_stepwise()?
 *
 * Where the kernel is not definite D has many local maxima, which may differ by tens of per cent,
 * and each step from LIBSVM's start decides which one is found.  With LIBSVM's steps it is
 * LIBSVM's.
 */
static inline bool problem_is_stepwise(const struct problem_view *p)
{
	return !problem_is_definite(p) && p->n <= PROBLEM_MOST_STEPWISE;
}

/* problem_diagonal() - K(x_i, x_i); can be negative if the kernel is not positive semidefinite */
static inline double problem_diagonal(const struct problem_view *p, int64_t i)
{
	const struct kernel_source *source = problem_source(p);
	int64_t row = p->row[i];

	if (p->kernel.type == KERNEL_RBF)
		return 1;
	if (source->diagonal)
		return source->diagonal[row * source->diagonal_step];
	if (p->kernel.type == KERNEL_PRECOMPUTED)
		return precomputed_value(p->x, row, row);
	return kernel_diagonal(&p->kernel, csr_row_norm2(p->x, row));
}

/* problem_largest_diagonal() - the largest |K(x_i, x_i)|; O(n), without a source's diagonal O(entries) */
static inline double problem_largest_diagonal(const struct problem_view *p)
{
	double largest = 0;

	for (int64_t i = 0; i < p->n; i++)
		largest = fmax(largest, fabs(problem_diagonal(p, i)));
	return largest;
}

/*
 * problem_bound() - the largest |beta_i|: C of the example or, with squared losses, none if C > 0
 */
static inline double problem_bound(const struct problem_view *p, int64_t i)
{
	double c = problem_c(p, i);

	return p->squared_loss && c > 0 ? INFINITY : c;
}

static inline double problem_upper(const struct problem_view *p, int64_t i)
{
	return machine_is_regression(p->type) || p->target[i] > 0 ? problem_bound(p, i) : 0;
}

static inline double problem_lower(const struct problem_view *p, int64_t i)
{
	return machine_is_regression(p->type) || p->target[i] < 0 ? -problem_bound(p, i) : 0;
}

/* problem_softness() - term that squared losses add to K(x_i, x_i) in D: 1 / (2 C_i); else 0 */
static inline double problem_softness(const struct problem_view *p, int64_t i)
{
	double c = problem_c(p, i);

	return p->squared_loss && c > 0 ? 1 / (2 * c) : 0;
}
