/*
 * mtx_write.c - rows as a sparse matrix in MatrixMarket's format
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "tables/matrix_write.h"
#include "tables/mtx_read.h"
#include "tables/number_text.h"

static int write_header(const struct matrix_writer *w, struct error *err)
{
	const struct row_batch *b = w->rows;
	int64_t n = b->n_entries;

	for (int64_t i = 0; w->labels && i < b->n_rows; i++)
		n += b->label[i] != 0;
	return output_printf(w->to, err,
			     "%s matrix coordinate real general\n%" PRId64 " %" PRId64 " %" PRId64
			     "\n",
			     MTX_MAGIC, b->n_rows, w->n_columns + w->labels, n);
}

static int add_entry(struct byte_buffer *line, int64_t i, int64_t j, double value, int digits,
		     struct error *err)
{
	if (byte_buffer_reserve(line, 2 * DECIMAL_SHORTEST_SIZE, err) < 0)
		return -1;
	line->size += decimal_unsigned((uint64_t)i + 1, line->bytes + line->size);
	byte_buffer_add(line, " ", 1);
	line->size += decimal_unsigned((uint64_t)j, line->bytes + line->size);
	byte_buffer_add(line, " ", 1);
	if (number_text_add(line, value, digits, err) < 0)
		return -1;
	return byte_buffer_append(line, "\n", 1, err);
}

static int write_row(const struct matrix_writer *w, int64_t i, struct byte_buffer *line,
		     struct error *err)
{
	const struct row_batch *b = w->rows;

	line->size = 0;
	if (w->labels && b->label[i] != 0 && add_entry(line, i, 1, b->label[i], 0, err) < 0)
		return -1;
	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		if (add_entry(line, i, b->index[k] + w->labels, b->value[k], w->digits, err) < 0)
			return -1;
	return output_write(w->to, line->bytes, line->size, err);
}

int mtx_write(const struct matrix_writer *w, struct error *err)
{
	struct byte_buffer line = { 0 };
	int ret = write_header(w, err);

	for (int64_t i = 0; i < w->rows->n_rows && ret == 0; i++)
		ret = write_row(w, i, &line, err);
	byte_buffer_free(&line);
	return ret;
}
