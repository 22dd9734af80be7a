/*
 * test_csv.c - tables of delimited text: records wherever the buffer ends, and what columns become
 *
 * Records are compared with those of a plain reader, which takes a byte after another and knows
 * nothing of a buffer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "io/line_reader.h"
#include "random.h"
#include "tables/csv_columns.h"
#include "tables/csv_read.h"
#include "unit.h"

enum {
	TEXT_MAX = 64, /* bytes of a table for the plain reader */
	RECORDS_MAX = TEXT_MAX + 1
};

/* ---- the plain reader ---- */

struct plain_record {
	int64_t line, first, n; /* line where it begins; its fields in plain.field */
};

struct plain_field {
	char bytes[TEXT_MAX];
	int64_t length;
	bool quoted;
};

/* The records of a table, up to the first fault; fault_line is 0 if there is none. */
struct plain {
	struct plain_record record[RECORDS_MAX];
	struct plain_field field[RECORDS_MAX];
	int64_t n_records, n_fields, fault_line;
};

/* Length of the line end at 'p', any CR and LF: 0 if there is none; CR at the end of the table are one. */
static int64_t line_end(const char *p, const char *end)
{
	int64_t n = 0;

	while (p + n < end && p[n] == '\r')
		n++;
	return p + n == end ? n : p[n] == '\n' ? n + 1 : 0;
}

static const char *behind_blanks(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	return p;
}

/*
 * A field in quotes, at p; returns where it ends, or NULL.  Behind a blank, at 'start', quotes that are
 * followed by text are a part of it, unless they hold a comma or the end of a line.
 */
static const char *plain_quoted(struct plain_field *f, const char *start, const char *p,
				const char *end, int64_t *line)
{
	bool is_text = p > start;

	for (p++; p < end; p++) {
		if (*p == '"' && (p + 1 == end || p[1] != '"'))
			break;
		*line += *p == '\n';
		is_text = is_text && *p != '\n' && *p != ',';
		p += *p == '"';
		f->bytes[f->length++] = *p;
	}
	if (p == end)
		return NULL;
	p = behind_blanks(p + 1, end);
	if (p == end || *p == ',' || line_end(p, end) > 0)
		return p;
	*f = (struct plain_field){ 0 };
	return is_text ? start : NULL;
}

static void plain_read(struct plain *t, const char *p, const char *end)
{
	int64_t line = 1;

	*t = (struct plain){ 0 };
	while (p < end && t->fault_line == 0) {
		struct plain_record *r = &t->record[t->n_records];
		struct plain_field *f;
		const char *quote;

		*r = (struct plain_record){ .line = line, .first = t->n_fields };
		for (bool more = true; more && p;) {
			f = &t->field[t->n_fields++];
			quote = behind_blanks(p, end);
			*f = (struct plain_field){ .quoted = quote < end && *quote == '"' };
			r->n++;
			if (f->quoted)
				p = plain_quoted(f, p, quote, end, &line);
			while (p && p < end && *p != ',' && line_end(p, end) == 0)
				f->bytes[f->length++] = *p++;
			more = p && p < end && *p == ',';
			if (more)
				p++;
		}
		if (!p) {
			t->fault_line = r->line;
			break;
		}
		p += line_end(p, end);
		line++;
		if (r->n == 1 && f->length == 0 && !f->quoted)
			t->n_fields--;
		else
			t->n_records++;
	}
}

/* ---- records ---- */

static void expect_record(const struct plain *t, int64_t i, const struct csv_record *got,
			  int64_t lines_before)
{
	const struct plain_record *r = &t->record[i];

	if (!CHECK(got->n == r->n && got->line == r->line + lines_before,
		   "record %" PRId64 ": %" PRId64 " fields on line %" PRId64 ", not %" PRId64
		   " on %" PRId64,
		   i, got->n, got->line, r->n, r->line + lines_before))
		return;
	for (int64_t k = 0; k < r->n; k++) {
		const struct plain_field *f = &t->field[r->first + k];
		const struct csv_field *g = &got->field[k];

		CHECK(g->length == f->length && g->quoted == f->quoted &&
			      memcmp(g->text, f->bytes, (size_t)f->length) == 0 &&
			      g->text[g->length] == '\0',
		      "record %" PRId64 ", field %" PRId64 ": '%s', not '%.*s'", i, k, g->text,
		      (int)f->length, f->bytes);
	}
}

/*
 * Read a table behind a record of 'n_before' bytes, its line end included; 0: behind none
 *
 * The bytes are in memory of their very size.
 */
static void try_table(const char *text, int64_t size, int64_t n_before)
{
	static struct plain t;
	struct byte_buffer bytes = { .size = n_before + size };
	struct csv_reader r = { .delimiter = ',', .name = "t" };
	const int64_t lines_before = n_before > 0;
	struct csv_record record;
	struct error err = { 0 };
	char fault[40];
	int got = 1;

	plain_read(&t, text, text + size);
	bytes.bytes = mem_array(bytes.size, 1, &err);
	if (n_before > 0) {
		memset(bytes.bytes, 'x', (size_t)n_before);
		bytes.bytes[n_before - 1] = '\n';
	}
	memcpy(bytes.bytes + n_before, text, (size_t)size);
	if (input_open_kept(&r.text.from, &bytes, "t", &err) < 0 ||
	    text_window_more(&r.text, &err) < 0 ||
	    (n_before > 0 && csv_read(&r, &record, &err) < 1))
		got = -1;
	for (int64_t i = 0; i < t.n_records && got > 0; i++) {
		got = csv_read(&r, &record, &err);
		if (got > 0)
			expect_record(&t, i, &record, lines_before);
	}
	CHECK(got > 0, "%d before the last record: %s", got, err.text);
	got = csv_read(&r, &record, &err);
	snprintf(fault, sizeof(fault), "t:%" PRId64 ": ", t.fault_line + lines_before);
	CHECK(t.fault_line > 0 ? got < 0 && err.code == ERR_FORMAT &&
					 strncmp(err.text, fault, strlen(fault)) == 0 :
				 got == 0,
	      "%d, '%s' where %s is expected", got, err.text, t.fault_line > 0 ? fault : "the end");
	csv_reader_free(&r);
	input_close(r.text.from);
	byte_buffer_free(&bytes);
}

#define TABLE(text)                    \
	{                              \
		text, sizeof(text) - 1 \
	}
static const struct {
	const char *text;
	int64_t size;
} tables[] = {
	TABLE(""),
	TABLE("a,b\n1,2\n"),
	TABLE("a,b\r\n1,2\r\n\r\n,\r\n"),
	TABLE("a,b\n1,2"),
	TABLE("a,\"b\"\r\n1,\"2\"\r"),
	TABLE("\"a \"\"b\"\" c\",\"\",\"\"\"\"\n\n\n\"\"\n,,\n"),
	TABLE("a,\"one\ntwo\r\nthree\",b\nc,\"\n\n\"\nlast"),
	TABLE("a\1b,\1,\"\1\"\1\n"),
	TABLE("a\1b,\1,\"\1\"\n\1"),
	TABLE("a\"b\",c\"\nd\re,\r\nf"),
	TABLE("1\n\n\"a\nb"),
	TABLE("1\n\n\"a\nb\"c,d"),
	TABLE("\"a\"\rb\n"),
	TABLE(" \"a,b\" ,  \"c\nd\"\r\r\n\r\r\n\"\" , x \r\r"),
	TABLE("1\n\"a\"\r,b\n"),
	TABLE("\n\n\r\n\r"),
};
#define N_TABLES (sizeof(tables) / sizeof(*tables))

/* Each byte of each table comes first in a buffer once, and last in the one before. */
static void test_ends_of_the_buffer(void)
{
	for (size_t i = 0; i < N_TABLES; i++) {
		try_table(tables[i].text, tables[i].size, 0);
		for (int64_t k = 0; k <= tables[i].size + 1; k++)
			try_table(tables[i].text, tables[i].size, TEXT_WINDOW_BYTES - k);
	}
}

static void test_random_tables(void)
{
	static const char letters[] = "aab1 ,,,\"\"\"\"\n\n\r\1;";
	char text[TEXT_MAX];

	for (int i = 0; i < 20000; i++) {
		const int64_t size = (int64_t)random_below(i % 4 == 0 ? TEXT_MAX : 12);

		for (int64_t k = 0; k < size; k++)
			text[k] = letters[random_below(sizeof(letters) - 1)];
		try_table(text, size,
			  i % 100 ? 0 : TEXT_WINDOW_BYTES - (int64_t)random_below(size + 2));
	}
}

/* Fields of several buffers each. */
static void test_long_fields(void)
{
	const int64_t n = 3 * TEXT_WINDOW_BYTES + 1;
	struct byte_buffer bytes = { 0 };
	struct csv_reader r = { .delimiter = ',', .name = "t" };
	struct csv_record record;
	struct error err = { 0 };

	byte_buffer_reserve(&bytes, 4 * n, &err);
	memset(bytes.bytes, 'x', (size_t)n);
	bytes.bytes[n] = ',';
	/* the quote that begins the field, and (n - 1) / 2 doubled ones */
	memset(bytes.bytes + n + 1, '"', (size_t)n);
	memset(bytes.bytes + 2 * n + 1, '\n', (size_t)n);
	memcpy(bytes.bytes + 3 * n + 1, "\"\nend", 5);
	bytes.size = 3 * n + 6;
	CHECK(input_open_kept(&r.text.from, &bytes, "t", &err) == 0 &&
		      text_window_more(&r.text, &err) == 0 && csv_read(&r, &record, &err) == 1 &&
		      record.n == 2 && record.line == 1,
	      "%s", err.text);
	CHECK(record.field[0].length == n && strspn(record.field[0].text, "x") == (size_t)n,
	      "%" PRId64 " bytes", record.field[0].length);
	CHECK(record.field[1].length == (n - 1) / 2 + n &&
		      strspn(record.field[1].text, "\"") == (size_t)(n - 1) / 2,
	      "%" PRId64 " bytes", record.field[1].length);
	CHECK(csv_read(&r, &record, &err) == 1 && record.line == n + 2 &&
		      strcmp(record.field[0].text, "end") == 0,
	      "line %" PRId64, record.line);
	csv_reader_free(&r);
	input_close(r.text.from);
	byte_buffer_free(&bytes);
}

static void test_record_kept(void)
{
	struct csv_field field[] = { { .text = "a", .length = 1 },
				     { .text = "b\0c", .length = 3, .quoted = true },
				     { .text = "" } };
	const struct csv_record record = { .line = 7, .n = 3, .field = field };
	struct error err = { 0 };

	for (int64_t n = 0; n < 3; n++) {
		struct csv_record *kept = csv_record_keep(&record, n, &err);

		CHECK(kept->n == n + 3 && kept->line == 7, "%" PRId64 " fields", kept->n);
		for (int64_t k = 0; k < n; k++)
			CHECK(kept->field[k].length == 0 && !*kept->field[k].text, "not empty");
		for (int64_t k = 0; k < 3; k++)
			CHECK(kept->field[n + k].length == field[k].length &&
				      kept->field[n + k].text != field[k].text &&
				      memcmp(kept->field[n + k].text, field[k].text,
					     (size_t)field[k].length + 1) == 0,
			      "field %" PRId64, k);
		mem_free(kept);
	}
}

/* ---- columns ---- */

/* A table in memory and what was learned of it. */
struct learned {
	struct byte_buffer bytes;
	struct csv_columns columns;
	struct row_batch rows;
};

/* Hand out the records behind the header, to which columns are fitted, or with which they begin. */
static int each_record(struct learned *l,
		       int (*take)(struct learned *l, const struct csv_record *record,
				   struct error *err),
		       struct error *err)
{
	struct csv_reader r = { .delimiter = ',', .name = "t" };
	struct csv_columns *c = &l->columns;
	struct csv_record record;
	int ret = -1;

	c->name = "t";
	if (input_open_kept(&r.text.from, &l->bytes, "t", err) < 0 ||
	    text_window_more(&r.text, err) < 0 || csv_read(&r, &record, err) < 1)
		goto out;
	if (c->n > 0)
		ret = csv_columns_fit(c, &record, record.n, err);
	else if (csv_columns_begin(c, &record, record.n, err) == 0)
		ret = csv_columns_set(c, "y", COLUMN_LABEL, err);
	while (ret == 0 && (ret = csv_read(&r, &record, err)) > 0)
		ret = take(l, &record, err) < 0 ? -1 : 0;
out:
	csv_reader_free(&r);
	input_close(r.text.from);
	return ret;
}

static int learn_record(struct learned *l, const struct csv_record *record, struct error *err)
{
	return csv_columns_learn(&l->columns, record, err);
}

static int make_row(struct learned *l, const struct csv_record *record, struct error *err)
{
	return csv_columns_row(&l->columns, record, &l->rows, err);
}

static int learn(struct learned *l, int missing, struct error *err)
{
	l->columns.missing = missing;
	if (text_set_add(&l->columns.missing_texts, "none\n", 5, err) < 0 ||
	    each_record(l, learn_record, err) < 0)
		return -1;
	return csv_columns_end(&l->columns, err);
}

static int save(const struct csv_columns *c, const char *path, struct error *err)
{
	struct output *output;

	if (output_open(&output, path, false, err) < 0)
		return -1;
	if (csv_columns_save(c, output, err) < 0) {
		output_discard(output);
		return -1;
	}
	return output_commit(output, err);
}

static void learned_free(struct learned *l)
{
	byte_buffer_free(&l->bytes);
	csv_columns_free(&l->columns);
	row_batch_free(&l->rows);
}

static bool same_rows(const struct row_batch *a, const struct row_batch *b)
{
	const size_t n = (size_t)a->n_rows, n_entries = (size_t)a->n_entries;

	return a->n_rows == b->n_rows && a->n_entries == b->n_entries &&
	       (n == 0 ||
		(memcmp(a->label, b->label, n * sizeof(*a->label)) == 0 &&
		 memcmp(a->row_start, b->row_start, (n + 1) * sizeof(*a->row_start)) == 0)) &&
	       (n_entries == 0 || (memcmp(a->index, b->index, n_entries * sizeof(*a->index)) == 0 &&
				   memcmp(a->value, b->value, n_entries * sizeof(*a->value)) == 0));
}

/* Names of features and classes, one after another; ERR_MEMORY */
static int list(const struct csv_columns *c, struct byte_buffer *to, struct error *err)
{
	return csv_columns_names(c, to, err) < 0 ? -1 : csv_columns_labels(c, to, err);
}

/* Saved and restored, the columns make the same rows and lists. */
static void expect_round_trip(struct learned *l)
{
	struct learned again = { .bytes = l->bytes };
	struct byte_buffer names = { 0 }, names_again = { 0 };
	struct error err = { 0 };

	CHECK(save(&l->columns, "columns", &err) == 0 &&
		      input_load(csv_columns_read, &again.columns, "columns", &err) == 0,
	      "%s", err.text);
	CHECK(each_record(l, make_row, &err) == 0 && each_record(&again, make_row, &err) == 0, "%s",
	      err.text);
	CHECK(same_rows(&l->rows, &again.rows), "other rows");
	CHECK(list(&l->columns, &names, &err) == 0 && list(&again.columns, &names_again, &err) == 0,
	      "%s", err.text);
	CHECK(names.size == names_again.size && names.size > 0 &&
		      memcmp(names.bytes, names_again.bytes, (size_t)names.size) == 0,
	      "other names");
	byte_buffer_free(&names);
	byte_buffer_free(&names_again);
	again.bytes = (struct byte_buffer){ 0 };
	learned_free(&again);
}

static void add(struct byte_buffer *to, const char *bytes, int64_t size)
{
	struct error err = { 0 };

	CHECK(byte_buffer_reserve(to, size, &err) == 0, "%s", err.text);
	byte_buffer_add(to, bytes, size);
}

/* A field in quotes. */
static void add_quoted(struct byte_buffer *to, const char *bytes, int64_t size)
{
	add(to, "\"", 1);
	for (int64_t k = 0; k < size; k++)
		add(to, bytes[k] == '"' ? "\"\"" : &bytes[k], bytes[k] == '"' ? 2 : 1);
	add(to, "\"", 1);
}

#define WORD(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}
static const struct {
	const char *text;
	int64_t size;
} words[] = { WORD("a"),     WORD("b\nc"), WORD("\\n"),	 WORD("\\"),	WORD("\r"),
	      WORD("\"q\""), WORD("d,e"),  WORD("z\1z"), WORD("NA\1z"), WORD("none\n"),
	      WORD("NA"),    WORD(""),	   WORD("x y"),	 WORD("1.5"),	WORD("-2e3") };
enum {
	N_WORDS = sizeof(words) / sizeof(*words),
	N_NUMBERS = 2, /* the last words */
	N_LABELS = 9,  /* words from the first on that are not missing values */
	N_COLUMNS = 6
};

/* The first column is the label; each second of the others has numbers. */
static void add_random_record(struct byte_buffer *to)
{
	for (int k = 0; k < N_COLUMNS; k++) {
		const int64_t i = k == 0     ? (int64_t)random_below(N_LABELS) :
				  k % 2 == 1 ? (int64_t)random_below(N_WORDS) :
					       N_WORDS - 1 - (int64_t)random_below(N_NUMBERS);

		if (k > 0)
			add(to, ",", 1);
		add_quoted(to, words[i].text, words[i].size);
	}
	add(to, "\n", 1);
}

static void test_round_trips(void)
{
	static const char header[] = "y,\"a\nb\",a\\nb,,a,a\n";

	for (int missing = MISSING_DROPS; missing <= MISSING_MARKED; missing++)
		for (int i = 0; i < 20; i++) {
			struct learned l = { 0 };
			struct error err = { 0 };

			add(&l.bytes, header, sizeof(header) - 1);
			for (int n = 0; n < 4 * i; n++)
				add_random_record(&l.bytes);
			CHECK(learn(&l, missing, &err) == 0, "%s", err.text);
			expect_round_trip(&l);
			learned_free(&l);
		}
}

static const char patients[] = "sex,age,y\n"
			       "m,40,\"b\"\"\"\n"
			       "\"f\",,a\n"
			       "\"f\ng\",50,a\n";

/* Rows of the table above, by hand, with the mean and with a mark. */
static void test_rows(void)
{
	static const struct {
		int missing;
		int64_t n_features, index[6];
		double value[6];
	} cases[] = { { MISSING_MEAN, 4, { 3, 4, 1, 4, 2, 4 }, { 1, 40, 1, 45, 1, 50 } },
		      { MISSING_MARKED, 5, { 3, 4, 1, 5, 2, 4 }, { 1, 40, 1, 1, 1, 50 } } };
	static const double label[] = { 2, 1, 1 };

	for (int i = 0; i < 2; i++) {
		struct learned l = { 0 };
		struct error err = { 0 };
		const struct row_batch *rows = &l.rows;

		add(&l.bytes, patients, sizeof(patients) - 1);
		CHECK(learn(&l, cases[i].missing, &err) == 0 &&
			      each_record(&l, make_row, &err) == 0,
		      "%s", err.text);
		CHECK(l.columns.n_features == cases[i].n_features && rows->n_rows == 3 &&
			      rows->n_entries == 6,
		      "%" PRId64 " features, %" PRId64 " entries", l.columns.n_features,
		      rows->n_entries);
		for (int64_t k = 0; k < 6; k++)
			CHECK(rows->index[k] == cases[i].index[k] &&
				      rows->value[k] == cases[i].value[k],
			      "entry %" PRId64 ": %d:%g", k, rows->index[k], rows->value[k]);
		CHECK(memcmp(rows->label, label, sizeof(label)) == 0, "other labels");
		learned_free(&l);
	}
}

/* All that is done with a table; nothing is left behind. */
static int run_all(void *arg, struct error *err)
{
	struct learned l = { .bytes = *(const struct byte_buffer *)arg },
		       again = { .bytes = l.bytes };
	struct byte_buffer names = { 0 };
	const int ret =
		learn(&l, MISSING_MARKED, err) < 0 || save(&l.columns, "columns", err) < 0 ||
				input_load(csv_columns_read, &again.columns, "columns", err) < 0 ||
				each_record(&again, make_row, err) < 0 ||
				list(&again.columns, &names, err) < 0 ?
			-1 :
			0;

	byte_buffer_free(&names);
	l.bytes = again.bytes = (struct byte_buffer){ 0 };
	learned_free(&l);
	learned_free(&again);
	return ret;
}

static void test_allocations(void)
{
	struct byte_buffer bytes = { 0 };
	int64_t n;

	add(&bytes, patients, sizeof(patients) - 1);
	n = fail_each_allocation("columns", run_all, &bytes);
	CHECK(n > 30, "%" PRId64 " allocations", n);
	byte_buffer_free(&bytes);
}

/* Texts are numbered as they come, found again, and in the order of their bytes when sorted. */
static void test_text_set(void)
{
	struct text_set s = { 0 };
	struct error err = { 0 };
	char text[24];

	for (int i = 0; i < 3000; i++) {
		/* many of the same beginning and of all lengths */
		const int length = snprintf(text, sizeof(text), "%.*s%d", i % 17,
					    "aaaaaaaaaaaaaaaaa", i / 2 * 7919 % 1500);
		const int64_t known = text_set_find(&s, text, length), n = s.n,
			      k = text_set_add(&s, text, length, &err);

		CHECK(known >= 0 ? k == known && s.n == n : k == n && s.n == n + 1,
		      "'%s': %" PRId64 ", %" PRId64 " of %" PRId64, text, known, k, s.n);
		CHECK(strcmp(text_set_get(&s, k).start, text) == 0 &&
			      text_set_get(&s, k).length == length,
		      "%s", text);
	}
	CHECK(text_set_sort(&s, NULL, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < s.n; k++) {
		const struct text_span t = text_set_get(&s, k);

		CHECK(text_set_find(&s, t.start, t.length) == k, "%s is not found", t.start);
		CHECK(k == 0 || strcmp(text_set_get(&s, k - 1).start, t.start) < 0, "%s", t.start);
	}
	text_set_free(&s);
}

int main(void)
{
	test_ends_of_the_buffer();
	test_random_tables();
	test_long_fields();
	test_record_kept();
	test_rows();
	test_round_trips();
	test_allocations();
	test_text_set();
	return unit_report("csv");
}
