/*
 * map_text.h - what the targets of map files (io/mapfile.h) share: bytes in, text out
 *
 * Any bytes are tried as they are, and followed by the checksum they would need, so that what lies
 * behind it is reached.  Files are memory, so that nothing touches the disk.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MAP_TEXT_H
#define RANDSVM_MAP_TEXT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/gzip.h"
#include "io/output.h"
#include "require.h"

/* The longest input that is tried. */
#define MAP_TEXT_MAX (1 << 12)

/* Room for the name of a file in memory. */
#define MAP_TEXT_PATH 32

/* map_text_file() - a file of these bytes, at 'path'; returns its descriptor, for close() */
static inline int map_text_file(const void *bytes, size_t size, char path[MAP_TEXT_PATH])
{
	int fd = memfd_create("map", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	snprintf(path, MAP_TEXT_PATH, "/dev/fd/%d", fd);
	return fd;
}

/* map_text_write() - what 'save' writes of 'map', which has to fit in 'text'; returns its size */
static inline size_t map_text_write(int (*save)(const void *map, struct output *output,
						struct error *err),
				    const void *map, char *text, size_t room)
{
	struct error err = { 0 };
	struct output *output;
	char path[MAP_TEXT_PATH];
	int fd = map_text_file("", 0, path);
	ssize_t size;

	REQUIRE(output_open(&output, path, false, &err) == 0);
	REQUIRE(save(map, output, &err) == 0);
	REQUIRE(output_commit(output, &err) == 0);
	size = pread(fd, text, room, 0);
	REQUIRE(size >= 0 && (size_t)size < room);
	close(fd);
	return (size_t)size;
}

/* map_text_claims() - is there a number above 'most' behind some 'key'? */
static inline bool map_text_claims(const char *data, size_t size, const char *key, long long most)
{
	const char *end = data + size, *at = data;

	while ((at = memmem(at, (size_t)(end - at), key, strlen(key)))) {
		char number[16] = "";

		at += strlen(key);
		memcpy(number, at, end - at < 15 ? (size_t)(end - at) : 15);
		if (strtoll(number, NULL, 10) > most)
			return true;
	}
	return false;
}

/* map_text_try() - the bytes as they are, and with their checksum */
static inline void map_text_try(void (*try)(const void *data, size_t size), const uint8_t *data,
				size_t size)
{
	char *text = malloc(size + 20);

	REQUIRE(text);
	if (size <= MAP_TEXT_MAX) {
		try(data, size);
		memcpy(text, data, size);
		sprintf(text + size, "checksum %08" PRIx32 "\n",
			checksum_crc32(0, data, (int64_t)size));
		try(text, size + 18);
	}
	free(text);
}

#endif
