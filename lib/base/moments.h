/*
 * moments.h - mean and sum of squares about the mean, without a difference of large sums
 *
 *     n += w,   d = x - mean,   mean += d / (n / w),   squares += w d (x - mean)        (1)
 *
 * (Welford 1962, Technometrics 4; West 1979, Commun. ACM 22).  The mean is kept as its distance from
 * the first value: that of times in seconds since 1970 has as many digits as their differences have.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

/* Moments of a group of values; a zeroed struct is of none. */
struct moments {
	double n;	/* sum of the weights: the number of values, without weights */
	double origin;	/* the first value */
	double mean;	/* mean of the values less 'origin' */
	double squares; /* sum of squares about the mean */
};

static inline double moments_mean(const struct moments *a)
{
	return a->origin + a->mean;
}

/* moments_off() - how far x is from the mean */
static inline double moments_off(const struct moments *a, double x)
{
	return (x - a->origin) - a->mean;
}

/*
 * moments_add() - add the value x of weight w > 0, (1); returns d
 *
 * With two variables x and y, sum w d_x (y - mean_y), where d_x is the value returned for x and
 * mean_y that after y was added, is the sum of products about both means.
 */
static inline double moments_add(struct moments *a, double x, double w)
{
	double d;

	if (a->n == 0)
		a->origin = x;
	d = moments_off(a, x);
	a->n += w;
	/* n / w is 1 for the first value, whatever w is: the mean then is that value */
	a->mean += d / (a->n / w);
	a->squares += w * d * moments_off(a, x);
	return d;
}

/*
 * moments_join() - join group 'b' to 'a'; returns the sum of squares between the two means
 *
 *     d = mean_b - mean_a,   squares = squares_a + squares_b + d^2 n_a n_b / (n_a + n_b)
 *
 * Source: Chan, Golub, LeVeque 1983, The American Statistician 37.
 */
static inline double moments_join(struct moments *a, const struct moments *b)
{
	double n = a->n + b->n, d = (b->origin - a->origin) + (b->mean - a->mean), between;

	/* an empty group changes nothing, and would divide 0 by 0 */
	if (b->n == 0)
		return 0;
	between = d * d * (a->n * b->n / n);
	/* mean and sum of squares become those of both groups together */
	a->mean += d * (b->n / n);
	a->squares += b->squares + between;
	a->n = n;
	return between;
}
