/*
 * select_report.c - fs-select: --report
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "select.h"
#include "select/l1.h"

void select_begin_report(struct select_job *job)
{
	struct report *object = job->run.settings;

	job->written.without_zeros = !settings.binary;
	report_text(object, "method",
		    settings.restore ? "" : select_method_names[settings.how.method]);
	if (settings.how.method == SELECT_L1 &&
	    !settings.restore) /* tolerance of LIBLINEAR; "eps" is that of the SVM */
		report_number(object, "l1_eps",
			      settings.how.l1_eps > 0 ? settings.how.l1_eps : L1_EPS);
	report_flag(object, "supervised", !settings.how.unsupervised && !settings.restore);
	if (!settings.restore)
		report_text(object, "restored", "");
	report_seed(job->run.report, "seed", settings.how.seed);
	report_phases_begin(&job->run.phases, job->run.report);
}

void select_report_map(const struct select_job *job)
{
	struct report *map = report_object(job->run.report, "map");

	report_text(map, "method", select_method_names[job->map.method]);
	report_count(map, "features", job->map.chosen.n);
	report_flag(map, "rescaled", job->map.rescale);
	report_flag(map, "renumbered", job->map.renumber);
	report_map_checksum(map, select_write_map, job);
	if (!settings.list && !settings.fold)
		report_written(job->run.report, settings.output_name,
			       settings.digits ? NULL : &job->written);
}
