/*
 * cv_predictions.h - what cross validation predicts of each row, with the values it comes from
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CV_PREDICTIONS_H
#define RANDSVM_CV_PREDICTIONS_H

#include "model/predict.h"

/*
 * struct cv_predictions - a table of all rows, in the classes of the whole data
 *
 * A fold's model may lack classes, and has them in the order in which they occur in its rows.  Here
 * all models have the classes 'label'.  NAN stands for what a model did not have.
 */
struct cv_predictions {
	int64_t n_rows;
	int n_class;	  /* number of classes; 0: no classes */
	const int *label; /* labels of the classes, n_class; borrowed */
	/* value for each class, not each pair; without classes a row has one value */
	bool by_class;
	/* number of decision values of a row; 0: decision values are not wanted */
	int64_t n_values;
	double *predicted;   /* labels or values predicted, n_rows */
	double *value;	     /* decision values, [n_rows][n_values] */
	double *probability; /* probabilities, [n_rows][n_class]; NULL: not wanted */
};

/*
 * cv_predictions_init() - room for the rows, all NAN
 *
 * 'label' stays the caller's.  8 (1 + values) bytes a row.  Fails with ERR_MEMORY; '*c' is then
 * empty.
 */
struct cv_shape {
	int64_t n_rows;
	int n_class;
	const int *label;
	bool by_class, with_values, with_probabilities;
};

int cv_predictions_init(struct cv_predictions *c, const struct cv_shape *shape, struct error *err);

void cv_predictions_free(struct cv_predictions *c);

/* cv_predictions_set() - store a row's prediction; has the type of row_predicted() */
void cv_predictions_set(void *cv_predictions, int64_t row, const struct row_prediction *prediction);

#endif
