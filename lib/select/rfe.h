/*
 * rfe.h - features by recursive elimination
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RFE_H
#define RANDSVM_RFE_H

#include <stdint.h>

#include "base/error.h"
#include "matrix/csr.h"
#include "select/selection.h"

/* What Gram matrices may take where rfe_options.max_gram_bytes does not say: 256 MiB. */
#define RFE_MAX_GRAM_BYTES (INT64_C(1) << 28)

/* The examples with the features that are left. */
struct rfe_step {
	const struct csr *x; /* n rows; columns are numbered from 0, in the order of the features */
	const double *gram;  /* x x', n x n by rows; or NULL */
	int64_t n_features;  /* features left */
};

/*
 * struct rfe_trainer - the function that trains the linear machines, provided by the caller
 *
 * train() finds the multipliers beta of each machine m for the examples of 'step':
 * w_m = sum_i beta[m n + i] x_i.  On entry 'beta' has the multipliers of the step before, 0 at
 * first, and f[m n + i] = w_m.x_i for them and the features left: mostly a good start.  train()
 * may overwrite f.  Machines may be for the pairs of several classes: an example that is not of
 * the pair of machine m keeps the multiplier 0 there.  Returns 0, or -1 with 'err' set.
 */
struct rfe_trainer {
	int n_machines; /* at least 1 */
	int (*train)(void *arg, const struct rfe_step *step, double *beta, double *f,
		     struct error *err);
	void *arg;
	/*
	 * weigh() - how little may feature j go: the features with the smallest score[j] are dropped
	 *
	 * w[m d + j] of the machine m and column j, d = step->x->n_cols; 0 for columns dropped.
	 * NULL: score[j] = sum_m w_mj^2.  Returns 0, or -1 with 'err' set.
	 */
	int (*weigh)(void *arg, const struct rfe_step *step, const double *w, double *score,
		     struct error *err);
	void *weigh_arg;
};

struct rfe_options {
	int64_t n_features;	/* r: wanted */
	double fraction;	/* dropped in a step, 0 .. 1; 0: one feature at a time */
	int64_t max_gram_bytes; /* 0: RFE_MAX_GRAM_BYTES; negative: no Gram matrix */
	int n_threads;
};

/*
 * rfe_select() - train and drop the features of least weight until r are left, for the empty '*s'
 *
 * F are at first the features with an entry that is not 0.  While |F| > r, the
 * min(max(1, floor(fraction |F|)), |F| - r) features with the smallest sum_m w_mj^2 are dropped,
 * of equal ones those of larger index; with trainer->weigh those with the smallest of its scores.
 * In '*s' the largest come first (ties: lower index), as the last training weighed them: their
 * score is sqrt(sum_m w_mj^2), or that of trainer->weigh, 0 if there was nothing to drop.  Weights
 * are 1.  Rows with values beyond 2^300 or below 2^-300 are trained on times the power of two of
 * columns_rescale().  Where the machines are 0, as for one class alone, the r lowest indices are
 * left.
 *
 * Where there are at most as many examples as features and memory allows, products of pairs are
 * kept for train(): what was dropped is taken off them, or they are computed anew where that is
 * cheaper, or where less than a thousandth of their trace is left, whose digits would be lost.
 * A step costs O(entries left) besides train() and the products of the dropped columns; all
 * steps together cost little more products than the first Gram matrix.
 * Memory: 24 bytes an entry, 16 n_machines an example or feature, and 8 n^2 for the products.
 * The bits depend on train() and the BLAS, not on n_threads.
 *
 * Fails with ERR_MEMORY, with ERR_NUMERIC if a weight is not finite, or as train() or weigh() does;
 * '*s' is then empty.
 *
 * Source: Guyon, Weston, Barnhill, Vapnik 2002, Gene selection for cancer classification using
 * support vector machines, Machine Learning 46.
 */
int rfe_select(struct selection *s, const struct csr *x, const struct rfe_options *o,
	       const struct rfe_trainer *trainer, struct error *err);

#endif
