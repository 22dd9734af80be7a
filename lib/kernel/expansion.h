/*
 * expansion.h - decision values: sums of kernels over support vectors
 *
 *     f_(a,b)(x) = sum_{j in class a} coef_j^b K(s_j, x) + sum_{j in class b} coef_j^a K(s_j, x)
 *
 * for every pair a < b of n_class classes, in the order (0,1), (0,2), ..., (1,2), ...; without
 * the constant (rho).  Two classes, regression and one-class are the single pair (0,1).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel_lanes.h"

/*
 * Owns its arrays but 'merged'; threads may share it once it is made.  A linear kernel is kept as one
 * weight vector for each pair, w = sum_j coef_j s_j, unless these would need far more memory than
 * the support vectors.  A few vectors of more than half a million entries, for which a tile of rows
 * would need more memory than the vectors themselves, are not copied; each row is merged with each
 * of them.
 */
struct expansion {
	struct kernel kernel;
	int n_class;
	int64_t n_functions; /* number of decision functions: n_class (n_class - 1) / 2 */
	int64_t n_sv;
	struct column_map columns;
	/*
	 * weights of the functions by column, [1 + columns.n][n_functions], for linear kernels; or
	 * NULL.  The first ones, of columns that no vector has, are 0.
	 */
	double *weight;
	struct kernel_vectors sv; /* support vectors, with columns renumbered by 'columns' */
	double *coef;		  /* coefficients of the support vectors, [n_class - 1][n_sv] */
	/* number of the first vector of each class; n_class + 1 numbers */
	int64_t *class_start;
	const struct csr *merged; /* the caller's vectors, to be merged with rows; or NULL */
};

/* Support vectors and their coefficients, borrowed. */
struct support_vectors {
	/* support vectors, a row for each: the vectors of class 0 first, then class 1, ... */
	const struct csr *x;
	int n_class; /* number of classes, at least 2 */
	const int64_t *n_of_class;
	const double *coef; /* [n_class - 1][x->n_rows]: row r has, of a vector of class c, its
			     * coefficient against class r < c ? r : r + 1 */
};

/*
 * expansion_init() - prepare to evaluate
 *
 * Everything is copied, except the rows sv.x where e->merged is set: these must outlive '*e'.
 * O(entries), and O(entries n_class) for a linear kernel.  Fails with ERR_MEMORY, or with
 * ERR_FORMAT where a vector of a precomputed kernel has no serial number; '*e' is empty then.
 */
int expansion_init(struct expansion *e, const struct kernel *kernel, struct support_vectors sv,
		   struct error *err);

/*
 * expansion_take() - the same of one decision function, the pair (0, 1), of all rows of x
 *
 * Where rows are kept as vectors, x gives its arrays to '*e' and is empty then; not where e->merged
 * is set, or of a precomputed kernel.  The caller frees x all the same, after '*e'.
 */
int expansion_take(struct expansion *e, const struct kernel *kernel, struct csr *x,
		   const double *coef, struct error *err);

void expansion_free(struct expansion *e);

/* expansion_coef() - coefficients of class 'own' against 'other', by the numbers of all vectors */
const double *expansion_coef(const struct expansion *e, int own, int other);

/* Scratch memory of one thread that evaluates one expansion. */
struct expansion_scratch {
	struct kernel_lanes lanes;
	double *values, *sums;
};

int expansion_scratch_init(struct expansion_scratch *s, const struct expansion *e,
			   struct error *err);
void expansion_scratch_free(struct expansion_scratch *s);

/*
 * expansion_evaluate() - out[i][p] = f_p(row i), out being [n_rows][n_functions]
 *
 * A row's values do not depend on the rows around it.
 * O(rows n_sv entries per vector), vectorised over KERNEL_TILE_ROWS rows.
 */
void expansion_evaluate(const struct expansion *e, const struct row_view *rows, double *out,
			struct expansion_scratch *scratch);

/*
 * expansion_values() - out[i * stride + v] = K(vector v, row i), for all vectors
 *
 * The kernel is not linear.  A value depends on its two rows alone.
 */
void expansion_values(const struct expansion *e, const struct row_view *rows, double *out,
		      int64_t stride, struct expansion_scratch *scratch);

/*
 * expansion_evaluate_rows() - expansion_evaluate() on many threads
 *
 * The bytes of 'out' do not depend on n_threads.  Fails with ERR_MEMORY, 'out' being undefined
 * then.
 */
int expansion_evaluate_rows(const struct expansion *e, struct row_view rows, double *out,
			    int n_threads, struct error *err);

/* expansion_pair() - number of the pair of two of n classes: (0,1), (0,2), ..., (1,2), ... */
static inline int64_t expansion_pair(int64_t n, int64_t own, int64_t other)
{
	int64_t a = int64_min(own, other), b = int64_max(own, other);

	return a * n - a * (a + 1) / 2 + b - a - 1;
}
