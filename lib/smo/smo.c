/*
 * smo.c - sequential minimal optimisation on a working set that changes
 *
 * With the slopes g_i = target_i - f_i and what |beta_i| costs (smo_loops.h), raising beta_i by t
 * gains t up_i at first and lowering beta_j by t loses t down_j.  A step moves a pair,
 *
 *     i = argmax up,   j = argmax over down_j < up_i of (up_i - down_j)^2 / curvature_ij        (1)
 *     curvature_ij = K_ii + K_jj - 2 K_ij
 *     t = min((up_i - down_j) / curvature_ij, way of i to its bound or 0, way of j)             (2)
 *     D rises by t (up_i - down_j) - t^2 curvature_ij / 2                                       (3)
 *     g_k <- g_k - t K_ik + t K_jk   for all members k                                          (4)
 *
 * so sum beta stays, and ends where max up - min down <= eps.  Where the multipliers of either sign
 * have a sum of their own, i and j are those of one side (smo_sets.h), that whose worst pair
 * violates more, or of two if the sums are limits.  (2) stops at 0, where the slope of
 * |beta| jumps: the step would otherwise be computed with the wrong slope beyond it.
 *
 * A step takes two passes over the members, (1) and (4).  Most members are at bounds where they
 * belong, and a pass over them is in vain.  So smo_run() goes around:
 *
 *     CORE_STEPS steps among all members, if their rows are kept whole (smo_sets.h)
 *     run_core()    the free members and those that could be one of a violating pair, with their
 *                   part of the kernel rows: steps among these alone, until a fifth of the
 *                   violation is left.  Where they are too many, the worst CORE_BLOCK of them:
 *                   steps until none of these violates, or as many as cost what storing them does
 *     try_newton_steps()  where pairs have taken much work: all free multipliers at once
 *                   (smo_newton.c)
 *     smo_store_core()  (4) for all members and what the core came to; then from the top
 *
 * A problem_is_stepwise() is first solved by smo_stepwise(), and has neither core nor Newton steps.
 *
 * A pair is good at finding out which multipliers are at bounds.  Where the kernel matrix is badly
 * conditioned pairs take very many short steps between those that are not, which Newton steps do
 * not.  Which of the two is worth more is found by trying: gain of the dual per unit of work.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo.h"

/*
 * Steps between two looks at whether an end is asked for, a millisecond or a few.  The first look
 * comes after INTERRUPTION_STEPS steps too: a pair of classes that begins after the time limit
 * would otherwise get a model without support vectors.
 */
#define INTERRUPTION_STEPS 1024

/*
 * The core is looked for every CORE_STEPS steps, or at once where rows are not kept whole; taken,
 * in a set whose rows are, if it is at most MOST_OF_MEMBERS of all or Newton steps are due; and
 * left when the violation has fallen to VIOLATION_LEFT of what it was.  The solution differs by
 * less than eps.  Above MOST_IN_CORE members, whose rows take 64 MB as floats, the core is the
 * worst CORE_BLOCK of them, and is optimised to the end: a step costs CORE_BLOCK members twice, and
 * storing a multiplier that changed all members once, which is more.
 *
 * Larger cores do not pay: up to 8192 members, covtype.20k (-g 2 -c 16) takes 4.4 s in place of
 * 1.9, a9a 0.7 in place of 0.55, and twonorm's 1e5 rows the same time with 54 MB more.  With
 * CORE_BLOCK 2048 covtype.20k takes 14 to 27 % more time, twonorm, a9a and ijcnn1 as much, and w8a
 * (-c 10) 6 to 15 % less.
 */
#define CORE_STEPS 128
#define MOST_OF_MEMBERS 0.5
#define MOST_IN_CORE 4096
#define CORE_BLOCK 1024
#define CORE_BLOCK_STEPS(members) (8 * CORE_BLOCK + 2 * (members))
#define VIOLATION_LEFT 0.2

/*
 * Every NEWTON_STEPS steps of pairs in the core it is asked whether Newton steps are due: when the
 * pairs have taken 'ratio' times the work of one.  The ratio starts at FIRST_PATIENCE; it grows
 * MORE_PATIENCE times when the Newton steps gained less for their work than the latest NEWTON_STEPS
 * pairs before them, and halves when they gained more.  A try takes about as much work as the pairs took before it, at
 * most.  Steps of pairs with Newton steps and without any: sin(x)/x on 1,000 rows (-s 3 -c 1e4
 * -g .5) 72,000 and 6,900,000, svmguide1 (-c 1e6 -g .001) 1.6 and 6.1 million, diabetes (-c 1e5
 * -g .5) 1.2 and 1.6 million.  A FIRST_PATIENCE of 64 loses the latter two gains; 1 is better for
 * them, 0.4 and 0.15 million.  Of 25 trainings 8 differ where Newton steps are compared with all
 * pairs since the last try, and MORE_PATIENCE is 4: 53,000 steps in place of 23,000 (spambase, -c 1e3
 * -g 1e-5), 1.6 million in place of 1.2 (friedman, 1,500 rows, -s 3 -c 1e4 -g .1), at best 188,000 in
 * place of 199,000 (svmguide1, -c 1e6 -g .001).
 */
#define NEWTON_STEPS 256
#define FIRST_PATIENCE 8
#define MORE_PATIENCE 2

/*
 * Steps of pairs between two Newton steps where smo.eager is set: multipliers are near the optimum,
 * on a face that is nearly right, so Newton steps are tried however little work pairs have taken.
 * With 256 steps the solving takes twice the time, with 16 as much as with 64.
 */
#define EAGER_STEPS 64

/* Fixed cost of a step of a pair, in members met, besides the members that the step meets. */
#define STEP_WORK 64

/*
 * Curvature of a pair's step, K_ii + K_jj - 2 K_ij: on unscaled data a small difference of large
 * numbers, so in doubles.
 */
static double curvature_of(const struct smo_set *set, int64_t i, int64_t j, const void *row_i)
{
	const struct smo_arrays *a = &set->a;
	double diagonal = a->in_doubles || a->exact ?
				  a->double_diagonal[i] + a->double_diagonal[j] :
				  (double)a->diagonal[i] + a->diagonal[j];

	return fmax(diagonal - 2 * smo_row_value(a, row_i, j), SMO_MIN_CURVATURE);
}

/* A pair of members of a set, by number, and their kernel rows over the set. */
struct smo_pair {
	/* numbers of the pair: beta_i is to rise, beta_j to fall, each on its side: */
	int64_t i, j;
	struct smo_direction sides;
	const void *row_i, *row_j;
};

/*
 * Account for a step t between the sides, which takes of the slack or adds to it; returns t, or the
 * slack if that is less.
 */
static double take_slack(struct smo_set *set, const struct smo_direction *sides, double t)
{
	if (sides->raised == SMO_MINUS)
		set->slack += t;
	else if (t < set->slack)
		set->slack -= t;
	else {
		t = set->slack;
		set->slack = 0;
	}
	return t;
}

/*
 * Take a step of the pair by (2) and (4): raise beta_i and lower beta_j by t; *x gets the extremes
 * after it.  False where t is lost in the rounding of both multipliers.
 */
static bool move_pair(struct smo *s, struct smo_set *set, const struct smo_pair *pair,
		      struct smo_extremes *x)
{
	const struct smo_arrays lowered = smo_side(set, pair->sides.lowered);
	int64_t i = pair->i, j = pair->j;
	double *beta = set->beta, curvature = curvature_of(set, i, j, pair->row_i), t;
	double gain = x[pair->sides.raised].up - (lowered.slope[j] + lowered.down_offset[j]);
	double goal_i = beta[i] < 0 && set->upper[i] > 0 ? 0 : set->upper[i];
	double goal_j = beta[j] > 0 && set->lower[j] < 0 ? 0 : set->lower[j];
	double room_i = goal_i - beta[i], room_j = beta[j] - goal_j;
	double old_i = beta[i], old_j = beta[j];

	t = fmin(gain / curvature, fmin(room_i, room_j));
	if (pair->sides.raised != pair->sides.lowered)
		t = take_slack(set, &pair->sides, t);
	/* gain of the dual by (3), and cost of the step, to be compared with Newton steps */
	s->newton.late_gain += t * (gain - t * curvature / 2);
	s->newton.late_work += STEP_WORK + (double)set->n;
	s->work += STEP_WORK + (double)set->n;
	/* bounds and 0 are met exactly, however beta + t is rounded */
	beta[i] = t >= room_i ? goal_i : beta[i] + t;
	beta[j] = t >= room_j ? goal_j : beta[j] - t;
	smo_set_offsets(set, problem_cost(s->p), i);
	smo_set_offsets(set, problem_cost(s->p), j);
	smo_move(set, (const double[2]){ beta[i] - old_i, beta[j] - old_j },
		 (const void *const[2]){ pair->row_i, pair->row_j }, x);
	return beta[i] != old_i || beta[j] != old_j;
}

/*
 * Minus the mean of up over the free multipliers of a side, or with SMO_SIDES of all, whose costs
 * are 0; 'otherwise' where none is free.
 */
static double mean_of_free(const struct smo_set *set, int side, double otherwise)
{
	const struct smo_arrays a = smo_side(set, side);
	double sum = 0;
	int64_t n_free = 0;

	for (int64_t i = 0; i < set->n; i++) {
		double offset = side < SMO_SIDES ? a.up_offset[i] : 0;

		if (!smo_is_free(set, i) || isinf(offset))
			continue;
		sum += a.slope[i] + offset;
		n_free++;
	}
	return n_free > 0 ? -sum / (double)n_free : otherwise;
}

/*
 * Minus the threshold of a side: by its free multipliers; where there are none the middle of the
 * interval up <= threshold <= down, which the bounded ones leave.  Where sums are limits
 * th_minus <= th_plus, so that members of either side bound both thresholds; and with slack these
 * are one (SMO_SIDES), by the members of both sides.
 */
static double find_threshold(const struct smo_set *set, int side, const struct smo_extremes *x,
			     double before)
{
	double up = x[side % SMO_SIDES].up, down = x[side % SMO_SIDES].down, middle;

	if (set->sums_are_limits && side != SMO_MINUS)
		up = fmax(x[SMO_PLUS].up, x[SMO_MINUS].up);
	if (set->sums_are_limits && side != SMO_PLUS)
		down = fmin(x[SMO_PLUS].down, x[SMO_MINUS].down);
	/* of the interval up <= -rho <= down; where that is open, what is nearest to 'before' */
	middle = isinf(up) || isinf(down) ? fmin(fmax(before, -down), -up) : -(up + down) / 2;
	return mean_of_free(set, side, middle);
}

/* Set rho = -b, and epsilon where there are two thresholds, b + epsilon and b - epsilon. */
static void find_thresholds(const struct smo_set *set, const struct smo_extremes *x,
			    struct iterate *at)
{
	double plus, minus;

	if (set->n_sides < 2 || set->slack > 0) {
		at->rho = find_threshold(set, set->n_sides < 2 ? SMO_PLUS : SMO_SIDES, x, at->rho);
		at->epsilon = 0;
		return;
	}
	plus = find_threshold(set, SMO_PLUS, x, at->rho - at->epsilon);
	minus = find_threshold(set, SMO_MINUS, x, at->rho + at->epsilon);
	at->rho = (plus + minus) / 2;
	at->epsilon = (minus - plus) / 2;
	/* a tube is not narrower than width 0, but for the tolerance */
	if (set->sums_are_limits)
		at->epsilon = fmax(at->epsilon, 0);
}

/* Steps taken so far, and the conditions that end them. */
struct smo_course {
	int64_t n_steps;
	int64_t limit; /* largest number of steps */
	double eps;    /* tolerance of max up - min down */
	/*
	 * flag of a stuck pair: the worst violating pair has a step too short to change either
	 * multiplier
	 */
	bool is_stuck;
};

/* Is the set, whose extremes are x, within eps, or at the limit of steps, or asked to end? */
static bool at_end(const struct smo *s, const struct smo_set *set, const struct smo_course *c,
		   const struct smo_extremes *x)
{
	/* slopes that overflow leave a violation that is no number, and no pair */
	return !(smo_violation(set, x) > c->eps) || c->n_steps >= c->limit ||
	       (c->n_steps > 0 &&
		(c->n_steps % INTERRUPTION_STEPS == 0 || s->source.source->is_slow) &&
		interruption_requested(s->interruption));
}

/* The member of the smallest down; of equal ones the last. */
static int64_t least_down(const struct smo_arrays *a, int64_t n)
{
	int64_t least = 0;

	for (int64_t j = 1; j < n; j++)
		if (a->slope[j] + a->down_offset[j] <= a->slope[least] + a->down_offset[least])
			least = j;
	return least;
}

/*
 * Choose and move one pair, (1) to (4); 1 where the pair moves neither multiplier; -1 where a
 * kernel row cannot be had.
 */
static int take_step(struct smo *s, struct smo_set *set, struct smo_extremes *x, struct error *err)
{
	const struct smo_direction d = smo_worst_direction(set, x);
	const struct smo_arrays lowered = smo_side(set, d.lowered);
	struct smo_pair pair = { .sides = d, .i = x[d.raised].up_index };

	pair.row_i = smo_row_of(s, set, pair.i, x, err);
	if (!pair.row_i)
		return -1;
	pair.j = smo_choose_partner(&lowered, pair.i, x[d.raised].up, pair.row_i);
	/* without a partner every promise of (1) is 0, or not a number, in floats */
	if (pair.j < 0)
		pair.j = least_down(&lowered, set->n);
	pair.row_j = smo_row_of(s, set, pair.j, x, err);
	if (!pair.row_j)
		return -1;
	return move_pair(s, set, &pair, x) ? 0 : 1;
}

/*
 * Have steps of pairs taken so many times the work of a Newton step that Newton steps may be worth
 * more?
 */
static bool newton_is_due(const struct smo *s, const struct smo_set *set, double times)
{
	int64_t n_free = smo_count_free(set);

	return n_free >= 2 && n_free <= NEWTON_MOST_FREE &&
	       s->newton.work + s->newton.late_work > times * smo_newton_work(n_free, set->n);
}

/*
 * Take Newton steps of the core, if they are due, for as much work as the pairs have taken, and
 * find which of the two was worth more: what pairs gain falls as they go on, so that the latest of
 * them count.  Returns 1 if multipliers may have moved, else 0; -1 with ERR_MEMORY.
 */
static int try_newton_steps(struct smo *s, double times, struct error *err)
{
	const double pairs_work = s->newton.late_work, pairs_gain = s->newton.late_gain;
	double gain, work;

	s->newton.work += pairs_work;
	s->newton.late_work = s->newton.late_gain = 0;
	if (!newton_is_due(s, &s->core, times))
		return 0;
	if (smo_newton(s, s->newton.work, &work, &gain, err) < 0)
		return -1;
	s->work += work;
	if (gain * pairs_work < pairs_gain * work)
		s->newton.ratio *= MORE_PATIENCE;
	else
		s->newton.ratio = fmax(s->eager ? 0 : FIRST_PATIENCE, s->newton.ratio / 2);
	s->newton.work = 0;
	return gain > 0;
}

/*
 * Take steps among all members or among the core, until at_end() or until a step moves no
 * multiplier.  Newton steps of the core may get on from there, if the pairs have taken as much
 * work.
 */
static int take_steps(struct smo *s, struct smo_set *set, struct smo_course *c,
		      struct smo_extremes *x, struct error *err)
{
	const int newton_steps = s->eager ? EAGER_STEPS : NEWTON_STEPS;

	smo_find_extremes(set, x);
	for (; !at_end(s, set, c, x); c->n_steps++) {
		int moved_none = take_step(s, set, x, err), gained = 0;

		if (moved_none < 0)
			return -1;
		if (set == &s->core && (moved_none > 0 || c->n_steps % newton_steps == 0))
			gained = try_newton_steps(s, moved_none > 0 ? 1 : s->newton.ratio, err);
		if (gained < 0)
			return -1;
		if (gained > 0)
			smo_find_extremes(set, x);
		c->is_stuck = moved_none > 0 && gained == 0;
		if (c->is_stuck)
			return 0;
	}
	return 0;
}

/*
 * Take steps of the core alone.  Where rows are kept whole it must be small, unless a pair is stuck
 * or Newton steps are due, which move only the core.
 */
static int run_core(struct smo *s, struct smo_course *whole, struct smo_extremes *x,
		    struct error *err)
{
	struct smo_course c = *whole;
	int64_t n = smo_count_core(&s->all, x);

	if (s->whole_rows && (double)n > MOST_OF_MEMBERS * (double)s->all.n && !whole->is_stuck &&
	    !newton_is_due(s, &s->all, s->newton.ratio))
		return 0;
	if (smo_load_core(s, x, n > MOST_IN_CORE ? CORE_BLOCK : MOST_IN_CORE, err) < 0)
		return -1;
	if (n > MOST_IN_CORE)
		c.limit = int64_min(c.limit, c.n_steps + CORE_BLOCK_STEPS(s->all.n));
	else
		c.eps = fmax(whole->eps, VIOLATION_LEFT * smo_violation(&s->all, x));
	if (take_steps(s, &s->core, &c, x, err) < 0)
		return -1;
	/*
	 * the pair is stuck only if no step was made: the core is not all members, and another pair
	 * may violate more by now
	 */
	whole->is_stuck = c.is_stuck && c.n_steps == whole->n_steps;
	whole->n_steps = c.n_steps;
	return smo_store_core(s, x, err);
}

/*
 * Are LIBSVM's steps due: with all examples as members, from the start, where multipliers are 0 or
 * what gives the machines of nu their sums?
 */
static bool begins_stepwise(const struct smo *s, double scale, const struct iterate *at)
{
	const struct problem_view *p = s->p;

	if (!problem_is_stepwise(p) || scale != 1 || s->rows.members.n != p->n ||
	    !s->rows.members.in_place)
		return false;
	if (problem_fixes_sums(p))
		return s->work == 0;
	for (int64_t i = 0; i < p->n; i++)
		if (at->beta[i] != 0)
			return false;
	return true;
}

int smo_run(struct smo *s, double scale, double eps, int64_t max_iterations, struct iterate *at,
	    struct error *err)
{
	struct smo_course whole = { .limit = max_iterations, .eps = eps };
	struct smo_extremes x[SMO_SIDES];

	s->newton.work = s->newton.late_work = s->newton.late_gain = 0;
	s->newton.ratio = s->eager ? 0 : FIRST_PATIENCE;
	if (begins_stepwise(s, scale, at) &&
	    smo_stepwise(s, eps, max_iterations, at, &whole.n_steps, err) < 0)
		return -1;
	s->work += (double)whole.n_steps * (STEP_WORK + (double)s->all.n);
	smo_load_members(s, scale, at->beta, at->f);
	smo_find_extremes(&s->all, x);
	while (!at_end(s, &s->all, &whole, x) && !whole.is_stuck) {
		whole.limit = int64_min(whole.n_steps + CORE_STEPS, max_iterations);
		if (s->whole_rows && take_steps(s, &s->all, &whole, x, err) < 0)
			return -1;
		whole.limit = max_iterations;
		if (!problem_is_stepwise(s->p) && run_core(s, &whole, x, err) < 0)
			return -1;
	}
	at->n_iterations += whole.n_steps;
	find_thresholds(&s->all, x, at);
	if (!smo_store_members(s, at->beta, at->f))
		at->rho = NAN;
	return smo_violation(&s->all, x) > eps && !whole.is_stuck;
}

/*
 * Have the row of member i in the kernel cache.  A row that is not cached is computed with rows of
 * later members that have a coefficient: rows are cheaper to compute many at a time.
 */
static int cache_row(struct smo *s, int64_t i, const double *coef, struct error *err)
{
	int64_t member[KERNEL_ROWS_AT_ONCE];
	int n = 0, at_once = kernel_rows_at_once(&s->source, &s->rows.members);

	if (row_cache_cached(&s->rows, i))
		return 0;
	for (; i < s->rows.members.n && n < at_once; i++)
		if (coef[s->rows.members.example[i]] != 0 && !row_cache_cached(&s->rows, i))
			member[n++] = i;
	return row_cache_fetch(&s->rows, member, n, err);
}

/*
 * Decision values of 'coef' over all members: slope_k -= change row_k, from slopes of 0 and with
 * change = -coef: (4) with two rows a pass.  Or the sizes of their terms.
 */
int smo_sums(struct smo *s, const double *coef, bool of_sizes, double *f, struct error *err)
{
	const struct smo_arrays *a = &s->all.a;
	const void *row[2] = { smo_finite_row(a), smo_finite_row(a) };
	double change[2] = { 0, 0 };
	struct smo_extremes ignored;
	int n = 0;

	memset(a->slope, 0, (size_t)a->n * sizeof(*a->slope));
	for (int64_t i = 0; i < s->rows.members.n; i++) {
		double c = coef[s->rows.members.example[i]];

		if (c == 0)
			continue;
		work_count(WORK_KEPT, s->rows.members.n);
		if (cache_row(s, i, coef, err) < 0)
			return -1;
		row[n] = row_cache_get(&s->rows, i);
		change[n++] = of_sizes ? -fabs(c) : -c;
		if (n < 2)
			continue;
		smo_step(a, change[0], row[0], change[1], row[1], &ignored);
		n = 0;
	}
	if (n == 1)
		smo_step(a, change[0], row[0], 0, smo_finite_row(a), &ignored);
	for (int64_t i = 0; i < s->rows.members.n; i++)
		f[s->rows.members.example[i]] = a->slope[i];
	return 0;
}

static int solve_with_smo(const struct solver *solver, const struct problem_view *p, double eps,
			  struct iterate *x, struct error *err)
{
	const struct interruption *interruption =
		p->interruption ? p->interruption : solver->interruption;
	struct smo s;
	int ret = -1;

	x->rho = 0;
	if (smo_init(&s, p, solver_rows_mb(solver), solver->n_threads, interruption, err) == 0 &&
	    smo_set_members(&s, NULL, err) == 0)
		ret = smo_run(&s, 1, eps, solver_max_iterations(p->n), x, err);
	smo_free(&s);
	return ret;
}

struct solver smo_solver(double cache_mb, int n_threads)
{
	return (struct solver){ .solve = solve_with_smo,
				.interruption = interruption_of_scope(),
				.cache_mb = cache_mb,
				.rows_mb = cache_mb,
				.n_threads = n_threads,
				.warm_start = true };
}
