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
 * The simplest choice is here too: features at random, uniform_select().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selection.h"

#include "base/mem.h"
#include "base/order.h"
#include "base/rng.h"
#include "matrix/columns.h"

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

int64_t selection_see(const struct selection_index *index, const int32_t *feature,
		      const double *value, int64_t n, bool *seen)
{
	int64_t n_new = 0;

	for (int64_t k = 0; k < n; k++) {
		const int64_t number = value[k] != 0 ? selection_find(index, feature[k]) : -1;

		if (number < 0 || seen[number])
			continue;
		seen[number] = true;
		n_new++;
	}
	return n_new;
}

static int compare_scored(const void *a, const void *b)
{
	const struct scored_column *x = a, *y = b;

	/* the largest score first; equal scores by column, so that the order is unique */
	return x->score != y->score ? ORDER_OF(y->score, x->score) : ORDER_OF(x->column, y->column);
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

/* Scores this near are told apart by rounding: leverage scores of a full rank are 1 to some 1e-13. */
#define TIED 1e-9

int selection_of_columns(struct selection *s, struct scored_column *list, int64_t n, int64_t most,
			 const int32_t *feature, double factor, struct error *err)
{
	scored_columns_sort(list, n);
	if (selection_init(s, int64_min(most, n), err) < 0)
		return -1;
	for (int64_t k = 0; k < n && k < most; k++)
		selection_add(s, feature[list[k].column], 1, list[k].score * factor);
	for (int64_t k = s->n; k > 0 && k < n && list[k].score >= (1 - TIED) * list[s->n - 1].score;
	     k++)
		s->n_tied++;
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

/* ---- Features at random, for comparison ---- */

/*
 * How this works.  Feature j has the key draw(seed, j), 64 random bits; the r smallest keys are
 * chosen, in their order.  That is a uniform subset of size r, as all orders of the keys are as
 * likely (equal keys, of 2^64, aside).  A feature's key does not depend on what other features
 * there are, so that a choice is the beginning of any larger one.  order_keep_least() keeps the r
 * smallest so far in a heap.
 *
 * O(d log r) at the worst, O(d + r log d log r) on average, as the j-th feature enters the heap
 * with probability r / j.  Memory is 16 bytes a feature chosen; the features themselves are looked
 * at one by one and need no list.
 */

/* Has any row a value of feature 0, which would be the row's first? */
static bool has_feature_0(const struct csr *x)
{
	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1] && x->col[k] == 0; k++)
			if (x->val[k] != 0)
				return true;
	return false;
}

int uniform_select(struct selection *s, const struct csr *x, int64_t r, bool all, uint64_t seed,
		   struct error *err)
{
	struct columns c = { 0 };
	/* the ids are index - 1: 2^32 - 1 for index 0, which no other feature has */
	struct order_key *least = NULL;
	int64_t n, n_kept = 0;
	int ret = -1;

	*s = (struct selection){ 0 };
	if (!all && columns_init(&c, x, NULL, err) < 0)
		return -1;
	/* n counts the features that occur, or all */
	n = all ? x->n_cols : c.n;
	r = int64_min(r, n);
	if (selection_init(s, r, err) == 0)
		least = mem_array(r, sizeof(*least), err);
	if (least) {
		/* all features are 1 .. n_cols - 1, and 0 if a row has it */
		for (int64_t j = all && !has_feature_0(x); j < n; j++) {
			const uint32_t id = (uint32_t)((all ? j : c.feature[j]) - 1);
			struct rng_block draw = rng_draw(seed, RNG_UNIFORM_FEATURE, id, 0);

			order_keep_least(least, &n_kept, r,
					 (struct order_key){ rng_first64(draw), id });
		}
		/* a feature's score is its key as a number in (0, 1) */
		qsort(least, (size_t)n_kept, sizeof(*least), order_keys);
		for (int64_t k = 0; k < n_kept; k++)
			selection_add(s, (int32_t)(least[k].id + 1), 1, rng_unit(least[k].key));
		ret = 0;
	} else {
		selection_free(s);
	}
	mem_free(least);
	columns_free(&c);
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
