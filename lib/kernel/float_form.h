/*
 * float_form.h - rows for kernel values in single precision, in the form that is exact enough
 *
 * All rows have one form, which follows from the steps below.  The rows may lie in pieces, each a
 * struct csr of consecutive rows: maxima, counts and integers of the pieces are joined, so that form
 * and converted rows have the same bits for any cut.  float_vectors_init() does these steps on one
 * piece.
 *
 *  (1) float_extent_of() of each piece, joined by float_extent_join(), which float_form_fits();
 *  (2) the columns that occur in any piece, by column_map_add(); of dense rows, whose sums are in
 *      this order, numbered in ascending order (column_map_sort()), of sparse ones in any;
 *  (3) if float_form_is_centred(): float_columns_add() of each piece, into sums that are added up,
 *      float_columns_set_centre(), and float_columns_norms() of each piece in place of max_norm2
 *      and of the norms of (1);
 *  (4) float_sample_rows(), from the norms of all rows: their copy, in this
 *      order, lets float_form_choose() choose;
 *  (5) float_form_convert() of each piece.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"
#include "matrix/column_map.h"

/* struct float_extent - number and sizes of rows; of no rows .unit is INFINITY, .are_floats true */
struct float_extent {
	int64_t n_rows;
	int64_t n_entries;
	int64_t longest;  /* entries of the longest row */
	double max_norm2; /* largest squared norm of a row */
	double max_value; /* largest |value|; infinite where one is not finite */
	/* largest power of two of which all values are multiples; of floats, infinite of zeros */
	double unit;
	bool are_floats; /* values are all floats, without rounding */
};

/* float_extent_of() - the extent of the rows of 'x', and the squared norm of each; O(entries) */
struct float_extent float_extent_of(const struct csr *x, double *norm2);

/* float_extent_join() - make '*e' the extent of its rows and of those of 'piece' */
void float_extent_join(struct float_extent *e, const struct float_extent *piece);

/* float_form_fits() - are the kernel's values of such rows far below the largest float? */
bool float_form_fits(const struct kernel *kernel, const struct float_extent *e);

/* float_form_is_centred() - do rows of n_columns columns in all lose a centre first? */
bool float_form_is_centred(const struct kernel *kernel, const struct float_extent *e,
			   int64_t n_columns);

/* struct float_columns - columns that occur in all rows, and the centre of dense ones */
struct float_columns {
	struct column_map map; /* column numbers, owned */
	double *centre;	       /* point that rows are centred at, [map.n], owned; or NULL */
};

/*
 * float_columns_add() - add the values of 'x' to sum[], [map.n], in integers
 *
 * These are multiples of a unit that follows from 'e', the extent of all rows, cut off below it.
 * O(entries).
 */
void float_columns_add(const struct float_columns *c, const struct float_extent *e,
		       const struct csr *x, int64_t *sum);

/*
 * float_columns_set_centre() - the means of the columns, but for the digits cut off
 *
 * Distances do not depend on the centre: any point near the means makes the norms small.  Fails
 * with ERR_MEMORY.
 */
int float_columns_set_centre(struct float_columns *c, const struct float_extent *e,
			     const int64_t *sum, struct error *err);

/*
 * float_columns_norms() - squared distances of the rows of 'x' to the centre; raises '*max_norm2'
 * to the largest
 *
 * O(rows map.n).  Fails with ERR_MEMORY.
 */
int float_columns_norms(const struct float_columns *c, const struct csr *x, double *norm2,
			double *max_norm2, struct error *err);

void float_columns_free(struct float_columns *c);

/* Most rows of a sample. */
#define FLOAT_SAMPLE 64

/*
 * float_sample_rows() - which rows a sample has: row[0], row[1], ...; returns how many
 *
 * Of n_rows > 0 rows with n_entries entries and the squared norms norm2[].  They are drawn, one of
 * each part of the rows, but every eighth is the longest of its eight parts, so that few long rows
 * are not missed.  The same rows each time.  O(n_rows).
 */
int float_sample_rows(int64_t row[FLOAT_SAMPLE], int64_t n_rows, int64_t n_entries,
		      const double *norm2);

/*
 * float_form_choose() - the form of rows that fit, into '*v', which has no rows and no arrays
 *
 * 'sample' are the rows of float_sample_rows(), at most FLOAT_SAMPLE.  Returns 1 if no form is exact
 * enough (see float_form.c), or -1 with ERR_MEMORY.
 */
int float_form_choose(struct float_vectors *v, const struct kernel *kernel,
		      const struct float_extent *e, const struct float_columns *columns,
		      const struct csr *sample, struct error *err);

/*
 * float_form_convert() - the rows of 'x' in the form of 'form', whose arrays are not read
 *
 * 8 bytes an entry or 4 a dense element; 4 bytes more where rows are in doubles.  Returns 0, or -1
 * with ERR_MEMORY and '*v' empty.
 */
int float_form_convert(struct float_vectors *v, const struct float_vectors *form,
		       const struct csr *x, const struct float_columns *columns, struct error *err);

/*
 * float_vectors_init() - the rows of 'x' for 'kernel', if single precision is good enough
 *
 * Returns 1 and leaves '*v' empty where it is not: where the measured error of a kernel
 * value (see float_form.c) is over FLOAT_TOLERANCE with products in doubles too, where a float
 * would overflow, or for precomputed kernels.  O(entries) time.
 */
int float_vectors_init(struct float_vectors *v, const struct csr *x, const struct kernel *kernel,
		       struct error *err);
