/*
 * test_squared.c - squared losses: the linear engine against the conditions of the optimum
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear_sample.h"
#include "proof/certificate.h"
#include "random.h"
#include "unit.h"

enum { MAX_COLUMNS = 2001 };

static void make_sample(struct linear_sample *s, enum machine_type type, int64_t n, int32_t n_cols,
			double density)
{
	memset(s, 0, sizeof(*s));
	random_rows(&s->x, n, n_cols, density);
	linear_sample_finish(s, type, 2);
	s->view.squared_loss = true;
}

static int solve(struct linear_sample *s, int epochs, int n_threads)
{
	struct linear_options o = {
		.eps = 1e-3, .n_threads = n_threads, .seed = 1, .epochs = epochs
	};
	struct error err = { 0 };
	int ret = linear_solve(&s->view, &o, s->beta, s->f, &s->result, &err);

	CHECK(ret == 0, "%d %s", ret, err.text);
	return ret;
}

/*
 * What makes (w, b) the minimum of a convex function and beta that of its dual, by plain loops and
 * to within 'tolerance': with r_i = t_i - w.x_i - b and w = sum_i beta_i x_i,
 *
 *     beta_i = 2 C_i (|r_i| - epsilon)_+ sign(r_i), for C-SVC on the side of the class alone;
 *     sum_i beta_i = 0
 */
static void expect_optimum(const struct linear_sample *s, double tolerance, const char *what)
{
	const struct problem_view *p = &s->view;
	double w[MAX_COLUMNS] = { 0 }, sum = 0, size = 1;

	for (int64_t i = 0; i < p->n; i++) {
		for (int64_t k = s->x.row_start[i]; k < s->x.row_start[i + 1]; k++)
			w[s->x.col[k]] += s->beta[i] * s->x.val[k];
		sum += s->beta[i];
		size = fmax(size, fabs(s->beta[i]));
	}
	CHECK(fabs(sum) <= 1e-9 * size * (double)p->n, "%s: the sum is %g", what, sum);
	for (int64_t i = 0; i < p->n; i++) {
		double f = csr_row_dot(&s->x, i, w), r = p->target[i] - f + s->result.rho;
		double over = fabs(r) - p->epsilon, c = r > 0 ? p->c_plus : p->c_minus;
		bool counts = over > 0 && (p->type == MACHINE_EPSILON_SVR || r * p->target[i] > 0);
		double wanted = counts ? copysign(2 * c * over, r) : 0;

		if (p->type == MACHINE_EPSILON_SVR)
			wanted = counts ? copysign(2 * p->c_plus * over, r) : 0;
		CHECK(fabs(s->beta[i] - wanted) <= 2 * fmax(p->c_plus, p->c_minus) * tolerance,
		      "%s, row %d: %.9g, not %.9g", what, (int)i, s->beta[i], wanted);
		CHECK(fabs(s->f[i] - f) <= 1e-6 * (1 + fabs(f)), "%s: f", what);
	}
}

static void test_optimum(void)
{
	static const double costs[] = { 1e-3, 0.1, 1, 30, 1e4 };
	struct linear_sample s;
	char what[100];

	for (int number = 0; number < 60; number++) {
		enum machine_type type = number % 2 ? MACHINE_EPSILON_SVR : MACHINE_C_SVC;
		bool wide = number % 3 == 2;

		make_sample(&s, type, 150 + number, wide ? 2000 : 20, wide ? 0.02 : 0.5);
		s.view.c_plus = s.view.c_minus = costs[number / 2 % 5];
		if (type == MACHINE_C_SVC && number % 4 == 0)
			s.view.c_minus *= 7;
		snprintf(what, sizeof(what), "%s, C = %g and %g, %s",
			 number % 2 ? "regression" : "classes", s.view.c_plus, s.view.c_minus,
			 wide ? "wide" : "narrow");
		if (solve(&s, 0, 1) == 0)
			expect_optimum(&s, 1e-3, what);
		linear_sample_free(&s);
	}
}

/* A class that weighs nothing has no multipliers, nor have the others then, as their sum is 0. */
static void test_no_weight(void)
{
	struct linear_sample s;

	make_sample(&s, MACHINE_C_SVC, 50, 5, 1);
	s.view.c_minus = 0;
	if (solve(&s, 0, 1) == 0)
		for (int64_t i = 0; i < s.view.n; i++)
			CHECK(s.beta[i] == 0, "%g", s.beta[i]);
	linear_sample_free(&s);
}

/* Descent alone, as several machines with the same rows are solved. */
static void test_descent(void)
{
	struct linear_sample s;

	for (int number = 0; number < 6; number++) {
		make_sample(&s, number % 2 ? MACHINE_EPSILON_SVR : MACHINE_C_SVC, 300, 1500, 0.02);
		s.view.c_plus = s.view.c_minus = number < 3 ? 0.1 : 10;
		if (solve(&s, 1000, 1) == 0)
			expect_optimum(&s, 0.1, "descent");
		linear_sample_free(&s);
	}
}

/* P and D of the multipliers, from their definitions. */
static void test_certificate(void)
{
	struct linear_sample s;

	for (int number = 0; number < 10; number++) {
		struct iterate x = { 0 };
		struct certificate c;
		struct error err = { 0 };
		double primal = 0, dual = 0;

		make_sample(&s, number % 2 ? MACHINE_EPSILON_SVR : MACHINE_C_SVC, 200, 10, 0.6);
		s.view.c_plus = 3;
		s.view.c_minus = number % 2 ? 3 : 0.5;
		solve(&s, 0, 1);
		x = (struct iterate){ .beta = s.beta, .f = s.f, .rho = s.result.rho };
		for (int64_t i = 0; i < s.view.n; i++) {
			double r = s.target[i] - s.f[i] + x.rho, beta = s.beta[i];
			double c_i = number % 2 || s.target[i] > 0 ? s.view.c_plus : s.view.c_minus;
			double loss = fabs(r) - s.view.epsilon;

			if (loss > 0 && (number % 2 || r * s.target[i] > 0))
				primal += c_i * loss * loss;
			primal += beta * s.f[i] / 2;
			dual += s.target[i] * beta - s.view.epsilon * fabs(beta) -
				beta * beta / (4 * c_i) - beta * s.f[i] / 2;
		}
		CHECK(certificate_make(&s.view, &x, 1e-3, &c, &err) == 0, "%s", err.text);
		CHECK(fabs(c.primal - primal) <= 1e-9 * primal, "%.12g, not %.12g", c.primal,
		      primal);
		CHECK(fabs(c.dual - dual) <= 1e-9 * dual, "%.12g, not %.12g", c.dual, dual);
		CHECK(c.primal - c.dual <= 1e-6 * c.primal && c.n_violators == 0 &&
			      c.n_bounded_sv == 0,
		      "gap %g, %d violators", c.primal - c.dual, (int)c.n_violators);
		linear_sample_free(&s);
	}
}

static void test_same_bits(void)
{
	struct linear_sample s;
	double *beta;
	size_t size;

	make_sample(&s, MACHINE_C_SVC, 400, 2000, 0.2); /* enough entries for several threads */
	solve(&s, 0, 1);
	size = (size_t)s.view.n * sizeof(*beta);
	beta = malloc(size);
	memcpy(beta, s.beta, size);
	for (int n_threads = 2; n_threads <= 4; n_threads++) {
		solve(&s, 0, n_threads);
		CHECK(memcmp(beta, s.beta, size) == 0, "%d threads", n_threads);
	}
	free(beta);
	linear_sample_free(&s);
}

int main(void)
{
	test_optimum();
	test_no_weight();
	test_descent();
	test_certificate();
	test_same_bits();
	return unit_report("squared");
}
