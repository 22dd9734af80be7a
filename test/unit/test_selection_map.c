/*
 * test_selection_map.c - selections: names, lists, files there and back, applied to rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select/selection_map.h"

#include <math.h>
#include <string.h>

#include "failing.h"
#include "io/gzip.h"
#include "memory_input.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- Things to test with ---- */

/* n different features up to 'most', in random order, with weights and scores of all sizes. */
static struct selection_map random_map(int64_t n, int32_t most)
{
	struct selection_map map = { .method = (int)random_below(SELECT_UNIFORM + 1),
				     .rescale = (int)random_below(2),
				     .renumber = (int)random_below(2) };
	struct error err = { 0 };

	CHECK(selection_init(&map.chosen, n, &err) == 0, "%s", err.text);
	while (map.chosen.n < n) {
		int32_t feature = (int32_t)random_below((int64_t)most + 1);
		bool is_new = true;

		for (int64_t k = 0; k < map.chosen.n; k++)
			is_new &= map.chosen.feature[k] != feature;
		if (is_new)
			selection_add(&map.chosen, feature,
				      ldexp(random_normal(), (int)random_below(600) - 300),
				      random_normal());
	}
	CHECK(selection_index_init(&map.index, &map.chosen, &err) == 0, "%s", err.text);
	return map;
}

static int save_to(const struct selection_map *map, const struct feature_names *names,
		   const char *path, struct error *err)
{
	struct output *output;

	if (output_open(&output, path, false, err) < 0)
		return -1;
	if (selection_map_save(map, names, output, err) < 0) {
		output_discard(output);
		return -1;
	}
	return output_commit(output, err);
}

static int load_text(struct selection_map *map, const char *text, struct error *err)
{
	struct memory_input input;
	int ret;

	memory_input_open(&input, text, (int64_t)strlen(text), false);
	ret = input_load(selection_map_read, map, input.path, err);
	memory_input_close(&input);
	return ret;
}

/* A map of these lines, with the checksum they need. */
static int load_lines(struct selection_map *map, const char *lines, struct error *err)
{
	char text[2000];
	int n = snprintf(text, sizeof(text), "%s", lines);

	snprintf(text + n, sizeof(text) - (size_t)n, "checksum %08" PRIx32 "\n",
		 checksum_crc32(0, lines, n));
	return load_text(map, text, err);
}

static void read_names(struct feature_names *names, const char *text, int64_t size, bool is_pipe)
{
	struct memory_input input;
	struct error err = { 0 };

	memory_input_open(&input, text, size, is_pipe);
	CHECK(feature_names_read(names, input.path, &err) == 0, "%s", err.text);
	memory_input_close(&input);
}

/* 'want' follows a heading, which has a column for names where there are any. */
static void expect_list(const struct selection_map *map, const struct feature_names *names,
			const char *want)
{
	const char *plain = "#index weight score\n", *named = "#index weight score name\n";
	const char *heading =
		(names && names->n > 0) || map->kept.text.size > map->kept.n ? named : plain;
	int64_t start = (int64_t)strlen(heading), size = (int64_t)strlen(want);
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	CHECK(selection_map_list(map, names, &text, &err) == 0, "%s", err.text);
	CHECK(text.size == start + size && !memcmp(text.bytes, heading, (size_t)start) &&
		      !memcmp(text.bytes + start, want, (size_t)size),
	      "'%.*s', not '%s%s'", (int)text.size, text.bytes, heading, want);
	free(text.bytes);
}

/* ---- There and back ---- */

static void expect_same(const struct selection_map *a, const struct selection_map *b)
{
	size_t n = (size_t)a->chosen.n;

	CHECK(a->method == b->method && a->rescale == b->rescale && a->renumber == b->renumber,
	      "method %d, rescale %d, renumber %d", b->method, b->rescale, b->renumber);
	if (!CHECK(a->chosen.n == b->chosen.n, "%" PRId64 " features", b->chosen.n) || n == 0)
		return;
	CHECK(!memcmp(a->chosen.feature, b->chosen.feature, n * sizeof(*a->chosen.feature)),
	      "other features");
	CHECK(!memcmp(a->chosen.weight, b->chosen.weight, n * sizeof(double)), "other weights");
	CHECK(!memcmp(a->chosen.score, b->chosen.score, n * sizeof(double)), "other scores");
}

static void test_round_trip(void)
{
	static const char *const paths[] = { "map", "map.gz" };

	for (int i = 0; i < 60; i++) {
		struct selection_map map = random_map(random_below(40), i % 3 ? 50 : INT32_MAX);
		struct selection_map again = { 0 };
		struct error err = { 0 };

		CHECK(save_to(&map, NULL, paths[i % 2], &err) == 0, "%s", err.text);
		CHECK(input_load(selection_map_read, &again, paths[i % 2], &err) == 0, "%s",
		      err.text);
		expect_same(&map, &again);
		for (int64_t k = 0; k < map.chosen.n; k++)
			CHECK(selection_find(&again.index, map.chosen.feature[k]) >= 0,
			      "no feature %" PRId32, map.chosen.feature[k]);
		selection_map_free(&map);
		selection_map_free(&again);
	}
}

static const char known[] = "randsvm-selection 1\nmethod approx-bss\nrescale yes\nrenumber no\n"
			    "selected 3\ndata 3\n7 1.5 0.25 seven\n0 1 1e-300\n"
			    "2147483647 -2 0 a b\n";

static void test_known_lines(void)
{
	static const char names_text[] = "\n\n\n\n\n\nseven\n";
	struct selection_map map = { 0 };
	struct feature_names names = { 0 };
	struct error err = { 0 };

	if (!CHECK(load_lines(&map, known, &err) == 0, "%s", err.text))
		return;
	CHECK(map.method == SELECT_APPROX_BSS && map.rescale == 1 && map.renumber == 0,
	      "method %d, rescale %d, renumber %d", map.method, map.rescale, map.renumber);
	CHECK(map.chosen.n == 3 && map.chosen.feature[0] == 7 && map.chosen.weight[0] == 1.5 &&
		      map.chosen.score[1] == 1e-300 && map.chosen.feature[2] == INT32_MAX,
	      "other values");
	expect_list(&map, NULL, "7 1.5 0.25 seven\n0 1 1e-300\n2147483647 -2 0 a b\n");
	read_names(&names, names_text, (int64_t)strlen(names_text), false);
	expect_list(&map, &names, "7 1.5 0.25 seven\n0 1 1e-300\n2147483647 -2 0\n");
	feature_names_free(&names);
	selection_map_free(&map);
}

/* Without a name, too, which a sanitizer watches. */
static void test_nothing_selected(void)
{
	struct selection_map map = { 0 };
	struct error err = { 0 };

	CHECK(load_lines(&map,
			 "randsvm-selection 1\nmethod top\nrescale no\nrenumber yes\n"
			 "selected 0\n",
			 &err) == 0,
	      "%s", err.text);
	CHECK(map.chosen.n == 0 && selection_find(&map.index, 1) < 0, "%" PRId64 " selected",
	      map.chosen.n);
	selection_map_free(&map);
}

static void test_refused(void)
{
	static const struct {
		const char *from, *to, *why;
	} wrong[] = {
		{ "7 1.5", "0 1.5", "feature 0 is selected twice" },
		{ "7 1.5", "-7 1.5", "no feature index" },
		{ "7 1.5", "2147483648 1.5", "no feature index" },
		{ "7 1.5", "7.5 1.5", "no feature index" },
		{ "7 1.5", "x 1.5", ":7: " },
		{ "7 1.5 0.25", "7 1.5", ":7: " },
		{ "7 1.5 0.25", "7 nan 0.25", ":7: " },
		{ "7 1.5 0.25", "7  1.5 0.25", ":7: " },
		{ "data 3", "data 2", ": " },
		{ "selected 3", "selected 2", ": " },
		{ "selected 3", "selected -1", ":5: " },
		{ "approx-bss", "best", ":2: " },
		{ "rescale yes", "rescale maybe", ":3: " },
		{ "renumber no\n", "", "renumber" },
		{ "selection 1", "selection 2", ":1: " },
		{ "selection 1", "projection 1", ":1: " },
	};

	for (int i = 0; i < LENGTH(wrong); i++) {
		const char *at = strstr(known, wrong[i].from);
		struct selection_map map = { 0 };
		struct error err = { 0 };
		char text[1000];

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - known), known, wrong[i].to,
			 at + strlen(wrong[i].from));
		CHECK(load_lines(&map, text, &err) < 0 && err.code == ERR_FORMAT, "%d: code %d", i,
		      err.code);
		CHECK(strstr(err.text, wrong[i].why), "%d: '%s' lacks '%s'", i, err.text,
		      wrong[i].why);
		CHECK(!map.chosen.feature && !map.index.place, "%d: something is left", i);
	}
}

/* ---- Names ---- */

static void test_names(void)
{
	static const struct {
		const char *text;
		int64_t n;
		const char *list;
	} cases[] = {
		{ "", 0, "1 1 0\n3 1 0\n2 1 0\n" },
		{ "\n", 1, "1 1 0\n3 1 0\n2 1 0\n" },
		{ "one", 1, "1 1 0 one\n3 1 0\n2 1 0\n" },
		{ "one \t\r\n two  words \nthree\nfour\n", 4,
		  "1 1 0 one\n3 1 0 three\n2 1 0  two  words\n" },
		{ "  \n\r\n\xff\xc3 7\n", 3, "1 1 0\n3 1 0 \xff\xc3 7\n2 1 0\n" },
	};
	struct selection_map map = { 0 };
	struct error err = { 0 };

	selection_init(&map.chosen, 3, &err);
	for (int k = 0; k < 3; k++)
		selection_add(&map.chosen, (int32_t[]){ 1, 3, 2 }[k], 1, 0);
	for (int i = 0; i < LENGTH(cases); i++) {
		struct feature_names names = { 0 };

		read_names(&names, cases[i].text, (int64_t)strlen(cases[i].text), i % 2);
		CHECK(names.n == cases[i].n, "%d: %" PRId64 " names", i, names.n);
		expect_list(&map, &names, cases[i].list);
		feature_names_free(&names);
	}
	selection_map_free(&map);
}

/* Longer than what is read at once, through a pipe. */
static void test_many_names(void)
{
	enum { N = 30000, WIDTH = 9 };
	char *text = malloc((size_t)N * WIDTH + 1), expected[100];
	struct selection_map map = random_map(1, 1);
	struct feature_names names = { 0 };

	for (int j = 0; j < N; j++)
		sprintf(text + (size_t)j * WIDTH, "name%04d\n", j % 10000);
	read_names(&names, text, (int64_t)N * WIDTH, true);
	CHECK(names.n == N, "%" PRId64 " names", names.n);
	map.chosen.weight[0] = map.chosen.score[0] = 1;
	for (int32_t j = 1; j <= N; j += 7) {
		map.chosen.feature[0] = j;
		sprintf(expected, "%d 1 1 name%04d\n", (int)j, (int)((j - 1) % 10000));
		expect_list(&map, &names, expected);
	}
	feature_names_free(&names);
	selection_map_free(&map);
	free(text);
}

/* ---- Applying ---- */

static struct row_batch random_batch(int64_t n, int32_t most)
{
	struct row_batch rows = { 0 };
	struct error err = { 0 };

	CHECK(row_batch_reserve(&rows, n, n * ((int64_t)most + 1), true, &err) == 0, "%s",
	      err.text);
	for (int64_t i = 0; i < n; i++) {
		for (int32_t j = 0; j <= most; j++)
			if (random_below(3) == 0) {
				rows.index[rows.n_entries] = j;
				rows.value[rows.n_entries++] =
					random_below(4) ? random_normal() : 0;
				rows.max_index = j > rows.max_index ? j : rows.max_index;
			}
		rows.label[i] = random_normal();
		rows.text[i] = (struct row_text){ .label = { "x", random_below(2) } };
		rows.row_start[++rows.n_rows] = rows.n_entries;
	}
	return rows;
}

/* How many chosen features are smaller; -1 if it is not chosen itself. */
static int64_t rank_of(const struct selection *s, int32_t feature, int64_t *place)
{
	int64_t smaller = 0;

	*place = -1;
	for (int64_t k = 0; k < s->n; k++) {
		smaller += s->feature[k] < feature;
		if (s->feature[k] == feature)
			*place = k;
	}
	return *place < 0 ? -1 : smaller;
}

static void expect_row(const struct selection_map *map, const struct row_batch *in, int64_t i,
		       const struct row_batch *out, int64_t o)
{
	int64_t at = out->row_start[o], place;

	for (int64_t k = in->row_start[i]; k < in->row_start[i + 1]; k++) {
		int64_t smaller = rank_of(&map->chosen, in->index[k], &place);

		if (smaller < 0 || in->value[k] == 0)
			continue;
		CHECK(out->index[at] == (map->renumber ? smaller + 1 : in->index[k]),
		      "index %" PRId32, out->index[at]);
		CHECK(out->value[at] ==
			      in->value[k] * (map->rescale ? map->chosen.weight[place] : 1),
		      "value %g", out->value[at]);
		CHECK(out->max_index >= out->index[at], "max_index %" PRId64, out->max_index);
		at++;
	}
	CHECK(out->row_start[o + 1] == at, "row ends at %" PRId64 ", not %" PRId64,
	      out->row_start[o + 1], at);
	CHECK(out->label[o] == in->label[i], "label %g", out->label[o]);
	CHECK(!in->has_text || out->text[o].label.length == in->text[i].label.length, "other text");
}

static void test_apply(void)
{
	struct row_batch out = { 0 };

	for (int i = 0; i < 200; i++) {
		int32_t most = 1 + (int32_t)random_below(60);
		struct selection_map map = random_map(random_below(most + 1), most);
		struct row_batch in = random_batch(random_below(9), most);
		int64_t first = random_below(in.n_rows + 1);
		int64_t n = random_below(in.n_rows - first + 1);
		struct error err = { 0 };

		in.has_text = i % 2;
		CHECK(selection_map_apply(&map, (struct row_range){ &in, first, n }, &out, &err) ==
			      0,
		      "%s", err.text);
		CHECK(out.n_rows == n && out.has_text == in.has_text, "%" PRId64 " rows",
		      out.n_rows);
		for (int64_t o = 0; o < n; o++)
			expect_row(&map, &in, first + o, &out, o);
		row_batch_free(&in);
		selection_map_free(&map);
	}
	row_batch_free(&out);
}

/* ---- Out of memory ---- */

static int names_again(void *arg, struct error *err)
{
	struct feature_names names;
	int ret = feature_names_read(&names, arg, err);

	CHECK(ret == 0 || (!names.text.bytes && !names.start), "something is left");
	feature_names_free(&names);
	return ret;
}

static int load_again(void *arg, struct error *err)
{
	struct selection_map map = { 0 };
	int ret = input_load(selection_map_read, &map, arg, err);

	CHECK(ret == 0 || (!map.chosen.feature && !map.index.place), "something is left");
	selection_map_free(&map);
	return ret;
}

static int save_again(void *arg, struct error *err)
{
	return save_to(arg, NULL, "again", err);
}

static int list_again(void *arg, struct error *err)
{
	struct byte_buffer text = { 0 };
	int ret = selection_map_list(arg, NULL, &text, err);

	free(text.bytes);
	return ret;
}

static struct row_batch some_rows;

static int apply_again(void *arg, struct error *err)
{
	struct row_batch out = { 0 };
	int ret = selection_map_apply(arg, (struct row_range){ &some_rows, 0, some_rows.n_rows },
				      &out, err);

	CHECK(ret == 0 || out.n_rows == 0, "%" PRId64 " rows", out.n_rows);
	row_batch_free(&out);
	return ret;
}

static void test_memory(void)
{
	struct selection_map map = random_map(20, 30);
	struct error err = { 0 };

	some_rows = random_batch(5, 30);
	CHECK(save_to(&map, NULL, "map", &err) == 0, "%s", err.text);
	CHECK(fail_each_allocation("names", names_again, "map") > 0, "no allocation");
	CHECK(fail_each_allocation("load", load_again, "map") > 0, "no allocation");
	CHECK(fail_each_allocation("save", save_again, &map) > 0, "no allocation");
	CHECK(fail_each_allocation("list", list_again, &map) > 0, "no allocation");
	CHECK(fail_each_allocation("apply", apply_again, &map) > 0, "no allocation");
	row_batch_free(&some_rows);
	selection_map_free(&map);
}

int main(void)
{
	test_round_trip();
	test_known_lines();
	test_nothing_selected();
	test_refused();
	test_names();
	test_many_names();
	test_apply();
	test_memory();
	return unit_report("selection_map");
}
