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
 * O(n) for n examples, 56 bytes each, of weight 1 or -1 but for a sigmoid; ERR_MEMORY.
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

/* How probabilities of each class against the rest become those of three classes or more. */
struct coupling {
	double power; /* of the odds; above 0, at most 8 */
	double noise; /* share of the labels that are drawn at random; at least 0, below 1 */
};

/*
 * calibration_classes() - probabilities of n classes by their scores, sum 1; returns the largest
 *
 * c[k] is of class k against the rest.  Of two classes they are divided by their sum, which is 1 but for
 * rounding (0 makes them equal); of more
 *
 *     p_k = (1 - noise) o_k^power / sum_j o_j^power + noise / n,   o = p / (1 - p)                (1)
 *
 * of p from 0.001 to 0.999, as steps may say 0 of few rows; of a sigmoid from 1e-15 to 1 - 1e-15.
 */
int calibration_classes(const struct calibration *c, int n, const struct coupling *by,
			const double *score, double *probability);

/*
 * calibration_couple() - the power and the noise that fit best to examples of three classes or more
 *
 * They minimise, by (1) with y the class of example i and w_i its weight over the mean weight,
 *
 *     -sum_i w_i log p_iy + n (power - log power) - n log(1 - noise),
 *
 * the log-loss, and as much as n examples say for a power of 1 and no noise, without which the power
 * were infinite where the classes are separated.  From '*by' on by EM, whose hidden fact is which
 * labels are drawn: a noise of 0 remains 0, and the minimum is the only one then.  A score that is
 * NAN has the least odds.  Those of each fifth of the examples are by curves fitted to the others:
 * curves believe their own examples too much, steps most of all.
 *
 * Why: where each score speaks for its class alone, o_k / sum_j o_j is Bayes' rule, if labels are
 * right.  Where a share of them is wrong, whatever the scores, each of the odds is held down by it,
 * but the more of them there are the surer is what they say together: as sure as if one class alone
 * could be wrong.  Noise belongs behind the sum.  The power is for scores that repeat each other
 * (below 1) or curves of few rows (above).  So both mend how estimates become one, each of which is
 * calibrated.  A temperature of a model's scores has one number in place of the curves.
 *
 * Costs five fits of all curves, and examples x n exponentials a step, of at most 200; 8 bytes for
 * each example and class.  ERR_MEMORY.
 *
 * Source: (1) without noise is multinomial logistic regression on log o with one coefficient, as in
 * Guo and others 2017, "On calibration of modern neural networks", section 4.2 (temperature 1 /
 * power); labels drawn at random: Copas 1988, "Binary regression models for contaminated data".
 */
int calibration_couple(const struct class_curves *e, enum calibration_method method,
		       struct coupling *by, struct error *err);

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
