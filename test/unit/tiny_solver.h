/*
 * tiny_solver.h - a solver simple enough to trust, for tests
 *
 * The pair of multipliers that violates most is moved to its best values, again and again, over a
 * full kernel matrix in doubles.  It starts from the multipliers it is given, asks mem.h
 * for nothing and can be watched.  One solve at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_TINY_SOLVER_H
#define RANDSVM_TINY_SOLVER_H

#include <math.h>
#include <string.h>

#include "plain_problem.h"
#include "problem/solver.h"
#include "unit.h"

enum { TINY_MAX = 1200 };

struct tiny_solver {
	struct solver solver; /* first, to be found from its address */
	/* told of each subproblem and its start, then of its solution; or NULL */
	void (*before)(void *arg, const struct problem_view *p, double eps, const double *beta);
	void (*after)(void *arg, const struct problem_view *p, const double *beta, double rho);
	void *arg;
};

/* tiny_slopes() - what the dual gains when beta_i rises, and loses when it falls; f_i without b */
static inline void tiny_slopes(const struct problem_view *p, int64_t i, double beta, double f,
			       double *up, double *down)
{
	double g = p->target[i] - f;

	*up = beta < problem_upper(p, i) ? g - (beta >= 0 ? p->epsilon : -p->epsilon) : -INFINITY;
	*down = beta > problem_lower(p, i) ? g - (beta > 0 ? p->epsilon : -p->epsilon) : INFINITY;
}

static inline double tiny_least(double a, double b)
{
	return a < b ? a : b;
}

/* How far beta_i may rise, or fall, before its bound or 0. */
static inline double tiny_room(const struct problem_view *p, int64_t i, double beta, bool rises)
{
	double bound = rises ? problem_upper(p, i) - beta : beta - problem_lower(p, i);

	if (rises ? beta < 0 : beta > 0)
		bound = tiny_least(bound, fabs(beta));
	return bound;
}

static inline void tiny_move(const struct problem_view *p, int64_t i, double *beta, double step,
			     bool rises)
{
	bool whole = step == tiny_room(p, i, *beta, rises);
	bool to_zero = whole && (rises ? *beta < 0 : *beta > 0) && step == fabs(*beta);

	*beta = to_zero ? 0 :
		whole	? (rises ? problem_upper(p, i) : problem_lower(p, i)) :
		rises	? *beta + step :
			  *beta - step;
}

/* A start that breaks the rules of solver.h is a failure of who asks. */
static inline void tiny_check_start(const struct problem_view *p, const double *beta)
{
	double sum = plain_sum(beta, p->n);

	CHECK(plain_excess(p, beta) <= 0, "the start is beyond a bound by %g",
	      plain_excess(p, beta));
	CHECK(fabs(sum) <= 1e-6 * plain_size(beta, p->n), "the start adds up to %g, not 0", sum);
}

/* The pair that violates most; returns by how much. */
static inline double tiny_worst(const struct problem_view *p, const double *beta, const double *f,
				int64_t *i, int64_t *j, double *b)
{
	double most = -INFINITY, least = INFINITY;

	*i = *j = 0;
	for (int64_t t = 0; t < p->n; t++) {
		double up, down;

		tiny_slopes(p, t, beta[t], f[t], &up, &down);
		if (up > most) {
			most = up;
			*i = t;
		}
		if (down < least) {
			least = down;
			*j = t;
		}
	}
	*b = !isfinite(most) ? least : !isfinite(least) ? most : (most + least) / 2;
	return most - least;
}

static inline int tiny_solve(const struct solver *solver, const struct problem_view *p, double eps,
			     struct iterate *x, struct error *err)
{
	static double k[TINY_MAX][TINY_MAX], f[TINY_MAX];
	const struct tiny_solver *tiny = (const struct tiny_solver *)solver;
	double *beta = x->beta, *rows, gain, b;
	int64_t i, j, n_steps;
	int d;

	if (p->n > TINY_MAX)
		return error_set(err, ERR_ARGUMENT, "too large for the tiny solver");
	if (tiny->before)
		tiny->before(tiny->arg, p, eps, beta);
	tiny_check_start(p, beta);
	rows = plain_examples(p, &d);
	for (i = 0; i < p->n; i++)
		for (j = 0; j <= i; j++)
			k[i][j] = k[j][i] = plain_kernel(&p->kernel, rows + i * d, rows + j * d, d);
	free(rows);
	for (i = 0; i < p->n; i++)
		for (f[i] = 0, j = 0; j < p->n; j++)
			f[i] += beta[j] * k[i][j];
	for (i = 0; i < p->n; i++)
		CHECK(fabs(x->f[i] - f[i]) <= 1e-5 * (1 + fabs(f[i])),
		      "the start's decision value %g, not %g", x->f[i], f[i]);
	for (n_steps = 0; (gain = tiny_worst(p, beta, f, &i, &j, &b)) > eps; n_steps++) {
		double step = gain / fmax(k[i][i] + k[j][j] - 2 * k[i][j], 1e-12);

		step = tiny_least(step, tiny_least(tiny_room(p, i, beta[i], true),
						   tiny_room(p, j, beta[j], false)));
		tiny_move(p, i, &beta[i], step, true);
		tiny_move(p, j, &beta[j], step, false);
		for (int64_t t = 0; t < p->n; t++)
			f[t] += step * (k[t][i] - k[t][j]);
		if (n_steps > 3000000)
			return error_set(err, ERR_NUMERIC, "the tiny solver does not end");
	}
	x->rho = -b;
	x->n_iterations += n_steps;
	if (tiny->after)
		tiny->after(tiny->arg, p, beta, x->rho);
	return 0;
}

#endif
