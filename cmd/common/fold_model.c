/*
 * fold_model.c - --fold: a linear model of mapped data as a model of the data as they were
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "fold_model.h"

#include "model/unproject.h"
#include "process.h"

void cli_fold_model(const char *name, const struct linear_map *linear,
		    const struct nystrom *landmarks, const struct cli_output *to)
{
	struct model model = { 0 }, folded = { 0 };
	struct error err = { 0 };

	if (model_read(&model, name, &err) < 0)
		cli_fail_model(name, &err);
	if ((linear ? model_unproject(&folded, &model, linear, &err) :
		      model_of_landmarks(&folded, &model, landmarks, &err)) < 0)
		cli_fail("--fold: %s: %s", name, cli_error(&err));
	/*
	 * Of many pairs of classes each gets weights of its own.  That a single vector of weights is
	 * longer for more features is what --fold is asked for.
	 */
	if (!model.is_linear_model && model.solution.n_class > 2 &&
	    model_n_numbers(&folded) > model_n_numbers(&model))
		cli_remark("--fold: %" PRId64 " numbers in place of %" PRId64
			   ": without it the model is smaller, and needs the map",
			   model_n_numbers(&folded), model_n_numbers(&model));
	cli_save(to, model_write, &folded);
	model_free(&model);
	model_free(&folded);
}
