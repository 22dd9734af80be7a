/*
 * fold_start.c - solutions of the folds for one C as starts of those for the next
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/fold_start.h"

#include <math.h>

#include "base/mem.h"

void fold_start_free(struct fold_start *k)
{
	solution_free(&k->solution);
	mem_free(k->growth);
	*k = (struct fold_start){ 0 };
}

/* The coefficients of class 'own' against 'other', and which of them are of its vectors. */
struct coef_range {
	double *coef;
	int64_t first, n;
};

static struct coef_range range_of(const struct solution *s, int own, int other)
{
	return (struct coef_range){ solution_coef(s, own, other), solution_first_sv(s, own),
				    s->n_sv_of_class[own] };
}

/* The part of a that the vectors of one range have. */
static double gain_of(const struct trainer *t, const struct solution *s, struct coef_range r,
		      const double *y)
{
	double sum = 0, tube = t->training->type == MACHINE_EPSILON_SVR ? t->training->p : 0;

	for (int64_t j = r.first; j < r.first + r.n; j++) {
		double size = fabs(r.coef[j]);

		sum += machine_classifies(t->training->type) ?
			       size :
			       y[s->sv_row[j]] * r.coef[j] - tube * size;
	}
	return sum;
}

static void find_growth(struct fold_start *k, const struct trainer *t,
			const struct pair_result *pairs, const double *y)
{
	const struct solution *s = &k->solution;
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++) {
			double gain = gain_of(t, s, range_of(s, a, b), y), square;

			if (machine_classifies(t->training->type))
				gain += gain_of(t, s, range_of(s, b, a), y);
			square = 2 * (gain - pairs[q].certificate.dual);
			/* where w is 0 the multipliers may be as large as they can */
			k->growth[q] = square > 0 ? fmax(gain / square, 1) : INFINITY;
			/* without losses a larger C changes nothing, but for the gap in 'square' */
			if (pairs[q].certificate.n_bounded_sv == 0)
				k->growth[q] = 1;
		}
}

int fold_start_keep(struct fold_start *k, const struct trainer *t, const struct solution *s,
		    const struct pair_result *pairs, const double *y, struct error *err)
{
	int64_t n_pairs = solution_n_pairs(s->n_class);
	int n_rows = s->n_class > 1 ? s->n_class - 1 : 1;

	fold_start_free(k);
	k->c = t->training->C;
	k->solution.n_class = s->n_class;
	k->solution.n_sv = s->n_sv;
	k->solution.sv_row = mem_copy(s->sv_row, s->n_sv, sizeof(*s->sv_row), err);
	k->solution.n_sv_of_class =
		mem_copy(s->n_sv_of_class, s->n_class, sizeof(*s->n_sv_of_class), err);
	k->solution.label = mem_copy(s->label, s->n_class, sizeof(*s->label), err);
	k->solution.coef = mem_copy(s->coef, n_rows * s->n_sv, sizeof(*s->coef), err);
	k->solution.rho = mem_copy(s->rho, n_pairs, sizeof(*s->rho), err);
	k->growth = mem_array(n_pairs, sizeof(*k->growth), err);
	if (err->code == ERR_NONE) {
		find_growth(k, t, pairs, y);
		return 0;
	}
	fold_start_free(k);
	return -1;
}

static void multiply(struct coef_range r, double factor)
{
	for (int64_t j = r.first; j < r.first + r.n; j++)
		r.coef[j] *= factor;
}

void fold_start_grow(struct fold_start *k, double c)
{
	const struct solution *s = &k->solution;
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++) {
			double factor = fmin(k->growth[q], c / k->c);

			multiply(range_of(s, a, b), factor);
			/* without classes all vectors are of the first */
			if (s->label)
				multiply(range_of(s, b, a), factor);
		}
	k->c = c;
}
