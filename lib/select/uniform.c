/*
 * uniform.c - features at random, for comparison
 *
 * How this works.  Feature j has the key draw(seed, j), 64 random bits; the r smallest keys are
 * chosen, in their order.  That is a uniform subset of size r, as all orders of the keys are as
 * likely (equal keys, of 2^64, aside).  A feature's key does not depend on what other features
 * there are, so that a choice is the beginning of any larger one.  The r smallest so far are a heap
 * with the largest of them on top (Williams 1964, Algorithm 232): a new key is compared with that
 * one, and mostly discarded.
 *
 * O(d log r) at the worst, O(d + r log d log r) on average, as the j-th feature enters the heap
 * with probability r / j.  Memory is 16 bytes a feature chosen; the features themselves are looked
 * at one by one and need no list.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/uniform.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/rng.h"
#include "matrix/columns.h"

struct keyed_feature {
	uint64_t key;
	/* number index - 1 of the feature: 2^32 - 1 for index 0, which no other feature has */
	uint32_t number;
};

/* Heap of the r features of smallest key so far: a parent (i - 1) / 2 is not before child i. */
struct smallest {
	struct keyed_feature *heap;
	int64_t n, r;
	uint64_t seed;
};

/* Order by ascending key; of equal keys the smaller number first, so that the order is unique. */
static int by_key(const void *a, const void *b)
{
	const struct keyed_feature *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Put f into the gap at the end of the heap, moving down features on the way that come before f. */
static void rise(struct keyed_feature *heap, int64_t gap, struct keyed_feature f)
{
	/* a parent that comes before f in the order moves down into the gap */
	while (gap > 0 && by_key(&heap[(gap - 1) / 2], &f) < 0) {
		heap[gap] = heap[(gap - 1) / 2];
		gap = (gap - 1) / 2;
	}
	heap[gap] = f;
}

/* Replace the first feature of the heap, which is dropped, by f; larger keys below move up. */
static void sink(struct keyed_feature *heap, int64_t n, struct keyed_feature f)
{
	int64_t gap = 0, child;

	/* the larger of the two children may have to move up */
	while ((child = 2 * gap + 1) < n) {
		child += child + 1 < n && by_key(&heap[child], &heap[child + 1]) < 0;
		if (by_key(&heap[child], &f) < 0)
			break;
		heap[gap] = heap[child];
		gap = child;
	}
	heap[gap] = f;
}

/* Keep the feature if it is one of the r smallest so far. */
static void offer(struct smallest *s, int64_t feature)
{
	uint32_t number = (uint32_t)(feature - 1);
	struct rng_block draw = rng_draw(s->seed, RNG_UNIFORM_FEATURE, number, 0);
	struct keyed_feature f = { rng_first64(draw), number };

	/* until the heap has r features each one joins */
	if (s->n < s->r)
		rise(s->heap, s->n++, f);
	/* a key below the largest one takes its place */
	else if (by_key(&f, &s->heap[0]) < 0)
		sink(s->heap, s->n, f);
}

/* Has any row a value of feature 0, which would be the row's first? */
static bool has_feature_0(const struct csr *x)
{
	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1] && x->col[k] == 0; k++)
			if (x->val[k] != 0)
				return true;
	return false;
}

/* Fill the selection in the order of keys; a feature's score is its key as a number in (0, 1). */
static void fill_selection(struct selection *s, struct smallest *smallest)
{
	/* the selection is in ascending order of the keys */
	qsort(smallest->heap, (size_t)smallest->n, sizeof(*smallest->heap), by_key);
	for (int64_t k = 0; k < smallest->n; k++)
		selection_add(s, (int32_t)(smallest->heap[k].number + 1), 1,
			      rng_unit(smallest->heap[k].key));
}

int uniform_select(struct selection *s, const struct csr *x, const struct uniform_options *o,
		   struct error *err)
{
	struct smallest smallest = { .seed = o->seed };
	struct columns c = { 0 };
	int64_t n = x->n_cols;
	int ret = -1;

	*s = (struct selection){ 0 };
	if (!o->all) {
		if (columns_init(&c, x, err) < 0)
			return -1;
		n = c.n;
	}
	/* n counts the features that occur, or all */
	smallest.r = int64_min(o->n_features, n);
	if (selection_init(s, smallest.r, err) == 0)
		smallest.heap = mem_array(smallest.r, sizeof(*smallest.heap), err);
	if (smallest.heap) {
		/* all features are 1 .. n_cols - 1, and 0 if a row has it */
		for (int64_t j = o->all && !has_feature_0(x); j < n; j++)
			offer(&smallest, o->all ? j : c.feature[j]);
		fill_selection(s, &smallest);
		ret = 0;
	} else {
		selection_free(s);
	}
	mem_free(smallest.heap);
	columns_free(&c);
	return ret;
}
