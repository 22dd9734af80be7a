/*
 * blas.c - the BLAS and LAPACK linked
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/blas.h"

#include <stdio.h>

extern void ilaver_(int *major, int *minor, int *patch);

/* OpenBLAS has it, others do not. */
extern char *openblas_get_config(void) __attribute__((weak));

void blas_version(char *buffer, size_t size)
{
	int major, minor, patch;

	ilaver_(&major, &minor, &patch);
	snprintf(buffer, size, "%s%sLAPACK %d.%d.%d",
		 openblas_get_config ? openblas_get_config() : "",
		 openblas_get_config ? ", " : "", major, minor, patch);
}
