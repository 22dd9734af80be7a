/*
 * rounds.h - options, progress and result of training by working sets, in all modes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/checkpoint.h"
#include "problem/solver.h"
#include "proof/certificate.h"

enum working_set_mode {
	/* rounds until no example violates: the optimum */
	WORKING_SET_EXACT,
	/* Algorithm 2 of arXiv 0909.3609: T = SV plus r - |SV| random violators */
	WORKING_SET_PAPER,
	/* Algorithm 1 of arXiv 0909.3609: T is drawn by weights; weights of violators double */
	WORKING_SET_REWEIGHT,
	/* few examples at a time; a round that makes the solution worse is rejected: solve.h */
	WORKING_SET_BUDGET
};

/* Limit of rounds of modes paper and reweight, whose loops may otherwise never end. */
#define RANDSVM_DEFAULT_ROUNDS 100

/* If a count is 0 randsvm_solve() chooses it; but n_threads must be 1 .. THREAD_MAX. */
struct randsvm_options {
	enum working_set_mode mode;
	uint64_t seed;
	double eps; /* tolerance of the KKT conditions */
	double gap; /* relative duality gap at which to stop; 0: do not stop for the gap */
	int64_t k;  /* support vectors at which to stop (paper); Clarkson's Delta (reweight) */
	/* norm distortion and failure probability that k follows from, if k is 0 */
	double epsilon, delta;
	bool separable; /* data are separable: only matters if k is 0, see randsvm_default_k() */
	/* factor for r = sample_factor k, if 'sample' is 0; > 1: mode paper */
	double sample_factor;
	int64_t sample; /* size r of the first sample */
	int64_t budget; /* largest number of examples at a time, at least 2: mode budget */
	int n_models;	/* mode budget: models to average, 0 .. BUDGET_MAX_MODELS; 0: 1 */
	/*
	 * limit of rounds over the whole set; 0: none in exact, BUDGET_DEFAULT_ROUNDS in budget,
	 * RANDSVM_DEFAULT_ROUNDS in paper and reweight
	 */
	int64_t max_rounds;
	/* small problems are solved to the last digits, see exact_finish(): mode exact */
	bool finishes;
	int n_threads;
};

/*
 * Reasons to stop, from best to worst; the reason for several models is the worst of their reasons.
 */
enum stop_reason {
	STOP_OPTIMAL,	     /* no example violates */
	STOP_WHOLE_SET,	     /* the working set was all examples */
	STOP_ENOUGH_VECTORS, /* paper: |SV| >= k */
	STOP_NO_ROOM,	     /* paper: |SV| >= r, so T has no room for a violator */
	STOP_BUDGET_FULL,    /* budget: |SV| leaves room for fewer than m / 20 other examples */
	STOP_NO_PROGRESS,    /* budget: two rounds in a row did not lower the primal */
	STOP_GAP,	     /* the duality gap asked for is reached */
	STOP_MAX_ROUNDS,     /* the limit of rounds */
	STOP_MAX_ITERATIONS, /* the solver's limit of iterations; in exact, on the whole set */
	STOP_PRECISION,	 /* examples violate in double precision, but not in the solver's floats */
	STOP_INTERRUPTED /* the caller's interruption */
};

/* stop_reason_text() - the reason in words, such as "no violators left" */
const char *stop_reason_text(enum stop_reason reason);

/* stop_reason_is_early() - did a limit or the caller end what might have gone on? */
bool stop_reason_is_early(enum stop_reason reason);

/* Figures of a round of a solver, for the observer. */
struct randsvm_round {
	int number;	   /* number of the round, from 1 */
	int64_t k, sample; /* stopping size k and sample size r, given or chosen */
	/* number of examples of the problem solved: all, but fewer in exact's first rounds */
	int64_t subset;
	int64_t working_set, n_sv, n_violators;
	/* objectives of this round's solution over all examples; NAN for a subset */
	double primal, dual;
	/* best bounds of all rounds so far; the optimum lies between them */
	double best_primal, best_dual;
	int model; /* budget: number of the model, from 1; each model begins with round 1 */
	bool kept; /* budget: the round was accepted, as the best of its model so far */
};

/* randsvm_whole_round() - the round of a solver that has all n examples from the start, and its 'c' */
struct randsvm_round randsvm_whole_round(int number, int64_t n, const struct certificate *c);

/* Rounds that observers were told, in order.  Owns its array. */
struct randsvm_rounds {
	struct randsvm_round *round;
	int64_t n, capacity;
};

/* Called after each round; 'round' may be NULL. */
struct randsvm_observer {
	void (*round)(void *arg, const struct randsvm_round *round);
	void *arg;
};

struct randsvm_result {
	int rounds;
	enum stop_reason reason;
	struct certificate certificate;
	bool in_doubles; /* x.f are sums of kernel values in double precision */
	/*
	 * of a training in mode exact that ended early: examples that its solution was trained on, 0
	 * for all; and was it by mode budget, of so many at a time?
	 */
	int64_t n_learned;
	bool by_budget;
};

/*
 * struct randsvm_task - one problem, how to solve it, and the solution found
 *
 * All pointers are borrowed.  The arrays of 'x' have room for p->n values.
 */
struct randsvm_task {
	const struct problem_view *p;
	const struct solver *solver;
	const struct randsvm_options *options;
	const struct randsvm_observer *observer; /* observer of the rounds; or NULL */
	/*
	 * p->n multipliers as a start, feasible or not, in mode exact with a solver that has a warm
	 * start; NULL: 0.  They change how soon the optimum is found, but not the optimum.  Training by
	 * weights of features only judges them: is that the optimum?  NULL for machines of nu.
	 */
	const double *start;
	/* part of the checkpoint, and the rounds kept with it; both NULL: nothing is kept */
	struct checkpoint_block *checkpoint;
	const struct randsvm_rounds *rounds;
	struct linear_helpers *helpers; /* processes that help with a linear kernel; or NULL */
	struct iterate x;
	struct randsvm_result result;
	/*
	 * x.f and x.rho may be those of weights, where these are better than the multipliers of a
	 * linear kernel: then 'w', by column of p->x, for the caller to free; else NULL
	 */
	bool takes_weights;
	double *w;
};

/*
 * randsvm_interruption() - interruption of the problem or, if it has none, of the solver; or NULL
 */
static inline const struct interruption *randsvm_interruption(const struct randsvm_task *task)
{
	return task->p->interruption ? task->p->interruption : task->solver->interruption;
}

/*
 * randsvm_is_early() - may another solution than one that ended so have a much smaller primal?
 *
 * It ended before the optimum, and has a relative gap above 1e-3.  For an indefinite kernel a low
 * primal says little about a solution.
 */
bool randsvm_is_early(const struct problem_view *p, enum stop_reason reason,
		      const struct certificate *c);

/* randsvm_gap_suffices() - is the gap asked for reached, if one is? */
static inline bool randsvm_gap_suffices(const struct randsvm_options *o, double primal, double dual)
{
	return o->gap > 0 && certificate_gap_is_within(primal, dual, o->gap);
}

/* randsvm_task_begin() - reset the result, the iterations, and all of 'x' to 0 */
void randsvm_task_begin(struct randsvm_task *task);

/* randsvm_task_observe() - call the observer, if there is one */
void randsvm_task_observe(const struct randsvm_task *task, const struct randsvm_round *round);

/* randsvm_observe_whole() - observe randsvm_whole_round() of the result as it is */
void randsvm_observe_whole(const struct randsvm_task *task);

/*
 * randsvm_visit_rounds() - the rounds told from number 'first' of task->rounds on, as fields
 *
 * Rounds that are read are told to the observer, as if they were of now.
 */
void randsvm_visit_rounds(const struct randsvm_task *task, int64_t first, struct fields *f);

/* randsvm_visit_round(), randsvm_visit_result() - visit the fields of a round or a result */
void randsvm_visit_round(struct randsvm_round *round, struct fields *f);
void randsvm_visit_result(struct randsvm_result *result, struct fields *f);

/*
 * struct randsvm_run - one solver's part of a task, as a run of its block: struct checkpoint_run
 *
 * The outcome is what the solver returned, the task's result, and its x if that was not 1.
 */
struct randsvm_run {
	struct randsvm_task *task;
	int64_t first_round; /* first round of the run, in task->rounds */
	int ret;	     /* value that the solver returned */
};

struct randsvm_run randsvm_run_of(struct randsvm_task *task);

/* randsvm_visit_outcome() - a checkpoint_visit; 'run' is a struct randsvm_run */
void randsvm_visit_outcome(void *run, struct fields *f);

/* randsvm_visit_iterate() - visit all of 'x', of n examples */
void randsvm_visit_iterate(struct iterate *x, int64_t n, struct fields *f);

/*
 * randsvm_default_k() - ceil(kappa ln(4 n / delta) / epsilon^2), kappa = 16 if separable, else 32
 *
 * A heuristic size, not a guarantee: epsilon is the relative error of squared norms, that of
 * the margin l = 1 / |w| is 1 + (1 + |x|^2) / (2 l) times that, |x| being the longest row.  delta
 * is the probability of failure: .9 in the papers' experiments with classes, mostly .1 in those
 * with targets.
 * Source: arXiv 0909.3609, equation 7 (equation 4 of NIPS 2007), with its 16; section 5.1.2 takes 32
 * for data that are not separable.
 */
int64_t randsvm_default_k(int64_t n, double epsilon, double delta, bool separable);

/* randsvm_k() - option k, or randsvm_default_k() of n examples if k is 0 */
int64_t randsvm_k(const struct randsvm_options *o, int64_t n);

/*
 * randsvm_sample_size() - size of the first sample of a problem of n examples, at most n
 *
 * In mode budget it is the budget.  In other modes it is options->sample, or if that is 0
 *
 *     exact       2000, the size of the smallest nested subset
 *     paper       sample_factor k
 *     reweight    6 k^2
 *
 * If the result is n, the first subproblem is the whole problem.
 */
int64_t randsvm_sample_size(const struct randsvm_options *o, int64_t n);

/*
 * randsvm_takes_all() - does mode exact optimise all n examples from the start?
 *
 * A subset of more than half of them is not worth drawing.
 */
bool randsvm_takes_all(const struct randsvm_options *o, int64_t n);
