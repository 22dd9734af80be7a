/*
 * columns.c - a sparse matrix by columns, without the columns that hold nothing
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/columns.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void columns_free(struct columns *c)
{
	free(c->feature);
	column_map_free(&c->map);
	csr_free(&c->by_column);
	*c = (struct columns){ 0 };
}

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* Number the columns with an entry that is not 0 in ascending order, the others -1. */
static int number_columns(struct columns *c, const struct csr *a, struct error *err)
{
	int64_t n_entries = csr_n_entries(a);
	char *used;

	if (column_map_init(&c->map, a, err) < 0)
		return -1;
	c->feature = mem_array(c->map.n, sizeof(*c->feature), err);
	used = mem_zeroed(c->map.n, 1, err);
	if (!c->feature || !used) {
		free(used);
		return -1;
	}
	for (int64_t k = 0; k < n_entries; k++)
		if (a->val[k] != 0)
			used[column_map_find(&c->map, a->col[k])] = 1;
	for (int64_t slot = 0; slot <= c->map.mask; slot++)
		if (c->map.column[slot] >= 0) {
			if (used[c->map.number[slot]])
				c->feature[c->n++] = c->map.column[slot];
			c->map.number[slot] = -1;
		}
	free(used);
	qsort(c->feature, (size_t)c->n, sizeof(*c->feature), by_number);
	return 0;
}

/* Give the map its numbers: it knows all columns, but not in order. */
static void renumber(struct columns *c)
{
	for (int64_t j = 0; j < c->n; j++) {
		uint32_t slot = column_map_slot(&c->map, c->feature[j]);

		while (c->map.column[slot] != c->feature[j])
			slot = (slot + 1) & c->map.mask;
		c->map.number[slot] = (int32_t)j;
	}
}

/* The rows with columns numbered 0 .. n - 1, which borrow the values of 'a'. */
static int renamed_rows(struct csr *rows, const struct columns *c, const struct csr *a,
			struct error *err)
{
	int64_t n_entries = csr_n_entries(a);

	*rows = *a;
	rows->n_cols = c->n;
	rows->col = mem_array(n_entries, sizeof(*rows->col), err);
	if (!rows->col)
		return -1;
	for (int64_t k = 0; k < n_entries; k++)
		rows->col[k] = column_map_find(&c->map, a->col[k]);
	return 0;
}

int columns_init(struct columns *c, const struct csr *a, struct error *err)
{
	struct csr rows = { 0 };
	int ret = -1;

	*c = (struct columns){ .n_rows = a->n_rows };
	if (number_columns(c, a, err) < 0)
		goto out;
	renumber(c);
	if (renamed_rows(&rows, c, a, err) < 0)
		goto out;
	ret = csr_transpose(&c->by_column, &rows, err);
out:
	free(rows.col);
	if (ret < 0)
		columns_free(c);
	return ret;
}

int columns_rescale(struct columns *c, double *scale, struct error *err)
{
	struct csr *x = &c->by_column;
	int64_t n_entries = csr_n_entries(x);
	double largest = 0;
	int exponent;

	*scale = 1;
	for (int64_t k = 0; k < n_entries; k++) {
		double size = fabs(x->val[k]);

		if (!isfinite(size))
			return error_set(err, ERR_NUMERIC, "a value is not finite");
		largest = size > largest ? size : largest;
	}
	frexp(largest, &exponent);
	if (largest == 0 || abs(exponent) < 300)
		return 0;
	/* 2^1024 would overflow; the square of 2^1024 / 2^1000 does not */
	exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
	*scale = ldexp(1, -exponent);
	for (int64_t k = 0; k < n_entries; k++)
		x->val[k] *= *scale;
	return 0;
}
