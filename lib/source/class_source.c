/*
 * class_source.c - kernel values of a pair of classes, by what is kept for all pairs
 *
 * Rows over all examples, and sums for all, are those of the classes' tiles (source/class_tiles.h).
 * Others are a float_source's.
 *
 * How this works.  A pair (a, b) of classes is a problem whose examples are the rows of class a and
 * of class b.  Kernel values of two classes are wanted by every pair that has one of them, so tiles
 * of each class are kept for all pairs; where a request is for anything that these tiles do not
 * have, it goes to the float_source that the base was copied from:
 *
 *      request                                  answered by
 *      rows over all examples, from the first   tiles of both classes: fetch_whole()
 *      rows over some examples (shrinking), or  float_source, over the members
 *      from a later one on (extending)
 *      sums for all examples                    tiles, if they are kept
 *      sums for some examples                   float_source
 *
 * Both answers are values of the same kernel in floats.  The state has what either needs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/class_source.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "source/float_source.h"

static const struct class_pair *pair_of(const struct kernel_source *source)
{
	return &((const struct class_source *)source)->pair;
}

/* A float_source's rows, and room for class_pair_rows(). */
struct class_rows {
	struct kernel_rows floats;
	float *room;
};

static int open_rows(struct kernel_rows *r, struct error *err)
{
	struct class_rows *own = r->state = mem_zeroed(1, sizeof(*own), err);

	if (!own)
		return -1;
	own->floats = *r;
	/* the copy gets a state of its own, as r->state belongs to this source */
	own->floats.state = NULL;
	if (float_source_open_rows(&own->floats, err) < 0)
		return -1;
	own->room = mem_aligned(class_pair_room(pair_of(r->source)), sizeof(*own->room), err);
	return own->room ? 0 : -1;
}

static void close_rows(struct kernel_rows *r)
{
	struct class_rows *own = r->state;

	if (!own)
		return;
	float_source_close_rows(&own->floats);
	mem_free_all(own->room, own);
}

/* Are the members all examples, member j being example j? */
static bool in_tiles(const struct kernel_rows *r, const struct row_members *over)
{
	return over->in_place && over->n == r->p->n;
}

static int rows_at_once(const struct kernel_rows *r, const struct row_members *over)
{
	return in_tiles(r, over) ? class_pair_at_once(pair_of(r->source)) : KERNEL_ROWS_AT_ONCE;
}

/* Fetch whole rows, MAX_CLASS_ROWS at a time, and clear their padding. */
static int fetch_whole(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct class_rows *own = r->state;
	int64_t n = q->over->n;
	float *out[MAX_CLASS_ROWS];

	for (int64_t v = 0; v < q->n; v += MAX_CLASS_ROWS) {
		int some = (int)int64_min(q->n - v, MAX_CLASS_ROWS);

		for (int k = 0; k < some; k++)
			out[k] = q->out[v + k];
		if (class_pair_rows(pair_of(r->source), q->wanted + v, some, own->room, out, err) <
		    0)
			return -1;
		for (int k = 0; k < some; k++)
			memset(out[k] + n, 0, (size_t)(kernel_rows_padded(n) - n) * sizeof(float));
	}
	return 0;
}

/* Fetch rows: whole ones by the tiles of the classes, all others by the float_source. */
static int fetch_rows(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct class_rows *own = r->state;

	return q->first == 0 && in_tiles(r, q->over) ?
		       fetch_whole(r, q, err) :
		       float_source_fetch_rows(&own->floats, q, err);
}

/*
 * Sums for all examples by the tiles of the classes, if tiles are kept; else by the float_source.
 */
static int sum(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct class_pair *pair = pair_of(s->source);

	if (q->position || s->exact || pair->tiles->whole)
		return float_source_sum(s, q, err);
	return class_pair_sums(pair, s->state, s->coef, q->value, err);
}

static const struct kernel_source_type class_type = {
	.open_rows = open_rows,
	.close_rows = close_rows,
	.rows_at_once = rows_at_once,
	.fetch_rows = fetch_rows,
	.open_sums = float_source_open_sums,
	.close_sums = float_source_close_sums,
	.sum = sum,
};

struct class_source class_source_make(struct class_pair pair, const struct kernel_source *floats)
{
	struct class_source s = { .base = *floats, .pair = pair };

	s.base.type = &class_type;
	s.base.for_subset = floats;
	return s;
}
