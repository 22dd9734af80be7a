/*
 * start.h - the multipliers of a model as those that training begins with
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_START_H
#define RANDSVM_START_H

#include <stdint.h>

#include "base/error.h"
#include "problem/problem.h"
#include "problem/solution.h"

/*
 * struct start - a model's solution, of which each row of the data finds its vector
 *
 * Owns 'vector_of_row'; threads may share it once it is made.
 */
struct start {
	/*
	 * model that gives the start, borrowed; vectors that are no rows of the data are left out
	 */
	const struct solution *s;
	int64_t *vector_of_row; /* number of the support vector that each row is, or -1 */
};

/*
 * start_init() - find the vectors of n_rows rows; O(n_rows + vectors); fails with ERR_MEMORY only
 */
int start_init(struct start *start, const struct solution *s, int64_t n_rows, struct error *err);

void start_free(struct start *start);

/* The classes of a problem by their labels; of a regression both are 0, and not read. */
struct start_pair {
	int label_a, label_b; /* labels of the examples with target +1, and with target -1 */
};

/*
 * start_coefficients() - multipliers of 'p' as the model has them, into beta[0 .. p->n - 1]
 *
 * Each example has the coefficient that the model gives its row in the decision function of the two
 * labels, whatever their order there: 0 where the row is no support vector, or the model lacks one
 * of the labels.  Returns how many are not 0.  O(n).
 */
int64_t start_coefficients(const struct start *start, struct start_pair pair,
			   const struct problem_view *p, double *beta);

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

#endif
