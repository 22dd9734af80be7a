/*
 * float_source.c - kernel values in single precision, computed when they are wanted
 *
 * Rows: members in tiles of 64 (kernel/float_tile.h), each of which is filled once and meets all
 * rows wanted.  Tasks are shared among threads by members; a thread owns its tile.
 *
 * Sums: float_vectors_sums(), in doubles every few vectors.
 *
 * How rows are made.  A tile has the entries of 64 members by columns; its elements are 0 between
 * two uses, and each use writes and wipes the entries of its members alone:
 *
 *      for 64 members:    (1) fill the tile     O(entries of the members)
 *                         (2) meet all rows     O(entries of the rows wanted), times 64 lanes
 *                         (3) clear the tile    O(entries of the members)
 *
 * So the cost of (1) and (3) is shared by all rows that are fetched together, which is why sources
 * ask for KERNEL_ROWS_AT_ONCE.  A task has KERNEL_ROWS_TASK members, and writes to columns of the
 * output that no other task writes to.
 *
 * matrix_source.c and class_tiles.c use these functions for what their own tables do not have.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/float_source.h"

#include "base/thread.h"
#include "kernel/float_sums.h"

/* ---- rows ---- */

/*
 * Make a tile for each thread; after a failure float_source_close_rows() releases those that were
 * made.
 */
int float_source_open_rows(struct kernel_rows *r, struct error *err)
{
	const struct float_vectors *x_float = r->source->x_float;
	struct float_tile *tile = r->state = mem_zeroed(r->n_threads, sizeof(*tile), err);

	if (!tile)
		return -1;
	for (int t = 0; t < r->n_threads; t++)
		if (float_tile_init(&tile[t], x_float, err) < 0)
			return -1;
	return 0;
}

void float_source_close_rows(struct kernel_rows *r)
{
	struct float_tile *tile = r->state;

	for (int t = 0; tile && t < r->n_threads; t++)
		float_tile_give_back(&tile[t], r->source->x_float);
	mem_free(tile);
}

/* Arguments of the tasks that fetch rows; read only. */
struct fetching {
	const struct kernel_rows *r;
	const struct row_request *q;
	struct float_vectors wanted; /* rows wanted, gathered to lie side by side */
};

/*
 * Values of all rows wanted with the members in the tile, from 'first' on: a multiple of
 * FLOAT_TILE_LANES, or of KERNEL_ROWS_LANES where rows are extended, as aligned as the values that
 * are written must be.
 */
static void meet_tile(const struct fetching *f, const struct float_tile *tile, int64_t first)
{
	float *out[KERNEL_ROWS_AT_ONCE];

	for (int64_t v = 0, last; v < f->q->n; v = last) {
		last = int64_min(v + KERNEL_ROWS_AT_ONCE, f->q->n);
		for (int64_t u = v; u < last; u++)
			out[u - v] = (float *)f->q->out[u] + first;
		float_tile_values(&f->wanted, v, last, tile, out);
	}
}

static void fetch_task(void *arg, int64_t task, int thread)
{
	const struct fetching *f = arg;
	const struct float_vectors *x_float = f->r->source->x_float;
	struct float_tile *tile = (struct float_tile *)f->r->state + thread;
	const int64_t *row = f->q->over->row;
	int64_t first = f->q->first + task * KERNEL_ROWS_TASK;
	int64_t end = int64_min(first + KERNEL_ROWS_TASK, f->q->over->n);

	for (; first < end; first += FLOAT_TILE_LANES) {
		int lanes = (int)int64_min(end - first, FLOAT_TILE_LANES);

		/*
		 * steps (1) to (3) of the head: the tile is empty before and after the values are
		 * computed
		 */
		float_tile_fill(tile, x_float, row, first, lanes);
		meet_tile(f, tile, first);
		float_tile_clear(tile, x_float, row, first, lanes);
	}
}

/* Gather the rows wanted, by their numbers in x, into f->wanted. */
static int gather_wanted(struct fetching *f, struct error *err)
{
	const struct row_request *q = f->q;
	int64_t *row = mem_array(q->n, sizeof(*row), err);
	int ret = -1;

	for (int64_t v = 0; row && v < q->n; v++)
		row[v] = f->r->p->row[q->wanted[v]];
	if (row)
		ret = float_vectors_gather(&f->wanted, f->r->source->x_float, row, q->n, err);
	mem_free(row);
	return ret;
}

int float_source_fetch_rows(const struct kernel_rows *r, const struct row_request *q,
			    struct error *err)
{
	struct fetching f = { .r = r, .q = q };
	int ret = gather_wanted(&f, err);

	if (ret == 0)
		thread_parallel_for(r->n_threads,
				    int64_blocks(q->over->n - q->first, KERNEL_ROWS_TASK),
				    fetch_task, &f);
	float_vectors_count(r->source->x_float, q->n * (q->over->n - q->first));
	float_vectors_free(&f.wanted);
	return ret;
}

/* ---- sums ---- */

/* s->state becomes the support vectors in floats, gathered to lie side by side. */
int float_source_open_sums(struct kernel_sums *s, struct error *err)
{
	struct float_vectors *vectors = s->state = mem_zeroed(1, sizeof(*vectors), err);
	int64_t *row = vectors ? kernel_sums_take_rows(s) : NULL;
	int ret = -1;

	if (vectors)
		ret = float_vectors_gather(vectors, s->source->x_float, row, s->n_vectors, err);
	if (vectors)
		vectors->exact_sums = s->exact;
	mem_free(row);
	return ret;
}

void float_source_close_sums(struct kernel_sums *s)
{
	if (s->state)
		float_vectors_free(s->state);
	mem_free(s->state);
}

int float_source_sum_rows(const struct kernel_sums *s, const struct sum_request *q,
			  struct error *err)
{
	const struct float_rows rows = { s->source->x_float, q->row, q->n };

	return float_vectors_sums(rows, s->state, s->coef, q->value, q->n_threads, err);
}

static const struct kernel_source_type float_type = {
	.open_rows = float_source_open_rows,
	.close_rows = float_source_close_rows,
	.fetch_rows = float_source_fetch_rows,
	.open_sums = float_source_open_sums,
	.close_sums = float_source_close_sums,
	.sum = kernel_sums_by_looks,
	.sum_rows = float_source_sum_rows,
};

struct kernel_source float_source_make(const struct float_vectors *x_float,
				       const struct kernel_source *doubles)
{
	return (struct kernel_source){
		.type = &float_type,
		.in_doubles = doubles,
		.x_float = x_float,
		.diagonal = doubles->diagonal,
		.diagonal_step = doubles->diagonal_step,
		.in_floats = true,
	};
}
