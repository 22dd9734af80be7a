/*
 * rounding_errors.h - how far rounding may have moved decision values, inside rounding.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/problem.h"
#include "proof/rounding.h"

/* u of doubles: largest relative error of an operation */
#define ROUNDING_UNIT (DBL_EPSILON / 2)

/*
 * n roundings move a sum by more than ROUNDING_SPREAD sqrt(n) units with probability
 * 2 exp(-ROUNDING_SPREAD^2 / 2)
 */
#define ROUNDING_SPREAD 6

/* Error of a decision value by length and size of its row: e_i = of_length l_i + of_size h_i. */
struct rounding_rate {
	double of_length, of_size;
};

/* struct rounding_errors - errors of decision values (rounding_errors.c); owns its arrays */
struct rounding_errors {
	double *length, *size; /* l_i and h_i of each example */
	struct rounding_rate in_floats, in_doubles;
	/* linear kernel: error of |w|^2 of decision values that are one vector's; else NAN */
	double square;
	double per_value;	     /* a + s: units of a kernel value in a sum */
	double k;		     /* units of an inner product */
	double lengths, far_lengths; /* L; that of rows kernel_is_far() alone */
	double *weighed;     /* by example: weighed errors of values in doubles; NULL: none */
	double *of_sizes;    /* by example: errors of values in floats by x->sizes; NULL: none */
	double largest_size; /* the largest h_i */
	double largest_exponent; /* rbf: gamma |x - z|^2 of any two rows at most */
	bool *exact;		 /* by example: f_i is in doubles; NULL: as all_exact says */
	bool all_exact;
};

/*
 * rounding_errors_init() - errors of x->f; 'rows' are those of p->x, or NULL
 *
 * Without them the longest row has 'longest' entries, or as many as it has if that is more.
 * O(entries), O(n) with 'rows'; -1 with ERR_MEMORY, when '*e' is to be freed, too.
 */
int rounding_errors_init(struct rounding_errors *e, const struct problem_view *p,
			 const struct iterate *x, enum rounding_values values,
			 const struct rounding_rows *rows, int64_t longest, struct error *err);

void rounding_errors_free(struct rounding_errors *e);

/*
 * rounding_errors_weigh() - make e->weighed of the n examples listed, whose values are in doubles
 *
 * For rbf kernels alone.  O(n_sv log n_sv + n log n_sv), and O(entries) without 'rows'; 56 p->n
 * bytes, 8 of which stay; -1 with ERR_MEMORY.
 */
int rounding_errors_weigh(struct rounding_errors *e, const struct problem_view *p,
			  const struct iterate *x, const struct rounding_rows *rows,
			  const int64_t *example, int64_t n, struct error *err);

/*
 * rounding_errors_by_sizes() - make e->of_sizes of the n examples listed
 *
 * Where x->sizes are known; O(n); 8 p->n bytes; -1 with ERR_MEMORY.
 */
int rounding_errors_by_sizes(struct rounding_errors *e, const struct problem_view *p,
			     const struct iterate *x, const int64_t *example, int64_t n,
			     struct error *err);

/* rounding_error_of() - the error of f_i at most */
static inline double rounding_error_of(const struct rounding_errors *e, int64_t i)
{
	bool exact = e->exact ? e->exact[i] : e->all_exact;
	const struct rounding_rate *rate = exact ? &e->in_doubles : &e->in_floats;

	if (exact && e->weighed)
		return e->weighed[i];
	if (!exact && e->of_sizes)
		return e->of_sizes[i];
	return rate->of_length * e->length[i] + rate->of_size * e->size[i];
}

/* rounding_growth() - error of a sum of n terms, in units of the sum of their sizes */
static inline double rounding_growth(double n)
{
	return fmin(n, ROUNDING_SPREAD * sqrt(n));
}

/*
 * Bounds of sums of rbf kernel values, by the lengths of vectors alone: vectors whose lengths differ
 * are at least as far apart, so that
 *
 *     K(x, z) = exp(-gamma |x - z|^2) <= exp(-(l - m)^2),
 *     l = sqrt(gamma) |x|,  m = sqrt(gamma) |z|
 *
 * Sums with two kinds of factors are bounded at once.
 */
enum { RBF_SUMS = 2 };

/* A vector: sqrt(gamma) times its length, finite, and its factors, 0 or more. */
struct rbf_term {
	double length; /* first, for order_doubles() */
	double factor[RBF_SUMS];
};

/* struct rbf_bound - the terms of the sums, by ascending length; a zeroed struct is empty */
struct rbf_bound {
	int64_t n;
	double *length;	       /* the lengths, and INFINITY: n + 1 numbers */
	double *sum[RBF_SUMS]; /* sums of the first 0, 1, ... n factors: n + 1 numbers each */
};

/* rbf_bound_init() - sorts the n terms, in place; O(n log n), or -1 with ERR_MEMORY */
int rbf_bound_init(struct rbf_bound *b, struct rbf_term *term, int64_t n, struct error *err);

void rbf_bound_free(struct rbf_bound *b);

/*
 * rbf_bound_at() - at least sum_j factor_j K(x_j, z), where 'length' is sqrt(gamma) |z|
 *
 * At most sum_j factor_j exp(-max(d - 1/2, 0)^2) with d = |length_j - length|, but for 4e-15 of the
 * sum of all factors.  O(log n).
 */
void rbf_bound_at(const struct rbf_bound *b, double length, double bound[RBF_SUMS]);
