/*
 * file_kind.c - what a file holds, as far as its first bytes tell
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "file_kind.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/decimal.h"
#include "io/binary.h"
#include "io/input.h"

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

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* The first line that is neither empty nor a comment; "" if there is none. */
static const char *first_line(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\r\n\v\f");
		if (*text != '#')
			return text;
		text += strcspn(text, "\n");
	}
}

/* Text behind "qid:3 ", which rows for ranking have before their features, or 'text'. */
static const char *behind_query(const char *text)
{
	const size_t name = begins_with(text, "qid:") ? strlen("qid:") : 0;

	text += name + (name ? strcspn(text + name, " \t\n") : 0);
	return text + strspn(text, " \t");
}

/*
 * Are these rows such as "-1 3:0.5": a number, perhaps a query, digits, a colon?  Rows without a
 * feature, which have a label alone, may come first.
 */
static bool are_rows(const char *text)
{
	const char *p;
	double label;
	size_t blanks, digits;

	for (text = first_line(text); *text; text = first_line(p)) {
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
		if (begins_with(text, marks[k]))
			return true;
	return false;
}

/* How often the delimiter is in the line outside of quotes; *end becomes the end of the line. */
static int count_delimiters(const char *line, char delimiter, const char **end)
{
	bool quoted = false;
	int n = 0;

	for (; *line && (quoted || *line != '\n'); line++) {
		quoted ^= *line == '"';
		n += !quoted && *line == delimiter;
	}
	*end = line;
	return n;
}

/* Have the first two lines a delimiter, and equally often?  Lines of messages seldom have. */
static bool is_delimited(const char *text)
{
	for (const char *delimiter = ",;\t"; *delimiter; delimiter++) {
		const char *end, *second;
		const int n = count_delimiters(text, *delimiter, &end);

		if (n > 0 &&
		    (!*end || !end[1] || count_delimiters(end + 1, *delimiter, &second) == n))
			return true;
	}
	return false;
}

/* Words of a line that begins with a number, else 0; *end becomes the end of the line. */
static int count_words(const char *line, const char **end)
{
	const char *p = line + strspn(line, " \t");
	double value;
	int n = 0;

	*end = line + strcspn(line, "\n");
	p = decimal_parse(p, *end, &value);
	if (!p || !strchr(" \t", *p))
		return 0;
	for (p = line; p < *end; p += strcspn(p, " \t\r\n")) {
		p += strspn(p, " \t\r");
		n += p < *end;
	}
	return n;
}

/* Have the first two lines as many words each, more than one, and a number first? */
static bool are_numbers(const char *text)
{
	const char *end, *second;
	const int n = count_words(text, &end);

	return n > 1 && *end && count_words(end + 1, &second) == n;
}

enum file_kind file_kind(const char *name)
{
	char text[LOOKED_AT + 1];
	struct error err = { 0 };
	struct input *input;
	int64_t n;

	if (!cli_is_file(name) || input_open(&input, name, &err) < 0)
		return FILE_IS_OTHER;
	n = input_peek(input, text, LOOKED_AT, &err);
	input_close(input);
	if (n <= 0)
		return n == 0 ? FILE_IS_EMPTY : FILE_IS_OTHER;
	text[n] = '\0';
	if (begins_with(text, "svm_type ") || begins_with(text, "solver_type "))
		return FILE_IS_MODEL;
	if (begins_with(text, "randsvm-"))
		return FILE_IS_MAP;
	if (has_table_mark(text))
		return FILE_IS_TABLE;
	if ((unsigned char)text[0] == BINARY_FIRST_BYTE || are_rows(text))
		return FILE_IS_ROWS;
	if (is_delimited(first_line(text)))
		return FILE_IS_TABLE;
	return are_numbers(first_line(text)) ? FILE_IS_NUMBERS : FILE_IS_OTHER;
}
