/*
 * fuzz_projection.c - maps of projections: parse, apply, write, parse, compare
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "map_text.h"
#include "project/feature_map.h"

enum {
	/* "1 " becomes 1.2345678901234567e-300 at worst: 13 times as long */
	WRITTEN_MAX = 16 * MAP_TEXT_MAX,
	SMALL = 1000,	/* columns of maps that are applied */
	LARGE = 1 << 16 /* columns and features of fht, whose set-up takes them */
};

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

static int parse(struct feature_map *map, const void *bytes, size_t size, struct error *err)
{
	char path[MAP_TEXT_PATH];
	int fd = map_text_file(bytes, size, path),
	    ret = input_load(feature_map_read, map, path, err);

	close(fd);
	return ret;
}

static int save(const void *map, struct output *output, struct error *err)
{
	return feature_map_save(map, output, err);
}

/* A row's projection has the map's columns, and both maps make the same of it. */
static void require_same(const struct feature_map *a, const struct feature_map *b)
{
	double label = 1, value[] = { 1, -2.5, 1e3 };
	int64_t start[] = { 0, 3 };
	int32_t index[] = { 1, 2, 5 };
	const struct row_batch in = { .n_rows = 1,
				      .n_entries = 3,
				      .max_index = 5,
				      .label = &label,
				      .row_start = start,
				      .index = index,
				      .value = value };
	struct row_batch x = { 0 }, y = { 0 };
	struct map_room room = { 0 };
	struct error err = { 0 };

	if (feature_map_apply(a, (struct row_range){ &in, 0, 1 }, &x, &room, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT); /* a feature that fht does not have */
	} else {
		REQUIRE(feature_map_apply(b, (struct row_range){ &in, 0, 1 }, &y, &room, &err) ==
			0);
		REQUIRE(x.n_entries == y.n_entries && x.max_index <= a->n_columns);
		REQUIRE(memcmp(x.value, y.value, (size_t)x.n_entries * sizeof(*x.value)) == 0);
		REQUIRE(memcmp(x.index, y.index, (size_t)x.n_entries * sizeof(*x.index)) == 0);
	}
	row_batch_free(&x);
	row_batch_free(&y);
	map_room_free(&room);
}

static void try(const void *data, size_t size)
{
	struct feature_map map, again;
	struct error err = { 0 };
	size_t n;

	if ((memmem(data, size, "fht", 3) || memmem(data, size, "rff", 3)) &&
	    (map_text_claims(data, size, "columns ", LARGE) ||
	     map_text_claims(data, size, "features ", LARGE)))
		return;
	if (parse(&map, data, size, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
		REQUIRE(!map.pca.component && !map.projection.sample);
		return;
	}
	n = map_text_write(save, &map, first, WRITTEN_MAX);
	REQUIRE(parse(&again, first, n, &err) == 0);
	REQUIRE(map.n_columns == again.n_columns && map.n_features == again.n_features);
	if (map.n_columns <= SMALL)
		require_same(&map, &again);
	REQUIRE(map_text_write(save, &again, second, WRITTEN_MAX) == n);
	REQUIRE(memcmp(first, second, n) == 0);
	feature_map_free(&again);
	feature_map_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	map_text_try(try, data, size);
	return 0;
}
