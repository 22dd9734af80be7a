/*
 * exact_near.c - the kernel values of a narrow kernel, kept where most of them will be wanted
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/exact_run.h"

/*
 * Share of support vectors in the largest subset from which on kernel values of a narrow kernel are
 * kept.  That is half as much work as evaluating all examples once where all are support
 * vectors, which is done several times.
 */
#define LEAST_VECTORS 0.25

/* Are at least LEAST_VECTORS of the 'n_examples' optimised so far support vectors? */
static bool most_are_vectors(const struct exact_run *s, int64_t n_examples)
{
	int64_t n = multipliers_count(s->x->beta, s->p->n);

	return s->subsets.n_levels > 1 && (double)n >= LEAST_VECTORS * (double)n_examples;
}

int exact_make_near(struct exact_run *s, struct error *err)
{
	const struct kernel_source *floats = problem_source(s->p);
	struct float_rows rows = { floats->x_float, s->p->row, s->p->n };

	if (near_matrix_init(&s->near, rows, s->o->n_threads, s->p->interruption, err) < 0)
		return -1;
	s->near_source = near_source_make(&s->near, floats);
	s->own->source = &s->near_source.base;
	return smo_renew_rows(&s->smo, err);
}

int exact_keep_near(struct exact_run *s, int64_t n_examples, struct error *err)
{
	const struct kernel_source *source = problem_source(s->p);
	struct float_rows rows = { source->x_float, s->p->row, s->p->n };
	bool serves;

	if (!s->keeps_values || !source->x_float || s->p->kernel.type != KERNEL_RBF ||
	    near_source_is(source) || !most_are_vectors(s, n_examples))
		return 0;
	if (near_matrix_serves(rows, &serves, err) < 0)
		return -1;
	return serves ? exact_make_near(s, err) : 0;
}
