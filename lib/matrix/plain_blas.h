/*
 * plain_blas.h - what blas.h promises, by loops of our own
 *
 * For matrices so small that to load the BLAS would take longer, and for all where it is missing.
 * Each function computes what the one of its name in blas.h does, to the same accuracy, without its
 * checks of sizes.  Products and triangles take two to ten times as long as OpenBLAS's, eigenvalues
 * and singular values some thirty times.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "matrix/blas.h"

int plain_cholesky(double *a, int64_t n, int64_t stride);
void plain_cholesky_solve(const double *l, int64_t n, int64_t stride, double *x);
void plain_add_outer(double *a, int64_t n, int64_t stride, double scale, const double *x,
		     int64_t n_vectors);
void plain_add_products(double *a, int64_t n, int64_t stride, double scale, const double *x,
			int64_t inner);
void plain_add_scaled(double *y, int64_t n, double scale, const double *x);

/* plain_multiply() - 'sizes' are m, n and inner */
void plain_multiply(struct blas_factor a, struct blas_factor b, const int64_t sizes[3], double keep,
		    double *c, int64_t stride);
void plain_triangular_solve(struct blas_factor l, int64_t n, double *x, int64_t x_stride,
			    int64_t m);
void plain_multiply_vector(struct blas_factor a, int64_t m, int64_t n, const double *x, double *y);

/* plain_cholesky_pivoted() - L into 'l', n x n; ends at pivots of at most 'least'; returns the rank */
int64_t plain_cholesky_pivoted(const double *a, int64_t n, double least, int32_t *pivot, double *l);

/* These fail with ERR_MEMORY, ERR_INTERRUPTED, or ERR_NUMERIC where they do not converge. */
int plain_symmetric_eigen(double *a, int64_t n, double *value, bool vectors, struct error *err);
int plain_qr(double *a, int64_t m, int64_t n, double *r, bool form_q, struct error *err);
int plain_svd(double *a, int64_t n, double *left, double *s, double *right, struct error *err);
