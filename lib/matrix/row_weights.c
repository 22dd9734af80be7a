/*
 * row_weights.c - a weight for each row of a data set, from a file
 *
 * How this works.  Bytes are read into a buffer of a page or more, in which each line is parsed in
 * place: the byte after a line is its '\n', at which decimal_parse() stops.
 *
 *     buffer   [ 0 . 5 \n 1 2 \n 3 . | free ]
 *                         ^ line    ^ end        a line that is cut moves to the front, and more
 *                                                bytes are read behind it; the last line gets a
 *                                                '\n' where the file has none
 *
 * Rows of weight 0 are taken out of the matrix in place: each row that stays moves forward, over
 * bytes that have been read already.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/row_weights.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "io/checksum.h"

/* Bytes of the buffer: more than the longest line that is a number, 767 digits and a sign. */
enum { BUFFER_SIZE = 65536 };

/* Bytes of a refused line that a message shows. */
enum { SHOWN = 20 };

struct weights_reader {
	struct row_weights *w;
	struct input *input;
	char *buffer;	/* room for BUFFER_SIZE bytes and a '\n' */
	int64_t n;	/* number of bytes in the buffer */
	int64_t n_used; /* number of these that belong to lines parsed */
	bool at_end;	/* the input has no more bytes */
};

void row_weights_free(struct row_weights *w)
{
	mem_free(w->value);
	*w = (struct row_weights){ 0 };
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

static int refuse(const struct weights_reader *r, const char *line, const char *end,
		  struct error *err)
{
	char shown[SHOWN + 1];
	int n = 0;

	for (const char *p = line; p < end && *p != '\r' && n < SHOWN; p++)
		shown[n++] = *p < ' ' || *p > '~' ? '?' : *p;
	shown[n] = '\0';
	return error_set(err, ERR_FORMAT,
			 "%s:%" PRId64 ": expected a weight, a number of 0 or more, got '%s'",
			 input_name(r->input), r->w->n + 1, shown);
}

/* The weight on the line from 'line' to the '\n' at 'end'. */
static int take_line(struct weights_reader *r, const char *line, const char *end, struct error *err)
{
	struct row_weights *w = r->w;
	double value;
	const char *p = skip_blanks(line);

	p = p < end ? decimal_parse(p, end, &value) : NULL;
	if (!p || skip_blanks(p) != end || !(value >= 0) || isinf(value))
		return refuse(r, line, end, err);
	if (mem_grow(&w->value, &w->capacity, w->n + 1, sizeof(*w->value), err) < 0)
		return -1;
	/* -0 becomes 0 */
	w->value[w->n++] = value + 0.0;
	return 0;
}

/* Move what is left of the buffer to its front, and fill the rest; a last line gets its end. */
static int refill(struct weights_reader *r, struct error *err)
{
	int64_t n;

	r->n -= r->n_used;
	memmove(r->buffer, r->buffer + r->n_used, (size_t)r->n);
	r->n_used = 0;
	n = input_read(r->input, r->buffer + r->n, BUFFER_SIZE - r->n, err);
	if (n < 0)
		return -1;
	r->at_end = n < BUFFER_SIZE - r->n;
	r->n += n;
	if (r->at_end && r->n > 0 && r->buffer[r->n - 1] != '\n')
		r->buffer[r->n++] = '\n';
	return 0;
}

/* All whole lines of the buffer. */
static int take_lines(struct weights_reader *r, struct error *err)
{
	for (;;) {
		const char *line = r->buffer + r->n_used;
		const char *end = memchr(line, '\n', (size_t)(r->n - r->n_used));

		if (!end)
			break;
		if (take_line(r, line, end, err) < 0)
			return -1;
		r->n_used = end + 1 - r->buffer;
	}
	/* a line that fills the buffer is no number */
	if (r->n_used == 0 && r->n == BUFFER_SIZE)
		return refuse(r, r->buffer, r->buffer + r->n, err);
	return 0;
}

int row_weights_read(struct row_weights *w, struct input *input, struct error *err)
{
	struct weights_reader r = { .w = w, .input = input };
	int ret = 0;

	*w = (struct row_weights){ 0 };
	r.buffer = mem_array(BUFFER_SIZE + 1, 1, err);
	if (!r.buffer)
		return -1;
	while (ret == 0 && !r.at_end) {
		ret = refill(&r, err);
		if (ret == 0)
			ret = take_lines(&r, err);
	}
	if (ret == 0 && w->n == 0)
		ret = error_set(err, ERR_FORMAT, "%s: no weights", input_name(input));
	mem_free(r.buffer);
	if (ret < 0)
		row_weights_free(w);
	return ret;
}

int row_weights_check(const struct row_weights *w, int64_t n_rows, const char *name,
		      const char *data, struct error *err)
{
	int64_t n_positive = 0;

	/* the line that is missing, or the first that is too many */
	if (w->n != n_rows)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %s weights than the %" PRId64 " rows of %s", name,
				 (w->n < n_rows ? w->n : n_rows) + 1,
				 w->n < n_rows ? "fewer" : "more", n_rows, data);
	for (int64_t i = 0; i < w->n; i++)
		n_positive += w->value[i] > 0;
	if (n_positive == 0)
		return error_set(err, ERR_FORMAT, "%s: all weights are 0", name);
	return 0;
}

/* Move row i of 'd' to place k <= i, where entries before 'at' belong to the rows before. */
static int64_t move_row(struct dataset *d, const double *weight, int64_t i, int64_t k, int64_t at)
{
	struct csr *x = &d->x;
	int64_t first = x->row_start[i], n = x->row_start[i + 1] - first;

	memmove(x->col + at, x->col + first, (size_t)n * sizeof(*x->col));
	memmove(x->val + at, x->val + first, (size_t)n * sizeof(*x->val));
	/* row_start[i] has been read: no row before k needs it */
	x->row_start[k] = at;
	d->y[k] = d->y[i];
	d->weight[k] = weight[i];
	if (d->group)
		d->group[k] = d->group[i];
	return at + n;
}

/* Take the rows of weight 0 out of the data, and list the others, n of them. */
static void leave_out(struct dataset *d, int64_t n, int64_t *row)
{
	const double *weight = d->weight;
	int64_t k = 0, at = 0, n_rows = d->x.n_rows;

	for (int64_t i = 0; i < n_rows; i++) {
		if (weight[i] == 0)
			continue;
		row[k] = i;
		at = move_row(d, weight, i, k++, at);
	}
	d->x.row_start[n] = at;
	d->x.n_rows = n;
	csr_shrink(&d->x);
}

/* Number of weights above 0. */
static int64_t count_positive(const struct row_weights *w)
{
	int64_t n = 0;

	for (int64_t i = 0; i < w->n; i++)
		n += w->value[i] > 0;
	return n;
}

/* Weights of 1 are those of every row without weights. */
static void drop_ones(struct dataset *d)
{
	for (int64_t i = 0; i < d->x.n_rows; i++)
		if (d->weight[i] != 1)
			return;
	mem_free(d->weight);
	d->weight = NULL;
}

int dataset_weigh(struct dataset *d, struct row_weights *w, int64_t **row, struct error *err)
{
	int64_t n = count_positive(w);

	*row = NULL;
	if (n < w->n) {
		*row = mem_array(n, sizeof(**row), err);
		if (!*row)
			return -1;
	}
	d->weight = w->value;
	*w = (struct row_weights){ 0 };
	if (*row)
		leave_out(d, n, *row);
	drop_ones(d);
	return 0;
}

int dataset_weigh_apart(struct dataset *d, struct dataset *left, struct row_weights *w,
			int64_t **row, struct error *err)
{
	struct dataset weighed = *d;
	int64_t n = count_positive(w), k = 0;

	if (n == w->n)
		return dataset_weigh(d, w, row, err);
	*row = mem_array(n, sizeof(**row), err);
	if (!*row)
		return -1;
	for (int64_t i = 0; i < w->n; i++)
		if (w->value[i] > 0)
			(*row)[k++] = i;
	weighed.weight = w->value;
	if (dataset_gather(left, &weighed, *row, n, err) < 0) {
		mem_free(*row);
		*row = NULL;
		return -1;
	}
	row_weights_free(w);
	drop_ones(left);
	return 0;
}

uint32_t dataset_weight_checksum(const struct dataset *d)
{
	return checksum_crc32(0, d->weight, d->x.n_rows * (int64_t)sizeof(*d->weight));
}
