/*
 * class_curves.h - curves of each class against the rest, where there are more than two classes
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CLASS_CURVES_H
#define RANDSVM_CLASS_CURVES_H

#include <stdint.h>

#include "base/error.h"
#include "evaluate/roc.h"

/* The class of an example, by its number, and the weight of the example. */
struct curve_example {
	int class_number;
	double weight;
};

/*
 * Scores of all examples while they are added, and the curves in the end: as few large arrays,
 * since small ones are always in memory, and classes may be many.  Some 24 bytes for each example
 * and class.
 */
struct class_curves {
	int n;		  /* number of curves, or 0 */
	const int *label; /* labels of the classes, n; borrowed */
	int64_t n_examples, examples_capacity, scores_capacity;
	struct curve_example *example;
	double *score; /* scores of the classes, [n_examples][n], until the end; NAN: not known */
	struct scored_example *sorted; /* examples of all curves, class after class */
	/* curves in the model's order of classes, n; their arrays are in 'sorted' */
	struct roc *roc;
};

/*
 * class_curves_add() - an example counts if its label is a class whose score is known; ERR_MEMORY
 */
int class_curves_add(struct class_curves *c, const double *score, double target, double weight,
		     struct error *err);

/* class_curves_finish() - make the sorted curves of all that was added; ERR_MEMORY */
int class_curves_finish(struct class_curves *c, struct error *err);

void class_curves_free(struct class_curves *c);

#endif
