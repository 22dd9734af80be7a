/*
 * digits.h - decimal digits, eight at a time in a machine word
 *
 * The first character is in the word's lowest byte on every machine, so that shifts and counts of
 * trailing zeros mean the same everywhere.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

#define DIGITS_EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

/* digits_is() - is the character '0' .. '9', whatever the locale? */
static inline bool digits_is(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* digits_load() - the eight characters at 'p' */
static inline uint64_t digits_load(const char *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* digits_run() - how many of the eight characters, from the first on, are digits */
static inline int digits_run(uint64_t word)
{
	uint64_t v = word ^ DIGITS_EIGHT('0'); /* digits become 0 .. 9 */
	uint64_t other = ((v + DIGITS_EIGHT(0x80 - 10)) | v) & DIGITS_EIGHT(0x80);

	/* Only a byte that is no digit carries: the lowest mark is right. */
	return other ? __builtin_ctzll(other) / 8 : 8;
}

/* digits_value() - the number written by the first n of eight characters, 1 <= n <= 8 */
static inline uint64_t digits_value(uint64_t word, int n)
{
	uint64_t v = (word ^ DIGITS_EIGHT('0')) << (64 - 8 * n); /* 8 - n zeros, then n digits */

	v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
	return (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
}
