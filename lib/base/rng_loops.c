/*
 * rng_loops.c - sixteen counters at a time through Philox, and on to normal numbers
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy.
 *
 * How this works.  Each lane belongs to a counter.  The four words of sixteen blocks are four times
 * sixteen lanes, in as many registers as that takes; Philox does the same to all lanes.  Half as
 * many doubles fit in a register, so a register of words becomes normal numbers in two halves.
 *
 * The results have the bits of rng.c and elementary.c.  Integers are exact, and doubles go through
 * the same operations in the same order: the series are those of elementary_series.h, no operation
 * is fused (-ffp-contract=off), and where the C library's frexp(), floor() or a conversion is
 * replaced by bits, what replaces it is exact:
 *
 *     n < 2^52 as a double     the bits n | bits(2^52) are 2^52 + n; 2^52 is subtracted    (1)
 *     x = m 2^e, 1/2 <= m < 1  exponent field - 1022; mantissa field under the exponent of
 *                              1/2.  x is normal: units are 2^-53 at the least             (2)
 *
 * and floor() as in elementary_lanes.h.
 *
 * With AVX-512 a block takes 6 cycles and a normal number 9; one by one in rng.c some 60 and 70.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/rng_fill.h"

#include "base/elementary_lanes.h"

#define COUNTERS 16
#define LANES REGISTER_DOUBLES

/* Words of a register, and registers of COUNTERS words. */
#define WORDS (REGISTER_BYTES / 4)
#define PARTS (COUNTERS / WORDS)

/* Sixteen blocks: w[k] has their k-th words. */
struct state {
	reg_uint32 w[4][PARTS];
};

/*
 * The products of m and the low words of x.  gcc, when not told, multiplies vectors of 64 bits by
 * three products each before AVX-512 has an instruction for it.
 */
INLINED reg_uint64 product(uint32_t m, reg_uint64 x)
{
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX2__) && !defined(__AVX512DQ__)
	return (reg_uint64)__builtin_ia32_pmuludq256((reg_int32)x,
						     (reg_int32)((reg_uint32){ 0 } + m));
#elif defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__) && !defined(__AVX512DQ__)
	return (reg_uint64)__builtin_ia32_pmuludq128((reg_int32)x,
						     (reg_int32)((reg_uint32){ 0 } + m));
#else
	return (x & UINT32_MAX) * (uint64_t)m;
#endif
}

/* *high, *low = the halves of m x, lane by lane: products of even and odd words apart */
INLINED void multiply(uint32_t m, reg_uint32 x, reg_uint32 *high, reg_uint32 *low)
{
	reg_uint64 even = product(m, (reg_uint64)x), odd = product(m, (reg_uint64)x >> 32);

	*low = (reg_uint32)((even & UINT32_MAX) | odd << 32);
	*high = (reg_uint32)(even >> 32 | (odd & ~(uint64_t)UINT32_MAX));
}

INLINED void philox_round(struct state *s, uint32_t k0, uint32_t k1)
{
	for (int p = 0; p < PARTS; p++) {
		reg_uint32 high0, low0, high1, low1;

		multiply(0xD2511F53, s->w[0][p], &high0, &low0);
		multiply(0xCD9E8D57, s->w[2][p], &high1, &low1);
		s->w[0][p] = high1 ^ s->w[1][p] ^ k0;
		s->w[1][p] = low1;
		s->w[2][p] = high0 ^ s->w[3][p] ^ k1;
		s->w[3][p] = low0;
	}
}

/* rng_draw() of sixteen counters */
INLINED void philox(struct state *s, uint64_t seed)
{
	uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);

	for (int round = 0; round < 10; round++) {
		philox_round(s, k0, k1);
		k0 += 0x9E3779B9;
		k1 += 0xBB67AE85;
	}
}

void SUFFIXED(rng_fill_each)(const struct rng_place *place, const uint32_t *i, int64_t n,
			     uint32_t *w, int64_t stride)
{
	uint32_t padded[COUNTERS] = { 0 };

	for (int64_t e = 0; e < n; e += COUNTERS) {
		struct state s;

		/* 'i' ends after n numbers, but 'w' has room for sixteen at a time */
		if (n - e < COUNTERS)
			memcpy(padded, i + e, (size_t)(n - e) * sizeof(*i));
		memcpy(s.w[0], n - e < COUNTERS ? padded : i + e, sizeof(s.w[0]));
		for (int p = 0; p < PARTS; p++) {
			s.w[1][p] = (reg_uint32){ 0 };
			s.w[2][p] = (reg_uint32){ 0 } + place->b;
			s.w[3][p] = (reg_uint32){ 0 } + (uint32_t)place->stream;
		}
		philox(&s, place->seed);
		for (int k = 0; k < 4; k++)
			memcpy(w + k * stride + e, s.w[k], sizeof(s.w[k]));
	}
}

/* The sixteen blocks from place->b + e on. */
INLINED struct state run_of_blocks(const struct rng_place *place, int64_t e)
{
	static const uint32_t lane[COUNTERS] = { 0, 1, 2,  3,  4,  5,  6,  7,
						 8, 9, 10, 11, 12, 13, 14, 15 };
	struct state s;

	memcpy(s.w[2], lane, sizeof(lane));
	for (int p = 0; p < PARTS; p++) {
		s.w[0][p] = (reg_uint32){ 0 } + (uint32_t)place->i;
		s.w[1][p] = (reg_uint32){ 0 } + (uint32_t)(place->i >> 32);
		s.w[2][p] += place->b + (uint32_t)e;
		s.w[3][p] = (reg_uint32){ 0 } + (uint32_t)place->stream;
	}
	philox(&s, place->seed);
	return s;
}

void SUFFIXED(rng_fill_blocks)(const struct rng_place *place, int64_t n, struct rng_block *block)
{
	for (int64_t e = 0; e < n; e += COUNTERS) {
		struct state s = run_of_blocks(place, e);
		struct rng_block whole[COUNTERS];
		int64_t count = int64_min(n - e, COUNTERS);

		for (int l = 0; l < COUNTERS; l++)
			for (int k = 0; k < 4; k++)
				whole[l].w[k] = s.w[k][l / WORDS][l % WORDS];
		memcpy(block + e, whole, (size_t)count * sizeof(*block));
	}
}

/* (1): whole numbers below 2^52 as doubles */
INLINED reg_double to_double(reg_uint64 whole)
{
	return (reg_double)(whole | 0x4330000000000000) - 0x1p52;
}

/* elementary_log() */
INLINED reg_double logarithm(reg_double x)
{
	/* (2): split x = m 2^e by its bits */
	reg_uint64 bits = (reg_uint64)x;
	reg_double e = to_double(bits >> 52) - 1022;
	reg_double m = (reg_double)((bits & 0x000fffffffffffff) | 0x3fe0000000000000);
	reg_uint64 low = (reg_uint64)(m < 0x1.6a09e667f3bcdp-1);
	reg_double s;

	m = (reg_double)lanes_choose(low, (reg_uint64)(m * 2), (reg_uint64)m);
	e = (reg_double)lanes_choose(low, (reg_uint64)(e - 1), (reg_uint64)e);
	s = (m - 1) / (m + 1);
	return e * 0x1.62e42fefa39efp-1 +
	       2 * s * lanes_polynomial(logarithm_series, SERIES_LENGTH(logarithm_series), s * s);
}

/* rng_unit() of the numbers with these low and high words */
INLINED reg_double units(const uint32_t *low, const uint32_t *high)
{
	reg_uint64 a = __builtin_convertvector(*(const reg_half_uint32 *)low, reg_uint64) |
		       __builtin_convertvector(*(const reg_half_uint32 *)high, reg_uint64) << 32;

	return (to_double(a >> 12) + 0.5) * 0x1p-52;
}

/* gcc compiles sqrt() to one instruction under -fno-math-errno */
INLINED reg_double square_roots(reg_double x)
{
	for (int l = 0; l < LANES; l++)
		x[l] = __builtin_sqrt(x[l]);
	return x;
}

void SUFFIXED(rng_fill_normals)(const struct rng_place *place, int64_t n, double *z)
{
	for (int64_t e = 0; e < n; e += COUNTERS) {
		struct state s = run_of_blocks(place, e);
		double pairs[2 * COUNTERS];
		int64_t count = int64_min(n - e, COUNTERS);

		for (int h = 0; h < COUNTERS; h += LANES) {
			const uint32_t *w = (const uint32_t *)s.w + h;
			reg_double turn, size, cosine, sine;

			/* as rng_normals(): words 0 and 1 for the size, 2 and 3 for the angle */
			size = square_roots(-2 * logarithm(units(w, w + COUNTERS)));
			turn = units(w + 2 * COUNTERS, w + 3 * COUNTERS);
			lanes_circles(&turn, 1, &cosine, &sine);
			cosine *= size;
			sine *= size;
			for (int l = 0; l < LANES; l++) {
				pairs[2 * (h + l)] = cosine[l];
				pairs[2 * (h + l) + 1] = sine[l];
			}
		}
		memcpy(z + 2 * e, pairs, (size_t)count * 2 * sizeof(*z));
	}
}
