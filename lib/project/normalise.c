/*
 * normalise.c - rows of length 1
 *
 * How this works.  Squares of values of 1e200 overflow and of 1e-200 vanish.  So a row is first
 * multiplied by the power of two that brings its largest value into [1/2, 1) (1), which changes no
 * digit; then |y|^2 is between 1/4 and n (2), and dividing by its root (3) is all the rounding
 * there is.  A row of zeros, or with a value that is not finite, stays as it is.
 *
 * Rows keep their entries and their order, so the output is a copy with other values.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/normalise.h"
#include "base/arithmetic.h"

#include <math.h>
#include <string.h>

/* y = x / |x|, n values */
static void normalise(double *y, const double *x, int64_t n)
{
	const double largest = largest_of_sizes(x, n);
	double squares = 0, length;
	int exponent;

	/* (1): largest = m 2^exponent with 1/2 <= m < 1 */
	frexp(largest, &exponent);
	for (int64_t k = 0; k < n; k++) {
		y[k] = ldexp(x[k], -exponent); /* 1/2 <= largest < 1, so that squares >= 1/4 */
		squares += y[k] * y[k];
	}
	/* (2), (3): the root of a sum that neither overflows nor vanishes */
	length = sqrt(squares);
	if (!(largest > 0 && isfinite(length))) {
		memcpy(y, x, (size_t)n * sizeof(*x));
		return;
	}
	for (int64_t k = 0; k < n; k++)
		y[k] /= length;
}

int normalise_rows(struct row_range rows, struct row_batch *out, struct error *err)
{
	const struct row_batch *in = rows.in;
	int64_t first = in->row_start[rows.first], end = rows.first + rows.n;
	int64_t n_entries = in->row_start[end] - first;

	if (row_batch_reserve(out, rows.n, n_entries, in->has_text, err) < 0)
		return -1;
	memcpy(out->index, in->index + first, (size_t)n_entries * sizeof(*out->index));
	for (int64_t i = rows.first; i < end; i++) {
		int64_t start = in->row_start[i], n = in->row_start[i + 1] - start;

		normalise(out->value + out->n_entries, in->value + start, n);
		out->n_entries += n;
		row_batch_end_mapped(out, in, i);
	}
	return 0;
}
