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
#ifndef RANDSVM_MATRIX_READER_H
#define RANDSVM_MATRIX_READER_H

#include <stdint.h>

#include "base/error.h"
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

#endif
