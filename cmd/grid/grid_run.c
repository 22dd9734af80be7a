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
#include "base/mem.h"
#include "grid.h"

/* Why nu-SVC cannot be trained at a point. */
#define INFEASIBLE_NU "specified nu is infeasible"

/* A search while it runs: the columns of its call of search_run(). */
struct running {
	struct grid_search *search;
	const struct grid_axes *axes;
	struct search_column *column;
	struct grid_place *place; /* places of the columns */
	int n;
	double *c; /* values of C, ascending */
	int n_c;
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
	if (reason && g->display)
		grid_failed(g->display, reason);
	grid_points_add(&g->points, point);
	if (g->display)
		grid_told(g->display, point);
}

/* Note that the points of a column, which are not known, cannot be trained. */
static void fail_column(const struct running *r, int column)
{
	for (int i = 0; i < r->n_c; i++) {
		struct grid_point point = { .outcome = GRID_FAILED, .rate = NAN, .error = NAN };

		grid_axes_at(r->axes, r->place[column], i, point.at);
		if (!grid_points_find(&r->search->points, point.at))
			add_point(r->search, &point, INFEASIBLE_NU);
	}
}

static bool is_known(const struct running *r, int column)
{
	double at[N_AXES];

	for (int i = 0; i < r->n_c; i++) {
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
		*column =
			(struct search_column){ grid_training_at(&m->training, at), r->n_c, r->c };
		if (is_known(r, r->n))
			continue;
		if (column->training.type == MACHINE_NU_SVC &&
		    !classes_allow_nu(&m->classes, m->trainer.data, column->training.nu))
			fail_column(r, r->n);
		else
			r->n++;
	}
}

static void running_init(struct running *r, struct grid_search *g, const struct grid_axes *axes)
{
	struct error err = { 0 };
	int n;

	*r = (struct running){ .search = g, .axes = axes, .n_c = axes->axis[AXIS_C].n };
	n = grid_columns(axes, &r->place);
	r->column = mem_array(n, sizeof(*r->column), &err);
	r->c = mem_array(r->n_c, sizeof(*r->c), &err);
	cli_check(r->column && r->c ? 0 : -1, &err);
	for (int i = 0; i < r->n_c; i++) {
		double at[N_AXES];

		grid_axes_at(axes, r->place[0], i, at);
		r->c[i] = grid_training_at(&g->machine->training, at).C;
	}
	list_columns(r, n);
}

/* ---- what search_run() tells ---- */

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
	else if (grid_rate(r->search->machine, &r->search->folds, answer->predictions, &point,
			   err) < 0)
		return -1;
	add_point(r->search, &point, answer->failed);
	return 0;
}

/*
 * --race: a point is given up if it would stay behind the best one though all that is left were
 * predicted right.  A point that is known is as it was.
 */
static bool gives_up(void *arg, const struct search_answer *answer)
{
	const struct running *r = arg;
	const struct grid_point *best = grid_points_best(&r->search->points), *known;
	struct error err = { 0 };
	double at[N_AXES], bound;

	grid_axes_at(r->axes, r->place[answer->column], answer->place, at);
	known = grid_points_find(&r->search->points, at);
	if (known)
		return known->outcome == GRID_SKIPPED;
	if (!best || grid_rate_bound(r->search->machine, answer->predictions, &bound, &err) < 0)
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

struct search grid_search_of(const struct grid_search *g, const struct search_observer *observer)
{
	return (struct search){ .machine = g->machine,
				.n_folds = given.n_folds,
				.with_values = grid.measure == MEASURE_AUC ||
					       grid.measure == MEASURE_LOG_LOSS,
				.observer = observer };
}

/* Find the rates of all points of the axes that are not known yet. */
static int search_axes(struct grid_search *g, const struct grid_axes *axes, struct error *err)
{
	struct running running;
	const struct search_observer observer = { .point = take_point,
						  .gives_up = grid.race ? gives_up : NULL,
						  .progress = show_progress,
						  .arg = &running };
	struct search search = grid_search_of(g, &observer);
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

/* Is the point one of the grid of the axes? */
static bool is_on(const struct grid_axes *a, const struct grid_point *p)
{
	for (int k = 0; k < N_AXES; k++) {
		const struct grid_axis *axis = &a->axis[k];
		double place = axis->searched ? (p->at[k] - axis->begin) / axis->step : 0;

		if (!(place > -0.5 && place < axis->n - 0.5) || fabs(place - rint(place)) > 1e-6)
			return false;
	}
	return true;
}

/*
 * The best point of the grid of the axes alone: the middle of a finer grid must not move where a
 * file that is resumed has points of it.  False where none has a rate.
 */
static bool best_of_grid(const struct grid_search *g, const struct grid_axes *a,
			 struct grid_point *middle)
{
	struct grid_points on = { 0 };
	const struct grid_point *best;

	for (int64_t i = 0; i < g->points.n; i++)
		if (is_on(a, &g->points.point[i]))
			grid_points_add(&on, &g->points.point[i]);
	best = grid_points_best(&on);
	if (best)
		*middle = *best;
	grid_points_free(&on);
	return best != NULL;
}

int grid_search_all(struct grid_search *g, const struct grid_axes *axes, struct error *err)
{
	const double done = g->done, share = g->share;
	struct grid_point middle;
	struct grid_axes finer;
	double n, coarse;

	if (!grid.refine)
		return search_axes(g, axes, err);
	/* any place has a finer grid of the same size, but for nu's end */
	finer = grid_axes_finer(axes, (const double[N_AXES]){ 0 });
	n = (double)grid_n_points(axes);
	coarse = n / (n + (double)grid_n_points(&finer));
	g->share = share * coarse;
	if (search_axes(g, axes, err) < 0)
		return -1;
	if (!best_of_grid(g, axes, &middle))
		return 0;
	g->done = done + share * coarse;
	g->share = share * (1 - coarse);
	finer = grid_axes_finer(axes, middle.at);
	return search_axes(g, &finer, err);
}

void grid_search_free(struct grid_search *g)
{
	grid_points_free(&g->points);
	folds_free(&g->folds);
}
