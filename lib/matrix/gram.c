/*
 * gram.c - products of all pairs of rows of a sparse matrix
 *
 * How this works.  With the columns c_k of a,
 *
 *     a a' = sum_k c_k c_k'                                                    (1)
 *
 * A column with m entries adds m^2 / 2 products to the lower triangle.  Sparse columns are added in
 * place (2): row i of g takes, for each entry a_ik, the entries of column k up to row i.  Such a
 * product costs an addition at an address that was just read from memory, 30 to 40 times what the
 * BLAS needs for one.  A column with more than n / FULL_SHARE entries is therefore cheaper as a
 * full one of n^2 / 2 products: full columns are collected in a panel of PANEL, and g += left'
 * panel by the BLAS (3), in bands of rows that reach from the first column to the diagonal.  Where
 * a few full columns are left over they are added as sums of vectors (4): the BLAS would read and
 * write all of g for little work.
 *
 * Every task owns rows of g, and adds to them in an order that does not depend on threads.  The
 * full columns come before the sparse ones, so that the additions in place are the last to touch a
 * row.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/gram.h"

#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"

enum {
	PANEL = 128, /* full columns multiplied at a time */
	BAND = 256,  /* rows of g that a thread takes at a time */
	/* sqrt of 30 to 40, which is what a product in place costs in products of the BLAS */
	FULL_SHARE = 6,
	FEW_FULL = 12 /* least full columns: with fewer the BLAS mostly moves g in memory */
};

struct gram {
	const struct csr *a, *t;
	double *g;
	double sign;   /* of the products: 1, added to g's lower triangle, or -1, to all of g */
	double *panel; /* n rows: up to PANEL full columns of a */
	double *left;  /* sign times the panel; if sign is 1, the panel itself */
	int64_t n_panel;
};

/* Does the column have more than n / FULL_SHARE entries? */
static bool is_full(const struct gram *w, int32_t column)
{
	int64_t n = w->t->row_start[column + 1] - w->t->row_start[column];

	return n * FULL_SHARE > w->a->n_rows;
}

/* (2): row i of g; each entry of row i meets those of its column, up to row i (or all). */
static void sparse_row(void *arg, int64_t i, int thread UNUSED)
{
	const struct gram *w = arg;
	double *g = w->g + i * w->a->n_rows;
	int64_t last = w->sign < 0 ? w->a->n_rows : i;

	for (int64_t k = w->a->row_start[i]; k < w->a->row_start[i + 1]; k++) {
		int32_t column = w->a->col[k];
		const int64_t end = w->t->row_start[column + 1];
		double value = w->sign * w->a->val[k];

		if (is_full(w, column))
			continue;
		for (int64_t l = w->t->row_start[column]; l < end && w->t->col[l] <= last; l++)
			g[w->t->col[l]] += value * w->t->val[l];
	}
}

/*
 * (3): a band of rows of g += left' panel, up to the last diagonal entry of the band.  The entries
 * right of the diagonal that this includes are undefined for the caller.
 */
static void add_panel(void *arg, int64_t band, int thread UNUSED)
{
	const struct gram *w = arg;
	int64_t n = w->a->n_rows, first = band * BAND;
	int64_t end = int64_min(first + BAND, n);
	struct blas_factor left = { w->left + first, n, BLAS_TRANSPOSED };
	struct blas_factor right = { w->panel, n, BLAS_PLAIN };
	struct error err = { 0 };

	/* cannot fail: add_products() checked the size and reserved memory */
	blas_multiply(left, right, end - first, w->sign < 0 ? n : end, w->n_panel, 1,
		      w->g + first * n, n, &err);
}

/* (4): row i of g += left' panel, a vector for each entry of 'left' that is not 0. */
static void add_panel_row(void *arg, int64_t i, int thread UNUSED)
{
	const struct gram *w = arg;
	int64_t n = w->a->n_rows;

	for (int64_t p = 0; p < w->n_panel; p++)
		if (w->left[p * n + i] != 0)
			blas_add_scaled(w->g + i * n, w->sign < 0 ? n : i + 1, w->left[p * n + i],
					w->panel + p * n);
}

/* Add the products of the panel, and empty the panel. */
static int flush_panel(struct gram *w, int n_threads, struct error *err)
{
	const bool few = w->n_panel < FEW_FULL;
	const int64_t n = w->a->n_rows;
	const int ret = thread_interruptible_for(n_threads, few ? n : int64_blocks(n, BAND),
						 few ? add_panel_row : add_panel, w, err);

	w->n_panel = 0;
	return ret;
}

/* (1) for the full columns, of which the rows of 't' = a' have the entries. */
static int add_full_columns(struct gram *w, int n_threads, struct error *err)
{
	int64_t n = w->a->n_rows;

	for (int64_t j = 0; j < w->t->n_rows; j++) {
		double *row = w->panel + w->n_panel * n, *left = w->left + w->n_panel * n;

		if (!is_full(w, (int32_t)j))
			continue;
		csr_fill_row(w->t, j, row);
		for (int64_t i = 0; left != row && i < n; i++)
			left[i] = w->sign * row[i];
		if (++w->n_panel == PANEL && flush_panel(w, n_threads, err) < 0)
			return -1;
	}
	return w->n_panel > 0 ? flush_panel(w, n_threads, err) : 0;
}

/* g += sign a a' */
static int add_products(struct gram *w, int n_threads, struct error *err)
{
	int64_t n = w->a->n_rows;
	int ret = -1;

	if (n > BLAS_MAX_SIZE)
		return error_set(err, ERR_ARGUMENT, "more than %d rows", BLAS_MAX_SIZE);
	if (blas_reserve(INT64_MAX, 0, err) < 0)
		return -1;
	w->panel = mem_array(PANEL * n, sizeof(*w->panel), err);
	w->left = w->sign == 1 ? w->panel : mem_array(PANEL * n, sizeof(*w->left), err);
	if (w->panel && w->left && add_full_columns(w, n_threads, err) == 0)
		ret = thread_interruptible_for(n_threads, n, sparse_row, w, err);
	if (w->left != w->panel)
		mem_free(w->left);
	mem_free(w->panel);
	return ret;
}

int gram_rows(const struct csr *a, const struct csr *t, double *g, int n_threads, struct error *err)
{
	int64_t n = a->n_rows;
	struct gram w = { .a = a, .t = t, .g = g, .sign = 1 };

	if (n <= BLAS_MAX_SIZE)
		memset(g, 0, (size_t)(n * n) * sizeof(*g));
	return add_products(&w, n_threads, err);
}

int gram_subtract(const struct csr *a, const struct csr *t, double *g, int n_threads,
		  struct error *err)
{
	struct gram w = { .a = a, .t = t, .g = g, .sign = -1 };

	return add_products(&w, n_threads, err);
}
