/*
 * fuzz_checkpoint.c - any bytes as the state of a training
 *
 * The input is a line of settings, then blocks of fields between lines `--`; the file is made of
 * them with the checksums they need, and, in a second turn, of the bytes as they are.  It is opened,
 * compared with the settings, and each of its blocks read as runs and as a result.  What is read has
 * to be written, and read again, to the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "io/checkpoint.h"
#include "io/gzip.h"
#include "require.h"

#define SEPARATOR "--\n"
#define FIRST_LINE "randsvm checkpoint 2 little-endian\n"

enum { SIZE_MAX_TRIED = 4096, N_BLOCKS = 3, N_VALUES = 4 };

static char path[64];

/* A state of each kind of field. */
struct state {
	int64_t count;
	int number;
	bool yes, flags[N_VALUES];
	double value, dense[N_VALUES], sparse[N_VALUES];
	int64_t counts[N_VALUES];
};

static void visit(void *arg, struct fields *f)
{
	struct state *s = arg;

	fields_int64(f, "count", &s->count);
	fields_int(f, "number", &s->number);
	fields_bool(f, "yes", &s->yes);
	fields_double(f, "value", &s->value);
	fields_bools(f, "flags", s->flags, N_VALUES);
	fields_doubles(f, "dense", s->dense, N_VALUES);
	fields_int64s(f, "counts", s->counts, N_VALUES);
	fields_sparse(f, "sparse", s->sparse, N_VALUES);
}

static void visit_count(void *arg, struct fields *f)
{
	fields_int64(f, "count", &((struct state *)arg)->count);
}

/* Sections with their checksums; returns the size of the text. */
static size_t add_section(char *text, size_t size, const char *title, const char *from, size_t n)
{
	size += (size_t)sprintf(text + size, "%s %zu %08" PRIx32 "\n", title, n,
				checksum_crc32(0, from, (int64_t)n));
	memcpy(text + size, from, n);
	return size + n;
}

static size_t make_file(char *text, const char *data, size_t size)
{
	const char *end = data + size, *next;
	char title[32] = "settings";
	size_t n = strlen(strcpy(text, FIRST_LINE));

	for (int i = 0; i <= N_BLOCKS && data <= end; i++, data = next + strlen(SEPARATOR)) {
		next = memmem(data, (size_t)(end - data), SEPARATOR, strlen(SEPARATOR));
		next = next ? next : end;
		n = add_section(text, n, title, data, (size_t)(next - data));
		snprintf(title, sizeof(title), "block %d", i);
	}
	return n + strlen(strcpy(text + n, "end\n"));
}

static void put(const char *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	REQUIRE(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

/* The fields of a block that was read: a result, or two runs. */
static void read_block(struct checkpoint *c, int64_t number)
{
	struct checkpoint_block *b = checkpoint_block(c, number);
	struct state s = { 0 };
	struct checkpoint_run run = { visit, visit_count, &s };
	struct error err = { 0 };
	int found = checkpoint_finished(b, visit, &s, &err);

	for (int i = 0; i < 2 && found == 0; i++) {
		run.outcome = i == 0 ? visit_count : NULL;
		found = checkpoint_enter(b, &run, &err);
		if (found == CHECKPOINT_NEW || found == CHECKPOINT_BEGUN) {
			checkpoint_keep(b);
			checkpoint_leave(b);
		}
		found = found < 0 ? found : 0;
	}
	REQUIRE(found >= 0 || (err.code == ERR_FORMAT && *err.text));
	if (found == 0)
		checkpoint_finish(b, visit, &s);
}

static void try(const char *settings)
{
	struct checkpoint *c, *again;
	struct error err = { 0 };

	if (checkpoint_open(&c, path, &err) != 0) {
		REQUIRE(err.code == ERR_FORMAT && *err.text);
		return;
	}
	if (checkpoint_begin(c, settings, N_BLOCKS, NULL, &err) < 0) {
		REQUIRE((err.code == ERR_FORMAT || err.code == ERR_ARGUMENT) && *err.text);
		checkpoint_free(c);
		return;
	}
	for (int64_t i = 0; i < N_BLOCKS; i++)
		read_block(c, i);
	REQUIRE(checkpoint_write(c, &err) == 0);
	checkpoint_free(c);
	/* what is written is read */
	REQUIRE(checkpoint_open(&again, path, &err) == 0);
	REQUIRE(checkpoint_begin(again, settings, N_BLOCKS, NULL, &err) == 0);
	checkpoint_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[2 * SIZE_MAX_TRIED], settings[SIZE_MAX_TRIED];
	const uint8_t *line_end = size > 0 ? memchr(data, '\n', size) : NULL;

	if (size > SIZE_MAX_TRIED || !line_end || memchr(data, '\0', (size_t)(line_end - data)))
		return 0;
	snprintf(path, sizeof(path), "/dev/shm/randsvm-fuzz.%ld", (long)getpid());
	snprintf(settings, sizeof(settings), "%.*s", (int)(line_end + 1 - data),
		 (const char *)data);
	put(text, make_file(text, (const char *)data, size));
	try(settings);
	put((const char *)data, size);
	try("-c 1\n");
	unlink(path);
	return 0;
}
