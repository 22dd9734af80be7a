/*
 * budget.c - a good solution of a problem too large to solve, from few examples at a time
 *
 * With m examples at a time, for each model:
 *
 *     (1)  T = m examples, uniform
 *     (2)  solve T at the problem's C; all other multipliers are 0
 *     (3)  f of all examples; P with the best b, D, violators
 *     (4)  keep this solution if its P is less than the best by LEAST_GAIN, or it has no violators
 *     (5)  T = support vectors of the best solution + a uniform choice from the candidates, up to m;
 *          back to (2)
 *
 * The candidates are the best solution's violators.  With noisy labels most violators are wrongly
 * labelled, and a sample full of them ruins the model: 2 % flipped labels on a checkerboard took
 * the accuracy from 97 % to 68 %.  (4) notices, since P rises; from then on candidates are the
 * examples near the margin on either side, among which wrong labels are few.
 *
 * nu is a share of the examples, which means nothing in a sample of vectors and violators.  So for
 * one-class and nu-SVR, in place of (5), each T is drawn as the first; and in (2) bounds are n / m
 * times larger with the same sums, as each example stands for n / m.  The multipliers are then
 * beyond the problem's own bounds: P is known, D is not.  Thresholds are those of least P.
 *
 * With noise a small sample that stands for all examples learns its wrong labels by heart.  One with
 * the problem's bounds and its share of the sums does not; these being limits in nu-SVR, beta is then
 * feasible, and has a D.  So of nu-SVR the first sample is of that kind, the second of the other,
 * and later ones are as that of the best solution was.  (The other machines' w would be the same,
 * but for a factor.)
 *
 * Every D is a bound from below and every P one from above of the same optimum, whatever model
 * they came from: the best of each enclose it.
 *
 * An interruption ends a model with its best solution, whatever the round was at, and the result is
 * one of proof/unfinished.h.  Only the first solution of the first model is evaluated in any
 * case: where the time is limited, the time for that is kept back.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/solve.h"

#include "problem/decision.h"
#include "proof/unfinished.h"
#include "train/working_set.h"

/* Least decrease of the primal, as a share of it, that is worth the time of another round. */
#define LEAST_GAIN 1e-4

/* Most rejected rounds in a row: one with bad violators, then one from the margin band. */
#define MOST_REJECTED 2

/* Least room for new examples is m / 20: with fewer new examples the solution hardly changes. */
#define LEAST_ROOM 20

/*
 * Most rows at a time where another solution ended early, of a pair of classes its share of them;
 * and at most so many first samples of mode exact.  Of 2000, no more than the first sample has, one in
 * four models was above a plain training of another 2000 (a checkerboard with noise: by up to 4 %),
 * and that of the 190 pairs of 20news, which have one certain round each, by 4 %.
 */
#define MOST_FOR_EARLY 3000
#define FIRST_SAMPLES 1.5

/*
 * Where the time is limited: rounds of the first model that an interruption does not end, as one
 * sample may be an unlucky one.  Of a problem of many, such as a pair of classes, and where nobody
 * knew of the end, it is one.  And how often their solver asks before it may be ended, times the
 * examples of the sample: SMO asks every 1024 steps, a second.  A problem of a share of the rows
 * has the square of the share of that, its part of the kernel's matrix: of k classes all pairs
 * together have less than two seconds.
 */
#define CERTAIN_ROUNDS 3
#define CERTAIN_WORK 800000

/* Largest y (f + b) of candidates near the margin, where the margin itself is at y (f + b) = 1. */
#define BAND 2.0

/* Bits of the round's number in that of a random draw; the model has the 12 bits above. */
#define ROUND_BITS 20

/* A solution of some of the examples, and its certificate over all of them. */
struct attempt {
	bool *is_working;
	bool shares_sums; /* the sample had its share of the sums of a machine of nu */
	/* solution of the sample; x.n_iterations is not used */
	struct iterate x;
	struct certificate certificate;
};

/* The model that is being built, of the several that are averaged. */
struct budget_model {
	struct attempt now, best; /* present attempt, and the best attempt of this model so far */
	/* candidates are examples near the margin, rather than violators */
	bool near_margin;
	int n_rejected; /* number of rounds rejected in a row */
};

/* One run; examples are positions within the problem, 0 .. p->n - 1. */
struct budget_run {
	struct randsvm_task *task;
	const struct problem_view *p;
	const struct randsvm_options *o;
	/* copy of p with the interruption 'end', except while the first solution is evaluated */
	struct problem_view own;
	/* end of the run: the caller's, less the time to evaluate all examples */
	struct earlier_end end;
	/* number of certain rounds, the end of their solver, and how often that has asked for it */
	int n_certain;
	struct interruption late;
	int64_t n_asked;
	int64_t m; /* number of examples in a sample */
	struct subproblem sub;
	int64_t *candidate; /* examples that the next sample may draw; room for p->n */
	struct budget_model model;
	bool gave_up; /* the solver stopped before the optimum, at a limit or interrupted */
	struct randsvm_round round;
	struct randsvm_run kept; /* solver's run as it is written to a checkpoint */
	bool resumes; /* the state was read from a checkpoint taken in the middle of a model */
};

/* The problem's examples as a share of all rows of the data. */
static double share_of_rows(const struct problem_view *p)
{
	return (double)p->n / (double)p->x->n_rows;
}

static void attempt_init(struct attempt *a, int64_t n, struct error *err)
{
	a->is_working = mem_zeroed(n, sizeof(bool), err);
	iterate_init(&a->x, n, err);
}

/* ---- choosing examples ---- */

/* Mark a uniform choice of 'wanted' of the n candidates, or all if they are fewer. */
static int mark_some(struct budget_run *s, int64_t n, int64_t wanted, struct error *err)
{
	/* each round of each model draws numbers of its own */
	const uint32_t round = (uint32_t)s->round.number & ((1U << ROUND_BITS) - 1);
	const struct rng_place place = { .seed = s->o->seed,
					 .stream = RNG_BUDGET_SAMPLE,
					 .b = (uint32_t)(s->round.model - 1) << ROUND_BITS |
					      round };

	return working_set_draw(s->model.now.is_working, &place, s->candidate, n, wanted, err);
}

/* Where a uniform sample has members of one class only, draw a tenth from the other class. */
static int mark_both_classes(struct budget_run *s, struct error *err)
{
	int64_t n_plus = 0, n_rare;
	bool rare;

	for (int64_t i = 0; i < s->p->n; i++)
		n_plus += s->model.now.is_working[i] && s->p->target[i] > 0;
	/* one class alone has the solution 0, whose violators are all of the other class */
	if (n_plus > 0 && n_plus < s->m)
		return 0;
	/* the rare class takes a tenth of the sample, and the larger class the rest */
	rare = n_plus == 0;
	memset(s->model.now.is_working, 0, (size_t)s->p->n * sizeof(bool));
	/* a class of fewer examples than that comes in whole */
	n_rare = int64_min(working_set_class(s->p, rare, s->candidate), int64_blocks(s->m, 10));
	if (mark_some(s, working_set_class(s->p, rare, s->candidate), n_rare, err) < 0)
		return -1;
	return mark_some(s, working_set_class(s->p, !rare, s->candidate), s->m - n_rare, err);
}

/* Make the working set T a uniform choice of m examples. */
static int choose_uniformly(struct budget_run *s, struct error *err)
{
	count_up(s->candidate, s->p->n);
	memset(s->model.now.is_working, 0, (size_t)s->p->n * sizeof(bool));
	return mark_some(s, s->p->n, s->m, err);
}

/* Step (1), first sample of a model: until it is solved the best solution of the model is 0. */
static int choose_first(struct budget_run *s, struct error *err)
{
	memset(s->model.best.x.beta, 0, (size_t)s->p->n * sizeof(double));
	memset(s->model.best.x.f, 0, (size_t)s->p->n * sizeof(double));
	if (choose_uniformly(s, err) < 0)
		return -1;
	return s->p->type == MACHINE_C_SVC ? mark_both_classes(s, err) : 0;
}

static bool is_near_margin(const struct budget_run *s, int64_t i, double f_plus_b)
{
	double target = s->p->target[i];

	/* for a regression the edge of the tube is the margin, and half of epsilon is near */
	if (s->p->type == MACHINE_C_SVC)
		return target * f_plus_b < BAND;
	return fabs(target - f_plus_b) > s->p->epsilon / 2;
}

/* List the best solution's violators, or the examples near its margin; return their number. */
static int64_t list_candidates(struct budget_run *s, bool near_margin)
{
	const struct attempt *best = &s->model.best;
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++) {
		/* decision value with the bias, by which margin and KKT condition are judged */
		double f_plus_b = best->x.f[i] - best->x.rho;

		if (near_margin ? best->x.beta[i] == 0 && is_near_margin(s, i, f_plus_b) :
				  !best->is_working[i] &&
					  certificate_violates(s->p, i, f_plus_b, s->o->eps / 2))
			s->candidate[n++] = i;
	}
	return n;
}

/* Step (5): draw the next sample from the best solution's support vectors and the candidates. */
static int choose_next(struct budget_run *s, struct error *err)
{
	/* for machines of nu a sample comes from all examples: nu would mean something else */
	if (problem_fixes_sums(s->p))
		return choose_uniformly(s, err);
	/* support vectors come first; the best solution may be from an earlier round */
	for (int64_t i = 0; i < s->p->n; i++)
		s->model.now.is_working[i] = s->model.best.x.beta[i] != 0;
	return mark_some(s, list_candidates(s, s->model.near_margin),
			 s->m - s->model.best.certificate.n_sv, err);
}

/* ---- a round ---- */

/* Is this a round that an interruption does not end? */
static bool is_certain(const struct budget_run *s)
{
	return s->round.model == 1 && s->round.number <= s->n_certain;
}

/* A function for interruption_requested(): the end of the solver in such a round. */
static bool late_requested(void *arg)
{
	struct budget_run *s = arg;
	double share = share_of_rows(s->p);

	return (double)++s->n_asked > CERTAIN_WORK * share * share / (double)s->m &&
	       interruption_requested(&s->end.own);
}

/* Step (2): solve the working set T, and store its multipliers among those of all examples. */
static int solve_working_set(struct budget_run *s, struct error *err)
{
	struct randsvm_task task = *s->task;
	int solved;

	/* the start is the best solution, whose support vectors are all in T by step (5) */
	task.p = s->p;
	s->own.interruption = is_certain(s) ? &s->late : &s->end.own;
	s->n_asked = 0;
	/* has the sample its share of the sums, and the problem's bounds? */
	s->sub.shares_sums = s->model.now.shares_sums =
		s->p->type == MACHINE_NU_SVR && s->round.number != 2 &&
		(s->round.number == 1 || s->model.best.shares_sums);
	solved = subproblem_solve(&s->sub, &task, s->model.now.is_working, &s->model.best.x, err);
	if (solved < 0)
		return -1;
	/* a value above 0 says that the solver stopped before its tolerance was met */
	s->gave_up = solved > 0;
	s->model.now.x.rho = s->sub.x.rho;
	s->model.now.x.epsilon = s->sub.x.epsilon;
	subproblem_store(&s->sub, s->p, s->model.now.x.beta);
	return 0;
}

/* Are multipliers those of a sample, which do not have both bounds and sums of all examples? */
static bool lacks_sums(const struct budget_run *s)
{
	return problem_fixes_sums(s->p) && s->m < s->p->n;
}

/* Step (3), certificate over all examples, at the thresholds of least primal. */
static int certify(const struct budget_run *s, struct iterate *x, struct certificate *c,
		   struct error *err)
{
	/* the primal holds for any thresholds; the dual only for multipliers within bounds */
	if (lacks_sums(s) && certificate_thresholds(s->p, x, err) < 0)
		return -1;
	if (certificate_make(s->p, x, s->o->eps, c, err) < 0)
		return -1;
	if (lacks_sums(s))
		c->dual = unfinished_dual(s->p, x);
	return 0;
}

/* Step (4): if the attempt just tried is kept, it and the best one change places. */
static void judge(struct budget_run *s)
{
	struct attempt tried = s->model.now;
	const double before = s->model.best.certificate.primal;
	const double gain = before - tried.certificate.primal;

	/*
	 * the first solution of a model is kept: 'best' has the certificate of the model before.  An
	 * optimum is kept however small its gain is, but for rounding, which must not exchange one for
	 * a worse one
	 */
	s->round.kept = s->round.number == 1 || gain > LEAST_GAIN * fabs(before) ||
			(gain >= 0 && tried.certificate.n_violators == 0);
	if (s->round.kept) {
		/*
		 * 'tried' is a copy of the struct: the arrays behind it change hands, not their
		 * contents
		 */
		s->model.now = s->model.best;
		s->model.best = tried;
		s->model.n_rejected = 0;
	} else {
		/* the violators made the model worse: candidates are near the margin from now on */
		s->model.near_margin = true;
		s->model.n_rejected++;
	}
}

static void observe(struct budget_run *s, const struct certificate *c)
{
	struct randsvm_round *round = &s->round;

	/* the result counts the rounds of all models */
	s->task->result.rounds++;
	round->working_set = s->sub.n;
	round->n_sv = c->n_sv;
	round->n_violators = c->n_violators;
	round->primal = c->primal;
	round->dual = c->dual;
	/* the bounds of all models count: each primal and dual value encloses the same optimum */
	round->best_primal = fmin(round->best_primal, c->primal);
	round->best_dual = fmax(round->best_dual, c->dual);
	randsvm_task_observe(s->task, round);
}

/* Is this the first solution of the whole run, without which there is no model? */
static bool is_first(const struct budget_run *s)
{
	return s->round.model == 1 && s->round.number == 1;
}

/* Keep back time to evaluate all examples by half a sample of vectors, but not most of it. */
static int keep_time_back(struct budget_run *s, struct error *err)
{
	double left, seconds;

	s->end.reserve = 0;
	left = interruption_seconds_left(&s->end.own);
	if (!is_first(s) || isinf(left))
		return 0;
	/* the sample is taken for the support vectors that (3) will have to sum over */
	if (decision_expected_seconds(s->p, s->model.now.is_working, s->o->eps, s->o->n_threads,
				      &seconds, err) < 0)
		return -1;
	s->end.reserve = fmax(fmin(seconds, left) / 2, 0);
	return 0;
}

/* Step (3), evaluate all examples; 1 if interrupted while an earlier solution is there. */
static int evaluate(struct budget_run *s, struct certificate *c, struct error *err)
{
	struct iterate *x = &s->model.now.x;
	/* an unfinished solution is not worth an evaluation where there is a finished one */
	if (s->gave_up && interruption_requested(&s->end.own) && !is_first(s))
		return 1;
	/* the run's first solutions are always evaluated: without them there is no model */
	s->own.interruption = is_certain(s) ? NULL : &s->end.own;
	/* half of the decision values are useless: the best model stays */
	if (decision_values(s->p, x->beta, s->o->eps, x->f, s->o->n_threads, err) < 0)
		return error_forgive(err, ERR_INTERRUPTED) ? 1 : -1;
	return certify(s, x, c, err);
}

/* One round of a model; returns 1 where it was interrupted, and has no solution of its own. */
static int run_round(struct budget_run *s, struct error *err)
{
	struct certificate c;
	int ret;

	s->round.number++;
	/* draw the sample by step (1) or (5), then solve it by step (2) */
	if ((s->round.number == 1 ? choose_first(s, err) : choose_next(s, err)) < 0 ||
	    keep_time_back(s, err) < 0 || solve_working_set(s, err) < 0)
		return -1;
	/* step (3): decision values, primal, dual, violators; then step (4) judges them */
	ret = evaluate(s, &c, err);
	if (ret != 0)
		return ret;
	/* 'now' needs its certificate before judge() may make it the best attempt */
	s->model.now.certificate = c;
	judge(s);
	observe(s, &c);
	return 0;
}

/* ---- all together ---- */

/* Was this the model's last round?  The reasons to stop are asked from the best to the worst. */
static bool should_stop(struct budget_run *s, enum stop_reason *reason)
{
	int64_t limit = s->o->max_rounds > 0 ? s->o->max_rounds : BUDGET_DEFAULT_ROUNDS;
	bool interrupted = interruption_requested(&s->end.own) &&
			   (s->gave_up || s->round.model > 1 || s->round.number >= s->n_certain);

	/* a solver that gave up once would give up again in the next round */
	if (s->gave_up)
		*reason = interrupted ? STOP_INTERRUPTED : STOP_MAX_ITERATIONS;
	else if (s->sub.n == s->p->n)
		*reason = STOP_WHOLE_SET;
	/* multipliers of other sums are no optimum of the problem, even without violators */
	else if (!lacks_sums(s) &&
		 (s->model.best.certificate.n_violators == 0 || list_candidates(s, false) == 0))
		*reason = STOP_OPTIMAL;
	/* the primal is that of the best attempt of this model, the dual the best of all models */
	else if (randsvm_gap_suffices(s->o, s->model.best.certificate.primal, s->round.best_dual))
		*reason = STOP_GAP;
	else if (interrupted)
		*reason = STOP_INTERRUPTED;
	else if (s->model.n_rejected >= MOST_REJECTED)
		*reason = STOP_NO_PROGRESS;
	/* support vectors leave too little room for other examples; fresh samples keep none of them */
	else if (!problem_fixes_sums(s->p) &&
		 (s->m - s->model.best.certificate.n_sv) * LEAST_ROOM < s->m)
		*reason = STOP_BUDGET_FULL;
	else if (s->round.number >= limit)
		*reason = STOP_MAX_ROUNDS;
	else
		return false;
	return true;
}

/* ---- the state before a round ---- */

/* Visit the sums over models, the best solution of this model, and the counts of the run. */
static void visit_state(void *run, struct fields *f)
{
	struct budget_run *s = run;
	struct attempt *best = &s->model.best;

	randsvm_visit_rounds(s->task, s->kept.first_round, f);
	randsvm_visit_round(&s->round, f);
	randsvm_visit_iterate(&s->task->x, s->p->n, f);
	randsvm_visit_result(&s->task->result, f);
	fields_int64(f, "sub_n_iterations", &s->sub.x.n_iterations);
	fields_bool(f, "near_margin", &s->model.near_margin);
	fields_int(f, "n_rejected", &s->model.n_rejected);
	/* a round reads these fields of the past; random numbers follow from seed and round */
	if (s->round.number == 0) /* the model under way has no best solution yet */
		return;
	randsvm_visit_iterate(&best->x, s->p->n, f);
	fields_bools(f, "is_working", best->is_working, s->p->n);
	fields_bool(f, "shares_sums", &best->shares_sums);
	certificate_visit(&best->certificate, f);
}

/* Compare the decision values read with those computed anew from the multipliers read. */
static int check_values(struct budget_run *s, struct error *err)
{
	const struct decision_state kept = {
		.p = s->p,
		.x = &s->model.best.x,
		.rows = { .n = s->p->n, .tolerance = s->o->eps, .n_threads = s->o->n_threads },
		.seed = s->o->seed
	};

	return s->round.number == 0 ? 0 : decision_check_state(s->task->checkpoint, &kept, err);
}

static int enter(struct budget_run *s, struct error *err)
{
	const struct checkpoint_run run = { visit_state, NULL, s };
	int found;

	/* rounds observed before this run are not part of its state */
	s->kept = randsvm_run_of(s->task);
	found = checkpoint_enter(s->task->checkpoint, &run, err);
	s->resumes = found == CHECKPOINT_BEGUN;
	return found < 0 || (s->resumes && check_values(s, err) < 0) ? -1 : 0;
}

/* ---- models ---- */

/* Add one model to the sums beta, f and rho of 'sum'; 1 if interrupted without a solution. */
static int add_model(struct budget_run *s, struct iterate *sum, struct error *err)
{
	enum stop_reason reason = STOP_INTERRUPTED;
	int ret;

	/* a model read from a checkpoint continues with the round at which it was written */
	if (!s->resumes) {
		s->round.model++;
		s->round.number = 0;
		s->model.near_margin = false;
		s->model.n_rejected = 0;
	}
	s->resumes = false;
	do {
		/* a safe point: from here on the run needs only 'best' and the counts */
		checkpoint_keep(s->task->checkpoint);
		ret = run_round(s, err);
	} while (ret == 0 && !should_stop(s, &reason));
	if (ret < 0)
		return -1;
	/* reasons ascend from best to worst: the worst one of all models is the result's */
	if (reason > s->task->result.reason)
		s->task->result.reason = reason;
	/* no solution of this model: the sums are those of the models before it */
	if (ret > 0 && s->round.number == 1) {
		s->round.model--;
		return 0;
	}
	/* best.x is complete: the evaluation of step (3) has computed the values of all examples */
	for (int64_t i = 0; i < s->p->n; i++) {
		sum->beta[i] += s->model.best.x.beta[i];
		sum->f[i] += s->model.best.x.f[i];
	}
	sum->rho += s->model.best.x.rho;
	sum->epsilon += s->model.best.x.epsilon;
	return 0;
}

/* Turn sums over models into means; rounding must not carry a multiplier out of its bounds. */
static void average(const struct budget_run *s, struct iterate *x)
{
	double n_models = s->round.model;

	for (int64_t i = 0; i < s->p->n; i++) {
		x->beta[i] /= n_models;
		x->f[i] /= n_models;
		/* samples of a machine of nu may have wider bounds than the problem */
		if (!lacks_sums(s))
			x->beta[i] = fmax(fmin(x->beta[i], problem_upper(s->p, i)),
					  problem_lower(s->p, i));
	}
	x->rho /= n_models;
	x->epsilon /= n_models;
}

static int run_models(struct budget_run *s, struct error *err)
{
	struct certificate *c = &s->task->result.certificate;
	struct iterate *x = &s->task->x;
	/* samples of all examples are equal, and so are their models */
	int n_models = s->m == s->p->n || s->o->n_models == 0 ? 1 : s->o->n_models;

	do {
		if (add_model(s, x, err) < 0)
			return -1;
	} while (s->round.model < n_models && s->task->result.reason != STOP_INTERRUPTED);
	average(s, x);
	x->n_iterations = s->sub.x.n_iterations;
	if ((s->task->result.reason == STOP_INTERRUPTED ?
		     unfinished_certify(s->p, x, s->o->eps, c, err) :
		     certify(s, x, c, err)) < 0)
		return -1;
	/* the primal is the mean model's; any model's dual is a bound of the optimum */
	c->dual = fmax(c->dual, s->round.best_dual);
	return 0;
}

int budget_solve(struct randsvm_task *task, struct error *err)
{
	struct budget_run s = { .task = task,
				.p = &s.own,
				.own = *task->p,
				.o = task->options,
				.m = randsvm_sample_size(task->options, task->p->n) };
	int ret = -1;

	/* the caller's own end, which keep_time_back() moves to an earlier moment */
	earlier_end_init(&s.end, randsvm_interruption(task), 0);
	s.late = (struct interruption){ .requested = late_requested, .arg = &s };
	s.n_certain = share_of_rows(s.p) < 1 || isinf(interruption_seconds_left(s.end.caller)) ?
			      1 :
			      CERTAIN_ROUNDS;
	randsvm_task_begin(task);
	s.round = (struct randsvm_round){
		.sample = s.m, .subset = s.p->n, .best_primal = DBL_MAX, .best_dual = -INFINITY
	};
	s.candidate = mem_array(s.p->n, sizeof(int64_t), err);
	attempt_init(&s.model.now, s.p->n, err);
	attempt_init(&s.model.best, s.p->n, err);
	if (err->code == ERR_NONE && subproblem_init(&s.sub, s.m, err) == 0 && enter(&s, err) == 0)
		ret = run_models(&s, err);
	subproblem_free(&s.sub);
	mem_free_all(s.candidate, s.model.now.is_working, s.model.now.x.beta, s.model.now.x.f,
		     s.model.best.is_working, s.model.best.x.beta, s.model.best.x.f);
	return ret;
}

int64_t budget_for_early(const struct randsvm_task *task)
{
	const struct problem_view *p = task->p;
	double m = FIRST_SAMPLES * (double)randsvm_sample_size(task->options, p->n);

	m = fmin(fmin(m, (double)p->n / 2), MOST_FOR_EARLY * share_of_rows(p));
	return m < 2 || p->squared_loss || p->type == MACHINE_NU_SVC ? 0 : (int64_t)m;
}

void budget_compete(struct randsvm_task *task, struct error *err)
{
	struct randsvm_options o = *task->options;
	struct randsvm_task other = { .p = task->p, .solver = task->solver, .options = &o };
	struct certificate *c = &task->result.certificate, *theirs = &other.result.certificate;
	double dual = c->dual;
	int64_t m = budget_for_early(task);

	if (m == 0)
		return;
	o.mode = WORKING_SET_BUDGET;
	o.budget = m;
	o.n_models = 1;
	o.max_rounds = 0;
	if (iterate_init(&other.x, task->p->n, err) == 0 && budget_solve(&other, err) == 0) {
		dual = fmax(dual, theirs->dual);
		if (unfinished_certify(task->p, &other.x, o.eps, theirs, err) == 0 &&
		    theirs->primal < c->primal) {
			/* the model's result in place of this one */
			iterate_copy(&task->x, &other.x, task->p->n);
			*c = *theirs;
			task->result.in_doubles = false;
			task->result.n_learned = m;
			task->result.by_budget = true;
		}
		task->x.n_iterations += other.x.n_iterations;
		c->dual = dual;
		task->result.rounds++;
		randsvm_observe_whole(task);
	}
	iterate_free(&other.x);
	*err = (struct error){ 0 };
}
