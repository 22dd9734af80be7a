/*
 * rbf_bound.c - bounds of sums of rbf kernel values, by the lengths of vectors alone
 *
 * How this works.  With M(t) the sum of the factors of vectors whose length differs by at most t,
 * which two bisections find in sums of sorted terms, and steps t_k = k / 2,
 *
 *     sum_j factor_j K_j <= sum_k exp(-t_(k-1)^2) (M(t_k) - M(t_(k-1)))
 *
 * up to t = 6, beyond which all that are left count exp(-36).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "problem/rbf_bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/order.h"

#define STEP 0.5
#define N_STEPS 12

/* Comparison for qsort(), by ascending length. */
static int compare_terms(const void *a, const void *b)
{
	const struct rbf_term *x = a, *y = b;

	return (x->length > y->length) - (x->length < y->length);
}

int rbf_bound_init(struct rbf_bound *b, struct rbf_term *term, int64_t n, struct error *err)
{
	double sum = 0;

	*b = (struct rbf_bound){ .n = n,
				 .length = mem_array(n + 1, sizeof(double), err),
				 .sum = mem_array(n + 1, sizeof(double), err) };
	if (!b->length || !b->sum) {
		rbf_bound_free(b);
		return -1;
	}
	qsort(term, (size_t)n, sizeof(*term), compare_terms);
	for (int64_t j = 0; j < n; j++) {
		b->length[j] = term[j].length;
		b->sum[j] = sum;
		sum += term[j].factor;
	}
	b->length[n] = INFINITY;
	b->sum[n] = sum;
	return 0;
}

void rbf_bound_free(struct rbf_bound *b)
{
	mem_free(b->length);
	mem_free(b->sum);
	*b = (struct rbf_bound){ 0 };
}

/* The sum of the factors of vectors up to a length. */
static double sum_to(const struct rbf_bound *b, double length)
{
	return b->sum[order_find_above(b->length, b->n + 1, length)];
}

double rbf_bound_at(const struct rbf_bound *b, double length)
{
	double sum = 0, nearer = 0;

	for (int k = 1; k <= N_STEPS; k++) {
		double t = k * STEP;
		double within = sum_to(b, length + t) - sum_to(b, length - t);

		sum += exp(-(t - STEP) * (t - STEP)) * (within - nearer);
		nearer = within;
	}
	return sum + exp(-STEP * N_STEPS * STEP * N_STEPS) * (b->sum[b->n] - nearer);
}
