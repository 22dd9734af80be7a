/*
 * text_part.h - parts of a text file, cut between its lines, that are read by themselves
 *
 *     bytes   0 ......... first ......... end ......... size
 *     lines   | aa | bbb | c  :  c | dddd : d | e | ff |          part first .. end has dddd d
 *
 * A line belongs to the part that has its first byte, so that parts that meet have each line once,
 * wherever they are cut.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>

#include "io/input.h"

/* What tells a file from another of its name, or from itself before it was written to. */
struct file_stamp {
	int64_t size, seconds, nanoseconds; /* bytes, and time of the last change */
	int64_t first_byte;		    /* below 0: there is none */
};

/*
 * file_stamp_take() - a file that can be read, and read again; false of others
 *
 * False of standard input and of pipes, too.
 *
 * file_stamp_is_text() - does it begin as a row or a comment?  Gzip and the binary form do not.
 */
bool file_stamp_take(struct file_stamp *stamp, const char *path);
bool file_stamp_is_text(const struct file_stamp *stamp);

/*
 * text_part_open() - the lines that begin at bytes first .. end - 1 of the file, which may be none
 *
 * Reads on from the two places up to the ends of their lines.  All bytes of a file may be of any
 * form.  Fails as input_open(), and with ERR_IO (text: `path: reason`) where the file is no longer
 * that of the stamp.
 */
int text_part_open(struct input **part, const char *path, const struct file_stamp *stamp,
		   int64_t first, int64_t end, struct error *err);
