/*
 * file_stamp.h - what a file was when it was read, to tell later whether it still holds the same
 *
 *     file_stamp_take(&stamp, path)          before it is read
 *     stamp.whole = ...                      the CRC-32 of all of its bytes, as they were read
 *     file_stamp_is_untouched(&stamp, path)  after it was read: they are all of one state
 *     ...
 *     file_stamp_agrees(&stamp, path)        at another time, perhaps by another process
 *
 * The name does not count: a file that was moved or copied holds the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FILE_STAMP_H
#define RANDSVM_FILE_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Without padding: it is written as it is. */
struct file_stamp {
	int64_t size; /* in bytes */
	int64_t inode;
	int64_t modified_s, modified_ns; /* time of the last change of the contents, ... */
	int64_t changed_s, changed_ns;	 /* ... and of contents or attributes: nobody can set it */
	uint32_t sample;		 /* CRC-32 of pieces of the contents */
	uint32_t whole;			 /* CRC-32 of the contents */
};

/*
 * file_stamp_take() - all but 'whole', which becomes 0; reads up to 4 MB
 *
 * Fails with ERR_IO (text: the bare reason, as below) or ERR_MEMORY.
 */
int file_stamp_take(struct file_stamp *stamp, const char *path, struct error *err);

/* file_stamp_is_untouched() - are size, inode and times those of the file? */
bool file_stamp_is_untouched(const struct file_stamp *stamp, const char *path);

/*
 * file_stamp_agrees() - set '*agrees': does the file hold what it held then?
 *
 * If it is untouched the sample decides.  Else all bytes are read and summed up, unless the size is
 * another one already.
 */
int file_stamp_agrees(const struct file_stamp *stamp, const char *path, bool *agrees,
		      struct error *err);

/*
 * file_checksum() - the CRC-32 (checksum.h) of 'size' bytes of an open file from 'offset' on
 *
 * Fails with ERR_IO, also if the file is shorter, or ERR_MEMORY.
 */
int file_checksum(int fd, int64_t offset, int64_t size, uint32_t *crc, struct error *err);

#endif
