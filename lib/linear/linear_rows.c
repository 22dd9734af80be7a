/*
 * linear_rows.c - the rows of a linear problem
 *
 * The engine passes over all entries a hundred times, so the rows of the problem are copied once
 * into the form that is fastest to pass over, unless they are large and have it nearly (6):
 *
 *     1. by length        ascending, in the caller's order among equals.  A loop over a row's
 *                         entries ends where the processor expects it to, as it did for the row
 *                         before
 *     2. side by side     one array of entries, though the caller's rows are a selection
 *     3. columns 0..d-1   those that occur, ascending, so that vectors of the engine have d numbers
 *                         and not as many as the whole data has columns
 *     4. centred          a column that all rows have loses its mean.  f changes by the constant
 *                         w.centre, which the free bias takes up since sum beta = 0.  A feature
 *                         like a year, 2000 +- 10, else costs two digits of each product and makes
 *                         the matrix of the Newton step badly conditioned.  Other columns are left
 *                         as they are: they would become dense
 *     5. norms            |x_i|^2, after centring
 *     6. sharing          rows of many entries are most of the memory of a training.  They are used
 *                         where they are if they are all rows of the data, no column has to be
 *                         centred, and few columns do not occur; in the order of the data
 *
 * All bits are functions of the rows and their order alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_rows.h"

#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "matrix/column_map.h"

/*
 * Length classes, by which rows are ordered: one mistaken end of a loop is negligible beside a row
 * of this many entries.
 */
#define LENGTH_CLASSES 4096

/*
 * Entries from which rows are shared with the data, 48 MB as a copy, step 6; and the columns that
 * may not occur, as a share of those that do.  On 300,000 rows of text with 70 entries each passes
 * over them take the time of those over a copy.
 */
#define SHARED_ENTRIES 4000000
#define SPARE_COLUMNS 0.25

void linear_rows_free(struct linear_rows *rows)
{
	if (!rows->shared)
		mem_free_all(rows->start, rows->col, rows->val);
	mem_free_all(rows->order, rows->norm2, rows->centre, rows->partial);
	*rows = (struct linear_rows){ 0 };
}

static int64_t length_class(const struct csr *x, int64_t row)
{
	return int64_min(x->row_start[row + 1] - x->row_start[row], LENGTH_CLASSES - 1);
}

/*
 * Order the rows by length, with a counting sort: stable, so that equal lengths stay in the
 * caller's order.
 */
static int order_rows(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		      struct error *err)
{
	int64_t longest = 0, *place;

	/* number of length classes: as many as the longest row needs */
	for (int64_t i = 0; i < rows->n; i++)
		longest = int64_max(longest, length_class(x, row[i]));
	place = mem_zeroed(longest + 2, sizeof(*place), err);
	rows->order = mem_array(rows->n, sizeof(*rows->order), err);
	if (!place || !rows->order) {
		mem_free(place);
		return -1;
	}
	/*
	 * place[c + 1] counts class c, then is where class c + 1 begins; place[c] is where c's next
	 * row goes
	 */
	for (int64_t i = 0; i < rows->n; i++)
		place[length_class(x, row[i]) + 1]++;
	for (int64_t c = 0; c <= longest; c++)
		place[c + 1] += place[c];
	for (int64_t i = 0; i < rows->n; i++)
		rows->order[place[length_class(x, row[i])]++] = i;
	mem_free(place);
	return 0;
}

/*
 * Copy the entries of the rows in their new order, steps 1 and 2; columns still have the caller's
 * numbers.
 */
static int copy_rows(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		     struct error *err)
{
	int64_t n = rows->n, n_entries = 0, at = 0;

	/* entries are counted first, so that their arrays are allocated once */
	for (int64_t i = 0; i < n; i++)
		n_entries += x->row_start[row[i] + 1] - x->row_start[row[i]];
	rows->start = mem_array(n + 1, sizeof(*rows->start), err);
	rows->col = mem_large(n_entries, sizeof(*rows->col), err);
	rows->val = mem_large(n_entries, sizeof(*rows->val), err);
	if (!rows->start || !rows->col || !rows->val)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		int64_t start = x->row_start[row[rows->order[i]]];
		int64_t end = x->row_start[row[rows->order[i]] + 1];

		rows->start[i] = at;
		for (int64_t k = start; k < end; k++, at++) {
			rows->col[at] = x->col[k];
			rows->val[at] = x->val[k];
		}
	}
	rows->start[n] = at;
	return 0;
}

/* Number the columns that occur, step 3. */
static int number_columns(struct linear_rows *rows, int64_t n_cols, struct error *err)
{
	const struct csr entries = {
		.n_rows = rows->n, .n_cols = n_cols, .row_start = rows->start, .col = rows->col
	};
	struct column_map map;
	int ret;

	if (column_map_init(&map, &entries, err) < 0)
		return -1;
	ret = column_map_sort(&map, err);
	for (int64_t k = 0; ret == 0 && k < rows->start[rows->n]; k++)
		rows->col[k] = column_map_find(&map, rows->col[k]);
	rows->d = map.n;
	column_map_free(&map);
	return ret;
}

/* Centre the columns, step 4: columns that fewer than n rows have get the centre 0. */
static int centre_columns(struct linear_rows *rows, struct error *err)
{
	int64_t *count = mem_zeroed(rows->d, sizeof(*count), err);

	rows->centre = mem_zeroed(rows->d, sizeof(*rows->centre), err);
	if (!count || !rows->centre) {
		mem_free(count);
		return -1;
	}
	for (int64_t k = 0; k < rows->start[rows->n]; k++) {
		count[rows->col[k]]++;
		/* summed as a mean from the start: a sum of all values could overflow */
		rows->centre[rows->col[k]] += rows->val[k] / (double)rows->n;
	}
	for (int64_t j = 0; j < rows->d; j++)
		if (count[j] < rows->n)
			rows->centre[j] = 0;
	/* columns with another centre than 0 have all rows: each row has an entry to centre */
	for (int64_t k = 0; k < rows->start[rows->n]; k++)
		rows->val[k] -= rows->centre[rows->col[k]];
	mem_free(count);
	return 0;
}

/* Compute squared norms, and the unit: 1 if all entries are 0. */
static int measure_rows(struct linear_rows *rows, struct error *err)
{
	double largest = 0;
	int exponent = 0;

	rows->norm2 = mem_zeroed(rows->n, sizeof(*rows->norm2), err);
	if (!rows->norm2)
		return -1;
	for (int64_t i = 0; i < rows->n; i++) {
		for (int64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
			rows->norm2[i] += rows->val[k] * rows->val[k];
			largest = fmax(largest, fabs(rows->val[k]));
		}
	}
	/* the unit is the power of two above the largest value; packs divide by it */
	frexp(largest, &exponent);
	rows->unit = ldexp(1, exponent);
	return 0;
}

/* Is each row of x one of the problem's, step 6? Then order[row] is its place in the list. */
static bool order_as_data(int64_t *order, int64_t n, const int64_t *row)
{
	for (int64_t i = 0; i < n; i++)
		order[i] = -1;
	for (int64_t i = 0; i < n; i++) {
		if (order[row[i]] >= 0)
			/* a row that is twice in the problem cannot have two places */
			return false;
		order[row[i]] = i;
	}
	return true;
}

/*
 * Do nearly all columns of x occur, and none in all rows, which would have to be centred (step 6)?
 */
static int columns_can_stay(const struct csr *x, struct error *err)
{
	int64_t *count = mem_zeroed(x->n_cols, sizeof(*count), err), n_entries = csr_n_entries(x);
	int64_t n_found = 0, most = 0;

	if (!count)
		return -1;
	for (int64_t k = 0; k < n_entries; k++)
		count[x->col[k]]++;
	for (int64_t j = 0; j < x->n_cols; j++) {
		n_found += count[j] > 0;
		most = int64_max(most, count[j]);
	}
	mem_free(count);
	return most < x->n_rows && (double)(x->n_cols - n_found) <= SPARE_COLUMNS * (double)n_found;
}

/*
 * Share the rows with the data, step 6: returns 1 if the rows are shared, 0 if they have to be
 * copied, or -1 with an error.
 */
static int share_rows(struct linear_rows *rows, const struct csr *x, const int64_t *row,
		      struct error *err)
{
	int fit;

	/* sharing takes all rows of the data, many entries, and no more columns than entries */
	if (rows->n != x->n_rows || csr_n_entries(x) < SHARED_ENTRIES ||
	    x->n_cols > csr_n_entries(x))
		return 0;
	fit = columns_can_stay(x, err);
	if (fit <= 0)
		return fit;
	rows->order = mem_array(rows->n, sizeof(*rows->order), err);
	rows->centre = mem_zeroed(x->n_cols, sizeof(*rows->centre), err);
	if (!rows->order || !rows->centre)
		return -1;
	/* the order and its arrays are released, as the rows are copied instead */
	if (!order_as_data(rows->order, rows->n, row)) {
		linear_rows_free(rows);
		rows->n = x->n_rows;
		return 0;
	}
	rows->shared = true;
	rows->d = x->n_cols;
	rows->start = x->row_start;
	rows->col = x->col;
	rows->val = x->val;
	return 1;
}

int linear_rows_init(struct linear_rows *rows, const struct csr *x, const int64_t *row, int64_t n,
		     struct error *err)
{
	int shared;

	*rows = (struct linear_rows){ .n = n };
	shared = share_rows(rows, x, row, err);
	/* a copy of the rows for this problem is steps 1 to 4 */
	if (shared < 0 ||
	    (shared == 0 &&
	     (order_rows(rows, x, row, err) < 0 || copy_rows(rows, x, row, err) < 0 ||
	      number_columns(rows, x->n_cols, err) < 0 || centre_columns(rows, err) < 0)) ||
	    measure_rows(rows, err) < 0)
		goto fail;
	/* 'partial' has a vector of d sums for each part of a product */
	rows->partial = mem_array(LINEAR_MAX_PARTS * rows->d, sizeof(*rows->partial), err);
	if (rows->partial)
		return 0;
fail:
	linear_rows_free(rows);
	return -1;
}

/*
 * Inner product of one row.  Not by the vectorised linear_multiply(): callers take one row at a
 * time, mostly of few entries.
 */
double linear_rows_dot(const struct linear_rows *rows, int64_t i, const double *w)
{
	return linear_entries_dot(rows, rows->start[i], rows->start[i + 1], w);
}
