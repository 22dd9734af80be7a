/*
 * float_sums.c - tiles filled with rows, and sums of kernel values, in single precision
 *
 * A tile is made for the rows of one float_vectors, and empty.  Then, as often as there are rows to
 * meet,
 *
 *     float_tile_fill()    up to 64 rows into its lanes
 *     ...                  kernel values (float_tile.c)
 *     float_tile_clear()   zeros where the rows had entries: a sparse row writes to few elements,
 *                          and clearing the whole tile would be most of the work.  Dense rows
 *                          overwrite every element, so that nothing is cleared
 *
 * Between clear and fill the tile is empty, and serves any of these rows.
 *
 * Of sparse rows with many columns a tile has those alone that its rows have, which get the places
 * 1, 2, ... as they are met: some thousands, which the second-level cache holds, of a million.
 * Place 0 is all zeros and stands for all other columns, so that no entry of a vector needs a
 * branch; the sums are those of a tile of all columns, bit for bit.  Rows {7, 90} and {7, 31}:
 *
 *      place[7] = 1, place[90] = 2, place[31] = 3, all others 0
 *
 *      tile       lane 0  lane 1
 *      place 0       0       0
 *      place 1     x_0,7   x_1,7
 *      place 2     x_0,90    0
 *      place 3       0     x_1,31
 *
 *      vector     columns 7, 8, 31 are places 1, 0, 3: column 8 adds zeros
 *
 * CPU seconds of one thread, -g .3, with places and without: 10,000 texts of 188,000 words (svm-gen
 * text) 1.1 and 3.5, in 55 and 142 MB; 20news-bydate as two classes, 45,000 words, 1.4 and 1.8, in
 * 92 and 128 MB; 8,000 words 1.15 and 1.2.  With 2,000 words a tenth is lost: PLACED_COLUMNS.
 *
 * Making a tile is dear where columns are many.  float_vectors_keep_tiles() gives the rows a store
 * of empty tiles; float_tile_give_back() puts them there, float_tile_init() takes them out.  A lock
 * guards the store, as the pairs of classes are trained on several threads.  A tile that is given
 * back must be empty; one that may not be is freed.
 *
 * float_vectors_sums() shares rows among threads, a tile a task, each thread with a tile of its
 * own.  Each sum is a function of the row and the vectors alone; but where rows come near their
 * neighbours, the vectors that are far from the whole tile are left out.
 *
 * The steps of a task of float_vectors_sums():
 *
 *  (1) fill the thread's tile with the task's 64 rows;
 *  (2) leave out vectors that are far: where rows are in near_rows_order(), the ball around the 64
 *      rows is compared with the balls around NEAR_BALL_ROWS vectors each, and the vectors of
 *      consecutive balls that are not far are summed in one call;
 *  (3) add to the sums so far, over vectors in their order, in doubles every few vectors
 *      (float_tile.c);
 *  (4) clear the tile, and copy the sums of the rows that there are.
 *
 * Who owns a tile: float_tile_init() gives it to the caller, float_tile_give_back() takes it, into
 * the store or to be freed.  The store ends with float_vectors_drop_tiles(), before the rows do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "kernel/float_sums.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/thread.h"
#include "kernel/near_rows.h"

/* Tiles kept at most, two for each thread: of rows that a solver needs, and of rows evaluated. */
#define MOST_SPARE (2 * THREAD_MAX)

/* Columns of sparse rows from which on a tile has those of its rows alone: 1 MB in floats. */
#define PLACED_COLUMNS 4096

/* The store: tiles that are empty and belong to nobody. */
struct float_spare_tiles {
	pthread_mutex_t lock; /* lock of the fields below */
	int n;
	struct float_tile tile[MOST_SPARE];
};

int float_vectors_keep_tiles(struct float_vectors *v, struct error *err)
{
	v->spare = mem_zeroed(1, sizeof(*v->spare), err);
	if (!v->spare)
		return -1;
	pthread_mutex_init(&v->spare->lock, NULL);
	return 0;
}

void float_vectors_drop_tiles(struct float_vectors *v)
{
	if (!v->spare)
		return;
	while (v->spare->n > 0)
		float_tile_free(&v->spare->tile[--v->spare->n]);
	pthread_mutex_destroy(&v->spare->lock);
	mem_free(v->spare);
	v->spare = NULL;
}

/* Take a tile out of the store; false if there is none. */
static bool take_spare_tile(struct float_tile *tile, struct float_spare_tiles *spare)
{
	bool taken;

	pthread_mutex_lock(&spare->lock);
	taken = spare->n > 0;
	if (taken)
		*tile = spare->tile[--spare->n];
	pthread_mutex_unlock(&spare->lock);
	return taken;
}

void float_tile_give_back(struct float_tile *tile, const struct float_vectors *v)
{
	struct float_spare_tiles *spare = v->spare;

	if (spare && tile->element) {
		pthread_mutex_lock(&spare->lock);
		if (spare->n < MOST_SPARE) {
			spare->tile[spare->n++] = *tile;
			*tile = (struct float_tile){ 0 };
		}
		pthread_mutex_unlock(&spare->lock);
	}
	/* without a store, or with a full one, the tile's memory is released */
	float_tile_free(tile);
}

int float_tile_init(struct float_tile *tile, const struct float_vectors *v, struct error *err)
{
	const size_t size = (size_t)float_vectors_size(v);
	int64_t n = v->n_cols;

	if (v->spare && take_spare_tile(tile, v->spare))
		return 0;
	*tile = (struct float_tile){ 0 };
	if (!v->dense && n >= PLACED_COLUMNS) {
		tile->place = mem_zeroed(n, sizeof(*tile->place), err);
		n = 1 + int64_min(n, FLOAT_TILE_LANES * v->longest);
		tile->element = mem_large(n * FLOAT_TILE_LANES, size, err);
	} else {
		tile->element = mem_aligned(n * FLOAT_TILE_LANES, size, err);
	}
	tile->half_norm2 = mem_aligned(FLOAT_TILE_LANES, (size_t)float_vectors_norm_size(v), err);
	if (err->code == ERR_NONE)
		return 0;
	float_tile_free(tile);
	return -1;
}

void float_tile_free(struct float_tile *tile)
{
	mem_free_all(tile->element, tile->half_norm2, tile->place);
	*tile = (struct float_tile){ 0 };
}

/* Clear the elements of places before 'end', unless they have been clear since a tile before. */
static void clear_places(struct float_tile *tile, const struct float_vectors *v, int64_t end)
{
	const int64_t bytes = FLOAT_TILE_LANES * float_vectors_size(v); /* bytes of a place */

	if (end <= tile->n_clear)
		return;
	memset((char *)tile->element + tile->n_clear * bytes, 0,
	       (size_t)((end - tile->n_clear) * bytes));
	tile->n_clear = end;
}

/*
 * Write row i into a lane, by place: a column that has none gets the next.  Without branches, as
 * half of the columns may be new.
 */
static void fill_by_place(struct float_tile *tile, const struct float_vectors *v, int64_t i,
			  int lane)
{
	int32_t n_places = tile->n_places;

	clear_places(tile, v, 1 + int64_min(n_places + v->start[i + 1] - v->start[i], v->n_cols));
	for (int64_t k = v->start[i]; k < v->start[i + 1]; k++) {
		int32_t place = tile->place[v->col[k]];

		n_places += place == 0;
		place = place == 0 ? n_places : place;
		tile->place[v->col[k]] = place;
		float_vectors_set(v->in_doubles, tile->element,
				  (int64_t)place * FLOAT_TILE_LANES + lane,
				  float_vectors_value(v, k));
	}
	tile->n_places = n_places;
}

/*
 * Write row i into a lane, by the places its columns have, or clear its elements there; the columns
 * keep their places, for the other lanes.
 */
static void set_lane(struct float_tile *tile, const struct float_vectors *v, int64_t i, int lane,
		     bool clear)
{
	for (int64_t k = v->start[i]; k < v->start[i + 1]; k++) {
		int64_t column = tile->place ? tile->place[v->col[k]] : v->col[k];

		float_vectors_set(v->in_doubles, tile->element, column * FLOAT_TILE_LANES + lane,
				  clear ? 0 : float_vectors_value(v, k));
	}
}

/*
 * Transpose a group of FLOAT_GROUP dense rows in doubles into the tile's lanes, from 'element' on.
 */
static void transpose_wide(const double *const *row, int64_t n_cols, double *element)
{
	for (int64_t k = 0; k < n_cols; k++)
		for (int lane = 0; lane < FLOAT_GROUP; lane++)
			element[k * FLOAT_TILE_LANES + lane] = row[lane][k];
}

/*
 * Fill the tile with dense rows, by groups; lanes of the last group without a row get the last row
 * again.
 */
static void fill_dense(struct float_tile *tile, const struct float_vectors *v, const int64_t *row,
		       int64_t first, int n)
{
	const float *lane_row[FLOAT_GROUP];
	const double *wide_row[FLOAT_GROUP];

	for (int lane = 0; lane < n; lane += FLOAT_GROUP) {
		for (int l = 0; l < FLOAT_GROUP; l++) {
			int64_t i = first + (lane + l < n ? lane + l : n - 1);
			int64_t at = (row ? row[i] : i) * v->n_cols;

			if (v->in_doubles)
				wide_row[l] = (const double *)v->val + at;
			else
				lane_row[l] = (const float *)v->val + at;
		}
		if (v->in_doubles)
			transpose_wide(wide_row, v->n_cols, (double *)tile->element + lane);
		else
			float_tile_transpose(lane_row, v->n_cols, (float *)tile->element + lane);
	}
}

void float_tile_fill(struct float_tile *tile, const struct float_vectors *v, const int64_t *row,
		     int64_t first, int n)
{
	const int64_t size = float_vectors_norm_size(v);

	if (v->dense)
		fill_dense(tile, v, row, first, n);
	for (int lane = 0; lane < n && !v->dense; lane++) {
		if (tile->place)
			fill_by_place(tile, v, row ? row[first + lane] : first + lane, lane);
		else
			set_lane(tile, v, row ? row[first + lane] : first + lane, lane, false);
	}
	tile->n_groups = int64_blocks(n, FLOAT_GROUP);
	/*
	 * lanes without a row have a norm too: dense ones have the last row, and values must be
	 * finite
	 */
	for (int lane = 0; lane < tile->n_groups * FLOAT_GROUP; lane++) {
		int64_t i = first + (lane < n ? lane : n - 1);

		if (v->half_norm2)
			memcpy((char *)tile->half_norm2 + lane * size,
			       (const char *)v->half_norm2 + (row ? row[i] : i) * size,
			       (size_t)size);
	}
}

void float_tile_clear(struct float_tile *tile, const struct float_vectors *v, const int64_t *row,
		      int64_t first, int n)
{
	const int64_t bytes = v->n_cols * float_vectors_size(v); /* of each lane */

	/*
	 * dense rows overwrite all elements of the tile, so that only sparse rows are cleared: a
	 * cache line of the tile takes as long as an entry
	 */
	if (!v->dense && !tile->place && bytes * v->n <= n * v->start[v->n])
		memset(tile->element, 0, (size_t)(FLOAT_TILE_LANES * bytes));
	else
		for (int lane = 0; lane < n && !v->dense; lane++)
			set_lane(tile, v, row ? row[first + lane] : first + lane, lane, true);
	/* then their places are taken from the columns of all rows */
	for (int lane = 0; lane < n && tile->place; lane++) {
		int64_t i = row ? row[first + lane] : first + lane;

		for (int64_t k = v->start[i]; k < v->start[i + 1]; k++)
			tile->place[v->col[k]] = 0;
	}
	tile->n_places = 0;
}

/* Input and output of the tasks of float_vectors_sums(), of 64 rows each. */
struct summing {
	struct float_rows rows;
	const struct float_vectors *vectors;
	const double *coef;
	const float *narrow; /* coefficients as floats */
	double *out;
	/*
	 * balls around the vectors, where the rows are ordered so that neighbours are close
	 * together
	 */
	struct near_balls balls;
	struct float_tile *tile; /* tile of each thread */
	double *centre;		 /* centre of the rows of a tile, [n_cols] for each thread */
};

/* Add the values of the vectors first .. last - 1 with the rows of a tile. */
static void add_values(const struct summing *s, int64_t first, int64_t last,
		       const struct float_tile *tile, double *sum)
{
	if (s->vectors->exact_sums)
		float_tile_exact_sums(s->vectors, first, last, s->coef, tile, sum);
	else
		float_tile_sums(s->vectors, first, last, s->narrow, tile, sum);
}

/*
 * Add the values of the vectors whose balls are not far from the ball of the tile's rows, (2),
 * several consecutive balls at a time.  Returns the number of these vectors.
 */
static int64_t add_near(const struct summing *s, const struct near_ball *rows,
			const struct float_tile *tile, double *sum)
{
	int64_t n_near = 0;

	for (int64_t b = 0, end; b < s->balls.n; b = end + 1) {
		int64_t first = b * NEAR_BALL_ROWS, last;

		for (end = b; end < s->balls.n &&
			      !near_balls_are_far(rows, &s->balls.ball[end], s->vectors);)
			end++;
		last = int64_min(end * NEAR_BALL_ROWS, s->vectors->n);
		if (end > b)
			add_values(s, first, last, tile, sum);
		n_near += end > b ? last - first : 0;
	}
	return n_near;
}

/* Add sum_j coef_j K(vector_j, row) for one tile of rows. */
static void sum_task(void *arg, int64_t task, int thread)
{
	const struct summing *s = arg;
	const struct float_rows *r = &s->rows;
	double sum[FLOAT_TILE_LANES] __attribute__((aligned(64))) = { 0 };
	int64_t first = task * FLOAT_TILE_LANES, n_vectors = s->vectors->n;
	int n = (int)int64_min(r->n - first, FLOAT_TILE_LANES);

	memcpy(sum, s->out + first, (size_t)n * sizeof(double));
	float_tile_fill(&s->tile[thread], r->all, r->row, first, n);
	if (s->balls.n > 0) {
		struct near_ball ball = { .centre = s->centre + thread * r->all->n_cols };

		near_ball_of(&ball, r->all, r->row, first, n);
		n_vectors = add_near(s, &ball, &s->tile[thread], sum);
	} else {
		add_values(s, 0, n_vectors, &s->tile[thread], sum);
	}
	float_vectors_count(r->all, n * n_vectors);
	float_tile_clear(&s->tile[thread], r->all, r->row, first, n);
	memcpy(s->out + first, sum, (size_t)n * sizeof(double));
}

int float_vectors_add_sums(struct float_rows rows, const struct float_vectors *vectors,
			   const double *coef, double *out, int n_threads, struct error *err)
{
	int64_t n_tasks = int64_blocks(rows.n, FLOAT_TILE_LANES);
	float *narrow = mem_array(vectors->n, sizeof(*narrow), err);
	struct summing s = {
		.rows = rows, .vectors = vectors, .coef = coef, .narrow = narrow, .out = out
	};

	/* no tile for threads without a task */
	n_threads = thread_clamp_count((int)int64_min(n_tasks, n_threads));
	s.tile = mem_zeroed(n_threads, sizeof(*s.tile), err);
	for (int64_t j = 0; narrow && j < vectors->n; j++)
		narrow[j] = (float)coef[j];
	for (int t = 0; s.tile && t < n_threads; t++)
		float_tile_init(&s.tile[t], rows.all, err);
	/* balls around the vectors, if any may be far from rows; they cost as much as a few tiles */
	if (rows.all->near && vectors->n > NEAR_BALL_ROWS) {
		s.centre = mem_array(n_threads * rows.all->n_cols, sizeof(double), err);
		near_balls_init(&s.balls, vectors, NULL, vectors->n, NEAR_BALL_ROWS, err);
	}
	if (err->code == ERR_NONE)
		thread_parallel_for(n_threads, n_tasks, sum_task, &s);
	for (int t = 0; s.tile && t < n_threads; t++)
		float_tile_give_back(&s.tile[t], rows.all);
	near_balls_free(&s.balls);
	mem_free_all(s.centre, s.tile, narrow);
	return err->code == ERR_NONE ? 0 : -1;
}

int float_vectors_sums(struct float_rows rows, const struct float_vectors *vectors,
		       const double *coef, double *out, int n_threads, struct error *err)
{
	memset(out, 0, (size_t)rows.n * sizeof(*out));
	return float_vectors_add_sums(rows, vectors, coef, out, n_threads, err);
}
