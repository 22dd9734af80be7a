/*
 * certify.h - how near a model is to the optimum of its training problem, by any program's training
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#pragma once

#include "evaluate/optimum_ball.h"
#include "io/rows.h"
#include "model/model.h"
#include "model/predict.h"
#include "problem/training.h"
#include "proof/certificate.h"

/*
 * Largest excess over a bound (in C), and largest |sum of coefficients| / sum of |coefficients|,
 * that rounding explains.  Multipliers with more are not feasible.
 */
#define CERTIFY_ROUNDING 1e-6

/*
 * Largest relative gap of a model that is called optimal: training as usual leaves less.
 * LIBLINEAR's limit is larger, since LIBLINEAR stops earlier, and since the multipliers behind the
 * dual are estimated from the losses there.
 */
#define CERTIFY_GAP 1e-3
#define CERTIFY_LINEAR_GAP 1e-2

/* Room for a word and five numbers of 17 digits. */
#define CERTIFIED_PROBLEM_SIZE 160

/* Role of the constant b in the objective of the certified problem. */
enum certify_constant {
	/* role known: b is free in LIBSVM's models, and 0 in LIBLINEAR's without -B */
	CONSTANT_KNOWN,
	CONSTANT_IN_NORM, /* b is a part of |w|, as in LIBLINEAR's training without -R */
	CONSTANT_FREE	  /* b is not a part of |w|, as in randsvm-train's problems */
};

/* Repair of a decision function f - rho, after which its primal is the P of its certificate. */
struct pair_repair {
	/*
	 * primal of the model as it is exceeds P by more than rounding; and of one-class its rho is
	 * not within the tolerance of 'rho'
	 */
	bool wanted;
	double scale; /* factor of the coefficients: 1, or C-SVC's where that leaves no loss */
	double rho;   /* constant rho that belongs to the coefficients times 'scale' */
};

/* A row that has a part in the dual or in the gap. */
struct certified_row {
	int64_t row;	   /* row of the data, from 0 */
	double beta, term; /* multiplier, and the row's term of the gap */
};

/*
 * What others need to repeat the certificate of a decision function, for nu-SVC in the scale of its
 * problem.  Owns its array, of all rows whose multiplier or term is not 0.
 *
 * With slacks s_i = t_i + rho - f_i - epsilon on the side of multipliers above 0, and f_i - t_i -
 * rho - epsilon on that of those below, P - D is the sum of the terms
 *
 *     (C_i - |beta_i|) max(0, s_i) + |beta_i| max(0, -s_i),  beta_i = 0 on the other side
 *     C_i max(0, s_i)^2 - |beta_i| s_i + beta_i^2 / (4 C_i)  with squared losses
 *
 * none of which is below 0; a bounded multiplier with a loss has 0, whatever f_i is, and so has a
 * row without both.
 */
struct certified_rows {
	/* "hinge" or "squared", c_plus, c_minus, epsilon of problem_at(), sum_plus, sum_minus */
	char problem[CERTIFIED_PROBLEM_SIZE];
	double primal; /* primal at the model's own constant */
	double dual;
	double rounding; /* bound of the errors of both, and of each term */
	int64_t n;
	struct certified_row *row; /* NULL where there is no dual */
};

/* What is proved of a decision function: intervals whose ends are rounded outwards. */
struct exact_certificate {
	bool known;	  /* false: nothing was asked for, or nothing is proved */
	bool rounded;	  /* was anything rounded but the ends? */
	double primal[2]; /* P of the function in the file, with its own constant */
	double dual[2];	  /* D of feasible multipliers */
	double gap[2];	  /* P - D */
};

/* The certificate of one decision function.  Values that are not known are NAN. */
struct pair_certificate {
	/* labels of the two classes; LIBLINEAR's one against the rest: both label_a */
	int label_a, label_b;
	enum certify_constant constant;
	/* bounds of the optimum; dual is NAN where the model gives no feasible one */
	struct certificate certificate;
	double kkt_violation; /* largest violation of any row, with the constant of the model */
	double excess;	      /* largest excess of a coefficient over its bound, in C */
	double imbalance;     /* |sum of coefficients| / sum of |coefficients|; 0 for one-class */
	/* one-class, nu-SVR: relative excess of the multipliers' sum over the sum that nu fixes */
	double sum_excess;
	double largest_share; /* the largest |coefficient|, in C */
	int64_t n_at_largest; /* number of coefficients whose size is the largest, to 1e-9 of it */
	/* epsilon-SVR: number of free support vectors, if they agree on another p */
	int64_t n_showing_p;
	double shown_p; /* value of p on which the free support vectors agree */
	/* machines of nu: nu that the coefficients have, if it is not the given one; or 0 */
	double shown_nu;
	struct pair_repair repair; /* repair of a model of LIBSVM's kind */
	/*
	 * where every optimum is, if that was wanted; its radius is NAN for machines other than C-SVC
	 * and epsilon-SVR, for kernels that are precomputed or may be indefinite, without a dual, and
	 * where a vector of the model is no row of the data to the last bit
	 */
	struct optimum_ball ball;
	struct certified_rows rows;	/* what others need to repeat it, if that was wanted */
	struct exact_certificate exact; /* of the file as it stands, if that was wanted */
	double primal_free; /* primal with CONSTANT_FREE, where the file leaves it open and
			       * 'certificate' with CONSTANT_IN_NORM has no dual */
};

/* What certify_model() does besides what it is given. */
struct certify_options {
	int n_threads;
	bool every_optimum; /* find where every optimum is, too (optimum_ball.h) */
	bool keeps_rows;    /* keep what others need to repeat the certificate */
	/*
	 * rows of the data, by which exact_certify() proves what is known to have feasible multipliers,
	 * of LIBSVM's kind without a precomputed kernel; NULL: nothing
	 */
	const struct csr *exact_rows;
};

/* Certificates of all decision functions of a model.  Owns its array; a zeroed struct is empty. */
struct model_certificate {
	int64_t n_rows; /* rows of the training data */
	int64_t n_pairs;
	struct pair_certificate *pair;
	int64_t n_sv;	   /* support vectors of the model */
	int64_t n_missing; /* support vectors that are no row of the training data */
	/* support vectors that are rows in 8 digits only, and may be several that differ */
	int64_t n_ambiguous;
	/* largest error found of the file's decision values, because its vectors are rounded */
	double change;
	bool has_multipliers; /* the model is of LIBSVM's kind */
	/* rows that are support vectors of every optimum, and of any, if all pairs have a ball */
	int64_t n_sv_least, n_sv_most;
	struct optimum_center center; /* z of the balls; borrows the model */
};

/*
 * certify_model() - the certificate of a model on its training data, in double precision
 *
 * LIBSVM's machines, of C-SVC and nu-SVC each pair of classes: the coefficients of the file are the
 * multipliers of the rows that sv_rows_find() finds; those within 1e-9 C of a bound count as at it.
 * The certificate is what certificate_make() says of them: the primal with the constant that is
 * best for it, the dual, and the number of rows that violate the conditions of optimality by more
 * than t->eps.
 * At the optimum for p every free support vector, 0 < |beta_i| < C, has |y_i - f(x_i)| = p: where
 * the free vectors agree on another p it is noted.
 * Where coefficients are out of bounds or do not sum to 0, or a vector is no row of the data, dual
 * is NAN; in the last case the primal is that of the decision functions as the file has them.
 * svm-train's files have 8 digits of a value, and several rows may agree with a vector in these
 * (c->n_ambiguous).  Any of them as the vector gives valid bounds, but only the right one those of
 * training.  Where the row is known the certificate is that of the model with all digits;
 * c->change is what the decision values of the file, with its own, are off.
 *
 * Of nu-SVC the file has the multipliers over r, half of the margin.  r is what makes them sum to
 * nu n / 2 for each class of n rows of both, and objectives are over r^2, as svm-train prints them;
 * violations are in the multipliers' own scale, that of eps.  Of nu-SVR the tube, which the file
 * does not have, is that which fits the multipliers best.  The primal is the one of the best
 * thresholds (certificate_make()).  One-class takes all rows, whatever their labels.
 *
 * LIBLINEAR's support vector machines with L1 or L2 loss, for classes and regression: the objective
 * of LIBLINEAR regularises the constant, that of other programs that write such files does not.
 * For the L2 loss beta_i = 2 C_i loss_i (with its sign), multiplied by the best factor, is feasible
 * for the dual of the first,
 *
 *     D(beta) = sum_i (y_i beta_i - epsilon |beta_i| - beta_i^2 / (4 C_i))
 *               - 1/2 |sum_i beta_i x_i|^2
 *
 * and for that of the second, which has the constraint sum_i beta_i = 0, after the multipliers of
 * the sign that weighs more were scaled down to the sum of the others.  The certificate is the one
 * with the smaller relative gap, and 'constant' says which.  For the L1 loss dual is NAN: weights
 * do not tell the multipliers of rows on the margin; primal is LIBLINEAR's, primal_free the other.
 * Where the losses of the weights leave a relative gap above 1e-6, up to three Newton steps towards
 * the optimum, each with another scan, give losses with a larger dual; the matrices of all columns
 * of weights must be within 64 MB for that.
 *
 * The data are scanned twice for LIBSVM's kind of model, and up to five times for LIBLINEAR's, or
 * once (certify_scans_once()).  For LIBSVM's kind memory holds the rows that could be support
 * vectors, and for every row its label and a value for each other class; for LIBLINEAR's kind no
 * row is kept, but two sums of rows for each column of weights, and those matrices.
 *
 * Of 't' C, p, nu, eps and the weights are read.  O(n n_sv) kernel values, O(entries) for
 * LIBLINEAR's kind.  The bits do not depend on o->n_threads.  Fails as the scan does; with ERR_MEMORY;
 * with ERR_ARGUMENT for other machines of LIBLINEAR, for a nu that is infeasible for a pair of
 * classes, for squared losses of a machine of nu or of a kernel that is not linear, for compact
 * models of nu-SVC, whose r is not known, for a class that only the model or only the data have,
 * without examples, and if the second scan finds other examples than the first; with ERR_FORMAT for
 * labels that are no integers; with ERR_NUMERIC if decision values or the primal overflow.  '*c' is
 * then empty.
 */
int certify_model(struct model_certificate *c, const struct model *m, const struct row_source *data,
		  const struct training *t, const struct certify_options *o, struct error *err);

/* struct proved_prediction - what is known of the prediction of a row by every optimum */
struct proved_prediction {
	bool same;     /* every optimum predicts the class that the model predicts */
	double within; /* regression: its value is at most this far from the model's */
};

/*
 * certify_prediction() - compare a model's prediction of the row 'x' with that of every optimum
 *
 * All pairs of 'c' have a ball, 'values' are the decision values of 'p', and 'votes' is room for
 * p->n_class numbers.  Pairs of classes whose vote is not proved all count against the winner.
 */
struct proved_prediction certify_prediction(const struct model_certificate *c,
					    const struct predictor *p, struct csr_row x,
					    const double *values, int *votes);

/* certify_scans_once() - does certify_model() need a single scan of the data? */
bool certify_scans_once(const struct model *m);

void model_certificate_free(struct model_certificate *c);

/*
 * certify_linear_model() - the part of certify_model() for LIBLINEAR's kind, into the empty '*c'
 *
 * O(entries) for each column of weights and scan; of squared losses also O(entries^2) of each row
 * with a loss, where Newton steps are taken.  Fails as certify_model() does.
 */
int certify_linear_model(struct model_certificate *c, const struct linear_model *m,
			 const struct row_source *data, const struct training *t, int n_threads,
			 struct error *err);

/* Decision function (a, b) of a model file, and its problem; all is borrowed. */
struct exact_question {
	const struct model *m;
	int a, b; /* the model's classes; 0 and 1 without classes */
	/* the file's constant; multipliers of the problem over those of the file: 1 but for nu-SVC */
	double rho, scale;
	const struct problem_view *p; /* problem, with rows, and the epsilon of problem_at() */
	const double *beta;	      /* p->n multipliers, feasible but for rounding */
};

/*
 * exact_certify() - intervals of primal and dual of a decision function, and of the gap
 *
 * Numbers of the files, parameters, bounds C_i and sums of nu are doubles, taken as they are.  The
 * primal is that of vectors, coefficients and constant as the file has them.  The dual is that of
 * multipliers that keep all bounds and sums exactly: those given, cut at their bounds, but that one
 * of a side takes up what the sum of that side is off; nothing is proved where none has room.
 * doc/certificates.md has the formulas.  Of nu-SVC all are over scale^2.  With definite kernels
 * dual <= optimum <= primal.
 *
 * With linear and polynomial kernels nothing but the ends is rounded, unless the numbers spread over
 * hundreds of powers of 2, or a quotient comes in, of squared losses or nu-SVC.  Kernels must not be
 * precomputed.
 *
 * O((n + n_sv) n_sv) kernel values of some microseconds each.  Fails with ERR_LIBRARY if MPFR is not
 * there, and with ERR_MEMORY.
 */
int exact_certify(struct exact_certificate *c, const struct exact_question *q, struct error *err);

/*
 * certify_repair() - give the model of LIBSVM's kind the constants and multiples of its certificate
 *
 * What c->pair[v].repair wants is done, so that certify_model() then finds no better constant; of
 * one-class one that is better by more than the tolerance, see rounding_lowered_rho().  Of nu-SVC
 * and one-class coefficients stay as they are, with the sums that nu asks for: the best multiple of
 * w has the same decisions.  Probabilities that the model gives stay those of the same rows.
 * Returns how many decision functions have changed.
 */
int64_t certify_repair(struct model *m, const struct model_certificate *c);

/* certify_feasible() - do the multipliers keep their bounds and sums, up to rounding? */
bool certify_feasible(const struct pair_certificate *p);

/*
 * certify_optimal() - is the model as near to the optimum as training comes?
 *
 * True if the relative gap is at most CERTIFY_GAP, or no row violates its conditions by more than
 * 10 eps, and neither do the free support vectors agree on another p nor the sums on another nu.
 * For LIBLINEAR's models: if the gap is at most CERTIFY_LINEAR_GAP.  False without a dual.
 */
bool certify_optimal(const struct pair_certificate *p, double eps);
