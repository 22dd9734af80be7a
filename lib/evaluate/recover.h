/*
 * recover.h - a linear model of the original features, by the multipliers of one of projected rows
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "io/rows.h"
#include "model/model.h"
#include "problem/training.h"
#include "project/feature_map.h"

/* What is known of the training; all pointers are borrowed. */
struct recover_options {
	const struct feature_map *map;
	/* n_sv: the row of the data, from 0, that each support vector was made of, all different */
	const int64_t *sv_row;
	/* training parameters, of which weights, p and squared_loss are read */
	const struct training *training;
	/* multiplication of the weights by classes_balanced_weight() */
	bool balance;
	int n_threads;
};

/*
 * recover_check() - ERR_ARGUMENT for a model that no multipliers can be taken from, or not with the
 * map: of another machine or kernel, of weights alone, of one class, or of more columns
 */
int recover_check(const struct model *m, const struct feature_map *map, struct error *err);

/*
 * model_recover() - dual recovery: train on projected rows, weigh the original ones
 *
 *     w = sum_j beta_j x_(row of j),      b = the minimiser of the primal for this w
 *
 * 'm' is a model that recover_check() passes, trained on the rows of 'data' mapped by o->map.  On
 * return its vectors are rows of 'data', its constants -b, and probabilities, which belong to other
 * decision values, are gone; its multipliers and its classes stay.  The empty '*weights' becomes the
 * same model as model_compact() makes it.  The multipliers are feasible for the problem of the original
 * rows, as they were for that of the projected ones; so 'm' has a dual for certify_model().  b is that
 * of certificate_bias(), for each pair of classes.
 *
 * The data are scanned twice.  Memory: the support vectors, and for every row its label and a value
 * for each other class, as for certify_model().  The bits do not depend on n_threads.
 *
 * Fails as the scan does; with ERR_MEMORY; with ERR_ARGUMENT where row sv_row[j]
 * does not project to vector j; and if the second scan
 * finds other labels than the first; with ERR_NUMERIC if decision values overflow.  '*m' is
 * then undefined but can be freed, and '*weights' is empty.
 *
 * Source: Zhang, Mahdavi, Jin, Yang, Zhu 2013, Recovering the optimal solution by dual random
 * projection, COLT.
 */
int model_recover(struct model *m, struct model *weights, const struct recover_options *o,
		  const struct row_source *data, struct error *err);
