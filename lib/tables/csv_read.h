/*
 * csv_read.h - records of a table of delimited text: CSV, TSV and the like
 *
 *     name,size,"a ""quoted"", field"      fields by RFC 4180: a field that begins with a double
 *     one,1.5,                             quote ends with one, and may hold delimiters and line
 *                                          ends; two quotes in it are one
 *
 * Blanks may be before and behind the quotes of a field.  Quotes behind a blank that have neither
 * delimiter nor line end within, and text behind them, are a part of that text: ` "so-called" friend`.
 * Where the delimiter is ' ', runs of blanks and tabs are between fields, and may be at both ends of
 * a line, as in columns that were aligned.
 *
 * Lines end with LF, or with CR and LF, the last one also without.  Empty lines are no records.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/line_reader.h"

/*
 * Delimiter, a byte that no text has, of lines of two fields without quotes: a word, which may be
 * empty, and what is behind the blank or tab after it.
 */
#define CSV_FIRST_BLANK '\1'
/* Likewise of lines that are one field each, without quotes. */
#define CSV_WHOLE_LINE '\2'

/* A field, followed by a 0; its quotes are gone. */
struct csv_field {
	char *text;
	int64_t length;
	bool quoted;
	bool escaped; /* for the reader: it had two quotes where there is one now */
};

/* A record; borrowed until the next one is read. */
struct csv_record {
	int64_t line; /* number of its first line, from 1 */
	int64_t n;
	const struct csv_field *field;
	int64_t indent; /* bytes of its first line before the first field */
};

/* A table being read; the caller sets the first fields, the others start at 0. */
struct csv_reader {
	struct text_window text; /* 'from' is set by the caller */
	char delimiter;
	bool decimal_comma; /* numbers have one, for csv_skip_head() */
	const char *name;   /* name of the table, for messages */

	int64_t line;
	struct csv_field *field;
	int64_t fields_capacity;
};

/*
 * csv_skip_head() - skip what may be before a table, in the window; returns its delimiter
 *
 * That is a line `sep=;`, which names the delimiter, as spreadsheets write it; and comments, lines
 * that begin with "# ", "##" or "#!".  The last comment is kept, without its #, if a line that begins
 * with a number follows and its delimiter is as often in both: then it has the names of columns,
 * as NumPy writes them.  A delimiter that is not named is that of csv_guess_delimiter(), which may be 0.
 */
char csv_skip_head(struct csv_reader *r);

/*
 * csv_begin() - read up to the n-th line that is no comment, and set r->delimiter by csv_skip_head()
 *
 * No other bytes count, however many have come.  Fails as text_window_more().
 */
int csv_begin(struct csv_reader *r, int n, struct error *err);

/*
 * csv_read() - the next record; returns 1, 0 at the end, or -1
 *
 * csv_begin() or text_window_more(&r->text) comes first: it reads what tells the delimiter.
 * Fails with ERR_FORMAT (`NAME:LINE: reason`) for a quoted field that does not end, or has text
 * behind its end: r->line is then the first line of the record, and the next one begins behind it.
 * Likewise for a record with a byte 0, which is passed over as a whole, if r->text.any_bytes is set; one
 * that has no end near it ends the table.
 * Also fails as input_read(), or with ERR_MEMORY.  O(bytes).
 */
int csv_read(struct csv_reader *r, struct csv_record *record, struct error *err);

/*
 * csv_record_keep() - a copy of a record, with 'n_before' empty fields before its own
 *
 * All of it is one piece of memory, for mem_free().  NULL with ERR_MEMORY.
 */
struct csv_record *csv_record_keep(const struct csv_record *record, int64_t n_before,
				   struct error *err);

void csv_reader_free(struct csv_reader *r);

/*
 * csv_guess_delimiter() - comma, tab, semicolon or bar, or ' ' for runs of blanks
 *
 * By the first records of [text, end), which is at least the beginning of the table.  O(their
 * length).  '*n_more' tells how many more the second has of it than the first: 0; 1, if the first may
 * have no name for names of rows; or -1, if it does not fit.  Where it is blanks, and texts seem to hold
 * some, 0 is returned.  'decimal_comma' tells that numbers have one.
 */
char csv_guess_delimiter(const char *text, const char *end, bool decimal_comma, int *n_more);
