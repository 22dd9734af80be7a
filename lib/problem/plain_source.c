/*
 * plain_source.c - kernel values in double precision, computed when they are wanted
 *
 * Rows: members in tiles of 16, each of which meets all rows wanted.  A problem_is_stepwise() gets
 * them rounded to floats, and its tiles are kept.  Tasks are shared among threads by members; a
 * thread owns its scratch.
 *
 * Sums: by an expansion (kernel/expansion.h), which for a linear kernel is one vector of weights.
 *
 * How rows are made.  x is renumbered to the columns that occur, and a tile is 16 examples by all
 * of these columns, transposed:
 *
 *      tile   element[column * 16 + lane]      lane l is example over->example[first + l]
 *
 *      wanted row 1 \
 *      wanted row 2  >  meet the tile: 16 values each, by one pass over the row's entries
 *      wanted row 3 /
 *
 *  (1) fill_tile() writes the entries of 16 examples, in O(their entries);
 *  (2) meet_tile() lets all wanted rows meet it, ROWS_A_CALL at a time;
 *  (3) fill_tile() with 'clear' wipes the same entries, so a tile is all 0 between two uses and is
 *      never cleared as a whole.
 *
 * A value depends on its two rows alone, not on the lane, the tile or the rows that are wanted
 * together.  Tiles that are kept skip (1) and (3): all examples are then members, each in its
 * place.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/thread.h"
#include "kernel/expansion.h"
#include "kernel/kernel_lanes.h"
#include "problem/problem.h"

/*
 * Rows fetched at once where steps begin with all multipliers 0 and all examples: which rows will
 * be wanted is a poor guess then, but tiles are loaded once for several.  With 1, 4 and 8 at once
 * madelon (500 columns) takes .85, .63 and .71 s, a9a@5000 (14 entries a row) .16, .13 and .17.
 */
#define STEPWISE_AT_ONCE 4

/*
 * Bytes up to which the tiles of a problem_is_stepwise() are kept: 8,192 examples of 1,024 columns.
 */
#define MOST_KEPT (64 << 20)

/* Rows that meet a tile in one call, and tiles that one task fills. */
#define ROWS_A_CALL 4
#define FILLING_TILES 32

/* ---- rows ---- */

struct plain_rows {
	struct kernel_lanes *scratch; /* scratch tile of each thread */
	/* all rows of the problem by themselves, and the numbers of the columns that they have */
	struct kernel_vectors vectors;
	struct column_map columns;
	/* tiles of all examples, if problem_is_stepwise() and the tiles fit MOST_KEPT; else NULL */
	double *kept;
};

/* Write an example into a lane of a tile, or with 'clear' zeros in its place. */
static void fill_lane(const struct plain_rows *s, double *tile, int64_t i, int lane, bool clear)
{
	const struct csr *x = &s->vectors.x;

	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
		tile[(int64_t)x->col[k] * KERNEL_TILE_ROWS + lane] = clear ? 0 : x->val[k];
}

/* Tile of example i, followed by the tiles of later examples, among the kept tiles. */
static double *kept_tile(const struct plain_rows *s, int64_t i)
{
	return s->kept + i * s->columns.n;
}

/* Task: fill FILLING_TILES kept tiles, which no other task writes to. */
static void keep_task(void *arg, int64_t task, int thread UNUSED)
{
	const struct plain_rows *s = arg;
	const int64_t n = FILLING_TILES * KERNEL_TILE_ROWS, first = task * n;
	int64_t end = int64_min(first + n, s->vectors.x.n_rows);

	/* zeros are the columns absent from a row, and the lanes behind the last example */
	memset(kept_tile(s, first), 0,
	       (size_t)((kernel_rows_padded(end) - first) * s->columns.n) * sizeof(double));
	for (int64_t i = first; i < end; i++) {
		int lane = (int)(i % KERNEL_TILE_ROWS);

		fill_lane(s, kept_tile(s, i - lane), i, lane, false);
	}
}

/* Keep the tiles of all examples, filled once, as all examples are members of each row. */
static int keep_tiles(struct plain_rows *s, int n_threads, struct error *err)
{
	int64_t n = s->vectors.x.n_rows, n_values = kernel_rows_padded(n) * s->columns.n;

	/* larger tiles are filled anew for each request, in the scratch of the threads */
	if (n_values > MOST_KEPT / (int64_t)sizeof(double))
		return 0;
	s->kept = mem_aligned(n_values, sizeof(double), err);
	if (!s->kept)
		return -1;
	thread_parallel_for(n_threads, int64_blocks(n, FILLING_TILES * KERNEL_TILE_ROWS), keep_task,
			    s);
	return 0;
}

/* Open rows; after a failure close_rows() releases r->state, as far as it was made. */
static int open_rows(struct kernel_rows *r, struct error *err)
{
	const struct problem_view *p = r->p;
	struct plain_rows *s = r->state = mem_zeroed(1, sizeof(*s), err);

	if (!s)
		return -1;
	s->scratch = mem_zeroed(r->n_threads, sizeof(*s->scratch), err);
	/* all rows of the problem, with columns renumbered: tiles have only columns that occur */
	if (!s->scratch || csr_gather(&s->vectors.x, p->x, p->row, p->n, err) < 0 ||
	    kernel_vectors_number_columns(&s->vectors, &s->columns, err) < 0 ||
	    kernel_vectors_prepare(&s->vectors, &p->kernel, err) < 0 ||
	    (!r->in_doubles && keep_tiles(s, r->n_threads, err) < 0))
		return -1;
	for (int t = 0; t < r->n_threads; t++)
		if (kernel_lanes_init(&s->scratch[t], s->columns.n, err) < 0)
			return -1;
	return 0;
}

static void close_rows(struct kernel_rows *r)
{
	struct plain_rows *s = r->state;

	if (!s)
		return;
	for (int t = 0; s->scratch && t < r->n_threads; t++)
		kernel_lanes_free(&s->scratch[t]);
	mem_free_all(s->scratch, s->kept);
	column_map_free(&s->columns);
	kernel_vectors_free(&s->vectors);
	mem_free(s);
}

static int rows_at_once(const struct kernel_rows *r, const struct row_members *over UNUSED)
{
	return r->in_doubles ? KERNEL_ROWS_AT_ONCE : STEPWISE_AT_ONCE;
}

/* Arguments of the threads that fetch rows. */
struct plain_fetching {
	const struct kernel_rows *r;
	const struct plain_rows *s;
	const struct row_request *q;
	struct kernel_vectors wanted; /* rows wanted, gathered side by side */
};

/*
 * Write the examples from member 'first' on into a thread's tile, or with 'clear' zeros in their
 * place.
 */
static void fill_tile(const struct plain_fetching *f, struct kernel_lanes *lanes, int64_t first,
		      bool clear)
{
	const struct problem_view *p = f->r->p;
	const struct row_members *over = f->q->over;
	const double *norm2 = f->s->vectors.norm2;
	int n = (int)int64_min(over->n - first, KERNEL_TILE_ROWS);

	for (int lane = 0; lane < n; lane++) {
		int64_t i = over->example[first + lane];

		fill_lane(f->s, lanes->element, i, lane, clear);
		kernel_lanes_set(lanes, &p->kernel, lane, csr_row_of(p->x, p->row[i]),
				 norm2 ? norm2[i] : 0, clear);
	}
}

/* Store 16 values of wanted row v with members from 'first' on; rows are padded to whole tiles. */
static void store(const struct plain_fetching *f, int64_t v, int64_t first, const double *value)
{
	float *narrow = (float *)f->q->out[v] + first;

	if (f->r->in_doubles)
		memcpy((double *)f->q->out[v] + first, value, KERNEL_TILE_ROWS * sizeof(*value));
	/* values are rounded to floats only here, after sums in doubles */
	for (int l = 0; !f->r->in_doubles && l < KERNEL_TILE_ROWS; l++)
		narrow[l] = (float)value[l];
}

/* Values of all rows wanted with the tile of member 'first', step (2). */
static void meet_tile(const struct plain_fetching *f, const struct kernel_lanes *lanes,
		      int64_t first)
{
	double value[ROWS_A_CALL * KERNEL_TILE_ROWS]
		__attribute__((aligned(KERNEL_TILE_ALIGNMENT)));

	/* ROWS_A_CALL rows at a time: 'value' stays in the first-level cache until stored */
	for (int64_t v = 0, last; v < f->q->n; v = last) {
		last = int64_min(v + ROWS_A_CALL, f->q->n);
		kernel_lanes_values(&f->r->p->kernel, &f->wanted, v, last, lanes, value);
		for (int64_t u = v; u < last; u++)
			store(f, u, first, value + (u - v) * KERNEL_TILE_ROWS);
	}
}

static void fetch_task(void *arg, int64_t task, int thread)
{
	const struct plain_fetching *f = arg;
	struct kernel_lanes *scratch = &f->s->scratch[thread];
	/* lanes that are kept are of no rbf kernel: norms are not needed */
	struct kernel_lanes kept = { 0 };
	bool is_kept = f->s->kept && f->q->over->in_place;
	int64_t first = f->q->first + task * KERNEL_ROWS_TASK;
	int64_t end = int64_min(first + KERNEL_ROWS_TASK, f->q->over->n);

	for (; first < end; first += KERNEL_TILE_ROWS) {
		/*
		 * kept tiles need neither (1) nor (3): with all members in place, lane l is example
		 * first + l
		 */
		if (is_kept) {
			kept.element = kept_tile(f->s, first);
			meet_tile(f, &kept, first);
			continue;
		}
		/* steps (1) to (3) of the head: the thread's tile is all 0 before and after them */
		fill_tile(f, scratch, first, false);
		meet_tile(f, scratch, first);
		fill_tile(f, scratch, first, true);
	}
}

static int fetch_rows(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	struct plain_fetching f = { .r = r, .s = r->state, .q = q };
	/* the rows wanted, side by side, with the column numbers of the tiles */
	int ret = csr_gather(&f.wanted.x, &f.s->vectors.x, q->wanted, q->n, err);

	/* rows far from 0 need the original columns */
	f.wanted.column = f.s->vectors.column;
	if (ret == 0)
		ret = kernel_vectors_prepare(&f.wanted, &r->p->kernel, err);
	if (ret == 0)
		thread_parallel_for(r->n_threads,
				    int64_blocks(q->over->n - q->first, KERNEL_ROWS_TASK),
				    fetch_task, &f);
	work_count(WORK_DOUBLES, q->n * (q->over->n - q->first));
	kernel_vectors_free(&f.wanted);
	return ret;
}

/* ---- sums ---- */

struct plain_sums {
	struct expansion expansion;
	struct csr vectors; /* support vectors, where the expansion borrows them */
};

static int open_sums(struct kernel_sums *s, struct error *err)
{
	const struct problem_view *p = s->p;
	struct plain_sums *own = s->state = mem_zeroed(1, sizeof(*own), err);
	int64_t *row = own ? kernel_sums_take_rows(s) : NULL;
	int ret = -1;

	if (own && csr_gather(&own->vectors, p->x, row, s->n_vectors, err) == 0)
		ret = expansion_take(&own->expansion, &p->kernel, &own->vectors, s->coef, err);
	mem_free(row);
	return ret;
}

static void close_sums(struct kernel_sums *s)
{
	struct plain_sums *own = s->state;

	if (!own)
		return;
	expansion_free(&own->expansion);
	csr_free(&own->vectors);
	mem_free(own);
}

/* A sum costs a kernel value for each row and vector, so an end may be asked for between parts. */
static int sum_rows(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct plain_sums *own = s->state;

	/* of a linear kernel the vectors are one, of weights: less than a solver's pass */
	if (s->p->kernel.type != KERNEL_LINEAR)
		work_count(WORK_DOUBLES, q->n * s->n_vectors);
	return expansion_evaluate_rows(&own->expansion, csr_view(s->p->x, q->row, q->n), q->value,
				       q->n_threads, err);
}

static const struct kernel_source_type plain_type = {
	.open_rows = open_rows,
	.close_rows = close_rows,
	.rows_at_once = rows_at_once,
	.fetch_rows = fetch_rows,
	.open_sums = open_sums,
	.close_sums = close_sums,
	.sum = kernel_sums_by_looks,
	.sum_rows = sum_rows,
};

const struct kernel_source plain_source = { .type = &plain_type };

struct kernel_source plain_source_with(const double *diagonal)
{
	return (struct kernel_source){ .type = &plain_type,
				       .diagonal = diagonal,
				       .diagonal_step = 1 };
}
