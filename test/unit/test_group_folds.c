/*
 * test_group_folds.c - folds that keep the rows of a group together
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <string.h>

#include "evaluate/group_folds.h"
#include "failing.h"
#include "random.h"
#include "unit.h"

enum { ROWS = 400 };

/* Names "g0" to "g39": of 40 groups, some of them large. */
static void name_groups(char name[ROWS][16], struct text_span *group)
{
	for (int i = 0; i < ROWS; i++) {
		int64_t g = i < 40 ? i : random_below(random_below(2) ? 40 : 8);

		snprintf(name[i], sizeof name[i], "g%d", (int)g);
		group[i] = (struct text_span){ name[i], (int64_t)strlen(name[i]) };
	}
}

/* Groups whole, no fold empty, and folds differ by no more than the largest group. */
static void test_groups(void)
{
	static char name[ROWS][16];
	struct text_span group[ROWS];
	int32_t fold[ROWS];

	for (int64_t n_folds = 2; n_folds < 12; n_folds++) {
		int64_t size[12] = { 0 }, n_groups, low = ROWS, high = 0, largest = 0;
		struct error err = { 0 };

		name_groups(name, group);
		CHECK(group_folds_draw(group, ROWS, 7, n_folds, fold, &n_groups, &err) == 0, "%s",
		      err.text);
		CHECK(n_groups == 40, "%d groups", (int)n_groups);
		for (int i = 0; i < ROWS; i++) {
			int64_t n = 0;

			CHECK(fold[i] >= 0 && fold[i] < n_folds, "fold %d", fold[i]);
			size[fold[i]]++;
			for (int j = 0; j < ROWS; j++)
				if (strcmp(name[i], name[j]) == 0) {
					CHECK(fold[i] == fold[j], "%s in two folds", name[i]);
					n++;
				}
			largest = n > largest ? n : largest;
		}
		for (int64_t k = 0; k < n_folds; k++) {
			low = size[k] < low ? size[k] : low;
			high = size[k] > high ? size[k] : high;
		}
		CHECK(low > 0 && high - low <= largest, "folds of %d to %d rows", (int)low,
		      (int)high);
	}
}

static int draw(void *arg, struct error *err)
{
	static char name[ROWS][16];
	struct text_span group[ROWS];
	int32_t fold[ROWS];
	int64_t n_groups;

	(void)arg;
	name_groups(name, group);
	return group_folds_draw(group, ROWS, 1, 3, fold, &n_groups, err);
}

int main(void)
{
	test_groups();
	CHECK(fail_each_allocation("groups", draw, NULL) == 3, "another number of allocations");
	return unit_report("group_folds");
}
