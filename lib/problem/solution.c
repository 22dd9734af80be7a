/*
 * solution.c - the result of training: support vectors, coefficients and constants
 *
 * How this works.  Coefficients are by class, [n_class - 1][n_sv], vectors grouped by class; rho is
 * by pair, (0, 1), (0, 2), ..., (1, 2), ...  In solution_bound_rho() first_a and first_b are where
 * the vectors of classes a and b begin: a rho is replaced only where all coefficients of the pair
 * are 0, in both classes, so an infinite rho that has another cause is kept.  O(n_class n_sv).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/solution.h"

#include <math.h>
#include <stdbool.h>

#include "base/mem.h"

/* Are the coefficients of class 'own', from 'first' on, against class 'other' all 0? */
static bool all_zero(const struct solution *s, int own, int other, int64_t first)
{
	const double *coef = solution_coef(s, own, other) + first;

	for (int64_t j = 0; j < s->n_sv_of_class[own]; j++)
		if (coef[j] != 0)
			return false;
	return true;
}

void solution_bound_rho(struct solution *s)
{
	double *rho = s->rho;
	int64_t first_a = 0;

	for (int a = 0; a < s->n_class; first_a += s->n_sv_of_class[a++]) {
		int64_t first_b = first_a + s->n_sv_of_class[a];

		for (int b = a + 1; b < s->n_class; first_b += s->n_sv_of_class[b++], rho++)
			if (isinf(*rho) && all_zero(s, a, b, first_a) && all_zero(s, b, a, first_b))
				*rho = copysign(1, *rho);
	}
}

void solution_free(struct solution *s)
{
	mem_free(s->sv_row);
	mem_free(s->n_sv_of_class);
	mem_free(s->label);
	mem_free(s->coef);
	mem_free(s->rho);
	mem_free(s->prob_a);
	mem_free(s->prob_b);
	mem_free(s->density_marks);
	*s = (struct solution){ 0 };
}
