/*
 * test_logistic.c - logistic regression by its own objective, gradient and constant
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
#include "small_training.h"
#include "train/one_vs_rest.h"
#include "unit.h"

#define MOST_ROWS 300

static void set_up(struct setting *s, int n_class, int64_t n, int32_t n_cols, double density,
		   double far)
{
	static const int labels[] = { 5, 7, -3, 0 };
	struct error err = { 0 };

	memset(s, 0, sizeof(*s));
	random_rows(&s->d.x, n, n_cols, density);
	for (int64_t k = 0; k < csr_n_entries(&s->d.x); k++) {
		s->d.x.col[k]++;
		s->d.x.val[k] += far;
	}
	s->d.x.n_cols++;
	s->d.max_index = n_cols;
	s->d.y = s->y;
	for (int64_t i = 0; i < n; i++)
		s->y[i] = labels[i < n_class ? i : random_below(n_class)];
	small_trainer(s, true, 1e-3);
	s->training.kernel = (struct kernel){ .type = KERNEL_LINEAR };
	s->training.logistic_loss = true;
	CHECK(classes_init(&s->classes, &s->d, &err) == 0, "%s", err.text);
}

/* P of machine c by its definition; its gradient by w and b goes to g[0 .. features]. */
static double plain_primal(const struct setting *s, const struct one_vs_rest *found, int c,
			   double *g)
{
	const int k = found->n_machines, label = s->classes.label[c];
	const int64_t d = found->n_features;
	const double *w = found->w + c;
	double sum = 0;

	for (int64_t j = 0; j <= d; j++) {
		g[j] = j < d ? w[j * k] : 0;
		sum += g[j] * g[j] / 2;
	}
	for (int64_t i = 0; i < s->d.x.n_rows; i++) {
		const bool own = s->y[i] == label;
		const double cost = own || s->classes.n == 2 ?
					    classes_c(&s->training, (int)s->y[i]) :
					    s->training.C;
		const struct csr_row row = csr_row_of(&s->d.x, i);
		double f = w[d * k], slope;

		for (int64_t e = 0; e < row.n; e++)
			f += w[(row.col[e] - 1) * k] * row.val[e];
		f = own ? f : -f;
		sum += cost * (fmax(-f, 0) + log1p(exp(-fabs(f))));
		slope = -cost / (1 + exp(f)) * (own ? 1 : -1);
		for (int64_t e = 0; e < row.n; e++)
			g[row.col[e] - 1] += slope * row.val[e];
		g[d] += slope;
	}
	return sum;
}

static void check_machines(const struct setting *s, double gap)
{
	struct pair_result results[4] = { 0 };
	struct one_vs_rest found;
	struct error err = { 0 };
	double g[2000];

	CHECK(one_vs_rest_run(&s->trainer, &s->classes, &found, results, &err) == 0, "%s",
	      err.text);
	for (int c = 0; c < found.n_machines; c++) {
		const struct certificate *proof = &results[c].solved.certificate;
		const double primal = plain_primal(s, &found, c, g);
		double square = 0;

		for (int64_t j = 0; j < found.n_features; j++)
			square += g[j] * g[j];
		CHECK(certificate_relative_gap(proof) <= gap, "gap %g",
		      certificate_relative_gap(proof));
		CHECK(fabs(primal - proof->primal) <= proof->rounding + 1e-12 * primal,
		      "primal %.17g, not %.17g", proof->primal, primal);
		/* the constant is the best one, and the gap half of the squared gradient */
		CHECK(fabs(g[found.n_features]) <= 1e-9 * s->training.C * (double)s->d.x.n_rows,
		      "slope %g by b", g[found.n_features]);
		CHECK(square / 2 <= certificate_gap(proof) * (1 + 1e-6) + 1e-12 * primal,
		      "half the squared gradient %g, gap %g", square / 2, certificate_gap(proof));
	}
	one_vs_rest_free(&found);
}

/* Each gap proves: a less exact solution has no primal below that of an exact one. */
static void test_objective(void)
{
	for (int n_class = 2; n_class <= 4; n_class++)
		for (int kind = 0; kind < 4; kind++) {
			struct setting s;

			set_up(&s, n_class, kind == 1 ? MOST_ROWS : 120, kind == 1 ? 1500 : 6,
			       kind == 1 ? 0.02 :
			       kind == 2 ? 1 :
					   0.9,
			       kind == 2 ? 100 : 0);
			/* classes that a plane parts, which at this C have hardly a loss left */
			s.training.C = kind == 3 ? 1e4 : 3;
			for (double gap = 1e-1; gap > 1e-10; gap *= 1e-4) {
				s.options.gap = gap;
				check_machines(&s, gap);
			}
			setting_free(&s);
		}
}

static int train_once(void *arg, struct error *err)
{
	struct setting *s = arg;
	struct pair_result results[4] = { 0 };
	struct one_vs_rest found = { 0 };
	int ret = train_calibrated_rest(&s->trainer, &s->classes, NULL, &found, results, err);

	CHECK(ret == 0 || !found.w, "weights are left");
	CHECK(!found.prob_a && !found.prob_b, "sigmoids of a logistic regression");
	one_vs_rest_free(&found);
	return ret;
}

static void test_memory(void)
{
	struct setting s;

	set_up(&s, 3, 60, 20, 0.5, 0);
	s.options.n_threads = 1;
	s.training.probability = 1;
	CHECK(fail_each_allocation("logistic regression", train_once, &s) > 20,
	      "hardly any allocation");
	setting_free(&s);
}

static bool stop_now(void *arg)
{
	(void)arg;
	return true;
}

/* An interrupted one has weights, here of 0, and their gap. */
static void test_interruption(void)
{
	static const struct interruption now = { .requested = stop_now };
	struct pair_result results[4] = { 0 };
	struct one_vs_rest found;
	struct error err = { 0 };
	struct setting s;

	set_up(&s, 2, 120, 6, 0.9, 0);
	s.solver.interruption = &now;
	CHECK(one_vs_rest_run(&s.trainer, &s.classes, &found, results, &err) == 0 &&
		      results[0].solved.reason == STOP_INTERRUPTED &&
		      certificate_relative_gap(&results[0].solved.certificate) > 1e-2,
	      "reason %d, gap %g", results[0].solved.reason,
	      certificate_relative_gap(&results[0].solved.certificate));
	one_vs_rest_free(&found);
	setting_free(&s);
}

int main(void)
{
	test_objective();
	test_memory();
	test_interruption();
	return unit_report("logistic");
}
