/*
 * fold_model.c - --fold: a linear model of mapped data as a model of the data as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fold_model.h"

#include "model/landmark_model.h"
#include "model/model.h"
#include "model/unproject.h"
#include "process.h"

/* --fold by one of the two kinds of maps; the other is NULL */
static void fold(const char *name, const struct linear_map *linear, const struct nystrom *landmarks,
		 const struct cli_output *to)
{
	struct model model = { 0 }, folded = { 0 };
	struct error err = { 0 };

	if (model_read(&model, name, &err) < 0)
		cli_fail_model(name, &err);
	if ((linear ? model_unproject(&folded, &model, linear, &err) :
		      model_of_landmarks(&folded, &model, landmarks, &err)) < 0)
		cli_fail("%s: --fold: %s: %s", cli_program_name(), name, err.text);
	if (model_write(&folded, to->output, &err) < 0)
		cli_fail_output(to, &err);
	model_free(&model);
	model_free(&folded);
}

void cli_fold_model(const char *name, const struct linear_map *map, const struct cli_output *to)
{
	fold(name, map, NULL, to);
}

void cli_fold_landmarks(const char *name, const struct nystrom *map, const struct cli_output *to)
{
	fold(name, NULL, map, to);
}
