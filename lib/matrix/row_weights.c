/*
 * row_weights.c - a weight for each row of a data set, from a file
 *
 * Rows of weight 0 are taken out of the matrix in place: each row that stays moves forward, over
 * bytes that have been read already.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "matrix/row_weights.h"

#include "base/decimal.h"
#include "io/gzip.h"
#include "io/line_reader.h"

/* Bytes of a refused line that a message shows. */
enum { SHOWN = 20 };

/* Blanks that a line may have beside its weight. */
#define BLANKS " \t\r"

void row_weights_free(struct row_weights *w)
{
	mem_free(w->value);
	*w = (struct row_weights){ 0 };
}

/* The weight on a line */
static int take_line(struct row_weights *w, const struct line_reader *r, const char *line,
		     struct error *err)
{
	double value;
	const char *p = line + strspn(line, BLANKS), *end = p + strlen(p);

	p = p < end ? decimal_parse(p, end, &value) : NULL;
	if (!p || p + strspn(p, BLANKS) != end || !(value >= 0) || isinf(value))
		return line_fault(r,
				  FORMATTED(96,
					    "expected a weight, a number of 0 or more, got '%s'",
					    QUOTED(SHOWN + 1, line, strcspn(line, "\r"))),
				  err);
	if (mem_grow(&w->value, &w->capacity, w->n + 1, sizeof(*w->value), err) < 0)
		return -1;
	/* -0 becomes 0 */
	w->value[w->n++] = value + 0.0;
	return 0;
}

int row_weights_read(struct row_weights *w, struct input *input, struct error *err)
{
	struct line_reader r = { .text.from = input, .name = input_name(input) };
	char *line;
	int ret;

	*w = (struct row_weights){ 0 };
	do {
		ret = line_read(&r, &line, err);
		if (ret > 0 && take_line(w, &r, line, err) < 0)
			ret = -1;
	} while (ret > 0);
	if (ret == 0 && w->n == 0)
		ret = error_set(err, ERR_FORMAT, "%s: no weights", r.name);
	line_reader_free(&r);
	if (ret < 0)
		row_weights_free(w);
	return ret;
}

/* Number of weights above 0. */
static int64_t count_positive(const struct row_weights *w)
{
	int64_t n = 0;

	for (int64_t i = 0; i < w->n; i++)
		n += w->value[i] > 0;
	return n;
}

int row_weights_check(const struct row_weights *w, int64_t n_rows, const char *name,
		      const char *data, struct error *err)
{
	/* the line that is missing, or the first that is too many */
	if (w->n != n_rows)
		return error_set(err, ERR_FORMAT,
				 "%s:%" PRId64 ": %s weights than the %" PRId64 " rows of %s", name,
				 (w->n < n_rows ? w->n : n_rows) + 1,
				 w->n < n_rows ? "fewer" : "more", n_rows, data);
	if (count_positive(w) == 0)
		return error_set(err, ERR_FORMAT, "%s: all weights are 0", name);
	return 0;
}

/* The n rows of weight above 0, for the caller to free. */
static int64_t *positive_rows(const struct row_weights *w, int64_t n, struct error *err)
{
	int64_t *row = mem_array(n, sizeof(*row), err), k = 0;

	for (int64_t i = 0; row && i < w->n; i++)
		if (w->value[i] > 0)
			row[k++] = i;
	return row;
}

/* Of the data the n rows listed, ascending, stay alone. */
static void keep_rows(struct dataset *d, int64_t n, const int64_t *row)
{
	struct csr *x = &d->x;
	int64_t at = 0;

	for (int64_t k = 0; k < n; k++) {
		int64_t i = row[k], first = x->row_start[i], size = x->row_start[i + 1] - first;

		memmove(x->col + at, x->col + first, (size_t)size * sizeof(*x->col));
		memmove(x->val + at, x->val + first, (size_t)size * sizeof(*x->val));
		/* k <= i, and row_start[i] has been read: no row before k needs it */
		x->row_start[k] = at;
		at += size;
		d->y[k] = d->y[i];
		d->weight[k] = d->weight[i];
		if (d->group)
			d->group[k] = d->group[i];
	}
	x->row_start[n] = at;
	x->n_rows = n;
	csr_shrink(x);
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

int dataset_weigh(struct dataset *d, struct dataset *left, struct row_weights *w, int64_t **row,
		  struct error *err)
{
	const int64_t n = count_positive(w);
	struct dataset weighed = *d;

	weighed.weight = w->value;
	*row = n < w->n ? positive_rows(w, n, err) : NULL;
	if ((n < w->n && !*row) ||
	    (*row && left && dataset_gather(left, &weighed, *row, n, err) < 0)) {
		mem_free(*row);
		*row = NULL;
		return -1;
	}
	if (*row && left) {
		row_weights_free(w);
		drop_ones(left);
		return 0;
	}
	d->weight = w->value;
	*w = (struct row_weights){ 0 };
	if (*row)
		keep_rows(d, n, *row);
	drop_ones(d);
	return 0;
}

uint32_t dataset_weight_checksum(const struct dataset *d)
{
	return checksum_crc32(0, d->weight, d->x.n_rows * (int64_t)sizeof(*d->weight));
}
