/*
 * test_linear.c - the linear engine against plain loops and against the kernel solver
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "linear/linear_direction.h"
#include "linear/linear_rows.h"
#include "linear/linear_work.h"
#include "linear_sample.h"
#include "matrix/dataset.h"
#include "plain_problem.h"
#include "proof/certificate.h"
#include "random.h"
#include "smo/smo.h"
#include "unit.h"

/* Of rows already in s->x. */
static void finish_sample(struct linear_sample *s, enum machine_type type, double c)
{
	linear_sample_finish(s, type, 1);
	s->view.c_plus = s->view.c_minus = c;
}

static void make_sample(struct linear_sample *s, enum machine_type type, int64_t n, int32_t n_cols,
			double density, double c)
{
	memset(s, 0, sizeof(*s));
	random_rows(&s->x, n, n_cols + 1, density);
	finish_sample(s, type, c);
}

/*
 * f_i = w.x_i, w = sum beta_j x_j, by plain loops; returns by how much another way to add may
 * differ: w rounded to doubles, and what linear_rows_sum() allows itself where the solver has been
 * asked for 'eps': (c) in linear_rows.c up to a tolerance, and above it what long doubles
 * cannot hold.
 */
static double evaluate_plainly(const struct linear_sample *s, double eps, double *f)
{
	const struct csr *x = &s->x;
	long double *w = calloc((size_t)x->n_cols, sizeof(*w)), added = 0, largest = 0, length = 0;

	for (int64_t i = 0; i < s->view.n; i++) {
		double norm = sqrt(csr_row_norm2(x, s->row[i]));

		length = fmaxl(length, norm);
		added += s->beta[i] != 0 ? (long double)fabs(s->beta[i]) * norm : 0;
		for (int64_t k = x->row_start[s->row[i]]; k < x->row_start[s->row[i] + 1]; k++)
			w[x->col[k]] += (long double)s->beta[i] * x->val[k];
	}
	for (int64_t i = 0; i < s->view.n; i++) {
		long double sum = 0, size = 0;

		for (int64_t k = x->row_start[s->row[i]]; k < x->row_start[s->row[i] + 1]; k++) {
			sum += w[x->col[k]] * x->val[k];
			size += fabsl(w[x->col[k]] * x->val[k]);
		}
		f[i] = (double)sum;
		largest = fmaxl(largest, size);
	}
	free(w);
	length = added > 0 ? added * length : 0; /* length may be infinite */
	return (double)(1e-14L * (1 + largest) +
			fminl(DBL_EPSILON * length, LINEAR_SUM_ERROR * eps + 1e-17L * length));
}

static void check_feasible(const struct linear_sample *s, const char *what)
{
	long double sum = 0, size = 0;

	for (int64_t i = 0; i < s->view.n; i++) {
		sum += s->beta[i];
		size += fabs(s->beta[i]);
		CHECK(s->beta[i] >= problem_lower(&s->view, i) &&
			      s->beta[i] <= problem_upper(&s->view, i),
		      "%s: beta %g", what, s->beta[i]);
	}
	CHECK(fabsl(sum) <= 1e-13 * size, "%s: sum of beta %Lg of %Lg", what, sum, size);
}

/* f as promised; returns how far the multipliers are from the optimum, by f as it is. */
static double check_values(const struct linear_sample *s, double eps, const char *what)
{
	double *f = malloc((size_t)s->view.n * sizeof(*f)), difference = 0, rounding, violation;

	rounding = evaluate_plainly(s, eps, f);
	for (int64_t i = 0; i < s->view.n; i++)
		difference = fmax(difference, fabs(f[i] - s->f[i]));
	CHECK(difference <= rounding, "%s: f differs by %g, rounding %g", what, difference,
	      rounding);
	CHECK(isfinite(s->result.rho), "%s: rho %g", what, s->result.rho);
	violation = plain_violation(&s->view, s->beta, f);
	free(f);
	return violation - 2 * rounding;
}

/* Feasible, f as promised, and optimal if it says so. */
static void check_solution(const struct linear_sample *s, int ret, double eps, const char *what)
{
	double violation = check_values(s, eps, what);

	check_feasible(s, what);
	CHECK(violation <= s->result.violation, "%s: violation %g, not %g", what, violation,
	      s->result.violation);
	if (ret == 0)
		CHECK(violation <= eps, "%s: violation %g, eps %g", what, violation, eps);
}

static double dual_of(const struct linear_sample *s)
{
	return certificate_dual(&s->view, s->beta, s->f);
}

static struct certificate certificate_of(const struct linear_sample *s)
{
	struct certificate c;
	struct error err = { 0 };

	CHECK(certificate_make(
		      &s->view,
		      &(struct iterate){ .beta = s->beta, .f = s->f, .rho = s->result.rho }, 1e-3,
		      &c, &err) == 0,
	      "%s", err.text);
	return c;
}

static double relative_gap(const struct linear_sample *s)
{
	struct certificate c = certificate_of(s);

	return certificate_relative_gap(&c);
}

/* The dual objective of the kernel solver, whose rows are floats: to within 1e-6. */
static double smo_dual(const struct linear_sample *s)
{
	struct linear_sample other = *s;
	struct solver smo = smo_solver(100, 1);
	struct error err = { 0 };
	struct iterate x;
	double dual;

	other.beta = calloc((size_t)s->view.n, sizeof(*other.beta));
	other.f = calloc((size_t)s->view.n, sizeof(*other.f));
	x = (struct iterate){ .beta = other.beta, .f = other.f };
	CHECK(smo.solve(&smo, &s->view, 1e-5, &x, &err) >= 0, "%s", err.text);
	evaluate_plainly(&other, 0, other.f);
	dual = dual_of(&other);
	free(other.beta);
	free(other.f);
	return dual;
}

static void test_against_smo(void)
{
	static const double costs[] = { 0.01, 1, 30, 1000 };
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };

	for (size_t t = 0; t < 2; t++)
		for (size_t c = 0; c < 4; c++) {
			struct linear_sample s;
			double wanted;
			char what[50];
			int ret;

			make_sample(&s, types[t], 120, 8, 0.5, costs[c]);
			if (types[t] == MACHINE_C_SVC)
				s.view.c_minus *= 0.3;
			snprintf(what, sizeof(what), "type %zu, C = %g", t, costs[c]);
			ret = linear_sample_solve(&s, 1e-5, 1);
			CHECK(ret == 0, "%s: not solved, violation %g", what, s.result.violation);
			check_solution(&s, ret, 1e-5, what);
			wanted = smo_dual(&s);
			/* the gap bounds D from above: the other solver's floats may end earlier */
			CHECK(dual_of(&s) >= wanted - 1e-6 * fabs(wanted), "%s: D %.9g, not %.9g",
			      what, dual_of(&s), wanted);
			CHECK(fabs(relative_gap(&s)) <= 1e-6, "%s: gap %g", what, relative_gap(&s));
			linear_sample_free(&s);
		}
}

/* Shapes that make each way to the Newton direction the one to take. */
static void test_directions(void)
{
	struct linear_sample s;
	int ret;

	make_sample(&s, MACHINE_C_SVC, 3000, 8, 0.7, 1);
	ret = linear_sample_solve(&s, 1e-4, 2);
	CHECK(ret == 0, "primal: violation %g", s.result.violation);
	check_solution(&s, ret, 1e-4, "primal");
	linear_sample_free(&s);

	make_sample(&s, MACHINE_C_SVC, 100, 3000, 0.02, 100);
	ret = linear_sample_solve(&s, 1e-4, 2);
	CHECK(ret == 0, "dual: violation %g", s.result.violation);
	check_solution(&s, ret, 1e-4, "dual");
	linear_sample_free(&s);

	make_sample(&s, MACHINE_EPSILON_SVR, 1500, 3000, 0.005, 0.3);
	ret = linear_sample_solve(&s, 1e-4, 2);
	CHECK(ret == 0, "gradients: violation %g", s.result.violation);
	check_solution(&s, ret, 1e-4, "gradients");
	linear_sample_free(&s);
}

/* The step by the way that is 'wanted', compared with the matrix times it. */
static void check_direction(const struct linear_rows *x, int64_t n_inside, const char *wanted)
{
	const double sigma = 3, tolerance = wanted[0] == 'c' ? 0.3 : 1e-9;
	struct linear_direction m = { 0 };
	struct error err = { 0 };
	double *gradient = calloc((size_t)x->d, sizeof(*gradient)), worst, *p, *image;
	struct linear_step step = {
		.sigma = sigma, .tau = 1e6, .gradient_w = gradient, .gradient_b = { 0.7 }
	};
	int64_t *inside = calloc((size_t)x->n, sizeof(*inside));
	int64_t taken;

	step.w = calloc((size_t)x->d, sizeof(*step.w));
	p = calloc((size_t)x->n, sizeof(*p));
	image = calloc((size_t)x->d, sizeof(*image));
	for (int64_t k = 0; k < n_inside; k++)
		inside[k] = k * x->n / n_inside;
	for (int64_t j = 0; j < x->d; j++)
		gradient[j] = random_normal();
	CHECK(linear_direction_find(&m, x, inside, n_inside, &step, &err) == 0, "%s", err.text);
	taken = wanted[0] == 'p' ? m.n_primal : wanted[0] == 'd' ? m.n_dual : m.n_conjugate;
	CHECK(taken == 1, "%s was not taken, but %" PRId64 " %" PRId64 " %" PRId64, wanted,
	      m.n_primal, m.n_dual, m.n_conjugate);
	worst = step.gradient_b[0] + step.b[0] / step.tau;
	for (int64_t j = 0; j < x->d; j++)
		image[j] = gradient[j] + step.w[j];
	for (int64_t k = 0; k < n_inside; k++) {
		p[k] = sigma * (linear_rows_dot(x, inside[k], step.w) + step.b[0]);
		linear_rows_axpy(x, inside[k], p[k], image);
		worst += p[k];
	}
	worst = fabs(worst);
	for (int64_t j = 0; j < x->d; j++)
		worst = fmax(worst, fabs(image[j]));
	CHECK(worst <= tolerance, "%s: residual %g", wanted, worst);
	linear_direction_free(&m);
	free(gradient);
	free(inside);
	free(step.w);
	free(p);
	free(image);
}

/* Two products that nearly cancel: of the difference of their features, 2^-26, no digit is lost. */
static void test_long_sum(void)
{
	const double a = 1.0 / 3, feature = 1e8 / 7;
	double val[] = { feature, nextafter(feature, INFINITY), 1 }, beta[] = { -a, a, 0 }, w[2];
	int64_t start[] = { 0, 1, 2, 3, 3 }, row[] = { 0, 1, 2, 3 };
	int32_t col[] = { 0, 0, 1 };
	struct csr x = { .n_rows = 4, .n_cols = 2, .row_start = start, .col = col, .val = val };
	struct linear_rows rows;
	struct error err = { 0 };
	double of_row[4] = { 0 }, want = a * (val[1] - val[0]);

	CHECK(linear_rows_init(&rows, &x, row, 4, NULL, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < 4; i++)
		of_row[i] = rows.order[i] < 3 ? beta[rows.order[i]] : 0;
	CHECK(linear_rows_sum(&rows, of_row, 1e-9, w, &err) == 0, "%s", err.text);
	CHECK(fabs(w[0] - want) <= 4 * DBL_EPSILON * want, "%.17g, not %.17g", w[0], want);
	linear_rows_free(&rows);
}

static void test_each_direction(void)
{
	for_each_direction(check_direction);
}

/* Threads do not change a bit; enough rows and entries for them to be used. */
static void test_same_bits(void)
{
	struct linear_sample s;
	double *beta, rho;
	int64_t n_iterations;

	make_sample(&s, MACHINE_C_SVC, 12000, 40, 0.6, 1);
	beta = malloc((size_t)s.view.n * sizeof(*beta));
	CHECK(linear_sample_solve(&s, 1e-3, 1) == 0, "violation %g", s.result.violation);
	memcpy(beta, s.beta, (size_t)s.view.n * sizeof(*beta));
	rho = s.result.rho;
	n_iterations = s.result.n_iterations;
	for (int n_threads = 2; n_threads <= 5; n_threads += 3) {
		linear_sample_solve(&s, 1e-3, n_threads);
		CHECK(memcmp(beta, s.beta, (size_t)s.view.n * sizeof(*beta)) == 0 &&
			      rho == s.result.rho && n_iterations == s.result.n_iterations,
		      "%d threads: %" PRId64 " and %" PRId64 " steps", n_threads,
		      s.result.n_iterations, n_iterations);
	}
	free(beta);
	linear_sample_free(&s);
}

/* The same rows from the last to the first, and moved by a constant. */
static void test_invariance(void)
{
	struct linear_sample s, other = { 0 };
	double wanted, moved[20];
	struct error err = { 0 };

	make_sample(&s, MACHINE_C_SVC, 250, 9, 1, 2);
	CHECK(linear_sample_solve(&s, 1e-6, 1) == 0, "violation %g", s.result.violation);
	wanted = dual_of(&s);
	for (int64_t i = 0; i < 250; i++) {
		int64_t r = s.x.row_start[249 - i], start[2] = { 0, s.x.row_start[250 - i] - r };

		for (int64_t k = 0; k < start[1]; k++)
			moved[k] = s.x.val[r + k] + 10;
		csr_append(&other.x, 1, start, s.x.col + r, moved, &err);
	}
	finish_sample(&other, MACHINE_C_SVC, 2);
	for (int64_t i = 0; i < 250; i++)
		other.target[i] = s.target[249 - i];
	CHECK(linear_sample_solve(&other, 1e-6, 1) == 0, "violation %g", other.result.violation);
	CHECK(fabs(dual_of(&other) - wanted) <= 1e-7 * wanted, "moved: D %.10g, not %.10g",
	      dual_of(&other), wanted);
	linear_sample_free(&other);
	linear_sample_free(&s);
}

static void test_duplicates(void)
{
	struct linear_sample s, twice;
	struct error err = { 0 };
	double wanted;

	make_sample(&s, MACHINE_EPSILON_SVR, 150, 6, 0.8, 2);
	CHECK(linear_sample_solve(&s, 1e-6, 1) == 0, "violation %g", s.result.violation);
	wanted = dual_of(&s);
	memset(&twice, 0, sizeof(twice));
	csr_append(&twice.x, 150, s.x.row_start, s.x.col, s.x.val, &err);
	csr_append(&twice.x, 150, s.x.row_start, s.x.col, s.x.val, &err);
	finish_sample(&twice, MACHINE_EPSILON_SVR, 1);
	for (int64_t i = 0; i < 300; i++)
		twice.target[i] = s.target[i % 150];
	CHECK(linear_sample_solve(&twice, 1e-6, 1) == 0, "violation %g", twice.result.violation);
	CHECK(fabs(dual_of(&twice) - wanted) <= 1e-7 * wanted, "twice: D %.10g, not %.10g",
	      dual_of(&twice), wanted);
	linear_sample_free(&s);
	linear_sample_free(&twice);
}

/* Columns far apart, and only some of the rows. */
static void test_subset(void)
{
	struct linear_sample s;
	int ret;

	make_sample(&s, MACHINE_C_SVC, 200, 10, 0.5, 1);
	for (int64_t k = 0; k < csr_n_entries(&s.x); k++)
		s.x.col[k] *= 200000000;
	s.x.n_cols = 2000000001;
	for (int64_t i = 0; i < 100; i++)
		s.row[i] = 2 * i + 1;
	s.target[0] = 1;
	s.target[1] = -1;
	s.view.n = 100;
	ret = linear_sample_solve(&s, 1e-5, 1);
	CHECK(ret == 0, "violation %g", s.result.violation);
	for (int64_t k = 0; k < csr_n_entries(&s.x); k++)
		s.x.col[k] /= 200000000;
	s.x.n_cols = 11;
	check_solution(&s, ret, 1e-5, "subset");
	linear_sample_free(&s);
}

static void check_hostile(struct linear_sample *s, const char *what)
{
	int ret = linear_sample_solve(s, 1e-3, 1);

	for (int64_t i = 0; i < s->view.n; i++)
		CHECK(isfinite(s->beta[i]) && isfinite(s->f[i]), "%s: beta %g, f %g", what,
		      s->beta[i], s->f[i]);
	check_solution(s, ret, 1e-3, what);
	linear_sample_free(s);
}

static void scale_column(struct linear_sample *s, int32_t column, double times, double plus)
{
	for (int64_t k = 0; k < csr_n_entries(&s->x); k++)
		if (s->x.col[k] == column || column == 0)
			s->x.val[k] = s->x.val[k] * times + plus;
}

static void test_hostile(void)
{
	static const double costs[] = { 1e-3, 1, 1e6 };
	struct linear_sample s;

	for (int k = 0; k < 3; k++) {
		make_sample(&s, MACHINE_C_SVC, 80, 5, 0.8, costs[k]);
		scale_column(&s, 2, 1e10, 0);
		check_hostile(&s, "a column of 1e10");
		make_sample(&s, MACHINE_EPSILON_SVR, 80, 5, 1, costs[k]);
		scale_column(&s, 3, 1e5, 1e7);
		check_hostile(&s, "an offset of 1e7");
		make_sample(&s, MACHINE_C_SVC, 80, 5, 1, costs[k]);
		scale_column(&s, 0, 0, 3);
		check_hostile(&s, "constant rows");
		make_sample(&s, MACHINE_EPSILON_SVR, 80, 5, 1, costs[k]);
		scale_column(&s, 0, 0, 0);
		check_hostile(&s, "zeros");
		make_sample(&s, MACHINE_C_SVC, 80, 5, 0, costs[k]);
		check_hostile(&s, "no entries");
		make_sample(&s, MACHINE_C_SVC, 80, 5, 1, costs[k]);
		for (int64_t i = 0; i < 80; i++)
			s.row[i] = i / 2;
		for (int64_t i = 0; i < 80; i++)
			s.target[i] = i % 2 ? 1 : -1;
		check_hostile(&s, "equal rows, opposite labels");
		make_sample(&s, MACHINE_C_SVC, 2, 5, 1, costs[k]);
		check_hostile(&s, "two rows");
		make_sample(&s, MACHINE_C_SVC, 60, 5, 1, costs[k]);
		scale_column(&s, 0, 1e200, 0);
		check_hostile(&s, "values of 1e200");
		make_sample(&s, MACHINE_EPSILON_SVR, 60, 5, 1, costs[k]);
		scale_column(&s, 0, 1e100, 0);
		check_hostile(&s, "values of 1e100");
		make_sample(&s, MACHINE_C_SVC, 60, 5, 1, costs[k]);
		scale_column(&s, 0, 1e-200, 0);
		check_hostile(&s, "values of 1e-200");
	}
}

/* Nothing to decide: the solution is 0. */
static void test_trivial(void)
{
	struct linear_sample s;

	make_sample(&s, MACHINE_C_SVC, 40, 5, 1, 1);
	for (int64_t i = 0; i < 40; i++)
		s.target[i] = 1;
	check_hostile(&s, "one class");
	make_sample(&s, MACHINE_C_SVC, 40, 5, 1, 1);
	s.view.c_plus = 0;
	check_hostile(&s, "C of one class 0");
	make_sample(&s, MACHINE_C_SVC, 40, 5, 1, 0);
	check_hostile(&s, "C 0");
	make_sample(&s, MACHINE_EPSILON_SVR, 40, 5, 1, 1);
	for (int64_t i = 0; i < 40; i++)
		s.target[i] = 7;
	CHECK(linear_sample_solve(&s, 1e-3, 1) == 0 && s.result.n_iterations == 0 &&
		      fabs(s.result.rho + 7) <= 0.3,
	      "constant target: rho %g", s.result.rho);
	check_hostile(&s, "constant target");
	make_sample(&s, MACHINE_EPSILON_SVR, 1, 5, 1, 1);
	check_hostile(&s, "one row");
}

static void test_interruption(void)
{
	struct linear_sample s;
	struct error err = { 0 };
	int n_asked = 0, ret;
	struct interruption third = { .requested = stop_at_third, .arg = &n_asked };
	struct linear_options o = { .eps = 1e-9, .n_threads = 1, .interruption = &third };
	double primal, dual, zero;

	make_sample(&s, MACHINE_C_SVC, 300, 10, 0.5, 100);
	memset(s.beta, 0, 300 * sizeof(*s.beta));
	memset(s.f, 0, 300 * sizeof(*s.f));
	zero = certificate_of(&s).primal;
	ret = linear_solve(&s.view, &o, s.beta, s.f, &s.result, &err);
	CHECK(ret == 1 && s.result.interrupted && n_asked == 3, "%d, asked %d times", ret, n_asked);
	check_values(&s, 1e-9, "interrupted");
	primal = certificate_of(&s).primal;
	CHECK(primal < zero, "interrupted: primal %g, that of w = 0 is %g", primal, zero);
	dual = s.result.dual;
	ret = linear_sample_solve(&s, 1e-9, 1);
	CHECK(ret == 0 && dual <= dual_of(&s) * (1 + 1e-9), "interrupted: dual %g, optimum %g",
	      dual, dual_of(&s));
	linear_sample_free(&s);
}

/* Where no objective is finite no trial is kept: multipliers are 0, and not what the caller's memory had. */
static void test_interrupted_overflow(void)
{
	struct linear_sample s;
	struct error err = { 0 };
	int n_asked = 2;
	struct interruption at_once = { .requested = stop_at_third, .arg = &n_asked };
	struct linear_options o = { .eps = 1e-9, .n_threads = 1, .interruption = &at_once };

	make_sample(&s, MACHINE_EPSILON_SVR, 300, 10, 0.5, 1e200);
	for (int i = 0; i < 300; i++) {
		s.target[i] *= 1e200;
		s.beta[i] = s.f[i] = 7;
	}
	CHECK(linear_solve(&s.view, &o, s.beta, s.f, &s.result, &err) == 1 && s.result.interrupted,
	      "not interrupted: %s", err.text);
	for (int i = 0; i < 300; i++)
		if (!CHECK(s.beta[i] == 0 && s.f[i] == 0, "%d: %g, %g", i, s.beta[i], s.f[i]))
			break;
	linear_sample_free(&s);
}

/* A set of the bundled data. */
static void test_a1a(void)
{
	struct linear_sample s = { 0 };
	struct dataset d = { 0 };
	struct input *input;
	struct rows_options options = { 0 };
	struct error err = { 0 };
	char path[4096];
	int ret;

	snprintf(path, sizeof(path), "%s/a1a.gz", getenv("T") ? getenv("T") : "testdata");
	if (!CHECK(input_open(&input, path, &err) == 0, "%s: %s", path, err.text))
		return;
	ret = dataset_read(&d, input, &options, NULL, 1, &err);
	input_close(input);
	if (!CHECK(ret == 0, "%s", err.text))
		return;
	s.x = d.x;
	finish_sample(&s, MACHINE_C_SVC, 1);
	memcpy(s.target, d.y, (size_t)s.view.n * sizeof(*d.y));
	ret = linear_sample_solve(&s, 1e-3, 2);
	CHECK(ret == 0, "violation %g", s.result.violation);
	check_solution(&s, ret, 1e-3, "a1a");
	CHECK(fabs(relative_gap(&s)) <= 1e-5, "gap %g", relative_gap(&s));
	CHECK(fabs(dual_of(&s) - smo_dual(&s)) <= 1e-6 * dual_of(&s), "D %.9g", dual_of(&s));
	free(d.y);
	linear_sample_free(&s);
}

static void test_memory(void)
{
	struct linear_sample s;

	make_sample(&s, MACHINE_C_SVC, 60, 8, 0.5, 1);
	CHECK(fail_each_allocation("linear", linear_sample_solve_again, &s) > 20,
	      "few allocations");
	linear_sample_free(&s);
	make_sample(&s, MACHINE_EPSILON_SVR, 30, 1200, 0.03, 10);
	CHECK(fail_each_allocation("linear, dual", linear_sample_solve_again, &s) > 20,
	      "few allocations");
	linear_sample_free(&s);
	make_sample(&s, MACHINE_C_SVC, 60, 8, 0.5, 1);
	for (int64_t k = 0; k < csr_n_entries(&s.x); k++)
		s.x.col[k] *= 200000000;
	s.x.n_cols = 1600000001;
	CHECK(fail_each_allocation("linear, far columns", linear_sample_solve_again, &s) > 20,
	      "few allocations");
	linear_sample_free(&s);
}

/*
 * Many rows of many columns: coordinate descent meets them in several blocks and fills its pack
 * more than once, and conjugate gradients find the direction.  The solution is optimal, and the same on
 * any number of threads.
 */
static void test_many_columns(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };

	for (size_t t = 0; t < 2; t += UNIT_FINDS_RACES ? 2 : 1) {
		struct linear_sample s;
		double *beta;
		int ret;

		make_sample(&s, types[t], 9000, 3000, 0.008, t == 0 ? 0.3 : 0.03);
		beta = malloc((size_t)s.view.n * sizeof(*beta));
		ret = linear_sample_solve(&s, 1e-3, 1);
		CHECK(ret == 0, "not solved, violation %g", s.result.violation);
		check_solution(&s, ret, 1e-3, "many columns");
		CHECK(fabs(relative_gap(&s)) <= 1e-5, "gap %g", relative_gap(&s));
		memcpy(beta, s.beta, (size_t)s.view.n * sizeof(*beta));
		linear_sample_solve(&s, 1e-3, 3);
		CHECK(!memcmp(beta, s.beta, (size_t)s.view.n * sizeof(*beta)), "other bits");
		free(beta);
		linear_sample_free(&s);
	}
}

enum { PACK_ROWS = 3000, PACK_COLUMNS = 40 };

/*
 * The product with a pack of a list of rows is that with the rows, to a float's digits, and the same
 * bits on any number of threads.
 */
static void check_pack(const struct linear_rows *rows, const char *what)
{
	struct linear_pack pack = { 0 };
	struct error err = { 0 };
	struct thread_team *team = thread_team_start(3, &err);
	int64_t list[PACK_ROWS], n = 0;
	double v[PACK_COLUMNS], sum[PACK_COLUMNS] = { 0 }, other_sum[PACK_COLUMNS] = { 0 };
	double same_sum[PACK_COLUMNS] = { 0 }, added[2] = { 0 }, other_added[2], same_added[2];
	double out[PACK_ROWS], weight[PACK_ROWS], tolerance = 1e-5 * rows->unit * PACK_ROWS;
	uint8_t side[PACK_ROWS];
	struct linear_square product = { .v = v,
					 .b = { rows->unit, -2 * rows->unit },
					 .factor = 0.5 / rows->unit,
					 .weight = weight,
					 .side = side };

	for (int64_t j = 0; j < rows->d; j++)
		v[j] = random_unit();
	for (int64_t k = 0; k < PACK_ROWS; k++)
		if (k % 3 != 1)
			list[n++] = k * 7 % PACK_ROWS;
	for (int64_t k = 0; k < n; k++) {
		weight[k] = random_unit();
		side[k] = random_unit() < 0.3;
	}
	CHECK(linear_pack_fill(&pack, rows, list, n, &err) == 0, "%s", err.text);
	CHECK(pack.n == n && pack.first[LINEAR_LISTS] == n, "%s: %d rows", what, (int)pack.n);
	for (int64_t k = 0, place = 0; k < n; k++) {
		while (k >= pack.first[place + 1])
			place++;
		CHECK(rows->list[pack.row[k]] == linear_list((int)place), "%s: row %d at place %d",
		      what, (int)pack.row[k], (int)place);
	}
	memcpy(list, pack.row, (size_t)n * sizeof(*list));
	linear_rows_times(rows, list, n, v, 0, out);
	for (int64_t k = 0; k < n; k++) {
		out[k] = (out[k] + product.b[side[k]]) * product.factor * weight[k];
		added[side[k]] += out[k];
	}
	linear_rows_add(rows, list, n, out, sum);
	linear_pack_square(&pack, NULL, &product, other_sum, other_added, rows->partial);
	linear_pack_square(&pack, team, &product, same_sum, same_added, rows->partial);
	CHECK(memcmp(other_sum, same_sum, sizeof(same_sum)) == 0 &&
		      memcmp(other_added, same_added, sizeof(same_added)) == 0,
	      "%s: other bits on three threads", what);
	for (int s = 0; s < 2; s++)
		CHECK(fabs(added[s] - other_added[s]) <= 1e-5 * PACK_ROWS, "%s: %g, not %g", what,
		      other_added[s], added[s]);
	for (int64_t j = 0; j < rows->d; j++)
		CHECK(fabs(sum[j] - other_sum[j]) <= tolerance, "%s: %g, not %g", what,
		      other_sum[j], sum[j]);
	linear_pack_free(&pack);
	thread_team_stop(team);
}

/* Floats hold entries of any size, as they are divided by the unit. */
static void test_pack(void)
{
	static const double scales[] = { 1, 1e-100, 1e200 };
	struct linear_rows rows;
	struct error err = { 0 };
	struct linear_sample s;

	for (size_t k = 0; k < 3; k++) {
		make_sample(&s, MACHINE_C_SVC, PACK_ROWS, PACK_COLUMNS - 1, 0.6, 1);
		scale_column(&s, 0, scales[k], 0);
		CHECK(linear_rows_init(&rows, &s.x, s.row, PACK_ROWS, NULL, &err) == 0, "%s",
		      err.text);
		check_pack(&rows, k == 0 ? "1" : k == 1 ? "1e-100" : "1e200");
		linear_rows_free(&rows);
		linear_sample_free(&s);
	}
}

/*
 * Rows of many entries are not copied if that would change nothing but their order, and their values where
 * a column is centred.
 */
static void test_shared(void)
{
	enum { ROWS = 41000, LENGTH = 100, COLUMNS = 1000 };
	int64_t *start = malloc((ROWS + 1) * sizeof(*start)), *row = malloc(ROWS * sizeof(*row));
	int32_t *col = malloc((size_t)ROWS * LENGTH * sizeof(*col));
	double *val = malloc((size_t)ROWS * LENGTH * sizeof(*val)), w[COLUMNS];
	struct csr x = { ROWS, COLUMNS, .row_start = start, .col = col, .val = val };

	for (int64_t i = 0; i < ROWS; i++)
		row[i] = ROWS - 1 - i;
	for (int64_t i = 0; i <= ROWS; i++)
		start[i] = i * LENGTH;
	for (int j = 0; j < COLUMNS; j++)
		w[j] = random_normal();
	/* variant 1 has a column to be centred, 2 a row twice, 3 lacks a row, 4 most columns */
	for (int variant = 0; variant < 5; variant++) {
		int step = variant == 1 ? 1 : 10;
		int64_t n = ROWS - (variant == 3);
		struct linear_rows rows;
		struct error err = { 0 };

		for (int64_t k = 0; k < (int64_t)ROWS * LENGTH; k++) {
			int64_t first = k / LENGTH % (variant == 4 ? 2 : step);

			col[k] = (int32_t)(first + k % LENGTH * step);
			val[k] = 1 + (double)(k % 7);
		}
		row[0] = ROWS - 1 - (variant == 2);
		x.n_cols = variant == 1 ? LENGTH : COLUMNS;
		if (!CHECK(linear_rows_init(&rows, &x, row, n, NULL, &err) == 0, "%s", err.text))
			break;
		CHECK(rows.shared == (variant <= 1) && (rows.val == val) == (variant == 0) &&
			      rows.centred == (variant == 1),
		      "variant %d", variant);
		for (int64_t i = 0; i < n && variant <= 1; i += 97) {
			double more = 0, norm2 = 0;

			for (int64_t j = 0; j < rows.d; j++)
				more += rows.centre[j] * w[j];
			for (int64_t k = rows.start[i]; k < rows.start[i + 1]; k++)
				norm2 += pow(val[k] - rows.centre[col[k]], 2);
			CHECK(fabs(linear_rows_dot(&rows, i, w) + more -
				   csr_row_dot(&x, row[rows.order[i]], w)) < 1e-9 &&
				      fabs(rows.norm2[i] - norm2) < 1e-9 * norm2,
			      "row %" PRId64, i);
		}
		for (int64_t j = 0; j < rows.d && variant == 1; j++) {
			double mean = 0;

			for (int64_t i = 0; i < ROWS; i++)
				mean += val[i * LENGTH + j] / ROWS;
			CHECK(fabs(rows.centre[j] - mean) < 1e-12 * mean, "mean of %d", (int)j);
		}
		linear_rows_free(&rows);
	}
	free(start);
	free(row);
	free(col);
	free(val);
}

int main(void)
{
	test_each_direction();
	test_long_sum();
	test_against_smo();
	test_directions();
	test_same_bits();
	test_invariance();
	test_duplicates();
	test_subset();
	test_hostile();
	test_trivial();
	test_interruption();
	test_interrupted_overflow();
	if (!UNIT_FINDS_RACES)
		test_a1a();
	test_memory();
	test_many_columns();
	test_pack();
	if (!UNIT_FINDS_RACES)
		test_shared();
	return unit_report("linear");
}
