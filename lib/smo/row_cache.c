/*
 * row_cache.c - rows of the kernel matrix of a changing working set, cached
 *
 * The memory 'value' is divided into slots of 'capacity' values, each for the row of one member
 * over all members:
 *
 *     0 .. n_used - 1         hold rows, or are vacant, as their members have left
 *     n_used .. n_open - 1    may be taken next, before any row is given up
 *     n_open .. n_slots - 1   closed: the system has not had to clear them yet
 *
 * A row that is wanted takes a vacant slot, else an open one, else that of a row which has not been
 * asked for since the hand of the clock passed it last ("second chance"): nearly the least recently
 * used one, for one bit a slot.  When a row is computed that has been cached before, the open slots
 * were too few: SLOTS_A_MISS more are opened.  So memory follows the need, up to cache_mb.
 *
 * What invalidates rows:
 *
 *     members leave   row_cache_keep(): the values of those that stay move up within each slot
 *     members join    row_cache_add(): each cached row gets their values, computed for all cached
 *                     rows together; if the capacity does not suffice all rows are forgotten,
 *                     as slots change their size
 *
 * Rows are computed by one of four ways, each the same kernel values whatever rows are asked for
 * together:
 *
 *     fetch_in_place()   from the tiles of two classes, if the members are all examples
 *     fetch_floats()     members in tiles of 64, in single precision
 *     fetch_double()     members in tiles of 16, in double precision
 *     fetch_from_gram()  from a Gram matrix that the problem has
 *
 * The last three are shared among threads by members; a thread owns its scratch.  All else is for
 * one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/row_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "kernel/float_sums.h"
#include "problem/class_tiles.h"

/*
 * Members a task meets: eight tiles of 64, 16,384 kernel values with rows fetched 32 at a time, at
 * 1e9 values a second 16 us, as long as starting a thread.
 */
#define TASK_MEMBERS 512

/*
 * Room for what is fetched at once, and as much again: while the clock looks for that many slots it
 * must not come round to those it has just taken, nor take the row that is in use.
 */
#define LEAST_SLOTS (2 * ROW_CACHE_AT_ONCE)

/*
 * Bytes opened at first, and slots opened for each row that was given up too soon.  Memory that the
 * system has to clear first costs more than computing a row of few entries again.  Measured
 * for one thread on a9a, ijcnn1, friedman and checkerboard: 3 MB to 1 GB at first, and 1 to 32
 * slots a miss, take the same time within its scatter of some 10 %.
 */
#define FIRST_BYTES (24 << 20)
#define SLOTS_A_MISS 4

void row_cache_free(struct row_cache *r)
{
	for (int t = 0; r->scratch && t < r->n_threads; t++) {
		if (r->p->x_float)
			float_tile_give_back(&r->scratch[t].floats, r->p->x_float);
		free(r->scratch[t].tile);
		free(r->scratch[t].norm2);
	}
	free(r->scratch);
	free(r->room);
	free(r->value);
	free(r->owner_of);
	free(r->recent);
	free(r->vacant);
	free(r->example);
	free(r->row);
	free(r->slot_of);
	free(r->was_cached);
	column_map_free(&r->columns);
	kernel_vectors_free(&r->vectors);
	*r = (struct row_cache){ 0 };
}

/* All rows of the problem by themselves, columns renumbered: tiles have those that occur. */
static int prepare_double(struct row_cache *r, struct error *err)
{
	const struct problem_view *p = r->p;

	if (csr_gather(&r->vectors.x, p->x, p->row, p->n, err) < 0 ||
	    kernel_vectors_number_columns(&r->vectors, &r->columns, err) < 0)
		return -1;
	return kernel_vectors_prepare(&r->vectors, p->kernel.type, err);
}

static int prepare_scratch(struct row_cache *r, struct row_cache_scratch *s, struct error *err)
{
	if (r->p->x_float)
		return float_tile_init(&s->floats, r->p->x_float, err);
	s->tile = mem_aligned(r->columns.n * KERNEL_TILE_ROWS, sizeof(double), err);
	s->norm2 = mem_aligned(KERNEL_TILE_ROWS, sizeof(double), err);
	return s->tile && s->norm2 ? 0 : -1;
}

static int64_t padded(int64_t n)
{
	return int64_round_up(n, ROW_CACHE_LANES);
}

static size_t value_size(const struct row_cache *r)
{
	return r->wide ? sizeof(double) : sizeof(float);
}

/*
 * Memory for rows: cache_mb, or what all rows need if that is less; or half of it if the system
 * refuses, and so on down to the least.
 */
static int get_memory(struct row_cache *r, struct error *err)
{
	int64_t n = padded(r->p->n), least = LEAST_SLOTS * n;
	double fitting = r->cache_mb * 1048576 / (double)value_size(r);

	r->n_values = fitting < (double)n * (double)n ? (int64_t)fitting : n * n;
	for (;;) {
		struct error failure = { 0 };

		if (r->n_values < least)
			r->n_values = least;
		r->value = mem_large(r->n_values, value_size(r), &failure);
		if (r->value)
			return 0;
		if (r->n_values == least)
			return error_set(err, failure.code, "%s", failure.text);
		r->n_values /= 2;
	}
}

int row_cache_init(struct row_cache *r, const struct problem_view *p, double cache_mb,
		   int n_threads, struct error *err)
{
	*r = (struct row_cache){ .p = p,
				 .cache_mb = cache_mb,
				 .wide = !p->x_float && !p->gram,
				 .n_threads = thread_clamp_count(n_threads) };
	r->scratch = mem_zeroed(r->n_threads, sizeof(*r->scratch), err);
	if (!r->scratch || (r->wide && prepare_double(r, err) < 0))
		goto fail;
	for (int t = 0; !p->gram && t < r->n_threads; t++)
		if (prepare_scratch(r, &r->scratch[t], err) < 0)
			goto fail;
	if (p->pair.tiles)
		r->room = mem_aligned(class_pair_room(&p->pair), sizeof(*r->room), err);
	if ((!p->pair.tiles || r->room) && get_memory(r, err) == 0)
		return 0;
fail:
	row_cache_free(r);
	return -1;
}

static void forget_rows(struct row_cache *r)
{
	for (int64_t i = 0; i < r->n; i++) {
		r->slot_of[i] = -1;
		r->was_cached[i] = false;
	}
	r->n_used = r->n_vacant = r->hand = r->last = 0;
}

/* Divide the memory among slots of the capacity. */
static int make_slots(struct row_cache *r, struct error *err)
{
	double fitting = r->cache_mb * 1048576 / (double)(r->capacity * (int64_t)value_size(r));

	r->n_slots = r->n_values / r->capacity;
	if ((double)r->n_slots > fitting)
		r->n_slots = fitting < LEAST_SLOTS ? LEAST_SLOTS : (int64_t)fitting;
	if (r->n_slots > r->capacity && r->capacity >= LEAST_SLOTS)
		r->n_slots = r->capacity;
	r->n_open = FIRST_BYTES / (r->capacity * (int64_t)value_size(r));
	if (r->n_open < LEAST_SLOTS)
		r->n_open = LEAST_SLOTS;
	free(r->owner_of);
	free(r->recent);
	free(r->vacant);
	r->owner_of = mem_array(r->n_slots, sizeof(*r->owner_of), err);
	r->recent = mem_zeroed(r->n_slots, sizeof(*r->recent), err);
	r->vacant = mem_array(r->n_slots, sizeof(*r->vacant), err);
	return r->owner_of && r->recent && r->vacant ? 0 : -1;
}

static int resize(int64_t **array, int64_t n, struct error *err)
{
	int64_t capacity = 0;

	return mem_grow(array, &capacity, n, sizeof(**array), err);
}

/* Room for n members and some more, so that this is rare: what is cached is given up. */
static int reserve(struct row_cache *r, int64_t n, struct error *err)
{
	int64_t wanted = padded(int64_min(n + n / 4, r->p->n));

	if (resize(&r->example, wanted, err) < 0 || resize(&r->row, wanted, err) < 0 ||
	    resize(&r->slot_of, wanted, err) < 0)
		return -1;
	free(r->was_cached);
	r->was_cached = mem_array(wanted, sizeof(*r->was_cached), err);
	if (!r->was_cached)
		return -1;
	r->capacity = wanted;
	forget_rows(r);
	return make_slots(r, err);
}

static void *slot_row(const struct row_cache *r, int64_t slot)
{
	return (char *)r->value + slot * r->capacity * (int64_t)value_size(r);
}

/* The rows of n wanted examples, at members first <= j < end. */
struct fetching {
	struct row_cache *r;
	int64_t n, first, end;
	const int64_t *wanted;
	void **out;		      /* [n]: where the value of member 0 would go */
	struct float_vectors vectors; /* single precision: the wanted ones */
};

/*
 * A tile of members is filled once and meets all wanted rows, ROW_CACHE_AT_ONCE at a time.  'first'
 * is a multiple of FLOAT_TILE_LANES but when rows are extended, where it is one of
 * ROW_CACHE_LANES: as aligned as what is written must be.
 */
static void fetch_floats(const struct fetching *f, int64_t first, int64_t end,
			 struct float_tile *tile)
{
	const struct row_cache *r = f->r;
	float *out[ROW_CACHE_AT_ONCE];

	for (; first < end; first += FLOAT_TILE_LANES) {
		int lanes = (int)int64_min(end - first, FLOAT_TILE_LANES);

		float_tile_fill(tile, r->p->x_float, r->row, first, lanes);
		for (int64_t v = 0, last; v < f->n; v = last) {
			last = int64_min(v + ROW_CACHE_AT_ONCE, f->n);
			for (int64_t u = v; u < last; u++)
				out[u - v] = (float *)f->out[u] + first;
			float_tile_values(&f->vectors, v, last, tile, out);
		}
		float_tile_clear(tile, r->p->x_float, r->row, first, lanes);
	}
}

/* Write (or, with clear, wipe) a member into a lane of a tile in double precision. */
static void fill_lane(const struct row_cache *r, struct row_cache_scratch *s, int64_t member,
		      int lane, bool clear)
{
	const struct csr *x = &r->vectors.x;
	int64_t i = r->example[member];

	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
		s->tile[(int64_t)x->col[k] * KERNEL_TILE_ROWS + lane] = clear ? 0 : x->val[k];
	s->norm2[lane] = r->vectors.norm2 ? r->vectors.norm2[i] : 0;
}

static void fetch_double(const struct fetching *f, int64_t first, int64_t end,
			 struct row_cache_scratch *s)
{
	const struct row_cache *r = f->r;
	for (; first < end; first += KERNEL_TILE_ROWS) {
		int lanes = (int)int64_min(end - first, KERNEL_TILE_ROWS);

		for (int lane = 0; lane < lanes; lane++)
			fill_lane(r, s, first + lane, lane, false);
		for (int64_t v = 0; v < f->n; v++)
			kernel_tile_values(&r->p->kernel, &r->vectors, f->wanted[v],
					   f->wanted[v] + 1, s->tile, s->norm2,
					   (double *)f->out[v] + first);
		for (int lane = 0; lane < lanes; lane++)
			fill_lane(r, s, first + lane, lane, true);
	}
}

/* The last task clears the padding, which the tiles of the other ways do by themselves. */
static void fetch_from_gram(const struct fetching *f, int64_t first, int64_t end)
{
	const struct row_cache *r = f->r;

	for (int64_t v = 0; v < f->n; v++) {
		const double *products = r->p->gram + r->p->row[f->wanted[v]] * r->p->x->n_rows;
		float *out = f->out[v];

		for (int64_t j = first; j < end; j++)
			out[j] = (float)products[r->row[j]];
		for (int64_t j = end; end == r->n && j < padded(end); j++)
			out[j] = 0;
	}
}

static void fetch_task(void *arg, int64_t task, int thread)
{
	const struct fetching *f = arg;
	int64_t first = f->first + task * TASK_MEMBERS;
	int64_t end = int64_min(first + TASK_MEMBERS, f->end);

	if (f->r->p->gram)
		fetch_from_gram(f, first, end);
	else if (f->r->p->x_float)
		fetch_floats(f, first, end, &f->r->scratch[thread].floats);
	else
		fetch_double(f, first, end, &f->r->scratch[thread]);
}

/* Are the members all examples, each in its place? */
static bool in_place(const struct row_cache *r)
{
	return r->p->pair.tiles && r->in_place && r->n == r->p->n;
}

int row_cache_at_once(const struct row_cache *r)
{
	return in_place(r) ? class_pair_at_once(&r->p->pair) : ROW_CACHE_AT_ONCE;
}

/* Whole rows from the tiles of the classes, MAX_CLASS_ROWS at a time, and their padding. */
static int fetch_in_place(const struct fetching *f, struct error *err)
{
	const struct row_cache *r = f->r;
	float *out[MAX_CLASS_ROWS];

	for (int64_t v = 0; v < f->n; v += MAX_CLASS_ROWS) {
		int n = (int)int64_min(f->n - v, MAX_CLASS_ROWS);

		for (int k = 0; k < n; k++)
			out[k] = f->out[v + k];
		if (class_pair_rows(&r->p->pair, f->wanted + v, n, r->room, out, err) < 0)
			return -1;
		for (int k = 0; k < n; k++)
			memset(out[k] + r->n, 0, (size_t)(padded(r->n) - r->n) * sizeof(float));
	}
	return 0;
}

/* Fill in the wanted rows; in single precision they are gathered first, to lie side by side. */
static int fetch(struct fetching *f, struct error *err)
{
	const struct problem_view *p = f->r->p;
	int64_t *row;

	if (f->first == 0 && in_place(f->r))
		return fetch_in_place(f, err);
	if (p->x_float && !p->gram) {
		int gathered = -1;

		row = mem_array(f->n, sizeof(*row), err);
		for (int64_t v = 0; row && v < f->n; v++)
			row[v] = p->row[f->wanted[v]];
		if (row)
			gathered = float_vectors_gather(&f->vectors, p->x_float, row, f->n, err);
		free(row);
		if (gathered < 0)
			return -1;
	}
	thread_parallel_for(f->r->n_threads, int64_blocks(f->end - f->first, TASK_MEMBERS),
			    fetch_task, f);
	float_vectors_free(&f->vectors);
	return 0;
}

/* kept[k] >= k, so that nothing is overwritten before it has moved. */
static void compact_floats(float *row, const int64_t *kept, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		row[k] = row[kept[k]];
}

static void compact_doubles(double *row, const int64_t *kept, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		row[k] = row[kept[k]];
}

void row_cache_keep(struct row_cache *r, const int64_t *kept, int64_t n)
{
	int64_t old = r->n;

	for (int64_t j = 0, k = 0; j < old; j++) {
		bool stays = k < n && kept[k] == j;

		if (r->slot_of[j] >= 0) {
			r->owner_of[r->slot_of[j]] = stays ? k : -1;
			r->recent[r->slot_of[j]] = stays;
			if (!stays)
				r->vacant[r->n_vacant++] = r->slot_of[j];
		}
		if (!stays)
			continue;
		r->example[k] = r->example[j];
		r->row[k] = r->row[j];
		r->slot_of[k] = r->slot_of[j];
		r->was_cached[k++] = r->was_cached[j];
	}
	for (int64_t slot = 0; slot < r->n_used; slot++) {
		if (r->owner_of[slot] < 0)
			continue;
		if (r->wide)
			compact_doubles(slot_row(r, slot), kept, n);
		else
			compact_floats(slot_row(r, slot), kept, n);
	}
	r->in_place = r->in_place && n == old;
	r->n = n;
}

/*
 * Compute what the cached rows lack since members joined, from member 'first' on; some values
 * before it are computed again, as tiles are written in whole groups of lanes.
 */
static int extend_rows(struct row_cache *r, int64_t first, struct error *err)
{
	struct fetching f = { .r = r, .first = first - first % ROW_CACHE_LANES, .end = r->n };
	int64_t *wanted = mem_array(r->n_used, sizeof(*wanted), err);
	int ret = -1;

	f.out = mem_array(r->n_used, sizeof(*f.out), err);
	if (!wanted || !f.out)
		goto out;
	f.wanted = wanted;
	for (int64_t slot = 0; slot < r->n_used; slot++)
		if (r->owner_of[slot] >= 0) {
			f.out[f.n] = slot_row(r, slot);
			wanted[f.n++] = r->example[r->owner_of[slot]];
		}
	ret = f.n > 0 ? fetch(&f, err) : 0;
out:
	free(f.out);
	free(wanted);
	return ret;
}

int row_cache_add(struct row_cache *r, const int64_t *example, int64_t n, struct error *err)
{
	int64_t before = r->n;

	if (r->n + n > r->capacity && reserve(r, r->n + n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++, r->n++) {
		r->example[r->n] = example[k];
		r->row[r->n] = r->p->row[example[k]];
		r->slot_of[r->n] = -1;
		r->was_cached[r->n] = false;
		r->in_place = (r->n == 0 || r->in_place) && example[k] == r->n;
	}
	return extend_rows(r, before, err);
}

const void *row_cache_get(struct row_cache *r, int64_t i)
{
	r->last = r->slot_of[i];
	r->recent[r->last] = true;
	return slot_row(r, r->last);
}

/* A slot for a new row; its owner, if any, has lost its row. */
static int64_t free_slot(struct row_cache *r)
{
	int64_t slot;

	if (r->n_vacant > 0)
		return r->vacant[--r->n_vacant];
	if (r->n_used < r->n_open && r->n_used < r->n_slots)
		return r->n_used++;
	while (r->recent[r->hand] || r->hand == r->last) {
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
	int64_t wanted[ROW_CACHE_AT_ONCE], slot[ROW_CACHE_AT_ONCE];
	void *out[ROW_CACHE_AT_ONCE];
	struct fetching f = { .r = r, .n = n, .end = r->n, .wanted = wanted, .out = out };

	for (int v = 0; v < n; v++) {
		wanted[v] = r->example[member[v]];
		if (r->was_cached[member[v]])
			r->n_open += SLOTS_A_MISS;
		r->was_cached[member[v]] = true;
		slot[v] = free_slot(r);
		/* no owner before the row is there: fetch() may fail */
		r->owner_of[slot[v]] = -1;
		r->recent[slot[v]] = true;
		out[v] = slot_row(r, slot[v]);
	}
	if (fetch(&f, err) < 0)
		return -1;
	for (int v = 0; v < n; v++) {
		r->owner_of[slot[v]] = member[v];
		r->slot_of[member[v]] = slot[v];
	}
	return 0;
}
