/*
 * paper.c - training by random working sets as published
 *
 * Algorithm 2 (mode paper), with n examples, sample size r and stopping size k:
 *
 *     (1)  T = a uniform sample of r examples
 *     (2)  solve T; all other multipliers are 0
 *     (3)  V = examples outside T that violate their condition by more than eps / 2
 *     (4)  stop if V is empty (the optimum), or |SV| >= k; or |SV| >= r: then there is no room for
 *          a violator and the published loop would never end
 *     (5)  T = SV + a uniform choice of r - |SV| from V; back to (2)
 *
 * Algorithm 1 (mode reweight) keeps a weight for each example, 1 at first.  T is r draws with
 * probability proportional to weight.  After (2) and (3) the weights of V double (6), if together
 * they are at most 1 / (3 Delta) of all; Clarkson's argument bounds the number of rounds by that.
 * Weights are powers of two and are kept as exponents: n doublings overflow a double.
 *
 * Mode exact comes here with solvers that start from nothing (LIBSVM): in (5) T only grows.
 *
 * Neither of the published loops has to end: where all support vectors are bounded b is not unique,
 * and V may alternate between two sets.  So they have a limit of rounds,
 * RANDSVM_DEFAULT_ROUNDS.
 *
 * An interruption ends the rounds with the evaluated solution of least P, whatever the round was
 * at; if there is none yet, with the one at hand (proof/unfinished.h).
 *
 * Source: Jethava, Suresh, Bhattacharyya, Hariharan, arXiv 0909.3609, Algorithms 1 and 2.
 *
 * A run owns T as bools, the subproblem of T, weights, and f of all examples with the multipliers
 * that f belongs to (decision_history), so that (3) corrects f where few multipliers changed and
 * computes it anew where many did.  Cost of a round: the solver on |T| examples, and n kernel
 * values for each multiplier that changed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/order.h"
#include "problem/decision.h"
#include "proof/unfinished.h"
#include "train/solve.h"
#include "train/working_set.h"

/* One run; examples are positions within the problem, 0 .. p->n - 1. */
struct paper_run {
	struct randsvm_task *task;
	const struct problem_view *p;
	const struct randsvm_options *o;
	struct iterate *x;	       /* solution of the task: multipliers of all examples */
	struct randsvm_result *result; /* result of the task */
	int64_t k, r;		       /* support vectors at which to stop; sample size */
	bool *is_member;	       /* membership of each example in T */
	struct subproblem sub;	       /* T as a problem of its own, and its solution */
	bool gave_up;	    /* the solver stopped before the optimum, at a limit or interrupted */
	int64_t *candidate; /* examples that the next working set may draw; room for p->n */
	/* mode reweight: log2 of each weight; and weights of the examples 0 .. i together */
	int32_t *doublings;
	double *weight_to;
	struct decision_history history;
	struct problem_view own; /* problem p with the interruption set, once there is a solution */
	/*
	 * solution of least primal of those evaluated over all examples; its multipliers are NULL
	 * until there is one
	 */
	struct iterate best;
	double best_primal;
	struct randsvm_round round;
};

static int run_init(struct paper_run *s, struct error *err)
{
	int64_t n = s->p->n;

	s->is_member = mem_zeroed(n, sizeof(bool), err);
	s->candidate = mem_array(n, sizeof(int64_t), err);
	s->doublings = mem_zeroed(n, sizeof(int32_t), err);
	s->weight_to = mem_array(n, sizeof(double), err);
	if (err->code != ERR_NONE || subproblem_init(&s->sub, n, err) < 0)
		return -1;
	return decision_history_init(&s->history, n, err);
}

/* Add to the working set T a uniform choice of m of the n candidates, or all if there are fewer. */
static int add_candidates(struct paper_run *s, enum rng_stream stream, int64_t n, int64_t m,
			  struct error *err)
{
	/* each round draws numbers of its own */
	const struct rng_place place = { .seed = s->o->seed,
					 .stream = stream,
					 .b = (uint32_t)s->round.number };

	return working_set_draw(s->is_member, &place, s->candidate, n, m, err);
}

/* Draw members of a class that T lacks, without which its only solution is 0. */
static int add_missing_classes(struct paper_run *s, struct error *err)
{
	return working_set_add_missing_classes(s->p, s->is_member, s->o->seed, s->r, s->candidate,
					       err);
}

/* Step (1), first sample: T is a uniform sample with members of both classes. */
static int first_sample(struct paper_run *s, struct error *err)
{
	count_up(s->candidate, s->p->n);
	if (add_candidates(s, RNG_FIRST_SAMPLE, s->p->n, s->r, err) < 0)
		return -1;
	/* a working set needs both classes: the solution of one class alone is 0 */
	return add_missing_classes(s, err);
}

/* Step (2): solve the working set T, and store its multipliers among those of all examples. */
static int solve_working_set(struct paper_run *s, struct error *err)
{
	/* a start must have sum beta = 0 in T; a draw by weights may leave support vectors out */
	bool warm = s->o->mode != WORKING_SET_REWEIGHT;
	int solved = subproblem_solve(&s->sub, s->task, s->is_member, warm ? s->x : NULL, err);

	if (solved < 0)
		return -1;
	s->gave_up = solved > 0;
	/*
	 * unfinished solutions are evaluated like others: should_stop() decides what becomes of
	 * them
	 */
	s->x->rho = s->sub.x.rho;
	s->x->n_iterations = s->sub.x.n_iterations;
	subproblem_store(&s->sub, s->p, s->x->beta);
	return 0;
}

/* Step (3): list in s->candidate the violators V of the solution. */
static void find_violators(struct paper_run *s)
{
	int64_t n = 0;

	/* members of T violate by no more than the solver's tolerance, and are left out */
	for (int64_t i = 0; i < s->p->n; i++)
		if (!s->is_member[i] &&
		    certificate_violates(s->p, i, s->x->f[i] - s->x->rho, s->o->eps / 2))
			s->candidate[n++] = i;
	s->round.n_violators = n;
}

/* Tell the observer of the round, with P and D of its solution over all examples. */
static void observe_round(struct paper_run *s)
{
	struct randsvm_round *round = &s->round;

	round->number = ++s->result->rounds;
	/* mode exact by this loop, too, always has certificates over all examples */
	round->subset = s->p->n;
	round->working_set = s->sub.n;
	round->n_sv = multipliers_count(s->x->beta, s->p->n);
	/* primal and dual of one solution, feasible for the whole problem, enclose the optimum */
	round->primal = certificate_primal(s->p, s->x->beta, s->x->f, -s->x->rho);
	round->dual = certificate_dual(s->p, s->x->beta, s->x->f);
	round->best_primal = fmin(round->best_primal, round->primal);
	round->best_dual = fmax(round->best_dual, round->dual);
	randsvm_task_observe(s->task, round);
}

/*
 * (5), exact: add as many violators as there are support vectors, at least a sample.  Where the
 * solver gave up there would be no end of rounds that cost its limit: take everything, once.
 */
static int grow_working_set(struct paper_run *s, struct error *err)
{
	/* T grows by as many examples as there are support vectors, or by a sample */
	int64_t wanted = int64_max(s->round.n_sv, s->r);

	if (s->gave_up) {
		memset(s->is_member, true, (size_t)s->p->n * sizeof(bool));
		return 0;
	}
	return add_candidates(s, RNG_LATER_SAMPLE, s->round.n_violators, wanted, err);
}

/* Sum up weights, sum[i] = examples 0 .. i, relative to the largest weight; returns the total. */
static double cumulate_weights(const struct paper_run *s, double *sum)
{
	int32_t most = 0;
	double total = 0;

	/* weights divided by the largest, 2^most, cannot overflow; tiny ones round to 0 */
	for (int64_t i = 0; i < s->p->n; i++)
		if (s->doublings[i] > most)
			most = s->doublings[i];
	for (int64_t i = 0; i < s->p->n; i++)
		sum[i] = total += ldexp(1, s->doublings[i] - most);
	return total;
}

/* Draw T in mode reweight: r independent draws by the cumulated weights; repeats count once. */
static int draw_by_weight(struct paper_run *s, struct error *err)
{
	/* sums are made anew, as the weights of the last round's violators have doubled */
	double *sum = s->weight_to, total = cumulate_weights(s, sum);

	memset(s->is_member, 0, (size_t)s->p->n * sizeof(bool));
	for (int64_t draw = 0; draw < s->r; draw++) {
		struct rng_block block = rng_draw(s->o->seed, RNG_LATER_SAMPLE, (uint64_t)draw,
						  (uint32_t)s->round.number);
		double x = rng_unit(rng_first64(block)) * total;

		/* example i has the share sum[i] - sum[i - 1] of the numbers 0 .. total */
		s->is_member[order_find_above(sum, s->p->n, x)] = true;
	}
	return add_missing_classes(s, err);
}

/* Step (6), weights of violators double, unless V weighs too much; k is Clarkson's Delta. */
static void reweight_violators(struct paper_run *s)
{
	double *sum = s->weight_to, total = cumulate_weights(s, sum), weight = 0;

	/* weight of the violators V, to be compared with the weight of all examples */
	for (int64_t v = 0; v < s->round.n_violators; v++) {
		int64_t i = s->candidate[v];

		weight += sum[i] - (i > 0 ? sum[i - 1] : 0);
	}
	/* weights stay where V weighs more: the round is no success in Clarkson's sense */
	if (weight <= total / (3 * (double)s->k))
		for (int64_t v = 0; v < s->round.n_violators; v++)
			s->doublings[s->candidate[v]]++;
}

/* Choose the next working set by step (5) or (6), as the mode has it. */
static int next_working_set(struct paper_run *s, struct error *err)
{
	switch (s->o->mode) {
	case WORKING_SET_PAPER:
		/*
		 * T becomes the support vectors and a uniform choice of violators; room for r - |SV| of
		 * them is above 0: otherwise step (4) has stopped the loop
		 */
		for (int64_t i = 0; i < s->p->n; i++)
			s->is_member[i] = s->x->beta[i] != 0;
		return add_candidates(s, RNG_LATER_SAMPLE, s->round.n_violators,
				      s->r - s->round.n_sv, err);
	case WORKING_SET_REWEIGHT:
		reweight_violators(s);
		/* weights of violators double first, and T is drawn by the new weights */
		return draw_by_weight(s, err);
	default:
		return grow_working_set(s, err);
	}
}

/* Does a rule of the papers end the loop, step (4), or a limit of the caller? */
static bool should_stop(const struct paper_run *s, enum stop_reason *reason)
{
	bool exact = s->o->mode == WORKING_SET_EXACT, paper = s->o->mode == WORKING_SET_PAPER;
	const struct randsvm_round *round = &s->round;
	bool interrupted = interruption_requested(randsvm_interruption(s->task));
	/* the caller's limit, or one for loops that need not end */
	int64_t limit = s->o->max_rounds > 0 ? s->o->max_rounds :
			exact		     ? INT64_MAX :
					       RANDSVM_DEFAULT_ROUNDS;

	/* in mode exact a solver that gave up on a part gets the whole set once */
	if (s->gave_up && (interrupted || !exact || s->sub.n == s->p->n))
		*reason = interrupted ? STOP_INTERRUPTED : STOP_MAX_ITERATIONS;
	else if (s->sub.n == s->p->n)
		*reason = STOP_WHOLE_SET;
	else if (round->n_violators == 0)
		*reason = STOP_OPTIMAL;
	else if (paper && round->n_sv >= s->k)
		*reason = STOP_ENOUGH_VECTORS;
	else if (paper && round->n_sv >= s->r)
		*reason = STOP_NO_ROOM;
	else if (randsvm_gap_suffices(s->o, round->primal, round->dual))
		*reason = STOP_GAP;
	else if (interrupted)
		*reason = STOP_INTERRUPTED;
	else if (round->number >= limit)
		*reason = STOP_MAX_ROUNDS;
	else
		return false;
	return true;
}

/*
 * Keep the solution of this round as the best if its P is the least so far: multipliers and
 * decision values, as certificates need both.
 */
static int keep_best(struct paper_run *s, struct error *err)
{
	/* published loops may raise the primal: only an interruption asks for the best */
	if (s->best.beta && !(s->round.primal < s->best_primal))
		return 0;
	if (!s->best.beta && iterate_init(&s->best, s->p->n, err) < 0)
		return -1;
	iterate_copy(&s->best, s->x, s->p->n);
	s->best_primal = s->round.primal;
	return 0;
}

/* Steps (2) and (3): solve, evaluate.  1 if interrupted: the best solution is the result. */
static int run_round(struct paper_run *s, struct error *err)
{
	/*
	 * until there is an evaluated solution an interruption must not leave the run without one
	 */
	bool first = !s->best.beta;

	/* step (2): multipliers of the examples in T */
	if (solve_working_set(s, err) < 0)
		return -1;
	/* an interrupted solver's solution is evaluated only where there is no other solution */
	if (s->gave_up && interruption_requested(randsvm_interruption(s->task)) && !first)
		return 1;
	s->own.interruption = first ? NULL : randsvm_interruption(s->task);
	/* step (3): all decision values, corrected where few multipliers changed; violators */
	if (decision_update(&s->history, s->p, s->x, s->candidate, s->o->eps, s->o->n_threads,
			    err) < 0)
		return error_forgive(err, ERR_INTERRUPTED) ? 1 : -1;
	find_violators(s);
	observe_round(s);
	return keep_best(s, err);
}

/* The rounds until one of the reasons to stop. */
static int run_rounds(struct paper_run *s, struct error *err)
{
	/* r = n draws by weight would leave some examples out, but T must be all examples */
	int ret = s->o->mode == WORKING_SET_REWEIGHT && s->r < s->p->n ? draw_by_weight(s, err) :
									 first_sample(s, err);

	/* the first sample is drawn above; then steps (2) to (4), and (5) or (6) draw the next */
	while (ret == 0) {
		ret = run_round(s, err);
		if (ret > 0)
			s->result->reason = STOP_INTERRUPTED;
		if (ret != 0 || should_stop(s, &s->result->reason))
			break;
		ret = next_working_set(s, err);
	}
	return ret < 0 ? -1 : 0;
}

/* Compute the certificate of the last solution or, after an interruption, of the best one. */
static int certify(struct paper_run *s, struct error *err)
{
	struct certificate *c = &s->result->certificate;
	int ret = 0;

	s->own.interruption = NULL;
	if (s->result->reason == STOP_INTERRUPTED) {
		iterate_copy(s->x, &s->best, s->p->n);
		if (unfinished_certify(s->p, s->x, s->o->eps, c, err) < 0)
			return -1;
		/* the best D of all rounds is a bound of the same optimum */
		c->dual = fmax(c->dual, s->round.best_dual);
		return 0;
	}
	/*
	 * f was brought up to date by corrections, whose errors add up: the certificate is of sums
	 * anew
	 */
	if (s->history.n_corrections > 0)
		ret = decision_values(s->p, s->x->beta, s->o->eps, s->x->f, s->o->n_threads, err);
	return ret < 0 ? -1 : certificate_make(s->p, s->x, s->o->eps, c, err);
}

int paper_solve(struct randsvm_task *task, struct error *err)
{
	struct paper_run s = { .task = task,
			       .p = &s.own,
			       .own = *task->p,
			       .o = task->options,
			       .x = &task->x,
			       .result = &task->result,
			       .k = randsvm_k(task->options, task->p->n),
			       .r = randsvm_sample_size(task->options, task->p->n) };
	int ret = -1;

	randsvm_task_begin(task);
	s.round = (struct randsvm_round){
		.k = s.k, .sample = s.r, .best_primal = DBL_MAX, .best_dual = -INFINITY
	};
	if (run_init(&s, err) == 0 && run_rounds(&s, err) == 0)
		ret = certify(&s, err);
	mem_free_all(s.is_member, s.candidate, s.doublings, s.weight_to, s.best.beta, s.best.f);
	subproblem_free(&s.sub);
	decision_history_free(&s.history);
	return ret;
}
