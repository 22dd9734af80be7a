/*
 * blas.h - the BLAS and LAPACK linked
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BLAS_H
#define RANDSVM_BLAS_H

#include <stddef.h>
#include <stdint.h>

/*
 * blas_version() - such as "OpenBLAS 0.3.21 ... LAPACK 3.9.1", into 'size' bytes at 'buffer'
 */
void blas_version(char *buffer, size_t size);

/*
 * blas_single_thread() - let the library make no threads of its own
 *
 * Its results may depend on how many there are; and threads of ours call it.  For the
 * whole process; only OpenBLAS has it to be told.
 */
void blas_single_thread(void);

/*
 * Symmetric matrices below are n x n with leading dimension 'stride'; only the entries
 * a[i * stride + j], j <= i, are read and written.
 */

/*
 * blas_cholesky() - a = L L', L taking the place of a
 *
 * L[i][j] is at a[i * stride + j].  O(n^3 / 3).  Returns 0; or -1 if a is not positive definite,
 * or n beyond the library's integers: a is then undefined.
 */
int blas_cholesky(double *a, int64_t n, int64_t stride);

/* blas_cholesky_solve() - x <- (L L')^-1 x; O(2 n^2) */
void blas_cholesky_solve(const double *l, int64_t n, int64_t stride, double *x);

/*
 * blas_add_outer() - a <- a + scale * sum_k x_k x_k' for the k = 0 .. n_vectors - 1 rows of x
 *
 * Row k is x[k * n .. k * n + n - 1].  O(n^2 n_vectors).
 */
void blas_add_outer(double *a, int64_t n, int64_t stride, double scale, const double *x,
		    int64_t n_vectors);

#endif
