/*
 * kernel_errors.c - how far products of mapped rows are from kernel values, over random pairs
 *
 * Kernel values here are those of merged sparse rows, not of the tiles that Nystrom's map computes
 * with: what rounding does to the map is among the errors.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/kernel_errors.h"

#include <math.h>

#include "base/rng.h"
#include "kernel/kernel_lanes.h"

/* The sum of absolute differences. */
static double distance1(struct csr_row x, struct csr_row y)
{
	double sum = 0;
	int64_t j = 0, k = 0;

	while (j < x.n || k < y.n) {
		if (k == y.n || (j < x.n && x.col[j] < y.col[k]))
			sum += fabs(x.val[j++]);
		else if (j == x.n || y.col[k] < x.col[j])
			sum += fabs(y.val[k++]);
		else
			sum += fabs(x.val[j++] - y.val[k++]);
	}
	return sum;
}

static double product(struct csr_row x, struct csr_row y)
{
	return kernel_merged_value(&(struct kernel){ .type = KERNEL_LINEAR }, x, y);
}

static double kernel_value(const struct feature_map *map, struct csr_row x, struct csr_row y)
{
	const struct fourier_options *o = &map->fourier.options;
	const struct kernel rbf = { .type = KERNEL_RBF, .gamma = o->gamma };

	if (map->method != FEATURE_MAP_RFF)
		return kernel_merged_value(feature_map_svm_kernel(map), x, y);
	return o->kernel == FOURIER_RBF ? kernel_merged_value(&rbf, x, y) :
					  exp(-o->gamma * distance1(x, y));
}

/* d(x) of nystrom.h; what rounding makes negative is 0 */
static double missing(const struct feature_map *map, struct csr_row x, struct csr_row z)
{
	return fmax(kernel_value(map, x, x) - product(z, z), 0);
}

/* A number below n of 64 random bits. */
static int64_t below(uint64_t bits, int64_t n)
{
	return (int64_t)(rng_unit(bits) * (double)n);
}

/* (2) of tensor_sketch.h */
static double deviation(const struct feature_map *map, struct csr_row x, struct csr_row y)
{
	const double power = pow(3, map->tensor.options.kernel.degree);

	return sqrt((power - 1) / (double)map->n_columns * kernel_value(map, x, x) *
		    kernel_value(map, y, y));
}

static void add_pair(struct kernel_errors *e, const struct feature_map *map, const struct csr *x,
		     const struct csr *z, int64_t i, int64_t j)
{
	const struct csr_row x_i = csr_row_of(x, i), z_i = csr_row_of(z, i);
	const struct csr_row x_j = csr_row_of(x, j), z_j = csr_row_of(z, j);
	double error = fabs(kernel_value(map, x_i, x_j) - product(z_i, z_j));

	e->mean += error / (double)e->n_pairs;
	e->largest = fmax(e->largest, error);
	if (map->method == FEATURE_MAP_NYSTROM)
		e->bound = fmax(e->bound, sqrt(missing(map, x_i, z_i) * missing(map, x_j, z_j)));
	if (map->method == FEATURE_MAP_TENSORSKETCH)
		e->bound = fmax(e->bound, deviation(map, x_i, x_j));
}

int kernel_errors_find(struct kernel_errors *e, const struct feature_map *map, const struct csr *x,
		       const struct csr *z, uint64_t seed, int64_t n_pairs, struct error *err)
{
	const int64_t n = x->n_rows;
	const double k = (double)map->n_columns;

	*e = (struct kernel_errors){ .n_pairs = n_pairs };
	if (n < 1)
		return error_set(err, ERR_ARGUMENT, "there is no row");
	for (int64_t p = 0; p < n_pairs; p++) {
		struct rng_block draw = rng_draw(seed, RNG_CERTIFIED_PAIR, (uint64_t)p, 0);
		int64_t i = below(rng_first64(draw), n), j = i;

		if (n > 1)
			j = (i + 1 + below(rng_second64(draw), n - 1)) % n;
		add_pair(e, map, x, z, i, j);
	}
	if (map->method == FEATURE_MAP_RFF)
		e->bound = sqrt(4 * log(2 * (double)n_pairs / KERNEL_ERRORS_DELTA) /
				(map->n_columns % 2 ? k * k / (k + 1) : k));
	return 0;
}
