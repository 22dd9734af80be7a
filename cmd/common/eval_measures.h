/*
 * eval_measures.h - what svm-eval says of predictions beyond svm-predict's lines
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "names.h"
#include "evaluate/cv_predictions.h"
#include "files.h"
#include "report.h"
#include "evaluate/certify.h"
#include "evaluate/metric_intervals.h"
#include "model/predict.h"

/* Prediction of an example, with all that the measures need. */
struct outcome {
	double predicted, target;
	double weight; /* number of examples that it counts as, above 0; 1 without weights */
	double score;  /* score to compare with --threshold, for two classes; NAN: not known */
	/* log loss and Brier score; NAN without probabilities, or for an unknown label */
	double log_loss, brier;
	/* probability of the larger of two labels, or of the predicted label; NAN: not known */
	double probability;
	const double *class_score; /* scores of each class, if m->classes.n; borrowed until added */
	int64_t unit; /* number of the row, or of its group, that bootstraps draw as a whole */
	/* of svm-eval --calibrate: number of classes in the set; whether its label is one */
	int set_size;
	bool is_covered;
	/* with svm-eval --summary: marks of chain_row_marks(), and the decision value that is told */
	int marks;
	double value;
	struct proved_prediction proved; /* what is proved of it, with svm-eval --predict; else 0 */
};

/* Points of a plot: at most MOST_POINTS, every stride-th example. */
struct sample_points {
	int64_t n, capacity, stride, seen;
	double *target, *predicted;
};

/* Labels of the two classes of a curve, or of one-class and the rest. */
struct two_sides {
	bool known;
	int label[2];	   /* larger label, smaller label */
	double score_sign; /* sign of a decision value that speaks for the larger label */
};

/* Sums over the examples for whose label a probability is known. */
struct probability_sums {
	double n; /* number of examples, or sum of their weights */
	double log_loss, brier;
};

struct measures {
	bool wanted;			 /* --metrics was given */
	const struct class_names *names; /* names of the classes, of --labels; or NULL */
	const char
		*curve; /* the option that asks for a file of curves, "--roc" or "--pr"; or NULL */
	bool plots;	/* --plot was given */
	/* least score for which the larger label is predicted, by --threshold; NAN: not given */
	double threshold;
	bool by_class; /* decision values are of classes, not of pairs of classes */
	enum prediction_kind kind;
	bool with_probabilities;
	struct two_sides two;
	struct metrics sums;
	struct confusion confusion;
	struct roc roc;
	struct class_curves classes;
	struct calibration_bins calibration;
	struct sample_points points;
	struct probability_sums probabilities;
	bool keeps; /* the outcomes are kept, so that they can be drawn from */
	int64_t n_kept, kept_capacity, scores_capacity;
	struct outcome *kept;
	double *kept_score; /* scores of the classes, [n_kept][classes.n] */
};

/* A number among the measures, of all rows or of one class. */
struct figure {
	const char *name; /* its key in reports */
	int class_number; /* number of the class in the confusion; -1: of all rows */
	double value;	  /* NAN: undefined */
	double n; /* number of cases of which it is a share, in percent if of all rows; or 0 */
	struct interval interval;
	const char *method; /* name of how the interval was found */
};

/*
 * measures_begin() - needs the predictor: its kind, classes and number of values
 *
 * Ends the program if a curve or a threshold is not for such a model, or if no value can have the
 * threshold.
 */
void measures_begin(struct measures *m, const struct predictor *p, bool with_probabilities);

/*
 * measures_of() - the outcome of an example; threads may share m; reads probabilities if there are any
 *
 * Its prediction is that of 'r', or by the threshold if there is one and the score is known.
 * 'class_score' has room for m->classes.n numbers, which the outcome borrows.
 *
 * NAN among values or probabilities stands for what the model does not know: a class that the
 * training rows of a fold lack.  The one rule for all measures of values: a row counts if its
 * model knows its label, and for the curves of the classes that its model knows; a class that the
 * model does not know has the probability 0.
 */
struct outcome measures_of(const struct measures *m, const struct row_prediction *r, double target,
			   double *class_score);

/* measures_add() - add the next example; fails with ERR_MEMORY */
int measures_add(struct measures *m, const struct outcome *outcome, struct error *err);

/* measures_finish() - after the last example: sort those of the curves */
void measures_finish(struct measures *m);

/* cv_measures_wanted() - measures that have no files, for cv_measures() */
struct measures cv_measures_wanted(void);

/*
 * cv_measures() - sum up n rows of 'd' that a cross validation predicted, with their labels or targets
 * and weights: row[k], or all n of them if 'row' is NULL
 *
 * Calls measures_begin() and measures_finish().  'type' is that of the machine.  On failure,
 * ERR_MEMORY, '*m' is freed.
 */
int cv_measures(struct measures *m, const struct cv_predictions *c, enum machine_type type,
		const struct dataset *d, const int64_t *row, int64_t n, struct error *err);

/*
 * measures_auc() - area under the curve of two classes; of more, the mean of those of each class
 * against the rest; NAN where there are not examples of two classes
 *
 * After measures_finish().
 */
double measures_auc(const struct measures *m);

/* measures_mean() - mean area under the curves of the classes that have both examples and others */
double measures_mean(const struct measures *m, double (*area)(const struct roc *r));

/* MEASURES_CLASS() - the name or label of class k, or "other", until the end of the block */
#define MEASURES_CLASS(m, k) \
	((k) < (m)->confusion.n_known ? CLASS_NAME((m)->names, (m)->confusion.label[k]) : "other")

/* measures_report_class() - add label and name of class k, or "other" */
void measures_report_class(struct report *item, const struct measures *m, int k);

/*
 * measures_shown_classes() - the rows of tables by class
 *
 * The row "other", of labels unknown to the model, is shown only if there are such labels.
 */
int measures_shown_classes(const struct confusion *c);

/*
 * measures_figures() - an array of the '*n' figures of --metrics, after measures_finish(), but for those
 * that equal others or have no intervals; its owner is the caller
 */
struct figure *measures_figures(const struct measures *m, int *n);

/* measures_print_number() - with 6 digits, or "-" if it is undefined, right-aligned in 10 columns */
void measures_print_number(FILE *to, double value);

/* measures_print() - print the lines of --metrics */
void measures_print(const struct measures *m, FILE *to);

/* measures_report() - add the measures to the report, each under a key */
void measures_report(const struct measures *m, struct report *r);

void measures_free(struct measures *m);
