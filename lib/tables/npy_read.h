/*
 * npy_read.h - the rows of a matrix in NumPy's .npy format
 *
 * An array of one dimension is a matrix of one column.  In C's order, which NumPy writes unless told
 * otherwise, rows are read in constant memory; in Fortran's, the whole array is kept in memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_NPY_READ_H
#define RANDSVM_NPY_READ_H

#include "base/error.h"
#include "tables/matrix_reader.h"
#include "tables/npy_array.h"

/* npy_open() - begin to read the input, which is borrowed; as npy_begin(), or ERR_MEMORY */
int npy_open(struct matrix_reader *m, struct input *input, struct error *err);

#endif
