/*
 * direct.h - whether LIBSVM trains on the whole data set, or our solvers on working sets
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/trainer.h"

/*
 * direct_reason() - why LIBSVM trains on the whole data set; NULL if working sets are used
 *
 * LIBSVM trains data of a single class; and nu-SVC in other modes than exact, nu-SVR and one-class
 * SVM in others than exact and budget, and all three with LIBSVM as the solver.  In mode exact with
 * the native solver it also trains
 *
 *     classes no two of which have more than 4 examples together (linear: 16), and regressions of
 *     so few examples, with C K(x, x) at most 1000 for all x, because above that LIBSVM may stop
 *     far from the optimum
 *
 * (the last condition is dropped where each class is one example).  In all other modes, and with
 * LIBSVM as the solver, it also trains data that leave nothing to sample: those in which the first
 * sample of every pair of classes would be the whole pair.
 *
 * 'classes' is NULL for regression.
 */
const char *direct_reason(const struct trainer *t, const struct classes *classes);

/*
 * direct_check() - is what LIBSVM made of a machine of nu a solution?
 *
 * Of nu-SVC each pair of classes must have a margin.  LIBSVM divides by half of the margin, r.
 * Where nu is so small that the reduced convex hulls of two classes meet r is 0, and what LIBSVM
 * finds is rounding, of either sign.  With the coefficients of the model, beta / r, and classes of
 * n_a and n_b examples
 *
 *     r = nu (n_a + n_b) / 2 / sum of the coefficients of class a
 *
 * must be above t->training->eps.  Of nu-SVR the square of the sum of multipliers, with which the
 * objective grows, must be finite.  Fails with ERR_NUMERIC, naming nu or C.  O(n_sv) for each pair
 * of classes.
 */
int direct_check(const struct trainer *t, const struct classes *classes, const struct solution *s,
		 struct error *err);
