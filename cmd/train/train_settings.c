/*
 * train_settings.c - the settings of a training, with svm-train's defaults
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "train.h"
#include "train_options.h"

const char *const train_mode_names[] = { "exact", "paper", "reweight", "budget", "direct", NULL };

const char *const train_loss_names[] = { "hinge", "squared", NULL };

const char *const train_multiclass_names[] = { "ovo", "ovr", NULL };

struct train_settings settings = {
	.kernel_type = KERNEL_RBF,
	.degree = 3,
	.C = 1,
	.nu = 0.5,
	.p = 0.1,
	.cache_mb = NAN,
	.eps = 0.001,
	.shrinking = 1,
	.epsilon = 0.2,
	.delta = 0.9,
	.sample_factor = 2,
	.n_models = 1,
	.seed = 1,
	.weights = { .takes_auto = true },
	.checkpoint_every = 600,
	.most_gap = INFINITY,
};
