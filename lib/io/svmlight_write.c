/*
 * svmlight_write.c - examples written as SVMlight/LIBSVM text
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/svmlight_write.h"

#include <pthread.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"

/* The most a number takes, and an entry " 2147483647:" with its value. */
enum { NUMBER_SIZE = DECIMAL_SHORTEST_SIZE, ENTRY_SIZE = 12 + NUMBER_SIZE };

/* How many numbers are written together. */
enum { TOGETHER = 64 };

struct numbers {
	char text[TOGETHER][NUMBER_SIZE];
	uint8_t length[TOGETHER];
};

static void write_shortest(struct numbers *to, const double *value, int64_t n, int digits)
{
	(void)digits;
	decimal_shortest_many(value, n, to->text, to->length);
}

static void write_single(struct numbers *to, const double *value, int64_t n, int digits)
{
	(void)digits;
	for (int64_t i = 0; i < n; i++)
		to->length[i] = (uint8_t)decimal_shortest_single((float)value[i], to->text[i]);
}

static void write_rounded(struct numbers *to, const double *value, int64_t n, int digits)
{
	for (int64_t i = 0; i < n; i++)
		to->length[i] = (uint8_t)decimal_rounded(value[i], digits, to->text[i]);
}

typedef void (*number_writer)(struct numbers *to, const double *value, int64_t n, int digits);

static number_writer choose_writer(const struct svmlight_options *o)
{
	return o->digits > 0 ? write_rounded : o->single ? write_single : write_shortest;
}

/*
 * " index:" for the indices below INDEX_KNOWN: at most six characters, and how many in
 * the last byte
 */
enum { INDEX_KNOWN = 10000 };

static char index_text[INDEX_KNOWN][8];
static pthread_once_t index_text_once = PTHREAD_ONCE_INIT;

static char *write_index(char *p, int32_t index)
{
	*p++ = ' ';
	p += decimal_unsigned((uint64_t)index, p);
	*p++ = ':';
	return p;
}

static void make_index_text(void)
{
	char text[ENTRY_SIZE];

	for (int32_t i = 0; i < INDEX_KNOWN; i++) {
		char length = (char)(write_index(text, i) - text);

		memcpy(index_text[i], text, 7);
		index_text[i][7] = length;
	}
}

/* Entries k .. k + n - 1, n <= TOGETHER; returns the end. */
static char *write_some(char *p, const struct row_batch *rows, int64_t k, int64_t n,
			const struct numbers *numbers)
{
	for (int64_t i = 0; i < n; i++) {
		int32_t index = rows->index[k + i];

		if (rows->value[k + i] == 0)
			continue;
		if (index < INDEX_KNOWN) {
			memcpy(p, index_text[index], 8);
			p += index_text[index][7];
		} else {
			p = write_index(p, index);
		}
		memcpy(p, numbers->text[i], NUMBER_SIZE);
		p += numbers->length[i];
	}
	return p;
}

/* Reserved is ENTRY_SIZE for each of the row's entries; returns the end. */
static char *write_entries(char *p, const struct row_batch *rows, int64_t row, int digits,
			   number_writer write)
{
	int64_t end = rows->row_start[row + 1];
	struct numbers numbers;

	for (int64_t k = rows->row_start[row]; k < end; k += TOGETHER) {
		int64_t n = int64_min(end - k, TOGETHER);

		write(&numbers, rows->value + k, n, digits);
		p = write_some(p, rows, k, n, &numbers);
	}
	return p;
}

static void add_span(struct byte_buffer *text, const struct text_span *span)
{
	if (!span->start)
		return;
	byte_buffer_add(text, " ", 1);
	byte_buffer_add(text, span->start, span->length);
}

static void add_label(struct byte_buffer *text, const struct row_batch *rows, int64_t row)
{
	if (rows->has_text && rows->text[row].label.start)
		byte_buffer_add(text, rows->text[row].label.start, rows->text[row].label.length);
	else
		text->size += decimal_shortest(rows->label[row], text->bytes + text->size);
	if (rows->has_text)
		add_span(text, &rows->text[row].qid);
}

/* All that may take, and the newline. */
static int64_t row_size(const struct row_batch *rows, int64_t row)
{
	int64_t n_entries = rows->row_start[row + 1] - rows->row_start[row];
	int64_t size = NUMBER_SIZE + 1 + ENTRY_SIZE * n_entries;

	if (rows->has_text)
		size += rows->text[row].label.length + 1 + rows->text[row].qid.length + 1 +
			rows->text[row].comment.length;
	return size;
}

int svmlight_append(struct byte_buffer *text, const struct row_batch *rows,
		    const struct svmlight_options *o, struct error *err)
{
	number_writer write = choose_writer(o);
	int64_t old_size = text->size;

	pthread_once(&index_text_once, make_index_text);
	for (int64_t i = 0; i < rows->n_rows; i++) {
		if (byte_buffer_reserve(text, row_size(rows, i), err) < 0) {
			text->size = old_size;
			return -1;
		}
		add_label(text, rows, i);
		text->size = write_entries(text->bytes + text->size, rows, i, o->digits, write) -
			     text->bytes;
		if (rows->has_text)
			add_span(text, &rows->text[i].comment);
		byte_buffer_add(text, "\n", 1);
	}
	return 0;
}
