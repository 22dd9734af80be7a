/*
 * plain_problem.h - kernel values and optimality conditions by their definitions, for tests
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PLAIN_PROBLEM_H
#define RANDSVM_PLAIN_PROBLEM_H

#include <math.h>
#include <stdlib.h>

#include "problem/problem.h"

/* plain_kernel() - K(x, z) of two full vectors of n values */
static inline double plain_kernel(const struct kernel *k, const double *x, const double *z, int n)
{
	double dot = 0, distance = 0;

	for (int j = 0; j < n; j++) {
		dot += x[j] * z[j];
		distance += (x[j] - z[j]) * (x[j] - z[j]);
	}
	switch (k->type) {
	case KERNEL_POLYNOMIAL:
		return pow(k->gamma * dot + k->coef0, k->degree);
	case KERNEL_RBF:
		return exp(-k->gamma * distance);
	case KERNEL_SIGMOID:
		return tanh(k->gamma * dot + k->coef0);
	default:
		return dot;
	}
}

/* plain_row_kernel() - K(x_i, x_j) of two rows */
static inline double plain_row_kernel(const struct kernel *k, const struct csr *x, int64_t i,
				      int64_t j)
{
	double *full = calloc(2 * (size_t)x->n_cols, sizeof(*full)), *other = full + x->n_cols;
	double value;

	for (int64_t e = x->row_start[i]; e < x->row_start[i + 1]; e++)
		full[x->col[e]] = x->val[e];
	for (int64_t e = x->row_start[j]; e < x->row_start[j + 1]; e++)
		other[x->col[e]] = x->val[e];
	value = plain_kernel(k, full, other, (int)x->n_cols);
	free(full);
	return value;
}

/* plain_violation() - m - M, max up - min down, of multipliers with decision values f */
static inline double plain_violation(const struct problem_view *p, const double *beta,
				     const double *f)
{
	double up = -INFINITY, down = INFINITY, epsilon = p->epsilon;

	for (int64_t i = 0; i < p->n; i++) {
		double g = p->target[i] - f[i];

		if (beta[i] < problem_upper(p, i))
			up = fmax(up, beta[i] < 0 ? g + epsilon : g - epsilon);
		if (beta[i] > problem_lower(p, i))
			down = fmin(down, beta[i] > 0 ? g - epsilon : g + epsilon);
	}
	return up - down;
}

#endif
