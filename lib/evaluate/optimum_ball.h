/*
 * optimum_ball.h - what a certificate proves of every optimum, whatever solver found the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel.h"
#include "problem/problem.h"
#include "proof/rounding_errors.h"

/*
 * struct optimum_center - z, the mean of some support vectors in the space of the kernel
 *
 * Decision functions of two w differ by (w - w*).(phi(x) - z) and a constant, and with kernels of
 * values far above 0 all phi(x) are much nearer to z than to 0.  Any z will do.
 */
struct optimum_center {
	const struct kernel *kernel; /* borrowed, as is sv */
	const struct csr *sv;
	int64_t n;	      /* number of the mean's vectors, every (sv->n_rows / n)-th */
	double norm2, length; /* |z|^2, and the length of the longest vector */
};

/* optimum_center_init() - not for precomputed kernels; some hundred kernel values */
void optimum_center_init(struct optimum_center *z, const struct kernel *kernel,
			 const struct csr *sv);

/* Sizes of a row, which its decision values and their errors depend on. */
struct optimum_sizes {
	double distance;      /* |phi(x) - z|, at most */
	double length, error; /* l and h of rounding_errors.c, for the row's own k, */
	double units;	      /* which this is */
};

/* optimum_measure() - of any row; some ten kernel values */
struct optimum_sizes optimum_measure(const struct optimum_center *z, struct csr_row x);

/* What optimum_ball_find() takes of the rows of the data, and gives. */
struct optimum_rows {
	int64_t longest;	/* number of entries of the longest row */
	const double *distance; /* |phi(x) - z| of each row, at most */
	unsigned char *mark;	/* enum optimum_row of each row, to be added to */
};

/*
 * struct optimum_ball - where every optimum (w*, b*) of a problem is, seen from the w of a solution
 *
 *     |w - w*| <= radius,   low <= b* + (w* - w).z <= high
 *
 * radius is NAN where nothing is known, low and high are infinite where any constant may be best.
 */
struct optimum_ball {
	double radius, low, high;
	/* error of a decision value of w in doubles, of rows that are no longer than the problem's */
	struct rounding_rate rate;
	double units; /* k of rounding_errors.c: units of an inner product */
};

/* What is true of a row of the problem in every optimum. */
enum optimum_row {
	OPTIMUM_MAY_BE_SV = 1, /* not proved to have a multiplier of 0 */
	OPTIMUM_IS_SV = 2      /* has a loss: its multiplier is at its bound; squared: above 0 */
};

/*
 * optimum_ball_find() - the ball of the solution 'x', and what it proves of the rows
 *
 * For C-SVC and epsilon-SVR, whose kernel is positive semidefinite; x->f are sums in doubles.
 * Multipliers may leave their bounds and their sum of 0 by rounding, which is taken into account.
 * rows->mark[p->row[i]] gets what is found of example i beside what it has.  Some 30 times O(n),
 * 24 n bytes; ERR_MEMORY.
 */
int optimum_ball_find(struct optimum_ball *ball, const struct problem_view *p,
		      const struct iterate *x, const struct optimum_rows *rows, struct error *err);

/* The least and the largest of some numbers. */
struct value_bounds {
	double low, high;
};

/*
 * optimum_ball_bounds() - bounds of w*.phi(x) + b* for a row x
 *
 * 'value' is w.phi(x) - rho in doubles.
 */
struct value_bounds optimum_ball_bounds(const struct optimum_ball *ball,
					const struct optimum_sizes *x, double value, double rho);
