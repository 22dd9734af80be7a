/*
 * float_exp2.h - 2^x and tanh of a register of floats, for the innermost loops of float_tile.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "base/hot_loop.h"

INLINED reg_float select_vec(reg_int32 mask, reg_float a, reg_float b)
{
	return SELECT(reg_float, mask, a, b);
}

/*
 * The larger of a and b; b where a is NAN.  One instruction where the compiler makes two of a
 * comparison: 3 to 8 % of trainings with narrow rbf kernels of few columns.
 */
INLINED reg_float larger_vec(reg_float a, reg_float b)
{
#if defined(__AVX512F__)
	return (reg_float)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
	return (reg_float)_mm256_max_ps((__m256)a, (__m256)b);
#else
	return select_vec(a > b, a, b);
#endif
}

/*
 * On processors that look up a table within a register, 2^x is a table's value times a short
 * polynomial: x = k + j / EXP2_ENTRIES + r, and 2^x = 2^k 2^(j / EXP2_ENTRIES) 2^r.  With 20
 * columns sums take 7 % less time.
 */
#if defined(__AVX512F__)
#define EXP2_BITS 4
#elif defined(__AVX2__)
#define EXP2_BITS 3
#else
#define EXP2_BITS 0
#endif
#define EXP2_ENTRIES (1 << EXP2_BITS)

/*
 * For exp2_vec(): the polynomial, highest power first, and of entry j the bits of 2^(j /
 * EXP2_ENTRIES) less those that j has in front of them.
 */
struct exp2_numbers {
	int32_t entry[EXP2_ENTRIES] __attribute__((aligned(REGISTER_BYTES)));
	float term[7];
};

static const struct exp2_numbers exp2_numbers = {
#if EXP2_BITS == 4
	{ 0x3f800000, 0x3f7daac3, 0x3f7b95c2, 0x3f79c3d3, 0x3f7837f0, 0x3f76f532, 0x3f75fed7,
	  0x3f75583f, 0x3f7504f3, 0x3f7508a4, 0x3f75672a, 0x3f76248c, 0x3f7744fd, 0x3f78ccdf,
	  0x3f7ac0c7, 0x3f7d257d },
	{ 0x1.c6b29ap-5f, 0x1.ebff92p-3f, 0x1.62e43p-1f }
#elif EXP2_BITS == 3
	{ 0x3f800000, 0x3f7b95c2, 0x3f7837f0, 0x3f75fed7, 0x3f7504f3, 0x3f75672a, 0x3f7744fd,
	  0x3f7ac0c7 },
	{ 0x1.c6b8bep-5f, 0x1.ec0aa6p-3f, 0x1.62e43p-1f }
#else
	{ 0 },
	{ 0x1.443fffc85p-13f, 0x1.5f48c04f4p-10f, 0x1.3b2a1b715p-7f, 0x1.c6aecc669p-5f,
	  0x1.ebfbe045fp-3f, 0x1.62e430d03p-1f, 1.0f }
#endif
};

/* entry[j] for the lowest bits j of each lane */
#if EXP2_BITS == 4
#define EXP2_ENTRY(entry, j) _mm512_permutexvar_epi32((__m512i)(j), *(const __m512i *)(entry))
#elif EXP2_BITS == 3
#define EXP2_ENTRY(entry, j) _mm256_permutevar8x32_epi32(*(const __m256i *)(entry), (__m256i)(j))
#endif

/*
 * 2^r, |r| <= 1/2 / EXP2_ENTRIES, times the power of two and the entry that t tells.  Polynomials
 * interpolate at Chebyshev nodes; relative errors before rounding are 3e-9, with 8 entries 4e-8.
 */
INLINED reg_float exp2_of_parts(reg_float r, reg_int32 t, const struct exp2_numbers *with)
{
	reg_float p = ALL_FLOATS(with->term[0]);

#if EXP2_BITS > 0
	reg_float power =
		(reg_float)((reg_int32)EXP2_ENTRY(with->entry, t) + (t << (23 - EXP2_BITS)));

	for (int k = 1; k < 3; k++)
		p = p * r + ALL_FLOATS(with->term[k]);
	return p * r * power + power;
#else
	for (int k = 1; k < 7; k++)
		p = p * r + ALL_FLOATS(with->term[k]);
	return (reg_float)((reg_int32)p + (t << 23));
#endif
}

/*
 * 2^x, but at least 2^-126; with 'tame', for -126 <= x only.  The power of two is made through the
 * exponent bits.  'with' holds the constants, exp2_numbers.
 */
INLINED reg_float exp2_vec(reg_float x, bool tame, const struct exp2_numbers *with)
{
	/*
	 * adding 1.5 2^23 / EXP2_ENTRIES rounds x to a multiple of 1 / EXP2_ENTRIES and leaves the
	 * multiple's number in the low bits
	 */
	const reg_float to_multiple = ALL_FLOATS(0x1.8p23f / EXP2_ENTRIES);
	const reg_float least = ALL_FLOATS(-126.0f);
	reg_float t;

	if (!tame)
		x = larger_vec(x, least);
	t = x + to_multiple;
	return exp2_of_parts(x - (t - to_multiple), (reg_int32)t, with);
}

/* tanh: near 0 an odd polynomial (relative error 2e-8), else 1 - 2/(1 + e^2|x|) */
INLINED reg_float tanh_vec(reg_float x, const struct exp2_numbers *with)
{
	const reg_int32 sign = (reg_int32)x & (reg_int32)ALL_FLOATS(-0.0f);
	reg_float a = (reg_float)((reg_int32)x ^ sign), z = x * x, near, far;

	near = ALL_FLOATS(-0.006045165f);
	near = near * z + ALL_FLOATS(0.020961329f);
	near = near * z + ALL_FLOATS(-0.053843263f);
	near = near * z + ALL_FLOATS(0.133327188f);
	near = near * z + ALL_FLOATS(-0.333333284f);
	near = a + a * z * near;
	far = select_vec(a < ALL_FLOATS(10.0f), a, ALL_FLOATS(10.0f));
	far = ALL_FLOATS(1.0f) -
	      ALL_FLOATS(2.0f) /
		      (ALL_FLOATS(1.0f) + exp2_vec(far * ALL_FLOATS(2.885390082f), true, with));
	return (reg_float)((reg_int32)select_vec(a < ALL_FLOATS(0.63f), near, far) | sign);
}
