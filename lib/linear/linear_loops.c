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

#define PASTE(a, b) a##_##b
#define EXPAND(a, b) PASTE(a, b)
#define SUFFIXED(name) EXPAND(name, TILE_SUFFIX)

typedef double vec __attribute__((vector_size(64), aligned(64)));
typedef double loose_vec __attribute__((vector_size(64), aligned(8)));
typedef int64_t ivec __attribute__((vector_size(64), aligned(64)));

#define SPLAT(c) ((vec){ (c), (c), (c), (c), (c), (c), (c), (c) })
#define LOAD(p) (*(const vec *)(p))
#define SELECT(mask, a, b) ((vec)(((ivec)(a) & (mask)) | ((ivec)(b) & ~(mask))))
#define MAX(a, b) SELECT((a) > (b), a, b)
#define MIN(a, b) SELECT((a) < (b), a, b)

static inline double add_lanes(vec v)
{
	return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

static inline double largest_lane(vec v)
{
	double largest = v[0];

	for (int l = 1; l < LINEAR_LANES; l++)
		largest = v[l] > largest ? v[l] : largest;
	return largest;
}

/* (1): clip(soft(v, threshold)) */
static inline vec prox_of(vec v, vec threshold, vec lower, vec upper)
{
	const vec zero = SPLAT(0.0);

	v = MAX(v - threshold, zero) + MIN(v + threshold, zero);
	return MIN(MAX(v, lower), upper);
}

/* The same where the threshold is 0, as for C-SVC, in half the operations. */
static inline vec clip(vec v, vec lower, vec upper)
{
	return MIN(MAX(v, lower), upper);
}

/* prox at residual - t product; its product with 'product', and product^2 where it is inside */
void SUFFIXED(linear_slope_at)(const struct linear_arrays *a, int64_t first, int64_t last, double t,
			       struct linear_slope *found)
{
	const vec sigma = SPLAT(a->sigma), threshold = SPLAT(a->threshold), step = SPLAT(t);
	vec slope = SPLAT(0.0), curvature = SPLAT(0.0);

	for (int64_t k = first; k < last; k += LINEAR_LANES) {
		vec lower = LOAD(a->lower + k), upper = LOAD(a->upper + k);
		vec product = LOAD(a->product + k), prox;
		ivec inside;

		prox = LOAD(a->beta + k) + sigma * (LOAD(a->residual + k) - step * product);
		prox = a->threshold > 0 ? prox_of(prox, threshold, lower, upper) :
					  clip(prox, lower, upper);
		inside = (prox > lower) & (prox < upper) & (prox != SPLAT(0.0));
		slope += product * prox;
		curvature += (vec)((ivec)(product * product) & inside);
	}
	found->slope = add_lanes(slope);
	found->curvature = add_lanes(curvature);
}

static inline int any_lane(ivec mask)
{
	int64_t any = 0;

	for (int l = 0; l < LINEAR_LANES; l++)
		any |= mask[l];
	return any != 0;
}

void SUFFIXED(linear_update_prox)(const struct linear_arrays *a, int64_t first, int64_t last,
				  int64_t *changed, double *old, struct linear_change *change)
{
	const vec sigma = SPLAT(a->sigma), threshold = SPLAT(a->threshold);
	vec sum = SPLAT(0.0), norm2 = SPLAT(0.0), largest = SPLAT(0.0);
	int64_t n = 0;

	for (int64_t k = first; k < last; k += LINEAR_LANES) {
		vec lower = LOAD(a->lower + k), upper = LOAD(a->upper + k);
		vec beta = LOAD(a->beta + k), before = LOAD(a->prox + k), prox, moved;

		prox = beta + sigma * LOAD(a->residual + k);
		prox = a->threshold > 0 ? prox_of(prox, threshold, lower, upper) :
					  clip(prox, lower, upper);
		moved = prox - beta;
		sum += prox;
		norm2 += moved * moved;
		largest = MAX(MAX(moved, -moved), largest);
		/* near the solution few change: what is written and listed is little */
		if (!any_lane(prox != before))
			continue;
		*(vec *)(a->prox + k) = prox;
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
	const vec plus = SPLAT(epsilon), minus = SPLAT(-epsilon), zero = SPLAT(0.0);
	vec highest = SPLAT(-INFINITY), lowest = SPLAT(-INFINITY); /* of -down */
	vec linear = zero, loss = zero;

	for (int64_t k = 0; k < a->n; k += LINEAR_LANES) {
		vec beta_k = LOAD(beta + k), r = LOAD(residual + k);
		vec lower = LOAD(a->lower + k), upper = LOAD(a->upper + k);
		vec raise = r + SELECT(beta_k < zero, plus, minus);
		vec sink = -(r + SELECT(beta_k > zero, minus, plus));

		highest = MAX(SELECT(beta_k < upper, raise, SPLAT(-INFINITY)), highest);
		lowest = MAX(SELECT(beta_k > lower, sink, SPLAT(-INFINITY)), lowest);
		linear += LOAD(a->target + k) * beta_k - plus * MAX(beta_k, -beta_k);
		r -= SPLAT(b);
		loss += upper * MAX(r - plus, zero) - lower * MAX(minus - r, zero);
	}
	state->up = largest_lane(highest);
	state->down = -largest_lane(lowest);
	state->linear = add_lanes(linear);
	state->loss = add_lanes(loss);
}

int64_t SUFFIXED(linear_list_free)(const double *prox, const double *lower, const double *upper,
				   int64_t first, int64_t last, int64_t *list)
{
	int64_t n = 0;

	for (int64_t k = first; k < last; k += LINEAR_LANES) {
		vec v = LOAD(prox + k);
		ivec inside = (v > LOAD(lower + k)) & (v < LOAD(upper + k)) & (v != SPLAT(0.0));

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
	vec sum = SPLAT(0.0), second = SPLAT(0.0);
	double rest = 0;
	int64_t k = 0;

	for (; k + 2 * LINEAR_LANES <= n; k += 2 * LINEAR_LANES) {
		sum += *(const loose_vec *)(val + k) * *(const loose_vec *)(w + k);
		second += *(const loose_vec *)(val + k + LINEAR_LANES) *
			  *(const loose_vec *)(w + k + LINEAR_LANES);
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
