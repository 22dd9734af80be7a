/*
 * decimal_work.h - powers of ten, and products with them, for reading and for writing decimals
 *
 * Both directions multiply an integer of 64 bits by a power of ten kept to 128 bits and look at the
 * upper 128 bits of the product.  One table serves both:
 *
 *     10^k = (g_k - d) 2^r,   2^127 <= g_k < 2^128,   0 < d <= 1                      (1)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/standard.h"

#define TWO_TO_52 (UINT64_C(1) << 52)
#define TWO_TO_53 (UINT64_C(1) << 53) /* every integer below 2^53 is a double */
#define E8 UINT64_C(100000000)
#define E16 (E8 * E8)

/* decimal_ten[k] = 10^k, all below 2^64 */
extern const uint64_t decimal_ten[18];

/* ---- 128 bits ---- */

struct wide {
	uint64_t high, low;
};

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 u128;

static inline struct wide multiply(uint64_t a, uint64_t b)
{
	u128 product = (u128)a * b;

	return (struct wide){ (uint64_t)(product >> 64), (uint64_t)product };
}

#else

/* By the school method on halves of 32 bits, for machines without 128-bit integers. */
static inline struct wide multiply(uint64_t a, uint64_t b)
{
	uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low, one = a_high * b_low + (low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)one;

	return (struct wide){ a_high * b_high + (one >> 32) + (other >> 32),
			      other << 32 | (uint32_t)low };
}

#endif

/* x g without its lowest 64 bits: floor(x g / 2^64) */
static inline struct wide scale(struct wide g, uint64_t x)
{
	struct wide product = multiply(x, g.high);
	uint64_t carried = multiply(x, g.low).high;

	/* x g.high 2^64 + x g.low, shifted down by 64 bits */
	product.low += carried;
	product.high += product.low < carried;
	return product;
}

/*
 * Is x within 2 of half 2^64?  As g_k of (1) is too large by 1 at most and scale() drops less than
 * 1, what scale() returns for it is within 2 of the exact product: far from the middle
 * of two results it is known which of them is nearer.
 */
static inline bool is_near(struct wide x, uint64_t half)
{
	return x.high == half ? x.low <= 2 : x.high + 1 == half && x.low >= 0 - UINT64_C(2);
}

/* ---- Powers of ten ---- */

/*
 * decimal_power_ten[k - POWER_MIN] is g_k of (1): floor(10^k / 2^r) + 1 with
 * r = floor(log2(10^k)) - 127.  need_powers() makes the table once, in some 50 us.  Shortest forms
 * use k = -292 .. 324, a given number of digits -308 .. 340.  Reading needs -342 .. 308 for all
 * doubles that are not denormal, and leaves what is below -308 to strtod_l().
 */
#define POWER_MIN (-308)
#define POWER_MAX 340

extern struct wide decimal_power_ten[POWER_MAX - POWER_MIN + 1];
extern pthread_once_t decimal_power_ten_once;
extern atomic_bool decimal_power_ten_made;

/* Fill the table; through need_powers() alone. */
void decimal_make_powers(void);

/* The flag is tested in line because a call for each number would be measurable. */
static inline void need_powers(void)
{
	if (__builtin_expect(!atomic_load_explicit(&decimal_power_ten_made, memory_order_acquire),
			     0))
		pthread_once(&decimal_power_ten_once, decimal_make_powers);
}

/*
 * floor(log10(2^q)), or floor(log10(3/4 2^q)).  1262611 / 2^22 is just below log10(2), and
 * 524031 / 2^22 about -log10(3/4); checked for every |q| <= 1100, and doubles have -1137 .. 1023.
 */
static inline int floor_log10(int q, bool three_quarters)
{
	return (q * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* floor(log2(10^k)).  1741647 / 2^19 is just below log2(10); checked for every |k| < 400. */
static inline int floor_log2(int k)
{
	return (k * 1741647) >> 19;
}

/*
 * decimal_read_exponent() - read an exponent such as "e-12" and add it to '*exponent'
 *
 * Beyond 10^17 further digits do not count: no text is long enough for its point to make up for
 * that.  Returns the end, which is 'p' if there is no exponent.
 */
const char *decimal_read_exponent(const char *p, int64_t *exponent);
