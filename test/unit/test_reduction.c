/*
 * test_reduction.c - what is certified of reductions, against full matrices and solved problems
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "geometry/reduction.h"
#include "matrix/blas.h"
#include "solved.h"
#include "unit.h"

static const struct row_space_options plain = { .n_threads = 1 };

/* A reduction of full matrices: rows a (n x d), R (d x r), and a R. */
struct sample {
	int64_t n, d, r;
	double *a, *map, *reduced;
	struct csr x, reduced_x;
};

static void sample_free(struct sample *s)
{
	free(s->a);
	free(s->map);
	free(s->reduced);
	csr_free(&s->x);
	csr_free(&s->reduced_x);
}

/* Of s->a and s->map, which it takes: the rest. */
static void finish_sample(struct sample *s)
{
	s->reduced = full_product(s->a, s->map, s->n, s->d, s->r);
	full_rows(&s->x, s->a, s->n, s->d, 1, 3);
	full_rows(&s->reduced_x, s->reduced, s->n, s->r, 1, 1);
}

/* Entries N(0, 1 / r) */
static double *normal_map(int64_t d, int64_t r)
{
	double *map = full_normal(d, r);

	for (int64_t k = 0; k < d * r; k++)
		map[k] /= sqrt((double)r);
	return map;
}

static void make_sample(struct sample *s, int64_t n, int64_t d, int64_t r, double density)
{
	*s = (struct sample){ .n = n, .d = d, .r = r };
	s->a = full_normal(n, d);
	for (int64_t k = 0; k < n * d; k++)
		s->a[k] = random_unit() < density ? s->a[k] : 0;
	s->map = normal_map(d, r);
	finish_sample(s);
}

/* Smallest and largest eigenvalue of V'RR'V, V from the singular vectors of the full matrix. */
static void plain_lambdas(const struct sample *s, int64_t rank, double lambda[2])
{
	int64_t m = s->n < s->d ? s->n : s->d;
	double *work = full_zeros(s->n, s->d), *left = full_zeros(s->n, m);
	double *right = full_zeros(m, s->d), *value = full_zeros(m, 1), *b, *bt, *product;
	struct error err = { 0 };

	memcpy(work, s->a, (size_t)(s->n * s->d) * sizeof(*work));
	CHECK(blas_svd(work, s->n, s->d, left, value, right, &err) == 0, "%s", err.text);
	b = full_product(right, s->map, rank, s->d, s->r); /* the first rows of 'right' */
	bt = full_transposed(b, rank, s->r);
	product = full_product(b, bt, rank, s->r, rank);
	CHECK(blas_symmetric_eigen(product, rank, value, false, &err) == 0, "%s", err.text);
	lambda[0] = value[0];
	lambda[1] = value[rank - 1];
	free(work);
	free(left);
	free(right);
	free(value);
	free(b);
	free(bt);
	free(product);
}

/* Rows certified, against the definition; returns the error over what is allowed of it. */
static void check_rows(const struct sample *s, int64_t rank, bool qr, const char *what)
{
	struct row_space_options o = { .n_threads = 1, .qr = qr };
	struct reduction_certificate c;
	struct row_space space;
	struct error err = { 0 };
	double lambda[2], slack;

	if (!CHECK(row_space_init(&space, &s->x, &o, &err) == 0, "%s: %s", what, err.text))
		return;
	if (CHECK(reduction_certify_rows(&c, &space, &s->reduced_x, &err) == 0, "%s: %s", what,
		  err.text)) {
		plain_lambdas(s, rank, lambda);
		slack = (c.rounding + 1e-12) * lambda[1];
		CHECK(c.rank == rank && c.n_columns == s->r, "%s: rank %" PRId64 " by %" PRId64,
		      what, c.rank, c.n_columns);
		CHECK(fabs(c.lambda_max - lambda[1]) <= slack,
		      "%s: lambda_max %.15g, not %.15g "
		      "(%g allowed)",
		      what, c.lambda_max, lambda[1], slack);
		CHECK(fabs(c.lambda_min - lambda[0]) <= slack,
		      "%s: lambda_min %.15g, not %.15g "
		      "(%g allowed)",
		      what, c.lambda_min, lambda[0], slack);
		CHECK(s->r >= rank || c.lambda_min == 0, "%s: lambda_min %g", what, c.lambda_min);
		CHECK(fabs(c.error - fmax(c.lambda_max - 1, 1 - c.lambda_min)) <= 1e-12,
		      "%s: E %g for %g to %g", what, c.error, c.lambda_min, c.lambda_max);
	}
	row_space_free(&space);
}

static void test_rows(void)
{
	const struct {
		int64_t n, d, r;
		double density;
	} shape[] = { { 20, 90, 60, 1 },  { 20, 90, 15, 0.5 }, { 90, 20, 40, 1 },
		      { 90, 20, 7, 0.4 }, { 1, 10, 3, 1 },     { 30, 1, 4, 1 },
		      { 12, 50, 300, 1 }, { 150, 12, 300, 1 } };

	for (int t = 0; t < 8; t++) {
		struct sample s;
		char what[60];

		make_sample(&s, shape[t].n, shape[t].d, shape[t].r, shape[t].density);
		snprintf(what, sizeof(what), "%" PRId64 " x %" PRId64 " to %" PRId64, s.n, s.d,
			 s.r);
		check_rows(&s, s.n < s.d ? s.n : s.d, false, what);
		check_rows(&s, s.n < s.d ? s.n : s.d, true, what);
		sample_free(&s);
	}
}

/* What is called rounding is no less than what is lost; and not much more, or it says nothing. */
static void test_condition(void)
{
	const double kappa[] = { 10, 1e3, 1e6, 1e9 };

	for (int t = 0; t < 4; t++)
		for (int many = 0; many < 2; many++) {
			int64_t n = many ? 120 : 15, d = many ? 15 : 120;
			double *left = full_orthonormal(n, 15), *right = full_orthonormal(d, 15);
			double *rt = full_transposed(right, d, 15);
			struct sample s = { .n = n, .d = d, .r = 40 };
			struct reduction_certificate c;
			struct row_space space;
			struct error err = { 0 };
			char what[60];

			for (int64_t i = 0; i < n * 15; i++)
				left[i] *= pow(kappa[t], -(double)(i % 15) / 14);
			s.a = full_product(left, rt, n, 15, d);
			s.map = normal_map(d, s.r);
			finish_sample(&s);
			snprintf(what, sizeof(what), "kappa %g, %s", kappa[t],
				 many ? "n > d" : "n < d");
			check_rows(&s, 15, false, what);
			CHECK(row_space_init(&space, &s.x, &plain, &err) == 0, "%s", err.text);
			CHECK(reduction_certify_rows(&c, &space, &s.reduced_x, &err) == 0, "%s",
			      err.text);
			CHECK(c.rounding <=
				      1e-13 * kappa[t] * (space.by_qr || !many ? 1 : kappa[t]),
			      "%s: rounding %g", what, c.rounding);
			row_space_free(&space);
			sample_free(&s);
			free(left);
			free(right);
			free(rt);
		}
}

/* Features kept with weights are the reduction with those columns, certified either way. */
static void test_features(void)
{
	for (int many = 0; many < 2; many++) {
		int64_t n = many ? 80 : 20, d = many ? 20 : 80, r = 60;
		struct sample s = { .n = n, .d = d, .r = r };
		struct reduction_certificate c, by_rows;
		struct row_space space;
		struct error err = { 0 };
		int32_t feature[61];
		double weight[61], lambda[2];

		s.a = full_normal(n, d);
		s.map = full_zeros(d, r);
		for (int32_t k = 0; k < r; k++) {
			int64_t j = random_below(d); /* some more than once */

			feature[k] = 1 + 3 * (int32_t)j; /* as finish_sample() numbers them */
			weight[k] = random_between(0.2, 3);
			s.map[j * r + k] = weight[k];
		}
		feature[60] = 2; /* not in the data */
		weight[60] = 1e9;
		finish_sample(&s);
		CHECK(row_space_init(&space, &s.x, &plain, &err) == 0, "%s", err.text);
		CHECK(reduction_certify_features(&c, &space, feature, weight, 61, &err) == 0, "%s",
		      err.text);
		plain_lambdas(&s, 20, lambda);
		CHECK(fabs(c.lambda_min - lambda[0]) + fabs(c.lambda_max - lambda[1]) <= 1e-10 &&
			      c.n_columns == 61,
		      "%.15g to %.15g, not %.15g to %.15g", c.lambda_min, c.lambda_max, lambda[0],
		      lambda[1]);
		CHECK(reduction_certify_rows(&by_rows, &space, &s.reduced_x, &err) == 0, "%s",
		      err.text);
		CHECK(fabs(c.lambda_min - by_rows.lambda_min) <= 1e-9, "%.15g, by rows %.15g",
		      c.lambda_min, by_rows.lambda_min);
		CHECK(reduction_certify_features(&c, &space, feature, NULL, 10, &err) == 0 &&
			      c.lambda_min == 0 && isinf(c.kappa) && 1 / c.kappa == 0,
		      "fewer features than the rank: lambda_min %g", c.lambda_min);
		weight[3] = NAN;
		CHECK(reduction_certify_features(&c, &space, feature, weight, 61, &err) < 0 &&
			      err.code == ERR_NUMERIC,
		      "a weight that is no number");
		row_space_free(&space);
		sample_free(&s);
	}
}

/* All features once, unweighted: nothing changes. */
static void test_identity(void)
{
	struct sample s = { .n = 12, .d = 30, .r = 30 };
	struct reduction_certificate c;
	struct row_space space;
	struct error err = { 0 };

	s.a = full_normal(s.n, s.d);
	s.map = full_zeros(s.d, s.d);
	for (int64_t j = 0; j < s.d; j++)
		s.map[j * s.d + j] = 1;
	finish_sample(&s);
	CHECK(row_space_init(&space, &s.x, &plain, &err) == 0, "%s", err.text);
	CHECK(reduction_certify_rows(&c, &space, &s.reduced_x, &err) == 0 && c.error <= 1e-12 &&
		      fabs(c.kappa - 1) <= 1e-12,
	      "E %g", c.error);
	CHECK(reduction_certify_features(&c, &space, space.columns.feature, NULL, space.columns.n,
					 &err) == 0 &&
		      c.error <= 1e-12,
	      "E %g", c.error);
	row_space_free(&space);
	sample_free(&s);
}

static void test_nothing(void)
{
	const int64_t start[] = { 0, 0, 0 };
	const int32_t col[] = { 0 };
	const double val[] = { 0 };
	struct csr x = { 0 }, one = { 0 };
	struct reduction_certificate c;
	struct row_space space;
	struct error err = { 0 };

	CHECK(csr_append(&x, 2, start, col, val, &err) == 0 &&
		      csr_append(&one, 1, start, col, val, &err) == 0,
	      "%s", err.text);
	CHECK(row_space_init(&space, &x, &plain, &err) == 0, "%s", err.text);
	CHECK(reduction_certify_rows(&c, &space, &x, &err) == 0 && c.rank == 0 && c.error == 0 &&
		      c.kappa == 1,
	      "no entries: E %g '%s'", c.error, err.text);
	CHECK(reduction_certify_features(&c, &space, NULL, NULL, 0, &err) == 0 && c.error == 0,
	      "no features: '%s'", err.text);
	CHECK(reduction_certify_rows(&c, &space, &one, &err) < 0 && err.code == ERR_ARGUMENT &&
		      strstr(err.text, "2 rows and 1 reduced"),
	      "another number of rows: '%s'", err.text);
	row_space_free(&space);
	random_rows(&one, 2, 10, 1);
	csr_free(&x);
	err = (struct error){ 0 };
	CHECK(row_space_init(&space, &one, &plain, &err) == 0, "%s", err.text);
	one.val[4] = INFINITY;
	CHECK(reduction_certify_rows(&c, &space, &one, &err) < 0 && err.code == ERR_NUMERIC,
	      "an infinite value: '%s'", err.text);
	row_space_free(&space);
	csr_free(&one);
}

/* ---- The bounds on solved problems ---- */

struct ratio_bounds {
	double low, high;
};

/* |w|^2 is known to about the root of the objective's error */
static void check_ratio(const char *what, double ratio, struct ratio_bounds b, double slack)
{
	CHECK(ratio >= b.low * (1 - slack) && ratio <= b.high * (1 + slack),
	      "%s: ratio %.10g is not in [%.10g, %.10g]", what, ratio, b.low, b.high);
}

static void check_radius(const struct sample *s)
{
	struct reduction_certificate r;
	struct row_space space;
	struct error err = { 0 };

	CHECK(row_space_init(&space, &s->x, &plain, &err) == 0, "%s", err.text);
	CHECK(reduction_certify_rows(&r, &space, &s->reduced_x, &err) == 0, "%s", err.text);
	check_ratio("radius", solved_ball(s->reduced, s->n, s->r) / solved_ball(s->a, s->n, s->d),
		    (struct ratio_bounds){ r.lambda_min, r.lambda_max }, 2e-6);
	row_space_free(&space);
}

static void check_bounds(const struct sample *s, enum machine_type type, double c)
{
	double *plane = full_normal(s->d, 1), *target = full_product(s->a, plane, s->n, s->d, 1);
	struct solved before, after;
	struct reduction_certificate r;
	struct row_space space;
	struct error err = { 0 };

	for (int64_t i = 0; i < s->n; i++) {
		target[i] += 2 * random_normal();
		if (type == MACHINE_C_SVC)
			target[i] = i < 2 ? 2 * (double)i - 1 : target[i] > 0 ? 1 : -1;
	}
	CHECK(row_space_init(&space, &s->x, &plain, &err) == 0, "%s", err.text);
	CHECK(reduction_certify_rows(&r, &space, &s->reduced_x, &err) == 0, "%s", err.text);
	before = solved_machine(&s->x, target, type, c, 0.3, NULL);
	after = solved_machine(&s->reduced_x, target, type, c, 0.3, NULL);
	/* the optimum of the dual, by reduction.h: both bounds include 1 */
	check_ratio("objective", after.objective / before.objective,
		    (struct ratio_bounds){ fmin(1, 1 / r.lambda_max), fmax(1, 1 / r.lambda_min) },
		    2e-6);
	check_ratio("margin", before.norm2 / after.norm2,
		    (struct ratio_bounds){ 1 / r.kappa, r.kappa }, 2e-3);
	if (type == MACHINE_C_SVC && c >= 1e3 && s->n < s->d && s->r >= s->n)
		check_ratio("hard margin", before.norm2 / after.norm2,
			    (struct ratio_bounds){ r.lambda_min, r.lambda_max }, 2e-3);
	row_space_free(&space);
	free(plane);
	free(target);
}

/* Random maps, with more columns than the rank, as many, and fewer; features kept with weights. */
static void test_bounds(void)
{
	const double c[] = { 1e-3, 1e-2, 1, 1e3 };
	const int64_t shape[][3] = {
		{ 30, 60, 40 }, { 30, 60, 300 }, { 30, 60, 12 }, { 80, 12, 30 }, { 80, 12, 8 }
	};

	for (int t = 0; t < 5; t++)
		for (int kept = 0; kept < 2; kept++) {
			struct sample s;

			make_sample(&s, shape[t][0], shape[t][1], shape[t][2], 0.7);
			if (kept) {
				memset(s.map, 0, (size_t)(s.d * s.r) * sizeof(*s.map));
				for (int64_t k = 0; k < s.r; k++)
					s.map[random_below(s.d) * s.r + k] = random_between(0.3, 2);
				free(s.reduced);
				csr_free(&s.x);
				csr_free(&s.reduced_x);
				finish_sample(&s);
			}
			check_radius(&s);
			for (int k = 0; k < 4; k++) {
				check_bounds(&s, MACHINE_C_SVC, c[k]);
				check_bounds(&s, MACHINE_EPSILON_SVR, c[k]);
			}
			sample_free(&s);
		}
}

/* ---- Memory ---- */

struct failing {
	const struct row_space *space;
	const struct csr *reduced;
};

static int run_rows(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct reduction_certificate c;

	return reduction_certify_rows(&c, f->space, f->reduced, err);
}

static int run_features(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct reduction_certificate c;

	return reduction_certify_features(&c, f->space, f->space->columns.feature, NULL, 5, err);
}

static void test_memory(void)
{
	for (int t = 0; t < 3; t++) {
		struct row_space_options o = { .n_threads = 1, .qr = t == 2 };
		struct sample s;
		struct row_space space;
		struct error err = { 0 };

		make_sample(&s, t ? 20 : 6, t ? 6 : 20, 5, 1);
		CHECK(row_space_init(&space, &s.x, &o, &err) == 0, "%s", err.text);
		fail_each_allocation("rows", run_rows, &(struct failing){ &space, &s.reduced_x });
		fail_each_allocation("features", run_features,
				     &(struct failing){ &space, &s.reduced_x });
		row_space_free(&space);
		sample_free(&s);
	}
}

int main(void)
{
	test_rows();
	test_condition();
	test_features();
	test_identity();
	test_nothing();
	test_bounds();
	test_memory();
	return unit_report("reduction");
}
