/*
 * near_matrix.c - the kernel matrix of a narrow rbf kernel, without the values that are nothing
 *
 * How this works.  A task takes a block of rows as vectors, fills one tile after the other with the
 * rows from its first on, and keeps (i, j, K_ij) for i <= j where the value is at least 2^-40;
 * tiles that near_balls_are_far() from the block have none.  Blocks come one after the other,
 * within a block tiles, within a tile vectors, within a vector lanes.  So both the i < j of a row j
 * and the j > i of a row i come in ascending order, and the former before the latter: one pass
 * counts what each row gets, a second one puts it there.
 *
 * What it wins in bench/landscape (CPU seconds of one thread, with it and without): a9a -c 10 -g 10
 * 1.4 and 4.3; covtype.20k -c 1 1.4 and 3.6, -c 10 -g 10 1.4 and 4.7; skin_nonskin -c 10 4.6 and
 * 9.3; cpusmall -c 100 -g .1 2.0 and 2.3.
 *
 * The steps:
 *
 *  (1) search     For each block q of rows: a list of entries (i, j, K_ij) with i in the block and
 *                 i <= j.  Blocks are independent: each thread has a tile of its own, and writes
 *                 to the list of the block it works on.
 *
 *                           tiles of columns j ->
 *                     q=0   x x x . . . x x      x: computed    .: far away, left out
 *                     q=1       x x . . . x
 *                     q=2           x x x .      nothing is left of the diagonal
 *
 *  (2) count      Every entry counts for row i, and for row j unless i = j.  Running sums of these
 *                 counts are where rows begin.
 *  (3) place      Every entry goes to the next free place of row i, and of row j.
 *  (4) decide     near_matrix_serves() counts the values of SAMPLE rows with some of all rows,
 *                 before any of this: near_matrix_init() is worth it if few values are kept.
 *
 * Entries are in the order of blocks, whichever thread found them, so the result does not depend on
 * the number of threads.  A list takes 12 bytes an entry, the matrix 8 bytes a value.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/near_matrix.h"

#include "base/mem.h"
#include "base/thread.h"
#include "kernel/near_rows.h"

/*
 * Least value that is kept, as in near_rows.c: n smaller values, times C, are less than the
 * rounding error of floats.
 */
#define NOTHING 0x1p-40f

/*
 * Rows of a block: a tile is filled once for the whole block.  A multiple of FLOAT_TILE_LANES.  With
 * 128 rows mnist.part1 -c 10 -g 1e-5, 150 entries a row, took 2 s longer.
 */
#define SEARCH_ROWS 256

/* Vectors that meet a tile at once: their values stay in the first-level cache. */
#define AT_ONCE 32

/*
 * Rows whose values are counted; the largest share of values that may be kept, and by how much it
 * rises with each entry of a row; and the largest number of values kept.  To find, keep and add a
 * value takes some 30 times as long as to compute one of few entries, and twice as long as one of
 * 150.  Shares and CPU seconds, with the matrix and without: 2 columns (checkerboard) .018 1.4 and
 * 1.2, .05 .97 and .46; 9 raw columns .0019 .37 and .69, .018 .54 and .66, .13 2.1 and .54; a9a, 14
 * entries, .013 .20 and .41, .23 .97 and .41.
 */
#define SAMPLE 64
#define MOST_SHARE 0.01
#define SHARE_OF_ENTRY 0.0015
#define MOST_VALUES (1 << 25)

/* One value of the matrix: K_ij for a pair of rows i <= j. */
struct entry {
	int32_t i, j;
	float value;
};

/* Entries of the matrix that a block of rows has found. */
struct block {
	struct entry *entry;
	int64_t n, capacity;
};

/* Scratch memory of a thread that searches blocks. */
struct scratch {
	struct float_tile tile;
	/* centre of the rows of a block; NULL: rows are not ordered by neighbourhood */
	double *centre;
	float value[AT_ONCE][FLOAT_TILE_LANES] __attribute__((aligned(64)));
};

/*
 * Search of all blocks, shared by threads; each thread writes only to the blocks that it searches.
 */
struct search {
	struct float_rows rows;
	struct block *block;
	/* balls, one around each tile; none where rows are not in near_rows_order() */
	struct near_balls balls;
	struct scratch *scratch; /* scratch memory of each thread */
	const struct interruption *interruption;
};

/* Keep the values of example i with the lanes of the tile that begins with 'first'. */
static int keep_values(struct block *b, int64_t i, const float *value, int64_t first, int lanes,
		       struct error *err)
{
	/* lanes before i are of rows j < i, whose values entry (j, i) has */
	int lane = i > first ? (int)(i - first) : 0;

	if (mem_grow(&b->entry, &b->capacity, b->n + FLOAT_TILE_LANES, sizeof(*b->entry), err) < 0)
		return -1;
	for (; lane < lanes; lane++)
		/* room for a whole tile is there, whatever share of it is kept */
		if (value[lane] >= NOTHING)
			b->entry[b->n++] =
				(struct entry){ (int32_t)i, (int32_t)(first + lane), value[lane] };
	return 0;
}

/* Keep the values of the vectors, examples 'start' on, with the tile that begins with 'first'. */
static int search_tile(struct block *b, struct float_rows r, const struct float_vectors *vectors,
		       int64_t start, int64_t first, struct scratch *scratch, struct error *err)
{
	const int lanes = (int)int64_min(r.n - first, FLOAT_TILE_LANES);
	float *out[AT_ONCE];
	int ret = 0;

	for (int u = 0; u < AT_ONCE; u++)
		out[u] = scratch->value[u];
	float_tile_fill(&scratch->tile, r.all, r.row, first, lanes);
	float_vectors_count(r.all, lanes * vectors->n);
	for (int64_t v = 0; v < vectors->n && ret == 0; v += AT_ONCE) {
		int64_t last = int64_min(v + AT_ONCE, vectors->n);

		float_tile_values(vectors, v, last, &scratch->tile, out);
		for (int64_t u = v; u < last && ret == 0; u++)
			ret = keep_values(b, start + u, out[u - v], first, lanes, err);
	}
	/* the tile goes back to zeros, at the cost of its entries alone */
	float_tile_clear(&scratch->tile, r.all, r.row, first, lanes);
	return ret;
}

/* Find the entries of block q, (1), whose rows are gathered so that they lie side by side. */
static int search_block(void *arg, int64_t q, int thread, struct error *err)
{
	struct search *s = arg;
	struct scratch *scratch = &s->scratch[thread];
	int64_t start = q * SEARCH_ROWS, n = int64_min(s->rows.n - start, SEARCH_ROWS);
	struct near_ball ball = { .centre = scratch->centre };
	struct float_vectors vectors;
	int ret = 0;

	/* only the caller's thread may ask whether an end is wanted */
	if (thread == 0 && interruption_requested(s->interruption))
		return error_set(err, ERR_INTERRUPTED, "interrupted");
	if (float_vectors_gather(&vectors, s->rows.all, s->rows.row + start, n, err) < 0)
		return -1;
	if (s->balls.n > 0)
		near_ball_of(&ball, s->rows.all, s->rows.row, start, n);
	/* SEARCH_ROWS is a multiple of a tile's lanes: 'first' is always the beginning of a tile */
	for (int64_t first = start; first < s->rows.n && ret == 0; first += FLOAT_TILE_LANES)
		if (s->balls.n == 0 ||
		    !near_balls_are_far(&ball, &s->balls.ball[first / FLOAT_TILE_LANES],
					s->rows.all))
			ret = search_tile(&s->block[q], s->rows, &vectors, start, first, scratch,
					  err);
	float_vectors_free(&vectors);
	return ret;
}

static void search_free(struct search *s, int n_threads)
{
	for (int64_t q = 0; s->block && q < int64_blocks(s->rows.n, SEARCH_ROWS); q++)
		mem_free(s->block[q].entry);
	for (int t = 0; s->scratch && t < n_threads; t++) {
		float_tile_give_back(&s->scratch[t].tile, s->rows.all);
		mem_free(s->scratch[t].centre);
	}
	near_balls_free(&s->balls);
	mem_free_all(s->block, s->scratch);
}

/*
 * Allocate the arrays of a search; after a failure search_free() releases those that were
 * allocated.
 */
static void search_init(struct search *s, struct float_rows rows, int n_threads, struct error *err)
{
	*s = (struct search){ .rows = rows };
	s->block = mem_zeroed(int64_blocks(rows.n, SEARCH_ROWS), sizeof(*s->block), err);
	s->scratch = mem_aligned(n_threads, sizeof(*s->scratch), err);
	for (int t = 0; s->scratch && t < n_threads; t++) {
		if (rows.all->near)
			s->scratch[t].centre = mem_array(rows.all->n_cols, sizeof(double), err);
		float_tile_init(&s->scratch[t].tile, rows.all, err);
	}
	if (err->code == ERR_NONE && rows.all->near)
		near_balls_init(&s->balls, rows.all, rows.row, rows.n, FLOAT_TILE_LANES, err);
}

/*
 * Set start[i] to where row i begins, (2): first start[i + 1] counts the values of row i, then sums
 * follow.
 */
static void count_entries(struct near_matrix *m, const struct search *s)
{
	for (int64_t q = 0; q < int64_blocks(m->n, SEARCH_ROWS); q++)
		for (int64_t k = 0; k < s->block[q].n; k++) {
			const struct entry *e = &s->block[q].entry[k];

			m->start[e->i + 1]++;
			m->start[e->j + 1] += e->i != e->j;
		}
	for (int64_t i = 0; i < m->n; i++)
		m->start[i + 1] += m->start[i];
}

/* Append a value to row i. */
static void put_entry(struct near_matrix *m, int64_t *end, int64_t i, int64_t j, float value)
{
	m->col[end[i]] = (int32_t)j;
	m->val[end[i]++] = value;
}

/*
 * Store each entry as both (i, j) and (j, i), (3), with columns ascending in each row
 *
 * Row r first gets its j < r, from the entries (j, r) in the lists of earlier rows, and then its j
 * >= r, from its own.  A list is freed as soon as it is used up, so that not all of the lists and
 * the whole matrix are in memory at the end.
 */
static int put_entries(struct near_matrix *m, struct search *s, struct error *err)
{
	int64_t *end = mem_copy(m->start, m->n, sizeof(*end), err);

	m->col = mem_large(m->start[m->n], sizeof(*m->col), err);
	m->val = mem_large(m->start[m->n], sizeof(*m->val), err);
	if (!end || !m->col || !m->val) {
		mem_free(end);
		return -1;
	}
	for (int64_t q = 0; q < int64_blocks(m->n, SEARCH_ROWS); q++) {
		for (int64_t k = 0; k < s->block[q].n; k++) {
			struct entry e = s->block[q].entry[k];

			put_entry(m, end, e.i, e.j, e.value);
			if (e.i != e.j)
				put_entry(m, end, e.j, e.i, e.value);
		}
		mem_free(s->block[q].entry);
		s->block[q] = (struct block){ 0 };
	}
	mem_free(end);
	return 0;
}

void near_matrix_free(struct near_matrix *m)
{
	mem_free_all(m->start, m->col, m->val);
	*m = (struct near_matrix){ 0 };
}

int near_matrix_init(struct near_matrix *m, struct float_rows rows, int n_threads,
		     const struct interruption *interruption, struct error *err)
{
	struct search s;
	int ret = -1;

	n_threads = thread_clamp_count(n_threads);
	*m = (struct near_matrix){ .n = rows.n };
	m->start = mem_zeroed(rows.n + 1, sizeof(*m->start), err);
	search_init(&s, rows, n_threads, err);
	s.interruption = interruption;
	if (err->code == ERR_NONE &&
	    thread_ordered_for(n_threads, int64_blocks(rows.n, SEARCH_ROWS), search_block, NULL, &s,
			       err) == 0) {
		count_entries(m, &s);
		ret = put_entries(m, &s, err);
	}
	search_free(&s, n_threads);
	if (ret < 0)
		near_matrix_free(m);
	return ret;
}

/* ---- does a sparse matrix pay? ---- */

/* Count the kernel values of the vectors with rows that are large enough to be kept, (4). */
static int count_values(const struct float_vectors *some, const struct float_vectors *vectors,
			int64_t *count, struct error *err)
{
	const struct float_rows rows = { some, NULL, some->n };
	struct scratch *s = mem_aligned(1, sizeof(*s), err);
	struct block found = { 0 };
	int ret = s ? float_tile_init(&s->tile, some, err) : -1;

	*count = 0;
	for (int64_t first = 0; ret == 0 && first < rows.n; first += FLOAT_TILE_LANES) {
		/* numbers before those of the rows: the values with every lane are kept */
		ret = search_tile(&found, rows, vectors, -SAMPLE, first, s, err);
		*count += found.n;
		found.n = 0;
	}
	if (s)
		float_tile_free(&s->tile);
	mem_free_all(found.entry, s);
	return ret;
}

int near_matrix_serves(const struct float_vectors *some, int64_t n, bool *serves, struct error *err)
{
	const double rows = (double)n;
	const int64_t n_entries = some->dense ? some->n * some->n_cols : some->start[some->n];
	int64_t sample[SAMPLE], count;
	struct float_vectors vectors;
	double values; /* values of a row that are kept, one with itself among them */
	int ret;

	*serves = false;
	if (some->kernel.type != KERNEL_RBF || some->n < SAMPLE || n > INT32_MAX)
		return 0;
	/* evenly spaced rows stand for all: a random draw would need a seed and be no better */
	for (int k = 0; k < SAMPLE; k++)
		sample[k] = k * some->n / SAMPLE;
	if (float_vectors_gather(&vectors, some, sample, SAMPLE, err) < 0)
		return -1;
	ret = count_values(some, &vectors, &count, err);
	float_vectors_free(&vectors);
	values = 1 + ((double)count / SAMPLE - 1) * (rows - 1) / (double)(some->n - 1);
	*serves = ret == 0 && values * rows <= MOST_VALUES &&
		  values <= rows * (MOST_SHARE +
				    SHARE_OF_ENTRY * (double)n_entries / (double)some->n);
	return ret;
}
