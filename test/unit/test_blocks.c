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

enum { N = 4500, COLUMNS = 3 };

/* More examples than a block, with features of small integers: many rows occur twice. */
struct sample {
	struct problem_view view;
	struct csr x;
	struct float_vectors single;
	struct kernel_source floats; /* of these */
	int64_t row[N];
	double target[N], dense[N][COLUMNS], beta[N], f[N];
	struct iterate at; /* beta and f */
};

static void make_rows(struct sample *s, int most)
{
	struct error err = { 0 };

	for (int64_t i = 0; i < N; i++) {
		int64_t start[2] = { 0, COLUMNS };
		int32_t col[COLUMNS] = { 0, 1, 2 };

		for (int c = 0; c < COLUMNS; c++)
			s->dense[i][c] = 1 + (double)random_below(most);
		CHECK(csr_append(&s->x, 1, start, col, s->dense[i], &err) == 0, "%s", err.text);
		s->row[i] = i;
	}
}

/* Labels follow a sphere with much noise; equal rows may have other labels. */
static void make_sample(struct sample *s, enum machine_type type, int most, double gamma, double c)
{
	memset(s, 0, sizeof(*s));
	make_rows(s, most);
	for (int64_t i = 0; i < N; i++) {
		double norm2 = 0;

		for (int k = 0; k < COLUMNS; k++)
			norm2 += s->dense[i][k] * s->dense[i][k];
		s->target[i] = type == MACHINE_C_SVC ?
				       ((norm2 < most * most) == (random_unit() < 0.8) ? 1 : -1) :
				       sin(norm2 / most) + random_between(-1, 1);
	}
	s->view = (struct problem_view){ .type = type,
					 .kernel = { KERNEL_RBF, 0, gamma, 0 },
					 .x = &s->x,
					 .row = s->row,
					 .target = s->target,
					 .n = N,
					 .c_plus = c,
					 .c_minus = c,
					 .epsilon = type == MACHINE_C_SVC ? 0 : 0.1 };
}

static void free_sample(struct sample *s)
{
	float_vectors_free(&s->single);
	csr_free(&s->x);
}

static int solve(struct sample *s, int n_threads, struct error *err)
{
	struct solver solver = smo_solver(100, n_threads);

	memset(s->beta, 0, sizeof(s->beta));
	memset(s->f, 0, sizeof(s->f));
	s->at = (struct iterate){ .beta = s->beta, .f = s->f };
	return solver.solve(&solver, &s->view, 1e-3, &s->at, err);
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
static void check_optimal(const struct sample *s, const char *what)
{
	static double f[N], value[MOST_DISTANCE];
	double sum = 0, most = 0, violation;

	for (int d = 0; d < MOST_DISTANCE; d++)
		value[d] = exp(-s->view.kernel.gamma * d);
	memset(f, 0, sizeof(f));
	for (int64_t i = 0; i < N; i++) {
		sum += s->beta[i];
		for (int64_t j = 0; j < N; j++)
			if (s->beta[j] != 0)
				f[i] += s->beta[j] * value[distance2(s->dense[i], s->dense[j])];
		most = fmax(most, fabs(f[i] - s->f[i]));
	}
	violation = plain_violation(&s->view, s->beta, f);
	CHECK(violation <= 1.2e-3, "%s: violation %g", what, violation);
	CHECK(most <= 1e-4, "%s: decision values are %g off", what, most);
	CHECK(fabs(sum) <= 1e-9 * s->view.c_plus * N, "%s: sum of beta %g", what, sum);
}

/* In floats on one thread and on three; or in doubles. */
static void check_optimum(struct sample *s, bool single, const char *what)
{
	static double first[N];
	struct error err = { 0 };

	if (!CHECK(float_vectors_init(&s->single, &s->x, &s->view.kernel, &err) == 0, "%s: unfit",
		   what))
		return;
	s->floats = float_source_make(&s->single, &plain_source);
	s->view.source = single ? &s->floats : NULL;
	if (!CHECK(solve(s, single ? 1 : 3, &err) == 0, "%s: %s", what, err.text))
		return;
	check_optimal(s, what);
	if (!single)
		return;
	memcpy(first, s->beta, sizeof(first));
	CHECK(solve(s, 3, &err) == 0 && memcmp(first, s->beta, sizeof(first)) == 0,
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
	static struct sample s;

	/* with a sanitizer one of classes and one of a regression */
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k += UNIT_IS_SANITIZED ? 4 : 1) {
		make_sample(&s, cases[k].type, cases[k].most, cases[k].gamma, cases[k].c);
		check_optimum(&s, cases[k].single, cases[k].what);
		free_sample(&s);
	}
	return unit_report("blocks");
}
