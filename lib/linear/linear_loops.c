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

#include <math.h>

#include "base/hot_loop.h"

HOT_COPY(linear_slope_at);
HOT_COPY(linear_update_prox);
HOT_COPY(linear_measure);
HOT_COPY(linear_list_free);
HOT_COPY(linear_multiply);
HOT_COPY(linear_accumulate);

#define LOAD(p) (*(const vec_double *)(p))
#define MAX(a, b) SELECT(vec_double, (a) > (b), a, b)
#define MIN(a, b) SELECT(vec_double, (a) < (b), a, b)

/* The sum of the lanes, pairs first: the order in which halves of registers would be added. */
static inline double add_lanes(vec_double v)
{
	return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

static inline double largest_lane(vec_double v)
{
	double largest = v[0];

	for (int l = 1; l < LINEAR_LANES; l++)
		largest = v[l] > largest ? v[l] : largest;
	return largest;
}

/* (1): clip(soft(v, threshold)) */
static inline vec_double prox_of(vec_double v, vec_double threshold, vec_double lower,
				 vec_double upper)
{
	const vec_double zero = SPLAT_DOUBLE(0.0);

	v = MAX(v - threshold, zero) + MIN(v + threshold, zero);
	return MIN(MAX(v, lower), upper);
}

/* The same where the threshold is 0, as for C-SVC, in half the operations. */
static inline vec_double clip(vec_double v, vec_double lower, vec_double upper)
{
	return MIN(MAX(v, lower), upper);
}

/* sigma of the rows k, k + 1, ... */
static inline vec_double sigma_of(const struct linear_arrays *a, int64_t k)
{
	const vec_double sigma = SPLAT_DOUBLE(a->sigma);

	return a->weight ? sigma * LOAD(a->weight + k) : sigma;
}

/* prox at residual - t product; its product with 'product', and product^2 where it is inside */
void SUFFIXED(linear_slope_at)(const struct linear_arrays *a, int64_t first, int64_t last, double t,
			       struct linear_slope *found)
{
	const vec_double threshold = SPLAT_DOUBLE(a->threshold), step = SPLAT_DOUBLE(t);
	vec_double slope = SPLAT_DOUBLE(0.0), curvature = SPLAT_DOUBLE(0.0);

	for (int64_t k = first; k < last; k += LINEAR_LANES) {
		vec_double lower = LOAD(a->lower + k), upper = LOAD(a->upper + k);
		vec_double product = LOAD(a->product + k), square = product * product, prox;
		vec_int64 inside;

		prox = LOAD(a->beta + k) +
		       sigma_of(a, k) * (LOAD(a->residual + k) - step * product);
		prox = a->threshold > 0 ? prox_of(prox, threshold, lower, upper) :
					  clip(prox, lower, upper);
		inside = (prox > lower) & (prox < upper) & (prox != SPLAT_DOUBLE(0.0));
		slope += product * prox;
		if (a->weight)
			square *= LOAD(a->weight + k);
		curvature += (vec_double)((vec_int64)square & inside);
	}
	found->slope = add_lanes(slope);
	found->curvature = add_lanes(curvature);
}

/* Is any lane of the mask not 0? */
static inline int any_lane(vec_int64 mask)
{
	int64_t any = 0;

	for (int l = 0; l < LINEAR_LANES; l++)
		any |= mask[l];
	return any != 0;
}

void SUFFIXED(linear_update_prox)(const struct linear_arrays *a, int64_t first, int64_t last,
				  int64_t *changed, double *old, struct linear_change *change)
{
	const vec_double threshold = SPLAT_DOUBLE(a->threshold);
	vec_double sum = SPLAT_DOUBLE(0.0), norm2 = SPLAT_DOUBLE(0.0), largest = SPLAT_DOUBLE(0.0);
	int64_t n = 0;

	for (int64_t k = first; k < last; k += LINEAR_LANES) {
		vec_double lower = LOAD(a->lower + k), upper = LOAD(a->upper + k);
		vec_double beta = LOAD(a->beta + k), before = LOAD(a->prox + k), prox, moved;

		prox = beta + sigma_of(a, k) * LOAD(a->residual + k);
		prox = a->threshold > 0 ? prox_of(prox, threshold, lower, upper) :
					  clip(prox, lower, upper);
		moved = prox - beta;
		sum += prox;
		norm2 += moved * moved;
		largest = MAX(MAX(moved, -moved), largest);
		/* near the solution few change: what is written and listed is little */
		if (!any_lane(prox != before))
			continue;
		*(vec_double *)(a->prox + k) = prox;
		/* each lane is written, and kept by moving on: no branch to mispredict */
		for (int l = 0; l < LINEAR_LANES; l++) {
			changed[n] = k + l;
			old[n] = before[l];
			n += prox[l] != before[l];
		}
	}
	*change = (struct linear_change){ n, add_lanes(sum), add_lanes(norm2),
					  largest_lane(largest) };
}

/*
 * raise_i = r_i -+ epsilon, what the dual gains by raising beta_i, where it may be raised; and
 * sink_i = -(r_i -+ epsilon) by lowering it: so both are maxima.  At 0 the |beta| has its kink,
 * where either way costs epsilon.
 */
void SUFFIXED(linear_measure)(const struct linear_arrays *a, const double *beta,
			      const double *residual, double b, double epsilon,
			      struct linear_state *state)
{
	const vec_double plus = SPLAT_DOUBLE(epsilon), minus = SPLAT_DOUBLE(-epsilon),
			 zero = SPLAT_DOUBLE(0.0);
	vec_double highest = SPLAT_DOUBLE(-INFINITY),
		   lowest = SPLAT_DOUBLE(-INFINITY); /* of -down */
	vec_double linear = zero, loss = zero;

	for (int64_t k = 0; k < a->n; k += LINEAR_LANES) {
		vec_double beta_k = LOAD(beta + k), r = LOAD(residual + k);
		vec_double lower = LOAD(a->lower + k), upper = LOAD(a->upper + k);
		vec_double raise = r + SELECT(vec_double, beta_k < zero, plus, minus);
		vec_double sink = -(r + SELECT(vec_double, beta_k > zero, minus, plus));

		highest = MAX(SELECT(vec_double, beta_k < upper, raise, SPLAT_DOUBLE(-INFINITY)),
			      highest);
		lowest = MAX(SELECT(vec_double, beta_k > lower, sink, SPLAT_DOUBLE(-INFINITY)),
			     lowest);
		linear += LOAD(a->target + k) * beta_k - plus * MAX(beta_k, -beta_k);
		r -= SPLAT_DOUBLE(b);
		loss += upper * MAX(r - plus, zero) - lower * MAX(minus - r, zero);
	}
	state->up = largest_lane(highest);
	state->down = -largest_lane(lowest);
	state->linear = add_lanes(linear);
	state->loss = add_lanes(loss);
}

/* A mask's lane is -1 where the row is inside: it is written in any case, and kept by moving on. */
int64_t SUFFIXED(linear_list_free)(const double *prox, const double *lower, const double *upper,
				   int64_t first, int64_t last, int64_t *list)
{
	int64_t n = 0;

	for (int64_t k = first; k < last; k += LINEAR_LANES) {
		vec_double v = LOAD(prox + k);
		vec_int64 inside =
			(v > LOAD(lower + k)) & (v < LOAD(upper + k)) & (v != SPLAT_DOUBLE(0.0));

		if (!any_lane(inside))
			continue;
		for (int l = 0; l < LINEAR_LANES; l++) {
			list[n] = k + l;
			n -= inside[l];
		}
	}
	return n;
}

/* Columns ascend, so the first and the last tell whether any is missing between them. */
static inline int is_run(const int32_t *col, int64_t n)
{
	return n >= LINEAR_LANES && col[n - 1] - col[0] == n - 1;
}

/* Two vectors of sums: an addition must not wait for the one before. */
static inline double run_dot(const double *val, const double *w, int64_t n)
{
	vec_double sum = SPLAT_DOUBLE(0.0), second = SPLAT_DOUBLE(0.0);
	double rest = 0;
	int64_t k = 0;

	for (; k + 2 * LINEAR_LANES <= n; k += 2 * LINEAR_LANES) {
		sum += *(const loose_double *)(val + k) * *(const loose_double *)(w + k);
		second += *(const loose_double *)(val + k + LINEAR_LANES) *
			  *(const loose_double *)(w + k + LINEAR_LANES);
	}
	for (; k < n; k++)
		rest += val[k] * w[k];
	return add_lanes(sum + second) + rest;
}

/* Four sums: an addition must not wait for the one before. */
static inline double sparse_dot(const double *val, const int32_t *col, const double *w, int64_t n)
{
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	int64_t k = 0;

	for (; k + 3 < n; k += 4) {
		s0 += val[k] * w[col[k]];
		s1 += val[k + 1] * w[col[k + 1]];
		s2 += val[k + 2] * w[col[k + 2]];
		s3 += val[k + 3] * w[col[k + 3]];
	}
	for (; k < n; k++)
		s0 += val[k] * w[col[k]];
	return (s0 + s1) + (s2 + s3);
}

/* A row at a time: its columns decide which of the two products it gets. */
void SUFFIXED(linear_multiply)(const struct linear_rows *x, const int64_t *list, int64_t first,
			       int64_t last, const double *w, double b, double *out)
{
	for (int64_t k = first; k < last; k++) {
		int64_t i = list ? list[k] : k, start = x->start[i], n = x->start[i + 1] - start;
		const int32_t *col = x->col + start;
		const double *val = x->val + start;

		out[k] = (is_run(col, n) ? run_dot(val, w + col[0], n) :
					   sparse_dot(val, col, w, n)) +
			 b;
	}
}

/* Rows with a multiplier of 0, which many have near the solution, are not read. */
void SUFFIXED(linear_accumulate)(const struct linear_rows *x, const int64_t *list, int64_t first,
				 int64_t last, const double *c, double *w)
{
	for (int64_t k = first; k < last; k++) {
		int64_t i = list ? list[k] : k, start = x->start[i], n = x->start[i + 1] - start;
		const int32_t *col = x->col + start;
		const double *val = x->val + start, times = c[k];

		if (times == 0)
			continue;
		if (is_run(col, n)) {
			for (int64_t e = 0; e < n; e++)
				w[col[0] + e] += times * val[e];
			continue;
		}
		for (int64_t e = 0; e < n; e++)
			w[col[e]] += times * val[e];
	}
}
