/*
 * kernel_merged.h - a kernel value from the entries of two sparse rows, column by column
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/long_sum.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"

/*
 * kernel_merged_value() - K(x, z); not for precomputed kernels
 *
 * In the order of operations of kernel_tile.c, except for the distances of rbf.  Needs no
 * preparation, and O(entries of both) steps with a branch at each: meant for few values, or for
 * rows too long for tiles.
 */
double kernel_merged_value(const struct kernel *kernel, struct csr_row x, struct csr_row z);

/* kernel_merged_polynomial() - K(x, z) of a polynomial kernel in twice the digits of a double */
struct long_sum kernel_merged_polynomial(const struct kernel *kernel, struct csr_row x,
					 struct csr_row z);
