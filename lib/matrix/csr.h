/*
 * csr.h - sparse matrix, one example per row
 *
 *     row_start  [0, 2, 2, 3]     rows 0 and 2 hold entries, row 1 is empty
 *     col        [1, 5, 2]        feature numbers as files write them, from 1
 *     val        [.5, 2, 1]
 *
 * A struct csr owns its three arrays; a zeroed one is an empty matrix with no rows.
 * Readers may share it between threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

struct csr {
	int64_t n_rows;
	int64_t n_cols;	    /* largest column + 1; column 0 is feature 0, mostly absent */
	int64_t *row_start; /* n_rows + 1, ascending, row_start[0] == 0; NULL if no rows */
	int32_t *col;	    /* row_start[n_rows], strictly ascending within a row */
	double *val;	    /* row_start[n_rows]; zeros that were written out are kept */
	int64_t starts_capacity, cols_capacity, vals_capacity;
};

/* The entries of a row, by ascending columns; borrowed. */
struct csr_row {
	int64_t n;
	const int32_t *col;
	const double *val;
};

static inline int64_t csr_n_entries(const struct csr *a)
{
	return a->n_rows ? a->row_start[a->n_rows] : 0;
}

/* csr_row_of() - row 'i' */
static inline struct csr_row csr_row_of(const struct csr *a, int64_t i)
{
	int64_t first = a->row_start[i];

	return (struct csr_row){ a->row_start[i + 1] - first, a->col + first, a->val + first };
}

/* csr_has_column_0() - does a row begin with column 0?  O(rows) */
bool csr_has_column_0(const struct csr *a);

void csr_free(struct csr *a);

/* csr_reserve() - room for so many rows and entries in all; sets row_start[0] alone */
int csr_reserve(struct csr *a, int64_t n_rows, int64_t n_entries, struct error *err);

/*
 * csr_append() - add 'n_rows' rows below
 *
 * 'row_start' has n_rows + 1 entries, the first 0; 'col' and 'val' row_start[n_rows];
 * all are copied.  Amortised O(rows + entries).  On ERR_MEMORY the matrix is as it was.
 */
int csr_append(struct csr *a, int64_t n_rows, const int64_t *row_start, const int32_t *col,
	       const double *val, struct error *err);

/* csr_append_row() - csr_append() of a row, which is copied */
int csr_append_row(struct csr *a, struct csr_row row, struct error *err);

/*
 * csr_append_nonzeros() - append the values that are not 0 of a row of n, 'stride' apart, with the
 * columns col[0], col[1], ..., ascending
 *
 * O(n).  Fails as csr_append() does.
 */
int csr_append_nonzeros(struct csr *a, int64_t n, const int32_t *col, const double *value,
			int64_t stride, struct error *err);

/* csr_shrink() - release the room kept for appending */
void csr_shrink(struct csr *a);

/*
 * csr_gather() - the rows a[row[0]], a[row[1]], ..., copied into the empty '*b'
 *
 * Row numbers may repeat.  b->n_cols is a's.  O(entries copied).
 */
int csr_gather(struct csr *b, const struct csr *a, const int64_t *row, int64_t n,
	       struct error *err);

/*
 * csr_transpose() - t = a', into the empty '*t': row j holds the entries of a's column j, by rows
 *
 * t has a->n_cols rows and a->n_rows columns; entries of value 0 are dropped.  O(entries + rows +
 * columns).  Fails with ERR_MEMORY, or with ERR_ARGUMENT if there are more rows than columns can
 * be numbered (2^31 - 1); '*t' is then empty.
 */
int csr_transpose(struct csr *t, const struct csr *a, struct error *err);

/*
 * csr_row_dot() - sum over row 'i' of val * w[col]; 'w' has n_cols entries
 *
 * Added in the order of the row, so the result is the same everywhere.
 */
double csr_row_dot(const struct csr *a, int64_t i, const double *w);

/* csr_add_row() - w[col] += c val over row 'i'; nothing is added for c = 0 */
void csr_add_row(const struct csr *a, int64_t i, double c, double *w);

/* csr_fill_row() - row 'i' with its zeros into full[0 .. n_cols - 1] */
void csr_fill_row(const struct csr *a, int64_t i, double *full);

/* csr_rows_are_equal() - is row 'a' equal to 'sign' (1 or -1) times row 'b'?  NAN is equal to none. */
bool csr_rows_are_equal(const struct csr *x, int64_t a, int64_t b, double sign);

/*
 * csr_row_hash() - a number that rows share if csr_rows_are_equal(), and others hardly; O(entries)
 *
 * Of sizes, with a row that is equal to its negative too.
 */
uint64_t csr_row_hash(const struct csr *a, int64_t i, bool of_sizes);

/* csr_row_norm2() - sum of squares of row 'i', in its order */
double csr_row_norm2(const struct csr *a, int64_t i);
