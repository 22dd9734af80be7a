/*
 * linear_newton.c - the semismooth Newton method of an outer step
 *
 * The function to be minimised over w and b,
 *
 *     phi(w, b) = |w|^2 / 2 + (b - centre_b)^2 / (2 tau) + sum_i e_i(target_i - w.x_i - b)      (1)
 *
 * is convex, and quadratic in pieces: e_i' is prox_i, which is constant at the bounds of beta_i
 * (and at 0 if epsilon > 0) and has the slope sigma between them.  With J the rows in between,
 *
 *     gradient_w = w - sum_i prox_i x_i,   gradient_b = (b - centre_b) / tau - sum_i prox_i     (2)
 *     H = diag(1, .., 1, 1/tau) + sigma sum_J (x_i, 1)(x_i, 1)'                                 (3)
 *     H (step_w, step_b) = -(gradient_w, gradient_b)                                            (4)
 *
 * Where the sum S of the multipliers is not 0, phi has the further term S b; where it is that of
 * each of two sides that is given, there is a b for each, and S b, (2) and (3) for each.
 * gradient_b then is (b - centre_b) / tau + S - sum_i prox_i.
 *
 * A step of length 1 is the minimum as long as J stays what it is; and J settles after few steps.
 * Each step is
 *
 *     find_direction()   (2), J, (4); linear_direction.c solves (4)
 *     linear_values()    product_i = x_i.step_w + step_b: the only pass over all entries        (5)
 *     line_search()      t where the derivative of phi(w + t step_w, b + t step_b) is 0:        (6)
 *
 *         t |step|^2 + start - sum_i product_i prox_i(r_i - t product_i)
 *
 *                        (|step|^2 = |step_w|^2 + step_b^2 / tau), which is increasing and
 *                        linear in pieces: a trial is one pass over vectors, no matrix
 *     move()             (w, b) += t (step_w, step_b), r_i -= t product_i                       (7)
 *     update_prox()      prox of the new residuals; sum_w = sum_i prox_i x_i and the matrix of
 *                        (3) follow by the rows whose prox changed, and by those that entered
 *                        or left J                                                              (8)
 *
 * Invariants between two steps: residual_i = target_i - w.x_i - b, prox is that of the residuals,
 * sum_w = sum prox x, and the direction's matrix is of the J of prox.  All four are kept by
 * additions, so that rounding errors add up in them until linear_refresh() computes them anew.
 *
 * Why it ends: slope_0 = gradient.step = -step'H step < 0 unless the gradient is 0, so that each
 * step lowers phi, and the quadratic model promises a decrease of -slope_0 / 2.  phi is strictly
 * convex, and the line search takes the whole decrease that a direction has: (w, b) converges to
 * the minimum.  Around it phi has the few pieces that meet there, and a full step that stays within
 * a piece ends at the minimum of phi.
 *
 * Without a line search the steps may cycle between two sets J.  And as (6) takes no pass over the
 * entries, the minimum along the step is worth more than a point that is merely lower.
 *
 * Partial sums over rows are per block of LINEAR_BLOCK rows and added in the order of the blocks,
 * so that the bits do not depend on the number of threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "linear/linear_work.h"

/*
 * Numbers of trainings below are those of linear_solve.c.
 *
 * Steps of one outer step, of which the hardest of the 39 trainings takes 68; and trials of a line
 * search, which meets its limit where rounding leaves the derivative without a zero.
 */
#define MAX_NEWTON_STEPS 100
#define MAX_TRIALS 50

/*
 * The Newton method of an outer step ends after a step that promises to lower phi by half of
 * DECREMENT |prox - beta|^2 / sigma at most.  That is relative to the proximal term of the dual,
 * |prox - beta|^2 / (2 sigma), so it holds for any scale of the data, and asks for less where the
 * outer step itself moves far.  With 0.01, 0.09, 0.3 and 1 the 39 trainings take 1,899, 1,611,
 * 1,621 and 1,914 Newton steps.
 */
#define DECREMENT 0.09

/*
 * Share of the primal objective below which a decrease is lost in the objective's rounding.  Where
 * sigma is large w and b may still move by what the multipliers feel, so that MAX_TINY such steps
 * are taken before the Newton method ends.  With 1 one more of the 39 trainings misses eps; 30
 * takes 1 % more steps.
 */
#define LOST_DECREASE 1e-15
#define MAX_TINY 10

/*
 * The line search ends where the derivative has fallen to this part of that at t = 0: FULL_STEP at
 * t = 1, for there the step is the Newton step itself and the next one will be better, and SHORTER
 * anywhere else.  How exact the line search is hardly matters, as the next step changes J again:
 * with both at 0.3, both at 0.1, and SHORTER at 0.002 the 39 trainings take 1,570, 1,695 and 1,686
 * Newton steps, with 6,245, 8,513 and 9,246 trials.
 */
#define FULL_STEP 0.05
#define SHORTER 0.02

/* Relative length of an interval of t that counts as a point; 1e-6 and 1e-12 do as well. */
#define LEAST_INTERVAL 1e-9

/*
 * Largest stride of a trial, in multiples of the largest t known to be too small (or 1); 2 to 16
 * are alike.
 */
#define LARGEST_STRIDE 4

/*
 * Rows from which the loops over multipliers are worth threads: they read 40 bytes a row, 0.8 MB
 * here, for tens of microseconds, and a team of threads begins and ends a loop in about one.
 */
#define ROWS_FOR_THREADS 20000

/*
 * What r'M^-1 r falls to in conjugate gradients: LOOSE, the error of the direction being a tenth,
 * as long as J changes; TIGHT, where at most one row in SETTLED entered or left J in the step
 * before, so that the digits of the direction are digits of the multipliers; and PRECISE for the
 * last outer steps.
 *
 * On 300,000 rows of text (svm-gen text, C = 1) they take 716 steps of conjugate gradients,
 * TIGHT alone 2,300.  LOOSE alone leaves a gap above 1e-3 on 20,000 rows at C = 1000, and 1e-8 for
 * the last outer steps takes 500 more than PRECISE at C = 10.
 */
#define LOOSE 1e-2
#define TIGHT 1e-4
#define PRECISE 1e-5
#define SETTLED 500

/*
 * Value of DECREMENT for the last outer steps. |prox - beta|^2 is a sum over all rows: on 300,000
 * of them DECREMENT may leave w and sum prox x so far apart that (w, b) are within eps and the
 * multipliers, at C = 10, violate by 0.2.
 */
#define PRECISE_DECREMENT 1e-3

/*
 * Value of DECREMENT for squared losses: there is no next outer step, and what is left shows in
 * multipliers 2 C r, of which those of w8a at C = 1000 need it so small.
 */
#define SQUARED_DECREMENT 1e-13

void linear_refresh(struct linear_run *s)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;

	/*
	 * Compute anew all that a run keeps by additions: the rest then depends on prox, w and b
	 * alone, as it must at a safe point, where a checkpoint holds these three.
	 */
	linear_direction_forget(&s->newton.direction);
	linear_plain_sum(t, at->prox, at->sum_w);
	linear_residuals(t, at->w, at->b, at->residual);
}

/*
 * Update sum_w and the matrix of the direction by the new prox of the n rows changed[0 .. n - 1].
 * Returns how many of the rows entered or left J.
 */
static int64_t follow_changes(struct linear_run *s, int64_t n)
{
	const struct linear_task *t = &s->task;
	struct linear_newton *m = &s->newton;
	int64_t n_crossed = 0;

	/* a row crosses if it is in J before and not after, or after and not before */
	for (int64_t k = 0; k < n; k++) {
		int64_t i = m->changed[k];
		double prox = s->at.prox[i];
		int was = linear_is_inside(m->old[k], t->row.lower[i], t->row.upper[i]);
		int is = linear_is_inside(prox, t->row.lower[i], t->row.upper[i]);

		m->difference[k] = prox - m->old[k];
		if (was == is)
			continue;
		m->crossed[n_crossed] = i;
		m->sign[n_crossed++] = is - was;
	}
	/*
	 * in the last steps few rows change: O(their entries), where a new sum takes O(all entries)
	 */
	linear_rows_add(&t->x, m->changed, n, m->difference, s->at.sum_w);
	linear_direction_change(&m->direction, &t->x, m->crossed, m->sign, n_crossed);
	return n_crossed;
}

/* One loop over all multipliers, a block at a time. */
struct block_pass {
	struct linear_newton *newton;
	struct linear_arrays a;
	double t; /* argument t of linear_slope_at() */
};

static int64_t block_end(const struct linear_arrays *a, int64_t block)
{
	return int64_min((block + 1) * LINEAR_BLOCK, a->n);
}

static struct thread_team *pass_team(const struct linear_run *s)
{
	return s->task.n >= ROWS_FOR_THREADS ? s->task.x.team : NULL;
}

static void update_block(void *arg, int64_t block, int thread UNUSED)
{
	const struct block_pass *pass = arg;
	const struct linear_newton *m = pass->newton;
	int64_t first = block * LINEAR_BLOCK;

	linear_update_prox(&pass->a, first, block_end(&pass->a, block), m->changed + first,
			   m->old + first, &m->block_change[block]);
}

/* Sums of prox on the two sides, of prox >= 0 and of prox <= 0. */
static void sum_sides(struct linear_run *s)
{
	double *sum = s->at.side_sum;

	sum[0] = sum[1] = 0;
	for (int64_t i = 0; i < s->task.n; i++) {
		sum[0] += fmax(s->at.prox[i], 0);
		sum[1] += fmin(s->at.prox[i], 0);
	}
}

/*
 * Compute the proximal points for the residuals, then their changes, sum_w and the matrix.  Returns
 * how many rows entered or left J.
 */
static int64_t update_prox(struct linear_run *s)
{
	struct linear_newton *m = &s->newton;
	struct block_pass pass = { .newton = m, .a = linear_arrays_of(s) };
	struct linear_change sum = { 0 };
	int64_t n_blocks = int64_blocks(pass.a.n, LINEAR_BLOCK);

	thread_team_for(pass_team(s), n_blocks, update_block, &pass);
	/*
	 * Close the gaps between blocks: each block has listed its rows from its own first row on.
	 * The list is ascending, and sums are added in the order of blocks, whichever thread was
	 * first.
	 */
	for (int64_t block = 0; block < n_blocks; block++) {
		const struct linear_change *change = &m->block_change[block];
		int64_t first = block * LINEAR_BLOCK;

		memmove(m->changed + sum.n, m->changed + first,
			(size_t)change->n * sizeof(*m->changed));
		memmove(m->old + sum.n, m->old + first, (size_t)change->n * sizeof(*m->old));
		sum.n += change->n;
		sum.sum += change->sum;
		sum.norm2 += change->norm2;
		sum.largest = fmax(sum.largest, change->largest);
	}
	s->at.change = sum;
	s->at.side_sum[0] = sum.sum;
	if (s->task.sides.n == 2)
		sum_sides(s);
	return follow_changes(s, sum.n);
}

static void slope_block(void *arg, int64_t block, int thread UNUSED)
{
	const struct block_pass *pass = arg;

	linear_slope_at(&pass->a, block * LINEAR_BLOCK, block_end(&pass->a, block), pass->t,
			&pass->newton->block_slope[block]);
}

/*
 * Sums over the rows for (6): sum_i product_i prox_i at the residuals r_i - t product_i; and, over
 * sigma, how fast it falls with t: sum product_i^2 over the rows of J there.
 */
static struct linear_slope rows_slope(struct linear_run *s, double t)
{
	struct block_pass pass = { .newton = &s->newton, .a = linear_arrays_of(s), .t = t };
	int64_t n_blocks = int64_blocks(pass.a.n, LINEAR_BLOCK);
	struct linear_slope sum = { 0, 0 };

	thread_team_for(pass_team(s), n_blocks, slope_block, &pass);
	for (int64_t block = 0; block < n_blocks; block++) {
		sum.slope += s->newton.block_slope[block].slope;
		sum.curvature += s->newton.block_slope[block].curvature;
	}
	return sum;
}

/* Derivative along the step of the terms S b and of the offset of w. */
static double sums_slope(const struct linear_run *s)
{
	const struct linear_task *t = &s->task;
	const struct linear_newton *m = &s->newton;
	double slope = 0;

	for (int k = 0; k < t->sides.n; k++)
		slope += t->sides.sum[k] * m->step_b[k];
	return t->offset ? slope - inner_product(t->offset, m->step_w, t->d) : slope;
}

/*
 * (6): the t >= 0 where the derivative along the step is 0, by Newton's method between 'low', where
 * it is negative, and 'high', where it is positive.  A Newton step out of that interval, which the
 * next piece of the derivative may ask for, is replaced by the middle, or by four times 'low' as
 * long as there is no 'high'.
 *
 * phi is convex: the derivative is increasing, and its zero stays between 'low' and 'high'.  A
 * Newton step is exact once t is on the piece of the zero, which a line search meets after 5 trials
 * on the average (8,382 in 1,611 searches of the 39 trainings).
 */
static double line_search(struct linear_run *s)
{
	const struct linear_point *at = &s->at;
	const struct linear_newton *m = &s->newton;
	int64_t d = s->task.d;
	double step2 = inner_product(m->step_w, m->step_w, d);
	double start = inner_product(at->w, m->step_w, d);
	double low = 0, high = INFINITY, t = 1;

	/* |step|^2, and the derivative at t = 0 of all terms except the sum over rows */
	for (int k = 0; k < s->task.sides.n; k++) {
		step2 += m->step_b[k] * m->step_b[k] / at->tau;
		start += (at->b[k] - at->centre_b[k]) * m->step_b[k] / at->tau;
	}
	if (s->task.sides.fixes_sums)
		start += sums_slope(s);
	for (int trial = 0; trial < MAX_TRIALS; trial++) {
		struct linear_slope rows = rows_slope(s, t);
		double slope = start + t * step2 - rows.slope;
		double next = t - slope / (step2 + at->sigma * rows.curvature);

		/* the first trial is at t = 1, the full Newton step */
		if (fabs(slope) <= (trial == 0 ? FULL_STEP : SHORTER) * fabs(m->slope_0))
			break;
		if (slope < 0)
			low = t;
		else
			high = t;
		if (high - low < LEAST_INTERVAL * t)
			break;
		if (!(next > low && next < high))
			next = high < INFINITY ? (low + high) / 2 : LARGEST_STRIDE * low;
		/* a piece of little slope beyond 'low' must not throw t far beyond the interval */
		t = fmin(next, LARGEST_STRIDE * (low > 0 ? low : 1));
	}
	return t;
}

/*
 * Find the gradient by (2), J, the direction by (4), and the derivative of phi along the step,
 * slope_0 = gradient.step <= 0.
 */
static int find_direction(struct linear_run *s, int64_t n_crossed, struct error *err)
{
	const struct linear_task *t = &s->task;
	const struct linear_point *at = &s->at;
	struct linear_newton *m = &s->newton;
	struct linear_step step = {
		.sigma = at->sigma,
		.tau = at->tau,
		.gradient_w = m->gradient_w,
		.w = m->step_w,
		.interruption = t->o->interruption,
	};

	m->n_inside = linear_list_free(&t->row, at->prox, t->n_padded, m->inside);
	/*
	 * precision of conjugate gradients; n_crossed is the number of rows that crossed in the
	 * step before
	 */
	step.reduction = at->precise ? PRECISE : SETTLED * n_crossed <= m->n_inside ? TIGHT : LOOSE;
	/* gradient by (2): side_sum is the sum of prox, and the fixed sum of the side is its S */
	for (int64_t j = 0; j < t->d; j++)
		m->gradient_w[j] = at->w[j] - at->sum_w[j];
	for (int k = 0; k < t->sides.n; k++)
		step.gradient_b[k] = (at->b[k] - at->centre_b[k]) / at->tau -
				     (at->side_sum[k] - t->sides.sum[k]);
	/* direction by (4), in the cheapest of three ways */
	if (linear_direction_find(&m->direction, &t->x, m->inside, m->n_inside, &step, err) < 0)
		return -1;
	/*
	 * slope_0 is computed from the products, not as -step'H step: a step of conjugate gradients
	 * solves (4) only nearly, and the line search needs the true derivative to compare its
	 * trials with.
	 */
	m->slope_0 = inner_product(m->gradient_w, m->step_w, t->d);
	for (int k = 0; k < t->sides.n; k++) {
		m->step_b[k] = step.b[k];
		m->slope_0 += step.gradient_b[k] * m->step_b[k];
	}
	return 0;
}

/*
 * Move w and b by t, (7): the residuals follow by the product that the line search has, without a
 * pass over the entries.
 */
static void move(struct linear_run *s, double t)
{
	const struct linear_newton *m = &s->newton;
	struct linear_point *at = &s->at;

	linear_lead_follow(s, t);
	for (int64_t j = 0; j < s->task.d; j++)
		at->w[j] += t * m->step_w[j];
	for (int k = 0; k < s->task.sides.n; k++)
		at->b[k] += t * m->step_b[k];
	for (int64_t i = 0; i < s->task.n; i++)
		at->residual[i] -= t * m->product[i];
}

int linear_minimise(struct linear_run *s, struct error *err)
{
	const struct linear_task *task = &s->task;
	struct linear_newton *m = &s->newton;
	double decrement = task->p->squared_loss ? SQUARED_DECREMENT :
			   s->at.precise	 ? PRECISE_DECREMENT :
						   DECREMENT;
	int64_t n_crossed = task->n;
	int n_same = 0, n_tiny = 0;

	if (linear_newton_room(s, err) < 0)
		return -1;
	/* proximal points by (8), for the beta, sigma and tau of this outer step */
	update_prox(s);
	for (int step = 0; step < MAX_NEWTON_STEPS && !linear_asked_to_stop(s); step++) {
		bool last;
		double t;

		if (find_direction(s, n_crossed, err) < 0)
			return -1;
		if (linear_asked_to_stop(s))
			return 0;
		/* no descent: the gradient is 0 in doubles, or the slope is not a number */
		if (!(m->slope_0 < 0 && m->slope_0 > -INFINITY))
			return 0;
		/*
		 * the end is decided before the step, which is taken all the same: the last step is
		 * the most exact
		 */
		last = -m->slope_0 <= decrement * s->at.change.norm2 / s->at.sigma;
		n_tiny += -m->slope_0 <= LOST_DECREASE * fabs(s->at.primal);
		/* line search and move, (5) to (8) */
		linear_values(task, m->step_w, m->step_b, m->product);
		t = line_search(s);
		move(s, t);
		n_crossed = update_prox(s);
		if (linear_lead_is_due(s) && linear_lead_offer(s, s->lead.coef, err) < 0)
			return -1;
		s->n_iterations++;
		/*
		 * A full step without a row that crosses ends at the minimum of the piece, or
		 * nearly so where conjugate gradients found it.  After two such steps only rounding
		 * is left.
		 */
		n_same = n_crossed == 0 && t == 1 ? n_same + 1 : 0;
		if (last || n_same == 2 || n_tiny == MAX_TINY)
			return 0;
	}
	s->n_unfinished++;
	return 0;
}
