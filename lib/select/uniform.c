/*
 * uniform.c - features at random, for comparison
 *
 * How this works.  Feature j has the key draw(seed, j), 64 random bits; the r smallest keys are
 * chosen, in their order.  That is a uniform subset of size r, as all orders of the keys are as
 * likely (equal keys, of 2^64, aside).  A feature's key does not depend on what other features
 * there are, so that a choice is the beginning of any larger one.  order_keep_least() keeps the r
 * smallest so far in a heap.
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
#include "base/order.h"
#include "base/rng.h"
#include "matrix/columns.h"

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
