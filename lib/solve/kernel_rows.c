/*
 * kernel_rows.c - rows of the kernel matrix of a subproblem, cached
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/kernel_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"

/* Vectors a task meets: tens of microseconds of work. */
#define TASK_VECTORS 512

/* Room for what is fetched at once, and as much again to keep. */
#define LEAST_SLOTS (2 * KERNEL_TILE_ROWS)

void kernel_rows_free(struct kernel_rows *r)
{
	column_map_free(&r->columns);
	kernel_vectors_free(&r->vectors);
	free(r->row);
	free(r->slot_of);
	free(r->owner_of);
	free(r->recent);
	free(r->tile);
	free(r->norm2);
	*r = (struct kernel_rows){ 0 };
}

/*
 * Memory for the slots, or for half as many, and so on down to the least.  It is zeroed by
 * the system when first touched: slots never used cost nothing.
 */
static int get_rows(struct kernel_rows *r, int lanes, struct error *err)
{
	for (;;) {
		struct error failure = { 0 };

		r->row = mem_zeroed(r->n_slots * r->n_padded + lanes, sizeof(float), &failure);
		if (r->row)
			return 0;
		if (r->n_slots <= LEAST_SLOTS)
			return error_set(err, failure.code, "%s", failure.text);
		r->n_slots = r->n_slots / 2 > LEAST_SLOTS ? r->n_slots / 2 : LEAST_SLOTS;
	}
}

int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, double cache_mb,
		     int lanes, int n_threads, struct error *err)
{
	double fitting;

	*r = (struct kernel_rows){ .kernel = &p->kernel, .n = p->n, .n_threads = n_threads,
				   .n_padded = (p->n + lanes - 1) / lanes * lanes };
	fitting = cache_mb * 1048576 / ((double)r->n_padded * sizeof(float));
	r->n_slots = fitting < (double)p->n ? (int64_t)fitting : p->n;
	if (r->n_slots < LEAST_SLOTS)
		r->n_slots = LEAST_SLOTS;
	r->slot_of = mem_array(p->n, sizeof(*r->slot_of), err);
	r->owner_of = mem_array(r->n_slots, sizeof(*r->owner_of), err);
	r->recent = mem_zeroed(r->n_slots, sizeof(*r->recent), err);
	r->norm2 = mem_aligned(KERNEL_TILE_ROWS, sizeof(double), err);
	if (err->code != ERR_NONE || csr_gather(&r->vectors.x, p->x, p->row, p->n, err) < 0 ||
	    kernel_vectors_number_columns(&r->vectors, &r->columns, err) < 0 ||
	    kernel_vectors_prepare(&r->vectors, p->kernel.type, err) < 0)
		goto fail;
	r->tile = mem_aligned(r->columns.n * KERNEL_TILE_ROWS, sizeof(double), err);
	if (!r->tile || get_rows(r, lanes, err) < 0)
		goto fail;
	for (int64_t i = 0; i < p->n; i++)
		r->slot_of[i] = -1;
	return 0;
fail:
	kernel_rows_free(r);
	return -1;
}

/* Rows begin at a multiple of a vector, as n_padded is one of its floats. */
static float *slot_row(const struct kernel_rows *r, int64_t slot)
{
	size_t skipped = (32 - (uintptr_t)r->row % 32) % 32 / sizeof(float);

	return r->row + skipped + slot * r->n_padded;
}

const float *kernel_rows_get(struct kernel_rows *r, int64_t i)
{
	r->last = r->slot_of[i];
	r->recent[r->last] = true;
	return slot_row(r, r->last);
}

static int64_t free_slot(struct kernel_rows *r)
{
	int64_t slot;

	if (r->n_used < r->n_slots)
		return r->n_used++;
	while (r->recent[r->hand] || r->hand == r->last) {
		r->recent[r->hand] = false;
		r->hand = (r->hand + 1) % r->n_slots;
	}
	slot = r->hand;
	r->hand = (r->hand + 1) % r->n_slots;
	r->slot_of[r->owner_of[slot]] = -1;
	return slot;
}

static void fill_tile(struct kernel_rows *r, const int64_t *example, int n, bool clear)
{
	const struct csr *x = &r->vectors.x;

	for (int lane = 0; lane < n; lane++) {
		int64_t i = example[lane];

		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			r->tile[(int64_t)x->col[k] * KERNEL_TILE_ROWS + lane] =
				clear ? 0 : x->val[k];
		r->norm2[lane] = r->vectors.norm2 ? r->vectors.norm2[i] : 0;
	}
}

struct fetching {
	struct kernel_rows *r;
	int n;
	float *row[KERNEL_TILE_ROWS];
};

static void fetch_task(void *arg, int64_t task, int thread)
{
	const struct fetching *f = arg;
	const struct kernel_rows *r = f->r;
	double values[64 * KERNEL_TILE_ROWS] __attribute__((aligned(KERNEL_TILE_ALIGNMENT)));
	int64_t end = (task + 1) * TASK_VECTORS < r->n ? (task + 1) * TASK_VECTORS : r->n;

	(void)thread;
	for (int64_t first = task * TASK_VECTORS; first < end; first += 64) {
		int64_t last = first + 64 < end ? first + 64 : end;

		kernel_tile_values(r->kernel, &r->vectors, first, last, r->tile, r->norm2, values);
		for (int lane = 0; lane < f->n; lane++)
			for (int64_t v = first; v < last; v++)
				f->row[lane][v] =
					(float)values[(v - first) * KERNEL_TILE_ROWS + lane];
	}
}

void kernel_rows_fetch(struct kernel_rows *r, const int64_t *example, int n)
{
	struct fetching f = { .r = r, .n = n };

	for (int lane = 0; lane < n; lane++) {
		int64_t slot = free_slot(r);

		r->slot_of[example[lane]] = slot;
		r->owner_of[slot] = example[lane];
		r->recent[slot] = true;
		f.row[lane] = slot_row(r, slot);
	}
	fill_tile(r, example, n, false);
	thread_parallel_for(r->n_threads, (r->n + TASK_VECTORS - 1) / TASK_VECTORS, fetch_task, &f);
	fill_tile(r, example, n, true);
}

void kernel_rows_diagonal(const struct kernel_rows *r, double *diagonal)
{
	const struct kernel *k = r->kernel;

	for (int64_t i = 0; i < r->n; i++) {
		double dot = csr_row_norm2(&r->vectors.x, i);

		switch (k->type) {
		case KERNEL_RBF:
			diagonal[i] = 1;
			break;
		case KERNEL_POLYNOMIAL:
			diagonal[i] = pow(k->gamma * dot + k->coef0, k->degree);
			break;
		case KERNEL_SIGMOID:
			diagonal[i] = tanh(k->gamma * dot + k->coef0);
			break;
		default:
			diagonal[i] = dot;
			break;
		}
	}
}
