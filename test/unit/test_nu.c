/*
 * test_nu.c - the machines of nu: certificates by definition, at LIBSVM's optimum and at ours
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "plain_problem.h"
#include "problem/classes.h"
#include "proof/certificate.h"
#include "random.h"
#include "small_training.h"
#include "smo/smo.h"
#include "train/libsvm_adapter.h"
#include "train/solve.h"
#include "unit.h"

enum { MAX_N = 400, N_COLS = 5 };

/* A small problem, and multipliers for it. */
struct sample {
	struct dataset d;
	double y[MAX_N];
	struct training t;
	struct classes classes;
	struct problem p;
	struct iterate x;
	double beta[MAX_N], f[MAX_N];
};

static const enum machine_type machines[] = { MACHINE_ONE_CLASS, MACHINE_NU_SVC, MACHINE_NU_SVR };

static void make_targets(struct sample *s)
{
	bool classes = s->t.type == MACHINE_NU_SVC;

	for (int64_t i = 0; i < s->d.x.n_rows; i++) {
		double sum = random_normal();

		for (int64_t k = s->d.x.row_start[i]; k < s->d.x.row_start[i + 1]; k++)
			sum += s->d.x.val[k];
		s->y[i] = classes ? (sum > 0.3 ? 1 : -1) : round(4 * sum) / 4;
	}
	s->y[0] = classes ? 1 : s->y[0];
	s->y[1] = classes ? -1 : s->y[1];
}

static void make_problem(struct sample *s)
{
	struct error err = { 0 };

	if (s->t.type != MACHINE_NU_SVC)
		CHECK(classes_pair_problem(&s->p, NULL, (struct class_choice){ 0 }, &s->d, &s->t,
					   &err) == 0,
		      "%s", err.text);
	else
		CHECK(classes_pair_problem(&s->p, &s->classes, (struct class_choice){ 0, 1, false },
					   &s->d, &s->t, &err) == 0,
		      "%s", err.text);
}

static void sample_init(struct sample *s, enum machine_type type, int64_t n)
{
	struct error err = { 0 };

	memset(s, 0, sizeof(*s));
	random_rows(&s->d.x, n, N_COLS, 0.8);
	s->d.y = s->y;
	s->t = (struct training){ .type = type,
				  .kernel = { .type = KERNEL_RBF, .gamma = 0.5 },
				  .C = exp(random_between(-2, 2)),
				  /* so that either half of the rows can have half of nu n C */
				  .nu = random_between(0.05, (double)(n - n % 2) / (double)n),
				  .cache_mb = 10,
				  .eps = 1e-4,
				  .shrinking = 1 };
	make_targets(s);
	CHECK(type != MACHINE_NU_SVC || classes_init(&s->classes, &s->d, &err) == 0, "%s",
	      err.text);
	make_problem(s);
	s->x = (struct iterate){ .beta = s->beta,
				 .f = s->f,
				 .rho = random_normal(),
				 .epsilon = type == MACHINE_ONE_CLASS ? 0 : random_normal() };
}

static void sample_free(struct sample *s)
{
	csr_free(&s->d.x);
	classes_free(&s->classes);
	problem_free(&s->p);
}

/* Multipliers of one sign with their sum: random shares, cut at the box, until all is given out. */
static void fill_side(struct sample *s, bool plus)
{
	const struct problem_view *p = &s->p.view;
	double left = plus ? p->sum_plus : p->sum_minus;

	for (int turn = 0; turn < 1000 && left > 0; turn++)
		for (int64_t i = 0; i < p->n; i++) {
			double bound = plus ? problem_upper(p, i) : -problem_lower(p, i);
			double part = turn < 999 ? random_unit() * bound : bound;

			/* of a regression every other row is of either side */
			if (bound == 0 || (machine_is_regression(p->type) && (i % 2 == 0) != plus))
				continue;
			part = fmin(part, fmin(left, bound - fabs(s->beta[i])));
			s->beta[i] += plus ? part : -part;
			left -= part;
		}
}

static void make_beta(struct sample *s)
{
	memset(s->beta, 0, sizeof(s->beta));
	fill_side(s, true);
	fill_side(s, false);
	plain_values(&s->p.view, s->beta, s->f);
}

/* ---- By definition ---- */

/* The primal as books have it, of w at rho and epsilon. */
static double books_primal(const struct sample *s, double rho, double epsilon)
{
	double l = (double)s->p.view.n, sum = 0, nu = s->t.nu, loss = 0;

	for (int64_t i = 0; i < s->p.view.n; i++) {
		double y = s->p.target[i], f = s->f[i] - rho;

		sum += s->beta[i] * s->f[i] / 2;
		if (s->t.type == MACHINE_NU_SVR)
			loss += s->t.C * fmax(0, fabs(y - f) - epsilon);
		else
			loss += fmax(0, -epsilon - y * f);
	}
	switch (s->t.type) {
	case MACHINE_ONE_CLASS:
		return sum + loss - nu * l * rho;
	case MACHINE_NU_SVC:
		return sum + loss + 2 * s->p.view.sum_plus * epsilon;
	default:
		return sum + loss + s->t.C * nu * l * epsilon;
	}
}

static double books_dual(const struct sample *s)
{
	double sum = 0;

	for (int64_t i = 0; i < s->p.view.n; i++) {
		sum += s->t.type == MACHINE_NU_SVR ? s->y[i] * s->beta[i] : 0;
		sum -= s->beta[i] * s->f[i] / 2;
	}
	return sum;
}

/* Of nu-SVC and one-class any multiple of w and its thresholds: the least by golden sections. */
static double best_multiple(const struct sample *s, double primal)
{
	double square = 0, low = 0, high = 1, golden = (sqrt(5) - 1) / 2;

	for (int64_t i = 0; i < s->p.view.n; i++)
		square += s->beta[i] * s->f[i];
	primal -= square / 2;
	while (high < 1e9 && high * high * square / 2 + high * primal < 0)
		high *= 2;
	for (int k = 0; k < 200; k++) {
		double a = high - golden * (high - low), b = low + golden * (high - low);

		if (a * a * square / 2 + a * primal < b * b * square / 2 + b * primal)
			high = b;
		else
			low = a;
	}
	return low * low * square / 2 + low * primal;
}

/* A convex function, linear between thresholds at some u: it is least at two of these. */
static double least_primal(const struct sample *s)
{
	bool svr = s->t.type == MACHINE_NU_SVR, one = s->t.type == MACHINE_ONE_CLASS;
	double least = DBL_MAX;

	for (int64_t i = 0; i < s->p.view.n; i++)
		for (int64_t j = 0; j < s->p.view.n; j++) {
			double plus = (svr ? s->y[i] : 0) - s->f[i];
			double minus = one ? plus : (svr ? s->y[j] : 0) - s->f[j];
			double epsilon = (plus - minus) / 2;

			/* the books' loss is of a tube */
			if (!svr || epsilon >= 0)
				least = fmin(least, books_primal(s, -(plus + minus) / 2, epsilon));
		}
	if (!svr && least < DBL_MAX)
		least = fmin(least, best_multiple(s, least));
	return least;
}

static double scale(const struct sample *s)
{
	double sum = 1;

	for (int64_t i = 0; i < s->p.view.n; i++)
		sum += (problem_c(&s->p.view, i) + fabs(s->beta[i])) *
		       (1 + fabs(s->y[i]) + fabs(s->f[i]));
	return sum;
}

/* How far a row is from its condition, by the thresholds. */
static double plain_row_violation(const struct sample *s, int64_t i)
{
	const struct problem_view *p = &s->p.view;
	double u = (s->t.type == MACHINE_NU_SVR ? s->y[i] : 0) - s->f[i];
	double plus = s->x.epsilon - s->x.rho, minus = -s->x.epsilon - s->x.rho, most = -DBL_MAX;
	double beta = s->beta[i], upper = problem_upper(p, i), lower = problem_lower(p, i);

	if (beta >= 0 && beta < upper)
		most = fmax(most, u - plus);
	if (beta > 0)
		most = fmax(most, plus - u);
	if (beta <= 0 && beta > lower)
		most = fmax(most, minus - u);
	if (beta < 0)
		most = fmax(most, u - minus);
	return most;
}

static void expect_certificate(struct sample *s, double tolerance)
{
	double error = 1e-13 * scale(s);
	int64_t n_violators = 0;
	struct error err = { 0 };
	struct certificate c;

	for (int64_t i = 0; i < s->p.view.n; i++)
		n_violators += plain_row_violation(s, i) > tolerance;
	CHECK(certificate_make(&s->p.view, &s->x, tolerance, &c, &err) == 0, "%s", err.text);
	CHECK(fabs(c.dual - books_dual(s)) <= error, "%.17g, not %.17g", c.dual, books_dual(s));
	CHECK(fabs(c.primal - least_primal(s)) <= error, "machine %d: %.17g, not %.17g", s->t.type,
	      c.primal, least_primal(s));
	CHECK(c.primal >= c.dual - error, "%.17g below %.17g", c.primal, c.dual);
	CHECK(c.n_violators == n_violators, "%" PRId64 " violators, not %" PRId64, c.n_violators,
	      n_violators);
	for (int trial = 0; trial < 5; trial++) {
		struct problem_view at = problem_at(
			&s->p.view, &(struct iterate){ .epsilon = s->t.type == MACHINE_ONE_CLASS ?
									  0 :
								  s->t.type == MACHINE_NU_SVR ?
									  random_unit() :
									  random_normal() });
		double b = random_normal(), p = certificate_primal(&at, s->beta, s->f, b);

		CHECK(fabs(p - books_primal(s, -b, at.epsilon)) <= error, "%.17g, not %.17g", p,
		      books_primal(s, -b, at.epsilon));
		CHECK(p >= c.primal - error, "%.17g below the least, %.17g", p, c.primal);
	}
}

static void test_random_beta(void)
{
	static const double tolerance[] = { 0, 1e-3, 0.5 };
	static struct sample s;

	for (int trial = 0; trial < 900; trial++) {
		sample_init(&s, machines[trial % 3], 2 + random_below(12));
		make_beta(&s);
		expect_certificate(&s, tolerance[trial / 3 % 3]);
		sample_free(&s);
	}
}

/* Outside the working set, where beta is 0, violators are the same by both measures. */
static void test_outside_violators(void)
{
	static struct sample s;

	for (int trial = 0; trial < 300; trial++) {
		struct problem_view at;

		sample_init(&s, machines[trial % 3], 14);
		at = problem_at(&s.p.view, &s.x);
		/* where thresholds have changed sides a row may violate both */
		at.epsilon = at.type == MACHINE_NU_SVR ? fabs(at.epsilon) : at.epsilon;
		for (int64_t i = 0; i < s.p.view.n; i++) {
			double value = 2 * random_normal();

			CHECK(certificate_violates(&at, i, value, 0.01) ==
				      certificate_row_violates(&at, i, 0, value, 0.01),
			      "machine %d: %g", at.type, value);
		}
		sample_free(&s);
	}
}

/* ---- LIBSVM's optimum ---- */

static void read_epsilon(void *arg, const char *text)
{
	sscanf(text, "epsilon = %lf", (double *)arg);
}

/*
 * What LIBSVM's coefficients are over multipliers.  nu-SVC's are divided by r, which their sum tells
 * more exactly than the line "C = ".
 */
static double scale_of_coefficients(const struct sample *s, const struct solution *solution)
{
	double sum = 0;

	for (int64_t j = 0; j < solution->n_sv; j++)
		sum += fabs(solution->coef[j]);
	return s->t.type == MACHINE_NU_SVC ? sum / (2 * s->p.view.sum_plus) : 1;
}

/* LIBSVM's multipliers in the scaling of the problem; false where nu is not feasible. */
static bool solve_with_libsvm(struct sample *s)
{
	const struct libsvm_messages messages = { read_epsilon, &s->x.epsilon };
	struct solution solution = { 0 };
	struct error err = { 0 };
	double times;

	if (s->t.type == MACHINE_NU_SVC && !classes_allow_nu(&s->classes, &s->d, s->t.nu))
		return false;
	CHECK(libsvm_train(&s->d, &s->t, &messages, &solution, &err) == 0, "%s", err.text);
	memset(s->beta, 0, sizeof(s->beta));
	times = scale_of_coefficients(s, &solution);
	for (int64_t j = 0; j < solution.n_sv; j++) {
		double beta = solution.coef[j] / times, c = problem_c(&s->p.view, 0);

		/* the quotient of what is at the bound is rounded */
		s->beta[solution.sv_row[j]] =
			fabs(fabs(beta) - c) < 1e-9 * c ? copysign(c, beta) : beta;
	}
	s->x.rho = solution.rho[0] / times;
	if (s->t.type == MACHINE_NU_SVC)
		s->x.epsilon = -1 / times;
	solution_free(&solution);
	plain_values(&s->p.view, s->beta, s->f);
	/* where the classes' hulls meet LIBSVM divides by an r of nearly 0 */
	return times > 0 && times < 1e3;
}

/*
 * At the optimum the bounds meet: with every condition kept to within v, P - D <= 2 v sum C.  The
 * kernel values of LIBSVM are floats.
 */
static void test_optimum(void)
{
	static struct sample s;
	int n_solved = 0;

	for (int trial = 0; trial < 150; trial++) {
		struct certificate c;
		struct error err = { 0 };
		double v, sum_c = 0;

		sample_init(&s, machines[trial % 3], 20 + random_below(60));
		if (!solve_with_libsvm(&s)) {
			sample_free(&s);
			continue;
		}
		n_solved++;
		for (int64_t i = 0; i < s.p.view.n; i++)
			sum_c += problem_c(&s.p.view, i);
		v = 2 * s.t.eps +
		    (double)s.p.view.n * (double)FLT_EPSILON * problem_c(&s.p.view, 0);
		CHECK(certificate_make(&s.p.view, &s.x, v, &c, &err) == 0, "%s", err.text);
		CHECK(fabs(c.primal - c.dual) <= 2 * v * sum_c, "machine %d: %g to %g", s.t.type,
		      c.primal, c.dual);
		CHECK(c.n_violators == 0, "machine %d: %" PRId64 " violators", s.t.type,
		      c.n_violators);
		sample_free(&s);
	}
	CHECK(n_solved > 100, "%d solved", n_solved);
}

/* ---- Our own solution ---- */

/* Solve by nested subsets, of which there are two or three, to eps. */
static struct certificate solve_problem(const struct problem_view *p, double eps, struct iterate *x)
{
	struct solver solver = smo_solver(10, 1);
	struct randsvm_options options = small_options(eps);
	struct randsvm_task task = { .p = p, .solver = &solver, .options = &options, .x = *x };
	struct error err = { 0 };

	CHECK(randsvm_solve(&task, &err) == 0, "%s", err.text);
	*x = task.x;
	CHECK(task.result.certificate.n_violators == 0, "%" PRId64 " violators",
	      task.result.certificate.n_violators);
	return task.result.certificate;
}

static void expect_feasible(const struct sample *s)
{
	const struct problem_view *p = &s->p.view;
	double plus = 0, minus = 0, slack;

	for (int64_t i = 0; i < p->n; i++) {
		CHECK(s->beta[i] >= problem_lower(p, i) && s->beta[i] <= problem_upper(p, i),
		      "multiplier %g", s->beta[i]);
		plus += fmax(s->beta[i], 0);
		minus += fmax(-s->beta[i], 0);
	}
	/* nu-SVR's sums are limits */
	slack = p->type == MACHINE_NU_SVR ? fmax(p->sum_plus - plus, 0) : 0;
	CHECK(fabs(p->sum_plus - plus - slack) <= 1e-9 * p->sum_plus, "machine %d: %g, not %g",
	      p->type, plus, p->sum_plus);
	CHECK(fabs(p->sum_minus - minus - slack) <= 1e-9 * p->sum_plus, "machine %d: %g, not %g",
	      p->type, minus, p->sum_minus);
}

/*
 * What nu bounds: at most nu l examples are beyond their threshold by more than the tolerance, and
 * at least nu l (of either class half of that) have multipliers.
 */
static void expect_shares(const struct sample *s, double eps)
{
	const struct problem_view at = problem_at(&s->p.view, &s->x);
	int64_t n_beyond = 0, n_vectors = 0;
	double share = s->t.nu * (double)at.n;

	for (int64_t i = 0; i < at.n; i++) {
		n_beyond += certificate_violates(&at, i, s->f[i] - s->x.rho, 2 * eps);
		n_vectors += s->beta[i] != 0;
	}
	CHECK((double)n_beyond <= share + 1e-9, "machine %d: %" PRId64 " beyond, nu l = %g",
	      at.type, n_beyond, share);
	CHECK((double)n_vectors >= share - 1e-9 || at.type == MACHINE_NU_SVR,
	      "machine %d: %" PRId64 " vectors, nu l = %g", at.type, n_vectors, share);
}

/* The same machine with the C or epsilon that nu led to has the same solution. */
static void expect_equal_machine(const struct sample *s, const struct certificate *found)
{
	static double beta[MAX_N], f[MAX_N];
	struct problem_view p = s->p.view;
	struct iterate x = { .beta = beta, .f = f };
	struct certificate c;
	double wanted, r = -s->x.epsilon, sums = p.sum_plus + p.sum_minus;

	if (p.type == MACHINE_NU_SVC) {
		p.type = MACHINE_C_SVC;
		p.c_plus = p.c_minus = 1 / r;
		wanted = found->dual / (r * r) + sums / r;
	} else {
		p.type = MACHINE_EPSILON_SVR;
		p.epsilon = s->x.epsilon;
		wanted = found->dual - sums * s->x.epsilon;
	}
	p.sum_plus = p.sum_minus = 0;
	c = solve_problem(&p, 1e-5, &x);
	CHECK(fabs(c.dual - wanted) <= 2e-4 * fabs(wanted), "machine %d: %g, not %g", s->t.type,
	      c.dual, wanted);
	CHECK(fabs(x.rho - s->x.rho / (s->t.type == MACHINE_NU_SVC ? r : 1)) <= 1e-2,
	      "machine %d: rho %g", s->t.type, x.rho);
}

/* nu between what any classes allow and 1, so that there is a margin. */
static void test_solutions(void)
{
	static struct sample s;
	const double eps = 1e-5;

	for (int trial = 0; trial < 30; trial++) {
		struct certificate c;

		sample_init(&s, machines[trial % 3], 150 + random_below(MAX_N - 150));
		s.t.nu = random_between(0.3, 0.6);
		problem_free(&s.p);
		make_problem(&s);
		s.x.rho = s.x.epsilon = 0;
		c = solve_problem(&s.p.view, eps, &s.x);
		CHECK(certificate_relative_gap(&c) <= 1e-3 && c.primal >= c.dual,
		      "machine %d: %g to %g", s.t.type, c.primal, c.dual);
		expect_feasible(&s);
		expect_shares(&s, eps);
		if (s.t.type != MACHINE_ONE_CLASS)
			expect_equal_machine(&s, &c);
		sample_free(&s);
	}
}

/* Targets on a smooth curve and a large nu: no tube is best, and the sums fall short of limits. */
static void test_vanishing_tube(void)
{
	static struct sample s;

	for (int trial = 0; trial < 6; trial++) {
		struct certificate c;
		double *full;

		sample_init(&s, MACHINE_NU_SVR, 100 + 40 * trial + trial % 2);
		full = full_of_rows(&s.d.x);
		for (int64_t i = 0; i < s.p.view.n; i++)
			s.y[i] = sin(full[i * N_COLS + 1] + full[i * N_COLS + 2]);
		free(full);
		s.t.nu = trial < 2 ? 1 : 0.9;
		s.t.C = 0.5;
		s.t.kernel.gamma = 0.2;
		problem_free(&s.p);
		make_problem(&s);
		s.x.rho = s.x.epsilon = 0;
		c = solve_problem(&s.p.view, 1e-5, &s.x);
		CHECK(s.x.epsilon <= 1e-3, "epsilon %g", s.x.epsilon);
		CHECK(certificate_relative_gap(&c) <= 1e-2, "%g to %g", c.primal, c.dual);
		expect_feasible(&s);
		sample_free(&s);
	}
}

/*
 * Sums of multipliers that underflow leave one side, whose constant is among the targets; valgrind
 * sees whether the other one's is looked at.
 */
static void test_vanishing_sums(void)
{
	static struct sample s;
	double least = INFINITY, most = -INFINITY;

	sample_init(&s, MACHINE_NU_SVR, 40);
	s.t.nu = 5e-324;
	s.t.C = 0.01;
	problem_free(&s.p);
	make_problem(&s);
	for (int64_t i = 0; i < s.p.view.n; i++) {
		least = fmin(least, s.y[i]);
		most = fmax(most, s.y[i]);
	}
	s.x.rho = s.x.epsilon = 0;
	solve_problem(&s.p.view, 1e-5, &s.x);
	CHECK(-s.x.rho >= least && -s.x.rho <= most && s.x.epsilon == 0, "rho %g, epsilon %g",
	      s.x.rho, s.x.epsilon);
	sample_free(&s);
}

/* ---- Sums ---- */

/* Half of nu n for classes of 10 and 30 rows, but no more than the smaller class allows. */
static void test_sums(void)
{
	static const double nu[] = { 0.25, 0.5, 0.9 }, want[] = { 5, 10, 10 };
	static struct sample s;
	struct error err = { 0 };

	sample_init(&s, MACHINE_NU_SVC, 40);
	classes_free(&s.classes);
	for (int64_t i = 0; i < 40; i++)
		s.y[i] = i < 10 ? 1 : -1;
	CHECK(classes_init(&s.classes, &s.d, &err) == 0, "%s", err.text);
	for (int k = 0; k < 3; k++) {
		problem_free(&s.p);
		s.t.nu = nu[k];
		make_problem(&s);
		CHECK(s.p.view.sum_plus == want[k] && s.p.view.sum_minus == want[k], "%g: %g, %g",
		      nu[k], s.p.view.sum_plus, s.p.view.sum_minus);
	}
	sample_free(&s);
}

static int certify_once(void *arg, struct error *err)
{
	struct sample *s = arg;
	struct certificate c;

	return certificate_make(&s->p.view, &s->x, 1e-3, &c, err);
}

static int solve_once(void *arg, struct error *err)
{
	struct sample *s = arg;
	struct solver solver = smo_solver(10, 1);
	struct randsvm_options options = small_options(1e-3);
	struct randsvm_task task = {
		.p = &s->p.view, .solver = &solver, .options = &options, .x = s->x
	};

	options.n_threads = 1;
	return randsvm_solve(&task, err);
}

static void test_memory(void)
{
	static struct sample s;

	sample_init(&s, MACHINE_NU_SVR, 10);
	CHECK(fail_each_allocation("certificate_make", certify_once, &s) == 1,
	      "not one allocation");
	sample_free(&s);
	for (size_t k = 0; k < sizeof(machines) / sizeof(*machines); k++) {
		sample_init(&s, machines[k], 150);
		s.t.nu = 0.4;
		problem_free(&s.p);
		make_problem(&s);
		CHECK(fail_each_allocation("solution", solve_once, &s) > 20, "few allocations");
		sample_free(&s);
	}
}

int main(void)
{
	test_random_beta();
	test_outside_violators();
	test_optimum();
	test_solutions();
	test_vanishing_tube();
	test_vanishing_sums();
	test_sums();
	test_memory();
	return unit_report("nu");
}
