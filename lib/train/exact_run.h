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
	struct iterate x;    /* but for the iterations */
	int64_t n_violators; /* by the tolerance of proving */
	struct certificate certificate;
};

/* The nested subsets; the last one is the whole set. */
struct exact_subsets {
	int n_levels, level;
	int64_t size[EXACT_MOST_LEVELS];
	uint8_t *first_level; /* by example: the first subset it is in */
	double scale;	      /* of C in this subset: how many examples one stands for */
	double noise;	      /* how far predictions were off last time; below 0: not known yet */
	bool predicts;	      /* solutions of subsets predict multipliers too */
};

/* How far decision values have moved since each example's was computed. */
struct exact_movement {
	double *before; /* by example: f - rho that the next optimisation is measured against */
	double *seen;	/* by example: 'total' when its decision value was computed */
	double total;	/* sum of the movements of all optimisations */
};

/* How near to the optimum, and how long, to optimise. */
struct exact_pace {
	double tolerance, last; /* of the next optimisation, and of the last one planned */
	int64_t steps_left;	/* on the whole set */
	int64_t work_left;	/* on the whole set: steps times members */
	bool cut_short;		/* the last optimisation was, to look outside */
	bool gave_up;		/* the last optimisation used up what was left */
	bool settled;		/* the last tolerance planned was reached */
};

/* Evaluations of all examples, and the best solution that they have proved. */
struct exact_proofs {
	int n;
	struct decision_history history;
	int64_t n_joined; /* violators found that were no members, in the last one */
	int n_stalls;	  /* in a row: all violators were members, and members were settled */
	struct exact_solution best;
};

/* One run; examples are positions within the problem, 0 .. p->n - 1. */
struct exact_run {
	struct randsvm_task *task;
	const struct problem_view *p;
	const struct randsvm_options *o; /* the task's */
	struct iterate *x;		 /* the task's; f as last known */
	struct randsvm_result *result;	 /* the task's */
	struct randsvm_round round;

	struct exact_subsets subsets;
	struct exact_movement movement;
	struct exact_pace pace;
	struct exact_proofs proofs;

	bool *is_working; /* by example: in the working set */
	struct smo smo;
	bool alone;	    /* all are members from the start: there is no outside */
	int64_t *list_room; /* p->n examples; a list there lives until exact_evaluate() has it */
};

static inline bool exact_interrupted(const struct exact_run *s)
{
	return interruption_requested(s->task->solver->interruption);
}

static inline bool exact_at_top(const struct exact_run *s)
{
	return s->subsets.level == s->subsets.n_levels - 1;
}

static inline bool exact_in_subset(const struct exact_run *s, int64_t i)
{
	return s->subsets.first_level[i] <= s->subsets.level;
}

/* exact_bound() - the largest |beta_i| in this subset */
static inline double exact_bound(const struct exact_run *s, int64_t i)
{
	return s->subsets.scale * problem_c(s->p, i);
}

static inline bool exact_is_free(const struct exact_run *s, int64_t i)
{
	return s->x->beta[i] != 0 && fabs(s->x->beta[i]) < exact_bound(s, i);
}

/* exact_slack() - how much example i lacks to have a loss; negative where it has one */
static inline double exact_slack(const struct exact_run *s, int64_t i)
{
	double f_plus_b = s->x->f[i] - s->x->rho, target = s->p->target[i];

	if (s->p->type == MACHINE_C_SVC)
		return target * f_plus_b - 1;
	return s->p->epsilon - fabs(target - f_plus_b);
}

/* exact_safety() - how much it lacks to want to leave its bound, 0 or C */
static inline double exact_safety(const struct exact_run *s, int64_t i)
{
	return s->x->beta[i] != 0 ? -exact_slack(s, i) : exact_slack(s, i);
}

/* ---- exact_subsets.c ---- */

/* exact_draw_subsets() - nested uniform subsets; with one level only, the whole set */
int exact_draw_subsets(struct exact_run *s, struct error *err);

/*
 * exact_enter_subset() - from the subset before to s->subsets.level: predict, guess, choose the working set
 *
 * In s->movement.before are the predictions.  s->subsets.noise becomes -1: yet unknown.
 */
int exact_enter_subset(struct exact_run *s, struct error *err);

/* ---- exact_settle.c ---- */

/* exact_evaluate() - decision values of the n examples listed */
int exact_evaluate(struct exact_run *s, const int64_t *list, int64_t n, struct error *err);

/*
 * exact_optimise() - optimise the working set, until m - M <= tolerance or out of steps
 *
 * Movement is measured on its members, from s->movement.before.
 */
int exact_optimise(struct exact_run *s, double tolerance, struct error *err);

/*
 * exact_settle() - from s->movement.before to the optimum of the subset, as far as looking near can tell
 *
 * By tolerances from s->pace.tolerance down to s->pace.last.  Where 'pause', returns after each of them.
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
