/*
 * linear_products.h - products of the rows of a linear problem with vectors, and their sums
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_PRODUCTS_H
#define RANDSVM_LINEAR_PRODUCTS_H

#include "base/error.h"
#include "linear/linear_rows.h"

/* linear_rows_times() - out[k] = x_list[k].w + b for k < n_list; 'list' NULL: x_k */
void linear_rows_times(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		       const double *w, double b, double *out);

/*
 * linear_rows_add() - w += sum_k c[k] x_list[k] for k < n_list; 'list' NULL: x_k
 *
 * Long lists are added in parts whose number depends on their entries and on d alone, so that the
 * bits do not depend on threads.  Uses rows->partial: one sum at a time.
 */
void linear_rows_add(const struct linear_rows *rows, const int64_t *list, int64_t n_list,
		     const double *c, double *w);

/*
 * linear_rows_sum() - w = sum_i beta[i] x_i, so exact that rounding changes w.x_i by 'tolerance' at
 * most
 *
 * Thousands of multipliers at a large C add up to a small w.  With features in the thousands a sum
 * in doubles can leave an error in w.x as large as eps; the sum has twice their digits then.
 * Returns 0, or -1 with ERR_MEMORY.
 */
int linear_rows_sum(const struct linear_rows *rows, const double *beta, double tolerance, double *w,
		    struct error *err);

/*
 * linear_rows_entries() - number of entries of the rows of the list; 'list' NULL: the first n_list
 * rows
 */
int64_t linear_rows_entries(const struct linear_rows *rows, const int64_t *list, int64_t n_list);

#endif
