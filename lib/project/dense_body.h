/*
 * dense_body.h - sums over columns for one type of numbers
 *
 * For dense_loops.c, which includes it once for each type, having defined
 *
 *     REAL, WORD               the type, and unsigned whole numbers of its size
 *     NUMBERS                  numbers 0, 1, ... of the elements of a vector
 *     NAME(function)           the name for this type
 *     SIGN_TABLE               vectors of LANES signs, where vectors cannot be shifted by vectors
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifdef REAL

#define BITS (8 * (int)sizeof(REAL))
#define LANES (REGISTER_BYTES / (int)sizeof(REAL))
#define VEC NAME(vec)
#define WORDS NAME(words)
#define VECTORS (64 / LANES < 8 ? 64 / LANES : 8)

typedef REAL VEC __attribute__((vector_size(REGISTER_BYTES), aligned(sizeof(REAL)), may_alias));
typedef WORD WORDS __attribute__((vector_size(REGISTER_BYTES), aligned(sizeof(REAL)), may_alias));

/* Bits column, column + 1, ... of the word as the sign bits of LANES numbers, all else 0. */
INLINED WORDS NAME(signs)(uint64_t word, int column)
{
#ifdef SIGN_TABLE
	return *(const WORDS *)SIGN_TABLE[word >> column & ((1 << LANES) - 1)];
#else
	const WORDS last = BITS - 1 - (WORD)(column % BITS) - (WORDS){ NUMBERS };

	return ((WORDS){ 0 } + (WORD)(word >> column / BITS * BITS)) << last &
	       (WORD)1 << (BITS - 1);
#endif
}

void NAME(sign_add)(const uint64_t *word, int64_t stride, const REAL *x, int64_t n, REAL *sum)
{
	for (int column = 0; column < 64; column += VECTORS * LANES) {
		VEC s[VECTORS];

		for (int v = 0; v < VECTORS; v++)
			s[v] = *(const VEC *)(sum + column + v * LANES);
		for (int64_t e = 0; e < n; e++) {
			const WORDS value = (WORDS)((VEC){ 0 } + x[e]);

			for (int v = 0; v < VECTORS; v++)
				s[v] += (VEC)(value ^
					      NAME(signs)(word[e * stride], column + v * LANES));
		}
		for (int v = 0; v < VECTORS; v++)
			*(VEC *)(sum + column + v * LANES) = s[v];
	}
}

void NAME(sign_flip)(const uint64_t *word, int64_t n, REAL *x)
{
	for (int64_t t = 0; t < n; t += LANES)
		/* cppcheck-suppress invalidPointerCast ; the bits are what is wanted */
		*(WORDS *)(x + t) ^= NAME(signs)(word[t / 64], t % 64);
}

void NAME(tile_add)(const REAL *tile, const struct dense_entry *entry, int64_t n, REAL *sum,
		    int64_t stride)
{
	for (int64_t e = 0; e < n; e++) {
		REAL *s = sum + entry[e].row * stride;
		const VEC value = (VEC){ 0 } + (REAL)entry[e].value;

		for (int t = 0; t < PROJECTION_TILE; t += LANES)
			*(VEC *)(s + t) += value * *(const VEC *)(tile + t);
	}
}

int64_t NAME(scale_sums)(const REAL *sum, int64_t n, double scale, double *value)
{
	int64_t n_zeros = 0;

	for (int64_t t = 0; t < n; t++) {
		value[t] = (REAL)scale * sum[t];
		n_zeros += value[t] == 0;
	}
	return n - n_zeros;
}

#undef BITS
#undef LANES
#undef VEC
#undef WORDS
#undef VECTORS
#endif
