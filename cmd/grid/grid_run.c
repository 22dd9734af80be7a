/*
 * grid_run.c - randsvm-grid: a search, from axes to points
 *
 * grid_search_run() lists the columns of the axes, coarse to fine, and gives those that have a
 * point which is not known to search_run().  A column that a killed run left half done is computed
 * whole: each of its points starts from the one before, so that the rates are, to the last digit,
 * those of a run that was not killed; the points that are known keep what the file says of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/mem.h"
#include "grid.h"

/* Why nu-SVC cannot be trained at a point. */
#define INFEASIBLE_NU "specified nu is infeasible"

/* The columns of one call of search_run(), and the logarithms at their points. */
struct column_list {
	struct search_column *column;
	double (*at)[N_AXES]; /* logarithms of a column; C is that of the axis at the place */
	int n;
	double *c;    /* values of C, ascending */
	int *c_place; /* places on the axis of C of these values */
	int n_c;
};

/* A search while it runs. */
struct running {
	struct grid_search *search;
	const struct grid_axes *axes;
	const struct column_list *list;
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

static struct grid_truth truth_of(const struct grid_search *g)
{
	return (struct grid_truth){ .data = g->machine->trainer.data,
				    .folds = &g->folds,
				    .classifies = machine_classifies(g->machine->training.type) };
}

/* ---- columns ---- */

/* Values of C, ascending whatever the direction of the axis is. */
static void list_c(struct column_list *l, const struct grid_axis *axis, double fixed)
{
	for (int i = 0; i < axis->n; i++) {
		l->c_place[i] = axis->step < 0 ? axis->n - 1 - i : i;
		l->c[i] = axis->searched ? exp2(grid_axis_value(axis, l->c_place[i])) : fixed;
	}
	l->n_c = axis->n;
}

static void place_of(const struct running *r, int column, int place, double *at)
{
	for (int k = 0; k < N_AXES; k++)
		at[k] = r->list->at[column][k];
	at[AXIS_C] = grid_axis_value(&r->axes->axis[AXIS_C], r->list->c_place[place]);
}

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
	for (int i = 0; i < r->list->n_c; i++) {
		struct grid_point point = { .outcome = GRID_FAILED, .rate = NAN, .error = NAN };

		place_of(r, column, i, point.at);
		if (!grid_points_find(&r->search->points, point.at))
			add_point(r->search, &point, INFEASIBLE_NU);
	}
}

static bool is_known(const struct running *r, int column)
{
	double at[N_AXES];

	for (int i = 0; i < r->list->n_c; i++) {
		place_of(r, column, i, at);
		if (!grid_points_find(&r->search->points, at))
			return false;
	}
	return true;
}

/* Add the column of a place to the list, if it has a point to evaluate. */
static void list_column(const struct running *r, struct column_list *l,
			const struct grid_place *place)
{
	const struct machine *m = r->search->machine;
	const struct grid_axis *axis = r->axes->axis;
	double *at = l->at[l->n];
	struct search_column *column = &l->column[l->n];

	at[AXIS_C] = NAN;
	at[AXIS_GAMMA] = grid_axis_value(&axis[AXIS_GAMMA], place->gamma);
	at[AXIS_THIRD] = grid_axis_value(&axis[AXIS_THIRD], place->third);
	*column = (struct search_column){ grid_training_at(&m->training, at), l->n_c, l->c };
	if (is_known(r, l->n))
		return;
	if (column->training.type == MACHINE_NU_SVC &&
	    !classes_allow_nu(&m->classes, m->trainer.data, column->training.nu)) {
		fail_column(r, l->n);
		return;
	}
	l->n++;
}

static bool is_of_shard(int column)
{
	return column % grid.n_shards == grid.shard_number - 1;
}

static void make_list(const struct running *r, struct column_list *l)
{
	const struct grid_axes *axes = r->axes;
	struct error err = { 0 };
	struct grid_place *place;
	int n = grid_columns(axes, &place), n_c = axes->axis[AXIS_C].n;

	l->column = mem_zeroed(n, sizeof(*l->column), &err);
	l->at = mem_zeroed(n, sizeof(*l->at), &err);
	l->c = mem_array(n_c, sizeof(*l->c), &err);
	l->c_place = mem_array(n_c, sizeof(*l->c_place), &err);
	if (err.code != ERR_NONE)
		cli_fail("%s", err.text);
	list_c(l, &axes->axis[AXIS_C], r->search->machine->training.C);
	for (int k = 0; k < n; k++)
		if (is_of_shard(k))
			list_column(r, l, &place[k]);
	mem_free(place);
}

static void free_list(struct column_list *l)
{
	mem_free(l->column);
	mem_free(l->at);
	mem_free(l->c);
	mem_free(l->c_place);
}

/* ---- what search_run() tells ---- */

static int take_point(void *arg, const struct search_answer *answer, struct error *err)
{
	const struct running *r = arg;
	const struct grid_truth truth = truth_of(r->search);
	struct grid_point point = { .rate = NAN,
				    .error = NAN,
				    .seconds = answer->seconds,
				    .n_unfinished = answer->n_unfinished };

	place_of(r, answer->column, answer->place, point.at);
	if (grid_points_find(&r->search->points, point.at))
		return 0;
	if (answer->failed)
		point.outcome = GRID_FAILED;
	else if (answer->n_skipped > 0)
		point.outcome = GRID_SKIPPED;
	else if (grid_rate(&truth, answer->predictions, &point, err) < 0)
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
	const struct grid_truth truth = truth_of(r->search);
	const struct grid_point *best = grid_points_best(&r->search->points), *known;
	struct error err = { 0 };
	double at[N_AXES], bound;

	place_of(r, answer->column, answer->place, at);
	known = grid_points_find(&r->search->points, at);
	if (known)
		return known->outcome == GRID_SKIPPED;
	if (!best || grid_rate_bound(&truth, answer->predictions, &bound, &err) < 0)
		return false;
	return grid_is_better(best->rate, grid_six_digits(bound));
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
				.with_values = grid_needs_values(),
				.warm = true,
				.observer = observer };
}

int grid_search_run(struct grid_search *g, const struct grid_axes *axes, struct error *err)
{
	struct column_list list = { 0 };
	struct running running = { .search = g, .axes = axes, .list = &list };
	const struct search_observer observer = { .point = take_point,
						  .gives_up = grid.race ? gives_up : NULL,
						  .progress = show_progress,
						  .arg = &running };
	struct search search = grid_search_of(g, &observer);
	int ret = 0;

	make_list(&running, &list);
	search.column = list.column;
	search.n_columns = list.n;
	if (list.n > 0 && g->folds.n == 0)
		ret = search_folds(&g->folds, &search, err);
	if (list.n > 0 && ret == 0)
		ret = search_run(&search, err);
	free_list(&list);
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
		return grid_search_run(g, axes, err);
	/* any place has a finer grid of the same size, but for nu's end */
	finer = grid_axes_finer(axes, (const double[N_AXES]){ 0 });
	n = (double)grid_n_points(axes);
	coarse = n / (n + (double)grid_n_points(&finer));
	g->share = share * coarse;
	if (grid_search_run(g, axes, err) < 0)
		return -1;
	if (!best_of_grid(g, axes, &middle))
		return 0;
	g->done = done + share * coarse;
	g->share = share * (1 - coarse);
	finer = grid_axes_finer(axes, middle.at);
	return grid_search_run(g, &finer, err);
}

void grid_search_free(struct grid_search *g)
{
	grid_points_free(&g->points);
	folds_free(&g->folds);
}
