/*
 * certify_repair.c - the constants and multiples that certificates found best, put into the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify.h"

/*
 * The constant and the multiple of decision function v, of classes a and b.  Where the old value
 * was f - rho the new one is s f - rho', so sigmoids and marks of density are of
 *
 *     f - rho = (new + rho') / s - rho
 */
static void repair_pair(struct model *m, int a, int b, int64_t v, const struct pair_repair *to)
{
	struct solution *s = &m->solution;
	double shift = to->rho / to->scale - s->rho[v];

	if (to->scale != 1) {
		solution_scale(s, a, b, to->scale);
		solution_scale(s, b, a, to->scale);
	}
	if (s->prob_a && s->prob_b && machine_classifies(m->type)) {
		s->prob_b[v] += s->prob_a[v] * shift;
		s->prob_a[v] /= to->scale;
	}
	for (int k = 0; s->density_marks && k < s->n_density_marks; k++)
		s->density_marks[k] -= shift;
	s->rho[v] = to->rho;
}

int64_t certify_repair(struct model *m, const struct model_certificate *c)
{
	int64_t v = 0, n_changed = 0;

	for (int a = 0; a < m->solution.n_class; a++)
		for (int b = a + 1; b < m->solution.n_class; b++, v++)
			if (c->pair[v].repair.wanted) {
				repair_pair(m, a, b, v, &c->pair[v].repair);
				n_changed++;
			}
	return n_changed;
}
