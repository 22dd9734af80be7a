/*
 * one_vs_rest_model.h - a model of LIBLINEAR's kind from machines of each class against the rest
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ONE_VS_REST_MODEL_H
#define RANDSVM_ONE_VS_REST_MODEL_H

#include "model/model.h"
#include "problem/classes.h"
#include "train/one_vs_rest.h"

/*
 * one_vs_rest_model() - the empty '*m' from the machines; moves the weights, so that 'from' is
 * empty
 *
 * L2R_L1LOSS_SVC_DUAL or L2R_L2LOSS_SVC, LIBLINEAR's names of the same losses, with a bias of 1
 * whose weights are the constants.  Fails with ERR_MEMORY; '*m' is then empty and 'from' as it was.
 */
int one_vs_rest_model(struct model *m, struct one_vs_rest *from, const struct classes *classes,
		      struct error *err);

#endif
