/*
 * full.h - small full matrices by plain loops, for tests of linear algebra
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_FULL_H
#define RANDSVM_FULL_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix/csr.h"
#include "random.h"
#include "unit.h"

/* full_zeros() - m x n by rows; free() it */
static inline double *full_zeros(int64_t m, int64_t n)
{
	double *a = calloc((size_t)(m * n + 1), sizeof(*a));

	if (!a) {
		fprintf(stderr, "out of memory\n");
		exit(EXIT_FAILURE);
	}
	return a;
}

static inline double *full_normal(int64_t m, int64_t n)
{
	double *a = full_zeros(m, n);

	for (int64_t k = 0; k < m * n; k++)
		a[k] = random_normal();
	return a;
}

/* full_product() - c = a b, m x inner times inner x n */
static inline double *full_product(const double *a, const double *b, int64_t m, int64_t inner,
				   int64_t n)
{
	double *c = full_zeros(m, n);

	for (int64_t i = 0; i < m; i++)
		for (int64_t k = 0; k < inner; k++)
			for (int64_t j = 0; j < n; j++)
				c[i * n + j] += a[i * inner + k] * b[k * n + j];
	return c;
}

static inline double *full_transposed(const double *a, int64_t m, int64_t n)
{
	double *t = full_zeros(n, m);

	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++)
			t[j * m + i] = a[i * n + j];
	return t;
}

/* full_difference() - the largest |a - b| of n entries */
static inline double full_difference(const double *a, const double *b, int64_t n)
{
	double most = 0;

	for (int64_t k = 0; k < n; k++)
		most = fabs(a[k] - b[k]) > most || isnan(a[k] - b[k]) ? fabs(a[k] - b[k]) : most;
	return most;
}

/* full_crookedness() - the largest |a'a - I| of the n columns of a */
static inline double full_crookedness(const double *a, int64_t m, int64_t n)
{
	double *t = full_transposed(a, m, n), *c = full_product(t, a, n, m, n), most = 0;

	for (int64_t k = 0; k < n * n; k++) {
		double error = fabs(c[k] - (k / n == k % n));

		most = error > most || isnan(error) ? error : most;
	}
	free(t);
	free(c);
	return most;
}

/* full_orthonormal() - n random orthonormal columns, by Gram and Schmidt, twice */
static inline double *full_orthonormal(int64_t m, int64_t n)
{
	double *a = full_normal(m, n);

	for (int64_t j = 0; j < n; j++) {
		double norm = 0;

		for (int64_t k = 0; k < 2 * j; k++) {
			double dot = 0;

			for (int64_t i = 0; i < m; i++)
				dot += a[i * n + j] * a[i * n + k % j];
			for (int64_t i = 0; i < m; i++)
				a[i * n + j] -= dot * a[i * n + k % j];
		}
		for (int64_t i = 0; i < m; i++)
			norm += a[i * n + j] * a[i * n + j];
		for (int64_t i = 0; i < m; i++)
			a[i * n + j] /= sqrt(norm);
	}
	return a;
}

/* full_rows() - append the rows of a, without zeros; column j becomes feature first + step j */
static inline void full_rows(struct csr *x, const double *a, int64_t m, int64_t n, int32_t first,
			     int32_t step)
{
	int32_t *col = malloc((size_t)n * sizeof(*col) + 1);
	double *val = full_zeros(n, 1);
	struct error err = { 0 };

	for (int64_t i = 0; i < m && err.code == ERR_NONE; i++) {
		int64_t start[2] = { 0, 0 };

		for (int32_t j = 0; j < n; j++)
			if (a[i * n + j] != 0) {
				col[start[1]] = first + step * j;
				val[start[1]++] = a[i * n + j];
			}
		csr_append(x, 1, start, col, val, &err);
	}
	free(col);
	free(val);
	CHECK(err.code == ERR_NONE, "%s", err.text);
}

/* full_of_rows() - the rows of 'x' as n_rows x n_cols */
static inline double *full_of_rows(const struct csr *x)
{
	double *a = full_zeros(x->n_rows, x->n_cols);

	for (int64_t i = 0; i < x->n_rows; i++)
		for (int64_t k = x->row_start[i]; k < x->row_start[i + 1]; k++)
			a[i * x->n_cols + x->col[k]] = x->val[k];
	return a;
}

#endif
