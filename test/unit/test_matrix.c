/*
 * test_matrix.c - sparse rows and the map of their columns
 *
 * Data sets are read in test_svmlight_read.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/mem_bound.h"
#include "csr_check.h"
#include "failing.h"
#include "matrix/blas.h"
#include "matrix/column_map.h"
#include "matrix/csr.h"
#include "matrix/dataset.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static void expect_valid(const char *what, const struct csr *a)
{
	struct error err = { 0 };

	CHECK(csr_check(a, &err) == 0, "%s: %s", what, err.text);
}

/* ---- Rows ---- */

enum { ROWS = 400, COLUMNS = 50 };

/* The same rows as a full matrix, entries counted. */
struct dense {
	double val[ROWS][COLUMNS];
	int64_t n_entries;
};

/* Rows of every sort: empty ones, full ones, with zeros written out. */
static int64_t make_row(double *dense, int32_t *col, double *val)
{
	double density = random_below(3) ? random_unit() : 0;
	int64_t n = 0;

	for (int32_t c = 0; c < COLUMNS; c++) {
		dense[c] = 0;
		if (random_unit() >= density)
			continue;
		col[n] = c;
		val[n++] = dense[c] = random_below(10) ? random_normal() : 0;
	}
	return n;
}

/* Appended some rows at a time, none at times. */
static void make_matrix(struct csr *a, struct dense *dense)
{
	struct error err = { 0 };

	*a = (struct csr){ 0 };
	dense->n_entries = 0;
	for (int64_t done = 0; done < ROWS;) {
		int32_t col[9 * COLUMNS];
		double val[9 * COLUMNS];
		int64_t start[10] = { 0 }, n = random_below(10);

		n = n < ROWS - done ? n : ROWS - done;
		for (int64_t i = 0; i < n; i++)
			start[i + 1] = start[i] + make_row(dense->val[done + i], col + start[i],
							   val + start[i]);
		CHECK(csr_append(a, n, start, col, val, &err) == 0, "%s", err.text);
		dense->n_entries += start[n];
		done += n;
		CHECK(a->n_rows == done && csr_n_entries(a) == dense->n_entries,
		      "%" PRId64 " rows, %" PRId64 " entries", a->n_rows, csr_n_entries(a));
		expect_valid("appended", a);
	}
}

static void expect_row(const struct csr *a, int64_t i, const double *dense)
{
	double row[COLUMNS] = { 0 };

	for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++)
		row[a->col[k]] = a->val[k];
	CHECK(!memcmp(row, dense, sizeof(row)), "row %" PRId64 " is another", i);
}

static int64_t columns_used(const struct csr *a)
{
	int64_t n = 0;

	for (int64_t k = 0; k < csr_n_entries(a); k++)
		n = a->col[k] >= n ? a->col[k] + 1 : n;
	return n;
}

static void test_append(void)
{
	static struct dense dense;
	struct csr a;

	make_matrix(&a, &dense);
	for (int64_t i = 0; i < ROWS; i++)
		expect_row(&a, i, dense.val[i]);
	CHECK(a.n_cols == columns_used(&a), "%" PRId64 " columns", a.n_cols);
	csr_shrink(&a);
	CHECK(a.starts_capacity == ROWS + 1 && a.cols_capacity == dense.n_entries &&
		      a.vals_capacity == dense.n_entries,
	      "room for %" PRId64 " is left", a.vals_capacity);
	for (int64_t i = 0; i < ROWS; i++)
		expect_row(&a, i, dense.val[i]);
	csr_free(&a);
	CHECK(!a.row_start && !a.col && !a.val && a.n_rows == 0 && a.n_cols == 0, "not emptied");
}

/* Row j of t has the entries of column j that are not 0, by rows. */
static void expect_transposed(const struct csr *t, const struct dense *dense, int64_t bound)
{
	int64_t n = 0;

	CHECK(t->n_rows == COLUMNS && t->n_cols == ROWS, "%" PRId64 " rows", t->n_rows);
	for (int64_t j = 0; j < t->n_rows; j++) {
		CHECK(t->row_start[j] == n, "bound %" PRId64 ": column %" PRId64, bound, j);
		for (int32_t i = 0; i < ROWS; i++)
			if (dense->val[i][j] != 0) {
				CHECK(t->col[n] == i && t->val[n] == dense->val[i][j],
				      "bound %" PRId64 ": column %" PRId64 ", row %" PRId32, bound,
				      j, i);
				n++;
			}
	}
	CHECK(t->row_start[t->n_rows] == n, "%" PRId64 " entries", t->row_start[t->n_rows]);
}

/* At once and, within a bound, by ranges of columns; zeros may have any column. */
static void test_transpose(void)
{
	static struct dense dense;
	struct csr a;

	make_matrix(&a, &dense);
	a.n_cols = COLUMNS;
	for (int64_t k = 0; k < csr_n_entries(&a); k++)
		a.col[k] = a.val[k] == 0 ? -1 : a.col[k];
	for (int64_t bound = 0; bound <= 1 << 20; bound = bound ? 2 * bound : 1 << 14) {
		struct csr t = { 0 };
		struct error err = { 0 };

		CHECK(mem_set_bound(bound, "/tmp", "advice", &err) == 0 &&
			      csr_transpose(&t, &a, &err) == 0,
		      "%s", err.text);
		expect_transposed(&t, &dense, bound);
		csr_free(&t);
		mem_set_bound(0, NULL, "advice", &err);
	}
	csr_free(&a);
}

static void test_empty_matrix(void)
{
	struct csr a = { 0 };
	struct error err = { 0 };
	int64_t start[] = { 0, 0, 0 };

	CHECK(csr_n_entries(&a) == 0, "%" PRId64, csr_n_entries(&a));
	expect_valid("zeroed", &a);
	csr_shrink(&a);
	CHECK(csr_append(&a, 0, start, NULL, NULL, &err) == 0 && a.n_rows == 0, "%s", err.text);
	expect_valid("no rows", &a);
	CHECK(csr_append(&a, 2, start, NULL, NULL, &err) == 0, "%s", err.text);
	CHECK(a.n_rows == 2 && a.n_cols == 0 && csr_n_entries(&a) == 0, "%" PRId64 " rows",
	      a.n_rows);
	expect_valid("empty rows", &a);
	csr_shrink(&a);
	csr_free(&a);
}

static void test_gather(void)
{
	static struct dense dense;
	int64_t row[2 * ROWS], n = 0;
	struct error err = { 0 };
	struct csr a, b = { 0 };

	make_matrix(&a, &dense);
	for (; n < 2 * ROWS; n++)
		row[n] = random_below(ROWS);
	CHECK(csr_gather(&b, &a, row, n, &err) == 0, "%s", err.text);
	expect_valid("gathered", &b);
	CHECK(b.n_rows == n && b.n_cols == a.n_cols, "%" PRId64 " x %" PRId64, b.n_rows, b.n_cols);
	for (int64_t i = 0; i < n; i++)
		expect_row(&b, i, dense.val[row[i]]);
	csr_free(&b);
	CHECK(csr_gather(&b, &a, row, 0, &err) == 0 && b.n_rows == 0, "%s", err.text);
	expect_valid("nothing gathered", &b);
	csr_free(&b);
	csr_free(&a);
}

/* Examples without features: no entry anywhere, not even room for one. */
static void test_gather_empty_rows(void)
{
	int64_t start[] = { 0, 0, 0 }, row[] = { 1, 0, 1 };
	struct csr a = { 0 }, b = { 0 };
	struct error err = { 0 };

	CHECK(csr_append(&a, 2, start, NULL, NULL, &err) == 0, "%s", err.text);
	CHECK(csr_gather(&b, &a, row, 3, &err) == 0 && b.n_rows == 3, "%s", err.text);
	expect_valid("empty rows gathered", &b);
	csr_free(&b);
	csr_free(&a);
}

static void test_products(void)
{
	static struct dense dense;
	double w[COLUMNS];
	struct csr a;

	make_matrix(&a, &dense);
	for (int c = 0; c < COLUMNS; c++)
		w[c] = random_normal();
	for (int64_t i = 0; i < ROWS; i++) {
		double dot = 0, norm2 = 0;

		for (int c = 0; c < COLUMNS; c++) {
			dot += dense.val[i][c] * w[c];
			norm2 += dense.val[i][c] * dense.val[i][c];
		}
		CHECK(csr_row_dot(&a, i, w) == dot, "%g not %g", csr_row_dot(&a, i, w), dot);
		CHECK(csr_row_norm2(&a, i) == norm2, "%g not %g", csr_row_norm2(&a, i), norm2);
	}
	csr_free(&a);
}

/* Batches of a scan put together again. */
static int append_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct dataset *d = arg;
	int64_t n = d->x.n_rows;

	CHECK(*(int64_t *)user == b->n_entries, "worked on %" PRId64 " entries, not %" PRId64,
	      *(int64_t *)user, b->n_entries);
	if (mem_grow(&d->y, &d->labels_capacity, n + b->n_rows, sizeof(double), err) < 0)
		return -1;
	memcpy(d->y + n, b->label, (size_t)b->n_rows * sizeof(double));
	return csr_append(&d->x, b->n_rows, b->row_start, b->index, b->value, err);
}

static int count_entries(void *arg, struct row_batch *b, void *user, struct error *err)
{
	(void)arg;
	(void)err;
	*(int64_t *)user = b->row_start[b->n_rows];
	return 0;
}

static void test_scan(void)
{
	static struct dense dense;
	struct dataset d = { 0 };
	struct error err = { 0 };
	int64_t row[8 * ROWS];
	struct csr a;

	make_matrix(&a, &dense);
	for (int k = 0; k < 8 * ROWS; k++)
		row[k] = random_below(a.n_rows);
	CHECK(csr_gather(&d.x, &a, row, 8 * ROWS, &err) == 0, "%s", err.text);
	csr_free(&a);
	d.y = malloc((size_t)d.x.n_rows * sizeof(double));
	for (int64_t i = 0; i < d.x.n_rows; i++)
		d.y[i] = random_unit();
	for (int n = 1; n <= 3; n++) {
		int64_t worked[3], e = csr_n_entries(&d.x);
		struct dataset copy = { 0 };
		struct rows_visitor visitor = { .work = count_entries,
						.deliver = append_batch,
						.arg = &copy,
						.users = { worked, sizeof(*worked) } };

		CHECK(dataset_scan(&d, &visitor, n, &err) == 0, "%s", err.text);
		CHECK(copy.x.n_rows == d.x.n_rows && csr_n_entries(&copy.x) == e,
		      "%" PRId64 " rows", copy.x.n_rows);
		CHECK(!memcmp(copy.y, d.y, (size_t)d.x.n_rows * sizeof(double)) &&
			      !memcmp(copy.x.row_start, d.x.row_start,
				      (size_t)d.x.n_rows * sizeof(int64_t)) &&
			      !memcmp(copy.x.col, d.x.col, (size_t)e * sizeof(int32_t)) &&
			      !memcmp(copy.x.val, d.x.val, (size_t)e * sizeof(double)),
		      "%d threads", n);
		dataset_free(&copy);
	}
	dataset_free(&d);
}

static void test_check(void)
{
	static const struct {
		int64_t start[4];
		int32_t col[4];
		const char *fault; /* NULL: none */
	} cases[] = {
		{ { 0, 2, 2, 4 }, { 0, 6, 1, 2 }, NULL },
		{ { 1, 2, 2, 4 }, { 0, 6, 1, 2 }, "row_start[0] is not 0" },
		{ { 0, 2, 1, 4 }, { 0, 6, 7, 8 }, "row 1: row_start descends" },
		{ { 0, 2, 2, 4 }, { 5, 5, 1, 2 }, "row 0: columns do not ascend" },
		{ { 0, 2, 2, 4 }, { 0, 6, 3, 2 }, "row 2: columns do not ascend" },
		{ { 0, 2, 2, 4 }, { -1, 6, 1, 2 }, "row 0: columns do not ascend" },
		{ { 0, 2, 2, 4 }, { 0, 6, 1, 7 }, "row 2: column beyond n_cols" },
	};

	for (int i = 0; i < LENGTH(cases); i++) {
		double val[4] = { 0 };
		struct csr a = { .n_rows = 3,
				 .n_cols = 7,
				 .row_start = (int64_t *)cases[i].start,
				 .col = (int32_t *)cases[i].col,
				 .val = val };
		struct error err = { 0 };

		if (cases[i].fault)
			CHECK(csr_check(&a, &err) == -1 && err.code == ERR_ARGUMENT &&
				      !strcmp(err.text, cases[i].fault),
			      "case %d: '%s'", i, err.text);
		else
			expect_valid("good", &a);
	}
}

/* ---- Column maps ---- */

/* A matrix of one row per column given. */
static void make_columns(struct csr *a, const int32_t *column, int64_t n)
{
	static const int64_t start[] = { 0, 1 };
	struct error err = { 0 };
	double one = 1;

	*a = (struct csr){ 0 };
	for (int64_t i = 0; i < n; i++)
		if (csr_append(a, 1, start, &column[i], &one, &err) < 0)
			exit(EXIT_FAILURE);
}

static int compare_columns(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Sort, drop repeats; returns how many are left. */
static int64_t make_distinct(int32_t *column, int64_t n)
{
	int64_t kept = 0;

	qsort(column, (size_t)n, sizeof(*column), compare_columns);
	for (int64_t i = 0; i < n; i++)
		if (kept == 0 || column[i] != column[kept - 1])
			column[kept++] = column[i];
	return kept;
}

static bool is_among(int32_t wanted, const int32_t *sorted, int64_t n)
{
	return bsearch(&wanted, sorted, (size_t)n, sizeof(*sorted), compare_columns) != NULL;
}

/* Numbers are given in the order of first occurrence, and to nothing else. */
static void expect_map(const int32_t *column, int64_t n)
{
	int32_t *sorted = malloc((size_t)n * sizeof(*sorted) + 1), next = 0;
	struct column_map map;
	struct error err = { 0 };
	struct csr a;
	int64_t n_distinct;

	memcpy(sorted, column, (size_t)n * sizeof(*sorted));
	n_distinct = make_distinct(sorted, n);
	make_columns(&a, column, n);
	CHECK(column_map_init(&map, &a, &err) == 0, "%s", err.text);
	CHECK(map.n == n_distinct, "%" PRId64 " columns, not %" PRId64, map.n, n_distinct);
	CHECK((int64_t)map.mask + 1 >= (map.column ? 2 : 1) * map.n, "%u slots for %" PRId64,
	      map.mask + 1, map.n);
	for (int64_t i = 0; i < n; i++) {
		int32_t number = column_map_find(&map, column[i]);

		CHECK(number >= 0 && number <= next, "column %d is number %d, not up to %d",
		      column[i], number, next);
		next += number == next;
	}
	CHECK(next == n_distinct, "%d numbers", next);
	CHECK(column_map_sort(&map, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < n_distinct; i++)
		CHECK(map.list[i] == sorted[i] && column_map_find(&map, sorted[i]) == i,
		      "column %d is not number %" PRId64, sorted[i], i);
	for (int i = 0; i < 2000; i++) {
		int32_t other = (int32_t)random_below(INT64_C(1) << 31);

		if (!is_among(other, sorted, n_distinct))
			CHECK(column_map_find(&map, other) == -1, "found %d", other);
	}
	column_map_free(&map);
	CHECK(!map.column && !map.number && map.n == 0, "not emptied");
	csr_free(&a);
	free(sorted);
}

enum { MANY = 100000 };

static void test_random_columns(void)
{
	static int32_t column[MANY];
	static const int64_t ranges[] = { 1, 2, 600, 3000, MANY, INT64_C(1) << 31 };

	/* with a column far from the others the columns are hashed, mostly not without */
	for (int r = 0; r < LENGTH(ranges); r++) {
		for (int i = 0; i < MANY; i++)
			column[i] = (int32_t)random_below(ranges[r]);
		expect_map(column, MANY);
		column[MANY / 3] = INT32_MAX;
		column[MANY / 2] = 0;
		expect_map(column, MANY);
	}
	expect_map(column, 0);
	expect_map((int32_t[]){ 0 }, 1);
	expect_map((int32_t[]){ INT32_MAX, 0, INT32_MAX }, 3);
}

/* Columns in steps of a power of two, as hashed and packed features have them. */
static void test_regular_columns(void)
{
	static int32_t column[4096];

	for (int shift = 0; shift < 31; shift++) {
		int64_t n = INT64_C(1) << (31 - shift);

		n = n < LENGTH(column) ? n : LENGTH(column);
		for (int64_t i = 0; i < n; i++)
			column[i] = (int32_t)(i << shift);
		expect_map(column, n);
	}
}

/*
 * A column is found within its run of occupied slots.  Returns the mean over the columns of the
 * length of that run: with a good hash and half the slots occupied, some 10.
 */
static double mean_run(const struct column_map *map)
{
	int64_t slots = (int64_t)map->mask + 1, run = 0, sum = 0, first = 0;

	while (map->column[first] >= 0)
		first++;
	for (int64_t i = 1; i <= slots; i++) {
		if (map->column[(first + i) & map->mask] >= 0) {
			run++;
			continue;
		}
		sum += run * run;
		run = 0;
	}
	return (double)sum / (double)map->n;
}

/* A column is promised to be found in O(1), whatever the columns. */
static void test_runs(void)
{
	static int32_t column[1 << 15];

	for (int shift = 0; shift <= 20; shift++) {
		int64_t n = shift < 16 ? LENGTH(column) : INT64_C(1) << (31 - shift);
		struct column_map map;
		struct error err = { 0 };
		struct csr a;

		for (int64_t i = 0; i < n; i++)
			column[i] = (int32_t)(i << shift);
		make_columns(&a, column, n);
		CHECK(column_map_init(&map, &a, &err) == 0, "%s", err.text);
		CHECK(!map.column || mean_run(&map) < 50, "runs of %g slots for steps of %d",
		      mean_run(&map), column[1]);
		column_map_free(&map);
		csr_free(&a);
	}
}

/* ---- Memory ---- */

static const struct csr *sample;

static int append_once(void *arg, struct error *err)
{
	struct csr a = { 0 };
	int ret = -1;

	(void)arg;
	for (int64_t i = 0; i < 3; i++) {
		ret = csr_append(&a, sample->n_rows, sample->row_start, sample->col, sample->val,
				 err);
		if (ret < 0) {
			CHECK(a.n_rows == i * sample->n_rows &&
				      csr_n_entries(&a) == i * csr_n_entries(sample),
			      "%" PRId64 " rows after %" PRId64 " times", a.n_rows, i);
			expect_valid("failed append", &a);
			break;
		}
	}
	csr_free(&a);
	return ret;
}

static int gather_once(void *arg, struct error *err)
{
	int64_t row[] = { 5, 1, 5 };
	struct csr b = { 0 };
	int ret = csr_gather(&b, sample, row, 3, err);

	(void)arg;
	csr_free(&b);
	return ret;
}

static int map_once(void *arg, struct error *err)
{
	struct column_map map;
	int ret = column_map_init(&map, arg, err);

	CHECK(ret == 0 || (!map.column && !map.number), "not empty after a failure");
	column_map_free(&map);
	return ret;
}

static void test_memory(void)
{
	int32_t column[3000];
	struct csr a = { 0 }, wide;

	random_rows(&a, 100, 40, 0.5);
	sample = &a;
	fail_each_allocation("csr_append", append_once, NULL);
	fail_each_allocation("csr_gather", gather_once, NULL);
	csr_free(&a);
	for (int i = 0; i < LENGTH(column); i++)
		column[i] = i;
	make_columns(&wide, column, LENGTH(column));
	fail_each_allocation("column_map_init", map_once, &wide);
	csr_free(&wide);
}

static void test_blas(void)
{
	struct error err = { 0 };
	char version[200];
	int major = 0;

	CHECK(blas_version(version, sizeof(version), &err) == 0, "%s", err.text);
	CHECK(strstr(version, "LAPACK ") &&
		      sscanf(strstr(version, "LAPACK "), "LAPACK %d.", &major) == 1 && major >= 3,
	      "%s", version);
}

int main(void)
{
	test_append();
	test_transpose();
	test_empty_matrix();
	test_gather();
	test_gather_empty_rows();
	test_products();
	test_scan();
	test_check();
	test_random_columns();
	test_regular_columns();
	test_runs();
	test_memory();
	test_blas();
	return unit_report("matrix");
}
