/*
 * kernel_matrix_mapped.c - the kernel matrix of some thousand rows, from their products
 *
 * Of several kernels of the same rows the products x.z are the same; what differs is a function of
 * a product, and of two norms.  A task has a tile of 16 rows, as in kernel_matrix_doubles.c:
 *
 *     (1)  the products of vectors v, from the tile's first row on, with the 16 rows go to the
 *          scratch memory: [64][16] values
 *     (2)  become kernel values there, by the loops that kernel_matrix_doubles.c's values come from
 *     (3)  and go to row v, column of the lane, and to row of the lane, column v.
 *
 * The lanes of the last tile that have no row are 0, and so have finite values.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "kernel/kernel_matrix.h"
#include "kernel/kernel_tile.h"

enum { LANES = KERNEL_TILE_ROWS };

/* Vectors that meet a tile at a time: their kernel values are 8 kB. */
#define VECTORS_AT_ONCE 64

/* Arguments of the tasks: read only, except 'value' and the thread's own scratch memory. */
struct mapping {
	const struct kernel *kernel;
	const double *product, *norm2;
	int64_t n;
	double *value;
	double **
		scratch; /* of each thread: norms of a tile's lanes, then [VECTORS_AT_ONCE][LANES] */
};

/* Steps (1) to (3) of the head for one tile. */
static void map_task(void *arg, int64_t task, int thread)
{
	const struct mapping *m = arg;
	double *norm2 = m->scratch[thread], *block = norm2 + LANES;
	int64_t first = task * LANES, n = m->n;
	int lanes = (int)int64_min(n - first, LANES);

	memset(norm2, 0, (size_t)(1 + VECTORS_AT_ONCE) * LANES * sizeof(*norm2));
	if (m->norm2)
		memcpy(norm2, m->norm2 + first, (size_t)lanes * sizeof(*norm2));
	for (int64_t v = first, end; v < n; v = end) {
		end = int64_min(v + VECTORS_AT_ONCE, n);
		for (int64_t u = v; u < end; u++)
			memcpy(block + (u - v) * LANES, m->product + u * n + first,
			       (size_t)lanes * sizeof(*block));
		kernel_tile_of_dots(m->kernel, m->norm2 ? m->norm2 + v : NULL, end - v, norm2,
				    block);
		for (int64_t u = v; u < end; u++)
			memcpy(m->value + u * n + first, block + (u - v) * LANES,
			       (size_t)lanes * sizeof(*block));
		for (int lane = 0; lane < lanes; lane++)
			for (int64_t u = v; u < end; u++)
				m->value[(first + lane) * n + u] = block[(u - v) * LANES + lane];
	}
}

int kernel_matrix_init_mapped(struct kernel_matrix *m, const struct kernel_matrix *products,
			      const double *norm2, const struct kernel *kernel, int n_threads,
			      struct error *err)
{
	int64_t n = products->n, n_tasks = int64_blocks(n, LANES);
	struct mapping mapping = { kernel, products->double_value, norm2, n, NULL, NULL };

	n_threads = thread_clamp_count((int)int64_min(n_threads, n_tasks));
	*m = (struct kernel_matrix){ .n = n, .stride = n };
	m->wide_own = mem_large(n * n, sizeof(*m->wide_own), err);
	m->double_value = mapping.value = m->wide_own;
	mapping.scratch = mem_zeroed(n_threads, sizeof(*mapping.scratch), err);
	for (int t = 0; mapping.scratch && t < n_threads; t++)
		mapping.scratch[t] =
			mem_aligned((1 + VECTORS_AT_ONCE) * LANES, sizeof(double), err);
	if (err->code == ERR_NONE)
		thread_parallel_for(n_threads, n_tasks, map_task, &mapping);
	for (int t = 0; mapping.scratch && t < n_threads; t++)
		mem_free(mapping.scratch[t]);
	mem_free(mapping.scratch);
	if (err->code == ERR_NONE)
		return 0;
	kernel_matrix_free(m);
	return -1;
}
