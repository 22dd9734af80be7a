/*
 * grid_nested.c - randsvm-grid --nested: what the choice of parameters achieves on unseen rows
 *
 * The best rate of a grid is the largest of many, so that it promises too much.  Here each outer
 * fold is left out of a whole search, and what is chosen there is trained on the search's rows and
 * judged on the fold.  Only the balance of classes (-w auto) and the default gamma, which depends on
 * the largest index, are those of all rows:
 *
 *     outer fold        search on the other rows       choice       rate of the fold
 *     1                 all points, n_folds folds      C, gamma     82.1
 *     2                 ...                            C, gamma     84.0
 *
 * The rates' mean and standard deviation are printed.  The outer folds are those of svm-train -v N.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "common/read_rows.h"
#include "grid.h"

/* The judgement of a fold, while the points of search_run() are one. */
struct judgement {
	struct grid_truth truth;
	const int64_t *row; /* rows of the fold, n of them */
	int64_t n;
	double rate;
};

static int judge(void *arg, const struct search_answer *answer, struct error *err)
{
	struct judgement *j = arg;

	j->rate = NAN;
	return answer->failed ?
		       0 :
		       grid_rate_of(&j->truth, answer->predictions, j->row, j->n, &j->rate, err);
}

/*
 * The rate of outer fold k, by the model of the other folds at 'at'.  All outer folds are predicted
 * there, which is little work beside the searches.
 */
static int judge_fold(const struct grid_search *whole, const struct folds *outer, int64_t k,
		      const double *at, double *rate, struct error *err)
{
	const struct training training = grid_training_at(whole->training, at);
	const struct search_column column = { training, 1, &training.C };
	struct judgement judgement = { .truth = { .data = whole->trainer.data,
						  .folds = outer,
						  .classifies = whole->classes != NULL },
				       .row = outer->row + outer->start[k],
				       .n = outer->start[k + 1] - outer->start[k] };
	const struct search_observer observer = { .point = judge, .arg = &judgement };
	struct search search = grid_search_of(whole, &observer);
	int ret;

	search.n_folds = grid.n_outer;
	search.column = &column;
	search.n_columns = 1;
	ret = search_run(&search, err);
	*rate = grid_six_digits(judgement.rate);
	return ret;
}

/*
 * The rows of all folds but k, ascending, as svm-fold --train writes them: a search on its file is the
 * same.  Returns their number.
 */
static int64_t rows_outside(const struct folds *f, int64_t k, int64_t *row, bool *is_in_fold)
{
	const int64_t n_rows = f->start[f->n];
	int64_t n = 0;

	memset(is_in_fold, 0, (size_t)n_rows * sizeof(*is_in_fold));
	for (int64_t j = f->start[k]; j < f->start[k + 1]; j++)
		is_in_fold[f->row[j]] = true;
	for (int64_t i = 0; i < n_rows; i++)
		if (!is_in_fold[i])
			row[n++] = i;
	return n;
}

/* Copy the rows of all folds but k, and find their classes if 'classes' is not NULL. */
static int gather_outside(const struct dataset *data, const struct folds *outer, int64_t k,
			  struct dataset *part, struct classes *classes, struct error *err)
{
	int64_t n_rows = data->x.n_rows, n;
	int64_t *row = mem_array(n_rows, sizeof(*row), err);
	bool *is_in_fold = mem_array(n_rows, sizeof(*is_in_fold), err);
	int ret = -1;

	if (row && is_in_fold) {
		n = rows_outside(outer, k, row, is_in_fold);
		ret = dataset_gather(part, data, row, n, err);
		if (ret == 0 && classes && n > 0)
			ret = classes_init(classes, part, err);
	}
	mem_free(row);
	mem_free(is_in_fold);
	return ret;
}

/*
 * Search on the rows outside of fold k, and copy the choice: a failed point where none has a rate, or
 * where there are no rows, in the fold or outside.
 */
static int search_outside(const struct grid_search *whole, const struct grid_axes *axes,
			  const struct folds *outer, int64_t k, struct grid_point *choice,
			  struct error *err)
{
	const bool is_empty = outer->start[k] == outer->start[k + 1];
	const struct grid_point *found;
	struct dataset part = { 0 };
	struct classes classes = { 0 };
	struct grid_search inner = *whole;
	int ret;

	inner.points = (struct grid_points){ 0 };
	inner.folds = (struct folds){ 0 };
	inner.display = NULL;
	inner.trainer.data = &part;
	inner.classes = whole->classes ? &classes : NULL;
	inner.share = 1.0 / (1 + (double)outer->n);
	inner.done = (double)(k + 1) * inner.share;
	ret = gather_outside(whole->trainer.data, outer, k, &part, whole->classes ? &classes : NULL,
			     err);
	if (ret == 0 && part.x.n_rows > 0 && !is_empty)
		ret = grid_search_all(&inner, axes, err);
	found = grid_points_choice(&inner.points);
	*choice = found ? *found :
			  (struct grid_point){ .at = { NAN, NAN, NAN },
					       .outcome = GRID_FAILED,
					       .rate = NAN,
					       .error = NAN };
	grid_search_free(&inner);
	classes_free(&classes);
	dataset_free(&part);
	return ret;
}

static void tell_fold(struct report *array, FILE *info, int64_t k, int64_t n,
		      const struct grid_point *choice, double rate)
{
	struct report *item = report_item(array);
	char text[GRID_NUMBER_SIZE];

	fprintf(info, "[outer %" PRId64 "/%" PRId64 "] ", k + 1, n);
	if (choice->outcome == GRID_FAILED) {
		fputs("failed\n", info);
	} else {
		grid_print_logarithms(info, choice);
		fprintf(info, "%s ", grid_number(choice->rate, text));
		fprintf(info, "(left out rate=%s)\n", grid_number(rate, text));
	}
	cli_flush(info);
	grid_report_point(choice, item);
	report_number(item, "left_out_rate", rate);
}

static void tell_mean(struct report *nested, FILE *info, int64_t n, const struct grid_rates *rates)
{
	double mean = rates->n > 0 ? rates->mean : NAN;
	double deviation = rates->n > 1 ? sqrt(rates->squares / (double)(rates->n - 1)) : NAN;

	fprintf(info, "[outer] mean rate=%g, standard deviation %g", mean, deviation);
	if (rates->n < n)
		fprintf(info, ", of the %" PRId64 " folds that have a rate", rates->n);
	fputc('\n', info);
	report_number(nested, "mean", mean);
	report_number(nested, "standard_deviation", deviation);
}

static int make_outer(const struct grid_search *g, struct folds *outer, struct error *err)
{
	const struct search_column column = { .training = *g->training };
	struct search search = grid_search_of(g, NULL);

	search.n_folds = grid.n_outer;
	search.column = &column;
	return search_folds(outer, &search, err);
}

void grid_check_nested(const struct grid_search *g)
{
	int64_t n_groups, left;
	struct folds outer;
	struct error err = { 0 };

	if (make_outer(g, &outer, &err) < 0)
		cli_fail("--nested: %s", err.text);
	n_groups = left = cli_count_groups(g->trainer.data, NULL, g->trainer.data->x.n_rows);
	for (int64_t k = 0; k < outer.n; k++) {
		int64_t first = outer.start[k], n = outer.start[k + 1] - first;

		left = int64_min(
			left, n_groups - cli_count_groups(g->trainer.data, outer.row + first, n));
	}
	folds_free(&outer);
	if (left < g->n_folds)
		cli_fail("--nested %" PRId64 " leaves %" PRId64 " of %" PRId64
			 " groups to a search, which are not enough for %" PRId64
			 " folds: give -v %" PRId64 " at most",
			 grid.n_outer, left, n_groups, g->n_folds, left);
}

int grid_nested(const struct grid_search *g, const struct grid_axes *axes, struct report *report,
		FILE *info, struct error *err)
{
	struct report *nested = report_object(report, "nested"),
		      *array = report_array(nested, "folds");
	struct grid_point choice;
	struct folds outer = { 0 };
	struct grid_rates rates = { 0 };
	int ret;

	ret = make_outer(g, &outer, err);
	for (int64_t k = 0; ret == 0 && k < outer.n; k++) {
		double rate = NAN;

		ret = search_outside(g, axes, &outer, k, &choice, err);
		if (ret == 0 && choice.outcome == GRID_RATED)
			ret = judge_fold(g, &outer, k, choice.at, &rate, err);
		if (ret < 0)
			break;
		cli_progress_pause(g->progress);
		tell_fold(array, info, k, outer.n, &choice, rate);
		grid_rates_add(&rates, rate);
	}
	if (ret == 0)
		tell_mean(nested, info, outer.n, &rates);
	folds_free(&outer);
	return ret;
}
