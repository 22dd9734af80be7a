/*
 * row_sketch.c - the row space of a few random combinations of the rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/row_sketch.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/rng_fill.h"
#include "base/thread.h"
#include "geometry/row_space_work.h"
#include "matrix/blas.h"

enum {
	PANEL = 1024, /* features combined at a time where X^ is not kept */
	ROWS = 4096,  /* rows of x combined at a time where it is */
	BLOCK = 64    /* features, and rows of G', that a thread takes at a time */
};

/* Rows of G' for the rows first_row ... of x, and what becomes of the features first ... */
struct combining {
	const struct columns *columns;
	uint64_t seed;
	int64_t t, stride; /* stride: t, made even */
	int64_t first_row, n_rows, first, n;
	double *g;   /* n_rows x stride */
	double *sum; /* n x t: rows of X^' */
	int n_threads;
};

static void draw_rows(void *arg, int64_t block, int thread)
{
	const struct combining *w = arg;
	int64_t end = int64_min((block + 1) * BLOCK, w->n_rows);

	(void)thread;
	for (int64_t i = block * BLOCK; i < end; i++) {
		struct rng_place place = { .seed = w->seed,
					   .stream = RNG_SKETCH_ROWS,
					   .i = (uint64_t)(w->first_row + i) };

		rng_fill_normals(&place, w->stride / 2, w->g + i * w->stride);
	}
}

static void draw(struct combining *w, int64_t first_row, int64_t n_rows)
{
	w->first_row = first_row;
	w->n_rows = n_rows;
	thread_parallel_for(w->n_threads, int64_blocks(n_rows, BLOCK), draw_rows, w);
}

/* The first entry of column j in row 'row' or later. */
static int64_t entry_from(const struct csr *columns, int64_t j, int64_t row)
{
	int64_t low = columns->row_start[j], high = columns->row_start[j + 1];

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (columns->col[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void combine_columns(void *arg, int64_t block, int thread)
{
	const struct combining *w = arg;
	const struct csr *x = &w->columns->by_column;
	int64_t end = int64_min((block + 1) * BLOCK, w->n);
	int64_t end_row = w->first_row + w->n_rows;

	(void)thread;
	for (int64_t j = block * BLOCK; j < end; j++) {
		int64_t k = entry_from(x, w->first + j, w->first_row);

		for (; k < x->row_start[w->first + j + 1] && x->col[k] < end_row; k++)
			blas_add_scaled(w->sum + j * w->t, w->t, x->val[k],
					w->g + (x->col[k] - w->first_row) * w->stride);
	}
}

/* Add what the rows drawn contribute to the features first .. first + n - 1. */
static void combine(struct combining *w, int64_t first, int64_t n, double *sum)
{
	w->first = first;
	w->n = n;
	w->sum = sum;
	thread_parallel_for(w->n_threads, int64_blocks(n, BLOCK), combine_columns, w);
}

/*
 * Rank and coefficients from X^X^' as row_space_of_gram(), which may call a direction 0 that X^
 * has.
 *
 * G' is drawn 'room' of its n rows at a time, which it has room for; n at a time leave it as it is.
 */
static int settle_rank(struct row_space *s, struct combining *w, int64_t n, int64_t room,
		       double *gram, const struct row_space_options *o, struct error *err)
{
	int ret = row_space_of_gram(s, gram, o, err);
	int64_t n_null = w->t - s->rank;
	struct blas_factor z = { gram, w->t, BLAS_PLAIN }, g = { w->g, w->stride, BLAS_TRANSPOSED };
	double *combined;

	if (ret != 1 || n_null == 0 || o->rank_tol > 0)
		return ret;
	combined = mem_large(n_null * n, sizeof(*combined), err);
	ret = combined ? 1 : -1;
	for (int64_t i = 0; i < n && ret == 1; i += room) {
		int64_t count = int64_min(n - i, room);

		draw(w, i, count);
		if (blas_multiply(z, g, n_null, count, w->t, 0, combined + i, n, err) < 0)
			ret = -1;
	}
	if (ret == 1 && row_space_is_short(s, &w->columns->by_column, combined, n_null)) {
		row_space_forget(s);
		ret = 0;
	}
	free(combined);
	return ret;
}

/* ---- n <= d: G is kept, X^ made by panels ---- */

static int add_panels(struct combining *w, double *gram, struct error *err)
{
	double *panel = mem_array(PANEL * w->t, sizeof(*panel), err);

	if (!panel || blas_reserve(err) < 0) {
		free(panel);
		return -1;
	}
	for (int64_t j = 0; j < w->columns->n; j += PANEL) {
		int64_t n = int64_min(w->columns->n - j, PANEL);

		memset(panel, 0, (size_t)(n * w->t) * sizeof(*panel));
		combine(w, j, n, panel);
		blas_add_outer(gram, w->t, w->t, 1, panel, n);
	}
	free(panel);
	return 0;
}

/* V = X^' T = X'(G'T) */
static int turn_rows(struct row_space *s, const struct combining *w, struct error *err)
{
	double *turned = mem_array(w->n_rows * s->rank, sizeof(*turned), err);
	int ret = -1;

	if (turned)
		ret = blas_multiply((struct blas_factor){ w->g, w->stride, BLAS_PLAIN },
				    (struct blas_factor){ s->coefficient, s->rank, BLAS_PLAIN },
				    w->n_rows, s->rank, w->t, 0, turned, s->rank, err);
	free(s->coefficient);
	s->coefficient = turned;
	return ret;
}

/* All of X^' at once, where only QR of it can tell the rank. */
static int by_full(struct row_space *s, struct combining *w, const struct row_space_options *o,
		   struct error *err)
{
	double *q = row_space_full_matrix(s, o, err);
	int ret = -1;

	if (q) {
		memset(q, 0, (size_t)(w->columns->n * w->t) * sizeof(*q));
		combine(w, 0, w->columns->n, q);
		ret = row_space_of_full(s, &q, o, err);
		free(s->coefficient);
		s->coefficient = NULL;
	}
	free(q);
	return ret;
}

static int by_panels(struct row_space *s, struct combining *w, int64_t n, double *gram,
		     const struct row_space_options *o, struct error *err)
{
	int ret = 0;

	w->g = mem_large(n * w->stride, sizeof(*w->g), err);
	if (!w->g)
		return -1;
	draw(w, 0, n);
	if (!o->qr) {
		if (add_panels(w, gram, err) < 0)
			return -1;
		ret = settle_rank(s, w, n, n, gram, o, err);
	}
	if (ret > 0)
		return turn_rows(s, w, err);
	return ret < 0 ? -1 : by_full(s, w, o, err);
}

/* ---- n > d: X^ is kept, G drawn some rows at a time ---- */

/* V = X^' T in the place of X^' */
static int turn_columns(struct row_space *s, double **q, struct error *err)
{
	int ret = row_space_turn_basis(s, *q, s->coefficient, s->rank, err);

	free(s->coefficient);
	s->coefficient = NULL;
	s->basis = *q;
	*q = NULL;
	return ret;
}

static int by_columns(struct row_space *s, struct combining *w, int64_t n, double *gram,
		      const struct row_space_options *o, struct error *err)
{
	double *q = mem_large(w->columns->n * w->t, sizeof(*q), err);
	int ret = -1;

	w->g = mem_array(ROWS * w->stride, sizeof(*w->g), err);
	if (!q || !w->g || blas_reserve(err) < 0)
		goto out;
	memset(q, 0, (size_t)(w->columns->n * w->t) * sizeof(*q));
	for (int64_t i = 0; i < n; i += ROWS) {
		draw(w, i, int64_min(n - i, ROWS));
		combine(w, 0, w->columns->n, q);
	}
	ret = 0;
	if (!o->qr) {
		blas_add_outer(gram, w->t, w->t, 1, q, w->columns->n);
		ret = settle_rank(s, w, n, ROWS, gram, o, err);
	}
	if (ret > 0) {
		ret = turn_columns(s, &q, err);
	} else if (ret == 0) {
		ret = row_space_of_full(s, &q, o, err);
		free(s->coefficient);
		s->coefficient = NULL;
	}
out:
	free(q);
	return ret;
}

/* ---- Both ---- */

static int find_basis(struct row_space *s, const struct row_sketch_options *o, struct error *err)
{
	int64_t n = s->n_rows, d = s->columns.n, t = o->n_rows;
	struct combining w = { .columns = &s->columns,
			       .seed = o->seed,
			       .t = t,
			       .stride = t + t % 2,
			       .n_threads = o->space.n_threads };
	double *gram;
	int ret = -1;

	s->n_rows = t;
	if (row_space_check_bytes(s, &o->space, 8 * (double)w.stride * (double)int64_min(n, d),
				  "; fewer rows of the sketch need less", err) < 0)
		return -1;
	gram = mem_zeroed(t * t, sizeof(*gram), err);
	if (gram)
		ret = (n <= d ? by_panels : by_columns)(s, &w, n, gram, &o->space, err);
	s->n_rows = n;
	free(gram);
	free(w.g);
	return ret;
}

int row_sketch_space(struct row_space *s, const struct csr *x, const struct row_sketch_options *o,
		     bool *sketched, struct error *err)
{
	*sketched = false;
	if (x->n_rows > o->n_rows) {
		if (row_space_begin(s, x, err) < 0)
			return -1;
		*sketched = s->columns.n > o->n_rows;
		if (*sketched && find_basis(s, o, err) == 0 && row_space_equate(s, err) == 0)
			return 0;
		row_space_free(s);
		if (*sketched)
			return -1;
	}
	return row_space_init(s, x, &o->space, err);
}
