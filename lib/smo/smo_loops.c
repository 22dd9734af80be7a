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

#include "base/hot_loop.h"

HOT_COPY(smo_step);
HOT_COPY(smo_choose_partner);

/* Doubles for what is summed, floats for what is only compared. */
#define LANES 8

/*
 * LANES values of a row from k on.  Floats by a loop: gcc makes one instruction of it, where
 * there is one, not so of a convertvector.
 */
INLINED vec_double values(const void *row, bool wide, int64_t k)
{
	const float *p = (const float *)row + k;
	vec_double v;

	if (wide)
		return *(const vec_double *)((const double *)row + k);
	for (int l = 0; l < LANES; l++)
		v[l] = p[l];
	return v;
}

/* The largest of the lanes, and of those the one with the lowest index. */
static int64_t best_lane(vec_double value, vec_int64 index, double *best)
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
INLINED void step(const struct smo_arrays *a, bool wide, const struct scaled_row of_i,
		  const struct scaled_row of_j, struct smo_extremes *found)
{
	const vec_double i = SPLAT_DOUBLE(of_i.change), j = SPLAT_DOUBLE(of_j.change);
	vec_double up = SPLAT_DOUBLE(-INFINITY),
		   down = SPLAT_DOUBLE(-INFINITY); /* of -down: both are maxima */
	vec_int64 up_index = { 0 }, down_index = { 0 };
	vec_int64 index = { 0, 1, 2, 3, 4, 5, 6, 7 };

	for (int64_t k = 0; k < a->n; k += LANES) {
		vec_double slope = *(const vec_double *)(a->slope + k) -
				   i * values(of_i.row, wide, k) - j * values(of_j.row, wide, k);
		vec_double raise = slope + *(const vec_double *)(a->up_offset + k);
		vec_double lower = -(slope + *(const vec_double *)(a->down_offset + k));
		vec_int64 better_up = raise > up, better_down = lower > down;

		*(vec_double *)(a->slope + k) = slope;
		up = SELECT(vec_double, better_up, raise, up);
		down = SELECT(vec_double, better_down, lower, down);
		up_index = SELECT(vec_int64, better_up, index, up_index);
		down_index = SELECT(vec_int64, better_down, index, down_index);
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
INLINED vec_double differences(const struct smo_arrays *a, vec_double up, int64_t k)
{
	return up -
	       (*(const vec_double *)(a->slope + k) + *(const vec_double *)(a->down_offset + k));
}

/*
 * The best promise of a lane begins at 0, so that only members with down_j < up_i count.  The
 * differences up_i - down_j are taken in doubles and then narrowed; offsets of inf give -inf.
 */
static int64_t choose_by_floats(const struct smo_arrays *a, int64_t i, double up_i,
				const float *row)
{
	const vec_double up = SPLAT_DOUBLE(up_i);
	const vec_float k_ii = SPLAT_FLOAT(a->diagonal[i]);
	const vec_float least = SPLAT_FLOAT((float)SMO_MIN_CURVATURE), zero = SPLAT_FLOAT(0.0f);
	vec_float best = zero;
	vec_int32 best_index = { 0 },
		  index = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	int winner = -1;

	for (int64_t k = 0; k < a->n; k += 2 * LANES) {
		union {
			half_float half[2];
			vec_float whole;
		} gap = { { __builtin_convertvector(differences(a, up, k), half_float),
			    __builtin_convertvector(differences(a, up, k + LANES), half_float) } };
		vec_float curvature = k_ii + *(const vec_float *)(a->diagonal + k) -
				      SPLAT_FLOAT(2.0f) * *(const vec_float *)(row + k);
		vec_float promise;
		vec_int32 better;

		curvature = SELECT(vec_float, curvature > least, curvature, least);
		promise = gap.whole * gap.whole / curvature;
		better = (gap.whole > zero) & (promise > best);
		best = SELECT(vec_float, better, promise, best);
		best_index = SELECT(vec_int32, better, index, best_index);
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
	const vec_double up = SPLAT_DOUBLE(up_i), k_ii = SPLAT_DOUBLE(a->wide_diagonal[i]);
	const vec_double least = SPLAT_DOUBLE(SMO_MIN_CURVATURE), zero = SPLAT_DOUBLE(0.0);
	vec_double best = zero;
	vec_int64 best_index = { 0 }, index = { 0, 1, 2, 3, 4, 5, 6, 7 };
	double most;
	int64_t winner;

	for (int64_t k = 0; k < a->n; k += LANES) {
		vec_double gap = differences(a, up, k), promise;
		vec_double curvature = k_ii + *(const vec_double *)(a->wide_diagonal + k) -
				       SPLAT_DOUBLE(2.0) * *(const vec_double *)(row + k);
		vec_int64 better;

		curvature = SELECT(vec_double, curvature > least, curvature, least);
		promise = gap * gap / curvature;
		better = (gap > zero) & (promise > best);
		best = SELECT(vec_double, better, promise, best);
		best_index = SELECT(vec_int64, better, index, best_index);
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
