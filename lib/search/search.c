/*
 * search.c - cross validation at all points of a grid of parameters
 *
 * Columns that may share kernel matrices are run together, fold by fold on all threads
 * (search_columns.c); others one by one, with all threads within a training (search_plain.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "search/search.h"

#include <math.h>

#include "kernel/shifted_data.h"
#include "search/search_work.h"

int search_folds(struct folds *f, const struct search *s, struct error *err)
{
	struct glibc_rand draws;

	glibc_rand_seed(&draws, (unsigned)s->machine->options.seed);
	return folds_of_data(f, s->machine->trainer.data, (struct fold_draw){ s->n_folds, &draws },
			     machine_classifies(s->machine->training.type), err);
}

/* Run the columns from 'first' on that are evaluated in the same way; returns the next, or -1. */
static int run_some(const struct search_run *run, int first, struct error *err)
{
	const struct search_column *column = run->s->column;
	int end = first;

	while (end < run->s->n_columns && search_may_share(run, end) &&
	       column[end].training.kernel.type == column[first].training.kernel.type)
		end++;
	if (end > first)
		return search_columns_run(run, first, end, err) < 0 ? -1 : end;
	return search_plain_run(run, first, err) < 0 ? -1 : first + 1;
}

/* The measure of what is far for the narrowest kernel; 0 if one of them is not to be shifted. */
static double shift_gamma(const struct search *s)
{
	double most = 0;

	for (int k = 0; k < s->n_columns; k++) {
		double gamma = trainer_shift_gamma(&s->column[k].training, true);

		if (gamma == 0)
			return 0;
		most = fmax(most, gamma);
	}
	return most;
}

int search_run(const struct search *s, struct error *err)
{
	struct machine machine = *s->machine;
	struct shifted_data near;
	struct search_run run = { .s = s, .machine = &machine };
	int column = 0, ret = shifted_data_init(&near, machine.trainer.data, shift_gamma(s), err);

	machine.direct_reason = NULL;
	machine.trainer.data = &near.data;
	machine.trainer.rounds = NULL;
	machine.trainer.pairs = NULL;
	machine.trainer.certifies = false;
	run.classifies = machine_classifies(machine.training.type);
	if (ret == 0 && search_folds(&run.folds, s, err) == 0)
		while (column >= 0 && column < s->n_columns)
			column = run_some(&run, column, err);
	folds_free(&run.folds);
	shifted_data_free(&near);
	return err->code == ERR_NONE ? 0 : -1;
}
