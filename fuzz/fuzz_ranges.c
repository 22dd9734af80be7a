/*
 * fuzz_ranges.c - range files of svm-scale: parse, scale a row, write, parse, compare
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "map_text.h"
#include "project/scaling.h"

/* "1 2 3\n" becomes numbers of 24 characters at worst */
#define WRITTEN_MAX (64 * MAP_TEXT_MAX)

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

static int parse(struct scaling *s, const void *bytes, size_t size, struct error *err)
{
	char path[MAP_TEXT_PATH];
	int fd = map_text_file(bytes, size, path), ret = input_load(scaling_read, s, path, err);

	close(fd);
	return ret;
}

static int save(const void *scaling, struct output *output, struct error *err)
{
	return scaling_save(scaling, output, err);
}

/* A row of the least values, and one without values, have features that ascend, and no zeros. */
static void try_rows(const struct scaling *s)
{
	struct row_batch in = { 0 }, out = { 0 };
	struct scaling_unknown unknown = { 0 };
	struct error err = { 0 };

	REQUIRE(row_batch_reserve(&in, 2, s->n, false, &err) == 0);
	for (int64_t p = 0; p < s->n; p++) {
		in.index[p] = s->range[p].feature;
		in.value[p] = s->range[p].least;
	}
	in.label[0] = in.label[1] = 1;
	in.n_rows = 2;
	in.n_entries = in.row_start[1] = in.row_start[2] = s->n;
	REQUIRE(scaling_apply(s, (struct row_range){ &in, 0, 2 }, &out, &unknown, &err) == 0);
	REQUIRE(out.n_rows == 2 && unknown.n == 0 && out.row_start[2] == out.n_entries);
	REQUIRE(out.row_start[1] == (s->options.low == 0 ? 0 : s->n));
	for (int64_t k = 0; k < out.n_entries; k++) {
		REQUIRE(out.value[k] != 0);
		REQUIRE(k == 0 || k == out.row_start[1] || out.index[k] > out.index[k - 1]);
	}
	row_batch_free(&in);
	row_batch_free(&out);
}

static void require_same(const struct scaling *a, const struct scaling *b)
{
	REQUIRE(a->n == b->n && a->n_filled == b->n_filled);
	for (int64_t p = 0; p < a->n; p++)
		REQUIRE(a->range[p].feature == b->range[p].feature &&
			a->range[p].least == b->range[p].least &&
			a->range[p].most == b->range[p].most);
}

static void try(const void *data, size_t size)
{
	struct scaling s, again;
	struct error err = { 0 };
	size_t n;

	if (parse(&s, data, size, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
		return;
	}
	try_rows(&s);
	n = map_text_write(save, &s, first, WRITTEN_MAX);
	REQUIRE(parse(&again, first, n, &err) == 0);
	require_same(&s, &again);
	REQUIRE(map_text_write(save, &again, second, WRITTEN_MAX) == n);
	REQUIRE(memcmp(first, second, n) == 0);
	scaling_free(&s);
	scaling_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= MAP_TEXT_MAX)
		try(data, size);
	return 0;
}
