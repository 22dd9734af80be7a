/*
 * fields.c - named numbers and arrays, written to bytes and read back by the same calls
 *
 * How this works.  Every function of the interface serves both directions, and f->out tells which:
 * a visitor that lists the fields of a state once can both write and read it.  The bytes of a
 * number, an array and a sparse array are
 *
 *      rho -0x1.8p+1\n                 fields_double(): name, blank, value
 *      beta[3]\n(24 bytes)\n           fields_doubles(): name and count, then the bytes in memory
 *      g_count 1\n(16 bytes)\n         fields_sparse(): count of the numbers that are not 0, then
 *                                      a struct entry for each
 *
 *  (1) Names are there to be compared.  Reading expects the name that comes next in the visitor;
 *      any other name shows that the bytes are another state's.  There is no search: reading is one
 *      pass.
 *  (2) The line feed behind the bytes of an array shows that the count was right.
 *  (3) Failures stick: the first one stays in f->err, and later calls leave their variables and the
 *      bytes alone.  A visitor need not look; its caller looks once, at the end.
 *  (4) A count from damaged bytes may be any number.  It is compared with the number of elements
 *      that the bytes left have room for, so that no product can overflow.
 *
 * Arrays are in the machine's byte order.  The owner of the bytes has to say which that is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/fields.h"

/* Longest line with its end: a name, and a number of at most 24 characters. */
enum { LINE_SIZE = 96 };

struct fields fields_writer(struct byte_buffer *out, struct error *err)
{
	return (struct fields){ .out = out, .err = err };
}

struct fields fields_reader(const char *bytes, int64_t size, struct error *err)
{
	return (struct fields){ .at = bytes, .end = size > 0 ? bytes + size : bytes, .err = err };
}

/* Add bytes to f->out, unless an earlier call has failed (3). */
static void append(struct fields *f, const void *bytes, int64_t size)
{
	if (!fields_failed(f))
		byte_buffer_append(f->out, bytes, size, f->err);
}

static void append_text(struct fields *f, const char *text)
{
	append(f, text, (int64_t)strlen(text));
}

/*
 * (1): the next line is copied to 'line', without its end, if it begins with 'start'
 *
 * Returns the rest of the copy, behind 'start'.  NULL, with an error, where the line is another, is
 * longer than a line can be, or does not end; NULL also after an earlier failure.
 */
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

/* The number that was parsed from 'text' ends at 'end', where the line has to end as well. */
static void check_number(struct fields *f, const char *name, const char *text, const char *end)
{
	if (end == text || *end)
		error_set(f->err, ERR_FORMAT, "'%s' is no number", name);
}

void fields_int64(struct fields *f, const char *name, int64_t *x)
{
	char line[LINE_SIZE], *end;
	const char *text = f->out ? NULL : next_line(f, FORMATTED(LINE_SIZE, "%s ", name), line);

	if (f->out) {
		append_text(f, FORMATTED(LINE_SIZE, "%s %" PRId64 "\n", name, *x));
	} else if (text) {
		*x = strtoll(text, &end, 10);
		check_number(f, name, text, end);
	}
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
	const char *text = f->out ? NULL : next_line(f, FORMATTED(LINE_SIZE, "%s ", name), line);

	if (f->out) {
		/* hexadecimal digits are exact and need no search for the shortest decimal */
		append_text(f, FORMATTED(LINE_SIZE, "%s %a\n", name, *x));
	} else if (text) {
		*x = strtod(text, &end);
		check_number(f, name, text, end);
	}
}

/* Are n elements left, and a line feed after the elements?  No bytes left: no line feed. */
static bool has_room(const struct fields *f, int64_t n, int64_t size)
{
	return f->at < f->end && (f->end - f->at - 1) / size >= n;
}

/*
 * Write the line and the bytes of an array of n elements, or read them into x
 *
 * The line that is expected contains the count, so an array of another length is refused by its
 * line, before its bytes are looked at.
 */
static void array(struct fields *f, const char *name, void *x, int64_t n, int64_t size)
{
	const char *line = FORMATTED(LINE_SIZE, "%s[%" PRId64 "]%s", name, n, f->out ? "\n" : ""),
		   *rest;
	char room[LINE_SIZE];

	if (f->out) {
		append_text(f, line);
		append(f, x, n * size);
		append_text(f, "\n");
		return;
	}
	rest = next_line(f, line, room);
	if (!rest)
		return;
	/* (4), then (2) */
	if (*rest || !has_room(f, n, size) || f->at[n * size] != '\n') {
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
	const char *bytes;

	array(f, name, x, n, sizeof(*x));
	if (!fields_are_read(f) || fields_failed(f))
		return;
	/* a bool of another byte than 0 and 1 is none */
	bytes = f->at - n - 1;
	for (int64_t i = 0; i < n; i++)
		if (bytes[i] != 0 && bytes[i] != 1)
			error_set(f->err, ERR_FORMAT, "'%s' is neither true nor false", name);
}

/* Is x plus 0?  Minus 0 has to be written: reading fills the array with plus 0. */
static bool is_zero(double x)
{
	return x == 0 && !signbit(x);
}

/* Element i of an array, which is not plus 0. */
struct entry {
	int64_t i;
	double value;
};

/* The elements that are not plus 0, of which there are 'count', in one piece of memory. */
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

/* The reverse of write_entries(): x becomes 0 but for 'count' elements. */
static void read_entries(struct fields *f, const char *name, double *x, int64_t n, int64_t count)
{
	struct entry entry;

	if (fields_failed(f))
		return;
	memset(x, 0, (size_t)n * sizeof(*x));
	if (count < 0 || !has_room(f, count, sizeof(entry))) {
		error_set(f->err, ERR_FORMAT, "'%s' is cut short", name);
		return;
	}
	for (int64_t k = 0; k < count; k++, f->at += sizeof(entry)) {
		/* copied first: the bytes of a text are not aligned for a struct */
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
	int64_t count = 0;

	for (int64_t i = 0; f->out && i < n; i++)
		count += !is_zero(x[i]);
	fields_int64(f, FORMATTED(LINE_SIZE, "%s_count", name), &count);
	/* An entry takes as much room as two numbers: from half of them on all are written.
	 * Reading has the count from the bytes, and so comes to the same choice. */
	if (count >= n - n / 2)
		fields_doubles(f, name, x, n);
	else if (f->out)
		write_entries(f, x, n, count);
	else
		read_entries(f, name, x, n, count);
}
