/*
 * matrix_reader.h - the rows of a matrix in a format of another program
 *
 *     struct matrix_reader m;
 *
 *     npy_open(&m, input, &err);               or mtx_open(), npz_open()
 *     while ((n = matrix_read(&m, 1000, &batch, &err)) > 0)
 *             ...                              n more rows are in the batch
 *     matrix_close(&m);
 *
 * Rows have label 0, and columns are counted from 1.  Zeros are left out.  Values that are NaN stay,
 * as missing ones; infinite ones are errors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/input.h"
#include "io/row_batch.h"

/* What a format does. */
struct matrix_methods {
	/* read one row behind those of the batch, of which there is one more; -1 on failure */
	int (*read_row)(void *state, struct row_batch *to, struct error *err);
	/* are the bytes behind the last row what they have to be?  NULL: all have been read */
	int (*end)(void *state, struct error *err);
	void (*close)(void *state);
};

/* A matrix that is being read.  The state is owned, by close(). */
struct matrix_reader {
	const struct matrix_methods *methods;
	void *state;
	struct input *input;	/* closed with it; or NULL */
	int64_t n_rows, n_cols; /* shape of the matrix; n_cols < INT32_MAX */
	int64_t n_entries;	/* the most entries that it has, of which some may be 0 */
	int64_t n_read;		/* number of rows read so far */
	struct input *numbers;	/* input that the numbers are read from, borrowed */
};

/*
 * matrix_read() - append up to max_rows rows to the batch
 *
 * Returns how many, 0 behind the last, or -1 with ERR_FORMAT (`NAME: reason` or `NAME:LINE: reason`),
 * ERR_IO or ERR_MEMORY.
 */
int64_t matrix_read(struct matrix_reader *m, int64_t max_rows, struct row_batch *to,
		    struct error *err);

/* matrix_close() - release the reader; a zeroed one is fine */
void matrix_close(struct matrix_reader *m);

/* ---- Entries in any order, as rows ---- */

/* Owns its array of 24 bytes an entry; a zeroed struct is empty. */
struct entry_list {
	struct matrix_entry {
		int64_t row;
		int32_t column;
		double value;
	} * entry;
	int64_t n, capacity;
	int64_t row, next; /* the row, and the entry, that is handed out next */
};

/* entry_list_add() - add an entry, whose row and column count from 1; ERR_MEMORY */
int entry_list_add(struct entry_list *l, int64_t row, int32_t column, double value,
		   struct error *err);

/* entry_list_sort() - after the last entry; O(n log n) unless they are in order already */
void entry_list_sort(struct entry_list *l);

/* entry_list_row() - append the entries of the next row; those of the same place are added */
int entry_list_row(void *list, struct row_batch *to, struct error *err);

/*
 * entry_list_reader() - the rows of the matrix, whose shape m has; ERR_MEMORY
 *
 * The entries get into order, and are then the reader's: the list is empty.
 */
int entry_list_reader(struct matrix_reader *m, struct entry_list *l, struct error *err);

void entry_list_free(struct entry_list *l);

/*
 * MatrixMarket's format
 *
 *     %%MatrixMarket matrix coordinate real general     or array; integer, unsigned-integer,
 *     % comments                                        pattern; symmetric, skew-symmetric
 *     3 4 2                                             rows, columns, entries
 *     1 4 0.5                                           row, column, value; without in a pattern
 *     3 1 2
 *
 * The entries, in any order, are kept in memory: 24 bytes each.  Those of the same place are added.
 * A pattern has ones.  A symmetric matrix has no entries above the diagonal, a skew one none on it.
 *
 * Source: Boisvert, Pozo and Remington 1996, The Matrix Market exchange formats, NISTIR 5935.
 */

/* The first bytes of the format, in any case of letters; read also with one % alone. */
#define MTX_MAGIC "%%MatrixMarket"

/*
 * mtx_open() - read the whole input, which is borrowed; ERR_FORMAT, ERR_IO or ERR_MEMORY
 *
 * O(entries log(entries)) unless they are in order already.
 */
int mtx_open(struct matrix_reader *m, struct input *input, struct error *err);

/*
 * NumPy's .npz format
 *
 *     scipy.sparse.save_npz(NAME, X.tocsr())     members shape, indptr, indices, data, format
 *     numpy.savez(NAME, X=X, y=y)                members X and y
 *
 * Sparse matrices in CSR form are read in constant memory, from three places of the file at once;
 * entries of a row get into the order of their columns, and those of the same column are added.  Of
 * those in CSC, COO and BSR form all entries are kept in memory: 24 bytes each.
 */

/*
 * npz_open() - begin to read a file; ERR_FORMAT, ERR_IO or ERR_MEMORY
 *
 * Of an archive of dense arrays the member of the name 'dense' is read, or its only one.
 */
int npz_open(struct matrix_reader *m, const char *path, const char *dense, struct error *err);

/* npz_open_array() - the array of that name, or the only one, for npy_begin() and input_close() */
int npz_open_array(struct input **input, const char *path, const char *name, struct error *err);
