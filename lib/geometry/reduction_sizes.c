/*
 * reduction_sizes.c - how many columns a reduction needs, and what error to expect of it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/reduction_sizes.h"

#include <math.h>

static int64_t rounded_up(double size)
{
	return size < 0x1p62 ? (int64_t)ceil(size) : INT64_MAX;
}

int64_t sizes_for_error(int64_t rank, double epsilon)
{
	/* sqrt(1 + epsilon) - 1 without the cancellation for a small epsilon */
	double excess = epsilon / (sqrt(1 + epsilon) + 1);
	int64_t r = rounded_up((double)rank / (excess * excess));

	return r > rank ? r : rank + 1;
}

int64_t sizes_of_paper(int64_t rank, double epsilon)
{
	return rounded_up(36 * (double)rank / (epsilon * epsilon));
}
