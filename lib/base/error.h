/*
 * error.h - how the library reports failure, and texts of limited length for that
 *
 * A function that can fail takes a 'struct error *' last, returns 0 or -1, and
 * fills the struct on failure.  The code says what a program may do about it,
 * the text what a person should.  The text has no final newline.  A struct
 * error belongs to one thread; the first failure is kept, later ones are not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

enum error_code {
	ERR_NONE,
	ERR_MEMORY,	/* out of memory */
	ERR_IO,		/* open, read, write or rename failed */
	ERR_FORMAT,	/* the input's bytes are wrong */
	ERR_ARGUMENT,	/* the caller asked for something impossible */
	ERR_NUMERIC,	/* the numbers defeated the algorithm */
	ERR_LIBRARY,	/* a shared library cannot be loaded */
	ERR_INTERRUPTED /* the caller asked to stop before there was a result */
};

/* Remedies for an error.  A program knows which of its options is the remedy, and names it. */
enum error_remedy {
	REMEDY_NONE,
	REMEDY_ACCEPT_NONFINITE, /* remedy: accept numbers that are not finite */
	REMEDY_READ_LENIENTLY,	 /* remedy: do not read rows strictly */
	REMEDY_WRITE_TEXT,	 /* remedy: write rows as text, or labels of 0 */
	REMEDY_SMALLER_SKETCH,	 /* remedy: fewer rows of a sketch */
	REMEDY_RANK_TOLERANCE,	 /* remedy: a larger tolerance for the rank of the rows */
	REMEDY_KEEP_MULTIPLIERS, /* remedy: train a model that has its multipliers */
	REMEDY_NAME_TEXTS,	 /* remedy: say what texts among numbers are */
	REMEDY_WORDS,		 /* remedy: make features of the words of texts */
	REMEDY_PLAIN_NUMBERS,	 /* remedy: write numbers without signs and separators */
	REMEDY_DECIMAL_COMMA,	 /* remedy: read numbers with a decimal comma */
	REMEDY_DELIMITER,	 /* remedy: say what is between fields */
	REMEDY_HEADER,		 /* remedy: take the first record for names of columns */
	REMEDY_MISSING,		 /* remedy: say what becomes of missing values */
	REMEDY_SMALLER_NUMBERS,	 /* remedy: give features smaller numbers */
	N_REMEDIES
};

struct error {
	enum error_code code;
	enum error_remedy remedy;
	char text[1024];
};

/*
 * error_set_remedy() - note a failure, and what helps; returns -1, so that failing is one line
 *
 * Keeps the earlier failure when 'err' already holds one.
 */
int error_set_remedy(struct error *err, enum error_code code, enum error_remedy remedy,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* error_set() - note a failure: the code, then format and arguments of its text; returns -1 */
#define error_set(err, code, ...) error_set_remedy(err, code, REMEDY_NONE, __VA_ARGS__)

/* error_pass() - note a failure that is in another struct; returns -1 */
int error_pass(struct error *err, const struct error *from);

/* error_forgive() - is the failure of this kind?  Then there is none any more. */
bool error_forgive(struct error *err, enum error_code code);

/* error_memory() - note that an allocation of 'bytes' failed; returns -1 */
int error_memory(struct error *err, size_t bytes);

/*
 * error_quote() - 'length' bytes of input made fit to print
 *
 * Control bytes and bytes that are not UTF-8 become '?'; where the room ends early, '...' stands
 * for the rest.  Writes at most 'size' >= 1 bytes, the final 0 included, and returns 'buffer'.
 */
const char *error_quote(char *buffer, size_t size, const char *bytes, size_t length);

/* QUOTED() - the same, in room of its own, until the end of the block */
#define QUOTED(size, bytes, length) error_quote((char[size]){ 0 }, size, bytes, length)

/*
 * text_append() - printf() behind the text in an array of 'size' bytes; what has no room is cut;
 * returns 'text'
 */
const char *text_append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * FORMATTED() - what printf() writes, in room of its own, until the end of the block, as which a
 * statement behind an if or a loop counts too; what has no room is cut
 */
#define FORMATTED(size, ...) text_append((char[size]){ 0 }, size, __VA_ARGS__)
