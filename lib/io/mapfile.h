/*
 * mapfile.h - short text files that hold a fitted map
 *
 *     randsvm-NAME VERSION        each kind of map has a NAME
 *     KEY VALUE                   a line for each key, in any order
 *     data N                      only where there are data; N lines follow
 *     ...
 *     checksum XXXXXXXX           CRC-32, in hexadecimal, of all bytes before this line
 *
 * Words are separated by single blanks, lines end in LF.  A kind of map is a table of keys,
 * from which it is both written and read:
 *
 *     static const struct mapfile_key keys[] = {
 *             { MAPFILE_CHOICE("method", struct projection, method, method_names) },
 *             { MAPFILE_INTEGER("dimension", struct projection, k, 1, INT32_MAX) },
 *             { MAPFILE_INTEGER("copies", struct projection, copies, 1, 64), .kinds = CW },
 *             { MAPFILE_NATURAL("seed", struct projection, seed) },
 *             { 0 }
 *     };
 *     static const struct mapfile_form form = { "projection", 1, keys, count_lines,
 *                                              write_line, read_line, kind_of };
 *
 *     mapfile_write(&form, &projection, NULL, output, err);
 *     mapfile_read(&form, &projection, input, err);
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/output.h"

enum mapfile_kind { MAPFILE_IS_INTEGER, MAPFILE_IS_NATURAL, MAPFILE_IS_REAL, MAPFILE_IS_CHOICE };

/* A key, and the field of the caller's struct (the record) that has its value. */
struct mapfile_key {
	const char *name; /* NULL ends the table; at most 64 keys */
	enum mapfile_kind kind;
	size_t offset;
	int64_t low, high;	    /* range of the integers accepted */
	double least, most;	    /* range of the reals accepted */
	const char *const *choices; /* ended by NULL; the field is the number of a choice */
	unsigned kinds; /* kinds of records that have the key, a bit each; 0: all have it */
};

/* The address of a field, which must be of the type that is named. */
#define MAPFILE_FIELD(type, record, field) \
	.offset = _Generic(((record *)0)->field, type : offsetof(record, field))

/* Fields of int64_t, uint64_t, finite double (written in its shortest form), and int. */
#define MAPFILE_INTEGER(key, record, field, from, to)                                     \
	.name = (key), .kind = MAPFILE_IS_INTEGER, MAPFILE_FIELD(int64_t, record, field), \
	.low = (from), .high = (to)
#define MAPFILE_NATURAL(key, record, field) \
	.name = (key), .kind = MAPFILE_IS_NATURAL, MAPFILE_FIELD(uint64_t, record, field)
#define MAPFILE_REAL(key, record, field, from, to)                                    \
	.name = (key), .kind = MAPFILE_IS_REAL, MAPFILE_FIELD(double, record, field), \
	.least = (from), .most = (to)
#define MAPFILE_CHOICE(key, record, field, names)                                    \
	.name = (key), .kind = MAPFILE_IS_CHOICE, MAPFILE_FIELD(int, record, field), \
	.choices = (names)

/*
 * struct mapfile_form - a kind of map
 *
 * A map may have lines of data.  count_lines() says how many, from the values of the keys (0: this
 * record has none); write_line() appends line i, without its end, to a buffer; and read_line() reads
 * line i from [text, end), *end being '\n', with the bare reason as its error's text.  Before the
 * first read_line() it is known that the file has all the lines.
 */
struct mapfile_form {
	const char *name; /* name of the form, behind "randsvm-" */
	int version;	  /* version of the form; no other is read */
	const struct mapfile_key *keys;
	int64_t (*count_lines)(const void *record);
	int (*write_line)(const void *record, int64_t i, struct byte_buffer *text,
			  struct error *err);
	int (*read_line)(void *record, int64_t i, const char *text, const char *end,
			 struct error *err);
	unsigned (*kind)(const void *record); /* kinds of a record; NULL: no key has kinds */
};

/*
 * mapfile_write() - write a record; -1 with ERR_IO or ERR_MEMORY
 *
 * The lines of data are those of the text 'lines', each with its end, as many as count_lines() says;
 * NULL: write_line() makes them.
 */
int mapfile_write(const struct mapfile_form *form, const void *record,
		  const struct byte_buffer *lines, struct output *output, struct error *err);

/*
 * mapfile_read() - fill a record from the whole of an input
 *
 * The first line and the checksum are checked before everything else.  Fields of keys that do not
 * apply stay as they were.  -1 with ERR_FORMAT (text: `path:line: reason`) for a map of another
 * kind or version, one that is damaged or cut short, and an unknown, repeated, missing or misplaced
 * key; ERR_IO; or ERR_MEMORY.  The caller undoes what read_line() did before the failure.
 */
int mapfile_read(const struct mapfile_form *form, void *record, struct input *input,
		 struct error *err);

/* ---- Lines of numbers ---- */

/*
 * mapfile_put_reals() - append n numbers in their shortest form, each behind a blank unless it
 * begins a line; -1 with ERR_MEMORY
 */
int mapfile_put_reals(struct byte_buffer *text, const double *x, int64_t n, struct error *err);

/* mapfile_get_reals() - the n finite numbers that [text, end) must be; -1 with ERR_FORMAT */
int mapfile_get_reals(double *x, int64_t n, const char *text, const char *end, struct error *err);
