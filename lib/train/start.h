/*
 * start.h - the multipliers of a model as those of the problems of data: to begin with, or to certify
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"
#include "problem/solution.h"

/*
 * struct start - a model's solution, of which each row of the data finds its vector
 *
 * Owns 'vector_of_row'; threads may share it once it is made.
 */
struct start {
	/*
	 * model that gives them, borrowed; vectors that are no rows of the data are left out
	 */
	const struct solution *s;
	int64_t *vector_of_row; /* number of the support vector that each row is, or -1 */
};

/*
 * start_init() - find the vectors of n_rows rows; O(n_rows + vectors); fails with ERR_MEMORY only
 */
int start_init(struct start *start, const struct solution *s, int64_t n_rows, struct error *err);

void start_free(struct start *start);

/* start_class() - number of the model's class with the label; -1: it has none; 0 for a regression */
int start_class(const struct start *start, int label);

/*
 * start_coefficients() - multipliers of 'p' as the model has them, into beta[0 .. p->n - 1]
 *
 * Examples with target +1 are of the model's class a, others of its class b; of a regression both are
 * not read.  Each example has the coefficient that the model gives its row in the decision function of
 * the two: 0 where the row is no support vector, or the model lacks one of them (-1).  O(n).
 */
void start_coefficients(const struct start *start, int a, int b, const struct problem_view *p,
			double *beta);

/*
 * start_make_feasible() - multipliers within the bounds of 'p', and of sum 0, out of any
 *
 * They are cut at their bounds, where p's C or weights are others than the model's, or the model is
 * one of a sample, and the sign that then weighs more is lowered until the sum is 0:
 *
 *     cut multipliers    all of the sign are multiplied by a factor before they are cut, one for
 *                        which those that were at the bound of the model's C remain at theirs
 *     free ones          by a further factor, if that does not suffice (rows are missing)
 *     bounded ones       to 0, if that does not: the last examples first
 *
 * O(n).
 */
void start_make_feasible(const struct problem_view *p, double *beta);
