/*
 * test_fourier.c - random Fourier features: loops against the C library, products against kernels
 *
 * That each value is the one of the definition is tested by test/maps.sh.  Here seeds are fixed,
 * so a run passes always or never; with others each mean, within 4.5 standard errors, would fail
 * with a chance of 7e-6, and each variance, within 5, with one of some 1e-6: for the 48 comparisons
 * less than 1 in 2000.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/instruction_set.h"
#include "failing.h"
#include "project/fourier.h"
#include "project/project_loops.h"
#include "random.h"
#include "unit.h"

/* ---- The loops ---- */

enum { TURNS = 2003, PADDED = 2016 };

static double turns[PADDED] __attribute__((aligned(64)));

static void make_turns(void)
{
	for (int i = 0; i < TURNS; i++)
		turns[i] = random_between(-1, 1) * exp2((double)(random_bits() % 60) - 40);
	for (int i = 0; i < 64; i++)
		turns[i] = (i - 32) / 8.0;
	turns[64] = -0x1p-60;
}

static void test_circle(void)
{
	static double pair[2 * PADDED] __attribute__((aligned(64)));
	const long double two_pi = 6.283185307179586476925286766559L;

	make_turns();
	circle_pairs(turns, TURNS, pair);
	for (int i = 0; i < TURNS; i++) {
		long double angle = two_pi * ((long double)turns[i] - floorl(turns[i]));

		CHECK(fabsl(pair[2 * i] - cosl(angle)) < 0x1p-50 &&
			      fabsl(pair[2 * i + 1] - sinl(angle)) < 0x1p-50,
		      "%.17g turns: %.17g, %.17g", turns[i], pair[2 * i], pair[2 * i + 1]);
	}
	turns[0] = 0x1p50;
	turns[1] = -1e300;
	turns[2] = INFINITY;
	turns[3] = NAN;
	circle_pairs(turns, 4, pair);
	for (int i = 0; i < 2; i++)
		CHECK(pair[2 * i] == 1 && pair[2 * i + 1] == 0, "%g turns: %g, %g", turns[i],
		      pair[2 * i], pair[2 * i + 1]);
	for (int i = 4; i < 8; i++)
		CHECK(isnan(pair[i]), "not finite: %g", pair[i]);
}

enum { INNER = 37, COLUMNS = 41, WIDE = 48, ROWS = 11 };

static double factor[ROWS][INNER], matrix[INNER][COLUMNS];
static double panels[WIDE * INNER] __attribute__((aligned(64)));

static void make_matrices(void)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < INNER; j++)
			factor[i][j] = random_between(-1, 1);
	for (int j = 0; j < INNER; j++)
		for (int t = 0; t < COLUMNS; t++) {
			matrix[j][t] = random_between(-1, 1);
			panels[(t / PANEL_COLUMNS * INNER + j) * PANEL_COLUMNS +
			       t % PANEL_COLUMNS] = matrix[j][t];
		}
}

/* Sums in the order promised, which must be met to the bit; and each row alone. */
static void test_products(void)
{
	double out[ROWS][WIDE], alone[WIDE], each[INNER];

	make_matrices();
	multiply_panels(factor[0], INNER, ROWS, panels, INNER, COLUMNS, out[0], WIDE);
	for (int i = 0; i < ROWS; i++) {
		multiply_panels(factor[i], INNER, 1, panels, INNER, COLUMNS, alone, WIDE);
		for (int t = 0; t < COLUMNS; t++) {
			double sum = 0;

			for (int j = 0; j < INNER; j++)
				sum += factor[i][j] * matrix[j][t];
			CHECK(out[i][t] == sum && alone[t] == sum,
			      "%d, %d: %.17g, %.17g, not %.17g", i, t, out[i][t], alone[t], sum);
		}
	}
	multiply_each(factor[0], factor[1], INNER, each);
	for (int j = 0; j < INNER; j++)
		CHECK(each[j] == factor[0][j] * factor[1][j], "%d: %.17g", j, each[j]);
}

struct results {
	double pair[2 * PADDED] __attribute__((aligned(64)));
	double product[ROWS * WIDE], each[INNER], cauchy[42];
};

static void compute(struct results *r)
{
	struct rng_block block[21];

	for (int e = 0; e < 21; e++)
		block[e] = rng_draw(5, RNG_CAUCHY, 0, (uint32_t)e);
	memset(r, 0, sizeof(*r));
	circle_pairs(turns, PADDED, r->pair);
	multiply_panels(factor[0], INNER, ROWS, panels, INNER, COLUMNS, r->product, WIDE);
	multiply_each(factor[0], factor[1], INNER, r->each);
	cauchy_entries(block, 21, r->cauchy);
}

/* Last of all tests, since the limit stays. */
static void test_instruction_sets(void)
{
	static struct results best, other;

	make_turns();
	compute(&best);
	for (int set = INSTRUCTION_SET_V3; set >= INSTRUCTION_SET_BASELINE; set--) {
		instruction_set_limit((enum instruction_set)set);
		compute(&other);
		CHECK(memcmp(&best, &other, sizeof(best)) == 0, "%s: other bits",
		      instruction_set_name((enum instruction_set)set));
	}
}

/* ---- The map ---- */

enum { MAX_FEATURES = 70, SEEDS = 1500 };

static struct fourier_options options_of(enum map_kernel kernel, int64_t n_features,
					 bool orthogonal, int64_t n_columns)
{
	return (struct fourier_options){ .kernel = kernel,
					 .gamma = 0.4,
					 .seed = 1,
					 .n_columns = n_columns,
					 .n_features = n_features,
					 .orthogonal = orthogonal };
}

/* Two rows of n features, apart by a distance that makes the kernel's value some 0.5. */
static void make_pair(struct row_batch *in, enum map_kernel kernel, int64_t n, bool is_sparse)
{
	struct error err = { 0 };
	double size = 0;

	row_batch_reserve(in, 2, 2 * n, false, &err);
	for (int64_t k = 0; k < 2 * n; k++) {
		in->index[k] = (int32_t)(k % n) + 1;
		in->value[k] = is_sparse && k % n > 1 ? 1 : random_between(-1, 1);
	}
	for (int64_t k = 0; k < n; k++) {
		double difference = fabs(in->value[k] - in->value[n + k]);

		size += kernel == MAP_KERNEL_RBF ? difference * difference : difference;
	}
	size = kernel == MAP_KERNEL_RBF ? sqrt(1.5 / size) : 1.5 / size;
	for (int64_t k = 0; k < 2 * n; k++)
		in->value[k] *= size;
	in->label[0] = in->label[1] = 1;
	in->row_start[0] = 0;
	in->row_start[1] = n;
	in->row_start[2] = 2 * n;
	in->n_rows = 2;
	in->n_entries = 2 * n;
}

/* Product of the two rows' features; zeros are left out of rows. */
static double product_of_features(const struct fourier_options *options, const struct row_batch *in)
{
	struct map_room room = { .cache_bytes = 1 << 14 };
	struct row_batch out = { 0 };
	struct error err = { 0 };
	struct fourier f;
	double sum = 0;

	if (!CHECK(fourier_init(&f, options, &err) == 0 &&
			   fourier_apply(&f, (struct row_range){ in, 0, 2 }, &out, &room, &err) ==
				   0,
		   "%s", err.text))
		return NAN;
	for (int64_t k = 0, l = out.row_start[1]; k < out.row_start[1]; k++) {
		for (; l < out.n_entries && out.index[l] < out.index[k]; l++)
			;
		if (l < out.n_entries && out.index[l] == out.index[k])
			sum += out.value[k] * out.value[l];
	}
	row_batch_free(&out);
	map_room_free(&room);
	fourier_free(&f);
	return sum;
}

/* Mean and variance over seeds, and the standard errors of both. */
struct moments {
	double mean, variance, mean_error, variance_error;
};

static struct moments moments_over_seeds(struct fourier_options options, const struct row_batch *in)
{
	static double value[SEEDS];
	struct moments m = { 0 };
	double fourth = 0;

	for (int s = 0; s < SEEDS; s++) {
		options.seed = (uint64_t)s;
		value[s] = product_of_features(&options, in);
		m.mean += value[s] / SEEDS;
	}
	for (int s = 0; s < SEEDS; s++) {
		double square = (value[s] - m.mean) * (value[s] - m.mean);

		m.variance += square / (SEEDS - 1);
		fourth += square * square / SEEDS;
	}
	m.mean_error = sqrt(m.variance / SEEDS);
	m.variance_error = sqrt((fourth - m.variance * m.variance) / SEEDS);
	return m;
}

/*
 * The kernel's value K at x - y is e^-0.6.  A cosine has the mean K and the variance
 * (1 + K2) / 2 - K^2, K2 being the value at 2 (x - y); a single column, 2 cos a cos b for a random
 * phase, has that variance and the one of the phase, 1/2, more.  Columns weigh 1/k each.
 */
static double independent_variance(const struct fourier_options *o)
{
	double k = (double)o->n_columns, value = exp(-0.6);
	double doubled = exp(o->kernel == MAP_KERNEL_RBF ? -2.4 : -1.2);
	double cosine = (1 + doubled) / 2 - value * value;
	double pairs = floor(k / 2);

	return (4 * pairs * cosine + (o->n_columns % 2 ? cosine + 0.5 : 0)) / (k * k);
}

static void check_moments(const char *name, struct fourier_options options, bool is_sparse)
{
	struct row_batch in = { 0 };
	struct moments m;
	double expected = independent_variance(&options);

	make_pair(&in, options.kernel, options.n_features, is_sparse);
	m = moments_over_seeds(options, &in);
	CHECK(fabs(m.mean - exp(-0.6)) < 4.5 * m.mean_error, "%s: mean %g +- %g, not %g", name,
	      m.mean, m.mean_error, exp(-0.6));
	if (options.orthogonal)
		CHECK(m.variance < expected + 5 * m.variance_error,
		      "%s: variance %g +- %g above %g", name, m.variance, m.variance_error,
		      expected);
	else
		CHECK(fabs(m.variance - expected) < 5 * m.variance_error,
		      "%s: variance %g +- %g, not %g", name, m.variance, m.variance_error,
		      expected);
	/* as many frequencies as features: well below, by the factor that is measured here */
	if (options.orthogonal && options.n_columns == 2 * options.n_features)
		CHECK(m.variance < 0.8 * expected, "%s: variance %g, independent ones have %g",
		      name, m.variance, expected);
	row_batch_free(&in);
}

static void test_moments(void)
{
	static const int64_t columns[] = { 1, 7, 12 };

	for (int i = 0; i < 3; i++) {
		int64_t k = columns[i];

		check_moments("rbf", options_of(MAP_KERNEL_RBF, 5, false, k), false);
		check_moments("laplace", options_of(MAP_KERNEL_LAPLACE, 5, false, k), false);
		check_moments("axes", options_of(MAP_KERNEL_RBF, 5, true, k), false);
		check_moments("transforms", options_of(MAP_KERNEL_RBF, MAX_FEATURES, true, k),
			      false);
	}
	check_moments("full axes", options_of(MAP_KERNEL_RBF, 5, true, 10), false);
	check_moments("full transforms", options_of(MAP_KERNEL_RBF, MAX_FEATURES, true, 140),
		      false);
	check_moments("sparse difference", options_of(MAP_KERNEL_RBF, MAX_FEATURES, true, 140),
		      true);
	check_moments("one feature", options_of(MAP_KERNEL_RBF, 1, true, 4), false);
}

/* ---- Failures ---- */

struct attempt {
	struct fourier_options options;
	const struct row_batch *in;
};

static int attempt_map(void *arg, struct error *err)
{
	const struct attempt *a = arg;
	struct map_room room = { 0 };
	struct row_batch out = { 0 };
	struct fourier f;
	int ret = -1;

	if (fourier_init(&f, &a->options, err) == 0)
		ret = fourier_apply(&f, (struct row_range){ a->in, 0, 2 }, &out, &room, err);
	row_batch_free(&out);
	map_room_free(&room);
	fourier_free(&f);
	return ret;
}

static void test_memory(void)
{
	struct row_batch in = { 0 };
	struct attempt attempt = { options_of(MAP_KERNEL_RBF, MAX_FEATURES, true, 7), &in };

	make_pair(&in, MAP_KERNEL_RBF, MAX_FEATURES, false);
	fail_each_allocation("transforms", attempt_map, &attempt);
	attempt.options.orthogonal = false;
	fail_each_allocation("independent", attempt_map, &attempt);
	make_pair(&in, MAP_KERNEL_RBF, 5, false);
	attempt.options = options_of(MAP_KERNEL_RBF, 5, true, 7);
	fail_each_allocation("axes", attempt_map, &attempt);
	row_batch_free(&in);
}

static void check_refused(struct fourier_options options, const char *text)
{
	struct error err = { 0 };
	struct fourier f;

	CHECK(fourier_init(&f, &options, &err) < 0 && err.code == ERR_ARGUMENT &&
		      strstr(err.text, text) && !f.length && !f.axis,
	      "'%s', not '%s'", err.text, text);
}

static void test_refusals(void)
{
	struct fourier_options o = options_of(MAP_KERNEL_RBF, 5, true, 7);

	o.gamma = NAN;
	check_refused(o, "gamma");
	o.gamma = -1;
	check_refused(o, "gamma");
	check_refused(options_of(MAP_KERNEL_RBF, 5, true, 0), "0 columns");
	check_refused(options_of(MAP_KERNEL_RBF, 5, true, INT64_C(1) << 31), "columns");
	check_refused(options_of(MAP_KERNEL_RBF, 0, true, 7), "not 0");
	check_refused(options_of(MAP_KERNEL_RBF, FOURIER_MAX_ORTHOGONAL + 1, true, 7), "not 16385");
	check_refused(options_of(MAP_KERNEL_LAPLACE, 5, true, 7), "only rbf");
}

int main(void)
{
	test_circle();
	test_products();
	test_moments();
	test_memory();
	test_refusals();
	test_instruction_sets();
	return unit_report("fourier");
}
