/*
 * fuzz_mapfile.c - map files: parse, write, parse, compare
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/mapfile.h"
#include "map_text.h"

enum {
	/* "1 " becomes 1.2345678901234567e-300 at worst: 13 times as long */
	WRITTEN_MAX = 16 * MAP_TEXT_MAX,
	ROWS_MAX = 100
};

/* ---- A kind of map with keys of all kinds ---- */

struct map {
	int method;
	int64_t size, rows;
	uint64_t seed;
	double scale;
	double data[ROWS_MAX][2];
};

static const char *const methods[] = { "a", "bc", "d-e", NULL };

static unsigned kind_of(const void *record)
{
	return 1U << ((const struct map *)record)->method;
}

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("method", struct map, method, methods) },
	{ MAPFILE_INTEGER("size", struct map, size, -99, 1000) },
	{ MAPFILE_NATURAL("seed", struct map, seed), .kinds = 1 << 0 },
	{ MAPFILE_REAL("scale", struct map, scale, -1e300, 1e300) },
	{ MAPFILE_INTEGER("rows", struct map, rows, 0, ROWS_MAX) },
	{ 0 }
};

static int64_t count_rows(const void *record)
{
	return ((const struct map *)record)->rows;
}

static int write_row(const void *record, int64_t i, struct byte_buffer *text, struct error *err)
{
	return mapfile_put_reals(text, ((const struct map *)record)->data[i], 2, err);
}

static int read_row(void *record, int64_t i, const char *text, const char *end, struct error *err)
{
	return mapfile_get_reals(((struct map *)record)->data[i], 2, text, end, err);
}

static const struct mapfile_form form = {
	"fuzz", 1, keys, count_rows, write_row, read_row, kind_of
};

/* ---- There and back ---- */

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

static int read_form(void *m, struct input *from, struct error *err)
{
	return mapfile_read(&form, m, from, err);
}

static int parse(struct map *m, const void *bytes, size_t size, struct error *err)
{
	char path[MAP_TEXT_PATH];
	int fd = map_text_file(bytes, size, path), ret;

	*m = (struct map){ 0 };
	ret = input_load(read_form, m, path, err);
	close(fd);
	return ret;
}

static int save(const void *map, struct output *output, struct error *err)
{
	return mapfile_write(&form, map, NULL, output, err);
}

static void try(const void *data, size_t size)
{
	static struct map m, again;
	struct error err = { 0 };
	size_t n;

	if (parse(&m, data, size, &err) < 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
		return;
	}
	n = map_text_write(save, &m, first, WRITTEN_MAX);
	REQUIRE(parse(&again, first, n, &err) == 0);
	REQUIRE(memcmp(&m, &again, sizeof(m)) == 0);
	REQUIRE(map_text_write(save, &again, second, WRITTEN_MAX) == n);
	REQUIRE(memcmp(first, second, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	map_text_try(try, data, size);
	return 0;
}
