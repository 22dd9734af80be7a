/*
 * foreign_text.h - what a text that is not SVMlight's may be, and what helps
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

/*
 * foreign_text_hint() - advice about the word at 'p', which is no part of an example
 *
 * 'line' is the start of its line, which ends in '\n'; 'p' is in it.  Returns a phrase to be put
 * behind a message, beginning with its punctuation; "" if the word looks like nothing known.
 * O(length of the line): for lines that are refused.
 */
const char *foreign_text_hint(const char *line, const char *p);

/* foreign_text_is_entry() - is the word "12:" or "qid:", which no label is? */
bool foreign_text_is_entry(const char *word);

/* The most bytes that foreign_start() has to see. */
enum { FOREIGN_START = 16 };

/* What the first bytes of a file tell. */
enum foreign_start {
	START_OPEN,   /* start: more bytes will tell */
	START_OWN,    /* start: a reader here may know it */
	START_MARKED, /* start: the mark of UTF-8, the byte order mark, and no more */
	START_FOREIGN /* start: packed, a picture, UTF-16, another program's format */
};

/*
 * foreign_start() - what a file is that begins with these n >= 1 bytes
 *
 * Of START_FOREIGN '*hint' says what it is, and what helps: "packed by zstd, and only gzip is
 * unpacked here: zstd -d FILE".
 */
enum foreign_start foreign_start(const char *bytes, int64_t n, const char **hint);
