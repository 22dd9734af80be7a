/*
 * select_choose.c - fs-select: the features, chosen or restored; saved
 *
 *  (1) read_rows() keeps the rows in memory with the text of their labels, so that they can be
 *      written as they were read; and gives them the weights of -W.  Rows of weight 0 are no rows
 *      to choose by, but are written, so that files that have a line for each row still fit.
 *  (2) choose() is selector_run() of the library.  Its observations on the way become lines,
 *      progress and keys of the report in select_remarks.c.
 *  (3) The map adds how the choice is applied: weights, new numbers.
 *  (4) certify() prints what the choice does to the margin and the radius of the rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>

#include "common/read_rows.h"
#include "common/certificate_print.h"
#include "problem/classes.h"
#include "select.h"

struct rows_options select_row_format(void)
{
	struct rows_options format = common_rows_options(&settings.common);

	format.keep_text = !settings.binary;
	return format;
}

const struct feature_names *select_names(const struct select_job *job)
{
	return settings.names ? &job->names : NULL;
}

void select_restore(struct select_job *job)
{
	const struct selection *s = &job->map.chosen;
	struct error err = { 0 };

	if (selection_map_load(&job->map, settings.restore, &err) < 0)
		cli_fail_reading("selection file", settings.restore, &err);
	for (int64_t k = 0; settings.names && k < s->n; k++)
		if (s->feature[k] > job->names.n)
			cli_fail("--names: %s has %" PRId64 " names, and feature %" PRId32
				 " was chosen",
				 settings.names, job->names.n, s->feature[k]);
}

int select_write_map(const void *arg, struct output *to, struct error *err)
{
	const struct select_job *job = arg;

	return selection_map_save(&job->map, select_names(job), to, err);
}

void select_save_map(struct select_job *job)
{
	struct error err = { 0 };

	if (settings.save && select_write_map(job, job->run.file[FILE_CHOICE].output, &err) < 0)
		cli_fail_output(&job->run.file[FILE_CHOICE], &err);
}

static void read_rows(struct select_job *job)
{
	const struct rows_options format = select_row_format();
	struct input *input = cli_open_input(settings.data_name);
	struct error err = { 0 };

	cli_run_progress(&job->run, "reading");
	labelled_rows_read(&job->rows, input, &format,
			   &(struct progress_observer){ cli_progress_bytes, &job->run.progress },
			   (int)settings.common.n_threads, &err);
	cli_progress_end(&job->run.progress);
	if (err.code != ERR_NONE)
		cli_fail_input(settings.data_name, &err);
	cli_close_input(input);
	if (settings.row_weights)
		job->weighed_row = cli_weigh_rows(&job->rows.data, &job->weighed,
						  settings.row_weights, settings.data_name);
	cli_run_phase(&job->run, "read");
}

/* Warn of labels that are probably targets, where the method tells classes apart. */
static void remark_labels(const struct dataset *data)
{
	struct classes classes = { 0 };
	struct error err = { 0 };

	if (settings.how.regression || settings.how.unsupervised || settings.common.quiet ||
	    classes_init(&classes, data, &err) < 0)
		return;
	if (classes_look_like_targets(&classes))
		cli_warn("warning: %s: %d classes in %" PRId64
			 " rows; for a regression say --regression",
			 settings.data_name, classes.n, classes.start[classes.n]);
	classes_free(&classes);
}

static void choose(struct select_job *job)
{
	const struct selector_observer observer = select_observer(job);
	const struct dataset *data = job->weighed_row ? &job->weighed : &job->rows.data;
	struct error err = { 0 };

	if (settings.why_method && !settings.common.quiet)
		cli_warn("method: %s", settings.why_method);
	remark_labels(data);
	if (selector_run(&job->choice, data, &settings.how, &observer, &err) < 0)
		select_fail(job->choice.trouble, &err);
	for (int64_t k = 0; job->weighed_row && job->choice.row && k < job->choice.n_rows; k++)
		job->choice.row[k] = job->weighed_row[job->choice.row[k]];
	cli_run_phase(&job->run, "choose");
	select_report_choice(job);
}

static void certify(struct select_job *job)
{
	const struct selection *s = &job->map.chosen;
	struct reduction_certificate c;
	struct error err = { 0 };

	if (!settings.how.whole_space)
		return;
	cli_run_progress(&job->run, "certifying");
	if (reduction_certify_features(&c, &job->choice.space, s->feature,
				       job->map.rescale ? s->weight : NULL, s->n, &err) < 0)
		cli_fail("--certificate: %s", cli_error(&err));
	cli_progress_end(&job->run.progress);
	fprintf(job->run.info, "rows = %" PRId64 ", rank = %" PRId64 ", features = %" PRId64 "\n",
		job->choice.n_rows, c.rank, s->n);
	reduction_print(job->run.info, &c, "features");
	reduction_report(job->run.report, &c);
	cli_run_phase(&job->run, "certify");
}

void select_choose(struct select_job *job)
{
	const struct dataset *d = &job->rows.data;
	struct error err = { 0 };
	struct report *data;

	read_rows(job);
	if (settings.names) {
		const struct named_features features = { d->max_index, csr_has_column_0(&d->x),
							 false, "the data count" };

		named_features_fit(&job->names, settings.names, &features);
	}
	choose(job);
	/* the map of the choice and of the way it is applied, for -s to save */
	job->map = (struct selection_map){
		.method = settings.how.method,
		.rescale = settings.rescale ||
			   (selector_methods[settings.how.method].weighs && !settings.no_rescale),
		.renumber = settings.renumber,
		.chosen = job->choice.chosen,
	};
	job->choice.chosen = (struct selection){ 0 };
	cli_check(selection_map_prepare(&job->map, &err), &err);
	certify(job);
	data = report_object(job->run.report, "data");
	report_text(data, "file", settings.data_name);
	report_count(data, "rows", d->x.n_rows);
	report_count(data, "entries", csr_n_entries(&d->x));
	if (data)
		report_count(data, "crc32", dataset_checksum(d));
	report_count(data, "max_index", d->max_index);
	report_count(data, "classes", job->choice.n_classes);
}
