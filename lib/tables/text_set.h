/*
 * text_set.h - different texts, numbered from 0 in the order in which they were added
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/row_batch.h"

/* Owns its arrays; a zeroed struct is empty. */
struct text_set {
	struct byte_buffer bytes; /* texts, one after another, each followed by a 0 */
	int64_t n, starts_capacity;
	int64_t *start;	 /* start of each text in 'bytes', n + 1 */
	int64_t n_slots; /* slots of the hash table: a power of two above 2 n; or 0 */
	struct text_slot {
		uint32_t hash;
		int32_t text; /* its number, or -1 */
	} * slot;
};

/* text_set_find() - number of a text, or -1; O(length) */
int64_t text_set_find(const struct text_set *s, const char *text, int64_t length);

/* text_set_add() - number of a text, which is added if it is new; -1 with ERR_MEMORY */
int64_t text_set_add(struct text_set *s, const char *text, int64_t length, struct error *err);

/* text_set_get() - text k, 0 <= k < n; borrowed until the next is added */
struct text_span text_set_get(const struct text_set *s, int64_t k);

/*
 * text_set_sort() - number the texts by their bytes; ERR_MEMORY; O(n log n)
 *
 * Unless it is NULL, number[k] becomes the new number of text k, which is left out where it is -1.
 */
int text_set_sort(struct text_set *s, int64_t *number, struct error *err);

void text_set_free(struct text_set *s);
