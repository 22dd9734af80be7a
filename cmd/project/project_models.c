/*
 * project_models.c - rp-project: --fold and --recover, which convert models
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/fold_model.h"
#include "evaluate/recover.h"
#include "project.h"

/* ---- --fold ---- */

void project_fold(const struct project_job *job)
{
	int64_t n_features = cli_given("-d") ? settings.map.n_features : job->map.n_features;
	struct linear_map map;

	if (job->method == FEATURE_MAP_NYSTROM) {
		cli_fold_model(settings.fold, NULL, &job->map.nystrom, &job->run.file[FILE_ROWS]);
		return;
	}
	if (n_features == 0)
		cli_fail("--fold: the map does not say how many features the data had: say -d");
	if (n_features < job->map.n_features)
		cli_remark("-d: features %" PRId64 " to %" PRId64
			   ", which the map was made for, get no weights",
			   n_features + 1, job->map.n_features);
	map = feature_map_linear(&job->map, n_features);
	cli_fold_model(settings.fold, &map, NULL, &job->run.file[FILE_ROWS]);
}

/* ---- --recover: a model of projected rows, for the rows as they were ---- */

/* The data, which are read for each scan. */
struct recover_data {
	struct project_job *job;
	struct cli_source file;
	const struct rows_visitor
		*visitor; /* visitor of the first scan, which counts; NULL before */
};

/* Count the rows of a batch, and pass the batch on to the visitor's deliver(). */
static int count_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct recover_data *d = arg;

	rows_checksum_add(&d->job->read, (struct row_range){ batch, 0, batch->n_rows });
	return d->visitor->deliver(d->visitor->arg, batch, user, err);
}

/* The first scan counts the rows and passes them on. */
static int scan_data(void *arg, const struct rows_visitor *visitor, int n_threads,
		     struct error *err)
{
	struct recover_data *d = arg;
	struct rows_visitor counting = *visitor;

	d->file.scan.what = d->visitor ? "refitting" : "recovering";
	if (!d->visitor) {
		d->visitor = visitor;
		counting.deliver = count_batch;
		counting.arg = d;
	}
	return cli_scan_source(&d->file, &counting, n_threads, err);
}

static _Noreturn void fail(const struct recover_data *d, const struct error *err)
{
	if (d->file.is_unreadable)
		cli_fail_input(settings.recover, err);
	cli_fail("--recover: %s and %s: %s", settings.model_name, settings.recover, cli_error(err));
}

/* Make the model of weights, or with --keep-sv of support vectors. */
static void recover(struct project_job *job, struct model *model, struct model *weights)
{
	struct recover_options options = { .map = &job->map,
					   .training = &settings.training,
					   .balance = settings.weights.automatic,
					   .n_threads = (int)settings.common.n_threads };
	struct rows_options format = project_row_format();
	struct recover_data d = { .job = job };
	const struct row_source data = { scan_data, &d };
	const int64_t n_sv = model->solution.n_sv;
	struct error err = { 0 };
	int64_t *row;

	project_limit_features(job, &format);
	format.max_rows = project_batch_rows(job);
	d.file = (struct cli_source){ .run = &job->run,
				      .scan = { .name = settings.recover, .format = format } };
	if (recover_check(model, &job->map, &err) < 0)
		fail(&d, &err);
	row = cli_zeroed(n_sv, sizeof(*row));
	if (sv_indices_read(settings.sv_indices, n_sv, INT64_MAX, row, &err) < 0)
		cli_fail_reading("indices file", settings.sv_indices, &err);
	options.sv_row = row;
	cli_tell_passes(&job->run, settings.recover,
			"for its support vectors, and for the constants");
	if (model_recover(model, weights, &options, &data, &err) < 0)
		fail(&d, &err);
	mem_free(row);
}

void project_recover(struct project_job *job)
{
	struct model model = { 0 }, weights = { 0 };
	struct error err = { 0 };
	bool had_probabilities;

	settings.training.squared_loss = settings.loss == LOSS_SQUARED;
	settings.training.n_weights = (int)settings.weights.n;
	settings.training.weight = settings.weights.weight;
	if (model_read(&model, settings.model_name, &err) < 0)
		cli_fail_model(settings.model_name, &err);
	had_probabilities = model.solution.prob_a;
	common_warn_weights(&settings.training, model.solution.label,
			    model.solution.label ? model.solution.n_class : 0);
	recover(job, &model, &weights);
	if (had_probabilities)
		cli_remark(
			"the model is written without its probabilities, which are those of other "
			"decision values");
	cli_save(&job->run.file[FILE_ROWS], model_write, settings.keep_sv ? &model : &weights);
	model_free(&model);
	model_free(&weights);
	mem_free(settings.weights.weight);
}
