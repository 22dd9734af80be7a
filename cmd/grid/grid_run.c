/*
 * grid_run.c - randsvm-grid: a search, from axes to points
 *
 * search_axes() lists the columns of the axes, coarse to fine, and gives those that have a
 * point which is not known to search_run().  A column that a killed run left half done is computed
 * whole: each of its points starts from the one before, so that the rates are, to the last digit,
 * those of a run that was not killed; the points that are known keep what the file says of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/decimal.h"
#include "base/moments.h"
#include "base/order.h"
#include "grid.h"

/* Why nu-SVC cannot be trained at a point. */
#define INFEASIBLE_NU "specified nu is infeasible"

/* A search while it runs: the columns of its call of search_run(). */
struct running {
	struct grid_search *search;
	const struct grid_axis *axes;
	struct search_column *column;
	struct grid_place *place; /* places of the columns */
	int n;
	double *c; /* values of C, ascending */
};

struct training grid_training_at(const struct training *base, const double *at)
{
	struct training t = *base;

	if (!isnan(at[AXIS_C]))
		t.C = exp2(at[AXIS_C]);
	if (!isnan(at[AXIS_GAMMA]))
		t.kernel.gamma = exp2(at[AXIS_GAMMA]);
	if (isnan(at[AXIS_THIRD]))
		return t;
	if (t.type == MACHINE_EPSILON_SVR)
		t.p = exp2(at[AXIS_THIRD]);
	else
		t.nu = fmin(1, exp2(at[AXIS_THIRD]));
	return t;
}

/* ---- columns ---- */

/* Note a point; 'reason': why it has no rate, or NULL. */
static void add_point(struct grid_search *g, const struct grid_point *point, const char *reason)
{
	grid_points_add(&g->points, point);
	if (g->display)
		grid_told(g->display, point, reason);
}

/* Note that the points of a column, which are not known, cannot be trained. */
static void fail_column(const struct running *r, int column)
{
	for (int i = 0; i < r->axes[AXIS_C].n; i++) {
		struct grid_point point = { .outcome = GRID_FAILED, .rate = NAN, .error = NAN };

		grid_axes_at(r->axes, r->place[column], i, point.at);
		if (!grid_points_find(&r->search->points, point.at))
			add_point(r->search, &point, INFEASIBLE_NU);
	}
}

static bool is_known(const struct running *r, int column)
{
	double at[N_AXES];

	for (int i = 0; i < r->axes[AXIS_C].n; i++) {
		grid_axes_at(r->axes, r->place[column], i, at);
		if (!grid_points_find(&r->search->points, at))
			return false;
	}
	return true;
}

/* Keep those of the n columns of all places that are of the shard and have a point to evaluate. */
static void list_columns(struct running *r, int n)
{
	const struct machine *m = r->search->machine;
	double at[N_AXES];

	for (int k = 0; k < n; k++) {
		struct search_column *column = &r->column[r->n];

		if (k % grid.n_shards != grid.shard_number - 1)
			continue;
		r->place[r->n] = r->place[k];
		grid_axes_at(r->axes, r->place[k], 0, at);
		*column = (struct search_column){ grid_training_at(&m->training, at),
						  r->axes[AXIS_C].n, r->c };
		if (is_known(r, r->n))
			continue;
		if (column->training.type == MACHINE_NU_SVC &&
		    !classes_allow_nu(&m->classes, m->trainer.data, column->training.nu))
			fail_column(r, r->n);
		else
			r->n++;
	}
}

static void running_init(struct running *r, struct grid_search *g, const struct grid_axis *axes)
{
	int n;

	*r = (struct running){ .search = g, .axes = axes };
	n = grid_columns(axes, &r->place);
	r->column = cli_zeroed(n, sizeof(*r->column));
	r->c = cli_zeroed(r->axes[AXIS_C].n, sizeof(*r->c));
	for (int i = 0; i < r->axes[AXIS_C].n; i++) {
		double at[N_AXES];

		grid_axes_at(axes, r->place[0], i, at);
		r->c[i] = grid_training_at(&g->machine->training, at).C;
	}
	list_columns(r, n);
}

/* ---- what search_run() tells ---- */

/* Rate and standard error of a point, over all rows of the machine and over the folds. */
static int find_rate(const struct machine *m, const struct folds *f, const struct cv_predictions *c,
		     struct grid_point *point, struct error *err)
{
	struct moments rates = { 0 };
	double rate;

	/* the standard error is that of the folds that have a rate */
	for (int64_t k = 0; k < f->n; k++) {
		if (grid_rate_of(m, c, f->row + f->start[k], f->start[k + 1] - f->start[k], &rate,
				 err) < 0)
			return -1;
		if (!isnan(rate))
			moments_add(&rates, rate, 1);
	}
	if (grid_rate_of(m, c, NULL, c->n_rows, &rate, err) < 0)
		return -1;
	point->rate = decimal_read_back(rate, GRID_DIGITS);
	point->error = rates.n > 1 ?
			       decimal_read_back(sqrt(rates.squares / rates.n / (rates.n - 1)),
						 GRID_DIGITS) :
			       NAN;
	return 0;
}

static int take_point(void *arg, const struct search_answer *answer, struct error *err)
{
	const struct running *r = arg;
	struct grid_point point = { .rate = NAN,
				    .error = NAN,
				    .seconds = answer->seconds,
				    .n_unfinished = answer->n_unfinished };

	grid_axes_at(r->axes, r->place[answer->column], answer->place, point.at);
	if (grid_points_find(&r->search->points, point.at))
		return 0;
	if (answer->failed)
		point.outcome = GRID_FAILED;
	else if (answer->n_skipped > 0)
		point.outcome = GRID_SKIPPED;
	else if (find_rate(r->search->machine, &r->search->folds, answer->predictions, &point,
			   err) < 0)
		return -1;
	add_point(r->search, &point, answer->failed);
	return 0;
}

/*
 * What the rate is at best, if all rows that have no prediction are right; of the measures that
 * --race is for
 */
static int rate_bound(const struct machine *m, const struct cv_predictions *c, double *rate,
		      struct error *err)
{
	struct cv_predictions hopeful = *c;
	int ret;

	hopeful.predicted = mem_array(c->n_rows, sizeof(*hopeful.predicted), err);
	if (!hopeful.predicted)
		return -1;
	for (int64_t i = 0; i < c->n_rows; i++)
		hopeful.predicted[i] =
			isnan(c->predicted[i]) ? m->trainer.data->y[i] : c->predicted[i];
	ret = grid_rate_of(m, &hopeful, NULL, c->n_rows, rate, err);
	mem_free(hopeful.predicted);
	return ret;
}

/*
 * --race: a point is given up if it would stay behind the best one though all that is left were
 * predicted right.  A point that is known is as it was.
 */
static bool gives_up(void *arg, const struct search_answer *answer)
{
	const struct running *r = arg;
	const struct grid_point *best = grid_points_best(&r->search->points, NULL), *known;
	struct error err = { 0 };
	double at[N_AXES], bound;

	grid_axes_at(r->axes, r->place[answer->column], answer->place, at);
	known = grid_points_find(&r->search->points, at);
	if (known)
		return known->outcome == GRID_SKIPPED;
	if (!best || rate_bound(r->search->machine, answer->predictions, &bound, &err) < 0)
		return false;
	return grid_is_better(best->rate, decimal_read_back(bound, GRID_DIGITS));
}

static void show_progress(void *arg, double done)
{
	const struct running *r = arg;
	struct grid_search *g = r->search;
	struct cli_progress *p = g->progress;
	double all = g->done + done * g->share;

	if (all > 0)
		cli_progress_text(p, "%3.0f%%, %.0f s left", 100 * all,
				  (cli_seconds() - p->started) * (1 - all) / all);
}

static struct search grid_search_of(const struct grid_search *g, int64_t n_folds,
				    const struct search_observer *observer)
{
	return (struct search){ .machine = g->machine,
				.n_folds = n_folds,
				.with_values = grid.measure == MEASURE_AUC ||
					       grid.measure == MEASURE_LOG_LOSS,
				.observer = observer };
}

/* Find the rates of all points of the axes that are not known yet. */
static int search_axes(struct grid_search *g, const struct grid_axis *axes, struct error *err)
{
	struct running running;
	const struct search_observer observer = { .point = take_point,
						  .gives_up = grid.race ? gives_up : NULL,
						  .progress = show_progress,
						  .arg = &running };
	struct search search = grid_search_of(g, given.n_folds, &observer);
	int ret = 0;

	running_init(&running, g, axes);
	search.column = running.column;
	search.n_columns = running.n;
	if (running.n > 0 && g->folds.n == 0)
		ret = search_folds(&g->folds, &search, err);
	if (running.n > 0 && ret == 0)
		ret = search_run(&search, err);
	mem_free_all(running.column, running.place, running.c);
	return ret;
}

int grid_search_all(struct grid_search *g, const struct grid_axis *axes, struct error *err)
{
	const double done = g->done, share = g->share;
	const struct grid_point *middle;
	struct grid_axis finer[N_AXES];
	double n, coarse;

	if (!grid.refine)
		return search_axes(g, axes, err);
	/* any place has a finer grid of the same size, but for nu's end */
	grid_axes_finer(axes, (const double[N_AXES]){ 0 }, finer);
	n = (double)grid_n_points(axes);
	coarse = n / (n + (double)grid_n_points(finer));
	g->share = share * coarse;
	if (search_axes(g, axes, err) < 0)
		return -1;
	/* of this grid alone: the middle must not move where a file that is resumed has finer points */
	middle = grid_points_best(&g->points, axes);
	if (!middle)
		return 0;
	g->done = done + share * coarse;
	g->share = share * (1 - coarse);
	grid_axes_finer(axes, middle->at, finer);
	return search_axes(g, finer, err);
}

void grid_search_free(struct grid_search *g)
{
	grid_points_free(&g->points);
	folds_free(&g->folds);
}

/*
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
 */

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
	struct search search = grid_search_of(whole, grid.n_outer, &observer);
	int ret;

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
		       const struct dataset *part, const struct grid_axis *axes, struct error *err)
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
static int run_fold(const struct grid_search *whole, const struct grid_axis *axes,
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

	fprintf(info, "[outer %" PRId64 "/%" PRId64 "] ", k + 1, n);
	if (choice->outcome == GRID_FAILED) {
		fputs("failed\n", info);
	} else {
		grid_print_logarithms(info, choice);
		fprintf(info, "%s (left out rate=%s)\n", GRID_NUMBER(choice->rate),
			GRID_NUMBER(rate));
	}
	cli_flush(info);
	grid_report_point(choice, item);
	report_number(item, "left_out_rate", rate);
}

static void tell_mean(struct report *nested, FILE *info, int64_t n, const struct moments *rates)
{
	double mean = rates->n > 0 ? moments_mean(rates) : NAN;
	double deviation = rates->n > 1 ? sqrt(rates->squares / (rates->n - 1)) : NAN;

	fprintf(info, "[outer] mean rate=%g, standard deviation %g", mean, deviation);
	if (rates->n < (double)n)
		fprintf(info, ", of the %.0f folds that have a rate", rates->n);
	fputc('\n', info);
	report_number(nested, "mean", mean);
	report_number(nested, "standard_deviation", deviation);
}

static int make_outer(const struct grid_search *g, struct folds *outer, struct error *err)
{
	const struct search search = grid_search_of(g, grid.n_outer, NULL);

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

int grid_nested(const struct grid_search *g, const struct grid_axis *axes, struct report *report,
		FILE *info, struct error *err)
{
	struct report *nested = report_object(report, "nested"),
		      *array = report_array(nested, "folds");
	struct grid_point choice;
	struct folds outer = { 0 };
	struct moments rates = { 0 };
	int ret = make_outer(g, &outer, err);

	for (int64_t k = 0; ret == 0 && k < outer.n; k++) {
		double rate;

		ret = run_fold(g, axes, &outer, k, &choice, &rate, err);
		if (ret < 0)
			break;
		cli_progress_pause(g->progress);
		tell_fold(array, info, k, outer.n, &choice, rate);
		if (!isnan(rate))
			moments_add(&rates, rate, 1);
	}
	if (ret == 0)
		tell_mean(nested, info, outer.n, &rates);
	folds_free(&outer);
	return ret;
}
