/*
 * exact_run.h - what the parts of exact_solve.c share: one problem on its way to the optimum
 *
 * exact_solve.c goes through the parts: exact_subsets.c predicts, exact_settle.c optimises,
 * exact_prove.c evaluates all.  Only exact.h is for others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_EXACT_RUN_H
#define RANDSVM_EXACT_RUN_H

#include <math.h>

#include "problem/decision.h"
#include "smo/smo.h"
#include "train/exact.h"

/* Measured on the rows of bench/train: they change how soon the optimum is found, not which. */
#define EXACT_SUBSET_TOLERANCE 0.01 /* of subsets, whose solutions only predict */
#define EXACT_FIRST_TOLERANCE 0.3   /* the first of the tolerances that narrow the working set */
#define EXACT_TOLERANCE_STEP 0.1    /* from one to the next */

#define EXACT_MOST_LEVELS 32

/* A solution of the whole problem, as evaluated. */
struct exact_solution {
	bool known;
	double *beta, *f, rho;
	int64_t n_violators; /* by the tolerance of proving */
	struct certificate certificate;
};

/* One run; examples are positions within the problem, 0 .. p->n - 1. */
struct exact_run {
	const struct problem_view *p;
	const struct randsvm_options *o;
	const struct interruption *interruption;
	const struct randsvm_observer *observer;
	struct randsvm_result *result;
	struct randsvm_round round;

	/* the nested subsets; the last one is the whole set */
	int n_levels, level;
	int64_t subset_size[EXACT_MOST_LEVELS];
	uint8_t *first_level; /* by example: the first subset it is in */
	double scale;	      /* of C in this subset: what an example stands for */
	double noise;	      /* how far predictions were off, last time */
	bool predicts;	      /* solutions of subsets predict multipliers too */

	/* what is known of the examples */
	double *beta;
	double *f;	/* decision values as last known */
	double *before; /* with the constant: what movement is measured from */
	double *seen;	/* 'moved' at the time of f */
	double moved;	/* how far decision values have moved, all in all */

	/* the working set and its optimisation */
	bool *is_working;
	struct smo smo;
	int64_t *list;		/* room for p->n examples */
	double tolerance, last; /* of the next optimisation, and of the last one planned */
	bool alone;		/* all are members from the start: there is no outside */
	int64_t steps_left;	/* on the whole set */
	int64_t work_left;	/* likewise: steps times members */
	bool cut_short;		/* the last optimisation was, to look outside */
	bool gave_up;
	bool settled; /* the last tolerance planned was reached */

	/* evaluations of all examples */
	struct decision_history history;
	int64_t n_joined; /* violators found that were no members */
	int n_proofs, n_stalls;
	struct exact_solution best;
};

static inline bool exact_at_top(const struct exact_run *s)
{
	return s->level == s->n_levels - 1;
}

static inline bool exact_in_subset(const struct exact_run *s, int64_t i)
{
	return s->first_level[i] <= s->level;
}

/* exact_bound() - the largest |beta_i| in this subset */
static inline double exact_bound(const struct exact_run *s, int64_t i)
{
	return s->scale * problem_c(s->p, i);
}

static inline bool exact_is_free(const struct exact_run *s, int64_t i)
{
	return s->beta[i] != 0 && fabs(s->beta[i]) < exact_bound(s, i);
}

/* exact_slack() - how much example i lacks to have a loss; negative where it has one */
static inline double exact_slack(const struct exact_run *s, int64_t i)
{
	double f_plus_b = s->f[i] - s->result->rho, target = s->p->target[i];

	if (s->p->type == MACHINE_C_SVC)
		return target * f_plus_b - 1;
	return s->p->epsilon - fabs(target - f_plus_b);
}

/* exact_safety() - how much it lacks to want to leave its bound, 0 or C */
static inline double exact_safety(const struct exact_run *s, int64_t i)
{
	return s->beta[i] != 0 ? -exact_slack(s, i) : exact_slack(s, i);
}

/* ---- exact_subsets.c ---- */

/* exact_draw_subsets() - nested uniform subsets; with one level only, the whole set */
int exact_draw_subsets(struct exact_run *s, struct error *err);

/*
 * exact_enter_subset() - from the subset before to s->level: predict, guess, choose the working set
 *
 * In s->before are the predictions.  s->noise becomes -1: yet unknown.
 */
int exact_enter_subset(struct exact_run *s, struct error *err);

/* ---- exact_settle.c ---- */

/* exact_evaluate() - decision values of the n examples listed */
int exact_evaluate(struct exact_run *s, int64_t n, struct error *err);

/*
 * exact_optimise() - optimise the working set, until m - M <= tolerance or out of steps
 *
 * Movement is measured on its members, from s->before.
 */
int exact_optimise(struct exact_run *s, double tolerance, struct error *err);

/*
 * exact_settle() - from s->before to the optimum of the subset, as far as looking near can tell
 *
 * By tolerances from s->tolerance down to s->last.  Where 'pause', returns after each of them.
 */
int exact_settle(struct exact_run *s, bool pause, struct error *err);

/* ---- exact_prove.c ---- */

/* exact_prove() - evaluate all, count violators, who join, certify, and keep the best */
int exact_prove(struct exact_run *s, struct error *err);

/* exact_observe() - report a round */
void exact_observe(struct exact_run *s);

/* exact_tighten() - the optimum is reached: shall it be nearer?  Then with as many steps again */
bool exact_tighten(struct exact_run *s);

/*
 * exact_take_best() - the result becomes the best of what was proved
 *
 * The one of least gap, of those without violators if there are any: half way to a nearer optimum
 * violators may be back.
 */
void exact_take_best(struct exact_run *s);

#endif
