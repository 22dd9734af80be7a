/*
 * random.h - random numbers and sparse rows for tests, the same in every run
 *
 * One sequence for the program, so from one thread only.  Not the library's generator: that is
 * under test itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_RANDOM_H
#define RANDSVM_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix/csr.h"

/* random_bits() - 64 of them: splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64_t random_bits(void)
{
	static uint64_t state;
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* random_unit() - strictly between 0 and 1 */
static inline double random_unit(void)
{
	return ((double)(random_bits() >> 12) + 0.5) * 0x1p-52;
}

static inline double random_between(double low, double high)
{
	return low + (high - low) * random_unit();
}

/* random_below() - 0 .. n - 1 */
static inline int64_t random_below(int64_t n)
{
	return (int64_t)(random_bits() % (uint64_t)n);
}

/* random_normal() - mean 0, variance 1, as near to normal as a sum of twelve comes */
static inline double random_normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit();
	return sum;
}

/* random_rows() - add rows to 'a': each of the columns 1 .. n_cols - 1 with that probability */
static inline void random_rows(struct csr *a, int64_t n_rows, int32_t n_cols, double density)
{
	int32_t *col = malloc((size_t)n_cols * sizeof(*col));
	double *val = malloc((size_t)n_cols * sizeof(*val));
	struct error err = { 0 };

	for (int64_t i = 0; i < n_rows && err.code == ERR_NONE; i++) {
		int64_t start[2] = { 0, 0 };

		for (int32_t c = 1; c < n_cols; c++)
			if (random_unit() < density) {
				col[start[1]] = c;
				val[start[1]++] = random_normal();
			}
		csr_append(a, 1, start, col, val, &err);
	}
	free(col);
	free(val);
	if (err.code != ERR_NONE) {
		fprintf(stderr, "random rows: %s\n", err.text);
		exit(EXIT_FAILURE);
	}
}

#endif
