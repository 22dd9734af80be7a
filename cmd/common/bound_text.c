/*
 * bound_text.c - bounds of an optimum as text, to the digits that are known
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "bound_text.h"

#include <math.h>
#include <stdio.h>

/* Number of decimals that %f prints, and number of digits of a small number. */
#define DECIMALS 6
#define DIGITS 8

/* Digits after the point, negative before it, the last of which has a unit of at least 'rounding'. */
static double known_decimals(double rounding)
{
	return rounding > 0 ? fmin(-ceil(log10(rounding)), 1000) : 1000;
}

const char *bound_text(double value, double rounding, char text[BOUND_TEXT_SIZE])
{
	double decimals = known_decimals(rounding), leading = floor(log10(fabs(value))) + 1;
	double digits = fmax(1, fmin(DIGITS, leading + decimals));

	if (value == 0 || !isfinite(value) || !isfinite(rounding))
		snprintf(text, BOUND_TEXT_SIZE, "%f", value);
	else if (fabs(value) < 1)
		snprintf(text, BOUND_TEXT_SIZE, "%.*g", (int)digits, value);
	else if (decimals >= 0 && fabs(value) < 1e40)
		snprintf(text, BOUND_TEXT_SIZE, "%.*f", (int)fmin(decimals, DECIMALS), value);
	else
		snprintf(text, BOUND_TEXT_SIZE, "%.*g", (int)fmax(1, fmin(17, leading + decimals)),
			 value);
	return text;
}
