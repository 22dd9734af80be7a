/*
 * linear_run.c - what a run of the linear engine owns
 *
 * The problem made ready, struct linear_task, and room for multipliers, Newton steps and trials.
 * Vectors over rows are padded to whole groups of lanes.  The padding is zero and its box is the
 * point 0, so that the loops leave it at 0 and it adds 0 to sums.
 *
 * Arrays of rows and of columns that a run has, beside the entries in task.x; those of Newton steps from
 * the first one on, when coordinate descent has freed its own:
 *
 *     task      4 n_padded    target, lower, upper; weight for squared losses of several C
 *     at        3 n_padded    beta, prox, residual                2 d    w, sum_w
 *     newton    7 n_padded    product, inside, changed, ...       2 d    gradient_w, step_w
 *     trial     4 n_padded    beta, residual, free, change          d    w
 *
 * Functions that take memory go on after a failure and leave it in 'err'; freeing a struct of NULLs is
 * harmless.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear_work.h"

static void task_free(struct linear_task *t)
{
	thread_team_stop(t->x.team);
	/* borrowed rows stay; only 'partial' belongs to this problem */
	if (t->p->linear_rows && t->n == t->p->n)
		mem_free(t->x.partial);
	else
		linear_rows_free(&t->x);
	mem_free_all(t->offset, t->row.target, t->row.lower, t->row.upper, t->row.weight);
}

/* Copy the rows; or borrow those that all problems share, with a 'partial' of this problem's. */
static int take_rows(struct linear_task *t, struct error *err)
{
	const struct problem_view *p = t->p;
	int64_t *twice = NULL;
	int ret = -1;

	if (t->n == p->n && p->linear_rows) {
		/* all arrays but 'partial' are borrowed: two problems must not use one at once */
		t->x = *p->linear_rows;
		t->x.partial = mem_array(LINEAR_LISTS * t->x.d, sizeof(*t->x.partial), err);
		return t->x.partial ? 0 : -1;
	}
	/* each example of nu-SVR has a row on each side: rows 2 i and 2 i + 1 are example i */
	if (t->n > p->n)
		twice = mem_array(t->n, sizeof(*twice), err);
	for (int64_t i = 0; twice && i < t->n; i++)
		twice[i] = p->row[i / 2];
	if (err->code == ERR_NONE)
		ret = linear_rows_init(&t->x, p->x, twice ? twice : p->row, t->n, t->o->helpers,
				       err);
	mem_free(twice);
	return ret;
}

/* Set the sides, their sums, and the number of rows, two for each example of nu-SVR. */
static void set_sides(struct linear_task *t)
{
	const struct problem_view *p = t->p;
	/* the machines with a threshold on each side of a margin or tube */
	bool both = p->type == MACHINE_NU_SVC || p->type == MACHINE_NU_SVR;

	t->n = p->type == MACHINE_NU_SVR ? 2 * p->n : p->n;
	/* whole groups of LINEAR_LANES numbers, so that loops need no remainder */
	t->n_padded = int64_round_up(t->n, LINEAR_LANES);
	t->epsilon = problem_cost(p);
	t->sides.n = both ? 2 : 1;
	t->sides.fixes_sums = problem_fixes_sums(p);
	/* the lower side has multipliers <= 0, whose sum is -sum_minus */
	t->sides.sum[0] = t->sides.fixes_sums ? p->sum_plus : 0;
	t->sides.sum[1] = both ? -p->sum_minus : 0;
}

/* Set the offset, which turns sum beta x of centred rows into that of the columns as given. */
static int set_offset(struct linear_task *t, struct error *err)
{
	if (t->sides.sum[0] + t->sides.sum[1] == 0)
		return 0;
	/* sum_i beta_i (x_i + centre) = sum_i beta_i x_i + S centre, S being fixed */
	t->offset = mem_array(t->d, sizeof(*t->offset), err);
	for (int64_t j = 0; t->offset && j < t->d; j++)
		t->offset[j] = (t->sides.sum[0] + t->sides.sum[1]) * t->x.centre[j];
	return t->offset ? 0 : -1;
}

/* Target and bounds of row i; of two rows of an example the second is on the lower side. */
static void set_bounds(struct linear_task *t, int64_t i)
{
	const struct problem_view *p = t->p;
	/* nu-SVR has two rows for each example, one of them on the lower side */
	int64_t example = linear_example(t, i);
	bool twice = t->n > p->n;

	t->row.target[i] = problem_linear(p, example);
	t->row.lower[i] = twice && t->x.order[i] % 2 == 0 ? 0 : problem_lower(p, example);
	t->row.upper[i] = twice && t->x.order[i] % 2 == 1 ? 0 : problem_upper(p, example);
}

static int task_init(struct linear_task *t, struct error *err)
{
	const struct problem_view *p = t->p;

	set_sides(t);
	/* the caller's tolerance, which linear_tighten() may lower */
	t->eps = t->o->eps;
	/* other machines than these need entries */
	if (t->o->helpers && !p->x->val && (p->squared_loss || t->sides.fixes_sums) &&
	    t->o->helpers->bring(t->o->helpers, err) < 0)
		return -1;
	if (take_rows(t, err) < 0)
		return -1;
	/* one team of threads serves the whole run, asleep between passes */
	if (t->x.start[t->n] >= LINEAR_ENTRIES_FOR_THREADS)
		t->x.team = thread_team_start(t->o->n_threads, err);
	t->d = t->x.d;
	if (set_offset(t, err) < 0)
		return -1;
	/* mem_aligned() zeroes: padded rows have a target and bounds of 0 */
	t->row.target = mem_aligned(t->n_padded, sizeof(double), err);
	t->row.lower = mem_aligned(t->n_padded, sizeof(double), err);
	t->row.upper = mem_aligned(t->n_padded, sizeof(double), err);
	/* with squared losses and several C each row has the weight C_i / c_max */
	if (p->squared_loss && !problem_has_one_c(p))
		t->row.weight = mem_aligned(t->n_padded, sizeof(double), err);
	if (err->code != ERR_NONE)
		return -1;
	t->c_max = problem_largest_c(p);
	for (int64_t i = 0; i < t->n; i++) {
		set_bounds(t, i);
		t->mean_norm2 += t->x.norm2[i] / (double)t->n;
		if (t->row.weight)
			t->row.weight[i] = problem_c(p, linear_example(t, i)) / t->c_max;
	}
	return 0;
}

/*
 * Where the arrays of a run are: of doubles by row and by column, and of numbers of rows; the first few of
 * each from the start, the others for Newton steps
 */
enum { BY_ROW = 10, START_BY_ROW = 6, BY_COLUMN = 5, LISTS = 4, START_LISTS = 1 };

struct arrays {
	double **by_row[BY_ROW], **by_column[BY_COLUMN];
	int64_t **list[LISTS];
};

static struct arrays arrays_of(struct linear_run *s)
{
	struct linear_point *at = &s->at;
	struct linear_newton *m = &s->newton;
	struct linear_trial *trial = &s->trial;

	return (struct arrays){
		{ &at->beta, &at->prox, &at->residual, &trial->beta, &trial->residual,
		  &trial->change, &m->product, &m->old, &m->difference, &m->sign },
		{ &at->w, &at->sum_w, &m->gradient_w, &m->step_w, &trial->w },
		{ &trial->free, &m->inside, &m->changed, &m->crossed },
	};
}

void linear_run_free(struct linear_run *s)
{
	const struct arrays all = arrays_of(s);

	task_free(&s->task);
	for (int k = 0; k < BY_ROW; k++)
		mem_free(*all.by_row[k]);
	for (int k = 0; k < BY_COLUMN; k++)
		mem_free(*all.by_column[k]);
	for (int k = 0; k < LISTS; k++)
		mem_free(*all.list[k]);
	mem_free_all(s->newton.block_slope, s->newton.block_change, s->lead.coef, s->lead.x.beta,
		     s->lead.x.f);
	linear_direction_free(&s->newton.direction);
}

/* Arrays by row; mem_aligned() zeroes. */
static int make_rows(struct linear_run *s, int first, int end, int first_list, int end_list,
		     struct error *err)
{
	const struct arrays all = arrays_of(s);
	const int64_t n = s->task.n_padded;

	for (int k = first; k < end; k++)
		*all.by_row[k] = mem_aligned(n, sizeof(double), err);
	for (int k = first_list; k < end_list; k++)
		*all.list[k] = mem_array(n, sizeof(int64_t), err);
	return err->code == ERR_NONE ? 0 : -1;
}

int linear_newton_room(struct linear_run *s, struct error *err)
{
	if (s->newton.crossed)
		return 0;
	return make_rows(s, START_BY_ROW, BY_ROW, START_LISTS, LISTS, err);
}

int linear_run_init(struct linear_run *s, struct error *err)
{
	const struct arrays all = arrays_of(s);
	const struct linear_task *t = &s->task;
	struct linear_newton *m = &s->newton;
	int64_t n_blocks;

	if (task_init(&s->task, err) < 0)
		return -1;
	/* the run begins at beta = 0, w = 0, b = 0 */
	make_rows(s, 0, START_BY_ROW, 0, START_LISTS, err);
	for (int k = 0; k < BY_COLUMN; k++)
		*all.by_column[k] = mem_aligned(t->d, sizeof(double), err);
	n_blocks = t->n_padded / LINEAR_BLOCK + 1;
	m->block_slope = mem_array(n_blocks, sizeof(*m->block_slope), err);
	m->block_change = mem_array(n_blocks, sizeof(*m->block_change), err);
	/* the direction borrows the weights and, with two sides, the lower bounds */
	m->direction.weight = t->row.weight;
	m->direction.lower = t->sides.n == 2 ? t->row.lower : NULL;
	/* the best so far is multipliers of 0, for objectives that overflow; any trial is better */
	memset(s->best.beta, 0, (size_t)t->p->n * sizeof(double));
	memset(s->best.f, 0, (size_t)t->p->n * sizeof(double));
	s->best.gap = s->best.violation = INFINITY;
	s->best.dual = -INFINITY;
	return err->code == ERR_NONE ? 0 : -1;
}
