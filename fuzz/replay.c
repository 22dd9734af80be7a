/*
 * replay.c - run a fuzz target over saved inputs, with any compiler
 *
 *     replay_NAME FILE-OR-FOLDER...
 *
 * Linked with one fuzz_NAME.c.  Names each input before it is tried, so that the last one named
 * is the one that ended the program.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
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

	for (int i = 1; i < argc; i++)
		replay(argv[i], &count);
	if (count.tried == 0) {
		puts("no inputs");
		count.failed++;
	}
	printf("%s: %ld checks, %ld failed\n", slash ? slash + 1 : argv[0],
	       count.tried + count.failed, count.failed);
	return count.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
