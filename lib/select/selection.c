/*
 * selection.c - features chosen, with weights, and how to apply them to rows
 *
 * How this works.  Each entry of a row asks: is its feature chosen, and which is it?  The index
 * answers by a map of columns (matrix/column_map.h), whose columns are the chosen features and
 * whose numbers are 0 .. n - 1 in ascending order: less than two looks into a hash table on
 * average, whatever the largest feature is.
 *
 *     feature   [40, 7, 23]            in the order of choice
 *     index     map.list [7, 23, 40]   place [1, 2, 0]
 *
 * selection_find() of 23 gives 1, its number in ascending order, by which files call it if features
 * are numbered afresh; place[1] = 2 is where its weight and score are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selection.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/order.h"

int selection_init(struct selection *s, int64_t room, struct error *err)
{
	*s = (struct selection){ 0 };
	/* numbers of more features would not fit into the slots of an index */
	if (room > SELECTION_MOST)
		return error_set(err, ERR_ARGUMENT, "more than %d features to be selected",
				 SELECTION_MOST);
	*s = (struct selection){ .feature = mem_array(room, sizeof(*s->feature), err),
				 .weight = mem_array(room, sizeof(*s->weight), err),
				 .score = mem_array(room, sizeof(*s->score), err) };
	if (s->feature && s->weight && s->score)
		return 0;
	selection_free(s);
	return -1;
}

void selection_free(struct selection *s)
{
	mem_free_all(s->feature, s->weight, s->score);
	*s = (struct selection){ 0 };
}

static int compare_scored(const void *a, const void *b)
{
	const struct scored_column *x = a, *y = b;

	/* the largest score first; equal scores by column, so that the order is unique */
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

void scored_columns_sort(struct scored_column *list, int64_t n)
{
	qsort(list, (size_t)n, sizeof(*list), compare_scored);
}

struct scored_column *scored_columns_of(const double *score, int64_t n, int64_t *n_listed,
					struct error *err)
{
	/* room for all columns, although those without a score do not come into the list */
	struct scored_column *list = mem_array(n, sizeof(*list), err);

	*n_listed = 0;
	for (int64_t j = 0; list && j < n; j++)
		if (score[j] > 0)
			list[(*n_listed)++] = (struct scored_column){ score[j], (int32_t)j };
	if (list)
		scored_columns_sort(list, *n_listed);
	return list;
}

int selection_of_columns(struct selection *s, struct scored_column *list, int64_t n, int64_t most,
			 const int32_t *feature, double factor, struct error *err)
{
	scored_columns_sort(list, n);
	if (selection_init(s, int64_min(most, n), err) < 0)
		return -1;
	for (int64_t k = 0; k < n && k < most; k++)
		selection_add(s, feature[list[k].column], 1, list[k].score * factor);
	return 0;
}

int selection_of_scores(struct selection *s, const double *score, int64_t n, int64_t most,
			const int32_t *feature, double factor, struct error *err)
{
	int64_t n_listed;
	struct scored_column *list = scored_columns_of(score, n, &n_listed, err);
	int ret = list ? selection_of_columns(s, list, n_listed, most, feature, factor, err) : -1;

	mem_free(list);
	return ret;
}

void selection_index_free(struct selection_index *index)
{
	column_map_free(&index->map);
	mem_free(index->place);
	*index = (struct selection_index){ 0 };
}

int selection_index_init(struct selection_index *index, const struct selection *s,
			 struct error *err)
{
	int ret;

	*index = (struct selection_index){ .place = mem_array(s->n, sizeof(*index->place), err) };
	ret = index->place ? 0 : -1;
	for (int64_t k = 0; k < s->n && ret == 0; k++) {
		ret = column_map_add(&index->map, s->feature[k], err) < 0 ? -1 : 0;
		if (ret == 0 && index->map.n == k)
			ret = error_set(err, ERR_ARGUMENT, "feature %" PRId32 " is selected twice",
					s->feature[k]);
	}
	if (ret == 0 && s->n > 0)
		ret = column_map_sort(&index->map, err);
	for (int64_t k = 0; k < s->n && ret == 0; k++)
		index->place[selection_find(index, s->feature[k])] = (int32_t)k;
	if (ret < 0)
		selection_index_free(index);
	return ret;
}
