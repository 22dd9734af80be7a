/*
 * plain_reader.h - SVMlight text read the slow and obvious way, to compare svmlight.c with
 *
 * A line at a time through strtod(); see svmlight.h for the grammar.  The locale must be C's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PLAIN_READER_H
#define RANDSVM_PLAIN_READER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/svmlight.h"

/* Owns its arrays. */
struct plain_rows {
	int64_t n_rows, n_entries, n_lines;
	double *label, *value;
	int64_t *row_start, *index;
};

static inline void plain_rows_free(struct plain_rows *rows)
{
	free(rows->label);
	free(rows->value);
	free(rows->row_start);
	free(rows->index);
	*rows = (struct plain_rows){ 0 };
}

static inline char *plain_skip_blanks(char *p)
{
	while (*p && strchr(" \t\r\v\f", *p))
		p++;
	return p;
}

static inline bool plain_ends_word(const char *p, const char *end)
{
	return p == end || (*p && strchr(" \t\r\v\f", *p));
}

static inline bool plain_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number that ends at a blank, a comment or the line's end. */
static inline char *plain_number(char *p, const char *end, bool allow_nonfinite, double *value)
{
	char *q;

	*value = strtod(p, &q);
	if (q == p || !(plain_ends_word(q, end) || *q == '#'))
		return NULL;
	/* in words, nan or inf may be allowed; in digits, a number out of range never is */
	p += *p == '-' || *p == '+';
	if (!isfinite(*value) && (!allow_nonfinite || plain_is_digit(*p) || *p == '.'))
		return NULL;
	return q;
}

/* The digits of qid:digits, which end as a number does. */
static inline char *plain_qid(char *p, const char *end)
{
	char *q = p;

	while (plain_is_digit(*q))
		q++;
	return q > p && (plain_ends_word(q, end) || *q == '#') ? q : NULL;
}

/* index:value, the index above 'previous' */
static inline char *plain_entry(struct plain_rows *rows, char *p, const char *end, int64_t previous,
				const struct rows_options *options)
{
	int64_t index = 0;

	p += *p == '+';
	if (!plain_is_digit(*p))
		return NULL;
	for (; plain_is_digit(*p); p++)
		if ((index = 10 * index + *p - '0') > INT32_MAX)
			return NULL;
	if (*p != ':' || index <= previous)
		return NULL;
	p = plain_skip_blanks(p + 1);
	if (p == end)
		return NULL;
	rows->index[rows->n_entries] = index;
	return plain_number(p, end, options->allow_nonfinite, &rows->value[rows->n_entries]);
}

/* From the '#', or nothing: no byte 0, no CR but at the end, and no colon where that is strict. */
static inline bool plain_comment(char *p, const char *end, const struct rows_options *options)
{
	char *cr = memchr(p, '\r', (size_t)(end - p));

	return !memchr(p, '\0', (size_t)(end - p)) && (!cr || plain_skip_blanks(cr) == end) &&
	       !(options->strict && memchr(p, ':', (size_t)(end - p)));
}

/* What follows the label; on success all of it is in 'rows'. */
static inline bool plain_entries(struct plain_rows *rows, char *p, const char *end,
				 const struct rows_options *options)
{
	int64_t previous = -1;

	while ((p = plain_skip_blanks(p)) < end) {
		/* what a CR is in front of is another line */
		if (p[-1] == '\r')
			return false;
		if (*p == '#')
			break;
		if (!strncmp(p, "qid:", 4)) {
			if (options->strict || !(p = plain_qid(p + 4, end)))
				return false;
			continue;
		}
		if (!(p = plain_entry(rows, p, end, previous, options)))
			return false;
		previous = rows->index[rows->n_entries++];
	}
	return plain_comment(p, end, options);
}

/* [line, end), and *end is 0 */
static inline bool plain_line(struct plain_rows *rows, char *line, const char *end,
			      const struct rows_options *options)
{
	char *p = plain_skip_blanks(line);

	if (p == end || *p == '#')
		return !options->strict && plain_comment(p, end, options);
	p = plain_number(p, end, options->allow_nonfinite, &rows->label[rows->n_rows]);
	if (!p || !plain_entries(rows, p, end, options)) {
		rows->n_entries = rows->row_start[rows->n_rows];
		return false;
	}
	rows->row_start[++rows->n_rows] = rows->n_entries;
	return true;
}

static inline void *plain_allocate(size_t n, size_t size)
{
	void *p = malloc(n * size);

	if (!p)
		abort();
	return p;
}

/*
 * plain_read() - the examples of 'size' bytes of whole lines; false if a line is wrong
 *
 * Then the rows before it are in 'rows', and n_lines is its number.  'rows' is overwritten.
 */
static inline bool plain_read(struct plain_rows *rows, const char *text, size_t size,
			      const struct rows_options *options)
{
	char *copy = plain_allocate(size + 1, 1), *line = copy, *end;
	bool good = true;

	memcpy(copy, text, size);
	*rows = (struct plain_rows){ .label = plain_allocate(size / 2 + 1, sizeof(double)),
				     .value = plain_allocate(size / 4 + 1, sizeof(double)),
				     .row_start = plain_allocate(size / 2 + 2, sizeof(int64_t)),
				     .index = plain_allocate(size / 4 + 1, sizeof(int64_t)) };
	rows->row_start[0] = 0;
	for (; good && line < copy + size; line = end + 1) {
		end = memchr(line, '\n', (size_t)(copy + size - line));
		*end = '\0';
		rows->n_lines++;
		good = plain_line(rows, line, end, options);
	}
	free(copy);
	return good;
}

/* plain_drop_zeros() - entries of value 0 taken out, as the writer leaves them out */
static inline void plain_drop_zeros(struct row_batch *b)
{
	int64_t n = 0;

	for (int64_t i = 0, k = 0; i < b->n_rows; i++) {
		for (; k < b->row_start[i + 1]; k++)
			if (b->value[k] != 0) {
				b->index[n] = b->index[k];
				b->value[n++] = b->value[k];
			}
		b->row_start[i + 1] = n;
	}
	b->n_entries = n;
}

#endif
