/*
 * predict.h - decision values, predictions and probabilities of examples by a model
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/expansion.h"
#include "model/model.h"

enum prediction_kind {
	PREDICTS_CLASS,
	PREDICTS_VALUE, /* predicts a value: regression */
	PREDICTS_SIDE	/* predicts a side: one-class, +1 normal, -1 outlier */
};

/* prediction_kind_of() - what a machine predicts */
static inline enum prediction_kind prediction_kind_of(enum machine_type type)
{
	return machine_classifies(type)	 ? PREDICTS_CLASS :
	       type == MACHINE_ONE_CLASS ? PREDICTS_SIDE :
					   PREDICTS_VALUE;
}

/*
 * struct predictor - a model made ready to predict
 *
 * Borrows the model, and owns 'expansion'.  Threads may share it, each with its own scratch.
 */
struct predictor {
	const struct model *model;
	enum prediction_kind kind;
	int n_class;	  /* number of classes; 2 where the model predicts no class */
	const int *label; /* n_class labels; NULL where the model predicts no class */
	int64_t n_values; /* decision values per example */
	bool has_probabilities;
	struct expansion expansion; /* decision functions of LIBSVM's kind of model */
};

/* The prediction of a row. */
struct row_prediction {
	const struct predictor *by;
	double predicted;
	const double *values; /* decision values of the row, by->n_values */
	/* by->n_class probabilities, if classes are predicted and by->has_probabilities */
	const double *probability;
};

/* predictor_labels() - labels of what is predicted: of one-class 1 and -1; NULL of a regression */
static inline const int *predictor_labels(const struct predictor *p)
{
	static const int sides[2] = { 1, -1 };

	return p->kind == PREDICTS_SIDE ? sides : p->label;
}

/* predictor_init() - O(entries of the support vectors), linear kernels times n_class; ERR_MEMORY */
int predictor_init(struct predictor *p, const struct model *model, struct error *err);
void predictor_free(struct predictor *p);

/*
 * predictor_of_values() - the same for decision values that the caller has
 *
 * Of LIBSVM's kind of model only 'type' and the solution's n_class, label, probabilities and marks
 * are read.
 * '*p' has no expansion, and is not for predictor_values(); nothing has to be freed.  Of a scratch
 * only the last three arrays are used, which the caller has.
 */
void predictor_of_values(struct predictor *p, const struct model *model);

/* Scratch of one thread. */
struct predictor_scratch {
	struct expansion_scratch expansion;
	int *votes;	  /* votes for each class; n_class */
	double *pairwise; /* probabilities of pairs, [n_class][n_class]; NULL without */
	double *work;	  /* for probability_couple(), n_class (n_class + 1); NULL as well */
};

/* predictor_scratch_init() - ERR_MEMORY; '*s' is then empty */
int predictor_scratch_init(struct predictor_scratch *s, const struct predictor *p,
			   struct error *err);
void predictor_scratch_free(struct predictor_scratch *s);

/*
 * predictor_values() - values[i][v], the p->n_values decision values of every example i
 *
 * LIBSVM's models: one for each pair of classes in the order (0,1), (0,2), ..., (1,2), ...; a
 * positive value speaks for the first class of its pair.  LIBLINEAR's models: one for each column
 * of w; features that the model does not know have no weight.
 */
void predictor_values(const struct predictor *p, const struct row_view *rows, double *values,
		      struct predictor_scratch *scratch);

/* predictor_values_on() - the same on many threads; fails with ERR_MEMORY */
int predictor_values_on(const struct predictor *p, const struct row_view *rows, double *values,
			int n_threads, struct error *err);

/*
 * predictor_decide() - the prediction from one example's decision values
 *
 * Classes: the label with the most votes of the pairs, or for LIBLINEAR's models the largest value;
 * of equal ones the first.  Regression: the value.  One-class: +1 or -1.
 */
double predictor_decide(const struct predictor *p, const double *values,
			struct predictor_scratch *scratch);

/*
 * predictor_winner() - the number of the class with the most votes, of LIBSVM's models of classes
 *
 * 'votes' is scratch for p->n_class numbers.
 */
int predictor_winner(const struct predictor *p, const double *values, int *votes);

/*
 * predictor_probabilities() - probability[c] of each class; returns the prediction
 *
 * As svm-predict -b 1 and liblinear-predict -b 1 find them.  Of machines of each class against the
 * rest with sigmoids, p_c = o_c / sum_k o_k by the odds o_c = exp(-(A_c f_c + B_c)).  For these and
 * LIBSVM's models of classes the prediction is the class of highest probability, which may differ
 * from that of predictor_decide(); else it is the same.  One-class: P(normal), P(outlier).  Only if
 * p->has_probabilities, and not for regression.
 */
double predictor_probabilities(const struct predictor *p, const double *values, double *probability,
			       struct predictor_scratch *scratch);

/*
 * prediction_scores() - how much a row's decision values speak for each of p->n_class classes
 *
 * The values of the classes, if 'by_class' and there are several; or of each class the sum of the values
 * of its pairs, negative where they speak for the other class, and left out where they are NAN.  Of
 * two classes the two scores are opposites.  NAN for a class of which nothing is known.
 */
void prediction_scores(const struct predictor *p, bool by_class, const double *values,
		       double *score);
