/*
 * test_sizes.c - sizes of reductions against what they promise
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <math.h>

#include "geometry/reduction.h"
#include "project/projection.h"
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

/*
 * The orders of magnitude, at the numbers of Paul, Boutsidis, Magdon-Ismail, Drineas 2013, (7) to (9),
 * by a calculator of 30 digits.  For other methods, or where a logarithm is 0, there is none.
 */
static void test_theorems(void)
{
	const struct {
		enum projection_method method;
		int64_t rank;
		double epsilon, delta;
		int64_t n_features;
		double order;
	} known[] = {
		{ PROJECT_FHT, 10, 0.5, 0.1, 0, 1384.98543936661268 },
		{ PROJECT_FHT, 100, 0.25, 0.01, 9, 209306.913975449607 },
		{ PROJECT_FHT, 7, 0.4, 0.2, 50, 1035.37685067897412 },
		{ PROJECT_CW, 10, 0.5, 0.1, 0, 11016.8822393567858 },
		{ PROJECT_CW, 100, 0.25, 0.01, 9, 28752712.5665691011 },
		{ PROJECT_CW, 7, 0.4, 0.2, 50, 11647.2392260391976 },
		{ PROJECT_RS, 10, 0.5, 0.1, 1000, 636.227773257407761 },
		{ PROJECT_RS, 100, 0.25, 0.01, 20000, 72971.5929827896777 },
		{ PROJECT_RS, 7, 0.4, 0.2, 50, 333.044480545021806 },
	};

	for (int t = 0; t < 9; t++) {
		double order = sizes_of_theorem(known[t].method, known[t].rank, known[t].epsilon,
						known[t].delta, known[t].n_features);

		CHECK(fabs(order / known[t].order - 1) < 1e-13, "number %d: %.17g, not %.17g", t,
		      order, known[t].order);
	}
	for (int method = PROJECT_RS; method <= PROJECT_OSNAP; method++)
		CHECK(method == PROJECT_FHT || method == PROJECT_CW || method == PROJECT_RS ||
			      isnan(sizes_of_theorem((enum projection_method)method, 9, 1, 0.1,
						     1000)),
		      "method %d", method);
	CHECK(isnan(sizes_of_theorem(PROJECT_RS, 9, 1, 0.1, 0)) &&
		      isnan(sizes_of_theorem(PROJECT_RS, 9, 1, 0.1, 1)) &&
		      isnan(sizes_of_theorem(PROJECT_RS, 1, 1, 0.1, 1000)),
	      "a logarithm of 0, or unknown features");
}

int main(void)
{
	test_theorems();
	test_least();
	test_known();
	return unit_report("sizes");
}
