/*
 * missing_word.c - words that stand for a value that is not known
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/missing_word.h"

#include <strings.h>

#define OF_KIND(text, kind)                  \
	{                                    \
		text, sizeof(text) - 1, kind \
	}
#define WORD(text) OF_KIND(text, MISSING_ALWAYS)
#define NUMBERS(text) OF_KIND(text, MISSING_AMONG_NUMBERS)

/* In any case of letters.  With # begin the errors of spreadsheets; -nan is printf's. */
static const struct {
	const char *text;
	size_t length;
	enum missing_word kind;
} words[] = {
	NUMBERS("None"), WORD("?"),	  WORD("NA"),	   WORD("N/A"),	       WORD("<NA>"),
	WORD("NaN"),	 WORD("-NaN"),	  WORD("NaT"),	   WORD("NULL"),       WORD("<NULL>"),
	WORD("(NULL)"),	 WORD("[NULL]"),  WORD("#N/A"),	   WORD("#NA"),	       WORD("#NULL!"),
	WORD("#DIV/0!"), WORD("#VALUE!"), WORD("#REF!"),   WORD("#NAME?"),     WORD("#NUM!"),
	NUMBERS("-"),	 NUMBERS("--"),	  NUMBERS("---"),  NUMBERS("."),       NUMBERS(".."),
	NUMBERS("*"),	 NUMBERS("nil"),  NUMBERS("n.a."), NUMBERS("missing"), NUMBERS("unknown"),
};

/* A number that its field has no room for, as Fortran writes it; R's stars are three at most. */
static bool is_overflow(const char *word, size_t length)
{
	for (size_t k = 0; k < length; k++)
		if (word[k] != '*')
			return false;
	return length > 3;
}

enum missing_word missing_word_find(const char *word, size_t length)
{
	/* \N is that of databases, where \n is an end of line; .a to .z are Stata's */
	if (length == 2 && word[0] == '\\')
		return word[1] == 'N' ? MISSING_ALWAYS : NOT_MISSING;
	if (length == 2 && word[0] == '.' && word[1] >= 'a' && word[1] <= 'z')
		return MISSING_AMONG_NUMBERS;
	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		if (words[k].length == length && strncasecmp(word, words[k].text, length) == 0)
			return words[k].kind;
	return is_overflow(word, length) ? MISSING_AMONG_NUMBERS : NOT_MISSING;
}
