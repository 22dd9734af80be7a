/*
 * svm-eval.c - svm-predict, faster, for LIBSVM's and LIBLINEAR's models
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "base/thread.h"
#include "common/files.h"
#include "common/help.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/report.h"
#include "eval.h"
#include "eval_measures.h"
#include "geometry/ball.h"
#include "io/input.h"
#include "io/output.h"
#include "io/rows.h"
#include "model/model.h"
#include "model/predict.h"

static struct settings {
	int64_t probability, n_threads;
	bool quiet, scores, metrics, compress, strict, allow_nonfinite, progress;
	const char *roc, *plot, *report;
	const char *geometry, *reference;
	double ball_tolerance;
	bool has_tolerance, has_training; /* was one of those options given? */
	const char *certify;
	struct training training;
	struct cli_weights weights;
	const char *test_name, *model_name, *output_name;
} o = {
	.ball_tolerance = BALL_TOLERANCE,
	.training = { .C = 1, .p = 0.1, .eps = 0.001 },
};

static const struct cli_option options[] = {
	{ 'b', NULL, CLI_INT, &o.probability, 0, 1, "probability_estimates",
	  "whether to predict probability estimates, 0 or 1 (default 0)", 0, 0 },
	{ 'q', NULL, CLI_FLAG, &o.quiet, 0, 0, NULL, "quiet mode (no outputs)", 0, 0 },
	{ 0, "scores", CLI_FLAG, &o.scores, 0, 0, NULL,
	  "write decision values after each prediction; the first line names them", 0, 0 },
	{ 0, "metrics", CLI_FLAG, &o.metrics, 0, 0, NULL,
	  "print more measures: of each class, confusion, AUC; of regressions, more errors", 0, 0 },
	{ 0, "roc", CLI_TEXT, &o.roc, 0, 0, "FILE",
	  "write the ROC curve of two classes: FILE.png, FILE.svg (by gnuplot) or FILE.tsv", 0, 0 },
	{ 0, "plot", CLI_TEXT, &o.plot, 0, 0, "FILE",
	  "draw the confusion matrix, or predicted against true values: FILE.png or FILE.svg", 0,
	  0 },
	{ 'z', NULL, CLI_FLAG, &o.compress, 0, 0, NULL,
	  "gzip the output_file (so it is when its name ends in .gz)", 0, 0 },
	{ 0, "geometry", CLI_TEXT, &o.geometry, 0, 0, "DATA",
	  "instead of predicting, measure rank and radius of DATA and the model's margin", 0, 0 },
	{ 0, "reference", CLI_TEXT, &o.reference, 0, 0, "DATA",
	  "with --geometry: compare with the data before a reduction of their features", 0, 0 },
	{ 0, "ball-tol", CLI_REAL, &o.ball_tolerance, 1e-9, 1, "TOL",
	  "with --geometry: relative error of the radius (default 0.0001)", 0, &o.has_tolerance },
	{ 0, "certify", CLI_TEXT, &o.certify, 0, 0, "TRAIN",
	  "instead of predicting, prove how near the model is to the optimum on TRAIN", 0, 0 },
	{ 'c', NULL, CLI_REAL, &o.training.C, DBL_MIN, DBL_MAX, "cost",
	  "with --certify: as in training (default 1)", 0, &o.has_training },
	{ 'p', NULL, CLI_REAL, &o.training.p, 0, DBL_MAX, "epsilon",
	  "with --certify: as in training (default 0.1)", 0, &o.has_training },
	{ 'w', NULL, CLI_WEIGHT, &o.weights, 0, 0, "weight",
	  "with --certify: as in training (default 1)", 0, &o.has_training },
	{ 'e', NULL, CLI_REAL, &o.training.eps, DBL_MIN, DBL_MAX, "epsilon",
	  "with --certify: count examples that violate the KKT conditions by more (default 0.001)",
	  0, &o.has_training },
	{ 0, "threads", CLI_INT, &o.n_threads, 1, THREAD_MAX, "N",
	  "threads to use; the results do not depend on it (default: all cores)", 0, 0 },
	{ 0, "strict", CLI_FLAG, &o.strict, 0, 0, NULL,
	  "refuse empty lines, comment lines and qid as svm-predict does", 0, 0 },
	{ 0, "allow-nonfinite", CLI_FLAG, &o.allow_nonfinite, 0, 0, NULL,
	  "accept nan and inf as svm-predict does", 0, 0 },
	{ 0, "report", CLI_TEXT, &o.report, 0, 0, "FILE", "write a report in JSON", 0, 0 },
	{ 0, "progress", CLI_FLAG, &o.progress, 0, 0, NULL,
	  "show progress even where standard error is no terminal", 0, 0 },
	CLI_END
};

static const struct cli_program program = {
	.name = "svm-eval",
	.arguments = "[options] test_file model_file [output_file]\n"
		     "       svm-eval --geometry DATA [--reference DATA] [options] "
		     "[model_file [reference_model_file]]\n"
		     "       svm-eval --certify TRAIN [options] model_file",
	.purpose = "Predicts as svm-predict does. Files may be gzipped; \"-\" is standard input or "
		   "output;\nwithout an output_file only the accuracy is printed.",
	.example = "svm-eval test.gz my.model predictions",
	.options = options,
};

/* Growing text; a thread writes its batch's lines here while others write theirs. */
struct text {
	char *bytes;
	int64_t size, capacity;
};

/* Room that a line's next piece may need. */
#define PIECE_SIZE 64

static int text_reserve(struct text *t, int64_t more, struct error *err)
{
	return mem_grow(&t->bytes, &t->capacity, t->size + more, 1, err);
}

static void text_add(struct text *t, const char *bytes, size_t size)
{
	memcpy(t->bytes + t->size, bytes, size);
	t->size += (int64_t)size;
}

/* One thread's room. */
struct worker {
	struct predictor_scratch scratch;
	double *values; /* block_rows() examples */
	double *probability;
	struct outcome *outcome;
	int64_t outcomes_capacity;
	struct text text;
};

struct job {
	struct model model;
	struct predictor predictor;
	struct output *output; /* NULL: predictions are not wanted */
	struct report *report;
	struct output *report_output;
	struct report_phases phases;
	double started;
	bool with_probabilities;
	FILE *info; /* where the accuracy goes */
	struct measures measures;
	struct cli_progress progress;
};

/* %.17g, as svm-predict writes labels and values; whole numbers need no printf. */
static void add_full_number(struct text *t, double value)
{
	char digits[PIECE_SIZE];
	bool whole = fabs(value) < 1e9 && value == trunc(value);
	int n = whole ? decimal_shortest(value, digits) :
			snprintf(digits, sizeof(digits), "%.17g", value);

	text_add(t, digits, (size_t)n);
}

static void add_short_number(struct text *t, double value)
{
	char digits[PIECE_SIZE];

	text_add(t, digits, (size_t)snprintf(digits, sizeof(digits), " %g", value));
}

static void add_score(struct text *t, double value)
{
	char digits[DECIMAL_SHORTEST_SIZE];
	int n = decimal_shortest(value, digits);

	text_add(t, " ", 1);
	text_add(t, digits, (size_t)n);
}

/* One example's line: prediction, then probabilities or decision values. */
static int write_line(const struct job *job, struct worker *w, const double *values,
		      double predicted, struct error *err)
{
	const struct predictor *p = &job->predictor;
	int64_t pieces =
		2 + (job->with_probabilities ? p->n_class : 0) + (o.scores ? p->n_values : 0);

	if (text_reserve(&w->text, pieces * PIECE_SIZE, err) < 0)
		return -1;
	if (job->with_probabilities) {
		char digits[PIECE_SIZE];

		text_add(&w->text, digits,
			 (size_t)snprintf(digits, sizeof(digits), "%g", predicted));
		for (int c = 0; c < p->n_class; c++)
			add_short_number(&w->text, w->probability[c]);
	} else {
		add_full_number(&w->text, predicted);
	}
	for (int64_t v = 0; v < p->n_values && o.scores; v++)
		add_score(&w->text, values[v]);
	text_add(&w->text, "\n", 1);
	return 0;
}

/* Examples whose decision values are held at once: about a megabyte, or a tile. */
static int64_t block_rows(const struct predictor *p)
{
	return int64_max((1 << 17) / int64_max(p->n_values, 1), 16);
}

/* n examples from 'first' on: predictions into w->prediction, lines into w->text. */
static int predict_block(const struct job *job, const struct row_batch *b, int64_t first, int64_t n,
			 struct worker *w, struct error *err)
{
	const struct predictor *p = &job->predictor;
	struct row_view rows = { n, NULL, b->row_start + first, b->index, b->value };

	predictor_values(p, &rows, w->values, &w->scratch);
	for (int64_t i = 0; i < n; i++) {
		const double *values = w->values + i * p->n_values;
		double predicted =
			job->with_probabilities ?
				predictor_probabilities(p, values, w->probability, &w->scratch) :
				predictor_decide(p, values, &w->scratch);

		w->outcome[first + i] = measures_of(&job->measures, p, predicted, values,
						    w->probability, b->label[first + i]);
		if (job->output && write_line(job, w, values, predicted, err) < 0)
			return -1;
	}
	return 0;
}

static int predict_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct job *job = arg;
	struct worker *w = user;
	int64_t block = block_rows(&job->predictor);

	w->text.size = 0;
	if (mem_grow(&w->outcome, &w->outcomes_capacity, b->n_rows, sizeof(*w->outcome), err) < 0)
		return -1;
	for (int64_t first = 0; first < b->n_rows; first += block) {
		int64_t n = int64_min(b->n_rows - first, block);

		if (predict_block(job, b, first, n, w, err) < 0)
			return -1;
	}
	return 0;
}

static int deliver_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	struct job *job = arg;
	const struct worker *w = user;
	struct error failure = { 0 };

	for (int64_t i = 0; i < b->n_rows; i++)
		if (measures_add(&job->measures, &w->outcome[i], b->label[i], err) < 0)
			return -1;
	if (!job->output || output_write(job->output, w->text.bytes, w->text.size, &failure) == 0)
		return 0;
	return cli_cannot_write("output file", o.output_name, &failure, err);
}

static void show_progress(void *arg, int64_t taken, int64_t total)
{
	cli_progress_bytes(&((struct job *)arg)->progress, taken, total);
}

static void keep_files_apart(void)
{
	cli_keep_all_apart((const char *[]){ o.output_name, o.report, o.roc, o.plot },
			   (const char *[]){ o.test_name, o.model_name, NULL, NULL }, 4);
}

static void load_model(struct job *job)
{
	struct error err = { 0 };

	if (model_read(&job->model, o.model_name, &err) < 0 ||
	    predictor_init(&job->predictor, &job->model, &err) < 0)
		cli_fail("can't open model file %s: %s", o.model_name, err.text);
}

/* What svm-predict and liblinear-predict say about -b before they start. */
static void check_probabilities(struct job *job)
{
	const struct predictor *p = &job->predictor;
	bool linear = job->model.is_linear_model;

	if (!o.probability) {
		if (p->has_probabilities && !linear && !o.quiet)
			fprintf(job->info, "Model supports probability estimates, but disabled in "
					   "prediction.\n");
		return;
	}
	if (!p->has_probabilities)
		cli_fail(linear ? "probability output is only supported for logistic regression" :
				  "Model does not support probabiliy estimates");
	if (p->kind == PREDICTS_VALUE) {
		if (!o.quiet)
			fprintf(job->info,
				"Prob. model for test data: target value = predicted value + z,\n"
				"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=%g\n",
				job->model.solution.prob_a[0]);
		return;
	}
	job->with_probabilities = true;
}

static void begin_output(struct job *job, struct error *err)
{
	const struct predictor *p = &job->predictor;

	if (!o.output_name)
		return;
	if (output_open(&job->output, o.output_name, o.compress, err) < 0)
		return;
	if (job->with_probabilities && p->kind == PREDICTS_SIDE)
		output_printf(job->output, err, "label normal outlier");
	else if (job->with_probabilities)
		output_printf(job->output, err, "labels");
	else if (o.scores)
		output_printf(job->output, err, "label");
	for (int c = 0; job->with_probabilities && p->label && c < p->n_class; c++)
		output_printf(job->output, err, " %d", p->label[c]);
	if (o.scores && p->label && (!job->model.is_linear_model || p->n_values == 1))
		for (int a = 0; a < p->n_class; a++)
			for (int b = a + 1; b < p->n_class; b++)
				output_printf(job->output, err, " %d/%d", p->label[a], p->label[b]);
	else if (o.scores && p->label)
		for (int c = 0; c < p->n_class; c++)
			output_printf(job->output, err, " %d", p->label[c]);
	else if (o.scores)
		output_printf(job->output, err, " value");
	if (job->with_probabilities || o.scores)
		output_write(job->output, "\n", 1, err);
}

static int run_workers(struct job *job, struct input *input, struct error *err)
{
	struct rows_options format = { .strict = o.strict, .allow_nonfinite = o.allow_nonfinite };
	struct worker workers[THREAD_MAX] = { 0 };
	void *user[THREAD_MAX];
	struct rows_visitor visitor = { predict_batch, deliver_batch, show_progress, job, user };
	int made = 0, ret = -1;

	for (; made < o.n_threads; made++) {
		struct worker *w = &workers[made];

		user[made] = w;
		w->probability = mem_array(job->predictor.n_class, sizeof(double), err);
		w->values = mem_array(block_rows(&job->predictor) * job->predictor.n_values,
				      sizeof(double), err);
		if (!w->probability || !w->values ||
		    predictor_scratch_init(&w->scratch, &job->predictor, err) < 0)
			goto out;
	}
	ret = rows_scan(input, &format, &visitor, (int)o.n_threads, err);
out:
	for (int i = 0; i <= made && i < o.n_threads; i++) {
		predictor_scratch_free(&workers[i].scratch);
		free(workers[i].values);
		free(workers[i].outcome);
		free(workers[i].probability);
		free(workers[i].text.bytes);
	}
	return ret;
}

static void predict_stream(struct job *job)
{
	struct error err = { 0 };
	struct input *input;

	input = cli_open_input(o.test_name);
	begin_output(job, &err);
	if (err.code != ERR_NONE)
		cli_fail("can't open output file %s: %s", o.output_name, err.text);
	cli_progress_start(&job->progress, "predicting", o.progress, o.quiet);
	run_workers(job, input, &err);
	cli_progress_end(&job->progress);
	if (err.code == ERR_NONE && job->measures.sums.n == 0)
		error_set(&err, ERR_FORMAT, "%s: no examples", input_name(input));
	input_close(input);
	if (err.code != ERR_NONE)
		cli_fail_input(o.test_name, &err);
}

static void print_metrics(const struct job *job)
{
	const struct metrics *m = &job->measures.sums;

	if (o.quiet)
		return;
	if (job->predictor.kind == PREDICTS_VALUE) {
		fprintf(job->info, "Mean squared error = %g (regression)\n", metrics_mse(m));
		fprintf(job->info, "Squared correlation coefficient = %g (regression)\n",
			metrics_squared_correlation(m));
		return;
	}
	fprintf(job->info, "Accuracy = %g%% (%" PRId64 "/%" PRId64 ")%s\n", metrics_accuracy(m),
		m->n_correct, m->n, job->model.is_linear_model ? "" : " (classification)");
}

static void report_training(struct report *settings)
{
	struct report *weights;

	report_text(settings, "certify", o.certify);
	report_number(settings, "C", o.training.C);
	report_number(settings, "p", o.training.p);
	report_number(settings, "eps", o.training.eps);
	weights = report_array(settings, "weights");
	for (int64_t k = 0; k < o.weights.n && weights; k++) {
		struct report *item = report_item(weights);

		report_count(item, "label", o.weights.weight[k].label);
		report_number(item, "weight", o.weights.weight[k].factor);
	}
}

static void report_settings(struct report *settings)
{
	if (o.test_name) {
		report_text(settings, "test_file", o.test_name);
		report_count(settings, "probability", o.probability);
	}
	if (o.geometry) {
		report_text(settings, "geometry", o.geometry);
		report_number(settings, "ball_tol", o.ball_tolerance);
	}
	if (o.reference)
		report_text(settings, "reference", o.reference);
	if (o.certify)
		report_training(settings);
	if (o.model_name)
		report_text(settings, "model_file", o.model_name);
	report_flag(settings, "strict", o.strict);
	report_flag(settings, "allow_nonfinite", o.allow_nonfinite);
	report_count(settings, "threads", o.n_threads);
}

/* Now, so that a folder that is not there is found before the work. */
static void begin_report(struct job *job)
{
	if (o.report) {
		job->report_output = cli_open_output(o.report, false, "report file");
		job->report = report_new(program.name);
	}
	report_settings(report_object(job->report, "settings"));
	report_phases_begin(&job->phases, job->report);
}

/* The outputs appear together. */
static void end_report(struct job *job)
{
	const struct measures *m = &job->measures;

	report_number(job->report, "seconds", cli_seconds() - job->started);
	report_count(job->report, "peak_memory_bytes", cli_peak_memory());
	report_write(job->report, job->report_output);
	cli_commit_all((struct cli_output[]){ { job->output, "output file", o.output_name },
					      { m->roc_output, "output file", m->roc_name },
					      { m->plot_output, "output file", m->plot_name },
					      { job->report_output, "report file", o.report } },
		       4);
}

static void refuse_prediction_options(const char *mode)
{
	if (o.scores || o.metrics || o.roc || o.plot || o.probability || o.compress)
		cli_fail("%s: with %s nothing is predicted: leave out -b, -z, --scores, --metrics, "
			 "--roc and --plot",
			 program.name, mode);
}

/* In prediction further names are ignored, as by svm-predict. */
static void allow_names(char **names, int n, int most)
{
	if (n > most)
		cli_fail("%s: one file name too many: '%s'", program.name, names[most]);
}

static struct eval_settings other_settings(struct job *job)
{
	return (struct eval_settings){ .format = { .strict = o.strict,
						   .allow_nonfinite = o.allow_nonfinite },
				       .quiet = o.quiet,
				       .progress = o.progress,
				       .n_threads = (int)o.n_threads,
				       .report = job->report,
				       .phases = &job->phases };
}

static int measure_geometry(char **names, int n)
{
	const char *const files[] = { o.geometry, o.reference, n > 0 ? names[0] : NULL,
				      n > 1 ? names[1] : NULL };
	struct geometry_files geometry = { files[0], files[1], files[2], files[3] };
	struct job job = { .started = cli_seconds() };
	struct eval_settings settings;

	refuse_prediction_options("--geometry");
	allow_names(names, n, 2);
	cli_keep_all_apart((const char *[4]){ o.report }, files, 4);
	if (n > 1 && !o.reference)
		cli_fail("%s: a reference_model_file needs --reference", program.name);
	o.model_name = files[2];
	begin_report(&job);
	settings = other_settings(&job);
	eval_geometry(&geometry, o.ball_tolerance, &settings);
	end_report(&job);
	return cli_finish();
}

static int certify(char **names, int n)
{
	struct job job = { .started = cli_seconds() };
	struct eval_settings settings;
	int wrong, status;

	refuse_prediction_options("--certify");
	allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&program);
	o.model_name = names[0];
	cli_keep_all_apart((const char *[2]){ o.report },
			   (const char *[]){ o.certify, o.model_name }, 2);
	begin_report(&job);
	o.training.n_weights = (int)o.weights.n;
	o.training.weight = o.weights.weight;
	settings = other_settings(&job);
	wrong = eval_certify(o.certify, o.model_name, &o.training, &settings);
	end_report(&job);
	free(o.weights.weight);
	status = cli_finish();
	return wrong ? 1 : status;
}

static int predict(char **names, int n)
{
	struct job job = { .info = stdout, .started = cli_seconds() };

	if (n < 2)
		cli_usage(&program);
	o.test_name = names[0];
	o.model_name = names[1];
	o.output_name = n > 2 ? names[2] : NULL;
	if (o.output_name && strcmp(o.output_name, "-") == 0)
		job.info = stderr;
	job.measures.wanted = o.metrics;
	job.measures.roc_name = o.roc;
	job.measures.plot_name = o.plot;
	keep_files_apart();
	begin_report(&job);
	measures_open(&job.measures);
	load_model(&job);
	check_probabilities(&job);
	measures_begin(&job.measures, &job.predictor, job.with_probabilities);
	report_phase_end(&job.phases, "read");
	predict_stream(&job);
	report_phase_end(&job.phases, "predict");
	measures_finish(&job.measures);
	report_phase_end(&job.phases, "write");
	measures_report(&job.measures, job.report);
	end_report(&job);
	print_metrics(&job);
	if (o.metrics && !o.quiet)
		measures_print(&job.measures, job.info);
	measures_free(&job.measures);
	predictor_free(&job.predictor);
	model_free(&job.model);
	return cli_finish();
}

int main(int argc, char **argv)
{
	int first;

	cli_set_up(program.name);
	o.n_threads = thread_default_count();
	first = cli_parse(&program, argc, argv);
	if (o.geometry && o.certify)
		cli_fail("%s: give one of --geometry and --certify", program.name);
	if (o.reference && !o.geometry)
		cli_fail("%s: --reference needs --geometry", program.name);
	if (o.has_tolerance && !o.geometry)
		cli_fail("%s: --ball-tol needs --geometry", program.name);
	if (o.has_training && !o.certify)
		cli_fail("%s: -c, -p, -wi and -e need --certify", program.name);
	if (o.certify)
		return certify(argv + first, argc - first);
	if (o.geometry)
		return measure_geometry(argv + first, argc - first);
	return predict(argv + first, argc - first);
}
