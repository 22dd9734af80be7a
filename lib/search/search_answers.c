/*
 * search_answers.c - the answers of a column's points, from nothing known to what is told
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem.h"
#include "evaluate/machine_train.h"
#include "search/search_work.h"

void search_answers_free(struct search_answers *a)
{
	for (int k = 0; a->point && k < a->n_points; k++)
		cv_predictions_free(&a->point[k].found);
	mem_free(a->point);
	*a = (struct search_answers){ 0 };
}

int search_answers_init(struct search_answers *a, const struct search_run *run, int column,
			struct error *err)
{
	const struct prediction_columns columns =
		machine_columns(run->machine, run->s->with_values);

	*a = (struct search_answers){ .n_points = run->s->column[column].n };
	a->point = mem_zeroed(a->n_points, sizeof(*a->point), err);
	for (int k = 0; err->code == ERR_NONE && k < a->n_points; k++) {
		struct search_point *p = &a->point[k];

		p->answer = (struct search_answer){ .column = column,
						    .place = k,
						    .predictions = &p->found };
		cv_predictions_init(&p->found, &columns, run->machine->trainer.data->x.n_rows, err);
	}
	if (err->code == ERR_NONE)
		return 0;
	search_answers_free(a);
	return -1;
}

void search_fail(struct search_point *p, const struct error *reason)
{
	p->failed = *reason;
	p->answer.failed = p->failed.text;
}

void search_ask_to_give_up(const struct search *s, struct search_answers *a)
{
	for (int k = 0; k < a->n_points; k++)
		a->point[k].given_up = s->observer->gives_up(s->observer->arg, &a->point[k].answer);
}

int64_t search_half(const struct search_run *run)
{
	return run->s->observer->gives_up ? (run->folds.n + 1) / 2 : run->folds.n;
}
