/*
 * certify_newton.c - Newton steps of a linear machine with squared losses, for certify_linear.c
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "evaluate/certify_newton.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "matrix/blas.h"

int certify_newton_init(struct certify_newton *t, int64_t n_features, struct error *err)
{
	int64_t size = n_features + 1;

	t->h = mem_array(size * size, sizeof(*t->h), err);
	t->g = mem_array(size, sizeof(*t->g), err);
	t->in_norm = mem_array(size, sizeof(*t->in_norm), err);
	t->unbound = mem_array(size, sizeof(*t->unbound), err);
	return t->h && t->g && t->in_norm && t->unbound ? blas_reserve(size, 0, err) : -1;
}

void certify_newton_free(struct certify_newton *t)
{
	mem_free_all(t->h, t->g, t->in_norm, t->unbound);
	*t = (struct certify_newton){ 0 };
}

/*
 * Solve for 'step', the constant in |w| or free; returns -g'd, or INFINITY if H is singular or
 * numbers overflow
 */
static double find_step(const struct certify_newton_point *p, bool free, struct certify_newton *t,
			double *step)
{
	int64_t d = p->n_features, stride = d + 1, n = p->bias > 0 ? stride : d;
	double softness = p->bias > 0 && !free ? 1 / (p->bias * p->bias) : 0, sum = 0;

	memcpy(t->h, p->matrix, (size_t)(stride * stride) * sizeof(*t->h));
	for (int64_t j = 0; j < d; j++) {
		t->h[j * stride + j] += 1;
		t->g[j] = p->above[j] + p->below[j] - p->w[j];
	}
	t->h[d * stride + d] += softness;
	t->g[d] = n > d ? p->balance - softness * p->w[d] : 0;
	memcpy(step, t->g, (size_t)stride * sizeof(*step));
	if (blas_cholesky(t->h, n, stride) < 0)
		return INFINITY;
	blas_cholesky_solve(t->h, n, stride, step);
	for (int64_t j = 0; j < n; j++)
		sum += t->g[j] * step[j];
	return isfinite(sum) ? sum : INFINITY;
}

void certify_newton_step(struct certify_newton *t, const struct certify_newton_point *p)
{
	double in_norm = find_step(p, false, t, t->in_norm);
	double unbound = p->bias > 0 ? find_step(p, true, t, t->unbound) : INFINITY;
	const double *step = in_norm <= unbound ? t->in_norm : t->unbound;

	if (isfinite(fmin(in_norm, unbound)))
		for (int64_t j = 0; j <= p->n_features; j++)
			p->w[j] += step[j];
}
