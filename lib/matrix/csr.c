/*
 * csr.c - sparse matrix, one example per row
 *
 * How this works.  Rows are appended in batches as they are read; arrays grow by half (mem_grow),
 * and have one element more than needed, so that a matrix with rows but no entries has arrays.
 *
 * The transpose is two passes over the entries.  The first counts the entries of each column; sums
 * of these counts are where columns begin (1).  The second puts each entry at the next free place
 * of its column (2).  As it goes by rows, the entries of a column come out in the order of their
 * rows, without sorting.  The places are counted up in row_start itself: after the pass each holds
 * the end of its column, which is the beginning of the next, so a shift by one mends it (3).
 *
 * A row of many columns writes to as many pages of the transpose.  Where memory is bounded and
 * these are files, all of them would come in for each row; so the second pass is made for a range
 * of columns at a time, whose pages stay (4).
 *
 * Sums over a row add its entries in their order, in one accumulator: their bits are the same on
 * every machine and for every number of threads.
 *
 * The matrix of the header's example, and the row_start of its transpose on the way:
 *
 *      row 0: {1: .5, 5: 2}, row 1: {}, row 2: {2: 1}
 *
 *      counts of the columns (1)           [0, 0, 1, 1, 0, 0, 1]
 *      their running sums                  [0, 0, 1, 2, 2, 2, 3]
 *      all entries are placed (2)          [0, 1, 2, 2, 2, 3, 3]
 *      shifted by one (3)                  [0, 0, 1, 2, 2, 2, 3]
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/csr.h"

#include "base/interruption.h"
#include "base/mem_bound.h"

/* Share of the bound of memory for what a range of columns writes to: half of what pages have. */
#define RANGE 0.1

/* Bytes that are in memory for each column that entries are placed in: a page of each array. */
#define WRITTEN_COLUMN 8192

bool csr_has_column_0(const struct csr *a)
{
	for (int64_t i = 0; i < a->n_rows; i++)
		if (a->row_start[i] < a->row_start[i + 1] && a->col[a->row_start[i]] == 0)
			return true;
	return false;
}

void csr_free(struct csr *a)
{
	mem_free_all(a->row_start, a->col, a->val);
	*a = (struct csr){ 0 };
}

int csr_reserve(struct csr *a, int64_t n_rows, int64_t n_entries, struct error *err)
{
	if (mem_grow(&a->row_start, &a->starts_capacity, n_rows + 1, sizeof(int64_t), err) < 0 ||
	    mem_grow(&a->col, &a->cols_capacity, n_entries + 1, sizeof(int32_t), err) < 0 ||
	    mem_grow(&a->val, &a->vals_capacity, n_entries + 1, sizeof(double), err) < 0)
		return -1;
	/* csr_n_entries() reads row_start[n_rows], which is this one while there is no row */
	a->row_start[0] = 0;
	return 0;
}

int csr_append(struct csr *a, int64_t n_rows, const int64_t *row_start, const int32_t *col,
	       const double *val, struct error *err)
{
	int64_t old = csr_n_entries(a), n = row_start[n_rows];

	if (csr_reserve(a, a->n_rows + n_rows, old + n, err) < 0)
		return -1;
	if (n > 0) {
		memcpy(a->col + old, col, (size_t)n * sizeof(*col));
		memcpy(a->val + old, val, (size_t)n * sizeof(*val));
	}
	for (int64_t i = 0; i < n_rows; i++) {
		int64_t k = row_start[i + 1];

		a->row_start[a->n_rows + i + 1] = old + k;
		/* indices ascend: the last one of the row is its largest */
		if (k > row_start[i] && col[k - 1] >= a->n_cols)
			a->n_cols = (int64_t)col[k - 1] + 1;
	}
	a->n_rows += n_rows;
	return 0;
}

int csr_append_row(struct csr *a, struct csr_row row, struct error *err)
{
	const int64_t row_start[] = { 0, row.n };

	return csr_append(a, 1, row_start, row.col, row.val, err);
}

int csr_append_nonzeros(struct csr *a, int64_t n, const int32_t *col, const double *value,
			int64_t stride, struct error *err)
{
	int64_t end = csr_n_entries(a);

	if (csr_reserve(a, a->n_rows + 1, end + n, err) < 0)
		return -1;
	for (int64_t j = 0; j < n; j++)
		if (value[j * stride] != 0) {
			a->col[end] = col[j];
			a->val[end++] = value[j * stride];
			a->n_cols = int64_max(a->n_cols, (int64_t)col[j] + 1);
		}
	a->row_start[++a->n_rows] = end;
	return 0;
}

void csr_shrink(struct csr *a)
{
	int64_t n = csr_n_entries(a);

	mem_shrink(&a->row_start, &a->starts_capacity, a->n_rows + 1, sizeof(int64_t));
	mem_shrink(&a->col, &a->cols_capacity, n, sizeof(int32_t));
	mem_shrink(&a->val, &a->vals_capacity, n, sizeof(double));
}

/* Entries are counted first, so that memory is taken once and no more than needed. */
int csr_gather(struct csr *b, const struct csr *a, const int64_t *row, int64_t n, struct error *err)
{
	int64_t n_entries = 0;

	for (int64_t i = 0; i < n; i++)
		n_entries += a->row_start[row[i] + 1] - a->row_start[row[i]];
	if (csr_reserve(b, n, n_entries, err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		int64_t from = a->row_start[row[i]], to = b->row_start[i];
		size_t count = (size_t)(a->row_start[row[i] + 1] - from);

		memcpy(b->col + to, a->col + from, count * sizeof(*a->col));
		memcpy(b->val + to, a->val + from, count * sizeof(*a->val));
		b->row_start[i + 1] = to + (int64_t)count;
	}
	b->n_rows = n;
	b->n_cols = a->n_cols;
	return 0;
}

/*
 * (4): the end of a range of columns of t from 'first' on, whose row_start[j] are still where they
 * begin.  What the range writes to, its arrays or a page of each for each column, is at most
 * 'bytes'.
 */
static int64_t range_end(const struct csr *t, int64_t first, int64_t bytes)
{
	int64_t most = bytes / (int64_t)(sizeof(*t->col) + sizeof(*t->val)), end;

	end = int64_min(t->n_rows, first + int64_max(bytes / WRITTEN_COLUMN, 1));
	while (end < t->n_rows && t->row_start[end + 1] - t->row_start[first] <= most)
		end++;
	return end;
}

/*
 * (2): t->row_start[j] is where the next entry of column j goes; it ends as the column's end.  The
 * columns up to 'end'; next[i] is the first entry of row i that no range before had.
 */
static void place_range(struct csr *t, const struct csr *a, int64_t end, int64_t *next)
{
	for (int64_t i = 0; i < a->n_rows; i++) {
		int64_t k = next ? next[i] : a->row_start[i];

		/* a column may have no number where its entries are 0 */
		for (; k < a->row_start[i + 1] && (a->col[k] < end || a->val[k] == 0); k++)
			if (a->val[k] != 0) {
				int64_t to = t->row_start[a->col[k]]++;

				t->col[to] = (int32_t)i;
				t->val[to] = a->val[k];
			}
		if (next)
			next[i] = k;
	}
}

/* All columns, by (4) where memory is bounded */
static int place_entries(struct csr *t, const struct csr *a, struct error *err)
{
	const int64_t bytes = mem_bound() > 0 ? (int64_t)(RANGE * (double)mem_bound()) : INT64_MAX;
	int64_t end = range_end(t, 0, bytes), *next = NULL;

	if (end < t->n_rows) {
		next = mem_copy(a->row_start, a->n_rows, sizeof(*next), err);
		if (!next)
			return -1;
	}
	place_range(t, a, end, next);
	while (end < t->n_rows) {
		end = range_end(t, end, bytes);
		place_range(t, a, end, next);
	}
	mem_free(next);
	/* (3): row_start[j] is the end of column j now, which is where column j + 1 begins */
	memmove(t->row_start + 1, t->row_start, (size_t)t->n_rows * sizeof(*t->row_start));
	t->row_start[0] = 0;
	return 0;
}

int csr_transpose(struct csr *t, const struct csr *a, struct error *err)
{
	const int64_t n_all = csr_n_entries(a);

	if (a->n_rows > INT32_MAX)
		return error_set(err, ERR_ARGUMENT, "more than %d rows", INT32_MAX);
	if (interruption_check(err) < 0)
		return -1;
	t->row_start = mem_zeroed(a->n_cols + 1, sizeof(*t->row_start), err);
	if (!t->row_start)
		return -1;
	t->starts_capacity = a->n_cols + 1;
	/* (1): count the entries that are not 0 first, as the counts set the size of the arrays */
	for (int64_t k = 0; k < n_all; k++)
		if (a->val[k] != 0)
			t->row_start[a->col[k] + 1]++;
	t->n_rows = a->n_cols;
	t->n_cols = a->n_rows;
	for (int64_t j = 0; j < t->n_rows; j++)
		t->row_start[j + 1] += t->row_start[j];
	if (csr_reserve(t, t->n_rows, t->row_start[t->n_rows], err) < 0 ||
	    place_entries(t, a, err) < 0) {
		csr_free(t);
		return -1;
	}
	return 0;
}

double csr_row_dot(const struct csr *a, int64_t i, const double *w)
{
	double sum = 0;

	for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++)
		sum += a->val[k] * w[a->col[k]];
	return sum;
}

void csr_add_row(const struct csr *a, int64_t i, double c, double *w)
{
	for (int64_t k = a->row_start[i]; c != 0 && k < a->row_start[i + 1]; k++)
		w[a->col[k]] += c * a->val[k];
}

void csr_fill_row(const struct csr *a, int64_t i, double *full)
{
	memset(full, 0, (size_t)a->n_cols * sizeof(*full));
	for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++)
		full[a->col[k]] = a->val[k];
}

bool csr_rows_are_equal(const struct csr *x, int64_t a, int64_t b, double sign)
{
	const struct csr_row one = csr_row_of(x, a), other = csr_row_of(x, b);

	if (one.n != other.n)
		return false;
	for (int64_t k = 0; k < one.n; k++)
		if (one.col[k] != other.col[k] || one.val[k] != sign * other.val[k])
			return false;
	return true;
}

/*
 * One round of a hash: a multiplication spreads the bits upwards, the shift brings them down again.
 */
static uint64_t mix(uint64_t hash, uint64_t bits)
{
	hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

uint64_t csr_row_hash(const struct csr *a, int64_t i, bool of_sizes)
{
	const struct csr_row row = csr_row_of(a, i);
	uint64_t hash = 0, bits;

	for (int64_t k = 0; k < row.n; k++) {
		/* -0 becomes 0, its equal */
		memcpy(&bits, &(double){ of_sizes ? fabs(row.val[k]) : row.val[k] + 0.0 },
		       sizeof(bits));
		/* spread, so that a column and the last bits of a value do not stand for each other */
		hash = mix(hash, bits ^ mix(0, (uint64_t)row.col[k]));
	}
	return hash;
}

double csr_row_norm2(const struct csr *a, int64_t i)
{
	const struct csr_row row = csr_row_of(a, i);

	return squared_norm(row.val, row.n);
}
