/*
 * test_certificate.c - certificates against brute force, by definition and at the optimum
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "plain_problem.h"
#include "proof/certificate.h"
#include "proof/unfinished.h"
#include "random.h"
#include "train/libsvm_adapter.h"
#include "unit.h"
#include "world.h"

static bool is_svc(const struct world *s)
{
	return s->p.type == MACHINE_C_SVC;
}

/* Overlapping classes, or targets on a coarse grid, so that breakpoints coincide at times. */
static void make_targets(struct world *s)
{
	for (int64_t i = 0; i < s->p.n; i++) {
		double sum = random_normal();

		for (int64_t k = s->x.row_start[i]; k < s->x.row_start[i + 1]; k++)
			sum += s->x.val[k];
		s->target[i] = is_svc(s) ? sum > 0.3 ? 1 : -1 : round(4 * sum) / 4;
	}
}

static void make_world(struct world *s, enum machine_type type, int64_t n)
{
	world_init(s, (struct problem_view){ .type = type,
					     .kernel = { .type = KERNEL_RBF, .gamma = 0.5 },
					     .n = n });
	random_rows(&s->x, n, 5, 0.8);
	s->p.c_plus = exp(random_between(-3, 3));
	s->p.c_minus = is_svc(s) ? exp(random_between(-3, 3)) : s->p.c_plus;
	s->p.epsilon = is_svc(s) || !random_below(4) ? 0 : random_unit() / 2;
	make_targets(s);
	s->at.rho = random_normal();
}

/* Multipliers at 0, at their bounds and between, of sum 0. */
static void make_beta(struct world *s)
{
	double up = 0, down = 0;

	for (int64_t i = 0; i < s->p.n; i++) {
		double part = random_below(3) ? random_unit() : (double)random_below(2);
		double size = part * plain_c(&s->p, i);
		bool positive = is_svc(s) ? s->target[i] > 0 : random_below(2) != 0;

		s->beta[i] = positive ? size : -size;
		*(positive ? &up : &down) += size;
	}
	for (int64_t i = 0; i < s->p.n; i++)
		if (s->beta[i] > 0)
			s->beta[i] *= up > down ? down / up : 1;
		else if (s->beta[i] < 0)
			s->beta[i] *= down > up ? up / down : 1;
	plain_values(&s->p, s->beta, s->f);
}

/* ---- By definition ---- */

/* The sizes of what is added up, for the rounding. */
static double scale(const struct world *s)
{
	double sum = 1;

	for (int64_t i = 0; i < s->p.n; i++)
		sum += (plain_c(&s->p, i) + fabs(s->beta[i])) *
		       (1 + fabs(s->target[i]) + fabs(s->f[i]));
	return sum;
}

/* What D gains per unit when beta_i moves by h and b keeps the sum at 0. */
static double gain(const struct world *s, int64_t i, double b, double h)
{
	double to = s->beta[i] + h, loss = fabs(to) - fabs(s->beta[i]);

	return (h * (s->target[i] - s->f[i] - b) - s->p.epsilon * loss) / fabs(h);
}

static int64_t plain_violators(const struct world *s, double tolerance)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p.n; i++) {
		double h = 1e-7 * plain_c(&s->p, i);
		bool may_rise = s->beta[i] + h <= problem_upper(&s->p, i);
		bool may_fall = s->beta[i] - h >= problem_lower(&s->p, i);

		n += (may_rise && gain(s, i, -s->at.rho, h) > tolerance) ||
		     (may_fall && gain(s, i, -s->at.rho, -h) > tolerance);
	}
	return n;
}

/*
 * certificate_bias() minimises P, and by the middle of all that do: so with all signs turned it is
 * the same with its sign turned.
 */
static void expect_bias(const struct world *s)
{
	struct world turned;
	struct error err = { 0 };
	double b = NAN, minus_b = NAN, error = 1e-13 * scale(s), primal;
	double least = plain_least_primal(&s->p, s->beta, s->f);

	world_copy(&turned, s);
	turned.p.c_plus = s->p.c_minus;
	turned.p.c_minus = s->p.c_plus;
	for (int64_t i = 0; i < s->p.n; i++) {
		turned.target[i] = -s->target[i];
		turned.f[i] = -s->f[i];
	}
	CHECK(certificate_bias(&s->p, s->f, &b, &err) == 0 &&
		      certificate_bias(&turned.p, turned.f, &minus_b, &err) == 0,
	      "%s", err.text);
	primal = plain_primal(&s->p, s->beta, s->f, b);
	CHECK(fabs(primal - least) <= error, "P(%g) = %.17g, not %.17g", b, primal, least);
	CHECK(fabs(b + minus_b) <= 1e-12 * (1 + fabs(b)), "%.17g, and turned %.17g", b, minus_b);
	world_free(&turned);
}

static void expect_certificate(struct world *s, double tolerance)
{
	const struct certificate plain = plain_certificate(&s->p, s->beta, s->f);
	double error = 1e-13 * scale(s);
	struct error err = { 0 };
	struct certificate c;

	CHECK(certificate_make(&s->p, &s->at, tolerance, &c, &err) == 0, "%s", err.text);
	CHECK(fabs(c.primal - plain.primal) <= error, "primal %.17g, not %.17g", c.primal,
	      plain.primal);
	CHECK(fabs(c.dual - plain.dual) <= error, "dual %.17g, not %.17g", c.dual, plain.dual);
	CHECK(c.dual <= c.primal + error, "dual %g above primal %g", c.dual, c.primal);
	CHECK(certificate_relative_gap(&c) == (c.primal ? (c.primal - c.dual) / c.primal : 0),
	      "gap %g", certificate_relative_gap(&c));
	CHECK(c.n_violators == plain_violators(s, tolerance), "%" PRId64 " violators, not %" PRId64,
	      c.n_violators, plain_violators(s, tolerance));
	CHECK(c.n_sv == plain.n_sv && c.n_bounded_sv == plain.n_bounded_sv,
	      "%" PRId64 " of %" PRId64 " support vectors, %" PRId64 " of %" PRId64 " bounded",
	      c.n_sv, plain.n_sv, c.n_bounded_sv, plain.n_bounded_sv);
	CHECK(fabs(c.sum_abs_beta - plain.sum_abs_beta) <= 1e-14 * plain.sum_abs_beta, "%g not %g",
	      c.sum_abs_beta, plain.sum_abs_beta);
	expect_bias(s);
	for (int i = 0; i < 5; i++) {
		double b = 3 * random_normal(),
		       primal = certificate_primal(&s->p, s->beta, s->f, b);
		double wanted = plain_primal(&s->p, s->beta, s->f, b);

		CHECK(fabs(primal - wanted) <= error, "%.17g, not %.17g", primal, wanted);
		CHECK(c.primal <= primal + error, "P(%g) = %g, below %g", b, primal, c.primal);
	}
	CHECK(certificate_dual(&s->p, s->beta, s->f) == c.dual, "two duals");
}

static void test_random_beta(void)
{
	static const double tolerance[] = { 0, 1e-3, 0.5 };
	struct world s;

	for (int trial = 0; trial < 1500; trial++) {
		make_world(&s, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
			   1 + random_below(trial < 200 ? 3 : 14));
		make_beta(&s);
		expect_certificate(&s, tolerance[trial % 3]);
		world_start_cold(&s);
		expect_certificate(&s, tolerance[trial % 3]);
		world_free(&s);
	}
}

/* Outside the working set, where beta is 0, violators are the same by both measures. */
static void test_outside_violators(void)
{
	struct world s;

	for (int trial = 0; trial < 300; trial++) {
		struct certificate c;
		struct error err = { 0 };
		int64_t n = 0;

		make_world(&s, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, 14);
		for (int64_t i = 0; i < s.p.n; i++) {
			s.f[i] = random_normal();
			n += certificate_violates(&s.p, i, s.f[i] - s.at.rho, 0.01);
		}
		CHECK(certificate_make(&s.p, &s.at, 0.01, &c, &err) == 0, "%s", err.text);
		CHECK(c.n_violators == n, "%" PRId64 " and %" PRId64, c.n_violators, n);
		world_free(&s);
	}
}

/* ---- Degenerate problems ---- */

/* One example, and examples of one label: the loss can be made 0 but for rounding. */
static void test_one_sided(void)
{
	struct world s;

	for (int trial = 0; trial < 100; trial++) {
		bool svc = trial % 2;
		struct error err = { 0 };
		struct certificate c;
		struct iterate at;

		make_world(&s, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
			   trial < 20 ? 1 : 2 + random_below(10));
		for (int64_t i = 0; i < s.p.n; i++)
			s.target[i] = svc ? trial % 4 == 1 ? 1 : -1 : 0.75;
		at = s.at;
		at.rho = -s.target[0];
		CHECK(certificate_make(&s.p, &at, 1e-3, &c, &err) == 0, "%s", err.text);
		CHECK(c.primal <= 1e-13 * scale(&s) && c.dual == 0, "between %g and %g", c.dual,
		      c.primal);
		CHECK(c.n_violators == 0 && c.n_sv == 0 && c.n_bounded_sv == 0,
		      "%" PRId64 " violators", c.n_violators);
		expect_certificate(&s, 1e-3);
		world_free(&s);
	}
}

/* ---- The optimum ---- */

/*
 * With every condition kept to within v, P - D <= 2 v sum C.  LIBSVM keeps them to eps, but with
 * kernel values rounded to floats.
 */
static void expect_no_gap(struct world *s)
{
	double eps = 1e-4, v, sum_c = 0;
	struct error err = { 0 };
	struct certificate c;

	CHECK(world_solve(s, libsvm_solver(10, true), eps, &err) == 0, "%s", err.text);
	plain_values(&s->p, s->beta, s->f);
	for (int64_t i = 0; i < s->p.n; i++)
		sum_c += plain_c(&s->p, i);
	v = eps + plain_size(s->beta, s->p.n) * FLT_EPSILON;
	CHECK(certificate_make(&s->p, &s->at, v, &c, &err) == 0, "%s", err.text);
	CHECK(c.primal - c.dual <= 2 * v * sum_c, "gap %g, at most %g", c.primal - c.dual,
	      2 * v * sum_c);
	CHECK(c.primal >= c.dual - 1e-13 * scale(s), "gap %g", c.primal - c.dual);
	CHECK(c.n_violators == 0, "%" PRId64 " violators", c.n_violators);
}

static void test_optimum(void)
{
	struct world s;

	for (int trial = 0; trial < 200; trial++) {
		make_world(&s, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
			   20 + random_below(40));
		s.target[0] = is_svc(&s) ? 1 : s.target[0];
		s.target[1] = is_svc(&s) ? -1 : s.target[1];
		expect_no_gap(&s);
		world_free(&s);
	}
}

/* ---- Memory ---- */

static int certify_once(void *arg, struct error *err)
{
	struct world *s = arg;
	struct certificate c;

	return certificate_make(&s->p, &s->at, 1e-3, &c, err);
}

/* What is not enclosed from both sides is not near. */
static void test_within(void)
{
	static const struct {
		double primal, dual, relative;
		bool is_within;
	} table[] = {
		{ 10, 9.5, 0.1, true },	 { 10, 8.5, 0.1, false },   { 10, 10.5, 0.1, true },
		{ 10, 20, 0.1, false },	 { -10, -10.5, 0.1, true }, { -10, -20, 0.1, false },
		{ -10, -5, 0.1, false }, { 0, 0, 0.1, true },	    { 0, -1, 0.1, false },
		{ NAN, 1, 0.1, false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct certificate c = { .primal = table[i].primal, .dual = table[i].dual };

		CHECK(certificate_gap_is_within(c.primal, c.dual, table[i].relative) ==
			      table[i].is_within,
		      "%g and %g, within %g", c.primal, c.dual, table[i].relative);
		CHECK(!(c.primal > c.dual) || !(certificate_relative_gap(&c) < 0),
		      "%g above %g: %g", c.primal, c.dual, certificate_relative_gap(&c));
	}
}

static void test_memory(void)
{
	struct world s;

	make_world(&s, MACHINE_C_SVC, 10);
	CHECK(fail_each_allocation("certificate_make", certify_once, &s) == 1,
	      "not one allocation");
	world_free(&s);
}

/* ---- Multipliers that are too large ---- */

/* D(t beta), t not above what bounds and limits of sums leave: concave in t, so by ternary search */
static double plain_best_dual(const struct world *s)
{
	double norm2 = plain_norm2(s->beta, s->f, s->p.n);
	double linear = plain_dual(&s->p, s->beta, s->f) + norm2 / 2;
	double low = 0, high = 1e30;

	for (int64_t i = 0; i < s->p.n; i++)
		if (s->beta[i] != 0)
			high = fmin(high, plain_c(&s->p, i) / fabs(s->beta[i]));
	if (s->p.type == MACHINE_NU_SVR && plain_size(s->beta, s->p.n) > 0)
		high = fmin(high, 2 * s->p.sum_plus / plain_size(s->beta, s->p.n));
	for (int k = 0; k < 400; k++) {
		double a = low + (high - low) / 3, b = high - (high - low) / 3;
		bool rises = a * linear - a * a * norm2 / 2 < b * linear - b * b * norm2 / 2;

		*(rises ? &low : &high) = rises ? a : b;
	}
	return low * linear - low * low * norm2 / 2;
}

/* unfinished_certify() finds the best of all halves, and the decision values remain those of beta. */
static void expect_halved(struct world *s)
{
	double *start = full_zeros(s->p.n, 1), *f = full_zeros(s->p.n, 1);
	double error = 1e-12 * scale(s), best;
	struct error err = { 0 };
	struct certificate c;

	memcpy(start, s->beta, (size_t)s->p.n * sizeof(*start));
	CHECK(unfinished_certify(&s->p, &s->at, 1e-3, &c, &err) == 0, "%s", err.text);
	plain_values(&s->p, s->beta, f);
	for (int64_t i = 0; i < s->p.n; i++)
		CHECK(fabs(f[i] - s->f[i]) <= error, "f %g, of beta %g", s->f[i], f[i]);
	CHECK(fabs(plain_certificate(&s->p, s->beta, f).primal - c.primal) <= error, "primal %g",
	      c.primal);
	best = plain_best_dual(s);
	CHECK(fabs(c.dual - best) <= error, "dual %.17g, not %.17g", c.dual, best);
	for (int k = 0; k < 20; k++) {
		double primal;

		plain_values(&s->p, start, f);
		primal = plain_least_primal(&s->p, start, f);
		CHECK(c.primal <= primal + error, "primal %g, of a half %g", c.primal, primal);
		for (int64_t i = 0; i < s->p.n; i++)
			start[i] /= 2;
	}
	free(start);
	free(f);
}

static void test_unfinished(void)
{
	struct world s;

	for (int trial = 0; trial < 200; trial++) {
		double times = exp(random_between(-1, 6));

		make_world(&s, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
			   1 + random_below(14));
		make_beta(&s);
		for (int64_t i = 0; i < s.p.n; i++) {
			s.beta[i] *= times;
			s.f[i] *= times;
		}
		expect_halved(&s);
		world_free(&s);
	}
}

/* Of nu-SVR the sums are limits, and epsilon costs nothing: any multiple below them has a dual. */
static void test_unfinished_nu(void)
{
	struct world s;
	int n_limited = 0;

	for (int trial = 0; trial < 200; trial++) {
		double times = exp(random_between(-1, 4)), dual, best;

		make_world(&s, MACHINE_EPSILON_SVR, 2 + random_below(13));
		make_beta(&s);
		for (int64_t i = 0; i < s.p.n; i++) {
			s.beta[i] *= times;
			s.f[i] *= times;
		}
		s.p.type = MACHINE_NU_SVR;
		s.p.sum_plus = s.p.sum_minus = random_unit() * s.p.c_plus * (double)s.p.n / 2;
		dual = unfinished_dual(&s.p, &s.at);
		s.p.epsilon = 0;
		best = plain_best_dual(&s);
		CHECK(fabs(dual - best) <= 1e-12 * scale(&s), "dual %.17g, not %.17g", dual, best);
		s.p.sum_plus = s.p.sum_minus = INFINITY;
		n_limited += best < plain_best_dual(&s) * (1 - 1e-6);
		world_free(&s);
	}
	CHECK(n_limited > 20, "%d limited by the sums", n_limited);
}

/* What may be written as a model: numbers, and more than what multipliers of 0 have. */
static void test_worth(void)
{
	const struct {
		double primal, dual, excess;
		bool finite, is_void;
	} cases[] = {
		{ 2, 1.9, 0, true, false },
		{ 2, 0, 0, true, false },
		{ 2, 0, 1e20, true, true },
		{ 2, 0.5, 1e20, true, false },
		{ 2, -1e30, 1e20, true, true },
		{ -2, -2.1, 0, true, false },
		{ 0, 0, 0, true, false },
		{ 2, -INFINITY, 0, true, false }, /* not known */
		{ 0, -1e-30, 0, true, false },
		{ 0, 1e-30, 0, true, false },
		{ 0, -INFINITY, 0, true, false },
		{ 0, NAN, 0, false, false },
		{ INFINITY, 1, 0, false, false },
		{ NAN, NAN, 0, false, false },
		{ 2, NAN, 0, false, false },
		{ 2, INFINITY, 0, false, false },
		{ 1e-300, -1e300, 0, false, false },
	};

	for (int i = 0; i < (int)(sizeof(cases) / sizeof(*cases)); i++) {
		struct certificate c = { .primal = cases[i].primal,
					 .dual = cases[i].dual,
					 .n_violators = 1,
					 .excess = cases[i].excess };

		CHECK(certificate_is_finite(&c) == cases[i].finite, "case %d", i);
		CHECK(certificate_is_void(&c) == cases[i].is_void, "case %d", i);
		c.n_violators = 0;
		CHECK(!certificate_is_void(&c), "case %d without violators", i);
	}
	/* what rounding may have done is no reason to refuse a model whose gap is small */
	CHECK(!certificate_is_doubted(
		      &(struct certificate){ 2, .dual = 1.1, .n_violators = 1, .excess = 1e20 }) &&
		      certificate_is_doubted(&(struct certificate){
			      2, .dual = 0.9, .n_violators = 1, .excess = 1e20 }) &&
		      !certificate_is_void(&(struct certificate){
			      2, .dual = 1.9, .rounding = 9, .n_violators = 1, .excess = 1e20 }),
	      "doubted with a gap of 0.45, or not with 0.55");
}

/* What is said of a certificate that proves nothing: what it is that doubles do not hold. */
static void test_check(void)
{
	static const struct {
		double primal, dual, rounding;
		const char *text; /* NULL: it is a certificate */
	} cases[] = {
		{ 2, 1, .1, NULL },
		{ 2, -INFINITY, .1, NULL },
		{ 2, 1, INFINITY, "primal = 2, dual = 1, whose rounding errors are too much" },
		{ 2, 1, NAN, "primal = 2, dual = 1, whose rounding errors are too much" },
		{ INFINITY, 1, .1, "primal = inf, dual = 1; scale" },
		{ 2, NAN, .1, "dual = nan; scale" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct certificate c = { .primal = cases[i].primal,
					       .dual = cases[i].dual,
					       .rounding = cases[i].rounding };
		struct error err = { 0 };
		const int ret = certificate_check(&c, "", &err);

		CHECK((ret == 0) == !cases[i].text, "%zu: %d", i, ret);
		CHECK(!cases[i].text || strstr(err.text, cases[i].text), "%zu: %s", i, err.text);
	}
}

int main(void)
{
	test_check();
	test_random_beta();
	test_outside_violators();
	test_one_sided();
	test_optimum();
	test_within();
	test_unfinished();
	test_unfinished_nu();
	test_worth();
	test_memory();
	return unit_report("certificate");
}
