/*
 * dense_maps.c - projections by independent entries: gaussian, uniform, Achlioptas', very sparse
 *
 * How this works.  y = x R is a weighted sum of rows of R,
 *
 *     y = scale sum_j x_j R_j,      R_j the row of feature j, made of (seed, j)            (1)
 *
 * R is too large to keep (features x columns), and an entry of it takes some cycles to make from
 * random words and a fraction of a cycle to multiply and add.  So its rows are made as seldom as
 * possible:
 *
 *  (2) Rows of x come in blocks.  The entries of a block are sorted by feature; a run of entries
 *      with the same feature shares one R_j.
 *  (3) R_j is made and used by tiles of 128 columns, which stay in the first-level cache, and whose
 *      sums, one tile of each row of the block, stay in the second.
 *  (4) Rows of R of features that are met often are kept in a cache from block to block.  In text
 *      a few thousand words are most of the entries.
 *
 * The sums have the same bits for any blocks, threads and cache sizes: a row has each feature once,
 * runs come by ascending feature, so that each sum is added up in the order of the row's entries,
 * and an entry of R is the same whether it was kept or made again.  Whoever changes the order of
 * the loops over tiles and runs keeps that; splitting runs does not.
 *
 * Cost: O(nnz r) to add; at most the same to make, less by the length of runs and by the cache.
 * gaussian of 20news at r = 1024 took 1.50 s of CPU before features were counted for (4), and takes
 * 1.05 s since.
 *
 * A block on its way, with the memory of each stage:
 *
 *      entries     (feature, row, value), in the order of the rows       sort_entries()
 *      sorted      by feature, rows in order within a feature            find_runs()
 *      runs        feature j: entries first .. end - 1, line of cache    add_entries()
 *      sums        [rows][stride], tile of columns by tile of columns    append_sums()
 *
 *      for each tile of 128 columns          sums of the tile stay in the second-level cache
 *          for each run                      the tile of R_j is made or found once
 *              for each entry of the run     sums of its row += value times the tile
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "project/family.h"
#include "project/project_loops.h"

enum {
	/* more entries make longer runs; with the sorted copy and the runs these take 8 MB */
	BLOCK_ENTRIES = 1 << 17,
	/* of a block in little memory, 64 kB: a call costs more than this */
	LEAST_ENTRIES = 1 << 10,
	BLOCK_ROWS = 512,	/* whose sums for a tile fill half a megabyte of doubles */
	BLOCK_BYTES = 8 << 20,	/* sums of a block, unless one row has more */
	CACHE_BYTES = 32 << 20, /* default memory of the cache: 4096 rows at r = 1024 */
	/* places that a row may have: with one, two frequent features drive each other out */
	CACHE_WAYS = 4,
	LOG2_COUNTERS = 16,   /* 2^16 counters, 256 kB; features share them by their hashes */
	MAX_COUNTED = 1 << 22 /* entries until all counts are halved: old entries count less */
};

/* ---- Entries of R, not yet scaled ---- */

/*
 * Columns first .. first + PROJECTION_TILE - 1 of R_j.  A draw (seed, stream, j, b) has four words:
 * two normal or uniform numbers, or four entries of the other kinds; b counts draws along the row.
 */
static void make_tile(const struct projection *p, uint32_t feature, int64_t first, double *tile)
{
	struct rng_block block[PROJECTION_TILE / 2];
	struct rng_place place = { p->options.seed, RNG_GAUSSIAN, feature, (uint32_t)(first / 2) };
	const enum projection_method method = p->options.method;
	const int64_t half = PROJECTION_TILE / 2, quarter = PROJECTION_TILE / 4;

	if (method == PROJECT_GAUSSIAN) {
		rng_fill_normals(&place, half, tile);
		return;
	}
	if (method == PROJECT_UNIFORM || method == PROJECT_CAUCHY) {
		place.stream = method == PROJECT_UNIFORM ? RNG_UNIFORM : RNG_CAUCHY;
		rng_fill_blocks(&place, half, block);
		(method == PROJECT_UNIFORM ? uniform_entries : cauchy_entries)(block, half, tile);
		return;
	}
	place.b = (uint32_t)(first / 4);
	place.stream = method == PROJECT_LI ? RNG_VERY_SPARSE : RNG_ACHLIOPTAS;
	rng_fill_blocks(&place, quarter, block);
	if (method == PROJECT_LI)
		sparse_entries(block, quarter, p->threshold, tile);
	else /* the least words w with 6 w / 2^32 at least 1 and 2: +1, -1 and 0 as 1 : 1 : 4 */
		ternary_entries(block, quarter, 715827883, 1431655766, tile);
}

/*
 * s of li, and the words that make an entry: w < 2 round(2^31 / s), an even number, so that the
 * lowest bit of the word is a fair sign.
 */
static int choose_sparsity(struct projection *p, struct error *err)
{
	struct projection_options *o = &p->options;

	if (o->sparsity == 0 && o->n_features == 0)
		return error_set(err, ERR_ARGUMENT,
				 "li needs a sparsity or the number of features, whose square root "
				 "it is otherwise");
	if (o->sparsity == 0)
		o->sparsity = sqrt((double)o->n_features);
	if (!(o->sparsity >= 1 && o->sparsity <= PROJECTION_MAX_SPARSITY))
		return error_set(err, ERR_ARGUMENT, "sparsity %g is not between 1 and %g",
				 o->sparsity, PROJECTION_MAX_SPARSITY);
	p->threshold = 2 * (uint64_t)round(0x1p31 / o->sparsity);
	return 0;
}

/*
 * scale^2 r = 1 / E[entry^2], so that E[R R'] = I (but for Cauchy's numbers, which have no variance);
 * 'stride' rounds r up to whole tiles
 */
static int dense_start(struct projection *p, struct error *err)
{
	double r = (double)p->options.n_columns, variance = 1;

	if (p->options.method == PROJECT_LI && choose_sparsity(p, err) < 0)
		return -1;
	if (p->options.method == PROJECT_LI)
		variance = p->options.sparsity;
	else if (p->options.method != PROJECT_GAUSSIAN)
		variance = 3;
	p->scale = sqrt(variance / r);
	p->stride = int64_round_up(p->options.n_columns, PROJECTION_TILE);
	return 0;
}

/* Row of R for one feature, without the scale; the last tile may have more columns than R. */
static void dense_row(const struct projection *p, uint32_t feature, double *row)
{
	double tile[PROJECTION_TILE];

	for (int64_t t = 0; t < p->options.n_columns; t += PROJECTION_TILE) {
		int64_t n = p->options.n_columns - t;

		make_tile(p, feature, t, tile);
		memcpy(row + t, tile, (size_t)int64_min(n, PROJECTION_TILE) * sizeof(*row));
	}
}

/*
 * ---- The cache ----
 *
 * (4): sets of CACHE_WAYS lines, each a row of R, all tiles of it.  A feature takes the place of
 * one of its set that was met less often, by counters that features share where their hashes
 * agree.  The last rows used would not be worth keeping: a block has more features than the cache
 * has lines, each of them once, and rare features would drive the frequent ones out.
 *
 * A line chosen in a block stays until its end, since the row is made tile by tile, and is
 * complete only when all columns are done.
 */

/* A line of the cache, by the feature whose row it has. */
struct cache_line {
	uint32_t index; /* feature number of the file */
	bool used;
	int64_t block; /* number of the last block that used the line */
};

/* The cache of one map_room: its lines outlive the call, this struct does not. */
struct map_cache {
	int64_t n_sets;	   /* sets of the cache; 0: no set fits the memory, and no row is kept */
	int64_t n_counted; /* entries counted since counts were halved, and half of those before */
	struct cache_line *line; /* lines of the row cache, [n_sets][CACHE_WAYS] */
	char *row;		 /* rows of R, 'stride' entries a line */
	uint32_t *counter;	 /* 2^LOG2_COUNTERS counts of features, by hash */
};

/* The entries of one feature in a block. */
struct run {
	int64_t first, end; /* places in block->entry */
	int64_t line;	    /* cache line that holds R_j or will receive R_j; -1 without a line */
	bool ready;	    /* true if the cache line holds R_j */
};

/* Rows that are summed together; all memory is the map_room's. */
struct block {
	const struct projection *p;
	struct dense_entry *entry, *spare; /* max_entries each; 'spare' is for sorting */
	struct run *run;
	int64_t max_entries, max_rows; /* sizes by the room's memory, see choose_sizes() */
	int64_t n_entries, n_rows, n_runs;
	int64_t number;	    /* number from 1, over the life of the room */
	size_t size;	    /* size of a sum in bytes */
	void *sum;	    /* sums of the block, n_rows of row_stride */
	int64_t row_stride; /* an odd number of cache lines: rows do not crowd a cache set */
	struct map_cache cache;
};

/* Multiplicative hashing: the high bits of the product depend on all bits of the index. */
static uint32_t hash(uint32_t index)
{
	return index * UINT32_C(2654435769); /* 2^32 / golden ratio */
}

static uint32_t *counter_of(const struct map_cache *cache, uint32_t index)
{
	return &cache->counter[hash(index) >> (32 - LOG2_COUNTERS)];
}

/* n more entries of a feature; once in MAX_COUNTED / 2 entries all counts are halved. */
static void count_entries(struct map_cache *cache, uint32_t index, int64_t n)
{
	*counter_of(cache, index) += (uint32_t)n;
	cache->n_counted += n;
	if (cache->n_counted < MAX_COUNTED)
		return;
	for (int64_t c = 0; c < 1 << LOG2_COUNTERS; c++)
		cache->counter[c] /= 2;
	cache->n_counted /= 2;
}

/* Was the feature of line a met less often than that of b?  An empty line comes before all. */
static bool comes_less(const struct map_cache *cache, const struct cache_line *a,
		       const struct cache_line *b)
{
	if (!a->used || !b->used)
		return !a->used && b->used;
	return *counter_of(cache, a->index) < *counter_of(cache, b->index);
}

/*
 * The line that has the run's row of R; else the line of its set met least often, if that is less
 * often than this feature, to be filled; else none.
 */
static void choose_line(struct block *block, struct run *run)
{
	struct map_cache *cache = &block->cache;
	const struct cache_line wanted = { block->entry[run->first].index, true, block->number };
	int64_t set = (int64_t)((uint64_t)hash(wanted.index) * (uint64_t)cache->n_sets >> 32);
	struct cache_line *line = cache->line + set * CACHE_WAYS, *least = NULL;

	run->line = -1;
	run->ready = false;
	if (cache->n_sets == 0)
		return;
	count_entries(cache, wanted.index, run->end - run->first);
	for (int k = 0; k < CACHE_WAYS; k++, line++) {
		if (line->used && line->index == wanted.index) {
			line->block = block->number;
			run->line = line - cache->line;
			run->ready = true;
			return;
		}
		/* lines of this block are in use until its end */
		if (line->block != block->number && (!least || comes_less(cache, line, least)))
			least = line;
	}
	if (least && comes_less(cache, least, &wanted)) {
		*least = wanted;
		run->line = least - cache->line;
	}
}

/* ---- Blocks of rows ---- */

/* One pass of a stable radix sort by eleven bits; false if there was nothing to do. */
static bool sort_by_bits(const struct dense_entry *from, struct dense_entry *to, int64_t n,
			 int shift)
{
	int64_t start[2049] = { 0 };

	for (int64_t e = 0; e < n; e++)
		start[(from[e].index >> shift & 2047) + 1]++;
	if (start[(from[0].index >> shift & 2047) + 1] == n)
		return false;
	for (int d = 0; d < 2048; d++)
		start[d + 1] += start[d];
	for (int64_t e = 0; e < n; e++)
		to[start[from[e].index >> shift & 2047]++] = from[e];
	return true;
}

/* (2): by index.  Stable: rows stay in order, and a row's sums are met in the order of memory. */
static void sort_entries(struct block *block)
{
	for (int shift = 0; shift < 32; shift += 11)
		if (sort_by_bits(block->entry, block->spare, block->n_entries, shift)) {
			struct dense_entry *sorted = block->spare;

			block->spare = block->entry;
			block->entry = sorted;
		}
}

/* The runs of the sorted entries, with their lines of the cache. */
static void find_runs(struct block *block)
{
	block->n_runs = 0;
	for (int64_t e = 0, end; e < block->n_entries; e = end) {
		struct run *run = &block->run[block->n_runs++];

		for (end = e + 1;
		     end < block->n_entries && block->entry[end].index == block->entry[e].index;
		     end++)
			;
		run->first = e;
		run->end = end;
		choose_line(block, run);
	}
}

/*
 * The tile of a run's row of R, in the type of the sums, from 'column' on: from the cache, or made
 * there, or made in 'spare'.
 */
static const void *tile_of(const struct block *block, struct run *run, int64_t column, void *spare)
{
	double tile[PROJECTION_TILE];
	void *place = spare;

	if (run->line >= 0)
		place = block->cache.row +
			(run->line * block->p->stride + column) * (int64_t)block->size;
	if (run->ready)
		return place;
	make_tile(block->p, internal_feature((int32_t)block->entry[run->first].index), column,
		  tile);
	if (!block->p->options.single)
		return memcpy(place, tile, sizeof(tile));
	round_values(tile, PROJECTION_TILE, place);
	return place;
}

/* (3): the entries of the block, tile by tile, to the sums of their rows */
static void add_entries(struct block *block)
{
	_Alignas(64) double spare[PROJECTION_TILE];

	sort_entries(block);
	find_runs(block);
	for (int64_t column = 0; column < block->p->stride; column += PROJECTION_TILE)
		for (int64_t k = 0; k < block->n_runs; k++) {
			struct run *run = &block->run[k];
			const struct dense_entry *entry = block->entry + run->first;
			const void *tile = tile_of(block, run, column, spare);

			if (block->p->options.single)
				tile_add_single(tile, entry, run->end - run->first,
						(float *)block->sum + column, block->row_stride);
			else
				tile_add(tile, entry, run->end - run->first,
					 (double *)block->sum + column, block->row_stride);
		}
}

/* The entries k .. end - 1 of 'in', which all belong to one row. */
static void take_entries(struct block *block, const struct row_batch *in, int64_t k, int64_t end)
{
	for (; k < end; k++)
		block->entry[block->n_entries++] =
			(struct dense_entry){ (uint32_t)in->index[k], (uint32_t)block->n_rows,
					      in->value[k] };
}

/* The sums of the k-th row of the block. */
static void *row_sums(const struct block *block, int64_t k)
{
	return (char *)block->sum + k * block->row_stride * (int64_t)block->size;
}

/*
 * Sum rows from 'i' on, as many as make a block; returns the first row left.  A row of more entries
 * than a block holds is added in pieces, the last of which may be joined by other rows.
 */
static int64_t sum_block(struct block *block, const struct row_batch *in, int64_t i, int64_t last)
{
	block->n_entries = block->n_rows = 0;
	block->number++;
	for (; i < last && block->n_rows < block->max_rows; i++, block->n_rows++) {
		int64_t k = in->row_start[i], end = in->row_start[i + 1];

		if (block->n_rows > 0 && block->n_entries + end - k > block->max_entries)
			break;
		memset(row_sums(block, block->n_rows), 0, (size_t)block->row_stride * block->size);
		for (; end - k > block->max_entries; k += block->max_entries) {
			take_entries(block, in, k, k + block->max_entries);
			add_entries(block);
			block->n_entries = 0;
			block->number++;
		}
		take_entries(block, in, k, end);
	}
	if (block->n_entries > 0)
		add_entries(block);
	return i;
}

/* The cache as the last call left it: its lines are in the room, which starts with none. */
static int start_cache(struct map_cache *cache, int64_t n_bytes, int64_t line_bytes,
		       struct map_room *room, struct error *err)
{
	int64_t n_lines, n_counters;

	cache->n_sets = n_bytes / line_bytes / CACHE_WAYS; /* may be 0 */
	n_lines = cache->n_sets > 0 ? cache->n_sets * CACHE_WAYS : 1;
	n_counters = cache->n_sets > 0 ? 1 << LOG2_COUNTERS : 1;
	cache->n_counted = room->n_counted;
	cache->row = room_reserve(&room->cached, n_lines, (size_t)line_bytes, err);
	cache->line = room_reserve_zeroed(&room->cache_lines, n_lines, sizeof(*cache->line), err);
	cache->counter =
		room_reserve_zeroed(&room->counters, n_counters, sizeof(*cache->counter), err);
	return cache->row && cache->line && cache->counter ? 0 : -1;
}

/*
 * How many entries and rows the block may have; returns the bytes of the cache.  Of little memory
 * the entries have a quarter and the sums another, if one row has no more.
 */
static int64_t choose_sizes(struct block *block, const struct map_room *room)
{
	const int64_t cache = room->cache_bytes ? room->cache_bytes : CACHE_BYTES;
	const int64_t most = room->most_bytes, row = block->row_stride * (int64_t)block->size;
	const int64_t entry = 2 * sizeof(*block->entry) + sizeof(*block->run);
	int64_t left;

	block->max_entries = BLOCK_ENTRIES;
	block->max_rows = BLOCK_BYTES / (block->p->stride * (int64_t)sizeof(double));
	block->max_rows = int64_clamp(block->max_rows, 1, BLOCK_ROWS);
	if (most == 0)
		return cache;
	block->max_entries = int64_clamp(most / 4 / entry, LEAST_ENTRIES, BLOCK_ENTRIES);
	block->max_rows = int64_clamp(most / 4 / row, 1, block->max_rows);
	left = most - block->max_entries * entry - block->max_rows * row -
	       (int64_t)(sizeof(*block->cache.counter) << LOG2_COUNTERS);
	return int64_clamp(left, 0, cache);
}

static int start_block(struct block *block, const struct projection *p, struct map_room *room,
		       struct error *err)
{
	int64_t cache_bytes;

	block->p = p;
	block->size = p->options.single ? sizeof(float) : sizeof(double);
	block->row_stride = p->stride + 64 / (int64_t)block->size;
	block->number = room->n_blocks;
	cache_bytes = choose_sizes(block, room);
	block->entry =
		room_reserve(&room->entries, 2 * block->max_entries, sizeof(*block->entry), err);
	block->run = room_reserve(&room->runs, block->max_entries, sizeof(*block->run), err);
	block->sum =
		room_reserve(&room->sums, block->max_rows * block->row_stride, block->size, err);
	if (!block->entry || !block->run || !block->sum ||
	    start_cache(&block->cache, cache_bytes, p->stride * (int64_t)block->size, room, err) <
		    0)
		return -1;
	block->spare = block->entry + block->max_entries;
	return 0;
}

static int dense_apply(const struct projection *p, struct row_range rows, struct row_batch *out,
		       struct map_room *room, struct error *err)
{
	int64_t last = rows.first + rows.n, end;
	struct block block = { 0 };

	if (start_block(&block, p, room, err) < 0)
		return -1;
	for (int64_t i = rows.first; i < last; i = end) {
		end = sum_block(&block, rows.in, i, last);
		/* also where appending fails: a number used twice would pin the first's lines */
		room->n_blocks = block.number;
		room->n_counted = block.cache.n_counted;
		for (int64_t k = 0; k < block.n_rows; k++) {
			const struct summed_row row = { rows.in, i + k, row_sums(&block, k) };

			if (append_sums(p, row, out, err) < 0)
				return -1;
		}
	}
	return 0;
}

const struct projection_family dense_family = { dense_start, dense_apply, dense_row };
