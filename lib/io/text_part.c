/*
 * text_part.c - parts of a text file, cut between its lines, that are read by themselves
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "io/text_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes that a text of rows begins with: of a label, a comment, or blanks. */
static const char first_bytes[] = "0123456789+-.#\t \r\n";

bool file_stamp_take(struct file_stamp *stamp, const char *path)
{
	struct stat st;
	FILE *f;

	/* a pipe is not opened: that would wait */
	if (strcmp(path, "-") == 0 || stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    !(f = fopen(path, "r")))
		return false;
	*stamp = (struct file_stamp){ st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec, getc(f) };
	fclose(f);
	return true;
}

bool file_stamp_is_text(const struct file_stamp *stamp)
{
	return stamp->first_byte > 0 && strchr(first_bytes, (int)stamp->first_byte);
}

/* Where the first line begins that begins at 'at' or behind it. */
static int64_t next_line(FILE *f, int64_t at)
{
	int byte;

	if (at == 0)
		return 0;
	/* the end of the line before it may be the byte before 'at' */
	fseeko(f, (off_t)at - 1, SEEK_SET);
	do
		byte = getc(f);
	while (byte != '\n' && byte != EOF);
	return ftello(f);
}

int text_part_open(struct input **part, const char *path, const struct file_stamp *stamp,
		   int64_t first, int64_t end, struct error *err)
{
	FILE *f = fopen(path, "r");
	struct file_stamp now;
	struct input_part bytes = { 0 };

	if (!f)
		return error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	bytes.first = next_line(f, first);
	bytes.size = next_line(f, end) - bytes.first;
	if (ferror(f))
		error_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	else if (!file_stamp_take(&now, path) || memcmp(&now, stamp, sizeof(now)) != 0)
		error_set(err, ERR_IO, "%s: another file of this name, or changed meanwhile", path);
	fclose(f);
	return err->code == ERR_NONE ? input_open_part(part, path, &bytes, err) : -1;
}
