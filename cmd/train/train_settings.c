/*
 * train_settings.c - the settings of a training, with svm-train's defaults
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "train_options.h"

const char *const train_mode_names[] = { "exact", "paper", "reweight", "budget", "direct", NULL };

const char *const train_multiclass_names[] = { "ovo", "ovr", NULL };

struct train_given given = {
	.machine = { .training = { .C = 1, .nu = 0.5, .p = 0.1, .eps = TRAINING_USUAL_EPS },
		     .options = { .seed = 1, .epsilon = 0.2, .delta = 0.9, .sample_factor = 2 },
		     .any_kernel = true,
		     .takes_libsvm = true },
	.kernel_type = KERNEL_RBF,
	.degree = 3,
	.shrinking = 1,
	.cache_mb = NAN,
	.weights = { .takes_auto = true },
};

struct train_settings settings = {
	.n_models = 1,
	.checkpoint_every = 600,
	.most_gap = INFINITY,
};

const char *train_name_after(const char *data, const char *ending)
{
	const char *slash = strrchr(data, '/');
	struct error err = { 0 };
	char *name;

	data = strcmp(data, "-") == 0 ? "stdin" : slash ? slash + 1 : data;
	name = mem_array((int64_t)(strlen(data) + strlen(ending) + 1), 1, &err);
	cli_check(name ? 0 : -1, &err);
	/* cppcheck-suppress nullPointerRedundantCheck ; cli_fail() does not return */
	return strcat(strcpy(name, data), ending);
}

struct machine_given train_asked(void)
{
	static const enum working_set_mode mode[] = { WORKING_SET_EXACT, WORKING_SET_PAPER,
						      WORKING_SET_REWEIGHT, WORKING_SET_BUDGET,
						      WORKING_SET_EXACT };
	struct machine_given m = given.machine;
	struct training *t = &m.training;

	t->type = (enum machine_type)given.svm_type;
	t->kernel.type = (enum kernel_type)given.kernel_type;
	t->kernel.degree = (int)given.degree;
	t->shrinking = (int)given.shrinking;
	t->probability = (int)given.probability;
	t->squared_loss = given.loss == LOSS_SQUARED;
	t->n_weights = (int)given.weights.n;
	t->weight = given.weights.weight;
	t->cache_mb = isnan(given.cache_mb) ? TRAINING_USUAL_CACHE_MB : given.cache_mb;
	m.cache_mb = isnan(given.cache_mb) ? 0 : given.cache_mb;
	m.balanced = given.weights.automatic;
	m.one_vs_rest = is_one_vs_rest();
	m.direct = settings.mode == MODE_DIRECT;
	m.by_libsvm = settings.solver == SOLVER_LIBSVM ||
		      (settings.solver == SOLVER_AUTO && settings.mode == MODE_REWEIGHT);
	m.options.mode = mode[settings.mode];
	m.options.n_models = (int)settings.n_models;
	m.options.n_threads = (int)given.common.n_threads;
	return m;
}
