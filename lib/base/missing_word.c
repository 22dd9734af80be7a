/*
 * missing_word.c - words that stand for a value that is not known
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/missing_word.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"

/*
 * In any case of letters but for \N, that of databases, where \n is an end of line, and Python's
 * None.  With # begin the errors of spreadsheets; -nan is printf's.
 */
static const char *const always[] = { "?",	 "NA",	  "N/A",    "<NA>",   "NaN",
				      "-NaN",	 "NaT",	  "NULL",   "<NULL>", "(NULL)",
				      "[NULL]",	 "#N/A",  "#NA",    "#NULL!", "#DIV/0!",
				      "#VALUE!", "#REF!", "#NAME?", "#NUM!" };
static const char *const exactly[] = { "\\N", "None" };
static const char *const among_numbers[] = { "-",    "--",  "---",  ".",       "..",	 "*",
					     "none", "nil", "n.a.", "missing", "unknown" };
enum { LONGEST = 7 };

enum missing_word missing_word(const char *word, int64_t n)
{
	char text[LONGEST + 1];

	if (n == 0)
		return MISSING_ALWAYS;
	/* no word of the lists has a digit so early, and none another first byte */
	if (n > LONGEST || !memchr("?NnMmUu<(-[#\\.*", *word, 15) || (n > 1 && digits_is(word[1])))
		return NOT_MISSING;
	memcpy(text, word, (size_t)n);
	text[n] = '\0';
	for (size_t k = 0; k < sizeof(exactly) / sizeof(*exactly); k++)
		if (strcmp(text, exactly[k]) == 0)
			return MISSING_ALWAYS;
	for (size_t k = 0; k < sizeof(always) / sizeof(*always); k++)
		if (strcasecmp(text, always[k]) == 0)
			return MISSING_ALWAYS;
	for (size_t k = 0; k < sizeof(among_numbers) / sizeof(*among_numbers); k++)
		if (strcasecmp(text, among_numbers[k]) == 0)
			return MISSING_AMONG_NUMBERS;
	return NOT_MISSING;
}
