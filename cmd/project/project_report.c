/*
 * project_report.c - rp-project: --report
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project.h"

static void report_kernel(struct report *r, const struct feature_map *map, int method)
{
	const struct kernel *k = feature_map_svm_kernel(map);
	const bool rff = method == FEATURE_MAP_RFF;

	if (method <= FEATURE_MAP_PCA || method >= ROW_MAP_SCALE)
		return;
	report_text(r, "kernel", map_kernel_names[feature_map_kernel(map)]);
	report_number(r, "gamma", rff ? map->fourier.options.gamma : k->gamma);
	if (rff)
		report_flag(r, "orthogonal", map->fourier.options.orthogonal);
	else if (k->type == KERNEL_POLYNOMIAL) {
		report_count(r, "degree", k->degree);
		report_number(r, "coef0", k->coef0);
	}
}

static void report_map(struct report *r, const struct project_job *job)
{
	const struct feature_map *map = &job->map;
	const struct projection_options *p = &map->projection.options;

	report_text(r, "method", projection_names[job->method]);
	report_count(r, "columns", map->n_columns);
	report_count(r, "features",
		     job->method == ROW_MAP_SCALE ? job->scaling.n : map->n_features);
	report_flag(r, "single", feature_map_is_single(map));
	report_flag(r, "with_replacement", p->with_replacement);
	report_count(r, "q", p->q);
	report_count(r, "a", p->a);
	report_count(r, "v", p->v);
	report_number(r, "sparsity", p->sparsity);
	report_kernel(r, map, job->method);
	if (job->method <= ROW_MAP_SCALE)
		report_map_checksum(r, project_write_map, job);
}

void project_report(const struct project_job *job)
{
	struct report *seconds;
	bool is_fitted = job->method == FEATURE_MAP_PCA || job->method == FEATURE_MAP_NYSTROM;

	report_file(job->run.report, "data", settings.fold ? settings.fold : settings.data_name,
		    &job->read);
	if (job->method < ROW_MAP_SCALE && !is_fitted)
		report_seed(job->run.report, "seed", feature_map_seed(&job->map));
	else if (is_fitted && !settings.restore)
		report_seed(job->run.report, "seed", settings.map.seed);
	report_map(report_object(job->run.report, "map"), job);
	if (!settings.fold) {
		seconds = report_object(job->run.report, "cpu_seconds_per_phase");
		report_number(seconds, "map", job->map_seconds);
		report_number(seconds, "project", job->project_seconds);
	}
	report_count(job->run.report, "values_written", job->n_written);
	/* checksums of rounded values would differ from those of the values in memory */
	if (!settings.fold && !settings.recover)
		report_file(job->run.report, "written", settings.output_name,
			    settings.digits ||
					    (feature_map_is_single(&job->map) && !settings.binary) ?
				    NULL :
				    &job->written);
}
