/*
 * kernel_vectors.c - sparse vectors made ready to meet tiles of rows
 *
 * A tile has one row of elements for each column, so the columns that occur in the vectors are
 * numbered 0, 1, ... in the order in which they are met: the vectors of a text of a million columns
 * may have a thousand.  Numbers in that order, not ascending, keep the order of a vector's entries,
 * and with it the order of the sums, that of the data.  This takes one look into a hash table for
 * each entry, which is saved where entries are many times the columns: there columns keep their
 * numbers.
 *
 * Then things that every kernel value needs are found out once: squared norms, for rbf, whether one
 * of them is too large for products (kernel_lanes.c), and runs of vectors with the same columns,
 * which kernel_tile.c takes together.  run[i] counts from i on, so that a block of vectors may
 * begin anywhere within a run.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/mem.h"
#include "kernel/kernel_tile.h"

void kernel_vectors_free(struct kernel_vectors *v)
{
	csr_free(&v->x);
	mem_free_all(v->norm2, v->run);
	*v = (struct kernel_vectors){ 0 };
}

/* Do vectors v and w have equal columns in equal order, as numbered? */
static bool same_columns(const struct csr *x, int64_t v, int64_t w)
{
	int64_t n = x->row_start[v + 1] - x->row_start[v];

	return n == x->row_start[w + 1] - x->row_start[w] &&
	       memcmp(x->col + x->row_start[v], x->col + x->row_start[w],
		      (size_t)n * sizeof(*x->col)) == 0;
}

int kernel_vectors_number_columns(struct kernel_vectors *v, struct column_map *columns,
				  struct error *err)
{
	int64_t n_entries = csr_n_entries(&v->x);

	/* a small tile: to number the columns would take more time than the rest of a few sums */
	if (v->x.n_cols <= n_entries / KERNEL_TILE_ROWS) {
		*columns = (struct column_map){ .n = v->x.n_cols };
		return 0;
	}
	if (column_map_init(columns, &v->x, err) < 0 || column_map_list(columns, err) < 0)
		return -1;
	for (int64_t k = 0; k < n_entries; k++)
		v->x.col[k] = column_map_find(columns, v->x.col[k]);
	v->x.n_cols = columns->n;
	v->column = columns->list;
	return 0;
}

int kernel_vectors_prepare(struct kernel_vectors *v, const struct kernel *kernel, struct error *err)
{
	int64_t n = v->x.n_rows;

	v->run = mem_array(n, sizeof(*v->run), err);
	v->norm2 = kernel->type == KERNEL_RBF ? mem_array(n, sizeof(*v->norm2), err) : NULL;
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t i = n - 1; i >= 0; i--) {
		bool continues =
			i + 1 < n && v->run[i + 1] < INT32_MAX && same_columns(&v->x, i, i + 1);

		v->run[i] = continues ? v->run[i + 1] + 1 : 1;
		if (!v->norm2)
			continue;
		v->norm2[i] = csr_row_norm2(&v->x, i);
		v->has_far |= kernel_is_far(kernel, v->norm2[i]);
	}
	return 0;
}
