/*
 * pair_problem.c - the problem of a pair of classes, and what of it is told in its result
 *
 * How this works.  Four kinds of examples become a struct problem: a pair of classes, all rows of a
 * regression or one class, and either of these on the subset of a trainer.  The classes of a subset
 * name rows of the data already, so that a pair needs no case of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/pair_problem.h"

#include <math.h>

int pair_problem_init(struct problem *p, const struct trainer *t, const struct classes *classes,
		      struct class_choice pair, struct error *err)
{
	if (!classes && t->subset)
		return single_problem_list(p, t->data, t->training, &t->subset->examples, err);
	if (!classes)
		return single_problem(p, t->data, t->training, err);
	return classes_pair_problem(p, classes, pair, t->data, t->training, err);
}

void pair_problem_describe(struct pair_result *pair, const struct problem *p,
			   const struct classes *classes, int a, int b)
{
	pair->n = p->view.n;
	pair->label_a = classes ? classes->label[a] : 0;
	pair->label_b = classes ? classes->label[b] : 0;
	pair->c = problem_has_one_c(&p->view) ? p->view.c_plus : NAN;
}

void pair_problem_count_outside(struct pair_result *result, const struct problem_view *p,
				const struct iterate *x)
{
	result->outside = 0;
	for (int64_t i = 0; p->type == MACHINE_ONE_CLASS && i < p->n; i++)
		if (!(x->f[i] > x->rho))
			result->outside += p->weight ? p->weight[i] : 1;
	result->outside /= problem_weight(p);
}
