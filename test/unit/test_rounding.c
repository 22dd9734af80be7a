/*
 * test_rounding.c - the bound of rounding errors against sums in long double
 *
 *     test_rounding [N]     N times the draws, each time others; bench/rounding has 36
 *
 * Random feasible multipliers of all machines, kernels and sizes of data, with equal rows: primal and
 * dual of exact numbers are within c.rounding of those that the certificate has.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "plain_problem.h"
#include "problem/decision.h"
#include "proof/rounding.h"
#include "proof/rounding_errors.h"
#include "random.h"
#include "smo/smo.h"
#include "world.h"

/* ---- By definition, in long double ---- */

static long double long_kernel(const struct kernel *k, const double *x, const double *z, int n)
{
	long double dot = 0, distance = 0;

	for (int j = 0; j < n; j++) {
		long double apart = (long double)x[j] - z[j];

		dot += (long double)x[j] * z[j];
		distance += apart * apart;
	}
	switch (k->type) {
	case KERNEL_POLYNOMIAL:
		return powl(k->gamma * dot + k->coef0, k->degree);
	case KERNEL_RBF:
		return expl(-k->gamma * distance);
	case KERNEL_SIGMOID:
		return tanhl(k->gamma * dot + k->coef0);
	default:
		return dot;
	}
}

static void long_values(const struct world *w, long double *f)
{
	int d = (int)w->x.n_cols;
	double *x = full_of_rows(&w->x);

	for (int64_t i = 0; i < w->p.n; i++) {
		f[i] = 0;
		for (int64_t j = 0; j < w->p.n; j++)
			if (w->beta[j] != 0)
				f[i] += w->beta[j] * long_kernel(&w->p.kernel, x + w->row[i] * d,
								 x + w->row[j] * d, d);
	}
	free(x);
}

static long double long_square(const struct world *w, const long double *f)
{
	long double sum = 0;

	for (int64_t i = 0; i < w->p.n; i++)
		sum += w->beta[i] * f[i];
	return sum;
}

static long double long_dual(const struct world *w, const long double *f)
{
	long double sum = -long_square(w, f) / 2;

	for (int64_t i = 0; i < w->p.n; i++)
		sum += (long double)problem_linear(&w->p, i) * w->beta[i] -
		       (long double)problem_cost(&w->p) * fabs(w->beta[i]);
	return sum;
}

static long double long_primal(const struct world *w, const long double *f,
			       const struct certificate_witness *at)
{
	const struct problem_view *p = &w->p;
	long double sum = (long double)at->scale * at->scale * long_square(w, f) / 2;

	for (int64_t i = 0; i < p->n; i++) {
		long double u = problem_linear(p, i) - at->scale * f[i];

		sum += problem_upper(p, i) * fmaxl(0, u - at->plus);
		sum -= problem_lower(p, i) * fmaxl(0, at->minus - u);
	}
	if (problem_fixes_sums(p))
		sum += (long double)p->sum_plus * at->plus - (long double)p->sum_minus * at->minus;
	return sum;
}

/* P of the multiple of w that leaves no example a loss */
static long double long_separating(const struct world *w, const long double *f)
{
	long double above = INFINITY, below = -INFINITY, scale;

	for (int64_t i = 0; i < w->p.n; i++)
		if (w->target[i] > 0)
			above = fminl(above, f[i]);
		else
			below = fmaxl(below, f[i]);
	scale = 2 / (above - below);
	return above > below ? scale * scale * long_square(w, f) / 2 : INFINITY;
}

/* ---- Problems ---- */

static const enum machine_type machines[] = { MACHINE_C_SVC, MACHINE_NU_SVC, MACHINE_ONE_CLASS,
					      MACHINE_EPSILON_SVR, MACHINE_NU_SVR };
static const enum kernel_type kernels[] = { KERNEL_LINEAR, KERNEL_POLYNOMIAL, KERNEL_RBF,
					    KERNEL_SIGMOID };

/* Rows of this size, and parameters at which the kernel is neither 0 nor constant. */
static void make_world(struct world *w, enum machine_type type, enum kernel_type kernel, int64_t n,
		       double size)
{
	world_init(w, (struct problem_view){
			      .type = type,
			      .kernel = { kernel, 3, 0.2 / (size * size), random_unit() },
			      .n = n,
			      .epsilon = 0.1,
			      .c_plus = exp(random_between(-3, 6)),
			      .c_minus = exp(random_between(-3, 6)) });
	random_rows(&w->x, n, 6, 0.8);
	for (int64_t i = 0; i < n; i++) /* some twice, with any label */
		w->row[i] = random_below(5) ? i : random_below(n);
	for (int64_t k = 0; k < w->x.row_start[n]; k++)
		w->x.val[k] *= size;
	for (int64_t i = 0; i < n; i++)
		w->target[i] = type == MACHINE_ONE_CLASS   ? 1 :
			       machine_is_regression(type) ? random_normal() :
			       random_below(2)		   ? 1 :
							     -1;
	if (kernel == KERNEL_LINEAR) /* C K of any size would overflow */
		w->p.c_plus /= size * size, w->p.c_minus /= size * size;
	if (type == MACHINE_NU_SVC || type == MACHINE_ONE_CLASS)
		w->p.c_plus = w->p.c_minus = 1;
}

/* Multipliers at 0, at their bounds and between, of sum 0; for the machines of nu the sums are theirs. */
static void make_beta(struct world *w)
{
	double up = 0, down = 0;

	for (int64_t i = 0; i < w->p.n; i++) {
		double part = random_below(3) ? random_unit() : (double)random_below(2);
		bool positive =
			machine_is_regression(w->p.type) ? random_below(2) != 0 : w->target[i] > 0;

		w->beta[i] = part * problem_c(&w->p, i) * (positive ? 1 : -1);
		*(positive ? &up : &down) += fabs(w->beta[i]);
	}
	for (int64_t i = 0; i < w->p.n && w->p.type != MACHINE_ONE_CLASS; i++)
		if (w->beta[i] > 0)
			w->beta[i] *= up > down ? down / up : 1;
		else
			w->beta[i] *= down > up ? up / down : 1;
	for (int64_t i = 0; i < w->p.n && problem_fixes_sums(&w->p); i++) {
		w->p.sum_plus += fmax(w->beta[i], 0);
		w->p.sum_minus += fmax(-w->beta[i], 0);
	}
}

/* ---- The bound holds ---- */

static void check_bound(const struct world *w, const struct certificate *c, const char *what)
{
	long double *f = calloc((size_t)w->p.n, sizeof(*f)), primal;
	struct certificate_witness at;
	struct error err = { 0 };

	long_values(w, f);
	CHECK(certificate_find_witness(&w->p, &w->at, &at, &err) == 0, "%s", err.text);
	primal = certificate_separates(&w->p, &at) ? long_separating(w, f) : long_primal(w, f, &at);
	CHECK(fabsl(primal - c->primal) <= c->rounding,
	      "%s, machine %d, kernel %d: primal %.17g is %Lg off, rounding %g", what, w->p.type,
	      w->p.kernel.type, c->primal, primal - c->primal, c->rounding);
	CHECK(fabsl(long_dual(w, f) - c->dual) <= c->rounding,
	      "%s, machine %d, kernel %d: dual %.17g is %Lg off, rounding %g", what, w->p.type,
	      w->p.kernel.type, c->dual, long_dual(w, f) - c->dual, c->rounding);
	free(f);
}

/* Decision values in floats or in doubles, and the certificate of them. */
static bool certify(struct world *w, bool in_floats, struct certificate *c)
{
	struct error err = { 0 };
	const struct decision_rows all = { NULL, w->p.n, in_floats ? INFINITY : 0, 1 };

	w->at = (struct iterate){ .beta = w->beta, .f = w->f, .rho = random_normal() };
	if (in_floats && !world_use_single(w))
		return false;
	return CHECK(decision_of_rows(&w->p, w->beta, &all, w->f, &err) == 0 &&
			     certificate_make(&w->p, &w->at, 1e-3, c, &err) == 0,
		     "%s", err.text);
}

static void test_bounds(void)
{
	static const double size[] = { 1e-150, 1e-75, 1e-3, 1, 1e3, 1e75, 1e150 };

	for (int m = 0; m < 5; m++)
		for (int k = 0; k < 4; k++)
			for (int s = 0; s < 7 * 2; s++) {
				struct world w;
				struct certificate c;
				struct error err = { 0 };
				bool in_floats = s % 2 && fabs(log10(size[s / 2])) < 10;

				make_world(&w, machines[m], kernels[k], 40, size[s / 2]);
				make_beta(&w);
				if (certify(&w, in_floats, &c) &&
				    CHECK(rounding_bound(&w.p, &w.at,
							 in_floats ? ROUNDING_FLOATS :
								     ROUNDING_DOUBLES,
							 0, &c, &err) == 0,
					  "%s", err.text))
					check_bound(&w, &c, in_floats ? "floats" : "doubles");
				float_vectors_free(&w.single);
				world_free(&w);
			}
}

/*
 * Features that are not scaled: rows come in pairs that are near each other or equal, and all others
 * are so far apart that their kernel value is 0.  In half of the draws some pairs are so far out
 * that distances are summed by coordinates, and in half one row is an outlier just below that.
 */
static void make_unscaled(struct world *w, double gamma, bool some_far, bool has_outlier)
{
	const int d = 5;

	make_world(w, MACHINE_C_SVC, KERNEL_RBF, 40, 1);
	csr_free(&w->x);
	random_rows(&w->x, 40, d + 1, 1);
	w->p.kernel.gamma = gamma;
	for (int64_t q = 0; q < w->x.row_start[40]; q++) {
		int64_t i = q / d;
		double near = random_below(4) * 0.3 / sqrt(gamma);

		if (i % 2)
			w->x.val[q] = w->x.val[q - d] + near * w->x.val[q];
		else if (some_far && i % 8 == 0)
			w->x.val[q] *= 1e4;
		else if (has_outlier && i == 2)
			w->x.val[q] = sqrt(0x1p27 / gamma / d);
	}
	make_beta(w);
}

/* The error of each decision value is at most the bound, which weighing makes no larger. */
static double check_errors(struct world *w)
{
	struct rounding_errors e = { 0 }, plain = { 0 };
	long double *f = calloc((size_t)w->p.n, sizeof(*f));
	int64_t all[40];
	struct error err = { 0 };
	double largest = 0;

	for (int64_t i = 0; i < w->p.n; i++)
		all[i] = i;
	long_values(w, f);
	CHECK(rounding_errors_init(&e, &w->p, &w->at, ROUNDING_DOUBLES, NULL, 0, &err) == 0 &&
		      rounding_errors_init(&plain, &w->p, &w->at, ROUNDING_DOUBLES, NULL, 0,
					   &err) == 0 &&
		      rounding_errors_weigh(&e, &w->p, &w->at, NULL, all, w->p.n, &err) == 0,
	      "%s", err.text);
	for (int64_t i = 0; err.code == ERR_NONE && i < w->p.n; i++) {
		double bound = rounding_error_of(&e, i), off = fabs((double)(w->f[i] - f[i]));

		CHECK(off <= bound && bound <= rounding_error_of(&plain, i),
		      "gamma %g: f is %g off, bound %g, plain %g", w->p.kernel.gamma, off, bound,
		      rounding_error_of(&plain, i));
		largest = fmax(largest, off / bound);
	}
	rounding_errors_free(&e);
	rounding_errors_free(&plain);
	free(f);
	return largest;
}

static void test_unscaled(void)
{
	double largest = 0;

	for (int k = 0; k < 28; k++) {
		double gamma = pow(10, k % 7 + 3);
		struct world w;
		struct certificate c;
		struct error err = { 0 };

		make_unscaled(&w, gamma, k / 7 % 2, k / 14);
		if (certify(&w, false, &c) &&
		    CHECK(rounding_bound(&w.p, &w.at, ROUNDING_DOUBLES, 0, &c, &err) == 0, "%s",
			  err.text)) {
			check_bound(&w, &c, "unscaled");
			largest = fmax(largest, check_errors(&w));
		}
		world_free(&w);
	}
	/* worst cases that are this near to the bound tell when it is too small */
	CHECK(largest > 0.03, "errors are at most %g of their bound", largest);
}

/* The same bound, to the bit, of norms that are made once for several problems. */
static void check_norms(struct world *w, struct rounding_options o, const struct certificate *same)
{
	const double rho = w->at.rho;
	struct rounding_rows rows;
	struct certificate c;
	struct error err = { 0 };

	CHECK(rounding_rows_init(&rows, &w->x, NULL, &err) == 0, "%s", err.text);
	o.rows = &rows;
	float_vectors_free(&w->single);
	if (certify(w, true, &c)) {
		w->at.rho = rho;
		CHECK(rounding_settle(&w->p, &w->at, &o, &c, &err) == 0 &&
			      c.rounding == same->rounding && c.primal == same->primal,
		      "rounding %.17g, not %.17g %s", c.rounding, same->rounding, err.text);
	}
	rounding_rows_free(&rows);
}

/* At the optimum: many examples matter, and a sample is computed again; or a few, and all are. */
static void test_settled(void)
{
	static const int64_t n[] = { 60, 1200 };

	for (int m = 0; m < 5; m += UNIT_IS_SANITIZED ? 4 : 1)
		for (int k = 0; k < 2; k++) {
			const struct rounding_options o = { .tolerance = 1e-3,
							    .seed = 1,
							    .n_threads = 2 };
			struct world w;
			struct certificate c, coarse;
			struct error err = { 0 };

			make_world(&w, machines[m], KERNEL_RBF, n[k], 1);
			w.p.c_plus = w.p.c_minus = 1;
			make_beta(&w);
			plain_values(&w.p, w.beta, w.f);
			CHECK(world_solve(&w, smo_solver(10, 1), 1e-7, &err) == 0, "%s", err.text);
			if (!certify(&w, true, &c))
				return;
			coarse = c;
			CHECK(rounding_bound(&w.p, &w.at, ROUNDING_FLOATS, 0, &coarse, &err) == 0 &&
				      rounding_settle(&w.p, &w.at, &o, &c, &err) == 0,
			      "%s", err.text);
			check_bound(&w, &c, k ? "sample" : "again");
			check_norms(&w, o, &c);
			CHECK(c.rounding < coarse.rounding / 30, "machine %d, n %d: %g, before %g",
			      m, (int)n[k], c.rounding, coarse.rounding);
			float_vectors_free(&w.single);
			world_free(&w);
		}
}

/*
 * A few examples have nearly all of |w|^2, and most that may have a loss have none of it: a sample that
 * does not look for the few finds no error.
 */
static void test_uneven(void)
{
	const int64_t n = 3000;

	for (uint64_t seed = 0; seed < (UNIT_IS_SANITIZED ? 2 : 8); seed++) {
		const struct rounding_options o = { .tolerance = 1e-3,
						    .seed = seed,
						    .n_threads = 2 };
		struct world w;
		struct certificate c;
		struct error err = { 0 };

		make_world(&w, MACHINE_C_SVC, KERNEL_RBF, n, 1);
		w.p.c_plus = w.p.c_minus = 1e-6;
		w.p.weight = full_zeros(n, 1);
		for (int64_t i = 0; i < n; i++) {
			((double *)w.p.weight)[i] = i < 40 ? 1e6 : 1;
			w.target[i] = i % 2 ? 1 : -1;
			w.beta[i] = w.target[i] * problem_c(&w.p, i);
		}
		if (certify(&w, true, &c)) {
			c.dual = -INFINITY; /* an early end: digits of the primal are wanted */
			CHECK(rounding_settle(&w.p, &w.at, &o, &c, &err) == 0, "%s", err.text);
			c.dual = certificate_dual(&w.p, w.beta, w.f);
			check_bound(&w, &c, "uneven");
		}
		free((double *)w.p.weight);
		float_vectors_free(&w.single);
		world_free(&w);
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;

	for (int k = 0; k < n; k++)
		test_bounds();
	test_unscaled();
	test_settled();
	test_uneven();
	return unit_report("rounding");
}
