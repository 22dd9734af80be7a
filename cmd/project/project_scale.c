/*
 * project_scale.c - rp-project -m scale: the ranges of a file or a pipe, and remarks on scaled rows
 *
 * Ranges depend on all rows, so rows can be scaled only when all have been read: the data are read
 * twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "base/thread.h"
#include "project.h"

static int add_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	(void)arg;
	return scaling_ranges_add(user, batch, settings.scaling.targets, err);
}

void project_find_ranges(struct project_job *job)
{
	struct scaling_ranges ranges[THREAD_MAX] = { 0 };
	const struct rows_visitor visitor = { .work = add_batch,
					      .users = ranges,
					      .user_size = sizeof(*ranges) };
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "finding ranges",
				 .format = project_row_format() };
	const int n_threads = (int)settings.common.n_threads;
	struct error err = { 0 };

	scan.format.keep_text = !settings.binary;
	if (settings.common.verbose)
		cli_tell_passes(settings.data_name, "for the ranges, and to scale it");
	cli_run_scan(&job->run, &scan, &visitor);
	cli_check(scaling_init(&job->ranges.scaling, &settings.scaling, ranges, n_threads, &err),
		  &err);
	if (ranges[0].n_rows == 0)
		cli_fail("%s: no examples, so no ranges", settings.data_name);
	for (int i = 0; i < n_threads; i++)
		scaling_ranges_free(&ranges[i]);
}

void project_remark_scaling(const struct project_job *job)
{
	const struct scaling *s = &job->ranges.scaling;
	const struct scaling_unknown *unknown = &job->ranges.unknown;

	if (job->count.n_written > job->count.n_entries)
		cli_warn("note: %" PRId64 " values were read and %" PRId64
			 " written, because 0 becomes another number in %" PRId64
			 " features; where no value is negative -l 0 keeps zeros",
			 job->count.n_entries, job->count.n_written, s->n_filled);
	if (s->n_constant > 0)
		cli_warn("note: %" PRId64 " feature%s left out, the first is %" PRId32
			 ", because all rows have the same value there (svm-scale does so, too)",
			 s->n_constant, s->n_constant == 1 ? " is" : "s are", s->first_constant);
	if (settings.restore && unknown->n > 0)
		cli_warn("note: %" PRId64
			 " values are left out: their features, the first is %" PRId32
			 ", are constant in the rows that the ranges were found by, or not there",
			 unknown->n, unknown->first);
}
