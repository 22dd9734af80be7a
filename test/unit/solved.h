/*
 * solved.h - linear machines and smallest balls to many digits, for tests of what theorems say
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_SOLVED_H
#define RANDSVM_SOLVED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "full.h"
#include "linear/linear.h"
#include "plain_problem.h"
#include "proof/certificate.h"
#include "unit.h"
#include "world.h"

struct solved {
	double objective, norm2;   /* optimum of the dual, |w|^2 */
	double b;		   /* constant of the decision function w.x + b */
	int64_t n_free, n_bounded; /* multipliers strictly within their bounds, and at C */
};

/*
 * solved_machine() - solved far enough that what is missing does not matter beside 1e-6
 *
 * |w|^2 is known to about the root of that.  'epsilon' is that of a regression.  'w', unless it is
 * NULL, gets the weights of the features 0 .. x->n_cols - 1.
 */
static inline struct solved solved_machine(const struct csr *x, const double *target,
					   enum machine_type type, double c, double epsilon,
					   double *w)
{
	struct linear_options o = { .eps = 1e-7, .n_threads = 1, .seed = 1 };
	struct linear_result result;
	struct certificate gap;
	struct solved s = { 0 };
	struct error err = { 0 };
	struct world world;

	world_init(&world, (struct problem_view){ .type = type,
						  .kernel = { KERNEL_LINEAR, 3, 1, 0 },
						  .x = x,
						  .n = x->n_rows,
						  .c_plus = c,
						  .epsilon = epsilon });
	memcpy(world.target, target, (size_t)x->n_rows * sizeof(*target));
	CHECK(linear_solve(&world.p, &o, world.beta, world.f, &result, &err) >= 0, "%s", err.text);
	world.at.rho = result.rho;
	CHECK(certificate_make(&world.p, &world.at, 1e-3, &gap, &err) == 0, "%s", err.text);
	CHECK(certificate_relative_gap(&gap) <= 1e-6, "gap %g", certificate_relative_gap(&gap));
	s.objective = certificate_dual(&world.p, world.beta, world.f);
	s.norm2 = plain_norm2(world.beta, world.f, world.p.n);
	s.b = -result.rho;
	for (int64_t j = 0; w && j < x->n_cols; j++)
		w[j] = 0;
	for (int64_t i = 0; i < x->n_rows; i++) {
		s.n_free += world.beta[i] != 0 && fabs(world.beta[i]) < c;
		s.n_bounded += fabs(world.beta[i]) == c;
		for (int64_t k = x->row_start[i]; w && k < x->row_start[i + 1]; k++)
			w[x->col[k]] += world.beta[i] * x->val[k];
	}
	world_free(&world);
	return s;
}

/*
 * solved_ball() - the squared radius of the smallest ball around the n rows of a, to 1e-6
 *
 * The largest u.g - u'Gu over u >= 0 with sum 1, G = a a' and g its diagonal, by steps between the best and the
 * worst point.
 */
static inline double solved_ball(const double *a, int64_t n, int64_t d)
{
	double *t = full_transposed(a, n, d), *g = full_product(a, t, n, d, n);
	double *u = full_zeros(n, 1), *gu = full_zeros(n, 1), dual = 0, gap = 1;

	u[0] = 1;
	for (int64_t i = 0; i < n; i++)
		gu[i] = g[i * n];
	for (int64_t step = 0; gap > 1e-6 * dual && step < 1000000; step++) {
		int64_t to = 0, from = -1;
		double length, move;

		for (int64_t i = 0; i < n; i++) {
			if (g[i * n + i] - 2 * gu[i] > g[to * n + to] - 2 * gu[to])
				to = i;
			if (u[i] > 0 && (from < 0 || g[i * n + i] - 2 * gu[i] <
							     g[from * n + from] - 2 * gu[from]))
				from = i;
		}
		dual = 0;
		gap = g[to * n + to] - 2 * gu[to];
		for (int64_t i = 0; i < n; i++) {
			dual += u[i] * (g[i * n + i] - gu[i]);
			gap -= u[i] * (g[i * n + i] - 2 * gu[i]);
		}
		length = g[to * n + to] - 2 * g[to * n + from] + g[from * n + from];
		move = (g[to * n + to] - 2 * gu[to] - g[from * n + from] + 2 * gu[from]) / 2;
		move = length > 0 ? fmin(u[from], move / length) : 0;
		u[to] += move;
		u[from] -= move;
		for (int64_t i = 0; i < n; i++)
			gu[i] += move * (g[i * n + to] - g[i * n + from]);
	}
	CHECK(gap <= 1e-6 * dual, "a ball known to %g of %g", gap, dual);
	free(t);
	free(g);
	free(u);
	free(gu);
	return dual;
}

#endif
