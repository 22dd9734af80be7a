/*
 * smo_loops.c - the loops of sequential minimal optimisation, vectorised
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solve/smo_loops.h"

#include <math.h>

#define PASTE(a, b) a##_##b
#define EXPAND(a, b) PASTE(a, b)
#define SUFFIXED(name) EXPAND(name, TILE_SUFFIX)

typedef double vec __attribute__((vector_size(64), aligned(64)));
typedef int64_t ivec __attribute__((vector_size(64), aligned(64)));
typedef float half_vec __attribute__((vector_size(32), aligned(32)));

#define SPLAT(c) ((vec){ (c), (c), (c), (c), (c), (c), (c), (c) })
#define WIDEN(p) __builtin_convertvector(*(const half_vec *)(p), vec)
#define SELECT(mask, a, b) ((vec)(((ivec)(a) & (mask)) | ((ivec)(b) & ~(mask))))

/* The largest of the lanes, and of those the one with the lowest index. */
static int64_t best_lane(vec value, ivec index, double *best)
{
	int winner = 0;

	for (int l = 1; l < SMO_LANES; l++)
		if (value[l] > value[winner] ||
		    (value[l] == value[winner] && index[l] < index[winner]))
			winner = l;
	*best = value[winner];
	return index[winner];
}

void SUFFIXED(smo_find_extremes)(const struct smo_arrays *a, struct smo_extremes *found)
{
	vec up = SPLAT(-INFINITY), down = SPLAT(-INFINITY);	/* of -down: both are maxima */
	ivec up_index = { 0 }, down_index = { 0 };
	ivec index = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (int64_t k = 0; k < a->n; k += SMO_LANES) {
		vec slope = *(const vec *)(a->slope + k);
		vec raise = slope + *(const vec *)(a->up_offset + k);
		vec lower = -(slope + *(const vec *)(a->down_offset + k));
		ivec better_up = raise > up, better_down = lower > down;

		up = SELECT(better_up, raise, up);
		down = SELECT(better_down, lower, down);
		up_index = (index & better_up) | (up_index & ~better_up);
		down_index = (index & better_down) | (down_index & ~better_down);
		index += SMO_LANES;
	}
	found->up_index = best_lane(up, up_index, &found->up);
	found->down_index = best_lane(down, down_index, &found->down);
	found->down = -found->down;
}

int64_t SUFFIXED(smo_choose_partner)(const struct smo_arrays *a, int64_t i, double up_i,
				     const float *row)
{
	const vec up = SPLAT(up_i), k_ii = SPLAT(a->diagonal[i]);
	const vec least = SPLAT(SMO_MIN_CURVATURE);
	vec best = SPLAT(0.0);
	ivec best_index = { 0 }, index = { 0, 1, 2, 3, 4, 5, 6, 7 };
	double gain;
	int64_t partner;

	for (int64_t k = 0; k < a->n; k += SMO_LANES) {
		vec difference = up - (*(const vec *)(a->slope + k) +
				       *(const vec *)(a->down_offset + k));
		vec curvature = k_ii + *(const vec *)(a->diagonal + k) - SPLAT(2.0) * WIDEN(row + k);
		vec promise;
		ivec better;

		curvature = SELECT(curvature > least, curvature, least);
		promise = difference * difference / curvature;
		better = (difference > SPLAT(0.0)) & (promise > best);
		best = SELECT(better, promise, best);
		best_index = (index & better) | (best_index & ~better);
		index += SMO_LANES;
	}
	partner = best_lane(best, best_index, &gain);
	return gain > 0 ? partner : -1;
}

void SUFFIXED(smo_step)(const struct smo_arrays *a, double change_i, const float *row_i,
			double change_j, const float *row_j)
{
	const vec i = SPLAT(change_i), j = SPLAT(change_j);

	for (int64_t k = 0; k < a->n; k += SMO_LANES)
		*(vec *)(a->slope + k) -= i * WIDEN(row_i + k) + j * WIDEN(row_j + k);
}
