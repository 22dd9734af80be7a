/*
 * files.h - the files that a command line names: opened, kept apart, written all or none
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FILES_H
#define RANDSVM_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/input.h"
#include "io/output.h"

/*
 * cli_keep_apart() - refuse an output that would replace another file of this run
 *
 * 'file' and 'other' are names or NULL; "-" and what is no regular file are left alone.
 */
void cli_keep_apart(const char *file, const char *other);

/*
 * cli_is_standard_output() - "-", or another name of the file or pipe that standard output is
 *
 * (A device takes what comes from two sides: /dev/null.)
 */
bool cli_is_standard_output(const char *name);

/*
 * cli_keep_all_apart() - the outputs from the inputs, and from each other; n names each, or NULL
 *
 * One output may be standard output, one input "-".
 */
void cli_keep_all_apart(const char *const *output, const char *const *input, int n);

/* cli_is_file() - is 'name' a regular file, which can be read twice? */
bool cli_is_file(const char *name);

/* cli_open_input() - input_open(), or cli_fail() with `can't open input file NAME: reason` */
struct input *cli_open_input(const char *name);

/* cli_open_output() - output_open(), or cli_fail() with `can't open WHAT NAME: reason` */
struct output *cli_open_output(const char *name, bool compress, const char *what);

/* An output and what to call it in `can't write WHAT NAME: reason`. */
struct cli_output {
	struct output *output; /* NULL: none */
	const char *what, *name;
};

/*
 * cli_cannot_write() - set 'err' to that text; returns -1
 *
 * Of "-": `can't write standard output: reason`.
 */
int cli_cannot_write(const char *what, const char *name, const struct error *reason,
		     struct error *err);

/* cli_fail_output() - cli_fail() with that text */
_Noreturn void cli_fail_output(const char *what, const char *name, const struct error *reason);

/* cli_write() - output_write(), with that text on failure */
int cli_write(const struct cli_output *to, const void *bytes, int64_t size, struct error *err);

/* cli_commit_all() - output_commit_all(), or cli_fail() with that text */
void cli_commit_all(const struct cli_output *outputs, int n);

/* The most that cli_commit_all() takes. */
#define CLI_MAX_OUTPUTS 8

#endif
