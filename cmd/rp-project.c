/*
 * rp-project.c - random projections of a stream of rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "base/thread.h"
#include "common/files.h"
#include "common/help.h"
#include "common/options.h"
#include "common/process.h"
#include "common/progress.h"
#include "common/reduction_text.h"
#include "common/report.h"
#include "common/row_writer.h"
#include "geometry/reduction.h"
#include "geometry/reduction_sizes.h"
#include "geometry/row_space.h"
#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/output.h"
#include "io/rows.h"
#include "matrix/dataset.h"
#include "model/model.h"
#include "model/unproject.h"
#include "project/feature_map.h"
#include "project/projection_sizes.h"

static struct settings {
	struct projection_options map;
	int method;
	int64_t digits, n_threads;
	double epsilon;
	int64_t rank;
	const char *cw, *save, *restore, *fold, *report;
	bool certificate, binary, compress, strict, allow_nonfinite, quiet, verbose, progress;
	bool method_given, dim_given, features_given, seed_given, cw_given, sparsity_given,
		digits_given, epsilon_given, rank_given;
	const char *data_name, *output_name;
} o = {
	.map = { .seed = 1 },
	.method = PROJECT_CW,
	.data_name = "-",
	.output_name = "-",
};

static const struct cli_option options[] = {
	CLI_GROUP("the map:"),
	{ 'm', "method", CLI_CHOICE, &o.method, 0, 0, "METHOD",
	  "rs, fht, cw, countsketch, osnap, gaussian, uniform, achlioptas,\n"
	  "\tli or pca (default cw)\n"
	  "	rs          -- random signs\n"
	  "	fht         -- signs, fast Hadamard transform, some of its outputs: dense data\n"
	  "	cw          -- sparse embedding: a few additions a value, for text\n"
	  "	countsketch -- sparser still, one addition a value\n"
	  "	osnap       -- sparse embedding in one block\n"
	  "	gaussian, uniform, achlioptas, li -- normal, uniform, sparse, very sparse entries\n"
	  "	pca         -- principal components, to compare with",
	  projection_names, &o.method_given },
	{ 'k', "dim", CLI_INT, &o.map.n_columns, 1, INT32_MAX, "DIM",
	  "features of the rows written", 0, &o.dim_given },
	{ 0, "epsilon", CLI_REAL, &o.epsilon, 1e-6, 1, "E",
	  "instead of -k, with --rank: so many that squared lengths are off by\n"
	  "\tabout a factor 1 + E at most",
	  0, &o.epsilon_given },
	{ 0, "rank", CLI_INT, &o.rank, 1, INT32_MAX, "RHO", "of the data, for --epsilon", 0,
	  &o.rank_given },
	{ 'd', "features", CLI_INT, &o.map.n_features, 1, INT32_MAX, "N",
	  "the data have features 1 to N, higher ones are errors; fht and li need it\n"
	  "\twhere they read a pipe",
	  0, &o.features_given },
	{ 0, "seed", CLI_SEED, &o.map.seed, 0, 0, "N", "another seed, another map (default 1)", 0,
	  &o.seed_given },
	{ 0, "cw", CLI_TEXT, &o.cw, 0, 0, "Q,A,V",
	  "cw: blocks, copies and columns of each; DIM is their product\n"
	  "\t(default DIM/32,4,8, or 1,A,DIM/A)",
	  0, &o.cw_given },
	{ 0, "sparsity", CLI_REAL, &o.map.sparsity, 1, PROJECTION_MAX_SPARSITY, "S",
	  "li: one entry in S is not 0 (default: the root of the number of features)", 0,
	  &o.sparsity_given },
	{ 0, "without-replacement", CLI_FLAG, &o.map.without_replacement, 0, 0, NULL,
	  "fht: different outputs of the transform", 0, 0 },
	{ 0, "single", CLI_FLAG, &o.map.single, 0, 0, NULL,
	  "single precision: half the bytes, and faster", 0, 0 },
	{ 's', "save", CLI_TEXT, &o.save, 0, 0, "FILE", "save the map", 0, 0 },
	{ 'r', "restore", CLI_TEXT, &o.restore, 0, 0, "FILE",
	  "restore a saved map; no other options of this group then", 0, 0 },
	CLI_GROUP("what else is done:"),
	{ 0, "certificate", CLI_FLAG, &o.certificate, 0, 0, NULL,
	  "print what the map does to the span of the rows, and what follows for\n"
	  "\tmargin and radius; keeps them in memory",
	  0, 0 },
	{ 0, "fold", CLI_TEXT, &o.fold, 0, 0, "MODEL",
	  "with -r: make a linear model of projected data one of the data as they were;\n"
	  "\treads no data, and writes the model to output_file",
	  0, 0 },
	CLI_GROUP("input and output:"),
	{ 0, "digits", CLI_INT, &o.digits, 1, 17, "N",
	  "write so many significant digits at most (default: all)", 0, &o.digits_given },
	{ 0, "binary", CLI_FLAG, &o.binary, 0, 0, NULL,
	  "write the binary form, for other programs of randsvm", 0, 0 },
	{ 'z', NULL, CLI_FLAG, &o.compress, 0, 0, NULL,
	  "gzip the output_file (so it is when its name ends in .gz)", 0, 0 },
	{ 0, "strict", CLI_FLAG, &o.strict, 0, 0, NULL,
	  "refuse empty lines, comment lines and qid as svm-train does", 0, 0 },
	{ 0, "allow-nonfinite", CLI_FLAG, &o.allow_nonfinite, 0, 0, NULL, "accept nan and inf", 0,
	  0 },
	{ 0, "report", CLI_TEXT, &o.report, 0, 0, "FILE", "write a report in JSON", 0, 0 },
	{ 'q', NULL, CLI_FLAG, &o.quiet, 0, 0, NULL, "quiet mode (no progress)", 0, 0 },
	{ 0, "verbose", CLI_FLAG, &o.verbose, 0, 0, NULL, "explain decisions on standard error", 0,
	  0 },
	{ 0, "progress", CLI_FLAG, &o.progress, 0, 0, NULL,
	  "show progress even where standard error is no terminal", 0, 0 },
	{ 0, "threads", CLI_INT, &o.n_threads, 1, THREAD_MAX, "N",
	  "threads to use; the bytes do not depend on it (default: all cores)", 0, 0 },
	CLI_END
};

static const struct cli_program program = {
	.name = "rp-project",
	.arguments = "[options] [data_file [output_file]]",
	.purpose = "Projects each row on DIM random directions, in one pass and constant memory. "
		   "Files may\nbe gzipped; without one, or with \"-\", standard input and output.",
	.example = "rp-project -m cw -k 512 -s map train.gz small.gz",
	.options = options,
};

/* The failure probability put into the theorems' orders of magnitude. */
#define THEOREM_DELTA 0.1

/* A thread's room. */
struct worker {
	struct projection_room room;
	struct row_batch projected;
	struct byte_buffer bytes;
	int64_t first_bad; /* row of the batch with a value that is not finite, or -1 */
};

struct job {
	struct feature_map map;
	struct cli_output output, map_output, report_output;
	struct report *report;
	FILE *info; /* where a certificate goes */
	struct cli_progress progress;
	double started;
	int64_t n_rows, n_entries, n_written, max_index;
	int64_t batch_rows; /* of all batches but the last */
	double memory;	    /* what there is, in bytes */
	struct row_writer writer;
	struct csr rows, projected; /* for a certificate */
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
	if (o.fold && first < argc) {
		o.output_name = argv[first++];
	} else if (first < argc) {
		o.data_name = argv[first++];
		if (first < argc)
			o.output_name = argv[first++];
	}
	if (first < argc)
		cli_fail("%s: one file name too many: '%s'", program.name, argv[first]);
}

/* -r says it all. */
static void check_restore(void)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ o.save, "-s" },
		{ o.method_given, "-m" },
		{ o.dim_given, "-k" },
		{ o.features_given && !o.fold, "-d" },
		{ o.seed_given, "--seed" },
		{ o.cw_given, "--cw" },
		{ o.sparsity_given, "--sparsity" },
		{ o.epsilon_given, "--epsilon" },
		{ o.rank_given, "--rank" },
		{ o.map.without_replacement, "--without-replacement" },
		{ o.map.single, "--single" },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i].given)
			cli_fail("%s: cannot use -r and %s simultaneously; try '%s --help'",
				 program.name, others[i].name, program.name);
}

static void check_method(void)
{
	o.map.method = (enum projection_method)o.method;
	if (o.cw_given && o.map.method != PROJECT_CW)
		refuse("--cw", "is for cw");
	if (o.sparsity_given && o.map.method != PROJECT_LI)
		refuse("--sparsity", "is for li");
	if (o.map.without_replacement && o.map.method != PROJECT_FHT)
		refuse("--without-replacement", "is for fht");
	if (o.method == FEATURE_MAP_PCA && o.features_given)
		refuse("-d", "is not for pca, whose data say it");
	if (o.method == FEATURE_MAP_PCA && o.map.single)
		refuse("--single", "is not for pca");
	if (o.method == FEATURE_MAP_PCA && o.epsilon_given)
		refuse("--epsilon", "is for random projections, not for pca");
}

static void read_cw(void)
{
	int end = 0;

	if (sscanf(o.cw, "%" SCNd64 ",%" SCNd64 ",%" SCNd64 "%n", &o.map.q, &o.map.a, &o.map.v,
		   &end) != 3 ||
	    o.cw[end] || o.map.q < 1 || o.map.a < 1 || o.map.v < 1 ||
	    o.map.q > INT32_MAX / o.map.a || o.map.q * o.map.a > INT32_MAX / o.map.v)
		cli_fail("%s: --cw: expected Q,A,V, three positive integers, got '%s'; "
			 "try '%s --help'",
			 program.name, o.cw, program.name);
	if (o.dim_given && o.map.n_columns != o.map.q * o.map.a * o.map.v)
		cli_fail("%s: --cw: %" PRId64 " times %" PRId64 " times %" PRId64
			 " is not -k %" PRId64,
			 program.name, o.map.q, o.map.a, o.map.v, o.map.n_columns);
	o.map.n_columns = o.map.q * o.map.a * o.map.v;
}

static void choose_columns(void)
{
	double order;

	if (o.epsilon_given != o.rank_given)
		refuse(o.epsilon_given ? "--epsilon" : "--rank",
		       "wants the other one too, --epsilon and --rank");
	if (!o.epsilon_given)
		return;
	if (o.dim_given || o.cw_given)
		refuse("--epsilon", "says how many columns, and so does -k or --cw");
	o.map.n_columns = sizes_for_error(o.rank, o.epsilon);
	if (o.map.n_columns > INT32_MAX)
		refuse("--epsilon", "that would take more than 2^31 columns");
	if (o.quiet)
		return;
	order = sizes_of_theorem(o.map.method, o.rank, o.epsilon, THEOREM_DELTA, o.map.n_features);
	cli_warn("k = %" PRId64
		 " = rho / (sqrt(1 + E) - 1)^2, where an error of E is to be expected",
		 o.map.n_columns);
	if (!isnan(order))
		cli_warn("(the theorem's order of magnitude, with 1 for its unknown constant and "
			 "delta = %g, is %.3g)",
			 THEOREM_DELTA, order);
}

/* Components are not x R: the offset changes the span that a certificate is about. */
static void refuse_pca_certificate(bool is_pca)
{
	if (o.certificate && is_pca)
		refuse("--certificate", "is for random projections, not for pca");
}

static void check_options(void)
{
	if (o.fold && !o.restore)
		refuse("--fold", "needs the map, -r");
	if (o.fold && o.certificate)
		refuse("--certificate", "is for data, which --fold does not read");
	if (o.fold && (o.binary || o.digits_given))
		refuse(o.binary ? "--binary" : "--digits",
		       "is for data, not for the model of --fold");
	if (o.digits_given && o.binary)
		refuse("--digits", "is for text, not for --binary");
	if (o.restore) {
		check_restore();
		return;
	}
	check_method();
	if (o.cw_given)
		read_cw();
	choose_columns();
	if (o.map.n_columns == 0)
		refuse("-k", "is missing: how many features shall the rows have?");
	refuse_pca_certificate(o.method == FEATURE_MAP_PCA);
}

static void keep_files_apart(void)
{
	const char *const outputs[] = { o.output_name, o.save, o.report };
	const char *const inputs[] = { o.fold ? NULL : o.data_name, o.restore, o.fold };

	cli_keep_all_apart(outputs, inputs, 3);
}

/* ---- the map ---- */

static struct rows_options row_format(void)
{
	int64_t max_index = o.features_given ? o.map.n_features : 0;

	return (struct rows_options){ .strict = o.strict,
				      .allow_nonfinite = o.allow_nonfinite,
				      .max_index = (int32_t)max_index };
}

static void show_progress(void *arg, int64_t taken, int64_t total)
{
	cli_progress_bytes(&((struct job *)arg)->progress, taken, total);
}

static int note_features(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct job *job = arg;

	(void)user;
	(void)err;
	if (batch->max_index > job->max_index)
		job->max_index = batch->max_index;
	return 0;
}

/* The largest feature, by a pass of its own. */
static int64_t count_features(struct job *job)
{
	const struct rows_options format = row_format();
	const struct rows_visitor visitor = { .deliver = note_features, .arg = job };
	struct input *input = cli_open_input(o.data_name);
	struct error err = { 0 };

	if (o.verbose)
		cli_warn("reading %s twice: for the number of features, and to project it",
			 o.data_name);
	if (rows_scan(input, &format, &visitor, (int)o.n_threads, &err) < 0)
		cli_fail_input(o.data_name, &err);
	input_close(input);
	return job->max_index > 0 ? job->max_index : 1;
}

/*
 * Features of fht and li where -d does not say.  For fht their number matters only up to the
 * next power of two, so test data may have more.
 */
static void find_features(struct job *job)
{
	bool fht = o.map.method == PROJECT_FHT;
	int64_t size = 1;

	if (!(fht || (o.map.method == PROJECT_LI && !o.sparsity_given)) || o.features_given)
		return;
	if (!cli_is_file(o.data_name))
		cli_fail(
			"%s: %s needs the number of features: say -d, or name a file, which is then "
			"read twice",
			program.name, projection_names[o.method]);
	o.map.n_features = count_features(job);
	while (fht && size < o.map.n_features)
		size *= 2;
	if (fht)
		o.map.n_features = int64_min(size, INT32_MAX);
}

static void fit_components(struct job *job)
{
	const struct pca_options options = { .n_components = o.map.n_columns,
					     .seed = o.map.seed,
					     .n_threads = (int)o.n_threads };
	const struct rows_options format = row_format();
	struct dataset data = { 0 };
	struct error err = { 0 };
	struct input *input;

	if (!cli_is_file(o.data_name))
		cli_fail("%s: pca reads its data twice: name a file, or find the components of one "
			 "with -s and use them with -r",
			 program.name);
	input = cli_open_input(o.data_name);
	if (dataset_read(&data, input, &format, NULL, NULL, (int)o.n_threads, &err) < 0)
		cli_fail_input(o.data_name, &err);
	input_close(input);
	if (feature_map_pca(&job->map, &data.x, &options, &err) < 0)
		cli_fail("%s: %s: %s", program.name, o.data_name, err.text);
	if (job->map.n_columns == 0)
		cli_fail("%s: %s: no principal components: all rows are the same", program.name,
			 o.data_name);
	if (job->map.n_columns < o.map.n_columns && !o.quiet)
		cli_warn("the data have %" PRId64 " principal components, fewer than -k %" PRId64,
			 job->map.n_columns, o.map.n_columns);
	dataset_free(&data);
}

_Noreturn static void fail_reading(const char *what, const char *name, const struct error *err)
{
	if (err->code == ERR_IO)
		cli_fail("can't open %s %s: %s", what, name, err->text);
	cli_fail_input(name, err);
}

/*
 * What that many threads take at least to project as many rows each, in bytes
 *
 * A sum for each column, and if it is not one of the sparse maps an index, a value and the same
 * to be written for each column of each row.
 */
static double bytes_needed(const struct projection_options *map, int64_t n_columns, int64_t n_rows,
			   int64_t n_threads)
{
	bool is_sparse = map->method == PROJECT_CW || map->method == PROJECT_COUNTSKETCH ||
			 map->method == PROJECT_OSNAP;
	double value = map->single ? sizeof(float) : sizeof(double);
	double result = is_sparse ? 0 : sizeof(int32_t) + sizeof(double) + value;
	double drawn = map->method == PROJECT_FHT ? 2 * sizeof(uint32_t) : 0;

	return (double)n_columns * (drawn + (double)n_threads * (value + (double)n_rows * result));
}

static int check_memory(const struct job *job, const struct projection_options *map,
			int64_t n_columns, int64_t n_rows, struct error *err)
{
	int64_t n_threads = n_rows < job->batch_rows ? 1 : o.n_threads;
	double bytes = bytes_needed(map, n_columns, n_rows, n_threads);
	bool one_may = bytes_needed(map, n_columns, n_rows, 1) <= job->memory;

	if (bytes <= job->memory)
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "%" PRId64 " columns need %.3g GB of memory, more than %.3g GB%s",
			 n_columns, bytes / 1e9, job->memory / 1e9,
			 one_may ? "; try --threads 1" : "");
}

static void make_map(struct job *job)
{
	struct error err = { 0 };

	if (o.restore) {
		if (feature_map_load(&job->map, o.restore, &err) < 0)
			fail_reading("map file", o.restore, &err);
	} else if (o.method == FEATURE_MAP_PCA) {
		fit_components(job);
	} else {
		find_features(job);
		if (check_memory(job, &o.map, o.map.n_columns, 1, &err) < 0 ||
		    feature_map_random(&job->map, &o.map, &err) < 0)
			cli_fail("%s: %s", program.name, err.text);
	}
	refuse_pca_certificate(job->map.is_pca);
}

static void explain_map(const struct job *job)
{
	const struct projection_options *p = &job->map.projection.options;

	if (!o.verbose)
		return;
	if (job->map.is_pca)
		cli_warn("pca: %" PRId64 " components", job->map.n_columns);
	else
		cli_warn("%s: %" PRId64 " columns, seed %" PRIu64, projection_names[p->method],
			 p->n_columns, p->seed);
	if (p->method == PROJECT_CW || p->method == PROJECT_OSNAP)
		cli_warn("%" PRId64 " blocks of %" PRId64 " copies of %" PRId64 " columns", p->q,
			 p->a, p->v);
	if (p->method == PROJECT_LI)
		cli_warn("one entry in %g is not 0", p->sparsity);
}

static void save_map(struct job *job)
{
	struct error err = { 0 };

	if (!o.save)
		return;
	if (job->map.n_features == 0)
		job->map.n_features = job->max_index;
	if (feature_map_save(&job->map, job->map_output.output, &err) < 0)
		cli_fail_output("map file", o.save, &err);
}

/* ---- the rows ---- */

/* What a batch of rows may have of values when projected: some megabytes of text. */
#define BATCH_VALUES (1 << 19)
#define LEAST_ROWS 16

/* The first row with a value that is not finite, or -1; x - x is 0 unless x is such a value. */
static int64_t first_not_finite(const struct row_batch *rows)
{
	bool bad = false;

	for (int64_t k = 0; k < rows->n_entries; k++)
		bad |= rows->value[k] - rows->value[k] != 0;
	for (int64_t i = 0; bad && i < rows->n_rows; i++)
		for (int64_t k = rows->row_start[i]; k < rows->row_start[i + 1]; k++)
			if (!isfinite(rows->value[k]))
				return i;
	return -1;
}

static int project_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct job *job = arg;
	struct worker *w = user;

	if (check_memory(job, &job->map.projection.options, job->map.n_columns, batch->n_rows,
			 err) < 0 ||
	    feature_map_apply(&job->map, (struct row_range){ batch, 0, batch->n_rows },
			      &w->projected, &w->room, err) < 0)
		return -1;
	w->first_bad = o.allow_nonfinite ? -1 : first_not_finite(&w->projected);
	if (w->first_bad >= 0)
		return 0;
	return row_writer_format(&job->writer, &w->bytes, &w->projected, err);
}

static int keep_rows(struct job *job, const struct row_batch *rows,
		     const struct row_batch *projected, struct error *err)
{
	if (csr_append(&job->rows, rows->n_rows, rows->row_start, rows->index, rows->value, err) <
	    0)
		return -1;
	return csr_append(&job->projected, projected->n_rows, projected->row_start,
			  projected->index, projected->value, err);
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct job *job = arg;
	struct worker *w = user;

	if (w->first_bad >= 0)
		return error_set(err, ERR_NUMERIC,
				 "row %" PRId64 ": overflow: a sum of its values is too large%s",
				 job->n_rows + w->first_bad + 1,
				 job->writer.single ? " for --single" : "");
	note_features(job, batch, NULL, err);
	job->n_rows += batch->n_rows;
	job->n_entries += batch->n_entries;
	job->n_written += w->projected.n_entries;
	if (o.certificate && keep_rows(job, batch, &w->projected, err) < 0)
		return -1;
	return row_writer_write(&job->writer, &w->bytes, err);
}

static int scan_rows(struct job *job, struct worker *workers, struct error *err)
{
	const struct projection_options *map = &job->map.projection.options;
	struct rows_options format = row_format();
	struct rows_visitor visitor = { project_rows, write_rows, show_progress, job, NULL };
	struct input *input = cli_open_input(o.data_name);
	void *users[THREAD_MAX];
	int ret;

	for (int i = 0; i < o.n_threads; i++)
		users[i] = &workers[i];
	visitor.user = users;
	format.keep_text = !o.binary;
	if (!job->map.is_pca && map->method == PROJECT_FHT) {
		format.min_index = 1;
		format.max_index = (int32_t)map->n_features;
	}
	format.max_rows = BATCH_VALUES / job->map.n_columns;
	if (format.max_rows < LEAST_ROWS)
		format.max_rows = LEAST_ROWS;
	job->batch_rows = format.max_rows;
	cli_progress_start(&job->progress, "projecting", o.progress, o.quiet);
	ret = rows_scan(input, &format, &visitor, (int)o.n_threads, err);
	cli_progress_end(&job->progress);
	input_close(input);
	return ret;
}

static void project_data(struct job *job)
{
	struct worker workers[THREAD_MAX] = { 0 };
	struct error err = { 0 };

	job->writer = (struct row_writer){ .to = job->output,
					   .binary = o.binary,
					   .single = job->map.projection.options.single,
					   .digits = (int)o.digits };
	if (row_writer_begin(&job->writer, &err) < 0 || scan_rows(job, workers, &err) < 0 ||
	    row_writer_end(&job->writer, &err) < 0)
		cli_fail_input(o.data_name, &err);
	for (int i = 0; i < o.n_threads; i++) {
		projection_room_free(&workers[i].room);
		row_batch_free(&workers[i].projected);
		free(workers[i].bytes.bytes);
	}
	if (job->n_rows == 0 && (o.save || o.certificate))
		cli_fail("%s: no examples", o.data_name);
	if (job->n_rows == 0 && !o.quiet)
		cli_warn("%s: no examples", o.data_name);
}

/* ---- the certificate ---- */

static void certify(struct job *job)
{
	const struct row_space_options options = { .n_threads = (int)o.n_threads };
	struct reduction_certificate c;
	struct row_space space = { 0 };
	struct error err = { 0 };

	if (!o.certificate)
		return;
	if (row_space_init(&space, &job->rows, &options, &err) < 0 ||
	    reduction_certify_rows(&c, &space, &job->projected, &err) < 0)
		cli_fail("%s: --certificate: %s", program.name, err.text);
	c.n_columns = job->map.n_columns; /* some may be zero in all rows */
	fprintf(job->info, "rank = %" PRId64 ", columns = %" PRId64 "\n", c.rank,
		job->map.n_columns);
	reduction_print(job->info, &c, "columns");
	reduction_report(job->report, &c);
	row_space_free(&space);
}

/* ---- a model ---- */

static void fold_model(struct job *job)
{
	struct model model = { 0 }, folded = { 0 };
	struct error err = { 0 };
	int64_t n_features = o.features_given ? o.map.n_features : job->map.n_features;

	if (model_read(&model, o.fold, &err) < 0)
		fail_reading("model file", o.fold, &err);
	if (n_features == 0)
		cli_fail("%s: --fold: the map does not say how many features the data had: say -d",
			 program.name);
	if (model_unproject(&folded, &model, &job->map, n_features, &err) < 0)
		cli_fail("%s: --fold: %s: %s", program.name, o.fold, err.text);
	if (model_write(&folded, job->output.output, &err) < 0)
		cli_fail_output("output file", o.output_name, &err);
	model_free(&model);
	model_free(&folded);
}

/* ---- the report ---- */

static void start_report(struct job *job)
{
	struct report *settings;

	if (!o.report)
		return;
	job->report = report_new(program.name);
	settings = report_object(job->report, "settings");
	report_text(settings, "restored", o.restore ? o.restore : "");
	report_flag(settings, "binary", o.binary);
	report_count(settings, "digits", o.digits);
	report_count(settings, "threads", o.n_threads);
}

static void report_map(struct report *r, const struct feature_map *map)
{
	const struct projection_options *p = &map->projection.options;

	report_text(r, "method", projection_names[map->is_pca ? FEATURE_MAP_PCA : (int)p->method]);
	report_count(r, "columns", map->n_columns);
	report_count(r, "features", map->n_features);
	report_flag(r, "single", p->single);
	report_flag(r, "without_replacement", p->without_replacement);
	report_count(r, "q", p->q);
	report_count(r, "a", p->a);
	report_count(r, "v", p->v);
	report_number(r, "sparsity", p->sparsity);
}

static void finish_report(struct job *job)
{
	struct report *data = report_object(job->report, "data");

	if (!job->map.is_pca)
		report_seed(job->report, "seed", job->map.projection.options.seed);
	else if (!o.restore)
		report_seed(job->report, "seed", o.map.seed);
	report_map(report_object(job->report, "map"), &job->map);
	report_text(data, "file", o.fold ? o.fold : o.data_name);
	report_count(data, "rows", job->n_rows);
	report_count(data, "entries", job->n_entries);
	report_count(data, "max_index", job->max_index);
	report_count(job->report, "values_written", job->n_written);
	report_number(job->report, "seconds", cli_seconds() - job->started);
	report_count(job->report, "peak_memory_bytes", cli_peak_memory());
	report_write(job->report, job->report_output.output);
}

/* ---- all together ---- */

static struct cli_output open_output(const char *name, bool compress, const char *what)
{
	struct output *output = name ? cli_open_output(name, compress, what) : NULL;

	return (struct cli_output){ output, what, name };
}

static void open_outputs(struct job *job)
{
	job->report_output = open_output(o.report, false, "report file");
	job->output = open_output(o.output_name, o.compress, "output file");
	job->map_output = open_output(o.save, false, "map file");
}

int main(int argc, char **argv)
{
	struct job job = { .started = cli_seconds(),
			   .memory = (double)cli_memory(),
			   .batch_rows = LEAST_ROWS };

	cli_set_up(program.name);
	o.n_threads = thread_default_count();
	read_arguments(argc, argv);
	check_options();
	keep_files_apart();
	job.info = cli_is_standard_output(o.output_name) ? stderr : stdout;
	open_outputs(&job);
	start_report(&job);
	make_map(&job);
	explain_map(&job);
	if (o.fold) {
		fold_model(&job);
	} else {
		project_data(&job);
		certify(&job);
		save_map(&job);
	}
	finish_report(&job);
	cli_commit_all((struct cli_output[]){ job.output, job.map_output, job.report_output }, 3);
	feature_map_free(&job.map);
	csr_free(&job.rows);
	csr_free(&job.projected);
	return cli_finish();
}
