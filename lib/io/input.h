/*
 * input.h - bytes from a file, a pipe or standard input, gunzipped on the way
 *
 * Gzip input is recognised by its first two bytes, whatever the name of the file; several members
 * one after another read as one text.  Every member's CRC and length are checked, and a file that
 * ends inside a member is an error.  Zero bytes after the last member are padding; anything else
 * there is an error.  No byte is read twice and nothing is rewound, so pipes work.
 *
 * The mark of UTF-8, a byte order mark, at the beginning is left out.  Files that begin as those of
 * another program, or packed by another, fail with ERR_FORMAT and a hint (foreign_text.h).
 *
 * A struct input belongs to one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/byte_buffer.h"
#include "io/foreign_text.h"

struct input;

/*
 * struct data_files - files that make one set of data, in their order, such as the shards of Spark
 *
 * Their rows are as if they were one file, but each has its own form and its own lines.  A zeroed
 * struct has none.  The names are borrowed.
 */
struct data_files {
	const char **file; /* n names */
	int64_t n, capacity;
	int64_t bytes;	  /* bytes of all files; -1: unknown, as there is a pipe */
	const char *name; /* name of the whole, for messages */
};

/*
 * input_open() - start reading 'path'; "-" is standard input
 *
 * A directory is refused.  Fails with ERR_IO (text: the bare reason, as the caller knows what the
 * file is for) or ERR_MEMORY; '*input' is then NULL.  The caller closes it with input_close().
 */
int input_open(struct input **input, const char *path, struct error *err);

/*
 * input_continue() - have the input, which is that of the first of the files, go on to the others
 *
 * Before the first read; 'files' is borrowed.  One file alone changes nothing.  input_position() then counts the bytes of all files.
 *
 * input_next() - go on to the next file, where input_read() has come to the end of the one before
 *
 * input_name() is then the name of this file.  Returns 1, 0 if there are no more, or -1 as
 * input_read().
 */
void input_continue(struct input *input, const struct data_files *files);
int input_next(struct input *input, struct error *err);

/* A function that reads what '*to' is from an input, which stays open; 0, or -1 with an error. */
typedef int input_reader(void *to, struct input *from, struct error *err);

/* input_load() - have the function read the file at 'path'; -1 as it or input_open() fails */
int input_load(input_reader *read, void *to, const char *path, struct error *err);

/* A part of a file, and bytes that are not in the file before and behind it; borrowed. */
struct input_part {
	int64_t first, size; /* bytes of the file: offset and number */
	const uint8_t *head, *tail;
	int64_t n_head, n_tail;
	const uint32_t *checksum; /* CRC-32 that its bytes are to have; NULL: it is not known */
};

/*
 * input_open_part() - input_open() of a part of a regular file, for archives
 *
 * With the head of a gzip member before it and its tail behind it, deflated bytes of an archive are
 * read, and checked, as a gzip member.  The bytes of head and tail are copied.  A wrong checksum is
 * ERR_FORMAT, like other damage, where its bytes end.
 */
int input_open_part(struct input **input, const char *path, const struct input_part *part,
		    struct error *err);

/*
 * input_peek() - the bytes that input_read() will return next: 'size' of them, fewer only at the end
 *
 * Once, before the first input_read().  Bytes of a foreign format are shown, too, such as those of an
 * archive, which is not read from its beginning on.  Returns how many, or -1 as input_read().
 */
int64_t input_peek(struct input *input, void *buffer, int64_t size, struct error *err);

/* input_begins() - input_peek() at a file; -1 for one that cannot be read */
int64_t input_begins(const char *path, void *buffer, int64_t size);

/*
 * input_read() - the next bytes, uncompressed
 *
 * Fills 'buffer' with 'size' bytes, fewer only at the end of the input.  Returns how many, 0 at the
 * end, or -1 with ERR_IO, ERR_FORMAT (text of both: `name: reason`) or ERR_MEMORY.  After a failure
 * every call fails in the same way.
 */
int64_t input_read(struct input *input, void *buffer, int64_t size, struct error *err);

/*
 * input_skip() - leave out the next bytes of a plain file, some of which were read before
 *
 * Where there are fewer the next read is at the end.  -1 with ERR_IO (text: `name: reason`).
 */
int input_skip(struct input *input, int64_t size, struct error *err);

/*
 * input_append() - input_read() of 'size' bytes to the end of 'to', which has room for one more then
 *
 * input_append_all() - the same with all bytes up to the end of the input; returns 0, or -1
 */
int64_t input_append(struct input *input, struct byte_buffer *to, int64_t size, struct error *err);
int input_append_all(struct input *input, struct byte_buffer *to, struct error *err);

/*
 * input_read_some() - input_read() that hands out what there is rather than wait for a slow sender
 *
 * Waits for the first byte.  After it returns fewer than 'size' bytes where the rest is not there
 * yet; 0 only at the end.  What is read does not depend on time, only in how many calls.
 */
int64_t input_read_some(struct input *input, void *buffer, int64_t size, struct error *err);

/*
 * input_keep() - append what is read to '*kept', borrowed, for input_open_kept(); before the first read
 *
 * With NULL it is no longer kept.
 */
void input_keep(struct input *input, struct byte_buffer *kept);

/*
 * input_open_kept() - the bytes kept from another input as an input of the same name
 *
 * Neither is copied: '*kept' must last as long as the input.  Fails with ERR_MEMORY.
 */
int input_open_kept(struct input **input, const struct byte_buffer *kept, const char *name,
		    struct error *err);

/* input_start() - what its first bytes told, after the first read */
enum foreign_start input_start(const struct input *input);

/* input_would_wait() - does a pipe or terminal have nothing to read at this moment? */
bool input_would_wait(const struct input *input);

/*
 * input_position() - how far the reading has come, for a progress bar
 *
 * Sets '*taken' to the bytes read from the file so far (compressed ones, where it is
 * compressed) and '*total' to the size of the file, -1 for a pipe.
 */
void input_position(const struct input *input, int64_t *taken, int64_t *total);

/*
 * input_sum_bytes() - sum up the bytes as they are stored, compressed or not; before the first read
 *
 * input_checksum() - the CRC-32 (gzip.h) of those read so far, of which input_position() tells
 * the number
 */
void input_sum_bytes(struct input *input);
uint32_t input_checksum(const struct input *input);

/*
 * input_name() - the path, or "standard input", for messages; lives as long as the input
 *
 * Control bytes are replaced, and a very long path is cut.
 */
const char *input_name(const struct input *input);

/* input_whole_name() - likewise; of several files the name of the whole, of which rows are counted */
const char *input_whole_name(const struct input *input);

/*
 * input_note_rounded() - remember an integer that was read and is no double, if it is the first
 *
 * 'place' stands behind the name, such as ":LINE:COLUMN".  Whoever reads the bytes calls it, one
 * thread at a time.
 *
 * input_rounded() - `NAMEPLACE: 'DIGITS' has more digits than a double holds, and is rounded`, or
 * NULL
 */
void input_note_rounded(struct input *input, const char *place, const char *digits);
const char *input_rounded(const struct input *input);

/* input_close() - close the file and release the input; NULL is fine */
void input_close(struct input *input);

/* ---- parts of a text file, cut between its lines, that are read by themselves ---- */

/*
 *     bytes   0 ......... first ......... end ......... size
 *     lines   | aa | bbb | c  :  c | dddd : d | e | ff |          part first .. end has dddd d
 *
 * A line belongs to the part that has its first byte, so that parts that meet have each line once,
 * wherever they are cut.
 */

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
 * Reads on from the two places up to the ends of their lines.  Of all bytes of a file the form may be
 * any.  Fails as input_open(), and with ERR_IO (text: `path: reason`) where the file is no longer
 * that of the stamp.
 */
int text_part_open(struct input **part, const char *path, const struct file_stamp *stamp,
		   int64_t first, int64_t end, struct error *err);
