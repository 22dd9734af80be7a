/*
 * matrix_write.c - rows as a table or matrix: CSV, NumPy's .npy, MatrixMarket
 *
 * A format is two functions, which append to a buffer what stands before the rows and a row.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "tables/matrix_write.h"

#include "base/decimal.h"
#include "base/little_endian.h"
#include "tables/npy_read.h"

struct matrix_format {
	int (*add_header)(const struct matrix_writer *w, struct byte_buffer *to, struct error *err);
	int (*add_row)(const struct matrix_writer *w, int64_t i, struct byte_buffer *to,
		       struct error *err);
};

int number_text_add(struct byte_buffer *to, double value, int digits, struct error *err)
{
	if (byte_buffer_reserve(to, DECIMAL_SHORTEST_SIZE, err) < 0)
		return -1;
	to->size += digits > 0 ? decimal_rounded(value, digits, to->bytes + to->size) :
				 decimal_shortest(value, to->bytes + to->size);
	return 0;
}

/* ---- Delimited text, with a header ---- */

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

static int csv_header(const struct matrix_writer *w, struct byte_buffer *to, struct error *err)
{
	if (w->labels &&
	    byte_buffer_append_text(to, w->n_columns > 0 ? "label," : "label", err) < 0)
		return -1;
	if ((w->names ? add_names(to, w->names, err) : add_numbers(to, w->n_columns, err)) < 0)
		return -1;
	return byte_buffer_append_text(to, "\n", err);
}

static int add_label(const struct matrix_writer *w, double label, struct byte_buffer *to,
		     struct error *err)
{
	struct text_span name = { 0 };

	if (w->classes)
		name = csv_columns_class(w->classes, label);
	return name.start ? csv_add_field(to, name.start, name.length, err) :
			    number_text_add(to, label, 0, err);
}

static int csv_row(const struct matrix_writer *w, int64_t i, struct byte_buffer *to,
		   struct error *err)
{
	const struct row_batch *b = w->rows;
	int64_t k = b->row_start[i];

	if (w->labels && add_label(w, b->label[i], to, err) < 0)
		return -1;
	for (int64_t j = 1; j <= w->n_columns; j++) {
		const bool there = k < b->row_start[i + 1] && b->index[k] == j;

		if (((j > 1 || w->labels) && byte_buffer_append_text(to, ",", err) < 0) ||
		    number_text_add(to, there ? b->value[k] : 0, w->digits, err) < 0)
			return -1;
		k += there;
	}
	return byte_buffer_append_text(to, "\n", err);
}

const struct matrix_format csv_format = { csv_header, csv_row };

/* ---- An array in NumPy's .npy format, version 1 ---- */

/* The header ends where the numbers are aligned to 64 bytes. */
enum { ALIGNMENT = 64, LONGEST = 192 };

static int npy_header(const struct matrix_writer *w, struct byte_buffer *to, struct error *err)
{
	char text[LONGEST] = NPY_MAGIC "\1";
	int n = 10 + snprintf(text + 10, sizeof(text) - 10,
			      "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64
			      ", %" PRId64 "), }",
			      w->rows->n_rows, w->n_columns + w->labels);

	while ((n + 1) % ALIGNMENT != 0)
		text[n++] = ' ';
	text[n++] = '\n';
	text[8] = (char)((n - 10) & 255);
	text[9] = (char)((n - 10) >> 8);
	return byte_buffer_append(to, text, n, err);
}

/* The bytes of a number, lowest first, on any machine. */
static void put(char *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, 8);
	put_64(to, bits);
}

static int npy_row(const struct matrix_writer *w, int64_t i, struct byte_buffer *to,
		   struct error *err)
{
	const struct row_batch *b = w->rows;
	const int64_t n_bytes = (w->n_columns + w->labels) * 8;

	if (byte_buffer_reserve(to, n_bytes + 1, err) < 0)
		return -1;
	to->size = n_bytes;
	memset(to->bytes, 0, (size_t)n_bytes);
	if (w->labels)
		put(to->bytes, b->label[i]);
	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		put(to->bytes + 8 * (b->index[k] - 1 + w->labels), b->value[k]);
	return 0;
}

const struct matrix_format npy_format = { npy_header, npy_row };

/* ---- A sparse matrix in MatrixMarket's format ---- */

static int mtx_header(const struct matrix_writer *w, struct byte_buffer *to, struct error *err)
{
	const struct row_batch *b = w->rows;
	int64_t n = b->n_entries;
	char text[160];

	for (int64_t i = 0; w->labels && i < b->n_rows; i++)
		n += b->label[i] != 0;
	snprintf(text, sizeof(text),
		 "%s matrix coordinate real general\n%" PRId64 " %" PRId64 " %" PRId64 "\n",
		 MTX_MAGIC, b->n_rows, w->n_columns + w->labels, n);
	return byte_buffer_append_text(to, text, err);
}

static int add_entry(struct byte_buffer *to, int64_t i, int64_t j, double value, int digits,
		     struct error *err)
{
	if (byte_buffer_reserve(to, 2 * DECIMAL_SHORTEST_SIZE, err) < 0)
		return -1;
	to->size += decimal_unsigned((uint64_t)i + 1, to->bytes + to->size);
	byte_buffer_add(to, " ", 1);
	to->size += decimal_unsigned((uint64_t)j, to->bytes + to->size);
	byte_buffer_add(to, " ", 1);
	if (number_text_add(to, value, digits, err) < 0)
		return -1;
	return byte_buffer_append(to, "\n", 1, err);
}

static int mtx_row(const struct matrix_writer *w, int64_t i, struct byte_buffer *to,
		   struct error *err)
{
	const struct row_batch *b = w->rows;

	if (w->labels && b->label[i] != 0 && add_entry(to, i, 1, b->label[i], 0, err) < 0)
		return -1;
	for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
		if (add_entry(to, i, b->index[k] + w->labels, b->value[k], w->digits, err) < 0)
			return -1;
	return 0;
}

const struct matrix_format mtx_format = { mtx_header, mtx_row };

/* ---- Writing ---- */

int matrix_write(const struct matrix_writer *w, const struct matrix_format *format,
		 struct error *err)
{
	struct byte_buffer text = { 0 };
	int ret = 0;

	/* the header is row -1 */
	for (int64_t i = -1; i < w->rows->n_rows && ret == 0; i++) {
		text.size = 0;
		ret = i < 0 ? format->add_header(w, &text, err) : format->add_row(w, i, &text, err);
		if (ret == 0)
			ret = output_write(w->to, text.bytes, text.size, err);
	}
	byte_buffer_free(&text);
	return ret;
}
