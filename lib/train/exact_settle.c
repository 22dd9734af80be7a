/*
 * exact_settle.c - optimise a working set, and look at what is near, until neither violates
 *
 * Evaluating all N examples after each optimisation would cost N S kernel values a time.  Instead
 * each example i outside the working set keeps its last f_i and what the movement was then:
 *
 *     safety_i   how far f_i - rho may move before i violates: its slack if beta_i = 0, minus its
 *                slack if beta_i is at the bound
 *     moved_i    how far decision values have moved since f_i was computed
 *
 * and is evaluated again when safety_i < MOVEMENTS_NEAR moved_i, by corrections for the multipliers
 * that have changed since it was first (struct decision_history).  moved is a sum over
 * optimisations, of the mean |change of f - rho| over the members, times 1.25: sqrt(pi / 2) is the
 * ratio of standard deviation and mean absolute value of a normal variable.  Members are where the
 * movement is largest, so that MOVEMENTS_NEAR of it is rarely exceeded outside; what it misses the
 * proof finds.
 *
 * A pass at tolerance t: SMO on the members until m - M <= t; look near; while more than a few
 * violators turned up, again at t.  Then members at a bound that are KEPT_TOLERANCES t from
 * violating leave (they are constants of the problem again), and t becomes t / 10, down to the
 * last tolerance.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/certificate.h"
#include "train/exact_run.h"
#include "train/working_set.h"

/*
 * Measured on the rows of bench/train, where they make training fastest together: they change how
 * soon the optimum is found, not which.
 */
/* steps for each member of a subset, whose unfinished solution predicts, too */
#define SUBSET_STEPS 50
/* steps for each member in one run: with more, members drift far from the other examples */
#define RUN_STEPS 50
/* tolerances within which a member at a bound is near enough to violating to stay */
#define KEPT_TOLERANCES 3
/* movements of decision values within which an example is evaluated again: 95 % if normal */
#define MOVEMENTS_NEAR 2.0
/*
 * Steps of SMO after which it begins anew with the multipliers and decision values that it has come
 * to, whose state is small: a minute at most, and few trainings take as many.
 */
#define SLICE_STEPS (1 << 22)
/* share of members: so few violators are left to the next, smaller tolerance */
#define FEW_VIOLATORS 0.01
/*
 * Work of SMO, in kernel values of a proof, after which the next smaller tolerance waits for one: what
 * look_near() missed would otherwise be found when the last digits have been paid for, and
 * these again.  a9a with C = 1559 takes 10.0 s in place of 18, w8a with C = 1000 0.8 in place of 1.1;
 * no case of 26 takes more.  With 0.5 cpusmall (-s 3 -c 1000 -g .1) takes 1.7 times as much.
 */
#define WORK_OF_PROOF 2

/*
 * Tolerance of decision values that only predict, in units: twice that of subsets' solutions, whose
 * own noise is a hundred times their error.  It leaves floats to them where C is large.
 */
#define PREDICTED_TOLERANCE (2 * EXACT_SUBSET_TOLERANCE)

int exact_evaluate(struct exact_run *s, const int64_t *list, int64_t n, bool predicts,
		   struct error *err)
{
	struct decision_rows rows = exact_rows(s, list, n);
	int ret;

	if (predicts || !exact_at_top(s))
		rows.tolerance = fmax(rows.tolerance, PREDICTED_TOLERANCE * s->unit);
	ret = decision_of_rows(s->p, s->x->beta, &rows, s->x->f, err);
	for (int64_t k = 0; k < n; k++)
		s->movement.seen[list[k]] = s->movement.total;
	return ret;
}

/*
 * Evaluate examples outside the working set whose safety the movement may have used up.  Those that
 * violate join.  Returns their number, or -1.
 */
static int64_t look_near(struct exact_run *s, double tolerance, struct error *err)
{
	struct problem_view p = *s->p;
	int64_t *list = s->list_room, n = 0, n_violators = 0;
	struct decision_rows near;

	/* the problem with the bound C of this subset */
	p.c_plus *= s->subsets.scale;
	p.c_minus *= s->subsets.scale;
	for (int64_t i = 0; i < s->p->n; i++)
		if (exact_in_subset(s, i) && !s->is_working[i] &&
		    exact_safety(s, i) < MOVEMENTS_NEAR * (s->movement.total - s->movement.seen[i]))
			list[n++] = i;
	near = exact_rows(s, list, n);
	if (n > 0 && decision_update_rows(&s->proofs.history, s->p, s->x, &near, err) < 0)
		return -1;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = list[k];

		s->movement.seen[i] = s->movement.total;
		if (certificate_row_violates(&p, i, s->x->beta[i], s->x->f[i] - s->x->rho,
					     tolerance)) {
			s->is_working[i] = true;
			n_violators++;
		}
	}
	return n_violators;
}

/*
 * How many steps a run of n members may take.  Only the whole set uses up the run's allowance; a
 * run on part of it stops early, since violators outside change what is worth optimising.
 */
static int64_t step_limit(const struct exact_run *s, int64_t n)
{
	int64_t limit = s->pace.steps_left;
	double work = fmax(s->pace.most_work - s->smo.work, 0);

	if (work < (double)limit * (double)n)
		limit = n > 0 ? (int64_t)(work / (double)n) + 1 : limit;
	if (!exact_at_top(s))
		return int64_min(limit, SUBSET_STEPS * n);
	if (n > 0 && limit > s->pace.work_left / n)
		limit = s->pace.work_left / n;
	return n < s->p->n && limit > RUN_STEPS * n ? RUN_STEPS * n : limit;
}

/*
 * SMO on the members, slice by slice; each but the last ends at a safe point.  LIBSVM's own steps
 * are not to be cut.
 */
static int run_slices(struct exact_run *s, double tolerance, struct error *err)
{
	struct exact_pace *pace = &s->pace;
	int solved;

	for (;;) {
		int64_t limit = problem_is_stepwise(s->p) ? pace->run_left :
							    int64_min(pace->run_left, SLICE_STEPS);
		int64_t taken = -s->x->n_iterations;

		solved = smo_run(&s->smo, s->subsets.scale, tolerance, limit, s->x, err);
		if (solved < 0)
			return -1;
		if (!isfinite(s->x->rho) || !isfinite(s->x->epsilon))
			return error_no_finite_solution(s->p, err);
		taken += s->x->n_iterations;
		pace->run_left -= taken;
		pace->run_taken += taken;
		/* the optimisation has ended, or was interrupted */
		if (solved == 0 || pace->run_left <= 0 || taken < limit)
			return solved;
		exact_keep(s, EXACT_SETTLES);
	}
}

/*
 * Optimise the working set until m - M <= tolerance, or no steps are left.  The movement of the
 * members' decision values since s->movement.before is added to s->movement.total.
 */
static int optimise(struct exact_run *s, double tolerance, struct error *err)
{
	int64_t n, n_steps;
	double sum = 0;
	int solved;

	if (smo_set_members(&s->smo, s->is_working, err) < 0)
		return -1;
	n = s->smo.rows.members.n;
	if (s->pace.run_left < 0) {
		s->pace.run_left = step_limit(s, n);
		s->pace.run_taken = 0;
	}
	solved = run_slices(s, tolerance, err);
	if (solved < 0)
		return -1;
	exact_hold(s);
	n_steps = s->pace.run_taken;
	s->pace.run_left = -1;
	if (exact_at_top(s)) {
		s->pace.steps_left -= n_steps;
		s->pace.work_left -= n_steps * n;
	}
	/* has this run alone used up its steps, or the whole optimisation? */
	s->pace.cut_short = solved > 0 && exact_at_top(s) && step_limit(s, n) > 0;
	s->pace.gave_up = solved > 0 && !s->pace.cut_short;
	for (int64_t k = 0; k < n; k++) {
		int64_t i = s->smo.rows.members.example[k];

		sum += fabs(exact_position(s, i) - s->movement.before[i]);
	}
	/* 1.25: from mean absolute value to standard deviation */
	s->movement.total += 1.25 * sum / (double)(n > 0 ? n : 1);
	for (int64_t k = 0; k < n; k++)
		s->movement.seen[s->smo.rows.members.example[k]] = s->movement.total;
	return 0;
}

int exact_settle(struct exact_run *s, bool pause, struct error *err)
{
	for (;;) {
		double tolerance = fmax(s->pace.tolerance, s->pace.last), start = s->movement.total;
		int64_t n_violators, few;

		exact_keep(s, EXACT_SETTLES);
		s->keeping.resumes = false;
		s->pace.settled = false;
		if (optimise(s, tolerance, err) < 0)
			return -1;
		if (exact_interrupted(s) || exact_is_over(s))
			return 0; /* exact_prove() will look at all examples anyway */
		/* the first movement after a prediction is the error of that prediction */
		if (s->subsets.noise < 0)
			s->subsets.noise = s->movement.total - start;
		n_violators = look_near(s, tolerance, err);
		if (n_violators < 0)
			return -1;
		for (int64_t i = 0; i < s->p->n; i++)
			s->movement.before[i] = exact_position(s, i);
		few = tolerance > s->pace.last ?
			      (int64_t)(FEW_VIOLATORS * (double)s->smo.rows.members.n) :
			      0;
		s->pace.settled =
			n_violators == 0 && tolerance <= s->pace.last && !s->pace.cut_short;
		if (s->pace.settled || s->pace.gave_up)
			return 0;
		if (n_violators > few || s->pace.cut_short)
			continue;
		/*
		 * members at a bound, safe enough, leave the working set; a set solved as a whole
		 * keeps all: its kernel rows serve the proof
		 */
		for (int64_t i = 0; s->subsets.n_levels > 1 && i < s->p->n; i++)
			if (s->is_working[i] && !exact_is_free(s, i) &&
			    exact_safety(s, i) > KEPT_TOLERANCES * tolerance)
				s->is_working[i] = false;
		s->pace.tolerance = tolerance * EXACT_TOLERANCE_STEP;
		/* or SMO has worked on the whole set for so long that a proof costs little */
		if (pause ||
		    (exact_at_top(s) &&
		     s->smo.work - s->proofs.work >
			     WORK_OF_PROOF * ((double)s->p->n *
					      (double)multipliers_count(s->x->beta, s->p->n))))
			return 0;
	}
}
