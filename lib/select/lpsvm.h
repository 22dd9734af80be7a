/*
 * lpsvm.h - features by the linear programming machine with the 1-norm
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "select/selection.h"

#define LPSVM_DEFAULT_GAP 1e-6

/* Range of nu in which a 'target' is searched for. */
#define LPSVM_LEAST_NU 1e-4
#define LPSVM_MOST_NU 1e4

struct lpsvm_options {
	const double *weight; /* weights of the rows, above 0; NULL: 1 each */
	double nu;	      /* weight nu of the errors, > 0; not used if there is a target */
	/* number of features to which nu is to come nearest; or 0, if nu is given */
	int64_t target;
	double gap; /* relative gap at which to stop; 0: LPSVM_DEFAULT_GAP */
	int n_threads;
};

struct lpsvm_result {
	double nu;
	double gamma;	     /* constant of the classifier sign(x.w - gamma) */
	double primal, dual; /* primal and dual value, between which the optimum lies */
	double gap;	     /* relative gap (primal - dual) / primal; 0 where primal is 0 */
	/* number of outer steps and of Newton steps; with a target, of all its problems */
	int n_outer, n_newton;
	bool converged; /* gap wanted was reached before the limits on steps */
};

/*
 * lpsvm_select() - the features with w_j != 0 at the optimum of a linear program
 *
 *     minimise over w, gamma, t   nu sum_i m_i t_i + |w|_1
 *     subject to  y_i (x_i.w - gamma) + t_i >= 1,  t_i >= 0
 *
 * '*s' is empty before.  'y' has a label +1 or -1 for each row, o->weight its weight m_i: a weight
 * of k is k equal rows, and all weights times t are nu times t.  The largest |w_j| come first
 * (ties: lower index): they are the scores; weights are 1.  With one class alone w is 0 and no
 * feature is chosen.  Of columns equal but for the sign the first alone counts; there are no more
 * features than rows where the optimum is unique.  Weights up to gap times the value are made 0
 * where value and gap allow it.
 *
 * By an augmented Lagrangian on the dual program, max sum u_i under |sum_i y_i u_i x_ij| <= 1,
 * sum y_i u_i = 0, 0 <= u_i <= nu m_i, its columns scaled to norm 1: each step minimises a
 * piecewise quadratic function of u by Newton steps with exact line search.  It ends when primal
 * and dual value, both of feasible points, are within the gap, after 200 steps at most:
 * result->converged says whether.  With o->target nu is bisected on a logarithmic scale, each
 * problem starting from the one before; the first problem that comes nearest to the target is the
 * result, one without any feature only if all are.
 *
 * A Newton step takes O(entries) and the Cholesky factor of a matrix of size min(J + 1, n), J being
 * the features whose constraints are active; there are mostly 5 to 20 outer and 50 to 500
 * Newton steps, thousands where rows differ in size by factors of a thousand.  Memory: 24 bytes
 * an entry, 80 a row, 130 a feature, 8 min(J + 1, n)^2.
 * The bits depend on the BLAS, not on n_threads.
 *
 * Fails with ERR_MEMORY, with ERR_ARGUMENT (too many rows) or ERR_NUMERIC (numbers beyond
 * doubles); '*s' is then empty.
 *
 * Sources: Bradley and Mangasarian 1998, ICML (the program); Fung and Mangasarian 2004, Comput.
 * Optim. Appl. 28 (Newton on its dual; without multipliers and a line search it need not end).
 */
int lpsvm_select(struct selection *s, const struct csr *x, const double *y,
		 const struct lpsvm_options *o, struct lpsvm_result *result, struct error *err);
