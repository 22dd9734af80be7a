/*
 * shared_data.h - the data of a cross validation, with a kernel matrix that its trainings share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SHARED_DATA_H
#define RANDSVM_SHARED_DATA_H

#include <stdint.h>

#include "matrix/dataset.h"
#include "problem/classes.h"
#include "train/trainer.h"

/*
 * All examples as a subset of the data, whose rows are in another order here: class by class, so
 * that a pair of classes has two parts of a row of the matrix.
 */
struct shared_data {
	struct dataset data;
	struct trainer_subset subset;
	struct kernel_matrix matrix;
	int64_t *row; /* row number of each example in 'data' */
};

/* trainer_examples() - the examples of a trainer: its subset of the data, or all */
struct example_list trainer_examples(const struct trainer *t);

/*
 * shared_data_init() - make the trainer one on a subset with a matrix, if that is the faster way
 *
 * Fills '*s', which 't' borrows from then on.  'classes' is NULL for a regression; each row takes
 * part in about 'n_trainings'.  Without memory for the matrix the trainer stays as it is, and '*s'
 * is for shared_data_free() all the same.
 */
void shared_data_init(struct shared_data *s, struct trainer *t, const struct classes *classes,
		      double n_trainings);

void shared_data_free(struct shared_data *s);

#endif
