/*
 * gram.c - products of all pairs of rows of a sparse matrix
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/gram.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"

enum {
	PANEL = 128,	/* full columns multiplied at a time */
	BAND = 256,	/* rows of g a thread takes at a time */
	FULL_SHARE = 6, /* a product in place costs 30 to 40 of the BLAS's: sqrt of that */
	FEW_FULL = 12	/* fewer full columns do not make up for a pass over all of g */
};

struct gram {
	const struct csr *a, *t;
	double *g;
	double sign;   /* of what is added */
	bool whole;    /* right of the diagonal, too */
	double *panel; /* up to PANEL columns of a as rows of n */
	double *left;  /* the same times sign */
	int64_t n_panel;
};

static bool is_full(const struct gram *w, int32_t column)
{
	int64_t n = w->t->row_start[column + 1] - w->t->row_start[column];

	return n * FULL_SHARE > w->a->n_rows;
}

/* Row i of g: each entry of row i meets those of its column, as far as row i (or all). */
static void sparse_row(void *arg, int64_t i, int thread)
{
	const struct gram *w = arg;
	double *g = w->g + i * w->a->n_rows;
	int64_t last = w->whole ? w->a->n_rows : i;

	(void)thread;
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

/* A band of rows of g += left' panel, with some entries right of the diagonal at the least. */
static void add_panel(void *arg, int64_t band, int thread)
{
	const struct gram *w = arg;
	int64_t n = w->a->n_rows, first = band * BAND;
	int64_t end = int64_min(first + BAND, n);
	struct blas_factor left = { w->left + first, n, BLAS_TRANSPOSED };
	struct blas_factor right = { w->panel, n, BLAS_PLAIN };
	struct error err = { 0 };

	(void)thread;
	/* cannot fail: add_products() checked the size and reserved memory */
	blas_multiply(left, right, end - first, w->whole ? n : end, w->n_panel, 1, w->g + first * n,
		      n, &err);
}

/* Row i of g += left' panel, by the entries of 'left' that are not 0. */
static void add_panel_row(void *arg, int64_t i, int thread)
{
	const struct gram *w = arg;
	int64_t n = w->a->n_rows;

	(void)thread;
	for (int64_t p = 0; p < w->n_panel; p++)
		if (w->left[p * n + i] != 0)
			blas_add_scaled(w->g + i * n, w->whole ? n : i + 1, w->left[p * n + i],
					w->panel + p * n);
}

static void flush_panel(struct gram *w, int n_threads)
{
	int64_t n = w->a->n_rows;

	if (w->n_panel < FEW_FULL)
		thread_parallel_for(n_threads, n, add_panel_row, w);
	else
		thread_parallel_for(n_threads, int64_blocks(n, BAND), add_panel, w);
	w->n_panel = 0;
}

static void add_full_columns(struct gram *w, int n_threads)
{
	int64_t n = w->a->n_rows;

	for (int64_t j = 0; j < w->t->n_rows; j++) {
		double *row = w->panel + w->n_panel * n, *left = w->left + w->n_panel * n;

		if (!is_full(w, (int32_t)j))
			continue;
		memset(row, 0, (size_t)n * sizeof(*row));
		for (int64_t l = w->t->row_start[j]; l < w->t->row_start[j + 1]; l++)
			row[w->t->col[l]] = w->t->val[l];
		for (int64_t i = 0; left != row && i < n; i++)
			left[i] = w->sign * row[i];
		if (++w->n_panel == PANEL)
			flush_panel(w, n_threads);
	}
	if (w->n_panel > 0)
		flush_panel(w, n_threads);
}

/* g += sign a a' */
static int add_products(struct gram *w, int n_threads, struct error *err)
{
	int64_t n = w->a->n_rows;
	int ret;

	if (n > BLAS_MAX_SIZE)
		return error_set(err, ERR_ARGUMENT, "more than %d rows", BLAS_MAX_SIZE);
	if (blas_reserve(err) < 0)
		return -1;
	w->panel = mem_array(PANEL * n, sizeof(*w->panel), err);
	w->left = w->sign == 1 ? w->panel : mem_array(PANEL * n, sizeof(*w->left), err);
	if (w->panel && w->left) {
		add_full_columns(w, n_threads);
		thread_parallel_for(n_threads, n, sparse_row, w);
	}
	ret = w->panel && w->left ? 0 : -1;
	if (w->left != w->panel)
		free(w->left);
	free(w->panel);
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
	struct gram w = { .a = a, .t = t, .g = g, .sign = -1, .whole = true };

	return add_products(&w, n_threads, err);
}
