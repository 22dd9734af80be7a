/*
 * test_linear_nu.c - the linear engine on the machines of nu: one-class, nu-SVC and nu-SVR
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
#include "proof/certificate.h"
#include "random.h"
#include "unit.h"

static const enum machine_type machines[] = { MACHINE_ONE_CLASS, MACHINE_NU_SVC, MACHINE_NU_SVR };
static const char *const names[] = { "C-SVC", "nu-SVC", "one-class", "epsilon-SVR", "nu-SVR" };

enum { MAX_COLUMNS = 10 }; /* of the rows that pairs solve */

/* The sums for nu; nu-SVC's at most what the smaller class has. */
static void set_nu(struct linear_sample *s, double nu)
{
	struct problem_view *p = &s->view;
	double n_plus = 0, n = (double)p->n;

	for (int64_t i = 0; i < p->n; i++)
		n_plus += s->target[i] > 0;
	p->sum_plus = p->sum_minus = p->c_plus * nu * n / 2;
	if (p->type == MACHINE_ONE_CLASS) {
		p->sum_plus = nu * n;
		p->sum_minus = 0;
	}
	if (p->type == MACHINE_NU_SVC)
		p->sum_plus = p->sum_minus = fmin(p->sum_plus, fmin(n_plus, n - n_plus));
}

/* Of rows already in s->x. */
static void finish_sample(struct linear_sample *s, enum machine_type type, double nu, double c)
{
	linear_sample_finish(s, type, 1);
	if (type == MACHINE_NU_SVR)
		s->view.c_plus = s->view.c_minus = c;
	set_nu(s, nu);
}

/* Rows around a point that is not the origin, which one-class is about. */
static void make_sample(struct linear_sample *s, enum machine_type type, int64_t n, double nu,
			double c)
{
	memset(s, 0, sizeof(*s));
	random_rows(&s->x, n, 9, 0.6);
	for (int64_t k = 0; k < csr_n_entries(&s->x); k++)
		s->x.val[k] += type == MACHINE_ONE_CLASS ? 1.5 : 0;
	finish_sample(s, type, nu, c);
}

static int solve(struct linear_sample *s, double eps)
{
	return linear_sample_solve(s, eps, 1);
}

/* ---- by definition ---- */

/* f_i = w.x_i, w = sum beta_j x_j; returns how large the products are that it is the sum of. */
static double plain_values(const struct problem_view *p, const double *beta, double *f)
{
	const struct csr *x = p->x;
	double *w = calloc((size_t)x->n_cols, sizeof(*w)), largest = 0, added = 0, length = 0;

	for (int64_t i = 0; i < p->n; i++) {
		double norm = sqrt(csr_row_norm2(x, p->row[i]));

		added += fabs(beta[i]) * norm;
		length = fmax(length, norm);
		for (int64_t k = x->row_start[p->row[i]]; k < x->row_start[p->row[i] + 1]; k++)
			w[x->col[k]] += beta[i] * x->val[k];
	}
	for (int64_t i = 0; i < p->n; i++) {
		f[i] = csr_row_dot(x, p->row[i], w);
		largest = fmax(largest, fabs(f[i]));
	}
	free(w);
	return fmax(largest, added * length);
}

/*
 * The larger violation of the two sides: a multiplier of a regression is on the side of its sign, and
 * at 0 on both.
 */
static double plain_violation(const struct problem_view *p, const double *beta, const double *f)
{
	double up[2] = { -INFINITY, -INFINITY }, down[2] = { INFINITY, INFINITY };

	for (int64_t i = 0; i < p->n; i++) {
		double u = problem_linear(p, i) - f[i], b = beta[i];
		double upper = problem_upper(p, i), lower = problem_lower(p, i);

		if (upper > 0 && b >= 0 && b < upper)
			up[0] = fmax(up[0], u);
		if (b > 0)
			down[0] = fmin(down[0], u);
		if (b < 0)
			up[1] = fmax(up[1], u);
		if (lower < 0 && b <= 0 && b > lower)
			down[1] = fmin(down[1], u);
	}
	return fmax(up[0] - down[0], up[1] - down[1]);
}

static void check_feasible(const struct linear_sample *s, int ret, const char *what)
{
	const struct problem_view *p = &s->view;
	long double plus = 0, minus = 0, missing;

	for (int64_t i = 0; i < p->n; i++) {
		plus += fmax(s->beta[i], 0);
		minus += fmax(-s->beta[i], 0);
		CHECK(s->beta[i] >= problem_lower(p, i) && s->beta[i] <= problem_upper(p, i),
		      "%s: beta %g", what, s->beta[i]);
	}
	missing = p->sum_plus - plus;
	/* both sums may be less by the same on the way, and where the tube has no width */
	if (p->type != MACHINE_NU_SVR || (ret == 0 && s->result.epsilon > 1e-3))
		CHECK(fabsl(missing) <= 1e-10 * p->sum_plus, "%s: sum %Lg of %g", what, plus,
		      p->sum_plus);
	CHECK(missing >= -1e-10 * p->sum_plus, "%s: sum %Lg of %g", what, plus, p->sum_plus);
	CHECK(fabsl(missing - (p->sum_minus - minus)) <= 1e-10 * p->sum_plus, "%s: sums %Lg %Lg",
	      what, plus, minus);
}

/* Feasible, f as promised, and optimal if it says so. */
static void check_solution(const struct linear_sample *s, int ret, double eps, const char *what)
{
	const struct problem_view *p = &s->view;
	double *f = malloc((size_t)p->n * sizeof(*f)), difference = 0, size, violation;

	check_feasible(s, ret, what);
	size = plain_values(p, s->beta, f);
	for (int64_t i = 0; i < p->n; i++)
		difference = fmax(difference, fabs(f[i] - s->f[i]));
	/* f is target - residual */
	for (int64_t i = 0; i < p->n; i++)
		size += fabs(problem_linear(p, i)) / (double)p->n;
	CHECK(difference <= 1e-13 * size + LINEAR_SUM_ERROR * eps, "%s: f differs by %g of %g",
	      what, difference, size);
	violation = plain_violation(p, s->beta, f);
	if (ret == 0)
		CHECK(violation <= eps + 2 * difference, "%s: violation %g, eps %g", what,
		      violation, eps);
	CHECK(isfinite(s->result.rho) && isfinite(s->result.epsilon), "%s: rho %g", what,
	      s->result.rho);
	free(f);
}

static struct certificate certify(const struct linear_sample *s)
{
	struct iterate x = {
		.beta = s->beta, .f = s->f, .rho = s->result.rho, .epsilon = s->result.epsilon
	};
	struct certificate c;
	struct error err = { 0 };

	CHECK(certificate_make(&s->view, &x, 1e-3, &c, &err) == 0, "%s", err.text);
	return c;
}

/* ---- against pairs of multipliers ---- */

/* beta >= 0: all as they are filled in, in order, until they have the sum. */
static void fill(const struct problem_view *p, double *beta, int side)
{
	double left = side == 0 ? p->sum_plus : p->sum_minus;

	for (int64_t i = 0; i < p->n; i++) {
		double bound = side == 0 ? problem_upper(p, i) : -problem_lower(p, i);

		beta[i] = fmin(left, bound);
		left -= beta[i];
	}
}

/*
 * An independent solver: alpha[side][i] >= 0, beta = alpha[0] - alpha[1].  The pair of a side that
 * violates most moves until one ends or its u are equal; O(n) and a pass over the rows a step.
 */
static double pairs_dual(const struct linear_sample *s)
{
	const struct problem_view *p = &s->view;
	int64_t n = p->n;
	double *alpha[2], *beta = calloc((size_t)n, sizeof(*beta));
	double *f = calloc((size_t)n, sizeof(*f)), *k = calloc((size_t)(n * n), sizeof(*k)), dual;

	for (int side = 0; side < 2; side++) {
		alpha[side] = calloc((size_t)n, sizeof(double));
		fill(p, alpha[side], side);
	}
	for (int64_t i = 0; i < n; i++)
		beta[i] = alpha[0][i] - alpha[1][i];
	for (int64_t i = 0; i < n; i++) {
		double full[MAX_COLUMNS] = { 0 };

		for (int64_t e = p->x->row_start[p->row[i]]; e < p->x->row_start[p->row[i] + 1];
		     e++)
			full[p->x->col[e]] = p->x->val[e];
		for (int64_t j = 0; j < n; j++) {
			k[i * n + j] = csr_row_dot(p->x, p->row[j], full);
			f[i] += k[i * n + j] * beta[j];
		}
	}
	for (int turn = 0; turn < 1000000; turn++) {
		double worst = 0, step, room;
		int64_t from = 0, to = 0;
		int side = 0;

		for (int which = 0; which < 2; which++) {
			double sign = which == 0 ? 1 : -1, up = -INFINITY, down = INFINITY;
			int64_t i_up = 0, i_down = 0;

			for (int64_t i = 0; i < n; i++) {
				double u = sign * (problem_linear(p, i) - f[i]);
				double bound =
					which == 0 ? problem_upper(p, i) : -problem_lower(p, i);

				if (alpha[which][i] < bound && u > up) {
					up = u;
					i_up = i;
				}
				if (alpha[which][i] > 0 && u < down) {
					down = u;
					i_down = i;
				}
			}
			if (up - down > worst) {
				worst = up - down;
				to = i_up;
				from = i_down;
				side = which;
			}
		}
		if (worst <= 1e-7)
			break;
		step = worst /
		       fmax(k[to * n + to] + k[from * n + from] - 2 * k[to * n + from], 1e-12);
		room = (side == 0 ? problem_upper(p, to) : -problem_lower(p, to)) - alpha[side][to];
		step = fmin(step, fmin(room, alpha[side][from]));
		alpha[side][to] += step;
		alpha[side][from] -= step;
		for (int64_t i = 0; i < n; i++)
			f[i] += (side == 0 ? step : -step) * (k[i * n + to] - k[i * n + from]);
	}
	for (int64_t i = 0; i < n; i++)
		beta[i] = alpha[0][i] - alpha[1][i];
	dual = certificate_dual(p, beta, f);
	free(alpha[0]);
	free(alpha[1]);
	free(beta);
	free(f);
	free(k);
	return dual;
}

static void test_against_pairs(void)
{
	static const double nus[] = { 0.03, 0.2, 0.5, 0.9, 1 };

	for (size_t m = 0; m < 3; m++)
		for (size_t k = 0; k < 5; k++) {
			struct linear_sample s;
			struct certificate c;
			double wanted;
			char what[50];
			int ret;

			make_sample(&s, machines[m], 90, nus[k], 0.7);
			snprintf(what, sizeof(what), "%s, nu %g", names[machines[m]], nus[k]);
			ret = solve(&s, 1e-6);
			CHECK(ret == 0, "%s: not solved, violation %g", what, s.result.violation);
			check_solution(&s, ret, 1e-6, what);
			wanted = pairs_dual(&s);
			c = certify(&s);
			CHECK(fabs(c.dual - wanted) <= 1e-6 * (1e-3 + fabs(wanted)),
			      "%s: D %.10g, not %.10g", what, c.dual, wanted);
			CHECK(fabs(c.primal - c.dual) <= 1e-6 * (1e-3 + fabs(wanted)),
			      "%s: P %.10g, D %.10g", what, c.primal, c.dual);
			CHECK(c.n_violators == 0, "%s: %" PRId64 " violators", what, c.n_violators);
			linear_sample_free(&s);
		}
}

/* ---- identities ---- */

/* At most nu n rows are beyond their threshold, and at least nu n have a multiplier. */
static void test_fractions(void)
{
	for (size_t m = 0; m < 3; m++)
		for (double nu = 0.1; nu < 0.7; nu += 0.13) {
			struct linear_sample s;
			struct certificate c;
			double n_errors = 0, wanted;

			make_sample(&s, machines[m], 400, nu, 2);
			CHECK(solve(&s, 1e-7) == 0, "violation %g", s.result.violation);
			c = certify(&s);
			wanted = (s.view.sum_plus + s.view.sum_minus) / s.view.c_plus;
			for (int64_t i = 0; i < s.view.n; i++) {
				double u = problem_linear(&s.view, i) - s.f[i] + s.result.rho;
				double over = problem_upper(&s.view, i) > 0 ? u - s.result.epsilon :
									      -INFINITY;
				double under = problem_lower(&s.view, i) < 0 ?
						       -u - s.result.epsilon :
						       -INFINITY;

				n_errors += fmax(over, under) > 1e-6;
			}
			CHECK(n_errors <= wanted + 1e-6 && (double)c.n_sv >= wanted - 1e-6,
			      "%s, nu %g: %g errors, %" PRId64 " vectors of %g", names[machines[m]],
			      nu, n_errors, c.n_sv, wanted);
			linear_sample_free(&s);
		}
}

/* nu-SVC is C-SVC at C = 1 / r, with multipliers and decision values over r. */
static void test_as_c_svc(void)
{
	for (double nu = 0.5; nu < 0.9; nu += 0.09) {
		struct linear_sample s;
		struct linear_result found;
		double difference = 0, r;

		make_sample(&s, MACHINE_NU_SVC, 301, nu, 1);
		CHECK(solve(&s, 1e-8) == 0, "violation %g", s.result.violation);
		r = -s.result.epsilon;
		if (CHECK(r > 0.1, "r %g", r)) {
			double *f = malloc((size_t)s.view.n * sizeof(*f));

			memcpy(f, s.f, (size_t)s.view.n * sizeof(*f));
			found = s.result;
			s.view.type = MACHINE_C_SVC;
			s.view.c_plus = s.view.c_minus = 1 / r;
			CHECK(solve(&s, 1e-8) == 0, "violation %g", s.result.violation);
			for (int64_t i = 0; i < s.view.n; i++)
				difference = fmax(difference, fabs(f[i] / r - s.f[i]));
			CHECK(difference <= 1e-5, "nu %g: f differs by %g", nu, difference);
			CHECK(fabs(found.rho / r - s.result.rho) <= 1e-5, "nu %g: rho %g, not %g",
			      nu, found.rho / r, s.result.rho);
			free(f);
		}
		linear_sample_free(&s);
	}
}

/* nu-SVR is epsilon-SVR at p = epsilon, and D differs by p times the sums. */
static void test_as_epsilon_svr(void)
{
	for (double nu = 0.1; nu < 0.9; nu += 0.2) {
		struct linear_sample s;
		struct certificate c, other;
		double wanted;

		make_sample(&s, MACHINE_NU_SVR, 301, nu, 3);
		CHECK(solve(&s, 1e-8) == 0, "violation %g", s.result.violation);
		c = certify(&s);
		wanted = c.dual - s.result.epsilon * (s.view.sum_plus + s.view.sum_minus);
		s.view.type = MACHINE_EPSILON_SVR;
		s.view.epsilon = s.result.epsilon;
		CHECK(solve(&s, 1e-8) == 0, "violation %g", s.result.violation);
		other = certify(&s);
		CHECK(fabs(other.dual - wanted) <= 1e-7 * fabs(wanted), "nu %g: D %.10g, not %.10g",
		      nu, other.dual, wanted);
		linear_sample_free(&s);
	}
}

/* ---- precision and hostile cases ---- */

/*
 * Columns that all rows have are centred, but one-class depends on where the origin is: with a column
 * that is moved by 'shift' it is another problem, which pairs solve as it is.
 */
static void test_centred(void)
{
	for (double shift = 0.1; shift < 1e3; shift *= 10) {
		struct linear_sample s = { 0 };
		double wanted;

		random_rows(&s.x, 80, 6, 1);
		for (int64_t k = 0; k < csr_n_entries(&s.x); k++)
			s.x.val[k] += s.x.col[k] == 2 ? shift : 0.3;
		finish_sample(&s, MACHINE_ONE_CLASS, 0.25, 1);
		check_solution(&s, solve(&s, 1e-6), 1e-6, "shifted");
		wanted = pairs_dual(&s);
		CHECK(fabs(certify(&s).dual - wanted) <= 1e-8 * (1 + fabs(wanted)),
		      "shift %g: %g of %g", shift, certify(&s).dual - wanted, wanted);
		linear_sample_free(&s);
	}
}

static void change_values(struct linear_sample *s, double times, double plus)
{
	for (int64_t k = 0; k < csr_n_entries(&s->x); k++)
		s->x.val[k] = s->x.val[k] * times + plus;
}

/*
 * Decision values grow with features and with nu n, and eps does not: where they are far below it any
 * multipliers are within eps, but have to be near the optimum all the same.
 */
static void test_scale(void)
{
	for (size_t m = 0; m < 2; m++)
		for (double nu = 0.5; nu > 1e-3; nu /= 5) {
			struct linear_sample s;
			struct certificate c;

			make_sample(&s, machines[m], 150, nu, 1);
			if (machines[m] == MACHINE_NU_SVC)
				for (int64_t i = 0; i < s.view.n; i++)
					s.target[i] = csr_row_norm2(&s.x, i) > 5 ? 1 : -1;
			set_nu(&s, nu);
			change_values(&s, 1e-4, 0);
			check_solution(&s, solve(&s, 1e-3), 1e-3, "small features");
			c = certify(&s);
			CHECK(fabs(c.primal - c.dual) <= 1e-3 * fabs(c.primal) ||
				      (c.dual > -1e-20 && fabs(s.result.epsilon) < 1e-9),
			      "%s, nu %g: P %g, D %g, epsilon %g", names[machines[m]], nu, c.primal,
			      c.dual, s.result.epsilon);
			linear_sample_free(&s);
		}
}

static void check_hostile(struct linear_sample *s, const char *what)
{
	char name[100];
	int ret = solve(s, 1e-3);

	snprintf(name, sizeof(name), "%s, %s", names[s->view.type], what);
	for (int64_t i = 0; i < s->view.n; i++)
		CHECK(isfinite(s->beta[i]) && isfinite(s->f[i]), "%s: beta %g, f %g", name,
		      s->beta[i], s->f[i]);
	check_solution(s, ret, 1e-3, name);
	linear_sample_free(s);
}

static void test_hostile(void)
{
	struct linear_sample s;

	for (size_t m = 0; m < 3; m++) {
		enum machine_type type = machines[m];

		make_sample(&s, type, 60, 1, 1);
		check_hostile(&s, "nu = 1");
		make_sample(&s, type, 60, 1.0 / 60, 1);
		check_hostile(&s, "nu = 1 / n");
		make_sample(&s, type, 60, 1e-9, 1);
		check_hostile(&s, "nu = 1e-9");
		make_sample(&s, type, 60, 0.3, 1);
		for (int64_t i = 0; i < 60; i++)
			s.row[i] = 7;
		check_hostile(&s, "all rows equal");
		make_sample(&s, type, 60, 0.3, 1);
		change_values(&s, 0, 0);
		check_hostile(&s, "zeros");
		memset(&s, 0, sizeof(s));
		random_rows(&s.x, 60, 9, 0);
		finish_sample(&s, type, 0.3, 1);
		check_hostile(&s, "no entries");
		make_sample(&s, type, 2, 0.5, 1);
		check_hostile(&s, "two rows");
		make_sample(&s, type, 60, 0.4, 1);
		change_values(&s, 1e100, 0);
		check_hostile(&s, "values of 1e100");
		make_sample(&s, type, 60, 0.4, 1);
		change_values(&s, 1e-200, 0);
		check_hostile(&s, "values of 1e-200");
		make_sample(&s, type, 60, 0.4, 1);
		change_values(&s, 1, 1e7);
		check_hostile(&s, "an offset of 1e7");
		make_sample(&s, type, 60, 0.4, 1e6);
		check_hostile(&s, "C 1e6");
		make_sample(&s, type, 61, 0.4, 1);
		for (int64_t i = 0; i < 61; i++)
			s.row[i] = i / 3;
		check_hostile(&s, "rows three times");
	}
	make_sample(&s, MACHINE_ONE_CLASS, 1, 0.3, 1);
	check_hostile(&s, "one row");
	make_sample(&s, MACHINE_NU_SVR, 1, 0.3, 1);
	check_hostile(&s, "one row");
	make_sample(&s, MACHINE_NU_SVC, 60, 0.3, 1);
	for (int64_t i = 0; i < 60; i++)
		s.target[i] = i < 59 ? 1 : -1;
	set_nu(&s, 1);
	check_hostile(&s, "one row in a class");
}

/* Targets on a plane and nu near 1: no tube, and sums below those allowed. */
static void test_no_tube(void)
{
	for (double c = 0.1; c < 1e4; c *= 10) {
		struct linear_sample s;
		struct certificate found;
		double w[9] = { 0, 2, -1, 0.5, 3, 0, 0, 1, 1 };

		make_sample(&s, MACHINE_NU_SVR, 200, 0.9, c);
		for (int64_t i = 0; i < s.view.n; i++)
			s.target[i] = 4 + csr_row_dot(&s.x, i, w);
		CHECK(solve(&s, 1e-5) == 0, "C %g: violation %g", c, s.result.violation);
		check_solution(&s, 0, 1e-5, "no tube");
		found = certify(&s);
		CHECK(found.sum_abs_beta <= 2 * s.view.sum_plus * (1 + 1e-12), "C %g: sum %g", c,
		      found.sum_abs_beta);
		CHECK(s.result.epsilon >= -1e-5, "C %g: epsilon %g", c, s.result.epsilon);
		if (c > 1)
			CHECK(found.sum_abs_beta < s.view.sum_plus && s.result.epsilon <= 1e-5,
			      "C %g: sum %g, epsilon %g", c, found.sum_abs_beta, s.result.epsilon);
		CHECK(found.primal - found.dual <= 1e-5 * found.primal, "C %g: P %.9g, D %.9g", c,
		      found.primal, found.dual);
		linear_sample_free(&s);
	}
}

/* A nu so small that the reduced convex hulls meet: no margin is left. */
static void test_hulls_meet(void)
{
	struct linear_sample s;

	make_sample(&s, MACHINE_NU_SVC, 300, 0.02, 1);
	for (int64_t i = 0; i < 300; i++)
		s.target[i] = i % 2 ? 1 : -1;
	set_nu(&s, 0.1);
	check_solution(&s, solve(&s, 1e-6), 1e-6, "hulls meet");
	CHECK(fabs(s.result.epsilon) <= 1e-6 && s.result.violation <= 1e-6, "epsilon %g",
	      s.result.epsilon);
	linear_sample_free(&s);
}

/* ---- the ways of the engine ---- */

/* The step of two sides by the way that is 'wanted', compared with the matrix times it. */
static void check_direction(const struct linear_rows *x, int64_t n_inside, const char *wanted)
{
	const double tolerance = wanted[0] == 'c' ? 0.01 : 1e-9;
	double *lower = calloc((size_t)x->n, sizeof(*lower)), worst[2], image_b[2];
	struct linear_direction m = { .lower = lower };
	struct error err = { 0 };
	double *gradient = calloc((size_t)x->d, sizeof(*gradient));
	double *image = calloc((size_t)x->d, sizeof(*image)), largest = 0;
	struct linear_step step = { .sigma = 3,
				    .tau = 1e6,
				    .reduction = 1e-8,
				    .gradient_w = gradient,
				    .gradient_b = { 0.7, -2 } };
	int64_t *inside = calloc((size_t)x->n, sizeof(*inside)), taken;

	step.w = calloc((size_t)x->d, sizeof(*step.w));
	for (int64_t i = 0; i < x->n; i++)
		lower[i] = i % 3 == 0 ? -1 : 0;
	for (int64_t k = 0; k < n_inside; k++)
		inside[k] = k * x->n / n_inside;
	for (int64_t j = 0; j < x->d; j++)
		gradient[j] = random_normal();
	CHECK(linear_direction_find(&m, x, inside, n_inside, &step, &err) == 0, "%s", err.text);
	taken = wanted[0] == 'p' ? m.n_primal : wanted[0] == 'd' ? m.n_dual : m.n_conjugate;
	CHECK(taken == 1, "%s was not taken", wanted);
	for (int side = 0; side < 2; side++)
		image_b[side] = step.b[side] / step.tau;
	memcpy(image, step.w, (size_t)x->d * sizeof(*image));
	for (int64_t k = 0; k < n_inside; k++) {
		int side = lower[inside[k]] < 0;
		double u = 3 * (linear_rows_dot(x, inside[k], step.w) + step.b[side]);

		linear_rows_axpy(x, inside[k], u, image);
		image_b[side] += u;
	}
	for (int side = 0; side < 2; side++)
		worst[side] = fabs(image_b[side] + step.gradient_b[side]);
	for (int64_t j = 0; j < x->d; j++)
		largest = fmax(largest, fabs(image[j] + gradient[j]));
	CHECK(fmax(largest, fmax(worst[0], worst[1])) <= tolerance, "%s: %g %g %g", wanted, largest,
	      worst[0], worst[1]);
	linear_direction_free(&m);
	free(lower);
	free(gradient);
	free(image);
	free(inside);
	free(step.w);
}

static void test_each_direction(void)
{
	for_each_direction(check_direction);
}

/* Many rows, and many columns, for which descent comes first: the same on any number of threads. */
static void test_threads(void)
{
	for (size_t m = 0; m < 6; m += UNIT_IS_SANITIZED ? 4 : 1) {
		bool wide = m >= 3;
		struct linear_sample s = { 0 };
		struct certificate c;
		struct linear_result first;
		double *beta;
		int ret;

		random_rows(&s.x, wide ? 6000 : 12000, wide ? 3000 : 30, wide ? 0.008 : 0.6);
		change_values(&s, 1, machines[m % 3] == MACHINE_ONE_CLASS ? 2 : 0);
		finish_sample(&s, machines[m % 3], 0.2, 1);
		beta = malloc((size_t)s.view.n * sizeof(*beta));
		ret = solve(&s, 1e-3);
		CHECK(ret == 0, "%s: violation %g", names[s.view.type], s.result.violation);
		check_solution(&s, ret, 1e-3, names[s.view.type]);
		c = certify(&s);
		CHECK(c.n_violators == 0 && fabs(certificate_relative_gap(&c)) <= 1e-4,
		      "%s: P %g D %g", names[s.view.type], c.primal, c.dual);
		memcpy(beta, s.beta, (size_t)s.view.n * sizeof(*beta));
		first = s.result;
		linear_sample_solve(&s, 1e-3, 3);
		CHECK(!memcmp(beta, s.beta, (size_t)s.view.n * sizeof(*beta)) &&
			      first.rho == s.result.rho && first.epsilon == s.result.epsilon,
		      "%s: other bits", names[s.view.type]);
		free(beta);
		linear_sample_free(&s);
	}
}

static void test_interruption(void)
{
	for (size_t m = 0; m < 3; m++) {
		struct linear_sample s;
		struct error err = { 0 };
		int n_asked = 0, ret;
		struct interruption third = { .requested = stop_at_third, .arg = &n_asked };
		struct linear_options o = { .eps = 1e-9, .n_threads = 1, .interruption = &third };

		make_sample(&s, machines[m], 300, 0.3, 100);
		ret = linear_solve(&s.view, &o, s.beta, s.f, &s.result, &err);
		CHECK(ret == 1 && s.result.interrupted && n_asked == 3, "%d, asked %d times", ret,
		      n_asked);
		check_solution(&s, ret, 1e-9, "interrupted");
		linear_sample_free(&s);
	}
}

static void test_memory(void)
{
	for (size_t m = 0; m < 3; m++) {
		struct linear_sample s = { 0 };

		random_rows(&s.x, 60, 8, 1);
		finish_sample(&s, machines[m], 0.3, 1);
		CHECK(fail_each_allocation(names[machines[m]], linear_sample_solve_again, &s) > 20,
		      "few allocations");
		linear_sample_free(&s);
		s = (struct linear_sample){ 0 };
		random_rows(&s.x, 30, 1200, 0.03);
		finish_sample(&s, machines[m], 0.3, 1);
		CHECK(fail_each_allocation(names[machines[m]], linear_sample_solve_again, &s) > 20,
		      "few allocations");
		linear_sample_free(&s);
	}
}

int main(void)
{
	test_each_direction();
	test_against_pairs();
	test_fractions();
	test_as_c_svc();
	test_as_epsilon_svr();
	test_centred();
	test_scale();
	test_hostile();
	test_no_tube();
	test_hulls_meet();
	test_threads();
	test_interruption();
	test_memory();
	return unit_report("linear_nu");
}
