/*
 * search.c - cross validation at all points of a grid of parameters
 *
 * Columns that may share kernel matrices are run together, fold by fold on all threads
 * (search_columns.c); others one by one, with all threads within a training.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "search/search.h"

#include "base/clock.h"
#include "evaluate/machine_train.h"
#include "search/search_work.h"

/* ---- a column by cross_validate() ---- */

/*
 * For rows too many for a kernel matrix, and for machines that search_machine.c does not train.
 * Points follow each other by ascending C, and each fold starts from its solution for the C before.
 *
 * Where points may be given up all of them are evaluated on the first half of the folds, and then
 * those that are left on the others; draws begin anew for each point and each half, as in a new
 * process, so folds are the same.
 */

/*
 * Least size of a problem that gains by a start, in entries, where a row costs ROW_ENTRIES besides
 * its own: small ones lose more to the values of the start's support vectors.  Of three values of C
 * (factors of 4) the processor time with starts is, in shares of that without, by size: letter 1.15
 * (37,000), synthetic rows in ten classes of 16 columns 1.1 to 1.4 (48,000); svmguide1 .89 (62,000),
 * satimage .57 (110,000), usps .81 (two values, 400,000).
 */
#define START_ENTRIES 60000
#define ROW_ENTRIES 16

/* A column, and the folds of it that are evaluated at present. */
struct plain_column {
	const struct search_run *run;
	const struct search_column *column;
	int number;
	struct search_answers answers;
	struct fold_start *start;     /* of each fold */
	int64_t first_fold, end_fold; /* folds of the present half */
	int n_unfinished;
};

static bool skips(void *arg, int64_t fold)
{
	const struct plain_column *c = arg;

	return fold < c->first_fold || fold >= c->end_fold;
}

/* Did the training of a fold end at the limit of steps, or are doubles too coarse for it? */
static void fold_trained(void *arg, const struct solution *s, const struct pair_result *pairs)
{
	struct plain_column *c = arg;

	for (int64_t q = 0; q < solution_n_pairs(s->n_class); q++)
		if (pairs[q].solved.rounds > 0 && (pairs[q].solved.reason == STOP_MAX_ITERATIONS ||
						   pairs[q].solved.certificate.excess > 0)) {
			c->n_unfinished++;
			return;
		}
}

/* Can the column's trainings begin with a solution for another C, and do they gain by it? */
static bool takes_starts(const struct plain_column *c)
{
	const struct machine *m = c->run->machine;
	const struct training *t = &c->column->training;
	const struct csr *x = &m->trainer.data->x;
	/* rows of a problem, on average, and entries of a row */
	const double n = (double)x->n_rows * (c->run->classifies ? 2.0 / m->classes.n : 1);
	const double entries = (double)x->row_start[x->n_rows] / (double)x->n_rows;

	return !m->given.one_vs_rest && !machine_fixes_sums(t->type) &&
	       kernel_is_definite(&t->kernel) && m->solver.warm_start &&
	       m->options.mode == WORKING_SET_EXACT && n * (ROW_ENTRIES + entries) >= START_ENTRIES;
}

/* Evaluate the present folds at one point. */
static int evaluate_point(struct plain_column *c, int place, struct error *err)
{
	struct search_point *point = &c->answers.point[place];
	struct machine m = *c->run->machine;
	const struct validation_observer observer = { .fold_trained = fold_trained,
						      .skips = skips,
						      .arg = c };
	double started = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
	int ret;

	m.training = c->column->training;
	m.training.C = c->column->c[place];
	m.trainer.training = &m.training;
	c->n_unfinished = 0;
	glibc_rand_seed(&m.draws, (unsigned)m.options.seed);
	m.trainer.draws = &m.draws;
	ret = machine_validate(&m, c->run->s->n_folds, &observer, takes_starts(c) ? c->start : NULL,
			       &point->found, err);
	point->answer.seconds += clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - started;
	point->answer.n_unfinished += c->n_unfinished;
	if (ret == 0 || err->code != ERR_NUMERIC)
		return ret;
	/* the other points are no worse for it */
	search_fail(point, err);
	*err = (struct error){ 0 };
	return 0;
}

/* Evaluate the folds first .. end - 1 at all points that are not given up; tell the last ones. */
static int evaluate_half(struct plain_column *c, int64_t first, int64_t end, struct error *err)
{
	const struct search_observer *observer = c->run->s->observer;
	bool is_last = end == c->run->folds.n;
	int ret = 0;

	c->first_fold = first;
	c->end_fold = end;
	for (int k = 0; ret == 0 && k < c->column->n; k++) {
		struct search_point *point = &c->answers.point[k];

		if (point->given_up)
			point->answer.n_skipped = (int)(end - first);
		else
			ret = evaluate_point(c, k, err);
		if (ret == 0 && is_last)
			ret = observer->point(observer->arg, &point->answer, err);
		if (ret == 0 && observer->progress) {
			double folds =
				(double)first + (double)(end - first) * (k + 1) / c->column->n;

			observer->progress(observer->arg,
					   (c->number + folds / (double)c->run->folds.n) /
						   c->run->s->n_columns);
		}
	}
	for (int64_t f = 0; f < c->run->folds.n; f++)
		fold_start_free(&c->start[f]);
	return ret;
}

static int run_plain(const struct search_run *run, int column, struct error *err)
{
	struct plain_column c = { .run = run, .column = &run->s->column[column], .number = column };
	int64_t n_folds = run->folds.n, half = search_half(run);
	int ret = search_answers_init(&c.answers, run, column, err);

	/* one against the rest has its folds to itself */
	if (run->machine->given.one_vs_rest)
		half = n_folds;
	c.start = mem_zeroed(n_folds, sizeof(*c.start), err);
	if (ret == 0 && c.start)
		ret = evaluate_half(&c, 0, half, err);
	if (ret == 0 && c.start && half < n_folds) {
		search_ask_to_give_up(run->s, &c.answers);
		ret = evaluate_half(&c, half, n_folds, err);
	}
	mem_free(c.start);
	search_answers_free(&c.answers);
	return err->code == ERR_NONE ? ret : -1;
}

/* ---- all columns ---- */

int search_folds(struct folds *f, const struct search *s, struct error *err)
{
	struct glibc_rand draws;

	glibc_rand_seed(&draws, (unsigned)s->machine->options.seed);
	return folds_of_data(f, s->machine->trainer.data, (struct fold_draw){ s->n_folds, &draws },
			     machine_classifies(s->machine->training.type), err);
}

/* Run the columns from 'first' on that are evaluated in the same way; returns the next, or -1. */
static int run_some(const struct search_run *run, int first, struct error *err)
{
	const struct search_column *column = run->s->column;
	int end = first;

	while (end < run->s->n_columns && search_may_share(run, end) &&
	       column[end].training.kernel.type == column[first].training.kernel.type)
		end++;
	if (end > first)
		return search_columns_run(run, first, end, err) < 0 ? -1 : end;
	return run_plain(run, first, err) < 0 ? -1 : first + 1;
}

/* The measure of what is far for the narrowest kernel; 0 if one of them is not to be shifted. */
static double shift_gamma(const struct search *s)
{
	double most = 0;

	for (int k = 0; k < s->n_columns; k++) {
		double gamma = trainer_shift_gamma(&s->column[k].training, true);

		if (gamma == 0)
			return 0;
		most = fmax(most, gamma);
	}
	return most;
}

int search_run(const struct search *s, struct error *err)
{
	struct machine machine = *s->machine;
	struct shifted_data near;
	struct search_run run = { .s = s, .machine = &machine };
	int column = 0, ret = shifted_data_init(&near, machine.trainer.data, shift_gamma(s), err);

	machine.direct_reason = NULL;
	machine.trainer.data = &near.data;
	machine.trainer.rounds = NULL;
	machine.trainer.pairs = NULL;
	machine.trainer.certifies = false;
	run.classifies = machine_classifies(machine.training.type);
	if (ret == 0 && search_folds(&run.folds, s, err) == 0)
		while (column >= 0 && column < s->n_columns)
			column = run_some(&run, column, err);
	folds_free(&run.folds);
	shifted_data_free(&near);
	return err->code == ERR_NONE ? 0 : -1;
}
