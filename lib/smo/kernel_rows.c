/*
 * kernel_rows.c - rows of the kernel matrix of a problem, over some of its examples
 *
 * Rows are computed by one of six ways, each the same kernel values whatever rows are asked for
 * together:
 *
 *     copy_from_matrix() from a kernel matrix in double precision that the problem has
 *     fetch_near()       from the values of a narrow kernel that the problem has
 *     fetch_in_place()   from the tiles of two classes, if the members are all examples
 *     fetch_floats()     members in tiles of 64, in single precision
 *     fetch_double()     members in tiles of 16, in double precision; rounded to floats,
 *                        as LIBSVM's rows are, for a problem_is_stepwise(), whose tiles are kept
 *     fetch_from_gram()  from a Gram matrix that the problem has
 *
 * The last three are shared among threads by members; a thread owns its scratch.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/kernel_rows.h"

#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "kernel/float_sums.h"
#include "kernel/kernel_matrix.h"
#include "problem/class_tiles.h"

/*
 * Members a task meets: eight tiles of 64, 16,384 kernel values with rows fetched 32 at a time, at
 * 1e9 values a second 16 us, as long as starting a thread.
 */
#define TASK_MEMBERS 512

/*
 * Rows fetched at once where steps begin with all multipliers 0 and all examples: which rows will be
 * wanted is a poor guess then, but tiles are loaded once for several.  With 1, 4 and 8 at once
 * madelon (500 columns) takes .85, .63 and .71 s, a9a@5000 (14 entries a row) .16, .13 and .17.
 */
#define STEPWISE_AT_ONCE 4

/* Bytes up to which the tiles of a problem_is_stepwise() are kept: 8,192 examples, 1,024 columns. */
#define MOST_KEPT (64 << 20)

/* Rows that meet a tile in double precision in one call, and tiles that one task fills. */
#define DOUBLES_AT_ONCE 4
#define FILLING_TILES 32

/* All rows of the problem by themselves, columns renumbered: tiles have those that occur. */
static int prepare_double(struct kernel_rows *r, struct error *err)
{
	const struct problem_view *p = r->p;

	if (csr_gather(&r->vectors.x, p->x, p->row, p->n, err) < 0 ||
	    kernel_vectors_number_columns(&r->vectors, &r->columns, err) < 0)
		return -1;
	return kernel_vectors_prepare(&r->vectors, &p->kernel, err);
}

static int prepare_scratch(struct kernel_rows *r, struct kernel_rows_scratch *s, struct error *err)
{
	if (r->x_float)
		return float_tile_init(&s->floats, r->x_float, err);
	return kernel_lanes_init(&s->doubles, r->columns.n, err);
}

void kernel_rows_free(struct kernel_rows *r)
{
	for (int t = 0; r->scratch && t < r->n_threads; t++) {
		if (r->x_float)
			float_tile_give_back(&r->scratch[t].floats, r->x_float);
		kernel_lanes_free(&r->scratch[t].doubles);
	}
	mem_free(r->scratch);
	mem_free(r->room);
	mem_free(r->kept);
	column_map_free(&r->columns);
	kernel_vectors_free(&r->vectors);
	*r = (struct kernel_rows){ 0 };
}

/* Write (or, with clear, wipe) an example into a lane of a tile in double precision. */
static void fill_lane(const struct kernel_rows *r, double *tile, int64_t i, int lane, bool clear)
{
	const struct csr *x = &r->vectors.x;

	for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
		tile[(int64_t)x->col[k] * KERNEL_TILE_ROWS + lane] = clear ? 0 : x->val[k];
}

/* The tile of example i and those after it, among those that are kept. */
static double *kept_tile(const struct kernel_rows *r, int64_t i)
{
	return r->kept + i * r->columns.n;
}

static void keep_task(void *arg, int64_t task, int thread)
{
	const struct kernel_rows *r = arg;
	const int64_t n = FILLING_TILES * KERNEL_TILE_ROWS, first = task * n;
	int64_t end = int64_min(first + n, r->p->n);

	(void)thread;
	memset(kept_tile(r, first), 0,
	       (size_t)((kernel_rows_padded(end) - first) * r->columns.n) * sizeof(double));
	for (int64_t i = first; i < end; i++) {
		int lane = (int)(i % KERNEL_TILE_ROWS);

		fill_lane(r, kept_tile(r, i - lane), i, lane, false);
	}
}

/* All examples are members of each row, so that tiles can be filled once. */
static int keep_tiles(struct kernel_rows *r, struct error *err)
{
	int64_t n = r->p->n, n_values = kernel_rows_padded(n) * r->columns.n;

	if (n_values > MOST_KEPT / (int64_t)sizeof(double))
		return 0;
	r->kept = mem_aligned(n_values, sizeof(double), err);
	if (!r->kept)
		return -1;
	thread_parallel_for(r->n_threads, int64_blocks(n, FILLING_TILES * KERNEL_TILE_ROWS),
			    keep_task, r);
	return 0;
}

int kernel_rows_init(struct kernel_rows *r, const struct problem_view *p, int n_threads,
		     struct error *err)
{
	bool stepwise = problem_is_stepwise(p);

	*r = (struct kernel_rows){ .p = p,
				   .x_float = stepwise ? NULL : p->x_float,
				   .n_threads = thread_clamp_count(n_threads) };
	r->from_doubles = !r->x_float && !p->gram;
	r->wide = r->from_doubles && !p->rounds_matrix && !stepwise;
	if (p->matrix) /* no row will be computed here */
		return 0;
	r->scratch = mem_zeroed(r->n_threads, sizeof(*r->scratch), err);
	if (!r->scratch || (r->from_doubles && prepare_double(r, err) < 0) ||
	    (r->from_doubles && stepwise && keep_tiles(r, err) < 0))
		goto fail;
	for (int t = 0; !p->gram && t < r->n_threads; t++)
		if (prepare_scratch(r, &r->scratch[t], err) < 0)
			goto fail;
	if (p->pair.tiles)
		r->room = mem_aligned(class_pair_room(&p->pair), sizeof(*r->room), err);
	if (!p->pair.tiles || r->room)
		return 0;
fail:
	kernel_rows_free(r);
	return -1;
}

/* What is to be computed: n rows, at members first <= j < end. */
struct fetching {
	const struct kernel_rows *r;
	const struct row_members *over;
	int64_t n, first, end;
	const int64_t *wanted;
	void *const *out;	      /* [n]: where the value of member 0 would go */
	struct float_vectors vectors; /* single precision: the wanted ones */
	struct kernel_vectors wide;   /* double precision: the same */
};

/*
 * A tile of members is filled once and meets all wanted rows, KERNEL_ROWS_AT_ONCE at a time.
 * 'first' is a multiple of FLOAT_TILE_LANES but when rows are extended, where it is one of
 * KERNEL_ROWS_LANES: as aligned as what is written must be.
 */
static void fetch_floats(const struct fetching *f, int64_t first, int64_t end,
			 struct float_tile *tile)
{
	const struct float_vectors *x_float = f->r->x_float;
	float *out[KERNEL_ROWS_AT_ONCE];

	for (; first < end; first += FLOAT_TILE_LANES) {
		int lanes = (int)int64_min(end - first, FLOAT_TILE_LANES);

		float_tile_fill(tile, x_float, f->over->row, first, lanes);
		for (int64_t v = 0, last; v < f->n; v = last) {
			last = int64_min(v + KERNEL_ROWS_AT_ONCE, f->n);
			for (int64_t u = v; u < last; u++)
				out[u - v] = (float *)f->out[u] + first;
			float_tile_values(&f->vectors, v, last, tile, out);
		}
		float_tile_clear(tile, x_float, f->over->row, first, lanes);
	}
}

/* Write (or, with clear, wipe) the examples from member 'first' on into the tile of a thread. */
static void fill_tile(const struct fetching *f, struct kernel_rows_scratch *s, int64_t first,
		      bool clear)
{
	const struct kernel_rows *r = f->r;
	const double *norm2 = r->vectors.norm2;
	int lanes = (int)int64_min(f->over->n - first, KERNEL_TILE_ROWS);

	for (int lane = 0; lane < lanes; lane++) {
		int64_t i = f->over->example[first + lane];

		fill_lane(r, s->doubles.element, i, lane, clear);
		if (clear)
			kernel_lanes_unset(&s->doubles, lane);
		else
			kernel_lanes_set(&s->doubles, &r->p->kernel, lane,
					 csr_row_of(r->p->x, r->p->row[i]), norm2 ? norm2[i] : 0);
	}
}

static void store_doubles(const struct fetching *f, int64_t v, int64_t first, const double *value)
{
	float *narrow = (float *)f->out[v] + first;

	if (f->r->wide)
		memcpy((double *)f->out[v] + first, value, KERNEL_TILE_ROWS * sizeof(*value));
	for (int l = 0; !f->r->wide && l < KERNEL_TILE_ROWS; l++)
		narrow[l] = (float)value[l];
}

static void fetch_double(const struct fetching *f, int64_t first, int64_t end,
			 struct kernel_rows_scratch *s)
{
	double value[DOUBLES_AT_ONCE * KERNEL_TILE_ROWS]
		__attribute__((aligned(KERNEL_TILE_ALIGNMENT)));
	const struct kernel_rows *r = f->r;
	bool is_kept = r->kept && f->over->in_place;
	struct kernel_lanes kept = { 0 }; /* of no rbf kernel: norms are not needed */
	const struct kernel_lanes *lanes = is_kept ? &kept : &s->doubles;

	for (; first < end; first += KERNEL_TILE_ROWS) {
		if (is_kept)
			kept.element = kept_tile(r, first);
		else
			fill_tile(f, s, first, false);
		for (int64_t v = 0, last; v < f->n; v = last) {
			last = int64_min(v + DOUBLES_AT_ONCE, f->n);
			kernel_lanes_values(&r->p->kernel, &f->wide, v, last, lanes, value);
			for (int64_t u = v; u < last; u++)
				store_doubles(f, u, first, value + (u - v) * KERNEL_TILE_ROWS);
		}
		if (!is_kept)
			fill_tile(f, s, first, true);
	}
}

/* The last task clears the padding, which the tiles of the other ways do by themselves. */
static void fetch_from_gram(const struct fetching *f, int64_t first, int64_t end)
{
	const struct problem_view *p = f->r->p;
	int64_t n = f->over->n;

	for (int64_t v = 0; v < f->n; v++) {
		const double *products = p->gram + p->row[f->wanted[v]] * p->x->n_rows;
		float *out = f->out[v];

		for (int64_t j = first; j < end; j++)
			out[j] = (float)products[f->over->row[j]];
		for (int64_t j = end; end == n && j < kernel_rows_padded(n); j++)
			out[j] = 0;
	}
}

static void copy_doubles(double *out, const double *from, const int64_t *row, int64_t first,
			 int64_t end)
{
	for (int64_t j = first; j < end; j++)
		out[j] = from[row[j]];
}

static void copy_floats(float *out, const double *from, const int64_t *row, int64_t first,
			int64_t end)
{
	for (int64_t j = first; j < end; j++)
		out[j] = (float)from[row[j]];
}

/* The part of rows of the matrix that the members have, and padding of 0. */
static void copy_from_matrix(const struct fetching *f)
{
	const struct problem_view *p = f->r->p;
	const struct kernel_matrix *m = p->matrix;
	const int64_t *row = f->over->row;
	int64_t n = f->over->n, n_padding = kernel_rows_padded(n) - n;

	for (int64_t v = 0; v < f->n; v++) {
		const double *from = m->wide_value + p->row[f->wanted[v]] * m->stride;

		if (f->r->wide) {
			copy_doubles(f->out[v], from, row, f->first, n);
			memset((double *)f->out[v] + n, 0, (size_t)n_padding * sizeof(double));
		} else {
			copy_floats(f->out[v], from, row, f->first, n);
			memset((float *)f->out[v] + n, 0, (size_t)n_padding * sizeof(float));
		}
	}
}

/*
 * The values that are not nothing, each at the number of its member, and 0 for all others.  The
 * numbers are as valid for all rows: finding them takes less than computing a row.
 */
static int fetch_near(const struct fetching *f, struct error *err)
{
	const struct near_matrix *m = f->r->p->near_matrix;
	int64_t n = kernel_rows_padded(f->over->n);
	int32_t *number = mem_array(m->n, sizeof(*number), err);

	for (int64_t i = 0; number && i < m->n; i++)
		number[i] = -1;
	for (int64_t j = f->first; number && j < f->over->n; j++)
		number[f->over->example[j]] = (int32_t)j;
	for (int64_t v = 0; number && v < f->n; v++) {
		float *out = f->out[v];
		int64_t i = f->wanted[v];

		memset(out + f->first, 0, (size_t)(n - f->first) * sizeof(*out));
		for (int64_t k = m->start[i]; k < m->start[i + 1]; k++)
			if (number[m->col[k]] >= 0)
				out[number[m->col[k]]] = m->val[k];
	}
	mem_free(number);
	return number ? 0 : -1;
}

static void fetch_task(void *arg, int64_t task, int thread)
{
	const struct fetching *f = arg;
	int64_t first = f->first + task * TASK_MEMBERS;
	int64_t end = int64_min(first + TASK_MEMBERS, f->end);

	if (f->r->p->gram)
		fetch_from_gram(f, first, end);
	else if (f->r->x_float)
		fetch_floats(f, first, end, &f->r->scratch[thread].floats);
	else
		fetch_double(f, first, end, &f->r->scratch[thread]);
}

/* Are the members all examples, each in its place, of a pair that has tiles? */
static bool in_tiles(const struct kernel_rows *r, const struct row_members *over)
{
	return r->p->pair.tiles && over->in_place && over->n == r->p->n;
}

int kernel_rows_at_once(const struct kernel_rows *r, const struct row_members *over)
{
	if (r->p->matrix && r->p->matrix->wide_value)
		return 1; /* computed already */
	if (r->p->matrix)
		return kernel_matrix_at_once(r->p->matrix, KERNEL_ROWS_AT_ONCE);
	if (r->from_doubles && !r->wide)
		return STEPWISE_AT_ONCE;
	return in_tiles(r, over) ? class_pair_at_once(&r->p->pair) : KERNEL_ROWS_AT_ONCE;
}

/* Whole rows from the tiles of the classes, MAX_CLASS_ROWS at a time, and their padding. */
static int fetch_in_place(const struct fetching *f, struct error *err)
{
	int64_t n = f->over->n;
	float *out[MAX_CLASS_ROWS];

	for (int64_t v = 0; v < f->n; v += MAX_CLASS_ROWS) {
		int some = (int)int64_min(f->n - v, MAX_CLASS_ROWS);

		for (int k = 0; k < some; k++)
			out[k] = f->out[v + k];
		if (class_pair_rows(&f->r->p->pair, f->wanted + v, some, f->r->room, out, err) < 0)
			return -1;
		for (int k = 0; k < some; k++)
			memset(out[k] + n, 0, (size_t)(kernel_rows_padded(n) - n) * sizeof(float));
	}
	return 0;
}

static int gather_wide(struct fetching *f, struct error *err)
{
	const struct kernel_rows *r = f->r;

	if (csr_gather(&f->wide.x, &r->vectors.x, f->wanted, f->n, err) < 0)
		return -1;
	f->wide.column = r->vectors.column;
	return kernel_vectors_prepare(&f->wide, &r->p->kernel, err);
}

/* The wanted rows are gathered, to lie side by side. */
static int gather_wanted(struct fetching *f, struct error *err)
{
	const struct problem_view *p = f->r->p;
	int64_t *row;
	int ret = -1;

	if (f->r->from_doubles)
		return gather_wide(f, err);
	row = mem_array(f->n, sizeof(*row), err);
	for (int64_t v = 0; row && v < f->n; v++)
		row[v] = p->row[f->wanted[v]];
	if (row)
		ret = float_vectors_gather(&f->vectors, f->r->x_float, row, f->n, err);
	mem_free(row);
	return ret;
}

int kernel_rows_fetch(const struct kernel_rows *r, const struct row_members *over, int64_t first,
		      const int64_t *wanted, int64_t n, void *const *out, struct error *err)
{
	struct fetching f = { .r = r,
			      .over = over,
			      .n = n,
			      .first = first - first % KERNEL_ROWS_LANES,
			      .end = over->n,
			      .wanted = wanted,
			      .out = out };
	int ret = 0;

	if (r->p->matrix) {
		copy_from_matrix(&f);
		return 0;
	}
	if (r->p->near_matrix)
		return fetch_near(&f, err);
	if (first == 0 && in_tiles(r, over))
		return fetch_in_place(&f, err);
	if (!r->p->gram)
		ret = gather_wanted(&f, err);
	if (ret == 0)
		thread_parallel_for(r->n_threads, int64_blocks(f.end - f.first, TASK_MEMBERS),
				    fetch_task, &f);
	float_vectors_free(&f.vectors);
	kernel_vectors_free(&f.wide);
	return ret;
}
