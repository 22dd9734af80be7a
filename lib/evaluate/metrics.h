/*
 * metrics.h - how good predictions are: errors, confusion of classes, calibration of probabilities
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

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

/* ---- Scores at any threshold ---- */

/* An example; its weight, 1 without weights, has the sign of its class. */
struct scored_example {
	double score, weight;
};

/* 16 bytes an example.  Owns its array; a zeroed struct is empty. */
struct roc {
	int64_t n, capacity;
	struct scored_example *example;
	double n_positive, n_negative; /* numbers of both labels, or sums of weights */
};

void roc_free(struct roc *r);

/*
 * roc_add() - one more example; the size of 'weight' is how many it counts as, its sign the class
 *
 * A score that is no number ranks as -infinity.  Fails with ERR_MEMORY.
 */
int roc_add(struct roc *r, double score, double weight, struct error *err);

/* roc_sort() - order the examples by descending score, as the functions below need; O(n log n) */
void roc_sort(struct roc *r);

/*
 * roc_auc() - the share of pairs (positive, negative) in which the positive has the higher score
 *
 * A pair of equal scores counts half.  That is the area under the curve, and the statistic of Mann
 * and Whitney by ranks with ties averaged; a pair counts as often as the product of its weights.  NAN
 * without a pair.  O(n); without weights exact but for the rounding of one division, up to 2^52
 * pairs.
 *
 * Source: Hanley and McNeil 1982, Radiology 143.
 */
double roc_auc(const struct roc *r);

/* The classifier that calls an example positive if its score is at least 'threshold'. */
struct roc_point {
	/* least score called positive; infinite at the first point, where no example is positive */
	double threshold;
	/*
	 * called positive: share of the negatives, and of the positives, which is the recall; NAN if
	 * there are none
	 */
	double false_positive_rate, true_positive_rate;
	double precision; /* share of positives among those called positive; NAN at the first point */
};

/* A walk along the curve; a zeroed struct is at the beginning. */
struct roc_walk {
	bool begun;
	int64_t next;		       /* number of the first example not passed yet */
	double n_positive, n_negative; /* examples of the two labels passed so far, by weight */
};

/*
 * roc_step() - the next point of the curve; false at its end
 *
 * Points go from (0, 0) to (1, 1), one for each different score after the first point.
 */
bool roc_step(const struct roc *r, struct roc_walk *walk, struct roc_point *point);

/*
 * pr_step() - the next point of the curve of precision and recall; false at its end
 *
 * The same points but the first one, which has no precision.
 */
bool pr_step(const struct roc *r, struct roc_walk *walk, struct roc_point *point);

/*
 * pr_average_precision() - sum over the points of (recall - recall of the point before) precision
 *
 * The area under the curve as steps, without interpolation; NAN if there are no positives.  O(n).
 */
double pr_average_precision(const struct roc *r);

/* The class of an example, by its number, and the weight of the example. */
struct curve_example {
	int class_number;
	double weight;
};

/*
 * Curves of each class against the rest, where there are more than two classes
 *
 * Scores of all examples while they are added, and the curves in the end: as few large arrays,
 * since small ones are always in memory, and classes may be many.  Some 24 bytes for each example
 * and class.
 */
struct class_curves {
	int n;		  /* number of curves, or 0 */
	const int *label; /* labels of the classes, n; borrowed */
	int64_t n_examples, examples_capacity, scores_capacity;
	struct curve_example *example;
	double *score;		       /* scores of the classes, [n_examples][n]; NAN: not known */
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
