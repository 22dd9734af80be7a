/*
 * test_sizes.c - sizes of reductions against what they promise
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>

#include "geometry/reduction_sizes.h"
#include "project/projection_sizes.h"
#include "unit.h"

/* E to expect of r columns */
static double error_of(int64_t rank, int64_t r)
{
	double share = (double)rank / (double)r;

	return 2 * sqrt(share) + share;
}

/* The size is the least whose expected error is at most epsilon. */
static void test_least(void)
{
	for (int64_t rank = 1; rank < 5000; rank = rank * 3 + 1)
		for (int percent = 1; percent < 290; percent = percent * 4 / 3 + 1) {
			double epsilon = percent / 100.;
			int64_t r = sizes_for_error(rank, epsilon);

			CHECK(error_of(rank, r) <= epsilon * (1 + 1e-12),
			      "rank %" PRId64 ", size %" PRId64 ": error %g, not %g", rank, r,
			      error_of(rank, r), epsilon);
			CHECK(r == rank + 1 || error_of(rank, r - 1) > epsilon * (1 - 1e-12),
			      "rank %" PRId64 ": %" PRId64 " would do for %g", rank, r - 1,
			      epsilon);
			CHECK(r < sizes_of_paper(rank, epsilon),
			      "%" PRId64 ": the paper asks for less", r);
		}
}

/* To more digits: (sqrt(1.5) - 1)^-2 = 19.79795897, (sqrt(1.1) - 1)^-2 = 419.76176963 */
static void test_known(void)
{
	CHECK(sizes_for_error(1000, 0.5) == 19798, "%" PRId64, sizes_for_error(1000, 0.5));
	CHECK(sizes_for_error(10, 0.1) == 4198, "%" PRId64, sizes_for_error(10, 0.1));
	CHECK(sizes_for_error(7, 3) == 8 && sizes_for_error(7, 100) == 8, "more than the rank");
	CHECK(sizes_of_paper(10, 0.5) == 1440, "%" PRId64, sizes_of_paper(10, 0.5));
	CHECK(fabs((double)sizes_for_error(1, 1e-9) / 4.000000002e18 - 1) < 1e-14, "%" PRId64,
	      sizes_for_error(1, 1e-9));
	CHECK(sizes_for_error(1, 1e-30) == INT64_MAX && sizes_of_paper(1, 1e-200) == INT64_MAX,
	      "a size that has no number");
}

/* Each order of magnitude is a positive number, or none at all. */
static void test_theorems(void)
{
	for (int method = PROJECT_RS; method <= PROJECT_OSNAP; method++)
		for (int64_t rank = 1; rank < 100; rank += 33) {
			enum projection_method m = (enum projection_method)method;
			double order = sizes_of_theorem(m, rank, 1, 0.1, 1000);
			bool known = method == PROJECT_FHT || method == PROJECT_CW ||
				     (method == PROJECT_RS && rank > 1);

			CHECK(known ? order > 0 : isnan(order), "method %d, rank %" PRId64 ": %g",
			      method, rank, order);
		}
	CHECK(isnan(sizes_of_theorem(PROJECT_RS, 9, 1, 0.1, 0)), "unknown features");
}

int main(void)
{
	test_theorems();
	test_least();
	test_known();
	return unit_report("sizes");
}
