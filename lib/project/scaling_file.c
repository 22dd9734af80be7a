/*
 * scaling_file.c - range files, as svm-scale writes and reads them
 *
 * How this works.  The file is read as a whole and taken apart line by line; the arrays of the
 * scaling have room for as many features as there are lines.  What svm-scale would take for the end
 * of the file, such as a line that is no range, is an error.
 *
 * The file, with `y` and the two lines behind it only where targets are scaled:
 *
 *      y                        1
 *      -1 1                       range of the scaled targets
 *      0.5 17                     least and largest target
 *      x                        2
 *      0 1                        range of the scaled features
 *      1 -2.5 4                 3 feature, least and largest value; features ascend
 *      7 0 1
 *
 * Reading (1) and (2) sets the options, (3) the arrays; each step consumes lines from r->line on
 * and leaves it at the first line of the next step.  A failure names the line.  Numbers are written
 * with the 17 digits of svm-scale, which determine a double, so that a file read and written again
 * is the same.  All is O(bytes of the file).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "io/byte_buffer.h"
#include "io/input.h"
#include "project/scaling.h"

/* ---- writing ---- */

/* Significant digits of a written number, as in svm-scale's %.17g. */
enum { DIGITS = 17 };

/* Append numbers, separated by blanks, and a line feed; there is room. */
static void put_numbers(struct byte_buffer *text, const double *x, int n)
{
	for (int i = 0; i < n; i++) {
		text->size += decimal_rounded(x[i], DIGITS, text->bytes + text->size);
		byte_buffer_add(text, i < n - 1 ? " " : "\n", 1);
	}
}

/* Longest line: an index and two numbers, each with the blank or line feed behind it. */
enum { LINE_SIZE = 3 * (DECIMAL_SHORTEST_SIZE + 1) };

/* The text of the whole file; with room for the at most five lines before the features. */
static int put_ranges(const struct scaling *s, struct byte_buffer *text, struct error *err)
{
	const struct scaling_options *o = &s->options;

	if (byte_buffer_reserve(text, (s->n + 5) * LINE_SIZE, err) < 0)
		return -1;
	if (o->targets) {
		byte_buffer_add(text, "y\n", 2);
		put_numbers(text, (double[]){ o->target_low, o->target_high }, 2);
		put_numbers(text, (double[]){ s->target_least, s->target_most }, 2);
	}
	byte_buffer_add(text, "x\n", 2);
	put_numbers(text, (double[]){ o->low, o->high }, 2);
	for (int64_t p = 0; p < s->n; p++)
		put_numbers(text, (double[]){ s->feature[p], s->least[p], s->most[p] }, 3);
	return 0;
}

int scaling_save(const struct scaling *s, struct output *output, struct error *err)
{
	struct byte_buffer text = { 0 };
	int ret = put_ranges(s, &text, err);

	if (ret == 0)
		ret = output_write(output, text.bytes, text.size, err);
	mem_free(text.bytes);
	return ret;
}

/* ---- reading ---- */

/* Lines of a text whose last byte is '\n'. */
struct reader {
	struct byte_buffer text;
	const char *path, *line; /* the next line */
	int64_t number;		 /* number of the line read last, from 1 */
	struct error *err;
};

/* All bytes of the file, and a '\n' if the last line has none, for which there is room. */
static int read_text(struct reader *r)
{
	struct input *input;
	int ret;

	if (input_open(&input, r->path, r->err) < 0)
		return -1;
	ret = input_append_all(input, &r->text, r->err);
	input_close(input);
	if (ret < 0)
		return -1;
	if (r->text.size == 0 || r->text.bytes[r->text.size - 1] != '\n')
		byte_buffer_add(&r->text, "\n", 1);
	r->line = r->text.bytes;
	return 0;
}

/* Have all lines been read? */
static bool at_end(const struct reader *r)
{
	return r->line == r->text.bytes + r->text.size;
}

/* The line read last is refused for this reason; returns -1. */
static int refuse(struct reader *r, const char *reason)
{
	return error_set(r->err, ERR_FORMAT, "%s:%" PRId64 ": %s", r->path, r->number, reason);
}

/*
 * The next line, from its first byte that is no blank; NULL at the end of the text
 *
 * r->line moves behind the line's '\n'.  Every line has one, so the search for it succeeds.
 */
static const char *next_line(struct reader *r)
{
	const char *start = r->line, *end = r->text.bytes + r->text.size;

	r->number++;
	if (at_end(r))
		return NULL;
	r->line = (const char *)memchr(start, '\n', (size_t)(end - start)) + 1;
	return start + strspn(start, " \t");
}

/* Blanks between numbers and at the end of a line, whose '\n' is none of them. */
#define BLANKS " \t\r"

/* The next line consists of n finite numbers, with blanks between any two. */
static int read_numbers(struct reader *r, double *x, int n, const char *what)
{
	const char *p = next_line(r), *end = r->line - 1;

	for (int i = 0; i < n; i++) {
		p = p ? decimal_parse(p, end, &x[i]) : NULL;
		if (!p || !isfinite(x[i]) || (p < end && strspn(p, BLANKS) == 0))
			return refuse(r, what);
		p += strspn(p, BLANKS);
	}
	return p == end ? 0 : refuse(r, what);
}

/* (1) and (2): the lines "y" and "x", and the ranges that follow each of them */
static int read_head(struct reader *r, struct scaling *s)
{
	struct scaling_options *o = &s->options;
	const char *line;
	double x[2];

	o->targets = *r->line == 'y';
	if (o->targets) {
		next_line(r);
		if (read_numbers(r, x, 2, "expected the range of the scaled labels") < 0)
			return -1;
		o->target_low = x[0];
		o->target_high = x[1];
		if (read_numbers(r, x, 2, "expected least and largest label") < 0)
			return -1;
		s->target_least = x[0];
		s->target_most = x[1];
	}
	line = next_line(r);
	if (!line || *line != 'x' || line + 1 + strspn(line + 1, BLANKS) != r->line - 1)
		return refuse(r, "expected a line with x, as svm-scale -s writes it");
	if (read_numbers(r, x, 2, "expected the range of the scaled features") < 0)
		return -1;
	o->low = x[0];
	o->high = x[1];
	return o->low < o->high ? 0 : refuse(r, "the range of the scaled features is empty");
}

/* (3): a line for each feature; a feature with a single value has no range and is left out. */
static int read_features(struct reader *r, struct scaling *s)
{
	double x[3], last = -1;

	while (!at_end(r)) {
		if (read_numbers(r, x, 3, "expected a feature, its least and its largest value") <
		    0)
			return -1;
		/* the comparison comes before the conversion, which is undefined beyond int32_t */
		if (!(x[0] > last && x[0] <= INT32_MAX) || x[0] != (double)(int32_t)x[0])
			return refuse(r, "features are integers and ascend");
		if (x[1] > x[2])
			return refuse(r, "the least value is above the largest");
		last = x[0];
		if (x[1] == x[2])
			continue;
		s->feature[s->n] = (int32_t)x[0];
		s->least[s->n] = x[1];
		s->most[s->n++] = x[2];
	}
	return 0;
}

/* An upper bound of the number of features: each takes a line. */
static int64_t count_lines(const struct byte_buffer *text)
{
	int64_t n = 0;

	for (int64_t i = 0; i < text->size; i++)
		n += text->bytes[i] == '\n';
	return n;
}

int scaling_load(struct scaling *s, const char *path, struct error *err)
{
	struct reader r = { .path = path, .err = err };
	int ret = read_text(&r);

	*s = (struct scaling){ 0 };
	if (ret == 0)
		ret = scaling_reserve(s, count_lines(&r.text), err);
	if (ret == 0)
		ret = read_head(&r, s);
	if (ret == 0)
		ret = read_features(&r, s);
	if (ret == 0)
		ret = scaling_prepare(s, err);
	if (ret < 0)
		scaling_free(s);
	mem_free(r.text.bytes);
	return ret;
}

/* Two bytes tell: no other kind of input begins with a line of one letter x or y. */
bool scaling_is_file(const char *path)
{
	struct error err = { 0 };
	struct input *input;
	char first[3] = "";
	int64_t got;

	if (input_open(&input, path, &err) < 0)
		return false;
	got = input_read(input, first, 2, &err);
	input_close(input);
	return got == 2 && (first[0] == 'x' || first[0] == 'y') &&
	       (first[1] == '\n' || strspn(first + 1, BLANKS) > 0);
}
