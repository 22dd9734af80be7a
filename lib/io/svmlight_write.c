/*
 * svmlight_write.c - examples written as SVMlight/LIBSVM text
 *
 * How this works.  Room for a whole row, each number as long as numbers can be, is reserved before
 * the row is written, so that nothing is checked on the way (1).  The values of a row are converted
 * up to 64 at a time into slots of fixed size (2): the shortest form of a double is a chain of
 * dependent steps, and decimal_shortest_many() takes one step for many numbers before the next.
 * Then text is put together by copies of fixed length, of which only the pointer's advance depends
 * on the number (3): eight bytes for " index:", from a table for the first ten thousand indices,
 * and NUMBER_SIZE for the value.  A copy may write beyond its text; what follows covers it, and
 * the reserved room ends no earlier.
 *
 * On one core dense normal random numbers in their shortest form are written at 36 million values
 * a second (bench/time_write.c).
 *
 * An entry in memory while it is put together, with the bytes that later copies cover as dots:
 *
 *      after memcpy of 8 from index_text[12]    " 12:...."           p moves on by 4
 *      after memcpy of NUMBER_SIZE              " 12:0.25........"   p moves on by 4, its length
 *
 * Rows with texts (label, qid, comment as they were read) get these copied; numbers are made only
 * where there is no text.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/svmlight.h"

#include <pthread.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"

/* Bytes that a number takes at most, and an entry, " 2147483647:" and its value. */
enum { NUMBER_SIZE = DECIMAL_SHORTEST_SIZE, ENTRY_SIZE = 12 + NUMBER_SIZE };

/* Numbers converted together: enough for the steps to overlap, and their text fits the L1 cache. */
enum { TOGETHER = 64 };

/* (2): slots for the text of TOGETHER numbers; only the first length[i] bytes of slot i count. */
struct numbers {
	char text[TOGETHER][NUMBER_SIZE];
	uint8_t length[TOGETHER];
};

/* As the options ask: a number of digits, single precision, or the shortest form. */
static void write_numbers(struct numbers *to, const double *value, int64_t n,
			  const struct svmlight_options *o)
{
	if (o->digits == 0 && !o->single) {
		decimal_shortest_many(value, n, to->text, to->length);
		return;
	}
	for (int64_t i = 0; i < n; i++)
		to->length[i] =
			(uint8_t)(o->digits > 0 ?
					  decimal_rounded(value[i], o->digits, to->text[i]) :
					  decimal_shortest_single((float)value[i], to->text[i]));
}

/*
 * " index:" for the indices below INDEX_KNOWN: at most six characters, and their number in the last
 * of the eight bytes.  The table takes 80 kB; it made dense rows some 15 % faster (27 to 31 million
 * values a second).  It is made once for all threads, by pthread_once().
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

		/* " 9999:" has six characters: the seventh byte is never text */
		memcpy(index_text[i], text, 7);
		index_text[i][7] = length;
	}
}

/* (3): entries k .. k + n - 1, n <= TOGETHER, without those of value 0; returns the end. */
static char *write_some(char *p, const struct row_batch *rows, int64_t k, int64_t n,
			const struct numbers *numbers)
{
	for (int64_t i = 0; i < n; i++) {
		int32_t index = rows->index[k + i];

		/* text has no entries of 0; their numbers were converted in vain, which is rare */
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

/* (2): all entries of a row, for each of which ENTRY_SIZE is reserved; returns the end. */
static char *write_entries(char *p, const struct row_batch *rows, int64_t row,
			   const struct svmlight_options *o)
{
	int64_t end = rows->row_start[row + 1];
	struct numbers numbers;

	for (int64_t k = rows->row_start[row]; k < end; k += TOGETHER) {
		int64_t n = int64_min(end - k, TOGETHER);

		write_numbers(&numbers, rows->value + k, n, o);
		p = write_some(p, rows, k, n, &numbers);
	}
	return p;
}

/* A blank and the span, if there is a span. */
static void add_span(struct byte_buffer *text, const struct text_span *span)
{
	if (!span->start)
		return;
	byte_buffer_add(text, " ", 1);
	byte_buffer_add(text, span->start, span->length);
}

/* The label as it was written, where that is known: 1 may have been "+1" or "1.0". */
static void add_label(struct byte_buffer *text, const struct row_batch *rows, int64_t row,
		      bool svm_scale)
{
	if (svm_scale)
		text->size += decimal_rounded(rows->label[row], 17, text->bytes + text->size);
	else if (rows->has_text && rows->text[row].label.start)
		byte_buffer_add(text, rows->text[row].label.start, rows->text[row].label.length);
	else
		text->size += decimal_shortest(rows->label[row], text->bytes + text->size);
	if (rows->has_text)
		add_span(text, &rows->text[row].qid);
}

/* The row from 'start' on begins with its first entry or qid, not with the blank before it. */
static void begin_without_label(struct byte_buffer *text, int64_t start)
{
	char *row = text->bytes + start;

	if (text->size == start) { /* an empty line would be no example */
		byte_buffer_add(text, "1:0", 3);
		return;
	}
	/* the blank before the first entry goes, all else moves up by one byte */
	memmove(row, row + 1, (size_t)(text->size - start - 1));
	text->size--;
}

/* (1): the most that a row, a blank and its newline may take. */
static int64_t row_size(const struct row_batch *rows, int64_t row)
{
	int64_t n_entries = rows->row_start[row + 1] - rows->row_start[row];
	int64_t size = NUMBER_SIZE + 2 + ENTRY_SIZE * n_entries;

	if (rows->has_text)
		size += rows->text[row].label.length + 1 + rows->text[row].qid.length + 1 +
			rows->text[row].comment.length;
	return size;
}

int svmlight_append(struct byte_buffer *text, const struct row_batch *rows,
		    const struct svmlight_options *o, struct error *err)
{
	int64_t old_size = text->size, start;

	pthread_once(&index_text_once, make_index_text);
	for (int64_t i = 0; i < rows->n_rows; i++) {
		if (byte_buffer_reserve(text, row_size(rows, i), err) < 0) {
			text->size = old_size;
			return -1;
		}
		/* the bytes may have moved: places are kept as numbers, not as pointers */
		start = text->size;
		add_label(text, rows, i, o->svm_scale);
		text->size = write_entries(text->bytes + text->size, rows, i, o) - text->bytes;
		/* the text of a label that was not read is present and empty */
		if (rows->has_text && rows->text[i].label.start && rows->text[i].label.length == 0)
			begin_without_label(text, start);
		if (rows->has_text && !o->svm_scale)
			add_span(text, &rows->text[i].comment);
		byte_buffer_add(text, o->svm_scale ? " \n" : "\n", o->svm_scale ? 2 : 1);
	}
	return 0;
}
