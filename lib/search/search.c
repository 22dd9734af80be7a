/*
 * search.c - cross validation at all points of a grid of parameters
 *
 * Columns that may share kernel matrices are run together, fold by fold on all threads
 * (search_columns.c); others one by one, with all threads within a training (search_plain.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "search/search.h"

#include <stdlib.h>

#include "base/arithmetic.h"
#include "search/search_work.h"

int search_folds(struct folds *f, const struct search *s, struct error *err)
{
	srand((unsigned)s->seed);
	return folds_of_svm_train(f, s->data, int64_min(s->n_folds, s->data->x.n_rows),
				  machine_classifies(s->column[0].training.type), err);
}

/* Run the columns from 'first' on that are evaluated in the same way; returns the next, or -1. */
static int run_some(const struct search_run *run, int first, struct error *err)
{
	int end = first;

	const struct search_column *column = run->s->column;

	while (end < run->s->n_columns && search_may_share(run, end) &&
	       column[end].training.kernel.type == column[first].training.kernel.type)
		end++;
	if (end > first)
		return search_columns_run(run, first, end, err) < 0 ? -1 : end;
	return search_plain_run(run, first, err) < 0 ? -1 : first + 1;
}

int search_run(const struct search *s, struct error *err)
{
	struct search_run run = { .s = s };
	int column = 0, ret = 0;

	run.classifies = machine_classifies(s->column[0].training.type);
	if (run.classifies)
		ret = classes_init(&run.classes, s->data, err);
	if (ret == 0 && search_folds(&run.folds, s, err) == 0)
		while (column >= 0 && column < s->n_columns)
			column = run_some(&run, column, err);
	folds_free(&run.folds);
	classes_free(&run.classes);
	return err->code == ERR_NONE ? 0 : -1;
}
