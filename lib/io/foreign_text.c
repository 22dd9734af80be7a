/*
 * foreign_text.c - what a text that is not SVMlight's may be, and what helps
 *
 * People have tables, packed files, models where data are wanted, and rows with gaps.  Each is told
 * by a few bytes: the first ones of the file, or the word that the reader does not understand.  A
 * wrong guess of the latter does no harm, as the message has the word itself, too.
 *
 * How this works.  Three questions, of which the last two are asked only when reading has failed:
 *
 *  (1) foreign_start()      are the first bytes those of a format that no reader here knows?
 *  (2) label_hint()         which kind of file has such a word first in a line?
 *  (3) foreign_text_hint()  which kind has such a word behind a label?
 *
 * Hints are constant texts, which nobody frees.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/foreign_text.h"

#include <strings.h>

#include "base/missing_word.h"

/* The first bytes of a file, and what is said of it. */
struct beginning {
	const char *bytes;
	int64_t n;
	const char *hint; /* of the mark of UTF-8 NULL */
};

#define BEGINS(text, phrase)                              \
	{                                                 \
		(text), (int64_t)sizeof(text) - 1, phrase \
	}
#define PACKED(text, what, program) \
	BEGINS(text, "packed by " what ", and only gzip is unpacked here: " program " FILE")
#define PANDAS(text, what, call) \
	BEGINS(text,             \
	       what ": write it as CSV, as pandas does by " call ".to_csv(NEW_FILE, index=False)")
#define WORKBOOK "a workbook of Excel: save it as CSV"
#define UTF_16(form) "text in UTF-16: iconv -f " form " -t UTF-8 FILE >NEW_FILE"
#define PICKLE "a pickle of Python: write the data in it as CSV or .npy"
#define PICTURE "a picture: rows are made of its numbers, not of its bytes"
#define PAGE "a page or document in HTML or XML: save its table as CSV"
#define DUMP "a dump of a database: write the table as CSV, as COPY and INTO OUTFILE do"
#define JSON_LINES(text) PANDAS(text, "JSON lines", "read_json(FILE, lines=True)")

/* Signatures from the formats' specifications; gzip is read, and never comes here. */
static const struct beginning beginnings[] = {
	BEGINS("\xef\xbb\xbf", NULL),
	PACKED("\x28\xb5\x2f\xfd", "zstd", "zstd -d"),
	PACKED("\3757zXZ", "xz", "xz -d"),
	PACKED("\x5d\0\0", "lzma", "xz -d"),
	PACKED("BZh", "bzip2", "bzip2 -d"),
	PACKED("\x04\x22\x4d\x18", "lz4", "lz4 -d"),
	PACKED("\x1f\x9d", "compress", "gzip -d"),
	PACKED("\x89LZO", "lzop", "lzop -d"),
	PACKED("7z\xbc\xaf", "7-Zip", "7z x"),
	PACKED("Rar!\x1a", "RAR", "unrar x"),
	BEGINS("\x1f\x8b", "packed by gzip twice: gzip -d FILE"),
	BEGINS("PK\3\4", "a zip archive: svm-convert reads those of NumPy (.npz); else unzip FILE"),
	BEGINS("\xff\xfe", UTF_16("UTF-16")),
	BEGINS("\xfe\xff", UTF_16("UTF-16")),
	BEGINS("\xd0\xcf\x11\xe0", WORKBOOK),
	PANDAS("PAR1", "Parquet", "read_parquet(FILE)"),
	PANDAS("FEA1", "Feather", "read_feather(FILE)"),
	PANDAS("ARROW1", "Arrow or Feather", "read_feather(FILE)"),
	PANDAS("HEADER RECORD**", "SAS", "read_sas(FILE)"),
	PANDAS("$FL2@(#)", "SPSS", "read_spss(FILE)"),
	PANDAS("<stata_dta>", "Stata", "read_stata(FILE)"),
	BEGINS("\x89HDF", "HDF5: write its tables as CSV or .npy"),
	BEGINS("MATLAB 5.0 MAT", "MATLAB: write the matrix as CSV, as by writematrix()"),
	BEGINS("SQLite format 3", "a database of SQLite: sqlite3 -csv -header FILE 'select ...'"),
	BEGINS("X\n\0\0", "R's data: write them as CSV, as by write.csv(readRDS(FILE), NEW_FILE)"),
	BEGINS("RDX", "R's data: load() them, and write them by write.csv()"),
	BEGINS("\x80\x02", PICKLE),
	BEGINS("\x80\x03", PICKLE),
	BEGINS("\x80\x04", PICKLE),
	BEGINS("\x80\x05", PICKLE),
	BEGINS("\x89PNG", PICTURE),
	BEGINS("\xff\xd8\xff", PICTURE),
	BEGINS("GIF87a", PICTURE),
	BEGINS("GIF89a", PICTURE),
	BEGINS("II*\0", PICTURE),
	BEGINS("MM\0*", PICTURE),
	BEGINS("%PDF-", "a document in PDF, not data"),
	BEGINS("%!PS", "a document in PostScript, not data"),
	BEGINS("{\\rtf", "a document in RTF: save it as plain text"),
	BEGINS("\177ELF", "a program, not data"),
	BEGINS("<!DOCTYPE", PAGE),
	BEGINS("<!doctype", PAGE),
	BEGINS("<html", PAGE),
	BEGINS("<HTML", PAGE),
	BEGINS("<?xml", PAGE),
	BEGINS("INSERT INTO ", DUMP),
	BEGINS("CREATE TABLE ", DUMP),
	BEGINS("-- MySQL dump", DUMP),
	BEGINS("-- PostgreSQL", DUMP),
	JSON_LINES("{\""),
	JSON_LINES("{ \""),
	PANDAS("{\n", "JSON", "read_json(FILE)"),
	PANDAS("{\r", "JSON", "read_json(FILE)"),
	PANDAS("[{", "JSON", "read_json(FILE)"),
	PANDAS("[\n", "JSON", "read_json(FILE)"),
	PANDAS("[\r", "JSON", "read_json(FILE)"),
	BEGINS("[[", "lists in brackets, as of JSON or printed: write them as CSV"),
};

/* Words that begin files which are often given in place of data. */
static const struct beginning files[] = {
	BEGINS("svm_type ", ": this is a model, not data"),
	BEGINS("solver_type ", ": this is a model, not data"),
	BEGINS("randsvm-", ": this is a saved map, not data; give it to -r"),
	BEGINS("@relation", "; this looks like ARFF, which svm-convert reads"),
	BEGINS("%MatrixMarket", "; this is MatrixMarket, which svm-convert reads"),
	BEGINS("%%MatrixMarket", "; this is MatrixMarket, which svm-convert reads"),
	BEGINS("% ", "; a comment of ARFF? svm-convert reads ARFF"),
};

/* What four bytes with a 0 may begin; NULL: anything.  UTF-16 has one in each of two letters. */
static const char *zero_hint(const char *bytes)
{
	const bool zero[] = { !bytes[0], !bytes[1], !bytes[2], !bytes[3] };

	if (zero[0] && zero[1])
		return "bytes 0: this is no text";
	if (zero[0] != zero[1] && zero[0] == zero[2] && zero[1] == zero[3])
		return zero[0] ? UTF_16("UTF-16BE") : UTF_16("UTF-16LE");
	return NULL;
}

enum foreign_start foreign_start(const char *bytes, int64_t n, const char **hint)
{
	const bool has_zero = memchr(bytes, '\0', (size_t)int64_min(n, 2));
	enum foreign_start found = n < 2 || (has_zero && n < 4) ? START_OPEN : START_OWN;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		const struct beginning *b = &beginnings[i];

		if (memcmp(bytes, b->bytes, (size_t)int64_min(n, b->n)) != 0)
			continue;
		*hint = b->hint;
		if (n >= b->n)
			return b->hint ? START_FOREIGN : START_MARKED;
		found = START_OPEN;
	}
	if (found == START_OPEN)
		return START_OPEN;
	*hint = has_zero ? zero_hint(bytes) : NULL;
	return *hint ? START_FOREIGN : START_OWN;
}

static bool is_missing(const char *word, size_t n)
{
	return missing_word(word, (int64_t)n) != NOT_MISSING;
}

bool foreign_text_is_entry(const char *word)
{
	const char *p = word;

	while (digits_is(*p))
		p++;
	return (p > word && *p == ':') || strncmp(word, "qid:", 4) == 0;
}

/* (2): a hint for the first word of a line, of n bytes. */
static const char *label_hint(const char *line, const char *word, size_t n)
{
	const char *end = word;

	while (*end != '\n') /* strchr() would stop at a byte 0 */
		end++;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strncasecmp(word, files[i].bytes, (size_t)files[i].n) == 0)
			return files[i].hint;
	if (foreign_text_is_entry(word))
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

	/* the first word of the line */
	if (line + strspn(line, " \t\r\v\f") == p)
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
