/*
 * search.c - cross validation at all points of a grid of parameters
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "search/search.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/clock.h"
#include "problem/classes.h"
#include "problem/solution.h"
#include "train/trainer.h"

int search_folds(struct folds *f, const struct search *s, struct error *err)
{
	srand((unsigned)s->seed);
	return folds_of_svm_train(f, s->data, int64_min(s->n_folds, s->data->x.n_rows),
				  machine_classifies(s->column[0].training.type), err);
}

static int evaluate_point(const struct search *s, const struct classes *classes, int column,
			  int place, struct error *err)
{
	const struct search_column *c = &s->column[column];
	struct training training = c->training;
	struct trainer t = {
		.data = s->data, .training = &training, .options = s->options, .solver = s->solver
	};
	bool classifies = machine_classifies(training.type);
	struct cv_predictions found;
	const struct cv_shape shape = { .n_rows = s->data->x.n_rows,
					.n_class = classifies ? classes->n : 0,
					.label = classes->label,
					.by_class = s->one_vs_rest && classes->n > 2,
					.with_values = s->with_values,
					.with_probabilities = s->with_values && classifies &&
							      training.probability };
	struct search_answer answer = { .column = column, .place = place, .predictions = &found };
	struct validation_observer rows = { .row_predicted = cv_predictions_set, .table = &found };
	struct error failure = { 0 };
	int ret;

	training.C = c->c[place];
	srand((unsigned)s->seed);
	if (cv_predictions_init(&found, &shape, err) < 0)
		return -1;
	ret = s->one_vs_rest ? cross_validate_one_vs_rest(&t, s->n_folds, &found, &failure) :
			       cross_validate(&t, s->n_folds, &rows, found.predicted, &failure);
	if (ret < 0 && failure.code == ERR_NUMERIC) {
		answer.failed = failure.text;
		ret = 0;
	}
	if (ret < 0)
		error_pass(err, &failure);
	else
		ret = s->observer->point(s->observer->arg, &answer, err);
	cv_predictions_free(&found);
	return ret;
}

int search_run(const struct search *s, struct error *err)
{
	struct classes classes = { 0 };
	int ret = 0;

	if (machine_classifies(s->column[0].training.type))
		ret = classes_init(&classes, s->data, err);
	for (int k = 0; k < s->n_columns && ret == 0; k++)
		for (int i = 0; i < s->column[k].n && ret == 0; i++)
			ret = evaluate_point(s, &classes, k, i, err);
	classes_free(&classes);
	return ret;
}
