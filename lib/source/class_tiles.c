/*
 * class_tiles.c - the rows of each class in tiles, shared by all pairs of classes
 *
 * How this works.  A row of the kernel matrix of pair (a, b) is two parts, its values with the rows
 * of a and with those of b.  For a row of class a
 *
 *     with a     [n_a]   the same in all n_class - 1 pairs of a: kept in the block of a     (1)
 *     with b     [n_b]   of this pair alone: computed into the caller's memory              (2)
 *
 * Both are computed from the tiles of a class, which hold its rows transposed and are filled once.
 * Of k classes of n rows each, all pairs together would otherwise fill tiles of k (k - 1) n rows,
 * not k n, and compute (1) k - 1 times.  What it wins in bench/landscape (CPU seconds of one
 * thread, with it and without): letter.scale (six cases) .29 to .82 and 1.15 to 1.8 times as much,
 * usps (seven) .14 to 1.4 and 1.3 to 1.8 times as much, mnist.part1@5000 .39 and .96, dna .04 and
 * .05.
 *
 * Threads work on different pairs and may need (1) of the same row at the same time.  A state for
 * each row decides, without locks:
 *
 *     UNKNOWN ---first to swap it---> BEING_COMPUTED ---values are written---> KNOWN
 *                                             \---failed---> UNKNOWN
 *                                              \--no place is left---> WITHOUT_PLACE
 *
 * A thread that meets BEING_COMPUTED computes the row into memory of its own: waiting could take
 * longer than the row itself.  KNOWN is stored with release and loaded with acquire order, so that
 * a thread that reads it reads the values too.  All threads compute the same bits.
 *
 * Layout for classes of 3 and 2 rows; a row of pair (0, 1) is [ with class 0 | with class 1 ]:
 *
 *      block[0].value   3 x stride   K(0,.)  (1) of class 0's rows, 3 values each, then padding
 *      block[1].value   2 x stride   K(1,.)  (1) of class 1's rows
 *      room             for (2), and for rows of (1) that another thread is computing
 *
 *      row 1 of class 0:   out = [ block[0].value + place[1] * stride : 3 | room : 2 ]
 *
 * Rows of (1) have places in the order in which they are wanted: of a class mostly the support
 * vectors alone are, and the system gives memory in pages of 2 MB.
 *
 * Two ways.  class_tiles_init() fills the tiles of all classes and computes (1) row by row, when
 * asked.  class_tiles_init_whole() is for rows that have few of the columns (class_tiles_fill()):
 * (1) and (2) are computed class by class and pair by pair, and there are no tiles
 * to sum with (class_pair_has_tiles()).
 *
 * fill_columns() runs for each class of the pair: it finds where the values of each wanted row are
 * or will be (own_row(), want_row()), computes those that are not there in one go,
 * and copies.  Every row of the block that this thread has set to BEING_COMPUTED leaves
 * compute_wanted() as KNOWN or, after a failure, UNKNOWN again; no state stays BEING_COMPUTED.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "source/class_tiles.h"

#include "base/thread.h"
#include "kernel/float_sums.h"
#include "source/float_source.h"

/* ---- All kernel values between two classes of sparse rows, computed at once ---- */

/*
 * 64 rows of class a fill a tile, which has the columns of these rows alone (float_sums.c); all
 * rows of class b meet the tile.  A pair is solved with rows of the kernel matrix, so the values,
 * which are written by rows of b, are transposed for the rows of a.
 *
 * Pairs come in the order (0, 1), (0, 2), ...: a class a of up to 64 rows stays in the tile from
 * pair to pair.
 *
 * What it wins in bench/landscape (CPU seconds of one thread, with it and without): 20news-bydate
 * -t 2 (-c 1 and -c 10 -g .1, -c 100 -g 1e-5) 2.0 to 2.9 and more than 6.7 to 8.4; of 2,000 of its
 * rows .14 and .31.
 *
 * Work for a pair: the entries of a once, to fill tiles; the entries of b for each 64 rows of a;
 * and n_a n_b values to transpose.  Memory is a thread's own: struct class_cross is not shared.
 */

/* Rows of b that meet a tile in one call. */
#define ROWS_AT_ONCE 64

/* Rows and columns of a block of the transpose: two blocks, read and written, take 4 kB each. */
#define TRANSPOSED 32

/* floats from one row of n values to the next: whole groups of lanes */
static int64_t padded_size(int64_t n)
{
	return int64_round_up(n, FLOAT_GROUP);
}

int class_cross_init(struct class_cross *x, const struct float_vectors *rows,
		     const struct classes *classes, struct error *err)
{
	*x = (struct class_cross){ .rows = rows, .classes = classes };
	return float_tile_init(&x->tile, rows, err);
}

void class_cross_free(struct class_cross *x)
{
	mem_free_all(x->ab, x->ba);
	float_tile_free(&x->tile);
	*x = (struct class_cross){ 0 };
}

/* Fill the tile with rows first .. first + n - 1, unless the tile holds them already. */
static void fill_tile(struct class_cross *x, int64_t first, int n)
{
	if (x->n_in_tile > 0 && x->in_tile == first)
		return;
	float_tile_clear(&x->tile, x->rows, NULL, x->in_tile, x->n_in_tile);
	float_tile_fill(&x->tile, x->rows, NULL, first, n);
	x->in_tile = first;
	x->n_in_tile = n;
}

/* Kernel values of row j of class b and the row in a lane: value[j * stride + lane]. */
static void meet_tile(const struct class_cross *x, int b, float *value, int64_t stride)
{
	int64_t first = x->classes->start[b], n = classes_size(x->classes, b);

	for (int64_t j = 0; j < n; j += ROWS_AT_ONCE) {
		int64_t end = int64_min(j + ROWS_AT_ONCE, n);
		float *out[ROWS_AT_ONCE];

		for (int64_t u = j; u < end; u++)
			out[u - j] = value + u * stride;
		float_tile_values(x->rows, first + j, first + end, &x->tile, out);
	}
}

/*
 * the kernel value of row j of class b with row i of class a at
 * value[j * (stride of a) + i], aligned to 64 bytes; b may be a
 */
static void meet_classes(struct class_cross *x, int a, int b, float *value)
{
	int64_t n = classes_size(x->classes, a);

	float_vectors_count(x->rows, n * classes_size(x->classes, b));
	for (int64_t i = 0; i < n; i += FLOAT_TILE_LANES) {
		fill_tile(x, x->classes->start[a] + i, (int)int64_min(n - i, FLOAT_TILE_LANES));
		meet_tile(x, b, value + i, padded_size(n));
	}
}

/* Transpose, to[c][r] = from[r][c], by blocks that stay in the first-level cache. */
static void transpose(const float *from, int64_t n_rows, int64_t n_cols, float *to)
{
	int64_t stride = padded_size(n_cols), to_stride = padded_size(n_rows);

	for (int64_t i = 0; i < n_rows; i += TRANSPOSED)
		for (int64_t j = 0; j < n_cols; j += TRANSPOSED)
			for (int64_t c = j; c < int64_min(j + TRANSPOSED, n_cols); c++)
				for (int64_t r = i; r < int64_min(i + TRANSPOSED, n_rows); r++)
					to[c * to_stride + r] = from[r * stride + c];
}

int class_cross_compute(struct class_cross *x, int a, int b, struct error *err)
{
	int64_t n_a = classes_size(x->classes, a), n_b = classes_size(x->classes, b);
	int64_t n = padded_size(n_a) * padded_size(n_b);

	/* values of the pair before are not needed any more, so the old array is not copied */
	if (n > x->n_values) {
		mem_free_all(x->ab, x->ba);
		x->n_values = 0;
		x->ab = mem_large(n, sizeof(*x->ab), err);
		x->ba = mem_large(n, sizeof(*x->ba), err);
		if (!x->ab || !x->ba)
			return -1;
		x->n_values = n;
	}
	meet_classes(x, a, b, x->ba);
	transpose(x->ba, n_b, n_a, x->ab);
	return 0;
}

/*
 * Columns up to which a tile stays in the first-level cache (64 rows of 64 floats, 16 kB), so that
 * rows may be computed one by one.  Larger tiles are better read once for several rows.
 */
#define COLUMNS_AT_ONCE 64

/* State of a row of values. */
enum { UNKNOWN, BEING_COMPUTED, KNOWN, WITHOUT_PLACE };

/* Number of tiles that hold n rows. */
static int64_t count_tiles(int64_t n)
{
	return int64_blocks(n, FLOAT_TILE_LANES);
}

/* Floats that the blocks of all classes take, (1): the kernel values within them, with padding. */
static double own_floats(const struct classes *classes)
{
	double floats = 0;

	for (int k = 0; k < classes->n; k++)
		floats += (double)classes_size(classes, k) *
			  (double)padded_size(classes_size(classes, k));
	return floats;
}

/* Lanes of the tiles of all classes. */
static double count_lanes(const struct classes *classes)
{
	int64_t n_tiles = 0;

	for (int k = 0; k < classes->n; k++)
		n_tiles += count_tiles(classes_size(classes, k));
	return (double)(n_tiles * FLOAT_TILE_LANES);
}

/* Bytes of the tiles of all classes. */
static double tile_bytes(const struct float_vectors *x_float, const struct classes *classes)
{
	return count_lanes(classes) * (double)((x_float->n_cols + 1) * float_vectors_size(x_float));
}

double class_tiles_bytes(const struct float_vectors *x_float, const struct classes *classes,
			 double share)
{
	return share * own_floats(classes) * sizeof(float) + tile_bytes(x_float, classes);
}

double class_tiles_share(const struct float_vectors *x_float, const struct classes *classes,
			 double bytes)
{
	return fmin((bytes - tile_bytes(x_float, classes)) / (own_floats(classes) * sizeof(float)),
		    1);
}

double class_tiles_whole_bytes(const struct float_vectors *x_float, const struct classes *classes)
{
	double entries = (double)x_float->start[x_float->n];
	double largest = (double)padded_size(classes_largest_pair(classes));

	/* the two matrices of a pair are largest where the pair's classes are equally large */
	return own_floats(classes) * sizeof(float) +
	       entries * (double)(float_vectors_size(x_float) + sizeof(*x_float->col)) +
	       largest * largest / 2 * sizeof(float);
}

double class_tiles_fill(const struct float_vectors *x_float, const struct classes *classes)
{
	const double n_cols = (double)x_float->n_cols;

	return (x_float->dense ? (double)x_float->n * n_cols : (double)x_float->start[x_float->n]) /
	       (count_lanes(classes) * n_cols);
}

/*
 * Room for the kernel values of a share of a class's n rows, all unknown; memory is not touched
 * until used.
 */
static int block_init_values(struct class_block *b, int64_t n, double share, struct error *err)
{
	b->n = n;
	b->stride = padded_size(n);
	b->n_places = (int64_t)(share * (double)n);
	b->value = mem_large(b->n_places * b->stride, sizeof(*b->value), err);
	b->place = mem_array(n, sizeof(*b->place), err);
	b->state = mem_zeroed(n, sizeof(*b->state), err);
	return b->value && b->place && b->state ? 0 : -1;
}

/* Make the tiles of a class, whose rows are row[0 .. b->n - 1]. */
static int block_init_tiles(struct class_block *b, const struct float_vectors *x_float,
			    const int64_t *row, struct error *err)
{
	int64_t n = b->n, n_tiles = count_tiles(n);

	b->tile = mem_zeroed(n_tiles, sizeof(*b->tile), err);
	if (!b->tile)
		return -1;
	for (int64_t t = 0; t < n_tiles; t++) {
		int64_t first = t * FLOAT_TILE_LANES;

		if (float_tile_init(&b->tile[t], x_float, err) < 0)
			return -1;
		float_tile_fill(&b->tile[t], x_float, row, first,
				(int)int64_min(n - first, FLOAT_TILE_LANES));
	}
	return 0;
}

int class_tiles_init(struct class_tiles *t, const struct float_vectors *x_float,
		     const struct classes *classes, double share, struct error *err)
{
	*t = (struct class_tiles){ .x_float = x_float, .classes = classes };
	t->block = mem_zeroed(classes->n, sizeof(*t->block), err);
	for (int k = 0; err->code == ERR_NONE && k < classes->n; k++)
		if (block_init_values(&t->block[k], classes_size(classes, k), share, err) == 0)
			block_init_tiles(&t->block[k], x_float, classes->row + classes->start[k],
					 err);
	if (err->code == ERR_NONE)
		return 0;
	class_tiles_free(t);
	return -1;
}

/*
 * Arguments of the tasks that compute the values within each class, each thread in a room of its
 * own.
 */
struct filling {
	struct class_tiles *t;
	struct class_cross *room; /* room of each thread */
};

/*
 * Compute all values of class k, (1); no other thread reads the block yet, so states need no atomic
 * order.
 */
static void fill_block(void *arg, int64_t k, int thread)
{
	const struct filling *f = arg;
	struct class_block *b = &f->t->block[k];

	meet_classes(&f->room[thread], (int)k, (int)k, b->value);
	for (int64_t i = 0; i < b->n; i++) {
		b->place[i] = i;
		atomic_init(&b->state[i], KNOWN);
	}
}

/* Compute the values within all classes, (1): a task for each class, a room for each thread. */
static int fill_blocks(struct class_tiles *t, int n_threads, struct error *err)
{
	struct filling f = { .t = t };

	n_threads = thread_clamp_count((int)int64_min(n_threads, t->classes->n));
	f.room = mem_zeroed(n_threads, sizeof(*f.room), err);
	for (int k = 0; f.room && k < n_threads; k++)
		class_cross_init(&f.room[k], &t->by_class, t->classes, err);
	if (err->code == ERR_NONE)
		thread_parallel_for(n_threads, t->classes->n, fill_block, &f);
	for (int k = 0; f.room && k < n_threads; k++)
		class_cross_free(&f.room[k]);
	mem_free(f.room);
	return err->code == ERR_NONE ? 0 : -1;
}

int class_tiles_init_whole(struct class_tiles *t, const struct float_vectors *x_float,
			   const struct classes *classes, int n_threads, struct error *err)
{
	*t = (struct class_tiles){ .x_float = x_float, .classes = classes, .whole = true };
	t->block = mem_zeroed(classes->n, sizeof(*t->block), err);
	for (int k = 0; err->code == ERR_NONE && k < classes->n; k++)
		block_init_values(&t->block[k], classes_size(classes, k), 1, err);
	if (err->code == ERR_NONE &&
	    float_vectors_gather(&t->by_class, x_float, classes->row, x_float->n, err) == 0 &&
	    fill_blocks(t, n_threads, err) == 0)
		return 0;
	class_tiles_free(t);
	return -1;
}

void class_tiles_free(struct class_tiles *t)
{
	for (int k = 0; t->block && k < t->classes->n; k++) {
		struct class_block *b = &t->block[k];

		for (int64_t i = 0; b->tile && i < count_tiles(b->n); i++)
			float_tile_free(&b->tile[i]);
		mem_free_all(b->tile, b->value, b->place, b->state);
	}
	mem_free(t->block);
	float_vectors_free(&t->by_class);
	*t = (struct class_tiles){ 0 };
}

int64_t class_pair_room(const struct class_pair *pair)
{
	int64_t a = pair->tiles->block[pair->a].stride, b = pair->tiles->block[pair->b].stride;

	return MAX_CLASS_ROWS * int64_max(a, b);
}

/* Rows whose values with all rows of one class are to be computed. */
struct wanted_rows {
	struct class_block *block; /* block of the class whose rows the wanted rows meet */
	int n;
	int64_t row[MAX_CLASS_ROWS]; /* numbers of the wanted rows in the data */
	float *to[MAX_CLASS_ROWS];   /* places that the values of each row go to */
	/* state of each row of (1), to become KNOWN; NULL for (2) */
	atomic_uchar *state[MAX_CLASS_ROWS];
	int n_twice; /* rows that another thread computes right now, too */
};

/* Compute the values of the wanted rows, which are vectors first, first + 1, ... of 'v'. */
static void compute(const struct float_vectors *v, int64_t first, const struct wanted_rows *w)
{
	for (int64_t t = 0; t < count_tiles(w->block->n); t++) {
		float *out[MAX_CLASS_ROWS];

		for (int u = 0; u < w->n; u++)
			out[u] = w->to[u] + t * FLOAT_TILE_LANES;
		float_tile_values(v, first, first + w->n, &w->block->tile[t], out);
	}
}

/*
 * Compute the wanted rows, of which several are first gathered side by side, and set their states.
 */
static int compute_wanted(const struct float_vectors *x_float, const struct wanted_rows *w,
			  struct error *err)
{
	struct float_vectors some;
	int ret = 0;

	if (w->n == 1) {
		compute(x_float, w->row[0], w);
	} else if (w->n > 1) {
		ret = float_vectors_gather(&some, x_float, w->row, w->n, err);
		if (ret == 0)
			compute(&some, 0, w);
		float_vectors_free(&some);
	}
	for (int u = 0; u < w->n; u++)
		if (w->state[u])
			atomic_store_explicit(w->state[u], ret == 0 ? KNOWN : UNKNOWN,
					      memory_order_release);
	return ret;
}

/* Ask for the values of a row, to be computed into 'to'. */
static float *want_row(struct wanted_rows *w, int64_t row, float *to, atomic_uchar *state)
{
	w->row[w->n] = row;
	w->to[w->n] = to;
	w->state[w->n] = state;
	return w->to[w->n++];
}

/*
 * Find the values of row i of the block's own class, (1): in the block; or in the room, if another
 * thread computes them right now or no place is left.  A row that is not known is added to the
 * wanted rows.
 */
static float *own_row(struct class_block *b, int64_t i, int64_t row, float *room,
		      struct wanted_rows *w)
{
	unsigned char unknown = UNKNOWN;
	int64_t place;

	if (atomic_load_explicit(&b->state[i], memory_order_acquire) == KNOWN)
		return b->value + b->place[i] * b->stride;
	/*
	 * only one thread changes a state from UNKNOWN to BEING_COMPUTED, and that thread writes to
	 * the block
	 */
	if (!atomic_compare_exchange_strong(&b->state[i], &unknown, BEING_COMPUTED)) {
		w->n_twice += unknown == BEING_COMPUTED;
		return want_row(w, row, room, NULL);
	}
	place = atomic_fetch_add(&b->n_taken, 1);
	if (place >= b->n_places) {
		atomic_store(&b->state[i], WITHOUT_PLACE);
		return want_row(w, row, room, NULL);
	}
	b->place[i] = place;
	return want_row(w, row, b->value + place * b->stride, &b->state[i]);
}

/* Rows of a pair that class_pair_rows() is asked for, and places of the results. */
struct pair_request {
	const struct class_pair *pair;
	const int64_t *example; /* examples whose rows are wanted, n numbers within the pair */
	int n;
	float *room;	   /* room for values that no block keeps */
	float *const *out; /* results: pointers to the n rows */
};

/*
 * Copy the values of all examples with class k, by (1) or (2), to out[.][offset] on.  A copy is
 * needed: 'out' has no room for the padding of a block's rows, behind which the next class begins.
 */
static int fill_columns(const struct pair_request *r, int k, int64_t offset, struct error *err)
{
	const struct class_pair *pair = r->pair;
	const struct class_tiles *t = pair->tiles;
	struct wanted_rows w = { .block = &t->block[k] };
	int64_t n_a = t->block[pair->a].n;
	const float *from[MAX_CLASS_ROWS];
	float *room = r->room;

	for (int u = 0; u < r->n; u++, room += w.block->stride) {
		int own = r->example[u] < n_a ? pair->a : pair->b;
		int64_t i = r->example[u] - (own == pair->a ? 0 : n_a);
		int64_t row = t->classes->row[t->classes->start[own] + i];

		/*
		 * values within class k are kept in its block, (1); values across the classes are
		 * of this pair alone, (2), and computed each time
		 */
		if (own == k)
			from[u] = own_row(w.block, i, row, room, &w);
		else if (t->whole)
			/* of the other class with all of class k, (2), all of which are there */
			from[u] = (k == pair->b ? pair->cross->ab : pair->cross->ba) +
				  i * w.block->stride;
		else
			from[u] = want_row(&w, row, room, NULL);
	}
	if (compute_wanted(t->x_float, &w, err) < 0)
		return -1;
	/* with one thread, a row that two compute at the same time would be kept */
	float_vectors_count(t->x_float, (w.n - w.n_twice) * w.block->n);
	work_count(WORK_KEPT, (r->n - w.n + w.n_twice) * w.block->n);
	for (int u = 0; u < r->n; u++)
		memcpy(r->out[u] + offset, from[u], (size_t)w.block->n * sizeof(float));
	return 0;
}

int class_pair_rows(const struct class_pair *pair, const int64_t *example, int n, float *room,
		    float *const *out, struct error *err)
{
	struct pair_request request = { pair, example, n, room, out };

	/* columns of class a come first, then columns of class b: the order of the examples */
	if (fill_columns(&request, pair->a, 0, err) < 0)
		return -1;
	return fill_columns(&request, pair->b, pair->tiles->block[pair->a].n, err);
}

/* Sums for the rows of one class: out[i] = sum_j coef_j K(vector j, row i of the class). */
static void sum_block(const struct class_block *b, const struct float_vectors *vectors,
		      const float *coef, double *out)
{
	double sum[FLOAT_TILE_LANES] __attribute__((aligned(64)));

	float_vectors_count(vectors, b->n * vectors->n);
	for (int64_t t = 0; t < count_tiles(b->n); t++) {
		int64_t first = t * FLOAT_TILE_LANES;
		int64_t n = int64_min(b->n - first, FLOAT_TILE_LANES);

		memset(sum, 0, sizeof(sum));
		float_tile_sums(vectors, 0, vectors->n, coef, &b->tile[t], sum);
		memcpy(out + first, sum, (size_t)n * sizeof(double));
	}
}

int class_pair_sums(const struct class_pair *pair, const struct float_vectors *vectors,
		    const double *coef, double *out, struct error *err)
{
	const struct class_block *a = &pair->tiles->block[pair->a];
	float *narrow = mem_array(vectors->n, sizeof(*narrow), err);

	if (!narrow)
		return -1;
	for (int64_t j = 0; j < vectors->n; j++) /* rounded as in float_vectors_sums() */
		narrow[j] = (float)coef[j];
	sum_block(a, vectors, narrow, out);
	sum_block(&pair->tiles->block[pair->b], vectors, narrow, out + a->n);
	mem_free(narrow);
	return 0;
}

/* ---- The source of a pair of classes ---- */

/*
 * Rows over all examples, and sums for all, are those of the classes' tiles (source/class_tiles.h).
 * Others are a float_source's.
 *
 * How this works.  A pair (a, b) of classes is a problem whose examples are the rows of class a and
 * of class b.  Kernel values of two classes are wanted by every pair that has one of them, so tiles
 * of each class are kept for all pairs; where a request is for anything that these tiles do not
 * have, it goes to the float_source that the base was copied from:
 *
 *      request                                  answered by
 *      rows over all examples, from the first   tiles of both classes: fetch_whole()
 *      rows over some examples (shrinking), or  float_source, over the members
 *      from a later one on (extending)
 *      sums for all examples                    tiles, if they are kept
 *      sums for some examples                   float_source
 *
 * Both answers are values of the same kernel in floats.  The state has what either needs.
 */

static const struct class_pair *pair_of(const struct kernel_source *source)
{
	return &((const struct class_source *)source)->pair;
}

/* A float_source's rows, and room for class_pair_rows(). */
struct class_rows {
	struct kernel_rows floats;
	float *room;
};

static int open_rows(struct kernel_rows *r, struct error *err)
{
	struct class_rows *own = r->state = mem_zeroed(1, sizeof(*own), err);

	if (!own)
		return -1;
	own->floats = *r;
	/* the copy gets a state of its own, as r->state belongs to this source */
	own->floats.state = NULL;
	if (float_source_open_rows(&own->floats, err) < 0)
		return -1;
	own->room = mem_aligned(class_pair_room(pair_of(r->source)), sizeof(*own->room), err);
	return own->room ? 0 : -1;
}

static void close_rows(struct kernel_rows *r)
{
	struct class_rows *own = r->state;

	if (!own)
		return;
	float_source_close_rows(&own->floats);
	mem_free_all(own->room, own);
}

/* Are the members all examples, member j being example j? */
static bool in_tiles(const struct kernel_rows *r, const struct row_members *over)
{
	return over->in_place && over->n == r->p->n;
}

static int rows_at_once(const struct kernel_rows *r, const struct row_members *over)
{
	const struct class_tiles *tiles = pair_of(r->source)->tiles;

	if (!in_tiles(r, over))
		return KERNEL_ROWS_AT_ONCE;
	/* class_pair_rows() is fastest with several rows if these are long */
	return tiles->whole || tiles->x_float->n_cols <= COLUMNS_AT_ONCE ? 1 : MAX_CLASS_ROWS;
}

/* Fetch whole rows, MAX_CLASS_ROWS at a time, and clear their padding. */
static int fetch_whole(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct class_rows *own = r->state;
	int64_t n = q->over->n;
	float *out[MAX_CLASS_ROWS];

	for (int64_t v = 0; v < q->n; v += MAX_CLASS_ROWS) {
		int some = (int)int64_min(q->n - v, MAX_CLASS_ROWS);

		for (int k = 0; k < some; k++)
			out[k] = q->out[v + k];
		if (class_pair_rows(pair_of(r->source), q->wanted + v, some, own->room, out, err) <
		    0)
			return -1;
		for (int k = 0; k < some; k++)
			memset(out[k] + n, 0, (size_t)(kernel_rows_padded(n) - n) * sizeof(float));
	}
	return 0;
}

/* Fetch rows: whole ones by the tiles of the classes, all others by the float_source. */
static int fetch_rows(const struct kernel_rows *r, const struct row_request *q, struct error *err)
{
	const struct class_rows *own = r->state;

	return q->first == 0 && in_tiles(r, q->over) ?
		       fetch_whole(r, q, err) :
		       float_source_fetch_rows(&own->floats, q, err);
}

/*
 * Sums for all examples by the tiles of the classes, if tiles are kept; else by the float_source.
 */
static int sum(const struct kernel_sums *s, const struct sum_request *q, struct error *err)
{
	const struct class_pair *pair = pair_of(s->source);

	if (q->position || s->exact || pair->tiles->whole)
		return kernel_sums_by_looks(s, q, err);
	return class_pair_sums(pair, s->state, s->coef, q->value, err);
}

static const struct kernel_source_type class_type = {
	.open_rows = open_rows,
	.close_rows = close_rows,
	.rows_at_once = rows_at_once,
	.fetch_rows = fetch_rows,
	.open_sums = float_source_open_sums,
	.close_sums = float_source_close_sums,
	.sum = sum,
	.sum_rows = float_source_sum_rows,
};

struct class_source class_source_make(struct class_pair pair, const struct kernel_source *floats)
{
	struct class_source s = { .base = *floats, .pair = pair };

	s.base.type = &class_type;
	s.base.for_subset = floats;
	return s;
}
