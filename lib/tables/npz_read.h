/*
 * npz_read.h - the rows of a matrix in NumPy's .npz format
 *
 *     scipy.sparse.save_npz(NAME, X.tocsr())     members shape, indptr, indices, data, format
 *     numpy.savez(NAME, X=X, y=y)                members X and y
 *
 * Sparse matrices in CSR form are read in constant memory, from three places of the file at once;
 * entries of a row get into the order of their columns, and those of the same column are added.  Of
 * those in CSC, COO and BSR form all entries are kept in memory: 24 bytes each.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "tables/matrix_reader.h"

/*
 * npz_open() - begin to read a file; ERR_FORMAT, ERR_IO or ERR_MEMORY
 *
 * Of an archive of dense arrays the member of the name 'dense' is read, or its only one.
 */
int npz_open(struct matrix_reader *m, const char *path, const char *dense, struct error *err);

/* npz_open_array() - the array of that name, or the only one, for npy_begin() and input_close() */
int npz_open_array(struct input **input, const char *path, const char *name, struct error *err);
