/*
 * project_models.c - rp-project: --fold and --recover, which convert models
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include "base/mem.h"
#include "common/fold_model.h"
#include "common/process.h"
#include "model/model.h"
#include "project.h"
#include "project_recover.h"

static void fold_linear(const struct project_job *job)
{
	int64_t n_features = cli_given("-d") ? settings.map.n_features : job->map.n_features;
	struct linear_map map = feature_map_linear(&job->map, n_features);

	if (n_features == 0)
		cli_fail("%s: --fold: the map does not say how many features the data had: say -d",
			 cli_program_name());
	if (n_features < job->map.n_features && !settings.common.quiet)
		cli_note("-d: features %" PRId64 " to %" PRId64
			 ", which the map was made for, get no weights",
			 n_features + 1, job->map.n_features);
	cli_fold_model(settings.fold, &map, &job->file[FILE_ROWS], settings.common.quiet);
}

void project_fold(const struct project_job *job)
{
	if (job->method == FEATURE_MAP_NYSTROM)
		cli_fold_landmarks(settings.fold, &job->map.nystrom, &job->file[FILE_ROWS],
				   settings.common.quiet);
	else
		fold_linear(job);
}

void project_recover(struct project_job *job)
{
	struct recover_source source = { .data_name = settings.recover,
					 .model_name = settings.model_name,
					 .indices_name = settings.sv_indices,
					 .format = project_row_format(),
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
	project_limit_features(job, &source.format);
	source.format.max_rows = project_batch_rows(job);
	recover_model(&recovered, &job->map, &source, &job->record.read);
	if (model_write(&recovered, job->file[FILE_ROWS].output, &err) < 0)
		cli_fail_output(&job->file[FILE_ROWS], &err);
	model_free(&recovered);
	mem_free(settings.weights.weight);
}
