/*
 * test_synthetic.c - portable functions, normal numbers, synthetic data
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/mem_bound.h"
#include "base/rng.h"
#include "matrix/synthetic.h"
#include "random.h"
#include "unit.h"

#define PI 3.14159265358979323846

/* ---- Logarithm and circle ---- */

static void test_log(void)
{
	for (int i = 0; i < 200000; i++) {
		double x =
			i % 2 ? random_unit() : ldexp(random_unit(), (int)random_below(1900) - 950);
		double expected = log(x), got = elementary_log(x);

		CHECK(fabs(got - expected) <= 4 * DBL_EPSILON * fabs(expected), "ln %a: %a, not %a",
		      x, got, expected);
	}
	CHECK(elementary_log(1) == 0, "ln 1: %a", elementary_log(1));
	CHECK(elementary_log(2) == log(2), "ln 2: %a", elementary_log(2));
}

static void test_circle(void)
{
	for (int i = 0; i < 200000; i++) {
		double t = (i % 3 - 1) * rng_unit(random_bits());
		double c, s;

		elementary_circle(t, &c, &s);
		CHECK(fabs(c - cos(2 * PI * t)) < 8 * DBL_EPSILON, "cos of %a turns: %a", t, c);
		CHECK(fabs(s - sin(2 * PI * t)) < 8 * DBL_EPSILON, "sin of %a turns: %a", t, s);
	}
	for (int quarter = -8; quarter <= 8; quarter++) {
		static const double x[] = { 1, 0, -1, 0 };
		double c, s;

		elementary_circle(quarter / 4.0, &c, &s);
		CHECK(c == x[quarter & 3], "cos of %d quarters: %g", quarter, c);
		CHECK(s == x[(quarter + 3) & 3], "sin of %d quarters: %g", quarter, s);
	}
}

/* The bits themselves, so that a machine or compiler where they differ is found. */
static void test_bits(void)
{
	double z[2];

	rng_normals(rng_draw(1, RNG_MADE_VALUE, 0, 0), z);
	CHECK(z[0] == -0x1.53f1a2a34cf7ap+0 && z[1] == -0x1.ec8352269f3c2p-1, "%a %a", z[0], z[1]);
}

/* The first four moments, and how many are beyond 3. */
static void test_normals(void)
{
	enum { PAIRS = 200000 };
	double sum[5] = { 0 }, product = 0, n = 2 * PAIRS;
	int far = 0;

	for (uint32_t b = 0; b < PAIRS; b++) {
		double z[2];

		rng_normals(rng_draw(7, RNG_MADE_VALUE, 0, b), z);
		product += z[0] * z[1];
		for (int i = 0; i < 2; i++) {
			far += fabs(z[i]) > 3;
			for (int power = 1; power <= 4; power++)
				sum[power] += pow(z[i], power);
		}
	}
	CHECK(fabs(sum[1]) < 5 * sqrt(n), "mean %g", sum[1] / n);
	CHECK(fabs(sum[2] - n) < 5 * sqrt(2 * n), "variance %g", sum[2] / n);
	CHECK(fabs(sum[3]) < 5 * sqrt(15 * n), "third moment %g", sum[3] / n);
	CHECK(fabs(sum[4] - 3 * n) < 5 * sqrt(96 * n), "fourth moment %g", sum[4] / n);
	CHECK(fabs(far - 0.0026998 * n) < 5 * sqrt(0.0027 * n), "%d beyond 3", far);
	CHECK(fabs(product) < 5 * sqrt(n / 2), "correlation %g", product / n);
}

/* ---- Data ---- */

enum { ROWS = 100000, MAX_FEATURES = 50 };

/* A generator that must come about, with this many features. */
static struct synthetic_data make(struct synthetic_options options)
{
	struct synthetic_data g;
	struct error err = { 0 };

	options.seed = 3;
	CHECK(synthetic_init(&g, &options, &err) == 0, "%s", err.text);
	return g;
}

/* The share of 'wrong' among ROWS must be 'expected'; standard errors allowed: 5. */
static void check_share(const char *what, int64_t wrong, double expected)
{
	double error = sqrt(expected * (1 - expected) / ROWS);

	CHECK(fabs((double)wrong / ROWS - expected) <= 5 * error, "%s: %g, not %g", what,
	      (double)wrong / ROWS, expected);
}

/* Sums over the rows of a class. */
struct moments {
	int64_t n;
	double sum[MAX_FEATURES], squares[MAX_FEATURES];
};

/* Moments of the rows with label -1 and with +1; 'errors' counts those that 'rule' mistakes. */
static void measure(const struct synthetic_data *g, struct moments side[2],
		    double (*rule)(const double *x, int64_t d), int64_t *errors)
{
	double x[MAX_FEATURES];

	memset(side, 0, 2 * sizeof(*side));
	*errors = 0;
	for (int64_t i = 0; i < ROWS; i++) {
		double y = synthetic_row(g, i, x);
		struct moments *m = &side[y > 0];

		CHECK(y == 1 || y == -1, "label %g", y);
		m->n++;
		*errors += y * rule(x, g->options.n_features) <= 0;
		for (int64_t j = 0; j < g->options.n_features; j++) {
			m->sum[j] += x[j];
			m->squares[j] += x[j] * x[j];
		}
	}
}

static void check_moments(const struct moments *m, int64_t j, double mean, double variance)
{
	double n = (double)m->n, got = m->sum[j] / n;

	CHECK(fabs(got - mean) < 5 * sqrt(variance / n), "mean %g, not %g", got, mean);
	got = m->squares[j] / n - got * got;
	CHECK(fabs(got - variance) < 5 * variance * sqrt(2 / n), "variance %g, not %g", got,
	      variance);
}

static double sum_rule(const double *x, int64_t d)
{
	double sum = 0;

	for (int64_t j = 0; j < d; j++)
		sum += x[j];
	return sum;
}

static void test_twonorm(void)
{
	static const int64_t features[] = { 20, 1, 7, MAX_FEATURES };

	for (size_t f = 0; f < sizeof(features) / sizeof(features[0]); f++) {
		int64_t d = features[f], errors;
		struct synthetic_data g = make(
			(struct synthetic_options){ .kind = SYNTHETIC_TWONORM, .n_features = d });
		struct moments side[2];

		measure(&g, side, sum_rule, &errors);
		check_share("Bayes error", errors, 0.5 * erfc(sqrt(2)));
		check_share("positive", side[1].n, 0.5);
		for (int64_t j = 0; j < d; j++) {
			check_moments(&side[0], j, -2 / sqrt((double)d), 1);
			check_moments(&side[1], j, 2 / sqrt((double)d), 1);
		}
	}
}

/* log of the two densities' ratio, for class 1 of mean 0 */
static double ring_rule(const double *x, int64_t d)
{
	double a = 2 / sqrt((double)d), sum = -(double)d * log(4);

	for (int64_t j = 0; j < d; j++)
		sum += (x[j] - a) * (x[j] - a) - x[j] * x[j] / 4;
	return sum;
}

/* likewise, of mean 1 */
static double printed_rule(const double *x, int64_t d)
{
	double a = 2 / sqrt((double)d), sum = -(double)d * log(4);

	for (int64_t j = 0; j < d; j++)
		sum += (x[j] - a) * (x[j] - a) - (x[j] - 1) * (x[j] - 1) / 4;
	return sum;
}

static void test_ringnorm(void)
{
	for (int printed = 0; printed < 2; printed++) {
		struct synthetic_data g = make((struct synthetic_options){
			.kind = SYNTHETIC_RINGNORM, .printed = printed });
		struct moments side[2];
		int64_t errors;

		CHECK(g.options.n_features == 20, "%d features", (int)g.options.n_features);
		measure(&g, side, printed ? printed_rule : ring_rule, &errors);
		CHECK(fabs((double)errors / ROWS - (printed ? 0.0108 : 0.0126)) < 0.0015,
		      "Bayes error %g", (double)errors / ROWS);
		check_share("positive", side[1].n, 0.5);
		for (int64_t j = 0; j < 20; j++) {
			check_moments(&side[0], j, 2 / sqrt(20), 1);
			check_moments(&side[1], j, printed, 4);
		}
	}
}

static double board_rule(const double *x, int64_t d)
{
	(void)d;
	return (int)ceil(x[0]) % 2 == (int)ceil(x[1]) % 2 ? 1 : -1;
}

static void test_checkerboard(void)
{
	struct synthetic_data g =
		make((struct synthetic_options){ .kind = SYNTHETIC_CHECKERBOARD });
	int64_t errors, cells[4][4] = { { 0 } };
	struct moments side[2];

	measure(&g, side, board_rule, &errors);
	CHECK(errors == 0, "%d wrong", (int)errors);
	check_share("positive", side[1].n, 0.5);
	for (int64_t i = 0; i < ROWS; i++) {
		double x[2];

		synthetic_row(&g, i, x);
		if (CHECK(x[0] >= 0 && x[0] <= 4 && x[1] >= 0 && x[1] <= 4, "%g %g", x[0], x[1]))
			cells[x[0] < 4 ? (int)x[0] : 3][x[1] < 4 ? (int)x[1] : 3]++;
	}
	for (int i = 0; i < 16; i++)
		check_share("cell", cells[i / 4][i % 4], 1 / 16.0);
}

static void test_friedman(void)
{
	struct synthetic_data g = make((struct synthetic_options){ .kind = SYNTHETIC_FRIEDMAN });
	double sum = 0, squares = 0, x[MAX_FEATURES], range[2] = { 1, 0 };

	CHECK(g.options.n_features == 10, "%d features", (int)g.options.n_features);
	for (int64_t i = 0; i < ROWS; i++) {
		double z = synthetic_row(&g, i, x);

		z -= 10 * sin(PI * x[0] * x[1]) + 20 * pow(x[2] - 0.5, 2) + 10 * x[3] + 5 * x[4];
		sum += z;
		squares += z * z;
		for (int j = 0; j < 10; j++) {
			range[0] = fmin(range[0], x[j]);
			range[1] = fmax(range[1], x[j]);
		}
	}
	CHECK(fabs(sum) < 5 * sqrt(ROWS), "mean %g of the noise", sum / ROWS);
	CHECK(fabs(squares - ROWS) < 5 * sqrt(2 * ROWS), "its variance %g", squares / ROWS);
	CHECK(range[0] >= 0 && range[0] < 1e-3 && range[1] <= 1 && range[1] > 0.999,
	      "features from %g to %g", range[0], range[1]);
}

static void test_separable(void)
{
	static const double tau[] = { 0, 1.0364, -0.5 };

	for (size_t t = 0; t < sizeof(tau) / sizeof(tau[0]); t++) {
		struct synthetic_data g = make((struct synthetic_options){
			.kind = SYNTHETIC_SEPARABLE, .n_features = 30, .tau = tau[t] });
		int64_t positive = 0;
		double x[MAX_FEATURES], length = 0;

		for (int j = 0; j < 30; j++)
			length += g.plane[j] * g.plane[j];
		CHECK(fabs(length - 1) < 1e-14, "|w|^2 = %g", length);
		for (int64_t i = 0; i < ROWS; i++) {
			double y = synthetic_row(&g, i, x), distance = -tau[t];

			for (int j = 0; j < 30; j++)
				distance += g.plane[j] * x[j];
			CHECK(y * distance >= 0, "label %g at distance %g", y, distance);
			positive += y > 0;
		}
		check_share("positive", positive, 0.5 * erfc(tau[t] / sqrt(2)));
		synthetic_free(&g);
	}
}

static double first_feature_rule(const double *x, int64_t d)
{
	(void)d;
	return -x[0];
}

static void test_relevant(void)
{
	struct synthetic_data g = make((struct synthetic_options){
		.kind = SYNTHETIC_RELEVANT, .n_features = 12, .n_relevant = 5 });
	struct moments side[2];
	int64_t errors;

	measure(&g, side, first_feature_rule, &errors);
	check_share("error by feature 1", errors, 0.5 * erfc(sqrt(0.5)));
	check_share("positive", side[1].n, 0.5);
	for (int64_t j = 0; j < 12; j++) {
		check_moments(&side[0], j, j < 5 ? (double)(j + 1) : 0, 1);
		check_moments(&side[1], j, j < 5 ? -(double)(j + 1) : 0, 1);
	}
}

/* Noise turns labels round, this share of them, and nothing else. */
static void test_noise(void)
{
	static const double noise[] = { 0.1, 0.75, 1 };
	struct synthetic_data clean =
		make((struct synthetic_options){ .kind = SYNTHETIC_CHECKERBOARD });

	for (size_t t = 0; t < sizeof(noise) / sizeof(noise[0]); t++) {
		struct synthetic_data g = make((struct synthetic_options){
			.kind = SYNTHETIC_CHECKERBOARD, .noise = noise[t] });
		int64_t turned = 0;

		for (int64_t i = 0; i < ROWS; i++) {
			double x[2], same_x[2];

			turned += synthetic_row(&g, i, x) != synthetic_row(&clean, i, same_x);
			CHECK(!memcmp(x, same_x, sizeof(x)), "other features");
		}
		check_share("turned round", turned, noise[t]);
	}
}

/* Rows are the same in any order, and differ by seed and number. */
static void test_rows_stand_alone(void)
{
	for (int kind = 0; synthetic_names[kind]; kind++) {
		struct synthetic_options options = { .kind = (enum synthetic_kind)kind, .seed = 1 };
		struct error err = { 0 };
		struct synthetic_data g, other;
		double *x = malloc(5000 * sizeof(*x)), *again = malloc(5000 * sizeof(*x));
		int64_t late = INT64_C(9000000000000000);
		double y;

		CHECK(synthetic_init(&g, &options, &err) == 0, "%s", err.text);
		options.seed = 2;
		CHECK(synthetic_init(&other, &options, &err) == 0, "%s", err.text);
		y = synthetic_row(&g, late, x);
		synthetic_row(&g, 0, again);
		CHECK(x[0] != again[0], "%s: rows are equal", synthetic_names[kind]);
		CHECK(synthetic_row(&g, late, again) == y, "%s: another label",
		      synthetic_names[kind]);
		CHECK(!memcmp(x, again, (size_t)g.options.n_features * sizeof(*x)),
		      "%s: another row", synthetic_names[kind]);
		synthetic_row(&other, late, again);
		CHECK(x[0] != again[0], "%s: seeds are equal", synthetic_names[kind]);
		synthetic_free(&g);
		synthetic_free(&other);
		free(x);
		free(again);
	}
}

/* ---- Text ---- */

enum { TEXT_ROWS = 20000, TEXT_WORDS = 400 };

static struct synthetic_text make_text(struct synthetic_text_options options)
{
	struct synthetic_text t;
	struct error err = { 0 };

	options.seed = 3;
	CHECK(synthetic_text_init(&t, &options, &err) == 0, "%s", err.text);
	return t;
}

/*
 * The first word drawn follows Zipf's law; it is that of rows of one word, which are made by one
 * draw.  Their length is 1.
 */
static void test_text_law(void)
{
	struct synthetic_text t = make_text((struct synthetic_text_options){
		.n_features = TEXT_WORDS, .n_words = 1, .n_relevant = 5 });
	struct synthetic_words row;
	struct error err = { 0 };
	int64_t count[TEXT_WORDS] = { 0 };
	double sum = 0;

	CHECK(synthetic_words_init(&row, &t, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < ROWS; i++) {
		synthetic_text_row(&t, i, &row);
		if (CHECK(row.n == 1 && row.val[0] == 1, "%d words", (int)row.n))
			count[row.col[0]]++;
	}
	for (int j = 0; j < TEXT_WORDS; j++)
		sum += 1.0 / (j + 1);
	for (int j = 0; j < 20; j++)
		check_share("word", count[j], 1 / ((j + 1) * sum));
	synthetic_words_free(&row);
	synthetic_text_free(&t);
}

/*
 * Columns ascend, rows have the length 1 and labels the side of w.x > b before noise; the mean
 * number of words is that asked for, and as many rows are positive as negative.
 */
static void test_text_rows(void)
{
	struct synthetic_text t = make_text((struct synthetic_text_options){
		.n_features = 5000, .n_words = 30, .n_relevant = 2500 });
	struct synthetic_words row;
	struct error err = { 0 };
	int64_t n_words = 0, n_positive = 0, n_relevant = 0;

	CHECK(synthetic_words_init(&row, &t, &err) == 0, "%s", err.text);
	for (int64_t j = 0; j < 5000; j++)
		n_relevant += t.direction[j] != 0;
	CHECK(n_relevant == 2500, "%d relevant words", (int)n_relevant);
	for (int64_t i = 0; i < TEXT_ROWS; i++) {
		double y = synthetic_text_row(&t, i, &row), product = 0, norm2 = 0;

		for (int64_t k = 0; k < row.n; k++) {
			CHECK(k == 0 || row.col[k] > row.col[k - 1], "columns do not ascend");
			CHECK(row.val[k] > 0, "value %g", row.val[k]);
			norm2 += row.val[k] * row.val[k];
			product += t.direction[row.col[k]] * row.val[k];
		}
		CHECK(fabs(norm2 - 1) < 1e-6, "|x|^2 = %g", norm2);
		CHECK(y == (product > t.threshold ? 1 : -1), "label %g at %g", y, product);
		n_words += row.n;
		n_positive += y > 0;
	}
	CHECK(fabs((double)n_words / TEXT_ROWS - 30) < 1, "%g words a row",
	      (double)n_words / TEXT_ROWS);
	CHECK(fabs((double)n_positive / TEXT_ROWS - 0.5) < 0.06, "%g positive",
	      (double)n_positive / TEXT_ROWS);
	for (int64_t j = 0; j < 5000; j++)
		CHECK(row.times[j] == 0, "counts are left");
	synthetic_words_free(&row);
	synthetic_text_free(&t);
}

/* A row does not depend on the rows made before; another seed makes another one. */
static void test_text_rows_stand_alone(void)
{
	struct synthetic_text_options options = { .n_words = 50, .seed = 3 };
	struct synthetic_text t = make_text(options), other;
	struct synthetic_words row, again;
	struct error err = { 0 };
	double y, z;

	options.seed = 4;
	CHECK(synthetic_text_init(&other, &options, &err) == 0, "%s", err.text);
	CHECK(synthetic_words_init(&row, &t, &err) == 0, "%s", err.text);
	CHECK(synthetic_words_init(&again, &t, &err) == 0, "%s", err.text);
	y = synthetic_text_row(&t, INT64_C(9000000000000000), &row);
	synthetic_text_row(&t, 0, &again);
	z = synthetic_text_row(&t, INT64_C(9000000000000000), &again);
	CHECK(y == z && row.n == again.n, "another row");
	CHECK(!memcmp(row.col, again.col, (size_t)row.n * sizeof(*row.col)), "other words");
	CHECK(!memcmp(row.val, again.val, (size_t)row.n * sizeof(*row.val)), "other values");
	synthetic_text_row(&other, INT64_C(9000000000000000), &again);
	CHECK(row.n != again.n || memcmp(row.col, again.col, (size_t)row.n * sizeof(*row.col)),
	      "seeds are equal");
	synthetic_words_free(&row);
	synthetic_words_free(&again);
	synthetic_text_free(&t);
	synthetic_text_free(&other);
}

static void test_text_memory(void)
{
	struct synthetic_text_options options = { .n_words = 10, .n_features = 100 };
	struct error err = { 0 };
	struct synthetic_text t = { 0 };
	int n = 0;

	for (;; n++) {
		int ret;

		err = (struct error){ 0 };
		mem_fail_after(n);
		ret = synthetic_text_init(&t, &options, &err);
		mem_fail_after(-1);
		if (ret == 0)
			break;
		CHECK(err.code == ERR_MEMORY && !t.idf, "%s", err.text);
	}
	CHECK(n >= 7, "%d allocations", n);
	synthetic_text_free(&t);
}

static void expect_refusal(struct synthetic_options options, const char *text)
{
	struct synthetic_data g;
	struct error err = { 0 };

	CHECK(synthetic_init(&g, &options, &err) == -1 && err.code == ERR_ARGUMENT, "taken: %s",
	      text);
	CHECK(!strcmp(err.text, text), "'%s', not '%s'", err.text, text);
	CHECK(!g.plane && g.options.n_features == 0, "not empty");
}

static void test_refusals(void)
{
	struct synthetic_options o = { .kind = SYNTHETIC_CHECKERBOARD, .n_features = 3 };

	expect_refusal(o, "checkerboard has 2 features, not 3");
	o = (struct synthetic_options){ .kind = SYNTHETIC_FRIEDMAN, .n_features = 4 };
	expect_refusal(o, "friedman has 5 or more features, not 4");
	o = (struct synthetic_options){ .kind = SYNTHETIC_FRIEDMAN, .noise = 0.1 };
	expect_refusal(o, "friedman has no labels to turn round");
	o = (struct synthetic_options){ .kind = SYNTHETIC_TWONORM, .n_features = -1 };
	expect_refusal(o, "twonorm has 1 or more features, not -1");
	o = (struct synthetic_options){ .kind = SYNTHETIC_TWONORM, .noise = 1.5 };
	expect_refusal(o, "noise 1.5 is not between 0 and 1");
	o = (struct synthetic_options){ .kind = SYNTHETIC_TWONORM, .noise = NAN };
	expect_refusal(o, "noise nan is not between 0 and 1");
	o = (struct synthetic_options){ .kind = SYNTHETIC_RELEVANT,
					.n_features = 9,
					.n_relevant = 10 };
	expect_refusal(o, "10 of 9 features cannot be relevant");
}

static void test_text_refusals(void)
{
	static const struct {
		struct synthetic_text_options options;
		const char *text;
	} refused[] = {
		{ { .n_features = 7, .n_words = 1 }, "text has 8 or more features, not 7" },
		{ { .n_features = 40, .n_words = 11 },
		  "11 words a row: must be 1 to a quarter of the 40 features" },
		{ { .n_words = 0 }, "0 words a row: must be 1 to a quarter of the 50000 features" },
		{ { .n_features = 40, .n_words = 5, .n_relevant = 41 },
		  "41 of 40 features cannot be relevant" },
		{ { .n_words = 5, .noise = NAN }, "noise nan is not between 0 and 1" },
	};

	for (size_t k = 0; k < sizeof(refused) / sizeof(refused[0]); k++) {
		struct synthetic_text t;
		struct error err = { 0 };

		CHECK(synthetic_text_init(&t, &refused[k].options, &err) == -1 &&
			      err.code == ERR_ARGUMENT,
		      "taken: %s", refused[k].text);
		CHECK(!strcmp(err.text, refused[k].text), "'%s', not '%s'", err.text,
		      refused[k].text);
	}
}

static void test_memory(void)
{
	struct synthetic_options options = { .kind = SYNTHETIC_SEPARABLE };
	struct error err = { 0 };
	struct synthetic_data g;

	mem_fail_after(0);
	CHECK(synthetic_init(&g, &options, &err) == -1 && err.code == ERR_MEMORY, "%s", err.text);
	mem_fail_after(-1);
	CHECK(!g.plane, "something is left");
	synthetic_free(&g);
}

int main(void)
{
	test_log();
	test_circle();
	test_bits();
	test_normals();
	test_twonorm();
	test_ringnorm();
	test_checkerboard();
	test_friedman();
	test_separable();
	test_relevant();
	test_noise();
	test_rows_stand_alone();
	test_text_law();
	test_text_rows();
	test_text_rows_stand_alone();
	test_text_memory();
	test_text_refusals();
	test_refusals();
	test_memory();
	return unit_report("synthetic");
}
