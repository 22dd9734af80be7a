/*
 * linear.h - all five machines with the linear kernel, all examples at once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/checkpoint.h"
#include "problem/problem.h"

struct linear_options {
	double eps; /* tolerance: max up - min down <= eps, over all examples */
	int n_threads;
	uint64_t seed; /* seed of the order of rows in coordinate descent */
	/* relative duality gap below which the solving ends, as it does by eps; 0: none */
	double gap;
	/*
	 * Most updates of coordinate descent, in epochs over all rows.  It then goes on until the
	 * problem is solved, with a relative gap of at most 1e-3 or 'gap', or the updates are used
	 * up and Newton steps follow; a problem with too few features has no descent.  0: a few
	 * epochs, as a start of the Newton method.
	 */
	int epochs;
	/*
	 * Multipliers to be tried first: feasible, by example, perhaps the solution already; or
	 * NULL.  Where they are not the solution, the solving begins with 0 all the same: on a9a,
	 * w8a and reuters-moneyfx at a tenth or ten times of their C, or with a tenth of the rows
	 * new, it takes 0.7 to 1.2 times as many Newton steps and epochs from there as from 0.
	 */
	const double *start;
	bool weights; /* give w, too, where it may be better than that of the multipliers */
	struct checkpoint_block *checkpoint; /* block that keeps the state, as a run; NULL: none */
	const struct interruption *interruption; /* interruption to end at; or NULL */
	struct linear_helpers *helpers; /* other processes for products (linear_rows.h); or NULL */
};

struct linear_result {
	double rho;
	/* half the distance of the two thresholds, for the machines of nu: see problem.h */
	double epsilon;
	int64_t n_iterations; /* Newton steps and epochs of descent */
	double violation;     /* violation max up - min down of the result */
	double dual; /* largest dual of feasible multipliers seen, a bound of the optimum */
	bool evaluated; /* f are the decision values of the multipliers as they are, but for rho, finite */
	bool interrupted;
	/*
	 * With options.weights, of C-SVC and epsilon-SVR whose multipliers are not w's in doubles
	 * (decision_far_error()): w of the last Newton step by column of p->x, for the caller to
	 * free; else NULL.  Nothing is said of how good it is.
	 */
	double *w;
};

/*
 * linear_solve() - solve 'p', whose kernel is linear, to within o->eps of the KKT conditions
 *
 *     minimise over w, b   1/2 |w|^2 + sum_i C_i loss(y_i, w.x_i + b),   b free, not penalised
 *
 * by an augmented Lagrangian: the multipliers are proximal points
 *
 *     beta_i <- clip(soft(beta_i + sigma (y_i - w.x_i - b), sigma epsilon), lower_i, upper_i)
 *
 * at the (w, b) that minimises a piecewise quadratic function, found by a semismooth Newton
 * method with exact line search.  The machines of nu have a cost of b besides, in place of epsilon,
 *
 *     minimise over w, b   1/2 |w|^2 + S b + sum_i U_i max(0, -w.x_i - b)                 one-class
 *     minimise over w, b_plus, b_minus                                            nu-SVC and nu-SVR
 *         1/2 |w|^2 + S_plus b_plus - S_minus b_minus
 *         + sum_i (U_i max(0, t_i - w.x_i - b_plus) + L_i max(0, b_minus - t_i + w.x_i))
 *
 * with the bounds [-L_i, U_i] and the sums of problem.h, whose thresholds these b are.  Where there
 * are many features coordinate descent comes first, and often suffices.
 *
 * 'beta' and 'f' (p->n values each) are outputs only.  Returns
 *
 *      0   max up - min down <= eps, or the relative gap is <= o->gap.  Without o->gap and
 *          o->epochs it mostly is below eps / 100 as well, for which up to four further outer steps
 *          are made
 *      1   it is not: for rounding (features of very unequal scale at a large C), a limit of steps,
 *          numbers that overflow, or an interruption.  beta is the feasible one with the smallest
 *          duality gap seen, a start for another solver; but where it was interrupted the one with
 *          the least primal seen, which need not be feasible
 *     -1   ERR_MEMORY, or ERR_ARGUMENT for more columns than can be counted; beta and f are
 *          undefined
 *
 * After 0, and after 1 unless interrupted, beta is feasible (lower <= beta <= upper, exact zeros
 * and bounds, sum 0 or the sums of the problem up to rounding).  f_i = w.x_i with w = sum beta_i
 * x_i, and 'result' is filled.  Where nu-SVR ends with a tube of width 0, both sums may be less by
 * the same amount.
 *
 * A Newton step takes O(entries), and O(min(features, free)^3) or conjugate gradients; there are 10
 * to 200, a few times as many at C = 1000 as at C = 1, and never more than 700.  Memory: a copy of
 * the rows (nu-SVR: two), during coordinate descent another one of 8 bytes an entry, some 30
 * numbers for each row (nu-SVR: 60), and at most two matrices of 1201^2 and one of 1500^2.  The
 * bits depend on the BLAS, but not on n_threads.
 *
 * Source: Li, Sun, Toh 2018, SIAM J. Optim. 28 (semismooth Newton augmented Lagrangian);
 * Keerthi, DeCoste 2005, J. Mach. Learn. Res. 6 (Newton with exact line search); Hsieh et al.
 * 2008, ICML (coordinate descent).
 */
int linear_solve(const struct problem_view *p, const struct linear_options *o, double *beta,
		 double *f, struct linear_result *result, struct error *err);
