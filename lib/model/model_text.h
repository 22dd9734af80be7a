/*
 * model_text.h - the lines, words and numbers of a model file
 *
 * Words are separated by blanks (space, tab, CR, VT, FF), lines end in LF.  A line that
 * holds a word must end, for a line that was cut short could not be told from a whole one.
 * Lines may be of any length, words of up to MODEL_WORD_MAX bytes.
 *
 * All functions that read a word return 1 if there was one, 0 at the end of the line, or -1 on
 * failure, with `path:line: reason` in the struct error given to model_text_init().
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/input.h"

/* Most bytes of a number: the exact decimal of a double has at most 767 digits. */
#define MODEL_WORD_MAX 2048

/* Owns 'buffer'; input and error are borrowed. */
struct model_text {
	struct input *input;
	struct error *err;
	int64_t line;	 /* number, from 1, of the last line begun */
	int64_t n_ended; /* number of line ends passed */
	bool at_end;	 /* end of the input was met */
	char *buffer;
	const char *pos, *end; /* bytes in the buffer not read yet; *end == '\n', so loops stop */
};

struct model_word {
	const char *start;
	int64_t length;
};

/* model_text_init() - begin at the first line of 'input'; ERR_MEMORY */
int model_text_init(struct model_text *t, struct input *input, struct error *err);

void model_text_free(struct model_text *t);

/*
 * model_text_next_line() - go from the end of a line to the next that holds a word
 *
 * Returns 1, 0 at the end of the file, or -1.
 */
int model_text_next_line(struct model_text *t);

/* model_text_word() - the next word of the line; its bytes last until the next call */
int model_text_word(struct model_text *t, struct model_word *word);

/* model_text_integer() - the next word as an integer in [low, high]; 'what' is for the message */
int model_text_integer(struct model_text *t, const char *what, int64_t low, int64_t high,
		       int64_t *value);

/* model_text_number() - the next word as a finite number, in any notation strtod() takes */
int model_text_number(struct model_text *t, const char *what, double *value);

/* model_text_pair() - the next word as index:value, 0 <= index < 2^31, the value finite */
int model_text_pair(struct model_text *t, int32_t *index, double *value);

/* model_text_fail() - set the error to `path:line: reason` with ERR_FORMAT; returns -1 */
int model_text_fail(struct model_text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* model_word_is() - is 'text' the word? */
bool model_word_is(const struct model_word *word, const char *text);

#define MODEL_QUOTE_SIZE 64

/* model_word_quote() - the word made printable, and cut to the buffer's size; returns 'buffer' */
const char *model_word_quote(const struct model_word *word, char buffer[MODEL_QUOTE_SIZE]);
