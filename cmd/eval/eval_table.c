/*
 * eval_table.c - svm-eval --measure: measures of a file of predictions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem.h"
#include "eval.h"
#include "common/prediction_table.h"

/* Measure one row of a table as if it had just been predicted. */
static int measure_row(struct eval_job *job, const struct prediction_table *t, int64_t i,
		       double *score, struct error *err)
{
	const bool known = t->columns.with_probabilities;
	const double *row = t->row + i * t->width;
	const struct row_prediction r = { &job->predictor, row[1],
					  row + 2 + (known ? t->columns.n_class : 0),
					  known ? row + 2 : NULL };
	struct outcome outcome = measures_of(&job->measures, &r, row[0], score);

	outcome.weight = eval_weight(job);
	return outcome.weight > 0 ? measures_add(&job->measures, &outcome, row[0], err) : 0;
}

static void measure_table(struct eval_job *job, const struct prediction_table *t)
{
	struct error err = { 0 };
	double *score;

	job->predictor =
		(struct predictor){ .kind = t->kind,
				    .n_class = t->kind == PREDICTS_CLASS ? t->columns.n_class : 2,
				    .label = t->class_label,
				    .n_values = prediction_n_values(&t->columns),
				    .has_probabilities = t->columns.with_probabilities };
	job->measures.by_class = t->columns.by_class;
	measures_begin(&job->measures, &job->predictor, t->columns.with_probabilities);
	score = mem_array(job->predictor.n_class, sizeof(*score), &err);
	for (int64_t i = 0; i < t->n_rows && err.code == ERR_NONE; i++)
		measure_row(job, t, i, score, &err);
	mem_free(score);
	eval_check_weights(job, settings.measure);
	cli_check(err.code == ERR_NONE ? 0 : -1, &err);
}

_Noreturn static void fail_table(const struct error *err)
{
	enum file_kind kind = file_kind(settings.measure);

	if (kind == FILE_IS_ROWS || kind == FILE_IS_MODEL)
		cli_fail("%s holds %s, not predictions; svm-eval --with-labels writes these",
			 settings.measure, kind == FILE_IS_ROWS ? "rows of data" : "a model");
	cli_fail_input(settings.measure, err);
}

int eval_measure(struct cli_run *run, char **names, int n)
{
	struct eval_job job = { .run = run };
	struct prediction_table table;
	struct error err = { 0 };
	struct input *input;

	cli_allow_names(names, n, 0);
	eval_open(run);
	eval_start_measures(&job, true);
	input = cli_open_input(settings.measure);
	if (table_read(&table, input, &job.names, settings.common.allow_nonfinite, &err) < 0)
		fail_table(&err);
	input_close(input);
	cli_run_phase(job.run, "read");
	measure_table(&job, &table);
	eval_finish_measures(&job);
	table_free(&table);
	return cli_run_end(run);
}
