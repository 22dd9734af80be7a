/*
 * cross_validation.h - what models say of rows that they were not trained on
 *
 * Option -v prints these predictions' accuracy or error, and -b 1 makes probabilities of decision
 * values found in this way.  The folds are svm-train's, drawn from rand() in the same order: each
 * fold's training draws for its probabilities (pair by pair) before the next fold is trained.
 * Call these functions from one thread at a time; they use options->n_threads threads, and their
 * results do not depend on that number.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CROSS_VALIDATION_H
#define RANDSVM_CROSS_VALIDATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "evaluate/sigmoid.h"
#include "model/predict.h"
#include "train/trainer.h"

/* A training on all folds but one. */
struct fold_training {
	/* fold serves the probabilities of a model, not a cross validation */
	bool for_probabilities;
	int label_a, label_b;	 /* for_probabilities: the pair of classes; regression: 0 */
	int64_t number, n_folds; /* number of the fold left out, from 1; number of folds */
	int64_t n;		 /* examples to train on */
};

/* What a model says of a row that it was not trained on. */
struct row_prediction {
	const struct predictor *by;
	double predicted;
	const double *values; /* by->n_values decision values */
	const double
		*probability; /* by->n_class, if by->has_probabilities and it predicts classes */
};

/* What a caller may watch besides rounds and pairs; each function may be NULL. */
struct validation_observer {
	void (*fold_started)(void *arg, const struct fold_training *fold);
	/* the model of a fold; the certificates are as trainer_run() leaves them */
	void (*fold_trained)(void *arg, const struct solution *s, const struct pair_result *pairs);
	/* a pair of classes has its sigmoid */
	void (*sigmoid_fitted)(void *arg, enum sigmoid_end end);
	/* a regression has the scale of its errors' Laplace distribution */
	void (*scale_fitted)(void *arg, double sigma);
	/* one class has the marks of its decision values; false: these were too few of one sign */
	void (*marks_fitted)(void *arg, bool enough);
	void *arg;
	/* -v has the prediction of a row; 'table' is for this call, as 'arg' is for the others */
	void (*row_predicted)(void *table, int64_t row, const struct row_prediction *prediction);
	void *table;
};

/*
 * train_calibrated() - trainer_run(), and the probabilities if t->training->probability says so
 *
 * Fills the empty '*s' and 'pairs' as trainer_run() does, and s->prob_a and prob_b.  C-SVC: for
 * every pair of classes the sigmoid (sigmoid.h) that fits best to the decision values of a
 * five-fold cross validation on the pair's rows; where a fold leaves only one class to train on,
 * its decision values are +1 or -1.  Regression: prob_a[0] = sigma of the errors' density
 * e^(-|z|/sigma) / (2 sigma), the mean |error| in a five-fold cross validation, errors beyond
 * 5 sqrt(2) times the mean of all left out.  One-class: the marks of probability_fit_density(),
 * from the decision values of the rows trained on, without any cross validation.
 *
 * Costs five more trainings on four fifths of the rows, and two copies of a pair's rows; or, if
 * trainer_shares_matrix(), a copy of all rows and their kernel matrix.
 * 'observer' may be NULL.  On failure '*s' is empty; the error is ERR_INTERRUPTED if t->solver was
 * interrupted during the cross validation, since there are no probabilities without it.
 *
 * Source: Lin, Weng 2004, "Simple probabilistic predictions for support vector regression".
 */
int train_calibrated(const struct trainer *t, const struct classes *classes,
		     const struct validation_observer *observer, struct solution *s,
		     struct pair_result *pairs, struct error *err);

/*
 * cross_validate() - predicted[i] = what a model trained without the fold of row i says of row i
 *
 * That is the class, for C-SVC with probabilities the class of highest probability; of a
 * regression the value.  n_folds is at least 1; of n rows n folds are made at most.  Folds are
 * stratified for C-SVC, unless each holds one row.  Where a fold has all rows (n_folds = 1, or
 * every class is a single row) there is no model, and the prediction is NAN.
 *
 * Costs n_folds trainings, and a copy of the rows trained on; or a copy of all rows and their
 * kernel matrix.  'observer' may be NULL.
 * Fails with ERR_INTERRUPTED if t->solver was interrupted, with ERR_MEMORY, or as training does.
 */
int cross_validate(const struct trainer *t, int64_t n_folds,
		   const struct validation_observer *observer, double *predicted,
		   struct error *err);

#endif
