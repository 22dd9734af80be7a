/*
 * file_kind.c - what a file holds, as far as its first bytes tell
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "file_kind.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "io/binary.h"
#include "tables/csv_read.h"

bool cli_is_file(const char *name)
{
	struct stat s;

	return strcmp(name, "-") != 0 && stat(name, &s) == 0 && S_ISREG(s.st_mode);
}

bool cli_reads_again(const char *name)
{
	struct stat s;

	return strcmp(name, "-") != 0 ? cli_is_file(name) :
					fstat(STDIN_FILENO, &s) == 0 && S_ISREG(s.st_mode);
}

/* Bytes read to tell the kind: more than some lines of comment before the first row. */
enum { LOOKED_AT = 4096 };

/* Most lines that are looked through for the end of a title. */
enum { MOST_TITLES = 20 };

bool cli_begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

const char *cli_first_line(const char *text, char comment)
{
	for (;;) {
		text += strspn(text, " \t\r\n\v\f");
		if (*text != comment)
			return text;
		text += strcspn(text, "\n");
	}
}

/* Text behind "qid:3 ", which rows for ranking have before their features, or 'text'. */
static const char *behind_query(const char *text)
{
	const size_t name = cli_begins_with(text, "qid:") ? strlen("qid:") : 0;

	text += name + (name ? strcspn(text + name, " \t\n") : 0);
	return text + strspn(text, " \t");
}

bool cli_are_rows(const char *text)
{
	const char *p;
	double label;
	size_t blanks, digits;

	for (text = cli_first_line(text, '#'); *text; text = cli_first_line(p, '#')) {
		p = decimal_parse(text, text + strlen(text), &label);
		if (!p)
			return false;
		blanks = strspn(p, " \t");
		p = behind_query(p + blanks);
		digits = strspn(p, "0123456789");
		if (blanks > 0 && digits > 0)
			return p[digits] == ':';
		p += strspn(p, "\r");
		if (*p && *p != '\n' && *p != '#')
			return false;
	}
	return false;
}

/* A table or matrix of another program by its first bytes, which for NumPy are also those of rows. */
static bool has_table_mark(const char *text)
{
	static const char *const marks[] = { "\x93NUMPY", "PK\3\4",    "%%MatrixMarket",
					     "@relation", "@RELATION", "@attribute" };

	for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
		if (cli_begins_with(text, marks[k]))
			return true;
	return false;
}

/* A table, where a delimiter is equally often in the first two lines: lines of messages seldom have one. */
static enum file_kind kind_of_table(const char *text)
{
	int n_more;
	const char *end = text + strlen(text);
	const char delimiter = csv_guess_delimiter(text, end, false, &n_more);
	double value;

	if (delimiter && delimiter != ' ')
		return n_more >= 0 ? FILE_IS_TABLE : FILE_IS_OTHER;
	text += strspn(text, " \t");
	return strchr(text, '\n') && decimal_parse(text, end, &value) ? FILE_IS_NUMBERS :
									FILE_IS_OTHER;
}

/*
 * Likewise of the two lines that follow a title, which is some lines of text above the names of
 * columns.  Reports and pictures, whose lines end in commas, are none, nor are lines of results and
 * other prose, which has a blank behind a comma.
 */
static enum file_kind kind_below_title(const char *text)
{
	const bool is_markup = *text == '{' || *text == '[' || *text == '<';
	const char *line = text;

	for (int n = 0; !is_markup && n < MOST_TITLES; n++) {
		const char *end = strchr(line, '\n'), *prose = strstr(line, ", ");

		if (!end || !strchr(end + 1, '\n'))
			break;
		if ((!prose || prose > end) && kind_of_table(line) == FILE_IS_TABLE)
			return FILE_IS_TABLE;
		line = end + 1;
	}
	return kind_of_table(text);
}

enum file_kind file_kind(const char *name)
{
	char text[LOOKED_AT + 1];
	const int64_t n = cli_is_file(name) ? input_begins(name, text, LOOKED_AT) : -1;

	if (n <= 0)
		return n == 0 ? FILE_IS_EMPTY : FILE_IS_OTHER;
	text[n] = '\0';
	if (cli_begins_with(text, "svm_type ") || cli_begins_with(text, "solver_type "))
		return FILE_IS_MODEL;
	if (cli_begins_with(text, "randsvm-"))
		return FILE_IS_MAP;
	if (has_table_mark(text))
		return FILE_IS_TABLE;
	if ((unsigned char)text[0] == BINARY_FIRST_BYTE || cli_are_rows(text))
		return FILE_IS_ROWS;
	return kind_below_title(cli_first_line(text, '#'));
}
