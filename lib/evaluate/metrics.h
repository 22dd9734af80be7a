/*
 * metrics.h - how good predictions are: errors, confusion of classes, calibration of probabilities
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/moments.h"

/*
 * Sums over predictions p and targets t, each times its weight; a zeroed struct has no predictions
 * yet.
 */
struct metrics {
	int64_t n;	  /* number of predictions */
	double weight;	  /* sum of their weights, n without weights */
	double n_correct; /* number of predictions that are right, or the sum of their weights */
	double squared_error;		  /* sum of squared errors (p - t)^2 */
	struct moments p, t;		  /* moments of the predictions and of the targets */
	double products;		  /* sum of (p - mean p) (t - mean t) */
	double absolute_error, max_error; /* sum of the errors |p - t|; the largest error */
};

/*
 * metrics_add() - count one more prediction with its target, the true label or value, as 'weight' > 0
 * equal ones
 */
void metrics_add(struct metrics *m, double predicted, double target, double weight);

/* metrics_accuracy() - percentage of predictions equal to their targets; NAN without predictions */
double metrics_accuracy(const struct metrics *m);

/* metrics_mse() - mean squared error */
double metrics_mse(const struct metrics *m);

/*
 * metrics_squared_correlation() - S_pt^2 / (S_pp S_tt), of sums of products about the means
 *
 * svm-predict has it from sums of p t, p p and t t, of which far from 0 no digit is left.  No number
 * where metrics_uncorrelated() says why.
 */
double metrics_squared_correlation(const struct metrics *m);

/* metrics_uncorrelated() - why predictions and targets have no correlation, in words; or NULL */
const char *metrics_uncorrelated(const struct metrics *m);

/* metrics_mae() - mean absolute error */
double metrics_mae(const struct metrics *m);

/*
 * metrics_determination() - 1 - sum (p - t)^2 / sum (t - mean t)^2
 *
 * The coefficient of determination: the share of the targets' variance that the predictions
 * explain, 1 for perfect ones, 0 for the mean of the targets, below 0 for worse ones.  The squared
 * correlation is not smaller: it forgives predictions that are off by a constant or a factor.  NAN
 * where all targets are equal, that is t.squares is 0, and where squares overflow.
 */
double metrics_determination(const struct metrics *m);

/* metrics_log_loss() - -ln(probability of the true class), at most -ln(DBL_EPSILON) = 36.04 */
double metrics_log_loss(double probability);

/*
 * metrics_brier() - the squared distance of n probabilities from certainty of class 'truth'
 *
 * sum_c (probability[c] - [c == truth])^2; for two classes half of that, which is
 * (probability[0] - [0 == truth])^2, the score of a single event.  NAN, of a class that the model
 * does not know, counts as 0.
 *
 * Source: Brier 1950, Monthly Weather Review 78.
 */
double metrics_brier(const double *probability, int n, int truth);

/* ---- confusion of classes ---- */

/*
 * How often examples of each class were predicted to be of each class, and the measures made of
 * these counts:
 *
 *                  predicted 1   predicted 2        class 1: 10 examples, 9 predictions
 *     label 1               8             2         precision 8/9, recall 8/10
 *     label 2               1             5
 *     other                 0             1         labels that the model does not know
 */

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

/* ---- calibration ---- */

/*
 * Do events of probability p happen in a share p of the cases?
 *
 *     bin        0          1       ...        9
 *     p      [0, 0.1)   [0.1, 0.2)  ...   [0.9, 1]
 */
enum { CALIBRATION_BINS = 10 };

struct calibration_bin {
	double n, n_events; /* numbers of cases and of events, or sums of their weights */
	double sum;	    /* sum of the predicted probabilities, times weights */
};

/* Cases by predicted probability, in bins; a zeroed struct has no cases yet. */
struct calibration_bins {
	struct calibration_bin bin[CALIBRATION_BINS];
};

/*
 * calibration_add() - one more case, which counts as 'weight' of them: the event was given
 * 'probability', and happened or not
 */
static inline void calibration_add(struct calibration_bins *c, double probability, bool happened,
				   double weight)
{
	int k = (int)(probability * CALIBRATION_BINS);
	struct calibration_bin *bin = &c->bin[k < CALIBRATION_BINS ? k : CALIBRATION_BINS - 1];

	bin->n += weight;
	bin->n_events += happened ? weight : 0;
	bin->sum += weight * probability;
}
