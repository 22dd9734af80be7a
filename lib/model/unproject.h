/*
 * unproject.h - convert a linear model of mapped data to one of the data itself
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/model.h"
#include "project/linear_map.h"
#include "project/nystrom.h"

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

/* ---- Of Nystrom's features: a model with the kernel of the landmarks ---- */

/*
 * model_of_landmarks() - a model whose support vectors are the landmarks of the map
 *
 *     f(z(x)) = z(x) w~ - rho = sum_j beta_j K(l_j, x) - rho,     beta = L'^-1 w~
 *
 * 'm' is a LIBSVM model with a linear kernel of z, see project/nystrom.h.  The empty '*folded'
 * becomes a model with the kernel of the map; labels, constants, probabilities and the order of
 * classes are kept.  Two classes, regressions and one-class models have each landmark once.  A
 * support vector of LIBSVM's belongs to a class, and counts in the pairs of that class alone; so
 * with more classes each landmark is there for each class but the last, with the coefficients of
 * the pairs in which its class comes first.
 *
 * O(r^2 pairs + entries classes).  Fails with ERR_MEMORY; or with ERR_ARGUMENT or
 * ERR_NUMERIC where model_unproject() does, and for models of LIBLINEAR's kind; '*folded' is then
 * empty.
 */
int model_of_landmarks(struct model *folded, const struct model *m, const struct nystrom *map,
		       struct error *err);
