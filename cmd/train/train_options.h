/*
 * train_options.h - options that randsvm-train shares with other programs that train
 *
 * The programs whose tables have them fill 'given' (train.h).  svm-train's options have
 * svm-train's words; training_fault() knows their ranges.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <limits.h>

#include "common/options.h"
#include "common/read_rows.h"
#include "train.h"

extern const char *const train_multiclass_names[];

/* Options of svm-train for the machine and its solver. */
#define TRAIN_MACHINE                                                                                       \
	CLI_INT('s', NULL, &given.svm_type, INT_MIN, INT_MAX, "svm_type",                                   \
		"set type of SVM\n"                                                                         \
		"0 -- C-SVC          (multi-class classification)\n"                                        \
		"1 -- nu-SVC         (multi-class classification)\n"                                        \
		"2 -- one-class SVM\n"                                                                      \
		"3 -- epsilon-SVR    (regression)\n"                                                        \
		"4 -- nu-SVR         (regression)",                                                         \
		.key = "svm_type"),                                                                         \
		CLI_INT('t', NULL, &given.kernel_type, INT_MIN, INT_MAX, "kernel_type",                     \
			"set type of kernel function\n"                                                     \
			"0 -- linear: u'*v\n"                                                               \
			"1 -- polynomial: (gamma*u'*v + coef0)^degree\n"                                    \
			"2 -- radial basis function: exp(-gamma*|u-v|^2)\n"                                 \
			"3 -- sigmoid: tanh(gamma*u'*v + coef0)\n"                                          \
			"4 -- precomputed kernel (kernel values in training_set_file)",                     \
			.key = "kernel_type"),                                                              \
		CLI_INT('d', NULL, &given.degree, INT_MIN, INT_MAX, "degree",                               \
			"set degree in kernel function", .key = "degree"),                                  \
		CLI_REAL('g', NULL, &given.machine.training.kernel.gamma, 0, 0, "gamma",                    \
			 "set gamma in kernel function", .otherwise = "1/num_features",                     \
			 .key = "gamma"),                                                                   \
		CLI_REAL('r', NULL, &given.machine.training.kernel.coef0, 0, 0, "coef0",                    \
			 "set coef0 in kernel function", .key = "coef0"),                                   \
		CLI_REAL('c', NULL, &given.machine.training.C, 0, 0, "cost",                                \
			 "set the parameter C of C-SVC, epsilon-SVR, and nu-SVR", .key = "C"),              \
		CLI_REAL('n', NULL, &given.machine.training.nu, 0, 0, "nu",                                 \
			 "set the parameter nu of nu-SVC, one-class SVM, and nu-SVR",                       \
			 .key = "nu"),                                                                      \
		CLI_REAL('p', NULL, &given.machine.training.p, 0, 0, "epsilon",                             \
			 "set the epsilon in loss function of epsilon-SVR", .key = "p"),                    \
		CLI_REAL('m', NULL, &given.cache_mb, 0, 0, "cachesize",                                     \
			 "set cache memory size in MB",                                                     \
			 .otherwise = "100; for working sets a quarter of the memory",                      \
			 .key = "cache_mb"),                                                                \
		CLI_REAL('e', NULL, &given.machine.training.eps, 0, 0, "epsilon",                           \
			 "set tolerance of termination criterion", .key = "eps"),                           \
		CLI_INT('h', NULL, &given.shrinking, INT_MIN, INT_MAX, "shrinking",                         \
			"whether to use the shrinking heuristics, 0 or 1", .key = "shrinking"),             \
		CLI_INT('b', NULL, &given.probability, INT_MIN, INT_MAX, "probability_estimates",           \
			"whether to train a model for probability estimates, 0 or 1",                       \
			.key = "probability"),                                                              \
		CLI_WEIGHT(                                                                                 \
			'w', &given.weights, "weight",                                                      \
			"set the parameter C of class i to weight*C, for C-SVC; -w auto: the weights that " \
			"make all classes count the same, n / (classes * examples of the class)",           \
			.key = "weights")

#define TRAIN_MULTICLASS                                                                         \
	CLI_CHOICE(0, "multiclass", &given.multiclass, train_multiclass_names, "WAY",            \
		   "what to do with more than two classes\n"                                     \
		   "ovo -- one model for each pair of classes, which vote, as in svm-train\n"    \
		   "ovr -- one for each class against all others, in a model file of LIBLINEAR " \
		   "(needs -t 0): for many classes, and for text")

#define TRAIN_LOSS                                                                                 \
	CLI_CHOICE(                                                                                \
		0, "loss", &given.loss, common_loss_names, "NAME",                                 \
		"what an example costs that is on the wrong side of its margin by v\n"             \
		"hinge -- C v, as in svm-train; in a regression v is what is beyond -p\n"          \
		"squared -- C v^2 (needs -t 0, and -s 0 or -s 3), as in liblinear-train -s 2 and " \
		"-s 11, but the constant is free")

#define TRAIN_ROW_WEIGHTS                                                                         \
	COMMON_ROW_WEIGHTS(&given.row_weights,                                                    \
			   "weights of the rows, by which their C is multiplied, as in LIBSVM's " \
			   "svm-train for weighted instances", )
