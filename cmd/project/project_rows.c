/*
 * project_rows.c - rp-project: rows are read, mapped and written; the certificate
 *
 * rows_scan() calls project_rows() in several threads, each with a struct worker of its own, and
 * write_rows() for one batch after the other, in the order of the input.  Memory is that of a batch
 * for each thread, except for --certificate, which keeps the rows and their projections, and for
 * ranges of a pipe (project_map.c).  R is not stored; its entries are functions of the seed
 * (project/projection.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/clock.h"
#include "common/certificate_print.h"
#include "common/read_rows.h"
#include "project.h"

/* Number of values in a projected batch: some megabytes of text. */
#define BATCH_VALUES (1 << 19)

/* Scratch memory of a thread. */
struct worker {
	struct map_room room;
	struct row_batch mapped;
	const struct row_batch *result; /* mapped rows, or the rows of the batch unchanged */
	struct scaling_unknown unknown;
	struct byte_buffer bytes;
	double seconds; /* processor seconds of mapping rows so far */
};

/* Map the rows of a batch; w->result are the mapped rows. */
static int map_rows(const struct project_job *job, const struct row_batch *batch, struct worker *w,
		    struct error *err)
{
	const struct row_range all = { batch, 0, batch->n_rows };

	w->unknown = (struct scaling_unknown){ 0 };
	w->result = job->method == ROW_MAP_NONE ? batch : &w->mapped;
	if (job->method == ROW_MAP_NONE)
		return 0;
	if (job->method == ROW_MAP_SCALE)
		return scaling_apply(&job->scaling, all, &w->mapped, &w->unknown, err);
	if (job->method == ROW_MAP_NORMALISE)
		return normalise_rows(all, &w->mapped, err);
	if (project_check_memory(job, &job->map.projection.options, job->map.n_columns,
				 batch->n_rows, err) < 0)
		return -1;
	return feature_map_apply(&job->map, all, &w->mapped, &w->room, err);
}

static int project_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct project_job *job = arg;
	struct worker *w = user;
	double started = clock_seconds(CLOCK_THREAD_CPUTIME_ID);

	if (map_rows(job, batch, w, err) < 0)
		return -1;
	w->seconds += clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started;
	return row_writer_format(&job->writer, &w->bytes, w->result, err);
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct project_job *job = arg;
	const struct worker *w = user;
	const struct scaling_unknown *unknown = &w->unknown;
	struct scaling_unknown *sum = &job->unknown;
	const char *fault = job->method == ROW_MAP_SCALE ? "a scaled value is too large" :
			    job->writer.single ? "a sum of its values is too large for --single" :
						 "a sum of its values is too large";

	if (!settings.common.allow_nonfinite &&
	    (row_batch_check_mapped(batch, w->result, job->n_rows, fault, err) < 0 ||
	     row_writer_check_labels(&job->writer, batch, job->n_rows, err) < 0))
		return -1;
	job->max_index = int64_max(batch->max_index, job->max_index);
	job->has_qid |= batch->has_qid;
	job->n_rows += batch->n_rows;
	job->n_entries += batch->n_entries;
	job->n_written += w->result->n_entries;
	if (unknown->n > 0 && (sum->n == 0 || unknown->first < sum->first))
		sum->first = unknown->first;
	sum->n += unknown->n;
	if (job->run.report) {
		rows_checksum_add(&job->read, (struct row_range){ batch, 0, batch->n_rows });
		rows_checksum_add(&job->written,
				  (struct row_range){ w->result, 0, w->result->n_rows });
	}
	if (settings.certificate &&
	    (csr_append(&job->kept, batch->n_rows, batch->row_start, batch->index, batch->value,
			err) < 0 ||
	     csr_append(&job->projected, w->result->n_rows, w->result->row_start, w->result->index,
			w->result->value, err) < 0))
		return -1;
	return cli_written(&job->run.file[FILE_ROWS],
			   row_writer_write(&job->writer, &w->bytes, err), err);
}

/* Number of rows of a batch whose values fill some megabytes after mapping. */
int64_t project_batch_rows(const struct project_job *job)
{
	int64_t width = job->method == ROW_MAP_SCALE ? job->scaling.n_filled : job->map.n_columns;

	return int64_max(PROJECT_LEAST_ROWS, BATCH_VALUES / int64_max(1, width));
}

/*
 * Rows to be predicted may have no label; those that a map is drawn or found for are to train with.
 * In the binary form NaN is a label, where it is allowed.
 */
static bool label_optional(const struct project_job *job)
{
	return !settings.svm_scale &&
	       (settings.restore || job->method == ROW_MAP_NONE ||
		job->method == ROW_MAP_NORMALISE) &&
	       !settings.common.strict && !(settings.binary && settings.common.allow_nonfinite);
}

void project_limit_features(const struct project_job *job, struct rows_options *format)
{
	const int64_t last = feature_map_last_feature(&job->map);

	if (job->method >= ROW_MAP_SCALE || last == 0)
		return;
	format->min_index = 1;
	format->max_index = (int32_t)int64_min(last, INT32_MAX);
}

static void scan_rows(struct project_job *job, struct worker *workers)
{
	const struct rows_visitor visitor = {
		.work = project_rows,
		.deliver = write_rows,
		/* binary blocks are batches, which must not depend on when rows arrive */
		.pause = settings.binary ? NULL : cli_flush_output,
		.arg = job,
		.pause_arg = &job->run.file[FILE_ROWS],
		.users = { workers, sizeof(*workers) },
	};
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "projecting",
				 .is_last = true,
				 .format = project_row_format() };

	scan.format.keep_text = !settings.binary;
	scan.format.label_optional = label_optional(job);
	project_limit_features(job, &scan.format);
	job->batch_rows = scan.format.max_rows = project_batch_rows(job);
	cli_run_scan(&job->run, &scan, &visitor);
}

static void remark_rows(const struct project_job *job)
{
	const int64_t n_columns = job->map.n_columns, n_features = job->max_index;

	if (job->n_rows == 0)
		cli_remark("%s: no examples", settings.data_name);
	if (settings.binary && job->has_qid)
		cli_note_lost_qids(settings.data_name);
	/* a restored map may get a part of the features; a certificate says what -k is for */
	if (job->method < FEATURE_MAP_PCA && !settings.restore && !settings.certificate &&
	    n_features > 0 && n_columns >= n_features)
		cli_note("%" PRId64 " columns of %" PRId64
			 " features: a projection to a smaller -k makes rows shorter",
			 n_columns, n_features);
}

/*
 * Notes on zeros that became other numbers, features that are constant, and those without a range,
 * if the ranges came from a file
 */
static void remark_scaling(const struct project_job *job)
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

/* svm-scale's warnings of values without a range, and of lost zeros. */
static void warn_svm_scale(const struct project_job *job)
{
	const struct scaling_unknown *unknown = &job->unknown;

	if (settings.restore && unknown->n > 0)
		fprintf(stderr,
			"WARNING: feature index %" PRId32
			" appeared in file %s was not seen in the scaling factor file %s. "
			"The feature is scaled to 0.\n",
			unknown->first, settings.data_name, settings.restore);
	if (job->n_written > job->n_entries)
		fprintf(stderr,
			"WARNING: original #nonzeros %" PRId64 "\n"
			"       > new      #nonzeros %" PRId64 "\n"
			"If feature values are non-negative and sparse, use -l 0 rather than "
			"the default -l -1\n",
			job->n_entries, job->n_written);
}

/* ---- --certificate ---- */

/* Pairs of rows that --certificate looks at: their errors' mean has three digits. */
#define CERTIFIED_PAIRS 100000

/* Print the errors of kernel values over random pairs of kept rows. */
static void certify_kernel(struct project_job *job)
{
	FILE *to = job->run.info;
	struct report *r = report_object(job->run.report, "certificate");
	struct kernel_errors e;
	struct error err = { 0 };

	if (kernel_errors_find(&e, &job->map, &job->kept, &job->projected,
			       feature_map_seed(&job->map), CERTIFIED_PAIRS, &err) < 0)
		cli_fail("--certificate: %s", err.text);
	fprintf(to, "pairs = %" PRId64 ", columns = %" PRId64 "\n", e.n_pairs, job->map.n_columns);
	fprintf(to, "error of kernel values: mean = %g, largest = %g\n", e.mean, e.largest);
	if (job->method == FEATURE_MAP_RFF)
		fprintf(to, "bound of the largest, with a chance of %g: %g%s\n",
			1 - KERNEL_ERRORS_DELTA, e.bound,
			job->map.fourier.options.orthogonal ? ", were frequencies independent" :
							      "");
	else if (job->method == FEATURE_MAP_TENSORSKETCH)
		fprintf(to, "bound of the standard deviation over seeds: %g\n", e.bound);
	else
		fprintf(to, "bound of the largest: %g\n", e.bound);
	report_count(r, "pairs", e.n_pairs);
	report_number(r, "mean_error", e.mean);
	report_number(r, "largest_error", e.largest);
	report_number(r, "error_bound", e.bound);
}

/* Print what the map changes in margin and radius of the kept rows. */
static void certify_linear(struct project_job *job)
{
	const struct row_space_options options = { .n_threads = (int)settings.common.n_threads };
	struct reduction_certificate c;
	struct row_space space = { 0 };
	struct error err = { 0 };

	cli_run_progress(&job->run, "certifying");
	if (row_space_init(&space, &job->kept, &options, &err) < 0 ||
	    reduction_certify_rows(&c, &space, &job->projected, &err) < 0)
		cli_fail("--certificate: %s", err.text);
	cli_progress_end(&job->run.progress);
	/* columns of the map, including those that are 0 in all rows */
	c.n_columns = job->map.n_columns;
	fprintf(job->run.info, "rank = %" PRId64 ", columns = %" PRId64 "\n", c.rank,
		job->map.n_columns);
	reduction_print(job->run.info, &c, "columns");
	reduction_report(job->run.report, &c);
	row_space_free(&space);
}

/* ---- all rows ---- */

void project_data(struct project_job *job)
{
	const struct cli_output *file = &job->run.file[FILE_ROWS];
	struct error err = { 0 };
	struct worker *workers = cli_zeroed(settings.common.n_threads, sizeof(*workers));

	/* a certificate alone has a matrix that must find room; else nothing is held back */
	if (!settings.certificate)
		mem_hold_back(0);
	for (int i = 0; i < settings.common.n_threads; i++)
		map_room_share(&workers[i].room, (int)settings.common.n_threads);
	job->writer = (struct row_writer){ .to = file->output,
					   .binary = settings.binary,
					   .single = feature_map_is_single(&job->map),
					   .digits = (int)settings.digits,
					   .svm_scale = settings.svm_scale };
	if (cli_written(file, row_writer_begin(&job->writer, &err), &err) < 0)
		cli_fail_input(settings.data_name, &err);
	scan_rows(job, workers);
	if (cli_written(file, row_writer_end(&job->writer, &err), &err) < 0)
		cli_fail_input(settings.data_name, &err);
	for (int i = 0; i < settings.common.n_threads; i++) {
		job->project_seconds += workers[i].seconds;
		map_room_free(&workers[i].room);
		row_batch_free(&workers[i].mapped);
		mem_free(workers[i].bytes.bytes);
	}
	mem_free(workers);
	if (job->n_rows == 0 && (settings.save || settings.certificate))
		cli_fail("%s: no examples", settings.data_name);
	if (!settings.common.quiet)
		remark_rows(job);
	if (settings.svm_scale)
		warn_svm_scale(job);
	else if (job->method == ROW_MAP_SCALE && !settings.common.quiet)
		remark_scaling(job);
	if (settings.certificate && feature_map_is_linear(&job->map))
		certify_linear(job);
	else if (settings.certificate)
		certify_kernel(job);
}

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
