/*
 * fold_model.c - --fold: a linear model of mapped data as a model of the data as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fold_model.h"

#include "model/model.h"
#include "model/unproject.h"
#include "process.h"

void cli_fold_model(const char *name, const struct linear_map *map, const struct cli_output *to)
{
	struct model model = { 0 }, folded = { 0 };
	struct error err = { 0 };

	if (model_read(&model, name, &err) < 0)
		cli_fail_model(name, &err);
	if (model_unproject(&folded, &model, map, &err) < 0)
		cli_fail("%s: --fold: %s: %s", cli_program_name(), name, err.text);
	if (model_write(&folded, to->output, &err) < 0)
		cli_fail_output(to, &err);
	model_free(&model);
	model_free(&folded);
}
