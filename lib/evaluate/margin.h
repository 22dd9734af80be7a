/*
 * margin.h - a model's margins, and how many support vectors theorems say are enough for them
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/predict.h"

/*
 * margin_norms() - norm2[v] = |w|^2 of each of the p->n_values decision functions
 *
 * The margin, half the width of the corridor between the classes, is 1 / |w|.  For LIBSVM's models
 * |w|^2 = sum_jk coef_j coef_k K(s_j, s_k) in the space of the kernel, from the vectors and
 * coefficients of the file; it is below 0 for some kernels that are not positive definite.  For
 * LIBLINEAR's models |w|^2 is without the weight of the bias.
 *
 * O(n_sv^2) kernel values and 8 n_sv n_values bytes; O(weights) and no memory where the predictor
 * has weights.  The bits do not depend on n_threads.  Fails with ERR_MEMORY, or with ERR_ARGUMENT
 * for a precomputed kernel, whose values the file does not have.
 */
int margin_norms(const struct predictor *p, double *norm2, int n_threads, struct error *err);

/*
 * The functions below: n examples in a ball of radius L, a margin l = 1/|w|; all but a part 'loss' of
 * the margin, or of a regression's tube, is to be kept, with probability 1 - delta.  Sizes are
 * doubles, as they may be beyond any integer.
 */

/*
 * sv_sizes_margin() - k = 8 / loss^2 (1 + L / l)^2 ln(4 n / delta)
 *
 * The theorem has (1 + L^2) / (2 l) for L / l.  It holds for the rows in any unit, and so does what it
 * says: in the unit in which L is 1, where that quotient is least, it is L / l.
 *
 * For classes that a hyperplane separates; where they overlap the bounded support vectors are to
 * be added.  That k dimensions keep the margin is proved; that as many support vectors do is not.
 *
 * Source: arXiv 0909.3609, Theorems 1 to 3.
 */
double sv_sizes_margin(double n, double radius, double margin, double loss, double delta);

/*
 * sv_sizes_tube() - k = 2 (2 |w| L / (loss epsilon))^2 ln(4 n / delta)
 *
 * The least of |w|^2 + L^2, which the equation has for 2 |w| L, over the units of the rows.
 *
 * For a regression whose examples are within 'epsilon'.  Infinite for epsilon = 0.
 *
 * Source: arXiv 0909.3609, equation (8); its Theorem 4 prints another formula, which the proof does
 * not give.
 */
double sv_sizes_tube(double n, double radius, double margin, double epsilon, double loss,
		     double delta);

/*
 * sv_sizes_core() - (L / l)^2 / loss, the order of a core set's size
 *
 * So many examples have a hyperplane that separates all with a margin of (1 - loss) l, whatever n
 * is; up to a small factor, which depends on the algorithm that finds them.
 *
 * Source: Badoiu and Clarkson 2008; Gaertner and Jaggi 2009 (core sets for the distance of
 * polytopes).
 */
double sv_sizes_core(double radius, double margin, double loss);
