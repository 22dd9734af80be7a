/*
 * fs-select.c - choose features of a training set by one of thirteen methods, and write rows of
 * them
 *
 *     choosing (-m, -k)     read_rows() -> choose() -> make_map() -> certify() -> write_chosen()
 *     restoring (-r)        restore() -> apply_selection(), a stream of rows in constant memory
 *     folding (--fold)      restore() -> fold_model(), which reads no data and converts a model
 *
 * The choice itself is selector_run() in the library.  What it observes on the way becomes lines,
 * progress and keys of the report in select_remarks.c.  Rows to be chosen by are kept in memory
 * with the text of their labels, so that they can be written as they were read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "common/common_options.h"
#include "common/files.h"
#include "common/fold_model.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/reduction_text.h"
#include "common/report.h"
#include "geometry/reduction.h"
#include "geometry/row_sketch.h"
#include "io/input.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "io/rows_checksum.h"
#include "matrix/labelled_rows.h"
#include "named_features.h"
#include "select/l1.h"
#include "select/rrqr.h"
#include "select/selection_map.h"
#include "select/selector.h"
#include "select_remarks.h"

enum { ROWS_ALL, ROWS_SV };
static const char *const rows_names[] = { "all", "sv", NULL };

static struct settings {
	struct common_options common;
	struct selector_options how;
	int rows;
	int64_t digits, fold_features;
	const char *save, *restore, *names, *fold;
	const char *why_method; /* the method and a reason, if -m was not given */
	bool supervised, one, rescale, no_rescale, renumber, list, binary;
	const char *data_name, *output_name;
} settings = {
	.how = { .method = SELECT_RFE, /* see choose_method() */
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
	COMMON_OUTPUT(&settings.output_name, "standard output"),
	COMMON_COMPRESS(settings.common, "output_file"),
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

/* The files that a run writes, by position in struct job. */
enum { FILE_ROWS, FILE_CHOICE, FILE_REPORT, N_FILES };

struct job {
	struct labelled_rows rows;
	struct selector_result choice;
	struct selection_map map; /* features that were chosen, or restored */
	struct feature_names names;
	struct cli_output file[N_FILES];
	struct report *report;
	struct report_phases phases;
	FILE *info; /* stream for a certificate */
	struct cli_progress progress;
	struct rows_checksum read,
		written; /* checksums for a report: of rows read (with -r), and of rows written */
	double started;
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

/* Options that belong to some methods only. */
static void check_method(void)
{
	const int method = settings.how.method;
	const bool tests = method == SELECT_T || method == SELECT_F;
	const bool eliminates = method == SELECT_RFE || method == SELECT_RMB;
	const bool spans = method == SELECT_BSS || method == SELECT_APPROX_BSS ||
			   method == SELECT_LEVERAGE || method == SELECT_TOP ||
			   (settings.how.epsilon > 0 && method != SELECT_APPROX_LEVERAGE);
	const struct cli_fit of_method[] = {
		{ "-T", method == SELECT_APPROX_BSS },
		{ "--sampling", method == SELECT_LEVERAGE || method == SELECT_APPROX_LEVERAGE },
		{ "--beyond", method == SELECT_RRQR },
		{ "--fraction", eliminates },
		{ "--one", eliminates },
		{ "--nu", method == SELECT_LPSVM || method == SELECT_L1 },
		{ "--loss", method == SELECT_L1 },
		{ "--all-features", method == SELECT_UNIFORM },
		{ "--rank-tol", spans },
		/* lpsvm, l1 and t tell classes apart */
		{ "--regression",
		  method != SELECT_LPSVM && method != SELECT_L1 && method != SELECT_T },
		/* t and f train no SVM */
		{ "--supervised", !tests },
		{ "-c", !tests },
		{ "-e", !tests },
		{ "-p", !tests },
		{ "--rows", !tests },
	};

	cli_refuse_misfits(of_method, 15, select_method_names[method]);
}

static void check_choosing(void)
{
	const struct selector_options *how = &settings.how;

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
	if (how->n_features == 0 && how->epsilon == 0 && how->nu == 0)
		cli_refuse("-k: is missing: how many features?");
}

static void check_options(void)
{
	/* a list shows the choice; how rows would be written changes what is saved, or measured */
	if (settings.list && !settings.save && !settings.how.whole_space)
		cli_refuse_together("--list", "--renumber --rescale --no-rescale");
	if (settings.list && settings.restore) /* reads no data */
		cli_refuse_together("-r --list", "--strict --allow-nonfinite");
	if (!settings.restore)
		check_choosing();
}

static void name_files(struct job *job)
{
	/* a saved selection is listed without any data, whatever is named */
	const bool reads_data = !settings.fold && !(settings.restore && settings.list);
	const char *const inputs[] = { reads_data ? settings.data_name : NULL, settings.restore,
				       settings.names, settings.fold };

	job->file[FILE_ROWS] = cli_output_named(settings.output_name, "output file");
	job->file[FILE_ROWS].compress = settings.common.compress;
	job->file[FILE_ROWS].rows = !settings.list && !settings.fold;
	job->file[FILE_CHOICE] = cli_output_named(settings.save, "selection file");
	job->file[FILE_REPORT] = cli_output_named(settings.common.report, "report file");
	cli_keep_files_apart(job->file, N_FILES, inputs, 4);
}

/* ---- files ---- */

static struct rows_options row_format(void)
{
	struct rows_options format = common_rows_options(&settings.common);

	format.keep_text = !settings.binary;
	return format;
}

static bool has_feature_0(const struct csr *x)
{
	for (int64_t i = 0; i < x->n_rows; i++)
		if (x->row_start[i] < x->row_start[i + 1] && x->col[x->row_start[i]] == 0)
			return true;
	return false;
}

static void fit_names(struct job *job)
{
	const struct dataset *d = &job->rows.data;
	const struct named_features features = { d->max_index, has_feature_0(&d->x),
						 settings.common.quiet, false, "the data count" };

	if (settings.names)
		named_features_fit(&job->names, settings.names, &features);
}

/* Of a choice that is listed again nothing is known but its features. */
static void check_names(const struct job *job)
{
	const struct selection *s = &job->map.chosen;

	for (int64_t k = 0; settings.names && k < s->n; k++)
		if (s->feature[k] > job->names.n)
			cli_fail("%s: --names: %s has %" PRId64 " names, and feature %" PRId32
				 " was chosen",
				 program.name, settings.names, job->names.n, s->feature[k]);
}

static const struct feature_names *names(const struct job *job)
{
	return settings.names ? &job->names : NULL;
}

static void restore(struct job *job)
{
	struct error err = { 0 };

	if (selection_map_load(&job->map, settings.restore, &err) < 0)
		cli_fail_reading("selection file", settings.restore, &err);
}

static int write_map(const void *arg, struct output *to, struct error *err)
{
	const struct job *job = arg;

	return selection_map_save(&job->map, names(job), to, err);
}

static void save(struct job *job)
{
	struct error err = { 0 };

	if (settings.save && write_map(job, job->file[FILE_CHOICE].output, &err) < 0)
		cli_fail_output(&job->file[FILE_CHOICE], &err);
}

/* ---- choosing ---- */

static void read_rows(struct job *job)
{
	const struct rows_options format = row_format();
	struct input *input = cli_open_input(settings.data_name);
	struct error err = { 0 };

	cli_progress_start(&job->progress, "reading", settings.common.progress,
			   settings.common.quiet);
	labelled_rows_read(&job->rows, input, &format,
			   &(struct progress_observer){ cli_progress_bytes, &job->progress },
			   (int)settings.common.n_threads, &err);
	cli_progress_end(&job->progress);
	if (err.code != ERR_NONE)
		cli_fail_input(settings.data_name, &err);
	input_close(input);
	report_phase_end(&job->phases, "read");
}

static void choose(struct job *job)
{
	struct select_remarks remarks = {
		.program = program.name,
		.data_name = settings.data_name,
		.options = &settings.how,
		.quiet = settings.common.quiet,
		.verbose = settings.common.verbose,
		.force_progress = settings.common.progress,
		.phases = &job->phases,
	};
	const struct selector_observer observer = select_remarks_observer(&remarks);
	struct error err = { 0 };

	if (settings.why_method && !settings.common.quiet)
		cli_warn("method: %s", settings.why_method);
	if (selector_run(&job->choice, &job->rows.data, &settings.how, &observer, &err) < 0)
		select_remarks_fail(&remarks, job->choice.trouble, &err);
	report_phase_end(&job->phases, "choose");
	select_remarks_report(job->report, &settings.how, &job->choice);
}

/* The choice together with how it is applied, which is what -s saves. */
static void make_map(struct job *job)
{
	struct error err = { 0 };

	job->map = (struct selection_map){
		.method = settings.how.method,
		.rescale = settings.rescale ||
			   (selector_weighs(settings.how.method) && !settings.no_rescale),
		.renumber = settings.renumber,
		.chosen = job->choice.chosen,
	};
	job->choice.chosen = (struct selection){ 0 };
	if (selection_map_prepare(&job->map, &err) < 0)
		cli_fail("%s: %s", program.name, cli_error(&err));
}

static void certify(struct job *job)
{
	const struct selection *s = &job->map.chosen;
	struct reduction_certificate c;
	struct error err = { 0 };

	if (!settings.how.whole_space)
		return;
	cli_progress_start(&job->progress, "certifying", settings.common.progress,
			   settings.common.quiet);
	if (reduction_certify_features(&c, &job->choice.space, s->feature,
				       job->map.rescale ? s->weight : NULL, s->n, &err) < 0)
		cli_fail("%s: --certificate: %s", program.name, cli_error(&err));
	cli_progress_end(&job->progress);
	fprintf(job->info, "rows = %" PRId64 ", rank = %" PRId64 ", features = %" PRId64 "\n",
		job->choice.n_rows, c.rank, s->n);
	reduction_print(job->info, &c, "features");
	reduction_report(job->report, &c);
	report_phase_end(&job->phases, "certify");
}

/* ---- writing ---- */

/* The scratch memory of a thread. */
struct worker {
	struct row_batch chosen;
	struct byte_buffer bytes;
};

/* Rows that are being written. */
struct writing {
	struct job *job;
	struct row_writer writer;
	int64_t n_rows;
	bool *seen;	/* with -r, by the number of a chosen feature: some row has a value of it */
	int64_t n_seen; /* number of features seen */
};

static struct writing start_writing(struct job *job)
{
	return (struct writing){ job,
				 { .to = job->file[FILE_ROWS].output,
				   .binary = settings.binary,
				   .digits = (int)settings.digits },
				 0,
				 NULL,
				 0 };
}

/*
 * Mark the chosen features that these rows have a value of.  Once half of them are seen there is
 * nothing to remark on, and no more rows are looked at.
 */
static void note_seen(struct writing *writing, const struct row_batch *chosen)
{
	const struct selection_map *map = &writing->job->map;

	if (!writing->seen || 2 * writing->n_seen >= map->chosen.n)
		return;
	for (int64_t k = 0; k < chosen->n_entries; k++) {
		int64_t number = map->renumber ? chosen->index[k] - 1 :
						 selection_find(&map->index, chosen->index[k]);

		if (chosen->value[k] == 0 || writing->seen[number])
			continue;
		writing->seen[number] = true;
		writing->n_seen++;
	}
}

/* Few of the chosen features: the rows may be of other data, or have other feature numbers. */
static void remark_unseen(const struct writing *writing)
{
	int64_t n = writing->job->map.chosen.n;

	if (writing->n_rows > 0 && 2 * writing->n_seen < n && !settings.common.quiet)
		cli_note("%" PRId64 " of %" PRId64 " chosen features have no value in these rows",
			 n - writing->n_seen, n);
}

static void free_worker(struct worker *w)
{
	row_batch_free(&w->chosen);
	mem_free(w->bytes.bytes);
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
	const struct row_batch *chosen = &((struct worker *)user)->chosen;

	if (!settings.common.allow_nonfinite &&
	    row_writer_check_labels(&writing->writer, batch, writing->n_rows, err) < 0)
		return -1;
	writing->n_rows += batch->n_rows;
	note_seen(writing, chosen);
	if (settings.common.report) {
		struct job *job = writing->job;

		rows_checksum_add(&job->read, (struct row_range){ batch, 0, batch->n_rows });
		rows_checksum_add(&job->written, (struct row_range){ chosen, 0, chosen->n_rows });
	}
	return cli_written(&writing->job->file[FILE_ROWS],
			   row_writer_write(&writing->writer, &((struct worker *)user)->bytes, err),
			   err);
}

/* The input pauses: hand the rows written so far to whoever reads the output. */
static int pause_rows(void *arg, struct error *err)
{
	const struct writing *writing = arg;

	return cli_flush_output(&writing->job->file[FILE_ROWS], err);
}

static int begin_rows(struct writing *writing, struct error *err)
{
	return cli_written(&writing->job->file[FILE_ROWS], row_writer_begin(&writing->writer, err),
			   err);
}

static int end_rows(struct writing *writing, struct error *err)
{
	return cli_written(&writing->job->file[FILE_ROWS], row_writer_end(&writing->writer, err),
			   err);
}

#define ROWS_AT_ONCE 4096

/* Write the rows in memory: all of them, or the support vectors. */
static int write_kept_rows(struct writing *writing, struct error *err)
{
	const struct job *job = writing->job;
	const int64_t *row = settings.rows == ROWS_SV ? job->choice.row : NULL;
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
	    cli_write(&job->file[FILE_ROWS], text.bytes, text.size, &err) < 0)
		cli_fail("%s", cli_error(&err));
	mem_free(text.bytes);
}

static void write_chosen(struct job *job)
{
	struct writing writing = start_writing(job);
	struct error err = { 0 };

	if (settings.list)
		write_list(job);
	else if (begin_rows(&writing, &err) < 0 || write_kept_rows(&writing, &err) < 0 ||
		 end_rows(&writing, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	report_phase_end(&job->phases, "write");
}

/* Apply a saved selection to a stream of rows. */
static void apply_selection(struct job *job)
{
	struct writing writing = start_writing(job);
	struct worker workers[THREAD_MAX] = { 0 };
	void *users[THREAD_MAX];
	struct rows_options format = row_format();
	const struct rows_visitor visitor = { .work = apply_rows,
					      .deliver = write_rows,
					      /* binary blocks are batches: not of what arrives */
					      .pause = settings.binary ? NULL : pause_rows,
					      .arg = &writing,
					      .user = users,
					      .progress = { cli_progress_bytes, &job->progress } };
	struct input *input = cli_open_input(settings.data_name);
	struct error err = { 0 };
	struct report *data;

	/* in the binary form NaN is a label, where it is allowed */
	format.label_optional =
		!settings.common.strict && !(settings.binary && settings.common.allow_nonfinite);
	for (int i = 0; i < settings.common.n_threads; i++)
		users[i] = &workers[i];
	writing.seen = mem_zeroed(job->map.chosen.n, sizeof(*writing.seen), &err);
	if (!writing.seen)
		cli_fail("%s: %s", program.name, cli_error(&err));
	cli_progress_start(&job->progress, "applying", settings.common.progress,
			   settings.common.quiet);
	if (begin_rows(&writing, &err) == 0)
		rows_scan(input, &format, &visitor, (int)settings.common.n_threads, &err);
	cli_progress_end(&job->progress);
	input_close(input);
	if (err.code == ERR_NONE)
		end_rows(&writing, &err);
	if (err.code != ERR_NONE)
		cli_fail_input(settings.data_name, &err);
	if (writing.n_rows == 0 && !settings.common.quiet)
		cli_note("%s: no examples", settings.data_name);
	remark_unseen(&writing);
	mem_free(writing.seen);
	for (int i = 0; i < settings.common.n_threads; i++)
		free_worker(&workers[i]);
	report_phase_end(&job->phases, "apply");
	data = report_object(job->report, "data");
	report_text(data, "file", settings.data_name);
	report_rows(data, &job->read);
}

/* ---- a model ---- */

static void fold_model(struct job *job)
{
	struct linear_map map = selection_map_linear(&job->map);

	if (cli_given("-d") && settings.fold_features < map.n_features)
		cli_fail("%s: -d: feature %" PRId64 " was chosen, and %" PRId64 " is less",
			 program.name, map.n_features, settings.fold_features);
	if (cli_given("-d"))
		map.n_features = settings.fold_features;
	cli_fold_model(settings.fold, &map, &job->file[FILE_ROWS]);
	report_phase_end(&job->phases, "fold");
	report_text(report_object(job->report, "data"), "file", settings.fold);
}

/* ---- the report ---- */

static void start_report(struct job *job)
{
	struct report *object;

	if (!settings.common.report)
		return;
	job->report = report_new(program.name);
	job->written.without_zeros = !settings.binary;
	object = report_settings(job->report, options);
	report_text(object, "method",
		    settings.restore ? "" : select_method_names[settings.how.method]);
	if (settings.how.method == SELECT_L1 &&
	    !settings.restore) /* LIBLINEAR's; "eps" is that of the SVM */
		report_number(object, "l1_eps",
			      settings.how.l1_eps > 0 ? settings.how.l1_eps : L1_EPS);
	report_flag(object, "supervised", !settings.how.unsupervised && !settings.restore);
	if (!settings.restore)
		report_text(object, "restored", "");
	report_seed(job->report, "seed", settings.how.seed);
	report_phases_begin(&job->phases, job->report);
}

static void report_data(const struct job *job)
{
	struct report *data = report_object(job->report, "data");

	report_text(data, "file", settings.data_name);
	report_count(data, "rows", job->rows.data.x.n_rows);
	report_count(data, "entries", csr_n_entries(&job->rows.data.x));
	if (data)
		report_count(data, "crc32", dataset_checksum(&job->rows.data));
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
	report_map_checksum(map, write_map, job);
	if (!settings.list && !settings.fold)
		report_written(job->report, settings.output_name,
			       settings.digits ? NULL : &job->written);
	report_finish(job->report, job->started, job->file[FILE_REPORT].output);
}

/* ---- all together ---- */

static void run(struct job *job)
{
	if (settings.names)
		named_features_read(&job->names, settings.names);
	if (settings.restore) {
		restore(job);
		check_names(job);
		if (settings.fold)
			fold_model(job);
		else if (settings.list)
			write_list(job);
		else
			apply_selection(job);
	} else {
		read_rows(job);
		fit_names(job);
		choose(job);
		make_map(job);
		certify(job);
		report_data(job);
		write_chosen(job);
	}
	save(job);
	finish_report(job);
	cli_commit_outputs(job->file, N_FILES);
}

int main(int argc, char **argv)
{
	struct job job = { .started = cli_seconds() };

	cli_set_up(program.name, argv);
	common_options_init(&settings.common);
	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	settings.how.n_threads = (int)settings.common.n_threads;
	settings.how.max_bytes = cli_memory() / 2;
	if (settings.one)
		settings.how.fraction = 0;
	if (cli_given("-e"))
		settings.how.l1_eps = settings.how.eps;
	check_options();
	common_bound_memory(&settings.common, settings.output_name);
	common_need_memory(0);
	name_files(&job);
	srand((unsigned)settings.how.seed); /* for LIBSVM, in the methods that train by it */
	job.info = cli_results_stream(job.file, N_FILES);
	cli_open_outputs(job.file, N_FILES);
	start_report(&job);
	run(&job);
	selector_result_free(&job.choice);
	labelled_rows_free(&job.rows);
	selection_map_free(&job.map);
	feature_names_free(&job.names);
	if (settings.common.verbose)
		memory_tell();
	return cli_finish();
}
