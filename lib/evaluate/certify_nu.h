/*
 * certify_nu.h - what a model of nu-SVC, nu-SVR or one-class leaves out, for certify.h
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CERTIFY_NU_H
#define RANDSVM_CERTIFY_NU_H

#include "evaluate/certify.h"
#include "problem/problem.h"

/* certify_nu_feasible() - do a nu-SVC problem's classes have enough examples for the sums of nu? */
bool certify_nu_feasible(const struct problem_view *p, double nu);

/*
 * certify_nu_thresholds() - x->epsilon of nu-SVR's multipliers and decision values
 *
 * Half of the distance of the two thresholds, each in the middle of what the conditions of
 * optimality leave for it; 0 where the multipliers use up less than the sums, which is optimal for
 * a tube without width alone.  O(n).
 */
void certify_nu_thresholds(const struct problem_view *p, struct iterate *x);

/*
 * certify_nu_examine() - c->sum_excess and c->shown_nu
 *
 * After the other values of 'c' that the multipliers and the violation give.  'eps' is the
 * tolerance of training and 'nu' what the caller takes the model to be trained with.  O(n).
 */
void certify_nu_examine(const struct problem_view *p, const struct iterate *x, double nu,
			double eps, struct pair_certificate *c);

#endif
