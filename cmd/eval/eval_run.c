/*
 * eval_run.c - svm-eval: what all modes have, files, the report and measures
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "common/help.h"
#include "common/read_rows.h"
#include "eval.h"

void eval_take_names(char **names, int n, bool needs_output)
{
	const int n_inputs = settings.predict ? 1 : 2, most = n_inputs + !settings.output_name;

	if (n < (needs_output ? most : n_inputs))
		cli_usage(&eval_program);
	cli_allow_names(names, n, most);
	settings.test_name = settings.predict ? settings.predict : names[0];
	settings.model_name = names[n_inputs - 1];
	if (n > n_inputs)
		settings.output_name = names[n_inputs];
}

void eval_open(struct cli_run *run)
{
	cli_name_data(run, &settings.test, &settings.test_name, 1);
	cli_name_data(run, &settings.other, &settings.certify, 1);
	cli_run_reads(run, settings.model_name, settings.measure, settings.row_weights,
		      settings.reduce ? NULL : settings.labels);
	cli_run_writes(run, FILE_PREDICTIONS, settings.output_name, "output file",
		       settings.repair || settings.reduce ? FILE_IS_MODEL : FILE_IS_OTHER);
	cli_run_writes(run, FILE_ROC, settings.roc, "output file", FILE_IS_OTHER);
	cli_run_writes(run, FILE_PR, settings.pr, "output file", FILE_IS_OTHER);
	cli_run_writes(run, FILE_PLOT, settings.plot, "output file", FILE_IS_OTHER);
	cli_run_writes(run, FILE_CERTIFICATE, settings.certificate, "output file", FILE_IS_OTHER);
	cli_run_name(run);
	cli_run_report(run);
	if (settings.test_name)
		report_text(run->settings, "test_file", settings.test_name);
	if (settings.model_name)
		report_text(run->settings, "model_file", settings.model_name);
	report_phases_begin(&run->phases, run->report);
}

struct training eval_training(void)
{
	struct training training = settings.training;

	for (int64_t i = 0; i < settings.weights.n; i++)
		if (settings.weights.weight[i].factor < 0)
			cli_fail("ERROR: weight < 0");
	training.n_weights = (int)settings.weights.n;
	training.weight = settings.weights.weight;
	training.squared_loss = settings.loss == LOSS_SQUARED;
	return training;
}

void eval_start_measures(struct eval_job *job, bool wanted)
{
	if (settings.labels)
		class_names_read(&job->names, settings.labels);
	job->measures = (struct measures){ .wanted = wanted,
					   .names = settings.labels ? &job->names : NULL,
					   .to.roc = &job->run->file[FILE_ROC],
					   .to.pr = &job->run->file[FILE_PR],
					   .to.plot = &job->run->file[FILE_PLOT],
					   .threshold = settings.threshold };
	eval_check_pictures(&job->measures);
	if (settings.row_weights && !settings.predict)
		job->weights = cli_read_weights(settings.row_weights);
	cli_open_outputs(&job->run->file[FILE_ROC], FILE_PLOT - FILE_ROC + 1);
}

void eval_check_weights(struct eval_job *job, const char *data)
{
	struct error err = { 0 };

	if (settings.row_weights && !settings.predict &&
	    row_weights_check(&job->weights, job->n_weighed, settings.row_weights, data, &err) < 0)
		cli_fail("%s", err.text);
	row_weights_free(&job->weights);
}

static void print_metrics(const struct eval_job *job)
{
	const struct metrics *m = &job->measures.sums;

	if (settings.common.quiet || m->n == 0)
		return;
	if (job->predictor.kind == PREDICTS_VALUE) {
		fprintf(job->run->info, "Mean squared error = %g (regression)\n", metrics_mse(m));
		fprintf(job->run->info, "Squared correlation coefficient = %g (regression)\n",
			metrics_squared_correlation(m));
		if (metrics_uncorrelated(m))
			cli_note("the squared correlation is undefined: %s",
				 metrics_uncorrelated(m));
		return;
	}
	/* numbers of examples, or sums of weights */
	fprintf(job->run->info, "Accuracy = %g%% (%.15g/%.15g)%s\n", metrics_accuracy(m),
		m->n_correct, m->weight, job->model.is_linear_model ? "" : " (classification)");
}

void eval_finish_measures(struct eval_job *job)
{
	measures_finish(&job->measures);
	eval_draw(&job->measures);
	cli_run_phase(job->run, "write");
	/* the certificate has "rows", too */
	measures_report(&job->measures, settings.predict ?
						report_object(job->run->report, "predictions") :
						job->run->report);
	cli_run_commit(job->run);
	print_metrics(job);
	if (job->measures.wanted && !settings.common.quiet && job->measures.sums.n > 0)
		measures_print(&job->measures, job->run->info);
	measures_free(&job->measures);
	class_names_free(&job->names);
}
