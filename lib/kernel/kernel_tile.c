/*
 * kernel_tile.c - kernel values of a few rows with many vectors, vectorised over the rows
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; kernel_dispatch.c
 * chooses among them.
 *
 * A tile is an array element[column][lane] of 16 rows, one lane each: two registers of AVX-512,
 * four of AVX2, eight else.  For a block of vectors
 *
 *     1. dot[v][lane] = sum_k val_k element[col_k][lane] over the entries k of vector v
 *     2. the kernel of the dots in place: rbf exp(-gamma (|x|^2 + |z|^2 - 2 dot)), polynomial,
 *        sigmoid
 *
 * In 1. an addition waits for the one before, about four operations long.  With AVX-512 a sparse
 * vector by itself has two registers of sums.  Where vectors have the same columns, as dense data
 * have, RUN_VECTORS are taken together: eight registers, and each element of the tile is loaded
 * once for four vectors.  That took 2.9e9 cycles instead of 3.5e9 for 5,000 dense vectors of 20
 * features.
 *
 * The same bits with every instruction set: a lane's sum has the order of the vector's entries,
 * whatever the width of the registers; there is no fused multiply-add; and exp() and tanh() are
 * loops of ours, as C libraries have no vectorised ones that round everywhere alike.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/kernel_tile.h"

#include "base/long_sum.h"
#include "kernel/exp_registers.h"
#include "kernel/kernel_lanes.h"

/* Registers that hold one row of the tile. */
#define ROW_REGISTERS (KERNEL_TILE_ROWS / REGISTER_DOUBLES)

/* Vectors of one run taken together: eight sums, as many as hide an addition's latency. */
#define RUN_VECTORS (8 / ROW_REGISTERS)

REGISTER_POWER(reg_double, power)

/*
 * dots[u][lane] = vector u . row of that lane, for n vectors with the same n_entries columns: each
 * value loaded from the tile serves all n vectors.
 */
INLINED void tile_dots(const int32_t *col, const double *val, int64_t n_entries, int n,
		       const double *tile, double *dots)
{
	reg_double sum[RUN_VECTORS][ROW_REGISTERS];

	for (int u = 0; u < n; u++)
		for (int g = 0; g < ROW_REGISTERS; g++)
			sum[u][g] = ALL_DOUBLES(0.0);
	for (int64_t k = 0; k < n_entries; k++) {
		const reg_double *lanes =
			(const reg_double *)(tile + (int64_t)col[k] * KERNEL_TILE_ROWS);

		for (int u = 0; u < n; u++) {
			reg_double v = ALL_DOUBLES(val[u * n_entries + k]);

			for (int g = 0; g < ROW_REGISTERS; g++)
				sum[u][g] += v * lanes[g];
		}
	}
	for (int u = 0; u < n; u++)
		for (int g = 0; g < ROW_REGISTERS; g++)
			((reg_double *)(dots + u * KERNEL_TILE_ROWS))[g] = sum[u][g];
}

/*
 * Step 1 of the head, dot products, for vectors first .. last - 1: by runs of equal columns where
 * there are any.
 */
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

/* n registers from number 'first' on, from dot products to kernel values */
INLINED void rbf_step(double gamma, const double *norm2, const double *row_norm2, reg_double *value,
		      int64_t first, int n)
{
	reg_double x[STEP_REGISTERS];

	for (int h = 0; h < n; h++) {
		const reg_double row = ((const reg_double *)row_norm2)[(first + h) % ROW_REGISTERS];
		const double of_vector = norm2[(first + h) / ROW_REGISTERS];

		x[h] = ALL_DOUBLES(-gamma) *
		       (row + ALL_DOUBLES(of_vector) - ALL_DOUBLES(2.0) * value[first + h]);
	}
	exp_registers(x, n);
	for (int h = 0; h < n; h++)
		value[first + h] = x[h];
}

/* Step 2 of the head, rbf values, for n vectors, STEP_REGISTERS registers at a time. */
static void block_rbf(double gamma, const double *norm2, const double *row_norm2, double *values,
		      int64_t n)
{
	reg_double *value = (reg_double *)values;
	int64_t g = 0;

	for (n *= ROW_REGISTERS; g + STEP_REGISTERS <= n; g += STEP_REGISTERS)
		rbf_step(gamma, norm2, row_norm2, value, g, STEP_REGISTERS);
	for (; g < n; g++)
		rbf_step(gamma, norm2, row_norm2, value, g, 1);
}

static void block_polynomial(const struct kernel *kernel, double *values, int64_t n)
{
	const reg_double gamma = ALL_DOUBLES(kernel->gamma), coef0 = ALL_DOUBLES(kernel->coef0);
	reg_double *x = (reg_double *)values;

	for (int64_t g = 0; g < ROW_REGISTERS * n; g++)
		x[g] = power(gamma * x[g] + coef0, kernel->degree);
}

/*
 * tanh of n registers, as one quotient.  Up to 1/4 that of Lambert's continued fraction x / (1 +
 * x^2 / (3 + x^2 / (5 + ...))) as far as 11, whose truncation is 4e-17 of it; above (e^2|x| - 1) /
 * (e^2|x| + 1).  From 20 on that is 1.
 */
INLINED void tanh_registers(reg_double *x, int n)
{
	const reg_double one = ALL_DOUBLES(1.0), two = ALL_DOUBLES(2.0), most = ALL_DOUBLES(20.0),
			 small = ALL_DOUBLES(0.25);
	const reg_uint64 sign_bit = (reg_uint64)ALL_DOUBLES(-0.0);
	reg_double size[STEP_REGISTERS], e[STEP_REGISTERS];

	for (int h = 0; h < n; h++) {
		size[h] = (reg_double)((reg_uint64)x[h] & ~sign_bit);
		size[h] = SELECT(reg_double, size[h] > most, most, size[h]);
		e[h] = two * size[h];
	}
	exp_registers(e, n);
	for (int h = 0; h < n; h++) {
		reg_int64 near = size[h] <= small;
		reg_double s = size[h] * size[h];
		reg_double above =
			ALL_DOUBLES(10395.0) + s * (ALL_DOUBLES(1260.0) + ALL_DOUBLES(21.0) * s);
		reg_double below = ALL_DOUBLES(10395.0) +
				   s * (ALL_DOUBLES(4725.0) + s * (ALL_DOUBLES(210.0) + s));

		above = SELECT(reg_double, near, size[h] * above, e[h] - one);
		below = SELECT(reg_double, near, below, e[h] + one);
		/* a comparison with nan is false, so that nan passes through the quotient */
		x[h] = (reg_double)((reg_uint64)(above / below) | ((reg_uint64)x[h] & sign_bit));
	}
}

static void block_sigmoid(const struct kernel *kernel, double *values, int64_t n)
{
	const reg_double gamma = ALL_DOUBLES(kernel->gamma), coef0 = ALL_DOUBLES(kernel->coef0);
	reg_double *x = (reg_double *)values;

	n *= ROW_REGISTERS;
	for (int64_t g = 0; g < n; g++)
		x[g] = gamma * x[g] + coef0;
	for (; n >= STEP_REGISTERS; n -= STEP_REGISTERS, x += STEP_REGISTERS)
		tanh_registers(x, STEP_REGISTERS);
	for (; n > 0; n--, x++)
		tanh_registers(x, 1);
}

void SUFFIXED(kernel_tile_of_dots)(const struct kernel *kernel, const double *norm2, int64_t n,
				   const double *row_norm2, double *values)
{
	if (kernel->type == KERNEL_RBF)
		block_rbf(kernel->gamma, norm2, row_norm2, values, n);
	else if (kernel->type == KERNEL_POLYNOMIAL)
		block_polynomial(kernel, values, n);
	else if (kernel->type == KERNEL_SIGMOID)
		block_sigmoid(kernel, values, n);
}

void SUFFIXED(kernel_tile_values)(const struct kernel *kernel, const struct kernel_vectors *vectors,
				  int64_t first, int64_t last, const double *tile,
				  const double *row_norm2, double *values)
{
	const double *norm2 = kernel->type == KERNEL_RBF ? vectors->norm2 + first : NULL;

	block_dots(vectors, first, last, tile, values);
	SUFFIXED(kernel_tile_of_dots)(kernel, norm2, last - first, row_norm2, values);
}

void SUFFIXED(kernel_tile_accumulate)(const double *coef, int64_t n, const double *values,
				      double *sum)
{
	reg_double part[ROW_REGISTERS];

	for (int g = 0; g < ROW_REGISTERS; g++)
		part[g] = ((const reg_double *)sum)[g];
	for (int64_t v = 0; v < n; v++, values += KERNEL_TILE_ROWS) {
		reg_double c = ALL_DOUBLES(coef[v]);

		for (int g = 0; g < ROW_REGISTERS; g++)
			part[g] += c * ((const reg_double *)values)[g];
	}
	for (int g = 0; g < ROW_REGISTERS; g++)
		((reg_double *)sum)[g] = part[g];
}

/* A register of numbers that need not be aligned. */
typedef double loose_double __attribute__((vector_size(REGISTER_BYTES), aligned(8), may_alias));

/* Rows added in one pass over the sums, and registers of sums in a step. */
enum { SUM_ROWS = 4, SUM_REGISTERS = 2 };

/* Add 'n_rows' rows, at most SUM_ROWS, to n sums. */
INLINED void add_rows(const double *const *row, const double *coef, int n_rows, int64_t n,
		      double *sum)
{
	const int64_t step = SUM_REGISTERS * (int64_t)(REGISTER_BYTES / sizeof(double));
	int64_t k = 0;

	for (; k + step <= n; k += step) {
		reg_double part[SUM_REGISTERS];

		for (int g = 0; g < SUM_REGISTERS; g++)
			part[g] = ((const loose_double *)(sum + k))[g];
		for (int r = 0; r < n_rows; r++)
			for (int g = 0; g < SUM_REGISTERS; g++)
				part[g] += ALL_DOUBLES(coef[r]) *
					   ((const loose_double *)(row[r] + k))[g];
		for (int g = 0; g < SUM_REGISTERS; g++)
			((loose_double *)(sum + k))[g] = part[g];
	}
	for (; k < n; k++)
		for (int r = 0; r < n_rows; r++)
			sum[k] += coef[r] * row[r][k];
}

void SUFFIXED(kernel_sum_rows)(const double *const *row, const double *coef, int64_t n_rows,
			       int64_t n, double *sum)
{
	int64_t r = 0;

	for (; r + SUM_ROWS <= n_rows; r += SUM_ROWS)
		add_rows(row + r, coef + r, SUM_ROWS, n, sum);
	for (; r < n_rows; r++)
		add_rows(row + r, coef + r, 1, n, sum);
}

void SUFFIXED(kernel_round_row)(const double *row, const int64_t *column, int64_t n, float *out)
{
	for (int64_t k = 0; k < n; k++)
		out[k] = (float)row[column[k]];
}

/* ---- Sums of polynomial kernel values in twice the digits of a double ---- */

/*
 * How this works.  A kernel value takes some 20 steps of base/long_sum.h, each with an fma(): an
 * instruction from x86-64-v3 on and a call before.  Its result is exact by definition, and nothing
 * else is fused, so that all copies give the same bits.
 */

/* Rows whose sums are made together, so that multipliers of 0 are passed over once for them. */
#define ROWS 16

INLINED struct long_sum long_product(struct long_sum a, struct long_sum b)
{
	struct long_sum product = { 0, 0 };

	long_sum_add(&product, a.high, b.high);
	long_sum_add(&product, a.high, b.low);
	long_sum_add(&product, a.low, b.high);
	return product;
}

INLINED struct long_sum long_polynomial(const struct kernel *kernel, struct csr_row x,
					struct csr_row z)
{
	struct long_sum dot = { 0, 0 }, base = { kernel->coef0, 0 }, power = { 1, 0 };

	for (int64_t j = 0, k = 0; kernel_merged_find(x, z, &j, &k); j++, k++)
		long_sum_add(&dot, x.val[j], z.val[k]);
	long_sum_add(&base, kernel->gamma, dot.high);
	long_sum_add(&base, kernel->gamma, dot.low);
	for (int e = kernel->degree; e > 0; e /= 2) {
		power = e % 2 ? long_product(power, base) : power;
		base = e > 1 ? long_product(base, base) : base;
	}
	return power;
}

void SUFFIXED(long_polynomial_sums)(const struct kernel *kernel, const struct csr *x,
				    const int64_t *row, const double *beta, int64_t n, double *f)
{
	for (int64_t i = 0; i < n; i += ROWS) {
		const int64_t n_rows = int64_min(ROWS, n - i);
		struct long_sum sum[ROWS] = { { 0, 0 } }, k;

		for (int64_t j = 0; j < n; j++)
			for (int64_t l = 0; beta[j] != 0 && l < n_rows; l++) {
				k = long_polynomial(kernel, csr_row_of(x, row[i + l]),
						    csr_row_of(x, row[j]));
				long_sum_add(&sum[l], beta[j], k.high);
				long_sum_add(&sum[l], beta[j], k.low);
			}
		for (int64_t l = 0; l < n_rows; l++)
			f[i + l] = long_sum_value(&sum[l]);
	}
}
