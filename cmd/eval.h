/*
 * eval.h - the parts of svm-eval that do not predict
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_EVAL_H
#define RANDSVM_EVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/common_options.h"
#include "common/report.h"
#include "matrix/dataset.h"
#include "problem/training.h"

/* What both modes are given. */
struct eval_settings {
	const struct common_options *common;
	FILE *info;	       /* where the lines go */
	struct report *report; /* to add to, or NULL */
	struct report_phases *phases;
};

/* eval_read() - read examples into memory; ends the program if it cannot be done */
void eval_read(struct dataset *d, const char *name, const struct eval_settings *s);

/*
 * eval_geometry() - --geometry: print rank, radius and margin, and compare with a reference
 *
 * All names except 'data' may be NULL.  't' has p of a regression.  Ends the program on failure.
 */
struct geometry_files {
	const char *data, *reference, *model, *reference_model;
};

void eval_geometry(const struct geometry_files *files, double ball_tolerance,
		   const struct training *t, const struct eval_settings *s);

/*
 * eval_certify() - --certify: how near a model is to the optimum on its training set
 *
 * 't' has C, p, eps and weights; with 'balance', each class has the weight of
 * classes_balanced_weight() on top.  Returns the exit status: 1 if the model cannot have been
 * trained on that training set with these parameters.
 */
int eval_certify(const char *training_name, const char *model_name, const struct training *t,
		 bool balance, const struct eval_settings *s);

/*
 * eval_weights() - --weights: print the weights of the features of a linear model
 *
 * 'names_file', a name for each feature, may be NULL.  'top' features of largest weight, or all for
 * 0.  'quiet': without notes on the names.  Ends the program on failure.
 */
void eval_weights(const char *model_name, const char *names_file, int64_t top, bool quiet);

#endif
