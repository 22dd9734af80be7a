/*
 * svm-gen.c - the papers' synthetic data, from a seed
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "base/thread.h"
#include "common/files.h"
#include "common/help.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "io/output.h"
#include "matrix/synthetic.h"

static const char *const variants[] = { "breiman", "printed", NULL };

static struct settings {
	struct synthetic_options data;
	int64_t n_rows, first, n_threads;
	int variant;
	bool compress, quiet, progress;
	bool noise_given, variant_given, tau_given, n_relevant_given;
	const char *output_name;
} o = {
	.data = { .seed = 1, .n_relevant = 40 },
	.first = 1,
	.output_name = "-",
};

/* Row numbers end here: their sums are far from overflowing. */
#define ROWS_MAX 9e15

static const struct cli_option options[] = {
	{ 'n', "rows", CLI_INT, &o.n_rows, 1, ROWS_MAX, "N", "rows to make; must be given", 0, 0 },
	{ 'd', "features", CLI_INT, &o.data.n_features, 1, INT32_MAX, "N",
	  "features (default: 20; checkerboard 2, friedman 10,\n"
	  "\tseparable 5000, relevant 1000)",
	  0, 0 },
	{ 0, "seed", CLI_SEED, &o.data.seed, 0, 0, "N", "another seed, other data (default 1)", 0,
	  0 },
	{ 0, "first", CLI_INT, &o.first, 1, ROWS_MAX, "ROW",
	  "begin with this row (default 1): for parts, and for\n"
	  "\ttest data of the same seed",
	  0, 0 },
	{ 0, "noise", CLI_REAL, &o.data.noise, 0, 1, "P",
	  "turn labels round with this probability (default 0)", 0, &o.noise_given },
	{ 0, "variant", CLI_CHOICE, &o.variant, 0, 0, "V",
	  "ringnorm: breiman, or printed as in the RandSVM papers\n"
	  "\t(default breiman)",
	  variants, &o.variant_given },
	{ 0, "tau", CLI_REAL, &o.data.tau, 0, 0, "T",
	  "separable: the plane's distance from 0 (default 0)", 0, &o.tau_given },
	{ 'k', "relevant", CLI_INT, &o.data.n_relevant, 0, INT32_MAX, "N",
	  "relevant: features that matter (default 40)", 0, &o.n_relevant_given },
	{ 'z', NULL, CLI_FLAG, &o.compress, 0, 0, NULL,
	  "gzip the output_file (so it is when its name ends in .gz)", 0, 0 },
	{ 'q', NULL, CLI_FLAG, &o.quiet, 0, 0, NULL, "quiet mode (no progress)", 0, 0 },
	{ 0, "threads", CLI_INT, &o.n_threads, 1, THREAD_MAX, "N",
	  "threads to use; the bytes do not depend on it (default: all cores)", 0, 0 },
	{ 0, "progress", CLI_FLAG, &o.progress, 0, 0, NULL,
	  "show progress even where standard error is no terminal", 0, 0 },
	CLI_END
};

static const struct cli_program program = {
	.name = "svm-gen",
	.arguments = "KIND -n ROWS [options] [output_file]",
	.purpose =
		"Writes data to train on: twonorm, ringnorm, checkerboard, friedman, separable or "
		"relevant.\nWithout an output_file, or with \"-\", to standard output.",
	.example = "svm-gen twonorm -n 100000 twonorm.gz",
	.options = options,
};

/* What a line's label, or a feature of it, may need. */
#define LABEL_SIZE (DECIMAL_SHORTEST_SIZE + 1)
#define FEATURE_SIZE (2 * DECIMAL_SHORTEST_SIZE + 2)

/* Values in one piece of work: about a megabyte of text. */
#define PIECE_VALUES (1 << 16)

/* A thread's room: consecutive rows, and their text. */
struct piece {
	int64_t first, n_rows;
	double *x; /* a row's features */
	char *text;
	int64_t size, capacity;
};

struct job {
	struct synthetic_data generator;
	struct output *output;
	int64_t n_taken, n_written; /* rows */
	struct cli_progress progress;
};

static bool has_labels(void)
{
	return o.data.kind != SYNTHETIC_FRIEDMAN;
}

static int take_rows(void *arg, void *slot, struct error *err)
{
	struct job *job = arg;
	struct piece *p = slot;
	int64_t left = o.n_rows - job->n_taken;

	(void)err;
	p->n_rows = PIECE_VALUES / job->generator.options.n_features + 1;
	if (p->n_rows > left)
		p->n_rows = left;
	p->first = o.first - 1 + job->n_taken;
	job->n_taken += p->n_rows;
	return p->n_rows > 0;
}

/* A line such as "-1 1:0.25 2:3"; returns its end. */
static char *write_row(char *line, double label, const double *x, int64_t d)
{
	if (has_labels() && label > 0)
		*line++ = '+';
	line += decimal_shortest(label, line);
	for (int64_t j = 0; j < d; j++) {
		*line++ = ' ';
		line += decimal_shortest((double)(j + 1), line);
		*line++ = ':';
		line += decimal_shortest(x[j], line);
	}
	*line++ = '\n';
	return line;
}

static int make_rows(void *arg, void *slot, struct error *err)
{
	const struct synthetic_data *g = &((struct job *)arg)->generator;
	struct piece *p = slot;
	int64_t d = g->options.n_features;

	p->size = 0;
	for (int64_t i = 0; i < p->n_rows; i++) {
		double label = synthetic_row(g, p->first + i, p->x);
		char *line;

		if (mem_grow(&p->text, &p->capacity, p->size + LABEL_SIZE + d * FEATURE_SIZE, 1,
			     err) < 0)
			return -1;
		line = p->text + p->size;
		p->size += write_row(line, label, p->x, d) - line;
	}
	return 0;
}

static int write_rows(void *arg, void *slot, struct error *err)
{
	struct job *job = arg;
	const struct piece *p = slot;

	job->n_written += p->n_rows;
	cli_progress_text(&job->progress, "%3.0f%%, %" PRId64 " rows",
			  100.0 * (double)job->n_written / (double)o.n_rows, job->n_written);
	return output_write(job->output, p->text, p->size, err);
}

static int run(struct job *job, struct error *err)
{
	const struct pipeline steps = { take_rows, make_rows, write_rows, job };
	struct piece pieces[THREAD_MAX] = { 0 };
	void *slots[THREAD_MAX];
	int ret = -1;

	for (int i = 0; i < o.n_threads; i++) {
		slots[i] = &pieces[i];
		pieces[i].x = mem_array(job->generator.options.n_features, sizeof(double), err);
		if (!pieces[i].x)
			goto out;
	}
	ret = pipeline_run(&steps, slots, (int)o.n_threads, err);
out:
	for (int i = 0; i < o.n_threads; i++) {
		free(pieces[i].x);
		free(pieces[i].text);
	}
	return ret;
}

_Noreturn static void refuse(const char *reason)
{
	cli_fail("%s: %s; try '%s --help'", program.name, reason, program.name);
}

/* The kind comes before the options, and only a file name after them. */
static void read_arguments(int argc, char **argv)
{
	bool has_kind = argc > 1 && argv[1][0] != '-';
	int first = cli_parse(&program, argc - has_kind, argv + has_kind) + has_kind;
	int kind = 0;

	if (argc == 1)
		cli_usage(&program);
	if (!has_kind)
		refuse("the kind of data comes first");
	while (synthetic_names[kind] && strcmp(argv[1], synthetic_names[kind]) != 0)
		kind++;
	if (!synthetic_names[kind])
		cli_fail("%s: no kind of data is called '%s'; try '%s --help'", program.name,
			 argv[1], program.name);
	if (argc > first + 1)
		cli_fail("%s: one output_file at most: '%s'", program.name, argv[first + 1]);
	if (first < argc)
		o.output_name = argv[first];
	o.data.kind = (enum synthetic_kind)kind;
}

/* An option of another kind is a mistake. */
static void check_options(void)
{
	const char *kind = synthetic_names[o.data.kind];
	const struct {
		bool given;
		const char *name;
		bool fits;
	} special[] = {
		{ o.noise_given, "--noise", has_labels() },
		{ o.variant_given, "--variant", o.data.kind == SYNTHETIC_RINGNORM },
		{ o.tau_given, "--tau", o.data.kind == SYNTHETIC_SEPARABLE },
		{ o.n_relevant_given, "-k", o.data.kind == SYNTHETIC_RELEVANT },
	};

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (special[i].given && !special[i].fits)
			cli_fail("%s: %s: is not for %s; try '%s --help'", program.name,
				 special[i].name, kind, program.name);
	if (o.n_rows == 0)
		refuse("-n is missing: how many rows?");
	o.data.printed = o.variant == 1;
}

int main(int argc, char **argv)
{
	struct job job = { 0 };
	struct error err = { 0 };

	cli_set_up(program.name);
	o.n_threads = thread_default_count();
	read_arguments(argc, argv);
	check_options();
	if (synthetic_init(&job.generator, &o.data, &err) < 0)
		refuse(err.text);
	job.output = cli_open_output(o.output_name, o.compress, "output file");
	cli_progress_start(&job.progress, "generating", o.progress, o.quiet);
	if (run(&job, &err) == 0)
		output_commit(job.output, &err);
	cli_progress_end(&job.progress);
	if (err.code != ERR_NONE)
		cli_fail_output("output file", o.output_name, &err);
	synthetic_free(&job.generator);
	return cli_finish();
}
