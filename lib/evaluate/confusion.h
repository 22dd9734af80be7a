/*
 * confusion.h - how often examples of each class were predicted to be of each class, and the
 * measures made of these counts
 *
 *                  predicted 1   predicted 2        class 1: 10 examples, 9 predictions
 *     label 1               8             2         precision 8/9, recall 8/10
 *     label 2               1             5
 *     other                 0             1         labels that the model does not know
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CONFUSION_H
#define RANDSVM_CONFUSION_H

#include "base/error.h"

/*
 * Counts of examples by true and predicted class, or sums of their weights.  Owns its arrays; a zeroed
 * struct is empty.
 */
struct confusion {
	int n_known; /* number of classes that can be predicted */
	/* number of classes, n_known + 1: the last class is all other labels together */
	int n;
	int *label;    /* labels of the classes, n_known, ascending */
	double *count; /* number of examples by true class and predicted class, [n][n] */
	/* sums of 'count' over the predicted classes: examples of each class, n */
	double *n_examples;
	/* sums of 'count' over the true classes: predictions of each class, n */
	double *n_predicted;
};

/*
 * confusion_init() - counts of 0 for the classes 'label', which differ
 *
 * 8 (n + 1)^2 bytes.  Fails with ERR_MEMORY, or ERR_ARGUMENT if n > CLASSES_MOST; '*c' is then
 * empty.
 */
int confusion_init(struct confusion *c, const int *label, int n, struct error *err);

void confusion_free(struct confusion *c);

/* confusion_add() - count an example of label 'target' as 'weight' > 0 equal ones */
void confusion_add(struct confusion *c, double predicted, double target, double weight);

/* Measures of one class against all others.  A measure that is not defined is NAN. */
struct class_measures {
	double n_examples, n_predicted, n_correct; /* numbers, or sums of weights */
	/* precision n_correct / n_predicted; NAN if the class was never predicted */
	double precision;
	double recall; /* recall n_correct / n_examples; NAN if there are no examples */
	/* F1 = 2 n_correct / (n_examples + n_predicted); NAN without examples and predictions */
	double f1;
};

/* confusion_class() - measures of class k, 0 .. c->n - 1; O(1) */
struct class_measures confusion_class(const struct confusion *c, int k);

struct confusion_summary {
	double balanced_accuracy; /* mean recall of the classes that have examples */
	/* means over the classes that have examples or were predicted; NAN counts as 0 */
	double macro_precision, macro_recall, macro_f1;
	/* F1 of the counts of all classes together, which equals precision, recall and accuracy */
	double micro_f1;
};

/* confusion_summarise() - measures over all classes, in O(n); all NAN if there are no examples */
struct confusion_summary confusion_summarise(const struct confusion *c);

#endif
