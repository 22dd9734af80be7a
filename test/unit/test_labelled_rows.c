/*
 * test_labelled_rows.c - rows kept with their text, and batches of rows written out
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "failing.h"
#include "io/row_writer.h"
#include "matrix/labelled_rows.h"
#include "memory_input.h"
#include "unit.h"

#define TEXT                            \
	"+1 qid:7 1:0.5 3:2 # first \n" \
	"-1.0\n"                        \
	"# no row\n"                    \
	"2e0 2:1e-3 2147483647:-4 #last\n"

struct reading {
	const void *bytes;
	int64_t size;
	struct labelled_rows rows;
	struct progress_observer progress;
};

static int read_rows(void *arg, struct error *err)
{
	const struct rows_options format = { .keep_text = true };
	struct reading *r = arg;
	const struct rows_visitor visitor = { .deliver = labelled_rows_add,
					      .arg = &r->rows,
					      .progress = r->progress };
	struct memory_input memory;
	struct input *input;
	int ret = -1;

	memory_input_open(&memory, r->bytes, r->size, false);
	if (input_open(&input, memory.path, err) == 0) {
		ret = rows_scan(input, &format, &visitor, 2, err);
		input_close(input);
	}
	memory_input_close(&memory);
	if (ret < 0)
		labelled_rows_free(&r->rows);
	return ret;
}

static void note_bytes(void *arg, int64_t done, int64_t total)
{
	CHECK(total == (int64_t)strlen(TEXT) && done <= total, "%" PRId64 " of %" PRId64, done,
	      total);
	*(int64_t *)arg = done;
}

static struct labelled_rows rows_of_text(void)
{
	struct error err = { 0 };
	int64_t done = 0;
	struct reading r = { .bytes = TEXT, .size = (int64_t)strlen(TEXT) };

	r.progress = (struct progress_observer){ note_bytes, &done };
	CHECK(read_rows(&r, &err) == 0, "%s", err.text);
	CHECK(done == r.size, "%" PRId64 " bytes reported", done);
	return r.rows;
}

/* Write the rows row[0 .. n-1], or all if it is NULL, to the file at 'path'. */
static int write_rows(const struct labelled_rows *rows, const int64_t *row, int64_t n, bool binary,
		      const char *path, struct error *err)
{
	struct row_writer w = { .binary = binary };
	struct row_batch batch = { 0 };
	struct byte_buffer bytes = { 0 };
	int ret = -1;

	if (output_open(&w.to, path, false, err) == 0 && row_writer_begin(&w, err) == 0) {
		ret = 0;
		for (int64_t i = 0; i < n && ret == 0; i++) /* in batches of one */
			if (labelled_rows_batch(&batch, rows, row, i, 1, err) < 0 ||
			    row_writer_format(&w, &bytes, &batch, err) < 0 ||
			    row_writer_write(&w, &bytes, err) < 0)
				ret = -1;
		if (ret == 0)
			ret = row_writer_end(&w, err);
	}
	if (ret == 0)
		ret = output_commit(w.to, err);
	else
		output_discard(w.to);
	row_batch_free(&batch);
	free(bytes.bytes);
	return ret;
}

static int64_t read_file(const char *path, char *bytes, size_t size)
{
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(bytes, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	bytes[n] = '\0';
	return (int64_t)n;
}

static void test_text(void)
{
	const int64_t row[] = { 2, 0, 2, 1 };
	struct labelled_rows rows = rows_of_text();
	struct error err = { 0 };
	char text[500];

	CHECK(rows.data.x.n_rows == 3 && rows.has_text && rows.data.max_index == INT32_MAX,
	      "%" PRId64 " rows", rows.data.x.n_rows);
	CHECK(write_rows(&rows, NULL, 3, false, "all", &err) == 0, "%s", err.text);
	read_file("all", text, sizeof(text));
	CHECK(!strcmp(text, "+1 qid:7 1:0.5 3:2 # first\n-1.0\n2e0 2:0.001 2147483647:-4 #last\n"),
	      "%s", text);
	CHECK(write_rows(&rows, row, 4, false, "chosen", &err) == 0, "%s", err.text);
	read_file("chosen", text, sizeof(text));
	CHECK(!strcmp(text, "2e0 2:0.001 2147483647:-4 #last\n+1 qid:7 1:0.5 3:2 # first\n"
			    "2e0 2:0.001 2147483647:-4 #last\n-1.0\n"),
	      "%s", text);
	labelled_rows_free(&rows);
}

/* Through the binary form, where the text is left out. */
static void test_binary(void)
{
	struct labelled_rows rows = rows_of_text();
	struct error err = { 0 };
	char bytes[1000];
	struct reading again = { .bytes = bytes };
	const struct csr *a = &rows.data.x, *b = &again.rows.data.x;

	CHECK(write_rows(&rows, NULL, 3, true, "binary", &err) == 0, "%s", err.text);
	again.size = read_file("binary", bytes, sizeof(bytes));
	CHECK(read_rows(&again, &err) == 0, "%s", err.text);
	CHECK(b->n_rows == 3 && !again.rows.has_text, "%" PRId64 " rows", b->n_rows);
	CHECK(!memcmp(a->row_start, b->row_start, 4 * sizeof(int64_t)) &&
		      !memcmp(a->col, b->col, 4 * sizeof(int32_t)) &&
		      !memcmp(a->val, b->val, 4 * sizeof(double)) &&
		      !memcmp(rows.data.y, again.rows.data.y, 3 * sizeof(double)),
	      "other rows");
	CHECK(write_rows(&again.rows, NULL, 3, false, "back", &err) == 0, "%s", err.text);
	read_file("back", bytes, sizeof(bytes));
	CHECK(!strcmp(bytes, "1 1:0.5 3:2\n-1\n2 2:0.001 2147483647:-4\n"), "%s", bytes);
	labelled_rows_free(&rows);
	labelled_rows_free(&again.rows);
}

static void test_no_room(void)
{
	struct labelled_rows rows = rows_of_text();

	for (int binary = 0; binary < 2; binary++) {
		struct error err = { 0 };

		CHECK(write_rows(&rows, NULL, 3, binary, "/dev/full", &err) < 0 &&
			      err.code == ERR_IO && !strcmp(err.text, "No space left on device"),
		      "code %d, '%s'", err.code, err.text);
	}
	labelled_rows_free(&rows);
}

static int write_text(void *arg, struct error *err)
{
	return write_rows(arg, NULL, 3, false, "short", err);
}

static int write_binary(void *arg, struct error *err)
{
	return write_rows(arg, NULL, 3, true, "short", err);
}

static void test_memory(void)
{
	struct reading r = { .bytes = TEXT, .size = (int64_t)strlen(TEXT) };

	CHECK(fail_each_allocation("labelled_rows_add", read_rows, &r) > 5, "few allocations");
	CHECK(fail_each_allocation("text", write_text, &r.rows) > 5, "few allocations");
	CHECK(fail_each_allocation("binary", write_binary, &r.rows) > 5, "few allocations");
	labelled_rows_free(&r.rows);
}

int main(void)
{
	test_text();
	test_binary();
	test_no_room();
	test_memory();
	return unit_report("labelled_rows");
}
