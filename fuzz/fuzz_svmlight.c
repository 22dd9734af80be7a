/*
 * fuzz_svmlight.c - any bytes as SVMlight text
 *
 * What svmlight_parse() takes, refuses and finds must be what a plain strtod() reader takes,
 * refuses and finds, under all options, and the same whether more text follows or not; rows
 * printed and parsed again are the same rows; rows_scan() on two threads delivers them too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../test/unit/plain_reader.h"
#include "csr_check.h"
#include "io/binary.h"
#include "io/rows.h"
#include "io/svmlight.h"
#include "matrix/csr.h"
#include "require.h"

/* Text of whole lines in memory of its very size. */
struct lines {
	char *text;
	size_t size;
};

static struct lines make_lines(const uint8_t *data, size_t size, const char *tail)
{
	size_t whole = size == 0 || data[size - 1] == '\n', tail_size = strlen(tail);
	struct lines lines = { .size = size + !whole + tail_size };

	lines.text = malloc(lines.size ? lines.size : 1);
	REQUIRE(lines.text);
	if (size > 0)
		memcpy(lines.text, data, size);
	if (!whole)
		lines.text[size] = '\n';
	if (tail_size > 0)
		memcpy(lines.text + size + !whole, tail, tail_size);
	return lines;
}

static bool same_double(double a, double b)
{
	return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof(a));
}

static void require_same_rows(const struct row_batch *b, const struct plain_rows *rows)
{
	int64_t largest = 0;

	REQUIRE(b->n_rows == rows->n_rows && b->n_entries == rows->n_entries);
	REQUIRE(b->n_lines == rows->n_lines);
	for (int64_t i = 0; i < b->n_rows; i++) {
		REQUIRE(same_double(b->label[i], rows->label[i]));
		REQUIRE(b->row_start[i + 1] == rows->row_start[i + 1]);
	}
	for (int64_t k = 0; k < b->n_entries; k++) {
		REQUIRE(b->index[k] == rows->index[k]);
		REQUIRE(same_double(b->value[k], rows->value[k]));
		largest = b->index[k] > largest ? b->index[k] : largest;
	}
	REQUIRE(b->max_index == largest);
}

static void require_matrix(const struct row_batch *b)
{
	struct error err = { 0 };
	struct csr x = { 0 };

	REQUIRE(b->row_start[0] == 0);
	REQUIRE(csr_append(&x, b->n_rows, b->row_start, b->index, b->value, &err) == 0);
	REQUIRE(csr_check(&x, &err) == 0);
	csr_free(&x);
}

/* Written again in the plainest form. */
static char *print_rows(const struct row_batch *b, size_t *size)
{
	FILE *f;
	char *text;

	REQUIRE(f = open_memstream(&text, size));
	for (int64_t i = 0; i < b->n_rows; i++) {
		fprintf(f, "%.17g", b->label[i]);
		for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
			fprintf(f, " %d:%.17g", b->index[k], b->value[k]);
		fputc('\n', f);
	}
	REQUIRE(fclose(f) == 0);
	return text;
}

static void require_round_trip(const struct row_batch *b, const struct rows_options *options)
{
	struct row_batch again = { 0 };
	struct text_position where;
	struct error err = { 0 };
	struct plain_rows rows = { .n_rows = b->n_rows,
				   .n_entries = b->n_entries,
				   .n_lines = b->n_rows,
				   .label = b->label,
				   .value = b->value,
				   .row_start = b->row_start };
	size_t size;
	char *text = print_rows(b, &size);

	rows.index = malloc((size_t)b->n_entries * sizeof(*rows.index) + 1);
	REQUIRE(rows.index);
	for (int64_t k = 0; k < b->n_entries; k++)
		rows.index[k] = b->index[k];
	REQUIRE(svmlight_parse(&again, text, text + size, options, &where, &err) == 0);
	require_same_rows(&again, &rows);
	free(rows.index);
	row_batch_free(&again);
	free(text);
}

static bool same_span(const struct text_span *a, const struct text_span *b)
{
	return a->length == b->length && !a->start == !b->start &&
	       (!a->start || !memcmp(a->start, b->start, (size_t)a->length));
}

/* Written with its text, and read again: the same but for zeros. */
static void require_text_round_trip(const struct lines *lines, struct rows_options options)
{
	const struct svmlight_options shortest = { 0 };
	struct row_batch b = { 0 }, again = { 0 };
	struct byte_buffer text = { 0 };
	struct text_position where;
	struct error err = { 0 };

	options.keep_text = true;
	if (svmlight_parse(&b, lines->text, lines->text + lines->size, &options, &where, &err) ==
	    0) {
		REQUIRE(byte_buffer_reserve(&text, 1, &err) == 0);
		REQUIRE(svmlight_append(&text, &b, &shortest, &err) == 0);
		REQUIRE(svmlight_parse(&again, text.bytes, text.bytes + text.size, &options, &where,
				       &err) == 0);
		plain_drop_zeros(&b);
		REQUIRE(again.n_rows == b.n_rows && again.n_entries == b.n_entries);
		for (int64_t i = 0; i < b.n_rows; i++) {
			REQUIRE(same_double(again.label[i], b.label[i]));
			REQUIRE(again.row_start[i + 1] == b.row_start[i + 1]);
			REQUIRE(same_span(&again.text[i].label, &b.text[i].label));
			REQUIRE(same_span(&again.text[i].qid, &b.text[i].qid));
			REQUIRE(same_span(&again.text[i].comment, &b.text[i].comment));
		}
		for (int64_t k = 0; k < b.n_entries; k++)
			REQUIRE(again.index[k] == b.index[k] &&
				same_double(again.value[k], b.value[k]));
	}
	row_batch_free(&b);
	row_batch_free(&again);
	free(text.bytes);
}

/* An error's place is on its line, which is the plain reader's. */
static void require_place(const struct lines *lines, struct text_position where,
			  const struct plain_rows *rows)
{
	const char *line = lines->text, *end = lines->text + lines->size;

	REQUIRE(where.line == rows->n_lines && where.column >= 1);
	for (int64_t i = 1; i < where.line; i++)
		line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
	REQUIRE(line + where.column - 1 <= (const char *)memchr(line, '\n', (size_t)(end - line)));
}

struct outcome {
	int ret;
	struct text_position where;
	struct error err;
};

static struct outcome try_parse(const struct lines *lines, const struct rows_options *options)
{
	struct row_batch batch = { 0 };
	struct outcome o = { 0 };
	struct plain_rows rows;
	bool good = plain_read(&rows, lines->text, lines->size, options);

	o.ret = svmlight_parse(&batch, lines->text, lines->text + lines->size, options, &o.where,
			       &o.err);
	REQUIRE((o.ret == 0) == good);
	require_same_rows(&batch, &rows);
	require_matrix(&batch);
	if (good) {
		REQUIRE(o.err.code == ERR_NONE);
		require_round_trip(&batch, options);
	} else {
		REQUIRE(o.err.code == ERR_FORMAT && o.err.text[0] != '\0');
		require_place(lines, o.where, &rows);
	}
	row_batch_free(&batch);
	plain_rows_free(&rows);
	return o;
}

/* The parser takes entries another way where it can look far ahead. */
static void try_both_ways(const struct lines *near, const struct lines *far,
			  const struct rows_options *options)
{
	struct outcome a = try_parse(near, options), b = try_parse(far, options);

	REQUIRE(a.ret == b.ret);
	REQUIRE(a.where.line == b.where.line && a.where.column == b.where.column);
	REQUIRE(!strcmp(a.err.text, b.err.text));
}

static int compare_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	(void)user;
	(void)err;
	require_same_rows(batch, arg);
	return 0;
}

/* The input is small: one batch. */
static void try_scan(const uint8_t *data, size_t size, const struct lines *lines,
		     const struct rows_options *options)
{
	struct plain_rows rows;
	struct rows_visitor visitor = { .deliver = compare_batch, .arg = &rows };
	/* a byte order mark belongs to the file, not to its first line */
	int64_t mark = !options->strict && size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
	bool good = plain_read(&rows, lines->text + mark, lines->size - mark, options);
	int fd = memfd_create("fuzz", 0);
	struct error err = { 0 };
	struct input *input;
	char path[40], where[80];

	REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	REQUIRE(input_open(&input, path, &err) == 0);
	REQUIRE((rows_scan(input, options, &visitor, 2, &err) == 0) == good);
	snprintf(where, sizeof(where), "Wrong input format at line %" PRId64 ": %s:%" PRId64 ":",
		 rows.n_lines, path, rows.n_lines);
	REQUIRE(good || (err.code == ERR_FORMAT && !strncmp(err.text, where, strlen(where))));
	input_close(input);
	close(fd);
	plain_rows_free(&rows);
}

/* Scanning starts threads, so only some inputs get it: chosen by their bytes, to be repeatable. */
static bool is_chosen(const uint8_t *data, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + data[i];
	return sum % 16 == 0;
}

/* Gzip, or the binary form? */
static bool is_no_text(const uint8_t *data, size_t size)
{
	return size > 0 && (data[0] == 0x1f || data[0] == BINARY_FIRST_BYTE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char tail[160];
	struct lines lines = make_lines(data, size, ""), longer;

	snprintf(tail, sizeof(tail), "1%150s\n", "");
	longer = make_lines(data, size, tail);
	for (int i = 0; i < 4; i++) {
		struct rows_options options = { .strict = i & 1, .allow_nonfinite = i & 2 };

		try_both_ways(&lines, &longer, &options);
		require_text_round_trip(&lines, options);
		if (is_chosen(data, size) && !is_no_text(data, size))
			try_scan(data, size, &lines, &options);
	}
	free(lines.text);
	free(longer.text);
	return 0;
}
