/*
 * tall_qr.h - Householder QR of matrices far longer than wide, some rows at a time
 *
 * Matrices are full, by rows without gaps, n <= m.  Both functions fail with ERR_MEMORY, or with
 * ERR_ARGUMENT (a size too large for the BLAS); what they write is then undefined.
 *
 * Source: Demmel, Grigori, Hoemmen, Langou 2012, SIAM J. Sci. Comput. 34, section 3 (as stable as
 * Householder's QR of the whole).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_TALL_QR_H
#define RANDSVM_TALL_QR_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/csr.h"

/* So many times n rows are reduced to n at a time. */
#define TALL_QR_TURNS 4

/*
 * tall_qr() - a = Q R, the m x n matrix Q of orthonormal columns taking the place of a
 *
 * Blocks of TALL_QR_TURNS n rows or more become Q_i R_i, the R_i under each other Q R in turn, and
 * Q_i times its part of that is Q.  'r' is n x n, upper triangular with zeros below, or NULL.
 * O(6 m n^2) on 'n_threads' threads, the bits whatever their number; memory some m n / 3 doubles.
 */
int tall_qr(double *a, int64_t m, int64_t n, double *r, int n_threads, struct error *err);

/*
 * tall_qr_triangle() - R of X - 1 shift' = Q R, X being sparse
 *
 * 'r' is n x n for the n columns of 'rows'; 'shift' has n numbers, or is NULL for none.  There may
 * be fewer rows than columns.  3 n rows at a time are put below the R so far.  O(8/3 m n^2);
 * memory 4 n^2 doubles.
 */
int tall_qr_triangle(const struct csr *rows, const double *shift, double *r, struct error *err);

#endif
