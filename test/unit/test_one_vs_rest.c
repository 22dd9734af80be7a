/*
 * test_one_vs_rest.c - machines of each class against the rest, by their own objective
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "evaluate/cross_validation.h"
#include "failing.h"
#include "random.h"
#include "smo/smo.h"
#include "small_training.h"
#include "train/one_vs_rest.h"
#include "unit.h"

#define MOST_ROWS 300

/* Columns from 1, since LIBLINEAR's models have no column 0. */
static void set_up(struct setting *s, int n_class, int64_t n, int32_t n_cols, double density)
{
	struct error err = { 0 };

	memset(s, 0, sizeof(*s));
	random_rows(&s->d.x, n, n_cols, density);
	for (int64_t k = 0; k < csr_n_entries(&s->d.x); k++)
		s->d.x.col[k]++;
	s->d.x.n_cols++;
	s->d.max_index = n_cols;
	s->d.y = s->y;
	for (int64_t i = 0; i < n; i++) {
		static const int labels[] = { 5, 7, -3, 0 };

		s->y[i] = labels[i < n_class ? i : random_below(n_class)];
	}
	small_trainer(s, true, 1e-3);
	s->training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	CHECK(classes_init(&s->classes, &s->d, &err) == 0, "%s", err.text);
}

/* 1/2 |w|^2 + sum C_i loss_i of machine c, by its definition. */
static double plain_primal(const struct setting *s, const struct one_vs_rest *found, int c)
{
	int n = found->n_machines, label = s->classes.label[c];
	const double *w = found->w + c;
	double sum = 0;

	for (int64_t j = 0; j < found->n_features; j++)
		sum += w[j * n] * w[j * n] / 2;
	for (int64_t i = 0; i < s->d.x.n_rows; i++) {
		bool own = s->y[i] == label;
		double f = w[found->n_features * n];
		double cost = own || s->classes.n == 2 ? classes_c(&s->training, (int)s->y[i]) :
							 s->training.C;

		for (int64_t k = s->d.x.row_start[i]; k < s->d.x.row_start[i + 1]; k++)
			f += w[(s->d.x.col[k] - 1) * n] * s->d.x.val[k];
		sum += cost * fmax(0, 1 - (own ? f : -f));
	}
	return sum;
}

static void check_machines(const struct setting *s, double gap)
{
	struct pair_result results[4] = { 0 };
	struct one_vs_rest found;
	struct error err = { 0 };

	CHECK(one_vs_rest_run(&s->trainer, &s->classes, &found, results, &err) == 0, "%s",
	      err.text);
	CHECK(found.n_machines == one_vs_rest_count(s->classes.n), "%d machines", found.n_machines);
	for (int c = 0; c < found.n_machines; c++) {
		const struct certificate *proof = &results[c].solved.certificate;
		double primal = plain_primal(s, &found, c);

		CHECK(results[c].label_a == s->classes.label[c], "label %d", results[c].label_a);
		CHECK(certificate_relative_gap(proof) <= gap, "gap %g",
		      certificate_relative_gap(proof));
		/* the certificate has the best constant, the machine nearly so */
		CHECK(primal >= proof->primal * (1 - 1e-9) && primal <= proof->dual * (1 + 2 * gap),
		      "primal %.9g by definition, %.9g and dual %.9g", primal, proof->primal,
		      proof->dual);
	}
	one_vs_rest_free(&found);
}

/* Few features, solved by Newton steps, and many, by coordinate descent. */
static void test_objective(void)
{
	for (int n_class = 2; n_class <= 4; n_class++) {
		struct setting s;

		set_up(&s, n_class, 120, 6, 0.9);
		check_machines(&s, 1e-4);
		setting_free(&s);
		set_up(&s, n_class, MOST_ROWS, 1500, 0.02);
		s.options.gap = 1e-3;
		check_machines(&s, 1e-3);
		s.options.gap = 1e-6;
		check_machines(&s, 1e-3);
		setting_free(&s);
	}
}

static void test_threads(void)
{
	struct pair_result results[4] = { 0 };
	struct one_vs_rest one, many;
	struct error err = { 0 };
	struct setting s;

	set_up(&s, 4, 200, 1200, 0.02);
	s.options.n_threads = 1;
	CHECK(one_vs_rest_run(&s.trainer, &s.classes, &one, results, &err) == 0, "%s", err.text);
	for (int n = 2; n <= 7; n += 5) {
		s.options.n_threads = n;
		CHECK(one_vs_rest_run(&s.trainer, &s.classes, &many, results, &err) == 0, "%s",
		      err.text);
		CHECK(memcmp(one.w, many.w,
			     (size_t)((one.n_features + 1) * one.n_machines) * sizeof(double)) == 0,
		      "%d threads", n);
		one_vs_rest_free(&many);
	}
	one_vs_rest_free(&one);
	setting_free(&s);
}

static int train_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	struct pair_result results[4] = { 0 };
	struct one_vs_rest found;
	int ret = one_vs_rest_run(&s->trainer, &s->classes, &found, results, err);

	CHECK(ret == 0 || !found.w, "weights are left");
	if (ret == 0)
		one_vs_rest_free(&found);
	return ret;
}

/* Probabilities are of the seed alone, and leave nothing behind without memory. */
static int calibrate_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	struct pair_result results[4] = { 0 };
	struct one_vs_rest found = { 0 };
	struct glibc_rand draws;
	int ret;

	glibc_rand_seed(&draws, 1);
	s->trainer.draws = &draws;
	ret = train_calibrated_rest(&s->trainer, &s->classes, NULL, &found, results, err);
	CHECK(ret < 0 ? !found.w && !found.prob_a && !found.prob_b : found.prob_a && found.prob_b,
	      "probabilities: %d", ret);
	for (int c = 0; ret == 0 && c < found.n_machines; c++)
		CHECK(isfinite(found.prob_a[c]) && isfinite(found.prob_b[c]), "A %g, B %g",
		      found.prob_a[c], found.prob_b[c]);
	one_vs_rest_free(&found);
	return ret;
}

static void test_probabilities(void)
{
	/* 4 rows have a class each: folds without one of them, and without any */
	static const int64_t n_rows[] = { 40, 4, 5 };
	struct setting s;

	for (int i = 0; i < 3; i++) {
		struct error err = { 0 };

		set_up(&s, i == 0 ? 3 : 4, n_rows[i], 6, 0.9);
		s.options.n_threads = 1;
		s.training.probability = 1;
		CHECK(calibrate_once(&s, &err) == 0, "%s", err.text);
		if (i == 0 && !UNIT_FINDS_RACES) /* one thread */
			CHECK(fail_each_allocation("probabilities", calibrate_once, &s) > 100,
			      "hardly any allocation");
		setting_free(&s);
	}
	/* two rows: no fold has both classes, so that nothing is known */
	set_up(&s, 2, 2, 6, 0.9);
	s.training.probability = 1;
	calibrate_once(&s, &(struct error){ 0 });
	setting_free(&s);
}

static void test_memory(void)
{
	struct setting s;

	set_up(&s, 3, 60, 1100, 0.02);
	s.options.n_threads = 1;
	CHECK(fail_each_allocation("machines", train_once, &s) > 20, "hardly any allocation");
	setting_free(&s);
}

int main(void)
{
	test_objective();
	test_threads();
	test_memory();
	test_probabilities();
	return unit_report("one_vs_rest");
}
