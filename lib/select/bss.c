/*
 * bss.c - features by single-set spectral sparsification
 *
 * How this works.  Features are vectors v_1 .. v_d of l numbers, the rows of an orthonormal basis V
 * of the row space, so that sum_j v_j v_j' = I.  Of r > l features with weights w the sum
 * A = sum w^2 v v' shall stay near I.  It is made in r steps (Paul, Magdon-Ismail, Drineas 2015,
 * Algorithm 1).  Each step raises a lower and an upper barrier (barrier.h) and adds t v v' for one
 * feature that they admit,
 *
 *     upper(v) <= lower(v),     t = 2 / (upper(v) + lower(v))                  (1)
 *
 * Among all features there always is one (Batson, Spielman, Srivastava 2009, Lemma 3.5).  At the
 * end eigenvalues of A lie between L = r - sqrt(r l) and U = delta (r + sqrt(r l)).  With
 * s = sqrt(l / r) these are r (1 - s) and r (1 + s)^2 / (1 - s); times
 *
 *     (1 - s) / r                                                              (2)
 *
 * they are (1 - s)^2 and (1 + s)^2, the guarantee.  So w_j^2 is (2) times the sum of j's t.
 *
 * Which admitted feature a step takes is free: the one with the largest |v| not chosen before (3);
 * if none of these is admitted, of those chosen before (4); if rounding leaves none at all, the
 * one with the largest (lower - upper) / |v|^2 (5).
 *
 * (1) does not depend on the length of v, so features are sorted by |v| once and a step ends at the
 * first one admitted: on text after one or two.  Judging one takes O(l^2); what saves time is
 *
 *   - batches that double: full products take over where the first features are not admitted;
 *   - keeping vectors that were judged and not taken: the next step begins with them;
 *   - a screen (barrier_screen) where thousands are not admitted: lower - upper <= a bound that
 *     costs half as much, and that rejects most (6).
 *
 * None of these changes what is chosen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/bss.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "select/barrier.h"

/* Of a cut vector, the share of its squared length below which it is rounding: 1e-12 of the length,
 * as the basis is orthonormal to some 1e-14. */
#define NO_SHARE 1e-24

enum {
	BLOCK = 64,	       /* features a thread measures or screens at a time */
	MAX_BATCH = 64,	       /* features judged at a time, at most */
	MIN_KEPT = 64,	       /* vectors kept, at least: a batch */
	KEPT_BYTES = 32 << 20, /* and at most so much of them, turned and as they are */
	SCREEN_AFTER = 2048,   /* features judged in a step before the rest is screened */
	SCREEN_LEFT = 8192,    /* and features left: a screen costs as much as judging that many */
	IMAGE_ROWS = 1024,     /* rows of coefficients that the screen multiplies at a time */
	CHUNK = 4096,	       /* features screened at a time: no more are in vain than these */
	LINE = 16	       /* floats in a line of the cache, 64 bytes */
};

/* The features with v != 0, by descending |v|; a place is one of 0 .. n - 1. */
struct field {
	const struct row_space *s;
	int64_t l, n;
	int32_t *column; /* n: which of s->columns */
	double *size;	 /* n: |v|^2 */
	int32_t *next;	 /* n + 1: the next place not chosen, n at the end; [n]: the first */
	int32_t *before; /* n + 1: the place not chosen before it; the inverse of 'next' */
	int32_t *chosen; /* n: the number in the selection, or -1 */
	double *sum;	 /* n: the sum of the t of the place */

	/* vectors that were judged and may be again are kept in slots */
	int32_t *slot;	    /* n: the slot of the place's vector, or -1 */
	int32_t *free_slot; /* n_free slots that are free */
	int64_t n_slots, n_free;
	double *vector, *turned; /* n_slots x l */
	int64_t n_turns;	 /* turns of the barrier when the vectors were turned */
};

/* Room for judging MAX_BATCH places. */
struct batch {
	int64_t n;
	int32_t place[MAX_BATCH];
	struct barrier_verdict verdict[MAX_BATCH];
	double *y;		/* MAX_BATCH x l: turned vectors */
	double *fresh, *turned; /* MAX_BATCH x l: vectors made now, and the same turned */
	double *full;		/* rank: a vector before it is cut */
	double *work;
};

/* The places of one scan: in order, and from some point on only those that a bound leaves. */
struct supply {
	int32_t place; /* the next one; n at the end */
	bool chosen;   /* supplies places that were chosen before; else those that were not */
	int64_t n_passed, n_left;
	struct barrier_screen screen; /* directions times sqrt(gain - rest) */
	double *reach;		      /* k for each thread */
	float *image;		      /* coefficients, if there are any, times these: n_rows x k */
	double *length;		      /* n_rows: of its rows */
	float *reach_single;	      /* k for each thread */
	int64_t n, used;	      /* vectors of a chunk; vectors of it that were supplied */
	int32_t chunk[CHUNK];
	bool stays[CHUNK];
};

/* The feature that a step takes. */
struct choice {
	int32_t place; /* -1: none */
	bool admitted;
	struct barrier_verdict verdict;
	double excess; /* (lower - upper) / |v|^2 */
	double *y;     /* l: its vector turned */
};

/* All that a selection works on. */
struct sparsification {
	const struct bss_options *o;
	struct bss_report *report;
	struct field field;
	struct barrier barrier;
	struct batch batch;
};

/* ---- The order of the features ---- */

static void field_free(struct field *f)
{
	mem_free(f->column);
	mem_free(f->size);
	mem_free(f->next);
	mem_free(f->before);
	mem_free(f->chosen);
	mem_free(f->sum);
	mem_free(f->slot);
	mem_free(f->free_slot);
	mem_free(f->vector);
	mem_free(f->turned);
}

struct measuring {
	const struct row_space *s;
	int64_t l;
	double *size; /* a column each; 0 where the cut vector is nothing */
	double *v;    /* a vector for each thread */
};

/* |v_j|^2 of the l components that count: all, or where r <= rank the largest directions. */
static void measure_block(void *arg, int64_t block, int thread)
{
	const struct measuring *w = arg;
	int64_t rank = w->s->rank, end = (block + 1) * BLOCK;
	double *v = w->v + thread * rank;

	end = int64_min(end, w->s->columns.n);
	for (int64_t j = block * BLOCK; j < end; j++) {
		double kept = 0, cut = 0;

		row_space_vector(w->s, j, v);
		for (int64_t k = 0; k < w->l; k++)
			kept += v[k] * v[k];
		for (int64_t k = w->l; k < rank; k++)
			cut += v[k] * v[k];
		w->size[j] = kept > NO_SHARE * cut ? kept : 0;
	}
}

static int measure_columns(const struct row_space *s, int64_t l, double *size, int n_threads,
			   struct error *err)
{
	struct measuring w = { .s = s, .l = l, .size = size };

	n_threads = thread_clamp_count(n_threads);
	w.v = mem_array(n_threads * s->rank, sizeof(*w.v), err);
	if (!w.v)
		return -1;
	thread_parallel_for(n_threads, int64_blocks(s->columns.n, BLOCK), measure_block, &w);
	mem_free(w.v);
	return 0;
}

/* The columns by descending size.  Those with v = 0 are left out: nothing can be added by them. */
static int sort_columns(struct field *f, const double *size, struct error *err)
{
	int64_t n = f->s->columns.n;
	struct scored_column *m = mem_array(n, sizeof(*m), err);

	if (!m)
		return -1;
	for (int64_t j = 0; j < n; j++)
		if (size[j] > 0)
			m[f->n++] = (struct scored_column){ size[j], (int32_t)j };
	scored_columns_sort(m, f->n);
	f->column = mem_array(f->n, sizeof(*f->column), err);
	f->size = mem_array(f->n, sizeof(*f->size), err);
	for (int64_t p = 0; p < f->n && f->column && f->size; p++) {
		f->column[p] = m[p].column;
		f->size[p] = m[p].score;
	}
	mem_free(m);
	return f->column && f->size ? 0 : -1;
}

static int field_init(struct field *f, const struct row_space *s, int64_t l, int n_threads,
		      struct error *err)
{
	double *size = mem_array(s->columns.n, sizeof(*size), err);
	int ret = -1;

	*f = (struct field){ .s = s, .l = l };
	if (size && measure_columns(s, l, size, n_threads, err) == 0)
		ret = sort_columns(f, size, err);
	mem_free(size);
	if (ret < 0)
		field_free(f);
	return ret;
}

/* What the steps need beyond the order: the list of places not chosen, sums of t, kept vectors. */
static int field_open(struct field *f, struct error *err)
{
	int64_t n = f->n;

	f->n_slots = KEPT_BYTES / (2 * f->l * (int64_t)sizeof(double));
	f->n_slots = f->n_slots < MIN_KEPT ? MIN_KEPT : f->n_slots > n ? n : f->n_slots;
	f->n_free = f->n_slots;
	f->next = mem_array(n + 1, sizeof(*f->next), err);
	f->before = mem_array(n + 1, sizeof(*f->before), err);
	f->chosen = mem_array(n, sizeof(*f->chosen), err);
	f->sum = mem_zeroed(n, sizeof(*f->sum), err);
	f->slot = mem_array(n, sizeof(*f->slot), err);
	f->free_slot = mem_array(f->n_slots, sizeof(*f->free_slot), err);
	f->vector = mem_large(f->n_slots * f->l, sizeof(*f->vector), err);
	f->turned = mem_large(f->n_slots * f->l, sizeof(*f->turned), err);
	if (!f->next || !f->before || !f->chosen || !f->sum || !f->slot || !f->free_slot ||
	    !f->vector || !f->turned)
		return -1;
	/* a ring through place n, which is before the first and after the last */
	for (int64_t p = 0; p <= n; p++) {
		f->next[p] = (int32_t)(p < n ? p + 1 : 0);
		f->before[p] = (int32_t)(p > 0 ? p - 1 : n);
	}
	memset(f->chosen, 0xff, (size_t)n * sizeof(*f->chosen));
	memset(f->slot, 0xff, (size_t)n * sizeof(*f->slot));
	/* the lowest slots first: the ones in use stay together */
	for (int64_t k = 0; k < f->n_slots; k++)
		f->free_slot[k] = (int32_t)(f->n_slots - 1 - k);
	return 0;
}

/* ---- Vectors ---- */

/* v of a place, cut to the l directions that count; 'full' has room for all. */
static void make_vector(const struct field *f, int32_t place, double *full, double *v)
{
	row_space_vector(f->s, f->column[place], full);
	memcpy(v, full, (size_t)f->l * sizeof(*v));
}

/* After new eigenvectors, all kept vectors at once. */
static int turn_kept(struct field *f, const struct barrier *b, struct error *err)
{
	int64_t used = 0;

	if (f->n_turns == b->n_turns)
		return 0;
	/* up to the last slot in use: kept vectors are mostly of the first places not chosen */
	for (int64_t p = f->next[f->n]; p < f->n && used < f->n_slots; p = f->next[p])
		used = f->slot[p] >= used ? f->slot[p] + 1 : used;
	f->n_turns = b->n_turns;
	return barrier_turn(b, f->vector, used, f->turned, err);
}

static void keep_vector(struct field *f, int32_t place, const double *v, const double *y)
{
	size_t bytes = (size_t)f->l * sizeof(double);

	if (f->n_free == 0 || f->chosen[place] >= 0)
		return;
	f->slot[place] = f->free_slot[--f->n_free];
	memcpy(f->vector + f->slot[place] * f->l, v, bytes);
	memcpy(f->turned + f->slot[place] * f->l, y, bytes);
}

/* The turned vectors of the batch's places, kept ones or new. */
static int collect_vectors(struct field *f, const struct barrier *b, struct batch *t,
			   struct error *err)
{
	int64_t n_fresh = 0, l = f->l;
	size_t bytes = (size_t)l * sizeof(double);

	for (int64_t k = 0; k < t->n; k++)
		if (f->slot[t->place[k]] < 0)
			make_vector(f, t->place[k], t->full, t->fresh + n_fresh++ * l);
	if (barrier_turn(b, t->fresh, n_fresh, t->turned, err) < 0)
		return -1;
	n_fresh = 0;
	for (int64_t k = 0; k < t->n; k++) {
		int32_t slot = f->slot[t->place[k]];

		if (slot >= 0) {
			memcpy(t->y + k * l, f->turned + slot * l, bytes);
			continue;
		}
		memcpy(t->y + k * l, t->turned + n_fresh * l, bytes);
		keep_vector(f, t->place[k], t->fresh + n_fresh * l, t->turned + n_fresh * l);
		n_fresh++;
	}
	return 0;
}

/* ---- One step ---- */

static void batch_free(struct batch *t)
{
	mem_free(t->y);
	mem_free(t->fresh);
	mem_free(t->turned);
	mem_free(t->full);
	mem_free(t->work);
}

static int batch_init(struct batch *t, const struct field *f, const struct barrier *b,
		      struct error *err)
{
	t->y = mem_array(MAX_BATCH * f->l, sizeof(double), err);
	t->fresh = mem_array(MAX_BATCH * f->l, sizeof(double), err);
	t->turned = mem_array(MAX_BATCH * f->l, sizeof(double), err);
	t->full = mem_array(f->s->rank, sizeof(double), err);
	t->work = mem_array(MAX_BATCH * (f->l + b->room), sizeof(double), err);
	return t->y && t->fresh && t->turned && t->full && t->work ? 0 : -1;
}

static void note_choice(const struct field *f, const struct batch *t, int64_t k, bool admitted,
			double excess, struct choice *c)
{
	c->place = t->place[k];
	c->admitted = admitted;
	c->excess = excess;
	c->verdict = t->verdict[k];
	memcpy(c->y, t->y + k * f->l, (size_t)f->l * sizeof(*c->y));
}

/* Judge the batch; the first that is admitted, or else the best so far, becomes the choice. */
static int judge_batch(struct field *f, const struct barrier *b, struct batch *t, struct choice *c,
		       struct error *err)
{
	if (collect_vectors(f, b, t, err) < 0 ||
	    barrier_judge(b, t->y, t->n, t->verdict, t->work, err) < 0)
		return -1;
	for (int64_t k = 0; k < t->n && !c->admitted; k++) {
		double gain = t->verdict[k].lower - t->verdict[k].upper; /* (1): >= 0 */
		double excess = gain / f->size[t->place[k]];

		if (gain >= 0 || c->place < 0 || excess > c->excess)
			note_choice(f, t, k, gain >= 0, excess, c);
	}
	return 0;
}

/* The next place after p (n: the first) that is not chosen, or that is; n at the end. */
static int32_t next_place(const struct field *f, int32_t p, bool chosen)
{
	if (!chosen)
		return f->next[p];
	p = p == f->n ? 0 : p + 1;
	while (p < f->n && f->chosen[p] < 0)
		p++;
	return p;
}

/* ---- Many features at once, (6) ---- */

/*
 * The bound of barrier_screen is sum_i g_i (u_i'v)^2 + rest (|v|^2 - sum_i (u_i'v)^2).  With
 * directions u_i of length sqrt(g_i - rest) it is sum_i (u_i'v)^2 + rest |v|^2: a feature where
 * this is negative cannot be admitted.  Where v = T'x is made of the entries of a column, u_i'v is
 * a sum of rows of the image T U, in single precision; for its error more is added than it can be.
 */

static void supply_free(struct supply *u)
{
	barrier_screen_free(&u->screen);
	mem_free(u->reach);
	mem_free(u->image);
	mem_free(u->length);
	mem_free(u->reach_single);
}

static void scale_directions(struct barrier_screen *screen, int64_t l)
{
	for (int64_t i = 0; i < l; i++)
		for (int64_t c = 0; c < screen->k; c++)
			screen->direction[i * screen->k + c] *=
				sqrt(fmax(screen->gain[c] - screen->rest, 0));
}

/* The image of rows first .. first + n - 1, from 'full'. */
static void keep_image(struct supply *u, int64_t first, int64_t n, const double *full)
{
	int64_t k = u->screen.k;

	for (int64_t i = 0; i < n; i++) {
		double square = 0;

		for (int64_t c = 0; c < k; c++) {
			square += full[i * k + c] * full[i * k + c];
			u->image[(first + i) * k + c] = (float)full[i * k + c];
		}
		u->length[first + i] = sqrt(square);
	}
}

static int make_image(struct supply *u, const struct field *f, struct error *err)
{
	const struct row_space *s = f->s;
	int64_t k = u->screen.k;
	const struct blas_factor direction = { u->screen.direction, k, BLAS_PLAIN };
	double *full = mem_array(IMAGE_ROWS * k, sizeof(*full), err);
	int ret = full ? 0 : -1;

	u->image = mem_array(s->n_rows * k, sizeof(*u->image), err);
	u->length = mem_array(s->n_rows, sizeof(*u->length), err);
	if (!u->image || !u->length)
		ret = -1;
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

/* From now on, places that cannot be admitted are passed over.  O(l^3), once a step at most. */
static int supply_screen(struct supply *u, const struct field *f, const struct barrier *b,
			 int n_threads, struct error *err)
{
	int64_t room;

	if (barrier_screen_init(&u->screen, b, err) < 0)
		return -1;
	scale_directions(&u->screen, f->l);
	room = thread_clamp_count(n_threads) * u->screen.k;
	if (f->s->basis) {
		u->reach = mem_array(room, sizeof(*u->reach), err);
		return u->reach ? 0 : -1;
	}
	u->reach_single = mem_array(room, sizeof(*u->reach_single), err);
	return u->reach_single ? make_image(u, f, err) : -1;
}

struct screening {
	const struct field *f;
	struct supply *u;
};

/* Sum of (u_i'v)^2, v being stored. */
static double reach_stored(const struct field *f, const struct supply *u, int32_t place,
			   double *reach)
{
	int64_t k = u->screen.k, j = f->column[place];
	double sum = 0;

	blas_multiply_vector((struct blas_factor){ u->screen.direction, k, BLAS_TRANSPOSED }, k,
			     f->l, f->s->basis + j * f->s->rank, reach);
	for (int64_t c = 0; c < k; c++)
		sum += reach[c] * reach[c];
	return sum;
}

/* In four sums, which do not wait for one another. */
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
static double reach_made(const struct field *f, const struct supply *u, int32_t place, float *reach)
{
	const struct csr *x = &f->s->columns.by_column;
	int64_t k = u->screen.k, start = x->row_start[f->column[place]];
	int64_t end = x->row_start[f->column[place] + 1];
	double absolute = 0, error, length;

	memset(reach, 0, (size_t)k * sizeof(*reach));
	for (int64_t e = start; e < end; e++) {
		/* rows are far apart: ask for the one after the next, a line at a time */
		for (int64_t c = 0; e + 2 < end && c < k; c += LINE)
			__builtin_prefetch(u->image + x->col[e + 2] * k + c);
		blas_add_scaled_single(reach, k, (float)x->val[e], u->image + x->col[e] * k);
		absolute += (fabs(x->val[e]) + FLT_MIN) * (u->length[x->col[e]] + FLT_MIN);
	}
	error = (double)(end - start + 4) * FLT_EPSILON * absolute;
	length = sqrt(sum_of_squares(reach, k)) + error + sqrt((double)k) * 0x1p-60;
	return length * length;
}

static void screen_block(void *arg, int64_t block, int thread)
{
	const struct screening *w = arg;
	struct supply *u = w->u;
	const struct barrier_screen *screen = &u->screen;
	int64_t end = int64_min((block + 1) * BLOCK, u->n);

	for (int64_t i = block * BLOCK; i < end; i++) {
		int32_t place = u->chunk[i];
		double size = w->f->size[place];
		double reached =
			u->image ?
				reach_made(w->f, u, place, u->reach_single + thread * screen->k) :
				reach_stored(w->f, u, place, u->reach + thread * screen->k);

		/* what is no number stays */
		u->stays[i] = !(reached + screen->rest * size < -screen->rounding * size);
	}
}

/* The next chunk of places, of which those that stay. */
static void supply_chunk(struct supply *u, const struct field *f, int n_threads)
{
	struct screening w = { f, u };
	int64_t n_stay = 0;

	u->used = 0;
	for (u->n = 0; u->n < CHUNK && u->place < f->n; u->place = f->next[u->place])
		u->chunk[u->n++] = u->place;
	thread_parallel_for(n_threads, int64_blocks(u->n, BLOCK), screen_block, &w);
	for (int64_t i = 0; i < u->n; i++)
		if (u->stays[i])
			u->chunk[n_stay++] = u->chunk[i];
	u->n_passed += u->n - n_stay;
	u->n = n_stay;
}

/* Up to 'size' places for the batch; none at the end. */
static void supply_batch(struct supply *u, const struct field *f, struct batch *t, int64_t size,
			 int n_threads)
{
	for (t->n = 0; t->n < size && u->screen.k == 0 && u->place < f->n; u->n_passed++) {
		t->place[t->n++] = u->place;
		u->place = next_place(f, u->place, u->chosen);
	}
	while (u->screen.k > 0 && u->used == u->n && u->place < f->n)
		supply_chunk(u, f, n_threads);
	for (; u->screen.k > 0 && t->n < size && u->used < u->n; u->n_passed++)
		t->place[t->n++] = u->chunk[u->used++];
}

/* Features that a scan goes over: new ones, screened or all; or those chosen before. */
enum candidates { NEW_SCREENED, NEW_ALL, CHOSEN_BEFORE };

/* Judge places of 'u' until one is admitted or there are no more. */
static int scan(struct sparsification *w, struct supply *u, enum candidates which, struct choice *c,
		struct error *err)
{
	struct field *f = &w->field;
	int64_t size = 1, n_judged = 0;

	/* in batches that double: the first feature is mostly taken */
	while (!c->admitted) {
		supply_batch(u, f, &w->batch, size, w->o->n_threads);
		if (w->batch.n == 0)
			break;
		if (judge_batch(f, &w->barrier, &w->batch, c, err) < 0)
			return -1;
		size = int64_min(2 * size, MAX_BATCH);
		n_judged += w->batch.n;
		if (which == NEW_SCREENED && f->l > 1 && u->screen.k == 0 &&
		    n_judged > SCREEN_AFTER && f->n - n_judged > SCREEN_LEFT &&
		    supply_screen(u, f, &w->barrier, w->o->n_threads, err) < 0)
			return -1;
	}
	return 0;
}

/* Scan the candidates from the beginning; adds to *n_visited. */
static int scan_all(struct sparsification *w, enum candidates which, struct choice *c,
		    int64_t *n_visited, struct error *err)
{
	struct supply *u = mem_zeroed(1, sizeof(*u), err);
	bool chosen = which == CHOSEN_BEFORE;
	int ret;

	if (!u)
		return -1;
	u->chosen = chosen;
	u->place = next_place(&w->field, (int32_t)w->field.n, chosen);
	ret = scan(w, u, which, c, err);
	*n_visited += u->n_passed;
	supply_free(u);
	mem_free(u);
	return ret;
}

/* The feature of this step: (3), (4) or (5). */
static int choose(struct sparsification *w, struct choice *c, struct error *err)
{
	struct bss_report *report = w->report;
	int64_t n_visited = 0;

	c->place = -1;
	c->admitted = false;
	if (scan_all(w, NEW_SCREENED, c, &n_visited, err) < 0) /* (3) */
		return -1;
	if (!c->admitted && scan_all(w, CHOSEN_BEFORE, c, &n_visited, err) < 0) /* (4) */
		return -1;
	/* (5): the best after all, for which those that the screen passed over count as well */
	if (!c->admitted && scan_all(w, NEW_ALL, c, &n_visited, err) < 0)
		return -1;
	report->n_visited += n_visited;
	report->max_visited = int64_max(n_visited, report->max_visited);
	report->n_again += w->field.chosen[c->place] >= 0;
	report->n_forced += !c->admitted;
	/* t of (1) must be positive */
	if (!(c->verdict.upper + c->verdict.lower > 0))
		return error_set(err, ERR_NUMERIC,
				 "no feature keeps the eigenvalues between the "
				 "barriers: the basis of the rows is not orthonormal enough");
	return 0;
}

/* A += t v v'; a feature chosen for the first time leaves the list. */
static void take(struct sparsification *w, const struct choice *c, struct selection *selection)
{
	struct field *f = &w->field;
	int32_t p = c->place;

	make_vector(f, p, w->batch.full, w->batch.fresh);
	f->sum[p] += barrier_add(&w->barrier, w->batch.fresh, c->y, &c->verdict);
	if (f->chosen[p] >= 0)
		return;
	f->chosen[p] = (int32_t)selection->n;
	selection_add(selection, f->s->columns.feature[f->column[p]], 0, f->size[p]);
	f->next[f->before[p]] = f->next[p];
	f->before[f->next[p]] = f->before[p];
	if (f->slot[p] >= 0)
		f->free_slot[f->n_free++] = f->slot[p];
	f->slot[p] = -1;
}

/* ---- All steps ---- */

static int sparsify(struct sparsification *w, struct selection *selection, struct error *err)
{
	const struct bss_options *o = w->o;
	struct choice c = { .y = mem_array(w->field.l, sizeof(double), err) };
	int ret = c.y ? 0 : -1;

	for (int64_t step = 0; step < o->n_features && ret == 0; step++) {
		if (barrier_raise(&w->barrier, err) < 0 ||
		    turn_kept(&w->field, &w->barrier, err) < 0 || choose(w, &c, err) < 0) {
			ret = -1;
		} else {
			take(w, &c, selection);
			progress_observer_tell(&o->progress, step + 1, o->n_features);
		}
	}
	mem_free(c.y);
	return ret;
}

/* Weights, and what the eigenvalues have come to, all by (2). */
static int finish(struct sparsification *w, struct selection *selection, struct error *err)
{
	const struct field *f = &w->field;
	struct bss_report *report = w->report;
	struct barrier *b = &w->barrier;
	double s = sqrt((double)b->l / (double)b->r), factor = (1 - s) / (double)b->r;

	for (int64_t p = 0; p < f->n; p++)
		if (f->chosen[p] >= 0)
			selection->weight[f->chosen[p]] = sqrt(f->sum[p] * factor);
	report->n_turns = b->n_turns;
	if (barrier_extremes(b, &report->least, &report->largest, err) < 0)
		return -1;
	report->least *= factor;
	report->largest *= factor;
	report->low = (1 - s) * (1 - s);
	report->high = (1 + s) * (1 + s);
	return 0;
}

static int choose_by_barriers(struct sparsification *w, struct selection *selection,
			      struct error *err)
{
	int ret = -1;

	if (field_open(&w->field, err) < 0 ||
	    barrier_init(&w->barrier, w->field.l, w->o->n_features, err) < 0 ||
	    batch_init(&w->batch, &w->field, &w->barrier, err) < 0)
		goto out;
	ret = sparsify(w, selection, err);
	if (ret == 0)
		ret = finish(w, selection, err);
out:
	barrier_free(&w->barrier);
	batch_free(&w->batch);
	return ret;
}

/* The first 'n' features; the weight of each is 1, or turns its vector to length 1. */
static void take_first(struct selection *selection, const struct field *f, int64_t n, bool unit,
		       struct bss_report *report)
{
	for (int64_t p = 0; p < n; p++)
		selection_add(selection, f->s->columns.feature[f->column[p]],
			      unit ? 1 / sqrt(f->size[p]) : 1, f->size[p]);
	report->least = report->largest = report->low = report->high = 1;
}

int bss_select(struct selection *selection, const struct row_space *s, const struct bss_options *o,
	       struct bss_report *report, struct error *err)
{
	struct sparsification w = { .o = o, .report = report };
	struct field *f = &w.field;
	int64_t r = o->n_features;
	int ret;

	*selection = (struct selection){ 0 };
	*report = (struct bss_report){ .dimension = s->rank, .all = r >= s->columns.n };
	if (s->rank == 0 || r < 1)
		return error_set(err, ERR_ARGUMENT, "%s",
				 s->rank == 0 ?
					 "there are no features to select from: all values are 0" :
					 "no features to be selected");
	/* r > l is needed: half of r leaves the barriers as much room as r = 2 l does */
	if (!report->all && r <= s->rank) {
		report->truncated = true;
		report->dimension = r >= 2 ? r / 2 : 1;
	}
	if (field_init(f, s, report->dimension, o->n_threads, err) < 0)
		return -1;
	ret = selection_init(selection, int64_min(r, f->n), err);
	if (ret == 0 && report->all)
		take_first(selection, f, f->n, false, report);
	else if (ret == 0 && r == 1)
		take_first(selection, f, 1, true, report);
	else if (ret == 0)
		ret = choose_by_barriers(&w, selection, err);
	if (ret < 0)
		selection_free(selection);
	field_free(f);
	return ret;
}
