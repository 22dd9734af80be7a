/*
 * csv_write.c - rows as delimited text, with a header
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <string.h>

#include "tables/matrix_write.h"
#include "tables/number_text.h"

int csv_add_field(struct byte_buffer *to, const char *text, int64_t length, struct error *err)
{
	bool quoted = length == 0;

	for (int64_t k = 0; k < length; k++)
		quoted = quoted || strchr(",;\"\r\n\t ", text[k]);
	if (byte_buffer_reserve(to, 2 * length + 2, err) < 0)
		return -1;
	byte_buffer_add(to, "\"", quoted);
	for (int64_t k = 0; k < length; k++)
		byte_buffer_add(to, text[k] == '"' ? "\"\"" : &text[k], 1 + (text[k] == '"'));
	byte_buffer_add(to, "\"", quoted);
	return 0;
}

/* "x1,x2,..." */
static int add_numbers(struct byte_buffer *to, int64_t n, struct error *err)
{
	for (int64_t j = 1; j <= n; j++)
		if (byte_buffer_append_text(to, j > 1 ? ",x" : "x", err) < 0 ||
		    number_text_add(to, (double)j, 0, err) < 0)
			return -1;
	return 0;
}

/* The names of the features, which csv_columns_names() has as lines. */
static int add_names(struct byte_buffer *to, const struct csv_columns *c, struct error *err)
{
	struct byte_buffer lines = { 0 };
	const char *p, *end;
	int ret = csv_columns_names(c, &lines, err);

	for (p = lines.bytes; ret == 0 && p < lines.bytes + lines.size; p = end + 1) {
		end = memchr(p, '\n', (size_t)(lines.bytes + lines.size - p));
		ret = p > lines.bytes ? byte_buffer_append_text(to, ",", err) : 0;
		if (ret == 0)
			ret = csv_add_field(to, p, end - p, err);
	}
	byte_buffer_free(&lines);
	return ret;
}

static int write_header(const struct matrix_writer *w, struct byte_buffer *line, struct error *err)
{
	if ((w->labels &&
	     byte_buffer_append_text(line, w->n_columns > 0 ? "label," : "label", err) < 0) ||
	    (w->names ? add_names(line, w->names, err) : add_numbers(line, w->n_columns, err)) <
		    0 ||
	    byte_buffer_append_text(line, "\n", err) < 0)
		return -1;
	return output_write(w->to, line->bytes, line->size, err);
}

static int add_label(const struct matrix_writer *w, double label, struct byte_buffer *line,
		     struct error *err)
{
	struct text_span name = { 0 };

	if (w->classes)
		name = csv_columns_class(w->classes, label);
	return name.start ? csv_add_field(line, name.start, name.length, err) :
			    number_text_add(line, label, 0, err);
}

static int write_row(const struct matrix_writer *w, int64_t i, struct byte_buffer *line,
		     struct error *err)
{
	const struct row_batch *b = w->rows;
	int64_t k = b->row_start[i];

	line->size = 0;
	if (w->labels && add_label(w, b->label[i], line, err) < 0)
		return -1;
	for (int64_t j = 1; j <= w->n_columns; j++) {
		const bool there = k < b->row_start[i + 1] && b->index[k] == j;

		if (((j > 1 || w->labels) && byte_buffer_append_text(line, ",", err) < 0) ||
		    number_text_add(line, there ? b->value[k] : 0, w->digits, err) < 0)
			return -1;
		k += there;
	}
	return byte_buffer_append_text(line, "\n", err) < 0 ?
		       -1 :
		       output_write(w->to, line->bytes, line->size, err);
}

int csv_write(const struct matrix_writer *w, struct error *err)
{
	struct byte_buffer line = { 0 };
	int ret = write_header(w, &line, err);

	for (int64_t i = 0; i < w->rows->n_rows && ret == 0; i++)
		ret = write_row(w, i, &line, err);
	byte_buffer_free(&line);
	return ret;
}
