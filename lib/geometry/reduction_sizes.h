/*
 * reduction_sizes.h - how many columns a reduction needs, and what error to expect of it
 *
 * For data of rank rho whose rows have the orthonormal basis V, E = |I - V'RR'V| is the error of
 * the reduction R (see geometry/reduction.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_REDUCTION_SIZES_H
#define RANDSVM_REDUCTION_SIZES_H

#include <stdint.h>

/*
 * sizes_for_error() - columns r for E <= epsilon: ceil(rho / (sqrt(1 + epsilon) - 1)^2)
 *
 * A guarantee for features chosen by spectral sparsification: its eigenvalues lie within
 * (1 +- sqrt(rho / r))^2, so E <= 2 sqrt(rho / r) + rho / r.  It needs r > rho, so rho + 1 is the
 * least that is returned.  For random projections the same r is typical, not guaranteed.
 * rank >= 1, epsilon > 0; INT64_MAX where the size is beyond 2^62.
 *
 * Source: Paul, Magdon-Ismail, Drineas 2015, Feature Selection for Linear SVM with Provable
 * Guarantees, Lemma 2, before its error is rounded up to 3 sqrt(rho / r).
 */
int64_t sizes_for_error(int64_t rank, double epsilon);

/*
 * sizes_of_paper() - the size printed in that paper: ceil(36 rho / epsilon^2)
 *
 * There epsilon is the relative error of the squared margin, for which it takes E <= epsilon / 2.
 * So its size for E <= epsilon, 9 rho / epsilon^2, is sizes_of_paper(rank, 2 * epsilon).
 */
int64_t sizes_of_paper(int64_t rank, double epsilon);

/*
 * sizes_for_margin() - columns r for a squared margin of at least 1 - epsilon times what it was
 *
 * ceil(rho / (1 - sqrt(1 - epsilon))^2), at least rho + 1; 0 < epsilon <= 1.  With features chosen
 * by spectral sparsification the squared margin is at least 1 / kappa times what it was, for any C,
 * kappa being the larger of lambda_max <= (1 + s)^2 and 1 / lambda_min <= (1 - s)^-2, the larger
 * bound, with s = sqrt(rho / r).
 *
 * Source: Lemma 2 there, and geometry/reduction.h, which has no need of the paper's
 * E <= epsilon / 2.
 */
int64_t sizes_for_margin(int64_t rank, double epsilon);

#endif
