/*
 * lpsvm_work.h - what the steps of the linear programming machine (lpsvm.c) share
 *
 * Numbers in brackets are those of the equations at the head of lpsvm.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <math.h>
#include <stdint.h>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/thread.h"
#include "matrix/columns.h"

/* The linear program except nu: labels, weights, scaled columns, number of threads. */
struct lpsvm_program {
	const double *y;
	const double *weight;	/* weights m_i of the rows, n; NULL: 1 each */
	struct columns columns; /* columns of D A, each scaled to norm 1 */
	int64_t n, d;
	double *bound; /* factors of the columns, 1 / their norms, d: 'bound' of (1) */
	int n_threads;
	struct thread_team *team;
};

/* The point u and the multipliers of (2), from which the next nu starts. */
struct lpsvm_lagrangian {
	double nu, eps;
	double *u, *z, *s; /* point u, and the multipliers of its bounds, n numbers each */
	double *p, *q;	   /* multipliers of the columns' constraints, d numbers each */
	double g;
	double *product; /* product B'u, d + 1; the last number is e'Du */
};

/* Scratch memory of a Newton step: derivatives (4), the matrix of (5), and the step. */
struct lpsvm_newton {
	double *gradient, *diagonal; /* gradient of f, and diagonal F, n numbers each */
	double *coef;		     /* coefficients a - b of the columns, then c, d + 1 */
	/* numbers of the columns in J, and then d, which stands for e; d + 1 */
	int32_t *active;
	int64_t n_active;     /* number of columns in J */
	double *step;	      /* Newton step, n */
	double *step_product; /* product B'step, d + 1 */
	double *matrix;	      /* matrix to be factored, of order min(|J| + 1, n) */
	int64_t matrix_capacity;
	/* vector -F^-1/2 gradient, and solution of the small system, n numbers each */
	double *scaled, *small;
};

/* largest_size() - the largest |a_i|; NAN if a number is NAN */
static inline double largest_size(const double *a, int64_t n)
{
	double most = 0;

	for (int64_t i = 0; i < n; i++)
		most = fabs(a[i]) <= most ? most : fabs(a[i]);
	return most;
}

static inline double positive(double x)
{
	return x > 0 ? x : 0;
}

/* values a and b of a column, or h and k of a row */
struct lpsvm_pair {
	double first, second;
};

/* lpsvm_excess() - a_j and b_j of the column whose (A'Du)_j is 'product' */
static inline struct lpsvm_pair lpsvm_excess(const struct lpsvm_program *p,
					     const struct lpsvm_lagrangian *at, int64_t j,
					     double product)
{
	return (struct lpsvm_pair){ positive(product - p->bound[j] + at->eps * at->p[j]),
				    positive(-product - p->bound[j] + at->eps * at->q[j]) };
}

/* lpsvm_outside() - h_i and k_i of the row whose u_i is 'u' */
static inline struct lpsvm_pair
lpsvm_outside(const struct lpsvm_program *p, const struct lpsvm_lagrangian *at, int64_t i, double u)
{
	return (struct lpsvm_pair){ positive(u - at->nu * weight_at(p->weight, i) +
					     at->eps * at->z[i]),
				    positive(-u + at->eps * at->s[i]) };
}

/* lpsvm_multiply() - the product out = B'v, d + 1 numbers; O(entries) */
void lpsvm_multiply(const struct lpsvm_program *p, const double *v, double *out);

/* lpsvm_add_columns() - add B coef to 'out'; zeros of coef, which are most, cost no time */
void lpsvm_add_columns(const struct lpsvm_program *p, const double *coef, double *out);

/*
 * lpsvm_minimise() - minimise f of (2) over u, from at->u
 *
 * Adds the number of Newton steps to '*n_newton'; at most 300 are taken.  Fails with ERR_MEMORY,
 * ERR_ARGUMENT (too many rows for the BLAS) or ERR_NUMERIC (numbers beyond doubles).
 */
int lpsvm_minimise(const struct lpsvm_program *p, struct lpsvm_lagrangian *at,
		   struct lpsvm_newton *w, int *n_newton, struct error *err);
