/*
 * test_near_matrix.c - the values of a narrow kernel that are kept: all of them, and which are not
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "kernel/near_matrix.h"
#include "kernel/near_rows.h"
#include "plain_problem.h"
#include "random.h"
#include "source/float_source.h"
#include "source/near_source.h"
#include "unit.h"
#include "world.h"

enum { MAX_N = 4200, COLUMNS = 3 };

/* Points of a cube, the list of those that the matrix is of, and the matrix. */
struct near_world {
	struct world w; /* its problem has the points in the list */
	struct near_matrix m;
};

static void make_world(struct near_world *near, int64_t n, double side, double gamma)
{
	struct world *w = &near->w;
	double *full = full_zeros(n, COLUMNS);

	*near = (struct near_world){ 0 };
	world_init(w, (struct problem_view){ .kernel = { .type = KERNEL_RBF, .gamma = gamma },
					     .n = n });
	for (int64_t k = 0; k < n * COLUMNS; k++)
		full[k] = random_between(0, side);
	world_rows(w, full, COLUMNS);
	world_use_single(w);
	w->p.n = 0;
	for (int64_t i = 0; i < n; i++)
		if (i % 7 != 3) /* some are not in the list */
			w->row[w->p.n++] = i;
}

static void free_world(struct near_world *near)
{
	near_matrix_free(&near->m);
	world_free(&near->w);
}

static struct float_rows rows_of(const struct near_world *near)
{
	return (struct float_rows){ &near->w.single, near->w.row, near->w.p.n };
}

/* The list in the order in which neighbours are near. */
static void sort_list(struct world *w)
{
	static int64_t place[MAX_N], row[MAX_N];
	struct error err = { 0 };
	bool helps;
	int64_t n = 0;

	if (!CHECK(near_rows_order(&w->single, place, &helps, &err) == 0 && helps, "no order"))
		return;
	w->single.near = true;
	for (int64_t i = 0; i < w->single.n; i++)
		row[place[i]] = i;
	for (int64_t k = 0; k < w->single.n; k++)
		if (row[k] % 7 != 3)
			w->row[n++] = row[k];
}

static double plain_value(const struct near_world *near, int64_t i, int64_t j)
{
	const double *x = near->w.x.val;

	return plain_kernel(&near->w.single.kernel, x + near->w.row[i] * COLUMNS,
			    x + near->w.row[j] * COLUMNS, COLUMNS);
}

/* Each value against exp(): those that are there are right, and those that are not are nothing. */
static void check_values(const struct near_world *near)
{
	const struct near_matrix *m = &near->m;

	CHECK(m->n == near->w.p.n && m->start[0] == 0, "%d rows", (int)m->n);
	for (int64_t i = 0; i < m->n; i++) {
		int64_t k = m->start[i];

		for (int64_t j = 0; j < m->n; j++) {
			double value = plain_value(near, i, j);
			bool is_there = k < m->start[i + 1] && m->col[k] == j;

			if (is_there)
				CHECK(fabs(m->val[k] - value) < 1e-6 && m->val[k] >= 0x1p-40f,
				      "%g for %g", m->val[k], value);
			else
				CHECK(value < 0x1.001p-40, "%g left out", value);
			k += is_there;
		}
		CHECK(k == m->start[i + 1], "row %d is not in order", (int)i);
	}
}

static void check_sums(const struct near_world *near)
{
	static double out[MAX_N];

	memset(out, 0, sizeof(out));
	near_matrix_add(&near->m, 5, 2, out);
	near_matrix_add(&near->m, 9, -1, out);
	for (int64_t j = 0; j < near->w.p.n; j++)
		CHECK(fabs(out[j] - 2 * plain_value(near, 5, j) + plain_value(near, 9, j)) < 3e-6,
		      "%g", out[j]);
}

/* One and three threads: the same bytes. */
static void check_matrix(struct near_world *near)
{
	struct error err = { 0 };
	struct near_matrix other;
	int64_t n;

	if (!CHECK(near_matrix_init(&near->m, rows_of(near), 1, NULL, &err) == 0, "%s", err.text) ||
	    !CHECK(near_matrix_init(&other, rows_of(near), 3, NULL, &err) == 0, "%s", err.text))
		return;
	check_values(near);
	check_sums(near);
	n = near->m.start[near->w.p.n];
	CHECK(memcmp(near->m.start, other.start,
		     (size_t)(near->w.p.n + 1) * sizeof(*other.start)) == 0 &&
		      memcmp(near->m.col, other.col, (size_t)n * sizeof(*other.col)) == 0 &&
		      memcmp(near->m.val, other.val, (size_t)n * sizeof(*other.val)) == 0,
	      "threads differ");
	near_matrix_free(&other);
}

static int serves_list(const struct near_world *near, bool *serves, struct error *err)
{
	const struct kernel_source floats = float_source_make(&near->w.single, &plain_source);

	return near_source_serves(&floats, near->w.row, near->w.p.n, serves, err);
}

static void check_serves(const struct near_world *near, bool expected)
{
	struct error err = { 0 };
	bool serves = !expected;

	CHECK(serves_list(near, &serves, &err) == 0, "%s", err.text);
	CHECK(serves == expected, "serves: %d", serves);
}

static int try_all(void *arg, struct error *err)
{
	struct near_world *near = arg;
	bool serves;

	if (serves_list(near, &serves, err) < 0 ||
	    near_matrix_init(&near->m, rows_of(near), 1, NULL, err) < 0)
		return -1;
	near_matrix_free(&near->m);
	return 0;
}

int main(void)
{
	static struct near_world near;

	/* narrow, in no order and in one */
	make_world(&near, 1000, 40, 1);
	check_serves(&near, true);
	check_matrix(&near);
	free_world(&near);
	/* a twentieth of the values is near: more than pays for rows of three columns */
	make_world(&near, 1000, 20, 1);
	check_serves(&near, false);
	check_matrix(&near);
	free_world(&near);
	make_world(&near, MAX_N, 60, 1);
	sort_list(&near.w);
	check_matrix(&near);
	free_world(&near);

	/* more rows than are counted */
	for (int narrow = 0; narrow <= 1; narrow++) {
		make_world(&near, 20000, narrow ? 40 : 20, 1);
		check_serves(&near, narrow);
		free_world(&near);
	}

	/* wide; it could still be made */
	make_world(&near, 200, 1, 1);
	check_serves(&near, false);
	check_matrix(&near);
	near_matrix_free(&near.m);
	CHECK(fail_each_allocation("near_matrix", try_all, &near) > 5, "too few allocations");
	free_world(&near);
	return unit_report("near_matrix");
}
