/*
 * fixed_sums.c - feasible multipliers for the machines of nu
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/fixed_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

double fixed_sums_scale(const struct problem_view *p, const bool *is_member)
{
	double all[2] = { 0 }, members[2] = { 0 }, scale = 1;

	for (int64_t i = 0; i < p->n; i++) {
		int class = !machine_is_regression(p->type) && p->target[i] < 0;

		all[class] += problem_c(p, i);
		if (is_member[i])
			members[class] += problem_c(p, i);
	}
	for (int class = 0; class < 2; class ++)
		if (all[class] > 0)
			scale = fmax(scale, all[class] / members[class]);
	return scale;
}

/* A member of a regression and its target. */
struct ordered {
	double target;
	int64_t i;
};

static int compare_targets(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* Which members of a regression are to be above 0: the half of larger targets. */
static int choose_signs(const struct problem_view *p, const bool *is_member, bool *is_plus,
			struct error *err)
{
	struct ordered *list = mem_array(p->n, sizeof(*list), err);
	int64_t n = 0;

	if (!list)
		return -1;
	for (int64_t i = 0; i < p->n; i++)
		if (is_member[i])
			list[n++] = (struct ordered){ p->target[i], i };
	qsort(list, (size_t)n, sizeof(*list), compare_targets);
	for (int64_t k = 0; k < n; k++)
		is_plus[list[k].i] = k >= n - n / 2;
	free(list);
	return 0;
}

int fixed_sums_start(const struct problem_view *p, const bool *is_member, double scale,
		     double *beta, struct error *err)
{
	double left[2] = { p->sum_plus, p->sum_minus };
	bool *is_plus = mem_array(p->n, sizeof(*is_plus), err);

	if (!is_plus)
		return -1;
	for (int64_t i = 0; i < p->n; i++)
		is_plus[i] = p->target[i] > 0;
	if (machine_is_regression(p->type) && choose_signs(p, is_member, is_plus, err) < 0) {
		free(is_plus);
		return -1;
	}
	for (int64_t i = 0; i < p->n; i++) {
		double *of_sign = &left[!is_plus[i]];
		double size = is_member[i] ? fmin(scale * problem_c(p, i), *of_sign) : 0;

		beta[i] = is_plus[i] ? size : -size;
		*of_sign -= size;
	}
	free(is_plus);
	return 0;
}
