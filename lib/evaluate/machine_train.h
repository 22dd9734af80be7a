/*
 * machine_train.h - train a machine, by the way that it calls for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_MACHINE_TRAIN_H
#define RANDSVM_MACHINE_TRAIN_H

#include "evaluate/cross_validation.h"
#include "train/machine.h"
#include "train/one_vs_rest.h"

/* What a training found.  Owns all of it; a zeroed struct is empty. */
struct machine_result {
	struct solution solution;
	/* of each class against all others, in place of the solution */
	struct one_vs_rest machines;
	struct pair_result *pairs; /* results of the problems, machine_n_problems() of them */
	int64_t n_pairs;
};

/*
 * machine_train() - train on all rows, with probabilities where they are wanted
 *
 * By one_vs_rest_run() or train_calibrated(), whose observer 'folds' is; or where m->direct_reason
 * says so by direct_run() and direct_check().  Fills the empty '*r', whose pairs are there before the
 * first observer is called, and which machine_result_free() frees after a failure too.
 */
int machine_train(const struct machine *m, const struct validation_observer *folds,
		  struct machine_result *r, struct error *err);

void machine_result_free(struct machine_result *r);

#endif
