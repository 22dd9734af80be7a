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
#pragma once

#include "matrix/csr.h"

/* A block of so many times n rows is reduced to n. */
#define TALL_QR_TURNS 4

/*
 * tall_qr() - a = Q R, the m x n matrix Q of orthonormal columns taking the place of a
 *
 * 'r' is n x n, upper triangular with zeros below, or NULL.  O(8 m n^2) on 'n_threads' threads; the
 * bits do not depend on their number.  Memory: some m n / 3 doubles.
 */
int tall_qr(double *a, int64_t m, int64_t n, double *r, int n_threads, struct error *err);

/*
 * tall_qr_triangle() - R of X - 1 shift' = Q R, X being sparse
 *
 * 'r' is n x n for the n columns of 'rows'; 'shift' has n numbers, or is NULL for none.  There may
 * be fewer rows than columns.  O(8/3 m n^2) on one thread; memory 4 n^2 doubles.
 */
int tall_qr_triangle(const struct csr *rows, const double *shift, double *r, struct error *err);

/* A triangle R, m x m, and R = left diag(value) right: its singular vectors and values. */
struct triangle {
	int64_t m;
	double *r, *left, *right, *value;
};

/* triangle_init() - memory for order m, R being 0; after ERR_MEMORY to be freed, too */
int triangle_init(struct triangle *t, int64_t m, struct error *err);
void triangle_free(struct triangle *t);

/* triangle_decompose() - the singular vectors and values of R, which is destroyed; see blas_svd() */
int triangle_decompose(struct triangle *t, struct error *err);
