/*
 * test_measures.c - confusion, curves and sums against their definitions
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "evaluate/metrics.h"
#include "failing.h"
#include "random.h"
#include "unit.h"

static bool close_to(double x, double y)
{
	return fabs(x - y) <= 1e-13 * fmax(1, fabs(y));
}

/* ---- Curves ---- */

/* Scores on a grid of so many values, so that there are ties; the higher the likelier positive. */
static void fill_roc(struct roc *r, int64_t n, double grid)
{
	struct error err = { 0 };

	for (int64_t i = 0; i < n; i++) {
		double score = floor(grid * random_unit());

		CHECK(roc_add(r, score, grid * random_unit() < score ? 1 : -1, &err) == 0, "%s",
		      err.text);
	}
}

/* By pairs. */
static double plain_auc(const struct roc *r)
{
	double sum = 0, pairs = 0;

	for (int64_t i = 0; i < r->n; i++)
		for (int64_t j = 0; j < r->n; j++)
			if (r->example[i].weight > 0 && r->example[j].weight < 0) {
				double x = r->example[i].score, y = r->example[j].score;

				sum += x > y ? 1 : x == y ? 0.5 : 0;
				pairs++;
			}
	return sum / pairs;
}

static void check_curve(struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point p, last = { INFINITY, 0, 0, NAN };
	double area = 0;

	while (roc_step(r, &walk, &p)) {
		int64_t positive = 0, negative = 0;

		for (int64_t i = 0; i < r->n; i++)
			if (r->example[i].score >= p.threshold)
				r->example[i].weight > 0 ? positive++ : negative++;
		CHECK(p.true_positive_rate == (double)positive / (double)r->n_positive &&
			      p.false_positive_rate == (double)negative / (double)r->n_negative,
		      "threshold %g: %g %g", p.threshold, p.false_positive_rate,
		      p.true_positive_rate);
		CHECK(p.threshold < last.threshold || isinf(p.threshold), "%g after %g",
		      p.threshold, last.threshold);
		area += (p.false_positive_rate - last.false_positive_rate) *
			(p.true_positive_rate + last.true_positive_rate) / 2;
		last = p;
	}
	CHECK(last.true_positive_rate == 1 && last.false_positive_rate == 1, "ends at %g %g",
	      last.false_positive_rate, last.true_positive_rate);
	CHECK(close_to(area, roc_auc(r)), "area %.17g, AUC %.17g", area, roc_auc(r));
}

/* Precision and recall of each threshold by counting, and the mean precision of the positives. */
static void check_precision(const struct roc *r)
{
	struct roc_walk walk = { 0 };
	struct roc_point p;
	double sum = 0, last = 0;

	while (pr_step(r, &walk, &p)) {
		double called = 0, right = 0, here = 0;

		for (int64_t i = 0; i < r->n; i++) {
			called += r->example[i].score >= p.threshold;
			right += r->example[i].score >= p.threshold && r->example[i].weight > 0;
			here += r->example[i].score == p.threshold && r->example[i].weight > 0;
		}
		CHECK(close_to(p.precision, right / called), "precision %g", p.precision);
		CHECK(close_to(p.true_positive_rate, right / (double)r->n_positive) &&
			      p.true_positive_rate >= last,
		      "recall %g after %g", p.true_positive_rate, last);
		sum += here * right / called;
		last = p.true_positive_rate;
	}
	CHECK(last == 1, "ends at a recall of %g", last);
	CHECK(close_to(pr_average_precision(r), sum / (double)r->n_positive),
	      "average precision %.17g, not %.17g", pr_average_precision(r),
	      sum / (double)r->n_positive);
}

static void test_bins(void)
{
	struct calibration_bins c = { 0 };

	calibration_add(&c, 0, false, 1);
	calibration_add(&c, 0.05, true, 1);
	calibration_add(&c, 0.95, true, 1);
	calibration_add(&c, 1, true, 1);
	CHECK(c.bin[0].n == 2 && c.bin[0].n_events == 1 && c.bin[0].sum == 0.05, "first bin %g",
	      c.bin[0].sum);
	CHECK(c.bin[9].n == 2 && c.bin[9].n_events == 2 && c.bin[9].sum == 1.95, "last bin %g",
	      c.bin[9].sum);
}

static void test_curves(void)
{
	for (int k = 0; k < 60; k++) {
		struct roc r = { 0 };
		double expected;

		fill_roc(&r, 20 + random_below(200), 2 + (double)random_below(100));
		expected = plain_auc(&r);
		roc_sort(&r);
		CHECK(close_to(roc_auc(&r), expected), "%.17g, not %.17g", roc_auc(&r), expected);
		check_curve(&r);
		check_precision(&r);
		roc_free(&r);
	}
}

static void test_known_curves(void)
{
	struct error err = { 0 };
	struct roc r = { 0 };

	roc_sort(&r);
	CHECK(isnan(roc_auc(&r)), "no examples: %g", roc_auc(&r));
	roc_add(&r, 1, 1, &err);
	roc_sort(&r);
	CHECK(isnan(roc_auc(&r)), "one class: %g", roc_auc(&r));
	roc_add(&r, 1, -1, &err);
	roc_sort(&r);
	CHECK(roc_auc(&r) == 0.5, "a tie: %g", roc_auc(&r));
	roc_add(&r, NAN, -1, &err);
	roc_sort(&r);
	CHECK(roc_auc(&r) == 0.75, "no number ranks last: %g", roc_auc(&r));
	roc_free(&r);
}

/* ---- Confusion ---- */

static void check_class(const struct confusion *c, int k, double n_examples, double n_predicted,
			double n_correct)
{
	struct class_measures m = confusion_class(c, k);

	CHECK(m.n_examples == n_examples && m.n_predicted == n_predicted &&
		      m.n_correct == n_correct,
	      "class %d: %g %g %g", k, m.n_examples, m.n_predicted, m.n_correct);
}

/* Classes -3, 2, 7 (never predicted), 9 (neither there nor predicted), and an unknown label 5. */
static void test_confusion(void)
{
	static const int label[] = { 7, -3, 9, 2 };
	static const double predicted[] = { -3, -3, 2, 2, 2, 2, -3 };
	static const double target[] = { -3, 2, 2, 2, 7, 5, 2.5 };
	struct confusion_summary s;
	struct error err = { 0 };
	struct confusion c;

	CHECK(confusion_init(&c, label, 4, &err) == 0, "%s", err.text);
	s = confusion_summarise(&c);
	CHECK(isnan(s.micro_f1) && isnan(s.macro_f1) && isnan(s.balanced_accuracy), "%g %g %g",
	      s.micro_f1, s.macro_f1, s.balanced_accuracy);
	for (int i = 0; i < 7; i++)
		confusion_add(&c, predicted[i], target[i], 1);
	check_class(&c, 0, 1, 3, 1);
	check_class(&c, 1, 3, 4, 2);
	check_class(&c, 2, 1, 0, 0);
	check_class(&c, 3, 0, 0, 0);
	check_class(&c, 4, 2, 0, 0);
	CHECK(isnan(confusion_class(&c, 2).precision) && confusion_class(&c, 2).f1 == 0,
	      "never predicted: %g", confusion_class(&c, 2).precision);
	CHECK(isnan(confusion_class(&c, 3).f1) && isnan(confusion_class(&c, 3).recall),
	      "neither there nor predicted: %g", confusion_class(&c, 3).f1);
	s = confusion_summarise(&c);
	CHECK(close_to(s.balanced_accuracy, (1 + 2.0 / 3) / 4), "balanced %g", s.balanced_accuracy);
	CHECK(close_to(s.macro_precision, (1.0 / 3 + 0.5) / 4), "precision %g", s.macro_precision);
	CHECK(close_to(s.macro_recall, (1 + 2.0 / 3) / 4), "recall %g", s.macro_recall);
	CHECK(close_to(s.macro_f1, (2.0 / 4 + 4.0 / 7) / 4), "F1 %g", s.macro_f1);
	CHECK(close_to(s.micro_f1, 3.0 / 7), "micro %g", s.micro_f1);
	confusion_free(&c);
}

/* ---- Sums ---- */

static void test_regression(void)
{
	struct metrics m = { 0 }, shifted = { 0 }, constant = { 0 };
	double p[50], t[50], mean = 0, squares = 0, errors = 0, absolute = 0, most = 0;

	for (int i = 0; i < 50; i++) {
		t[i] = random_normal();
		p[i] = t[i] + random_normal() / 4;
		mean += t[i] / 50;
		metrics_add(&m, p[i], t[i], 1);
		metrics_add(&shifted, p[i] + 1e9, t[i] + 1e9, 1);
		metrics_add(&constant, p[i], 0.1, 1);
	}
	for (int i = 0; i < 50; i++) {
		squares += (t[i] - mean) * (t[i] - mean);
		errors += (p[i] - t[i]) * (p[i] - t[i]);
		absolute += fabs(p[i] - t[i]) / 50;
		most = fmax(most, fabs(p[i] - t[i]));
	}
	CHECK(close_to(metrics_determination(&m), 1 - errors / squares), "%.17g, not %.17g",
	      metrics_determination(&m), 1 - errors / squares);
	CHECK(fabs(metrics_determination(&shifted) - metrics_determination(&m)) < 1e-6,
	      "far from 0: %.17g, not %.17g", metrics_determination(&shifted),
	      metrics_determination(&m));
	CHECK(isnan(metrics_determination(&constant)), "equal targets: %g",
	      metrics_determination(&constant));
	CHECK(close_to(metrics_mae(&m), absolute) && m.max_error == most, "%g %g", metrics_mae(&m),
	      m.max_error);
}

/*
 * Offsets change neither variances nor correlations, and equal values have none.  Values are 50
 * + 1/16 times integers, so that those with an offset are exact, and the differences from the first.
 */
static void test_offsets(void)
{
	static const double offsets[] = { 1.7e9, -0x1p40, 0x1p47 };
	struct metrics near = { 0 }, far[3] = { 0 }, equal = { 0 }, constant = { 0 };
	double r2;

	for (int i = 0; i < 100; i++) {
		double t = (double)random_below(800) / 16, p = t + (double)random_below(400) / 16;
		double weight = 1 + (double)random_below(3);

		metrics_add(&near, p, t, weight);
		for (int k = 0; k < 3; k++)
			metrics_add(&far[k], p + offsets[k], t + offsets[k], weight);
		metrics_add(&equal, t + 1.7e12, t + 1.7e12, weight);
		metrics_add(&constant, 1.7e9 + 0.1, t, 1);
	}
	r2 = metrics_squared_correlation(&near);
	CHECK(r2 > 0.5 && r2 < 0.95, "%g", r2);
	for (int k = 0; k < 3; k++) {
		CHECK(close_to(metrics_squared_correlation(&far[k]), r2), "%g: %.17g, not %.17g",
		      offsets[k], metrics_squared_correlation(&far[k]), r2);
		CHECK(close_to(metrics_determination(&far[k]), metrics_determination(&near)),
		      "%g: %.17g", offsets[k], metrics_determination(&far[k]));
	}
	CHECK(metrics_squared_correlation(&equal) == 1 && !metrics_uncorrelated(&equal), "%.17g",
	      metrics_squared_correlation(&equal));
	CHECK(isnan(metrics_squared_correlation(&constant)) &&
		      strstr(metrics_uncorrelated(&constant), "predictions"),
	      "%g", metrics_squared_correlation(&constant));
}

/* The mean of many large values: single steps of it are far below the last digit of the mean. */
static void test_moments(void)
{
	const int n = 1 << 18;
	struct moments all = { 0 }, part[2] = { { 0 } };

	for (int i = 0; i < n; i++) {
		double x = (double)(i % 128) + 0x1p44;

		moments_add(&all, x, 1);
		moments_add(&part[i % 128 < 50], x, 1);
	}
	moments_join(&part[0], &part[1]);
	for (const struct moments *m = &all; m; m = m == &all ? &part[0] : NULL) {
		CHECK(fabs(moments_mean(m) - 0x1p44 - 63.5) < 1e-2, "%.17g",
		      moments_mean(m) - 0x1p44);
		CHECK(close_to(m->squares / n, (128 * 128 - 1) / 12.), "%.17g", m->squares / n);
		CHECK(m->n == n, "%g", m->n);
	}
}

static void test_probabilities(void)
{
	static const double two[2] = { 0.8, 0.2 }, three[3] = { 0.5, 0.3, 0.2 };
	static const double unknown[3] = { 0.5, NAN, 0.5 };

	CHECK(close_to(metrics_brier(two, 2, 0), 0.04), "%g", metrics_brier(two, 2, 0));
	CHECK(close_to(metrics_brier(two, 2, 1), 0.64), "%g", metrics_brier(two, 2, 1));
	CHECK(close_to(metrics_brier(three, 3, 1), 0.25 + 0.49 + 0.04), "%g",
	      metrics_brier(three, 3, 1));
	CHECK(close_to(metrics_brier(unknown, 3, 0), 0.25 + 0.25), "%g",
	      metrics_brier(unknown, 3, 0));
	CHECK(close_to(metrics_log_loss(0.5), log(2)), "%g", metrics_log_loss(0.5));
	CHECK(close_to(metrics_log_loss(0), -log(DBL_EPSILON)), "%g", metrics_log_loss(0));
}

static int run_all(void *arg, struct error *err)
{
	static const int label[] = { 1, 2 };
	struct confusion c = { 0 };
	struct roc r = { 0 };
	int ret = -1;

	(void)arg;
	if (confusion_init(&c, label, 2, err) == 0 && roc_add(&r, 1, 1, err) == 0)
		ret = 0;
	confusion_free(&c);
	roc_free(&r);
	return ret;
}

int main(void)
{
	test_curves();
	test_known_curves();
	test_bins();
	test_confusion();
	test_regression();
	test_offsets();
	test_moments();
	test_probabilities();
	CHECK(fail_each_allocation("measures", run_all, NULL) >= 3, "too few allocations");
	return unit_report("measures");
}
