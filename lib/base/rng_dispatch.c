/*
 * rng_dispatch.c - many random numbers at once, the same bits as rng.h's
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/rng_fill.h"

#include "base/instruction_set.h"

typedef void each_function(const struct rng_place *, const uint32_t *, int64_t, uint32_t *const *);
typedef void blocks_function(const struct rng_place *, int64_t, struct rng_block *);
typedef void normals_function(const struct rng_place *, int64_t, double *);

#define DECLARE(suffix)                           \
	each_function rng_fill_each_##suffix;     \
	blocks_function rng_fill_blocks_##suffix; \
	normals_function rng_fill_normals_##suffix

#define CODE(suffix) \
	{ rng_fill_each_##suffix, rng_fill_blocks_##suffix, rng_fill_normals_##suffix }

INSTRUCTION_SET_COPIES(DECLARE);

struct code_copy {
	each_function *each;
	blocks_function *blocks;
	normals_function *normals;
};

static const struct code_copy *best_code(void)
{
	static const struct code_copy code[] = INSTRUCTION_SET_TABLE(CODE);

	return &code[instruction_set_best()];
}

void rng_fill_each(const struct rng_place *place, const uint32_t *i, int64_t n,
		   uint32_t *const w[4])
{
	best_code()->each(place, i, n, w);
}

void rng_fill_blocks(const struct rng_place *place, int64_t n, struct rng_block *block)
{
	best_code()->blocks(place, n, block);
}

void rng_fill_normals(const struct rng_place *place, int64_t n, double *z)
{
	best_code()->normals(place, n, z);
}
