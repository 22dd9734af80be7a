/*
 * text_set.c - different texts, numbered: a hash table with linear probing
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_set.h"

#include "base/order.h"

static uint64_t mixed(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/*
 * Eight bytes at a time, each step a product whose upper half is folded into the lower one; the last
 * word may have bytes of the one before.  Texts that are made to collide only make a search longer.
 */
static uint32_t hash_of(const char *text, int64_t length)
{
	uint64_t hash = (uint64_t)length, word;
	uint32_t first, last;

	if (length >= 8) {
		for (int64_t k = 0; k < length - 8; k += 8) {
			memcpy(&word, text + k, 8);
			hash = mixed(hash, word);
		}
		memcpy(&word, text + length - 8, 8);
		return (uint32_t)mixed(hash, word);
	}
	if (length >= 4) {
		memcpy(&first, text, 4);
		memcpy(&last, text + length - 4, 4);
		return (uint32_t)mixed(hash, (uint64_t)first << 32 | last);
	}
	/* of three bytes or less these are all */
	if (length > 0)
		hash = mixed(hash, (uint64_t)(unsigned char)text[0] << 16 |
					   (uint64_t)(unsigned char)text[length / 2] << 8 |
					   (unsigned char)text[length - 1]);
	return (uint32_t)hash;
}

/* Slot of a text with that hash, or the free one where it belongs. */
static int64_t find_slot(const struct text_set *s, uint32_t hash, const char *text, int64_t length)
{
	const int64_t mask = s->n_slots - 1;
	int64_t k = hash & mask;

	for (; s->slot[k].text >= 0; k = (k + 1) & mask) {
		struct text_span other;

		/* a slot of another hash needs no look at its text, which is elsewhere in memory */
		if (s->slot[k].hash != hash)
			continue;
		other = text_set_get(s, s->slot[k].text);
		if (other.length == length && memcmp(other.start, text, (size_t)length) == 0)
			break;
	}
	return k;
}

int64_t text_set_find(const struct text_set *s, const char *text, int64_t length)
{
	return s->n_slots > 0 ? s->slot[find_slot(s, hash_of(text, length), text, length)].text :
				-1;
}

/* Twice the slots, so that at most half of them are taken. */
static int make_slots(struct text_set *s, struct error *err)
{
	const int64_t n_before = s->n_slots, n = n_before > 0 ? 2 * n_before : 4, mask = n - 1;
	struct text_slot *slot;

	if (2 * (s->n + 1) <= n_before)
		return 0;
	/* more numbers than a slot has room for fail as too much memory does */
	slot = mem_array(s->n <= INT32_MAX ? n : -1, sizeof(*slot), err);
	if (!slot)
		return -1;
	for (int64_t k = 0; k < n; k++)
		slot[k].text = -1;
	for (int64_t i = 0; i < n_before; i++) {
		const struct text_slot *old = &s->slot[i];
		int64_t k = old->hash & mask;

		while (old->text >= 0 && slot[k].text >= 0)
			k = (k + 1) & mask;
		if (old->text >= 0)
			slot[k] = *old;
	}
	mem_free(s->slot);
	s->slot = slot;
	s->n_slots = n;
	return 0;
}

int64_t text_set_add(struct text_set *s, const char *text, int64_t length, struct error *err)
{
	const uint32_t hash = hash_of(text, length);
	int64_t k;

	if (make_slots(s, err) < 0)
		return -1;
	k = find_slot(s, hash, text, length);
	if (s->slot[k].text >= 0)
		return s->slot[k].text;
	if (mem_grow(&s->start, &s->starts_capacity, s->n + 2, sizeof(*s->start), err) < 0 ||
	    byte_buffer_reserve(&s->bytes, length + 1, err) < 0)
		return -1;
	s->start[s->n] = s->bytes.size;
	byte_buffer_add(&s->bytes, text, length);
	byte_buffer_add(&s->bytes, "", 1);
	s->start[s->n + 1] = s->bytes.size;
	s->slot[k] = (struct text_slot){ hash, (int32_t)s->n };
	return s->n++;
}

struct text_span text_set_get(const struct text_set *s, int64_t k)
{
	return (struct text_span){ s->bytes.bytes + s->start[k],
				   s->start[k + 1] - s->start[k] - 1 };
}

/* A text that is sorted, and its number before.  Most texts differ in their first bytes. */
enum { FIRST = 8 };
struct numbered_text {
	char first[FIRST];
	struct text_span text;
	int64_t k;
};

static int compare_texts(const void *a, const void *b)
{
	const struct numbered_text *x = a, *y = b;
	const int64_t least = int64_min(x->text.length, y->text.length);
	int order = memcmp(x->first, y->first, FIRST);

	if (order == 0)
		order = memcmp(x->text.start, y->text.start, (size_t)least);
	return order ? order : ORDER_OF(x->text.length, y->text.length);
}

int text_set_sort(struct text_set *s, int64_t *number, struct error *err)
{
	struct text_set sorted = { 0 };
	struct numbered_text *item = mem_array(s->n, sizeof(*item), err);
	int64_t n = 0, place;

	if (!item)
		return -1;
	for (int64_t k = 0; k < s->n; k++) {
		item[n] = (struct numbered_text){ .text = text_set_get(s, k), .k = k };
		memcpy(item[n].first, item[n].text.start,
		       (size_t)int64_min(item[n].text.length, FIRST));
		n += !number || number[k] >= 0;
	}
	qsort(item, (size_t)n, sizeof(*item), compare_texts);
	for (int64_t i = 0; i < n && err->code == ERR_NONE; i++) {
		place = text_set_add(&sorted, item[i].text.start, item[i].text.length, err);
		if (number)
			number[item[i].k] = place;
	}
	mem_free(item);
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
