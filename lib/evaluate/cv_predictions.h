/*
 * cv_predictions.h - what cross validation predicts of each row, with the values it comes from
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/predict.h"

/* Columns of a table of predictions. */
struct prediction_columns {
	int n_class;	  /* number of classes; 0: no classes */
	const int *label; /* labels of the classes, n_class; borrowed */
	/* value for each class, not each pair; without classes a row has one value */
	bool by_class;
	bool with_values, with_probabilities;
};

/* prediction_n_values() - number of decision values in a row; 0: they are not wanted */
int64_t prediction_n_values(const struct prediction_columns *c);

/*
 * struct cv_predictions - a table of all rows, in the classes of the whole data
 *
 * A fold's model may lack classes, and has them in the order in which they occur in its rows.  Here
 * all models have those of 'columns'.  NAN stands for what a model did not have.
 */
struct cv_predictions {
	struct prediction_columns columns;
	int64_t n_rows, n_values; /* n_values is prediction_n_values() */
	double *predicted;	  /* labels or values predicted, n_rows */
	double *value;		  /* decision values, [n_rows][n_values] */
	double *probability;	  /* probabilities, [n_rows][n_class]; NULL: not wanted */
};

/*
 * cv_predictions_init() - room for the rows, all NAN
 *
 * The labels stay the caller's.  8 (1 + values) bytes a row.  Fails with ERR_MEMORY; '*c' is then
 * empty.
 */
int cv_predictions_init(struct cv_predictions *c, const struct prediction_columns *columns,
			int64_t n_rows, struct error *err);

void cv_predictions_free(struct cv_predictions *c);

/* cv_predictions_set() - store a row's prediction; has the type of row_predicted() */
void cv_predictions_set(void *cv_predictions, int64_t row, const struct row_prediction *prediction);
