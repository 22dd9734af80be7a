/*
 * randsvm-train.c - svm-train, on random working sets
 *
 * main() reads the command line, the data and the training problem; then
 *
 *     train_and_write()        trains on all examples and writes the model
 *     cross_validate_job()     with -v: trains on each fold, prints the accuracy
 *
 * by train_run.c and train_validation.c.
 *
 * People parse svm-train's output, so its lines go to run.info unchanged: standard output, or
 * standard error where the model or another file goes to standard output.  Warnings and remarks
 * go to standard error.  All files appear together at the end, or none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "train_group.h"
#include "train.h"

static const char *const solver_names[] = { "auto", "native", "libsvm", NULL };

static const char *const format_names[] = { "libsvm", "liblinear", NULL };

static const struct cli_option options[] = {
	CLI_HEADING("Options of svm-train:"),
	TRAIN_MACHINE,
	CLI_INT('v', NULL, &given.n_folds, INT_MIN, INT_MAX, "n", "n-fold cross validation mode",
		.otherwise = "", .key = "folds"),
	COMMON_QUIET_SVM(given.common),

	CLI_HEADING("With -v:"),
	CLI_FLAG(0, "metrics", &settings.metrics,
		 "print further measures of the cross validation: for classes precision, recall, "
		 "F1, confusion and AUC, for regressions further errors",
		 .needs = "-v"),
	CLI_TEXT(0, "cv-predictions", &settings.cv_predictions, "FILE",
		 "write what is predicted of each row, with its label and decision values; "
		 "svm-eval --measure reads it",
		 .needs = "-v", .key = CLI_NO_KEY),
	CLI_INT(0, "permutations", &settings.n_permutations, 1, 1000000, "N",
		"repeat the cross validation N times with labels drawn again, and print how often "
		"they are predicted as well",
		.otherwise = "", .needs = "-v"),
	COMMON_GROUPS(given.common, ""),

	CLI_HEADING("How to train:"),
	CLI_CHOICE(0, "mode", &settings.mode, train_mode_names, "MODE",
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
	TRAIN_MULTICLASS,
	TRAIN_LOSS,
	TRAIN_ROW_WEIGHTS,
	COMMON_THREADS(given.common),
	COMMON_MEMORY(given.common),
	CLI_SEED(0, "seed", &given.machine.options.seed, "N",
		 "start of the random numbers: same seed, same model", .key = CLI_NO_KEY),
	CLI_TEXT(0, "start", &settings.start, "MODEL",
		 "begin with the multipliers of a model, by this program or svm-train: of other "
		 "settings, or of a part of the rows; for C-SVC and epsilon-SVR. With -t 0 "
		 "training ends at once if they are the optimum, and else begins without them"),
	CLI_TEXT(0, "start-indices", &settings.start_indices, "FILE",
		 "the rows that the model's support vectors are, as --sv-indices writes them; "
		 "without it they are compared with the rows",
		 .needs = "--start"),
	CLI_REAL(0, "time-limit", &given.time_limit, 1e-6, 1e9, "S",
		 "end after about S seconds, and write the best model so far with its gap, as the "
		 "first Ctrl-C does"),
	CLI_TEXT(
		0, "checkpoint", &settings.checkpoint, "FILE",
		"write the state of the training to FILE now and then, and on SIGTERM or SIGUSR1, "
		"which end it with status 143: the same command then goes on from there, to the same "
		"model; FILE is removed when the model is written",
		.key = CLI_NO_KEY),
	CLI_REAL(0, "checkpoint-every", &settings.checkpoint_every, 0, 1e9, "S",
		 "seconds from one --checkpoint to the next; 0: as often as possible",
		 .needs = "--checkpoint", .key = CLI_NO_KEY),
	CLI_REAL(0, "gap", &given.machine.options.gap, 1e-12, 1, "TOL",
		 "stop at this relative duality gap, even if examples still violate the "
		 "optimality conditions",
		 .otherwise = "not at any; 0.001 with --multiclass ovr", .key = "wanted_gap"),
	CLI_REAL(0, "fail-on-gap", &settings.most_gap, 0, 1e300, "TOL",
		 "fail, and write no model, where its relative duality gap, or that of a pair of "
		 "classes, is above TOL: for scripts",
		 .otherwise = "write it, whatever its gap", .not_with = "-v"),
	CLI_INT(0, "budget", &given.machine.options.budget, 2, 9e15, "M",
		"number of examples to train on at a time, in --mode budget"),
	CLI_INT(0, "bag", &settings.n_models, 1, BUDGET_MAX_MODELS, "N",
		"number of models to average in --mode budget, each from other random samples"),

	CLI_HEADING("Model and messages:"),
	CLI_FLAG(0, "compact", &settings.compact,
		 "write weights of the features in place of support vectors (needs -t 0); "
		 "svm-predict reads them and predicts the same, faster"),
	COMMON_COMPRESS(given.common, "model_file"),
	COMMON_REPORT(given.common),
	COMMON_PROGRESS(given.common),
	COMMON_VERBOSE(given.common),
	CLI_CHOICE(
		0, "model-format", &settings.model_format, format_names, "NAME",
		"format of the model_file\n"
		"libsvm -- as svm-train writes it\n"
		"liblinear -- weights for liblinear-predict (needs -t 0, and two classes or none)"),
	CLI_TEXT(0, "sv-indices", &settings.sv_indices, "FILE",
		 "write the row numbers of the support vectors, from 1, in the order of the model",
		 .key = CLI_NO_KEY),
	COMMON_FORCE(given.common),

	CLI_HEADING("Input:"),
	COMMON_ROWS(given.common),

	CLI_HEADING("Tuning:"),
	CLI_INT(0, "max-iter", &given.machine.options.max_rounds, 1, 9e15, "N",
		"stop after N rounds over the whole set",
		.otherwise = "no limit in exact, 7 for each model in budget, 100 in paper and "
			     "reweight"),
	CLI_INT(0, "sample", &given.machine.options.sample, 1, 9e15, "N",
		"number of examples in the first sample",
		.otherwise = "2000 in exact, F k in paper, 6 k^2 in reweight"),
	CLI_CHOICE(0, "solver", &settings.solver, solver_names, "NAME",
		   "solver of the working sets: native, libsvm, or auto, which is native except "
		   "in --mode reweight"),
	CLI_INT('k', NULL, &given.machine.options.k, 1, INT32_MAX, "N",
		"number of support vectors at which --mode paper stops, and Delta of --mode "
		"reweight",
		.otherwise = "32 ln(4 n / delta) / epsilon^2 for n examples", .key = "k"),
	CLI_REAL(0, "epsilon", &given.machine.options.epsilon, 1e-6, 1, "E",
		 "relative error of norms, in the formula for -k"),
	CLI_REAL(0, "delta", &given.machine.options.delta, 1e-300, 1, "D",
		 "probability of failure, in the formula for -k"),
	CLI_FLAG(0, "separable", &given.machine.options.separable,
		 "the classes are separable: 16 in place of 32 in the formula for -k"),
	CLI_REAL(0, "sample-factor", &given.machine.options.sample_factor, 1.000001, 1e9, "F",
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

static const struct cli_example mpi_examples[] = {
	{ "Two ranks on this machine",
	  "mpirun -n 2 randsvm-train-mpi -c 10 -g 0.01 a9a.gz a9a.model" },
	{ "And what each of them did",
	  "mpirun -n 2 randsvm-train-mpi -q --verbose -c 10 -g 0.01 a9a.gz a9a.model" },
	{ NULL, NULL }
};

static struct cli_program program = {
	.arguments = "[options] training_set_file [model_file]\n"
		     "[options] training_set_file ... model_file",
	.purpose = "Trains support vector machines as svm-train does. Files may be compressed by "
		   "gzip; \"-\" is standard input or output, @LIST the files that LIST names, "
		   "one a line.",
	.options = options,
	.examples = examples,
	.min_arguments = 1,
	.like_svm_train = true,
	.strict = &given.common.strict,
};

static void check_arguments(struct cli_run *run, int argc, char **argv)
{
	const int first = cli_parse(&program, argc, argv), n = argc - first;
	const char *const *names = (const char *const *)argv + first;
	/* svm-train ignores what is behind the second name */
	const int n_data = n > 2 && !given.common.strict ? n - 1 : 1;

	if (cli_given("-v") && given.n_folds < 2)
		cli_refuse("n-fold cross validation: n must >= 2");
	/* `part-*` without a model ends with a part */
	if (n_data > 1 && cli_is_file(names[n_data]) && file_kind(names[n_data]) != FILE_IS_MODEL)
		cli_fail("%s is no model: the model_file is to be named behind the files of data",
			 names[n_data]);
	given.data_name = cli_name_data(run, &given.data, names, n_data);
	settings.model_name = n > 1 ? names[n_data] : train_name_after(given.data_name, ".model");
}

static void name_files(struct cli_run *run)
{
	cli_run_writes(run, FILE_MODEL, cli_given("-v") ? NULL : settings.model_name, "model",
		       FILE_IS_MODEL);
	cli_run_writes(run, FILE_INDICES, settings.sv_indices, "indices", FILE_IS_OTHER);
	cli_run_writes(run, FILE_PREDICTIONS, settings.cv_predictions, "predictions",
		       FILE_IS_OTHER);
	cli_run_reads(run, settings.start, settings.start_indices, settings.checkpoint,
		      given.row_weights, given.common.groups);
	cli_run_name(run);
}

/* End with a failure if a gap is above that of --fail-on-gap. */
static void check_gap(const struct training_job *job)
{
	double worst = 0;

	for (int64_t q = 0; q < job->result.n_pairs; q++)
		worst = fmax(worst, fabs(certificate_relative_gap(
					    &job->result.pairs[q].solved.certificate)));
	if (worst > settings.most_gap)
		cli_fail("the relative gap is %.3g, above --fail-on-gap %g: no model is written",
			 worst, settings.most_gap);
}

static void train_and_write(struct training_job *job)
{
	cli_open_output(&job->run.file[FILE_MODEL]);
	cli_open_output(&job->run.file[FILE_INDICES]);
	train_job(job);
	check_gap(job);
	write_model(job);
	cli_run_phase(&job->run, "write");
}

int main(int argc, char **argv)
{
	struct training_job job = { .run = { .saves = true, .started = cli_seconds() } };
	struct machine_given asked;
	int status = train_ranks_start(&argc, &argv);

	if (status >= 0)
		return status;
	program.name = train_variant.name;
	if (train_variant.is_mpi)
		program.examples = mpi_examples;
	cli_run_begin(&job.run, &program, &given.common, argv);
	check_arguments(&job.run, argc, argv);
	train_check_options();
	train_ranks_check();
	name_files(&job.run);
	/* LIBSVM's arrays and kernel cache are in memory whatever the bound is */
	if (given.common.memory_mb > 0)
		train_refuse_engine(settings.mode != MODE_DIRECT, "--memory");
	common_bound_memory(&given.common, job.run.file[FILE_MODEL].name);
	train_ranks_settle();
	open_checkpoint();
	cli_run_report(&job.run);
	report_seed(job.run.report, "seed", given.machine.options.seed);
	cli_run_phases(&job.run);
	read_start(&job);
	read_training_rows(&job);
	asked = train_asked();
	check_problem(&job, &asked);
	find_start(&job);
	remark_data(&job, false);
	report_data(&job);
	if (cli_given("-v"))
		cross_validate_job(&job);
	else
		train_and_write(&job);
	if (job.run.file[FILE_MODEL].name)
		report_text(job.run.report, "model_file", job.run.file[FILE_MODEL].name);
	/*
	 * All of the files, or none.  The lines on standard output are flushed after that, because
	 * their reader may be gone already (`| grep -q`) and SIGPIPE would remove the files.  Until
	 * they are complete a signal keeps the outcome of the training in the checkpoint.
	 */
	cli_run_commit(&job.run);
	end_checkpoint(job.interrupted);
	return end_job(&job);
}
