/*
 * kernel_errors.h - how far products of mapped rows are from kernel values, over random pairs
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "matrix/csr.h"
#include "project/feature_map.h"

/* Chance that the error of some pair exceeds the bound of random Fourier features. */
#define KERNEL_ERRORS_DELTA 0.05

/* Errors |K(x, y) - z(x).z(y)| over pairs of rows. */
struct kernel_errors {
	int64_t n_pairs;
	double mean, largest; /* mean and largest of the errors */
	/*
	 * bound of the largest: of random Fourier features sqrt(4 ln(2 n_pairs / delta) / k), by
	 * (1) of fourier.h for each pair, which has k^2 / (k + 1) for an odd k, so that it holds
	 * with a chance of 1 - delta over the seeds if frequencies are independent; of Nystrom's
	 * map the largest sqrt(d(x) d(y)), which always holds up to rounding; of sketches of
	 * tensor powers that of the standard deviation over the seeds, by (2) of tensor_sketch.h
	 * for the pair where it is largest
	 */
	double bound;
};

/*
 * kernel_errors_find() - the errors of n_pairs random pairs of rows, for a kernel map
 *
 * 'x' has the rows, 'z' the same rows mapped.  Both rows of pair p come from the draw (seed,
 * RNG_CERTIFIED_PAIR, p, 0): they differ unless there is one row alone.  Pairs may occur twice.
 * O(n_pairs (k + entries of a row)).  Fails with ERR_ARGUMENT if there is no row.
 */
int kernel_errors_find(struct kernel_errors *e, const struct feature_map *map, const struct csr *x,
		       const struct csr *z, uint64_t seed, int64_t n_pairs, struct error *err);
