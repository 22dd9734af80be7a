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
#include "unit.h"

enum { MAX_N = 4200, COLUMNS = 3 };

/* Points of a cube, the list of those that the matrix is of, and the matrix. */
struct world {
	struct csr x;
	struct float_vectors single;
	int64_t row[MAX_N], n;
	struct near_matrix m;
};

static void make_world(struct world *w, int64_t n, double side, double gamma)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = gamma };
	double *full = full_zeros(n, COLUMNS);
	struct error err = { 0 };

	memset(w, 0, sizeof(*w));
	for (int64_t k = 0; k < n * COLUMNS; k++)
		full[k] = random_between(0, side);
	full_rows(&w->x, full, n, COLUMNS, 1, 1);
	free(full);
	CHECK(float_vectors_init(&w->single, &w->x, &rbf, &err) == 0, "unfit");
	for (int64_t i = 0; i < n; i++)
		if (i % 7 != 3) /* some are not in the list */
			w->row[w->n++] = i;
}

static void free_world(struct world *w)
{
	near_matrix_free(&w->m);
	float_vectors_free(&w->single);
	csr_free(&w->x);
}

static struct float_rows rows_of(const struct world *w)
{
	return (struct float_rows){ &w->single, w->row, w->n };
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

static double plain_value(const struct world *w, int64_t i, int64_t j)
{
	const double *x = w->x.val;

	return plain_kernel(&w->single.kernel, x + w->row[i] * COLUMNS, x + w->row[j] * COLUMNS,
			    COLUMNS);
}

/* Each value against exp(): those that are there are right, and those that are not are nothing. */
static void check_values(const struct world *w)
{
	const struct near_matrix *m = &w->m;

	CHECK(m->n == w->n && m->start[0] == 0, "%d rows", (int)m->n);
	for (int64_t i = 0; i < m->n; i++) {
		int64_t k = m->start[i];

		for (int64_t j = 0; j < m->n; j++) {
			double value = plain_value(w, i, j);
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

static void check_sums(const struct world *w)
{
	static double out[MAX_N];

	memset(out, 0, sizeof(out));
	near_matrix_add(&w->m, 5, 2, out);
	near_matrix_add(&w->m, 9, -1, out);
	for (int64_t j = 0; j < w->n; j++)
		CHECK(fabs(out[j] - 2 * plain_value(w, 5, j) + plain_value(w, 9, j)) < 3e-6, "%g",
		      out[j]);
}

/* One and three threads: the same bytes. */
static void check_matrix(struct world *w)
{
	struct error err = { 0 };
	struct near_matrix other;
	int64_t n;

	if (!CHECK(near_matrix_init(&w->m, rows_of(w), 1, NULL, &err) == 0, "%s", err.text) ||
	    !CHECK(near_matrix_init(&other, rows_of(w), 3, NULL, &err) == 0, "%s", err.text))
		return;
	check_values(w);
	check_sums(w);
	n = w->m.start[w->n];
	CHECK(memcmp(w->m.start, other.start, (size_t)(w->n + 1) * sizeof(*other.start)) == 0 &&
		      memcmp(w->m.col, other.col, (size_t)n * sizeof(*other.col)) == 0 &&
		      memcmp(w->m.val, other.val, (size_t)n * sizeof(*other.val)) == 0,
	      "threads differ");
	near_matrix_free(&other);
}

static void check_serves(const struct world *w, bool expected)
{
	struct error err = { 0 };
	bool serves = !expected;

	CHECK(near_matrix_serves(rows_of(w), &serves, &err) == 0, "%s", err.text);
	CHECK(serves == expected, "serves: %d", serves);
}

static int try_all(void *arg, struct error *err)
{
	struct world *w = arg;
	bool serves;

	if (near_matrix_serves(rows_of(w), &serves, err) < 0 ||
	    near_matrix_init(&w->m, rows_of(w), 1, NULL, err) < 0)
		return -1;
	near_matrix_free(&w->m);
	return 0;
}

int main(void)
{
	static struct world w;

	/* narrow, in no order and in one */
	make_world(&w, 1000, 20, 1);
	check_serves(&w, true);
	check_matrix(&w);
	free_world(&w);
	make_world(&w, MAX_N, 60, 1);
	sort_list(&w);
	check_matrix(&w);
	free_world(&w);

	/* wide; it could still be made */
	make_world(&w, 200, 1, 1);
	check_serves(&w, false);
	check_matrix(&w);
	near_matrix_free(&w.m);
	CHECK(fail_each_allocation("near_matrix", try_all, &w) > 5, "too few allocations");
	free_world(&w);
	return unit_report("near_matrix");
}
