/*
 * svm-convert.c - a table of delimited text as rows for training
 *
 * What the columns become is learned by a first reading of the table, unless it is restored from a
 * file; a second reading writes the rows.  A file is read twice, and a pipe is kept in memory.
 *
 *     read_table(learn)  -->  struct csv_columns  -->  read_table(write)
 *                               ^ -r     | -s
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "common/common_options.h"
#include "common/files.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/report.h"
#include "io/row_writer.h"
#include "csv/csv_columns.h"

/* Delimiters by the places of their names; the first one is to be guessed. */
static const char delimiters[] = "\0,\t; ";
static const char *const delimiter_names[] = { "auto", "comma", "tab", "semicolon", "blank", NULL };

static struct settings {
	struct common_options common;
	const char *label, *categories, *ignore, *save, *restore, *names, *labels;
	int missing, delimiter;
	int64_t digits;
	bool header, no_header, no_label, decimal_comma, binary;
	const char *data_name, *output_name;
} settings = {
	.data_name = "-",
	.output_name = "-",
};

static const struct cli_option options[] = {
	CLI_HEADING("Columns:"),
	CLI_TEXT(
		'l', "label", &settings.label, "COLUMN",
		"name of the column with the label or target, or its number; must be given, but for "
		"-r and --no-label",
		.not_with = "-r --no-label"),
	CLI_FLAG(0, "no-label", &settings.no_label, "the table has no labels: all are 0",
		 .not_with = "-r"),
	CLI_TEXT(
		0, "categories", &settings.categories, "COLUMNS",
		"columns whose numbers stand for categories, separated by commas; columns with text "
		"are taken for such",
		.not_with = "-r"),
	CLI_TEXT(0, "ignore", &settings.ignore, "COLUMNS",
		 "columns to leave out, separated by commas", .not_with = "-r"),
	CLI_CHOICE(0, "missing", &settings.missing, csv_missing_names, "RULE",
		   "what becomes of a value that is empty, NA, N/A, NaN, NULL or ?\n"
		   "error -- the program ends\n"
		   "drop -- its row is left out\n"
		   "zero -- the value 0, or none of the categories\n"
		   "mean -- the mean of its column, or none of the categories\n"
		   "mark -- 0, and 1 in a feature of its own",
		   .not_with = "-r"),

	CLI_HEADING("What was learned:"),
	CLI_TEXT('s', "save", &settings.save, "FILE",
		 "save names, categories, means and classes to FILE, for later tables",
		 .not_with = "-r"),
	CLI_TEXT('r', "restore", &settings.restore, "FILE",
		 "make the features and labels that FILE says"),
	CLI_TEXT(0, "names", &settings.names, "FILE",
		 "write the names of the features to FILE, for --names of other programs",
		 .key = CLI_NO_KEY),
	CLI_TEXT(0, "labels", &settings.labels, "FILE",
		 "write number and name of each class to FILE", .key = CLI_NO_KEY),

	CLI_HEADING("Table:"),
	CLI_CHOICE(0, "delimiter", &settings.delimiter, delimiter_names, "NAME",
		   "what is between fields\n"
		   "auto -- of comma, tab and semicolon the most frequent in the first line"),
	CLI_FLAG(0, "header", &settings.header, "the first line has the names of the columns",
		 .not_with = "--no-header"),
	CLI_FLAG(
		0, "no-header", &settings.no_header,
		"it has not: without one of these options it has if none of its fields is a number"),
	CLI_FLAG(0, "decimal-comma", &settings.decimal_comma, "numbers have a decimal comma",
		 .not_with = "-r"),

	CLI_HEADING("Output:"),
	COMMON_OUTPUT(&settings.output_name, "standard output"),
	COMMON_COMPRESS(settings.common, "output_file"),
	COMMON_DIGITS(&settings.digits, "--binary"),
	COMMON_BINARY(&settings.binary, NULL),
	COMMON_FORCE(settings.common),

	CLI_HEADING("Running:"),
	COMMON_REPORT(settings.common),
	COMMON_QUIET(settings.common),
	COMMON_VERBOSE(settings.common),
	COMMON_PROGRESS(settings.common),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "A table with classes in the column type, and a later one by the same rules",
	  "printf 'type,size\\ngood,1.5\\nbad,\\n' >table.csv\n"
	  "svm-convert -l type --missing mean -s columns table.csv train\n"
	  "svm-convert -r columns table.csv test" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "svm-convert",
	.arguments = "-l COLUMN [options] [table [output_file]]\n"
		     "-r columns_file [options] [table [output_file]]",
	.purpose =
		"Makes rows of a table of delimited text, such as CSV: numbers become features, each category a feature of 0 or 1, names of classes numbers. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
};

/* Files that a run writes, by position in struct convert_job. */
enum { FILE_ROWS, FILE_COLUMNS, FILE_NAMES, FILE_LABELS, FILE_REPORT, N_FILES };

struct convert_job {
	double started;
	struct cli_output file[N_FILES];
	struct cli_passes passes;
	struct cli_progress progress;
	struct byte_buffer kept; /* the bytes of a pipe, which is read once */
	bool is_kept;
	struct csv_columns columns;
	struct row_batch rows;
	struct row_writer writer;
	struct byte_buffer bytes;
	int64_t n_read, n_written;
};

_Noreturn static void fail(const struct error *err)
{
	cli_fail("%s: %s", program.name, cli_error(err));
}

/* Name of the table in messages. */
static const char *table_name(void)
{
	return strcmp(settings.data_name, "-") == 0 ? "standard input" : settings.data_name;
}

/* ---- reading ---- */

/* Of comma, tab and semicolon the one that the first line has most of. */
static char guess_delimiter(const struct csv_reader *r)
{
	const char *p = r->text.bytes + r->next, *end = r->text.bytes + r->text.size;
	int64_t count[4] = { 0 };
	int best = 1;

	for (; p < end && *p != '\n'; p++)
		for (int k = 1; k < 4; k++)
			count[k] += *p == delimiters[k];
	for (int k = 1; k < 4; k++)
		if (count[k] > count[best])
			best = k;
	return delimiters[best];
}

static bool is_header(const struct convert_job *job, const struct csv_record *record)
{
	double ignored;

	if (settings.header || settings.no_header)
		return settings.header;
	for (int64_t k = 0; k < record->n; k++)
		if (csv_columns_is_number(&job->columns, &record->field[k], &ignored))
			return false;
	return true;
}

/* Give the columns of a list, separated by commas, a kind. */
static void set_columns(struct convert_job *job, const char *list, enum column_kind kind)
{
	struct error err = { 0 };
	char name[1024];

	while (list && *list) {
		const size_t length = strcspn(list, ",");

		snprintf(name, sizeof(name), "%.*s", (int)length, list);
		if (csv_columns_set(&job->columns, name, kind, &err) < 0)
			fail(&err);
		list += length + (list[length] == ',');
	}
}

/* The first record: the header, or the first row. */
static int begin_table(struct convert_job *job, const struct csv_record *header, int64_t n,
		       struct error *err)
{
	struct csv_columns *c = &job->columns;

	if (settings.restore)
		return csv_columns_fit(c, header, n, err);
	if (csv_columns_begin(c, header, n, err) < 0)
		return -1;
	set_columns(job, settings.categories, COLUMN_CATEGORIES);
	set_columns(job, settings.ignore, COLUMN_IGNORED);
	return settings.label ? csv_columns_set(c, settings.label, COLUMN_LABEL, err) : 0;
}

/* What is done with the records of a reading. */
struct visitor {
	int (*begin)(struct convert_job *job, const struct csv_record *header, int64_t n,
		     struct error *err);
	int (*record)(struct convert_job *job, const struct csv_record *record, struct error *err);
};

static int visit(struct convert_job *job, struct csv_reader *r, const struct visitor *v,
		 struct error *err)
{
	struct csv_record record;
	bool has_header;
	int got = csv_read(r, &record, err);

	if (got <= 0)
		return got < 0 ? -1 : error_set(err, ERR_FORMAT, "%s: the table is empty", r->name);
	has_header = is_header(job, &record);
	if (v->begin && v->begin(job, has_header ? &record : NULL, record.n, err) < 0)
		return -1;
	if (has_header)
		got = csv_read(r, &record, err);
	for (; got > 0; got = csv_read(r, &record, err))
		if (v->record(job, &record, err) < 0)
			return -1;
	return got;
}

static void read_table(struct convert_job *job, const char *doing, const struct visitor *v,
		       bool is_last)
{
	struct csv_reader r = { .name = table_name() };
	struct error err = { 0 };
	const bool from_kept = job->is_kept && job->kept.size > 0;

	if (!from_kept)
		r.input = cli_open_pass(&job->passes, settings.data_name, is_last);
	if (job->is_kept)
		r.kept = &job->kept;
	cli_progress_start(&job->progress, doing, settings.common.progress, settings.common.quiet);
	if (csv_reader_start(&r, &err) == 0) {
		r.delimiter = settings.delimiter > 0 ? delimiters[settings.delimiter] :
						       guess_delimiter(&r);
		visit(job, &r, v, &err);
	}
	cli_progress_end(&job->progress);
	if (err.code != ERR_NONE)
		fail(&err);
	if (!from_kept)
		cli_close_pass(&job->passes, r.input);
	csv_reader_free(&r);
}

/* ---- learning and writing ---- */

static int learn_record(struct convert_job *job, const struct csv_record *record, struct error *err)
{
	return csv_columns_learn(&job->columns, record, err);
}

static int write_rows(struct convert_job *job, struct error *err)
{
	if (row_writer_format(&job->writer, &job->bytes, &job->rows, err) < 0)
		return -1;
	job->n_written += job->rows.n_rows;
	if (cli_written(&job->file[FILE_ROWS], row_writer_write(&job->writer, &job->bytes, err),
			err) < 0)
		return -1;
	return row_batch_reserve(&job->rows, 0, 0, false, err);
}

/* Rows of a batch. */
enum { BATCH_ROWS = 1024 };

static int write_record(struct convert_job *job, const struct csv_record *record, struct error *err)
{
	job->n_read++;
	if (csv_columns_row(&job->columns, record, &job->rows, err) < 0)
		return -1;
	return job->rows.n_rows < BATCH_ROWS ? 0 : write_rows(job, err);
}

static void learn(struct convert_job *job)
{
	static const struct visitor learning = { begin_table, learn_record };
	struct error err = { 0 };

	job->columns.missing = settings.missing;
	job->columns.decimal_comma = settings.decimal_comma;
	job->is_kept = !cli_is_file(settings.data_name);
	read_table(job, "learning columns", &learning, false);
	if (csv_columns_end(&job->columns, &err) < 0)
		fail(&err);
}

static void restore(struct convert_job *job)
{
	struct error err = { 0 };

	if (csv_columns_load(&job->columns, settings.restore, &err) < 0)
		cli_fail_reading("columns file", settings.restore, &err);
}

static void convert(struct convert_job *job)
{
	static const struct visitor writing = { NULL, write_record };
	static const struct visitor restoring = { begin_table, write_record };
	struct error err = { 0 };

	if (settings.restore)
		restore(job);
	job->columns.name = table_name();
	if (!settings.restore)
		learn(job);
	job->writer = (struct row_writer){ .to = job->file[FILE_ROWS].output,
					   .binary = settings.binary,
					   .digits = (int)settings.digits };
	if (row_writer_begin(&job->writer, &err) < 0 ||
	    row_batch_reserve(&job->rows, 0, 0, false, &err) < 0)
		fail(&err);
	read_table(job, "converting", settings.restore ? &restoring : &writing, true);
	if ((job->rows.n_rows > 0 && write_rows(job, &err) < 0) ||
	    row_writer_end(&job->writer, &err) < 0)
		fail(&err);
}

/* ---- other files ---- */

static void write_lists(struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;
	struct error err = { 0 };

	if (settings.save && csv_columns_save(c, job->file[FILE_COLUMNS].output, &err) < 0)
		cli_fail_output(&job->file[FILE_COLUMNS], &err);
	if (settings.names && csv_columns_write_names(c, job->file[FILE_NAMES].output, &err) < 0)
		cli_fail_output(&job->file[FILE_NAMES], &err);
	if (settings.labels && csv_columns_write_labels(c, job->file[FILE_LABELS].output, &err) < 0)
		cli_fail_output(&job->file[FILE_LABELS], &err);
}

static void remark(const struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;

	if (settings.common.quiet)
		return;
	if (c->label >= 0 && c->column[c->label].place < 0)
		cli_note("%s: no column with labels: all are 0", c->name);
	if (c->n_unknown > 0)
		cli_note("%s: %" PRId64 " values are none of the categories that were learned",
			 c->name, c->n_unknown);
	if (job->n_written < job->n_read)
		cli_note("%s: %" PRId64 " of %" PRId64 " rows have missing values and are left out",
			 c->name, job->n_read - job->n_written, job->n_read);
}

static void explain(const struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;
	int64_t n_of_kind[4] = { 0 };

	for (int64_t k = 0; k < c->n; k++)
		n_of_kind[c->column[k].kind]++;
	cli_warn("%" PRId64 " columns: %" PRId64 " of numbers, %" PRId64 " of categories, %" PRId64
		 " left out; %" PRId64 " features",
		 c->n, n_of_kind[COLUMN_NUMBER], n_of_kind[COLUMN_CATEGORIES],
		 n_of_kind[COLUMN_IGNORED], c->n_features);
	for (int64_t j = 0; c->label >= 0 && j < c->column[c->label].categories.n; j++) {
		const struct text_span name = text_set_get(&c->column[c->label].categories, j);
		char quoted[256];

		cli_warn("class %" PRId64 " is '%s'", j + 1,
			 error_quote(quoted, sizeof(quoted), name.start, (size_t)name.length));
	}
}

static void write_report(struct convert_job *job)
{
	struct report *report, *data;

	if (!settings.common.report)
		return;
	report = report_new(program.name);
	report_settings(report, options);
	data = report_object(report, "data");
	report_text(data, "file", settings.data_name);
	report_count(data, "records", job->n_read);
	report_count(data, "columns", job->columns.n);
	report_count(data, "features", job->columns.n_features);
	report_count(data, "rows_written", job->n_written);
	report_finish(report, job->started, job->file[FILE_REPORT].output);
}

static void open_files(struct convert_job *job)
{
	const char *const inputs[] = { settings.data_name, settings.restore };

	job->file[FILE_ROWS] = cli_output_named(settings.output_name, "output file");
	job->file[FILE_ROWS].compress = settings.common.compress;
	job->file[FILE_ROWS].rows = true;
	job->file[FILE_COLUMNS] = cli_output_named(settings.save, "columns file");
	job->file[FILE_NAMES] = cli_output_named(settings.names, "file of names");
	job->file[FILE_LABELS] = cli_output_named(settings.labels, "file of labels");
	job->file[FILE_REPORT] = cli_output_named(settings.common.report, "report file");
	cli_keep_files_apart(job->file, N_FILES, inputs, 2);
	cli_open_outputs(job->file, N_FILES);
}

int main(int argc, char **argv)
{
	struct convert_job job = { .started = cli_seconds() };

	cli_set_up(program.name, argv);
	common_options_init(&settings.common);
	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	if (!settings.label && !settings.no_label && !settings.restore)
		cli_refuse("-l is missing: which column has the labels?");
	open_files(&job);
	convert(&job);
	write_lists(&job);
	remark(&job);
	if (settings.common.verbose)
		explain(&job);
	write_report(&job);
	cli_commit_outputs(job.file, N_FILES);
	csv_columns_free(&job.columns);
	row_batch_free(&job.rows);
	byte_buffer_free(&job.bytes);
	byte_buffer_free(&job.kept);
	return cli_finish();
}
