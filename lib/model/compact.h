/*
 * compact.h - models with a linear kernel as weights of the features, not as support vectors
 *
 *     f(x) = sum_j coef_j s_j'x - rho = w'x - rho,     w = sum_j coef_j s_j
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/model.h"

/*
 * model_compact() - a model of LIBSVM's kind whose support vectors are the weights themselves
 *
 * The empty '*to' becomes a model with a single vector, w_(a,b), for each pair of classes a < b.
 * The vector is of class a, with coefficient 1 against b and 0 against all other classes, so that
 * no other pair sees it; vectors, grouped by class, are in the order of the pairs.  Constants,
 * labels, probabilities and the order of classes are kept.
 *
 * O(entries n_class + weights); memory, besides the result, 12 bytes an entry.  Fails with
 * ERR_MEMORY, or with ERR_ARGUMENT if the kernel is not linear; '*to' is then empty.
 */
int model_compact(struct model *to, const struct model *m, struct error *err);

/*
 * model_is_compact() - has the model one vector for each pair, as model_compact() makes them?
 *
 * Trained models of classes and regressions never have, since the multipliers of a pair sum to 0; a
 * one-class model of a single vector with coefficient 1 has, and that vector is w.
 */
bool model_is_compact(const struct model *m);

/*
 * model_to_liblinear() - a model of LIBLINEAR's kind with the same decision function
 *
 * For features 1 .. m->sv.n_cols - 1.  -rho becomes the weight of a bias of 1; one-class models
 * keep rho.  The solver named has the same loss: L1-loss machines, or the one-class machine.
 *
 * Fails with ERR_MEMORY, or with ERR_ARGUMENT if the kernel is not linear, the classes are not
 * two, or feature 0 has a weight; '*to' is then empty.
 */
int model_to_liblinear(struct model *to, const struct model *m, struct error *err);

/*
 * struct model_weights - decision value v of x is constant[v] + sum_i w[i][v] x_feature[i]
 *
 * Columns are the decision values in the order of predict.h: a pair of classes or a class each.
 * Owns its arrays; a zeroed struct is empty.
 */
struct model_weights {
	int64_t n_columns;
	int64_t n;	  /* features that have a weight other than 0 */
	int64_t *feature; /* n features, ascending, numbered as in the data */
	double *w;	  /* weights, [n][n_columns] */
	double *constant; /* constant of each column; n_columns */
};

/*
 * model_weights() - the weights of 'm' into the empty '*w'
 *
 * Models of support vectors are summed up as by model_compact().  O(weights log weights), and that.
 * Fails with ERR_MEMORY, with ERR_ARGUMENT if the kernel is not linear, or with ERR_NUMERIC where a
 * sum is not finite; '*w' is then empty.
 */
int model_weights(struct model_weights *w, const struct model *m, struct error *err);

void model_weights_free(struct model_weights *w);
