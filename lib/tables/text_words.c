/*
 * text_words.c - the words of a text in UTF-8
 *
 * A table, made when the first text comes, has for each character what it is by the rule: a part of
 * words or not, and what it becomes in them.  So all rules have one loop.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/text_features.h"

#include "base/utf8.h"

const char *const words_rule_names[] = { "letters", "sklearn", "blanks", NULL };

/* Above the small letter: the character is a part of words, and it may be their first one. */
#define CONTINUES (1U << 24)
#define BEGINS (CONTINUES | 1U << 25)
#define CHARACTER(entry) ((entry) & (CONTINUES - 1))

/*
 * Marks that composed Unicode joins with most letters that they are behind, and the first byte of Greek
 * letters: of two bytes, those of Cyrillic have higher ones, and of three the second is lower.
 */
enum { FIRST_ACCENT = 0x300, LAST_ACCENT = 0x36f, GREEK_LEAD = 0xcd };

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

/* The word from the last start to 'end' is kept, if it is one; returns where the next one begins. */
static char *end_word(struct text_features *t, char *end, bool is_word, const struct text_set *stop)
{
	char *start = t->text.bytes + t->start[t->n_found];

	if (!is_word || text_set_find(stop, start, end - start) >= 0)
		return start;
	*end++ = ' ';
	t->start[++t->n_found] = end - t->text.bytes;
	return end;
}

int text_words_find(struct text_features *t, const struct text_set *stop, struct text_span text,
		    struct error *err)
{
	const char *p = text.start, *end = p + text.length;
	const int64_t least = t->rule.words == WORDS_OF_SKLEARN ? 2 : 1;
	const uint32_t beyond = t->rule.words == WORDS_BETWEEN_BLANKS ? BEGINS : 0, *letter;
	int64_t n = 0; /* characters of the word that is being read */
	char *to;

	/* a small letter is at most half as many bytes longer, and a blank follows a word */
	if ((!t->letter && make_table(t, err) < 0) ||
	    byte_buffer_reserve(&t->text, 2 * text.length + 2, err) < 0 ||
	    mem_grow(&t->start, &t->starts_capacity, text.length / 2 + 2, sizeof(*t->start), err) <
		    0)
		return -1;
	t->n_found = t->start[0] = 0;
	to = t->text.bytes;
	letter = t->letter;
	for (size_t size = 1; p < end; p += size) {
		uint32_t entry = letter[*p & 0x7f];

		size = 1;
		if (*p & 0x80) {
			size = utf8_length(p, (size_t)(end - p));
			if (size == 0)
				return error_set(err, ERR_FORMAT,
						 "is not UTF-8, as iconv can make it");
			entry = utf8_get(p, size);
			/* behind ASCII, or Greek and later: few other letters have composed ones */
			t->has_accents |= entry >= FIRST_ACCENT && entry <= LAST_ACCENT && n > 0 &&
					  (!(p[-1] & 0x80) || (p[-2] & 0xff) >= GREEK_LEAD);
			entry = entry < LETTER_END ? letter[entry] : entry | beyond;
		}
		if (entry & (n > 0 ? CONTINUES : BEGINS ^ CONTINUES)) {
			/* most are of one byte */
			if (CHARACTER(entry) < 0x80)
				*to++ = (char)entry;
			else
				to = utf8_put(to, CHARACTER(entry));
			n++;
		} else if (n > 0) {
			to = end_word(t, to, n >= least, stop);
			n = 0;
		}
	}
	end_word(t, to, n >= least, stop);
	return 0;
}
