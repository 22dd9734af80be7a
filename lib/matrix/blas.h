/*
 * blas.h - the BLAS and LAPACK, which are loaded by the first function that needs them
 *
 * Where they are missing, loops of our own do the work, slower.
 *
 * OpenBLAS is kept from using threads of its own, for the whole process: its results may depend on
 * their number, and the threads of thread.h call it already.  It starts them when it is loaded,
 * unless OPENBLAS_NUM_THREADS is 1 in the environment, as programs here set it first of all; in
 * other programs they are stopped as soon as it is loaded.  Each thread takes 8 MB for a stack and
 * 128 MB for a buffer: where an address-space limit refuses the first, OpenBLAS ends the process,
 * and where it refuses the second the thread tries again for ever.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

/* Largest number of rows or columns: the library counts in Fortran integers of 32 bits. */
#define BLAS_MAX_SIZE INT32_MAX

/*
 * blas_version() - such as "OpenBLAS 0.3.21 ... LAPACK 3.9.1", into 'size' bytes at 'buffer'
 *
 * Fails as shared_library_load() does.
 */
int blas_version(char *buffer, size_t size, struct error *err);

/*
 * blas_load() - load the library, or find that it is missing
 *
 * Call this before the vector sums below, unless another function has been called that can fail.
 * Fails with ERR_MEMORY.
 */
int blas_load(struct error *err);

/*
 * blas_reserve() - load the library, and make sure that it has memory to work in
 *
 * OpenBLAS works in buffers of 128 MB of address space.  Call this before the functions below that
 * have no 'err', except for the vector sums, with the largest order of a matrix and the largest
 * number of vectors of blas_add_outer() (0 without); from then on they cannot fail.  Where these
 * are small, the Cholesky functions and blas_add_outer() need no library, and none is loaded; for
 * the others take INT64_MAX as the order.  Functions with an 'err' do it themselves.  Threads share
 * the buffers, and wait for each other where memory allows no more of them.  Fails with ERR_MEMORY.
 * Costs next to nothing from the second call on.
 */
int blas_reserve(int64_t order, int64_t n_vectors, struct error *err);

/*
 * The symmetric matrices of the following functions are n x n with leading dimension 'stride'; only
 * the entries a[i * stride + j], j <= i, are read and written.
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

/*
 * blas_add_products() - a <- a + scale x x', x being n x inner by rows without gaps
 *
 * O(n^2 inner).
 */
void blas_add_products(double *a, int64_t n, int64_t stride, double scale, const double *x,
		       int64_t inner);

/*
 * blas_cholesky_pivoted() - a[pivot[i]][pivot[j]] = (L L')_ij, each pivot the largest one left
 *
 * The first *rank columns of L (n x *rank) take the place of those of a (stride n); the rest of a
 * is undefined.  Ends where no pivot is left above 'tolerance' times the largest entry of a's
 * diagonal: to that accuracy the rows pivot[*rank], ..., pivot[n - 1] depend on those before them.
 * O(n *rank^2).  Fails with ERR_MEMORY, or ERR_ARGUMENT (n beyond the library's integers).
 *
 * Source: Hammarling, Higham, Lucas 2007, LAPACK-style codes for pivoted Cholesky and QR updating;
 * LAPACK's dpstrf.
 */
int blas_cholesky_pivoted(double *a, int64_t n, double tolerance, int32_t *pivot, int64_t *rank,
			  struct error *err);

/* blas_add_scaled() - y <- y + scale x, vectors of n; a second version is in single precision */
void blas_add_scaled(double *y, int64_t n, double scale, const double *x);
void blas_add_scaled_single(float *y, int64_t n, float scale, const float *x);

/* Whether a factor of a product is the matrix or its transpose. */
enum blas_shape { BLAS_PLAIN, BLAS_TRANSPOSED };

/* A matrix by rows, entry (i, j) being at[i * stride + j], or its transpose. */
struct blas_factor {
	const double *at;
	int64_t stride;
	enum blas_shape shape;
};

/*
 * blas_multiply() - c <- a b + keep c, with a (m x inner) and b (inner x n) after transposition
 *
 * c is m x n by rows with leading dimension 'stride'; where 'keep' is 0 its old contents do not
 * matter.  O(2 m n inner).  Fails with ERR_ARGUMENT if a size is beyond the library's integers, or
 * with ERR_MEMORY if there is none for it and blas_reserve() has not been called.
 */
int blas_multiply(struct blas_factor a, struct blas_factor b, int64_t m, int64_t n, int64_t inner,
		  double keep, double *c, int64_t stride, struct error *err);

/*
 * blas_triangular_solve() - x <- L^-1 x, or L'^-1 x where l is BLAS_TRANSPOSED
 *
 * L is n x n as blas_cholesky() leaves it, x is n x m by rows, x_stride apart.  O(n^2 m); sizes are
 * not checked.
 */
void blas_triangular_solve(struct blas_factor l, int64_t n, double *x, int64_t x_stride, int64_t m);

/* blas_multiply_vector() - y <- a x, a being m x n after transposition; sizes are not checked */
void blas_multiply_vector(struct blas_factor a, int64_t m, int64_t n, const double *x, double *y);

/*
 * The decompositions below take finite matrices by rows without gaps (stride = columns).  They fail
 * with ERR_MEMORY, with ERR_ARGUMENT (a size beyond the library's integers), or with ERR_NUMERIC
 * (no convergence); the matrices that they overwrite are then undefined.
 */

/*
 * blas_symmetric_eigen() - a = sum_k value[k] z_k z_k', values ascending, the z_k orthonormal
 *
 * a is n x n, of which the entries a[i * n + j], j <= i, are read; it is destroyed.  With
 * 'vectors', row k of it becomes z_k.  O(9 n^3) at most, O(4/3 n^3) without vectors.
 * Work space: 2 n^2 doubles with vectors.
 *
 * Source: divide and conquer, Gu and Eisenstat 1995, SIAM J. Matrix Anal. Appl. 16; LAPACK's
 * dsyevd.
 */
int blas_symmetric_eigen(double *a, int64_t n, double *value, bool vectors, struct error *err);

/*
 * blas_qr() - a = Q R by Householder reflections, a being m x n with m >= n
 *
 * 'r' (n x n, NULL if not wanted) becomes R, upper triangular with zeros below.  With 'form_q'
 * Q (m x n, orthonormal columns whatever the rank of a) takes the place of a, which is
 * undefined otherwise.  O(2 m n^2), twice that with Q.
 */
int blas_qr(double *a, int64_t m, int64_t n, double *r, bool form_q, struct error *err);

/*
 * blas_svd() - a = left diag(s) right with k = min(m, n) singular values, descending
 *
 * a (m x n) is destroyed; left is m x k with orthonormal columns, right k x n with orthonormal
 * rows.  O(m n k), with a constant of some 20.  Where the library is missing m must be n, or this
 * fails with ERR_LIBRARY.
 */
int blas_svd(double *a, int64_t m, int64_t n, double *left, double *s, double *right,
	     struct error *err);
