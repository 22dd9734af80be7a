/*
 * test_pca.c - principal components against singular values of full centred matrices
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "linear/linear.h"
#include "matrix/blas.h"
#include "project/pca.h"
#include "unit.h"
#include "world.h"

/* X (n x d) as rows and centred: X_c = left diag(value) right, m = min(n, d) values. */
struct reference {
	int64_t n, d, m;
	double *centred, *left, *value, *right;
	struct csr x;
};

static void reference_free(struct reference *r)
{
	free(r->centred);
	free(r->left);
	free(r->value);
	free(r->right);
	csr_free(&r->x);
}

/* Takes 'a' (n x d), whose column j is feature 1 + 2 j. */
static void reference_init(struct reference *r, double *a, int64_t n, int64_t d)
{
	double *work = full_zeros(n, d);
	struct error err = { 0 };

	*r = (struct reference){ .n = n, .d = d, .m = n < d ? n : d, .centred = a };
	full_rows(&r->x, a, n, d, 1, 2);
	r->left = full_zeros(n, r->m);
	r->value = full_zeros(r->m, 1);
	r->right = full_zeros(r->m, d);
	for (int64_t j = 0; j < d; j++) {
		long double sum = 0;

		for (int64_t i = 0; i < n; i++)
			sum += a[i * d + j];
		for (int64_t i = 0; i < n; i++)
			a[i * d + j] = (double)(a[i * d + j] - sum / (long double)n);
	}
	memcpy(work, a, (size_t)(n * d) * sizeof(*work));
	CHECK(blas_svd(work, n, d, r->left, r->value, r->right, &err) == 0, "%s", err.text);
	free(work);
}

/* The rows turned to components, n x k. */
static double *coordinates(const struct pca *p, const struct csr *x)
{
	double *z = full_zeros(x->n_rows, p->n_components);
	double *label = full_zeros(x->n_rows, 1);
	const struct row_batch in = csr_as_batch(x, label);
	struct row_batch out = { 0 };
	struct error err = { 0 };

	CHECK(pca_apply(p, (struct row_range){ &in, 0, x->n_rows }, &out, &err) == 0, "%s",
	      err.text);
	for (int64_t i = 0; i < out.n_rows; i++)
		for (int64_t e = out.row_start[i]; e < out.row_start[i + 1]; e++)
			z[i * p->n_components + out.index[e] - 1] = out.value[e];
	row_batch_free(&out);
	free(label);
	return z;
}

/* Of each component the largest entry is positive. */
static void check_signs(const struct pca *p, const char *what)
{
	for (int64_t t = 0; t < p->n_components; t++) {
		double low = 0, high = 0;

		for (int64_t j = 0; j < p->n_features; j++) {
			low = fmin(low, p->component[j * p->n_components + t]);
			high = fmax(high, p->component[j * p->n_components + t]);
		}
		CHECK(high >= -low, "%s: component %" PRId64 ": %g to %g", what, t, low, high);
	}
}

/*
 * All there is to say of p with the k largest singular values, distinct ones: V orthonormal,
 * the values, and coordinates +- left diag(value).
 */
static void check_pca(const struct pca *p, const struct reference *r, int64_t k, double accuracy,
		      const char *what)
{
	double *z;

	if (!CHECK(p->n_components == k, "%s: %" PRId64 " components, not %" PRId64, what,
		   p->n_components, k))
		return;
	CHECK(full_crookedness(p->component, p->n_features, k) <= 1e-8, "%s: V'V - I is %g", what,
	      full_crookedness(p->component, p->n_features, k));
	check_signs(p, what);
	z = coordinates(p, &r->x);
	for (int64_t t = 0; t < k; t++) {
		double same = 0, turned = 0;

		CHECK(fabs(p->singular_value[t] - r->value[t]) <= accuracy * r->value[t],
		      "%s: singular value %.12g, not %.12g", what, p->singular_value[t],
		      r->value[t]);
		for (int64_t i = 0; i < r->n; i++) {
			double u = r->left[i * r->m + t] * r->value[t];

			same = fmax(same, fabs(z[i * k + t] - u));
			turned = fmax(turned, fabs(z[i * k + t] + u));
		}
		CHECK(fmin(same, turned) <= 1e3 * accuracy * r->value[0],
		      "%s: coordinate %" PRId64 " is off by %g", what, t, fmin(same, turned));
	}
	free(z);
}

/* Some columns full and far from 0, others with few entries. */
static double *mixed(int64_t n, int64_t d, double far)
{
	double *a = full_normal(n, d);

	for (int64_t k = 0; k < n * d; k++) {
		if (k % d % 3 == 0)
			a[k] += far;
		else if (k % d % 3 == 1 && random_unit() < 0.8)
			a[k] = 0;
	}
	return a;
}

static void test_exact(void)
{
	const int64_t shape[][2] = { { 20, 50 }, { 50, 20 }, { 30, 30 }, { 2, 40 }, { 40, 1 } };
	const double far[] = { 0, 3, 1e6 };

	for (int t = 0; t < 5; t++)
		for (int f = 0; f < 3; f++) {
			int64_t n = shape[t][0], d = shape[t][1], rank = n - 1 < d ? n - 1 : d;
			struct pca_options o = { .n_components = d, .n_threads = 2 };
			struct reference r;
			struct error err = { 0 };
			struct pca p;
			char what[80];

			reference_init(&r, mixed(n, d, far[f]), n, d);
			snprintf(what, sizeof(what), "%" PRId64 " x %" PRId64 ", means %g", n, d,
				 far[f]);
			if (CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s: %s", what, err.text)) {
				check_pca(&p, &r, rank, 1e-10 + 1e-15 * far[f], what);
				pca_free(&p);
			}
			o.n_components = 1;
			if (CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s: %s", what, err.text)) {
				check_pca(&p, &r, 1, 1e-10 + 1e-15 * far[f], what);
				pca_free(&p);
			}
			reference_free(&r);
		}
}

/* All components keep all distances: Z Z' = X_c X_c'. */
static void test_full_rank(void)
{
	struct pca_options o = { .n_components = 1000, .n_threads = 1 };
	struct reference r;
	struct error err = { 0 };
	struct pca p;
	double *z, *zt, *at, *is, *be;

	reference_init(&r, mixed(25, 40, 10), 25, 40);
	CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
	z = coordinates(&p, &r.x);
	zt = full_transposed(z, r.n, p.n_components);
	at = full_transposed(r.centred, r.n, r.d);
	is = full_product(z, zt, r.n, p.n_components, r.n);
	be = full_product(r.centred, at, r.n, r.d, r.n);
	CHECK(full_difference(is, be, r.n * r.n) <= 1e-11 * r.value[0] * r.value[0],
	      "Z Z' is off by %g", full_difference(is, be, r.n * r.n));
	free(z);
	free(zt);
	free(at);
	free(is);
	free(be);
	pca_free(&p);
	reference_free(&r);
}

/* n x d with the singular values 1, 2^-decay, 3^-decay, ... about a mean */
static double *decaying(int64_t n, int64_t d, int64_t rank, double decay)
{
	double *left = full_orthonormal(n, rank), *right = full_orthonormal(d, rank);
	double *rt = full_transposed(right, d, rank), *a;

	for (int64_t i = 0; i < n * rank; i++)
		left[i] *= pow((double)(i % rank + 1), -decay);
	a = full_product(left, rt, n, rank, d);
	for (int64_t i = 0; i < n * d; i++)
		a[i] += (double)(i % d) / (double)d;
	free(left);
	free(right);
	free(rt);
	return a;
}

/* Components far below what products of pairs can tell from 0 are found all the same. */
static void test_conditions(void)
{
	const double kappa[] = { 1e3, 1e6, 1e10 };

	for (int t = 0; t < 6; t++) {
		bool many = t % 2;
		int64_t n = many ? 150 : 20, d = many ? 20 : 150, rank = 19;
		struct pca_options o = { .n_components = 30, .n_threads = 2 };
		double *left = full_orthonormal(n, rank), *right = full_orthonormal(d, rank), *rt;
		struct reference r;
		struct error err = { 0 };
		struct pca p;

		for (int64_t i = 0; i < n * rank; i++)
			left[i] *= pow(kappa[t / 2], -(double)(i % rank) / (double)(rank - 1));
		rt = full_transposed(right, d, rank);
		reference_init(&r, full_product(left, rt, n, rank, d), n, d);
		CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
		CHECK(p.n_components == rank, "kappa %g: %" PRId64 " components", kappa[t / 2],
		      p.n_components);
		CHECK(full_crookedness(p.component, d, p.n_components) <= 1e-9,
		      "kappa %g: V'V - I is %g", kappa[t / 2],
		      full_crookedness(p.component, d, p.n_components));
		for (int64_t k = 0; k < p.n_components; k++)
			CHECK(fabs(p.singular_value[k] - r.value[k]) <=
				      (t < 2 ? 1e-9 * r.value[k] : 1e-14 * r.value[0]),
			      "kappa %g: singular value %g, not %g", kappa[t / 2],
			      p.singular_value[k], r.value[k]);
		check_signs(&p, "conditions");
		pca_free(&p);
		reference_free(&r);
		free(left);
		free(right);
		free(rt);
	}
}

static double worst_value(const struct pca *p, const struct reference *r)
{
	double worst = 0;

	for (int64_t t = 0; t < p->n_components; t++)
		worst = fmax(worst, fabs(p->singular_value[t] / r->value[t] - 1));
	return worst;
}

/* Sketches: near for slow decay, exact where the rank is less than their columns. */
static void test_sketch(void)
{
	struct pca_options o = { .n_components = 20, .seed = 1, .max_exact = 10, .n_threads = 2 };

	for (int many = 0; many < 2; many++) {
		int64_t n = many ? 260 : 150, d = many ? 150 : 260;
		struct reference r;
		struct error err = { 0 };
		struct pca p;

		reference_init(&r, decaying(n, d, 140, 0.5), n, d);
		CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
		CHECK(p.n_components == 20 && worst_value(&p, &r) <= 0.01 &&
			      worst_value(&p, &r) > 0,
		      "%" PRId64 " components, values off by %g", p.n_components,
		      worst_value(&p, &r));
		CHECK(full_crookedness(p.component, p.n_features, 20) <= 1e-13, "V'V - I is %g",
		      full_crookedness(p.component, p.n_features, 20));
		check_signs(&p, "sketch");
		pca_free(&p);
		reference_free(&r);

		reference_init(&r, decaying(n, d, 12, 0.5), n, d);
		CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
		check_pca(&p, &r, 12, 1e-12, many ? "n > d, rank 12" : "n < d, rank 12");
		pca_free(&p);
		reference_free(&r);
	}
}

/* Asked for all of them, sketches have as many columns as the matrix and nothing is lost. */
static void test_wide_sketch(void)
{
	struct pca_options o = { .n_components = 500, .seed = 3, .max_exact = 10, .n_threads = 1 };
	struct reference r;
	struct error err = { 0 };
	struct pca p;

	reference_init(&r, mixed(30, 45, 2), 30, 45);
	CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
	check_pca(&p, &r, 29, 1e-10, "as wide as the matrix");
	pca_free(&p);
	reference_free(&r);
}

/* Rows that are all alike have no components, whatever rounding makes of their mean. */
static void test_constant(void)
{
	for (int t = 0; t < 4; t++) {
		int64_t n = t % 2 ? 30 : 1, d = 7;
		struct pca_options o = { .n_components = 3,
					 .n_threads = 1,
					 .max_exact = t < 2 ? 0 : 1 };
		double *a = full_zeros(n, d);
		struct csr x = { 0 };
		struct error err = { 0 };
		struct pca p;

		for (int64_t k = 0; k < n * d; k++)
			a[k] = 0.1 + 1e5 * (double)(k % d) / 3;
		full_rows(&x, a, n, d, 1, 1);
		CHECK(pca_fit(&p, &x, &o, &err) == 0 && p.n_components == 0,
		      "%" PRId64 " equal rows: %" PRId64 " components '%s'", n, p.n_components,
		      err.text);
		free(coordinates(&p, &x));
		pca_free(&p);
		csr_free(&x);
		random_rows(&x, 3, 5, 0);
		CHECK(pca_fit(&p, &x, &o, &err) == 0 && p.n_components == 0 && p.n_features == 0,
		      "empty rows: '%s'", err.text);
		pca_free(&p);
		csr_free(&x);
		free(a);
	}
}

/* Values of any size have the components that values near 1 have. */
static void test_scale(void)
{
	struct pca_options o = { .n_components = 4, .n_threads = 1 };
	struct csr x = { 0 };
	struct error err = { 0 };
	struct pca p, q;

	random_rows(&x, 10, 20, 0.6);
	CHECK(pca_fit(&p, &x, &o, &err) == 0, "%s", err.text);
	for (int64_t k = 0; k < csr_n_entries(&x); k++)
		x.val[k] *= 0x1p600;
	CHECK(pca_fit(&q, &x, &o, &err) == 0, "%s", err.text);
	CHECK(q.n_components == 4 &&
		      full_difference(p.component, q.component, 4 * p.n_features) <= 1e-13,
	      "values of 2^600: other components");
	for (int64_t j = 0; j < p.n_features; j++)
		q.mean[j] *= 0x1p-600;
	CHECK(fabs(q.singular_value[3] * 0x1p-600 / p.singular_value[3] - 1) <= 1e-13 &&
		      full_difference(p.mean, q.mean, p.n_features) <= 1e-15,
	      "values of 2^600: %g", q.singular_value[3]);
	pca_free(&p);
	pca_free(&q);
	csr_free(&x);
}

/* ---- Predictions ---- */

/* f + b of the rows trained on */
static double *decide(const struct csr *x, const double *target)
{
	struct linear_options o = { .eps = 1e-9, .n_threads = 1, .seed = 1 };
	double *f = full_zeros(x->n_rows, 1);
	struct linear_result result;
	struct error err = { 0 };
	struct world w;

	world_init(&w, (struct problem_view){ .type = MACHINE_C_SVC,
					      .kernel = { KERNEL_LINEAR, 3, 1, 0 },
					      .x = x,
					      .n = x->n_rows,
					      .c_plus = 1 });
	memcpy(w.target, target, (size_t)x->n_rows * sizeof(*target));
	CHECK(linear_solve(&w.p, &o, w.beta, w.f, &result, &err) >= 0, "%s", err.text);
	for (int64_t i = 0; i < x->n_rows; i++)
		f[i] = w.f[i] - result.rho;
	world_free(&w);
	return f;
}

static void test_predictions(void)
{
	for (int many = 0; many < 2; many++) {
		int64_t n = many ? 120 : 40, d = many ? 15 : 70;
		struct pca_options o = { .n_components = 100, .n_threads = 1 };
		double *target = full_zeros(n, 1), *z, *before, *after;
		struct reference r;
		struct csr reduced = { 0 };
		struct error err = { 0 };
		struct pca p;

		reference_init(&r, mixed(n, d, 4), n, d);
		for (int64_t i = 0; i < n; i++)
			target[i] = r.centred[i * d] + random_normal() > 0 ? 1 : -1;
		CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
		z = coordinates(&p, &r.x);
		full_rows(&reduced, z, n, p.n_components, 1, 1);
		before = decide(&r.x, target);
		after = decide(&reduced, target);
		CHECK(full_difference(before, after, n) <= 1e-5, "decision values differ by %g",
		      full_difference(before, after, n));
		free(target);
		free(z);
		free(before);
		free(after);
		csr_free(&reduced);
		reference_free(&r);
		pca_free(&p);
	}
}

/* ---- Rows in batches ---- */

static void test_apply(void)
{
	int64_t row_start[] = { 0, 2, 2, 5, 6 };
	int32_t index[] = { 1, 3, 2, 5, 7, 1 };
	double value[] = { 1, -2, 9, 4, 1, 3 }, label[] = { 1, -1, 2.5, 7 };
	struct row_batch in = { .n_rows = 4,
				.n_entries = 6,
				.label = label,
				.row_start = row_start,
				.index = index,
				.value = value };
	struct row_batch out = { 0 };
	struct pca_options o = { .n_components = 3, .n_threads = 1 };
	struct reference r;
	struct error err = { 0 };
	struct pca p;

	reference_init(&r, mixed(20, 6, 2), 20, 6);
	CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
	CHECK(pca_apply(&p, (struct row_range){ &in, 1, 3 }, &out, &err) == 0, "%s", err.text);
	CHECK(out.n_rows == 3 && out.n_entries == 9 && out.max_index == 3 && out.row_start[2] == 6,
	      "%" PRId64 " rows, %" PRId64 " entries", out.n_rows, out.n_entries);
	for (int64_t i = 0; i < 3; i++) {
		double row[7] = { 0 };

		CHECK(out.label[i] == label[i + 1], "label %g", out.label[i]);
		for (int64_t k = row_start[i + 1]; k < row_start[i + 2]; k++)
			row[index[k] / 2] = index[k] % 2 ? value[k] : row[index[k] / 2];
		for (int64_t t = 0; t < 3; t++) {
			double z = 0, is = out.value[3 * i + t];

			for (int64_t j = 0; j < 6; j++)
				z += (row[j] - p.mean[j]) * p.component[j * 3 + t];
			CHECK(fabs(z - is) <= 1e-13 && out.index[3 * i + t] == t + 1, "%g, not %g",
			      is, z);
		}
	}
	row_batch_free(&out);
	pca_free(&p);
	reference_free(&r);
}

/* What is read back from a file needs the numbers alone. */
static void test_prepare(void)
{
	struct pca_options o = { .n_components = 4, .n_threads = 1 };
	struct reference r;
	struct error err = { 0 };
	struct pca p, q;
	double *before, *after;

	reference_init(&r, mixed(20, 30, 2), 20, 30);
	CHECK(pca_fit(&p, &r.x, &o, &err) == 0, "%s", err.text);
	q = (struct pca){ .n_features = 30,
			  .n_components = 4,
			  .feature = malloc(30 * sizeof(int32_t)),
			  .mean = full_zeros(30, 1),
			  .component = full_zeros(30, 4) };
	memcpy(q.feature, p.feature, 30 * sizeof(int32_t));
	memcpy(q.mean, p.mean, 30 * sizeof(double));
	memcpy(q.component, p.component, 30 * 4 * sizeof(double));
	CHECK(pca_prepare(&q, &err) == 0, "%s", err.text);
	before = coordinates(&p, &r.x);
	after = coordinates(&q, &r.x);
	CHECK(!memcmp(before, after, 20 * 4 * sizeof(double)), "other coordinates");
	free(before);
	free(after);
	pca_free(&p);
	pca_free(&q);
	reference_free(&r);
}

/* ---- Errors, threads, memory ---- */

static void test_errors(void)
{
	struct pca_options o = { .n_components = 2, .n_threads = 1 };
	struct csr x = { 0 };
	struct error err = { 0 };
	struct pca p;

	CHECK(pca_fit(&p, &x, &o, &err) < 0 && err.code == ERR_ARGUMENT, "no rows: '%s'", err.text);
	random_rows(&x, 5, 10, 1);
	x.val[8] = NAN;
	err = (struct error){ 0 };
	CHECK(pca_fit(&p, &x, &o, &err) < 0 && err.code == ERR_NUMERIC && !p.feature,
	      "not a number: '%s'", err.text);
	csr_free(&x);
}

static void test_threads(void)
{
	for (int t = 0; t < 4; t++) {
		struct csr x = { 0 };
		struct pca p[3];

		random_rows(&x, t % 2 ? 300 : 90, t % 2 ? 91 : 301, 0.3);
		for (int i = 0; i < 3; i++) {
			struct pca_options o = { .n_components = 12,
						 .seed = 5,
						 .n_threads = i + 1,
						 .max_exact = t < 2 ? 0 : 20 };
			struct error err = { 0 };

			CHECK(pca_fit(&p[i], &x, &o, &err) == 0, "%s", err.text);
			CHECK(!memcmp(p[i].component, p[0].component,
				      (size_t)(p[0].n_features * 12) * sizeof(double)),
			      "%d threads: other components", i + 1);
		}
		for (int i = 0; i < 3; i++)
			pca_free(&p[i]);
		csr_free(&x);
	}
}

struct failing {
	const struct csr *x;
	struct pca_options options;
};

static int run_fit(void *arg, struct error *err)
{
	const struct failing *f = arg;
	struct pca p;

	if (pca_fit(&p, f->x, &f->options, err) < 0)
		return -1;
	pca_free(&p);
	return 0;
}

static int run_apply(void *arg, struct error *err)
{
	int64_t row_start[] = { 0, 1 };
	int32_t index[] = { 1 };
	double value[] = { 1 }, label[] = { 1 };
	struct row_batch in = { .n_rows = 1,
				.n_entries = 1,
				.label = label,
				.row_start = row_start,
				.index = index,
				.value = value };
	struct row_batch out = { 0 };
	int ret = pca_apply(arg, (struct row_range){ &in, 0, 1 }, &out, err);

	CHECK(ret == 0 || (out.n_rows == 0 && out.n_entries == 0), "not empty");
	row_batch_free(&out);
	return ret;
}

static void test_memory(void)
{
	for (int t = 0; t < 4; t++) {
		struct csr x = { 0 };
		struct failing f = { &x, { .n_components = 2, .n_threads = 1 } };
		struct error err = { 0 };
		struct pca p;

		random_rows(&x, t % 2 ? 9 : 30, t % 2 ? 31 : 10, 0.5);
		f.options.max_exact = t < 2 ? 0 : 5;
		fail_each_allocation("fit", run_fit, &f);
		CHECK(pca_fit(&p, &x, &f.options, &err) == 0, "%s", err.text);
		fail_each_allocation("apply", run_apply, &p);
		pca_free(&p);
		csr_free(&x);
	}
}

int main(void)
{
	test_exact();
	test_full_rank();
	test_conditions();
	test_sketch();
	test_wide_sketch();
	test_constant();
	test_scale();
	test_predictions();
	test_apply();
	test_prepare();
	test_errors();
	test_threads();
	test_memory();
	return unit_report("pca");
}
