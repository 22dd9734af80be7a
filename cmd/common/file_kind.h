/*
 * file_kind.h - what a file holds, as far as its first bytes tell
 *
 * For messages about files that were named in the wrong place, and to keep data from being replaced
 * by what is not data.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

enum file_kind {
	FILE_IS_OTHER, /* kind: none of the others, or no regular file, or not readable */
	FILE_IS_EMPTY,
	FILE_IS_ROWS,	/* kind: rows of data; the first row has an index:value at least */
	FILE_IS_MODEL,	/* kind: a model of LIBSVM or LIBLINEAR */
	FILE_IS_TABLE,	/* kind: a table or matrix: CSV, ARFF, NumPy, an archive, MatrixMarket */
	FILE_IS_MAP,	/* kind: a saved projection or selection */
	FILE_IS_NUMBERS /* kind: numbers between blanks, as a table without names, or a list */
};

/* file_kind() - kind of a file, plain or gzipped, told by its first kilobytes */
enum file_kind file_kind(const char *name);

/* cli_begins_with() - does the text begin with 'start'? */
bool cli_begins_with(const char *text, const char *start);

/* cli_first_line() - the first line that is neither empty nor a comment, by its first byte; or "" */
const char *cli_first_line(const char *text, char comment);

/*
 * cli_are_rows() - does the text begin with rows such as "-1 3:0.5": a number, perhaps a query,
 * digits, a colon?
 *
 * Rows without a feature, which have a label alone, may come first, and so may comments.
 */
bool cli_are_rows(const char *text);

/* cli_is_file() - is 'name' a regular file, which can be read twice? */
bool cli_is_file(const char *name);

/* cli_reads_again() - likewise, or "-" where standard input is one: cli_open_pass() goes back in it */
bool cli_reads_again(const char *name);
