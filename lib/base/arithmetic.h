/*
 * arithmetic.h - least, greatest and rounded-up integers, lists of numbers, powers
 *
 * For sizes, counts and places, all int64_t.  Doubles have fmin() and fmax(), which differ from a
 * comparison where a number is undefined (NaN).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static inline int64_t int64_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t int64_max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* int64_clamp() - the number from 'low' to 'high' that is nearest to n; low <= high */
static inline int64_t int64_clamp(int64_t n, int64_t low, int64_t high)
{
	return n < low ? low : n > high ? high : n;
}

/* int64_blocks() - how many blocks of 'size' hold n things: n / size rounded up, n >= 0 */
static inline int64_t int64_blocks(int64_t n, int64_t size)
{
	return (n + size - 1) / size;
}

/* int64_round_up() - the least multiple of 'size' that is not below n, n >= 0 */
static inline int64_t int64_round_up(int64_t n, int64_t size)
{
	return int64_blocks(n, size) * size;
}

/* count_up() - list[i] = i, i < n */
static inline void count_up(int64_t *list, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		list[i] = i;
}

/* are_finite() - is each x[j] finite, j < n?  Without branches: x - x is 0 where x is finite. */
static inline bool are_finite(const double *x, int64_t n)
{
	bool bad = false;

	for (int64_t j = 0; j < n; j++)
		bad |= x[j] - x[j] != 0;
	return !bad;
}

/* largest_of_sizes() - the largest |x[j]|, j < n; 0 without one, and NaN counts as 0 */
static inline double largest_of_sizes(const double *x, int64_t n)
{
	double largest = 0;

	for (int64_t j = 0; j < n; j++)
		largest = fmax(largest, fabs(x[j]));
	return largest;
}

/* sum_of_sizes() - sum_j |x[j]|, j < n, added in this order */
static inline double sum_of_sizes(const double *x, int64_t n)
{
	double sum = 0;

	for (int64_t j = 0; j < n; j++)
		sum += fabs(x[j]);
	return sum;
}

/* weight_at() - weight i of a list, 1 where there is no list */
static inline double weight_at(const double *weight, int64_t i)
{
	return weight ? weight[i] : 1;
}

/* are_zeros() - is each x[j] 0, j < n? */
static inline bool are_zeros(const double *x, int64_t n)
{
	int64_t j = 0;

	while (j < n && x[j] == 0)
		j++;
	return j == n;
}

/* ordered_product() - sum_j x[j] y[j], j < n, added in this order */
static inline double ordered_product(const double *x, const double *y, int64_t n)
{
	double sum = 0;

	for (int64_t j = 0; j < n; j++)
		sum += x[j] * y[j];
	return sum;
}

/* squared_norm() - sum_j x[j]^2, j < n, added in this order */
static inline double squared_norm(const double *x, int64_t n)
{
	return ordered_product(x, x, n);
}

/*
 * inner_product() - sum_j x[j] y[j], j < n
 *
 * Four sums, as an addition takes longer to end than the next one to begin.
 */
static inline double inner_product(const double *x, const double *y, int64_t n)
{
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	int64_t j = 0;

	for (; j + 3 < n; j += 4) {
		s0 += x[j] * y[j];
		s1 += x[j + 1] * y[j + 1];
		s2 += x[j + 2] * y[j + 2];
		s3 += x[j + 3] * y[j + 3];
	}
	for (; j < n; j++)
		s0 += x[j] * y[j];
	return (s0 + s1) + (s2 + s3);
}

/*
 * double_power() - x^n, n >= 0, by repeated squaring in svm-train's order of multiplications: the
 * same bits on every machine, unlike pow()
 */
static inline double double_power(double x, int64_t n)
{
	double result = 1;

	for (; n > 0; n /= 2) {
		if (n % 2 == 1)
			result *= x;
		x *= x;
	}
	return result;
}
