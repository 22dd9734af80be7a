/*
 * kernel_tile.c - kernel values of a few rows with many vectors, vectorised over the rows
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; kernel_dispatch.c
 * chooses among them.
 *
 * A tile is an array element[column][lane] of 16 rows, two halves of 8 doubles.  For a block of
 * vectors
 *
 *     1. dot[v][lane] = sum_k val_k element[col_k][lane] over the entries k of vector v
 *     2. the kernel of the dots in place: rbf exp(-gamma (|x|^2 + |z|^2 - 2 dot)), polynomial,
 *        sigmoid
 *
 * In 1. an addition waits for the one before, about four operations long.  A sparse vector by
 * itself has two sums.  Where vectors have the same columns, as dense data have, RUN_VECTORS are
 * taken together: eight sums, and each element of the tile is loaded once for four vectors.  That
 * took 2.9e9 cycles instead of 3.5e9 for 5,000 dense vectors of 20 features.
 *
 * The same bits with every instruction set: a lane's sum has the order of the vector's entries,
 * whatever the width of the registers; there is no fused multiply-add; and exp() and tanh() are loops
 * of ours, as C libraries have no vectorised ones that round everywhere alike.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdbool.h>

#include "base/hot_loop.h"
#include "kernel/kernel_tile.h"

HOT_COPY(kernel_tile_values);
HOT_COPY(kernel_tile_accumulate);

/* Half a row of the tile, as many lanes as a vec_double has. */
#define HALF (KERNEL_TILE_ROWS / 2)

/* Vectors of one run taken together: eight sums, as many as hide an addition's latency. */
#define RUN_VECTORS 4

/*
 * Halves whose exponentials are taken in step: each step of their polynomials waits for the last.
 */
#define STEP_HALVES 4

/*
 * exp(x) of n halves, for x <= 709: x = k ln 2 + r with |r| <= ln(2)/2; e^r by its Taylor
 * polynomial of degree 13 (truncation 4e-18); times 2^k through the exponent bits.  One
 * half's operations wait for each other; several in step keep the machine busy.
 */
INLINED void exp_halves(vec_double *x, int n)
{
	static const double inverse_factorial[] = { 1.0 / 6227020800,
						    1.0 / 479001600,
						    1.0 / 39916800,
						    1.0 / 3628800,
						    1.0 / 362880,
						    1.0 / 40320,
						    1.0 / 5040,
						    1.0 / 720,
						    1.0 / 120,
						    1.0 / 24,
						    1.0 / 6,
						    1.0 / 2,
						    1.0,
						    1.0 };
	const vec_double log2_e = SPLAT_DOUBLE(0x1.71547652b82fep0);
	const vec_double ln2_high = SPLAT_DOUBLE(0x1.62e42fee00000p-1),
			 ln2_low = SPLAT_DOUBLE(0x1.a39ef35793c76p-33);
	/* adding 1.5 2^52 rounds to an integer and leaves it in the low bits */
	const vec_double to_integer = SPLAT_DOUBLE(0x1.8p52);
	vec_double t[STEP_HALVES], r[STEP_HALVES], p[STEP_HALVES];

	for (int h = 0; h < n; h++) {
		vec_double k;

		t[h] = x[h] * log2_e + to_integer;
		k = t[h] - to_integer;
		r[h] = (x[h] - k * ln2_high) - k * ln2_low;
		p[h] = SPLAT_DOUBLE(inverse_factorial[0]);
	}
	for (int i = 1; i < 14; i++)
		for (int h = 0; h < n; h++)
			p[h] = p[h] * r[h] + SPLAT_DOUBLE(inverse_factorial[i]);
	for (int h = 0; h < n; h++) {
		vec_uint64 tiny = (vec_uint64)(x[h] < SPLAT_DOUBLE(-708.0));

		x[h] = (vec_double)(((vec_uint64)p[h] + ((vec_uint64)t[h] << 52)) & ~tiny);
	}
}

/* x^n by repeated squaring, in svm-train's order of multiplications */
INLINED vec_double power(vec_double base, int n)
{
	vec_double result = SPLAT_DOUBLE(1.0);

	for (; n > 0; n /= 2) {
		if (n % 2 == 1)
			result *= base;
		base *= base;
	}
	return result;
}

/*
 * dots[u][lane] = vector u . row of that lane, for n vectors with the same n_entries
 * columns: what is loaded from the tile serves all of them.
 */
INLINED void tile_dots(const int32_t *col, const double *val, int64_t n_entries, int n,
		       const double *tile, double *dots)
{
	vec_double low[RUN_VECTORS], high[RUN_VECTORS];

	for (int u = 0; u < n; u++)
		low[u] = high[u] = SPLAT_DOUBLE(0.0);
	for (int64_t k = 0; k < n_entries; k++) {
		const double *lanes = tile + (int64_t)col[k] * KERNEL_TILE_ROWS;
		vec_double tile_low = *(const vec_double *)lanes,
			   tile_high = *(const vec_double *)(lanes + HALF);

		for (int u = 0; u < n; u++) {
			vec_double v = SPLAT_DOUBLE(val[u * n_entries + k]);

			low[u] += v * tile_low;
			high[u] += v * tile_high;
		}
	}
	for (int u = 0; u < n; u++) {
		*(vec_double *)(dots + u * KERNEL_TILE_ROWS) = low[u];
		*(vec_double *)(dots + u * KERNEL_TILE_ROWS + HALF) = high[u];
	}
}

/* 1. for vectors first .. last - 1, in runs where there are some. */
static void block_dots(const struct kernel_vectors *vectors, int64_t first, int64_t last,
		       const double *tile, double *values)
{
	const struct csr *x = &vectors->x;
	int64_t v = first;

	while (v < last) {
		int64_t start = x->row_start[v], n_entries = x->row_start[v + 1] - start;
		bool run = vectors->run[v] >= RUN_VECTORS && last - v >= RUN_VECTORS;

		if (run)
			tile_dots(x->col + start, x->val + start, n_entries, RUN_VECTORS, tile,
				  values);
		else
			tile_dots(x->col + start, x->val + start, n_entries, 1, tile, values);
		v += run ? RUN_VECTORS : 1;
		values += (run ? RUN_VECTORS : 1) * KERNEL_TILE_ROWS;
	}
}

/* n vectors, 2 n halves, from dot products to kernel values */
INLINED void rbf_step(double gamma, const double *norm2, const double *row_norm2, double *values,
		      int n)
{
	vec_double x[STEP_HALVES];

	for (int h = 0; h < 2 * n; h++) {
		const vec_double row = *(const vec_double *)(row_norm2 + h % 2 * HALF);
		const vec_double dot = *(const vec_double *)(values + h * HALF);

		x[h] = SPLAT_DOUBLE(-gamma) *
		       (row + SPLAT_DOUBLE(norm2[h / 2]) - SPLAT_DOUBLE(2.0) * dot);
	}
	exp_halves(x, 2 * n);
	for (int h = 0; h < 2 * n; h++)
		*(vec_double *)(values + h * HALF) = x[h];
}

/* 2. for n vectors, two at a time. */
static void block_rbf(double gamma, const double *norm2, const double *row_norm2, double *values,
		      int64_t n)
{
	int64_t v = 0;

	for (; v + STEP_HALVES / 2 <= n; v += STEP_HALVES / 2)
		rbf_step(gamma, norm2 + v, row_norm2, values + v * KERNEL_TILE_ROWS,
			 STEP_HALVES / 2);
	for (; v < n; v++)
		rbf_step(gamma, norm2 + v, row_norm2, values + v * KERNEL_TILE_ROWS, 1);
}

static void block_polynomial(const struct kernel *kernel, double *values, int64_t n)
{
	const vec_double gamma = SPLAT_DOUBLE(kernel->gamma), coef0 = SPLAT_DOUBLE(kernel->coef0);

	for (vec_double *x = (vec_double *)values; x < (vec_double *)values + 2 * n; x++)
		*x = power(gamma * *x + coef0, kernel->degree);
}

/*
 * tanh of n halves.  Up to 1/4 Lambert's continued fraction x / (1 + x^2 / (3 + x^2 / (5 + ...))) as
 * far as 11, whose truncation is 4e-17 of it; above 1 - 2 / (e^2|x| + 1), with exact signs.  From 20
 * on that is 1.
 */
INLINED void tanh_halves(vec_double *x, int n)
{
	const vec_double zero = SPLAT_DOUBLE(0.0), one = SPLAT_DOUBLE(1.0), two = SPLAT_DOUBLE(2.0),
			 most = SPLAT_DOUBLE(20.0), small = SPLAT_DOUBLE(0.25);
	vec_double size[STEP_HALVES], e[STEP_HALVES];

	for (int h = 0; h < n; h++) {
		size[h] = SELECT(vec_double, x[h] < zero, -x[h], x[h]);
		size[h] = SELECT(vec_double, size[h] > most, most, size[h]);
		e[h] = two * size[h];
	}
	exp_halves(e, n);
	for (int h = 0; h < n; h++) {
		vec_double s = size[h] * size[h];
		vec_double above =
			SPLAT_DOUBLE(10395.0) + s * (SPLAT_DOUBLE(1260.0) + SPLAT_DOUBLE(21.0) * s);
		vec_double below = SPLAT_DOUBLE(10395.0) +
				   s * (SPLAT_DOUBLE(4725.0) + s * (SPLAT_DOUBLE(210.0) + s));
		vec_double far = one - two / (e[h] + one);

		far = SELECT(vec_double, x[h] < zero, -far, far);
		far = SELECT(vec_double, size[h] <= small, x[h] * (above / below), far);
		x[h] = SELECT(vec_double, x[h] == x[h], far, x[h]);
	}
}

static void block_sigmoid(const struct kernel *kernel, double *values, int64_t n)
{
	const vec_double gamma = SPLAT_DOUBLE(kernel->gamma), coef0 = SPLAT_DOUBLE(kernel->coef0);
	vec_double *x = (vec_double *)values;

	for (int64_t h = 0; h < 2 * n; h++)
		x[h] = gamma * x[h] + coef0;
	for (; n >= STEP_HALVES / 2; n -= STEP_HALVES / 2, x += STEP_HALVES)
		tanh_halves(x, STEP_HALVES);
	for (; n > 0; n--, x += 2)
		tanh_halves(x, 2);
}

void SUFFIXED(kernel_tile_values)(const struct kernel *kernel, const struct kernel_vectors *vectors,
				  int64_t first, int64_t last, const double *tile,
				  const double *row_norm2, double *values)
{
	block_dots(vectors, first, last, tile, values);
	switch (kernel->type) {
	case KERNEL_RBF:
		block_rbf(kernel->gamma, vectors->norm2 + first, row_norm2, values, last - first);
		break;
	case KERNEL_POLYNOMIAL:
		block_polynomial(kernel, values, last - first);
		break;
	case KERNEL_SIGMOID:
		block_sigmoid(kernel, values, last - first);
		break;
	default:
		break;
	}
}

void SUFFIXED(kernel_tile_accumulate)(const double *coef, int64_t n, const double *values,
				      double *sum)
{
	vec_double low = *(const vec_double *)sum, high = *(const vec_double *)(sum + HALF);

	for (int64_t v = 0; v < n; v++, values += KERNEL_TILE_ROWS) {
		vec_double c = SPLAT_DOUBLE(coef[v]);

		low += c * *(const vec_double *)values;
		high += c * *(const vec_double *)(values + HALF);
	}
	*(vec_double *)sum = low;
	*(vec_double *)(sum + HALF) = high;
}
