/*
 * eval.h - the parts of svm-eval
 *
 *     svm-eval.c         options, and which mode it is
 *     eval_run.c         what all modes have: files, the report, measures
 *     eval_predict.c     prediction, a pipeline over batches of rows
 *     eval_lines.c       the lines of predictions
 *     eval_table.c       --measure
 *     eval_weights.c     --weights
 *     eval_geometry.c    --geometry
 *     eval_certify.c     --certify
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_EVAL_H
#define RANDSVM_EVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/common_options.h"
#include "common/files.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "eval_measures.h"
#include "eval_remarks.h"
#include "io/byte_buffer.h"
#include "io/row_batch.h"
#include "matrix/dataset.h"
#include "model/model.h"
#include "model/predict.h"
#include "problem/training.h"

enum { LOSS_HINGE, LOSS_SQUARED };

/* What the command line says.  Written by main() before anything else runs. */
extern struct eval_settings {
	struct common_options common;

	/* prediction */
	int64_t probability;
	bool scores, metrics, with_labels, comments;
	double threshold; /* NAN: not given */
	const char *roc, *pr, *plot;
	const char *test_name, *model_name, *output_name;

	const char *measure; /* --measure */

	/* --weights */
	bool weights_of_model;
	int64_t top;
	const char *names;

	/* --geometry */
	const char *geometry, *reference;
	double ball_tolerance;

	/* --certify */
	const char *certify, *repair;
	struct training training;
	struct cli_weights weights;
	int loss;
} settings;

extern const struct cli_program eval_program;

/* The files that a run writes, by position in struct eval_run. */
enum { FILE_PREDICTIONS, FILE_ROC, FILE_PR, FILE_PLOT, FILE_REPORT, N_FILES };

/* What a run of any mode has. */
struct eval_run {
	struct cli_output file[N_FILES];
	FILE *info;	       /* stream for lines that are no predictions */
	struct report *report; /* report to add to, or NULL */
	struct report_phases phases;
	double started;
};

/* A run that measures predictions, made now or read from a file. */
struct eval_job {
	struct eval_run run;
	struct model model;
	struct predictor predictor;
	bool with_probabilities;
	struct measures measures;
	struct eval_remarks remarks;
	struct cli_progress progress;
};

/* ---- eval_run.c ---- */

/* eval_name_files() - the outputs, which must be no inputs, and run->info */
void eval_name_files(struct eval_run *run, const char *const *inputs, int n_inputs);

/* eval_begin_report() - before the work, so that a missing folder is found at once */
void eval_begin_report(struct eval_run *run);

/* eval_read() - examples into memory; ends the program if it cannot be done */
void eval_read(struct dataset *d, const char *name);

/* eval_finish() - the report is written, and all outputs appear together */
void eval_finish(struct eval_run *run);

/* eval_start_measures() - the files of measures; 'wanted': those of --metrics as well */
void eval_start_measures(struct eval_job *job, bool wanted);

/* eval_finish_measures() - write and print the measures, then eval_finish() */
void eval_finish_measures(struct eval_job *job);

/* ---- eval_lines.c ---- */

/* eval_name_columns() - the first line, if there are more columns than one; failure is in '*err' */
void eval_name_columns(const struct eval_job *job, struct output *to, struct error *err);

/* What is told of an example. */
struct eval_line {
	const double *values;	   /* values of the decision functions */
	const double *probability; /* probabilities of the classes, if job->with_probabilities */
	const struct outcome *outcome;
	struct text_span comment; /* comment from its '#' on; may be empty */
};

/* eval_add_line() - prediction, then probabilities or decision values, and the comment */
int eval_add_line(const struct eval_job *job, struct byte_buffer *to, const struct eval_line *line,
		  struct error *err);

/* ---- modes: each takes the n names of the command line, and returns the exit status ---- */

int eval_predict(char **names, int n);
int eval_measure(char **names, int n);
int eval_weights(char **names, int n);
int eval_geometry(char **names, int n);
int eval_certify(char **names, int n);

#endif
