/*
 * weights.c - the weights of the features in a linear model of either kind
 *
 * How this works.  Both kinds of linear model end as one table, features that have a weight by
 * decision values:
 *
 *      decision value     0     1     2
 *      feature[0] =  3   .2     0   -.1       w[0 * n_columns + v]
 *      feature[1] = 17    0    .4    .4       w[1 * n_columns + v]
 *      constant          -1    .3     0       constant[v]
 *
 *  (1) LIBLINEAR's weights are such a table already, with a row for every feature.  Rows of zeros
 *      are left out; the constant is the bias times its weight, which is in the last row; a
 *      one-class model subtracts rho from it.
 *  (2) A model of support vectors is summed up first (model/compact.h), so that vector v has the
 *      weights of decision value v.  The columns that any vector has are the features (3); then the
 *      entries of vector v go to column v of the table, by their numbers (4).
 *
 * Ranking (5) sorts by the |weight| of a decision value, then by the feature, so that the order is
 * total and the same with any qsort().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "model/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/order.h"
#include "matrix/column_map.h"
#include "model/compact.h"

void model_weights_free(struct model_weights *w)
{
	mem_free_all(w->feature, w->w, w->constant);
	*w = (struct model_weights){ 0 };
}

/* Room for n features; all weights 0. */
static int allocate(struct model_weights *w, int64_t n, int64_t n_columns, struct error *err)
{
	w->n_columns = n_columns;
	w->feature = mem_array(n, sizeof(*w->feature), err);
	w->w = mem_zeroed(n * n_columns, sizeof(*w->w), err);
	w->constant = mem_zeroed(n_columns, sizeof(*w->constant), err);
	return w->feature && w->w && w->constant ? 0 : -1;
}

/* (1): the table gets room for all features, also for those that turn out to have no weight. */
static int from_liblinear(struct model_weights *w, const struct linear_model *l, struct error *err)
{
	int64_t n_columns = l->n_columns;

	if (allocate(w, l->n_features, n_columns, err) < 0)
		return -1;
	for (int64_t j = 0; j < l->n_features; j++) {
		const double *row = l->w + j * n_columns;

		if (are_zeros(row, n_columns))
			continue;
		/* files number features from 1, rows of l->w count from 0 */
		w->feature[w->n] = j + 1;
		memcpy(w->w + w->n * n_columns, row, (size_t)n_columns * sizeof(*row));
		w->n++;
	}
	/* a negative bias says that the model has none: no row follows the last feature's */
	for (int64_t v = 0; v < n_columns && l->bias >= 0; v++)
		w->constant[v] = l->bias * l->w[l->n_features * n_columns + v];
	if (l->one_class)
		w->constant[0] -= l->rho;
	return 0;
}

/* (2): vector v of a compact model has the weights of decision value v. */
static int from_compact(struct model_weights *w, const struct model *m, struct error *err)
{
	const struct csr *sv = &m->sv;
	struct column_map map = { 0 };
	int ret = -1;

	if (column_map_init(&map, sv, err) < 0 || column_map_sort(&map, err) < 0 || /* (3) */
	    allocate(w, map.n, sv->n_rows, err) < 0)
		goto out;
	w->n = map.n;
	for (int64_t i = 0; i < w->n; i++)
		w->feature[i] = map.list[i];
	for (int64_t v = 0; v < sv->n_rows; v++) {
		w->constant[v] = -m->solution.rho[v];
		for (int64_t k = sv->row_start[v]; k < sv->row_start[v + 1]; k++) /* (4) */
			w->w[column_map_find(&map, sv->col[k]) * sv->n_rows + v] = sv->val[k];
	}
	ret = 0;
out:
	column_map_free(&map);
	return ret;
}

int model_weights(struct model_weights *w, const struct model *m, struct error *err)
{
	struct model compact = { 0 };
	int ret = -1;

	*w = (struct model_weights){ 0 };
	if (m->is_linear_model)
		ret = from_liblinear(w, &m->linear, err);
	else if (model_compact(&compact, m, err) == 0 && model_check(&compact, err) == 0)
		ret = from_compact(w, &compact, err);
	model_free(&compact);
	if (ret < 0)
		model_weights_free(w);
	return ret;
}

int64_t *model_weights_order(const struct model_weights *w, int64_t column, struct error *err)
{
	struct order_key *list = mem_array(w->n, sizeof(*list), err);
	int64_t *order = mem_array(w->n, sizeof(*order), err);

	/*
	 * (5): by descending size; among equal sizes by ascending number, so by ascending feature.
	 * Bits of numbers that are not negative have the order of the numbers.
	 */
	for (int64_t i = 0; list && i < w->n; i++) {
		const double size = fabs(w->w[i * w->n_columns + column]);

		memcpy(&list[i].key, &size, sizeof(size));
		list[i] = (struct order_key){ ~list[i].key, (uint32_t)i };
	}
	if (list && order && w->n > 0)
		qsort(list, (size_t)w->n, sizeof(*list), order_keys);
	for (int64_t i = 0; list && order && i < w->n; i++)
		order[i] = list[i].id;
	mem_free(list);
	/* on an error the order may be there without the list: it is freed */
	if (err->code == ERR_NONE)
		return order;
	mem_free(order);
	return NULL;
}
