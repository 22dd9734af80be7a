/*
 * randsvm-train.c - svm-train, on random working sets
 *
 * main() reads the command line, the data and the training problem; then
 *
 *     train_and_write()        trains on all examples and writes the model
 *     cross_validate_job()     with -v: trains on each fold, prints the accuracy
 *
 * Both ask direct_reason() whether LIBSVM has to train on all examples (nu-SVM, one-class, a
 * precomputed kernel, small data, --mode direct).  If so, LIBSVM gets the examples as svm-train
 * gives them and prints its own lines.  If not, the library trains on working sets and calls the
 * functions below for each round, pair of classes and fold; they print lines of the same form,
 * and after them the certificate of each pair.
 *
 * People parse svm-train's output, so its lines go to job->info unchanged: standard output, or
 * standard error where the model or another file goes to standard output.  Warnings and remarks
 * go to standard error.  All files appear together at the end, or none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "common/common_options.h"
#include "common/files.h"
#include "common/help.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/report.h"
#include "eval_measures.h"
#include "evaluate/cross_validation.h"
#include "evaluate/cv_predictions.h"
#include "evaluate/metrics.h"
#include "io/input.h"
#include "io/output.h"
#include "matrix/dataset.h"
#include "model/compact.h"
#include "model/model.h"
#include "model/one_vs_rest_model.h"
#include "prediction_table.h"
#include "smo/smo.h"
#include "train/budget.h"
#include "train/direct.h"
#include "train/one_vs_rest.h"
#include "train/trainer.h"
#include "train_remarks.h"

enum { MODE_EXACT, MODE_PAPER, MODE_REWEIGHT, MODE_BUDGET, MODE_DIRECT };
static const char *const mode_names[] = { "exact", "paper", "reweight", "budget", "direct", NULL };

enum { SOLVER_AUTO, SOLVER_NATIVE, SOLVER_LIBSVM };
static const char *const solver_names[] = { "auto", "native", "libsvm", NULL };

enum { LOSS_HINGE, LOSS_SQUARED };
static const char *const loss_names[] = { "hinge", "squared", NULL };

enum { FORMAT_LIBSVM, FORMAT_LIBLINEAR };
static const char *const format_names[] = { "libsvm", "liblinear", NULL };

enum { MULTICLASS_OVO, MULTICLASS_OVR };
static const char *const multiclass_names[] = { "ovo", "ovr", NULL };

/*
 * Default of --gap with --multiclass ovr: the bound that all models keep.  LIBLINEAR's default
 * tolerance is coarser.
 */
#define ONE_VS_REST_GAP 1e-3

/* svm-train's default of -m, for LIBSVM alone; working sets take a quarter of the memory */
#define SVM_TRAIN_CACHE_MB 100

static struct settings {
	struct common_options common;

	/* svm-train's */
	int64_t svm_type, kernel_type, degree, shrinking, probability, n_folds;
	double gamma, coef0, C, nu, p, eps;
	double cache_mb; /* NAN: not given */
	struct cli_weights weights;

	/* how to train */
	int mode, solver, multiclass, loss;
	int64_t k, sample, budget, n_models, max_rounds;
	double epsilon, delta, sample_factor, gap, time_limit;
	bool separable;
	uint64_t seed;

	/* what is written */
	bool compact, metrics;
	const char *cv_predictions;
	int model_format;
	const char *sv_indices, *model_name;
	const char *data_name;
} o = {
	.kernel_type = KERNEL_RBF,
	.degree = 3,
	.C = 1,
	.nu = 0.5,
	.p = 0.1,
	.cache_mb = NAN,
	.eps = 0.001,
	.shrinking = 1,
	.epsilon = 0.2,
	.delta = 0.9,
	.sample_factor = 2,
	.n_models = 1,
	.seed = 1,
	.weights = { .takes_auto = true },
};

/* svm-train's options have svm-train's words; libsvm_check() knows their ranges. */
static const struct cli_option options[] = {
	CLI_HEADING("Options of svm-train:"),
	CLI_INT('s', NULL, &o.svm_type, INT_MIN, INT_MAX, "svm_type",
		"set type of SVM\n"
		"0 -- C-SVC          (multi-class classification)\n"
		"1 -- nu-SVC         (multi-class classification)\n"
		"2 -- one-class SVM\n"
		"3 -- epsilon-SVR    (regression)\n"
		"4 -- nu-SVR         (regression)",
		.key = "svm_type"),
	CLI_INT('t', NULL, &o.kernel_type, INT_MIN, INT_MAX, "kernel_type",
		"set type of kernel function\n"
		"0 -- linear: u'*v\n"
		"1 -- polynomial: (gamma*u'*v + coef0)^degree\n"
		"2 -- radial basis function: exp(-gamma*|u-v|^2)\n"
		"3 -- sigmoid: tanh(gamma*u'*v + coef0)\n"
		"4 -- precomputed kernel (kernel values in training_set_file)",
		.key = "kernel_type"),
	CLI_INT('d', NULL, &o.degree, INT_MIN, INT_MAX, "degree", "set degree in kernel function",
		.key = "degree"),
	CLI_REAL('g', NULL, &o.gamma, 0, 0, "gamma", "set gamma in kernel function",
		 .otherwise = "1/num_features", .key = "gamma"),
	CLI_REAL('r', NULL, &o.coef0, 0, 0, "coef0", "set coef0 in kernel function",
		 .key = "coef0"),
	CLI_REAL('c', NULL, &o.C, 0, 0, "cost",
		 "set the parameter C of C-SVC, epsilon-SVR, and nu-SVR", .key = "C"),
	CLI_REAL('n', NULL, &o.nu, 0, 0, "nu",
		 "set the parameter nu of nu-SVC, one-class SVM, and nu-SVR", .key = "nu"),
	CLI_REAL('p', NULL, &o.p, 0, 0, "epsilon",
		 "set the epsilon in loss function of epsilon-SVR", .key = "p"),
	CLI_REAL('m', NULL, &o.cache_mb, 0, 0, "cachesize", "set cache memory size in MB",
		 .otherwise = "100; for working sets a quarter of the memory", .key = "cache_mb"),
	CLI_REAL('e', NULL, &o.eps, 0, 0, "epsilon", "set tolerance of termination criterion",
		 .key = "eps"),
	CLI_INT('h', NULL, &o.shrinking, INT_MIN, INT_MAX, "shrinking",
		"whether to use the shrinking heuristics, 0 or 1", .key = "shrinking"),
	CLI_INT('b', NULL, &o.probability, INT_MIN, INT_MAX, "probability_estimates",
		"whether to train a model for probability estimates, 0 or 1", .key = "probability"),
	CLI_WEIGHT(
		'w', &o.weights, "weight",
		"set the parameter C of class i to weight*C, for C-SVC; -w auto: the weights that "
		"make all classes count the same, n / (classes * examples of the class)",
		.key = "weights"),
	CLI_INT('v', NULL, &o.n_folds, INT_MIN, INT_MAX, "n", "n-fold cross validation mode",
		.otherwise = "", .key = "folds"),
	COMMON_QUIET_SVM(o.common),

	CLI_HEADING("With -v:"),
	CLI_FLAG(0, "metrics", &o.metrics,
		 "print further measures of the cross validation: for classes precision, recall, "
		 "F1, confusion and AUC, for regressions further errors",
		 .needs = "-v"),
	CLI_TEXT(0, "cv-predictions", &o.cv_predictions, "FILE",
		 "write what is predicted of each row, with its label and decision values; "
		 "svm-eval --measure reads it",
		 .needs = "-v", .key = CLI_NO_KEY),

	CLI_HEADING("How to train:"),
	CLI_CHOICE(0, "mode", &o.mode, mode_names, "MODE",
		   "which examples to train on at a time\n"
		   "exact -- random working sets, until no example of the whole set violates the "
		   "optimality conditions by more than -e; prints the duality gap\n"
		   "paper -- RandSVM as published: stops at k support vectors\n"
		   "reweight -- sampling by weights, which double for examples that violate the "
		   "conditions\n"
		   "budget -- at most --budget examples at a time, and the best model of these "
		   "rounds\n"
		   "direct -- LIBSVM trains on all examples: output and model are those of "
		   "svm-train, byte for byte"),
	CLI_CHOICE(0, "multiclass", &o.multiclass, multiclass_names, "WAY",
		   "what to do with more than two classes\n"
		   "ovo -- one model for each pair of classes, which vote, as in svm-train\n"
		   "ovr -- one for each class against all others, in a model file of LIBLINEAR "
		   "(needs -t 0): for many classes, and for text"),
	CLI_CHOICE(
		0, "loss", &o.loss, loss_names, "NAME",
		"what an example costs that is on the wrong side of its margin by v\n"
		"hinge -- C v, as in svm-train; in a regression v is what is beyond -p\n"
		"squared -- C v^2 (needs -t 0, and -s 0 or -s 3), as in liblinear-train -s 2 and "
		"-s 11, but the constant is free"),
	COMMON_THREADS(o.common),
	CLI_SEED(0, "seed", &o.seed, "N", "start of the random numbers: same seed, same model",
		 .key = CLI_NO_KEY),
	CLI_REAL(0, "time-limit", &o.time_limit, 1e-6, 1e9, "S",
		 "end training S seconds after the start of the program and write the model so "
		 "far, as the first Ctrl-C does"),
	CLI_REAL(0, "gap", &o.gap, 1e-12, 1, "TOL",
		 "stop at this relative duality gap, even if examples still violate the "
		 "optimality conditions",
		 .otherwise = "not at any; 0.001 with --multiclass ovr", .key = "wanted_gap"),
	CLI_INT(0, "budget", &o.budget, 2, 9e15, "M",
		"number of examples to train on at a time, in --mode budget"),
	CLI_INT(0, "bag", &o.n_models, 1, BUDGET_MAX_MODELS, "N",
		"number of models to average in --mode budget, each from other random samples"),

	CLI_HEADING("Model and messages:"),
	CLI_FLAG(0, "compact", &o.compact,
		 "write weights of the features in place of support vectors (needs -t 0); "
		 "svm-predict reads them and predicts the same, faster"),
	COMMON_COMPRESS(o.common, "model_file"),
	COMMON_REPORT(o.common),
	COMMON_PROGRESS(o.common),
	COMMON_VERBOSE(o.common),
	CLI_CHOICE(
		0, "model-format", &o.model_format, format_names, "NAME",
		"format of the model_file\n"
		"libsvm -- as svm-train writes it\n"
		"liblinear -- weights for liblinear-predict (needs -t 0, and two classes or none)"),
	CLI_TEXT(0, "sv-indices", &o.sv_indices, "FILE",
		 "write the row numbers of the support vectors, from 1, in the order of the model",
		 .key = CLI_NO_KEY),
	COMMON_FORCE(o.common),

	CLI_HEADING("Input:"),
	COMMON_ROWS(o.common),

	CLI_HEADING("Tuning:"),
	CLI_INT(0, "max-iter", &o.max_rounds, 1, 9e15, "N",
		"stop after N rounds over the whole set",
		.otherwise = "no limit in exact, 7 for each model in budget, 100 in paper and "
			     "reweight"),
	CLI_INT(0, "sample", &o.sample, 1, 9e15, "N", "number of examples in the first sample",
		.otherwise = "2000 in exact, F k in paper, 6 k^2 in reweight"),
	CLI_CHOICE(0, "solver", &o.solver, solver_names, "NAME",
		   "solver of the working sets: native, libsvm, or auto, which is native except "
		   "in --mode reweight"),
	CLI_INT('k', NULL, &o.k, 1, INT32_MAX, "N",
		"number of support vectors at which --mode paper stops, and Delta of --mode "
		"reweight",
		.otherwise = "32 ln(4 n / delta) / epsilon^2 for n examples", .key = "k"),
	CLI_REAL(0, "epsilon", &o.epsilon, 1e-6, 1, "E",
		 "relative error of norms, in the formula for -k"),
	CLI_REAL(0, "delta", &o.delta, 1e-300, 1, "D",
		 "probability of failure, in the formula for -k"),
	CLI_FLAG(0, "separable", &o.separable,
		 "the classes are separable: 16 in place of 32 in the formula for -k"),
	CLI_REAL(0, "sample-factor", &o.sample_factor, 1.000001, 1e9, "F",
		 "size of a working set of --mode paper, in multiples of k"),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Train and test", "randsvm-train -c 10 -g 0.01 heart_scale.gz heart.model\n"
			    "svm-eval heart_scale.gz heart.model" },
	{ "Cross validation in five folds", "randsvm-train -q -v 5 -c 10 -g 0.01 heart_scale.gz" },
	{ "A linear model, which svm-predict reads",
	  "randsvm-train -q -t 0 --compact a9a.gz a9a.model" },
	{ "At most 500 examples at a time",
	  "randsvm-train -q --mode budget --budget 500 a9a.gz a9a.model" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "randsvm-train",
	.arguments = "[options] training_set_file [model_file]",
	.purpose = "Trains support vector machines as svm-train does. Files may be compressed by "
		   "gzip; "
		   "\"-\" is standard input or output.",
	.options = options,
	.examples = examples,
	.min_arguments = 1,
	.like_svm_train = true,
	.strict = &o.common.strict,
};

/* The files that a run writes, by position in struct job. */
enum { FILE_MODEL, FILE_INDICES, FILE_PREDICTIONS, FILE_REPORT, N_FILES };

/* What one run of the program holds. */
struct job {
	struct dataset data;
	struct training training;
	struct classes classes;
	bool classifies;
	struct solution solution;
	struct one_vs_rest machines; /* with --multiclass ovr, in place of the solution */
	struct pair_result *pairs;   /* of machines, with --multiclass ovr */
	int64_t n_pairs;
	int64_t n_trained, fold, n_folds; /* pairs and folds so far, for the progress */
	FILE *info;			  /* where svm-train's lines go; see cli_results_stream() */
	struct cli_progress progress;
	struct report *report;
	struct report_phases phases;
	struct cli_output file[N_FILES];
	double started, last_primal;
};

static void check_arguments(int argc, char **argv)
{
	int first = cli_parse(&program, argc, argv);
	static char name[PATH_MAX];
	const char *base;

	if (cli_given("-v") && o.n_folds < 2) {
		fprintf(stderr, "n-fold cross validation: n must >= 2\n");
		cli_usage(&program);
	}
	cli_allow_names(argv + first, argc - first, 2);
	o.data_name = argv[first];
	if (first + 1 < argc) {
		o.model_name = argv[first + 1];
		return;
	}
	base = strcmp(o.data_name, "-") == 0 ? "stdin" : strrchr(o.data_name, '/');
	base = !base ? o.data_name : *base == '/' ? base + 1 : base;
	if (snprintf(name, sizeof(name), "%s.model", base) >= (int)sizeof(name))
		cli_fail("%s: file name too long", program.name);
	o.model_name = name;
}

static void check_mode(void)
{
	if (o.mode == MODE_BUDGET && o.budget == 0)
		cli_refuse("--mode budget needs --budget");
	if (o.mode != MODE_BUDGET && (o.budget > 0 || cli_given("--bag")))
		cli_refuse("%s is for --mode budget", o.budget > 0 ? "--budget" : "--bag");
}

/* Only a linear kernel has weights of features, and models of LIBLINEAR hold nothing else. */
static void check_format(void)
{
	const char *format = o.model_format == FORMAT_LIBLINEAR ? "--model-format liblinear" :
			     o.compact				? "--compact" :
								  NULL;

	if (format && o.kernel_type != KERNEL_LINEAR)
		cli_refuse("%s is for -t 0, the linear kernel", format);
	if (o.model_format == FORMAT_LIBLINEAR && o.probability)
		cli_fail("%s: --model-format liblinear has no room for what -b 1 finds; try "
			 "--compact",
			 program.name);
}

static bool is_one_vs_rest(void)
{
	return o.multiclass == MULTICLASS_OVR;
}

static void check_weights(void)
{
	if (o.weights.automatic && o.svm_type != 0)
		cli_refuse("-w auto is for -s 0, C-SVC");
}

static void check_loss(void)
{
	const struct cli_fit fit[] = { { "--mode", o.mode == MODE_EXACT },
				       { "--solver", o.solver != SOLVER_LIBSVM },
				       { "-s", o.svm_type == 0 || o.svm_type == 3 } };

	if (o.loss != LOSS_SQUARED)
		return;
	if (o.kernel_type != KERNEL_LINEAR)
		cli_refuse("--loss squared is for -t 0, the linear kernel");
	cli_refuse_misfits(fit, (int)(sizeof(fit) / sizeof(*fit)), "--loss squared");
}

static void check_multiclass(void)
{
	const struct cli_fit fit[] = { { "--mode", o.mode == MODE_EXACT },
				       { "--solver", o.solver != SOLVER_LIBSVM },
				       { "-b", !o.probability },
				       { "-s", o.svm_type == 0 },
				       { "--compact", false },
				       { "--model-format", o.model_format == FORMAT_LIBLINEAR },
				       { "--sv-indices", false } };

	if (!is_one_vs_rest())
		return;
	if (o.kernel_type != KERNEL_LINEAR)
		cli_refuse("--multiclass ovr is for -t 0, the linear kernel");
	cli_refuse_misfits(fit, (int)(sizeof(fit) / sizeof(*fit)), "--multiclass ovr");
	if (!cli_given("--gap"))
		o.gap = ONE_VS_REST_GAP;
}

/* With -v no model is written. */
static void name_files(struct job *job)
{
	const char *const inputs[] = { o.data_name };

	job->file[FILE_MODEL] = cli_output_named(cli_given("-v") ? NULL : o.model_name, "model");
	job->file[FILE_MODEL].compress = o.common.compress;
	job->file[FILE_INDICES] = cli_output_named(o.sv_indices, "indices");
	job->file[FILE_PREDICTIONS] = cli_output_named(o.cv_predictions, "predictions");
	job->file[FILE_REPORT] = cli_output_named(o.common.report, "report");
	for (int i = 0; i < N_FILES; i++)
		job->file[i].saved = true;
	cli_keep_files_apart(job->file, N_FILES, inputs, 1);
	job->info = cli_results_stream(job->file, N_FILES);
}

static void read_data(struct job *job)
{
	const struct rows_options format = common_rows_options(&o.common);
	const struct progress_observer progress = { cli_progress_bytes, &job->progress };
	struct error err = { 0 };
	struct input *input;

	input = cli_open_input(o.data_name);
	cli_progress_start(&job->progress, "reading", o.common.progress, o.common.quiet);
	if (dataset_read(&job->data, input, &format, &progress, (int)o.common.n_threads, &err) <
	    0) {
		cli_progress_end(&job->progress);
		cli_fail_input(o.data_name, &err);
	}
	cli_progress_end(&job->progress);
	input_close(input);
}

/* LIBSVM takes entry j of row i for K(i, j) and ignores its index: each column must be there. */
static void check_kernel_row(const struct dataset *d, int64_t i)
{
	int64_t first = d->x.row_start[i], n = d->x.row_start[i + 1] - first;

	if (n == 0 || d->x.col[first] != 0)
		cli_fail("Wrong input format: first column must be 0:sample_serial_number "
			 "(%s: example %" PRId64 ")",
			 o.data_name, i + 1);
	if (!(d->x.val[first] >= 1 && d->x.val[first] <= (double)d->max_index))
		cli_fail("Wrong input format: sample_serial_number out of range "
			 "(%s: example %" PRId64 ")",
			 o.data_name, i + 1);
	if (n != d->max_index + 1)
		cli_fail("Wrong input format: a kernel row needs columns 0 to %" PRId64
			 ", zeros included (%s: example %" PRId64 ")",
			 d->max_index, o.data_name, i + 1);
}

/* What LIBLINEAR's model files cannot hold. */
static void check_liblinear(const struct job *job, const char *option)
{
	const struct csr *x = &job->data.x;

	if (job->classifies && job->classes.n != 2 && !is_one_vs_rest())
		cli_fail("%s: --model-format liblinear is for two classes, and %s has %d; try "
			 "--multiclass ovr or --compact",
			 program.name, o.data_name, job->classes.n);
	if (is_one_vs_rest() && job->classes.n < 2)
		cli_fail("%s: --multiclass ovr: %s has a single class", program.name, o.data_name);
	for (int64_t i = 0; i < x->n_rows; i++) {
		int64_t first = x->row_start[i];

		if (first < x->row_start[i + 1] && x->col[first] == 0 && x->val[first] != 0)
			cli_fail("%s: %s: LIBLINEAR's features begin with 1, and there is a 0 "
				 "(%s: example %" PRId64 ")",
				 program.name, option, o.data_name, i + 1);
	}
}

static void make_training(struct job *job)
{
	const struct dataset *d = &job->data;

	job->training = (struct training){
		.type = (enum machine_type)o.svm_type,
		.kernel = { .type = (enum kernel_type)o.kernel_type,
			    .degree = (int)o.degree,
			    .gamma = o.gamma,
			    .coef0 = o.coef0 },
		.C = o.C,
		.nu = o.nu,
		.p = o.p,
		.cache_mb = isnan(o.cache_mb) ? SVM_TRAIN_CACHE_MB : o.cache_mb,
		.eps = o.eps,
		.shrinking = (int)o.shrinking,
		.probability = (int)o.probability,
		.squared_loss = o.loss == LOSS_SQUARED,
		.n_weights = (int)o.weights.n,
		.weight = o.weights.weight,
	};
	if (o.gamma == 0 && d->max_index > 0)
		job->training.kernel.gamma = 1.0 / (double)d->max_index;
}

/*
 * -w auto: the weight of class c is n / (classes n_c), so that C times the examples is the same for
 * all classes, and all together is what it is without weights.
 */
static void balance_classes(struct job *job)
{
	const struct classes *c = &job->classes;
	struct report *array = report_array(job->report, "class_weights");
	struct error err = { 0 };

	for (int k = 0; k < c->n; k++) {
		double factor = (double)c->start[c->n] /
				((double)c->n * (double)(c->start[k + 1] - c->start[k]));
		struct report *item = report_item(array);

		if (mem_grow(&o.weights.weight, &o.weights.capacity, o.weights.n + 1,
			     sizeof(*o.weights.weight), &err) < 0)
			cli_fail("%s: %s", program.name, err.text);
		o.weights.weight[o.weights.n++] = (struct class_weight){ c->label[k], factor };
		job->training.n_weights = (int)o.weights.n;
		job->training.weight = o.weights.weight;
		factor = classes_c(&job->training, c->label[k]) / job->training.C; /* with -wi */
		report_count(item, "label", c->label[k]);
		report_number(item, "weight", factor);
		if (!o.common.quiet)
			fprintf(job->info, "weight of class %d = %g\n", c->label[k], factor);
	}
}

static void check_problem(struct job *job)
{
	struct error err = { 0 };
	const char *reason;

	for (int64_t i = 0; o.kernel_type == KERNEL_PRECOMPUTED && i < job->data.x.n_rows; i++)
		check_kernel_row(&job->data, i);
	if (libsvm_check(&job->data, &job->training, &reason, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	for (int i = 0; i < job->training.n_weights && !reason; i++)
		if (job->training.weight[i].factor < 0)
			reason = "weight < 0";
	if (reason)
		cli_fail("ERROR: %s", reason);
	job->classifies = machine_classifies(job->training.type);
	if (job->classifies && classes_init(&job->classes, &job->data, &err) < 0)
		cli_fail("Wrong input format: %s: %s%s", o.data_name, err.text,
			 err.code == ERR_FORMAT ? "; for a regression say -s 3" : "");
	if (o.weights.automatic)
		balance_classes(job);
	job->n_pairs = job->classifies ? solution_n_pairs(job->classes.n) : 1;
	if (is_one_vs_rest()) {
		job->n_pairs = one_vs_rest_count(job->classes.n);
		check_liblinear(job, "--multiclass ovr");
	} else if (o.model_format == FORMAT_LIBLINEAR) {
		check_liblinear(job, "--model-format liblinear");
	}
}

/*
 * Several classes of sparse rows, a pair of which has fewer rows than there are features: pairs can
 * then mostly be separated in many ways, and each of them sees too few rows to choose a good one.
 */
#define SPARSE 0.1

static void suggest_one_vs_rest(const struct job *job)
{
	const struct csr *x = &job->data.x;
	double cells = (double)x->n_rows * (double)job->data.max_index;

	if (is_one_vs_rest() || o.kernel_type != KERNEL_LINEAR || o.svm_type != 0 ||
	    o.mode != MODE_EXACT || job->classes.n < 3)
		return;
	if (job->data.max_index > classes_largest_pair(&job->classes) &&
	    (double)csr_n_entries(x) < SPARSE * cells)
		cli_note("%d classes of sparse rows: --multiclass ovr is often more accurate",
			 job->classes.n);
}

/* --mode direct writes on standard error what svm-train writes there, and no more. */
static void remark_data(const struct job *job)
{
	if (o.common.quiet || o.mode == MODE_DIRECT)
		return;
	if (job->classifies)
		train_remarks_classes(&job->data, job->classes.n, o.data_name);
	if (job->classifies && cli_given("-v"))
		train_remarks_folds(&job->classes, o.n_folds);
	train_remarks_features(&job->data, &job->training, o.data_name);
	suggest_one_vs_rest(job);
}

/* LIBSVM's own messages. */
static void print_message(void *arg, const char *text)
{
	struct job *job = arg;

	fputs(text, job->info);
	cli_flush(job->info);
}

static struct libsvm_messages messages_of(struct job *job)
{
	return (struct libsvm_messages){ o.common.quiet ? NULL : print_message, job };
}

/* LIBSVM warns itself where it gets all labels; a pair of classes has only two of them. */
static void warn_of_unknown_weights(const struct job *job)
{
	for (int i = 0; i < job->training.n_weights; i++) {
		int label = job->training.weight[i].label, c = 0;

		while (c < job->classes.n && job->classes.label[c] != label)
			c++;
		if (c == job->classes.n)
			cli_warn("WARNING: class label %d specified in weight is not found", label);
	}
}

/* "classes 1 and 2", or "class 1 against the rest". */
#define NAME_SIZE 64

static const char *name_pair(const struct pair_result *pair, char name[NAME_SIZE])
{
	if (is_one_vs_rest())
		snprintf(name, NAME_SIZE, "class %d against the rest", pair->label_a);
	else
		snprintf(name, NAME_SIZE, "classes %d and %d", pair->label_a, pair->label_b);
	return name;
}

static void pair_started(void *arg, const struct pair_result *pair)
{
	const struct job *job = arg;

	char name[NAME_SIZE];

	if (job->n_pairs > 1 && o.common.verbose)
		cli_warn("%s: %" PRId64 " examples", name_pair(pair, name), pair->n);
}

/* Room for "fold 10 of 10, pair 4950 of 4950". */
enum { PART_SIZE = 96 };

/* With -b 1 each pair is trained several times. */
static bool counts_pairs(const struct job *job)
{
	return job->n_pairs > 1 && job->n_trained < job->n_pairs && !o.probability;
}

/* Which fold and which pair are being trained; "" of one alone. */
static const char *name_part(const struct job *job, char part[PART_SIZE])
{
	int n = 0;

	part[0] = '\0';
	if (job->n_folds > 0)
		n = snprintf(part, PART_SIZE, "fold %" PRId64 " of %" PRId64, job->fold,
			     job->n_folds);
	if (counts_pairs(job))
		snprintf(part + n, PART_SIZE - (size_t)n, "%s%s %" PRId64 " of %" PRId64,
			 n > 0 ? ", " : "", is_one_vs_rest() ? "class" : "pair", job->n_trained + 1,
			 job->n_pairs);
	return part;
}

/* The next working set of the published loop can be worse than the last: the primal then rises. */
static void watch_primal(struct job *job, const struct randsvm_round *r)
{
	if (o.mode == MODE_PAPER && r->number > 1 && r->primal > job->last_primal)
		cli_warn("warning: the primal rose from %g to %g in round %d: the published loop "
			 "is losing ground; --mode exact does not",
			 job->last_primal, r->primal, r->number);
	job->last_primal = r->primal;
}

/* The published modes print a line for each round, exact and budget only with --verbose. */
static bool is_published(void)
{
	return o.mode == MODE_PAPER || o.mode == MODE_REWEIGHT;
}

static void print_budget_round(FILE *to, const struct randsvm_round *r)
{
	if (o.n_models > 1)
		fprintf(to, "model %d, ", r->model);
	fprintf(to,
		"round %d: |T| = %" PRId64 ", |SV| = %" PRId64 ", |V| = %" PRId64
		", primal = %f, dual = %f: %s\n",
		r->number, r->working_set, r->n_sv, r->n_violators, r->primal, r->dual,
		r->kept ? "kept" : "given up");
}

static void round_finished(void *arg, const struct randsvm_round *r)
{
	struct job *job = arg;
	bool published = is_published();
	FILE *to = published && !o.common.quiet ? job->info : o.common.verbose ? stderr : NULL;
	char part[PART_SIZE];

	name_part(job, part);
	cli_progress_text(&job->progress, "%s%sround %d, %" PRId64 " SVs, %" PRId64 " violators",
			  part, *part ? ", " : "", r->number, r->n_sv, r->n_violators);
	if (published && !o.common.quiet && r->number == 1)
		fprintf(job->info, "k = %" PRId64 ", r = %" PRId64 "\n", r->k, r->sample);
	if (to && o.mode == MODE_BUDGET)
		print_budget_round(to, r);
	else if (to && isnan(r->primal))
		fprintf(to,
			"round %d: %" PRId64 " examples, |T| = %" PRId64 ", |SV| = %" PRId64 "\n",
			r->number, r->subset, r->working_set, r->n_sv);
	else if (to)
		fprintf(to,
			"round %d: |T| = %" PRId64 ", |SV| = %" PRId64 ", |V| = %" PRId64
			", primal = %f, dual = %f, best primal = %f, best dual = %f\n",
			r->number, r->working_set, r->n_sv, r->n_violators, r->primal, r->dual,
			r->best_primal, r->best_dual);
	else if (!o.common.quiet)
		fputc('.', job->info);
	if (!o.common.quiet)
		cli_flush(job->info);
	watch_primal(job, r);
}

/* The library asks whether to end training: after Ctrl-C, or beyond the time limit. */
static bool end_is_wanted(void *arg)
{
	const struct job *job = arg;

	return cli_interrupted() ||
	       (o.time_limit > 0 && cli_seconds() - job->started > o.time_limit);
}

static const char *reason_text(enum stop_reason reason)
{
	return reason == STOP_INTERRUPTED && !cli_interrupted() ? "time limit" :
								  stop_reason_text(reason);
}

static void warn_of_iterations(const struct job *job, const struct pair_result *pair)
{
	char name[NAME_SIZE], whose[NAME_SIZE + 2] = "";

	cli_warn("WARNING: reaching max number of iterations");
	if (o.common.quiet)
		return;
	if (job->n_pairs > 1)
		snprintf(whose, sizeof(whose), "%s: ", name_pair(pair, name));
	cli_note("%sscaling the data (svm-scale), or a smaller -c, usually helps", whose);
}

static void pair_finished(void *arg, const struct pair_result *pair)
{
	struct job *job = arg;
	FILE *to = is_published() && !o.common.quiet ? job->info : o.common.verbose ? stderr : NULL;
	char part[PART_SIZE];

	job->n_trained++;
	if (counts_pairs(job))
		cli_progress_text(&job->progress, "%s", name_part(job, part));
	if (to && o.n_models > 1)
		fprintf(to, "stopped after %d round%s: %s\n", pair->rounds,
			pair->rounds == 1 ? "" : "s", reason_text(pair->reason));
	else if (to)
		fprintf(to, "stopped after round %d: %s\n", pair->rounds,
			reason_text(pair->reason));
	if (pair->reason == STOP_MAX_ITERATIONS)
		warn_of_iterations(job, pair);
	if (o.mode == MODE_EXACT && pair->reason == STOP_MAX_ROUNDS)
		cli_warn("warning: reaching max number of rounds");
}

/* svm-train's block for one pair; LIBSVM prints obj with the sign of a minimum. */
static void print_pair(const struct job *job, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;

	fprintf(job->info, "\noptimization finished, #iter = %" PRId64 "\n", pair->n_iterations);
	if (pair->c_plus == pair->c_minus && !job->training.squared_loss)
		fprintf(job->info, "nu = %f\n", c->sum_abs_beta / (pair->c_plus * (double)pair->n));
	fprintf(job->info, "obj = %f, rho = %f\nnSV = %" PRId64 ", nBSV = %" PRId64 "\n", -c->dual,
		pair->rho, c->n_sv, c->n_bounded_sv);
}

/* svm-train's lines for one model, without those of its probabilities. */
static void print_model(const struct job *job, const struct solution *s,
			const struct pair_result *pairs)
{
	int64_t n_pairs = job->classifies ? solution_n_pairs(s->n_class) : 1;

	if (n_pairs == 0)
		fprintf(job->info,
			"WARNING: training data in only one class. See README for details.\n");
	for (int64_t q = 0; q < n_pairs; q++)
		print_pair(job, &pairs[q]);
	if (job->classifies)
		fprintf(job->info, "Total nSV = %" PRId64 "\n", s->n_sv);
}

/* Of machines of each class against the rest: no example has coefficients of several of them. */
static void print_machines(const struct job *job, const struct pair_result *results, int64_t n)
{
	for (int64_t c = 0; c < n; c++)
		print_pair(job, &results[c]);
}

static void fold_started(void *arg, const struct fold_training *fold)
{
	struct job *job = arg;
	char whose[64] = "";

	if (!fold->for_probabilities) {
		job->n_trained = 0;
		job->fold = fold->number;
		job->n_folds = fold->n_folds;
	}
	if (!o.common.verbose)
		return;
	if (fold->for_probabilities && job->classifies)
		snprintf(whose, sizeof(whose), "probabilities of classes %d and %d, ",
			 fold->label_a, fold->label_b);
	else if (fold->for_probabilities)
		snprintf(whose, sizeof(whose), "probabilities, ");
	cli_warn("%sfold %" PRId64 " of %" PRId64 ": %" PRId64 " examples to train on", whose,
		 fold->number, fold->n_folds, fold->n);
}

static void fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	const struct job *job = arg;

	if (!o.common.quiet)
		print_model(job, s, pairs);
}

static void sigmoid_fitted(void *arg, enum sigmoid_end end)
{
	const struct job *job = arg;

	if (!o.common.quiet && end == SIGMOID_NO_STEP)
		fprintf(job->info, "Line search fails in two-class probability estimates\n");
	else if (!o.common.quiet && end == SIGMOID_MAX_ITERATIONS)
		fprintf(job->info,
			"Reaching maximal iterations in two-class probability estimates\n");
}

static void scale_fitted(void *arg, double sigma)
{
	const struct job *job = arg;

	if (!o.common.quiet)
		fprintf(job->info,
			"Prob. model for test data: target value = predicted value + z,\n"
			"z: Laplace distribution e^(-|z|/sigma)/(2sigma),sigma= %g\n",
			sigma);
}

/* A number as %f, or with eight digits where %f would show few of them. */
static const char *objective_text(double value, char text[NAME_SIZE])
{
	snprintf(text, NAME_SIZE, fabs(value) < 1 ? "%.8g" : "%f", value);
	return text;
}

static void print_certificate(const struct job *job, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;
	char primal[NAME_SIZE], dual[NAME_SIZE], name[NAME_SIZE];

	fprintf(job->info,
		"primal = %s, dual = %s, gap = %g, relative gap = %g, violators = %" PRId64,
		objective_text(c->primal, primal), objective_text(c->dual, dual),
		c->primal - c->dual, certificate_relative_gap(c), c->n_violators);
	if (job->n_pairs > 1)
		fprintf(job->info, " (%s)", name_pair(pair, name));
	fputc('\n', job->info);
}

/* All pairs, or machines, together: sums over them, and the one of the largest relative gap. */
static void print_whole(const struct job *job)
{
	struct certificate sum = { 0 };
	int64_t worst = 0;
	char primal[NAME_SIZE], name[NAME_SIZE];

	if (job->n_pairs < 2)
		return;
	for (int64_t q = 0; q < job->n_pairs; q++) {
		const struct certificate *c = &job->pairs[q].certificate;

		sum.primal += c->primal;
		sum.dual += c->dual;
		sum.n_violators += c->n_violators;
		if (certificate_relative_gap(c) >
		    certificate_relative_gap(&job->pairs[worst].certificate))
			worst = q;
	}
	fprintf(job->info,
		"all %" PRId64 " %s: primal = %s, relative gap = %.2g, worst %.2g (%s), "
		"violators = %" PRId64 "\n",
		job->n_pairs, is_one_vs_rest() ? "classes" : "pairs",
		objective_text(sum.primal, primal), certificate_relative_gap(&sum),
		certificate_relative_gap(&job->pairs[worst].certificate),
		name_pair(&job->pairs[worst], name), sum.n_violators);
}

/*
 * Warnings about a certificate.  The primal is below the dual only if |w|^2 = a'Ka is negative for
 * some a, that is, if K is not positive semidefinite; 1e-6 is far above the rounding of both.
 */
static void doubt_certificate(const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;

	if (o.mode == MODE_EXACT && c->n_violators > 0 && pair->reason != STOP_GAP)
		cli_warn("warning: %" PRId64 " examples violate the optimality conditions by more "
			 "than -e",
			 c->n_violators);
	if (c->excess > 0)
		cli_warn(
			"warning: C times the largest kernel value is %g, too much for doubles: the "
			"model may be far from the optimum; scale the features",
			c->excess);
	if (c->primal - c->dual < -1e-6 * fabs(c->dual))
		cli_warn("warning: the kernel is not positive definite on these data: the gap "
			 "proves nothing");
}

static struct randsvm_options working_set_options(void)
{
	static const enum working_set_mode mode[] = { WORKING_SET_EXACT, WORKING_SET_PAPER,
						      WORKING_SET_REWEIGHT, WORKING_SET_BUDGET,
						      WORKING_SET_EXACT };

	return (struct randsvm_options){
		.mode = mode[o.mode],
		.seed = o.seed,
		.eps = o.eps,
		.k = o.k,
		.epsilon = o.epsilon,
		.delta = o.delta,
		.separable = o.separable,
		.sample_factor = o.sample_factor,
		.sample = o.sample,
		.budget = o.budget,
		.n_models = (int)o.n_models,
		.gap = o.gap,
		.max_rounds = o.max_rounds,
		.n_threads = (int)o.common.n_threads,
	};
}

static void report_pair(struct report *r, const struct pair_result *pair)
{
	const struct certificate *c = &pair->certificate;

	report_number(r, "primal", c->primal);
	report_number(r, "dual", c->dual);
	report_number(r, "gap", c->primal - c->dual);
	report_number(r, "relative_gap", certificate_relative_gap(c));
	report_count(r, "violators", c->n_violators);
	report_count(r, "rounds", pair->rounds);
	report_count(r, "n_sv", c->n_sv);
	report_count(r, "n_bsv", c->n_bounded_sv);
	report_text(r, "stop_reason", pair->rounds ? reason_text(pair->reason) : "direct");
}

/* The constant belongs to one problem, not to a sum. */
static void report_problem(struct report *r, const struct pair_result *pair)
{
	report_pair(r, pair);
	report_number(r, "rho", pair->rho);
}

/* Of one pair, its numbers; of several, sums over them, and the numbers of each under "pairs". */
static void report_certificates(const struct job *job)
{
	struct pair_result sum = job->pairs[0];
	struct report *array;

	if (job->n_pairs == 1) {
		report_problem(job->report, &sum);
		return;
	}
	for (int64_t q = 1; q < job->n_pairs; q++) {
		const struct pair_result *pair = &job->pairs[q];

		sum.certificate.primal += pair->certificate.primal;
		sum.certificate.dual += pair->certificate.dual;
		sum.certificate.n_violators += pair->certificate.n_violators;
		sum.certificate.n_sv += pair->certificate.n_sv;
		sum.certificate.n_bounded_sv += pair->certificate.n_bounded_sv;
		sum.rounds += pair->rounds;
		if (pair->reason > sum.reason)
			sum.reason = pair->reason;
	}
	if (!is_one_vs_rest())
		sum.certificate.n_sv = job->solution.n_sv;
	report_pair(job->report, &sum);
	array = report_array(job->report, "pairs");
	for (int64_t q = 0; q < job->n_pairs && array; q++) {
		struct report *r = report_item(array);

		report_count(r, "label_a", job->pairs[q].label_a);
		if (!is_one_vs_rest())
			report_count(r, "label_b", job->pairs[q].label_b);
		report_problem(r, &job->pairs[q]);
	}
}

static bool can_certify(const struct job *job)
{
	return o.mode != MODE_DIRECT && job->n_pairs > 0 &&
	       (job->training.type == MACHINE_C_SVC || job->training.type == MACHINE_EPSILON_SVR);
}

/* After LIBSVM the certificate is still to be computed; else svm-train's lines to be printed. */
static void finish_training(struct job *job, const struct trainer *t, const struct classes *classes,
			    bool by_libsvm)
{
	struct error err = { 0 };

	if (!can_certify(job))
		return;
	if (by_libsvm) {
		cli_progress_start(&job->progress, "certifying", o.common.progress, o.common.quiet);
		if (trainer_certify(t, classes, &job->solution, job->pairs, &err) < 0)
			cli_fail("%s: %s", program.name, err.text);
		cli_progress_end(&job->progress);
		report_phase_end(&job->phases, "certify");
	}
	report_certificates(job);
	for (int64_t q = 0; q < job->n_pairs; q++)
		doubt_certificate(&job->pairs[q]);
	if (o.common.quiet)
		return;
	if (is_one_vs_rest())
		print_machines(job, job->pairs, job->n_pairs);
	else if (!by_libsvm)
		print_model(job, &job->solution, job->pairs);
	for (int64_t q = 0; q < job->n_pairs; q++)
		print_certificate(job, &job->pairs[q]);
	print_whole(job);
}

/* Options of other ways to train; 'direct': LIBSVM trains on all examples. */
static void remark_unused(bool direct)
{
	const bool by_k = is_published(), exact = o.mode == MODE_EXACT;
	const struct cli_fit of_mode[] = {
		{ "-k", by_k },
		{ "--epsilon", by_k },
		{ "--delta", by_k },
		{ "--separable", by_k },
		{ "--sample-factor", o.mode == MODE_PAPER },
		{ "--sample", by_k || exact },
		{ "--max-iter", o.mode != MODE_DIRECT },
		{ "--solver", o.mode != MODE_DIRECT },
	};
	/* in the other modes k and the sample decide whether LIBSVM trains on all examples */
	const struct cli_fit of_rounds[] = { { "--sample", !exact }, { "--max-iter", false } };
	char where[NAME_SIZE];

	if (o.common.quiet)
		return;
	snprintf(where, sizeof(where), "in --mode %s", mode_names[o.mode]);
	cli_note_misfits(of_mode, (int)(sizeof(of_mode) / sizeof(*of_mode)), where);
	if (o.mode != MODE_DIRECT && (direct || is_one_vs_rest()))
		cli_note_misfits(of_rounds, 2,
				 direct ? "where LIBSVM trains on all examples" :
					  "with --multiclass ovr");
}

/* A mode or solver that was asked for and cannot be used is told without --verbose too. */
static void explain_route(const char *reason)
{
	bool wanted = is_published() || o.mode == MODE_BUDGET || o.solver != SOLVER_AUTO;

	if (reason && (o.common.verbose || (wanted && !o.common.quiet && o.mode != MODE_DIRECT)))
		cli_warn("training by LIBSVM alone: %s", reason);
	else if (o.common.verbose)
		cli_warn(is_one_vs_rest() ? "training each class against the rest" :
					    "training on random working sets");
	if (reason && (o.gap > 0 || o.time_limit > 0))
		cli_warn("warning: LIBSVM knows no --gap and no --time-limit");
}

/* The trainer, and all that it points to. */
struct training_setup {
	struct libsvm_messages messages;
	struct randsvm_observer rounds;
	struct trainer_observer pairs;
	struct validation_observer folds;
	struct randsvm_options working_sets;
	struct interruption interruption;
	struct solver solver;
	struct trainer trainer;
	const struct classes *classes; /* NULL for regression and one-class */
	const char *direct_reason;     /* why LIBSVM trains on all examples; NULL: it does not */
};

static void set_up_training(struct training_setup *s, struct job *job)
{
	double cache_mb = isnan(o.cache_mb) ? (double)(cli_memory() / 4 >> 20) : o.cache_mb;
	bool native =
		o.solver == SOLVER_NATIVE || (o.solver == SOLVER_AUTO && o.mode != MODE_REWEIGHT);

	*s = (struct training_setup){
		.messages = messages_of(job),
		.rounds = { round_finished, job },
		.pairs = { pair_started, pair_finished, job },
		.folds = { .fold_started = fold_started,
			   .fold_trained = fold_trained,
			   .sigmoid_fitted = sigmoid_fitted,
			   .scale_fitted = scale_fitted,
			   .arg = job },
		.working_sets = working_set_options(),
		.interruption = { end_is_wanted, job },
		.solver = native ? smo_solver(cache_mb, (int)o.common.n_threads) :
				   libsvm_solver(cache_mb, o.shrinking),
		.classes = job->classifies ? &job->classes : NULL,
	};
	s->solver.interruption = &s->interruption;
	s->trainer = (struct trainer){ &job->data, &job->training, &s->working_sets, &s->solver,
				       &s->rounds, &s->pairs,	   &s->messages,     NULL };
	s->direct_reason = is_one_vs_rest()	 ? NULL :
			   o.mode == MODE_DIRECT ? "--mode direct" :
						   direct_reason(&s->trainer, s->classes);
	if (!s->direct_reason)
		cli_note_interrupts(true);
	explain_route(s->direct_reason);
	remark_unused(s->direct_reason != NULL);
	report_text(job->report, "route",
		    s->direct_reason ? s->direct_reason :
		    is_one_vs_rest() ? "one class against the rest" :
				       "working sets");
	if (!s->direct_reason)
		warn_of_unknown_weights(job);
	cli_progress_start(&job->progress, "training", o.common.progress,
			   o.common.quiet || s->direct_reason);
}

_Noreturn static void fail_training(const struct error *err)
{
	if (err->code == ERR_INTERRUPTED)
		cli_fail("%s: %s: nothing is written", program.name,
			 cli_interrupted() ? err->text :
					     "time limit reached during cross validation");
	cli_fail("%s: %s", program.name, err->text);
}

static void warn_of_interruption(const struct job *job)
{
	bool found = false;

	for (int64_t q = 0; q < job->n_pairs; q++)
		found |= job->pairs[q].rounds > 0 && job->pairs[q].reason == STOP_INTERRUPTED;
	if (found)
		cli_warn("warning: %s: the model so far is written",
			 cli_interrupted() ? "interrupted" : "reaching the time limit");
}

static int run_training(struct job *job, const struct training_setup *s, struct error *err)
{
	if (is_one_vs_rest())
		return one_vs_rest_run(&s->trainer, s->classes, &job->machines, job->pairs, err);
	if (s->direct_reason)
		return direct_run(&s->trainer, &job->solution, err);
	return train_calibrated(&s->trainer, s->classes, &s->folds, &job->solution, job->pairs,
				err);
}

static void train_job(struct job *job)
{
	struct training_setup s;
	struct error err = { 0 };
	int trained;

	job->pairs = mem_zeroed(job->n_pairs, sizeof(*job->pairs), &err);
	if (!job->pairs)
		cli_fail("%s: %s", program.name, err.text);
	set_up_training(&s, job);
	trained = run_training(job, &s, &err);
	cli_progress_end(&job->progress);
	if (trained < 0)
		fail_training(&err);
	cli_note_interrupts(false);
	warn_of_interruption(job);
	if (o.mode != MODE_DIRECT && job->training.type == MACHINE_C_SVC)
		solution_bound_rho(&job->solution);
	report_phase_end(&job->phases, "train");
	finish_training(job, &s.trainer, s.classes, s.direct_reason != NULL);
}

static void print_cross_validation(struct job *job, const struct metrics *m)
{
	if (job->classifies || job->training.type == MACHINE_ONE_CLASS) {
		fprintf(job->info, "Cross Validation Accuracy = %g%%\n", metrics_accuracy(m));
		report_number(job->report, "accuracy", metrics_accuracy(m));
		return;
	}
	fprintf(job->info, "Cross Validation Mean squared error = %g\n", metrics_mse(m));
	fprintf(job->info, "Cross Validation Squared correlation coefficient = %g\n",
		metrics_squared_correlation(m));
	report_number(job->report, "mse", metrics_mse(m));
	report_number(job->report, "squared_correlation", metrics_squared_correlation(m));
}

/* More folds than examples: libsvm_cross_validate() warns itself. */
static int run_cross_validation(struct job *job, struct training_setup *s, struct cv_predictions *c,
				struct error *err)
{
	if (s->direct_reason)
		return libsvm_cross_validate(&job->data, &job->training, (int)o.n_folds,
					     &s->messages, c->predicted, err);
	if (o.n_folds > job->data.x.n_rows)
		cli_warn("WARNING: # folds > # data. Will use # folds = # data instead "
			 "(i.e., leave-one-out cross validation)");
	if (is_one_vs_rest())
		return cross_validate_one_vs_rest(&s->trainer, o.n_folds, c, err);
	s->folds.row_predicted = cv_predictions_set;
	s->folds.table = c;
	return cross_validate(&s->trainer, o.n_folds, &s->folds, c->predicted, err);
}

/* What is kept of each row; LIBSVM tells nothing but the prediction. */
static struct cv_shape shape_of(const struct job *job, const struct training_setup *s)
{
	bool wanted = (o.metrics || o.cv_predictions) && !s->direct_reason;

	return (struct cv_shape){ .n_rows = job->data.x.n_rows,
				  .n_class = job->classifies ? job->classes.n : 0,
				  .label = job->classes.label,
				  .by_class = is_one_vs_rest() && job->classes.n > 2,
				  .with_values = wanted,
				  .with_probabilities =
					  wanted && job->classifies && o.probability };
}

static void write_predictions(const struct job *job, const struct cv_predictions *c)
{
	const struct table_columns columns = { .with_row = true,
					       .n_class = c->n_class,
					       .label = c->label,
					       .by_class = c->by_class,
					       .with_values = c->n_values > 0,
					       .with_probabilities = c->probability != NULL };
	struct output *to = job->file[FILE_PREDICTIONS].output;
	struct error err = { 0 };

	table_name_columns(&columns, to, &err);
	output_write(to, "\n", 1, &err);
	for (int64_t i = 0; i < c->n_rows && err.code == ERR_NONE; i++) {
		struct table_row row = { .number = i + 1,
					 .label = job->data.y[i],
					 .prediction = c->predicted[i],
					 .probability = c->probability ?
								c->probability + i * c->n_class :
								NULL,
					 .value = c->value + i * c->n_values };

		table_add_row(&columns, &row, to, &err);
	}
	if (err.code != ERR_NONE)
		cli_fail_output(&job->file[FILE_PREDICTIONS], &err);
}

/* The measures that svm-eval prints of predictions. */
static void measure_predictions(const struct job *job, const struct cv_predictions *c)
{
	static const struct cli_output no_file;
	const struct predictor p = { .kind = job->classifies ? PREDICTS_CLASS :
					     job->training.type == MACHINE_ONE_CLASS ?
							       PREDICTS_SIDE :
							       PREDICTS_VALUE,
				     .n_class = job->classifies ? c->n_class : 2,
				     .label = c->label,
				     .n_values = c->n_values };
	struct measures m = { .wanted = true,
			      .roc_file = &no_file,
			      .pr_file = &no_file,
			      .plot_file = &no_file,
			      .by_class = c->by_class };
	struct error err = { 0 };
	double *score = mem_array(p.n_class, sizeof(*score), &err);

	measures_begin(&m, &p, c->probability != NULL);
	for (int64_t i = 0; i < c->n_rows && score && err.code == ERR_NONE; i++) {
		const double *value = c->value + i * c->n_values;
		const double *probability = c->probability ? c->probability + i * c->n_class : NULL;
		struct outcome outcome =
			measures_of(&m, &p, c->predicted[i], value, probability, job->data.y[i]);

		if (m.n_class_roc > 0)
			measures_class_scores(&m, value, probability, score);
		outcome.class_score = m.n_class_roc > 0 ? score : NULL;
		measures_add(&m, &outcome, job->data.y[i], &err);
	}
	free(score);
	if (err.code != ERR_NONE)
		cli_fail("%s: %s", program.name, err.text);
	measures_finish(&m);
	measures_report(&m, report_object(job->report, "measures"));
	measures_print(&m, job->info);
	measures_free(&m);
}

static void cross_validate_job(struct job *job)
{
	struct cv_predictions c;
	struct cv_shape shape;
	struct training_setup s;
	struct metrics m = { 0 };
	struct error err = { 0 };
	int validated;

	cli_open_output(&job->file[FILE_PREDICTIONS]);
	set_up_training(&s, job);
	shape = shape_of(job, &s);
	validated = cv_predictions_init(&c, &shape, &err);
	if (validated == 0)
		validated = run_cross_validation(job, &s, &c, &err);
	cli_progress_end(&job->progress);
	if (validated < 0)
		fail_training(&err);
	report_phase_end(&job->phases, "cross_validate");
	for (int64_t i = 0; i < job->data.x.n_rows; i++)
		metrics_add(&m, c.predicted[i], job->data.y[i]);
	print_cross_validation(job, &m);
	if (o.metrics)
		measure_predictions(job, &c);
	if (o.cv_predictions)
		write_predictions(job, &c);
	cv_predictions_free(&c);
}

static void write_sv_indices(const struct job *job)
{
	const struct solution *s = &job->solution;
	struct error err = { 0 };

	for (int64_t j = 0; j < s->n_sv; j++)
		if (output_printf(job->file[FILE_INDICES].output, &err, "%" PRId64 "\n",
				  s->sv_row[j] + 1) < 0)
			return; /* the commit will tell */
}

/* svm-train writes models with NaN and infinity without a warning, and so does --mode direct. */
static int check_model(const struct model *model, struct error *err)
{
	struct error reason = { 0 };

	if (model_check(model, &reason) == 0)
		return 0;
	if (o.mode != MODE_DIRECT || reason.code == ERR_MEMORY)
		return error_set(err, reason.code, "%s", reason.text);
	if (o.common.verbose)
		cli_warn("%s: svm-eval refuses this model", reason.text);
	return 0;
}

/* With --compact or --model-format liblinear: weights in place of support vectors. */
static int compact_model(struct model *model, struct error *err)
{
	struct model weights = { 0 };
	int ret;

	if (o.model_format == FORMAT_LIBLINEAR)
		ret = model_to_liblinear(&weights, model, err);
	else if (o.compact)
		ret = model_compact(&weights, model, err);
	else
		return 0;
	model_free(model);
	*model = weights;
	return ret;
}

static int make_model(struct model *model, struct job *job, struct error *err)
{
	if (is_one_vs_rest())
		return one_vs_rest_model(model, &job->machines, &job->classes, err);
	if (!o.compact && o.model_format != FORMAT_LIBLINEAR &&
	    o.kernel_type != KERNEL_PRECOMPUTED) {
		model_view(model, &job->training, &job->solution, &job->data.x);
		return 0;
	}
	if (model_from_solution(model, &job->training, &job->solution, &job->data.x, err) < 0)
		return -1;
	return compact_model(model, err);
}

static void write_model(struct job *job)
{
	struct model model = { 0 };
	struct error err = { 0 };

	if (make_model(&model, job, &err) < 0 || check_model(&model, &err) < 0 ||
	    model_write(&model, job->file[FILE_MODEL].output, &err) < 0)
		cli_fail_output(&job->file[FILE_MODEL], &err);
	model_free(&model);
}

static void train_and_write(struct job *job)
{
	cli_open_output(&job->file[FILE_MODEL]);
	cli_open_output(&job->file[FILE_INDICES]);
	train_job(job);
	if (o.sv_indices)
		write_sv_indices(job);
	write_model(job);
	report_phase_end(&job->phases, "write");
}

static void start_report(struct job *job)
{
	if (!o.common.report)
		return;
	cli_open_output(&job->file[FILE_REPORT]);
	job->report = report_new(program.name);
	report_settings(job->report, options);
	report_seed(job->report, "seed", o.seed);
	report_phases_begin(&job->phases, job->report);
}

static void report_data(struct job *job)
{
	struct report *r = report_object(job->report, "data");

	report_text(r, "file", o.data_name);
	report_count(r, "rows", job->data.x.n_rows);
	report_count(r, "entries", csr_n_entries(&job->data.x));
	report_count(r, "max_index", job->data.max_index);
	report_count(r, "classes", job->classifies ? job->classes.n : 0);
	report_number(r, "gamma", job->training.kernel.gamma);
	if (r)
		report_count(r, "crc32", dataset_checksum(&job->data));
}

/*
 * malloc() gives large blocks back to the system at once, which clears them when they are asked
 * for again.  Each pair of classes asks for the same sizes, so blocks of up to 32 MB (the most that
 * M_MMAP_THRESHOLD may be) stay with the process.  Not before the data are read: arrays that grow
 * would leave what they were in behind, 60 MB, where the system's are moved without a copy.
 */
static void keep_memory(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

int main(int argc, char **argv)
{
	struct job job = { .started = cli_seconds() };

	cli_set_up(program.name, argv);
	common_options_init(&o.common);
	check_arguments(argc, argv);
	check_mode();
	check_format();
	check_weights();
	check_loss();
	check_multiclass();
	name_files(&job);
	/* for the folds that LIBSVM draws; svm-train never calls srand(), which is a seed of 1 */
	srand((unsigned)o.seed);
	start_report(&job);
	read_data(&job);
	keep_memory();
	report_phase_end(&job.phases, "read");
	make_training(&job);
	check_problem(&job);
	remark_data(&job);
	report_data(&job);
	if (cli_given("-v"))
		cross_validate_job(&job);
	else
		train_and_write(&job);
	if (job.file[FILE_MODEL].name)
		report_text(job.report, "model_file", job.file[FILE_MODEL].name);
	report_finish(job.report, job.started, job.file[FILE_REPORT].output);
	/*
	 * All of the files, or none.  The lines on standard output are flushed after that, because
	 * their reader may be gone already (`| grep -q`) and SIGPIPE would remove the files.
	 */
	cli_commit_outputs(job.file, N_FILES);
	free(job.pairs);
	one_vs_rest_free(&job.machines);
	solution_free(&job.solution);
	classes_free(&job.classes);
	dataset_free(&job.data);
	free(o.weights.weight);
	return cli_finish();
}
