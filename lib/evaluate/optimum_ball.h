/*
 * optimum_ball.h - what a certificate proves of every optimum, whatever solver found the model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_OPTIMUM_BALL_H
#define RANDSVM_OPTIMUM_BALL_H

#include <stdint.h>

#include "base/error.h"
#include "kernel/kernel.h"
#include "matrix/csr.h"
#include "problem/problem.h"
#include "proof/rounding_errors.h"

/*
 * struct optimum_ball - where every optimum (w*, b*) of a problem is, seen from the w of a solution
 *
 *     |w - w*| <= radius,   low <= b* <= high
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
 * For C-SVC and epsilon-SVR, whose kernel is positive semidefinite; x->f are sums in doubles for
 * rows of at most 'longest' entries.  Multipliers may leave their bounds and their sum of 0 by
 * rounding, which is taken into account.  mark[p->row[i]] gets the enum optimum_row of row i beside
 * what it has.  Some 30 times O(n), 24 n bytes; ERR_MEMORY.
 */
int optimum_ball_find(struct optimum_ball *ball, const struct problem_view *p,
		      const struct iterate *x, int64_t longest, unsigned char *mark,
		      struct error *err);

/* The least and the largest of some numbers. */
struct value_bounds {
	double low, high;
};

/*
 * optimum_ball_bounds() - bounds of w*.phi(x) + b* for the row 'x'
 *
 * 'value' is w.phi(x) - rho in doubles.  Not for precomputed kernels.  O(entries of x).
 */
struct value_bounds optimum_ball_bounds(const struct optimum_ball *ball,
					const struct kernel *kernel, struct csr_row x, double value,
					double rho);

#endif
