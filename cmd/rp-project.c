/*
 * rp-project.c - random projections of a stream of rows, and rows that are scaled
 *
 * make_map() loads a map, finds the principal components or the ranges of the data, or makes a
 * random map, for which some methods first need the number of features (a pass over the file of its
 * own).  Then
 *
 *     project_data()     reads, projects and writes rows; certify() and save_map() follow
 *     fold_model()       --fold: reads no data, and converts a model
 *     recover()          --recover: reads the data that were projected, and converts a model
 *
 * rows_scan() calls project_rows() in several threads, each with a struct worker of its own, and
 * write_rows() for one batch after the other, in the order of the input.  Memory is that of a batch
 * for each thread, except for --certificate, which keeps the rows and their projections, and for
 * ranges of a pipe (project_scale.h).  R is not stored; its entries are functions of the seed
 * (project/projection.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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
#include "geometry/reduction_sizes.h"
#include "geometry/row_space.h"
#include "io/byte_buffer.h"
#include "io/input.h"
#include "io/output.h"
#include "io/row_writer.h"
#include "io/rows.h"
#include "io/rows_checksum.h"
#include "matrix/dataset.h"
#include "project/feature_map.h"
#include "project/normalise.h"
#include "project/projection_sizes.h"
#include "project_recover.h"
#include "project_scale.h"

enum { LOSS_HINGE, LOSS_SQUARED };
static const char *const loss_names[] = { "hinge", "squared", NULL };

static struct settings {
	struct common_options common;
	struct projection_options map;
	struct scaling_options scaling;
	int method;
	int64_t digits, rank;
	double epsilon;
	const char *cw, *range_y, *save, *restore, *fold;
	const char *recover, *sv_indices, *model_name;
	struct training training; /* of --recover */
	struct cli_weights weights;
	bool keep_sv;
	int loss;
	bool certificate, binary;
	const char *data_name, *output_name;
} settings = {
	.map = { .seed = 1 },
	.scaling = { .low = -1, .high = 1 },
	.training = { .p = 0.1 },
	.weights = { .takes_auto = true },
	.method = PROJECT_CW,
	.data_name = "-",
	.output_name = "-",
};

static const struct cli_option options[] = {
	CLI_HEADING("Map:"),
	CLI_CHOICE('m', "method", &settings.method, projection_names, "METHOD",
		   "how the map is drawn\n"
		   "rs -- random signs\n"
		   "fht -- signs, fast Hadamard transform, some of its outputs: for dense data\n"
		   "cw -- sparse embedding: a few additions for each value, for text\n"
		   "countsketch -- sparser still: one addition for each value\n"
		   "osnap -- sparse embedding in one block\n"
		   "gaussian -- normal entries\n"
		   "uniform -- entries uniform between -1 and 1\n"
		   "achlioptas -- sparse entries: two of three are 0\n"
		   "li -- very sparse entries: all but one in S are 0\n"
		   "pca -- principal components of the data, to compare with\n"
		   "scale -- keep the features, and scale each to the range from -l to -u, as "
		   "svm-scale does\n"
		   "normalise -- keep the features, and divide each row by its length\n"
		   "none -- keep the rows, to convert between text and --binary",
		   .not_with = "-r", .key = CLI_NO_KEY),
	CLI_INT('k', "dim", &settings.map.n_columns, 1, INT32_MAX, "DIM",
		"number of features of the rows written; must be given unless --epsilon or -r is, "
		"or the features are kept",
		.not_with = "-r", .key = CLI_NO_KEY),
	CLI_TEXT('s', "save", &settings.save, "FILE",
		 "save the map to FILE; for scale, the ranges as svm-scale -s does",
		 .not_with = "-r", .key = CLI_NO_KEY),
	CLI_TEXT('r', "restore", &settings.restore, "FILE",
		 "take the map, or the ranges, from FILE, in place of the options that make one",
		 .key = "restored"),
	CLI_SEED(0, "seed", &settings.map.seed, "N",
		 "start of the random numbers: same seed, same map", .not_with = "-r",
		 .key = CLI_NO_KEY),
	CLI_REAL('l', NULL, &settings.scaling.low, -1e300, 1e300, "LOWER",
		 "scale: least value of each feature", .not_with = "-r", .key = "lower"),
	CLI_REAL('u', NULL, &settings.scaling.high, -1e300, 1e300, "UPPER",
		 "scale: largest value of each feature", .not_with = "-r", .key = "upper"),
	CLI_REAL(0, "epsilon", &settings.epsilon, 1e-6, 1, "E",
		 "choose DIM such that the relative error of squared lengths is expected to be "
		 "about E",
		 .needs = "--rank", .not_with = "-k --cw -r"),
	CLI_INT(0, "rank", &settings.rank, 1, INT32_MAX, "RHO",
		"rank of the data, which svm-eval --geometry prints", .needs = "--epsilon",
		.not_with = "-r"),

	CLI_HEADING("Output:"),
	COMMON_OUTPUT(&settings.output_name, "standard output"),
	COMMON_COMPRESS(settings.common, "output_file"),
	COMMON_DIGITS(&settings.digits, "--fold --recover --binary"),
	COMMON_BINARY(&settings.binary, "--fold --recover"),
	COMMON_FORCE(settings.common),

	CLI_HEADING("Other results:"),
	CLI_FLAG(0, "certificate", &settings.certificate,
		 "print how much the map changes margin and radius of the data; keeps the data in "
		 "memory",
		 .not_with = "--fold --recover"),
	CLI_TEXT(
		0, "fold", &settings.fold, "MODEL",
		"convert MODEL, a linear model trained on projected data, to the original features "
		"and write it to output_file; reads no data",
		.needs = "-r"),

	CLI_HEADING("Dual recovery of a model:"),
	CLI_TEXT(0, "recover", &settings.recover, "DATA",
		 "convert model_file, a linear model trained on DATA projected by the map, to the "
		 "original features by its multipliers and the rows of DATA; more accurate than "
		 "--fold where rows have many features, such as text",
		 .needs = "-r", .not_with = "--fold -d"),
	CLI_TEXT(0, "sv-indices", &settings.sv_indices, "FILE",
		 "row numbers of the support vectors, as randsvm-train --sv-indices writes them",
		 .otherwise = "rows are found by projecting them", .needs = "--recover",
		 .key = CLI_NO_KEY),
	CLI_FLAG(
		0, "keep-sv", &settings.keep_sv,
		"write support vectors and multipliers in place of weights, for svm-eval --certify",
		.needs = "--recover"),
	CLI_REAL('p', NULL, &settings.training.p, 0, DBL_MAX, "epsilon",
		 "the epsilon in the loss function of epsilon-SVR that the model was trained with",
		 .needs = "--recover", .key = "p"),
	CLI_WEIGHT('w', &settings.weights, "weight",
		   "the weight of class i that it was trained with; -w auto: those of "
		   "randsvm-train -w auto",
		   .needs = "--recover", .key = "weights"),
	CLI_CHOICE(0, "loss", &settings.loss, loss_names, "NAME",
		   "the loss that it was trained with: hinge or squared", .needs = "--recover"),

	CLI_HEADING("Input and running:"),
	COMMON_REPORTING(settings.common),
	COMMON_ROWS(settings.common),

	CLI_HEADING("For one method:"),
	CLI_TEXT(0, "cw", &settings.cw, "Q,A,V",
		 "cw: Q blocks of A copies of V columns each; DIM is their product",
		 .otherwise = "DIM/32,4,8, or 1,A,DIM/A if 32 does not divide DIM",
		 .not_with = "-r", .key = CLI_NO_KEY),
	CLI_REAL(0, "sparsity", &settings.map.sparsity, 1, PROJECTION_MAX_SPARSITY, "S",
		 "li: one entry in S is not 0",
		 .otherwise = "square root of the number of features", .not_with = "-r",
		 .key = CLI_NO_KEY),
	CLI_FLAG(
		0, "with-replacement", &settings.map.with_replacement,
		"fht: draw each output of the transform from all of them, as in the theory, so that "
		"some are taken twice; less accurate",
		.not_with = "-r", .key = CLI_NO_KEY),
	CLI_FLAG(0, "single", &settings.map.single,
		 "compute and write in single precision: faster, and values of half the size in "
		 "--binary",
		 .not_with = "-r", .key = CLI_NO_KEY),
	CLI_TEXT(0, "range-y", &settings.range_y, "LOWER,UPPER",
		 "scale: scale the labels too, to this range, as svm-scale -y does",
		 .not_with = "-r"),
	CLI_INT('d', "features", &settings.map.n_features, 1, INT32_MAX, "N",
		"number of features of the data: a higher one is an error; fht and li need it "
		"where "
		"they read a pipe",
		.key = CLI_NO_KEY),
	CLI_END
};

static const struct cli_example examples[] = {
	{ "Project training data, save the map, and project test data by it",
	  "rp-project -k 64 -s a9a.map a9a.gz a9a.small\n"
	  "rp-project -r a9a.map a9a.t.gz a9a.t.small" },
	{ "Use a model of projected data for the original features",
	  "randsvm-train -q -t 0 a9a.small small.model\n"
	  "rp-project -r a9a.map --fold small.model a9a.model" },
	{ "The same for text, by the multipliers of the model",
	  "svm-gen text -n 2000 text\n"
	  "rp-project -k 64 -s text.map text text.small\n"
	  "randsvm-train -q -t 0 text.small small.model\n"
	  "rp-project -r text.map --recover text small.model text.model" },
	{ "Scale training and test data to -1 .. 1 as svm-scale does",
	  "rp-project -m scale -s range heart_scale.gz heart.scaled\n"
	  "rp-project -r range heart_scale.gz heart.t.scaled" },
	{ "What the map does to margin and radius",
	  "rp-project -m rs -k 512 --certificate heart_scale.gz heart.rs" },
	{ NULL, NULL }
};

static const struct cli_program program = {
	.name = "rp-project",
	.arguments = "[options] [data_file [output_file]]\n"
		     "-r map_file --fold model_file [output_file]\n"
		     "-r map_file --recover DATA [options] model_file [output_file]",
	.purpose =
		"Replaces the features of each row by DIM random combinations of them, in one pass and constant memory, or scales them. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
	.in_place_of_data = &settings.fold,
};

/* The files that a run writes, by position in struct job. */
enum { FILE_ROWS, FILE_MAP, FILE_REPORT, N_FILES };

/* Failure probability for the orders of magnitude of the theorems, which --epsilon prints. */
#define THEOREM_DELTA 0.1

/* The scratch memory of a thread. */
struct worker {
	struct projection_room room;
	struct row_batch projected;
	struct scaling_unknown unknown;
	struct byte_buffer bytes;
	int64_t first_bad; /* row of the batch with a value that is not finite, or -1 */
	int64_t n_results; /* values of the batch after it was mapped */
	double seconds;	   /* of the processor, for mapping rows so far */
};

struct job {
	int method; /* in projection_names[] */
	struct feature_map map;
	struct scaling scaling;
	struct scaling_unknown unknown;
	struct labelled_rows kept; /* of a pipe whose ranges were looked for */
	struct cli_output file[N_FILES];
	struct report *report;
	FILE *info; /* where a certificate goes */
	struct cli_progress progress;
	struct cli_passes passes; /* over the data */
	double started;
	double map_seconds, project_seconds; /* of the processor; without reading and writing */
	int64_t n_rows, n_entries, n_written, max_index;
	int64_t batch_rows; /* rows of a full batch */
	double memory;	    /* of the machine, in bytes */
	struct row_writer writer;
	struct csr rows, projected;	    /* for a certificate */
	struct rows_checksum read, written; /* for a report */
};

/* ---- the command line ---- */

static void read_arguments(int argc, char **argv)
{
	const char *unnamed = settings.data_name;

	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	if (!settings.recover)
		return;
	if (settings.data_name == unnamed)
		cli_refuse("--recover: the model_file is missing");
	settings.model_name = settings.data_name;
	settings.data_name = settings.recover;
}

/* Options that belong to one method, or to all methods but one. */
static void check_method(void)
{
	const bool pca = settings.method == FEATURE_MAP_PCA,
		   keeps = settings.method > FEATURE_MAP_PCA;
	const struct cli_fit of_method[] = {
		{ "-k", !keeps },
		{ "--cw", settings.method == PROJECT_CW },
		{ "--sparsity", settings.method == PROJECT_LI },
		{ "--with-replacement", settings.method == PROJECT_FHT },
		{ "-d", !pca },
		{ "--single", !pca && !keeps },
		{ "--epsilon", !pca && !keeps },
		{ "--certificate", !pca && !keeps },
		{ "--seed", !keeps },
		{ "-l", settings.method == ROW_MAP_SCALE },
		{ "-u", settings.method == ROW_MAP_SCALE },
		{ "--range-y", settings.method == ROW_MAP_SCALE },
		{ "-s", !keeps || settings.method == ROW_MAP_SCALE },
	};

	settings.map.method = (enum projection_method)settings.method;
	cli_refuse_misfits(of_method, 13, projection_names[settings.method]);
}

static void read_ranges(void)
{
	struct scaling_options *s = &settings.scaling;
	int end = 0;

	if (!(s->low < s->high))
		cli_refuse("-l: %g is not below the -u of %g", s->low, s->high);
	if (!settings.range_y)
		return;
	s->targets = true;
	if (sscanf(settings.range_y, "%lf,%lf%n", &s->target_low, &s->target_high, &end) != 2 ||
	    settings.range_y[end] || !isfinite(s->target_low) || !isfinite(s->target_high) ||
	    !(s->target_low < s->target_high))
		cli_refuse("--range-y: expected LOWER,UPPER, two numbers that ascend, got '%s'",
			   settings.range_y);
}

static void read_cw(void)
{
	int end = 0;

	if (sscanf(settings.cw, "%" SCNd64 ",%" SCNd64 ",%" SCNd64 "%n", &settings.map.q,
		   &settings.map.a, &settings.map.v, &end) != 3 ||
	    settings.cw[end] || settings.map.q < 1 || settings.map.a < 1 || settings.map.v < 1 ||
	    settings.map.q > INT32_MAX / settings.map.a ||
	    settings.map.q * settings.map.a > INT32_MAX / settings.map.v)
		cli_refuse("--cw: expected Q,A,V, three positive integers, got '%s'", settings.cw);
	if (cli_given("-k") &&
	    settings.map.n_columns != settings.map.q * settings.map.a * settings.map.v)
		cli_fail("%s: --cw: %" PRId64 " times %" PRId64 " times %" PRId64
			 " is not -k %" PRId64,
			 program.name, settings.map.q, settings.map.a, settings.map.v,
			 settings.map.n_columns);
	settings.map.n_columns = settings.map.q * settings.map.a * settings.map.v;
}

static void choose_columns(void)
{
	double order;

	if (!cli_given("--epsilon"))
		return;
	settings.map.n_columns = sizes_for_error(settings.rank, settings.epsilon);
	if (settings.map.n_columns > INT32_MAX)
		cli_refuse("--epsilon: that would take more than 2^31 columns");
	if (settings.common.quiet)
		return;
	order = sizes_of_theorem(settings.map.method, settings.rank, settings.epsilon,
				 THEOREM_DELTA, settings.map.n_features);
	cli_warn("k = %" PRId64
		 " = rho / (sqrt(1 + E) - 1)^2, where an error of E is to be expected",
		 settings.map.n_columns);
	if (!isnan(order))
		cli_warn("(the theorem's order of magnitude, with 1 for its unknown constant and "
			 "delta = %g, is %.3g)",
			 THEOREM_DELTA, order);
}

static void check_options(void)
{
	for (int64_t k = 0; k < settings.weights.n; k++)
		if (!(settings.weights.weight[k].factor > 0))
			cli_refuse("-w%d: a weight must be above 0",
				   settings.weights.weight[k].label);
	if (settings.restore && !settings.fold) /* with --fold it says which features get weights */
		cli_refuse_together("-r", "-d");
	if (settings.restore)
		return;
	check_method();
	if (settings.cw)
		read_cw();
	if (settings.method == ROW_MAP_SCALE)
		read_ranges();
	choose_columns();
	if (settings.map.n_columns == 0 && settings.method <= FEATURE_MAP_PCA)
		cli_refuse("-k: is missing: how many features shall the rows have?");
}

static void name_files(struct job *job)
{
	const char *const inputs[] = { settings.fold ? NULL : settings.data_name, settings.restore,
				       settings.recover ? settings.model_name : settings.fold,
				       settings.sv_indices };
	const bool rows = !settings.fold && !settings.recover;

	job->file[FILE_ROWS] = cli_output_named(settings.output_name, "output file");
	job->file[FILE_ROWS].compress = settings.common.compress;
	job->file[FILE_ROWS].rows = rows;
	job->file[FILE_MAP] = cli_output_named(settings.save, "map file");
	job->file[FILE_REPORT] = cli_output_named(settings.common.report, "report file");
	cli_keep_files_apart(job->file, N_FILES, inputs, 4);
}

/* ---- the map ---- */

static struct rows_options row_format(void)
{
	struct rows_options format = common_rows_options(&settings.common);

	if (cli_given("-d"))
		format.max_index = (int32_t)settings.map.n_features;
	return format;
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

/* The largest feature of the file, by a pass over it before the projection. */
static int64_t count_features(struct job *job)
{
	const struct rows_options format = row_format();
	const struct rows_visitor visitor = { .deliver = note_features,
					      .arg = job,
					      .progress = { cli_progress_bytes, &job->progress } };
	struct input *input = cli_open_pass(&job->passes, settings.data_name, false);
	struct error err = { 0 };

	if (settings.common.verbose)
		cli_warn("reading %s twice: for the number of features, and to project it",
			 settings.data_name);
	cli_progress_start(&job->progress, "counting features", settings.common.progress,
			   settings.common.quiet);
	if (rows_scan(input, &format, &visitor, (int)settings.common.n_threads, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	cli_progress_end(&job->progress);
	cli_close_pass(&job->passes, input);
	return job->max_index > 0 ? job->max_index : 1;
}

/*
 * The number of features, which fht and li need, where -d does not give it.  The transform of fht
 * has the next power of two as its length, so features up to that number are valid in test data.
 */
static void find_features(struct job *job)
{
	bool fht = settings.map.method == PROJECT_FHT;
	int64_t size = 1;

	if (!(fht || (settings.map.method == PROJECT_LI && !cli_given("--sparsity"))) ||
	    cli_given("-d"))
		return;
	if (!cli_is_file(settings.data_name))
		cli_fail(
			"%s: %s needs the number of features: say -d, or name a file, which is then "
			"read twice",
			program.name, projection_names[settings.method]);
	settings.map.n_features = count_features(job);
	while (fht && size < settings.map.n_features)
		size *= 2;
	if (fht)
		settings.map.n_features = int64_min(size, INT32_MAX);
}

/*
 * Without replacement fht has as many columns as its transform has outputs, at most: with all of
 * them it changes no length, so --epsilon needs no more.
 */
static void limit_columns(void)
{
	int64_t size = 1;

	if (settings.map.method != PROJECT_FHT || settings.map.with_replacement)
		return;
	while (size < settings.map.n_features)
		size *= 2;
	if (settings.map.n_columns <= size)
		return;
	if (!cli_given("--epsilon"))
		cli_fail("%s: -k: fht of %" PRId64 " features has %" PRId64 " columns at most: say "
			 "-k %" PRId64 ", which changes no length, or --with-replacement",
			 program.name, settings.map.n_features, size, size);
	settings.map.n_columns = size;
	if (!settings.common.quiet)
		cli_warn("k = %" PRId64 ", with which fht changes no length", size);
}

static void fit_components(struct job *job)
{
	const struct pca_options options = { .n_components = settings.map.n_columns,
					     .seed = settings.map.seed,
					     .n_threads = (int)settings.common.n_threads };
	const struct rows_options format = row_format();
	struct dataset data = { 0 };
	struct error err = { 0 };
	struct input *input;
	double started;

	if (!cli_is_file(settings.data_name))
		cli_fail("%s: pca reads its data twice: name a file, or find the components of one "
			 "with -s and use them with -r",
			 program.name);
	input = cli_open_pass(&job->passes, settings.data_name, false);
	cli_progress_start(&job->progress, "finding components", settings.common.progress,
			   settings.common.quiet);
	if (dataset_read(&data, input, &format, NULL, (int)settings.common.n_threads, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	cli_close_pass(&job->passes, input);
	started = cli_cpu_seconds();
	if (feature_map_pca(&job->map, &data.x, &options, &err) < 0)
		cli_fail("%s: %s: %s", program.name, settings.data_name, err.text);
	job->map_seconds = cli_cpu_seconds() - started;
	cli_progress_end(&job->progress);
	if (job->map.n_columns == 0)
		cli_fail("%s: %s: no principal components: all rows are the same", program.name,
			 settings.data_name);
	if (job->map.n_columns < settings.map.n_columns && !settings.common.quiet)
		cli_warn("the data have %" PRId64 " principal components, fewer than -k %" PRId64,
			 job->map.n_columns, settings.map.n_columns);
	dataset_free(&data);
}

/*
 * Least number of bytes with which n_threads threads project n_rows rows each
 *
 * Every thread has a sum for each column.  A map that is not sparse makes an entry in each column
 * of each row: an index and a value, and the value once more in the batch that is written.  A
 * sparse map has a bit for each column, and a list with room for the numbers of an eighth of them.
 */
static double bytes_needed(const struct projection_options *map, int64_t n_columns, int64_t n_rows,
			   int64_t n_threads)
{
	bool is_sparse = map->method == PROJECT_CW || map->method == PROJECT_COUNTSKETCH ||
			 map->method == PROJECT_OSNAP;
	double value = map->single ? sizeof(float) : sizeof(double);
	double result = is_sparse ? 0 : sizeof(int32_t) + sizeof(double) + value;
	double touched = is_sparse ? (1 + sizeof(uint32_t)) / 8.0 : 0;
	double drawn = map->method == PROJECT_FHT ? 2 * sizeof(uint32_t) : 0;

	return (double)n_columns *
	       (drawn + (double)n_threads * (value + touched + (double)n_rows * result));
}

static int check_memory(const struct job *job, const struct projection_options *map,
			int64_t n_columns, int64_t n_rows, struct error *err)
{
	int64_t n_threads = n_rows < job->batch_rows ? 1 : settings.common.n_threads;
	double bytes = bytes_needed(map, n_columns, n_rows, n_threads);
	bool one_may = bytes_needed(map, n_columns, n_rows, 1) <= job->memory;

	if (bytes <= job->memory)
		return 0;
	return error_set(err, ERR_ARGUMENT,
			 "%" PRId64 " columns need %.3g GB of memory, more than %.3g GB%s",
			 n_columns, bytes / 1e9, job->memory / 1e9,
			 one_may ? "; try --threads 1" : "");
}

/* A map, or the ranges of svm-scale: a file of these shows by its first line. */
static void restore_map(struct job *job)
{
	struct error err = { 0 };

	if (cli_is_file(settings.restore) && scaling_is_file(settings.restore)) {
		job->method = ROW_MAP_SCALE;
		if (scaling_load(&job->scaling, settings.restore, &err) < 0)
			cli_fail_reading("range file", settings.restore, &err);
		if (settings.fold || settings.recover || settings.certificate)
			cli_refuse("%s: is not for scale", settings.fold    ? "--fold" :
							   settings.recover ? "--recover" :
									      "--certificate");
		return;
	}
	if (feature_map_load(&job->map, settings.restore, &err) < 0)
		cli_fail_reading("map file", settings.restore, &err);
	job->method = job->map.is_pca ? FEATURE_MAP_PCA : (int)job->map.projection.options.method;
}

static void find_ranges(struct job *job)
{
	struct scale_source source = { .program = program.name,
				       .data_name = settings.data_name,
				       .format = row_format(),
				       .passes = &job->passes,
				       .n_threads = (int)settings.common.n_threads,
				       .verbose = settings.common.verbose,
				       .progress = { cli_progress_bytes, &job->progress } };

	source.format.keep_text = !settings.binary;
	cli_progress_start(&job->progress, "finding ranges", settings.common.progress,
			   settings.common.quiet);
	scale_find(&job->scaling, &job->kept, &source, &settings.scaling);
	cli_progress_end(&job->progress);
}

static void draw_map(struct job *job)
{
	struct error err = { 0 };
	double started;

	find_features(job);
	limit_columns();
	started = cli_cpu_seconds();
	if (check_memory(job, &settings.map, settings.map.n_columns, 1, &err) < 0 ||
	    feature_map_random(&job->map, &settings.map, &err) < 0)
		cli_fail("%s: %s", program.name, err.text);
	job->map_seconds = cli_cpu_seconds() - started;
}

static void make_map(struct job *job)
{
	job->method = settings.method;
	if (settings.restore) {
		restore_map(job);
	} else if (settings.method == FEATURE_MAP_PCA) {
		fit_components(job);
	} else if (settings.method == ROW_MAP_SCALE) {
		find_ranges(job);
	} else if (settings.method < FEATURE_MAP_PCA) {
		draw_map(job);
	}
	/* components are not x R: the offset changes the span that a certificate is about */
	if (settings.certificate && job->map.is_pca)
		cli_refuse("--certificate: is not for pca");
}

static void explain_map(const struct job *job)
{
	const struct projection_options *p = &job->map.projection.options;

	if (!settings.common.verbose)
		return;
	if (job->method == ROW_MAP_SCALE)
		cli_warn("scale: ranges of %" PRId64 " features; in %" PRId64
			 " of them 0 becomes another number",
			 job->scaling.n, job->scaling.n_filled);
	if (job->method > FEATURE_MAP_PCA)
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

static int write_map(const void *arg, struct output *to, struct error *err)
{
	const struct job *job = arg;

	return job->method == ROW_MAP_SCALE ? scaling_save(&job->scaling, to, err) :
					      feature_map_save(&job->map, to, err);
}

static void save_map(struct job *job)
{
	struct error err = { 0 };

	if (job->map.n_features == 0)
		job->map.n_features = job->max_index;
	if (settings.save && write_map(job, job->file[FILE_MAP].output, &err) < 0)
		cli_fail_output(&job->file[FILE_MAP], &err);
}

/* ---- the rows ---- */

/* Values of a projected batch: some megabytes of text. */
#define BATCH_VALUES (1 << 19)
#define LEAST_ROWS 16
#define KEPT_AT_ONCE 4096 /* rows in memory that are copied to a batch, however few values it has */

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

/* The rows of the batch, mapped, into w->projected. */
static int map_rows(const struct job *job, const struct row_batch *batch, struct worker *w,
		    struct error *err)
{
	const struct row_range all = { batch, 0, batch->n_rows };

	w->unknown = (struct scaling_unknown){ 0 };
	if (job->method == ROW_MAP_SCALE)
		return scaling_apply(&job->scaling, all, &w->projected, &w->unknown, err);
	if (job->method == ROW_MAP_NORMALISE)
		return normalise_rows(all, &w->projected, err);
	if (check_memory(job, &job->map.projection.options, job->map.n_columns, batch->n_rows,
			 err) < 0)
		return -1;
	return feature_map_apply(&job->map, all, &w->projected, &w->room, err);
}

static int project_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	const struct job *job = arg;
	struct worker *w = user;
	const struct row_batch *result = job->method == ROW_MAP_NONE ? batch : &w->projected;
	double started = cli_thread_seconds();

	if (job->method != ROW_MAP_NONE && map_rows(job, batch, w, err) < 0)
		return -1;
	w->seconds += cli_thread_seconds() - started;
	w->n_results = result->n_entries;
	w->first_bad = settings.common.allow_nonfinite ? -1 : first_not_finite(result);
	if (w->first_bad >= 0)
		return 0;
	return row_writer_format(&job->writer, &w->bytes, result, err);
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

/* What the report says of rows read and written. */
static void count_rows(struct job *job, const struct row_batch *batch,
		       const struct row_batch *result)
{
	rows_checksum_add(&job->read, (struct row_range){ batch, 0, batch->n_rows });
	rows_checksum_add(&job->written, (struct row_range){ result, 0, result->n_rows });
}

static int write_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct job *job = arg;
	struct worker *w = user;

	if (w->first_bad >= 0)
		return error_set(err, ERR_NUMERIC, "row %" PRId64 ": overflow: %s is too large%s",
				 job->n_rows + w->first_bad + 1,
				 job->method == ROW_MAP_SCALE ? "a scaled value" :
								"a sum of its values",
				 job->writer.single ? " for --single" : "");
	if (!settings.common.allow_nonfinite &&
	    row_writer_check_labels(&job->writer, batch, job->n_rows, err) < 0)
		return -1;
	note_features(job, batch, NULL, err);
	job->n_rows += batch->n_rows;
	job->n_entries += batch->n_entries;
	job->n_written += w->n_results;
	scale_count(&job->unknown, &w->unknown);
	if (settings.common.report)
		count_rows(job, batch, job->method == ROW_MAP_NONE ? batch : &w->projected);
	if (settings.certificate && keep_rows(job, batch, &w->projected, err) < 0)
		return -1;
	return cli_written(&job->file[FILE_ROWS], row_writer_write(&job->writer, &w->bytes, err),
			   err);
}

/* Rows so far are for a reader who waits for them. */
static int pause_rows(void *arg, struct error *err)
{
	return cli_flush_output(&((struct job *)arg)->file[FILE_ROWS], err);
}

/* Rows of a batch, such that its values fill some megabytes after they were mapped. */
static int64_t rows_of_batch(const struct job *job)
{
	int64_t width = job->method == ROW_MAP_SCALE ? job->scaling.n_filled : job->map.n_columns;

	return int64_max(LEAST_ROWS, BATCH_VALUES / int64_max(1, width));
}

/*
 * Rows to be predicted may have no label; those that a map is drawn or found for are to train with.
 * In the binary form NaN is a label, where it is allowed.
 */
static bool label_optional(const struct job *job)
{
	return (settings.restore || job->method == ROW_MAP_NONE ||
		job->method == ROW_MAP_NORMALISE) &&
	       !settings.common.strict && !(settings.binary && settings.common.allow_nonfinite);
}

/* fht has features 1 to d only. */
static void limit_features(const struct job *job, struct rows_options *format)
{
	if (job->method != PROJECT_FHT)
		return;
	format->min_index = 1;
	format->max_index = (int32_t)job->map.projection.options.n_features;
}

static int scan_rows(struct job *job, struct worker *workers, struct error *err)
{
	struct rows_options format = row_format();
	struct rows_visitor visitor = { .work = project_rows,
					.deliver = write_rows,
					.arg = job,
					.progress = { cli_progress_bytes, &job->progress } };
	struct input *input = cli_open_pass(&job->passes, settings.data_name, true);
	void *users[THREAD_MAX];
	int ret;

	for (int i = 0; i < settings.common.n_threads; i++)
		users[i] = &workers[i];
	visitor.user = users;
	if (!settings.binary) /* its blocks are batches, which would depend on when rows arrive */
		visitor.pause = pause_rows;
	format.keep_text = !settings.binary;
	format.label_optional = label_optional(job);
	limit_features(job, &format);
	job->batch_rows = format.max_rows = rows_of_batch(job);
	cli_progress_start(&job->progress, "projecting", settings.common.progress,
			   settings.common.quiet);
	ret = rows_scan(input, &format, &visitor, (int)settings.common.n_threads, err);
	cli_progress_end(&job->progress);
	if (ret < 0)
		input_close(input);
	else
		cli_close_pass(&job->passes, input);
	return ret;
}

/* The rows of a pipe that were kept, one batch after the other. */
static int map_kept_rows(struct job *job, struct worker *w, struct error *err)
{
	const int64_t n_rows = job->kept.data.x.n_rows;
	const int64_t at_once = int64_min(KEPT_AT_ONCE, rows_of_batch(job));
	struct row_batch batch = { 0 };
	int ret = 0;

	for (int64_t first = 0; first < n_rows && ret == 0; first += at_once) {
		ret = labelled_rows_batch(&batch, &job->kept, NULL, first,
					  int64_min(at_once, n_rows - first), err);
		if (ret == 0)
			ret = project_rows(job, &batch, w, err);
		if (ret == 0)
			ret = write_rows(job, &batch, w, err);
	}
	row_batch_free(&batch);
	return ret;
}

static int map_data(struct job *job, struct worker *workers, struct error *err)
{
	return job->kept.data.x.n_rows > 0 ? map_kept_rows(job, &workers[0], err) :
					     scan_rows(job, workers, err);
}

static void remark_scaling(const struct job *job)
{
	const struct scale_counts counts = { job->n_entries, job->n_written, job->unknown };

	if (job->method == ROW_MAP_SCALE && !settings.common.quiet)
		scale_remark(&job->scaling, &counts, settings.restore);
}

static void project_data(struct job *job)
{
	struct worker workers[THREAD_MAX] = { 0 };
	struct error err = { 0 };

	job->writer = (struct row_writer){ .to = job->file[FILE_ROWS].output,
					   .binary = settings.binary,
					   .single = job->map.projection.options.single,
					   .digits = (int)settings.digits };
	if (cli_written(&job->file[FILE_ROWS], row_writer_begin(&job->writer, &err), &err) < 0 ||
	    map_data(job, workers, &err) < 0 ||
	    cli_written(&job->file[FILE_ROWS], row_writer_end(&job->writer, &err), &err) < 0)
		cli_fail_input(settings.data_name, &err);
	for (int i = 0; i < settings.common.n_threads; i++) {
		job->project_seconds += workers[i].seconds;
		projection_room_free(&workers[i].room);
		row_batch_free(&workers[i].projected);
		mem_free(workers[i].bytes.bytes);
	}
	if (job->n_rows == 0 && (settings.save || settings.certificate))
		cli_fail("%s: no examples", settings.data_name);
	if (job->n_rows == 0 && !settings.common.quiet)
		cli_note("%s: no examples", settings.data_name);
	remark_scaling(job);
}

/* ---- the certificate ---- */

static void certify(struct job *job)
{
	const struct row_space_options options = { .n_threads = (int)settings.common.n_threads };
	struct reduction_certificate c;
	struct row_space space = { 0 };
	struct error err = { 0 };

	if (!settings.certificate)
		return;
	cli_progress_start(&job->progress, "certifying", settings.common.progress,
			   settings.common.quiet);
	if (row_space_init(&space, &job->rows, &options, &err) < 0 ||
	    reduction_certify_rows(&c, &space, &job->projected, &err) < 0)
		cli_fail("%s: --certificate: %s", program.name, err.text);
	cli_progress_end(&job->progress);
	c.n_columns = job->map.n_columns; /* also those that are 0 in all rows */
	fprintf(job->info, "rank = %" PRId64 ", columns = %" PRId64 "\n", c.rank,
		job->map.n_columns);
	reduction_print(job->info, &c, "columns");
	reduction_report(job->report, &c);
	row_space_free(&space);
}

/* ---- a model ---- */

static void fold_model(const struct job *job)
{
	int64_t n_features = cli_given("-d") ? settings.map.n_features : job->map.n_features;
	struct linear_map map = feature_map_linear(&job->map, n_features);

	if (n_features == 0)
		cli_fail("%s: --fold: the map does not say how many features the data had: say -d",
			 program.name);
	if (n_features < job->map.n_features && !settings.common.quiet)
		cli_note("-d: features %" PRId64 " to %" PRId64
			 ", which the map was made for, get no weights",
			 n_features + 1, job->map.n_features);
	cli_fold_model(settings.fold, &map, &job->file[FILE_ROWS]);
}

static void recover(struct job *job)
{
	struct recover_source source = { .data_name = settings.recover,
					 .model_name = settings.model_name,
					 .indices_name = settings.sv_indices,
					 .format = row_format(),
					 .training = &settings.training,
					 .balance = settings.weights.automatic,
					 .keeps_vectors = settings.keep_sv,
					 .n_threads = (int)settings.common.n_threads,
					 .quiet = settings.common.quiet,
					 .verbose = settings.common.verbose,
					 .progress = settings.common.progress };
	struct model recovered = { 0 };
	struct error err = { 0 };

	settings.training.squared_loss = settings.loss == LOSS_SQUARED;
	settings.training.n_weights = (int)settings.weights.n;
	settings.training.weight = settings.weights.weight;
	limit_features(job, &source.format);
	source.format.max_rows = rows_of_batch(job);
	recover_model(&recovered, &job->map, &source, &job->read);
	if (model_write(&recovered, job->file[FILE_ROWS].output, &err) < 0)
		cli_fail_output(&job->file[FILE_ROWS], &err);
	model_free(&recovered);
	mem_free(settings.weights.weight);
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
	if (!settings.restore)
		report_text(object, "restored", "");
}

static void report_map(struct report *r, const struct job *job)
{
	const struct feature_map *map = &job->map;
	const struct projection_options *p = &map->projection.options;

	report_text(r, "method", projection_names[job->method]);
	report_count(r, "columns", map->n_columns);
	report_count(r, "features",
		     job->method == ROW_MAP_SCALE ? job->scaling.n : map->n_features);
	report_flag(r, "single", p->single);
	report_flag(r, "with_replacement", p->with_replacement);
	report_count(r, "q", p->q);
	report_count(r, "a", p->a);
	report_count(r, "v", p->v);
	report_number(r, "sparsity", p->sparsity);
	if (job->method <= ROW_MAP_SCALE)
		report_map_checksum(r, write_map, job);
}

static void report_seconds(struct report *r, const struct job *job)
{
	report_number(r, "map", job->map_seconds);
	report_number(r, "project", job->project_seconds);
}

static void finish_report(struct job *job)
{
	struct report *data = report_object(job->report, "data");
	const struct projection_options *p = &job->map.projection.options;

	if (job->method < FEATURE_MAP_PCA)
		report_seed(job->report, "seed", job->map.projection.options.seed);
	else if (job->method == FEATURE_MAP_PCA && !settings.restore)
		report_seed(job->report, "seed", settings.map.seed);
	report_map(report_object(job->report, "map"), job);
	report_text(data, "file", settings.fold ? settings.fold : settings.data_name);
	report_rows(data, &job->read);
	if (!settings.fold)
		report_seconds(report_object(job->report, "cpu_seconds_per_phase"), job);
	report_count(job->report, "values_written", job->n_written);
	/* values that were rounded in text are others than those here */
	if (!settings.fold && !settings.recover)
		report_written(job->report, settings.output_name,
			       settings.digits || (p->single && !settings.binary) ? NULL :
										    &job->written);
	report_finish(job->report, job->started, job->file[FILE_REPORT].output);
}

/* ---- all together ---- */

int main(int argc, char **argv)
{
	struct job job = { .started = cli_seconds(),
			   .memory = (double)cli_memory(),
			   .batch_rows = LEAST_ROWS };

	cli_set_up(program.name, argv);
	common_options_init(&settings.common);
	read_arguments(argc, argv);
	check_options();
	common_bound_memory(&settings.common, settings.output_name);
	common_need_memory(0);
	name_files(&job);
	job.info = cli_results_stream(job.file, N_FILES);
	cli_open_outputs(job.file, N_FILES);
	start_report(&job);
	make_map(&job);
	explain_map(&job);
	if (settings.fold) {
		fold_model(&job);
	} else if (settings.recover) {
		recover(&job);
	} else {
		project_data(&job);
		certify(&job);
		save_map(&job);
	}
	finish_report(&job);
	cli_commit_outputs(job.file, N_FILES);
	feature_map_free(&job.map);
	scaling_free(&job.scaling);
	labelled_rows_free(&job.kept);
	csr_free(&job.rows);
	csr_free(&job.projected);
	if (settings.common.verbose)
		memory_tell();
	return cli_finish();
}
