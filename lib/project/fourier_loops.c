/*
 * fourier_loops.c - cosines, sines and products with a matrix, a register at a time
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy.
 *
 * How this works.  circle_pairs() takes the whole turns off by the rounding of doubles,
 *
 *     (t + 1.5 2^52) - 1.5 2^52 is the whole number nearest to t, for |t| < 2^51           (1)
 *
 * and adds one turn where what is left is negative; lanes_circles() does the rest.
 *
 * multiply_panels() keeps the sums of six rows for two registers of columns: twelve sums in flight
 * hide the latency of an addition, and each load of the panel serves six rows.  With four rows it
 * took 1.5 times as long; with eight, whose sums are more than AVX2 has registers for, 1.3 times.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/project_loops.h"

#include "base/elementary_lanes.h"

#define LANES REGISTER_DOUBLES

enum { TILE_ROWS = 6, TILE_REGISTERS = 2 };

/* Registers of turns at a time: two took 1.6 times as long where registers are few and small. */
enum { CIRCLES = REGISTER_BYTES > 16 ? 2 : 1 };

void SUFFIXED(cauchy_entries)(const struct rng_block *block, int64_t n, double *x)
{
	_Alignas(64) double turn[8], cosine[8], sine[8];

	for (int64_t e = 0; e < n; e += 4) {
		int64_t count = n - e < 4 ? n - e : 4;

		memset(turn, 0, sizeof(turn));
		for (int64_t k = 0; k < count; k++) {
			turn[2 * k] = rng_unit(rng_first64(block[e + k]));
			turn[2 * k + 1] = rng_unit(rng_second64(block[e + k]));
		}
		for (int l = 0; l < 8; l += LANES)
			lanes_circles((reg_double *)(turn + l), 1, (reg_double *)(cosine + l),
				      (reg_double *)(sine + l));
		for (int64_t k = 0; k < 2 * count; k++)
			x[2 * e + k] = sine[k] / cosine[k];
	}
}

/* (1): the part of t after its floor; 0 for large t, nan where t is not finite */
INLINED reg_double part_of_turn(reg_double t)
{
	const reg_double zero = t * 0, whole = ALL_DOUBLES(0x1.8p52);
	const reg_int64 is_small = (t < 0x1p50) & (t > -0x1p50);
	reg_double part;

	t = SELECT(reg_double, is_small, t, zero);
	part = t - ((t + whole) - whole);
	return part + SELECT(reg_double, part < 0, ALL_DOUBLES(1), zero);
}

void SUFFIXED(circle_pairs)(const double *turn, int64_t n, double *pair)
{
	for (int64_t i = 0; i < n; i += CIRCLES * LANES) {
		const reg_double *t = (const reg_double *)(turn + i);
		reg_double *p = (reg_double *)(pair + 2 * i), part[CIRCLES], cosine[CIRCLES],
			   sine[CIRCLES];

		for (int k = 0; k < CIRCLES; k++)
			part[k] = part_of_turn(t[k]);
		lanes_circles(part, CIRCLES, cosine, sine);
		for (int k = 0; k < CIRCLES; k++) {
			p[2 * k] = __builtin_shufflevector(cosine[k], sine[k], LOW_DOUBLES);
			p[2 * k + 1] = __builtin_shufflevector(cosine[k], sine[k], HIGH_DOUBLES);
		}
	}
}

void SUFFIXED(multiply_each)(const double *x, const double *y, int64_t n, double *product)
{
	for (int64_t i = 0; i < n; i++)
		product[i] = x[i] * y[i];
}

/* Columns 'column' .. of a panel, as many as TILE_REGISTERS hold, for n_rows <= TILE_ROWS rows. */
INLINED void multiply_tile(const double *a, int64_t a_stride, int n_rows, const double *panel,
			   int64_t n_inner, double *out, int64_t out_stride)
{
	loose_double sum[TILE_ROWS][TILE_REGISTERS] = { { { 0 } } };

	for (int64_t j = 0; j < n_inner; j++) {
		const loose_double *m = (const loose_double *)(panel + j * PANEL_COLUMNS);

		for (int i = 0; i < n_rows; i++)
			for (int k = 0; k < TILE_REGISTERS; k++)
				sum[i][k] += a[i * a_stride + j] * m[k];
	}
	for (int i = 0; i < n_rows; i++)
		for (int k = 0; k < TILE_REGISTERS; k++)
			((loose_double *)(out + i * out_stride))[k] = sum[i][k];
}

/* A panel and the rows i .. i + n_rows - 1 */
INLINED void multiply_panel(const double *a, int64_t a_stride, int n_rows, const double *panel,
			    int64_t n_inner, double *out, int64_t out_stride)
{
	for (int t = 0; t < PANEL_COLUMNS; t += TILE_REGISTERS * LANES)
		multiply_tile(a, a_stride, n_rows, panel + t, n_inner, out + t, out_stride);
}

void SUFFIXED(multiply_panels)(const double *a, int64_t a_stride, int64_t n_rows,
			       const double *panel, int64_t n_inner, int64_t n_columns, double *out,
			       int64_t out_stride)
{
	for (int64_t t = 0; t < n_columns; t += PANEL_COLUMNS) {
		int64_t i = 0;

		for (; i + TILE_ROWS <= n_rows; i += TILE_ROWS)
			multiply_panel(a + i * a_stride, a_stride, TILE_ROWS, panel + t * n_inner,
				       n_inner, out + i * out_stride + t, out_stride);
		for (; i < n_rows; i++)
			multiply_panel(a + i * a_stride, a_stride, 1, panel + t * n_inner, n_inner,
				       out + i * out_stride + t, out_stride);
	}
}
