/*
 * kernel_vectors.h - sparse vectors made ready to meet tiles of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel.h"
#include "matrix/column_map.h"
#include "matrix/csr.h"

/* Vectors in doubles, made ready for tiles.  Owns its arrays; a zeroed struct is empty. */
struct kernel_vectors {
	/* vectors, with columns numbered by a column_map, in the order of the data */
	struct csr x;
	/* column of the data that each number stands for, borrowed; NULL: numbers are columns */
	const int32_t *column;
	double *norm2; /* squared norms of the vectors, for rbf; or NULL */
	/*
	 * number of vectors from each one on that have the same columns, itself included: on dense
	 * data such vectors are taken several at a time
	 */
	int32_t *run;
	bool has_far; /* far vectors occur, for rbf: kernel_is_far() of at least one */
};

/*
 * kernel_vectors_number_columns() - fill the empty '*columns' from v->x, and renumber by it
 *
 * So a tile needs no more columns than occur.  v->x then is no longer in ascending columns, but in
 * the order of the data; v->column borrows the list of '*columns'.  Where a tile of all columns has
 * no more elements than v->x has entries, each column is its own number.  O(entries).
 */
int kernel_vectors_number_columns(struct kernel_vectors *v, struct column_map *columns,
				  struct error *err);

/* kernel_vectors_prepare() - fill norm2 and has_far (for rbf) and run from v->x; O(entries) */
int kernel_vectors_prepare(struct kernel_vectors *v, const struct kernel *kernel,
			   struct error *err);

void kernel_vectors_free(struct kernel_vectors *v);
