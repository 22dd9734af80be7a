/*
 * test_exact.c - the optimum by nested subsets: is it one, is it LIBSVM's, and what is it worth?
 *
 * All that is claimed is recomputed in double, by plain loops.  On 1 to 4 threads where it
 * says so.
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
#include "random.h"
#include "kernel/float_form.h"
#include "smo/smo.h"
#include "source/float_source.h"
#include "train/exact.h"
#include "train/libsvm_adapter.h"
#include "train/solve.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { MAX_N = 4000, MAX_D = 8, MAX_ROUNDS = 300 };

/* A problem, how to solve it, and what became of it. */
struct world {
	struct problem_view p;
	struct csr x;
	struct float_vectors single;
	struct kernel_source floats; /* of these */
	int d;
	double dense[MAX_N][MAX_D];
	int64_t row[MAX_N];
	double target[MAX_N];
	struct randsvm_options o;
	double cache_mb;
	struct interruption interruption;
	int64_t n_polls, polls_granted;
	/* results */
	double beta[MAX_N], f[MAX_N], plain[MAX_N]; /* plain: f, recomputed */
	struct randsvm_task task;
	int n_rounds;
	struct randsvm_round round[MAX_ROUNDS];
};

static bool is_svc(const struct world *w)
{
	return w->p.type == MACHINE_C_SVC;
}

static bool end_requested(void *arg)
{
	struct world *w = arg;

	return w->n_polls++ >= w->polls_granted;
}

/* n points of d features, each there with that probability; no targets yet. */
static void world_init(struct world *w, enum machine_type type, struct kernel kernel, int64_t n,
		       int d, double density)
{
	memset(w, 0, sizeof(*w));
	w->d = d;
	for (int64_t i = 0; i < n; i++) {
		w->row[i] = i;
		for (int c = 0; c < d; c++)
			w->dense[i][c] = random_unit() < density ? random_normal() : 0;
	}
	w->p = (struct problem_view){ .type = type,
				      .kernel = kernel,
				      .x = &w->x,
				      .row = w->row,
				      .target = w->target,
				      .n = n,
				      .c_plus = 1,
				      .c_minus = 1,
				      .epsilon = type == MACHINE_C_SVC ? 0 : 0.1 };
	w->o = (struct randsvm_options){
		.mode = WORKING_SET_EXACT, .seed = 3, .eps = 1e-3, .sample = 30, .n_threads = 1
	};
	w->cache_mb = 50;
	w->polls_granted = INT64_MAX;
	w->interruption = (struct interruption){ .requested = end_requested, .arg = w };
}

/* Move the classes apart by 'distance' along all features; one in twenty labels is wrong. */
static void make_targets(struct world *w, double distance)
{
	for (int64_t i = 0; i < w->p.n; i++) {
		const double *x = w->dense[i];
		double side = random_below(5) < 2 ? 1 : -1;

		if (is_svc(w)) {
			for (int c = 0; c < w->d; c++)
				w->dense[i][c] += x[c] != 0 ? side * distance / 2 : 0;
			w->target[i] = random_below(20) ? side : -side;
		} else {
			w->target[i] = sin(x[0]) + 0.5 * x[w->d - 1] + 0.2 * random_normal();
		}
	}
	if (is_svc(w)) {
		w->target[0] = 1;
		w->target[1] = -1;
	}
}

/* The matrix of what is dense; call after the last change. */
static void make_matrix(struct world *w)
{
	struct error err = { 0 };

	float_vectors_free(&w->single);
	csr_free(&w->x);
	full_rows(&w->x, w->dense[0], w->p.n, MAX_D, 1, 5);
	w->floats = float_source_make(&w->single, &plain_source);
	w->p.source =
		float_vectors_init(&w->single, &w->x, &w->p.kernel, &err) == 0 ? &w->floats : NULL;
}

static void world_free(struct world *w)
{
	float_vectors_free(&w->single);
	csr_free(&w->x);
}

/* Pointers are into the world itself, so a copy needs its own; the matrix is made anew. */
static void world_copy(struct world *to, const struct world *from)
{
	*to = *from;
	to->x = (struct csr){ 0 };
	to->single = (struct float_vectors){ 0 };
	to->p.x = &to->x;
	to->p.row = to->row;
	to->p.target = to->target;
	to->interruption.arg = to;
	make_matrix(to);
}

static void note_round(void *arg, const struct randsvm_round *round)
{
	struct world *w = arg;

	if (CHECK(w->n_rounds < MAX_ROUNDS, "%d rounds", w->n_rounds))
		w->round[w->n_rounds++] = *round;
}

/* By 'solve', which returns as exact_solve() does. */
static int try_by(int (*solve)(struct randsvm_task *task, struct error *err), struct world *w,
		  struct error *err)
{
	struct randsvm_observer observer = { .round = note_round, .arg = w };
	struct solver solver = smo_solver(w->cache_mb, w->o.n_threads);

	solver.interruption = &w->interruption;
	w->n_rounds = 0;
	w->n_polls = 0;
	w->task = (struct randsvm_task){ .p = &w->p,
					 .solver = &solver,
					 .options = &w->o,
					 .observer = &observer,
					 .x = { .beta = w->beta, .f = w->f } };
	return solve(&w->task, err);
}

static int try_to_train(struct world *w, struct error *err)
{
	return try_by(randsvm_solve, w, err);
}

static int solve_exactly(struct randsvm_task *task, struct error *err)
{
	return exact_solve(task, INFINITY, err);
}

static int try_to_solve(struct world *w, struct error *err)
{
	return try_by(solve_exactly, w, err);
}

/* ---- By definition ---- */

/* f at x; all of them, by dense rows in the order of the examples. */
static double evaluate(const struct world *w, const double *x)
{
	double sum = 0;

	for (int64_t j = 0; j < w->p.n; j++)
		if (w->beta[j] != 0)
			sum += w->beta[j] * plain_kernel(&w->p.kernel, x, w->dense[j], w->d);
	return sum;
}

static void evaluate_all(struct world *w)
{
	for (int64_t i = 0; i < w->p.n; i++)
		w->plain[i] = evaluate(w, w->dense[i]);
}

static double violation(const struct world *w)
{
	return plain_violation(&w->p, w->beta, w->plain);
}

static double dual(const struct world *w)
{
	return plain_dual(&w->p, w->beta, w->plain);
}

static double least_primal(const struct world *w)
{
	return plain_certificate(&w->p, w->beta, w->plain).primal;
}

/* ---- What must hold ---- */

/* Bounds exactly, the sum to rounding. */
static void expect_feasible(const struct world *w, const char *what)
{
	double sum = plain_sum(w->beta, w->p.n), size = 0;

	for (int64_t i = 0; i < w->p.n; i++)
		size += plain_c(&w->p, i);
	CHECK(plain_excess(&w->p, w->beta) <= 0, "%s: beyond a bound by %g", what,
	      plain_excess(&w->p, w->beta));
	CHECK(fabs(sum) <= 1e-12 * size, "%s: sum of beta %g", what, sum);
}

/* |beta|, times the largest K(x, x): how much all errors of kernel values together weigh */
static double weight(const struct world *w)
{
	double sum = 0, most = 0;

	for (int64_t i = 0; i < w->p.n; i++) {
		sum += w->beta[i] * w->beta[i];
		most = fmax(most, fabs(plain_kernel(&w->p.kernel, w->dense[i], w->dense[i], w->d)));
	}
	return sqrt(sum) * most;
}

/* The certificate says what plain loops say, to 1e-6 and the errors of kernel values. */
static void expect_honest(const struct world *w, const char *what)
{
	const struct certificate *c = &w->task.result.certificate;
	const struct certificate plain = plain_certificate(&w->p, w->beta, w->plain);
	double all_c = 0, beta2 = 0, error;

	for (int64_t i = 0; i < w->p.n; i++) {
		all_c += plain_c(&w->p, i) * plain_c(&w->p, i);
		beta2 += w->beta[i] * w->beta[i];
	}
	error = 1e-6 * plain.primal + 1e-7 * weight(w) * sqrt(beta2);
	CHECK(fabs(c->dual - plain.dual) <= error, "%s: dual %.9g, not %.9g", what, c->dual,
	      plain.dual);
	error += 4e-7 * weight(w) * sqrt(all_c);
	CHECK(fabs(c->primal - plain.primal) <= error, "%s: primal %.9g, not %.9g", what, c->primal,
	      plain.primal);
	CHECK(c->n_sv == plain.n_sv && c->n_bounded_sv == plain.n_bounded_sv,
	      "%s: %" PRId64 " vectors, %" PRId64 " bounded; not %" PRId64 ", %" PRId64, what,
	      c->n_sv, c->n_bounded_sv, plain.n_sv, plain.n_bounded_sv);
	CHECK(fabs(c->sum_abs_beta - plain.sum_abs_beta) <= 1e-12 * plain.sum_abs_beta,
	      "%s: %g, not %g", what, c->sum_abs_beta, plain.sum_abs_beta);
}

/* Every round's proof holds for the optimum, which lies between the plain bounds of the end. */
static void expect_bounds(const struct world *w, const char *what)
{
	double best_primal = DBL_MAX, best_dual = -INFINITY, all_c = 0;
	double above = least_primal(w), below = dual(w), room;

	for (int64_t i = 0; i < w->p.n; i++)
		all_c += plain_c(&w->p, i) * plain_c(&w->p, i);
	room = 1e-6 * above + 5e-7 * weight(w) * sqrt(all_c); /* as expect_honest() has it */
	for (int t = 0; t < w->n_rounds; t++) {
		const struct randsvm_round *r = &w->round[t];

		CHECK(r->number == t + 1 && r->subset <= w->p.n &&
			      r->working_set <= r->subset + 1 + r->subset / 5,
		      "%s: round %d of %" PRId64 " in %" PRId64, what, r->number, r->working_set,
		      r->subset);
		CHECK(t == 0 || r->subset >= w->round[t - 1].subset, "%s: a smaller subset", what);
		CHECK(isnan(r->primal) == (r->subset < w->p.n) &&
			      isnan(r->dual) == isnan(r->primal),
		      "%s: primal %g of %" PRId64, what, r->primal, r->subset);
		if (isnan(r->primal))
			continue;
		best_primal = fmin(best_primal, r->primal);
		best_dual = fmax(best_dual, r->dual);
		CHECK(r->dual <= r->primal + room && r->dual <= above + room &&
			      r->primal >= below - room,
		      "%s: round %d: dual %.9g, primal %.9g; the optimum is in %.9g .. %.9g", what,
		      r->number, r->dual, r->primal, below, above);
		CHECK(r->best_primal == best_primal && r->best_dual == best_dual, "%s: best %g, %g",
		      what, r->best_dual, r->best_primal);
	}
	CHECK(w->task.result.rounds == w->n_rounds, "%s: %d rounds, not %d", what, w->n_rounds,
	      w->task.result.rounds);
}

/*
 * m - M is within eps, but for the rounding of kernel values: not more than twice eps, even so,
 * since no row violates by eps, and decision values are good to a fraction of it.
 */
static void expect_conditions(const struct world *w, const char *what)
{
	double eps = w->o.eps, most = fmin(1.1 * eps + 4e-7 * weight(w), 2.2 * eps);

	CHECK(violation(w) <= most, "%s: m - M = %g, not within %g (eps %g)", what, violation(w),
	      most, eps);
}

/* Solved, and nothing that is claimed is wrong. */
static bool expect_optimum(struct world *w, const char *what)
{
	struct error err = { 0 };
	enum stop_reason wanted;

	if (!CHECK(try_to_solve(w, &err) == 0, "%s: %s", what, err.text))
		return false;
	evaluate_all(w);
	wanted = randsvm_sample_size(&w->o, w->p.n) * 2 < w->p.n && !problem_is_stepwise(&w->p) ?
			 STOP_OPTIMAL :
			 STOP_WHOLE_SET;
	CHECK(w->task.result.reason == wanted, "%s: stopped by %d, not %d", what,
	      w->task.result.reason, wanted);
	CHECK(w->task.result.certificate.n_violators == 0, "%s: %" PRId64 " violators", what,
	      w->task.result.certificate.n_violators);
	expect_conditions(w, what);
	for (int64_t i = 0; i < w->p.n; i++)
		if (w->beta[i] != 0)
			CHECK(fabs(w->f[i] - w->plain[i]) <= w->o.eps, "%s: f %g, not %g", what,
			      w->f[i], w->plain[i]);
	expect_feasible(w, what);
	expect_honest(w, what);
	expect_bounds(w, what);
	return true;
}

/* D is not less than LIBSVM's but for 'close', relative.  That it is not too large is clear. */
static void expect_as_libsvm(const struct world *w, double close, const char *what)
{
	static struct world other;
	struct solver libsvm = libsvm_solver(100, true);
	struct error err = { 0 };
	double ours = dual(w), theirs;
	struct iterate x = { .beta = other.beta, .f = other.f };

	world_copy(&other, w);
	CHECK(libsvm.solve(&libsvm, &other.p, fmin(w->o.eps, 1e-4), &x, &err) == 0, "%s: %s", what,
	      err.text);
	evaluate_all(&other);
	theirs = dual(&other);
	CHECK(ours >= theirs - close * fabs(theirs), "%s: objective %.9g, not %.9g", what, ours,
	      theirs);
	world_free(&other);
}

/* ---- Random problems ---- */

static const struct kernel kernels[] = {
	{ .type = KERNEL_RBF, .gamma = 0.3 },
	{ .type = KERNEL_LINEAR },
	{ .type = KERNEL_POLYNOMIAL, .degree = 2, .gamma = 0.2, .coef0 = 1 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.2, .coef0 = 0.5 },
	{ .type = KERNEL_POLYNOMIAL, .degree = 6, .gamma = 0.05, .coef0 = 1 }, /* in double */
	{ .type = KERNEL_SIGMOID, .gamma = 0.005, .coef0 = 0 }, /* all but positive definite */
	{ .type = KERNEL_RBF, .gamma = 6 },			/* dense: by differences */
};

static void random_world(struct world *w, enum machine_type type, const struct kernel *kernel,
			 int64_t n, double density)
{
	world_init(w, type, *kernel, n, 3 + (int)random_below(4), density);
	make_targets(w, 1);
	w->p.c_plus = exp(random_between(-2, 2));
	w->p.c_minus = type == MACHINE_C_SVC ? exp(random_between(-2, 2)) : w->p.c_plus;
	w->o.sample = 20 + random_below(80);
	w->o.eps = 1e-4;
	w->o.seed = random_bits();
	make_matrix(w);
}

static void test_random(void)
{
	static const int64_t sizes[] = { 2, 3, 5, 40, 90, 300, 900 };
	static struct world w;

	for (int k = 0; k < LENGTH(kernels); k++)
		for (int s = 0; s < LENGTH(sizes); s++)
			for (int svc = 0; svc <= 1; svc++) {
				char what[80];

				snprintf(what, sizeof(what), "kernel %d, %" PRId64 " rows, %s", k,
					 sizes[s], svc ? "classes" : "regression");
				random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
					     &kernels[k], sizes[s], s % 2 ? 1 : 0.6);
				w.o.n_threads = 1 + s % 3;
				if (expect_optimum(&w, what))
					expect_as_libsvm(&w, 1e-5, what);
				world_free(&w);
			}
}

static void test_larger(void)
{
	static struct world w;

	for (int svc = 0; svc <= 1; svc++) {
		random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 3000, 1);
		w.o.sample = 20;
		w.o.eps = 1e-3;
		if (expect_optimum(&w, "3000 rows")) {
			expect_as_libsvm(&w, 1e-5, "3000 rows");
			CHECK(w.round[0].subset == 20 && w.n_rounds >= 5, "%d rounds", w.n_rounds);
		}
		world_free(&w);
	}
}

/* A range of C, where all multipliers are at their bound and where hardly any is. */
static void test_c(void)
{
	static const double c[] = { 1e-6, 0.01, 30, 200 };
	static struct world w;

	for (int i = 0; i < LENGTH(c); i++)
		for (int svc = 0; svc <= 1; svc++) {
			char what[80];

			snprintf(what, sizeof(what), "C = %g, %s", c[i],
				 svc ? "classes" : "regression");
			random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0],
				     500, 1);
			w.p.c_plus = w.p.c_minus = c[i];
			w.o.eps = 1e-3;
			if (expect_optimum(&w, what))
				expect_as_libsvm(&w, 1e-4, what);
			world_free(&w);
		}
}

/* ---- What must not matter ---- */

static bool same_bits(const struct world *a, const struct world *b)
{
	return memcmp(a->beta, b->beta, sizeof(a->beta)) == 0 &&
	       memcmp(a->f, b->f, sizeof(a->f)) == 0 && a->task.x.rho == b->task.x.rho &&
	       a->task.x.n_iterations == b->task.x.n_iterations && a->n_rounds == b->n_rounds;
}

static void test_threads_and_cache(void)
{
	static struct world w, other;

	for (int k = 0; k < LENGTH(kernels); k += 2) {
		random_world(&w, k % 4 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[k], 700, 1);
		if (!expect_optimum(&w, "one thread"))
			continue;
		world_copy(&other, &w);
		for (int n_threads = 2; n_threads <= 4; n_threads++) {
			other.o.n_threads = n_threads;
			if (expect_optimum(&other, "some threads"))
				CHECK(same_bits(&w, &other), "kernel %d: %d threads, other bits", k,
				      n_threads);
		}
		other.cache_mb = 1e-6;
		if (expect_optimum(&other, "no cache"))
			CHECK(fabs(dual(&w) - dual(&other)) <= 1e-6 * dual(&w), "%.9g and %.9g",
			      dual(&w), dual(&other));
		world_free(&other);
		world_free(&w);
	}
}

static void swap_rows(struct world *w, int64_t i, int64_t j)
{
	double kept[MAX_D], target = w->target[i];

	memcpy(kept, w->dense[i], sizeof(kept));
	memcpy(w->dense[i], w->dense[j], sizeof(kept));
	memcpy(w->dense[j], kept, sizeof(kept));
	w->target[i] = w->target[j];
	w->target[j] = target;
}

static void expect_same_objective(const struct world *a, const struct world *b, const char *what)
{
	double x = dual(a), z = dual(b);

	CHECK(fabs(x - z) <= 2e-5 * fabs(x), "%s: objective %.9g, not %.9g", what, z, x);
}

static void test_order_and_seed(void)
{
	static struct world w, other;

	for (int svc = 0; svc <= 1; svc++) {
		random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 800, 1);
		if (!expect_optimum(&w, "in order"))
			continue;
		world_copy(&other, &w);
		for (int64_t i = other.p.n - 1; i > 0; i--)
			swap_rows(&other, i, random_below(i + 1));
		make_matrix(&other);
		if (expect_optimum(&other, "in disorder"))
			expect_same_objective(&w, &other, "in disorder");
		other.o.seed++;
		other.o.sample = 99;
		if (expect_optimum(&other, "another sample"))
			expect_same_objective(&w, &other, "another sample");
		world_free(&other);
		world_free(&w);
	}
}

/* Every row twice with half of C each is the same problem. */
static void test_duplicates(void)
{
	static struct world w, twice;

	for (int svc = 0; svc <= 1; svc++) {
		random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 600, 1);
		if (!expect_optimum(&w, "once"))
			continue;
		world_copy(&twice, &w);
		for (int64_t i = 0; i < w.p.n; i++) {
			memcpy(twice.dense[w.p.n + i], w.dense[i], sizeof(w.dense[i]));
			twice.target[w.p.n + i] = w.target[i];
			twice.row[w.p.n + i] = w.p.n + i;
		}
		twice.p.n = 2 * w.p.n;
		twice.p.c_plus /= 2;
		twice.p.c_minus /= 2;
		make_matrix(&twice);
		if (expect_optimum(&twice, "twice"))
			expect_same_objective(&w, &twice, "twice");
		world_free(&twice);
		world_free(&w);
	}
}

/* Rows that the solution has well within the margin or the tube change nothing. */
static void test_idle_rows(void)
{
	static struct world w, more;

	for (int svc = 0; svc <= 1; svc++) {
		random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[2], 500, 1);
		if (!expect_optimum(&w, "without idle rows"))
			continue;
		world_copy(&more, &w);
		while (more.p.n < 1500) {
			double *x = more.dense[more.p.n], f;

			for (int c = 0; c < w.d; c++)
				x[c] = 2 * random_normal();
			f = evaluate(&w, x) - w.task.x.rho;
			if (svc && fabs(f) < 1.2)
				continue;
			more.target[more.p.n] = svc ? f > 0 ? 1 : -1 : f + w.p.epsilon / 2;
			more.row[more.p.n] = more.p.n;
			more.p.n++;
		}
		make_matrix(&more);
		if (expect_optimum(&more, "with idle rows")) {
			expect_same_objective(&w, &more, "with idle rows");
			for (int64_t i = w.p.n; i < more.p.n; i++)
				CHECK(more.beta[i] == 0, "beta %g of an idle row", more.beta[i]);
		}
		world_free(&more);
		world_free(&w);
	}
}

/* The problem is some rows of a matrix, in any order. */
static void test_some_rows(void)
{
	static struct world w, other;

	random_world(&w, MACHINE_C_SVC, &kernels[0], 900, 1);
	world_copy(&other, &w);
	for (int64_t i = 0; i < 450; i++) {
		other.row[i] = 899 - 2 * i;
		other.target[i] = w.target[899 - 2 * i];
		memcpy(w.dense[i], other.dense[other.row[i]], sizeof(w.dense[i]));
	}
	memcpy(w.target, other.target, 450 * sizeof(double));
	w.p.n = 450;
	make_matrix(&w);
	memcpy(other.dense, w.dense, 450 * sizeof(w.dense[0])); /* by example, for plain loops */
	other.p.n = 450;
	if (expect_optimum(&w, "all rows") && expect_optimum(&other, "some rows"))
		expect_same_objective(&w, &other, "some rows");
	world_free(&other);
	world_free(&w);
}

/* ---- Stopping ---- */

static void expect_end(struct world *w, const char *what)
{
	struct error err = { 0 };

	CHECK(try_to_solve(w, &err) == 0, "%s: %s", what, err.text);
	evaluate_all(w);
	expect_feasible(w, what);
	expect_honest(w, what);
	expect_bounds(w, what);
}

/* P of w = 0 at the best constant: the loss of the smaller class, or of the targets. */
static double zero_primal(const struct world *w)
{
	static const double zero[MAX_N];

	return plain_least_primal(&w->p, zero, zero);
}

/*
 * What an interruption leaves: its primal is that of its w, at its own constant, and not above that
 * of w = 0; its dual bounds the optimum.  Multipliers of a subset may be beyond their bounds.  The
 * primal is of sums of float kernel values, corrected up to four times, each within an eighth of eps.
 */
static void expect_unfinished(struct world *w, double optimum, const char *what)
{
	const struct certificate *c = &w->task.result.certificate;
	double primal, separating;

	evaluate_all(w);
	primal = plain_primal(&w->p, w->beta, w->plain, -w->task.x.rho);
	separating = plain_separating_primal(&w->p, w->beta, w->plain);
	CHECK(fabs(c->primal - fmin(primal, separating)) <= 1e-5 * primal,
	      "%s: primal %.9g, not %.9g", what, c->primal, primal);
	CHECK(c->primal <= zero_primal(w) * (1 + 1e-9), "%s: primal %g, that of w = 0 is %g", what,
	      c->primal, zero_primal(w));
	CHECK(c->dual >= 0 && c->dual <= optimum * (1 + 1e-4), "%s: dual %g, the optimum is %g",
	      what, c->dual, optimum);
}

/* Looks that are left, as seconds: a clock that goes on when it is looked at. */
static double looks_left(void *arg)
{
	const struct world *w = arg;

	return (double)(w->polls_granted - w->n_polls);
}

/* The primal of a plain training on a sample of so many, which is that of mode budget's first round. */
static double sample_primal(const struct world *w, int64_t m)
{
	static struct world sample;
	struct error err = { 0 };
	double primal;

	world_copy(&sample, w);
	sample.polls_granted = INT64_MAX;
	sample.o.mode = WORKING_SET_BUDGET;
	sample.o.budget = m;
	sample.o.max_rounds = 1;
	CHECK(try_by(budget_solve, &sample, &err) == 0, "%s", err.text);
	evaluate_all(&sample);
	primal = sample.task.result.certificate.primal;
	CHECK(sample.task.result.certificate.n_sv <= m &&
		      fabs(primal - least_primal(&sample)) <= 1e-6 * primal,
	      "%" PRId64 " vectors, primal %g, not %g", sample.task.result.certificate.n_sv, primal,
	      least_primal(&sample));
	world_free(&sample);
	return primal;
}

/*
 * However soon the end is wanted there is a model, not above that of a sample; and with more time
 * none that is above one of less.  Time is counted in looks at whether the end is wanted, with and
 * without knowledge of how many are left.
 */
static void test_interruption(void)
{
	static const double c[] = { 1, 15, 100 };
	static struct world w;
	int n_interrupted = 0;

	for (int trial = 0; trial < 4 * LENGTH(c); trial += UNIT_IS_SANITIZED ? 3 : 1) {
		double optimum, least;
		struct error err = { 0 };

		random_world(&w, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 1000,
			     1);
		w.p.c_plus = w.p.c_minus = c[trial / 4];
		w.interruption.seconds_left = trial & 2 ? looks_left : NULL;
		CHECK(try_to_solve(&w, &err) == 0, "%s", err.text);
		optimum = w.task.result.certificate.primal;
		least = sample_primal(&w, budget_for_early(&w.task));
		for (w.polls_granted = 0;; w.polls_granted += 1 + w.polls_granted / 8) {
			CHECK(try_to_train(&w, &err) == 0, "%s", err.text);
			if (w.task.result.reason == STOP_OPTIMAL)
				break;
			n_interrupted++;
			CHECK(w.task.result.reason == STOP_INTERRUPTED,
			      "after %" PRId64 " looks: %d", w.polls_granted, w.task.result.reason);
			expect_unfinished(&w, optimum, "interrupted");
			CHECK(w.task.result.certificate.primal <= least * (1 + 1e-9),
			      "C = %g, after %" PRId64 " looks: primal %.9g, sooner %.9g",
			      w.p.c_plus, w.polls_granted, w.task.result.certificate.primal, least);
			least = fmin(least, w.task.result.certificate.primal);
		}
		evaluate_all(&w);
		expect_conditions(&w, "hardly interrupted");
		world_free(&w);
	}
	CHECK(n_interrupted > 20, "%d times", n_interrupted);
}

/*
 * Mode budget ends late only where the time is limited and no other problem shares it: three rounds
 * then, else one.
 */
static void test_certain_rounds(void)
{
	static struct world w;

	for (int limited = 0; limited <= 1; limited++)
		for (int of_many = 0; of_many <= 1; of_many++) {
			struct error err = { 0 };
			int rounds = limited && !of_many ? 3 : 1;

			random_world(&w, MACHINE_C_SVC, &kernels[0], 1000, 1);
			w.o.mode = WORKING_SET_BUDGET;
			w.o.budget = 100;
			w.p.n = of_many ? 500 : 1000;
			w.polls_granted = 0;
			w.interruption.seconds_left = limited ? looks_left : NULL;
			CHECK(try_by(budget_solve, &w, &err) == 0, "%s", err.text);
			CHECK(w.task.result.reason == STOP_INTERRUPTED &&
				      w.task.result.rounds == rounds,
			      "%d rounds, not %d, ended by %d", w.task.result.rounds, rounds,
			      w.task.result.reason);
			world_free(&w);
		}
}

static void test_gap(void)
{
	static const double gaps[] = { 0.3, 0.03, 1e-3, 1e-5 };
	static struct world w;

	for (int i = 0; i < 2 * LENGTH(gaps); i++) {
		random_world(&w, i % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 1000, 1);
		w.o.gap = gaps[i / 2];
		expect_end(&w, "gap");
		CHECK(w.task.result.reason == STOP_GAP || w.task.result.reason == STOP_OPTIMAL,
		      "gap %g: stopped by %d", w.o.gap, w.task.result.reason);
		CHECK(w.task.result.reason != STOP_GAP ||
			      least_primal(&w) - dual(&w) <= (w.o.gap + 1e-6) * least_primal(&w),
		      "gap %g, not %g", (least_primal(&w) - dual(&w)) / least_primal(&w), w.o.gap);
		if (w.task.result.reason == STOP_OPTIMAL)
			expect_conditions(&w, "gap not asked for");
		world_free(&w);
	}
}

/* A gap out of reach leaves it to the violators; the many tolerances on the way are no stalling. */
static void test_gap_out_of_reach(void)
{
	static struct world w;

	for (int svc = 0; svc <= 1; svc++) {
		random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 400, 1);
		w.p.c_plus = w.p.c_minus = 0.5;
		w.o.eps = 1e-6;
		w.o.gap = 1e-14;
		expect_end(&w, "gap out of reach");
		CHECK(w.task.result.reason == STOP_OPTIMAL &&
			      w.task.result.certificate.n_violators == 0,
		      "stopped by %d with %" PRId64 " violators", w.task.result.reason,
		      w.task.result.certificate.n_violators);
		world_free(&w);
	}
}

static void test_max_rounds(void)
{
	static struct world w;
	const struct certificate *c = &w.task.result.certificate;
	struct error err = { 0 };

	for (int rounds = 1; rounds <= 3; rounds++) {
		double optimum;

		random_world(&w, MACHINE_C_SVC, &kernels[0], 1000, 1);
		w.p.c_plus = w.p.c_minus = 50;
		CHECK(try_to_solve(&w, &err) == 0, "%s", err.text);
		optimum = w.task.result.certificate.primal;
		w.o.gap = 1e-9; /* pauses at each tolerance */
		w.o.max_rounds = rounds;
		CHECK(try_to_solve(&w, &err) == 0, "%s", err.text);
		evaluate_all(&w);
		CHECK(fabs(c->primal - least_primal(&w)) <= 1e-5 * c->primal &&
			      c->dual <= optimum && c->primal >= optimum * (1 - 1e-4),
		      "primal %g, not %g, and dual %g of %g", c->primal, least_primal(&w), c->dual,
		      optimum);
		CHECK(w.task.result.reason == STOP_MAX_ROUNDS &&
			      !isnan(w.round[w.n_rounds - 1].primal) &&
			      isnan(w.round[w.n_rounds - rounds - 1].primal),
		      "stopped by %d after %d rounds", w.task.result.reason, w.n_rounds);
		world_free(&w);
	}
}

/* Where the dual is above the primal, as it may be, a gap asked for is not reached. */
static void test_gap_of_indefinite(void)
{
	static const struct kernel kernel = { .type = KERNEL_SIGMOID, .gamma = 0.5, .coef0 = -1 };
	static struct world w;

	for (int trial = 0; trial < 10; trial++) {
		struct error err = { 0 };
		const struct certificate *c = &w.task.result.certificate;

		random_world(&w, MACHINE_C_SVC, &kernel, 400, 1);
		w.o.gap = 1e-9;
		w.o.eps = 1e-3;
		w.o.max_rounds = 20;
		CHECK(try_to_solve(&w, &err) == 0, "%s", err.text);
		CHECK(w.task.result.reason != STOP_GAP ||
			      fabs(c->primal - c->dual) <= 1e-9 * fabs(c->primal),
		      "primal %g, dual %g", c->primal, c->dual);
		world_free(&w);
	}
}

/* Improving what is nearly right: some are members, all are within the tolerance in the end. */
static void test_improving(void)
{
	static struct world w;

	for (int trial = 0; trial < 12; trial++) {
		struct solver solver = smo_solver(50, 1);
		struct error err = { 0 };

		random_world(&w, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR,
			     &kernels[trial % 4], 900, 1);
		w.o.eps = 1;
		CHECK(try_to_solve(&w, &err) == 0, "%s", err.text);
		w.o.eps = 0.05;
		w.task.solver = &solver;
		w.task.observer = NULL;
		CHECK(exact_improve(&w.task, 0.01, &err) == 0, "%s", err.text);
		CHECK(w.task.result.reason == STOP_OPTIMAL, "stopped by %d", w.task.result.reason);
		evaluate_all(&w);
		expect_feasible(&w, "improved");
		CHECK(violation(&w) <= 1.02 * w.o.eps, "m - M = %g", violation(&w));
		world_free(&w);
	}
}

/* An optimum with a wide gap is gone on from for some steps: not to where violators are back. */
static void test_going_on(void)
{
	static struct world w;

	for (int trial = 0; trial < 12; trial++) {
		enum machine_type type = trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR;

		random_world(&w, type, &kernels[trial % 3 ? 0 : 3], 300, 1);
		w.p.c_plus = w.p.c_minus = pow(10, 3 + trial % 3);
		w.o.sample = w.p.n;
		w.o.eps = 0.3;
		expect_end(&w, "going on");
		CHECK(w.task.result.reason == STOP_WHOLE_SET &&
			      w.task.result.certificate.n_violators == 0,
		      "stopped by %d with %" PRId64 " violators", w.task.result.reason,
		      w.task.result.certificate.n_violators);
		world_free(&w);
	}
}

/*
 * With a C out of all proportion hardly any multiplier is at its bound: a start with some there
 * is worse than none.
 */
static void test_start(void)
{
	static const struct kernel kernel = { .type = KERNEL_RBF, .gamma = 1 };
	static struct world w;

	for (int trial = 0; trial < 3; trial++) {
		world_init(&w, MACHINE_EPSILON_SVR, kernel, 2000, 4, 1);
		for (int64_t i = 0; i < w.p.n; i++)
			w.target[i] = w.dense[i][0] * w.dense[i][0] + w.dense[i][1] +
				      0.1 * random_normal();
		make_matrix(&w);
		w.p.c_plus = w.p.c_minus = pow(10, 3 + trial);
		w.p.epsilon = 0.3;
		w.o.sample = 800;
		w.o.eps = 0.1;
		expect_optimum(&w, "a large C");
		CHECK(w.task.x.n_iterations < 100000, "C = %g: %" PRId64 " iterations", w.p.c_plus,
		      w.task.x.n_iterations);
		world_free(&w);
	}
}

/* ---- Odd problems ---- */

static void test_rare_class(void)
{
	static struct world w;

	for (int trial = 0; trial < 6; trial++) {
		double rare = trial % 2 ? 1 : -1;

		random_world(&w, MACHINE_C_SVC, &kernels[trial < 4 ? 0 : 3], 2000, 1);
		for (int64_t i = 0; i < w.p.n; i++) {
			w.target[i] = i < 3 ? rare : -rare;
			w.dense[i][0] += w.target[i];
		}
		if (trial >= 2)
			w.p.c_plus = w.p.c_minus = 100;
		w.o.sample = 20;
		swap_rows(&w, 1, 700);
		swap_rows(&w, 2, 1999);
		make_matrix(&w);
		if (expect_optimum(&w, "a rare class"))
			expect_as_libsvm(&w, 1e-4, "a rare class");
		world_free(&w);
	}
}

/* Nothing to tell apart, or nothing to fit: beta is 0 and the constant does it all. */
static void test_nothing_to_do(void)
{
	static struct world w;

	for (int trial = 0; trial < 6; trial++) {
		int64_t n = trial < 2 ? 10 : 500;

		random_world(&w, trial % 3 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], n,
			     1);
		for (int64_t i = 0; i < n; i++)
			w.target[i] = !is_svc(&w) ? 7 : trial % 3 == 1 ? 1 : -1;
		if (expect_optimum(&w, "one target")) {
			CHECK(w.task.result.certificate.n_sv == 0, "%" PRId64 " vectors",
			      w.task.result.certificate.n_sv);
			CHECK(fabs(w.target[0] + w.task.x.rho) <= w.p.epsilon + w.o.eps, "rho %g",
			      w.task.x.rho);
		}
		world_free(&w);
	}
}

/* All rows alike: w = 0 whatever beta is, for the sum of beta is 0. */
static void test_alike(void)
{
	static struct world w;

	for (int k = 0; k < LENGTH(kernels); k++)
		for (int svc = 0; svc <= 1; svc++) {
			char what[80];

			snprintf(what, sizeof(what), "all alike, kernel %d, %s", k,
				 svc ? "classes" : "regression");
			random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[k],
				     400, 1);
			for (int64_t i = 1; i < w.p.n; i++)
				memcpy(w.dense[i], w.dense[0], sizeof(w.dense[0]));
			make_matrix(&w);
			if (expect_optimum(&w, what))
				expect_as_libsvm(&w, 1e-5, what);
			world_free(&w);
		}
}

/* Each row once with each label: w = 0 again, and all are at their bound. */
static void test_contradictions(void)
{
	static struct world w;

	for (int k = 0; k < LENGTH(kernels); k++) {
		random_world(&w, MACHINE_C_SVC, &kernels[k], 600, 1);
		for (int64_t i = 0; i < w.p.n; i += 2) {
			memcpy(w.dense[i + 1], w.dense[i], sizeof(w.dense[i]));
			w.target[i] = 1;
			w.target[i + 1] = -1;
		}
		w.p.c_minus = w.p.c_plus;
		make_matrix(&w);
		if (expect_optimum(&w, "contradictions"))
			CHECK(fabs(dual(&w) - (double)w.p.n * w.p.c_plus) <= 1e-5 * dual(&w),
			      "kernel %d: objective %.9g, not %.9g", k, dual(&w),
			      (double)w.p.n * w.p.c_plus);
		world_free(&w);
	}
}

/* Rows of nothing but zeros among others, and features of huge and of tiny size. */
static void test_scales(void)
{
	static struct world w;

	for (int trial = 0; trial < 6; trial++) {
		random_world(&w, trial % 2 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 400,
			     1);
		for (int64_t i = 0; i < w.p.n; i++)
			for (int c = 0; c < w.d; c++)
				w.dense[i][c] = trial / 2 == 0 ? i % 3 ? w.dense[i][c] : 0 :
						trial / 2 == 1 ? w.dense[i][c] * 1e5 :
								 w.dense[i][c] + 1e4;
		if (trial / 2 == 1)
			w.p.kernel.gamma *= 1e-10;
		make_matrix(&w);
		if (expect_optimum(&w, "scales"))
			expect_as_libsvm(&w, 1e-4, "scales");
		world_free(&w);
	}
}

/* 4 x 4 fields: few rounds whatever the sample is. */
static void test_checkerboard(void)
{
	static struct world w;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct kernel k = { .type = KERNEL_RBF, .gamma = 2 };

		world_init(&w, MACHINE_C_SVC, k, 4000, 2, 1);
		for (int64_t i = 0; i < w.p.n; i++) {
			double *x = w.dense[i];

			x[0] = random_between(0, 4);
			x[1] = random_between(0, 4);
			w.target[i] = ((int)x[0] + (int)x[1]) % 2 ? 1 : -1;
		}
		w.p.c_plus = w.p.c_minus = 10;
		w.o.sample = 100;
		w.o.seed = seed;
		w.o.n_threads = 2;
		make_matrix(&w);
		if (expect_optimum(&w, "checkerboard"))
			CHECK(w.n_rounds <= 10, "seed %d: %d rounds", (int)seed, w.n_rounds);
		world_free(&w);
	}
}

/* ---- Failures ---- */

static int solve_again(void *arg, struct error *err)
{
	return try_to_solve(arg, err);
}

static void test_memory(void)
{
	static struct world w;

	for (int in_double = 0; in_double <= 1; in_double++) {
		random_world(&w, in_double ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &kernels[0], 90,
			     1);
		if (in_double)
			w.p.source = NULL;
		w.o.sample = 10;
		w.o.n_threads = 2;
		CHECK(fail_each_allocation("exact_solve", solve_again, &w) > 50, "few allocations");
		world_free(&w);
	}
}

/* exact_solve_monomials(); 1 where they do not serve */
static int solve_by_monomials(struct randsvm_task *task, struct error *err)
{
	bool solved;

	return exact_solve_monomials(task, &solved, err) < 0 ? -1 : !solved;
}

/*
 * Features of size 10 or 3 and a polynomial kernel: the optimum, by few monomials, by many after
 * SMO has given up, and by floats or doubles.
 */
static void test_monomials(void)
{
	static struct world w;

	for (int k = 0; k < 8; k++) {
		int d = k & 2 ? 7 : 2;
		struct kernel kernel = { .type = KERNEL_POLYNOMIAL,
					 .degree = 3,
					 .gamma = d == 7 ? 0.3 : 3,
					 .coef0 = 1 };
		struct error err = { 0 };

		world_init(&w, k & 1 ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, kernel, 700, d, 1);
		make_targets(&w, 0.5);
		make_matrix(&w);
		w.p.source = k & 4 ? &w.floats : NULL;
		w.p.c_plus = w.p.c_minus = 2;
		CHECK(try_by(solve_by_monomials, &w, &err) == 0, "%d: '%s'", k, err.text);
		CHECK(w.task.result.rounds == w.n_rounds, "%d rounds, not %d", w.n_rounds,
		      w.task.result.rounds);
		evaluate_all(&w);
		expect_feasible(&w, "monomials");
		CHECK(violation(&w) <= 1.01 * w.o.eps, "%d: violation %g", k, violation(&w));
		expect_honest(&w, "monomials");
		world_free(&w);
	}
}

/* exact_solve(), with an eighth of the work that exact_solve_monomials() grants it here */
static int try_monomials_share(struct randsvm_task *task, struct error *err)
{
	return exact_solve(task, 10.0 / 8 * 120 * (double)task->p->n, err);
}

/* The steps of SMO that gave up count too: 120 monomials are tried after it. */
static void test_monomials_steps(void)
{
	static const struct kernel kernel = { KERNEL_POLYNOMIAL, 3, 0.3, 1 };
	static struct world w;
	struct error err = { 0 };
	int64_t n_steps;

	world_init(&w, MACHINE_C_SVC, kernel, 700, 7, 1);
	make_targets(&w, 0.5);
	make_matrix(&w);
	w.p.source = NULL;
	w.p.c_plus = w.p.c_minus = 2;
	CHECK(try_by(try_monomials_share, &w, &err) == 1, "SMO has not given up: '%s'", err.text);
	n_steps = w.task.x.n_iterations;
	CHECK(try_by(solve_by_monomials, &w, &err) == 0, "'%s'", err.text);
	CHECK(w.task.x.n_iterations > n_steps, "%" PRId64 " steps, but %" PRId64 " of SMO alone",
	      w.task.x.n_iterations, n_steps);
	world_free(&w);
}

/* A solver that takes the multipliers times 'argument', and their certificate. */
static int scale_solution(struct randsvm_task *task, double argument, struct error *err)
{
	for (int64_t i = 0; i < task->p->n; i++) {
		task->x.beta[i] *= argument;
		task->x.f[i] *= argument;
	}
	task->result.reason = STOP_OPTIMAL;
	return certificate_make(task->p, &task->x, task->options->eps, &task->result.certificate,
				err);
}

static int compete_with_half(struct randsvm_task *task, struct error *err)
{
	return exact_solve(task, INFINITY, err) < 0 ? -1 :
						      exact_compete(task, scale_solution, 0.5, err);
}

static int compete_with_double(struct randsvm_task *task, struct error *err)
{
	return exact_solve(task, INFINITY, err) < 0 || scale_solution(task, 0.5, err) < 0 ?
		       -1 :
		       exact_compete(task, scale_solution, 2, err);
}

/* exact_compete() keeps the optimum, whether it comes first or second. */
static void test_compete(void)
{
	static const struct kernel kernel = { KERNEL_RBF, 3, 0.3, 0 };
	static struct world w;
	struct error err = { 0 };

	world_init(&w, MACHINE_C_SVC, kernel, 200, 3, 1);
	make_targets(&w, 0.5);
	make_matrix(&w);
	for (int second = 0; second <= 1; second++) {
		CHECK(try_by(second ? compete_with_double : compete_with_half, &w, &err) == 0, "%s",
		      err.text);
		CHECK(w.task.result.reason == (second ? STOP_OPTIMAL : STOP_PRECISION), "reason %d",
		      (int)w.task.result.reason);
		evaluate_all(&w);
		CHECK(violation(&w) <= 1.01 * w.o.eps, "%d: violation %g", second, violation(&w));
		expect_honest(&w, "compete");
	}
	world_free(&w);
}

/* What monomials do not serve for is left alone. */
static void test_no_monomials(void)
{
	static const struct kernel others[] = {
		{ .type = KERNEL_RBF, .gamma = 1 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 1, .coef0 = -1 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 40, .gamma = 1, .coef0 = 1 }, /* too many */
	};
	static struct world w;

	for (int k = 0; k < LENGTH(others); k++) {
		struct error err = { 0 };

		random_world(&w, MACHINE_C_SVC, &others[k], 100, 1);
		CHECK(try_by(solve_by_monomials, &w, &err) == 1, "kernel %d", k);
		world_free(&w);
	}
}

static int try_a_little(struct randsvm_task *task, struct error *err)
{
	return exact_solve(task, 1000, err);
}

static int try_hard(struct randsvm_task *task, struct error *err)
{
	return exact_solve(task, 1e12, err);
}

/* Work beyond what is granted ends a run without a result; enough work leaves it as it is. */
static void test_trying(void)
{
	static struct world w, other;
	struct error err = { 0 };

	random_world(&w, MACHINE_C_SVC, &kernels[0], 500, 1);
	world_copy(&other, &w);
	CHECK(try_by(try_a_little, &w, &err) == 1, "not given up");
	CHECK(try_by(try_hard, &w, &err) == 0, "'%s'", err.text);
	CHECK(try_to_solve(&other, &err) == 0 && same_bits(&w, &other), "not the same");
	world_free(&w);
	world_free(&other);
}

/* Kernel values beyond all bounds end in a message, not in numbers that are none. */
static void test_overflow(void)
{
	static struct world w;

	for (int svc = 0; svc <= 1; svc++) {
		struct kernel k = { .type = KERNEL_POLYNOMIAL, .degree = 9, .gamma = 1e60 };
		struct error err = { 0 };

		random_world(&w, svc ? MACHINE_C_SVC : MACHINE_EPSILON_SVR, &k, 200, 1);
		CHECK(try_to_solve(&w, &err) == -1 && err.code == ERR_NUMERIC, "%d: %s", err.code,
		      err.text);
		world_free(&w);
	}
}

/* Rows that a source copies on request alone, and how many it has copied. */
static struct float_vectors elsewhere;
static int64_t n_copied;

static int copy_rows(const struct kernel_source *s, const int64_t *row, int64_t n,
		     struct float_vectors *out, struct error *err)
{
	(void)s;
	n_copied += n;
	return float_vectors_gather(out, &elsewhere, row, n, err);
}

/* Values of a narrow kernel are kept: some rows are asked for to decide, then all; the same bits. */
static void test_rows_elsewhere(void)
{
	static struct world here, there;
	struct kernel k = { .type = KERNEL_RBF, .gamma = 1000 };
	struct kernel_source_type type;
	struct error err = { 0 };

	world_init(&here, MACHINE_C_SVC, k, MAX_N, 4, 1);
	make_targets(&here, 0.1);
	for (int64_t i = 0; i < here.p.n; i++)
		here.row[i] = here.p.n - 1 - i;
	make_matrix(&here);
	if (!CHECK(here.p.source, "no floats"))
		return;
	world_copy(&there, &here);
	elsewhere = there.single;
	type = *there.floats.type;
	type.gather = copy_rows;
	there.floats.type = &type;
	CHECK(try_to_solve(&here, &err) == 0, "%s", err.text);
	CHECK(try_to_solve(&there, &err) == 0, "%s", err.text);
	CHECK(n_copied == 2 * MAX_N, "%" PRId64 " rows copied", n_copied);
	CHECK(memcmp(here.beta, there.beta, sizeof(here.beta)) == 0 &&
		      memcmp(here.f, there.f, sizeof(here.f)) == 0,
	      "other bits");
	world_free(&here);
	world_free(&there);
}

int main(void)
{
	test_random();
	test_larger();
	test_c();
	test_threads_and_cache();
	test_order_and_seed();
	test_duplicates();
	test_idle_rows();
	test_some_rows();
	test_interruption();
	test_certain_rounds();
	test_gap();
	test_gap_of_indefinite();
	test_improving();
	test_gap_out_of_reach();
	test_max_rounds();
	test_going_on();
	test_start();
	test_rare_class();
	test_nothing_to_do();
	test_alike();
	test_contradictions();
	test_scales();
	test_checkerboard();
	test_memory();
	test_monomials();
	test_monomials_steps();
	test_compete();
	test_no_monomials();
	test_trying();
	test_overflow();
	test_rows_elsewhere();
	return unit_report("exact");
}
