/*
 * test_optimum_ball.c - a nearly exact optimum is where the ball of a rough solution says
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "evaluate/optimum_ball.h"
#include "failing.h"
#include "random.h"
#include "tiny_solver.h"
#include "unit.h"
#include "world.h"

enum { N = 40, D = 4 };

/* What is left open of the optimum, relative to C and to the sizes of decision values. */
#define OPEN 1e-7

static struct tiny_solver tiny = { .solver = { .solve = tiny_solve } };

/* The center is the mean of a few of the rows. */
static int find_ball(const struct world *w, int64_t n, struct optimum_ball *ball,
		     struct optimum_center *z, unsigned char *mark, struct error *err)
{
	double distance[N];

	optimum_center_init(z, &w->p.kernel, &w->x);
	for (int64_t i = 0; i < n; i++)
		distance[i] = optimum_measure(z, csr_row_of(&w->x, i)).distance;
	return optimum_ball_find(ball, &w->p, &w->at, &(struct optimum_rows){ 0, distance, mark },
				 err);
}

static void solve(struct world *w, double eps)
{
	struct error err = { 0 };

	CHECK(tiny_solve(&tiny.solver, &w->p, eps, &w->at, &err) == 0, "%s", err.text);
	plain_values(&w->p, w->beta, w->f);
}

static void make(struct world *w, int k)
{
	static const struct kernel kernels[] = { { KERNEL_LINEAR, 3, 1, 0 },
						 { KERNEL_RBF, 3, .3, 0 },
						 { KERNEL_POLYNOMIAL, 2, .5, 1 } };
	const bool svc = k % 2 == 0;

	world_init(w, (struct problem_view){ .type = svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
					     .kernel = kernels[k / 2 % 3],
					     .n = N,
					     .epsilon = .1,
					     .c_plus = exp(random_between(-3, 2)),
					     .c_minus = exp(random_between(-3, 2)) });
	world_rows(w, full_normal(N, D), D);
	if (k % 5 == 0)
		world_weigh(w);
	for (int i = 0; i < N; i++) {
		const double at = w->x.val[i * D] + random_normal() / 2;

		w->target[i] = svc ? (at > .2 ? 1 : -1) : at;
		if (w->weight)
			w->weight[i] = random_between(.2, 3);
	}
}

/* |w - w*|^2 of two sets of multipliers */
static double distance2(const struct world *a, const struct world *b)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += (a->beta[i] - b->beta[i]) * (a->f[i] - b->f[i]);
	return sum;
}

/* The optimum's decision values lie within the bounds, and its multipliers are as the marks say. */
static int64_t check_rows(const struct world *rough, const struct world *best,
			  const struct optimum_ball *ball, const struct optimum_center *z,
			  const unsigned char *mark)
{
	int64_t n_proved = 0;

	for (int i = 0; i < N; i++) {
		const double f = best->f[i] - best->at.rho, size = fabs(best->beta[i]);
		const struct optimum_sizes x = optimum_measure(z, csr_row_of(&rough->x, i));
		const struct value_bounds v =
			optimum_ball_bounds(ball, &x, rough->f[i] - rough->at.rho, rough->at.rho);

		CHECK(f >= v.low - OPEN * (1 + fabs(f)) && f <= v.high + OPEN * (1 + fabs(f)),
		      "%g is not from %g to %g", f, v.low, v.high);
		if (mark[i] & OPTIMUM_IS_SV)
			CHECK(size >= problem_c(&best->p, i) * (1 - OPEN), "%g is not at %g", size,
			      problem_c(&best->p, i));
		if (!(mark[i] & OPTIMUM_MAY_BE_SV))
			CHECK(size <= OPEN * problem_c(&best->p, i), "%g is not 0", size);
		n_proved += mark[i] != OPTIMUM_MAY_BE_SV;
	}
	return n_proved;
}

/* Rough solutions of one problem, some with multipliers beyond their bounds and off their sum. */
static void check_problem(int k, double *sharpest, int64_t n_proved[3])
{
	static const double eps[3] = { 1, .05, 1e-6 };
	struct world best, rough;
	struct error err = { 0 };

	make(&best, k);
	world_copy(&rough, &best);
	rough.p.weight = best.weight;
	solve(&best, 1e-10);
	for (int t = 0; t < 3; t++) {
		struct optimum_ball ball;
		struct optimum_center z;
		unsigned char mark[N] = { 0 };
		double distance;

		world_start_cold(&rough);
		solve(&rough, eps[t]);
		for (int i = 0; i < N && k % 4 == 1; i++)
			rough.beta[i] *= 1 + random_between(-.01, .01);
		plain_values(&rough.p, rough.beta, rough.f);
		CHECK(find_ball(&rough, N, &ball, &z, mark, &err) == 0, "%s", err.text);
		distance = sqrt(fmax(0, distance2(&rough, &best)));
		CHECK(distance <= ball.radius + OPEN, "w is %g away, not %g", distance,
		      ball.radius);
		*sharpest = fmax(*sharpest, distance / ball.radius);
		n_proved[t] += check_rows(&rough, &best, &ball, &z, mark);
	}
	world_free(&rough);
	world_free(&best);
}

static void test_optima(void)
{
	double sharpest = 0;
	int64_t n_proved[3] = { 0 };

	for (int k = 0; k < 60; k++)
		check_problem(k, &sharpest, n_proved);
	/* half of the radius, or marks without a look, would fail above and here */
	CHECK(sharpest > .5, "the radius is never below %g times the distance", 1 / sharpest);
	CHECK(n_proved[0] < n_proved[1] && n_proved[1] < n_proved[2] && n_proved[2] > 60 * N / 2,
	      "%d, %d and %d rows", (int)n_proved[0], (int)n_proved[1], (int)n_proved[2]);
}

/* The ball of n rows of one feature, y_i = -1 where it is below 0, with a linear kernel. */
static struct optimum_ball ball_of_few(int n, const double *x, const double *beta, double c,
				       unsigned char *mark)
{
	struct world w;
	struct error err = { 0 };
	struct optimum_ball ball = { 0 };
	struct optimum_center z;
	double *rows = full_zeros(n, 1);

	world_init(&w, (struct problem_view){ .type = MACHINE_C_SVC,
					      .kernel = { KERNEL_LINEAR, 3, 1, 0 },
					      .n = n,
					      .c_plus = c });
	for (int i = 0; i < n; i++) {
		rows[i] = x[i];
		w.target[i] = x[i] < 0 ? -1 : 1;
		w.beta[i] = beta[i];
	}
	world_rows(&w, rows, 1);
	plain_values(&w.p, w.beta, w.f);
	CHECK(find_ball(&w, n, &ball, &z, mark, &err) == 0, "%s", err.text);
	world_free(&w);
	return ball;
}

static void test_constants(void)
{
	unsigned char mark[3] = { 0 };
	/* C = .07, both bounded: w = .14, margins are .14, and any b from -.86 to .86 is best */
	struct optimum_ball ball =
		ball_of_few(2, (double[]){ 1, -1 }, (double[]){ .07, -.07 }, .07, mark);

	CHECK(ball.radius < 1e-6 && ball.low <= -.86 && ball.low > -.863 && ball.high >= .86 &&
		      ball.high < .863,
	      "w within %g, b from %.17g to %.17g", ball.radius, ball.low, ball.high);
	CHECK(mark[0] == OPTIMUM_MAY_BE_SV && mark[1] == OPTIMUM_MAY_BE_SV,
	      "marks %d and %d: at either end one has no loss", mark[0], mark[1]);
	/* w is almost 0, and two free multipliers hold b at -1, to the last digits of a double */
	ball = ball_of_few(3, (double[]){ 1, -1, -1 }, (double[]){ 1e-20, -5e-21, -5e-21 }, 1e-20,
			   mark);
	CHECK(ball.low <= -1 && ball.low > -1 - 1e-12 && ball.high >= -1 && ball.high < -1 + 1e-12,
	      "b from %.17g to %.17g", ball.low, ball.high);
}

/* Distances from the mean of z->n rows, by the definition of both. */
static void test_distances(void)
{
	for (int k = 0; k < 6; k += 2) {
		struct optimum_center z;
		struct world w;

		make(&w, k);
		optimum_center_init(&z, &w.p.kernel, &w.x);
		for (int64_t i = 0; i < N; i++) {
			const double found = optimum_measure(&z, csr_row_of(&w.x, i)).distance;
			double sum = plain_row_kernel(&w.p.kernel, &w.x, i, i);

			for (int64_t a = 0; a < z.n; a++) {
				const int64_t row = a * N / z.n;

				sum -= 2 * plain_row_kernel(&w.p.kernel, &w.x, i, row) /
				       (double)z.n;
				for (int64_t b = 0; b < z.n; b++)
					sum += plain_row_kernel(&w.p.kernel, &w.x, row,
								b * N / z.n) /
					       (double)(z.n * z.n);
			}
			CHECK(found >= sqrt(sum) && found <= sqrt(sum) * (1 + 1e-6), "%g, not %g",
			      found, sqrt(sum));
		}
		world_free(&w);
	}
}

static int find(void *arg, struct error *err)
{
	struct world *w = arg;
	struct optimum_ball ball;
	struct optimum_center z;
	unsigned char mark[N] = { 0 };

	return find_ball(w, N, &ball, &z, mark, err);
}

static void test_memory(void)
{
	struct world w;

	make(&w, 2);
	CHECK(fail_each_allocation("optimum_ball_find", find, &w) > 3, "few allocations");
	world_free(&w);
}

int main(void)
{
	test_distances();
	test_optima();
	test_constants();
	test_memory();
	return unit_report("optimum_ball");
}
