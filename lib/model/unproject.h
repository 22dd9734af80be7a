/*
 * unproject.h - convert a linear model trained on projected data to the original features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_UNPROJECT_H
#define RANDSVM_UNPROJECT_H

#include <stdint.h>

#include "base/error.h"
#include "model/model.h"
#include "project/feature_map.h"

/*
 * model_unproject() - pull the weights w~ of 'm' back through the projection x -> x R - c
 *
 *     f(x R - c) = (x R - c) w~ - rho = x (R w~) - (rho + c w~)
 *
 * 'm' is a LIBSVM model with a linear kernel, or a LIBLINEAR model, with no more features than the
 * projection has columns, k.  The empty '*unprojected' becomes a model of the same kind for
 * features 1 .. n_features.  A model of LIBSVM's kind has one support vector, R w~, for each pair
 * of classes, as model_compact() makes them, with feature 0 as well where R has a row for it.
 * unprojected->exact is set: with the 8 digits of model files large features would lose what R w~
 * and the constant have in common.  Labels, probabilities and the order of classes are kept.  Where
 * c is not 0, a LIBLINEAR model without a bias gets one.
 *
 * O(n_features k n_values), n_values being the pairs, or LIBLINEAR's columns of weights; memory as
 * for the result with all weights, zeros included.  Fails with ERR_MEMORY, or with ERR_ARGUMENT if
 * the kernel is not linear, the model has too many features, or R has no row for one of the
 * features 1 .. n_features; '*unprojected' is then empty.
 *
 * Source: linearity; Paul, Boutsidis, Magdon-Ismail, Drineas 2013 train on X R.
 */
int model_unproject(struct model *unprojected, const struct model *m, const struct feature_map *map,
		    int64_t n_features, struct error *err);

#endif
