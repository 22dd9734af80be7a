/*
 * svm_train_lines.h - svm-train's lines of a training, which people parse
 *
 *     optimization finished, #iter = 162
 *     nu = 0.431029
 *     obj = -100.877288, rho = 0.424462
 *     nSV = 132, nBSV = 107
 *     Total nSV = 132
 *
 * Each call gives the receiver whole lines, with their ends; where that is NULL they are dropped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "model/probability.h"
#include "train/trainer.h"

/* svm_train_pair_lines() - the block of one pair of classes; obj is a minimum, as LIBSVM has it */
void svm_train_pair_lines(const struct training *t, const struct pair_result *pair,
			  const struct libsvm_messages *to);

/* svm_train_model_lines() - the blocks of all pairs, and of classes the number of vectors */
void svm_train_model_lines(const struct training *t, const struct solution *s,
			   const struct pair_result *pairs, const struct libsvm_messages *to);

/* svm_train_sigmoid_lines() - what is said of a sigmoid that was not fitted to the end, if so */
void svm_train_sigmoid_lines(enum sigmoid_end end, const struct libsvm_messages *to);

/* svm_train_scale_lines() - the distribution of a regression's errors, see train_calibrated() */
void svm_train_scale_lines(double sigma, const struct libsvm_messages *to);
