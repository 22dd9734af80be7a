/*
 * rbf_bound.c - bounds of sums of rbf kernel values, by the lengths of vectors alone
 *
 * How this works.  With M(t) the sum of the factors of vectors whose length differs by at most t,
 * which two bisections find in sums of sorted terms, and steps t_k = k / 2,
 *
 *     sum_j factor_j K_j <= sum_k exp(-t_(k-1)^2) (M(t_k) - M(t_(k-1)))
 *
 * up to t = 6.  Vectors beyond count at most exp(-36) = 2.3e-16, and a difference of two sums, each of
 * which is rounded once, is 2^-52 of all factors off at most.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/rbf_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/long_sum.h"
#include "base/mem.h"
#include "base/order.h"

#define STEP 0.5
#define N_STEPS 12

/* Share of the sum of all factors for vectors beyond the steps, and for rounding. */
#define FLOOR 4e-15

int rbf_bound_init(struct rbf_bound *b, struct rbf_term *term, int64_t n, struct error *err)
{
	struct long_sum sum[RBF_SUMS] = { { 0, 0 } };

	*b = (struct rbf_bound){ .n = n, .length = mem_array(n + 1, sizeof(double), err) };
	for (int f = 0; f < RBF_SUMS; f++)
		b->sum[f] = mem_array(n + 1, sizeof(double), err);
	if (err->code != ERR_NONE) {
		rbf_bound_free(b);
		return -1;
	}
	qsort(term, (size_t)n, sizeof(*term), order_doubles);
	for (int64_t j = 0; j <= n; j++) {
		b->length[j] = j < n ? term[j].length : INFINITY;
		for (int f = 0; f < RBF_SUMS; f++) {
			b->sum[f][j] = long_sum_value(&sum[f]);
			if (j < n)
				long_sum_add(&sum[f], term[j].factor[f], 1);
		}
	}
	return 0;
}

void rbf_bound_free(struct rbf_bound *b)
{
	mem_free(b->length);
	for (int f = 0; f < RBF_SUMS; f++)
		mem_free(b->sum[f]);
	*b = (struct rbf_bound){ 0 };
}

/* Number of vectors up to a length. */
static int64_t count_to(const struct rbf_bound *b, double length)
{
	return order_find_above(b->length, b->n + 1, length);
}

void rbf_bound_at(const struct rbf_bound *b, double length, double bound[RBF_SUMS])
{
	double nearer[RBF_SUMS] = { 0 };

	for (int f = 0; f < RBF_SUMS; f++)
		bound[f] = FLOOR * b->sum[f][b->n];
	for (int k = 1; k <= N_STEPS; k++) {
		double t = k * STEP, most = exp(-(t - STEP) * (t - STEP));
		int64_t end = count_to(b, length + t), start = count_to(b, length - t);

		for (int f = 0; f < RBF_SUMS; f++) {
			double within = b->sum[f][end] - b->sum[f][start];

			bound[f] += most * fmax(within - nearer[f], 0);
			nearer[f] = within;
		}
	}
}
