/*
 * linear_rows.h - the rows of a linear problem
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_ROWS_H
#define RANDSVM_LINEAR_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "base/thread.h"
#include "matrix/csr.h"

/* Below so many multiplications a second thread costs more than it saves. */
#define LINEAR_WORK_FOR_THREADS 30000

/*
 * Owns its arrays; a zeroed struct is empty.  Columns are numbered 0 .. d - 1, in their order.
 * Rows are in the order of their lengths, so that the ends of loops over them are foreseen.
 */
struct linear_rows {
	int64_t n, d;
	int64_t *order; /* n: row i was row[order[i]] */
	int64_t *start; /* n + 1 */
	int32_t *col;	/* start[n], ascending within a row */
	double *val;
	double *norm2;		  /* n squared norms */
	double *centre;		  /* d: taken off a column that all rows have, its mean; else 0 */
	double *partial;	  /* LINEAR_MAX_PARTS x d, for sums on several threads */
	struct thread_team *team; /* borrowed, or NULL */
};

#define LINEAR_MAX_PARTS 8

/*
 * linear_rows_init() - copy the n rows row[0], row[1], ... of 'x', reordered, into '*rows'
 *
 * Columns that do not occur are left out.  Columns in all rows are centred: with a free bias
 * and sum beta = 0 that changes w.x by a constant only, and far from 0 it saves digits.
 * O(entries) time and memory, whatever the number of columns.
 */
int linear_rows_init(struct linear_rows *rows, const struct csr *x, const int64_t *row, int64_t n,
		     struct error *err);

void linear_rows_free(struct linear_rows *rows);

/* linear_rows_dot() - x_i.w */
double linear_rows_dot(const struct linear_rows *rows, int64_t i, const double *w);

/* linear_rows_axpy() - w += c x_i */
static inline void linear_rows_axpy(const struct linear_rows *rows, int64_t i, double c, double *w)
{
	for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
		w[rows->col[k]] += c * rows->val[k];
}

#endif
