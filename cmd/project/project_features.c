/*
 * project_features.c - rp-project: how rows are read, and the number of their features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/arithmetic.h"
#include "project.h"

struct rows_options project_row_format(void)
{
	struct rows_options format = common_rows_options(&settings.common);

	if (cli_given("-d"))
		format.max_index = (int32_t)settings.map.n_features;
	return format;
}

int project_note_features(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct project_job *job = arg;

	(void)user;
	(void)err;
	job->max_index = int64_max(batch->max_index, job->max_index);
	return 0;
}

void project_read_data(struct project_job *job, const char *what, struct dataset *data)
{
	const struct progress_observer observer = { cli_progress_bytes, &job->run.progress };
	const struct rows_options format = project_row_format();
	struct input *input = cli_open_pass(&job->run.passes, settings.data_name, false);
	struct error err = { 0 };

	cli_run_progress(&job->run, what);
	if (dataset_read(data, input, &format, &observer, (int)settings.common.n_threads, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	cli_close_pass(&job->run.passes, input);
}

void project_find_features(struct project_job *job)
{
	const struct rows_visitor visitor = { .deliver = project_note_features, .arg = job };
	const struct cli_scan scan = { .name = settings.data_name,
				       .what = "counting features",
				       .format = project_row_format() };

	if (cli_given("-d"))
		return;
	if (settings.common.verbose)
		cli_tell_passes(settings.data_name,
				"for the number of features, and to project it");
	cli_run_scan(&job->run, &scan, &visitor);
	settings.map.n_features = int64_max(job->max_index, 1);
}
