/*
 * bss_field.c - features in the order in which steps of spectral sparsification try them
 *
 * Numbers in brackets are those of the equations at the head of bss.c.
 *
 * How this works.  A column of the basis has three numbers here:
 *
 *     column j       of the data, 0 .. d - 1
 *     place p        in the order of descending |v|, those of v = 0 left out: column[p] = j     (1)
 *     slot           of the memory for vectors, where the vector of place p is kept; or none    (2)
 *
 * Steps take the first admitted feature, so they look at places in ascending order and skip those
 * chosen before.  For that the places not chosen are a ring of two lists (next, before), with place
 * n as its beginning and end:
 *
 *     next      n -> 0 -> 2 -> 3 -> n        place 1 has been chosen                            (3)
 *
 * Leaving a ring is O(1), wherever the place is.
 *
 * A vector v_p = T'x_p costs entries times rank to make, and its turned form Z v_p costs l^2.  Both
 * are kept in a slot from the first look on, as the next steps look at the same places again: what
 * is not admitted now may be later.  When the barrier has new eigenvectors Z, all kept vectors are
 * turned anew by one matrix product (4).  A place that is chosen gives its slot back.
 *
 * Memory: 32 MB of slots, or those of one batch where a vector is long.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "select/bss_work.h"
#include "select/selection.h"

/* Share of a cut vector's squared length that is rounding: bases are orthonormal to about 1e-14. */
#define NO_SHARE 1e-24

enum {
	BLOCK = 64,	      /* features that a thread measures at a time */
	MIN_KEPT = 64,	      /* least number of vectors kept: those of a batch */
	KEPT_BYTES = 32 << 20 /* memory for kept vectors, each both turned and as it is */
};

/* ---- The order of the features ---- */

void bss_field_free(struct bss_field *f)
{
	mem_free_all(f->column, f->size, f->order.next, f->order.before, f->order.chosen,
		     f->order.sum, f->kept.slot, f->kept.free_slot, f->kept.vector, f->kept.turned);
}

struct measuring {
	const struct row_space *s;
	int64_t l;
	/* squared length |v|^2 of each column; 0 where the cut vector is rounding (NO_SHARE) */
	double *size;
};

/* Squared length of a column, of the first l components alone, those that count; O(entries rank) */
static void measure_column(void *arg, int64_t j, void *room)
{
	const struct measuring *w = arg;
	const double *v = room;
	double kept, cut;

	row_space_vector(w->s, j, room);
	kept = squared_norm(v, w->l);
	cut = squared_norm(v + w->l, w->s->rank - w->l);
	/* nothing but rounding is left of the vector once the small directions are cut off */
	w->size[j] = kept > NO_SHARE * cut ? kept : 0;
}

/* Order (1): columns by descending size, without those of v = 0, which change no eigenvalue. */
static int sort_columns(struct bss_field *f, const double *size, struct error *err)
{
	struct scored_column *m = scored_columns_of(size, f->s->columns.n, &f->n, err);

	if (!m)
		return -1;
	f->column = mem_array(f->n, sizeof(*f->column), err);
	f->size = mem_array(f->n, sizeof(*f->size), err);
	for (int64_t p = 0; p < f->n && f->column && f->size; p++) {
		f->column[p] = m[p].column;
		f->size[p] = m[p].score;
	}
	mem_free(m);
	return f->column && f->size ? 0 : -1;
}

int bss_field_init(struct bss_field *f, const struct row_space *s, int64_t l, int n_threads,
		   struct error *err)
{
	/* sizes by column are needed until the columns are sorted */
	double *size = mem_array(s->columns.n, sizeof(*size), err);
	struct measuring w = { s, l, size };
	int ret = -1;

	*f = (struct bss_field){ .s = s, .l = l };
	if (size && thread_each(n_threads, s->columns.n, BLOCK, (size_t)s->rank * sizeof(double),
				measure_column, &w, err) == 0)
		ret = sort_columns(f, size, err);
	mem_free(size);
	if (ret < 0)
		bss_field_free(f);
	return ret;
}

int bss_field_open(struct bss_field *f, struct error *err)
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
	 * (3): a ring through place n, which is before the first place not chosen and after the
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

void bss_make_vector(const struct bss_field *f, int32_t place, double *full, double *v)
{
	row_space_vector(f->s, f->column[place], full);
	/* v has the first l components, those of the largest directions */
	memcpy(v, full, (size_t)f->l * sizeof(*v));
}

int bss_turn_kept(struct bss_field *f, const struct barrier *b, struct error *err)
{
	int64_t used = 0;

	/* kept vectors need no turning while the eigenvectors Z are the same */
	if (f->kept.n_turns == b->n_turns)
		return 0;
	/*
	 * (4): one product for all slots up to the last in use.  Where every slot is in use the
	 * search ends early, as kept vectors are mostly of the first places not chosen.
	 */
	for (int64_t p = f->order.next[f->n]; p < f->n && used < f->kept.n_slots;
	     p = f->order.next[p])
		used = f->kept.slot[p] >= used ? f->kept.slot[p] + 1 : used;
	f->kept.n_turns = b->n_turns;
	return barrier_turn(b, f->kept.vector, used, f->kept.turned, err);
}

/* Rule (2): keep a vector and its turned form in a free slot, if there is one, for later steps. */
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

int bss_collect_vectors(struct bss_field *f, const struct barrier *b, struct bss_batch *t,
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

int32_t bss_next_place(const struct bss_field *f, int32_t p, bool chosen)
{
	/* features chosen before are looked at in order of place, from the first: these are few */
	if (!chosen)
		return f->order.next[p];
	p = p == f->n ? 0 : p + 1;
	while (p < f->n && f->order.chosen[p] < 0)
		p++;
	return p;
}
