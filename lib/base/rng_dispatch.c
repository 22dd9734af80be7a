/*
 * rng_dispatch.c - the best copy of rng_loops.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "base/rng_fill.h"

HOT_LOOP(void, rng_fill_each,
	 (const struct rng_place *place, const uint32_t *i, int64_t n, uint32_t *w, int64_t stride),
	 (place, i, n, w, stride))

HOT_LOOP(void, rng_fill_blocks, (const struct rng_place *place, int64_t n, struct rng_block *block),
	 (place, n, block))

HOT_LOOP(void, rng_fill_normals, (const struct rng_place *place, int64_t n, double *z),
	 (place, n, z))
