/*
 * rounds.h - what all ways of training by working sets are told, and what they tell
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ROUNDS_H
#define RANDSVM_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/certificate.h"
#include "problem/solver.h"

enum working_set_mode {
	/* until no example violates; with a solver that does not start warm T grows by violators */
	WORKING_SET_EXACT,
	/* Algorithm 2 of arXiv 0909.3609: T = SV plus r - |SV| random violators */
	WORKING_SET_PAPER,
	/* Algorithm 1 there: T is drawn anew by weights, violators' weights double */
	WORKING_SET_REWEIGHT,
	/* few examples at a time, and a round that makes the solution worse is undone: budget.h */
	WORKING_SET_BUDGET
};

/* The published loops need not end by themselves. */
#define RANDSVM_DEFAULT_ROUNDS 100

/* A count of 0 means that randsvm_solve() chooses (but n_threads is 1 .. THREAD_MAX). */
struct randsvm_options {
	enum working_set_mode mode;
	uint64_t seed;
	double eps;	       /* no example shall violate by more */
	double gap;	       /* end at this relative duality gap; 0: do not */
	int64_t k;	       /* support vectors at which 'paper' stops; Delta of 'reweight' */
	double epsilon, delta; /* where k is chosen: norm distortion, failure probability */
	bool separable;
	double sample_factor; /* where the sample is chosen in 'paper': r = factor k, > 1 */
	int64_t sample;	      /* size of the first sample, r */
	int64_t budget;	      /* budget: examples at a time; not chosen, 2 at least */
	int n_models;	      /* budget: to average, at most BUDGET_MAX_MODELS; chosen: 1 */
	/* over the whole set; chosen: no limit in 'exact', BUDGET_DEFAULT_ROUNDS in 'budget', else
	 * RANDSVM_DEFAULT_ROUNDS */
	int64_t max_rounds;
	int n_threads;
};

/* Ordered from best to worst; the reason for several models is their worst. */
enum stop_reason {
	STOP_OPTIMAL,	     /* no violators */
	STOP_WHOLE_SET,	     /* the working set was the whole set */
	STOP_ENOUGH_VECTORS, /* paper: |SV| >= k */
	STOP_NO_ROOM,	     /* paper: |SV| >= r, so no violator fits in */
	STOP_BUDGET_FULL,    /* budget: support vectors leave little room for violators */
	STOP_NO_PROGRESS,    /* budget: two rounds in a row did not lower the primal */
	STOP_GAP,	     /* the duality gap asked for */
	STOP_MAX_ROUNDS,
	STOP_MAX_ITERATIONS, /* the solver gave up; in exact, on the whole set */
	STOP_PRECISION, /* examples violate by sums of doubles, but not by the solver's floats */
	STOP_INTERRUPTED
};

/* stop_reason_text() - such as "no violators left" */
const char *stop_reason_text(enum stop_reason reason);

struct randsvm_round {
	int number;	   /* from 1 */
	int64_t k, sample; /* as chosen */
	int64_t subset;	   /* examples looked at: all, but for exact's first rounds */
	int64_t working_set, n_sv, n_violators;
	double primal, dual; /* of this round's solution, over all examples; NAN for a subset */
	double best_primal, best_dual; /* so far: they enclose the optimum */
	int model;		       /* budget: from 1; each begins with round 1 */
	bool kept;		       /* budget: the best of this model so far */
};

/* What a caller may watch; each may be NULL. */
struct randsvm_observer {
	void (*round)(void *arg, const struct randsvm_round *round);
	void *arg;
};

struct randsvm_result {
	int rounds;
	enum stop_reason reason;
	struct certificate certificate;
};

/*
 * struct randsvm_task - one problem, how it is to be solved, and what was found
 *
 * Everything is borrowed.  The arrays of 'x' have room for p->n values.
 */
struct randsvm_task {
	const struct problem_view *p;
	const struct solver *solver;
	const struct randsvm_options *options;
	const struct randsvm_observer *observer; /* or NULL */
	struct iterate x;
	struct randsvm_result result;
};

/* randsvm_task_begin() - no result, no iterations, and all multipliers 0 */
void randsvm_task_begin(struct randsvm_task *task);

/* randsvm_task_observe() - tell the observer of a round, if there is one */
void randsvm_task_observe(const struct randsvm_task *task, const struct randsvm_round *round);

/*
 * randsvm_default_k() - ceil(kappa ln(4 n / delta) / epsilon^2), kappa = 16 if separable, else 32
 *
 * Source: arXiv 0909.3609, Theorems 1 and 2; a heuristic size, not a guarantee.
 */
int64_t randsvm_default_k(int64_t n, double epsilon, double delta, bool separable);

/* randsvm_k() - k of the options, or the one chosen, for n examples */
int64_t randsvm_k(const struct randsvm_options *o, int64_t n);

/*
 * randsvm_sample_size() - r of the options for a problem of n examples, at most n
 *
 * exact: 2000, the smallest of the nested subsets; paper: factor k; reweight: 6 k^2;
 * budget: the budget.
 * r == n means that the first subproblem is the whole problem.
 */
int64_t randsvm_sample_size(const struct randsvm_options *o, int64_t n);

#endif
