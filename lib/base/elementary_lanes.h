/*
 * elementary_lanes.h - elementary.h's sine and cosine for the lanes of a register
 *
 * For files of hot loops.  The results have the bits of elementary.c: the same operations in the
 * same order, and what replaces floor() is exact:
 *
 *     floor(u), 0 <= u < 2^51  (u + 2^52) - 2^52 rounds to the nearest, 1 less if above u  (1)
 *     n < 2^51 as bits         the low bits of n + 2^52 are those of n                      (2)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/elementary_series.h"
#include "base/hot_loop.h"

/* lanes_polynomial() - c[0] + c[1] z + ..., by Horner's rule */
INLINED reg_double lanes_polynomial(const double *c, int n, reg_double z)
{
	reg_double sum = (reg_double){ 0 } + c[n - 1];

	for (int k = n - 2; k >= 0; k--)
		sum = sum * z + c[k];
	return sum;
}

/* lanes_choose() - a where the mask's lanes are ones, b elsewhere */
INLINED reg_uint64 lanes_choose(reg_uint64 mask, reg_uint64 a, reg_uint64 b)
{
	return (a & mask) | (b & ~mask);
}

/*
 * lanes_circles() - elementary_circle() for 0 <= t <= 1, of n registers, 1 or 2
 *
 * Their series are added up side by side: each term waits for the one before it, and a processor
 * that looks ahead meets too many of those to come to the next register.
 */
INLINED void lanes_circles(const reg_double *t, int n, reg_double *cosine, reg_double *sine)
{
	const int last = SERIES_LENGTH(cosine_series) - 1;
	reg_double y[2], z[2], c[2], s[2];
	reg_uint64 q[2];

	for (int k = 0; k < n; k++) {
		/* (1): the nearest quarter of a turn */
		reg_double u = 4 * t[k] + 0.5, nearest = (u + 0x1p52) - 0x1p52;
		reg_double quarter = nearest - (reg_double)((reg_uint64)(nearest > u) &
							    (reg_uint64)((reg_double){ 0 } + 1.0));

		q[k] = (reg_uint64)(quarter + 0x1p52); /* its low bits, by (2) */
		y[k] = 0x1.921fb54442d18p+2 * (t[k] - quarter / 4);
		z[k] = y[k] * y[k];
		c[k] = (reg_double){ 0 } + cosine_series[last];
		s[k] = (reg_double){ 0 } + sine_series[last];
	}
	for (int e = last - 1; e >= 0; e--)
		for (int k = 0; k < n; k++) {
			c[k] = c[k] * z[k] + cosine_series[e];
			s[k] = s[k] * z[k] + sine_series[e];
		}
	for (int k = 0; k < n; k++) {
		reg_uint64 is_odd = -(q[k] & 1), c_bits = (reg_uint64)c[k],
			   s_bits = (reg_uint64)(y[k] * s[k]);

		/* a bit 1 moved to bit 63 turns the sign */
		cosine[k] =
			(reg_double)(lanes_choose(is_odd, s_bits, c_bits) ^ ((q[k] + 1) & 2) << 62);
		sine[k] = (reg_double)(lanes_choose(is_odd, c_bits, s_bits) ^ (q[k] & 2) << 62);
	}
}
