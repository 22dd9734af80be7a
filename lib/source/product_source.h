/*
 * product_source.h - kernel values of the linear kernel, from sparse rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel_tile.h"
#include "problem/kernel_source.h"

/* Sparse rows that problems choose from.  Owns its arrays; threads may share it. */
struct product_rows {
	struct kernel_vectors rows; /* copy of the rows, with columns by number */
	struct column_map columns;
	double *norm2; /* squared norms of the rows */
};

/*
 * product_rows_suit() - is x like text: with at least as many columns as rows, mostly empty?
 *
 * O(entries).  With fewer columns the Gram matrix is singular, and pairs of multipliers take many steps
 * where C is large; of dense rows products have as many terms as columns, and w has no zeros.
 */
bool product_rows_suit(const struct csr *x);

/* product_rows_init() - copy the rows of x; fails with ERR_MEMORY */
int product_rows_init(struct product_rows *r, const struct csr *x, struct error *err);

void product_rows_free(struct product_rows *r);

/* Sums of products: value[k] = sum_j coef[j] x_vector[j] . x_row[k] for k < n; row NULL: first + k. */
struct product_sums {
	const int64_t *vector;
	const double *coef;
	int64_t n_vectors;
	const int64_t *row;
	int64_t first, n;
	double *value;
};

/* product_rows_sums() - the sums; O(entries of vectors and rows + columns), fails with ERR_MEMORY */
int product_rows_sums(const struct product_rows *r, const struct product_sums *q,
		      struct error *err);

/* struct product_source - source of problems whose x are the rows given to product_rows_init() */
struct product_source {
	struct kernel_source base;
	const struct product_rows *rows;
};

/*
 * product_source_of() - a source by 'rows', borrowed; its rows are doubles, or floats if it rounds
 *
 * A product depends on its two rows alone, and is symmetric to the bit.
 */
struct product_source product_source_of(const struct product_rows *rows, bool rounds);
