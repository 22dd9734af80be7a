/*
 * unfinished.h - multipliers that were not optimised to the end, made as good as they can be at
 * once
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"
#include "proof/certificate.h"

/*
 * unfinished_certify() - the constant, the size and the certificate of multipliers beyond the
 * optimum
 *
 * In the middle of an optimisation the primal of w = sum_i beta_i phi(x_i) may be far above that of
 * w = 0.  Besides, the multipliers of a sample that stands for all examples are beyond their
 * bounds.  x->f holds their decision values.  In this order:
 *
 *     (1)  x->rho, and x->epsilon of the machines of nu, become those of least primal
 *     (2)  beta and f are halved as long as that makes the primal less, which is convex in the
 *          factor: it is not above that of w = 0 then.  Not for nu-SVC and one-class, whose
 *          primals are over all multiples, nor for kernels that are not definite
 *     (3)  the dual is that of the best multiple of beta that is feasible,
 *
 *              D(t beta) = t L - t^2 (|w|^2 + sum_i beta_i^2 s_i) / 2,   lower_i <= t beta_i <= upper_i,
 *              L = sum_i (y_i beta_i - problem_cost() |beta_i|),   s_i = problem_softness()
 *
 *          and sums at most S for nu-SVR, whose sums are limits.  Those of nu-SVC and one-class
 *          leave no multiple but 1: beyond the bounds it is -INFINITY
 *
 * O(n) a halving; 16 n bytes, 32 n for epsilon-SVR.  Fails with ERR_MEMORY only.
 */
int unfinished_certify(const struct problem_view *p, struct iterate *x, double tolerance,
		       struct certificate *c, struct error *err);

/*
 * unfinished_is_feasible() - are multipliers within their bounds, and have those of a machine of nu
 * its sums, to within rounding?  O(n)
 */
bool unfinished_is_feasible(const struct problem_view *p, const double *beta);

/* unfinished_dual() - the dual of (3); O(n) */
double unfinished_dual(const struct problem_view *p, const struct iterate *x);
