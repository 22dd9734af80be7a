/*
 * linear_loops.c - the loops of the linear engine, vectorised
 *
 * Compiled once per instruction set, TILE_SUFFIX naming the copy; linear_dispatch.c chooses.
 *
 * Two kinds of loops.  Those over multipliers (linear_slope_at(), linear_update_prox(),
 * linear_measure(), linear_list_free()) pass over arrays of all rows, LINEAR_LANES doubles at a
 * time, without branches: clip and soft threshold are minima and maxima,
 *
 *     soft(v, t) = max(v - t, 0) + min(v + t, 0),   clip(v) = min(max(v, lower), upper)         (1)
 *
 * and conditions are masks of all ones or zeros.  The padding at the end of an array has
 * lower = upper = 0, so that its prox is 0, it is never inside, and it adds 0 to each sum.
 *
 * Those over entries (linear_multiply(), linear_accumulate()) meet a row at a time.  A sparse row
 * gathers from w, or scatters into it, by its column numbers.  A row whose columns follow one
 * another without a gap, which is recognised by its first and last column, goes through vectors
 * instead.
 *
 * Whatever the width of the machine's registers there are LINEAR_LANES sums, added in the same
 * order at the end, and no fused multiply-add: all copies give the same bits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "linear/linear_loops.h"

#include "base/hot_loop.h"

/* Registers that hold LINEAR_LANES numbers. */
#define PARTS (LINEAR_LANES / REGISTER_DOUBLES)

#define LOAD(p) (*(const reg_double *)(p))
#define MAX(a, b) SELECT(reg_double, (a) > (b), a, b)
#define MIN(a, b) SELECT(reg_double, (a) < (b), a, b)

/* Lane l of LINEAR_LANES numbers; a register holds REGISTER_DOUBLES of them */
INLINED double lane(const reg_double *v, int l)
{
	return v[l / REGISTER_DOUBLES][l % REGISTER_DOUBLES];
}

/* The sum of the lanes, pairs first: the order in which halves of registers would be added. */
INLINED double add_lanes(const reg_double *v)
{
	return ((lane(v, 0) + lane(v, 4)) + (lane(v, 2) + lane(v, 6))) +
	       ((lane(v, 1) + lane(v, 5)) + (lane(v, 3) + lane(v, 7)));
}

INLINED double largest_lane(const reg_double *v)
{
	double largest = lane(v, 0);

	for (int l = 1; l < LINEAR_LANES; l++)
		largest = lane(v, l) > largest ? lane(v, l) : largest;
	return largest;
}

/* Set all LINEAR_LANES lanes of v to c */
INLINED void set_lanes(reg_double *v, double c)
{
	for (int p = 0; p < PARTS; p++)
		v[p] = ALL_DOUBLES(c);
}

/* A number, sigma or the threshold, of the rows k, k + 1, ..., a lane for each row */
INLINED reg_double weighted(const struct linear_arrays *a, double number, int64_t k)
{
	const reg_double all = ALL_DOUBLES(number);

	return a->row.weight ? all * LOAD(a->row.weight + k) : all;
}

/*
 * Proximal point of (1) of the rows k, k + 1, ..., at beta + sigma r; at threshold 0, as for C-SVC,
 * clip() alone.
 */
INLINED reg_double prox_of(const struct linear_arrays *a, int64_t k, reg_double r)
{
	const reg_double zero = ALL_DOUBLES(0.0);
	reg_double v = LOAD(a->beta + k) + weighted(a, a->sigma, k) * r;

	if (a->threshold > 0) {
		const reg_double threshold = weighted(a, a->threshold, k);

		v = MAX(v - threshold, zero) + MIN(v + threshold, zero);
	}
	return MIN(MAX(v, LOAD(a->row.lower + k)), LOAD(a->row.upper + k));
}

/* Sums of prox at residual - t product, times 'product', and of product^2 over rows inside */
void SUFFIXED(linear_slope_at)(const struct linear_arrays *a, int64_t first, int64_t last, double t,
			       struct linear_slope *found)
{
	const reg_double step = ALL_DOUBLES(t);
	reg_double slope[PARTS], curvature[PARTS];

	set_lanes(slope, 0.0);
	set_lanes(curvature, 0.0);
	for (int64_t k = first; k < last; k += LINEAR_LANES)
		for (int p = 0; p < PARTS; p++) {
			const int64_t i = k + p * REGISTER_DOUBLES;
			reg_double lower = LOAD(a->row.lower + i), upper = LOAD(a->row.upper + i);
			reg_double product = LOAD(a->product + i), square = product * product, prox;
			reg_int64 inside;

			/*
			 * prox of (1) at beta + sigma (residual - t product): the proximal point
			 * after a step of t
			 */
			prox = prox_of(a, i, LOAD(a->residual + i) - step * product);
			/*
			 * rows inside their bounds and not at 0, where |beta| has its kink: there
			 * prox follows the residual
			 */
			inside = (prox > lower) & (prox < upper) & (prox != ALL_DOUBLES(0.0));
			slope[p] += product * prox;
			if (a->row.weight)
				/*
				 * curvature of a row: weight_i times the square, as sigma_i is
				 * sigma weight_i
				 */
				square *= LOAD(a->row.weight + i);
			/*
			 * the mask 'inside' is all ones or all zeros: 'square' counts or is 0,
			 * without a branch
			 */
			curvature[p] += (reg_double)((reg_int64)square & inside);
		}
	found->slope = add_lanes(slope);
	found->curvature = add_lanes(curvature);
}

/* Is any lane of the mask not 0? */
INLINED int any_lane(reg_int64 mask)
{
	int64_t any = 0;

	for (int l = 0; l < REGISTER_DOUBLES; l++)
		any |= mask[l];
	return any != 0;
}

void SUFFIXED(linear_update_prox)(const struct linear_arrays *a, int64_t first, int64_t last,
				  int64_t *changed, double *old, struct linear_change *change)
{
	reg_double sum[PARTS], norm2[PARTS], largest[PARTS];
	int64_t n = 0;

	set_lanes(sum, 0.0);
	set_lanes(norm2, 0.0);
	set_lanes(largest, 0.0);
	for (int64_t k = first; k < last; k += LINEAR_LANES)
		for (int p = 0; p < PARTS; p++) {
			const int64_t i = k + p * REGISTER_DOUBLES;
			reg_double beta = LOAD(a->beta + i), before = LOAD(a->prox + i);
			/*
			 * prox of (1) at beta + sigma residual: the proximal point at the present w
			 * and b
			 */
			reg_double prox = prox_of(a, i, LOAD(a->residual + i));
			reg_double moved = prox - beta;

			/* the three sums are over all rows, whether or not their prox changed */
			sum[p] += prox;
			norm2[p] += moved * moved;
			largest[p] = MAX(MAX(moved, -moved), largest[p]);
			/*
			 * in the last steps most groups have no change of prox, so no number to
			 * write
			 */
			if (!any_lane(prox != before))
				continue;
			*(reg_double *)(a->prox + i) = prox;
			/*
			 * each lane is written, and n moves on only where prox changed: no branch
			 */
			for (int l = 0; l < REGISTER_DOUBLES; l++) {
				changed[n] = i + l;
				old[n] = before[l];
				n += prox[l] != before[l];
			}
		}
	*change = (struct linear_change){ n, add_lanes(sum), add_lanes(norm2),
					  largest_lane(largest) };
}

/*
 * Gains of a row: raise_i = r_i -+ epsilon, what the dual gains by raising beta_i, where it may be
 * raised; and sink_i = -(r_i -+ epsilon) by lowering it: so both are maxima.  At 0 the |beta| has
 * its kink, where either way costs epsilon.
 */
void SUFFIXED(linear_measure)(const struct linear_arrays *a, const double *beta,
			      const double *residual, double b, double epsilon,
			      struct linear_state *state)
{
	const reg_double plus = ALL_DOUBLES(epsilon), minus = ALL_DOUBLES(-epsilon),
			 zero = ALL_DOUBLES(0.0), never = ALL_DOUBLES(-INFINITY);
	/* largest up of each lane; largest -down of each lane */
	reg_double highest[PARTS], lowest[PARTS];
	reg_double linear[PARTS], loss[PARTS];

	set_lanes(highest, -INFINITY);
	set_lanes(lowest, -INFINITY);
	set_lanes(linear, 0.0);
	set_lanes(loss, 0.0);
	for (int64_t k = 0; k < a->n; k += LINEAR_LANES)
		for (int p = 0; p < PARTS; p++) {
			const int64_t i = k + p * REGISTER_DOUBLES;
			reg_double beta_i = LOAD(beta + i), r = LOAD(residual + i);
			reg_double lower = LOAD(a->row.lower + i), upper = LOAD(a->row.upper + i);
			reg_double raise = r + SELECT(reg_double, beta_i < zero, plus, minus);
			reg_double sink = -(r + SELECT(reg_double, beta_i > zero, minus, plus));

			/*
			 * a row at its bound can be moved one way only, and counts for that way
			 * alone
			 */
			highest[p] =
				MAX(SELECT(reg_double, beta_i < upper, raise, never), highest[p]);
			lowest[p] = MAX(SELECT(reg_double, beta_i > lower, sink, never), lowest[p]);
			linear[p] += LOAD(a->row.target + i) * beta_i - plus * MAX(beta_i, -beta_i);
			r -= ALL_DOUBLES(b);
			/*
			 * C_i is the bound on the side of the loss: upper for residuals above the
			 * tube, -lower for those below
			 */
			loss[p] += upper * MAX(r - plus, zero) - lower * MAX(minus - r, zero);
		}
	state->up = largest_lane(highest);
	state->down = -largest_lane(lowest);
	state->linear = add_lanes(linear);
	state->loss = add_lanes(loss);
}

/*
 * List free rows.  A mask's lane is -1 where the row is inside: each number is written, and kept by
 * moving on.
 */
int64_t SUFFIXED(linear_list_free)(const struct linear_terms *row, const double *prox, int64_t n,
				   int64_t *list)
{
	int64_t n_free = 0;

	for (int64_t k = 0; k < n; k += REGISTER_DOUBLES) {
		reg_double v = LOAD(prox + k);
		reg_int64 inside = (v > LOAD(row->lower + k)) & (v < LOAD(row->upper + k)) &
				   (v != ALL_DOUBLES(0.0));

		if (!any_lane(inside))
			continue;
		for (int l = 0; l < REGISTER_DOUBLES; l++) {
			list[n_free] = k + l;
			n_free -= inside[l];
		}
	}
	return n_free;
}

/* Has the row all columns from its first to its last? Columns ascend, so these two tell. */
static inline int is_run(const int32_t *col, int64_t n)
{
	return n >= LINEAR_LANES && col[n - 1] - col[0] == n - 1;
}

/*
 * x.w of a dense run of columns; 2 LINEAR_LANES sums, as an addition must not wait for the last
 * one.
 */
INLINED double run_dot(const double *val, const double *w, int64_t n)
{
	reg_double sum[2 * PARTS];
	double rest = 0;
	int64_t k = 0;

	set_lanes(sum, 0.0);
	set_lanes(sum + PARTS, 0.0);
	/* two sets of LINEAR_LANES sums, which the processor adds at the same time */
	for (; k + 2 * LINEAR_LANES <= n; k += 2 * LINEAR_LANES)
		for (int p = 0; p < 2 * PARTS; p++) {
			const int64_t i = k + p * REGISTER_DOUBLES;

			sum[p] += *(const loose_double *)(val + i) * *(const loose_double *)(w + i);
		}
	/* the last numbers of the row, too few for two sets of lanes */
	for (; k < n; k++)
		rest += val[k] * w[k];
	for (int p = 0; p < PARTS; p++)
		sum[p] += sum[PARTS + p];
	return add_lanes(sum) + rest;
}

/* Multiply rows by w, one row at a time: by runs of columns where they have one. */
void SUFFIXED(linear_multiply)(const struct linear_rows *x, const int64_t *list, int64_t first,
			       int64_t last, const double *w, double b, double *out)
{
	for (int64_t k = first; k < last; k++) {
		int64_t i = list ? list[k] : k, start = x->start[i], n = x->start[i + 1] - start;
		const int32_t *col = x->col + start;

		out[k] = (is_run(col, n) ? run_dot(x->val + start, w + col[0], n) :
					   linear_entries_dot(x, start, start + n, w)) +
			 b;
	}
}

/* Add multiples of rows to w; rows with a multiplier of 0, many in the last steps, are not read. */
void SUFFIXED(linear_accumulate)(const struct linear_rows *x, const int64_t *list, int64_t first,
				 int64_t last, const double *c, double *w)
{
	for (int64_t k = first; k < last; k++) {
		int64_t i = list ? list[k] : k, start = x->start[i], n = x->start[i + 1] - start;
		const int32_t *col = x->col + start;
		const double *val = x->val + start, times = c[k];

		if (times == 0)
			continue;
		/* a run needs no column numbers, so that the compiler can vectorise the loop */
		if (is_run(col, n))
			for (int64_t e = 0; e < n; e++)
				w[col[0] + e] += times * val[e];
		else
			for (int64_t e = 0; e < n; e++)
				w[col[e]] += times * val[e];
	}
}
