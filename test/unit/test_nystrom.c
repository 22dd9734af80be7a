/*
 * test_nystrom.c - Nystrom's map against a plain eigendecomposition, its properties, and samples
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/mem_bound.h"
#include "io/row_batch.h"
#include "matrix/dataset.h"
#include "project/landmarks.h"
#include "project/nystrom.h"
#include "random.h"
#include "unit.h"

enum { MARKS = 12, DATA = 90, FEATURES = 6 };

static const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.3 };
static const struct kernel cubic = {
	.type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0.2, .coef0 = 0.7
};

/* ---- Plainly ---- */

static long double plain_kernel(const struct kernel *kernel, const double *x, const double *y)
{
	long double square = 0, product = 0;

	for (int j = 0; j < FEATURES; j++) {
		square += (x[j] - (long double)y[j]) * (x[j] - (long double)y[j]);
		product += x[j] * (long double)y[j];
	}
	return kernel->type == KERNEL_RBF ?
		       expl(-kernel->gamma * square) :
		       powl(kernel->gamma * product + kernel->coef0, kernel->degree);
}

/* Jacobi's rotations: a becomes diagonal, column k of u an eigenvector. */
static void plain_eigen(long double a[MARKS][MARKS], long double u[MARKS][MARKS], int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			u[i][j] = i == j;
	for (int sweep = 0; sweep < 40; sweep++)
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++) {
				long double angle = atan2l(2 * a[p][q], a[q][q] - a[p][p]) / 2;
				long double c = cosl(angle), s = sinl(angle);

				for (int k = 0; k < n; k++) {
					long double x = a[k][p], y = a[k][q];

					a[k][p] = c * x - s * y;
					a[k][q] = s * x + c * y;
					x = u[k][p];
					y = u[k][q];
					u[k][p] = c * x - s * y;
					u[k][q] = s * x + c * y;
				}
				for (int k = 0; k < n; k++) {
					long double x = a[p][k], y = a[q][k];

					a[p][k] = c * x - s * y;
					a[q][k] = s * x + c * y;
				}
			}
}

/* ---- Data ---- */

/* Rows with all features, and labels of 1. */
static void make_rows(double *x, int n, struct csr *rows)
{
	static const int32_t col[FEATURES] = { 1, 2, 3, 4, 5, 6 };
	struct error err = { 0 };

	for (int i = 0; i < n; i++)
		csr_append_row(rows, (struct csr_row){ FEATURES, col, x + (size_t)i * FEATURES },
			       &err);
}

static void fill(double *x, int n)
{
	for (int k = 0; k < n * FEATURES; k++)
		x[k] = random_between(-1, 1);
}

/* Features of the rows as n rows of n_columns numbers. */
static void map_rows(const struct nystrom *map, const struct csr *rows, double *z)
{
	static double label[DATA];
	const struct row_batch in = csr_as_batch(rows, label);
	struct map_room room = { 0 };
	struct row_batch out = { 0 };
	struct error err = { 0 };

	CHECK(nystrom_apply(map, (struct row_range){ &in, 0, rows->n_rows }, &out, &room, &err) ==
		      0,
	      "%s", err.text);
	memset(z, 0, (size_t)(rows->n_rows * map->n_columns) * sizeof(*z));
	for (int64_t i = 0; i < out.n_rows; i++)
		for (int64_t k = out.row_start[i]; k < out.row_start[i + 1]; k++)
			z[i * map->n_columns + out.index[k] - 1] = out.value[k];
	row_batch_free(&out);
	map_room_free(&room);
}

static double product(const double *x, const double *y, int64_t n)
{
	double sum = 0;

	for (int64_t t = 0; t < n; t++)
		sum += x[t] * y[t];
	return sum;
}

/* ---- The map ---- */

/* K(x, L) K_LL^-1 K(L, y) */
static long double plain_product(const struct kernel *kernel, const double *mark,
				 long double value[MARKS][MARKS], long double u[MARKS][MARKS],
				 const double *x, const double *y)
{
	long double sum = 0;

	for (int t = 0; t < MARKS; t++) {
		long double of_x = 0, of_y = 0;

		for (int l = 0; l < MARKS; l++) {
			of_x += u[l][t] * plain_kernel(kernel, x, mark + (size_t)l * FEATURES);
			of_y += u[l][t] * plain_kernel(kernel, y, mark + (size_t)l * FEATURES);
		}
		sum += of_x * of_y / value[t][t];
	}
	return sum;
}

static void check_map(const char *name, const struct kernel *kernel)
{
	double mark[MARKS * FEATURES], x[DATA * FEATURES], z[DATA * MARKS];
	long double a[MARKS][MARKS], u[MARKS][MARKS];
	struct csr landmarks = { 0 }, rows = { 0 };
	struct nystrom map = { 0 };
	struct error err = { 0 };

	fill(x, DATA);
	memcpy(mark, x, sizeof(mark)); /* the first rows are landmarks */
	make_rows(mark, MARKS, &landmarks);
	make_rows(x, DATA, &rows);
	if (!CHECK(nystrom_fit(&map, &landmarks, kernel, NULL, 2, &err) == 0, "%s", err.text))
		return;
	CHECK(map.n_columns == MARKS && landmarks.n_rows == 0, "%s: rank %d", name,
	      (int)map.n_columns);
	for (int i = 0; i < MARKS; i++)
		for (int j = 0; j < MARKS; j++)
			a[i][j] = plain_kernel(kernel, mark + (size_t)i * FEATURES,
					       mark + (size_t)j * FEATURES);
	plain_eigen(a, u, MARKS);
	map_rows(&map, &rows, z);
	for (int i = 0; i < DATA; i++)
		for (int j = 0; j <= i; j++) {
			const double *of_i = x + (size_t)i * FEATURES,
				     *of_j = x + (size_t)j * FEATURES;
			double got = product(z + (size_t)i * MARKS, z + (size_t)j * MARKS, MARKS);
			double plain = (double)plain_product(kernel, mark, a, u, of_i, of_j);
			double exact = (double)plain_kernel(kernel, of_i, of_j);

			CHECK(fabs(got - plain) < 1e-10, "%s: %d, %d: %.15g, not %.15g", name, i, j,
			      got, plain);
			if (j < MARKS)
				CHECK(fabs(got - exact) < 1e-10,
				      "%s: landmark %d: %.15g, not %.15g", name, j, got, exact);
			if (i == j)
				CHECK(got < exact + 1e-10, "%s: |z|^2 %.15g above %.15g", name, got,
				      exact);
		}
	nystrom_free(&map);
	csr_free(&rows);
}

/* Landmarks that occur twice change no product, and have no columns. */
static void test_repeated(void)
{
	double x[DATA * FEATURES], once[DATA * MARKS], twice[DATA * MARKS];
	struct csr landmarks = { 0 }, doubled = { 0 }, rows = { 0 };
	struct nystrom a = { 0 }, b = { 0 };
	struct error err = { 0 };

	fill(x, DATA);
	make_rows(x, DATA, &rows);
	make_rows(x, MARKS, &landmarks);
	make_rows(x, MARKS, &doubled);
	make_rows(x, MARKS, &doubled);
	CHECK(nystrom_fit(&a, &landmarks, &rbf, NULL, 1, &err) == 0 &&
		      nystrom_fit(&b, &doubled, &rbf, NULL, 1, &err) == 0 && b.n_columns == MARKS &&
		      b.landmarks.n_rows == MARKS,
	      "%s, rank %d", err.text, (int)b.n_columns);
	map_rows(&a, &rows, once);
	map_rows(&b, &rows, twice);
	for (int i = 0; i < DATA; i++)
		for (int j = 0; j < DATA; j++)
			CHECK(fabs(product(once + (size_t)i * MARKS, once + (size_t)j * MARKS,
					   MARKS) -
				   product(twice + (size_t)i * MARKS, twice + (size_t)j * MARKS,
					   MARKS)) < 1e-9,
			      "%d, %d: other products", i, j);
	nystrom_free(&a);
	nystrom_free(&b);
	csr_free(&rows);
}

/* The linear function of degree 1 has the rank of the features, whatever the landmarks. */
static void test_rank(void)
{
	const struct kernel linear = { .type = KERNEL_POLYNOMIAL, .degree = 1, .gamma = 1 };
	double x[DATA * FEATURES];
	struct csr landmarks = { 0 };
	struct nystrom map = { 0 };
	struct error err = { 0 };

	fill(x, DATA);
	make_rows(x, DATA, &landmarks);
	CHECK(nystrom_fit(&map, &landmarks, &linear, NULL, 2, &err) == 0 &&
		      map.n_columns == FEATURES,
	      "%s, rank %d", err.text, (int)map.n_columns);
	nystrom_free(&map);
}

/* A row's values are the same alone, whatever rows are around it, and for any number of threads. */
static void test_alone(void)
{
	double x[DATA * FEATURES], together[DATA * MARKS], alone[MARKS];
	struct csr landmarks = { 0 }, again = { 0 }, rows = { 0 };
	struct nystrom map = { 0 }, other = { 0 };
	struct error err = { 0 };

	fill(x, DATA);
	make_rows(x, DATA, &rows);
	make_rows(x, MARKS, &landmarks);
	make_rows(x, MARKS, &again);
	if (!CHECK(nystrom_fit(&map, &landmarks, &rbf, NULL, 1, &err) == 0 &&
			   nystrom_fit(&other, &again, &rbf, NULL, 4, &err) == 0,
		   "%s", err.text))
		return;
	CHECK(memcmp(map.inverse, other.inverse, sizeof(double) * MARKS * (MARKS + 1) / 2) == 0,
	      "threads change the map");
	map_rows(&map, &rows, together);
	for (int i = 0; i < DATA; i++) {
		struct csr row = { 0 };

		make_rows(x + (size_t)i * FEATURES, 1, &row);
		map_rows(&map, &row, alone);
		CHECK(memcmp(alone, together + (size_t)i * MARKS, sizeof(alone)) == 0, "row %d", i);
		csr_free(&row);
	}
	nystrom_free(&map);
	nystrom_free(&other);
	csr_free(&rows);
}

/* ---- Samples ---- */

static uint64_t key_of(int64_t row)
{
	return rng_first64(rng_draw(7, RNG_LANDMARK, (uint64_t)row, 0));
}

/* Rows come in batches of some sizes; the sample is the one of the definition. */
static void check_sample(int64_t wanted, int64_t batch_rows)
{
	enum { ROWS = 1000 };
	struct landmark_sample s = { .n_wanted = wanted, .seed = 7 };
	struct csr sample = { 0 };
	struct error err = { 0 };
	int64_t found = 0;

	for (int64_t first = 0; first < ROWS; first += batch_rows) {
		double value[ROWS], label[ROWS] = { 0 };
		int64_t start[ROWS + 1], n = ROWS - first < batch_rows ? ROWS - first : batch_rows;
		int32_t index[ROWS];
		struct row_batch in = { .n_rows = n,
					.n_entries = n,
					.label = label,
					.row_start = start,
					.index = index,
					.value = value };

		for (int64_t i = 0; i <= n; i++)
			start[i] = i;
		for (int64_t i = 0; i < n; i++) {
			index[i] = 1;
			value[i] = (double)(first + i);
		}
		CHECK(landmark_sample_add(&s, &in, &err) == 0, "%s", err.text);
	}
	CHECK(s.rows.n_rows < 2 * wanted || s.rows.n_rows == ROWS, "%d rows kept",
	      (int)s.rows.n_rows);
	CHECK(landmark_sample_take(&s, &sample, &err) == 0, "%s", err.text);
	for (int64_t i = 0; i < ROWS; i++) {
		int64_t rank = 0;

		for (int64_t j = 0; j < ROWS; j++)
			rank += key_of(j) < key_of(i);
		if (rank >= wanted)
			continue;
		CHECK(found < sample.n_rows && sample.val[found] == (double)i,
		      "%d of %d: row %d is missing", (int)found, (int)sample.n_rows, (int)i);
		found++;
	}
	CHECK(found == sample.n_rows, "%d rows, not %d", (int)sample.n_rows, (int)found);
	landmark_sample_free(&s);
	csr_free(&sample);
}

static void test_samples(void)
{
	check_sample(1, 1000);
	check_sample(10, 7);
	check_sample(10, 1000);
	check_sample(499, 13);
	check_sample(501, 13);
	check_sample(1000, 100);
	check_sample(5000, 100);
}

/* ---- Failures ---- */

static int attempt_map(int64_t n, struct error *err)
{
	static double x[DATA * FEATURES], label[DATA];
	struct csr rows = { 0 }, landmarks = { 0 };
	struct map_room room = { 0 };
	struct row_batch out = { 0 };
	struct nystrom map = { 0 };
	struct landmark_sample s = { .n_wanted = MARKS, .seed = 1 };
	struct row_batch in;
	int ret = -1;

	make_rows(x, DATA, &rows);
	in = csr_as_batch(&rows, label);
	mem_fail_after(n); /* the rows are not what is tested */
	if (landmark_sample_add(&s, &in, err) == 0 &&
	    landmark_sample_take(&s, &landmarks, err) == 0 &&
	    nystrom_fit(&map, &landmarks, &rbf, NULL, 1, err) == 0)
		ret = nystrom_apply(&map, (struct row_range){ &in, 0, DATA }, &out, &room, err);
	mem_fail_after(-1);
	csr_free(&landmarks);
	landmark_sample_free(&s);
	map_room_free(&room);
	nystrom_free(&map);
	row_batch_free(&out);
	csr_free(&rows);
	return ret;
}

static void test_memory(void)
{
	for (int64_t n = 0, ret = -1; ret < 0; n++) {
		struct error err = { 0 };

		ret = attempt_map(n, &err);
		if (!CHECK(ret == 0 || err.code == ERR_MEMORY, "%d allocations: '%s'", (int)n,
			   err.text))
			return;
	}
}

static void check_refused(const struct kernel *kernel, double value, enum error_code code)
{
	double x[2 * FEATURES];
	struct csr landmarks = { 0 };
	struct nystrom map = { 0 };
	struct error err = { 0 };

	for (int k = 0; k < 2 * FEATURES; k++)
		x[k] = value;
	if (value >= 0)
		make_rows(x, 2, &landmarks);
	CHECK(nystrom_fit(&map, &landmarks, kernel, NULL, 1, &err) < 0 && err.code == code &&
		      !map.inverse && !map.landmarks.val && !landmarks.val,
	      "code %d: '%s'", err.code, err.text);
}

static void test_refusals(void)
{
	const struct kernel sigmoid = { .type = KERNEL_SIGMOID, .gamma = 1 };
	const struct kernel product = { .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 1 };
	struct kernel negative = cubic;

	negative.coef0 = -1;
	check_refused(&rbf, -1, ERR_ARGUMENT); /* no landmark */
	check_refused(&sigmoid, 1, ERR_ARGUMENT);
	check_refused(&negative, 1, ERR_ARGUMENT);
	check_refused(&product, 0, ERR_NUMERIC);
	check_refused(&product, 1e100, ERR_NUMERIC);
}

int main(void)
{
	check_map("rbf", &rbf);
	check_map("cubic", &cubic);
	test_repeated();
	test_rank();
	test_alone();
	test_samples();
	test_memory();
	test_refusals();
	return unit_report("nystrom");
}
