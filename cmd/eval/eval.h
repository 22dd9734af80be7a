/*
 * eval.h - the parts of svm-eval
 *
 *     svm-eval.c         options, and which mode it is
 *     eval_run.c         what all modes have: files, the report, measures and their pictures
 *     eval_predict.c     prediction, a pipeline over batches of rows; --certify and --predict;
 *                        --measure
 *     eval_table.c       predictions in a file: of --measure, --calibrate and --compare
 *     eval_intervals.c   --intervals, --compare
 *     eval_calibrate.c   --calibrate: probabilities, sets, intervals and thresholds of what a file tells
 *     eval_remarks.c     what in the rows of a test file does not fit the model
 *     eval_summary.c     --summary
 *     eval_check.c       --check
 *     eval_geometry.c    --geometry
 *     eval_certify.c     --certify, and the file of --certificate
 *     eval_reduce.c      --reduce; --weights
 *     eval_chain.c       --chain, --export
 *     eval_explain.c     --explain
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "base/decimal.h"
#include "chain/chain.h"
#include "common/eval_measures.h"
#include "common/prediction_table.h"
#include "common/run.h"
#include "evaluate/calibration.h"
#include "matrix/row_groups.h"
#include "matrix/row_weights.h"

enum weight_sign { WEIGHT_SIGN_BOTH, WEIGHT_SIGN_PLUS, WEIGHT_SIGN_MINUS };

/* Settings of the command line, written by main() before any other function runs. */
extern struct eval_settings {
	struct common_options common;

	/* prediction */
	int64_t probability;
	bool scores, metrics, with_labels, comments;
	int answer_errors; /* a malformed row has an answer, and does not end the run */
	bool allow_empty;  /* acceptance of a test file without rows */
	int64_t summary;   /* rows of a line of --summary; 0: none */
	double threshold;  /* threshold of scores for the larger label; NAN: not given */
	const char *roc, *pr, *plot;
	/* files of test_name or --geometry, and of --certify or --reference */
	struct data_files test, other;
	const char *test_name, *model_name, *output_name;

	const char *check;   /* name of the file for --check */
	const char *measure; /* name of the file for --measure */

	double intervals; /* level of intervals, of measures or, with --calibrate, of a regression; 0: none */
	const char *compare; /* name of the other file of predictions, for --compare */
	uint64_t seed;
	/* --calibrate: the shares of what is wanted are 0 where it is not */
	const char *calibrate;
	int method; /* enum calibration_method */
	double sets, false_alarms;

	/* --weights */
	bool weights_of_model;
	int64_t top;
	int sign;	   /* enum weight_sign */
	const char *names; /* file of the names of features, of --explain, too; or NULL */

	/* --explain: number of reasons of a row, 0: all in a table; file of background rows, or NULL */
	int64_t explain;
	const char *background;

	const char *chain; /* file that --chain writes */
	int export;	   /* enum export_kind */

	const char *labels; /* file of the names of classes; or NULL */

	/* --geometry */
	const char *geometry, *reference;
	double ball_tolerance;

	/* --reduce */
	int64_t reduce;
	bool retrain;

	/* --certify, and --retrain */
	const char *certify, *repair, *predict, *certificate;
	bool exact;
	struct training training;
	struct cli_weights weights;
	int loss;

	const char *row_weights; /* file of -W; or NULL */
} settings;

extern const struct cli_program eval_program;

/* Files that a run writes, by position in struct cli_run. */
enum { FILE_PREDICTIONS, FILE_ROC, FILE_PR, FILE_PLOT, FILE_CERTIFICATE };

/* ---- eval_remarks.c: what in the rows of a test file does not fit the model ---- */

/*
 * Rows of other features than the model's are predicted all the same, and badly.  What is counted
 * here on the way costs a look at the label and at the first and last entry of each row, and at the
 * values of the first thousand rows.
 */

/*
 * How large the values of rows are: that of a row is ln max_k |x_k|; rows without a value but 0
 * have none.
 */
struct row_sizes {
	double sum, most; /* sum of the sizes; the largest |x_k| of all */
	/* rows that have a size; and those most of whose values are above all of the support vectors */
	int64_t n, n_above;
};

/* Number of classes, the model's first, whose predictions are counted. */
enum { EVAL_CLASSES_COUNTED = 100 };

struct eval_remarks {
	const struct predictor *predictor;
	int64_t n_features; /* highest feature of the model */
	bool has_feature_0; /* feature 0 occurs in the model */
	struct row_sizes of_vectors, of_rows;
	int64_t n_rows, n_unlabelled;
	/* number of rows whose label is no class of the model */
	int64_t n_foreign;
	/* numbers of entries: all; above n_features; of feature 0 */
	int64_t n_entries, n_beyond, n_zero;
	int64_t max_index;
	/* rows with a label: numbers of those predicted as each class, and of those that have its label */
	int64_t n_predicted[EVAL_CLASSES_COUNTED], n_labelled[EVAL_CLASSES_COUNTED];
	bool by_chain;	    /* maps of a chain come first */
	int64_t n_far;	    /* rows most of whose values are out of its ranges */
	double least, most; /* decision values, or sizes of the largest of several */
	/* number of rows with values that are not finite; first such row */
	int64_t n_overflows, first_overflow;
};

/* eval_remarks_begin() - begin the counts for a model; O(entries of the model) */
struct eval_remarks eval_remarks_begin(const struct predictor *p);

/* eval_remarks_add() - count the rows of a batch; labels that are NaN are not known */
void eval_remarks_add(struct eval_remarks *r, const struct row_batch *batch);

/* eval_remarks_add_prediction() - count a prediction, by its class unless the label is NaN; O(classes) */
void eval_remarks_add_prediction(struct eval_remarks *r, const struct outcome *row);

/*
 * eval_remarks_values() - note if many values are of features that the model does not have, or if
 * values differ so much from those of the support vectors that they were hardly scaled alike
 */
void eval_remarks_values(const struct eval_remarks *r);

/*
 * eval_remarks_tell() - a note on standard error for each thing that is probably a slip, and a warning
 * if the predictions of some rows may be worthless
 */
void eval_remarks_tell(const struct eval_remarks *r);

/* ---- jobs ---- */

/* What --calibrate makes of its file, and what the labels of the test_file say of that. */
struct eval_calibration {
	int n;		/* the model's classes, 2 sides, or 1 for a regression; 0: no --calibrate */
	double share;	/* share of rows that may be wrong; 0: probabilities are wanted */
	int quiet;	/* class of which rows may be false alarms; -1: these are not wanted */
	bool with_ends; /* p0 and p1 of Venn-Abers, or those of an interval, are written */
	int64_t n_rows; /* rows of the file that were used */
	enum calibration_method method;
	struct coupling coupling; /* of three classes or more */
	struct calibration *of_class;
	double size, n_judged; /* sum of the sizes of sets; rows with a label, by weight */
};

/* A run that measures predictions, which are made now or read from a file. */
struct eval_job {
	struct cli_run *run;
	struct chain chain; /* the model, and what rows pass before it */
	struct predictor predictor;
	bool with_probabilities;
	struct class_names names; /* names of the classes, by --labels; else none */
	struct measures measures;
	struct prediction_table
		table; /* predictions with labels, of --measure, --compare or --calibrate */
	struct eval_calibration calibration;
	struct eval_remarks remarks;
	/* of --on-error: malformed rows, and those of which the chain makes no numbers; the first of both */
	int64_t n_refused, n_overflown;
	struct error first_refused;
	int64_t n_unranged;	    /* values of features without a range, of the chain */
	struct row_weights weights; /* weights of the rows, by -W; else empty */
	struct row_groups groups;   /* groups of the rows, with --by-qid; else empty */
	bool has_qid;		    /* some row has a qid */
	bool has_groups;	    /* with --intervals: rows are drawn by group */
	int64_t n_weighed;	    /* number of rows that have had theirs */
	/* with --intervals: number of rows or groups to draw; figures with their intervals */
	int64_t n_units;
	int n_figures;
	struct figure *figure;
	double *drawn; /* figures of the draws, a row for each figure */
	/*
	 * with --compare all figures are differences from those of other predictions; numbers of rows that
	 * these and those alone have right, and how probable that is by chance, or NAN
	 */
	struct eval_job *other;
	double n_alone[2], mcnemar;
	/* --predict: the certificate, how many predictions it proves, and the largest 'within' */
	struct model_certificate certificate;
	int64_t n_proved;
	double within;
	struct explanation *explanation; /* --explain; else NULL */
	double explained_to;
};

/* ---- eval_run.c ---- */

/*
 * eval_take_names() - test_file, unless --predict or --export has one or none, model_file and, if it must
 * be there or is, output_file
 */
void eval_take_names(char **names, int n, bool needs_output);

/* eval_open() - name the files of the settings, and begin the report */
void eval_open(struct cli_run *run);

/* eval_training() - the parameters of training that the options give, except for -w auto */
struct training eval_training(void);

/* eval_start_measures() - open the files of measures; 'wanted': --metrics was given */
void eval_start_measures(struct eval_job *job, bool wanted);

/*
 * eval_weight() - the weight of the next row: 1 without -W, or where -W is of the training set; 0
 * beyond the last of them
 */
static inline double eval_weight(struct eval_job *job)
{
	const int64_t i = job->n_weighed++;

	if (!settings.row_weights || settings.predict)
		return 1;
	return i < job->weights.n ? job->weights.value[i] : 0;
}

/* eval_finish_measures() - write and print the measures, then cli_run_commit() */
void eval_finish_measures(struct eval_job *job);

/* ---- eval_summary.c: lines of --summary, about all rows since the last one ---- */

/* eval_summary_add() - count a row, or NULL for one that was refused, and say the line if it is full */
int eval_summary_add(struct eval_job *job, const struct outcome *row, struct error *err);

/* eval_summary_say() - say the line, if it has any rows */
int eval_summary_say(struct eval_job *job, struct error *err);

/* ---- eval_table.c ---- */

/* eval_open_table() - read a file into job->table, or end the program; returns its predictor */
struct predictor eval_open_table(struct eval_job *job, const char *name);

/* eval_measure_table() - measure the rows of job->table as if they had just been predicted */
void eval_measure_table(struct eval_job *job);

/* eval_check_weights() - end the program unless there were as many rows in 'data' as weights */
void eval_check_weights(struct eval_job *job, const char *data);

/* eval_add_number() - append a separator, unless it is 0, and a number; DECIMAL_SHORTEST_SIZE more have room */
static inline void eval_add_number(struct byte_buffer *t, char before, double value)
{
	byte_buffer_add(t, &before, before != 0);
	t->size += decimal_shortest(value, t->bytes + t->size);
}

/* ---- eval_explain.c ---- */

/*
 * eval_name_features() - names of the features of the data: those of --names, or of the columns of a
 * table or the choices of a chain; none where these have none
 *
 * Ends the program where the names are too few, or a map of the chain makes features of many others.
 */
void eval_name_features(struct feature_names *names, const struct chain *c,
			const struct predictor *p, const char *option);

/* eval_explain_begin() - read what --explain takes of the model, names and background of the job */
struct explanation *eval_explain_begin(struct eval_job *job);

/* eval_explain_heading() - the first line, which names the columns; failures show in 'err' */
void eval_explain_heading(const struct explanation *e, struct output *to, struct error *err);

/* Rows in a batch, which a thread takes at a time. */
enum { EXPLAIN_ROWS = 64 };

/* What a thread makes of a batch: a line of text for each row. */
struct explained {
	const struct explanation *by;
	struct outcome *outcome; /* predictions of the next rows */
	struct byte_buffer *text;
	int64_t n_rows;
	double bound;	     /* the largest of all rows so far */
	struct error failed; /* failure, at row n_rows of the batch */
};

/* eval_explain_rows() - append lines of at most SHAPLEY_ROWS rows with these decision values */
void eval_explain_rows(struct explained *to, const struct row_view *rows, const double *values,
		       struct predictor_scratch *scratch);

/* eval_explain_end() - tell and report how exact the values are, and free what is left */
void eval_explain_end(struct explanation *e, double bound);

/* ---- eval_intervals.c ---- */

/* eval_find_intervals() - find intervals if they are wanted, after measures_finish(); reports them */
void eval_find_intervals(struct eval_job *job, struct report *report);

/* eval_print_intervals() - print them, with notes where they are doubtful */
void eval_print_intervals(const struct eval_job *job);

/* ---- eval_calibrate.c ---- */

extern const char *const eval_method_names[];

/* eval_calibrate() - read the file of --calibrate and fit what is wanted to it, or end the program */
void eval_calibrate(struct eval_job *job);

/* eval_judge() - count a row with a label by what was said of it */
void eval_judge(struct eval_job *job, const struct outcome *o);

/* eval_tell_calibration() - print and report what it was made of, and how right it was; frees it */
void eval_tell_calibration(struct eval_job *job);

/* ---- eval_certify.c ---- */

/*
 * eval_certify_model() - certify the model, and tell; returns whether it cannot come from this
 * training set and these parameters
 */
bool eval_certify_model(struct cli_run *run, const struct model *m, struct model_certificate *c);

/* ---- modes: each takes the n names of the command line, and returns the exit status ---- */

int eval_predict(struct cli_run *run, char **names, int n);
int eval_measure(struct cli_run *run, char **names, int n);
int eval_chain(struct cli_run *run, char **names, int n);
int eval_export(struct cli_run *run, char **names, int n);
int eval_check(struct cli_run *run, char **names, int n);
int eval_weights(struct cli_run *run, char **names, int n);
int eval_geometry(struct cli_run *run, char **names, int n);
int eval_certify(struct cli_run *run, char **names, int n);
int eval_reduce(struct cli_run *run, char **names, int n);
