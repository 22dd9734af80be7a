/*
 * fuzz_mapfile.c - map files: parse, write, parse, compare
 *
 * Any bytes as they are, and followed by the checksum they would need, so that what lies behind
 * it is reached.  The written text goes through a pipe, so that nothing touches the disk.
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
#include "io/mapfile.h"

enum {
	INPUT_MAX = 1 << 12,
	/* "1 " becomes 1.2345678901234567e-300 at worst: 13 times as long */
	WRITTEN_MAX = 1 << 16,
	ROWS_MAX = 100
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *condition)
{
	fprintf(stderr, "fuzz_mapfile.c:%d: not so: %s\n", line, condition);
	abort();
}

/* ---- A kind of map with keys of all kinds ---- */

struct map {
	int method;
	int64_t size, rows;
	uint64_t seed;
	double scale;
	double data[ROWS_MAX][2];
};

static const char *const methods[] = { "a", "bc", "d-e", NULL };

static bool is_first(const void *record)
{
	return ((const struct map *)record)->method == 0;
}

static const struct mapfile_key keys[] = {
	{ MAPFILE_CHOICE("method", struct map, method, methods) },
	{ MAPFILE_INTEGER("size", struct map, size, -99, 1000) },
	{ MAPFILE_NATURAL("seed", struct map, seed), .applies = is_first },
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

static int read_row(void *record, int64_t i, const char *text, const char *end,
		    struct error *err)
{
	return mapfile_get_reals(((struct map *)record)->data[i], 2, text, end, err);
}

static const struct mapfile_form form = { "fuzz", 1, keys, count_rows, write_row, read_row };

/* ---- There and back ---- */

static char first[WRITTEN_MAX], second[WRITTEN_MAX];

static int parse(struct map *m, const void *bytes, size_t size, struct error *err)
{
	char path[32];
	int fd = memfd_create("map", MFD_CLOEXEC), ret;

	*m = (struct map){ 0 };
	REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	ret = mapfile_read(&form, m, path, err);
	close(fd);
	return ret;
}

static size_t write_map(const struct map *m, char *text)
{
	struct error err = { 0 };
	struct output *output;
	char path[32];
	ssize_t n, size = 0;
	int ends[2];

	REQUIRE(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, WRITTEN_MAX) >= 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	REQUIRE(output_open(&output, path, false, &err) == 0);
	REQUIRE(mapfile_write(&form, m, output, &err) == 0);
	REQUIRE(output_commit(output, &err) == 0);
	close(ends[1]);
	while ((n = read(ends[0], text + size, (size_t)(WRITTEN_MAX - size))) > 0)
		size += n;
	close(ends[0]);
	return (size_t)size;
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
	n = write_map(&m, first);
	REQUIRE(parse(&again, first, n, &err) == 0);
	REQUIRE(memcmp(&m, &again, sizeof(m)) == 0);
	REQUIRE(write_map(&again, second) == n && memcmp(first, second, n) == 0);
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
