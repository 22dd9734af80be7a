/*
 * row_sketch.c - the row space of a few random combinations of the rows
 *
 * How this works.  X^ = G X has t rows, where X has n.  Its basis is found as that of a matrix
 * (row_space.c), from the t x t matrix X^X^' or, where that leaves the rank open, from QR.
 * What differs is how X^ is made and kept; each entry x_ij adds x_ij g_i to row j of X^' (1), g_i
 * being the t numbers of row i:
 *
 *     n <= d   G' is kept (n x t); X^' is made PANEL features at a time, only to add its products
 *              to X^X^'.  V = X^'T = X'(G'T), so G'T (n x rank) takes the place of T in struct
 *              row_space, and V is made from the sparse columns when asked for          (2)
 *     n > d    X^' is kept (d x t); G' is drawn some rows at a time and forgotten.  V = X^'T takes
 *              the place of X^'                                                         (3)
 *
 * so the larger of n and d never multiplies t in memory, but where QR needs X^' whole.
 *
 * g_i is drawn from (seed, i) alone, in pairs; 'stride' makes t even so that a row of G' is whole
 * pairs.  Each task owns features (1) or rows of G', and an entry's place in its sum depends on its
 * row, so the bits depend neither on threads nor on how many rows are drawn at a time.
 *
 * In both ways settle_rank() has the return values of row_space_of_gram(): 1 where the eigenvalues
 * of X^X^' settle the rank and their vectors T are in the struct, 0 where QR of X^ has to.  In the
 * end s->coefficient or s->basis are of X, not of X^: the caller of row_sketch_space() cannot tell
 * them from those of a struct made by row_space_init().
 *
 * Memory, beside the sparse columns: 8 t min(n, d) for G' or X^', and 8 t^2 for the products; and
 * where the rank is below t, for the proof of it (settle_rank()), 8 n (t - rank).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/row_sketch.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem_bound.h"
#include "base/rng_fill.h"
#include "base/thread.h"
#include "geometry/row_space_work.h"
#include "matrix/blas.h"

enum {
	PANEL = 1024, /* features combined at a time where X^ is not kept: 2 MB for t = 256 */
	ROWS = 4096,  /* most rows of x combined at a time where X^' is kept: 8 MB for t = 256 */
	BLOCK = 64    /* features, or rows of G', that a thread takes at a time */
};

/* Share of the bound of memory for these rows of G', all of which are read for each feature. */
#define ROWS_SHARE 0.1

/*
 * The work: rows first_row .. first_row + n_rows - 1 of G' have been drawn, and are combined for
 * the features first .. first + n - 1.
 */
struct combining {
	const struct columns *columns;
	const struct row_space_options *options;
	uint64_t seed;
	int64_t t, stride; /* sketch rows t; stride: t rounded up to even */
	int64_t n_all;	   /* rows of x */
	int64_t first_row, n_rows, first, n;
	double *g;    /* random matrix G', n_rows x stride */
	double *sum;  /* rows of X^', n x t */
	double *gram; /* Gram matrix X^X^', t x t, later its eigenvectors as rows */
	int n_threads;
};

/* Row i of those of G' that are drawn */
static void draw_row(void *arg, int64_t i, void *room)
{
	const struct combining *w = arg;
	/* by the row's number in the data: the same numbers however many are drawn at a time */
	struct rng_place place = { .seed = w->seed,
				   .stream = RNG_SKETCH_ROWS,
				   .i = (uint64_t)(w->first_row + i) };

	(void)room;
	rng_fill_normals(&place, w->stride / 2, w->g + i * w->stride);
}

/* g = rows first_row .. first_row + n_rows - 1 of G' */
static int draw(struct combining *w, int64_t first_row, int64_t n_rows, struct error *err)
{
	w->first_row = first_row;
	w->n_rows = n_rows;
	return thread_each(w->n_threads, n_rows, BLOCK, 0, draw_row, w, err);
}

/* The first entry of column j in row 'row' or a later one, by halving. */
static int64_t entry_from(const struct csr *columns, int64_t j, int64_t row)
{
	int64_t low = columns->row_start[j], high = columns->row_start[j + 1];

	while (low < high) {
		/* entries of a column are by ascending row */
		int64_t middle = low + (high - low) / 2;

		if (columns->col[middle] < row)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* (1), for feature first + j and the rows that have been drawn */
static void combine_column(void *arg, int64_t j, void *room)
{
	const struct combining *w = arg;
	const struct csr *x = &w->columns->by_column;
	const int64_t end_row = w->first_row + w->n_rows;
	/* the first entry of this column in a row that has been drawn */
	int64_t k = entry_from(x, w->first + j, w->first_row);

	(void)room;
	for (; k < x->row_start[w->first + j + 1] && x->col[k] < end_row; k++)
		blas_add_scaled(w->sum + j * w->t, w->t, x->val[k],
				w->g + (x->col[k] - w->first_row) * w->stride);
}

/* sum += product of the rows of G' drawn so far with features first .. first + n - 1. */
static int combine(struct combining *w, int64_t first, int64_t n, double *sum, struct error *err)
{
	w->first = first;
	w->n = n;
	w->sum = sum;
	return thread_each(w->n_threads, n, BLOCK, 0, combine_column, w, err);
}

/* Rows of x that are combined at a time */
static int64_t rows_at_once(const struct combining *w)
{
	double share = ROWS_SHARE * (double)mem_bound() / (double)(w->stride * 8);

	return mem_bound() == 0 ? ROWS : int64_clamp((int64_t)share, BLOCK, ROWS);
}

/*
 * combine() of all rows of G', which is kept, some at a time: these stay in memory while each
 * feature reads them
 */
static int combine_kept(struct combining *w, int64_t first, int64_t n, double *sum,
			struct error *err)
{
	const int64_t at_once = rows_at_once(w);
	double *g = w->g;
	int ret = 0;

	for (int64_t i = 0; i < w->n_all && ret == 0; i += at_once) {
		w->g = g + i * w->stride;
		w->first_row = i;
		w->n_rows = int64_min(w->n_all - i, at_once);
		ret = combine(w, first, n, sum, err);
	}
	w->g = g;
	w->first_row = 0;
	w->n_rows = w->n_all;
	return ret;
}

/*
 * Rank and coefficients from X^X^', with the return values of row_space_of_gram().  That may take a
 * direction of X^ for 0, so the combinations z of its rows that should be 0 are made from X:
 * z'X^ = (z'G)X, with 'room' of the n rows of G' drawn at a time.  Where G' is kept, room = n draws
 * it again as it was.
 */
static int settle_rank(struct row_space *s, struct combining *w, int64_t room, struct error *err)
{
	int ret = row_space_of_gram(s, w->gram, w->options, err);
	int64_t n = w->n_all, n_null = w->t - s->rank;
	struct blas_factor z = { w->gram, w->t, BLAS_PLAIN };
	struct blas_factor g = { w->g, w->stride, BLAS_TRANSPOSED };
	double *combined;

	/* no proof is needed: the caller gave a tolerance, the rank is open, or it is full */
	if (ret != 1 || n_null == 0 || w->options->rank_tol > 0)
		return ret;
	combined = mem_large(n_null * n, sizeof(*combined), err);
	/* z'G: a combination of the n rows of X for each such eigenvector */
	ret = combined ? 1 : -1;
	for (int64_t i = 0; i < n && ret == 1; i += room) {
		/* 'room' rows of G' at a time; draw() makes equal rows for any 'room' */
		int64_t count = int64_min(n - i, room);

		if (draw(w, i, count, err) < 0 ||
		    blas_multiply(z, g, n_null, count, w->t, 0, combined + i, n, err) < 0)
			ret = -1;
	}
	/* X is longer along such a combination than rounding explains */
	if (ret == 1 && row_space_is_short(s, &w->columns->by_column, combined, n_null)) {
		row_space_forget(s);
		ret = 0;
	}
	mem_free(combined);
	return ret;
}

/* ---- n <= d: G is kept, X^ made by panels ---- */

/* gram = X^X^', PANEL features at a time */
static int add_panels(struct combining *w, struct error *err)
{
	double *panel = mem_array(PANEL * w->t, sizeof(*panel), err);
	int ret = 0;

	if (!panel || blas_reserve(INT64_MAX, 0, err) < 0) {
		mem_free(panel);
		return -1;
	}
	for (int64_t j = 0; j < w->columns->n && ret == 0; j += PANEL) {
		int64_t n = int64_min(w->columns->n - j, PANEL);

		/* the panel is summed up from zeros */
		memset(panel, 0, (size_t)(n * w->t) * sizeof(*panel));
		ret = combine_kept(w, j, n, panel, err);
		/* add the products of the panel's rows, then reuse the panel */
		blas_add_outer(w->gram, w->t, w->t, 1, panel, n);
	}
	mem_free(panel);
	return ret;
}

/* (2): G'T in the place of T */
static int turn_rows(struct row_space *s, const struct combining *w, struct error *err)
{
	double *turned = mem_array(w->n_rows * s->rank, sizeof(*turned), err);
	int ret = -1;

	/* T (t x rank) becomes n x rank */
	if (turned)
		ret = blas_multiply((struct blas_factor){ w->g, w->stride, BLAS_PLAIN },
				    (struct blas_factor){ s->coefficient, s->rank, BLAS_PLAIN },
				    w->n_rows, s->rank, w->t, 0, turned, s->rank, err);
	mem_free(s->coefficient);
	s->coefficient = turned;
	return ret;
}

/*
 * All of X^' at once, where only QR of it can tell the rank.  The basis is then stored; what T says
 * of the rows of X^, not of X, is dropped.
 */
static int by_full(struct row_space *s, struct combining *w, struct error *err)
{
	double *q = row_space_full_matrix(s, w->options, err);
	int ret = -1;

	if (q) {
		/* room for X^' came from row_space_full_matrix(), which has asked max_bytes */
		memset(q, 0, (size_t)(w->columns->n * w->t) * sizeof(*q));
		ret = combine_kept(w, 0, w->columns->n, q, err);
		if (ret == 0)
			ret = row_space_factorise(s, &q, NULL, w->options, err);
		mem_free(s->coefficient);
		s->coefficient = NULL;
	}
	mem_free(q);
	return ret;
}

/* n <= d: the basis from X^X^', or from X^' if that leaves the rank open. */
static int by_panels(struct row_space *s, struct combining *w, struct error *err)
{
	int ret = 0;

	/* G' whole, as (2) turns all of it */
	w->g = mem_large(w->n_all * w->stride, sizeof(*w->g), err);
	/* G' is drawn once for all panels */
	if (!w->g || draw(w, 0, w->n_all, err) < 0)
		return -1;
	if (!w->options->qr) {
		if (add_panels(w, err) < 0)
			return -1;
		ret = settle_rank(s, w, w->n_all, err);
	}
	if (ret > 0)
		return turn_rows(s, w, err);
	return ret < 0 ? -1 : by_full(s, w, err);
}

/* ---- n > d: X^ is kept, G drawn some rows at a time ---- */

/* (3): V = X^'T in the place of X^' */
static int turn_columns(struct row_space *s, double **q, struct error *err)
{
	/* in the place of X^': d x rank numbers of d x t */
	int ret = row_space_turn_basis(s, *q, s->coefficient, s->rank, err);

	mem_free(s->coefficient);
	s->coefficient = NULL;
	s->basis = *q;
	*q = NULL;
	return ret;
}

/* n > d: the same, X^' being stored whole from the start. */
static int by_columns(struct row_space *s, struct combining *w, struct error *err)
{
	const int64_t at_once = rows_at_once(w);
	double *q = mem_large(w->columns->n * w->t, sizeof(*q), err);
	int ret = -1;

	/* only some rows of G' at a time */
	w->g = mem_reserve(at_once * w->stride, sizeof(*w->g), err);
	if (!q || !w->g || blas_reserve(INT64_MAX, 0, err) < 0)
		goto out;
	mem_use(w->g, (size_t)(at_once * w->stride) * sizeof(*w->g));
	memset(q, 0, (size_t)(w->columns->n * w->t) * sizeof(*q));
	for (int64_t i = 0; i < w->n_all; i += at_once) {
		/* each block of rows adds to the sums of all features */
		if (draw(w, i, int64_min(w->n_all - i, at_once), err) < 0 ||
		    combine(w, 0, w->columns->n, q, err) < 0)
			goto out;
	}
	ret = 0;
	if (!w->options->qr) {
		/* X^' is there as a whole, and so are its products */
		blas_add_outer(w->gram, w->t, w->t, 1, q, w->columns->n);
		ret = settle_rank(s, w, at_once, err);
	}
	/* (3), or QR of X^' where the rank is open */
	if (ret > 0) {
		ret = turn_columns(s, &q, err);
	} else if (ret == 0) {
		ret = row_space_factorise(s, &q, NULL, w->options, err);
		mem_free(s->coefficient);
		s->coefficient = NULL;
	}
out:
	mem_free(q);
	return ret;
}

/* ---- Both ---- */

/* The basis of X^ with t rows, whose columns are those of X in s->columns. */
static int find_basis(struct row_space *s, const struct row_sketch_options *o, struct error *err)
{
	int64_t n = s->n_rows, d = s->columns.n, t = o->n_rows;
	struct combining w = { .columns = &s->columns,
			       .options = &o->space,
			       .seed = o->seed,
			       .t = t,
			       .stride = t + t % 2,
			       .n_all = n,
			       .n_threads = o->space.n_threads };
	int ret = -1;

	s->n_rows = t; /* X^ is the matrix whose basis is sought; n again at the end */
	/* memory of the array that is kept: G' for n <= d, else X^' */
	if (row_space_check_bytes(s, &o->space, 8 * (double)w.stride * (double)int64_min(n, d),
				  REMEDY_SMALLER_SKETCH, err) < 0)
		return -1;
	/* what has to be in memory comes first, so that it has the room and a refusal is early */
	if (!o->space.qr)
		w.gram = mem_keep(w.t * w.t, sizeof(*w.gram), err);
	if (w.gram) /* X^X^' of zeros, to be added up */
		memset(w.gram, 0, (size_t)(w.t * w.t) * sizeof(*w.gram));
	if (o->space.qr || w.gram)
		/* the two ways of the head: by panels for n <= d, else by columns */
		ret = (n <= d ? by_panels : by_columns)(s, &w, err);
	s->n_rows = n;
	mem_free_all(w.gram, w.g);
	return ret;
}

int row_sketch_space(struct row_space *s, const struct csr *x, const struct row_sketch_options *o,
		     bool *sketched, struct error *err)
{
	*sketched = false;
	/* with no more than t rows or features a sketch would cost more than X itself */
	if (x->n_rows > o->n_rows) {
		if (row_space_begin(s, x, err) < 0)
			return -1;
		/* the number of features counts those that occur */
		*sketched = s->columns.n > o->n_rows;
		if (*sketched && find_basis(s, o, err) == 0 && row_space_equate(s, err) == 0)
			return 0;
		row_space_free(s);
		if (*sketched)
			return -1;
	}
	return row_space_init(s, x, &o->space, err);
}
