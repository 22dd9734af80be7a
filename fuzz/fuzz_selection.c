/*
 * fuzz_selection.c - selection files: parse, apply, write, parse, compare
 *
 * The same bytes as a file of names are what the list shows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "map_text.h"
#include "select/selection_map.h"

/* "1 1 1\n" becomes numbers of 24 characters, and a name of MAP_TEXT_MAX, at worst */
#define WRITTEN_MAX (64 * MAP_TEXT_MAX)

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

static int parse(struct selection_map *map, const void *bytes, size_t size, struct error *err)
{
	char path[MAP_TEXT_PATH];
	int fd = map_text_file(bytes, size, path),
	    ret = input_load(selection_map_read, map, path, err);

	close(fd);
	return ret;
}

struct named_map {
	const struct selection_map *map;
	const struct feature_names *names;
};

static int save(const void *named, struct output *output, struct error *err)
{
	const struct named_map *n = named;

	return selection_map_save(n->map, n->names, output, err);
}

static size_t write_map(const struct selection_map *map, const struct feature_names *names,
			char *text)
{
	return map_text_write(save, &(struct named_map){ map, names }, text, WRITTEN_MAX);
}

static void require_same(const struct selection *a, const struct selection *b)
{
	REQUIRE(a->n == b->n);
	if (a->n == 0)
		return;
	REQUIRE(memcmp(a->feature, b->feature, (size_t)a->n * sizeof(*a->feature)) == 0);
	REQUIRE(memcmp(a->weight, b->weight, (size_t)a->n * sizeof(*a->weight)) == 0);
	REQUIRE(memcmp(a->score, b->score, (size_t)a->n * sizeof(*a->score)) == 0);
}

/* A row that has the features chosen, and what is near them, keeps the former alone. */
static void try_rows(const struct selection_map *map)
{
	const struct column_map *chosen = &map->index.map;
	struct row_batch in = { 0 }, out = { 0 };
	struct error err = { 0 };
	int64_t n = 0;

	REQUIRE(row_batch_reserve(&in, 1, 2 * chosen->n, false, &err) == 0);
	for (int64_t k = 0; k < chosen->n; k++) {
		in.index[n++] = chosen->list[k];
		if (chosen->list[k] < INT32_MAX &&
		    (k + 1 == chosen->n || chosen->list[k + 1] > chosen->list[k] + 1))
			in.index[n++] = chosen->list[k] + 1;
	}
	for (int64_t k = 0; k < n; k++)
		in.value[k] = 1;
	in.label[0] = 1;
	in.n_rows = 1;
	in.n_entries = in.row_start[1] = n;
	REQUIRE(selection_map_apply(map, (struct row_range){ &in, 0, 1 }, &out, &err) == 0);
	REQUIRE(out.n_rows == 1 && out.n_entries == chosen->n);
	row_batch_free(&in);
	row_batch_free(&out);
}

/* Names never change what is read back. */
static void try_names(const struct selection_map *map, const void *data, size_t size)
{
	struct feature_names names = { 0 };
	struct selection_map again;
	struct error err = { 0 };
	char path[MAP_TEXT_PATH];
	int fd = map_text_file(data, size, path);
	size_t n;

	if (feature_names_read(&names, path, &err) == 0) {
		n = write_map(map, &names, second);
		REQUIRE(parse(&again, second, n, &err) == 0);
		require_same(&map->chosen, &again.chosen);
		selection_map_free(&again);
	}
	feature_names_free(&names);
	close(fd);
}

static void try(const void *data, size_t size)
{
	struct selection_map map, again;
	struct error err = { 0 };
	size_t n;

	if (parse(&map, data, size, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
		REQUIRE(!map.chosen.feature && !map.index.place);
		return;
	}
	n = write_map(&map, NULL, first);
	REQUIRE(parse(&again, first, n, &err) == 0);
	require_same(&map.chosen, &again.chosen);
	REQUIRE(map.method == again.method && map.rescale == again.rescale &&
		map.renumber == again.renumber);
	REQUIRE(write_map(&again, NULL, second) == n && memcmp(first, second, n) == 0);
	selection_map_free(&again);
	try_rows(&map);
	try_names(&map, data, size);
	selection_map_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	map_text_try(try, data, size);
	return 0;
}
