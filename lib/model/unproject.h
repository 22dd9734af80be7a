/*
 * unproject.h - convert a linear model of mapped data to the original features
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_UNPROJECT_H
#define RANDSVM_UNPROJECT_H

#include "base/error.h"
#include "model/model.h"
#include "project/linear_map.h"

/*
 * model_unproject() - pull the weights w~ of 'm' back through the map x -> x R - c
 *
 *     f(x R - c) = (x R - c) w~ - rho = x (R w~) - (rho + c w~)
 *
 * 'm' is a LIBSVM model with a linear kernel, or a LIBLINEAR model, of features that the map makes.
 * The empty '*unprojected' becomes a model of the same kind for the features that R has rows of.  A
 * model of LIBSVM's kind has one support vector, R w~, for each pair of classes, as model_compact()
 * makes them; one of LIBLINEAR's kind has weights of the features 1 .. map->n_features.
 * Labels, probabilities and the order of classes are kept.  Where c is not 0, a LIBLINEAR model
 * without a bias gets one.
 *
 * O(entries of R times n_values), n_values being the pairs, or LIBLINEAR's columns of weights;
 * memory as for the result with all weights, zeros included, and for w~.  Fails with ERR_MEMORY, or
 * with ERR_ARGUMENT if the kernel is not linear, the model has features that the map does not make,
 * R lacks one of its rows, or a LIBLINEAR model would need a feature 0 that was chosen, or with
 * ERR_NUMERIC where a number of the model is not finite; '*unprojected' is then empty.
 *
 * Source: linearity; Paul, Boutsidis, Magdon-Ismail, Drineas 2013, and Paul, Magdon-Ismail, Drineas
 * 2015, train on X R.
 */
int model_unproject(struct model *unprojected, const struct model *m, const struct linear_map *map,
		    struct error *err);

#endif
