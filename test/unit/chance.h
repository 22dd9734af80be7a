/*
 * chance.h - how often what is improbable may happen, for tests of statements with a probability
 *
 * A test of a statement "with probability 1 - p at least" counts the trials at fixed seeds in which
 * it fails.  So a run passes always or never; and the chance that a generator of true random numbers
 * fails the test, though the statement is true, is below CHANCE_OF_FAILURE for each count.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CHANCE_H
#define RANDSVM_CHANCE_H

#include <math.h>
#include <stdint.h>

#define CHANCE_OF_FAILURE 1e-6

/* chance_most() - the least c with P(X > c) <= CHANCE_OF_FAILURE, X binomial of n trials with p */
static inline int64_t chance_most(int64_t n, double p)
{
	double below = 0;

	for (int64_t c = 0; c < n && p < 1; c++) {
		below += exp(lgamma((double)n + 1) - lgamma((double)c + 1) -
			     lgamma((double)(n - c) + 1) + (double)c * log(p) +
			     (double)(n - c) * log1p(-p));
		if (1 - below <= CHANCE_OF_FAILURE)
			return c;
	}
	return n;
}

#endif
