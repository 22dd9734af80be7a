/*
 * test_rbf_bound.c - bounds of sums of rbf kernel values, against the sums
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "proof/rounding_errors.h"

#include <math.h>
#include <stdlib.h>

#include "failing.h"
#include "random.h"
#include "unit.h"

enum { MOST = 200 };

/* The bounds are at least the sums of terms, and at most what the header says. */
static void check_at(const struct rbf_bound *b, const struct rbf_term *term, int64_t n, double z)
{
	double bound[RBF_SUMS];

	rbf_bound_at(b, z, bound);
	for (int f = 0; f < RBF_SUMS; f++) {
		double sum = 0, wider = 0, all = 0;

		for (int64_t j = 0; j < n; j++) {
			double d = fabs(term[j].length - z), less = fmax(d - 0.5, 0);

			sum += term[j].factor[f] * exp(-d * d);
			wider += term[j].factor[f] * exp(-less * less);
			all += term[j].factor[f];
		}
		CHECK(bound[f] >= sum * (1 - 1e-9), "%g at %g is less than %g", bound[f], z, sum);
		CHECK(bound[f] <= wider * (1 + 1e-9) + 5e-15 * all, "%g at %g is more than %g",
		      bound[f], z, wider);
	}
}

/* Lengths of any size, some equal, some 0; factors of all sizes, and 0. */
static void test_sums(void)
{
	for (int k = 0; k < 300; k++) {
		int64_t n = random_below(MOST);
		double size = exp(random_between(-3, 9));
		struct rbf_term term[MOST];
		struct rbf_bound b;
		struct error err = { 0 };

		for (int64_t j = 0; j < n; j++)
			term[j] = (struct rbf_term){
				random_below(5) ? size * random_unit() : floor(3 * random_unit()),
				{ random_below(4) ? random_unit() : 0,
				  exp(random_between(-30, 30)) },
			};
		if (!CHECK(rbf_bound_init(&b, term, n, &err) == 0, "%s", err.text))
			return;
		check_at(&b, term, n, 0);
		check_at(&b, term, n, size * random_unit());
		for (int64_t j = 0; j < n; j += 17)
			check_at(&b, term, n, term[j].length + (double)random_below(3) / 2);
		rbf_bound_free(&b);
	}
}

/* A million small factors at one length, and a large one at another: rounding does not add up. */
static void test_many(void)
{
	enum { N = 1000001 };
	struct rbf_term *term = calloc(N, sizeof(*term));
	struct rbf_bound b;
	struct error err = { 0 };

	for (int64_t j = 0; j < N; j++)
		term[j] = (struct rbf_term){ j ? 100 : 0, { j ? 1e-16 : 1, 1 } };
	if (CHECK(rbf_bound_init(&b, term, N, &err) == 0, "%s", err.text))
		check_at(&b, term, N, 100);
	rbf_bound_free(&b);
	free(term);
}

static int run(void *arg, struct error *err)
{
	struct rbf_term term[3] = { { 2, { 1, 1 } }, { 1, { 1, 1 } }, { 3, { 1, 1 } } };
	struct rbf_bound *b = arg;
	int ret = rbf_bound_init(b, term, 3, err);

	rbf_bound_free(b);
	return ret;
}

int main(void)
{
	struct rbf_bound b;

	test_sums();
	test_many();
	fail_each_allocation("terms", run, &b);
	return unit_report("rbf_bound");
}
