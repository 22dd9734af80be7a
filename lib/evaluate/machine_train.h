/*
 * machine_train.h - train a machine, or validate it, by the way that it calls for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/cross_validation.h"
#include "evaluate/cv_predictions.h"
#include "train/machine.h"
#include "train/one_vs_rest.h"

/* What a training found.  Owns all of it; a zeroed struct is empty. */
struct machine_result {
	struct solution solution;
	/* of each class against all others, in place of the solution */
	struct one_vs_rest machines;
	struct pair_result *pairs; /* results of the problems, machine_n_problems() of them */
	int64_t n_pairs;
	/* work of all problems, and of folds of probabilities; all 0 where LIBSVM trains */
	struct work_counts work;
};

/* machine_result_sum() - sums over all problems, the most of the reasons to end; n_sv of the solution */
struct pair_result machine_result_sum(const struct machine_result *r);

/*
 * machine_result_report() - add the certificate of a single problem and its constant; of several the
 * sum, and those of each in the array "pairs"
 *
 * 'reason_text' has words for the reason that ended a training: stop_reason_text(), or a caller's.
 */
void machine_result_report(const struct machine_result *result,
			   const char *(*reason_text)(enum stop_reason reason), struct report *r);

/*
 * machine_train() - train on all rows, with probabilities where they are wanted
 *
 * By train_calibrated_rest() or train_calibrated(), whose observer 'folds' is, or NULL; or where
 * m->direct_reason says so by libsvm_train(), and for machines of nu direct_check(), unless the caller
 * asked for LIBSVM's solution as it is (given.direct); LIBSVM draws its folds of probabilities from the
 * process's rand(), seeded here.  Fills the empty '*r', whose pairs are there
 * before the first observer is called, and which machine_result_free() frees after a failure too.
 */
int machine_train(const struct machine *m, const struct validation_observer *folds,
		  struct machine_result *r, struct error *err);

/*
 * machine_columns() - of what machine_validate() predicts: each row's class or value; and if
 * 'with_values' its decision values, with probabilities where the machine has them
 */
struct prediction_columns machine_columns(const struct machine *m, bool with_values);

/*
 * machine_validate() - predict each row by machines that were not trained on its fold
 *
 * By libsvm_cross_validate(), where m->direct_reason says so, which gives c->predicted alone; else
 * by cross_validate(), with its 'folds' and 'start', each of which may be NULL.  '*c' is
 * cv_predictions_init()'s, or has no more than the caller's array 'predicted'.  Fails as these do.
 */
int machine_validate(const struct machine *m, int64_t n_folds,
		     const struct validation_observer *folds, struct fold_start *start,
		     struct cv_predictions *c, struct error *err);

void machine_result_free(struct machine_result *r);
