/*
 * train_validation.c - randsvm-train -v: cross validation
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "common/eval_measures.h"
#include "common/prediction_table.h"
#include "evaluate/permutation_test.h"
#include "train.h"

static void print_cross_validation(struct training_job *job, const struct metrics *m)
{
	if (job_classifies(job) || job->machine.training.type == MACHINE_ONE_CLASS) {
		fprintf(job->run.info, "Cross Validation Accuracy = %g%%\n", metrics_accuracy(m));
		report_number(job->run.report, "accuracy", metrics_accuracy(m));
		return;
	}
	fprintf(job->run.info, "Cross Validation Mean squared error = %g\n", metrics_mse(m));
	fprintf(job->run.info, "Cross Validation Squared correlation coefficient = %g\n",
		metrics_squared_correlation(m));
	if (metrics_uncorrelated(m))
		cli_note("the squared correlation is undefined: %s", metrics_uncorrelated(m));
	report_number(job->run.report, "mse", metrics_mse(m));
	report_number(job->run.report, "squared_correlation", metrics_squared_correlation(m));
}

/* Run the cross validation; LIBSVM itself warns of more folds than examples. */
static int run_cross_validation(struct training_job *job, struct cv_predictions *c,
				struct error *err)
{
	/* svm-train, which --mode direct is, trains on no row at all, and prints nan */
	if (job->data.x.n_rows < 2 && settings.mode != MODE_DIRECT)
		return error_set(err, ERR_ARGUMENT, "cross validation takes two rows at least");
	if (!job->machine.direct_reason)
		remark_many_folds(job);
	return machine_validate(&job->machine, given.n_folds, &job->setup.folds, NULL, c, err);
}

/* Warn, as training does, of folds that doubles are too coarse for; note reversed probabilities. */
static void warn_of_folds(const struct training_job *job)
{
	if (job->display.n_coarse > 0)
		cli_warn("warning: %" PRId64
			 " trainings of folds may violate the optimality conditions "
			 "by more than -e: C times the largest kernel value is too much for "
			 "doubles; scale the features, or try a smaller -c",
			 job->display.n_coarse);
	if (job->display.n_reversed > 0)
		cli_remark("probabilities contradict decision values for %" PRId64
			   " pairs of classes in all folds: there are too few rows for -b 1",
			   job->display.n_reversed);
}

static void write_predictions(const struct training_job *job, const struct cv_predictions *c)
{
	struct output *to = job->run.file[FILE_PREDICTIONS].output;
	const int n_class = c->columns.n_class;
	struct error err = { 0 };

	output_printf(to, &err, "row ");
	table_name_columns(&c->columns, job->data.group, to, &err);
	for (int64_t i = 0; i < c->n_rows && err.code == ERR_NONE; i++) {
		output_printf(to, &err, "%" PRId64 " %s %s", row_in_file(job, i),
			      DECIMAL_TEXT(job->data.y[i]), DECIMAL_TEXT(c->predicted[i]));
		for (int k = 0; c->probability && k < n_class; k++)
			output_printf(to, &err, " %s",
				      DECIMAL_TEXT(c->probability[i * n_class + k]));
		for (int64_t v = 0; v < c->n_values; v++)
			output_printf(to, &err, " %s", DECIMAL_TEXT(c->value[i * c->n_values + v]));
		if (job->data.group)
			output_printf(to, &err, " %" PRId64, job->data.group[i] + 1);
		output_printf(to, &err, "\n");
	}
	if (err.code != ERR_NONE)
		cli_fail_output(&job->run.file[FILE_PREDICTIONS], &err);
}

/* Measure the predictions as svm-eval does. */
static void measure_predictions(const struct training_job *job, const struct cv_predictions *c)
{
	const enum machine_type type = job->machine.training.type;
	struct measures m = cv_measures_wanted();
	struct error err = { 0 };

	cli_check(cv_measures(&m, c, type, &job->data, NULL, c->n_rows, &err), &err);
	measures_report(&m, report_object(job->run.report, "measures"));
	measures_print(&m, job->run.info);
	measures_free(&m);
}

/* Validate again with labels that are drawn, and tell in how many draws that is as good. */
static void draw_labels(struct training_job *job, const struct metrics *found)
{
	const int64_t n = settings.n_permutations;
	const bool is_loss = machine_is_regression(job->machine.training.type);
	double (*const rate)(const struct metrics *m) = is_loss ? metrics_mse : metrics_accuracy;
	struct report *r = report_object(job->run.report, "permutation_test");
	struct error err = { 0 };
	int64_t n_as_good = 0;
	double p;

	cli_run_progress(&job->run, "drawing labels");
	for (int64_t draw = 0; draw < n; draw++) {
		struct metrics drawn = { 0 };

		cli_progress_bytes(&job->run.progress, draw, n);
		if (validation_permuted(&job->machine, given.n_folds, draw, &drawn, &err) < 0)
			fail_training(&err);
		/* a rate that is no number is as good */
		n_as_good +=
			is_loss ? !(rate(&drawn) > rate(found)) : !(rate(&drawn) < rate(found));
	}
	cli_progress_end(&job->run.progress);
	p = (1 + (double)n_as_good) / (1 + (double)n);
	fprintf(job->run.info,
		"Permutation test: p = %.3g (%" PRId64 " of %" PRId64 " draws of the labels are "
		"predicted as well)\n",
		p, n_as_good, n);
	cli_remark(
		"p does not count what labels have done before: where they chose the features, it "
		"is too small");
	report_count(r, "as_good", n_as_good);
	report_number(r, "p", p);
}

void cross_validate_job(struct training_job *job)
{
	const bool with_values = settings.metrics || settings.cv_predictions;
	struct cv_predictions c;
	struct prediction_columns columns;
	struct metrics m = { 0 };
	struct error err = { 0 };
	int validated;

	cli_open_output(&job->run.file[FILE_PREDICTIONS]);
	set_up_training(job, true);
	/* LIBSVM gives only the predicted label */
	columns = machine_columns(&job->machine, with_values && !job->machine.direct_reason);
	validated = cv_predictions_init(&c, &columns, job->data.x.n_rows, &err);
	if (validated == 0)
		validated = run_cross_validation(job, &c, &err);
	cli_progress_end(&job->run.progress);
	if (validated < 0)
		fail_training(&err);
	cli_run_phase(&job->run, "cross_validate");
	for (int64_t i = 0; i < job->data.x.n_rows; i++)
		metrics_add(&m, c.predicted[i], job->data.y[i], dataset_weight(&job->data, i));
	print_cross_validation(job, &m);
	warn_of_folds(job);
	if (settings.n_permutations > 0)
		draw_labels(job, &m);
	if (settings.metrics)
		measure_predictions(job, &c);
	if (settings.cv_predictions)
		write_predictions(job, &c);
	cv_predictions_free(&c);
}
