/*
 * project_recover.c - rp-project --recover: a model of projected rows, for the rows as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project_recover.h"

#include <inttypes.h>

#include "base/mem.h"
#include "common/common_options.h"
#include "common/files.h"
#include "common/process.h"
#include "evaluate/recover.h"
#include "model/sv_indices.h"

/* Read the rows, from 0, that --sv-indices gives for each support vector; the caller frees them. */
static int64_t *read_indices(const char *file, int64_t n_sv)
{
	struct error err = { 0 };
	int64_t *row = mem_array(n_sv, sizeof(*row), &err);

	if (!row || sv_indices_read(file, n_sv, INT64_MAX, row, &err) < 0)
		cli_fail_reading("indices file", file, &err);
	return row;
}

/* ---- the rows ---- */

/* The data, which are read for each scan. */
struct recover_data {
	const struct recover_source *source;
	struct rows_checksum *read;
	const struct rows_visitor *visitor; /* visitor of the scan that counts the rows */
	bool is_counted, is_unreadable;
	struct cli_progress progress;
	struct cli_passes passes;
};

/* Count the rows of a batch, and pass the batch on to the visitor's deliver(). */
static int count_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct recover_data *d = arg;

	rows_checksum_add(d->read, (struct row_range){ batch, 0, batch->n_rows });
	return d->visitor->deliver(d->visitor->arg, batch, user, err);
}

static int work_on_batch(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct recover_data *d = arg;

	return d->visitor->work(d->visitor->arg, batch, user, err);
}

/* Visitor of the first scan, which counts the rows and passes them on. */
static struct rows_visitor counting_visitor(struct recover_data *d,
					    const struct rows_visitor *visitor)
{
	struct rows_visitor counting = *visitor;

	if (d->is_counted)
		return counting;
	d->is_counted = true;
	d->visitor = visitor;
	counting.work = visitor->work ? work_on_batch : NULL;
	counting.deliver = count_batch;
	counting.arg = d;
	return counting;
}

static int scan_data(void *arg, const struct rows_visitor *visitor, int n_threads,
		     struct error *err)
{
	struct recover_data *d = arg;
	const struct recover_source *s = d->source;
	const char *what = d->is_counted ? "refitting" : "recovering";
	struct rows_visitor shown = counting_visitor(d, visitor);
	struct input *input = cli_open_pass(&d->passes, s->data_name, false);
	int ret;

	shown.progress = (struct progress_observer){ cli_progress_bytes, &d->progress };
	cli_progress_start(&d->progress, what, s->progress, s->quiet);
	ret = rows_scan(input, &s->format, &shown, n_threads, err);
	cli_progress_end(&d->progress);
	if (ret < 0)
		input_close(input);
	else
		cli_close_pass(&d->passes, input);
	/* only these two error codes come from reading the file, not from the visitor of rows */
	d->is_unreadable = ret < 0 && (err->code == ERR_FORMAT || err->code == ERR_IO);
	return ret;
}

/* ---- all together ---- */

static _Noreturn void fail(const struct recover_data *d, const struct error *err)
{
	const struct recover_source *s = d->source;

	if (d->is_unreadable)
		cli_fail_input(s->data_name, err);
	cli_fail("--recover: %s and %s: %s", s->model_name, s->data_name, cli_error(err));
}

void recover_model(struct model *recovered, const struct feature_map *map,
		   const struct recover_source *source, struct rows_checksum *read)
{
	struct recover_options options = { .map = map,
					   .training = source->training,
					   .balance = source->balance,
					   .n_threads = source->n_threads };
	struct recover_data d = { .source = source, .read = read };
	struct model model = { 0 }, weights = { 0 };
	const struct row_source data = { scan_data, &d };
	struct error err = { 0 };
	int64_t *row = NULL;
	bool had_probabilities;

	if (model_read(&model, source->model_name, &err) < 0)
		cli_fail_model(source->model_name, &err);
	had_probabilities = model.solution.prob_a;
	common_warn_weights(source->training, model.solution.label,
			    model.solution.label ? model.solution.n_class : 0);
	if (source->indices_name)
		options.sv_row = row = read_indices(source->indices_name, model.solution.n_sv);
	if (source->verbose)
		cli_tell_passes(source->data_name,
				"for its support vectors, and for the constants");
	if (model_recover(&model, &weights, &options, &data, &err) < 0)
		fail(&d, &err);
	if (had_probabilities && !source->quiet)
		cli_note("the model is written without its probabilities, which are those of other "
			 "decision values");
	*recovered = source->keeps_vectors ? model : weights;
	model_free(source->keeps_vectors ? &weights : &model);
	cli_free_passes(&d.passes);
	mem_free(row);
}
