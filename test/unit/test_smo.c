/*
 * test_smo.c - the native solver against plain loops and against LIBSVM
 *
 * On 2 to 4 threads where it says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "proof/certificate.h"
#include "random.h"
#include "plain_problem.h"
#include "smo/row_cache.h"
#include "smo/smo.h"
#include "smo/smo_sets.h"
#include "source/float_source.h"
#include "train/libsvm_adapter.h"
#include "unit.h"
#include "world.h"

#define MAX_N 400

static void make_world(struct world *s, enum machine_type type, enum kernel_type kernel, int64_t n,
		       double density)
{
	world_init(s, (struct problem_view){ .type = type,
					     .kernel = { kernel, 3, 0.2, 0.5 },
					     .n = n,
					     .c_plus = 2,
					     .c_minus = 0.7,
					     .epsilon = 0.3 });
	random_rows(&s->x, n, 11, density);
	for (int64_t i = 0; i < n; i++)
		s->target[i] = type == MACHINE_C_SVC ? (random_unit() < 0.4 ? 1 : -1) :
						       random_between(-3, 3);
	s->target[0] = 1;
	s->target[1] = -1;
}

static bool solve(struct world *s, struct solver solver, double eps)
{
	struct error err = { 0 };

	return CHECK(world_solve(s, solver, eps, &err) == 0, "%s", err.text);
}

static void check_feasible(const struct world *s)
{
	double sum = plain_sum(s->beta, s->p.n);

	CHECK(plain_excess(&s->p, s->beta) <= 0, "beta is beyond a bound by %g",
	      plain_excess(&s->p, s->beta));
	CHECK(fabs(sum) < 1e-10, "sum of beta %g", sum);
}

static void check_optimal(struct world *s, double eps, const char *what)
{
	double f[MAX_N], violation;

	plain_values(&s->p, s->beta, f);
	violation = plain_violation(&s->p, s->beta, f);
	/* rows are floats: 6e-8 relative each, and hundreds of them are summed */
	CHECK(violation <= eps + 1e-4, "%s: violation %g, eps %g", what, violation, eps);
	check_feasible(s);
}

static void test_against_libsvm(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_EPSILON_SVR };
	struct solver libsvm = libsvm_solver(100, true);

	for (int t = 0; t < 2; t++)
		for (int k = KERNEL_LINEAR; k <= KERNEL_RBF; k++) {
			struct world s;
			double ours, theirs, rho, f[MAX_N];

			make_world(&s, types[t], (enum kernel_type)k, 150, 0.6);
			if (!solve(&s, smo_solver(10, 2), 1e-4))
				continue;
			check_optimal(&s, 1e-4, "cold");
			plain_values(&s.p, s.beta, f);
			ours = certificate_dual(&s.p, s.beta, f);
			rho = s.at.rho;
			if (!solve(&s, libsvm, 1e-4))
				continue;
			plain_values(&s.p, s.beta, f);
			theirs = certificate_dual(&s.p, s.beta, f);
			CHECK(fabs(ours - theirs) <= 1e-5 * fabs(theirs),
			      "type %d kernel %d: %.9g, not %.9g", t, k, ours, theirs);
			CHECK(fabs(rho - s.at.rho) < 5e-3 * (1 + fabs(s.at.rho)),
			      "type %d kernel %d: rho %g, not %g", t, k, rho, s.at.rho);
			world_free(&s);
		}
}

/* The rows' own order, but positive targets first: LIBSVM's order. */
static void sort_targets(struct world *s)
{
	int64_t n = 0;

	for (int64_t i = 0; i < s->p.n; i++)
		n += s->target[i] > 0;
	for (int64_t i = 0; i < s->p.n; i++)
		s->target[i] = i < n ? 1 : -1;
}

/*
 * LIBSVM of an i386 computes by x87, with more digits: its last steps are others there, to the same
 * multipliers.
 */
#ifdef __i386__
#define LIBSVM_HAS_DOUBLES false
#else
#define LIBSVM_HAS_DOUBLES true
#endif

/*
 * Where the kernel is not definite, each step is LIBSVM's: hundreds to ten thousands of them, more
 * than the 400 or 800 after which variables are first left aside.  'cache_mb' = 0 has room for a
 * sixth of the rows.
 */
static void expect_libsvm_steps(enum machine_type type, double gamma, double coef0, double c)
{
	static struct world ours, theirs;
	double difference = 0;

	make_world(&ours, type, KERNEL_SIGMOID, MAX_N, 0.6);
	if (type == MACHINE_C_SVC)
		sort_targets(&ours);
	ours.p.kernel.gamma = gamma;
	ours.p.kernel.coef0 = coef0;
	ours.p.c_plus *= c;
	ours.p.c_minus *= c;
	world_copy(&theirs, &ours);
	if (solve(&theirs, libsvm_solver(100, true), 1e-3) &&
	    solve(&ours, smo_solver(0, 2), 1e-3)) {
		for (int64_t i = 0; i < MAX_N; i++)
			difference = fmax(difference, fabs(ours.beta[i] - theirs.beta[i]));
		CHECK((!LIBSVM_HAS_DOUBLES || ours.at.n_iterations == theirs.at.n_iterations) &&
			      difference <= 1e-9 * c,
		      "type %d gamma %g coef0 %g C %g: %" PRId64 " steps, not %" PRId64
		      ", multipliers off by %g",
		      type, gamma, coef0, c, ours.at.n_iterations, theirs.at.n_iterations,
		      difference);
		check_feasible(&ours);
	}
	world_free(&ours);
	world_free(&theirs);
}

static void test_libsvm_steps(void)
{
	for (double gamma = 0.015625; gamma <= 1; gamma *= 4)
		for (int coef0 = -1; coef0 <= 1; coef0++)
			for (double c = 0.25; c <= 1000; c *= 16) {
				expect_libsvm_steps(MACHINE_C_SVC, gamma, coef0, c);
				expect_libsvm_steps(MACHINE_EPSILON_SVR, gamma, coef0, c);
			}
}

static void test_warm_start(void)
{
	struct world s;
	int64_t cold;

	make_world(&s, MACHINE_C_SVC, KERNEL_RBF, 300, 0.5);
	solve(&s, smo_solver(10, 1), 1e-3);
	cold = s.at.n_iterations;
	plain_values(&s.p, s.beta, s.f);
	solve(&s, smo_solver(10, 1), 1e-3);
	CHECK(s.at.n_iterations <= 3, "%" PRId64 " steps from the solution", s.at.n_iterations);
	plain_values(&s.p, s.beta, s.f);
	solve(&s, smo_solver(10, 1), 1e-5);
	CHECK(s.at.n_iterations < cold, "%" PRId64 " steps more, %" PRId64 " from zero",
	      s.at.n_iterations, cold);
	check_optimal(&s, 1e-5, "warm");
	world_free(&s);
}

/* f = sin(x) / x and noise, one feature: the kernel matrix is all but singular. */
static void make_sinc(struct world *s, double c)
{
	make_world(s, MACHINE_EPSILON_SVR, KERNEL_RBF, 300, 1);
	for (int64_t i = 0; i < s->p.n; i++) {
		double x = random_between(-10, 10);

		for (int64_t k = s->x.row_start[i]; k < s->x.row_start[i + 1]; k++)
			s->x.val[k] = s->x.col[k] == 1 ? x : 0;
		s->target[i] = sin(x) / x + random_between(-0.2, 0.2);
	}
	s->p.kernel.gamma = 0.5;
	s->p.c_plus = s->p.c_minus = c;
	s->p.epsilon = 0.1;
}

/*
 * Pairs alone take millions of steps here, and LIBSVM's do not end.  Several draws, as roundings
 * decide where a face of a nearly singular matrix ends.
 */
static void test_ill_conditioned(void)
{
	static const double c[] = { 100, 1e4, 1e6, 1e6, 1e6, 1e6 };

	for (int k = 0; k < 6; k++) {
		struct world s;
		double f[MAX_N], violation;

		make_sinc(&s, c[k]);
		world_start_cold(&s);
		if (!solve(&s, smo_solver(10, 1), 1e-3))
			continue;
		plain_values(&s.p, s.beta, f);
		violation = plain_violation(&s.p, s.beta, f);
		CHECK(violation <= 2e-3, "C %g: violation %g", c[k], violation);
		CHECK(s.at.n_iterations < 300000, "C %g: %" PRId64 " steps", c[k],
		      s.at.n_iterations);
		world_free(&s);
	}
}

/* Run after run of not many steps, Newton's among them. */
static void check_rise(struct world *s, const char *what)
{
	struct error err = { 0 };
	struct smo smo;
	bool everyone[MAX_N];
	double f[MAX_N], dual = -1e-9;
	int ret = 1;

	memset(everyone, true, sizeof(everyone));
	s->at = (struct iterate){ .beta = s->beta, .f = s->f };
	if (!CHECK(smo_init(&smo, &s->p, 10, 1, NULL, &err) == 0 &&
			   smo_set_members(&smo, everyone, &err) == 0,
		   "%s", err.text))
		return;
	for (int run = 0; run < 30 && ret == 1; run++) {
		double now, sum;

		ret = smo_run(&smo, 1, 1e-3, 700, &s->at, &err);
		plain_values(&s->p, s->beta, f);
		now = certificate_dual(&s->p, s->beta, f);
		sum = plain_sum(s->beta, s->p.n);
		CHECK(now >= dual - 1e-7 * fabs(dual), "%s: the dual falls from %.12g to %.12g",
		      what, dual, now);
		dual = now;
		CHECK(plain_excess(&s->p, s->beta) <= 0, "%s: beyond a bound by %g", what,
		      plain_excess(&s->p, s->beta));
		CHECK(fabs(sum) <= 1e-9 * s->p.c_plus, "%s: sum of beta %g", what, sum);
	}
	CHECK(s->at.n_iterations > 700, "%s: only %" PRId64 " steps", what, s->at.n_iterations);
	smo_free(&smo);
}

static void test_dual_rises(void)
{
	struct world s;

	for (double c = 100; c < 1e7; c *= 100) {
		make_sinc(&s, c);
		check_rise(&s, "sinc");
		world_free(&s);
		make_world(&s, MACHINE_C_SVC, KERNEL_RBF, MAX_N, 0.5);
		s.p.kernel.gamma = 0.01;
		s.p.c_plus = c;
		s.p.c_minus = 2 * c;
		check_rise(&s, "classes");
		world_free(&s);
	}
}

/* Neither threads nor what the cache has room for change a bit. */
static void test_same_bits(void)
{
	struct world a, b;

	make_world(&a, MACHINE_EPSILON_SVR, KERNEL_RBF, MAX_N, 0.5);
	world_copy(&b, &a);
	solve(&a, smo_solver(100, 1), 1e-3);
	solve(&b, smo_solver(1e-6, 4), 1e-3);
	CHECK(memcmp(a.beta, b.beta, MAX_N * sizeof(*a.beta)) == 0 &&
		      a.at.n_iterations == b.at.n_iterations,
	      "%" PRId64 " and %" PRId64 " steps", a.at.n_iterations, b.at.n_iterations);
	world_free(&a);
	world_free(&b);
}

/* Equal rows with opposite labels, kernels that are not positive definite, no features. */
static void test_hostile(void)
{
	struct world s;

	make_world(&s, MACHINE_C_SVC, KERNEL_LINEAR, 200, 0.01);
	solve(&s, smo_solver(10, 1), 1e-3);
	check_optimal(&s, 1e-3, "nearly empty rows");
	world_free(&s);

	make_world(&s, MACHINE_C_SVC, KERNEL_SIGMOID, 200, 0.8);
	s.p.kernel.gamma = 2;
	s.p.kernel.coef0 = -1;
	if (solve(&s, smo_solver(10, 1), 1e-3))
		check_feasible(&s);
	world_free(&s);

	make_world(&s, MACHINE_C_SVC, KERNEL_RBF, 2, 1);
	solve(&s, smo_solver(10, 1), 1e-3);
	check_optimal(&s, 1e-3, "two rows");
	world_free(&s);

	make_world(&s, MACHINE_EPSILON_SVR, KERNEL_RBF, 100, 0.5);
	for (int64_t i = 0; i < 100; i++)
		s.target[i] = 7;
	solve(&s, smo_solver(10, 1), 1e-3);
	CHECK(s.at.n_iterations == 0 && fabs(s.at.rho + 7) <= 0.3, "constant target: rho %g",
	      s.at.rho);
	world_free(&s);
}

/* Row i of the cache against the plain kernel. */
static void expect_row(const struct world *s, struct row_cache *rows, int64_t i)
{
	const struct kernel *k = &s->p.kernel;
	const void *row = row_cache_get(rows, i);
	struct smo_arrays a = { .in_doubles = rows->source->in_doubles };
	int64_t at = rows->members.example[i];

	for (int64_t j = 0; j < rows->members.n; j++) {
		int64_t other = rows->members.example[j];
		double wanted = plain_row_kernel(k, &s->x, at, other);
		double size = sqrt(fabs(plain_row_kernel(k, &s->x, at, at) *
					plain_row_kernel(k, &s->x, other, other)));
		double value = smo_row_value(&a, row, j);

		CHECK(fabs(value - wanted) <= (rows->source->in_doubles ? 1e-12 : 1e-6) * size,
		      "%g, not %g", value, wanted);
	}
}

/* Some join, some leave; 'is_member' is kept up. */
static void change_members(struct row_cache *rows, bool *is_member, struct error *err)
{
	int64_t list[MAX_N], n = 0;

	if (random_below(2)) {
		for (int64_t k = 0; k < rows->members.n; k++)
			if (random_below(5))
				list[n++] = k;
			else
				is_member[rows->members.example[k]] = false;
		row_cache_keep(rows, list, n);
		return;
	}
	for (int64_t i = 0; i < rows->source->p->n; i++)
		if (!is_member[i] && random_below(4) == 0) {
			list[n++] = i;
			is_member[i] = true;
		}
	CHECK(row_cache_add(rows, list, n, err) == 0, "%s", err->text);
}

/* Fetch up to n members that are not cached, from a random one on, and expect their rows. */
static void fetch_some(const struct world *s, struct row_cache *rows, int n)
{
	int64_t member[KERNEL_ROWS_AT_ONCE], first = random_below(rows->members.n);
	struct error err = { 0 };
	int found = 0;

	for (int64_t k = 0; k < rows->members.n && found < n; k++) {
		int64_t i = (first + k) % rows->members.n;

		if (!row_cache_cached(rows, i))
			member[found++] = i;
	}
	CHECK(row_cache_fetch(rows, member, found, &err) == 0, "%s", err.text);
	for (int v = 0; v < found; v++)
		expect_row(s, rows, member[v]);
}

/*
 * Every cached row is the kernel's, whatever was thrown out in between and whoever came or left: in
 * a cache of the least slots, and in one that has room to make them longer.
 */
static void test_rows(enum kernel_type kernel, bool single, double cache_mb)
{
	struct world s;
	struct kernel_rows source;
	struct row_cache rows;
	struct error err = { 0 };
	bool is_member[MAX_N] = { false };

	make_world(&s, MACHINE_C_SVC, kernel, 100, 0.5);
	s.p.kernel.gamma = 0.05; /* little enough for single precision */
	s.p.kernel.degree = 2;
	if (single)
		world_use_single(&s);
	if (!CHECK(kernel_rows_init(&source, &s.p, 3, &err) == 0, "%s", err.text))
		return;
	row_cache_init(&rows, &source, cache_mb);
	for (int round = 0; round < 300; round++) {
		int64_t i;

		if (round % 10 == 0)
			change_members(&rows, is_member, &err);
		if (rows.members.n == 0)
			continue;
		if (round % 70 == 0)
			row_cache_forget(&rows);
		i = random_below(rows.members.n);
		if (!row_cache_cached(&rows, i))
			CHECK(row_cache_fetch(&rows, &i, 1, &err) == 0, "%s", err.text);
		expect_row(&s, &rows, i);
		fetch_some(&s, &rows, 1 + (int)random_below(KERNEL_ROWS_AT_ONCE));
	}
	row_cache_free(&rows);
	kernel_rows_free(&source);
	world_free(&s);
}

/* Sums of the members' rows: those of plain loops, and the same bits whatever is cached. */
static void test_sums(bool single)
{
	static const double cache_mb[] = { 10, 1e-6 };
	struct world s;
	struct error err = { 0 };
	double wanted[MAX_N], f[2][MAX_N];
	bool everyone[MAX_N];

	make_world(&s, MACHINE_C_SVC, KERNEL_RBF, 301, 0.5);
	s.p.kernel.gamma = 0.05;
	memset(everyone, true, sizeof(everyone));
	if (single)
		world_use_single(&s);
	for (int c = 0; c < 2; c++) {
		struct smo smo;

		world_start_cold(&s);
		s.at = (struct iterate){ .beta = s.beta, .f = s.f };
		CHECK(smo_init(&smo, &s.p, cache_mb[c], 2, NULL, &err) == 0 &&
			      smo_set_members(&smo, everyone, &err) == 0 &&
			      smo_run(&smo, 1, 1e-3, 10000, &s.at, &err) == 0 &&
			      smo_sums(&smo, s.beta, false, f[c], &err) == 0,
		      "%s", err.text);
		smo_free(&smo);
	}
	plain_values(&s.p, s.beta, wanted);
	for (int64_t i = 0; i < s.p.n; i++)
		CHECK(fabs(f[0][i] - wanted[i]) < 1e-5, "%.9g, not %.9g", f[0][i], wanted[i]);
	CHECK(!memcmp(f[0], f[1], (size_t)s.p.n * sizeof(**f)), "other bits");
	world_free(&s);
}

static int solve_again(void *arg, struct error *err)
{
	struct world *s = arg;

	world_start_cold(s);
	return world_solve(s, smo_solver(10, 1), 1e-3, err);
}

static void test_memory(void)
{
	struct world s;

	make_world(&s, MACHINE_C_SVC, KERNEL_RBF, 50, 0.5);
	CHECK(fail_each_allocation("smo", solve_again, &s) > 5, "few allocations");
	world_free(&s);
	make_sinc(&s, 100);
	CHECK(fail_each_allocation("Newton", solve_again, &s) > 30, "few allocations");
	world_free(&s);
}

/* Slopes that overflow to one side leave it a violation that is no number: the other side has the pair. */
static void test_overflow(void)
{
	const struct smo_set set = { .n_sides = SMO_SIDES };
	const struct smo_extremes x[SMO_SIDES] = { { .up = -INFINITY, .down = -INFINITY },
						   { .up = 1, .down = -1 } };
	const struct smo_direction d = smo_worst_direction(&set, x);

	CHECK(d.raised == SMO_MINUS && d.lowered == SMO_MINUS, "%d, %d", d.raised, d.lowered);
	CHECK(smo_violation(&set, x) == 2, "%g", smo_violation(&set, x));
}

int main(void)
{
	test_overflow();
	test_against_libsvm();
	test_libsvm_steps();
	test_warm_start();
	test_ill_conditioned();
	test_dual_rises();
	test_same_bits();
	test_hostile();
	for (int single = 0; single <= 1; single++) {
		test_rows(KERNEL_POLYNOMIAL, single, 1e-6);
		test_rows(KERNEL_POLYNOMIAL, single, 1);
		test_rows(KERNEL_RBF, single, 1e-6);
		test_rows(KERNEL_RBF, single, 1);
		test_rows(KERNEL_SIGMOID, single, 1e-6);
		test_rows(KERNEL_SIGMOID, single, 1);
		test_rows(KERNEL_LINEAR, single, 1e-6);
		test_rows(KERNEL_LINEAR, single, 1);
	}
	test_sums(false);
	test_sums(true);
	test_memory();
	return unit_report("smo");
}
