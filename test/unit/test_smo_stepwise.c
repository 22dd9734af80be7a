/*
 * test_smo_stepwise.c - LIBSVM's steps, by themselves: are they LIBSVM's, and is the end an optimum?
 *
 * The kernels are sigmoids and polynomials that are not definite, so that other steps end in other
 * optima.  Only the tanh of the two differ, in the last bit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "random.h"
#include "smo/smo_sets.h"
#include "train/libsvm_adapter.h"
#include "unit.h"
#include "world.h"

enum { N = 150, D = 4 };

/* Relative error of decision values: kernel values are kept as floats, as LIBSVM does. */
#define FLOATS 1e-5

static const struct kernel indefinite[] = {
	{ .type = KERNEL_SIGMOID, .gamma = 0.3, .coef0 = -0.5 },
	{ .type = KERNEL_SIGMOID, .gamma = 1, .coef0 = 0 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.2, .coef0 = -1 },
};

/* Two classes that overlap, or a curve with noise. */
static void make_world(struct world *w, enum machine_type type, struct kernel kernel)
{
	double *full = full_zeros(N, D);

	world_init(w, (struct problem_view){ .type = type,
					     .kernel = kernel,
					     .n = N,
					     .c_plus = 3,
					     .c_minus = type == MACHINE_C_SVC ? 2 : 3,
					     .epsilon = 0.1 });
	for (int64_t i = 0; i < N; i++) {
		double side = i % 2 ? 1 : -1;

		for (int j = 0; j < D; j++)
			full[i * D + j] = random_normal() + (j == 0 ? side / 2 : 0);
		w->target[i] =
			type == MACHINE_C_SVC ? side : sin(2 * full[i * D]) + 0.1 * random_normal();
	}
	world_rows(w, full, D);
}

/* smo_stepwise() over all examples; beta and f hold nonsense before. */
static int solve(struct world *w, double eps, int64_t limit, int n_threads, int64_t *n_steps,
		 struct error *err)
{
	bool everyone[N];
	struct smo s;
	int ret = -1;

	for (int64_t i = 0; i < N; i++) {
		everyone[i] = true;
		w->beta[i] = w->f[i] = 7;
	}
	if (smo_init(&s, &w->p, 10, n_threads, NULL, err) == 0 &&
	    smo_set_members(&s, everyone, err) == 0)
		ret = smo_stepwise(&s, eps, limit, &w->at, n_steps, err);
	smo_free(&s);
	return ret;
}

static void test_steps_are_libsvms(enum machine_type type)
{
	const double eps = 1e-4;
	double theirs[N], f[N];
	struct error err = { 0 };
	int64_t n_steps;

	for (int k = 0; k < (int)(sizeof(indefinite) / sizeof(*indefinite)); k++) {
		struct world w;

		make_world(&w, type, indefinite[k]);
		if (CHECK(world_solve(&w, libsvm_solver(10, true), eps, &err) == 0, "%s",
			  err.text)) {
			memcpy(theirs, w.beta, sizeof(theirs));
			CHECK(solve(&w, eps, 1000000, 2, &n_steps, &err) == 0 && n_steps > N / 10,
			      "%s", err.text);
			plain_values(&w.p, w.beta, f);
			CHECK(plain_excess(&w.p, w.beta) <= 0, "beyond a bound");
			CHECK(fabs(plain_sum(w.beta, N)) <= 1e-10, "sum %g", plain_sum(w.beta, N));
			CHECK(plain_violation(&w.p, w.beta, f) <= eps + 2 * FLOATS, "violation %g",
			      plain_violation(&w.p, w.beta, f));
			for (int64_t i = 0; i < N; i++) {
				CHECK(fabs(w.f[i] - f[i]) <= FLOATS * (1 + fabs(f[i])),
				      "%.17g, not %.17g", w.f[i], f[i]);
				CHECK(fabs(w.beta[i] - theirs[i]) <= 1e-7, "%.17g, not %.17g",
				      w.beta[i], theirs[i]);
			}
		}
		world_free(&w);
	}
}

/* The same bits for any number of threads; with a limit as many steps, and a feasible point. */
static void test_limits_and_threads(void)
{
	struct world one, four;
	struct error err = { 0 };
	int64_t n_one, n_four;

	make_world(&one, MACHINE_C_SVC, indefinite[0]);
	make_world(&four, MACHINE_C_SVC, indefinite[0]);
	csr_free(&four.x);
	four.p.x = &one.x;
	CHECK(solve(&one, 1e-3, 1000000, 1, &n_one, &err) == 0 &&
		      solve(&four, 1e-3, 1000000, 4, &n_four, &err) == 0 && n_one == n_four &&
		      memcmp(one.beta, four.beta, N * sizeof(double)) == 0 &&
		      memcmp(one.f, four.f, N * sizeof(double)) == 0,
	      "threads count: %s", err.text);
	CHECK(solve(&one, 1e-3, 20, 1, &n_one, &err) == 0 && n_one == 20, "%d steps, not 20",
	      (int)n_one);
	CHECK(plain_excess(&one.p, one.beta) <= 0, "beyond a bound");
	CHECK(fabs(plain_sum(one.beta, N)) <= 1e-12, "sum %g", plain_sum(one.beta, N));
	world_free(&one);
	world_free(&four);
}

static int run_solve(void *arg, struct error *err)
{
	int64_t n_steps;

	return solve(arg, 1e-3, 1000000, 1, &n_steps, err);
}

static void test_memory(void)
{
	struct world w;

	make_world(&w, MACHINE_C_SVC, indefinite[1]);
	CHECK(fail_each_allocation("smo_stepwise", run_solve, &w) > 0, "no allocation");
	world_free(&w);
}

int main(void)
{
	test_steps_are_libsvms(MACHINE_C_SVC);
	test_steps_are_libsvms(MACHINE_EPSILON_SVR);
	test_limits_and_threads();
	test_memory();
	return unit_report("smo_stepwise");
}
