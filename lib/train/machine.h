/*
 * machine.h - a machine to train: from what a caller asks for to a trainer, or to a refusal
 *
 *     struct machine_given, rows --> machine_init() --> struct trainer, classes
 *                                        `--> struct machine_fault
 *
 * Every caller that trains goes this way: defaults, checks, classes and weights are the same for all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/trainer.h"

/* What a caller asks for.  A zeroed struct asks for no more than its 'training'; all is borrowed. */
struct machine_given {
	/* a gamma of 0 stands for 1 / the highest index of a feature */
	struct training training;
	/* how to train; its eps is that of 'training' */
	struct randsvm_options options;
	/* n_weights further weights of classes, in arrays of their own */
	int n_weights;
	const int *label;
	const double *factor;
	/* each class gets the weight besides with which it counts as much as each other */
	bool balanced;
	bool gamma_is_given; /* a gamma of 0 is no default */
	bool one_vs_rest;    /* machines of each class against all others: one_vs_rest.h */
	bool any_kernel;     /* precomputed values that contradict each other are no fault */
	bool takes_libsvm; /* LIBSVM may train on all rows at once, where direct_reason() says so */
	bool direct;	   /* LIBSVM trains, and its solution is taken as it is */
	bool by_libsvm;	   /* LIBSVM is the solver of the working sets */
	double cache_mb;   /* kernel values in 2^20 bytes; 0: machine_usual_cache_mb() */
	const struct interruption *interruption; /* or NULL */
};

/* What is wrong with what is given, or with the rows for it. */
enum machine_fault_kind {
	FAULT_NONE,
	FAULT_NUMBER,  /* a parameter, the number of rows or of weights */
	FAULT_VALUE,   /* likewise, in words that end in the value */
	FAULT_WEIGHT,  /* a weight of a class */
	FAULT_LOSS,    /* squared losses, for another kernel or type of machine */
	FAULT_REST,    /* one_vs_rest, for another kernel or type */
	FAULT_BALANCE, /* balanced, for another type */
	FAULT_MARKS,   /* one-class, with probabilities and weights of rows */
	FAULT_KERNEL,  /* rows are no precomputed kernel's */
	FAULT_LABELS,  /* a label is no class */
	FAULT_CLASSES, /* more than CLASSES_MOST */
	FAULT_NU,      /* nu, for the sizes of the classes */
};

struct machine_fault {
	enum machine_fault_kind kind;
	const char *parameter; /* the field that does not fit, "kernel"; NULL: the words name it */
	const char *words;     /* of those that need no rows, and of FAULT_NU */
	double value;	       /* of the parameter, if it is a number */
};

/*
 * A machine that can be trained: its trainer, and all that points to.  Owns weights and classes,
 * borrows the rows, and must not move.
 */
struct machine {
	struct machine_given given;
	struct machine_fault fault;
	struct training training; /* that given, with defaults, and all weights of classes */
	struct class_weight *weight;
	struct classes classes; /* empty for a machine without classes */
	struct randsvm_options options;
	struct solver solver;
	struct glibc_rand draws; /* by the seed of the options */
	struct trainer trainer;
	const char *direct_reason; /* why LIBSVM trains on all rows at once; NULL: it does not */
};

/* machine_usual_cache_mb() - a quarter of the memory that is to be had, in 2^20 bytes */
double machine_usual_cache_mb(void);

/* machine_check() - what is wrong with parameters that do not go together, whatever the rows are */
struct machine_fault machine_check(const struct machine_given *given);

/*
 * machine_init() - check all that is given, and the rows, and make the trainer
 *
 * A budget of fewer examples than rows makes mode budget of mode exact.  Fails with ERR_ARGUMENT and
 * the words of m->fault, or as classes_init() does, or with ERR_MEMORY; machine_free() follows, after
 * a failure too.  O(rows).
 */
int machine_init(struct machine *m, const struct dataset *data, const struct machine_given *given,
		 struct error *err);

void machine_free(struct machine *m);

/* machine_classes() - the classes; NULL for a machine that has none */
const struct classes *machine_classes(const struct machine *m);

/* machine_n_problems() - number of problems to solve: of pairs of classes, or one_vs_rest_count() */
int64_t machine_n_problems(const struct machine *m);
