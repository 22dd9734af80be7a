/*
 * fuzz_convert.c - any bytes as what svm-convert reads
 *
 * The first bytes say which format is tried: columns that were saved, an array of NumPy, an archive
 * of them, MatrixMarket, ARFF, or else CSV.  Rows of matrices ascend within their columns.  Rows of
 * the table that columns were learned from have no unknown texts, and are the same with the columns
 * saved and restored; a CSV table has the same records wherever the buffer ends; a file of columns
 * that is accepted is written and read again as the same bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/line_reader.h"
#include "map_text.h"
#include "tables/arff_read.h"
#include "tables/csv_columns.h"
#include "tables/npy_read.h"

enum {
	ROWS_MAX = 1000, /* rows of a matrix that are looked at: a header may promise many */
	/* an escape is two bytes long, and a column has the numbers of its mean and missing values */
	SAVED_MAX = 40 * MAP_TEXT_MAX
};

static bool begins(const uint8_t *data, size_t size, const char *start)
{
	return size >= strlen(start) && memcmp(data, start, strlen(start)) == 0;
}

/* A number that the bytes decide, to choose among options. */
static uint32_t digest(const uint8_t *data, size_t size)
{
	return checksum_crc32(0, data, (int64_t)size);
}

static void require_refused(const struct error *err)
{
	REQUIRE(err->code == ERR_FORMAT && *err->text);
}

/* ---- rows ---- */

static void require_rows(const struct row_batch *rows, int64_t n_features)
{
	for (int64_t i = 0; i < rows->n_rows; i++)
		for (int64_t k = rows->row_start[i]; k < rows->row_start[i + 1]; k++) {
			REQUIRE(rows->index[k] >= 1 && rows->index[k] <= n_features);
			REQUIRE(k == rows->row_start[i] || rows->index[k] > rows->index[k - 1]);
			REQUIRE(rows->value[k] != 0 && !isinf(rows->value[k]));
		}
}

static bool same_bytes(const void *a, const void *b, int64_t size)
{
	return size == 0 || memcmp(a, b, (size_t)size) == 0;
}

static void require_same_rows(const struct row_batch *a, const struct row_batch *b)
{
	REQUIRE(a->n_rows == b->n_rows && a->n_entries == b->n_entries);
	REQUIRE(same_bytes(a->label, b->label, 8 * a->n_rows));
	REQUIRE(same_bytes(a->row_start, b->row_start, a->n_rows > 0 ? 8 * (a->n_rows + 1) : 0));
	REQUIRE(same_bytes(a->index, b->index, 4 * a->n_entries));
	REQUIRE(same_bytes(a->value, b->value, 8 * a->n_entries));
}

/* ---- matrices ---- */

static int open_matrix(struct matrix_reader *m, const char *path, struct input *input,
		       const uint8_t *data, size_t size, struct error *err)
{
	if (begins(data, size, NPY_MAGIC))
		return npy_open(m, input, err);
	if (begins(data, size, MTX_MAGIC))
		return mtx_open(m, input, err);
	return npz_open(m, path, "X", err);
}

static void try_matrix(const uint8_t *data, size_t size)
{
	struct row_batch rows = { 0 };
	struct matrix_reader m = { 0 };
	struct error err = { 0 };
	char path[MAP_TEXT_PATH];
	const int fd = map_text_file(data, size, path);
	struct input *input;
	int64_t n = -1;

	REQUIRE(input_open(&input, path, &err) == 0);
	if (open_matrix(&m, path, input, data, size, &err) == 0)
		while ((n = matrix_read(&m, 100, &rows, &err)) > 0 && rows.n_rows < ROWS_MAX)
			;
	if (n < 0)
		require_refused(&err);
	else
		require_rows(&rows, m.n_cols);
	matrix_close(&m);
	input_close(input);
	row_batch_free(&rows);
	close(fd);
}

/* ---- columns ---- */

static int save_columns(const void *columns, struct output *output, struct error *err)
{
	return csv_columns_save(columns, output, err);
}

static int load_columns(struct csv_columns *c, const void *bytes, size_t size, struct error *err)
{
	char path[MAP_TEXT_PATH];
	const int fd = map_text_file(bytes, size, path),
		  ret = input_load(csv_columns_read, c, path, err);

	close(fd);
	return ret;
}

/* Each feature and each class has a line. */
static void require_lists(const struct csv_columns *c)
{
	struct byte_buffer list = { 0 };
	struct error err = { 0 };
	int64_t n_lines = 0, n_classes = 0;

	if (csv_columns_names(c, &list, &err) < 0) {
		REQUIRE(err.code == ERR_ARGUMENT && c->text_rule.bits > 0);
		byte_buffer_free(&list);
		return;
	}
	REQUIRE(csv_columns_labels(c, &list, &err) == 0);
	while (csv_columns_class(c, (double)n_classes + 1).start)
		n_classes++;
	for (int64_t k = 0; k < list.size; k++)
		n_lines += list.bytes[k] == '\n';
	REQUIRE(n_lines == c->n_features + n_classes);
	byte_buffer_free(&list);
}

static char saved[SAVED_MAX], saved_again[SAVED_MAX];

static void try_columns(const void *data, size_t size)
{
	struct csv_columns c = { 0 }, again = { 0 };
	struct error err = { 0 };
	size_t n;

	if (load_columns(&c, data, size, &err) < 0) {
		require_refused(&err);
		return;
	}
	require_lists(&c);
	n = map_text_write(save_columns, &c, saved, SAVED_MAX);
	REQUIRE(load_columns(&again, saved, n, &err) == 0);
	REQUIRE(map_text_write(save_columns, &again, saved_again, SAVED_MAX) == n);
	REQUIRE(memcmp(saved, saved_again, n) == 0);
	csv_columns_free(&c);
	csv_columns_free(&again);
}

/* ---- tables ---- */

/* A table in one of two formats, to be read from its beginning. */
struct table {
	bool is_arff, has_header;
	struct byte_buffer bytes;
	struct input *from;
	struct csv_reader csv;
	struct arff_reader arff;
};

static void start(struct table *t)
{
	struct error err = { 0 };

	csv_reader_free(&t->csv);
	arff_reader_free(&t->arff);
	input_close(t->from);
	REQUIRE(input_open_kept(&t->from, &t->bytes, "t", &err) == 0);
	t->csv = (struct csv_reader){ .text.from = t->from, .delimiter = ',', .name = "t" };
	t->arff = (struct arff_reader){ .lines = { .text.from = t->from, .name = "t" } };
}

static int next_record(struct table *t, struct csv_record *record, struct error *err)
{
	return t->is_arff ? arff_read(&t->arff, record, err) : csv_read(&t->csv, record, err);
}

static int begin_columns(struct table *t, struct csv_columns *c, const struct csv_record *header,
			 int64_t n, struct error *err)
{
	if (c->n > 0)
		return csv_columns_fit(c, header, n, err);
	if (csv_columns_begin(c, header, n, err) < 0 ||
	    (t->is_arff && arff_declare(&t->arff, c, err) < 0))
		return -1;
	if (c->text_rule.least > 0 && c->n > 1 && csv_columns_set(c, "1", COLUMN_TEXT, err) < 0)
		return -1;
	return csv_columns_set(c, "-1", COLUMN_LABEL, err);
}

/* Learn from all records, or where 'rows' is given make rows of them; -1 where the table is refused. */
static int visit(struct table *t, struct csv_columns *c, struct row_batch *rows, struct error *err)
{
	struct csv_record record;
	int got;

	start(t);
	if ((t->is_arff ? arff_begin(&t->arff, err) : text_window_more(&t->csv.text, err)) < 0)
		return -1;
	got = t->is_arff ? 1 : csv_read(&t->csv, &record, err);
	if (got <= 0)
		return -1;
	if (t->is_arff)
		record = arff_names(&t->arff);
	if (begin_columns(t, c, t->has_header ? &record : NULL, record.n, err) < 0)
		return -1;
	if (t->has_header)
		got = next_record(t, &record, err);
	for (; got > 0; got = next_record(t, &record, err))
		if ((rows ? csv_columns_row(c, &record, rows, err) :
			    csv_columns_learn(c, &record, err)) < 0)
			return -1;
	return got;
}

/* Rows of the table that the columns were learned from. */
static void require_known_rows(struct table *t, struct csv_columns *c)
{
	struct csv_columns again = { .name = "t", .exact = c->exact, .accept_unlabelled = true };
	struct row_batch rows = { 0 }, rows_again = { 0 };
	struct error err = { 0 };
	/* what is no UTF-8 is refused here where a hash learns nothing */
	const bool may_fail = c->missing == MISSING_REFUSED || c->text_rule.bits > 0;
	size_t n;

	c->accept_unlabelled = true;
	if (visit(t, c, &rows, &err) < 0)
		REQUIRE(may_fail);
	REQUIRE(c->n_unknown == 0);
	require_rows(&rows, c->n_features);
	n = map_text_write(save_columns, c, saved, SAVED_MAX);
	err = (struct error){ 0 };
	REQUIRE(load_columns(&again, saved, n, &err) == 0);
	REQUIRE(visit(t, &again, &rows_again, &err) == 0 || may_fail);
	require_same_rows(&rows, &rows_again);
	csv_columns_free(&again);
	row_batch_free(&rows);
	row_batch_free(&rows_again);
}

static void try_table(const uint8_t *data, size_t size, bool is_arff)
{
	const uint32_t options = digest(data, size);
	struct table t = { .is_arff = is_arff, .has_header = is_arff || options & 1 };
	struct csv_columns c = { .name = "t",
				 .missing = (int)(options / 2 % 5),
				 .decimal_comma = !is_arff && options & 1 << 8,
				 .exact = is_arff };
	struct error err = { 0 };

	/* a column of texts, by a rule that its bytes choose */
	if (options & 1 << 9)
		c.text_rule = (struct text_rule){ .words = (int)(options >> 10 & 1),
						  .least = 1,
						  .most = 1 + (options >> 11 & 1),
						  .bits = options >> 12 & 3,
						  .least_texts = 1 + (options >> 14 & 1),
						  .counts = (int)(options >> 15) % 3,
						  .weights = (int)(options >> 17 & 1),
						  .norm = (int)(options >> 18 & 1) };
	t.bytes = (struct byte_buffer){ (char *)(uintptr_t)data, (int64_t)size, 0 };
	if (visit(&t, &c, NULL, &err) == 0 && csv_columns_end(&c, &err) == 0) {
		require_lists(&c);
		require_known_rows(&t, &c);
	} else {
		REQUIRE(err.code == ERR_NONE || (err.code == ERR_FORMAT && *err.text));
	}
	csv_columns_free(&c);
	csv_reader_free(&t.csv);
	arff_reader_free(&t.arff);
	input_close(t.from);
}

/* All fields of a CSV table behind a record of 'n_before' bytes, as a number; 0 where it is refused. */
static uint32_t sum_fields(const uint8_t *data, size_t size, int64_t n_before)
{
	struct byte_buffer bytes = { 0 };
	struct csv_reader r = { .delimiter = ',', .name = "t" };
	struct csv_record record;
	struct error err = { 0 };
	uint32_t sum = 0;
	int got;

	REQUIRE(byte_buffer_reserve(&bytes, n_before + (int64_t)size, &err) == 0);
	memset(bytes.bytes, 'x', (size_t)n_before);
	if (n_before > 0)
		bytes.bytes[n_before - 1] = '\n';
	bytes.size = n_before;
	byte_buffer_add(&bytes, data, (int64_t)size);
	REQUIRE(input_open_kept(&r.text.from, &bytes, "t", &err) == 0);
	REQUIRE(text_window_more(&r.text, &err) == 0);
	REQUIRE(n_before == 0 || csv_read(&r, &record, &err) == 1);
	while ((got = csv_read(&r, &record, &err)) > 0) {
		const int64_t where[] = { record.line - (n_before > 0), record.n };

		sum = checksum_crc32(sum, where, sizeof(where));
		for (int64_t k = 0; k < record.n; k++)
			sum = checksum_crc32(sum, record.field[k].text, record.field[k].length + 1);
	}
	if (got < 0)
		require_refused(&err);
	csv_reader_free(&r);
	input_close(r.text.from);
	byte_buffer_free(&bytes);
	return got < 0 ? 0 : sum;
}

/* The bytes of a buffer take a while: some tables, which their bytes choose. */
static void try_ends_of_the_buffer(const uint8_t *data, size_t size)
{
	const uint32_t choice = digest(data, size);

	/* the mark of UTF-8 belongs to the beginning of a file alone */
	if (choice % 8 == 0 && size > 0 && !begins(data, size, "\xef\xbb\xbf"))
		REQUIRE(sum_fields(data, size, 0) ==
			sum_fields(data, size, TEXT_WINDOW_BYTES - choice / 8 % (int64_t)size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > MAP_TEXT_MAX)
		return 0;
	if (begins(data, size, "randsvm-columns")) {
		map_text_try(try_columns, data, size);
	} else if (begins(data, size, NPY_MAGIC) || begins(data, size, MTX_MAGIC) ||
		   begins(data, size, "PK\3\4")) {
		try_matrix(data, size);
	} else if (memchr(data, '\0', size)) {
		/* no text: its readers refuse it when it is read from a file */
		return 0;
	} else if (begins(data, size, "@")) {
		try_table(data, size, true);
	} else {
		try_table(data, size, false);
		try_ends_of_the_buffer(data, size);
	}
	return 0;
}
