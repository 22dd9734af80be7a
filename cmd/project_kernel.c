/*
 * project_kernel.c - rp-project: kernel maps, their options, and how they are made
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include "common/process.h"
#include "project.h"

/* Chance that the error of a kernel value exceeds --epsilon. */
#define EPSILON_DELTA 0.05

const char *const project_frequency_names[] = { "orthogonal", "independent", NULL };

/* (1) of fourier.h: 2 exp(-k E^2 / 4) <= delta */
int64_t project_kernel_columns(void)
{
	double columns = ceil(4 * log(2 / EPSILON_DELTA) / (settings.epsilon * settings.epsilon));

	if (columns > INT32_MAX)
		cli_refuse("--epsilon: that would take more than 2^31 columns");
	if (!settings.common.quiet)
		cli_warn("k = %.0f = 4 ln(2 / %g) / E^2, where a kernel value is off by more than "
			 "E with a chance of at most %g",
			 columns, EPSILON_DELTA, EPSILON_DELTA);
	return (int64_t)columns;
}

/* Are the frequencies orthogonal?  By default where that makes errors smaller. */
static bool are_orthogonal(void)
{
	if (cli_given("--frequencies"))
		return settings.frequencies == FREQUENCIES_ORTHOGONAL;
	return settings.kernel == FOURIER_RBF && settings.map.n_features <= FOURIER_MAX_ORTHOGONAL;
}

static bool needs_features(void)
{
	return !cli_given("-g") ||
	       (settings.kernel == FOURIER_RBF &&
		!(cli_given("--frequencies") && settings.frequencies == FREQUENCIES_INDEPENDENT));
}

void project_draw_fourier(struct project_job *job)
{
	struct fourier_options options = { .kernel = (enum fourier_kernel)settings.kernel,
					   .gamma = settings.gamma,
					   .seed = settings.map.seed,
					   .n_columns = settings.map.n_columns,
					   .single = settings.map.single };
	struct error err = { 0 };
	double started;

	if (needs_features())
		project_find_features(job);
	options.n_features = settings.map.n_features;
	options.orthogonal = are_orthogonal();
	if (!cli_given("-g"))
		options.gamma = 1 / (double)options.n_features;
	started = cli_cpu_seconds();
	if (project_check_memory(job, &settings.map, settings.map.n_columns, 1, &err) < 0 ||
	    feature_map_fourier(&job->map, &options, &err) < 0)
		cli_fail("%s: %s", cli_program_name(), err.text);
	job->record.map_seconds = cli_cpu_seconds() - started;
}

void project_explain_kernel(const struct project_job *job)
{
	const struct fourier_options *o = &job->map.fourier.options;

	if (job->method == FEATURE_MAP_RFF)
		cli_warn("rff: %" PRId64 " columns, seed %" PRIu64 ", kernel %s, gamma %g, %s "
			 "frequencies",
			 o->n_columns, o->seed, fourier_kernel_names[o->kernel], o->gamma,
			 o->orthogonal ? "orthogonal" : "independent");
}
