/*
 * exact_solve.c - the optimum of a whole problem, by nested random subsets and working sets
 *
 * With N examples and S support vectors, SMO on everything costs about N kernel values a step.
 * But of most examples the optimum is easily predicted: they are far beyond the margin (beta = 0)
 * or far within it (|beta| = C).  Only the few between need steps.  So:
 *
 *     subsets    S_0 < S_1 < ... < S_top = all, random and nested, each 4 times the one before
 *                (the last 2 to 8 times).
 *                S_0 is solved from nothing.  Its decision function predicts f on S_1, and with f
 *                which examples of S_1 are at 0, at the bound or between (exact_subsets.c).
 *     scale      An example of S_l stands for N / |S_l| examples of the whole set, so S_l is
 *                solved with C N / |S_l|: then w, and with it f, hardly changes with l.
 *     settle     SMO on the working set of S_l, those between; then a look at examples whose last
 *                f is so near to violating that it may have changed sides; violators join; again
 *                (exact_settle.c).
 *     prove      On the whole set only: evaluate every example in sums of doubles, count
 *                violators, compute P and D.  Violators join and it goes on; none is the end
 *                (exact_prove.c).
 *     end        The result is the best solution so far, also of a run that is interrupted, whatever
 *                it was at: ERR_INTERRUPTED comes up from there (exact_best.c).
 *
 * Predictions only save work.  Whatever they were worth, the end is a proof over all examples:
 * svm-train's stopping rule m(beta) - M(beta) <= eps, and P - D.  Tolerances fall in steps of 10
 * from EXACT_FIRST_TOLERANCE, because a working set settled to 0.3 tells already which members
 * are far from violating, and those leave it before the expensive last digits (see exact_settle()).
 *
 * The loops:
 *
 *     for each subset S_l but the last                                solve_subsets()
 *         predict f and beta on S_l from the subset before            exact_enter_subset()
 *         repeat
 *             for each tolerance, down to EXACT_SUBSET_TOLERANCE      exact_settle()
 *                 repeat
 *                     SMO on the working set
 *                     look at examples that may violate by now
 *                     violators join the working set
 *                 until none joins
 *                 members far from violating leave it
 *         while f turns out far smaller than the tolerance assumed
 *     predict f and beta on the whole set
 *     repeat                                                          solve_whole()
 *         settle as above, down to a share of eps                     exact_settle()
 *         f of all examples; P and D; violators join                  exact_prove()
 *     until the gap, or m - M, is small enough,                       should_stop()
 *         or it is interrupted, or no steps are left
 *     the solution of least primal is the result                      exact_end()
 *
 * Two members may spoil one another at the edge of what floats hold, so that a settled working
 * set has violators in every proof: is_stuck() ends that.
 *
 * Instead of nested subsets a run may begin on the whole set with given multipliers, which are of
 * another training: of another C, of fewer rows, of another kernel.  begin_whole():
 *
 *     (1)  f of all examples.  It takes n n_sv kernel values, most of what the first proof would
 *          take: the decision history keeps them, and proofs correct them.
 *     (2)  Where C has grown no multiplier is at its bound, though the solution's mostly are if
 *          they were.  All t beta with t up to 'limit', which brings the largest to its bound,
 *          are feasible, and
 *
 *              D(t beta) = t L - t^2 |w|^2 / 2,   L = sum_i (y_i beta_i - epsilon |beta_i|)
 *
 *          is largest at t = min(L / |w|^2, limit); f grows with it, without kernel values.
 *          On a9a 98 % of the optimum at 2 C are reached so, and half of them without it.
 *     (3)  Is it worth anything?  A start whose gap is about that of 0 is dropped, unless it seems to
 *          be what is left of the solution by some rows less: support vectors that are gone move all
 *          decision values, which widens the gap at once, and few steps mend it.
 *     (4)  The working set: what is free or near the margin, as between subsets.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/exact.h"

#include "proof/certificate.h"
#include "train/exact_run.h"
#include "train/start.h"

/*
 * exact_improve() repairs what the linear engine could not finish.  It may take this many steps
 * besides one per example, and this many steps times members: about a minute at 1e9 a second.
 */
#define IMPROVING_STEPS 1000000
#define IMPROVING_WORK 50000000000

/*
 * The share of eps that members are settled to.  Proofs grant each side of b eps / 2; the tenth of
 * eps between is for the difference of float kernel values in SMO and the sums of the proof.
 */
#define MEMBERS_SHARE 0.4

/* Share of the assumed unit of decision values: a measured unit below it is worth another try. */
#define UNIT_SHARE 0.5

/*
 * Where more than an eighth of all examples are support vectors, these cannot all be computed again
 * for their rounding (rounding.c), and the sizes of their terms are measured.
 */
#define MANY_VECTORS 8

/*
 * Most proofs in a row whose violators are all members that SMO takes for settled, as its values are
 * sums of the changes of all steps, in floats; after each it settles them to half.
 */
#define MOST_STALLS 3
#define STALLED_STEP 0.5

static int run_init(struct exact_run *s, struct error *err)
{
	const struct solver *solver = s->task->solver;
	int64_t n = s->p->n;

	s->subsets.first_level = mem_zeroed(n, sizeof(uint8_t), err);
	s->is_working = mem_zeroed(n, sizeof(bool), err);
	s->list_room = mem_array(n, sizeof(int64_t), err);
	s->movement.before = mem_zeroed(n, sizeof(double), err);
	s->movement.seen = mem_zeroed(n, sizeof(double), err);
	if (decision_history_init(&s->proofs.history, n, err) < 0)
		return -1;
	earlier_end_init(&s->end, randsvm_interruption(s->task), 0);
	return smo_init(&s->smo, s->p, solver_rows_mb(solver), s->o->n_threads, &s->end.own, err);
}

static void run_free(struct exact_run *s)
{
	mem_free_all(s->subsets.first_level, s->is_working, s->list_room, s->movement.before,
		     s->movement.seen, s->proofs.best.x.beta, s->proofs.best.x.f);
	exact_free_samples(s);
	decision_history_free(&s->proofs.history);
	near_matrix_free(&s->near);
	smo_free(&s->smo);
}

/*
 * Settle a subset, to a tolerance in units of its decision values.  How large these are may be
 * known only then: if they are far smaller than they were thought to be, once more.
 */
static int settle_subset(struct exact_run *s, struct error *err)
{
	struct exact_pace *pace = &s->pace;

	do {
		if (!s->keeping.resumes) {
			pace->unit = s->unit;
			pace->last =
				fmax(EXACT_SUBSET_TOLERANCE * s->unit, MEMBERS_SHARE * s->o->eps);
			pace->tolerance = s->subsets.level == 0 ? pace->last :
								  EXACT_FIRST_TOLERANCE * s->unit;
		}
		if (exact_settle(s, false, err) < 0)
			return -1;
		exact_measure_unit(s);
	} while (s->unit < UNIT_SHARE * pace->unit && !exact_interrupted(s) && !exact_is_over(s));
	return 0;
}

/*
 * Share of support vectors in the largest subset from which on kernel values of a narrow kernel are
 * kept.  That is half as much work as evaluating all examples once where all are support
 * vectors, which is done several times.
 */
#define LEAST_VECTORS 0.25

/*
 * exact_make_near() where the kernel is narrow and most of its values will be wanted
 *
 * By the share of 'n_examples', those that the multipliers are of, that are support vectors.
 */
static int keep_near(struct exact_run *s, int64_t n_examples, struct error *err)
{
	const struct kernel_source *source = problem_source(s->p);
	bool serves;

	if (!s->keeps_values || !source->x_float || s->p->kernel.type != KERNEL_RBF ||
	    near_source_is(source) || s->subsets.n_levels == 1 ||
	    (double)multipliers_count(s->x->beta, s->p->n) < LEAST_VECTORS * (double)n_examples)
		return 0;
	if (near_source_serves(source, s->p->row, s->p->n, &serves, err) < 0)
		return -1;
	return serves ? exact_make_near(s, err) : 0;
}

/*
 * Settle one subset after another, until the working set of the whole set is predicted.  Returns 1
 * where the run is over before that.  Begins with the level that the run has.
 */
static int solve_subsets(struct exact_run *s, struct error *err)
{
	for (; !exact_at_top(s); s->subsets.level++) {
		bool is_first = s->subsets.level == 0;

		/* so there is always a model of a sample; SUBSET_STEPS take little time */
		s->smo.interruption =
			is_first && !problem_source(s->p)->is_slow ? NULL : &s->end.own;
		if ((!s->keeping.resumes && exact_enter_subset(s, err) < 0) ||
		    settle_subset(s, err) < 0)
			return -1;
		if (exact_is_over(s))
			return 1;
		if (exact_interrupted(s) && !is_first)
			return error_set(err, ERR_INTERRUPTED, "interrupted");
		/* the subset is settled: its solution is the best so far of the whole set, too */
		s->round.n_violators = 0;
		exact_observe(s);
		if (exact_offer_sample(s, s->subsets.size[s->subsets.level], err) < 0)
			return -1;
	}
	s->keeping.resumes = false;
	s->smo.interruption = &s->end.own;
	if (s->subsets.level > 0 && keep_near(s, s->subsets.size[s->subsets.level - 1], err) < 0)
		return -1;
	return exact_enter_subset(s, err);
}

/*
 * The largest relative gap of a start that is used; all multipliers 0 have 1.  Of 40 trainings of
 * a9a, ijcnn1 and covtype those that began with a gap above it (multipliers of another kernel, of a
 * hundredth of C, of 2 % of the rows) took 0.9 to 3 times the time of the subsets, those below it
 * 0.3 to 1.4 times.
 */
#define MOST_GAP 0.95

/*
 * What is left of a solution has a dual of this share of L at least, and at most so many violators for
 * each support vector; then a start with a wider gap is used, too.  Of ijcnn1 at C = 32 without 100 of
 * its rows (gap 0.989) it saves four fifths of the steps, of cadata without 100 or 1000 (0.95 to
 * 0.999) three quarters.  Solutions of 2 % of the rows have 30 violators a vector, and of another
 * kernel mostly a dual near 0 or below.
 */
#define LEAST_DUAL 0.25
#define MOST_VIOLATORS 10

/*
 * How far decision values of a start may be off: members are taken from a band of that size.  With
 * 0.1 and 1 ten of these trainings take as long.
 */
#define START_NOISE EXACT_FIRST_TOLERANCE

/* Largest factor t of step (2), or 1: with t < 1 multipliers would leave their bounds. */
static double best_factor(const struct exact_run *s)
{
	const double *beta = s->x->beta;
	double norm2 = ordered_product(beta, s->x->f, s->p->n), limit = INFINITY;

	for (int64_t i = 0; i < s->p->n; i++)
		if (beta[i] != 0)
			limit = fmin(limit, problem_bound(s->p, i) / fabs(beta[i]));
	if (norm2 > 0)
		limit = fmin(limit, exact_linear(s) / norm2);
	return limit > 1 && isfinite(limit) ? limit : 1;
}

/* Step (2): multiply beta and f by the factor, which brings multipliers up to their bounds. */
static void stretch(struct exact_run *s, double factor)
{
	struct decision_history *h = &s->proofs.history;

	for (int64_t i = 0; i < s->p->n; i++) {
		double c = problem_bound(s->p, i), size = factor * fabs(s->x->beta[i]);

		/* the product may miss the bound by the rounding of a quotient */
		if (size > c * (1 - 4 * DBL_EPSILON))
			size = c;
		h->beta[i] = s->x->beta[i] = copysign(size, s->x->beta[i]);
		h->f[i] = s->x->f[i] *= factor;
	}
	h->summed *= factor;
}

/* Step (3): does the start seem to be what is left of a solution? */
static bool is_remainder(const struct exact_run *s, double dual)
{
	const double *beta = s->x->beta;
	int64_t n_sv = multipliers_count(beta, s->p->n), n_violators = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		n_violators += certificate_row_violates(s->p, i, beta[i], s->x->f[i] - s->x->rho,
							EXACT_FIRST_TOLERANCE);
	return dual >= LEAST_DUAL * exact_linear(s) && n_violators <= MOST_VIOLATORS * n_sv;
}

/*
 * (2) and (3).  The primal is that before (2), which raises the dual alone: of regressions f, then
 * as many times too large as C has grown, is far from the targets.  Returns 1 if the start is
 * worthless, 0 if it is not, -1 without memory.
 */
static int improve(struct exact_run *s, struct error *err)
{
	double factor = best_factor(s), b, primal, dual;

	if (certificate_bias(s->p, s->x->f, &b, err) < 0)
		return -1;
	primal = certificate_primal(s->p, s->x->beta, s->x->f, b);
	if (factor > 1) {
		stretch(s, factor);
		if (certificate_bias(s->p, s->x->f, &b, err) < 0)
			return -1;
	}
	s->x->rho = -b;
	dual = certificate_dual(s->p, s->x->beta, s->x->f);
	return !(primal - dual <= MOST_GAP * primal) && (factor > 1 || !is_remainder(s, dual));
}

/*
 * Begin on the whole set with the multipliers that s->x->beta holds: evaluate all examples, and
 * choose the working set.  Returns 1, with all multipliers 0, if the start is worth no more.
 */
static int begin_whole(struct exact_run *s, struct error *err)
{
	const size_t size = (size_t)s->p->n * sizeof(double);
	int worthless;

	if (s->alone) { /* step (1), from the kernel rows that SMO will need anyway */
		if (smo_set_members(&s->smo, s->is_working, err) < 0)
			return -1;
		smo_load_members(&s->smo, 1, s->x->beta, s->x->f);
	}
	if (exact_evaluate_all(s, err) < 0)
		return -1;
	worthless = improve(s, err);
	if (worthless > 0) { /* it is forgotten: multipliers and decision values are 0 */
		memset(s->x->beta, 0, size);
		memset(s->x->f, 0, size);
		memset(s->movement.before, 0, size);
		s->x->rho = 0;
	}
	if (worthless != 0)
		return worthless;
	for (int64_t i = 0; i < s->p->n; i++)
		s->movement.before[i] = s->x->f[i] - s->x->rho;
	s->subsets.level = s->subsets.n_levels - 1;
	s->subsets.noise = START_NOISE;
	if (certificate_make(s->p, s->x, s->o->eps, &s->result->certificate, err) < 0)
		return -1;
	s->round.n_violators = s->p->n;
	if (!s->alone)
		exact_choose_working_set(s, START_NOISE);
	return exact_offer_proof(s, err);
}

/* Begin with the multipliers that the task gives; 1 where there are none, or they are of no use. */
static int begin(struct exact_run *s, struct error *err)
{
	const double *start = s->task->start;
	size_t size = (size_t)s->p->n * sizeof(double);
	int ret;

	if (!start)
		return 1;
	memcpy(s->x->beta, start, size);
	if (exact_offer_sample(s, 0, err) < 0)
		return -1;
	start_make_feasible(s->p, s->x->beta);
	ret = keep_near(s, s->p->n, err) < 0 ? -1 : begin_whole(s, err);
	/* as it is, it is kept already */
	if (ret == 0 && memcmp(s->x->beta, start, size) == 0)
		exact_free_samples(s);
	return ret;
}

/* Has SMO called the members settled several times in a row, while each proof found violators? */
static bool is_stuck(struct exact_run *s)
{
	bool stalls = s->pace.settled && s->round.n_violators > 0 && s->proofs.n_joined == 0;

	s->proofs.n_stalls = stalls ? s->proofs.n_stalls + 1 : 0;
	if (stalls) {
		s->pace.last *= STALLED_STEP;
		s->pace.tolerance = s->pace.last;
	}
	return s->proofs.n_stalls > MOST_STALLS;
}

/* Is the run at its end?  Reasons are asked from best to worst, and the first is reported. */
static bool should_stop(struct exact_run *s)
{
	enum stop_reason *reason = &s->result->reason;
	const struct certificate *c = &s->result->certificate;

	if (randsvm_gap_suffices(s->o, c->primal, c->dual))
		*reason = STOP_GAP;
	else if (s->round.n_violators == 0 && !exact_tighten(s))
		*reason = s->alone ? STOP_WHOLE_SET : STOP_OPTIMAL;
	else if (exact_interrupted(s))
		*reason = STOP_INTERRUPTED;
	else if (s->pace.gave_up && !exact_extend(s))
		*reason = STOP_MAX_ITERATIONS;
	else if (s->o->max_rounds > 0 && s->proofs.n >= s->o->max_rounds)
		*reason = STOP_MAX_ROUNDS;
	else if (is_stuck(s))
		*reason = STOP_PRECISION;
	else
		return false;
	return true;
}

/* Settle and prove in turn until a proof ends the optimisation; 1 where the run is over before. */
static int solve_whole(struct exact_run *s, struct error *err)
{
	if (!s->keeping.resumes) {
		s->proofs.work = s->smo.work;
		/* alone: all examples are members, and the proof grants them nearly all of eps */
		s->pace.last = s->alone ? s->o->eps : MEMBERS_SHARE * s->o->eps;
		s->pace.tolerance =
			s->subsets.n_levels > 1 ? EXACT_FIRST_TOLERANCE * s->unit : s->pace.last;
	}
	do {
		bool settles = !(s->keeping.resumes && s->keeping.place == EXACT_PROVES);

		if (settles && exact_settle(s, s->o->gap > 0, err) < 0)
			return -1;
		if (exact_is_over(s))
			return 1;
		if (exact_interrupted(s))
			return error_set(err, ERR_INTERRUPTED, "interrupted");
		exact_keep(s, EXACT_PROVES);
		s->keeping.resumes = false;
		if (exact_prove(s, err) < 0)
			return -1;
		exact_observe(s);
	} while (!should_stop(s));
	return 0;
}

/* Solve from the start, or from the place where a checkpoint kept the run. */
static int solve(struct exact_run *s, struct error *err)
{
	int ret = s->keeping.resumes ? !exact_at_top(s) : begin(s, err);

	if (ret > 0)
		ret = solve_subsets(s, err);
	return ret == 0 ? solve_whole(s, err) : ret;
}

/*
 * x->sizes, where somebody asks for them, kernel values of all examples are kept, and support
 * vectors are too many to be computed again.
 */
static int measure_sizes(struct exact_run *s, struct error *err)
{
	struct iterate *x = s->x;
	bool of_members = s->smo.whole_rows && s->smo.rows.members.n == s->p->n;

	if (!x->asks_sizes || s->p->kernel.type != KERNEL_RBF || !problem_source(s->p)->x_float ||
	    s->smo.source.in_doubles || !(of_members || s->near.n > 0) ||
	    multipliers_count(x->beta, s->p->n) <= s->p->n / MANY_VECTORS)
		return 0;
	mem_free(x->sizes);
	x->sizes = mem_zeroed(s->p->n, sizeof(*x->sizes), err);
	if (!x->sizes)
		return -1;
	for (int64_t i = 0; i < s->near.n; i++)
		near_matrix_add(&s->near, i, fabs(x->beta[i]), x->sizes);
	if (s->near.n == 0 && smo_sums(&s->smo, x->beta, true, x->sizes, err) < 0)
		return -1;
	x->knows_sizes = true;
	return 0;
}

/* The run has stopped or was interrupted: its result is the best solution so far. */
static int finish(struct exact_run *s, struct error *err)
{
	enum stop_reason *reason = &s->result->reason;
	int certified;

	s->x->knows_sizes = false;
	s->keeping.ends = true;
	if (error_forgive(err, ERR_INTERRUPTED))
		*reason = STOP_INTERRUPTED;
	certified = exact_end(s, err);
	if (certified < 0)
		return -1;
	if (certified > 0)
		exact_observe(s);
	if (measure_sizes(s, err) < 0)
		return -1;
	if (s->proofs.best.n_violators == 0 && *reason != STOP_INTERRUPTED && *reason != STOP_GAP)
		*reason = s->alone ? STOP_WHOLE_SET : STOP_OPTIMAL;
	return 0;
}

/* Run the solver, or read its outcome from the checkpoint if an earlier process finished. */
static int run_kept(struct exact_run *s, int (*run)(struct exact_run *s, struct error *err),
		    struct error *err)
{
	int found, ret;

	/* the state read from a checkpoint is checked without interruption */
	s->p->interruption = NULL;
	found = exact_enter(s, err);
	if (found < 0)
		return -1;
	if (found == CHECKPOINT_FINISHED)
		return s->keeping.run.ret;
	s->p->interruption = &s->end.own;
	ret = run(s, err);
	if (ret == 0 || (ret < 0 && err->code == ERR_INTERRUPTED))
		ret = finish(s, err);
	s->keeping.run.ret = ret;
	/* an interruption is not the outcome of the run, which goes on from its last safe point */
	if (ret >= 0 && s->result->reason != STOP_INTERRUPTED)
		checkpoint_leave(s->task->checkpoint);
	return ret;
}

static struct exact_run make_run(struct randsvm_task *task, struct problem_view *p)
{
	return (struct exact_run){
		.task = task,
		.p = p,
		.unit = 1,
		.o = task->options,
		.x = &task->x,
		.result = &task->result,
		.subsets = { .scale = 1, .noise = -1 },
		.pace = { .steps_left = solver_max_iterations(p->n),
			  .work_left = INT64_MAX,
			  .most_work = INFINITY,
			  .gap = INFINITY,
			  .run_left = -1 },
		.round = { .sample = randsvm_sample_size(task->options, p->n),
			   .best_primal = DBL_MAX,
			   .best_dual = -INFINITY },
	};
}

int exact_solve(struct randsvm_task *task, double most_work, struct error *err)
{
	struct problem_view p = *task->p;
	struct exact_run s = make_run(task, &p);
	int ret = -1;

	s.pace.most_work = most_work;
	s.pace.may_extend = true;
	s.keeps_values = true;
	/* where floats are too coarse for this C, subsets pass on decision values only */
	s.subsets.predicts =
		problem_fixes_sums(&p) ||
		(decision_floats_fit(&p, task->options->eps) && !problem_is_stepwise(&p));
	randsvm_task_begin(task);
	if (run_init(&s, err) == 0 && exact_draw_subsets(&s, err) == 0 &&
	    exact_measure_end(&s, err) == 0) {
		s.alone = s.subsets.n_levels == 1;
		ret = run_kept(&s, solve, err);
	}
	run_free(&s);
	return ret;
}

int exact_improve(struct randsvm_task *task, double reach, struct error *err)
{
	struct problem_view p = *task->p;
	struct exact_run s = make_run(task, &p);
	int ret = -1;

	exact_hold(&s);
	s.subsets.size[s.subsets.n_levels++] = p.n;
	s.pace.steps_left = IMPROVING_STEPS + p.n;
	s.pace.work_left = IMPROVING_WORK;
	if (run_init(&s, err) == 0) {
		for (int64_t i = 0; i < p.n; i++) {
			s.movement.before[i] = exact_position(&s, i);
			s.is_working[i] = exact_is_free(&s, i) || exact_safety(&s, i) < reach;
		}
		ret = run_kept(&s, solve_whole, err);
	}
	run_free(&s);
	return ret;
}
