/*
 * solution.h - what training found
 *
 *     f_(a,b)(x) = sum over support vectors of classes a and b of coef K(s, x) - rho_(a,b)
 *
 * Pairs of classes are in the order (0,1), (0,2), ..., (1,2), ...; support vectors are
 * grouped by class, in the order of the training data within a class.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SOLUTION_H
#define RANDSVM_SOLUTION_H

#include <stdint.h>

/* Owns its arrays; a zeroed struct is empty. */
struct solution {
	int n_class; /* 2 for regression and one-class */
	int64_t n_sv;
	int64_t *sv_row;	 /* n_sv row numbers in the training data */
	int64_t *n_sv_of_class;	 /* n_class; regression and one-class: all in class 0 */
	int *label;		 /* n_class, or NULL where there are none */
	double *coef;		 /* [n_class - 1][n_sv], as expansion.h has them */
	double *rho;		 /* one per pair */
	double *prob_a, *prob_b; /* one per pair (regression: prob_a[0] alone) or NULL */
	int n_density_marks;
	double *density_marks; /* one-class with probabilities, LIBSVM 3.30 and later, or NULL */
};

/* solution_n_pairs() - n_class (n_class - 1) / 2 */
static inline int64_t solution_n_pairs(int n_class)
{
	return (int64_t)n_class * (n_class - 1) / 2;
}

/*
 * solution_bound_rho() - finite constants for the pairs of C-SVC that left a class out
 *
 * A class of weight 0 leaves w = 0, and every constant from which on the other class is outside
 * its margin is optimal.  LIBSVM answers with the middle of what it may be, which is infinite; this
 * takes the nearest, rho = 1 or -1.  Other constants stay.
 */
void solution_bound_rho(struct solution *s);

void solution_free(struct solution *s);

#endif
