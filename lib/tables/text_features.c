/*
 * text_features.c - texts as rows of their words
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_features.h"

#include "base/elementary.h"
#include "base/mem_bound.h"
#include "base/order.h"

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
static int32_t hash_of(struct text_span text)
{
	const unsigned char *p = (const unsigned char *)text.start;
	uint32_t hash = 0, rest = 0;

	for (int64_t n = text.length / 4; n > 0; n--, p += 4) {
		const uint32_t block =
			p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

		hash = rotated(hash ^ scrambled(block), 13) * 5 + 0xe6546b64U;
	}
	for (int64_t k = text.length % 4; k > 0; k--)
		rest = rest << 8 | p[k - 1];
	hash ^= scrambled(rest) ^ (uint32_t)text.length;
	hash = (hash ^ hash >> 16) * 0x85ebca6bU;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
	return (int32_t)(hash ^ hash >> 16);
}

/* ---- the features of a text ---- */

/* An element of 'feature' for each of them; new ones are 0. */
static int reserve(struct text_features *t, struct error *err)
{
	const int64_t n = text_features_count(t), n_before = t->n_features;

	if (n <= n_before)
		return 0;
	if (mem_grow(&t->feature, &t->features_capacity, n, sizeof(*t->feature), err) < 0)
		return -1;
	memset(t->feature + n_before, 0, (size_t)(n - n_before) * sizeof(*t->feature));
	t->n_features = n;
	return 0;
}

/* Count an n-gram, which is added to a vocabulary that is being learned; others are not counted. */
static int count_gram(struct text_features *t, struct text_span gram, bool learns,
		      struct error *err)
{
	const int64_t hash = t->rule.bits > 0 ? hash_of(gram) : 0,
		      mask = text_features_count(t) - 1;
	const int64_t k = t->rule.bits > 0 ? (hash < 0 ? -hash : hash) & mask :
			  learns	   ? text_set_add(&t->words, gram.start, gram.length, err) :
					     text_set_find(&t->words, gram.start, gram.length);
	struct text_feature *f;

	t->n_unknown += k < 0;
	if (k < 0)
		return err->code == ERR_NONE ? 0 : -1;
	if (reserve(t, err) < 0 ||
	    mem_grow(&t->count, &t->counts_capacity, t->n_counts + 1, sizeof(*t->count), err) < 0)
		return -1;
	f = &t->feature[k];
	if (f->place == 0) {
		t->count[t->n_counts++] = (struct text_count){ .feature = (int32_t)k };
		f->place = (int32_t)t->n_counts;
	}
	t->count[f->place - 1].count += hash < 0 ? -1 : 1;
	return 0;
}

/* n words from word k on, with a blank between them. */
static struct text_span joined(const struct text_features *t, int64_t k, int64_t n)
{
	return (struct text_span){ t->text.bytes + t->start[k], t->start[k + n] - t->start[k] - 1 };
}

/* The features of a text, in the order in which they come. */
static int count_text(struct text_features *t, const struct text_set *stop, struct text_span text,
		      bool learns, struct error *err)
{
	int ret = text_words_find(t, stop, text, err);

	t->n_counts = 0;
	for (int64_t n = t->rule.least; n <= t->rule.most; n++)
		for (int64_t k = 0; ret == 0 && k + n <= t->n_found; k++)
			ret = count_gram(t, joined(t, k, n), learns, err);
	for (int64_t i = 0; i < t->n_counts; i++)
		t->feature[t->count[i].feature].place = 0;
	return ret;
}

/* ---- learning ---- */

/* Share of memory for counts that are kept, and bytes of one. */
enum { SHARE_KEPT = 8, BYTES_KEPT = sizeof(int32_t) + sizeof(double) };

/* Note the counts of the text at hand; and keep them for its row, while there is room. */
static int learn_counts(struct text_features *t, int64_t line, struct error *err)
{
	struct row_batch *kept = &t->kept;
	bool keeps = kept->n_rows == t->n_texts;

	if (t->n_texts++ == 0)
		t->most_kept = int64_min(mem_room(), mem_limit()) / (SHARE_KEPT * BYTES_KEPT);
	keeps = keeps && kept->n_entries + t->n_counts <= t->most_kept;
	for (const struct text_count *c = t->count; c < t->count + t->n_counts; c++) {
		t->feature[c->feature].n_with++;
		if (keeps && row_batch_add(kept, c->feature, c->count, err) < 0)
			return -1;
	}
	return keeps ? row_batch_end_row(kept, (double)line, err) : 0;
}

/* Were the counts of the text of that line kept?  Then they are those at hand. */
static bool recall_counts(struct text_features *t, int64_t line)
{
	const struct row_batch *kept = &t->kept;
	int64_t k;

	/* records of lines between have become no rows */
	while (t->n_recalled < kept->n_rows && kept->label[t->n_recalled] < (double)line)
		t->n_recalled++;
	k = t->n_recalled;
	if (k == kept->n_rows || kept->label[k] > (double)line)
		return false;
	t->n_counts = 0;
	for (int64_t i = kept->row_start[k]; i < kept->row_start[k + 1]; i++)
		if (kept->index[i] >= 0)
			t->count[t->n_counts++] =
				(struct text_count){ kept->index[i], (int32_t)kept->value[i] };
	return true;
}

int text_features_end(struct text_features *t, struct error *err)
{
	const bool by_hash = t->rule.bits > 0;
	int64_t *number =
		reserve(t, err) == 0 ? mem_array(t->n_features, sizeof(*number), err) : NULL;

	for (int64_t k = 0; number && k < t->n_features; k++)
		number[k] = by_hash || t->feature[k].n_with >= t->rule.least_texts ? k : -1;
	if (number && t->rule.weights)
		t->weight = mem_array(t->n_features, sizeof(*t->weight), err);
	if (err->code == ERR_NONE && text_set_sort(&t->words, number, err) == 0) {
		for (int64_t k = 0; t->weight && k < t->n_features; k++)
			if (number[k] >= 0)
				t->weight[number[k]] =
					1 + elementary_log((1. + t->n_texts) /
							   (1. + t->feature[k].n_with));
		for (int64_t i = 0; i < t->kept.n_entries; i++)
			t->kept.index[i] = (int32_t)number[t->kept.index[i]];
	}
	mem_free(number);
	return err->code == ERR_NONE ? 0 : -1;
}

/* ---- rows ---- */

/* c(t) w of a feature, but for its norm */
static double value_of(const struct text_features *t, struct text_count c)
{
	double value = c.count;

	if (t->rule.counts == COUNTS_ONCE)
		value = 1;
	if (t->rule.counts == COUNTS_LOG && value != 0)
		value = copysign(1 + elementary_log(fabs(value)), value);
	return t->weight ? value * t->weight[c.feature] : value;
}

/* The row of the counts of a text. */
static int add_row(struct text_features *t, struct row_batch *to, int64_t first, struct error *err)
{
	const int64_t start = to->n_entries;
	double squares = 0;

	if (t->n_counts > 0)
		qsort(t->count, (size_t)t->n_counts, sizeof(*t->count), order_int32s);
	for (int64_t i = 0; i < t->n_counts; i++) {
		const double value = value_of(t, t->count[i]);

		squares += value * value;
		if (value != 0 && row_batch_add(to, first + t->count[i].feature, value, err) < 0)
			return -1;
	}
	t->n_wordless += to->n_entries == start;
	for (int64_t k = start; t->rule.norm == NORM_EUCLIDEAN && k < to->n_entries; k++)
		to->value[k] /= sqrt(squares);
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
	mem_free_all(t->start, t->letter, t->feature, t->weight, t->count);
	*t = (struct text_features){ 0 };
}
