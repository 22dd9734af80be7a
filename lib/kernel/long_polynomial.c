/*
 * long_polynomial.c - sums of polynomial kernel values in twice the digits of a double
 *
 * How this works.  A kernel value takes some 20 steps of base/long_sum.h, each with an fma(): an
 * instruction from x86-64-v3 on and a call before.  Its result is exact by definition, and nothing
 * else is fused, so that all copies give the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/long_polynomial.h"

#include "base/arithmetic.h"
#include "base/hot_loop.h"
#include "base/long_sum.h"
#include "kernel/kernel_lanes.h"

/* Rows whose sums are made together, so that multipliers of 0 are passed over once for them. */
#define ROWS 16

INLINED struct long_sum long_product(struct long_sum a, struct long_sum b)
{
	struct long_sum product = { 0, 0 };

	long_sum_add(&product, a.high, b.high);
	long_sum_add(&product, a.high, b.low);
	long_sum_add(&product, a.low, b.high);
	return product;
}

INLINED struct long_sum long_polynomial(const struct kernel *kernel, struct csr_row x,
					struct csr_row z)
{
	struct long_sum dot = { 0, 0 }, base = { kernel->coef0, 0 }, power = { 1, 0 };

	for (int64_t j = 0, k = 0; kernel_merged_find(x, z, &j, &k); j++, k++)
		long_sum_add(&dot, x.val[j], z.val[k]);
	long_sum_add(&base, kernel->gamma, dot.high);
	long_sum_add(&base, kernel->gamma, dot.low);
	for (int e = kernel->degree; e > 0; e /= 2) {
		power = e % 2 ? long_product(power, base) : power;
		base = e > 1 ? long_product(base, base) : base;
	}
	return power;
}

void SUFFIXED(long_polynomial_sums)(const struct kernel *kernel, const struct csr *x,
				    const int64_t *row, const double *beta, int64_t n, double *f)
{
	for (int64_t i = 0; i < n; i += ROWS) {
		const int64_t n_rows = int64_min(ROWS, n - i);
		struct long_sum sum[ROWS] = { { 0, 0 } }, k;

		for (int64_t j = 0; j < n; j++)
			for (int64_t l = 0; beta[j] != 0 && l < n_rows; l++) {
				k = long_polynomial(kernel, csr_row_of(x, row[i + l]),
						    csr_row_of(x, row[j]));
				long_sum_add(&sum[l], beta[j], k.high);
				long_sum_add(&sum[l], beta[j], k.low);
			}
		for (int64_t l = 0; l < n_rows; l++)
			f[i + l] = long_sum_value(&sum[l]);
	}
}
