/*
 * metric_intervals.h - how far measures of some rows may be from those of all rows there might be, and
 * whether two machines differ
 *
 * Intervals of a level such as 0.95 hold the value of all rows with that probability, where the rows
 * are a random sample of them.  Functions without 'err' cannot fail; threads may share all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/metrics.h"

struct interval {
	double from, to; /* both NAN: not known */
};

/* normal_bound() - the z for which a standard normal number is within +-z with probability 'level' */
double normal_bound(double level);

/*
 * wilson_interval() - of a probability, from its share in n > 0 cases, with z = normal_bound(level)
 *
 * All p with |share - p| <= z sqrt(p (1 - p) / n), the test of p turned round:
 *
 *     (share + z^2 / 2n +- z sqrt(share (1 - share) / n + z^2 / 4n^2)) / (1 + z^2 / n)
 *
 * NAN for a share of NAN.  Source: Wilson 1927, J. American Statistical Association 22.
 */
struct interval wilson_interval(double share, double n, double z);

/*
 * roc_auc_variance() - the variance of roc_auc(), of examples of weight 1, in O(n) after roc_sort()
 *
 * With V_i the share of the negatives that positive i is above, W_j the share of the positives that
 * are above negative j, ties counting half, and S^2 their sample variances
 *
 *     S^2(V) / n_positive + S^2(W) / n_negative
 *
 * NAN where a class has a single example.  Sources: DeLong, DeLong, Clarke-Pearson 1988, Biometrics
 * 44; in one walk along the sorted scores: Sun, Xu 2014, IEEE Signal Processing Letters 21.
 */
double roc_auc_variance(const struct roc *r);

/*
 * roc_auc_interval() - of roc_auc(), by that variance, with z = normal_bound(level)
 *
 * The logarithm of AUC / (1 - AUC) is taken to be normal, which stays within 0 and 1 (Pepe 2003, The
 * Statistical Evaluation of Medical Tests, 5.2.5).  Where the variance is 0, as with an AUC of 1, or
 * not known, wilson_interval() of as many cases as the smaller class has, for no variance is above
 * AUC (1 - AUC) over that number (Birnbaum, Klose 1957, Annals of Mathematical Statistics 28).
 */
struct interval roc_auc_interval(const struct roc *r, double z);

/*
 * bootstrap_counts() - how often each of n units, n < 2^32, is in draw number 'draw'
 *
 * n times one of the units at random; the numbers depend on the seed and the draw alone.  'count' has
 * n numbers, which are overwritten.  O(n).  Source: Efron 1979, Annals of Statistics 7.
 */
void bootstrap_counts(uint64_t seed, int64_t draw, int64_t n, int32_t *count);

/*
 * bootstrap_interval() - the percentiles (1 - level) / 2 and (1 + level) / 2 of n values of draws
 *
 * Those of NAN are left out, of the m others the k-th least and largest are taken, k = (m + 1) (1 -
 * level) / 2 rounded down.  'value' is sorted.  NAN where k is 0: m draws do not tell such a level.
 * O(n log n).
 */
struct interval bootstrap_interval(double *value, int64_t n, double level);

/*
 * sign_test() - the probability of numbers at least as unequal as a and b, where each of the a + b cases
 * falls to either side with probability 1/2: twice the binomial sum up to the smaller one, at most 1
 *
 * McNemar's test, of a rows that one machine alone has right and b that another one alone has; exact,
 * for any numbers.  O(min(a, b)).  Source: McNemar 1947, Psychometrika 12.
 */
double sign_test(double a, double b);
