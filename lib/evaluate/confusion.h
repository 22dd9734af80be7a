/*
 * confusion.h - which classes were taken for which, and the measures made of that
 *
 *                  predicted 1   predicted 2        class 1: 10 examples, 9 predicted so
 *     label 1               8             2         precision 8/9, recall 8/10
 *     label 2               1             5
 *     other                 0             1         labels that the model does not know
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CONFUSION_H
#define RANDSVM_CONFUSION_H

#include <stdint.h>

#include "base/error.h"

/* Owns its arrays; a zeroed struct is empty. */
struct confusion {
	int n_known;	/* classes that can be predicted */
	int n;		/* n_known + 1: the last stands for all other labels together */
	int *label;	/* n_known, ascending */
	int64_t *count; /* [n][n]: label, prediction */
};

/* confusion_init() - no examples yet, of the n labels; O(n^2) memory; ERR_MEMORY */
int confusion_init(struct confusion *c, const int *label, int n, struct error *err);

void confusion_free(struct confusion *c);

/* confusion_find() - the number of the class of that label; n_known if there is none */
int confusion_find(const struct confusion *c, double label);

/* confusion_add() - one more example */
void confusion_add(struct confusion *c, double predicted, double target);

/* NAN is what is not defined. */
struct class_measures {
	int64_t n_examples, n_predicted, n_correct;
	double precision; /* n_correct / n_predicted; NAN if it was never predicted */
	double recall;	  /* n_correct / n_examples; NAN if there are no examples */
	double f1;	  /* 2 n_correct / (n_examples + n_predicted); NAN if neither is there */
};

/* confusion_class() - of class k of c->n, against all others */
struct class_measures confusion_class(const struct confusion *c, int k);

struct confusion_summary {
	double balanced_accuracy; /* mean recall of the classes that have examples */
	/* means over the classes that have examples or were predicted; what is NAN counts as 0 */
	double macro_precision, macro_recall, macro_f1;
	/* from the counts of all classes together; precision, recall and accuracy are the same */
	double micro_f1;
};

/* confusion_summarise() - all NAN without examples; O(n^2) */
struct confusion_summary confusion_summarise(const struct confusion *c);

#endif
