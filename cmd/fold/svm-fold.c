/*
 * svm-fold.c - the training or test part of a fold, lines as they are
 *
 * Plain and stratified folds are drawn row by row (evaluate/drawn_folds.h): one pass, each row is
 * written or left out as it comes.  The folds of svm-train depend on all labels, so the data are read
 * twice, the first time for their labels alone, and the bytes of a pipe are kept:
 *
 *     scan() -> note_labels() for each batch -> draw_folds() -> scan() again
 *
 * Folds by qid, and stratified ones of groups, are found in the same way; those by --groups alone
 * from that file, before the data are read.
 *
 * Text goes out byte for byte, from where the reader has the line.  Rows in binary form are encoded
 * again, with values of the size they had; where a stream joins parts of both sizes, each part is a
 * shard of its own (fold_rows_change_shard()).
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
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/read_groups.h"
#include "common/report.h"
#include "evaluate/drawn_folds.h"
#include "evaluate/folds.h"
#include "fold_lines.h"
#include "fold_rows.h"
#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/output.h"
#include "io/rows.h"
#include "io/rows_checksum.h"
#include "matrix/dataset.h"

static struct settings {
	struct common_options common;
	int64_t n_folds, fold, svm_type;
	uint64_t seed;
	bool train, test, list, stratified, svm_train_order;
	const char *lines, *lines_output;
	const char *data_name, *output_name;
} settings = {
	.seed = 1,
	.data_name = "-",
	.output_name = "-",
};

/* Most folds: each class keeps an order of the folds, and a million of folds is no burden. */
#define FOLDS_MAX 1000000

static const struct cli_option options[] = {
	CLI_HEADING("Folds:"),
	CLI_INT('v', NULL, &settings.n_folds, 2, FOLDS_MAX, "N", "number of folds; must be given",
		.key = "folds"),
	CLI_INT('f', "fold", &settings.fold, 1, FOLDS_MAX, "I",
		"number of the fold to write or to leave out, 1 to N; must be given, but for --list"),
	CLI_FLAG(0, "train", &settings.train,
		 "write the training part: the rows of all other folds"),
	CLI_FLAG(0, "test", &settings.test, "write the test part: the rows of fold I"),
	CLI_FLAG(0, "stratified", &settings.stratified,
		 "deal the rows of each class evenly to the folds: their numbers differ by one at "
		 "most",
		 .not_with = "--svm-train-order"),
	CLI_SEED(0, "seed", &settings.seed, "N",
		 "start of the random numbers: same seed, same folds", .key = CLI_NO_KEY),
	CLI_FLAG(0, "list", &settings.list,
		 "write the number of its fold for each row, in place of rows",
		 .not_with = "-f --train --test"),
	COMMON_GROUPS(settings.common, " --svm-train-order"),
	CLI_FLAG(0, "svm-train-order", &settings.svm_train_order,
		 "use the folds of svm-train -v N; a file is read twice, a pipe is kept in memory"),
	CLI_INT('s', NULL, &settings.svm_type, 0, 4, "svm_type",
		"type of SVM, as svm-train's -s, which decides how svm-train draws its folds",
		.needs = "--svm-train-order", .key = "svm_type"),

	CLI_HEADING("Input and output:"),
	CLI_TEXT(0, "lines", &settings.lines, "FILE",
		 "take lines along with the rows: FILE has a line for each row, such as its weight",
		 .needs = "--lines-output", .not_with = "--list", .key = CLI_NO_KEY),
	CLI_TEXT(0, "lines-output", &settings.lines_output, "FILE",
		 "write the lines of the rows that are written to FILE", .needs = "--lines",
		 .key = CLI_NO_KEY),
	COMMON_OUTPUT(&settings.output_name, "standard output"),
	COMMON_COMPRESS(settings.common, "output_file"),
	COMMON_RUNNING(settings.common),
	COMMON_ROWS(settings.common),
	COMMON_FORCE(settings.common),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Training and test part of the third of ten folds",
	  "svm-fold -v 10 -f 3 --train --stratified heart_scale.gz train.gz\n"
	  "svm-fold -v 10 -f 3 --test --stratified heart_scale.gz test.gz" },
	{ "The test part that svm-train -v 5 has",
	  "svm-fold -v 5 -f 1 --test --svm-train-order heart_scale.gz test" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "svm-fold",
	.arguments = "-v N -f I --train|--test [options] [data_file [output_file]]\n"
		     "-v N --list [options] [data_file [output_file]]",
	.purpose =
		"Divides rows into N folds at random and writes fold I, or all rows but these: for cross validation of several programs in a row. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
};

/* Files that a run writes, by position in struct fold_job. */
enum { FILE_ROWS, FILE_LINES, FILE_REPORT, N_FILES };

/* Checksums of the rows, for the report. */
struct fold_checksums {
	struct rows_checksum read, written;
};

struct fold_job {
	struct cli_output file[N_FILES];
	int failed_file; /* number of the output that the last failure was of; -1: of the input */
	struct fold_lines lines;
	double started;
	struct cli_progress progress;
	struct cli_passes passes; /* passes over the data */
	struct drawn_folds drawn;
	int64_t n_rows, n_chosen;
	struct fold_checksums sums;
	struct fold_rows rows; /* rows of the fold, as they are being written */

	/* where folds depend on all rows: the rows' labels and groups, without features */
	struct dataset labels;
	int32_t *fold; /* fold of each row, from 0, once all rows are known */
	struct row_groups groups;
	int64_t n_groups;
	bool has_qid; /* some row has a qid */
};

/* ---- the command line ---- */

static void check_options(void)
{
	if (settings.n_folds == 0)
		cli_refuse("-v is missing: how many folds?");
	if (settings.list)
		return;
	if (settings.fold == 0)
		cli_refuse("-f is missing: which fold?");
	if (settings.fold > settings.n_folds)
		cli_fail("%s: -f: there is no fold %" PRId64 " of %" PRId64, program.name,
			 settings.fold, settings.n_folds);
	if (settings.train == settings.test)
		cli_refuse("either --train or --test");
}

/* ---- writing ---- */

/* Append a line of --list: the number of a row. */
static int add_number(struct fold_job *job, int64_t number, struct error *err)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%" PRId64 "\n", number);

	if (byte_buffer_reserve(&job->rows.bytes, length, err) < 0)
		return -1;
	byte_buffer_add(&job->rows.bytes, text, length);
	return 0;
}

/* Decide whether the next row, of this label, is to be written: 1, 0, or -1 with an error. */
static int choose_row(struct fold_job *job, double label, struct error *err)
{
	int64_t fold =
		job->fold ? job->fold[job->n_rows] : drawn_folds_next(&job->drawn, label, err);

	if (fold < 0)
		return -1;
	if (settings.list)
		return add_number(job, fold + 1, err) < 0 ? -1 : 1;
	return (fold == settings.fold - 1) == settings.test;
}

/* Update the report's numbers and checksums of rows read and written. */
static void count_rows(struct fold_job *job, const struct row_batch *batch, const bool *wanted)
{
	rows_checksum_add(&job->sums.read, (struct row_range){ batch, 0, batch->n_rows });
	for (int64_t i = 0; i < batch->n_rows && !settings.list; i++)
		if (wanted[i])
			rows_checksum_add(&job->sums.written, (struct row_range){ batch, i, 1 });
}

/* Write to an output, and note if it was that which failed. */
static int wrote(struct fold_job *job, int file, int ret)
{
	if (ret < 0)
		job->failed_file = file;
	return ret;
}

static int write_wanted(struct fold_job *job, const struct row_batch *batch, bool *wanted,
			struct error *err)
{
	const int64_t first = job->n_rows;

	job->rows.bytes.size = 0;
	for (int64_t i = 0; i < batch->n_rows; i++) {
		int ret = choose_row(job, batch->label[i], err);

		if (ret < 0)
			return -1;
		wanted[i] = ret;
		job->n_chosen += ret;
		job->n_rows++;
	}
	if (settings.common.report)
		count_rows(job, batch, wanted);
	if (!settings.list && fold_rows_add(&job->rows, batch, wanted, err) < 0)
		return -1;
	if (settings.lines && wrote(job, FILE_LINES,
				    fold_lines_add(&job->lines, job->file[FILE_LINES].output, first,
						   wanted, batch->n_rows, err)) < 0)
		return -1;
	return wrote(job, FILE_ROWS,
		     output_write(job->file[FILE_ROWS].output, job->rows.bytes.bytes,
				  job->rows.bytes.size, err));
}

static int write_batch(struct fold_job *job, const struct row_batch *batch, struct error *err)
{
	bool *wanted;
	int ret;

	if (job->fold && batch->n_rows > job->labels.x.n_rows - job->n_rows)
		return settings.common.groups ?
			       error_set(err, ERR_FORMAT,
					 "%s: has more examples than %s has groups",
					 settings.data_name, settings.common.groups) :
			       error_set(err, ERR_FORMAT, "%s: was changed while it was read",
					 settings.data_name);
	wanted = mem_array(batch->n_rows, sizeof(*wanted), err);
	if (!wanted)
		return -1;
	ret = write_wanted(job, batch, wanted, err);
	mem_free(wanted);
	return ret;
}

/* ---- svm-train's folds ---- */

static int note_labels(struct fold_job *job, const struct row_batch *batch, struct error *err)
{
	struct dataset *d = &job->labels;
	int64_t n = d->x.n_rows;

	if (batch->n_rows == 0) /* arrays of an empty batch or data set may be NULL */
		return 0;
	if (mem_grow(&d->y, &d->labels_capacity, n + batch->n_rows, sizeof(*d->y), err) < 0)
		return -1;
	memcpy(d->y + n, batch->label, (size_t)batch->n_rows * sizeof(*d->y));
	d->x.n_rows += batch->n_rows;
	return settings.common.by_qid ?
		       row_groups_add_qids(&job->groups, batch, settings.data_name, err) :
		       0;
}

/* ---- the folds of all rows ---- */

/* Do the rows have groups? */
static bool has_groups(void)
{
	return settings.common.groups || settings.common.by_qid;
}

/* Do folds depend on all rows, so that a first pass must read them? */
static bool needs_all_rows(void)
{
	return settings.svm_train_order || settings.common.by_qid ||
	       (settings.common.groups && settings.stratified);
}

/* Which folds are wanted: those of svm-train, or of groups, by classes if they are stratified. */
static int make_folds(const struct fold_job *job, struct folds *folds, struct error *err)
{
	const bool classifies = has_groups() ? settings.stratified : settings.svm_type < 2;

	srand((unsigned)settings.seed); /* svm-train never calls srand(), which is a seed of 1 */
	return folds_of_data(folds, &job->labels, settings.n_folds, classifies, err);
}

/* Refuse a file of groups that has lines for 'n_grouped' rows, where there are others. */
static void check_groups(int64_t n_rows, int64_t n_grouped)
{
	if (settings.common.groups && n_rows != n_grouped)
		cli_fail("%s: %s: %" PRId64 " examples, but %s has %" PRId64 " groups",
			 program.name, settings.data_name, n_rows, settings.common.groups,
			 n_grouped);
}

static void draw_folds(struct fold_job *job)
{
	struct dataset *d = &job->labels;
	const char *source = settings.common.groups ? settings.common.groups : settings.data_name;
	struct error err = { 0 };
	struct folds folds;

	job->fold = mem_zeroed(d->x.n_rows, sizeof(*job->fold), &err);
	if (d->x.n_rows == 0) /* an empty part of the data has an empty part in each fold */
		return;
	if (!has_groups() && d->x.n_rows < settings.n_folds)
		cli_fail("%s: %s: %" PRId64 " examples are not enough for %" PRId64 " folds",
			 program.name, source, d->x.n_rows, settings.n_folds);
	if (has_groups()) {
		job->n_groups = job->groups.names.n;
		row_groups_give(&job->groups, d);
	}
	if (!job->fold || make_folds(job, &folds, &err) < 0)
		cli_fail("%s: %s: %s", program.name, source, err.text);
	for (int64_t i = 0; i < folds.n; i++)
		for (int64_t k = folds.start[i]; k < folds.start[i + 1]; k++)
			job->fold[folds.row[k]] = (int32_t)i;
	folds_free(&folds);
}

/* ---- rows ---- */

static int deliver(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct fold_job *job = arg;

	(void)user;
	job->has_qid |= batch->has_qid;
	if (needs_all_rows() && !job->fold)
		return note_labels(job, batch, err);
	return write_batch(job, batch, err);
}

/* Flush the written rows when the input pauses, for the reader of the output. */
static int pause_rows(void *arg, struct error *err)
{
	struct fold_job *job = arg;

	return wrote(job, FILE_ROWS, output_flush(job->file[FILE_ROWS].output, err));
}

_Noreturn static void fail(const struct fold_job *job, const struct error *err)
{
	if (job->failed_file >= 0)
		cli_fail_output(&job->file[job->failed_file], err);
	cli_fail_input(settings.data_name, err);
}

/* Make one pass over the data. */
static void scan(struct fold_job *job)
{
	struct rows_options format = common_rows_options(&settings.common);
	const struct rows_visitor visitor = { .deliver = deliver,
					      .pause = pause_rows,
					      .arg = job,
					      .progress = { cli_progress_bytes, &job->progress } };
	struct error err = { 0 };
	struct input *input;

	format.keep_text = true;
	input = cli_open_pass(&job->passes, settings.data_name, job->fold || !needs_all_rows());
	cli_progress_start(&job->progress, "reading", settings.common.progress,
			   settings.common.quiet);
	rows_scan(input, &format, &visitor, (int)settings.common.n_threads, &err);
	cli_progress_end(&job->progress);
	if (err.code != ERR_NONE)
		fail(job, &err);
	cli_close_pass(&job->passes, input);
}

/* Warn of a class that is missing from a training part or a test part. */
static void remark_on_classes(const struct fold_job *job)
{
	int64_t n = drawn_folds_small_classes(&job->drawn);

	if (n > 0 && !settings.common.quiet)
		cli_note("%" PRId64 " of %" PRId64 " classes have fewer rows than there are folds: "
			 "not every test part has one of them",
			 n, job->drawn.n_classes);
}

static void fold_data(struct fold_job *job)
{
	if (settings.lines)
		fold_lines_read(&job->lines, settings.lines);
	if (settings.common.groups)
		job->groups = cli_read_groups(settings.common.groups);
	if (needs_all_rows()) {
		scan(job);
		check_groups(job->labels.x.n_rows, job->groups.n);
	} else {
		job->labels.x.n_rows = job->groups.n;
	}
	if (has_groups() || needs_all_rows())
		draw_folds(job);
	scan(job);
	fold_lines_check(&job->lines, job->n_rows, settings.data_name);
	if (job->n_rows == 0 && !settings.common.quiet)
		cli_note("%s: no examples", settings.data_name);
	check_groups(job->n_rows, job->labels.x.n_rows);
	if (job->has_qid && !has_groups())
		cli_warn_qids(settings.data_name);
	remark_on_classes(job);
	if (job->n_rows > 0 && job->n_chosen == 0 && !settings.common.quiet)
		cli_note("no row of %" PRId64 " is in the %s part of fold %" PRId64, job->n_rows,
			 settings.test ? "test" : "training", settings.fold);
}

static void finish_output(struct fold_job *job)
{
	struct error err = { 0 };

	job->rows.bytes.size = 0;
	if (fold_rows_change_shard(&job->rows, 0, &err) < 0 ||
	    output_write(job->file[FILE_ROWS].output, job->rows.bytes.bytes, job->rows.bytes.size,
			 &err) < 0)
		cli_fail_output(&job->file[FILE_ROWS], &err);
	cli_commit_outputs(job->file, N_FILES);
}

static void release(struct fold_job *job)
{
	mem_free(job->fold);
	row_groups_free(&job->groups);
	fold_rows_free(&job->rows);
	fold_lines_free(&job->lines);
	dataset_free(&job->labels);
	drawn_folds_free(&job->drawn);
	cli_free_passes(&job->passes);
}

/* ---- the report ---- */

static void open_files(struct fold_job *job)
{
	const char *const inputs[] = { settings.data_name, settings.common.groups, settings.lines };

	job->file[FILE_ROWS] = cli_output_named(settings.output_name, "output file");
	job->file[FILE_ROWS].compress = settings.common.compress;
	job->file[FILE_ROWS].kind = settings.list ? FILE_IS_OTHER : FILE_IS_ROWS;
	job->file[FILE_LINES] = cli_output_named(settings.lines_output, "file of lines");
	job->file[FILE_REPORT] = cli_output_named(settings.common.report, "report file");
	cli_keep_files_apart(job->file, N_FILES, inputs, 3);
	cli_open_outputs(job->file, N_FILES);
}

static void finish_report(struct fold_job *job)
{
	struct report *report, *data;

	if (!settings.common.report)
		return;
	report = report_new(program.name);
	report_settings(report, options);
	report_seed(report, "seed", settings.seed);
	data = report_object(report, "data");
	report_text(data, "file", settings.data_name);
	report_rows(data, &job->sums.read);
	if (job->n_groups > 0)
		report_count(data, "groups", job->n_groups);
	if (!settings.list)
		report_written(report, settings.output_name, &job->sums.written);
	report_finish(report, job->started, job->file[FILE_REPORT].output);
}

/* ---- all together ---- */

int main(int argc, char **argv)
{
	struct fold_job job = { .started = cli_seconds(), .failed_file = -1 };

	cli_set_up(program.name, argv);
	common_options_init(&settings.common);
	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	check_options();
	common_bound_memory(&settings.common, settings.output_name);
	common_need_memory(0);
	job.drawn = (struct drawn_folds){ .seed = settings.seed,
					  .n_folds = settings.n_folds,
					  .stratified = settings.stratified };
	open_files(&job);
	fold_data(&job);
	finish_report(&job);
	finish_output(&job);
	release(&job);
	return cli_finish();
}
