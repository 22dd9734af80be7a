/*
 * srht.c - the subsampled randomised Hadamard transform
 *
 * How this works.  With random signs D_j and rows i_t of the d' x d' Hadamard matrix
 *
 *     y_t = 1 / sqrt(r) sum_j D_j (-1)^popcount(j & i_t) x_j                                 (1)
 *
 * There are two ways to r of these sums:
 *
 *  (2) Directly, nnz(x) r additions.  All signs of feature j for 64 columns are one word: with the
 *      plane P_b holding bit b of every i_t, the exclusive or of P_b over the set bits b of j has
 *      the parity of j & i_t in bit t.
 *  (3) By the fast transform of all of x, of which only the outputs i_t are computed: O(d' log r),
 *      whatever nnz(x) is.
 *
 * (2) is 5 to 20 times cheaper for text, (3) for full rows.  Rows may be full in one place and
 * empty in another, and d' numbers may not fit a cache.  So the features are cut into parts of
 * 2^log2_part with the same high bits, and each part of each row takes the cheaper way.  With
 * j = high | low the parity splits,
 *
 *     popcount(j & i) = popcount(high & i) + popcount(low & i)   modulo 2                    (4)
 *
 * so a part adds to y_t the output i_t modulo 2^log2_part of its own small transform, with the sign
 * that its high bits give column t.  Parts without an entry cost nothing.
 *
 * The choice depends on the number of entries in the part and on the map, and on nothing else: the
 * two ways round differently, and a row must have the same bits wherever it is projected.
 *
 * i_t are drawn without replacement: the ids of the r smallest random keys, which a heap of r finds
 * in one pass over d' keys.  Each row of the matrix is as likely as any other, so the scale
 * 1 / sqrt(r) keeps squared lengths on average, as it does for draws with replacement, which the
 * theory has.  But the variance of a squared length,
 *
 *     2 (|x|_2^4 - |x|_4^4) / r   times   (d' - r) / (d' - 1)   without replacement           (5)
 *
 * has the factor of all samples from a finite population: nothing is computed twice, and r = d'
 * outputs are a rotation of x.
 *
 * Source: Ailon and Liberty 2009; Tropp 2011; Paul, Boutsidis, Magdon-Ismail, Drineas 2013.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/order.h"
#include "project/family.h"
#include "project/project_loops.h"

enum {
	/* features of a part: as doubles 128 kB, in a second-level cache with the sums */
	LOG2_PART = 14,
	PART_DRAWS = (1 << LOG2_PART) / 128, /* draws with the signs of a part */
	COLUMNS = 512,	/* columns whose signs plane_signs() makes at a time: eight words */
	COUNTERS = 1024 /* random keys drawn at a time, 28 kB on the stack */
};

/* ---- Which rows of the Hadamard matrix ---- */

/* Keys of ids first .. first + n - 1, n <= COUNTERS. */
static void draw_keys(uint64_t seed, uint64_t first, int64_t n, uint64_t *key)
{
	const struct rng_place place = { seed, RNG_SRHT_ROW, 0, 0 };
	uint32_t id[COUNTERS], w[4][COUNTERS];

	for (uint32_t e = 0; e < COUNTERS; e++) /* n of them, rounded up, are looked at */
		id[e] = (uint32_t)first + e;
	rng_fill_each(&place, id, n, w[0], COUNTERS);
	for (int64_t e = 0; e < n; e++)
		key[e] = w[0][e] | (uint64_t)w[1][e] << 32;
}

/* Each i_t by itself: the upper log2 d' bits of the t-th key are a uniform number below d'. */
static void sample_with_replacement(struct projection *p)
{
	uint64_t key[COUNTERS];

	for (int64_t t = 0; t < p->options.n_columns; t += COUNTERS) {
		int64_t n = int64_min(p->options.n_columns - t, COUNTERS);

		draw_keys(p->options.seed, (uint64_t)t, n, key);
		for (int64_t e = 0; e < n; e++)
			p->sample[t + e] =
				p->log2_size == 0 ? 0 : (uint32_t)(key[e] >> (64 - p->log2_size));
	}
}

/*
 * The ids of the r smallest keys, in the order of their keys, so that the first r' of them are the
 * sample of size r'.  The heap of the smallest so far changes r log(d' / r) times on average:
 * O(d' + r log(d' / r) log r), 16 r bytes.
 */
static int sample_without_replacement(struct projection *p, struct error *err)
{
	int64_t r = p->options.n_columns, size = INT64_C(1) << p->log2_size;
	struct order_key *heap = mem_array(r, sizeof(*heap), err);
	int64_t n_kept = 0;
	uint64_t key[COUNTERS];

	if (!heap)
		return -1;
	for (int64_t i = 0; i < size; i += COUNTERS) {
		int64_t n = int64_min(size - i, COUNTERS);

		draw_keys(p->options.seed, (uint64_t)i, n, key);
		for (int64_t e = 0; e < n; e++)
			order_keep_least(heap, &n_kept, r, (struct order_key){ key[e], i + e });
	}
	qsort(heap, (size_t)r, sizeof(*heap), order_keys);
	for (int64_t t = 0; t < r; t++)
		p->sample[t] = (uint32_t)heap[t].id;
	mem_free(heap);
	return 0;
}

/* ---- The map ---- */

/* Number of features in a part. */
static int64_t part_size(const struct projection *p)
{
	return INT64_C(1) << p->log2_part;
}

/*
 * wanted[g] = how many of the groups before g of a part's outputs have an i_t in them: group g is
 * wanted where wanted[g] < wanted[g + 1], and so is any range of groups (project_loops.h).
 */
static void count_wanted(struct projection *p)
{
	int64_t mask = part_size(p) - 1, n_groups = part_size(p) / HADAMARD_GROUP;

	for (int64_t t = 0; t < p->options.n_columns; t++)
		p->wanted[(p->sample[t] & mask) / HADAMARD_GROUP + 1] = 1;
	for (int64_t g = 0; g < n_groups; g++)
		p->wanted[g + 1] += p->wanted[g];
}

/* P_b of (2): bit t of plane b is bit b of i_t. */
static void make_planes(struct projection *p)
{
	int64_t n_words = p->stride / 64;

	for (int64_t t = 0; t < p->options.n_columns; t++)
		for (uint32_t left = p->sample[t]; left; left &= left - 1)
			p->plane[__builtin_ctz(left) * n_words + t / 64] |= UINT64_C(1) << t % 64;
}

/* d', the sample and what is made of it; projection_init() frees what is there on failure. */
static int srht_start(struct projection *p, struct error *err)
{
	const struct projection_options *o = &p->options;

	if (o->n_features == 0)
		return error_set(err, ERR_ARGUMENT, "fht needs the number of features");
	/* d' is the least power of two that all features fit into */
	while (INT64_C(1) << p->log2_size < o->n_features)
		p->log2_size++;
	if (!o->with_replacement && o->n_columns > INT64_C(1) << p->log2_size)
		return error_set(err, ERR_ARGUMENT,
				 "%" PRId64 " columns without replacement: there are %" PRId64,
				 o->n_columns, INT64_C(1) << p->log2_size);
	p->log2_part = (int)int64_min(p->log2_size, LOG2_PART);
	p->scale = 1 / sqrt((double)o->n_columns);
	p->stride = int64_round_up(o->n_columns, COLUMNS);
	p->sample = mem_array(o->n_columns, sizeof(*p->sample), err);
	p->plane = mem_zeroed(p->stride / 64 * 32, sizeof(*p->plane), err);
	p->wanted = mem_zeroed(part_size(p) / HADAMARD_GROUP + 2, sizeof(*p->wanted), err);
	if (!p->sample || !p->plane || !p->wanted)
		return -1;
	if (o->with_replacement)
		sample_with_replacement(p);
	else if (sample_without_replacement(p, err) < 0)
		return -1;
	count_wanted(p);
	make_planes(p);
	return 0;
}

/* Row of R for one feature, without the scale: (1) for x with a single 1. */
static void srht_row(const struct projection *p, uint32_t feature, double *row)
{
	const struct rng_block draw = rng_draw(p->options.seed, RNG_SRHT_SIGN, feature / 128, 0);
	/* is D_j = -1? */
	const bool sign = draw.w[feature / 32 % 4] >> feature % 32 & 1;

	for (int64_t t = 0; t < p->options.n_columns; t++)
		row[t] = sign ^ __builtin_parity(feature & p->sample[t]) ? -1 : 1;
}

/* ---- A part by signed sums ---- */

/* The values of a chunk times D_j */
static void sign_values(const struct projection *p, struct row_chunk *chunk)
{
	const struct rng_place place = { p->options.seed, RNG_SRHT_SIGN, 0, 0 };
	uint32_t group[PROJECTION_CHUNK], w[4][PROJECTION_CHUNK];

	for (int64_t e = 0; e < chunk->n; e++)
		group[e] = chunk->feature[e] / 128;
	rng_fill_each(&place, group, chunk->n, w[0], PROJECTION_CHUNK);
	for (int64_t e = 0; e < chunk->n; e++) {
		uint32_t j = chunk->feature[e];

		if (w[j / 32 % 4][e] >> j % 32 & 1) {
			chunk->value[e] = -chunk->value[e];
			chunk->rounded[e] = -chunk->rounded[e];
		}
	}
}

/* (2) for the entries of a chunk, 512 columns at a time */
static void add_directly(const struct projection *p, struct row_chunk *chunk, void *sum)
{
	uint64_t word[PROJECTION_CHUNK][COLUMNS / 64];

	/* D_j once for each entry; the signs of (-1)^.. are then the same for all rows */
	sign_values(p, chunk);
	for (int64_t t = 0; t < p->options.n_columns; t += COLUMNS) {
		plane_signs(p->plane + t / 64, p->stride / 64, chunk->feature, chunk->n, word);
		for (int c = 0; c < COLUMNS / 64 && t + c * 64 < p->options.n_columns; c++)
			if (p->options.single)
				sign_add_single(&word[0][c], COLUMNS / 64, chunk->rounded, chunk->n,
						(float *)sum + t + c * 64);
			else
				sign_add(&word[0][c], COLUMNS / 64, chunk->value, chunk->n,
					 (double *)sum + t + c * 64);
	}
}

/* ---- A part by the transform ---- */

/* D_j of a part's features, a bit each; a part of less than 128 features has one draw's 128 bits */
static void part_signs(const struct projection *p, uint32_t part, uint64_t *word)
{
	const struct rng_place place = { p->options.seed, RNG_SRHT_SIGN, 0, 0 };
	uint32_t group[PART_DRAWS], w[4][PART_DRAWS];
	int64_t n = int64_max(part_size(p) / 128, 1);

	for (int64_t g = 0; g < n; g++)
		group[g] = (uint32_t)(part * n + g);
	rng_fill_each(&place, group, n, w[0], PART_DRAWS);
	for (int64_t g = 0; g < n; g++)
		for (int h = 0; h < 2; h++)
			word[2 * g + h] = w[2 * h][g] | (uint64_t)w[2 * h + 1][g] << 32;
}

/* Entries first .. end - 1 of 'in', those of one part of a row. */
struct part_entries {
	const struct row_batch *in;
	int64_t first, end;
};

#define REAL double
#define NAME(function) function
#define COPY(from, n, to) memcpy(to, from, (size_t)(n) * sizeof(double))
#include "project/srht_body.h"

#define REAL float
#define NAME(function) function##_single
#define COPY(from, n, to) round_values(from, n, to)
#include "project/srht_body.h"

/* (3) and (4); 'part' has room for the transform */
static void add_transform(const struct projection *p, struct part_entries e, void *part, void *sum)
{
	uint64_t word[(1 << LOG2_PART) / 64];
	int64_t size = int64_max(part_size(p), 128);

	part_signs(p, internal_feature(e.in->index[e.first]) >> p->log2_part, word);
	if (p->options.single)
		transform_single(p, e, word, size, part, sum);
	else
		transform(p, e, word, size, part, sum);
}

/* ---- Rows ---- */

/*
 * Are n entries of a part cheaper by (2) than by (3)?  Both costs in nanoseconds as measured:
 *
 *     (2)  10 for the signs of a feature, 0.12 for each of its additions
 *     (3)  0.25 for each number of the part, 0.06 for each level of its transform, 1.5 for each
 *          column taken from it
 *
 * These are constants, though times differ between machines: they decide how a row is rounded.
 */
static bool direct_is_cheaper(const struct projection *p, int64_t n)
{
	double r = (double)p->options.n_columns, size = (double)part_size(p);

	return (double)n * (10 + 0.12 * r) < size * (0.25 + 0.06 * p->log2_part) + 1.5 * r;
}

/* Add the entries of a part to the sums, in the cheaper of two ways. */
static void add_part(const struct projection *p, struct part_entries e, void *part, void *sum)
{
	struct row_chunk chunk;

	if (!direct_is_cheaper(p, e.end - e.first)) {
		add_transform(p, e, part, sum);
		return;
	}
	for (int64_t k = e.first; k < e.end; k += chunk.n) {
		take_chunk(e.in, k, e.end, &chunk);
		add_directly(p, &chunk, sum);
	}
}

/* Where the part of entry k ends among the entries before 'last', by bisection. */
static int64_t part_end(const struct projection *p, const struct row_batch *in, int64_t k,
			int64_t last)
{
	uint32_t number = internal_feature(in->index[k]) >> p->log2_part;

	while (last - k > 1) {
		int64_t middle = k + (last - k) / 2;

		if (internal_feature(in->index[last - 1]) >> p->log2_part == number)
			return last;
		if (internal_feature(in->index[middle]) >> p->log2_part == number)
			k = middle;
		else
			last = middle;
	}
	return last;
}

static int srht_apply(const struct projection *p, struct row_range rows, struct row_batch *out,
		      struct map_room *room, struct error *err)
{
	const struct row_batch *in = rows.in;
	size_t size = p->options.single ? sizeof(float) : sizeof(double);
	void *sum = room_reserve(&room->sums, p->stride, size, err);
	void *part = room_reserve(&room->work, int64_max(part_size(p), 128), size, err);

	if (!sum || !part)
		return -1;
	for (int64_t i = rows.first; i < rows.first + rows.n; i++) {
		int64_t last = in->row_start[i + 1];

		if (check_features(in, i, p->options.n_features, err) < 0)
			return -1;
		memset(sum, 0, (size_t)p->stride * size);
		for (int64_t k = in->row_start[i], end; k < last; k = end) {
			end = part_end(p, in, k, last);
			add_part(p, (struct part_entries){ in, k, end }, part, sum);
		}
		if (append_sums(p, (struct summed_row){ in, i, sum }, out, err) < 0)
			return -1;
	}
	return 0;
}

const struct projection_family srht_family = { srht_start, srht_apply, srht_row };
