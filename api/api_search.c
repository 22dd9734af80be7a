/*
 * api_search.c - folds, cross validation and search of the public library
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "api.h"
#include "evaluate/machine_train.h"
#include "evaluate/metrics.h"
#include "search/search.h"

/* ---- folds and cross validation ---- */

int rsv_folds(const rsv_rows *rows, int64_t n_folds, int stratified, const struct rsv_run *given,
	      int64_t *fold, struct rsv_error *err)
{
	API_CALL(failed);
	struct folds f = { 0 };
	struct glibc_rand draws;
	struct api_run run;

	if (api_need(fold, "room for folds", &failed) == 0 &&
	    api_need(rows, "rows", &failed) == 0 && api_run_init(&run, given, &failed) == 0 &&
	    (n_folds < 1 || n_folds > rows->data.x.n_rows))
		error_set(&failed, ERR_ARGUMENT, "%" PRId64 " folds of %" PRId64 " rows", n_folds,
			  rows->data.x.n_rows);
	if (failed.code == ERR_NONE) {
		glibc_rand_seed(&draws, (unsigned)run.given.seed);
		folds_of_data(&f, &rows->data, (struct fold_draw){ n_folds, &draws },
			      stratified != 0, &failed);
	}
	for (int64_t k = 0; failed.code == ERR_NONE && k < f.n; k++)
		for (int64_t i = f.start[k]; i < f.start[k + 1]; i++)
			fold[f.row[i]] = k;
	folds_free(&f);
	return api_status(&failed, err);
}

/* Less than two folds leave no rows to train on, but where folds are given. */
static int check_folds(int64_t n_folds, const struct dataset *d, struct error *err)
{
	for (int64_t i = 0; d->fold && i < d->x.n_rows; i++)
		if (d->fold[i] < -1 || d->fold[i] >= n_folds)
			return error_set(err, ERR_ARGUMENT,
					 "row %" PRId64 " is in fold %" PRId64 " of %" PRId64, i,
					 d->fold[i], n_folds);
	if (d->fold ? n_folds > 0 && n_folds <= d->x.n_rows : n_folds >= 2 && d->x.n_rows >= 2)
		return 0;
	return error_set(err, ERR_ARGUMENT, "%" PRId64 " folds of %" PRId64 " rows", n_folds,
			 d->x.n_rows);
}

int rsv_cross_validate(const rsv_rows *rows, const struct rsv_training *training, int64_t n_folds,
		       const struct rsv_run *given, double *predicted, struct rsv_error *err)
{
	API_CALL(failed);
	struct machine m = { 0 };
	struct cv_predictions c = { .predicted = predicted };
	struct api_run run;

	if (api_need(predicted, "room for predictions", &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0 &&
	    api_machine_init(&m, rows, training, &run, &failed) == 0) {
		m.trainer.certifies = false;
		if (check_folds(n_folds, &rows->data, &failed) == 0)
			machine_validate(&m, n_folds, NULL, NULL, &c, &failed);
	}
	machine_free(&m);
	return api_status(&failed, err);
}

/* ---- search ---- */

/* A search on its way from columns to points. */
struct grid_search {
	struct dataset data; /* the rows, borrowed, with the folds given */
	const struct rsv_run *run;
	struct rsv_grid grid;
	int n_c, n_columns; /* values of C and of gamma; 1, of the training, where none are given */
	bool regresses;
	struct rsv_point *point;
	struct search_column *column;
};

static int tell_point(void *arg, const struct search_answer *answer, struct error *err UNUSED)
{
	struct grid_search *g = arg;
	const struct search_column *column = &g->column[answer->column];
	const struct cv_predictions *p = answer->predictions;
	const struct dataset *d = &g->data;
	struct metrics m = { 0 };
	struct rsv_point *point = &g->point[(int64_t)answer->column * column->n + answer->place];

	for (int64_t i = 0; i < p->n_rows; i++)
		if (!d->fold || d->fold[i] >= 0)
			metrics_add(&m, p->predicted[i], d->y[i], dataset_weight(d, i));
	if (!answer->failed)
		point->rate = g->regresses ? metrics_mse(&m) : metrics_accuracy(&m);
	if (isinf(point->rate)) /* of squares beyond doubles, which are no measure of a point */
		point->rate = NAN;
	point->n_unfinished = answer->n_unfinished;
	if (g->grid.found)
		g->grid.found(g->grid.arg, point, p->predicted);
	if (g->grid.found_values)
		g->grid.found_values(g->grid.arg, point, p->predicted, p->value, p->n_values);
	return 0;
}

static void tell_share(void *arg, double done)
{
	const struct grid_search *g = arg;

	if (g->run->progress)
		g->run->progress(g->run->arg, done);
}

static int check_grid(const struct rsv_grid *grid, const struct machine *m, struct error *err)
{
	if (grid->n_c > 0 && !machine_has_cost(m->training.type))
		return error_set(err, ERR_ARGUMENT, "the machine has no C");
	if (grid->n_gamma > 0 && !kernel_has_gamma(m->training.kernel.type))
		return error_set(err, ERR_ARGUMENT, "the kernel has no gamma");
	if (m->given.options.budget > 0)
		return error_set(err, ERR_ARGUMENT, "a budget is not for searches");
	if (grid->n_c < 0 || grid->n_gamma < 0 || (grid->n_c > 0 && !grid->c) ||
	    (grid->n_gamma > 0 && !grid->gamma))
		return error_set(err, ERR_ARGUMENT, "values of a grid are missing");
	for (int k = 0; k < grid->n_c; k++)
		if (!(grid->c[k] > 0) || !isfinite(grid->c[k]) ||
		    (k > 0 && grid->c[k] <= grid->c[k - 1]))
			return error_set(err, ERR_ARGUMENT,
					 "values of C do not ascend from above 0");
	for (int k = 0; k < grid->n_gamma; k++)
		if (!(grid->gamma[k] > 0) || !isfinite(grid->gamma[k]))
			return error_set(err, ERR_ARGUMENT, "a gamma of %g", grid->gamma[k]);
	return check_folds(grid->n_folds, m->trainer.data, err);
}

/* The columns of the grid, with points that are not known yet. */
static int make_columns(struct grid_search *g, const struct training *training, struct error *err)
{
	const double *c = g->grid.n_c > 0 ? g->grid.c : &training->C;

	g->column = mem_zeroed(g->n_columns, sizeof(*g->column), err);
	if (!g->column)
		return -1;
	for (int64_t k = 0; k < g->n_columns; k++) {
		struct search_column *column = &g->column[k];

		*column = (struct search_column){ *training, g->n_c, c };
		if (g->grid.n_gamma > 0)
			column->training.kernel.gamma = g->grid.gamma[k];
		for (int place = 0; place < g->n_c; place++)
			g->point[k * g->n_c + place] = (struct rsv_point){
				.C = c[place], .gamma = column->training.kernel.gamma, .rate = NAN
			};
	}
	return 0;
}

static int search(struct grid_search *g, const struct machine *m, struct error *err)
{
	const struct search_observer observer = { .point = tell_point,
						  .progress = tell_share,
						  .arg = g };
	struct search s = { .machine = m,
			    .n_columns = g->n_columns,
			    .n_folds = g->grid.n_folds,
			    .with_values = g->grid.found_values != NULL,
			    .observer = &observer };

	if (make_columns(g, &m->training, err) < 0)
		return -1;
	s.column = g->column;
	return search_run(&s, err);
}

static bool is_better(const struct rsv_point *a, const struct rsv_point *b, bool less)
{
	if (isnan(a->rate) || a->rate == b->rate)
		return !isnan(a->rate) && (a->C < b->C || (a->C == b->C && a->gamma < b->gamma));
	return isnan(b->rate) || (less ? a->rate < b->rate : a->rate > b->rate);
}

static int64_t best_point(const struct grid_search *g, int64_t n, struct error *err)
{
	int64_t best = 0;

	for (int64_t k = 1; k < n; k++)
		if (is_better(&g->point[k], &g->point[best], g->regresses))
			best = k;
	if (isnan(g->point[best].rate))
		return error_set(err, ERR_NUMERIC, "no point has a rate");
	return best;
}

int64_t rsv_search(const rsv_rows *rows, const struct rsv_training *training,
		   const struct rsv_grid *grid, const struct rsv_run *given,
		   struct rsv_point *point, struct rsv_error *err)
{
	API_CALL(failed);
	struct machine m = { 0 };
	struct api_run run;
	struct grid_search g = { .point = point };
	int64_t best = -1;

	rsv_grid_init(&g.grid);
	if (api_read_struct(&g.grid, sizeof(g.grid), grid, "grid", &failed) == 0 &&
	    api_need(point, "room for points", &failed) == 0 &&
	    api_begin(&run, given, &failed) == 0 &&
	    api_machine_init(&m, rows, training, &run, &failed) == 0) {
		g.data = rows->data;
		g.data.fold = g.grid.fold;
		m.trainer.data = &g.data;
		g.n_c = g.grid.n_c > 0 ? g.grid.n_c : 1;
		g.n_columns = g.grid.n_gamma > 0 ? g.grid.n_gamma : 1;
		g.run = &run.given;
		g.regresses = machine_is_regression(m.training.type);
		if (check_grid(&g.grid, &m, &failed) == 0)
			search(&g, &m, &failed);
	}
	if (failed.code == ERR_NONE)
		best = best_point(&g, (int64_t)g.n_c * g.n_columns, &failed);
	mem_free(g.column);
	machine_free(&m);
	return api_status(&failed, err) < 0 ? -1 : best;
}
