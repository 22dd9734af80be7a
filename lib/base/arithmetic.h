/*
 * arithmetic.h - least, greatest and rounded-up integers
 *
 * For sizes, counts and places, all int64_t.  Doubles have fmin() and fmax(), which differ from a
 * comparison where a number is undefined (NaN).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ARITHMETIC_H
#define RANDSVM_ARITHMETIC_H

#include <stdint.h>

static inline int64_t int64_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t int64_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* int64_clamp() - the number from 'low' to 'high' that is nearest to n; low <= high */
static inline int64_t int64_clamp(int64_t n, int64_t low, int64_t high)
{
	return n < low ? low : n > high ? high : n;
}

/* int64_blocks() - how many blocks of 'size' hold n things: n / size rounded up, n >= 0 */
static inline int64_t int64_blocks(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

/* int64_round_up() - the least multiple of 'size' that is not below n, n >= 0 */
static inline int64_t int64_round_up(int64_t n, int64_t size)
{
	return int64_blocks(n, size) * size;
}

#endif
