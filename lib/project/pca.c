/*
 * pca.c - rows turned to their principal components
 *
 * z = (x - mean) V = x V - mean V: a row is not centred, which would fill it; its entries select
 * rows of V, and the offset mean V, the same for all rows, is computed once.  With means far from 0
 * that loses the digits that x V and mean V have in common, which centring first would keep.
 *
 * The components are found in pca_fit.c.
 *
 * Layout: feature[j] is the j-th feature that occurred in training, mean[j] its mean, and row j of
 * component, k numbers, its entries in the k components; the map finds j from a feature.  A row
 * then costs k additions for each of its entries.  Features that did not occur in training have no
 * row of V: their values are left out.
 *
 * A pca is only read by pca_apply(): threads may share it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/pca.h"

#include "base/mem.h"
#include "matrix/blas.h"

void pca_free(struct pca *p)
{
	mem_free_all(p->feature, p->mean, p->component, p->singular_value, p->offset);
	column_map_free(&p->map);
	*p = (struct pca){ 0 };
}

int pca_prepare(struct pca *p, struct error *err)
{
	int64_t row_start[] = { 0, p->n_features }, k = p->n_components;
	struct csr all = { .n_rows = 1, .row_start = row_start, .col = p->feature };

	/* column_map_init() numbers features as they occur: in one row with all, in order */
	if (column_map_init(&p->map, &all, err) < 0)
		return -1;
	p->offset = mem_zeroed(k, sizeof(*p->offset), err);
	if (!p->offset || blas_load(err) < 0)
		return -1;
	for (int64_t j = 0; j < p->n_features; j++)
		blas_add_scaled(p->offset, k, p->mean[j], p->component + j * k);
	return 0;
}

int pca_apply(const struct pca *p, struct row_range rows, struct row_batch *out, struct error *err)
{
	const struct row_batch *in = rows.in;
	int64_t k = p->n_components;
	double *z = mem_array(k, sizeof(*z), err);

	int ret = row_batch_reserve(out, rows.n, rows.n * k, in->has_text, err);

	if (!z)
		ret = -1;
	for (int64_t i = rows.first; ret == 0 && i < rows.first + rows.n; i++) {
		for (int64_t t = 0; t < k; t++)
			z[t] = -p->offset[t];
		for (int64_t e = in->row_start[i]; e < in->row_start[i + 1]; e++) {
			int64_t j = column_map_find(&p->map, in->index[e]);

			if (j >= 0)
				blas_add_scaled(z, k, in->value[e], p->component + j * k);
		}
		for (int64_t t = 0; t < k; t++)
			if (z[t] != 0)
				row_batch_put(out, (int32_t)(t + 1), z[t]);
		row_batch_end_mapped(out, in, i);
	}
	mem_free(z);
	return ret;
}
