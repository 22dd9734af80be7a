/*
 * test_rows.c - batches: the text that is kept, bounds on their rows, bytes arriving in any way
 *
 * The readers of the two forms have tests of their own; this one is about what rows_scan() adds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/rows.h"

#include <inttypes.h>
#include <semaphore.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "failing.h"
#include "io/svmlight.h"
#include "memory_input.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* What a scan delivers, as text: a line for each row, one for each end of a batch. */
struct record {
	char *bytes;
	int64_t size, capacity;
	int64_t n_rows, n_batches, most_rows;
};

static void record_add(struct record *r, const char *bytes, int64_t size)
{
	struct error err = { 0 };

	if (mem_grow(&r->bytes, &r->capacity, r->size + size + 1, 1, &err) < 0)
		give_up("memory");
	memcpy(r->bytes + r->size, bytes, (size_t)size);
	r->size += size;
	r->bytes[r->size] = '\0';
}

static void record_span(struct record *r, const struct text_span *span)
{
	record_add(r, "|", 1);
	record_add(r, span->start ? span->start : "-", span->start ? span->length : 1);
}

static int record_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct record *r = arg;

	(void)user;
	(void)err;
	for (int64_t i = 0; i < b->n_rows; i++) {
		char line[80];

		record_add(r, line, sprintf(line, "%a", b->label[i]));
		for (int64_t k = b->row_start[i]; k < b->row_start[i + 1]; k++)
			record_add(r, line, sprintf(line, " %d:%a", b->index[k], b->value[k]));
		if (b->has_text) {
			record_span(r, &b->text[i].label);
			record_span(r, &b->text[i].qid);
			record_span(r, &b->text[i].comment);
		}
		record_add(r, "\n", 1);
	}
	record_add(r, "--\n", 3);
	r->n_rows += b->n_rows;
	r->n_batches++;
	r->most_rows = b->n_rows > r->most_rows ? b->n_rows : r->most_rows;
	return 0;
}

static int scan(struct record *r, const char *bytes, int64_t size, bool is_pipe,
		const struct rows_options *options, int n_threads, struct error *err)
{
	struct rows_visitor visitor = { .deliver = record_batch, .arg = r };
	struct memory_input memory;
	struct input *input;
	int ret = -1;

	*r = (struct record){ 0 };
	memory_input_open(&memory, bytes, size, is_pipe);
	if (input_open(&input, memory.path, err) == 0) {
		ret = rows_scan(input, options, &visitor, n_threads, err);
		input_close(input);
	}
	memory_input_close(&memory);
	return ret;
}

/* ---- Text that is kept ---- */

static const struct {
	const char *line, *record;
} kept[] = {
	{ "1 1:2", "0x1p+0 1:0x1p+1|1|-|-" },
	{ "  +1.00\t1:2 \t\r", "0x1p+0 1:0x1p+1|+1.00|-|-" },
	{ "-1", "-0x1p+0|-1|-|-" },
	{ "-1#", "-0x1p+0|-1|-|#" },
	{ "1e0 # a b \t", "0x1p+0|1e0|-|# a b" },
	{ "0x1 2:1 #  c:d # e\r", "0x1p+0 2:0x1p+0|0x1|-|#  c:d # e" },
	{ "1 qid:7 3:1", "0x1p+0 3:0x1p+0|1|qid:7|-" },
	{ "1   qid:007", "0x1p+0|1|qid:007|-" },
	{ "1 1:1 qid:8 2:2#x", "0x1p+0 1:0x1p+0 2:0x1p+1|1|qid:8|#x" },
	{ "1 qid:1 1:1 qid:2 # y", "0x1p+0 1:0x1p+0|1|qid:2|# y" },
	{ "1 qid:3#z", "0x1p+0|1|qid:3|#z" },
};

/* Each alone, and all together with lines in between that are no examples. */
static void test_kept_text(void)
{
	struct rows_options options = { .keep_text = true };
	struct record all = { 0 }, expected = { 0 }, r;
	struct error err = { 0 };
	char text[4000], want[200];
	int size = 0;

	for (int i = 0; i < LENGTH(kept); i++) {
		int n = sprintf(text + size, "%s\n", kept[i].line);

		CHECK(scan(&r, text + size, n - 1, false, &options, 1, &err) == 0, "%s", err.text);
		sprintf(want, "%s\n--\n", kept[i].record);
		CHECK(!strcmp(r.bytes, want), "'%s' gives '%s'", kept[i].line, r.bytes);
		free(r.bytes);
		record_add(&expected, want, (int64_t)strlen(want) - 3);
		size += n;
		size += sprintf(text + size, "%s", i % 2 ? "\n" : " # alone\n");
	}
	record_add(&expected, "--\n", 3);
	CHECK(scan(&all, text, size, true, &options, 2, &err) == 0, "%s", err.text);
	CHECK(!strcmp(all.bytes, expected.bytes), "got %s", all.bytes);
	free(all.bytes);
	free(expected.bytes);
}

/* ---- Bounds on the rows of a batch ---- */

static char *text;
static int64_t text_size, text_capacity;

static void add(const char *bytes, int64_t size)
{
	struct error err = { 0 };

	if (mem_grow(&text, &text_capacity, text_size + size, 1, &err) < 0)
		give_up("memory");
	memcpy(text + text_size, bytes, (size_t)size);
	text_size += size;
}

/* A line of about that many bytes. */
static void add_line(int64_t size)
{
	char entry[40];

	add("-1", 2);
	for (int64_t end = text_size + size, index = 1; text_size < end; index++)
		add(entry, sprintf(entry, " %" PRId64 ":%d", index, (int)random_below(1000)));
	add(" # c\n", random_below(2) ? 5 : 0);
	if (text[text_size - 1] != '\n')
		add("\n", 1);
}

/* as many rows as the largest bound of a batch at least */
enum { MANY = UNIT_IS_SANITIZED ? 60000 : 300000 };

/* Short lines by the hundred thousand, then lines longer than what is read at a time. */
static void make_text(void)
{
	text_size = 0;
	for (int i = 0; i < MANY; i++)
		add("1\n", 2);
	for (int i = 0; i < 20000; i++)
		add_line(random_below(100));
	for (int i = 0; i < 5; i++)
		add_line(100000 + random_below(1500000));
	for (int i = 0; i < 3000; i++)
		add("\n", random_below(2));
	for (int i = 0; i < MANY; i++)
		add("2\n", 2);
	add("3 7:1", 5);
}

/* The rows without the ends of batches. */
static void drop_ends(struct record *r)
{
	char *to = r->bytes;

	for (char *line = r->bytes, *next; *line; line = next) {
		next = strchr(line, '\n') + 1;
		if (memcmp(line, "--\n", 3) != 0) {
			memmove(to, line, (size_t)(next - line));
			to += next - line;
		}
	}
	*to = '\0';
	r->size = to - r->bytes;
}

/* The same batches from files and pipes on all threads; the same rows whatever the bound. */
static void test_max_rows(void)
{
	static const int64_t bounds[] = { 1, 7, 1000, 1 << 15 };
	struct rows_options options = { .keep_text = true };
	struct record whole;
	struct error err = { 0 };

	make_text();
	CHECK(scan(&whole, text, text_size, false, &options, 2, &err) == 0, "%s", err.text);
	CHECK(whole.n_rows == 2 * MANY + 20006, "%" PRId64 " rows", whole.n_rows);
	drop_ends(&whole);
	/* batches of one row, a hundred thousand of them, are for plain builds; others below are short */
	for (int i = UNIT_IS_SANITIZED; i < LENGTH(bounds); i++) {
		struct record first, r;

		options.max_rows = bounds[i];
		CHECK(scan(&first, text, text_size, false, &options, 1, &err) == 0, "%s", err.text);
		CHECK(first.most_rows == bounds[i], "%" PRId64 " rows in a batch, bound %" PRId64,
		      first.most_rows, bounds[i]);
		CHECK(scan(&r, text, text_size, true, &options, 3, &err) == 0, "%s", err.text);
		CHECK(r.size == first.size && !memcmp(r.bytes, first.bytes, (size_t)r.size),
		      "bound %" PRId64 ": other batches from a pipe", bounds[i]);
		free(r.bytes);
		drop_ends(&first);
		CHECK(first.size == whole.size &&
			      !memcmp(first.bytes, whole.bytes, (size_t)whole.size),
		      "bound %" PRId64 ": other rows", bounds[i]);
		free(first.bytes);
	}
	free(whole.bytes);
}

/* Line numbers count through the batches, and rows before a wrong line are delivered. */
static void test_errors(void)
{
	for (int64_t max_rows = 0; max_rows <= 3; max_rows++) {
		struct rows_options options = { .max_rows = max_rows };
		static const char wrong[] = "1 1:1\n\n2\n# c\n3\n4 x\n5\n";
		struct error err = { 0 };
		struct record r;

		CHECK(scan(&r, wrong, LENGTH(wrong) - 1, false, &options, 2, &err) == -1 &&
			      err.code == ERR_FORMAT &&
			      !strncmp(err.text, "Wrong input format at line 6: ", 30) &&
			      strstr(err.text, ":6:3: expected index:value, got 'x'"),
		      "%s", err.text);
		CHECK(r.n_rows == 3, "%" PRId64 " rows", r.n_rows);
		free(r.bytes);
	}
}

/* Which rows have a label carries over the ends of batches, whatever these are. */
static void test_empty_unlabelled(void)
{
	static const char text_of[] = "# a\n2:1\n\n\n# b\n1 1:1\n# c\n\nqid:1\n\n";

	for (int64_t max_rows = 0; max_rows <= 5; max_rows++) {
		struct rows_options options = { .label_optional = true, .max_rows = max_rows };
		struct error err = { 0 };
		struct record r;

		CHECK(scan(&r, text_of, LENGTH(text_of) - 1, max_rows % 2, &options, 2, &err) == 0,
		      "%s", err.text);
		CHECK(r.n_rows == 7, "%" PRId64 " rows", r.n_rows);
		free(r.bytes);
	}
}

/* ---- Memory ---- */

/* ---- Rows that come slowly ---- */

enum { N_SLOW = 20 };

/* A sender that waits with each row until the one before it has been passed on. */
struct slow_sender {
	int fd;
	sem_t passed_on;
	int n_waited;
	bool failed;
};

static void *send_slowly(void *arg)
{
	struct slow_sender *s = arg;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 20; /* a hang is an error, not a failure to end */
	for (int i = 0; i < N_SLOW && !s->failed; i++) {
		char row[40];
		/* rows of several lengths, some in two pieces and some with an empty line */
		int n = sprintf(row, "%d 1:%d%s\n", i, i * i, i % 5 == 0 ? "\n" : ""),
		    first = i % 3 == 0 ? n / 2 : n;

		s->failed |= write(s->fd, row, (size_t)first) != first;
		if (first < n)
			s->failed |= write(s->fd, row + first, (size_t)(n - first)) != n - first;
		s->failed |= sem_timedwait(&s->passed_on, &end) < 0;
		s->n_waited++;
	}
	close(s->fd);
	return NULL;
}

/* All rows so far have been delivered: the sender may go on. */
struct slow_record {
	struct record rows;
	int64_t passed_on;
	struct slow_sender sender;
};

static int record_slow_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	return record_batch(&((struct slow_record *)arg)->rows, b, user, err);
}

static int note_pause(void *arg, struct error *err)
{
	struct slow_record *r = arg;

	(void)err;
	for (; r->passed_on < r->rows.n_rows; r->passed_on++)
		sem_post(&r->sender.passed_on);
	return 0;
}

/* Each row is delivered, and pause() called, before the next one is sent. */
static void test_pause(void)
{
	for (int n_threads = 1; n_threads <= 3; n_threads++)
		for (int max_rows = 0; max_rows <= 1; max_rows++) {
			struct rows_options options = { .max_rows = max_rows };
			struct slow_record r = { 0 };
			struct rows_visitor visitor = { .deliver = record_slow_batch,
							.pause = note_pause,
							.arg = &r,
							.pause_arg = &r };
			struct error err = { 0 };
			struct input *input;
			pthread_t thread;
			char path[40];
			int ends[2];

			if (pipe(ends) < 0 || sem_init(&r.sender.passed_on, 0, 0) < 0)
				give_up("pipe");
			r.sender.fd = ends[1];
			sprintf(path, "/dev/fd/%d", ends[0]);
			pthread_create(&thread, NULL, send_slowly, &r.sender);
			CHECK(input_open(&input, path, &err) == 0, "%s", err.text);
			CHECK(rows_scan(input, &options, &visitor, n_threads, &err) == 0, "%s",
			      err.text);
			pthread_join(thread, NULL);
			CHECK(!r.sender.failed && r.sender.n_waited == N_SLOW &&
				      r.rows.n_rows == N_SLOW,
			      "%d threads: %d rows passed on, %" PRId64 " delivered", n_threads,
			      r.sender.n_waited, r.rows.n_rows);
			input_close(input);
			close(ends[0]);
			free(r.rows.bytes);
		}
}

/* ---- Malformed lines that do not end the scan ---- */

/* Lines, and whether a line without an example behind them is a row: 1, 0, or -1: as before them. */
static const struct {
	const char *line;
	int unlabelled;
} some_lines[] = {
	{ "1 1:1 5:2 # c\n", 0 },
	{ "-1\n", 0 },
	{ "2:1 7:3\n", 1 },
	{ "\n", -1 },
	{ "# c\n", -1 },
	{ "1 x\n", 0 },
	{ "y 1:1\n", 0 },
	{ "1 2:1 1:1\n", 0 },
	{ "1:nan\n", 1 },
	{ "3:1 3:1 4:1\n", 1 },
	{ "# a\r b\n", -1 },
	{ "qid:x\n", 1 },
	{ "1 1:9007199254740993\n", 0 },
};

/* '*n_rows' is the number of rows that work() has seen. */
static int see_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	(void)arg;
	(void)err;
	*(int64_t *)user = b->n_rows;
	return 0;
}

static int record_seen(void *arg, struct row_batch *b, void *user, struct error *err)
{
	CHECK(*(int64_t *)user == b->n_rows, "work() has not seen %" PRId64 " rows", b->n_rows);
	return record_batch(arg, b, user, err);
}

/* `LINE:COLUMN: reason`, without the name of the file. */
static int record_fault(void *arg, const struct error *fault, struct error *err)
{
	const char *place = strchr(fault->text, ':') + 1;

	(void)err;
	CHECK(fault->code == ERR_FORMAT, "code %d", fault->code);
	record_add(arg, place, (int64_t)strlen(place));
	record_add(arg, "\n", 1);
	return 0;
}

static int scan_all(struct record *r, const char *bytes, int64_t size,
		    const struct rows_options *options, int n_threads, struct error *err)
{
	int64_t seen[4];
	struct rows_visitor visitor = { .work = see_batch,
					.deliver = record_seen,
					.refused = record_fault,
					.arg = r,
					.users = { seen, sizeof(*seen) } };
	struct memory_input memory;
	struct input *input;
	int ret;

	*r = (struct record){ 0 };
	memory_input_open(&memory, bytes, size, n_threads % 2);
	if (input_open(&input, memory.path, err) < 0)
		give_up(err->text);
	ret = rows_scan(input, options, &visitor, n_threads, err);
	input_close(input);
	memory_input_close(&memory);
	return ret;
}

/* What each of the lines is, read alone. */
static void read_alone(struct record *r, const struct rows_options *options, const int *kind, int n)
{
	struct rows_options alone = *options;
	struct row_batch batch = { 0 };

	*r = (struct record){ 0 };
	for (int i = 0; i < n; i++) {
		const char *line = some_lines[kind[i]].line;
		struct text_position where;
		struct error err = { 0 };

		if (svmlight_parse(&batch, line, line + strlen(line), &alone, &where, &err) < 0) {
			char fault[1100];

			CHECK(where.behind == (int64_t)strlen(line), "line ends at %" PRId64,
			      where.behind);
			record_add(r, fault,
				   sprintf(fault, "%d:%" PRId64 ": %s\n", i + 1, where.column,
					   err.text));
		} else {
			record_batch(r, &batch, NULL, &err);
		}
		if (some_lines[kind[i]].unlabelled >= 0)
			alone.after_unlabelled = some_lines[kind[i]].unlabelled;
	}
	row_batch_free(&batch);
	drop_ends(r);
}

/* Rows and faults come in the order of the lines, whatever the threads and the batches are. */
static void test_refused(void)
{
	enum { N = 60000 };
	static const int64_t bounds[] = { 0, 1, 7, 5000 };
	static int kind[N];

	text_size = 0;
	for (int i = 0; i < N; i++) {
		/* a stretch without a malformed line is longer than what is read at a time */
		kind[i] = (int)random_below(i / 20000 % 2 ? 3 : LENGTH(some_lines));
		add(some_lines[kind[i]].line, (int64_t)strlen(some_lines[kind[i]].line));
	}
	for (int i = 0; i < 8; i++) {
		struct rows_options options = { .label_optional = i % 2,
						.max_rows = bounds[i / 2] };
		const int threads = 1 + (i + i / 4) % 4;
		struct record alone, r;
		struct error err = { 0 };

		read_alone(&alone, &options, kind, N);
		CHECK(scan_all(&r, text, text_size, &options, threads, &err) == 0, "%s", err.text);
		drop_ends(&r);
		CHECK(r.size == alone.size && !memcmp(r.bytes, alone.bytes, (size_t)r.size),
		      "%d threads, batches of %" PRId64, threads, options.max_rows);
		free(alone.bytes);
		free(r.bytes);
	}
}

/* The end of a line with a byte 0 may be far away, and is not sought: that ends the scan. */
static void test_no_text(void)
{
	struct rows_options options = { 0 };
	struct record r;
	struct error err = { 0 };

	text_size = 0;
	add("1 x\n", 4);
	for (int i = 0; i < 400000; i++)
		add("\0", 1);
	add("\n2\n", 3);
	CHECK(scan_all(&r, text, text_size, &options, 3, &err) == -1 && err.code == ERR_FORMAT &&
		      !strncmp(err.text, "Wrong input format at line 2: ", 30),
	      "%s", err.text);
	CHECK(strstr(r.bytes, "1:3: expected index:value, got 'x'"), "%s", r.bytes);
	free(r.bytes);
}

static int scan_once(void *arg, struct error *err)
{
	struct rows_visitor visitor = { 0 };
	struct rows_options options = { .keep_text = true, .max_rows = 1000 };
	struct memory_input memory;
	struct input *input;
	int ret = -1;

	memory_input_open(&memory, text, text_size, false);
	if (input_open(&input, memory.path, err) == 0) {
		ret = rows_scan(input, &options, &visitor, *(int *)arg, err);
		input_close(input);
	}
	memory_input_close(&memory);
	return ret;
}

static void test_memory(void)
{
	text_size = 0;
	for (int i = 0; i < 2000; i++)
		add_line(20);
	add_line(2000000);
	for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
		int64_t n = fail_each_allocation("rows_scan", scan_once, &n_threads);

		CHECK(n >= 8, "%" PRId64 " allocations", n);
	}
}

int main(void)
{
	test_kept_text();
	test_max_rows();
	test_errors();
	test_empty_unlabelled();
	test_pause();
	test_refused();
	test_no_text();
	test_memory();
	free(text);
	return unit_report("rows");
}
