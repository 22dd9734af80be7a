/*
 * float_check.h - are rows in single precision the same to the bit?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FLOAT_CHECK_H
#define RANDSVM_FLOAT_CHECK_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/float_vectors.h"

/* same_form() - is the form the same, all but the numbers of rows and the arrays? */
static inline bool same_form(const struct float_vectors *a, const struct float_vectors *b)
{
	return a->factor == b->factor && a->exponent.absolute == b->exponent.absolute &&
	       a->exponent.of_root == b->exponent.of_root &&
	       a->exponent.relative == b->exponent.relative && a->error == b->error &&
	       a->error_of_same == b->error_of_same && a->difference == b->difference &&
	       a->tame == b->tame && a->dense == b->dense && a->in_doubles == b->in_doubles &&
	       a->wide_sums == b->wide_sums && a->n_cols == b->n_cols && a->longest == b->longest &&
	       a->kernel.type == b->kernel.type;
}

/* Is each column of n entries another one, always the same, of the others?  number[] is -1 at first. */
static inline bool same_columns(const int32_t *a, const int32_t *b, int64_t n, int32_t *number)
{
	for (int64_t k = 0; k < n; k++) {
		if (number[a[k]] < 0)
			number[a[k]] = b[k];
		if (number[a[k]] != b[k])
			return false;
	}
	return true;
}

/*
 * same_rows() - are the rows of 'piece' the rows of 'all' from 'first' on, to the bit?  Columns of
 * sparse rows may have other numbers, on which nothing depends.
 */
static inline bool same_rows(const struct float_vectors *piece, const struct float_vectors *all,
			     int64_t first)
{
	const int64_t size = float_vectors_size(all), norm = float_vectors_norm_size(all);
	int32_t *number = malloc((size_t)(all->n_cols + 1) * sizeof(*number));
	bool same = number;

	for (int64_t c = 0; number && c < all->n_cols; c++)
		number[c] = -1;
	for (int64_t i = 0; same && i < piece->n; i++) {
		int64_t n, m, at = float_vectors_extent(piece, i, &n);
		int64_t to = float_vectors_extent(all, first + i, &m);

		same = n == m &&
		       memcmp((char *)piece->val + at * size, (char *)all->val + to * size,
			      (size_t)(n * size)) == 0 &&
		       (all->dense || same_columns(piece->col + at, all->col + to, n, number));
	}
	free(number);
	return same && !piece->half_norm2 == !all->half_norm2 &&
	       (!all->half_norm2 ||
		memcmp(piece->half_norm2, (char *)all->half_norm2 + first * norm,
		       (size_t)(piece->n * norm)) == 0);
}

#endif
