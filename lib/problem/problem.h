/*
 * problem.h - one binary or regression problem
 *
 * With signed multipliers beta_i, C-SVC (target y_i = +1 or -1) and epsilon-SVR (real
 * targets) are one problem:
 *
 *     maximise  D(beta) = sum_i (y_i beta_i - epsilon |beta_i|) - 1/2 sum_ij beta_i beta_j K(x_i, x_j)
 *     subject to  sum_i beta_i = 0,  lower_i <= beta_i <= upper_i
 *
 *     C-SVC (beta_i = y_i alpha_i)  y_i = +1: [0, C_plus]   y_i = -1: [-C_minus, 0]   epsilon = 0
 *     epsilon-SVR                   [-C, C]                                          epsilon = p
 *
 * and f(x) = sum_i beta_i K(x_i, x) - rho.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PROBLEM_H
#define RANDSVM_PROBLEM_H

#include <stdint.h>

#include "kernel/float_vectors.h"
#include "matrix/csr.h"
#include "problem/training.h"

struct class_tiles;

/* Two classes of those in tiles; or none, 'tiles' being NULL. */
struct class_pair {
	const struct class_tiles *tiles;
	int a, b;
};

/* Borrows everything. */
struct problem_view {
	enum machine_type type; /* MACHINE_C_SVC or MACHINE_EPSILON_SVR */
	struct kernel kernel;
	const struct csr *x;
	const double *norm2; /* by row of x: |x|^2; or NULL: computed whenever asked for */
	const struct float_vectors *x_float; /* x in single precision, or NULL: use double */
	const double *gram;	/* x x', all of it, by rows; or NULL; linear kernel only */
	struct class_pair pair; /* where the examples are these, a's and then b's, in tiles */
	const int64_t *row;	/* n rows of x */
	const double *target;	/* n: +1 or -1, or the regression target */
	int64_t n;
	double c_plus, c_minus; /* equal for epsilon-SVR */
	double epsilon;		/* 0 for C-SVC */
};

/*
 * struct iterate - where the optimisation of a problem of n examples stands
 *
 * The arrays are the caller's.
 */
struct iterate {
	double *beta;	      /* n multipliers, feasible */
	double *f;	      /* n decision values without constant: sum_j beta_j K(x_j, x_i) */
	double rho;	      /* minus the constant */
	int64_t n_iterations; /* taken so far; what optimises adds its own */
};

/* problem_c() - C of example i: how far beta_i may move away from 0 */
static inline double problem_c(const struct problem_view *p, int64_t i)
{
	return p->type == MACHINE_EPSILON_SVR || p->target[i] > 0 ? p->c_plus : p->c_minus;
}

/* problem_diagonal() - K(x_i, x_i); below 0 for some kernels that are not positive definite */
static inline double problem_diagonal(const struct problem_view *p, int64_t i)
{
	int64_t row = p->row[i];

	if (p->kernel.type == KERNEL_RBF)
		return 1;
	if (p->gram)
		return p->gram[row * p->x->n_rows + row];
	return kernel_diagonal(&p->kernel, p->norm2 ? p->norm2[row] : csr_row_norm2(p->x, row));
}

static inline double problem_upper(const struct problem_view *p, int64_t i)
{
	return p->type == MACHINE_EPSILON_SVR || p->target[i] > 0 ? p->c_plus : 0;
}

static inline double problem_lower(const struct problem_view *p, int64_t i)
{
	if (p->type == MACHINE_EPSILON_SVR)
		return -p->c_plus;
	return p->target[i] > 0 ? 0 : -p->c_minus;
}

#endif
