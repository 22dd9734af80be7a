/*
 * test_search_machine.c - one machine for growing C, by itself, against a training of each C alone
 *
 * The rows left out are predicted from multipliers of LIBSVM by plain sums; the search's come from
 * the solution before, and from a kernel matrix of all rows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "random.h"
#include "search/search_work.h"
#include "smo/smo.h"
#include "train/libsvm_adapter.h"
#include "unit.h"
#include "world.h"

enum { N = 160, N_OUT = 40, FIRST = 50, D = 3, N_C = 5, GIVEN_UP = 2 };

static const double values_of_c[N_C] = { 0.01, 0.5, 3, 20, 1000 };

#define EPS 1e-6

/* N rows, a problem of all but N_OUT of them, and the kernel of all. */
struct fold {
	struct world w;
	struct search_kernel kernel;
	struct solver solver;
	double value[N_C][N_OUT];
	struct search_figures figures[N_C];
};

static void make_fold(struct fold *f, enum machine_type type, struct kernel kernel)
{
	double *full = full_zeros(N, D);
	struct error err = { 0 };
	struct world *w = &f->w;

	memset(f, 0, sizeof(*f));
	/* c_plus and c_minus are those of C = 1 */
	world_init(w, (struct problem_view){ .type = type,
					     .kernel = kernel,
					     .n = N,
					     .c_plus = 1,
					     .c_minus = type == MACHINE_C_SVC ? 0.5 : 1,
					     .epsilon = 0.1 });
	for (int64_t i = 0; i < N; i++) {
		for (int j = 0; j < D; j++)
			full[i * D + j] = random_normal();
		w->target[i] = full[i * D] * full[i * D + 1] + 0.3 * random_normal();
		if (type == MACHINE_C_SVC)
			w->target[i] = w->target[i] > 0 ? 1 : -1;
	}
	world_rows(w, full, D);
	w->p.n = 0;
	for (int64_t i = 0; i < N; i++)
		if (i < FIRST || i >= FIRST + N_OUT) {
			w->target[w->p.n] = w->target[i];
			w->row[w->p.n++] = i;
		}
	CHECK(kernel_matrix_init_doubles(&f->kernel.matrix, &w->x, &kernel, 1, &err) == 0, "%s",
	      err.text);
	f->solver = smo_solver(10, 1);
}

static void free_fold(struct fold *f)
{
	kernel_matrix_free(&f->kernel.matrix);
	world_free(&f->w);
}

static int run(void *arg, struct error *err)
{
	struct fold *f = arg;
	const struct search_machine_options o = { .kernel = &f->kernel,
						  .solver = &f->solver,
						  .eps = EPS,
						  .c = values_of_c,
						  .n_c = N_C,
						  .first = FIRST,
						  .n_out = N_OUT };
	struct problem_view p = f->w.p;

	return search_machine_run(&p, &o, f->value[0], f->figures, err);
}

/* The decision values of the rows left out, of a training of one C alone. */
static void expect_as_alone(struct fold *f, int k)
{
	struct world *w = &f->w;
	const struct search_figures *figures = &f->figures[k];
	const struct problem_view at_one = w->p;
	struct error err = { 0 };

	w->p.c_plus *= values_of_c[k];
	w->p.c_minus *= values_of_c[k];
	world_start_cold(w);
	if (CHECK(world_solve(w, libsvm_solver(10, false), EPS, &err) == 0, "%s", err.text))
		for (int i = 0; i < N_OUT; i++) {
			double value = -w->at.rho;

			for (int64_t j = 0; j < w->p.n; j++)
				value += w->beta[j] * plain_row_kernel(&w->p.kernel, &w->x,
								       w->row[j], FIRST + i);
			CHECK(fabs(f->value[k][i] - value) <= 1e-3 * (1 + fabs(value)),
			      "C = %g: %g, not %g", values_of_c[k], f->value[k][i], value);
		}
	CHECK(!figures->is_unfinished && figures->failed.code == ERR_NONE && figures->seconds >= 0,
	      "C = %g: %s", values_of_c[k], figures->failed.text);
	w->p = at_one;
}

static void test_each_c(enum machine_type type, struct kernel kernel)
{
	struct fold f;
	struct error err = { 0 };

	make_fold(&f, type, kernel);
	if (CHECK(run(&f, &err) == 0, "%s", err.text))
		for (int k = 0; k < N_C; k++)
			expect_as_alone(&f, k);
	free_fold(&f);
}

/* A point given up keeps what was there; the others are what they would be. */
static void test_given_up(void)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.5 };
	struct fold f;
	struct error err = { 0 };

	make_fold(&f, MACHINE_C_SVC, rbf);
	f.figures[GIVEN_UP].given_up = true;
	for (int i = 0; i < N_OUT; i++)
		f.value[GIVEN_UP][i] = 77;
	if (CHECK(run(&f, &err) == 0, "%s", err.text))
		for (int k = 0; k < N_C; k++)
			if (k != GIVEN_UP)
				expect_as_alone(&f, k);
	for (int i = 0; i < N_OUT; i++)
		CHECK(f.value[GIVEN_UP][i] == 77, "given up, and %g", f.value[GIVEN_UP][i]);
	CHECK(f.figures[GIVEN_UP].seconds == 0, "given up after %g s", f.figures[GIVEN_UP].seconds);
	free_fold(&f);
}

static void test_memory(void)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.5 };
	struct fold f;

	make_fold(&f, MACHINE_EPSILON_SVR, rbf);
	CHECK(fail_each_allocation("search_machine_run", run, &f) > 3, "few allocations");
	free_fold(&f);
}

int main(void)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.5 };
	const struct kernel polynomial = {
		.type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.5, .coef0 = 1
	};

	test_each_c(MACHINE_C_SVC, rbf);
	test_each_c(MACHINE_C_SVC, polynomial);
	test_each_c(MACHINE_EPSILON_SVR, rbf);
	test_given_up();
	test_memory();
	return unit_report("search_machine");
}
