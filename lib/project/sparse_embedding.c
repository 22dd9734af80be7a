/*
 * sparse_embedding.c - count sketch, OSNAP and the generalised sparse embedding
 *
 * How this works.  The r = q a v columns are q blocks of a copies of v columns each:
 *
 *     block 0                       block 1
 *     | copy 0 | copy 1 | ...       | copy 0 | copy 1 | ...           copy: v columns
 *
 * Feature j draws a block h, and in each of its copies c a place and a sign:
 *
 *     R_jt = +-1 / sqrt(a)   in the columns t = (h a + c) v + place_jc,  c = 0 .. a - 1      (1)
 *
 * and 0 else.  With q = r, a = v = 1 that is the count sketch, with q = 1 OSNAP.  One entry of x
 * costs a additions, whatever r is: O(nnz a) a row.  The variance of |xR|^2 is the same for all a
 * (projection.h); but two large entries of x that meet in a column meet in few copies of several,
 * so that more copies make large deviations rarer.
 *
 * Block, places and signs are hashes of (seed, j) by Philox, which take more time than the
 * additions; so they are computed for 256 entries of a row at once, and two copies share a draw.
 *
 * A row of few entries touches few of the r columns.  Going through all r sums to find those would
 * cost more than the row itself: a set of columns, with a summary that says which of its words are
 * not empty (2), gives them in ascending order.
 *
 * Source: Clarkson and Woodruff 2013; Nelson and Nguyen 2013; Charikar, Chen, Farach-Colton 2002.
 *
 * A row on its way:
 *
 *      chunk       up to PROJECTION_CHUNK entries: features and values     take_chunk()
 *      hashes      block of each; for two copies, columns and signs        hash_blocks(), ..pair()
 *      sums        sum[column] += sign value, r numbers                    add_doubles()
 *      touched     the set (2) of columns, for rows of few entries         note()
 *      output      columns ascending, sums zero again                      append_few(), ..all()
 *
 * Invariant between rows: all sums and all words of the set are 0.  append_few() restores it in
 * O(columns touched), append_all() in O(r).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "project/family.h"

/* ---- Options ---- */

/*
 * q, a and v from r.  On text of rank 120 the error |I - M| of the inner products was, at r = 2048,
 * 0.59 for a = 1, 0.53 for both (r / 32, 4, 8) and q = 1, a = 4, and 0.53 for random signs; at 512
 * columns 1.22, 1.17, 1.15 and 1.15.
 */
static void choose_blocks(struct projection_options *o)
{
	o->q = o->a = 1;
	if (o->method == PROJECT_COUNTSKETCH) {
		o->q = o->n_columns;
	} else if (o->method == PROJECT_CW && o->n_columns % 32 == 0) {
		o->q = o->n_columns / 32;
		o->a = 4;
	} else {
		/* the first of 4, 2, 1 that divides r, so that all copies are equally wide */
		o->a = o->n_columns % 4 == 0 ? 4 : o->n_columns % 2 == 0 ? 2 : 1;
	}
	o->v = o->n_columns / o->q / o->a;
}

/* 'scale' is that of (1). */
static int sparse_start(struct projection *p, struct error *err)
{
	struct projection_options *o = &p->options;
	int64_t product;

	if (o->q == 0 && o->a == 0 && o->v == 0)
		choose_blocks(o);
	else if (o->method == PROJECT_OSNAP)
		o->q = 1;
	/* q a v = r, without overflow on the way: the numbers may come from a file */
	if (o->q < 1 || o->a < 1 || o->v < 1 || __builtin_mul_overflow(o->q, o->a, &product) ||
	    __builtin_mul_overflow(product, o->v, &product) || product != o->n_columns)
		return error_set(err, ERR_ARGUMENT,
				 "%s %" PRId64 ",%" PRId64 ",%" PRId64
				 ": their product is not %" PRId64 " columns",
				 projection_names[o->method], o->q, o->a, o->v, o->n_columns);
	p->scale = 1 / sqrt((double)o->a);
	p->stride = o->n_columns;
	return 0;
}

/* ---- Columns of the entries of R ---- */

/* Columns and signs by (1) of the entries of a chunk, for two copies at a time. */
struct hashes {
	uint32_t block[PROJECTION_CHUNK];     /* first column of the feature's block */
	uint32_t column[2][PROJECTION_CHUNK]; /* columns of two copies */
	uint32_t sign[2][PROJECTION_CHUNK];   /* sign bit of a float: 0, or 2^31 for -1 */
};

/* h of each entry's feature, as the first column of the block; no draw where there is one block */
static void hash_blocks(const struct projection *p, const struct row_chunk *chunk, struct hashes *h)
{
	const struct projection_options *o = &p->options;
	const struct rng_place place = { o->seed, RNG_SKETCH_BLOCK, 0, 0 };
	const uint64_t q = (uint64_t)o->q;
	const uint32_t width = (uint32_t)(o->a * o->v);
	uint32_t w[4][PROJECTION_CHUNK];

	if (q == 1) {
		memset(h->block, 0, sizeof(h->block));
		return;
	}
	rng_fill_each(&place, chunk->feature, chunk->n, w[0], PROJECTION_CHUNK);
	for (int64_t e = 0; e < chunk->n; e++)
		h->block[e] = (uint32_t)(w[0][e] * q >> 32) * width;
}

/* Columns and signs of the copies 2 pair and 2 pair + 1. */
static void hash_pair(const struct projection *p, const struct row_chunk *chunk, int64_t pair,
		      struct hashes *h)
{
	const struct projection_options *o = &p->options;
	const struct rng_place place = { o->seed, RNG_SKETCH_BUCKET, 0, (uint32_t)pair };
	const uint64_t v = (uint64_t)o->v;
	uint32_t w[4][PROJECTION_CHUNK];

	rng_fill_each(&place, chunk->feature, chunk->n, w[0], PROJECTION_CHUNK);
	for (int c = 0; c < 2; c++) {
		uint32_t start = (uint32_t)((2 * pair + c) * o->v);

		for (int64_t e = 0; e < chunk->n; e++) {
			h->column[c][e] = h->block[e] + start + (uint32_t)(w[2 * c][e] * v >> 32);
			h->sign[c][e] = w[2 * c + 1][e] << 31;
		}
	}
}

/* Row of R for one feature, without the scale: the same hashes for a chunk of one entry. */
static void sparse_row(const struct projection *p, uint32_t feature, double *row)
{
	struct row_chunk chunk = { .n = 1, .feature = { feature } };
	struct hashes h;

	memset(row, 0, (size_t)p->options.n_columns * sizeof(*row));
	hash_blocks(p, &chunk, &h);
	for (int64_t s = 0; s < p->options.a; s++) {
		if (s % 2 == 0)
			hash_pair(p, &chunk, s / 2, &h);
		row[h.column[s % 2][0]] = h.sign[s % 2][0] ? -1 : 1;
	}
}

/* ---- Rows ---- */

/* (2): a set of columns, 64 a word, and the set of its words that are not empty */
struct column_set {
	uint64_t *word, *summary;
	int64_t n_summaries;
};

/* The work on one call; all memory is the map_room's. */
struct embedding {
	const struct projection *p;
	void *sum;		   /* sums of a row, r; all zero between rows */
	struct column_set touched; /* columns with a sum; empty between rows */
	uint32_t *column;	   /* room for r / 8 columns, as many as a row of few touches */
};

/* (2): the column joins the set, and its word the summary, which has a bit for each word. */
static inline void note(const struct column_set *set, uint32_t column)
{
	set->word[column / 64] |= UINT64_C(1) << column % 64;
	set->summary[column / 4096] |= UINT64_C(1) << column / 64 % 64;
}

/* A chunk's values to their columns; a table of both signs instead of a branch on random bits */
static void add_doubles(const struct row_chunk *chunk, const uint32_t *column, const uint32_t *sign,
			double *sum)
{
	for (int64_t e = 0; e < chunk->n; e++) {
		const double signed_value[2] = { chunk->value[e], -chunk->value[e] };

		sum[column[e]] += signed_value[sign[e] >> 31];
	}
}

/* add_doubles() for sums in single precision, of values rounded to floats */
static void add_singles(const struct row_chunk *chunk, const uint32_t *column, const uint32_t *sign,
			float *sum)
{
	for (int64_t e = 0; e < chunk->n; e++) {
		const float signed_value[2] = { chunk->rounded[e], -chunk->rounded[e] };

		sum[column[e]] += signed_value[sign[e] >> 31];
	}
}

/* All copies of a chunk's entries; 'few': note the columns that this touches. */
static void add_chunk(const struct embedding *k, const struct row_chunk *chunk, bool few)
{
	struct hashes h;

	hash_blocks(k->p, chunk, &h);
	for (int64_t s = 0; s < k->p->options.a; s++) {
		if (s % 2 == 0)
			hash_pair(k->p, chunk, s / 2, &h);
		if (k->p->options.single)
			add_singles(chunk, h.column[s % 2], h.sign[s % 2], k->sum);
		else
			add_doubles(chunk, h.column[s % 2], h.sign[s % 2], k->sum);
		for (int64_t e = 0; few && e < chunk->n; e++)
			note(&k->touched, h.column[s % 2][e]);
	}
}

/* The columns touched, ascending; the set is empty afterwards. */
static int64_t take_columns(const struct embedding *k)
{
	const struct column_set *set = &k->touched;
	int64_t n = 0;

	for (int64_t s = 0; s < set->n_summaries; s++) {
		for (; set->summary[s]; set->summary[s] &= set->summary[s] - 1) {
			int64_t w = 64 * s + __builtin_ctzll(set->summary[s]);

			for (; set->word[w]; set->word[w] &= set->word[w] - 1)
				k->column[n++] = (uint32_t)(64 * w + __builtin_ctzll(set->word[w]));
		}
	}
	return n;
}

/* append_sums() where all sums but those of n columns, ascending, are zero. */
static int append_columns(const struct projection *p, struct summed_row row, const uint32_t *column,
			  int64_t n, struct row_batch *out, struct error *err)
{
	int64_t end = out->n_entries;

	if (row_batch_reserve_entries(out, n, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		double value = p->options.single ?
				       (float)p->scale * ((const float *)row.sum)[column[k]] :
				       p->scale * ((const double *)row.sum)[column[k]];

		out->value[end] = value;
		out->index[end] = (int32_t)column[k] + 1;
		end += value != 0;
	}
	out->n_entries = end;
	row_batch_end_mapped(out, row.in, row.i);
	return 0;
}

/* The row ends: append the columns touched, and make their sums zero again. */
static int append_few(const struct embedding *k, const struct row_batch *in, int64_t i,
		      struct row_batch *out, struct error *err)
{
	int64_t n = take_columns(k);
	int ret =
		append_columns(k->p, (struct summed_row){ in, i, k->sum }, k->column, n, out, err);

	for (int64_t c = 0; c < n; c++) {
		if (k->p->options.single)
			((float *)k->sum)[k->column[c]] = 0;
		else
			((double *)k->sum)[k->column[c]] = 0;
	}
	return ret;
}

/* The row ends: append all columns, and make all sums zero again. */
static int append_all(const struct embedding *k, const struct row_batch *in, int64_t i,
		      struct row_batch *out, struct error *err)
{
	int ret = append_sums(k->p, (struct summed_row){ in, i, k->sum }, out, err);

	memset(k->sum, 0,
	       (size_t)k->p->options.n_columns *
		       (k->p->options.single ? sizeof(float) : sizeof(double)));
	return ret;
}

/* Memory of the room.  Sums and set are zero in a new one, and every row leaves them so. */
static int start_sketch(struct embedding *k, const struct projection *p, struct map_room *room,
			struct error *err)
{
	int64_t r = p->options.n_columns, n_words = int64_blocks(r, 64);

	k->p = p;
	k->sum = room_reserve_zeroed(&room->sums, r,
				     p->options.single ? sizeof(float) : sizeof(double), err);
	k->touched.n_summaries = int64_blocks(n_words, 64);
	k->touched.word = room_reserve_zeroed(&room->touched, n_words + k->touched.n_summaries,
					      sizeof(*k->touched.word), err);
	k->touched.summary = k->touched.word ? k->touched.word + n_words : NULL;
	k->column = room_reserve(&room->entries, int64_blocks(r, 8), sizeof(*k->column), err);
	return k->sum && k->touched.word && k->column ? 0 : -1;
}

static int sparse_apply(const struct projection *p, struct row_range rows, struct row_batch *out,
			struct map_room *room, struct error *err)
{
	const struct row_batch *in = rows.in;
	struct embedding sketch = { 0 };

	if (start_sketch(&sketch, p, room, err) < 0)
		return -1;
	for (int64_t i = rows.first; i < rows.first + rows.n; i++) {
		int64_t end = in->row_start[i + 1], n_entries = end - in->row_start[i];
		/*
		 * The cheaper of two ways: mark the n a columns that are touched, or look at all r;
		 * marking one costs as much as looking at eight.  The output is the same.
		 */
		bool few = n_entries < p->options.n_columns / p->options.a / 8;
		struct row_chunk chunk;

		for (int64_t k = in->row_start[i]; k < end; k += chunk.n) {
			take_chunk(in, k, end, &chunk);
			add_chunk(&sketch, &chunk, few);
		}
		if ((few ? append_few : append_all)(&sketch, in, i, out, err) < 0)
			return -1;
	}
	return 0;
}

const struct projection_family sparse_family = { sparse_start, sparse_apply, sparse_row };
