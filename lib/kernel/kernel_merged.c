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
#include <stdbool.h>

#include "base/arithmetic.h"
#include "base/long_sum.h"
#include "kernel/kernel_lanes.h"

/* Go on from entry *j of 'x' and *k of 'z', both ascending, to the next column that both have. */
static bool find_shared(struct csr_row x, struct csr_row z, int64_t *j, int64_t *k)
{
	while (*j < x.n && *k < z.n && x.col[*j] != z.col[*k])
		++*(x.col[*j] < z.col[*k] ? j : k);
	return *j < x.n && *k < z.n;
}

static double merged_dot(struct csr_row x, struct csr_row z)
{
	double sum = 0;

	for (int64_t j = 0, k = 0; find_shared(x, z, &j, &k); j++, k++)
		sum += x.val[j] * z.val[k];
	return sum;
}

static struct long_sum long_product(struct long_sum a, struct long_sum b)
{
	struct long_sum product = { 0, 0 };

	long_sum_add(&product, a.high, b.high);
	long_sum_add(&product, a.high, b.low);
	long_sum_add(&product, a.low, b.high);
	return product;
}

struct long_sum kernel_merged_polynomial(const struct kernel *kernel, struct csr_row x,
					 struct csr_row z)
{
	struct long_sum dot = { 0, 0 }, base = { kernel->coef0, 0 }, power = { 1, 0 };

	for (int64_t j = 0, k = 0; find_shared(x, z, &j, &k); j++, k++)
		long_sum_add(&dot, x.val[j], z.val[k]);
	long_sum_add(&base, kernel->gamma, dot.high);
	long_sum_add(&base, kernel->gamma, dot.low);
	for (int e = kernel->degree; e > 0; e /= 2) {
		power = e % 2 ? long_product(power, base) : power;
		base = long_product(base, base);
	}
	return power;
}

double kernel_merged_value(const struct kernel *kernel, struct csr_row x, struct csr_row z)
{
	double dot;

	if (kernel->type == KERNEL_RBF)
		return exp(-kernel->gamma * kernel_distance2(x, NULL, z, INFINITY));
	dot = merged_dot(x, z);
	if (kernel->type == KERNEL_POLYNOMIAL)
		return double_power(kernel->gamma * dot + kernel->coef0, kernel->degree);
	return kernel->type == KERNEL_SIGMOID ? tanh(kernel->gamma * dot + kernel->coef0) : dot;
}
