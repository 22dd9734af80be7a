/*
 * cross_validation.h - what models say of rows that they were not trained on
 *
 * Option -v prints these predictions' accuracy or error, and -b 1 makes probabilities of decision
 * values found in this way.  The folds are svm-train's, or keep the groups of the rows together
 * (folds.h), drawn from t->draws in the same order: each fold's training draws for its probabilities
 * (pair by pair) before the next fold is trained.
 * They use options->n_threads threads, and their results do not depend on that number.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/predict.h"
#include "train/trainer.h"

/* A training on all folds but one. */
struct fold_training {
	/* training serves the probabilities of a model, not the cross validation of the caller */
	bool for_probabilities;
	/* labels of the pair of classes, if for_probabilities; 0 both without pairs */
	int label_a, label_b;
	int64_t number, n_folds; /* number of the fold left out, from 1; number of folds */
	int64_t n;		 /* number of examples to train on */
};

/* Functions called in a cross validation, besides those for rounds and pairs; or NULL. */
struct validation_observer {
	void (*fold_started)(void *arg, const struct fold_training *fold);
	/* fold_trained() - a fold has its model; certificates are as by trainer_run() */
	void (*fold_trained)(void *arg, const struct solution *s, const struct pair_result *pairs);
	/* marks_fitted() - one-class marks; enough: decision values sufficed on both sides */
	void (*marks_fitted)(void *arg, bool enough);
	/* skips() - is a fold, from 0, to be left out?  Its rows then get no prediction */
	bool (*skips)(void *arg, int64_t fold);
	void *arg;
	/* row_predicted() - a row has its prediction; 'table' is this call's own argument */
	void (*row_predicted)(void *table, int64_t row, const struct row_prediction *prediction);
	void *table;
};

/*
 * train_calibrated() - trainer_run(), and the probabilities if t->training->probability says so
 *
 * Fills the empty '*s' and 'pairs' as trainer_run() does, and s->prob_a and prob_b.  C-SVC: for
 * every pair of classes the sigmoid (probability.h) that fits best to the decision values of a
 * five-fold cross validation on the pair's rows; where a fold leaves only one class to train on,
 * its decision values are +1 or -1.  Regression: prob_a[0] = sigma of the errors' density
 * e^(-|z|/sigma) / (2 sigma), the mean |error| in a five-fold cross validation, errors beyond 5
 * sqrt(2) times the mean of all left out.  Where rows have groups these folds keep them whole,
 * unless one of the folds would have all rows of a class of several.  One-class: the marks of
 * probability_fit_density(), from the decision values of the rows trained on, without any cross
 * validation.
 *
 * Costs five more trainings on four fifths of the rows, and two copies of a pair's rows; or, if
 * trainer_shares_matrix(), a copy of all rows and their kernel matrix.
 * svm-train's lines of sigmoids and of that density go to t->messages.
 * 'observer' may be NULL.  On failure '*s' is empty; the error is ERR_INTERRUPTED if t->solver was
 * interrupted during the cross validation, since there are no probabilities without it.
 *
 * Source: Lin, Weng 2004, "Simple probabilistic predictions for support vector regression".
 */
int train_calibrated(const struct trainer *t, const struct classes *classes,
		     const struct validation_observer *observer, struct solution *s,
		     struct pair_result *pairs, struct error *err);

/*
 * train_calibrated_rest() - one_vs_rest_run(), with probabilities if t->training->probability says so
 *
 * found->prob_a and prob_b: of each machine the sigmoid that fits best to its decision values in a
 * five-fold cross validation of all machines together; of three classes or more times the power of
 * calibration_couple() without noise, for which a model has no place.  The folds are stratified, or
 * keep groups of rows whole, unless one of them would have all rows of a class that has several.  A
 * fold that leaves no row of a class has no machine of it: its rows count neither for nor against that
 * class, and one of a single row has A = 0, the same probability for any row.
 *
 * Costs five more trainings on four fifths of the rows, a copy of these, and 24 bytes for each row and
 * machine.  Otherwise as train_calibrated(); on failure '*found' is empty.
 */
int train_calibrated_rest(const struct trainer *t, const struct classes *classes,
			  const struct validation_observer *observer, struct one_vs_rest *found,
			  struct pair_result *results, struct error *err);

/* The solution of a fold, whose sv_row are rows of the data trained on; a zeroed struct has none. */
struct fold_start {
	struct solution solution;
	double c;	/* C of the solution */
	double *growth; /* by pair: the factor that is best for the multipliers where C grows */
};

void fold_start_free(struct fold_start *k);

/*
 * cross_validate() - predicted[i] = what a model trained without the fold of row i says of row i
 *
 * That is the class, for C-SVC with probabilities the class of highest probability; of a regression
 * the value.  n_folds is at least 1; the folds are folds_of_data().  Where a fold has all rows
 * (n_folds = 1, or every class is a single row) there is no model, and the prediction is NAN.
 *
 * 'start', n_folds of them or NULL, has the solutions for a smaller C, of the same data and folds:
 * training begins with them, in mode exact, and they become those for this C.  Those that are
 * zeroed are none.
 *
 * With 'one_vs_rest' the machines are of each class against the rest: 'observer' is told values by
 * class, a fold whose training rows have a single class predicts that class, and nothing is started
 * from 'start'.
 *
 * Costs n_folds trainings, and a copy of the rows trained on; or a copy of all rows and their
 * kernel matrix.  'observer' may be NULL.
 * Fails with ERR_INTERRUPTED if t->solver was interrupted, with ERR_NUMERIC where a fold has no
 * solution by certificate_check(), with ERR_MEMORY, or as training and folds_of_data() do.
 */
int cross_validate(const struct trainer *t, bool one_vs_rest, int64_t n_folds,
		   const struct validation_observer *observer, struct fold_start *start,
		   double *predicted, struct error *err);
