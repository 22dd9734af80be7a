/*
 * one_class_marks.h - the probabilities of a one-class model: how its decision values are spread
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_ONE_CLASS_MARKS_H
#define RANDSVM_ONE_CLASS_MARKS_H

#include "base/error.h"
#include "problem/solution.h"
#include "train/trainer.h"

/*
 * one_class_marks() - the marks of probability_fit_density(), for the solution 's' of 't'
 *
 * They are made of the decision values of the rows trained on.  s->density_marks stays NULL if these
 * were too few of one sign.  O(n n_sv) kernel values.  ERR_MEMORY.
 */
int one_class_marks(const struct trainer *t, struct solution *s, struct error *err);

#endif
