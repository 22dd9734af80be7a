/*
 * read_rows.c - all rows of a data file
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "read_rows.h"

#include "files.h"
#include "process.h"

void cli_read_rows(struct dataset *d, const char *name, const struct common_options *c,
		   struct cli_progress *progress)
{
	const struct rows_options format = common_rows_options(c);
	const struct progress_observer observer = { cli_progress_bytes, progress };
	struct input *input = cli_open_input(name);
	struct error err = { 0 };

	cli_progress_start(progress, "reading", c->progress, c->quiet);
	if (dataset_read(d, input, &format, &observer, (int)c->n_threads, &err) < 0) {
		cli_progress_end(progress);
		cli_fail_input(name, &err);
	}
	cli_progress_end(progress);
	cli_close_input(input);
}
