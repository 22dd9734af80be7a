/*
 * solution.c - the result of training: support vectors, coefficients and constants
 *
 * How this works.  Coefficients are by class, [n_class - 1][n_sv], vectors grouped by class; rho is
 * by pair, (0, 1), (0, 2), ..., (1, 2), ...  In solution_bound_rho() a rho is replaced only where
 * all coefficients of the pair are 0, in both classes, so an infinite rho that has another cause is
 * kept.  O(n_class n_sv).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/solution.h"

#include "base/mem.h"

/* Are the coefficients of class 'own' against class 'other' all 0? */
static bool all_zero(const struct solution *s, int own, int other)
{
	const struct solution_side side = solution_side(s, own, other);

	return are_zeros(side.coef + side.first, side.n);
}

void solution_bound_rho(struct solution *s)
{
	double *rho = s->rho;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, rho++)
			if (isinf(*rho) && all_zero(s, a, b) && all_zero(s, b, a))
				*rho = copysign(1, *rho);
}

int solution_copy_constants(struct solution *to, const struct solution *from, struct error *err)
{
	const int64_t n_pairs = solution_n_pairs(from->n_class);

	*to = (struct solution){ .n_class = from->n_class,
				 .n_density_marks = from->n_density_marks };
	to->label = mem_copy(from->label, from->n_class, sizeof(int), err);
	to->rho = mem_copy(from->rho, n_pairs, sizeof(double), err);
	to->prob_a = mem_copy(from->prob_a, n_pairs, sizeof(double), err);
	to->prob_b = mem_copy(from->prob_b, n_pairs, sizeof(double), err);
	to->density_marks =
		mem_copy(from->density_marks, from->n_density_marks, sizeof(double), err);
	to->n_sv_of_class = mem_zeroed(from->n_class, sizeof(int64_t), err);
	return err->code == ERR_NONE ? 0 : -1;
}

int solution_copy(struct solution *to, const struct solution *from, struct error *err)
{
	const int n_rows = from->n_class > 1 ? from->n_class - 1 : 1;

	if (solution_copy_constants(to, from, err) < 0)
		return -1;
	to->n_sv = from->n_sv;
	to->sv_row = mem_copy(from->sv_row, from->n_sv, sizeof(int64_t), err);
	to->coef = mem_copy(from->coef, n_rows * from->n_sv, sizeof(double), err);
	memcpy(to->n_sv_of_class, from->n_sv_of_class, (size_t)from->n_class * sizeof(int64_t));
	return err->code == ERR_NONE ? 0 : -1;
}

void solution_free_weights(double **w, int n_class)
{
	for (int64_t q = 0; w && q < solution_n_pairs(n_class); q++)
		mem_free(w[q]);
	mem_free(w);
}

void solution_free(struct solution *s)
{
	solution_free_weights(s->w, s->n_class);
	mem_free_all(s->sv_row, s->n_sv_of_class, s->label, s->coef, s->rho, s->prob_a, s->prob_b,
		     s->density_marks);
	*s = (struct solution){ 0 };
}

int64_t solution_n_reversed(const struct solution *s)
{
	int64_t n = 0;

	for (int64_t k = 0; s->label && s->prob_a && k < solution_n_pairs(s->n_class); k++)
		n += s->prob_a[k] > 0;
	return n;
}
