/*
 * project_dispatch.c - the best copy of dense_loops.c for this machine
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/instruction_set.h"
#include "project/dense_loops.h"

typedef void sign_add_function(const uint64_t *, int64_t, const double *, int64_t, double *);
typedef void sign_add_single_function(const uint64_t *, int64_t, const float *, int64_t, float *);
typedef void flip_function(const uint64_t *, int64_t, double *);
typedef void flip_single_function(const uint64_t *, int64_t, float *);
typedef void tile_function(const double *, const struct dense_entry *, int64_t, double *, int64_t);
typedef void tile_single_function(const float *, const struct dense_entry *, int64_t, float *,
				  int64_t);
typedef int64_t scale_function(const double *, int64_t, double, double *);
typedef int64_t scale_single_function(const float *, int64_t, double, double *);
typedef void round_function(const double *, int64_t, float *);
typedef void plane_function(const uint64_t *, int64_t, const uint32_t *, int64_t, uint64_t (*)[8]);
typedef void uniform_function(const struct rng_block *, int64_t, double *);
typedef void ternary_function(const struct rng_block *, int64_t, uint32_t, uint32_t, double *);
typedef void sparse_function(const struct rng_block *, int64_t, uint64_t, double *);

#define DECLARE(suffix)                                    \
	sign_add_function sign_add_##suffix;               \
	sign_add_single_function sign_add_single_##suffix; \
	flip_function sign_flip_##suffix;                  \
	flip_single_function sign_flip_single_##suffix;    \
	tile_function tile_add_##suffix;                   \
	tile_single_function tile_add_single_##suffix;     \
	scale_function scale_sums_##suffix;                \
	scale_single_function scale_sums_single_##suffix;  \
	round_function round_values_##suffix;              \
	plane_function plane_signs_##suffix;               \
	uniform_function uniform_entries_##suffix;         \
	ternary_function ternary_entries_##suffix;         \
	sparse_function sparse_entries_##suffix

#define CODE(suffix)                                                                  \
	{ sign_add_##suffix, sign_add_single_##suffix, sign_flip_##suffix,            \
	  sign_flip_single_##suffix, tile_add_##suffix, tile_add_single_##suffix,     \
	  scale_sums_##suffix, scale_sums_single_##suffix, round_values_##suffix,     \
	  plane_signs_##suffix, uniform_entries_##suffix, ternary_entries_##suffix,   \
	  sparse_entries_##suffix }

INSTRUCTION_SET_COPIES(DECLARE);

struct code_copy {
	sign_add_function *add;
	sign_add_single_function *add_single;
	flip_function *flip;
	flip_single_function *flip_single;
	tile_function *tile;
	tile_single_function *tile_single;
	scale_function *scale;
	scale_single_function *scale_single;
	round_function *round;
	plane_function *plane;
	uniform_function *uniform;
	ternary_function *ternary;
	sparse_function *sparse;
};

static const struct code_copy *best_code(void)
{
	static const struct code_copy code[] = INSTRUCTION_SET_TABLE(CODE);

	return &code[instruction_set_best()];
}

void sign_add(const uint64_t *word, int64_t stride, const double *x, int64_t n, double *sum)
{
	best_code()->add(word, stride, x, n, sum);
}

void sign_add_single(const uint64_t *word, int64_t stride, const float *x, int64_t n, float *sum)
{
	best_code()->add_single(word, stride, x, n, sum);
}

void sign_flip(const uint64_t *word, int64_t n, double *x)
{
	best_code()->flip(word, n, x);
}

void sign_flip_single(const uint64_t *word, int64_t n, float *x)
{
	best_code()->flip_single(word, n, x);
}

void tile_add(const double *tile, const struct dense_entry *entry, int64_t n, double *sum,
	      int64_t stride)
{
	best_code()->tile(tile, entry, n, sum, stride);
}

void tile_add_single(const float *tile, const struct dense_entry *entry, int64_t n, float *sum,
		     int64_t stride)
{
	best_code()->tile_single(tile, entry, n, sum, stride);
}

int64_t scale_sums(const double *sum, int64_t n, double scale, double *value)
{
	return best_code()->scale(sum, n, scale, value);
}

int64_t scale_sums_single(const float *sum, int64_t n, double scale, double *value)
{
	return best_code()->scale_single(sum, n, scale, value);
}

void round_values(const double *from, int64_t n, float *to)
{
	best_code()->round(from, n, to);
}

void plane_signs(const uint64_t *plane, int64_t stride, const uint32_t *j, int64_t n,
		 uint64_t (*word)[8])
{
	best_code()->plane(plane, stride, j, n, word);
}

void uniform_entries(const struct rng_block *block, int64_t n, double *x)
{
	best_code()->uniform(block, n, x);
}

void ternary_entries(const struct rng_block *block, int64_t n, uint32_t plus, uint32_t minus,
		     double *x)
{
	best_code()->ternary(block, n, plus, minus, x);
}

void sparse_entries(const struct rng_block *block, int64_t n, uint64_t threshold, double *x)
{
	best_code()->sparse(block, n, threshold, x);
}
