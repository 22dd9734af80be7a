/*
 * search_columns.c - columns whose points share kernel values: threads, order, answers
 *
 * How this works.  Folds of columns are tasks, in this order:
 *
 *     column 0: fold 0, fold 1, ...   column 1: fold 0, fold 1, ...   ...
 *
 * A column's matrix is made by the thread that gets its first task, while those that get the next
 * wait; after its last its memory is the next one's.  So threads that find no fold left of a column
 * begin the next one, and at most MOST_MATRICES matrices are alive.  Answers are told in the order
 * of the columns.
 *
 * Where points may be given up columns are run one by one, in two parts: what is asked in between
 * depends on the columns before alone.
 *
 * Each task writes to the rows of its own fold, in the answers of its column; all else that tasks
 * share is under one lock.
 *
 * What the kernels share:
 *
 *     rows       fold 0: class a, class b, ...   fold 1: class a, class b, ...
 *     matrix     K(x, z) of any two of them, for one kernel after the other
 *     sparse     in its place, the rows of linear kernels, whose products are computed when wanted
 *
 * So the rows of a fold are a part of each row of the matrix, and those outside are two.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <pthread.h>

#include "base/clock.h"
#include "base/thread.h"
#include "evaluate/machine_train.h"
#include "kernel/kernel_lanes.h"
#include "model/predict.h"
#include "problem/solution.h"
#include "search/search_work.h"

/*
 * Rows up to which all kernel values are kept: a matrix takes 2 GB then.  It must fit into ROOM of
 * the kernel cache; where twice as much does, threads may have MOST_MATRICES at the same time.
 */
#define MOST_ROWS 16384
#define ROOM 0.5
#define MOST_MATRICES 2

/*
 * When a matrix pays.  Memory that the system has to clear first takes about PAGES_COST ns for each
 * pair of rows, once for all columns.  Training at a point takes POINT_COST, and ENTRY_COST for
 * each entry of a row, of five folds and any number of classes: 7 to 17 ns of heart, diabetes,
 * letter, a1a and svmguide1, 27 of satimage, 40 of usps.  Clearing may be a quarter of a column's
 * time, which is less than the matrix wins of it.  At a single C a matrix saves nothing but values
 * that several folds compute: nothing for letter, half of the processor time for usps, whose rows
 * have 256 entries.
 *
 * Up to SMALL_BYTES, with which a search of one gamma stays at svm-train's cache of 100 MB, two
 * points are enough.  (twonorm@3100 of two gammas has two matrices on two threads, and 184 MB.)  Processor seconds of log2c 1,5,4 at one gamma without and with a matrix, MB: digits .07
 * (7), .04 (30); a1a .06 (12), .05 (32); dna .48 (51), .21 (100); svmguide1 .22 (28), .16 (100);
 * twonorm@3000 .13 (19), .10 (86); letter@3100 .35 (9), .30 (85).
 */
#define PAGES_COST 8.0
#define POINT_COST 8.0
#define ENTRY_COST 0.125
#define SMALL_BYTES (80 * MEGABYTE)
#define MANY_ENTRIES 64

/* ---- The answers of a column's points, from nothing known to what is told ---- */

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

/* ---- Rows and kernel values ---- */

/* Rows in the order of the folds, and within a fold of the classes, with what all kernels share. */
struct search_rows {
	struct dataset data;
	int64_t *row;		    /* row of the search's data that each row is */
	int64_t *place;		    /* 0, 1, ...: the order of problem_sort() */
	struct product_rows sparse; /* rows for linear kernels; else empty */
};

static void search_rows_free(struct search_rows *r)
{
	product_rows_free(&r->sparse);
	dataset_free(&r->data);
	mem_free_all(r->row, r->place);
	*r = (struct search_rows){ 0 };
}

/*
 * List the rows of no fold, and of each, those of a fold by class; rank[i] is the place of row i by
 * class.
 */
static void order_rows(const struct folds *f, const int64_t *rank, int64_t *row)
{
	for (int64_t k = -1; k < f->n; k++) {
		const int64_t first = k < 0 ? 0 : f->start[k];

		for (int64_t i = first; i < f->start[k + 1]; i++) {
			int64_t j = i;

			/* folds are mostly in the order of the classes already */
			for (; j > first && rank[row[j - 1]] > rank[f->row[i]]; j--)
				row[j] = row[j - 1];
			row[j] = f->row[i];
		}
	}
}

/* Copy the rows, for linear kernels as sparse ones too; ERR_MEMORY. */
static int search_rows_init(struct search_rows *r, const struct search_run *run, bool is_linear,
			    struct error *err)
{
	const struct trainer *t = &run->machine->trainer;
	const struct classes *classes = &run->machine->classes;
	int64_t n = t->data->x.n_rows;
	int64_t *rank = mem_zeroed(n, sizeof(*rank), err);

	*r = (struct search_rows){ 0 };
	r->row = mem_array(n, sizeof(*r->row), err);
	r->place = mem_array(n, sizeof(*r->place), err);
	if (err->code == ERR_NONE) {
		/* the class of each row; without classes rows keep the order of their fold */
		count_up(r->place, n);
		for (int c = 0; c < classes->n; c++)
			for (int64_t k = classes->start[c]; k < classes->start[c + 1]; k++)
				rank[classes->row[k]] = c;
		order_rows(&run->folds, rank, r->row);
	}
	mem_free(rank);
	if (err->code == ERR_NONE && dataset_gather(&r->data, t->data, r->row, n, err) == 0 &&
	    (!is_linear || product_rows_init(&r->sparse, &r->data.x, err) == 0))
		return 0;
	search_rows_free(r);
	return -1;
}

/*
 * Make the matrix of the rows, if any, on n_threads threads; ERR_MEMORY
 *
 * '*k' is zeroed, or has the matrix of another kernel, whose memory is used again.
 */
static int search_kernel_init(struct search_kernel *k, const struct search_rows *r,
			      const struct kernel *kernel, int n_threads, struct error *err)
{
	if (r->sparse.norm2) {
		k->sparse = &r->sparse;
		return 0;
	}
	return (k->matrix.wide_own ? kernel_matrix_refill_doubles : kernel_matrix_init_doubles)(
		&k->matrix, &r->data.x, kernel, n_threads, err);
}

/* ---- All points of a column, without one fold ---- */

/*
 *     classes       of the rows outside the fold, in the order that svm-train finds them in
 *     machines      one for each pair of them, or one of a regression: each for all values of C
 *     value         [n_values][n_c][n_out]: decision values of the rows left out
 *     predictions   from the values of a row at a point: votes, or the value
 */

/* The work on a fold: rows outside, their classes, and the values of the rows left out. */
struct fold_work {
	const struct search_run *run;
	const struct search_rows *rows;
	const struct search_kernel *kernel;
	const struct search_column *column;
	int64_t fold;
	const struct search_answers *answers;
	struct search_figures *figures; /* of each point */
	/* made by work_init() */
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
	const struct search_run *run = w->run;
	int64_t n_rows = w->rows->data.x.n_rows, *at = mem_array(n_rows, sizeof(*at), err);

	w->row = mem_array(n_rows, sizeof(*w->row), err);
	w->y = mem_array(n_rows, sizeof(*w->y), err);
	if (at && w->row && w->y) {
		for (int64_t i = 0; i < n_rows; i++)
			at[w->rows->row[i]] = i;
		w->outside.n = folds_outside(&run->folds, w->fold, w->row);
		for (int64_t i = 0; i < w->outside.n; i++) {
			w->row[i] = at[w->row[i]];
			w->y[i] = w->rows->data.y[w->row[i]];
		}
	}
	mem_free(at);
	w->outside.row = w->row;
	w->outside.y = w->y;
	return err->code == ERR_NONE ? 0 : -1;
}

static int work_init(struct fold_work *w, struct error *err)
{
	const struct folds *folds = &w->run->folds;

	w->training = w->column->training;
	w->training.C = 1;
	w->first = folds->start[w->fold];
	w->n_out = folds->start[w->fold + 1] - w->first;
	if (list_outside(w, err) < 0)
		return -1;
	if (w->run->classifies && w->outside.n > 0 &&
	    classes_init_list(&w->classes, &w->outside, err) < 0)
		return -1;
	w->n_values = w->run->classifies ? solution_n_pairs(w->classes.n) : 1;
	w->value = mem_array(w->column->n * w->n_out * w->n_values, sizeof(*w->value), err);
	return err->code == ERR_NONE ? 0 : -1;
}

/* Train the machine of pair q of the classes, or of the regression, its rows in their order. */
static int run_machine(const struct fold_work *w, int64_t q, struct error *err)
{
	const struct search_run *run = w->run;
	const struct dataset *data = &w->rows->data;
	const struct search_machine_options o = { .kernel = w->kernel,
						  .solver = run->machine->trainer.solver,
						  .eps = w->training.eps,
						  .c = w->column->c,
						  .n_c = w->column->n,
						  .first = w->first,
						  .n_out = w->n_out };
	struct problem p = { 0 };
	int ret;

	if (run->classifies)
		ret = classes_pair_problem(&p, &w->classes, classes_choice(w->classes.n, q, true),
					   data, &w->training, err);
	else
		ret = single_problem_list(&p, data, &w->training, &w->outside, err);
	if (ret == 0)
		ret = problem_sort(&p, w->rows->place, err);
	if (ret == 0)
		ret = search_machine_run(&p.view, &o, w->value + q * o.n_c * w->n_out, w->figures,
					 err);
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
	struct cv_predictions *found = &w->answers->point[point].found;

	for (int64_t k = 0; k < w->n_out; k++) {
		struct row_prediction prediction = { .by = p, .values = value };

		for (int64_t q = 0; q < w->n_values; q++)
			value[q] = w->value[(q * w->column->n + point) * w->n_out + k];
		prediction.predicted = w->n_values > 0	? predictor_decide(p, value, scratch) :
				       w->classes.n > 0 ? w->classes.label[0] :
							  NAN;
		cv_predictions_set(found, w->rows->row[w->first + k], &prediction);
	}
}

static int predict_points(const struct fold_work *w, struct error *err)
{
	static const struct model no_model;
	const struct predictor p = { .model = &no_model,
				     .kind = w->run->classifies ? PREDICTS_CLASS : PREDICTS_VALUE,
				     .n_class = w->run->classifies ? w->classes.n : 2,
				     .label = w->classes.label,
				     .n_values = w->n_values };
	int *votes = mem_array(p.n_class, sizeof(*votes), err);
	double *value = mem_array(p.n_values, sizeof(*value), err);
	struct predictor_scratch scratch = { .votes = votes };

	for (int k = 0; votes && value && k < w->column->n; k++)
		if (!w->figures[k].given_up)
			predict(w, &p, k, &scratch, value);
	mem_free_all(votes, value);
	return votes && value ? 0 : -1;
}

/*
 * Train without the fold at all points of the column, and predict its rows: fills the rows of the
 * fold in the predictions of the points, and the figures.
 */
static int run_fold(struct fold_work *w, struct error *err)
{
	int ret = work_init(w, err);
	/* without rows to train on nothing is predicted, and one class needs no machine */
	int64_t n_machines = ret < 0 || w->outside.n == 0 ? 0 : w->n_values;

	for (int64_t q = 0; q < n_machines && ret == 0; q++)
		ret = run_machine(w, q, err);
	if (ret == 0 && w->outside.n > 0)
		ret = predict_points(w, err);
	classes_free(&w->classes);
	mem_free_all(w->row, w->y, w->value);
	return ret;
}

/* ---- When matrices pay ---- */

/* Do so many matrices of all rows fit into the memory they may take? */
static bool has_room(const struct trainer *t, int n_matrices)
{
	double n = (double)t->data->x.n_rows;

	return n_matrices * n * n * sizeof(double) <= ROOM * t->solver->cache_mb * MEGABYTE;
}

enum matrix_state { MATRIX_UNKNOWN, MATRIX_IN_WORK, MATRIX_KNOWN };

/* A column while its folds are run. */
struct column_run {
	enum matrix_state state;
	struct search_kernel kernel;
	int64_t n_done; /* folds done of the present part */
	struct search_answers answers;
};

/* All columns, and which folds of them are run. */
struct columns_run {
	const struct search_run *run;
	struct search_rows rows;
	/* matrices of columns that are done, whose memory the next ones take */
	struct search_kernel spare[MOST_MATRICES];
	int n_spare;
	int first, end;
	int64_t first_fold, n_folds; /* the folds of the present part */
	bool last_part;
	struct column_run *column; /* by number less 'first' */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int n_matrices; /* matrices alive or in work, at most most_matrices */
	int most_matrices;
	struct error failure; /* of a task or the observer: no other task waits any more */
	int64_t n_tasks_done; /* folds done, those of all columns before the first included */
};

/* Can values of the kernel be shared, and does a linear one have rows that suit it? */
static bool has_fitting_kernel(const struct search_run *run, const struct kernel *kernel)
{
	if (kernel->type == KERNEL_LINEAR)
		return product_rows_suit(&run->machine->trainer.data->x);
	return (kernel->type == KERNEL_RBF || kernel->type == KERNEL_POLYNOMIAL) &&
	       kernel_is_definite(kernel) && has_room(&run->machine->trainer, 1);
}

/* Is a matrix worth the memory?  On it no other column has a say: see search_run(). */
static bool matrix_pays(const struct csr *x, int n_points)
{
	double n = (double)x->n_rows, entries = (double)x->row_start[x->n_rows] / n;

	if (n_points == 1 && entries < MANY_ENTRIES)
		return false;
	return n * n * sizeof(double) <= SMALL_BYTES ||
	       n_points * (POINT_COST + ENTRY_COST * entries) >= 4 * PAGES_COST;
}

bool search_may_share(const struct search_run *run, int column)
{
	const struct training *t = &run->s->column[column].training;
	const struct trainer *trainer = &run->machine->trainer;
	const struct csr *x = &trainer->data->x;
	double largest = 0;

	if (x->n_rows > MOST_ROWS || run->machine->given.one_vs_rest || t->squared_loss ||
	    t->probability || !trainer->solver->warm_start ||
	    trainer->options->mode != WORKING_SET_EXACT ||
	    (t->type != MACHINE_C_SVC && t->type != MACHINE_EPSILON_SVR) ||
	    !has_fitting_kernel(run, &t->kernel) ||
	    (t->kernel.type != KERNEL_LINEAR && !matrix_pays(x, run->s->column[column].n)))
		return false;
	if (t->kernel.type == KERNEL_RBF)
		return !kernel_has_far(&t->kernel, x);
	for (int64_t i = 0; i < x->n_rows; i++)
		largest = fmax(largest, kernel_diagonal(&t->kernel, csr_row_norm2(x, i)));
	/* values that overflow are another matter: trainings tell what they mean */
	return isfinite(largest * largest);
}

/* Wait until the column has a matrix, or make it; -1 where that fails, or another task has. */
static int open_column(struct columns_run *c, int k, struct error *err)
{
	struct column_run *column = &c->column[k - c->first];
	const struct kernel *kernel = &c->run->s->column[k].training.kernel;
	/* where only one matrix is alive all threads wait for it, and may help to make it */
	const int n_threads =
		c->most_matrices > 1 ? 1 : c->run->machine->trainer.options->n_threads;
	double started = 0;
	int ret = 0;

	pthread_mutex_lock(&c->lock);
	while (c->failure.code == ERR_NONE &&
	       (column->state == MATRIX_IN_WORK ||
		(column->state == MATRIX_UNKNOWN && c->n_matrices >= c->most_matrices)))
		pthread_cond_wait(&c->changed, &c->lock);
	if (c->failure.code != ERR_NONE || column->state == MATRIX_KNOWN) {
		ret = c->failure.code != ERR_NONE ? error_pass(err, &c->failure) : 0;
		pthread_mutex_unlock(&c->lock);
		return ret;
	}
	column->state = MATRIX_IN_WORK;
	c->n_matrices++;
	if (c->n_spare > 0)
		column->kernel = c->spare[--c->n_spare];
	pthread_mutex_unlock(&c->lock);
	started = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
	if (!column->answers.point)
		ret = search_answers_init(&column->answers, c->run, k, err);
	if (ret == 0)
		ret = search_kernel_init(&column->kernel, &c->rows, kernel, n_threads, err);
	started = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - started;
	for (int i = 0; ret == 0 && i < column->answers.n_points; i++)
		column->answers.point[i].answer.seconds += started / column->answers.n_points;
	pthread_mutex_lock(&c->lock);
	column->state = ret == 0 ? MATRIX_KNOWN : MATRIX_UNKNOWN;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return ret;
}

/* A task is done: its figures or failure, and the matrix if it was the column's last. */
static void close_column(struct columns_run *c, int k, const struct fold_work *w,
			 const struct error *failure)
{
	struct column_run *column = &c->column[k - c->first];
	const struct search_observer *observer = c->run->s->observer;

	pthread_mutex_lock(&c->lock);
	for (int i = 0; !failure && i < column->answers.n_points; i++) {
		struct search_point *point = &column->answers.point[i];
		const struct search_figures *figures = &w->figures[i];

		point->answer.seconds += figures->seconds;
		point->answer.n_unfinished += figures->is_unfinished;
		point->answer.n_skipped += figures->given_up;
		/* of several folds' reasons the one that no order of theirs decides */
		if (strcmp(figures->failed.text, point->failed.text) > 0)
			search_fail(point, &figures->failed);
	}
	if (failure)
		error_pass(&c->failure, failure);
	c->n_tasks_done++;
	if (++column->n_done == c->n_folds && c->last_part) {
		if (column->kernel.matrix.wide_own)
			c->spare[c->n_spare++] = column->kernel;
		column->kernel = (struct search_kernel){ 0 };
		column->state = MATRIX_UNKNOWN;
		c->n_matrices--;
	}
	if (!failure && observer->progress)
		observer->progress(observer->arg,
				   (double)c->n_tasks_done /
					   (double)(c->run->s->n_columns * c->run->folds.n));
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

/* No training is possible with the column's kernel, which is no reason to end the others. */
static int note_failure(struct columns_run *c, int k, struct error *err)
{
	struct search_answers *a = &c->column[k - c->first].answers;

	pthread_mutex_lock(&c->lock);
	for (int i = 0; i < a->n_points; i++)
		search_fail(&a->point[i], err);
	pthread_mutex_unlock(&c->lock);
	*err = (struct error){ 0 };
	return 0;
}

static int fold_task(void *arg, int64_t task, int thread UNUSED, struct error *err)
{
	struct columns_run *c = arg;
	const int k = c->first + (int)(task / c->n_folds);
	const struct search_column *column = &c->run->s->column[k];
	const struct search_answers *answers = &c->column[k - c->first].answers;
	struct fold_work w = { .run = c->run,
			       .rows = &c->rows,
			       .kernel = &c->column[k - c->first].kernel,
			       .column = column,
			       .fold = c->first_fold + task % c->n_folds,
			       .answers = answers,
			       .figures = mem_zeroed(column->n, sizeof(*w.figures), err) };
	int ret = w.figures ? open_column(c, k, err) : -1;

	for (int i = 0; ret == 0 && i < column->n; i++)
		w.figures[i].given_up = answers->point[i].given_up;
	if (ret == 0)
		ret = run_fold(&w, err);
	if (ret < 0 && err->code == ERR_NUMERIC)
		ret = note_failure(c, k, err);
	close_column(c, k, &w, ret < 0 ? err : NULL);
	mem_free(w.figures);
	return ret;
}

/* Tell the points of a column after the last of its folds. */
static void tell_column(void *arg, int64_t task)
{
	struct columns_run *c = arg;
	int k = c->first + (int)(task / c->n_folds);
	struct column_run *column = &c->column[k - c->first];
	const struct search_observer *observer = c->run->s->observer;

	if (!c->last_part || task % c->n_folds != c->n_folds - 1)
		return;
	pthread_mutex_lock(&c->lock);
	for (int i = 0; c->failure.code == ERR_NONE && i < column->answers.n_points; i++)
		observer->point(observer->arg, &column->answers.point[i].answer, &c->failure);
	pthread_mutex_unlock(&c->lock);
	search_answers_free(&column->answers);
}

/* Run the folds first .. end - 1 of the columns c->first .. c->end - 1. */
static int run_part(struct columns_run *c, int64_t first, int64_t end, struct error *err)
{
	int ret;

	c->first_fold = first;
	c->n_folds = end - first;
	c->last_part = end == c->run->folds.n;
	for (int k = c->first; k < c->end; k++)
		c->column[k - c->first].n_done = 0;
	ret = thread_ordered_for(c->run->machine->trainer.options->n_threads,
				 (c->end - c->first) * c->n_folds, fold_task, tell_column, c, err);
	return ret == 0 && c->failure.code != ERR_NONE ? error_pass(err, &c->failure) : ret;
}

/* All folds, or the first half of them and then those of the points that are not given up. */
static int run_folds(struct columns_run *c, struct error *err)
{
	const int64_t half = search_half(c->run);

	if (run_part(c, 0, half, err) < 0)
		return -1;
	if (c->last_part)
		return 0;
	search_ask_to_give_up(c->run->s, &c->column[0].answers);
	return run_part(c, half, c->run->folds.n, err);
}

int search_columns_run(const struct search_run *run, int first, int end, struct error *err)
{
	struct columns_run c = { .run = run, .n_tasks_done = first * run->folds.n };
	bool is_linear = run->s->column[first].training.kernel.type == KERNEL_LINEAR;
	int ret = search_rows_init(&c.rows, run, is_linear, err);
	int step = search_half(run) < run->folds.n ? 1 : end - first;

	/* linear kernels have no matrix, and any number of columns may be open */
	c.most_matrices = is_linear					  ? INT_MAX :
			  has_room(&run->machine->trainer, MOST_MATRICES) ? MOST_MATRICES :
									    1;
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.changed, NULL);
	c.column = mem_zeroed(step, sizeof(*c.column), err);
	if (!c.column)
		ret = -1;
	for (; first < end && ret == 0; first += step) {
		c.first = first;
		c.end = first + step;
		ret = run_folds(&c, err);
	}
	for (int k = 0; c.column && k < step; k++) {
		kernel_matrix_free(&c.column[k].kernel.matrix);
		search_answers_free(&c.column[k].answers);
	}
	while (c.n_spare > 0)
		kernel_matrix_free(&c.spare[--c.n_spare].matrix);
	mem_free(c.column);
	search_rows_free(&c.rows);
	pthread_cond_destroy(&c.changed);
	pthread_mutex_destroy(&c.lock);
	return ret;
}
