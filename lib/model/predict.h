/*
 * predict.h - what a model says of examples
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PREDICT_H
#define RANDSVM_PREDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "kernel/expansion.h"
#include "model/model.h"

enum prediction_kind {
	PREDICTS_CLASS,
	PREDICTS_VALUE, /* regression */
	PREDICTS_SIDE	/* one-class: +1 normal, -1 outlier */
};

/*
 * struct predictor - a model made ready; borrows it, shared between threads
 */
struct predictor {
	const struct model *model;
	enum prediction_kind kind;
	int n_class;	  /* 2 where it predicts no class */
	const int *label; /* NULL where it predicts no class */
	int64_t n_values; /* decision values per example */
	bool has_probabilities;
	struct expansion expansion;
};

int predictor_init(struct predictor *p, const struct model *model, struct error *err);
void predictor_free(struct predictor *p);

/* Room for one thread. */
struct predictor_scratch {
	struct expansion_scratch expansion;
	int *votes; /* n_class */
	double *pairwise, *work;
};

int predictor_scratch_init(struct predictor_scratch *s, const struct predictor *p,
			   struct error *err);
void predictor_scratch_free(struct predictor_scratch *s);

/*
 * predictor_values() - values[i][v], the decision values of every example
 *
 * LIBSVM models: one per pair of classes in the order (0,1), (0,2), ...; positive speaks for the
 * first.  LIBLINEAR models: one per column of w.
 */
void predictor_values(const struct predictor *p, const struct row_view *rows, double *values,
		      struct predictor_scratch *scratch);

/*
 * predictor_decide() - the prediction from one example's decision values
 *
 * Classes: the one with most votes of the pairs, or the largest value, ties to the
 * first.  Regression: the value; one-class: its side.
 */
double predictor_decide(const struct predictor *p, const double *values,
			struct predictor_scratch *scratch);

/*
 * predictor_probabilities() - probability[c] of each class; returns the prediction
 *
 * The class of highest probability, as svm-predict -b 1 and liblinear-predict -b 1 say it; for
 * one-class P(normal), P(outlier).  Only if has_probabilities, and not for regression.
 */
double predictor_probabilities(const struct predictor *p, const double *values, double *probability,
			       struct predictor_scratch *scratch);

#endif
