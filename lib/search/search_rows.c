/*
 * search_rows.c - the rows in the order of the folds, and what the kernels of a search share
 *
 *     rows       fold 0: class a, class b, ...   fold 1: class a, class b, ...
 *     matrix     K(x, z) of any two of them, for one kernel after the other
 *     sparse     in its place, the rows of linear kernels, whose products are computed when wanted
 *
 * So the rows of a fold are a part of each row of the matrix, and those outside are two.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/arithmetic.h"
#include "base/mem.h"
#include "kernel/kernel_tile.h"
#include "search/search_work.h"

void search_rows_free(struct search_rows *r)
{
	product_rows_free(&r->sparse);
	dataset_free(&r->data);
	mem_free_all(r->row, r->place);
	*r = (struct search_rows){ 0 };
}

/*
 * List the rows of no fold, and of each, those of a fold by class; rank[i] is the place of row i by
 * class.
 */
static void order_rows(const struct folds *f, const int64_t *rank, int64_t *row)
{
	for (int64_t k = -1; k < f->n; k++) {
		const int64_t first = k < 0 ? 0 : f->start[k];

		for (int64_t i = first; i < f->start[k + 1]; i++) {
			int64_t j = i;

			/* folds are mostly in the order of the classes already */
			for (; j > first && rank[row[j - 1]] > rank[f->row[i]]; j--)
				row[j] = row[j - 1];
			row[j] = f->row[i];
		}
	}
}

int search_rows_init(struct search_rows *r, const struct search_run *run, bool is_linear,
		     struct error *err)
{
	const struct trainer *t = &run->machine->trainer;
	const struct classes *classes = &run->machine->classes;
	int64_t n = t->data->x.n_rows;
	int64_t *rank = mem_zeroed(n, sizeof(*rank), err);

	*r = (struct search_rows){ 0 };
	r->row = mem_array(n, sizeof(*r->row), err);
	r->place = mem_array(n, sizeof(*r->place), err);
	if (err->code == ERR_NONE) {
		/* the class of each row; without classes rows keep the order of their fold */
		count_up(r->place, n);
		for (int c = 0; c < classes->n; c++)
			for (int64_t k = classes->start[c]; k < classes->start[c + 1]; k++)
				rank[classes->row[k]] = c;
		order_rows(&run->folds, rank, r->row);
	}
	mem_free(rank);
	if (err->code == ERR_NONE && dataset_gather(&r->data, t->data, r->row, n, err) == 0 &&
	    (!is_linear || product_rows_init(&r->sparse, &r->data.x, err) == 0))
		return 0;
	search_rows_free(r);
	return -1;
}

void search_kernel_free(struct search_kernel *k)
{
	kernel_matrix_free(&k->matrix);
	*k = (struct search_kernel){ 0 };
}

int search_kernel_init(struct search_kernel *k, const struct search_rows *r,
		       const struct kernel *kernel, int n_threads, struct error *err)
{
	if (r->sparse.norm2) {
		k->sparse = &r->sparse;
		return 0;
	}
	return (k->matrix.wide_own ? kernel_matrix_refill_doubles : kernel_matrix_init_doubles)(
		&k->matrix, &r->data.x, kernel, n_threads, err);
}

const struct kernel_source *search_source_init(struct search_source *s,
					       const struct search_kernel *k, bool rounds)
{
	*s = (struct search_source){ 0 };
	if (k->sparse) {
		s->sparse = product_source_of(k->sparse, rounds);
		return &s->sparse.base;
	}
	/* the matrix is only read: sources of matrices in single precision fill theirs */
	s->matrix = matrix_source_of_doubles((struct kernel_matrix *)&k->matrix, NULL, rounds);
	return &s->matrix.base;
}

int search_kernel_sums(const struct search_kernel *k, const struct product_sums *q,
		       struct error *err)
{
	const double **row;

	if (k->sparse)
		return product_rows_sums(k->sparse, q, err);
	row = mem_array(q->n_vectors, sizeof(*row), err);
	if (!row)
		return -1;
	for (int64_t j = 0; j < q->n_vectors; j++)
		row[j] = k->matrix.double_value + q->vector[j] * k->matrix.stride + q->first;
	for (int64_t i = 0; i < q->n; i++)
		q->value[i] = 0;
	kernel_sum_rows(row, q->coef, q->n_vectors, q->n, q->value);
	mem_free(row);
	return 0;
}
