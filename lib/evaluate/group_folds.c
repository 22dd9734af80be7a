/*
 * group_folds.c - folds that keep the rows of a group together
 *
 * How this works.  Rows sorted by the name of their group lie together, which makes the groups (1).
 * Groups sorted by size are dealt out (2): a large group that came late would leave folds of very
 * different sizes.
 *
 *     member    rows sorted by name of the group, then by row       16 + 8 bytes a row
 *     list      first member and number of each group, sorted by size, equal sizes by a draw
 *     size      rows of each fold so far; a group goes to the fold with the fewest
 *
 * O(n log n) for sorting and O(groups folds) for dealing.  Draws depend on the first row of a group
 * and the seed, not on names: groups called otherwise have the same folds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/group_folds.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/rng.h"

struct member {
	struct text_span group;
	int64_t row;
};

/* One group of rows: first .. first + n - 1 of the sorted members. */
struct row_group {
	int64_t first, n;
	uint64_t draw; /* random number that orders groups of equal size */
};

static int compare_names(const struct text_span *a, const struct text_span *b)
{
	int order = memcmp(a->start, b->start, (size_t)int64_min(a->length, b->length));

	return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_members(const void *a, const void *b)
{
	/*
	 * rows of a group stay in the order of the data, so that the first row draws for the group
	 */
	const struct member *x = a, *y = b;
	int order = compare_names(&x->group, &y->group);

	return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

static int compare_groups(const void *a, const void *b)
{
	const struct row_group *x = a, *y = b;

	/* the largest group comes first */
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	/* groups of equal size are in random order */
	if (x->draw != y->draw)
		return x->draw > y->draw ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* Step (1): find the groups; a group's draw is that of its first row, whatever its name. */
static int64_t find_groups(const struct member *member, int64_t n, uint64_t seed,
			   struct row_group *group)
{
	int64_t n_groups = 0;

	for (int64_t k = 0; k < n; k++) {
		/* another row of the group that began before */
		if (k > 0 && compare_names(&member[k].group, &member[k - 1].group) == 0) {
			group[n_groups - 1].n++;
			continue;
		}
		group[n_groups++] = (struct row_group){
			k, 1, rng_first64(rng_draw(seed, RNG_FOLD, (uint64_t)member[k].row, 0))
		};
	}
	return n_groups;
}

/* Step (2): give each group to the fold that has the fewest rows so far. */
static void deal(const struct member *member, const struct row_group *group, int64_t n_groups,
		 int64_t *size, int64_t n_folds, int32_t *fold)
{
	for (int64_t g = 0; g < n_groups; g++) {
		int64_t least = 0;

		for (int64_t k = 1; k < n_folds; k++)
			/* of equally small folds the first one gets the group */
			if (size[k] < size[least])
				least = k;
		size[least] += group[g].n;
		for (int64_t k = group[g].first; k < group[g].first + group[g].n; k++)
			fold[member[k].row] = (int32_t)least;
	}
}

int group_folds_draw(const struct text_span *group, int64_t n, uint64_t seed, int64_t n_folds,
		     int32_t *fold, int64_t *n_groups, struct error *err)
{
	struct member *member = mem_array(n, sizeof(*member), err);
	struct row_group *list = mem_array(n, sizeof(*list), err);
	int64_t *size = mem_zeroed(n_folds, sizeof(*size), err);
	int ret = -1;

	if (!member || !list || !size)
		goto out;
	for (int64_t i = 0; i < n; i++)
		member[i] = (struct member){ group[i], i };
	/* from here on the rows of a group are neighbours */
	qsort(member, (size_t)n, sizeof(*member), compare_members);
	*n_groups = find_groups(member, n, seed, list);
	qsort(list, (size_t)*n_groups, sizeof(*list), compare_groups);
	deal(member, list, *n_groups, size, n_folds, fold);
	ret = 0;
out:
	mem_free(member);
	mem_free(list);
	mem_free(size);
	return ret;
}
