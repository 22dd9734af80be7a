/*
 * replay.c - run a fuzz target over saved inputs, with any compiler
 *
 *     replay_NAME [--drawn=FIRST-LAST] FILE-OR-FOLDER...
 *
 * Linked with one fuzz_NAME.c.  Names each input before it is tried, so that the last one named
 * is the one that ended the program.  --drawn adds inputs of random bytes: the bytes of number k
 * depend on k alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct count {
	long tried, failed;
};

static int cannot(struct count *count, const char *path)
{
	printf("cannot read '%s': %s\n", path, strerror(errno));
	count->failed++;
	return -1;
}

/* The input is in memory of its very size: a sanitizer sees a step beyond its end. */
static void replay_file(const char *path, size_t size, struct count *count)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(size);

	if (!file || (size > 0 && (!data || fread(data, 1, size, file) != size))) {
		cannot(count, path);
	} else {
		puts(path);
		fflush(stdout);
		LLVMFuzzerTestOneInput(data, size);
		count->tried++;
	}
	free(data);
	if (file)
		fclose(file);
}

/* splitmix64 (Steele, Lea, Flood 2014), a byte of each */
static void replay_drawn(uint64_t number, struct count *count)
{
	enum { SIZE = 3000 };
	uint8_t *data = malloc(SIZE);
	uint64_t state = number << 32;

	for (int i = 0; data && i < SIZE; i++) {
		uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		data[i] = (uint8_t)(z >> 56);
	}
	printf("drawn %" PRIu64 "\n", number);
	fflush(stdout);
	if (data)
		LLVMFuzzerTestOneInput(data, SIZE);
	count->tried += data != NULL;
	free(data);
}

static void replay(const char *path, struct count *count);

static void replay_folder(const char *path, struct count *count)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);
	char name[4096];

	if (n < 0) {
		cannot(count, path);
		return;
	}
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
			replay(name, count);
		}
		free(entries[i]);
	}
	free(entries);
}

static void replay(const char *path, struct count *count)
{
	struct stat info;

	if (stat(path, &info) < 0)
		cannot(count, path);
	else if (S_ISDIR(info.st_mode))
		replay_folder(path, count);
	else
		replay_file(path, (size_t)info.st_size, count);
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct count count = { 0 };
	uint64_t first, last;

	for (int i = 1; i < argc; i++)
		if (sscanf(argv[i], "--drawn=%" SCNu64 "-%" SCNu64, &first, &last) == 2)
			for (uint64_t k = first; k <= last; k++)
				replay_drawn(k, &count);
		else
			replay(argv[i], &count);
	if (count.tried == 0) {
		puts("no inputs");
		count.failed++;
	}
	printf("%s: %ld checks, %ld failed\n", slash ? slash + 1 : argv[0],
	       count.tried + count.failed, count.failed);
	return count.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
