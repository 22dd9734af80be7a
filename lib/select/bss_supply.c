/*
 * bss_supply.c - features for a step of spectral sparsification to judge, (6) of bss.c
 *
 * The bound of barrier_screen is sum_i g_i (u_i'v)^2 + rest (|v|^2 - sum_i (u_i'v)^2).  With
 * directions u_i of length sqrt(g_i - rest) it is sum_i (u_i'v)^2 + rest |v|^2: a feature where
 * this is negative cannot be admitted.  Where v = T'x is made of the entries of a column, u_i'v is
 * a sum of rows of the image T U, in single precision; for its error more is added than it can be.
 *
 * Places that stay are judged as all others: the screen changes what a step costs, not what it
 * chooses.
 *
 *     BSS_CHUNK places  -->  screen, on all threads  -->  places that stay  -->  a batch
 *     supply_chunk()         screen_block()               u->chunk, in order     bss_supply_batch()
 *
 * A chunk is screened at once, since one place alone is too little work for threads, and no further
 * than the step goes: what a step does not look at is not screened.  Without a screen (screen.k is
 * 0) batches are taken from the ring of places directly.
 *
 * Two ways to u_i'v: with V stored, a product of the k directions with a row of V, in doubles; with
 * V made from entries, sums of rows of the image, k floats each, whose error is bounded and added.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "select/bss_work.h"

enum {
	BLOCK = 64,	   /* features that a thread screens at a time */
	IMAGE_ROWS = 1024, /* rows of coefficients that the screen multiplies at a time */
	LINE = 16	   /* floats in a cache line of 64 bytes */
};

void bss_supply_free(struct bss_supply *u)
{
	barrier_screen_free(&u->screen);
	mem_free_all(u->reach, u->image, u->length, u->reach_single);
}

/* Keep rows first .. first + n - 1 of the image as floats, from the doubles in 'full'. */
static void keep_image(struct bss_supply *u, int64_t first, int64_t n, const double *full)
{
	int64_t k = u->screen.k;

	/* the length of the row is that of the doubles, for the error bound of reach_made() */
	for (int64_t i = 0; i < n; i++) {
		double square = 0;

		for (int64_t c = 0; c < k; c++) {
			square += full[i * k + c] * full[i * k + c];
			u->image[(first + i) * k + c] = (float)full[i * k + c];
		}
		u->length[first + i] = sqrt(square);
	}
}

/* Make the image T U of all rows in floats, and each row's length in doubles.  O(n l k). */
static int make_image(struct bss_supply *u, const struct bss_field *f, struct error *err)
{
	const struct row_space *s = f->s;
	int64_t k = u->screen.k;
	const struct blas_factor direction = { u->screen.direction, k, BLAS_PLAIN };
	double *full = mem_array(IMAGE_ROWS * k, sizeof(*full), err);
	int ret;

	u->image = mem_array(s->n_rows * k, sizeof(*u->image), err);
	u->length = mem_array(s->n_rows, sizeof(*u->length), err);
	ret = full && u->image && u->length ? 0 : -1;
	/* a block of coefficients at a time, whose doubles are rounded and forgotten */
	for (int64_t first = 0; first < s->n_rows && ret == 0; first += IMAGE_ROWS) {
		int64_t n = int64_min(s->n_rows - first, IMAGE_ROWS);
		struct blas_factor rows = { s->coefficient + first * s->rank, s->rank, BLAS_PLAIN };

		ret = blas_multiply(rows, direction, n, k, f->l, 0, full, k, err);
		if (ret == 0)
			keep_image(u, first, n, full);
	}
	mem_free(full);
	return ret;
}

int bss_supply_screen(struct bss_supply *u, const struct bss_field *f, const struct barrier *b,
		      int n_threads, struct error *err)
{
	struct barrier_screen *screen = &u->screen;
	int64_t room;

	if (barrier_screen_init(screen, b, err) < 0)
		return -1;
	/*
	 * |u_i'v| sqrt(gain - rest), so that sums of squares are the bound; scaled directions make
	 * scaled images, so factors are applied before the image is made
	 */
	for (int64_t i = 0; i < f->l; i++)
		for (int64_t c = 0; c < screen->k; c++)
			screen->direction[i * screen->k + c] *=
				sqrt(fmax(screen->gain[c] - screen->rest, 0));
	room = thread_clamp_count(n_threads) * screen->k;
	/* a stored basis V is multiplied by the directions directly, without an image */
	if (f->s->basis) {
		u->reach = mem_array(room, sizeof(*u->reach), err);
		return u->reach ? 0 : -1;
	}
	u->reach_single = mem_array(room, sizeof(*u->reach_single), err);
	return u->reach_single ? make_image(u, f, err) : -1;
}

struct screening {
	const struct bss_field *f;
	struct bss_supply *u;
};

/* Sum of (u_i'v)^2 over the directions, where v is stored. */
static double reach_stored(const struct bss_field *f, const struct bss_supply *u, int32_t place,
			   double *reach)
{
	int64_t k = u->screen.k, j = f->column[place];

	/* one product of matrix and vector gives u_i'v of all k directions */
	blas_multiply_vector((struct blas_factor){ u->screen.direction, k, BLAS_TRANSPOSED }, k,
			     f->l, f->s->basis + j * f->s->rank, reach);
	return squared_norm(reach, k);
}

/* Sum of squares of n floats, as four sums: their additions do not wait for one another. */
static double sum_of_squares(const float *x, int64_t n)
{
	double sum[4] = { 0 };
	int64_t c = 0;

	for (; c + 4 <= n; c += 4)
		for (int64_t part = 0; part < 4; part++)
			sum[part] += (double)x[c + part] * x[c + part];
	for (; c < n; c++)
		sum[0] += (double)x[c] * x[c];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/*
 * No less than the sum of (u_i'v)^2, v being made of n entries: each is rounded twice, multiplied
 * and added n times, so n + 4 roundings of the sums of absolute values are more than enough.
 * Components up to 2^-60 are added as if lost, which covers underflow; overflow makes no number.
 */
static double reach_made(const struct bss_field *f, const struct bss_supply *u, int32_t place,
			 float *reach)
{
	const struct csr *x = &f->s->columns.by_column;
	int64_t k = u->screen.k, start = x->row_start[f->column[place]];
	int64_t end = x->row_start[f->column[place] + 1];
	double absolute = 0, error, length;

	memset(reach, 0, (size_t)k * sizeof(*reach));
	for (int64_t e = start; e < end; e++) {
		/* prefetch: rows of the image are far apart in memory */
		for (int64_t c = 0; e + 2 < end && c < k; c += LINE)
			__builtin_prefetch(u->image + x->col[e + 2] * k + c);
		blas_add_scaled_single(reach, k, (float)x->val[e], u->image + x->col[e] * k);
		/* the term FLT_MIN is for values that became 0 as floats */
		absolute += (fabs(x->val[e]) + FLT_MIN) * (u->length[x->col[e]] + FLT_MIN);
	}
	error = (double)(end - start + 4) * FLT_EPSILON * absolute;
	/* term sqrt(k) 2^-60: each of the k components may have lost 2^-60 */
	length = sqrt(sum_of_squares(reach, k)) + error + sqrt((double)k) * 0x1p-60;
	return length * length;
}

/* Bound (6) for a block of places: u->stays[i] tells whether the feature must still be judged. */
static void screen_block(void *arg, int64_t block, int thread)
{
	const struct screening *w = arg;
	struct bss_supply *u = w->u;
	const struct barrier_screen *screen = &u->screen;
	int64_t end = int64_min((block + 1) * BLOCK, u->n);

	for (int64_t i = block * BLOCK; i < end; i++) {
		int32_t place = u->chunk[i];
		double size = w->f->size[place];
		double reached =
			u->image ?
				reach_made(w->f, u, place, u->reach_single + thread * screen->k) :
				reach_stored(w->f, u, place, u->reach + thread * screen->k);

		/*
		 * (6): the bound is negative by more than its rounding.  A NaN, which overflow of
		 * floats makes, compares false, and the feature stays.
		 */
		u->stays[i] = !(reached + screen->rest * size < -screen->rounding * size);
	}
}

/* List the next BSS_CHUNK places not chosen, without the places that the screen rejects. */
static void supply_chunk(struct bss_supply *u, const struct bss_field *f, int n_threads)
{
	struct screening w = { f, u };
	int64_t n_stay = 0;

	u->used = 0;
	/* places in ascending order, as a step looks at them */
	for (u->n = 0; u->n < BSS_CHUNK && u->place < f->n; u->place = f->order.next[u->place])
		u->chunk[u->n++] = u->place;
	thread_parallel_for(n_threads, int64_blocks(u->n, BLOCK), screen_block, &w);
	/* places that stay keep their order, as a step takes the first one admitted */
	for (int64_t i = 0; i < u->n; i++)
		if (u->stays[i])
			u->chunk[n_stay++] = u->chunk[i];
	/* a feature that the screen rejects counts as judged */
	u->n_passed += u->n - n_stay;
	u->n = n_stay;
}

void bss_supply_batch(struct bss_supply *u, const struct bss_field *f, struct bss_batch *t,
		      int64_t size, int n_threads)
{
	/* without a screen places come from the ring, or from the features chosen before */
	for (t->n = 0; t->n < size && u->screen.k == 0 && u->place < f->n; u->n_passed++) {
		t->place[t->n++] = u->place;
		u->place = bss_next_place(f, u->place, u->chosen);
	}
	/* the screen may reject a whole chunk, and then the next one is tried */
	while (u->screen.k > 0 && u->used == u->n && u->place < f->n)
		supply_chunk(u, f, n_threads);
	/* places for which the batch has no room stay in the chunk for the next batch */
	for (; u->screen.k > 0 && t->n < size && u->used < u->n; u->n_passed++)
		t->place[t->n++] = u->chunk[u->used++];
}
