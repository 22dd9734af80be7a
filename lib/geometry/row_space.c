/*
 * row_space.c - an orthonormal basis of the rows of a sparse matrix, once found
 *
 * How this works.  For n <= d the basis is V = X'T, of which only T (n x rank) is kept: the vector
 * of feature j is v_j = sum_i x_ij T_i over the entries of column j (1).  That costs entries times
 * rank for each look, where d x rank numbers might not fit in memory.  Features with the same
 * entries get the same bits, as the sum is taken in the order of the rows.  Where V is stored (n >
 * d, or QR) v_j is a copy of its row.
 *
 * A struct row_space is made once (row_space_find.c, row_sketch.c) and only read afterwards, so
 * that threads may share it; what a thread makes of it goes to room of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/row_space.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"

/* Features whose scores a thread computes at a time */
#define BLOCK 64

void row_space_forget(struct row_space *s)
{
	mem_free_all(s->singular_value, s->coefficient, s->basis);
	s->singular_value = s->coefficient = s->basis = NULL;
}

void row_space_free(struct row_space *s)
{
	columns_free(&s->columns);
	row_space_forget(s);
	*s = (struct row_space){ 0 };
}

void row_space_vector(const struct row_space *s, int64_t j, double *v)
{
	const struct csr *x = &s->columns.by_column;

	/* V is stored, and v_j is row j of V */
	if (s->basis) {
		memcpy(v, s->basis + j * s->rank, (size_t)s->rank * sizeof(*v));
		return;
	}
	memset(v, 0, (size_t)s->rank * sizeof(*v));
	/* (1): v_j from the entries of column j, in the order of the rows */
	for (int64_t k = x->row_start[j]; k < x->row_start[j + 1]; k++)
		blas_add_scaled(v, s->rank, x->val[k], s->coefficient + x->col[k] * s->rank);
}

struct scoring {
	const struct row_space *s;
	double *score;
};

/* |v_j|^2; 'v' is overwritten */
static void score_feature(void *arg, int64_t j, void *v)
{
	const struct scoring *w = arg;

	row_space_vector(w->s, j, v);
	w->score[j] = squared_norm(v, w->s->rank);
}

int row_space_leverage(const struct row_space *s, double *score, int n_threads, struct error *err)
{
	struct scoring w = { s, score };

	return thread_each(n_threads, s->columns.n, BLOCK, (size_t)s->rank * sizeof(double),
			   score_feature, &w, err);
}
