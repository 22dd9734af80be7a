/*
 * test_reduced_model.c - models of fewer support vectors: the norm that is lost, bounds of decision
 * values, training anew, and allocations that fail
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>

#include "failing.h"
#include "model/predict.h"
#include "model/reduced_model.h"
#include "small_training.h"

enum { ROWS = 90, CLASSES = 3, PAIRS = 3 };

/* A setting and the model trained on it. */
struct trained {
	struct setting s;
	struct model model;
};

static void train(struct trained *t, int n_class)
{
	struct error err = { 0 };

	small_setting(&t->s, n_class, ROWS, 0.7, 1e-6);
	CHECK(trainer_run(&t->s.trainer, classes_of(&t->s), &t->s.solution, t->s.pairs, &err) ==
			      0 &&
		      model_from_solution(&t->model, &t->s.training, &t->s.solution, &t->s.d.x,
					  &err) == 0,
	      "%s", err.text);
}

static void trained_free(struct trained *t)
{
	model_free(&t->model);
	setting_free(&t->s);
}

/* Decision values of all rows, [ROWS][pairs]. */
static void find_values(const struct model *m, const struct csr *x, double *values)
{
	struct predictor p;
	struct predictor_scratch scratch;
	const struct row_view rows = csr_view(x, NULL, x->n_rows);
	struct error err = { 0 };

	CHECK(predictor_init(&p, m, &err) == 0 && predictor_scratch_init(&scratch, &p, &err) == 0,
	      "%s", err.text);
	predictor_values(&p, &rows, values, &scratch);
	predictor_scratch_free(&scratch);
	predictor_free(&p);
}

/* |f|^2 of a pair: the values of its own vectors, without the constant, times coefficients. */
static double norm2(const struct model *m, int a, int b, int64_t q)
{
	const struct solution *s = &m->solution;
	const int64_t n_pairs = solution_n_pairs(s->n_class);
	double *value = calloc((size_t)(s->n_sv * n_pairs), sizeof(*value)), sum = 0;

	find_values(m, &m->sv, value);
	for (int side = 0; side < 2; side++) {
		const int own = side ? b : a, other = side ? a : b;

		for (int64_t j = solution_first_sv(s, own), i = 0; i < s->n_sv_of_class[own];
		     i++, j++)
			sum += solution_coef(s, own, other)[j] *
			       (value[j * n_pairs + q] + s->rho[q]);
	}
	free(value);
	return sum;
}

/* |f - g| falls with more landmarks, |f|^2 = |g|^2 + |f - g|^2, and bounds the change of values. */
static void test_norms(int n_class)
{
	static double before[ROWS * PAIRS], after[ROWS * PAIRS];
	double lost[PAIRS], sum_before = INFINITY;
	const int classes = n_class ? n_class : 2;
	const int64_t n_pairs = solution_n_pairs(classes);
	struct trained t = { 0 };

	train(&t, n_class);
	find_values(&t.model, &t.s.d.x, before);
	for (int64_t k = 1; k <= t.model.solution.n_sv; k += 3) {
		struct model small;
		struct error err = { 0 };
		double sum = 0;
		int64_t q = 0;

		CHECK(model_reduce(&small, &t.model, k, lost, 2, &err) == 0, "%s", err.text);
		CHECK(small.solution.n_sv == k, "%d vectors", (int)small.solution.n_sv);
		find_values(&small, &t.s.d.x, after);
		for (int a = 0; a < classes; a++)
			for (int b = a + 1; b < classes; b++, q++) {
				double f2 = norm2(&t.model, a, b, q), g2 = norm2(&small, a, b, q);
				double change = lost[q] * sqrt(f2);

				sum += change * change;
				CHECK(fabs(f2 - g2 - change * change) < 1e-9 * f2, "%g, %g, %g", f2,
				      g2, change);
				for (int i = 0; i < ROWS; i++)
					CHECK(fabs(before[i * n_pairs + q] -
						   after[i * n_pairs + q]) < change + 1e-7,
					      "row %d: %g and %g, not within %g", i,
					      before[i * n_pairs + q], after[i * n_pairs + q],
					      change);
			}
		CHECK(sum < sum_before, "%g after %g", sum, sum_before);
		sum_before = sum;
		model_free(&small);
	}
	trained_free(&t);
}

/* All vectors trained anew span the optimum: the decision values are those of the model. */
static void test_retrained(int n_class)
{
	static double before[ROWS * PAIRS], after[ROWS * PAIRS];
	double lost[PAIRS];
	const int64_t n_pairs = solution_n_pairs(n_class ? n_class : 2);
	struct trained t = { 0 };
	struct model whole;
	struct error err = { 0 };

	train(&t, n_class);
	find_values(&t.model, &t.s.d.x, before);
	CHECK(model_reduce(&whole, &t.model, ROWS, lost, 1, &err) == 0 &&
		      model_retrain(&whole, &t.s.d, &t.s.training, 1, 2, &err) == 0,
	      "%s", err.text);
	find_values(&whole, &t.s.d.x, after);
	for (int64_t i = 0; i < ROWS * n_pairs; i++)
		CHECK(fabs(before[i] - after[i]) < 1e-3, "value %d: %g and %g", (int)i, before[i],
		      after[i]);
	model_free(&whole);
	trained_free(&t);
}

static int attempt(void *arg, struct error *err)
{
	struct trained *t = arg;
	struct model small;
	double lost[PAIRS];
	int ret;

	if (model_reduce(&small, &t->model, 8, lost, 1, err) < 0)
		return -1;
	ret = model_retrain(&small, &t->s.d, &t->s.training, 1, 1, err);
	model_free(&small);
	return ret;
}

static void test_memory(void)
{
	struct trained t = { 0 };

	train(&t, CLASSES);
	fail_each_allocation("reduce and retrain", attempt, &t);
	trained_free(&t);
}

int main(void)
{
	test_norms(2);
	test_norms(CLASSES);
	test_norms(0);
	test_retrained(2);
	test_retrained(CLASSES);
	test_retrained(0);
	test_memory();
	return unit_report("reduced_model");
}
