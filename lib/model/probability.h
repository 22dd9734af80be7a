/*
 * probability.h - decision values turned into probabilities, and the sigmoids that do it fitted
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/standard.h"

/*
 * probability_sigmoid() - 1 / (1 + exp(A f + B)), without overflow
 *
 * Source: Platt 2000; Lin, Lin, Weng 2007, section 3.
 */
double probability_sigmoid(double decision_value, double a, double b);

/* probability_clip() - 'p' cut to [1e-7, 1 - 1e-7], as LIBSVM cuts each pairwise estimate */
double probability_clip(double p);

/*
 * probability_couple() - class probabilities from pairwise ones
 *
 * pairwise[i][j] = r_ij (n_class x n_class, row-major, r_ij + r_ji = 1, clipped, diagonal
 * unused) is the estimate of P(class i | i or j).  Fills p[0..n_class-1], positive, sum 1, the
 * minimiser of
 *
 *     p'Qp = 1/2 sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2
 *
 * which is where all (Qp)_i are equal, by the fixed-point iteration of Wu, Lin, Weng 2004
 * ("Probability estimates for multi-class classification by pairwise coupling", J. Mach. Learn.
 * Res. 5, Algorithm 2), from p = 1 / n_class until max_i |(Qp)_i - p'Qp| < 0.005 / n_class or for
 * max(100, n_class) rounds.  That is an approximation, and the one that LIBSVM computes.  For two
 * classes p is r_01 and r_10 themselves, the exact minimiser, as in LIBSVM 3.24 and later
 * (svm-predict 3.24 prints these; the iteration differs in the third digit).  'work' has
 * room for n_class (n_class + 1) doubles.  O(n_class^2) a round.
 */
void probability_couple(int n_class, const double *pairwise, double *p, double *work);

/*
 * probability_density() - one-class: P(normal) from the marks of LIBSVM 3.30 and later
 *
 * 0.001 below the first of the ascending marks, 0.999 from the last on, and between
 * marks i-1 and i (the lower one included) i / n_marks.  At the very last mark LIBSVM says 0.
 *
 * Source: Que and Lin 2022, "One-class SVM probabilistic outputs".
 */
double probability_density(const double *marks, int n_marks, double decision_value);

/* Least number of decision values of either sign that marks are made of: half of LIBSVM's ten. */
#define PROBABILITY_LEAST_VALUES 5

/*
 * probability_fit_density() - the marks of a one-class model from decision values of its rows
 *
 * Sorts the n values.  Those below 0 and those from 0 on are cut into n_marks / 2 parts of as many
 * values each, and 0 lies between; marks are halfway from one cut to the next, so that between two
 * marks there are about as many rows on the same side as between any others.  n_marks is even.
 * Returns false, without marks, if there are less than n_marks / 2 values of either side.
 * O(n log n).  Source: Que and Lin 2022, as probability_density().
 */
bool probability_fit_density(double *values, int64_t n, int n_marks, double *marks);

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
 * weight over the mean weight, in all of these sums; 'weight' NULL: 1 each.  The minimum is found by
 * Newton's method with backtracking, from A = 0, B = log((n_minus + 1) / (n_plus + 1)), until both
 * derivatives are below 1e-5 in size, for at most 100 steps.  '*s' is the last iterate, whatever the
 * end.  O(n) a step, no allocation.
 *
 * Source: Lin, Lin, Weng 2007, "A note on Platt's probabilistic outputs for support vector
 * machines", Mach. Learn. 68; constants of its appendix, which LIBSVM has too.
 */
enum sigmoid_end sigmoid_fit(const double *f, const double *target, const double *weight, int64_t n,
			     struct sigmoid *s);
