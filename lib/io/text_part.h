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
struct text_file {
	int64_t size, seconds, nanoseconds; /* bytes, and time of the last change */
};

/*
 * text_file_look() - is this a file of text, which can be read in parts?
 *
 * False of standard input, of pipes, and of files that do not begin as a row or a comment, among
 * them gzip, the binary form, and those that cannot be read.
 */
bool text_file_look(struct text_file *file, const char *path);

/*
 * text_part_open() - the lines that begin at bytes first .. end - 1 of the file, which may be none
 *
 * Reads on from the two places up to the ends of their lines.  Fails as input_open(), and with
 * ERR_IO (text: `path: reason`) where the file is no longer '*file'.
 */
int text_part_open(struct input **part, const char *path, const struct text_file *file,
		   int64_t first, int64_t end, struct error *err);
