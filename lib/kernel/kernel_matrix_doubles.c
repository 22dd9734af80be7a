/*
 * kernel_matrix_doubles.c - the kernel matrix of some thousand rows, in double precision
 *
 * Vectors meet tiles of 16 rows, in which each column that occurs has an element:
 *
 *                         rows of tile t
 *     vectors from its    K(x_v, x_t) ...     as they are, and transposed
 *     first row on
 *
 * A sum has the order of the columns in the data, and rounds without fused multiply-add; products
 * commute, and so do the squared norms that an rbf kernel adds.  So K(x, z) and K(z, x) are the
 * same bits, and a vector and a row may change places; squares of differences are the same too.
 *
 * The tasks are the tiles, which write to different parts of the matrix.
 *
 * What it wins in bench/landscape where pairs share it (CPU seconds of one thread, with it and
 * without): nci60, orl (more columns than rows) .02 to .07 and 1.2 to 11 times as much; hapmap279
 * -t 0 .15 and .64; mnist.part1@2000 -t 0 -c 100 .08 and .81; 20news-bydate@2000 -t 0 .11 and .65.
 *
 * A task, for tile t with rows first .. first + 15:
 *
 *  (1) fill the tile with its rows;
 *  (2) vectors v >= first meet it, 64 at a time, into scratch memory: [64][16] values;
 *  (3) each value goes to row v, column of the lane, and
 *  (4) to row of the lane, column v, in loops of their own, so that each writes along rows;
 *  (5) wipe the tile.
 *
 * The diagonal block is written twice, with equal bits.  Tasks with low numbers have more vectors;
 * as threads take tasks one by one, the long ones come first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "kernel/kernel_lanes.h"
#include "kernel/kernel_matrix.h"

/* Vectors that meet a tile in one call: their kernel values are 8 kB. */
#define VECTORS_AT_ONCE 64

/* Arguments of the tasks: read only, except 'value' and the thread's own lanes. */
struct wide_filling {
	const struct kernel *kernel;
	const struct csr *x;
	struct kernel_vectors vectors; /* vectors with numbered columns */
	struct column_map columns;
	int64_t n;
	double *value;
	int n_threads;
	struct kernel_lanes *lanes; /* tile of each thread */
};

/* Write rows into the tile, or with 'clear' zeros in their place. */
static void fill_tile(const struct wide_filling *f, struct kernel_lanes *lanes, int64_t first,
		      int n, bool clear)
{
	for (int lane = 0; lane < n; lane++)
		kernel_lanes_fill(lanes, f->kernel, &f->columns, lane,
				  csr_row_of(f->x, first + lane), clear);
}

/*
 * Steps (1) to (5) of the head for one tile; the blocks that a task writes belong to no other task.
 */
static void fill_task(void *arg, int64_t task, int thread)
{
	const struct wide_filling *f = arg;
	struct kernel_lanes *tile = &f->lanes[thread];
	int64_t first = task * KERNEL_TILE_ROWS, n = f->n;
	int lanes = (int)int64_min(n - first, KERNEL_TILE_ROWS);
	double value[VECTORS_AT_ONCE * KERNEL_TILE_ROWS]
		__attribute__((aligned(KERNEL_TILE_ALIGNMENT)));

	fill_tile(f, tile, first, lanes, false);
	for (int64_t v = first, end; v < n; v = end) {
		end = int64_min(v + VECTORS_AT_ONCE, n);
		kernel_lanes_values(f->kernel, &f->vectors, v, end, tile, value);
		for (int64_t u = v; u < end; u++)
			memcpy(f->value + u * n + first, value + (u - v) * KERNEL_TILE_ROWS,
			       (size_t)lanes * sizeof(*value));
		for (int lane = 0; lane < lanes; lane++)
			for (int64_t u = v; u < end; u++)
				f->value[(first + lane) * n + u] =
					value[(u - v) * KERNEL_TILE_ROWS + lane];
	}
	fill_tile(f, tile, first, lanes, true);
}

/* A copy of the rows, whose columns are numbered, and the threads' memory, with empty tiles. */
static int prepare(struct wide_filling *f, struct error *err)
{
	const struct csr *x = f->x;

	if (csr_append(&f->vectors.x, x->n_rows, x->row_start, x->col, x->val, err) < 0 ||
	    kernel_vectors_number_columns(&f->vectors, &f->columns, err) < 0 ||
	    kernel_vectors_prepare(&f->vectors, f->kernel, err) < 0)
		return -1;
	f->lanes = mem_zeroed(f->n_threads, sizeof(*f->lanes), err);
	for (int t = 0; f->lanes && t < f->n_threads; t++)
		kernel_lanes_init(&f->lanes[t], f->columns.n, err);
	return err->code == ERR_NONE ? 0 : -1;
}

static void filling_free(struct wide_filling *f)
{
	for (int t = 0; f->lanes && t < f->n_threads; t++)
		kernel_lanes_free(&f->lanes[t]);
	mem_free(f->lanes);
	column_map_free(&f->columns);
	kernel_vectors_free(&f->vectors);
}

int kernel_matrix_refill_doubles(struct kernel_matrix *m, const struct csr *x,
				 const struct kernel *kernel, int n_threads, struct error *err)
{
	const int64_t n_tasks = int64_blocks(m->n, KERNEL_TILE_ROWS);
	struct wide_filling f = { .kernel = kernel,
				  .x = x,
				  .n = m->n,
				  .value = m->wide_own,
				  .n_threads =
					  thread_clamp_count((int)int64_min(n_threads, n_tasks)) };

	if (prepare(&f, err) == 0)
		thread_parallel_for(f.n_threads, n_tasks, fill_task, &f);
	filling_free(&f);
	return err->code == ERR_NONE ? 0 : -1;
}

int kernel_matrix_init_doubles(struct kernel_matrix *m, const struct csr *x,
			       const struct kernel *kernel, int n_threads, struct error *err)
{
	*m = (struct kernel_matrix){ .n = x->n_rows, .stride = x->n_rows };
	m->double_value = m->wide_own = mem_large(m->n * m->n, sizeof(*m->wide_own), err);
	if (m->wide_own && kernel_matrix_refill_doubles(m, x, kernel, n_threads, err) == 0)
		return 0;
	kernel_matrix_free(m);
	return -1;
}
