/*
 * svm-eval.c - svm-predict, faster, for LIBSVM's and LIBLINEAR's models
 *
 * main() chooses one of nine modes (eval.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/picture.h"
#include "common/read_rows.h"
#include "eval.h"
#include "export/export.h"
#include "geometry/ball.h"

static const char *const error_names[] = { "stop", "answer", NULL };
static const char *const sign_names[] = { "both", "plus", "minus", NULL };

struct eval_settings settings = {
	.threshold = NAN,
	.seed = 1,
	.ball_tolerance = BALL_TOLERANCE,
	.training = { .C = 1, .nu = 0.5, .p = 0.1, .eps = 0.001 },
	.weights = { .takes_auto = true },
};

/* Options of prediction, the mode without an option of its own. */
#define OF_PREDICTION .not_with = "--geometry --certify --weights --reduce --chain --export"

/* Options of the output_file, of predictions or of the model of --reduce. */
#define OF_OUTPUT .not_with = "--geometry --measure --weights --chain"

/* Options of prediction that a file of predictions does not need. */
#define OF_MODELS .not_with = "--geometry --measure --weights --reduce --chain --export"

static const struct cli_option options[] = {
	CLI_HEADING("Prediction:"),
	CLI_INT('b', NULL, &settings.probability, 0, 1, "probability_estimates",
		"whether to predict probability estimates, 0 or 1", .key = "probability"),
	CLI_TEXT('o', "output", &settings.output_name, "FILE",
		 "name the output_file, for the predictions, here instead of last", OF_OUTPUT,
		 .otherwise = "no predictions are written", .key = CLI_NO_KEY),
	COMMON_COMPRESS(settings.common, "output_file", OF_OUTPUT),
	CLI_FLAG(
		0, "scores", &settings.scores,
		"write the decision values after each prediction, and a first line that names them",
		OF_MODELS),
	CLI_FLAG(0, "with-labels", &settings.with_labels,
		 "begin each line of the output_file with the label of the test_file, as --measure "
		 "reads it",
		 OF_MODELS),
	CLI_FLAG(0, "comments", &settings.comments,
		 "write the comment of a row, such as \"# patient 7\", behind its prediction",
		 OF_MODELS),
	CLI_FLAG(
		0, "metrics", &settings.metrics,
		"print further measures: for classes precision, recall, F1, confusion and AUC, for "
		"regressions further errors",
		OF_PREDICTION),
	CLI_TEXT(
		0, "roc", &settings.roc, "FILE",
		"write the ROC curve of two classes, or of each of several against the rest, to FILE, "
		"named .png, .svg, .pdf, .eps (drawn by gnuplot) or .tsv",
		OF_PREDICTION, .key = CLI_NO_KEY),
	CLI_TEXT(0, "pr", &settings.pr, "FILE", "write the precision-recall curve likewise",
		 OF_PREDICTION, .key = CLI_NO_KEY),
	CLI_INT(0, "summary", &settings.summary, 1, INT64_C(1000000000), "N",
		"after each N rows, and at the end, write a line of JSON to standard error: how many "
		"were refused or unlike those of training, what was predicted, and quantiles of the "
		"decision values",
		OF_MODELS),
	CLI_REAL(0, "threshold", &settings.threshold, -DBL_MAX, DBL_MAX, "T",
		 "predict the larger of two labels where the decision value that speaks for it, or "
		 "with -b 1 its probability, is at least T",
		 .otherwise = "0, with -b 1 one half", OF_PREDICTION),
	CLI_TEXT(0, "plot", &settings.plot, "FILE",
		 "draw the confusion matrix, or for regressions predicted against true values, to "
		 "FILE, named .png, .svg, .pdf or .eps",
		 OF_PREDICTION, .key = CLI_NO_KEY),
	PICTURE_SIZE("--roc --pr --plot"),
	CLI_TEXT(0, "measure", &settings.measure, "FILE",
		 "print the measures of --metrics for a file of labels and predictions, such as "
		 "randsvm-train --cv-predictions writes, and predict nothing",
		 .not_with = "--geometry --certify --reduce --chain --export"),

	CLI_TEXT(
		0, "labels", &settings.labels, "FILE",
		"names of the classes, such as svm-convert --labels writes them: lines of a label, "
		"a blank and its name, which is written in its place",
		.not_with = "--geometry --certify --chain --export", .key = CLI_NO_KEY),

	CLI_HEADING("Intervals of measures:"),
	CLI_REAL(0, "intervals", &settings.intervals, 1e-6, 0.999999, "P",
		 "print intervals of the measures of --metrics that hold, with probability P, the "
		 "measure of all rows of which these are a sample; with --calibrate of a "
		 "regression, write one for each prediction, which holds the target",
		 .needs = "--metrics --measure --calibrate"),
	CLI_TEXT(
		0, "compare", &settings.compare, "FILE",
		"compare with the predictions of the same rows in FILE, such as --with-labels writes: "
		"intervals of the differences of measures (0.95 or --intervals), McNemar's test",
		.needs = "--metrics --measure", .not_with = "-W"),
	CLI_SEED(0, "seed", &settings.seed, "N",
		 "start of the random numbers by which rows are drawn for them",
		 .needs = "--intervals --compare"),
	CLI_TEXT(0, "groups", &settings.common.groups, "FILE",
		 "draw rows of a group together, as they resemble each other: FILE has a line for "
		 "each row, the name of its group",
		 .needs = "--intervals --compare", .not_with = "--by-qid"),
	CLI_FLAG(0, "by-qid", &settings.common.by_qid, "draw rows of the same qid together",
		 .needs = "--intervals --compare", .not_with = "--measure"),

	CLI_HEADING("One file of several:"),
	CLI_TEXT(0, "chain", &settings.chain, "OUT",
		 "write the files named to OUT, which is a model_file that takes rows as they are "
		 "before all of them, or the table: columns of svm-convert -s, ranges, maps and "
		 "choices in the order in which they are applied, names of classes, the model",
		 .key = CLI_NO_KEY),

	CLI_HEADING("A program of a model:"),
	CLI_CHOICE(
		0, "export", &settings.export, export_kind_names, "KIND",
		"write the model, or a chain of ranges, choices of features and a model, to the "
		"output_file as a program that needs nothing else: c (C99, with the decision values "
		"of svm-eval), c-float (in single precision) or onnx (likewise, with -b 1 by probabilities)",
		.otherwise = "", .key = CLI_NO_KEY,
		.not_with =
			"--geometry --certify --weights --reduce --chain --check --row-weights"),

	CLI_HEADING("Bad rows of a file:"),
	CLI_TEXT(0, "check", &settings.check, "FILE",
		 "list all rows of FILE that cannot be read, of a table by the chain that is named "
		 "behind it, and why, and predict nothing; the exit status is 1 if there are any",
		 .not_with = "-o -z --scores --with-labels --comments --metrics --roc --pr "
			     "--threshold --plot --measure --labels --weights --geometry --certify "
			     "--reduce --chain --export -W --allow-empty --summary"),
	CLI_HEADING("What predictions of rows with labels say of new ones:"),
	CLI_TEXT(
		0, "calibrate", &settings.calibrate, "FILE",
		"predict probabilities by FILE, of rows that the model was not trained on, as "
		"randsvm-train --cv-predictions writes it",
		.not_with =
			"--geometry --measure --weights --reduce --certify --chain --check --export",
		.key = CLI_NO_KEY),
	CLI_CHOICE(0, "method", &settings.method, eval_method_names, "NAME",
		   "how: sigmoid, isotonic or venn-abers", .needs = "--calibrate",
		   .otherwise =
			   "sigmoid; from 1000 rows on isotonic, of several classes venn-abers",
		   .key = CLI_NO_KEY),
	CLI_REAL(0, "sets", &settings.sets, 1e-6, 0.999999, "P",
		 "in place of probabilities, write sets of classes that hold the right one with "
		 "probability P; of regressions there are --intervals",
		 .needs = "--calibrate", .not_with = "--method --with-labels"),
	CLI_REAL(0, "false-alarms", &settings.false_alarms, 1e-6, 0.999999, "SHARE",
		 "predict by the threshold at which at most that share of the rows of the smaller "
		 "label get the larger one, or of normal rows are outliers",
		 .needs = "--calibrate", .not_with = "--method --threshold --sets"),

	CLI_HEADING("Weights of a linear model:"),
	CLI_FLAG(0, "weights", &settings.weights_of_model,
		 "print the weight of each feature, one column for each class or pair of classes, "
		 "and predict nothing",
		 .key = CLI_NO_KEY, .not_with = "--geometry --certify --measure --reduce --chain"),
	CLI_INT(0, "top", &settings.top, 1, INT64_C(9007199254740992), "N",
		"the N features of largest weight, the largest first; of several classes those of "
		"each column",
		.otherwise = "all, by index", .needs = "--weights"),
	CLI_CHOICE(
		0, "sign", &settings.sign, sign_names, "SIGN",
		"of weights of which sign: both, plus (what speaks for a class, or for the first "
		"of a pair) or minus",
		.needs = "--top"),
	CLI_TEXT(0, "names", &settings.names, "FILE",
		 "names of the features, one a line, the first for feature 1",
		 .needs = "--weights --explain"),

	CLI_HEADING("Reasons of predictions:"),
	CLI_INT(0, "explain", &settings.explain, 0, INT32_MAX, "N",
		"write in place of predictions the decision value of each row, and which N features "
		"made it so: their Shapley values, exact, the largest first; 0: those of all "
		"features, as a table",
		.otherwise = "",
		.not_with = "--scores --with-labels --comments --measure --chain --check --weights "
			    "--geometry --certify --reduce --export --calibrate"),
	CLI_TEXT(
		0, "background", &settings.background, "FILE",
		"rows in whose mean the decision value is the base: a feature's value says what it "
		"adds where it is the row's, and not theirs",
		.otherwise = "one row of zeros", .needs = "--explain", .key = CLI_NO_KEY),

	CLI_HEADING("Geometry of data and model:"),
	CLI_TEXT(
		0, "geometry", &settings.geometry, "DATA",
		"print rank and radius of DATA, the margin of the model and the numbers of support "
		"vectors that theorems ask for, and predict nothing",
		.not_with = "--chain"),
	CLI_TEXT(0, "reference", &settings.reference, "DATA",
		 "compare with DATA, the same rows before their features were reduced",
		 .needs = "--geometry"),
	CLI_REAL(0, "ball-tol", &settings.ball_tolerance, 1e-9, 1, "TOL",
		 "relative error of the radius", .needs = "--geometry"),

	CLI_HEADING("Certificate of a model:"),
	CLI_TEXT(0, "certify", &settings.certify, "TRAIN",
		 "print how near the model is to the optimum on its training set TRAIN",
		 .not_with = "--geometry --reduce --chain"),
	CLI_TEXT(0, "predict", &settings.predict, "FILE",
		 "predict FILE, and print for how many of its examples every optimum predicts the "
		 "same; --scores adds a column that marks them",
		 .needs = "--certify", .not_with = "--repair", .key = CLI_NO_KEY),
	CLI_TEXT(
		0, "repair", &settings.repair, "OUT",
		"write the model to OUT with the constants and multiples that its certificate found "
		"to be best",
		.needs = "--certify", .key = CLI_NO_KEY),
	CLI_FLAG(0, "verbose", &settings.common.verbose,
		 "print primal, dual and the bound of their rounding errors besides",
		 .needs = "--certify", .key = CLI_NO_KEY),
	CLI_FLAG(0, "exact", &settings.exact,
		 "print bounds of it, for the model file as it stands, that no rounding has moved",
		 .needs = "--certify"),
	CLI_TEXT(0, "certificate", &settings.certificate, "FILE",
		 "write to FILE what others need to prove it exactly, from the bytes of data and "
		 "model, as check_certificate.py does",
		 .needs = "--certify", .not_with = "--predict", .key = CLI_NO_KEY),
	CLI_REAL('c', NULL, &settings.training.C, DBL_MIN, DBL_MAX, "cost",
		 "the parameter C that the model was trained with", .needs = "--certify --retrain",
		 .key = "C"),
	CLI_REAL('n', NULL, &settings.training.nu, DBL_MIN, 1, "nu",
		 "the parameter nu of nu-SVC, one-class SVM or nu-SVR that it was trained with",
		 .needs = "--certify --retrain", .key = "nu"),
	CLI_REAL('p', NULL, &settings.training.p, 0, DBL_MAX, "epsilon",
		 "the epsilon in the loss function of epsilon-SVR that it was trained with",
		 .needs = "--certify --geometry --retrain", .key = "p"),
	CLI_REAL('e', NULL, &settings.training.eps, DBL_MIN, DBL_MAX, "epsilon",
		 "count examples that violate the optimality conditions by more than epsilon; with "
		 "--retrain the tolerance of training",
		 .needs = "--certify --retrain", .key = "eps"),
	CLI_WEIGHT('w', &settings.weights, "weight",
		   "the weight of class i, times C, that it was trained with; -w auto: those of "
		   "randsvm-train -w auto",
		   .needs = "--certify --retrain", .key = "weights"),
	CLI_CHOICE(0, "loss", &settings.loss, common_loss_names, "NAME",
		   "the loss that it was trained with: hinge or squared; a model of LIBLINEAR "
		   "tells itself",
		   .needs = "--certify"),

	CLI_HEADING("A smaller model:"),
	CLI_INT(0, "reduce", &settings.reduce, 1, INT32_MAX, "N",
		"write a model of N of the support vectors, with the coefficients whose decision "
		"function is nearest, to the output_file, and print what that changes on the "
		"test_file",
		.not_with = "--geometry --chain"),
	CLI_FLAG(0, "retrain", &settings.retrain,
		 "with --reduce, train the coefficients anew on the test_file, by -c, -n, -p, -e "
		 "and -w",
		 .needs = "--reduce"),

	CLI_HEADING("Input and running:"),
	COMMON_ROW_WEIGHTS(&settings.row_weights,
			   "weights of the rows, by which all measures count them, with which "
			   "the model of --certify was trained, or --retrain trains",
			   .not_with = "--geometry --weights --chain"),
	COMMON_THREADS(settings.common),
	COMMON_MEMORY(settings.common),
	COMMON_REPORT(settings.common),
	COMMON_QUIET_SVM(settings.common),
	COMMON_PROGRESS(settings.common),
	COMMON_ROWS(settings.common),
	CLI_CHOICE(
		0, "on-error", &settings.answer_errors, error_names, "DOES",
		"what a malformed row does: stop, which ends the run, or answer, which writes "
		"a line 'error: REASON' in place of its prediction",
		.not_with =
			"--geometry --measure --weights --reduce --chain --export --check --row-weights "
			"--groups",
		.key = CLI_NO_KEY),
	CLI_FLAG(0, "allow-empty", &settings.allow_empty,
		 "accept a test_file without rows, such as an empty part of a stream", OF_MODELS,
		 .key = CLI_NO_KEY),
	COMMON_FORCE(settings.common),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Test a model, and write the predictions",
	  "randsvm-train -q -c 10 -g 0.01 heart_scale.gz heart.model\n"
	  "svm-eval heart_scale.gz heart.model predictions" },
	{ "Further measures, and the ROC curve as a table",
	  "svm-eval --metrics --roc heart.tsv heart_scale.gz heart.model" },
	{ "All bad rows of a file", "svm-eval --check heart_scale.gz" },
	{ "The measures of a cross validation",
	  "randsvm-train -q -v 5 --cv-predictions validated heart_scale.gz\n"
	  "svm-eval --measure validated --pr heart.tsv" },
	{ "How near the model is to the optimum",
	  "svm-eval --certify heart_scale.gz -c 10 heart.model" },
	{ "The same model with the best constant",
	  "svm-eval --certify heart_scale.gz -c 10 --repair heart.repaired heart.model" },
	{ "A tenth of the support vectors, trained anew",
	  "svm-eval --reduce 12 --retrain -c 10 heart_scale.gz heart.model heart.small" },
	{ "Ranges and a model as one file, for rows as they are",
	  "rp-project -q -m scale -s ranges heart_scale.gz scaled\n"
	  "randsvm-train -q scaled scaled.model\n"
	  "svm-eval --chain heart.chain ranges scaled.model\n"
	  "svm-eval heart_scale.gz heart.chain predictions" },
	{ "A program of C that decides as the model does, and its test",
	  "svm-eval --export c heart.model heart.c\n"
	  "cc -DHEART_SELF_TEST -o heart heart.c\n"
	  "./heart" },
	{ "Which three features made each prediction what it is",
	  "svm-eval --explain 3 heart_scale.gz heart.model reasons" },
	{ "Rank and radius of data", "svm-eval --geometry heart_scale.gz" },
	{ NULL, NULL }
};

#define MODEL_TELLS "the model_file tells its machine and kernel"

/* options of the training, which users give again */
static const struct cli_foreign foreign[] = {
	{ 's', MODEL_TELLS }, { 't', MODEL_TELLS }, { 'd', MODEL_TELLS },
	{ 'g', MODEL_TELLS }, { 'r', MODEL_TELLS }, { 0 },
};

const struct cli_program eval_program = {
	.name = "svm-eval",
	.arguments = "[options] test_file model_file [output_file]\n"
		     "[options] --geometry DATA [model_file [reference_model_file]]\n"
		     "[options] --certify TRAIN [--predict FILE] model_file\n"
		     "[options] --reduce N test_file model_file output_file\n"
		     "[options] --explain N test_file model_file output_file\n"
		     "[options] --measure FILE\n"
		     "[options] --check FILE [chain]\n"
		     "[options] --weights model_file\n"
		     "[options] --chain OUT [columns] [maps] [labels] model_file\n"
		     "[options] --export KIND model_file output_file",
	.purpose = "Predicts as svm-predict does, by models of LIBSVM and LIBLINEAR. Files may be "
		   "compressed by gzip; \"-\" is standard input or output. Without an output_file "
		   "only the accuracy is printed.",
	.options = options,
	.examples = examples,
	.foreign = foreign,
	.like_svm_train = true,
	.strict = &settings.common.strict,
};

int main(int argc, char **argv)
{
	static const struct {
		const char *option;
		int (*run)(struct cli_run *run, char **names, int n);
	} modes[] = { { "--export", eval_export },   { "--chain", eval_chain },
		      { "--check", eval_check },     { "--weights", eval_weights },
		      { "--measure", eval_measure }, { "--certify", eval_certify },
		      { "--reduce", eval_reduce },   { "--geometry", eval_geometry } };
	struct cli_run run = { 0 };
	int first;

	cli_run_begin(&run, &eval_program, &settings.common, argv);
	first = cli_parse(&eval_program, argc, argv);
	if (settings.compare && !cli_given("--intervals"))
		settings.intervals = 0.95;
	cli_run_bound(&run, settings.chain ? settings.chain : settings.output_name);
	/* probabilities are for prediction only; -b 0, the default, asks for none in any mode */
	if (settings.probability)
		cli_refuse_together(
			"-b", "--geometry --certify --measure --weights --reduce --chain --check "
			      "--calibrate --explain");
	/* --predict is prediction beside --certify */
	for (int k = 0; k < N_ELEMENTS(modes) && !settings.predict; k++)
		if (cli_given(modes[k].option))
			return modes[k].run(&run, argv + first, argc - first);
	return eval_predict(&run, argv + first, argc - first);
}
