/*
 * float_form.h - rows for kernel values in single precision, in the form that is exact enough
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/float_vectors.h"

/*
 * float_vectors_init() - the rows of 'x' for 'kernel', if single precision is good enough
 *
 * Returns 1 and leaves '*v' empty where it is not: where the measured error of a kernel
 * value (see float_form.c) is over FLOAT_TOLERANCE with products in doubles too, where a float
 * would overflow, or for precomputed kernels.  O(entries) time, 8 bytes an entry or 4 a dense
 * element; 4 bytes more where rows are in doubles.
 */
int float_vectors_init(struct float_vectors *v, const struct csr *x, const struct kernel *kernel,
		       struct error *err);
