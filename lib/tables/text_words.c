/*
 * text_words.c - the words of a text in UTF-8
 *
 * A table, made when the first text comes, has for each character what it is by the rule: a part of
 * words or not, and what it becomes in them.  So all rules have one loop.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_features.h"

#include <stdlib.h>

#include "base/utf8.h"

const char *const words_rule_names[] = { "letters", "sklearn", "blanks", NULL };

/* Above the small letter: the character is a part of words, and it may be their first one. */
#define CONTINUES (1U << 24)
#define BEGINS (CONTINUES | 1U << 25)
#define CHARACTER(entry) ((entry) & (CONTINUES - 1))

static int make_table(struct text_features *t, struct error *err)
{
	const int rule = t->rule.words;
	const uint32_t is[N_LETTER_KINDS] = {
		[LETTER_OR_DIGIT] = BEGINS, [LETTER_MARK] = rule == WORDS_OF_SKLEARN ? 0 : CONTINUES
	};
	uint32_t c = 0, *capital;

	t->letter = capital = mem_array(LETTER_END, sizeof(*t->letter), err);
	if (!t->letter)
		return -1;
	for (const uint32_t *run = letter_runs; *run; run++)
		for (uint32_t n = *run / N_LETTER_KINDS; n > 0; n--, c++)
			t->letter[c] = c | is[*run % N_LETTER_KINDS];
	t->letter['_'] |= rule == WORDS_OF_SKLEARN ? BEGINS : 0;
	for (const int32_t *run = letter_capitals; *run; run += 3) {
		capital += run[0];
		for (int32_t k = 0; k < abs(run[1]); k++)
			capital[run[1] < 0 ? 2 * k : k] += (uint32_t)run[2];
	}
	for (c = 0; rule == WORDS_BETWEEN_BLANKS && c < LETTER_END; c++)
		t->letter[c] = c | (c > ' ' ? BEGINS : 0);
	return 0;
}

static uint32_t decode(const char *text, size_t size)
{
	uint32_t c = (unsigned char)*text & (0xffU >> (size + 1));

	for (size_t k = 1; k < size; k++)
		c = c << 6 | ((unsigned char)text[k] & 0x3f);
	return c;
}

/* Append a character, for which there is room. */
static void put(struct byte_buffer *to, uint32_t c)
{
	const int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	char *p = to->bytes + to->size;

	to->size += n;
	for (int k = n - 1; k > 0; k--, c >>= 6)
		p[k] = (char)(0x80 | (c & 0x3f));
	*p = (char)(n == 1 ? c : (0xf00U >> n & 0xff) | c);
}

/* The word that begins at the last start, of so many characters, ends here, if it is one. */
static void end_word(struct text_features *t, int64_t n_characters, int64_t least,
		     const struct text_set *stop)
{
	const int64_t start = t->start[t->n_found], length = t->text.size - start;

	if (n_characters < least || text_set_find(stop, t->text.bytes + start, length) >= 0) {
		t->text.size = start;
		return;
	}
	t->text.bytes[t->text.size++] = ' ';
	t->start[++t->n_found] = t->text.size;
}

int text_words_find(struct text_features *t, const struct text_set *stop, const char *text,
		    int64_t length, struct error *err)
{
	const char *end = text + length;
	const int rule = t->rule.words;
	const int64_t least = rule == WORDS_OF_SKLEARN ? 2 : 1;
	int64_t n_characters = 0; /* of the word that is being read */
	size_t size;

	t->n_found = t->text.size = 0;
	/* a small letter is at most half as many bytes longer, and a blank follows a word */
	if ((!t->letter && make_table(t, err) < 0) ||
	    byte_buffer_reserve(&t->text, 2 * length + 2, err) < 0 ||
	    mem_grow(&t->start, &t->starts_capacity, length / 2 + 2, sizeof(*t->start), err) < 0)
		return -1;
	t->start[0] = 0;
	for (; text < end; text += size) {
		uint32_t c = (unsigned char)*text, entry;

		size = c < 0x80 ? 1 : utf8_length(text, (size_t)(end - text));
		if (size == 0)
			return error_set(err, ERR_FORMAT, "is not UTF-8, as iconv can make it");
		c = size == 1 ? c : decode(text, size);
		entry = c < LETTER_END ? t->letter[c] :
					 c | (rule == WORDS_BETWEEN_BLANKS ? BEGINS : 0);
		if (entry & (n_characters > 0 ? CONTINUES : BEGINS ^ CONTINUES)) {
			put(&t->text, CHARACTER(entry));
			n_characters++;
		} else if (n_characters > 0) {
			end_word(t, n_characters, least, stop);
			n_characters = 0;
		}
	}
	end_word(t, n_characters, least, stop);
	return 0;
}
