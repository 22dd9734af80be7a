/*
 * training.h - the parameters of training, which svm-train's options set
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "kernel/kernel.h"

/* Tolerance that svm-train has by default: a larger one leaves wide gaps. */
#define TRAINING_USUAL_EPS 1e-3

/* Kernel cache that svm-train has by default, in 2^20 bytes, for LIBSVM alone. */
#define TRAINING_USUAL_CACHE_MB 100

/* Types of machine, numbered as the values of option -s. */
enum machine_type {
	MACHINE_C_SVC,
	MACHINE_NU_SVC,
	MACHINE_ONE_CLASS,
	MACHINE_EPSILON_SVR,
	MACHINE_NU_SVR
};

/* Number of machine types, the length of each table of them. */
#define MACHINE_N_TYPES (MACHINE_NU_SVR + 1)

static inline bool machine_classifies(enum machine_type type)
{
	return type == MACHINE_C_SVC || type == MACHINE_NU_SVC;
}

static inline bool machine_is_regression(enum machine_type type)
{
	return type == MACHINE_EPSILON_SVR || type == MACHINE_NU_SVR;
}

/* machine_fixes_sums() - does nu fix the sums of multipliers, in place of C or epsilon? */
static inline bool machine_fixes_sums(enum machine_type type)
{
	return type == MACHINE_NU_SVC || type == MACHINE_ONE_CLASS || type == MACHINE_NU_SVR;
}

/* machine_has_cost() - has the machine a parameter C? */
static inline bool machine_has_cost(enum machine_type type)
{
	return type != MACHINE_NU_SVC && type != MACHINE_ONE_CLASS;
}

/* One -wi option: C of class 'label' is multiplied by 'factor'. */
struct class_weight {
	int label;
	double factor;
};

struct training {
	enum machine_type type;
	struct kernel kernel;
	double C;	 /* parameter C of C-SVC, epsilon-SVR, nu-SVR; > 0 */
	double nu;	 /* parameter nu of nu-SVC, one-class, nu-SVR; (0, 1] */
	double p;	 /* epsilon-SVR: half-width of the tube, >= 0 */
	double cache_mb; /* kernel cache in 2^20 bytes, > 0 */
	double eps;	 /* tolerance of the KKT conditions, > 0 */
	int shrinking;	 /* option -h: 0 or 1 */
	int probability; /* option -b: 0 or 1 */
	/* squared losses, see problem.h; for C-SVC and epsilon-SVR with the linear kernel */
	bool squared_loss;
	/* logistic losses, see linear/logistic.h: of one_vs_rest.h, with the linear kernel */
	bool logistic_loss;
	int n_weights;
	const struct class_weight *weight; /* weights of classes, n_weights of them; borrowed */
};

/*
 * training_fault() - the words in which svm-train refuses the parameters, "C <= 0"; NULL:
 * parameters are good
 *
 * All parameters that the machine and the kernel have must be finite, too.  What does not go
 * together, or not with the rows, is found by machine_check() and machine_init().
 */
const char *training_fault(const struct training *t);
