/*
 * plain_problem.h - kernel values, optimality and objectives by their definitions, for tests
 *
 * Objectives are those of C-SVC and epsilon-SVR.  'f' is of multipliers beta, without the constant.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_PLAIN_PROBLEM_H
#define RANDSVM_PLAIN_PROBLEM_H

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "full.h"
#include "proof/certificate.h"
#include "unit.h"

/* plain_kernel() - K(x, z) of two full vectors of n values */
static inline double plain_kernel(const struct kernel *k, const double *x, const double *z, int n)
{
	double dot = 0, distance = 0;

	for (int j = 0; j < n; j++) {
		dot += x[j] * z[j];
		distance += (x[j] - z[j]) * (x[j] - z[j]);
	}
	switch (k->type) {
	case KERNEL_POLYNOMIAL:
		return pow(k->gamma * dot + k->coef0, k->degree);
	case KERNEL_RBF:
		return exp(-k->gamma * distance);
	case KERNEL_SIGMOID:
		return tanh(k->gamma * dot + k->coef0);
	default:
		return dot;
	}
}

/* plain_row_kernel() - K(x_i, x_j) of two rows */
static inline double plain_row_kernel(const struct kernel *k, const struct csr *x, int64_t i,
				      int64_t j)
{
	double *full = calloc(2 * (size_t)x->n_cols, sizeof(*full)), *other = full + x->n_cols;
	double value;

	for (int64_t e = x->row_start[i]; e < x->row_start[i + 1]; e++)
		full[x->col[e]] = x->val[e];
	for (int64_t e = x->row_start[j]; e < x->row_start[j + 1]; e++)
		other[x->col[e]] = x->val[e];
	value = plain_kernel(k, full, other, (int)x->n_cols);
	free(full);
	return value;
}

/*
 * plain_examples() - the examples as full rows of *d values each; free() it
 *
 * Columns that no row of x has an entry in are left out: they change no kernel value.
 */
static inline double *plain_examples(const struct problem_view *p, int *d)
{
	const struct csr *x = p->x;
	int *place = calloc((size_t)x->n_cols + 1, sizeof(*place));
	double *full;

	for (int64_t k = 0; k < x->row_start[x->n_rows]; k++)
		place[x->col[k]] = 1;
	*d = 0;
	for (int64_t c = 0; c < x->n_cols; c++)
		place[c] = place[c] ? (*d)++ : 0;
	full = full_zeros(p->n, *d);
	for (int64_t i = 0; i < p->n; i++)
		for (int64_t k = x->row_start[p->row[i]]; k < x->row_start[p->row[i] + 1]; k++)
			full[i * *d + place[x->col[k]]] = x->val[k];
	free(place);
	return full;
}

/* plain_values() - f_i = sum_j beta_j K(x_j, x_i) of all examples */
static inline void plain_values(const struct problem_view *p, const double *beta, double *f)
{
	int d;
	double *x = plain_examples(p, &d);

	for (int64_t i = 0; i < p->n; i++) {
		f[i] = 0;
		for (int64_t j = 0; j < p->n; j++)
			if (beta[j] != 0)
				f[i] += beta[j] * plain_kernel(&p->kernel, x + i * d, x + j * d, d);
	}
	free(x);
}

/* ---- Multipliers ---- */

/* plain_sum() - sum beta_i */
static inline double plain_sum(const double *beta, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += beta[i];
	return sum;
}

/* plain_size() - sum |beta_i| */
static inline double plain_size(const double *beta, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += fabs(beta[i]);
	return sum;
}

/* plain_excess() - how far a multiplier is beyond its bounds at the most; not above 0: none is */
static inline double plain_excess(const struct problem_view *p, const double *beta)
{
	double most = -INFINITY;

	for (int64_t i = 0; i < p->n; i++) {
		double excess = fmax(beta[i] - problem_upper(p, i), problem_lower(p, i) - beta[i]);

		most = isnan(beta[i]) ? INFINITY : fmax(most, excess);
	}
	return most;
}

/* plain_violation() - m - M, max up - min down, of multipliers with decision values f */
static inline double plain_violation(const struct problem_view *p, const double *beta,
				     const double *f)
{
	double up = -INFINITY, down = INFINITY, epsilon = p->epsilon;

	for (int64_t i = 0; i < p->n; i++) {
		double g = p->target[i] - f[i];

		if (beta[i] < problem_upper(p, i))
			up = fmax(up, beta[i] < 0 ? g + epsilon : g - epsilon);
		if (beta[i] > problem_lower(p, i))
			down = fmin(down, beta[i] > 0 ? g - epsilon : g + epsilon);
	}
	return up - down;
}

/* ---- Objectives ---- */

/* plain_c() - C of an example */
static inline double plain_c(const struct problem_view *p, int64_t i)
{
	return p->type == MACHINE_C_SVC && p->target[i] < 0 ? p->c_minus : p->c_plus;
}

static inline double plain_dual(const struct problem_view *p, const double *beta, const double *f)
{
	double sum = 0;

	for (int64_t i = 0; i < p->n; i++)
		sum += p->target[i] * beta[i] - p->epsilon * fabs(beta[i]) - beta[i] * f[i] / 2;
	return sum;
}

/* plain_loss() - sum C_i loss_i at the constant b; *slope, if not NULL: by b, to the right */
static inline double plain_loss(const struct problem_view *p, const double *f, double b,
				double *slope)
{
	double sum = 0, rise = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double residual = p->target[i] - f[i] - b;
		double side = p->type == MACHINE_C_SVC ? p->target[i] : residual > 0 ? 1 : -1;
		double loss = side * residual - p->epsilon;

		sum += loss > 0 ? plain_c(p, i) * loss : 0;
		rise -= loss > 0 ? side * plain_c(p, i) : 0;
	}
	if (slope)
		*slope = rise;
	return sum;
}

/* plain_norm2() - |w|^2 = sum beta_i f_i */
static inline double plain_norm2(const double *beta, const double *f, int64_t n)
{
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += beta[i] * f[i];
	return sum;
}

/* plain_primal() - P(w, b) */
static inline double plain_primal(const struct problem_view *p, const double *beta, const double *f,
				  double b)
{
	return plain_norm2(beta, f, p->n) / 2 + plain_loss(p, f, b, NULL);
}

/* plain_least_primal() - P at the best b: convex in b, so by bisection on the slope */
static inline double plain_least_primal(const struct problem_view *p, const double *beta,
					const double *f)
{
	double low = INFINITY, high = -INFINITY;

	for (int64_t i = 0; i < p->n; i++) {
		low = fmin(low, p->target[i] - f[i] - p->epsilon);
		high = fmax(high, p->target[i] - f[i] + p->epsilon);
	}
	for (int k = 0; k < 100; k++) {
		double middle = (low + high) / 2, slope;

		plain_loss(p, f, middle, &slope);
		*(slope < 0 ? &low : &high) = middle;
	}
	return fmin(plain_primal(p, beta, f, low), plain_primal(p, beta, f, high));
}

/* plain_separating_primal() - |s w|^2 / 2 of the multiple without a loss; DBL_MAX: none has none */
static inline double plain_separating_primal(const struct problem_view *p, const double *beta,
					     const double *f)
{
	double above = DBL_MAX, below = -DBL_MAX, norm2 = plain_norm2(beta, f, p->n), times, b;

	for (int64_t i = 0; i < p->n; i++)
		if (p->target[i] > 0)
			above = fmin(above, f[i]);
		else
			below = fmax(below, f[i]);
	if (p->type != MACHINE_C_SVC || !(norm2 > 0) || !(above > below) || above == DBL_MAX ||
	    below == -DBL_MAX)
		return DBL_MAX;
	times = 2 / (above - below);
	b = -times * (above + below) / 2;
	for (int64_t i = 0; i < p->n; i++)
		CHECK(p->target[i] * (times * f[i] + b) >= 1 - 1e-9, "a loss at %g", f[i]);
	return times * times * norm2 / 2;
}

/* plain_certificate() - all of a certificate that does not depend on rho; else 0 */
static inline struct certificate plain_certificate(const struct problem_view *p, const double *beta,
						   const double *f)
{
	struct certificate c = { .primal = fmin(plain_least_primal(p, beta, f),
						plain_separating_primal(p, beta, f)),
				 .dual = plain_dual(p, beta, f),
				 .sum_abs_beta = plain_size(beta, p->n) };

	for (int64_t i = 0; i < p->n; i++) {
		c.n_sv += beta[i] != 0;
		c.n_bounded_sv += beta[i] != 0 && fabs(beta[i]) == plain_c(p, i);
	}
	return c;
}

#endif
