/*
 * test_group_folds.c - folds that keep the rows of a group together
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "evaluate/folds.h"
#include "failing.h"
#include "matrix/row_groups.h"
#include "random.h"
#include "unit.h"

enum { ROWS = 400, GROUPS = 40, CLASSES = 3 };

struct grouped {
	int64_t group[ROWS];
	double y[ROWS];
	struct dataset d; /* the rows without features; its arrays are these */
	struct classes classes;
};

/* 40 groups, some of them large, each mostly of one class. */
static void draw_groups(struct grouped *g)
{
	struct error err = { 0 };

	for (int i = 0; i < ROWS; i++) {
		int64_t number = i < GROUPS ? i : random_below(random_below(2) ? GROUPS : 8);

		g->group[i] = 1000 - 7 * number;
		g->y[i] = (double)(random_below(8) ? number % CLASSES : random_below(CLASSES));
	}
	g->d = (struct dataset){ .x.n_rows = ROWS, .y = g->y, .group = g->group };
	CHECK(classes_init(&g->classes, &g->d, &err) == 0, "%s", err.text);
}

/* Each row is in one fold, no fold is empty, and no group is in two. */
static void expect_whole(const struct grouped *g, const struct folds *f)
{
	int64_t fold[ROWS] = { 0 };

	CHECK(f->start[0] == 0 && f->start[f->n] == ROWS, "%d rows", (int)f->start[f->n]);
	for (int64_t k = 0; k < f->n; k++) {
		CHECK(f->start[k] < f->start[k + 1], "fold %d is empty", (int)k);
		for (int64_t i = f->start[k]; i < f->start[k + 1]; i++) {
			CHECK(fold[f->row[i]] == 0, "row %d is in two folds", (int)f->row[i]);
			fold[f->row[i]] = k + 1;
		}
	}
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < i; j++)
			CHECK(g->group[i] != g->group[j] || fold[i] == fold[j],
			      "rows %d and %d are in two folds", i, j);
}

/* Without classes folds differ by no more than the largest group. */
static void expect_even(const struct grouped *g, const struct folds *f)
{
	int64_t low = ROWS, high = 0, largest = 0;

	for (int64_t k = 0; k < f->n; k++) {
		int64_t size = f->start[k + 1] - f->start[k];

		low = size < low ? size : low;
		high = size > high ? size : high;
	}
	for (int i = 0; i < ROWS; i++) {
		int64_t n = 0;

		for (int j = 0; j < ROWS; j++)
			n += g->group[i] == g->group[j];
		largest = n > largest ? n : largest;
	}
	CHECK(high - low <= largest, "folds of %d to %d rows", (int)low, (int)high);
}

static void test_groups(void)
{
	struct grouped g;
	struct folds f, renamed;

	for (int64_t n_folds = 2; n_folds <= GROUPS; n_folds += n_folds < 12 ? 1 : 14) {
		struct error err = { 0 };

		draw_groups(&g);
		srand(5);
		CHECK(folds_grouped(&f, g.group, ROWS, NULL,
				    (struct fold_draw){ .n_folds = n_folds }, &err) == 0,
		      "%s", err.text);
		expect_whole(&g, &f);
		expect_even(&g, &f);
		folds_free(&f);
		srand(5);
		CHECK(folds_of_data(&f, &g.d, (struct fold_draw){ .n_folds = n_folds }, true,
				    &err) == 0,
		      "%s", err.text);
		expect_whole(&g, &f);
		/* other numbers, in another order, are the same groups */
		for (int i = 0; i < ROWS; i++)
			g.group[i] = g.group[i] * 37 % 1009;
		srand(5);
		CHECK(folds_of_data(&renamed, &g.d, (struct fold_draw){ .n_folds = n_folds }, true,
				    &err) == 0,
		      "%s", err.text);
		CHECK(memcmp(f.row, renamed.row, sizeof g.group) == 0,
		      "other numbers, other folds");
		folds_free(&renamed);
		folds_free(&f);
		classes_free(&g.classes);
	}
}

/* A group for each row: as even as folds of single rows can be, also in each class. */
static void test_single_rows(void)
{
	struct grouped g;
	struct folds f;
	struct error err = { 0 };

	draw_groups(&g);
	for (int i = 0; i < ROWS; i++)
		g.group[i] = i;
	CHECK(folds_of_data(&f, &g.d, (struct fold_draw){ .n_folds = 7 }, true, &err) == 0, "%s",
	      err.text);
	for (int c = 0; c < g.classes.n; c++) {
		int64_t n_c = g.classes.start[c + 1] - g.classes.start[c];

		for (int64_t k = 0; k < f.n; k++) {
			int64_t n = 0;

			for (int64_t i = f.start[k]; i < f.start[k + 1]; i++)
				n += (int)g.y[f.row[i]] == g.classes.label[c];
			CHECK(n >= n_c / 7 - 1 && n <= n_c / 7 + 2, "%d of %d rows of a class",
			      (int)n, (int)n_c);
		}
	}
	folds_free(&f);
	classes_free(&g.classes);
}

static void test_too_few(void)
{
	struct grouped g;
	struct folds f;
	struct error err = { 0 };

	draw_groups(&g);
	CHECK(folds_grouped(&f, g.group, ROWS, NULL, (struct fold_draw){ .n_folds = GROUPS + 1 },
			    &err) < 0 &&
		      err.code == ERR_ARGUMENT && !f.row,
	      "41 folds of 40 groups");
	CHECK(strstr(err.text, "40 groups are not enough for 41 folds"), "%s", err.text);
	CHECK(row_groups_count(g.group, NULL, ROWS, &err) == GROUPS, "another number of groups");
	CHECK(row_groups_count(g.group, (const int64_t[]){ 0, 1, 0 }, 3, &err) == 2,
	      "of two groups");
	classes_free(&g.classes);
}

/* Parts of rows, of which some are there twice, have the rows' groups. */
static void test_parts(void)
{
	const int64_t row[] = { 3, 399, 3 };
	struct dataset part = { 0 };
	struct error err = { 0 };
	struct grouped g;

	draw_groups(&g);
	g.d.x = (struct csr){ .n_rows = ROWS,
			      .row_start = mem_zeroed(ROWS + 1, sizeof(int64_t), &err),
			      .col = mem_zeroed(1, sizeof(int32_t), &err),
			      .val = mem_zeroed(1, sizeof(double), &err) };
	CHECK(dataset_gather(&part, &g.d, row, 3, &err) == 0, "%s", err.text);
	for (int k = 0; k < 3; k++)
		CHECK(part.group[k] == g.group[row[k]], "row %d", k);
	dataset_free(&part);
	csr_free(&g.d.x);
	classes_free(&g.classes);
}

static int draw(void *arg, struct error *err)
{
	const struct grouped *g = arg;
	struct folds f;
	int ret = folds_grouped(&f, g->group, ROWS, &g->classes, (struct fold_draw){ .n_folds = 3 },
				err);

	folds_free(&f);
	return ret;
}

int main(void)
{
	struct grouped g;

	test_groups();
	test_single_rows();
	test_too_few();
	test_parts();
	draw_groups(&g);
	CHECK(fail_each_allocation("groups", draw, &g) == 7, "another number of allocations");
	classes_free(&g.classes);
	return unit_report("group_folds");
}
