/*
 * landmark_model.h - a linear model of Nystrom's features as a model with the landmarks' kernel
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_LANDMARK_MODEL_H
#define RANDSVM_LANDMARK_MODEL_H

#include "base/error.h"
#include "model/model.h"
#include "project/nystrom.h"

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

#endif
