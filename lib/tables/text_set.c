/*
 * text_set.c - different texts, numbered: a hash table with linear probing
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_set.h"

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/*
 * Eight bytes at a time, each step a product whose upper half is folded into the lower one; the last
 * word may have bytes of the one before.  Texts that are made to collide only make a search longer.
 */
static uint64_t hash_of(const char *text, int64_t length)
{
	uint64_t hash = (uint64_t)length, word;
	uint32_t first, last;

	if (length >= 8) {
		for (int64_t k = 0; k < length - 8; k += 8) {
			memcpy(&word, text + k, 8);
			hash = mixed(hash, word);
		}
		memcpy(&word, text + length - 8, 8);
		return mixed(hash, word);
	}
	if (length >= 4) {
		memcpy(&first, text, 4);
		memcpy(&last, text + length - 4, 4);
		return mixed(hash, (uint64_t)first << 32 | last);
	}
	for (word = 0; length > 0; length--)
		word = word << 8 | (unsigned char)text[length - 1];
	return mixed(hash, word);
}

/* Slot of a text, or the free one where it belongs. */
static int64_t find_slot(const struct text_set *s, const char *text, int64_t length)
{
	const int64_t mask = s->n_slots - 1;
	int64_t k = (int64_t)(hash_of(text, length) & (uint64_t)mask);

	for (; s->slot[k] >= 0; k = (k + 1) & mask) {
		const struct text_span other = text_set_get(s, s->slot[k]);

		if (other.length == length && memcmp(other.start, text, (size_t)length) == 0)
			break;
	}
	return k;
}

int64_t text_set_find(const struct text_set *s, const char *text, int64_t length)
{
	return s->n_slots > 0 ? s->slot[find_slot(s, text, length)] : -1;
}

/* Twice the slots, so that at most half of them are taken. */
static int make_slots(struct text_set *s, struct error *err)
{
	const int64_t n = s->n_slots > 0 ? 2 * s->n_slots : 4;
	int64_t *slot;

	if (2 * (s->n + 1) <= s->n_slots)
		return 0;
	slot = mem_array(n, sizeof(*slot), err);
	if (!slot)
		return -1;
	mem_free(s->slot);
	s->slot = slot;
	s->n_slots = n;
	for (int64_t k = 0; k < n; k++)
		slot[k] = -1;
	for (int64_t k = 0; k < s->n; k++) {
		const struct text_span text = text_set_get(s, k);

		slot[find_slot(s, text.start, text.length)] = k;
	}
	return 0;
}

int64_t text_set_add(struct text_set *s, const char *text, int64_t length, struct error *err)
{
	int64_t k;

	if (make_slots(s, err) < 0)
		return -1;
	k = find_slot(s, text, length);
	if (s->slot[k] >= 0)
		return s->slot[k];
	if (mem_grow(&s->start, &s->starts_capacity, s->n + 2, sizeof(*s->start), err) < 0 ||
	    byte_buffer_reserve(&s->bytes, length + 1, err) < 0)
		return -1;
	s->start[s->n] = s->bytes.size;
	byte_buffer_add(&s->bytes, text, length);
	byte_buffer_add(&s->bytes, "", 1);
	s->start[s->n + 1] = s->bytes.size;
	s->slot[k] = s->n;
	return s->n++;
}

struct text_span text_set_get(const struct text_set *s, int64_t k)
{
	return (struct text_span){ s->bytes.bytes + s->start[k],
				   s->start[k + 1] - s->start[k] - 1 };
}

static int compare_texts(const void *a, const void *b)
{
	const struct text_span *x = a, *y = b;
	const int64_t least = x->length < y->length ? x->length : y->length;
	const int order = memcmp(x->start, y->start, (size_t)least);

	return order ? order : (x->length > y->length) - (x->length < y->length);
}

int text_set_sort(struct text_set *s, struct error *err)
{
	struct text_set sorted = { 0 };
	struct text_span *text = mem_array(s->n, sizeof(*text), err);

	if (!text)
		return -1;
	for (int64_t k = 0; k < s->n; k++)
		text[k] = text_set_get(s, k);
	qsort(text, (size_t)s->n, sizeof(*text), compare_texts);
	for (int64_t k = 0; k < s->n && err->code == ERR_NONE; k++)
		text_set_add(&sorted, text[k].start, text[k].length, err);
	mem_free(text);
	if (err->code != ERR_NONE) {
		text_set_free(&sorted);
		return -1;
	}
	text_set_free(s);
	*s = sorted;
	return 0;
}

void text_set_free(struct text_set *s)
{
	byte_buffer_free(&s->bytes);
	mem_free_all(s->start, s->slot);
	*s = (struct text_set){ 0 };
}
