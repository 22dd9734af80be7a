/*
 * plan.h - how the pairs of classes of a training are solved, and which kernel values they share
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PLAN_H
#define RANDSVM_PLAN_H

#include "train/trainer.h"

/*
 * struct plan - what follows from the options, the kernel and the sizes of the classes
 *
 * A regression or one class is a training of one pair, the largest.
 */
struct plan {
	const struct trainer *t; /* trainer to plan for; borrowed */
	/* classes of the data, borrowed; NULL for regression and one-class */
	const struct classes *classes;
	int64_t n_largest; /* number of examples of the largest pair */
	/* mode exact of our own solvers, where pairs are not sampled but whole from the start */
	bool is_unsampled;
	bool shares; /* kernel values within a class serve all pairs of the class */
};

/* plan_make() - choose how pairs are solved, in O(classes) time */
struct plan plan_make(const struct trainer *t, const struct classes *classes);

/* plan_has_room() - do shared values of 'bytes' leave each pair enough of the kernel cache? */
bool plan_has_room(const struct plan *plan, double bytes);

/*
 * plan_by_values() - is a kernel solved by its values?  Any but the linear one is; that may be
 * solved by weights
 *
 * Weights cost passes over all entries, values a matrix of the pair, which is less where rows are
 * few, and tells more where columns are many.  'n_cols' are the columns that have entries.
 */
bool plan_by_values(const struct plan *plan, int64_t n_cols);

/*
 * plan_fits_floats() - are kernel values in single precision exact enough for every pair?
 *
 * 'diagonal' has K(x, x) of all rows, NULL: all are 1.  See decision_float_is_enough().
 */
bool plan_fits_floats(const struct plan *plan, const double *diagonal);

/* plan_takes_matrix() - is one kernel matrix of all rows, in doubles, small enough? */
bool plan_takes_matrix(const struct plan *plan, int64_t n_cols);

#endif
