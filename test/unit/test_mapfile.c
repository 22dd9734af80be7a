/*
 * test_mapfile.c - map files: there and back, damaged, and wrong in every way
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/mapfile.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "io/gzip.h"
#include "memory_input.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { COLUMNS = 3, ROWS_MAX = 50 };

struct map {
	int kind;
	int64_t size, rows;
	uint64_t seed;
	double scale;
	double data[ROWS_MAX][COLUMNS];
};

enum { ROUND, SQUARE, TABLE };
static const char *const kinds[] = { "round", "square", "table", NULL };

static unsigned kind_of(const void *record)
{
	return 1U << ((const struct map *)record)->kind;
}

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("kind", struct map, kind, kinds) },
	{ MAPFILE_INTEGER("size", struct map, size, -5, 1000) },
	{ MAPFILE_NATURAL("seed", struct map, seed), .kinds = 1 << SQUARE },
	{ MAPFILE_REAL("scale", struct map, scale, -1, 1e300) },
	{ MAPFILE_INTEGER("rows", struct map, rows, 1, ROWS_MAX), .kinds = 1 << TABLE },
	{ 0 }
};

static int64_t count_rows(const void *record)
{
	const struct map *m = record;

	return m->kind == TABLE ? m->rows : 0;
}

static int write_row(const void *record, int64_t i, struct byte_buffer *text, struct error *err)
{
	return mapfile_put_reals(text, ((const struct map *)record)->data[i], COLUMNS, err);
}

static int read_row(void *record, int64_t i, const char *text, const char *end, struct error *err)
{
	return mapfile_get_reals(((struct map *)record)->data[i], COLUMNS, text, end, err);
}

static const struct mapfile_form form = {
	"test", 3, keys, count_rows, write_row, read_row, kind_of
};

static int write_map(const struct map *m, const char *path, struct error *err)
{
	struct output *output;

	if (output_open(&output, path, false, err) < 0)
		return -1;
	if (mapfile_write(&form, m, NULL, output, err) < 0) {
		output_discard(output);
		return -1;
	}
	return output_commit(output, err);
}

static int read_form(void *m, struct input *from, struct error *err)
{
	return mapfile_read(&form, m, from, err);
}

static int read_text(struct map *m, const char *text, int64_t size, struct error *err)
{
	struct memory_input input;
	int ret;

	*m = (struct map){ .size = 77, .seed = 88, .rows = 99 };
	memory_input_open(&input, text, size, false);
	ret = input_load(read_form, m, input.path, err);
	memory_input_close(&input);
	return ret;
}

/* ---- There and back ---- */

static void expect_same(const struct map *m, const struct map *again)
{
	CHECK(again->kind == m->kind && again->size == m->size && again->scale == m->scale,
	      "kind %d, size %" PRId64 ", scale %g", again->kind, again->size, again->scale);
	CHECK(again->seed == (m->kind == SQUARE ? m->seed : 88), "seed %" PRIu64, again->seed);
	CHECK(again->rows == (m->kind == TABLE ? m->rows : 99), "rows %" PRId64, again->rows);
	CHECK(m->kind != TABLE ||
		      !memcmp(again->data, m->data, (size_t)m->rows * sizeof(m->data[0])),
	      "other data");
}

static void test_round_trip(void)
{
	static const char *const paths[] = { "map", "map.gz" };

	for (int i = 0; i < 300; i++) {
		struct map m = { .kind = i % 3,
				 .size = random_below(1006) - 5,
				 .seed = random_bits(),
				 .scale = random_between(-1, 9),
				 .rows = 1 + random_below(ROWS_MAX) };
		struct map again = { .seed = 88, .rows = 99 };
		struct error err = { 0 };

		for (int64_t j = 0; j < m.rows * COLUMNS; j++)
			m.data[j / COLUMNS][j % COLUMNS] =
				ldexp(random_normal(), (int)random_below(2000) - 1000);
		CHECK(write_map(&m, paths[i % 2], &err) == 0, "%s", err.text);
		CHECK(input_load(read_form, &again, paths[i % 2], &err) == 0, "%s", err.text);
		expect_same(&m, &again);
	}
}

static const char square[] = "randsvm-test 3\nkind square\nsize -5\nseed 18446744073709551615\n"
			     "scale 0.1\nchecksum 6a90df34\n";
static const char table[] = "randsvm-test 3\nkind table\nsize 7\nscale 1e+300\nrows 2\ndata 2\n"
			    "1 2 -0\n0.3 4e-300 5\nchecksum 62931d17\n";

/* The very bytes; their checksums were computed by Python's zlib. */
static void test_bytes(void)
{
	static const struct map maps[] = {
		{ .kind = SQUARE, .size = -5, .seed = UINT64_MAX, .scale = 0.1, .rows = 99 },
		{ .kind = TABLE,
		  .size = 7,
		  .seed = 88,
		  .scale = 1e300,
		  .rows = 2,
		  .data = { { 1, 2, -0.0 }, { 0.3, 4e-300, 5 } } },
	};
	const char *const texts[] = { square, table };

	for (int i = 0; i < 2; i++) {
		char bytes[1000] = "";
		struct error err = { 0 };
		struct map m;
		FILE *f;

		CHECK(write_map(&maps[i], "map", &err) == 0, "%s", err.text);
		f = fopen("map", "r");
		bytes[f ? fread(bytes, 1, sizeof(bytes) - 1, f) : 0] = '\0';
		if (f)
			fclose(f);
		CHECK(!strcmp(bytes, texts[i]), "wrote\n%s, expected\n%s", bytes, texts[i]);
		CHECK(read_text(&m, texts[i], (int64_t)strlen(texts[i]), &err) == 0, "%s",
		      err.text);
		expect_same(&maps[i], &m);
	}
}

/* ---- Damage ---- */

static void test_damage(void)
{
	char text[sizeof(table)];
	int size = LENGTH(table) - 1;
	struct map m;

	memcpy(text, table, sizeof(text));
	for (int i = 0; i < size; i++) {
		for (int bit = 0; bit < 8; bit++) {
			struct error err = { 0 };

			text[i] ^= (char)(1 << bit);
			CHECK(read_text(&m, text, size, &err) == -1 && err.code == ERR_FORMAT,
			      "byte %d, bit %d: '%s'", i, bit, err.text);
			text[i] ^= (char)(1 << bit);
		}
	}
	for (int n = 0; n < size; n++) {
		struct error err = { 0 };

		CHECK(read_text(&m, text, n, &err) == -1 && err.code == ERR_FORMAT, "cut to %d", n);
	}
}

/* Files whose checksum is right, and nothing else. */
static const struct {
	const char *text, *reason;
} defects[] = {
	{ "", ":1: expected 'randsvm-test 3', got 'checksum 00000000'" },
	{ "randsvm-other 3\nkind round\n", ":1: expected 'randsvm-test 3', got 'randsvm-other 3'" },
	{ "randsvm-test 4\nnew\n", ":1: a map of version 4; this program reads version 3" },
	{ "randsvm-test x\n", ":1: expected a version, got 'x'" },
	{ "randsvm-test 3\n", ":2: 'kind' is missing" },
	{ "randsvm-test 3\nkind round\nsize 1\n", ":4: 'scale' is missing" },
	{ "randsvm-test 3\nkind round\nscale 1\nsize 1\nseed 1\n",
	  ":6: 'seed' does not belong here" },
	{ "randsvm-test 3\nkind square\nscale 1\nsize 1\n", ":5: 'seed' is missing" },
	{ "randsvm-test 3\nkind round\nsize 1\nkind round\n", ":4: 'kind' a second time" },
	{ "randsvm-test 3\nkind round\ncolour red\n", ":3: unknown key 'colour'" },
	{ "randsvm-test 3\nkin round\n", ":2: unknown key 'kin'" },
	{ "randsvm-test 3\n\n", ":2: unknown key ''" },
	{ "randsvm-test 3\nkind\n", ":2: 'kind' without a value" },
	{ "randsvm-test 3\nkind \n", ":2: '' is not a value of 'kind'" },
	{ "randsvm-test 3\nkind roun\n", ":2: 'roun' is not a value of 'kind'" },
	{ "randsvm-test 3\nkind round \n", ":2: 'round ' is not a value of 'kind'" },
	{ "randsvm-test 3\nsize 1001\n",
	  ":2: 'size' must be an integer from -5 to 1000, not '1001'" },
	{ "randsvm-test 3\nsize -6\n", ":2: 'size' must be an integer from -5 to 1000, not '-6'" },
	{ "randsvm-test 3\nsize -\n", "not '-'" },
	{ "randsvm-test 3\nsize 1.0\n", "not '1.0'" },
	{ "randsvm-test 3\nsize 99999999999999999999\n", "not '99999999999999999999'" },
	{ "randsvm-test 3\nseed 18446744073709551616\n", "is not a value of 'seed'" },
	{ "randsvm-test 3\nseed -1\n", ":2: '-1' is not a value of 'seed'" },
	{ "randsvm-test 3\nscale nan\n",
	  ":2: 'scale' must be a number from -1 to 1e+300, not 'nan'" },
	{ "randsvm-test 3\nscale -1.5\n", "not '-1.5'" },
	{ "randsvm-test 3\nscale 1x\n", "not '1x'" },
	{ "randsvm-test 3\nkind round\nsize 1\nscale 1\ndata 2\n", ":5: expected data of 0 lines" },
	{ "randsvm-test 3\nkind round\nsize 1\nscale 1\ndata 0\n", ":5: expected data of 0 lines" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 2\n", ":6: the data are missing" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 2\ndata 3\n",
	  ":6: expected data of 2 lines" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 2\ndata 2\n1 2 3\n",
	  ":7: 1 lines of data, not 2" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 1\ndata 1\n1 2 3\n4 5 6\n",
	  ":7: 2 lines of data, not 1" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 1\ndata 1\n1 2\n",
	  ":7: expected 3 numbers" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 1\ndata 1\n1 2  3\n",
	  ":7: expected 3 numbers" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 1\ndata 1\n1 2 inf\n",
	  ":7: expected 3 numbers" },
	{ "randsvm-test 3\nkind table\nsize 1\nscale 1\nrows 1\ndata 1\n1 2 3 \n",
	  ":7: more than 3 numbers" },
};

static void test_defects(void)
{
	for (int i = 0; i < LENGTH(defects); i++) {
		int64_t size = (int64_t)strlen(defects[i].text);
		struct error err = { 0 };
		char text[400];
		struct map m;

		size = sprintf(text, "%schecksum %08" PRIx32 "\n", defects[i].text,
			       checksum_crc32(0, defects[i].text, size));
		CHECK(read_text(&m, text, size, &err) == -1 && err.code == ERR_FORMAT &&
			      strstr(err.text, defects[i].reason),
		      "'%s', expected '%s'", err.text, defects[i].reason);
	}
}

static void test_ends(void)
{
	static const char start[] = "randsvm-test 3\nkind round\n";
	static const char *const ends[] = { "checksum 0", "checksum 00000000", "check\n",
					    "\nchecksum 00000000 \n" };
	struct error err = { 0 };
	struct map m;

	for (int i = 0; i < LENGTH(ends); i++) {
		char text[200];

		err = (struct error){ 0 };
		CHECK(read_text(&m, text, sprintf(text, "%s%s", start, ends[i]), &err) == -1 &&
			      strstr(err.text, ": no checksum at the end: cut short?"),
		      "%s", err.text);
	}
	err = (struct error){ 0 };
	CHECK(read_text(&m, "randsvm-test 3", 14, &err) == -1 && strstr(err.text, ":1: cut short"),
	      "%s", err.text);
	err = (struct error){ 0 };
	CHECK(input_load(read_form, &m, "none", &err) == -1 && err.code == ERR_IO, "%s", err.text);
}

/* ---- Memory ---- */

static int read_once(void *arg, struct error *err)
{
	struct map m;

	(void)arg;
	return read_text(&m, table, LENGTH(table) - 1, err);
}

static int write_once(void *arg, struct error *err)
{
	return write_map(arg, "map", err);
}

static void test_memory(void)
{
	struct error err = { 0 };
	struct map m;

	CHECK(read_text(&m, table, LENGTH(table) - 1, &err) == 0, "%s", err.text);
	CHECK(fail_each_allocation("reading", read_once, NULL) >= 2, "few allocations");
	CHECK(fail_each_allocation("writing", write_once, &m) >= 3, "few allocations");
}

int main(void)
{
	test_bytes();
	test_round_trip();
	test_damage();
	test_defects();
	test_ends();
	test_memory();
	return unit_report("mapfile");
}
