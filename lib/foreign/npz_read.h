/*
 * npz_read.h - the rows of a matrix in NumPy's .npz format
 *
 *     scipy.sparse.save_npz(NAME, X.tocsr())     members shape, indptr, indices, data, format
 *     numpy.savez(NAME, X=X, y=y)                members X and y
 *
 * Sparse matrices have to be in CSR form.  They are read in constant memory, from three places of
 * the file at once; entries of a row get into the order of their columns, and those of the same
 * column are added.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NPZ_READ_H
#define RANDSVM_NPZ_READ_H

#include "base/error.h"
#include "foreign/matrix_reader.h"

/*
 * npz_open() - begin to read a file; ERR_FORMAT, ERR_IO or ERR_MEMORY
 *
 * Of an archive of dense arrays the member of the name 'dense' is read, or its only one.
 */
int npz_open(struct matrix_reader *m, const char *path, const char *dense, struct error *err);

#endif
