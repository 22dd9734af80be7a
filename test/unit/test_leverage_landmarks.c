/*
 * test_leverage_landmarks.c - ridge leverage scores against exact ones, and what is drawn by them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>
#include <string.h>

#include "base/mem_bound.h"
#include "base/rng.h"
#include "matrix/dataset.h"
#include "project/landmarks.h"
#include "project/nystrom.h"
#include "random.h"
#include "unit.h"

enum { ROWS = 403, FEATURES = 3, WANTED = 30, SEEDS = 12 };

static const struct kernel rbf = { .type = KERNEL_RBF, .gamma = 0.1 };

/* A cluster of 360 rows, one of 30, one of 10, and three rows that are far from all others. */
static double x[ROWS][FEATURES];
static struct csr rows;

static void make_rows(void)
{
	static const int32_t col[FEATURES] = { 1, 2, 3 };
	struct error err = { 0 };

	for (int i = 0; i < ROWS; i++) {
		double centre = i < 360 ? 0 : i < 390 ? 6 : i < 400 ? 12 : 20 + 6 * (i - 400);

		for (int j = 0; j < FEATURES; j++)
			x[i][j] = centre + random_between(-1, 1);
		csr_append_row(&rows, (struct csr_row){ FEATURES, col, x[i] }, &err);
	}
}

static struct leverage_choice choice(uint64_t seed, int n_threads)
{
	return (struct leverage_choice){ rbf, WANTED, seed, n_threads };
}

/* ---- Exactly ---- */

static double plain_kernel(int a, int b)
{
	double square = 0;

	for (int j = 0; j < FEATURES; j++)
		square += (x[a][j] - x[b][j]) * (x[a][j] - x[b][j]);
	return exp(-rbf.gamma * square);
}

/* 1 - lambda (K + lambda I)^-1_ii, the inverse by Gauss's and Jordan's steps in place */
static void exact_scores(double lambda, double *score)
{
	static double a[ROWS][ROWS];

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < ROWS; j++)
			a[i][j] = plain_kernel(i, j) + (i == j ? lambda : 0);
	for (int p = 0; p < ROWS; p++) {
		double pivot = a[p][p];

		a[p][p] = 1;
		for (int j = 0; j < ROWS; j++)
			a[p][j] /= pivot;
		for (int i = 0; i < ROWS; i++) {
			double factor = a[i][p];

			if (i == p)
				continue;
			a[i][p] = 0;
			for (int j = 0; j < ROWS; j++)
				a[i][j] -= factor * a[p][j];
		}
	}
	for (int i = 0; i < ROWS; i++)
		score[i] = 1 - lambda * a[i][i];
}

/* ---- Scores ---- */

/*
 * The theory's bounds are 1 / 1.5 for a row and 6 for the sum: scores by half of the rows are twice
 * those by all on average, and a sample makes three times of them at most.
 */
static void test_scores(void)
{
	double score[ROWS], exact[ROWS], lambda = 0;
	struct error err = { 0 };

	for (uint64_t seed = 1; seed <= 4; seed++) {
		const struct leverage_choice c = choice(seed, 2);
		double sum = 0, dimension = 0, least = INFINITY;

		CHECK(leverage_scores(&rows, &c, score, &lambda, &err) == 0, "%s", err.text);
		exact_scores(lambda, exact);
		for (int i = 0; i < ROWS; i++) {
			sum += score[i];
			dimension += exact[i];
			least = fmin(least, score[i] / exact[i]);
		}
		CHECK(least > 1 / 1.5, "seed %d: a score is %g times the exact one", (int)seed,
		      least);
		CHECK(sum < 6 * dimension, "seed %d: scores of %g, exact %g", (int)seed, sum,
		      dimension);
	}
}

static void test_threads(void)
{
	double one[ROWS], more[ROWS], lambda[2];
	struct error err = { 0 };

	for (int n = 1; n <= 7; n += 2) {
		const struct leverage_choice c = choice(5, n);

		CHECK(leverage_scores(&rows, &c, n == 1 ? one : more, &lambda[n > 1], &err) == 0,
		      "%s", err.text);
		CHECK(n == 1 || (memcmp(one, more, sizeof(one)) == 0 && lambda[0] == lambda[1]),
		      "%d threads change the scores", n);
	}
}

/* ---- Landmarks ---- */

/* Is row i among the landmarks? */
static bool has_row(const struct csr *landmarks, int i)
{
	for (int64_t l = 0; l < landmarks->n_rows; l++)
		if (memcmp(landmarks->val + l * FEATURES, x[i], sizeof(x[i])) == 0)
			return true;
	return false;
}

/* Those with the smallest keys, of which none is above that of a row left out. */
static void test_drawn(void)
{
	const struct leverage_choice c = choice(9, 1);
	double score[ROWS], lambda, largest = 0, least = INFINITY;
	struct csr landmarks = { 0 };
	struct error err = { 0 };

	CHECK(leverage_scores(&rows, &c, score, &lambda, &err) == 0 &&
		      leverage_landmarks(&landmarks, &rows, &c, &err) == 0 &&
		      landmarks.n_rows == WANTED,
	      "%s, %d landmarks", err.text, (int)landmarks.n_rows);
	for (int i = 0; i < ROWS; i++) {
		double u = rng_unit(rng_first64(rng_draw(9, RNG_LANDMARK, (uint64_t)i, 0)));
		double key = -log1p(-u) / score[i];

		if (has_row(&landmarks, i))
			largest = fmax(largest, key);
		else
			least = fmin(least, key);
	}
	CHECK(largest < least, "key %g was taken, %g was not", largest, least);
	csr_free(&landmarks);
}

static void draw_uniformly(struct csr *landmarks, uint64_t seed)
{
	struct landmark_sample s = { .n_wanted = WANTED, .seed = seed };
	static double label[ROWS];
	const struct row_batch in = csr_as_batch(&rows, label);
	struct error err = { 0 };

	CHECK(landmark_sample_add(&s, &in, &err) == 0 &&
		      landmark_sample_take(&s, landmarks, &err) == 0,
	      "%s", err.text);
	landmark_sample_free(&s);
}

/* sum_i K_ii - |z(x_i)|^2, the trace of what Nystrom's matrix misses; takes the landmarks */
static double missed(struct csr *landmarks)
{
	static double label[ROWS];
	const struct row_batch in = csr_as_batch(&rows, label);
	struct map_room room = { 0 };
	struct row_batch out = { 0 };
	struct nystrom map = { 0 };
	struct error err = { 0 };
	double sum = ROWS;

	CHECK(nystrom_fit(&map, landmarks, &rbf, NULL, 1, &err) == 0 &&
		      nystrom_apply(&map, (struct row_range){ &in, 0, ROWS }, &out, &room, &err) ==
			      0,
	      "%s", err.text);
	for (int64_t e = 0; e < out.n_entries; e++)
		sum -= out.value[e] * out.value[e];
	row_batch_free(&out);
	map_room_free(&room);
	nystrom_free(&map);
	return sum;
}

/* A uniform sample of 30 of 403 rows mostly has no row that is far from all others. */
static void test_better(void)
{
	double uniform = 0, by_leverage = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct leverage_choice c = choice(seed, 1);
		struct csr landmarks = { 0 };
		struct error err = { 0 };

		draw_uniformly(&landmarks, seed);
		uniform += missed(&landmarks) / SEEDS;
		CHECK(leverage_landmarks(&landmarks, &rows, &c, &err) == 0, "%s", err.text);
		by_leverage += missed(&landmarks) / SEEDS;
	}
	CHECK(by_leverage < uniform / 2, "missed: %g by leverage, %g uniformly", by_leverage,
	      uniform);
}

/* ---- Odd data ---- */

/* Landmarks of n rows of 'value', and the error if there is one */
static int64_t count_landmarks(double value, int n, const struct kernel *kernel, int64_t n_wanted,
			       struct error *err)
{
	const struct leverage_choice c = { *kernel, n_wanted, 1, 2 };
	const int32_t col = 1;
	struct csr same = { 0 }, landmarks = { 0 };
	int64_t count = -1;

	for (int i = 0; i < n; i++)
		csr_append_row(&same, (struct csr_row){ 1, &col, &value }, err);
	if (leverage_landmarks(&landmarks, &same, &c, err) == 0)
		count = landmarks.n_rows;
	csr_free(&same);
	csr_free(&landmarks);
	return count;
}

static void test_odd(void)
{
	const struct kernel flat = { .type = KERNEL_RBF, .gamma = 0 };
	const struct kernel cubic = { .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 1 };
	struct error err = { 0 };

	CHECK(count_landmarks(2, 700, &rbf, 50, &err) == 50, "equal rows: %s", err.text);
	CHECK(count_landmarks(2, 700, &flat, 7, &err) == 7, "gamma 0: %s", err.text);
	CHECK(count_landmarks(2, 700, &rbf, 1, &err) == 1, "one landmark: %s", err.text);
	CHECK(count_landmarks(2, 700, &rbf, 699, &err) == 699, "all but one: %s", err.text);
	CHECK(count_landmarks(2, 700, &rbf, 701, &err) == 700, "too many: %s", err.text);
	CHECK(count_landmarks(0, 700, &cubic, 7, &err) < 0 && err.code == ERR_NUMERIC,
	      "kernel values of 0: %s", err.text);
	err = (struct error){ 0 };
	CHECK(count_landmarks(1e200, 700, &cubic, 7, &err) < 0 && err.code == ERR_NUMERIC,
	      "too large: %s", err.text);
}

static void test_memory(void)
{
	const struct leverage_choice c = choice(1, 1);

	for (int64_t n = 0, ret = -1; ret < 0; n++) {
		struct csr landmarks = { 0 };
		struct error err = { 0 };

		mem_fail_after(n);
		ret = leverage_landmarks(&landmarks, &rows, &c, &err);
		mem_fail_after(-1);
		csr_free(&landmarks);
		if (!CHECK(ret == 0 || err.code == ERR_MEMORY, "%d allocations: '%s'", (int)n,
			   err.text))
			return;
	}
}

int main(void)
{
	make_rows();
	test_scores();
	test_threads();
	test_drawn();
	test_better();
	test_odd();
	test_memory();
	csr_free(&rows);
	return unit_report("leverage_landmarks");
}
