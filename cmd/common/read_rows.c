/*
 * read_rows.c - all rows of a data file: read, or mapped from a file that keeps them (--spill FILE)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "read_rows.h"

#include <string.h>

#include "file_kind.h"
#include "files.h"
#include "matrix/dataset_file.h"
#include "process.h"

/* Read all rows; with 'checksum' (else NULL) also the sum of the file's bytes. */
static void read_all(struct dataset *d, const char *name, const struct common_options *c,
		     struct cli_progress *progress, uint32_t *checksum)
{
	const struct rows_options format = common_rows_options(c);
	const struct progress_observer observer = { cli_progress_bytes, progress };
	struct input *input = cli_open_input(name);
	struct error err = { 0 };

	if (checksum)
		input_sum_bytes(input);
	cli_progress_start(progress, "reading", c->progress, c->quiet);
	if (dataset_read(d, input, &format, &observer, (int)c->n_threads, &err) < 0) {
		cli_progress_end(progress);
		cli_fail_input(name, &err);
	}
	cli_progress_end(progress);
	if (checksum)
		*checksum = input_checksum(input);
	input_close(input);
}

static _Noreturn void fail_keeping(const char *doing, const char *file, const struct error *err)
{
	cli_fail("%s: --spill: cannot %s '%s': %s", cli_program_name(), doing, file, err->text);
}

/* Are the rows in the file? */
static bool map_rows(struct dataset *d, const struct dataset_file *file,
		     const struct common_options *c)
{
	struct error err = { 0 };
	const char *misfit;
	int ret = dataset_file_map(d, file, &misfit, &err);

	if (ret < 0)
		fail_keeping("use", file->path, &err);
	if (ret == 1 && c->verbose)
		cli_warn("rows mapped from %s", file->path);
	if (misfit && !c->quiet)
		cli_note("spill file %s %s: made anew", file->path, misfit);
	return ret == 1;
}

static void read_and_keep(struct dataset *d, struct dataset_file *file,
			  const struct common_options *c, struct cli_progress *progress)
{
	struct error err = { 0 };
	uint32_t checksum;
	int ret;

	if (dataset_file_begin(file, &err) < 0)
		fail_keeping("write", file->path, &err);
	read_all(d, file->data, c, progress, &checksum);
	ret = dataset_file_commit(file, d, checksum, &err);
	if (ret < 0)
		fail_keeping("write", file->path, &err);
	if (ret == 0)
		cli_warn("warning: %s was changed while it was read: its rows are not kept",
			 file->data);
	else if (c->verbose)
		cli_warn("rows kept in %s", file->path);
}

void cli_read_rows(struct dataset *d, const char *name, const struct common_options *c,
		   struct cli_progress *progress)
{
	struct dataset_file file = { .path = c->kept_rows,
				     .data = name,
				     .options = common_rows_options(c) };

	if (!file.path) {
		read_all(d, name, c, progress, NULL);
		return;
	}
	if (strcmp(name, "-") == 0)
		cli_fail("%s: --spill: rows of standard input cannot be kept: name a file of data, "
			 "or a folder to spill into",
			 cli_program_name());
	input_close(cli_open_input(name)); /* failing here, it is the data that cannot be read */
	if (!cli_is_file(name))
		cli_fail("%s: --spill: rows of %s cannot be kept: it is no regular file; name a "
			 "folder to spill into",
			 cli_program_name(), name);
	if (!map_rows(d, &file, c))
		read_and_keep(d, &file, c, progress);
}
