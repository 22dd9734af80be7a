/*
 * rng_fill.h - many random numbers at once, the same bits as rng.h's
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/instruction_set.h"
#include "base/rng.h"

/*
 * rng_fill_each() - w[k * stride + e] = word k of draw (place->seed, place->stream, i[e], place->b)
 *
 * For k = 0 .. 3 and e = 0 .. n-1; place->i is ignored.  n rounded up to a multiple of 16 is at most
 * 'stride', and numbers beyond n are overwritten.
 */
HOT_LOOP(void, rng_fill_each,
	 (const struct rng_place *place, const uint32_t *i, int64_t n, uint32_t *w, int64_t stride),
	 (place, i, n, w, stride))

/* rng_fill_blocks() - block[e] = draw (place->seed, place->stream, place->i, place->b + e) */
HOT_LOOP(void, rng_fill_blocks, (const struct rng_place *place, int64_t n, struct rng_block *block),
	 (place, n, block))

/* rng_fill_normals() - z[2e], z[2e + 1] = rng_normals() of that draw, for e = 0 .. n-1 */
HOT_LOOP(void, rng_fill_normals, (const struct rng_place *place, int64_t n, double *z),
	 (place, n, z))
