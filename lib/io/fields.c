/*
 * fields.c - named numbers and arrays, written to bytes and read back by the same calls
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/fields.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line: a name, and a number of at most 24 characters. */
enum { LINE_SIZE = 96 };

struct fields fields_writer(struct byte_buffer *out, struct error *err)
{
	return (struct fields){ .out = out, .err = err };
}

struct fields fields_reader(const char *bytes, int64_t size, struct error *err)
{
	return (struct fields){ .at = bytes, .end = bytes + size, .err = err };
}

static void append(struct fields *f, const void *bytes, int64_t size)
{
	if (!fields_failed(f) && byte_buffer_reserve(f->out, size, f->err) == 0)
		byte_buffer_add(f->out, bytes, size);
}

static void append_text(struct fields *f, const char *text)
{
	append(f, text, (int64_t)strlen(text));
}

/* The next line, without its end, if it begins with 'start'; NULL and an error if it does not. */
static const char *next_line(struct fields *f, const char *start, char line[LINE_SIZE])
{
	const char *newline;
	size_t length = strlen(start);

	if (fields_failed(f))
		return NULL;
	newline = f->at < f->end ? memchr(f->at, '\n', (size_t)(f->end - f->at)) : NULL;
	if (!newline || newline - f->at >= LINE_SIZE || strncmp(f->at, start, length) != 0) {
		error_set(f->err, ERR_FORMAT, "'%s' is missing", start);
		return NULL;
	}
	memcpy(line, f->at, (size_t)(newline - f->at));
	line[newline - f->at] = '\0';
	f->at = newline + 1;
	return line + length;
}

/* The text of a number after `NAME `; NULL where it is not there. */
static const char *read_number(struct fields *f, const char *name, char line[LINE_SIZE])
{
	char start[LINE_SIZE];

	snprintf(start, sizeof(start), "%s ", name);
	return next_line(f, start, line);
}

/* A number begins at 'text' and ends at 'end', where the line has to end as well. */
static void check_number(struct fields *f, const char *name, const char *text, const char *end)
{
	if (end == text || *end)
		error_set(f->err, ERR_FORMAT, "'%s' is no number", name);
}

void fields_int64(struct fields *f, const char *name, int64_t *x)
{
	char line[LINE_SIZE], *end;
	const char *text;

	if (f->out) {
		snprintf(line, sizeof(line), "%s %" PRId64 "\n", name, *x);
		append_text(f, line);
		return;
	}
	text = read_number(f, name, line);
	if (!text)
		return;
	*x = strtoll(text, &end, 10);
	check_number(f, name, text, end);
}

void fields_int(struct fields *f, const char *name, int *x)
{
	int64_t wide = *x;

	fields_int64(f, name, &wide);
	if (wide < INT_MIN || wide > INT_MAX)
		error_set(f->err, ERR_FORMAT, "'%s' is no int", name);
	else
		*x = (int)wide;
}

void fields_bool(struct fields *f, const char *name, bool *x)
{
	int64_t wide = *x;

	fields_int64(f, name, &wide);
	*x = wide != 0;
}

void fields_double(struct fields *f, const char *name, double *x)
{
	char line[LINE_SIZE], *end;
	const char *text;

	if (f->out) {
		/* hexadecimal: exact, and no work */
		snprintf(line, sizeof(line), "%s %a\n", name, *x);
		append_text(f, line);
		return;
	}
	text = read_number(f, name, line);
	if (!text)
		return;
	*x = strtod(text, &end);
	check_number(f, name, text, end);
}

/* Write the line and the bytes of an array, or read them. */
static void array(struct fields *f, const char *name, void *x, int64_t n, int64_t size)
{
	char line[LINE_SIZE], room[LINE_SIZE];
	const char *rest;

	snprintf(line, sizeof(line), "%s[%" PRId64 "]%s", name, n, f->out ? "\n" : "");
	if (f->out) {
		append_text(f, line);
		append(f, x, n * size);
		append_text(f, "\n");
		return;
	}
	rest = next_line(f, line, room);
	if (!rest)
		return;
	if (*rest || (f->end - f->at - 1) / size < n || f->at[n * size] != '\n') {
		error_set(f->err, ERR_FORMAT, "'%s' is cut short", line);
		return;
	}
	if (n > 0)
		memcpy(x, f->at, (size_t)(n * size));
	f->at += n * size + 1;
}

void fields_doubles(struct fields *f, const char *name, double *x, int64_t n)
{
	array(f, name, x, n, sizeof(*x));
}

void fields_int64s(struct fields *f, const char *name, int64_t *x, int64_t n)
{
	array(f, name, x, n, sizeof(*x));
}

void fields_bools(struct fields *f, const char *name, bool *x, int64_t n)
{
	array(f, name, x, n, sizeof(*x));
}

/* 0, but not minus 0, whose sign would be lost */
static bool is_zero(double x)
{
	static const double zero;

	return memcmp(&x, &zero, sizeof(x)) == 0;
}

/* A number of an array that is not 0, and which it is. */
struct entry {
	int64_t i;
	double value;
};

static void write_entries(struct fields *f, const double *x, int64_t n, int64_t count)
{
	if (fields_failed(f) ||
	    byte_buffer_reserve(f->out, count * (int64_t)sizeof(struct entry), f->err) < 0)
		return;
	for (int64_t i = 0; i < n; i++)
		if (!is_zero(x[i])) {
			const struct entry entry = { i, x[i] };

			byte_buffer_add(f->out, &entry, sizeof(entry));
		}
	append_text(f, "\n");
}

static void read_entries(struct fields *f, const char *name, double *x, int64_t n, int64_t count)
{
	struct entry entry;

	if (fields_failed(f))
		return;
	memset(x, 0, (size_t)n * sizeof(*x));
	if (count < 0 || (f->end - f->at - 1) / (int64_t)sizeof(entry) < count) {
		error_set(f->err, ERR_FORMAT, "'%s' is cut short", name);
		return;
	}
	for (int64_t k = 0; k < count; k++, f->at += sizeof(entry)) {
		memcpy(&entry, f->at, sizeof(entry));
		if (entry.i < 0 || entry.i >= n) {
			error_set(f->err, ERR_FORMAT, "'%s' has a number %" PRId64 " of %" PRId64,
				  name, entry.i, n);
			return;
		}
		x[entry.i] = entry.value;
	}
	f->at++;
}

void fields_sparse(struct fields *f, const char *name, double *x, int64_t n)
{
	char counted[LINE_SIZE];
	int64_t count = 0;

	for (int64_t i = 0; f->out && i < n; i++)
		count += !is_zero(x[i]);
	snprintf(counted, sizeof(counted), "%s_count", name);
	fields_int64(f, counted, &count);
	/* an entry takes as much as two numbers */
	if (count >= n - n / 2)
		fields_doubles(f, name, x, n);
	else if (f->out)
		write_entries(f, x, n, count);
	else
		read_entries(f, name, x, n, count);
}
