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
 * when its large terms have cancelled.  Rows in chunks are floats, and only sums of FLOAT_CHUNK
 * products, which are exact, are added in doubles: half the memory, half the multiplications.  These
 * numbers, the kernel and the form of the rows are constants of each inlined copy of
 * meet_vectors(): struct form below; otherwise the compiler keeps the sums in memory.
 *
 * Rounding: (1) adds up FLOAT_CHUNK entries and then adds that to the sum, so that the error grows
 * with n / FLOAT_CHUNK and not with n; sums over vectors go to doubles after FLOAT_FLUSH of them.  Fused
 * multiply-add is allowed here, so the last bits depend on the instruction set; they do not depend
 * on which rows share a tile, which vectors are in step, or threads.
 *
 * Nesting of the loops, from the outside, with what changes from one to the next:
 *
 *      meet()           chooses the copy by kernel and form; nothing is decided further in
 *      meet_vectors()   dense vectors DENSE_VECTORS at a time, then single ones
 *      meet_tile()      lanes of the tile, as many registers as can be summed in step
 *      meet_lanes()     FLOAT_FLUSH vectors: (1) of all, then (2) of all
 *      narrow_values(), wide_values()   (1): chunks of entries
 *      add_chunk()      entries, with the sums in registers
 *
 * Sums stay in registers inside add_chunk().  Between (1) and (2) those of FLOAT_FLUSH vectors are
 * in memory, a few kilobytes that stay in the first-level cache.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_tile.h"

#include "kernel/float_exp2.h"

/* Registers of floats that hold one group of lanes, and those that hold a tile's row. */
#define GROUP_REGISTERS (FLOAT_GROUP / REGISTER_FLOATS)
#define TILE_REGISTERS (FLOAT_TILE_LANES / REGISTER_FLOATS)

/*
 * Sums taken in step, and dense vectors that share them: 16 of the 32 registers of AVX-512, and 8
 * of 16 else.  Without a fused multiply-add, which needs none for the product, two vectors are
 * slower than one.
 */
#if defined(__AVX512F__)
#define STEP_SUMS 16
#define DENSE_VECTORS 4
#elif defined(__AVX2__)
#define STEP_SUMS 8
#define DENSE_VECTORS 2
#else
#define STEP_SUMS 8
#define DENSE_VECTORS 1
#endif

/* sums over blocks of FLOAT_FLUSH vectors, one after the other, are those over all of them */
_Static_assert(FLOAT_FLUSH % DENSE_VECTORS == 0, "dense vectors in step end with a flush");

/* Registers of values in step, for one vector: each vector has its own. */
#define STEP_REGISTERS (STEP_SUMS < TILE_REGISTERS ? STEP_SUMS : TILE_REGISTERS)

/*
 * a value of the tile is kept in a register: else the compiler loads it again for each vector, at
 * one load a cycle
 */
#if DENSE_VECTORS > 1
#define KEEP_IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define KEEP_IN_REGISTER(x) ((void)(x))
#endif

REGISTER_POWER(reg_float, power)

/*
 * Kernel, layout of the rows, and numbers of vectors and registers in step: constants of each
 * inlined copy.
 */
struct form {
	enum kernel_type type;
	bool dense, difference, tame;
	enum { NARROW, CHUNKS, WIDE } sums;
	int n_vectors, n_registers;
};

/* The lanes of one register of floats as doubles, in two registers. */
struct wide_register {
	reg_double low, high;
};

/* Entries of the vectors that meet a tile, as floats. */
struct entries {
	const float *val;
	const int32_t *col;   /* sparse vectors: column of each entry; else NULL */
	const int32_t *place; /* place of each column in the tile, or NULL */
	int64_t n;	      /* entries of one vector; dense vectors follow each other */
};

/* part[u][g] = entries k .. end - 1 of (1), or minus their squared distances */
INLINED void add_chunk(const struct form f, const struct entries e, const float *lanes, int64_t k,
		       int64_t end, reg_float (*part)[STEP_REGISTERS])
{
	for (int u = 0; u < f.n_vectors; u++)
		for (int g = 0; g < f.n_registers; g++)
			part[u][g] = ALL_FLOATS(0.0f);
	for (; k < end; k++) {
		const int64_t column = f.dense ? k : e.place ? e.place[e.col[k]] : e.col[k];
		const reg_float *tile = (const reg_float *)(lanes + column * FLOAT_TILE_LANES);
		reg_float z[STEP_REGISTERS];

		/* the tile's elements once for all vectors in step */
		for (int g = 0; g < f.n_registers; g++) {
			z[g] = tile[g];
			if (f.n_vectors > 1)
				KEEP_IN_REGISTER(z[g]);
		}
		for (int u = 0; u < f.n_vectors; u++) {
			const reg_float x = ALL_FLOATS(e.val[u * e.n + k]);

			for (int g = 0; g < f.n_registers; g++) {
				reg_float d = x - z[g];

				part[u][g] += f.difference ? -(d * d) : x * z[g];
			}
		}
	}
}

/* The entries of vector 'first' and of those after it that are met in step. */
INLINED struct entries entries_of(const struct form f, const struct float_vectors *v, int64_t first,
				  const struct float_tile *tile)
{
	int64_t start = f.dense ? first * v->n_cols : v->start[first];

	return (struct entries){ .val = (const float *)v->val + start,
				 .col = f.dense ? 0 : v->col + start,
				 .place = f.dense ? 0 : tile->place,
				 .n = f.dense ? v->n_cols : v->start[first + 1] - start };
}

/* (1) of rows in floats, without the norms, which (2) subtracts. */
INLINED void narrow_values(const struct form f, const struct float_vectors *v, int64_t first,
			   const struct float_tile *tile, int lane,
			   reg_float (*sum)[STEP_REGISTERS])
{
	const float *lanes = (const float *)tile->element + lane;
	const struct entries e = entries_of(f, v, first, tile);

	/* of the first chunk straight into the sums: few vectors have more */
	add_chunk(f, e, lanes, 0, e.n < FLOAT_CHUNK ? e.n : FLOAT_CHUNK, sum);
	for (int64_t k = FLOAT_CHUNK; k < e.n; k += FLOAT_CHUNK) {
		reg_float part[DENSE_VECTORS][STEP_REGISTERS];

		add_chunk(f, e, lanes, k, e.n - k < FLOAT_CHUNK ? e.n : k + FLOAT_CHUNK, part);
		for (int u = 0; u < f.n_vectors; u++)
			for (int g = 0; g < f.n_registers; g++)
				sum[u][g] += part[u][g];
	}
}

/* A register of floats from the same lanes in doubles, rounded. */
INLINED reg_float narrowed(struct wide_register wide)
{
	return JOIN_HALVES(__builtin_convertvector(wide.low, reg_half_float),
			   __builtin_convertvector(wide.high, reg_half_float));
}

/* Products of floats in chunks, which are exact, their sums in doubles. */
INLINED void add_chunks(const struct form f, const struct float_vectors *v, int64_t first,
			const struct float_tile *tile, int lane,
			struct wide_register (*sum)[STEP_REGISTERS])
{
	const float *lanes = (const float *)tile->element + lane;
	const struct entries e = entries_of(f, v, first, tile);

	for (int64_t k = 0; k < e.n; k += FLOAT_CHUNK) {
		reg_float part[1][STEP_REGISTERS];

		add_chunk(f, e, lanes, k, e.n - k < FLOAT_CHUNK ? e.n : k + FLOAT_CHUNK, part);
		for (int g = 0; g < f.n_registers; g++) {
			sum[0][g].low += __builtin_convertvector(LOW_HALF(part[0][g]), reg_double);
			sum[0][g].high +=
				__builtin_convertvector(HIGH_HALF(part[0][g]), reg_double);
		}
	}
}

/* Products of doubles, or minus squares of differences. */
INLINED void add_doubles(const struct form f, const struct float_vectors *v, int64_t first,
			 const struct float_tile *tile, int lane,
			 struct wide_register (*sum)[STEP_REGISTERS])
{
	int64_t at = f.dense ? first * v->n_cols : v->start[first];
	int64_t n = f.dense ? v->n_cols : v->start[first + 1] - at;
	const double *val = (const double *)v->val + at;
	const double *lanes = (const double *)tile->element + lane;
	const int32_t *col = f.dense ? 0 : v->col + at;

	for (int64_t k = 0; k < n; k++) {
		const int64_t column = f.dense ? k : tile->place ? tile->place[col[k]] : col[k];
		const struct wide_register *element =
			(const struct wide_register *)(lanes + column * FLOAT_TILE_LANES);

		for (int u = 0; u < f.n_vectors; u++) {
			const reg_double x = ALL_DOUBLES(val[u * n + k]);

			for (int g = 0; g < f.n_registers; g++) {
				reg_double low = x - element[g].low, high = x - element[g].high;

				sum[u][g].low += f.difference ? -(low * low) : x * element[g].low;
				sum[u][g].high +=
					f.difference ? -(high * high) : x * element[g].high;
			}
		}
	}
}

/* (1) in doubles, rounded to the floats of 'value' at the end. */
INLINED void wide_values(const struct form f, const struct float_vectors *v, int64_t first,
			 const struct float_tile *tile, int lane,
			 reg_float (*value)[STEP_REGISTERS])
{
	const struct wide_register *norms =
		(const struct wide_register *)((const double *)tile->half_norm2 + lane);
	struct wide_register sum[DENSE_VECTORS][STEP_REGISTERS];

	for (int u = 0; u < f.n_vectors; u++)
		for (int g = 0; g < f.n_registers; g++) {
			/* where no norm is subtracted the norms of the tile are 0 */
			double start = f.type == KERNEL_RBF ? 0 : v->kernel.coef0;

			if (f.type == KERNEL_RBF && !f.difference)
				start = -((const double *)v->half_norm2)[first + u];
			sum[u][g].low = ALL_DOUBLES(start) - norms[g].low;
			sum[u][g].high = ALL_DOUBLES(start) - norms[g].high;
		}
	if (f.sums == CHUNKS)
		add_chunks(f, v, first, tile, lane, sum);
	else
		add_doubles(f, v, first, tile, lane, sum);
	for (int u = 0; u < f.n_vectors; u++)
		for (int g = 0; g < f.n_registers; g++)
			value[u][g] = narrowed(sum[u][g]);
}

/* (|x|^2 + |z|^2) / 2 */
INLINED reg_float half_norms(const struct form f, const struct float_vectors *v, int64_t u,
			     const struct float_tile *tile, int lane)
{
	if (f.type != KERNEL_RBF || f.difference || f.sums != NARROW)
		return ALL_FLOATS(0.0f);
	return ALL_FLOATS(((const float *)v->half_norm2)[u]) +
	       *(const reg_float *)((const float *)tile->half_norm2 + lane);
}

/* (2): the kernel value of a sum (1).  Sums of rows in doubles began at coef0, and had the factor. */
INLINED reg_float kernel_of(const struct form f, const struct float_vectors *v, reg_float sum,
			    const struct exp2_numbers *with)
{
	const reg_float factor = ALL_FLOATS((float)v->factor);
	const reg_float coef0 = ALL_FLOATS(f.sums == WIDE ? 0.0f : (float)v->kernel.coef0);

	if (f.type == KERNEL_RBF)
		return exp2_vec(factor * sum, f.tame, with);
	if (f.type == KERNEL_POLYNOMIAL)
		return power(factor * sum + coef0, v->kernel.degree);
	return f.type == KERNEL_SIGMOID ? tanh_vec(factor * sum + coef0, with) : sum;
}

/* Where values go: into rows, or weighted into sums; of vectors from the first one met on. */
struct sink {
	float *const *row;
	const float *coef;
	double *sum;
	/* tile that is met, and the first of its lanes that are met now */
	const struct float_tile *tile;
	int lane;
};

/* sum[lane] += part[lane], in double precision */
INLINED void flush_sums(const struct form f, const reg_float *part, double *sum)
{
	for (int g = 0; g < f.n_registers; g++) {
		reg_double *wide = (reg_double *)(sum + g * REGISTER_FLOATS);

		wide[0] += __builtin_convertvector(LOW_HALF(part[g]), reg_double);
		wide[1] += __builtin_convertvector(HIGH_HALF(part[g]), reg_double);
	}
}

/* Kernel values of n <= FLOAT_FLUSH vectors from 'first' on, (2), passed to the sink. */
INLINED void finish_values(const struct form f, const struct float_vectors *v, int64_t first, int n,
			   reg_float (*sum)[STEP_REGISTERS], const struct sink to)
{
	const struct exp2_numbers *with = &exp2_numbers;
	reg_float part[STEP_REGISTERS] = { 0 };

	/*
	 * hidden from the compiler: constants that it kept in registers would displace the sums of
	 * (1)
	 */
	__asm__("" : "+r"(with));
	for (int u = 0; u < n; u++)
		for (int g = 0; g < f.n_registers; g++) {
			const int lane = to.lane + g * REGISTER_FLOATS;
			reg_float half = half_norms(f, v, first + u, to.tile, lane);
			reg_float k = kernel_of(f, v, sum[u][g] - half, with);

			if (to.row)
				*(reg_float *)(to.row[u] + lane) = k;
			else
				part[g] += ALL_FLOATS(to.coef[u]) * k;
		}
	if (!to.row)
		flush_sums(f, part, to.sum + to.lane);
}

/*
 * n vectors from 'first' on, n a multiple of f.n_vectors, with some lanes of the tile.  (1) of
 * FLOAT_FLUSH vectors, then (2) of all of them: both in one loop need more registers than there
 * are.  Apart they compute a tenth more values a second, of 20 columns.
 */
INLINED void meet_lanes(const struct form f, const struct float_vectors *v, int64_t first,
			int64_t n, const struct float_tile *tile, struct sink to)
{
	to.tile = tile;
	for (int64_t i = 0; i < n; i += FLOAT_FLUSH) {
		reg_float sum[FLOAT_FLUSH][STEP_REGISTERS];
		int m = n - i < FLOAT_FLUSH ? (int)(n - i) : FLOAT_FLUSH;

		/* (1): inner products of m vectors with the lanes, into sum[] */
		for (int u = 0; u < m; u += f.n_vectors) {
			if (f.sums == NARROW)
				narrow_values(f, v, first + i + u, tile, to.lane, sum + u);
			else
				wide_values(f, v, first + i + u, tile, to.lane, sum + u);
		}
		/* (2): kernel values of these m vectors, handed to the sink */
		finish_values(f, v, first + i, m, sum, to);
		if (to.row)
			to.row += FLOAT_FLUSH;
		else
			to.coef += FLOAT_FLUSH;
	}
}

/* Meet all groups of the tile: as many groups in step as fill the registers, then one by one. */
INLINED void meet_tile(struct form f, const struct float_vectors *v, int64_t first, int64_t n,
		       const struct float_tile *tile, struct sink to)
{
	const int n_lanes = tile->n_groups * FLOAT_GROUP;

	to.lane = 0;
	/* a sum in doubles takes two registers where its value takes one */
	f.n_registers = STEP_SUMS / f.n_vectors / (f.sums == NARROW ? 1 : 2);
	if (f.n_registers > TILE_REGISTERS)
		f.n_registers = TILE_REGISTERS;
	for (const int step = f.n_registers * REGISTER_FLOATS; to.lane + step <= n_lanes;
	     to.lane += step)
		meet_lanes(f, v, first, n, tile, to);
	f.n_registers = GROUP_REGISTERS;
	for (; to.lane < n_lanes; to.lane += FLOAT_GROUP)
		meet_lanes(f, v, first, n, tile, to);
}

/* Meet DENSE_VECTORS dense vectors at a time, then the remaining vectors one by one. */
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

/* The copy of meet_vectors() for one form, with sums of one kind. */
#define MEET(type, dense, difference, tame, sums)                                                \
	meet_vectors((struct form){ type, dense, difference, tame, sums, 0, 0 }, v, first, last, \
		     tile, to)
/* Those for dense and for sparse rows, with products. */
#define MEET_EITHER(type, tame, sums) \
	(v->dense ? MEET(type, true, false, tame, sums) : MEET(type, false, false, tame, sums))

/* One inlined copy for each form that occurs: differences come with dense rows alone. */
INLINED void meet_rbf(const struct float_vectors *v, int64_t first, int64_t last,
		      const struct float_tile *tile, const struct sink to)
{
	if (v->difference && v->tame)
		MEET(KERNEL_RBF, true, true, true, NARROW);
	else if (v->difference)
		MEET(KERNEL_RBF, true, true, false, NARROW);
	else if (v->tame)
		MEET_EITHER(KERNEL_RBF, true, NARROW);
	else
		MEET_EITHER(KERNEL_RBF, false, NARROW);
}

/*
 * Rows in doubles or in chunks, of rbf kernels without 'tame': the extra time of handling exponents
 * below -126 is lost among the products.  Products of floats are exact enough for all linear
 * kernels.
 */
INLINED void meet_wide(const struct float_vectors *v, int64_t first, int64_t last,
		       const struct float_tile *tile, const struct sink to)
{
	if (v->kernel.type == KERNEL_POLYNOMIAL)
		MEET_EITHER(KERNEL_POLYNOMIAL, false, WIDE);
	else if (v->kernel.type == KERNEL_SIGMOID)
		MEET_EITHER(KERNEL_SIGMOID, false, WIDE);
	else if (v->difference)
		MEET(KERNEL_RBF, true, true, false, WIDE);
	else if (!v->in_doubles)
		MEET(KERNEL_RBF, false, false, false, CHUNKS);
	else
		MEET_EITHER(KERNEL_RBF, false, WIDE);
}

/* Each kernel in the layouts that its rows may have: two, and more for rbf. */
INLINED void meet(const struct float_vectors *v, int64_t first, int64_t last,
		  const struct float_tile *tile, const struct sink to)
{
	if (v->wide_sums)
		meet_wide(v, first, last, tile, to);
	else if (v->kernel.type == KERNEL_RBF)
		meet_rbf(v, first, last, tile, to);
	else if (v->kernel.type == KERNEL_POLYNOMIAL)
		MEET_EITHER(KERNEL_POLYNOMIAL, false, NARROW);
	else if (v->kernel.type == KERNEL_SIGMOID)
		MEET_EITHER(KERNEL_SIGMOID, false, NARROW);
	else
		MEET_EITHER(KERNEL_LINEAR, false, NARROW);
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

/* sum[lane] += coef[u] value[u][lane] for u < n */
INLINED void add_exactly(float (*value)[FLOAT_TILE_LANES], int n, const double *coef, int n_lanes,
			 double *sum)
{
	for (int lane = 0; lane < n_lanes; lane += REGISTER_FLOATS) {
		reg_double *wide = (reg_double *)(sum + lane), low = wide[0], high = wide[1];

		for (int u = 0; u < n; u++) {
			const reg_half_float *half = (const reg_half_float *)(value[u] + lane);

			low += ALL_DOUBLES(coef[u]) * __builtin_convertvector(half[0], reg_double);
			high += ALL_DOUBLES(coef[u]) * __builtin_convertvector(half[1], reg_double);
		}
		wide[0] = low;
		wide[1] = high;
	}
}

/* Some values at a time, that stay in the first-level cache. */
void SUFFIXED(float_tile_exact_sums)(const struct float_vectors *v, int64_t first, int64_t last,
				     const double *coef, const struct float_tile *tile, double *sum)
{
	float value[FLOAT_FLUSH][FLOAT_TILE_LANES] __attribute__((aligned(64)));
	float *out[FLOAT_FLUSH];

	for (int u = 0; u < FLOAT_FLUSH; u++)
		out[u] = value[u];
	for (int64_t end; first < last; first = end) {
		end = last - first < FLOAT_FLUSH ? last : first + FLOAT_FLUSH;
		SUFFIXED(float_tile_values)(v, first, end, tile, out);
		add_exactly(value, (int)(end - first), coef + first, tile->n_groups * FLOAT_GROUP,
			    sum);
	}
}

/*
 * Transpose REGISTER_FLOATS columns of as many rows.  Each round interleaves vector i with the one
 * half the vectors further on: it moves one bit of an element's row number into its place in the
 * vector.
 */
INLINED void transpose_block(reg_float *x)
{
	const int half = REGISTER_FLOATS / 2;

	for (int bit = 1; bit < REGISTER_FLOATS; bit *= 2) {
		reg_float y[REGISTER_FLOATS];

		for (int i = 0; i < half; i++) {
			y[2 * i] = __builtin_shufflevector(x[i], x[i + half], LOW_SINGLES);
			y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + half], HIGH_SINGLES);
		}
		for (int i = 0; i < REGISTER_FLOATS; i++)
			x[i] = y[i];
	}
}

/* Transpose by square blocks of columns in registers, and the columns left over one by one. */
void SUFFIXED(float_tile_transpose)(const float *const row[FLOAT_GROUP], int64_t n_cols,
				    float *element)
{
	int64_t k = 0;

	for (; k + REGISTER_FLOATS <= n_cols; k += REGISTER_FLOATS)
		for (int lane = 0; lane < FLOAT_GROUP; lane += REGISTER_FLOATS) {
			reg_float x[REGISTER_FLOATS];

			for (int i = 0; i < REGISTER_FLOATS; i++)
				x[i] = *(const loose_float *)(row[lane + i] + k);
			transpose_block(x);
			for (int i = 0; i < REGISTER_FLOATS; i++)
				*(reg_float *)(element + (k + i) * FLOAT_TILE_LANES + lane) = x[i];
		}
	for (; k < n_cols; k++)
		for (int lane = 0; lane < FLOAT_GROUP; lane++)
			element[k * FLOAT_TILE_LANES + lane] = row[lane][k];
}
