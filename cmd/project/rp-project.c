/*
 * rp-project.c - random projections of a stream of rows, and rows that are scaled
 *
 * project_make_map() loads a map, finds the principal components or the ranges of the data, or
 * makes a random map, for which some methods first need the number of features (a pass over the
 * file of its own).  Then
 *
 *     project_data()       reads, projects and writes rows; the certificate and the map follow
 *     project_fold()       --fold: reads no data, and converts a model
 *     project_recover()    --recover: reads the data that were projected, and converts a model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "project.h"

static const char *const frequency_names[] = { "orthogonal", "independent", NULL };
static const char *const landmarks_names[] = { "uniform", "leverage", NULL };

struct project_settings settings = {
	.map = { .seed = 1 },
	.scaling = { .low = -1, .high = 1 },
	.training = { .p = 0.1 },
	.weights = { .takes_auto = true },
	.method = PROJECT_CW,
	.degree = 3,
	.data_name = "-",
	.output_name = "-",
};

static const struct cli_option options[] = {
	CLI_HEADING("Map:"),
	CLI_CHOICE(
		'm', "method", &settings.method, projection_names, "METHOD",
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
		"rff -- random Fourier features: products of rows are nearly values of a Gaussian "
		"or Laplace kernel, so that a linear machine learns as one with that kernel does\n"
		"nystrom -- the same by kernel values with DIM rows of the data, the landmarks\n"
		"tensorsketch -- the same for polynomial kernels, in a time linear in the values "
		"of a row\n"
		"scale -- keep the features, and scale each to the range from -l to -u, as "
		"svm-scale does\n"
		"normalise -- keep the features, and divide each row by its length\n"
		"none -- keep the rows, to convert between text and --binary",
		.key = CLI_NO_KEY),
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
		 "about E; for rff, such that a kernel value is off by more than E with a chance "
		 "of at most 0.05, and for tensorsketch by more than E sqrt(K(x, x) K(y, y))",
		 .not_with = "-k --cw -r"),
	CLI_INT(0, "rank", &settings.rank, 1, INT32_MAX, "RHO",
		"rank of the data, which svm-eval --geometry prints", .needs = "--epsilon",
		.not_with = "-r"),

	CLI_HEADING("Kernel of kernel maps:"),
	CLI_CHOICE(
		0, "kernel", &settings.kernel, map_kernel_names, "KERNEL",
		"kernel of two rows u and v\n"
		"rbf -- exp(-gamma*|u-v|^2), svm-train's -t 2\n"
		"laplace -- rff: exp(-gamma*|u-v|_1), of the sum of absolute differences\n"
		"polynomial -- nystrom, tensorsketch: (gamma*u'*v + coef0)^degree, svm-train's -t 1",
		.not_with = "-r", .key = CLI_NO_KEY),
	CLI_REAL('g', "gamma", &settings.gamma, 0, DBL_MAX, "GAMMA", "gamma of the kernel",
		 .otherwise = "1/number of features", .not_with = "-r", .key = CLI_NO_KEY),
	CLI_INT(0, "degree", &settings.degree, 1, 1000, "DEGREE", "degree of the polynomial kernel",
		.not_with = "-r", .key = CLI_NO_KEY),
	CLI_REAL(0, "coef0", &settings.coef0, 0, DBL_MAX, "COEF0", "coef0 of the polynomial kernel",
		 .not_with = "-r", .key = CLI_NO_KEY),
	CLI_CHOICE(0, "frequencies", &settings.frequencies, frequency_names, "KIND",
		   "how the frequencies of rff are drawn\n"
		   "orthogonal -- by blocks of orthogonal vectors: smaller errors, and faster for "
		   "dense rows\n"
		   "independent -- one by one: faster for rows with few of many features",
		   .otherwise = "orthogonal for rbf with up to 16384 features, else independent",
		   .not_with = "-r", .key = CLI_NO_KEY),
	CLI_CHOICE(0, "landmarks", &settings.landmarks, landmarks_names, "KIND",
		   "how the landmarks of nystrom are drawn\n"
		   "uniform -- each row with the same chance, in one pass\n"
		   "leverage -- by approximate ridge leverage scores, so that small clusters have "
		   "landmarks too; keeps the data in memory, and takes the time of mapping them "
		   "twice",
		   .not_with = "-r"),

	CLI_HEADING("Output:"),
	COMMON_OUTPUT(&settings.output_name, settings.common),
	COMMON_DIGITS(&settings.digits, "--fold --recover --binary"),
	COMMON_BINARY(&settings.binary, "--fold --recover"),
	COMMON_FORCE(settings.common),

	CLI_HEADING("Other results:"),
	CLI_FLAG(0, "certificate", &settings.certificate,
		 "print how much the map changes margin and radius of the data, or, of a kernel "
		 "map, kernel values of random pairs of rows; keeps the data in memory",
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
		 .needs = "--recover", .key = CLI_NO_KEY),
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
	CLI_CHOICE(0, "loss", &settings.loss, common_loss_names, "NAME",
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
		"number of features of the data: a higher one is an error; without it fht, li and "
		"rff read the data twice",
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
	  "randsvm-train -q -t 0 --sv-indices rows text.small small.model\n"
	  "rp-project -r text.map --recover text --sv-indices rows small.model whole" },
	{ "A Gaussian kernel by random Fourier features and a linear machine",
	  "rp-project -m rff -k 256 -g 0.01 -s heart.rff heart_scale.gz heart.z\n"
	  "randsvm-train -q -t 0 heart.z rff.model" },
	{ "Scale training and test data to -1 .. 1 as svm-scale does",
	  "rp-project -m scale -s range heart_scale.gz heart.scaled\n"
	  "rp-project -r range heart_scale.gz heart.t.scaled" },
	{ "What the map does to margin and radius",
	  "rp-project -m rs -k 512 --certificate heart_scale.gz heart.rs" },
	{ NULL, NULL }
};

static const struct cli_foreign foreign[] = {
	{ 'y', "svm-scale's -y LOWER UPPER is --range-y LOWER,UPPER" },
	{ 0 },
};

static struct cli_program program = {
	.name = "rp-project",
	.arguments = "[options] [data_file [output_file]]\n"
		     "-r map_file --fold model_file [output_file]\n"
		     "-r map_file --recover DATA [options] model_file [output_file]",
	.purpose =
		"Replaces the features of each row by DIM random combinations of them or by random features of a kernel, in one pass and constant memory, or scales them. " COMMON_STREAMS,
	.options = options,
	.examples = examples,
	.foreign = foreign,
	.in_place_of_data = &settings.fold,
};

static void read_arguments(int argc, char **argv)
{
	const char *unnamed = settings.data_name;

	cli_parse_data(&program, argc, argv, &settings.data_name, &settings.output_name);
	if (!settings.recover)
		return;
	if (settings.data_name == unnamed)
		cli_refuse("--recover: the model_file is missing");
	if (!settings.sv_indices)
		cli_refuse("--recover needs --sv-indices: the file that randsvm-train "
			   "--sv-indices writes beside the model");
	settings.model_name = settings.data_name;
	settings.data_name = settings.recover;
}

/*
 * A link of the name svm-scale to rp-project takes svm-scale's options, each a letter and its value
 * (of -y two), and writes svm-scale's bytes to standard output.  The options become those settings
 * that rp-project -m scale has; what follows is the same.
 */

enum { DIGITS = 6 }; /* digits of svm-scale's values, "%g" */

_Noreturn static void show_usage(void)
{
	fputs("Usage: svm-scale [options] data_filename\n"
	      "options:\n"
	      "-l lower : x scaling lower limit (default -1)\n"
	      "-u upper : x scaling upper limit (default +1)\n"
	      "-y y_lower y_upper : y scaling limits (default: no y scaling)\n"
	      "-s save_filename : save scaling parameters to save_filename\n"
	      "-r restore_filename : restore scaling parameters from restore_filename\n",
	      stdout);
	cli_finish();
	exit(1);
}

/* The settings from a command line of svm-scale. */
static void read_svm_scale(int argc, char **argv)
{
	/* the limits are read as rp-project's */
	char *words[] = { argv[0], "-l", "-1", "-u", "1", NULL, NULL };
	static char range_y[256];
	int i = 1, n;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i += n) {
		const char letter = argv[i][1];

		n = letter == 'y' ? 3 : 2;
		if (!strchr("luysr", letter))
			cli_warn("unknown option: %s", argv[i]);
		if (!strchr("luysr", letter) || i + n > argc)
			show_usage();
		if (letter == 'l')
			words[2] = argv[i + 1];
		else if (letter == 'u')
			words[4] = argv[i + 1];
		else if (letter == 's')
			settings.save = argv[i + 1];
		else if (letter == 'r')
			settings.restore = argv[i + 1];
		else
			snprintf(range_y, sizeof(range_y), "%s,%s", argv[i + 1], argv[i + 2]);
	}
	if (i != argc - 1)
		show_usage();
	if (settings.save && settings.restore)
		cli_fail("cannot use -r and -s simultaneously");
	words[5] = argv[i];
	settings.range_y = *range_y ? range_y : NULL;
	settings.method = ROW_MAP_SCALE;
	settings.digits = DIGITS;
	settings.common.quiet = true;
	cli_parse_data(&program, 6, words, &settings.data_name, &settings.output_name);
}

/* Is the program called by a link of the name svm-scale? */
static bool is_svm_scale(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, "svm-scale") == 0;
}

static void open_files(struct project_job *job)
{
	struct cli_run *run = &job->run;
	const bool rows = !settings.fold && !settings.recover;

	cli_run_reads(run, settings.fold ? NULL : settings.data_name, settings.restore,
		      settings.recover ? settings.model_name : settings.fold, settings.sv_indices);
	cli_run_writes(run, FILE_ROWS, settings.output_name, "output file",
		       rows ? FILE_IS_ROWS : FILE_IS_MODEL);
	cli_run_writes(run, FILE_MAP, settings.save, "map file", FILE_IS_MAP);
	cli_run_open(run);
	job->written.without_zeros = !settings.binary;
	if (!settings.restore)
		report_text(run->settings, "restored", "");
}

int main(int argc, char **argv)
{
	struct project_job job = { .memory = (double)mem_limit(),
				   .batch_rows = PROJECT_LEAST_ROWS };

	settings.svm_scale = is_svm_scale(argv[0]);
	if (settings.svm_scale)
		program.name = "svm-scale";
	cli_run_begin(&job.run, &program, &settings.common, argv);
	if (settings.svm_scale)
		read_svm_scale(argc, argv);
	else
		read_arguments(argc, argv);
	project_check_options();
	cli_run_bound(&job.run, settings.output_name);
	open_files(&job);
	project_make_map(&job);
	if (settings.fold) {
		project_fold(&job);
	} else if (settings.recover) {
		project_recover(&job);
	} else {
		project_data(&job);
		/* a map that depends on no number of features is saved with that of the data */
		if (job.map.n_features == 0)
			job.map.n_features = job.max_index;
		cli_save(&job.run.file[FILE_MAP], project_write_map, &job);
	}
	project_report(&job);
	cli_run_commit(&job.run);
	feature_map_free(&job.map);
	scaling_free(&job.scaling);
	csr_free(&job.kept);
	csr_free(&job.projected);
	if (settings.common.verbose)
		memory_tell();
	return cli_run_end(&job.run);
}
