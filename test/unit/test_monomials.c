/*
 * test_monomials.c - monomials against the kernel values that they stand for
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "failing.h"
#include "full.h"
#include "kernel/monomials.h"
#include "plain_problem.h"
#include "random.h"
#include "unit.h"

enum { MOST_COLUMNS = 7, N = 25, ANY_NUMBER = 100000 };

/* Rows as a matrix, whose columns 'gap' apart begin at 'gap', and in full. */
struct rows {
	struct csr x;
	double dense[N][MOST_COLUMNS];
	int64_t row[N];
	int d;
};

static void make_rows(struct rows *r, int d, int gap, double density)
{
	memset(r, 0, sizeof(*r));
	r->d = d;
	for (int64_t i = 0; i < N; i++) {
		r->row[i] = N - 1 - i; /* the rows asked for are in another order */
		for (int c = 0; c < d; c++)
			if (i == 0 || random_unit() < density) /* row 0 has all columns */
				r->dense[i][c] = random_normal();
	}
	full_rows(&r->x, r->dense[0], N, MOST_COLUMNS, gap, gap);
}

static double product(const struct csr *a, int64_t i, int64_t j)
{
	double sum = 0;

	for (int64_t k = a->row_start[i]; k < a->row_start[i + 1]; k++)
		for (int64_t l = a->row_start[j]; l < a->row_start[j + 1]; l++)
			sum += a->col[k] == a->col[l] ? a->val[k] * a->val[l] : 0;
	return sum;
}

/* Exponents of n columns of this sum, or of at most this sum if 'or_less', by enumeration. */
static int64_t count(int n, int degree, bool or_less)
{
	int64_t sum = 0;

	if (n == 0)
		return or_less || degree == 0;
	for (int e = 0; e <= degree; e++)
		sum += count(n - 1, degree - e, or_less);
	return sum;
}

static void check_kernel(const struct rows *r, const struct kernel *k)
{
	double constant = pow(k->coef0, k->degree);
	int64_t wanted = count(r->d, k->degree, k->coef0 > 0) - (k->coef0 > 0);
	struct error err = { 0 };
	struct csr phi;

	CHECK(monomials_of_rows(k, &r->x, r->row, N, ANY_NUMBER, &err) == wanted, "not %d",
	      (int)wanted);
	CHECK(monomials_of_rows(k, &r->x, r->row, N, wanted - 1, &err) == wanted, "no limit");
	CHECK(monomials_make(&phi, k, &r->x, r->row, N, &err) == 0, "%s", err.text);
	CHECK(phi.n_rows == N && phi.n_cols == wanted, "%d columns", (int)phi.n_cols);
	for (int64_t i = 0; i < N; i++)
		for (int64_t j = 0; j < N; j++) {
			const double *x = r->dense[r->row[i]], *z = r->dense[r->row[j]];
			double value = product(&phi, i, j) + constant;
			double close = 1e-14 * sqrt(plain_kernel(k, x, x, r->d) *
						    plain_kernel(k, z, z, r->d));

			CHECK(fabs(value - plain_kernel(k, x, z, r->d)) <= close,
			      "degree %d: %g, not %g", k->degree, value,
			      plain_kernel(k, x, z, r->d));
		}
	csr_free(&phi);
}

static void test_values(void)
{
	static const double coef0[] = { 0, 1, 2.5 };
	static struct rows r;

	for (int degree = 1; degree <= 5; degree++)
		for (int c = 0; c < 3; c++)
			for (int d = 1; d <= MOST_COLUMNS; d += 2) {
				make_rows(&r, d, c == 1 ? 1000000 : 1, 0.7);
				check_kernel(&r, &(struct kernel){ .type = KERNEL_POLYNOMIAL,
								   .degree = degree,
								   .gamma = 0.3,
								   .coef0 = coef0[c] });
				csr_free(&r.x);
			}
}

/* Kernels without real features have more than any number of monomials. */
static void test_others(void)
{
	static const struct kernel others[] = {
		{ .type = KERNEL_POLYNOMIAL, .degree = 0, .gamma = 1, .coef0 = 1 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 1, .coef0 = -1 },
		{ .type = KERNEL_POLYNOMIAL, .degree = 3, .gamma = 0, .coef0 = 1 },
		{ .type = KERNEL_RBF, .gamma = 1 },
		{ .type = KERNEL_LINEAR },
		{ .type = KERNEL_SIGMOID, .gamma = 1 },
	};
	const struct kernel large = { KERNEL_POLYNOMIAL, 1000, 1, 1 };

	for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
		CHECK(monomials_count(&others[k], 2, 100) == 101, "kernel %d", (int)k);
	CHECK(monomials_count(&large, INT32_MAX, 100) == 101, "overflow");
	CHECK(monomials_count(&large, 0, 100) == 0, "of no columns");
}

/* A monomial too large for a double leaves no rows. */
static void test_overflow(void)
{
	const struct kernel k = { KERNEL_POLYNOMIAL, 4, 1e200, 1 };
	struct error err = { 0 };
	static struct rows r;
	struct csr phi;

	make_rows(&r, 3, 1, 1);
	CHECK(monomials_make(&phi, &k, &r.x, r.row, N, &err) == 0 && phi.n_rows == 0, "%d rows",
	      (int)phi.n_rows);
	csr_free(&r.x);
}

static int make_again(void *arg, struct error *err)
{
	const struct kernel k = { KERNEL_POLYNOMIAL, 3, 1, 1 };
	const struct rows *r = arg;
	struct csr phi;

	if (monomials_of_rows(&k, &r->x, r->row, N, ANY_NUMBER, err) < 0 ||
	    monomials_make(&phi, &k, &r->x, r->row, N, err) < 0)
		return -1;
	csr_free(&phi);
	return 0;
}

static void test_memory(void)
{
	static struct rows r;

	make_rows(&r, 3, 1, 0.5);
	CHECK(fail_each_allocation("monomials", make_again, &r) > 10, "few allocations");
	csr_free(&r.x);
}

int main(void)
{
	test_values();
	test_others();
	test_overflow();
	test_memory();
	return unit_report("monomials");
}
