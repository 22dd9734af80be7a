/*
 * one_vs_rest.h - linear machines for several classes, each class against all others together
 *
 * For class c of k, with y_i = +1 for its rows and -1 for all others,
 *
 *     minimise over w, b   1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.x_i + b))
 *
 * as for a pair of classes, or with the logistic losses of logistic.h: b is free.  C_i is C times the weight of class c for its own rows and C
 * for all others, as in LIBLINEAR.  The class with the largest w.x + b is predicted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "train/trainer.h"

/* Weights of machines that tell each class from the rest.  Owns its arrays; a zeroed struct is empty. */
struct one_vs_rest {
	/* number of machines: one for each class; or 1, for the first of two classes */
	int n_machines;
	int64_t n_features; /* features of the data, numbered from 1 */
	/* weights, [n_features + 1][n_machines]; the last row has the constants b */
	double *w;
	/* by machine, those of P(class) = 1 / (1 + exp(A f + B)); NULL: without probabilities */
	double *prob_a, *prob_b;
	bool squared_loss, logistic_loss;
};

/* one_vs_rest_count() - number of machines for n_classes classes: 1 for two */
static inline int one_vs_rest_count(int n_class)
{
	return n_class == 2 ? 1 : n_class;
}

/*
 * one_vs_rest_run() - train all machines, to t->options->eps or t->options->gap
 *
 * Fills the empty '*found', and 'results', one_vs_rest_count() elements: label_a is the class,
 * label_b that of the other where there are two and 0 otherwise.  Each machine uses the seed of
 * t->options and draws what it would alone: nothing depends on n_threads, nor on the other classes.
 *
 * The rows are copied once, for all machines together (12 bytes an entry).  A machine takes 8 bytes
 * an entry and some 20 numbers a row while it is trained; as many are trained at once as there are
 * threads, or one by all threads where there are fewer machines.  Column 0 of the rows must be
 * empty: LIBLINEAR's models do not have it.
 *
 * Observers are called as by trainer_run(), with one round for each machine.  Fails with
 * ERR_MEMORY, as full_weights() does for the highest feature, or as randsvm_solve() does; '*found'
 * is then empty.
 */
int one_vs_rest_run(const struct trainer *t, const struct classes *classes,
		    struct one_vs_rest *found, struct pair_result *results, struct error *err);

void one_vs_rest_free(struct one_vs_rest *o);
