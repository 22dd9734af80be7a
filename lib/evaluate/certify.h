/*
 * certify.h - how near a model is to the optimum of its training problem, whoever trained it
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef RANDSVM_CERTIFY_H
#define RANDSVM_CERTIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/rows.h"
#include "model/model.h"
#include "problem/certificate.h"
#include "problem/training.h"

/* A coefficient beyond its bound, or a sum off 0, by more than that share is no rounding. */
#define CERTIFY_ROUNDING 1e-6

/*
 * Larger relative gaps are not left by training; LIBLINEAR's stops earlier, and the multipliers
 * there are made of the losses.
 */
#define CERTIFY_GAP 1e-3
#define CERTIFY_LINEAR_GAP 1e-2

/* Of one decision function.  NAN is what is not known. */
struct pair_certificate {
	int label_a, label_b;		/* LIBLINEAR's one against the rest: both label_a */
	struct certificate certificate; /* dual is NAN where the model gives no feasible one */
	double kkt_violation;		/* the largest of any row, at the model's own constant */
	double excess;	      /* how far a coefficient is beyond its bound, at most; in C */
	double imbalance;     /* |sum of coefficients| / sum of |coefficients| */
	double largest_share; /* the largest |coefficient|, in C */
	int64_t n_at_largest; /* how many have that, to 1e-9 */
	int64_t n_showing_p;  /* free support vectors, if they show another p than t->p */
	double shown_p;	      /* then: which */
};

/* Owns its array; a zeroed struct is empty. */
struct model_certificate {
	int64_t n_rows; /* of the training data */
	int64_t n_pairs;
	struct pair_certificate *pair;
	int64_t n_sv, n_missing; /* support vectors; of them, no rows of the training data */
	bool has_multipliers;	 /* LIBSVM's kind */
};

/*
 * certify_model() - the certificate of a model on its training data, in double precision
 *
 * For C-SVC (each pair of classes) and epsilon-SVR of LIBSVM the coefficients of the file are the
 * multipliers of the rows that sv_rows_find() finds, within 1e-9 C of a bound taken to be at it,
 * and certificate_make() of them is the certificate: the primal with the constant that is best for
 * it, the dual, and the rows that violate the conditions of optimality by more than t->eps.
 * Of the optimum for p every free support vector, 0 < |beta_i| < C, has |y_i - f(x_i)| = p: where
 * they agree on another p it is noted.
 * Where vectors have no row, coefficients are out of bounds or do not sum to 0 there is no
 * feasible dual: dual is NAN; the primal is that of the decision functions the model has.
 *
 * LIBLINEAR's L1- and L2-loss support vector machines, classes and regression, are judged by
 * LIBLINEAR's objective, with the constant regularised as it is without -R.  For the L2 loss
 * beta_i = 2 C_i loss_i (with its sign), multiplied by the best factor, is feasible for the dual,
 * which has no constraint on sums:
 *
 *     D(beta) = sum_i (y_i beta_i - epsilon |beta_i| - beta_i^2 / (4 C_i))
 *               - 1/2 |sum_i beta_i x_i|^2
 *
 * For the L1 loss dual is NAN: weights do not tell the multipliers of rows on the margin.
 *
 * The data are scanned twice for LIBSVM's kind, once for LIBLINEAR's.  Kept are of LIBSVM's kind
 * the rows that are support vectors, and a few numbers a row, a value for each other class among
 * them; of LIBLINEAR's no row.
 *
 * Of 't' C, p, eps and the weights are read.  O(n n_sv) kernel values.  The bits do not
 * depend on n_threads.  Fails as scanning does; with ERR_MEMORY; ERR_ARGUMENT for other machines,
 * classes that are in one of model and data only, no examples, or other ones in the second scan;
 * ERR_FORMAT for labels that are no integers; ERR_NUMERIC if decision values overflow.  '*c' is
 * then empty.
 */
int certify_model(struct model_certificate *c, const struct model *m, const struct row_source *data,
		  const struct training *t, int n_threads, struct error *err);

void model_certificate_free(struct model_certificate *c);

/* certify_feasible() - are bounds and sum kept, but for rounding? */
bool certify_feasible(const struct pair_certificate *p);

/*
 * certify_optimal() - is it the optimum, as near as training comes to it?
 *
 * The relative gap is at most CERTIFY_GAP, or no row violates its conditions by more than 10 eps;
 * and no other p is shown.  Of LIBLINEAR's the gap is at most CERTIFY_LINEAR_GAP.  False without
 * a dual.
 */
bool certify_optimal(const struct pair_certificate *p, double eps);

#endif
