/*
 * blas.c - the BLAS and LAPACK linked
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/blas.h"

#include <limits.h>
#include <stdio.h>

extern void ilaver_(int *major, int *minor, int *patch);

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info,
		    size_t uplo_length);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a,
		    const int *lda, double *b, const int *ldb, int *info, size_t uplo_length);
extern void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
		   const double *alpha, const double *a, const int *lda, const double *beta,
		   double *c, const int *ldc, size_t uplo_length, size_t trans_length);

/* OpenBLAS has them, others do not. */
extern char *openblas_get_config(void) __attribute__((weak));
extern void openblas_set_num_threads(int n) __attribute__((weak));

void blas_version(char *buffer, size_t size)
{
	int major, minor, patch;

	ilaver_(&major, &minor, &patch);
	snprintf(buffer, size, "%s%sLAPACK %d.%d.%d",
		 openblas_get_config ? openblas_get_config() : "", openblas_get_config ? ", " : "",
		 major, minor, patch);
}

void blas_single_thread(void)
{
	if (openblas_set_num_threads)
		openblas_set_num_threads(1);
}

/* Rows of ours are columns of Fortran's: our lower triangle is its upper one. */

int blas_cholesky(double *a, int64_t n, int64_t stride)
{
	int order = (int)n, lda = (int)stride, info;

	if (n == 0)
		return 0;
	if (n > INT_MAX || stride > INT_MAX)
		return -1;
	dpotrf_("U", &order, a, &lda, &info, 1);
	return info == 0 ? 0 : -1;
}

void blas_cholesky_solve(const double *l, int64_t n, int64_t stride, double *x)
{
	int order = (int)n, lda = (int)stride, one = 1, info;

	if (n > 0)
		dpotrs_("U", &order, &one, l, &lda, x, &order, &info, 1);
}

void blas_add_outer(double *a, int64_t n, int64_t stride, double scale, const double *x,
		    int64_t n_vectors)
{
	int order = (int)n, lda = (int)stride, count = (int)n_vectors;
	double one = 1;

	if (n > 0 && n_vectors > 0)
		dsyrk_("U", "N", &order, &count, &scale, x, &order, &one, a, &lda, 1, 1);
}
