/*
 * linear_solve.c - all five machines with the linear kernel, all examples at once
 *
 * The dual D(beta) of problem.h has one multiplier for each example and is flat in most directions:
 * methods that move a few multipliers at a time need the more steps the larger C is.  The proximal
 * point method adds a curvature of 1/sigma around the multipliers 'beta' of the last outer step,
 *
 *     beta <- argmax over beta'  D(beta') - |beta' - beta|^2 / (2 sigma)                        (1)
 *
 * (the augmented Lagrangian method, seen from (w, b)).  The constraint sum beta' = 0 of D becomes a
 * term tau (sum beta')^2 / 2 and a multiplier centre_b, and then (1) has a dual without constraints
 * in only d + 1 unknowns,
 *
 *     minimise over w, b   |w|^2 / 2 + (b - centre_b)^2 / (2 tau) + sum_i e_i(r_i)              (2)
 *     r_i = target_i - w.x_i - b
 *     e_i'(r) = prox_i(r) = clip(soft(beta_i + sigma r, sigma epsilon), lower_i, upper_i)       (3)
 *     soft(v, t) = sign(v) max(|v| - t, 0)
 *
 * Where (2) is least the proximal points (3) solve (1), and sum prox = (b - centre_b) / tau.  Every
 * outer step is then
 *
 *     linear_newton.c    (w, b) to the minimum of (2): a semismooth Newton method               (4)
 *     make_progress()    measures: up - down and both objectives at (w, b) and the points (3)   (5)
 *     linear_judge.c     where that is nearly eps: a feasible copy of the points (3) is measured,
 *                        and the best copy is the result                                        (6)
 *     run_outer_steps()  beta <- prox, centre_b <- b, sigma grows by growth()                   (7)
 *
 * The loops:
 *
 *     judge beta = 0, or the caller's start; done if that is it       run(), go_on()
 *     coordinate descent: for each epoch, for each row, one beta_i    linear_descend()
 *     repeat: an outer step                                           run_outer_steps()
 *         repeat: a Newton step                                       linear_minimise()
 *             direction by a factor of the matrix of the rows J       linear_direction_find()
 *                 where that is too large, by conjugate gradients,
 *                 each step a pass over the rows of J
 *             product of all rows with the direction: a pass over all entries
 *             repeat: a trial of the line search, a pass over vectors
 *             (w, b) and residuals move; the rows that enter and leave J are few
 *         until the gradient is small beside the outer step's goal
 *         measure up - down, P and D                                  make_progress()
 *         where they are nearly eps: repair, measure and keep a copy  linear_judge()
 *         beta <- prox, sigma grows                                   (7)
 *     until the kept copy is within eps, or no better one is likely
 *
 * Why it converges: (1) without its proximal term is the problem itself, and the term is 0 where
 * beta' = beta; so a step that does not move is at the maximum of D, and one that moves raises D by
 * |beta' - beta|^2 / (2 sigma) at least.  (4) need not be exact: what it leaves is measured by (5),
 * and a result is proved by (6) alone, whatever the way to it.
 *
 * A larger sigma needs fewer outer steps, each of more Newton steps; and it multiplies the rounding
 * error of r_i into beta_i.  So sigma starts at what moves many multipliers but not all to their
 * bounds, and grows after every outer step in which residuals did not fall tenfold, until (w, b)
 * are within eps.  Before the first outer step beta = 0 is judged, for a C so small or targets so
 * equal that it is the solution; then data of many features go through coordinate descent
 * (linear_descent.c).
 *
 * The machines of nu fix sums of multipliers.  One-class has sum beta = S, and (2) the further term
 * S b.  nu-SVC and nu-SVR have two sides of rows, of multipliers >= 0 and <= 0, whose sums are
 * fixed each, with a constant each, b[0] and b[1]: the thresholds of problem.h.  A row of nu-SVC is
 * on the side of its class; an example of nu-SVR has a row on each, so that all rows of a side have
 * the same form, and its multiplier is the sum of the two.  One is 0 but for a tube of width 0,
 * where the sum may be less than what the sides have: it is a solution as well.  They begin where
 * all multipliers of a side are equal, as 0 is not feasible.
 *
 * A column that all rows have is centred, which changes w = sum beta x where sum beta = S is not 0:
 * there w = offset + sum beta x of the centred rows, and (2) has w.x of these and the further term
 * -w.offset.
 *
 * A Newton step is one pass over the entries, one over changed rows and one Cholesky factor
 * (linear_direction.c).  The sources are in linear.h.
 *
 * What other values of the constants here and in the files above come to was counted on 39
 * trainings with eps = 1e-3: a9a, w8a, ijcnn1, reuters-moneyfx, 20news (classes 1 and 16),
 * rcv1-ccat-small, covtype (classes 1 and 2), spambase and skin_nonskin at C = 1, 100 and 1000;
 * cpusmall, cadata, space_ga and housing, unscaled, for regression at C = 0.01, 1 and 100.  They
 * took 509 outer steps, 1,611 Newton steps and 8,382 trials of line searches then, and take 596,
 * 1,655 and 8,851 now that constants follow text of 300,000 rows as well (svm-gen text).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/long_sum.h"
#include "base/order.h"
#include "linear/linear.h"
#include "linear/linear_work.h"
#include "problem/decision.h"

/*
 * Limits of outer steps and of Newton steps: three times the 24 and 203, some of these epochs, that
 * the hardest of the 39 trainings takes.
 */
#define MAX_OUTER_STEPS 80
#define MAX_ITERATIONS 600

/*
 * The engine gives up after this many outer steps in a row with neither a larger dual objective
 * nor a violation of at most STAGNANT times the least: rounding is what is left.  Above a relative
 * gap of EARLY_GAP it waits longer, for sigma may still be too small for a step to show.  A
 * safeguard: all of the 39 trainings end before it.
 */
#define STAGNANT 0.9
#define MAX_STAGNANT 5
#define MAX_STAGNANT_EARLY 15
#define EARLY_GAP 1e-3

/*
 * The violation at (w, b), in eps, from which the multipliers are judged, which takes passes over
 * all entries: a little above 1, as polished multipliers can be better than (w, b).  At 10 twice as
 * many are judged and none ends sooner.
 */
#define NEARLY_SOLVED 1.1

/*
 * Where (w, b) violate by at most ROUNDED_VIOLATION eps but the multipliers, repaired and polished,
 * by more than eps, they differ by rounding alone.  The second time ends the solving: ending at the
 * first one more of the 39 trainings misses eps, ending at the tenth none less.
 */
#define ROUNDED_VIOLATION 1e-3
#define MAX_ROUNDING 2

/*
 * From this violation on, in eps, sigma grows at most fourfold.  The number of Newton steps of an
 * outer step rises with the factor: on 300,000 rows of text at C = 1, three outer steps by 4, 2 and
 * 2 take 650 steps of conjugate gradients, and one by 10 takes 1,300.
 */
#define NEAR 100

/*
 * Outer steps whose Newton method ran into its limit of steps.  A larger sigma is harder still, so
 * that a second such step is the last one.  A safeguard: it happens in none of the 39.
 */
#define MAX_UNFINISHED 2

/*
 * tau = TAU residuals / C.  The curvature 1/tau of the proximal term of b then is 1e-5 of what one
 * row of J adds at the smallest sigma, SMALLEST_SIGMA C / residual: b is as good as free, and yet
 * the matrix of the Newton step is regular where J is empty.  1e6 and 1e12 take as many steps.
 */
#define TAU 1e9

/*
 * The relative gap that is wanted besides, in eps: 1e-5 at svm-train's eps of 1e-3, whose bound on
 * the violation bounds the gap only by a factor that depends on the data.  The outer step that
 * first has a feasible copy within eps and the next ones, MAX_SOLVED in all, may bring the gap
 * there: of the 1,611 Newton steps 33 more than with MAX_SOLVED = 1.
 */
#define GAP_PER_EPS 1e-2
#define MAX_SOLVED 5

/*
 * Outer steps after which r = target - x.w - b and sum prox x are computed from w and prox again:
 * each Newton step adds its change to both, and the rounding errors add up.  It takes two passes
 * over the entries, few beside the Newton steps of five outer steps.  Without it one more of the 39
 * trainings misses eps (w8a at C = 1000 goes to the limit of Newton steps); after each outer step
 * it changes nothing.
 */
#define STEPS_TO_REFRESH 5

/*
 * Coordinate descent is the start from this many features on: with fewer, ten epochs won a quarter
 * of the time on w8a (300 features) at C <= 1 and nothing at C >= 100, while 30 epochs alone solve
 * most text at C <= 1.  On 300,000 rows of text at C = 10 there follow 4,200 steps of conjugate
 * gradients after 30 epochs, 2,300 after 60 and 3,800 after 100; on few rows a Newton step takes
 * less time than an epoch.
 */
#define FEATURES_FOR_DESCENT 1000
#define FIRST_EPOCHS 60
#define FIRST_EPOCHS_FEW 30 /* epochs where there are at most FEW_ROWS rows */

/*
 * The first sigma is the smaller of C / residual / 2, where a typical residual takes a multiplier
 * half the way to its bound, and FIRST_PULL / mean |x|^2, but at least SMALLEST_SIGMA C / residual.
 * sigma |x|^2 compares the pull of one row with that of |w|^2 / 2 in (2).  Neither number matters
 * much: with a pull of 3 and 300 the 39 trainings take 1,586 and 1,542 Newton steps, with a
 * smallest sigma of 1e-6 and 1e-2 1,650 and 1,590.
 *
 * After coordinate descent most multipliers are where they belong, and sigma may be C / violation,
 * where no multiplier has further to go.  On few rows, where J never outgrows the dual way of the
 * Newton step by much, C / residual / 2 is the better limit (rcv1, 1,000 rows, at C = 100: 8
 * instead of 12 Newton steps), with a pull of up to FIRST_PULL_DESCENDED.  With it -c 1 and -c 100
 * took 65 and 63 ms of CPU time on 20news (1,079 rows) instead of 102 and 107; reuters-moneyfx
 * (7,770 rows) took twice as long at C = 1000.
 */
#define SMALLEST_SIGMA 1e-4
#define FIRST_PULL 30
#define FIRST_PULL_DESCENDED 3000
#define FEW_ROWS (2 * LINEAR_MAX_DUAL)

/*
 * The largest sigma, in C / residual, where a rounding error of 1e-16 residuals moves a multiplier
 * by 1e-6 C.  A safeguard: no sigma of the 39 trainings comes to 1e6.
 */
#define LARGEST_SIGMA 1e10

/* ---- where the engine begins ---- */

/*
 * C-SVC and epsilon-SVR begin at beta = 0 and w = 0.  The machines of nu cannot, as their
 * multipliers have sums: all multipliers of a side are the same part of their bounds,
 *
 *     beta_i = share bound_i,   share = S / sum of the bounds of the side                       (8)
 *
 * and w is sum beta x, which is right but for how much further some rows are out than others.  At
 * the solution the rows above the threshold b (on the second side below it) are at their bounds.
 * So b is where that share of the rows is above it.  (9)
 *
 * How far rows are from b at this start is the unit of their decision values, which C-SVC has in
 * its margin and a regression in its targets.  Where it is below 1 eps is that much less; and again
 * less where multipliers within it still leave a gap (linear_tighten()).
 */

/* The median of x, the upper of two where n is even; sorts x. */
static double median(double *x, int64_t n)
{
	qsort(x, (size_t)n, sizeof(*x), order_doubles);
	return x[n / 2];
}

/*
 * Where b starts and how large residuals are at w = 0.  For C-SVC 0 and 1; for regression the
 * median of the targets and their median distance from it.  (Coordinate descent, where it comes
 * first, begins at b = 0 and sets b itself.)
 */
static void find_start(const struct linear_task *t, double *b, double *residual, double *number)
{
	/* median() sorts, so it gets a copy */
	memcpy(number, t->row.target, (size_t)t->n * sizeof(*number));
	*b = median(number, t->n);
	for (int64_t i = 0; i < t->n; i++)
		number[i] = fabs(t->row.target[i] - *b);
	*residual = median(number, t->n);
}

/*
 * Set shares of the bounds, (8), so that the sums are those wanted; 'share' has one of each side.
 */
static void set_shares(struct linear_run *s, double *share)
{
	const struct linear_task *t = &s->task;
	double bounds[2] = { 0, 0 };

	/* a row of a machine of nu has one bound of 0, so that the sum is its other bound */
	for (int64_t i = 0; i < t->n; i++)
		bounds[linear_side(t, i)] += t->row.upper[i] + t->row.lower[i];
	/* a share of 1 puts all multipliers of the side at their bounds */
	for (int side = 0; side < 2; side++)
		share[side] = bounds[side] != 0 ? fmin(t->sides.sum[side] / bounds[side], 1) : 0;
	for (int64_t i = 0; i < t->n; i++)
		s->at.beta[i] = s->at.prox[i] =
			share[linear_side(t, i)] * (t->row.upper[i] + t->row.lower[i]);
}

/*
 * Quantile (9) of the residuals of a side without b.  'number' is scratch memory for as many
 * numbers as rows.
 */
static double quantile(const struct linear_run *s, int side, double share, double *number)
{
	const struct linear_task *t = &s->task;
	int64_t n = 0, place;

	for (int64_t i = 0; i < t->n; i++)
		if (linear_side(t, i) == side)
			number[n++] = s->at.residual[i];
	if (n == 0)
		return 0;
	qsort(number, (size_t)n, sizeof(*number), order_doubles);
	place = int64_min((int64_t)(share * (double)n), n - 1);
	/* the first side counts from its largest residual, the second from its smallest */
	return number[side == 0 ? n - 1 - place : place];
}

/* Start a machine of nu; 'residual' becomes how far the median row is from its b. */
static void start_evenly(struct linear_run *s, double *residual, double *number)
{
	const struct linear_task *t = &s->task;
	struct linear_point *at = &s->at;
	const double none[2] = { 0, 0 };
	double share[2];

	set_shares(s, share);
	/* weights w by (8), with the offset of centred columns */
	linear_plain_sum(t, at->beta, at->w);
	linear_residuals(t, at->w, none, at->residual);
	/* constant b by (9) for each side, from the residuals without b */
	for (int side = 0; side < t->sides.n; side++)
		at->b[side] = at->centre_b[side] = quantile(s, side, share[side], number);
	for (int64_t i = 0; i < t->n; i++)
		number[i] = fabs(at->residual[i] - at->b[linear_side(t, i)]);
	*residual = median(number, t->n);
	if (!(*residual > 0)) /* half of the rows are equal: their median distance is no unit */
		for (int64_t i = 0; i < t->n; i++)
			*residual += number[i] / (double)t->n;
}

/*
 * Factor by which linear_tighten() lowers eps, and least share of the first eps: doubles have six
 * digits more.
 */
#define NARROWER 0.1
#define NARROWEST 1e-7

/*
 * make task.eps smaller where the violation allowed says little
 *
 * The machines of nu have no unit: their decision values grow with the multipliers' sums, and are
 * small where features or nu l are.  Returns false where eps is not made smaller: other machines, a
 * small relative gap, or an eps as small as rounding leaves room for.
 */
static bool linear_tighten(struct linear_run *s)
{
	struct linear_task *t = &s->task;

	if (!t->sides.fixes_sums || s->best.gap <= LINEAR_SURE_GAP ||
	    t->eps <= NARROWEST * t->o->eps * fmin(1, s->at.scale))
		return false;
	t->eps *= NARROWER;
	return true;
}

/*
 * the first multipliers, w and b, which are judged
 *
 * They are feasible, so that there is a result whatever happens later.  '*residual' is how large
 * the residual of a row is then, in the middle; '*violation' is that of the multipliers.  Returns
 * 0, or -1 with ERR_MEMORY.
 */
static int linear_start(struct linear_run *s, double *residual, double *violation,
			struct error *err)
{
	const bool fixes_sums = s->task.sides.fixes_sums;
	double *number = mem_array(s->task.n, sizeof(*number), err);

	*residual = s->at.scale = 1;
	if (!number)
		return -1;
	if (fixes_sums)
		start_evenly(s, residual, number);
	else if (s->task.p->type != MACHINE_C_SVC)
		find_start(&s->task, s->at.b, residual, number);
	mem_free(number);
	/* a distance of 0 is no unit: half of the rows are equal, and 1 is taken */
	if (!(*residual > 0))
		*residual = 1;
	if (fixes_sums) {
		s->at.scale = *residual;
		s->task.eps *= fmin(1, s->at.scale);
		return linear_judge_plain(s, violation, err);
	}
	*violation = linear_judge_zero(s);
	return 0;
}

/* ---- outer steps ---- */

/* Does coordinate descent come before the Newton steps? */
static bool descends(const struct linear_task *t)
{
	return t->d >= FEATURES_FOR_DESCENT;
}

/*
 * First sigma: one that moves many multipliers in the first outer step, but not all to their
 * bounds; 'violation' is that after coordinate descent, or INFINITY.
 */
static double first_sigma(const struct linear_task *t, double residual, double violation)
{
	double full = t->c_max / residual, wanted = full / 2, pull = FIRST_PULL;

	/* sigma residual is how far a multiplier wants to go: with 'full' a whole box, C */
	if (descends(t) && t->n <= FEW_ROWS)
		pull = FIRST_PULL_DESCENDED;
	else if (descends(t))
		wanted = fmax(wanted, t->c_max / violation);
	return fmax(SMALLEST_SIGMA * full, fmin(wanted, pull / t->mean_norm2));
}

/* Is the duality gap small as well as the violation? See GAP_PER_EPS. */
static bool is_certain(const struct linear_run *s)
{
	return linear_is_solved(s) && s->best.gap <= GAP_PER_EPS * s->task.o->eps;
}

/*
 * Steps (5), (6) of an outer step: violation, primal and dual objective at (w, b) and the proximal
 * points, whose sum is 0 only nearly; what looks solved is judged by feasible multipliers.  Returns
 * 1 to go on; 0 at the end: solved, or a further step would not help (rounding, stagnation, Newton
 * methods that do not finish, overflow); or -1 with an error.
 */
static int make_progress(struct linear_run *s, struct linear_progress *best, struct error *err)
{
	const double none[2] = { 0, 0 };
	struct linear_state state[2];
	double dual, violation, tested;

	/* residual is target - w.x - b already: the biases are 0 for this measure */
	violation = linear_measure_rows(s, s->at.prox, s->at.residual, none, state);
	s->at.primal = linear_primal(&s->task, s->at.w, s->at.b, state);
	dual = linear_dual(&s->task, s->at.sum_w, state);
	/* the values are so large that products overflow: the best so far is the result */
	best->overflows = !isfinite(dual) || !isfinite(s->at.primal);
	if (best->overflows)
		return 0;
	best->last = violation;
	if (violation <= NEARLY_SOLVED * s->task.eps) {
		if (linear_judge(s, &tested, err) < 0)
			return -1;
		if (is_certain(s) ||
		    (linear_is_solved(s) && ++best->n_solved == MAX_SOLVED && !linear_tighten(s)))
			return 0;
		/*
		 * (w, b) are nearly within eps, but the multipliers are not the result yet: from
		 * here on prox must follow more closely
		 */
		s->at.precise = true;
		best->n_rounding +=
			violation <= ROUNDED_VIOLATION * s->task.eps && tested > s->task.eps;
	}
	/* progress is either of two: the violation may rise for some steps while the dual climbs */
	best->n_stagnant = violation < STAGNANT * best->violation || dual > best->dual ?
				   0 :
				   best->n_stagnant + 1;
	best->violation = fmin(best->violation, violation);
	best->dual = fmax(best->dual, dual);
	return best->n_rounding < MAX_ROUNDING && s->n_unfinished < MAX_UNFINISHED &&
	       best->n_stagnant < (s->at.primal - best->dual < EARLY_GAP * fabs(s->at.primal) ?
					   MAX_STAGNANT :
					   MAX_STAGNANT_EARLY);
}

/*
 * The factor by which sigma grows, (7).  'moved' is max |prox - beta| / sigma: for a multiplier
 * between its bounds the residual that is left, epsilon apart, which is 0 at the solution.  Where
 * it fell tenfold in this outer step, or (w, b) are nearly within eps, sigma is large enough; but
 * where the multipliers have been within eps in two outer steps and only the gap is not small, a
 * larger one brings it down sooner (basehock at C = 0.1: 1.2e-5 is left after five outer steps
 * with the first sigma).  Where it fell by 30 % or more, sigma is doubled: with 2 instead of 3 the
 * Newton method of the next outer step starts nearer to its end and w8a takes less time.  Where it
 * hardly fell, the outer steps move multipliers by a small part of the way to their bounds: sigma
 * grows 10 to 1000 times, so that the next step can move one by 3 % of C; or fourfold NEAR the
 * solution.
 */
static double growth(const struct linear_run *s, const struct linear_progress *p, double moved,
		     double previous)
{
	double eps = s->task.eps;

	/* within eps for the second time, and the gap is not small */
	if (p->n_solved > 1)
		return 4;
	/* solved, or residuals fell tenfold: sigma is large enough */
	if (p->last <= NEARLY_SOLVED * eps || moved <= 0.1 * previous)
		return 1;
	/* residuals fell by 30 % at least */
	if (moved <= 0.7 * previous)
		return 2;
	/* residuals hardly fell */
	if (p->last <= NEAR * eps)
		return 4;
	return fmin(1000, fmax(10, 0.03 * s->task.c_max / s->at.change.largest));
}

/*
 * Outer steps from beta, w and b, until make_progress() ends them, a limit or an interruption.  At
 * a safe point the other quantities are computed anew even without an interruption, so that a
 * resumed run takes the same steps.
 */
static int run_outer_steps(struct linear_run *s, double residual, struct error *err)
{
	struct linear_progress *best = &s->progress;
	double violation;

	linear_refresh(s);
	while (best->step < MAX_OUTER_STEPS && s->n_iterations - s->epochs.n < MAX_ITERATIONS) {
		double moved, size = residual;
		int more;

		if (best->step % STEPS_TO_REFRESH == 0)
			linear_keep(s, LINEAR_STEPS);
		best->step++;
		if (linear_minimise(s, err) < 0) /* semismooth Newton method, (4) */
			return -1;
		if (s->interrupted)
			break;
		more = make_progress(s, best, err); /* measures of progress, (5), (6) */
		if (more < 0)
			return -1;
		if (more == 0)
			break;
		/*
		 * multipliers and sigma of the next outer step, (7): 'moved' comes first, as it is
		 * relative to the old beta
		 */
		moved = s->at.change.largest / s->at.sigma;
		memcpy(s->at.beta, s->at.prox, (size_t)s->task.n * sizeof(*s->at.beta));
		memcpy(s->at.centre_b, s->at.b, sizeof(s->at.b));
		/*
		 * LARGEST_SIGMA is in C / residual; of the machines of nu w may become many times
		 * smaller than it is at first, and residuals with it
		 */
		if (s->task.sides.fixes_sums)
			size = fmin(sum_of_sizes(s->at.residual, s->task.n) / (double)s->task.n,
				    residual);
		s->at.sigma = fmin(growth(s, best, moved, best->previous) * s->at.sigma,
				   LARGEST_SIGMA * s->task.c_max / size);
		best->previous = moved;
		if (best->step % STEPS_TO_REFRESH == 0)
			linear_refresh(s);
	}
	if (linear_is_solved(s) || best->overflows || s->interrupted)
		return 0;
	/*
	 * Keep the multipliers of an unsolved problem: the caller gets those with the smallest gap,
	 * as a start for another solver.  Half way through an outer step those of the last one may
	 * be the better ones.
	 */
	if (linear_judge(s, &violation, err) < 0)
		return -1;
	memcpy(s->at.prox, s->at.beta, (size_t)s->task.n * sizeof(*s->at.prox));
	return linear_judge(s, &violation, err);
}

/* Begin the outer steps from beta, w and b; 'violation' as in first_sigma(). */
static void begin_outer_steps(struct linear_run *s, double residual, double violation)
{
	/* 'previous' is so large that residuals count as fallen in the first call of growth() */
	s->progress = (struct linear_progress){ .previous = DBL_MAX,
						.violation = INFINITY,
						.dual = -INFINITY };
	s->at.sigma = first_sigma(&s->task, residual, violation);
	s->at.tau = TAU / (s->task.c_max / residual);
	memcpy(s->at.centre_b, s->at.b, sizeof(s->at.b));
	memcpy(s->at.prox, s->at.beta, (size_t)s->task.n * sizeof(*s->at.prox));
}

/* ---- squared losses ---- */

/*
 * The primal problem,
 *
 *     minimise over w, b   |w|^2 / 2 + sum_i C_i max(0, |t_i - w.x_i - b| - epsilon)^2          (1)
 *
 * (for C-SVC, epsilon = 0, the loss of one side only), is what an outer step of run_outer_steps()
 * minimises, with beta = 0, sigma_i = 2 C_i, no bounds and an infinite tau: there
 *
 *     e_i'(r) = prox_i(r) = 2 C_i soft(r, epsilon)                                              (2)
 *
 * is the derivative of the squared loss.  So one outer step is all there is, and the proximal
 * points are the multipliers: sum prox = 0 and w = sum_i prox_i x_i where (1) is least, and
 *
 *   D(beta) = sum_i (t_i beta_i - epsilon |beta_i| - beta_i^2 / (4 C_i)) - |sum_i beta_i x_i|^2 / 2
 *
 * is as large as (1) is small.  Its derivative by beta_i is t_i - w.x_i - beta_i / (2 C_i) -+
 * epsilon, which is b for every row with a multiplier.
 *
 * The steps of solve_squared():
 *
 *     S1  beta = 0, sigma = 2 max C (the weights of the rows make it 2 C_i), tau infinite nearly
 *     S2  centre_b <- b: what the finite tau held back is given up
 *     S3  the Newton method on (1), to the step whose promise is SQUARED_DECREMENT
 *     S4  a feasible copy of the multipliers (2) is judged
 *
 * The Newton method comes to rest after finitely many steps, as (1) has finitely many quadratic
 * pieces; conjugate gradients leave a rest, and a finite tau holds b back a little.  So it is
 * begun again where it ended until the multipliers, made feasible, are within eps and the gap is
 * small.
 *
 * Source: Keerthi, DeCoste 2005, J. Mach. Learn. Res. 6 (the primal, by Newton steps with exact
 * line search); Lin, Weng, Keerthi 2008, J. Mach. Learn. Res. 9 (conjugate gradients).
 */

/*
 * Most times that the Newton method is begun again.  Each time the gap falls to the error of the
 * last direction, squared; more than three are taken only where rounding is what is left.
 */
#define MAX_TIMES 4

static int solve_squared(struct linear_run *s, struct error *err)
{
	struct linear_point *at = &s->at;

	/* S1: with beta = 0 the proximal points of an outer step are those of (2) */
	if (!s->resumes) {
		memset(at->beta, 0, (size_t)s->task.n * sizeof(*at->beta));
		at->sigma = 2 * s->task.c_max;
		at->tau = TAU / s->task.c_max;
		/* there is no outer step after this one to make up for a loose direction */
		at->precise = true;
	}
	linear_refresh(s);
	for (; s->n_times < MAX_TIMES; s->n_times++) {
		double violation, before = s->best.gap;

		linear_keep(s, LINEAR_SQUARED);
		/* S2: the term (b - centre_b)^2 / (2 tau) pulls b back to where it was before S3 */
		memcpy(at->centre_b, at->b, sizeof(at->b));
		/* S3: minimise by the semismooth Newton method */
		if (linear_minimise(s, err) < 0)
			return -1;
		if (s->interrupted)
			break;
		/* S4: judge, after the rounding of the steps is gone, which 2 C would enlarge */
		linear_refresh(s);
		if (linear_judge(s, &violation, err) < 0)
			return -1;
		/* the gap is small, or no longer falls: only rounding is left of it */
		if (linear_is_solved(s) &&
		    (s->best.gap <= GAP_PER_EPS * s->task.o->eps || s->best.gap >= before))
			break;
	}
	return 0;
}

/* ---- the whole ---- */

/* Coordinate descent, where it comes first.  Returns 1 where the Newton steps have work left. */
static int run_descent(struct linear_run *s, double *violation, struct error *err)
{
	int within, epochs = s->task.n <= FEW_ROWS ? FIRST_EPOCHS_FEW : FIRST_EPOCHS;

	if (!descends(&s->task))
		return 1;
	if (s->task.o->epochs > 0)
		epochs = s->task.o->epochs;
	within = linear_descend(s, epochs, violation, err);
	if (within < 0)
		return -1;
	if (s->interrupted)
		return 0;
	/* the descent has judged its multipliers, and they are the result */
	if (s->task.o->epochs > 0 && within > 0)
		return 0;
	if (within > 0 && linear_judge(s, violation, err) < 0)
		return -1;
	return !is_certain(s);
}

/* The run from its start, or from the safe point that was read. */
static int go_on(struct linear_run *s, double residual, struct error *err)
{
	double violation = INFINITY;
	int ret;

	/* 1. the caller's start ends the run if it is the optimum; else the start is not used */
	if (!s->resumes && s->task.o->start) {
		if (linear_judge_start(s, s->task.o->start, err) < 0)
			return -1;
		if (is_certain(s))
			return 0;
	}
	/* 2. coordinate descent; a state read from a later place has the descent behind it */
	if (!s->resumes || s->place == LINEAR_DESCENDS) {
		ret = run_descent(s, &violation, err);
		if (ret <= 0)
			return ret;
	}
	/* 3. Newton steps: one outer step for squared losses, else as many as it takes */
	if (linear_lead_start(s, err) < 0)
		return -1;
	if (s->task.p->squared_loss)
		return solve_squared(s, err);
	if (!s->resumes)
		begin_outer_steps(s, residual, violation);
	return run_outer_steps(s, residual, err);
}

static int run(struct linear_run *s, struct error *err)
{
	double residual, violation;
	int found;

	if (linear_start(s, &residual, &violation, err) < 0)
		return -1;
	/*
	 * solved by the first multipliers; or norms overflow, and no better multipliers can be had
	 */
	if ((violation <= s->task.eps && !linear_tighten(s)) || !isfinite(s->task.mean_norm2))
		return 0;
	found = linear_enter(s, err);
	if (found < 0 || found == CHECKPOINT_FINISHED)
		return found < 0 ? -1 : 0;
	linear_lead_begin(s);
	if (go_on(s, residual, err) < 0)
		return -1;
	/* an interrupted run is no outcome to keep: a later run goes on from the last safe point */
	if (s->interrupted)
		return linear_is_solved(s) ? 0 : linear_lead_take(s, err);
	checkpoint_leave(s->task.o->checkpoint);
	return 0;
}

/*
 * w of the Newton steps, by column of the data, of those that support vectors have; centring has not
 * changed it.
 */
static int take_weights(const struct linear_run *s, struct linear_result *result, struct error *err)
{
	const struct linear_rows *rows = &s->task.x;
	const struct csr *x = s->task.p->x;
	double *w = result->w = mem_zeroed(x->n_cols, sizeof(*w), err);

	if (rows->helpers && rows->helpers->bring(rows->helpers, err) < 0)
		return -1;
	for (int64_t i = 0; w && i < rows->n; i++) {
		int64_t example = rows->order[i];
		const int32_t *col = x->col + x->row_start[s->task.p->row[example]];
		const int32_t *own = rows->shared ? x->col : rows->col;

		for (int64_t k = rows->start[i];
		     k < rows->start[i + 1] && s->best.beta[example] != 0; k++)
			w[*col++] = s->at.w[own[k]];
	}
	return w ? 0 : -1;
}

/* f of the best multipliers from a w of twice the digits, of rows in the columns of the data */
static int evaluate_shared(struct linear_run *s, struct error *err)
{
	const struct linear_rows *x = &s->task.x;
	struct linear_trial *trial = &s->trial;
	struct long_sum sum = { 0 };

	for (int64_t i = 0; i < x->n; i++)
		trial->beta[i] = s->best.beta[x->order[i]];
	if (linear_rows_sum(x, trial->beta, 0, trial->w, err) < 0)
		return -1;
	/* the multipliers add up to 0 but for rounding, which counts where the centre is far from 0 */
	for (int64_t i = 0; i < x->n; i++)
		long_sum_add(&sum, trial->beta[i], 1);
	for (int64_t j = 0; j < x->d; j++)
		trial->w[j] += long_sum_value(&sum) * x->centre[j];
	linear_rows_times(x, NULL, x->n, trial->w, ordered_product(x->centre, trial->w, x->d),
			  trial->residual);
	for (int64_t i = 0; i < x->n; i++)
		s->best.f[x->order[i]] = trial->residual[i];
	return 0;
}

int linear_solve(const struct problem_view *p, const struct linear_options *o, double *beta,
		 double *f, struct linear_result *result, struct error *err)
{
	struct linear_run s = { .task = { .p = p, .o = o }, .best = { .beta = beta, .f = f } };
	int ret = -1;

	if (linear_run_init(&s, err) == 0 && run(&s, err) == 0) {
		*result = (struct linear_result){ .rho = s.best.rho,
						  .epsilon = s.best.epsilon,
						  .n_iterations = s.n_iterations,
						  .violation = s.best.violation,
						  .dual = s.best.dual,
						  .interrupted = s.interrupted };
		ret = s.best.violation <= o->eps || linear_is_solved(&s) ? 0 : 1;
		if (s.task.x.shared && evaluate_shared(&s, err) < 0)
			ret = -1;
		result->evaluated = s.task.x.shared && are_finite(f, p->n);
		if (o->helpers && o->helpers->err.code != ERR_NONE)
			ret = error_pass(err, &o->helpers->err);
		if (o->weights && !s.interrupted && !problem_fixes_sums(p) &&
		    decision_far_error(p, beta) > 0 && take_weights(&s, result, err) < 0)
			ret = -1;
	}
	linear_run_free(&s);
	return ret;
}
