/*
 * smo_loops.c - the loops of sequential minimal optimisation, vectorised
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; smo_dispatch.c chooses.
 *
 * Sequential minimal optimisation spends its time in two passes over the members: smo_step()
 * changes all slopes by two kernel rows and finds the next extremes while they are at hand, and
 * smo_choose_partner() looks along one row.  Both have few operations for each number they load, so
 * that memory is what limits them: rows are floats, half the bytes of doubles.  The slopes, which
 * add up millions of steps, are doubles.
 *
 *     smo_step()            8 members a round: floats widened to doubles
 *     choose_by_floats()    16 members a round: (up_i - down_j)^2 / curvature in floats, as it is
 *                           only compared
 *     choose_by_doubles()   8 members: rows of doubles are for problems where rounding matters
 *
 * An extreme is kept for each lane, with its index, and the lanes are compared at the end; of equal
 * values the lowest index wins, in whatever lane.  So the choice, and with it the model, depends
 * neither on the width of the registers nor on how many lanes there are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_loops.h"

#include <math.h>

#define PASTE(a, b) a##_##b
#define EXPAND(a, b) PASTE(a, b)
#define SUFFIXED(name) EXPAND(name, TILE_SUFFIX)

/* Doubles for what is summed, floats for what is only compared. */
typedef double vec __attribute__((vector_size(64), aligned(64)));
typedef int64_t ivec __attribute__((vector_size(64), aligned(64)));
typedef float half_vec __attribute__((vector_size(32), aligned(32)));
typedef float float_vec __attribute__((vector_size(64), aligned(64)));
typedef int32_t int_vec __attribute__((vector_size(64), aligned(64)));

#define LANES 8
#define SPLAT(c) ((vec){ (c), (c), (c), (c), (c), (c), (c), (c) })
#define SPLAT_FLOAT(c)                                                                           \
	((float_vec){ (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), (c), \
		      (c) })
#define SELECT(type, mask, a, b) \
	((type)(((__typeof__(mask))(a) & (mask)) | ((__typeof__(mask))(b) & ~(mask))))

#define INLINE static inline __attribute__((always_inline))

/*
 * LANES values of a row from k on.  Floats by a loop: gcc makes one instruction of it, where
 * there is one, not so of a convertvector.
 */
INLINE vec values(const void *row, bool wide, int64_t k)
{
	const float *p = (const float *)row + k;
	vec v;

	if (wide)
		return *(const vec *)((const double *)row + k);
	for (int l = 0; l < LANES; l++)
		v[l] = p[l];
	return v;
}

/* The largest of the lanes, and of those the one with the lowest index. */
static int64_t best_lane(vec value, ivec index, double *best)
{
	int winner = 0;

	for (int l = 1; l < LANES; l++)
		if (value[l] > value[winner] ||
		    (value[l] == value[winner] && index[l] < index[winner]))
			winner = l;
	*best = value[winner];
	return index[winner];
}

/* A kernel row and what it is multiplied by. */
struct scaled_row {
	double change;
	const void *row;
};

/* smo_step(); inlined with 'wide' a constant, so that the loop has no branch. */
INLINE void step(const struct smo_arrays *a, bool wide, const struct scaled_row of_i,
		 const struct scaled_row of_j, struct smo_extremes *found)
{
	const vec i = SPLAT(of_i.change), j = SPLAT(of_j.change);
	vec up = SPLAT(-INFINITY), down = SPLAT(-INFINITY); /* of -down: both are maxima */
	ivec up_index = { 0 }, down_index = { 0 };
	ivec index = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (int64_t k = 0; k < a->n; k += LANES) {
		vec slope = *(const vec *)(a->slope + k) - i * values(of_i.row, wide, k) -
			    j * values(of_j.row, wide, k);
		vec raise = slope + *(const vec *)(a->up_offset + k);
		vec lower = -(slope + *(const vec *)(a->down_offset + k));
		ivec better_up = raise > up, better_down = lower > down;

		*(vec *)(a->slope + k) = slope;
		up = SELECT(vec, better_up, raise, up);
		down = SELECT(vec, better_down, lower, down);
		up_index = SELECT(ivec, better_up, index, up_index);
		down_index = SELECT(ivec, better_down, index, down_index);
		index += LANES;
	}
	found->up_index = best_lane(up, up_index, &found->up);
	found->down_index = best_lane(down, down_index, &found->down);
	found->down = -found->down;
}

void SUFFIXED(smo_step)(const struct smo_arrays *a, double change_i, const void *row_i,
			double change_j, const void *row_j, struct smo_extremes *found)
{
	const struct scaled_row i = { change_i, row_i }, j = { change_j, row_j };

	if (a->wide)
		step(a, true, i, j, found);
	else
		step(a, false, i, j, found);
}

/* up - down of LANES examples */
INLINE vec differences(const struct smo_arrays *a, vec up, int64_t k)
{
	return up - (*(const vec *)(a->slope + k) + *(const vec *)(a->down_offset + k));
}

/*
 * The best promise of a lane begins at 0, so that only members with down_j < up_i count.  The
 * differences up_i - down_j are taken in doubles and then narrowed; offsets of inf give -inf.
 */
static int64_t choose_by_floats(const struct smo_arrays *a, int64_t i, double up_i,
				const float *row)
{
	const vec up = SPLAT(up_i);
	const float_vec k_ii = SPLAT_FLOAT(a->diagonal[i]);
	const float_vec least = SPLAT_FLOAT((float)SMO_MIN_CURVATURE), zero = SPLAT_FLOAT(0.0f);
	float_vec best = zero;
	int_vec best_index = { 0 },
		index = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	int winner = -1;

	for (int64_t k = 0; k < a->n; k += 2 * LANES) {
		union {
			half_vec half[2];
			float_vec whole;
		} gap = { { __builtin_convertvector(differences(a, up, k), half_vec),
			    __builtin_convertvector(differences(a, up, k + LANES), half_vec) } };
		float_vec curvature = k_ii + *(const float_vec *)(a->diagonal + k) -
				      SPLAT_FLOAT(2.0f) * *(const float_vec *)(row + k);
		float_vec promise;
		int_vec better;

		curvature = SELECT(float_vec, curvature > least, curvature, least);
		promise = gap.whole * gap.whole / curvature;
		better = (gap.whole > zero) & (promise > best);
		best = SELECT(float_vec, better, promise, best);
		best_index = SELECT(int_vec, better, index, best_index);
		index += 2 * LANES;
	}
	for (int l = 0; l < 2 * LANES; l++)
		if (best[l] > 0 &&
		    (winner < 0 || best[l] > best[winner] ||
		     (best[l] == best[winner] && best_index[l] < best_index[winner])))
			winner = l;
	return winner < 0 ? -1 : best_index[winner];
}

/* The same with doubles throughout. */
static int64_t choose_by_doubles(const struct smo_arrays *a, int64_t i, double up_i,
				 const double *row)
{
	const vec up = SPLAT(up_i), k_ii = SPLAT(a->wide_diagonal[i]);
	const vec least = SPLAT(SMO_MIN_CURVATURE), zero = SPLAT(0.0);
	vec best = zero;
	ivec best_index = { 0 }, index = { 0, 1, 2, 3, 4, 5, 6, 7 };
	double most;
	int64_t winner;

	for (int64_t k = 0; k < a->n; k += LANES) {
		vec gap = differences(a, up, k), promise;
		vec curvature = k_ii + *(const vec *)(a->wide_diagonal + k) -
				SPLAT(2.0) * *(const vec *)(row + k);
		ivec better;

		curvature = SELECT(vec, curvature > least, curvature, least);
		promise = gap * gap / curvature;
		better = (gap > zero) & (promise > best);
		best = SELECT(vec, better, promise, best);
		best_index = SELECT(ivec, better, index, best_index);
		index += LANES;
	}
	winner = best_lane(best, best_index, &most);
	return most > 0 ? winner : -1;
}

int64_t SUFFIXED(smo_choose_partner)(const struct smo_arrays *a, int64_t i, double up_i,
				     const void *row)
{
	return a->wide ? choose_by_doubles(a, i, up_i, row) : choose_by_floats(a, i, up_i, row);
}
