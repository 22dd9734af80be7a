/*
 * eval_remarks.h - what in the rows of a test file does not fit the model
 *
 * Rows of other features than the model's are predicted all the same, and badly.  What is counted
 * here on the way costs a look at the label and at the first and last entry of each row, and at the
 * values of the first thousand rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "io/row_batch.h"
#include "model/predict.h"

/*
 * How large the values of rows are: that of a row is ln max_k |x_k|; rows without a value but 0
 * have none.
 */
struct row_sizes {
	double sum; /* of the sizes */
	int64_t n;  /* rows that have one */
};

/* Number of classes, the model's first, whose predictions are counted. */
enum { EVAL_CLASSES_COUNTED = 100 };

struct eval_remarks {
	const struct predictor *predictor;
	int64_t n_features; /* highest feature of the model */
	bool has_feature_0; /* feature 0 occurs in the model */
	struct row_sizes of_vectors, of_rows;
	int64_t n_rows, n_unlabelled;
	/* number of rows whose label is no class of the model */
	int64_t n_foreign;
	/* numbers of entries: all; above n_features; of feature 0 */
	int64_t n_entries, n_beyond, n_zero;
	int64_t max_index;
	/* rows with a label: numbers of those predicted as each class, and of those that have its label */
	int64_t n_predicted[EVAL_CLASSES_COUNTED], n_labelled[EVAL_CLASSES_COUNTED];
	/* number of rows with values that are not finite; first such row */
	int64_t n_overflows, first_overflow;
};

/* eval_remarks_begin() - begin the counts for a model; O(entries of the model) */
struct eval_remarks eval_remarks_begin(const struct predictor *p);

/* eval_remarks_add() - count the rows of a batch; labels that are NaN are not known */
void eval_remarks_add(struct eval_remarks *r, const struct row_batch *batch);

/* eval_remarks_add_prediction() - count a prediction, unless the label is NaN; O(classes) */
void eval_remarks_add_prediction(struct eval_remarks *r, double predicted, double label);

/*
 * eval_remarks_values() - note if many values are of features that the model does not have, or if
 * values differ so much from those of the support vectors that they were hardly scaled alike
 */
void eval_remarks_values(const struct eval_remarks *r);

/* eval_remarks_print() - a note on standard error for each thing that is probably a slip */
void eval_remarks_print(const struct eval_remarks *r);

/* eval_remarks_warn() - warn if the predictions of some rows may be worthless */
void eval_remarks_warn(const struct eval_remarks *r);
