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
#ifndef RANDSVM_ELEMENTARY_LANES_H
#define RANDSVM_ELEMENTARY_LANES_H

#include "base/elementary_series.h"
#include "base/hot_loop.h"

#define SERIES_LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

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

/* lanes_circle() - elementary_circle() for 0 <= t <= 1 */
INLINED void lanes_circle(reg_double t, reg_double *cosine, reg_double *sine)
{
	/* (1): the nearest quarter of a turn */
	reg_double u = 4 * t + 0.5, nearest = (u + 0x1p52) - 0x1p52;
	reg_double quarter = nearest - (reg_double)((reg_uint64)(nearest > u) &
						    (reg_uint64)((reg_double){ 0 } + 1.0));
	reg_uint64 q = (reg_uint64)(quarter + 0x1p52); /* its low bits, by (2) */
	reg_double y = 0x1.921fb54442d18p+2 * (t - quarter / 4), z = y * y;
	reg_double c = lanes_polynomial(cosine_series, SERIES_LENGTH(cosine_series), z);
	reg_double s = y * lanes_polynomial(sine_series, SERIES_LENGTH(sine_series), z);
	reg_uint64 is_odd = -(q & 1);

	/* a bit 1 moved to bit 63 turns the sign */
	*cosine = (reg_double)(lanes_choose(is_odd, (reg_uint64)s, (reg_uint64)c) ^ ((q + 1) & 2)
											    << 62);
	*sine = (reg_double)(lanes_choose(is_odd, (reg_uint64)c, (reg_uint64)s) ^ (q & 2) << 62);
}

#endif
