/*
 * monomials.h - the features of a polynomial kernel
 *
 *     (gamma x.z + coef0)^degree = sum over monomials m of degree 0 .. degree  phi_m(x) phi_m(z)
 *
 *     phi_m(x) = sqrt(degree! / (e_1! e_2! ... (degree - k)!) gamma^k coef0^(degree - k)) m(x)
 *     m(x)     = x_1^e_1 x_2^e_2 ...,   k = e_1 + e_2 + ...
 *
 * Of few columns there are few monomials, and the kernel is a linear one of their values.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel.h"
#include "matrix/csr.h"

/*
 * monomials_count() - how many monomials of n_columns columns a kernel has, but for the constant
 *
 * Monomials whose factor is 0 do not count (coef0 = 0 leaves those of the highest degree).  Returns
 * most + 1 where there are more than 'most', or where the kernel has no such features: it is not
 * polynomial, its degree is 0, or gamma or coef0 is negative.
 */
int64_t monomials_count(const struct kernel *k, int64_t n_columns, int64_t most);

/*
 * monomials_of_rows() - the same for the columns of the n rows row[0], row[1], ... of 'x'
 *
 * O(n) if a row has all columns, or alone has more than 'most' monomials; else O(entries of the
 * rows).  -1 with ERR_MEMORY.
 */
int64_t monomials_of_rows(const struct kernel *k, const struct csr *x, const int64_t *row,
			  int64_t n, int64_t most, struct error *err);

/*
 * monomials_make() - phi_m of the rows, into the empty '*phi'
 *
 * One row for each, and a column for each monomial but the constant; zeros are left out.  Inner
 * products are the kernel's values less coef0^degree.  The kernel must have monomials.  Where a
 * value overflows '*phi' stays empty.  O(n monomials) time; 12 bytes for each value.  Returns 0, or
 * -1 with ERR_MEMORY and '*phi' empty.
 *
 * Source: the multinomial theorem.
 */
int monomials_make(struct csr *phi, const struct kernel *k, const struct csr *x, const int64_t *row,
		   int64_t n, struct error *err);
