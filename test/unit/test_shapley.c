/*
 * test_shapley.c - Shapley values against the definition, by all 2^d sets of features; the axioms;
 * bounds; allocations that fail
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "evaluate/shapley.h"
#include "failing.h"
#include "random.h"
#include "unit.h"

enum { MOST_FEATURES = 12, MOST_VECTORS = 60, MOST_CLASSES = 4 };

/* A model by its numbers, and rows to explain by a background. */
struct world {
	struct model model;
	struct predictor by;
	struct csr x, z;
	int d;
};

static double dense(const struct csr *a, int64_t i, int column)
{
	for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
		if (a->col[e] == column)
			return a->val[e];
	return 0;
}

static void make_model(struct model *m, const struct kernel *kernel, int n_class, int n_sv, int d,
		       double density)
{
	struct solution *s = &m->solution;
	const int64_t n_pairs = solution_n_pairs(n_class);

	*m = (struct model){ .type = MACHINE_C_SVC, .kernel = *kernel };
	random_rows(&m->sv, n_sv, d + 1, density);
	m->sv.n_cols = d + 1;
	s->n_class = n_class;
	s->n_sv = n_sv;
	s->label = calloc((size_t)n_class, sizeof(int));
	s->n_sv_of_class = calloc((size_t)n_class, sizeof(int64_t));
	s->coef = calloc((size_t)((n_class - 1) * n_sv), sizeof(double));
	s->rho = calloc((size_t)n_pairs, sizeof(double));
	for (int c = 0; c < n_class; c++) {
		s->label[c] = 10 - c;
		s->n_sv_of_class[c] = n_sv / n_class + (c < n_sv % n_class);
	}
	for (int k = 0; k < (n_class - 1) * n_sv; k++)
		s->coef[k] = random_normal();
	for (int64_t k = 0; k < n_pairs; k++)
		s->rho[k] = random_normal();
}

static void make_world(struct world *w, const struct kernel *kernel, int n_class, int n_sv, int d,
		       double density)
{
	struct error err = { 0 };

	*w = (struct world){ .d = d };
	make_model(&w->model, kernel, n_class, n_sv, d, density);
	random_rows(&w->x, 5, d + 1, density);
	random_rows(&w->z, 4, d + 1, density);
	w->x.n_cols = w->z.n_cols = d + 1;
	CHECK(predictor_init(&w->by, &w->model, &err) == 0, "%s", err.text);
}

static void free_world(struct world *w)
{
	predictor_free(&w->by);
	model_free(&w->model);
	csr_free(&w->x);
	csr_free(&w->z);
}

/* ---- the definition ---- */

static double plain_kernel(const struct kernel *k, const double *s, const double *y, int d)
{
	double dot = 0, distance2 = 0;

	for (int l = 0; l < d; l++) {
		dot += s[l] * y[l];
		distance2 += (s[l] - y[l]) * (s[l] - y[l]);
	}
	if (k->type == KERNEL_RBF)
		return exp(-k->gamma * distance2);
	return k->type == KERNEL_LINEAR ? dot : pow(k->gamma * dot + k->coef0, k->degree);
}

/* The decision value of class 'c' against all others; of two classes that of class 0. */
static double plain_decision(const struct model *m, int c, const double *y, int d)
{
	const struct solution *s = &m->solution;
	double sum = 0;
	int64_t j = 0;

	for (int own = 0; own < s->n_class; own++)
		for (int64_t i = 0; i < s->n_sv_of_class[own]; i++, j++) {
			double full[MOST_FEATURES], k;

			for (int l = 0; l < d; l++)
				full[l] = dense(&m->sv, j, l + 1);
			k = plain_kernel(&m->kernel, full, y, d);
			for (int a = 0; a < s->n_class; a++)
				for (int b = a + 1; b < s->n_class; b++)
					if ((own == a || own == b) && (c == a || c == b))
						sum += (c == a ? 1 : -1) * k *
						       solution_coef(s, own, own == a ? b : a)[j];
		}
	for (int64_t a = 0, q = 0; a < s->n_class; a++)
		for (int64_t b = a + 1; b < s->n_class; b++, q++)
			sum -= c == a ? s->rho[q] : c == b ? -s->rho[q] : 0;
	return sum;
}

/* phi_j by all sets of features: (2^d decisions for each background row) */
static void by_definition(const struct world *w, int64_t row, int c, double *phi)
{
	static double value[1 << MOST_FEATURES];
	const int d = w->d, n = 1 << d;
	double factorial[MOST_FEATURES + 1] = { 1 };

	for (int k = 1; k <= d; k++)
		factorial[k] = k * factorial[k - 1];
	for (int set = 0; set < n; set++) {
		value[set] = 0;
		for (int64_t i = 0; i < w->z.n_rows; i++) {
			double y[MOST_FEATURES];

			for (int l = 0; l < d; l++)
				y[l] = dense(set >> l & 1 ? &w->x : &w->z, set >> l & 1 ? row : i,
					     l + 1);
			value[set] += plain_decision(&w->model, c, y, d) / (double)w->z.n_rows;
		}
	}
	for (int j = 0; j < d; j++) {
		phi[j] = 0;
		for (int set = 0; set < n; set++) {
			const int size = __builtin_popcount((unsigned)set);

			if (!(set >> j & 1))
				phi[j] += factorial[size] * factorial[d - size - 1] / factorial[d] *
					  (value[set | 1 << j] - value[set]);
		}
	}
}

/* ---- what the module says ---- */

struct reasons {
	double phi[5][MOST_FEATURES + 1];
	double decision[5], base[5], bound[5], predicted[5];
};

static int keep(void *arg, int64_t i, const struct shapley_values *v, struct error *err)
{
	struct reasons *r = arg;

	(void)err;
	memset(r->phi[i], 0, sizeof(r->phi[i]));
	for (int64_t k = 0; k < v->n; k++)
		r->phi[i][v->feature[k]] = v->value[k];
	r->decision[i] = v->decision;
	r->base[i] = v->base;
	r->bound[i] = v->bound;
	return 0;
}

static int explain(const struct world *w, struct reasons *r, struct error *err)
{
	const struct row_view rows = csr_view(&w->x, NULL, w->x.n_rows);
	double *values = calloc((size_t)(5 * w->by.n_values), sizeof(*values));
	struct shapley s;
	struct predictor_scratch scratch = { 0 };
	int ret = -1;

	if (shapley_init(&s, &w->by, &w->z, 2, err) < 0)
		CHECK(!s.by && !s.background && !s.rule, "what failed is not empty");
	else if (predictor_scratch_init(&scratch, &w->by, err) == 0) {
		predictor_values(&w->by, &rows, values, &scratch);
		for (int64_t i = 0; i < rows.n_rows; i++)
			r->predicted[i] =
				predictor_decide(&w->by, values + i * w->by.n_values, &scratch);
		ret = shapley_rows(&s, &rows, values, &scratch, keep, r, err);
	}
	predictor_scratch_free(&scratch);
	shapley_free(&s);
	free(values);
	return ret;
}

static int class_of(const struct world *w, double label)
{
	int c = 0;

	while (w->model.solution.n_class > 2 && w->model.solution.label[c] != label)
		c++;
	return c;
}

/* Every value is that of the definition, within the bound and the rounding of 2^d values. */
static void test_definition(const struct kernel *kernel, int n_class, int n_sv, int d,
			    double density)
{
	struct world w;
	struct reasons r = { 0 };
	struct error err = { 0 };
	double phi[MOST_FEATURES];

	make_world(&w, kernel, n_class, n_sv, d, density);
	CHECK(explain(&w, &r, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < (d > 9 ? 1 : w.x.n_rows); i++) {
		double sum = r.base[i];

		by_definition(&w, i, class_of(&w, r.predicted[i]), phi);
		for (int j = 0; j < d; j++) {
			sum += r.phi[i][j + 1];
			CHECK(fabs(phi[j] - r.phi[i][j + 1]) <= 2 * r.bound[i],
			      "kernel %d degree %d gamma %g, d %d: feature %d: %.17g, not %.17g, bound %g",
			      kernel->type, kernel->degree, kernel->gamma, d, j + 1,
			      r.phi[i][j + 1], phi[j], r.bound[i]);
		}
		CHECK(fabs(sum - r.decision[i]) <= 2 * d * r.bound[i], "sum %g, not %g", sum,
		      r.decision[i]);
	}
	free_world(&w);
}

static void test_kernels(void)
{
	static const double gammas[] = { 1e-3, 0.1, 1, 20 };
	const int n_sv = UNIT_IS_SANITIZED ? 10 : 30, most = UNIT_IS_SANITIZED ? 8 : MOST_FEATURES;

	for (int g = 0; g < 4; g++) {
		const struct kernel rbf = { .type = KERNEL_RBF, .gamma = gammas[g] };

		for (int d = 1; d <= most; d += d < 8 ? 1 : 4)
			test_definition(&rbf, 2, d < 12 ? n_sv : 8, d, 1);
		test_definition(&rbf, 2, n_sv, 7, 0.4);
		test_definition(&rbf, 4, n_sv, 5, 0.8);
	}
	for (int degree = 0; degree <= 3; degree++) {
		const struct kernel polynomial = { KERNEL_POLYNOMIAL, degree, 0.5, 0.7 };

		test_definition(&polynomial, 2, n_sv, 7, 1);
		test_definition(&polynomial, 3, n_sv, 6, 0.5);
	}
	test_definition(&(struct kernel){ .type = KERNEL_LINEAR }, 2, n_sv, 7, 0.7);
	test_definition(&(struct kernel){ .type = KERNEL_LINEAR }, 4, n_sv, 5, 0.7);
}

/* ---- the axioms ---- */

/* Features that all rows have equal get equal values; one in which x agrees with all z gets none. */
static void test_symmetry(const struct kernel *kernel)
{
	struct world w;
	struct reasons r = { 0 };
	struct error err = { 0 };
	struct csr *all[3] = { &w.model.sv, &w.x, &w.z };

	make_world(&w, kernel, 2, 40, 6, 1);
	for (int a = 0; a < 3; a++)
		for (int64_t i = 0; i < all[a]->n_rows; i++) {
			double *row = all[a]->val + all[a]->row_start[i];

			row[1] = row[4];
			if (a > 0)
				row[2] = 0.25;
		}
	predictor_free(&w.by);
	CHECK(predictor_init(&w.by, &w.model, &err) == 0 && explain(&w, &r, &err) == 0, "%s",
	      err.text);
	for (int i = 0; i < 5; i++) {
		CHECK(fabs(r.phi[i][2] - r.phi[i][5]) <= 2 * r.bound[i], "%.17g, %.17g",
		      r.phi[i][2], r.phi[i][5]);
		CHECK(r.phi[i][3] == 0, "%g of a feature that is equal", r.phi[i][3]);
	}
	free_world(&w);
}

/* A feature that no vector has is nothing to a polynomial. */
static void test_null(void)
{
	struct world w;
	struct reasons r = { 0 };
	struct error err = { 0 };

	make_world(&w, &(struct kernel){ KERNEL_POLYNOMIAL, 3, 1, 1 }, 2, 20, 5, 1);
	for (int64_t j = 0; j < 20; j++)
		w.model.sv.val[5 * j + 3] = 0;
	predictor_free(&w.by);
	CHECK(predictor_init(&w.by, &w.model, &err) == 0 && explain(&w, &r, &err) == 0, "%s",
	      err.text);
	for (int i = 0; i < 5; i++)
		CHECK(r.phi[i][4] == 0, "%g", r.phi[i][4]);
	free_world(&w);
}

/* The values of a sum of two functions are the sums of their values. */
static void test_linearity(const struct kernel *kernel)
{
	struct world w;
	struct reasons r[3] = { { .base = { 0 } } };
	double *coef, other[40];
	struct error err = { 0 };

	make_world(&w, kernel, 2, 40, 6, 0.9);
	coef = w.model.solution.coef;
	for (int part = 0; part < 3; part++) {
		for (int j = 0; j < 40; j++) {
			if (part == 0)
				other[j] = random_normal();
			coef[j] = part == 0 ? coef[j] : part == 1 ? coef[j] + other[j] : other[j];
		}
		predictor_free(&w.by);
		CHECK(predictor_init(&w.by, &w.model, &err) == 0 &&
			      explain(&w, &r[part], &err) == 0,
		      "%s", err.text);
	}
	for (int i = 0; i < 5; i++)
		for (int j = 1; j <= 6; j++)
			CHECK(fabs(r[0].phi[i][j] + r[2].phi[i][j] - r[1].phi[i][j]) <=
				      r[0].bound[i] + r[1].bound[i] + r[2].bound[i],
			      "%g + %g, not %g", r[0].phi[i][j], r[2].phi[i][j], r[1].phi[i][j]);
	free_world(&w);
}

/* ---- other ways to the same ---- */

/*
 * Features that neither row nor background have: each vector's value is that of its other features,
 * times the kernel of this one.
 */
static void test_wide(void)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.2 };
	struct world w;
	struct reasons plain = { 0 }, r = { 0 };
	struct csr wide = { 0 };
	struct error err = { 0 };

	make_world(&w, &rbf, 2, 4000, 5, 1);
	CHECK(explain(&w, &plain, &err) == 0, "%s", err.text);
	for (int64_t j = 0; j < 4000; j++) {
		struct csr_row row = csr_row_of(&w.model.sv, j);
		int32_t col[6];
		double val[6];

		memcpy(col, row.col, 5 * sizeof(*col));
		memcpy(val, row.val, 5 * sizeof(*val));
		col[5] = 10 + (int32_t)j;
		val[5] = j % 2;
		w.model.solution.coef[j] *= exp(0.2 * (double)(j % 2));
		csr_append_row(&wide, (struct csr_row){ 6, col, val }, &err);
	}
	csr_free(&w.model.sv);
	w.model.sv = wide;
	w.model.sv.n_cols = 5000;
	predictor_free(&w.by);
	CHECK(predictor_init(&w.by, &w.model, &err) == 0 && explain(&w, &r, &err) == 0, "%s",
	      err.text);
	for (int i = 0; i < 5; i++)
		for (int j = 1; j <= 5; j++)
			CHECK(fabs(r.phi[i][j] - plain.phi[i][j]) <= r.bound[i] + plain.bound[i],
			      "%.17g, not %.17g", r.phi[i][j], plain.phi[i][j]);
	free_world(&w);
}

static void test_refusals(void)
{
	static const struct {
		struct kernel kernel;
		const char *text;
	} cases[] = {
		{ { .type = KERNEL_SIGMOID, .gamma = 1 }, "linear, rbf and polynomial" },
		{ { KERNEL_POLYNOMIAL, 4, 1, 0 }, "degree 3" },
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct world w;
		struct reasons r;
		struct error err = { 0 };

		make_world(&w, &cases[k].kernel, 2, 10, 3, 1);
		CHECK(explain(&w, &r, &err) < 0 && err.code == ERR_ARGUMENT &&
			      strstr(err.text, cases[k].text),
		      "%s", err.text);
		free_world(&w);
	}
}

static int attempt(void *arg, struct error *err)
{
	struct reasons r;

	return explain(arg, &r, err);
}

static void test_memory(void)
{
	static const enum kernel_type types[] = { KERNEL_RBF, KERNEL_LINEAR };

	for (int k = 0; k < 2; k++) {
		struct world w;

		make_world(&w, &(struct kernel){ .type = types[k], .gamma = 1 }, 3, 12, 4, 0.7);
		fail_each_allocation("explain", attempt, &w);
		free_world(&w);
	}
}

int main(void)
{
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.3 },
			    cubic = { KERNEL_POLYNOMIAL, 3, 0.3, 1 };

	test_kernels();
	test_symmetry(&rbf);
	test_symmetry(&cubic);
	test_null();
	test_linearity(&rbf);
	test_linearity(&cubic);
	test_wide();
	test_refusals();
	test_memory();
	return unit_report("shapley");
}
