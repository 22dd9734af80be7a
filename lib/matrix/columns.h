/*
 * columns.h - a sparse matrix by columns, without the columns that hold nothing
 *
 *     rows       1:.5 5:2         feature    [1, 5]
 *                5:-1             by_column  row 0: (0, .5)   row 1: (0, 2), (1, -1)
 *
 * Owns its arrays; a zeroed struct is empty.  Readers may share it between threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/column_map.h"

struct columns {
	int64_t n_rows;
	int64_t n;	       /* columns with an entry that is not 0 */
	int32_t *feature;      /* n feature numbers, ascending */
	struct column_map map; /* number of the column of each feature, or -1 if it has no entry */
	struct csr by_column;  /* the matrix transposed: n rows, entries by row number, no zeros */
};

/*
 * columns_init() - the columns of 'a' into the empty '*c'
 *
 * All values are multiplied by '*scale', a power of two that keeps their squares in range: 1 unless
 * the largest value is 2^299 or more, or below 2^-300.  With NULL for 'scale' they stay as
 * they are.
 *
 * O(entries + n log n).  Memory: 12 bytes an entry and some 50 a column, whatever the largest
 * feature number.  Fails with ERR_MEMORY, ERR_ARGUMENT (too many rows or columns), or with a scale
 * ERR_NUMERIC if a value is not finite; '*c' is then empty.
 */
int columns_init(struct columns *c, const struct csr *a, double *scale, struct error *err);

/*
 * columns_twins() - of each column j the first that is equal to it or to its negative
 *
 * That is j where there is none before j.  Returns an array of c->n, the caller's; or NULL, with
 * ERR_MEMORY.  O(entries + n log n).
 */
int32_t *columns_twins(const struct columns *c, struct error *err);

/* columns_drop_twins() - keep the first of each group of twins; errors as columns_twins() */
int columns_drop_twins(struct columns *c, struct error *err);

void columns_free(struct columns *c);
