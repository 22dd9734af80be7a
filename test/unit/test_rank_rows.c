/*
 * test_rank_rows.c - rows that several ranks read, or are dealt, against those that one has read
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <sys/stat.h>

#include "base/mem_bound.h"
#include "pipe_group.h"
#include "random.h"
#include "ranks/rank_messages.h"
#include "ranks/rank_reading.h"

static const char name[] = "rows";

/* The files that rows are written to, and read from. */
static struct data_files files = { .file = (const char *[]){ name, "2", "3", "4", "5" }, .n = 1 };

/* ---- ranks ---- */

struct crowd {
	struct rank_rows rows[MOST_RANKS];
	struct pipe_group threads;
};

/* What rank 0 wants of its rows, as the service does it; but the rows stay, for the test. */
static void *serve(void *arg)
{
	struct rank_rows *rows = arg;
	struct rank_group *g = rows->group; /* the test drops the rows of ranks that wait */

	for (;;) {
		struct rank_message m;
		struct error err = { 0 };

		rank_group_broadcast(g, &m, sizeof(m));
		switch (m.command) {
		case RANK_READ:
			rank_reading_serve(rows);
			break;
		case RANK_BRING:
			rank_rows_bring_all(rows, &err);
			break;
		case RANK_SETTLE:
			rank_agree(rows, &err);
			break;
		default:
			return NULL;
		}
	}
}

static void crowd_start(struct crowd *c, int size)
{
	void *arg[MOST_RANKS];
	struct error err = { 0 };

	for (int rank = 0; rank < size; rank++) {
		c->rows[rank] = (struct rank_rows){ .group = &c->threads.group[rank],
						    .n_threads = 1 + rank % 2 };
		arg[rank] = &c->rows[rank];
	}
	pipe_group_start(&c->threads, size, serve, arg);
	CHECK(rank_rows_init(&c->rows[0], &c->threads.group[0], 2, &err) == 0, "%s", err.text);
}

/* Until all ranks have done what they were told, and wait for the next command. */
static void crowd_settle(struct crowd *c)
{
	struct rank_message message = { .command = RANK_SETTLE };
	struct error err = { 0 };

	rank_group_broadcast(c->rows[0].group, &message, sizeof(message));
	CHECK(rank_agree(&c->rows[0], &err), "%s", err.text);
}

/* Drop what the ranks have, so that they are as in the beginning. */
static void crowd_drop(struct crowd *c)
{
	crowd_settle(c);
	for (int rank = 0; rank < c->threads.group[0].size; rank++)
		rank_rows_drop(&c->rows[rank]);
}

static void crowd_end(struct crowd *c)
{
	struct rank_message message = { .command = RANK_END };
	const int size = c->threads.group[0].size;

	rank_group_broadcast(&c->threads.group[0], &message, sizeof(message));
	pipe_group_end(&c->threads);
	for (int rank = 0; rank < size; rank++)
		rank_rows_free(&c->rows[rank]);
}

/* ---- rows ---- */

static void write_row(FILE *f, bool has_qid)
{
	const int64_t n_entries = random_below(10) == 0 ? 200 : random_below(5);

	fprintf(f, "%" PRId64, random_below(3) - 1);
	if (has_qid)
		fprintf(f, " qid:3");
	for (int64_t j = 0; j < n_entries; j++)
		fprintf(f, " %" PRId64 ":%g", 7 * j + random_below(7), random_normal());
}

/*
 * n rows with some empty ones, comments, and lines much longer than others; no file ends with the end
 * of a line.  Every other file, which may have no rows, begins with the mark of UTF-8, as no text.
 */
static void write_rows(int64_t n, bool has_qid)
{
	for (int64_t k = 0, i = 0; k < files.n; k++) {
		const int64_t end = k + 1 < files.n ? random_below(n + 1) : n;
		FILE *f = fopen(files.file[k], "w");

		CHECK(f, "cannot write");
		fprintf(f, k % 2 ? "\xef\xbb\xbf" : "# rows\n");
		for (; i < end; i++) {
			write_row(f, has_qid && i == n / 2);
			fprintf(f,
				i + 1 < end ? random_below(9) == 0 ? "\n\n# empty\n" : "\n" : "");
		}
		CHECK(fclose(f) == 0, "cannot write");
	}
}

static struct input *open_input(struct error *err)
{
	struct input *input;
	struct stat st;

	if (input_open(&input, name, err) < 0)
		return NULL;
	files.bytes = 0;
	for (int64_t k = 0; k < files.n && stat(files.file[k], &st) == 0; k++)
		files.bytes += st.st_size;
	input_continue(input, &files);
	return input;
}

static void read_alone(struct dataset *d)
{
	const struct rows_options options = { 0 };
	struct error err = { 0 };
	struct input *input = open_input(&err);

	*d = (struct dataset){ 0 };
	CHECK(input && dataset_read(d, input, &options, NULL, 1, &err) == 0, "%s", err.text);
	input_close(input);
}

static bool same(const void *a, const void *b, int64_t n_bytes)
{
	return n_bytes == 0 || memcmp(a, b, (size_t)n_bytes) == 0;
}

/* The rows of a part where they are. */
static void check_part(const struct csr *own, const struct rank_part *p, const struct csr *all)
{
	CHECK(own->n_cols == all->n_cols, "columns %d", (int)own->n_cols);
	for (int64_t i = 0; i < p->n; i++) {
		const struct csr_row a = csr_row_of(own, p->at + i);
		const struct csr_row b = csr_row_of(all, p->first + i);

		CHECK(a.n == b.n && same(a.col, b.col, a.n * 4) && same(a.val, b.val, a.n * 8),
		      "row %d", (int)(p->first + i));
	}
}

/* The table, the same on all ranks, has each row once. */
static void check_parts(const struct crowd *c, const struct dataset *all)
{
	const struct rank_rows *rows = c->rows;
	const int size = c->threads.group[0].size;
	int64_t n = 0, n_own[MOST_RANKS] = { 0 };

	for (int64_t k = 0; k < rows->n_parts; k++) {
		const struct rank_part *p = &rows->part[k];

		CHECK(p->first == n && p->n >= 0 && p->rank < size && p->at == n_own[p->rank],
		      "part %d", (int)k);
		n += p->n;
		n_own[p->rank] += p->n;
		check_part(&c->rows[p->rank].own, p, &all->x);
	}
	CHECK(n == all->x.n_rows, "%d rows in parts", (int)n);
	for (int rank = 0; rank < size; rank++) {
		CHECK(rows[rank].n_parts == rows->n_parts &&
			      same(rows[rank].part, rows->part,
				   rows->n_parts * (int64_t)sizeof(*rows->part)),
		      "rank %d has another table", rank);
		CHECK(rows[rank].own.n_rows == n_own[rank] &&
			      rows->record[rank].n_rows == n_own[rank],
		      "rank %d has %d rows", rank, (int)rows[rank].own.n_rows);
	}
}

/* What rank 0 knows of all rows. */
static void check_outline(const struct rank_rows *rows, const struct dataset *all)
{
	const struct dataset *d = rows->data;
	const int64_t n = all->x.n_rows;

	CHECK(d->x.n_rows == n && d->x.n_cols == all->x.n_cols && d->max_index == all->max_index &&
		      d->has_qid == all->has_qid && d->has_rounded == all->has_rounded,
	      "another outline");
	CHECK(same(d->y, all->y, n * 8) && same(d->x.row_start, all->x.row_start, (n + 1) * 8),
	      "other labels or numbers of entries");
	for (int64_t i = 0; i < n; i++)
		CHECK(rows->norm2[i] == csr_row_norm2(&all->x, i), "norm %d", (int)i);
	CHECK(rank_rows_checksum(rows) == dataset_checksum(all), "checksum %08x",
	      rank_rows_checksum(rows));
}

static void check_brought(struct rank_rows *rows, const struct dataset *all)
{
	struct error err = { 0 };
	const int64_t n = csr_n_entries(&all->x);

	CHECK(!rows->data->x.col && !rows->data->x.val, "entries already");
	CHECK(rank_rows_bring_all(rows, &err) == 0, "%s", err.text);
	CHECK(same(rows->data->x.col, all->x.col, n * 4) &&
		      same(rows->data->x.val, all->x.val, n * 8),
	      "other entries");
	check_outline(rows, all);
}

static void check_all(struct crowd *c, const struct dataset *all)
{
	crowd_settle(c);
	check_parts(c, all);
	check_outline(&c->rows[0], all);
	check_brought(&c->rows[0], all);
	crowd_settle(c);
	check_parts(c, all);
}

/* ---- reading and dealing ---- */

/* How the rows come to the ranks, and bytes of a part or rows of a block at least, or at most. */
struct way {
	bool deals;
	int64_t size;
};

static int get_rows(struct rank_rows *rows, struct dataset *d, const struct way *way,
		    struct error *err)
{
	struct rank_reading reading = { .files = way->deals ? NULL : &files,
					.least = way->size,
					.input = open_input(err),
					.block = way->size };
	int ret;

	if (!reading.input)
		return -1;
	ret = rank_rows_read(rows, d, &reading, err);
	input_close(reading.input);
	return ret;
}

static void test_rows(struct crowd *c, const struct way *way, int64_t n)
{
	struct dataset all, d = { 0 };
	struct error err = { 0 };

	write_rows(n, n % 2 == 1);
	read_alone(&all);
	if (CHECK(get_rows(&c->rows[0], &d, way, &err) == 0, "%s", err.text))
		check_all(c, &all);
	for (int64_t k = 0; way->deals && k < c->rows[0].n_parts; k++)
		CHECK(c->rows[0].part[k].n < 2 * way->size, "block of %d",
		      (int)c->rows[0].part[k].n);
	crowd_drop(c);
	dataset_free(&d);
	dataset_free(&all);
}

/* Twice, so that a file may be read after another one. */
static void test_way(int size, struct way way, int64_t n)
{
	static struct crowd c;

	crowd_start(&c, size);
	test_rows(&c, &way, n);
	test_rows(&c, &way, n + 1);
	crowd_end(&c);
}

/* Files of one piece each, the largest first: ranks are even, or none reads where there are too few. */
static void test_shares(int size)
{
	static struct crowd c;
	const struct way way = { false, 1 << 20 };
	struct dataset d = { 0 };
	struct error err = { 0 };

	files.n = 5;
	for (int k = 0; k < 5; k++) {
		FILE *f = fopen(files.file[k], "w");

		for (int i = 0; i < (k > 0 ? 100 : 200); i++)
			fprintf(f, "%d 1:1\n", k);
		CHECK(fclose(f) == 0, "cannot write");
	}
	crowd_start(&c, size);
	CHECK(get_rows(&c.rows[0], &d, &way, &err) == 0, "%s", err.text);
	crowd_settle(&c);
	CHECK(c.rows[0].n_parts == (size < 6 ? 5 : 1) && d.y[450] == 3, "%d parts",
	      (int)c.rows[0].n_parts);
	for (int rank = 0; rank < size && size < 6; rank++)
		CHECK(c.rows[rank].own.n_rows == 600 / size, "rank %d has %d rows", rank,
		      (int)c.rows[rank].own.n_rows);
	crowd_drop(&c);
	crowd_end(&c);
	dataset_free(&d);
	files.n = 1;
}

/* Whichever allocation of any rank fails, all of them end the command, and the next one is right. */
static void test_memory(int size, struct way way)
{
	static struct crowd c;
	int ret = -1;

	write_rows(300, false);
	crowd_start(&c, size);
	for (int after = 0; ret < 0; after++) {
		struct dataset d = { 0 };
		struct error err = { 0 };

		mem_fail_after(after);
		ret = get_rows(&c.rows[0], &d, &way, &err);
		if (ret == 0 && (ret = rank_rows_bring_all(&c.rows[0], &err)) < 0)
			CHECK(!d.x.val, "entries nevertheless");
		else if (ret < 0)
			CHECK(!d.y && !c.rows[0].data, "rows nevertheless");
		mem_fail_after(-1);
		CHECK(ret == 0 || err.code == ERR_MEMORY, "after %d: %s", after, err.text);
		crowd_drop(&c);
		dataset_free(&d);
	}
	test_rows(&c, &way, 100);
	crowd_end(&c);
}

/* The fifth batch, from being read to being sent, is without memory; it is the first of rank 1. */
static void fail_at_fifth(void *arg, int64_t done, int64_t total)
{
	int *n_batches = arg;

	(void)done;
	(void)total;
	(*n_batches)++;
	mem_fail_after(*n_batches == 5 ? 0 : -1);
}

/*
 * Rank 1 alone has no memory for its first rows, and takes no others.  Rank 0 waits for its answer: it has
 * asked for memory before rank 0 goes on.
 */
static void test_no_room(void)
{
	enum { N = 16000, BLOCK = 5000 };
	static struct crowd c;
	const struct way way = { true, BLOCK };
	int n_batches = 0;
	struct rank_reading dealing = { .progress = { fail_at_fifth, &n_batches }, .block = BLOCK };
	struct dataset d = { 0 };
	struct error err = { 0 };
	FILE *f = fopen(name, "w");

	for (int i = 0; i < N; i++)
		fprintf(f,
			"1 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:1 11:1 12:1 13:1 14:1 15:1 16:1 17:1 18:1\n");
	CHECK(fclose(f) == 0, "cannot write");
	crowd_start(&c, 2);
	CHECK(input_open(&dealing.input, name, &err) == 0, "%s", err.text);
	c.rows[0].n_threads = 1;
	CHECK(rank_rows_read(&c.rows[0], &d, &dealing, &err) < 0 && err.code == ERR_MEMORY &&
		      strncmp(err.text, "rank 1 of 2: ", 13) == 0,
	      "'%s'", err.text);
	CHECK(n_batches > 7 && !d.y, "%d batches", n_batches);
	input_close(dealing.input);
	crowd_drop(&c);
	test_rows(&c, &way, 100);
	crowd_end(&c);
}

/*
 * A malformed line, no rows, an integer that is rounded: rank 0 reads alone, also where all could; and
 * all ranks end.
 */
static void test_refusals(int size)
{
	static const char *const texts[] = { "1 1:1\n2 1:x\n3 1:1\n", "# none\n# none\n",
					     "12345678901234567890 1:1\n1\n" };
	static struct crowd c;
	const struct way ways[] = { { false, 1 }, { true, 1 } };

	crowd_start(&c, size);
	for (size_t i = 0; i < 2 * sizeof(texts) / sizeof(*texts); i++) {
		FILE *f = fopen(name, "w");
		struct dataset d = { 0 };
		struct error err = { 0 };

		CHECK(f && fputs(texts[i / 2], f) >= 0 && fclose(f) == 0, "cannot write");
		if (get_rows(&c.rows[0], &d, &ways[i % 2], &err) == 0)
			CHECK(d.has_rounded && d.x.n_rows == 2, "text %d was dealt", (int)i / 2);
		else
			CHECK(err.code == ERR_FORMAT && !d.y && !c.rows[0].data &&
				      strstr(err.text, i / 2 == 0 ? "line 2" : "no examples"),
			      "%s", err.text);
		crowd_drop(&c);
		dataset_free(&d);
	}
	test_rows(&c, &ways[0], 30);
	crowd_end(&c);
}

int main(void)
{
	static const int sizes[] = { 1, 2, 3, 7 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		test_way(sizes[s], (struct way){ false, 1 }, 3);
		test_way(sizes[s], (struct way){ false, 10 }, 40);
		test_way(sizes[s], (struct way){ false, 1000 }, 500);
		test_way(sizes[s], (struct way){ false, 100 }, 5000);
		test_way(sizes[s], (struct way){ true, 1 }, 3);
		test_way(sizes[s], (struct way){ true, 7 }, 40);
		test_way(sizes[s], (struct way){ true, 64 }, 5000);
		test_way(sizes[s], (struct way){ true, 100000 }, 5000);
		files.n = 5;
		test_way(sizes[s], (struct way){ false, 30 }, 4);
		test_way(sizes[s], (struct way){ false, 100 }, 500);
		test_way(sizes[s], (struct way){ false, 100000 }, 500);
		test_way(sizes[s], (struct way){ true, 7 }, 500);
		files.n = 1;
	}
	test_shares(2);
	test_shares(3);
	test_shares(7);
	test_memory(1, (struct way){ false, 100 });
	test_memory(3, (struct way){ false, 100 });
	test_memory(1, (struct way){ true, 20 });
	test_memory(3, (struct way){ true, 20 });
	test_no_room();
	test_refusals(1);
	test_refusals(4);
	return unit_report("rank_rows");
}
