/*
 * npy_read.h - the numbers of an array in NumPy's .npy format, versions 1 to 3
 *
 *     "\x93NUMPY"  major  minor  length of the header, 2 or 4 bytes
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *     the numbers, as they were in memory
 *
 * Types are f2, f4, f8, i1 to i8, u1 to u8 and b1, in both byte orders, and texts.  Integers beyond
 * 2^53 are rounded to doubles; the input keeps the first that is none (input_rounded()).
 *
 * Source: NumPy, NEP 1, A simple file format for NumPy arrays.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/input.h"
#include "tables/matrix_reader.h"

/* The first bytes of the format. */
#define NPY_MAGIC "\x93NUMPY"

/* An array that is being read; the input is borrowed. */
struct npy_array {
	struct input *input;
	char type;   /* of the numbers: f, i, u, b; texts: S of bytes, U of characters of 4 bytes */
	int size;    /* bytes of a number or text */
	bool is_big; /* the highest byte of a number comes first */
	bool by_columns; /* in Fortran's order */
	int n_dims;	 /* number of dimensions, 0 to 3 */
	int64_t dim[3];	 /* their sizes; 1 where there is none */
	int64_t n_read;	 /* numbers that npy_numbers() has read */
};

/*
 * npy_begin() - read the header
 *
 * ERR_FORMAT (`NAME: reason`) for what is no such array, one of objects, records, dates, complex
 * numbers or long doubles, or of more than three dimensions; or as input_read().
 */
int npy_begin(struct npy_array *a, struct input *input, struct error *err);

/* The most numbers that npy_numbers() reads at a time. */
enum { NPY_AT_ONCE = 4096 };

/* npy_numbers() - the next n <= NPY_AT_ONCE numbers, all of which there must be */
int npy_numbers(struct npy_array *a, double *to, int64_t n, struct error *err);

static inline bool npy_is_text(const struct npy_array *a)
{
	return a->type == 'S' || a->type == 'U';
}

/* npy_text() - append the next text, which there must be, as UTF-8; ERR_FORMAT, ERR_MEMORY */
int npy_text(struct npy_array *a, struct byte_buffer *to, struct error *err);

/* npy_end() - is the end of the input right behind the numbers?  Else ERR_FORMAT */
int npy_end(struct npy_array *a, struct error *err);

/* ---- The rows of a matrix ---- */

/*
 * An array of one dimension is a matrix of one column.  In C's order, which NumPy writes unless told
 * otherwise, rows are read in constant memory; in Fortran's, the whole array is kept in memory.
 */

/* npy_open() - begin to read the input, which is borrowed; as npy_begin(), or ERR_MEMORY */
int npy_open(struct matrix_reader *m, struct input *input, struct error *err);
