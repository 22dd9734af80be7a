/*
 * exact_solve.c - the optimum of a whole problem, by nested random subsets and working sets
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "train/exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/exact_run.h"

/* From what another solver left: besides one per example, and steps times members (a minute or so). */
#define IMPROVING_STEPS 1000000
#define IMPROVING_WORK 50000000000
#define MEMBERS_SHARE 0.4 /* of the tolerance: a half for all, and what rounding needs */
#define MOST_STALLS 3

static int run_init(struct exact_run *s, const struct solver *solver, struct error *err)
{
	int64_t n = s->p->n;

	s->first_level = mem_zeroed(n, sizeof(uint8_t), err);
	s->is_working = mem_zeroed(n, sizeof(bool), err);
	s->list = mem_array(n, sizeof(int64_t), err);
	s->before = mem_zeroed(n, sizeof(double), err);
	s->seen = mem_zeroed(n, sizeof(double), err);
	s->best.beta = mem_array(n, sizeof(double), err);
	s->best.f = mem_array(n, sizeof(double), err);
	if (err->code != ERR_NONE || decision_history_init(&s->history, n, err) < 0)
		return -1;
	return smo_init(&s->smo, s->p, solver->cache_mb, s->o->n_threads, s->interruption, err);
}

static void run_free(struct exact_run *s)
{
	free(s->first_level);
	free(s->is_working);
	free(s->list);
	free(s->before);
	free(s->seen);
	free(s->best.beta);
	free(s->best.f);
	decision_history_free(&s->history);
	smo_free(&s->smo);
}

/*
 * Who wants an end will not wait for the whole set to be predicted from a large subset: the
 * smallest one is solved as what it is, C and all.
 */
static int solve_smallest(struct exact_run *s, struct error *err)
{
	s->level = 0;
	s->scale = 1;
	s->result->rho = 0;
	memset(s->beta, 0, (size_t)s->p->n * sizeof(double));
	memset(s->f, 0, (size_t)s->p->n * sizeof(double));
	for (int64_t i = 0; i < s->p->n; i++)
		s->is_working[i] = exact_in_subset(s, i);
	s->smo.interruption = NULL;
	if (exact_optimise(s, s->o->eps / 2, err) < 0)
		return -1;
	s->smo.interruption = s->interruption;
	s->level = s->n_levels - 1;
	return 0;
}

/* Up to the predictions for the whole set. */
static int solve_subsets(struct exact_run *s, struct error *err)
{
	s->last = EXACT_SUBSET_TOLERANCE;
	for (s->level = 0; !exact_at_top(s); s->level++) {
		if (interruption_requested(s->interruption))
			break;
		s->tolerance = s->level == 0 ? EXACT_SUBSET_TOLERANCE : EXACT_FIRST_TOLERANCE;
		if (exact_enter_subset(s, err) < 0 || exact_settle(s, false, err) < 0)
			return -1;
		s->round.n_violators = 0;
		exact_observe(s);
	}
	if (s->n_levels > 1 && interruption_requested(s->interruption))
		return solve_smallest(s, err);
	return exact_enter_subset(s, err);
}

static enum stop_reason optimal_reason(const struct exact_run *s)
{
	return s->alone ? STOP_WHOLE_SET : STOP_OPTIMAL;
}

/* Members satisfied, and yet violators, all of them members: how often in a row? */
static bool is_stuck(struct exact_run *s)
{
	s->n_stalls = s->settled && s->n_joined == 0 ? s->n_stalls + 1 : 0;
	return s->n_stalls > MOST_STALLS;
}

/* Is this the end?  Then why. */
static bool should_stop(struct exact_run *s)
{
	enum stop_reason *reason = &s->result->reason;
	const struct certificate *c = &s->result->certificate;

	if (s->o->gap > 0 && certificate_gap_is_within(c->primal, c->dual, s->o->gap))
		*reason = STOP_GAP;
	else if (s->round.n_violators == 0 && !(s->o->gap == 0 && exact_tighten(s)))
		*reason = optimal_reason(s);
	else if (interruption_requested(s->interruption))
		*reason = STOP_INTERRUPTED;
	else if (s->gave_up)
		*reason = STOP_MAX_ITERATIONS;
	else if (s->o->max_rounds > 0 && s->n_proofs >= s->o->max_rounds)
		*reason = STOP_MAX_ROUNDS;
	else if (is_stuck(s))
		*reason = STOP_PRECISION;
	else
		return false;
	return true;
}

/*
 * The best there is.  Soon after the predictions that may be worse than all multipliers 0, where
 * examples outside the working set have wrong ones: then the smallest subset's.
 */
static int finish(struct exact_run *s, struct error *err)
{
	enum stop_reason *reason = &s->result->reason;

	if (s->n_levels > 1 && s->best.n_violators > 0 && s->best.certificate.dual < 0) {
		if (solve_smallest(s, err) < 0 || exact_prove(s, err) < 0)
			return -1;
		exact_observe(s);
	}
	exact_take_best(s);
	if (s->best.n_violators == 0 && *reason != STOP_INTERRUPTED && *reason != STOP_GAP)
		*reason = optimal_reason(s);
	return 0;
}

static int solve_whole(struct exact_run *s, struct error *err)
{
	s->last = s->alone ? s->o->eps : MEMBERS_SHARE * s->o->eps;
	s->tolerance = s->n_levels > 1 ? EXACT_FIRST_TOLERANCE : s->last;
	do {
		if (exact_settle(s, s->o->gap > 0, err) < 0 || exact_prove(s, err) < 0)
			return -1;
		exact_observe(s);
	} while (!should_stop(s));
	return finish(s, err);
}

static struct exact_run make_run(const struct problem_view *p, const struct solver *solver,
				 const struct randsvm_options *options,
				 const struct randsvm_observer *observer, double *beta, double *f,
				 struct randsvm_result *result)
{
	return (struct exact_run){
		.p = p,
		.o = options,
		.interruption = solver->interruption,
		.observer = observer,
		.beta = beta,
		.f = f,
		.scale = 1,
		.noise = -1,
		.steps_left = solver_max_iterations(p->n),
		.work_left = INT64_MAX,
		.result = result,
		.round = { .sample = randsvm_sample_size(options, p->n),
			   .best_primal = DBL_MAX,
			   .best_dual = -DBL_MAX },
	};
}

int exact_solve(const struct problem_view *p, const struct solver *solver,
		const struct randsvm_options *options, const struct randsvm_observer *observer,
		double *beta, double *f, struct randsvm_result *result, struct error *err)
{
	struct problem_view whole = *p;
	struct exact_run s = make_run(&whole, solver, options, observer, beta, f, result);
	int ret = -1;

	s.predicts = decision_choose_precision(&whole, options->eps);
	*result = (struct randsvm_result){ 0 };
	memset(beta, 0, (size_t)p->n * sizeof(double));
	memset(f, 0, (size_t)p->n * sizeof(double));
	if (run_init(&s, solver, err) < 0 || exact_draw_subsets(&s, err) < 0)
		goto out;
	s.alone = s.n_levels == 1;
	if (solve_subsets(&s, err) == 0)
		ret = solve_whole(&s, err);
out:
	run_free(&s);
	return ret;
}

int exact_improve(const struct problem_view *p, const struct solver *solver,
		  const struct randsvm_options *options, const struct randsvm_observer *observer,
		  double *beta, double *f, double reach, struct randsvm_result *result,
		  struct error *err)
{
	struct exact_run s = make_run(p, solver, options, observer, beta, f, result);
	int ret = -1;

	if (run_init(&s, solver, err) < 0)
		goto out;
	s.subset_size[s.n_levels++] = p->n;
	s.steps_left = IMPROVING_STEPS + p->n;
	s.work_left = IMPROVING_WORK;
	for (int64_t i = 0; i < p->n; i++) {
		s.before[i] = f[i] - result->rho;
		s.is_working[i] = exact_is_free(&s, i) || exact_safety(&s, i) < reach;
	}
	ret = solve_whole(&s, err);
out:
	run_free(&s);
	return ret;
}
