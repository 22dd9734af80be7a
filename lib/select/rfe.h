/*
 * rfe.h - features by recursive elimination
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "select/selection.h"

/* Largest memory of Gram matrices if rfe_options.max_gram_bytes is not set: 256 MiB. */
#define RFE_MAX_GRAM_BYTES (INT64_C(1) << 28)

/* The examples of a step, with only the features that are left. */
struct rfe_step {
	/* rows of the examples, n; columns are numbered from 0, in the order of the features */
	const struct csr *x;
	const double *gram; /* Gram matrix x x', n x n by rows; or NULL */
	int64_t n_features; /* number of features left */
};

/*
 * struct rfe_trainer - the function that trains the linear machines, provided by the caller
 *
 * score() trains them on the examples of 'step', mostly best from the multipliers of the step
 * before, and says how little each feature may go: those with the smallest score[j] are dropped.
 * 'score' has step->x->n_cols values, that of a column dropped earlier being of no account.
 * Returns 0, or -1 with 'err' set.
 */
struct rfe_trainer {
	int (*score)(void *arg, const struct rfe_step *step, double *score, struct error *err);
	void *arg;
	/* scores are sums of squares: score[j] = sum_m w_mj^2, of the weights w_m of machine m */
	bool by_squares;
};

struct rfe_options {
	int64_t n_features; /* number of features wanted, r */
	double fraction;    /* share of the features that a step drops; 0: one feature */
	/* largest memory of Gram matrices; 0: RFE_MAX_GRAM_BYTES; negative: no Gram matrix */
	int64_t max_gram_bytes;
	int n_threads;
};

/*
 * rfe_select() - train and drop the features of least weight until r are left, for the empty '*s'
 *
 * F are at first the features with an entry that is not 0.  While |F| > r, the
 * min(max(1, floor(fraction |F|)), |F| - r) features with the smallest scores are dropped, of equal
 * ones those of larger index.  In '*s' the largest come first (ties: lower index), as the last
 * training scored them: their score is the trainer's, or its root with trainer->by_squares, 0 if
 * there was nothing to drop.  Weights are 1.  Rows with values beyond 2^300 or below 2^-300 are
 * trained on times the power of two of columns_init().  Where the scores are 0, as for one class
 * alone, the r lowest indices are left.
 *
 * Where there are at most as many examples as features and memory allows, products of pairs are
 * kept for score(): what was dropped is taken off them, or they are computed anew where that is
 * cheaper, or where less than a thousandth of their trace is left, whose digits would be lost.
 * A step costs O(entries left) besides score() and the products of the dropped columns; all
 * steps together cost little more products than the first Gram matrix.
 * Memory: 24 bytes an entry, some 40 a feature, and 8 n^2 for the products.
 * The bits depend on score() and the BLAS, not on n_threads.
 *
 * Fails with ERR_MEMORY, with ERR_NUMERIC if a score is not finite, or as score() does; '*s' is
 * then empty.
 *
 * Source: Guyon, Weston, Barnhill, Vapnik 2002, Gene selection for cancer classification using
 * support vector machines, Machine Learning 46.
 */
int rfe_select(struct selection *s, const struct csr *x, const struct rfe_options *o,
	       const struct rfe_trainer *trainer, struct error *err);
