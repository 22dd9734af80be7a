/*
 * metric_intervals.c - how far measures of some rows may be from those of all rows there might be, and
 * whether two machines differ
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/metric_intervals.h"

#include "base/order.h"
#include "base/rng.h"

double normal_bound(double level)
{
	/* halving: beyond 40 no double is left, and 60 steps leave no digit open */
	double z = 20, width = 20;

	for (int step = 0; step < 60; step++) {
		width /= 2;
		z += erfc(z * sqrt(0.5)) > 1 - level ? width : -width;
	}
	return z;
}

struct interval wilson_interval(double share, double n, double z)
{
	const double extra = z * z / n, centre = share + extra / 2;
	const double width = sqrt(extra * (share * (1 - share) + extra / 4));

	/* rounding must not leave what a share can be */
	return (struct interval){ share == 0 ? 0 : (centre - width) / (1 + extra),
				  share == 1 ? 1 : (centre + width) / (1 + extra) };
}

double roc_auc_variance(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point point;
	struct moments above = { 0 }, below = { 0 };
	double positives = 0, negatives = 0;

	while (roc_step(r, &walk, &point)) {
		/* the step passes p positives and n negatives of one score */
		const double p = walk.n_positive - positives, n = walk.n_negative - negatives;

		if (p > 0)
			moments_add(&above, 1 - (negatives + n / 2) / r->n_negative, p);
		if (n > 0)
			moments_add(&below, (positives + p / 2) / r->n_positive, n);
		positives = walk.n_positive;
		negatives = walk.n_negative;
	}
	return above.squares / (r->n_positive - 1) / r->n_positive +
	       below.squares / (r->n_negative - 1) / r->n_negative;
}

struct interval roc_auc_interval(const struct roc *r, double z)
{
	const double auc = roc_auc(r), variance = roc_auc_variance(r);
	const double least = fmin(r->n_positive, r->n_negative);
	double centre, width;

	if (!(variance > 0))
		return wilson_interval(auc, least, z);
	centre = log(auc / (1 - auc));
	width = z * sqrt(variance) / (auc * (1 - auc));
	return (struct interval){ 1 / (1 + exp(width - centre)), 1 / (1 + exp(-width - centre)) };
}

void bootstrap_counts(uint64_t seed, int64_t draw, int64_t n, int32_t *count)
{
	memset(count, 0, (size_t)n * sizeof(*count));
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t a = rng_first64(rng_draw(seed, RNG_BOOTSTRAP, (uint64_t)draw, i));

		/* the product may be rounded to n */
		count[int64_min((int64_t)(rng_unit(a) * (double)n), n - 1)]++;
	}
}

struct interval bootstrap_interval(double *value, int64_t n, double level)
{
	int64_t m = 0, k;

	for (int64_t i = 0; i < n; i++)
		if (!isnan(value[i]))
			value[m++] = value[i];
	qsort(value, (size_t)m, sizeof(*value), order_doubles);
	/* 1e-9: what should be a whole number may be rounded to below it */
	k = (int64_t)((double)(m + 1) * (1 - level) / 2 + 1e-9);
	if (k == 0)
		return (struct interval){ NAN, NAN };
	return (struct interval){ value[k - 1], value[m - k] };
}

double sign_test(double a, double b)
{
	const double n = a + b, least = fmin(a, b);
	/* the terms in units of that of 'least', each k / (n - k + 1) times the one above */
	double sum = 0, term = 1;

	for (double k = least; k >= 0; k--) {
		sum += term;
		term *= k / (n - k + 1);
	}
	term = lgamma(n + 1) - lgamma(least + 1) - lgamma(n - least + 1) - n * log(2);
	return fmin(1, 2 * sum * exp(term));
}
