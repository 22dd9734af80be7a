/*
 * long_sum.h - sums of products in twice the digits of a double
 *
 *     struct long_sum sum = { 0 };
 *
 *     for (int64_t i = 0; i < n; i++)
 *         long_sum_add(&sum, beta[i], x[i]);
 *     w = long_sum_value(&sum);
 *
 * Multipliers in the thousands times features in the millions may add up to a weight of 1e-9, of
 * which a plain sum has no digit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <math.h>

struct long_sum {
	double high, low;
};

/*
 * long_sum_add() - add a b
 *
 * The rounding errors of the product and of the sum are doubles: Dekker 1971, Knuth.
 */
static inline void long_sum_add(struct long_sum *s, double a, double b)
{
	double product = a * b, sum = s->high + product, part = sum - s->high;

	if (isfinite(sum)) /* if the sum is not finite its errors are NaN, and are left out */
		s->low += fma(a, b, -product) + ((s->high - (sum - part)) + (product - part));
	s->high = sum;
}

static inline double long_sum_value(const struct long_sum *s)
{
	return s->high + s->low;
}
