/*
 * search_fold.c - all points of a column, without one fold
 *
 *     classes       of the rows outside the fold, in the order that svm-train finds them in
 *     machines      one for each pair of them, or one of a regression: each for all values of C
 *     value         [n_values][n_c][n_out]: decision values of the rows left out
 *     predictions   from the values of a row at a point: votes, or the value
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/mem.h"
#include "model/predict.h"
#include "problem/solution.h"
#include "search/search_work.h"

/* The work on a fold: rows outside, their classes, and the values of the rows left out. */
struct fold_work {
	const struct search_fold *f;
	const struct search_column *column;
	struct training training; /* the column's with C = 1 */
	struct example_list outside;
	int64_t *row; /* rows outside, in the order of svm-train */
	double *y;    /* their labels */
	struct classes classes;
	int64_t first, n_out, n_values;
	double *value; /* [n_values][n_c][n_out] */
};

/* The rows of all other folds as rows of search_rows, where they are fold after fold as well. */
static int list_outside(struct fold_work *w, struct error *err)
{
	const struct search_run *run = w->f->run;
	int64_t n_rows = w->f->rows->data.x.n_rows, *at = mem_array(n_rows, sizeof(*at), err);

	w->row = mem_array(n_rows, sizeof(*w->row), err);
	w->y = mem_array(n_rows, sizeof(*w->y), err);
	if (at && w->row && w->y) {
		for (int64_t i = 0; i < n_rows; i++)
			at[w->f->rows->row[i]] = i;
		w->outside.n = folds_outside(&run->folds, w->f->fold, w->row);
		for (int64_t i = 0; i < w->outside.n; i++) {
			w->row[i] = at[w->row[i]];
			w->y[i] = w->f->rows->data.y[w->row[i]];
		}
	}
	mem_free(at);
	w->outside.row = w->row;
	w->outside.y = w->y;
	return err->code == ERR_NONE ? 0 : -1;
}

static int work_init(struct fold_work *w, const struct search_fold *f, struct error *err)
{
	const struct folds *folds = &f->run->folds;
	const int n_c = f->run->s->column[f->column].n;

	*w = (struct fold_work){ .f = f, .column = &f->run->s->column[f->column] };
	w->training = w->column->training;
	w->training.C = 1;
	w->first = folds->start[f->fold];
	w->n_out = folds->start[f->fold + 1] - w->first;
	if (list_outside(w, err) < 0)
		return -1;
	if (f->run->classifies && w->outside.n > 0 &&
	    classes_init_list(&w->classes, &w->outside, err) < 0)
		return -1;
	w->n_values = f->run->classifies ? solution_n_pairs(w->classes.n) : 1;
	w->value = mem_array(n_c * w->n_out * w->n_values, sizeof(*w->value), err);
	return err->code == ERR_NONE ? 0 : -1;
}

/* The problem of pair q of the classes, or of the regression, its rows in their order. */
static int make_problem(const struct fold_work *w, int64_t q, struct problem *p, struct error *err)
{
	const struct dataset *data = &w->f->rows->data;
	int ret;

	if (w->f->run->classifies)
		ret = classes_pair_problem(p, &w->classes, classes_choice(w->classes.n, q, true),
					   data, &w->training, err);
	else
		ret = single_problem_list(p, data, &w->training, &w->outside, err);
	return ret < 0 ? -1 : problem_sort(p, w->f->rows->place, err);
}

/* Train the machine of pair q. */
static int run_machine(const struct fold_work *w, int64_t q, struct error *err)
{
	const struct search_run *run = w->f->run;
	const struct search_machine_options o = { .kernel = w->f->kernel,
						  .solver = run->machine->trainer.solver,
						  .eps = w->training.eps,
						  .c = w->column->c,
						  .n_c = w->column->n,
						  .first = w->first,
						  .n_out = w->n_out };
	struct problem p = { 0 };
	int ret = make_problem(w, q, &p, err);

	if (ret == 0)
		ret = search_machine_run(&p.view, &o, w->value + q * o.n_c * w->n_out,
					 w->f->figures, err);
	problem_free(&p);
	return ret;
}

/*
 * Predict the rows left out at one point.  Values of a row are far apart, but those of eight rows
 * share their cache lines: scattered when each machine is trained they took 7 % of letter@2000.
 */
static void predict(const struct fold_work *w, const struct predictor *p, int point,
		    struct predictor_scratch *scratch, double *value)
{
	struct cv_predictions *found = &w->f->answers->point[point].found;

	for (int64_t k = 0; k < w->n_out; k++) {
		struct row_prediction prediction = { .by = p, .values = value };

		for (int64_t q = 0; q < w->n_values; q++)
			value[q] = w->value[(q * w->column->n + point) * w->n_out + k];
		prediction.predicted = w->n_values > 0	? predictor_decide(p, value, scratch) :
				       w->classes.n > 0 ? w->classes.label[0] :
							  NAN;
		cv_predictions_set(found, w->f->rows->row[w->first + k], &prediction);
	}
}

static int predict_points(const struct fold_work *w, struct error *err)
{
	static const struct model no_model;
	const struct predictor p = { .model = &no_model,
				     .kind = w->f->run->classifies ? PREDICTS_CLASS :
								     PREDICTS_VALUE,
				     .n_class = w->f->run->classifies ? w->classes.n : 2,
				     .label = w->classes.label,
				     .n_values = w->n_values };
	int *votes = mem_array(p.n_class, sizeof(*votes), err);
	double *value = mem_array(p.n_values, sizeof(*value), err);
	struct predictor_scratch scratch = { .votes = votes };

	for (int k = 0; votes && value && k < w->column->n; k++)
		if (!w->f->figures[k].given_up)
			predict(w, &p, k, &scratch, value);
	mem_free_all(votes, value);
	return votes && value ? 0 : -1;
}

int search_fold_run(const struct search_fold *f, struct error *err)
{
	struct fold_work w;
	int ret = work_init(&w, f, err);
	/* without rows to train on nothing is predicted, and one class needs no machine */
	int64_t n_machines = ret < 0 || w.outside.n == 0 ? 0 : w.n_values;

	for (int64_t q = 0; q < n_machines && ret == 0; q++)
		ret = run_machine(&w, q, err);
	if (ret == 0 && w.outside.n > 0)
		ret = predict_points(&w, err);
	classes_free(&w.classes);
	mem_free_all(w.row, w.y, w.value);
	return ret;
}
