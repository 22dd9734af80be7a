/*
 * lpsvm_work.h - what the steps of the linear programming machine (lpsvm.c) share
 *
 * Numbers in brackets are those of the equations at the head of lpsvm.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LPSVM_WORK_H
#define RANDSVM_LPSVM_WORK_H

#include <stdint.h>

#include "base/error.h"
#include "base/thread.h"
#include "matrix/columns.h"

/* The linear program but for nu: labels, scaled columns, threads. */
struct lpsvm_program {
	const double *y;
	struct columns columns; /* columns of D A, each scaled to norm 1 */
	int64_t n, d;
	double *bound; /* d: factors of the columns, 1 / their norms: 'bound' of (1) */
	int n_threads;
	struct thread_team *team;
};

/* u and the multipliers of (2), from which the next nu starts. */
struct lpsvm_lagrangian {
	double nu, eps;
	double *u, *z, *s; /* n each */
	double *p, *q;	   /* d each */
	double g;
	double *product; /* d + 1: B'u; the last is e'Du */
};

/* Scratch memory of a Newton step: derivatives (4), the matrix of (5), and the step. */
struct lpsvm_newton {
	double *gradient, *diagonal; /* n: of f; F */
	double *coef;		     /* d + 1: a - b, c */
	int32_t *active;	     /* d + 1: J and then d, which stands for e */
	int64_t n_active;	     /* |J| */
	double *step;		     /* n */
	double *step_product;	     /* d + 1: B'step */
	double *matrix;		     /* matrix to be factored, of order min(|J| + 1, n) */
	int64_t matrix_capacity;
	double *scaled, *small; /* n: -F^-1/2 gradient; solution of the small system */
};

static inline double positive(double x)
{
	return x > 0 ? x : 0;
}

/* a and b of a column; h and k of a row */
struct lpsvm_pair {
	double first, second;
};

/* a_j and b_j where (A'Du)_j is 'product' */
static inline struct lpsvm_pair lpsvm_excess(const struct lpsvm_program *p,
					     const struct lpsvm_lagrangian *at, int64_t j,
					     double product)
{
	return (struct lpsvm_pair){ positive(product - p->bound[j] + at->eps * at->p[j]),
				    positive(-product - p->bound[j] + at->eps * at->q[j]) };
}

/* h_i and k_i where u_i is 'u' */
static inline struct lpsvm_pair lpsvm_outside(const struct lpsvm_lagrangian *at, int64_t i,
					      double u)
{
	return (struct lpsvm_pair){ positive(u - at->nu + at->eps * at->z[i]),
				    positive(-u + at->eps * at->s[i]) };
}

/* lpsvm_multiply() - out = B'v, d + 1 numbers; O(entries) */
void lpsvm_multiply(const struct lpsvm_program *p, const double *v, double *out);

/* lpsvm_add_columns() - out += B coef; zeros of coef cost nothing, and most are */
void lpsvm_add_columns(const struct lpsvm_program *p, const double *coef, double *out);

/*
 * lpsvm_minimise() - minimise f of (2) over u, from at->u
 *
 * Adds the number of Newton steps to '*n_newton'; at most 300 are taken.  Fails with ERR_MEMORY,
 * ERR_ARGUMENT (too many rows for the BLAS) or ERR_NUMERIC (numbers beyond doubles).
 */
int lpsvm_minimise(const struct lpsvm_program *p, struct lpsvm_lagrangian *at,
		   struct lpsvm_newton *w, int *n_newton, struct error *err);

#endif
