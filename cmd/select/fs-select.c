/*
 * fs-select.c - choose features of a training set by one of thirteen methods, and write rows of
 * them
 *
 *     choosing (-m, -k)     choose_features() -> write_chosen()
 *     restoring (-r)        restore() -> apply_choice(), a stream of rows in constant memory
 *     folding (--fold)      restore() -> fold(), which reads no data
 *
 * by select_run() of select_rows.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common/read_rows.h"
#include "select.h"
#include "select/rrqr.h"

static const char *const rows_names[] = { "all", "sv", NULL };

struct select_settings settings = {
	.how = { .method = SELECT_RFE, /* method by default, unless choose_method() finds another */
		 .sketch_rows = ROW_SKETCH_ROWS,
		 .C = 1,
		 .eps = 0.001,
		 .p = 0.1,
		 .fraction = 0.1,
		 .seed = 1 },
	.data_name = "-",
	.output_name = "-",
};

static const struct cli_option options[] = {
	CLI_HEADING("Choice:"),
	CLI_CHOICE('m', "method", &settings.how.method, select_method_names, "METHOD",
		   "how features are chosen; with --unsupervised or --epsilon the default is bss\n"
		   "bss -- spectral sparsification: a guarantee for every margin\n"
		   "approx-bss -- bss of random combinations of the rows, for large data\n"
		   "leverage -- at random, by leverage scores\n"
		   "approx-leverage -- at random, by estimates of these scores\n"
		   "top -- the largest leverage scores\n"
		   "rrqr -- the pivots of a QR decomposition\n"
		   "rfe -- recursive elimination by the weights of a linear SVM\n"
		   "rmb -- the same by the change of the radius-margin bound\n"
		   "lpsvm -- the features of the linear programming SVM, about N\n"
		   "l1 -- the features of LIBLINEAR's SVM with the 1-norm, at the C that has N\n"
		   "t -- the largest t statistics of two classes (Welch)\n"
		   "f -- the largest F statistics of the classes, or of the correlation with the "
		   "targets\n"
		   "uniform -- at random, each feature with the same chance",
		   .not_with = "-r", .key = CLI_NO_KEY),
	CLI_INT('k', "features", &settings.how.n_features, 1, INT32_MAX, "N",
		"number of features to choose", .not_with = "-r", .key = "k"),
	CLI_TEXT('s', "save", &settings.save, "FILE", "save the choice to FILE", .not_with = "-r",
		 .key = CLI_NO_KEY),
	CLI_TEXT('r', "restore", &settings.restore, "FILE",
		 "apply the choice saved in FILE, and choose nothing", .key = "restored"),
	CLI_FLAG(0, "unsupervised", &settings.how.unsupervised, "choose by all rows",
		 .not_with = "-r", .key = CLI_NO_KEY),
	CLI_FLAG(0, "regression", &settings.how.regression,
		 "labels are the targets of a regression: choose by an epsilon-SVR",
		 .not_with = "-r"),
	CLI_SEED(0, "seed", &settings.how.seed, "N",
		 "start of the random numbers: same seed, same choice", .not_with = "-r",
		 .key = CLI_NO_KEY),
	CLI_FLAG(0, "certificate", &settings.how.whole_space,
		 "print how much the choice changes margin and radius of the rows it was made by",
		 .not_with = "-r"),
	COMMON_ROW_WEIGHTS(
		&settings.row_weights,
		"weights of the rows to choose by, which multiply C in the SVMs, the errors of "
		"lpsvm, and the rows in the means of t and f",
		.not_with = "-r"),
	CLI_REAL(0, "epsilon", &settings.how.epsilon, 1e-6, 1e6, "E",
		 "choose as many features as bss needs to keep squared lengths to a relative error "
		 "of E",
		 .not_with = "-k -r"),

	CLI_HEADING("Rows to write:"),
	CLI_FLAG(0, "list", &settings.list,
		 "write index, weight and score of each chosen feature, in order of choice, in "
		 "place of rows; the first line is a heading that begins with #"),
	CLI_TEXT(0, "names", &settings.names, "FILE",
		 "take the names of the features from FILE, line j for feature j, and show them "
		 "in --list and -s",
		 .needs = "--list -s", .key = CLI_NO_KEY),
	COMMON_OUTPUT(&settings.output_name, settings.common),
	CLI_FLAG(0, "renumber", &settings.renumber,
		 "call the chosen features 1, 2, ..., in ascending order", .not_with = "-r"),
	CLI_FLAG(0, "rescale", &settings.rescale,
		 "multiply values by the weights of their features (bss, leverage and their "
		 "approximations do so anyway)",
		 .not_with = "--no-rescale -r"),
	CLI_FLAG(0, "no-rescale", &settings.no_rescale, "write values as they are",
		 .not_with = "-r"),
	CLI_CHOICE(0, "rows", &settings.rows, rows_names, "WHICH",
		   "rows to write: all, or sv, the support vectors alone", .not_with = "--list -r"),
	COMMON_DIGITS(&settings.digits, "--fold --list --binary"),
	COMMON_BINARY(&settings.binary, "--fold --list"),
	COMMON_FORCE(settings.common),

	CLI_HEADING("Other results:"),
	CLI_TEXT(
		0, "fold", &settings.fold, "MODEL",
		"convert MODEL, a linear model trained on the chosen features, to the data as they "
		"were and write it to output_file; reads no data",
		.needs = "-r", .not_with = "--list --strict --allow-nonfinite"),

	CLI_INT('d', NULL, &settings.fold_features, 1, INT32_MAX, "N",
		"number of features of the data as they were: a LIBLINEAR model has a weight for "
		"each",
		.otherwise = "the highest that was chosen", .needs = "--fold",
		.key = "fold_features"),

	CLI_HEADING("Input and running:"),
	COMMON_REPORTING(settings.common),
	COMMON_ROWS(settings.common),

	CLI_HEADING("The SVM to choose by:"),
	CLI_FLAG(0, "supervised", &settings.supervised,
		 "choose by the support vectors of a linear SVM (this is the default)",
		 .not_with = "--unsupervised -r", .key = CLI_NO_KEY),
	CLI_REAL('c', NULL, &settings.how.C, 1e-300, 1e300, "cost", "C of the SVM to choose by",
		 .not_with = "-r", .key = "C"),
	CLI_REAL('e', NULL, &settings.how.eps, 1e-300, 1, "epsilon",
		 "tolerance of the termination criterion of the SVM to choose by",
		 .otherwise = "0.001; l1 0.01", .not_with = "-r", .key = "eps"),
	CLI_REAL('p', NULL, &settings.how.p, 0, 1e300, "epsilon",
		 "epsilon in the loss function of epsilon-SVR, with --regression", .not_with = "-r",
		 .key = "p"),

	CLI_HEADING("For one method:"),
	CLI_REAL(0, "nu", &settings.how.nu, 1e-300, 1e300, "NU",
		 "lpsvm, l1: choose by this weight of the errors, which for l1 is C, in place of N",
		 .not_with = "-k --epsilon -r"),
	CLI_CHOICE(0, "loss", &settings.how.loss, l1_loss_names, "LOSS",
		   "l1: loss function, squared-hinge or logistic", .not_with = "-r"),
	CLI_REAL(0, "fraction", &settings.how.fraction, 1e-9, 1, "F",
		 "rfe, rmb: share of the features to eliminate in a step", .not_with = "-r"),
	CLI_FLAG(0, "one", &settings.one, "rfe, rmb: eliminate one feature in a step",
		 .not_with = "--fraction -r"),
	CLI_CHOICE(0, "sampling", &settings.how.sampling, selector_sampling_names, "HOW",
		   "leverage, approx-leverage: how features are drawn\n"
		   "iid -- N times, with replacement\n"
		   "bernoulli -- each feature at most once, N on average",
		   .not_with = "-r"),
	CLI_CHOICE(0, "beyond", &settings.how.beyond, rrqr_beyond_names, "WHAT",
		   "rrqr: what follows when all pivots are chosen\n"
		   "restart -- the pivots of the other features\n"
		   "norm -- the longest columns\n"
		   "none -- nothing\n"
		   "lapack -- what the permutation of LAPACK has there",
		   .not_with = "-r"),
	CLI_INT('T', NULL, &settings.how.sketch_rows, 1, INT32_MAX, "ROWS",
		"approx-bss: number of random combinations of the rows", .not_with = "-r",
		.key = "sketch_rows"),
	CLI_FLAG(0, "all-features", &settings.how.all_features,
		 "uniform: choose also from features without values", .not_with = "-r"),
	CLI_REAL(0, "rank-tol", &settings.how.rank_tol, 1e-16, 0.999, "TOL",
		 "singular values of the rows up to TOL times the largest one count as 0",
		 .otherwise = "those that rounding cannot tell from 0", .not_with = "-r"),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Choose 20 features, save the choice, and apply it to test data",
	  "fs-select -k 20 -s chosen a9a.gz a9a.small\n"
	  "fs-select -r chosen a9a.t.gz a9a.t.small" },
	{ "List the ten features with the largest leverage scores",
	  "fs-select -m top -k 10 --list a1a.gz" },
	{ "Choose without labels, and say what is lost",
	  "fs-select --unsupervised -k 100 --certificate a1a.gz a1a.small" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "fs-select",
	.arguments = "[options] [training_set_file [output_file]]\n"
		     "-r selection_file [options] [data_file [output_file]]\n"
		     "-r selection_file --fold model_file [output_file]",
	.purpose =
		"Chooses features of a training set and writes the rows with these features alone. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
	.in_place_of_data = &settings.fold,
};
/* ---- the command line ---- */

/*
 * The method where -m does not name one, and why.  doc/features.md has the errors on new data by
 * which it is rfe.  Without labels, or where the size is to be that of a guarantee, it is bss.
 */
static void choose_method(void)
{
	if (cli_given("-m"))
		return;
	settings.why_method =
		"rfe, the default, by its errors on six public data sets; -m takes others";
	if (settings.how.unsupervised)
		settings.why_method = "bss, which needs no labels";
	if (settings.how.epsilon > 0)
		settings.why_method = "bss, whose guarantee --epsilon is about";
	if (settings.how.unsupervised || settings.how.epsilon > 0)
		settings.how.method = SELECT_BSS;
}

/* Refuse options that the method does not have. */
static void check_method(void)
{
	const enum select_method method = (enum select_method)settings.how.method;
	const int takes = selector_methods[method].takes;
	const bool trains = takes & SELECTOR_SVM;
	const struct cli_fit of_method[] = {
		{ "-T", takes & SELECTOR_SKETCH_ROWS },
		{ "--sampling", takes & SELECTOR_SAMPLING },
		{ "--beyond", takes & SELECTOR_BEYOND },
		{ "--fraction", takes & SELECTOR_FRACTION },
		{ "--one", takes & SELECTOR_FRACTION },
		{ "--nu", takes & SELECTOR_NU },
		{ "--loss", takes & SELECTOR_LOSS },
		{ "--all-features", takes & SELECTOR_ALL_FEATURES },
		/* of a number of features that follows from the rank, too */
		{ "--rank-tol", takes & SELECTOR_RANK_TOL || (settings.how.epsilon > 0 &&
							      method != SELECT_APPROX_LEVERAGE) },
		{ "--regression", takes & SELECTOR_REGRESSION },
		{ "--supervised", trains },
		{ "-c", trains },
		{ "-e", trains },
		{ "-p", trains },
		{ "--rows", trains },
	};

	cli_refuse_misfits(of_method, N_ELEMENTS(of_method), select_method_names[method]);
}

static void check_choosing(void)
{
	const struct selector_options *how = &settings.how;
	const char *why_unweighted;

	choose_method();
	check_method();
	if (how->unsupervised && how->method != SELECT_RFE && how->method != SELECT_RMB) {
		cli_refuse_together("--unsupervised", "-c --regression");
		if (how->method != SELECT_L1)
			cli_refuse_together("--unsupervised", "-e");
	}
	if (how->unsupervised && settings.rows == ROWS_SV)
		cli_refuse("--rows sv: there are no support vectors with --unsupervised");
	if (cli_given("-p") && !how->regression)
		cli_refuse("-p: is for --regression");
	why_unweighted = selector_methods[how->method].no_row_weights;
	if (settings.row_weights && why_unweighted)
		cli_refuse("-W is not for -m %s, which %s", select_method_names[how->method],
			   why_unweighted);
	if (how->n_features == 0 && how->epsilon == 0 && how->nu == 0)
		cli_refuse("-k: is missing: how many features?");
}

/* ---- the run ---- */

/* Open the outputs, and begin the report. */
static void open_files(struct select_job *job)
{
	struct cli_run *run = &job->run;
	/* a saved selection is listed without any data, whatever is named */
	const bool reads_data = !settings.fold && !(settings.restore && settings.list);

	cli_run_reads(run, reads_data ? settings.data_name : NULL, settings.restore, settings.names,
		      settings.fold, settings.row_weights);
	cli_run_writes(run, FILE_ROWS, settings.output_name, "output file",
		       settings.list ? FILE_IS_OTHER :
		       settings.fold ? FILE_IS_MODEL :
				       FILE_IS_ROWS);
	cli_run_writes(run, FILE_CHOICE, settings.save, "selection file", FILE_IS_MAP);
	cli_run_open(run);
	job->written.without_zeros = !settings.binary;
	report_text(run->settings, "method",
		    settings.restore ? "" : select_method_names[settings.how.method]);
	if (settings.how.method == SELECT_L1 &&
	    !settings.restore) /* tolerance of LIBLINEAR; "eps" is that of the SVM */
		report_number(run->settings, "l1_eps",
			      settings.how.l1_eps > 0 ? settings.how.l1_eps : L1_EPS);
	report_flag(run->settings, "supervised", !settings.how.unsupervised && !settings.restore);
	if (!settings.restore)
		report_text(run->settings, "restored", "");
	report_seed(run->report, "seed", settings.how.seed);
	cli_run_phases(run);
}

int main(int argc, char **argv)
{
	struct select_job job = { 0 };

	cli_run_begin(&job.run, &program, &settings.common, argv);
	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	settings.how.n_threads = (int)settings.common.n_threads;
	settings.how.max_bytes = mem_limit() / 2;
	if (settings.one)
		settings.how.fraction = 0;
	if (cli_given("-e"))
		settings.how.l1_eps = settings.how.eps;
	/* a list shows the choice alone: how rows are written only matters if saved */
	if (settings.list && !settings.save && !settings.how.whole_space)
		cli_refuse_together("--list", "--renumber --rescale --no-rescale");
	/* a saved selection is listed without reading data */
	if (settings.list && settings.restore)
		cli_refuse_together("-r --list", "--strict --allow-nonfinite");
	if (!settings.restore)
		check_choosing();
	cli_run_bound(&job.run, settings.output_name);
	open_files(&job);
	select_run(&job);
	selector_result_free(&job.choice);
	labelled_rows_free(&job.rows);
	dataset_free(&job.weighed);
	mem_free(job.weighed_row);
	selection_map_free(&job.map);
	feature_names_free(&job.names);
	if (settings.common.verbose)
		memory_tell();
	return cli_run_end(&job.run);
}
