/*
 * report.h - the JSON reports of --report
 *
 * One object per run: schema version, tool, settings, seed, data shape, seconds per
 * phase, peak memory, results.  Keys are lower_snake and stable; non-finite numbers are null.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/output.h"
#include "io/report_tree.h"
#include "io/row_batch.h"
#include "options.h"

/* report_new() - an object with the schema's and the tool's version, and the command line */
struct report *report_new(const char *tool);

/*
 * report_file() - add an object: the file, and `rows`, `entries`, `max_index` and `crc32` of the rows
 * that were read or written
 *
 * 'rows' may be NULL: the numbers that were written are not known.
 */
struct report *report_file(struct report *r, const char *key, const char *file,
			   const struct rows_checksum *rows);

/*
 * report_map_checksum() - add `crc32` of what save() writes, a map's file before it is compressed
 *
 * Ends the program if that fails.
 */
void report_map_checksum(struct report *r, output_writer *save, const void *map);

/*
 * report_settings() - add the object "settings" to 'r': a value for each option of the parsed table
 *
 * Keys are those of the table (see struct cli_option).  Options without a key are left out, and so
 * are those that lack an option they need, and texts that were not given.  Returns the object.
 */
struct report *report_settings(struct report *r, const struct cli_option *options);

/*
 * report_finish() - add `seconds` since 'started', `peak_memory_bytes` and `memory`; write and
 * release it
 *
 * The caller commits the output, which shows whether writing failed.  NULL for the object does
 * nothing.
 */
void report_finish(struct report *r, double started, struct output *output);

/*
 * report_say() - write report_root(err) as one line to standard error, and release it; fails as
 * report_end() and output_commit()
 */
int report_say(struct report *line, struct error *err);
