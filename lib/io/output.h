/*
 * output.h - a file that appears whole or not at all
 *
 * What is written goes to a new file in the target's folder; output_commit() flushes it to the disk
 * and renames it onto the target.  Until then an older file of that name stays as it was.  The new
 * file has no name before output_commit() (Linux's O_TMPFILE), so that not even SIGKILL leaves it
 * behind; where the file system cannot do this it is called .TARGET.tmpPROCESS-TIME.  A symbolic
 * link is followed, and the permissions of an older file are kept.  "-" (standard output) and
 * targets that are no regular files (pipes, /dev/stdout, /dev/null, /dev/full) are written
 * directly.  Files whose name ends in ".gz" are compressed, others on request.
 *
 * A struct output belongs to one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"

struct output;

/*
 * output_open() - begin to write what will become 'path'
 *
 * Fails with ERR_IO (text: the bare reason, as for the functions below) if the folder is missing or
 * not writable, or 'path' is a folder or an unwritable file; or with ERR_MEMORY.
 */
int output_open(struct output **output, const char *path, bool compress, struct error *err);

/*
 * output_open_checksum() - an output without a file: its bytes are counted, and dropped
 *
 * output_checksum() then gives the CRC-32 (gzip.h) of all that was written; output_discard()
 * releases it.
 */
int output_open_checksum(struct output **output, struct error *err);
int output_checksum(struct output *output, uint32_t *crc, struct error *err);

/*
 * output_mark() - mark the file, once it is written, as made by the program 'maker'
 *
 * Says which older file output_commit() will replace: none with a byte in it; one that 'maker' has
 * made, and nobody has written to since; or another.  The mark is in the time of the last change:
 * its digits below a millisecond are those of the program's name, and the time is later by less
 * than a millisecond for it.  It needs a file system that keeps times to 100 nanoseconds; of other
 * files one in a million has it by chance.
 */
enum output_older { OUTPUT_REPLACES_NONE, OUTPUT_REPLACES_OWN, OUTPUT_REPLACES_OTHER };
enum output_older output_mark(struct output *output, const char *maker);

/* output_write() - append; buffered, so a failure may show only in a later call */
int output_write(struct output *output, const void *bytes, int64_t size, struct error *err);

/* output_size() - bytes that were appended, before they are compressed */
int64_t output_size(const struct output *output);

/*
 * output_flush() - hand over what is buffered, to a reader who waits for it
 *
 * Nothing is done for a file that appears whole, and for compressed output, which is worse the more
 * often it is flushed.
 */
int output_flush(struct output *output, struct error *err);

/* output_printf() - append text as printf does */
int output_printf(struct output *output, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * output_commit() - flush, check, rename; the output is released either way; NULL is fine
 *
 * On failure (a full disk, a closed pipe, an earlier failure of this output) -1, and the target is
 * as it was.
 */
int output_commit(struct output *output, struct error *err);

/*
 * output_commit_all() - output_commit() for several that belong together
 *
 * All outputs are flushed and checked, those that are written directly last, before the first is
 * renamed: a failure leaves every target as it was, and '*failed' is the position of the output
 * that failed.  NULLs among the 'n' outputs are skipped.  (A rename that fails after all that, say
 * because the target has become a folder, cannot undo the renames before it.)
 */
int output_commit_all(struct output *const *outputs, int n, int *failed, struct error *err);

/*
 * output_writer - writes the struct behind 'what' into the open output
 *
 * output_write_file() - a file of what write() writes; it is replaced when that is complete
 *
 * Fails as output_open(), write() and output_commit() do.
 */
typedef int output_writer(const void *what, struct output *to, struct error *err);
int output_write_file(const char *path, output_writer *write, const void *what, struct error *err);

/* output_discard() - release the output, leaving the target as it was; NULL is fine */
void output_discard(struct output *output);

/*
 * output_remove_pending() - remove the unfinished files of this process
 *
 * For a signal handler: calls only unlink(2), on names noted beforehand.
 */
void output_remove_pending(void);

/*
 * output_note_pending() - output_remove_pending() removes 'name' too, a path from mem_array()
 *
 * output_forget_pending() - not any more; 'name' is released
 */
void output_note_pending(char *name);
void output_forget_pending(char *name);

/* output_target() - where a path leads, symbolic links followed, file or none; for mem_free() */
char *output_target(const char *path, struct error *err);

/* file_base() - the part of a path behind its folder */
const char *file_base(const char *path);
