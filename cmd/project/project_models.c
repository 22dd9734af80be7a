/*
 * project_models.c - rp-project: --fold and --recover, which convert models
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include "base/mem.h"
#include "common/fold_model.h"
#include "model/model.h"
#include "project.h"

static void fold_linear(const struct project_job *job)
{
	int64_t n_features = cli_given("-d") ? settings.map.n_features : job->map.n_features;
	struct linear_map map = feature_map_linear(&job->map, n_features);

	if (n_features == 0)
		cli_fail("--fold: the map does not say how many features the data had: say -d");
	if (n_features < job->map.n_features)
		cli_remark("-d: features %" PRId64 " to %" PRId64
			   ", which the map was made for, get no weights",
			   n_features + 1, job->map.n_features);
	cli_fold_model(settings.fold, &map, NULL, &job->run.file[FILE_ROWS]);
}

void project_fold(const struct project_job *job)
{
	if (job->method == FEATURE_MAP_NYSTROM)
		cli_fold_model(settings.fold, NULL, &job->map.nystrom, &job->run.file[FILE_ROWS]);
	else
		fold_linear(job);
}
