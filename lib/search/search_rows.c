/*
 * search_rows.c - the rows in the order of the folds, and what the kernels of a search share
 *
 *     rows       fold 0: class a, class b, ...   fold 1: class a, class b, ...
 *     products   x.z of any two of them, once for all kernels; or none
 *     matrix     K(x, z) as a function of products and norms, or from the rows, for each kernel
 *
 * So the rows of a fold are a part of each row of the matrix, and those outside are two.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "base/mem.h"
#include "search/search_work.h"

void search_rows_free(struct search_rows *r)
{
	kernel_matrix_free(&r->products);
	dataset_free(&r->data);
	mem_free(r->row);
	mem_free(r->place);
	mem_free(r->norm2);
	*r = (struct search_rows){ 0 };
}

/* List the rows of the folds, those of a fold by class; rank[i] is the place of row i by class. */
static void order_rows(const struct folds *f, const int64_t *rank, int64_t *row)
{
	for (int64_t k = 0; k < f->n; k++)
		for (int64_t i = f->start[k]; i < f->start[k + 1]; i++) {
			int64_t j = i;

			/* folds are mostly in the order of the classes already */
			for (; j > f->start[k] && rank[row[j - 1]] > rank[f->row[i]]; j--)
				row[j] = row[j - 1];
			row[j] = f->row[i];
		}
}

int search_rows_init(struct search_rows *r, const struct search_run *run, bool with_products,
		     struct error *err)
{
	const struct search *s = run->s;
	const struct kernel linear = { .type = KERNEL_LINEAR };
	int64_t n = s->data->x.n_rows;
	int64_t *rank = mem_array(n, sizeof(*rank), err);

	*r = (struct search_rows){ 0 };
	r->row = mem_array(n, sizeof(*r->row), err);
	r->place = mem_array(n, sizeof(*r->place), err);
	r->norm2 = mem_array(n, sizeof(*r->norm2), err);
	if (err->code == ERR_NONE) {
		/* the class of each row; without classes rows keep the order of their fold */
		for (int64_t i = 0; i < n; i++)
			rank[i] = r->place[i] = i;
		for (int64_t i = 0; i < n && !run->classifies; i++)
			rank[i] = 0;
		for (int c = 0; run->classifies && c < run->classes.n; c++)
			for (int64_t k = run->classes.start[c]; k < run->classes.start[c + 1]; k++)
				rank[run->classes.row[k]] = c;
		order_rows(&run->folds, rank, r->row);
	}
	mem_free(rank);
	if (err->code == ERR_NONE && dataset_gather(&r->data, s->data, r->row, n, err) == 0 &&
	    (!with_products || kernel_matrix_init_wide(&r->products, &r->data.x, &linear,
						       s->options->n_threads, err) == 0)) {
		for (int64_t i = 0; i < n; i++)
			r->norm2[i] = csr_row_norm2(&r->data.x, i);
		return 0;
	}
	search_rows_free(r);
	return -1;
}

int search_rows_matrix(const struct search_rows *r, const struct kernel *kernel, int n_threads,
		       struct kernel_matrix *m, struct error *err)
{
	if (!r->products.wide_value)
		return kernel_matrix_init_wide(m, &r->data.x, kernel, n_threads, err);
	return kernel_matrix_init_mapped(m, &r->products, r->norm2, kernel, n_threads, err);
}
