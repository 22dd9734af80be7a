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
 * The sections follow a step: the features in their order (bss_field), vectors that are kept
 * (bss_kept), the places that a step looks at (bss_supply), one step, all steps.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/bss.h"

#include "base/interruption.h"
#include "base/mem.h"
#include "base/thread.h"
#include "matrix/blas.h"
#include "select/barrier.h"

enum {
	MAX_BATCH = 64, /* largest number of features judged at a time */
	/* number of features screened at a time: at most so many are screened in vain */
	CHUNK = 4096
};

/* The places not chosen, as a ring; and what became of the chosen places. */
struct bss_order {
	/* next place not chosen, for each of n + 1 places; n at the end; next[n] is the first */
	int32_t *next;
	int32_t *before; /* previous place not chosen, n + 1; the inverse of 'next' */
	/* number of the feature in the selection, for each of n places; -1: not chosen */
	int32_t *chosen;
	double *sum; /* sum of the weights t (1) over the steps that took the feature, n */
};

/* Vectors that were judged and not taken, kept in slots for the next steps. */
struct bss_kept {
	int32_t *slot;	    /* slot that has the place's vector, for each of n places; -1: none */
	int32_t *free_slot; /* numbers of the n_free free slots */
	int64_t n_slots, n_free;
	double *vector, *turned; /* vectors v, and turned vectors Z v of barrier.h, n_slots x l */
	int64_t n_turns;	 /* value of barrier.n_turns for which 'turned' holds */
};

/* The features with v != 0, by descending |v|; a place is one of 0 .. n - 1. */
struct bss_field {
	const struct row_space *s;
	int64_t l, n;
	int32_t *column; /* column of s->columns at each of n places */
	/* squared length |v|^2 at each of n places; of each column, until they are sorted */
	double *size;
	struct bss_order order;
	struct bss_kept kept;
};

/* A batch of places, and scratch memory to judge it. */
struct bss_batch {
	int64_t n;
	int32_t place[MAX_BATCH];
	struct barrier_verdict verdict[MAX_BATCH];
	double *y; /* turned vectors of the batch, MAX_BATCH x l */
	/* vectors that no slot had, and the turned ones, MAX_BATCH x l */
	double *fresh, *turned;
	double *full; /* one vector before it is cut, rank numbers */
	double *work;
};

/* Places of one scan, in order; once there is a screen, without the places it rejects. */
struct bss_supply {
	const struct bss_field *f;
	int32_t place; /* next place to supply; n at the end */
	/* choice between places chosen before, which are supplied if true, and all others */
	bool chosen;
	int64_t n_passed;
	/* screen, whose directions are multiplied by sqrt(gain - rest) */
	struct barrier_screen screen;
	float *image;	/* image T U, n_rows x k, where v is made of coefficients; else NULL */
	double *length; /* norms of the image's rows, n_rows */
	/* number of places of the chunk that stay; number of those supplied already */
	int64_t n, used;
	int32_t chunk[CHUNK];
	bool stays[CHUNK];
};

/* ---- The features in order, and room for vectors that were judged, (7) to (10) ---- */

/*
 * How this works.  A column of the basis has three numbers here:
 *
 *     column j       of the data, 0 .. d - 1
 *     place p        in the order of descending |v|, those of v = 0 left out: column[p] = j     (7)
 *     slot           of the memory for vectors, where the vector of place p is kept; or none    (8)
 *
 * Steps take the first admitted feature, so they look at places in ascending order and skip those
 * chosen before.  For that the places not chosen are a ring of two lists (next, before), with place
 * n as its beginning and end:
 *
 *     next      n -> 0 -> 2 -> 3 -> n        place 1 has been chosen                            (9)
 *
 * Leaving a ring is O(7), wherever the place is.
 *
 * A vector v_p = T'x_p costs entries times rank to make, and its turned form Z v_p costs l^2.  Both
 * are kept in a slot from the first look on, as the next steps look at the same places again: what
 * is not admitted now may be later.  When the barrier has new eigenvectors Z, all kept vectors are
 * turned anew by one matrix product (10).  A place that is chosen gives its slot back.
 *
 * Memory: 32 MB of slots, or those of one batch where a vector is long.
 */

/* Share of a cut vector's squared length that is rounding: bases are orthonormal to about 1e-14. */
#define NO_SHARE 1e-24

enum {
	BLOCK = 64,	      /* features that a thread measures, or screens, at a time */
	MIN_KEPT = 64,	      /* least number of vectors kept: those of a batch */
	KEPT_BYTES = 32 << 20 /* memory for kept vectors, each both turned and as it is */
};

static void bss_field_free(struct bss_field *f)
{
	mem_free_all(f->column, f->size, f->order.next, f->order.before, f->order.chosen,
		     f->order.sum, f->kept.slot, f->kept.free_slot, f->kept.vector, f->kept.turned);
}

/*
 * Squared length of a column, of the first l components alone, those that count; 0 where the cut
 * vector is rounding (NO_SHARE).  O(entries rank).
 */
static void measure_column(void *arg, int64_t j, void *room)
{
	const struct bss_field *f = arg;
	const double *v = room;
	double kept, cut;

	row_space_vector(f->s, j, room);
	kept = squared_norm(v, f->l);
	cut = squared_norm(v + f->l, f->s->rank - f->l);
	/* nothing but rounding is left of the vector once the small directions are cut off */
	f->size[j] = kept > NO_SHARE * cut ? kept : 0;
}

/*
 * the features of 's' with v != 0, of l components, into '*f'
 *
 * O(columns rank + n log n) and one row_space_vector() a column.  The caller frees '*f', after a
 * failure too.
 */
static int bss_field_init(struct bss_field *f, const struct row_space *s, int64_t l, int n_threads,
			  struct error *err)
{
	struct scored_column *m;

	*f = (struct bss_field){ .s = s, .l = l };
	f->size = mem_array(s->columns.n, sizeof(*f->size), err);
	if (!f->size || thread_each(n_threads, s->columns.n, BLOCK,
				    (size_t)s->rank * sizeof(double), measure_column, f, err) < 0)
		return -1;
	/* order (7): columns by descending size, without those of v = 0, which change no eigenvalue */
	m = scored_columns_of(f->size, s->columns.n, &f->n, err);
	f->column = m ? mem_array(f->n, sizeof(*f->column), err) : NULL;
	for (int64_t p = 0; p < f->n && f->column; p++) {
		f->column[p] = m[p].column;
		f->size[p] = m[p].score;
	}
	mem_free(m);
	return f->column ? 0 : -1;
}

/* allocate the state of the steps: ring of places, sums, slots; ERR_MEMORY */
static int bss_field_open(struct bss_field *f, struct error *err)
{
	int64_t n = f->n;

	/* KEPT_BYTES for v and Z v, but at least a batch and never more than there are places */
	f->kept.n_slots = KEPT_BYTES / (2 * f->l * (int64_t)sizeof(double));
	f->kept.n_slots = int64_min(int64_max(f->kept.n_slots, MIN_KEPT), n);
	f->kept.n_free = f->kept.n_slots;
	f->order.next = mem_array(n + 1, sizeof(*f->order.next), err);
	f->order.before = mem_array(n + 1, sizeof(*f->order.before), err);
	f->order.chosen = mem_array(n, sizeof(*f->order.chosen), err);
	f->order.sum = mem_zeroed(n, sizeof(*f->order.sum), err);
	f->kept.slot = mem_array(n, sizeof(*f->kept.slot), err);
	f->kept.free_slot = mem_array(f->kept.n_slots, sizeof(*f->kept.free_slot), err);
	f->kept.vector = mem_large(f->kept.n_slots * f->l, sizeof(*f->kept.vector), err);
	f->kept.turned = mem_large(f->kept.n_slots * f->l, sizeof(*f->kept.turned), err);
	if (err->code != ERR_NONE)
		return -1;
	/*
	 * (9): a ring through place n, which is before the first place not chosen and after the
	 * last
	 */
	for (int64_t p = 0; p <= n; p++) {
		f->order.next[p] = (int32_t)(p < n ? p + 1 : 0);
		f->order.before[p] = (int32_t)(p > 0 ? p - 1 : n);
	}
	/* bytes of 0xff make each number -1: no place is chosen, and no place has a slot */
	memset(f->order.chosen, 0xff, (size_t)n * sizeof(*f->order.chosen));
	memset(f->kept.slot, 0xff, (size_t)n * sizeof(*f->kept.slot));
	/* the lowest slots are taken first: slots in use stay together for turn products */
	for (int64_t k = 0; k < f->kept.n_slots; k++)
		f->kept.free_slot[k] = (int32_t)(f->kept.n_slots - 1 - k);
	return 0;
}

/* ---- Vectors ---- */

/* vector v of a place, cut to the l directions; 'full' has room for all */
static void bss_make_vector(const struct bss_field *f, int32_t place, double *full, double *v)
{
	row_space_vector(f->s, f->column[place], full);
	/* v has the first l components, those of the largest directions */
	memcpy(v, full, (size_t)f->l * sizeof(*v));
}

/* turn all kept vectors, if the barrier has new eigenvectors */
static int bss_turn_kept(struct bss_field *f, const struct barrier *b, struct error *err)
{
	int64_t used = 0;

	/* kept vectors need no turning while the eigenvectors Z are the same */
	if (f->kept.n_turns == b->n_turns)
		return 0;
	/*
	 * (10): one product for all slots up to the last in use.  Where every slot is in use the
	 * search ends early, as kept vectors are mostly of the first places not chosen.
	 */
	for (int64_t p = f->order.next[f->n]; p < f->n && used < f->kept.n_slots;
	     p = f->order.next[p])
		used = f->kept.slot[p] >= used ? f->kept.slot[p] + 1 : used;
	f->kept.n_turns = b->n_turns;
	return barrier_turn(b, f->kept.vector, used, f->kept.turned, err);
}

/* Rule (8): keep a vector and its turned form in a free slot, if there is one, for later steps. */
static void keep_vector(struct bss_field *f, int32_t place, const double *v, const double *y)
{
	size_t bytes = (size_t)f->l * sizeof(double);

	/* no slot is free, or the feature has been chosen and is rarely judged again */
	if (f->kept.n_free == 0 || f->order.chosen[place] >= 0)
		return;
	f->kept.slot[place] = f->kept.free_slot[--f->kept.n_free];
	memcpy(f->kept.vector + f->kept.slot[place] * f->l, v, bytes);
	memcpy(f->kept.turned + f->kept.slot[place] * f->l, y, bytes);
}

/* collect the batch's turned vectors, kept ones or made now */
static int bss_collect_vectors(struct bss_field *f, const struct barrier *b, struct bss_batch *t,
			       struct error *err)
{
	/* turned vectors of the batch in its order; t->fresh is only those that are made now */
	int64_t n_fresh = 0, l = f->l;
	size_t bytes = (size_t)l * sizeof(double);

	/* vectors that no slot has are made and turned together, by one product */
	for (int64_t k = 0; k < t->n; k++)
		if (f->kept.slot[t->place[k]] < 0)
			bss_make_vector(f, t->place[k], t->full, t->fresh + n_fresh++ * l);
	if (barrier_turn(b, t->fresh, n_fresh, t->turned, err) < 0)
		return -1;
	/* then all vectors of the batch in order; new vectors are kept for later steps */
	n_fresh = 0;
	for (int64_t k = 0; k < t->n; k++) {
		int32_t slot = f->kept.slot[t->place[k]];

		if (slot >= 0) {
			memcpy(t->y + k * l, f->kept.turned + slot * l, bytes);
			continue;
		}
		memcpy(t->y + k * l, t->turned + n_fresh * l, bytes);
		keep_vector(f, t->place[k], t->fresh + n_fresh * l, t->turned + n_fresh * l);
		n_fresh++;
	}
	return 0;
}

/* the next place after p (n: the first) not chosen, or 'chosen'; n at the end */
static int32_t bss_next_place(const struct bss_field *f, int32_t p, bool chosen)
{
	/* features chosen before are looked at in order of place, from the first: these are few */
	if (!chosen)
		return f->order.next[p];
	p = p == f->n ? 0 : p + 1;
	while (p < f->n && f->order.chosen[p] < 0)
		p++;
	return p;
}

/* ---- Features for a step to judge, (6) ---- */

/*
 * The bound of barrier_screen is sum_i g_i (u_i'v)^2 + rest (|v|^2 - sum_i (u_i'v)^2).  With
 * directions u_i of length sqrt(g_i - rest) it is sum_i (u_i'v)^2 + rest |v|^2: a feature where
 * this is negative cannot be admitted.  Where v = T'x is made of the entries of a column, u_i'v is
 * a sum of rows of the image T U, in single precision; for its error more is added than it can be.
 *
 * Places that stay are judged as all others: the screen changes what a step costs, not what it
 * chooses.
 *
 *     CHUNK places  -->  screen, on all threads  -->  places that stay  -->  a batch
 *     supply_chunk()         screen_place()               u->chunk, in order     bss_supply_batch()
 *
 * A chunk is screened at once, since one place alone is too little work for threads, and no further
 * than the step goes: what a step does not look at is not screened.  Without a screen (screen.k is
 * 0) batches are taken from the ring of places directly.
 *
 * Two ways to u_i'v: with V stored, a product of the k directions with a row of V, in doubles; with
 * V made from entries, sums of rows of the image, k floats each, whose error is bounded and added.
 */

enum {
	/* number of features that a step judges before it screens the others */
	SCREEN_AFTER = 2048,
	/* least number of features left to screen: a screen costs as much as judging them */
	SCREEN_LEFT = 8192,
	IMAGE_ROWS = 1024, /* rows of coefficients that the screen multiplies at a time */
	LINE = 16	   /* floats in a cache line of 64 bytes */
};

/* Keep rows first .. first + n - 1 of the image as floats, from the doubles in 'full'. */
static void keep_image(struct bss_supply *u, int64_t first, int64_t n, const double *full)
{
	int64_t k = u->screen.k;

	for (int64_t e = 0; e < n * k; e++)
		u->image[first * k + e] = (float)full[e];
	/* the length of the row is that of the doubles, for the error bound of reach_made() */
	for (int64_t i = 0; i < n; i++)
		u->length[first + i] = sqrt(squared_norm(full + i * k, k));
}

/* Make the image T U of all rows in floats, and each row's length in doubles.  O(n l k). */
static int make_image(struct bss_supply *u, struct error *err)
{
	const struct row_space *s = u->f->s;
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

		ret = blas_multiply(rows, direction, n, k, u->f->l, 0, full, k, err);
		if (ret == 0)
			keep_image(u, first, n, full);
	}
	mem_free(full);
	return ret;
}

/* skip from now on places that cannot be admitted; O(l^3) */
static int bss_supply_screen(struct bss_supply *u, const struct barrier *b, struct error *err)
{
	struct barrier_screen *screen = &u->screen;

	if (barrier_screen_init(screen, b, err) < 0)
		return -1;
	/*
	 * |u_i'v| sqrt(gain - rest), so that sums of squares are the bound; scaled directions make
	 * scaled images, so factors are applied before the image is made
	 */
	for (int64_t i = 0; i < u->f->l; i++)
		for (int64_t c = 0; c < screen->k; c++)
			screen->direction[i * screen->k + c] *=
				sqrt(fmax(screen->gain[c] - screen->rest, 0));
	/* a stored basis V is multiplied by the directions directly, without an image */
	return u->f->s->basis ? 0 : make_image(u, err);
}

/* Sum of (u_i'v)^2 over the directions, where v is stored. */
static double reach_stored(const struct bss_supply *u, int32_t place, double *reach)
{
	const struct row_space *s = u->f->s;
	int64_t k = u->screen.k, j = u->f->column[place];

	/* one product of matrix and vector gives u_i'v of all k directions */
	blas_multiply_vector((struct blas_factor){ u->screen.direction, k, BLAS_TRANSPOSED }, k,
			     u->f->l, s->basis + j * s->rank, reach);
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
static double reach_made(const struct bss_supply *u, int32_t place, float *reach)
{
	const struct csr *x = &u->f->s->columns.by_column;
	int64_t k = u->screen.k, start = x->row_start[u->f->column[place]];
	int64_t end = x->row_start[u->f->column[place] + 1];
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

/*
 * Bound (6) for a place: u->stays[i] tells whether the feature must still be judged.  'reach' is room
 * for the products u_i'v, k numbers.
 */
static void screen_place(void *arg, int64_t i, void *reach)
{
	struct bss_supply *u = arg;
	const struct barrier_screen *screen = &u->screen;
	int32_t place = u->chunk[i];
	double size = u->f->size[place];
	double reached = u->image ? reach_made(u, place, reach) : reach_stored(u, place, reach);

	/*
	 * (6): the bound is negative by more than its rounding.  A NaN, which overflow of floats
	 * makes, compares false, and the feature stays.
	 */
	u->stays[i] = !(reached + screen->rest * size < -screen->rounding * size);
}

/* List the next CHUNK places not chosen, without the places that the screen rejects. */
static int supply_chunk(struct bss_supply *u, int n_threads, struct error *err)
{
	const struct bss_field *f = u->f;
	int64_t n_stay = 0;

	u->used = 0;
	/* places in ascending order, as a step looks at them */
	for (u->n = 0; u->n < CHUNK && u->place < f->n; u->place = f->order.next[u->place])
		u->chunk[u->n++] = u->place;
	if (thread_each(n_threads, u->n, BLOCK, (size_t)u->screen.k * sizeof(double), screen_place,
			u, err) < 0)
		return -1;
	/* places that stay keep their order, as a step takes the first one admitted */
	for (int64_t i = 0; i < u->n; i++)
		if (u->stays[i])
			u->chunk[n_stay++] = u->chunk[i];
	/* a feature that the screen rejects counts as judged */
	u->n_passed += u->n - n_stay;
	u->n = n_stay;
	return 0;
}

/* up to 'size' places for the batch; none at the end */
static int bss_supply_batch(struct bss_supply *u, struct bss_batch *t, int64_t size, int n_threads,
			    struct error *err)
{
	const struct bss_field *f = u->f;

	/* without a screen places come from the ring, or from the features chosen before */
	for (t->n = 0; t->n < size && u->screen.k == 0 && u->place < f->n; u->n_passed++) {
		t->place[t->n++] = u->place;
		u->place = bss_next_place(f, u->place, u->chosen);
	}
	/* the screen may reject a whole chunk, and then the next one is tried */
	while (u->screen.k > 0 && u->used == u->n && u->place < f->n)
		if (supply_chunk(u, n_threads, err) < 0)
			return -1;
	/* places for which the batch has no room stay in the chunk for the next batch */
	for (; u->screen.k > 0 && t->n < size && u->used < u->n; u->n_passed++)
		t->place[t->n++] = u->chunk[u->used++];
	return 0;
}

/* The feature that a step takes. */
struct choice {
	int32_t place; /* place of the feature in the field; -1: no feature yet */
	bool admitted; /* admission by (1): upper <= lower */
	struct barrier_verdict verdict;
	double excess; /* excess (lower - upper) / |v|^2, by which rule (5) chooses */
	double *y;     /* turned vector of the feature, l numbers */
};

/* A selection under way: options, features, barriers, and the batch that is judged. */
struct sparsification {
	const struct bss_options *o;
	struct bss_report *report;
	struct bss_field field;
	struct barrier barrier;
	struct bss_batch batch;
};

/* ---- One step ---- */

static int batch_init(struct bss_batch *t, const struct bss_field *f, const struct barrier *b,
		      struct error *err)
{
	t->y = mem_array(MAX_BATCH * f->l, sizeof(double), err);
	t->fresh = mem_array(MAX_BATCH * f->l, sizeof(double), err);
	t->turned = mem_array(MAX_BATCH * f->l, sizeof(double), err);
	t->full = mem_array(f->s->rank, sizeof(double), err);
	t->work = mem_array(MAX_BATCH * (f->l + b->recent.room), sizeof(double), err);
	return t->y && t->fresh && t->turned && t->full && t->work ? 0 : -1;
}

/*
 * Judge the batch.  Its first admitted feature becomes the choice: places ascend, so that none of
 * larger |v| was admitted, as (3) and (4) want.  While no feature is admitted, the one with the
 * largest excess of all judged so far is the choice, as (5) wants.
 */
static int judge_batch(struct bss_field *f, const struct barrier *b, struct bss_batch *t,
		       struct choice *c, struct error *err)
{
	if (bss_collect_vectors(f, b, t, err) < 0 ||
	    barrier_judge(b, t->y, t->n, t->verdict, t->work, err) < 0)
		return -1;
	for (int64_t k = 0; k < t->n && !c->admitted; k++) {
		/* the feature is admitted by (1) if this difference is not below 0 */
		double gain = t->verdict[k].lower.of - t->verdict[k].upper.of;
		double excess = gain / f->size[t->place[k]];

		if (gain >= 0 || c->place < 0 || excess > c->excess) {
			/* the turned vector is copied, as the batch is overwritten by the next one */
			c->place = t->place[k];
			c->admitted = gain >= 0;
			c->excess = excess;
			c->verdict = t->verdict[k];
			memcpy(c->y, t->y + k * f->l, (size_t)f->l * sizeof(*c->y));
		}
	}
	return 0;
}

/* Features that scans go over in turn: new ones, screened; those chosen before; all new ones. */
enum candidates { NEW_SCREENED, CHOSEN_BEFORE, NEW_ALL };

/* Judge the features of supply 'u' in order, until one is admitted or none is left. */
static int scan(struct sparsification *w, struct bss_supply *u, enum candidates which,
		struct choice *c, struct error *err)
{
	struct bss_field *f = &w->field;
	int64_t size = 1, n_judged = 0;

	/*
	 * Batches double from one feature on: mostly the first is admitted, and judging more would
	 * be in vain.  A screen replaces judging only for a step that has seen thousands rejected.
	 */
	while (!c->admitted) {
		/* places of the next batch, without the places that the screen rejects */
		if (bss_supply_batch(u, &w->batch, size, w->o->n_threads, err) < 0)
			return -1;
		if (w->batch.n == 0)
			break;
		if (interruption_check(err) < 0 ||
		    judge_batch(f, &w->barrier, &w->batch, c, err) < 0)
			return -1;
		/* a step that has judged many features judges the next ones by larger products */
		size = int64_min(2 * size, MAX_BATCH);
		n_judged += w->batch.n;
		if (which == NEW_SCREENED && f->l > 1 && u->screen.k == 0 &&
		    n_judged > SCREEN_AFTER && f->n - n_judged > SCREEN_LEFT &&
		    bss_supply_screen(u, &w->barrier, err) < 0)
			return -1;
	}
	return 0;
}

/* Scan the candidates from the beginning; adds the number judged to *n_visited. */
static int scan_all(struct sparsification *w, enum candidates which, struct choice *c,
		    int64_t *n_visited, struct error *err)
{
	struct bss_supply *u = mem_zeroed(1, sizeof(*u), err);
	int ret;

	if (!u)
		return -1;
	u->f = &w->field;
	u->chosen = which == CHOSEN_BEFORE;
	/* the supply starts before the first place */
	u->place = bss_next_place(u->f, (int32_t)u->f->n, u->chosen);
	ret = scan(w, u, which, c, err);
	*n_visited += u->n_passed;
	barrier_screen_free(&u->screen);
	mem_free_all(u->image, u->length, u);
	return ret;
}

/* Choose the feature of a step: a new one (3), a chosen one (4), or the least bad (5). */
static int choose(struct sparsification *w, struct choice *c, struct error *err)
{
	struct bss_report *report = w->report;
	int64_t n_visited = 0;

	c->place = -1;
	c->admitted = false;
	/*
	 * Rule (3): first features not chosen before, by descending |v|; (4): then those chosen
	 * before.  (5): rounding alone can lead there, as the lemma at the head of the file
	 * promises an admitted feature.  The largest excess is looked for among all, so also among
	 * those that the screen of (3) passed over.
	 */
	for (int which = NEW_SCREENED; which <= NEW_ALL && !c->admitted; which++)
		if (scan_all(w, (enum candidates)which, c, &n_visited, err) < 0)
			return -1;
	/* numbers of features judged, for the report of the whole selection */
	report->n_visited += n_visited;
	report->max_visited = int64_max(n_visited, report->max_visited);
	report->n_again += w->field.order.chosen[c->place] >= 0;
	report->n_forced += !c->admitted;
	/* weight t of (1) must be positive, but (5) may force a feature with upper + lower < 0 */
	if (!(c->verdict.upper.of + c->verdict.lower.of > 0))
		return error_set(err, ERR_NUMERIC,
				 "no feature keeps the eigenvalues between the "
				 "barriers: the basis of the rows is not orthonormal enough");
	return 0;
}

/*
 * A += t v v', by which the step ends.  The place keeps the sum of its t for (2).  A feature chosen
 * for the first time leaves the ring of places not chosen, and its slot becomes free: features
 * chosen before are judged in few steps, so that their vectors are not kept.
 */
static void take(struct sparsification *w, const struct choice *c, struct selection *selection)
{
	struct bss_field *f = &w->field;
	int32_t p = c->place;

	/* A is in the coordinates of the rows, while the barriers also need the turned vector */
	bss_make_vector(f, p, w->batch.full, w->batch.fresh);
	f->order.sum[p] += barrier_add(&w->barrier, w->batch.fresh, c->y, &c->verdict);
	if (f->order.chosen[p] >= 0)
		return;
	/* the place remembers where the feature is in the selection */
	f->order.chosen[p] = (int32_t)selection->n;
	selection_add(selection, f->s->columns.feature[f->column[p]], 0, f->size[p]);
	/* a chosen place leaves the ring of places that rule (3) looks at */
	f->order.next[f->order.before[p]] = f->order.next[p];
	f->order.before[f->order.next[p]] = f->order.before[p];
	/* the slot of a chosen feature serves another vector */
	if (f->kept.slot[p] >= 0)
		f->kept.free_slot[f->kept.n_free++] = f->kept.slot[p];
	f->kept.slot[p] = -1;
}

/* ---- All steps ---- */

static int sparsify(struct sparsification *w, struct selection *selection, struct error *err)
{
	const struct bss_options *o = w->o;
	struct choice c = { .y = mem_array(w->field.l, sizeof(double), err) };
	int ret = c.y ? 0 : -1;

	/* before and after each step the eigenvalues of A are between L and U of barrier.h */
	for (int64_t step = 0; step < o->n_features && ret == 0; step++) {
		if (barrier_raise(&w->barrier, err) < 0 ||
		    bss_turn_kept(&w->field, &w->barrier, err) < 0 || choose(w, &c, err) < 0) {
			ret = -1;
		} else {
			take(w, &c, selection);
			progress_observer_tell(&o->progress, step + 1, o->n_features);
		}
	}
	mem_free(c.y);
	return ret;
}

/* Weights by (2), and the extreme eigenvalues of the weighted sum beside their bounds. */
static int finish(struct sparsification *w, struct selection *selection, struct error *err)
{
	const struct bss_field *f = &w->field;
	struct bss_report *report = w->report;
	struct barrier *b = &w->barrier;
	double s = sqrt((double)b->l / (double)b->r), factor = (1 - s) / (double)b->r;

	/* squared weight: (2) times the sum of t, for features chosen in one step or in several */
	for (int64_t p = 0; p < f->n; p++)
		if (f->order.chosen[p] >= 0)
			selection->weight[f->order.chosen[p]] = sqrt(f->order.sum[p] * factor);
	report->n_turns = b->n_turns;
	if (barrier_extremes(b, &report->least, &report->largest, err) < 0)
		return -1;
	/* A times (2) is sum w^2 v v', with eigenvalues from (1 - s)^2 to (1 + s)^2 */
	report->least *= factor;
	report->largest *= factor;
	report->low = (1 - s) * (1 - s);
	report->high = (1 + s) * (1 + s);
	return 0;
}

static int choose_by_barriers(struct sparsification *w, struct selection *selection,
			      struct error *err)
{
	struct bss_batch *t = &w->batch;
	int ret = -1;

	/* memory for all steps is taken here, so that a step fails for numerical reasons alone */
	if (bss_field_open(&w->field, err) == 0 &&
	    barrier_init(&w->barrier, w->field.l, w->o->n_features, err) == 0 &&
	    batch_init(t, &w->field, &w->barrier, err) == 0 && sparsify(w, selection, err) == 0)
		ret = finish(w, selection, err);
	barrier_free(&w->barrier);
	mem_free_all(t->y, t->fresh, t->turned, t->full, t->work);
	return ret;
}

/* Take the first 'n' features; the weight of each is 1, or makes its vector's length 1. */
static void take_first(struct selection *selection, const struct bss_field *f, int64_t n, bool unit,
		       struct bss_report *report)
{
	/* a single feature has weight 1 / |v|; all features with weights 1 sum to the identity */
	for (int64_t p = 0; p < n; p++)
		selection_add(selection, f->s->columns.feature[f->column[p]],
			      unit ? 1 / sqrt(f->size[p]) : 1, f->size[p]);
	report->least = report->largest = report->low = report->high = 1;
}

int bss_select(struct selection *selection, const struct row_space *s, const struct bss_options *o,
	       struct bss_report *report, struct error *err)
{
	struct sparsification w = { .o = o, .report = report };
	struct bss_field *f = &w.field;
	int64_t r = o->n_features;
	int ret;

	*selection = (struct selection){ 0 };
	*report = (struct bss_report){ .dimension = s->rank, .all = r >= s->columns.n };
	/* r > l is needed: half of r leaves the barriers as much room as r = 2 l does */
	if (!report->all && r <= s->rank) {
		report->truncated = true;
		report->dimension = r >= 2 ? r / 2 : 1;
	}
	ret = bss_field_init(f, s, report->dimension, o->n_threads, err);
	if (ret == 0)
		ret = selection_init(selection, int64_min(r, f->n), err);
	/* all features, one feature, or r steps between the barriers */
	if (ret == 0 && report->all)
		take_first(selection, f, f->n, false, report);
	else if (ret == 0 && r == 1)
		take_first(selection, f, 1, true, report);
	else if (ret == 0)
		ret = choose_by_barriers(&w, selection, err);
	if (ret < 0)
		selection_free(selection);
	bss_field_free(f);
	return ret;
}
