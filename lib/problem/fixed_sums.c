/*
 * fixed_sums.c - feasible multipliers for the machines of nu
 *
 * How this works.  The constraints are sums of |beta_i| over each side (over all examples for
 * regressions, which begin with 0).  A start fills the members of a side one after the other, in
 * their order, each up to its bound, until the sum is used up, as LIBSVM does; the last one gets
 * the rest.  Members alone may not reach the sum within their bounds: fixed_sums_scale() is the
 * factor on the bounds by which they do, the share of all bounds that the members have.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/fixed_sums.h"

double fixed_sums_scale(const struct problem_view *p, const bool *is_member)
{
	double all[2] = { 0 }, members[2] = { 0 }, scale = 1;

	for (int64_t i = 0; i < p->n; i++) {
		bool minus = !machine_is_regression(p->type) && p->target[i] < 0;

		all[minus] += problem_c(p, i);
		if (is_member[i])
			members[minus] += problem_c(p, i);
	}
	for (int minus = 0; minus < 2; minus++)
		if (all[minus] > 0)
			scale = fmax(scale, all[minus] / members[minus]);
	return scale;
}

void fixed_sums_start(const struct problem_view *p, const bool *is_member, double scale,
		      double *beta)
{
	double left[2] = { p->sum_plus, p->sum_minus };

	for (int64_t i = 0; i < p->n; i++) {
		bool takes = (!is_member || is_member[i]) && !machine_is_regression(p->type);
		bool minus = p->target[i] < 0;
		double size = takes ? fmin(scale * problem_c(p, i), left[minus]) : 0;

		beta[i] = minus ? -size : size;
		left[minus] -= size;
	}
}
