/*
 * cross_validation.h - what models say of rows that they were not trained on
 *
 * That answers -v, and gives the decision values from which -b 1 makes probabilities.  The folds
 * are svm-train's, drawn from rand() in its order: each fold's training draws for its
 * probabilities (pair by pair) before the next fold is trained.  Call these from one thread at a
 * time; they use options->n_threads, and what they find does not depend on the number.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CROSS_VALIDATION_H
#define RANDSVM_CROSS_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "evaluate/sigmoid.h"
#include "train/trainer.h"

/* A training without one fold. */
struct fold_training {
	bool for_probabilities;	 /* within the training of a model */
	int label_a, label_b;	 /* then: of these classes (regression: 0) */
	int64_t number, n_folds; /* from 1 */
	int64_t n;		 /* examples to train on */
};

/* What a caller may watch besides rounds and pairs; each may be NULL. */
struct validation_observer {
	void (*fold_started)(void *arg, const struct fold_training *fold);
	/* a fold's model; the certificates are as trainer_run() leaves them */
	void (*fold_trained)(void *arg, const struct solution *s, const struct pair_result *pairs);
	/* of a pair of classes */
	void (*sigmoid_fitted)(void *arg, enum sigmoid_end end);
	/* of a regression: the errors' Laplace distribution */
	void (*scale_fitted)(void *arg, double sigma);
	void *arg;
};

/*
 * train_calibrated() - trainer_run(), and the probabilities if t->training->probability says so
 *
 * Fills the empty '*s' and 'pairs' as trainer_run() does, and s->prob_a and prob_b.  C-SVC: for
 * every pair the sigmoid (sigmoid.h) that fits best to the decision values of a five-fold cross
 * validation on its rows; where but one class is left to train on, these are +1 or -1.
 * Regression: prob_a[0] = sigma of the errors' density e^(-|z|/sigma) / (2 sigma), their mean size
 * in a five-fold cross validation, not counting those beyond 5 sqrt(2) times the mean size of all.
 *
 * Costs five more trainings on four fifths of the rows, and two copies of a pair's rows.
 * 'observer' may be NULL.  On failure '*s' is empty; ERR_INTERRUPTED if t->solver was
 * interrupted during the cross validation, without which there are no probabilities.
 *
 * Source: Lin, Weng 2004, "Simple probabilistic predictions for support vector regression".
 */
int train_calibrated(const struct trainer *t, const struct classes *classes,
		     const struct validation_observer *observer, struct solution *s,
		     struct pair_result *pairs, struct error *err);

/*
 * cross_validate() - predicted[i] = what a model trained without i's fold says of row i
 *
 * The class, for C-SVC with probabilities the one of highest probability; or the value.
 * n_folds is at least 1, and n folds at most are made of n rows.  Folds are stratified
 * for C-SVC, unless each holds one row.  Where a fold has all the rows (a few
 * classes of one row each) there is no model, and the prediction NaN.
 *
 * Costs n_folds trainings, and a copy of the rows trained on.  'observer' may be NULL.
 * ERR_INTERRUPTED if t->solver was interrupted.
 */
int cross_validate(const struct trainer *t, int64_t n_folds,
		   const struct validation_observer *observer, double *predicted,
		   struct error *err);

#endif
