/*
 * fixed_sums.h - feasible multipliers for the machines of nu
 *
 * Their multipliers of either sign have a sum that is given (problem.h), so that 0 is not feasible
 * and there is more than one place to begin.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"

/*
 * fixed_sums_scale() - by how much bounds must at least be larger for some members to have the sums
 *
 * The bounds of all examples over those of the members; with two classes the larger quotient of
 * theirs.  Members that are chosen at random stand for all examples then, with the same sums.
 * 'is_member' is by example.  INFINITY where a class has no member.  O(n).
 */
double fixed_sums_scale(const struct problem_view *p, const bool *is_member);

/*
 * fixed_sums_start() - multipliers to begin with, without knowing anything of the solution
 *
 * The first members of each class, in order, get 'scale' times their bound, until the sum is given
 * out; all others 0.  'is_member' NULL: all are.  'scale' is at least fixed_sums_scale().  A
 * regression, whose sums are limits, begins with all 0.  LIBSVM begins so, too.  O(n).
 */
void fixed_sums_start(const struct problem_view *p, const bool *is_member, double scale,
		      double *beta);
