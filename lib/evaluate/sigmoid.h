/*
 * sigmoid.h - fit 1 / (1 + exp(A f + B)) to decision values
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdint.h>

enum sigmoid_end {
	SIGMOID_CONVERGED,
	SIGMOID_NO_STEP, /* end of the fit: no step along a Newton direction lowered F enough */
	SIGMOID_MAX_ITERATIONS
};

struct sigmoid {
	double a, b;
};

/*
 * sigmoid_fit() - the A and B of P(y = 1 | f) = 1 / (1 + exp(A f + B)) that fit best
 *
 * 'f' has n decision values, 'target' their labels, of which only the sign counts.  They minimise
 *
 *     F(A, B) = - sum_i t_i log p_i + (1 - t_i) log(1 - p_i)
 *     t_i = (n_plus + 1) / (n_plus + 2) where target_i > 0, else 1 / (n_minus + 2)
 *
 * n_plus and n_minus being the numbers of either label.  With weights each example counts as its
 * weight over the mean weight, in all of these sums; 'weight' NULL: 1 each.  The minimum is found by Newton's
 * method with backtracking, from A = 0, B = log((n_minus + 1) / (n_plus + 1)), until
 * both derivatives are below 1e-5 in size, for at most 100 steps.  '*s' is the last iterate,
 * whatever the end.  O(n) a step, no allocation.
 *
 * Source: Lin, Lin, Weng 2007, "A note on Platt's probabilistic outputs for support vector
 * machines", Mach. Learn. 68; constants of its appendix, which LIBSVM has too.
 */
enum sigmoid_end sigmoid_fit(const double *f, const double *target, const double *weight, int64_t n,
			     struct sigmoid *s);
