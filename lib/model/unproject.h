/*
 * unproject.h - a linear model of projected data made one of the data as they were
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
 * model_unproject() - pull the weights of 'm' back through a projection
 *
 *     f(x R - c) = (x R - c) w~ - rho = x (R w~) - (rho + c w~)
 *
 * 'm' is a LIBSVM model with a linear kernel, or a LIBLINEAR model, of no more features than
 * the projection has columns k; the empty '*unprojected' becomes one of the same kind for
 * features 1 .. n_features.  Of LIBSVM's kind it has one support vector for each pair of
 * classes, R w~ of that pair, whose coefficient is 1, and feature 0 as well where R has a row for
 * it; it is written exactly, for with 8 digits the products of large features would lose what
 * R w~ and the constant have in common.  Labels, probabilities and the order of classes are
 * kept.  Where c is not 0, a LIBLINEAR model without a bias gets one.
 *
 * O(n_features k n_pairs) and as much memory as the result.  Fails with ERR_MEMORY, or with
 * ERR_ARGUMENT if the model is of another kind or has too many features, or R no row for one of
 * features 1 .. n_features; '*unprojected' is then empty.
 *
 * Source: linearity; Paul, Boutsidis, Magdon-Ismail, Drineas 2013 train on X R, and this undoes R.
 */
int model_unproject(struct model *unprojected, const struct model *m, const struct feature_map *map,
		    int64_t n_features, struct error *err);

#endif
