/*
 * test_finish.c - small problems are solved to the last digits
 *
 * The oracle is the duality gap in long double, from the definitions of problem.h alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "random.h"
#include "smo/interior.h"
#include "smo/smo.h"
#include "train/solve.h"
#include "unit.h"
#include "world.h"

enum { MOST = 160, FEATURES = 4 };

static const enum machine_type machines[] = { MACHINE_C_SVC, MACHINE_NU_SVC, MACHINE_ONE_CLASS,
					      MACHINE_EPSILON_SVR, MACHINE_NU_SVR };
static const char *const machine_names[] = { "C-SVC", "nu-SVC", "one-class", "epsilon-SVR",
					     "nu-SVR" };

static void set_sums(struct problem_view *p, double nu)
{
	double n = (double)p->n;

	if (p->type == MACHINE_ONE_CLASS)
		p->sum_plus = nu * n;
	else if (p->type == MACHINE_NU_SVC)
		p->sum_plus = p->sum_minus = nu * n / 2;
	else if (p->type == MACHINE_NU_SVR)
		p->sum_plus = p->sum_minus = p->c_plus * nu * n / 2;
}

/* Every fifth row is that of another, with a label of its own. */
static void make(struct world *w, enum machine_type type, enum kernel_type kernel, int64_t n,
		 double c)
{
	bool has_c = type == MACHINE_C_SVC || machine_is_regression(type);
	double *x = full_zeros(n, FEATURES);

	world_init(w, (struct problem_view){ .type = type,
					     .kernel = { kernel, 3, 0.5, 1 },
					     .n = n,
					     .c_plus = has_c ? c : 1,
					     .c_minus = type == MACHINE_C_SVC ? 3 * c : 1,
					     .epsilon = 0.1 });
	set_sums(&w->p, 0.3);
	for (int64_t i = 0; i < n; i++) {
		double *row = x + i * FEATURES;

		for (int j = 0; j < FEATURES; j++)
			row[j] = i % 5 == 4 ? row[j - FEATURES * (1 + i % 4)] :
					      random_between(-1, 1);
		if (type == MACHINE_ONE_CLASS)
			w->target[i] = 1;
		else if (machine_is_regression(type))
			w->target[i] = sin(3 * row[0]) + row[1] + random_between(-0.2, 0.2);
		else
			w->target[i] = i % 2 ? 1 : -1;
		row[0] += type == MACHINE_C_SVC || type == MACHINE_NU_SVC ? w->target[i] / 2 : 0;
	}
	world_rows(w, x, FEATURES);
}

/* f = sin(x) / x without noise: most multipliers are free, on a face of hardly any curvature. */
static void make_sinc(struct world *w, enum machine_type type, int64_t n, double c)
{
	double *x = full_zeros(n, 1);

	world_init(w, (struct problem_view){ .type = type,
					     .kernel = { KERNEL_RBF, 3, 1, 0 },
					     .n = n,
					     .c_plus = c,
					     .epsilon = 0 });
	set_sums(&w->p, 0.9);
	for (int64_t i = 0; i < n; i++) {
		x[i] = -10 + 20 * ((double)i + 0.5) / (double)n;
		w->target[i] = sin(x[i]) / x[i];
	}
	world_rows(w, x, 1);
}

/* ---- the oracle ---- */

struct bounds {
	long double primal, dual;
	long double rounding; /* of doubles that decision values are */
	double misfit;	      /* largest excess over a bound or a sum, in C */
};

static struct bounds find_bounds(const struct world *w)
{
	const struct problem_view *p = &w->p;
	double b = -w->at.rho, epsilon = problem_at(p, &w->at).epsilon;
	struct bounds o = { 0 };
	long double square = 0, plus = 0, minus = 0;
	int d;
	double *x = plain_examples(p, &d);

	for (int64_t i = 0; i < p->n; i++) {
		long double f = 0, size = 0, u, linear = problem_linear(p, i);
		double beta = w->beta[i], upper = problem_upper(p, i), lower = problem_lower(p, i);

		for (int64_t j = 0; j < p->n; j++) {
			long double k = plain_kernel(&p->kernel, x + i * d, x + j * d, d);

			f += w->beta[j] * k;
			size += fabsl(w->beta[j] * k);
		}
		u = linear - f;
		square += beta * f;
		o.primal += upper * fmaxl(0, u - b - epsilon) - lower * fmaxl(0, b - epsilon - u);
		o.dual += linear * beta - problem_cost(p) * fabs(beta);
		o.rounding += 8 * DBL_EPSILON * size * (upper - lower);
		o.misfit = fmax(o.misfit, fmax(beta - upper, lower - beta) / (upper - lower));
		plus += fmax(beta, 0);
		minus += fmax(-beta, 0);
	}
	o.primal += square / 2 + p->sum_plus * (b + epsilon) - p->sum_minus * (b - epsilon);
	o.dual -= square / 2;
	if (p->type == MACHINE_NU_SVR)
		o.misfit = fmax(o.misfit, (double)(plus - p->sum_plus) / p->c_plus);
	else if (problem_fixes_sums(p))
		o.misfit = fmax(o.misfit, (double)fabsl(plus - p->sum_plus) / p->c_plus);
	if (p->type != MACHINE_ONE_CLASS)
		o.misfit = fmax(o.misfit, (double)fabsl(plus - minus) / p->c_plus);
	free(x);
	return o;
}

/* ---- solving ---- */

static int solve(struct world *w, bool finishes, double gap, int n_threads,
		 struct randsvm_result *result, struct error *err)
{
	struct solver solver = smo_solver(100, n_threads);
	struct randsvm_options options = { .mode = WORKING_SET_EXACT,
					   .seed = 1,
					   .eps = 1e-3,
					   .gap = gap,
					   .finishes = finishes,
					   .n_threads = n_threads };
	struct randsvm_task task = { .p = &w->p,
				     .solver = &solver,
				     .options = &options,
				     .x = { .beta = w->beta, .f = w->f } };
	int ret = randsvm_solve(&task, err);

	w->at = task.x;
	*result = task.result;
	return ret;
}

static bool train(struct world *w, bool finishes, int n_threads, struct randsvm_result *result)
{
	struct error err = { 0 };

	return CHECK(solve(w, finishes, finishes ? 1e-9 : 0, n_threads, result, &err) == 0, "%s",
		     err.text);
}

static void check_gap(const struct world *w, const struct randsvm_result *result, const char *what)
{
	struct bounds o = find_bounds(w);
	long double gap = o.primal - o.dual, most = 1e-9L * fabsl(o.primal) + o.rounding;

	CHECK(gap <= most && gap >= -o.rounding && o.misfit <= 1e-12,
	      "%s, C %g: gap %Lg of %Lg, rounding %Lg, beyond bounds by %g", what, w->p.c_plus, gap,
	      o.primal, o.rounding, o.misfit);
	CHECK(result->certificate.n_violators == 0, "%s, C %g: %" PRId64 " violate", what,
	      w->p.c_plus, result->certificate.n_violators);
}

/* Without the finish hardly any comes as far, so that check_gap() tells something. */
static void test_machines(void)
{
	int n_coarse = 0, n_all = 0;

	for (int m = 0; m < 5; m++)
		for (int kernel = KERNEL_LINEAR; kernel <= KERNEL_RBF; kernel++)
			for (double c = 1e-3; c <= 1e6; c *= 1000) {
				struct randsvm_result result;
				struct bounds o;
				struct world w;

				make(&w, machines[m], (enum kernel_type)kernel, 90, c);
				if (train(&w, true, 1, &result))
					check_gap(&w, &result, machine_names[m]);
				train(&w, false, 1, &result);
				o = find_bounds(&w);
				n_coarse +=
					o.primal - o.dual > 1e-9L * fabsl(o.primal) + o.rounding;
				n_all++;
				world_free(&w);
			}
	CHECK(n_coarse > n_all / 2, "only %d of %d need the finish", n_coarse, n_all);
}

static void test_sinc(void)
{
	for (int m = 3; m < 5; m++)
		for (int64_t n = 80; n <= 150; n += 70) {
			struct randsvm_result result;
			struct world w;

			make_sinc(&w, machines[m], n, 100);
			if (train(&w, true, 1, &result)) {
				check_gap(&w, &result, machine_names[m]);
				CHECK(certificate_relative_gap(&result.certificate) <= 1e-8,
				      "%" PRId64 " rows, %s: gap %g", n, machine_names[m],
				      certificate_relative_gap(&result.certificate));
			}
			world_free(&w);
		}
}

/* The interior point method alone, of all machines: no SMO comes after it. */
static void test_interior(void)
{
	for (int m = 0; m < 5; m++)
		for (double c = 0.01; c <= 1e4; c *= 100) {
			struct error err = { 0 };
			struct certificate certificate;
			struct world w;

			make(&w, machines[m], KERNEL_RBF, 90, c);
			CHECK(interior_solve(&w.p, 1, NULL, &w.at, &err) == 0, "%s", err.text);
			plain_values(&w.p, w.beta, w.f);
			certificate_thresholds(&w.p, &w.at, &err);
			CHECK(certificate_make(&w.p, &w.at, 1e-3, &certificate, &err) == 0, "%s",
			      err.text);
			CHECK(certificate_relative_gap(&certificate) <= 1e-8, "%s, C %g: gap %g",
			      machine_names[m], c, certificate_relative_gap(&certificate));
			world_free(&w);
		}
}

static void test_same_bits(void)
{
	struct randsvm_result result;
	struct world a, b;

	make_sinc(&a, MACHINE_EPSILON_SVR, MOST, 100);
	make_sinc(&b, MACHINE_EPSILON_SVR, MOST, 100);
	train(&a, true, 1, &result);
	train(&b, true, 3, &result);
	CHECK(memcmp(a.beta, b.beta, MOST * sizeof(*a.beta)) == 0 && a.at.rho == b.at.rho,
	      "other bits on three threads");
	world_free(&a);
	world_free(&b);
}

static int finish_again(void *arg, struct error *err)
{
	struct world *w = arg;

	world_start_cold(w);
	return interior_solve(&w->p, 1, NULL, &w->at, err);
}

static void test_memory(void)
{
	struct world w;

	make_sinc(&w, MACHINE_NU_SVR, 40, 1);
	CHECK(fail_each_allocation("interior point", finish_again, &w) > 20, "few allocations");
	world_free(&w);
}

static int solve_coarsely(void *arg, struct error *err)
{
	struct randsvm_result result;

	return solve(arg, false, 1e-9, 1, &result, err);
}

/* The digits that memory does for: a training that has a solution does not fail. */
static void test_little_memory(void)
{
	struct randsvm_result coarse, result;
	struct error err = { 0 };
	struct world w;
	int64_t n;
	double gap = INFINITY, misfit;

	make_sinc(&w, MACHINE_EPSILON_SVR, 40, 100);
	n = fail_each_allocation("training", solve_coarsely, &w);
	CHECK(solve(&w, false, 1e-9, 1, &coarse, &err) == 0, "%s", err.text);
	misfit = find_bounds(&w).misfit;
	for (int k = 0; k < 200 && gap > 1e-9; k++, n++) {
		mem_fail_after(n);
		CHECK(solve(&w, true, 1e-9, 1, &result, &err) == 0, "%" PRId64 " allocations: %s",
		      n, err.text);
		mem_fail_after(-1);
		gap = certificate_relative_gap(&result.certificate);
		CHECK(gap <= certificate_relative_gap(&coarse.certificate) &&
			      find_bounds(&w).misfit <= fmax(misfit, 1e-12),
		      "%" PRId64 " allocations: gap %g, beyond bounds by %g", n, gap,
		      find_bounds(&w).misfit);
	}
	CHECK(gap <= 1e-9 && certificate_relative_gap(&coarse.certificate) > 1e-6,
	      "gap %g, %g before", gap, certificate_relative_gap(&coarse.certificate));
	world_free(&w);
}

int main(void)
{
	test_machines();
	test_sinc();
	test_interior();
	test_same_bits();
	test_memory();
	test_little_memory();
	return unit_report("finish");
}
