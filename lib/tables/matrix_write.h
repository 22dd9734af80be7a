/*
 * matrix_write.h - rows as a table or matrix in a format of another program
 *
 *     rows      2 1:0.5 3:7        CSV       label,x1,x2,x3       npy     [[2, 0.5, 0, 7],
 *               1 2:-1                       2,0.5,0,7                     [1, 0, -1, 0]]
 *                                            1,0,-1,0             mtx     2 4 5, entries
 *
 * The label is the first column, unless 'labels' is false.  These formats say at their beginning how
 * many rows and columns there are: all rows are in memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/output.h"
#include "io/row_batch.h"
#include "tables/csv_columns.h"

/* What is written; all pointers are borrowed. */
struct matrix_writer {
	const struct row_batch *rows;
	int64_t n_columns; /* columns without the label's: the largest index at least */
	bool labels;	   /* the label is the first column */
	int digits;	   /* CSV, MatrixMarket: digits of a value; 0: as many as it takes */
	const struct csv_columns *names;   /* CSV: names of the columns; NULL: x1, x2, ... */
	const struct csv_columns *classes; /* CSV: names of the classes; NULL: numbers */
	struct output *to;
};

/* The formats: CSV with a header; .npy of doubles, little-endian; MatrixMarket's coordinate real
 * general. */
struct matrix_format;
extern const struct matrix_format csv_format, npy_format, mtx_format;

/*
 * matrix_write() - write all rows in a format
 *
 * Fails as output_write() (the bare reason), or with ERR_MEMORY.  O(rows n_columns); MatrixMarket
 * O(entries).
 */
int matrix_write(const struct matrix_writer *w, const struct matrix_format *format,
		 struct error *err);

/* csv_add_field() - append a field, in quotes if it needs them (RFC 4180); ERR_MEMORY */
int csv_add_field(struct byte_buffer *to, const char *text, int64_t length, struct error *err);

/* number_text_add() - the value with so many digits, as "%.*g"; 0: as many as it takes; ERR_MEMORY */
int number_text_add(struct byte_buffer *to, double value, int digits, struct error *err);
