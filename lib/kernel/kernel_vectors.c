/*
 * kernel_vectors.c - sparse vectors made ready to meet tiles of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/kernel_vectors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void kernel_vectors_free(struct kernel_vectors *v)
{
	csr_free(&v->x);
	free(v->norm2);
	free(v->run);
	*v = (struct kernel_vectors){ 0 };
}

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

	if (column_map_init(columns, &v->x, err) < 0)
		return -1;
	for (int64_t k = 0; k < n_entries; k++)
		v->x.col[k] = column_map_find(columns, v->x.col[k]);
	v->x.n_cols = columns->n;
	return 0;
}

int kernel_vectors_prepare(struct kernel_vectors *v, enum kernel_type type, struct error *err)
{
	int64_t n = v->x.n_rows;

	v->run = mem_array(n, sizeof(*v->run), err);
	v->norm2 = type == KERNEL_RBF ? mem_array(n, sizeof(*v->norm2), err) : NULL;
	if (err->code != ERR_NONE)
		return -1;
	for (int64_t i = n - 1; i >= 0; i--) {
		bool continues =
			i + 1 < n && v->run[i + 1] < INT32_MAX && same_columns(&v->x, i, i + 1);

		v->run[i] = continues ? v->run[i + 1] + 1 : 1;
		if (v->norm2)
			v->norm2[i] = csr_row_norm2(&v->x, i);
	}
	return 0;
}
