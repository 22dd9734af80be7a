/*
 * uniform.h - features at random, for comparison
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "matrix/csr.h"
#include "select/selection.h"

/*
 * uniform_select() - r features of 'x', all subsets being equally likely, into the empty '*s'
 *
 * The r features with the smallest keys, in the order of the keys: rng_first64() of the draw
 * (stream RNG_UNIFORM_FEATURE, i = index - 1 as 32 bits), ties by index.  So the choice for a
 * smaller r begins that for a larger one, and neither the order of the rows nor other features
 * change it.  Weights are 1, scores rng_unit() of the keys.  If there are no more than r features,
 * all are chosen.  With 'all' features without entries count, too: 1 .. n_cols - 1, and 0 if a row
 * has it.  O(entries + features + r log r log(features)).
 * Memory: 16 r bytes, and about 60 a feature unless 'all'.
 * Fails with ERR_MEMORY or ERR_ARGUMENT (too many rows, or features to select); '*s' is then
 * empty.
 */
int uniform_select(struct selection *s, const struct csr *x, int64_t r, bool all, uint64_t seed,
		   struct error *err);
