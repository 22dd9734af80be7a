/*
 * missing_word.h - words that stand for a value that is not known
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MISSING_WORD_H
#define RANDSVM_MISSING_WORD_H

#include <stdint.h>

enum missing_word {
	NOT_MISSING,
	MISSING_AMONG_NUMBERS, /* word: among names it may be one, as '-' beside '+' */
	MISSING_ALWAYS
};

/* missing_word() - does the word of n bytes stand for a missing value?  One of no bytes does. */
enum missing_word missing_word(const char *word, int64_t n);

#endif
