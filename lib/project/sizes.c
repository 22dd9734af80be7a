/*
 * sizes.c - how many columns a reduction needs, and what error to expect of it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "project/sizes.h"

#include <math.h>

static int64_t rounded_up(double size)
{
	return size < 0x1p62 ? (int64_t)ceil(size) : INT64_MAX;
}

int64_t sizes_for_error(int64_t rank, double epsilon)
{
	/* sqrt(1 + epsilon) - 1, without what a small epsilon would lose */
	double excess = epsilon / (sqrt(1 + epsilon) + 1);
	int64_t r = rounded_up((double)rank / (excess * excess));

	return r > rank ? r : rank + 1;
}

int64_t sizes_of_paper(int64_t rank, double epsilon)
{
	return rounded_up(36 * (double)rank / (epsilon * epsilon));
}

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
			       per_square * log(rho) * log((double)n_features) : NAN;
	default:
		return NAN;
	}
}
