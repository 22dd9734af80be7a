/*
 * linear_polish.c - free multipliers made to add up to the w that the Newton method found
 *
 * A proximal point carries the rounding of the residual times sigma, and sum beta_i x_i multiplies
 * that error by |x|.  Where features are large the w of the Newton method is right long before the
 * multipliers are.  With Z the m free rows (x_i, 1), the changes delta of the free multipliers that
 * put right both sums are
 *
 *     Z' delta = q,   q = (w - sum trial_i x_i, S - sum trial_i)                                (1)
 *
 *     m >= d + 1:  delta = Z (Z'Z)^-1 q      the smallest of all that satisfy (1)               (2)
 *     m <  d + 1:  delta = (ZZ')^-1 Z q      the nearest to (1), by least squares               (3)
 *
 * by one Cholesky factor of the smaller matrix, whose order is at most d + 1.  Columns of Z are
 * centred first and scaled to norm 1,
 *
 *     sum_k delta_k (x_kj - mean_j) = q_j - mean_j sum_k delta_k
 *                                   = q_j + mean_j (sum_i trial_i - S)                          (4)
 *
 * for without that the matrix of features in the thousands is next to singular.  Results are
 * clipped to the bounds, and (2) or (3) is repeated on what is then missing, MAX_ROUNDS times in
 * all: iterative refinement, which also makes good the ridge on the diagonal.
 *
 * Unscaled covtype and skin_nonskin at C = 1000, cpusmall at C <= 1 and cadata end within eps by
 * this; without it they do not, however many outer steps follow.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "base/arithmetic.h"
#include "base/mem.h"
#include "linear/linear_work.h"
#include "matrix/blas.h"

/*
 * Rounds of correction: each gains the digits of one solution with the factor.  On the 39 trainings
 * of linear_solve.c 1 is as good but for one outer step, and 10 the same as 3.
 */
#define MAX_ROUNDS 3

/*
 * Largest number of elements of the free rows made dense, and largest order of the matrix.  With
 * both, 2,000 rows of 1,000 columns, the step takes 16 MB and 1e9 multiplications by the BLAS.
 * Larger problems are left as they are: the data sets above have 3 to 54 features.
 */
#define MAX_DENSE 2000000
#define MAX_ORDER 1000

/*
 * Ridge on the diagonal, relative to the trace, with which equal or dependent rows still have a
 * factor.
 */
#define RIDGE 1e-14

/* The m free rows (x_i, 1), columns scaled to norm 1; the smaller of m, d + 1 is 'order'. */
struct polish {
	const struct linear_task *task;
	const double *w; /* weights of the Newton method */
	struct linear_trial *trial;
	/* number of columns d + 1, or d + 2 with two sides; order of the matrix */
	int64_t m, size, order;
	/* rows scaled, m x size; or their transpose, size x m, if m < size */
	double *z;
	double *mean, *scale; /* mean and scale of each column: z holds (x - mean) scale */
	double *missing;      /* right side of (1) after (4), scaled; 'size' numbers */
	double *factor;	      /* Cholesky factor, order^2 numbers */
	double *solution;     /* solution of the equations, 'order' numbers */
};

/*
 * Place of the entry of free row k in column j; rows of z are those that blas_add_outer() adds up
 * in (2), (3).
 */
static double *z_at(const struct polish *q, int64_t k, int64_t j)
{
	return q->m < q->size ? &q->z[j * q->m + k] : &q->z[k * q->size + j];
}

/*
 * Subtract from each column its mean.  Columns are then orthogonal to the column of ones, so that
 * the sum of the multipliers is put right whatever becomes of w. scale[j] becomes the norm of
 * column j; returns the largest norm of a feature.
 */
static double centre_columns(struct polish *q)
{
	double largest = 0;
	int64_t d = q->task->d;

	for (int64_t j = 0; j < q->size; j++) {
		double norm2 = 0;

		for (int64_t k = 0; k < q->m; k++) {
			*z_at(q, k, j) -= q->mean[j];
			norm2 += *z_at(q, k, j) * *z_at(q, k, j);
		}
		q->scale[j] = sqrt(norm2);
		largest = fmax(largest, j < d ? q->scale[j] : 0);
	}
	return largest;
}

/*
 * Fill Z, centred and scaled.  In (2) any w can be had and each column has its own scale, which is
 * best conditioned.  In (3) the scale says which error counts: all features have the same one, so
 * that the nearest w is the nearest by |w - sum beta_i x_i|.
 */
static void fill_rows(struct polish *q)
{
	const struct linear_rows *x = &q->task->x;
	double largest;

	for (int64_t k = 0; k < q->m; k++) {
		int64_t i = q->trial->free[k];

		for (int64_t e = x->start[i]; e < x->start[i + 1]; e++) {
			*z_at(q, k, x->col[e]) = x->val[e];
			q->mean[x->col[e]] += x->val[e] / (double)q->m;
		}
		*z_at(q, k, q->size - 1) = 1;
		/* with two sides column d is 1 on the first and -1 on the second: one more feature */
		if (q->task->sides.n == 2) {
			double sign = linear_side(q->task, i) == 0 ? 1 : -1;

			*z_at(q, k, x->d) = sign;
			q->mean[x->d] += sign / (double)q->m;
		}
	}
	largest = centre_columns(q);
	for (int64_t j = 0; j < q->size; j++) {
		double norm = q->m < q->size && j < x->d ? largest : q->scale[j];

		q->scale[j] = norm > 0 ? 1 / norm : 0;
		for (int64_t k = 0; k < q->m; k++)
			*z_at(q, k, j) *= q->scale[j];
	}
}

/* Factor L L' = Z'Z or ZZ', the smaller of the two. */
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

/* Correct the free multipliers by (2) or (3), within their bounds. */
static void correct(struct polish *q)
{
	const struct linear_task *t = q->task;
	double *beta = q->trial->beta;
	bool dual = q->m < q->size;

	memset(q->solution, 0, (size_t)q->order * sizeof(*q->solution));
	for (int64_t k = 0; dual && k < q->m; k++)
		for (int64_t j = 0; j < q->size; j++)
			q->solution[k] += *z_at(q, k, j) * q->missing[j];
	if (!dual)
		memcpy(q->solution, q->missing, (size_t)q->size * sizeof(*q->solution));
	blas_cholesky_solve(q->factor, q->order, q->order, q->solution);
	for (int64_t k = 0; k < q->m; k++) {
		int64_t i = q->trial->free[k];
		double change = dual ? q->solution[k] : 0;

		for (int64_t j = 0; !dual && j < q->size; j++)
			change += *z_at(q, k, j) * q->solution[j];
		beta[i] = fmin(fmax(beta[i] + change, t->row.lower[i]), t->row.upper[i]);
	}
}

/* Correct the multipliers several times; each time the error of w is computed in full precision. */
static int run_rounds(struct polish *q, struct error *err)
{
	const struct linear_task *t = q->task;
	struct linear_trial *trial = q->trial;

	for (int round = 0; round < MAX_ROUNDS; round++) {
		double first = linear_sum_error(t, trial->beta, 0), sum = first, second;
		int64_t d = t->d, last = q->size - 1;

		if (linear_sum(t, trial->beta, trial->w, err) < 0)
			return -1;
		if (t->sides.n == 2) {
			second = linear_sum_error(t, trial->beta, 1);
			sum += second;
			q->missing[d] = q->scale[d] * (second - first + q->mean[d] * sum);
		}
		for (int64_t j = 0; j < d; j++)
			q->missing[j] = q->scale[j] * (q->w[j] - trial->w[j] + q->mean[j] * sum);
		q->missing[last] = -q->scale[last] * sum;
		correct(q);
	}
	return 0;
}

int linear_polish(const struct linear_task *t, const double *w, struct linear_trial *trial,
		  struct error *err)
{
	struct polish q = {
		.task = t, .w = w, .trial = trial, .m = trial->n_free, .size = t->d + t->sides.n
	};
	int ret = -1;

	q.order = int64_min(q.m, q.size);
	if (q.m == 0 || q.m > MAX_DENSE / q.size || q.order > MAX_ORDER)
		return 0;
	q.z = mem_aligned(q.m * q.size, sizeof(*q.z), err);
	q.mean = mem_aligned(q.size, sizeof(*q.mean), err);
	q.scale = mem_aligned(q.size, sizeof(*q.scale), err);
	q.missing = mem_aligned(q.size, sizeof(*q.missing), err);
	q.factor = mem_aligned(q.order * q.order, sizeof(*q.factor), err);
	q.solution = mem_aligned(q.order, sizeof(*q.solution), err);
	if (err->code == ERR_NONE && blas_reserve(q.order, int64_max(q.m, q.size), err) == 0) {
		fill_rows(&q);
		/* a matrix that has no factor leaves the multipliers as they are: no error */
		ret = factor_rows(&q) == 0 ? run_rounds(&q, err) : 0;
	}
	mem_free_all(q.z, q.mean, q.scale, q.missing, q.factor, q.solution);
	return ret;
}
