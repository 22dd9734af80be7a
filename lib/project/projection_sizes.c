/*
 * projection_sizes.c - how many columns a random projection needs, by the theorems
 *
 * Orders of magnitude: the theorems leave their constants open, and with 1 for them they ask for
 * far more columns than are needed.  sizes_for_error() of reduction_sizes.h has the expected size.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/projection_sizes.h"

#include <math.h>

double sizes_of_theorem(enum projection_method method, int64_t rank, double epsilon, double delta,
			int64_t n_features)
{
	double rho = (double)rank, per_square = rho / (epsilon * epsilon);

	switch (method) {
	case PROJECT_FHT:
		return per_square * log(rho / delta) * log(per_square / delta * log(rho / delta));
	case PROJECT_CW:
		return per_square / (epsilon * epsilon) * log(rho / (delta * epsilon)) *
		       (rho + log(1 / (delta * epsilon)));
	case PROJECT_RS:
		return rank > 1 && n_features > 1 ?
			       per_square * log(rho) * log((double)n_features) :
			       NAN;
	default:
		return NAN;
	}
}
