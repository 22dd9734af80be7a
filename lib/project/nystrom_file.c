/*
 * nystrom_file.c - the lines of a map of landmarks in its file
 *
 * The numbers of a line are counted by the blanks between them, so that no memory is asked for that
 * the bytes of the line do not fill.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/nystrom_file.h"

#include <string.h>

#include "base/mem.h"
#include "io/mapfile.h"

static int put_blank(struct byte_buffer *text, struct error *err)
{
	if (byte_buffer_reserve(text, 1, err) < 0)
		return -1;
	byte_buffer_add(text, " ", 1);
	return 0;
}

int nystrom_write_line(const struct nystrom *n, int64_t i, struct byte_buffer *text,
		       struct error *err)
{
	const struct csr_row x = csr_row_of(&n->landmarks, i);

	if (mapfile_put_reals(text, nystrom_row(n, i), i + 1, err) < 0)
		return -1;
	for (int64_t k = 0; k < x.n; k++) {
		const double pair[2] = { x.col[k], x.val[k] };

		if (put_blank(text, err) < 0 || mapfile_put_reals(text, pair, 2, err) < 0)
			return -1;
	}
	return 0;
}

static int64_t count_numbers(const char *text, const char *end)
{
	int64_t n = 1;

	for (; text < end; text++)
		n += *text == ' ';
	return n;
}

/* Append the landmark whose pairs of index and value are pair[0 .. 2 n - 1]. */
static int append_landmark(struct nystrom *to, const double *pair, int64_t n, int64_t n_features,
			   struct error *err)
{
	const int64_t start[2] = { 0, n };
	int32_t *col = mem_array(n, sizeof(*col), err);
	double *val = mem_array(n, sizeof(*val), err);
	int ret = col && val ? 0 : -1;

	for (int64_t k = 0; ret == 0 && k < n; k++) {
		double index = pair[2 * k], least = k == 0 ? 0 : (double)col[k - 1] + 1;

		/* the bounds come first: the conversion to 32 bits is undefined beyond them */
		if (!(index >= least && index <= (double)n_features) ||
		    index != (double)(int32_t)index)
			ret = error_set(err, ERR_FORMAT, "features must ascend, to %lld at most",
					(long long)n_features);
		else
			col[k] = (int32_t)index;
		val[k] = pair[2 * k + 1];
	}
	if (ret == 0)
		ret = csr_append(&to->landmarks, 1, start, col, val, err);
	mem_free(col);
	mem_free(val);
	return ret;
}

int nystrom_read_line(struct nystrom *n, int64_t *capacity, int64_t n_features, const char *text,
		      const char *end, struct error *err)
{
	const int64_t i = n->landmarks.n_rows, own = i + 1, count = count_numbers(text, end);
	double *line;
	int ret = -1;

	if (count < own || (count - own) % 2 != 0)
		return error_set(err, ERR_FORMAT,
				 "expected %lld numbers, then pairs of an index and a value",
				 (long long)own);
	line = mem_array(count, sizeof(*line), err);
	if (line && mapfile_get_reals(line, count, text, end, err) == 0 &&
	    mem_grow(&n->inverse, capacity, own * (own + 1) / 2, sizeof(*n->inverse), err) == 0) {
		memcpy(nystrom_row(n, i), line, (size_t)own * sizeof(*line));
		ret = append_landmark(n, line + own, (count - own) / 2, n_features, err);
	}
	mem_free(line);
	return ret;
}
