/*
 * linear_rows.h - the rows of a linear problem, and their products with vectors
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

/* linear_rows_times() - out[k] = x_list[k].w + b for k < n_list; 'list' NULL: all rows */
void linear_rows_times(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		       const double *w, double b, double *out);

/*
 * linear_rows_add() - w += sum_k c[k] x_list[k] for k < n_list; 'list' NULL: all rows
 *
 * Long lists are added in parts, by their entries alone, so the bits do not depend on threads.
 */
void linear_rows_add(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		     const double *c, double *w);

/*
 * linear_rows_sum() - w = sum_i beta[i] x_i, exact enough for w.x_i to err by 'tolerance' at most
 *
 * Thousands of multipliers at a large C add up to a small w: added in doubles, features in
 * the thousands would leave an error in w.x as large as eps.  Long doubles are taken then.
 * Returns 0, or -1 with ERR_MEMORY.
 */
int linear_rows_sum(const struct linear_rows *rows, const double *beta, double tolerance, double *w,
		    struct error *err);

/* linear_rows_entries() - of the rows in the list */
int64_t linear_rows_entries(const struct linear_rows *rows, const int64_t *list, int64_t n_list);

#endif
