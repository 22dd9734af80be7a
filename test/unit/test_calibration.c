/*
 * test_calibration.c - probabilities and bounds by decision values, against their definitions
 *
 * Isotonic fits against the formula max_{a <= j} min_{b >= j} mean(a .. b), Venn-Abers against fits
 * of the examples and one more, and coverage by simulation: each of 10,000 draws is of the examples
 * and of one new row, as the theorem is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "chance.h"
#include "evaluate/calibration.h"
#include "random.h"
#include "unit.h"

enum { MOST = 60 };

/* Examples of few different scores, which mostly, but not always, speak for the event. */
static int64_t draw(struct roc *r, double *score, double *event, int64_t least)
{
	const int64_t n = least + random_below(MOST - least), n_scores = 1 + random_below(2 * n);
	struct error err = { 0 };

	r->n = 0, r->n_positive = r->n_negative = 0;
	for (int64_t i = 0; i < n; i++) {
		score[i] = (double)random_below(n_scores) - 3;
		event[i] = random_unit() < (score[i] + 4) / ((double)n_scores + 1);
		roc_add(r, score[i], event[i] > 0 ? 1 : -1, &err);
	}
	roc_sort(r);
	return n;
}

/* The isotonic fit at a score that is among the n: O(n^3), by the formula above. */
static double plain_fit(const double *score, const double *event, int64_t n, double at)
{
	double most = -INFINITY;

	for (int64_t a = 0; a < n; a++) {
		double least = INFINITY;

		for (int64_t b = 0; b < n && score[a] <= at; b++) {
			double sum = 0, count = 0;

			if (score[b] < at)
				continue;
			for (int64_t i = 0; i < n; i++)
				if (score[a] <= score[i] && score[i] <= score[b]) {
					sum += event[i];
					count++;
				}
			least = fmin(least, sum / count);
		}
		if (score[a] <= at)
			most = fmax(most, least);
	}
	return most;
}

static void test_isotonic(void)
{
	double score[MOST], event[MOST];
	struct roc r = { 0 };

	for (int trial = 0; trial < 200; trial++) {
		const int64_t n = draw(&r, score, event, 1);
		struct calibration c = { 0 };
		struct error err = { 0 };
		double last = 0;

		CHECK(calibration_fit(&c, &r, CALIBRATION_ISOTONIC, &err) == 0, "%s", err.text);
		for (int64_t i = 0; i < n; i++) {
			double p = calibration_of(&c, score[i]).p;

			CHECK(fabs(p - plain_fit(score, event, n, score[i])) < 1e-12, "%g at %g", p,
			      score[i]);
		}
		/* between the scores it ascends too, and beyond them it is that of the last one */
		for (double s = -5; s < 2 * MOST; s += 0.125) {
			double p = calibration_of(&c, s).p;

			CHECK(p >= last && p <= 1, "%g after %g at %g", p, last, s);
			last = p;
		}
		CHECK(last == c.high[c.n - 1] && calibration_of(&c, -INFINITY).p == c.high[0], "%g",
		      last);
		/* halfway between two scores it is the mean of both */
		for (int64_t i = 1; i < c.n; i++)
			CHECK(fabs(calibration_of(&c, (c.score[i - 1] + c.score[i]) / 2).p -
				   (c.high[i - 1] + c.high[i]) / 2) < 1e-12,
			      "%g", c.score[i]);
		calibration_free(&c);
	}
	roc_free(&r);
}

static void test_venn_abers(void)
{
	double score[MOST + 1], event[MOST + 1];
	struct roc r = { 0 };

	for (int trial = 0; trial < 120; trial++) {
		const int64_t n = draw(&r, score, event, 1);
		struct calibration c = { 0 };
		struct error err = { 0 };

		CHECK(calibration_fit(&c, &r, CALIBRATION_VENN_ABERS, &err) == 0, "%s", err.text);
		/* at scores of the examples, between them, and beyond all of them */
		for (int k = 0; k < 12; k++) {
			const double s = -4 + 0.5 * (double)random_below(2 * n + 8);
			const struct calibrated found = calibration_of(&c, s);
			double p[2];

			score[n] = s;
			for (int y = 0; y < 2; y++) {
				event[n] = y;
				p[y] = plain_fit(score, event, n + 1, s);
			}
			CHECK(fabs(found.low - p[0]) < 1e-12 && fabs(found.high - p[1]) < 1e-12,
			      "%g to %g, not %g to %g, at %g", found.low, found.high, p[0], p[1],
			      s);
			CHECK(found.low < found.high, "%g %g", found.low, found.high);
			CHECK(fabs(found.p - p[1] / (1 - p[0] + p[1])) < 1e-12, "%g", found.p);
		}
		calibration_free(&c);
	}
	roc_free(&r);
}

/*
 * The sigmoid is sigmoid_fit()'s, whatever the order of the examples: their sums are rounded otherwise,
 * and the fit ends at a gradient of 1e-5
 */
static void test_sigmoid(void)
{
	double score[MOST], event[MOST];
	struct roc r = { 0 };

	for (int trial = 0; trial < 50; trial++) {
		const int64_t n = draw(&r, score, event, 10);
		struct calibration c = { 0 };
		struct error err = { 0 };
		struct sigmoid s;

		sigmoid_fit(score, event, NULL, n, &s);
		calibration_fit(&c, &r, CALIBRATION_SIGMOID, &err);
		CHECK(fabs(calibration_of(&c, 2).p - probability_sigmoid(2, s.a, s.b)) < 1e-4,
		      "%g, not %g", calibration_of(&c, 2).p, probability_sigmoid(2, s.a, s.b));
		calibration_free(&c);
	}
	roc_free(&r);
}

/* Several classes: a curve each, powers of whose odds are divided by their sum; without any, equal ones. */
static void test_classes(void)
{
	const struct coupling by = { .power = 0.6, .noise = 0.3 };
	struct calibration c[3] = { 0 };
	const double score[3] = { 0.5, -1, 2 };
	double p[3], sum = 0;

	for (int k = 0; k < 3; k++)
		c[k].sigmoid = (struct sigmoid){ -1, 0 };
	calibration_classes(c, 3, &by, score, p);
	for (int k = 0; k < 3; k++)
		sum += exp(0.6 * score[k]);
	for (int k = 0; k < 3; k++)
		CHECK(fabs(p[k] - 0.7 * exp(0.6 * score[k]) / sum - 0.1) < 1e-12, "%g", p[k]);
	for (int k = 0; k < 3; k++)
		c[k].sigmoid = (struct sigmoid){ 0, 1e9 };
	calibration_classes(c, 3, &by, score, p);
	CHECK(fabs(p[0] - 1. / 3) < 1e-12 && p[2] == p[0], "%g %g", p[0], p[2]);
}

/*
 * Rows of n classes, which take turns: the score of the true one is 2.5 higher in the mean, and a share
 * of the labels, of which the scores know nothing, is drawn at random
 */
enum { MOST_CLASSES = 12 };
static const int labels[MOST_CLASSES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
static struct class_curves draw_classes(int n, int64_t n_rows, double noise)
{
	struct class_curves e = { .n = n, .label = labels };
	struct error err = { 0 };

	for (int64_t i = 0; i < n_rows; i++) {
		const int64_t own = i % n;
		double score[MOST_CLASSES];

		for (int k = 0; k < n; k++)
			score[k] = random_normal() + (k == own ? 2.5 : 0);
		class_curves_add(&e, score, (double)(random_unit() < noise ? random_below(n) : own),
				 1, &err);
	}
	class_curves_finish(&e, &err);
	return e;
}

/* Parts of examples, by the hash of calibration_couple(). */
static int64_t part_of(int64_t i)
{
	return (int64_t)(((uint64_t)i * 0x9e3779b97f4a7c15 >> 32) % 5);
}

/* Curves of all classes, by the examples that are not of this part. */
static void fit_classes(struct calibration *c, const struct class_curves *e,
			enum calibration_method method, int64_t left_out)
{
	struct error err = { 0 };

	for (int k = 0; k < e->n; k++) {
		struct roc r = { 0 };

		for (int64_t i = 0; i < e->n_examples; i++)
			if (part_of(i) != left_out)
				roc_add(&r, e->score[i * e->n + k],
					e->example[i].class_number == k ? 1 : -1, &err);
		roc_sort(&r);
		c[k] = (struct calibration){ 0 };
		CHECK(calibration_fit(&c[k], &r, method, &err) == 0, "%s", err.text);
		roc_free(&r);
	}
}

static void free_classes(struct calibration *c, int n)
{
	for (int k = 0; k < n; k++)
		calibration_free(&c[k]);
}

/* What examples, of all parts or of one, say of probabilities: sums. */
struct judgement {
	double n, log_loss, largest, n_right;
};

static void judge(struct judgement *j, const struct calibration *c, const struct coupling *by,
		  const struct class_curves *e, int64_t part)
{
	for (int64_t i = 0; i < e->n_examples; i++) {
		const int own = e->example[i].class_number;
		double p[MOST_CLASSES];
		int best = calibration_classes(c, e->n, by, e->score + i * e->n, p);

		if (part >= 0 && part_of(i) != part)
			continue;
		j->n++;
		j->log_loss -= log(p[own]);
		j->largest += p[best];
		j->n_right += best == own;
	}
}

/* Log-loss of p divided by their sum. */
static double loss_of_shares(const struct calibration *c, const struct class_curves *e)
{
	double loss = 0;

	for (int64_t i = 0; i < e->n_examples; i++) {
		const double *score = e->score + i * e->n;
		const int own = e->example[i].class_number;
		double sum = 0;

		for (int k = 0; k < e->n; k++)
			sum += calibration_of(&c[k], score[k]).p;
		loss -= log(fmax(calibration_of(&c[own], score[own]).p / sum, 1e-12));
	}
	return loss;
}

/* The objective of calibration_couple(), by curves fitted five times. */
static double plain_objective(const struct class_curves *e, enum calibration_method method,
			      struct coupling by)
{
	struct judgement j = { 0 };
	struct calibration c[MOST_CLASSES];

	for (int part = 0; part < 5; part++) {
		fit_classes(c, e, method, part);
		judge(&j, c, &by, e, part);
		free_classes(c, e->n);
	}
	return j.log_loss + e->n * (by.power - log(by.power) - log(1 - by.noise));
}

/*
 * With wrong labels or without: the largest probability is the share of new rows that are right, within
 * what chance allows in both samples; the log-loss is not above the better one of odds and p over their
 * sums, but for what two numbers fitted to the rows may cost; the noise is found; and it is a minimum.
 */
static void test_coupling(int n, int64_t n_rows, double noise, enum calibration_method method)
{
	struct class_curves e = draw_classes(n, n_rows, noise), new = draw_classes(n, 5000, noise);
	struct coupling by = { .power = 1, .noise = 0.1 }, odds = { .power = 1 };
	struct judgement j = { 0 }, plain = { 0 };
	struct calibration c[MOST_CLASSES];
	struct error err = { 0 };
	double least, right;

	fit_classes(c, &e, method, -1);
	CHECK(calibration_couple(&e, method, &by, &err) == 0, "%s", err.text);
	judge(&j, c, &by, &new, -1);
	judge(&plain, c, &odds, &new, -1);
	right = j.n_right / j.n;
	CHECK(fabs(j.largest / j.n - right) <
		      4 * sqrt(right * (1 - right) * (1 / j.n + 1 / (double)n_rows)),
	      "%g of %g, %d classes, noise %g, method %d", j.largest / j.n, right, n, noise,
	      method);
	least = fmin(plain.log_loss, loss_of_shares(c, &new)) / j.n;
	CHECK(j.log_loss / j.n < least + 0.01, "%g above %g, %d classes, noise %g, method %d",
	      j.log_loss / j.n, least, n, noise, method);
	CHECK(fabs(by.noise - noise) < 0.1, "%g for %g", by.noise, noise);
	least = plain_objective(&e, method, by);
	for (int k = 0; k < 4; k++) {
		struct coupling other = by;

		*(k < 2 ? &other.power : &other.noise) *= k % 2 ? 1.05 : 0.95;
		CHECK(plain_objective(&e, method, other) > least - 1e-4, "%g %g, side %d", by.power,
		      by.noise, k);
	}
	class_curves_free(&e);
	class_curves_free(&new);
	free_classes(c, n);
}

static void test_error(void)
{
	struct calibration_bins bins = { 0 };

	calibration_add(&bins, 0.25, false, 1);
	calibration_add(&bins, 0.25, true, 1);
	calibration_add(&bins, 0.95, true, 2);
	/* bins of means .25 and .95, and of shares .5 and 1 */
	CHECK(fabs(calibration_error(&bins) - (0.25 + 0.05) / 2) < 1e-15, "%g",
	      calibration_error(&bins));
}

/*
 * A new score is below the bound in a share of the draws that is floor(share (n + 1)) / (n + 1),
 * within what chance allows; equal scores make it less.
 */
static void test_coverage(int64_t n, double share, bool ties)
{
	enum { DRAWS = 10000 };
	const double exact = floor(share * (double)(n + 1) + 1e-9) / (double)(n + 1);
	struct roc r = { 0 };
	struct error err = { 0 };
	int64_t below = 0;

	for (int k = 0; k < DRAWS; k++) {
		r.n = 0, r.n_positive = 0;
		for (int64_t i = 0; i < n; i++)
			roc_add(&r, ties ? (double)random_below(9) : random_unit(), 1, &err);
		roc_sort(&r);
		below += (ties ? (double)random_below(9) : random_unit()) <
			 conformal_bound(&r, share);
	}
	CHECK(below <= chance_most(DRAWS, exact), "%d of %d below, share %g of %d", (int)below,
	      DRAWS, share, (int)n);
	CHECK(ties || DRAWS - below <= chance_most(DRAWS, 1 - exact),
	      "only %d of %d below, share %g of %d", (int)below, DRAWS, share, (int)n);
	roc_free(&r);
}

/* The least number of rows has a bound, and one row less has none; for decimals as they are meant. */
static void test_least(void)
{
	static const double share[] = { 0.5,	  0.1,	     1 - 0.9, 0.05,    1 - 0.95,
					1 - 0.99, 1 - 0.999, 0.3,     1 - 0.8, 0.01 };
	static const double least[] = { 1, 9, 9, 19, 19, 99, 999, 3, 4, 99 };
	struct error err = { 0 };

	for (int k = 0; k < 10; k++) {
		struct roc r = { 0 };

		CHECK(conformal_least(share[k]) == least[k], "%g: %g", share[k],
		      conformal_least(share[k]));
		for (int i = 1; i < least[k]; i++)
			roc_add(&r, i, 1, &err);
		roc_sort(&r);
		CHECK(conformal_bound(&r, share[k]) == -INFINITY, "%g", share[k]);
		roc_add(&r, 0, 1, &err);
		roc_sort(&r);
		CHECK(conformal_bound(&r, share[k]) == 0, "%g", share[k]);
		roc_free(&r);
	}
}

int main(void)
{
	test_isotonic();
	test_venn_abers();
	test_sigmoid();
	test_classes();
	for (int method = 0; method < 3; method++)
		for (int noisy = 0; noisy < 2; noisy++) {
			test_coupling(3, 1000, 0.25 * noisy, method);
			test_coupling(5, 1000, 0.25 * noisy, method);
			test_coupling(12, 2000, 0.4 * noisy, method);
		}
	test_error();
	test_coverage(19, 0.05, false);
	test_coverage(99, 0.1, false);
	test_coverage(50, 0.07, false);
	test_coverage(99, 0.1, true);
	test_least();
	return unit_report("calibration");
}
