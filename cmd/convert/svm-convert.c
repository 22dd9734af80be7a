/*
 * svm-convert.c - tables and matrices of other programs as rows for training
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "convert.h"

static const char *const form_names[] = { "auto", "csv", "arff",     "npy",
					  "npz",  "mtx", "svmlight", NULL };
static const char *const output_names[] = { "svmlight", "csv", "npy", "mtx", NULL };
/* convert_table.c has the delimiters in the same order. */
static const char *const delimiter_names[] = { "auto",	"comma", "tab",	 "semicolon", "bar",
					       "blank", "first", "none", NULL };
const char *const convert_zero_based_names[] = { "no", "in", "out", "both", NULL };

struct convert_settings settings = {
	.data_name = "-",
	.output_name = "-",
	.ngrams = "1,1",
	.rule = { .least_texts = 1 },
};

static const struct cli_option options[] = {
	CLI_HEADING("Columns:"),
	CLI_TEXT(
		'l', "label", &settings.label, "COLUMN",
		"name of the column with the label or target, or its number, -1 for the last one; must "
		"be given, but for -r, --labels-of and --no-label",
		.not_with = "-r --no-label --labels-of"),
	CLI_TEXT(0, "labels-of", &settings.labels_of, "FILE",
		 "labels of a matrix: FILE has one a line, or is a NumPy array",
		 .not_with = "--no-label", .key = CLI_NO_KEY),
	CLI_FLAG(0, "no-label", &settings.no_label, "there are no labels: all are 0"),
	CLI_TEXT(0, "categories", &settings.categories, "COLUMNS",
		 "columns whose numbers stand for categories, or for classes, separated by commas; "
		 "columns with text are taken for such, unless nine tenths of it are numbers",
		 .not_with = "-r"),
	CLI_TEXT(0, "ignore", &settings.ignore, "COLUMNS",
		 "columns to leave out, separated by commas", .not_with = "-r"),
	CLI_TEXT(0, "id", &settings.id, "COLUMN",
		 "column of identifiers, which become comments of the rows: 1 1:3.5 # patient 7",
		 .not_with = "--binary"),
	CLI_TEXT(
		0, "group", &settings.group, "COLUMN",
		"column of groups, such as patients, whose rows folds are to keep together: each group "
		"is numbered, and each row gets its number, 1 qid:7 1:3.5, for --by-qid",
		.not_with = "--binary"),
	CLI_CHOICE(
		0, "missing", &settings.missing, csv_missing_names, "RULE",
		"what becomes of a value that is empty, NA, N/A, <NA>, NaN, NaT, NULL, None, \\N, "
		"?, #N/A or another error of a spreadsheet, or among numbers . or -\n"
		"error -- the program ends\n"
		"drop -- its row is left out\n"
		"zero -- the value 0, or none of the categories\n"
		"mean -- the mean of its column, or none of the categories\n"
		"mark -- 0, and 1 in a feature of its own"),
	CLI_TEXT(0, "na", &settings.na, "TEXTS",
		 "further texts that stand for a missing value, separated by commas",
		 .not_with = "-r"),

	CLI_HEADING("Text:"),
	CLI_TEXT(0, "text", &settings.text, "COLUMNS",
		 "columns with text, separated by commas: each word is a feature",
		 .not_with = "-r"),
	CLI_CHOICE(
		0, "words", &settings.rule.words, words_rule_names, "RULE",
		"what a word is\n"
		"letters -- letters and digits of Unicode, and marks that combine with them\n"
		"sklearn -- two or more letters, digits and underscores, as scikit-learn has it\n"
		"blanks -- what is between blanks, as it stands",
		.needs = "--text"),
	CLI_TEXT(0, "ngrams", &settings.ngrams, "LEAST,MOST",
		 "features are of so many words that follow each other, up to 9",
		 .needs = "--text"),
	CLI_INT(0, "hash", &settings.rule.bits, 1, TEXT_MOST_BITS, "BITS",
		"no vocabulary: a hash makes each word one of 2^BITS features", .needs = "--text",
		.otherwise = ""),
	CLI_INT(0, "min-count", &settings.rule.least_texts, 1, INT32_MAX, "N",
		"leave words out that fewer texts have", .needs = "--text", .not_with = "--hash"),
	CLI_TEXT(0, "stop", &settings.stop, "FILE", "leave the words of FILE out",
		 .needs = "--text", .key = CLI_NO_KEY),
	CLI_CHOICE(0, "counts", &settings.rule.counts, text_counts_names, "RULE",
		   "value of a word\n"
		   "all -- how often the text has it\n"
		   "once -- 1\n"
		   "log -- 1 + ln of how often",
		   .needs = "--text"),
	CLI_FLAG(0, "tfidf", &settings.tfidf,
		 "times ln((1 + N) / (1 + n)) + 1 for a word that n of N texts have",
		 .needs = "--text"),
	CLI_CHOICE(0, "norm", &settings.rule.norm, text_norm_names, "NAME",
		   "norm that the words of a text are divided by", .needs = "--text"),

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

	CLI_HEADING("Input:"),
	CLI_CHOICE(0, "from", &settings.from, form_names, "FORMAT",
		   "format of the input\n"
		   "auto -- told by its first bytes\n"
		   "csv -- delimited text\n"
		   "arff -- Weka's ARFF, dense or sparse\n"
		   "npy -- a NumPy array\n"
		   "npz -- a sparse matrix of scipy, or the array X\n"
		   "mtx -- MatrixMarket, coordinate or array\n"
		   "svmlight -- rows as these programs read them, also in the binary form"),
	CLI_CHOICE(0, "delimiter", &settings.delimiter, delimiter_names, "NAME",
		   "what is between fields\n"
		   "auto -- of comma, tab, semicolon and bar the one that the first two lines have "
		   "equally often, else runs of blanks\n"
		   "blank -- runs of blanks and tabs, which aligned columns have\n"
		   "first -- the first blank or tab of a line: a label and a text, quotes and all\n"
		   "none -- each line is one text, quotes and all, for --no-label --text 1"),
	CLI_FLAG(0, "header", &settings.header, "the first line has the names of the columns",
		 .not_with = "--no-header"),
	CLI_FLAG(
		0, "no-header", &settings.no_header,
		"it has not: without one of these options it has if a field is the label's name, if none is a number, or if numbers follow below its texts"),
	CLI_FLAG(0, "decimal-comma", &settings.decimal_comma, "numbers have a decimal comma",
		 .not_with = "-r"),

	CLI_HEADING("Output:"),
	COMMON_OUTPUT(&settings.output_name, settings.common),
	CLI_CHOICE(0, "to", &settings.to, output_names, "FORMAT",
		   "format of the output; all but the first keep the rows in memory\n"
		   "svmlight -- rows as these programs read them\n"
		   "csv -- comma-separated values with a header, the label first\n"
		   "npy -- a NumPy array of doubles, the label first\n"
		   "mtx -- MatrixMarket, coordinate, the label first"),
	CLI_TEXT(
		0, "positive", &settings.positive, "NAME",
		"make the label 1 of this class, named by its name or number, and -1 of all others"),
	CLI_CHOICE(0, "zero-based", &settings.zero_based, convert_zero_based_names, "WHERE",
		   "where indices of rows in SVMlight's form count from 0\n"
		   "no -- nowhere\n"
		   "in -- in the input, and from 1 in the output\n"
		   "out -- in the output\n"
		   "both -- in both",
		   .not_with = "--binary"),
	COMMON_DIGITS(&settings.digits, "--binary"),
	COMMON_BINARY(&settings.binary, "--to"),
	CLI_FLAG(
		0, "force", &settings.common.force,
		"replace a table by rows, and rows by other files; write the rows of a matrix that has hardly any entry in them",
		.key = CLI_NO_KEY),

	CLI_HEADING("Running:"),
	COMMON_MEMORY(settings.common),
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
		     "-r columns_file [options] [table [output_file]]\n"
		     "--labels-of FILE [options] [matrix [output_file]]",
	.purpose =
		"Makes rows of a table (CSV, ARFF) or a matrix (NumPy, scipy, MatrixMarket): numbers become features, each category a feature of 0 or 1, names of classes numbers. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
};

/* ---- other files ---- */

/* The classes, or what --positive made of them. */
static int list_labels(const struct csv_columns *c, struct byte_buffer *to, struct error *err)
{
	const char *name = settings.positive;

	if (!name)
		return csv_columns_labels(c, to, err);
	if (byte_buffer_reserve(to, 2 * (int64_t)strlen(name) + 16, err) < 0)
		return -1;
	to->size = sprintf(to->bytes, "1 %s\n-1 not %s\n", name, name);
	return 0;
}

/* The lines of 'list' to the file, if it was named. */
static void write_list(const struct convert_job *job, const struct cli_output *to,
		       int (*list)(const struct csv_columns *c, struct byte_buffer *to,
				   struct error *err))
{
	struct byte_buffer lines = { 0 };
	struct error err = { 0 };

	if (!to->name)
		return;
	cli_check(list(&job->columns, &lines, &err), &err);
	cli_check(cli_write(to, lines.bytes, lines.size, &err), &err);
	byte_buffer_free(&lines);
}

static void explain(const struct convert_job *job)
{
	const struct csv_columns *c = &job->columns;
	/* those behind COLUMN_IGNORED count as it */
	int64_t n_of_kind[COLUMN_IGNORED + 1] = { 0 };

	for (int64_t k = 0; k < c->n; k++)
		n_of_kind[int64_min(c->column[k].kind, COLUMN_IGNORED)]++;
	cli_warn("format: %s", form_names[job->form]);
	if (job->form <= FORM_ARFF)
		cli_warn("%" PRId64 " columns: %" PRId64 " of numbers, %" PRId64
			 " of categories, %" PRId64 " of text, %" PRId64 " left out; %" PRId64
			 " features",
			 c->n, n_of_kind[COLUMN_NUMBER], n_of_kind[COLUMN_CATEGORIES],
			 n_of_kind[COLUMN_TEXT], n_of_kind[COLUMN_IGNORED], c->n_features);
	else if (job->form != FORM_ROWS)
		cli_warn("%" PRId64 " rows, %" PRId64 " features", job->n_read, job->n_columns);
	for (int64_t k = 1; csv_columns_class(c, (double)k).start; k++) {
		const struct text_span name = csv_columns_class(c, (double)k);

		cli_warn("class %" PRId64 " is '%s'", k,
			 QUOTED(256, name.start, (size_t)name.length));
	}
}

static void report(const struct convert_job *job)
{
	struct report *data = report_object(job->run.report, "data");

	report_text(data, "file", settings.data_name);
	report_text(data, "format", form_names[job->form]);
	report_count(data, "records", job->n_read);
	if (job->form <= FORM_ARFF) {
		report_count(data, "columns", job->columns.n);
		report_count(data, "features", job->columns.n_features);
	}
	if (job->groups.n > 0)
		report_count(data, "groups", job->groups.n);
	report_count(data, "rows_written", job->n_written);
}

static void open_files(struct cli_run *run)
{
	cli_run_writes(run, FILE_ROWS, settings.output_name, "output file",
		       settings.to == TO_ROWS ? FILE_IS_ROWS : FILE_IS_TABLE)
		->beside_tables = true;
	cli_run_writes(run, FILE_COLUMNS, settings.save, "columns file", FILE_IS_MAP);
	cli_run_writes(run, FILE_NAMES, settings.names, "file of names", FILE_IS_OTHER);
	cli_run_writes(run, FILE_LABELS, settings.labels, "file of labels", FILE_IS_OTHER);
	cli_run_reads(run, settings.data_name, settings.restore, settings.labels_of, settings.stop);
	cli_run_open(run);
}

int main(int argc, char **argv)
{
	/* names of groups for a batch are more than a small stack has room for */
	static struct convert_job job;

	cli_run_begin(&job.run, &program, &settings.common, argv);
	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	cli_run_bound(&job.run, settings.output_name);
	open_files(&job.run);
	convert_open(&job);
	if (job.form <= FORM_ARFF)
		convert_table(&job);
	else if (job.form == FORM_ROWS)
		convert_rows(&job);
	else
		convert_matrix(&job);
	convert_end(&job);
	cli_save(&job.run.file[FILE_COLUMNS], csv_columns_save, &job.columns);
	write_list(&job, &job.run.file[FILE_NAMES], csv_columns_names);
	write_list(&job, &job.run.file[FILE_LABELS], list_labels);
	if (!settings.common.quiet)
		convert_remark(&job);
	if (settings.common.verbose)
		explain(&job);
	report(&job);
	cli_run_commit(&job.run);
	csv_columns_free(&job.columns);
	row_batch_free(&job.rows);
	byte_buffer_free(&job.bytes);
	byte_buffer_free(&job.ids);
	text_set_free(&job.groups);
	text_set_free(&job.id_names);
	return cli_run_end(&job.run);
}
