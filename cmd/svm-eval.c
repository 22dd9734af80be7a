/*
 * svm-eval.c - svm-predict, faster, for LIBSVM's and LIBLINEAR's models
 *
 * main() chooses one of five modes: predict(), measure() (files of predictions), print_weights()
 * (eval_weights.c), measure_geometry() (eval_geometry.c) and certify() (eval_certify.c).  Most
 * share the report and the table of files.
 *
 * Prediction is a pipeline over batches of rows (io/rows.h): predict_batch() runs in several
 * threads, each with a struct worker of its own, and makes decision values, outcomes and the
 * lines of text; deliver_batch() takes the batches in the order of the input, adds the outcomes
 * to the measures and writes the lines.  So outputs do not depend on the number of threads.
 *
 * Lines on standard output are svm-predict's, or liblinear-predict's for a model of LIBLINEAR.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "common/common_options.h"
#include "common/file_kind.h"
#include "common/files.h"
#include "common/help.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/report.h"
#include "eval.h"
#include "eval_measures.h"
#include "eval_remarks.h"
#include "geometry/ball.h"
#include "io/input.h"
#include "io/output.h"
#include "io/rows.h"
#include "model/model.h"
#include "model/predict.h"
#include "prediction_table.h"

enum { LOSS_HINGE, LOSS_SQUARED };
static const char *const loss_names[] = { "hinge", "squared", NULL };

static struct settings {
	struct common_options common;

	/* prediction */
	int64_t probability;
	bool scores, metrics, with_labels, comments;
	double threshold; /* NAN: not given */
	const char *roc, *pr, *plot;
	const char *test_name, *model_name, *output_name;

	const char *measure; /* --measure */

	/* --weights */
	bool weights_of_model;
	int64_t top;
	const char *names;

	/* --geometry */
	const char *geometry, *reference;
	double ball_tolerance;

	/* --certify */
	const char *certify;
	struct training training;
	struct cli_weights weights;
	int loss;
} o = {
	.threshold = NAN,
	.ball_tolerance = BALL_TOLERANCE,
	.training = { .C = 1, .nu = 0.5, .p = 0.1, .eps = 0.001 },
	.weights = { .takes_auto = true },
};

/* Options of prediction, the mode without an option of its own. */
#define OF_PREDICTION .not_with = "--geometry --certify --weights"

/* And those that a file of predictions has no use for. */
#define OF_MODELS .not_with = "--geometry --certify --measure --weights"

static const struct cli_option options[] = {
	CLI_HEADING("Prediction:"),
	CLI_INT('b', NULL, &o.probability, 0, 1, "probability_estimates",
		"whether to predict probability estimates, 0 or 1", .key = "probability"),
	CLI_TEXT('o', "output", &o.output_name, "FILE",
		 "name the output_file, for the predictions, here instead of last", OF_MODELS,
		 .otherwise = "no predictions are written", .key = CLI_NO_KEY),
	CLI_FLAG('z', NULL, &o.common.compress, COMMON_COMPRESS_HELP("output_file"), OF_MODELS,
		 .key = CLI_NO_KEY),
	CLI_FLAG(
		0, "scores", &o.scores,
		"write the decision values after each prediction, and a first line that names them",
		OF_MODELS),
	CLI_FLAG(0, "with-labels", &o.with_labels,
		 "begin each line of the output_file with the label of the test_file, as --measure "
		 "reads it",
		 OF_MODELS),
	CLI_FLAG(0, "comments", &o.comments,
		 "write the comment of a row, such as \"# patient 7\", behind its prediction",
		 OF_MODELS),
	CLI_FLAG(
		0, "metrics", &o.metrics,
		"print further measures: for classes precision, recall, F1, confusion and AUC, for "
		"regressions further errors",
		OF_PREDICTION),
	CLI_TEXT(
		0, "roc", &o.roc, "FILE",
		"write the ROC curve of two classes to FILE, named .png or .svg (drawn by gnuplot) "
		"or .tsv",
		OF_PREDICTION, .key = CLI_NO_KEY),
	CLI_TEXT(
		0, "pr", &o.pr, "FILE",
		"write the precision-recall curve of two classes to FILE, named .png, .svg or .tsv",
		OF_PREDICTION, .key = CLI_NO_KEY),
	CLI_REAL(0, "threshold", &o.threshold, -DBL_MAX, DBL_MAX, "T",
		 "predict the larger of two labels where the decision value that speaks for it, or "
		 "with -b 1 its probability, is at least T",
		 .otherwise = "0, with -b 1 one half",
		 .not_with = "--geometry --certify --weights"),
	CLI_TEXT(0, "plot", &o.plot, "FILE",
		 "draw the confusion matrix, or for regressions predicted against true values, to "
		 "FILE, named .png or .svg",
		 OF_PREDICTION, .key = CLI_NO_KEY),
	CLI_TEXT(0, "measure", &o.measure, "FILE",
		 "print the measures of --metrics for a file of labels and predictions, such as "
		 "randsvm-train --cv-predictions writes, and predict nothing",
		 .not_with = "--geometry --certify"),

	CLI_HEADING("Weights of a linear model:"),
	CLI_FLAG(0, "weights", &o.weights_of_model,
		 "print the weight of each feature, one column for each class or pair of classes, "
		 "and predict nothing",
		 .key = CLI_NO_KEY, .not_with = "--geometry --certify --measure"),
	CLI_INT(0, "top", &o.top, 1, INT64_C(9007199254740992), "N",
		"the N features of largest weight, the largest first", .otherwise = "all, by index",
		.needs = "--weights"),
	CLI_TEXT(0, "names", &o.names, "FILE",
		 "names of the features, one a line, the first for feature 1",
		 .needs = "--weights"),

	CLI_HEADING("Geometry of data and model:"),
	CLI_TEXT(
		0, "geometry", &o.geometry, "DATA",
		"print rank and radius of DATA, the margin of the model and the numbers of support "
		"vectors that theorems ask for, and predict nothing"),
	CLI_TEXT(0, "reference", &o.reference, "DATA",
		 "compare with DATA, the same rows before their features were reduced",
		 .needs = "--geometry"),
	CLI_REAL(0, "ball-tol", &o.ball_tolerance, 1e-9, 1, "TOL", "relative error of the radius",
		 .needs = "--geometry"),

	CLI_HEADING("Certificate of a model:"),
	CLI_TEXT(
		0, "certify", &o.certify, "TRAIN",
		"print how near the model is to the optimum on its training set TRAIN, and predict "
		"nothing",
		.not_with = "--geometry"),
	CLI_REAL('c', NULL, &o.training.C, DBL_MIN, DBL_MAX, "cost",
		 "the parameter C that the model was trained with", .needs = "--certify",
		 .key = "C"),
	CLI_REAL('n', NULL, &o.training.nu, DBL_MIN, 1, "nu",
		 "the parameter nu of nu-SVC, one-class SVM or nu-SVR that it was trained with",
		 .needs = "--certify", .key = "nu"),
	CLI_REAL('p', NULL, &o.training.p, 0, DBL_MAX, "epsilon",
		 "the epsilon in the loss function of epsilon-SVR that it was trained with",
		 .needs = "--certify --geometry", .key = "p"),
	CLI_REAL('e', NULL, &o.training.eps, DBL_MIN, DBL_MAX, "epsilon",
		 "count examples that violate the optimality conditions by more than epsilon",
		 .needs = "--certify", .key = "eps"),
	CLI_WEIGHT('w', &o.weights, "weight",
		   "the weight of class i, times C, that it was trained with; -w auto: those of "
		   "randsvm-train -w auto",
		   .needs = "--certify", .key = "weights"),
	CLI_CHOICE(0, "loss", &o.loss, loss_names, "NAME",
		   "the loss that it was trained with: hinge or squared; a model of LIBLINEAR "
		   "tells itself",
		   .needs = "--certify"),

	CLI_HEADING("Input and running:"),
	COMMON_THREADS(o.common),
	COMMON_MEMORY(o.common),
	COMMON_REPORT(o.common),
	COMMON_QUIET_SVM(o.common),
	COMMON_PROGRESS(o.common),
	COMMON_ROWS(o.common),
	COMMON_FORCE(o.common),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Test a model, and write the predictions",
	  "randsvm-train -q -c 10 -g 0.01 heart_scale.gz heart.model\n"
	  "svm-eval heart_scale.gz heart.model predictions" },
	{ "Further measures, and the ROC curve as a table",
	  "svm-eval --metrics --roc heart.tsv heart_scale.gz heart.model" },
	{ "The measures of a cross validation",
	  "randsvm-train -q -v 5 --cv-predictions validated heart_scale.gz\n"
	  "svm-eval --measure validated --pr heart.tsv" },
	{ "How near the model is to the optimum",
	  "svm-eval --certify heart_scale.gz -c 10 heart.model" },
	{ "Rank and radius of data", "svm-eval --geometry heart_scale.gz" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "svm-eval",
	.arguments = "[options] test_file model_file [output_file]\n"
		     "[options] --geometry DATA [model_file [reference_model_file]]\n"
		     "[options] --certify TRAIN model_file\n"
		     "[options] --measure FILE\n"
		     "[options] --weights model_file",
	.purpose = "Predicts as svm-predict does, by models of LIBSVM and LIBLINEAR. Files may be "
		   "compressed by gzip; \"-\" is standard input or output. Without an output_file "
		   "only the accuracy is printed.",
	.options = options,
	.examples = examples,
	.like_svm_train = true,
	.strict = &o.common.strict,
};

/* The files that a run writes, by position in struct job. */
enum { FILE_PREDICTIONS, FILE_ROC, FILE_PR, FILE_PLOT, FILE_REPORT, N_FILES };

/* Growing text: the lines of a thread's batch. */
struct text {
	char *bytes;
	int64_t size, capacity;
};

/* Bytes of a number in a line: %.17g has at most 24, and there is a blank. */
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

/* The scratch memory of a thread. */
struct worker {
	struct predictor_scratch scratch;
	double *values; /* block_rows() examples */
	double *probability;
	struct outcome *outcome;
	int64_t outcomes_capacity;
	int64_t n_overflows, first_overflow; /* examples of the batch whose values are not finite */
	double *class_score; /* measures.n_class_roc for each example of the batch */
	int64_t scores_capacity;
	struct text text;
};

struct job {
	struct model model;
	struct predictor predictor;
	struct cli_output file[N_FILES];
	struct report *report;
	struct report_phases phases;
	double started;
	bool with_probabilities;
	FILE *info; /* where the accuracy goes */
	struct measures measures;
	struct eval_remarks remarks;
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

/* The comment of row i as it was written, from its '#' on; empty if it has none. */
static struct text_span comment_of(const struct row_batch *b, int64_t i)
{
	return b->has_text ? b->text[i].comment : (struct text_span){ NULL, 0 };
}

/*
 * The prediction, and the probabilities: with svm-predict's few digits; beside the label with all,
 * as the measures of the file are to be those of the predictions.
 */
static void add_prediction(const struct job *job, struct worker *w, double predicted)
{
	int n = job->with_probabilities ? job->predictor.n_class : 0;
	char digits[PIECE_SIZE];

	if (n == 0 || o.with_labels)
		add_full_number(&w->text, predicted);
	else
		text_add(&w->text, digits,
			 (size_t)snprintf(digits, sizeof(digits), "%g", predicted));
	for (int c = 0; c < n; c++)
		(o.with_labels ? add_score : add_short_number)(&w->text, w->probability[c]);
}

/* One example's line: prediction, then probabilities or decision values, and its comment. */
static int write_line(const struct job *job, struct worker *w, const double *values,
		      const struct outcome *outcome, struct text_span comment, struct error *err)
{
	const struct predictor *p = &job->predictor;
	int64_t pieces =
		3 + (job->with_probabilities ? p->n_class : 0) + (o.scores ? p->n_values : 0);

	if (text_reserve(&w->text, pieces * PIECE_SIZE + comment.length, err) < 0)
		return -1;
	if (o.with_labels) {
		add_full_number(&w->text, outcome->target);
		text_add(&w->text, " ", 1);
	}
	add_prediction(job, w, outcome->predicted);
	for (int64_t v = 0; v < p->n_values && o.scores; v++)
		add_score(&w->text, values[v]);
	if (comment.length > 0) {
		text_add(&w->text, " ", 1);
		text_add(&w->text, comment.start, (size_t)comment.length);
	}
	text_add(&w->text, "\n", 1);
	return 0;
}

/* Examples whose decision values are held at once: a megabyte of values, but at least a tile. */
static int64_t block_rows(const struct predictor *p)
{
	return int64_max((1 << 17) / int64_max(p->n_values, 1), 16);
}

static bool all_finite(const double *value, int64_t n)
{
	for (int64_t v = 0; v < n; v++)
		if (!isfinite(value[v]))
			return false;
	return true;
}

/* Predict n examples from 'first' on: outcomes into w->outcome, lines into w->text. */
static int predict_block(const struct job *job, const struct row_batch *b, int64_t first, int64_t n,
			 struct worker *w, struct error *err)
{
	const struct predictor *p = &job->predictor;
	struct row_view rows = { n, NULL, b->row_start + first, b->index, b->value };
	int n_curves = job->measures.n_class_roc;

	predictor_values(p, &rows, w->values, &w->scratch);
	for (int64_t i = 0; i < n; i++) {
		const double *values = w->values + i * p->n_values;
		double predicted =
			job->with_probabilities ?
				predictor_probabilities(p, values, w->probability, &w->scratch) :
				predictor_decide(p, values, &w->scratch);

		if (!all_finite(values, p->n_values) && w->n_overflows++ == 0)
			w->first_overflow = first + i;
		predicted = measures_decide(&job->measures, p, predicted, values, w->probability);
		w->outcome[first + i] = measures_of(&job->measures, p, predicted, values,
						    w->probability, b->label[first + i]);
		if (n_curves > 0) {
			double *score = w->class_score + (first + i) * n_curves;

			measures_class_scores(&job->measures, values, w->probability, score);
			w->outcome[first + i].class_score = score;
		}
		if (o.output_name && write_line(job, w, values, &w->outcome[first + i],
						comment_of(b, first + i), err) < 0)
			return -1;
	}
	return 0;
}

static int predict_batch(void *arg, struct row_batch *b, void *user, struct error *err)
{
	const struct job *job = arg;
	struct worker *w = user;
	int64_t block = block_rows(&job->predictor);

	w->text.size = w->n_overflows = 0;
	if (mem_grow(&w->outcome, &w->outcomes_capacity, b->n_rows, sizeof(*w->outcome), err) < 0 ||
	    mem_grow(&w->class_score, &w->scores_capacity, b->n_rows * job->measures.n_class_roc,
		     sizeof(*w->class_score), err) < 0)
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

	eval_remarks_add(&job->remarks, b);
	eval_remarks_add_overflows(&job->remarks, b, w->n_overflows, w->first_overflow);
	for (int64_t i = 0; i < b->n_rows; i++)
		if (!isnan(b->label[i]) &&
		    measures_add(&job->measures, &w->outcome[i], b->label[i], err) < 0)
			return -1;
	if (!o.output_name)
		return 0;
	return cli_write(&job->file[FILE_PREDICTIONS], w->text.bytes, w->text.size, err);
}

/* Predictions so far are for a reader who waits for them. */
static int pause_predictions(void *arg, struct error *err)
{
	return cli_flush_output(&((struct job *)arg)->file[FILE_PREDICTIONS], err);
}

static void name_files(struct job *job, const char *const *inputs, int n_inputs)
{
	job->file[FILE_PREDICTIONS] = cli_output_named(o.output_name, "output file");
	job->file[FILE_PREDICTIONS].compress = o.common.compress;
	job->file[FILE_ROC] = cli_output_named(o.roc, "output file");
	job->file[FILE_PR] = cli_output_named(o.pr, "output file");
	job->file[FILE_PLOT] = cli_output_named(o.plot, "output file");
	job->file[FILE_REPORT] = cli_output_named(o.common.report, "report file");
	cli_keep_files_apart(job->file, N_FILES, inputs, n_inputs);
	job->info = cli_results_stream(job->file, N_FILES);
}

/* Data in place of a model are mostly the two names in the wrong order. */
_Noreturn static void fail_model(const struct error *err)
{
	const char *name = o.model_name;

	if (file_kind(name) == FILE_IS_ROWS)
		cli_fail("can't open model file %s: it holds rows of data; the order is test_file "
			 "model_file",
			 name);
	if (file_kind(name) == FILE_IS_EMPTY)
		cli_fail("can't open model file %s: it is empty", name);
	cli_fail("can't open model file %s: %s", name, err->text);
}

static void load_model(struct job *job)
{
	struct error err = { 0 };

	if (model_read(&job->model, o.model_name, &err) < 0 ||
	    predictor_init(&job->predictor, &job->model, &err) < 0)
		fail_model(&err);
	job->remarks = eval_remarks_begin(&job->predictor);
}

/* What svm-predict and liblinear-predict say about -b before they start. */
static void check_probabilities(struct job *job)
{
	const struct predictor *p = &job->predictor;
	bool linear = job->model.is_linear_model;

	if (!o.probability) {
		if (p->has_probabilities && !linear && !o.common.quiet)
			fprintf(job->info, "Model supports probability estimates, but disabled in "
					   "prediction.\n");
		return;
	}
	if (!p->has_probabilities)
		cli_fail(linear ?
				 "probability output is only supported for logistic regression" :
				 "Model does not support probabiliy estimates: train it with -b 1");
	if (p->kind == PREDICTS_VALUE) {
		if (!o.common.quiet)
			fprintf(job->info,
				"Prob. model for test data: target value = predicted value + z,\n"
				"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma=%g\n",
				job->model.solution.prob_a[0]);
		return;
	}
	job->with_probabilities = true;
}

/* The columns after the first: of classes where there is a value for each, else of their pairs. */
static void name_scores(const struct job *job, struct output *to, struct error *err)
{
	const struct predictor *p = &job->predictor;
	bool pairs = !job->model.is_linear_model || p->n_values == 1;

	if (!p->label) {
		output_printf(to, err, " value");
		return;
	}
	for (int a = 0; a < p->n_class; a++) {
		if (!pairs)
			output_printf(to, err, " %d", p->label[a]);
		for (int b = a + 1; pairs && b < p->n_class; b++)
			output_printf(to, err, " %d/%d", p->label[a], p->label[b]);
	}
}

/* The columns as --measure reads them. */
static struct table_columns columns_of(const struct job *job)
{
	static const int sides[2] = { 1, -1 };
	const struct predictor *p = &job->predictor;
	const int *label = p->kind == PREDICTS_SIDE ? sides : p->label;

	return (struct table_columns){
		.n_class = label ? p->n_class : 0,
		.label = label,
		.by_class = job->model.is_linear_model && p->n_values > 1,
		.with_values = o.scores,
		.with_probabilities = job->with_probabilities,
	};
}

/* The first line, if there are more columns than one; a failure shows in *err. */
static void name_columns(const struct job *job, struct output *to, struct error *err)
{
	const struct predictor *p = &job->predictor;

	if (o.with_labels) {
		const struct table_columns columns = columns_of(job);

		table_name_columns(&columns, to, err);
		output_write(to, "\n", 1, err);
		return;
	}
	if (!job->with_probabilities && !o.scores)
		return;
	if (job->with_probabilities && p->kind == PREDICTS_SIDE)
		output_printf(to, err, "label normal outlier");
	else
		output_printf(to, err, job->with_probabilities ? "labels" : "label");
	for (int c = 0; job->with_probabilities && p->label && c < p->n_class; c++)
		output_printf(to, err, " %d", p->label[c]);
	if (o.scores)
		name_scores(job, to, err);
	output_write(to, "\n", 1, err);
}

static void begin_output(struct job *job)
{
	struct cli_output *to = &job->file[FILE_PREDICTIONS];
	struct error err = { 0 };

	if (!to->name)
		return;
	cli_open_output(to);
	name_columns(job, to->output, &err);
	if (err.code != ERR_NONE)
		cli_fail("can't open output file %s: %s", to->name, err.text);
}

static int run_workers(struct job *job, struct input *input, struct error *err)
{
	struct rows_options format = common_rows_options(&o.common);
	struct worker workers[THREAD_MAX] = { 0 };
	void *user[THREAD_MAX];
	struct rows_visitor visitor = { .work = predict_batch,
					.deliver = deliver_batch,
					.pause = pause_predictions,
					.arg = job,
					.user = user,
					.progress = { cli_progress_bytes, &job->progress } };
	int made = 0, ret = -1;

	format.label_optional = !o.common.strict;
	format.keep_text = o.comments;
	for (; made < o.common.n_threads; made++) {
		struct worker *w = &workers[made];

		user[made] = w;
		w->probability = mem_array(job->predictor.n_class, sizeof(double), err);
		w->values = mem_array(block_rows(&job->predictor) * job->predictor.n_values,
				      sizeof(double), err);
		if (!w->probability || !w->values ||
		    predictor_scratch_init(&w->scratch, &job->predictor, err) < 0)
			goto out;
	}
	ret = rows_scan(input, &format, &visitor, (int)o.common.n_threads, err);
out:
	for (int i = 0; i <= made && i < o.common.n_threads; i++) {
		predictor_scratch_free(&workers[i].scratch);
		mem_free(workers[i].values);
		mem_free(workers[i].outcome);
		mem_free(workers[i].class_score);
		mem_free(workers[i].probability);
		mem_free(workers[i].text.bytes);
	}
	return ret;
}

/*
 * No row has a label: files of measures cannot be made, and lines of --metrics are left out, if
 * there are predictions to write.
 */
static void check_unmeasured(void)
{
	const char *option = o.roc			 ? "--roc" :
			     o.pr			 ? "--pr" :
			     o.plot			 ? "--plot" :
			     o.metrics && !o.output_name ? "--metrics" :
							   NULL;

	if (option)
		cli_fail("%s: no row has a label to measure by; to predict alone, leave out %s and "
			 "name an output_file",
			 o.test_name, option);
}

static void predict_stream(struct job *job)
{
	struct error err = { 0 };
	struct input *input;

	input = cli_open_input(o.test_name);
	begin_output(job);
	cli_progress_start(&job->progress, "predicting", o.common.progress, o.common.quiet);
	run_workers(job, input, &err);
	cli_progress_end(&job->progress);
	/*
	 * an empty part of a stream has no predictions; without an output there is nothing at all
	 */
	if (err.code == ERR_NONE && job->remarks.n_rows == 0 && !o.output_name)
		error_set(&err, ERR_FORMAT, "%s: no examples", input_name(input));
	input_close(input);
	if (err.code != ERR_NONE)
		cli_fail_input(o.test_name, &err);
	if (job->measures.sums.n == 0)
		check_unmeasured();
	if (!o.common.quiet)
		eval_remarks_print(&job->remarks);
	eval_remarks_warn(&job->remarks);
}

static void print_metrics(const struct job *job)
{
	const struct metrics *m = &job->measures.sums;

	if (o.common.quiet || m->n == 0)
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

/* Before the work, so that a missing folder is found at once. */
static void begin_report(struct job *job)
{
	struct report *settings;

	if (!o.common.report)
		return;
	cli_open_output(&job->file[FILE_REPORT]);
	job->report = report_new(program.name);
	settings = report_settings(job->report, options);
	if (o.test_name)
		report_text(settings, "test_file", o.test_name);
	if (o.model_name)
		report_text(settings, "model_file", o.model_name);
	report_phases_begin(&job->phases, job->report);
}

/* The outputs appear together. */
static void end_report(struct job *job)
{
	report_finish(job->report, job->started, job->file[FILE_REPORT].output);
	cli_commit_outputs(job->file, N_FILES);
}

static struct eval_settings other_settings(struct job *job)
{
	return (struct eval_settings){ .common = &o.common,
				       .info = job->info,
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

	cli_allow_names(names, n, 2);
	name_files(&job, files, 4);
	if (n > 1 && !o.reference)
		cli_fail("%s: a reference_model_file needs --reference", program.name);
	o.model_name = files[2];
	begin_report(&job);
	settings = other_settings(&job);
	eval_geometry(&geometry, o.ball_tolerance, &o.training, &settings);
	end_report(&job);
	return cli_finish();
}

static int certify(char **names, int n)
{
	const char *const files[] = { o.certify, n > 0 ? names[0] : NULL };
	struct job job = { .started = cli_seconds() };
	struct eval_settings settings;
	int wrong, status;

	cli_allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&program);
	o.model_name = names[0];
	name_files(&job, files, 2);
	begin_report(&job);
	for (int64_t i = 0; i < o.weights.n; i++)
		if (o.weights.weight[i].factor < 0)
			cli_fail("ERROR: weight < 0");
	o.training.n_weights = (int)o.weights.n;
	o.training.weight = o.weights.weight;
	o.training.squared_loss = o.loss == LOSS_SQUARED;
	settings = other_settings(&job);
	wrong = eval_certify(o.certify, o.model_name, &o.training, o.weights.automatic, &settings);
	end_report(&job);
	mem_free(o.weights.weight);
	status = cli_finish();
	return wrong ? 1 : status;
}

static void start_measures(struct job *job, bool wanted)
{
	job->measures = (struct measures){ .wanted = wanted,
					   .roc_file = &job->file[FILE_ROC],
					   .pr_file = &job->file[FILE_PR],
					   .plot_file = &job->file[FILE_PLOT],
					   .has_threshold = !isnan(o.threshold),
					   .threshold = o.threshold };
	measures_check(&job->measures);
	cli_open_output(&job->file[FILE_ROC]);
	cli_open_output(&job->file[FILE_PR]);
	cli_open_output(&job->file[FILE_PLOT]);
}

/* Options of the output_file, where there is none. */
static void check_output_options(void)
{
	static const char *const of_output[] = { "--scores", "--with-labels", "--comments", "-z" };

	for (int i = 0; i < 4 && !o.output_name; i++)
		if (cli_given(of_output[i]))
			cli_refuse("%s: needs an output_file ('-' is standard output)",
				   of_output[i]);
}

/* Check the names on the command line, and open the outputs before the work. */
static void start_prediction(struct job *job, char **names, int n)
{
	if (n < 2)
		cli_usage(&program);
	cli_allow_names(names, n, o.output_name ? 2 : 3);
	o.test_name = names[0];
	o.model_name = names[1];
	if (n > 2)
		o.output_name = names[2];
	if (o.output_name && strcmp(o.output_name, "-") == 0)
		job->info = stderr;
	check_output_options();
	name_files(job, (const char *[]){ o.test_name, o.model_name }, 2);
	begin_report(job);
	start_measures(job, o.metrics);
}

static void finish_measures(struct job *job)
{
	measures_finish(&job->measures);
	report_phase_end(&job->phases, "write");
	measures_report(&job->measures, job->report);
	end_report(job);
	print_metrics(job);
	if (job->measures.wanted && !o.common.quiet && job->measures.sums.n > 0)
		measures_print(&job->measures, job->info);
	measures_free(&job->measures);
}

static int predict(char **names, int n)
{
	struct job job = { .started = cli_seconds() };

	start_prediction(&job, names, n);
	load_model(&job);
	check_probabilities(&job);
	job.measures.by_class = job.model.is_linear_model;
	measures_begin(&job.measures, &job.predictor, job.with_probabilities);
	report_phase_end(&job.phases, "read");
	predict_stream(&job);
	report_phase_end(&job.phases, "predict");
	finish_measures(&job);
	predictor_free(&job.predictor);
	model_free(&job.model);
	return cli_finish();
}

/* One row of a table, as if it had been predicted. */
static int measure_row(struct job *job, const struct prediction_table *t, int64_t i, double *score,
		       struct error *err)
{
	const struct predictor *p = &job->predictor;
	const double *values = t->value ? t->value + i * table_n_values(&t->columns) : NULL;
	const double *probability = t->probability ? t->probability + i * t->columns.n_class : NULL;
	double predicted =
		measures_decide(&job->measures, p, t->prediction[i], values, probability);
	struct outcome outcome =
		measures_of(&job->measures, p, predicted, values, probability, t->label[i]);

	if (job->measures.n_class_roc > 0) {
		measures_class_scores(&job->measures, values, probability, score);
		outcome.class_score = score;
	}
	return measures_add(&job->measures, &outcome, t->label[i], err);
}

static void measure_table(struct job *job, const struct prediction_table *t)
{
	struct error err = { 0 };
	double *score;

	job->predictor =
		(struct predictor){ .kind = t->kind,
				    .n_class = t->kind == PREDICTS_CLASS ? t->columns.n_class : 2,
				    .label = t->class_label,
				    .n_values = table_n_values(&t->columns),
				    .has_probabilities = t->probability != NULL };
	job->measures.by_class = t->columns.by_class;
	measures_begin(&job->measures, &job->predictor, t->probability != NULL);
	score = mem_array(job->predictor.n_class, sizeof(*score), &err);
	for (int64_t i = 0; i < t->n_rows && err.code == ERR_NONE; i++)
		measure_row(job, t, i, score, &err);
	mem_free(score);
	if (err.code != ERR_NONE)
		cli_fail("%s: %s", program.name, err.text);
}

_Noreturn static void fail_table(const struct error *err)
{
	enum file_kind kind = file_kind(o.measure);

	if (kind == FILE_IS_ROWS || kind == FILE_IS_MODEL)
		cli_fail("%s holds %s, not predictions; svm-eval --with-labels writes these",
			 o.measure, kind == FILE_IS_ROWS ? "rows of data" : "a model");
	cli_fail_input(o.measure, err);
}

static int measure(char **names, int n)
{
	struct job job = { .started = cli_seconds() };
	struct prediction_table table;
	struct error err = { 0 };
	struct input *input;

	cli_allow_names(names, n, 0);
	name_files(&job, (const char *[]){ o.measure }, 1);
	begin_report(&job);
	start_measures(&job, true);
	input = cli_open_input(o.measure);
	if (table_read(&table, input, o.common.allow_nonfinite, &err) < 0)
		fail_table(&err);
	input_close(input);
	report_phase_end(&job.phases, "read");
	measure_table(&job, &table);
	finish_measures(&job);
	table_free(&table);
	return cli_finish();
}

static int print_weights(char **names, int n)
{
	cli_allow_names(names, n, 1);
	if (n < 1)
		cli_usage(&program);
	cli_refuse_together("--weights", "--report");
	eval_weights(names[0], o.names, o.top, o.common.quiet);
	return cli_finish();
}

int main(int argc, char **argv)
{
	int first;

	cli_set_up(program.name, argv);
	common_options_init(&o.common);
	first = cli_parse(&program, argc, argv);
	common_bound_memory(&o.common, o.output_name);
	common_need_memory(0);
	if (o.probability) /* -b 0 is what the other modes do */
		cli_refuse_together("-b", "--geometry --certify --measure --weights");
	if (o.weights_of_model)
		return print_weights(argv + first, argc - first);
	if (o.measure)
		return measure(argv + first, argc - first);
	if (o.certify)
		return certify(argv + first, argc - first);
	if (o.geometry)
		return measure_geometry(argv + first, argc - first);
	return predict(argv + first, argc - first);
}
