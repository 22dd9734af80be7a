/*
 * pair_problem.h - the problem of a pair of classes, and what of it is told in its result
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PAIR_PROBLEM_H
#define RANDSVM_PAIR_PROBLEM_H

#include "train/trainer.h"

/* pair_problem_init() - the problem of a pair; 'classes' NULL: of a regression or one class */
int pair_problem_init(struct problem *p, const struct trainer *t, const struct classes *classes,
		      struct class_choice pair, struct error *err);

/* pair_problem_describe() - labels, number of examples and C of the problem */
void pair_problem_describe(struct pair_result *result, const struct problem *p,
			   const struct classes *classes, int a, int b);

/* pair_problem_count_outside() - result->outside of a one-class machine, by x->f and x->rho */
void pair_problem_count_outside(struct pair_result *result, const struct problem_view *p,
				const struct iterate *x);

#endif
