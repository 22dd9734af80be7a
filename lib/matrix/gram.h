/*
 * gram.h - products of all pairs of rows of a sparse matrix
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/csr.h"

/*
 * gram_rows() - g = a a' for the n rows of a
 *
 * g is n x n by rows; the entries g[i * n + j], j <= i, are written, the other entries undefined.
 * 't' is a' (csr_transpose).  A column with m entries takes m^2 / 2 products, or n^2 / 2 by the
 * BLAS if m > n / 6.  The rows are shared among 'n_threads' threads; the bits do not depend on
 * their number.  Memory: 128 n doubles.  Fails with ERR_MEMORY, or ERR_ARGUMENT (n too large for
 * the BLAS).
 */
int gram_rows(const struct csr *a, const struct csr *t, double *g, int n_threads,
	      struct error *err);

/*
 * gram_subtract() - g <- g - a a', all n x n entries of it
 *
 * As gram_rows(), but g is not cleared first, so that a few columns cost little.  A symmetric g
 * stays symmetric up to rounding.  Memory: 256 n doubles.
 */
int gram_subtract(const struct csr *a, const struct csr *t, double *g, int n_threads,
		  struct error *err);
