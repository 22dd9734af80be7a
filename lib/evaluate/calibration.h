/*
 * calibration.h - what decision values of rows with labels say of new ones: probabilities, and bounds
 *
 * All of it is of rows that the model was not trained on: those of cross validation, or held out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/metrics.h"
#include "model/probability.h"

enum calibration_method { CALIBRATION_SIGMOID, CALIBRATION_ISOTONIC, CALIBRATION_VENN_ABERS };

/* What examples of a class, the events, and of others say of it; a zeroed struct is empty. */
struct calibration {
	enum calibration_method method;
	struct sigmoid sigmoid;
	/*
	 * the different scores, ascending, and the fit at each, of Venn-Abers p0 and p1; 'score' begins
	 * one array
	 */
	int64_t n;
	double *score, *low, *high;
	double bound; /* conformal_bound(), for the caller */
	double n_judged,
		n_covered; /* new rows of the class, and those not below it; the caller's */
};

/*
 * calibration_fit() - fit the sorted examples of 'r', of which those of positive weight are events
 *
 * Sigmoid: sigmoid_fit(), Platt's with the targets of Lin, Lin, Weng.
 *
 * Isotonic: the ascending g(score) that minimises sum_i (g(s_i) - y_i)^2, y_i = 1 or 0.  Source:
 * Ayer and others 1955; Zadrozny and Elkan 2002, "Transforming classifier scores into accurate
 * multiclass probability estimates".
 *
 * Venn-Abers (inductive): p0(s) and p1(s) are the isotonic fits at s of all examples and one more of
 * score s, no event for p0 and an event for p1.  One of the two is a probability that is calibrated
 * exactly, if examples and new rows are exchangeable.  Source: Vovk, Petej, Fedorova 2015,
 * "Large-scale probabilistic predictors with and without guarantees of validity", algorithms 1 to 4.
 *
 * O(n) for n examples of weight 1 or -1, 56 bytes each; ERR_MEMORY.
 */
int calibration_fit(struct calibration *c, const struct roc *r, enum calibration_method method,
		    struct error *err);

void calibration_free(struct calibration *c);

/* Probability of the event; of Venn-Abers low and high are p0 and p1, else p. */
struct calibrated {
	double p, low, high;
};

/*
 * calibration_of() - the probability at a score, O(log n)
 *
 * Isotonic: between two scores of the fit on the line through them, beyond all that of the last.
 * Venn-Abers: p = p1 / (1 - p0 + p1), which has the least regret in log-loss (the same paper).
 */
struct calibrated calibration_of(const struct calibration *c, double score);

/*
 * calibration_classes() - probabilities of n classes by their scores, sum 1; returns the largest
 *
 * c[k] is of class k against the rest.  Of two classes they are divided by their sum, which is 1 but for
 * rounding (0 makes them equal); of more p_k = o_k / sum_j o_j by the odds o = p / (1 - p), of p from
 * 0.001 to 0.999, as predictor_probabilities() has it of machines of each class against the rest:
 * where the p themselves are divided by their sum (Zadrozny and Elkan 2002) they are too near each other.
 */
int calibration_classes(const struct calibration *c, int n, const double *score,
			double *probability);

/* calibration_error() - mean of |mean probability - share of events| over the bins, by their cases */
double calibration_error(const struct calibration_bins *c);

/* ---- Bounds that few new values are below ---- */

/*
 * conformal_bound() - the floor(share (n + 1))-th smallest of the n events' scores, sorted; -INFINITY if
 * that is 0
 *
 * If a new score is exchangeable with the n, its rank among all n + 1 is uniform, but for ties, so
 * that it is below the bound with probability 'share' at most, over the draw of both; and above
 * share - 1 / (n + 1) if no scores are equal.  Of the scores of a class: those of a Mondrian
 * (class-conditional) conformal predictor.  Of -|error|: an interval.  0 < share < 1.
 *
 * Source: Vovk, Gammerman, Shafer 2005, "Algorithmic learning in a random world", sections 4.2 and
 * 4.5; Papadopoulos and others 2002 for regressions.
 */
double conformal_bound(const struct roc *examples, double share);

/* conformal_least() - least number of scores with a bound above -INFINITY: ceil(1 / share) - 1 */
double conformal_least(double share);
