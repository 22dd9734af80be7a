/*
 * linear_polish.c - free multipliers made to add up to the w that the Newton method found
 *
 * A proximal point carries the rounding of the residual times sigma.  Where features are large
 * w is right long before sum beta_i x_i is, which multiplies that error by |x|.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "linear/linear_products.h"
#include "linear/linear_work.h"
#include "matrix/blas.h"

#define MAX_ROUNDS 3

/* Entries of the free rows made dense, and the order of the matrix: a few milliseconds. */
#define MAX_DENSE 2000000
#define MAX_ORDER 1000

/* Relative to the diagonal, so that equal rows do no harm. */
#define RIDGE 1e-14

/* The m free rows (x_i, 1), columns scaled to norm 1; the smaller of m, d + 1 is 'order'. */
struct polish {
	struct linear_work *s;
	int64_t m, size, order; /* size = d + 1 */
	double *z;		/* m x size, or size x m if m < size */
	double *mean, *scale;	/* size each: (x - mean) scale is in z */
	double *missing;	/* size: what the multipliers lack, scaled */
	double *factor;		/* order^2 */
	double *solution;	/* order */
};

static double *z_at(const struct polish *q, int64_t k, int64_t j)
{
	return q->m < q->size ? &q->z[j * q->m + k] : &q->z[k * q->size + j];
}

/*
 * Columns less their mean, so that they are orthogonal to the ones: the sum of the multipliers is
 * then put right whatever becomes of w.  Returns the largest norm of a column.
 */
static double centre_columns(struct polish *q)
{
	double largest = 0;

	for (int64_t j = 0; j < q->size; j++) {
		double norm2 = 0;

		for (int64_t k = 0; k < q->m; k++) {
			*z_at(q, k, j) -= q->mean[j];
			norm2 += *z_at(q, k, j) * *z_at(q, k, j);
		}
		q->scale[j] = sqrt(norm2);
		largest = fmax(largest, j < q->size - 1 ? q->scale[j] : 0);
	}
	return largest;
}

/*
 * With enough free rows the multipliers can give any w, and columns are scaled each by itself,
 * which is the best conditioned.  With fewer they give the w nearest to it, as far as w.x goes.
 */
static void fill_rows(struct polish *q)
{
	const struct linear_rows *x = &q->s->x;
	double largest;

	for (int64_t k = 0; k < q->m; k++) {
		int64_t i = q->s->list[k];

		for (int64_t e = x->start[i]; e < x->start[i + 1]; e++) {
			*z_at(q, k, x->col[e]) = x->val[e];
			q->mean[x->col[e]] += x->val[e] / (double)q->m;
		}
		*z_at(q, k, q->size - 1) = 1;
	}
	largest = centre_columns(q);
	for (int64_t j = 0; j < q->size; j++) {
		double norm = q->m < q->size && j < q->size - 1 ? largest : q->scale[j];

		q->scale[j] = norm > 0 ? 1 / norm : 0;
		for (int64_t k = 0; k < q->m; k++)
			*z_at(q, k, j) *= q->scale[j];
	}
}

static int factor_rows(struct polish *q)
{
	double trace = 0;

	blas_add_outer(q->factor, q->order, q->order, 1, q->z, int64_max(q->m, q->size));
	for (int64_t a = 0; a < q->order; a++)
		trace += q->factor[a * q->order + a];
	for (int64_t a = 0; a < q->order; a++)
		q->factor[a * q->order + a] += RIDGE * trace;
	return blas_cholesky(q->factor, q->order, q->order);
}

/* The multipliers with the least change that add up to what is missing. */
static void correct(struct polish *q)
{
	struct linear_work *s = q->s;
	bool dual = q->m < q->size;

	memset(q->solution, 0, (size_t)q->order * sizeof(*q->solution));
	for (int64_t k = 0; dual && k < q->m; k++)
		for (int64_t j = 0; j < q->size; j++)
			q->solution[k] += *z_at(q, k, j) * q->missing[j];
	if (!dual)
		memcpy(q->solution, q->missing, (size_t)q->size * sizeof(*q->solution));
	blas_cholesky_solve(q->factor, q->order, q->order, q->solution);
	for (int64_t k = 0; k < q->m; k++) {
		int64_t i = s->list[k];
		double change = dual ? q->solution[k] : 0;

		for (int64_t j = 0; !dual && j < q->size; j++)
			change += *z_at(q, k, j) * q->solution[j];
		s->trial[i] = fmin(fmax(s->trial[i] + change, s->lower[i]), s->upper[i]);
	}
}

static int run_rounds(struct polish *q, struct error *err)
{
	struct linear_work *s = q->s;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		double sum = linear_exact_sum(s->trial, s->n);

		if (linear_rows_sum(&s->x, s->trial, LINEAR_SUM_ERROR * s->o->eps, s->trial_w,
				    err) < 0)
			return -1;
		for (int64_t j = 0; j < s->d; j++)
			q->missing[j] = q->scale[j] * (s->w[j] - s->trial_w[j] + q->mean[j] * sum);
		q->missing[s->d] = -q->scale[s->d] * sum;
		correct(q);
	}
	return 0;
}

int linear_polish(struct linear_work *s, int64_t n_free, struct error *err)
{
	struct polish q = { .s = s, .m = n_free, .size = s->d + 1 };
	int ret = -1;

	q.order = int64_min(q.m, q.size);
	if (n_free == 0 || n_free > MAX_DENSE / q.size || q.order > MAX_ORDER)
		return 0;
	q.z = mem_aligned(q.m * q.size, sizeof(*q.z), err);
	q.mean = mem_aligned(q.size, sizeof(*q.mean), err);
	q.scale = mem_aligned(q.size, sizeof(*q.scale), err);
	q.missing = mem_aligned(q.size, sizeof(*q.missing), err);
	q.factor = mem_aligned(q.order * q.order, sizeof(*q.factor), err);
	q.solution = mem_aligned(q.order, sizeof(*q.solution), err);
	if (err->code != ERR_NONE || blas_reserve(err) < 0)
		goto out;
	fill_rows(&q);
	ret = factor_rows(&q) == 0 ? run_rounds(&q, err) : 0;
out:
	free(q.z);
	free(q.mean);
	free(q.scale);
	free(q.missing);
	free(q.factor);
	free(q.solution);
	return ret;
}
