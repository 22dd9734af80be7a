/*
 * project_map.c - rp-project: the map is drawn, fitted, or restored; and saved
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include "base/arithmetic.h"
#include "base/thread.h"
#include "project.h"

/* The length of fht's transform: the least power of two that is not below the number of features */
static int64_t transform_size(void)
{
	int64_t size = 1;

	while (size < settings.map.n_features)
		size *= 2;
	return size;
}

/*
 * Without replacement fht has as many columns as its transform has outputs, at most: with all of
 * them it changes no length, so --epsilon needs no more.
 */
static void limit_columns(void)
{
	const int64_t size = transform_size();

	if (settings.map.method != PROJECT_FHT || settings.map.with_replacement ||
	    settings.map.n_columns <= size)
		return;
	if (!cli_given("--epsilon"))
		cli_fail("-k: fht of %" PRId64 " features has %" PRId64 " columns at most: say "
			 "-k %" PRId64 ", which changes no length, or --with-replacement",
			 settings.map.n_features, size, size);
	settings.map.n_columns = size;
	if (!settings.common.quiet)
		cli_warn("k = %" PRId64 ", with which fht changes no length", size);
}

static void fit_components(struct project_job *job)
{
	const struct pca_options options = { .n_components = settings.map.n_columns,
					     .seed = settings.map.seed,
					     .n_threads = (int)settings.common.n_threads };
	struct dataset data = { 0 };
	struct error err = { 0 };

	project_read_data(job, "finding components", &data);
	job->map_seconds -= cli_cpu_seconds();
	if (feature_map_pca(&job->map, &data.x, &options, &err) < 0)
		cli_fail("%s: %s", settings.data_name, err.text);
	job->map_seconds += cli_cpu_seconds();
	cli_progress_end(&job->run.progress);
	if (job->map.n_columns == 0)
		cli_fail("%s: no principal components: all rows are the same", settings.data_name);
	if (job->map.n_columns < settings.map.n_columns && !settings.common.quiet)
		cli_warn("the data have %" PRId64 " principal components, fewer than -k %" PRId64,
			 job->map.n_columns, settings.map.n_columns);
	dataset_free(&data);
}

static int add_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	(void)arg;
	return scaling_ranges_add(user, batch, settings.scaling.targets, err);
}

/* Ranges depend on all rows, which can be scaled only when all were read: they are read twice. */
static void find_ranges(struct project_job *job)
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
	cli_check(scaling_init(&job->scaling, &settings.scaling, ranges, n_threads, &err), &err);
	if (ranges[0].n_rows == 0)
		cli_fail("%s: no examples, so no ranges", settings.data_name);
	for (int i = 0; i < n_threads; i++)
		scaling_ranges_free(&ranges[i]);
}

/* Restore a map, or the ranges of svm-scale, which its first line tells apart. */
static void restore_map(struct project_job *job)
{
	struct error err = { 0 };

	if (settings.svm_scale ||
	    (cli_is_file(settings.restore) && scaling_is_file(settings.restore))) {
		job->method = ROW_MAP_SCALE;
		if (scaling_load(&job->scaling, settings.restore, &err) < 0)
			cli_fail_reading("range file", settings.restore, &err);
		if (settings.fold || settings.recover || settings.certificate)
			cli_refuse("%s: is not for scale", settings.fold    ? "--fold" :
							   settings.recover ? "--recover" :
									      "--certificate");
		return;
	}
	if (feature_map_load(&job->map, settings.restore, &err) < 0)
		cli_fail_reading("map file", settings.restore, &err);
	if (!feature_map_is_linear(&job->map) && job->map.method != FEATURE_MAP_NYSTROM &&
	    settings.fold)
		cli_refuse("--fold: is not for %s", projection_names[job->map.method]);
	if (!feature_map_is_linear(&job->map) && settings.recover)
		cli_refuse("--recover: is not for %s", projection_names[job->map.method]);
	if (job->map.method == FEATURE_MAP_NYSTROM && cli_given("-d"))
		cli_refuse("-d: is not for nystrom");
	job->method = job->map.method;
}

static void draw_map(struct project_job *job)
{
	const bool fht = settings.map.method == PROJECT_FHT;
	struct error err = { 0 };

	/*
	 * fht and li need the number of features: of fht it is the length of its transform, so that
	 * features up to that number are valid in test data
	 */
	if ((fht || (settings.map.method == PROJECT_LI && !cli_given("--sparsity"))) &&
	    !cli_given("-d")) {
		project_find_features(job);
		if (fht)
			settings.map.n_features = int64_min(transform_size(), INT32_MAX);
	}
	limit_columns();
	job->map_seconds -= cli_cpu_seconds();
	cli_check(project_check_memory(job, &settings.map, settings.map.n_columns, 1, &err), &err);
	cli_check(feature_map_random(&job->map, &settings.map, &err), &err);
	job->map_seconds += cli_cpu_seconds();
}

void project_make_map(struct project_job *job)
{
	/* of the methods after the random projections; the last ones make nothing */
	static void (*const make[ROW_MAP_NONE + 1])(struct project_job * job) = {
		[FEATURE_MAP_PCA] = fit_components,
		[FEATURE_MAP_RFF] = project_draw_fourier,
		[FEATURE_MAP_NYSTROM] = project_fit_nystrom,
		[FEATURE_MAP_TENSORSKETCH] = project_draw_tensor,
		[ROW_MAP_SCALE] = find_ranges,
	};

	job->method = settings.method;
	if (settings.restore)
		restore_map(job);
	else if (settings.method < FEATURE_MAP_PCA)
		draw_map(job);
	else if (make[settings.method])
		make[settings.method](job);
	/* components are not x R: their offset changes the span that is certified */
	if (settings.certificate && job->method == FEATURE_MAP_PCA)
		cli_refuse("--certificate: is not for pca");
}

void project_explain_map(const struct project_job *job)
{
	const struct projection_options *p = &job->map.projection.options;

	if (!settings.common.verbose)
		return;
	if (job->method == ROW_MAP_SCALE)
		cli_warn("scale: ranges of %" PRId64 " features; in %" PRId64
			 " of them 0 becomes another number",
			 job->scaling.n, job->scaling.n_filled);
	if (job->method > FEATURE_MAP_PCA) {
		project_explain_kernel(job);
		return;
	}
	if (job->method == FEATURE_MAP_PCA)
		cli_warn("pca: %" PRId64 " components", job->map.n_columns);
	else
		cli_warn("%s: %" PRId64 " columns, seed %" PRIu64, projection_names[p->method],
			 p->n_columns, p->seed);
	if (p->method == PROJECT_CW || p->method == PROJECT_OSNAP)
		cli_warn("%" PRId64 " blocks of %" PRId64 " copies of %" PRId64 " columns", p->q,
			 p->a, p->v);
	if (p->method == PROJECT_LI)
		cli_warn("one entry in %g is not 0", p->sparsity);
}

int project_write_map(const void *arg, struct output *to, struct error *err)
{
	const struct project_job *job = arg;

	return job->method == ROW_MAP_SCALE ? scaling_save(&job->scaling, to, err) :
					      feature_map_save(&job->map, to, err);
}

void project_save_map(struct project_job *job)
{
	struct error err = { 0 };

	if (job->map.n_features == 0)
		job->map.n_features = job->max_index;
	if (settings.save && project_write_map(job, job->run.file[FILE_MAP].output, &err) < 0)
		cli_fail_output(&job->run.file[FILE_MAP], &err);
}

void project_remark_scaling(const struct project_job *job)
{
	const struct scaling *s = &job->scaling;
	const struct scaling_unknown *unknown = &job->unknown;

	if (job->n_written > job->n_entries)
		cli_warn("note: %" PRId64 " values were read and %" PRId64
			 " written, because 0 becomes another number in %" PRId64
			 " features; where no value is negative -l 0 keeps zeros",
			 job->n_entries, job->n_written, s->n_filled);
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
