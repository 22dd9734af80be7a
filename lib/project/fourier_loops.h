/*
 * fourier_loops.h - cosines, sines and products with a matrix, vectorised
 *
 * The bits are the same on every machine: products are rounded before they are added, never fused.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FOURIER_LOOPS_H
#define RANDSVM_FOURIER_LOOPS_H

#include <stdint.h>

#include "base/rng.h"

/* columns of a panel: two registers where these are widest */
#define PANEL_COLUMNS 16

/* cauchy_entries() - x[2e], x[2e + 1] = tan(2 pi u), u the units of the halves of block[e] */
void cauchy_entries(const struct rng_block *block, int64_t n, double *x);

/*
 * circle_pairs() - pair[2i], pair[2i + 1] = cos, sin of turn[i] turns, for i < n
 *
 * elementary_circle() of the part of turn[i] after its floor, with an absolute error below 2^-50; 0
 * from 2^50 turns on, where doubles have no digits of an angle left, and nan where turn[i] is not
 * finite.  Both arrays are aligned to 64 bytes, with room for n rounded up to a multiple of 16.
 */
void circle_pairs(const double *turn, int64_t n, double *pair);

/* multiply_each() - product[i] = x[i] y[i] for i < n */
void multiply_each(const double *x, const double *y, int64_t n, double *product);

/*
 * multiply_panels() - out = a m, m being n_inner x n_columns
 *
 * a has n_rows rows a_stride apart, out rows out_stride apart.  m is cut into panels of
 * PANEL_COLUMNS columns, one behind the other: entry (j, t) is
 * panel[(t / PANEL_COLUMNS * n_inner + j) * PANEL_COLUMNS + t % PANEL_COLUMNS].  The last panel and
 * the rows of out have room for whole panels.  Each sum is added up by ascending j, whatever rows
 * are beside it.
 */
void multiply_panels(const double *a, int64_t a_stride, int64_t n_rows, const double *panel,
		     int64_t n_inner, int64_t n_columns, double *out, int64_t out_stride);

#endif
