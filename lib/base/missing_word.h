/*
 * missing_word.h - words that stand for a value that is not known
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/digits.h"

enum missing_word {
	NOT_MISSING,
	MISSING_AMONG_NUMBERS, /* word: among names it may be one, as '-' beside '+' */
	MISSING_ALWAYS
};

/* missing_word_find() - missing_word() of a word that may be one of them */
enum missing_word missing_word_find(const char *word, size_t length);

/*
 * missing_word() - does the word of n bytes stand for a missing value?  One of no bytes does.
 *
 * No such word has a digit among its first two bytes, nor more than seven bytes, but for those of
 * asterisks alone.
 */
static inline enum missing_word missing_word(const char *word, int64_t n)
{
	if ((n > 7 && word[0] != '*') || (n > 0 && digits_is(word[0])) ||
	    (n > 1 && digits_is(word[1])))
		return NOT_MISSING;
	return n == 0 ? MISSING_ALWAYS : missing_word_find(word, (size_t)n);
}
