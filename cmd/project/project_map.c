/*
 * project_map.c - rp-project: the map is drawn, fitted, or restored; and saved
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "chain/chain_map.h"
#include "project.h"
#include "project/landmarks.h"

struct rows_options project_row_format(void)
{
	struct rows_options format = common_rows_options(&settings.common);

	if (cli_given("-d"))
		format.max_index = (int32_t)settings.map.n_features;
	return format;
}

/* Update job->max_index by a batch; a rows_visitor's deliver(). */
static int note_features(void *arg, struct row_batch *batch, void *user UNUSED,
			 struct error *err UNUSED)
{
	struct project_job *job = arg;

	job->max_index = int64_max(batch->max_index, job->max_index);
	return 0;
}

/* All rows into the empty '*data', by a pass that progress calls 'what'. */
static void read_data(struct project_job *job, const char *what, struct dataset *data)
{
	const struct progress_observer observer = { cli_progress_bytes, &job->run.progress };
	const struct rows_options format = project_row_format();
	struct input *input = cli_open_pass(&job->run.passes, settings.data_name, false);
	struct error err = { 0 };

	cli_run_progress(&job->run, what);
	if (dataset_read(data, input, &format, &observer, (int)settings.common.n_threads, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	cli_close_pass(&job->run.passes, input);
}

/* settings.map.n_features, by a pass over the data unless -d gives it */
static void find_features(struct project_job *job)
{
	const struct rows_visitor visitor = { .deliver = note_features, .arg = job };
	const struct cli_scan scan = { .name = settings.data_name,
				       .what = "counting features",
				       .format = project_row_format() };

	if (cli_given("-d"))
		return;
	cli_tell_passes(&job->run, settings.data_name,
			"for the number of features, and to project it");
	cli_run_scan(&job->run, &scan, &visitor);
	settings.map.n_features = int64_max(job->max_index, 1);
}

/* ---- memory ---- */

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

int project_check_memory(const struct project_job *job, const struct projection_options *map,
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

/* ---- kernel maps ---- */

static void draw_fourier(struct project_job *job)
{
	struct fourier_options options = { .kernel = (enum map_kernel)settings.kernel,
					   .gamma = settings.gamma,
					   .seed = settings.map.seed,
					   .n_columns = settings.map.n_columns,
					   .single = settings.map.single };
	const bool chosen = cli_given("--frequencies"), rbf = settings.kernel == MAP_KERNEL_RBF;
	struct error err = { 0 };

	if (!cli_given("-g") ||
	    (rbf && !(chosen && settings.frequencies == FREQUENCIES_INDEPENDENT)))
		find_features(job);
	options.n_features = settings.map.n_features;
	/* by default frequencies are orthogonal where that makes errors smaller */
	options.orthogonal = chosen ? settings.frequencies == FREQUENCIES_ORTHOGONAL :
				      rbf && options.n_features <= FOURIER_MAX_ORTHOGONAL;
	if (!cli_given("-g"))
		options.gamma = 1 / (double)options.n_features;
	cli_check(project_check_memory(job, &settings.map, settings.map.n_columns, 1, &err), &err);
	cli_check(feature_map_fourier(&job->map, &options, &err), &err);
}

/* The kernel of the options, in LIBSVM's terms. */
static struct kernel given_kernel(void)
{
	return (struct kernel){ .type = settings.kernel == MAP_KERNEL_RBF ? KERNEL_RBF :
									    KERNEL_POLYNOMIAL,
				.degree = (int)settings.degree,
				.gamma = settings.gamma,
				.coef0 = settings.coef0 };
}

static void draw_tensor(struct project_job *job)
{
	struct tensor_options options = { .kernel = given_kernel(),
					  .seed = settings.map.seed,
					  .n_columns = settings.map.n_columns,
					  .single = settings.map.single };
	struct error err = { 0 };

	if (settings.kernel != MAP_KERNEL_POLYNOMIAL)
		cli_refuse("--kernel %s: is not for tensorsketch",
			   map_kernel_names[settings.kernel]);
	if (!cli_given("-g")) {
		find_features(job);
		options.kernel.gamma = 1 / (double)settings.map.n_features;
	}
	cli_check(project_check_memory(job, &settings.map, settings.map.n_columns, 1, &err), &err);
	cli_check(feature_map_tensor(&job->map, &options, settings.map.n_features, &err), &err);
}

/* ---- nystrom ---- */

struct sampling {
	struct project_job *job;
	struct landmark_sample sample;
};

static int sample_rows(void *arg, struct row_batch *batch, void *user, struct error *err)
{
	struct sampling *s = arg;

	note_features(s->job, batch, user, err);
	return landmark_sample_add(&s->sample, batch, err);
}

/* A uniform sample of the rows of the file. */
static void sample_uniformly(struct project_job *job, struct csr *landmarks)
{
	struct sampling s = { job,
			      { .n_wanted = settings.map.n_columns, .seed = settings.map.seed } };
	const struct rows_visitor visitor = { .deliver = sample_rows, .arg = &s };
	const struct cli_scan scan = { .name = settings.data_name,
				       .what = "choosing landmarks",
				       .format = project_row_format() };
	struct error err = { 0 };

	cli_run_scan(&job->run, &scan, &visitor);
	if (landmark_sample_take(&s.sample, landmarks, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	landmark_sample_free(&s.sample);
}

/* gamma is 1 / number of features where none is given */
static struct kernel kernel_of_data(const struct project_job *job)
{
	struct kernel kernel = given_kernel();

	if (!cli_given("-g"))
		kernel.gamma = 1 / (double)(cli_given("-d")    ? settings.map.n_features :
					    job->max_index > 0 ? job->max_index :
								 1);
	return kernel;
}

/* A sample by ridge leverage scores; the rows are in memory for that long. */
static void sample_by_leverage(struct project_job *job, struct csr *landmarks)
{
	struct leverage_choice choice = { .n_wanted = settings.map.n_columns,
					  .seed = settings.map.seed,
					  .n_threads = (int)settings.common.n_threads };
	struct dataset data = { 0 };
	struct error err = { 0 };

	read_data(job, "choosing landmarks", &data);
	job->max_index = data.max_index;
	choice.kernel = kernel_of_data(job);
	if (leverage_landmarks(landmarks, &data.x, &choice, &err) < 0)
		cli_fail_input(settings.data_name, &err);
	cli_progress_end(&job->run.progress);
	dataset_free(&data);
}

static void fit_nystrom(struct project_job *job)
{
	struct kernel kernel;
	struct csr landmarks = { 0 };
	struct error err = { 0 };
	int64_t n_chosen;

	if (settings.kernel == MAP_KERNEL_LAPLACE)
		cli_refuse("--kernel laplace: is not for nystrom");
	(settings.landmarks == LANDMARKS_LEVERAGE ? sample_by_leverage :
						    sample_uniformly)(job, &landmarks);
	n_chosen = landmarks.n_rows;
	if (n_chosen == 0)
		cli_fail("%s: no examples", settings.data_name);
	if (n_chosen < settings.map.n_columns && !settings.common.quiet)
		cli_warn("the data have %" PRId64 " rows, fewer than -k %" PRId64, n_chosen,
			 settings.map.n_columns);
	kernel = kernel_of_data(job);
	if (feature_map_nystrom(&job->map, &landmarks, &kernel, (int)settings.common.n_threads,
				&err) < 0)
		cli_fail("%s: %s", settings.data_name, cli_error(&err));
	job->map.n_features = job->max_index;
	if (job->map.n_columns < n_chosen && !settings.common.quiet)
		cli_warn("k = %" PRId64 ", the rank of the kernel matrix of %" PRId64 " landmarks",
			 job->map.n_columns, n_chosen);
}

static void explain_kernel(const struct project_job *job)
{
	const struct fourier_options *o = &job->map.fourier.options;

	if (job->method == FEATURE_MAP_NYSTROM)
		cli_warn("nystrom: %" PRId64 " landmarks, kernel %s, gamma %g", job->map.n_columns,
			 map_kernel_names[feature_map_kernel(&job->map)],
			 job->map.nystrom.kernel.gamma);
	if (job->method == FEATURE_MAP_TENSORSKETCH)
		cli_warn(
			"tensorsketch: %" PRId64 " columns, seed %" PRIu64 ", degree %d, gamma %g, "
			"coef0 %g",
			job->map.n_columns, feature_map_seed(&job->map),
			job->map.tensor.options.kernel.degree, job->map.tensor.options.kernel.gamma,
			job->map.tensor.options.kernel.coef0);
	if (job->method == FEATURE_MAP_RFF)
		cli_warn("rff: %" PRId64 " columns, seed %" PRIu64 ", kernel %s, gamma %g, %s "
			 "frequencies",
			 o->n_columns, o->seed, map_kernel_names[o->kernel], o->gamma,
			 o->orthogonal ? "orthogonal" : "independent");
}

/* ---- linear maps, and ranges ---- */

/* The length of fht's transform: the least power of two that is not below the number of features */
static int64_t transform_size(void)
{
	int64_t size = 1;

	while (size < settings.map.n_features)
		size *= 2;
	return size;
}

/*
 * Without replacement fht has as many columns as its transform has outputs, at most: with all of
 * them it changes no length, so --epsilon needs no more.
 */
static void limit_columns(void)
{
	const int64_t size = transform_size();

	if (settings.map.method != PROJECT_FHT || settings.map.with_replacement ||
	    settings.map.n_columns <= size)
		return;
	if (!cli_given("--epsilon"))
		cli_fail("-k: fht of %" PRId64 " features has %" PRId64 " columns at most: say "
			 "-k %" PRId64 ", which changes no length, or --with-replacement",
			 settings.map.n_features, size, size);
	settings.map.n_columns = size;
	if (!settings.common.quiet)
		cli_warn("k = %" PRId64 ", with which fht changes no length", size);
}

static void fit_components(struct project_job *job)
{
	const struct pca_options options = { .n_components = settings.map.n_columns,
					     .seed = settings.map.seed,
					     .n_threads = (int)settings.common.n_threads };
	struct dataset data = { 0 };
	struct error err = { 0 };

	read_data(job, "finding components", &data);
	if (feature_map_pca(&job->map, &data.x, &options, &err) < 0)
		cli_fail("%s: %s", settings.data_name, err.text);
	cli_progress_end(&job->run.progress);
	if (job->map.n_columns == 0)
		cli_fail("%s: no principal components: all rows are the same", settings.data_name);
	if (job->map.n_columns < settings.map.n_columns && !settings.common.quiet)
		cli_warn("the data have %" PRId64 " principal components, fewer than -k %" PRId64,
			 job->map.n_columns, settings.map.n_columns);
	dataset_free(&data);
}

static int add_batch(void *arg UNUSED, struct row_batch *batch, void *user, struct error *err)
{
	return scaling_ranges_add(user, batch, settings.scaling.targets, err);
}

/* Ranges depend on all rows, which can be scaled only when all were read: they are read twice. */
static void find_ranges(struct project_job *job)
{
	struct scaling_ranges ranges[THREAD_MAX] = { 0 };
	const struct rows_visitor visitor = { .work = add_batch,
					      .users = { ranges, sizeof(*ranges) } };
	struct cli_scan scan = { .name = settings.data_name,
				 .what = "finding ranges",
				 .format = project_row_format() };
	const int n_threads = (int)settings.common.n_threads;
	struct error err = { 0 };

	scan.format.keep_text = !settings.binary;
	cli_tell_passes(&job->run, settings.data_name, "for the ranges, and to scale it");
	cli_run_scan(&job->run, &scan, &visitor);
	cli_check(scaling_init(&job->scaling, &settings.scaling, ranges, n_threads, &err), &err);
	if (ranges[0].n_rows == 0)
		cli_fail("%s: no examples, so no ranges", settings.data_name);
	for (int i = 0; i < n_threads; i++)
		scaling_ranges_free(&ranges[i]);
}

/* Restore a map, or the ranges of svm-scale, which its first line tells apart. */
static void restore_map(struct project_job *job)
{
	struct chain_map found = { .kind = MAP_SCALING };
	struct error err = { 0 };

	if ((settings.svm_scale ? input_load(scaling_read, &found.scaling, settings.restore, &err) :
				  input_load(chain_map_read, &found, settings.restore, &err)) < 0)
		cli_fail_reading(settings.svm_scale ? "range file" : "map file", settings.restore,
				 &err);
	if (found.kind == MAP_SELECTION)
		cli_fail("%s: is a selection, for fs-select -r", settings.restore);
	job->scaling = found.scaling;
	job->map = found.features;
	if (found.kind == MAP_SCALING) {
		job->method = ROW_MAP_SCALE;
		if (settings.fold || settings.recover || settings.certificate)
			cli_refuse("%s: is not for scale", settings.fold    ? "--fold" :
							   settings.recover ? "--recover" :
									      "--certificate");
		return;
	}
	cli_refuse_together("-r", "-m");
	if (!feature_map_is_linear(&job->map) && job->map.method != FEATURE_MAP_NYSTROM &&
	    settings.fold)
		cli_refuse("--fold: is not for %s", projection_names[job->map.method]);
	if (!feature_map_is_linear(&job->map) && settings.recover)
		cli_refuse("--recover: is not for %s", projection_names[job->map.method]);
	if (job->map.method == FEATURE_MAP_NYSTROM && cli_given("-d"))
		cli_refuse("-d: is not for nystrom");
	job->method = job->map.method;
}

static void draw_map(struct project_job *job)
{
	const bool fht = settings.map.method == PROJECT_FHT;
	struct error err = { 0 };

	/*
	 * fht and li need the number of features: of fht it is the length of its transform, so that
	 * features up to that number are valid in test data
	 */
	if ((fht || (settings.map.method == PROJECT_LI && !cli_given("--sparsity"))) &&
	    !cli_given("-d")) {
		find_features(job);
		if (fht)
			settings.map.n_features = int64_min(transform_size(), INT32_MAX);
	}
	limit_columns();
	cli_check(project_check_memory(job, &settings.map, settings.map.n_columns, 1, &err), &err);
	cli_check(feature_map_random(&job->map, &settings.map, &err), &err);
}

/* Print the lines of --verbose about the map. */
static void explain_map(const struct project_job *job)
{
	const struct projection_options *p = &job->map.projection.options;

	if (job->method == ROW_MAP_SCALE)
		cli_warn("scale: ranges of %" PRId64 " features; in %" PRId64
			 " of them 0 becomes another number",
			 job->scaling.n, job->scaling.n_filled);
	if (job->method > FEATURE_MAP_PCA) {
		explain_kernel(job);
		return;
	}
	if (job->method == FEATURE_MAP_PCA)
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

void project_make_map(struct project_job *job)
{
	/* of the methods after the random projections; the last ones make nothing */
	static void (*const make[ROW_MAP_NONE + 1])(struct project_job * job) = {
		[FEATURE_MAP_PCA] = fit_components,  [FEATURE_MAP_RFF] = draw_fourier,
		[FEATURE_MAP_NYSTROM] = fit_nystrom, [FEATURE_MAP_TENSORSKETCH] = draw_tensor,
		[ROW_MAP_SCALE] = find_ranges,
	};

	job->method = settings.method;
	if (settings.restore)
		restore_map(job);
	job->map_seconds = -cli_cpu_seconds();
	if (!settings.restore && settings.method < FEATURE_MAP_PCA)
		draw_map(job);
	else if (!settings.restore && make[settings.method])
		make[settings.method](job);
	job->map_seconds += cli_cpu_seconds() - job->run.passes.cpu_seconds;
	/* components are not x R: their offset changes the span that is certified */
	if (settings.certificate && job->method == FEATURE_MAP_PCA)
		cli_refuse("--certificate: is not for pca");
	if (settings.common.verbose)
		explain_map(job);
}

int project_write_map(const void *arg, struct output *to, struct error *err)
{
	const struct project_job *job = arg;

	return job->method == ROW_MAP_SCALE ? scaling_save(&job->scaling, to, err) :
					      feature_map_save(&job->map, to, err);
}
