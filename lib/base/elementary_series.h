/*
 * elementary_series.h - the series behind elementary.h, for one number and for vectors of them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#define SERIES_LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...), s = (m - 1) / (m + 1) */
static const double logarithm_series[] = { 1,	     1 / 3.0,  1 / 5.0,	 1 / 7.0,
					   1 / 9.0,  1 / 11.0, 1 / 13.0, 1 / 15.0,
					   1 / 17.0, 1 / 19.0, 1 / 21.0 };

/* (-1)^k / (2k)! and (-1)^k / (2k + 1)!; factorials up to 18! are doubles */
/* clang-format off */
static const double cosine_series[] = {
	1, -1 / 2.0, 1 / 24.0, -1 / 720.0, 1 / 40320.0, -1 / 3628800.0, 1 / 479001600.0,
	-1 / 87178291200.0, 1 / 20922789888000.0
};
static const double sine_series[] = {
	1, -1 / 6.0, 1 / 120.0, -1 / 5040.0, 1 / 362880.0, -1 / 39916800.0, 1 / 6227020800.0,
	-1 / 1307674368000.0, 1 / 355687428096000.0
};
/* clang-format on */
