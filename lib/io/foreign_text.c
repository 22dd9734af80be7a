/*
 * foreign_text.c - what a text that is not SVMlight's may be, and what helps
 *
 * People have tables, packed files, models where data are wanted, and rows with gaps.  Each is told
 * by a few bytes: the first ones of a packed file or of a model, or the word that the reader does
 * not understand.  A wrong guess does no harm, as the message has the word itself, too.
 *
 * How this works.  Three questions, each asked only when reading has failed already, so time does
 * not matter:
 *
 *  (1) foreign_packed_hint(), foreign_file_hint()  do the first bytes belong to a packed file?
 *  (2) label_hint()                                which kind of file has such a word first in a
 *      line?
 *  (3) foreign_text_hint()                         which kind has such a word behind a label?
 *
 * Hints are constant texts, which nobody frees, to be put behind the reader's own message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/foreign_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"

/* Both tables: the first bytes of a text, and the message that refuses such a text. */
struct beginning {
	const char *bytes;
	size_t n;
	const char *hint; /* hint for rows of data */
	const char
		*file_hint; /* hint for a model, a map or a list, which is rarely standard input */
};

#define BEGINS(text, phrase)                                             \
	{                                                                \
		.bytes = (text), .n = sizeof(text) - 1, .hint = (phrase) \
	}
#define PACKED(text, what, program)                                                             \
	{                                                                                       \
		.bytes = (text), .n = sizeof(text) - 1,                                         \
		.hint = what ", and only gzip is unpacked here: " program "c FILE | PROGRAM -", \
		.file_hint = what ", and only gzip is unpacked here: " program " FILE"          \
	}
#define UTF_16 "text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE "

/* Signatures from the formats' specifications; gzip is read, and never comes here. */
static const struct beginning packed[] = {
	PACKED("\x28\xb5\x2f\xfd", "packed by zstd", "zstd -d"),
	PACKED("\xfd"
	       "7zXZ",
	       "packed by xz", "xz -d"),
	PACKED("BZh", "packed by bzip2", "bzip2 -d"),
	PACKED("\x04\x22\x4d\x18", "packed by lz4", "lz4 -d"),
	{ "PK\x03\x04", 4,
	  "a zip archive: svm-convert reads those of NumPy (.npz); else unzip -p FILE | PROGRAM -",
	  "a zip archive: unzip FILE" },
	{ "\xff\xfe", 2, UTF_16 "| PROGRAM -", UTF_16 ">NEW_FILE" },
	{ "\xfe\xff", 2, UTF_16 "| PROGRAM -", UTF_16 ">NEW_FILE" },
};

/* Words that begin files which are often given in place of data. */
static const struct beginning files[] = {
	BEGINS("svm_type ", ": this is a model, not data"),
	BEGINS("solver_type ", ": this is a model, not data"),
	BEGINS("randsvm-", ": this is a saved map, not data; give it to -r"),
	BEGINS("@relation", "; this looks like ARFF, which svm-convert reads"),
	BEGINS("@RELATION", "; this looks like ARFF, which svm-convert reads"),
	BEGINS("%%MatrixMarket", "; this is MatrixMarket, which svm-convert reads"),
	BEGINS("% ", "; a comment of ARFF? svm-convert reads ARFF"),
};

/* Words that stand for a value that is not known. */
static const char *const missing[] = { "?", "NA", "N/A", "null", "None", "." };

/* Do the bytes at 'line' begin as 'b' does?  The line ends in '\n', so the search stays inside. */
static bool line_begins(const char *line, const struct beginning *b)
{
	/* the line ends in '\n', which no signature has: strncmp would stop at a byte 0 */
	for (size_t i = 0; i < b->n; i++)
		if (line[i] != b->bytes[i])
			return false;
	return true;
}

const char *foreign_packed_hint(const char *line)
{
	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		if (line_begins(line, &packed[i]))
			return packed[i].hint;
	return NULL;
}

const char *foreign_file_hint(const char *text, int64_t size)
{
	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		if (size >= (int64_t)packed[i].n && memcmp(text, packed[i].bytes, packed[i].n) == 0)
			return packed[i].file_hint;
	return NULL;
}

/* Does the word of n bytes stand for a value that is not known?  So does one of no bytes. */
static bool is_missing(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(missing) / sizeof(*missing); i++)
		if (strlen(missing[i]) == n && strncasecmp(word, missing[i], n) == 0)
			return true;
	return n == 0;
}

/* Is this the first word of its line? */
static bool is_label(const char *line, const char *p)
{
	return line + strspn(line, " \t\r\v\f") == p;
}

/* "1:" or "qid:" */
static bool is_entry(const char *word)
{
	const char *p = word + strspn(word, "0123456789");

	return (p > word && *p == ':') || strncmp(word, "qid:", 4) == 0;
}

/* (2): a hint for the first word of a line, of n bytes. */
static const char *label_hint(const char *line, const char *word, size_t n)
{
	const char *end = word;

	while (*end != '\n') /* strchr() would stop at a byte 0 */
		end++;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (line_begins(word, &files[i]))
			return files[i].hint;
	if (is_entry(word))
		return " (a row begins with its label; put 0 where it is not known, but leave out "
		       "such rows to train, unless for a one-class SVM)";
	if (is_missing(word, n))
		return " (put 0 where the label is not known)";
	if (memchr(word, ',', n) && memchr(line, ':', (size_t)(end - line)))
		return " (a row has one label)";
	if (memchr(word, ',', n) || memchr(word, ';', n))
		return "; this looks like CSV, which svm-convert reads";
	/* further words, none of which is an entry: the header of a table */
	if (word[n] == '\t' && !memchr(line, ':', (size_t)(end - line)))
		return "; a table? svm-convert reads tables";
	return " (labels are numbers)";
}

const char *foreign_text_hint(const char *line, const char *p)
{
	size_t n = strcspn(p, " \t\r\v\f\n");

	if (is_label(line, p))
		return label_hint(line, p, n);
	if (p[-1] == ':')
		return is_missing(p, n) ? " (leave out a value that is not known: it counts as 0)" :
					  "";
	if (*p == '|')
		return "; this looks like Vowpal Wabbit's format";
	if ((is_missing(p, n) || digits_is(*p) || *p == '-' || *p == '.') && !memchr(p, ':', n))
		return "; a table? svm-convert reads tables";
	return "";
}
