/*
 * columns.c - a sparse matrix by columns, without the columns that hold nothing
 *
 * How this works.  Feature numbers may be as large as 2^31 - 1 where a few thousand occur, so
 * nothing here is as long as the largest one.  A hash map finds which columns occur (1); those with
 * an entry that is not 0 are sorted and numbered in ascending order (2), and the map gets these
 * numbers; the entries are renamed (3), and the matrix, now narrow, is transposed.  Columns of
 * zeros stay in the map with number -1: column_map_find() then says the same of them as of
 * columns that never occur.
 *
 * Twins are columns that are equal up to sign.  A hash of each column's rows and absolute values is
 * sorted, and columns of equal hash are compared entry by entry (4); only equal neighbours in that
 * order can be twins, so the whole costs little more than reading the matrix once.  The first
 * column of a group, by number, stands for all.
 *
 * An example, with columns 3, 9 and 2000000000, of which column 9 has zeros only:
 *
 *      rows           {3: 1, 9: 0}, {3: 2, 2000000000: -2}
 *      map            3 -> 0, 2000000000 -> 1, 9 -> -1
 *      feature        [3, 2000000000]
 *      by_column      row 0: {0: 1, 1: 2}, row 1: {1: -2}
 *
 * Steps (1) to (3) take O(entries + columns log columns) time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/columns.h"

#include "base/mem.h"
#include "base/order.h"

void columns_free(struct columns *c)
{
	mem_free(c->feature);
	column_map_free(&c->map);
	csr_free(&c->by_column);
	*c = (struct columns){ 0 };
}

/*
 * (1), (2): the columns with an entry that is not 0, ascending, into 'feature'.  All numbers of the
 * map become -1, until renumber().
 */
static int number_columns(struct columns *c, const struct csr *a, struct error *err)
{
	int64_t n_entries = csr_n_entries(a);
	char *used;

	if (column_map_init(&c->map, a, err) < 0 || column_map_sort(&c->map, err) < 0)
		return -1;
	c->feature = mem_array(c->map.n, sizeof(*c->feature), err);
	used = mem_zeroed(c->map.n, 1, err);
	for (int64_t k = 0; c->feature && used && k < n_entries; k++)
		if (a->val[k] != 0)
			used[column_map_find(&c->map, a->col[k])] = 1;
	for (int64_t j = 0; c->feature && used && j < c->map.n; j++) {
		c->map.number[column_map_place(&c->map, c->map.list[j])] = -1;
		if (used[j])
			c->feature[c->n++] = c->map.list[j];
	}
	mem_free(used);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Give the columns in the map their places in 'feature'. */
static void renumber(struct columns *c)
{
	for (int64_t j = 0; j < c->n; j++)
		c->map.number[column_map_place(&c->map, c->feature[j])] = (int32_t)j;
}

/*
 * (3): the rows with columns 0 .. n - 1, which borrow the values of 'a'.  Entries of columns that
 * hold only zeros get column -1; csr_transpose() leaves out zeros before it looks at their column.
 */
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

/* A power of two as factor changes no digit; only sizes whose squares leave the range need one. */
static int rescale(struct columns *c, double *scale, struct error *err)
{
	struct csr *x = &c->by_column;
	int64_t n_entries = csr_n_entries(x);
	double largest;
	int exponent;

	*scale = 1;
	if (!are_finite(x->val, n_entries))
		return error_set(err, ERR_NUMERIC, "a value is not finite");
	largest = largest_of_sizes(x->val, n_entries);
	frexp(largest, &exponent);
	if (largest == 0 || abs(exponent) < 300)
		return 0;
	/* 2^1074, for denormal values, is no double; squares of 2^-74 and 2^24 are in range */
	exponent = (int)int64_clamp(exponent, -1000, 1000);
	*scale = ldexp(1, -exponent);
	for (int64_t k = 0; k < n_entries; k++)
		x->val[k] *= *scale;
	return 0;
}

int columns_init(struct columns *c, const struct csr *a, double *scale, struct error *err)
{
	struct csr rows = { 0 };
	int ret = -1;

	*c = (struct columns){ .n_rows = a->n_rows };
	if (number_columns(c, a, err) == 0) {
		renumber(c);
		if (renamed_rows(&rows, c, a, err) == 0)
			ret = csr_transpose(&c->by_column, &rows, err);
	}
	if (ret == 0 && scale)
		ret = rescale(c, scale, err);
	mem_free(rows.col);
	if (ret < 0)
		columns_free(c);
	return ret;
}

/* ---- Twins ---- */

/* (4): the first entries decide whether the signs are to be equal or opposite. */
static bool are_twins(const struct csr *x, int64_t a, int64_t b)
{
	const struct csr_row one = csr_row_of(x, a), other = csr_row_of(x, b);
	const bool turned = one.n > 0 && other.n > 0 && one.val[0] == -other.val[0];

	return csr_rows_are_equal(x, a, b, turned ? -1 : 1);
}

int32_t *columns_twins(const struct columns *c, struct error *err)
{
	/* by hash, then by column, so that the first of equal columns comes first */
	struct order_key *h = mem_array(c->n, sizeof(*h), err);
	int32_t *twin = h ? mem_array(c->n, sizeof(*twin), err) : NULL;

	for (int64_t j = 0; twin && j < c->n; j++) {
		h[j] = (struct order_key){ csr_row_hash(&c->by_column, j, true), (uint32_t)j };
		twin[j] = (int32_t)j;
	}
	if (twin)
		qsort(h, (size_t)c->n, sizeof(*h), order_keys);
	for (int64_t k = 1; twin && k < c->n; k++) {
		int32_t j = (int32_t)h[k].id;

		/* backwards over equal hashes until a twin is found: the nearest one, mostly */
		for (int64_t l = k - 1; l >= 0 && h[l].key == h[k].key && twin[j] == j; l--)
			if (are_twins(&c->by_column, h[l].id, j))
				twin[j] = twin[h[l].id];
	}
	mem_free(h);
	return twin;
}

int columns_drop_twins(struct columns *c, struct error *err)
{
	int32_t *twin = columns_twins(c, err);
	struct csr *x = &c->by_column;
	int64_t n = 0, start = 0;

	if (!twin)
		return -1;
	/* in place: columns only move forward, and row_start[n + 1] is written at j >= n */
	for (int64_t j = 0; j < c->n; j++) {
		int64_t first = start, n_entries = x->row_start[j + 1] - first;

		start = x->row_start[j + 1];
		if (twin[j] != j) {
			c->map.number[column_map_place(&c->map, c->feature[j])] = -1;
			continue;
		}
		memmove(x->col + x->row_start[n], x->col + first,
			(size_t)n_entries * sizeof(*x->col));
		memmove(x->val + x->row_start[n], x->val + first,
			(size_t)n_entries * sizeof(*x->val));
		c->feature[n] = c->feature[j];
		x->row_start[n + 1] = x->row_start[n] + n_entries;
		n++;
	}
	mem_free(twin);
	/* columns moved forward and changed their numbers: rebuild the map */
	c->n = x->n_rows = n;
	renumber(c);
	return 0;
}
