/*
 * float_tile.c - kernel values of a tile of rows with many vectors, in single precision
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; kernel_dispatch.c
 * chooses among them.
 *
 * A tile is an array element[column][lane] of up to 64 rows.  A vector meets a group of 16 lanes by
 *
 *     sum[lane] += val_k element[col_k][lane]        for its entries k                          (1)
 *
 * one multiplication and addition for 16 kernel values, whether the vector is sparse or dense;
 * zeros of the rows cost time, zeros of the vector none.  Kernel values are then
 *
 *     rbf          2^(factor (sum - (|x|^2 + |z|^2) / 2)), or 2^(factor sum) where the sum is
 *                  that of -(x - z)^2                                                           (2)
 *     polynomial   (factor sum + coef0)^degree
 *     sigmoid      tanh(factor sum + coef0)
 *
 * and go into rows (float_tile_values()), or times a coefficient into a sum for each lane
 * (float_tile_sums()).
 *
 * (1) waits for the addition before, so several groups and, if dense, several vectors are taken in
 * step.  Wide rows are doubles, and (1) is summed in doubles; the sum is rounded to floats for (2),
 * when its large terms have cancelled.  These numbers, the kernel and the form of the rows are
 * constants of each inlined copy of meet_vectors(): struct form below; otherwise the compiler keeps
 * the sums in memory.
 *
 * Rounding: (1) adds up CHUNK entries and then adds that to the sum, so that the error grows with
 * n / CHUNK and not with n; sums over vectors go to doubles after FLOAT_FLUSH of them.  Fused
 * multiply-add is allowed here, so the last bits depend on the instruction set; they do not depend
 * on which rows share a tile, which vectors are in step, or threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_tile.h"

#include "base/hot_loop.h"

HOT_COPY(float_tile_values);
HOT_COPY(float_tile_sums);
HOT_COPY(float_tile_transpose);

/*
 * Groups and dense vectors taken in step: 16 sums of 32 registers with AVX-512, and 8 of 16 else,
 * where a vector is two registers or four.  WIDE_GROUPS: of wide rows, whose sums take twice as
 * many registers.
 */
#if defined(__AVX512F__)
#define STEP_GROUPS 4
#define DENSE_VECTORS 4
#define WIDE_GROUPS 2
/* else the compiler reads it again for each vector, at one load a cycle */
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#elif defined(__AVX2__)
#define STEP_GROUPS 4
#define DENSE_VECTORS 1
#define WIDE_GROUPS 2
#else
#define STEP_GROUPS 2
#define DENSE_VECTORS 1
#define WIDE_GROUPS 1
#endif

#ifndef KEEP_IN_REGISTER
#define KEEP_IN_REGISTER(x)
#endif

/* Entries added up before their sum joins that of the row: see float_vectors.c, (1). */
#define CHUNK 32

INLINED vec_float select_vec(vec_int32 mask, vec_float a, vec_float b)
{
	return SELECT(vec_float, mask, a, b);
}

/* The polynomial of exp2_vec(), highest power first. */
static const float exp2_term[] = { 0x1.443fffc85p-13f,
				   0x1.5f48c04f4p-10f,
				   0x1.3b2a1b715p-7f,
				   0x1.c6aecc669p-5f,
				   0x1.ebfbe045fp-3f,
				   0x1.62e430d03p-1f,
				   1.0f };

/*
 * 2^x, at least 2^-126, or for -126 <= x only, 'tame': x = k + r with |r| <= 1/2; 2^r by a
 * polynomial (interpolated at Chebyshev nodes, relative error 3e-9 before rounding); times 2^k
 * through the exponent bits.  'term' is exp2_term.
 */
INLINED vec_float exp2_vec(vec_float x, bool tame, const float *term)
{
	/* adding 1.5 2^23 rounds to an integer and leaves it in the low bits */
	const vec_float to_integer = SPLAT_FLOAT(0x1.8p23f), least = SPLAT_FLOAT(-126.0f);
	vec_float t, r, p;

	if (!tame)
		x = select_vec(x > least, x, least);
	t = x + to_integer;
	r = x - (t - to_integer);
	p = SPLAT_FLOAT(term[0]);
	for (int k = 1; k < 7; k++)
		p = p * r + SPLAT_FLOAT(term[k]);
	return (vec_float)((vec_int32)p + ((vec_int32)t << 23));
}

/* tanh: near 0 an odd polynomial (relative error 2e-8), else 1 - 2/(1 + e^2|x|) */
INLINED vec_float tanh_vec(vec_float x, const float *term)
{
	const vec_int32 sign = (vec_int32)x & (vec_int32)SPLAT_FLOAT(-0.0f);
	vec_float a = (vec_float)((vec_int32)x ^ sign), z = x * x, near, far;

	near = SPLAT_FLOAT(-0.006045165f);
	near = near * z + SPLAT_FLOAT(0.020961329f);
	near = near * z + SPLAT_FLOAT(-0.053843263f);
	near = near * z + SPLAT_FLOAT(0.133327188f);
	near = near * z + SPLAT_FLOAT(-0.333333284f);
	near = a + a * z * near;
	far = select_vec(a < SPLAT_FLOAT(10.0f), a, SPLAT_FLOAT(10.0f));
	far = SPLAT_FLOAT(1.0f) -
	      SPLAT_FLOAT(2.0f) /
		      (SPLAT_FLOAT(1.0f) + exp2_vec(far * SPLAT_FLOAT(2.885390082f), true, term));
	return (vec_float)((vec_int32)select_vec(a < SPLAT_FLOAT(0.63f), near, far) | sign);
}

/* x^n by repeated squaring */
INLINED vec_float power(vec_float base, int n)
{
	vec_float result = SPLAT_FLOAT(1.0f);

	for (; n > 0; n /= 2) {
		if (n % 2 == 1)
			result *= base;
		base *= base;
	}
	return result;
}

/* What is the same for all values of one call, and constant where it is inlined. */
struct form {
	enum kernel_type type;
	bool dense, difference, tame, wide;
	int n_vectors, n_groups;
};

/* A group of lanes in doubles. */
struct wide_group {
	vec_double low, high;
};

/* Where the entries of vectors are, which a tile's lanes meet. */
struct entries {
	const float *val;
	const int32_t *col; /* sparse */
	int64_t n;	    /* of one vector; dense ones follow each other */
};

/* part[u][g] = entries k .. end - 1 of (1), or minus their squared distances */
INLINED void add_chunk(const struct form f, const struct entries e, const float *lanes, int64_t k,
		       int64_t end, vec_float (*part)[STEP_GROUPS])
{
	for (int u = 0; u < f.n_vectors; u++)
		for (int g = 0; g < f.n_groups; g++)
			part[u][g] = SPLAT_FLOAT(0.0f);
	for (; k < end; k++) {
		const vec_float *tile =
			(const vec_float *)(lanes + (f.dense ? k : e.col[k]) * FLOAT_TILE_LANES);
		vec_float z[STEP_GROUPS];

		for (int g = 0; g < f.n_groups; g++) {
			z[g] = tile[g];
			KEEP_IN_REGISTER(z[g]);
		}
		for (int u = 0; u < f.n_vectors; u++) {
			const vec_float x = SPLAT_FLOAT(e.val[u * e.n + k]);

			for (int g = 0; g < f.n_groups; g++) {
				vec_float d = x - z[g];

				if (f.difference)
					part[u][g] -= d * d;
				else
					part[u][g] += x * z[g];
			}
		}
	}
}

/* (1) of floats, without the norms that (2) begins at. */
INLINED void narrow_values(const struct form f, const struct float_vectors *v, int64_t first,
			   const struct float_tile *tile, int group, vec_float (*sum)[STEP_GROUPS])
{
	int64_t start = f.dense ? first * v->n_cols : v->start[first];
	const float *lanes = tile->element + group * FLOAT_GROUP;
	const struct entries e = { .val = v->val + start,
				   .col = f.dense ? 0 : v->col + start,
				   .n = f.dense ? v->n_cols : v->start[first + 1] - start };

	/* of the first chunk straight into the sums: few vectors have more */
	add_chunk(f, e, lanes, 0, e.n < CHUNK ? e.n : CHUNK, sum);
	for (int64_t k = CHUNK; k < e.n; k += CHUNK) {
		vec_float part[DENSE_VECTORS][STEP_GROUPS];

		add_chunk(f, e, lanes, k, e.n - k < CHUNK ? e.n : k + CHUNK, part);
		for (int u = 0; u < f.n_vectors; u++)
			for (int g = 0; g < f.n_groups; g++)
				sum[u][g] += part[u][g];
	}
}

/* (1) of wide rows: products in doubles, and 'value' from what is left of them. */
INLINED void wide_values(const struct form f, const struct float_vectors *v, int64_t first,
			 const struct float_tile *tile, int group, vec_float (*value)[STEP_GROUPS])
{
	int64_t at = f.dense ? first * v->n_cols : v->start[first];
	int64_t n = f.dense ? v->n_cols : v->start[first + 1] - at;
	const double *val = v->wide_val + at, *lanes = tile->wide_element + group * FLOAT_GROUP;
	const int32_t *col = f.dense ? 0 : v->col + at;
	const struct wide_group *norms = (const struct wide_group *)tile->wide_half_norm2 + group;
	struct wide_group sum[DENSE_VECTORS][WIDE_GROUPS];

	for (int u = 0; u < f.n_vectors; u++)
		for (int g = 0; g < f.n_groups; g++) {
			/* without norms those of the tile are 0 */
			double start = f.type == KERNEL_RBF ? 0 : v->kernel.coef0;

			if (f.type == KERNEL_RBF && !f.difference)
				start = -v->wide_half_norm2[first + u];
			sum[u][g].low = SPLAT_DOUBLE(start) - norms[g].low;
			sum[u][g].high = SPLAT_DOUBLE(start) - norms[g].high;
		}
	for (int64_t k = 0; k < n; k++) {
		const struct wide_group *element =
			(const struct wide_group *)(lanes +
						    (f.dense ? k : col[k]) * FLOAT_TILE_LANES);

		for (int u = 0; u < f.n_vectors; u++) {
			const vec_double x = SPLAT_DOUBLE(val[u * n + k]);

			for (int g = 0; g < f.n_groups; g++) {
				vec_double low = x - element[g].low, high = x - element[g].high;

				if (f.difference) {
					sum[u][g].low -= low * low;
					sum[u][g].high -= high * high;
				} else {
					sum[u][g].low += x * element[g].low;
					sum[u][g].high += x * element[g].high;
				}
			}
		}
	}
	for (int u = 0; u < f.n_vectors; u++)
		for (int g = 0; g < f.n_groups; g++) {
			union {
				half_float half[2];
				vec_float whole;
			} narrow = { { __builtin_convertvector(sum[u][g].low, half_float),
				       __builtin_convertvector(sum[u][g].high, half_float) } };

			value[u][g] = narrow.whole;
		}
}

/* (|x|^2 + |z|^2) / 2 */
INLINED vec_float half_norms(const struct form f, const struct float_vectors *v, int64_t u,
			     const struct float_tile *tile, int g)
{
	if (f.type != KERNEL_RBF || f.difference || f.wide)
		return SPLAT_FLOAT(0.0f);
	return SPLAT_FLOAT(v->half_norm2[u]) + ((const vec_float *)tile->half_norm2)[g];
}

/* (2): the kernel value of a sum (1).  Sums of wide rows began at coef0, and had the factor. */
INLINED vec_float kernel_of(const struct form f, const struct float_vectors *v, vec_float sum,
			    const float *term)
{
	const vec_float factor = SPLAT_FLOAT((float)v->factor);
	const vec_float coef0 = SPLAT_FLOAT(f.wide ? 0.0f : (float)v->kernel.coef0);

	switch (f.type) {
	case KERNEL_RBF:
		return exp2_vec(factor * sum, f.tame, term);
	case KERNEL_POLYNOMIAL:
		return power(factor * sum + coef0, v->kernel.degree);
	case KERNEL_SIGMOID:
		return tanh_vec(factor * sum + coef0, term);
	default:
		return sum;
	}
}

/* Where values go: into rows, or weighted into sums; of vectors from the first one met on. */
struct sink {
	float *const *row;
	const float *coef;
	double *sum;
	const struct float_tile
		*tile; /* what is met, and the first of its groups that are met now */
	int group;
};

/* sum[lane] += part[lane], in double precision */
INLINED void flush_sums(const struct form f, const vec_float *part, double *sum)
{
	for (int g = 0; g < f.n_groups; g++) {
		const half_float *half = (const half_float *)&part[g];
		vec_double *wide = (vec_double *)(sum + g * FLOAT_GROUP);

		wide[0] += __builtin_convertvector(half[0], vec_double);
		wide[1] += __builtin_convertvector(half[1], vec_double);
	}
}

/* (2) for n <= FLOAT_FLUSH vectors from 'first' on, and on to where values go. */
INLINED void finish_values(const struct form f, const struct float_vectors *v, int64_t first, int n,
			   vec_float (*sum)[STEP_GROUPS], const struct sink to)
{
	const float *term = exp2_term;
	vec_float part[STEP_GROUPS] = { 0 };

	/* as if it were another one each time: constants that stay in registers displace sums in (1) */
	__asm__("" : "+r"(term));
	for (int u = 0; u < n; u++)
		for (int g = 0; g < f.n_groups; g++) {
			vec_float half = half_norms(f, v, first + u, to.tile, to.group + g);
			vec_float k = kernel_of(f, v, sum[u][g] - half, term);

			if (to.row)
				*(vec_float *)(to.row[u] + (to.group + g) * FLOAT_GROUP) = k;
			else
				part[g] += SPLAT_FLOAT(to.coef[u]) * k;
		}
	if (!to.row)
		flush_sums(f, part, to.sum + to.group * FLOAT_GROUP);
}

/*
 * n vectors from 'first' on, n a multiple of f.n_vectors, with some groups of the tile.  (1) of
 * FLOAT_FLUSH vectors, then (2) of all of them: both in one loop need more registers than there
 * are.  Apart they compute a tenth more values a second, of 20 columns.
 */
INLINED void meet_groups(const struct form f, const struct float_vectors *v, int64_t first,
			 int64_t n, const struct float_tile *tile, struct sink to)
{
	to.tile = tile;
	for (int64_t i = 0; i < n; i += FLOAT_FLUSH) {
		vec_float sum[FLOAT_FLUSH][STEP_GROUPS];
		int m = n - i < FLOAT_FLUSH ? (int)(n - i) : FLOAT_FLUSH;

		for (int u = 0; u < m; u += f.n_vectors)
			if (f.wide)
				wide_values(f, v, first + i + u, tile, to.group, sum + u);
			else
				narrow_values(f, v, first + i + u, tile, to.group, sum + u);
		finish_values(f, v, first + i, m, sum, to);
		if (to.row)
			to.row += FLOAT_FLUSH;
		else
			to.coef += FLOAT_FLUSH;
	}
}

/* All groups of the tile: STEP_GROUPS at a time, then one by one. */
INLINED void meet_tile(struct form f, const struct float_vectors *v, int64_t first, int64_t n,
		       const struct float_tile *tile, struct sink to)
{
	const int step = f.wide ? WIDE_GROUPS : STEP_GROUPS;

	to.group = 0;
	f.n_groups = step;
	for (; to.group + step <= tile->n_groups; to.group += step)
		meet_groups(f, v, first, n, tile, to);
	f.n_groups = 1;
	for (; to.group < tile->n_groups; to.group++)
		meet_groups(f, v, first, n, tile, to);
}

/* DENSE_VECTORS dense vectors at a time, then one by one. */
INLINED void meet_vectors(struct form f, const struct float_vectors *v, int64_t first, int64_t last,
			  const struct float_tile *tile, struct sink to)
{
	int64_t n = last - first, whole = f.dense ? n - n % DENSE_VECTORS : 0;

	if (whole > 0) {
		f.n_vectors = DENSE_VECTORS;
		meet_tile(f, v, first, whole, tile, to);
	}
	if (to.row)
		to.row += whole;
	else
		to.coef += whole;
	f.n_vectors = 1;
	meet_tile(f, v, first + whole, n - whole, tile, to);
}

#define MEET(type, dense, difference, tame)                                                       \
	meet_vectors((struct form){ type, dense, difference, tame, false, 0, 0 }, v, first, last, \
		     tile, to)
#define MEET_WIDE(type, dense, difference)                                                        \
	meet_vectors((struct form){ type, dense, difference, false, true, 0, 0 }, v, first, last, \
		     tile, to)

/* One inlined copy for each form that occurs: differences come with dense rows alone. */
INLINED void meet_rbf(const struct float_vectors *v, int64_t first, int64_t last,
		      const struct float_tile *tile, const struct sink to)
{
	if (v->difference && v->tame)
		MEET(KERNEL_RBF, true, true, true);
	else if (v->difference)
		MEET(KERNEL_RBF, true, true, false);
	else if (v->dense && v->tame)
		MEET(KERNEL_RBF, true, false, true);
	else if (v->dense)
		MEET(KERNEL_RBF, true, false, false);
	else if (v->tame)
		MEET(KERNEL_RBF, false, false, true);
	else
		MEET(KERNEL_RBF, false, false, false);
}

/* Wide rows: the time that exponents between -126 and lower ones take is lost among the products. */
INLINED void meet_wide(const struct float_vectors *v, int64_t first, int64_t last,
		       const struct float_tile *tile, const struct sink to)
{
	switch (v->kernel.type) {
	case KERNEL_RBF:
		if (v->difference)
			MEET_WIDE(KERNEL_RBF, true, true);
		else if (v->dense)
			MEET_WIDE(KERNEL_RBF, true, false);
		else
			MEET_WIDE(KERNEL_RBF, false, false);
		break;
	case KERNEL_POLYNOMIAL:
		if (v->dense)
			MEET_WIDE(KERNEL_POLYNOMIAL, true, false);
		else
			MEET_WIDE(KERNEL_POLYNOMIAL, false, false);
		break;
	default: /* products of floats are exact enough for all linear kernels */
		if (v->dense)
			MEET_WIDE(KERNEL_SIGMOID, true, false);
		else
			MEET_WIDE(KERNEL_SIGMOID, false, false);
		break;
	}
}

/* All other kernels have two forms. */
INLINED void meet(const struct float_vectors *v, int64_t first, int64_t last,
		  const struct float_tile *tile, const struct sink to)
{
	if (v->wide) {
		meet_wide(v, first, last, tile, to);
		return;
	}
	switch (v->kernel.type) {
	case KERNEL_RBF:
		meet_rbf(v, first, last, tile, to);
		break;
	case KERNEL_POLYNOMIAL:
		if (v->dense)
			MEET(KERNEL_POLYNOMIAL, true, false, false);
		else
			MEET(KERNEL_POLYNOMIAL, false, false, false);
		break;
	case KERNEL_SIGMOID:
		if (v->dense)
			MEET(KERNEL_SIGMOID, true, false, false);
		else
			MEET(KERNEL_SIGMOID, false, false, false);
		break;
	default:
		if (v->dense)
			MEET(KERNEL_LINEAR, true, false, false);
		else
			MEET(KERNEL_LINEAR, false, false, false);
		break;
	}
}

void SUFFIXED(float_tile_values)(const struct float_vectors *v, int64_t first, int64_t last,
				 const struct float_tile *tile, float *const *out)
{
	const struct sink to = { .row = out };

	meet(v, first, last, tile, to);
}

void SUFFIXED(float_tile_sums)(const struct float_vectors *v, int64_t first, int64_t last,
			       const float *coef, const struct float_tile *tile, double *sum)
{
	const struct sink to = { .coef = coef + first, .sum = sum };

	meet(v, first, last, tile, to);
}

/* Lanes of the second half of a pair of vectors are numbered from 16. */
#define INTERLEAVE_LOW(a, b) \
	__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define INTERLEAVE_HIGH(a, b) \
	__builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

/*
 * Four rounds of interleaving vector i with vector i + 8: each moves one bit of an
 * element's row number into its place in the vector.
 */
INLINED void transpose_block(vec_float *x)
{
	for (int round = 0; round < 4; round++) {
		vec_float y[FLOAT_GROUP];

		for (int i = 0; i < FLOAT_GROUP / 2; i++) {
			y[2 * i] = INTERLEAVE_LOW(x[i], x[i + FLOAT_GROUP / 2]);
			y[2 * i + 1] = INTERLEAVE_HIGH(x[i], x[i + FLOAT_GROUP / 2]);
		}
		for (int i = 0; i < FLOAT_GROUP; i++)
			x[i] = y[i];
	}
}

/* Blocks of 16 columns through registers, and what is left one by one. */
void SUFFIXED(float_tile_transpose)(const float *const *row, int64_t n_cols, float *element)
{
	int64_t k = 0;

	for (; k + FLOAT_GROUP <= n_cols; k += FLOAT_GROUP) {
		vec_float x[FLOAT_GROUP];

		for (int lane = 0; lane < FLOAT_GROUP; lane++)
			__builtin_memcpy(&x[lane], row[lane] + k, sizeof(vec_float));
		transpose_block(x);
		for (int i = 0; i < FLOAT_GROUP; i++)
			*(vec_float *)(element + (k + i) * FLOAT_TILE_LANES) = x[i];
	}
	for (; k < n_cols; k++)
		for (int lane = 0; lane < FLOAT_GROUP; lane++)
			element[k * FLOAT_TILE_LANES + lane] = row[lane][k];
}
