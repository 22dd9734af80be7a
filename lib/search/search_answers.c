/*
 * search_answers.c - the answers of a column's points, from nothing known to what is told
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem.h"
#include "search/search_work.h"

void search_answers_free(struct search_answers *a)
{
	for (int k = 0; a->found && k < a->n_points; k++)
		cv_predictions_free(&a->found[k]);
	mem_free(a->found);
	mem_free(a->seconds);
	mem_free(a->n_unfinished);
	mem_free(a->n_skipped);
	mem_free(a->given_up);
	mem_free(a->failed);
	*a = (struct search_answers){ 0 };
}

int search_answers_init(struct search_answers *a, const struct search_run *run, int column,
			struct error *err)
{
	const struct search *s = run->s;
	const struct cv_shape shape = {
		.n_rows = s->trainer.data->x.n_rows,
		.n_class = run->classifies ? run->classes.n : 0,
		.label = run->classes.label,
		.by_class = s->one_vs_rest && run->classes.n > 2,
		.with_values = s->with_values,
		.with_probabilities =
			s->with_values && run->classifies && s->column[column].training.probability,
	};
	int n = s->column[column].n;

	*a = (struct search_answers){ .n_points = n };
	a->found = mem_zeroed(n, sizeof(*a->found), err);
	a->seconds = mem_zeroed(n, sizeof(*a->seconds), err);
	a->n_unfinished = mem_zeroed(n, sizeof(*a->n_unfinished), err);
	a->n_skipped = mem_zeroed(n, sizeof(*a->n_skipped), err);
	a->given_up = mem_zeroed(n, sizeof(*a->given_up), err);
	a->failed = mem_zeroed(n, sizeof(*a->failed), err);
	for (int k = 0; err->code == ERR_NONE && k < n; k++)
		cv_predictions_init(&a->found[k], &shape, err);
	if (err->code == ERR_NONE)
		return 0;
	search_answers_free(a);
	return -1;
}

struct search_answer search_answer_of(const struct search_answers *a, int column, int place)
{
	const struct error *failed = &a->failed[place];

	return (struct search_answer){ .column = column,
				       .place = place,
				       .predictions = &a->found[place],
				       .n_unfinished = a->n_unfinished[place],
				       .n_skipped = a->n_skipped[place],
				       .failed = failed->code != ERR_NONE ? failed->text : NULL,
				       .seconds = a->seconds[place] };
}

void search_ask_to_give_up(const struct search *s, struct search_answers *a, int column)
{
	for (int k = 0; k < a->n_points; k++) {
		struct search_answer so_far = search_answer_of(a, column, k);

		a->given_up[k] = s->observer->gives_up(s->observer->arg, &so_far);
	}
}

int search_tell(const struct search *s, const struct search_answers *a, int column, int place,
		struct error *err)
{
	struct search_answer answer = search_answer_of(a, column, place);

	return s->observer->point(s->observer->arg, &answer, err);
}

int64_t search_half(const struct search_run *run)
{
	return run->s->observer->gives_up ? (run->folds.n + 1) / 2 : run->folds.n;
}
