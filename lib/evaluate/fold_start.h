/*
 * fold_start.h - solutions of the folds for one C as starts of those for the next
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/error.h"
#include "problem/solution.h"
#include "train/trainer.h"

/* The solution of a fold, whose sv_row are rows of the data trained on; a zeroed struct has none. */
struct fold_start {
	struct solution solution;
	double c;	/* C of the solution */
	double *growth; /* by pair: the factor that is best for the multipliers where C grows */
};

/*
 * fold_start_keep() - copy a solution, in place of the one before
 *
 * With D the dual of the solution's certificate, and 'y' the labels or targets of the rows that
 * sv_row are of,
 *
 *     a = sum_i (y_i beta_i - epsilon |beta_i|),  q = |w|^2 = 2 (a - D),  growth = a / q
 *
 * or 1 where no multiplier is at its bound: the solution is then that for any larger C.
 * (search_machine.c has why).  Fails with ERR_MEMORY; '*k' is then empty.
 */
int fold_start_keep(struct fold_start *k, const struct trainer *t, const struct solution *s,
		    const struct pair_result *pairs, const double *y, struct error *err);

/* fold_start_grow() - multiply the coefficients of each pair by its growth, at most c / k->c */
void fold_start_grow(struct fold_start *k, double c);

void fold_start_free(struct fold_start *k);
