/*
 * row_cache.c - rows of the kernel matrix of a changing working set, cached
 *
 * The memory 'value' is divided into slots of 'stride' values, each for the row of one member
 * over all members:
 *
 *     0 .. n_used - 1         hold rows, or are vacant, as their members have left
 *     n_used .. n_open - 1    may be taken next, before any row is given up
 *     n_open .. n_slots - 1   closed: the system has not had to clear them yet
 *
 * A row that is wanted takes a vacant slot, else an open one, else that of a row which has not been
 * asked for since the hand of the clock passed it last ("second chance"): nearly the least recently
 * used one, for one bit a slot.  Slots of rows that are fetched together are none of these: the
 * hand may come to one that was vacant a moment before.  When a row is computed that has been
 * cached before, the open slots were too few: SLOTS_A_MISS more are opened.  So memory follows the
 * need, up to cache_mb.
 *
 * What invalidates rows:
 *
 *     members leave   row_cache_keep(): the values of those that stay move up within each slot
 *     members join    row_cache_add(): each cached row gets their values, computed for all cached
 *                     rows together; slots that are too short for them are lengthened, their rows
 *                     moving apart, or all rows are forgotten where the memory has no room for that
 *
 * Slots get their length when the first row is cached.  Memory is taken then, and given back when
 * rows are forgotten: a set that has become too large for rows has other uses for it.
 *
 * Where the source itself keeps rows over all examples these are given out: there are no slots.
 *
 * For one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/row_cache.h"

#include <assert.h>

#include "base/mem_bound.h"

/*
 * Least number of slots: room for the rows fetched at once, and as many again, as the clock must
 * find slots besides those just taken and the slot of the row in use.
 */
#define LEAST_SLOTS (2 * KERNEL_ROWS_AT_ONCE)

/* Special values in owner_of: a slot without a row, and a slot whose row is being computed. */
#define NO_OWNER (-1)
#define BEING_FILLED (-2)

/*
 * Bytes opened at first, and slots opened for each row that was given up too soon.  Memory that the
 * system has to clear first costs more than computing a row of few entries again.  Measured
 * for one thread on a9a, ijcnn1, friedman and checkerboard: 3 MB to 1 GB at first, and 1 to 32
 * slots a miss, take the same time within its scatter of some 10 %; covtype.20k (-c 10) takes 5 %
 * more time with 8 MB than with 16 or 24.
 */
#define FIRST_BYTES (16 << 20)
#define SLOTS_A_MISS 4

/* Share of the members for which slots have spare room: mostly fewer members join at a time. */
#define SPARE_SHARE 32

void row_cache_free(struct row_cache *r)
{
	mem_free_all(r->value, r->owner_of, r->recent, r->vacant, r->members.example,
		     r->members.row, r->slot_of, r->was_cached);
	*r = (struct row_cache){ 0 };
}

static size_t value_size(const struct row_cache *r)
{
	return r->source->in_doubles ? sizeof(double) : sizeof(float);
}

/*
 * Take memory for rows: cache_mb, or what all rows need if less; or half of it if the system
 * refuses, and so on down to the least for slots of the given length.
 */
static int get_memory(struct row_cache *r, int64_t stride, struct error *err)
{
	int64_t n = kernel_rows_padded(r->source->p->n), least = LEAST_SLOTS * stride;
	double fitting = r->cache_mb * MEGABYTE / (double)value_size(r);

	/* the rows of all members over all members are n^2 values, and more are of no use */
	r->n_values = fitting < (double)n * (double)n ? (int64_t)fitting : n * n;
	for (;;) {
		struct error failure = { 0 };

		r->n_values = int64_max(r->n_values, least);
		r->value = mem_reserve(r->n_values, value_size(r), &failure);
		if (r->value)
			return 0;
		if (r->n_values == least)
			return error_pass(err, &failure);
		r->n_values /= 2;
	}
}

void row_cache_init(struct row_cache *r, const struct kernel_rows *source, double cache_mb)
{
	*r = (struct row_cache){ .source = source,
				 .is_kept = source->source->type->kept_row != NULL,
				 .cache_mb = cache_mb };
}

void row_cache_forget(struct row_cache *r)
{
	for (int64_t i = 0; i < r->members.n; i++) {
		r->slot_of[i] = -1;
		r->was_cached[i] = false;
	}
	mem_free(r->value);
	r->value = NULL;
	r->stride = r->n_slots = r->n_used = r->n_vacant = r->hand = r->last = 0;
}

/* Largest useful number of slots: one for each member, and those that the clock needs. */
static int64_t most_slots(const struct row_cache *r)
{
	return int64_max(r->capacity, LEAST_SLOTS);
}

/* Divide the memory into slots of the given length. */
static void divide(struct row_cache *r, int64_t stride)
{
	r->stride = stride;
	r->n_slots = int64_min(r->n_values / stride, most_slots(r));
}

/* Length of a slot, for the present members and some more. */
static int64_t choose_stride(const struct row_cache *r)
{
	const int64_t n = r->members.n;

	return kernel_rows_padded(int64_min(n + n / SPARE_SHARE, r->source->p->n));
}

/* Allocate the slots when the first row is wanted. */
static int begin(struct row_cache *r, struct error *err)
{
	const int64_t stride = choose_stride(r);

	if (get_memory(r, stride, err) < 0)
		return -1;
	divide(r, stride);
	r->n_open = int64_max(FIRST_BYTES / (stride * (int64_t)value_size(r)), LEAST_SLOTS);
	return 0;
}

static int resize(void *array, int64_t before, int64_t n, size_t size, struct error *err)
{
	return mem_grow(array, &before, n, size, err);
}

/* Room in the arrays for n members and some more, so that growing is rare. */
static int reserve(struct row_cache *r, int64_t n, struct error *err)
{
	const int64_t before = r->capacity, slots_before = before ? most_slots(r) : 0;

	r->capacity = kernel_rows_padded(int64_min(n + n / 4, r->source->p->n));
	n = most_slots(r);
	if (resize(&r->members.example, before, r->capacity, sizeof(int64_t), err) == 0 &&
	    resize(&r->members.row, before, r->capacity, sizeof(int64_t), err) == 0 &&
	    resize(&r->slot_of, before, r->capacity, sizeof(int64_t), err) == 0 &&
	    resize(&r->was_cached, before, r->capacity, sizeof(bool), err) == 0 &&
	    resize(&r->owner_of, slots_before, n, sizeof(int64_t), err) == 0 &&
	    resize(&r->recent, slots_before, n, sizeof(bool), err) == 0 &&
	    resize(&r->vacant, slots_before, n, sizeof(int64_t), err) == 0)
		return 0;
	r->capacity = before;
	return -1;
}

static void *slot_row(const struct row_cache *r, int64_t slot)
{
	return (char *)r->value + slot * r->stride * (int64_t)value_size(r);
}

/* Make slots long enough for all members; the last row moves first, so that none is overwritten. */
static void lengthen(struct row_cache *r, int64_t n_before)
{
	const int64_t before = r->stride, size = (int64_t)value_size(r);

	divide(r, choose_stride(r));
	/* too few of the longer slots for the rows in use: all cached rows are given up */
	if (r->n_slots < int64_max(r->n_used, LEAST_SLOTS)) {
		row_cache_forget(r);
		return;
	}
	for (int64_t slot = r->n_used - 1; slot > 0; slot--)
		if (r->owner_of[slot] >= 0)
			memmove(slot_row(r, slot), (char *)r->value + slot * before * size,
				(size_t)(n_before * size));
	mem_use(r->value, (size_t)(r->n_used * r->stride * size));
}

void row_cache_keep(struct row_cache *r, const int64_t *kept, int64_t n)
{
	const bool in_doubles = r->source->in_doubles;
	int64_t old = r->members.n;

	for (int64_t j = 0, k = 0; j < old; j++) {
		bool stays = k < n && kept[k] == j;

		if (r->slot_of[j] >= 0) {
			/* the slot goes on with its member, or joins the stack of vacant slots */
			r->owner_of[r->slot_of[j]] = stays ? k : NO_OWNER;
			r->recent[r->slot_of[j]] = stays;
			if (!stays)
				r->vacant[r->n_vacant++] = r->slot_of[j];
		}
		if (!stays)
			continue;
		/*
		 * members that stay move down, k <= j: no number is overwritten before it is read
		 */
		r->members.example[k] = r->members.example[j];
		r->members.row[k] = r->members.row[j];
		r->slot_of[k] = r->slot_of[j];
		r->was_cached[k++] = r->was_cached[j];
	}
	for (int64_t slot = 0; slot < r->n_used; slot++) {
		double *wide = slot_row(r, slot);
		float *narrow = slot_row(r, slot);

		if (r->owner_of[slot] < 0)
			continue;
		/* kept[k] >= k, so that no value is overwritten before it moves */
		for (int64_t k = 0; in_doubles && k < n; k++)
			wide[k] = wide[kept[k]];
		for (int64_t k = 0; !in_doubles && k < n; k++)
			narrow[k] = narrow[kept[k]];
	}
	r->members.in_place = r->members.in_place && n == old;
	r->members.n = n;
}

/*
 * Compute the values that cached rows lack since members joined, from member 'first' on; some
 * values before it are computed again, as tiles are written in whole groups of lanes.
 */
static int extend_rows(struct row_cache *r, int64_t first, struct error *err)
{
	int64_t *wanted = mem_array(r->n_used, sizeof(*wanted), err), n = 0;
	void **out = mem_array(r->n_used, sizeof(*out), err);
	int ret = -1;

	if (!wanted || !out)
		goto out;
	for (int64_t slot = 0; slot < r->n_used; slot++)
		if (r->owner_of[slot] >= 0) {
			out[n] = slot_row(r, slot);
			wanted[n++] = r->members.example[r->owner_of[slot]];
		}
	ret = n > 0 ? kernel_rows_fetch(r->source,
					(struct row_request){ &r->members, first, wanted, n, out },
					err) :
		      0;
out:
	mem_free_all(out, wanted);
	return ret;
}

int row_cache_add(struct row_cache *r, const int64_t *example, int64_t n, struct error *err)
{
	int64_t before = r->members.n;

	if (before + n > r->capacity && reserve(r, before + n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++, r->members.n++) {
		r->members.example[r->members.n] = example[k];
		r->members.row[r->members.n] = r->source->p->row[example[k]];
		r->slot_of[r->members.n] = -1;
		r->was_cached[r->members.n] = false;
		r->members.in_place =
			(r->members.n == 0 || r->members.in_place) && example[k] == r->members.n;
	}
	if (r->is_kept) {
		assert(r->members.in_place && r->members.n == r->source->p->n);
		assert(r->members.row[0] == 0 &&
		       r->members.row[r->members.n - 1] == r->members.n - 1);
		return 0;
	}
	if (r->members.n > r->stride && r->value)
		lengthen(r, before);
	return extend_rows(r, before, err);
}

const void *row_cache_get(struct row_cache *r, int64_t i)
{
	if (r->is_kept)
		return row_cache_kept(r, i);
	r->last = r->slot_of[i];
	r->recent[r->last] = true;
	return slot_row(r, r->last);
}

/* Find a slot for a new row; the member that owned the slot, if any, loses its cached row. */
static int64_t free_slot(struct row_cache *r)
{
	int64_t slot;

	if (r->n_vacant > 0)
		return r->vacant[--r->n_vacant];
	if (r->n_used < r->n_open && r->n_used < r->n_slots) {
		mem_use(r->value, (size_t)((r->n_used + 1) * r->stride) * value_size(r));
		return r->n_used++;
	}
	while (r->recent[r->hand] || r->hand == r->last || r->owner_of[r->hand] == BEING_FILLED) {
		r->recent[r->hand] = false;
		r->hand = (r->hand + 1) % r->n_used;
	}
	slot = r->hand;
	r->hand = (r->hand + 1) % r->n_used;
	if (r->owner_of[slot] >= 0)
		r->slot_of[r->owner_of[slot]] = -1;
	return slot;
}

int row_cache_fetch(struct row_cache *r, const int64_t *member, int n, struct error *err)
{
	int64_t wanted[KERNEL_ROWS_AT_ONCE] = { 0 }, slot[KERNEL_ROWS_AT_ONCE];
	void *out[KERNEL_ROWS_AT_ONCE] = { 0 };

	if (r->is_kept)
		return r->source->source->type->make_rows(r->source->source, member, n, err);
	if (!r->value && begin(r, err) < 0)
		return -1;
	for (int v = 0; v < n; v++) {
		wanted[v] = r->members.example[member[v]];
		if (r->was_cached[member[v]])
			r->n_open += SLOTS_A_MISS;
		r->was_cached[member[v]] = true;
		slot[v] = free_slot(r);
		/*
		 * no later row of this fetch may take the slot; nor may a member own it yet, as the
		 * fetch can fail
		 */
		r->owner_of[slot[v]] = BEING_FILLED;
		r->recent[slot[v]] = true;
		out[v] = slot_row(r, slot[v]);
	}
	if (kernel_rows_fetch(r->source, (struct row_request){ &r->members, 0, wanted, n, out },
			      err) < 0) {
		for (int v = 0; v < n; v++)
			r->owner_of[slot[v]] = NO_OWNER;
		return -1;
	}
	for (int v = 0; v < n; v++) {
		r->owner_of[slot[v]] = member[v];
		r->slot_of[member[v]] = slot[v];
	}
	return 0;
}
