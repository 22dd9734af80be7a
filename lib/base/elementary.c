/*
 * elementary.c - logarithm, sine and cosine that are the same on every machine
 *
 * How this works.  The C library's functions differ in the last digit from one version to the next.
 * These use additions, multiplications and divisions alone, which IEEE 754 rounds the same way
 * everywhere, in an order that is written down, and none of them fused.
 *
 *  (1) ln x: a number between sqrt(1/2) and sqrt(2) and a power of two; a series in an odd function
 *  (2) cos and sin of 2 pi t: the nearest quarter of a turn is taken off exactly, since 4 t is a
 *      product by a power of two; series for the rest; the quarter says which of the two is the
 *      cosine, and gives the signs
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/elementary.h"

#include "base/standard.h"
#include "base/elementary_series.h"

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
 * With x = m 2^e, m in [sqrt(1/2), sqrt(2)) and s = (m - 1) / (m + 1), at most 0.172 in size:
 * ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...).  The first term left out is below 2^-60 of the sum.
 */
double elementary_log(double x)
{
	int e;
	double m = frexp(x, &e), s;

	if (m < sqrt_half) {
		m *= 2;
		e--;
	}
	s = (m - 1) / (m + 1);
	return e * ln_2 +
	       2 * s * polynomial(logarithm_series, SERIES_LENGTH(logarithm_series), s * s);
}

/* Taylor's series, within an eighth of a turn of the nearest quarter; truncation error 2^-58. */
void elementary_circle(double t, double *cosine, double *sine)
{
	int64_t quarter = (int64_t)floor(4 * t + 0.5);
	double y = two_pi * (t - (double)quarter / 4), z = y * y;
	double c = polynomial(cosine_series, SERIES_LENGTH(cosine_series), z);
	double s = y * polynomial(sine_series, SERIES_LENGTH(sine_series), z);
	double across = quarter & 1 ? s : c, up = quarter & 1 ? c : s;

	*cosine = (quarter + 1) & 2 ? -across : across;
	*sine = quarter & 2 ? -up : up;
}
