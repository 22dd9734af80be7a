/*
 * product_source.c - kernel values of the linear kernel, from sparse rows
 *
 * Text has few entries in a row and more columns than rows, and most products have few terms.
 *
 * What it wins: randsvm-grid -t 0, 11 values of C on one thread, takes .51 s of reuters-moneyfx and
 * 1.6 without it, of basehock .10 and .40.
 *
 *  (1) The members of a working set are kept by columns: column j lists the members that have an
 *      entry there.  A row of products is added up column by column,
 *
 *          for each entry (j, a) of row i, for each member k of column j, with b:   out[k] += a b
 *
 *      so that members without a common column cost nothing.  Each product is the sum over common
 *      columns in the order of the data, whichever of its two rows is asked for.
 *  (2) The columns are made when a row is wanted over other members than before.  They cost about as
 *      much as ten rows; a working set mostly wants hundreds before it changes.
 *  (3) Sums over support vectors are products with w = sum_j coef_j x_j.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/product_source.h"

#include "problem/problem.h"

/*
 * Share of entries up to which rows are sparse.  Dense sets of many classes and few rows are the worst:
 * a row of nci60 meets w of 36 pairs, and has more entries than a pair has kernel values.
 */
#define MOST_FULL 0.1

bool product_rows_suit(const struct csr *x)
{
	struct error ignored = { 0 };
	struct column_map columns = { 0 };
	bool suits = x->n_cols >= x->n_rows && column_map_init(&columns, x, &ignored) == 0 &&
		     columns.n >= x->n_rows &&
		     (double)csr_n_entries(x) <= MOST_FULL * (double)x->n_rows * (double)columns.n;

	column_map_free(&columns);
	return suits;
}

void product_rows_free(struct product_rows *r)
{
	kernel_vectors_free(&r->rows);
	column_map_free(&r->columns);
	mem_free(r->norm2);
	*r = (struct product_rows){ 0 };
}

int product_rows_init(struct product_rows *r, const struct csr *x, struct error *err)
{
	*r = (struct product_rows){ 0 };
	r->norm2 = mem_array(x->n_rows, sizeof(*r->norm2), err);
	if (!r->norm2 || csr_append(&r->rows.x, x->n_rows, x->row_start, x->col, x->val, err) < 0 ||
	    kernel_vectors_number_columns(&r->rows, &r->columns, err) < 0) {
		product_rows_free(r);
		return -1;
	}
	for (int64_t i = 0; i < x->n_rows; i++)
		r->norm2[i] = csr_row_norm2(x, i);
	return 0;
}

/* An entry of a column: a member's value there. */
struct member_entry {
	double val;
	int32_t member;
};

/* Members first .. n - 1 of a working set by columns, (1). */
struct member_columns {
	int64_t first, n; /* n == 0: none */
	int64_t *row;	  /* row of each member, room for all rows */
	int64_t *start;	  /* where the entries of each column begin, and the last one's end */
	struct member_entry *entry; /* entries by column */
	int64_t capacity;
	double *products; /* products of a row with the members, room for all rows */
};

static const struct product_rows *rows_of(const struct kernel_source *source)
{
	return ((const struct product_source *)source)->rows;
}

static int open_rows(struct kernel_rows *r, struct error *err)
{
	const struct product_rows *all = rows_of(r->source);
	struct member_columns *c = mem_zeroed(1, sizeof(*c), err);

	r->state = c;
	if (!c)
		return -1;
	c->row = mem_array(r->p->n, sizeof(*c->row), err);
	c->start = mem_array(all->columns.n + 2, sizeof(*c->start), err);
	c->products = mem_array(r->p->n, sizeof(*c->products), err);
	return c->row && c->start && c->products ? 0 : -1;
}

static void close_rows(struct kernel_rows *r)
{
	struct member_columns *c = r->state;

	if (!c)
		return;
	mem_free_all(c->row, c->start, c->entry, c->products, c);
}

/* Count the entries of each column in start[column + 2], and sum up: where those before it end. */
static int64_t count_entries(struct member_columns *c, const struct csr *x, int64_t n_columns)
{
	memset(c->start, 0, (size_t)(n_columns + 2) * sizeof(*c->start));
	for (int64_t k = c->first; k < c->n; k++) {
		const struct csr_row row = csr_row_of(x, c->row[k]);

		for (int64_t e = 0; e < row.n; e++)
			c->start[row.col[e] + 2]++;
	}
	for (int64_t j = 2; j < n_columns + 2; j++)
		c->start[j] += c->start[j - 1];
	return c->start[n_columns + 1];
}

/* List the entries of the members from 'first' on by columns, (2), unless these are listed. */
static int find_columns(const struct kernel_rows *r, const struct row_members *over, int64_t first,
			struct error *err)
{
	const struct product_rows *all = rows_of(r->source);
	struct member_columns *c = r->state;
	int64_t n_entries;

	if (c->n == over->n && c->first == first &&
	    memcmp(c->row, over->row, (size_t)c->n * sizeof(*c->row)) == 0)
		return 0;
	c->n = over->n;
	c->first = first;
	memcpy(c->row, over->row, (size_t)c->n * sizeof(*c->row));
	n_entries = count_entries(c, &all->rows.x, all->columns.n);
	if (mem_grow(&c->entry, &c->capacity, n_entries, sizeof(*c->entry), err) < 0) {
		c->n = 0;
		return -1;
	}
	/* start[column + 1] is where the next entry of the column goes, and then its end */
	for (int64_t k = first; k < c->n; k++) {
		const struct csr_row row = csr_row_of(&all->rows.x, c->row[k]);

		for (int64_t e = 0; e < row.n; e++)
			c->entry[c->start[row.col[e] + 1]++] =
				(struct member_entry){ row.val[e], (int32_t)k };
	}
	return 0;
}

/* The products of row i with the members, (1). */
static void multiply(const struct member_columns *c, const struct csr *x, int64_t i)
{
	const struct csr_row own = csr_row_of(x, i);

	memset(c->products + c->first, 0, (size_t)(c->n - c->first) * sizeof(*c->products));
	for (int64_t k = 0; k < own.n; k++)
		for (int64_t e = c->start[own.col[k]]; e < c->start[own.col[k] + 1]; e++)
			c->products[c->entry[e].member] += own.val[k] * c->entry[e].val;
}

static int fetch_rows(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct csr *x = &rows_of(r->source)->rows.x;
	const struct member_columns *c = r->state;
	int64_t n = q->over->n, n_padded = kernel_rows_padded(n);

	if (find_columns(r, q->over, q->first, err) < 0)
		return -1;
	for (int64_t v = 0; v < q->n; v++) {
		double *wide = q->out[v];
		float *narrow = q->out[v];

		multiply(c, x, r->p->row[q->wanted[v]]);
		for (int64_t j = q->first; r->in_doubles && j < n_padded; j++)
			wide[j] = j < n ? c->products[j] : 0;
		for (int64_t j = q->first; !r->in_doubles && j < n_padded; j++)
			narrow[j] = j < n ? (float)c->products[j] : 0;
	}
	return 0;
}

int product_rows_sums(const struct product_rows *r, const struct product_sums *q, struct error *err)
{
	const struct csr *x = &r->rows.x;
	double *w = mem_zeroed(r->columns.n, sizeof(*w), err);

	if (!w)
		return -1;
	for (int64_t j = 0; j < q->n_vectors; j++)
		csr_add_row(x, q->vector[j], q->coef[j], w);
	for (int64_t k = 0; k < q->n; k++)
		q->value[k] = csr_row_dot(x, q->row ? q->row[k] : q->first + k, w);
	mem_free(w);
	return 0;
}

static int sum(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct product_sums sums = { .vector = s->state,
					   .coef = s->coef,
					   .n_vectors = s->n_vectors,
					   .row = q->row,
					   .n = q->n,
					   .value = q->value };

	return product_rows_sums(rows_of(s->source), &sums, err);
}

static const struct kernel_source_type product_type = {
	.open_rows = open_rows,
	.close_rows = close_rows,
	.rows_at_once = kernel_rows_singly,
	.fetch_rows = fetch_rows,
	.open_sums = kernel_sums_open_rows,
	.close_sums = kernel_sums_close_rows,
	.sum = sum,
};

struct product_source product_source_of(const struct product_rows *rows, bool rounds)
{
	return (struct product_source){
		.base = { .type = &product_type,
			  .diagonal = rows->norm2,
			  .diagonal_step = 1,
			  .in_floats = rounds },
		.rows = rows,
	};
}
