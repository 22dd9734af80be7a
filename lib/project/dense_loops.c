/*
 * dense_loops.c - signed and weighted sums over the columns of a projection, vectorised
 *
 * How this works.  Columns are independent, so lanes of a vector are columns, and each lane does
 * the additions that one column does, in their order: vectors of any length give the same bits.
 * Compiled once for each instruction set, TILE_SUFFIX naming the copy; the vector types are those
 * of gcc and clang.
 *
 * A random sign is a bit of a word.  Adding +-x is adding x with its sign bit flipped, so bits
 * t .. t + LANES - 1 of the word have to become the sign bits of LANES numbers: each lane shifts
 * the word by a count of its own, which AVX2 can do; older x86-64 looks the vector up in a table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/project_loops.h"

#include "base/hot_loop.h"

/* The numbers of the lanes, in vectors as long as the machine's registers. */
#if defined(__AVX512F__)
#define DOUBLE_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7
#define FLOAT_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#elif defined(__AVX2__)
#define DOUBLE_NUMBERS 0, 1, 2, 3
#define FLOAT_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7
#else
#define D (UINT64_C(1) << 63)
#define S (UINT32_C(1) << 31)
static const uint64_t double_signs[4][2] = { { 0, 0 }, { D, 0 }, { 0, D }, { D, D } };
static const uint32_t single_signs[16][4] = {
	{ 0, 0, 0, 0 }, { S, 0, 0, 0 }, { 0, S, 0, 0 }, { S, S, 0, 0 },
	{ 0, 0, S, 0 }, { S, 0, S, 0 }, { 0, S, S, 0 }, { S, S, S, 0 },
	{ 0, 0, 0, S }, { S, 0, 0, S }, { 0, S, 0, S }, { S, S, 0, S },
	{ 0, 0, S, S }, { S, 0, S, S }, { 0, S, S, S }, { S, S, S, S },
};
#define SIGN_TABLE double_signs
#endif

#define REAL double
#define WORD uint64_t
#define NUMBERS DOUBLE_NUMBERS
#define NAME(function) SUFFIXED(function)
#include "project/dense_body.h"
#undef REAL
#undef WORD
#undef NUMBERS
#undef NAME

#ifdef SIGN_TABLE
#undef SIGN_TABLE
#define SIGN_TABLE single_signs
#endif

#define REAL float
#define WORD uint32_t
#define NUMBERS FLOAT_NUMBERS
#define NAME(function) SUFFIXED(function##_single)
#include "project/dense_body.h"

/* to[t] = from[t], rounded to floats */
void SUFFIXED(round_values)(const double *from, int64_t n, float *to)
{
	for (int64_t t = 0; t < n; t++)
		to[t] = (float)from[t];
}

void SUFFIXED(number_columns)(int64_t n, int32_t *index)
{
	for (int32_t t = 0; t < n; t++)
		index[t] = t + 1;
}

/* Exclusive or of the planes of the set bits of j[e]: (2) of srht.c for eight words at a time. */
void SUFFIXED(plane_signs)(const uint64_t *plane, int64_t stride, const uint32_t *j, int64_t n,
			   uint64_t (*word)[8])
{
	for (int64_t e = 0; e < n; e++) {
		uint64_t signs[8] = { 0 };

		for (uint32_t left = j[e]; left; left &= left - 1) {
			const uint64_t *p = plane + __builtin_ctz(left) * stride;

			for (int c = 0; c < 8; c++)
				signs[c] ^= p[c];
		}
		for (int c = 0; c < 8; c++)
			word[e][c] = signs[c];
	}
}

/*
 * 2 rng_unit() - 1, exactly.  Converting 64-bit integers to doubles is not vectorised before
 * AVX-512; 52 bits put into the fraction of 2^52 are the same number, and need no conversion.
 */
INLINED double uniform(uint64_t a)
{
	union {
		uint64_t bits;
		double value;
	} whole = { .bits = a >> 12 | 0x4330000000000000 }; /* 2^52 + the upper 52 bits of a */

	return ((whole.value - 0x1p52) + 0.5) * 0x1p-51 - 1;
}

/* Two entries between -1 and 1 of each block. */
void SUFFIXED(uniform_entries)(const struct rng_block *block, int64_t n, double *x)
{
	for (int64_t e = 0; e < n; e++) {
		x[2 * e] = uniform(rng_first64(block[e]));
		x[2 * e + 1] = uniform(rng_second64(block[e]));
	}
}

/* Four entries of each block: +1 for words below 'plus', -1 from there to 'minus', else 0. */
void SUFFIXED(ternary_entries)(const struct rng_block *block, int64_t n, uint32_t plus,
			       uint32_t minus, double *x)
{
	const uint32_t *w = block->w;

	/* plus < minus: 2 - 1, 0 - 1 or 0 - 0, without a branch */
	for (int64_t t = 0; t < 4 * n; t++)
		x[t] = 2 * (w[t] < plus) - (w[t] < minus);
}

/* Four entries of each block: 0 for words from 'threshold' on, else +-1 by the word's last bit. */
void SUFFIXED(sparse_entries)(const struct rng_block *block, int64_t n, uint64_t threshold,
			      double *x)
{
	const uint32_t *w = block->w;

	for (int64_t t = 0; t < 4 * n; t++)
		x[t] = w[t] < threshold ? 1 - 2 * (int)(w[t] & 1) : 0;
}
