/*
 * compact.h - models with a linear kernel as weights of the features, not as support vectors
 *
 *     sum_j coef_j s_j'x - rho = w'x - rho,     w = sum_j coef_j s_j
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_COMPACT_H
#define RANDSVM_COMPACT_H

#include <stdbool.h>

#include "base/error.h"
#include "model/model.h"

/*
 * model_compact() - a model of LIBSVM's kind whose support vectors are the weights themselves
 *
 * The empty '*to' becomes one with a single vector, w_(a,b), for each pair of classes a < b.  It
 * is of class a, with coefficient 1 against b and 0 against all others, so that no other pair
 * sees it; the vectors of a class together are in the order of the pairs.  Constants, labels,
 * probabilities and the order of classes are kept.  It is written exactly: with 8 digits
 * large features would lose what w'x and rho have in common.
 *
 * O(entries n_class + weights); memory, besides the result, 12 bytes an entry.  Fails with
 * ERR_MEMORY, or with ERR_ARGUMENT if the kernel is not linear; '*to' is then empty.
 */
int model_compact(struct model *to, const struct model *m, struct error *err);

/* model_is_compact() - has it such vectors?  Training never finds them: multipliers sum to 0. */
bool model_is_compact(const struct model *m);

/*
 * model_to_liblinear() - a model of LIBLINEAR's kind that says the same
 *
 * For features 1 .. m->sv.n_cols - 1.  rho is the weight, with the other sign, of a bias of 1;
 * one-class models keep it as it is.  The solver is the one with the same loss.
 *
 * Fails with ERR_MEMORY, or with ERR_ARGUMENT if the kernel is not linear, the classes are not
 * two, or feature 0 has a weight; '*to' is then empty.
 */
int model_to_liblinear(struct model *to, const struct model *m, struct error *err);

#endif
