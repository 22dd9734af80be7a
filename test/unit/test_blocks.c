/*
 * test_blocks.c - working sets that are optimised a block at a time
 *
 * Above SMO_WHOLE_ROWS members no row over all of them is stored, and above some thousand that may
 * move the worst are optimised alone.  The optimum is checked against plain sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/float_sums.h"
#include "plain_problem.h"
#include "random.h"
#include "smo/smo.h"
#include "source/float_source.h"
#include "unit.h"
#include "world.h"

enum { N = 4500, COLUMNS = 3 };

/*
 * More examples than a block, with features of small integers: many rows occur twice.  Labels
 * follow a sphere with much noise; equal rows may have other labels.
 */
static void make_world(struct world *w, enum machine_type type, int most, double gamma, double c)
{
	double *full = full_zeros(N, COLUMNS);

	world_init(w, (struct problem_view){ .type = type,
					     .kernel = { KERNEL_RBF, 0, gamma, 0 },
					     .n = N,
					     .c_plus = c,
					     .epsilon = 0.1 });
	for (int64_t k = 0; k < N * COLUMNS; k++)
		full[k] = 1 + (double)random_below(most);
	world_rows(w, full, COLUMNS);
	for (int64_t i = 0; i < N; i++) {
		double norm2 = csr_row_norm2(&w->x, i);

		w->target[i] = type == MACHINE_C_SVC ?
				       ((norm2 < most * most) == (random_unit() < 0.8) ? 1 : -1) :
				       sin(norm2 / most) + random_between(-1, 1);
	}
}

static int solve(struct world *w, int n_threads, struct error *err)
{
	world_start_cold(w);
	return world_solve(w, smo_solver(100, n_threads), 1e-3, err);
}

/* Squared distances are integers below this. */
#define MOST_DISTANCE (COLUMNS * 60 * 60)

static int distance2(const double *x, const double *z)
{
	int sum = 0;

	for (int c = 0; c < COLUMNS; c++)
		sum += (int)((x[c] - z[c]) * (x[c] - z[c]));
	return sum;
}

/* f by plain sums, the optimality conditions, and what was said of f. */
static void check_optimal(const struct world *w, const char *what)
{
	static double f[N], value[MOST_DISTANCE];
	const double *x = w->x.val;
	double sum = plain_sum(w->beta, N), most = 0, violation;

	for (int d = 0; d < MOST_DISTANCE; d++)
		value[d] = exp(-w->p.kernel.gamma * d);
	memset(f, 0, sizeof(f));
	for (int64_t i = 0; i < N; i++) {
		for (int64_t j = 0; j < N; j++)
			if (w->beta[j] != 0)
				f[i] += w->beta[j] *
					value[distance2(x + COLUMNS * i, x + COLUMNS * j)];
		most = fmax(most, fabs(f[i] - w->f[i]));
	}
	violation = plain_violation(&w->p, w->beta, f);
	CHECK(violation <= 1.2e-3, "%s: violation %g", what, violation);
	CHECK(most <= 1e-4, "%s: decision values are %g off", what, most);
	CHECK(fabs(sum) <= 1e-9 * w->p.c_plus * N, "%s: sum of beta %g", what, sum);
}

/* In floats on one thread and on three; or in doubles. */
static void check_optimum(struct world *w, bool single, const char *what)
{
	static double first[N];
	struct error err = { 0 };

	if (single && !world_use_single(w))
		return;
	if (!CHECK(solve(w, single ? 1 : 3, &err) == 0, "%s: %s", what, err.text))
		return;
	check_optimal(w, what);
	if (!single)
		return;
	memcpy(first, w->beta, sizeof(first));
	CHECK(solve(w, 3, &err) == 0 && memcmp(first, w->beta, sizeof(first)) == 0,
	      "%s: three threads differ from one", what);
}

int main(void)
{
	static const struct {
		const char *what;
		enum machine_type type;
		int most;
		double gamma, c;
		bool single;
	} cases[] = {
		{ "near the identity", MACHINE_C_SVC, 60, 1, 10, true },
		{ "in doubles", MACHINE_C_SVC, 60, 1, 10, false },
		{ "equal rows", MACHINE_C_SVC, 12, 1, 10, true },
		{ "smooth", MACHINE_C_SVC, 60, 0.003, 1, true },
		{ "regression", MACHINE_EPSILON_SVR, 60, 0.5, 10, true },
		{ "equal rows, regression", MACHINE_EPSILON_SVR, 12, 0.5, 10, true },
	};
	const size_t step = UNIT_FINDS_RACES ? 6 : UNIT_IS_SANITIZED ? 4 : 1;
	struct world w;

	/* with a sanitizer one of classes and one of a regression; for races, which both would have, one */
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k += step) {
		make_world(&w, cases[k].type, cases[k].most, cases[k].gamma, cases[k].c);
		check_optimum(&w, cases[k].single, cases[k].what);
		world_free(&w);
	}
	return unit_report("blocks");
}
