/*
 * reduction_sizes.c - how many columns a reduction needs, and what error to expect of it
 *
 * How this works.  Formulas for the number r of columns that keep the error of a space of dimension
 * rho, or of a squared margin in it (2, 3), within epsilon:
 *
 *     bss     r = rho / (sqrt(1 + epsilon) - 1)^2,  more than rho in any case                   (1)
 *     paper   r = 36 rho / epsilon^2                                                            (2)
 *     margin  r = rho / (1 - sqrt(1 - epsilon))^2                                               (3)
 *
 * All are rounded up, and cut at the largest 64-bit number.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "geometry/reduction_sizes.h"

#include <math.h>

static int64_t rounded_up(double size)
{
	/* a size beyond 2^62 is as good as infinite */
	return size < 0x1p62 ? (int64_t)ceil(size) : INT64_MAX;
}

int64_t sizes_for_error(int64_t rank, double epsilon)
{
	/* sqrt(1 + epsilon) - 1 without the cancellation for a small epsilon */
	double excess = epsilon / (sqrt(1 + epsilon) + 1);
	int64_t r = rounded_up((double)rank / (excess * excess));

	/* (1): with no more columns than dimensions a direction would be lost */
	return r > rank ? r : rank + 1;
}

int64_t sizes_of_paper(int64_t rank, double epsilon)
{
	/* (2): the bound that the paper states */
	return rounded_up(36 * (double)rank / (epsilon * epsilon));
}

int64_t sizes_for_margin(int64_t rank, double epsilon)
{
	/* 1 - sqrt(1 - epsilon) without the cancellation for a small epsilon */
	double excess = epsilon / (sqrt(1 - epsilon) + 1);
	int64_t r = rounded_up((double)rank / (excess * excess));

	return r > rank ? r : rank + 1; /* (3) */
}
