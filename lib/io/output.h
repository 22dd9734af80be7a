/*
 * output.h - a file that appears whole or not at all
 *
 * What is written goes to a new file beside the target; output_commit() flushes it
 * to the disk, checks that, and renames it onto the target.  Until then an older file of that name
 * stands untouched.  The new file has no name before output_commit() (Linux's O_TMPFILE), so that
 * not even SIGKILL leaves it behind; where the file system cannot do this it is called
 * TARGET.tmpPROCESS-TIME.  A symbolic link is followed, the permissions of an older file
 * are kept.  "-" (standard output) and targets that are no regular files
 * (pipes, /dev/stdout, /dev/null, /dev/full) are written directly.
 * A name that ends in ".gz" is compressed, others when asked for.
 *
 * A struct output belongs to one thread at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_OUTPUT_H
#define RANDSVM_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct output;

/*
 * output_open() - begin to write what will become 'path'
 *
 * Fails with ERR_IO (text: the bare reason, here and below) if the folder is missing or
 * not writable, or 'path' is a folder or an unwritable file.
 */
int output_open(struct output **output, const char *path, bool compress, struct error *err);

/* output_write() - append; buffered, so an error may show only later */
int output_write(struct output *output, const void *bytes, int64_t size, struct error *err);

/* output_printf() - append text as printf does */
int output_printf(struct output *output, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * output_commit() - flush, check, rename; the output is released either way; NULL is fine
 *
 * On failure (a full disk, a closed pipe) -1 with ERR_IO, and the target is as it was.
 */
int output_commit(struct output *output, struct error *err);

/*
 * output_commit_all() - output_commit() for several that belong together
 *
 * All are flushed and checked, those that are written directly last, before the first is
 * renamed: one that fails leaves every target as it was, and '*failed' is its position.
 * NULLs among the 'n' are left out.  (A rename that fails after all that, as where the target has
 * become a folder, cannot undo those before it.)
 */
int output_commit_all(struct output *const *outputs, int n, int *failed, struct error *err);

/* output_discard() - give up: the target stays as it was; NULL is fine */
void output_discard(struct output *output);

/*
 * output_remove_pending() - remove the unfinished files of this process
 *
 * For a signal handler: does nothing but unlink(2), on names noted beforehand.
 */
void output_remove_pending(void);

#endif
