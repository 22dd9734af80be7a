/*
 * kernel_matrix.c - the kernel matrix of some thousand rows, in single precision
 *
 * Two ways, by the shape of the rows:
 *
 *     up to as many columns     Tiles of all rows together are no larger than the matrix, and are
 *     as rows                   kept.  A row then costs its kernel values and nothing else, and
 *                               rows that never become support vectors are not computed.
 *
 *     more columns              In so many dimensions most rows become support vectors.  All
 *                               blocks of 64 x 64 on or below the diagonal are computed,
 *
 *                                           columns of tile t
 *                                   row v   K(x_v, x_t) ...     as they are, and transposed
 *
 *                               each tile being filled once.  A task is the blocks of one tile;
 *                               different tasks write to different parts of the matrix.
 *
 * Layout.  Row i of the matrix is at row[i], which is NULL until row i is known.  Rows are placed
 * in 'value' in the order in which they become known, 'stride' floats apart:
 *
 *      value    [ row 17 | row 3 | row 42 |  n_known = 3; memory not touched yet ... ]
 *      row[3]   = value + stride,  row[17] = value,  all others NULL
 *
 * The address space is taken at once, pages of it become memory as rows are written.
 *
 *  (1) Row by row.  Tiles hold all rows of x, 64 to a tile, and are filled with the first fetch.
 *      The n rows of a fetch meet each tile, and write their values to the next n places of
 *      'value'.  A task is TASK_TILES tiles; different tasks write to different columns of the same
 *      rows.
 *  (2) All rows.  A task fills its tile t and lets it meet the blocks b = t, t + 1, ... of vectors.
 *      Block (b, t) is stored as it is, and transposed as block (t, b) unless b = t: half of the
 *      kernel values are computed.  No two tasks share a block, so there is no lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/kernel_matrix.h"

#include "base/mem.h"
#include "base/thread.h"
#include "kernel/float_sums.h"
#include "kernel/kernel_lanes.h"

/* Tiles that a task of (1) meets, and number of rows fetched from which on threads pay. */
#define TASK_TILES 8
#define THREADS_FROM 8

enum { TILE_LANES = FLOAT_TILE_LANES };

/* Number of tiles that hold all rows, the last of which may have fewer. */
static int64_t count_tiles(const struct kernel_matrix *m)
{
	return int64_blocks(m->n, TILE_LANES);
}

/* Bytes of the elements of a tile: TILE_LANES for each column, in floats or in doubles. */
static size_t tile_bytes(const struct float_vectors *x)
{
	return (size_t)(x->n_cols * TILE_LANES * float_vectors_size(x));
}

/* Number of rows in a tile: TILE_LANES, but the last tile may have fewer. */
static int lanes_of(const struct kernel_matrix *m, int64_t tile)
{
	return (int)int64_min(m->n - tile * TILE_LANES, TILE_LANES);
}

/*
 * Are rows computed one by one, as (1) does? Tiles of all rows are then no larger than the matrix.
 */
static bool suits_tiles(const struct float_vectors *x)
{
	return x->n_cols <= x->n;
}

double kernel_matrix_bytes(const struct float_vectors *x)
{
	double n = (double)int64_round_up(x->n, TILE_LANES);

	return n * n * sizeof(float) +
	       (suits_tiles(x) ? n / TILE_LANES : 1) * (double)tile_bytes(x);
}

int kernel_matrix_init(struct kernel_matrix *m, const struct float_vectors *x, int n_threads,
		       struct error *err)
{
	*m = (struct kernel_matrix){ .x = x,
				     .n_threads = thread_clamp_count(n_threads),
				     .n = x->n,
				     .stride = int64_round_up(x->n, FLOAT_GROUP) };
	m->value = mem_large(m->n * m->stride, sizeof(*m->value), err);
	m->row = mem_zeroed(m->n, sizeof(*m->row), err);
	if (m->value && m->row)
		return 0;
	kernel_matrix_free(m);
	return -1;
}

void kernel_matrix_free(struct kernel_matrix *m)
{
	if (m->tile)
		mem_free(m->tile[0].half_norm2);
	mem_free_all(m->tile, m->element, m->value, m->row, m->wide_own, m->object, m->diagonal);
	*m = (struct kernel_matrix){ 0 };
}

int kernel_matrix_values(const struct kernel_matrix *m, int64_t i, const int64_t *row, int64_t n,
			 double *value, struct error *err)
{
	if (m->asked)
		return asked_kernel_values(
			m->asked,
			(struct asked_row){
				.i = m->object[i], .n = n, .j = row, .object = m->object },
			value, err);
	for (int64_t k = 0; k < n; k++)
		value[k] = m->double_value[i * m->stride + row[k]];
	return 0;
}

/* ---- Row by row, from tiles that are kept ---- */

/*
 * Fill tiles with all rows of x, to be kept
 *
 * Elements and norms of all tiles are one allocation each.  The pointers of the first tile are
 * those to free, the other tiles point into the same memory.
 */
static int keep_tiles(struct kernel_matrix *m, struct error *err)
{
	int64_t n_tiles = count_tiles(m);
	const int64_t norms = TILE_LANES * float_vectors_norm_size(m->x); /* of a tile, in bytes */
	size_t bytes = tile_bytes(m->x);
	char *norm2;

	m->tile = mem_zeroed(n_tiles, sizeof(*m->tile), err);
	if (!m->tile)
		return -1;
	m->element = mem_large(n_tiles, bytes > 0 ? bytes : 1, err);
	m->tile[0].half_norm2 = norm2 = mem_aligned(n_tiles * norms, 1, err);
	if (err->code != ERR_NONE) /* kernel_matrix_free() releases what was allocated */
		return -1;
	memset(m->element, 0, (size_t)n_tiles * bytes);
	for (int64_t t = 0; t < n_tiles; t++) {
		m->tile[t] = (struct float_tile){ .element = (char *)m->element + (size_t)t * bytes,
						  .half_norm2 = norm2 + t * norms };
		float_tile_fill(&m->tile[t], m->x, NULL, t * TILE_LANES, lanes_of(m, t));
	}
	return 0;
}

/*
 * Rows to be fetched: where the next n rows lie in memory, and the vectors of these rows: first,
 * first + 1, ... of 'vectors'.
 */
struct fetching {
	struct kernel_matrix *m;
	int n;
	const struct float_vectors *vectors;
	int64_t first;
	float **out; /* n, of each task */
};

static void meet_task(void *arg, int64_t task, int thread UNUSED)
{
	const struct fetching *f = arg;
	int64_t first = task * TASK_TILES, end = int64_min(first + TASK_TILES, count_tiles(f->m));
	float **out = f->out + task * f->n; /* places that a tile's values go to */

	for (int64_t t = first; t < end; t++) {
		for (int u = 0; u < f->n; u++)
			out[u] = f->m->value + (f->m->n_known + u) * f->m->stride + t * TILE_LANES;
		float_tile_values(f->vectors, f->first, f->first + f->n, &f->m->tile[t], out);
	}
}

/* Fetch n rows.  One row is a vector of x itself; several are gathered, to lie side by side. */
static int fetch_rows(struct kernel_matrix *m, const int64_t *row, int n, struct error *err)
{
	int64_t n_tasks = int64_blocks(count_tiles(m), TASK_TILES);
	struct float_vectors some = { 0 };
	struct fetching f = { .m = m, .n = n, .vectors = m->x, .first = row[0] };
	int ret = -1;

	f.out = mem_array(n_tasks * n, sizeof(*f.out), err);
	if (!f.out || (n > 1 && float_vectors_gather(&some, m->x, row, n, err) < 0))
		goto out;
	if (n > 1) {
		f.vectors = &some;
		f.first = 0;
	}
	thread_parallel_for(n < THREADS_FROM ? 1 : m->n_threads, n_tasks, meet_task, &f);
	float_vectors_count(m->x, n * m->n);
	/* rows count as known only now that all of their values are there */
	for (int u = 0; u < n; u++)
		m->row[row[u]] = m->value + m->n_known++ * m->stride;
	ret = 0;
out:
	float_vectors_free(&some);
	mem_free(f.out);
	return ret;
}

/* ---- All rows, in blocks ---- */

/* Scratch memory of a thread that computes blocks of all rows, (2). */
struct block_scratch {
	struct float_tile tile;
	/*
	 * blocks of values, [TILE_LANES][TILE_LANES]: 'block' has a row for each vector, 'turned'
	 * for each lane
	 */
	float block[TILE_LANES * TILE_LANES] __attribute__((aligned(64)));
	float turned[TILE_LANES * TILE_LANES] __attribute__((aligned(64)));
};

struct filling {
	struct kernel_matrix *m;
	struct block_scratch *scratch; /* scratch memory of each thread */
};

/*
 * Store block (block, tile), and its transpose, (2)
 *
 * The transpose is made in groups of FLOAT_GROUP rows.  Whole groups are copied, also where fewer
 * lanes or vectors are left: the padding of a row has room for them, and they are finite.
 */
static void store_block(struct kernel_matrix *m, struct block_scratch *s, int64_t tile,
			int64_t block)
{
	int lanes = lanes_of(m, tile), n = lanes_of(m, block);
	const float *row[FLOAT_GROUP];

	for (int u = 0; u < n; u++)
		memcpy(m->value + (block * TILE_LANES + u) * m->stride + tile * TILE_LANES,
		       s->block + u * TILE_LANES,
		       (size_t)int64_round_up(lanes, FLOAT_GROUP) * sizeof(float));
	if (block == tile)
		return;
	for (int u = 0; u < TILE_LANES; u += FLOAT_GROUP) {
		for (int l = 0; l < FLOAT_GROUP; l++)
			row[l] = s->block + (u + l) * TILE_LANES;
		float_tile_transpose(row, TILE_LANES, s->turned + u);
	}
	for (int lane = 0; lane < lanes; lane++)
		memcpy(m->value + (tile * TILE_LANES + lane) * m->stride + block * TILE_LANES,
		       s->turned + lane * TILE_LANES,
		       (size_t)int64_round_up(n, FLOAT_GROUP) * sizeof(float));
}

/* One task of (2): all vectors from the vectors of tile 'task' on meet this tile, 64 at a time. */
static void fill_task(void *arg, int64_t task, int thread)
{
	const struct filling *f = arg;
	struct kernel_matrix *m = f->m;
	struct block_scratch *s = &f->scratch[thread];
	float *out[TILE_LANES];

	for (int u = 0; u < TILE_LANES; u++)
		out[u] = s->block + u * TILE_LANES;
	float_tile_fill(&s->tile, m->x, NULL, task * TILE_LANES, lanes_of(m, task));
	for (int64_t b = task; b < count_tiles(m); b++) {
		int n = lanes_of(m, b);

		/*
		 * the last block has n < TILE_LANES vectors: the padding in place of the others is
		 * made finite
		 */
		memset(out[0] + n * TILE_LANES, 0,
		       (size_t)(TILE_LANES - n) * TILE_LANES * sizeof(float));
		float_tile_values(m->x, b * TILE_LANES, b * TILE_LANES + n, &s->tile, out);
		store_block(m, s, task, b);
	}
	float_tile_clear(&s->tile, m->x, NULL, task * TILE_LANES, lanes_of(m, task));
	float_vectors_count(m->x, lanes_of(m, task) * (m->n - task * TILE_LANES));
}

/* Compute the whole matrix, (2): all rows become known at once, and scratch memory is released. */
static int fill_all(struct kernel_matrix *m, struct error *err)
{
	int64_t n_tiles = count_tiles(m);
	int n_threads = (int)int64_min(m->n_threads, n_tiles);
	struct filling f = { m, mem_aligned(n_threads, sizeof(*f.scratch), err) };

	for (int t = 0; f.scratch && t < n_threads; t++)
		float_tile_init(&f.scratch[t].tile, m->x, err);
	if (err->code == ERR_NONE) {
		thread_parallel_for(n_threads, n_tiles, fill_task, &f);
		for (; m->n_known < m->n; m->n_known++)
			m->row[m->n_known] = m->value + m->n_known * m->stride;
	}
	for (int t = 0; f.scratch && t < n_threads; t++)
		float_tile_give_back(&f.scratch[t].tile, m->x);
	mem_free(f.scratch);
	return err->code == ERR_NONE ? 0 : -1;
}

int kernel_matrix_fetch(struct kernel_matrix *m, const int64_t *row, int n, struct error *err)
{
	if (!suits_tiles(m->x))
		return fill_all(m, err);
	if (!m->element && keep_tiles(m, err) < 0)
		return -1;
	return fetch_rows(m, row, n, err);
}

/* ---- In double precision ---- */

/*
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
 *  (3) fill the tile with its rows;
 *  (4) vectors v >= first meet it, 64 at a time, into scratch memory: [64][16] values;
 *  (5) each value goes to row v, column of the lane, and
 *  (6) to row of the lane, column v, in loops of their own, so that each writes along rows;
 *  (7) wipe the tile.
 *
 * The diagonal block is written twice, with equal bits.  Tasks with low numbers have more vectors;
 * as threads take tasks one by one, the long ones come first.
 */

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

/*
 * Steps (3) to (7) for one tile; the blocks that a task writes belong to no other task.
 */
static void fill_wide_task(void *arg, int64_t task, int thread)
{
	const struct wide_filling *f = arg;
	const struct row_view rows = csr_view(f->x, NULL, f->n);
	struct kernel_lanes *tile = &f->lanes[thread];
	int64_t first = task * KERNEL_TILE_ROWS, n = f->n;
	int lanes = (int)int64_min(n - first, KERNEL_TILE_ROWS);
	double value[VECTORS_AT_ONCE * KERNEL_TILE_ROWS]
		__attribute__((aligned(KERNEL_TILE_ALIGNMENT)));

	kernel_lanes_fill(tile, f->kernel, &f->columns, &rows, first, lanes, false);
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
	kernel_lanes_fill(tile, f->kernel, &f->columns, &rows, first, lanes, true);
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
		thread_parallel_for(f.n_threads, n_tasks, fill_wide_task, &f);
	for (int t = 0; f.lanes && t < f.n_threads; t++)
		kernel_lanes_free(&f.lanes[t]);
	mem_free(f.lanes);
	column_map_free(&f.columns);
	kernel_vectors_free(&f.vectors);
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
