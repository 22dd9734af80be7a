/*
 * univariate.h - features one by one: the t test of two classes, and F tests
 *
 * Each feature has a score of its own, whatever the other features are:
 *
 *     UNIVARIATE_T            |m_1 - m_2| / sqrt(v_1 / n_1 + v_2 / n_2)           (Welch's t)
 *     UNIVARIATE_F            [sum_c n_c (m_c - m)^2 / (K - 1)] /
 *                             [sum_c (n_c - 1) v_c / (n - K)]                     (ANOVA)
 *     UNIVARIATE_CORRELATION  (n - 2) r^2 / (1 - r^2)                             (F of r)
 *
 * with n_c rows, mean m_c and variance v_c (over n_c - 1) in class c of K, n and m those of all
 * rows, and r the correlation of the feature with the targets.  For two classes of equal size the
 * F of ANOVA is the square of t.
 *
 * Row i of weight w_i counts as w_i equal rows, so that with weights
 *
 *     n_c = sum_i w_i     m_c = sum_i w_i x_i / n_c     v_c = sum_i w_i (x_i - m_c)^2 / (n_c - 1)
 *
 * over the rows i of class c, n and m likewise over all rows, and r is the weighted correlation.
 * All weights times t are t times as many rows: F and the F of r change by a factor that all
 * features share, t mostly by one of about sqrt(t).
 *
 * Scores are always finite: one that is infinite, because the feature is constant in each class or
 * a linear function of the targets, is DBL_MAX.  A feature that is constant in all rows has 0.  For
 * t a class of one row, or of a weight up to 1, has no variance of its own: it is given that of the
 * other class.
 *
 * Sources: Welch 1947, Biometrika 34; Fisher 1925, Statistical Methods for Research Workers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "problem/classes.h"
#include "select/selection.h"

enum univariate_test { UNIVARIATE_T, UNIVARIATE_F, UNIVARIATE_CORRELATION };

struct univariate_options {
	enum univariate_test test;
	int64_t n_features;
	const struct classes *classes; /* classes of the rows of x: two for t, two or more for F */
	const double *target;	       /* targets for the correlation, one for each row of x */
	const double *weight;	       /* weights of the rows of x, above 0; NULL: 1 each */
	int n_threads;
};

/*
 * univariate_select() - the features with the largest scores, into the empty '*s'
 *
 * Features with values only; equal scores by ascending feature; all weights are 1.  The scores do
 * not depend on the size of the values (a power of two in all values of a feature changes no bit),
 * on n_threads, or on other features.  O(entries + features * K).  Memory: 12 bytes an entry, and
 * some 60 a feature.
 *
 * Fails with ERR_ARGUMENT or ERR_MEMORY; '*s' is then empty.  ERR_ARGUMENT is for classes of one
 * row each, or weights that add up to no more than their number, K; and for a correlation of fewer
 * than three rows, or weights up to 2 in all, or of targets that are all the same.
 */
int univariate_select(struct selection *s, const struct csr *x,
		      const struct univariate_options *options, struct error *err);
