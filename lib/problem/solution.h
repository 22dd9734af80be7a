/*
 * solution.h - the result of training: support vectors, coefficients and constants of all pairs
 *
 *     f_(a,b)(x) = sum_s coef_s K(s, x) - rho_(a,b)
 *
 * The sum is over the support vectors s of classes a and b.
 *
 * Pairs of classes are in the order (0,1), (0,2), ..., (1,2), ....  Support vectors are grouped by
 * class; within a class they are in the order of the training data.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/expansion.h"

/*
 * A trained machine of all classes: support vectors and coefficients.  Owns its arrays; a zeroed
 * struct is empty.
 */
struct solution {
	int n_class;	 /* number of classes; 2 for regression and one-class SVM */
	int64_t n_sv;	 /* number of support vectors */
	int64_t *sv_row; /* row numbers of the n_sv support vectors in the training data */
	/* number of support vectors of each class; without classes all are of class 0 */
	int64_t *n_sv_of_class;
	/* labels of the n_class classes; NULL for regression and one-class */
	int *label;
	double *coef; /* coefficients, [n_class - 1][n_sv] in the layout of expansion.h */
	double *rho;  /* rho, minus the constant, of each pair */
	/* weights by column of the data of each pair that has them in place of 'coef'; NULL: none has */
	double **w;
	double far_error; /* largest decision_far_error() of a pair: above 0 models are to have weights */
	/* sigmoid parameters of each pair (regression: prob_a[0] alone), or NULL */
	double *prob_a, *prob_b;
	int n_density_marks;
	/* density marks of a one-class model with probabilities, from LIBSVM 3.30 on; else NULL */
	double *density_marks;
};

/*
 * solution_n_reversed() - pairs of classes whose probabilities contradict their decision values
 *
 * 1 / (1 + exp(A f + B)) falls with f where A > 0, which too few rows to find A and B by may give.
 */
int64_t solution_n_reversed(const struct solution *s);

/* solution_vectors() - the support vectors, which are the rows of x, and their coefficients */
static inline struct support_vectors solution_vectors(const struct solution *s, const struct csr *x)
{
	return (struct support_vectors){ x, s->n_class, s->n_sv_of_class, s->coef };
}

/* solution_n_pairs() - number of pairs of classes, n_class (n_class - 1) / 2 */
static inline int64_t solution_n_pairs(int n_class)
{
	return (int64_t)n_class * (n_class - 1) / 2;
}

/* solution_slot() - index of class 'other' among the opponents of class 'own' */
static inline int solution_slot(int own, int other)
{
	return other < own ? other : other - 1;
}

/* solution_coef() - coefficients of class 'own' against 'other', by the numbers of all vectors */
static inline double *solution_coef(const struct solution *s, int own, int other)
{
	return s->coef + solution_slot(own, other) * s->n_sv;
}

/* solution_first_sv() - number of the first vector of a class: they are listed class after class */
static inline int64_t solution_first_sv(const struct solution *s, int class)
{
	int64_t first = 0;

	for (int c = 0; c < class; c++)
		first += s->n_sv_of_class[c];
	return first;
}

/*
 * struct solution_side - the coefficients coef[first .. first + n - 1] of the vectors of one class
 * against another
 */
struct solution_side {
	double *coef;
	int64_t first, n;
};

static inline struct solution_side solution_side(const struct solution *s, int own, int other)
{
	return (struct solution_side){ solution_coef(s, own, other), solution_first_sv(s, own),
				       s->n_sv_of_class[own] };
}

/* solution_scale() - multiply these coefficients by a factor */
static inline void solution_scale(struct solution *s, int own, int other, double factor)
{
	const struct solution_side side = solution_side(s, own, other);

	for (int64_t j = side.first; j < side.first + side.n; j++)
		side.coef[j] *= factor;
}

/* solution_same_coefficients() - have vectors j and k the same against each other class? */
static inline bool solution_same_coefficients(const struct solution *s, int64_t j, int64_t k)
{
	for (int r = 0; r < s->n_class - 1; r++)
		if (s->coef[r * s->n_sv + j] != s->coef[r * s->n_sv + k])
			return false;
	return true;
}

/*
 * solution_bound_rho() - replace the infinite rho of pairs in which a class has weight 0
 *
 * If a class of a C-SVC pair has weight 0, w is 0, and the optimal rho are a half-line: all values
 * that put the other class on or outside its margin.  LIBSVM returns the middle of the half-line,
 * which is infinite.  This function takes its end point instead, rho = 1 or -1.  Finite rho stay as
 * they are.
 */
void solution_bound_rho(struct solution *s);

/*
 * solution_copy_constants() - all of 'from' but its vectors and coefficients, into the empty '*to'
 *
 * n_class, labels, rho, probabilities and density marks; and to->n_sv_of_class of zeros.  Fails with
 * ERR_MEMORY; '*to' is then to be freed.
 */
int solution_copy_constants(struct solution *to, const struct solution *from, struct error *err);

/* solution_copy() - all of 'from' into the empty '*to'; fails likewise */
int solution_copy(struct solution *to, const struct solution *from, struct error *err);

/* solution_free_weights() - free weights of all pairs, and each pair's; 'w' may be NULL */
void solution_free_weights(double **w, int n_class);

void solution_free(struct solution *s);
