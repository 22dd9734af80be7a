/*
 * eval_table.c - svm-eval: predictions with labels that are read from a file, and measured
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "eval.h"

struct predictor eval_open_table(struct eval_job *job, const char *name)
{
	struct prediction_table *t = &job->table;
	struct input *input = cli_open_input(name);
	struct error err = { 0 };

	if (table_read(t, input, &job->names, settings.common.allow_nonfinite, &err) < 0) {
		const enum file_kind kind = file_kind(name);

		if (kind == FILE_IS_ROWS || kind == FILE_IS_MODEL)
			cli_fail("%s holds %s, not predictions; svm-eval --with-labels writes "
				 "these",
				 name, kind == FILE_IS_ROWS ? "rows of data" : "a model");
		cli_fail_input(name, &err);
	}
	input_close(input);
	if (t->n_unlabelled > 0)
		cli_note("%s: %" PRId64 " rows have no label or an error, and are left out", name,
			 t->n_unlabelled);
	if (t->is_open)
		cli_note("%s: the last line does not end, as in a file that was cut", name);
	return (struct predictor){ .kind = t->kind,
				   .n_class = t->kind == PREDICTS_CLASS ? t->columns.n_class : 2,
				   .label = t->class_label,
				   .n_values = prediction_n_values(&t->columns) };
}

void eval_check_weights(struct eval_job *job, const char *data)
{
	struct error err = { 0 };

	if (settings.row_weights && !settings.predict)
		cli_check(row_weights_check(&job->weights, job->n_weighed, settings.row_weights,
					    data, &err),
			  &err);
	row_weights_free(&job->weights);
}

void eval_measure_table(struct eval_job *job)
{
	const struct prediction_table *t = &job->table;
	const struct measures *m = &job->measures;
	const bool known = t->columns.with_probabilities;
	const int n_known = known ? t->columns.n_class : 0;
	struct error err = { 0 };
	int64_t n_scored;
	double *score;

	job->measures.by_class = t->columns.by_class;
	measures_begin(&job->measures, &job->predictor, known);
	score = cli_zeroed(job->predictor.n_class, sizeof(*score));
	for (int64_t i = 0; i < t->n_rows && err.code == ERR_NONE; i++) {
		const double *row = t->row + i * t->width;
		const struct row_prediction r = { &job->predictor, row[1], row + 2 + n_known,
						  known ? row + 2 : NULL };
		struct outcome outcome = measures_of(&job->measures, &r, row[0], score);

		outcome.unit = i;
		outcome.weight = eval_weight(job);
		if (outcome.weight > 0)
			measures_add(&job->measures, &outcome, &err);
	}
	mem_free(score);
	eval_check_weights(job, settings.measure);
	cli_check(err.code == ERR_NONE ? 0 : -1, &err);
	n_scored = m->two.known ? m->roc.n : m->classes.n > 0 ? m->classes.n_examples : m->sums.n;
	if (n_scored < m->sums.n)
		cli_note("%s: %" PRId64 " of %" PRId64 " rows, whose label is no class, or whose "
			 "values are not all known, are left out of AUC and curves",
			 settings.measure, m->sums.n - n_scored, m->sums.n);
}
