/*
 * fuzz_selection.c - selection files: parse, apply, write, parse, compare
 *
 * Any bytes as they are, and followed by the checksum they would need, so that what lies behind it
 * is reached.  The same bytes as a file of names are what the list shows.  The written text goes
 * through a pipe, so that nothing touches the disk.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/checksum.h"
#include "select/selection_map.h"

enum {
	INPUT_MAX = 1 << 12,
	/* "1 1 1\n" becomes numbers of 24 characters, and a name of INPUT_MAX, at worst */
	WRITTEN_MAX = 1 << 18
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *condition)
{
	fprintf(stderr, "fuzz_selection.c:%d: not so: %s\n", line, condition);
	abort();
}

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

/* A file of these bytes, at 'path'. */
static int make_file(const void *bytes, size_t size, char path[32])
{
	int fd = memfd_create("selection", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	sprintf(path, "/dev/fd/%d", fd);
	return fd;
}

static int parse(struct selection_map *map, const void *bytes, size_t size, struct error *err)
{
	char path[32];
	int fd = make_file(bytes, size, path), ret = selection_map_load(map, path, err);

	close(fd);
	return ret;
}

static size_t write_map(const struct selection_map *map, const struct feature_names *names,
			char *text)
{
	struct error err = { 0 };
	struct output *output;
	char path[32];
	ssize_t n, size = 0;
	int ends[2];

	REQUIRE(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, WRITTEN_MAX) >= 0);
	sprintf(path, "/dev/fd/%d", ends[1]);
	REQUIRE(output_open(&output, path, false, &err) == 0);
	REQUIRE(selection_map_save(map, names, output, &err) == 0);
	REQUIRE(output_commit(output, &err) == 0);
	close(ends[1]);
	while ((n = read(ends[0], text + size, (size_t)(WRITTEN_MAX - size))) > 0)
		size += n;
	close(ends[0]);
	return (size_t)size;
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
	const struct selection_index *index = &map->index;
	struct row_batch in = { 0 }, out = { 0 };
	struct error err = { 0 };
	int64_t n = 0;

	REQUIRE(row_batch_reserve(&in, 1, 2 * index->n, false, &err) == 0);
	for (int64_t k = 0; k < index->n; k++) {
		in.index[n++] = index->feature[k];
		if (index->feature[k] < INT32_MAX &&
		    (k + 1 == index->n || index->feature[k + 1] > index->feature[k] + 1))
			in.index[n++] = index->feature[k] + 1;
	}
	for (int64_t k = 0; k < n; k++)
		in.value[k] = 1;
	in.label[0] = 1;
	in.n_rows = 1;
	in.n_entries = in.row_start[1] = n;
	REQUIRE(selection_map_apply(map, &in, 0, 1, &out, &err) == 0);
	REQUIRE(out.n_rows == 1 && out.n_entries == index->n);
	row_batch_free(&in);
	row_batch_free(&out);
}

/* Names never change what is read back. */
static void try_names(const struct selection_map *map, const void *data, size_t size)
{
	struct feature_names names = { 0 };
	struct selection_map again;
	struct error err = { 0 };
	char path[32];
	int fd = make_file(data, size, path);
	size_t n;

	if (feature_names_read(&names, path, &err) == 0) {
		n = write_map(map, &names, second);
		REQUIRE(n < WRITTEN_MAX);
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
		REQUIRE(!map.chosen.feature && !map.index.slot);
		return;
	}
	n = write_map(&map, NULL, first);
	REQUIRE(n < WRITTEN_MAX && parse(&again, first, n, &err) == 0);
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
	char *text = malloc(size + 20);

	REQUIRE(text);
	if (size <= INPUT_MAX) {
		try(data, size);
		memcpy(text, data, size);
		sprintf(text + size, "checksum %08" PRIx32 "\n",
			checksum_crc32(0, data, (int64_t)size));
		try(text, size + 18);
	}
	free(text);
	return 0;
}
