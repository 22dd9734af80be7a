/*
 * l1.h - features by a linear machine with the 1-norm, the C being looked for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/progress_observer.h"
#include "linear/liblinear_adapter.h"
#include "select/selection.h"

/* l1_loss_names - names of enum liblinear_loss: squared-hinge, logistic; ended by NULL */
extern const char *const l1_loss_names[];

/*
 * liblinear-train's default for -e with these machines.  A tenth of it takes several times as long,
 * and often ends at LIBLINEAR's limit of 1000 iterations instead.
 */
#define L1_EPS 0.01

struct l1_options {
	enum liblinear_loss loss;
	int64_t n_features; /* number of features wanted, k; not used where C is given */
	/* cost C whose features are taken, however many; or 0, if C is searched for */
	double C;
	double eps; /* tolerance of LIBLINEAR, its -e; 0: L1_EPS */
	uint64_t seed;
	/* observer, told after each training: number of weights not 0, of k or (C given) 0 */
	struct progress_observer progress;
};

struct l1_result {
	double C;	   /* C of the training whose weights these are */
	int64_t n_weights; /* number of features with a weight other than 0 at this C */
	int n_trainings;
	bool converged; /* training ended at eps, not at LIBLINEAR's limit of iterations */
};

/*
 * l1_select() - the features with weights other than 0, at the C that has k of them, into '*s'
 *
 * '*s' is empty before.  'y' has a class, a whole number, for each row: two classes at least.  The
 * machines are LIBLINEAR's, see liblinear_adapter.h.  A feature's score is the sum of its |w_j|
 * over the machines (one, or one for each of several classes); the largest come first (ties: lower
 * index), weights are 1.  The bias is no feature.
 *
 * C is looked for as l1.c describes, in at most 11 trainings that raise it and 14 that bisect.
 * If no training has k weights, the k largest are taken from the training with the fewest above k
 * (result->n_weights > s->n); if none has as many as k, all of the training with most.
 * O(entries) a step of LIBLINEAR's, of which a training takes tens to thousands.
 * Memory: some 60 bytes an entry.  The choice depends on rand() of the C library, which is seeded here.
 *
 * Fails with ERR_ARGUMENT if no C has a weight, or as columns_init() and liblinear_train() do; '*s'
 * is then empty.
 *
 * Sources: Yuan, Chang, Hsieh, Lin 2010, J. Mach. Learn. Res. 11 (the machines and the solvers).
 */
int l1_select(struct selection *s, const struct csr *x, const double *y, const struct l1_options *o,
	      struct l1_result *result, struct error *err);
