/*
 * test_decision.c - decision values kept up with multipliers that change, against plain loops
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "problem/decision.h"
#include "source/float_source.h"
#include "source/matrix_source.h"
#include "random.h"
#include "unit.h"
#include "world.h"

enum { N = 300, D = 4 };

static int64_t room[N];

/* With rows in single precision, or with the kernel matrix in double precision. */
static void make_world(struct world *w, bool by_matrix)
{
	world_init(w, (struct problem_view){ .type = MACHINE_C_SVC,
					     .kernel = { .type = KERNEL_RBF, .gamma = 0.2 },
					     .n = N,
					     .c_plus = 100 });
	world_rows(w, full_normal(N, D), D);
	for (int64_t i = 0; i < N; i++)
		w->target[i] = i % 2 ? 1 : -1;
	if (by_matrix)
		world_use_matrix(w);
	else
		world_use_single(w);
}

/* A tenth of the multipliers changes, again and again: errors do not add up without end. */
static void test_updates(bool by_matrix)
{
	struct world w;
	struct decision_history h;
	struct error err = { 0 };
	double scratch[N], plain[N], tolerance = 1e-3;
	int n_alike = 0;

	make_world(&w, by_matrix);
	CHECK(decision_history_init(&h, N, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < N; i++)
		w.beta[i] = w.target[i] * random_unit();
	for (int t = 0; t < 40; t++) {
		double worst;

		CHECK(decision_update(&h, &w.p, &w.at, room, tolerance, 1 + t % 3, &err) == 0 &&
			      decision_values(&w.p, w.beta, tolerance, scratch, 1, &err) == 0,
		      "%s", err.text);
		plain_values(&w.p, w.beta, plain);
		worst = full_difference(w.f, plain, N);
		CHECK(worst <= tolerance / 4, "update %d: off by %g", t, worst);
		n_alike += memcmp(w.f, scratch, sizeof(scratch)) == 0;
		for (int64_t k = 0; k < N / 10; k++) {
			int64_t i = random_below(N);

			w.beta[i] = w.target[i] * random_unit();
		}
	}
	CHECK(n_alike >= 5, "from scratch %d times", n_alike);
	CHECK(n_alike < 20, "from scratch %d times", n_alike);
	decision_history_free(&h);
	world_free(&w);
}

/* A sixth of the examples, another one each time. */
static void update_sixth(struct world *w, struct decision_history *h, int t)
{
	int64_t position[N];
	double plain[N];
	struct decision_rows rows = { position, 0, 1e-3, 1 + t % 3 };
	struct error err = { 0 };
	double worst = 0;

	for (int64_t i = t % 6; i < N; i += 6)
		position[rows.n++] = i;
	CHECK(decision_update_rows(h, &w->p, &w->at, &rows, &err) == 0, "%s", err.text);
	plain_values(&w->p, w->beta, plain);
	for (int64_t k = 0; k < rows.n; k++)
		worst = fmax(worst, fabs(w->f[position[k]] - plain[position[k]]));
	CHECK(worst <= rows.tolerance / 4, "rows of round %d: off by %g", t, worst);
	for (int64_t k = 0; k < rows.n; k++)
		CHECK(h->known[position[k]], "row %ld of round %d is not known", (long)k, t);
}

/* Sum of |a_i - b_i|. */
static double distance(const double *a, const double *b)
{
	double sum = 0;

	for (int64_t i = 0; i < N; i++)
		sum += fabs(a[i] - b[i]);
	return sum;
}

/* Rounds that evaluate some examples, then all: what is known of some is corrected. */
static void test_some_known(bool by_matrix)
{
	struct world w;
	struct decision_history h;
	struct error err = { 0 };
	double plain[N], zeros[N] = { 0 };
	int n_partly = 0, n_anew = 0;

	make_world(&w, by_matrix);
	CHECK(decision_history_init(&h, N, &err) == 0, "%s", err.text);
	for (int t = 0; t < 40; t++) {
		double before, changed;

		/* every eighth time most multipliers change, and what is known is of no use */
		for (int64_t k = 0; k < (t % 8 == 0 ? 4 * N : N / 20); k++) {
			int64_t i = random_below(N);

			w.beta[i] = w.target[i] * random_unit();
		}
		if (t % 4 != 3) {
			int64_t before = h.n_known;

			update_sixth(&w, &h, t);
			n_anew += h.n_known < before;
			continue;
		}
		n_partly += h.n_known > 0 && h.n_known < N;
		before = h.summed;
		changed = distance(w.beta, h.beta);
		CHECK(decision_update(&h, &w.p, &w.at, room, 1e-3, 2, &err) == 0, "%s", err.text);
		plain_values(&w.p, w.beta, plain);
		for (int64_t i = 0; i < N; i++)
			CHECK(fabs(w.f[i] - plain[i]) <= 2.5e-4 && h.known[i],
			      "round %d, example %ld: %g", t, (long)i, w.f[i]);
		CHECK(h.n_known == N, "%ld known of all", (long)h.n_known);
		before = h.corrects ? before + changed : distance(w.beta, zeros);
		CHECK(fabs(w.at.summed - before) <= 1e-12 * before, "round %d: sums of %g, not %g",
		      t, w.at.summed, before);
	}
	CHECK(n_partly >= 4 && n_anew >= 4, "partly %d times, anew %d times", n_partly, n_anew);
	decision_history_free(&h);
	world_free(&w);
}

/* K(x, x) handed in by row of the data is used, and is what would be computed. */
static void test_diagonal(void)
{
	struct world w;
	struct kernel_source doubles;
	double diagonal[N];

	make_world(&w, false);
	w.p.kernel =
		(struct kernel){ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 1, .coef0 = 1 };
	for (int64_t i = 0; i < N; i++) {
		double wanted = plain_row_kernel(&w.p.kernel, &w.x, i, i), *k = &diagonal[i];

		*k = problem_diagonal(&w.p, i);
		CHECK(fabs(*k - wanted) <= 1e-12 * *k, "%g, not %g", *k, wanted);
	}
	decision_choose_precision(&w.p, 1);
	CHECK(decision_floats_fit(&w.p, 1) && world_uses_single(&w), "C = 100 is too much");
	doubles = plain_source_with(diagonal);
	w.by_single = float_source_make(&w.single, &doubles);
	diagonal[7] = -1e9;
	decision_choose_precision(&w.p, 1);
	CHECK(!decision_floats_fit(&w.p, 1) && !world_uses_single(&w),
	      "an error of 1e4 is not too much");
	world_free(&w);
}

static int update_once(void *arg, struct error *err)
{
	struct world *w = arg;
	struct decision_history h = { 0 };
	int64_t position[2] = { 3, 8 };
	struct decision_rows rows = { position, 2, 1e-3, 2 };
	int ret = decision_history_init(&h, N, err);

	/* of two examples, and of all with two known */
	if (ret == 0)
		ret = decision_update_rows(&h, &w->p, &w->at, &rows, err);
	if (ret == 0)
		ret = decision_update(&h, &w->p, &w->at, room, 1e-3, 2, err);
	decision_history_free(&h);
	return ret;
}

static void test_memory(void)
{
	struct world w;

	make_world(&w, false);
	w.beta[3] = 1;
	CHECK(fail_each_allocation("decision_update", update_once, &w) > 5, "few allocations");
	world_free(&w);
}

int main(void)
{
	test_updates(false);
	test_updates(true);
	test_some_known(false);
	test_some_known(true);
	test_diagonal();
	test_memory();
	return unit_report("decision");
}
