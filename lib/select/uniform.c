/*
 * uniform.c - features at random, for comparison
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/uniform.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "matrix/columns.h"

/* The features to choose from, as the numbers their draws go by; NULL on failure. */
static int64_t *candidates(const struct csr *x, bool all, int64_t *n, struct error *err)
{
	struct columns c = { 0 };
	int64_t *id = NULL;

	*n = x->n_cols > 0 ? x->n_cols - 1 : 0;
	if (!all) {
		if (columns_init(&c, x, err) < 0)
			return NULL;
		*n = c.n;
	}
	id = mem_array(*n, sizeof(*id), err);
	for (int64_t j = 0; id && j < *n; j++)
		id[j] = all ? j : (uint32_t)c.feature[j] - 1;
	columns_free(&c);
	return id;
}

struct keyed_feature {
	uint64_t key;
	uint32_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct keyed_feature *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int add_in_order(struct selection *s, const int64_t *id, int64_t r, uint64_t seed,
			struct error *err)
{
	struct keyed_feature *list = mem_array(r, sizeof(*list), err);

	if (!list)
		return -1;
	for (int64_t k = 0; k < r; k++) {
		struct rng_block draw = rng_draw(seed, RNG_UNIFORM_FEATURE, (uint64_t)id[k], 0);

		list[k] = (struct keyed_feature){ rng_first64(draw), (uint32_t)id[k] };
	}
	qsort(list, (size_t)r, sizeof(*list), by_key);
	for (int64_t k = 0; k < r; k++)
		selection_add(s, (int32_t)(list[k].number + 1), 1, rng_unit(list[k].key));
	free(list);
	return 0;
}

int uniform_select(struct selection *s, const struct csr *x, const struct uniform_options *o,
		   struct error *err)
{
	int64_t n, r, *id = candidates(x, o->all, &n, err);
	int ret = -1;

	*s = (struct selection){ 0 };
	if (!id)
		return -1;
	r = o->n_features < n ? o->n_features : n;
	if (selection_init(s, r, err) == 0 &&
	    rng_subset(o->seed, RNG_UNIFORM_FEATURE, 0, id, n, r, err) == 0)
		ret = add_in_order(s, id, r, o->seed, err);
	free(id);
	if (ret < 0)
		selection_free(s);
	return ret;
}
