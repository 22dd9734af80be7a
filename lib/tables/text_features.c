/*
 * text_features.c - texts as rows of their words
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_features.h"

#include "base/elementary.h"
#include "base/mem_bound.h"

const char *const text_counts_names[] = { "all", "once", "log", NULL };
const char *const text_weights_names[] = { "none", "tf-idf", NULL };
const char *const text_norm_names[] = { "euclidean", "none", NULL };

/* ---- a hash ---- */

static uint32_t rotated(uint32_t x, int bits)
{
	return x << bits | x >> (32 - bits);
}

static uint32_t scrambled(uint32_t block)
{
	return rotated(block * 0xcc9e2d51U, 15) * 0x1b873593U;
}

/* MurmurHash3_x86_32 with seed 0.  Source: Austin Appleby 2011, MurmurHash3, public domain. */
static int32_t hash_of(const char *text, int64_t length)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t hash = 0, rest = 0;

	for (int64_t n = length / 4; n > 0; n--, p += 4) {
		const uint32_t block =
			p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

		hash = rotated(hash ^ scrambled(block), 13) * 5 + 0xe6546b64U;
	}
	for (int64_t k = length % 4; k > 0; k--)
		rest = rest << 8 | p[k - 1];
	hash ^= scrambled(rest) ^ (uint32_t)length;
	hash = (hash ^ hash >> 16) * 0x85ebca6bU;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
	return (int32_t)(hash ^ hash >> 16);
}

/* ---- the features of a text ---- */

/* Room for all features; new ones are 0. */
static int reserve(struct text_features *t, struct error *err)
{
	const int64_t n = t->n_blocks,
		      wanted = (text_features_count(t) + TEXT_BLOCK - 1) / TEXT_BLOCK;

	if (wanted <= n)
		return 0;
	if (mem_grow(&t->block, &t->blocks_capacity, wanted, sizeof(*t->block), err) < 0 ||
	    mem_grow(&t->some, &t->some_capacity, wanted, sizeof(*t->some), err) < 0)
		return -1;
	memset(t->block + n, 0, (size_t)(wanted - n) * sizeof(*t->block));
	memset(t->some + n, 0, (size_t)(wanted - n) * sizeof(*t->some));
	t->n_blocks = wanted;
	return 0;
}

static struct text_feature *get(const struct text_features *t, int64_t k)
{
	return &t->block[k / TEXT_BLOCK].feature[k % TEXT_BLOCK];
}

static void add_count(struct text_features *t, int64_t k, int32_t count)
{
	struct text_block *b = &t->block[k / TEXT_BLOCK];
	const int64_t i = k % TEXT_BLOCK;

	b->feature[i].count += count;
	b->has[i / 64] |= UINT64_C(1) << i % 64;
	t->some[k / TEXT_BLOCK] |= UINT64_C(1) << i / 64;
}

/* The counts of the text at hand move to a row, where its first feature has the index 'first'. */
static int take_counts(struct text_features *t, struct row_batch *to, int64_t first,
		       struct error *err)
{
	for (int64_t j = 0; j < t->n_blocks; j++)
		for (; t->some[j]; t->some[j] &= t->some[j] - 1) {
			struct text_block *b = &t->block[j];

			for (uint64_t *has = &b->has[__builtin_ctzll(t->some[j])]; *has;
			     *has &= *has - 1) {
				const int64_t i = 64 * (has - b->has) + __builtin_ctzll(*has);

				if (row_batch_add(to, first + TEXT_BLOCK * j + i,
						  b->feature[i].count, err) < 0)
					return -1;
				b->feature[i].count = 0;
			}
		}
	return 0;
}

/* Count the n-grams of a text, words with a blank between them: all, or those of a vocabulary. */
static int count_text(struct text_features *t, const struct text_set *stop, struct text_span text,
		      bool learns, struct error *err)
{
	const int64_t mask = (INT64_C(1) << t->rule.bits) - 1;

	if (text_words_find(t, stop, text, err) < 0)
		return -1;
	for (int64_t n = t->rule.least; n <= t->rule.most; n++)
		for (int64_t i = 0; i + n <= t->n_found; i++) {
			const char *gram = t->text.bytes + t->start[i];
			const int64_t length = t->start[i + n] - t->start[i] - 1,
				      hash = mask > 0 ? hash_of(gram, length) : 0,
				      k = mask > 0 ? (hash < 0 ? -hash : hash) & mask :
					  learns   ? text_set_add(&t->words, gram, length, err) :
						     text_set_find(&t->words, gram, length);

			t->n_unknown += k < 0;
			if (err->code != ERR_NONE || reserve(t, err) < 0)
				return -1;
			if (k >= 0)
				add_count(t, k, hash < 0 ? -1 : 1);
		}
	return 0;
}

/* ---- learning ---- */

/* Share of memory for counts that are kept, and bytes of one. */
enum { SHARE_KEPT = 8, BYTES_KEPT = sizeof(int32_t) + sizeof(double) };

/* Note the counts of the text at hand; and keep them for its row, while there is room. */
static int learn_counts(struct text_features *t, int64_t line, struct error *err)
{
	struct row_batch *kept = &t->kept;
	const int64_t start = kept->n_entries;
	bool keeps = kept->n_rows == t->n_texts;

	if (t->n_texts++ == 0)
		t->most_kept = int64_min(mem_room(), mem_limit()) / (SHARE_KEPT * BYTES_KEPT);
	if (take_counts(t, kept, 0, err) < 0)
		return -1;
	for (int64_t i = start; i < kept->n_entries; i++)
		get(t, kept->index[i])->n_with++;
	keeps = keeps && kept->n_entries <= t->most_kept;
	if (!keeps)
		kept->n_entries = start;
	return keeps ? row_batch_end_row(kept, (double)line, err) : 0;
}

/* Were the counts of the text of that line kept?  Then they are those of the text at hand. */
static bool recall_counts(struct text_features *t, int64_t line)
{
	const struct row_batch *kept = &t->kept;
	int64_t *k = &t->n_recalled;

	/* records of lines between have become no rows */
	while (*k < kept->n_rows && kept->label[*k] < (double)line)
		++*k;
	if (*k == kept->n_rows || kept->label[*k] > (double)line)
		return false;
	for (int64_t i = kept->row_start[*k]; i < kept->row_start[*k + 1]; i++)
		if (kept->index[i] >= 0)
			add_count(t, kept->index[i], (int32_t)kept->value[i]);
	return true;
}

int text_features_end(struct text_features *t, struct error *err)
{
	const int64_t n = reserve(t, err) == 0 ? text_features_count(t) : -1;
	int64_t *number = mem_array(n, sizeof(*number), err);

	for (int64_t k = 0; number && k < n; k++)
		number[k] = t->rule.bits > 0 || get(t, k)->n_with >= t->rule.least_texts ? k : -1;
	if (number && t->rule.weights)
		t->weight = mem_array(n, sizeof(*t->weight), err);
	if (err->code == ERR_NONE && text_set_sort(&t->words, number, err) == 0) {
		for (int64_t k = 0; t->weight && k < n; k++)
			if (number[k] >= 0)
				t->weight[number[k]] = 1 + elementary_log((1. + t->n_texts) /
									  (1. + get(t, k)->n_with));
		for (int64_t i = 0; i < t->kept.n_entries; i++)
			t->kept.index[i] = (int32_t)number[t->kept.index[i]];
	}
	mem_free(number);
	return err->code == ERR_NONE ? 0 : -1;
}

/* ---- rows ---- */

/* c(t) w of a feature, but for its norm */
static double value_of(const struct text_features *t, int64_t k, double count)
{
	double value = count;

	if (t->rule.counts == COUNTS_ONCE)
		value = 1;
	if (t->rule.counts == COUNTS_LOG && value != 0)
		value = copysign(1 + elementary_log(fabs(value)), value);
	return t->weight ? value * t->weight[k] : value;
}

/* The row of the text at hand. */
static int add_row(struct text_features *t, struct row_batch *to, int64_t first, struct error *err)
{
	const int64_t start = to->n_entries;
	int64_t end = start;
	double norm = 0;

	if (take_counts(t, to, first, err) < 0)
		return -1;
	for (int64_t k = start; k < to->n_entries; k++) {
		const double value = value_of(t, to->index[k] - first, to->value[k]);

		norm += value * value;
		to->index[end] = to->index[k];
		to->value[end] = value;
		end += value != 0;
	}
	to->n_entries = end;
	t->n_wordless += end == start;
	norm = t->rule.norm == NORM_EUCLIDEAN ? sqrt(norm) : 1;
	for (int64_t k = start; k < end; k++)
		to->value[k] /= norm;
	return 0;
}

int text_features_take(struct text_features *t, const struct text_set *stop, struct text_span text,
		       int64_t line, struct row_batch *to, int64_t first, struct error *err)
{
	if (!to && t->rule.bits > 0 && !t->rule.weights)
		return 0;
	if ((!to || !recall_counts(t, line)) && count_text(t, stop, text, !to, err) < 0)
		return -1;
	return to ? add_row(t, to, first, err) : learn_counts(t, line, err);
}

void text_features_free(struct text_features *t)
{
	text_set_free(&t->words);
	row_batch_free(&t->kept);
	byte_buffer_free(&t->text);
	mem_free_all(t->start, t->letter, t->block, t->some, t->weight);
	*t = (struct text_features){ 0 };
}
