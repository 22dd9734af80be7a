/*
 * fs-select.c - features chosen with guarantees, and by what they are compared with
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/thread.h"
#include "common/files.h"
#include "common/labelled_rows.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/reduction_text.h"
#include "common/report.h"
#include "common/row_writer.h"
#include "geometry/reduction.h"
#include "geometry/row_sketch.h"
#include "io/input.h"
#include "io/output.h"
#include "matrix/blas.h"
#include "select/rrqr.h"
#include "select/selection_map.h"
#include "select/selector.h"
#include "select_remarks.h"

enum { ROWS_ALL, ROWS_SV };
static const char *const rows_names[] = { "all", "sv", NULL };

static struct settings {
	struct selector_options how;
	int rows;
	int64_t digits, n_threads;
	const char *save, *restore, *names, *report;
	bool quiet, verbose, progress;
	bool supervised, one, rescale, no_rescale, renumber, list, binary, compress, strict,
		allow_nonfinite;
	bool method_given, loss_given, sampling_given, beyond_given, fraction_given, sketch_given,
		rows_given, cost_given, eps_given, p_given, rank_tol_given, seed_given,
		digits_given;
	const char *data_name, *output_name;
} o = {
	.how = { .sketch_rows = ROW_SKETCH_ROWS,
		 .C = 1,
		 .eps = 0.001,
		 .p = 0.1,
		 .fraction = 0.1,
		 .seed = 1 },
	.data_name = "-",
	.output_name = "-",
};

static const struct cli_option options[] = {
	CLI_GROUP("how to choose:"),
	{ 'm', "method", CLI_CHOICE, &o.how.method, 0, 0, "METHOD",
	  "bss, approx-bss, leverage, approx-leverage, top, rrqr, rfe, lpsvm, l1\n"
	  "\tor uniform (default bss)\n"
	  "	bss         -- spectral sparsification: a guarantee for every margin\n"
	  "	approx-bss  -- of a sketch of the rows, for large data\n"
	  "	leverage    -- at random by leverage scores; approx-leverage: by estimates\n"
	  "	top         -- the largest leverage scores\n"
	  "	rrqr        -- the pivots of a QR decomposition\n"
	  "	rfe         -- recursive elimination by the weights of a linear SVM\n"
	  "	lpsvm       -- the linear programming SVM (about k of them)\n"
	  "	l1          -- LIBLINEAR's SVM with the 1-norm, at the C that has k weights\n"
	  "	uniform     -- at random",
	  select_method_names, &o.method_given },
	{ 'k', "features", CLI_INT, &o.how.n_features, 1, INT32_MAX, "N", "features to choose", 0,
	  0 },
	{ 0, "epsilon", CLI_REAL, &o.how.epsilon, 1e-6, 1e6, "E",
	  "instead of -k: as many as bss needs for squared lengths within 1 + E", 0, 0 },
	{ 0, "supervised", CLI_FLAG, &o.supervised, 0, 0, NULL,
	  "choose by the support vectors of a linear SVM (the default)", 0, 0 },
	{ 0, "unsupervised", CLI_FLAG, &o.how.unsupervised, 0, 0, NULL, "choose by all rows", 0,
	  0 },
	{ 'c', NULL, CLI_REAL, &o.how.C, 1e-300, 1e300, "cost", "C of the SVM (default 1)", 0,
	  &o.cost_given },
	{ 'e', NULL, CLI_REAL, &o.how.eps, 1e-300, 1, "epsilon",
	  "tolerance of its termination criterion (default 0.001; l1: 0.01)", 0, &o.eps_given },
	{ 0, "regression", CLI_FLAG, &o.how.regression, 0, 0, NULL,
	  "labels are targets: the SVM is epsilon-SVR", 0, 0 },
	{ 'p', NULL, CLI_REAL, &o.how.p, 0, 1e300, "epsilon",
	  "epsilon in its loss function (default 0.1)", 0, &o.p_given },
	{ 'T', NULL, CLI_INT, &o.how.sketch_rows, 1, INT32_MAX, "ROWS",
	  "approx-bss: rows of the sketch (default 256)", 0, &o.sketch_given },
	{ 0, "sampling", CLI_CHOICE, &o.how.sampling, 0, 0, "HOW",
	  "leverage: iid, or bernoulli, each feature once at most (default iid)",
	  selector_sampling_names, &o.sampling_given },
	{ 0, "beyond", CLI_CHOICE, &o.how.beyond, 0, 0, "WHAT",
	  "rrqr, beyond the rank: restart, norm, none or lapack (default restart)",
	  rrqr_beyond_names, &o.beyond_given },
	{ 0, "fraction", CLI_REAL, &o.how.fraction, 1e-9, 1, "F",
	  "rfe: eliminate this share of the features a step (default 0.1)", 0, &o.fraction_given },
	{ 0, "one", CLI_FLAG, &o.one, 0, 0, NULL, "rfe: eliminate one feature a step", 0, 0 },
	{ 0, "nu", CLI_REAL, &o.how.nu, 1e-300, 1e300, "NU",
	  "lpsvm, l1: the weight of errors (C of l1), instead of -k", 0, 0 },
	{ 0, "loss", CLI_CHOICE, &o.how.loss, 0, 0, "LOSS",
	  "l1: squared-hinge or logistic (default squared-hinge)", l1_loss_names, &o.loss_given },
	{ 0, "all-features", CLI_FLAG, &o.how.all_features, 0, 0, NULL,
	  "uniform: also features without values", 0, 0 },
	{ 0, "rank-tol", CLI_REAL, &o.how.rank_tol, 1e-16, 0.999, "TOL",
	  "singular values up to TOL times the largest count as 0", 0, &o.rank_tol_given },
	{ 0, "seed", CLI_SEED, &o.how.seed, 0, 0, "N", "same seed, same choice (default 1)", 0,
	  &o.seed_given },
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
	{ 0, "certificate", CLI_FLAG, &o.how.whole_space, 0, 0, NULL,
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
	{ 0, "allow-nonfinite", CLI_FLAG, &o.allow_nonfinite, 0, 0, NULL, "accept nan and inf", 0,
	  0 },
	{ 0, "report", CLI_TEXT, &o.report, 0, 0, "FILE", "write a report in JSON", 0, 0 },
	{ 'q', NULL, CLI_FLAG, &o.quiet, 0, 0, NULL, "quiet mode (no progress, no remarks)", 0, 0 },
	{ 0, "verbose", CLI_FLAG, &o.verbose, 0, 0, NULL, "explain decisions on standard error", 0,
	  0 },
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
	struct selector_result choice;
	struct selection_map map; /* what was chosen, or restored */
	struct feature_names names;
	struct cli_output output, map_output, report_output;
	struct report *report;
	struct report_phases phases;
	FILE *info; /* where a certificate goes */
	struct cli_progress progress;
	double started;
};

/* ---- the command line ---- */

_Noreturn static void refuse(const char *option, const char *reason)
{
	cli_fail("%s: %s: %s; try '%s --help'", program.name, option, reason, program.name);
}

/* An option, and whether it was given. */
struct given {
	bool given;
	const char *name;
};

static void refuse_with(const char *option, const struct given *others, int n)
{
	for (int i = 0; i < n; i++)
		if (others[i].given)
			cli_fail("%s: cannot use %s and %s simultaneously; try '%s --help'",
				 program.name, option, others[i].name, program.name);
}

#define REFUSE_WITH(option, others) \
	refuse_with(option, others, (int)(sizeof(others) / sizeof((others)[0])))

/* -r says what was chosen, and how it is written. */
static void check_restore(void)
{
	const struct selector_options *how = &o.how;
	const struct given others[] = {
		{ o.save, "-s" },
		{ o.method_given, "-m" },
		{ how->n_features > 0, "-k" },
		{ how->epsilon > 0, "--epsilon" },
		{ how->nu > 0, "--nu" },
		{ o.supervised, "--supervised" },
		{ how->unsupervised, "--unsupervised" },
		{ how->regression, "--regression" },
		{ o.cost_given, "-c" },
		{ o.eps_given, "-e" },
		{ o.p_given, "-p" },
		{ o.sketch_given, "-T" },
		{ o.sampling_given, "--sampling" },
		{ o.loss_given, "--loss" },
		{ o.beyond_given, "--beyond" },
		{ o.fraction_given, "--fraction" },
		{ o.one, "--one" },
		{ how->all_features, "--all-features" },
		{ o.rank_tol_given, "--rank-tol" },
		{ o.seed_given, "--seed" },
		{ o.rows_given, "--rows" },
		{ o.how.whole_space, "--certificate" },
		{ o.rescale, "--rescale" },
		{ o.no_rescale, "--no-rescale" },
		{ o.renumber, "--renumber" },
	};

	REFUSE_WITH("-r", others);
}

/* Options of one method only. */
static void check_method(void)
{
	const int method = o.how.method;
	const bool spans = method == SELECT_BSS || method == SELECT_APPROX_BSS ||
			   method == SELECT_LEVERAGE || method == SELECT_TOP ||
			   (o.how.epsilon > 0 && method != SELECT_APPROX_LEVERAGE);
	const struct {
		bool given;
		const char *name;
		bool fits;
	} special[] = {
		{ o.sketch_given, "-T", method == SELECT_APPROX_BSS },
		{ o.sampling_given, "--sampling",
		  method == SELECT_LEVERAGE || method == SELECT_APPROX_LEVERAGE },
		{ o.beyond_given, "--beyond", method == SELECT_RRQR },
		{ o.fraction_given, "--fraction", method == SELECT_RFE },
		{ o.one, "--one", method == SELECT_RFE },
		{ o.how.nu > 0, "--nu", method == SELECT_LPSVM || method == SELECT_L1 },
		{ o.loss_given, "--loss", method == SELECT_L1 },
		{ o.how.all_features, "--all-features", method == SELECT_UNIFORM },
		{ o.rank_tol_given, "--rank-tol", spans },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].given && !special[i].fits)
			cli_fail("%s: %s: is not for %s; try '%s --help'", program.name,
				 special[i].name, select_method_names[method], program.name);
	if (o.how.regression && method == SELECT_LPSVM)
		refuse("--regression", "is not for lpsvm, which tells two classes apart");
	if (o.how.regression && method == SELECT_L1)
		refuse("--regression", "is not for l1, which tells classes apart");
}

static void check_choosing(void)
{
	const struct selector_options *how = &o.how;
	const struct given of_machine[] = {
		{ o.cost_given, "-c" },
		{ o.eps_given && how->method != SELECT_L1, "-e" },
		{ how->regression, "--regression" },
	};

	check_method();
	if (how->unsupervised && how->method != SELECT_RFE)
		REFUSE_WITH("--unsupervised", of_machine);
	if (o.supervised && how->unsupervised)
		refuse("--supervised", "or --unsupervised, not both");
	if (o.rescale && o.no_rescale)
		refuse("--rescale", "or --no-rescale, not both");
	if (how->unsupervised && o.rows == ROWS_SV)
		refuse("--rows sv", "there are no support vectors with --unsupervised");
	if (o.p_given && !how->regression)
		refuse("-p", "is for --regression");
	if (o.one && o.fraction_given)
		refuse("--one", "or --fraction, not both");
	if ((how->n_features > 0) + (how->epsilon > 0) + (how->nu > 0) > 1)
		refuse("-k", "or --epsilon or --nu, only one of them");
	if (how->n_features == 0 && how->epsilon == 0 && how->nu == 0)
		refuse("-k", "is missing: how many features?");
}

static void check_options(void)
{
	const struct given rows_options[] = {
		{ o.binary, "--binary" },
		{ o.digits_given, "--digits" },
		{ o.rows_given, "--rows" },
	};
	const struct given saved_options[] = {
		{ o.renumber, "--renumber" },
		{ o.rescale, "--rescale" },
		{ o.no_rescale, "--no-rescale" },
	};
	const struct given data_options[] = {
		{ o.strict, "--strict" },
		{ o.allow_nonfinite, "--allow-nonfinite" },
	};

	if (o.digits_given && o.binary)
		refuse("--digits", "is for text, not for --binary");
	if (o.list)
		REFUSE_WITH("--list", rows_options);
	if (o.list && !o.save && !o.how.whole_space)
		REFUSE_WITH("--list", saved_options);
	if (o.list && o.restore)
		REFUSE_WITH("-r --list", data_options);
	if (o.names && !o.list && !o.save)
		refuse("--names", "is for --list and -s");
	if (o.restore)
		check_restore();
	else
		check_choosing();
}

static void keep_files_apart(void)
{
	const char *const outputs[] = { o.output_name, o.save, o.report };
	/* a saved selection is listed without any data, whatever is named */
	const char *const inputs[] = { o.restore && o.list ? NULL : o.data_name, o.restore,
				       o.names };

	cli_keep_all_apart(outputs, inputs, 3);
}

/* ---- files ---- */

static struct rows_options row_format(void)
{
	return (struct rows_options){ .strict = o.strict,
				      .allow_nonfinite = o.allow_nonfinite,
				      .keep_text = !o.binary };
}

static void read_names(struct job *job)
{
	struct error err = { 0 };

	if (o.names && feature_names_read(&job->names, o.names, &err) < 0)
		cli_fail(err.code == ERR_IO ? "can't open names file %s: %s" : "%.0s%s", o.names,
			 err.text);
}

static const struct feature_names *names(const struct job *job)
{
	return o.names ? &job->names : NULL;
}

static void restore(struct job *job)
{
	struct error err = { 0 };

	if (selection_map_load(&job->map, o.restore, &err) < 0)
		cli_fail(err.code == ERR_IO ? "can't open selection file %s: %s" : "%.0s%s",
			 o.restore, err.text);
}

static void save(struct job *job)
{
	struct error err = { 0 };

	if (o.save && selection_map_save(&job->map, names(job), job->map_output.output, &err) < 0)
		cli_fail_output("selection file", o.save, &err);
}

/* ---- choosing ---- */

static void read_rows(struct job *job)
{
	const struct rows_options format = row_format();
	struct input *input = cli_open_input(o.data_name);
	struct error err = { 0 };

	cli_progress_start(&job->progress, "reading", o.progress, o.quiet);
	labelled_rows_read(&job->rows, input, &format, &job->progress, (int)o.n_threads, &err);
	cli_progress_end(&job->progress);
	if (err.code != ERR_NONE)
		cli_fail_input(o.data_name, &err);
	input_close(input);
	report_phase_end(&job->phases, "read");
}

static void choose(struct job *job)
{
	struct select_remarks remarks = {
		.program = program.name,
		.data_name = o.data_name,
		.options = &o.how,
		.quiet = o.quiet,
		.verbose = o.verbose,
		.force_progress = o.progress,
		.phases = &job->phases,
	};
	const struct selector_observer observer = select_remarks_observer(&remarks);
	struct error err = { 0 };

	if (selector_run(&job->choice, &job->rows.data, &o.how, &observer, &err) < 0)
		select_remarks_fail(&remarks, job->choice.trouble, &err);
	report_phase_end(&job->phases, "choose");
	select_remarks_report(job->report, &o.how, &job->choice);
}

/* The choice, and how it is to be applied. */
static void make_map(struct job *job)
{
	struct error err = { 0 };

	job->map = (struct selection_map){
		.method = o.how.method,
		.rescale = o.rescale || (selector_weighs(o.how.method) && !o.no_rescale),
		.renumber = o.renumber,
		.chosen = job->choice.chosen,
	};
	job->choice.chosen = (struct selection){ 0 };
	if (selection_map_prepare(&job->map, &err) < 0)
		cli_fail("%s: %s", program.name, err.text);
}

static void certify(struct job *job)
{
	const struct selection *s = &job->map.chosen;
	struct reduction_certificate c;
	struct error err = { 0 };

	if (!o.how.whole_space)
		return;
	if (reduction_certify_features(&c, &job->choice.space, s->feature,
				       job->map.rescale ? s->weight : NULL, s->n, &err) < 0)
		cli_fail("%s: --certificate: %s", program.name, err.text);
	fprintf(job->info, "rows = %" PRId64 ", rank = %" PRId64 ", features = %" PRId64 "\n",
		job->choice.n_rows, c.rank, s->n);
	reduction_print(job->info, &c, "features");
	reduction_report(job->report, &c);
	report_phase_end(&job->phases, "certify");
}

/* ---- writing ---- */

/* A thread's room. */
struct worker {
	struct row_batch chosen;
	struct byte_buffer bytes;
};

/* Rows on their way out. */
struct writing {
	struct job *job;
	struct row_writer writer;
	int64_t n_rows;
};

static struct writing start_writing(struct job *job)
{
	return (struct writing){ job,
				 { .to = job->output, .binary = o.binary, .digits = (int)o.digits },
				 0 };
}

static void free_worker(struct worker *w)
{
	row_batch_free(&w->chosen);
	free(w->bytes.bytes);
}

static int apply_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct writing *writing = arg;
	struct worker *w = user;

	if (selection_map_apply(&writing->job->map, (struct row_range){ batch, 0, batch->n_rows },
				&w->chosen, err) < 0)
		return -1;
	return row_writer_format(&writing->writer, &w->bytes, &w->chosen, err);
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct writing *writing = arg;

	writing->n_rows += batch->n_rows;
	return row_writer_write(&writing->writer, &((struct worker *)user)->bytes, err);
}

#define ROWS_AT_ONCE 4096

/* Those in memory: all, or the support vectors. */
static int write_kept_rows(struct writing *writing, struct error *err)
{
	const struct job *job = writing->job;
	const int64_t *row = o.rows == ROWS_SV ? job->choice.row : NULL;
	int64_t n = row ? job->choice.n_rows : job->rows.data.x.n_rows;
	struct row_batch rows = { 0 };
	struct worker w = { 0 };
	int ret = 0;

	for (int64_t first = 0; first < n && ret == 0; first += ROWS_AT_ONCE) {
		int64_t count = int64_min(n - first, ROWS_AT_ONCE);

		ret = labelled_rows_batch(&rows, &job->rows, row, first, count, err);
		if (ret == 0)
			ret = apply_rows(writing, &rows, &w, err);
		if (ret == 0)
			ret = write_rows(writing, &rows, &w, err);
	}
	row_batch_free(&rows);
	free_worker(&w);
	return ret;
}

static void write_list(struct job *job)
{
	struct byte_buffer text = { 0 };
	struct error err = { 0 };

	if (selection_map_list(&job->map, names(job), &text, &err) < 0 ||
	    cli_write(&job->output, text.bytes, text.size, &err) < 0)
		cli_fail("%s", err.text);
	free(text.bytes);
}

static void write_chosen(struct job *job)
{
	struct writing writing = start_writing(job);
	struct error err = { 0 };

	if (o.list)
		write_list(job);
	else if (row_writer_begin(&writing.writer, &err) < 0 ||
		 write_kept_rows(&writing, &err) < 0 || row_writer_end(&writing.writer, &err) < 0)
		cli_fail_input(o.data_name, &err);
	report_phase_end(&job->phases, "write");
}

static void show_bytes(void *arg, int64_t taken, int64_t total)
{
	cli_progress_bytes(&((struct writing *)arg)->job->progress, taken, total);
}

/* A saved selection, applied to a stream. */
static void apply_selection(struct job *job)
{
	struct writing writing = start_writing(job);
	struct worker workers[THREAD_MAX] = { 0 };
	void *users[THREAD_MAX];
	const struct rows_options format = row_format();
	const struct rows_visitor visitor = { apply_rows, write_rows, show_bytes, &writing, users };
	struct input *input = cli_open_input(o.data_name);
	struct error err = { 0 };

	for (int i = 0; i < o.n_threads; i++)
		users[i] = &workers[i];
	cli_progress_start(&job->progress, "applying", o.progress, o.quiet);
	if (row_writer_begin(&writing.writer, &err) == 0)
		rows_scan(input, &format, &visitor, (int)o.n_threads, &err);
	cli_progress_end(&job->progress);
	input_close(input);
	if (err.code == ERR_NONE && writing.n_rows == 0)
		error_set(&err, ERR_FORMAT, "%s: no examples", o.data_name);
	if (err.code == ERR_NONE)
		row_writer_end(&writing.writer, &err);
	if (err.code != ERR_NONE)
		cli_fail_input(o.data_name, &err);
	for (int i = 0; i < o.n_threads; i++)
		free_worker(&workers[i]);
	report_phase_end(&job->phases, "apply");
	report_count(report_object(job->report, "data"), "rows", writing.n_rows);
}

/* ---- the report ---- */

static void start_report(struct job *job)
{
	struct report *settings;

	if (!o.report)
		return;
	job->report = report_new(program.name);
	settings = report_object(job->report, "settings");
	report_text(settings, "method", o.restore ? "" : select_method_names[o.how.method]);
	report_count(settings, "k", o.how.n_features);
	report_number(settings, "epsilon", o.how.epsilon);
	report_flag(settings, "supervised", !o.how.unsupervised && !o.restore);
	report_flag(settings, "regression", o.how.regression);
	report_number(settings, "C", o.how.C);
	report_number(settings, "eps", o.how.eps);
	report_number(settings, "p", o.how.p);
	report_count(settings, "sketch_rows", o.how.sketch_rows);
	report_text(settings, "sampling", selector_sampling_names[o.how.sampling]);
	report_text(settings, "beyond", rrqr_beyond_names[o.how.beyond]);
	report_number(settings, "fraction", o.how.fraction);
	report_number(settings, "nu", o.how.nu);
	report_text(settings, "loss", l1_loss_names[o.how.loss]);
	report_flag(settings, "all_features", o.how.all_features);
	report_number(settings, "rank_tol", o.how.rank_tol);
	report_text(settings, "rows", rows_names[o.rows]);
	report_text(settings, "restored", o.restore ? o.restore : "");
	report_count(settings, "threads", o.n_threads);
	report_seed(job->report, "seed", o.how.seed);
	report_phases_begin(&job->phases, job->report);
}

static void report_rows(const struct job *job)
{
	struct report *data = report_object(job->report, "data");

	report_text(data, "file", o.data_name);
	report_count(data, "rows", job->rows.data.x.n_rows);
	report_count(data, "entries", csr_n_entries(&job->rows.data.x));
	report_count(data, "max_index", job->rows.data.max_index);
	report_count(data, "classes", job->choice.n_classes);
}

static void finish_report(struct job *job)
{
	struct report *map = report_object(job->report, "map");

	report_text(map, "method", select_method_names[job->map.method]);
	report_count(map, "features", job->map.chosen.n);
	report_flag(map, "rescaled", job->map.rescale);
	report_flag(map, "renumbered", job->map.renumber);
	report_number(job->report, "seconds", cli_seconds() - job->started);
	report_count(job->report, "peak_memory_bytes", cli_peak_memory());
	report_write(job->report, job->report_output.output);
}

/* ---- all together ---- */

static void open_outputs(struct job *job)
{
	job->output =
		(struct cli_output){ cli_open_output(o.output_name, o.compress, "output file"),
				     "output file", o.output_name };
	if (o.save)
		job->map_output =
			(struct cli_output){ cli_open_output(o.save, false, "selection file"),
					     "selection file", o.save };
	if (o.report)
		job->report_output =
			(struct cli_output){ cli_open_output(o.report, false, "report file"),
					     "report file", o.report };
}

static void run(struct job *job)
{
	read_names(job);
	if (o.restore) {
		restore(job);
		if (o.list)
			write_list(job);
		else
			apply_selection(job);
	} else {
		read_rows(job);
		choose(job);
		make_map(job);
		certify(job);
		report_rows(job);
		write_chosen(job);
	}
	save(job);
	finish_report(job);
	cli_commit_all((struct cli_output[]){ job->output, job->map_output, job->report_output },
		       3);
}

int main(int argc, char **argv)
{
	struct job job = { .started = cli_seconds() };

	cli_set_up(program.name);
	o.n_threads = thread_default_count();
	cli_parse_data(&program, argc, argv, &o.data_name, &o.output_name);
	o.how.n_threads = (int)o.n_threads;
	o.how.max_bytes = cli_memory() / 2;
	if (o.one)
		o.how.fraction = 0;
	if (o.eps_given)
		o.how.l1_eps = o.how.eps;
	check_options();
	keep_files_apart();
	blas_single_thread();
	srand((unsigned)o.how.seed); /* LIBSVM's, where it trains */
	job.info = strcmp(o.output_name, "-") == 0 ? stderr : stdout;
	open_outputs(&job);
	start_report(&job);
	run(&job);
	selector_result_free(&job.choice);
	labelled_rows_free(&job.rows);
	selection_map_free(&job.map);
	feature_names_free(&job.names);
	return cli_finish();
}
