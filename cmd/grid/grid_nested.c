/*
 * grid_nested.c - randsvm-grid --nested: what the choice of parameters achieves on unseen rows
 *
 * The best rate of a grid is the largest of many, so that it promises too much.  Here each outer
 * fold is left out of a whole search, and what is chosen there is trained on the search's rows and
 * judged on the fold.  The balance of classes (-w auto) is that of the search's rows too; only the
 * default gamma, which depends on the largest index, is that of all rows:
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
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "base/mem.h"
#include "base/order.h"
#include "common/read_rows.h"
#include "grid.h"

/* The judgement of a fold, while the points of search_run() are one. */
struct judgement {
	const struct machine *machine;
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
		       grid_rate_of(j->machine, answer->predictions, j->row, j->n, &j->rate, err);
}

/*
 * The rate of outer fold k, by the model of the other folds with this training.  All outer folds are
 * predicted with it, which is little work beside the searches.
 */
static int judge_fold(const struct grid_search *whole, const struct folds *outer, int64_t k,
		      const struct training *training, double *rate, struct error *err)
{
	const struct search_column column = { *training, 1, &training->C };
	struct judgement judgement = { .machine = whole->machine,
				       .row = outer->row + outer->start[k],
				       .n = outer->start[k + 1] - outer->start[k] };
	const struct search_observer observer = { .point = judge, .arg = &judgement };
	struct search search = grid_search_of(whole, &observer);
	int ret;

	search.n_folds = grid.n_outer;
	search.column = &column;
	search.n_columns = 1;
	ret = search_run(&search, err);
	*rate = decimal_read_back(judgement.rate, GRID_DIGITS);
	return ret;
}

/*
 * Copy the rows of all folds but k, ascending, as svm-fold --train writes them: a search on its file
 * is the same.
 */
static int gather_outside(const struct dataset *data, const struct folds *outer, int64_t k,
			  struct dataset *part, struct error *err)
{
	int64_t *row = mem_array(data->x.n_rows, sizeof(*row), err), n;
	int ret;

	if (!row)
		return -1;
	n = folds_outside(outer, k, row);
	qsort(row, (size_t)n, sizeof(*row), order_int64s);
	ret = dataset_gather(part, data, row, n, err);
	mem_free(row);
	return ret;
}

/* Search on a part of the rows; where nu is too large for its classes no point is found. */
static int search_part(struct grid_search *inner, struct machine *m, const struct machine *whole,
		       const struct dataset *part, const struct grid_axes *axes, struct error *err)
{
	struct machine_given asked = whole->given;

	asked.takes_libsvm = false;
	asked.training.kernel.gamma = whole->training.kernel.gamma;
	if (machine_init(m, part, &asked, err) < 0) {
		if (m->fault.kind != FAULT_NU)
			return -1;
		*err = (struct error){ 0 };
		return 0;
	}
	m->solver = whole->solver;
	return grid_search_all(inner, axes, err);
}

/*
 * Search on the rows outside of fold k, and judge the choice on the fold: a failed point where none
 * has a rate, or where there are no rows, in the fold or outside.
 */
static int run_fold(const struct grid_search *whole, const struct grid_axes *axes,
		    const struct folds *outer, int64_t k, struct grid_point *choice, double *rate,
		    struct error *err)
{
	const bool is_empty = outer->start[k] == outer->start[k + 1];
	const struct grid_point *found;
	struct dataset part = { 0 };
	struct machine machine = { 0 };
	struct grid_search inner = { .machine = &machine, .progress = whole->progress };
	struct training training;
	int ret = gather_outside(whole->machine->trainer.data, outer, k, &part, err);

	inner.share = 1.0 / (1 + (double)outer->n);
	inner.done = (double)(k + 1) * inner.share;
	if (ret == 0 && part.x.n_rows > 0 && !is_empty)
		ret = search_part(&inner, &machine, whole->machine, &part, axes, err);
	found = grid_points_choice(&inner.points);
	*rate = NAN;
	*choice = found ? *found :
			  (struct grid_point){ .at = { NAN, NAN, NAN },
					       .outcome = GRID_FAILED,
					       .rate = NAN,
					       .error = NAN };
	if (ret == 0 && found) {
		training = grid_training_at(&machine.training, found->at);
		ret = judge_fold(whole, outer, k, &training, rate, err);
	}
	grid_search_free(&inner);
	machine_free(&machine);
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
	struct search search = grid_search_of(g, NULL);

	search.n_folds = grid.n_outer;
	return search_folds(outer, &search, err);
}

void grid_check_nested(const struct grid_search *g)
{
	const struct dataset *data = g->machine->trainer.data;
	int64_t n_groups, left;
	struct folds outer;
	struct error err = { 0 };

	if (make_outer(g, &outer, &err) < 0)
		cli_fail("--nested: %s", err.text);
	n_groups = left = cli_count_groups(data, NULL, data->x.n_rows);
	for (int64_t k = 0; k < outer.n; k++) {
		int64_t first = outer.start[k], n = outer.start[k + 1] - first;

		left = int64_min(left, n_groups - cli_count_groups(data, outer.row + first, n));
	}
	folds_free(&outer);
	if (left < given.n_folds)
		cli_fail("--nested %" PRId64 " leaves %" PRId64 " of %" PRId64
			 " groups to a search, which are not enough for %" PRId64
			 " folds: give -v %" PRId64 " at most",
			 grid.n_outer, left, n_groups, given.n_folds, left);
}

int grid_nested(const struct grid_search *g, const struct grid_axes *axes, struct report *report,
		FILE *info, struct error *err)
{
	struct report *nested = report_object(report, "nested"),
		      *array = report_array(nested, "folds");
	struct grid_point choice;
	struct folds outer = { 0 };
	struct grid_rates rates = { 0 };
	int ret = make_outer(g, &outer, err);

	for (int64_t k = 0; ret == 0 && k < outer.n; k++) {
		double rate;

		ret = run_fold(g, axes, &outer, k, &choice, &rate, err);
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
