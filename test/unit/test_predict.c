/*
 * test_predict.c - what models made by hand say of examples, and how good that is
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "evaluate/metrics.h"
#include "failing.h"
#include "model/predict.h"
#include "model/probability.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { MAX_CLASSES = 6, MAX_PAIRS = 15, ROWS = 60, COLUMNS = 12 };

static int labels[MAX_CLASSES] = { 3, -1, 7, 0, 2, -5 };

/* A predictor and its scratch. */
struct oracle {
	struct predictor p;
	struct predictor_scratch scratch;
};

static void oracle_init(struct oracle *o, const struct model *m)
{
	struct error err = { 0 };

	CHECK(predictor_init(&o->p, m, &err) == 0 &&
		      predictor_scratch_init(&o->scratch, &o->p, &err) == 0,
	      "%s", err.text);
}

static void oracle_free(struct oracle *o)
{
	predictor_scratch_free(&o->scratch);
	predictor_free(&o->p);
}

static double decide(struct oracle *o, const double *values)
{
	return predictor_decide(&o->p, values, &o->scratch);
}

/* The values of all rows of x; [rows][values]. */
static double *values_of(struct oracle *o, const struct csr *x)
{
	struct row_view all = csr_view(x, NULL, x->n_rows);
	double *values = malloc((size_t)(x->n_rows * o->p.n_values) * sizeof(*values) + 1);

	predictor_values(&o->p, &all, values, &o->scratch);
	return values;
}

/* ---- LIBSVM models ---- */

/* Everything but the vectors is in static arrays: only 'sv' is to be freed. */
struct kernel_model {
	struct model m;
	int64_t n_sv_of_class[MAX_CLASSES];
	double coef[(MAX_CLASSES - 1) * MAX_CLASSES * 3], rho[MAX_PAIRS];
	double prob_a[MAX_PAIRS], prob_b[MAX_PAIRS];
};

/* Three random vectors a class, linear kernel. */
static void kernel_model_init(struct kernel_model *k, enum machine_type type, int n_class)
{
	bool classifies = machine_classifies(type);

	memset(k, 0, sizeof(*k));
	random_rows(&k->m.sv, n_class > 1 ? 3 * n_class : 0, COLUMNS, 0.5);
	k->m.type = type;
	k->m.kernel.type = KERNEL_LINEAR;
	for (int c = 0; c < n_class; c++)
		k->n_sv_of_class[classifies ? c : 0] += n_class > 1 ? 3 : 0;
	for (int i = 0; i < LENGTH(k->coef); i++)
		k->coef[i] = random_normal();
	for (int p = 0; p < MAX_PAIRS; p++) {
		k->rho[p] = random_normal();
		k->prob_a[p] = -random_unit();
		k->prob_b[p] = random_normal();
	}
	k->m.solution = (struct solution){ .n_class = n_class,
					   .n_sv = k->m.sv.n_rows,
					   .n_sv_of_class = k->n_sv_of_class,
					   .coef = k->coef,
					   .rho = k->rho,
					   .label = classifies ? labels : NULL };
}

static void kernel_model_free(struct kernel_model *k)
{
	csr_free(&k->m.sv);
}

static double plain_dot(const struct csr *a, int64_t i, const struct csr *b, int64_t j)
{
	double dense[COLUMNS] = { 0 }, sum = 0;

	for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++)
		dense[a->col[k]] = a->val[k];
	for (int64_t k = b->row_start[j]; k < b->row_start[j + 1]; k++)
		sum += dense[b->col[k]] * b->val[k];
	return sum;
}

/* sum of coef s.x over the classes a and b, less rho */
static double plain_value(const struct kernel_model *k, int a, int b, int64_t pair,
			  const struct csr *x, int64_t row)
{
	const struct solution *s = &k->m.solution;
	double f = -k->rho[pair];
	int64_t j = 0;

	for (int c = 0; c < s->n_class; c++)
		for (int64_t i = 0; i < k->n_sv_of_class[c]; i++, j++)
			if (c == a || c == b)
				f += k->coef[(c == a ? b - 1 : a) * s->n_sv + j] *
				     plain_dot(&k->m.sv, j, x, row);
	return f;
}

static void expect_near(double value, double plain)
{
	CHECK(fabs(value - plain) <= 1e-12, "%.17g not %.17g", value, plain);
}

static void test_kernel_values(void)
{
	static const enum machine_type types[] = { MACHINE_C_SVC, MACHINE_NU_SVC, MACHINE_ONE_CLASS,
						   MACHINE_EPSILON_SVR, MACHINE_NU_SVR };
	static struct kernel_model k;
	struct oracle o;
	struct csr x = { 0 };

	random_rows(&x, ROWS, COLUMNS, 0.5);
	for (int t = 0; t < LENGTH(types); t++)
		for (int n = 2; n <= (machine_classifies(types[t]) ? MAX_CLASSES : 2); n++) {
			double *values, *v;

			kernel_model_init(&k, types[t], n);
			oracle_init(&o, &k.m);
			CHECK(o.p.n_values == n * (n - 1) / 2 && o.p.n_class == n,
			      "%" PRId64 " values of %d classes", o.p.n_values, n);
			v = values = values_of(&o, &x);
			for (int64_t i = 0; i < ROWS; i++)
				for (int a = 0, p = 0; a < n; a++)
					for (int b = a + 1; b < n; b++, p++, v++)
						expect_near(*v, plain_value(&k, a, b, p, &x, i));
			free(values);
			oracle_free(&o);
			kernel_model_free(&k);
		}
	csr_free(&x);
}

/* Every way the pairs can vote: the most votes win, the first of those who have them. */
static void test_votes(void)
{
	static struct kernel_model k;
	struct oracle o;

	for (int n = 2; n <= 5; n++) {
		int n_pairs = n * (n - 1) / 2;

		kernel_model_init(&k, MACHINE_C_SVC, n);
		oracle_init(&o, &k.m);
		for (int outcome = 0; outcome < 1 << n_pairs; outcome++) {
			double values[MAX_PAIRS], *v = values;
			int votes[MAX_CLASSES] = { 0 }, winner = n - 1;

			for (int a = 0; a < n; a++)
				for (int b = a + 1; b < n; b++, v++) {
					bool first = outcome >> (v - values) & 1;

					*v = first ? random_unit() : -random_unit();
					votes[first ? a : b]++;
				}
			for (int c = n - 1; c >= 0; c--)
				winner = votes[c] >= votes[winner] ? c : winner;
			CHECK(decide(&o, values) == labels[winner], "%g, not %d",
			      decide(&o, values), labels[winner]);
		}
		oracle_free(&o);
		kernel_model_free(&k);
	}
}

static void test_ties(void)
{
	static struct kernel_model k;
	struct oracle o;

	kernel_model_init(&k, MACHINE_C_SVC, 3);
	oracle_init(&o, &k.m);
	CHECK(decide(&o, (double[]){ 1, -1, 1 }) == labels[0], "a ring of votes");
	CHECK(decide(&o, (double[]){ -1, 1, -1 }) == labels[0], "the other ring");
	CHECK(decide(&o, (double[]){ -1, -1, 0 }) == labels[2], "0 is the second's");
	CHECK(decide(&o, (double[]){ NAN, NAN, NAN }) == labels[2], "nan is the second's");
	oracle_free(&o);
	kernel_model_free(&k);
	kernel_model_init(&k, MACHINE_C_SVC, 2);
	oracle_init(&o, &k.m);
	CHECK(decide(&o, (double[]){ 1e-300 }) == labels[0], "positive");
	CHECK(decide(&o, (double[]){ 0 }) == labels[1], "zero");
	oracle_free(&o);
	kernel_model_free(&k);
}

static void test_single_class(void)
{
	static struct kernel_model k;
	struct csr x = { 0 };
	struct oracle o;
	double *values;

	random_rows(&x, ROWS, COLUMNS, 0.5);
	kernel_model_init(&k, MACHINE_C_SVC, 1);
	oracle_init(&o, &k.m);
	values = values_of(&o, &x);
	CHECK(o.p.n_values == 0 && decide(&o, values) == labels[0], "%" PRId64 " values",
	      o.p.n_values);
	free(values);
	oracle_free(&o);
	kernel_model_free(&k);
	csr_free(&x);
}

static void test_regression_and_one_class(void)
{
	static struct kernel_model k;
	struct oracle o;

	kernel_model_init(&k, MACHINE_EPSILON_SVR, 2);
	oracle_init(&o, &k.m);
	CHECK(o.p.kind == PREDICTS_VALUE && !o.p.label && !o.p.has_probabilities, "kind %d",
	      o.p.kind);
	CHECK(decide(&o, (double[]){ -0.75 }) == -0.75, "%g", decide(&o, (double[]){ -0.75 }));
	oracle_free(&o);
	k.m.solution.prob_a = k.prob_a;
	oracle_init(&o, &k.m);
	CHECK(o.p.has_probabilities, "probabilities unnoticed");
	oracle_free(&o);
	kernel_model_free(&k);
	kernel_model_init(&k, MACHINE_ONE_CLASS, 2);
	oracle_init(&o, &k.m);
	CHECK(o.p.kind == PREDICTS_SIDE && !o.p.has_probabilities, "kind %d", o.p.kind);
	CHECK(decide(&o, (double[]){ 0.5 }) == 1 && decide(&o, (double[]){ -0.5 }) == -1 &&
		      decide(&o, (double[]){ 0 }) == -1,
	      "sides");
	oracle_free(&o);
	kernel_model_free(&k);
}

/* ---- Probabilities ---- */

static void expect_distribution(const double *p, int n)
{
	double sum = 0;

	for (int c = 0; c < n; c++) {
		CHECK(p[c] >= 0 && p[c] <= 1, "p[%d] = %g", c, p[c]);
		sum += p[c];
	}
	CHECK(fabs(sum - 1) <= 1e-12, "sum %.17g of %d", sum, n);
}

/* The class said is the first of those most probable. */
static void expect_winner(double said, const double *p, int n)
{
	int best = 0;

	for (int c = 1; c < n; c++)
		best = p[c] > p[best] ? c : best;
	CHECK(said == labels[best], "%g, not %d", said, labels[best]);
}

static double plain_sigmoid(const struct kernel_model *k, double value)
{
	return 1 / (1 + exp(k->prob_a[0] * value + k->prob_b[0]));
}

static void test_coupled_probabilities(void)
{
	static struct kernel_model k;
	struct oracle o;

	for (int n = 1; n <= MAX_CLASSES; n++) {
		kernel_model_init(&k, MACHINE_C_SVC, n);
		k.m.solution.prob_a = k.prob_a;
		k.m.solution.prob_b = k.prob_b;
		oracle_init(&o, &k.m);
		CHECK(o.p.has_probabilities, "probabilities unnoticed");
		for (int trial = 0; trial < 200; trial++) {
			double values[MAX_PAIRS], p[MAX_CLASSES], said;

			for (int v = 0; v < MAX_PAIRS; v++)
				values[v] = 10 * random_normal();
			said = predictor_probabilities(&o.p, values, p, &o.scratch);
			expect_distribution(p, n);
			expect_winner(said, p, n);
			if (n == 2)
				CHECK(fabs(p[0] - plain_sigmoid(&k, values[0])) <= 1.1e-7,
				      "%g at %g", p[0], values[0]);
		}
		oracle_free(&o);
		kernel_model_free(&k);
	}
}

static void test_one_class_probabilities(void)
{
	static double marks[10] = { -3, -2, -1, -0.5, 0, 1, 2, 3, 4, 5 };
	static struct kernel_model k;
	struct oracle o;

	kernel_model_init(&k, MACHINE_ONE_CLASS, 2);
	k.m.solution.density_marks = marks;
	k.m.solution.n_density_marks = 10;
	oracle_init(&o, &k.m);
	CHECK(o.p.has_probabilities, "probabilities unnoticed");
	for (int i = -400; i < 600; i++) {
		double f = i / 100.0, p[2];
		double said = predictor_probabilities(&o.p, &f, p, &o.scratch);

		expect_distribution(p, 2);
		CHECK(said == (f > 0 ? 1 : -1), "%g at %g", said, f);
		CHECK(f >= -3 || p[0] == 0.001, "%g at %g", p[0], f);
	}
	oracle_free(&o);
	kernel_model_free(&k);
}

/* ---- LIBLINEAR models ---- */

enum { FEATURES = 8 };

static double w[(FEATURES + 1) * MAX_CLASSES];

static struct model linear_model(int n_class, int n_columns, double bias)
{
	for (int i = 0; i < LENGTH(w); i++)
		w[i] = random_normal();
	return (struct model){ .is_linear_model = true,
			       .linear = { .n_class = n_class,
					   .label = labels,
					   .bias = bias,
					   .w = w,
					   .n_features = FEATURES,
					   .n_columns = n_columns } };
}

/* w.x with the bias's feature behind the others; features beyond FEATURES and 0 count nothing */
static double plain_linear(const struct linear_model *m, int column, const struct csr *x,
			   int64_t row)
{
	double f = m->bias >= 0 ? m->bias * w[FEATURES * m->n_columns + column] : 0;

	for (int64_t k = x->row_start[row]; k < x->row_start[row + 1]; k++)
		if (x->col[k] >= 1 && x->col[k] <= FEATURES)
			f += x->val[k] * w[(x->col[k] - 1) * m->n_columns + column];
	return f - (m->one_class ? m->rho : 0);
}

static void expect_linear_values(const struct model *m, const struct csr *x)
{
	struct oracle o;
	double *values, *v;

	oracle_init(&o, m);
	CHECK(o.p.n_values == m->linear.n_columns, "%" PRId64 " values", o.p.n_values);
	v = values = values_of(&o, x);
	for (int64_t i = 0; i < x->n_rows; i++)
		for (int c = 0; c < m->linear.n_columns; c++, v++)
			expect_near(*v, plain_linear(&m->linear, c, x, i));
	free(values);
	oracle_free(&o);
}

static void test_linear_values(void)
{
	static const int64_t start[] = { 0, 2 };
	static const int32_t col[] = { 0, INT32_MAX };
	static const double val[] = { 100, 1000 };
	struct error err = { 0 };
	struct csr x = { 0 };
	struct model m;

	random_rows(&x, ROWS, COLUMNS, 0.7);
	CHECK(csr_append(&x, 1, start, col, val, &err) == 0, "%s", err.text);
	for (int n = 1; n <= MAX_CLASSES; n++)
		for (int i = 0; i < 3; i++) {
			m = linear_model(n, n == 2 ? 1 + i % 2 : n, 0.5 * (i - 1));
			expect_linear_values(&m, &x);
		}
	m = linear_model(2, 1, -1);
	m.linear.one_class = true;
	m.linear.label = NULL;
	m.linear.rho = 0.375;
	expect_linear_values(&m, &x);
	csr_free(&x);
}

static void test_linear_decisions(void)
{
	struct model m = linear_model(2, 1, -1);
	struct oracle o;

	oracle_init(&o, &m);
	CHECK(decide(&o, (double[]){ 0.5 }) == labels[0] &&
		      decide(&o, (double[]){ -1 }) == labels[1] &&
		      decide(&o, (double[]){ 0 }) == labels[1],
	      "two classes, one column");
	oracle_free(&o);
	m = linear_model(2, 2, -1); /* MCSVM_CS */
	oracle_init(&o, &m);
	CHECK(decide(&o, (double[]){ -2, -1 }) == labels[1] &&
		      decide(&o, (double[]){ 1, 1 }) == labels[0],
	      "two classes, two columns");
	oracle_free(&o);
	m = linear_model(4, 4, -1);
	oracle_init(&o, &m);
	CHECK(decide(&o, (double[]){ -1, 2, 1, 2 }) == labels[1] &&
		      decide(&o, (double[]){ 0, 0, 0, 0 }) == labels[0] &&
		      decide(&o, (double[]){ -3, -2, -2, -1 }) == labels[3],
	      "four classes");
	oracle_free(&o);
	m = linear_model(1, 1, -1);
	oracle_init(&o, &m);
	CHECK(decide(&o, (double[]){ 1 }) == labels[0] && decide(&o, (double[]){ -1 }) == labels[0],
	      "one class");
	oracle_free(&o);
}

static void test_linear_kinds(void)
{
	struct model m = linear_model(2, 1, -1);
	struct oracle o;

	m.linear.label = NULL;
	m.linear.regression = true;
	oracle_init(&o, &m);
	CHECK(o.p.kind == PREDICTS_VALUE && decide(&o, (double[]){ -2.5 }) == -2.5, "kind %d",
	      o.p.kind);
	oracle_free(&o);
	m.linear.regression = false;
	m.linear.one_class = true;
	oracle_init(&o, &m);
	CHECK(o.p.kind == PREDICTS_SIDE && decide(&o, (double[]){ -2.5 }) == -1 &&
		      decide(&o, (double[]){ 2.5 }) == 1,
	      "kind %d", o.p.kind);
	oracle_free(&o);
}

static void test_logistic_probabilities(void)
{
	struct oracle o;
	struct model m;

	for (int n = 2; n <= MAX_CLASSES; n++) {
		m = linear_model(n, n == 2 ? 1 : n, 1);
		m.linear.logistic = true;
		oracle_init(&o, &m);
		CHECK(o.p.has_probabilities, "probabilities unnoticed");
		for (int trial = 0; trial < 200; trial++) {
			double values[MAX_CLASSES], p[MAX_CLASSES], said, sum = 0;

			for (int v = 0; v < n; v++)
				sum += 1 / (1 + exp(-(values[v] = 5 * random_normal())));
			said = predictor_probabilities(&o.p, values, p, &o.scratch);
			expect_distribution(p, n);
			expect_winner(said, p, n);
			for (int v = 0; v < n && n > 2; v++)
				CHECK(fabs(p[v] - 1 / (1 + exp(-values[v])) / sum) <= 1e-14, "%g",
				      p[v]);
			CHECK(n > 2 || fabs(p[0] - 1 / (1 + exp(-values[0]))) <= 1e-15, "%g", p[0]);
		}
		oracle_free(&o);
	}
}

/* Odds of machines of each class against the rest, also where all of them are nearly 0. */
static void test_rest_probabilities(void)
{
	double a[MAX_CLASSES], b[MAX_CLASSES], values[MAX_CLASSES], p[MAX_CLASSES];
	struct oracle o;
	struct model m;

	for (int n = 1; n <= MAX_CLASSES; n++) {
		int n_values = n == 2 ? 1 : n;

		m = linear_model(n, n_values, 1);
		m.linear.prob_a = a;
		m.linear.prob_b = b;
		oracle_init(&o, &m);
		CHECK(o.p.has_probabilities, "probabilities unnoticed");
		for (int trial = 0; trial < 300; trial++) {
			/* up to where exp(-(A f + B)) of all classes is 0 in doubles */
			const double shift = trial < 200 ? 0 : 10.0 * (trial - 100);
			double z[MAX_CLASSES], said, sum = 0;

			for (int v = 0; v < n_values; v++) {
				a[v] = -1 - random_unit();
				b[v] = random_normal() + shift;
				values[v] = 3 * random_normal();
				z[v] = a[v] * values[v] + b[v] - shift;
				sum += exp(-z[v]);
			}
			said = predictor_probabilities(&o.p, values, p, &o.scratch);
			expect_distribution(p, n);
			expect_winner(said, p, n);
			for (int v = 0; v < n && n != 2; v++)
				CHECK(fabs(p[v] - exp(-z[v]) / sum) <= 1e-10, "%g, not %g", p[v],
				      exp(-z[v]) / sum);
			CHECK(n != 2 || fabs(p[0] - probability_sigmoid(values[0], a[0], b[0])) <=
						1e-14,
			      "%g", p[0]);
		}
		m.linear.prob_a = m.linear.prob_b = NULL;
		oracle_free(&o);
	}
}

/* ---- Memory ---- */

static int predict_once(void *arg, struct error *err)
{
	struct predictor_scratch scratch = { 0 };
	struct predictor p;
	int ret = predictor_init(&p, arg, err);

	if (ret == 0)
		ret = predictor_scratch_init(&scratch, &p, err);
	CHECK(ret == 0 || (!scratch.votes && !scratch.pairwise && !scratch.work),
	      "not empty after a failure");
	predictor_scratch_free(&scratch);
	predictor_free(&p);
	return ret;
}

static void test_memory(void)
{
	static struct kernel_model k;
	struct model linear = linear_model(4, 4, 1);

	for (int rbf = 0; rbf <= 1; rbf++) {
		kernel_model_init(&k, MACHINE_C_SVC, 4);
		k.m.solution.prob_a = k.prob_a;
		k.m.solution.prob_b = k.prob_b;
		k.m.kernel.type = rbf ? KERNEL_RBF : KERNEL_LINEAR;
		CHECK(fail_each_allocation("predictor", predict_once, &k.m) > 5, "few allocations");
		kernel_model_free(&k);
	}
	linear.linear.logistic = true;
	CHECK(fail_each_allocation("linear predictor", predict_once, &linear) == 3, "not three");
}

/* ---- Metrics ---- */

static void expect_metrics(const double *predicted, const double *target, int64_t n)
{
	double mean_p = 0, mean_t = 0, pp = 0, tt = 0, pt = 0, squares = 0, equal = 0;
	struct metrics m = { 0 };

	for (int64_t i = 0; i < n; i++) {
		metrics_add(&m, predicted[i], target[i], 1);
		mean_p += predicted[i] / (double)n;
		mean_t += target[i] / (double)n;
		squares += pow(predicted[i] - target[i], 2);
		equal += predicted[i] == target[i];
	}
	for (int64_t i = 0; i < n; i++) {
		pp += pow(predicted[i] - mean_p, 2);
		tt += pow(target[i] - mean_t, 2);
		pt += (predicted[i] - mean_p) * (target[i] - mean_t);
	}
	CHECK(m.n == n && metrics_accuracy(&m) == equal / (double)n * 100, "%g %%",
	      metrics_accuracy(&m));
	CHECK(fabs(metrics_mse(&m) - squares / (double)n) <= 1e-12 * squares, "%g not %g",
	      metrics_mse(&m), squares / (double)n);
	CHECK(fabs(metrics_squared_correlation(&m) - pt * pt / (pp * tt)) <= 1e-9,
	      "%.17g not %.17g", metrics_squared_correlation(&m), pt * pt / (pp * tt));
}

static void test_metrics(void)
{
	double predicted[300], target[300];

	for (int trial = 0; trial < 100; trial++) {
		int64_t n = 3 + random_below(297);

		for (int64_t i = 0; i < n; i++) {
			target[i] = trial % 2 ? random_normal() : (double)random_below(3);
			predicted[i] =
				trial % 2 ? target[i] + random_normal() : (double)random_below(3);
		}
		target[0] = predicted[1] = 1;
		target[1] = predicted[0] = 2;
		expect_metrics(predicted, target, n);
	}
}

static void test_perfect_metrics(void)
{
	struct metrics m = { 0 };

	for (int i = 0; i < 10; i++)
		metrics_add(&m, i, i, 1);
	CHECK(metrics_accuracy(&m) == 100 && metrics_mse(&m) == 0 &&
		      metrics_squared_correlation(&m) == 1,
	      "%g %%, %g, %g", metrics_accuracy(&m), metrics_mse(&m),
	      metrics_squared_correlation(&m));
	m = (struct metrics){ 0 };
	metrics_add(&m, 1, 2, 1);
	CHECK(metrics_mse(&m) == 1 && isnan(metrics_squared_correlation(&m)),
	      "correlation of one: %g", metrics_squared_correlation(&m));
}

int main(void)
{
	test_kernel_values();
	test_votes();
	test_ties();
	test_single_class();
	test_regression_and_one_class();
	test_coupled_probabilities();
	test_one_class_probabilities();
	test_linear_values();
	test_linear_decisions();
	test_linear_kinds();
	test_logistic_probabilities();
	test_rest_probabilities();
	test_memory();
	test_metrics();
	test_perfect_metrics();
	return unit_report("predict");
}
