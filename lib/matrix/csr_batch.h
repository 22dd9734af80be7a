/*
 * csr_batch.h - the rows of a matrix seen as a batch, and those of a batch as a matrix
 *
 * No entries are copied: what is returned borrows the arrays, and is not to be freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/row_batch.h"
#include "matrix/csr.h"

/* csr_as_batch() - all rows, with x->n_rows labels */
static inline struct row_batch csr_as_batch(const struct csr *x, double *label)
{
	return (struct row_batch){ .n_rows = x->n_rows,
				   .n_entries = csr_n_entries(x),
				   .max_index = x->n_cols > 0 ? x->n_cols - 1 : 0,
				   .label = label,
				   .row_start = x->row_start,
				   .index = x->col,
				   .value = x->val };
}

/* csr_of_batch() - all rows, without their labels; n_cols is above b->max_index */
static inline struct csr csr_of_batch(const struct row_batch *b, int64_t n_cols)
{
	return (struct csr){ .n_rows = b->n_rows,
			     .n_cols = n_cols,
			     .row_start = b->row_start,
			     .col = b->index,
			     .val = b->value };
}
