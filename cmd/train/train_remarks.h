/*
 * train_remarks.h - what in a training set is probably a slip
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_TRAIN_REMARKS_H
#define RANDSVM_TRAIN_REMARKS_H

#include "matrix/dataset.h"
#include "problem/classes.h"
#include "problem/training.h"

/*
 * train_remarks_features() - notes on features that count from 0, and on features of unlike sizes
 *
 * Sizes matter where the kernel adds up products or squares of all features before it bends them:
 * not in a linear or a precomputed one.  Returns whether they are unlike.  O(entries + features).
 */
bool train_remarks_features(const struct dataset *d, const struct training *t, const char *name);

/*
 * train_remarks_gamma() - warn where the default of gamma counts ten times the features there are
 *
 * For kernels that have a gamma.  O(entries) at most: it ends where enough features are seen, which
 * with dense rows is in the first one.
 */
void train_remarks_gamma(const struct dataset *d, const struct kernel *k);

/*
 * train_remarks_alone() - warn where gamma is so large that most rows are alone in an rbf kernel
 *
 * Each row is then a support vector, and a row that is near none gets the constant.  Looks at some
 * rows, at each until another one is near: O(entries) where rows are alone, else next to nothing.
 */
void train_remarks_alone(const struct csr *x, const struct kernel *k);

/*
 * train_remarks_choice() - warn of cross validation where so few features have values that they
 * were probably chosen
 *
 * Chosen by all rows, features tell even labels at random apart.  O(entries) at most, as above.
 */
void train_remarks_choice(const struct dataset *d, const struct kernel *k);

/*
 * train_remarks_type() - a note where two classes are trained by a machine that tells none apart
 *
 * The types of liblinear-train, which has no -t, have other numbers.
 */
void train_remarks_type(const struct dataset *d, enum machine_type type);

/* train_remarks_tube() - note that the tube of epsilon-SVR has room for all targets */
void train_remarks_tube(const struct dataset *d, const struct training *t);

/*
 * train_remarks_far() - warn that LIBSVM, which trains, has no right kernel values of these rows
 *
 * Of an rbf kernel where rows lie so far from 0 that |x|^2 + |z|^2 - 2 x.z is rounding; O(entries).
 */
void train_remarks_far(const struct dataset *d, const struct kernel *k);

/* train_remarks_classes() - warn that so many classes are probably targets of a regression */
void train_remarks_classes(const struct classes *c, const char *name);

/*
 * train_remarks_folds() - a note on classes of 'd' that have fewer rows, or groups, than there are
 * folds
 *
 * Not where each row, or group, is a fold of its own.
 */
void train_remarks_folds(const struct classes *c, const struct dataset *d, int64_t n_folds);

#endif
