/*
 * classes.h - the classes of a training set, and the pairs of one-vs-one
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CLASSES_H
#define RANDSVM_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "matrix/dataset.h"
#include "problem/problem.h"
#include "problem/training.h"

/*
 * struct classes - labels in svm-train's order, and the rows of each
 *
 * In order of first occurrence; but {-1, +1} with -1 first becomes {+1, -1}.
 * Owns its arrays.
 */
struct classes {
	int n;
	int *label;	/* n */
	int64_t *start; /* n + 1: class c has row[start[c] .. start[c+1]-1] */
	int64_t *row;	/* all rows, ascending within a class */
};

/*
 * classes_init() - group the rows of 'd'
 *
 * ERR_FORMAT if a label is no integer, naming the example.  O(rows log classes).
 */
int classes_init(struct classes *c, const struct dataset *d, struct error *err);

void classes_free(struct classes *c);

/* classes_largest_pair() - examples in the two largest classes; O(classes) */
int64_t classes_largest_pair(const struct classes *c);

/* classes_c() - C of a class: t->C times all its weights, as in LIBSVM */
double classes_c(const struct training *t, int label);

/* A problem with the arrays it views. */
struct problem {
	struct problem_view view;
	int64_t *row;
	double *target;
};

/* Two classes by number, and the order of their examples. */
struct class_choice {
	int a, b;      /* 0 .. n - 1 of struct classes; a is +1 */
	bool by_class; /* class a's rows and then b's; else all in the order of the data */
};

/*
 * classes_pair_problem() - two classes against each other
 *
 * C of each is t->C times its class's weight.  The rows of 'd' are borrowed.  O(examples of the
 * two).  Fails with ERR_MEMORY only.
 */
int classes_pair_problem(struct problem *p, const struct classes *c, struct class_choice choice,
			 const struct dataset *d, const struct training *t, struct error *err);

/* regression_problem() - all rows of 'd' with their targets, for epsilon-SVR */
int regression_problem(struct problem *p, const struct dataset *d, const struct training *t,
		       struct error *err);

void problem_free(struct problem *p);

#endif
