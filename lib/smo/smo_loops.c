/*
 * smo_loops.c - the loops of sequential minimal optimisation, vectorised
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; smo_dispatch.c chooses.
 *
 * Sequential minimal optimisation spends its time in two passes over the members: smo_step()
 * changes all slopes by two kernel rows and finds the next extremes while they are at hand, and
 * smo_choose_partner() looks along one row.  Rows are floats, half the bytes of doubles; the
 * slopes, which add up millions of steps, are doubles.  With AVX-512 a member takes as long in a
 * set of 256 as in one of 4,096: operations are what limits them, not memory.
 *
 *     smo_step()            16 members a round: floats widened to doubles
 *     choose_by_floats()    16 members a round: (up_i - down_j)^2 / curvature in floats, as it is
 *                           only compared
 *     choose_by_doubles()   8 members: for problems where rounding matters, with rows of doubles or
 *                           floats
 *
 * (A round is that long with registers of 64 bytes, and as much shorter with shorter ones: gcc
 * takes comparisons of vectors longer than a register apart into single numbers, which took 20
 * times as long.)
 *
 * An extreme is kept for each lane, with its index where that is wanted, and the lanes are compared
 * at the end; of equal values the highest index wins, in whatever lane, as in LIBSVM.  So the
 * choice, and with it the model, depends neither on the width of the registers nor on how many
 * lanes there are.
 *
 * The extreme so far is compared with each new value, and the next comparison waits for the result.
 * With AVX-512 that wait was all the time of a round.  So smo_step() keeps the extremes of ROUND
 * registers side by side, and nothing that can be computed ahead stands between two comparisons of
 * a loop.  Lanes are compared without branches where that can be: they would be mispredicted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "smo/smo_loops.h"

#include "base/hot_loop.h"

/* Vectors of REGISTER_DOUBLES numbers.  Comparisons of doubles give longs, of floats ints. */
typedef reg_double doubles;
typedef reg_int64 longs;
typedef reg_float floats;
typedef reg_int32 ints;

/* lane numbers 0, 1, 2, ... */
INLINED longs first_longs(void)
{
	longs v;

	for (int l = 0; l < REGISTER_DOUBLES; l++)
		v[l] = l;
	return v;
}

INLINED ints first_ints(void)
{
	ints v;

	for (int l = 0; l < REGISTER_FLOATS; l++)
		v[l] = l;
	return v;
}

/*
 * Load REGISTER_DOUBLES values of a row from k on.  Floats by a loop: gcc makes one instruction of
 * the loop where the processor has one, but not of a convertvector.
 */
INLINED doubles values(const void *row, bool in_doubles, int64_t k)
{
	const float *p = (const float *)row + k;
	doubles v;

	if (in_doubles)
		return *(const doubles *)((const double *)row + k);
	for (int l = 0; l < REGISTER_DOUBLES; l++)
		v[l] = p[l];
	return v;
}

/* The largest values so far of each lane, and their indices. */
struct lane_maxima {
	doubles value;
	longs index;
};

/* Compare with values at higher indices than those before; of equal ones the last is kept. */
INLINED void keep_last(struct lane_maxima *best, doubles value, longs index)
{
	longs better = value >= best->value;

	best->value = SELECT(doubles, better, value, best->value);
	best->index = SELECT(longs, better, index, best->index);
}

/* The largest value of all lanes; among equal ones the one with the highest index. */
static int64_t best_lane(const struct lane_maxima *maxima, double *best)
{
	const doubles value = maxima->value;
	const longs index = maxima->index;
	int winner = 0;

	for (int l = 1; l < REGISTER_DOUBLES; l++)
		if (value[l] > value[winner] ||
		    (value[l] == value[winner] && index[l] > index[winner]))
			winner = l;
	*best = value[winner];
	return index[winner];
}

/* A kernel row and the change that multiplies it. */
struct scaled_row {
	double change;
	const void *row;
};

/* Registers of doubles that smo_step() takes in a round. */
#define ROUND 2

/* The larger of the maxima of two registers; of equal ones that with the higher index. */
INLINED struct lane_maxima larger_of(const struct lane_maxima *one, const struct lane_maxima *other)
{
	longs is_other = (other->value > one->value) |
			 ((other->value == one->value) & (other->index > one->index));

	return (struct lane_maxima){ SELECT(doubles, is_other, other->value, one->value),
				     SELECT(longs, is_other, other->index, one->index) };
}

/* Loop of smo_step(); inlined with 'in_doubles' a constant, so that the loop has no branch. */
INLINED void step(const struct smo_arrays *a, bool in_doubles, const struct scaled_row of_i,
		  const struct scaled_row of_j, struct smo_extremes *found)
{
	const doubles i = ALL_DOUBLES(of_i.change), j = ALL_DOUBLES(of_j.change);
	struct lane_maxima up[ROUND];
	doubles down[ROUND];
	longs index = first_longs();

	for (int r = 0; r < ROUND; r++) {
		up[r] = (struct lane_maxima){ ALL_DOUBLES(-INFINITY), { 0 } };
		down[r] = ALL_DOUBLES(INFINITY);
	}
	for (int64_t first = 0; first < a->n; first += ROUND * REGISTER_DOUBLES) {
		for (int r = 0; r < ROUND; r++, index += REGISTER_DOUBLES) {
			int64_t k = first + r * REGISTER_DOUBLES;
			/* the order of additions is LIBSVM's, as smo_stepwise() needs */
			doubles slope = *(const doubles *)(a->slope + k) -
					(i * values(of_i.row, in_doubles, k) +
					 j * values(of_j.row, in_doubles, k));
			doubles lowered = slope + *(const doubles *)(a->down_offset + k);

			*(doubles *)(a->slope + k) = slope;
			keep_last(&up[r], slope + *(const doubles *)(a->up_offset + k), index);
			down[r] = SELECT(doubles, lowered < down[r], lowered, down[r]);
		}
	}
	up[0] = larger_of(&up[0], &up[1]);
	found->up_index = best_lane(&up[0], &found->up);
	down[0] = SELECT(doubles, down[1] < down[0], down[1], down[0]);
	found->down = down[0][0];
	for (int l = 1; l < REGISTER_DOUBLES; l++)
		found->down = down[0][l] < found->down ? down[0][l] : found->down;
}

void SUFFIXED(smo_step)(const struct smo_arrays *a, double change_i, const void *row_i,
			double change_j, const void *row_j, struct smo_extremes *found)
{
	const struct scaled_row i = { change_i, row_i }, j = { change_j, row_j };

	if (a->in_doubles)
		step(a, true, i, j, found);
	else
		step(a, false, i, j, found);
}

/* up - down of REGISTER_DOUBLES examples */
INLINED doubles differences(const struct smo_arrays *a, doubles up, int64_t k)
{
	return up - (*(const doubles *)(a->slope + k) + *(const doubles *)(a->down_offset + k));
}

/*
 * The best promise of a lane begins at 0, as those of members with down_j >= up_i are.  The
 * differences up_i - down_j are taken in doubles and then narrowed; offsets of inf give -inf.
 */
static int64_t choose_by_floats(const struct smo_arrays *a, int64_t i, double up_i,
				const float *row)
{
	const doubles up = ALL_DOUBLES(up_i);
	const floats k_ii = ALL_FLOATS(a->diagonal[i]);
	const floats least = ALL_FLOATS((float)SMO_MIN_CURVATURE), zero = ALL_FLOATS(0.0f);
	floats best = zero;
	ints best_index = { 0 }, index = first_ints();
	int64_t winner = 0;

	for (int64_t k = 0; k < a->n; k += REGISTER_FLOATS) {
		floats gap = JOIN_HALVES(
			__builtin_convertvector(differences(a, up, k), reg_half_float),
			__builtin_convertvector(differences(a, up, k + REGISTER_DOUBLES),
						reg_half_float));
		floats curvature = k_ii + *(const floats *)(a->diagonal + k) -
				   ALL_FLOATS(2.0f) * *(const floats *)(row + k);
		floats promise;
		ints better;

		gap = SELECT(floats, gap > zero, gap, zero);
		curvature = SELECT(floats, curvature > least, curvature, least);
		promise = gap * gap / curvature;
		better = promise >= best;
		best = SELECT(floats, better, promise, best);
		best_index = SELECT(ints, better, index, best_index);
		index += REGISTER_FLOATS;
	}
	/* bits of floats of one sign are ordered as these are, and the index decides among equals */
	for (int l = 0; l < REGISTER_FLOATS; l++) {
		int64_t promise_and_index = (int64_t)((ints)best)[l] << 32 | best_index[l];

		winner = int64_max(winner, promise_and_index);
	}
	return winner >> 32 == 0 ? -1 : (int32_t)winner;
}

/* Choose the partner with doubles throughout; inlined with 'in_doubles' a constant. */
INLINED int64_t choose_by_doubles(const struct smo_arrays *a, bool in_doubles, int64_t i,
				  double up_i, const void *row)
{
	const doubles up = ALL_DOUBLES(up_i), k_ii = ALL_DOUBLES(a->double_diagonal[i]);
	const doubles least = ALL_DOUBLES(SMO_MIN_CURVATURE), zero = ALL_DOUBLES(0.0);
	const doubles flat = ALL_DOUBLES(a->exact ? 0 : SMO_MIN_CURVATURE);
	struct lane_maxima best = { zero, { 0 } };
	longs index = first_longs();
	double most;
	int64_t winner;

	for (int64_t k = 0; k < a->n; k += REGISTER_DOUBLES) {
		doubles gap = differences(a, up, k);
		doubles curvature = k_ii + *(const doubles *)(a->double_diagonal + k) -
				    ALL_DOUBLES(2.0) * values(row, in_doubles, k);

		gap = SELECT(doubles, gap > zero, gap, zero);
		curvature = SELECT(doubles, curvature > flat, curvature, least);
		keep_last(&best, gap * gap / curvature, index);
		index += REGISTER_DOUBLES;
	}
	winner = best_lane(&best, &most);
	return most > 0 ? winner : -1;
}

int64_t SUFFIXED(smo_choose_partner)(const struct smo_arrays *a, int64_t i, double up_i,
				     const void *row)
{
	if (a->in_doubles)
		return choose_by_doubles(a, true, i, up_i, row);
	if (a->exact)
		return choose_by_doubles(a, false, i, up_i, row);
	return choose_by_floats(a, i, up_i, row);
}
