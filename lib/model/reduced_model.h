/*
 * reduced_model.h - a kernel model of fewer support vectors with nearly the same decision values
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/model.h"
#include "problem/training.h"

/*
 * model_reduce() - n_wanted of the model's support vectors, with the coefficients nearest to it
 *
 *     f(x) = sum_j coef_j K(s_j, x),  j over the support vectors of the pair's two classes
 *     g(x) = sum_l beta_l K(l, x),    l over the landmarks chosen among these
 *
 * Each landmark keeps its class, so that a prediction costs n_wanted kernel values whatever the number
 * of pairs.  beta makes |f - g| smallest, the norm of the space of K's functions (for which K is
 * rbf, or a polynomial that is kernel_is_definite()): K_LL beta = f(L), so g is f on the landmarks.
 * |f(x) - g(x)| is at most |f - g| sqrt(K(x, x)) for any x.
 *
 * Landmarks are chosen one by one: the one for which the sum over the pairs of the decrease of
 * |f - g|^2 is largest.  All support vectors that do not depend on others give f back.
 *
 * The empty '*reduced' has the constants, labels and probabilities of 'm'.
 * lost[q], for each pair, becomes |f - g| / |f|, to some 1e-8; 0 where f is 0.
 *
 * With S support vectors, k landmarks and p pairs: O(S (S + k)) kernel values, O(S k^2 p) time at
 * most, evenly sized classes making it O(S k^2 / classes) in all.  Memory: 8 bytes times k times the
 * vectors of a pair's classes, summed over the pairs that a landmark counts in, O(8 S k).
 *
 * Fails with ERR_MEMORY; with ERR_ARGUMENT for LIBLINEAR's kind of model, other kernels, and without
 * support vectors; with ERR_NUMERIC where a number is not finite.  '*reduced' is then empty.
 *
 * Sources: Burges 1996, Simplified support vector decision rules (the norm); Vincent and Bengio 2002,
 * Kernel matching pursuit (the choice); Mueller and Schaback 2009, A Newton basis for kernel spaces
 * (the basis, in which a landmark more changes none of the coefficients before).
 */
int model_reduce(struct model *reduced, const struct model *m, int64_t n_wanted, double *lost,
		 int n_threads, struct error *err);

/*
 * model_retrain() - train the coefficients of a model's support vectors on data
 *
 * The decision function of each pair becomes the optimum, over all sums of kernels with the pair's
 * support vectors, of its problem on the rows of its classes in 'd': a linear machine of Nystrom's
 * features (nystrom.h) with these landmarks, carried back.  Weights of rows count as in training.
 * 't' has the parameters of training; type and kernel are the model's own.  Probabilities of the
 * model are dropped: they are others now.
 *
 * A linear training for each pair, and O(rows of the pair x its vectors) kernel values and 12 bytes
 * each.  Fails as nystrom_fit() and trainer_run() do, with ERR_ARGUMENT if 'd' lacks a class, or
 * with ERR_NUMERIC where a number is not finite; the model is then undefined, and to be freed.
 */
int model_retrain(struct model *m, const struct dataset *d, const struct training *t, uint64_t seed,
		  int n_threads, struct error *err);
