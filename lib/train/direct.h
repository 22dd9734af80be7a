/*
 * direct.h - who trains: LIBSVM on the whole data, or random working sets
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_DIRECT_H
#define RANDSVM_DIRECT_H

#include "train/trainer.h"

/*
 * direct_reason() - why this goes to LIBSVM as a whole, or NULL if it does not
 *
 * "nu-SVC", one class alone, a precomputed kernel, or a sample that would hold every pair's
 * whole set.  With the native solver in mode exact: that of all pairs together, or three or more
 * classes whose pairs are all tiny; C K(x, x) being at most 1000 for all x, beyond which LIBSVM may
 * end far from the optimum, or all pairs of two examples.  'classes' is NULL for regression.
 */
const char *direct_reason(const struct trainer *t, const struct classes *classes);

/*
 * direct_run() - LIBSVM once, on everything
 */
int direct_run(const struct trainer *t, struct solution *s, struct error *err);

#endif
