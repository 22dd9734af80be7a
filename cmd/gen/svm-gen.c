/*
 * svm-gen.c - the papers' synthetic data, and synthetic text, from a seed
 *
 * A row is a function of the options, the seed and its number (matrix/synthetic.h), so threads make
 * consecutive pieces of rows independently: take_rows() hands out numbers, make_rows() makes and
 * formats the rows of a piece in a thread of its own, and write_rows() writes the pieces in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <assert.h>

#include "common/run.h"
#include "io/row_writer.h"
#include "matrix/synthetic.h"

static const char *const variants[] = { "breiman", "printed", NULL };

static struct gen_settings {
	struct common_options common;
	struct synthetic_options data;
	const char *kind_name;
	bool text; /* choice of the kind 'text', which synthetic_options does not have */
	int64_t n_words;
	int64_t n_rows, first;
	int variant;
	const char *output_name;
} settings = {
	.data = { .seed = 1 },
	.n_words = 70,
	.first = 1,
	.output_name = "-",
};

/* Kinds of data: those of synthetic_names, then text; list_kinds() fills them in. */
static const char *kinds[16];

/* Number of relevant features if the option is not given. */
#define USUAL_RELEVANT 40
#define USUAL_TEXT_NOISE 0.08

/* Largest row number: sums of row numbers are far from overflowing. */
#define ROWS_MAX 9e15

static const struct cli_option options[] = {
	CLI_HEADING("Data:"),
	CLI_INT('n', "rows", &settings.n_rows, 1, ROWS_MAX, "N",
		"number of rows to make; must be given"),
	CLI_INT('d', "features", &settings.data.n_features, 1, INT32_MAX, "N",
		"number of features of each row",
		.otherwise = "20; checkerboard 2, friedman 10, separable 5000, relevant 1000, "
			     "text 50000"),
	CLI_SEED(0, "seed", &settings.data.seed, "N",
		 "start of the random numbers: same seed, same data", .key = CLI_NO_KEY),
	CLI_INT(0, "first", &settings.first, 1, ROWS_MAX, "ROW",
		"number of the first row to write: for parts of a data set, and for test data of "
		"the same seed"),
	CLI_REAL(0, "noise", &settings.data.noise, 0, 1, "P",
		 "give each row the wrong label with probability P; friedman has no labels",
		 .otherwise = "0; text 0.08"),

	CLI_HEADING("Output and running:"),
	COMMON_OUTPUT(&settings.output_name, settings.common),
	COMMON_FORCE(settings.common),
	COMMON_RUNNING(settings.common),

	CLI_HEADING("For one kind:"),
	CLI_INT('k', "relevant", &settings.data.n_relevant, 0, INT32_MAX, "N",
		"relevant: number of features that depend on the label; text: number of words that "
		"the label depends on",
		.otherwise = "40; text a tenth of the features"),
	CLI_INT(0, "words", &settings.n_words, 1, INT32_MAX, "N",
		"text: mean number of different words in a row"),
	CLI_REAL(0, "tau", &settings.data.tau, 0, 0, "T",
		 "separable: distance of the separating plane from the origin"),
	CLI_CHOICE(0, "variant", &settings.variant, variants, "NAME",
		   "distribution of ringnorm\n"
		   "breiman -- as in Breiman's paper\n"
		   "printed -- as printed in the papers on RandSVM"),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Training data, and test data of the same distribution",
	  "svm-gen twonorm -n 5000 two.gz\n"
	  "svm-gen twonorm -n 20000 --first 5001 two.t.gz" },
	{ "A checkerboard with two wrong labels in a hundred",
	  "svm-gen checkerboard -n 10000 --noise 0.02 board" },
	{ "Train on made data without a file",
	  "svm-gen relevant -n 200 -k 50 | randsvm-train -q -t 0 - relevant.model" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "svm-gen",
	.arguments = "KIND -n ROWS [options] [output_file]",
	.first_words = kinds,
	.purpose = "Writes random data of a known distribution to train on. KIND is twonorm, "
		   "ringnorm, checkerboard, friedman, separable, relevant or text. Without an "
		   "output_file, or with \"-\", the data go to standard output.",
	.options = options,
	.examples = examples,
};

/* Number of values in one piece of work: about a megabyte of text. */
#define PIECE_VALUES (1 << 16)

/* Scratch memory of a thread: consecutive rows and their text. */
struct gen_piece {
	int64_t first, n_rows;
	double *x;		      /* features of one row; not for text */
	struct synthetic_words words; /* words of one row; for text only */
	struct row_batch rows;
	struct byte_buffer bytes;
};

/* The file that a run writes, by position in struct cli_run. */
enum { FILE_ROWS };

struct gen_job {
	struct cli_run run;
	struct synthetic_data generator; /* generator of all kinds but text */
	struct synthetic_text texts;
	int64_t n_taken, n_written; /* number of rows taken, and of rows written */
	struct rows_checksum written;
};

static bool has_labels(void)
{
	return settings.text || settings.data.kind != SYNTHETIC_FRIEDMAN;
}

static int take_rows(void *arg, void *slot, struct error *err UNUSED)
{
	struct gen_job *job = arg;
	struct gen_piece *p = slot;
	/* features that are written for a row; for text their mean */
	const int64_t values = settings.text ? settings.n_words : job->generator.options.n_features;

	p->n_rows = int64_min(PIECE_VALUES / values + 1, settings.n_rows - job->n_taken);
	p->first = settings.first - 1 + job->n_taken;
	job->n_taken += p->n_rows;
	return p->n_rows > 0;
}

/* Append row i to the piece. */
static int make_row(const struct gen_job *job, struct gen_piece *p, int64_t i, struct error *err)
{
	struct row_batch *b = &p->rows;
	const double *x = settings.text ? p->words.val : p->x;
	const double label = settings.text ? synthetic_text_row(&job->texts, i, &p->words) :
					     synthetic_row(&job->generator, i, p->x);
	const int64_t n = settings.text ? p->words.n : job->generator.options.n_features;

	if (row_batch_reserve_entries(b, n, err) < 0)
		return -1;
	for (int64_t j = 0; j < n; j++)
		row_batch_put(b, (int32_t)(settings.text ? p->words.col[j] : j) + 1, x[j]);
	if (b->has_text)
		b->text[b->n_rows] = (struct row_text){ .label = { label > 0 ? "+1" : "-1", 2 } };
	return row_batch_end_row(b, label, err);
}

static int make_rows(void *arg, void *slot, struct error *err)
{
	const struct row_writer shortest = { 0 };
	const struct gen_job *job = arg;
	struct gen_piece *p = slot;

	if (row_batch_reserve(&p->rows, p->n_rows, 0, has_labels(), err) < 0)
		return -1;
	for (int64_t i = 0; i < p->n_rows; i++)
		if (make_row(job, p, p->first + i, err) < 0)
			return -1;
	return row_writer_format(&shortest, &p->bytes, &p->rows, err);
}

static int write_rows(void *arg, void *slot, struct error *err)
{
	struct gen_job *job = arg;
	const struct gen_piece *p = slot;

	job->n_written += p->n_rows;
	if (job->run.report)
		rows_checksum_add(&job->written, (struct row_range){ &p->rows, 0, p->n_rows });
	cli_progress_text(&job->run.progress, "%3.0f%%, %" PRId64 " rows",
			  100.0 * (double)job->n_written / (double)settings.n_rows, job->n_written);
	return cli_write(&job->run.file[FILE_ROWS], p->bytes.bytes, p->bytes.size, err);
}

static void run(struct gen_job *job, struct error *err)
{
	const struct pipeline steps = { take_rows, make_rows, write_rows, job };
	struct gen_piece pieces[THREAD_MAX] = { 0 };
	const int n_threads = (int)settings.common.n_threads;

	/* memory for one row */
	for (int i = 0; i < n_threads; i++)
		if (settings.text)
			synthetic_words_init(&pieces[i].words, &job->texts, err);
		else
			pieces[i].x =
				mem_array(job->generator.options.n_features, sizeof(double), err);
	if (err->code == ERR_NONE)
		pipeline_run(&steps, pieces, sizeof(*pieces), n_threads, err);
	for (int i = 0; i < n_threads; i++) {
		synthetic_words_free(&pieces[i].words);
		mem_free_all(pieces[i].x, pieces[i].bytes.bytes);
		row_batch_free(&pieces[i].rows);
	}
}

/* Read the arguments: the kind comes before the options, and only a file name after the options. */
static void read_arguments(int argc, char **argv)
{
	bool has_kind = argc > 1 && argv[1][0] != '-';
	int first, n = 0, kind = 0;

	for (; synthetic_names[n]; n++)
		kinds[n] = synthetic_names[n];
	kinds[n] = "text";
	assert(n + 1 < N_ELEMENTS(kinds));
	first = cli_parse(&program, argc - has_kind, argv + has_kind) + has_kind;
	if (!has_kind)
		cli_refuse("the kind of data comes first");
	while (kinds[kind] && strcmp(argv[1], kinds[kind]) != 0)
		kind++;
	if (!kinds[kind])
		cli_refuse("no kind of data is called '%s'", argv[1]);
	settings.kind_name = argv[1];
	settings.text = !synthetic_names[kind];
	cli_allow_names(argv + first, argc - first, cli_given("-o") ? 0 : 1);
	if (first < argc)
		settings.output_name = argv[first];
	settings.data.kind = (enum synthetic_kind)kind;
}

/* Refuse options that the kind of data does not have. */
static void check_options(void)
{
	const struct cli_fit of_kind[] = {
		{ "--noise", has_labels() },
		{ "--variant", !settings.text && settings.data.kind == SYNTHETIC_RINGNORM },
		{ "--tau", !settings.text && settings.data.kind == SYNTHETIC_SEPARABLE },
		{ "-k", settings.text || settings.data.kind == SYNTHETIC_RELEVANT },
		{ "--words", settings.text },
	};

	cli_refuse_misfits(of_kind, N_ELEMENTS(of_kind), settings.kind_name);
	if (settings.n_rows == 0)
		cli_refuse("-n is missing: how many rows?");
	settings.data.printed = settings.variant == 1;
	if (!settings.text && !cli_given("-k"))
		settings.data.n_relevant = USUAL_RELEVANT;
	if (settings.text && !cli_given("--noise"))
		settings.data.noise = USUAL_TEXT_NOISE;
}

static int init_generator(struct gen_job *job, struct error *err)
{
	const struct synthetic_text_options texts = { .seed = settings.data.seed,
						      .n_features = settings.data.n_features,
						      .n_words = settings.n_words,
						      .n_relevant = settings.data.n_relevant,
						      .noise = settings.data.noise };

	if (settings.text)
		return synthetic_text_init(&job->texts, &texts, err);
	return synthetic_init(&job->generator, &settings.data, err);
}

int main(int argc, char **argv)
{
	struct gen_job job = { 0 };
	struct error err = { 0 };

	cli_run_begin(&job.run, &program, &settings.common, argv);
	read_arguments(argc, argv);
	check_options();
	cli_run_bound(&job.run, settings.output_name);
	if (init_generator(&job, &err) < 0)
		cli_refuse("%s", err.text);
	cli_run_writes(&job.run, FILE_ROWS, settings.output_name, "output file", FILE_IS_ROWS);
	/* settings in the report are the values used, also of options that were not given */
	settings.data.n_features =
		settings.text ? job.texts.options.n_features : job.generator.options.n_features;
	if (settings.text)
		settings.data.n_relevant = job.texts.options.n_relevant;
	cli_run_open(&job.run);
	report_text(job.run.settings, "kind", settings.kind_name);
	report_seed(job.run.report, "seed", settings.data.seed);
	cli_run_progress(&job.run, "generating");
	run(&job, &err);
	cli_progress_end(&job.run.progress);
	cli_check(err.code == ERR_NONE ? 0 : -1, &err);
	report_file(job.run.report, "written", settings.output_name, &job.written);
	cli_run_commit(&job.run);
	synthetic_free(&job.generator);
	synthetic_text_free(&job.texts);
	return cli_run_end(&job.run);
}
