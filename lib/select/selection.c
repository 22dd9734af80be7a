/*
 * selection.c - features chosen, with weights, and how to apply them to rows
 *
 * How this works.  Each entry of a row asks: is its feature chosen, and which is it?  The index
 * answers by a hash table of the numbers 0 .. n - 1 of the chosen features in ascending order, with
 * linear probing: a feature starts at the high bits of its product with 2^32 / phi, rounded to an
 * odd number (Knuth, The Art of Computer Programming 3, section 6.4), and goes on to the next slot
 * until it is met or a slot is empty.  At least half of the slots are empty, so that this takes
 * less than two looks on average, whatever the largest feature is.
 *
 *     feature   [40, 7, 23]        in the order of choice
 *     index     feature [7, 23, 40]    place [1, 2, 0]    slot [.., 2, .., 0, 1, ..]   of 8
 *
 * selection_find() of 23 gives 1, its number in ascending order, by which files call it if features
 * are numbered afresh; place[1] = 2 is where its weight and score are.  Four bytes a slot and eight
 * a feature; a selection of a million features has an index of 16 MB.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selection.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
	mem_free_all(index->feature, index->place, index->slot);
	*index = (struct selection_index){ 0 };
}

/* A chosen feature, and its number in the order of choice. */
struct placed {
	int32_t feature, place; /* the feature first, for order_int32s() */
};

/* Fill index->feature with the features in ascending order, and index->place with their places. */
static int sort_features(struct selection_index *index, const struct selection *s,
			 struct error *err)
{
	struct placed *placed = mem_array(s->n, sizeof(*placed), err);
	int ret = placed ? 0 : -1;

	for (int64_t k = 0; k < s->n && placed; k++)
		placed[k] = (struct placed){ s->feature[k], (int32_t)k };
	if (placed)
		qsort(placed, (size_t)s->n, sizeof(*placed), order_int32s);
	for (int64_t k = 0; k < s->n && ret == 0; k++) {
		index->feature[k] = placed[k].feature;
		index->place[k] = placed[k].place;
		if (k > 0 && placed[k].feature == placed[k - 1].feature)
			ret = error_set(err, ERR_ARGUMENT, "feature %" PRId32 " is selected twice",
					placed[k].feature);
	}
	mem_free(placed);
	return ret;
}

/* Multiplicative hash, 2^32 / phi: its high bits depend on all bits of the feature. */
static uint32_t first_slot(const struct selection_index *index, int32_t feature)
{
	return (uint32_t)feature * UINT32_C(2654435769) >> index->shift;
}

int selection_index_init(struct selection_index *index, const struct selection *s,
			 struct error *err)
{
	int bits = 1;

	while (INT64_C(1) << bits < 2 * s->n) /* half of the slots stay empty */
		bits++;
	*index = (struct selection_index){ .n = s->n,
					   .feature = mem_array(s->n, sizeof(*index->feature), err),
					   .place = mem_array(s->n, sizeof(*index->place), err),
					   .mask = (uint32_t)((UINT64_C(1) << bits) - 1),
					   .shift = 32 - bits,
					   .slot = mem_array(INT64_C(1) << bits,
							     sizeof(*index->slot), err) };
	if (!index->feature || !index->place || !index->slot || sort_features(index, s, err) < 0) {
		selection_index_free(index);
		return -1;
	}
	/* bytes of 0xff make each number -1, an empty slot */
	memset(index->slot, 0xff, sizeof(*index->slot) << bits);
	/* features differ from each other, so no feature is compared with those before it */
	for (int64_t k = 0; k < index->n; k++) {
		uint32_t slot = first_slot(index, index->feature[k]);

		while (index->slot[slot] >= 0)
			slot = (slot + 1) & index->mask;
		index->slot[slot] = (int32_t)k;
	}
	return 0;
}

/* selection_find() - place of the feature in index->feature, or -1 if the search fails */
int64_t selection_find(const struct selection_index *index, int32_t feature)
{
	uint32_t slot = first_slot(index, feature);

	/* the search ends at the feature's slot, or at an empty one */
	while (index->slot[slot] >= 0 && index->feature[index->slot[slot]] != feature)
		slot = (slot + 1) & index->mask;
	return index->slot[slot];
}
