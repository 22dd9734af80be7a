/*
 * elementary.c - logarithm, sine and cosine that are the same on every machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/elementary.h"

#include <math.h>
#include <stdint.h>

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const double ln_2 = 0x1.62e42fefa39efp-1;
static const double sqrt_half = 0x1.6a09e667f3bcdp-1;
static const double two_pi = 0x1.921fb54442d18p+2;

/* c[0] + c[1] z + ... + c[n-1] z^(n-1), by Horner's rule */
static inline double polynomial(const double *c, int n, double z)
{
	double sum = c[n - 1];

	for (int k = n - 2; k >= 0; k--)
		sum = sum * z + c[k];
	return sum;
}

/*
 * With x = m 2^e, m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1), at most 0.172:
 * ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...); the first term left out is below 2^-60 of it.
 */
double elementary_log(double x)
{
	static const double series[] = { 1,	   1 / 3.0,  1 / 5.0,  1 / 7.0,	 1 / 9.0, 1 / 11.0,
					 1 / 13.0, 1 / 15.0, 1 / 17.0, 1 / 19.0, 1 / 21.0 };
	int e;
	double m = frexp(x, &e), s;

	if (m < sqrt_half) {
		m *= 2;
		e--;
	}
	s = (m - 1) / (m + 1);
	return e * ln_2 + 2 * s * polynomial(series, LENGTH(series), s * s);
}

/* Taylor's series within an eighth of a turn of the nearest quarter; what is left out: 2^-58. */
void elementary_circle(double t, double *cosine, double *sine)
{
	/* (-1)^k / (2k)! and (-1)^k / (2k + 1)!; factorials up to 18! are doubles */
	static const double even[] = { 1,
				       -1 / 2.0,
				       1 / 24.0,
				       -1 / 720.0,
				       1 / 40320.0,
				       -1 / 3628800.0,
				       1 / 479001600.0,
				       -1 / 87178291200.0,
				       1 / 20922789888000.0 };
	static const double odd[] = { 1,
				      -1 / 6.0,
				      1 / 120.0,
				      -1 / 5040.0,
				      1 / 362880.0,
				      -1 / 39916800.0,
				      1 / 6227020800.0,
				      -1 / 1307674368000.0,
				      1 / 355687428096000.0 };
	int64_t quarter = (int64_t)floor(4 * t + 0.5);
	double y = two_pi * (t - (double)quarter / 4), z = y * y;
	double c = polynomial(even, LENGTH(even), z), s = y * polynomial(odd, LENGTH(odd), z);
	double across = quarter & 1 ? s : c, up = quarter & 1 ? c : s;

	*cosine = (quarter + 1) & 2 ? -across : across;
	*sine = quarter & 2 ? -up : up;
}
