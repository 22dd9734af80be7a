/*
 * kernel_merged.c - a kernel value from the entries of two sparse rows, column by column
 *
 * How this works.  Both rows have their columns in ascending order, so one pass over both finds the
 * columns that they share, in O(entries of both) time and without memory.  Sums have the order of
 * the columns.  expansion.c takes this way where rows have so many columns that a tile would be
 * larger than all the vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/kernel_merged.h"

#include <math.h>

#include "base/arithmetic.h"
#include "kernel/kernel_lanes.h"

double kernel_merged_value(const struct kernel *kernel, struct csr_row x, struct csr_row z)
{
	double dot = 0;

	if (kernel->type == KERNEL_RBF)
		return exp(-kernel->gamma * kernel_distance2(x, NULL, z, INFINITY));
	for (int64_t j = 0, k = 0; kernel_merged_find(x, z, &j, &k); j++, k++)
		dot += x.val[j] * z.val[k];
	if (kernel->type == KERNEL_POLYNOMIAL)
		return double_power(kernel->gamma * dot + kernel->coef0, kernel->degree);
	return kernel->type == KERNEL_SIGMOID ? tanh(kernel->gamma * dot + kernel->coef0) : dot;
}
