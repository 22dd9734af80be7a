/*
 * blas.h - the BLAS and LAPACK linked
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_BLAS_H
#define RANDSVM_BLAS_H

#include <stddef.h>

/*
 * blas_version() - such as "OpenBLAS 0.3.21 ... LAPACK 3.9.1", into 'size' bytes at 'buffer'
 */
void blas_version(char *buffer, size_t size);

#endif
