/*
 * rbf_bound.h - bounds of sums of rbf kernel values, by the lengths of vectors alone
 *
 * Vectors whose lengths differ are at least as far apart, so that
 *
 *     K(x, z) = exp(-gamma |x - z|^2) <= exp(-(l - m)^2),
 *     l = sqrt(gamma) |x|,  m = sqrt(gamma) |z|
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

/* Sums with two kinds of factors are bounded at once. */
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
