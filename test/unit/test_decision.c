/*
 * test_decision.c - decision values kept up with multipliers that change, against plain loops
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "problem/decision.h"
#include "source/float_source.h"
#include "source/matrix_source.h"
#include "random.h"
#include "unit.h"

enum { N = 300, D = 4 };

struct world {
	struct problem_view p;
	struct csr x;
	struct float_vectors single;
	struct kernel_matrix wide;
	struct matrix_source by_matrix;
	struct kernel_source floats;
	int64_t row[N];
	double dense[N][D], target[N], beta[N], f[N];
};

/* With rows in single precision, or with the kernel matrix in double precision. */
static void world_init(struct world *w, bool by_matrix)
{
	struct error err = { 0 };

	memset(w, 0, sizeof(*w));
	for (int64_t i = 0; i < N; i++) {
		int64_t start[2] = { 0, D };
		int32_t col[D];

		for (int c = 0; c < D; c++) {
			col[c] = c;
			w->dense[i][c] = random_normal();
		}
		w->row[i] = i;
		w->target[i] = i % 2 ? 1 : -1;
		CHECK(csr_append(&w->x, 1, start, col, w->dense[i], &err) == 0, "%s", err.text);
	}
	w->p = (struct problem_view){ .type = MACHINE_C_SVC,
				      .kernel = { .type = KERNEL_RBF, .gamma = 0.2 },
				      .x = &w->x,
				      .row = w->row,
				      .target = w->target,
				      .n = N,
				      .c_plus = 100,
				      .c_minus = 100 };
	if (by_matrix) {
		CHECK(kernel_matrix_init_wide(&w->wide, &w->x, &w->p.kernel, 2, &err) == 0, "%s",
		      err.text);
		w->by_matrix = matrix_source_of_doubles(&w->wide, NULL, false);
		w->p.source = &w->by_matrix.base;
		return;
	}
	CHECK(float_vectors_init(&w->single, &w->x, &w->p.kernel, &err) == 0, "not single");
	w->floats = float_source_make(&w->single, &plain_source);
	w->p.source = &w->floats;
}

static void world_free(struct world *w)
{
	kernel_matrix_free(&w->wide);
	float_vectors_free(&w->single);
	csr_free(&w->x);
}

static double plain_value(const struct world *w, int64_t i)
{
	double sum = 0;

	for (int64_t j = 0; j < N; j++) {
		double d2 = 0;

		for (int c = 0; c < D; c++)
			d2 += (w->dense[i][c] - w->dense[j][c]) * (w->dense[i][c] - w->dense[j][c]);
		sum += w->beta[j] * exp(-w->p.kernel.gamma * d2);
	}
	return sum;
}

/* A tenth of the multipliers changes, again and again: errors do not add up without end. */
static void test_updates(bool by_matrix)
{
	static struct world w;
	struct decision_history h;
	struct error err = { 0 };
	double scratch[N], tolerance = 1e-3;
	struct iterate x = { .beta = w.beta, .f = w.f };
	int n_alike = 0;

	world_init(&w, by_matrix);
	CHECK(decision_history_init(&h, N, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < N; i++)
		w.beta[i] = w.target[i] * random_unit();
	for (int t = 0; t < 40; t++) {
		double worst = 0;

		CHECK(decision_update(&h, &w.p, &x, tolerance, 1 + t % 3, &err) == 0 &&
			      decision_values(&w.p, w.beta, tolerance, scratch, 1, &err) == 0,
		      "%s", err.text);
		for (int64_t i = 0; i < N; i++)
			worst = fmax(worst, fabs(w.f[i] - plain_value(&w, i)));
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
static void update_sixth(const struct world *w, struct decision_history *h, struct iterate *x,
			 int t)
{
	int64_t position[N];
	struct decision_rows rows = { position, 0, 1e-3, 1 + t % 3 };
	struct error err = { 0 };
	double worst = 0;

	for (int64_t i = t % 6; i < N; i += 6)
		position[rows.n++] = i;
	CHECK(decision_update_rows(h, &w->p, x, &rows, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < rows.n; k++)
		worst = fmax(worst, fabs(x->f[position[k]] - plain_value(w, position[k])));
	CHECK(worst <= rows.tolerance / 4, "rows of round %d: off by %g", t, worst);
	for (int64_t k = 0; k < rows.n; k++)
		CHECK(h->known[position[k]], "row %ld of round %d is not known", (long)k, t);
}

/* Rounds that evaluate some examples, then all: what is known of some is corrected. */
static void test_some_known(bool by_matrix)
{
	static struct world w;
	struct decision_history h;
	struct error err = { 0 };
	struct iterate x = { .beta = w.beta, .f = w.f };
	int n_partly = 0, n_anew = 0;

	world_init(&w, by_matrix);
	CHECK(decision_history_init(&h, N, &err) == 0, "%s", err.text);
	for (int t = 0; t < 40; t++) {
		/* every eighth time most multipliers change, and what is known is of no use */
		for (int64_t k = 0; k < (t % 8 == 0 ? 4 * N : N / 20); k++) {
			int64_t i = random_below(N);

			w.beta[i] = w.target[i] * random_unit();
		}
		if (t % 4 != 3) {
			int64_t before = h.n_known;

			update_sixth(&w, &h, &x, t);
			n_anew += h.n_known < before;
			continue;
		}
		n_partly += h.n_known > 0 && h.n_known < N;
		CHECK(decision_update(&h, &w.p, &x, 1e-3, 2, &err) == 0, "%s", err.text);
		for (int64_t i = 0; i < N; i++)
			CHECK(fabs(w.f[i] - plain_value(&w, i)) <= 2.5e-4 && h.known[i],
			      "round %d, example %ld: %g", t, (long)i, w.f[i]);
		CHECK(h.n_known == N, "%ld known of all", (long)h.n_known);
	}
	CHECK(n_partly >= 4 && n_anew >= 4, "partly %d times, anew %d times", n_partly, n_anew);
	decision_history_free(&h);
	world_free(&w);
}

/* K(x, x) handed in by row of the data is used, and is what would be computed. */
static void test_diagonal(void)
{
	static struct world w;
	struct kernel_source doubles;
	double diagonal[N];

	world_init(&w, false);
	w.p.kernel =
		(struct kernel){ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 1, .coef0 = 1 };
	for (int64_t i = 0; i < N; i++) {
		double norm2 = 0, *k = &diagonal[w.p.row[i]];

		for (int c = 0; c < D; c++)
			norm2 += w.dense[i][c] * w.dense[i][c];
		*k = problem_diagonal(&w.p, i);
		CHECK(fabs(*k - pow(norm2 + 1, 2)) <= 1e-12 * *k, "%g", *k);
	}
	CHECK(decision_choose_precision(&w.p, 1) && w.p.source->x_float, "C = 100 is too much");
	doubles = plain_source_with(diagonal);
	w.floats = float_source_make(&w.single, &doubles);
	diagonal[w.p.row[7]] = -1e9;
	CHECK(!decision_choose_precision(&w.p, 1) && !w.p.source->x_float,
	      "an error of 1e4 is not too much");
	world_free(&w);
}

static int update_once(void *arg, struct error *err)
{
	struct world *w = arg;
	struct decision_history h = { 0 };
	struct iterate x = { .beta = w->beta, .f = w->f };
	int64_t position[2] = { 3, 8 };
	struct decision_rows rows = { position, 2, 1e-3, 2 };
	int ret = decision_history_init(&h, N, err);

	/* of two examples, and of all with two known */
	if (ret == 0)
		ret = decision_update_rows(&h, &w->p, &x, &rows, err);
	if (ret == 0)
		ret = decision_update(&h, &w->p, &x, 1e-3, 2, err);
	decision_history_free(&h);
	return ret;
}

static void test_memory(void)
{
	static struct world w;

	world_init(&w, false);
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
