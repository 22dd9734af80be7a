/*
 * hadamard_body.h - the transform for one type of numbers
 *
 * For hadamard_loops.c, which includes it once for each type, having defined
 *
 *     REAL                             the type
 *     NAME(function)                   the name for this type
 *     INTERLEAVE_LOW, _HIGH(a, b)      a0 b0 a1 b1 ... of the first or second halves
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifdef REAL

/*
 * Vectors as long as the machine's registers: where they are longer gcc shuffles them element by
 * element.
 */
#define LANES (REGISTER_BYTES / (int)sizeof(REAL))
#define LOG_LANES __builtin_ctz(LANES)
#define VEC NAME(vec)
#define BASE_VECS 16
#define BASE_LOG (LOG_LANES + 4)

typedef REAL VEC __attribute__((vector_size(REGISTER_BYTES), aligned(sizeof(REAL)), may_alias));

INLINED void NAME(butterfly)(VEC *a, VEC *b)
{
	VEC sum = *a + *b;

	*b = *a - *b;
	*a = sum;
}

/*
 * All levels of the 2 LANES entries of a and b.  A level pairs the first half with the second, and
 * shuffles the sums and differences together, which moves the highest bit of the index to the
 * lowest place; after LOG_LANES + 1 levels every bit has been the highest once.
 */
INLINED void NAME(transform_pair)(VEC *a, VEC *b)
{
	for (int level = 0; level <= LOG_LANES; level++) {
		VEC sum = *a + *b, difference = *a - *b;

		*a = INTERLEAVE_LOW(sum, difference);
		*b = INTERLEAVE_HIGH(sum, difference);
	}
}

/* 2^BASE_LOG entries: BASE_VECS vectors, in registers if the machine has so many */
static void NAME(transform_base)(REAL *x)
{
	VEC v[BASE_VECS];

	for (int k = 0; k < BASE_VECS; k++)
		v[k] = *(const VEC *)(x + k * LANES);
	for (int k = 0; k < 8; k++)
		NAME(butterfly)(&v[k], &v[k + 8]);
	for (int k = 0; k < BASE_VECS; k++)
		if (!(k & 4))
			NAME(butterfly)(&v[k], &v[k + 4]);
	for (int k = 0; k < BASE_VECS; k++)
		if (!(k & 2))
			NAME(butterfly)(&v[k], &v[k + 2]);
	for (int k = 0; k < BASE_VECS; k += 2)
		NAME(transform_pair)(&v[k], &v[k + 1]);
	for (int k = 0; k < BASE_VECS; k++)
		*(VEC *)(x + k * LANES) = v[k];
}

/* The highest log2(ways) levels of ways * step entries, in one pass through memory. */
INLINED void NAME(top_levels)(REAL *x, int64_t step, int ways)
{
	for (int64_t i = 0; i < step; i += LANES) {
		VEC v[8];

		for (int k = 0; k < ways; k++)
			v[k] = *(const VEC *)(x + k * step + i);
		for (int half = ways / 2; half > 0; half /= 2)
			for (int k = 0; k < ways; k++)
				if (!(k & half))
					NAME(butterfly)(&v[k], &v[k + half]);
		for (int k = 0; k < ways; k++)
			*(VEC *)(x + k * step + i) = v[k];
	}
}

/* Fewer entries than transform_base() takes: level by level. */
static void NAME(transform_few)(REAL *x, int log2_n)
{
	for (int64_t half = ((int64_t)1 << log2_n) / 2; half > 0; half /= 2)
		for (int64_t i = 0; i < (int64_t)1 << log2_n; i++)
			if (!(i & half)) {
				REAL sum = x[i] + x[i + half];

				x[i + half] = x[i] - x[i + half];
				x[i] = sum;
			}
}

/*
 * The recursion: one to three levels, so that those below are a multiple of three, and then each
 * part on its own, unless nothing of it is wanted.
 */
static void NAME(transform)(REAL *x, int log2_n, const int32_t *wanted)
{
	int levels = (log2_n - BASE_LOG) % 3 ? (log2_n - BASE_LOG) % 3 : 3;
	int64_t step = (int64_t)1 << (log2_n - levels), groups = step / HADAMARD_GROUP;

	if (log2_n == BASE_LOG) {
		NAME(transform_base)(x);
		return;
	}
	if (levels == 3)
		NAME(top_levels)(x, step, 8);
	else if (levels == 2)
		NAME(top_levels)(x, step, 4);
	else
		NAME(top_levels)(x, step, 2);
	for (int k = 0; k < 1 << levels; k++, x += step) {
		/* a part within a group is wanted as the group is */
		if (!wanted || groups == 0)
			NAME(transform)(x, log2_n - levels, NULL);
		else if (wanted[groups * k] < wanted[groups * (k + 1)])
			NAME(transform)(x, log2_n - levels, wanted + groups * k);
	}
}

void NAME(hadamard_trimmed)(REAL *x, int log2_n, const int32_t *wanted)
{
	if (log2_n < BASE_LOG)
		NAME(transform_few)(x, log2_n);
	else
		NAME(transform)(x, log2_n, wanted);
}

#undef LANES
#undef LOG_LANES
#undef VEC
#undef BASE_VECS
#undef BASE_LOG
#endif
