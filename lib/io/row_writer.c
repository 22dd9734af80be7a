/*
 * row_writer.c - batches of rows to an output, as text or in the binary form
 *
 * How this works.  Formatting is the work, and any thread may do it, as it changes nothing but its
 * own buffer.  Writing is in order and only copies bytes; for the binary form it also counts the
 * blocks that pass, which the end mark must sum up.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/row_writer.h"

#include "io/svmlight.h"

/* Bytes of a value in the binary form. */
static int value_size(const struct row_writer *w)
{
	return w->single ? 4 : 8;
}

/* Write what the binary form begins with or, if there are totals, ends with. */
static int write_mark(struct row_writer *w, const struct binary_totals *totals, struct error *err)
{
	struct byte_buffer mark = { 0 };
	int ret = 0;

	if (w->binary)
		ret = totals ? binary_add_end(&mark, totals, err) :
			       binary_add_header(&mark, value_size(w), err);
	if (ret == 0 && mark.size > 0)
		ret = output_write(w->to, mark.bytes, mark.size, err);
	byte_buffer_free(&mark);
	return ret;
}

int row_writer_begin(struct row_writer *w, struct error *err)
{
	return write_mark(w, NULL, err);
}

int row_writer_end(struct row_writer *w, struct error *err)
{
	return write_mark(w, &w->totals, err);
}

int row_writer_format(const struct row_writer *w, struct byte_buffer *bytes,
		      const struct row_batch *rows, struct error *err)
{
	const struct svmlight_options text = { .digits = w->digits,
					       .single = w->single,
					       .svm_scale = w->svm_scale };

	bytes->size = 0;
	return w->binary ? binary_add_rows(bytes, rows, value_size(w), err) :
			   svmlight_append(bytes, rows, &text, err);
}

int row_writer_check_labels(const struct row_writer *w, const struct row_batch *rows,
			    int64_t n_before, struct error *err)
{
	for (int64_t i = 0; w->binary && i < rows->n_rows; i++)
		if (isnan(rows->label[i]))
			return error_set_remedy(err, ERR_FORMAT, REMEDY_WRITE_TEXT,
						"row %" PRId64
						" has no label, and the binary form cannot say so",
						n_before + i + 1);
	return 0;
}

int row_writer_write(struct row_writer *w, const struct byte_buffer *bytes, struct error *err)
{
	if (w->binary)
		binary_count(&w->totals, bytes->bytes, bytes->size, value_size(w));
	return output_write(w->to, bytes->bytes, bytes->size, err);
}
