/*
 * linear_work.h - what the parts of the linear engine share: one problem being solved
 *
 * linear_solve.c goes through the parts; only linear.h is for others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LINEAR_WORK_H
#define RANDSVM_LINEAR_WORK_H

#include <string.h>

#include "base/arithmetic.h"
#include "linear/linear.h"
#include "linear/linear_direction.h"
#include "linear/linear_loops.h"
#include "linear/linear_rows.h"

/* Rows of a block: partial sums are per block, whatever the number of threads. */
#define LINEAR_BLOCK 4096

/* The error that sums may add to w.x_i, in eps. */
#define LINEAR_SUM_ERROR 1e-4

struct linear_work {
	const struct problem_view *p;
	const struct linear_options *o;
	struct linear_rows x; /* p's, n x d */
	int64_t n, d;
	double c_max;	   /* the larger of p's */
	double mean_norm2; /* of the rows */

	/* of each row; aligned and padded, see linear_loops.h */
	double *target, *lower, *upper;
	double *beta;			/* the centres: multipliers of the last outer step */
	double *prox;			/* the proximal points: the next multipliers */
	double *residual;		/* target - x.w - b */
	double *product;		/* x.step_w + step_b */
	double *trial, *trial_residual; /* repaired multipliers, and target - f of theirs */

	double *w, *step_w; /* d each */
	double *gradient_w;
	double *sum_w;	 /* sum of prox x */
	double *trial_w; /* sum of trial x */
	double b, step_b, centre_b, sigma;
	double tau;		     /* of the proximal term of b */
	int n_unfinished;	     /* outer steps that ran into the limit of Newton steps */
	double primal;		     /* P(w, b) at the last outer step */
	double slope_0;		     /* of the function along the step */
	struct linear_change change; /* made by the last step */
	int64_t *list, *crossed;     /* rows, and numbers of theirs: n each, padded */
	double *coef, *sign;
	struct linear_slope *block_slope; /* per block of rows */
	struct linear_change *block_change;
	struct linear_direction direction;

	double *best_beta, *best_f;		   /* the caller's */
	double best_gap, best_violation, best_rho; /* the gap: (P - D) / P */
	int64_t n_iterations;
	bool interrupted;
};

/* linear_asked_to_stop() - ask the caller, and remember */
static inline bool linear_asked_to_stop(struct linear_work *s)
{
	if (!s->interrupted && s->o->interrupted)
		s->interrupted = s->o->interrupted(s->o->arg);
	return s->interrupted;
}

/* linear_arrays_of() - as the loops want them */
static inline struct linear_arrays linear_arrays_of(const struct linear_work *s)
{
	return (struct linear_arrays){ .n = int64_round_up(s->n, LINEAR_LANES),
				       .beta = s->beta,
				       .residual = s->residual,
				       .product = s->product,
				       .target = s->target,
				       .lower = s->lower,
				       .upper = s->upper,
				       .prox = s->prox,
				       .sigma = s->sigma,
				       .threshold = s->sigma * s->p->epsilon };
}

/* linear_list_inside() - into s->list the rows that linear_is_inside(); returns how many */
int64_t linear_list_inside(struct linear_work *s, const double *prox);

/*
 * linear_refresh() - sum_w from prox, residual from w and b, and the matrix of the direction
 * next time: without what rounding has added up
 */
void linear_refresh(struct linear_work *s);

/*
 * linear_minimise() - one outer step: the semismooth Newton method
 *
 * Moves w and b from where they are to where
 *
 *     1/2 |w|^2 + (b - centre_b)^2 / 2 tau + sum_i e_i(target_i - w.x_i - b)
 *
 * is least, e_i' = -prox_i(beta_i + sigma .), nearly enough for an outer step.  Returns 0, or
 * -1 with ERR_MEMORY.
 */
int linear_minimise(struct linear_work *s, struct error *err);

/* linear_descend() - warm start: at most 'n_epochs' of dual coordinate descent from beta, b */
int linear_descend(struct linear_work *s, int n_epochs, struct error *err);

static inline double linear_norm2(const double *w, int64_t d)
{
	double sum = 0;

	for (int64_t j = 0; j < d; j++)
		sum += w[j] * w[j];
	return sum;
}

/* linear_exact_sum() - as if rounded once; O(n) */
double linear_exact_sum(const double *x, int64_t n);

/* linear_repair() - make 'trial' feasible; how many of it are free: they are in s->list */
int64_t linear_repair(struct linear_work *s);

/*
 * linear_judge() - how good are the multipliers 'prox'?
 *
 * A copy is made feasible to rounding and judged; if it does not satisfy the tolerance, again with
 * its free multipliers polished.  The best seen is kept.  '*violation' is its max up - min down.
 * O(entries).  Returns 0, or -1 with ERR_MEMORY.
 */
int linear_judge(struct linear_work *s, double *violation, struct error *err);

/* linear_judge_zero() - likewise of beta = 0; O(n) */
double linear_judge_zero(struct linear_work *s);

/*
 * linear_polish() - change the free multipliers of 'trial' the least so that w = sum trial x and
 * sum trial = 0
 *
 * They are s->list[0 .. n_free - 1].  Too many of them are left alone.  Returns 0, or -1 with
 * ERR_MEMORY.
 */
int linear_polish(struct linear_work *s, int64_t n_free, struct error *err);

#endif
