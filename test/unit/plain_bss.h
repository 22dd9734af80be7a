/*
 * plain_bss.h - spectral sparsification as published: all features in each step, by eigenvalues
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PLAIN_BSS_H
#define RANDSVM_PLAIN_BSS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "full.h"
#include "matrix/blas.h"

struct plain_bss {
	int64_t n;	 /* chosen */
	int64_t *column; /* in order of choice */
	double *weight;
	int64_t n_again;
	double *m; /* l x l: sum w^2 v v' */
};

static inline void plain_bss_free(struct plain_bss *p)
{
	free(p->column);
	free(p->weight);
	free(p->m);
}

/* upper[j] and lower[j] of all d vectors, z holding the eigenvectors of A as rows. */
static inline void plain_bss_judge(const double *v, int64_t d, int64_t l, const double *z,
				   const double *value, double low, double high, double delta,
				   double *y, double *upper, double *lower)
{
	double *weight = full_zeros(4, l), p0 = 0, p1 = 0, q0 = 0, q1 = 0;
	struct error err = { 0 };

	for (int64_t k = 0; k < l; k++) {
		p0 += 1 / (value[k] - low);
		p1 += 1 / (value[k] - (low + 1));
		q0 += 1 / (high - value[k]);
		q1 += 1 / (high + delta - value[k]);
	}
	for (int64_t k = 0; k < l; k++) {
		double a = 1 / (high + delta - value[k]), b = 1 / (value[k] - (low + 1));

		weight[k] = a * a / (q0 - q1) + a;
		weight[l + k] = b * b / (p1 - p0) - b;
	}
	blas_multiply((struct blas_factor){ v, l, BLAS_PLAIN },
		      (struct blas_factor){ z, l, BLAS_TRANSPOSED }, d, l, l, 0, y, l, &err);
	for (int64_t j = 0; j < d; j++) {
		double u = 0, w = 0;

		for (int64_t k = 0; k < l; k++) {
			double square = y[j * l + k] * y[j * l + k];

			u += square * weight[k];
			w += square * weight[l + k];
		}
		upper[j] = u;
		lower[j] = w;
	}
	free(weight);
}

/* The longest admitted vector not chosen before, else of those chosen; -1: none. */
static inline int64_t plain_bss_pick(const double *size, int64_t d, const double *upper,
				     const double *lower, const double *sum, bool again)
{
	int64_t best = -1;

	for (int64_t j = 0; j < d; j++)
		if (size[j] > 0 && (sum[j] > 0) == again && upper[j] <= lower[j] &&
		    (best < 0 || size[j] > size[best]))
			best = j;
	return best;
}

/* r steps over the d rows of v (d x l), r > l.  Exits if no vector is admitted. */
static inline struct plain_bss plain_bss(const double *v, int64_t d, int64_t l, int64_t r)
{
	double s = sqrt((double)l / (double)r), delta = (1 + s) / (1 - s);
	double start = sqrt((double)r * (double)l);
	double *size = full_zeros(d, 1), *upper = full_zeros(d, 1), *lower = full_zeros(d, 1);
	double *sum = full_zeros(d, 1), *y = full_zeros(d, l), *a = full_zeros(l, l);
	double *z = full_zeros(l, l), *value = full_zeros(l, 1);
	struct plain_bss p = { .column = calloc((size_t)r, sizeof(*p.column)),
			       .weight = full_zeros(r, 1),
			       .m = full_zeros(l, l) };
	struct error err = { 0 };

	for (int64_t j = 0; j < d; j++)
		for (int64_t k = 0; k < l; k++)
			size[j] += v[j * l + k] * v[j * l + k];
	for (int64_t step = 0; step < r; step++) {
		int64_t j;
		double t;

		memcpy(z, a, (size_t)(l * l) * sizeof(*z));
		blas_symmetric_eigen(z, l, value, true, &err);
		plain_bss_judge(v, d, l, z, value, (double)step - start,
				delta * ((double)step + start), delta, y, upper, lower);
		j = plain_bss_pick(size, d, upper, lower, sum, false);
		if (j < 0) {
			j = plain_bss_pick(size, d, upper, lower, sum, true);
			p.n_again++;
		} else {
			p.column[p.n++] = j;
		}
		if (j < 0) {
			fprintf(stderr, "plain_bss: nothing is admitted in step %d\n", (int)step);
			exit(EXIT_FAILURE);
		}
		t = 2 / (upper[j] + lower[j]);
		sum[j] += t;
		for (int64_t i = 0; i < l; i++)
			for (int64_t k = 0; k < l; k++)
				a[i * l + k] += t * v[j * l + i] * v[j * l + k];
	}
	for (int64_t k = 0; k < p.n; k++)
		p.weight[k] = sqrt(sum[p.column[k]] * (1 - s) / (double)r);
	for (int64_t k = 0; k < l * l; k++)
		p.m[k] = a[k] * (1 - s) / (double)r;
	free(size);
	free(upper);
	free(lower);
	free(sum);
	free(y);
	free(a);
	free(z);
	free(value);
	return p;
}

#endif
