/*
 * mtx_read.h - the rows of a matrix in MatrixMarket's format
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
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "io/input.h"
#include "tables/matrix_reader.h"

/* The first bytes of the format, in any case of letters; read also with one % alone. */
#define MTX_MAGIC "%%MatrixMarket"

/*
 * mtx_open() - read the whole input, which is borrowed; ERR_FORMAT, ERR_IO or ERR_MEMORY
 *
 * O(entries log(entries)) unless they are in order already.
 */
int mtx_open(struct matrix_reader *m, struct input *input, struct error *err);
