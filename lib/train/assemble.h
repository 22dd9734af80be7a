/*
 * assemble.h - build the solution of all classes from the multipliers of each pair
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ASSEMBLE_H
#define RANDSVM_ASSEMBLE_H

#include <stdint.h>

#include "base/error.h"
#include "problem/classes.h"
#include "problem/solution.h"

/*
 * The multipliers of all pairs of n_class classes, as LIBSVM's models have them: those of a row in a
 * column, in row b - 1 of a pair (a, b) where the row is of class a, else in row a.
 *
 * Where classes are many nearly every row is a support vector of some pair, and this becomes the
 * solution's coefficients; where they are few it is small beside the data.
 */
struct kept_multipliers {
	int n_class;
	int64_t n_rows;
	double *coef; /* coefficients by row, [n_class - 1][n_rows], 0 at first */
	double *rho;  /* constant rho of the decision function of each pair */
	double far_error;
	double **w; /* weights of each pair that has them in place of multipliers; else NULL */
};

/* kept_init() - room for all coefficients, 0; call kept_free() even if it fails */
int kept_init(struct kept_multipliers *kept, int n_class, int64_t n_rows, struct error *err);

void kept_free(struct kept_multipliers *kept);

/* kept_add() - store the multipliers 'beta' and the constant of pair number q, classes a and b */
void kept_add(struct kept_multipliers *kept, int64_t q, struct class_choice pair,
	      const struct problem *p, const double *beta, double rho);

/*
 * assemble_solution() - fill the empty '*s' from the multipliers kept of all pairs, which it takes
 *
 * 'classes' is NULL for a regression.  Support vectors are in the order of the examples, for
 * several classes within each class.  O(classes times rows).  Fails with ERR_MEMORY only; '*s' is
 * then empty.
 */
int assemble_solution(struct solution *s, struct kept_multipliers *kept,
		      const struct classes *classes, const struct example_list *examples,
		      struct error *err);

#endif
