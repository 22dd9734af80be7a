/*
 * long_polynomial.h - sums of polynomial kernel values in twice the digits of a double
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"

/*
 * long_polynomial_sums() - f[i] = sum_j beta[j] K(x_j, x_i), for i and j in 0 .. n - 1
 *
 * x_i is row row[i] of 'x'.  All is in twice the digits but the results.
 * O(n n_sv (entries of two rows)), some 20 operations for each entry.
 */
HOT_LOOP(void, long_polynomial_sums,
	 (const struct kernel *kernel, const struct csr *x, const int64_t *row, const double *beta,
	  int64_t n, double *f),
	 (kernel, x, row, beta, n, f))
