/*
 * linear_work.h - what the parts of the linear engine share: one problem being solved
 *
 *     linear_run
 *         task      the problem made ready          written by linear_run.c, then read only, but
 *                                                   for eps (linear_solve.c)
 *         at        multipliers, w, b, sigma        moved by linear_descent.c, linear_newton.c and
 *                                                   between outer steps by linear_solve.c
 *         newton    room of linear_newton.c         nothing but the matrix of the direction lasts
 *                                                   from one Newton step to the next
 *         trial     a feasible copy of multipliers  linear_judge.c and _repair.c
 *         best      the best trial so far           linear_judge.c: the result
 *         lead      the least primal so far         linear_lead.c: that of an interrupted run
 *         epochs    of coordinate descent           linear_descent.c
 *         progress  of the outer steps              linear_solve.c
 *
 * A run is for one thread; the loops over rows inside it share the team of threads in task.x.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "linear/linear.h"
#include "linear/linear_direction.h"
#include "linear/linear_loops.h"
#include "linear/linear_rows.h"
#include "proof/certificate.h"

/*
 * Rows of a block: partial sums are per block, whatever the number of threads.  The five arrays
 * that a loop reads are 160 KB a block, which the second cache of a core holds.
 */
#define LINEAR_BLOCK 4096

/* Relative gap below which multipliers are good enough: that of the models of all machines. */
#define LINEAR_SURE_GAP 1e-3

/* Error that rounding of sums may add to w.x_i, in eps: too small to show in the violation. */
#define LINEAR_SUM_ERROR 1e-4

/* The sides of the rows, each of which has a constant b of its own. */
struct linear_sides {
	/* number of sides: 1; or 2, and then rows with lower < 0 have b[1] and the others b[0] */
	int n;
	bool fixes_sums; /* sums of multipliers are fixed and not 0: the machine is one of nu */
	double sum[2];	 /* sum of the multipliers of each side */
};

/* Problem in the form that the linear engine works on. */
struct linear_task {
	const struct problem_view *p; /* problem of the caller */
	const struct linear_options *o;
	struct linear_rows x; /* rows of p, an n x d matrix in the order of linear_rows.h */
	int64_t n, d;	      /* number of rows; number of columns that occur */
	int64_t n_padded;     /* number of rows rounded up to a multiple of LINEAR_LANES */
	double c_max;	      /* largest C of an example */
	double epsilon;	      /* epsilon of p; 0 where a machine of nu finds its epsilon */
	double eps;	      /* tolerance eps of 'o', or a smaller one by linear_tighten() */
	/* offset of w besides sum beta x: sum[0] times the centre, d numbers; or NULL */
	double *offset;
	double mean_norm2; /* mean squared norm of the rows */
	struct linear_sides sides;
	struct linear_terms row; /* n_padded numbers each */
};

/* linear_side() - the side of a row: 1 where there are two and its multiplier is 0 or less */
static inline int linear_side(const struct linear_task *t, int64_t i)
{
	return t->sides.n == 2 && t->row.lower[i] < 0;
}

/*
 * linear_example() - the example of a row; where each example has a row on each of two sides, both
 * rows give this example
 */
static inline int64_t linear_example(const struct linear_task *t, int64_t i)
{
	return t->n > t->p->n ? t->x.order[i] / 2 : t->x.order[i];
}

/* The present point of the solving: see linear_solve.c for the equations. */
struct linear_point {
	/* multipliers of the last outer step, centres of its proximal terms; n_padded numbers */
	double *beta;
	double *prox;	   /* proximal points, the next multipliers; n_padded numbers */
	double *residual;  /* residuals target - x.w - b; n_padded numbers */
	double *w, *sum_w; /* weights w and sum of prox x, d numbers each */
	/* constant b of each side, and its value at the last outer step */
	double b[2], centre_b[2];
	double sigma, tau; /* weights of the proximal terms of beta and b */
	double scale; /* scale of the residuals where descent begins, see linear_solve.c; else 1 */
	/*
	 * precision is raised: directions must be more exact as (w, b) are nearly within eps, or as
	 * losses are squared and no outer step makes up for a loose one
	 */
	bool precise;
	double primal;		     /* primal objective P(w, b) at the last outer step */
	double side_sum[2];	     /* sum of prox of each side */
	struct linear_change change; /* difference of prox and beta */
};

/* Vectors of a Newton step. */
struct linear_newton {
	double *gradient_w, *step_w; /* gradient by w and step of w, d numbers each */
	double step_b[2];
	double slope_0;	 /* slope of the function at the beginning of the step, along it */
	double *product; /* products x.step_w + step_b; n_padded numbers */
	int64_t *inside; /* rows of J, n_inside of them; room for n_padded */
	int64_t n_inside;
	int64_t *changed; /* rows whose prox changed in the last step; room for n_padded */
	double *old;	  /* prox before the step, of each row of 'changed' */
	/* differences of prox after and before the step, of each row of 'changed' */
	double *difference;
	int64_t *crossed; /* rows that entered or left J in the last step; room for n_padded */
	double *sign;	  /* sign of each row of 'crossed': 1 if it entered, -1 if it left */
	struct linear_slope *block_slope; /* sums of each block of rows */
	struct linear_change *block_change;
	struct linear_direction direction;
};

/* Multipliers that are made feasible and judged, with decision values and weights of their own. */
struct linear_trial {
	double *beta;	  /* multipliers of the trial; n_padded numbers */
	double *residual; /* residuals target - f of the trial; n_padded numbers */
	double *w;	  /* weights of the trial, sum of beta x; d numbers */
	/* free rows, n_free of them: between their bounds and not at 0; room for n_padded */
	int64_t *free;
	int64_t n_free;
	double *change; /* change of each free multiplier by a shift; room for n_padded */
};

/* Best trial so far. */
struct linear_best {
	double *beta, *f; /* multipliers and decision values, arrays of the caller by its numbers */
	double gap;	  /* relative gap (P - D) / P */
	double violation; /* violation max up - min down */
	double dual;	  /* largest dual of all trials: a bound of the optimum */
	double rho;
	/* half the distance of the thresholds, (b[0] - b[1]) / 2, where there are two sides */
	double epsilon;
};

/* The multipliers of least primal so far: see linear_lead.c. */
struct linear_lead {
	/*
	 * coefficients c with w nearly sum c x, n_padded numbers; NULL until the first Newton step
	 */
	double *coef;
	/* multipliers of p->n examples by the caller's numbers, not all feasible */
	struct iterate x;
	/* certificate of x; its primal is INFINITY where there is none yet */
	struct certificate certificate;
	double next; /* time of the clock at which multipliers are offered next */
};

/* State of coordinate descent between two epochs. */
struct linear_epochs {
	int n;		  /* number of epochs so far */
	double tolerance; /* tolerance of the next epoch */
	/* largest violations of the epochs, summed over this period and over the period before */
	double recent, before;
	/* number of updates so far; number of updates when last judged */
	double n_updates, n_judged;
	double largest; /* largest projected gradient of the epoch */
	double bound;	/* bound for shrinking, see linear_descent.c */
	double sum[2];	/* sum of the multipliers of each side, less the sum wanted */
};

/* Progress of the outer steps. */
struct linear_progress {
	int step;		/* number of outer steps so far */
	double previous;	/* previous 'moved', as growth() had it in the outer step before */
	double violation, dual; /* least violation and largest dual so far */
	int n_stagnant;		/* number of outer steps since violation or dual became better */
	int n_solved;		/* number of outer steps judged to be within eps */
	double last;		/* violation of the last outer step */
	/*
	 * number of outer steps with (w, b) within ROUNDED_VIOLATION eps, but multipliers not
	 * within eps
	 */
	int n_rounding;
	bool overflows; /* values are so large that products are infinite or NAN */
};

/* Where the state is kept: between epochs, outer steps, or Newton methods for squared losses. */
enum linear_place { LINEAR_DESCENDS, LINEAR_STEPS, LINEAR_SQUARED };

struct linear_run {
	struct linear_task task;
	struct linear_point at;
	struct linear_newton newton;
	struct linear_trial trial;
	struct linear_best best;
	struct linear_lead lead;
	int64_t n_iterations; /* number of Newton steps and epochs of coordinate descent */
	int n_unfinished;     /* number of outer steps that ran into the limit of Newton steps */
	bool interrupted;
	struct linear_epochs epochs;
	struct linear_progress progress;
	int n_times; /* number of Newton methods so far, with squared losses */
	int place;   /* place of the last safe point, an enum linear_place */
	/* flag of a run that goes on: state was read, and its place is not reached yet */
	bool resumes;
};

/* linear_is_solved() - is the best so far within the tolerance, or within the gap asked for? */
static inline bool linear_is_solved(const struct linear_run *s)
{
	const struct linear_options *o = s->task.o;

	return s->best.violation <= s->task.eps || (o->gap > 0 && s->best.gap <= o->gap);
}

/* linear_asked_to_stop() - has the caller asked for an end?  Asks once more unless it has. */
static inline bool linear_asked_to_stop(struct linear_run *s)
{
	const struct linear_options *o = s->task.o;

	if (!s->interrupted)
		s->interrupted = interruption_requested(o->interruption) ||
				 (o->helpers && o->helpers->err.code != ERR_NONE);
	return s->interrupted;
}

/* linear_arrays_of() - the arrays that the loops of linear_loops.h take */
static inline struct linear_arrays linear_arrays_of(const struct linear_run *s)
{
	return (struct linear_arrays){ .n = s->task.n_padded,
				       .beta = s->at.beta,
				       .residual = s->at.residual,
				       .product = s->newton.product,
				       .row = s->task.row,
				       .prox = s->at.prox,
				       .sigma = s->at.sigma,
				       .threshold = s->at.sigma * s->task.epsilon };
}

/*
 * linear_run_init() - make the problem of task.p ready, and room for all but Newton steps
 *
 * The run is zeroed, but for task.p, task.o and the arrays of 'best', which are the caller's.
 * Returns 0, or -1 with ERR_MEMORY; linear_run_free() frees the room in either case.
 */
int linear_run_init(struct linear_run *s, struct error *err);

void linear_run_free(struct linear_run *s);

/* linear_newton_room() - the arrays by row of Newton steps, once; ERR_MEMORY */
int linear_newton_room(struct linear_run *s, struct error *err);

/*
 * linear_enter() - look for the run's state or its outcome, after linear_start()
 *
 * Returns an enum checkpoint_found, or -1 with an error; s->resumes is set if the state was read.
 */
int linear_enter(struct linear_run *s, struct error *err);

/* linear_keep() - keep the state at a safe point; all quantities not kept are computed from it */
void linear_keep(struct linear_run *s, enum linear_place place);

/* linear_plain_sum() - w = sum of beta_i x_i and the offset, with the rounding of doubles */
void linear_plain_sum(const struct linear_task *t, const double *beta, double *w);

/* linear_values() - out_i = x_i.w + b of the row's side, for all rows */
void linear_values(const struct linear_task *t, const double *w, const double *b, double *out);

/* linear_residuals() - out_i = target_i - linear_values() of row i */
void linear_residuals(const struct linear_task *t, const double *w, const double *b, double *out);

/*
 * linear_refresh() - compute sum_w from prox, and residual from w and b, without the rounding that
 * has added up in them; the matrix of the direction is begun anew at the next step.  O(entries).
 */
void linear_refresh(struct linear_run *s);

/*
 * linear_minimise() - one outer step: the semismooth Newton method
 *
 * Moves w and b from where they are to where
 *
 *     |w|^2 / 2 + (b - centre_b)^2 / (2 tau) + sum_i e_i(target_i - w.x_i - b)
 *
 * is least, e_i'(r) = prox_i(beta_i + sigma r), nearly enough for an outer step.  prox is that of
 * the new residuals then.  Returns 0, or -1 with ERR_MEMORY.
 */
int linear_minimise(struct linear_run *s, struct error *err);

/*
 * linear_descend() - a start: dual coordinate descent from beta and centre_b
 *
 * As many updates of a multiplier are made as 'n_epochs' epochs over all rows take, or fewer.
 * Moves beta, prox, w, b and centre_b; '*violation' becomes the largest violation of the last
 * epoch.  Returns 1 where no two multipliers of all rows violate by eps together, as far as the
 * last epoch can tell, or with linear_options.epochs where they were judged to be good enough; 0
 * where the updates did not suffice, or -1 with ERR_MEMORY.
 */
int linear_descend(struct linear_run *s, int n_epochs, double *violation, struct error *err);

/* linear_softness() - problem_softness() of row i: 1 / (2 C_i) with squared losses, else 0 */
static inline double linear_softness(const struct linear_task *t, int64_t i)
{
	return problem_softness(t->p, linear_example(t, i));
}

/*
 * linear_sum_error() - surplus of the sum of a side's multipliers over the sum wanted, as if
 * rounded once or twice in all; O(n)
 */
double linear_sum_error(const struct linear_task *t, const double *beta, int side);

/*
 * linear_repair() - make the multipliers of 'trial' feasible, and list the free ones
 *
 * Their bounds are kept exactly, the sums up to rounding.  w and residual are not touched.  O(n).
 */
void linear_repair(const struct linear_task *t, struct linear_trial *trial);

/*
 * linear_polish() - change the free multipliers of 'trial' the least so that the sum of trial x is
 * 'w' and the sums of the multipliers are those wanted
 *
 * trial->w is overwritten.  Too many free ones, or too many columns, are left alone.  Returns 0, or
 * -1 with ERR_MEMORY.
 */
int linear_polish(const struct linear_task *t, const double *w, struct linear_trial *trial,
		  struct error *err);

/*
 * linear_sum() - w = sum_i beta_i x_i, exact enough for a certificate: linear_rows_sum() and the
 * offset
 */
int linear_sum(const struct linear_task *t, const double *beta, double *w, struct error *err);

/*
 * linear_measure_rows() - the states of the multipliers 'beta' of each side, with the biases b
 *
 * 'state' is of two sides; where there is one the second is empty.  'residual' is target - f, or
 * target - f - b with b = 0; see linear_measure().  Returns the violation: the larger up - down.
 * O(n).
 */
double linear_measure_rows(const struct linear_run *s, const double *beta, const double *residual,
			   const double *b, struct linear_state *state);

/* linear_primal() - P(w, b), where 'state' was measured with this w and b */
double linear_primal(const struct linear_task *t, const double *w, const double *b,
		     const struct linear_state *state);

/* linear_dual() - D of the multipliers whose sum of beta x is w */
static inline double linear_dual(const struct linear_task *t, const double *w,
				 const struct linear_state *state)
{
	return state[0].linear + state[1].linear - squared_norm(w, t->d) / 2;
}

/*
 * linear_judge() - how good are the multipliers 'prox'?
 *
 * A copy is made feasible to rounding and judged; if it does not satisfy the tolerance, again with
 * its free multipliers polished.  The best one seen becomes s->best.  '*violation' is max up - min
 * down of the last one judged.  O(entries).  Returns 0, or -1 with ERR_MEMORY.
 */
int linear_judge(struct linear_run *s, double *violation, struct error *err);

/* linear_judge_plain() - linear_judge() without polishing */
int linear_judge_plain(struct linear_run *s, double *violation, struct error *err);

/*
 * linear_judge_start() - linear_judge_plain() of the multipliers 'start', by the caller's numbers
 */
int linear_judge_start(struct linear_run *s, const double *start, struct error *err);

/* linear_trial_measure() - w and residuals of the trial from its multipliers */
int linear_trial_measure(struct linear_run *s, struct error *err);

/*
 * linear_trial_store() - copy the trial's multipliers and decision values to the caller's numbers
 */
void linear_trial_store(const struct linear_run *s, double *beta, double *f);

/* ---- linear_lead.c: these functions do nothing where the caller cannot interrupt the run ---- */

/* linear_lead_begin() - start to keep a lead */
void linear_lead_begin(struct linear_run *s);

/* linear_lead_is_due() - is it time to call linear_lead_offer()? */
bool linear_lead_is_due(const struct linear_run *s);

/*
 * linear_lead_offer() - keep these multipliers, by rows, if their primal is the least so far
 *
 * Their sums need not be those of the problem.  The trial's are lost.  Two passes over the entries.
 */
int linear_lead_offer(struct linear_run *s, const double *beta, struct error *err);

/* linear_lead_start() - begin to follow the Newton method, at a w that is the sum of prox x */
int linear_lead_start(struct linear_run *s, struct error *err);

/* linear_lead_follow() - follow a step: w goes t times the step, before prox is computed anew */
void linear_lead_follow(struct linear_run *s, double t);

/* linear_lead_take() - after an interruption s->best becomes the trial or lead of least primal */
int linear_lead_take(struct linear_run *s, struct error *err);

/* linear_judge_zero() - the violation of beta = 0, which becomes s->best; O(n) */
double linear_judge_zero(struct linear_run *s);
