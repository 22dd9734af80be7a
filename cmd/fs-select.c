/*
 * fs-select.c - features chosen with guarantees, and by what they are compared with
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "cli.h"
#include "io/binary.h"
#include "io/output.h"
#include "io/rows_text.h"
#include "io/stream.h"
#include "labelled_rows.h"
#include "matrix/blas.h"
#include "matrix/reduction.h"
#include "project/sizes.h"
#include "report.h"
#include "select/bss.h"
#include "select/leverage.h"
#include "select/lpsvm.h"
#include "select/rfe.h"
#include "select/rrqr.h"
#include "select/selection_map.h"
#include "select/sketch.h"
#include "select/uniform.h"
#include "solve/rfe_machine.h"
#include "solve/smo.h"
#include "solve/trainer.h"

enum { ROWS_ALL, ROWS_SV };
static const char *const rows_names[] = { "all", "sv", NULL };
static const char *const sampling_names[] = { "iid", "bernoulli", NULL };

static struct settings {
	int method, rows, sampling, beyond;
	int64_t n_features, sketch_rows, digits, n_threads;
	double epsilon, C, eps, p, fraction, nu, rank_tol;
	uint64_t seed;
	const char *save, *restore, *names, *report;
	bool supervised, unsupervised, regression, one, all_features, rescale, no_rescale, renumber,
		list, certificate, binary, compress, strict, allow_nonfinite, quiet, verbose, progress;
	bool method_given, k_given, epsilon_given, sampling_given, beyond_given, fraction_given,
		nu_given, sketch_given, rows_given, cost_given, digits_given;
	const char *data_name, *output_name;
} o = {
	.sketch_rows = SKETCH_ROWS, .C = 1, .eps = 0.001, .p = 0.1, .fraction = 0.1, .nu = 1,
	.seed = 1, .data_name = "-", .output_name = "-",
};

static const struct cli_option options[] = {
	CLI_GROUP("how to choose:"),
	{ 'm', "method", CLI_CHOICE, &o.method, 0, 0, "METHOD",
	  "bss, approx-bss, leverage, approx-leverage, top, rrqr, rfe, lpsvm or\n"
	  "\tuniform (default bss)\n"
	  "	bss         -- spectral sparsification: a guarantee for every margin\n"
	  "	approx-bss  -- of a sketch of the rows, for large data\n"
	  "	leverage    -- at random by leverage scores; approx-leverage: by estimates\n"
	  "	top         -- the largest leverage scores\n"
	  "	rrqr        -- the pivots of a QR decomposition\n"
	  "	rfe         -- recursive elimination by the weights of a linear SVM\n"
	  "	lpsvm       -- the linear programming SVM (about k of them)\n"
	  "	uniform     -- at random",
	  select_method_names, &o.method_given },
	{ 'k', "features", CLI_INT, &o.n_features, 1, INT32_MAX, "N", "features to choose", 0,
	  &o.k_given },
	{ 0, "epsilon", CLI_REAL, &o.epsilon, 1e-6, 1e6, "E",
	  "instead of -k: as many as bss needs for squared lengths within 1 + E", 0,
	  &o.epsilon_given },
	{ 0, "supervised", CLI_FLAG, &o.supervised, 0, 0, NULL,
	  "choose by the support vectors of a linear SVM (the default)", 0, 0 },
	{ 0, "unsupervised", CLI_FLAG, &o.unsupervised, 0, 0, NULL, "choose by all rows", 0, 0 },
	{ 'c', NULL, CLI_REAL, &o.C, 1e-300, 1e300, "cost",
	  "C of the SVM (default 1)", 0, &o.cost_given },
	{ 'e', NULL, CLI_REAL, &o.eps, 1e-300, 1, "epsilon",
	  "tolerance of its termination criterion (default 0.001)", 0, 0 },
	{ 0, "regression", CLI_FLAG, &o.regression, 0, 0, NULL,
	  "labels are targets: the SVM is epsilon-SVR", 0, 0 },
	{ 'p', NULL, CLI_REAL, &o.p, 0, 1e300, "epsilon",
	  "epsilon in its loss function (default 0.1)", 0, 0 },
	{ 'T', NULL, CLI_INT, &o.sketch_rows, 1, INT32_MAX, "ROWS",
	  "approx-bss: rows of the sketch (default 256)", 0, &o.sketch_given },
	{ 0, "sampling", CLI_CHOICE, &o.sampling, 0, 0, "HOW",
	  "leverage: iid, or bernoulli, each feature once at most (default iid)",
	  sampling_names, &o.sampling_given },
	{ 0, "beyond", CLI_CHOICE, &o.beyond, 0, 0, "WHAT",
	  "rrqr, beyond the rank: restart, norm, none or lapack (default restart)",
	  rrqr_beyond_names, &o.beyond_given },
	{ 0, "fraction", CLI_REAL, &o.fraction, 1e-9, 1, "F",
	  "rfe: eliminate this share of the features a step (default 0.1)", 0, &o.fraction_given },
	{ 0, "one", CLI_FLAG, &o.one, 0, 0, NULL, "rfe: eliminate one feature a step", 0, 0 },
	{ 0, "nu", CLI_REAL, &o.nu, 1e-300, 1e300, "NU",
	  "lpsvm: the weight of errors, instead of -k", 0, &o.nu_given },
	{ 0, "all-features", CLI_FLAG, &o.all_features, 0, 0, NULL,
	  "uniform: also features without values", 0, 0 },
	{ 0, "rank-tol", CLI_REAL, &o.rank_tol, 1e-16, 0.999, "TOL",
	  "singular values up to TOL times the largest count as 0", 0, 0 },
	{ 0, "seed", CLI_SEED, &o.seed, 0, 0, "N", "same seed, same choice (default 1)", 0, 0 },
	CLI_GROUP("what to write:"),
	{ 0, "rows", CLI_CHOICE, &o.rows, 0, 0, "WHICH",
	  "all, or sv: the support vectors alone (default all)", rows_names, &o.rows_given },
	{ 0, "rescale", CLI_FLAG, &o.rescale, 0, 0, NULL,
	  "multiply values by the weights (so bss and leverage do)", 0, 0 },
	{ 0, "no-rescale", CLI_FLAG, &o.no_rescale, 0, 0, NULL, "leave values as they are", 0, 0 },
	{ 0, "renumber", CLI_FLAG, &o.renumber, 0, 0, NULL,
	  "call the features 1, 2, ..., in ascending order", 0, 0 },
	{ 0, "list", CLI_FLAG, &o.list, 0, 0, NULL,
	  "write index, weight and score of each, in order of choice, instead of data", 0, 0 },
	{ 0, "names", CLI_TEXT, &o.names, 0, 0, "FILE",
	  "line j of FILE is the name of feature j: --list and -s show it", 0, 0 },
	{ 0, "certificate", CLI_FLAG, &o.certificate, 0, 0, NULL,
	  "print what the choice does to the span of the rows it was made by", 0, 0 },
	{ 's', "save", CLI_TEXT, &o.save, 0, 0, "FILE", "save the selection", 0, 0 },
	{ 'r', "restore", CLI_TEXT, &o.restore, 0, 0, "FILE",
	  "apply a saved selection: nothing is chosen", 0, 0 },
	{ 0, "digits", CLI_INT, &o.digits, 1, 17, "N",
	  "write so many significant digits at most (default: all)", 0, &o.digits_given },
	{ 0, "binary", CLI_FLAG, &o.binary, 0, 0, NULL,
	  "write the binary form, for other programs of randsvm", 0, 0 },
	{ 'z', NULL, CLI_FLAG, &o.compress, 0, 0, NULL,
	  "gzip the output_file (so it is when its name ends in .gz)", 0, 0 },
	CLI_GROUP("other:"),
	{ 0, "strict", CLI_FLAG, &o.strict, 0, 0, NULL,
	  "refuse empty lines, comment lines and qid as svm-train does", 0, 0 },
	{ 0, "allow-nonfinite", CLI_FLAG, &o.allow_nonfinite, 0, 0, NULL, "accept nan and inf", 0, 0 },
	{ 0, "report", CLI_TEXT, &o.report, 0, 0, "FILE", "write a report in JSON", 0, 0 },
	{ 'q', NULL, CLI_FLAG, &o.quiet, 0, 0, NULL, "quiet mode (no progress, no remarks)", 0, 0 },
	{ 0, "verbose", CLI_FLAG, &o.verbose, 0, 0, NULL, "explain decisions on standard error", 0, 0 },
	{ 0, "progress", CLI_FLAG, &o.progress, 0, 0, NULL,
	  "show progress even where standard error is no terminal", 0, 0 },
	{ 0, "threads", CLI_INT, &o.n_threads, 1, THREAD_MAX, "N",
	  "threads to use; the bytes do not depend on it (default: all cores)", 0, 0 },
	CLI_END
};

static const struct cli_program program = {
	.name = "fs-select",
	.arguments = "[options] [training_set_file [output_file]]",
	.purpose = "Chooses features, and writes the rows with those alone. Files may be gzipped; "
		   "without\none, or with \"-\", standard input and output.",
	.example = "fs-select -m bss -k 300 -s chosen train.gz small.gz",
	.options = options,
};

struct job {
	struct labelled_rows rows;
	struct dataset part;		/* what is chosen by: the support vectors, or all rows */
	int64_t *part_row, n_part;	/* their places in 'rows', ascending */
	struct classes classes;
	struct training training;
	struct selection_map map;
	struct feature_names names;
	struct row_space space;		/* of 'part'; where it was needed */
	bool has_space;
	struct output *output, *map_output, *report_output;
	struct report *report, *seconds, *results;
	FILE *info;			/* where a certificate goes */
	struct cli_progress progress;
	double started, phase_started;
};

/* ---- the command line ---- */

_Noreturn static void refuse(const char *option, const char *reason)
{
	cli_fail("%s: %s: %s; try '%s --help'", program.name, option, reason, program.name);
}

static void read_arguments(int argc, char **argv)
{
	int first = cli_parse(&program, argc, argv);

	if (argc == 1)
		cli_usage(&program);
	if (first < argc)
		o.data_name = argv[first++];
	if (first < argc)
		o.output_name = argv[first++];
	if (first < argc)
		cli_fail("%s: one file name too many: '%s'", program.name, argv[first]);
}

/* Options of one method only, and of choosing at all. */
static void check_concern(void)
{
	const struct {
		bool given;
		const char *name;
		bool fits;
	} special[] = {
		{ o.sketch_given, "-T", o.method == SELECT_APPROX_BSS },
		{ o.sampling_given, "--sampling",
		  o.method == SELECT_LEVERAGE || o.method == SELECT_APPROX_LEVERAGE },
		{ o.beyond_given, "--beyond", o.method == SELECT_RRQR },
		{ o.fraction_given, "--fraction", o.method == SELECT_RFE },
		{ o.one, "--one", o.method == SELECT_RFE },
		{ o.nu_given, "--nu", o.method == SELECT_LPSVM },
		{ o.all_features, "--all-features", o.method == SELECT_UNIFORM },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].given && !special[i].fits)
			cli_fail("%s: %s: is not for %s; try '%s --help'", program.name,
				 special[i].name, select_method_names[o.method], program.name);
}

static void check_restore(void)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ o.save, "-s" }, { o.method_given, "-m" }, { o.k_given, "-k" },
		{ o.epsilon_given, "--epsilon" }, { o.supervised, "--supervised" },
		{ o.unsupervised, "--unsupervised" }, { o.cost_given, "-c" },
		{ o.rows_given, "--rows" }, { o.certificate, "--certificate" },
		{ o.rescale, "--rescale" }, { o.no_rescale, "--no-rescale" },
		{ o.renumber, "--renumber" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			cli_fail("%s: cannot use -r and %s simultaneously; try '%s --help'",
				 program.name, others[i].name, program.name);
}

static void check_options(void)
{
	if (o.digits_given && o.binary)
		refuse("--digits", "is for text, not for --binary");
	if (o.list && o.binary)
		refuse("--list", "writes no rows, so none in --binary");
	check_concern();
	if (o.restore) {
		check_restore();
		return;
	}
	if (o.supervised && o.unsupervised)
		refuse("--supervised", "or --unsupervised, not both");
	if (o.rescale && o.no_rescale)
		refuse("--rescale", "or --no-rescale, not both");
	if (o.unsupervised && o.rows == ROWS_SV)
		refuse("--rows sv", "there are no support vectors with --unsupervised");
	if (o.one && o.fraction_given)
		refuse("--one", "or --fraction, not both");
	if (o.k_given + o.epsilon_given + o.nu_given > 1)
		refuse("-k", "or --epsilon or --nu, only one of them");
	if (!o.k_given && !o.epsilon_given && !o.nu_given)
		refuse("-k", "is missing: how many features?");
}

static void keep_files_apart(void)
{
	const char *const outputs[] = { o.output_name, o.save, o.report };
	const char *const inputs[] = { o.data_name, o.restore, o.names };

	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			cli_keep_apart(outputs[i], inputs[j]);
		for (int j = i + 1; j < 3; j++)
			cli_keep_apart(outputs[j], outputs[i]);
	}
}

static struct output *open_output(const char *name, bool compress, const char *what)
{
	struct output *output;
	struct error err = { 0 };

	if (output_open(&output, name, compress, &err) < 0)
		cli_fail("can't open %s %s: %s", what, name, err.text);
	return output;
}

static void begin_phase(struct job *job)
{
	job->phase_started = cli_seconds();
}

static void end_phase(struct job *job, const char *name)
{
	report_number(job->seconds, name, cli_seconds() - job->phase_started);
}

_Noreturn static void fail(const struct error *err)
{
	cli_fail("%s: %s", program.name, err->text);
}

/* ---- what is chosen by ---- */

static void read_rows(struct job *job)
{
	const struct rows_options format = { .strict = o.strict,
					     .allow_nonfinite = o.allow_nonfinite,
					     .keep_text = !o.binary };
	struct error err = { 0 };
	struct stream *stream;

	begin_phase(job);
	if (stream_open(&stream, o.data_name, &err) < 0)
		cli_fail("can't open input file %s: %s", o.data_name, err.text);
	cli_progress_start(&job->progress, "reading", o.progress, o.quiet);
	labelled_rows_read(&job->rows, stream, &format, &job->progress, (int)o.n_threads, &err);
	cli_progress_end(&job->progress);
	if (err.code != ERR_NONE)
		cli_fail_input(o.data_name, &err);
	stream_close(stream);
	end_phase(job, "read");
}

/* Does anything need the labels to be classes or targets? */
static bool needs_machine(void)
{
	return !o.unsupervised || o.method == SELECT_RFE || o.method == SELECT_LPSVM;
}

static void set_up_machine(struct job *job)
{
	struct error err = { 0 };

	job->training = (struct training){
		.type = o.regression ? MACHINE_EPSILON_SVR : MACHINE_C_SVC,
		.kernel = { .type = KERNEL_LINEAR }, .C = o.C, .p = o.p, .cache_mb = 100,
		.eps = o.eps, .shrinking = 1, .nu = 0.5,
	};
	if (o.regression && o.method == SELECT_LPSVM)
		refuse("--regression", "lpsvm is for classes");
	if (!needs_machine() || o.regression)
		return;
	if (classes_init(&job->classes, &job->rows.data, &err) < 0)
		cli_fail("%s: %s: %s (for targets say --regression, to look at no label "
			 "--unsupervised)", program.name, o.data_name, err.text);
	if (job->classes.n < 2 && !o.unsupervised)
		cli_fail("%s: %s: there is only one class, so no support vectors; say --unsupervised",
			 program.name, o.data_name);
	if (o.method == SELECT_LPSVM && job->classes.n != 2)
		cli_fail("%s: %s: lpsvm is for two classes, not %d", program.name, o.data_name,
			 job->classes.n);
}

static int compare_rows(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The support vectors of the machine, of all pairs of classes together. */
static int find_support_vectors(struct job *job, struct error *err)
{
	const struct randsvm_options working_sets = {
		.mode = WORKING_SET_EXACT, .seed = o.seed, .eps = o.eps,
		.n_threads = (int)o.n_threads,
	};
	const struct solver solver = smo_solver(1000, (int)o.n_threads);
	const struct classes *classes = o.regression ? NULL : &job->classes;
	const struct libsvm_messages silent = { 0 };
	struct trainer trainer = { .data = &job->rows.data, .training = &job->training,
				   .options = &working_sets, .solver = &solver,
				   .messages = &silent };
	int64_t n_pairs = classes ? solution_n_pairs(classes->n) : 1;
	struct pair_result *pairs = mem_zeroed(n_pairs, sizeof(*pairs), err);
	struct solution solution = { 0 };
	int ret = -1;

	if (pairs)
		ret = trainer_direct_reason(&trainer, classes) ?
			      trainer_run_direct(&trainer, &solution, err) :
			      trainer_run(&trainer, classes, &solution, pairs, err);
	free(pairs);
	if (ret < 0)
		return -1;
	job->part_row = solution.sv_row;
	job->n_part = solution.n_sv;
	solution.sv_row = NULL;
	solution_free(&solution);
	qsort(job->part_row, (size_t)job->n_part, sizeof(*job->part_row), compare_rows);
	return 0;
}

/* All rows, without a copy. */
static void take_all_rows(struct job *job)
{
	job->part = job->rows.data;
	job->n_part = job->part.x.n_rows;
}

static void find_part(struct job *job)
{
	struct error err = { 0 };

	begin_phase(job);
	set_up_machine(job);
	if (o.unsupervised) {
		take_all_rows(job);
		return;
	}
	cli_progress_text(&job->progress, "training");
	if (find_support_vectors(job, &err) < 0 ||
	    dataset_gather(&job->part, &job->rows.data, job->part_row, job->n_part, &err) < 0)
		fail(&err);
	if (job->n_part == 0)
		cli_fail("%s: %s: there are no support vectors; say --unsupervised", program.name,
			 o.data_name);
	if (o.verbose)
		cli_warn("%" PRId64 " of %" PRId64 " rows are support vectors", job->n_part,
			 job->rows.data.x.n_rows);
	end_phase(job, "train");
}

/* ---- choosing ---- */

static struct row_space_options space_options(void)
{
	return (struct row_space_options){ .rank_tol = o.rank_tol, .n_threads = (int)o.n_threads };
}

static void need_space(struct job *job)
{
	const struct row_space_options how = space_options();
	struct error err = { 0 };

	if (job->has_space)
		return;
	if (row_space_init(&job->space, &job->part.x, &how, &err) < 0)
		fail(&err);
	if (job->space.rank == 0)
		cli_fail("%s: %s: the rows that count have no features", program.name, o.data_name);
	job->has_space = true;
	if (o.verbose)
		cli_warn("rank %" PRId64 " of %" PRId64 " rows and %" PRId64 " features%s",
			 job->space.rank, job->n_part, job->space.columns.n,
			 job->space.by_qr ? ", by QR" : "");
}

/* -k, or what --epsilon makes of the rank. */
static void choose_size(struct job *job)
{
	if (!o.epsilon_given)
		return;
	need_space(job);
	o.n_features = sizes_for_error(job->space.rank, o.epsilon);
	if (!o.quiet)
		cli_warn("k = %" PRId64 " = rho / (sqrt(1 + E) - 1)^2 with the rank rho = %" PRId64
			 " (the paper: 36 rho / E^2 = %" PRId64 ")", o.n_features, job->space.rank,
			 sizes_of_paper(job->space.rank, o.epsilon));
	if (o.n_features > INT32_MAX)
		o.n_features = INT32_MAX;
}

static void show_progress(void *arg, int64_t done, int64_t total)
{
	cli_progress_text(&((struct job *)arg)->progress, "choosing: %" PRId64 " of %" PRId64, done,
			  total);
}

static void tell_of_bss(struct job *job, const struct bss_report *r)
{
	report_count(job->results, "rank", r->dimension);
	report_count(job->results, "visited", r->n_visited);
	report_count(job->results, "chosen_again", r->n_again);
	report_number(job->results, "least_eigenvalue", r->least);
	report_number(job->results, "largest_eigenvalue", r->largest);
	if (r->truncated && !o.quiet)
		cli_warn("warning: -k %" PRId64 " is not above the rank: only the %" PRId64
			 " largest directions count, and nothing bounds the others", o.n_features,
			 r->dimension);
	if (r->all && !o.quiet)
		cli_warn("no more than %" PRId64 " features have values: all are taken, as they are",
			 o.n_features);
	if (!o.verbose)
		return;
	cli_warn("%" PRId64 " features looked at, %" PRId64 " at most in a step; %" PRId64
		 " steps took one again, %" PRId64 " one that rounding spoilt", r->n_visited,
		 r->max_visited, r->n_again, r->n_forced);
	cli_warn("eigenvalues of sum w^2 v v' from %g to %g, bounds %g and %g", r->least, r->largest,
		 r->low, r->high);
}

static int choose_bss(struct job *job, const struct row_space *space, struct error *err)
{
	const struct bss_options how = { .n_features = o.n_features, .n_threads = (int)o.n_threads,
					 .progress = show_progress, .arg = job };
	struct bss_report report = { 0 };

	if (bss_select(&job->map.chosen, space, &how, &report, err) < 0)
		return -1;
	tell_of_bss(job, &report);
	return 0;
}

static int choose_approx_bss(struct job *job, struct error *err)
{
	const struct sketch_options how = { .n_rows = o.sketch_rows, .seed = o.seed,
					    .space = space_options() };
	struct row_space space = { 0 };
	bool sketched;
	int ret;

	if (sketch_row_space(&space, &job->part.x, &how, &sketched, err) < 0)
		return -1;
	if (sketched && o.n_features <= space.rank)
		cli_fail("%s: -k: approx-bss takes more features than the sketch has rows, %" PRId64
			 ": a smaller -T, or a larger -k", program.name, space.rank);
	if (o.verbose)
		cli_warn(sketched ? "a sketch of %" PRId64 " rows" : "no sketch: the rank is %" PRId64,
			 space.rank);
	ret = choose_bss(job, &space, err);
	row_space_free(&space);
	return ret;
}

static int choose_by_leverage(struct job *job, struct error *err)
{
	const struct leverage_options how = { .seed = o.seed, .n_threads = (int)o.n_threads };
	enum leverage_rule rule = o.method == SELECT_TOP ? LEVERAGE_TOP :
				  o.sampling == 0 ? LEVERAGE_IID : LEVERAGE_BERNOULLI;
	struct leverage l = { 0 };
	int ret;

	if (o.method == SELECT_APPROX_LEVERAGE) {
		ret = leverage_approximate(&l, &job->part.x, &how, err);
	} else {
		need_space(job);
		ret = leverage_exact(&l, &job->space, (int)o.n_threads, err);
	}
	if (ret == 0 && l.rank == 0)
		ret = error_set(err, ERR_ARGUMENT, "%s: the rows that count have no features",
				o.data_name);
	if (ret == 0)
		ret = leverage_select(&job->map.chosen, &l, o.n_features, rule, o.seed, err);
	leverage_free(&l);
	return ret;
}

static int choose_rrqr(struct job *job, struct error *err)
{
	const struct rrqr_options how = { .n_features = o.n_features,
					  .beyond = (enum rrqr_beyond)o.beyond,
					  .n_threads = (int)o.n_threads };
	int64_t rank;

	if (rrqr_select(&job->map.chosen, &job->part.x, &how, &rank, err) < 0)
		return -1;
	report_count(job->results, "pivots", rank);
	if (o.verbose)
		cli_warn("%" PRId64 " pivots%s", rank,
			 rank < o.n_features ? ", and more beyond the rank" : "");
	return 0;
}

/* ---- rfe: a machine for each pair of classes, or one for the targets ---- */

/* The classes of 'part', where rows are left out of it. */
static int make_problems(struct job *job, struct classes *classes, struct problem *problem,
			 struct error *err)
{
	const struct dataset *d = &job->part;
	int64_t q = 0;

	if (o.regression)
		return regression_problem(problem, d, &job->training, err);
	for (int a = 0; a < classes->n; a++)
		for (int b = a + 1; b < classes->n; b++, q++)
			if (classes_pair_problem(&problem[q], classes, a, b, false, d, &job->training,
						 err) < 0)
				return -1;
	return 0;
}

static int eliminate(struct job *job, const struct problem *problem, int n, struct error *err)
{
	struct rfe_machine *machine = mem_zeroed(n, sizeof(*machine), err);
	struct rfe_machines machines = { n, machine };
	const struct rfe_trainer trainer = { n, rfe_machines_train, &machines };
	const struct rfe_options how = { .n_features = o.n_features,
					 .fraction = o.one ? 0 : o.fraction,
					 .n_threads = (int)o.n_threads };
	int ret = -1;

	if (!machine)
		return -1;
	for (int q = 0; q < n; q++)
		machine[q] = (struct rfe_machine){ .problem = problem[q].view, .eps = o.eps,
						   .seed = o.seed, .n_threads = (int)o.n_threads };
	ret = rfe_select(&job->map.chosen, &job->part.x, &how, &trainer, err);
	free(machine);
	return ret;
}

static int choose_rfe(struct job *job, struct error *err)
{
	struct classes classes = { 0 };
	struct problem *problem = NULL;
	int n = 1, ret = -1;

	if (!o.regression && classes_init(&classes, &job->part, err) < 0)
		return -1;
	if (!o.regression)
		n = (int)solution_n_pairs(classes.n);
	if (n == 0)
		error_set(err, ERR_ARGUMENT, "%s: rfe needs two classes", o.data_name);
	else
		problem = mem_zeroed(n, sizeof(*problem), err);
	if (problem && make_problems(job, &classes, problem, err) == 0)
		ret = eliminate(job, problem, n, err);
	for (int q = 0; problem && q < n; q++)
		problem_free(&problem[q]);
	free(problem);
	classes_free(&classes);
	return ret;
}

static int choose_lpsvm(struct job *job, struct error *err)
{
	const struct lpsvm_options how = { .nu = o.nu, .target = o.nu_given ? 0 : o.n_features,
					   .n_threads = (int)o.n_threads };
	struct lpsvm_result result;
	double *y = mem_array(job->n_part, sizeof(*y), err);
	int ret = -1;

	for (int64_t i = 0; y && i < job->n_part; i++)
		y[i] = (int)job->part.y[i] == job->classes.label[0] ? 1 : -1;
	if (y)
		ret = lpsvm_select(&job->map.chosen, &job->part.x, y, &how, &result, err);
	free(y);
	if (ret < 0)
		return -1;
	report_number(job->results, "nu", result.nu);
	report_number(job->results, "primal", result.primal);
	report_number(job->results, "dual", result.dual);
	if (!result.converged)
		cli_warn("warning: lpsvm ended with a relative gap of %g", result.gap);
	if (o.verbose)
		cli_warn("nu = %g: %" PRId64 " features, objective between %g and %g", result.nu,
			 job->map.chosen.n, result.dual, result.primal);
	return 0;
}

static int choose_uniform(struct job *job, struct error *err)
{
	const struct uniform_options how = { o.n_features, o.all_features, o.seed };

	return uniform_select(&job->map.chosen, &job->part.x, &how, err);
}

static int choose_by_method(struct job *job, struct error *err)
{
	switch ((enum select_method)o.method) {
	case SELECT_BSS:
		need_space(job);
		return choose_bss(job, &job->space, err);
	case SELECT_APPROX_BSS:
		return choose_approx_bss(job, err);
	case SELECT_LEVERAGE:
	case SELECT_APPROX_LEVERAGE:
	case SELECT_TOP:
		return choose_by_leverage(job, err);
	case SELECT_RRQR:
		return choose_rrqr(job, err);
	case SELECT_RFE:
		return choose_rfe(job, err);
	case SELECT_LPSVM:
		return choose_lpsvm(job, err);
	case SELECT_UNIFORM:
		return choose_uniform(job, err);
	}
	return error_set(err, ERR_ARGUMENT, "no such method");
}

/* Do the theorems multiply values by the weights? */
static bool weights_count(void)
{
	return o.method == SELECT_BSS || o.method == SELECT_APPROX_BSS ||
	       o.method == SELECT_LEVERAGE || o.method == SELECT_APPROX_LEVERAGE;
}

static void choose(struct job *job)
{
	struct error err = { 0 };

	begin_phase(job);
	cli_progress_start(&job->progress, "choosing", o.progress, o.quiet);
	choose_size(job);
	if (choose_by_method(job, &err) < 0)
		fail(&err);
	job->map.method = o.method;
	job->map.rescale = o.rescale || (weights_count() && !o.no_rescale);
	job->map.renumber = o.renumber;
	if (selection_map_prepare(&job->map, &err) < 0)
		fail(&err);
	cli_progress_end(&job->progress);
	end_phase(job, "choose");
	if (job->map.chosen.n < o.n_features && !o.quiet && !o.nu_given)
		cli_warn("%" PRId64 " features were chosen, not %" PRId64, job->map.chosen.n,
			 o.n_features);
}

/* ---- the certificate ---- */

static void print_bounds(FILE *to, const char *what, struct ratio_bounds b, const char *when)
{
	fprintf(to, "%s: squared, %g to %g times that of the rows%s\n", what, b.low, b.high, when);
}

static void certify(struct job *job)
{
	const struct selection *s = &job->map.chosen;
	struct reduction_certificate c;
	struct error err = { 0 };

	if (!o.certificate)
		return;
	need_space(job);
	if (reduction_certify_features(&c, &job->space, s->feature,
				       job->map.rescale ? s->weight : NULL, s->n, &err) < 0)
		cli_fail("%s: --certificate: %s", program.name, err.text);
	fprintf(job->info, "rows = %" PRId64 ", rank = %" PRId64 ", features = %" PRId64 "\n",
		job->n_part, c.rank, s->n);
	fprintf(job->info, "lambda_min = %g, lambda_max = %g, E = %g\n", c.lambda_min, c.lambda_max,
		c.error);
	print_bounds(job->info, "margin", reduction_margin(&c), ", for any C");
	print_bounds(job->info, "margin without slack", reduction_hard_margin(&c), "");
	print_bounds(job->info, "radius", reduction_radius(&c), "");
	if (c.lambda_min == 0)
		fprintf(job->info, "lambda_min is 0: nothing holds from below\n");
	report_count(job->results, "rank", c.rank);
	report_number(job->results, "lambda_min", c.lambda_min);
	report_number(job->results, "lambda_max", c.lambda_max);
	report_number(job->results, "epsilon_measured", c.error);
	report_number(job->results, "kappa", c.kappa);
}

/* ---- writing ---- */

/* What comes out, in whatever form. */
struct writer {
	struct output *output;
	struct binary_totals totals;
	struct row_batch chosen;
	struct byte_buffer bytes;
};

static int format_rows(const struct selection_map *map, const struct row_batch *rows, int64_t first,
		       int64_t n, struct row_batch *chosen, struct byte_buffer *bytes,
		       struct error *err)
{
	const struct rows_text_options text = { .digits = (int)o.digits };

	bytes->size = 0;
	if (selection_map_apply(map, rows, first, n, chosen, err) < 0)
		return -1;
	return o.binary ? binary_add_rows(bytes, chosen, 8, err) :
			  rows_text_append(bytes, chosen, &text, err);
}

static int write_bytes(struct writer *w, const struct byte_buffer *bytes, struct error *err)
{
	if (o.binary)
		binary_count(&w->totals, bytes->bytes, bytes->size, 8);
	return output_write(w->output, bytes->bytes, bytes->size, err);
}

/* What comes before and after the rows in binary form. */
static int write_mark(struct writer *w, bool end, struct error *err)
{
	struct byte_buffer mark = { 0 };
	int ret = 0;

	if (o.binary)
		ret = end ? binary_add_end(&mark, &w->totals, err) :
			    binary_add_header(&mark, 8, err);
	if (ret == 0 && mark.size > 0)
		ret = output_write(w->output, mark.bytes, mark.size, err);
	free(mark.bytes);
	return ret;
}

#define ROWS_AT_ONCE 4096

/* Those in memory: all, or the support vectors. */
static int write_kept_rows(struct job *job, struct writer *w, struct error *err)
{
	const int64_t *row = o.rows == ROWS_SV ? job->part_row : NULL;
	int64_t n = row ? job->n_part : job->rows.data.x.n_rows;
	struct row_batch rows = { 0 };
	int ret = 0;

	for (int64_t first = 0; first < n && ret == 0; first += ROWS_AT_ONCE) {
		int64_t count = n - first < ROWS_AT_ONCE ? n - first : ROWS_AT_ONCE;

		ret = labelled_rows_batch(&rows, &job->rows, row, first, count, err);
		if (ret == 0)
			ret = format_rows(&job->map, &rows, 0, count, &w->chosen, &w->bytes, err);
		if (ret == 0)
			ret = write_bytes(w, &w->bytes, err);
	}
	row_batch_free(&rows);
	return ret;
}

static void write_list(struct job *job)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	if (selection_map_list(&job->map, o.names ? &job->names : NULL, &text, &err) < 0 ||
	    output_write(job->output, text.bytes, text.size, &err) < 0)
		cli_fail("can't write output file %s: %s", o.output_name, err.text);
	free(text.bytes);
}

static void write_chosen(struct job *job)
{
	struct writer w = { .output = job->output };
	struct error err = { 0 };

	begin_phase(job);
	if (o.list)
		write_list(job);
	else if (write_mark(&w, false, &err) < 0 || write_kept_rows(job, &w, &err) < 0 ||
		 write_mark(&w, true, &err) < 0)
		cli_fail("can't write output file %s: %s", o.output_name, err.text);
	row_batch_free(&w.chosen);
	free(w.bytes.bytes);
	end_phase(job, "write");
}

/* ---- a saved selection, applied to a stream ---- */

struct applying {
	struct job *job;
	struct writer writer;
	int64_t n_rows;
};

/* A thread's room. */
struct worker {
	struct row_batch chosen;
	struct byte_buffer bytes;
};

static int apply_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct applying *a = arg;
	struct worker *w = user;

	return format_rows(&a->job->map, batch, 0, batch->n_rows, &w->chosen, &w->bytes, err);
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct applying *a = arg;

	a->n_rows += batch->n_rows;
	return write_bytes(&a->writer, &((struct worker *)user)->bytes, err);
}

static void show_bytes(void *arg, int64_t taken, int64_t total)
{
	cli_progress_bytes(&((struct applying *)arg)->job->progress, taken, total);
}

static void apply_selection(struct job *job)
{
	struct applying a = { .job = job, .writer = { .output = job->output } };
	struct worker workers[THREAD_MAX] = { 0 };
	void *users[THREAD_MAX];
	const struct rows_options format = { .strict = o.strict,
					     .allow_nonfinite = o.allow_nonfinite,
					     .keep_text = !o.binary };
	const struct rows_visitor visitor = { apply_rows, write_rows, show_bytes, &a, users };
	struct error err = { 0 };
	struct stream *stream;

	if (stream_open(&stream, o.data_name, &err) < 0)
		cli_fail("can't open input file %s: %s", o.data_name, err.text);
	for (int i = 0; i < o.n_threads; i++)
		users[i] = &workers[i];
	cli_progress_start(&job->progress, "applying", o.progress, o.quiet);
	if (write_mark(&a.writer, false, &err) == 0)
		rows_scan(stream, &format, &visitor, (int)o.n_threads, &err);
	cli_progress_end(&job->progress);
	stream_close(stream);
	if (err.code == ERR_NONE && a.n_rows == 0)
		error_set(&err, ERR_FORMAT, "%s: no examples", o.data_name);
	if (err.code == ERR_NONE)
		write_mark(&a.writer, true, &err);
	if (err.code != ERR_NONE)
		cli_fail_input(o.data_name, &err);
	for (int i = 0; i < o.n_threads; i++) {
		row_batch_free(&workers[i].chosen);
		free(workers[i].bytes.bytes);
	}
	report_count(report_object(job->report, "data"), "rows", a.n_rows);
}

/* ---- maps and reports ---- */

static void restore(struct job *job)
{
	struct error err = { 0 };

	if (selection_map_load(&job->map, o.restore, &err) < 0)
		cli_fail(err.code == ERR_IO ? "can't open selection file %s: %s" : "%.0s%s", o.restore,
			 err.text);
}

static void save(struct job *job)
{
	struct error err = { 0 };

	if (!o.save)
		return;
	if (selection_map_save(&job->map, o.names ? &job->names : NULL, job->map_output, &err) < 0 ||
	    output_commit(job->map_output, &err) < 0)
		cli_fail("can't write selection file %s: %s", o.save, err.text);
}

static void read_names(struct job *job)
{
	struct error err = { 0 };

	if (o.names && feature_names_read(&job->names, o.names, &err) < 0)
		cli_fail(err.code == ERR_IO ? "can't open names file %s: %s" : "%.0s%s", o.names,
			 err.text);
}

static void start_report(struct job *job)
{
	struct report *settings;

	if (!o.report)
		return;
	job->report_output = open_output(o.report, false, "report file");
	job->report = report_new(program.name);
	settings = report_object(job->report, "settings");
	report_text(settings, "method", select_method_names[o.method]);
	report_count(settings, "k", o.n_features);
	report_number(settings, "epsilon", o.epsilon);
	report_flag(settings, "supervised", !o.unsupervised);
	report_number(settings, "C", o.C);
	report_number(settings, "eps", o.eps);
	report_text(settings, "restored", o.restore ? o.restore : "");
	report_count(settings, "threads", o.n_threads);
	report_seed(job->report, "seed", o.seed);
	job->seconds = report_object(job->report, "seconds_per_phase");
	job->results = report_object(job->report, "selection");
}

static void report_rows(const struct job *job)
{
	struct report *data = report_object(job->report, "data");

	report_text(data, "file", o.data_name);
	report_count(data, "rows", job->rows.data.x.n_rows);
	report_count(data, "entries", csr_n_entries(&job->rows.data.x));
	report_count(data, "max_index", job->rows.data.max_index);
	report_count(data, "classes", job->classes.n);
	report_count(job->results, "rows_chosen_by", job->n_part);
}

static void finish_report(struct job *job)
{
	struct error err = { 0 };

	report_count(job->results, "features", job->map.chosen.n);
	report_flag(job->results, "rescaled", job->map.rescale);
	report_number(job->report, "seconds", cli_seconds() - job->started);
	report_count(job->report, "peak_memory_bytes", cli_peak_memory());
	if (report_write(job->report, job->report_output, &err) < 0)
		cli_fail("can't write report file %s: %s", o.report, err.text);
}

/* ---- all together ---- */

static void choose_and_write(struct job *job)
{
	read_rows(job);
	find_part(job);
	choose(job);
	certify(job);
	report_rows(job);
	write_chosen(job);
}

static void free_job(struct job *job)
{
	if (!o.unsupervised)
		dataset_free(&job->part);
	labelled_rows_free(&job->rows);
	free(job->part_row);
	classes_free(&job->classes);
	selection_map_free(&job->map);
	feature_names_free(&job->names);
	row_space_free(&job->space);
}

int main(int argc, char **argv)
{
	struct job job = { .started = cli_seconds() };
	struct error err = { 0 };

	cli_set_up(program.name);
	o.n_threads = thread_default_count();
	read_arguments(argc, argv);
	check_options();
	keep_files_apart();
	blas_single_thread();
	srand((unsigned)o.seed);	/* LIBSVM's, where it trains */
	job.info = strcmp(o.output_name, "-") == 0 ? stderr : stdout;
	start_report(&job);
	job.output = open_output(o.output_name, o.compress, "output file");
	if (o.save)
		job.map_output = open_output(o.save, false, "selection file");
	read_names(&job);
	if (o.restore)
		restore(&job);
	if (!o.restore)
		choose_and_write(&job);
	else if (o.list)
		write_list(&job);
	else
		apply_selection(&job);
	if (output_commit(job.output, &err) < 0)
		cli_fail("can't write output file %s: %s", o.output_name, err.text);
	save(&job);
	finish_report(&job);
	free_job(&job);
	return cli_finish();
}
