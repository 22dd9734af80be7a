/*
 * uniform.h - features at random, for comparison
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_UNIFORM_H
#define RANDSVM_UNIFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "matrix/csr.h"
#include "select/selection.h"

struct uniform_options {
	int64_t n_features; /* r: wanted */
	bool all;	    /* among 1 .. n_cols - 1 too, else among those with an entry not 0 */
	uint64_t seed;
};

/*
 * uniform_select() - r features of 'x', each subset as likely as the others, into the empty '*s'
 *
 * Those with the smallest keys, in the order of the keys: rng_first64() of the draw (stream
 * RNG_UNIFORM_FEATURE, i = index - 1 as 32 bits), ties by index; so the choice for a smaller r
 * begins that for a larger one, and rows in another order or further features that are not
 * chosen change nothing.  Weights are 1, scores the unit of the key.  All features where there
 * are no more than r.  O(entries + features + r log r log(features)).
 * Memory: 16 r bytes, and some 60 a feature unless all are meant.
 * Fails with ERR_MEMORY or ERR_ARGUMENT (too many rows, or features to select); '*s' is then
 * empty.
 */
int uniform_select(struct selection *s, const struct csr *x, const struct uniform_options *o,
		   struct error *err);

#endif
