/*
 * gram.h - products of all pairs of rows of a sparse matrix
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_GRAM_H
#define RANDSVM_GRAM_H

#include "base/error.h"
#include "matrix/csr.h"

/*
 * gram_rows() - g = a a' for the n rows of a
 *
 * g is n x n by rows; the entries g[i * n + j], j <= i, are written, the others undefined.  't' is
 * a' (csr_transpose).  Columns in which less than a sixth of the rows have entries take
 * O(their entries^2 / 2) products, the others go to the BLAS as full ones.  Rows are shared
 * out to 'n_threads' threads; the bits do not depend on their number.
 * Memory: 128 n doubles.  Fails with ERR_MEMORY, or ERR_ARGUMENT (n too large for the BLAS).
 */
int gram_rows(const struct csr *a, const struct csr *t, double *g, int n_threads,
	      struct error *err);

/*
 * gram_subtract() - g <- g - a a', all n x n entries of it
 *
 * Likewise; but g is not cleared first, so that a few columns cost little.  A g that was symmetric
 * stays so up to rounding.  Memory: 256 n doubles.
 */
int gram_subtract(const struct csr *a, const struct csr *t, double *g, int n_threads,
		  struct error *err);

#endif
