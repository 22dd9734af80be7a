/*
 * project_features.c - rp-project: how rows are read, their features, and the memory they take
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

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

/* ---- memory ---- */

/*
 * Least number of bytes with which n_threads threads project n_rows rows each
 *
 * Every thread has a sum for each column.  A map that is not sparse makes an entry in each column
 * of each row: an index and a value, and the value once more in the batch that is written.  A
 * sparse map has a bit for each column, and a list with room for the numbers of an eighth of them.
 */
static double bytes_needed(const struct projection_options *map, int64_t n_columns, int64_t n_rows,
			   int64_t n_threads)
{
	bool is_sparse = map->method == PROJECT_CW || map->method == PROJECT_COUNTSKETCH ||
			 map->method == PROJECT_OSNAP;
	double value = map->single ? sizeof(float) : sizeof(double);
	double result = is_sparse ? 0 : sizeof(int32_t) + sizeof(double) + value;
	double touched = is_sparse ? (1 + sizeof(uint32_t)) / 8.0 : 0;
	double drawn = map->method == PROJECT_FHT ? 2 * sizeof(uint32_t) : 0;

	return (double)n_columns *
	       (drawn + (double)n_threads * (value + touched + (double)n_rows * result));
}

int project_check_memory(const struct project_job *job, const struct projection_options *map,
			 int64_t n_columns, int64_t n_rows, struct error *err)
{
	int64_t n_threads = n_rows < job->batch_rows ? 1 : settings.common.n_threads;
	double bytes = bytes_needed(map, n_columns, n_rows, n_threads);
	bool one_may = bytes_needed(map, n_columns, n_rows, 1) <= job->memory;

	if (bytes <= job->memory)
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "%" PRId64 " columns need %.3g GB of memory, more than %.3g GB%s",
			 n_columns, bytes / 1e9, job->memory / 1e9,
			 one_may ? "; try --threads 1" : "");
}
