/*
 * test_hadamard.c - the fast transform against the matrix
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/instruction_set.h"
#include "project/project_loops.h"
#include "random.h"
#include "unit.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef void double_code(double *, int, const int32_t *);
typedef void single_code(float *, int, const int32_t *);

double_code hadamard_trimmed_base, hadamard_trimmed_v3, hadamard_trimmed_v4;
single_code hadamard_trimmed_single_base, hadamard_trimmed_single_v3, hadamard_trimmed_single_v4;

static const struct copy {
	double_code *in_doubles;
	single_code *in_singles;
} copies[] = {
	{ hadamard_trimmed_base, hadamard_trimmed_single_base },
#ifdef HAVE_ISA_VARIANTS
	{ hadamard_trimmed_v3, hadamard_trimmed_single_v3 },
	{ hadamard_trimmed_v4, hadamard_trimmed_single_v4 },
#endif
};

static int n_copies(void)
{
	return (int)instruction_set_best() + 1;
}

static void *room(int64_t n, size_t size)
{
	void *p = malloc((size_t)n * size + 1);

	if (!p)
		exit(EXIT_FAILURE);
	return p;
}

/* Small whole numbers: sums are exact. */
static void fill(double *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		x[i] = (double)(random_below(41) - 20);
		y[i] = (float)x[i];
	}
}

/* All entries of H x for a copy, of small sizes one by one. */
static void compare_with_matrix(const struct copy *copy, int log2_n)
{
	int64_t n = INT64_C(1) << log2_n;
	double *x = room(n, sizeof(*x)), *z = room(n, sizeof(*z));
	float *y = room(n, sizeof(*y));

	fill(x, y, n);
	memcpy(z, x, (size_t)n * sizeof(*z));
	copy->in_doubles(z, log2_n, NULL);
	copy->in_singles(y, log2_n, NULL);
	for (int64_t i = 0; i < n; i++) {
		double sum = 0;

		for (int64_t j = 0; j < n; j++)
			sum += __builtin_parityll((unsigned long long)(i & j)) ? -x[j] : x[j];
		CHECK(z[i] == sum, "2^%d, entry %" PRId64 ": %g, not %g", log2_n, i, z[i], sum);
		CHECK(y[i] == (float)sum, "2^%d single, entry %" PRId64 ": %g, not %g", log2_n, i,
		      (double)y[i], sum);
	}
	free(x);
	free(y);
	free(z);
}

/* The recursion of the header, for its rounding. */
static void plain_transform(double *x, int64_t n)
{
	if (n == 1)
		return;
	for (int64_t i = 0; i < n / 2; i++) {
		double sum = x[i] + x[i + n / 2];

		x[i + n / 2] = x[i] - x[i + n / 2];
		x[i] = sum;
	}
	plain_transform(x, n / 2);
	plain_transform(x + n / 2, n / 2);
}

static void plain_transform_single(float *x, int64_t n)
{
	if (n == 1)
		return;
	for (int64_t i = 0; i < n / 2; i++) {
		float sum = x[i] + x[i + n / 2];

		x[i + n / 2] = x[i] - x[i + n / 2];
		x[i] = sum;
	}
	plain_transform_single(x, n / 2);
	plain_transform_single(x + n / 2, n / 2);
}

/* Every copy has the recursion's bits, wherever in memory. */
static void compare_bits(int log2_n)
{
	int64_t n = INT64_C(1) << log2_n;
	double *x = room(n, sizeof(*x)), *z = room(n + 1, sizeof(*z));
	float *y = room(n, sizeof(*y)), *w = room(n + 1, sizeof(*w)),
	      *start = room(n, sizeof(*start));
	double *first = room(n, sizeof(*first));

	for (int64_t i = 0; i < n; i++) {
		first[i] = x[i] = random_normal();
		start[i] = y[i] = (float)random_normal();
	}
	plain_transform(x, n);
	plain_transform_single(y, n);
	for (int c = 0; c < n_copies(); c++) {
		memcpy(z + 1, first, (size_t)n * sizeof(*z));
		memcpy(w + 1, start, (size_t)n * sizeof(*w));
		copies[c].in_doubles(z + 1, log2_n, NULL);
		copies[c].in_singles(w + 1, log2_n, NULL);
		CHECK(!memcmp(z + 1, x, (size_t)n * sizeof(*z)), "copy %d, 2^%d", c, log2_n);
		CHECK(!memcmp(w + 1, y, (size_t)n * sizeof(*w)), "copy %d, 2^%d single", c, log2_n);
	}
	free(x);
	free(y);
	free(z);
	free(w);
	free(start);
	free(first);
}

/* H H = n I, on sizes beyond the caches. */
static void transform_twice(int log2_n)
{
	int64_t n = INT64_C(1) << log2_n, wrong = 0;
	double *x = room(n, sizeof(*x)), *z = room(n, sizeof(*z));
	float *y = room(n, sizeof(*y));

	fill(x, y, n);
	for (int64_t i = 0; i < n; i++)
		y[i] = (float)(random_below(3) - 1) / (float)n;
	memcpy(z, x, (size_t)n * sizeof(*z));
	hadamard_trimmed(z, log2_n, NULL);
	hadamard_trimmed(z, log2_n, NULL);
	for (int64_t i = 0; i < n; i++)
		wrong += z[i] != x[i] * (double)n;
	CHECK(wrong == 0, "2^%d: %" PRId64 " entries", log2_n, wrong);
	for (int64_t i = 0; i < n; i++)
		x[i] = (double)y[i];
	hadamard_trimmed_single(y, log2_n, NULL);
	hadamard_trimmed_single(y, log2_n, NULL);
	for (int64_t i = 0; i < n; i++)
		wrong += y[i] != (float)(x[i] * (double)n);
	CHECK(wrong == 0, "2^%d single: %" PRId64 " entries", log2_n, wrong);
	free(x);
	free(y);
	free(z);
}

/* Some groups only: those are right. */
static void compare_trimmed(int log2_n, double density)
{
	int64_t n = INT64_C(1) << log2_n, n_groups = (n + HADAMARD_GROUP - 1) / HADAMARD_GROUP;
	int32_t *wanted = room(n_groups + 1, sizeof(*wanted));
	double *x = room(n, sizeof(*x)), *z = room(n, sizeof(*z));
	float *y = room(n, sizeof(*y));

	fill(x, y, n);
	wanted[0] = 7;
	for (int64_t g = 0; g < n_groups; g++)
		wanted[g + 1] = wanted[g] + (random_unit() < density) * 2;
	memcpy(z, x, (size_t)n * sizeof(*z));
	plain_transform(x, n);
	for (int c = 0; c < n_copies(); c++) {
		double *copied = room(n, sizeof(*copied));
		float *rounded = room(n, sizeof(*rounded));

		memcpy(copied, z, (size_t)n * sizeof(*z));
		memcpy(rounded, y, (size_t)n * sizeof(*y));
		copies[c].in_doubles(copied, log2_n, wanted);
		copies[c].in_singles(rounded, log2_n, wanted);
		for (int64_t i = 0; i < n; i++) {
			if (wanted[i / HADAMARD_GROUP] == wanted[i / HADAMARD_GROUP + 1])
				continue;
			CHECK(copied[i] == x[i], "copy %d, 2^%d, entry %" PRId64, c, log2_n, i);
			CHECK(rounded[i] == (float)x[i], "copy %d, 2^%d single, entry %" PRId64, c,
			      log2_n, i);
		}
		free(copied);
		free(rounded);
	}
	free(wanted);
	free(x);
	free(y);
	free(z);
}

int main(void)
{
	for (int log2_n = 0; log2_n <= 12; log2_n++) {
		for (int c = 0; c < n_copies(); c++)
			compare_with_matrix(&copies[c], log2_n);
	}
	for (int log2_n = 0; log2_n <= 17; log2_n++)
		compare_bits(log2_n);
	transform_twice(16);
	transform_twice(20);
	for (int log2_n = 0; log2_n <= 15; log2_n++) {
		compare_trimmed(log2_n, 0.02);
		compare_trimmed(log2_n, 0.5);
	}
	return unit_report("hadamard");
}
