/*
 * select_report.c - fs-select: --report
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select.h"
#include "select/l1.h"

void select_start_report(struct select_job *job)
{
	struct report *object;

	if (!settings.common.report)
		return;
	job->report = report_new(select_program.name);
	job->written.without_zeros = !settings.binary;
	object = report_settings(job->report, select_options);
	report_text(object, "method",
		    settings.restore ? "" : select_method_names[settings.how.method]);
	if (settings.how.method == SELECT_L1 &&
	    !settings.restore) /* tolerance of LIBLINEAR; "eps" is that of the SVM */
		report_number(object, "l1_eps",
			      settings.how.l1_eps > 0 ? settings.how.l1_eps : L1_EPS);
	report_flag(object, "supervised", !settings.how.unsupervised && !settings.restore);
	if (!settings.restore)
		report_text(object, "restored", "");
	report_seed(job->report, "seed", settings.how.seed);
	report_phases_begin(&job->phases, job->report);
}

void select_finish_report(struct select_job *job)
{
	struct report *map = report_object(job->report, "map");

	report_text(map, "method", select_method_names[job->map.method]);
	report_count(map, "features", job->map.chosen.n);
	report_flag(map, "rescaled", job->map.rescale);
	report_flag(map, "renumbered", job->map.renumber);
	report_map_checksum(map, select_write_map, job);
	if (!settings.list && !settings.fold)
		report_written(job->report, settings.output_name,
			       settings.digits ? NULL : &job->written);
	report_finish(job->report, job->started, job->file[FILE_REPORT].output);
}
