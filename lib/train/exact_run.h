/*
 * exact_run.h - the state of one exact_solve(), shared by the files exact_*.c
 *
 * exact_solve.c calls the other files: exact_subsets.c predicts multipliers and chooses working
 * sets; exact_settle.c optimises them, exact_prove.c evaluates and certifies; exact_best.c keeps the
 * best solution, exact_state.c the state.  Other modules include exact.h instead.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/decision.h"
#include "smo/smo.h"
#include "source/near_source.h"
#include "train/exact.h"

/*
 * In units of decision values, see struct exact_run.  Chosen because they make training fastest in
 * bench/train.  They change how soon the optimum is found, but not the optimum.
 */
/* tolerance of solutions of subsets, which only predict the next subset */
#define EXACT_SUBSET_TOLERANCE 0.01
/* first tolerance of a working set, in units of decision values; later ones are smaller */
#define EXACT_FIRST_TOLERANCE 0.3
#define EXACT_TOLERANCE_STEP 0.1 /* factor from one tolerance of a working set to the next */
/* error assumed of predicted decision values, in units: see struct exact_run */
#define EXACT_FIRST_NOISE 1.0
/* share of its bound at which a multiplier predicted to be free starts */
#define EXACT_FREE_SHARE 0.5

/* Most nested subsets.  Sizes grow fourfold, so 32 levels suffice for any number of examples. */
#define EXACT_MOST_LEVELS 32

/* A solution of the whole problem. */
struct exact_solution {
	bool known;
	struct iterate x;    /* solution of the problem; x.n_iterations is not used */
	int64_t n_violators; /* number of violators by the tolerance of exact_prove() */
	struct certificate certificate;
};

/* The multipliers other than 0 of a subset's solution or of the start, and their number. */
struct exact_sample {
	int64_t n;
	int64_t n_learned; /* examples of the subset; 0: not known */
	int64_t *example;
	double *beta;
	bool in_floats; /* its decision values will be sums in single precision */
};

/* The nested subsets; the last one is the whole set. */
struct exact_subsets {
	int n_levels, level;
	int64_t size[EXACT_MOST_LEVELS];
	/* level of the smallest subset that contains the example; an entry for each example */
	uint8_t *first_level;
	double scale;  /* C of this subset over C of the problem: n / size, or 1 */
	double noise;  /* error of the decision values predicted last; < 0: not known yet */
	bool predicts; /* a subset's solution predicts multipliers, not only decision values */
};

/* How far decision values have moved since each example's was computed. */
struct exact_movement {
	/* position of each example's value (exact_position()) before the next optimisation */
	double *before;
	/* 'total' at the time when the decision value was computed; an entry for each example */
	double *seen;
	double total; /* sum of the movements of all optimisations so far */
};

/* The tolerances of the optimisations, and the steps of SMO that are left. */
struct exact_pace {
	double tolerance, last; /* tolerance of the next optimisation; smallest tolerance planned */
	int64_t steps_left;	/* steps left to SMO on the whole set */
	int64_t work_left;	/* work left to SMO on the whole set: steps times members */
	/* last optimisation was stopped early, to look for violators outside the working set */
	bool cut_short;
	bool gave_up;	  /* last optimisation used up the steps or work left */
	bool settled;	  /* smallest tolerance planned is reached */
	bool may_extend;  /* more steps may be taken as long as the duality gap falls */
	double gap;	  /* relative gap of the best bounds when the steps were last used up */
	double most_work; /* work of SMO (smo.work) after which the run ends without a result */
	double unit;	  /* unit in which 'tolerance' and 'last' of this subset are measured */
	/* steps left to the present optimisation, or -1 without one; steps taken so far */
	int64_t run_left, run_taken;
};

/* Evaluations of all examples, and the best solution that they have proved. */
struct exact_proofs {
	int n;
	double work; /* smo.work at the last evaluation, or when the whole set was begun */
	struct decision_history history;
	/* movement.total at the time when the decision values in 'history' were computed */
	double seen;
	int64_t n_joined; /* number of violators outside the working set in the last evaluation */
	/* number of evaluations in a row with no violators but members that SMO calls settled */
	int n_stalls;
	struct exact_solution best;
};

/* What parts of the end take; measured where the time is limited. */
struct exact_clock {
	double certificate; /* seconds of unfinished_certify() for w = 0 */
	double value;	    /* seconds of a kernel value in a sum over support vectors */
};

/* Places of the run where its state is kept: before settling or between slices; before a proof. */
enum exact_place { EXACT_SETTLES, EXACT_PROVES };

/* What a checkpoint knows of the run besides its numbers. */
struct exact_keeping {
	struct randsvm_run run; /* solver's run as it is written */
	int place;	   /* last safe point at which the state was kept, an enum exact_place */
	int64_t n_members; /* number of members of the working set at that point */
	bool has_near;	   /* 'near' had kernel values at that point */
	bool ends;	   /* the run is ending: no safe points follow */
	bool resumes; /* the run was read from a checkpoint, and its place is not reached yet */
};

/* One run; examples are positions within the problem, 0 .. p->n - 1. */
struct exact_run {
	struct randsvm_task *task;
	struct problem_view *p; /* a copy, whose epsilon follows x where epsilon is solved for */
	const struct randsvm_options *o; /* options of the task */
	struct iterate *x;		 /* solution of the task; x->f[i] as last evaluated */
	struct randsvm_result *result;	 /* result of the task */
	struct randsvm_round round;

	struct exact_subsets subsets;
	struct exact_movement movement;
	struct exact_pace pace;
	struct exact_proofs proofs;
	/* the start, or the solution of each level settled; a sample may be empty */
	struct exact_sample sample[EXACT_MOST_LEVELS];
	int n_samples;

	bool keeps_values; /* kernel values may be kept for this problem */
	/* kernel values between examples close in space, kept for the whole run */
	struct near_matrix near;
	struct near_source near_source;
	/*
	 * The unit of decision values: 1, half of C-SVC's margin or a target's unit; for nu-SVC
	 * half of its margin, and for one-class the standard deviation of f, both of the subset
	 * solved last.
	 */
	double unit;

	/* end of the run: the caller's, less the time that exact_end() will take */
	struct earlier_end end;
	struct exact_clock clock;

	bool *is_working; /* membership of each example in the working set */
	struct smo smo;
	bool alone;	    /* the working set is all examples from the start */
	int64_t *list_room; /* list of examples to pass to exact_evaluate(); room for p->n */

	struct exact_keeping keeping;
};

static inline bool exact_interrupted(const struct exact_run *s)
{
	return interruption_requested(&s->end.own);
}

/* exact_is_over() - has SMO done more work than the run may take? */
static inline bool exact_is_over(const struct exact_run *s)
{
	return s->smo.work >= s->pace.most_work;
}

static inline bool exact_at_top(const struct exact_run *s)
{
	return s->subsets.level == s->subsets.n_levels - 1;
}

static inline bool exact_in_subset(const struct exact_run *s, int64_t i)
{
	return s->subsets.first_level[i] <= s->subsets.level;
}

/* exact_bound() - the largest |beta_i| that example i may have in this subset */
static inline double exact_bound(const struct exact_run *s, int64_t i)
{
	return s->subsets.scale * problem_c(s->p, i);
}

static inline bool exact_is_free(const struct exact_run *s, int64_t i)
{
	return s->x->beta[i] != 0 && fabs(s->x->beta[i]) < exact_bound(s, i);
}

/* exact_hold() - copy epsilon after each change of s->x: examples are judged by s->p->epsilon */
static inline void exact_hold(struct exact_run *s)
{
	*s->p = problem_at(s->p, s->x);
}

/* exact_slack() - distance of example i from having a loss; minus its loss if it has one */
static inline double exact_slack(const struct exact_run *s, int64_t i)
{
	double f_plus_b = s->x->f[i] - s->x->rho, target = s->p->target[i];

	if (s->p->type == MACHINE_C_SVC)
		return target * f_plus_b - 1;
	if (machine_is_regression(s->p->type))
		return s->p->epsilon - fabs(target - f_plus_b);
	return target * f_plus_b + s->p->epsilon;
}

/*
 * exact_position() - what is compared to tell how far examples have moved
 *
 * f_i - rho; where thresholds move apart too, the slack.
 */
static inline double exact_position(const struct exact_run *s, int64_t i)
{
	return problem_fixes_sums(s->p) ? exact_slack(s, i) : s->x->f[i] - s->x->rho;
}

/* exact_is_positive() - would beta_i be above 0?  In regression the side of the target tells. */
static inline bool exact_is_positive(const struct exact_run *s, int64_t i)
{
	return s->p->target[i] > (machine_is_regression(s->p->type) ? s->x->f[i] - s->x->rho : 0);
}

/* exact_safety() - how far f_i - rho may move before beta_i, at 0 or at its bound, violates */
static inline double exact_safety(const struct exact_run *s, int64_t i)
{
	return s->x->beta[i] != 0 ? -exact_slack(s, i) : exact_slack(s, i);
}

/* exact_rows() - the n examples listed, to be evaluated by the tolerance of the training */
static inline struct decision_rows exact_rows(const struct exact_run *s, const int64_t *list,
					      int64_t n)
{
	return (struct decision_rows){ list, n, s->o->eps, s->o->n_threads };
}

/* exact_linear() - L = sum_i t_i beta_i - epsilon |beta_i|, the linear term of D */
static inline double exact_linear(const struct exact_run *s)
{
	double sum = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		sum += s->p->target[i] * s->x->beta[i] - s->p->epsilon * fabs(s->x->beta[i]);
	return sum;
}

/* exact_list_working() - list the members of the working set in s->list_room; their number */
static inline int64_t exact_list_working(const struct exact_run *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p->n; i++)
		if (s->is_working[i])
			s->list_room[n++] = i;
	return n;
}

/* ---- exact_subsets.c ---- */

/* exact_draw_subsets() - draw nested uniform subsets; the last level is the whole set */
int exact_draw_subsets(struct exact_run *s, struct error *err);

/*
 * exact_enter_subset() - go from the subset before to s->subsets.level
 *
 * Predicts the decision values of the new examples, sets their multipliers and chooses the working
 * set.  s->movement.before becomes the predicted f - rho, and s->subsets.noise -1, not known yet.
 */
int exact_enter_subset(struct exact_run *s, struct error *err);

/*
 * exact_choose_working_set() - the examples of the subset that are free, or near the margin
 *
 * 'noise' is how far decision values may be off.
 */
void exact_choose_working_set(struct exact_run *s, double noise);

/* exact_measure_unit() - measure s->unit of the solved subset; 1 where it is not measured */
void exact_measure_unit(struct exact_run *s);

/* ---- exact_settle.c ---- */

/*
 * exact_evaluate() - compute the decision values of the n examples listed; less exactly below the
 * top, and where they only predict multipliers
 */
int exact_evaluate(struct exact_run *s, const int64_t *list, int64_t n, bool predicts,
		   struct error *err);

/*
 * exact_settle() - optimise the subset until neither members nor examples near the margin violate
 *
 * Tolerances go from s->pace.tolerance down to s->pace.last; with 'pause' set, returns after each.
 * Examples far from violating are not evaluated: exact_prove() does that.
 */
int exact_settle(struct exact_run *s, bool pause, struct error *err);

/* ---- exact_state.c ---- */

/* exact_make_near() - compute s->near, kernel values of all examples that are close in space */
int exact_make_near(struct exact_run *s, struct error *err);

/*
 * exact_enter() - the run begins: is its state known, or its outcome?
 *
 * After run_init() and exact_draw_subsets().  Returns an enum checkpoint_found, or -1 with an
 * error; s->keeping.resumes is set if the state was read.
 */
int exact_enter(struct exact_run *s, struct error *err);

/* exact_keep() - a safe point: keep the state of the run for a checkpoint */
void exact_keep(struct exact_run *s, enum exact_place place);

/*
 * exact_correct() - the decision values that a proof needs, if they are near to those of the last
 *
 * Examples that had no multiplier and have none, and that have more slack than values can have
 * moved, keep the value of that proof: they have no loss and do not violate with either.  Returns 1
 * where this does not apply, and all have to be evaluated.
 */
int exact_correct(struct exact_run *s, struct error *err);

/* ---- exact_prove.c ---- */

/*
 * exact_evaluate_all() - the decision values of all examples, exact enough for a certificate; but
 * see exact_correct()
 */
int exact_evaluate_all(struct exact_run *s, struct error *err);

/*
 * exact_prove() - evaluate all examples, and certify the solution
 *
 * Violators join the working set.
 */
int exact_prove(struct exact_run *s, struct error *err);

/* exact_observe() - report a round to the task's observer */
void exact_observe(struct exact_run *s);

/*
 * exact_extend() - the steps are used up: are there to be as many again?
 *
 * If the gap is wide, but has fallen to half of what it was when they were last used up.
 */
bool exact_extend(struct exact_run *s);

/*
 * exact_tighten() - at the optimum to within the tolerance: is the gap still too wide?
 *
 * If so, makes s->pace.last ten times smaller, allows at most as many steps as were taken so far, or
 * as many again where these have halved the gap, and returns true.
 */
bool exact_tighten(struct exact_run *s);

/* ---- exact_best.c ---- */

/*
 * exact_measure_end() - where the time is limited, measure what the parts of the end take
 *
 * After exact_draw_subsets(), and before the run has moved.  O(n), and 4096 decision values.
 */
int exact_measure_end(struct exact_run *s, struct error *err);

/* exact_reserve_time() - keep back, where the time is limited, what the candidates of the end take */
void exact_reserve_time(struct exact_run *s);

/* exact_offer_proof() - keep the solution that exact_prove() has certified, if it is the best */
int exact_offer_proof(struct exact_run *s, struct error *err);

/*
 * exact_offer_sample() - keep the multipliers that s->x holds, of the subset settled last or of the
 * start; 'n_learned' becomes the result's if they are the best
 */
int exact_offer_sample(struct exact_run *s, int64_t n_learned, struct error *err);

/* exact_sample_room() - make room for n multipliers; exact_free_samples() frees it */
int exact_sample_room(struct exact_sample *sample, int64_t n, struct error *err);
void exact_free_samples(struct exact_run *s);

/*
 * exact_end() - the result becomes the best solution, certified over all examples
 *
 * The last solution proved need not be the best: while exact_tighten() makes the optimum more exact,
 * violators can come back.  Where the run ends early the samples' solutions are tried too: see
 * exact_best.c.  It is not interrupted.  Returns 1 where the solution is none that was proved, and
 * is a round to be observed; 0 where it is, or -1 with an error.
 */
int exact_end(struct exact_run *s, struct error *err);
