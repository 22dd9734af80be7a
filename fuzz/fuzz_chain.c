/*
 * fuzz_chain.c - chains: parse, predict, make again of the parts, parse, compare
 *
 * The table is fixed: bytes of tables are those of fuzz_convert.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "chain/chain.h"
#include "map_text.h"
#include "model/predict.h"
#include "tables/csv_columns.h"

enum {
	LARGE = 1 << 10, /* columns, and features of fht, whose set-up takes them */
	MOST_PARTS = 16,
	WRITTEN_MAX = 2 * MAP_TEXT_MAX
};

static char written[WRITTEN_MAX];

static int parse(struct chain *c, const void *bytes, size_t size, struct error *err)
{
	char path[MAP_TEXT_PATH];
	int fd = map_text_file(bytes, size, path), ret = chain_read(c, path, err);

	close(fd);
	return ret;
}

/* ---- predictions ---- */

struct answers {
	const struct chain *chain;
	const struct predictor *by;
	int64_t n_rows;
	double sum;
};

/* Predict the rows, unless a map does not take them; all that is made is read. */
static int predict(void *arg, struct row_batch *rows, void *user, struct error *err)
{
	struct answers *a = arg;
	struct chain_map_scratch mapped[CHAIN_MOST_MAPS] = { 0 };
	struct predictor_scratch scratch;
	const struct row_batch *b = chain_apply(a->chain, rows, mapped, err);
	double *values = calloc((size_t)a->by->n_values, sizeof(*values));

	(void)user;
	REQUIRE(values && predictor_scratch_init(&scratch, a->by, &(struct error){ 0 }) == 0);
	REQUIRE(b ? b->n_rows == rows->n_rows : err->code == ERR_FORMAT);
	for (int64_t i = 0; b && i < b->n_rows; i++) {
		const struct row_view row = { 1, NULL, b->row_start + i, b->index, b->value };
		const int marks = chain_row_marks(a->chain, rows, mapped, i);

		REQUIRE(marks >= 0 && marks <= (CHAIN_OUTSIDE | CHAIN_UNKNOWN));
		predictor_values(a->by, &row, values, &scratch);
		a->sum += predictor_decide(a->by, values, &scratch);
		a->n_rows++;
	}
	for (int k = 0; k < CHAIN_MOST_MAPS; k++)
		chain_map_scratch_free(&mapped[k]);
	predictor_scratch_free(&scratch);
	free(values);
	return b ? 0 : -1;
}

static int deliver(void *arg, struct row_batch *rows, void *user, struct error *err)
{
	(void)arg, (void)rows, (void)user, (void)err;
	return 0;
}

static struct answers answer(struct chain *c)
{
	static const char table[] = "a,b,c\n1,x,the cat\n,y,a dog\n3,?,\n";
	double label[] = { 1, 1 }, value[] = { 1, -2.5, 1e3, 1 };
	int64_t start[] = { 0, 3, 4 };
	int32_t index[] = { 1, 2, 5, 3 };
	struct row_batch rows = { .n_rows = 2,
				  .n_entries = 4,
				  .max_index = 5,
				  .label = label,
				  .row_start = start,
				  .index = index,
				  .value = value };
	struct predictor by;
	struct answers a = { .chain = c, .by = &by };
	const struct rows_visitor visitor = { .work = predict, .deliver = deliver, .arg = &a };
	struct error err = { 0 };
	char path[MAP_TEXT_PATH];
	struct input *input;
	int fd;

	if (!c->model.is_linear_model && c->model.kernel.type == KERNEL_PRECOMPUTED)
		return a;
	REQUIRE(predictor_init(&by, &c->model, &err) == 0);
	if (c->has_columns) {
		fd = map_text_file(table, sizeof(table) - 1, path);
		REQUIRE(input_open(&input, path, &err) == 0);
		if (csv_rows_scan(&c->columns, input, 0, &visitor, &err) < 0)
			REQUIRE(err.code == ERR_FORMAT && *err.text);
		input_close(input);
		close(fd);
	} else if (predict(&a, &rows, NULL, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
	}
	predictor_free(&by);
	return a;
}

/* ---- the parts as a chain again ---- */

struct files {
	int n;
	char path[MOST_PARTS][MAP_TEXT_PATH];
};

static int make(const void *files, struct output *to, struct error *err)
{
	const struct files *f = files;
	const char *path[MOST_PARTS];

	for (int k = 0; k < f->n; k++)
		path[k] = f->path[k];
	return chain_make(path, f->n, to, err);
}

/* Cut the lines behind 'data N' into files of as many lines as the lines before say. */
static int cut(const char *text, const char *end, struct files *f, int fd[MOST_PARTS])
{
	const char *head = text, *line = memmem(text, (size_t)(end - text), "\ndata ", 6);
	int n = 0;

	line = line ? memchr(line + 1, '\n', (size_t)(end - line - 1)) : NULL;
	head = memchr(head, '\n', (size_t)(end - head));
	for (line = line ? line + 1 : NULL; line && head && strncmp(head, "\ndata ", 6) != 0;) {
		const char *count = memchr(head, ' ', (size_t)(end - head)), *start = line;

		for (long left = strtol(count, NULL, 10); left > 0; left--)
			line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;
		if (line > start)
			fd[n] = map_text_file(start, (size_t)(line - start), f->path[n]), n++;
		head = memchr(head + 1, '\n', (size_t)(end - head - 1));
	}
	f->n = n;
	return n;
}

static void try(const void *data, size_t size)
{
	struct chain c, again;
	struct error err = { 0 };
	struct files files = { 0 };
	int fd[MOST_PARTS];
	struct answers first, second;
	size_t n;

	if (map_text_claims(data, size, "columns ", LARGE) ||
	    map_text_claims(data, size, "features ", LARGE))
		return;
	if (parse(&c, data, size, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
		REQUIRE(!c.has_columns && c.n_maps == 0 && c.labels.n == 0 && !c.columns.column);
		return;
	}
	first = answer(&c);
	if (size > 14 && memcmp(data, "randsvm-chain ", 14) == 0 &&
	    cut(data, (const char *)data + size, &files, fd) > 0) {
		n = map_text_write(make, &files, written, WRITTEN_MAX);
		REQUIRE(parse(&again, written, n, &err) == 0);
		second = answer(&again);
		REQUIRE(first.n_rows == second.n_rows &&
			memcmp(&first.sum, &second.sum, sizeof(first.sum)) == 0);
		chain_free(&again);
	}
	for (int k = 0; k < files.n; k++)
		close(fd[k]);
	chain_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	map_text_try(try, data, size);
	return 0;
}
