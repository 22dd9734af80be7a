/*
 * zip_file.h - the members of a zip archive, stored or deflated
 *
 *     file = { local header, data }  central directory  end record
 *
 * Only what the central directory lists is a member.  Archives of more than 4 GB have zip64's
 * records, which are read; encryption, other methods and archives of several files are refused.
 *
 * Weighed: libzip (well kept, but depends on OpenSSL's and bzip2's libraries for what is refused
 * here, and reads stored bytes through a buffer of its own) and minizip (reads one member at a time
 * for each open archive, where a sparse matrix needs three at once).  Reading the directory is a
 * page; the deflated bytes go through the inflater of gzip, which may be ISA-L's.
 *
 * Source: PKWARE, APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "io/byte_buffer.h"
#include "io/input.h"

struct zip_member {
	int64_t name_start, name_length; /* place of the name in zip->directory */
	int method;			 /* 0: stored, 8: deflated */
	int64_t header, packed, size;	 /* offset of the local header; bytes stored and unpacked */
	uint32_t checksum;		 /* CRC-32 of the unpacked bytes */
};

/* Owns its arrays and the open file; 'path' is borrowed. */
struct zip_file {
	const char *path;
	int fd; /* -1: no file is open */
	int64_t file_size, n;
	struct zip_member *member;
	int64_t capacity;
	struct byte_buffer directory; /* bytes of the central directory */
};

/* zip_open() - read the directory of a regular file; ERR_IO, ERR_FORMAT (`NAME: reason`), ERR_MEMORY */
int zip_open(struct zip_file *zip, const char *path, struct error *err);

/* zip_refuse() - set ERR_FORMAT to `NAME: REASON`; returns -1 */
int zip_refuse(const struct zip_file *zip, const char *reason, struct error *err);

/* zip_find() - number of the member of that name, or -1 */
int64_t zip_find(const struct zip_file *zip, const char *name);

/*
 * zip_open_member() - the unpacked bytes of member k, for input_close(); several may be open
 *
 * Its bytes are checked as they are read to their end.  It may be read when the archive is free.
 */
int zip_open_member(const struct zip_file *zip, int64_t k, struct input **input, struct error *err);

/* zip_free() - close the file; fine a second time, and after zip_open() has failed */
void zip_free(struct zip_file *zip);
