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

/* The part of a that the vectors of class 'own' have by their coefficients against 'other'. */
static double gain_of(const struct trainer *t, const struct solution *s, int own, int other,
		      const double *y)
{
	const struct solution_side r = solution_side(s, own, other);
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
			double gain = gain_of(t, s, a, b, y), square;

			if (machine_classifies(t->training->type))
				gain += gain_of(t, s, b, a, y);
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
	fold_start_free(k);
	k->c = t->training->C;
	k->growth = mem_array(solution_n_pairs(s->n_class), sizeof(*k->growth), err);
	if (k->growth && solution_copy(&k->solution, s, err) == 0) {
		find_growth(k, t, pairs, y);
		return 0;
	}
	fold_start_free(k);
	return -1;
}

void fold_start_grow(struct fold_start *k, double c)
{
	struct solution *s = &k->solution;
	int64_t q = 0;

	for (int a = 0; a < s->n_class; a++)
		for (int b = a + 1; b < s->n_class; b++, q++) {
			double factor = fmin(k->growth[q], c / k->c);

			solution_scale(s, a, b, factor);
			/* without classes all vectors are of the first */
			if (s->label)
				solution_scale(s, b, a, factor);
		}
	k->c = c;
}
