/*
 * kernel_tile.c - kernel values of a few rows with many vectors, vectorised over the rows
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; kernel_dispatch.c
 * chooses among them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "solve/kernel_tile.h"

#define PASTE(a, b) a##_##b
#define EXPAND(a, b) PASTE(a, b)
#define SUFFIXED(name) EXPAND(name, TILE_SUFFIX)

/* Half a tile row: one 512-bit register, or two or four narrower ones. */
typedef double vec __attribute__((vector_size(64), aligned(64)));
typedef int64_t ivec __attribute__((vector_size(64), aligned(64)));
#define HALF (KERNEL_TILE_ROWS / 2)

#define SPLAT(c) ((vec){ (c), (c), (c), (c), (c), (c), (c), (c) })

/*
 * exp(x) for x <= 709: x = k ln 2 + r with |r| <= ln(2)/2; e^r by its Taylor polynomial
 * of degree 13 (truncation 4e-18); times 2^k through the exponent bits.
 */
static inline __attribute__((always_inline)) void exp_half(const double *in, double *out)
{
	static const double inverse_factorial[] = {
		1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
		1.0 / 40320,	  1.0 / 5040,	   1.0 / 720,	   1.0 / 120,	  1.0 / 24,
		1.0 / 6,	  1.0 / 2,	   1.0,		   1.0
	};
	const vec log2_e = SPLAT(0x1.71547652b82fep0);
	const vec ln2_high = SPLAT(0x1.62e42fee00000p-1), ln2_low = SPLAT(0x1.a39ef35793c76p-33);
	/* adding 1.5 2^52 rounds to an integer and leaves it in the low bits */
	const vec to_integer = SPLAT(0x1.8p52);
	vec x = *(const vec *)in, t, k, r, p;
	ivec tiny;

	t = x * log2_e + to_integer;
	k = t - to_integer;
	r = (x - k * ln2_high) - k * ln2_low;
	p = SPLAT(inverse_factorial[0]);
	for (int i = 1; i < 14; i++)
		p = p * r + SPLAT(inverse_factorial[i]);
	tiny = x < SPLAT(-708.0);
	*(vec *)out = (vec)(((ivec)p + ((ivec)t << 52)) & ~tiny);
}

/* x^n by repeated squaring, in svm-train's order of multiplications */
static inline __attribute__((always_inline)) void power_half(const double *in, int n, double *out)
{
	vec base = *(const vec *)in, result = SPLAT(1.0);

	for (; n > 0; n /= 2) {
		if (n % 2 == 1)
			result *= base;
		base *= base;
	}
	*(vec *)out = result;
}

/* dots[lane] = vector . row of that lane */
static inline __attribute__((always_inline)) void
tile_dots(const int32_t *col, const double *val, int64_t n, const double *tile, double *dots)
{
	vec low = SPLAT(0.0), high = SPLAT(0.0);

	for (int64_t k = 0; k < n; k++) {
		const double *lanes = tile + (int64_t)col[k] * KERNEL_TILE_ROWS;
		vec v = SPLAT(val[k]);

		low += v * *(const vec *)lanes;
		high += v * *(const vec *)(lanes + HALF);
	}
	*(vec *)dots = low;
	*(vec *)(dots + HALF) = high;
}

static inline __attribute__((always_inline)) void
apply_kernel(const struct kernel *kernel, double norm2, const double *row_norm2, double *values)
{
	const vec gamma = SPLAT(kernel->gamma), coef0 = SPLAT(kernel->coef0);

	for (double *v = values; v < values + KERNEL_TILE_ROWS; v += HALF) {
		vec *half = (vec *)v;

		switch (kernel->type) {
		case KERNEL_POLYNOMIAL:
			*half = gamma * *half + coef0;
			power_half(v, kernel->degree, v);
			break;
		case KERNEL_RBF:
			*half = -gamma * (*(const vec *)(row_norm2 + (v - values)) + SPLAT(norm2) -
					  SPLAT(2.0) * *half);
			exp_half(v, v);
			break;
		case KERNEL_SIGMOID:
			*half = gamma * *half + coef0;
			for (int i = 0; i < HALF; i++)
				v[i] = tanh(v[i]);
			break;
		default:
			break;
		}
	}
}

void SUFFIXED(kernel_tile_values)(const struct kernel *kernel, const struct csr *vectors,
				  int64_t first, int64_t last, const double *vector_norm2,
				  const double *tile, const double *row_norm2, double *values)
{
	for (int64_t v = first; v < last; v++, values += KERNEL_TILE_ROWS) {
		int64_t start = vectors->row_start[v];

		tile_dots(vectors->col + start, vectors->val + start,
			  vectors->row_start[v + 1] - start, tile, values);
		apply_kernel(kernel, vector_norm2 ? vector_norm2[v] : 0, row_norm2, values);
	}
}

void SUFFIXED(kernel_tile_accumulate)(const double *coef, int64_t n, const double *values,
				      double *sum)
{
	vec low = *(const vec *)sum, high = *(const vec *)(sum + HALF);

	for (int64_t v = 0; v < n; v++, values += KERNEL_TILE_ROWS) {
		vec c = SPLAT(coef[v]);

		low += c * *(const vec *)values;
		high += c * *(const vec *)(values + HALF);
	}
	*(vec *)sum = low;
	*(vec *)(sum + HALF) = high;
}
