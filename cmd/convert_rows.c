/*
 * convert_rows.c - rows in SVMlight's form or the binary one, to be written in another
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common/process.h"
#include "convert.h"
#include "io/rows.h"

static int deliver(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct convert_job *job = arg;

	(void)user;
	job->n_read += batch->n_rows;
	return convert_write(job, batch, err);
}

void convert_rows(struct convert_job *job)
{
	const struct rows_options how = { 0 };
	const struct rows_visitor visitor = { .deliver = deliver,
					      .arg = job,
					      .progress = { cli_progress_bytes, &job->progress } };
	struct error err = { 0 };

	convert_begin(job);
	cli_progress_start(&job->progress, "converting", settings.common.progress,
			   settings.common.quiet);
	if (rows_scan(job->input, &how, &visitor, (int)settings.common.n_threads, &err) < 0)
		convert_fail(&err);
	cli_progress_end(&job->progress);
	input_close(job->input);
	convert_end(job);
}
