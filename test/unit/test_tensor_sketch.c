/*
 * test_tensor_sketch.c - sketches of tensor powers: unbiased, of the variance that is proved, and
 * convolutions as defined
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "failing.h"
#include "io/row_batch.h"
#include "matrix/dataset.h"
#include "project/tensor_sketch.h"
#include "random.h"

enum { FEATURES = 9, ROWS = 4, MOST_COLUMNS = 70 };

static struct csr rows;

static void make_rows(void)
{
	static const int32_t col[FEATURES] = { 1, 2, 3, 5, 8, 13, 21, 34, 2147483647 };
	struct error err = { 0 };
	double x[FEATURES];

	for (int i = 0; i < ROWS; i++) {
		for (int j = 0; j < FEATURES; j++)
			x[j] = random_between(-1, 1);
		csr_append_row(&rows, (struct csr_row){ FEATURES - i, col, x }, &err);
	}
}

static struct tensor_options options_of(int degree, double coef0, int64_t k, uint64_t seed)
{
	return (struct tensor_options){ .kernel = { .type = KERNEL_POLYNOMIAL,
						    .degree = degree,
						    .gamma = 0.6,
						    .coef0 = coef0 },
					.seed = seed,
					.n_columns = k };
}

/* The rows mapped, [ROWS][k]. */
static void map_rows(const struct tensor_options *o, double *z)
{
	static double label[ROWS];
	const struct row_batch in = csr_as_batch(&rows, label);
	struct map_room room = { 0 };
	struct tensor_sketch s;
	struct row_batch out = { 0 };
	struct error err = { 0 };

	CHECK(tensor_sketch_init(&s, o, &err) == 0 &&
		      tensor_sketch_apply(&s, (struct row_range){ &in, 0, ROWS }, &out, &room,
					  &err) == 0,
	      "%s", err.text);
	memset(z, 0, (size_t)(ROWS * o->n_columns) * sizeof(*z));
	for (int64_t i = 0; i < out.n_rows; i++)
		for (int64_t e = out.row_start[i]; e < out.row_start[i + 1]; e++)
			z[i * o->n_columns + out.index[e] - 1] = out.value[e];
	row_batch_free(&out);
	map_room_free(&room);
}

static double product(int a, int b)
{
	const struct csr_row x = csr_row_of(&rows, a), y = csr_row_of(&rows, b);
	double sum = 0;

	for (int64_t j = 0; j < x.n && j < y.n; j++)
		sum += x.val[j] * y.val[j];
	return sum;
}

static double kernel(const struct tensor_options *o, int a, int b)
{
	return pow(o->kernel.gamma * product(a, b) + o->kernel.coef0, o->kernel.degree);
}

/*
 * Over seeds: the mean is the kernel to five of its standard errors, and the variance is at most the
 * bound; of a sample of 4,000 it is larger by 1.2 with a chance far below 1e-6, as products have a
 * kurtosis of some tens.
 */
static void test_seeds(int degree, double coef0, int64_t k)
{
	enum { SEEDS = 4000 };
	static double z[ROWS * MOST_COLUMNS];
	double sum[ROWS][ROWS] = { 0 }, square[ROWS][ROWS] = { 0 };
	struct tensor_options o = options_of(degree, coef0, k, 0);

	for (int seed = 0; seed < SEEDS; seed++) {
		o.seed = (uint64_t)seed;
		map_rows(&o, z);
		for (int a = 0; a < ROWS; a++)
			for (int b = 0; b <= a; b++) {
				double error = -kernel(&o, a, b);

				for (int64_t t = 0; t < k; t++)
					error += z[a * k + t] * z[b * k + t];
				sum[a][b] += error / SEEDS;
				square[a][b] += error * error / SEEDS;
			}
	}
	for (int a = 0; a < ROWS; a++)
		for (int b = 0; b <= a; b++) {
			const double most = (pow(3, degree) - 1) / (double)k * kernel(&o, a, a) *
					    kernel(&o, b, b);

			CHECK(fabs(sum[a][b]) <= 5 * sqrt(square[a][b] / SEEDS) + 1e-12,
			      "degree %d, %d columns, rows %d and %d: off by %g, of %g", degree,
			      (int)k, a, b, sum[a][b], sqrt(square[a][b] / SEEDS));
			CHECK(square[a][b] <= 1.2 * most, "rows %d and %d: variance %g, at most %g",
			      a, b, square[a][b], most);
		}
}

/* The definition: a sum over all positions of the sketches, and of tuples of entries. */
static void test_definition(void)
{
	enum { COLUMNS = 11, DEGREE = 3 };
	static const int size_of[] = { 8, 2, 1 };
	const struct tensor_options o = options_of(DEGREE, 0.4, COLUMNS, 5);
	double z[ROWS * COLUMNS], expected[COLUMNS] = { 0 };
	const struct csr_row x = csr_row_of(&rows, 0);
	const int64_t n = x.n + 1;

	map_rows(&o, z);
	for (int block = 0, first = 0; block < 3; first += size_of[block++])
		for (int64_t tuple = 0; tuple < n * n * n; tuple++) {
			double value = sqrt((double)size_of[block] / COLUMNS);
			int place = 0;

			for (int64_t r = 0, left = tuple; r < DEGREE; r++, left /= n) {
				const int64_t e = left % n, t = block * DEGREE + r;
				const uint64_t j =
					e < x.n ? (uint64_t)x.col[e] - 1 : UINT64_C(1) << 32;
				const uint32_t w =
					rng_draw(5, RNG_TENSOR_SKETCH, j, (uint32_t)(t / 4))
						.w[t % 4];

				value *= (w & 1 ? -1 : 1) *
					 (e < x.n ? sqrt(0.6) * x.val[e] : sqrt(0.4));
				place ^= (int)((uint64_t)w * (uint64_t)size_of[block] >> 32);
			}
			expected[first + place] += value;
		}
	for (int t = 0; t < COLUMNS; t++)
		CHECK(fabs(z[t] - expected[t]) < 1e-13, "column %d: %g, not %g", t, z[t],
		      expected[t]);
}

static int attempt(void *arg, struct error *err)
{
	static double label[ROWS];
	const struct row_batch in = csr_as_batch(&rows, label);
	struct tensor_options o = options_of(2, 1, 12, 1);
	struct map_room room = { 0 };
	struct tensor_sketch s;
	struct row_batch out = { 0 };
	int ret;

	(void)arg;
	o.single = true;
	ret = tensor_sketch_init(&s, &o, err);
	if (ret == 0)
		ret = tensor_sketch_apply(&s, (struct row_range){ &in, 0, ROWS }, &out, &room, err);
	row_batch_free(&out);
	map_room_free(&room);
	return ret;
}

static void check_refused(struct tensor_options o)
{
	struct tensor_sketch s;
	struct error err = { 0 };

	CHECK(tensor_sketch_init(&s, &o, &err) < 0 && err.code == ERR_ARGUMENT, "'%s'", err.text);
}

static void test_refusals(void)
{
	struct tensor_options rbf = options_of(2, 1, 4, 1);

	rbf.kernel.type = KERNEL_RBF;
	check_refused(rbf);
	check_refused(options_of(0, 1, 4, 1));
	check_refused(options_of(1001, 1, 4, 1));
	check_refused(options_of(2, -1, 4, 1));
	check_refused(options_of(2, 1, 0, 1));
	check_refused(options_of(2, 1, INT64_C(1) << 31, 1));
}

int main(void)
{
	make_rows();
	test_seeds(1, 0, 8);
	test_seeds(2, 1, 16);
	test_seeds(3, 0.5, 64);
	test_seeds(3, 0.5, 70);
	test_seeds(4, 0.1, 33);
	test_definition();
	fail_each_allocation("a map", attempt, NULL);
	test_refusals();
	csr_free(&rows);
	return unit_report("tensor_sketch");
}
